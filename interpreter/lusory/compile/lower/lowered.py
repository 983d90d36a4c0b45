"""The lowered language: what lowering makes of :mod:`lusory_dsl.core` besides its own nodes, and what blocks of it do.

Made by :mod:`lusory.compile.lower.lowering`, read by selection.
"""

from __future__ import annotations

from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Does, Expr, IfExpr, ListLit, Local, Stmt
from lusory_dsl.core.constructs import ExpressionRow, Held, StatementRow
from lusory_dsl.text.records import dataclass


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
