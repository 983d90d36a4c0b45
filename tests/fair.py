"""Define a small two-player market game with cards, coins and points, for tests of the log that a table shows."""

from __future__ import annotations

from collections.abc import Sequence

from programs import build_program, read_data

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import ScriptedPlayer
from lusory.ui.model.screen import Option, Question
from lusory.ui.model.screen_builder import build_screen

RULES = read_data(__file__)["rules"]


def create_match(block: str, first: Sequence[int] = (), second: Sequence[int] = (), rules: str = RULES) -> Match:
    """Return a match in which each player executes ``block``, after the scripted decisions.

    ``first`` and ``second`` are the option numbers that the two players choose. ``rules`` must contain the line
    ``BLOCK``.
    """
    lines = "\n".join(f"        {line}" for line in block.strip("\n").splitlines())
    game = Game(build_program(rules.replace("BLOCK", lines)), 2)
    match = Match(game, [ScriptedPlayer(first), ScriptedPlayer(second)], seed=1)
    for _ in range(len(first) + len(second)):
        match.step()
    return match


def read_preview(option: Option) -> str:
    """Return the sentences of an option's preview as one text."""
    return " ".join(map(to_text, option.preview))


def get_question(match: Match, seat: int, names: Sequence[str]) -> Question:
    """Return the question that a seat is asked. Raises AssertionError if nothing is asked."""
    question = build_screen(match, seat, names).question
    assert question is not None
    return question
