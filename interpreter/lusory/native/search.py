"""Run the simulations of :mod:`lusory.search` in native code, with the same results as in Python.

:class:`NativeBackend` is a :class:`lusory.search.option_evaluation.SearchBackend`. It serializes determinizations
and sends them to
the library of stepwise play. Python keeps the parts of the algorithms that divide simulations among options.

Python repeats each simulation that fails in C, since only Python can tell a fault of the rules from a limit of C. It
reports the values to C, which then goes on.

:class:`SwitchingBackend` is the backend for normal use. It searches in Python until native code is ready.
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
import weakref
from array import array
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

from lusory_dsl import core
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.types.types import TextType, Type

from ..codegen.c.marshalling import RunCache, serialize_state, to_signed
from ..codegen.c.runtime_header_loading_and_search_formats import (
    ALTERNATIVE,
    PLAN,
    REPORT,
    STAGE_OPTIONS,
    STAGE_PLAYOUT,
)
from ..game import Game
from ..search.mcts import AMAF_THRESHOLD, EXPLORATION, MIN_WIDTH, SearchTree
from ..search.option_evaluation import (
    MCTS,
    PYTHON_BACKEND,
    BackendUnavailable,
    SearchBackend,
    SearchTask,
    evaluate_options,
)
from ..search.position_evaluation_and_ruleset_hints import SearchHints, Values
from ..search.root_bandits_and_paired_comparison import Bandit, OptionStatistics
from ..search.simulation import Simulator
from ..state.events_redaction_and_text import ChoiceMade, choice_made, redact
from ..state.random_streams import MASK
from ..state.setting_value_limits_builtins_and_names import HIDDEN, list_value_types
from ..support.cache import Cache
from .c_compiler import NoNative
from .isolated_process import LONG, POINTER, TEXT, LibraryInterface, declare_functions
from .whole_games_and_stepwise_play import DeferredBuild, NativeFailure, NativeSteps, NativeUsage

SEARCH_INTERFACE: LibraryInterface = {
    "search_open": (ctypes.c_int, POINTER, LONG, TEXT, TEXT, LONG, TEXT, LONG),
    "search_close": (None, POINTER, LONG),
    "search_options": (ctypes.c_int, POINTER, LONG, TEXT, LONG, LONG, LONG, POINTER, POINTER),
    "search_grow_tree": (ctypes.c_int, POINTER, LONG, TEXT, LONG, LONG, LONG, POINTER, POINTER),
    "search_resolve": (ctypes.c_int, POINTER, LONG, ctypes.c_int, TEXT, POINTER, POINTER),
    "search_failed_path": (ctypes.c_int, POINTER, LONG, LONG, POINTER),
}
"""The functions of a library for searches. All take the context and the number of the search."""

SEARCH_NUMBERS = count(1)
SIZE = 8
"""Bytes of a number."""

BUILD_DELAY = 1.0
"""Seconds after the first search from which on building native code pays off."""

MAX_TEXTS = 100_000
"""Texts that may have a number. Each new text of a state gets one, and keeps it. Then Python searches."""

NOTHING_LEARNED = -1
CRASHED, OUT_OF_ROOM = "native code crashed", "native code was short of room"
TEXTS = "options that are texts, put together in play"


class NativeBackend:
    """Run searches of one game in native code.

    ``steps`` is its library, which nothing else may use at the same time. ``use`` counts its work. While one thread
    searches here, searches of other threads are left to Python, which finds the same.
    """

    def __init__(self, steps: NativeSteps) -> None:
        self.steps = steps
        self.use = NativeUsage()
        self._lock = threading.Lock()
        self._thread = 0
        self._current_search: weakref.ref[_Search] | None = None
        self._last_tables: tuple[SearchHints, bytes] | None = None
        declare_functions(steps.library, SEARCH_INTERFACE)

    def make_bandit(self, simulator: Simulator) -> Bandit:
        """Return a bandit whose simulations run in C. Raise BackendUnavailable as :meth:`make_tree` does."""
        return NativeBandit(simulator, self._search(simulator, 0, False))

    def make_tree(self, simulator: Simulator, has_perfect_information: bool) -> NativeTree:
        """Return a search tree in C: one tree with perfect information, otherwise one for each seat.

        Raise BackendUnavailable if the search is left to Python. The reason is a tree or bandit that another thread
        holds, ``MAX_CRASHES`` earlier crashes, a crash now, or a limit of C. All but the first are counted in
        ``use.declined_searches``. A new tree closes the last tree or bandit of the same thread, whose next simulations
        then raise BackendUnavailable.
        """
        tree_count = 1 if has_perfect_information else simulator.game.players
        is_deterministic = has_perfect_information and not simulator.game.layout.streams
        return NativeTree(simulator, self._search(simulator, tree_count, is_deterministic))

    def decline(self, reason: str) -> BackendUnavailable:
        """Add 1 to the count of ``reason`` in ``use.declined_searches``, and return the error to raise."""
        self.use.declined_searches[reason] += 1
        return BackendUnavailable(reason)

    def _get_tables(self, hints: SearchHints) -> bytes:
        """Return the tables of choices and alternatives for C, as 64-bit numbers. The tables of the last hints object
        are cached.
        """
        if self._last_tables is None or self._last_tables[0] is not hints:
            self._last_tables = hints, _make_tables(self.steps.game, self.steps.form.sites, hints)
        return self._last_tables[1]

    def _search(self, simulator: Simulator, tree_count: int, is_deterministic: bool) -> _Search:
        if self.steps.is_hopeless:
            raise self.decline(CRASHED)
        with self._lock:
            is_busy = self._current_search is not None and self._current_search() is not None
            if is_busy and self._thread != threading.get_ident():
                raise BackendUnavailable("another thread searches")
            self._thread = threading.get_ident()
            search = _Search(self, simulator, tree_count, is_deterministic)
            self._current_search = weakref.ref(search)
        search.begin()
        return search


class SwitchingBackend:
    """Search in Python until native code is available, then in native code. Both find exactly the same.

    Native code comes from the cache, or is built in the background once searches have gone on for a while.

    Attributes:
        native_code: The library, as soon as there is one. Forked processes only look for it in the cache.
        use: Counts the work of native code. Others may replace it.
    """

    def __init__(self, game: Game, cache: Cache | None, can_build: bool = True, must_wait: bool = False) -> None:
        make = partial(NativeSteps, game.on_compiled_engine, cache, is_sandboxed=True)
        self.native_code = DeferredBuild[NativeSteps](make, BUILD_DELAY, can_build, must_wait)
        self.use = NativeUsage()
        self._native: NativeBackend | None = None
        self._process = os.getpid()
        self._parent_objects: Any = None

    def make_bandit(self, simulator: Simulator) -> Bandit:
        """Return a bandit of the backend that is ready now.

        Raise BackendUnavailable if native code is ready and leaves the search to Python.
        """
        return self._get_backend().make_bandit(simulator)

    def make_tree(self, simulator: Simulator, has_perfect_information: bool) -> SearchTree:
        """Return a search tree of the backend that is ready now.

        Raise BackendUnavailable if native code is ready and leaves the search to Python.
        """
        return self._get_backend().make_tree(simulator, has_perfect_information)

    def _get_backend(self) -> SearchBackend:
        """Return the native backend if it is ready, else the one in Python. A forked process forgets the objects of its
        parent.
        """
        native_code = self.native_code
        if self._process != os.getpid():
            # keep references: these belong to the parent process, and must not be closed here
            self._parent_objects = self._native, native_code
            self._process, self._native = os.getpid(), None
            self.native_code = DeferredBuild[NativeSteps](native_code.make, BUILD_DELAY, can_build=False)
            self.native_code.reason = native_code.reason
        if self._native is None:
            steps = self.native_code.find()
            self.use.refused = self.use.refused or self.native_code.reason
            if steps is None:
                return PYTHON_BACKEND
            self._native = NativeBackend(steps)
        self._native.use = self.use
        return self._native


def make_backend(game: Game, cache: Cache | None, uses_native: bool | None) -> SearchBackend:
    """Return the backend for searches of a game.

    ``uses_native`` True means native code from the first search on, None native code as soon as it pays off, and False
    the backend in Python.
    """
    return PYTHON_BACKEND if uses_native is False else SwitchingBackend(game, cache, must_wait=bool(uses_native))


def get_native_code(backend: SearchBackend) -> DeferredBuild[NativeSteps] | None:
    """Return the native code of a backend, also if there is none yet, or None for the backend in Python."""
    return backend.native_code if isinstance(backend, SwitchingBackend) else None


def get_usage(backend: SearchBackend) -> NativeUsage:
    """Return the counts of the work that native code did for a backend: the object itself, which goes on counting.

    Any backend but a :class:`SwitchingBackend` gives a new object in which all counts are 0.
    """
    return backend.use if isinstance(backend, SwitchingBackend) else NativeUsage()


TRIAL = """
game: {id: trial, name: Trial, version: "1", language: 2, players: 2}
variables: {held: {type: Int, per: [Player], start: 0}}
phases:
  - id: all
    do: |
      repeat 2 times:
        each player:
          choose n in 1..3: increase held by n
scoring: {rank: [held]}
"""
"""A small game, to test searches in native code."""


def check_native_searches() -> None:
    """Check that a search in native code finds what Python finds, with 32 simulations of a small game.

    Raise NoNative if it doesn't, if the search was left to Python, or if there is no native code.
    """
    from lusory_dsl.pipeline import check_text  # imported late, because only this function checks a ruleset
    from lusory_dsl.source.diagnostics import Diagnostics

    program = check_text(TRIAL, Diagnostics(), "trial.yaml")
    assert program is not None, "its rules are sound"
    game = Game(program)
    native_backend = NativeBackend(NativeSteps(game, is_sandboxed=True))
    task = SearchTask(game, 0, [game.start(1)], MCTS, 32, 1, True)
    values = [evaluate_options(task, backend) for backend in (native_backend, PYTHON_BACKEND)]
    if values[0] != values[1] or native_backend.use.declined_searches:
        remarks = native_backend.use.iterate_remarks()
        raise NoNative("; ".join(["a search in native code does not find what Python finds", *remarks]))


class _Search:
    """A search in progress in C."""

    def __init__(self, backend: NativeBackend, simulator: Simulator, tree_count: int, is_deterministic: bool) -> None:
        self.backend, self.simulator = backend, simulator
        self.tree_count = tree_count
        evaluator = simulator.evaluator
        plan: dict[str, int] = {
            "seat": simulator.seat,
            "tree_count": tree_count,
            "is_deterministic": is_deterministic,
            "horizon": simulator.horizon,
            "uses_payoffs": evaluator.uses_payoffs,
            "rank_column": evaluator.score_index,
            "is_weighted": bool(simulator.hints.alternative_weights),
            "seed": to_signed(simulator.seed),
            "option_count": simulator.option_count,
            "min_width": MIN_WIDTH,
            "has_evaluation": simulator.hints.has_heuristic,
            "uses_amaf": bool(tree_count) and simulator.option_count > AMAF_THRESHOLD,
        }
        self.uses_amaf = plan["uses_amaf"]
        tables = backend._get_tables(simulator.hints)
        encoded_plan = struct.pack(f"={len(PLAN)}qd", *(plan[name] for name in PLAN), EXPLORATION)
        worlds = self._serialize_determinizations()
        self.number = next(SEARCH_NUMBERS)
        self._open_arguments = encoded_plan, tables, len(tables) // SIZE, worlds, len(worlds) // SIZE
        self._report = (LONG * (REPORT + simulator.option_count))()
        self._sums = (ctypes.c_double * (2 + simulator.option_count))()
        self._stop_place: tuple[int, ...] = ()

    def begin(self) -> None:
        """Open the search in C under its ``number``. It is closed there when this object is garbage-collected.

        An earlier search in ``backend.steps`` is closed first, and the state loaded there is forgotten. If opening
        fails, count that in ``backend.use.declined_searches`` under a reason, and raise BackendUnavailable with it. The
        reason is CRASHED after a crash of the process. At a limit of C, such as its memory, it is TEXTS if any option
        of the game has a text as a value, and OUT_OF_ROOM otherwise.
        """
        self.backend.steps.forget()
        self.call("search_open", *self._open_arguments)
        weakref.finalize(self, _close_search, self.backend.steps, self.number).atexit = False

    def call(self, c_function: str, *arguments: Any) -> None:
        """Call a function of the library with the library's context, the number of this search and ``arguments``.

        If the process crashes, or the function reports a limit of C, adds 1 to
        ``backend.use.declined_searches[reason]`` and raises BackendUnavailable with ``reason`` as its text. This is
        CRASHED after a crash. At a limit, it is TEXTS if an option anywhere in the game has a text as a value, and
        OUT_OF_ROOM otherwise.
        """
        steps = self.backend.steps
        try:
            status = getattr(steps.library, c_function)(steps.context, self.number, *arguments)
        except NativeFailure:
            raise self.backend.decline(CRASHED) from None
        if status:
            raise self._decline_for_limits()

    def _decline_for_limits(self) -> BackendUnavailable:
        """Count a search that C cannot make, and return the error to raise.

        Either it exceeds a limit of C, or its options include composed texts.
        """
        return self.backend.decline(TEXTS if _has_text_options(self.simulator.game) else OUT_OF_ROOM)

    def _serialize_determinizations(self) -> bytes:
        """Return the serialized determinizations. Raise BackendUnavailable once too many texts have numbers."""
        simulator, steps, state_bytes = self.simulator, self.backend.steps, dict[int, bytes]()
        runs: RunCache = {}
        if len(steps.reader.texts) > MAX_TEXTS:
            raise self.backend.decline(OUT_OF_ROOM)
        for world in simulator.determinizations:
            if id(world) not in state_bytes:
                seat, options, *_ = simulator.positions.find_pending_decision(world) or (0, 0)
                numbers = serialize_state(steps.setting, steps.form, steps.reader, world, seat, options, runs)
                state_bytes[id(world)] = (array("q", [len(numbers)]) + numbers).tobytes()
        return b"".join([state_bytes[id(world)] for world in simulator.determinizations])

    def _run_simulations(self, c_function: str, *arguments: Any) -> int:
        """Call the C function ``c_function``, which runs simulations, and update the simulator and ``use``.

        Return the number of completed simulations, which is smaller than the number asked for if one failed. Raise
        BackendUnavailable if they exceed a limit of C, or if the process crashes.
        """
        self.call(c_function, *arguments, self._report, self._sums)
        simulator = self.simulator
        run_count, simulation_count, simulator.failure_count, *stop_place = self._report[:REPORT]
        self.backend.use.simulations += simulation_count - simulator.simulation_count
        simulator.simulation_count, self._stop_place = simulation_count, tuple(stop_place)
        simulator.lowest_value, simulator.highest_value = self._sums[:2]
        return run_count

    def _run_in_turn(self, c_function: str, options: Sequence[int], first_pass: int, simulations: int) -> None:
        """Run ``simulations`` simulations of some options, each in turn, by the C function ``c_function``.

        ``first_pass`` is the number of the first pass. A pass is one simulation of each option, in order; the last pass
        may be incomplete. There must be an option. A simulation that fails in C is repeated in Python and counts. Raise
        BackendUnavailable if the simulations exceed a limit of C, or if the process crashes.
        """
        run_count = 0
        while run_count < simulations:
            pass_count, option_index = divmod(run_count, len(options))
            next_pass, next_options, requested_count = first_pass + pass_count, options, simulations - run_count
            if option_index:  # a simulation failed in the middle of a pass
                next_options = options[option_index:]
                requested_count = min(requested_count, len(next_options))
            packed_options = array("q", next_options).tobytes()
            new_count = self._run_simulations(c_function, packed_options, len(next_options), next_pass, requested_count)
            if new_count < requested_count:
                self._repeat_in_python(next_pass + new_count // len(next_options))
                new_count += 1
            run_count += new_count

    @property
    def visits(self) -> list[int]:
        """The number of visits of each option."""
        return self._report[REPORT:]

    @property
    def sums(self) -> list[float]:
        """The sum of the values of each option."""
        return self._sums[2:]

    def _repeat_in_python(self, number: int | None = None) -> None:
        """Repeat in Python the simulation that stopped in C, and report its values to C, which goes on.

        ``number`` is its number. None stands for the simulation that the tree chose: its number is how often the first
        option on its path was visited. Without an option on the path, and in a search with AMAF, it is the number of
        simulations so far. If the rules fail in Python too, C records a failure. Otherwise a search with AMAF raises
        BackendUnavailable, because its tree cannot take in values from Python.
        """
        stage, depth, playout_rng = self._stop_place
        path = (LONG * max(depth, 1))()
        self.call("search_failed_path", depth, path)
        self.backend.use.replayed_simulations += 1
        if number is None:
            number = self.visits[path[0]] if depth and not self.uses_amaf else self.simulator.simulation_count
        values = self._replay_simulation(number, path[:depth], stage, playout_rng)
        if values is not None and self.uses_amaf:
            raise self._decline_for_limits()
        encoded_values = b"" if values is None else struct.pack(f"={len(values)}d", *values)
        self._run_simulations("search_resolve", values is None, encoded_values)

    def _replay_simulation(self, number: int, path: Sequence[int], stage: int, playout_rng: int) -> Values | None:
        """Return the values of a simulation, or None if the rules fail in it.

        ``number`` is that of the simulation. ``path`` holds the options that it took in the tree before it stopped in
        ``stage``, and ``playout_rng`` the state of random play there. Raise BackendUnavailable if the rules don't fail
        inside a tree.
        """
        simulator = self.simulator
        position, play_seed = simulator.start(number)
        try:
            for option in path:
                position.apply(option)
            if stage == STAGE_OPTIONS:
                position.list_actions()
        except Exception:  # any error of generated code: the determinization is impossible, or the rules have a fault
            return None
        if stage != STAGE_PLAYOUT and self.tree_count:
            raise self._decline_for_limits()
        try:
            return simulator.play_out(position, playout_rng & MASK if stage == STAGE_PLAYOUT else play_seed)
        except Exception:  # any error of generated code, as above
            return None


def _close_search(steps: NativeSteps, number: int) -> None:
    """Free the memory of a search, if its process still exists."""
    with suppress(NativeFailure):
        steps.library.search_close(steps.context, number)


class NativeBandit(Bandit):
    """A bandit whose options are simulated in C."""

    def __init__(self, simulator: Simulator, search: _Search) -> None:
        super().__init__(simulator)
        self._search = search

    def pull_in_rounds(self, arms: Sequence[int], simulations: int) -> None:
        """Run ``simulations`` simulations of the options ``arms`` in turn.

        ``visits`` and ``value_sums`` become new lists, with an entry for each option of the decision: the number of its
        simulations so far, and the sum of their values for the seat that decides. ``next_round`` grows by the number of
        rounds. The last round may be incomplete, but counts: 5 simulations of 2 options take 3 rounds. The next call
        begins a new round, with the first of ``arms``, which must not be empty. Raise BackendUnavailable if the
        simulations exceed a limit of C, or if the process crashes.
        """
        search = self._search
        search._run_in_turn("search_options", arms, self.next_round, simulations)
        self.next_round += -(-simulations // len(arms))
        self.visits, self.value_sums = search.visits, search.sums


class NativeTree:
    """A search tree in C."""

    def __init__(self, simulator: Simulator, search: _Search) -> None:
        self.simulator = simulator
        self._search = search

    def grow(self, simulations: int) -> None:
        """Run ``simulations`` simulations whose options the tree chooses.

        Raise BackendUnavailable if they exceed a limit of C, or if the process crashes.
        """
        search, remaining = self._search, simulations
        while remaining:
            run_count = search._run_simulations("search_grow_tree", b"", 0, 0, remaining)
            if run_count < remaining:
                search._repeat_in_python()
                run_count += 1
            remaining -= run_count

    def sample_options(self, options: Sequence[int], first_simulation: int, simulations: int) -> None:
        """Run ``simulations`` simulations of some root options in turn; below the root, the tree chooses.

        ``first_simulation`` is the number of the first pass over the options. Raise BackendUnavailable as :meth:`grow`
        does.
        """
        self._search._run_in_turn("search_grow_tree", options, first_simulation, simulations)

    def list_option_statistics(self) -> list[OptionStatistics]:
        """Return the statistics of each option of the root decision that was tried, in the order of the options.

        Example: ``OptionStatistics(option=2, visits=12, value_sum=7.5)``. ``value_sum`` is the sum of the values of its
        simulations for the seat that decides.
        """
        rows = zip(range(self.simulator.option_count), self._search.visits, self._search.sums, strict=True)
        return [OptionStatistics(*row) for row in rows if row[1]]


def _has_text_options(game: Game) -> bool:
    """Return whether some options have texts as values."""
    asks = [ask for ask in game.setting.sites.values() if isinstance(ask, core.Ask | core.AskMany)]
    return any(_make_text_mask(types) for ask in asks for types in list_value_types(ask))


def _make_text_mask(types: Sequence[Type]) -> int:
    """Return the bit mask of the values that are texts."""
    return sum(1 << number for number, type in enumerate(types) if isinstance(type, TextType))


def _make_tables(game: Game, sites: Sequence[int], hints: SearchHints) -> bytes:
    """Return the tables of choices and alternatives for C, as 64-bit numbers: first a row for each site, then all
    alternatives.

    Their formats are ``CHOICE`` and ``ALTERNATIVE`` in
    :mod:`lusory.codegen.c.runtime_header_loading_and_search_formats`. An alternative without a hint has the weight 1.
    """
    choices, alternatives = list[int](), list[int]()
    unseen = get_knowledge(game.program).unseen_variables
    for site in sites:
        ask, weights = game.setting.sites[site], hints.alternative_weights.get(site)
        assert isinstance(ask, core.Ask | core.AskMany)
        choices += [site, bool(unseen.get(site)), weights is not None, len(alternatives) // len(ALTERNATIVE)]
        for number, types in enumerate(list_value_types(ask)):
            weight = 1 if weights is None else weights[number]
            hidden_mask = _make_hidden_mask(game, site, number, len(types))
            alternatives += [weight, len(types), hidden_mask, _make_text_mask(types)]
    return array("q", [*choices, *alternatives]).tobytes()


def _make_hidden_mask(game: Game, site: int, alternative: int, value_count: int) -> int:
    """Return the bit mask of the values of an answer that other seats do not learn.

    Returns -1 if they learn nothing at all.
    """
    if game.players < 2:
        return 0
    event = redact(choice_made(0, site, alternative, (0,) * value_count, None), 1, game)
    if not isinstance(event, ChoiceMade):
        return NOTHING_LEARNED
    return sum(1 << number for number, value in enumerate(event.values) if value == HIDDEN)
