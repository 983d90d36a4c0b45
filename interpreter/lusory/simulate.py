"""Many games among bots, counted as they end: memory does not grow with their number. Used by the simulate command.

The same game, seats, seed and number of games give the same tally on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from .choices import RulesetFault
from .game import Game
from .match import Match
from .outcome import Outcome
from .players.player import Player
from .random_stream import seed as derived_seed

JSON_VERSION = 1
DECISION_LIMIT = 100_000  # a game that asks more often is given up as endless
REASON_LIMIT = 50  # reasons may contain numbers, so that there are as many as games
OTHER_REASONS = "(other reasons)"

Seats = Callable[[int], Sequence[Player]]  # the seed of a game -> its players


@dataclass(frozen=True)
class Trouble:
    """The first game in which something went wrong, so that it can be looked at."""

    what: str
    seed: int
    decision: int


@dataclass
class Tally:
    """What is known after some games. ``wins``: alone; ``shared``: together with others. ``totals``: of the columns
    of the final table, for each seat. ``broken``: invariants, with the number of games they broke in."""

    players: int
    played: int = 0
    finished: int = 0
    decisions: int = 0
    shortest: int | None = None
    longest: int | None = None
    wins: list[int] = field(default_factory=list)
    shared: list[int] = field(default_factory=list)
    payoffs: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    totals: dict[str, list[int]] = field(default_factory=dict)
    broken: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    endless: int = 0
    troubles: dict[str, Trouble] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for counts in (self.wins, self.shared, self.payoffs):
            counts.extend([0] * self.players)

    @property
    def is_sound(self) -> bool:
        return not (self.broken or self.faults or self.endless)

    @property
    def mean_length(self) -> float:
        """Decisions in a game, on average over the finished ones."""
        return self.decisions / self.finished if self.finished else 0.0

    def count(self, outcome: Outcome, length: int) -> None:
        """Add a finished game."""
        self.finished += 1
        self.decisions += length
        self.shortest = length if self.shortest is None else min(self.shortest, length)
        self.longest = length if self.longest is None else max(self.longest, length)
        won = self.wins if len(outcome.winners) == 1 else self.shared
        for seat in outcome.winners:
            won[seat] += 1
        for seat, payoff in enumerate(outcome.payoffs):
            self.payoffs[seat] += payoff
        reason = outcome.reason or "played to the end"
        known = reason in self.reasons or len(self.reasons) < REASON_LIMIT
        self.reasons[reason if known else OTHER_REASONS] += 1
        for title, values in outcome.shown:
            sums = self.totals.setdefault(title, [0] * self.players)
            for seat, value in enumerate(values):
                sums[seat] += value

    def trouble(self, what: str, seed: int, decision: int) -> None:
        self.troubles.setdefault(what, Trouble(what, seed, decision))


class Simulation:
    """``games`` games; ``tally`` grows while :meth:`run` is at work and can be read whenever it is interrupted."""

    def __init__(self, game: Game, seats: Seats, games: int, seed: int = 0, check: bool = False) -> None:
        self.game = game
        self.seats = seats
        self.games = games
        self.seed = seed
        self.check = check
        self.tally = Tally(game.players)

    def run(self, progress: Callable[[int], None] | None = None) -> Tally:
        """Play them all. ``progress`` hears how many are done after each."""
        for number in range(self.games):
            self._play(derived_seed(self.seed, f"game {number}"))
            self.tally.played += 1
            if progress is not None:
                progress(self.tally.played)
        return self.tally

    def _play(self, seed: int) -> None:
        tally = self.tally
        length = 0
        try:
            match = Match(self.game, self.seats(seed), seed, recorded=False)
            broken = self._broken(match)
            while match.decision is not None and length < DECISION_LIMIT:
                match.step()
                length += 1
                for invariant in self._broken(match) - broken:
                    broken.add(invariant)
                    tally.trouble(invariant, seed, length)
        except RulesetFault as fault:
            what = f"{fault.span}: {fault.message}" if fault.span is not None else fault.message
            tally.faults[what] += 1
            tally.trouble(what, seed, length)
            return
        tally.broken.update(broken)
        outcome = match.outcome
        if outcome is None:
            tally.endless += 1
            tally.trouble("endless", seed, length)
        else:
            tally.count(outcome, length)

    def _broken(self, match: Match) -> set[str]:
        return {i.id for i in self.game.broken_invariants(match.state)} if self.check else set()

    def to_json(self, kinds: Sequence[str]) -> dict[str, Any]:
        """A JSON value; ``kinds`` says who sat where."""
        tally, program = self.tally, self.game.program
        seats = [
            {
                "seat": f"P{seat + 1}",
                "kind": kind,
                "wins": tally.wins[seat],
                "shared_wins": tally.shared[seat],
                "win_rate": _share(tally.wins[seat], tally.finished),
                "win_rate_95": interval(tally.wins[seat], tally.finished),
                "mean_payoff": _share(tally.payoffs[seat], tally.finished),
                "means": {title: _share(sums[seat], tally.finished) for title, sums in tally.totals.items()},
            }
            for seat, kind in enumerate(kinds)
        ]
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "players": self.game.players,
            "options": option_words(self.game),
            "seed": self.seed,
            "games": self.games,
            "games_played": tally.played,
            "games_finished": tally.finished,
            "decisions": tally.decisions,
            "length": {"mean": _rounded(tally.mean_length), "shortest": tally.shortest, "longest": tally.longest},
            "seats": seats,
            "ends": dict(tally.reasons.most_common()),
            "checked": self.check,
            "invariants_broken": dict(tally.broken),
            "faults": dict(tally.faults),
            "endless": tally.endless,
            "examples": [vars(t) for t in tally.troubles.values()],
        }


def option_words(game: Game) -> dict[str, bool | int | str]:
    """The options of a game with their values as authors write them."""
    words: dict[str, bool | int | str] = {}
    for option in game.program.options:
        value = game.option_values[option.name]
        words[option.name] = option.values[value] if option.values else value
    return words


def interval(hits: int, trials: int) -> tuple[float, float]:
    """Where a rate lies with 95 % confidence (Wilson's score interval)."""
    if not trials:
        return 0.0, 1.0
    z = 1.96
    rate, spread = hits / trials, z * z / trials
    middle = (rate + spread / 2) / (1 + spread)
    half = z * sqrt(rate * (1 - rate) / trials + spread / (4 * trials)) / (1 + spread)
    return _rounded(max(0.0, middle - half)), _rounded(min(1.0, middle + half))


def _share(part: float, whole: int) -> float:
    return _rounded(part / whole) if whole else 0.0


def _rounded(value: float) -> float:
    return round(value, 4)
