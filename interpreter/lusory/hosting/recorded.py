"""A game that was played, to be stepped through: the table before each of its decisions, as any seat saw it."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..play.match import Match
from ..screen.making import screen_of
from ..screen.model import Screen
from ..screen.text import Line
from ..screen.words import said
from .messages import Ask, Reply, Request, Shown, Told
from .sitting import Sitting


class Recorded:
    """A link to what was, from the beginning on. ``at``: how many decisions have been made. ``seat``: whose view it is,
    None for that of everybody."""

    is_own = False

    def __init__(self, match: Match, names: Sequence[str], said_of: Callable[[str], str | None]) -> None:
        self.match = match
        self.names = names
        self.said_of = said_of
        self.at = 0
        self.seat: int | None = 0
        self._replies: asyncio.Queue[Reply] = asyncio.Queue()

    @property
    def length(self) -> int:
        """How many decisions there are."""
        return len(self.match.turns)

    def moment(self, at: int) -> Match:
        """The match as it was after so many decisions."""
        found = copy.copy(self.match)
        if at < self.length:
            turn = self.match.turns[at]
            found.state, found.log = turn.before, self.match.log[: turn.logged]
        found.turns = self.match.turns[:at]
        found.decision = found.game.decision(found.state)
        return found

    def screen(self) -> Screen:
        """The table now, with what the decision before it has brought; nothing is asked."""
        now = self.moment(self.at)
        start = self.match.turns[self.at - 1].logged if self.at else 0
        return replace(screen_of(now, self.seat, self.names, start), question=None)

    def chosen(self) -> Line:
        """What is decided here, in words; nothing at the end."""
        if self.at == self.length:
            return ()
        turn = self.match.turns[self.at]
        decision = self.match.game.decision(turn.before)
        assert decision is not None, "a turn was a decision"
        label = self.match.game.option_labels(turn.before, decision)[turn.index]
        return said(f"P{turn.seat + 1}: {label}", self.names)

    def step(self, by: int) -> Shown:
        """So many decisions on or back."""
        self.at = min(max(self.at + by, 0), self.length)
        return Shown(self.screen())

    def turn(self) -> Shown:
        """As the next seat saw it; behind the last as everybody did."""
        seats: list[int | None] = [*range(self.match.game.players), None]
        self.seat = seats[(seats.index(self.seat) + 1) % len(seats)]
        return Shown(self.screen())

    def hurry(self) -> None:
        """Nothing is waited for here."""

    async def begin(self) -> None:
        """Show the beginning."""
        self._replies.put_nowait(self.step(0))

    async def send(self, request: Request) -> None:
        """Only questions are answered: what was stays as it was."""
        if isinstance(request, Ask):
            sitting = Sitting(self.moment(self.at), self.names, lambda name: "", self.said_of)
            lines = sitting.told(self.seat, request.topic, request.words)
            self._replies.put_nowait(Told(request.number, lines))

    async def receive(self) -> Reply:
        return await self._replies.get()
