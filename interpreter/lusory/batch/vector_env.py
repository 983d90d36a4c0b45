"""Play a batch of games at once, with arrays of numpy for decisions, results and observations.

:class:`Batch` is the public interface. Behind it, the games run in native code (:class:`_NativeStates`) or in Python
(:class:`_PythonStates`), with the same results. :class:`_ObservationEncoder` defines observations.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..evaluator.expressions import Reader
from ..game import Game
from ..native import LibraryInterface, NativeSteps, NoNative, NotNative, declare_functions, generate_steps_c
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.setting_value_limits_builtins_and_names import Setting, format_index_names
from ..state.state import State
from ..support.cache import Cache, find_default_cache
from ..view.redacted_state import can_see_place, redact_state

if TYPE_CHECKING:
    from ..state.setting_value_limits_builtins_and_names import Indices


try:
    import numpy
except ImportError:
    raise ImportError("lusory.batch needs numpy: pip install 'lusory[batch]'") from None

Array = Any
"""An array of numpy."""


@dataclass(eq=False)
class _Arrays:
    """The arrays that describe a batch of ``count`` states. They are allocated once and changed in place.

    Attributes:
        most: The greatest number of options of a decision.
        seats: The number of seats.
        seat: The deciding seat of each state, or -1.
        options: The number of options of each state, or 0 if nobody decides.
        legal: For each state and option number, whether the option exists.
        done: Whether the game has ended.
        wrong: Whether the game cannot go on.
        returns: The return of each seat in a game that has ended. It is 0 while the game runs, and NaN if it is wrong.
        seeds: The seed of each game.
        last: The last answer in each state, or -1 in a new game.
    """

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

    def set_decision(self, index: int, option_count: int, seat: int) -> None:
        """Store the decision that state ``index`` waits for in ``options``, ``seat`` and ``legal``.

        All its options are legal: with 2 options, ``legal[index]`` begins with True, True, and the rest is False.
        """
        self.options[index], self.seat[index] = option_count, seat
        self.legal[index, :option_count] = True
        self.legal[index, option_count:] = False


def _check_integers(values: Any, count: int, subject: str) -> Array:
    """Return one whole number for each state, as a contiguous array of int64.

    Raise ValueError if ``values`` has another shape than ``(count,)``, or holds anything but integers, such as bool or
    float. ``subject`` is the first word of the message.
    """
    array = numpy.asarray(values)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(f"{subject} are {count:,} whole numbers, not {array.dtype} {array.shape}")
    return numpy.ascontiguousarray(array, numpy.int64)


def make_mask(where: Any, count: int) -> Array:
    """Return a mask of ``count`` states, a new array of bool.

    ``where`` is a mask of that length, or a state number or a list of them. Negative numbers count from the end. None
    and True stand for all states; False and an empty list or mask for no state. Raises IndexError for any other mask of
    another length, an unknown state number, and numbers that are not integers.
    """
    mask: Array = numpy.zeros(count, numpy.bool_)
    mask[slice(None) if where is None else list(where) if isinstance(where, tuple) else where] = True
    return mask


NONE = -(1 << 31)
"""Stands for none in an observation."""

HIDDEN = NONE + 1
"""Stands for a value that the seat cannot see."""

MIN_NUMBER, MAX_NUMBER = NONE + 2, (1 << 31) - 1
"""Bounds of the numbers in an observation. Numbers beyond are clamped."""


@dataclass(frozen=True)
class Entry:
    """The meaning of one number of an observation.

    ``kind`` is ``cell`` (of a variable or pool), ``count`` (of a zone), ``zone`` or ``place``. The last two are for a
    component: the number of its zone, and its position from the top, from 0. For a component, ``name`` and ``at`` are
    its name and number. Otherwise they are the name and indices of the variable, pool or zone, as authors write them.
    """

    kind: str
    name: str
    at: tuple[str, ...]

    def __str__(self) -> str:
        label = f"{self.name}[{', '.join(self.at)}]" if self.at else self.name
        return label if self.kind == "cell" else f"{self.kind} of {label}"


class _ObservationEncoder:
    """Compute the observations of the seats of one setting.

    Attributes:
        cells: Name and indices of each observed cell.
        zones: Name and indices of each zone.
        left_out: The variables that observations leave out, because they hold lists or texts.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        layout = setting.layout
        numbers = {name: layout.places[name].numbers for name in setting.numeric_places}
        self.cells = [
            (name, indices) for name in numbers for indices in sorted(numbers[name], key=numbers[name].__getitem__)
        ]
        self.zones = [layout.get_zone(number) for number in range(layout.zone_count)]
        self.left_out = tuple(name for name in layout.places if name not in setting.numeric_places)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The meaning of each number of an observation, such as ``Entry("cell", "gold", ("P1",))``.

        First come all entries of the kind ``cell``, for the cells of variables and pools except ``left_out``. Variables
        that the compiler adds, such as ``at_once0_Made0``, count too. Then come all of ``count``, one for each zone,
        such as ``Entry("count", "hand", ("P1",))``. A ``zone`` for each component follows, in the order of their
        numbers: ``Entry("zone", "imp", ("7",))`` is for number 7. Last comes a ``place`` for each, in the same order.
        :attr:`Batch.sees` is this same tuple.
        """
        setting = self.setting

        def make_entry(kind: str, name: str, indices: Indices) -> Entry:
            return Entry(kind, name, tuple(format_index_names(setting, setting.layout.place(name), indices)))

        components = [(entity.name, (str(entity.number),)) for entity in setting.program.entities]
        return (
            *(make_entry("cell", *place) for place in self.cells),
            *(make_entry("count", *zone) for zone in self.zones),
            *(Entry("zone", *component) for component in components),
            *(Entry("place", *component) for component in components),
        )

    @cached_property
    def visibility_flags(self) -> list[list[int]]:
        """A list of 0 and 1 for each seat, the spectator last: 1 for each of ``cells`` that the seat always sees.

        The same follows in the list for each of ``zones``. A place whose visibility depends on a condition has 0. At
        the end, 1 or 0 stands for each component: whether the seat always sees all zones for its kind. If so, it can
        know that the component is in no zone.
        """
        program, visibilities = self.setting.program, []
        for seat in (*range(self.setting.players), None):
            places = [int(self._shows(*place, seat)) for place in (*self.cells, *self.zones)]
            zone_visibility = zip(self.zones, places[len(self.cells) :], strict=True)
            closed_kinds = {str(program.zones[name].holds) for (name, _), sees in zone_visibility if not sees}
            visibilities.append([*places, *(int(entity.kind not in closed_kinds) for entity in program.entities)])
        return visibilities

    def _shows(self, name: str, indices: Indices, seat: int | None) -> bool:
        program = self.setting.program
        if program.get_place(name).visible.condition is not None:
            return False
        indices = indices[:-1] if name in program.pools else indices  # all kinds of a pool have the same visibility
        return can_see_place(Reader(self.setting, [], []), name, indices, seat)

    def encode(self, state: State, seat: int | None) -> list[int]:
        """Return the observation of a state by a seat, one number for each of ``entries``. None is a spectator.

        The counts of zones are known to all. A cell that the seat does not see at all times is HIDDEN (NONE + 1), even
        if it sees it now. So is a component in a zone that the seat does not always see. For a component in no zone,
        zone and place are NONE (-2³¹) if the seat always sees all zones for its kind, else HIDDEN. Any other zone is
        its index in ``zones``, and the place counts from the top, from 0. A cell without a value is NONE. A truth value
        is 0 or 1; a player, enum value or component is its number, from 0. Numbers beyond MIN_NUMBER and MAX_NUMBER are
        clamped. Lists and texts have no entry.
        """
        redacted_state = redact_state(self.setting, state, seat)
        layout, sees = self.setting.layout, self.visibility_flags[-1 if seat is None else seat]
        cells = [layout.places[name].at(indices) for name, indices in self.cells]
        numbers = [_encode_number(redacted_state.cells[cell]) if sees[i] else HIDDEN for i, cell in enumerate(cells)]
        numbers += map(len, redacted_state.zones)
        start = len(self.cells) + len(self.zones)
        zone_numbers = [NONE if is_known else HIDDEN for is_known in sees[start:]]
        zone_positions = zone_numbers[:]
        for number, components in enumerate(redacted_state.zones):
            if sees[len(self.cells) + number]:
                for position, component in enumerate(components):
                    zone_numbers[component], zone_positions[component] = number, position
        return [*numbers, *zone_numbers, *zone_positions]


def _encode_number(value: int | None) -> int:
    return NONE if value is None else max(MIN_NUMBER, min(int(value), MAX_NUMBER))


WORD = (1 << 64) - 1


class _PythonStates:
    """Hold the states of a batch in Python, and step them one by one."""

    def __init__(self, game: Game, arrays: _Arrays, restarts_games: bool) -> None:
        self.game, self.arrays, self.restarts_games = game, arrays, restarts_games
        self.states: list[State | None] = [None] * arrays.count

    def reset(self, mask: Array) -> None:
        """Start new games in the states of a mask, from their ``seeds``, and update the rest of :class:`_Arrays`.

        Their ``done``, ``wrong`` and ``returns`` are set to 0 first. Other states stay unchanged. A state becomes
        ``wrong`` if the rules fail in the setup, or if the first decision has too many options.
        """
        arrays = self.arrays
        for number in mask.nonzero()[0].tolist():
            arrays.done[number] = arrays.wrong[number] = False
            arrays.returns[number] = 0
            self._start_game(number)

    def step(self, actions: Array) -> int:
        """Take an action in each state, and update the arrays of :class:`_Arrays`, which hold no observations.

        ``actions`` has the index of an option for each state; it is ignored in a state without options. Return -1, or
        the number of the first state that lacks this option; then nothing has changed. A state in which the rules fail,
        or that has more than ``arrays.most`` options, becomes ``wrong`` and is skipped from then on. Its ``returns``
        become NaN, unless its game had ended. With ``restarts_games``, a new game starts at once in each state whose
        game has ended; its seed is greater by the number of states. Its ``done`` and ``returns`` stay until the next
        step.
        """
        arrays = self.arrays
        option_counts = arrays.options.tolist()
        answers = actions.tolist()
        for number, (option_count, option) in enumerate(zip(option_counts, answers, strict=True)):
            if option_count and not 0 <= option < option_count:
                return number
        for number, option in enumerate(answers):
            self._step(number, option)
        return -1

    def _step(self, number: int, option: int) -> None:
        """Take an option in one state. Start a new game there if the game has ended and ``restarts_games`` is set."""
        arrays = self.arrays
        if arrays.wrong[number]:
            return
        if arrays.done[number]:
            if not self.restarts_games:
                return
            arrays.done[number] = False
            arrays.returns[number] = 0
        state = self.states[number]
        if arrays.options[number] and state is not None:
            arrays.last[number] = option
            try:
                self._store_state(number, self.game.apply(state, option))
            except RulesetFault:
                self._fail(number)
                return
        if self.restarts_games and not arrays.options[number] and not arrays.wrong[number]:
            arrays.seeds[number] = int(arrays.seeds[number]) + arrays.count & WORD
            self._start_game(number)

    def _start_game(self, number: int) -> None:
        arrays = self.arrays
        arrays.last[number] = -1
        try:
            self._store_state(number, self.game.start(int(arrays.seeds[number])))
        except RulesetFault:
            self._fail(number)

    def _store_state(self, number: int, state: State) -> None:
        arrays = self.arrays
        decision = self.game.decision(state)
        if decision is None:
            outcome = self.game.outcome(state)
            assert outcome is not None
            arrays.returns[number] = outcome.payoffs
            arrays.done[number] = True
            arrays.set_decision(number, 0, -1)
        elif len(decision.options) > arrays.most:
            self._fail(number)
            return
        else:
            arrays.set_decision(number, len(decision.options), decision.seat)
        self.states[number] = state

    def _fail(self, number: int) -> None:
        arrays = self.arrays
        arrays.wrong[number] = True
        arrays.set_decision(number, 0, -1)
        if not arrays.done[number]:
            arrays.returns[number] = float("nan")

    def state(self, number: int) -> State:
        """Return the state with this number, not a copy.

        If ``arrays.wrong[number]`` is true, the result is the last state before the step or start that failed. A step
        or start fails if the rules fail, or if the decision after it has more than ``arrays.most`` options. After a
        failed start, the result is the last state of the game before. Raise AssertionError if no start with this number
        has succeeded yet.
        """
        state = self.states[number]
        assert state is not None, "there was no first decision"
        return state

    def write_observations(self, observations: Array, viewer: int, encoder: _ObservationEncoder) -> None:
        """Write the observation of each state into ``observations``, one row for each state.

        ``viewer`` is a seat, -1 for a spectator, or -2 for the seat that decides in each state; where nobody decides,
        that is a spectator. The row of a state that is ``wrong`` is filled with HIDDEN.
        """
        arrays = self.arrays
        for number, state in enumerate(self.states):
            seat = int(arrays.seat[number]) if viewer == DECIDING_SEAT else viewer
            if arrays.wrong[number] or state is None:
                observations[number] = HIDDEN
            else:
                observations[number] = encoder.encode(state, None if seat < 0 else seat)


POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int64
BATCH_INTERFACE: LibraryInterface = {
    "batch_size": (NUMBER,),
    "batch_reset": (None, POINTER, POINTER),
    "batch_step": (NUMBER, POINTER, POINTER),
    "batch_observe": (None, POINTER, POINTER, NUMBER, POINTER),
    "observation_length": (NUMBER,),
}
"""The functions of a library of stepwise play for batches."""
ALIGNED = 16
"""The alignment of states in bytes."""


SHARED = ("seeds", "last", "seat", "options", "legal", "done", "wrong", "returns")
"""The arrays that C writes, in the order of the fields of its struct."""


class _Batch(ctypes.Structure):
    """The struct of a batch in C."""

    _fields_ = (
        *((name, POINTER) for name in ("context", "states")),
        *((name, NUMBER) for name in ("count", "stride", "most", "restart")),
        *((name, POINTER) for name in SHARED),
    )


class _NativeStates:
    """Hold the states of a batch in native code."""

    def __init__(self, game: Game, steps: NativeSteps, arrays: _Arrays, restarts_games: bool) -> None:
        self.game, self.steps, self.arrays = game, steps, arrays
        library = self.library = steps.library
        declare_functions(library, BATCH_INTERFACE)
        assert library.batch_size() == ctypes.sizeof(_Batch)
        self.stride = (steps.max_state_size + ALIGNED - 1) // ALIGNED * ALIGNED
        self.context = ctypes.create_string_buffer(library.context_size())
        self.states = numpy.empty((arrays.count, self.stride), "uint8")
        fields = (getattr(arrays, name) for name in SHARED)
        self.batch = _Batch(
            *(ctypes.addressof(self.context), self.states.ctypes.data),
            *(arrays.count, self.stride, arrays.most, restarts_games),
            *(field.ctypes.data for field in fields),
        )
        self._address = ctypes.addressof(self.batch)
        self._sees: Array = None

    def reset(self, mask: Array) -> None:
        """Start new games in the states of a mask, as :meth:`_PythonStates.reset` does."""
        self.library.batch_reset(self._address, mask.ctypes.data)

    def step(self, actions: Array) -> int:
        """Take an action in each state, and update the arrays, as :meth:`_PythonStates.step` does.

        Return -1, or the number of the first state that has no such option; then nothing has changed.
        """
        return int(self.library.batch_step(self._address, actions.ctypes.data))

    def state(self, number: int) -> State:
        """Return a state, converted to Python."""
        return self.steps.to_python(self.states[number].tobytes())

    def write_observations(self, observations: Array, viewer: int, encoder: _ObservationEncoder) -> None:
        """Write the observation of each state into an array, as :meth:`_PythonStates.write_observations` does."""
        if self._sees is None:
            self._sees = numpy.array(encoder.visibility_flags, "uint8")
        self.library.batch_observe(self._address, observations.ctypes.data, viewer, self._sees.ctypes.data)


MAX_DEFAULT_OPTIONS = 256
"""The default capacity for options, unless the checker knows that there are fewer."""

DECIDING_SEAT = -2
"""Stands for the deciding seat of each state, where a spectator is -1."""


class NoAction(Exception):
    """Signal an action that is not legal. ``at`` is the number of the first such state."""

    def __init__(self, number: int, action: int, option_count: int) -> None:
        super().__init__(f"state {number} has no action {action}, only 0 to {option_count - 1}")
        self.at = number


class Batch:
    """Play ``count`` games of one setting at once.

    Game ``i`` starts as ``game.start(seed + i)``. Its actions are the numbers of the options of ``game.decision``.
    Native code and Python therefore play the same games.

    Arguments:
        most: The capacity of ``legal`` for options. A state with more options goes wrong. The default is the greatest
            number that the checker finds, at most 256.
        restart: Whether to start a new game in the same step in which one ends. Its seed is greater by ``count``.
        native: None uses native code if available, True requires it (raises NoNative), and False uses Python.
        cache: The cache for native code, if not the default one.

    ``reset`` and ``step`` change these arrays in place:

    - ``seat`` (count, int32): the deciding seat, or -1 if nobody decides.
    - ``options`` (count, int32): the number of options, at least two, or 0 if nobody decides.
    - ``legal`` (count × most, bool): ``legal[i, a]`` says whether action ``a`` exists in state ``i``.
    - ``done`` (count, bool): whether the game has ended. With ``restart``, it stays true only until the next step.
    - ``returns`` (count × players, float64): the return of each seat in a game that is done, else 0. This is the
      ``payoff`` of the ruleset. Without one, the winners share 1; in a zero-sum game the others pay it.
    - ``wrong`` (count, bool): whether the game cannot go on. ``why`` gives the reason, and ``returns`` is NaN.
    - ``seeds`` (count, uint64): the seed of each game.

    ``sees`` describes each number of an observation. ``left_out`` names the variables that observations leave out,
    because they hold lists or texts. ``refused`` says why there is no native code.
    """

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
        steps = None if native is False else self._start_native(cache, bool(native))
        arrays = _Arrays(count, most or _choose_default_capacity(game, steps), game.players)
        self.most, self._last = arrays.most, arrays.last
        self.seat, self.options, self.legal = arrays.seat, arrays.options, arrays.legal
        self.done, self.wrong, self.returns, self.seeds = arrays.done, arrays.wrong, arrays.returns, arrays.seeds
        self._states: _NativeStates | _PythonStates
        self._states = (
            _PythonStates(game, arrays, restart) if steps is None else _NativeStates(game, steps, arrays, restart)
        )
        self.seeds[:] = numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(seed & WORD)
        self._states.reset(make_mask(None, count))

    def _start_native(self, cache: Cache | None, is_required: bool) -> NativeSteps | None:
        try:
            return NativeSteps(self.game, cache or find_default_cache())
        except NoNative as none:
            if is_required:
                raise
            self.refused = str(none)
            return None

    @property
    def native(self) -> bool:
        """True if native code plays, False if Python does (see ``refused``)."""
        return not self.refused

    def reset(self, where: Any = None, seeds: Any = None) -> None:
        """Start new games in all states, or in those of ``where``, a mask or a list of state numbers.

        ``seeds`` has a seed for every state; those of other states are ignored. By default, each new game has the seed
        of the previous one plus ``count``. The arrays change in place. In new games, ``done``, ``wrong`` and
        ``returns`` are 0, unless the setup ends the game or fails, or the first decision has too many options. A mask
        is an array or list of bool (:func:`make_mask`); negative state numbers count from the end. Raise ValueError for
        seeds of another length or type, and IndexError for a mask of another length or an unknown state number.
        """
        mask = make_mask(where, self.count)
        if seeds is None:
            self.seeds[mask] += self.seeds.dtype.type(self.count)
        else:
            self.seeds[mask] = _check_integers(seeds, self.count, "seeds").astype(self.seeds.dtype)[mask]
        self._states.reset(mask)

    def step(self, actions: Any) -> None:
        """Take an action in each state, and update the arrays of :class:`Batch` in place, but no earlier observations.

        ``actions`` has the number of an option for each state, from 0. It is ignored in a state where nobody decides.
        With ``restart``, a game that ends is replaced by a new one in the same step; its ``done`` and ``returns`` stay
        until the next step. A game whose rules fail, or that has more than ``most`` options, becomes ``wrong`` until
        ``reset``, also with ``restart``. Raise NoAction, with the number of the first such state as ``at``, if an
        action is not legal; then no state has changed. Raise ValueError if ``actions`` are not integers, one for each
        state.
        """
        option_numbers = _check_integers(actions, self.count, "actions")
        number = self._states.step(option_numbers)
        if number >= 0:
            raise NoAction(number, int(option_numbers[number]), int(self.options[number]))

    def observe(self, seat: int = DECIDING_SEAT, into: Array = None) -> Array:
        """Return what a seat sees of each state: an array of int32 with a row for each state.

        A row has a number for each entry of ``sees``. ``seat`` is -1 for a spectator. By default it is the deciding
        seat of each state, or a spectator where nobody decides. A cell that the seat doesn't see at all times is
        HIDDEN, even if it sees it now, and a cell without a value is NONE. A count is never HIDDEN. A component has a
        zone and place if the seat always sees that zone. Otherwise both are HIDDEN, or NONE if the seat always sees all
        zones for its kind. A ``wrong`` state gives a row of HIDDEN. ``into`` is an array from an earlier call to
        overwrite and return. Raise ValueError for an unknown seat, or for an array of another shape or type.
        """
        if not DECIDING_SEAT <= seat < self.game.players:
            raise ValueError(f"there is no seat {seat}")
        observations = numpy.empty((self.count, len(self.sees)), "int32") if into is None else into
        if (
            observations.shape != (self.count, len(self.sees))
            or observations.dtype != "int32"
            or not observations.flags.c_contiguous
        ):
            raise ValueError("observations are written into an array that `observe` made")
        self._states.write_observations(observations, seat, self._encoder)
        return observations

    @property
    def sees(self) -> tuple[Entry, ...]:
        """The meaning of each number of an observation, in order.

        First come the cells, such as ``Entry("cell", "gold", ("P1",))``, then the number of components in each zone, of
        kind ``count``. The zones of all components follow, such as ``Entry("zone", "dove", ("0",))`` with the number of
        the component. Their places in these zones (0 is the top) come last, of kind ``place``. Both are in the order of
        the components' numbers.
        """
        return self._encoder.entries

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of the variables that observations leave out, because they hold lists or texts."""
        return self._encoder.left_out

    @cached_property
    def _encoder(self) -> _ObservationEncoder:
        return _ObservationEncoder(self.game.setting)

    def why(self, number: int) -> str:
        """Return the reason why a state is ``wrong``. Raises ValueError if it is not.

        Python repeats its last step to find the reason. It is the fault of the rules, with its place and trail, or
        ``there are 300 options, and room for 256: say more as `most` ``. If Python finds neither, it is ``native code
        was short of room: play with `native=False` ``. States are numbered from 0.
        """
        if not self.wrong[number]:
            raise ValueError(f"nothing is wrong with state {number}")
        last_answer = int(self._last[number])
        try:
            if last_answer < 0:
                state_after = self.game.start(int(self.seeds[number]))
            else:
                state_after = self.game.apply(self.state(number), last_answer)
            self.game.outcome(state_after)
        except RulesetFault as fault:
            return str(fault)
        decision = self.game.decision(state_after)
        if decision is not None and len(decision.options) > self.most:
            return f"there are {len(decision.options):,} options, and room for {self.most:,}: say more as `most`"
        return "native code was short of room: play with `native=False`"

    def state(self, number: int) -> State:
        """Return the state with this number for use with :class:`~lusory.game.Game`. If it is ``wrong``, this is the
        state before the failed step.
        """
        return self._states.state(number)


def _choose_default_capacity(game: Game, steps: NativeSteps | None) -> int:
    """Return the greatest number of options that a decision can have, at most :data:`MAX_DEFAULT_OPTIONS`.

    It is :data:`MAX_DEFAULT_OPTIONS` if C does not support the game.
    """
    try:
        form = generate_steps_c(game.setting).form if steps is None else steps.form
    except NotNative:
        return MAX_DEFAULT_OPTIONS
    assert form is not None
    return min(max(form.option_limits, default=1), MAX_DEFAULT_OPTIONS)
