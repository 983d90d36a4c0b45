"""What a game in which nothing is hidden comes to if all play their best: every position is looked at once.

Each seat takes what gives it the most (in a game for two in which one wins what the other loses, the minimax value);
chance counts as likely as it is. How much was worked, and how often phases were repeated, which no rule can read, make
no difference between positions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..game import Game
from ..table.state import State
from .chance import Step, TooLarge, demand_time, outcomes

Values = tuple[float, ...]
OPEN: Values = ()
"""In place of the values of a position that is still being looked at."""


class GoesRound(Exception):
    """A position can come again, so that what follows on it is not known before itself."""


class Best(NamedTuple):
    """An option of a decision, and what each seat gets behind it."""

    option: str
    values: Values


class Positions:
    """``first``: the options of the first decision with what they come to. Raises TooLarge, GoesRound."""

    def __init__(self, game: Game, most: int, until: float | None = None) -> None:
        self.game, self.most, self.until = game, most, until
        self.known: dict[Any, Values] = {}
        self._zero = (*game.layout.repeats.values(), *game.layout.streams.values(), game.layout.work)
        self.first: list[Best] = []
        self.seat: int | None = None
        self.values = self._step(lambda log, chance: game.start(0, log, chance), is_first=True)

    def _step(self, step: Step, is_first: bool = False) -> Values:
        """What a step comes to on average."""
        total = [0.0] * self.game.players
        for share, state, _ in outcomes(step):
            values = self._at(state, is_first)
            total = [one + share * value for one, value in zip(total, values, strict=True)]
        return tuple(total)

    def _at(self, state: State, is_first: bool) -> Values:
        game = self.game
        decision = game.decision(state)
        if decision is None:
            outcome = game.outcome(state)
            assert outcome is not None
            return tuple(map(float, outcome.payoffs))
        key = self._key(state)
        found = self.known.get(key)
        if found is OPEN:
            raise GoesRound("a position can come again")
        if found is not None:
            return found
        demand_time(self.until)
        if len(self.known) >= self.most:
            raise TooLarge(f"more than {self.most:,} positions")
        self.known[key] = OPEN
        options = [
            self._step(lambda log, chance, number=number: game.apply(state, number, log, chance))  # type: ignore[misc]
            for number in range(len(decision.options))
        ]
        if is_first and not self.first:
            self.seat = decision.seat
            self.first = list(map(Best, game.option_ids(state, decision), options))
        best = max(options, key=lambda values: values[decision.seat])
        self.known[key] = best
        return best

    def _key(self, state: State) -> Any:
        cells = state.cells[:]
        for cell in self._zero:
            cells[cell] = 0
        return tuple(cells), tuple(map(tuple, state.zones))
