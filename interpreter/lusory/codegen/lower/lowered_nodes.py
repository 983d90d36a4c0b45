"""Extra nodes of lowered code and helpers over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import (
    LOOPS,
    Binary,
    Const,
    Does,
    Expr,
    IfExpr,
    ListLit,
    Local,
    Stmt,
    binds,
    children,
    locals_in,
    walk,
)
from lusory_dsl.core.node_traits import ExpressionRow, Held, StatementRow
from lusory_dsl.source.dataclasses import dataclass
from lusory_dsl.types.types import Type


@dataclass(frozen=True, eq=False)
class LetIn(Expr):
    """``body`` with the value in ``slot``: an argument that an inlined query reads more than once. ``shared``: a part
    that stands in the author's text more than once; it is worked out where it is first read, if it is, and not before
    when it can go wrong."""

    slot: int
    value: Expr
    body: Expr
    shared: bool = False


@dataclass(frozen=True, eq=False)
class Lookup(Expr):
    """What an expression comes to that depends on one local alone, for each value of that local."""

    of: Expr
    values: tuple[object, ...]


@dataclass(frozen=True, eq=False)
class LoweredRoutine:
    """A lowered effect (``body``) or query (``value``), or a part of one, without a name. ``number`` is unique;
    ``params`` are the slots of its arguments. ``asks``: it can stop the game for a decision; ``ends``: it can end the
    game; ``fails``: a query that can go wrong."""

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
    """An entry of rows of rows that reach as far as the indices do, each from its ``lows`` on."""

    values: object
    indices: tuple[Expr, ...]
    lows: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Without(Expr):
    """A list without the first of its items that is ``item``, which can't go wrong."""

    source: Expr
    item: Expr


@dataclass(frozen=True, eq=False)
class QueryRoutine(Expr):
    """The value of a shared query."""

    routine: LoweredRoutine
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class EffectRoutine(Stmt):
    """What a shared effect does."""

    routine: LoweredRoutine
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Spend(Stmt):
    """The work of a block is counted. ``checked``: whether the limit is looked at."""

    work: int
    checked: bool


@dataclass(frozen=True, eq=False)
class Changed(Expr):
    """The number in a place that is increased or decreased. Only read when something went wrong."""

    place: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Inlined(Stmt):
    """The statements of an inlined effect; ``name`` is told when something goes wrong inside."""

    name: str
    body: tuple[Stmt, ...]


@dataclass(frozen=True, eq=False)
class AskWithLocals(core.Ask):
    """A choice that remembers where the locals of its routine went: (slot in the program, value now) pairs."""

    frame: tuple[tuple[int, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class AskManyWithLocals(core.AskMany):
    """As :class:`AskWithLocals`."""

    frame: tuple[tuple[int, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class AnnounceWithLocals(core.Announce):
    """An announcement that may speak of something hidden. ``number``: among those of the program that may;
    ``frame``: as that of :class:`AskWithLocals`."""

    number: int = 0
    frame: tuple[tuple[int, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class EndGameWithLocals(core.EndGame):
    """An ending whose reason may speak of something hidden; as :class:`AnnounceWithLocals`."""

    number: int = 0
    frame: tuple[tuple[int, Expr], ...] = ()


def _of_routine(s: EffectRoutine) -> Does:
    """What becomes of the game where a shared effect is carried out."""
    asks = Does.ASKS if s.routine.asks else Does.NOTHING
    return asks | Does.ENDS if s.routine.ends else asks


_NOTHING: Any = {"passes": (), "each": None, "binds": (), "writes": (), "moves": (), "event": None, "is_deed": False}

core.describe(
    ExpressionRow(LetIn, fails=False, reads=(), each=None, binds=("slot",)),
    ExpressionRow(Lookup, fails=False, reads=(), each=None, binds=()),
    ExpressionRow(Rows, fails=False, reads=(), each=None, binds=()),
    ExpressionRow(Without, fails=False, reads=(), each=None, binds=()),
    ExpressionRow(QueryRoutine, fails=True, reads=(), each=None, binds=()),
    ExpressionRow(Changed, fails=True, reads=("place",), each=None, binds=()),
    StatementRow(EffectRoutine, blocks={}, does=_of_routine, **_NOTHING),
    StatementRow(Spend, blocks={}, does=Does.NOTHING, **_NOTHING),
    StatementRow(Inlined, blocks={"body": Held.BLOCK}, does=Does.NOTHING, **_NOTHING),
)

EXPRESSIONS: tuple[type[Expr], ...] = (
    *(node for node in core.EXPRESSIONS if node not in (core.ByCard, core.CallQuery, core.Named, core.Players)),
    LetIn,
    Lookup,
    QueryRoutine,
    Rows,
    Without,
)
"""Every class of expressions that is left for selection."""

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
"""Every class of statements that is left for selection."""


@dataclass(frozen=True, eq=False)
class LoweredGame:
    """What selection reads. ``names[slot]`` is the author's name of a local."""

    setup: core.Phase
    phases: tuple[core.Phase, ...]
    rank: tuple[tuple[Expr, ...], ...]  # for each seat
    payoff: tuple[Expr, ...] | None
    shown: tuple[tuple[str, tuple[Expr, ...]], ...]  # title, and the value for each seat
    names: dict[int, str]
    routines: tuple[LoweredRoutine, ...]  # those that a routine uses stand before it
    selective: bool = False  # the first rank value says who can win
    zero_sum: bool = False  # what the winners share is paid by the others
    standing: tuple[Expr, ...] | None = None  # how well each seat stands before the end


def asks(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a block can stop the game for a decision."""
    return core.any_in(stmts, Does.ASKS)


def stops(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a block holds a ``stop`` that leaves the loop round it."""
    return core.any_in(stmts, Does.STOPS)


def ends(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a block can end the game."""
    return core.any_in(stmts, Does.ENDS)


def one_or_none(e: Expr) -> Expr | None:
    """The value of which a list is made that is empty where that is none."""
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
    """How often a local is read inside a node."""
    if isinstance(node, Local):
        return int(node.slot == slot)
    return sum(count_uses(c, slot) for c in children(node))


def under_loop(node: Expr, slot: int) -> bool:
    loops = isinstance(node, LOOPS)
    for c in children(node):
        if loops and c is not node.source and count_uses(c, slot):  # type: ignore[attr-defined]
            return True
        if under_loop(c, slot):
            return True
    return False


def binds_first(e: Expr, slot: int) -> bool:
    """Whether the first read of a local, in the order of evaluation, happens whenever any other one does: then the
    value can be named where it is first read."""
    if isinstance(e, Local):
        return True
    inside = [c for c in children(e) if count_uses(c, slot)]
    if isinstance(e, LOOPS) and inside != [e.source]:
        return False
    if isinstance(e, IfExpr) and inside == [e.then, e.otherwise]:
        return False  # either, never both
    if not inside or not binds_first(inside[0], slot):
        return False
    if len(inside) == 1:
        return True
    reached_when = {"and": True, "or": False}.get(e.op) if isinstance(e, Binary) else None
    return _reads(inside[0], slot, reached_when)


def _reads(e: Expr, slot: int, outcome: bool | None) -> bool:
    """Whether an expression has certainly read a local once it has come out as ``outcome`` (None: as anything)."""
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
    if isinstance(e, LOOPS):
        return _reads(e.source, slot, None)
    return any(_reads(c, slot, None) for c in children(e))


LEAST_SIZE = 4  # nodes of a part that is worth a name
MOST_SIZE = 500  # nodes of an expression that is searched for such parts: the search takes the square of that


def shape(e: Expr, *slots: int) -> object:
    """A value that is equal for expressions that compute the same: without places in the ruleset, and with the locals
    that an expression binds itself, and those in ``slots``, numbered in order."""
    return _shape(e, {slot: number for number, slot in enumerate(slots, 1)})


def _shape(value: Any, bound: dict[int, int]) -> object:
    if isinstance(value, Local):
        return "local", bound.get(value.slot, -value.slot)
    if isinstance(value, Expr):
        if hasattr(value, "slot"):
            bound = {**bound, value.slot: len(bound) + 1}
        parts = [f.name for f in fields(value) if f.name not in ("span", "slot", "origin")]
        return (type(value).__name__, *(_shape(getattr(value, name), bound) for name in parts))
    if isinstance(value, tuple):
        return tuple(_shape(v, bound) for v in value)
    return type(value), value


def named_once(e: Expr, fresh: Callable[[str, Type], int]) -> Expr:
    """The expression with its largest parts that stand in it more than once computed once, each where it is first
    needed. ``fresh``: gives slots for their values. What is very large stays as it is."""
    while size(e) <= MOST_SIZE:
        parts: dict[object, list[Expr]] = {}
        bound = _bound_in(e)
        for node in walk(e):
            if not isinstance(node, Const | Local | LetIn) and not locals_in(node) & (bound - _bound_in(node)):
                parts.setdefault(shape(node), []).append(node)
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
    """The locals that an expression binds itself."""
    return {slot for node in walk(e) for slot in binds(node)}


def size(node: object) -> int:
    return 1 + sum(size(child) for child in children(node))


def _replaced(value: Any, places: set[int], by: Expr) -> Any:
    if id(value) in places:
        return by
    if isinstance(value, Expr):
        changes = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in ("type", "span")}
        return replace(value, **{name: _replaced(old, places, by) for name, old in changes.items()})
    if isinstance(value, tuple):
        return tuple(_replaced(v, places, by) for v in value)
    return value
