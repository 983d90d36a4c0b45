"""Test the table, the options, the log and the result at several terminal widths."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console, RenderableType

from lusory.explain.event_sentences import Deed
from lusory.explain.styled_text_wrapping_and_values import Run
from lusory.game import Game
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import ScriptedPlayer
from lusory.ui.line import screen_rendering

NAMES = ["Ann", "P2"]


@pytest.fixture
def match(game: Game) -> Match:
    match = Match(game, [ScriptedPlayer([1, 2, 0]), ScriptedPlayer([2, 2])])
    match.step()
    return match


def draw(content: RenderableType, width: int = 80, has_colour: bool = False) -> list[str]:
    out = StringIO()
    colours: Any = {"color_system": "truecolor" if has_colour else None, "force_terminal": has_colour}
    console = Console(file=out, width=width, markup=False, highlight=False, **colours)
    console.print(content)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_names_replace_players_and_nothing_is_markup() -> None:
    text = screen_rendering.render_text("[bold]P1[/bold] and P2, not P12 nor XP1, nor P3 \x1b[2J", NAMES)
    assert text.plain == "[bold]Ann[/bold] and P2, not P12 nor XP1, nor P3 \N{REPLACEMENT CHARACTER}[2J"
    names = [*"abcdefghij"]
    assert screen_rendering.render_text("P10, P1 and P11", names).plain == "j, a and P11"


def test_each_seat_has_its_colour() -> None:
    (line,) = draw(screen_rendering.render_text("P1 P2", ["P1", "P2"]), has_colour=True)
    assert line.count("\x1b[1;") == 2


def test_effects_behind_a_deed_fill_the_line_and_never_wrap_it() -> None:
    effects = tuple((Run(words),) for words in ("+1 gold", "+2 wood", "+3 stone"))
    story = [Deed((Run("Ann builds Mill"),), 0, effects)]
    lines = {line for width in range(18, 46) for line in draw(screen_rendering.render_story(story, width), width)}
    assert lines == {
        " Ann builds Mill …",
        " Ann builds Mill – +1 gold … 2 more",
        " Ann builds Mill – +1 gold; +2 wood … 1 more",
        " Ann builds Mill – +1 gold; +2 wood; +3 stone",
    }
