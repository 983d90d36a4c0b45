"""Test the formatter: examples of docs/reference/formatting.md and layouts.md, comments, and refused files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from program_facts import strip_locations
from programs import ROOT, get_ruleset_folder, is_large, read_data

from lusory_dsl import formatter
from lusory_dsl.core import Program
from lusory_dsl.formatter import WIDTH, format_source
from lusory_dsl.formatter.yaml_layout import has_same_meaning
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets
from lusory_dsl.source.source import Source
from lusory_dsl.yaml.reader import YamlNode, make_source, read_text, to_plain_data

DATA = read_data(__file__)

EXAMPLES = [
    example
    for page in (ROOT / "docs" / "reference" / "formatting.md", Path(__file__).with_name("layouts.md"))
    for example in re.findall(
        r"```yaml\n(.*?)```\n\nbecomes\n\n```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
]
FILES = sorted((ROOT / "rulesets").rglob("*.yaml"))
GAMES = sorted({file.parent for file in FILES if re.search("^game:", file.read_text(encoding="utf-8"), re.MULTILINE)})
SMALLER = [
    folder for folder in GAMES if folder not in map(get_ruleset_folder, filter(is_large, find_bundled_rulesets()))
]
"""All rulesets but large ones, which take seven seconds."""


def format_text(text: str) -> str | None:
    return format_source(make_source("a.yaml", text), Diagnostics())


@pytest.mark.parametrize("before, after", EXAMPLES)
def test_examples_of_the_page(before: str, after: str) -> None:
    assert before != after
    assert format_text(before) == after
    assert format_text(after) == after


BLOCK = "effects:\n  e:\n    do: |\n"
VALUE = "queries:\n  q:\n    value: |\n"


@pytest.mark.parametrize("before, after", DATA["small files"])
def test_small_files(before: str, after: str | None) -> None:
    result = format_text(before)

    if after is not None:
        assert result == after
    assert result is not None and format_text(result) == result


@pytest.mark.parametrize("text, code, line", DATA["unreadable files are reported"])
def test_unreadable_files_are_reported(text: str, code: str, line: int) -> None:
    diagnostics = Diagnostics()

    assert format_source(Source("a.yaml", text), diagnostics) is None
    assert [error.span.line for error in diagnostics.list_sorted()] == [line]
    assert [error.code.id[:3] for error in diagnostics.list_sorted()] == [code[:3]]


def test_file_whose_meaning_would_change_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """This check catches all other mistakes of the formatter."""
    monkeypatch.setattr(formatter.FileComments, "place", lambda self, lines: ["a: c"])

    with pytest.raises(AssertionError, match="nothing was written"):
        format_text("a:   b")


@pytest.mark.parametrize("first, second, is_same", DATA["equal meaning"])
def test_equal_meaning(first: str, second: str, is_same: bool) -> None:
    roots = [read_text(Source("a.yaml", text), Diagnostics()) for text in (first, second)]

    assert roots[0] and roots[1]
    assert has_same_meaning(roots[0], roots[1]) is is_same


# ---------------------------------------------------------------- what is shipped


def load_data(text: str) -> Any:
    root: YamlNode | None = read_text(Source("a.yaml", text), Diagnostics())
    assert root is not None
    return to_plain_data(root)


@pytest.mark.parametrize("folder", SMALLER, ids=lambda path: path.name)
def test_formatting_any_layout_keeps_the_program(folder: Path, tmp_path: Path) -> None:
    """Every file of the game, including cases, is written as JSON and then formatted."""
    for file in folder.rglob("*.yaml"):
        target = tmp_path / file.relative_to(folder)
        target.parent.mkdir(exist_ok=True)
        result = format_text(json.dumps(load_data(file.read_text(encoding="utf-8")), ensure_ascii=False))
        assert result is not None and max(map(len, result.splitlines())) <= WIDTH
        target.write_text(result, encoding="utf-8")
        if target.parent.name == "cases":
            assert _remove_expectations(load_data(result)) == _remove_expectations(
                load_data(file.read_text(encoding="utf-8"))
            )

    for sheet in folder.rglob("*.csv"):
        shutil.copy(sheet, tmp_path / sheet.relative_to(folder))
    before, after = load_program(folder), load_program(tmp_path)
    assert isinstance(after, Program)
    assert strip_locations(after) == strip_locations(before)


def _remove_expectations(value: Any) -> Any:
    """Return the data of case files without the expressions in it."""
    if isinstance(value, dict):
        return {key: _remove_expectations(item) for key, item in value.items() if key not in ("expect", "play_until")}
    return [_remove_expectations(item) for item in value] if isinstance(value, list) else value
