"""Desugar durations, spans and `whenever` rules.

Changes that last for a duration become modifiers that read hidden variables. Spans and `whenever` rules (state checks)
become effects, and calls of these are inserted wherever their conditions may change.

Example: ``set c.strength to 5 until turn ends`` becomes an assignment to a hidden variable, and the query ``strength``
gets a modifier that reads it. The effect that stands for ``end turn`` clears the variable. ``whenever hp < 1: die()``
becomes an effect that runs ``die`` while the condition holds, and a call of it follows ``decrease hp by 1``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from .. import core
from ..core.generated_part_origins import DURATIONS, EFFECT_COPY, EVENTS, SPANS, STATE_CHECKS, Origin
from ..core.internal_names_and_internal_variables import (
    BEGUN_SUFFIX,
    ENDS_SUFFIX,
    HOLDS_SUFFIX,
    make_hidden_variable,
    make_internal_name,
)
from ..core.program_reads_and_value_bounds import Block, collect_reads, collect_writes
from ..ruleset import model
from ..source.dataclass_with_lazy_methods import Record, replace
from ..source.source import Span
from ..types.types import BOOL, INT, PLAYER, ListType, OptionalType, Type
from .pass_helpers import EffectCopies, make_dim_values, map_effect_blocks, map_program_blocks


class TemporaryChange(Record):
    """A temporary change of a query.

    ``op`` is ``set`` or ``add``. If ``is_per_player`` is True, the duration belongs to a player, who is the first index
    of the variable that stores the change."""

    query: str
    duration: str
    op: str
    type: Type
    layer: str | None
    variable: str
    dims: tuple[core.Dim, ...]
    is_per_player: bool
    span: Span


def add_temporary_changes(
    queries: Mapping[str, core.Query], changes: Sequence[TemporaryChange], layers: Mapping[str, int]
) -> dict[str, core.Query]:
    """Return copies of the queries that ``changes`` concern, by name, with one more modifier for each change.

    ``layers`` numbers all layers from 0, such as ``{"base": 0, "bonus": 1}``. Modifiers are in this order, and those
    without a layer come last. In each layer, and among those without one, the changes come after the other modifiers:
    first those with the ``op`` ``set``, then those with ``add``, each in the order of ``changes``.
    """
    changed_queries = {}
    layer_numbers: dict[str | None, int] = dict(layers.items())
    for name in dict.fromkeys(change.query for change in changes):
        own_changes = [change for change in changes if change.query == name]
        own_changes.sort(key=lambda change: change.op == "add")
        modifiers = [*queries[name].modifiers, *(_make_modifier(queries[name], change) for change in own_changes)]
        modifiers.sort(key=lambda modifier: layer_numbers.get(modifier.layer, len(layer_numbers)))
        changed_queries[name] = replace(queries[name], modifiers=tuple(modifiers))
    return changed_queries


def make_duration(
    decl: model.DurationDecl, changes: Iterable[TemporaryChange]
) -> tuple[list[core.Variable], core.Effect]:
    """Return the variables of a duration, and the effect that ends it by resetting them.

    The first variable says whether anything changed. The others store the changes that last until the duration ends.
    """
    variables = _make_variables(decl, changes)
    return variables, _make_ending(decl, variables)


def _make_modifier(query: core.Query, change: TemporaryChange) -> core.Modifier:
    """Return the rule that applies a temporary change to a query as long as the duration's variable says so.

    ``add`` adds the stored number, or the sum of those of all players. Other changes replace the value if one is
    stored; of several players', the first in seat order counts.
    """
    span, it_slot, owner_slot = change.span, len(query.params), len(query.params) + 1
    indices: tuple[core.Expr, ...] = tuple(
        core.Local(param.type, span, param.slot, param.name) for param in query.params
    )
    players = core.Players(ListType(PLAYER), span)
    if change.is_per_player:
        indices = (core.Local(PLAYER, span, owner_slot, "p"), *indices)
    old_value = core.Local(query.type, span, it_slot, "it")
    if change.op == "add":
        addend: core.Expr = core.ReadCell(INT, span, change.variable, indices)
        if change.is_per_player:
            addend = core.Fold(INT, span, owner_slot, players, "sum", None, addend)
        condition: core.Expr = core.Const(BOOL, span, True)
        value: core.Expr = core.Binary(INT, span, "+", old_value, addend)
    else:
        optional_value = core.ReadCell(OptionalType(change.type), span, change.variable, indices)
        condition = core.Binary(BOOL, span, "!=", optional_value, core.Const(OptionalType(change.type), span, None))
        value = core.ReadCell(change.type, span, change.variable, indices)
        if change.is_per_player:
            changed_values = core.MapList(ListType(change.type), span, owner_slot, players, condition, value)
            value = core.CallBuiltin(change.type, span, "first", (changed_values,))
            condition = core.Fold(BOOL, span, owner_slot, players, "any", None, condition)
    name = change.duration
    origin = Origin(DURATIONS, name, "change")
    return core.Modifier(name, change.layer, it_slot, condition, value, owner_slot + 1, span, until=name, origin=origin)


def _make_variables(duration: model.DurationDecl, changes: Iterable[TemporaryChange]) -> list[core.Variable]:
    """Return the variables of a duration: whether anything changed, then each change."""
    span, name = duration.name.span, duration.name.text
    dims = (core.Dim(PLAYER),) if duration.is_per_player else ()
    begun_name, begun_origin = make_internal_name(name, BEGUN_SUFFIX), Origin(DURATIONS, name, BEGUN_SUFFIX)
    variables = [make_hidden_variable(begun_name, BOOL, False, span, begun_origin, dims)]
    for change in changes:
        is_addition = change.op == "add"
        type = INT if is_addition else OptionalType(change.type)
        origin = Origin(DURATIONS, name, "change")
        variables.append(
            make_hidden_variable(change.variable, type, 0 if is_addition else None, span, origin, change.dims)
        )
    return variables


def _make_ending(duration: model.DurationDecl, variables: Iterable[core.Variable]) -> core.Effect:
    """Return the effect that ends a duration: if it has begun, each changed entry gets its start value, and it has not
    begun.

    ``variables`` are the one that says whether it has begun, then those with the changes. A duration of a player resets
    those of ``me``.
    """
    span, name = duration.name.span, duration.name.text
    me = (core.Local(PLAYER, span, 0, "me"),) if duration.is_per_player else ()
    params = (core.Param(0, "me", PLAYER),) if duration.is_per_player else ()
    begun_variable, *change_variables = variables
    slots, origin = len(me), Origin(DURATIONS, name, ENDS_SUFFIX)
    body: list[core.Stmt] = []
    for variable in change_variables:
        inner_dims = variable.dims[len(me) :]
        indices: tuple[core.Expr, ...] = me + tuple(
            core.Local(dim.type, span, slots + i, "index") for i, dim in enumerate(inner_dims)
        )
        current_value = core.ReadCell(variable.type, span, variable.name, indices)
        is_changed = core.Binary(BOOL, span, "!=", current_value, variable.start)
        reset: core.Stmt = core.SetCell(span, variable.name, indices, "set", variable.start, origin=origin)
        stmt: core.Stmt = core.If(span, ((is_changed, (reset,)),), (), origin=origin)
        for i, dim in reversed(list(enumerate(inner_dims))):
            stmt = core.ForEach(span, slots + i, "index", make_dim_values(dim, span), None, (stmt,), origin=origin)
        body.append(stmt)
    body.append(core.SetCell(span, begun_variable.name, me, "set", core.Const(BOOL, span, False), origin=origin))
    is_begun = core.ReadCell(BOOL, span, begun_variable.name, me)
    n_slots = slots + max((len(variable.dims) for variable in change_variables), default=0)
    end = core.If(span, ((is_begun, tuple(body)),), (), origin=origin)
    return core.Effect(
        make_internal_name(name, ENDS_SUFFIX), duration.is_per_player, params, n_slots, (end,), origin=origin
    )


def desugar_spans(program: core.Program) -> core.Program:
    """Return a program in which each span ends as soon as its condition fails.

    A span is a truth value with a condition. An effect with the name of the span is added, which sets a true span to
    false if its condition fails, for each player if it has players. Each statement that may itself change what the
    condition reads is followed by a call of this effect. Calls for spans whose conditions read this span follow, too.
    If any spans read each other in a circle, only those that are declared later follow. No such call follows a call of
    another effect, whose body has its own. Without spans, returns the program itself.
    """
    queries, zones = program.queries, program.zones
    conditions = {
        query.origin.declaration: query.value for query in queries.values() if query.origin.generator == SPANS
    }
    if not conditions:
        return program
    span_reads = _sort_spans({name: collect_reads(condition, queries, zones) for name, condition in conditions.items()})

    def _insert_checks(block: Block) -> Block:
        """Return a block in which calls of checks follow each statement.

        A span is checked if its condition reads a place that the statement itself may change. The same holds if it
        reads a span that an earlier one of these checks may end. Statements in nested blocks get their own calls there.
        A call of an effect gets none: the calls stand in the effect's body.
        """
        checks: list[core.Stmt] = []
        for stmt in block:
            written_places = set(collect_writes(stmt, zones))
            checks.append(core.map_blocks(stmt, _insert_checks))
            for name, read_places in span_reads.items():
                if written_places & read_places:
                    checks.append(core.CallEffect(stmt.span, name, (), origin=Origin(SPANS, name)))
                    written_places.add(name)
        return tuple(checks)

    end_effects = {name: _make_span_end(program.variables[name]) for name in conditions}
    result = map_program_blocks(program, _insert_checks, _insert_checks)
    return replace(result, effects=result.effects | end_effects)


def _sort_spans(span_reads: Mapping[str, set[str]]) -> Mapping[str, set[str]]:
    """Return what each span reads, in an order in which spans follow those that they read, else in declared order.

    Spans that read each other in a circle stay in declared order.
    """
    sorter = TopologicalSorter(dict.fromkeys(span_reads, ()))
    for name, reads in span_reads.items():
        sorter.add(name, *(span for span in span_reads if span in reads and span != name))
    with suppress(CycleError):
        return {name: span_reads[name] for name in sorter.static_order()}
    return span_reads


def _make_span_end(variable: core.Variable) -> core.Effect:
    """Return the effect that ends a span if its condition fails."""
    name, source_span, origin = variable.name, variable.start.span, Origin(SPANS, variable.name, "falls")
    me: tuple[core.Expr, ...] = (core.Local(PLAYER, source_span, 0, "me"),) if variable.dims else ()
    is_active = core.ReadCell(BOOL, source_span, name, me)
    holds = core.CallQuery(BOOL, source_span, make_internal_name(name, HOLDS_SUFFIX), me)
    is_ending = core.Binary(BOOL, source_span, "and", is_active, core.Unary(BOOL, source_span, "not", holds))
    end_span = (core.SetCell(source_span, name, me, "set", core.Const(BOOL, source_span, False), origin=origin),)
    body: core.Stmt = core.If(source_span, ((is_ending, end_span),), (), origin=origin)
    if me:
        body = core.ForEach(
            source_span, 0, "me", core.Players(ListType(PLAYER), source_span), is_ending, end_span, origin=origin
        )
    return core.Effect(name, False, (), len(me), (body,), origin=origin)


ALL_CHECKS = "state checks"
"""Name of the effect that runs all state checks."""
MAX_ROUNDS = 1000
_ROUND = Origin(STATE_CHECKS, part="round")
_CALL = Origin(STATE_CHECKS, ALL_CHECKS, "call")


def make_check_effects(checks: Sequence[core.Effect]) -> dict[str, core.Effect]:
    """Return the effects of state checks by name, then the effect :data:`ALL_CHECKS`, which nothing calls yet.

    There must be at least one check. The body of ALL_CHECKS is one Repeat. While any check's query is true, it calls
    all checks, in the order of ``checks``. The query has the name of its check. The ``bound`` of the Repeat is a Const,
    ``MAX_ROUNDS`` (1000).
    """
    span = checks[0].body[0].span
    condition = _make_disjunction([core.CallQuery(BOOL, span, check.name, ()) for check in checks])
    calls = tuple(core.CallEffect(span, check.name, (), origin=_ROUND) for check in checks)
    loop = core.Repeat(span, None, condition, core.Const(INT, span, MAX_ROUNDS), calls, origin=_ROUND)
    all_checks = core.Effect(ALL_CHECKS, False, (), 0, (loop,), origin=Origin(STATE_CHECKS, part="all"))
    return {effect.name: effect for effect in (*checks, all_checks)}


def insert_state_checks(program: core.Program) -> core.Program:
    """Return a program that calls :data:`ALL_CHECKS` wherever it may apply. Without it, return the program itself.

    - In effects and rules: at the end of the body. Effects generated for an event, and their rules, get none.
    - In a choice of a phase or the setup: at the end of each block.
    - Elsewhere in phases and the setup: after each statement without blocks.

    No call is inserted where the block or statement itself can't have changed a condition. So none follows a call of an
    effect, whose body has its own; but one follows a call of an effect generated for an event. The checks themselves
    get none. They call copies of effects, such as ``draw in state checks``, which have no calls of ALL_CHECKS.
    """
    if ALL_CHECKS not in program.effects:
        return program
    weaver = _Weaver(program)
    events = {name: effect for name, effect in weaver.effects.items() if _is_event(effect)}
    result = map_program_blocks(replace(program, effects=weaver.effects), weaver.add_check, weaver._weave_phase_block)
    return replace(result, effects=result.effects | events | weaver.check_effects)


def _is_event(effect: core.Effect) -> bool:
    """Return whether an effect was generated for an event. It ends after all rules that the event triggers."""
    return effect.origin.generator == EVENTS and effect.origin.part != EFFECT_COPY


# ---------------------------------------------------------------- what a rule becomes


def _make_disjunction(conditions: Sequence[core.Expr]) -> core.Expr:
    """Return the disjunction of some conditions as a balanced tree, to keep nesting shallow."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    left, right = _make_disjunction(conditions[:half]), _make_disjunction(conditions[half:])
    return core.Binary(BOOL, left.span, "or", left, right)


# ---------------------------------------------------------------- where the rules are looked at


class _Weaver:
    """Insert calls of the state checks.

    Effects can't recurse, so the checks call copies of effects that run no checks. The conditions are tested again
    after these anyway. ``effects`` holds the effects of the game, and ``check_effects`` the checks and copies, by name.
    """

    def __init__(self, program: core.Program) -> None:
        """Copy the state checks and all effects that they call. ``read_places`` holds the places that their conditions
        read.
        """
        self.zones = program.zones
        effects = program.effects.items()
        self.effects = {name: effect for name, effect in effects if effect.origin.generator != STATE_CHECKS}
        checks = [query for query in program.queries.values() if query.origin.generator == STATE_CHECKS]
        self.read_places = {
            name for query in checks for name in collect_reads(query.value, program.queries, self.zones)
        }
        copies = EffectCopies(self.effects, STATE_CHECKS, ALL_CHECKS, self.effects.__contains__)
        self.check_effects = copies.copies  # with the state checks themselves
        self._by_events: dict[str, set[str]] = {}
        for name in (ALL_CHECKS, *(query.name for query in checks)):
            self.check_effects[name] = map_effect_blocks(program.effects[name], copies.map_block)

    def _weave_phase_block(self, block: Block) -> Block:
        """Return a block of a phase, with calls of the checks where a statement may change what they read.

        Behind a statement without blocks, the call follows it. In a choice, it stands at the end of each block with
        such a statement. In any other statement with blocks, calls stand inside these by the same rules, and none
        behind it.
        """
        statements: list[core.Stmt] = []
        for stmt in block:
            if isinstance(stmt, core.Ask):
                statements.append(core.map_blocks(stmt, self.add_check))
            else:
                rebuilt_statement = core.map_blocks(stmt, self._weave_phase_block)
                statements += [rebuilt_statement] if rebuilt_statement is not stmt else self.add_check((stmt,))
        return tuple(statements)

    def add_check(self, block: Block) -> Block:
        """Return a block, with a call of the checks at its end if it may change what they read."""
        if any(self._get_written_places(stmt) & self.read_places for stmt in core.walk_statements(block)):
            return (*block, core.CallEffect(block[-1].span, ALL_CHECKS, (), origin=_CALL))
        return block

    def _get_written_places(self, stmt: core.Stmt) -> set[str]:
        """Return the places that a statement may change, including the rules that trigger on it if it is an event."""
        if not isinstance(stmt, core.CallEffect) or not _is_event(self.effects[stmt.effect]):
            return collect_writes(stmt, self.zones)
        if stmt.effect not in self._by_events:
            bodies = core.get_bodies(self.effects[stmt.effect])
            statements = (inner_stmt for body in bodies for inner_stmt in core.walk_statements(body))
            self._by_events[stmt.effect] = set[str]().union(*map(self._get_written_places, statements))
        return self._by_events[stmt.effect]
