"""Test that identical copies of a card form one option with a count, and others their own option."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from programs import build_program, read_data

from lusory.explain.styled_text_wrapping_and_values import Run, to_text
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import ScriptedPlayer
from lusory.ui.model.game_introduction_page import write_start_page
from lusory.ui.model.option_tree_and_choice_in_progress import begin, match_options
from lusory.ui.model.screen import Question
from lusory.ui.model.screen_builder import build_screen, take
from lusory.ui.model.search_hint import write_hint
from lusory.ui.textual.choice_input_state_preview_and_key_hints import Chooser, _draw_preview as preview_entry
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

RULES = DATA["rules"]


def create_question(setup: str = "set lucky to none") -> tuple[Match, Question]:
    game = Game(build_program(RULES.replace("SETUP", setup)))
    match = Match(game, [ScriptedPlayer(())], 1)
    question = build_screen(match, 0, ("Ann",)).question
    assert question is not None
    return match, question


def list_entries(question: Question) -> list[str]:
    return [entry.words for entry in begin(question).entries]


def test_copies_are_one_option_with_a_count() -> None:
    match, question = create_question()
    assert list_entries(question) == ["copper (×4)", "silver (×2)"]
    assert match_options(question.options, "copp") == [0]
    assert match_options(question.options, "copper-3") == [2]
    take(match, question, ("copper-3",))
    next_question = build_screen(match, 0, ("Ann",)).question
    assert next_question is not None and list_entries(next_question) == ["copper (×3)", "silver (×2)"]


@pytest.mark.parametrize(("setup", "labels"), DATA["different copies are separate options"])
def test_different_copies_are_separate_options(setup: str, labels: list[str]) -> None:
    assert list_entries(create_question(setup)[1]) == labels


@pytest.mark.parametrize(("statement", "labels"), DATA["distant copies join unless rules read their order"])
def test_distant_copies_join_unless_rules_read_their_order(statement: str, labels: list[str]) -> None:
    setup = f"move copper to purse\n  {statement}"
    assert list_entries(create_question(setup)[1]) == labels


def test_hint_lists_copies_once() -> None:
    game = Game(build_program(RULES.replace("SETUP", "move copper to purse").replace("at_most: 3", "at_most: 6")))
    match = Match(game, [create_bot("random", 1, 0)], 1)
    labels = [
        label for line in write_hint(match, 0, ("Ann",)) if (label := to_text(line).strip()) in ("copper", "silver")
    ]
    assert sorted(labels) == ["copper", "silver"]


def test_preview_says_a_card_once() -> None:
    chooser = Chooser.begin(replace_previews(create_question()[1]))
    copper, coin = (Run("copper (×4): worth 1."),), (Run("A coin."),)

    previews = [[to_text(line).strip() for line in preview_entry(chooser, text, 40)[1]] for text in ([copper], [coin])]

    assert previews == [["copper (×4): worth 1."], ["copper.", "", "A coin."]]


def replace_previews(question: Question) -> Question:
    """Return the question with options whose effects are unknown."""
    return replace(question, options=tuple(replace(option, preview=()) for option in question.options))


def test_sentence_about_a_turn_without_titles_has_no_column() -> None:
    program = load_program(Path(__file__).resolve().parents[2] / "rulesets" / "templates" / "market-day")
    match = Match(Game(program, 2), [create_bot("random", 1, seat) for seat in (0, 1)], 1)

    assert any(
        to_text(line).startswith("  Play a card from your hand") for line in write_start_page(match, 0, ("Ann", "Bob"))
    )
