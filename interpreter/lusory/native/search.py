"""Run the simulations of :mod:`lusory.search` in native code, with the same results as in Python.

:class:`NativeCore` is a :class:`lusory.search.option_evaluation.SearchBackend`. It serializes determinizations
and sends them to
the library of stepwise play. Python keeps the parts of the algorithms that divide simulations among options.

Python repeats each simulation that fails in C, since only Python can tell a fault of the rules from a limit of C. It
reports the values to C, which then goes on.

:class:`Beside` is the backend for normal use. It searches in Python until native code is ready.
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
from itertools import count, takewhile
from time import monotonic
from typing import Any

from lusory_dsl import core
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.types.types import TextType, Type

from ..codegen.c.marshalling import Known, numbers_of, signed
from ..codegen.c.runtime_headers import ALTERNATIVE, LISTING, ON, PLAN, REPORT
from ..game import Game
from ..search.bandits import Bandit, PullTotals
from ..search.evaluation import SearchHints, Values
from ..search.mcts import (
    AMAF_THRESHOLD,
    EXPLORATION,
    MAX_CONTINUATION_LENGTH,
    MIN_CONTINUATION_VISITS,
    MIN_WIDTH,
    OptionStatistics,
    SearchTree,
)
from ..search.option_evaluation import MCTS, PYTHON_BACKEND, BackendUnavailable, SearchBackend, evaluate_options
from ..search.simulation import Simulator
from ..state.event_log import ChoiceMade, choice_made, redact
from ..state.random_streams import MASK
from ..state.setting import HIDDEN, item_type
from ..support.cache import Cache
from .c_compiler import NoNative, NotBuilt
from .play import Building, NativeSteps, Use, WentWrong
from .sandbox_process import LONG, POINTER, TEXT, Face, bound

FACE: Face = {
    "search_open": (ctypes.c_int, POINTER, LONG, TEXT, TEXT, LONG, TEXT, LONG),
    "search_close": (None, POINTER, LONG),
    "search_options": (ctypes.c_int, POINTER, LONG, TEXT, LONG, LONG, LONG, POINTER, POINTER),
    "search_grow_tree": (ctypes.c_int, POINTER, LONG, TEXT, LONG, LONG, LONG, POINTER, POINTER),
    "search_resolve": (ctypes.c_int, POINTER, LONG, ctypes.c_int, TEXT, POINTER, POINTER),
    "search_failed_path": (ctypes.c_int, POINTER, LONG, LONG, POINTER),
    "search_variations": (ctypes.c_int, POINTER, LONG, LONG, POINTER),
}
"""The functions of a library for searches. All take the context and the number of the search."""

NUMBERS = count(1)
SIZE = 8
"""Bytes of a number."""

WORTH = 1.0
"""Seconds after the first search from which on building native code pays off."""

NOTHING_HEARD = NOTHING_FOLLOWS = -1
CRASHED, SHORT = "native code crashed", "native code was short of room"
TEXTS = "options that are texts, put together in play"


class NativeCore:
    """Run searches of one game in native code.

    ``steps`` is its library, which nothing else may use at the same time. ``use`` counts its work. While one thread
    searches here, searches of other threads are left to Python, which finds the same.
    """

    def __init__(self, steps: NativeSteps, use: Use | None = None) -> None:
        self.steps = steps
        self.use = Use() if use is None else use
        self._lock = threading.Lock()
        self._thread = 0
        self._search_of: weakref.ref[_Search] | None = None
        self._told: tuple[SearchHints, bytes] | None = None
        bound(steps.library, FACE)

    def make_bandit(self, simulator: Simulator) -> Bandit:
        """Return a bandit whose simulations run in C. Raises BackendUnavailable."""
        return NativeArms(simulator, self._search(simulator, 0, False))

    def make_tree(self, simulator: Simulator, has_perfect_information: bool) -> NativeTree:
        """Return a search tree in C. Raises BackendUnavailable."""
        trees = 1 if has_perfect_information else simulator.game.players
        return NativeTree(
            simulator, self._search(simulator, trees, has_perfect_information and not simulator.game.layout.streams)
        )

    def left(self, why: str) -> BackendUnavailable:
        """Count a search that is left to Python, and return the error to raise."""
        self.use.left[why] += 1
        return BackendUnavailable(why)

    def told(self, hints: SearchHints) -> bytes:
        """Return the tables of choices and alternatives for C. The tables of the last hints are cached."""
        if self._told is None or self._told[0] is not hints:
            self._told = hints, _tables(self.steps.game, self.steps.form.sites, hints)
        return self._told[1]

    def _search(self, simulator: Simulator, trees: int, is_certain: bool) -> _Search:
        if self.steps.is_hopeless:
            raise self.left(CRASHED)
        with self._lock:
            busy = self._search_of is not None and self._search_of() is not None
            if busy and self._thread != threading.get_ident():
                raise BackendUnavailable("another thread searches")
            self._thread = threading.get_ident()
            search = _Search(self, simulator, trees, is_certain)
            self._search_of = weakref.ref(search)
        search.hand_over()
        return search


class Beside:
    """Search in Python until native code is available, then in native code. Both find exactly the same.

    Native code comes from the cache, or is built in the background once searches have gone on for a while.

    Attributes:
        cache: The place of the library.
        builds: Whether this process builds native code. Otherwise it looks into the cache now and then, as every forked
            process does.
        waits: Whether to build native code before the first search.
        use: Counts the work of native code. Others may replace it.
    """

    def __init__(self, game: Game, cache: Cache | None, builds: bool = True, waits: bool = False) -> None:
        self.game, self.cache, self.builds, self.waits = game.in_code, cache, builds, waits
        self.use = Use()
        self._native: NativeCore | None = None
        self._building: Building[NativeSteps] | None = None
        self._reason = ""
        self._looked = False
        self._since = 0.0
        self._process = os.getpid()
        self._others: Any = None

    def make_bandit(self, simulator: Simulator) -> Bandit:
        """Return a bandit of the backend that is ready now. Raises BackendUnavailable."""
        return self._now().make_bandit(simulator)

    def make_tree(self, simulator: Simulator, has_perfect_information: bool) -> SearchTree:
        """Return a search tree of the backend that is ready now. Raises BackendUnavailable."""
        return self._now().make_tree(simulator, has_perfect_information)

    def _now(self) -> SearchBackend:
        if self._process != os.getpid():
            # keep references: these belong to the parent process, and must not be closed here
            self._others = self._native, self._building
            self._native = self._building = None
            self._process, self.builds = os.getpid(), False
        if self._native is None and not self._reason:
            try:
                self._look()
            except NoNative as none:
                self._reason = str(none)
            self.use.refused = self.use.refused or self._reason
        if self._native is None:
            return PYTHON_BACKEND
        self._native.use = self.use
        return self._native

    def _look(self) -> None:
        """Check if native code is available by now, and start to build it if that pays off.

        Raises NoNative if it never will be.
        """
        if self._building is not None:
            steps, self._reason = self._building.take(), self._building.reason
            self._native = None if steps is None else NativeCore(steps)
        elif self.waits and self.builds:
            self._native = NativeCore(NativeSteps(self.game, self.cache, apart=True))
        elif self._looked and monotonic() - self._since < WORTH:
            return
        elif self._looked and self.builds:
            self._build()
        else:
            self._looked, self._since = True, monotonic()
            with suppress(NotBuilt):
                self._native = NativeCore(NativeSteps(self.game, self.cache, build=False, apart=True))

    def begin(self) -> None:
        """Start to build native code, before many processes look for it. Without a cache they cannot find it."""
        if self.cache is None:
            self._reason = self.use.refused = "the cache is switched off, in which processes find native code"
        elif self.waits:
            self._now()
        else:
            self._build().written()

    def _build(self) -> Building[NativeSteps]:
        make = partial(NativeSteps, self.game, self.cache, apart=True)
        self._building = Building(lambda began: make(began=began))
        weakref.finalize(self, self._building.stop)
        return self._building

    def stop(self) -> None:
        """Abort a build in progress."""
        if self._building is not None:
            self._building.stop()


def core_for(game: Game, cache: Cache | None, native: bool | None, builds: bool = True) -> SearchBackend:
    """Return the backend for searches of a game.

    ``native`` True means native code from the first search on, None native code as soon as it pays off, and False
    Python.
    """
    return PYTHON_BACKEND if native is False else Beside(game, cache, builds, bool(native))


def use_of(core: SearchBackend) -> Use:
    """Return the counts of the work that native code did for a backend."""
    return core.use if isinstance(core, Beside) else Use()


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


def tried() -> None:
    """Check that a search in native code finds what Python finds. Raises NoNative."""
    from lusory_dsl.pipeline import check_text  # imported late, because only this function checks a ruleset
    from lusory_dsl.source.diagnostics import Diagnostics

    program = check_text(TRIAL, Diagnostics(), "trial.yaml")
    assert program is not None, "its rules are sound"
    game = Game(program)
    core, world = NativeCore(NativeSteps(game, apart=True)), game.start(1)
    native, python = (
        list(evaluate_options(game, 0, [world], MCTS, 32, 1, True, backend=one)) for one in (core, PYTHON_BACKEND)
    )
    if native != python or core.use.left:
        raise NoNative(f"a search in native code does not find what Python finds{said_of(core.use)}")


def said_of(use: Use) -> str:
    """Return the remarks on ``use`` as a suffix of a message."""
    return "".join(f"; {words}" for words in use.remarks())


class _Search:
    """A search in progress in C."""

    def __init__(self, core: NativeCore, simulator: Simulator, trees: int, is_certain: bool) -> None:
        self.core, self.simulator, self.trees, self.is_certain = core, simulator, trees, is_certain
        worth = simulator.evaluator
        plan: dict[str, int] = {
            "seat": simulator.seat,
            "tree_count": trees,
            "is_deterministic": is_certain,
            "horizon": simulator.horizon,
            "uses_payoffs": worth.uses_payoffs,
            "rank_column": worth.score_index,
            "is_weighted": bool(simulator.hints.alternative_weights),
            "seed": signed(simulator.seed),
            "option_count": simulator.option_count,
            "min_width": MIN_WIDTH,
            "min_visits": MIN_CONTINUATION_VISITS,
            "has_evaluation": simulator.hints.has_heuristic,
            "uses_amaf": bool(trees) and simulator.option_count > AMAF_THRESHOLD,
        }
        self.gathers = plan["uses_amaf"]
        tables = core.told(simulator.hints)
        told = struct.pack(f"={len(PLAN)}qd", *(plan[name] for name in PLAN), EXPLORATION)
        worlds = self._worlds()
        self.number = next(NUMBERS)
        self._given = told, tables, len(tables) // SIZE, worlds, len(worlds) // SIZE
        self._found, self._sums = (
            (LONG * (REPORT + simulator.option_count))(),
            (ctypes.c_double * (2 + simulator.option_count))(),
        )
        self._stopped: tuple[int, ...] = ()

    def hand_over(self) -> None:
        """Open the search in C. It is closed with this object."""
        self.core.steps.forget()
        self.sure("search_open", *self._given)
        weakref.finalize(self, _closed, self.core.steps, self.number).atexit = False

    def sure(self, name: str, *given: Any) -> None:
        """Call a function of the library. Raises BackendUnavailable if it fails, or if the process has crashed."""
        steps = self.core.steps
        try:
            found = getattr(steps.library, name)(steps.context, self.number, *given)
        except WentWrong:
            raise self.core.left(CRASHED) from None
        if found:
            raise self.short()

    def short(self) -> BackendUnavailable:
        """Count a search that C cannot make, and return the error to raise.

        Either it exceeds a limit of C, or its options include composed texts.
        """
        return self.core.left(TEXTS if _says_texts(self.simulator.game) else SHORT)

    def _worlds(self) -> bytes:
        """Return the serialized determinizations."""
        simulator, steps, known = self.simulator, self.core.steps, dict[int, bytes]()
        runs: Known = {}
        for world in simulator.determinizations:
            if id(world) not in known:
                seat, options, *_ = simulator.positions.pending_decision(world) or (0, 0)
                numbers = numbers_of(steps.setting, steps.form, steps.wordings, world, seat, options, runs)
                known[id(world)] = (array("q", [len(numbers)]) + numbers).tobytes()
        return b"".join([known[id(world)] for world in simulator.determinizations])

    def made(self, name: str, *given: Any) -> int:
        """Call a function that runs simulations, and update the simulator.

        Returns the number of completed simulations. Raises BackendUnavailable.
        """
        self.sure(name, *given, self._found, self._sums)
        simulator = self.simulator
        done, made, simulator.failure_count, *stopped = self._found[:REPORT]
        self.core.use.thought += made - simulator.simulation_count
        simulator.simulation_count, self._stopped = made, tuple(stopped)
        simulator.lowest_value, simulator.highest_value = self._sums[:2]
        return done

    def in_turn(self, name: str, options: Sequence[int], first: int, simulations: int) -> None:
        """Run simulations of some options in turn. The first pass over all options has the number ``first``."""
        done = 0
        told = array("q", options).tobytes()
        while done < simulations:
            passes, place = divmod(done, len(options))
            if place:  # a simulation failed in the middle of a pass
                some = options[place:]
                end, rest = min(simulations - done, len(some)), array("q", some).tobytes()
            else:
                end, some, rest = simulations - done, options, told
            went = self.made(name, rest, len(some), first + passes, end)
            if went < end:
                self.again(first + passes + went // len(some))
                went += 1
            done += went

    @property
    def visits(self) -> list[int]:
        """The number of visits of each option."""
        return self._found[REPORT:]

    @property
    def sums(self) -> list[float]:
        """The sum of the values of each option."""
        return self._sums[2:]

    def follows(self) -> list[tuple[int, ...]]:
        """Return the principal variation after each option."""
        options = self.simulator.option_count
        found = (LONG * (options * MAX_CONTINUATION_LENGTH))()
        self.sure("search_variations", MAX_CONTINUATION_LENGTH, found)
        # A memoryview creates Python integers only for the few numbers that are read.
        told = memoryview(found).cast("B").cast("q")
        rows = (
            told[at : at + MAX_CONTINUATION_LENGTH]
            for at in range(0, options * MAX_CONTINUATION_LENGTH, MAX_CONTINUATION_LENGTH)
        )
        return [tuple(takewhile(NOTHING_FOLLOWS.__lt__, row)) for row in rows]

    def again(self, number: int | None = None) -> None:
        """Repeat the simulation that stopped in Python, and report its values to C.

        ``number`` is its number. None: the tree chose it.
        """
        where, depth, cell = self._stopped
        path = (LONG * max(depth, 1))()
        self.sure("search_failed_path", depth, path)
        self.core.use.rethought += 1
        if number is None:
            number = self.visits[path[0]] if depth and not self.gathers else self.simulator.simulation_count
        values = self._values(number, path[:depth], where, cell)
        if values is not None and self.gathers:
            raise self.short()
        told = b"" if values is None else struct.pack(f"={len(values)}d", *values)
        self.made("search_resolve", values is None, told)

    def _values(self, number: int, path: Sequence[int], where: int, cell: int) -> Values | None:
        """Return the values of a simulation, or None if the rules fail in it."""
        simulator = self.simulator
        position, begun = simulator.start(number)
        try:
            for option in path:
                position.apply(option)
            if where == LISTING:
                position.actions()
        except Exception:  # any error of generated code: the determinization is impossible, or the rules have a fault
            return None
        if where != ON and self.trees:
            raise self.short()
        try:
            return simulator.play_out(position, cell & MASK if where == ON else begun)
        except Exception:  # any error of generated code, as above
            return None


def _closed(steps: NativeSteps, number: int) -> None:
    """Free the memory of a search, if its process still exists."""
    with suppress(WentWrong):
        steps.library.search_close(steps.context, number)


class NativeArms(Bandit):
    """A bandit whose options are simulated in C."""

    def __init__(self, simulator: Simulator, search: _Search) -> None:
        super().__init__(simulator)
        self._search = search

    def pull_in_rounds(self, arms: Sequence[int], simulations: int) -> None:
        """Run simulations of some options in turn."""
        search = self._search
        search.in_turn("search_options", arms, self.next_round, simulations)
        self.next_round += -(-simulations // len(arms))
        self.visits, self.value_sums = search.visits, search.sums


class NativeTree:
    """A search tree in C."""

    def __init__(self, simulator: Simulator, search: _Search) -> None:
        self.simulator = simulator
        self._search = search

    def grow(self, simulations: int) -> None:
        """Run simulations whose options the tree chooses."""
        search, left = self._search, simulations
        while left:
            went = search.made("search_grow_tree", b"", 0, 0, left)
            if went < left:
                search.again()
                went += 1
            left -= went

    def sample_options(self, options: Sequence[int], first_simulation: int, simulations: int) -> None:
        """Run simulations of some root options in turn."""
        self._search.in_turn("search_grow_tree", options, first_simulation, simulations)

    def totals(self) -> PullTotals:
        """Return the visits and the sum of values of each option that was tried."""
        totals = zip(self._search.visits, self._search.sums, strict=True)
        return {option: one for option, one in enumerate(totals) if one[0]}

    def option_statistics(self) -> list[OptionStatistics]:
        """Return the statistics of each option that was tried.

        Principal variations are empty unless the game has perfect information and no chance.
        """
        search = self._search
        visits = search.visits
        follows = search.follows() if search.is_certain else [()] * len(visits)
        found = zip(range(len(visits)), visits, search.sums, follows, strict=True)
        return [OptionStatistics(*one) for one in found if one[1]]


def _says_texts(game: Game) -> bool:
    """Return whether some options have texts as values."""
    asks = game.setting.sites.values()
    return any(_texts(types) for ask in asks if isinstance(ask, core.Ask | core.AskMany) for types in _offered(ask))


def _offered(ask: core.Ask | core.AskMany) -> list[list[Type]]:
    """Return the types of the values of each alternative of a choice."""
    if isinstance(ask, core.AskMany):
        return [[item_type(ask.source.type)], []]
    return [[item_type(v.domain.type) for v in a.vars] for a in ask.alternatives]


def _texts(types: Sequence[Type]) -> int:
    """Return the bit mask of the values that are texts."""
    return sum(1 << number for number, type in enumerate(types) if isinstance(type, TextType))


def _tables(game: Game, sites: Sequence[int], hints: SearchHints) -> bytes:
    """Return the tables of choices and alternatives for C.

    Their formats are ``CHOICE`` and ``ALTERNATIVE`` in :mod:`lusory.codegen.c.runtime_headers`.
    """
    choices, alternatives = list[int](), list[int]()
    unseen = get_knowledge(game.program).unseen_variables
    for site in sites:
        ask, likely = game.setting.sites[site], hints.alternative_weights.get(site)
        assert isinstance(ask, core.Ask | core.AskMany)
        choices += [site, bool(unseen.get(site)), likely is not None, len(alternatives) // len(ALTERNATIVE)]
        for number, types in enumerate(_offered(ask)):
            weight = 1 if likely is None else likely[number]
            alternatives += [weight, len(types), _heard(game, site, number, len(types)), _texts(types)]
    return array("q", [*choices, *alternatives]).tobytes()


def _heard(game: Game, site: int, alternative: int, values: int) -> int:
    """Return the bit mask of the values of an answer that other seats do not learn.

    Returns -1 if they learn nothing at all.
    """
    if game.players < 2:
        return 0
    event = redact(choice_made(0, site, alternative, (0,) * values, None), 1, game)
    if not isinstance(event, ChoiceMade):
        return NOTHING_HEARD
    return sum(1 << number for number, value in enumerate(event.values) if value == HIDDEN)
