"""Whatever a view shows can be drawn: random rulesets with random views, from every seat, at several sizes, as a page,
at the full screen, line by line and as plain text, and nothing is wider than where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass

from engines import checked, made

from lusory.explain.styled_text_wrapping_and_values import Run, measure
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import Match
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.ui.line import screen_rendering
from lusory.ui.model.screen import Screen
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.model.screen_layout import Arranging, Asked, draw_page
from lusory_dsl.core import Program, screen_layout_declarations

NUMBERS = (*range(200, 218), 1166, 1209)
SIZES = ((60, 20), (80, 24), (120, 40))
NAMES = ("Ann", "Bartholomew of the Hill", "名前")
LOOKED_AT = (0, 6)
"""So many decisions are made before it is looked at."""


def draw(screen: Screen) -> None:
    """In every way in which a screen is drawn."""
    for columns, rows in SIZES:
        printed = draw_page(screen, columns, rows)
        assert len(printed) <= rows
        parts = Arranging(screen).parts(Asked((Run("Which one?"),)), columns, rows)
        assert max(map(measure, printed)) <= columns
        assert all(measure(line) <= part.width for part in parts.values() for line in part.lines)
        screen_rendering.render_table(screen, columns)


def describe_thing(program: Program, number: int) -> Iterator[Screen]:
    """What each seat sees of the game of a number, and who has none; until the rules go wrong, which they may."""
    players = 2 + number % 2
    with suppress(RulesetFault):
        game = Game(program, players, engine="evaluator")
        match = Match(game, [create_bot(RANDOM, number, seat) for seat in range(players)], number)
        for decided in range(max(LOOKED_AT) + 1):
            if decided in LOOKED_AT:
                for seat in (*range(players), None):
                    yield build_screen(match, seat, NAMES[:players])
                    game.view(match.state, seat).table()
            if match.decision is None:
                return
            match.step()


def test_every_view_can_be_drawn() -> None:
    """And there is one of every kind of what a view can hold: what no maker writes is not tried."""
    made_of: Counter[type] = Counter()
    drawn = 0
    for number in NUMBERS:
        program = checked(made(number))
        if program is None:
            continue
        made_of.update(type(node) for node in nodes_of(program.layout))
        for screen in describe_thing(program, number):
            draw(screen)
            drawn += 1
    assert drawn > 2 * len(NUMBERS)
    kinds = {
        kind
        for kind in vars(screen_layout_declarations).values()
        if isinstance(kind, type) and kind.__module__ == screen_layout_declarations.__name__
    }
    assert {kind.__name__ for kind in kinds if not made_of[kind]} == set()


def nodes_of(node: object) -> Iterator[object]:
    """A part of a view, and all that it is made of, down to expressions."""
    if isinstance(node, tuple):
        for part in node:
            yield from nodes_of(part)
    elif is_dataclass(node) and type(node).__module__ == screen_layout_declarations.__name__:
        yield node
        for field in fields(node):
            yield from nodes_of(getattr(node, field.name))
