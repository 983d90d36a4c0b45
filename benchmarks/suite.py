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
from .peers import PLAYED, open_spiel_loops, open_spiel_searches, peers
from .targets import Verdict
from .timing import Contestant, Effort, Timing, race, ratio, spread


@dataclass(frozen=True)
class Run:
    """The choices of the command line."""

    effort: Effort
    quick: bool
    with_peers: bool
    native: bool = False


@dataclass(frozen=True)
class Section:
    """The result of one benchmark. ``rows`` are texts under ``columns``. ``data`` has the same and more, unrounded."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    verdicts: tuple[Verdict, ...]
    data: dict[str, Any]
    remarks: tuple[str, ...] = field(default=())


def game_race(subject: games.Subject, run: Run) -> Section:
    """Measure random games of yardsticks, our builds, and peers with ``--peers``."""
    entered = games.contestants(subject)
    remarks: list[str] = []
    if run.with_peers:
        found, remarks = peers(subject.name)
        entered += found
    timings = race(entered, run.effort)
    by_role = {timing.role: timing for timing in timings}
    rows = tuple(
        (
            timing.name,
            f"{timing.rate:,.0f}",
            f"{timing.rate * timing.steps:,.0f}",
            f"{timing.steps:.1f}",
            _spread_text(timing),
            _times(by_role["playout"], timing),
            _times(by_role["stepwise"], timing),
        )
        for timing in timings
    )
    return Section(
        f"{subject.title}: random games to the end",
        ("", "games/s", "moves/s", "moves", "spread", "playout is", "five verbs are"),
        rows,
        tuple(targets.of_games(subject.name, subject.title, timings)),
        {"game": subject.name, "players": subject.players, "timings": [_timing_json(t) for t in timings]},
        tuple(remarks),
    )


def native_race(name: str, run: Run) -> Section:
    """Measure random games in native code and in the playout build."""
    game = Game(load_program(find_bundled_rulesets()[name]))
    began = perf_counter()
    try:
        native = NativeGames(game)
    except NoNative as none:
        return Section(f"{name}: native", ("",), (), (), {"game": name}, (str(none),))
    built = perf_counter() - began
    entered = [
        Contestant("playout build", "playout", games.playouts(game)),
        Contestant("native code", "native", games.native_games(native, read=False)),
        Contestant("native code, results read in Python", "read", games.native_games(native, read=True)),
    ]
    timings = race(entered, run.effort)
    playout, found, _ = timings
    rows = tuple(
        (t.name, f"{t.rate:,.0f}", f"{t.rate * t.steps:,.0f}", f"{t.steps:.1f}", _spread_text(t), _times(t, playout))
        for t in timings
    )
    return Section(
        f"{name}, {game.players} players: native code, built in {built:.1f} s",
        ("", "games/s", "moves/s", "moves", "spread", "times"),
        rows,
        tuple(targets.of_native(name, found, playout)),
        {"game": name, "built": built, "timings": [_timing_json(t) for t in timings]},
    )


def native_field(subject: games.Subject, run: Run) -> Section:
    """Compare native code with hand-written classes of the same game, and with peers if ``--peers`` is given."""
    game = subject.game()
    try:
        native = NativeGames(game)
    except NoNative as none:
        return Section(f"{subject.title}: the field", ("",), (), (), {"game": subject.name}, (str(none),))
    entered = [Contestant("native code", "native", games.native_games(native, read=False)), *games.yardsticks(subject)]
    remarks: list[str] = []
    if run.with_peers:
        for others, told in (open_spiel_loops(subject.name), peers(subject.name)):
            entered += others
            remarks += told
    timings = race(entered, run.effort)
    rows = tuple(
        (t.name, f"{t.rate:,.0f}", f"{t.rate * t.steps:,.0f}", f"{t.steps:.1f}", _spread_text(t), _times(timings[0], t))
        for t in timings
    )
    return Section(
        f"{subject.title}: native code in the field",
        ("", "games/s", "moves/s", "moves", "spread", "native is"),
        rows,
        tuple(targets.of_field(subject.title, subject.name, timings)),
        {"game": subject.name, "timings": [_timing_json(t) for t in timings]},
        tuple(remarks),
    )


def steps_race(name: str, run: Run) -> Section:
    """Measure stepwise games and simulations of a search, in native code and in Python, and passing states to native
    code."""
    game = Game(load_program(find_bundled_rulesets()[name]))
    began = perf_counter()
    try:
        steps = NativeSteps(game)
    except NoNative as none:
        return Section(f"{name}: native steps", ("",), (), (), {"game": name}, (str(none),))
    built = perf_counter() - began
    entered = [
        Contestant("silent build, games", "stepwise", searching.stepping(game)),
        Contestant("native code, games", "native stepwise", searching.stepping_in_c(steps)),
        Contestant("silent build, simulations", "search", searching.simulations(game, PYTHON_BACKEND)),
        Contestant("native code, simulations", "native search", searching.simulations(game, NativeBackend(steps))),
        Contestant("a world handed over", "world", searching.worlds(game, steps)),
        *open_spiel_searches(name, searching.MANY),
    ]
    timings = race(entered, run.effort)
    python = timings[0], timings[0], timings[2], timings[2], timings[4], timings[2]
    pairs = dict(zip(timings, python, strict=False))
    rows = tuple(
        (t.name, f"{t.rate:,.0f}", f"{t.rate * t.steps:,.0f}", _spread_text(t), _times(t, python))
        for t, python in pairs.items()
    )
    size, most = len(steps.start(1)), steps.most
    return Section(
        f"{name}, {game.players} players: native steps, built in {built:.1f} s, a state of {size:,} to {most:,} bytes",
        ("", "a second", "steps/s", "spread", "times"),
        rows,
        tuple(targets.of_native_steps(name, timings)),
        {"game": name, "built": built, "bytes": size, "most": most, "timings": [_timing_json(t) for t in timings]},
    )


def batch_race(name: str, run: Run) -> Section:
    """Measure decisions per second from Python: many states at once, one by one, and with the compiled engine."""
    game = Game(load_program(find_bundled_rulesets()[name]))
    title = f"{name}, {game.players} players: {batches.STATES:,} states at once"
    try:
        entered = [
            Contestant("a batch: legal masks, returns", "batch", batches.batches(game, observes=False)),
            Contestant("the same, and what the seat sees", "batch seen", batches.batches(game, observes=True)),
            Contestant("native code, one state a call", "one by one", batches.one_by_one(NativeSteps(game))),
            Contestant("silent build", "stepwise", searching.stepping(game)),
        ]
    except (NoNative, ImportError) as none:
        return Section(title, ("",), (), (), {"game": name}, (str(none),))
    timings = race(entered, run.effort)
    rows = tuple((t.name, f"{t.rate * t.steps:,.0f}", _spread_text(t)) for t in timings)
    measured = {"game": name, "states": batches.STATES, "timings": [_timing_json(t) for t in timings]}
    return Section(title, ("", "steps/s", "spread"), rows, tuple(targets.of_batch(name, timings[0])), measured)


def copying(run: Run) -> Section:
    """Measure copies of a position with four players."""
    timings = race(copies.contestants(games.EMPIRE_FOUR), run.effort)
    by_role = {timing.role: timing for timing in timings}
    rows = tuple((t.name, f"{1e6 / t.rate:.2f} µs", _spread_text(t), _times(by_role["state"], t)) for t in timings)
    return Section(
        f"{games.EMPIRE_FOUR.title}: a copy of the state",
        ("", "each", "spread", "ours is"),
        rows,
        tuple(targets.of_copies(timings)),
        {"timings": [_timing_json(t) for t in timings]},
    )


def rolling_out(run: Run) -> Section:
    """Measure rollouts: copy a position in the middle of a game with four players, and play on from the copy."""
    timings = race(copies.rollouts(games.EMPIRE_FOUR), run.effort)
    by_role = {timing.role: timing for timing in timings}
    rows = tuple(
        (t.name, f"{t.rate:,.0f}", f"{t.steps:.1f}", _spread_text(t), _times(by_role["stepwise"], t)) for t in timings
    )
    return Section(
        f"{games.EMPIRE_FOUR.title}: rollouts, from a copy of a position to the end",
        ("", "rollouts/s", "moves", "spread", "five verbs are"),
        rows,
        tuple(targets.of_rollouts(timings)),
        {"timings": [_timing_json(t) for t in timings]},
    )


def loading(run: Run) -> Section:
    """Measure fresh processes from the files to the first decision."""
    names = sorted(str(folder.relative_to(find_data_folder("rulesets"))) for folder in find_bundled_rulesets().values())
    with tempfile.TemporaryDirectory() as kept:
        samples = {}
        for name in names:
            folder = games.RULESETS / name
            samples[f"{name} cold"] = partial(processes.seconds_cold, folder)
            samples[f"{name} cached"] = partial(processes.seconds_to_first_decision, folder, kept)
        taken = processes.in_turns(samples, run.effort.repeats)
    seconds = {name: median(values) for name, values in taken.items()}
    verdicts = [v for n in names for v in targets.of_loading(n, seconds[f"{n} cold"], seconds[f"{n} cached"])]
    return Section(
        "Ready to play: imports, load, check, compile, first decision, in a fresh process",
        ("", "cold", "cached"),
        tuple((name, f"{seconds[f'{name} cold']:.3f} s", f"{seconds[f'{name} cached']:.3f} s") for name in names),
        tuple(verdicts),
        {"seconds": taken},
    )


def starting(run: Run) -> Section:
    """Compare ``lusory --help`` with a Python that does nothing."""
    samples = {
        "python -c pass": partial(processes.seconds_of, "-c", "pass"),
        "lusory --help": partial(processes.seconds_of, "-m", "lusory", "--help"),
    }
    taken = processes.in_turns(samples, 3 * run.effort.repeats)
    return Section(
        "Start-up: the whole process",
        ("", "each"),
        tuple((name, f"{median(values):.3f} s") for name, values in taken.items()),
        tuple(targets.of_help(median(taken["lusory --help"]))),
        {"seconds": taken},
    )


DIVIDED = (
    ("connect-four", 30, "mcts:200,mcts:200"),
    ("empire-engine", 200_000, "random,random"),
    ("empire-city", 1_500, "random,random"),
)
"""Game, number of games and seats of each division. One process takes some seconds for them."""


def dividing(run: Run) -> Section:
    """Measure ``lusory simulate`` with one process and with two, from start to end, in Python alone."""
    rows, verdicts, found = [], [], []
    for name, games_of_it, seats in DIVIDED:
        many = games_of_it // (8 if run.quick else 1)
        words = "-m", "lusory", "simulate", name, "--games", str(many), "--seats", seats, "--engine", "compiled"
        samples = {n: partial(processes.seconds_of, *words, "--jobs", n) for n in ("1", "2")}
        taken = processes.in_turns(samples, run.effort.repeats)
        times = spread([one / two for one, two in zip(taken["1"], taken["2"], strict=True)])
        seconds = [f"{median(taken[jobs]):.2f} s" for jobs in taken]
        rows.append((f"{name}, {many:,} games, {seats}", *seconds, f"{times.middle:.2f}"))
        verdicts += targets.of_jobs(f"{name}, {seats}", times.middle)
        found.append({"game": name, "games": many, "seats": seats, "seconds": taken})
    return Section(
        "Two processes beside one", ("", "--jobs 1", "--jobs 2", "times"), tuple(rows), tuple(verdicts), {"runs": found}
    )


SIMULATED = "classics/kuhn-poker"


def table(run: Run) -> Section:
    """Measure how soon the full screen appears and answers."""
    try:
        from . import table_latency
    except ImportError:
        return Section("The table", ("",), (), (), {}, ("this system has no pseudo-terminals: skipped",))
    names = table_latency.GAMES[:: 5 if run.quick else 1]
    found = list(table_latency.of_all(names, table_latency.SIZES, 2 if run.quick else 5))
    rows = tuple(
        (
            f"{one.game}, {one.size[0]}x{one.size[1]}: {one.kind}",
            f"{1000 * one.first:.0f} ms",
            f"{1000 * one.last:.0f} ms",
            "" if one.work is None else f"{1000 * one.work:.0f} ms",
        )
        for one in found
    )
    data = [{"game": a.game, "size": a.size, "kind": a.kind, "bursts": [asdict(b) for b in a.bursts]} for a in found]
    return Section(
        "The table: from a key to what it changes",
        ("", "first byte", "settled", "processor"),
        rows,
        tuple(verdict for one in found for verdict in targets.of_table(one)),
        {"answers": data},
    )


def memory(run: Run) -> Section:
    """Measure the peak memory of ``lusory simulate`` for few games and for a hundred times as many."""
    if not processes.can_measure_memory():
        return Section("Peak memory", ("",), (), (), {}, ("this system does not tell a process's peak: skipped",))
    few, times = (100, 20) if run.quick else (1_000, 100)
    folder = str(games.RULESETS / SIMULATED)
    with tempfile.TemporaryDirectory() as kept:

        def peak(count: int) -> float:
            return processes.peak_of("-m", "lusory", "simulate", folder, "--games", str(count), LUSORY_CACHE=kept)

        peak(1)  # what is kept for the next time takes memory to make
        peaks = {count: peak(count) for count in (few, few * times)}
    return Section(
        f"Peak memory: lusory simulate {SIMULATED}",
        ("games", "peak"),
        tuple((f"{count:,}", f"{peak / 2**20:.1f} MiB") for count, peak in peaks.items()),
        tuple(targets.of_memory(peaks[few], peaks[few * times], times)),
        {"peaks": {str(count): peak for count, peak in peaks.items()}},
    )


def _races(name: str) -> tuple[Callable[[Run], Section], ...]:
    return tuple(partial(game_race, subject) for subject in games.SUBJECTS if subject.name == name)


BENCHMARKS: dict[str, tuple[Callable[[Run], Section], ...]] = {
    **{subject.name: _races(subject.name) for subject in games.SUBJECTS},
    "copy": (copying,),
    "rollout": (rolling_out,),
    "load": (loading,),
    "start-up": (starting,),
    "jobs": (dividing,),
    "table": (table,),
    "memory": (memory,),
}


def native_benchmarks() -> dict[str, tuple[Callable[[Run], Section], ...]]:
    return {
        name: (
            partial(native_race, name),
            *(
                partial(native_field, one)
                for one in games.SUBJECTS
                if one.name == name and (one.styles or name in PLAYED)
            ),
            partial(steps_race, name),
            *([partial(batch_race, name)] if name in targets.BATCHED else []),
        )
        for name in sorted(find_bundled_rulesets())
    }


def sections(only: Collection[str] | None, run: Run, progress: Callable[[str], None]) -> Iterator[Section]:
    """Run benchmarks, all or ``only`` some, in the order of the table. Calls ``progress`` with the name of each."""
    table = native_benchmarks() if run.native else BENCHMARKS
    chosen = [(name, b) for name, several in table.items() if not only or name in only for b in several]
    for number, (name, benchmark) in enumerate(chosen, 1):
        progress(f"{name} ({number} of {len(chosen)}) …")
        section = benchmark(run)
        progress("")
        yield section


def _times(ours: Timing, theirs: Timing) -> str:
    if ours is theirs:
        return ""
    found = ratio(ours, theirs)
    return f"{found.middle:.2f}×"


def _spread_text(timing: Timing) -> str:
    found = spread(timing.rates)
    return f"±{50 * (found.high - found.low) / found.middle:.0f} %"


def _timing_json(timing: Timing) -> dict[str, Any]:
    return {"name": timing.name, "role": timing.role, "per_second": timing.rates, "moves": timing.steps}
