"""Describe each node class of the core language with one row: what it reads, writes, binds and does to control flow.

The traversals in :mod:`lusory_dsl.core.node_traversal_reads_and_writes` use this table. So do analyses of what a
program reads, writes or may cause, and a test that requires every stage to handle each class. The fields that describe
behaviour have no defaults, so the author of a class must state them. The fields that describe a class's own fields are
empty by default, and a test holds them against the annotations of the class. Loading a module fails if one of its node
classes has no row. Passes with their own node classes, such as lowering, describe them in the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, Flag, auto
from functools import cache
from typing import Any, NamedTuple, overload

from ..source.dataclass_with_lazy_methods import ValueRecord, field
from . import expressions as x, statements as s


class ControlFlow(Flag):
    """The effect of a statement on control flow."""

    NOTHING = 0
    ASKS = auto()
    """The statement can stop for a decision."""
    STOPS = auto()
    """The statement leaves the enclosing loop."""
    ENDS = auto()
    """The statement can end the game."""


class BlockLayout(Enum):
    """The way in which a field of a statement holds blocks."""

    BLOCK = auto()
    """The field is a block."""
    PAIRS = auto()
    """The field holds pairs whose second item is a block."""
    BODIES = auto()
    """The field holds items that have a ``body``."""


class IterationFields(NamedTuple):
    """The fields of an iteration: the slot of the item, the list, and the condition on items if there can be one."""

    slot: str
    source: str
    condition: str | None


class ExpressionTraits(ValueRecord):
    """Traits of a class of expressions.

    Attributes:
        can_fail: It can raise a fault of its own, apart from its operands.
        read_fields: The fields that name the places it reads.
        iteration: The list that it iterates over.
        slot_fields: The fields with the slots that it binds.
        reads_location: It reads the location of a component, which may be in any zone.
    """

    node_class: type[x.Expr]
    can_fail: bool
    read_fields: tuple[str, ...] = ()
    iteration: IterationFields | None = None
    slot_fields: tuple[str, ...] = ()
    reads_location: bool = False


class MoveFields(NamedTuple):
    """A movement of components by a statement: the fields with the components and with the name of the target zone."""

    components: str
    target: str


class StatementTraits(ValueRecord):
    """Traits of a class of statements.

    Attributes:
        control_flow: Its effect on control flow, or a function of the statement that returns it.
        event: The kind of event that it logs, or None.
        is_mutation_target: Mutation tests remove it and expect a test case to fail. False if it only binds, announces
            or nests.
        block_fields: The fields that hold blocks, in order.
        pass_fields: For a loop, the fields that bound its number of passes (a number or a list). One of them is set.
        iteration: The list that it iterates over or picks an item from.
        slot_fields: The fields with the slots that are bound after it.
        written_fields: The fields that name the places it may change.
        move_fields: The components that it may move, and their targets. Triggers on moving cards are attached by this.
    """

    node_class: type[s.Stmt]
    control_flow: ControlFlow | Callable[[Any], ControlFlow]
    event: str | None
    is_mutation_target: bool
    block_fields: dict[str, BlockLayout] = field(default_factory=dict)
    pass_fields: tuple[str, ...] = ()
    iteration: IterationFields | None = None
    slot_fields: tuple[str, ...] = ()
    written_fields: tuple[str, ...] = ()
    move_fields: tuple[MoveFields, ...] = ()


_ITEMS = IterationFields("slot", "source", None)
_ITEMS_WHERE = IterationFields("slot", "source", "condition")
_FROM_DOMAIN = IterationFields("slot", "domain", "condition")

_EXPRESSIONS = (
    ExpressionTraits(x.Const, can_fail=False),
    ExpressionTraits(x.Local, can_fail=False),
    ExpressionTraits(x.OptionValue, can_fail=False),
    ExpressionTraits(x.Players, can_fail=False),
    ExpressionTraits(x.ReadCell, can_fail=True, read_fields=("place",)),
    ExpressionTraits(x.ReadZone, can_fail=True, read_fields=("zone",)),
    ExpressionTraits(x.PoolKinds, can_fail=True, read_fields=("zone",)),
    ExpressionTraits(x.PoolTotal, can_fail=True, read_fields=("zone",)),
    ExpressionTraits(x.TableRead, can_fail=True),
    ExpressionTraits(x.Field, can_fail=True),
    ExpressionTraits(x.LiesIn, can_fail=False, read_fields=("zone",)),
    ExpressionTraits(x.IndexOfPlace, can_fail=True, reads_location=True),
    ExpressionTraits(x.ListLit, can_fail=False),
    ExpressionTraits(x.Range, can_fail=True),
    ExpressionTraits(x.Unary, can_fail=True),
    ExpressionTraits(x.Binary, can_fail=True),
    ExpressionTraits(x.IfExpr, can_fail=False),
    ExpressionTraits(x.ByCard, can_fail=False),
    ExpressionTraits(x.Filter, can_fail=False, iteration=_ITEMS_WHERE),
    ExpressionTraits(x.MapList, can_fail=False, iteration=_ITEMS_WHERE),
    ExpressionTraits(x.Fold, can_fail=True, iteration=_ITEMS_WHERE),
    ExpressionTraits(x.Extreme, can_fail=False, iteration=_ITEMS),
    ExpressionTraits(x.Distinct, can_fail=False, iteration=_ITEMS),
    ExpressionTraits(x.Reach, can_fail=False, iteration=_ITEMS),
    ExpressionTraits(x.Region, can_fail=False),
    ExpressionTraits(x.Sorted, can_fail=False, iteration=_ITEMS),
    ExpressionTraits(x.Leading, can_fail=False, iteration=_ITEMS),
    ExpressionTraits(x.Concat, can_fail=True, iteration=_ITEMS_WHERE),
    ExpressionTraits(x.Named, can_fail=False, slot_fields=("slot",)),
    ExpressionTraits(x.CallQuery, can_fail=True),
    ExpressionTraits(x.CallBuiltin, can_fail=True),
    ExpressionTraits(x.TextTemplate, can_fail=True),
)

_STATEMENTS = (
    StatementTraits(s.Let, control_flow=ControlFlow.NOTHING, event=None, is_mutation_target=False,
        slot_fields=("slot",)),
    StatementTraits(s.SetCell, control_flow=ControlFlow.NOTHING, event="set", is_mutation_target=True,
        written_fields=("place",)),
    StatementTraits(s.MoveCount, control_flow=ControlFlow.NOTHING, event="move", is_mutation_target=True,
        written_fields=("source", "target")),
    StatementTraits(s.MoveCards, control_flow=ControlFlow.NOTHING, event="cards", is_mutation_target=True,
        written_fields=("target",), move_fields=(MoveFields("cards", "target"),)),
    StatementTraits(s.Shuffle, control_flow=ControlFlow.NOTHING, event="shuffle", is_mutation_target=True,
        written_fields=("zone",)),
    StatementTraits(s.If, control_flow=ControlFlow.NOTHING, event=None, is_mutation_target=False,
        block_fields={"branches": BlockLayout.PAIRS, "otherwise": BlockLayout.BLOCK}),
    StatementTraits(s.DoByCard, control_flow=ControlFlow.NOTHING, event=None, is_mutation_target=False,
        block_fields={"cases": BlockLayout.PAIRS, "otherwise": BlockLayout.BLOCK}),
    StatementTraits(s.ForEach, control_flow=ControlFlow.NOTHING, event=None, is_mutation_target=False,
        block_fields={"body": BlockLayout.BLOCK}, pass_fields=("source",), iteration=_ITEMS_WHERE),
    StatementTraits(s.Repeat, control_flow=ControlFlow.NOTHING, event=None, is_mutation_target=False,
        block_fields={"body": BlockLayout.BLOCK}, pass_fields=("times", "bound")),
    StatementTraits(s.Stop, control_flow=ControlFlow.STOPS, event=None, is_mutation_target=True),
    StatementTraits(s.Ask, control_flow=ControlFlow.ASKS, event="choice", is_mutation_target=True,
        block_fields={"alternatives": BlockLayout.BODIES, "otherwise": BlockLayout.BLOCK},
        slot_fields=("alternatives",)),
    StatementTraits(s.AskMany, control_flow=ControlFlow.ASKS, event="choice", is_mutation_target=False,
        iteration=IterationFields("item_slot", "source", "condition"), slot_fields=("slot",)),
    StatementTraits(s.Random, control_flow=ControlFlow.NOTHING, event="random", is_mutation_target=False,
        block_fields={"body": BlockLayout.BLOCK, "otherwise": BlockLayout.BLOCK}, iteration=_FROM_DOMAIN,
        slot_fields=("slot",)),
    StatementTraits(s.CallEffect, control_flow=ControlFlow.NOTHING, event=None, is_mutation_target=True),
    StatementTraits(s.Announce, control_flow=ControlFlow.NOTHING, event="announce", is_mutation_target=False),
    StatementTraits(s.EndGame, control_flow=ControlFlow.ENDS, event="end", is_mutation_target=True),
)  # fmt: skip

EXPRESSIONS: tuple[type[x.Expr], ...] = tuple(row.node_class for row in _EXPRESSIONS)
"""Every class of expressions. Each traversal and each engine handles all of them."""

STATEMENTS: tuple[type[s.Stmt], ...] = tuple(row.node_class for row in _STATEMENTS)
"""Every class of statements."""

_ROWS: dict[type, ExpressionTraits | StatementTraits] = {}


def register_traits(*rows: ExpressionTraits | StatementTraits) -> None:
    """Add the rows of a set of node classes, or replace those of the same classes.

    Every node class in the modules of these rows needs a row of its own or of a base class, even one that only serves
    as a base (except ListLoop). If rows are missing, raises TypeError: ``Leaf, Twig: no row says what it is``, sorted
    by name. The rows are added in any case.
    """
    _ROWS.update({row.node_class: row for row in rows})
    _find_traits.cache_clear()
    modules = {row.node_class.__module__ for row in rows}
    missing_names = [
        node_class.__name__
        for node_class in _find_subclasses(x.Expr, s.Stmt)
        if node_class.__module__ in modules and node_class is not x.ListLoop and _find_traits(node_class) is None
    ]
    if missing_names:
        raise TypeError(f"{', '.join(sorted(missing_names))}: no row says what it is")


def _find_subclasses(*bases: type) -> set[type]:
    """Return all direct and indirect subclasses."""
    subclasses: set[type] = set()
    for base in bases:
        subclasses.update(type.__subclasses__(base))
    return subclasses | _find_subclasses(*subclasses) if subclasses else subclasses


@cache
def _find_traits(node_class: type) -> ExpressionTraits | StatementTraits | None:
    return next((_ROWS[base] for base in node_class.__mro__ if base in _ROWS), None)


@overload
def get_traits(node_class: type[x.Expr]) -> ExpressionTraits: ...
@overload
def get_traits(node_class: type[s.Stmt]) -> StatementTraits: ...
def get_traits(node_class: type[x.Expr | s.Stmt]) -> ExpressionTraits | StatementTraits:
    """Return the traits of a node class: its own row, or that of its nearest base class.

    Raises TypeError if there is none.
    """
    traits = _find_traits(node_class)  # type: ignore[arg-type]  # any class is hashable
    if traits is None:
        raise TypeError(f"{node_class.__name__}: no row says what it is")
    return traits


register_traits(*_EXPRESSIONS, *_STATEMENTS)
