"""Stepping through a recorded game at a full screen. For ``lusory replay``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..fullscreen.session import stepped_through
from ..game import Game
from ..hosting.recorded import Recorded
from ..play.match import Match
from ..play.players.scripted import Scripted
from ..play.transcript import Transcript, picks_of
from .errors import UsageError
from .explain import as_written, rules_in_words

WIDTH = 76


def step_through(game: Game, transcript: Transcript, names: Sequence[str], ruleset: str, packs: Sequence[str]) -> None:
    """Show a game, one decision after the other, until somebody has seen enough. Raises TranscriptError where it does
    not fit the rules any more."""

    @cache
    def said_of(name: str) -> str | None:
        try:
            return rules_in_words(as_written(ruleset, packs), name, WIDTH)
        except UsageError:
            return None

    match = Match(game, [Scripted(())] * game.players, transcript.seed, picks_of(game, transcript))
    named = [*names, *(f"P{seat + 1}" for seat in range(len(names), game.players))]
    stepped_through(Recorded(match, named, said_of))
