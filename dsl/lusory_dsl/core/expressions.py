"""Define the expressions of the core language."""

from __future__ import annotations

from ..source.dataclass_with_lazy_methods import Record, field
from ..source.source import Span
from ..types.types import BoolType, Type
from .generated_part_origins import AUTHORED, Origin


class Expr(Record):
    """Base class of expressions.

    ``type`` is the static type of the value. ``origin`` is set for conditions that a pass generated.
    """

    type: Type
    span: Span
    origin: Origin = field(default=AUTHORED, kw_only=True)


class Const(Expr):
    """A value known at check time: int, bool, str, None, enum ordinal, entity, or a tuple of these."""

    value: object


class Local(Expr):
    """Read the local in ``slot``. ``name`` is its name in the source, for messages."""

    slot: int
    name: str


class OptionValue(Expr):
    """The value of a game option: an int, bool or enum ordinal that is constant during a game."""

    option: str


class Players(Expr):
    """All players in seat order: ``tuple(range(n))``."""


class ReadCell(Expr):
    """The value of a variable, or the number of counters of one kind in a pool. For a pool, the last index is the kind.

    If ``type`` is ``T`` but the variable has type ``T?``, the place is used as a ``T``, and ``none`` there is a fault.
    The same applies to TableRead and Field.
    """

    place: str
    indices: tuple[Expr, ...]


class ReadZone(Expr):
    """The entities of a card zone, top first: ``List[kind]``."""

    zone: str
    indices: tuple[Expr, ...]


class PoolKinds(Expr):
    """The kinds with at least one counter in a pool, in declared order.

    Only the pool's ``kinds`` are considered.
    """

    zone: str
    indices: tuple[Expr, ...]


class PoolTotal(Expr):
    """The number of counters of all kinds in a pool."""

    zone: str
    indices: tuple[Expr, ...]


class TableRead(Expr):
    """An entry of a constant table. There is one index for each dimension."""

    table: str
    indices: tuple[Expr, ...]


class Field(Expr):
    """A printed field or keyword of a component, which is constant data.

    ``original`` and ``copies`` are fields too: see ``Entity.fields``.
    """

    component: Expr
    field: str


class LiesIn(Expr):
    """True if a component is in any zone called ``zone``, whatever the zone's indices."""

    component: Expr
    zone: str


class IndexOfPlace(Expr):
    """The index of the zone that holds a component, such as its holder or its space.

    ``type`` selects the index by its type. If the zone has no such index, or no zone holds the component, the value is
    None. That is a fault unless ``type`` is optional.
    """

    component: Expr


class ListLit(Expr):
    """Make a list of the values of ``items``, in order."""

    items: tuple[Expr, ...]


class Range(Expr):
    """The list ``low..high``, both inclusive. It is empty if high < low."""

    low: Expr
    high: Expr


class Unary(Expr):
    """An operation on one operand. ``op`` is ``"not"`` or ``"-"``."""

    op: str
    operand: Expr


class Binary(Expr):
    """An operation on two operands. ``op`` is one of:

    - ``and or`` on Bool
    - ``+ - * div mod`` on Int: div and mod round down, and division by zero is a fault
    - ``= != < <= > >=``: ``=`` and ``!=`` also compare None, and order is defined on Int only
    - ``in`` on an item and a list
    - ``union except intersect`` on lists: the left order stays, and ``union`` appends the items that the left lacks
    - ``join`` on lists: it concatenates and preserves duplicates
    """

    op: str
    left: Expr
    right: Expr


class IfExpr(Expr):
    """Return the value of ``then`` if ``condition`` is true, else that of ``otherwise``. Only one is evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr


class ByCard(Expr):
    """A value selected by the card that a component is a copy of.

    ``cases`` holds (first copy of a card, value) pairs. ``otherwise`` is the value for all other cards.
    """

    card: Expr
    cases: tuple[tuple[int, Expr], ...]
    otherwise: Expr


class ListLoop(Expr):
    """An expression that goes through the items of the list ``source``. The local in ``slot`` holds the item."""

    slot: int
    source: Expr


class Filter(ListLoop):
    """The items of ``source`` for which ``condition`` holds."""

    condition: Expr


class MapList(ListLoop):
    """The value of ``body`` for each item of ``source`` that satisfies ``condition``, in the same order."""

    condition: Expr | None
    body: Expr


class Fold(ListLoop):
    """A fold over a list.

    ``kind`` is ``sum``, ``max`` or ``min`` (Int body), ``any`` or ``all`` (Bool body), or ``count`` (Bool body: the
    condition). ``max`` and ``min`` of an empty list are 0. ``any`` and ``all`` stop at the first item that decides.
    """

    kind: str
    condition: Expr | None
    body: Expr

    @property
    def is_test(self) -> bool:
        """True if ``body`` is a condition, as in ``any``, ``all`` and ``count``."""
        return self.kind == "count" or isinstance(self.type, BoolType)


class Extreme(ListLoop):
    """All items with the greatest (``source with most key``) or least (``with least``) Int key, in their order."""

    kind: str  # "most" | "least"
    key: Expr


class Distinct(ListLoop):
    """``source with distinct key``: the first item for each value of the key."""

    key: Expr


class Reach(ListLoop):
    """The values reachable from the items of ``start`` by breadth-first search.

    ``body`` is the list of values that are one step from the value in ``slot``. The result begins with the items of
    ``start``, goes on by number of steps up to ``max_steps``, and has no duplicates. With a ``target``, the result is
    the number of steps to the target, or none if it is out of reach. ``source`` lists all values that exist. ``body``
    runs at most once for each value, and no more once the target is found.
    """

    start: Expr
    max_steps: Expr | None
    target: Expr | None
    body: Expr


class Region(Expr):
    """The items of ``area``, in their order, that are connected with items of ``area`` in ``start``.

    Without a ``start``, the value is the number of connected components of ``area``. ``touching`` names the table of
    the spaces that touch each space of the board.
    """

    touching: str
    area: Expr
    start: Expr | None


class Sorted(ListLoop):
    """``source sorted by key``: a stable sort, least key first."""

    key: Expr


class Leading(ListLoop):
    """``source while condition``: the items before the first one that fails the condition.

    No later item is evaluated.
    """

    condition: Expr


class Concat(ListLoop):
    """The concatenation of the lists ``body`` for each item of ``source`` that satisfies ``condition``.

    A result longer than the limit of lists is a fault.
    """

    condition: Expr | None
    body: Expr


class Named(Expr):
    """``let name = value; body``. The value is evaluated lazily: once on the first read, and never if it isn't read."""

    slot: int
    name: str
    value: Expr
    body: Expr


class CallQuery(Expr):
    """The value of a query. For ``per: Player`` queries the first argument is the player."""

    query: str
    args: tuple[Expr, ...]


class CallBuiltin(Expr):
    """A call of a builtin function, such as ``count``, ``step`` or ``first``.

    The table of builtins lists it with ``kind == "function"``.
    """

    name: str
    args: tuple[Expr, ...]


class TextTemplate(Expr):
    """Literal text, with values that are shown by their labels."""

    parts: tuple[str | Expr, ...]
