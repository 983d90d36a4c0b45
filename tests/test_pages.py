"""Pages and pictures load no fonts, styles, scripts or pictures from other servers."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from programs import ROOT
from textual_serve import server

from lusory.cli import main
from lusory.explain.styled_text_wrapping_and_values import Run
from lusory.ui.line.screen_rendering import render_svg
from lusory.ui.session import browser_page_server

LOADS = re.compile(
    r"""(?:\bsrc|\bsrcset|\bposter|\bdata)\s*=\s*["']?([^"'\s>]+)"""
    r"""|<(?:link|image|use)\b[^>]*?href\s*=\s*["']?([^"'\s>]+)"""
    r"""|@import\s+(?:url\()?["']?([^"')\s;]+)"""
    r"""|\burl\(\s*["']?([^"')]+)""",
    re.IGNORECASE,
)


def find_external_addresses(text: str) -> list[str]:
    """Return the addresses on other servers that a browser would load for a page, style sheet or picture."""
    addresses = ["".join(groups) for groups in LOADS.findall(text)]
    return [address for address in addresses if re.match(r"(?:https?:)?//", address, re.IGNORECASE)]


@pytest.mark.parametrize("picture", sorted((ROOT / "docs").rglob("*.svg")), ids=lambda picture: picture.stem)
def test_pictures_of_the_docs_load_nothing_and_have_a_name(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")
    assert not find_external_addresses(text)
    assert re.match(r'<svg [^>]*role="img"[^>]*>\s*<title>[^<]+</title>', text)


def test_a_screen_as_a_picture_loads_nothing_and_has_its_title_as_a_name() -> None:
    text = render_svg([(Run("a"),)], 40, "{x} & <b>")
    assert not find_external_addresses(text) and "@font-face" not in text
    assert '<svg class="rich-terminal" role="img"' in text and "<title>{x} &amp; &lt;b&gt;</title>" in text


def test_pages_that_commands_write_load_nothing(tmp_path: Path) -> None:
    game = "tic-tac-toe"
    for name, command in {
        "report.html": ["simulate", game, "--games", "4", "--report"],
        "coverage.html": ["test", game, "--coverage-html"],
        "rules.html": ["explain", game, "--rulebook"],
    }.items():
        page = tmp_path / name
        assert main([*command, str(page)]) == 0, name
        text = page.read_text(encoding="utf-8")
        assert "<html" in text and not find_external_addresses(text), name


def test_pages_of_a_hosted_match_load_nothing() -> None:
    texts = [browser_page_server._PAGE.template, browser_page_server._SCRIPT]
    static = Path(os.path.dirname(server.__file__), "static")
    texts += [file.read_text(encoding="utf-8") for file in static.rglob("*") if file.suffix in (".css", ".js")]
    assert len(texts) > 3
    assert not [address for text in texts for address in find_external_addresses(text)]
    assert "default-src 'self'" in browser_page_server._HEADERS["Content-Security-Policy"]
