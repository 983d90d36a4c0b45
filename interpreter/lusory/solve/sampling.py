"""An approximate equilibrium of a game whose tree is too large to keep: Monte Carlo CFR with external sampling.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive Games" (2009): chance
and the other seat are drawn, the seat whose turn it is to learn tries all of its options. How far the result is from an
equilibrium is not known.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from random import Random
from typing import Any

from ..game import Game
from ..table.events import Event, redacted
from ..table.state import State
from ..worlds.observed import observed
from .chance import Drawn, TooLarge, demand_time
from .equilibrium import NotForTwo, Strategy, matched
from .tree import InformationSet, Knowing, Seat

Row = list[float]


@dataclass
class _Table:
    """What is learned at an information set."""

    regrets: Row
    sums: Row


class Sampling:
    """``made``: passes so far, each for both seats; ``total``: what the first seat got in drawn games of the strategies
    on the way. Raises NotForTwo, and TooLarge beyond ``most`` information sets."""

    def __init__(self, game: Game, most: int, seed: int = 0, until: float | None = None) -> None:
        if game.players != 2:
            raise NotForTwo(f"it is for {game.players}")
        self.game, self.most, self.until = game, most, until
        self.rnd = Random(f"solve {seed}")
        self.chance = Drawn(self.rnd)
        self.sets: list[InformationSet] = []
        self.tables: list[_Table] = []
        self._numbers: dict[Hashable, int] = {}
        self._knowing = Knowing()
        self.made, self.total = 0, 0.0
        self.middle: float | None = None

    def improve(self) -> None:
        """One pass more."""
        total = 0.0
        for seat in (0, 1):
            log: list[Event] = []
            state = self.game.start(0, log, self.chance)
            value = self._at(state, log, (Seat(0, None), Seat(0, None)), seat)
            total += value if seat == 0 else -value
        self.total += total
        self.made += 1

    def _at(self, state: State, log: list[Event], seats: tuple[Seat, ...], learner: int) -> float:
        """What the learner gets from here on, more or less than half."""
        game = self.game
        demand_time(self.until)
        decision = game.decision(state)
        if decision is None:
            return self._ended(state, learner)
        seats = tuple(
            seat._replace(knows=self._knowing.number(seat.knows, redacted(log, number, game)))
            for number, seat in enumerate(seats)
        )
        number = self._set(state, decision, seats[decision.seat])
        table, own = self.tables[number], decision.seat
        likely = matched(table.regrets)
        if own != learner:
            for option, share in enumerate(likely):
                table.sums[option] += share
            drawn = self.rnd.choices(range(len(likely)), likely)[0]
            return self._after(state, drawn, number, seats, own, learner)
        values = [self._after(state, option, number, seats, own, learner) for option in range(len(likely))]
        here = sum(share * value for share, value in zip(likely, values, strict=True))
        for option, value in enumerate(values):
            table.regrets[option] = max(0.0, table.regrets[option] + value - here)
        return here

    def _after(self, state: State, option: int, number: int, seats: tuple[Seat, ...], own: int, learner: int) -> float:
        log: list[Event] = []
        after = self.game.apply(state, option, log, self.chance)
        known = (*seats[:own], seats[own]._replace(last=(number, option)), *seats[own + 1 :])
        return self._at(after, log, known, learner)

    def _ended(self, state: State, learner: int) -> float:
        outcome = self.game.outcome(state)
        assert outcome is not None
        middle = sum(outcome.payoffs) / 2
        if self.middle is None:
            self.middle = middle
        if abs(middle - self.middle) > 1e-9:
            raise NotForTwo("what both get together differs from end to end")
        return outcome.payoffs[learner] - middle

    def _set(self, state: State, decision: Any, knows: Seat) -> int:
        view = self.game.view(state, decision.seat)
        key = decision.seat, knows.knows, observed(view, ())
        if key not in self._numbers:
            if len(self.sets) >= self.most:
                raise TooLarge(f"more than {self.most:,} information sets")
            self._numbers[key] = len(self.sets)
            ids = tuple(self.game.option_ids(state, decision))
            self.sets.append(InformationSet(decision.seat, ids, knows.last, self._knowing.told[knows.knows]))
            self.tables.append(_Table([0.0] * len(ids), [0.0] * len(ids)))
        return self._numbers[key]

    def strategy(self) -> Strategy:
        """The average of all passes."""
        return [matched(table.sums) for table in self.tables]

    def value(self) -> float:
        """What the first seat got on average."""
        return (self.middle or 0.0) + (self.total / (2 * self.made) if self.made else 0.0)
