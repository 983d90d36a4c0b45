"""A recorded game for people: step by step, or in the sentences of the table. For ``lusory replay``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..game import Game
from ..hosting.recorded import Recorded
from ..play.match import Match
from ..play.players.scripted import Scripted
from ..play.transcript import Transcript, picks_of
from ..screen.making import ending_of
from ..screen.story import as_lines, deeds
from ..screen.text import Line, Run
from .errors import UsageError
from .explain import as_written, rules_in_words


def step_through(game: Game, transcript: Transcript, names: Sequence[str], ruleset: str, packs: Sequence[str]) -> None:
    """Show a game, one decision after the other, until somebody has seen enough. Raises TranscriptError where it does
    not fit the rules any more; Ended, KeyboardInterrupt."""

    @cache
    def said_of(name: str) -> str | None:
        try:
            return rules_in_words(as_written(ruleset, packs), name, None, at_table=True)
        except UsageError:
            return None

    from ..fullscreen.session import stepped_through  # only now is the full screen imported

    went = stepped_through(Recorded(_match(game, transcript), _named(game, names), said_of))
    if went.interrupted:
        raise KeyboardInterrupt


def in_sentences(game: Game, transcript: Transcript, names: Sequence[str]) -> tuple[Line, ...]:
    """A game from the beginning on, with nothing hidden, and how it ended. Raises TranscriptError as above."""
    match, named = _match(game, transcript), _named(game, names)
    told = as_lines(deeds(match, None, named, whole=True))
    if match.outcome is None:
        return (*told, (), (Run("It is not finished."),))
    end = ending_of(match.outcome, named)
    scores = [(Run(f"{one.title}: {_listed(named, one.values)}"),) for one in (*end.steps, *end.table)]
    return (*told, (), end.verdict, *dict.fromkeys(scores))


def _listed(names: Sequence[str], values: Sequence[int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))


def _match(game: Game, transcript: Transcript) -> Match:
    return Match(game, [Scripted(())] * game.players, transcript.seed, picks_of(game, transcript))


def _named(game: Game, names: Sequence[str]) -> list[str]:
    return [*names, *(f"P{seat + 1}" for seat in range(len(names), game.players))]
