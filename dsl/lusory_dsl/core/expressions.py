"""Expressions of the core language: what has a value."""

from __future__ import annotations

from ..source.dataclasses import dataclass, field
from ..source.source import Span
from ..types.types import BoolType, Type
from .origin import WRITTEN, Origin


@dataclass(frozen=True, eq=False)
class Expr:
    """Base of expressions. ``type`` is the static type of the value. ``origin``: of a condition that no author wrote,
    who made it."""

    type: Type
    span: Span
    origin: Origin = field(default=WRITTEN, kw_only=True)


@dataclass(frozen=True, eq=False)
class Const(Expr):
    """A value known at check time: int, bool, str, None, ordinal, entity, or a tuple of such."""

    value: object


@dataclass(frozen=True, eq=False)
class Local(Expr):
    slot: int
    name: str


@dataclass(frozen=True, eq=False)
class OptionValue(Expr):
    """The value of a game option: constant while a game is played (int, bool or enum ordinal)."""

    option: str


@dataclass(frozen=True, eq=False)
class Players(Expr):
    """All players in seat order: ``tuple(range(n))``."""


@dataclass(frozen=True, eq=False)
class ReadCell(Expr):
    """A variable, or the count of one kind in a pool (then the last index is the kind).

    Where ``type`` is ``T`` and the variable's is ``T?``, the place is used as a ``T``: a ``none`` there is a fault. So
    too for TableRead and Field."""

    place: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class ReadZone(Expr):
    """The entities of a card zone, top first: ``List[kind]``."""

    zone: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class PoolKinds(Expr):
    """The kinds a pool holds at least one of, in declared order (only the pool's declared ``kinds``)."""

    zone: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class PoolTotal(Expr):
    """The number of counters of all kinds in a pool."""

    zone: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class TableRead(Expr):
    """An entry of a constant table. Fewer indices than the table has dimensions is not possible."""

    table: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Field(Expr):
    """A printed field or keyword of a component (constant data), also ``original`` and ``copies``: see
    ``Program.entities``."""

    component: Expr
    field: str


@dataclass(frozen=True, eq=False)
class LiesIn(Expr):
    """Whether a component lies in a zone of this name, whatever its indices."""

    component: Expr
    zone: str


@dataclass(frozen=True, eq=False)
class IndexOfPlace(Expr):
    """The index, of the type that ``type`` may be, of the zone in which a component lies: its holder, its space. None
    where the zone has no such index, or the component lies nowhere: a fault, if ``type`` is not optional."""

    component: Expr


@dataclass(frozen=True, eq=False)
class ListLit(Expr):
    items: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Range(Expr):
    """``low..high`` inclusive; empty when high < low."""

    low: Expr
    high: Expr


@dataclass(frozen=True, eq=False)
class Unary(Expr):
    """``op`` is ``"not"`` or ``"-"``."""

    op: str
    operand: Expr


@dataclass(frozen=True, eq=False)
class Binary(Expr):
    """``op`` is one of

    ``and or`` (Bool), ``+ - * div mod`` (Int; div and mod round towards minus infinity, by zero is a fault),
    ``= != < <= > >=`` (``=`` also compares None; order only on Int), ``in`` (item, list),
    ``union except intersect`` (lists; the left order is kept; ``union`` appends what the left lacks),
    ``join`` (lists, concatenation with duplicates kept).
    """

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, eq=False)
class IfExpr(Expr):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, eq=False)
class ByCard(Expr):
    """The value that belongs to the card of which ``card`` is a copy: (first copy, value) pairs; else ``otherwise``."""

    card: Expr
    cases: tuple[tuple[int, Expr], ...]
    otherwise: Expr


@dataclass(frozen=True, eq=False)
class Filter(Expr):
    """The items of ``source`` for which ``condition`` holds with the item in ``slot``."""

    slot: int
    source: Expr
    condition: Expr


@dataclass(frozen=True, eq=False)
class MapList(Expr):
    """``body`` for each item of ``source`` (that satisfies ``condition``): a list of the same order."""

    slot: int
    source: Expr
    condition: Expr | None
    body: Expr


@dataclass(frozen=True, eq=False)
class Fold(Expr):
    """``kind`` is ``sum``, ``max``, ``min`` (Int body; max and min of nothing are 0), ``any``, ``all`` (Bool body),
    ``count`` (body is the condition, Bool). Any and all stop at the first item that decides."""

    kind: str
    slot: int
    source: Expr
    condition: Expr | None
    body: Expr

    @property
    def is_test(self) -> bool:
        """Whether ``body`` is a condition."""
        return self.kind == "count" or isinstance(self.type, BoolType)


@dataclass(frozen=True, eq=False)
class Extreme(Expr):
    """``source with most key`` / ``with least``: all items whose Int key is greatest / smallest, order kept."""

    kind: str  # "most" | "least"
    slot: int
    source: Expr
    key: Expr


@dataclass(frozen=True, eq=False)
class Distinct(Expr):
    """``source with distinct key``: of the items whose key is the same, the first."""

    slot: int
    source: Expr
    key: Expr


@dataclass(frozen=True, eq=False)
class Reach(Expr):
    """What is reached from the items of ``start``, going on from a value in ``slot`` to those of the list ``body``, in
    at most ``within`` steps: those of ``start`` first, then by steps, each once. With a ``target``, in how many steps
    that is reached; none where it is not. ``source``: all values that there are. From each the way goes on at most
    once, and from none once the target is found."""

    slot: int
    source: Expr
    start: Expr
    within: Expr | None
    target: Expr | None
    body: Expr


@dataclass(frozen=True, eq=False)
class Region(Expr):
    """Those of ``among``, in their order, that hang together with what of them is in ``start``; without a start, of
    how many parts they consist. ``touching``: the table of what touches each space of the board."""

    touching: str
    among: Expr
    start: Expr | None


@dataclass(frozen=True, eq=False)
class Sorted(Expr):
    """``source sorted by key``: least key first; items with the same key stay in their order."""

    slot: int
    source: Expr
    key: Expr


@dataclass(frozen=True, eq=False)
class Leading(Expr):
    """``source while condition``: the items before the first for which it does not hold, which is the last that is
    looked at."""

    slot: int
    source: Expr
    condition: Expr


@dataclass(frozen=True, eq=False)
class Concat(Expr):
    """The lists that ``body`` is for each item of ``source`` (that satisfies ``condition``), one behind the other. One
    that is longer than a list can be is a fault."""

    slot: int
    source: Expr
    condition: Expr | None
    body: Expr


@dataclass(frozen=True, eq=False)
class Named(Expr):
    """``let name = value; body``: the value is worked out when it is first read, once; never, if it is not read."""

    slot: int
    name: str
    value: Expr
    body: Expr


@dataclass(frozen=True, eq=False)
class CallQuery(Expr):
    """Value of a query. For ``per: Player`` queries the player is the first argument."""

    query: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class CallBuiltin(Expr):
    """A function of the builtins table (``kind == "function"``), e.g. ``count``, ``step``, ``first``."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class TextTemplate(Expr):
    """Literal text and values to be shown by their labels."""

    parts: tuple[str | Expr, ...]
