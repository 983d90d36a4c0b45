"""Test that explanations show the author's printed text, and describe the rules only on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from lusory.cli import main
from lusory.explain.declarations_in_english import explain
from lusory.explain.rulebook import build_rulebook, render_markdown
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load_text
from lusory_dsl.source.diagnostics import Diagnostics


def load_hoard() -> model.Ruleset:
    ruleset = load_text((Path(__file__).parent / "texts" / "hoard.yaml").read_text(encoding="utf-8"), Diagnostics())

    assert ruleset is not None
    return ruleset


def test_rules_are_described_beside_the_text_on_request() -> None:
    text = explain(load_hoard(), "chest", shows_rules=True)

    assert "Found: take 1 gold." in text
    assert "Grab." in text


def test_rulebook_shows_the_texts() -> None:
    book = render_markdown(build_rulebook(load_hoard()))

    assert "*Get rich.*" in book
    assert "Found: take 1 gold." in book
    assert "The richest player wins." in book
    assert "A note." not in book


def test_the_command_takes_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "tic-tac-toe", "--rules"]) == 0
    assert "Tic-tac-toe" in capsys.readouterr().out
