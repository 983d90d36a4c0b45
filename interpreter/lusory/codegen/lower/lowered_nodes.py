"""Define the nodes of the lowered language, which extend those of the core language, and helpers to analyse them.

:data:`EXPRESSIONS` and :data:`STATEMENTS` list every class of node that instruction selection must handle.
:func:`named_once` eliminates common subexpressions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import (
    LIST_LOOPS,
    Binary,
    Const,
    ControlFlow,
    Expr,
    IfExpr,
    ListLit,
    Local,
    Stmt,
    collect_locals,
    compute_structural_key,
    get_bound_slots,
    get_children,
    walk,
)
from lusory_dsl.core.node_traits import BlockLayout, ExpressionTraits, StatementTraits
from lusory_dsl.source.lazy_dataclass import dataclass
from lusory_dsl.types.types import Type


@dataclass(frozen=True, eq=False)
class LetIn(Expr):
    """``body`` with ``slot`` bound to ``value``. Inlined queries use it for arguments that they read more than once.

    ``shared`` marks a common subexpression. If its value can have a fault, it is evaluated at its first read and not
    before.
    """

    slot: int
    value: Expr
    body: Expr
    shared: bool = False


@dataclass(frozen=True, eq=False)
class Lookup(Expr):
    """A lookup table for an expression that depends on a single local: one value for each value of ``of``."""

    of: Expr
    values: tuple[object, ...]


@dataclass(frozen=True, eq=False)
class LoweredRoutine:
    """A lowered effect (``body``), a lowered query (``value``), or a part of either, which then has an empty ``name``.

    Attributes:
        number: The unique number of the routine.
        params: The slots of its parameters.
        asks: Whether it can stop the game for a decision.
        ends: Whether it can end the game.
        fails: Whether a query can have a fault.
    """

    number: int
    name: str
    params: tuple[int, ...]
    body: tuple[Stmt, ...] = ()
    value: Expr | None = None
    asks: bool = False
    ends: bool = False
    fails: bool = False


@dataclass(frozen=True, eq=False)
class Rows(Expr):
    """An entry of nested rows that cover every value of the indices, so that the read needs no bounds check.

    ``lows`` holds the lowest value of each index.
    """

    values: object
    indices: tuple[Expr, ...]
    lows: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Without(Expr):
    """A list without its first item that equals ``item``. Evaluating ``item`` never has a fault."""

    source: Expr
    item: Expr


@dataclass(frozen=True, eq=False)
class QueryRoutine(Expr):
    """A call of a shared query."""

    routine: LoweredRoutine
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class EffectRoutine(Stmt):
    """A call of a shared effect."""

    routine: LoweredRoutine
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Spend(Stmt):
    """Count the work of a block. With ``is_checked``, also compare the total with the limit."""

    work: int
    is_checked: bool


@dataclass(frozen=True, eq=False)
class Changed(Expr):
    """The new number in a place after an increase or decrease. It is evaluated only to report a fault."""

    place: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Inlined(Stmt):
    """The statements of an inlined effect. Fault reports mention its ``name``."""

    name: str
    body: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class AskWithLocals(core.Ask):
    """A choice with a ``frame``: pairs of a local of the core program and the expression that now holds its value."""

    frame: tuple[tuple[int, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class AskManyWithLocals(core.AskMany):
    """A choice of several items with a ``frame``, as in :class:`AskWithLocals`."""

    frame: tuple[tuple[int, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class AnnounceWithLocals(core.Announce):
    """An announcement whose text may mention hidden information.

    ``number`` counts these announcements and endings of the program. ``frame`` is as in :class:`AskWithLocals`.
    """

    number: int = 0
    frame: tuple[tuple[int, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class EndGameWithLocals(core.EndGame):
    """An ending whose reason may mention hidden information. The fields are as in :class:`AnnounceWithLocals`."""

    number: int = 0
    frame: tuple[tuple[int, Expr], ...] = ()


def _of_routine(s: EffectRoutine) -> ControlFlow:
    """Return how a call of a shared effect may affect the flow of the game."""
    asks = ControlFlow.ASKS if s.routine.asks else ControlFlow.NOTHING
    return asks | ControlFlow.ENDS if s.routine.ends else asks


_NOTHING: Any = {
    "pass_fields": (),
    "iteration": None,
    "slot_fields": (),
    "written_fields": (),
    "move_fields": (),
    "event": None,
    "is_mutation_target": False,
}

core.register_traits(
    ExpressionTraits(LetIn, can_fail=False, read_fields=(), iteration=None, slot_fields=("slot",)),
    ExpressionTraits(Lookup, can_fail=False, read_fields=(), iteration=None, slot_fields=()),
    ExpressionTraits(Rows, can_fail=False, read_fields=(), iteration=None, slot_fields=()),
    ExpressionTraits(Without, can_fail=False, read_fields=(), iteration=None, slot_fields=()),
    ExpressionTraits(QueryRoutine, can_fail=True, read_fields=(), iteration=None, slot_fields=()),
    ExpressionTraits(Changed, can_fail=True, read_fields=("place",), iteration=None, slot_fields=()),
    StatementTraits(EffectRoutine, block_fields={}, control_flow=_of_routine, **_NOTHING),
    StatementTraits(Spend, block_fields={}, control_flow=ControlFlow.NOTHING, **_NOTHING),
    StatementTraits(Inlined, block_fields={"body": BlockLayout.BLOCK}, control_flow=ControlFlow.NOTHING, **_NOTHING),
)

EXPRESSIONS: tuple[type[Expr], ...] = (
    *(node for node in core.EXPRESSIONS if node not in (core.ByCard, core.CallQuery, core.Named, core.Players)),
    LetIn,
    Lookup,
    QueryRoutine,
    Rows,
    Without,
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


@dataclass(frozen=True, eq=False)
class LoweredGame:
    """The result of lowering, and the input of instruction selection.

    Attributes:
        setup, phases: The phases of the game, with lowered bodies.
        rank: For each seat, its rank values, the most important first.
        payoff: For each seat, its payoff. None if the ruleset declares no payoffs.
        shown: Title and the value for each seat of the further scores to show.
        names: Slot of a local -> its name in the ruleset.
        routines: The shared routines. A routine stands after those that it calls.
        selective: Whether the first rank value only says who can win.
        zero_sum: Whether the losers pay what the winners share.
        standing: For each seat, the heuristic value of an unfinished position. None without a heuristic.
    """

    setup: core.Phase
    phases: tuple[core.Phase, ...]
    rank: tuple[tuple[Expr, ...], ...]
    payoff: tuple[Expr, ...] | None
    shown: tuple[tuple[str, tuple[Expr, ...]], ...]
    names: dict[int, str]
    routines: tuple[LoweredRoutine, ...]
    selective: bool = False
    zero_sum: bool = False
    standing: tuple[Expr, ...] | None = None


def asks(stmts: tuple[Stmt, ...]) -> bool:
    """Return whether a block can stop the game for a decision."""
    return core.contains_control_flow(stmts, ControlFlow.ASKS)


def stops(stmts: tuple[Stmt, ...]) -> bool:
    """Return whether a block holds a ``stop`` that leaves the loop around the block."""
    return core.contains_control_flow(stmts, ControlFlow.STOPS)


def ends(stmts: tuple[Stmt, ...]) -> bool:
    """Return whether a block can end the game."""
    return core.contains_control_flow(stmts, ControlFlow.ENDS)


def one_or_none(e: Expr) -> Expr | None:
    """Match a list that holds one optional value, or nothing if the value is none.

    Returns the value, or None for any other expression.

    Example: ``if x = none then [] else [x]`` gives ``x``.
    """
    value, listed = (e.value, e.body) if isinstance(e, LetIn) else (None, e)
    match listed:
        case IfExpr(
            condition=Binary(op="=", left=Local(slot=asked) as name, right=Const(value=None)),
            then=Const(value=()),
            otherwise=ListLit(items=(Local(slot=item),)),
        ) if asked == item and (not isinstance(e, LetIn) or e.slot == asked):
            return name if value is None else value
    return None


def count_uses(node: object, slot: int) -> int:
    """Return the number of reads of a local inside a node."""
    if isinstance(node, Local):
        return int(node.slot == slot)
    return sum(count_uses(c, slot) for c in get_children(node))


def under_loop(node: Expr, slot: int) -> bool:
    """Return whether a loop inside ``node`` reads a local in its passes."""
    loops = isinstance(node, LIST_LOOPS)
    for c in get_children(node):
        if loops and c is not node.source and count_uses(c, slot):  # type: ignore[attr-defined]
            return True
        if under_loop(c, slot):
            return True
    return False


def binds_first(e: Expr, slot: int) -> bool:
    """Return whether the first read of a local, in evaluation order, happens whenever any other read does.

    If so, the value of the local can be bound at its first read.
    """
    if isinstance(e, Local):
        return True
    inside = [c for c in get_children(e) if count_uses(c, slot)]
    if isinstance(e, LIST_LOOPS) and inside != [e.source]:
        return False
    if isinstance(e, IfExpr) and inside == [e.then, e.otherwise]:
        # Only one of the two branches is evaluated.
        return False
    if not inside or not binds_first(inside[0], slot):
        return False
    if len(inside) == 1:
        return True
    reached_when = {"and": True, "or": False}.get(e.op) if isinstance(e, Binary) else None
    return _reads(inside[0], slot, reached_when)


def _reads(e: Expr, slot: int, outcome: bool | None) -> bool:
    """Return whether ``e`` has certainly read a local once it evaluates to ``outcome``.

    ``outcome`` is True, False, or None for any value.
    """
    if isinstance(e, Local):
        return e.slot == slot
    if isinstance(e, core.Unary) and e.op == "not":
        return _reads(e.operand, slot, None if outcome is None else not outcome)
    if isinstance(e, Binary) and e.op in ("and", "or"):
        through = outcome is (e.op == "and")
        return (
            (_reads(e.left, slot, outcome) or _reads(e.right, slot, outcome)) if through else _reads(e.left, slot, None)
        )
    if isinstance(e, IfExpr):
        return _reads(e.condition, slot, None)
    if isinstance(e, LIST_LOOPS):
        return _reads(e.source, slot, None)
    return any(_reads(c, slot, None) for c in get_children(e))


# The smallest number of nodes of a common subexpression that is worth a local.
LEAST_SIZE = 4
# The largest expression to search for common subexpressions. The search takes quadratic time.
MOST_SIZE = 500


def named_once(e: Expr, fresh: Callable[[str, Type], int]) -> Expr:
    """Eliminate common subexpressions: compute each repeated part once, at its first read, the largest parts first.

    ``fresh`` returns a slot for a name and a type. Expressions above ``MOST_SIZE`` nodes stay as they are.

    Example: ``(a+b*c) * (a+b*c)`` becomes ``let same = a+b*c in same * same``.
    """
    while size(e) <= MOST_SIZE:
        parts: dict[object, list[Expr]] = {}
        bound = _bound_in(e)
        for node in walk(e):
            if not isinstance(node, Const | Local | LetIn) and not collect_locals(node) & (bound - _bound_in(node)):
                parts.setdefault(compute_structural_key(node), []).append(node)
        repeated = [found for found in parts.values() if len(found) > 1 and size(found[0]) >= LEAST_SIZE]
        for found in sorted(repeated, key=lambda found: -size(found[0])):
            slot = fresh("same", found[0].type)
            body = _replaced(e, {id(node) for node in found}, Local(found[0].type, found[0].span, slot, "same"))
            if binds_first(body, slot):
                e = LetIn(e.type, e.span, slot, found[0], body, shared=True)
                break
        else:
            break
    return e


def _bound_in(e: Expr) -> set[int]:
    """Return the locals that an expression binds itself."""
    return {slot for node in walk(e) for slot in get_bound_slots(node)}


def size(node: object) -> int:
    """Return the number of nodes in an expression or statement."""
    return 1 + sum(size(child) for child in get_children(node))


def _replaced(value: Any, places: set[int], by: Expr) -> Any:
    if id(value) in places:
        return by
    if isinstance(value, Expr):
        changes = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in ("type", "span")}
        return replace(value, **{name: _replaced(old, places, by) for name, old in changes.items()})
    if isinstance(value, tuple):
        return tuple(_replaced(v, places, by) for v in value)
    return value
