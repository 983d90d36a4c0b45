"""Bound the values that variables, pools, queries and parameters can have in a whole game.

This is an abstract interpretation of the core program with intervals. It starts from the initial values, and widens the
intervals until they no longer change. :mod:`lusory.codegen.lower.expression_ranges` reads the result.

A game does at most :data:`MAX_STEPS` steps. So a variable that only grows by bounded amounts stays bounded. Moves
between limited pools keep the number of counters. Only unlimited pools add counters.

Example: a score that starts at 0 and only grows by 1 to 3 is at most ``3 * MAX_STEPS``, which fits into an Int.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from lusory_dsl import core
from lusory_dsl.core import Binary, Expr, ListLoop, Local, get_children
from lusory_dsl.core.generated_part_origins import SPLITS
from lusory_dsl.types.integer_intervals import (
    DOUBLE_INT_RANGE,
    INT_RANGE,
    Interval,
    bound_values,
    clip_to_int,
    compute_hull,
)
from lusory_dsl.types.types import LIST_LIMIT, TEXT_LIMIT, IntType, ListType, TextType, get_innermost_type

from ...evaluator.expressions import find_initial_position
from ...state.decisions_outcomes_and_faults import RulesetFault
from ...state.flattened_phases import iterate_phases
from ...state.setting_value_limits_builtins_and_names import MAX_START_VALUE, Setting
from ...state.static_work_charges_and_list_bounds import MAX_LIMIT
from .expression_ranges import GameRanges, Ranges
from .lowered_nodes_and_common_subexpressions import count_uses

MAX_STEPS = MAX_LIMIT
"""The limit of steps in one game. Each step changes a place at most once."""
ROUNDS_BEFORE_WIDENING = 5
"""Number of rounds after which a bound that still grows is widened to no bound."""

# A variable (kind None), or one kind of counter in a pool.
Key = tuple[str, int | None]
# ``effect`` or ``query``, the name of the routine, and the slot of the parameter.
Param = tuple[str, str, int]
# Bounds of a number, the largest size of a list, and the largest length of a text.
ValueFacts = tuple[Interval, int, int]


_ranges_cache: WeakKeyDictionary[core.Program, dict[tuple[object, ...], GameRanges]] = WeakKeyDictionary()


def analyse_game(setting: Setting, starts_anywhere: bool) -> GameRanges:
    """Return bounds for all games of a setting.

    Without ``starts_anywhere``, they hold for games from the start with the options of the setting. With it, they hold
    for every choice of options, and from every position whose numbers :data:`MAX_START_VALUE` allows. If the analysis
    finds no bounds, all dicts of the result, such as ``places``, are empty. Without ``starts_anywhere``, a fault in the
    initial position gives such a result, too. ``covers_all_options`` is always ``starts_anywhere``. The result is
    cached by program, number of players and, without ``starts_anywhere``, options. Callers must not change it.
    """
    ranges = _ranges_cache.setdefault(setting.program, {})
    key = (starts_anywhere, setting.players, *(() if starts_anywhere else sorted(setting.options.items())))
    if key not in ranges:
        try:
            ranges[key] = _GameAnalysis(setting, starts_anywhere).analyse()
        # The setup of the initial position has a fault, so there is no start.
        except RulesetFault:
            ranges[key] = GameRanges(covers_all_options=starts_anywhere)
    return ranges[key]


class _GameAnalysis(Ranges):
    """Interpret the whole program with intervals, in rounds.

    Attributes:
        start: The bounds of each place when the game begins.
        cells: The number of cells of each place.
        written_values, changes: The values that this round writes to a place, and those that it adds.
        move_counts: For each kind in an unlimited pool, the sum of the most counters that each move takes out.
        argument_facts: The facts about the arguments of each parameter.
        has_call_cache: Cache: whether an expression calls a query.
    """

    def __init__(self, setting: Setting, starts_anywhere: bool) -> None:
        super().__init__(setting, GameRanges(covers_all_options=starts_anywhere))
        self.start: dict[Key, Interval] = {}
        self.cells: dict[Key, int] = {}
        start = [] if starts_anywhere else find_initial_position(setting).cells
        for key, cells in self._list_cells():
            self.cells[key] = len(cells)
            if starts_anywhere:
                self.start[key] = self._bound_start(key)
            else:
                self.start[key] = bound_values(tuple(start[cell] for cell in cells))
        self.has_call_cache: dict[int, tuple[Expr, bool]] = {}
        self.written_values: dict[Key, list[Interval]] = {}
        self.changes: dict[Key, list[Interval]] = {}
        self.move_counts: dict[tuple[str, int], int] = {}
        self.argument_facts: dict[Param, ValueFacts] = {}

    def _list_cells(self) -> Iterator[tuple[Key, list[int]]]:
        """Yield the cell numbers of each Int variable, and of each kind in each pool."""
        for name, place in self.setting.layout.places.items():
            pool = self.program.pools.get(name)
            if pool is None and isinstance(get_innermost_type(self.program.variables[name].type), IntType):
                yield (name, None), list(place.numbers.values())
            elif pool is not None:
                for kind in range(len(self.program.enums[str(pool.holds)].values)):
                    yield (name, kind), [cell for indices, cell in place.numbers.items() if indices[-1] == kind]

    def _bound_start(self, key: Key) -> Interval:
        """Return the bounds of a place in a game that may begin at any allowed position."""
        name, kind = key
        place = self.program.get_place(name)
        start = place.start if kind is None else place.start[kind]  # type: ignore[index]
        for slot, dim in enumerate(place.dims):
            if dim.size is not None:
                self.number_ranges[slot] = dim.low, dim.low + dim.size - 1
        low, high = (0, 0) if start is None else self.bound_number(start)  # type: ignore[arg-type]
        is_limited = kind is not None and not self.program.pools[name].is_unlimited
        return min(low, 0 if is_limited else -MAX_START_VALUE), max(high, MAX_START_VALUE)

    def analyse(self) -> GameRanges:
        """Return the bounds of the whole game, which are ``game_ranges`` afterwards.

        Example: the only variable is ``gold``. It has (0, 0) in ``start``, and statements only add 1 to 3 to it. Then
        ``places`` is ``{("gold", None): (0, 3 * MAX_STEPS)}``. After :data:`ROUNDS_BEFORE_WIDENING` rounds, a bound in
        ``places`` that still grows becomes the end of ``DOUBLE_INT_RANGE``. Without a fixed point after four times as
        many rounds in all, return a new GameRanges without bounds; ``game_ranges`` is then not valid.
        """
        self.game_ranges.places = dict(self.start)
        for number in range(4 * ROUNDS_BEFORE_WIDENING):
            ranges_before = self.game_ranges
            self.game_ranges = self._make_ranges(ranges_before.places, ranges_before.params)
            self._interpret_program()
            is_patient = number < ROUNDS_BEFORE_WIDENING
            for key, interval in self._bound_places().items():
                self.game_ranges.places[key] = _widen(ranges_before.places[key], interval, is_patient)
            for name, facts in self.argument_facts.items():
                self.game_ranges.params[name] = _join_facts(ranges_before.params.get(name), facts, is_patient)
            ranges = self.game_ranges
            if (ranges.places, ranges.params) == (ranges_before.places, ranges_before.params):
                return self.game_ranges
        return self._make_ranges({}, {})

    def _make_ranges(self, places: Mapping[Key, Interval], params: Mapping[Param, ValueFacts]) -> GameRanges:
        return GameRanges(dict(places), params=dict(params), covers_all_options=self.game_ranges.covers_all_options)

    def _interpret_program(self) -> None:
        """Interpret the whole program once, and record what it writes, changes, moves and passes to routines."""
        self._expression_cache.clear()
        self.written_values, self.changes, self.move_counts, self.argument_facts = {}, {}, {}, {}
        for phase in iterate_phases(self.program):
            self._enter_routine(())
            self._record_calls(phase.condition, phase.repeat)
            self._interpret_block(phase.body)
        for effect in self.program.effects.values():
            for rule in core.get_rules(effect):
                self._enter_routine(effect.params, ("effect", effect.name))
                self._record_calls(rule.condition)
                self._interpret_block(rule.body)
            self._enter_routine(effect.params, ("effect", effect.name))
            self._interpret_block(effect.body)
        for query in self.program.queries.values():
            self._analyse_query(query.name)
        scoring = self.program.scoring
        self._enter_routine(())
        self._record_calls(
            *scoring.rank, scoring.payoff, *(expr for _, expr in scoring.columns), self.program.advice.value
        )
        for name in (*self.program.variables, *self.program.pools, *self.program.zones):
            self._record_calls(self.program.get_place(name).visible.condition)
        for pool in self.program.pools.values():
            self._record_calls(pool.moves.condition)
        for zone in self.program.zones.values():
            self._record_calls(*(visible.condition for visible in zone.visibilities))

    def _enter_routine(self, params: tuple[core.Param, ...], routine: tuple[str, str] = ("", "")) -> None:
        """Start a routine: forget all locals, and take the known facts about its parameters.

        A parameter without facts counts as 0 and empty, because no call has been seen yet. ``routine`` is (``effect``
        or ``query``, name).
        """
        self.number_ranges, self.list_sizes, self.text_lengths = {}, {}, {}
        for param in params:
            self._set_facts(param.slot, self.game_ranges.params.get((*routine, param.slot), EMPTY_FACTS))

    # ------------------------------------------------------------ places

    def _bound_places(self) -> dict[Key, Interval]:
        """Return the bounds of each place that follow from the changes recorded in this round.

        A variable lies between the values written to it, moved by :data:`MAX_STEPS` times the smallest and the largest
        change. A kind of counter in a limited pool is at most the number of such counters at the start, and those that
        moves create.
        """
        bounds: dict[Key, Interval] = {}
        for key, start in self.start.items():
            if key[1] is None:
                low, high = compute_hull((start, *self.written_values.get(key, ())))
                smallest_change, largest = compute_hull(self.changes.get(key, ()))
                origin = self.program.variables[key[0]].origin
                if (origin.generator, origin.part) == (SPLITS, "Left"):
                    # A split never gives away more than is left, so its rest never falls below 0.
                    smallest_change, low = 0, min(low, 0)
                bounds[key] = low + MAX_STEPS * min(smallest_change, 0), high + MAX_STEPS * max(largest, 0)
        for (name, kind), start in self.start.items():
            if kind is None:
                continue
            pool = self.program.pools[name]
            pools_of_kind = [
                (other_pool.name, kind) for other_pool in self.program.pools.values() if other_pool.holds == pool.holds
            ]
            move_count = initial_count = 0
            for key in pools_of_kind:
                move_count += self.move_counts.get((key[0], kind), 0)
                if not self.program.pools[key[0]].is_unlimited:
                    initial_count += max(self.start[key][1], 0) * self.cells[key]
            largest = initial_count + move_count * MAX_STEPS
            low, high = start
            bounds[name, kind] = min(low, 0), largest
            if pool.is_unlimited:
                bounds[name, kind] = low - move_count * MAX_STEPS, max(high, 0) + largest
        return {
            key: (max(low, DOUBLE_INT_RANGE[0]), min(high, DOUBLE_INT_RANGE[1])) for key, (low, high) in bounds.items()
        }

    # ------------------------------------------------------------ statements

    def _interpret_block(self, stmts: tuple[core.Stmt, ...]) -> None:
        for stmt in stmts:
            self._interpret_statement(stmt)

    def _interpret_statement(self, stmt: core.Stmt) -> None:
        """Interpret a statement: bind its locals, and record what it writes, moves and passes to routines.

        Raise AssertionError for a class of statement that writes variables or pools and is not known here.
        """
        match stmt:
            case core.Let(slot=slot, value=value):
                self._record_calls(value)
                self.bind_value(slot, value)
            case core.SetCell():
                self._record_calls(*stmt.indices, stmt.value)
                self._record_assignment(stmt)
            case core.MoveCount():
                self._record_calls(stmt.kind, stmt.amount, *stmt.source_indices, *stmt.target_indices)
                self._record_move(stmt)
            case core.ForEach(slot=slot, source=source):
                self._record_calls(source)
                self.bind_items(slot, source)
                self._record_calls(stmt.condition)
                self._interpret_block(stmt.body)
            case core.Repeat():
                self._record_calls(stmt.times, stmt.condition, stmt.bound)
                self._interpret_block(stmt.body)
            case core.Ask():
                self._record_calls(stmt.chooser, stmt.prompt)
                for alternative in stmt.alternatives:
                    self._record_calls(*alternative.conditions)
                    for variable in alternative.vars:
                        self._record_calls(variable.domain)
                        self.bind_items(variable.slot, variable.domain)
                        self._record_calls(variable.condition)
                    self._record_calls(alternative.label)
                    self._interpret_block(alternative.body)
                self._interpret_block(stmt.otherwise)
            case core.AskMany():
                self._record_calls(stmt.chooser, stmt.prompt, stmt.source, stmt.low, stmt.high)
                self.bind_items(stmt.item_slot, stmt.source)
                self._record_calls(stmt.condition, stmt.label)
                self.bind_value(stmt.slot, stmt.source)
            case core.Random(slot=slot, domain=domain):
                self._record_calls(domain, stmt.actor)
                self.bind_items(slot, domain)
                self._record_calls(stmt.condition)
                self._interpret_block(stmt.body)
                self._interpret_block(stmt.otherwise)
            case core.CallEffect(effect=name, args=args):
                self._record_calls(*args)
                self._record_arguments(("effect", name), self.program.effects[name].params, args)
            case _:
                written_places = [name for name in core.get_writes(stmt) if name not in self.program.zones]
                assert not written_places, (
                    f"{type(stmt).__name__} writes {', '.join(written_places)}: what they hold then is not known"
                )
                for node in get_children(stmt):
                    self._interpret_statement(node) if isinstance(node, core.Stmt) else self._record_calls(node)

    def _record_assignment(self, stmt: core.SetCell) -> None:
        """Record how a statement changes a variable. Counters in pools only move, and are recorded elsewhere."""
        key = (stmt.place, None)
        if key not in self.start:
            return
        op, value = stmt.op, stmt.value
        if op == "set" and isinstance(value, Binary) and value.op in ("+", "-") and _reads_target(value.left, stmt):
            op, value = "add" if value.op == "+" else "sub", value.right
        low, high = self.bound_number(value)
        if op == "set":
            self.written_values.setdefault(key, []).append((low, high))
            return
        self.changes.setdefault(key, []).append((low, high) if op == "add" else (-high, -low))

    def _record_move(self, stmt: core.MoveCount) -> None:
        """Record the counters that a move takes out of an unlimited pool."""
        if not self.program.pools[stmt.source].is_unlimited:
            return
        name, pool_kinds = stmt.source, self.program.pools[stmt.source].kinds
        for kind in pool_kinds if stmt.kind is None else self.list_possible_kinds(name, stmt.kind):
            _, highest = self.game_ranges.places[name, kind] if stmt.amount is None else self.bound_number(stmt.amount)
            self.move_counts[name, kind] = self.move_counts.get((name, kind), 0) + max(highest, 0)

    # ------------------------------------------------------------ expressions

    def _record_calls(self, *exprs: Expr | None) -> None:
        """Record the arguments of all queries that the expressions call, also inside of others. None is skipped."""
        for expr in exprs:
            if expr is None or not self._has_query_call(expr):
                continue
            if isinstance(expr, ListLoop):
                self._record_calls(expr.source)
                self.bind_items(expr.slot, expr.source)
                self._record_calls(*get_children(expr)[1:])
                continue
            self._record_calls(*get_children(expr))
            if isinstance(expr, core.CallQuery):
                self._record_arguments(("query", expr.query), self.program.queries[expr.query].params, expr.args)

    def _has_query_call(self, expr: Expr) -> bool:
        """Return whether an expression calls a query."""
        expr_and_result = self.has_call_cache.get(id(expr))
        if expr_and_result is None:
            has_call = isinstance(expr, core.CallQuery) or any(map(self._has_query_call, get_children(expr)))
            expr_and_result = self.has_call_cache[id(expr)] = expr, has_call
        return expr_and_result[1]

    def _compute_facts(self, expr: Expr) -> ValueFacts:
        """Return the facts about the value of an expression."""
        item = get_innermost_type(expr.type)
        return (
            self.bound_number(expr) if isinstance(item, IntType) else INT_RANGE,
            min(self.compute_max_size(expr), LIST_LIMIT) if isinstance(expr.type, ListType) else LIST_LIMIT,
            min(self.bound_text(expr), TEXT_LIMIT) if isinstance(item, TextType) else TEXT_LIMIT,
        )

    def _record_arguments(
        self, routine: tuple[str, str], params: tuple[core.Param, ...], args: tuple[Expr, ...]
    ) -> None:
        """Record the facts about the arguments of one call."""
        for param, arg in zip(params, args, strict=True):
            key = (*routine, param.slot)
            self.argument_facts[key] = _join_facts(self.argument_facts.get(key), self._compute_facts(arg))

    def _set_facts(self, slot: int, facts: ValueFacts) -> None:
        """Set the bounds, the size and the length of a local."""
        self.number_ranges[slot], self.list_sizes[slot], self.text_lengths[slot] = facts

    def _cache_result(self, analysis: str, expr: Expr, compute: Callable[[Expr], Any]) -> Any:
        """Return the cached result of an analysis, as the base class does. A called query is analysed first."""
        if isinstance(expr, core.CallQuery):
            self._analyse_query(expr.query)
        return super()._cache_result(analysis, expr, compute)

    def _analyse_query(self, name: str) -> None:
        """Find the facts about the result of a query, after its value and all its modifiers."""
        if name in self.game_ranges.queries:
            return
        query, routine = self.program.queries[name], ("query", name)
        locals_before = self.number_ranges, self.list_sizes, self.text_lengths
        self._enter_routine(query.params, routine)
        self._record_calls(query.value)
        facts = self._compute_facts(query.value)
        for modifier in query.modifiers:
            self._enter_routine(query.params, routine)
            self._set_facts(modifier.it_slot, facts)
            self._record_calls(modifier.condition, modifier.value)
            facts = self._apply_modifier(modifier, facts)
        self.game_ranges.queries[name], self.game_ranges.sizes[name], self.game_ranges.lengths[name] = facts
        self.number_ranges, self.list_sizes, self.text_lengths = locals_before

    def _apply_modifier(self, modifier: core.Modifier, facts_before: ValueFacts) -> ValueFacts:
        """Return the facts about a query after a modifier, which applies once for each copy of its card."""
        value, count = modifier.value, max(len(modifier.copies), 1)
        match value:
            case Binary(op="+" | "-" as op, left=Local(slot=slot), right=right) if slot == modifier.it_slot:
                low, high = self.bound_number(right)
                low, high = (low, high) if op == "+" else (-high, -low)
                (lowest, highest), size, length = facts_before
                ends = lowest + count * min(low, 0), highest + count * max(high, 0)
                return clip_to_int(ends), size, length
        joined_facts = _join_facts(facts_before, self._compute_facts(value))
        if count > 1 and joined_facts != facts_before and count_uses(value, modifier.it_slot):
            return UNKNOWN_FACTS
        return joined_facts


EMPTY_FACTS: ValueFacts = ((0, 0), 0, 0)
UNKNOWN_FACTS: ValueFacts = (INT_RANGE, LIST_LIMIT, TEXT_LIMIT)


def _join_facts(first: ValueFacts | None, second: ValueFacts, is_patient: bool = True) -> ValueFacts:
    """Return facts that hold for both values. Without ``is_patient``, bounds that still grow are widened."""
    if first is None:
        return second
    if is_patient:
        return compute_hull((first[0], second[0])), max(first[1], second[1]), max(first[2], second[2])
    low, high = _widen(first[0], second[0], False)
    size = first[1] if second[1] <= first[1] else LIST_LIMIT
    return (max(low, INT_RANGE[0]), min(high, INT_RANGE[1])), size, first[2] if second[2] <= first[2] else TEXT_LIMIT


def _widen(old_bounds: Interval, new_bounds: Interval, is_patient: bool) -> Interval:
    """Return the hull of two intervals. Without ``is_patient``, a bound that still grows becomes infinite."""
    (old_low, old_high), (new_low, new_high) = old_bounds, new_bounds
    return (old_low if old_low <= new_low else new_low if is_patient else DOUBLE_INT_RANGE[0]), (
        old_high if old_high >= new_high else new_high if is_patient else DOUBLE_INT_RANGE[1]
    )


def _reads_target(expr: Expr, stmt: core.SetCell) -> bool:
    """Return whether an expression reads exactly the place that a statement writes."""
    if not isinstance(expr, core.ReadCell) or expr.place != stmt.place:
        return False
    return [_get_index_key(index) for index in expr.indices] == [_get_index_key(index) for index in stmt.indices]


def _get_index_key(index: Expr) -> object:
    """Return a key that is equal for equal locals and for equal constants. Any other index equals none."""
    if isinstance(index, Local):
        return "local", index.slot
    return ("constant", index.value) if isinstance(index, core.Const) else object()
