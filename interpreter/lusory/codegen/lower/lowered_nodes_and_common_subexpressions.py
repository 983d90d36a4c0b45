"""Define the nodes of the lowered language, which extend those of the core language, and helpers to analyse them.

:data:`EXPRESSIONS` and :data:`STATEMENTS` list every class of node that instruction selection must handle.
:func:`eliminate_common_subexpressions` eliminates common subexpressions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import (
    Binary,
    Const,
    ControlFlow,
    Expr,
    IfExpr,
    ListLit,
    ListLoop,
    Local,
    Stmt,
    collect_locals,
    compute_structural_key,
    get_bound_slots,
    get_children,
    walk,
)
from lusory_dsl.core.node_traits_table import BlockLayout, ExpressionTraits, StatementTraits
from lusory_dsl.source.dataclass_with_lazy_methods import Record
from lusory_dsl.types.types import Type


class LetIn(Expr):
    """``body`` with ``slot`` bound to ``value``. Inlined queries use it for arguments that they read more than once.

    ``is_shared`` marks a common subexpression. If its value can have a fault, it is evaluated at its first read and not
    before.
    """

    slot: int
    value: Expr
    body: Expr
    is_shared: bool = False


class Lookup(Expr):
    """A lookup table for an expression that depends on a single local: one value for each value of ``key``."""

    key: Expr
    values: tuple[object, ...]


class LoweredRoutine(Record):
    """A lowered effect (``body``), a lowered query (``value``), or a part of the code.

    Statements that are nested too deeply have an empty ``name``. Modifiers of a query ``strength`` have a ``name`` such
    as ``strength (0)``.

    Attributes:
        number: The unique number of the routine.
        params: The slots of its parameters.
        can_ask: Whether it can stop the game for a decision.
        can_end: Whether it can end the game.
        can_fail: Whether a query can have a fault.
    """

    number: int
    name: str
    params: tuple[int, ...]
    body: tuple[Stmt, ...] = ()
    value: Expr | None = None
    can_ask: bool = False
    can_end: bool = False
    can_fail: bool = False


class Rows(Expr):
    """An entry of nested rows that cover every value of the indices, so that the read needs no bounds check.

    ``lows`` holds the lowest value of each index.
    """

    values: object
    indices: tuple[Expr, ...]
    lows: tuple[int, ...]


class QueryRoutine(Expr):
    """A call of a shared query."""

    routine: LoweredRoutine
    args: tuple[Expr, ...]


class EffectRoutine(Stmt):
    """A call of a shared effect."""

    routine: LoweredRoutine
    args: tuple[Expr, ...]


class Spend(Stmt):
    """Count the work of a block. With ``is_checked``, also compare the total with the limit."""

    work: int
    is_checked: bool


class Changed(Expr):
    """The new number in a place after an increase or decrease. It is evaluated only to report a fault."""

    place: str
    indices: tuple[Expr, ...]


class Inlined(Stmt):
    """The statements of an inlined effect. Fault reports mention its ``name``."""

    name: str
    body: tuple[Stmt, ...]


class AskWithLocals(core.Ask):
    """A choice with a ``frame``: pairs of a local of the core program and the expression that now holds its value."""

    frame: tuple[tuple[int, Expr], ...] = ()


class AskManyWithLocals(core.AskMany):
    """A choice of several items with a ``frame``: pairs of a local of the core program and the expression that now
    holds its value.
    """

    frame: tuple[tuple[int, Expr], ...] = ()


class AnnounceWithLocals(core.Announce):
    """An announcement whose text may mention hidden information.

    ``number`` counts these announcements and endings of the program, from 0. ``frame`` has pairs of a local of the core
    program and the expression that now holds its value.
    """

    number: int = 0
    frame: tuple[tuple[int, Expr], ...] = ()


class EndGameWithLocals(core.EndGame):
    """An ending whose reason may mention hidden information.

    ``number`` counts such announcements and endings of the program, from 0. ``frame`` has pairs of a local of the core
    program and the expression that now holds its value.
    """

    number: int = 0
    frame: tuple[tuple[int, Expr], ...] = ()


def _get_routine_flow(call: EffectRoutine) -> ControlFlow:
    """Return how a call of a shared effect may affect the flow of the game."""
    asks = ControlFlow.ASKS if call.routine.can_ask else ControlFlow.NOTHING
    return asks | ControlFlow.ENDS if call.routine.can_end else asks


core.register_traits(
    ExpressionTraits(LetIn, can_fail=False, slot_fields=("slot",)),
    ExpressionTraits(Lookup, can_fail=False),
    ExpressionTraits(Rows, can_fail=False),
    ExpressionTraits(QueryRoutine, can_fail=True),
    ExpressionTraits(Changed, can_fail=True, read_fields=("place",)),
    StatementTraits(EffectRoutine, control_flow=_get_routine_flow, event=None, is_mutation_target=False),
    StatementTraits(Spend, control_flow=ControlFlow.NOTHING, event=None, is_mutation_target=False),
    StatementTraits(Inlined, ControlFlow.NOTHING, None, False, block_fields={"body": BlockLayout.BLOCK}),
)

EXPRESSIONS: tuple[type[Expr], ...] = (
    *(node for node in core.EXPRESSIONS if node not in (core.ByCard, core.CallQuery, core.Named, core.Players)),
    LetIn,
    Lookup,
    QueryRoutine,
    Rows,
)
"""Every class of expression that instruction selection must handle."""

STATEMENTS: tuple[type[Stmt], ...] = (
    *(node for node in core.STATEMENTS if node not in (core.Ask, core.AskMany, core.CallEffect, core.DoByCard)),
    EffectRoutine,
    Spend,
    Inlined,
    AskWithLocals,
    AskManyWithLocals,
    AnnounceWithLocals,
    EndGameWithLocals,
)
"""Every class of statement that instruction selection must handle."""


class LoweredGame(Record):
    """The result of lowering, and the input of instruction selection.

    Attributes:
        setup, phases: The phases of the game, with lowered bodies.
        rank: For each seat, its rank values, the most important first.
        payoff: For each seat, its payoff. None if the ruleset declares no payoffs.
        shown_scores: Title and the value for each seat of the further scores to show.
        routines: The shared routines. A routine stands after those that it calls.
        standing: For each seat, the heuristic value of an unfinished position. None without a heuristic.
    """

    setup: core.Phase
    phases: tuple[core.Phase, ...]
    rank: tuple[tuple[Expr, ...], ...]
    payoff: tuple[Expr, ...] | None
    shown_scores: tuple[tuple[str, tuple[Expr, ...]], ...]
    routines: tuple[LoweredRoutine, ...]
    standing: tuple[Expr, ...] | None = None


def can_ask(stmts: tuple[Stmt, ...]) -> bool:
    """Return whether a block can stop the game for a decision, also inside inner blocks and called routines."""
    return core.contains_control_flow(stmts, ControlFlow.ASKS)


def can_stop(stmts: tuple[Stmt, ...]) -> bool:
    """Return whether a block holds a ``stop`` that leaves the loop around the block."""
    return core.contains_control_flow(stmts, ControlFlow.STOPS)


def can_end(stmts: tuple[Stmt, ...]) -> bool:
    """Return whether a block can end the game, also inside inner blocks and called routines."""
    return core.contains_control_flow(stmts, ControlFlow.ENDS)


def match_optional_list(expr: Expr) -> Expr | None:
    """Match a list that holds one optional value, or nothing if the value is none.

    For ``if x = none then [] else [x]`` with a local ``x``, return the local. The ``[]`` is a Const. If this is the
    body of a ``LetIn`` of ``x``, return the value of the ``LetIn``. Return None for any other expression.
    """
    value, list_expr = (expr.value, expr.body) if isinstance(expr, LetIn) else (None, expr)
    match list_expr:
        case IfExpr(
            condition=Binary(op="=", left=Local(slot=tested_slot) as local, right=Const(value=None)),
            then=Const(value=()),
            otherwise=ListLit(items=(Local(slot=item),)),
        ) if tested_slot == item and (not isinstance(expr, LetIn) or expr.slot == tested_slot):
            return local if value is None else value
    return None


def count_uses(node: object, slot: int) -> int:
    """Return the number of reads of local ``slot`` inside an expression or statement, or in the node itself."""
    if isinstance(node, Local):
        return int(node.slot == slot)
    return sum(count_uses(child, slot) for child in get_children(node))


def is_read_in_loop(node: Expr, slot: int) -> bool:
    """Return whether a loop inside ``node``, or ``node`` itself, reads local ``slot`` in its passes.

    A loop is a ListLoop. All its parts but ``source`` count as its passes, also the ``start`` of a Reach. A read in a
    ``source`` counts only if it is also in the passes of another loop, one around the source or one inside it.
    """
    is_loop = isinstance(node, ListLoop)
    for child in get_children(node):
        if is_loop and child is not node.source and count_uses(child, slot):  # type: ignore[attr-defined]
            return True
        if is_read_in_loop(child, slot):
            return True
    return False


def can_bind_at_first_read(expr: Expr, slot: int) -> bool:
    """Return whether the first read of a local, in evaluation order, happens whenever any other read does.

    If so, the value of the local can be bound at its first read. ``x + x`` gives True. ``if c then x else x`` gives
    False, and so does an expression that doesn't read the local. A loop whose passes read it gives False, even if its
    source reads it, too. In doubt, return False, as for ``if c and x then x else y``.
    """
    if isinstance(expr, Local):
        return expr.slot == slot
    reading_children = [child for child in get_children(expr) if count_uses(child, slot)]
    if isinstance(expr, ListLoop) and reading_children != [expr.source]:
        return False
    if isinstance(expr, IfExpr) and reading_children == [expr.then, expr.otherwise]:
        # Only one of the two branches is evaluated.
        return False
    if not reading_children or not can_bind_at_first_read(reading_children[0], slot):
        return False
    if len(reading_children) == 1:
        return True
    outcome = {"and": True, "or": False}.get(expr.op) if isinstance(expr, Binary) else None
    return _must_read(reading_children[0], slot, outcome)


def _must_read(expr: Expr, slot: int, outcome: bool | None) -> bool:
    """Return whether ``expr`` has certainly read a local once it evaluates to ``outcome``.

    ``outcome`` is True, False, or None for any value.
    """
    if isinstance(expr, Local):
        return expr.slot == slot
    if isinstance(expr, core.Unary) and expr.op == "not":
        return _must_read(expr.operand, slot, None if outcome is None else not outcome)
    if isinstance(expr, Binary) and expr.op in ("and", "or"):
        if outcome is not (expr.op == "and"):
            return _must_read(expr.left, slot, None)
        return _must_read(expr.left, slot, outcome) or _must_read(expr.right, slot, outcome)
    if isinstance(expr, IfExpr):
        return _must_read(expr.condition, slot, None)
    if isinstance(expr, ListLoop):
        return _must_read(expr.source, slot, None)
    return any(_must_read(child, slot, None) for child in get_children(expr))


# The smallest number of nodes of a common subexpression that is worth a local.
MIN_SHARED_SIZE = 4
# The largest expression to search for common subexpressions. The search takes quadratic time.
MAX_SEARCHED_SIZE = 500


def eliminate_common_subexpressions(expr: Expr, make_local: Callable[[str, Type], int]) -> Expr:
    """Eliminate common subexpressions: compute each repeated part once, at its first read, the largest parts first.

    ``make_local`` returns a slot for a name and a type. Expressions above :data:`MAX_SEARCHED_SIZE` nodes stay as they
    are. So do parts below :data:`MIN_SHARED_SIZE`, every LetIn, and parts that read a local bound inside the
    expression. A part also stays if its first read may be skipped while another happens. Example: ``(a+b*c) * (a+b*c)``
    becomes ``let same = a+b*c in same * same``.
    """
    while _count_nodes(expr) <= MAX_SEARCHED_SIZE:
        parts: dict[object, list[Expr]] = {}
        bound_slots = _get_bound_slots_inside(expr)
        for node in walk(expr):
            if not isinstance(node, Const | Local | LetIn) and not collect_locals(node) & (
                bound_slots - _get_bound_slots_inside(node)
            ):
                parts.setdefault(compute_structural_key(node), []).append(node)
        repeated_parts = [
            occurrences
            for occurrences in parts.values()
            if len(occurrences) > 1 and _count_nodes(occurrences[0]) >= MIN_SHARED_SIZE
        ]
        for occurrences in sorted(repeated_parts, key=lambda occurrences: -_count_nodes(occurrences[0])):
            slot = make_local("same", occurrences[0].type)
            body = _replace_nodes(
                expr, {id(node) for node in occurrences}, Local(occurrences[0].type, occurrences[0].span, slot, "same")
            )
            if can_bind_at_first_read(body, slot):
                expr = LetIn(expr.type, expr.span, slot, occurrences[0], body, is_shared=True)
                break
        else:
            break
    return expr


def _get_bound_slots_inside(expr: Expr) -> set[int]:
    """Return the locals that an expression binds itself."""
    return {slot for node in walk(expr) for slot in get_bound_slots(node)}


def _count_nodes(node: object) -> int:
    """Return the number of nodes in an expression or statement, with itself."""
    return 1 + sum(_count_nodes(child) for child in get_children(node))


def _replace_nodes(value: Any, replaced_ids: set[int], replacement: Expr) -> Any:
    if id(value) in replaced_ids:
        return replacement
    if isinstance(value, Expr):
        parts = {field.name: getattr(value, field.name) for field in fields(value)[3:]}  # without type, span and origin
        return replace(value, **{name: _replace_nodes(part, replaced_ids, replacement) for name, part in parts.items()})
    if isinstance(value, tuple):
        return tuple(_replace_nodes(item, replaced_ids, replacement) for item in value)
    return value
