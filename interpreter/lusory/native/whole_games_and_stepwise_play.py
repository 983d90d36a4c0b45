"""Play whole games and single steps in native code.

:class:`NativeGames` plays whole random games. :class:`NativeSteps` plays from decision to decision.
:class:`BackgroundBuild` builds native code in a background thread, and :class:`DeferredBuild` decides when.
:class:`NativeUsage` counts what native code did.
"""

from __future__ import annotations

import ctypes
import os
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar, Unpack
from weakref import finalize, ref

from ..codegen.c.function_printer_and_c_types import NotNative
from ..codegen.c.marshalling import GameResult as GameResult, GeneratedC, deserialize_state, serialize_state
from ..game import Game
from ..state.decisions_outcomes_and_faults import NoSuchOption, Outcome, rank_outcome
from ..state.setting_value_limits_builtins_and_names import Setting
from ..state.state import State
from ..support.cache import Cache
from .c_compiler import (
    PREFIX,
    BuildOptions,
    CompilerProcess,
    NoNative,
    NotBuilt,
    StartCallback,
    compile_library,
    kill_compiler,
    load_library,
)
from .isolated_process import (
    LONG,
    TEXT,
    LibraryInterface,
    MemoryBlock,
    ProcessEnded,
    SandboxedLibrary,
    declare_functions,
)

STOP_SECONDS = 5.0
"""Seconds to wait for a compiler to end."""

MAX_BLOCK, SECONDS_PER_CALL = 256, 0.2
"""Greatest number of games in one call, and the approximate duration of a call in seconds.

Results arrive after each call.
"""

GAME_INTERFACE: LibraryInterface = {
    "context_size": (LONG,),
    "play_games": (None, ctypes.c_void_p, TEXT, LONG, ctypes.c_void_p),
    "count_decisions": (LONG, ctypes.c_void_p, ctypes.c_uint64, LONG, ctypes.c_void_p),
}
"""The functions of a library of whole games."""

NUMBER = ctypes.sizeof(LONG)
MAX_CACHED_WIDTH, MAX_CACHED_RESULTS = 48, 4_096
"""Result rows of up to the first number of values are cached, up to the second number of rows.

Short games often end alike.
"""

STREAM = (1 << 64) - 1
MAX_CRASHES = 3
"""After this many crashes, native code is no longer used."""


TRIAL_SOURCE = """\
#include <stdint.h>
int64_t context_size(void) { return 1; }
void play_games(void *context, const uint64_t *seeds, int64_t count, int64_t *rows) {
    rows[0] = (int64_t)seeds[0] + count;
}
int64_t count_decisions(void *context, uint64_t first, int64_t count, int64_t *row) { return (int64_t)first + count; }
"""
"""A minimal library, to test whether native code works at all."""


@dataclass
class NativeUsage:
    """Count what native code did, and what it left to Python.

    Attributes:
        played: Games that native code played.
        replayed: Games that Python replayed, after a fault or because a limit of C was exceeded.
        simulations: Simulations of searches.
        replayed_simulations: Simulations that Python repeated.
        declined_searches: Searches that were left to Python, by reason.
        crashes: Crashes of the native process, by reason.
        refused: The reason why there is no native code. Empty if there is.
    """

    played: int = 0
    replayed: int = 0
    simulations: int = 0
    replayed_simulations: int = 0
    declined_searches: Counter[str] = field(default_factory=Counter)
    crashes: Counter[str] = field(default_factory=Counter)
    refused: str = ""

    def add(self, usage: NativeUsage) -> None:
        """Add the counts of ``usage`` to this object, for ``declined_searches`` and ``crashes`` reason by reason.

        ``usage`` stays unchanged. An empty ``refused`` of this object is replaced by that of ``usage``. Example:
        ``NativeUsage(played=5, refused="no compiler")`` becomes ``NativeUsage(played=7, refused="no compiler")`` if
        ``usage`` is ``NativeUsage(played=2, refused="no library")``.
        """
        self.played += usage.played
        self.replayed += usage.replayed
        self.simulations += usage.simulations
        self.replayed_simulations += usage.replayed_simulations
        self.declined_searches += usage.declined_searches
        self.crashes += usage.crashes
        self.refused = self.refused or usage.refused

    def iterate_remarks(self) -> Iterator[str]:
        """Yield a line for the user about each kind of work that was left to Python, and about crashes.

        The lines are, in this order:

        - ``2 of 2,000 games in native code were played again by Python``, where 2 is ``replayed``, and 2,000 is
          ``played`` + ``replayed``;
        - ``1 of 500 simulations in native code was played again by Python``, where 1 is ``replayed_simulations``, and
          500 is ``simulations``;
        - ``2,000 searches left to Python: REASON`` (or ``1 search``) for each reason in ``declined_searches``;
        - ``native code crashed 2000 times: REASON`` for each in ``crashes``, and ``native code crashed: REASON`` for
          once;
        - ``native code did not play all games: REASON`` for ``refused``, unless ``played`` + ``replayed`` is 0.

        Each of the first two is left out if its first number is 0. They say “was” for 1, else “were”.
        """
        games = self.played + self.replayed
        if self.replayed:
            verb = "was" if self.replayed == 1 else "were"
            yield f"{self.replayed:,} of {games:,} games in native code {verb} played again by Python"
        if self.replayed_simulations:
            share = f"{self.replayed_simulations:,} of {self.simulations:,}"
            verb = "was" if self.replayed_simulations == 1 else "were"
            yield f"{share} simulations in native code {verb} played again by Python"
        for reason, count in self.declined_searches.items():
            yield f"{count:,} search{'' if count == 1 else 'es'} left to Python: {reason}"
        for reason, count in self.crashes.items():
            yield f"native code crashed{'' if count == 1 else f' {count} times'}: {reason}"
        if self.refused and games:
            yield f"native code did not play all games: {self.refused}"

    def to_json(self) -> dict[str, Any]:
        """Return the counts as a JSON object with ``played``, ``replayed``, ``crashes`` (reason -> number) and
        ``refused``.

        ``refused`` is None if nothing was refused. If a search ran or was declined, ``searches`` comes first: an object
        with ``simulations``, ``again`` (those that Python repeated) and ``left`` (reason -> declined searches).
        """
        searches = {
            "simulations": self.simulations,
            "again": self.replayed_simulations,
            "left": dict(self.declined_searches),
        }
        return {
            **({"searches": searches} if self.simulations or self.declined_searches else {}),
            "played": self.played,
            "replayed": self.replayed,
            "crashes": dict(self.crashes),
            "refused": self.refused or None,
        }


def generate_games_c(setting: Setting) -> GeneratedC:
    """Return the C of whole games as a GeneratedC: its ``text``, and a ``reader`` for the rows of results.

    Its ``parts`` is the number of parts of the text, which can be compiled in parallel. Its ``form`` is None.
    Raise NotNative if C does not support the game.
    """
    from ..codegen.build_stages_and_ir_listing import select_module
    from ..codegen.c.whole_games import emit_c  # imported late, because most runs use the cache

    return emit_c(setting, select_module(setting, "playout", keeps_masks=True))


class NativeGames:
    """Play whole random games of one setting in a native process. Raises NoNative if native code is not available.

    ``cache`` stores the library, and ``options`` are those of :func:`~lusory.native.c_compiler.load_library`. The
    counter ``crashes`` has the reason of each crash; its reader may clear it.
    """

    def __init__(self, game: Game, cache: Cache | None = None, **options: Unpack[BuildOptions]) -> None:
        if (ending := game.hidden_ending) is not None:
            raise NoNative(str(NotNative("the reason of an ending is not for all to know", ending.span)))
        self._library_file = load_library(
            game.setting, "games", lambda: generate_games_c(game.setting), cache, **options
        )
        self.reader = self._library_file.reader
        self.crashes: Counter[str] = Counter()
        self._crash_count = 0
        self._block_size = 1
        self._result_cache: dict[bytes, GameResult | None] = {}
        try:
            # a name without a folder would be searched on the library path
            self._library = SandboxedLibrary(os.path.abspath(self._library_file.path))
            declare_functions(self._library, GAME_INTERFACE)
            self._context = MemoryBlock(0, self._library.context_size())
        except ProcessEnded as error:
            raise NoNative(str(error)) from None
        self._rows = (LONG * (MAX_BLOCK * self.reader.width))()

    def play_games(self, seeds: Sequence[int]) -> Iterator[GameResult | None]:
        """Yield the result of the random game of each seed, in order. Seeds are taken modulo 2**64.

        The result is None if the game failed, exceeded a limit of C, or crashed the process. A crash also costs the
        other games of its block, which are at most :data:`MAX_BLOCK`, and is counted in ``crashes``. After
        :data:`MAX_CRASHES` crashes all results are None. Equal results may be the same object. Answers are drawn as in
        :func:`lusory.state.random_streams.make_choice_source`.
        """
        first = 0
        while first < len(seeds):
            block_seeds = seeds[first : first + self._block_size]
            first += len(block_seeds)
            start_time = monotonic()
            rows = self._play_block(array("Q", (seed & STREAM for seed in block_seeds)))
            duration = max(monotonic() - start_time, 1e-6)
            if rows is None:  # the duration of a crash means nothing, and the next crash should affect fewer games
                self._block_size = 1
                yield from [None] * len(block_seeds)
            else:
                self._block_size = max(1, min(MAX_BLOCK, int(SECONDS_PER_CALL * len(block_seeds) / duration)))
                yield from self._read(rows, len(block_seeds))

    def _play_block(self, seeds: array[int]) -> ctypes.Array[ctypes.c_int64] | None:
        """Play games, and return their result rows, or None if the process crashed."""
        if self._crash_count >= MAX_CRASHES:
            return None
        rows = (LONG * (len(seeds) * self.reader.width)).from_buffer(self._rows)
        try:
            self._library.play_games(self._context, seeds.tobytes(), len(seeds), rows)
        except ProcessEnded as error:
            self._crash_count += 1
            self.crashes[str(error)] += 1
            return None
        return rows

    def stop(self) -> None:
        """End the process, if it runs. The next call starts a new one."""
        self._library.close()

    def _read(self, rows: ctypes.Array[ctypes.c_int64], game_count: int) -> Iterator[GameResult | None]:
        width, cache = self.reader.width, self._result_cache
        row = width * NUMBER
        data = memoryview(rows).cast("B").tobytes() if width <= MAX_CACHED_WIDTH else b""
        for number in range(game_count):
            key = data[number * row : (number + 1) * row]
            if key and key in cache:
                yield cache[key]
                continue
            result = self.reader.read_result(rows, number * width)  # type: ignore[arg-type]
            if key and len(cache) < MAX_CACHED_RESULTS:
                cache[key] = result
            yield result

    def count_decisions(self, first_seed: int, game_count: int) -> int:
        """Return the total number of decisions in ``game_count`` random games, with the seeds from ``first_seed`` on.

        This measures speed: nothing else of the games is read. Raise ProcessEnded after a crash.
        """
        row = (LONG * self.reader.width).from_buffer(self._rows)
        return int(self._library.count_decisions(self._context, first_seed & STREAM, game_count, row))


Code = TypeVar("Code")


class BackgroundBuild(Generic[Code]):
    """Build native code in a background thread, which starts at once.

    ``make`` builds it, and calls its argument with each compiler process. ``reason`` says why there is no native code;
    it is empty if there is, or if that is not known yet.
    """

    def __init__(self, make: Callable[[StartCallback], Code]) -> None:
        self.reason = ""
        self._native: Code | None = None
        self._children: list[CompilerProcess] = []
        self._is_stopped = False
        self._compiler_runs = threading.Event()
        self._thread = threading.Thread(target=self._build, args=(make,), daemon=True)
        self._thread.start()

    def _build(self, make: Callable[[StartCallback], Code]) -> None:
        try:
            self._native = make(self._register_compiler)
        except NoNative as error:
            self.reason = str(error)
        except OSError as error:  # e.g. the disk is full
            self.reason = f"native code can't be kept: {error.strerror or error}"
        finally:
            self._compiler_runs.set()

    def _register_compiler(self, child: CompilerProcess) -> None:
        self._children.append(child)
        self._compiler_runs.set()
        if self._is_stopped:
            kill_compiler(child)

    def take(self) -> Code | None:
        """Return the native code, or None while it is being built and if it is not available (see ``reason``)."""
        return None if self._thread.is_alive() else self._native

    def _wait_for_compiler(self) -> None:
        """Wait until a compiler is running, or the build is over.

        Before that, the thread holds locks, for example of imports. A process forked at that time would find them
        locked forever.
        """
        self._compiler_runs.wait()

    def stop(self) -> None:
        """Kill the compilers of the build, now and whenever one starts later.

        Wait for the thread, at most ``STOP_SECONDS`` (5) seconds, and return even if it still runs. If a compiler was
        killed, the build fails: once the thread ends, ``take()`` gives None, and ``reason`` is ``the C compiler gives
        up: exit code -9``. A build that starts no more compilers, such as one from the cache, still ends with its code.
        One that is over keeps its code or ``reason``.
        """
        self._is_stopped = True
        for child in self._children:
            kill_compiler(child)
        self._thread.join(STOP_SECONDS)


class DeferredBuild(Generic[Code]):
    """Native code that comes from the cache, or is built in the background once games have gone on for a while.

    Attributes:
        make: Makes the code, with the options of :func:`~lusory.native.c_compiler.load_library`.
        delay: Seconds after a look into the cache that found nothing, until the code is built or looked for again.
        can_build: Whether this process builds. Otherwise it only looks into the cache.
        must_wait: Whether to build at once, and to wait for it.
        reason: Why there will be no native code. Empty if there is, or if that is not known yet.
    """

    def __init__(
        self, make: Callable[..., Code], delay: float, can_build: bool = True, must_wait: bool = False
    ) -> None:
        self.make, self.delay, self.can_build, self.must_wait = make, delay, can_build, must_wait
        self.reason = ""
        self._code: Code | None = None
        self._running_build: BackgroundBuild[Code] | None = None
        self._has_looked, self._next_look = False, 0.0

    def find(self) -> Code | None:
        """Return the native code, or None if it is not available yet, or never (see ``reason``)."""
        if self._code is None and not self.reason:
            try:
                self._look()
            except NoNative as error:
                self.reason = str(error)
        return self._code

    def _look(self) -> None:
        """Check if the code is available by now, and start to build it if that pays off. Raises NoNative."""
        if self._running_build is not None:
            self._code, self.reason = self._running_build.take(), self._running_build.reason
        elif self.must_wait and self.can_build:
            self._code = self.make()
        elif monotonic() >= self._next_look:
            if self._has_looked and self.can_build:
                self.start()
                return
            self._has_looked, self._next_look = True, monotonic() + self.delay
            with suppress(NotBuilt):
                self._code = self.make(build=False)

    def start(self) -> BackgroundBuild[Code]:
        """Start to build in the background, and return the running build.

        Its ``take()`` gives None until the code is built, then the code. It still gives None if the build fails, and
        its ``reason`` says why. A second call would start another build, while the first goes on. Each build is stopped
        when ``self`` is garbage-collected.
        """
        make = self.make  # the thread must not keep this object alive, which stops the build at its end
        self._running_build = BackgroundBuild(lambda notify: make(notify=notify))
        finalize(self, self._running_build.stop)
        return self._running_build

    def build_for_others(self, cache: Cache | None, starts_now: bool = True) -> None:
        """Build the code into the cache, before many processes look for it there. Call this at most once.

        Without a cache they cannot find it, so nothing is built, and ``reason`` says why. Otherwise return once a
        compiler runs; with ``must_wait``, only once the code is built. Without ``starts_now``, code that need not wait
        is built later, by :meth:`find`.
        """
        if cache is None:
            self.reason = "the cache is switched off, in which processes find native code"
        elif self.must_wait:
            self.find()
        elif starts_now:
            self.start()._wait_for_compiler()

    def stop(self) -> None:
        """Abort the build in progress, if there is one."""
        if self._running_build is not None:
            self._running_build.stop()


def check_native_games() -> None:
    """Compile a minimal library and call it in a process of its own.

    Raise NoNative if there is no compiler, if it fails, or if the library crashes or gives a wrong result.
    """
    with TemporaryDirectory(prefix=PREFIX) as folder:
        path = Path(folder, "trial.so")
        path.write_bytes(compile_library(TRIAL_SOURCE))
        try:
            library = SandboxedLibrary(str(path))
            declare_functions(library, GAME_INTERFACE)
            row, context = (LONG * 1)(), MemoryBlock(0, library.context_size())
            library.play_games(context, array("Q", [41]).tobytes(), 1, row)
            if (row[0], library.count_decisions(context, 40, 2, row)) != (42, 42):
                raise NoNative("native code gives wrong results")
        except ProcessEnded as error:
            raise NoNative(str(error)) from None
        library.close()


POINTER = ctypes.c_void_p
STEP_INTERFACE: LibraryInterface = {
    "context_size": (LONG,),
    "max_state_size": (LONG,),
    "state_size": (LONG, POINTER),
    "save_state": (None, POINTER, POINTER),
    "load_state": (None, POINTER, TEXT),
    "begin_game": (ctypes.c_int, POINTER, ctypes.c_uint64),
    "apply_option": (ctypes.c_int, POINTER, LONG),
    "current_decision": (None, POINTER, POINTER),
    "write_result": (ctypes.c_int, POINTER, POINTER),
    "serialize_state": (LONG, POINTER, POINTER),
    "deserialize_state": (ctypes.c_int, POINTER, TEXT, LONG),
    "play_games": (None, POINTER, TEXT, LONG, POINTER),
    "count_decisions": (LONG, POINTER, ctypes.c_uint64, LONG, POINTER),
}
"""The functions of a library of stepwise play."""

CONTEXT = 0
"""The number of the room that holds the context of a game."""


class NativeFailure(Exception):
    """Signal that native code cannot go on, because of a fault in the game or a limit of C.

    Python can repeat the step: it either reports the fault or plays on.
    """


class NativeDecision(NamedTuple):
    """A decision: the deciding seat, the number of options, and the site of the choice."""

    seat: int
    options: int
    site: int


def _open_library(path: Path) -> ctypes.CDLL:
    """Load a shared library into this process. Raises NoNative if the system cannot load it."""
    try:
        return ctypes.CDLL(os.path.abspath(path))  # a name without a folder would be searched on the library path
    except OSError as error:
        raise NoNative(f"what the C compiler made can't be loaded: {error}") from None


def _make_crash_reporter(steps: NativeSteps) -> Callable[[str], NativeFailure]:
    """Return a function that records a crash in ``steps`` and returns the error to raise, without keeping ``steps``
    alive.

    Its argument is the reason. Once ``steps`` is gone, it only makes the error.
    """
    steps_reference = ref(steps)

    def make_failure(reason: str) -> NativeFailure:
        steps_alive = steps_reference()
        return NativeFailure(reason) if steps_alive is None else steps_alive._record_crash(reason)

    return make_failure


def generate_steps_c(setting: Setting) -> GeneratedC:
    """Return the C of stepwise play in ``text``, and the format of its serialized states in ``form``.

    Raise NotNative if C does not support the game.
    """
    from ..codegen.build_stages_and_ir_listing import select_stepwise_with_masks
    from ..codegen.c.stepwise_play_printer import emit_steps  # imported late, because most runs use the cache

    build, kept_slots = select_stepwise_with_masks(setting)
    return emit_steps(setting, build.module, build.build_module("silent"), kept_slots)


class NativeSteps:
    """Play one setting step by step, in one thread. A state is a ``bytes`` object. Raise NoNative without native code.

    Attributes:
        is_sandboxed: Whether the library runs in a process of its own. After a crash, calls raise NativeFailure, and
            states can be played on in a new process.
        crashes: The number of crashes for each reason.
        failure_count: How often native code could not go on.
        max_state_size: The greatest size of a state in bytes.
    """

    def __init__(
        self, game: Game, cache: Cache | None = None, is_sandboxed: bool = False, **options: Unpack[BuildOptions]
    ) -> None:
        self.is_sandboxed = is_sandboxed
        self.crashes: Counter[str] = Counter()
        self.failure_count = 0
        self.game = game
        self.setting, self.layout = game.setting, game.layout
        library = load_library(game.setting, "steps", lambda: generate_steps_c(game.setting), cache, **options)
        assert library.form is not None
        self._library_file = library
        self.reader, self.form = library.reader, library.form
        self._bind(library.path)

    def _bind(self, path: Path) -> None:
        """Load the library from ``path``, and allocate the context and the buffers. Raise NoNative if that fails."""
        library: Any
        try:
            if self.is_sandboxed:
                library = SandboxedLibrary(os.path.abspath(path), _make_crash_reporter(self))
            else:
                library = _open_library(path)
            declare_functions(library, STEP_INTERFACE)
            size, self.max_state_size = library.context_size(), library.max_state_size()
        except ProcessEnded as error:
            raise NoNative(str(error)) from None
        except NativeFailure:  # the process started, but crashed at once
            raise NoNative(", ".join(self.crashes)) from None
        self.library = library
        self.context: Any = MemoryBlock(CONTEXT, size) if self.is_sandboxed else ctypes.create_string_buffer(size)
        self._buffer = ctypes.create_string_buffer(self.max_state_size)
        self._decision_row = (LONG * 3)()
        self._row = (LONG * self.reader.width)()
        self._loaded_state = b""

    def _record_crash(self, reason: str) -> NativeFailure:
        """Record a crash and a failure, and return the error to raise. The new process knows no state."""
        self.crashes[reason] += 1
        return self._record_failure()

    @property
    def is_hopeless(self) -> bool:
        """True after :data:`MAX_CRASHES` crashes: the library should not be used any more."""
        return self.crashes.total() >= MAX_CRASHES

    # ------------------------------------------------------------ play

    def start(self, seed: int) -> bytes:
        """Start a new game, and return the state at its first decision or its end.

        ``seed`` is taken modulo 2**64. Raises NativeFailure if the rules fail or exceed a limit of C.
        """
        if self.library.begin_game(self.context, seed & STREAM):
            raise self._record_failure()
        return self._save()

    def apply(self, state: bytes, option: int) -> bytes:
        """Return the state after taking the option with this number, counted from 0. ``state`` stays unchanged.

        Raise NoSuchOption if there is no such option or the game is over. Raise NativeFailure if the rules fail or
        exceed a limit of C, or if the process crashes; ``failure_count`` then grows by 1.
        """
        self._load(state)
        status = self.library.apply_option(self.context, option)
        if status == 2:
            raise NoSuchOption(option)
        if status:
            raise self._record_failure()
        return self._save()

    def decision(self, state: bytes) -> NativeDecision | None:
        """Return the decision that a state waits for, or None if the game is over.

        Example: ``NativeDecision(seat=0, options=3, site=1)``. ``options`` is the number of options, and ``site`` the
        key of the choice in ``setting.sites``. With ``is_sandboxed``, raise NativeFailure if the library's process
        crashes, and count this in ``crashes`` and ``failure_count``.
        """
        self._load(state)
        self.library.current_decision(self.context, self._decision_row)
        seat, options, number = self._decision_row
        return None if seat < 0 else NativeDecision(seat, options, self.form.sites[number])

    def outcome(self, state: bytes) -> Outcome | None:
        """Return the outcome, or None while the game runs. Its ``chart`` is always None, and its ``steps`` are ``()``.

        Raise NativeFailure if the rules fail in the ranking, or if the process crashes; ``failure_count`` then grows
        by 1.
        """
        if self.decision(state) is not None:
            return None
        if self.library.write_result(self.context, self._row):
            raise self._record_failure()
        _, ranks, payoffs, reason, columns = self.reader.read_result(self._row) or (0, (), None, None, ())  # type: ignore[arg-type]
        scoring = self.setting.program.scoring
        shown_scores = tuple(zip([title for title, _ in scoring.columns], columns, strict=True))
        return rank_outcome(reason, ranks, payoffs, shown_scores, scoring.is_selective, scoring.is_zero_sum)

    def forget(self) -> None:
        """Note that the context no longer holds the last state, because something else uses it."""
        self._loaded_state = b""

    def play_games(self, seeds: Sequence[int]) -> Iterator[GameResult | None]:
        """Yield the result of the random game of each seed, played step by step, in order. It is None if the game
        failed or exceeded a limit of C.

        Seeds are taken modulo 2**64.
        """
        for seed in seeds:
            self.library.play_games(self.context, array("Q", [seed & STREAM]).tobytes(), 1, self._row)
            yield self.reader.read_result(self._row)  # type: ignore[arg-type]
        self._loaded_state = b""

    def count_decisions(self, first_seed: int, game_count: int) -> int:
        """Return the total number of decisions in ``game_count`` random games, with seeds from ``first_seed`` on."""
        self._loaded_state = b""
        return int(self.library.count_decisions(self.context, first_seed, game_count, self._row))

    def _load(self, state: bytes) -> None:
        if state is not self._loaded_state:
            self.library.load_state(self.context, state)
            self._loaded_state = state

    def _save(self) -> bytes:
        size = self.library.state_size(self.context)
        self.library.save_state(self.context, self._buffer)
        self._loaded_state = state = self._buffer.raw[:size]
        return state

    def _record_failure(self) -> NativeFailure:
        self._loaded_state = b""
        self.failure_count += 1
        return NativeFailure("native code can't go on")

    # ------------------------------------------------------------ conversion from and to Python

    def to_python(self, state: bytes) -> State:
        """Return a new ``State`` of the compiled Python engine for this position. Its ``cached_decision`` is None."""
        self._load(state)
        numbers = (LONG * self.library.serialize_state(self.context, None))()
        self.library.serialize_state(self.context, numbers)
        return deserialize_state(self.setting, self.form, self.reader, list(numbers))

    def from_python(self, state: State) -> bytes:
        """Return a state of the compiled engine as a state of native code. ``state`` only gets its decision cached.

        Raise NativeFailure if the state exceeds a limit of C, or if the process crashes; ``failure_count`` then grows
        by 1. Raise OverflowError if a number is below ``-2**63`` or above ``2**63 - 1``. Raise RulesetFault if the
        rules fail while the decision is computed.
        """
        decision = self.game.decision(state)
        seat, options = (0, 0) if decision is None else (decision.seat, len(decision.options))
        numbers = serialize_state(self.setting, self.form, self.reader, state, seat, options, {})
        if self.library.deserialize_state(self.context, numbers.tobytes(), len(numbers)):
            raise self._record_failure()
        return self._save()
