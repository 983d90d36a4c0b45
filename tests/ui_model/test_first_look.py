"""Test what a new player sees: the goal, the signs of the pieces, and the names of spaces."""

from __future__ import annotations

from typing import Any

import pytest
from programs import build_program, read_data

from lusory import Game
from lusory.explain.styled_text_wrapping_and_values import Run, get_seat_colour, to_text
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import Match
from lusory.ui.model.panel_lines import lay_out_panel
from lusory.ui.model.screen import Cell, Item, Items, Panel
from lusory.ui.model.screen_builder import _mark_changes, build_screen
from lusory.ui.model.screen_layout import draw_page

DATA = read_data(__file__)

RULES = DATA["rules"]
SIGNS = "shows: [owner, rank], signs: {P1 man: x, P1 king: X, P2 man: o, P2 king: O, none: ·}"


def create_match(board: str, decisions: int = 0, settings: str = "") -> Match:
    game = Game(build_program(RULES.format(board="{" + board + ", " + SIGNS + "}", more=settings)))
    return Match(game, [create_bot(RANDOM, 0, seat) for seat in range(2)], 0, [0] * decisions)


def lay_out_lines(match: Match, seat: int | None = 0) -> list[str]:
    return [to_text(line) for line in draw_page(build_screen(match, seat, ("Ann", "Bob")), 80)]


def test_goal_is_on_its_own_page_and_not_above_the_table() -> None:
    for decisions in (0, 1, 2):
        match = create_match("grid: 2 x 2", decisions)
        assert not any("Have most stones." in line for line in lay_out_lines(match))
        introduction = [to_text(line) for line in build_screen(match, 0, ("Ann", "Bob")).introduction]
        assert introduction[:2] == ["Your aim", "  Have most stones."]
        assert "  You play as Ann against Bob (chooses at random)." in introduction
        last_line = build_screen(match, None, ("Ann", "Bob")).introduction[-1]
        assert to_text(last_line) == "  You watch Ann and Bob (they choose at random)."


def test_players_have_the_signs_of_their_pieces() -> None:
    lines = lay_out_lines(create_match("grid: 2 x 2"))
    assert "▸Ann x X (you)" in lines
    assert " Bob o O" in lines


def get_grid(match: Match) -> Panel:
    return next(panel for panel in build_screen(match, 1, ("Ann", "Bob")).panels if panel.place == "table")


@pytest.mark.parametrize("case", DATA["boards"], ids=lambda case: case["test"])
def test_board(case: dict[str, Any]) -> None:
    """A case names the lines of a board."""
    grid = get_grid(create_match(case["board"], case.get("decisions", 0), case.get("more", "")))
    for drawing in case["drawn"]:
        lines = lay_out_panel(grid, 80, drawing.get("rows"))
        assert [to_text(line) for line in lines] == drawing["lines"].splitlines()


def test_hexagonal_board_has_coloured_signs_along_its_edges() -> None:
    grid = get_grid(create_match("hex: 3 x 2", 0, ", edges: {top: x, right: o, left: o, bottom: x}"))
    lines = lay_out_panel(grid, 80)[1:]
    assert [to_text(line) for line in lines] == [
        "          a x b x c",
        "2     o ·   ·   · o",
        "1   o ·   ·   · o",
        "    a x b x c",
    ]
    assert {run.colour for line in lines for run in line if run.text == "x"} == {get_seat_colour(0)}
    assert {run.colour for line in lines for run in line if run.text == "o"} == {get_seat_colour(1)}


def test_new_panel_has_no_marks() -> None:
    """Its two values have the same title, so that each differs from the other one of that title."""
    panel = Items("table", "Coins", tuple(Item("", Cell(((Run(value),),))) for value in ("1", "2")))
    assert _mark_changes([panel], []) == (panel,)
