"""How many simulations `fair` needs to stand halfway between `easy` and `strong`. Used by `bots --levels`.

The number is looked for by bisection, on a scale on which twice as many is one step: `fair` meets both in tournaments
from the same seeds, and where it is nearer to `strong` it gets fewer, else more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, isqrt, log10
from typing import Any

from ..cache import Cache
from ..game import Game
from ..native import Use
from ..play.players.kinds import plan_of
from ..play.players.searching import simulations_for
from .elo import fitted, share_interval
from .playing import option_words
from .tournament import Tournament

JSON_VERSION = 1
EASY, FAIR, STRONG = "easy", "fair", "strong"
TRIES = 4
"""Numbers that are tried at most."""

APART = 150
"""Points of Elo that neighbours should be apart."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Step:
    """How far a level is above another, in points of Elo; with 95 % it lies from ``low`` to ``high``."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class Tried:
    """A number of simulations for `fair`, and what came of it: ``upper`` from `fair` to `strong`, ``lower`` from `easy`
    to `fair`."""

    fair: int
    upper: Step
    lower: Step

    @property
    def smaller(self) -> float:
        """The smaller one of its two steps."""
        return min(self.upper.elo, self.lower.elo)


@dataclass
class Levelling:
    """``games``: of each two levels that meet. ``room``, from `easy` to `strong`, and ``tried`` come while :meth:`run`
    is at work. ``native``: who makes the searches, as a tournament has it; ``use``: what came of it."""

    game: Game
    games: int
    seed: int = 0
    jobs: int = 1
    store: Cache | None = None
    native: bool | None = None
    room: Step | None = None
    tried: list[Tried] = field(default_factory=list)
    use: Use = field(default_factory=Use)
    made: int = 0

    @property
    def total(self) -> int:
        """Games at most."""
        return (1 + 2 * TRIES) * self._between(STRONG, EASY).total

    @property
    def before(self) -> int:
        """Simulations of `fair` as it is, by the ruleset or the rule for all games."""
        return self._own(FAIR)

    @property
    def best(self) -> Tried | None:
        """That of the numbers so far whose smaller step is the greatest."""
        return max(self.tried, key=lambda one: one.smaller, default=None)

    @property
    def has_room(self) -> bool:
        """Whether there may be two steps of :data:`APART` between `easy` and `strong`, by what was seen so far."""
        return self.room is None or self.room.high >= 2 * APART

    def run(self, progress: Progress | None = None) -> None:
        """Try numbers until there is none between two that were tried, or enough; none where there is no room. Whoever
        interrupts it has those that were tried."""
        self.room = self._step(STRONG, EASY, progress)
        low, high, number = self._own(EASY), self._own(STRONG), self.before
        while self.has_room and len(self.tried) < TRIES and low < number < high:
            fair = f"{FAIR}:{number}"
            found = Tried(number, self._step(STRONG, fair, progress), self._step(fair, EASY, progress))
            self.tried.append(found)
            low, high = (number, high) if found.upper.elo > found.lower.elo else (low, number)
            number = isqrt(low * high)

    def to_json(self) -> dict[str, Any]:
        """All of it, as plain data."""
        program, best = self.game.program, self.best
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "seats": self.game.players,
            "options": option_words(self.game),
            "seed": self.seed,
            "games": self.games,
            "before": self.before,
            "fair": None if best is None else best.fair,
            "has_room": self.has_room,
            "strong_easy": None if self.room is None else _json(self.room),
            "tried": [
                {"fair": one.fair, "strong_fair": _json(one.upper), "fair_easy": _json(one.lower)} for one in self.tried
            ],
        }

    def _own(self, level: str) -> int:
        """Simulations of a level as it is."""
        return simulations_for(plan_of(level), self.game, 0)

    def _between(self, upper: str, lower: str) -> Tournament:
        """The games of two levels."""
        kinds, own = (upper, lower), (self.games, self.seed, self.jobs, True, self.store)
        return Tournament(self.game, kinds, *own, native=self.native)

    def _step(self, upper: str, lower: str, progress: Progress | None) -> Step:
        """What comes of their games: by the points of the upper one, with half a point added to each side."""
        work, before = self._between(upper, lower), self.made

        def more(played: int) -> None:
            self.made = before + played
            if progress is not None:
                progress(self.made)

        try:
            work.run(more)
        finally:
            self.use.add(work.use)
        scores = work.scores((0, 1))
        above, below = fitted(2, [(0, 1, points) for points in scores])
        _, low, high = share_interval(scores)
        return Step(above - below, _elo(low), _elo(high))


def _elo(share: float) -> float:
    """What makes so many of the points, in points of Elo."""
    return -inf if share <= 0 else inf if share >= 1 else 400 * log10(share / (1 - share))


def _json(step: Step) -> dict[str, Any]:
    ends = [None if abs(end) == inf else round(end) for end in (step.low, step.high)]
    return {"elo": round(step.elo), "elo_95": ends}
