"""The site of the documentation has every page in its menu and loads nothing from other servers.

``zensical build --strict`` in ``.ci/run`` checks the links of the site. ``test_docs.py`` checks those of the files.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from programs import ROOT

DOCS = ROOT / "docs"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
PAGES = sorted(DOCS.rglob("*.md"))
COLLECTION = "reference/diagnostics"
"""Folder with only its index in the menu."""


def list_entries(menu: Any) -> Iterator[str]:
    """Yield the pages of a menu, in their order."""
    if isinstance(menu, str):
        yield menu
    else:
        for entry in menu.values() if isinstance(menu, dict) else menu:
            yield from list_entries(entry)


def test_the_menu_has_every_page_once() -> None:
    names = [page.relative_to(DOCS).as_posix() for page in PAGES]
    expected = [name for name in names if name.endswith("README.md") or not name.startswith(COLLECTION)]
    assert sorted(list_entries(PROJECT["nav"])) == sorted(expected)


def test_links_stay_on_the_site() -> None:
    """Pages outside docs/ are named but not linked, because the site doesn't have them."""
    assert [f"{page}: {target}" for page in PAGES for target in list_outside_links(page)] == []


def list_outside_links(page: Path) -> list[str]:
    text = re.sub(r"^ *```.*?^ *```|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [target for target in re.findall(r"\]\(([^)\s#]+)", text) if not re.match(r"[a-z]+:", target)]
    return [target for target in targets if not (page.parent / target).resolve().is_relative_to(DOCS)]


def test_no_fonts_are_fetched() -> None:
    assert PROJECT["theme"]["font"] is False
