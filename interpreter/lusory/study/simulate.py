"""Many games among bots, counted as they end: memory does not grow with their number. Used by the simulate command.

The same game, seats, seed and number of games give the same tally on every machine, with however many processes.

Games are played in blocks of a fixed size and counted block by block, in order. Where all seats play at random, a game
is one call of the playout build; it is played again step by step only when it must be looked at: for its invariants,
or because of a fault. Where that goes on for a while, native code is built beside it, which plays the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import Any, Literal

from lusory_dsl.core import Program

from ..cache import Cache
from ..compiler import NoNative
from ..game import Game
from ..native import Building, Native, NotBuilt, Use
from ..play.match import Match
from ..play.players import RANDOM, Player, bot
from ..processes import in_order
from ..table.chance import answers, seed as derived_seed
from ..table.choices import RulesetFault
from ..table.cost import Limits
from .gather import Gatherer, Onlooker
from .gathered import Gathered
from .statistics import Statistics, interval
from .unplayed import Unplayed

JSON_VERSION = 1
DECISION_LIMIT = 100_000  # a game that asks more often is given up as endless
BLOCK = 64  # games that are counted together: a tally sums payoffs in the same order for any number of processes

WORTH = 2.0  # seconds of play from which on it is worth building native code

Progress = Callable[[int], None]  # hears how many games are done


class Simulation:
    """``games`` games; ``tally`` grows while :meth:`run` is at work and can be read whenever it is interrupted.

    ``kinds``: who sits where. ``check``: test every invariant at every decision. ``jobs``: processes at work; they keep
    generated code in ``store``. ``watch``: look for cards that are never played. ``native``: native code plays from the
    first game on (True), as soon as it pays (None), or never (False); ``use``: what came of it. ``details``: look on at
    every game and gather what is seen."""

    def __init__(
        self,
        game: Game,
        kinds: Sequence[str],
        games: int,
        seed: int = 0,
        check: bool = False,
        jobs: int = 1,
        store: Cache | None = None,
        watch: Unplayed | None = None,
        native: bool | None = False,
        details: bool = False,
    ) -> None:
        self.game = game
        self.kinds = tuple(kinds)
        self.games = games
        self.seed = seed
        self.check = check
        self.jobs = max(1, min(jobs, -(-games // BLOCK)))
        self.store = store
        self.watch = watch
        self.native = native
        self.details = details
        self.use = Use()
        self.tally = _statistics(game.program, game.players, details)

    def run(self, progress: Progress | None = None) -> Statistics:
        """Play them all. Raises ProcessGone when a process of ours disappears."""
        code = _NativeCode(self.game, self.store, self.native) if self._at_once else None
        try:
            if self.jobs == 1:
                self._here(progress, code)
            else:
                self._elsewhere(progress, code)
        finally:
            if code is not None:
                code.stop()
                self.use.refused = code.refused
        return self.tally

    @property
    def _at_once(self) -> bool:
        """Whether games can be played without looking at them."""
        return self.native is not False and _is_plain(self.kinds, self.check, self.watch, self.details)

    def _elsewhere(self, progress: Progress | None, code: _NativeCode | None) -> None:
        if code is not None and self.store is None:
            code.refused = "the cache is switched off, in which processes find native code"
        elif self.native and code is not None:
            code.found()  # and from now on kept, for all processes
        with closing(in_order(self._recipe().block, _blocks(self.games), self.jobs)) as tallies:
            for tally, use in tallies:
                self.tally.add(tally)
                self.use.add(use)
                if code is not None:
                    code.found()
                if progress is not None:
                    progress(self.tally.played)

    def _here(self, progress: Progress | None, code: _NativeCode | None) -> None:
        work = _Worker(self.game, self.kinds, self.seed, self.check, self.watch, self.details)
        for block in _blocks(self.games):
            tally = _statistics(self.game.program, self.game.players, self.details)
            before = self.tally.played
            try:
                for _ in work.played(block, tally, None if code is None else code.found()):
                    if progress is not None:
                        progress(before + tally.played)
            finally:  # an interrupted block counts as far as it came
                self.tally.add(tally)
                self.use = work.use

    def _recipe(self) -> _Recipe:
        game = self.game
        options = option_words(game)
        return _Recipe(
            game.program,
            self.kinds,
            options,
            game.engine,
            self.store,
            self.seed,
            self.check,
            self.watch,
            self.details,
            game.setting.limits,
            self._at_once,
        )

    def to_json(self) -> dict[str, Any]:
        """A JSON value."""
        tally, program = self.tally, self.game.program
        seats = [
            {
                "seat": f"P{seat + 1}",
                "kind": kind,
                "wins": tally.wins[seat],
                "shared_wins": tally.shared[seat],
                "win_rate": _share(tally.wins[seat], tally.finished),
                "win_rate_95": [_rounded(bound) for bound in interval(tally.wins[seat], tally.finished)],
                "mean_payoff": _share(tally.payoffs[seat], tally.finished),
                "means": {title: _share(sums[seat], tally.finished) for title, sums in tally.totals.items()},
            }
            for seat, kind in enumerate(self.kinds)
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
            "ties": tally.ties,
            "decisions": tally.decisions,
            "length": {
                "mean": _rounded(tally.mean_length),
                "deviation": _rounded(tally.deviation),
                "shortest": tally.shortest,
                "longest": tally.longest,
            },
            "seats": seats,
            "ends": dict(tally.reasons.most_common()),
            "checked": self.check,
            "invariants_broken": dict(tally.broken),
            "faults": dict(tally.faults),
            "endless": tally.endless,
            "examples": [vars(t) for t in tally.troubles.values()],
            **({} if self.watch is None else {"played": self.watch.to_json(tally.uses)}),
            **({} if self.use == Use() else {"native": self.use.to_json()}),
        }


@dataclass(frozen=True)
class _Recipe:
    """A worker in a form that another process can be given, and that makes it there."""

    program: Program
    kinds: tuple[str, ...]
    options: Mapping[str, Any]
    engine: str
    store: Cache | None
    seed: int
    check: bool
    watch: Unplayed | None
    details: bool
    limits: Limits
    native: bool

    @cached_property
    def worker(self) -> _Worker:
        """Of this process."""
        game = Game(self.program, len(self.kinds), self.options, self.engine, self.store, limits=self.limits)
        return _Worker(game, self.kinds, self.seed, self.check, self.watch, self.details)

    @cached_property
    def code(self) -> _NativeCode:
        """What the process that divides the work has built, as soon as it is there."""
        return _NativeCode(self.worker.game, self.store, None, builds=False)

    def block(self, numbers: range) -> tuple[Statistics, Use]:
        """The games with these numbers, counted; and what native code did of them."""
        tally = _statistics(self.program, len(self.kinds), self.details)
        self.worker.use = Use()
        for _ in self.worker.played(numbers, tally, self.code.found() if self.native else None):
            pass
        return tally, self.worker.use


class _NativeCode:
    """The native code of a simulation: kept from an earlier run, or built beside it once that pays. ``wanted``: at
    once; ``builds``: else it is only looked for."""

    def __init__(self, game: Game, cache: Cache | None, wanted: bool | None, builds: bool = True) -> None:
        self.game = game
        self.cache = cache
        self.wanted = wanted
        self.builds = builds
        self.refused = ""
        self._began = monotonic()
        self._native: Native | None = None
        self._building: Building | None = None

    def found(self) -> Native | None:
        """It, if it is there."""
        if self._native is not None or self.refused:
            return self._native
        if self._building is not None:
            self._native = self._building.take()
            self.refused = self._building.reason
            return self._native
        try:
            self._native = Native(self.game, self.cache, build=bool(self.wanted))
        except NotBuilt:
            if self.builds and monotonic() - self._began > WORTH:
                self._building = Building(self.game, self.cache)
        except NoNative as reason:
            self.refused = str(reason)
        return self._native

    def stop(self) -> None:
        """The games are over."""
        if self._building is not None:
            self._building.stop()


class _Worker:
    """Plays single games of a simulation and counts them."""

    def __init__(
        self, game: Game, kinds: tuple[str, ...], seed: int, check: bool, watch: Unplayed | None, details: bool
    ) -> None:
        self.game = game
        self.kinds = kinds
        self.check = check
        self.watch = watch
        self.titles = tuple(title for title, _ in game.program.scoring.shown)
        self.base = derived_seed(seed, "games")
        self.all_random = set(kinds) == {RANDOM}
        self.at_once = _is_plain(kinds, check, watch, details)
        self.use = Use()
        zones = () if watch is None else watch.zones
        self.gatherer = Gatherer(game, zones, option_words(game)) if details else None

    def played(self, numbers: range, tally: Statistics, native: Native | None) -> Iterator[int]:
        """The games with these numbers, one after the other."""
        if native is None:
            for number in numbers:
                self.play(number, tally)
                yield number
            return
        seeds = [self._seed(number) for number in numbers]
        for number, found in zip(numbers, native.games(seeds), strict=True):
            self.use.crashes += native.crashes
            native.crashes.clear()
            if found is None or found[0] >= DECISION_LIMIT:
                self.use.replayed += 1
                self.play(number, tally)
            else:
                self.use.played += 1
                self._count(found, tally)
                tally.played += 1
            yield number

    def _seed(self, number: int) -> int:
        return derived_seed(self.base + number, "game")

    def play(self, number: int, tally: Statistics) -> None:
        """The game with this number: the same whichever games were played before."""
        seed = self._seed(number)
        if not self.at_once or not self._at_once(seed, tally):
            self._step_by_step(seed, tally)
        tally.played += 1

    def _at_once(self, seed: int, tally: Statistics) -> bool:
        """False: something is wrong with this game."""
        try:
            found = self.game.playout(answers(seed), seed, True)
        except RulesetFault:
            return False
        if found.decisions >= DECISION_LIMIT:
            return False
        self._count(found, tally)
        return True

    def _count(self, found: tuple[Any, ...], tally: Statistics) -> None:
        length, ranks, payoffs, reason, table = found
        tally.count(length, ranks, payoffs, reason, self.titles, table)

    def _step_by_step(self, seed: int, tally: Statistics) -> None:
        length = 0
        try:
            logged = self.watch is not None or self.gatherer is not None
            match = Match(self.game, self._players(seed), seed, recorded=False, logged=logged)
            onlooker = self._onlooker(match, tally)
            broken = self._look(match, seed, tally)
            while match.decision is not None and length < DECISION_LIMIT:
                index, simulations = match.asked()
                if onlooker is not None:
                    onlooker.asked(index)
                match.take(index, simulations)
                length += 1
                broken |= self._look(match, seed, tally, length)
        except RulesetFault as fault:
            what = f"{fault.span}: {fault.message}" if fault.span is not None else fault.message
            tally.faults[what] += 1
            tally.trouble(what, seed, length)
            return
        tally.broken.update(broken)
        if self.watch is not None:
            tally.uses.update(self.watch.uses(match.log))
        outcome = match.outcome
        if outcome is None:
            tally.endless += 1
            tally.trouble("endless", seed, length)
        else:
            table = [values for _, values in outcome.shown]
            tally.count(length, outcome.ranks, outcome.payoffs, outcome.reason, self.titles, table)
            if onlooker is not None:
                onlooker.over(outcome)

    def _onlooker(self, match: Match, tally: Statistics) -> Onlooker | None:
        """Who looks on at a game, if somebody does."""
        if self.gatherer is None:
            return None
        assert tally.gathered is not None
        return Onlooker(self.gatherer, match, tally.gathered)

    def _players(self, seed: int) -> Sequence[Player]:
        if self.all_random:
            return [_Shared(answers(seed))] * self.game.players
        return [bot(kind, seed, seat) for seat, kind in enumerate(self.kinds)]

    def _look(self, match: Match, seed: int, tally: Statistics, decision: int = 0) -> set[str]:
        """The invariants that do not hold now, if they are to be tested."""
        broken = self.game.broken_invariants(match.state) if self.check else []
        for one in broken:
            tally.trouble(one.id, seed, decision, one.words)
        return {one.id for one in broken}


class _Shared:
    """Random play as the playout build has it: one source of chance for all seats, one number a decision."""

    looks: Literal[False] = False
    name = RANDOM

    def __init__(self, answer: Callable[[], float]) -> None:
        self._answer = answer

    def pick(self, options: int) -> int:
        return int(self._answer() * options)

    def resume(self, made: int) -> None:
        """A simulated game goes on from its start only."""


def _is_plain(kinds: Sequence[str], check: bool, watch: Unplayed | None, details: bool) -> bool:
    """Whether games can be played without looking at them."""
    return set(kinds) == {RANDOM} and not check and watch is None and not details


def _statistics(program: Program, players: int, details: bool) -> Statistics:
    """What is counted of a program's games, nothing so far."""
    scoring = program.scoring
    gathered = Gathered(players) if details else None
    return Statistics(players, scoring.selective, scoring.zero_sum, gathered=gathered)


def _blocks(games: int) -> list[range]:
    return [range(first, min(first + BLOCK, games)) for first in range(0, games, BLOCK)]


def option_words(game: Game) -> dict[str, bool | int | str]:
    """The options of a game with their values as authors write them."""
    words: dict[str, bool | int | str] = {}
    for option in game.program.options:
        value = game.option_values[option.name]
        words[option.name] = option.values[value] if option.values else value
    return words


def _share(part: float, whole: int) -> float:
    return _rounded(part / whole) if whole else 0.0


def _rounded(value: float) -> float:
    return round(value, 4)
