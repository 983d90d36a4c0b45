"""Law of views: every view of a random ruleset can be drawn, from every seat and at several sizes.

Draws each view as a page, on the full screen, line by line and as plain text. No line is wider than its part of the
screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass

from engines import check_ruleset, generate_ruleset

from lusory.explain.styled_text_wrapping_and_values import Run, measure
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import Match
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.ui.line import screen_rendering
from lusory.ui.model.screen import Screen
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.model.screen_layout import Prompt, ScreenLayout, draw_page
from lusory_dsl.core import Program, screen_layout_declarations

NUMBERS = (*range(200, 218), 1166, 1209)
SIZES = ((60, 20), (80, 24), (120, 40))
NAMES = ("Ann", "Bartholomew of the Hill", "名前")
DRAWN_AFTER = (0, 6)
"""Numbers of decisions after which the screen is drawn."""


def check_drawing(screen: Screen) -> None:
    """Draw a screen in every way, and check the width and height of the result."""
    for columns, rows in SIZES:
        lines = draw_page(screen, columns, rows)
        assert len(lines) <= rows
        parts = ScreenLayout(screen).lay_out(Prompt((Run("Which one?"),)), columns, rows)
        assert max(map(measure, lines)) <= columns
        assert all(measure(line) <= part.width for part in parts.values() for line in part.lines)
        screen_rendering.render_table(screen, columns)


def list_screens(program: Program, number: int) -> Iterator[Screen]:
    """Yield the screens of each seat and of a spectator in a game of bots. Stops early if the rules fault."""
    players = 2 + number % 2
    with suppress(RulesetFault):
        game = Game(program, players, engine="evaluator")
        match = Match(game, [create_bot(RANDOM, number, seat) for seat in range(players)], number)
        for decisions in range(max(DRAWN_AFTER) + 1):
            if decisions in DRAWN_AFTER:
                for seat in (*range(players), None):
                    yield build_screen(match, seat, NAMES[:players])
                    game.view(match.state, seat).table()
            if match.decision is None:
                return
            match.step()


def test_every_view_can_be_drawn() -> None:
    """Also checks that the random views contain every kind of declaration that a view can have."""
    count: Counter[type] = Counter()
    n_drawn = 0
    for number in NUMBERS:
        program = check_ruleset(generate_ruleset(number))
        if program is None:
            continue
        count.update(type(node) for node in walk_view(program.layout))
        for screen in list_screens(program, number):
            check_drawing(screen)
            n_drawn += 1
    assert n_drawn > 2 * len(NUMBERS)
    declared = (kind for kind in vars(screen_layout_declarations).values() if isinstance(kind, type))
    own = (kind for kind in declared if kind.__module__ == screen_layout_declarations.__name__)
    assert {kind.__name__ for kind in own if not count[kind] and not kind.__subclasses__()} == set()


def walk_view(node: object) -> Iterator[object]:
    """Yield a declaration of a view and all declarations inside it, without expressions."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk_view(part)
    elif is_dataclass(node) and type(node).__module__ == screen_layout_declarations.__name__:
        yield node
        for field in fields(node):
            yield from walk_view(getattr(node, field.name))
