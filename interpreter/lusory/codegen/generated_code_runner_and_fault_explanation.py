"""Play games with generated Python code, and explain faults in the terms of the ruleset.

:class:`CompiledEngine` loads the builds of one setting and runs them from decision to decision. If generated code
raises an error, :class:`FaultReader` evaluates the expressions of the failed line again, to produce the same message as
the evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from lusory_dsl import core
from lusory_dsl.core import Local

from ..evaluator.expressions import find_initial_position
from ..state import random_streams
from ..state.decisions_outcomes_and_faults import Decision, LimitExceeded, NoSuchOption, Option, Outcome, RulesetFault
from ..state.events_redaction_and_text import Log
from ..state.setting_value_limits_builtins_and_names import (
    NONE_AS_NUMBER,
    ForcedChance,
    Setting,
    Value,
    describe_exceeded_limit,
    describe_trail,
    dump,
)
from ..state.state import CachedDecision, CodeStore, State
from ..state.static_work_charges_and_list_bounds import WORK_CAP
from .generated_code_check_and_loading import Module, Playout, Steps
from .ir import PICKS, Provenance
from .lower.expression_ranges import is_optional
from .lower.lowered_nodes_and_common_subexpressions import EXPRESSIONS, Changed, LetIn, QueryRoutine
from .lower.lowerer_with_constant_folding_and_inlining import LoweredReader
from .python.printer import make_place_names
from .python.runtime import EXTRA_CELLS, FORCED, UNTIL, VISITS, WAITS, list_slots

if TYPE_CHECKING:
    from .build_stages_and_ir_listing import Emission, Stepwise


Raw = list[tuple[int, tuple[Value, ...]]]  # options as generated code lists them: (alternative, values)
# Build named tuples with tuple.__new__. It takes half the time of calling the class.
_decision: Callable[[tuple[int, int, Sequence[Option]]], Decision] = partial(tuple.__new__, Decision)
_option: Callable[[tuple[int, int, tuple[Value, ...]]], Option] = partial(tuple.__new__, Option)


class CompiledEngine:
    """Play games of one setting. The engine is immutable: a :class:`State` holds all of a game in progress."""

    def __init__(self, setting: Setting, store: CodeStore | None = None) -> None:
        self.setting = setting
        self.layout = layout = setting.layout
        limits = setting.limits
        self.store = store
        self._form: Stepwise | None = None
        self._over_cell = layout.over
        self._waits_cell = layout.size + WAITS
        self._forced_cell = layout.size + FORCED
        self._work_cell, self._until_cell, self._visits_cell = layout.work, layout.size + UNTIL, layout.size + VISITS
        self._decision_limit, self._game_limit, self._max_visits = limits.decision, limits.game, limits.visits

    @cached_property
    def initial(self) -> State:
        """The position before the setup."""
        return find_initial_position(self.setting)

    @cached_property
    def silent(self) -> Steps:
        """The build without events."""
        return Steps(self.setting, "silent", self.store, self._emit)

    @cached_property
    def with_events(self) -> Steps:
        """The build that logs events."""
        return Steps(self.setting, "events", self.store, self._emit)

    def _emit(self, kind: str) -> Emission:
        """Generate the text of a stepwise build.

        Both builds come from one :class:`lusory.codegen.build_stages_and_ir_listing.Stepwise`, which is cached
        until the second build is generated.
        """
        from .build_stages_and_ir_listing import Stepwise

        is_first = self._form is None
        form = Stepwise(self.setting) if self._form is None else self._form
        self._form = form if is_first else None
        return form.emit(kind)

    @property
    def _loaded_steps(self) -> Steps:
        """The build with events if only that one is loaded. Otherwise the silent one, which is loaded if necessary."""
        return self.with_events if "with_events" in self.__dict__ and "silent" not in self.__dict__ else self.silent

    @cached_property
    def playouts(self) -> Playout:
        """The build that plays a whole game at random in one function."""
        return Playout(self.setting, self.store)

    def explain_playout_fault(self, error: Exception) -> RulesetFault:
        """Return the fault of a whole game in which generated code raised ``error``, with its place in the ruleset.

        The position in it is the one at the fault, read from the local variables in the traceback.
        """
        return self._make_fault(self.playouts, error, self.initial.cells, self.initial.zones)

    @cached_property
    def _slot_counts(self) -> dict[int, int]:
        """Map each choice site to the length of the list that :meth:`get_locals` returns."""
        sites = self.setting.sites.items()
        slots = {site: [slot for node in core.walk(ask) for slot in list_slots(node)] for site, ask in sites}
        return {site: 1 + max(site_slots, default=-1) for site, site_slots in slots.items()}

    # ------------------------------------------------------------ protocol

    def start(self, seed: random_streams.Seed, log: Log | None = None, forced: ForcedChance | None = None) -> State:
        """Start a new game, and return the state at its first decision or its end.

        ``seed`` is a number, taken modulo 2**64, or a secure seed. Events are appended to ``log`` if it is given.
        ``forced`` dictates results of chance, which leave its lists from the front; once a list is empty, the seed
        decides. Raise RulesetFault if the rules fail, and ValueError for a text that is no secure seed.
        """
        build = self.silent if log is None else self.with_events
        cells = self._start[:]
        for stream, cell in self.layout.streams.items():
            cells[cell] = random_streams.start_stream(seed, stream)
        return self._run(build, cells, self.initial.zones[:], log, forced, 0)

    def enter(self, phase: str, state: State, log: Log | None = None, forced: ForcedChance | None = None) -> State:
        """Play on from the start of the phase with this id, and return the state at the next decision or the end.

        ``state`` stays unchanged; a decision that it waits for is dropped. The game must not be over in it, because it
        would be over in the result, too. Events are appended to ``log`` if it is given. ``forced`` dictates the results
        of chance, and loses those that are used. Raise KeyError for an unknown phase, and RulesetFault if the rules
        fail.
        """
        build = self.silent if log is None else self.with_events
        cells = state.cells[: self.layout.size] + self._start[self.layout.size :]
        return self._run(build, cells, state.zones[:], log, forced, build.starts[phase])

    @cached_property
    def _start(self) -> list[Any]:
        """The cells of the position before the setup, followed by empty cells for the engine's own use."""
        return self.initial.cells + [None] * (EXTRA_CELLS + self._loaded_steps.spills)

    def decision(self, state: State) -> Decision | None:
        """Return the decision that a state waits for, or None if the game is over.

        Each call returns a new Decision. Its seat and its number of options are known at once: they are the first two
        items of ``state.cached_decision``. If that is None, they are computed and kept there, and the cell of ``state``
        with the number of visits left is set to its maximum. Raise RulesetFault if the rules fail there. The options
        themselves are listed when something reads them.
        """
        cells = state.cells
        if cells[self._over_cell]:
            return None
        number = cells[self._waits_cell]
        build = self._loaded_steps
        question = state.cached_decision or self._compute_question(state)
        options = _Options(question[1], build.options[number], state, question, self._visits_cell)
        return _decision((build.sites[number], question[0], options))

    def apply(self, state: State, option: int, log: Log | None = None, forced: ForcedChance | None = None) -> State:
        """Return the state after taking the option with this number, counted from 0. ``state`` stays unchanged.

        Events are appended to ``log`` if it is given. ``forced`` dictates the results of chance, and loses those that
        are used. Raise NoSuchOption if the decision has no such option (a negative number is none) or the game is over,
        and RulesetFault if the rules fail.
        """
        cells = state.cells[:]
        if cells[self._over_cell]:
            raise NoSuchOption(option)
        question = state.cached_decision or self._compute_question(state)
        if not 0 <= option < question[1]:
            raise NoSuchOption(option)
        zones = state.zones[:]
        number = cells[self._waits_cell]
        if log is not None or forced is not None:
            build = self.silent if log is None else self.with_events
            return self._run(build, cells, zones, log, forced, number, option, question)
        build = self.silent
        cells[self._until_cell] = min(cells[self._work_cell] + self._decision_limit, self._game_limit)
        cells[self._visits_cell] = self._max_visits
        try:  # A short version of _run without log and forced chance, since searches and bots call it most.
            result: Any = build.resumes[number](cells, zones, option, question)
            while result.__class__ is int:
                result = build.blocks[result](cells, zones)
        except Exception as error:  # generated code: turned into a fault with its place
            raise self._make_fault(build, error, cells, zones) from error
        cells[self._until_cell], cells[self._visits_cell] = None, self._max_visits
        return State(cells, zones, [], result)

    def _compute_question(self, state: State) -> CachedDecision:
        """Compute what a state asks, and store it in the state."""
        cells, zones = state.cells, state.zones
        build = self._loaded_steps
        try:
            state.cached_decision = build.questions[cells[self._waits_cell]](cells, zones)
        except Exception as error:  # generated code: turned into a fault with its place
            raise self._make_fault(build, error, cells, zones) from error
        cells[self._visits_cell] = self._max_visits
        return state.cached_decision

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome of a finished game, or None while the game runs.

        Raise RulesetFault if the rules fail in the scoring, or for any finished game if
        ``setting.charges.scoring_work`` exceeds ``setting.limits.decision``. Once an outcome is computed, the cell of
        ``state`` with the number of visits left is set to its maximum.
        """
        cells = state.cells
        if not cells[self.layout.over]:
            return None
        build = self._loaded_steps
        try:
            outcome = build.outcome(cells, state.zones)
            cells[self._visits_cell] = self._max_visits
            return outcome
        except Exception as error:  # generated code: turned into a fault with its place
            raise self._make_fault(build, error, cells, state.zones) from error

    def get_locals(self, state: State) -> Sequence[Value]:
        """Return the locals of the routine that asks, as a new list indexed by slot.

        It holds the values that the choice needs outside its blocks: for its chooser, texts, domains and conditions,
        and the players who may know them. All other entries are None. The list ends with the last slot that the choice
        and its blocks read or bind. It is empty if the game is over. Otherwise the cell of ``state`` with the number of
        visits left is set to its maximum.
        """
        if state.cells[self.layout.over]:
            return []
        slots: list[Value] = [None] * self._slot_counts[self._loaded_steps.sites[state.cells[self._waits_cell]]]
        for slot, value in self._read_frame(state).items():
            if slot != PICKS:
                slots[slot] = value
        return slots

    def get_picks(self, state: State) -> Sequence[int]:
        """Return the indices of the items that a choice of several has picked so far, in the order of the picks."""
        return () if state.cells[self.layout.over] else self._read_frame(state).get(PICKS, ())

    def _read_frame(self, state: State) -> dict[int, Any]:
        """Return the locals and picks of the choice that a state waits for, by slot."""
        frame: dict[int, Any] = self._loaded_steps.frames[state.cells[self._waits_cell]](state.cells, state.zones)
        state.cells[self._visits_cell] = self._max_visits
        return frame

    def get_phase(self, state: State) -> str | None:
        """Return the id of the leaf phase in progress, ``setup`` during the setup, or None if the game is over.

        During a routine that phases share, the phase in progress is the one that called the routine. ``state`` comes
        from :meth:`start`, :meth:`enter` or :meth:`apply`: for ``initial``, IndexError is raised.
        """
        if state.cells[self.layout.over]:
            return None
        number = state.cells[self._waits_cell]
        phase: str = self._loaded_steps.phases[number]
        # a choice in a routine: the state holds its phase
        return phase or self._loaded_steps.names[f"p{number}"](state.cells, state.zones)

    @cached_property
    def functions(self) -> Functions:
        """The functions of the silent build, for direct calls without any checks."""
        return Functions(self)

    def live_cells(self, state: State) -> tuple[int, ...]:
        """Return the numbers of the engine's own cells that hold live locals while the current choice waits.

        The other cells of the engine may hold leftover values. The result is empty if the game is over.
        """
        return () if state.cells[self._over_cell] else self._loaded_steps.live_cells[state.cells[self._waits_cell]]

    @property
    def component_cells(self) -> tuple[int, ...]:
        """The engine's own cells that hold components, or lists of components."""
        return self._loaded_steps.component_cells

    # ------------------------------------------------------------ running

    def _run(
        self,
        build: Steps,
        cells: list[Any],
        zones: list[list[int]],
        log: Log | None,
        forced: ForcedChance | None,
        number: int,
        option: int = 0,
        decision: CachedDecision | None = None,
    ) -> State:
        """Play on to the next decision or the end of the game, and return the state. ``cells`` and ``zones`` are
        changed.

        ``number`` is the number of a choice if ``decision`` is given, and the label of a block otherwise. Raise
        RulesetFault if the rules fail; if ``forced`` wants no full faults, it has a message only.
        """
        cells[self._until_cell] = min(cells[self._work_cell] + self._decision_limit, self._game_limit)
        cells[self._visits_cell] = self._max_visits
        if forced is not None:
            cells[self._forced_cell] = forced
        logs = () if log is None else (log,)
        result: Any = number
        try:
            if decision is not None:
                result = build.resumes[number](cells, zones, option, decision, *logs)
            while result.__class__ is int:
                result = build.blocks[result](cells, zones, *logs)
        except Exception as error:  # generated code: turned into a fault with its place
            if forced is not None and not forced.has_full_faults:
                raise RulesetFault(str(error)) from error
            raise self._make_fault(build, error, cells, zones) from error
        cells[self._forced_cell] = cells[self._until_cell] = None
        cells[self._visits_cell] = self._max_visits
        return State(cells, zones, [], result)

    def _make_fault(self, build: Module, error: Exception, cells: list[Any], zones: list[list[int]]) -> RulesetFault:
        """Return the fault for an error of generated code, with its place in the ruleset and the whole position.

        Its message is that of the exceeded limit, else that of the evaluator for the failed line. If the evaluator
        finds no fault there, it is the message of ``error``.
        """

        line, names = build.find_error_place(error)
        position = self._restore_position(cells, zones, names)
        if isinstance(error, LimitExceeded):
            engine_cells = names.get("c", cells)[self._until_cell :]
            until = names["until"] if "until" in names else next(iter(engine_cells), None)
            message = describe_exceeded_limit(self.setting, error.limit, position, until)
        else:
            slots = {slot: names[name] for name, slot in build.emission.slots.items() if name in names}
            fault = _find_fault(self.setting, line, position, slots)
            if fault is not None:
                return fault
            message = error.message if isinstance(error, RulesetFault) else f"{type(error).__name__}: {error}"
        return RulesetFault(message, line.span, describe_trail(self.setting, line.trail), dump(self.setting, position))

    def _restore_position(self, cells: list[Any], zones: list[list[int]], names: Mapping[str, Any]) -> State:
        """Return the state at the point of an error. A playout keeps parts of it in the local variables ``names``."""
        position = State([*names.get("c", cells)][: self.layout.size], [zone[:] for zone in names.get("z", zones)], [])
        for name, variable in make_place_names(self.layout.places).items():
            if variable in names:
                values, place = names[variable], self.layout.places[name]
                position.cells[place.offset : place.offset + place.size] = values if place.dims else [values]
        for number in range(len(zones)):
            if f"Z{number}" in names:
                position.zones[number] = list(names[f"Z{number}"])
        return position


class Functions:
    """Expose the functions of the silent build, for callers that play many positions without looking at them.

    The number of the choice that waits is in the cell ``waits``. It indexes the lists of functions; labels index
    ``blocks``. The functions change the cells and zones that they get. Before each answer, the caller sets two cells.
    ``until`` becomes the work so far plus ``decision``, but at most the limit of the game. ``visits`` becomes
    ``max_visits``. The functions raise whatever generated code raises.
    """

    def __init__(self, engine: CompiledEngine) -> None:
        build = engine.silent
        self.resumes, self.blocks = build.resumes, build.blocks
        self.option_listers, self.questions, self.sites = build.options, build.questions, build.sites
        self.outcome, self.standing = build.outcome, build.standing
        self.over, self.waits, self.work = engine.layout.over, engine._waits_cell, engine._work_cell
        self.until, self.visits = engine._until_cell, engine._visits_cell
        self.decision, self.max_visits = engine._decision_limit, engine._max_visits


class _Options(Sequence[Option]):
    """List the options of a decision lazily, when they are first read."""

    __slots__ = ("_count", "_lister", "_question", "_raw", "_state", "_visits_cell")

    def __init__(
        self, count: int, lister: Callable[..., Raw], state: State, question: CachedDecision, visits_cell: int
    ) -> None:
        self._count = count
        self._lister = lister
        self._state = state
        self._question = question
        self._raw: Raw | None = None
        self._visits_cell = visits_cell

    def __len__(self) -> int:
        return self._count

    def _list_raw(self) -> Raw:
        if self._raw is None:
            cells = self._state.cells
            # the visits were counted when the game stopped here
            visits, cells[self._visits_cell] = cells[self._visits_cell], WORK_CAP
            self._raw = self._lister(cells, self._state.zones, self._question)
            cells[self._visits_cell] = visits
        return self._raw

    def _list_options(self) -> tuple[Option, ...]:
        return tuple([_option((i, number, values)) for i, (number, values) in enumerate(self._list_raw())])

    def __iter__(self) -> Iterator[Option]:
        return iter(self._list_options())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._list_options()[index]
        number, values = self._list_raw()[index]
        return _option((index if index >= 0 else index + self._count, number, values))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, tuple | _Options):
            return self._list_options() == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._list_options())

    def __repr__(self) -> str:
        return repr(self._list_options())


class FaultReader(LoweredReader):
    """Evaluate lowered expressions. Slots are those of the lowered game."""

    expressions = (*EXPRESSIONS, Changed)

    def eval_LetIn(self, expr: LetIn, slots: Any) -> Value:
        try:
            slots[expr.slot] = self.evaluate(expr.value, slots)
        except RulesetFault as fault:
            if not expr.is_shared:
                raise
            slots[expr.slot] = fault  # raised when something reads the local
        return self.evaluate(expr.body, slots)

    def eval_Local(self, expr: Local, slots: Any) -> Value:
        value = slots[expr.slot]
        if isinstance(value, RulesetFault):
            raise value
        return value

    def eval_Changed(self, expr: Changed, slots: Any) -> Value:
        cell, _ = self.evaluate_place(self.layout.places[expr.place], expr.indices, slots, expr.span)
        if self.cells[cell] is None:
            self.fail(NONE_AS_NUMBER, expr.span)
        return self.cells[cell]

    def eval_QueryRoutine(self, expr: QueryRoutine, slots: Any) -> Value:
        assert expr.routine.value is not None
        for slot, argument in zip(expr.routine.params, expr.args, strict=True):
            slots[slot] = self.evaluate(argument, slots)
        return self.evaluate(expr.routine.value, slots)


def _find_fault(setting: Setting, line: Provenance, position: State, slots: Mapping[int, Value]) -> RulesetFault | None:
    """Evaluate the expressions that a line reads, in their order, and return the first fault that this raises.

    An expression that is none although its type forbids it is a fault, too. ``slots`` holds the known locals. Return
    None if all expressions have a value, so that the error has another cause.
    """
    reader = FaultReader(setting, position.cells, position.zones)
    reader.trail = list(line.trail)
    values = dict(slots)
    for expr in line.reads:
        try:
            if reader.evaluate(expr, values) is None and not is_optional(expr.type):  # type: ignore[arg-type]
                reader.fail_missing(expr)
        except RulesetFault as fault:
            return fault
    return None
