"""Test the texts that authors write for players: start page, texts of declarations, endings, items of the score."""

from __future__ import annotations

import pytest
from programs import read_data

from lusory.game import Game
from lusory_dsl import Diagnostics, check_text, core

DATA = read_data(__file__)

GAME = DATA["game"]
SCORING = "{rank: ['2 * own.gold + own.tin', own.total], items: [{title: Gold, value: 2 * own.gold, why: '{own.gold} bars'}, {title: Tin, value: own.tin}], ties: [Most bars]}"  # noqa: E501
PAGE = "{aim: Have the most metal., turn: {day: Take something.}, know: [Gold is worth 2.], recommended: {First: {seats: [human, bot], options: {rich: true, most: 2, first: eldest}}}}"  # noqa: E501


def check_texts(start_page: str = PAGE, scoring: str = SCORING) -> tuple[core.Program | None, list[str]]:
    diagnostics = Diagnostics()
    program = check_text(GAME.format(start_page=start_page, scoring=scoring), diagnostics)
    return program, [f"{error.code.id} {error.message}" for error in diagnostics.list_sorted()]


def test_program_holds_all_texts() -> None:
    program, errors = check_texts()

    assert errors == []
    assert program is not None
    texts = program.printed_texts
    assert texts.start_page is not None
    assert texts.start_page.turn == (("Day", "Take something."),)
    assert texts.start_page.recommended_games[0].options == {"rich": True, "most": 2, "first": "eldest"}
    assert texts.cards == {"chest": ("Locked.",)}
    assert texts.values == {"Metal.gold": ("Worth 2.",), "Metal.tin": ("Worth 1.", "Heavy.")}
    assert texts.actions == {"take": ("Take one.",)}
    assert texts.effects == {"grab": ("Take a gold bar.",)}
    assert texts.phases == {"day": ("Take or leave.",)}


def test_named_ending_gives_its_label_and_leads_to_its_text() -> None:
    program, _ = check_texts()
    assert program is not None
    game = Game(program, players=2)
    state = game.apply(game.start(1), "take")
    outcome = game.outcome(game.apply(state, "leave"))

    assert outcome is not None and outcome.reason == "P2 emptied 1 chests"
    ending = program.printed_texts.find_ending(outcome.reason)
    assert ending is not None and ending.text == ("The pile is empty.",)
    assert program.printed_texts.find_ending("P2 took all chests") is None
    assert program.printed_texts.find_ending(None) is None


def test_ending_with_many_values_is_found_quickly() -> None:
    ending = core.Ending(", ".join(["{}"] * 20) + " win", ())
    texts = core.PrintedTexts(endings={"shared": ending})
    names = ", ".join(["A"] * 40)

    assert texts.find_ending(f"{names} win") is ending
    assert texts.find_ending(f"{names} won") is None


def test_final_table_shows_items_sum_and_ties() -> None:
    program, _ = check_texts()
    assert program is not None
    game = Game(program, players=2)
    outcome = game.outcome(game.apply(game.apply(game.start(1), "take"), "leave"))

    assert outcome is not None
    assert outcome.score_columns == (("Gold", (2, 0)), ("Tin", (0, 1)), ("Total", (2, 1)), ("Most bars", (1, 1)))


def test_items_with_a_wrong_sum_break_an_invariant() -> None:
    program, _ = check_texts(scoring="{rank: [own.total], items: [{title: Gold, value: 2 * own.gold}]}")
    assert program is not None
    game = Game(program, players=2)
    state = game.start(1)

    assert game.broken_invariants(state) == []
    assert [invariant.id for invariant in game.broken_invariants(game.apply(state, "take"))] == ["items-add-up"]


@pytest.mark.parametrize(
    ("page", "message"),
    [
        *DATA["wrong start pages are reported"],
        (f"{{aim: {'long ' * 400}}}", "E0111 the start page has 27 lines on a terminal of 80 columns, and 20 fit"),
    ],
)
def test_wrong_start_pages_are_reported(page: str, message: str) -> None:
    assert check_texts(start_page=page) == (None, [message])


@pytest.mark.parametrize(("scoring", "message"), DATA["wrong items are reported"])
def test_wrong_items_are_reported(scoring: str, message: str) -> None:
    assert check_texts(scoring=scoring) == (None, [message])
