"""What is known of each construct of the core language: one row a class, and nobody keeps such a list of his own.

Read by the walks (:mod:`lusory_dsl.core.visitors`), by whoever asks what a program reads, writes or may come to, and by
the test that demands something of everybody for each class. What a new class does has no default: it is said, or the
row can't be made; a class without a row is refused as soon as it is loaded. Who makes nodes of his own, as lowering
does, describes them in the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, Flag, auto
from functools import cache
from typing import Any, NamedTuple, overload

from ..source.dataclasses import dataclass
from . import expressions as x, statements as s


class Does(Flag):
    """What becomes of the course of a game where a statement is carried out."""

    NOTHING = 0
    ASKS = auto()
    """It can stop for a decision."""
    STOPS = auto()
    """It leaves the loop round it."""
    ENDS = auto()
    """It can end the game."""


class Held(Enum):
    """How a field of a statement holds blocks."""

    BLOCK = auto()
    """It is one."""
    PAIRS = auto()
    """Something and a block, each time."""
    BODIES = auto()
    """Each of its items has a ``body``."""


class Each(NamedTuple):
    """What goes through a list: the fields for the slot of the item, for the list, and for the condition that an item
    must meet, if there can be one."""

    slot: str
    source: str
    condition: str | None


@dataclass(frozen=True)
class ExpressionRow:
    """A class of expressions. ``fails``: it can be a fault though nothing inside of it is. ``reads``: the fields with
    the names of the places that it looks into; ``anywhere``: it looks where a component lies, in any zone. ``each``:
    the list that it goes through. ``binds``: the fields with slots that it gives values to."""

    of: type[x.Expr]
    fails: bool
    reads: tuple[str, ...]
    each: Each | None
    binds: tuple[str, ...]
    anywhere: bool = False


class Moves(NamedTuple):
    """How a statement moves components. ``components``: the field with the expression for them. ``target``: the field
    with the name of the zone that they come to; None: only play tells, and it may be any zone that can hold them."""

    components: str
    target: str | None


@dataclass(frozen=True)
class StatementRow:
    """A class of statements.

    ``blocks``: the fields that hold blocks, in order. ``passes``: of a loop, the fields that say how often its block is
    done at most, of which one is there: a number, or a list. ``each``: the list that it goes through, or takes an item
    of. ``binds``: the fields with the slots that have values behind it. ``writes``: the fields with the names of the
    places that it may change. ``moves``: which components it may move to which zones, from wherever they are: the rules
    that answer to cards that come and go are attached by it. ``does``: what becomes of the course of the game; of some
    that depends on the statement. ``event``: the kind of event that it logs, if it logs one.
    ``is_deed``: it does something that cases should miss where it is left out: not one that only names a value, says
    something, or holds others.
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
"""Every class of expressions: whoever goes through them has something for each."""

STATEMENTS: tuple[type[s.Stmt], ...] = tuple(row.of for row in _STATEMENTS)
"""Every class of statements."""

_ROWS: dict[type, ExpressionRow | StatementRow] = {}


def describe(*rows: ExpressionRow | StatementRow) -> None:
    """Adds the rows of a language: of all classes of nodes in the modules that they are of, unless the class that one
    is made of says it already. Raises TypeError for a class without a row."""
    _ROWS.update({row.of: row for row in rows})
    _found.cache_clear()
    modules = {row.of.__module__ for row in rows}
    missing = [of.__name__ for of in _below(x.Expr, s.Stmt) if of.__module__ in modules and _found(of) is None]
    if missing:
        raise TypeError(f"{', '.join(sorted(missing))}: no row says what it is")


def _below(*bases: type) -> set[type]:
    """All classes below some."""
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
    """What is known of a class of nodes. Raises TypeError where nothing is."""
    found = _found(of)  # type: ignore[arg-type]  # any class is hashable
    if found is None:
        raise TypeError(f"{of.__name__}: no row says what it is")
    return found


describe(*_EXPRESSIONS, *_STATEMENTS)
