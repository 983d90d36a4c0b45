"""Test that the page about the table on screen shows what the screen draws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lusory.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "view.md"
RULES = re.compile(r"<!-- table -->\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"<!-- shown: (.*?) -->\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_page_shows_current_screens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    rules = RULES.search(text)
    assert rules is not None
    file = tmp_path / "rules.yaml"
    file.write_text(rules[1], encoding="utf-8")
    examples = SHOWN.findall(text)
    assert examples

    for arguments, screen in examples:
        assert main(["show", str(file), "--no-color", *arguments.split()]) == 0
        assert capsys.readouterr().out == screen
