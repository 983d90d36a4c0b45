"""Define the layout of a table on a screen: texts, boards, panels, and how values are shown.

All expressions are evaluated for one seat. A value that the seat may not see is shown as ``?``. A part is left out if
its ``condition`` is False, or unknown to the seat. ``since`` is the minimum number of screen columns for a part.
``short`` replaces ``text`` on narrow screens.
"""

from __future__ import annotations

from ..source.dataclass_with_lazy_methods import Record
from ..types.types import Type
from .expressions import Expr, PoolTotal, TextTemplate


class ViewPart(Record):
    """A part of the layout. ``n_slots`` is the number of slots of its expressions."""

    title: str
    condition: Expr | None
    n_slots: int
    since: int


class TextView(ViewPart):
    """A part with a text, or with one for each of its items."""

    text: TextTemplate
    short: TextTemplate | None


class ViewItem(TextView):
    """A titled value.

    ``pool`` shows the counters of a pool instead of a text. If ``has_own_line`` is True, an item of a player has a line
    of its own. If ``is_spare`` is True, it stands only in rows that nothing else needs.
    """

    pool: PoolTotal | None = None
    has_own_line: bool = False
    is_spare: bool = False


class BoardView(TextView):
    """A grid of texts with rows and columns, or the texts of one list.

    There is one row for each item of ``rows`` (slot 0, top to bottom) and one column for each item of ``columns``
    (slot 1). ``has_headings``: the items are written beside the grid.
    Without ``columns``, there is one text for each item of ``rows``. The items are the spaces of a ``board``, drawn at
    their places, or they fill rows of ``width`` texts. ``crop`` holds the texts that count as empty: empty edges of the
    board are then removed. ``is_boxed``: each text is framed if there is room. ``edges`` holds the texts beside the
    top, right, bottom and left edge of a board.
    """

    rows: Expr
    columns: Expr | None
    has_headings: bool
    board: str | None = None
    width: int = 0
    crop: tuple[str, ...] | None = None
    is_boxed: bool = False
    edges: tuple[TextTemplate | None, ...] = ()


class TrackView(TextView):
    """Places in a row. The item of ``items`` is in slot 1.

    If ``is_per_player`` is True, there is a row for each player, who is in slot 0. ``contents`` is the list of things
    at a place."""

    items: Expr
    is_per_player: bool
    is_boxed: bool = False
    contents: Expr | None = None


class MapView(TextView):
    """The spaces of a ``board`` (slot 0) at their places, with lines between linked spaces.

    ``contents`` is the list of things at a space.
    """

    board: str
    contents: Expr | None = None


class Lead(Record):
    """A sign that is shown at a ``face`` of a dial, for something that leads to this face."""

    face: Expr
    sign: TextTemplate
    condition: Expr | None


class DialsView(ViewPart):
    """Dials, one for each item of ``items`` (slot 1), or a single one.

    If ``is_per_player`` is True, each player (slot 0) has them. ``faces`` lists the faces in order, and
    ``current_face`` is the current face. ``note`` is shown after the dial."""

    items: Expr | None
    is_per_player: bool
    faces: Expr
    current_face: Expr
    leads: tuple[Lead, ...]
    note: TextTemplate | None


class HandView(TextView):
    """The cards (slot 1) in the hand of the seat that looks (slot 0). Cards with the same text are grouped.

    ``dim``: a card that is currently of no use is drawn faintly. ``short``: the text where rows are few.
    """

    items: Expr
    dim: Expr | None


class PileView(Record):
    """A pile: the number of its cards, and the top card if the seat sees it."""

    title: str
    cards: Expr
    condition: Expr | None


class PilesView(ViewPart):
    """Piles side by side."""

    piles: tuple[PileView, ...]


PanelView = BoardView | TrackView | MapView | DialsView | HandView | PilesView


class LookMark(Record):
    """A sign after a value, in a colour, while a condition holds."""

    sign: str
    colour: str
    condition: Expr | None


class Look(Record):
    """The appearance of the values of a type (slot 0).

    ``signs`` and ``colours`` map ordinals of an enum to their sign and colour. A value without a colour takes that of
    ``like``. ``short`` is its text on narrow screens. ``dim``: it is drawn faintly.
    """

    type: Type
    signs: dict[int, str]
    colours: dict[int, str]
    like: Expr | None
    short: TextTemplate | None
    dim: Expr | None
    marks: tuple[LookMark, ...]
    n_slots: int


class ViewLayout(Record):
    """The layout of a table.

    ``player`` holds items for each player, and ``own`` items for the player who looks. In both, slot 0 is ``me``.
    """

    status: tuple[ViewItem, ...]
    player: tuple[ViewItem, ...]
    shared: tuple[ViewItem, ...]
    own: tuple[ViewItem, ...]
    boards: tuple[BoardView, ...]
    panels: tuple[PanelView, ...] = ()
    looks: tuple[Look, ...] = ()
