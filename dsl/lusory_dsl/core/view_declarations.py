"""How a table is laid out on a screen, as its author says: texts, boards and panels, and how values look in them.

All is read as a seat sees the table; what it may not see shows as ``?``, and what a condition on it would show is left
out. ``condition``: leave a part out when it does not hold, or may not be known. ``since``: leave it out of screens with
fewer columns. ``short``: what stands for ``text`` where there is little room.
"""

from __future__ import annotations

from ..source.dataclasses import dataclass
from ..types.types import Type
from .expressions import Expr, PoolTotal, TextTemplate


@dataclass(frozen=True, eq=False)
class ViewItem:
    """A titled value. ``pool``: instead of a text, its counters. ``below``: of a player, it has a line of its own."""

    title: str
    text: TextTemplate
    condition: Expr | None
    n_slots: int
    short: TextTemplate | None = None
    pool: PoolTotal | None = None
    below: bool = False
    since: int = 0


@dataclass(frozen=True, eq=False)
class BoardView:
    """A grid of texts, one for each row (slot 0, from top to bottom) and column (slot 1) of two lists. ``headings``:
    whether they are named beside it.

    Or one for each item of ``rows`` alone (slot 0): of the spaces of a ``board``, as they lie, without empty edges
    where it is cropped (``crop``: the texts that are empty); or row by row, ``width`` in each. ``boxed``: each stands
    in a box where there is room."""

    title: str
    rows: Expr
    columns: Expr | None
    text: TextTemplate
    condition: Expr | None
    headings: bool
    n_slots: int
    board: str | None = None
    width: int = 0
    crop: tuple[str, ...] | None = None
    short: TextTemplate | None = None
    boxed: bool = False
    since: int = 0


@dataclass(frozen=True, eq=False)
class TrackView:
    """Places in a row; ``per_player``: a row for each player, who is in slot 0. The item of ``items`` is in slot 1.
    ``under``: a list of what lies there."""

    title: str
    items: Expr
    per_player: bool
    text: TextTemplate
    short: TextTemplate | None
    condition: Expr | None
    n_slots: int
    boxed: bool = False
    since: int = 0
    under: Expr | None = None


@dataclass(frozen=True, eq=False)
class MapView:
    """The spaces of a ``board`` (slot 0) where they lie, with lines between those that are linked.
    ``under``: a list of what lies there."""

    title: str
    board: str
    text: TextTemplate
    short: TextTemplate | None
    condition: Expr | None
    n_slots: int
    since: int = 0
    under: Expr | None = None


@dataclass(frozen=True, eq=False)
class Lead:
    """Something that leads to the face ``to`` of a dial."""

    to: Expr
    sign: TextTemplate
    condition: Expr | None


@dataclass(frozen=True, eq=False)
class DialsView:
    """Dials, one for each of ``items`` (slot 1), or one, and each player (slot 0) where ``per_player``. ``faces``: in
    the order in which they follow each other; ``at``: the one that it stands on; ``note``: what is told behind it."""

    title: str
    items: Expr | None
    per_player: bool
    faces: Expr
    at: Expr
    leads: tuple[Lead, ...]
    note: TextTemplate | None
    condition: Expr | None
    n_slots: int
    since: int = 0


@dataclass(frozen=True, eq=False)
class HandView:
    """Cards (slot 1) that the player who looks (slot 0) holds; cards of one text stand together. ``dim``: of no use."""

    title: str
    items: Expr
    text: TextTemplate
    dim: Expr | None
    condition: Expr | None
    n_slots: int
    since: int = 0


@dataclass(frozen=True, eq=False)
class PileView:
    """A heap: how many, and the card that lies on top, where it is seen."""

    title: str
    cards: Expr
    condition: Expr | None


@dataclass(frozen=True, eq=False)
class PilesView:
    """Heaps beside each other."""

    title: str
    piles: tuple[PileView, ...]
    condition: Expr | None
    n_slots: int
    since: int = 0


PanelView = BoardView | TrackView | MapView | DialsView | HandView | PilesView


@dataclass(frozen=True, eq=False)
class LookMark:
    """A sign behind a value, in a colour, while a condition holds."""

    sign: str
    colour: str
    condition: Expr | None


@dataclass(frozen=True, eq=False)
class Look:
    """How the values of a type (slot 0) look. ``signs``, ``colours``: of values of an enum, by number. ``like``: what
    it has the colour of, unless it has one itself. ``short``: what stands for it where there is little room. ``dim``:
    whether it is drawn faintly."""

    type: Type
    signs: dict[int, str]
    colours: dict[int, str]
    like: Expr | None
    short: TextTemplate | None
    dim: Expr | None
    marks: tuple[LookMark, ...]
    n_slots: int


@dataclass(frozen=True, eq=False)
class ViewLayout:
    """How a table is laid out: a line of status, items for each player (slot 0 = me), shared items, items for the
    player who looks (slot 0 = me), boards, panels, and how values look."""

    status: tuple[ViewItem, ...]
    player: tuple[ViewItem, ...]
    shared: tuple[ViewItem, ...]
    own: tuple[ViewItem, ...]
    boards: tuple[BoardView, ...]
    panels: tuple[PanelView, ...] = ()
    looks: tuple[Look, ...] = ()
