"""Bundled YAML is read alike by PyYAML with and without libyaml, by ruamel.yaml and by our own reader.

Readers in Python are slow, so they read a sample. ``python tests/yaml/test_portable.py`` has them read everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML, YAMLError

from lusory.cli import main
from lusory_dsl.formatter import format_source
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.yaml import reader
from lusory_dsl.yaml.reader import make_source, read_text, to_plain_data

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NOT_OURS = (DOCS / "design" / "ci.md",)  # a GitHub workflow
FOLDERS = [*sorted(str(path.relative_to(ROOT)) for path in (ROOT / "rulesets").iterdir() if path.is_dir()), "docs"]
FENCE = re.compile(r"^```(?:yaml|pack|cases)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_with_lusory(text: str) -> Any:
    diagnostics = Diagnostics()
    root = read_text(make_source("a.yaml", text), diagnostics)
    assert root is not None and not diagnostics.has_errors, diagnostics.list_sorted()
    return to_plain_data(root)


READERS: dict[str, Callable[[str], Any]] = {
    "lusory": read_with_lusory,
    "PyYAML with libyaml": lambda text: yaml.load(text, yaml.CSafeLoader),
    "PyYAML without libyaml": lambda text: yaml.load(text, yaml.SafeLoader),
    "ruamel.yaml": lambda text: YAML(typ="safe", pure=True).load(text),
}


def read_with(name: str, text: str) -> str:
    """Return what a reader makes of a text, with keys as text as lusory reads them, or a word for a refused text."""
    try:
        return repr(_convert_keys(READERS[name](text)))
    except (yaml.YAMLError, YAMLError):
        return "refused"


def read_with_all(text: str) -> set[str]:
    """Return the results of all readers: one if they agree."""
    return {read_with(name, text) for name in READERS}


def _convert_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _convert_keys(item) for key, item in value.items()}
    return [_convert_keys(item) for item in value] if isinstance(value, list) else value


def list_warnings(text: str) -> list[str]:
    diagnostics = Diagnostics()
    read_text(make_source("a.yaml", text), diagnostics)
    return [report.code.id for report in diagnostics.list_sorted()]


def list_bundled_texts(folder: str) -> dict[str, str]:
    """Return all bundled YAML texts of a folder by their place, without examples that are wrong or not ours."""
    files = sorted((ROOT / folder).rglob("*.yaml"))
    texts = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}
    for page in sorted((ROOT / folder).rglob("*.md")):
        if page in NOT_OURS or not set(page.parents).isdisjoint(NOT_OURS):
            continue
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            is_wrong_example = page.parent.name == "diagnostics" and not re.search(
                "^## (Fixed|Mended)$", text[: match.start()], re.M
            )
            is_excerpt = match[1].lstrip("\n").startswith(" ")
            if (
                not is_wrong_example and not is_excerpt and not text.startswith("\n\nbecomes", match.end())
            ):  # of docs/reference/formatting.md
                texts[f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 2}"] = match[1]
    return texts


EVERY = {"PyYAML with libyaml": 1, "PyYAML without libyaml": 4, "ruamel.yaml": 4}
"""Reader -> 1 if it reads all bundled texts, n if it reads every nth."""


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", EVERY)
def test_bundled_files_are_read_alike_by_all_readers(name: str, folder: str) -> None:
    texts = list_bundled_texts(folder)
    assert texts
    assert list_differences(name, dict(list(texts.items())[:: EVERY[name]])) == []


def list_differences(name: str, texts: dict[str, str]) -> list[str]:
    """Return the places of texts that a reader reads differently from lusory."""
    return [where for where, text in texts.items() if read_with(name, text) != repr(read_with_lusory(text))]


def test_new_games_and_packs_are_read_alike_by_all_readers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["new", str(tmp_path / "my-game")])
    main(["new", "--pack", str(tmp_path / "my-pack"), "--for", "empire-city"])
    capsys.readouterr()
    files = sorted(tmp_path.rglob("*.yaml"))
    assert len(files) > 3
    assert [file for file in files if len(read_with_all(file.read_text(encoding="utf-8"))) > 1] == []


def test_bundled_files_are_read_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text for folder in FOLDERS for text in list(list_bundled_texts(folder).values())[::6]]
    expected = [read_with_lusory(text) for text in texts]
    monkeypatch.setattr(reader, "_LOADER", yaml.SafeLoader)
    assert [read_with_lusory(text) for text in texts] == expected


MISREAD = (
    "{a: b?}", "{a?: b}", "[b ?c]", "{a: {b: [c?, d]}}",
    "a: yes", "a: No", "a: on", "a: OFF", "- on", "on: 1", "{off: 1}",
    "a: 010", "a: 09", "a: 0o10", "a: 0x10", "a: 0b1", "a: 1_000", "a: 1:30", "a: 1e3", "a: 1.5e3", "a: -.5",
    "a: .inf", "a: .nan", "a: 2024-01-01", "a: 2024-01-01 10:00:00", "a: =", "a: <<",
    "true: 1", "null: 1", "~: 1", "010: 1", "1.50: 1", "1e3: 1",
    "a:\tb", "a: b\tc", "a: b\t", "a: [\tb]", "a: b\t# c", "a: |\t\n  b", "a: 'b'\t\nc: d",
)  # fmt: skip

ALIKE = (
    "a: b?", "a? : b", "- b ? c", 'a: {b: "c?"}', "a: |\n  {b: c?}",
    "a: 'on'", "a: once", "a: y", "n: 1", "a: none", "a: 10", "a: -1", "a: 0", "a: 1.5", "a: .5", "a: 1.5e+3",
    "a: 1..4", "a: 3d6", "a: 1-2", "a: 2024-1-1", "a: true", "a: ~", "a: null", "1: a", "a: 1 2", "a: b=c",
    "a: b # c\td", '"a\tb": c', "a: |\n  b\tc", "# a\tb\nc: d", "a: 'x'  # y\tz", "a: b#c",
)  # fmt: skip


@pytest.mark.parametrize("text", MISREAD)
def test_texts_read_differently_have_a_warning_and_a_fix(text: str) -> None:
    assert len(read_with_all(text)) > 1
    assert "W0732" in list_warnings(text)
    fixed_text = format_source(make_source("a.yaml", text), Diagnostics())
    assert fixed_text is not None and list_warnings(fixed_text) == []
    assert read_with_all(fixed_text) == {repr(read_with_lusory(text))}


@pytest.mark.parametrize("text", ALIKE)
def test_texts_read_alike_have_no_warning(text: str) -> None:
    assert len(read_with_all(text)) == 1
    assert list_warnings(text) == []


def test_hint_names_the_fix() -> None:
    diagnostics = Diagnostics()
    read_text(make_source("a.yaml", "a: {b: Player?, c: 010, d: on}"), diagnostics)
    assert [error.hint for error in diagnostics.list_sorted()] == [
        'put it in quotes: "Player?"',
        "write `10`",
        'put it in quotes: "on"',
    ]


def test_hint_names_the_fix_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_LOADER", yaml.SafeLoader)
    diagnostics = Diagnostics()
    assert read_text(make_source("a.yaml", "a: {b: Player?}"), diagnostics) is None
    hints = [error.hint for error in diagnostics.list_sorted()]
    assert hints == ["close it with `}`, or put text with a `?` in quotes"]


if __name__ == "__main__":
    for reader_name in EVERY:
        for folder in FOLDERS:
            print(f"{reader_name}, {folder}: {list_differences(reader_name, list_bundled_texts(folder)) or 'alike'}")
