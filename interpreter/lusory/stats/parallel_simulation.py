"""Simulate many games of bots, in blocks that processes or machines play in parallel, and count the results.

The results depend on the game, the players and the seed only, not on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any

from lusory_dsl.core import Program

from ..game import Game
from ..native import DeferredBuild, NativeGames, NativeUsage, SwitchingBackend, get_native_code
from ..play.bot_kinds_python_players_and_recordings import RANDOM, create_bot, get_latest_simulations
from ..play.match import Match
from ..play.player_interface_scripted_and_random_players import BlindPlayer, Player
from ..search.option_evaluation import PYTHON_BACKEND, SearchBackend
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.random_streams import make_choice_source, seed_stream as derived_seed
from ..state.static_work_charges_and_list_bounds import Limits
from ..support.cache import Cache, find_default_cache
from ..support.process_pool import map_in_order
from .checkpoints import Checkpoint, CheckpointWriter, digest_identity
from .game_observer import GameObserver, ObservationSettings, StartingPlayerFinder, find_turn_phases
from .game_results_and_record_files import (
    DECISIONS,
    ENDLESS,
    FAULT,
    FINISHED,
    DecisionRecorder,
    GameResult,
    GameSummary,
    RowWriter,
)
from .mergeable_counters import Observations, Statistics, calculate_wilson_interval

DECISION_LIMIT = 100_000  # a game with more decisions counts as endless
RANDOM_BLOCK_SIZE = 64  # maximum games of a block, independent of the number of processes: float sums then never differ
SEARCH_BLOCK_SIZE = 4  # the same for players that search
MIN_BLOCK_COUNT = 64  # minimum number of blocks, so that processes finish at about the same time
NATIVE_BUILD_SECONDS = 2.0  # seconds of play after which native code is worth building

Progress = Callable[[int], None]  # receives the number of finished games


@dataclass(frozen=True)
class SimulationSettings:
    """Settings of a simulation.

    ``kinds`` are the players by seat. ``swaps_seats`` plays each seed once for every rotation of the players through
    the seats. ``checks_invariants`` tests every invariant at every decision. ``has_details`` observes every game and
    counts details. ``tables`` are those of the record to write. ``keeps_rows`` keeps a summary of each game.
    ``observes_turns`` finds the starting player and counts turns.
    """

    kinds: tuple[str, ...]
    seed: int = 0
    swaps_seats: bool = False
    checks_invariants: bool = False
    has_details: bool = False
    tables: tuple[str, ...] = ()
    keeps_rows: bool = False
    observes_turns: bool = False

    @cached_property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """The seatings of the games of one seed: for each seat the index in ``kinds``.

        Without ``swaps_seats`` there is only ``((0, 1, 2),)``. With it there is one for each rotation, that one first:
        ``((0, 1, 2), (1, 2, 0), (2, 0, 1))``. A rotation that gives each seat the same kind as an earlier one is left
        out: the kinds a, b, a, b give ``((0, 1, 2, 3), (1, 2, 3, 0))``.
        """
        seats = range(len(self.kinds))
        rotations = (
            [tuple((seat + shift) % len(seats) for seat in seats) for shift in seats] if self.swaps_seats else []
        )
        seatings: dict[tuple[str, ...], tuple[int, ...]] = {self.kinds: tuple(seats)}
        for seating in rotations:
            seatings.setdefault(tuple(self.kinds[player] for player in seating), seating)
        return tuple(seatings.values())

    @cached_property
    def _is_random(self) -> bool:
        """True if all players are random."""
        return set(self.kinds) == {RANDOM}

    @cached_property
    def _is_unobserved(self) -> bool:
        """True if all players are random and nothing is observed, so that playouts give the results.

        Observed are invariants, details, turns, and rows of decisions, if the settings ask for them.
        """
        is_observed = self.checks_invariants or self.has_details or self.observes_turns or DECISIONS in self.tables
        return self._is_random and not is_observed

    def _round_up(self, game_count: int) -> int:
        """Round a number of games up to a multiple of the number of seatings, so that the last seed is complete."""
        sets = len(self.seatings)
        return -(-game_count // sets) * sets

    def divide(self, game_count: int) -> range:
        """Return the number of the first game of each block, out of that many games.

        All blocks have the same size, except perhaps the last.
        """
        return range(0, game_count, self.choose_block_size(game_count))

    def choose_block_size(self, game_count: int) -> int:
        """Return the number of games of a block, out of ``game_count``.

        It is ``game_count // MIN_BLOCK_COUNT``, but at least 1, and at most RANDOM_BLOCK_SIZE for random players or
        SEARCH_BLOCK_SIZE for others. Then it is rounded up to a multiple of the number of seatings.
        """
        limit = RANDOM_BLOCK_SIZE if self._is_random else SEARCH_BLOCK_SIZE
        return self._round_up(max(1, min(limit, game_count // MIN_BLOCK_COUNT)))

    def _create_statistics(self, program: Program) -> Statistics:
        """Return empty statistics for the games of a program, with the parts that these settings ask for.

        They are observations if ``has_details``, rows if ``keeps_rows``, and a line-up if there are several seatings.
        """
        flags, players = (program.scoring.is_selective, program.scoring.is_zero_sum), len(self.kinds)
        observations = Observations(players) if self.has_details else None
        rows: list[GameSummary] | None = [] if self.keeps_rows else None
        statistics = Statistics(players, *flags, observations=observations, rows=rows)
        if len(self.seatings) > 1:
            statistics.lineup = Statistics(players, *flags)
        return statistics


@dataclass
class BlockResult:
    """Results of a block: statistics, use of native code, and the lines of each recorded table."""

    statistics: Statistics
    use: NativeUsage = field(default_factory=NativeUsage)
    lines: tuple[list[str], ...] = ()


MapBlocks = Callable[[Callable[[range], BlockResult], Sequence[range]], Generator[BlockResult, None, None]]
"""Function that plays blocks of games, given by their numbers, and yields the results in order."""


class Worker:
    """Player and counter of the games of a simulation: in this process, in another one or on another machine.

    Attributes:
        store: The cache of native code.
        native: Whether native code plays, or runs searches: from the first game (True), once it pays (None), or never.
        builds_code: Whether it builds native code. Otherwise it only looks for it in the cache.
        is_remote: Whether its copies play on other machines. They use the cache there, and build native code.
    """

    def __init__(
        self,
        game: Game,
        settings: SimulationSettings,
        store: Cache | None = None,
        native: bool | None = False,
        builds_code: bool = True,
        is_remote: bool = False,
    ) -> None:
        self.game = game
        self.settings = settings
        self.store, self.native, self.builds_code, self.is_remote = store, native, builds_code, is_remote
        self.titles = tuple(title for title, _ in game.program.scoring.columns)
        self.base = derived_seed(settings.seed, "games")
        self.turns = find_turn_phases(game.program)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes the same worker in another process, or on another machine if it ``is_remote``."""
        game, store = self.game, None if self.is_remote else self.store
        parts = game.program, game.players, game.written_options, game.engine, game.setting.limits
        return _recreate_worker, (parts, self.settings, store, self.native, self.is_remote)

    @cached_property
    def observation(self) -> ObservationSettings | None:
        """The settings of the observation of ``game``, or None unless ``settings.has_details`` is set."""
        return ObservationSettings(self.game, self.game.written_options) if self.settings.has_details else None

    @cached_property
    def _row_writer(self) -> RowWriter | None:
        """The writer of the rows of games, or None without a record."""
        game, settings = self.game, self.settings
        return RowWriter(game.program, settings.kinds, game.written_options) if settings.tables else None

    @cached_property
    def backend(self) -> SearchBackend:
        """A SwitchingBackend, or PYTHON_BACKEND if ``native`` is False or all players are random."""
        if self.native is False or self.settings._is_random:
            return PYTHON_BACKEND
        return SwitchingBackend(self.game, self.store, self.builds_code, must_wait=bool(self.native))

    @cached_property
    def _games_code(self) -> DeferredBuild[NativeGames] | None:
        """The native code of whole games, or None if native code may not play the games.

        It is looked for in the cache at each block. A worker that builds it does so NATIVE_BUILD_SECONDS after the
        first look.
        """
        if self.native is False or not self.settings._is_unobserved:
            return None
        delay = NATIVE_BUILD_SECONDS if self.builds_code else 0.0
        return DeferredBuild(partial(NativeGames, self.game, self.store), delay, self.builds_code, bool(self.native))

    # ------------------------------------------------------------ play

    def play_block(self, numbers: range) -> BlockResult:
        """Play the games with these numbers. Return a BlockResult of only these: ``statistics``, ``use`` and ``lines``.

        Native code plays the games if ``settings._is_unobserved``, ``native`` is not False, and the code is built by
        now. With ``native`` True and ``builds_code``, it is built first. A game that it ends with fewer than
        ``DECISION_LIMIT`` decisions counts as ``played`` in ``use``. Python plays each other game again, which counts
        only as ``replayed``. Without native code, Python plays all games, and none counts in either. ``lines`` is a
        tuple with a list of lines for each table in ``settings.tables``. The first has the rows of games.
        """
        lines: tuple[list[str], ...] = tuple([] for _ in self.settings.tables)
        block_result = BlockResult(self.settings._create_statistics(self.game.program), lines=lines)
        statistics, use = block_result.statistics, block_result.use
        if isinstance(self.backend, SwitchingBackend):
            self.backend.use = use
        native = None if self._games_code is None else self._games_code.find()
        seeds = [self._derive_seed(number) for number in numbers]
        native_results = [None] * len(seeds) if native is None else native.play_games(seeds)
        for number, native_result in zip(numbers, native_results, strict=True):
            if native is not None:
                use.crashes += native.crashes
                native.crashes.clear()
            if native_result is not None and native_result[0] < DECISION_LIMIT:
                use.played += 1
                result = self._create_result(number, native_result)
            else:
                use.replayed += native is not None
                result = self.play_game(number, block_result)
            statistics.add_game(result, self.titles)
            if self._row_writer is not None:
                lines[0].append(self._row_writer.format_game(result))
        return block_result

    def _derive_seed(self, number: int) -> int:
        return derived_seed(self.base + number // len(self.settings.seatings), "game")

    def _get_seating(self, number: int) -> tuple[int, ...]:
        return self.settings.seatings[number % len(self.settings.seatings)]

    def play_game(self, number: int, block_result: BlockResult) -> GameResult:
        """Play the game with a number, and return its result. Observations go to ``block_result``.

        The game does not depend on the games before it.
        """
        if self.settings._is_unobserved:
            # a playout with a fault or without an end is played again, step by step
            with suppress(RulesetFault):
                seed = self._derive_seed(number)
                playout = self.game.playout(make_choice_source(seed), seed, True)
                if playout.decisions < DECISION_LIMIT:
                    return self._create_result(number, playout)
        return self._play_step_by_step(number, block_result)

    def _create_result(self, number: int, result: tuple[Any, ...]) -> GameResult:
        """Build the result from that of a playout or of native code."""
        return GameResult(number, self._derive_seed(number), self._get_seating(number), FINISHED, *result)

    def _play_step_by_step(self, number: int, block_result: BlockResult) -> GameResult:
        """Play a game decision by decision, with the observers that the settings ask for.

        Faults, broken invariants and a missing end are counted in ``block_result``.
        """
        seed, seating, tally = self._derive_seed(number), self._get_seating(number), block_result.statistics
        length, turns, previous_seat, simulations_total = 0, 0, -1, 0
        start_finder = StartingPlayerFinder(self.turns)
        try:
            needs_log = self.observation is not None
            match = Match(self.game, self._create_players(seed, seating), seed, keeps_record=False, keeps_log=True)
            observers = self._create_observers(match, number, block_result, start_finder)
            broken_ids = self._check_invariants(match, seed, tally)
            while match.decision is not None and length < DECISION_LIMIT:
                seat = match.decision.seat
                turns, previous_seat = turns + (seat != previous_seat), seat
                if start_finder.find(match) is not None and match.keeps_log != needs_log:
                    # only the finder of the starting player needed the log
                    match.keeps_log = needs_log
                    match.log.clear()
                index, simulations = match.ask_player()
                for observer in observers:
                    observer.observe_decision(index)
                match.take(index, simulations)
                simulations_total += get_latest_simulations(match.players[seat])
                length += 1
                broken_ids |= self._check_invariants(match, seed, tally, length)
        except RulesetFault as fault:
            problem = f"{fault.span}: {fault.message}" if fault.span is not None else fault.message
            tally.faults[problem] += 1
            tally.record_failure(problem, seed, length)
            return GameResult(
                number, seed, seating, FAULT, length, reason=problem, turns=turns, simulations=simulations_total
            )
        tally.broken_invariants.update(broken_ids)
        outcome = match.outcome
        if outcome is None:
            tally.endless += 1
            tally.record_failure("endless", seed, length)
            return GameResult(number, seed, seating, ENDLESS, length, turns=turns, simulations=simulations_total)
        for observer in observers:
            observer.observe_end(outcome)
        table = [values for _, values in outcome.score_columns]
        fields = length, outcome.ranks, outcome.payoffs, outcome.reason, table
        starter = start_finder.find(match)
        return GameResult(
            number, seed, seating, FINISHED, *fields, turns=turns, simulations=simulations_total, starting_seat=starter
        )

    def _create_observers(
        self, match: Match, number: int, block_result: BlockResult, start_finder: StartingPlayerFinder
    ) -> list[GameObserver | DecisionRecorder]:
        """Return the observers of a game."""
        observers: list[GameObserver | DecisionRecorder] = []
        observations = block_result.statistics.observations
        if self.observation is not None and observations is not None:
            observers.append(GameObserver(self.observation, match, observations, start_finder))
        if DECISIONS in self.settings.tables:
            observers.append(DecisionRecorder(match, number, block_result.lines[self.settings.tables.index(DECISIONS)]))
        return observers

    def _create_players(self, seed: int, seating: tuple[int, ...]) -> Sequence[Player]:
        if self.settings._is_random:
            return [_SharedRandomPlayer(make_choice_source(seed))] * self.game.players
        return [
            create_bot(self.settings.kinds[player], seed, seat, self.backend) for seat, player in enumerate(seating)
        ]

    def _check_invariants(self, match: Match, seed: int, tally: Statistics, decision: int = 0) -> set[str]:
        """Return the ids of the invariants that are broken now, if they are to be tested."""
        violations = self.game.broken_invariants(match.state) if self.settings.checks_invariants else []
        for violation in violations:
            tally.record_failure(violation.id, seed, decision, violation.message)
        return {violation.id for violation in violations}


def _recreate_worker(
    parts: tuple[Program, int, Mapping[str, Any], str, Limits],
    settings: SimulationSettings,
    store: Cache | None,
    native: bool | None,
    is_remote: bool,
) -> Worker:
    """Return the copy of a worker in another process. ``parts`` describe its game."""
    program, players, options, engine, limits = parts
    store = find_default_cache() if is_remote else store
    return Worker(Game(program, players, options, engine, store, limits=limits), settings, store, native, is_remote)


class _SharedRandomPlayer(BlindPlayer):
    """Random player as in playouts: one random stream for all seats, with one number for each decision."""

    name = RANDOM

    def __init__(self, answer: Callable[[], float]) -> None:
        self._answer = answer

    def pick(self, option_count: int) -> int:
        return int(self._answer() * option_count)


JSON_VERSION = 1


class Simulation:
    """Simulation of ``games`` games. ``statistics`` grows during :meth:`run` and is valid whenever that is interrupted.

    ``kinds``, ``seed``, ``tables`` and truth values are as in :class:`SimulationSettings`. With ``swaps_seats``, the
    number of games is rounded up to complete the last seed.
    ``map_on_cluster`` plays the blocks elsewhere; by default ``jobs`` processes play. ``store`` caches generated code.
    ``native`` says whether native code plays: from the first game (True), once it pays (None), or never (False).
    ``use`` reports its use.
    """

    def __init__(
        self,
        game: Game,
        kinds: Sequence[str],
        games: int,
        seed: int = 0,
        checks_invariants: bool = False,
        jobs: int = 1,
        store: Cache | None = None,
        native: bool | None = False,
        has_details: bool = False,
        swaps_seats: bool = False,
        map_on_cluster: MapBlocks | None = None,
        tables: tuple[str, ...] = (),
        keeps_rows: bool = False,
        observes_turns: bool = False,
    ) -> None:
        self.game, self.kinds, self.seed = game, tuple(kinds), seed
        self.settings = SimulationSettings(
            self.kinds, seed, swaps_seats, checks_invariants, has_details, tables, keeps_rows, observes_turns
        )
        self.games = self.settings._round_up(games)
        self.store = store
        self.native = native
        self.blocks = self.settings.divide(self.games)
        self.jobs, self.map_on_cluster = jobs, map_on_cluster
        self.use = NativeUsage()
        self.finished_blocks = 0
        self.statistics = self.settings._create_statistics(game.program)

    @property
    def identity(self) -> str:
        """A digest, 64 hexadecimal digits, that is equal for two runs of the same simulation.

        It covers the rules, players, swapping of seats, options, seed, number of games, limits and what is observed. It
        doesn't cover the engine, the number of processes or native code. Paths, sizes and modification times of
        lusory's own files count, too. So it can differ on another machine, and differs after an update.
        """
        game, settings = self.game, asdict(self.settings)
        limits = asdict(game.setting.limits)
        return digest_identity([game.program.digest, settings, game.written_options, self.games, limits])

    def continue_from(self, checkpoint: Checkpoint) -> None:
        """Take over the finished blocks, statistics and use of native code of an interrupted run."""
        self.finished_blocks, self.statistics, self.use = checkpoint.block_count, checkpoint.totals, checkpoint.use

    def run(self, progress: Progress | None = None, checkpoints: CheckpointWriter | None = None) -> Statistics:
        """Play all remaining games and return ``statistics``, which include those of earlier runs.

        The games are played in blocks of ``blocks.step``, and the first ``finished_blocks`` of them are left out. Each
        block is added to ``statistics`` and ``use``, and 1 to ``finished_blocks``. Then ``checkpoints.add_block`` is
        called, and ``progress`` with the number of games so far, including those of earlier runs. With 10 games in
        blocks of 3, of which one is finished, these numbers are 6, 9 and 10. After any exception, such as
        KeyboardInterrupt, ``checkpoints.write`` is called, and the exception is raised again; ``statistics`` then has
        the blocks so far. Raises WorkerDied if a worker process dies.
        """
        settings, is_remote = self.settings, self.map_on_cluster is not None
        blocks = [range(self.games)[start : start + self.blocks.step] for start in self.blocks[self.finished_blocks :]]
        plays_here = not is_remote and min(self.jobs, len(blocks)) < 2
        # this one plays here, or only builds native code for the other processes of this machine
        worker = own_worker = Worker(self.game, settings, self.store, False if is_remote else self.native)
        if not plays_here:
            native = None if self.native else self.native  # nobody waits for code of others
            worker = Worker(self.game, settings, self.store, native, builds_code=False, is_remote=is_remote)
        code = own_worker._games_code or get_native_code(own_worker.backend)
        try:
            if code is not None and not plays_here:
                code.build_for_others(self.store, starts_now=not settings._is_random)
            if self.map_on_cluster is not None:
                results = self.map_on_cluster(worker.play_block, blocks)
            else:
                results = map_in_order(worker.play_block, blocks, self.jobs)
            with closing(results) as block_results:
                for block_result in block_results:
                    self._count_block(block_result, checkpoints)
                    if not plays_here and code is not None:
                        code.find()  # this begins to build it once that pays
                    if progress is not None:
                        progress(self.statistics.game_count)
        except BaseException:
            if checkpoints is not None:
                checkpoints.write()
            raise
        finally:
            if code is not None:
                code.stop()
                self.use.refused = self.use.refused or code.reason
        return self.statistics

    def _count_block(self, block_result: BlockResult, checkpoints: CheckpointWriter | None) -> None:
        """Add a finished block."""
        self.statistics.add(block_result.statistics)
        self.use.add(block_result.use)
        self.finished_blocks += 1
        if checkpoints is not None:
            checkpoints.add_block(self.finished_blocks, self.statistics, self.use, block_result.lines)

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON value, with these keys and others. Fractions are rounded to four decimals.

        ``games`` is the number of games to play, rounded up to a multiple of the number of seatings. It stands beside
        ``games_played`` and ``games_finished``. ``decisions`` is the total of the finished games, and ``length`` has
        their ``mean``, ``deviation``, ``shortest`` and ``longest`` number. Each item of ``seats`` has ``seat`` (such as
        ``P1``), ``kind``, ``wins``, ``shared_wins``, ``mean_payoff`` and ``means`` (by column title). Its ``win_rate``
        is that of sole wins, and ``win_rate_95`` is a list of the low and high end. If no game was finished,
        ``shortest`` and ``longest`` are None, each mean, deviation and win rate is 0.0, ``win_rate_95`` is
        ``[0.0, 1.0]``, and ``means`` is empty. ``ends`` maps each reason to the number of games, the most frequent
        first. With several seatings, each ``kind`` in ``seats`` is None, and ``lineup``, otherwise missing, has an item
        for each player, like those of ``seats`` with its ``kind`` and without ``seat``.
        """
        tally, program = self.statistics, self.game.program
        kinds: Sequence[str | None] = self.kinds if tally.lineup is None else [None] * len(self.kinds)
        seats = [{"seat": f"P{number}", **row} for number, row in enumerate(_list_results(tally, kinds), 1)]
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "players": self.game.players,
            "options": self.game.written_options,
            "seed": self.seed,
            "games": self.games,
            "games_played": tally.game_count,
            "games_finished": tally.finished_count,
            "ties": tally.ties,
            "decisions": tally.lengths.sums.total,
            "length": {
                "mean": _round(tally.lengths.sums.mean),
                "deviation": _round(tally.lengths.sums.deviation),
                "shortest": tally.lengths.low,
                "longest": tally.lengths.high,
            },
            "seats": seats,
            **({} if tally.lineup is None else {"lineup": _list_results(tally.lineup, self.kinds)}),
            "ends": dict(tally.reasons.most_common()),
            "checked": self.settings.checks_invariants,
            "invariants_broken": dict(tally.broken_invariants),
            "faults": dict(tally.faults),
            "endless": tally.endless,
            "examples": [vars(failure) for failure in tally.first_failures.values()],
            **({} if self.use == NativeUsage() else {"native": self.use.to_json()}),
        }


def _list_results(tally: Statistics, kinds: Sequence[str | None]) -> list[dict[str, Any]]:
    """Return the results of each seat or player. ``kinds`` are their names."""
    n = tally.finished_count
    return [
        {
            "kind": kind,
            "wins": tally.wins[index],
            "shared_wins": tally.shared_wins[index],
            "win_rate": _divide(tally.wins[index], n),
            "win_rate_95": [_round(bound) for bound in calculate_wilson_interval(tally.wins[index], n)],
            "mean_payoff": _divide(tally.payoffs[index], n),
            "means": {title: _divide(sums[index], n) for title, sums in tally.totals.items()},
        }
        for index, kind in enumerate(kinds)
    ]


def _divide(dividend: float, total: int) -> float:
    return _round(dividend / total) if total else 0.0


def _round(value: float) -> float:
    return round(value, 4)
