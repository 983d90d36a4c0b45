"""Run benchmarks by name. Each gives a :class:`Section`: a table, remarks, and verdicts. Used by the command line."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

from lusory.game import Game
from lusory.native.c_compiler import NoNative
from lusory.native.search import NativeBackend
from lusory.native.whole_games_and_stepwise_play import NativeGames, NativeSteps
from lusory.search.option_evaluation import PYTHON_BACKEND
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets, find_data_folder

from . import batches, copies, games, processes, searching, targets
from .peers import PEER_GAMES, list_peer_loops, list_peer_searches, list_peers
from .targets import Verdict
from .timing import Contestant, Effort, Timing, compute_ratio, compute_spread, run_race


@dataclass(frozen=True)
class Run:
    """The choices of the command line."""

    effort: Effort
    is_quick: bool
    with_peers: bool
    with_native: bool = False


@dataclass(frozen=True)
class Section:
    """The result of one benchmark. ``rows`` are texts under ``columns``. ``data`` has the same and more, unrounded."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    verdicts: tuple[Verdict, ...]
    data: dict[str, Any]
    remarks: tuple[str, ...] = field(default=())


def race_games(subject: games.Subject, run: Run) -> Section:
    """Measure random games of yardsticks, our builds, and peers with ``--peers``."""
    contestants = games.list_contestants(subject)
    remarks: list[str] = []
    if run.with_peers:
        peer_contestants, remarks = list_peers(subject.name)
        contestants += peer_contestants
    timings = run_race(contestants, run.effort)
    by_role = {timing.role: timing for timing in timings}
    rows = tuple(
        (*_format_timing(timing), _format_times(by_role["playout"], timing), _format_times(by_role["stepwise"], timing))
        for timing in timings
    )
    return Section(
        f"{subject.title}: random games to the end",
        ("", "games/s", "moves/s", "moves", "spread", "playout is", "five verbs are"),
        rows,
        tuple(targets.judge_games(subject.name, subject.title, timings)),
        {"game": subject.name, "players": subject.players, "timings": [_timing_to_json(timing) for timing in timings]},
        tuple(remarks),
    )


def race_native(name: str, run: Run) -> Section:
    """Measure random games in native code and in the playout build."""
    game = Game(load_program(find_bundled_rulesets()[name]))
    start = perf_counter()
    try:
        native = NativeGames(game)
    except NoNative as error:
        return Section(f"{name}: native", ("",), (), (), {"game": name}, (str(error),))
    build_seconds = perf_counter() - start
    contestants = [
        Contestant("playout build", "playout", games.play_playouts(game)),
        Contestant("native code", "native", games.play_native(native, reads_results=False)),
        Contestant("native code, results read in Python", "read", games.play_native(native, reads_results=True)),
    ]
    timings = run_race(contestants, run.effort)
    playout, native_timing, _ = timings
    rows = tuple((*_format_timing(timing), _format_times(timing, playout)) for timing in timings)
    return Section(
        f"{name}, {game.players} players: native code, built in {build_seconds:.1f} s",
        ("", "games/s", "moves/s", "moves", "spread", "times"),
        rows,
        tuple(targets.judge_native(name, native_timing, playout)),
        {"game": name, "built": build_seconds, "timings": [_timing_to_json(timing) for timing in timings]},
    )


def race_field(subject: games.Subject, run: Run) -> Section:
    """Compare native code with hand-written classes of the same game, and with peers if ``--peers`` is given."""
    game = subject.create_game()
    try:
        native = NativeGames(game)
    except NoNative as error:
        return Section(f"{subject.title}: the field", ("",), (), (), {"game": subject.name}, (str(error),))
    contestants = [Contestant("native code", "native", games.play_native(native, False))]
    contestants += games.list_yardsticks(subject)
    remarks: list[str] = []
    if run.with_peers:
        for peer_contestants, peer_remarks in (list_peer_loops(subject.name), list_peers(subject.name)):
            contestants += peer_contestants
            remarks += peer_remarks
    timings = run_race(contestants, run.effort)
    rows = tuple((*_format_timing(timing), _format_times(timings[0], timing)) for timing in timings)
    return Section(
        f"{subject.title}: native code in the field",
        ("", "games/s", "moves/s", "moves", "spread", "native is"),
        rows,
        tuple(targets.judge_field(subject.title, subject.name, timings)),
        {"game": subject.name, "timings": [_timing_to_json(timing) for timing in timings]},
        tuple(remarks),
    )


def race_steps(name: str, run: Run) -> Section:
    """Measure stepwise games and simulations of a search, in native code and in Python, and passing states to native
    code."""
    game = Game(load_program(find_bundled_rulesets()[name]))
    start = perf_counter()
    try:
        steps = NativeSteps(game)
    except NoNative as error:
        return Section(f"{name}: native steps", ("",), (), (), {"game": name}, (str(error),))
    build_seconds = perf_counter() - start
    contestants = [
        Contestant("silent build, games", "stepwise", searching.play_stepwise(game)),
        Contestant("native code, games", "native stepwise", searching.play_natively(steps)),
        Contestant("silent build, simulations", "search", searching.run_simulations(game, PYTHON_BACKEND)),
        Contestant("native code, simulations", "native search", searching.run_simulations(game, NativeBackend(steps))),
        Contestant("a world handed over", "world", searching.pass_worlds(game, steps)),
        *list_peer_searches(name, searching.MAX_SIMULATIONS),
    ]
    timings = run_race(contestants, run.effort)
    python = timings[0], timings[0], timings[2], timings[2], timings[4], timings[2]
    pairs = dict(zip(timings, python, strict=False))
    rows = tuple(
        (
            timing.name,
            f"{timing.rate:,.0f}",
            f"{timing.rate * timing.steps:,.0f}",
            _format_spread(timing),
            _format_times(timing, python),
        )
        for timing, python in pairs.items()
    )
    title, size, most = f"{name}, {game.players} players", len(steps.start(1)), steps.max_state_size
    data = {"game": name, "built": build_seconds, "bytes": size, "most": most}
    return Section(
        f"{title}: native steps, built in {build_seconds:.1f} s, a state of {size:,} to {most:,} bytes",
        ("", "a second", "steps/s", "spread", "times"),
        rows,
        tuple(targets.judge_native_steps(name, timings)),
        {**data, "timings": [_timing_to_json(timing) for timing in timings]},
    )


def race_batches(name: str, run: Run) -> Section:
    """Measure decisions per second from Python: many states at once, one by one, and with the compiled engine."""
    game = Game(load_program(find_bundled_rulesets()[name]))
    title = f"{name}, {game.players} players: {batches.STATES:,} states at once"
    try:
        contestants = [
            Contestant("a batch: legal masks, returns", "batch", batches.step_batches(game, observes=False)),
            Contestant("the same, and what the seat sees", "batch seen", batches.step_batches(game, observes=True)),
            Contestant("native code, one state a call", "one by one", batches.step_states(NativeSteps(game))),
            Contestant("silent build", "stepwise", searching.play_stepwise(game)),
        ]
    except (NoNative, ImportError) as error:
        return Section(title, ("",), (), (), {"game": name}, (str(error),))
    timings = run_race(contestants, run.effort)
    rows = tuple((timing.name, f"{timing.rate * timing.steps:,.0f}", _format_spread(timing)) for timing in timings)
    data = {"game": name, "states": batches.STATES, "timings": [_timing_to_json(timing) for timing in timings]}
    return Section(title, ("", "steps/s", "spread"), rows, tuple(targets.judge_batch(name, timings[0])), data)


def measure_copies(run: Run) -> Section:
    """Measure copies of a position with four players."""
    timings = run_race(copies.list_contestants(games.EMPIRE_FOUR), run.effort)
    by_role = {timing.role: timing for timing in timings}
    rows = tuple(
        (timing.name, f"{1e6 / timing.rate:.2f} µs", _format_spread(timing), _format_times(by_role["state"], timing))
        for timing in timings
    )
    return Section(
        f"{games.EMPIRE_FOUR.title}: a copy of the state",
        ("", "each", "spread", "ours is"),
        rows,
        tuple(targets.judge_copies(timings)),
        {"timings": [_timing_to_json(timing) for timing in timings]},
    )


def measure_rollouts(run: Run) -> Section:
    """Measure rollouts: copy a position in the middle of a game with four players, and play on from the copy."""
    timings = run_race(copies.list_rollouts(games.EMPIRE_FOUR), run.effort)
    by_role = {timing.role: timing for timing in timings}
    rows = tuple(
        (
            timing.name,
            f"{timing.rate:,.0f}",
            f"{timing.steps:.1f}",
            _format_spread(timing),
            _format_times(by_role["stepwise"], timing),
        )
        for timing in timings
    )
    return Section(
        f"{games.EMPIRE_FOUR.title}: rollouts, from a copy of a position to the end",
        ("", "rollouts/s", "moves", "spread", "five verbs are"),
        rows,
        tuple(targets.judge_rollouts(timings)),
        {"timings": [_timing_to_json(timing) for timing in timings]},
    )


def measure_loading(run: Run) -> Section:
    """Measure fresh processes from the files to the first decision."""
    names = sorted(str(folder.relative_to(find_data_folder("rulesets"))) for folder in find_bundled_rulesets().values())
    with tempfile.TemporaryDirectory() as cache:
        samples = {}
        for name in names:
            folder = games.RULESETS / name
            samples[f"{name} cold"] = partial(processes.time_cold_start, folder)
            samples[f"{name} cached"] = partial(processes.time_first_decision, folder, cache)
        values_by_sample = processes.measure_in_turn(samples, run.effort.repeats)
    seconds = {name: median(values) for name, values in values_by_sample.items()}
    pairs = {name: (seconds[f"{name} cold"], seconds[f"{name} cached"]) for name in names}
    verdicts = [verdict for name, pair in pairs.items() for verdict in targets.judge_loading(name, *pair)]
    return Section(
        "Ready to play: imports, load, check, compile, first decision, in a fresh process",
        ("", "cold", "cached"),
        tuple((name, f"{cold:.3f} s", f"{warm:.3f} s") for name, (cold, warm) in pairs.items()),
        tuple(verdicts),
        {"seconds": values_by_sample},
    )


def measure_start_up(run: Run) -> Section:
    """Compare ``lusory --help`` with a Python that does nothing."""
    samples = {
        "python -c pass": partial(processes.time_python, "-c", "pass"),
        "lusory --help": partial(processes.time_python, "-m", "lusory", "--help"),
    }
    seconds = processes.measure_in_turn(samples, 3 * run.effort.repeats)
    return Section(
        "Start-up: the whole process",
        ("", "each"),
        tuple((name, f"{median(values):.3f} s") for name, values in seconds.items()),
        tuple(targets.judge_help(median(seconds["lusory --help"]))),
        {"seconds": seconds},
    )


JOBS_RUNS = (
    ("connect-four", 30, "mcts:200,mcts:200"),
    ("empire-engine", 200_000, "random,random"),
    ("empire-city", 1_500, "random,random"),
)
"""Game, number of games and seats of each division. One process takes some seconds for them."""


def measure_jobs(run: Run) -> Section:
    """Measure ``lusory simulate`` with one process and with two, from start to end, in Python alone."""
    rows, verdicts, runs = [], [], []
    for name, games_of_it, seats in JOBS_RUNS:
        count = games_of_it // (8 if run.is_quick else 1)
        arguments = "-m", "lusory", "simulate", name, "--games", str(count), "--seats", seats, "--engine", "compiled"
        samples = {n: partial(processes.time_python, *arguments, "--jobs", n) for n in ("1", "2")}
        seconds_by_jobs = processes.measure_in_turn(samples, run.effort.repeats)
        pairs = zip(*seconds_by_jobs.values(), strict=True)
        times = compute_spread([single / double for single, double in pairs])
        seconds = [f"{median(values):.2f} s" for values in seconds_by_jobs.values()]
        rows.append((f"{name}, {count:,} games, {seats}", *seconds, f"{times.middle:.2f}"))
        verdicts += targets.judge_jobs(f"{name}, {seats}", times.middle)
        runs.append({"game": name, "games": count, "seats": seats, "seconds": seconds_by_jobs})
    return Section(
        "Two processes beside one", ("", "--jobs 1", "--jobs 2", "times"), tuple(rows), tuple(verdicts), {"runs": runs}
    )


MEMORY_GAME = "classics/kuhn-poker"


def measure_table(run: Run) -> Section:
    """Measure how soon the full screen appears and answers."""
    try:
        from . import table_latency
    except ImportError:
        return Section("The table", ("",), (), (), {}, ("this system has no pseudo-terminals: skipped",))
    names = table_latency.GAMES[:: 5 if run.is_quick else 1]
    answers = list(table_latency.measure_all(names, table_latency.SIZES, 2 if run.is_quick else 5))
    rows = tuple(
        (
            f"{answer.game}, {answer.size[0]}x{answer.size[1]}: {answer.kind}",
            f"{1000 * answer.first:.0f} ms",
            f"{1000 * answer.last:.0f} ms",
            "" if answer.work is None else f"{1000 * answer.work:.0f} ms",
        )
        for answer in answers
    )
    data = [
        {"game": row.game, "size": row.size, "kind": row.kind, "bursts": [asdict(burst) for burst in row.bursts]}
        for row in answers
    ]
    return Section(
        "The table: from a key to what it changes",
        ("", "first byte", "settled", "processor"),
        rows,
        tuple(verdict for answer in answers for verdict in targets.judge_table(answer)),
        {"answers": data},
    )


def measure_memory(run: Run) -> Section:
    """Measure the peak memory of ``lusory simulate`` for few games and for a hundred times as many."""
    if not processes.can_measure_memory():
        return Section("Peak memory", ("",), (), (), {}, ("this system does not tell a process's peak: skipped",))
    few, times = (100, 20) if run.is_quick else (1_000, 100)
    folder = str(games.RULESETS / MEMORY_GAME)
    with tempfile.TemporaryDirectory() as cache:

        def measure_peak(count: int) -> float:
            return processes.measure_peak("-m", "lusory", "simulate", folder, "--games", str(count), LUSORY_CACHE=cache)

        measure_peak(1)  # what is kept for the next time takes memory to make
        peaks = {count: measure_peak(count) for count in (few, few * times)}
    return Section(
        f"Peak memory: lusory simulate {MEMORY_GAME}",
        ("games", "peak"),
        tuple((f"{count:,}", f"{peak / 2**20:.1f} MiB") for count, peak in peaks.items()),
        tuple(targets.judge_memory(peaks[few], peaks[few * times], times)),
        {"peaks": {str(count): peak for count, peak in peaks.items()}},
    )


def _list_races(name: str) -> tuple[Callable[[Run], Section], ...]:
    return tuple(partial(race_games, subject) for subject in games.SUBJECTS if subject.name == name)


BENCHMARKS: dict[str, tuple[Callable[[Run], Section], ...]] = {
    **{subject.name: _list_races(subject.name) for subject in games.SUBJECTS},
    "copy": (measure_copies,),
    "rollout": (measure_rollouts,),
    "load": (measure_loading,),
    "start-up": (measure_start_up,),
    "jobs": (measure_jobs,),
    "table": (measure_table,),
    "memory": (measure_memory,),
}


def list_native_benchmarks() -> dict[str, tuple[Callable[[Run], Section], ...]]:
    return {
        name: (
            partial(race_native, name),
            *(
                partial(race_field, subject)
                for subject in games.SUBJECTS
                if subject.name == name and (subject.styles or name in PEER_GAMES)
            ),
            partial(race_steps, name),
            *([partial(race_batches, name)] if name in targets.BATCH_TARGETS else []),
        )
        for name in sorted(find_bundled_rulesets())
    }


def run_sections(only: Collection[str] | None, run: Run, progress: Callable[[str], None]) -> Iterator[Section]:
    """Run benchmarks, all or ``only`` some, in the order of the table. Calls ``progress`` with the name of each."""
    table = list_native_benchmarks() if run.with_native else BENCHMARKS
    tasks = [(name, measure) for name, row in table.items() if not only or name in only for measure in row]
    for number, (name, measure) in enumerate(tasks, 1):
        progress(f"{name} ({number} of {len(tasks)}) …")
        section = measure(run)
        progress("")
        yield section


def _format_timing(timing: Timing) -> tuple[str, ...]:
    """Return the name, the runs and moves per second, the moves of a run, and the spread."""
    per_second = f"{timing.rate:,.0f}", f"{timing.rate * timing.steps:,.0f}"
    return timing.name, *per_second, f"{timing.steps:.1f}", _format_spread(timing)


def _format_times(ours: Timing, theirs: Timing) -> str:
    if ours is theirs:
        return ""
    times = compute_ratio(ours, theirs)
    return f"{times.middle:.2f}×"


def _format_spread(timing: Timing) -> str:
    spread = compute_spread(timing.rates)
    return f"±{50 * (spread.high - spread.low) / spread.middle:.0f} %"


def _timing_to_json(timing: Timing) -> dict[str, Any]:
    return {"name": timing.name, "role": timing.role, "per_second": timing.rates, "moves": timing.steps}
