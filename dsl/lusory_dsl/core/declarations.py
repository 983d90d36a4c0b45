"""Define the declarations of a program: routines, places for values, tables, components and options."""

from __future__ import annotations

from functools import cached_property

from ..source.dataclass_with_lazy_methods import Record, ValueRecord, field
from ..source.source import NOWHERE, Span
from ..types.types import TEXT, ComponentType, EnumType, PlayerType, Type
from .expressions import Expr, TextTemplate
from .generated_part_origins import AUTHORED, Origin
from .statements import Stmt


class Param(Record):
    """Declare a parameter: the slot of its local, its name and its type."""

    slot: int
    name: str
    type: Type


class Modifier(Record):
    """A continuous effect on a query: while ``condition`` holds, the query's value becomes ``value``.

    Slots 0..k-1 of this routine hold the query's parameters. Slot k (``it_slot``) holds the value so far. A modifier
    printed on a card applies once for each of its ``copies``, held in ``this_slot``. Each application starts from the
    result of the previous one. ``until`` names the duration of a temporary change.
    """

    rule: str
    layer: str | None
    it_slot: int
    condition: Expr
    value: Expr
    n_slots: int
    span: Span
    copies: tuple[int, ...] = ()
    this_slot: int = 0
    until: str | None = None
    origin: Origin = AUTHORED


class Query(Record):
    """A named expression.

    If ``is_per_player`` is True, parameter 0 is the player (``me``). A query of cards is called `Kind.name`, and its
    next parameter is the card (``this``). If ``is_table`` is True, the author declared it as a table, and it reads no
    state. ``phrase`` holds the author's words for it, with parameters in braces, or "".
    """

    name: str
    is_per_player: bool
    params: tuple[Param, ...]
    type: Type
    n_slots: int
    value: Expr
    modifiers: tuple[Modifier, ...] = ()  # in order of application, see check_modifiers
    origin: Origin = AUTHORED
    is_table: bool = False
    phrase: str = ""


class Rule(Record):
    """A rule that triggers on an effect (``when``) or replaces it (``instead of``).

    Slots 0..k-1 hold the effect's arguments.
    """

    id: str
    condition: Expr | None
    n_slots: int
    body: tuple[Stmt, ...]
    span: Span
    origin: Origin = AUTHORED


class Effect(Record):
    """A named effect.

    If ``is_per_player`` is True, parameter 0 is the player (``me``). An effect of cards is called `Kind.name`, and its
    next parameter is the card (``this``).
    """

    name: str
    is_per_player: bool
    params: tuple[Param, ...]
    n_slots: int
    body: tuple[Stmt, ...]
    instead: tuple[Rule, ...] = ()
    when: tuple[Rule, ...] = ()
    is_window: bool = False
    origin: Origin = AUTHORED


class Phase(Record):
    """A node of the phase tree. A leaf has a ``body``, any other node has ``children``.

    ``condition`` is tested on entry: if it doesn't hold, the phase is skipped. ``repeat`` is tested before each pass,
    and the phase runs again while it holds. A phase that would run more than ``bound`` times is a fault. Entering a
    phase that a pass generated logs no event.
    """

    id: str
    label: TextTemplate | None
    n_slots: int
    condition: Expr | None
    repeat: Expr | None
    bound: int
    body: tuple[Stmt, ...]
    children: tuple[Phase, ...]
    span: Span
    origin: Origin = AUTHORED


PILE = "pile number"
"""The field with the number of a component's card among the cards of its kind, from 0. Every component has it."""


class Dim(ValueRecord):
    """One index of a place or table.

    The index is ``Player``, an enum, a component kind or an integer range. The value ``v`` is at position ``v - low``.
    ``low`` is 0 for Player and enums, the first entity for component kinds, and the lowest number for ranges.
    ``is_open`` concerns tables. A read outside the range then gives none, and rows may be shorter. Otherwise it is a
    fault. ``first_copies`` lists the first copy of each card of ``kind``. The index is then a card's number among them,
    ``Field(card, PILE)``.
    """

    type: Type
    low: int = 0
    size: int | None = None  # None for Player: the number of players of the game
    is_open: bool = False
    first_copies: tuple[int, ...] = ()
    kind: str = ""  # the kind of component, if ``first_copies`` is used

    @property
    def source_type(self) -> Type:
        """The type of the expression that authors write as the index."""
        return ComponentType(self.kind) if self.kind else self.type

    def to_source_value(self, index: int) -> int:
        """Return the value that an author writes for ``index``: ``index`` itself, or the card if it counts piles."""
        return self.first_copies[index] if self.kind else index


class Visibility(Record):
    """A condition on who sees the content of a place.

    ``condition`` is a Bool expression over slot 0 (``viewer``) and slot 1 (``owner``). The owner is the first Player
    index of the place, or the viewer if it has none. ``constant`` is ``all``, ``owner``, ``nobody`` or None.
    """

    constant: str | None
    condition: Expr | None
    n_slots: int = 2

    def find_owner_dim(self, dims: tuple[Dim, ...]) -> int | None:
        """Return the position of the first Player dimension, which holds the owner, if only the owner sees the place.

        Returns None for any other visibility, and without such a dimension.
        """
        if self.constant != "owner":
            return None
        return next((n for n, dim in enumerate(dims) if isinstance(dim.type, PlayerType)), None)

    def is_open(self, dims: tuple[Dim, ...]) -> bool:
        """Return whether everyone always sees the place. A place for its owner only is open if it has no owner."""
        return self.constant == "all" or (self.constant == "owner" and self.find_owner_dim(dims) is None)


class Place(Record):
    """A variable or zone. During a game, it has a content for each combination of its indices ``dims``.

    ``n_slots`` is the number of slots of its start.
    """

    name: str
    dims: tuple[Dim, ...]
    visible: Visibility
    label: str
    doc: str
    n_slots: int


class Variable(Place):
    """Declare a variable: one cell for each combination of indices in ``dims``, or a single cell without indices.

    ``phrase`` holds the author's words for it, with the names of its indices in braces, or "".
    """

    type: Type
    start: Expr  # slots 0.. hold the indices, one for each dim; a Player index is also ``me``
    origin: Origin = AUTHORED
    phrase: str = ""


class Pool(Place):
    """A zone of counters. It is stored like a Variable of type Int with one more dimension than ``dims``: the enum
    ``holds``."""

    holds: Type
    kinds: tuple[int, ...]  # ordinals of the kinds that it may hold, in declared order
    start: tuple[Expr | None, ...]  # one for each value of the enum; slots as for Variable.start
    is_unlimited: bool
    moves: Visibility


class CardZone(Place):
    """An ordered zone of components, top first.

    ``top`` and ``bottom`` say who sees the component at that end, in addition to those who see the whole zone by
    ``visible``. If ``is_sorted`` is True, components are always in the order of their numbers.
    """

    holds: Type
    start: tuple[int, ...]  # entities that start here, top first; only for zones without dims
    top: Visibility | None = None
    bottom: Visibility | None = None
    # initial content of each part; slots as for Variable.start, and a pile index holds the card
    part_start: Expr | None = None
    is_sorted: bool = False

    def get_end_visibility(self, end: str) -> Visibility:
        """Return who sees the component at an end, ``top`` or ``bottom``.

        This is the visibility of the whole zone if the end has none of its own.
        """
        return (self.top if end == "top" else self.bottom) or self.visible

    @property
    def visibilities(self) -> tuple[Visibility, ...]:
        """The visibility of the whole zone, then those that its top and bottom have of their own."""
        return (self.visible, *(end for end in (self.top, self.bottom) if end is not None))


class Table(Record):
    """Constant data.

    ``values`` is nested tuples, one level for each dim. The leaves have type ``type``. ``spans`` maps the indices of an
    entry to the positions of its key and its value in the source. Both are the same in a list; generated tables have
    none. ``rows`` names the table of lists that has the entries as items, from 1. The last dimension is then open.
    """

    name: str
    dims: tuple[Dim, ...]
    type: Type
    values: object
    spans: dict[tuple[int, ...], tuple[Span, Span]]
    rows: str | None = None


class EnumValue(ValueRecord):
    """Declare a value of an enum. ``plural`` is None unless the author declares one."""

    name: str
    label: str
    plural: str | None
    short: str


class Enum(ValueRecord):
    """Declare an enum. The ordinal of a value is its position in ``values``, from 0."""

    name: str
    values: tuple[EnumValue, ...]

    @cached_property
    def short_table(self) -> Table:
        """The short names of the values in order, as a constant table called, for example, ``Suit.short``."""
        dim = Dim(EnumType(self.name), 0, len(self.values))
        return Table(f"{self.name}.short", (dim,), TEXT, tuple(value.short for value in self.values), {})

    @property
    def has_shorts(self) -> bool:
        """True if the short name of any value differs from its label."""
        return any(value.short != value.label for value in self.values)


class Entity(ValueRecord):
    """One physical component.

    ``name`` is stable and unique: the card's id, with ``-2``, ``-3`` … for further copies. ``fields`` holds the printed
    fields and keywords, ``PILE``, ``original`` (the first copy) and ``copies`` (all copies). ``span`` is the card's
    declaration, and ``field_spans`` maps each field to its position in the source.
    """

    number: int
    kind: str
    card: str
    name: str
    label: str
    fields: dict[str, object] = field(hash=False)
    span: Span = field(default=NOWHERE, compare=False)
    field_spans: dict[str, Span] = field(default_factory=dict, compare=False)


class Option(ValueRecord):
    """An option of the game, chosen before play.

    ``values`` lists the names of an enum-like option, and is empty for Int and Bool. At run time, ``default`` and other
    values are an int, a bool or an ordinal into ``values``. ``type`` is INT, BOOL or an EnumType named like the option
    in camel case: ``VpZone`` for ``vp_zone``.
    """

    name: str
    type: Type
    values: tuple[str, ...]
    default: int | bool
    low: int | None
    high: int | None
    doc: str
    span: Span = field(default=NOWHERE, compare=False)
