"""Simulate many games of bots, in blocks that processes or machines play in parallel, and count the results.

The results depend on the game, the players and the seed only, not on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cached_property
from time import monotonic
from typing import Any, Literal, overload

from lusory_dsl.core import Program

from ..game import Game
from ..native import BackgroundBuild, NativeGames, NativeUsage, NoNative, NotBuilt, SwitchingBackend, make_backend
from ..play.match import Match
from ..play.players import Player
from ..play.registry import RANDOM, create_bot, latest_simulations
from ..search.option_evaluation import PYTHON_BACKEND, SearchBackend
from ..state.decision import RulesetFault
from ..state.random_streams import make_choice_source, seed_stream as derived_seed
from ..state.work_limits import Limits
from ..support.cache import Cache, default_cache
from ..support.process_pool import Executor, LocalExecutor
from .aggregates import Observations, Statistics, Unplayed, wilson_interval
from .checkpoints import Checkpoint, CheckpointWriter, digest_identity
from .collect import GameObserver, ObservationSettings, StartFinder, find_turn_phases
from .game_records import DECISIONS, ENDLESS, FAULT, FINISHED, Recorder, Result, Row, RowWriter

DECISION_LIMIT = 100_000  # a game with more decisions counts as endless
BLOCK = 64  # maximum games of a block, independent of the number of processes: float sums then never differ
FEW = 4  # the same for players that search
BLOCKS = 64  # minimum number of blocks, so that processes finish at about the same time
WORTH = 2.0  # seconds of play after which native code is worth building


@dataclass(frozen=True)
class Blocks(Sequence[range]):
    """Numbers of the games of each block, computed on access because there may be very many.

    ``firsts`` holds the first number of each block. ``games`` is the total.
    """

    firsts: range
    games: int

    def __len__(self) -> int:
        return len(self.firsts)

    @overload
    def __getitem__(self, at: int) -> range: ...

    @overload
    def __getitem__(self, at: slice) -> Blocks: ...

    def __getitem__(self, at: int | slice) -> range | Blocks:
        if isinstance(at, slice):
            assert at.step is None, "blocks stay as long as they are"
            return Blocks(self.firsts[at], self.games)
        first = self.firsts[at]
        return range(first, min(first + self.firsts.step, self.games))


@dataclass(frozen=True)
class SimulationSettings:
    """Settings of a simulation.

    ``kinds`` are the players by seat. ``swap`` plays each seed once for every rotation of the players through the
    seats. ``check`` tests every invariant at every decision. ``watch`` looks for cards that are never played.
    ``details`` observes every game and counts details. ``tables`` are those of the record to write. ``rows`` keeps a
    summary of each game. ``closely`` finds the starting player and counts turns.
    """

    kinds: tuple[str, ...]
    seed: int = 0
    swap: bool = False
    check: bool = False
    watch: Unplayed | None = None
    details: bool = False
    tables: tuple[str, ...] = ()
    rows: bool = False
    closely: bool = False

    @cached_property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """Return the seatings of the games of one seed: for each seat the index in ``kinds``."""
        around = range(len(self.kinds))
        turned = [tuple((seat + by) % len(self.kinds) for seat in around) for by in around] if self.swap else []
        found: dict[tuple[str, ...], tuple[int, ...]] = {self.kinds: tuple(around)}
        for seating in turned:
            found.setdefault(tuple(self.kinds[who] for who in seating), seating)
        return tuple(found.values())

    @cached_property
    def is_random(self) -> bool:
        """Return whether all players are random."""
        return set(self.kinds) == {RANDOM}

    @cached_property
    def is_plain(self) -> bool:
        """Return whether games can be played as plain playouts, without observation."""
        looked_at = self.check or self.watch is not None or self.details or self.closely or DECISIONS in self.tables
        return self.is_random and not looked_at

    def whole(self, games: int) -> int:
        """Round a number of games up, so that the last seed is complete."""
        sets = len(self.seatings)
        return -(-games // sets) * sets

    def blocks(self, games: int) -> Blocks:
        """Return the blocks of that many games."""
        return Blocks(range(0, games, self.block(games)), games)

    def block(self, games: int) -> int:
        """Return the size of a block."""
        return self.whole(max(1, min(BLOCK if self.is_random else FEW, games // BLOCKS)))

    def tally(self, program: Program) -> Statistics:
        """Return empty statistics for the games of a program."""
        scoring, players = program.scoring, len(self.kinds)
        gathered = Observations(players) if self.details else None
        rows: list[Row] | None = [] if self.rows else None
        found = Statistics(players, scoring.is_selective, scoring.is_zero_sum, gathered=gathered, rows=rows)
        if len(self.seatings) > 1:
            found.lineup = Statistics(players, scoring.is_selective, scoring.is_zero_sum)
        return found


@dataclass
class BlockResult:
    """Results of a block: statistics, use of native code, and the lines of each recorded table."""

    tally: Statistics
    use: NativeUsage = field(default_factory=NativeUsage)
    lines: tuple[list[str], ...] = ()


@dataclass(frozen=True)
class WorkerRecipe:
    """Picklable description of a worker, which another process uses to create it.

    ``native`` means that it looks for native code of playouts, and ``thinks`` for that of searches. ``elsewhere`` means
    another machine: it has a cache of its own, and builds native code itself.
    """

    program: Program
    wanted: SimulationSettings
    options: Mapping[str, Any]
    engine: str
    store: Cache | None
    limits: Limits
    native: bool
    elsewhere: bool
    thinks: bool

    @cached_property
    def worker(self) -> Worker:
        """Return the worker of this process."""
        players, store = len(self.wanted.kinds), default_cache() if self.elsewhere else self.store
        game = Game(self.program, players, self.options, self.engine, store, limits=self.limits)
        return Worker(
            game, self.wanted, SwitchingBackend(game, store, builds=self.elsewhere) if self.thinks else PYTHON_BACKEND
        )

    @cached_property
    def code(self) -> NativeCode:
        """Return the native code that the parent process has built, once it is available."""
        store = default_cache() if self.elsewhere else self.store
        return NativeCode(self.worker.game, store, None, builds=self.elsewhere)

    def __reduce__(self) -> tuple[Any, ...]:
        return WorkerRecipe, tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def block(self, numbers: range) -> BlockResult:
        """Play a block of games."""
        part = self.worker.part()
        for _ in self.worker.played(numbers, part, self.code.found() if self.native else None):
            pass
        return part


class NativeCode:
    """Native code of a simulation, from the cache or built in the background once that pays.

    ``wanted`` builds it at once. Without ``builds`` it is only looked up.
    """

    def __init__(self, game: Game, cache: Cache | None, wanted: bool | None, builds: bool = True) -> None:
        self.game = game
        self.cache = cache
        self.wanted = wanted
        self.builds = builds
        self.refused = ""
        self._began = monotonic()
        self._native: NativeGames | None = None
        self._building: BackgroundBuild[NativeGames] | None = None

    def found(self) -> NativeGames | None:
        """Return the native code if it is available."""
        if self._native is not None or self.refused:
            return self._native
        if self._building is not None:
            self._native = self._building.take()
            self.refused = self._building.reason
            return self._native
        try:
            self._native = NativeGames(self.game, self.cache, build=bool(self.wanted))
        except NotBuilt:
            if self.builds and monotonic() - self._began > WORTH:
                self._building = BackgroundBuild(lambda began: NativeGames(self.game, self.cache, began=began))
        except NoNative as reason:
            self.refused = str(reason)
        return self._native

    def stop(self) -> None:
        """Stop a build in the background."""
        if self._building is not None:
            self._building.stop()


class Worker:
    """Player and counter of the games of a simulation."""

    def __init__(self, game: Game, wanted: SimulationSettings, core: SearchBackend = PYTHON_BACKEND) -> None:
        self.game = game
        self.wanted = wanted
        self.core = core
        self.titles = tuple(title for title, _ in game.program.scoring.shown)
        self.base = derived_seed(wanted.seed, "games")
        self.turns = find_turn_phases(game.program)
        zones = () if wanted.watch is None else wanted.watch.zones
        self.gatherer = ObservationSettings(game, zones, describe_options(game)) if wanted.details else None
        self.rows = RowWriter(game.program, wanted.kinds, describe_options(game)) if wanted.tables else None

    def part(self) -> BlockResult:
        """Return empty results for a block."""
        return BlockResult(self.wanted.tally(self.game.program), lines=tuple([] for _ in self.wanted.tables))

    def played(self, numbers: range, part: BlockResult, native: NativeGames | None) -> Iterator[Result]:
        """Play the games with these numbers, count them in ``part`` and yield their results."""
        if isinstance(self.core, SwitchingBackend):
            self.core.use = part.use
        for result in self._played(numbers, part, native):
            part.tally.game(result, self.titles)
            if self.rows is not None:
                part.lines[0].append(self.rows.game(result))
            yield result

    def _played(self, numbers: range, part: BlockResult, native: NativeGames | None) -> Iterator[Result]:
        if native is None:
            for number in numbers:
                yield self.play(number, part)
            return
        use = part.use
        seeds = [self._seed(number) for number in numbers]
        for number, found in zip(numbers, native.games(seeds), strict=True):
            use.crashes += native.crashes
            native.crashes.clear()
            if found is None or found[0] >= DECISION_LIMIT:
                use.replayed += 1
                yield self.play(number, part)
            else:
                use.played += 1
                yield self._result(number, found)

    def _seed(self, number: int) -> int:
        return derived_seed(self.base + number // len(self.wanted.seatings), "game")

    def _seating(self, number: int) -> tuple[int, ...]:
        return self.wanted.seatings[number % len(self.wanted.seatings)]

    def play(self, number: int, part: BlockResult) -> Result:
        """Play the game with a number, and return its result. Observations go to ``part``.

        The game does not depend on the games before it.
        """
        return (self._at_once(number) if self.wanted.is_plain else None) or self._step_by_step(number, part)

    def _at_once(self, number: int) -> Result | None:
        """Play a game as a playout. Returns None if it has a fault or does not end."""
        seed = self._seed(number)
        try:
            found = self.game.playout(make_choice_source(seed), seed, True)
        except RulesetFault:
            return None
        return None if found.decisions >= DECISION_LIMIT else self._result(number, found)

    def _result(self, number: int, found: tuple[Any, ...]) -> Result:
        """Build the result from that of a playout or of native code."""
        return Result(number, self._seed(number), self._seating(number), FINISHED, *found)

    def _step_by_step(self, number: int, part: BlockResult) -> Result:
        seed, seating, tally = self._seed(number), self._seating(number), part.tally
        watch, length, turns, before, thought = self.wanted.watch, 0, 0, -1, 0
        beginner = StartFinder(self.turns)
        try:
            logged = watch is not None or self.gatherer is not None
            match = Match(self.game, self._players(seed, seating), seed, recorded=False, logged=True)
            onlookers = self._onlookers(match, number, part)
            broken = self._look(match, seed, tally)
            while match.decision is not None and length < DECISION_LIMIT:
                seat = match.decision.seat
                turns, before = turns + (seat != before), seat
                if beginner.look(match) is not None and match.logged != logged:
                    # only the finder of the starting player needed the log
                    match.logged = logged
                    match.log.clear()
                index, simulations = match.asked()
                for one in onlookers:
                    one.asked(index)
                match.take(index, simulations)
                thought += latest_simulations(match.players[seat])
                length += 1
                broken |= self._look(match, seed, tally, length)
        except RulesetFault as fault:
            what = f"{fault.span}: {fault.message}" if fault.span is not None else fault.message
            tally.faults[what] += 1
            tally.trouble(what, seed, length)
            return Result(number, seed, seating, FAULT, length, reason=what, turns=turns, simulations=thought)
        tally.broken.update(broken)
        if watch is not None:
            tally.uses.update(watch.uses(match.log))
        outcome = match.outcome
        if outcome is None:
            tally.endless += 1
            tally.trouble("endless", seed, length)
            return Result(number, seed, seating, ENDLESS, length, turns=turns, simulations=thought)
        for one in onlookers:
            one.over(outcome)
        table = [values for _, values in outcome.score_columns]
        found = length, outcome.ranks, outcome.payoffs, outcome.reason, table
        began = beginner.look(match)
        return Result(number, seed, seating, FINISHED, *found, turns=turns, simulations=thought, began=began)

    def _onlookers(self, match: Match, number: int, part: BlockResult) -> list[GameObserver | Recorder]:
        """Return the observers of a game."""
        found: list[GameObserver | Recorder] = []
        if self.gatherer is not None:
            assert part.tally.gathered is not None
            found.append(GameObserver(self.gatherer, match, part.tally.gathered))
        if DECISIONS in self.wanted.tables:
            found.append(Recorder(match, number, part.lines[self.wanted.tables.index(DECISIONS)]))
        return found

    def _players(self, seed: int, seating: tuple[int, ...]) -> Sequence[Player]:
        if self.wanted.is_random:
            return [_SharedRandomPlayer(make_choice_source(seed))] * self.game.players
        return [create_bot(self.wanted.kinds[who], seed, seat, self.core) for seat, who in enumerate(seating)]

    def _look(self, match: Match, seed: int, tally: Statistics, decision: int = 0) -> set[str]:
        """Return the ids of the invariants that are broken now, if they are to be tested."""
        broken = self.game.broken_invariants(match.state) if self.wanted.check else []
        for one in broken:
            tally.trouble(one.id, seed, decision, one.message)
        return {one.id for one in broken}


class _SharedRandomPlayer:
    """Random player as in playouts: one random stream for all seats, with one number for each decision."""

    looks: Literal[False] = False
    name = RANDOM

    def __init__(self, answer: Callable[[], float]) -> None:
        self._answer = answer

    def pick(self, options: int) -> int:
        return int(self._answer() * options)

    def resume(self, made: int) -> None:
        """Do nothing: a simulated game always starts from the beginning."""


def describe_options(game: Game) -> dict[str, bool | int | str]:
    """Return the options of a game with their values as authors write them."""
    words: dict[str, bool | int | str] = {}
    for option in game.program.options:
        value = game.option_values[option.name]
        words[option.name] = option.values[value] if option.values else value
    return words


JSON_VERSION = 1

Progress = Callable[[int], None]  # receives the number of finished games


class Simulation:
    """Simulation of ``games`` games. ``tally`` grows during :meth:`run` and is valid whenever that is interrupted.

    ``kinds``, ``seed``, ``swap``, ``check``, ``watch``, ``details``, ``tables``, ``rows`` and ``closely`` are as in
    :class:`SimulationSettings`. With ``swap``, the number of games is rounded up to complete the last seed. ``place``
    is the executor; the default is ``jobs`` processes of this machine. ``store`` caches generated code. ``native`` says
    whether native code plays: from the first game (True), once it pays (None), or never (False). ``use`` reports its
    use.
    """

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
        swap: bool = False,
        place: Executor | None = None,
        tables: Sequence[str] = (),
        rows: bool = False,
        closely: bool = False,
    ) -> None:
        self.game = game
        self.wanted = SimulationSettings(tuple(kinds), seed, swap, check, watch, details, tuple(tables), rows, closely)
        self.games = self.wanted.whole(games)
        self.store = store
        self.native = native
        self.blocks = self.wanted.blocks(self.games)
        self.place = place or LocalExecutor(max(1, min(jobs, len(self.blocks))))
        self.use = NativeUsage()
        self.done = 0  # number of finished blocks
        self.tally = self.wanted.tally(game.program)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the players by seat. With swaps, those of the first game of a seed."""
        return self.wanted.kinds

    @property
    def seed(self) -> int:
        """Return the seed of the whole simulation."""
        return self.wanted.seed

    @property
    def check(self) -> bool:
        """Return whether every invariant is tested at every decision."""
        return self.wanted.check

    @property
    def watch(self) -> Unplayed | None:
        """Return the finder of cards that are never played, if requested."""
        return self.wanted.watch

    @property
    def identity(self) -> str:
        """Return a digest that is equal for two runs of the same simulation."""
        wanted, game = self.wanted, self.game
        zones = None if wanted.watch is None else wanted.watch.zones
        seen = wanted.swap, wanted.check, zones, wanted.details, wanted.tables, wanted.rows, wanted.closely
        limits = asdict(game.setting.limits)
        parts = [game.program.digest, wanted.kinds, describe_options(game), wanted.seed, self.games, seen, limits]
        return digest_identity(parts)

    def take_up(self, kept: Checkpoint) -> None:
        """Continue from the checkpoint of an interrupted run."""
        self.done, self.tally, self.use = kept.done, kept.tally, kept.use

    def run(self, progress: Progress | None = None, keeping: CheckpointWriter | None = None) -> Statistics:
        """Play all remaining games and return the statistics.

        ``keeping`` receives each counted block, and writes a checkpoint if the run is interrupted. Raises WorkerDied
        if a worker process dies.
        """
        code = NativeCode(self.game, self.store, self.native) if self._at_once and not self.place.is_remote else None
        core = make_backend(self.game, self.store, self.native if self._thinks and not self.place.is_remote else False)
        try:
            if self.place == LocalExecutor():
                self._here(progress, code, keeping, core)
            else:
                if isinstance(core, SwitchingBackend):
                    # builds the code into the cache, where all processes find it
                    core.start_build()
                self._elsewhere(progress, code, keeping)
        finally:
            if isinstance(core, SwitchingBackend):
                core.stop()
                self.use.refused = self.use.refused or core.use.refused
            if code is not None:
                code.stop()
                self.use.refused = code.refused
        return self.tally

    @property
    def _at_once(self) -> bool:
        """Return whether native code may play the games."""
        return self.native is not False and self.wanted.is_plain

    @property
    def _thinks(self) -> bool:
        """Return whether native code may run the simulations of searches."""
        return self.native is not False and not set(self.kinds) <= {RANDOM}

    def _counted(self, part: BlockResult, keeping: CheckpointWriter | None) -> None:
        """Add a finished block."""
        self.tally.add(part.tally)
        self.use.add(part.use)
        self.done += 1
        if keeping is not None:
            keeping.counted(self.done, self.tally, self.use, part.lines)

    def _elsewhere(self, progress: Progress | None, code: NativeCode | None, keeping: CheckpointWriter | None) -> None:
        if code is not None and self.store is None:
            code.refused = "the cache is switched off, in which processes find native code"
        elif self.native and code is not None:
            # builds the code into the cache, where all processes find it
            code.found()
        with closing(self.place.map_in_order(self._recipe().block, self.blocks[self.done :])) as parts:
            try:
                for part in parts:
                    self._counted(part, keeping)
                    if code is not None:
                        code.found()
                    if progress is not None:
                        progress(self.tally.played)
            except BaseException:
                if keeping is not None:
                    keeping.write()
                raise

    def _here(
        self, progress: Progress | None, code: NativeCode | None, keeping: CheckpointWriter | None, core: SearchBackend
    ) -> None:
        work = Worker(self.game, self.wanted, core)
        for block in self.blocks[self.done :]:
            part = work.part()
            before = self.tally.played
            try:
                for _ in work.played(block, part, None if code is None else code.found()):
                    if progress is not None:
                        progress(before + part.tally.played)
            except BaseException:
                if keeping is not None:
                    keeping.write()
                # report the unfinished block, although the checkpoint does not contain it
                self.tally.add(part.tally)
                self.use.add(part.use)
                raise
            self._counted(part, keeping)

    def _recipe(self) -> WorkerRecipe:
        game, elsewhere = self.game, self.place.is_remote
        return WorkerRecipe(
            game.program,
            self.wanted,
            describe_options(game),
            game.engine,
            None if elsewhere else self.store,
            game.setting.limits,
            self._at_once,
            elsewhere,
            self._thinks,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON value."""
        tally, program = self.tally, self.game.program
        kinds: Sequence[str | None] = self.kinds if tally.lineup is None else [None] * len(self.kinds)
        seats = [{"seat": f"P{at + 1}", "kind": kind, **_seat_results(tally, at)} for at, kind in enumerate(kinds)]
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "players": self.game.players,
            "options": describe_options(self.game),
            "seed": self.seed,
            "games": self.games,
            "games_played": tally.played,
            "games_finished": tally.finished,
            "ties": tally.ties,
            "decisions": tally.decisions,
            "length": {
                "mean": _round(tally.mean_length),
                "deviation": _round(tally.deviation),
                "shortest": tally.shortest,
                "longest": tally.longest,
            },
            "seats": seats,
            **({} if tally.lineup is None else {"lineup": self._lineup(tally.lineup)}),
            "ends": dict(tally.reasons.most_common()),
            "checked": self.check,
            "invariants_broken": dict(tally.broken),
            "faults": dict(tally.faults),
            "endless": tally.endless,
            "examples": [vars(t) for t in tally.troubles.values()],
            **({} if self.watch is None else {"played": self.watch.to_json(tally.uses)}),
            **({} if self.use == NativeUsage() else {"native": self.use.to_json()}),
        }

    def _lineup(self, tally: Statistics) -> list[dict[str, Any]]:
        """Return the results of each player over all seats."""
        return [{"kind": kind, **_seat_results(tally, who)} for who, kind in enumerate(self.kinds)]


def _seat_results(tally: Statistics, at: int) -> dict[str, Any]:
    """Return the results of a seat or player."""
    return {
        "wins": tally.wins[at],
        "shared_wins": tally.shared[at],
        "win_rate": _divide(tally.wins[at], tally.finished),
        "win_rate_95": [_round(bound) for bound in wilson_interval(tally.wins[at], tally.finished)],
        "mean_payoff": _divide(tally.payoffs[at], tally.finished),
        "means": {title: _divide(sums[at], tally.finished) for title, sums in tally.totals.items()},
    }


def _divide(part: float, whole: int) -> float:
    return _round(part / whole) if whole else 0.0


def _round(value: float) -> float:
    return round(value, 4)
