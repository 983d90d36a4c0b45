"""Who begins a game."""

from __future__ import annotations

from collections.abc import Iterator

from lusory_dsl import core

from ..play.match import Match
from ..table.events import ChoiceMade, PhaseBegan


class Beginner:
    """Looks for who begins: the ``seat`` of the first choice in one of the phases in which that shows, also of a choice
    with one option, about which nobody is asked. None: nobody yet."""

    def __init__(self, phases: frozenset[str]) -> None:
        self.phases = phases
        self.seat: int | None = None
        self._read, self._shows = 0, False

    def look(self, match: Match) -> int | None:
        """The seat, as far as a match has come, which keeps its log until it is found."""
        if self.seat is not None:
            return self.seat
        for event in match.log[self._read :]:
            if isinstance(event, PhaseBegan):
                self._shows = event.phase in self.phases
            elif isinstance(event, ChoiceMade) and self._shows:
                self.seat = event.seat
                return self.seat
        self._read = len(match.log)
        if match.decision is not None and match.game.phase_of(match.state) in self.phases:
            self.seat = match.decision.seat
        return self.seat


def turn_phases(program: core.Program) -> frozenset[str]:
    """The phases in whose first choice it shows who begins: those that repeat, or all; setup doesn't count."""
    repeated = [phase for phase in program.phases if phase.repeat is not None]
    return frozenset(leaf for phase in repeated or program.phases for leaf in _leaves(phase))


def _leaves(phase: core.Phase) -> Iterator[str]:
    if not phase.children:
        yield phase.id
    for child in phase.children:
        yield from _leaves(child)
