"""Who leads in a position, as somebody sees it who sees everything. Used by :mod:`lusory.study.gather`.

Read from the rules where they tell: the ruleset's `value` for bots, or else its ranks, where these tell the seats apart
before the end. Elsewhere from what comes of the position when it is played on at random.
"""

from __future__ import annotations

from functools import cached_property

from ..game import Game
from ..search.evaluation import NO_HINTS, Evaluator, Values, read_hints
from ..search.properties import estimate_budget
from ..search.simulation import Position, Simulator
from ..table.chance import mix
from ..table.state import State

VALUE, RANKS, PLAYOUTS = "value", "ranks", "playouts"
SAMPLES = range(8, 25)
"""Continuations at random of a position: as many as take a tenth of the time of a bot's decision, within these."""

PART = 10

CLEAR = 0.1
"""Whoever leads in what is found out at random is this far ahead of the next, from 0 to 1."""

GAMES, STRIDE, MOST = 3, 10, 500
"""Games at random in which it is seen whether ranks tell anything, and where they are looked at."""


class Outlook:
    """What the seats of a game can hope for. ``source``: where that is read."""

    def __init__(self, game: Game) -> None:
        assert game.functions is not None, "positions are read by the compiled engine"
        self.game, self.functions = game, game.functions
        self.hints = read_hints(game)
        self.evaluator = Evaluator(game, self.hints)

    @cached_property
    def source(self) -> str:
        """``value``, ``ranks`` or ``playouts``: the same on every machine."""
        if self.hints.has_heuristic:
            return VALUE
        return RANKS if self._ranks_tell() else PLAYOUTS

    def _ranks_tell(self) -> bool:
        """Whether the ranks tell seats apart at most moments of random games."""
        looks = told = 0
        for number in range(GAMES):
            position, cell = Simulator(self.game, 0, [self.game.start(number)], mix(number + 1)).start(0)
            made = 0
            while made < MOST:
                cell = position.run_playout(cell, STRIDE)
                made += STRIDE
                if position.is_over:
                    break
                looks += 1
                try:
                    told += len(set(self.evaluator.scores(position))) > 1
                except Exception:  # of generated code: nothing can be told before the end
                    continue
        return 2 * told > looks

    def of(self, state: State, number: int) -> Values | None:
        """What each seat can hope for, from 0 to 1; the best of them leads. None: it can't be told. ``number``: settles
        chance where there is any."""
        try:
            if self.source == PLAYOUTS:
                return self._played(state, number)
            position = Position(self.functions, state.cells[:], state.zones, NO_HINTS, None)
            return tuple(self.evaluator.evaluate_scores(self.evaluator.scores(position)))
        except Exception:  # of generated code, which tells nothing before the end
            return None

    def _played(self, state: State, number: int) -> Values:
        horizon = estimate_budget(self.game).horizon
        simulator = Simulator(self.game, 0, [state], mix(number + 1), NO_HINTS)
        if horizon is not None:
            simulator.horizon = horizon
        sums = [0.0] * self.game.players
        samples = min(max(estimate_budget(self.game).simulations // PART, SAMPLES[0]), SAMPLES[-1])
        for sample in range(samples):
            for seat, value in enumerate(simulator.finish(*simulator.start(sample))):
                sums[seat] += value / samples
        return tuple(sums)

    def leader(self, values: Values) -> int | None:
        """The seat that is ahead of all others."""
        first, second = sorted(values, reverse=True)[:2]
        clear = CLEAR if self.source == PLAYOUTS else 0.0
        return values.index(first) if first > second + clear else None
