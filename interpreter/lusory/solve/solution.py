"""Solves a game in the way that fits it, and says what came of it. Used by the solve command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from ..game import Game
from ..search.openness import is_open
from .chance import OutOfTime, TooLarge
from .equilibrium import Equilibrium, NotForTwo, Strategy
from .positions import Best, GoesRound, Positions
from .sampling import Sampling
from .tree import MOST, InformationSet, Tree, told_words

JSON_VERSION = 1
POSITIONS, CFR, SAMPLING = "positions", "cfr", "mccfr"
METHODS = {
    POSITIONS: "every position, where nothing is hidden",
    CFR: "an equilibrium, over the whole tree",
    SAMPLING: "an approximate equilibrium, from drawn games",
}
"""Ways to solve, in words."""

WITHIN = 0.001
PASSES = 20_000
SAMPLES = 200_000
LOOK = 1.25  # so many times as many passes lie between two looks at how near it is


class NotSolved(Exception):
    """A game that can't be solved here; the words say why."""


@dataclass
class Solving:
    """``method``: one of METHODS; None: what fits. ``within``: how near to an equilibrium is near enough; ``passes``,
    ``seconds``: at most. All else grows while :meth:`run` is at work, and can be read whenever it is interrupted.
    ``exploitability``: None where it is not known."""

    game: Game
    method: str | None = None
    within: float = WITHIN
    passes: int | None = None
    seconds: float | None = None
    most: int = MOST
    seed: int = 0
    made: int = 0
    exploitability: float | None = None
    first: list[Best] = field(default_factory=list)
    seat: int | None = None
    values: tuple[float, ...] | None = None
    positions: int = 0

    def __post_init__(self) -> None:
        self.work: Equilibrium | Sampling | None = None

    def run(self, progress: Callable[[int], None] | None = None) -> None:
        """Solve it. Raises NotSolved."""
        until = None if self.seconds is None else monotonic() + self.seconds
        method = self.method or (POSITIONS if is_open(self.game) else CFR)
        try:
            if method == POSITIONS:
                self._positions(until)
                return
            if self.game.players != 2:
                raise NotForTwo(f"it is for {self.game.players}")
            if method == CFR:
                try:
                    self.work = Equilibrium(Tree(self.game, self.most, until))
                except TooLarge:
                    if self.method:
                        raise
                    method = SAMPLING
            if method == SAMPLING:
                self.work = Sampling(self.game, self.most, self.seed, until)
            self.method = method
            self._improve(until, progress or (lambda made: None))
        except TooLarge as large:
            raise NotSolved(f"it is too large: {large}") from None
        except (NotForTwo, GoesRound) as why:
            raise NotSolved(str(why)) from None

    def _positions(self, until: float | None) -> None:
        if not is_open(self.game):
            raise NotSolved("something is hidden in it")
        self.method = POSITIONS
        found = Positions(self.game, self.most, until)
        self.first, self.seat, self.values = found.first, found.seat, found.values
        self.positions, self.exploitability = len(found.known), 0.0

    def _improve(self, until: float | None, progress: Callable[[int], None]) -> None:
        work = self.work
        assert work is not None
        passes = self.passes or (PASSES if isinstance(work, Equilibrium) else SAMPLES)
        look = 8
        while work.made < passes:
            try:
                work.improve()
            except OutOfTime:
                if not work.made:
                    raise
                return
            self.made = work.made
            progress(work.made)
            is_over = until is not None and monotonic() >= until
            if isinstance(work, Equilibrium) and (work.made >= look or is_over or work.made == passes):
                look = int(look * LOOK) + 1
                self.exploitability = work.exploitability()
                if self.exploitability <= self.within:
                    return
            if is_over:
                return

    # ------------------------------------------------------------ what came of it

    @property
    def sets(self) -> list[InformationSet]:
        """The information sets."""
        if isinstance(self.work, Equilibrium):
            return self.work.tree.sets
        return self.work.sets if self.work is not None else []

    def strategy(self) -> Strategy:
        """How likely each option of each information set is taken."""
        return [] if self.work is None else self.work.strategy()

    def value(self) -> tuple[float, ...] | None:
        """What each seat gets; None: nothing is known yet."""
        if self.work is None or not self.work.made:
            return self.values
        first = self.work.value()
        return first, 2 * (self.work.middle or 0.0) - first

    def rows(self) -> list[tuple[float, int, str, dict[str, float]]]:
        """Each information set: how likely its seat's own decisions lead there, the seat, what it was told, and how
        likely each option is. The likely ones first, in the order of the game."""
        strategy, found, own = self.strategy(), [], list[float]()
        for one, likely in zip(self.sets, strategy, strict=True):
            own.append(1.0 if one.before is None else own[one.before[0]] * strategy[one.before[0]][one.before[1]])
            words = told_words(self.game, one.seat, one.told)
            found.append((own[-1], one.seat, words, dict(zip(one.options, likely, strict=True))))
        return found

    def to_json(self) -> dict[str, Any]:
        """A JSON value."""
        program, value = self.game.program, self.value()
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "players": self.game.players,
            "method": self.method,
            "passes": self.made,
            "value": None if value is None else [round(one, 6) for one in value],
            "exploitability": None if self.exploitability is None else round(self.exploitability, 6),
            "positions": self.work.tree.positions if isinstance(self.work, Equilibrium) else self.positions,
            "information_sets": len(self.sets),
            "first": [{"option": one.option, "value": list(one.values)} for one in self.first],
            "strategy": [
                {"seat": f"P{seat + 1}", "told": words, "options": {k: round(v, 6) for k, v in options.items()}}
                for _, seat, words, options in self.rows()
            ],
        }
