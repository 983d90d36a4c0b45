"""The arrays of a batch: the door to numpy."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..evaluator.expressions import Reader
from ..game import Game
from ..native import Face, NativeSteps, NoNative, NotNative, bound, printed_steps
from ..state.decision import RulesetFault
from ..state.setting import Setting, index_names
from ..state.state import State
from ..support.cache import Cache, default_cache
from ..view.visibility import seen_by, sees_place

if TYPE_CHECKING:
    from ..state.setting import Indices


try:
    import numpy
except ImportError:
    raise ImportError("lusory.batch needs numpy: pip install 'lusory[batch]'") from None

Array = Any
"""An array of numpy."""


@dataclass(eq=False)
class Arrays:
    """What each of ``count`` states waits for; made once, and written in place.

    ``seat``: who decides, -1 where nobody does; ``options``: among how many; ``legal``: of each option that there is
    room for, whether it is one; ``done``: the game ended; ``wrong``: it can't go on; ``returns``: what each seat gets
    of a game that ended; ``seeds``: of the games; ``last``: what was answered last, -1 in a new game."""

    count: int
    most: int
    seats: int

    def __post_init__(self) -> None:
        n = self.count
        self.seat: Array = numpy.full(n, -1, numpy.int32)
        self.options: Array = numpy.zeros(n, numpy.int32)
        self.legal: Array = numpy.zeros((n, self.most), numpy.bool_)
        self.done: Array = numpy.zeros(n, numpy.bool_)
        self.wrong: Array = numpy.zeros(n, numpy.bool_)
        self.returns: Array = numpy.zeros((n, self.seats), numpy.float64)
        self.seeds: Array = numpy.zeros(n, numpy.uint64)
        self.last: Array = numpy.full(n, -1, numpy.int64)

    def show(self, at: int, options: int, seat: int) -> None:
        """What a state waits for."""
        self.options[at], self.seat[at] = options, seat
        self.legal[at, :options] = True
        self.legal[at, options:] = False


def whole(values: Any, count: int, what: str) -> Array:
    """Whole numbers, one for each state. Raises ValueError."""
    found = numpy.asarray(values)
    if found.shape != (count,) or found.dtype.kind not in "iu":
        raise ValueError(f"{what} are {count:,} whole numbers, not {found.dtype} {found.shape}")
    return numpy.ascontiguousarray(found, numpy.int64)


def chosen(where: Any, count: int) -> Array:
    """Truth values, one for each state, of a mask or of numbers of states; None: all."""
    if where is None:
        return numpy.ones(count, numpy.bool_)
    found = numpy.asarray(where)
    if found.dtype == numpy.bool_ and found.shape == (count,):
        return numpy.ascontiguousarray(found)
    mask: Array = numpy.zeros(count, numpy.bool_)
    mask[found.astype(numpy.int64)] = True
    return mask


def first_seeds(seed: int, count: int) -> Array:
    return numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(seed & (1 << 64) - 1)


def table(rows: list[list[int]], kind: str) -> Array:
    """Rows of numbers of a kind, one behind the other."""
    return numpy.ascontiguousarray(numpy.array(rows, dtype=kind))


def empty(shape: tuple[int, ...], kind: str) -> Array:
    return numpy.empty(shape, kind)


NONE = -(1 << 31)
"""There is no value."""

HIDDEN = NONE + 1
"""The seat does not see what there is."""

LEAST, MOST = NONE + 2, (1 << 31) - 1
"""Ends of what is written; numbers beyond are written as these."""


@dataclass(frozen=True)
class Entry:
    """What a number of an observation is. ``kind``: ``cell`` of a variable or pool, ``count`` of a zone, ``zone`` (its
    number) or ``place`` (0: the first from the top) of a component; ``name`` and ``at``: of the variable, pool or zone
    with its indices, as authors write them; of a component its name and number."""

    kind: str
    name: str
    at: tuple[str, ...]

    def __str__(self) -> str:
        where = f"{self.name}[{', '.join(self.at)}]" if self.at else self.name
        return where if self.kind == "cell" else f"{self.kind} of {where}"


class Sight:
    """What the seats of one setting see."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        layout = setting.layout
        self.cells = [(name, at) for name in setting.numbers for at in _in_order(setting, name)]
        self.zones = [layout.zone_at(number) for number in range(layout.zone_count)]
        self.left_out = tuple(name for name in layout.places if name not in setting.numbers)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """What each number is."""
        setting = self.setting

        def named(kind: str, name: str, at: Indices) -> Entry:
            return Entry(kind, name, tuple(index_names(setting, setting.layout.place(name), at)))

        components = [(entity.name, (str(entity.number),)) for entity in setting.program.entities]
        return (
            *(named("cell", *place) for place in self.cells),
            *(named("count", *zone) for zone in self.zones),
            *(Entry("zone", *one) for one in components),
            *(Entry("place", *one) for one in components),
        )

    @cached_property
    def sees(self) -> list[list[int]]:
        """Of each seat, the last a spectator: which cells and which zones it sees at all times, and of which components
        it may know that they lie in no zone."""
        return [self._seen(seat) for seat in (*range(self.setting.players), None)]

    def _seen(self, seat: int | None) -> list[int]:
        cells = [int(self._shows(*place, seat)) for place in self.cells]
        zones = [int(self._shows(*zone, seat)) for zone in self.zones]
        shown = zip(self.zones, zones, strict=True)
        closed = {str(self.setting.program.zones[name].holds) for (name, _), sees in shown if not sees}
        return [*cells, *zones, *(int(entity.kind not in closed) for entity in self.setting.program.entities)]

    def _shows(self, name: str, indices: Indices, seat: int | None) -> bool:
        program = self.setting.program
        if program.place(name).visible.condition is not None:
            return False
        at = indices[:-1] if name in program.pools else indices  # the kinds of a pool are seen together
        return sees_place(Reader(self.setting, [], []), name, at, seat)

    def of(self, state: State, seat: int | None) -> list[int]:
        """What a seat sees of a state."""
        seen = seen_by(self.setting, state, seat)
        layout, sees = self.setting.layout, self.sees[-1 if seat is None else seat]
        cells = [layout.places[name].at(at) for name, at in self.cells]
        found = [_number(seen.cells[cell]) if sees[at] else HIDDEN for at, cell in enumerate(cells)]
        found += map(len, seen.zones)
        first = len(self.cells) + len(self.zones)
        zone = [NONE if known else HIDDEN for known in sees[first:]]
        place = zone[:]
        for number, components in enumerate(seen.zones):
            if sees[len(self.cells) + number]:
                for at, component in enumerate(components):
                    zone[component], place[component] = number, at
        return [*found, *zone, *place]


def _in_order(setting: Setting, name: str) -> list[Indices]:
    """The indices of a place in the order of its cells."""
    numbers = setting.layout.places[name].numbers
    return sorted(numbers, key=numbers.__getitem__)


def _number(value: int | None) -> int:
    return NONE if value is None else max(LEAST, min(int(value), MOST))


WORD = (1 << 64) - 1


class InPython:
    """States of Python, each stepped by itself."""

    def __init__(self, game: Game, arrays: Arrays, restart: bool) -> None:
        self.game, self.arrays, self.restart = game, arrays, restart
        self.states: list[State | None] = [None] * arrays.count
        self.reasons: dict[int, str] = {}

    def reset(self, where: Array) -> None:
        a = self.arrays
        for at in where.nonzero()[0].tolist():
            a.done[at] = a.wrong[at] = False
            a.returns[at] = 0
            self._open(at)

    def step(self, actions: Array) -> int:
        """-1, or the first state for which there is no such option: then nothing was done."""
        a = self.arrays
        options = a.options.tolist()
        answers = actions.tolist()
        for at, (most, option) in enumerate(zip(options, answers, strict=True)):
            if most and not 0 <= option < most:
                return at
        for at, option in enumerate(answers):
            self._step(at, option)
        return -1

    def _step(self, at: int, option: int) -> None:
        a = self.arrays
        if a.wrong[at]:
            return
        if a.done[at]:
            if not self.restart:
                return
            a.done[at] = False
            a.returns[at] = 0
        state = self.states[at]
        if a.options[at] and state is not None:
            a.last[at] = option
            try:
                self._settle(at, self.game.apply(state, option))
            except RulesetFault as fault:
                self._gone_wrong(at, str(fault))
                return
        if self.restart and not a.options[at] and not a.wrong[at]:
            a.seeds[at] = int(a.seeds[at]) + a.count & WORD
            self._open(at)

    def _open(self, at: int) -> None:
        a = self.arrays
        a.last[at] = -1
        try:
            self._settle(at, self.game.start(int(a.seeds[at])))
        except RulesetFault as fault:
            self._gone_wrong(at, str(fault))

    def _settle(self, at: int, state: State) -> None:
        a = self.arrays
        decision = self.game.decision(state)
        if decision is None:
            outcome = self.game.outcome(state)
            assert outcome is not None
            a.returns[at] = outcome.payoffs
            a.done[at] = True
            a.show(at, 0, -1)
        elif len(decision.options) > a.most:
            self._gone_wrong(at, too_many(len(decision.options), a.most))
            return
        else:
            a.show(at, len(decision.options), decision.seat)
        self.states[at] = state

    def _gone_wrong(self, at: int, why: str) -> None:
        a = self.arrays
        a.wrong[at] = True
        a.show(at, 0, -1)
        if not a.done[at]:
            a.returns[at] = float("nan")
        self.reasons[at] = why

    def why(self, at: int) -> str:
        """What is wrong, in words."""
        return self.reasons[at]

    def state(self, at: int) -> State:
        state = self.states[at]
        assert state is not None, "there was no first decision"
        return state

    def observe(self, into: Array, viewer: int, sight: Sight) -> None:
        """``viewer``: a seat, -1: a spectator, -2: of each state the seat that decides."""
        a = self.arrays
        for at, state in enumerate(self.states):
            seat = int(a.seat[at]) if viewer == -2 else viewer
            if a.wrong[at] or state is None:
                into[at] = HIDDEN
            else:
                into[at] = sight.of(state, None if seat < 0 else seat)


def too_many(options: int, most: int) -> str:
    """The words for more options than there is room for."""
    return f"there are {options:,} options, and room for {most:,}: say more as `most`"


POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int64
FACE: Face = {
    "batch_size": (NUMBER,),
    "batch_reset": (None, POINTER, POINTER),
    "batch_step": (NUMBER, POINTER, POINTER),
    "batch_observe": (None, POINTER, POINTER, NUMBER, POINTER),
    "observation_length": (NUMBER,),
}
ALIGNED = 16
"""Bytes: what may stand in a state begins at a multiple of it."""


SHARED = ("seeds", "last", "seat", "options", "legal", "done", "wrong", "returns")
"""Arrays that C writes, in the order in which it has them."""


class _Batch(ctypes.Structure):
    """As C has it."""

    _fields_ = (
        *((name, POINTER) for name in ("context", "states")),
        *((name, NUMBER) for name in ("count", "stride", "most", "restart")),
        *((name, POINTER) for name in SHARED),
    )


class InC:
    """States of native code."""

    def __init__(self, game: Game, steps: NativeSteps, arrays: Arrays, restart: bool) -> None:
        self.game, self.steps, self.arrays = game, steps, arrays
        library = self.library = steps.library
        bound(library, FACE)
        assert library.batch_size() == ctypes.sizeof(_Batch)
        self.stride = (steps.most + ALIGNED - 1) // ALIGNED * ALIGNED
        self.context = ctypes.create_string_buffer(library.context_size())
        self.states = empty((arrays.count, self.stride), "uint8")
        fields = (getattr(arrays, name) for name in SHARED)
        self.batch = _Batch(
            *(ctypes.addressof(self.context), self.states.ctypes.data),
            *(arrays.count, self.stride, arrays.most, restart),
            *(field.ctypes.data for field in fields),
        )
        self._address = ctypes.addressof(self.batch)
        self._sees: Array = None

    def reset(self, where: Array) -> None:
        self.library.batch_reset(self._address, where.ctypes.data)

    def step(self, actions: Array) -> int:
        """-1, or the first state for which there is no such option: then nothing was done."""
        return int(self.library.batch_step(self._address, actions.ctypes.data))

    def why(self, at: int) -> str:
        """What is wrong, in words: Python plays the last step again."""
        last = int(self.arrays.last[at])
        try:
            if last < 0:
                after = self.game.start(int(self.arrays.seeds[at]))
            else:
                after = self.game.apply(self.state(at), last)
        except RulesetFault as fault:
            return str(fault)
        decision = self.game.decision(after)
        if decision is not None and len(decision.options) > self.arrays.most:
            return too_many(len(decision.options), self.arrays.most)
        return "native code was short of room; Python goes on with it"

    def state(self, at: int) -> State:
        return self.steps.to_python(self.states[at].tobytes())

    def observe(self, into: Array, viewer: int, sight: Sight) -> None:
        """``viewer``: a seat, -1: a spectator, -2: of each state the seat that decides."""
        if self._sees is None:
            self._sees = table(sight.sees, "uint8")
        self.library.batch_observe(self._address, into.ctypes.data, viewer, self._sees.ctypes.data)


MOST_STEPS = 256
"""Options that there is room for, unless fewer can be or the caller says otherwise."""

WHO_DECIDES, SPECTATOR = -2, -1


class NoAction(Exception):
    """An action that is not legal. ``at``: the first state that has none of this number."""

    def __init__(self, at: int, action: int, options: int) -> None:
        super().__init__(f"state {at} has no action {action}, only 0 to {options - 1}")
        self.at = at


class Batch:
    """``count`` games of one setting. The game ``i`` is ``game.start(seed + i)``, and its actions are the numbers of
    the options of ``game.decision``, so it is the same in native code and in Python.

    ``most``: the options that there is room for in ``legal`` (as many as there can be, where the checker knows of at
    most 256; else 256); a state that has more goes wrong. ``restart``: a game that ends is told, and begun anew in the
    same step, from a seed greater by ``count``. ``native``: None: in native code where that can be had; True: only
    there (raises NoNative); False: in Python. ``cache``: where it is kept, if not where it usually is.

    The arrays are made once and changed in place by ``reset`` and ``step``:

    - ``seat`` (count, int32): who decides, -1 where nobody does;
    - ``options`` (count, int32): among how many, at least two, or none;
    - ``legal`` (count × most, bool): ``legal[i, a]``: action ``a`` can be taken;
    - ``done`` (count, bool): the game ended; with ``restart`` only until the next step;
    - ``returns`` (count × players, float64): what each seat gets of a game that is done, else 0: what the ruleset's
      ``payoff`` says, or else 1 that winners share (which in a zero-sum game the others pay);
    - ``wrong`` (count, bool): the game can't go on; ``why`` says why not, ``returns`` are not numbers;
    - ``seeds`` (count, uint64): of the games.

    ``sees``: what an observation tells, entry by entry; ``left_out``: the variables that it does not tell of, as they
    hold lists or texts. ``refused``: why there is no native code."""

    def __init__(
        self,
        game: Game,
        count: int,
        seed: int = 1,
        *,
        most: int | None = None,
        restart: bool = False,
        native: bool | None = None,
        cache: Cache | None = None,
    ) -> None:
        if count < 1:
            raise ValueError("a batch has at least one state")
        self.game, self.count = game, count
        self.refused = "" if native is not False else "Python was asked for"
        steps = None if native is False else self._native(cache, bool(native))
        arrays = self._arrays = Arrays(count, most or _most_options(game, steps), game.players)
        self.most = arrays.most
        self.seat, self.options, self.legal = arrays.seat, arrays.options, arrays.legal
        self.done, self.wrong, self.returns, self.seeds = arrays.done, arrays.wrong, arrays.returns, arrays.seeds
        self._states: InC | InPython
        self._states = InPython(game, arrays, restart) if steps is None else InC(game, steps, arrays, restart)
        self.seeds[:] = first_seeds(seed, count)
        self._states.reset(chosen(None, count))

    def _native(self, cache: Cache | None, only: bool) -> NativeSteps | None:
        try:
            return NativeSteps(self.game, cache or default_cache())
        except NoNative as none:
            if only:
                raise
            self.refused = str(none)
            return None

    @property
    def native(self) -> bool:
        """Whether native code plays."""
        return not self.refused

    def reset(self, where: Any = None, seeds: Any = None) -> None:
        """Begins games anew: all, or those of a mask, or of numbers of states. ``seeds``: of all states; otherwise each
        game that begins has a seed greater by ``count`` than the one before."""
        mask = chosen(where, self.count)
        if seeds is None:
            self.seeds[mask] += self.seeds.dtype.type(self.count)
        else:
            self.seeds[mask] = whole(seeds, self.count, "seeds").astype(self.seeds.dtype)[mask]
        self._states.reset(mask)

    def step(self, actions: Any) -> None:
        """Takes an action in each state: whole numbers, one a state; of states that wait for nobody they are not read.
        Raises NoAction where one is not legal: then none was taken. Raises ValueError for other arrays."""
        found = whole(actions, self.count, "actions")
        at = self._states.step(found)
        if at >= 0:
            raise NoAction(at, int(found[at]), int(self.options[at]))

    def observe(self, seat: int = WHO_DECIDES, into: Array = None) -> Array:
        """What a seat sees of each state (count × len(sees), int32): the one that decides, unless given; -1: a
        spectator. ``into``: an array of an earlier call, which is written again."""
        if not WHO_DECIDES <= seat < self.game.players:
            raise ValueError(f"there is no seat {seat}")
        found = empty((self.count, len(self.sees)), "int32") if into is None else into
        if found.shape != (self.count, len(self.sees)) or found.dtype != "int32" or not found.flags.c_contiguous:
            raise ValueError("observations are written into an array that `observe` made")
        self._states.observe(found, seat, self._sight)
        return found

    @property
    def sees(self) -> tuple[Entry, ...]:
        return self._sight.entries

    @property
    def left_out(self) -> tuple[str, ...]:
        return self._sight.left_out

    @cached_property
    def _sight(self) -> Sight:
        return Sight(self.game.setting)

    def why(self, at: int) -> str:
        """Why a state is ``wrong``, in words."""
        if not self.wrong[at]:
            raise ValueError(f"nothing is wrong with state {at}")
        return self._states.why(at)

    def state(self, at: int) -> State:
        """A state as :class:`~lusory.game.Game` has it; of one that is ``wrong`` the state before."""
        return self._states.state(at)


def _most_options(game: Game, steps: NativeSteps | None) -> int:
    """For how many options there is room, unless the caller says so."""
    try:
        form = printed_steps(game.setting).form if steps is None else steps.form
    except NotNative:
        return MOST_STEPS
    return min(max(form.most, default=1), MOST_STEPS)
