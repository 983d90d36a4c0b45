"""Describe each node class of the core language with one row: what it reads, writes, binds and does to control flow.

The traversals in :mod:`lusory_dsl.core.visitors` use this table. So do analyses of what a program reads, writes or may
cause, and a test that requires every stage to handle each class. The fields that describe behaviour have no defaults,
so the author of a class must state them. Loading a module fails if one of its node classes has no row. Passes with
their own node classes, such as lowering, describe them in the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, Flag, auto
from functools import cache
from typing import Any, NamedTuple, overload

from ..source.lazy_dataclass import dataclass
from . import expressions as x, statements as s


class Does(Flag):
    """The effect of a statement on control flow."""

    NOTHING = 0
    ASKS = auto()
    """The statement can stop for a decision."""
    STOPS = auto()
    """The statement leaves the enclosing loop."""
    ENDS = auto()
    """The statement can end the game."""


class Held(Enum):
    """The way in which a field of a statement holds blocks."""

    BLOCK = auto()
    """The field is a block."""
    PAIRS = auto()
    """The field holds pairs whose second item is a block."""
    BODIES = auto()
    """The field holds items that have a ``body``."""


class Each(NamedTuple):
    """The fields of an iteration: the slot of the item, the list, and the condition on items if there can be one."""

    slot: str
    source: str
    condition: str | None


@dataclass(frozen=True)
class ExpressionRow:
    """Traits of a class of expressions.

    Attributes:
        fails: It can raise a fault of its own, apart from its operands.
        reads: The fields that name the places it reads.
        each: The list that it iterates over.
        binds: The fields with the slots that it binds.
        anywhere: It reads the location of a component, which may be in any zone.
    """

    of: type[x.Expr]
    fails: bool
    reads: tuple[str, ...]
    each: Each | None
    binds: tuple[str, ...]
    anywhere: bool = False


class Moves(NamedTuple):
    """A movement of components by a statement.

    ``components`` is the field with the components. ``target`` is the field with the name of the target zone. None: the
    target is known only at run time, and may be any zone that can hold the components.
    """

    components: str
    target: str | None


@dataclass(frozen=True)
class StatementRow:
    """Traits of a class of statements.

    Attributes:
        blocks: The fields that hold blocks, in order.
        passes: For a loop, the fields that bound its number of passes (a number or a list). One of them is set.
        each: The list that it iterates over or picks an item from.
        binds: The fields with the slots that are bound after it.
        writes: The fields that name the places it may change.
        moves: The components that it may move, and their targets. Triggers on moving cards are attached by this.
        does: Its effect on control flow, or a function of the statement that returns it.
        event: The kind of event that it logs, or None.
        is_deed: Mutation tests remove it and expect a test case to fail. False if it only binds, announces or nests.
    """

    of: type[s.Stmt]
    blocks: dict[str, Held]
    passes: tuple[str, ...]
    each: Each | None
    binds: tuple[str, ...]
    writes: tuple[str, ...]
    moves: tuple[Moves, ...]
    does: Does | Callable[[Any], Does]
    event: str | None
    is_deed: bool


NO_BLOCKS: dict[str, Held] = {}
NO_PLACE: tuple[str, ...] = ()
NO_SLOTS: tuple[str, ...] = ()
NO_MOVE: tuple[Moves, ...] = ()
NO_LOOP: tuple[str, ...] = ()
_ITEMS = Each("slot", "source", None)
_ITEMS_WHERE = Each("slot", "source", "condition")
_FROM_DOMAIN = Each("slot", "domain", "condition")

_EXPRESSIONS = (
    ExpressionRow(x.Const, fails=False, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.Local, fails=False, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.OptionValue, fails=False, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.Players, fails=False, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.ReadCell, fails=True, reads=("place",), each=None, binds=NO_SLOTS),
    ExpressionRow(x.ReadZone, fails=True, reads=("zone",), each=None, binds=NO_SLOTS),
    ExpressionRow(x.PoolKinds, fails=True, reads=("zone",), each=None, binds=NO_SLOTS),
    ExpressionRow(x.PoolTotal, fails=True, reads=("zone",), each=None, binds=NO_SLOTS),
    ExpressionRow(x.TableRead, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.Field, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.LiesIn, fails=False, reads=("zone",), each=None, binds=NO_SLOTS),
    ExpressionRow(x.IndexOfPlace, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS, anywhere=True),
    ExpressionRow(x.ListLit, fails=False, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.Range, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.Unary, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.Binary, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.IfExpr, fails=False, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.ByCard, fails=False, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.Filter, fails=False, reads=NO_PLACE, each=_ITEMS_WHERE, binds=NO_SLOTS),
    ExpressionRow(x.MapList, fails=False, reads=NO_PLACE, each=_ITEMS_WHERE, binds=NO_SLOTS),
    ExpressionRow(x.Fold, fails=True, reads=NO_PLACE, each=_ITEMS_WHERE, binds=NO_SLOTS),
    ExpressionRow(x.Extreme, fails=False, reads=NO_PLACE, each=_ITEMS, binds=NO_SLOTS),
    ExpressionRow(x.Distinct, fails=False, reads=NO_PLACE, each=_ITEMS, binds=NO_SLOTS),
    ExpressionRow(x.Reach, fails=False, reads=NO_PLACE, each=_ITEMS, binds=NO_SLOTS),
    ExpressionRow(x.Region, fails=False, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.Sorted, fails=False, reads=NO_PLACE, each=_ITEMS, binds=NO_SLOTS),
    ExpressionRow(x.Leading, fails=False, reads=NO_PLACE, each=_ITEMS, binds=NO_SLOTS),
    ExpressionRow(x.Concat, fails=True, reads=NO_PLACE, each=_ITEMS_WHERE, binds=NO_SLOTS),
    ExpressionRow(x.Named, fails=False, reads=NO_PLACE, each=None, binds=("slot",)),
    ExpressionRow(x.CallQuery, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.CallBuiltin, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS),
    ExpressionRow(x.TextTemplate, fails=True, reads=NO_PLACE, each=None, binds=NO_SLOTS),
)

_STATEMENTS = (
    StatementRow(s.Let, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=("slot",), writes=NO_PLACE, moves=NO_MOVE, does=Does.NOTHING, event=None, is_deed=False),
    StatementRow(s.SetCell, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=("place",), moves=NO_MOVE, does=Does.NOTHING, event="set", is_deed=True),
    StatementRow(s.MoveCount, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=("source", "target"), moves=NO_MOVE, does=Does.NOTHING, event="move", is_deed=True),
    StatementRow(s.MoveCards, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=("target",), moves=(Moves("cards", "target"),),
        does=Does.NOTHING, event="cards", is_deed=True),
    StatementRow(s.Shuffle, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=("zone",), moves=NO_MOVE, does=Does.NOTHING, event="shuffle", is_deed=True),
    StatementRow(s.If, blocks={"branches": Held.PAIRS, "otherwise": Held.BLOCK}, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=NO_PLACE, moves=NO_MOVE, does=Does.NOTHING, event=None, is_deed=False),
    StatementRow(s.DoByCard, blocks={"cases": Held.PAIRS, "otherwise": Held.BLOCK}, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=NO_PLACE, moves=NO_MOVE, does=Does.NOTHING, event=None, is_deed=False),
    StatementRow(s.ForEach, blocks={"body": Held.BLOCK}, passes=("source",), each=_ITEMS_WHERE,
        binds=NO_SLOTS, writes=NO_PLACE, moves=NO_MOVE, does=Does.NOTHING, event=None, is_deed=False),
    StatementRow(s.Repeat, blocks={"body": Held.BLOCK}, passes=("times", "bound"), each=None,
        binds=NO_SLOTS, writes=NO_PLACE, moves=NO_MOVE, does=Does.NOTHING, event=None, is_deed=False),
    StatementRow(s.Stop, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=NO_PLACE, moves=NO_MOVE, does=Does.STOPS, event=None, is_deed=True),
    StatementRow(s.Ask, blocks={"alternatives": Held.BODIES, "otherwise": Held.BLOCK}, passes=NO_LOOP, each=None,
        binds=("alternatives",), writes=NO_PLACE, moves=NO_MOVE, does=Does.ASKS, event="choice", is_deed=True),
    StatementRow(s.AskMany, blocks=NO_BLOCKS, passes=NO_LOOP, each=Each("item_slot", "source", "condition"),
        binds=("slot",), writes=NO_PLACE, moves=NO_MOVE, does=Does.ASKS, event="choice", is_deed=False),
    StatementRow(s.Random, blocks={"body": Held.BLOCK, "otherwise": Held.BLOCK}, passes=NO_LOOP, each=_FROM_DOMAIN,
        binds=("slot",), writes=NO_PLACE, moves=NO_MOVE, does=Does.NOTHING, event="random", is_deed=False),
    StatementRow(s.CallEffect, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=NO_PLACE, moves=NO_MOVE, does=Does.NOTHING, event=None, is_deed=True),
    StatementRow(s.Announce, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=NO_PLACE, moves=NO_MOVE, does=Does.NOTHING, event="announce", is_deed=False),
    StatementRow(s.EndGame, blocks=NO_BLOCKS, passes=NO_LOOP, each=None,
        binds=NO_SLOTS, writes=NO_PLACE, moves=NO_MOVE, does=Does.ENDS, event="end", is_deed=True),
)  # fmt: skip

EXPRESSIONS: tuple[type[x.Expr], ...] = tuple(row.of for row in _EXPRESSIONS)
"""Every class of expressions. Each traversal and each engine handles all of them."""

STATEMENTS: tuple[type[s.Stmt], ...] = tuple(row.of for row in _STATEMENTS)
"""Every class of statements."""

_ROWS: dict[type, ExpressionRow | StatementRow] = {}


def describe(*rows: ExpressionRow | StatementRow) -> None:
    """Add the rows of a set of node classes.

    Every node class in the modules of these rows needs a row of its own or of a base class. Raise TypeError if one is
    missing.
    """
    _ROWS.update({row.of: row for row in rows})
    _found.cache_clear()
    modules = {row.of.__module__ for row in rows}
    missing = [of.__name__ for of in _below(x.Expr, s.Stmt) if of.__module__ in modules and _found(of) is None]
    if missing:
        raise TypeError(f"{', '.join(sorted(missing))}: no row says what it is")


def _below(*bases: type) -> set[type]:
    """Return all direct and indirect subclasses."""
    found: set[type] = set()
    for base in bases:
        found.update(type.__subclasses__(base))
    return found | _below(*found) if found else found


@cache
def _found(of: type) -> ExpressionRow | StatementRow | None:
    return next((_ROWS[base] for base in of.__mro__ if base in _ROWS), None)


@overload
def row(of: type[x.Expr]) -> ExpressionRow: ...
@overload
def row(of: type[s.Stmt]) -> StatementRow: ...
def row(of: type[x.Expr | s.Stmt]) -> ExpressionRow | StatementRow:
    """Return the traits of a node class. Raise TypeError if it has none."""
    found = _found(of)  # type: ignore[arg-type]  # any class is hashable
    if found is None:
        raise TypeError(f"{of.__name__}: no row says what it is")
    return found


describe(*_EXPRESSIONS, *_STATEMENTS)
