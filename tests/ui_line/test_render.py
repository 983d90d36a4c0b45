"""The table, the choices, the log and the result, drawn for terminals of several widths."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from lusory.game import Game
from lusory.play.match import Match
from lusory.play.players import Scripted
from lusory.ui.line import render
from lusory_dsl.pipeline import load_program

BIDS = Path(__file__).parents[1] / "fixtures" / "bids.yaml"
NAMES = ["Ann", "P2"]


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(load_program(BIDS), 2)


@pytest.fixture
def match(game: Game) -> Match:
    match = Match(game, [Scripted([1, 2, 0]), Scripted([2, 2])])
    match.step()
    return match


def drawn(part: RenderableType, width: int = 80, colour: bool = False) -> list[str]:
    out = StringIO()
    system = "truecolor" if colour else None
    console = Console(file=out, width=width, markup=False, highlight=False, color_system=system, force_terminal=colour)  # type: ignore[arg-type]
    console.print(part)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_names_stand_for_players_and_nothing_is_markup() -> None:
    text = render.words("[bold]P1[/bold] and P2, not P12 nor XP1, nor P3 \x1b[2J", NAMES)
    assert text.plain == "[bold]Ann[/bold] and P2, not P12 nor XP1, nor P3 \N{REPLACEMENT CHARACTER}[2J"


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_choices_are_numbered_down_the_columns_and_fit(width: int) -> None:
    labels = [f"option {number}" for number in range(1, 13)]
    keys = [str(number) for number in range(1, 13)]
    lines = drawn(render.choices(keys, labels, NAMES, width), width)
    assert all(len(line) <= width for line in lines)
    assert lines[0].startswith("  1  option 1")
    assert lines[1].startswith("  2  option 2")
    assert sum(line.count("option") for line in lines) == 12


def test_choices_of_plain_numbers_stand_in_a_row() -> None:
    keys = [str(number) for number in range(7)]
    assert [line.split() for line in drawn(render.choices(keys, keys, NAMES, 80))] == [keys]


def test_long_lists_of_choices_that_begin_alike_share_rows() -> None:
    labels = [
        f"A long road to the {end}, paid with {what}" for end in ("east", "west") for what in ("Good", "P1", "Iron")
    ]
    assert drawn(render.choices(["1", "2", "3", "4", "5", "6"], labels, NAMES, 80)) == [
        " A long road to the east, paid with   1 Good   2 Ann   3 Iron",
        " A long road to the west, paid with   4 Good   5 Ann   6 Iron",
    ]
    short = drawn(render.choices(["1", "2", "3"], labels[:3], NAMES, 80))
    assert short[0] == " 1  A long road to the east, paid with Good"


def test_each_seat_has_its_colour() -> None:
    (line,) = drawn(render.words("P1 P2", ["P1", "P2"]), colour=True)
    assert line.count("\x1b[1;") == 2


def test_columns_are_as_wide_as_what_stands_in_them() -> None:
    labels = ["a" * 10] * 6 + ["b" * 40] * 6
    keys = [str(n) for n in range(1, 13)]
    assert len(drawn(render.choices(keys, labels, [], 66))) == 6
    assert len(drawn(render.choices(keys, labels, [], 60))) == 12


def test_choices_that_begin_alike_follow_each_other_when_columns_would_be_longer() -> None:
    ends = ["Chimera", "the North Street", "Ouroboros", "the Winding Alley", "the Sky"]
    labels = [f"{who} goes to {end}" for who in ("Old Baker", "P1") for end in ends] + ["No more"]
    keys = [str(n) for n in range(1, 12)]
    assert [line.rstrip() for line in drawn(render.choices(keys, labels, ["Ann"], 60), 60)] == [
        " Old Baker goes to   1 Chimera   2 the North Street",
        "                     3 Ouroboros   4 the Winding Alley",
        "                     5 the Sky",
        " Ann goes to         6 Chimera   7 the North Street",
        "                     8 Ouroboros   9 the Winding Alley",
        "                     10 the Sky",
        " 11  No more",
    ]


def test_what_begins_with_less_than_a_run_has_in_common_begins_another() -> None:
    labels = [
        f"Old Baker ({place}) goes to {end}" for place in ("Mill", "Inn") for end in ("the Sea", "the Hill", "it")
    ]
    keys = [str(n) for n in range(1, 7)]
    assert [line.rstrip() for line in drawn(render.choices(keys, labels, ["Ann"], 64), 64)] == [
        " Old Baker (Mill) goes to   1 the Sea   2 the Hill   3 it",
        " Old Baker (Inn) goes to    4 the Sea   5 the Hill   6 it",
    ]


def test_what_does_not_fit_in_a_line_goes_on_under_its_words() -> None:
    lines = drawn(render.choices(["1", "2"], ["a " * 20 + "b", "c"], NAMES, 30), 30)
    assert [line.rstrip() for line in lines] == [f" 1  {'a ' * 13}".rstrip(), f"    {'a ' * 7}b", " 2  c"]
