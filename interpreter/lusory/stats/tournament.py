"""Tournaments, Elo, bot-level calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import log, log10
from typing import Any

from lusory_dsl.core import Advice, Program
from lusory_dsl.source.source import one_line

from ..game import Game
from ..native import Beside, Use, core_for
from ..play.match import Match
from ..play.registry import bot
from ..search.evaluation import replace_advice
from ..search.search import SearchBackend
from ..state.cost import Limits
from ..state.random_streams import draw, mix, seed as derived_seed
from ..support.cache import Cache
from ..support.process_pool import in_order
from .aggregates import PLAYED_OUT, Z_95, score_interval
from .simulate import DECISION_LIMIT, option_words

ADDED = 0.5
ITERATIONS = 10_000
CLOSE = 1e-10
SAMPLES = 400
"""Of the bootstrap."""

INTERVAL = 0.025, 0.975
"""An interval holds so many standard errors to each side: 95 %, where the number of sets was settled before."""

LOOKING = 2.7
"""And so many where sets are looked at again and again until it is clear who is stronger: 95 % with some twenty looks
(Pocock, "Group Sequential Methods in the Design and Analysis of Clinical Trials", 1977)."""

Meeting = tuple[int, int, float]
"""Two players, by number, and the points of the first, from 0 to 1, in games that began alike."""


@dataclass(frozen=True)
class Strength:
    """In points of Elo, the mean of all players being 0; with 95 % it lies from ``low`` to ``high``. Who won everything
    may be stronger still: their upper end is that of half a point lost."""

    elo: float
    low: float
    high: float


def strengths(players: int, scores: Sequence[Sequence[Meeting]], seed: int = 0, errors: float = Z_95) -> list[Strength]:
    """Of each player, from scores that came from the same seed each: seeds are what is drawn anew in the bootstrap.
    ``errors``: how many standard errors an interval holds to each side."""
    found = fitted(players, [points for one in scores for points in one])
    drawn: list[list[float]] = [[] for _ in range(players)]
    pairs = sorted({(one, other) for among in scores for one, other, _ in among})
    seeds = [*scores, *([(*pair, points)] for pair in pairs for points in (1.0, 0.0))]
    cell = mix(seed + 1)
    for _ in range(SAMPLES if len(scores) > 1 else 0):
        sample: list[Meeting] = []
        for _ in seeds:
            cell, at = draw(cell, len(seeds))
            sample += seeds[at]
        for number, elo in enumerate(fitted(players, sample)):
            drawn[number].append(elo)
    return [Strength(elo, *_ends(sorted(values), elo, errors / Z_95)) for elo, values in zip(found, drawn, strict=True)]


def _ends(values: list[float], elo: float, wider: float) -> tuple[float, float]:
    """Where 95 % of some sorted values lie, so many times as far from ``elo``; nothing is known from none."""
    if not values:
        return float("-inf"), float("inf")
    last = len(values) - 1
    low, high = (values[round(part * last)] for part in INTERVAL)
    return elo + min(low - elo, 0.0) * wider, elo + max(high - elo, 0.0) * wider


def fitted(players: int, scores: Sequence[Meeting]) -> list[float]:
    """The likeliest strengths, in points of Elo, their mean being 0."""
    points = [[0.0] * players for _ in range(players)]
    games = [[0.0] * players for _ in range(players)]
    for one, other, share in scores:
        points[one][other] += share
        points[other][one] += 1 - share
        for a, b in ((one, other), (other, one)):
            if not games[a][b]:
                points[a][b] += ADDED
                games[a][b] += 2 * ADDED
            games[a][b] += 1
    worth = [1.0] * players
    for _ in range(ITERATIONS):
        before = worth
        worth = [_next(number, before, points[number], games[number]) for number in range(players)]
        mean = sum(log(one) for one in worth) / players
        worth = [one / 2.718281828459045**mean for one in worth]
        if all(abs(one / old - 1) < CLOSE for one, old in zip(worth, before, strict=True)):
            break
    return [400 * log10(one) for one in worth]


def _next(number: int, worth: Sequence[float], points: Sequence[float], games: Sequence[float]) -> float:
    weight = sum(n / (worth[number] + other) for n, other in zip(games, worth, strict=True) if n)
    return sum(points) / weight if weight else worth[number]


def stronger(scores: Sequence[float], errors: float = Z_95) -> int:
    """Which of two players is the stronger one by the scores of the first: 1 the first, -1 the second, 0 not known, as
    the interval of what they made holds both. ``errors``: as :func:`share_interval` has them."""
    _, low, high = share_interval(scores, errors)
    return (low > 0.5) - (high < 0.5)


def share_interval(scores: Sequence[float], errors: float = Z_95) -> tuple[float, float, float]:
    """The mean of some scores, and where it lies within so many standard ``errors``: that of Wilson for games won or
    lost, with as many of them as tell as much as these scores, which scatter less where sets hold several games, or
    draws (the effective sample size of Kish 1965, in Wilson's interval as Korn and Graubard 1998 have it)."""
    if not scores:
        return 0.0, 0.0, 1.0
    mean = sum(scores) / len(scores)
    return mean, *score_interval(mean, len(scores) / _scatter(scores), errors)


def _scatter(scores: Sequence[float]) -> float:
    """The variance of some scores from 0 to 1 beside that of games won or lost with the same mean: above 0, and 1 at
    most. A game won and one lost are added, so that the scatter is never none."""
    n = len(scores) + 2
    mean, squares = (sum(scores) + 1) / n, (sum(points * points for points in scores) + 1) / n
    return float((squares - mean * mean) / (mean - mean * mean))


JSON_VERSION = 1
ROUND = 4
"""Seeds that are played before it is looked at what is decided."""

MOST_TOLD = 80
"""Letters of what another tournament has."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Played:
    """A game: the player on each seat, by number, the places that they came to (of one player alone: the rank), how
    many decisions there were, and how it ended; None where the rules name no reason."""

    seats: tuple[int, ...]
    places: tuple[int, ...]
    decisions: int
    reason: str | None

    def points(self, one: int, other: int) -> float | None:
        """The points of one player against another: of each two of their seats the one of the better place has 1, a
        tie gives half. None: they did not meet."""
        pairs = [
            (here > there) + (here == there) / 2
            for here, a in zip(self.places, self.seats, strict=True)
            for there, b in zip(self.places, self.seats, strict=True)
            if (a, b) == (other, one)
        ]
        return sum(pairs) / len(pairs) if pairs else None


@dataclass(frozen=True)
class Set:
    """The games of two players from one seed. ``points``: of the first, from 0 to 1."""

    pair: tuple[int, int]
    number: int
    games: tuple[Played, ...]
    points: float

    def to_json(self) -> dict[str, Any]:
        """A JSON value, of which :meth:`from_json` makes an equal set."""
        games = [[list(g.seats), list(g.places), g.decisions, g.reason] for g in self.games]
        return {"pair": list(self.pair), "number": self.number, "points": self.points, "games": games}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Set:
        """Raises KeyError, TypeError or ValueError for anything else."""
        games = tuple(Played(tuple(map(int, s)), tuple(map(int, p)), int(n), r) for s, p, n, r in data["games"])
        one, other = map(int, data["pair"])
        return cls((one, other), int(data["number"]), games, float(data["points"]))


class NotTheSame(Exception):
    """What was kept is of another tournament; the words say in what it differs."""


@dataclass
class Tournament:
    """``kinds``: who plays. ``games``: at most so many of each pair. ``full``: also of those that are decided.
    ``advices``: what some of them go by in place of what the ruleset says to bots, by number. ``sets`` grows while
    :meth:`run` is at work, in a fixed order. ``native``: native code makes the searches from the first one on (True),
    as soon as that pays (None), or never (False); ``use``: what came of it."""

    game: Game
    kinds: tuple[str, ...]
    games: int
    seed: int = 0
    jobs: int = 1
    full: bool = False
    store: Cache | None = None
    advices: Mapping[int, Advice] = field(default_factory=dict)
    native: bool | None = None
    sets: list[Set] = field(default_factory=list)
    use: Use = field(default_factory=Use)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two players."""
        return list(combinations(range(len(self.kinds)), 2))

    @cached_property
    def seatings(self) -> list[tuple[int, ...]]:
        """Who sits where in the games of a set, 0 for the first of a pair and 1 for the second."""
        players = self.game.players
        if players == 1:
            return [(0,), (1,)]
        seatings = [tuple((seat + turn) % 2 for seat in range(players)) for turn in (0, 1)]
        if players % 2:
            seatings = [
                tuple(int((seat == alone) != bool(turn)) for seat in range(players))
                for turn in (0, 1)
                for alone in range(players)
            ]
        return seatings

    @property
    def most(self) -> int:
        """Sets of each pair, at most."""
        return max(-(-self.games // len(self.seatings)), 1)

    @property
    def total(self) -> int:
        """Games, at most."""
        return self.most * len(self.seatings) * len(self.pairs)

    @property
    def played(self) -> int:
        """Games so far, and those that need not be played any more."""
        open_ = sum(self.most - len(self.scores(pair)) for pair in self.open_pairs)
        return self.total - open_ * len(self.seatings)

    def scores(self, pair: tuple[int, int]) -> list[float]:
        """Of the sets of a pair, for the first."""
        return [one.points for one in self.sets if one.pair == pair]

    @property
    def errors(self) -> float:
        """How many standard errors intervals hold to each side: more where it was looked at who is stronger after
        each few sets, for then chance has many a chance."""
        return Z_95 if self.full else LOOKING

    def share(self, pair: tuple[int, int]) -> tuple[float, float, float]:
        """What the first of a pair makes, from 0 to 1, and where that lies with 95 %."""
        return share_interval(self.scores(pair), self.errors)

    def stronger(self, pair: tuple[int, int]) -> int:
        """Which of a pair is the stronger one: 1 the first, -1 the second, 0 not clear."""
        return stronger(self.scores(pair), self.errors)

    @property
    def open_pairs(self) -> list[tuple[int, int]]:
        """Those that go on."""
        found = []
        for pair in self.pairs:
            scores = self.scores(pair)
            if len(scores) < self.most and (self.full or not self.stronger(pair)):
                found.append(pair)
        return found

    def run(self, progress: Progress | None = None, keep: Callable[[], None] = lambda: None) -> None:
        """Play until all is decided, or has been played. ``keep`` is called whenever there is more to keep."""
        recipe = _Recipe.of(self)
        cores = [one for one in set(recipe.cores.values()) if isinstance(one, Beside)]
        if self.jobs > 1:
            for one in cores:
                one.begin()  # and from then on kept, for all processes
        try:
            self._run(recipe, progress, keep)
        finally:
            for one in cores:
                one.stop()
                self.use.refused = self.use.refused or one.use.refused

    def _run(self, recipe: _Recipe, progress: Progress | None, keep: Callable[[], None]) -> None:
        while pairs := self.open_pairs:
            done = {(one.pair, one.number) for one in self.sets}
            first = min(len(self.scores(pair)) for pair in pairs) // ROUND * ROUND
            numbers = range(first, min(first + ROUND, self.most))
            tasks = [(pair, number) for number in numbers for pair in pairs if (pair, number) not in done]
            try:
                with closing(in_order(recipe.set, tasks, self.jobs)) as found:
                    for one, use in found:
                        self.sets.append(one)
                        self.use.add(use)
                        if progress is not None:
                            progress(self.played)
            finally:
                keep()

    # ------------------------------------------------------------ what came of it

    def strengths(self) -> list[Strength]:
        """Of each player."""
        by_seed: dict[int, list[Meeting]] = {}
        for one in self.sets:
            by_seed.setdefault(one.number, []).append((*one.pair, one.points))
        return strengths(len(self.kinds), list(by_seed.values()), self.seed, self.errors)

    @property
    def ends(self) -> Counter[str]:
        """How games ended."""
        return Counter(game.reason or PLAYED_OUT for one in self.sets for game in one.games)

    @property
    def first_seat(self) -> tuple[float, float, float]:
        """What the first seat makes against the others on average, from 0 to 1, and where that lies with 95 %."""
        found = []
        for game in (game for one in self.sets for game in one.games):
            own, *others = game.places
            if others:
                found.append(sum((own < other) + (own == other) / 2 for other in others) / len(others))
        return share_interval(found)

    def to_json(self) -> dict[str, Any]:
        """A JSON value. :meth:`take_up` goes on from it."""
        players = []
        for number, (kind, found) in enumerate(zip(self.kinds, self.strengths(), strict=True)):
            mine = [s.points if s.pair[0] == number else 1 - s.points for s in self.sets if number in s.pair]
            share, low, high = share_interval(mine, self.errors)
            elo = {"elo": _whole(found.elo), "elo_95": [_whole(found.low), _whole(found.high)]}
            players.append(
                {"kind": kind, **elo, "sets": len(mine), "share": _r(share), "share_95": [_r(low), _r(high)]}
            )
        pairs = []
        for pair in self.pairs:
            share, low, high = self.share(pair)
            names, first = [self.kinds[number] for number in pair], self.stronger(pair)
            found_ = {"share": _r(share), "share_95": [_r(low), _r(high)]}
            clear = names[first < 0] if first else None
            pairs.append({"players": names, "sets": len(self.scores(pair)), **found_, "stronger": clear})
        share, low, high = self.first_seat
        return {
            **self.identity,
            "games": sum(len(one.games) for one in self.sets),
            "players": players,
            "pairs": pairs,
            "first_seat": {"share": _r(share), "share_95": [_r(low), _r(high)]},
            "ends": dict(self.ends.most_common()),
            "played": [one.to_json() for one in self.sets],
        }

    @property
    def identity(self) -> dict[str, Any]:
        """What two runs of the same tournament have in common."""
        program = self.game.program
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "seats": self.game.players,
            "options": option_words(self.game),
            "seed": self.seed,
            "kinds": list(self.kinds),
        }

    def take_up(self, data: Mapping[str, Any]) -> None:
        """Go on where another run left off. Raises NotTheSame; ValueError where no tournament is kept in ``data``."""
        for key, here in self.identity.items():
            if key not in data:
                raise ValueError(f"it has no `{key}`")
            if data[key] != here:
                there, this = _told(data[key]), _told(here)
                differs = f"`{key}` is {there} there, and {this} here"
                raise NotTheSame(differs if there != this else f"the rules of {this} have changed since")
        try:
            self.sets = [Set.from_json(one) for one in data["played"]]
        except (KeyError, TypeError, ValueError):
            raise NotTheSame("what it says was played can't be read") from None


def _told(value: Any) -> str:
    """What two tournaments may differ in, in short; of a game its name and version."""
    match value:
        case {"id": name, "version": version}:
            parts = [f"{name} {version}"]
        case Mapping():
            parts = [f"{name}={one}" for name, one in value.items()]
        case list():
            parts = [str(one) for one in value]
        case _:
            parts = [str(value)]
    return one_line(", ".join(parts)[:MOST_TOLD]) or "nothing"


def _r(value: float) -> float:
    return round(value, 4)


def _whole(value: float) -> int | None:
    """A number of Elo; None for what is not known."""
    return round(value) if abs(value) < 1e9 else None


@dataclass(frozen=True)
class _Recipe:
    """Who plays sets, in a form that another process can be given."""

    program: Program
    kinds: tuple[str, ...]
    players: int
    options: Mapping[str, Any]
    engine: str
    store: Cache | None
    seed: int
    limits: Limits
    seatings: Sequence[tuple[int, ...]]
    advices: Mapping[int, Advice]
    native: bool | None

    @classmethod
    def of(cls, work: Tournament) -> _Recipe:
        """That of a tournament."""
        game = work.game
        options, limits = option_words(game), game.setting.limits
        made = cls(
            game.program,
            work.kinds,
            game.players,
            options,
            game.engine,
            work.store,
            work.seed,
            limits,
            work.seatings,
            work.advices,
            work.native,
        )
        made.__dict__["game"] = game  # of this process, and of those that begin as it is
        return made

    @cached_property
    def game(self) -> Game:
        """Of this process."""
        return Game(self.program, self.players, self.options, self.engine, self.store, limits=self.limits)

    @cached_property
    def rules(self) -> Mapping[int, Game]:
        """Of those players who go by something else, the rules that say so."""
        return {number: replace_advice(self.game, advice) for number, advice in self.advices.items()}

    @cached_property
    def cores(self) -> Mapping[int, SearchBackend]:
        """Who makes the simulations of each player's searches, in this process."""
        common = core_for(self.game, self.store, self.native)
        others = {number: core_for(game, self.store, self.native) for number, game in self.rules.items()}
        return {number: others.get(number, common) for number in range(len(self.kinds))}

    def __reduce__(self) -> tuple[Any, ...]:
        return _Recipe, tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def set(self, task: tuple[tuple[int, int], int]) -> tuple[Set, Use]:
        """The games of a pair from the seed with a number, and what native code did of them."""
        use = Use()
        for core in self.cores.values():
            if isinstance(core, Beside):
                core.use = use
        pair, number = task
        seed = derived_seed(derived_seed(self.seed, "games") + number, "game")
        games = tuple(self._played(seed, tuple(pair[side] for side in seating)) for seating in self.seatings)
        return Set(pair, number, games, _score(pair, games)), use

    def _played(self, seed: int, seats: tuple[int, ...]) -> Played:
        players = [
            bot(self.kinds[number], seed, seat, self.cores[number], self.rules.get(number))
            for seat, number in enumerate(seats)
        ]
        match = Match(self.game, players, seed, recorded=False)
        while match.decision is not None and sum(match.made) < DECISION_LIMIT:
            match.step()
        outcome, decisions = match.outcome, sum(match.made)
        if outcome is None:
            return Played(seats, (1,) * len(seats), decisions, "endless")
        places = outcome.places if len(seats) > 1 else outcome.ranks[0]
        return Played(seats, places, decisions, outcome.reason)


def _score(pair: tuple[int, int], games: Sequence[Played]) -> float:
    """The points of the first of a pair, on average; of games for one the better rank wins."""
    if len(games[0].seats) == 1:
        one, other = (game.places for game in games)
        return (one > other) + (one == other) / 2
    scores = [points for game in games if (points := game.points(*pair)) is not None]
    return sum(scores) / len(scores)
