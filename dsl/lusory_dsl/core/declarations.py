"""What a program declares: routines, places for values, data, cards, options."""

from __future__ import annotations

from functools import cached_property

from ..source.dataclasses import dataclass, field
from ..source.source import NOWHERE, Span
from ..types.types import TEXT, ComponentType, EnumType, PlayerType, Type
from .expressions import Expr, TextTemplate
from .origin import WRITTEN, Origin
from .statements import Stmt


@dataclass(frozen=True, eq=False)
class Param:
    slot: int
    name: str
    type: Type


@dataclass(frozen=True, eq=False)
class Modifier:
    """A continuous effect on a query: while ``condition`` holds its value becomes ``value``.

    Slots 0..k-1 of this routine hold the query's parameters, slot k (``it_slot``) the value so far. Of a card: once for
    each of ``copies``, in ``this_slot``, each on the value that the one before left. ``until``: the duration, of a
    change for a time."""

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
    origin: Origin = WRITTEN


@dataclass(frozen=True, eq=False)
class Query:
    """A named expression. ``per_player``: parameter 0 is the player (``me``). Of cards: `Kind.name`, and the next
    parameter is the card (``this``). ``is_table``: it is declared as a table, and reads no game."""

    name: str
    per_player: bool
    params: tuple[Param, ...]
    type: Type
    n_slots: int
    value: Expr
    modifiers: tuple[Modifier, ...] = ()  # in order of application: by layer, then as declared
    origin: Origin = WRITTEN
    is_table: bool = False


@dataclass(frozen=True, eq=False)
class Rule:
    """``when`` or ``instead of`` an effect. Slots 0..k-1 hold the effect's arguments."""

    id: str
    condition: Expr | None
    n_slots: int
    body: tuple[Stmt, ...]
    span: Span
    origin: Origin = WRITTEN


@dataclass(frozen=True, eq=False)
class Effect:
    """A named effect. ``per_player``: parameter 0 is the player (``me``). Of cards: `Kind.name`, and the next
    parameter is the card (``this``)."""

    name: str
    per_player: bool
    params: tuple[Param, ...]
    n_slots: int
    body: tuple[Stmt, ...]
    instead: tuple[Rule, ...] = ()
    when: tuple[Rule, ...] = ()
    is_window: bool = False
    origin: Origin = WRITTEN


@dataclass(frozen=True, eq=False)
class Phase:
    """A node of the phase tree: either ``body`` (leaf) or ``children``.

    ``condition``: skip the phase when it does not hold on entry. ``repeat``: run again and again while it holds (tested
    before each pass), at most ``bound`` times, beyond which it is a fault. That one which no author wrote is entered is
    told to nobody.
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
    origin: Origin = WRITTEN


PILE = "pile number"
"""What every component has beside its fields: the number of its card among those of its kind, from 0."""


@dataclass(frozen=True)
class Dim:
    """One index of a place or table: ``Player``, an enum, a component kind (index = entity - first of the kind),
    or an integer range ``low..high``.

    ``is_open``: of a table, what lies outside of the range is nothing, and rows may end before it does; else it is a
    fault. ``piles``: the first copies of the cards of a ``kind``, of which there is one for each card; the index is
    the number among them, ``Field(card, PILE)``."""

    type: Type
    low: int = 0
    size: int | None = None  # None for Player: the number of players in the game
    is_open: bool = False
    piles: tuple[int, ...] = ()
    kind: str = ""  # of the piles

    @property
    def given(self) -> Type:
        """The type of what authors write as the index."""
        return ComponentType(self.kind) if self.kind else self.type

    def meant(self, index: int) -> int:
        """What an author would write for an index: of piles the card."""
        return self.piles[index] if self.kind else index

    # value v of the index stands at position v - low (Player, enum: low = 0; component: low = first entity)


@dataclass(frozen=True, eq=False)
class Visibility:
    """Who sees the content: a Bool expression over slot 0 ``viewer`` and slot 1 ``owner`` (the first Player index of
    the place; equal to viewer where the place has none). ``constant`` is ``all``, ``owner``, ``nobody`` or None."""

    constant: str | None
    condition: Expr | None
    n_slots: int = 2

    def owner_dim(self, dims: tuple[Dim, ...]) -> int | None:
        """Which of the dimensions of a place tells the owner, the only one who sees it; None: nobody is."""
        if self.constant != "owner":
            return None
        return next((n for n, dim in enumerate(dims) if isinstance(dim.type, PlayerType)), None)

    def is_open(self, dims: tuple[Dim, ...]) -> bool:
        """Whether everyone sees the place at all times. The place of an owner without one is open."""
        return self.constant == "all" or (self.constant == "owner" and self.owner_dim(dims) is None)


@dataclass(frozen=True, eq=False)
class Variable:
    name: str
    dims: tuple[Dim, ...]
    type: Type
    start: Expr  # slots 0.. hold the indices, one for each dim (a Player index is also ``me``)
    n_slots: int
    visible: Visibility
    label: str
    doc: str
    origin: Origin = WRITTEN


@dataclass(frozen=True, eq=False)
class Pool:
    """A zone of counters. Cells as a Variable of type Int with one more dimension: the enum ``holds``."""

    name: str
    dims: tuple[Dim, ...]  # without the kind
    holds: Type
    kinds: tuple[int, ...]  # ordinals it may hold, in declared order
    start: tuple[Expr | None, ...]  # one for each value of the enum; slots as for Variable.start
    n_slots: int
    unlimited: bool
    visible: Visibility
    moves: Visibility
    label: str
    doc: str


@dataclass(frozen=True, eq=False)
class CardZone:
    """An ordered zone of components, top first. ``top``, ``bottom``: who sees the component at that end, besides
    those to whom ``visible`` shows all. ``is_sorted``: they lie in the order of their numbers, however they come."""

    name: str
    dims: tuple[Dim, ...]
    holds: Type
    start: tuple[int, ...]  # entities that begin here, top first (only for zones without dims)
    visible: Visibility
    label: str
    doc: str
    top: Visibility | None = None
    bottom: Visibility | None = None
    start_of: Expr | None = None  # what begins in each; slots as for Variable.start, of piles the card
    n_slots: int = 0
    is_sorted: bool = False

    def shown_at(self, end: str) -> Visibility:
        """Who sees the component at an end, ``top`` or ``bottom``."""
        return (self.top if end == "top" else self.bottom) or self.visible

    @property
    def visibilities(self) -> tuple[Visibility, ...]:
        """All that is said of who sees it: of the whole, then of its ends."""
        return (self.visible, *(end for end in (self.top, self.bottom) if end is not None))


@dataclass(frozen=True, eq=False)
class Table:
    """Constant data. ``values`` is nested tuples, one level for each dim; the leaves have type ``type``. ``places``:
    where each entry is written, by the names of its indices. ``written``: where each value is, nested as ``values``.
    ``rows``: the table of lists whose items, from 1, are the entries; the last dimension is open then."""

    name: str
    dims: tuple[Dim, ...]
    type: Type
    values: object
    places: dict[tuple[str, ...], Span]
    written: object = ()
    rows: str | None = None


@dataclass(frozen=True)
class EnumValue:
    name: str
    label: str
    plural: str | None
    short: str


@dataclass(frozen=True)
class Enum:
    name: str
    values: tuple[EnumValue, ...]

    @cached_property
    def shorts(self) -> Table:
        """What stands for each value where there is little room, as a constant table called ``Suit.short``."""
        own = Dim(EnumType(self.name), 0, len(self.values))
        return Table(f"{self.name}.short", (own,), TEXT, tuple(value.short for value in self.values), {})

    @property
    def has_shorts(self) -> bool:
        """Whether `short` is said of a value."""
        return any(value.short != value.label for value in self.values)


@dataclass(frozen=True)
class Entity:
    """One physical component. ``name`` is stable and unique: the card's id, with ``-2`` … for further copies.
    ``fields``: what is printed on it, with its keywords, and ``original`` (its first copy) and ``copies`` (all).
    ``span``: where the card is declared; ``written``: where what is printed on it is."""

    number: int
    kind: str
    card: str
    name: str
    label: str
    fields: dict[str, object] = field(hash=False)
    span: Span = field(default=NOWHERE, compare=False)
    written: dict[str, Span] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Option:
    """``values``: names of an enum-like option; empty for Int and Bool. ``default``/values at run time: int, bool
    or ordinal into ``values``. ``type`` is INT, BOOL or EnumType of the same name as the option, capitalised."""

    name: str
    type: Type
    values: tuple[str, ...]
    labels: tuple[str, ...]
    default: int | bool
    low: int | None
    high: int | None
    doc: str
    span: Span = field(default=NOWHERE, compare=False)
