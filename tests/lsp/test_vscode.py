"""Test that the extension for Visual Studio Code fits the language and the command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lusory.commands.handlers.check_and_watch import check_ruleset
from lusory.reports.sarif_junit_and_github_annotations import format_annotations
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import KEYWORDS, STATEMENTS

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"


def test_the_grammar_colours_every_keyword() -> None:
    grammar = (EXTENSION / "syntaxes" / "lusory.tmLanguage.json").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z]+", grammar))
    assert KEYWORDS | set(STATEMENTS) <= words


@pytest.mark.parametrize("file", sorted(EXTENSION.rglob("*.json")), ids=lambda file: file.name)
def test_the_files_of_the_extension_are_json(file: Path) -> None:
    json.loads(file.read_text(encoding="utf-8"))


def test_the_problem_matcher_reads_the_findings_of_check(tmp_path: Path) -> None:
    (tmp_path / "ruleset.yaml").write_text("gaem: {}\n")
    report = format_annotations([check_ruleset("game", tmp_path, ())])
    pattern = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["contributes"]["problemPatterns"][0]
    match = re.search(pattern["regexp"], report, re.MULTILINE)
    assert match is not None and match[pattern["line"]] == "1"
    assert match[pattern["code"]].startswith("E")
