"""Play tournaments of bots, and estimate their strength in Elo.

Each pair of players plays sets. A set holds the games of one seed with all seatings, so that luck and seats cancel out.
By default a pair stops as soon as it is clear which player is stronger.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import isfinite, log, log10
from typing import Any

from ..game import Game
from ..native import NativeUsage, SwitchingBackend, get_native_code, make_backend
from ..play.bot_kinds_python_players_and_recordings import create_bot
from ..play.match import Match
from ..search.option_evaluation import SearchBackend
from ..state.random_streams import draw, mix_bits, seed_stream as derived_seed
from ..support.cache import Cache
from ..support.process_pool import map_in_order
from .figures_estimates_and_significance_tests import Estimate
from .mergeable_counters import PLAYED_OUT, Z_95, calculate_score_interval
from .parallel_simulation import DECISION_LIMIT

PRIOR_GAMES = 0.5
ITERATIONS = 10_000
CONVERGENCE = 1e-10
BOOTSTRAP_SAMPLES = 400
"""Number of bootstrap samples."""

INTERVAL = 0.025, 0.975
"""Quantiles of a 95 % interval of bootstrap samples."""

SEQUENTIAL_ERRORS = 2.7
"""Standard errors of an interval if it is tested repeatedly until it is clear who is stronger.

This gives 95 % with about twenty tests. Source: Pocock, "Group Sequential Methods in the Design and Analysis of
Clinical Trials" (1977).
"""

Meeting = tuple[int, int, float]
"""Two players by number, and the result of the first, from 0 to 1, over games from the same seed."""


@dataclass(frozen=True)
class Strength:
    """Elo with its 95 % interval, relative to the mean of all players.

    The interval is infinite if fewer than two seeds were played.
    """

    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class BotStrength:
    """Strength of a player in a tournament: its Elo, relative to the mean of all, and its share of the points.

    The 95 % interval of the Elo has no ends, None, if fewer than two seeds were played. The share counts sets.
    """

    kind: str
    elo: float
    low: float | None
    high: float | None
    share: Estimate

    @property
    def rating(self) -> Estimate:
        """The Elo as an Estimate: ``value`` with its ends ``low`` and ``high``; ``n`` is the number of sets."""
        return Estimate(self.elo, self.low, self.high, self.share.n)


def rate_players(
    player_count: int, scores: Sequence[Sequence[Meeting]], seed: int = 0, errors: float = Z_95
) -> list[Strength]:
    """Return the strength of each player, in their order: ``elo`` with an interval from ``low`` to ``high``.

    Elo is that of :func:`fit_elo`: its mean is 0, and a player without meetings has 0. ``scores`` holds a list of
    meetings for each seed. The bootstrap resamples these lists. For each pair ``(first, second)`` in meetings, a list
    with a win and one with a loss are added to them, since the intervals would be too narrow otherwise. The interval
    holds the middle 95 % of the resampled Elo values, and always ``elo`` itself. Then the distance of each end from
    ``elo`` is multiplied by ``errors / Z_95``. With fewer than two seeds, the intervals are infinite. The same ``seed``
    gives the same intervals.
    """
    ratings = fit_elo(player_count, [meeting for meetings in scores for meeting in meetings])
    elo_samples: list[list[float]] = [[] for _ in range(player_count)]
    pairs = sorted({(first, second) for meetings in scores for first, second, _ in meetings})
    # Each pair that met adds a win and a loss, because the intervals would be too narrow otherwise.
    seeds = [*scores, *([(*pair, points)] for pair in pairs for points in (1.0, 0.0))]
    cell = mix_bits(seed + 1)
    for _ in range(BOOTSTRAP_SAMPLES if len(scores) > 1 else 0):
        sample: list[Meeting] = []
        for _ in seeds:
            cell, index = draw(cell, len(seeds))
            sample += seeds[index]
        for number, elo in enumerate(fit_elo(player_count, sample)):
            elo_samples[number].append(elo)
    strengths = []
    for elo, values in zip(ratings, elo_samples, strict=True):
        low, high = float("-inf"), float("inf")
        if values:
            values.sort()
            low, high = (values[round(fraction * (len(values) - 1))] for fraction in INTERVAL)
        factor = errors / Z_95
        strengths.append(Strength(elo, elo + min(low - elo, 0.0) * factor, elo + max(high - elo, 0.0) * factor))
    return strengths


def fit_elo(player_count: int, scores: Sequence[Meeting]) -> list[float]:
    """Return the maximum-likelihood Elo of each player (Bradley–Terry model), with mean 0.

    A meeting is two players and the share of points of the first, 0 to 1. For each pair that met, each of the two is
    given ``PRIOR_GAMES`` more wins, so that all values are finite. Example: one win of player 0 over player 1 gives
    about 95 and -95. A player who met nobody has 0, the mean of the others. Players of two groups that never met each
    other are not comparable.
    """
    points = [[0.0] * player_count for _ in range(player_count)]
    games = [[0.0] * player_count for _ in range(player_count)]
    for first, second, share in scores:
        points[first][second] += share
        points[second][first] += 1 - share
        for player, opponent in ((first, second), (second, first)):
            if not games[player][opponent]:
                points[player][opponent] += PRIOR_GAMES
                games[player][opponent] += 2 * PRIOR_GAMES
            games[player][opponent] += 1
    strengths = [1.0] * player_count
    rated_players = [number for number in range(player_count) if any(games[number])]
    for _ in range(ITERATIONS if rated_players else 0):
        previous = strengths
        strengths = list(previous)
        for number in rated_players:
            pairs = zip(games[number], previous, strict=True)
            strengths[number] = sum(points[number]) / sum(n / (previous[number] + opponent) for n, opponent in pairs)
        mean = sum(log(strengths[number]) for number in rated_players) / len(rated_players)
        for number in rated_players:
            strengths[number] /= 2.718281828459045**mean
        if all(abs(strength / old - 1) < CONVERGENCE for strength, old in zip(strengths, previous, strict=True)):
            break
    return [400 * log10(strength) for strength in strengths]


def find_stronger_player(scores: Sequence[float], errors: float = Z_95) -> int:
    """Return which of two players is stronger, given the scores of the first: 1, -1, or 0 if it is not clear.

    It is clear if the interval of their mean, ``errors`` standard errors to each side, does not contain 0.5. Scores are
    from 0 to 1; without any, the result is 0.
    """
    _, low, high = calculate_share_interval(scores, errors)
    return (low > 0.5) - (high < 0.5)


def calculate_share_interval(scores: Sequence[float], errors: float = Z_95) -> tuple[float, float, float]:
    """Return the mean of scores from 0 to 1, and the low and high end of its interval.

    The interval has ``errors`` standard errors to each side. Without scores, the result is ``(0.0, 0.0, 1.0)``. This is
    Wilson's interval with an effective sample size (Kish 1965), as in Korn and Graubard (1998). The effective size is
    the number of scores divided by a ratio: their variance to that of wins and losses with the same mean. For this
    ratio alone, a win and a loss are added to the scores. So wins and losses count once each, and ten draws count as
    60: they give about (0.5, 0.377, 0.623).
    """
    if not scores:
        return 0.0, 0.0, 1.0
    # the variance with a win and a loss added is never 0; relative to that of wins and losses it is at most 1
    n = len(scores) + 2
    smoothed_mean, squares = (sum(scores) + 1) / n, (sum(points * points for points in scores) + 1) / n
    relative_variance = (squares - smoothed_mean * smoothed_mean) / (smoothed_mean - smoothed_mean * smoothed_mean)
    mean = sum(scores) / len(scores)
    return mean, *calculate_score_interval(mean, len(scores) / relative_variance, errors)


JSON_VERSION = 1
SETS_PER_ROUND = 4
"""Number of seeds that are played between two tests of who is stronger."""

MAX_VALUE_LENGTH = 80
"""Maximum number of characters in a message about a differing tournament."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class PlayedGame:
    """Result of a game: the player on each seat, the places, the number of decisions, and the reason or None.

    In a solitaire game, ``places`` holds the rank, and nothing if the game was endless: that is below any rank.
    """

    seats: tuple[int, ...]
    places: tuple[int, ...]
    decisions: int
    reason: str | None

    def score_against(self, player: int, opponent: int) -> float | None:
        """Return the score of one player against another, or None if they did not meet.

        It is the mean over all pairs of their seats: the better, lower place scores 1, an equal place ½.
        """
        pairs = [
            (place > other_place) + (place == other_place) / 2
            for place, seat in zip(self.places, self.seats, strict=True)
            for other_place, other_seat in zip(self.places, self.seats, strict=True)
            if (seat, other_seat) == (opponent, player)
        ]
        return sum(pairs) / len(pairs) if pairs else None


@dataclass(frozen=True)
class PairSet:
    """Games of two players from one seed. ``points`` is the score of the first, from 0 to 1."""

    pair: tuple[int, int]
    number: int
    games: tuple[PlayedGame, ...]
    points: float

    def to_json(self) -> dict[str, Any]:
        """Return a JSON value, from which :meth:`from_json` makes an equal set.

        The keys are ``pair``, ``number``, ``points`` and ``games``, each game as seats, places, decisions and reason.
        """
        games = [[list(game.seats), list(game.places), game.decisions, game.reason] for game in self.games]
        return {"pair": list(self.pair), "number": self.number, "points": self.points, "games": games}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PairSet:
        """Build a set from the value of :meth:`to_json`.

        Example: ``{"pair": [0, 1], "number": 0, "points": 1.0, "games": [[[0, 1], [1, 2], 9, "won"]]}``, where 9 is the
        number of decisions. Numbers are converted, so a ``number`` of ``"3"`` or 3.7 counts as 3, but the reason of a
        game is not checked. Raises KeyError, TypeError, ValueError or OverflowError for invalid data.
        """
        games = tuple(
            PlayedGame(tuple(map(int, seats)), tuple(map(int, places)), int(decisions), reason)
            for seats, places, decisions, reason in data["games"]
        )
        first, second = map(int, data["pair"])
        return cls((first, second), int(data["number"]), games, float(data["points"]))


class TournamentMismatch(Exception):
    """Error: the saved data is of another tournament. The message names the difference."""


@dataclass
class Tournament:
    """Tournament between the players ``kinds``.

    - ``games``: the maximum number of games of each pair. ``plays_all``: play them all, even if the pair is decided.
    - ``sets``: the results. It grows during :meth:`run`, in a fixed order.
    - ``native``: whether native code runs searches: from the first (True), once it pays (None), or never (False).
    - ``use``: the use of native code.
    """

    game: Game
    kinds: tuple[str, ...]
    games: int
    seed: int = 0
    jobs: int = 1
    plays_all: bool = False
    store: Cache | None = None
    native: bool | None = None
    sets: list[PairSet] = field(default_factory=list)
    use: NativeUsage = field(default_factory=NativeUsage)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of players by number, the lower number first, in ascending order."""
        return list(combinations(range(len(self.kinds)), 2))

    @cached_property
    def seatings(self) -> list[tuple[int, ...]]:
        """The seatings of a set: for each seat, 0 for the first player of a pair, 1 for the second.

        For an even number of seats, the players alternate, and then swap: ``(0, 1, 0, 1)`` and ``(1, 0, 1, 0)``. For an
        odd number, the second player is alone against the others once in each seat, and then the first. Three seats
        give ``(1, 0, 0)``, ``(0, 1, 0)``, ``(0, 0, 1)``, ``(0, 1, 1)``, ``(1, 0, 1)``, ``(1, 1, 0)``. A solitaire game
        gives ``(0,)`` and ``(1,)``.
        """
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
    def _max_sets(self) -> int:
        """The maximum number of sets of each pair."""
        return max(-(-self.games // len(self.seatings)), 1)

    @property
    def max_games(self) -> int:
        """The maximum number of games of all pairs together."""
        return self._max_sets * len(self.seatings) * len(self.pairs)

    @property
    def played_games(self) -> int:
        """The number of games that are played or need not be played any more."""
        open_pairs = sum(self._max_sets - len(self.list_scores(pair)) for pair in self.open_pairs)
        return self.max_games - open_pairs * len(self.seatings)

    def list_scores(self, pair: tuple[int, int]) -> list[float]:
        """Return the scores of the first player in the sets of a pair, in the order of play."""
        return [pair_set.points for pair_set in self.sets if pair_set.pair == pair]

    @property
    def errors(self) -> float:
        """The width of intervals in standard errors: Z_95 with ``plays_all``, otherwise SEQUENTIAL_ERRORS, which
        is larger because repeated tests decide when to stop.
        """
        return Z_95 if self.plays_all else SEQUENTIAL_ERRORS

    def estimate_share(self, pair: tuple[int, int]) -> Estimate:
        """Return the mean score of the first player of a pair, and its 95 % interval, over sets."""
        return _estimate_share(self.list_scores(pair), self.errors)

    def find_stronger(self, pair: tuple[int, int]) -> int:
        """Return which player of a pair is stronger: 1 the first, -1 the second, 0 not clear."""
        return find_stronger_player(self.list_scores(pair), self.errors)

    @property
    def open_pairs(self) -> list[tuple[int, int]]:
        """The pairs that need more sets, in the order of :attr:`pairs`, each as two indexes in ``kinds``.

        An open pair has played fewer sets than the maximum, and :func:`find_stronger_player` gives 0 for it. With
        ``plays_all``, it only has to be below the maximum. The maximum is ``games`` divided by the number of
        ``seatings``, rounded up, and at least 1. Only complete rounds of ``SETS_PER_ROUND`` (4) sets decide: 9 sets
        that would decide a pair leave it open if its first 8 don't.
        """
        pairs = []
        for pair in self.pairs:
            scores = self.list_scores(pair)
            # Without this, a run that continues an interrupted one could stop in the middle of a round.
            scores_of_rounds = scores[: len(scores) // SETS_PER_ROUND * SETS_PER_ROUND]
            is_decided = not self.plays_all and find_stronger_player(scores_of_rounds, self.errors) != 0
            if len(scores) < self._max_sets and not is_decided:
                pairs.append(pair)
        return pairs

    def run(self, progress: Progress | None = None, save: Callable[[], None] = lambda: None) -> None:
        """Play until :attr:`open_pairs` is empty. Add the results to ``sets``, and the use of native code to ``use``.

        A set is the games of a pair from one seed. A round plays set 0 of all open pairs, then set 1, up to set 3, and
        the next one 4 to 7, as ``SETS_PER_ROUND`` is 4. No round goes beyond the maximum. A pair that is open when a
        round begins plays all of it; any other pair plays none of it. Sets that ``sets`` already has are not played
        again. ``progress`` receives :attr:`played_games` after each set. ``save`` is called after each round, also
        after one that an exception interrupts. The sets before the exception stay, and it is raised again:
        RulesetFault, PlayerFailed, WorkerDied if a worker process dies, or KeyboardInterrupt.
        """
        code = get_native_code(self._backend)
        if self.jobs > 1 and code is not None:
            code.build_for_others(self.store)
        try:
            self._run(progress, save)
        finally:
            if code is not None:
                code.stop()
                self.use.refused = self.use.refused or code.reason
            del self._backend

    def _run(self, progress: Progress | None, save: Callable[[], None]) -> None:
        while pairs := self.open_pairs:
            played_keys = {(pair_set.pair, pair_set.number) for pair_set in self.sets}
            first_number = min(len(self.list_scores(pair)) for pair in pairs) // SETS_PER_ROUND * SETS_PER_ROUND
            numbers = range(first_number, min(first_number + SETS_PER_ROUND, self._max_sets))
            tasks = [(pair, number) for number in numbers for pair in pairs if (pair, number) not in played_keys]
            try:
                with closing(map_in_order(self._play_set, tasks, self.jobs)) as results:
                    for pair_set, use in results:
                        self.sets.append(pair_set)
                        self.use.add(use)
                        if progress is not None:
                            progress(self.played_games)
            finally:
                save()

    # ------------------------------------------------------------ one set, in any process

    @cached_property
    def _backend(self) -> SearchBackend:
        """The search backend of this process."""
        return make_backend(self.game, self.store, self.native)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}  # other processes make their backends

    def _play_set(self, task: tuple[tuple[int, int], int]) -> tuple[PairSet, NativeUsage]:
        """Play the games of one pair from one seed, in all seatings. Return the set and the use of native code.

        ``task`` is the pair and the number of the set. The seed of its games is derived from the seed of the tournament
        and that number. In a game over the limit of decisions, the reason is ``endless``, and every seat has place 1. A
        solitaire game has its rank values as ``places``, or ``()`` if it is endless. Raises RulesetFault if the rules
        fail, and PlayerFailed if a player fails.
        """
        use = NativeUsage()
        if isinstance(self._backend, SwitchingBackend):
            self._backend.use = use
        pair, number = task
        seed = derived_seed(derived_seed(self.seed, "games") + number, "game")
        games = tuple(self._play_game(seed, tuple(pair[side] for side in seating)) for seating in self.seatings)
        if self.game.players == 1:
            # the better rank wins
            rank, opponent_rank = (game.places for game in games)
            scores = [(rank > opponent_rank) + (rank == opponent_rank) / 2]
        else:
            scores = [points for game in games if (points := game.score_against(*pair)) is not None]
        return PairSet(pair, number, games, sum(scores) / len(scores)), use

    def _play_game(self, seed: int, seats: tuple[int, ...]) -> PlayedGame:
        players = [create_bot(self.kinds[number], seed, seat, self._backend) for seat, number in enumerate(seats)]
        match = Match(self.game, players, seed, keeps_record=False)
        while match.decision is not None and sum(match.decision_counts) < DECISION_LIMIT:
            match.step()
        outcome, decisions = match.outcome, sum(match.decision_counts)
        if outcome is None:
            return PlayedGame(seats, (1,) * len(seats) if len(seats) > 1 else (), decisions, "endless")
        places = outcome.places if len(seats) > 1 else outcome.ranks[0]
        return PlayedGame(seats, places, decisions, outcome.reason)

    # ------------------------------------------------------------ results

    def rate(self) -> list[Strength]:
        """Return each player's strength, in the order of ``kinds``: ``elo`` with an interval from ``low`` to ``high``.

        Elo is relative to the mean of the players. The sets of one seed are resampled together, see
        :func:`rate_players`. With fewer than two seeds, ``low`` is minus infinity and ``high`` is infinity. A player
        without sets has an ``elo`` of 0; from two seeds on, its ``low`` and ``high`` are 0, too.
        """
        by_seed: dict[int, list[Meeting]] = {}
        for pair_set in self.sets:
            by_seed.setdefault(pair_set.number, []).append((*pair_set.pair, pair_set.points))
        return rate_players(len(self.kinds), list(by_seed.values()), self.seed, self.errors)

    def list_strengths(self) -> list[BotStrength]:
        """Return the strength of each player, in the order of ``kinds``: Elo and share of points.

        ``elo`` is a number relative to the mean of the players, and ``low`` and ``high`` are the ends of its interval.
        They are None for all players unless ``sets`` has two different values of ``number``. ``share`` has ends of its
        own. A player without a set has ``elo`` 0.0 and the share ``Estimate(0.0, 0.0, 1.0, 0)``.
        """
        strengths = []
        for number, (kind, rating) in enumerate(zip(self.kinds, self.rate(), strict=True)):
            sets = [pair_set for pair_set in self.sets if number in pair_set.pair]
            points = [pair_set.points if pair_set.pair[0] == number else 1 - pair_set.points for pair_set in sets]
            share = _estimate_share(points, self.errors)
            low, high = (rating.low, rating.high) if isfinite(rating.low) else (None, None)
            strengths.append(BotStrength(kind, rating.elo, low, high, share))
        return strengths

    @property
    def ending_counts(self) -> Counter[str]:
        """The number of games that ended for each reason. Without a reason, it is ``played to the end``."""
        return Counter(game.reason or PLAYED_OUT for pair_set in self.sets for game in pair_set.games)

    @property
    def first_seat_share(self) -> Estimate:
        """The mean score of the first seat against each other seat, and the ends of its 95 % interval.

        Each game counts once, by its mean over the other seats. A better place scores 1, a tie ½, a worse place 0.
        Solitaire games don't count; without other games, the result is ``Estimate(0.0, 0.0, 1.0, 0)``.
        """
        scores = []
        for game in (game for pair_set in self.sets for game in pair_set.games):
            if len(game.seats) > 1:
                place, *other_places = game.places
                points = sum((place < other) + (place == other) / 2 for other in other_places)
                scores.append(points / len(other_places))
        return _estimate_share(scores)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON value, from which :meth:`continue_from` continues.

        It has the keys of :attr:`identity`, ``games`` (the number played), ``players``, ``pairs``, ``first_seat``,
        ``ends`` (like ``{"won": 9, "played to the end": 2}``, see :attr:`ending_counts`, the most frequent first) and
        ``played`` (:meth:`PairSet.to_json` of each set). ``players`` are in the order of ``kinds``. Each has ``kind``,
        ``elo``, ``elo_95``, ``sets``, ``share`` and ``share_95``. An item of ``pairs``, in the order of :attr:`pairs`,
        has ``players`` (two kinds), ``sets``, ``share`` (of the first), ``share_95`` and ``stronger``, the clearly
        stronger kind or None. ``first_seat`` is like ``{"share": 0.5312, "share_95": [0.4871, 0.5753]}``. Elos are
        whole numbers, and shares have at most four decimals. With fewer than two seeds, ``elo_95`` is ``[None, None]``.
        Without sets, ``elo`` is 0, ``share`` 0.0 and ``share_95`` ``[0.0, 1.0]``.
        """
        players = []
        for player in self.list_strengths():
            elo_ends = [None if end is None else round(end) for end in (player.low, player.high)]
            elo = {"elo": round(player.elo), "elo_95": elo_ends}
            players.append({"kind": player.kind, **elo, "sets": player.share.n, **_convert_share(player.share)})
        pairs = []
        for pair in self.pairs:
            names, stronger = [self.kinds[number] for number in pair], self.find_stronger(pair)
            share = _convert_share(self.estimate_share(pair))
            stronger_kind = names[stronger < 0] if stronger else None
            pairs.append({"players": names, "sets": len(self.list_scores(pair)), **share, "stronger": stronger_kind})
        return {
            **self.identity,
            "games": sum(len(pair_set.games) for pair_set in self.sets),
            "players": players,
            "pairs": pairs,
            "first_seat": _convert_share(self.first_seat_share),
            "ends": dict(self.ending_counts.most_common()),
            "played": [pair_set.to_json() for pair_set in self.sets],
        }

    @property
    def identity(self) -> dict[str, Any]:
        """The values that are equal for two runs of the same tournament.

        The keys are ``version``, ``game`` (``id``, ``version``, ``digest``), ``seats``, ``options``, ``seed``,
        ``kinds``.
        """
        program = self.game.program
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "seats": self.game.players,
            "options": self.game.written_options,
            "seed": self.seed,
            "kinds": list(self.kinds),
        }

    def continue_from(self, data: Mapping[str, Any]) -> None:
        """Continue an earlier run: take its sets in place of the present ones.

        Raises ValueError if ``data`` lacks a key of :attr:`identity`. Raises TournamentMismatch if the run had other
        settings or rules, if its games can't be read, or if the sets of a pair are not numbered 0, 1, 2, … in this
        order. ``sets`` then stays as it is.
        """
        for key, value in self.identity.items():
            if key not in data:
                raise ValueError(f"`{key}` is missing")
            if data[key] != value:
                if key == "game":
                    raise TournamentMismatch("it was played by other rules")
                old_text, new_text = (json.dumps(side)[:MAX_VALUE_LENGTH] for side in (data[key], value))
                raise TournamentMismatch(f"its `{key}` is {old_text}, but now it is {new_text}")
        try:
            sets = [PairSet.from_json(row) for row in data["played"]]
            for pair in self.pairs:
                numbers = [pair_set.number for pair_set in sets if pair_set.pair == pair]
                if numbers != list(range(len(numbers))):
                    raise ValueError
            if not all(map(self._can_hold, sets)):
                raise ValueError
            self.sets = sets
        except (KeyError, TypeError, ValueError, OverflowError):
            raise TournamentMismatch("its list of games can't be read") from None

    def _can_hold(self, pair_set: PairSet) -> bool:
        """Return whether a set that was read names players of this tournament, and has possible results."""
        seats = self.game.players
        return (
            pair_set.pair in self.pairs
            and 0 <= pair_set.points <= 1
            and all(len(game.seats) == seats for game in pair_set.games)
            and all(len(game.places) == seats or seats == 1 for game in pair_set.games)
            and all(isinstance(game.reason, str | None) for game in pair_set.games)
        )


def _estimate_share(scores: Sequence[float], errors: float = Z_95) -> Estimate:
    return Estimate(*calculate_share_interval(scores, errors), len(scores))


def _convert_share(estimate: Estimate) -> dict[str, Any]:
    ends = [None if end is None else round(end, 4) for end in (estimate.low, estimate.high)]
    return {"share": round(estimate.value, 4), "share_95": ends}
