"""Test that the screen lists options that are not allowed now, below the others and with the reason."""

from __future__ import annotations

import pytest
from fair import get_question
from full_table import create_match
from programs import create_bundled_game

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.model.look_and_why import explain_closed_options
from lusory.ui.model.option_rows import ENTRY, fit_groups, list_entries
from lusory.ui.model.option_tree_and_choice_in_progress import begin, list_keys, match_options
from lusory.ui.model.panel_builder_and_value_looks import build_panels
from lusory.ui.model.screen_builder import build_screen

FIRST_RECRUITMENT = (0, 0, 5, 1, 0, 2, 0, 3, 0, 1, 1, 1, 0, 2, 2, 0)


@pytest.mark.slow
def test_unaffordable_cards_are_listed_with_their_price() -> None:
    match = create_match("empire-city", seed=1)
    for pick in FIRST_RECRUITMENT:
        match.take(pick)
    decision = match.decision
    assert decision is not None
    question = get_question(match, decision.seat, ("Ann", "Bob"))
    reasons = [to_text(line) for line in question.closed_options]
    assert reasons[0].startswith("Needs more Gold than 0: Baker 1, ") and len(reasons) <= 4
    choosing = fit_groups(begin(question), 79, 12)
    page = list_entries(choosing, 0, 79, 12)
    lines = [to_text(line) for line in page]
    assert reasons[0] in " ".join(map(str.strip, lines[-3:])) and len(lines) <= 12
    n_entry_lines = sum(any(run.of.startswith(ENTRY) for run in line) for line in page)
    assert n_entry_lines < len(lines), "it is no entry"
    assert len(list_keys(choosing)) == len(choosing.entries)
    assert not any("needs" in to_text(entry.title) for entry in choosing.entries)
    assert not match_options(question.options, "needs 1 gold"), "it can't be typed either"
    full = list_entries(choosing, 0, 79, n_entry_lines)
    assert len(full) == n_entry_lines, "options come first where room is short"


@pytest.mark.slow
def test_closed_options_are_hidden_from_other_players() -> None:
    match = create_match("empire-city", seed=1)
    for pick in FIRST_RECRUITMENT:
        match.take(pick)
    decision = match.decision
    assert decision is not None and build_screen(match, 1 - decision.seat, ("Ann", "Bob")).question is None


@pytest.mark.parametrize("seat", [1, None])
def test_seats_that_do_not_decide_have_no_closed_options(seat: int | None) -> None:
    match, names = create_match("engines-of-war", people=2, seed=5), ("Ann", "Bob")
    assert match.decision is not None and match.decision.seat != seat
    view = match.game.view(match.state, seat)
    assert explain_closed_options(match.game, match.state, view, build_panels(view, names), (), names) == ()


def test_reasons_name_only_what_can_change() -> None:
    """A Cottage is never a treasure, and the price of Silver in the supply says nothing about the Silver in hand."""
    no_picks, spend_all, hand_with_the_first_cottage = (), (0,), (0, 3, 0, 3)
    for seed in range(5):
        for picks in (no_picks, spend_all, hand_with_the_first_cottage):
            question = get_question(create_match("demesne", people=2, seed=seed, picks=picks), 0, ("Ann", "Bob"))
            assert [to_text(line) for line in question.closed_options] == []


def test_cards_with_the_same_reason_share_a_line() -> None:
    question = get_question(create_match("engines-of-war", people=2, seed=5), 0, ("Ann", "Bob"))
    lines = [to_text(line) for line in question.closed_options]
    assert len(lines) == 1 and lines[0].startswith("Needs more points than 0: ") and lines[0].count(", ") == 5, lines
    assert all(card.split(" ")[-1].isdecimal() for card in lines[0].partition(": ")[2].split(", "))


def test_card_in_play_explains_its_closed_ability() -> None:
    match = Match(create_bundled_game("engines-of-war", 2), [create_bot("random", 3, seat) for seat in range(2)], 3)
    reasons: set[str] = set()
    for _ in range(110):
        assert match.decision is not None
        question = build_screen(match, match.decision.seat, ("Ann", "Bob")).question
        lines = question.closed_options if question is not None else ()
        reasons |= {to_text(line) for line in lines if "battle" in to_text(line)}
        match.step()
    assert "Gnawling (battle): needs 3 deployed copies of Gnawling, and you have 1" in reasons
    assert "Shock Trooper (battle): there is nothing to choose now" in reasons, reasons
