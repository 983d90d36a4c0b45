"""What a ruleset tells its bots, and what that is worth: better weights, and matches against it. Used by `bots`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lusory_dsl import core
from lusory_dsl.effect.sums import Summed

from ..cache import Cache
from ..game import Game
from ..native import Use
from .elo import share_interval, stronger
from .fitting import Fitting
from .playing import option_words
from .tournament import Tournament

JSON_VERSION = 1


@dataclass
class Advising:
    """``terms``: of the ruleset's `value`. ``fitting``: where weights are fitted; ``contest``: where bots of the
    ``kind`` met that go by two different values."""

    game: Game
    kind: str
    terms: Summed
    fitting: Fitting | None = None
    contest: Tournament | None = None

    @property
    def advice(self) -> core.Advice:
        """What the ruleset says."""
        return self.game.program.advice

    @property
    def value(self) -> str | None:
        """The fitted value."""
        return self.fitting.fits[-1].value if self.fitting is not None and self.fitting.fits else None

    def meet(self, games: int, seed: int, jobs: int, store: Cache | None, native: bool | None = None) -> Tournament:
        """Who plays: what was fitted against what the ruleset says, or this against saying nothing. ``native``: who
        makes the searches."""
        one = self.advice if self.fitting is None else self.fitting.advice
        other = core.NO_ADVICE if self.fitting is None else self.advice
        advices = {0: one, 1: other}
        self.contest = Tournament(self.game, (self.kind,) * 2, games, seed, jobs, True, store, advices, native)
        return self.contest

    @property
    def use(self) -> Use:
        """What native code did of it."""
        use = Use()
        for part in (self.fitting, self.contest):
            if part is not None:
                use.add(part.use)
        return use

    @property
    def sides(self) -> tuple[str, str]:
        """Who met."""
        if self.fitting is None:
            return "what the ruleset says", "saying nothing"
        return "the fitted weights", "what the ruleset says"

    def points(self) -> tuple[float, float, float, int] | None:
        """Of the first side in the contest, with the ends of the interval, and whether one is stronger."""
        scores = [] if self.contest is None else self.contest.scores((0, 1))
        return (*share_interval(scores), stronger(scores)) if scores else None

    def ranks(self) -> list[tuple[float, float]]:
        """In a game for one: of each side the mean of its first rank in the contest, and half its interval."""
        sets = [] if self.contest is None or self.game.players > 1 else self.contest.sets
        found = []
        for side in (0, 1) if sets else ():
            ranks = [float(one.games[side].places[0]) for one in sets]
            mean = sum(ranks) / len(ranks)
            scatter = sum((rank - mean) ** 2 for rank in ranks) / max(len(ranks) - 1, 1)
            found.append((mean, 1.96 * (scatter / len(ranks)) ** 0.5))
        return found

    def to_json(self) -> dict[str, Any]:
        """All of it, as plain data."""
        program, fit = self.game.program, None
        if self.fitting is not None and self.fitting.fits:
            last = self.fitting.fits[-1]
            fit = {
                "games": last.games,
                "positions": last.positions,
                "value": last.value,
                "factors": dict(zip((text for text, _ in self.terms.terms), last.factors, strict=True)),
                "spread": dict(zip((text for text, _ in self.terms.terms), last.spread, strict=True)),
                "loss": _r(last.weights.loss),
                "loss_before": _r(last.loss_before),
                "loss_unknown": _r(last.loss_unknown),
            }
        contest = None
        if (points := self.points()) is not None and self.contest is not None:
            share, low, high, stronger = points
            contest = {
                "sides": list(self.sides),
                "games": sum(len(one.games) for one in self.contest.sets),
                "share": _r(share),
                "share_95": [_r(low), _r(high)],
                "stronger": None if not stronger else self.sides[stronger < 0],
                "ranks": [[_r(mean), _r(half)] for mean, half in self.ranks()],
            }
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "seats": self.game.players,
            "options": option_words(self.game),
            "kind": self.kind,
            "terms": dict(self.terms.terms),
            "horizon": self.advice.horizon,
            "weights": dict(self.advice.weights),
            "levels": dict(self.advice.levels),
            "fit": fit,
            "contest": contest,
        }


def _r(number: float) -> float:
    return round(number, 4)
