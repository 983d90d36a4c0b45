"""Test that the end page shows the margin of victory and the rounds that decided the game."""

from __future__ import annotations

from dataclasses import replace

from full_table import create_match
from programs import build_program, read_data

from lusory.explain.styled_text_wrapping_and_values import Run, to_text
from lusory.game import Game
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import ScriptedPlayer
from lusory.state.decisions_outcomes_and_faults import Outcome
from lusory.ui.model.game_result_and_score_history import (
    NUMBERED,
    THE_END,
    _write_margin,
    lay_out_ending,
    list_scores_by_round,
    match_signs,
    write_turning_point,
)
from lusory.ui.model.screen import Ending, ResultColumn
from lusory.ui.model.screen_builder import build_screen

DATA = read_data(__file__)

NAMES = ("Ann", "Bob")
SET_UP = [0, 0, 0, 0]
GOLD, SILVER = 0, 1


def test_the_history_has_a_column_for_each_round() -> None:
    match = create_match("draft", people=2, picks=[*SET_UP, SILVER, GOLD, GOLD, GOLD])
    history = list_scores_by_round(match)
    assert history == (ResultColumn("Day 1", (1, 2)), ResultColumn("Day 2", (3, 4)))
    screen = build_screen(match, 0, NAMES)
    assert screen.ending is not None
    page = [to_text(line) for line in lay_out_ending(screen.ending, NAMES, 60)]
    assert [line.split() for line in page[-4:-1]] == [["After", "day", "1", "2"], ["Ann", "1", "3"], ["Bob", "2", "4"]]
    assert page[-1] == " Bob led from the first round to the last."


def test_table_ranks_three_players_and_cuts_titles_first() -> None:
    names, scores = ("Bartholomew", "Maximiliana", "Constantine"), (ResultColumn("Streets in the end", (3, 5, 3)),)
    ending = Ending((Run("Maximiliana wins."),), (1,), scores, places=(2, 1, 2))
    page = [to_text(line) for line in lay_out_ending(ending, names, 52)]
    assert [line.split() for line in page[-2:]] == [["Place", "2", "1", "2"], ["Streets", "in…", "3", "5", "3"]]
    # the verdict already names these
    assert len(lay_out_ending(replace(ending, table=()), names, 52)) == 1
    assert "Place" not in str(lay_out_ending(replace(ending, places=(1, 1, 1)), names, 52))


def test_wide_values_stay_apart_in_the_table() -> None:
    ending = Ending((Run("Ann wins."),), (0,), (ResultColumn("Points", (1234567, 123456)),), places=(1, 2))
    assert to_text(lay_out_ending(ending, NAMES, 60)[-1]).split() == ["Points", "1234567", "123456"]


def test_unfinished_game_has_no_history() -> None:
    assert list_scores_by_round(create_match("draft", people=2, picks=[*SET_UP, SILVER])) == ()


def test_turning_point_names_the_lead() -> None:
    history = [ResultColumn(f"Round {i + 1}", values) for i, values in enumerate([(3, 5), (4, 6), (9, 5), (10, 9)])]
    assert to_text(write_turning_point(history, (0,), NAMES)) == "Ann has led since Round 3."
    assert write_turning_point(history, (0, 1), NAMES) == ()


def test_final_scoring_belongs_to_no_round() -> None:
    match = create_match("nano-empire", people=0)
    match.advance()
    history = list_scores_by_round(match)
    assert [column.title for column in history[-2:]] == ["Turn 15", THE_END]
    history = (ResultColumn("Day 1", (1, 2)), ResultColumn("Day 2", (4, 6)), ResultColumn(THE_END, (9, 6)))
    assert to_text(write_turning_point(history, (0,), NAMES)) == "Ann took the lead at the end."


def test_player_number_is_no_round() -> None:
    assert NUMBERED.match("Turn of P2") is None
    assert NUMBERED.match("Round 3 of 8 · Plan") is not None


def test_winning_viewer_is_addressed() -> None:
    match = create_match("draft", people=2, picks=[*SET_UP, SILVER, GOLD, GOLD, GOLD])
    for seat, verdict in ((1, "You win."), (0, "Bob wins."), (None, "Bob wins.")):
        ending = build_screen(match, seat, NAMES).ending
        assert ending is not None and verdict in to_text(ending.verdict)


def create_outcome(ranks: tuple[tuple[int, ...], ...], winners: tuple[int, ...]) -> Outcome:
    columns = (("Points", tuple(rank[0] for rank in ranks)), ("Cards left", tuple(rank[1] for rank in ranks)))
    return Outcome(None, ranks, winners, (1,) * len(ranks), (0,) * len(ranks), columns)


def test_margin_names_the_tie_break() -> None:
    assert to_text(_write_margin(create_outcome(((7, 1), (9, 0)), (1,)))) == " Points: 9 to 7."
    assert to_text(_write_margin(create_outcome(((7, 1), (7, 3)), (1,)))) == " Cards left broke the tie: 3 to 1."
    assert (
        to_text(_write_margin(create_outcome(((7, 1), (7, 3), (5, 9)), (1,)))) == " Cards left broke the tie: 3 to 1."
    )
    assert to_text(_write_margin(create_outcome(((7, 1), (7, 1), (5, 9)), (0, 1)))) == " Points: 7 to 7 to 5."
    assert _write_margin(create_outcome(((7, 1), (7, 1)), (0, 1))) == ()
    assert _write_margin(create_outcome(((0, 1), (1, 3)), (1,))) == (), "it only marks who won"


def test_history_has_the_signs_of_the_table() -> None:
    history = (ResultColumn("Trick 1", (0, -3)), ResultColumn("Trick 2", (-1, -4)))
    assert [column.values for column in match_signs(history, [ResultColumn("Points", (1, 4))])] == [(0, 3), (1, 4)]
    assert match_signs(history, [ResultColumn("Tricks", (5, 8))]) == history


def test_tie_break_is_shown_only_for_ties() -> None:
    """Ann and Bob may have equal points. The cards left break the tie."""
    rules = DATA["tie break is shown only for ties"]
    for gold, expected in ((3, True), (5, False)):
        program = build_program(rules.replace("GOLD", str(gold)))
        match = Match(Game(program), [ScriptedPlayer([]), ScriptedPlayer([])], 1)
        match.play()
        ending = build_screen(match, None, NAMES).ending
        assert ending is not None
        assert ("Cards left (tie-break)" in [column.title for column in ending.table]) == expected


def test_tie_break_with_the_values_of_an_earlier_one_breaks_no_tie() -> None:
    rules = DATA["tie break is shown only for ties"].replace("GOLD", "3")
    program = build_program(
        rules.replace("gold, cards]", "gold, cards, cards]").replace("Cards left", "Cards left, Hand")
    )
    match = Match(Game(program), [ScriptedPlayer([]), ScriptedPlayer([])], 1)
    match.play()
    ending = build_screen(match, None, NAMES).ending
    assert ending is not None
    assert [column.title for column in ending.table] == ["Gold", "Total", "Cards left (tie-break)"]
