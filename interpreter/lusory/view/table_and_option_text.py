"""Write whole tables as plain text, and the ids and labels of options.

A table has a status line, boards and panels.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from lusory_dsl import core
from lusory_dsl.core import Board, Shape
from lusory_dsl.core.board_drawing_and_parsing import list_rows
from lusory_dsl.core.board_geometry import format_column
from lusory_dsl.types.types import BoolType, ComponentType, EnumType, OptionalType, PlayerType, Type

from ..evaluator.expressions import Reader
from ..state.decisions_outcomes_and_faults import Option, RulesetFault
from ..state.setting_value_limits_builtins_and_names import (
    HIDDEN,
    Setting,
    Value,
    format_name,
    limit_text_parts,
    unwrap_list_type,
)
from .redacted_state import HiddenValue, Unknown


class TableView(Protocol):
    """Describe the parts of :class:`lusory.view.seat_view.View` that table texts need."""

    @property
    def setting(self) -> Setting: ...
    @property
    def seat(self) -> int | None: ...
    def holds(self, condition: core.Expr | None, slots: Sequence[Value] = ()) -> bool: ...
    def text(self, template: core.TextTemplate, slots: Sequence[Value] = ()) -> str: ...
    def value(self, expr: core.Expr, slots: Sequence[Value] = ()) -> Value: ...
    def label(self, value: Value, type: Type) -> str: ...
    def list_counters(self, pool: core.PoolTotal, slots: Sequence[Value] = ()) -> list[tuple[str, int | None]]: ...


T = TypeVar("T")


class GridRow(NamedTuple, Generic[T]):
    """Hold the label and the cells of a row, with None for a gap. ``shift`` moves the row right by half cells."""

    label: str
    cells: Sequence[T | None]
    shift: int = 0


class Grid(NamedTuple, Generic[T]):
    """Hold the headings of columns, which can be empty, and the rows of a board."""

    headings: Sequence[str]
    rows: Sequence[GridRow[T]]
    is_hex: bool = False


def arrange_grid(
    view: TableView,
    board_view: core.BoardView,
    make_cell: Callable[[tuple[Value, ...]], T],
    is_empty: Callable[[T, Container[str]], bool],
) -> Grid[T]:
    """Return the cells of a board in rows, each as ``make_cell`` returns it for the items that its text is about.

    If ``board_view.columns`` is not None, each row item gives a row, and each column item a cell of it:
    ``make_cell((row, column))``. The labels of the items are row labels and headings. If it is None, each item of
    ``board_view.rows`` gives ``make_cell((item,))``:

    - With ``board_view.board``, the cells have the places of its spaces (:func:`_arrange_board`). Only such a grid is
      cropped, if ``board_view.crop`` is not None: outer rows and columns are left out if all their cells are None (no
      space) or empty. ``is_empty(cell, texts)`` decides, with the texts of ``crop`` and ``""``. If all cells are empty,
      the first stays.
    - Otherwise they fill rows of ``board_view.width`` cells, with ``""`` as row labels and headings: five items with
      width 2 give ``headings`` ``["", ""]`` and three rows, the last with one cell.

    Raise HiddenValue if the seat may not know the lists, and RulesetFault if the rules fail there.
    """
    rows = label_items(view, board_view.rows)
    if board_view.columns is not None:
        columns = label_items(view, board_view.columns)
        grid_rows = [GridRow(label, [make_cell((row, column)) for column, _ in columns]) for row, label in rows]
        return Grid([label for _, label in columns], grid_rows)
    cells, width = [make_cell((item,)) for item, _ in rows], board_view.width
    if board_view.board is None:
        return Grid([""] * width, [GridRow("", cells[i : i + width]) for i in range(0, len(cells), width)])
    grid = _arrange_board(view.setting.program.boards[board_view.board], cells)
    if board_view.crop is None:
        return grid
    empty_texts = {"", *board_view.crop}
    return _crop_grid(grid, lambda cell: cell is None or is_empty(cell, empty_texts))


def _crop_grid(grid: Grid[T], is_empty: Callable[[T | None], bool]) -> Grid[T]:
    """Leave out outer rows and columns whose cells are all empty. At least one cell stays.

    On hexagons, a column is half a cell wide: neighbouring rows have their cells in different columns.
    """
    width = 2 if grid.is_hex else 1
    columns = [range(row.shift, row.shift + width * len(row.cells), width) for row in grid.rows]
    filled = [
        (number, column)
        for number, row in enumerate(grid.rows)
        for column, cell in zip(columns[number], row.cells, strict=True)
        if not is_empty(cell)
    ] or [(0, grid.rows[0].shift)]
    top, bottom = filled[0][0], filled[-1][0]
    left, right = min(column for _, column in filled), max(column for _, column in filled)
    rows = []
    for row, row_columns in zip(grid.rows[top : bottom + 1], columns[top : bottom + 1], strict=True):
        numbers = [i for i, column in enumerate(row_columns) if left <= column <= right]
        shift = row_columns[numbers[0]] - left if numbers else 0
        rows.append(row._replace(cells=[row.cells[i] for i in numbers], shift=shift))
    first, end = (0, max(len(row.cells) for row in rows)) if grid.is_hex else (left, right + 1)
    return Grid(grid.headings[first:end], rows, grid.is_hex)


def label_items(view: TableView, items: core.Expr, slots: Sequence[Value] = ()) -> list[tuple[Value, str]]:
    """Return the items of a list, each with its label. Raise HiddenValue if the seat may not know the list."""
    type = unwrap_list_type(items.type)
    return [(item, view.label(item, type)) for item in view.value(items, slots)]


def list_contents(view: TableView, panel: core.TrackView | core.MapView, slots: Sequence[Value]) -> list[str]:
    """Return the labels of the items that lie at a place of a track or map. It is ``["?"]`` if that is hidden."""
    try:
        return [] if panel.contents is None else [label for _, label in label_items(view, panel.contents, slots)]
    except (HiddenValue, RulesetFault):
        return [HIDDEN]


def list_seats(view: TableView, panel: core.TrackView | core.DialsView) -> Sequence[int | None]:
    """Return the seats that have a row of a track or a dial each, or None alone for a panel without players."""
    return range(view.setting.players) if panel.is_per_player else (None,)


def iterate_dials(view: TableView, dials: core.DialsView) -> Iterator[tuple[int | None, Value, str]]:
    """Yield the seat, the item and the label of the item for each dial, with None and "" for what it doesn't have."""
    for seat in list_seats(view, dials):
        for item, label in [(None, "")] if dials.items is None else label_items(view, dials.items, (seat,)):
            yield seat, item, label


def iterate_piles(view: TableView, piles: core.PilesView) -> Iterator[tuple[str, int, Value, Type]]:
    """Yield the title and size of each pile whose condition holds, its top card or None if that is hidden, and the
    type of its cards.
    """
    for pile in piles.piles:
        if view.holds(pile.condition):
            cards = view.value(pile.cards)
            top = cards[0] if cards and not isinstance(cards[0], Unknown) else None
            yield pile.title, len(cards), top, unwrap_list_type(pile.cards.type)


def _arrange_board(board: Board, cells: Sequence[T]) -> Grid[T]:
    """Return the cells of the spaces of a board, one for each space in order, at their places.

    Headings and labels are the letters and numbers of columns and rows. Two by two squares have the headings a and b,
    and the rows 2 and 1. Row 1 comes first if the board has ``first_row: north``. A track is one row with the names of
    its spaces as headings. Hexagons, and other boards without coordinates, have empty headings.
    """
    rows = list_rows(board)
    has_letters, is_hex = bool(board.column) and board.shape is not Shape.TRACK, board.shape is Shape.HEX
    grid_rows: list[GridRow[T]] = []
    for row in rows:
        first = next((space for space in row if space is not None), None)
        label = str(board.row[first]) if has_letters and first is not None else ""
        shift = board.places[first][1] if is_hex and first is not None else 0
        grid_rows.append(GridRow(label, [None if space is None else cells[space] for space in row], shift))
    headings = []
    for column_spaces in zip_longest(*rows):
        first = next((space for space in column_spaces if space is not None), None)
        name = board.names[first] if board.shape is Shape.TRACK and first is not None else ""
        has_letter = has_letters and not is_hex and first is not None
        headings.append(format_column(board.column[first]) if has_letter and first is not None else name)
    return Grid(headings, grid_rows, is_hex)


class TextPiece(NamedTuple):
    """Hold a part of a text and the value that it stands for. ``type`` is None if it stands for no value."""

    text: str
    type: Type | None = None
    value: Value = None


class AnnotatedText(str):
    """Hold a text together with its pieces. It is equal to a plain text with the same characters."""

    pieces: tuple[TextPiece, ...]

    def __new__(cls, pieces: Iterable[TextPiece]) -> Self:
        nonempty = tuple(piece for piece in pieces if piece.text)
        text = super().__new__(cls, "".join(piece.text for piece in nonempty))
        text.pieces = nonempty
        return text

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.pieces,)


def list_pieces(text: str) -> tuple[TextPiece, ...]:
    """Return the pieces of a text. A plain ``str`` has one piece, without a type and a value."""
    return text.pieces if isinstance(text, AnnotatedText) else (TextPiece(text),)


def join_annotated(texts: Iterable[str], separator: str) -> AnnotatedText:
    """Join texts and their pieces with ``separator``, which becomes a piece, too. No texts give an empty text.

    Pieces without characters are left out, also for an empty ``separator``.

    Raise RulesetFault if the whole is too long, before the rest is built.
    """
    return AnnotatedText(_join_pieces(limit_text_parts(texts, len(separator)), separator))


def _join_pieces(texts: Iterable[str], separator: str) -> Iterator[TextPiece]:
    for number, text in enumerate(texts):
        if number:
            yield TextPiece(separator)
        yield from list_pieces(text)


def identify(setting: Setting, type: Type | None, value: Value) -> str:
    """Return an identifier of a player, a component or a value of an enum: its type and name, with a colon between.

    Examples are ``Player:P2`` for seat 1, ``Card:imp`` and ``Card:imp-2`` for two copies, ``Space:a1`` and
    ``Colour:red``. An optional type counts as its item. Numbers, truth values, texts, lists, ``none``, hidden values
    and values without a type give an empty text.
    """
    kind = type.item if isinstance(type, OptionalType) else type
    if value is None or isinstance(value, Unknown) or value == HIDDEN:
        return ""
    if isinstance(kind, EnumType | ComponentType | PlayerType):
        return f"{kind}:{format_name(setting, value, kind)}"
    return ""


def list_option_ids(setting: Setting, ask: core.Ask | core.AskMany, options: Sequence[Option]) -> list[str]:
    """Return the text to type for each option, in their order. Each is unique: repeated ids get ``#2``, ``#3``, …."""
    return number_repeats([format_option_id(setting, ask, option) for option in options])


def format_option_id(setting: Setting, ask: core.Ask | core.AskMany, option: Option) -> str:
    """Return the text to type for an option: the name of the alternative and the names of its values.

    The parts are separated by spaces: ``move a1 b2``. An alternative without a name has only the values. In a choice of
    several items, it is the name of the item, or ``done``. Hidden values are ``?``. Two options may have the same text;
    see :func:`number_repeats`.
    """
    names, values = _split_option(ask, option)
    return " ".join(
        [*names, *(HIDDEN if value == HIDDEN else format_name(setting, value, type) for value, type in values)]
    )


def _split_option(ask: core.Ask | core.AskMany, option: Option) -> tuple[list[str], list[tuple[Value, Type]]]:
    """Return the name of an option in a list, which is empty without one, and its values, each with its type.

    In a choice of several items, the option that ends it has the name ``done`` and no values. An item has no name.
    """
    if isinstance(ask, core.AskMany):
        type = unwrap_list_type(ask.source.type)
        return (["done"], []) if option.alternative == 1 else ([], [(option.values[0], type)])
    alternative = ask.alternatives[option.alternative]
    types = (unwrap_list_type(variable.domain.type) for variable in alternative.vars)
    names = [alternative.name] if alternative.name is not None else []
    return names, list(zip(option.values, types, strict=True))


def mark_unknown(value: Value) -> Value:
    """Return a value of an option as a local holds it: a new :class:`Unknown` for HIDDEN, any other unchanged."""
    return Unknown() if value == HIDDEN else value


def number_repeats(ids: Sequence[str]) -> list[str]:
    """Return the ids with ``#2``, ``#3``, … appended to repeated ones: ``["a", "a"]`` becomes ``["a", "a#2"]``.

    Numbers that would give an id that exists already are skipped, so all results differ.
    """
    used_ids = set(ids)
    counts: dict[str, int] = {}
    unique_ids = []
    for id in ids:
        unique_id = id
        counts[id] = counts.get(id, 0) + 1
        if counts[id] > 1:
            while (unique_id := f"{id}#{counts[id]}") in used_ids:
                counts[id] += 1
            used_ids.add(unique_id)
        unique_ids.append(unique_id)
    return unique_ids


def format_option_label(reader: Reader, ask: core.Ask | core.AskMany, option: Option, slots: Sequence[Value]) -> str:
    """Return the text that a player reads for an option. ``slots`` stays unchanged.

    It is the label of the alternative, filled in with its values. Without a label, it is the name, with spaces for
    underscores, and the values, separated by blanks. In a choice of several items, it is ``done``, or the choice's
    label with the item, or else the item. Hidden values are ``?``. The text is an AnnotatedText, whose pieces for
    players, enum values and components hold their values.
    """
    if isinstance(ask, core.AskMany):
        bound_slots, label = ([ask.item_slot], ask.label) if option.alternative == 0 else ([], None)
    else:
        alternative = ask.alternatives[option.alternative]
        bound_slots, label = [variable.slot for variable in alternative.vars], alternative.label
    if label is not None:
        all_slots = list(slots)
        for slot, value in zip(bound_slots, option.values, strict=True):
            all_slots[slot] = mark_unknown(value)
        return reader.fill(label, all_slots)
    names, values = _split_option(ask, option)
    value_labels = (reader.label(mark_unknown(value), type) for value, type in values)
    return AnnotatedText(_join_pieces([*(name.replace("_", " ") for name in names), *value_labels], " "))


def list_all_values(setting: Setting, type: Type) -> list[Value]:
    """Return every runtime value of Bool, Player, an enum or a component kind, in order, and [] for other types.

    Players and enum values, also spaces, are numbers from 0. Components are their numbers among the components of all
    kinds. Bool gives False and True. An optional type begins with None, so that ``Int?`` gives only that.
    """
    if isinstance(type, OptionalType):
        return [None, *list_all_values(setting, type.item)]
    if isinstance(type, BoolType):
        return [False, True]
    if isinstance(type, PlayerType):
        return list(range(setting.players))
    if isinstance(type, EnumType):
        return list(range(len(setting.program.enums[type.name].values)))
    if isinstance(type, ComponentType):
        first, n = setting.program.component_kinds[type.name]
        return list(range(first, first + n))
    return []


def format_table_lines(view: TableView) -> list[str]:
    """Return the lines of a table: status, boards and panels, each player, the shared part, and the seat's own part.

    Each part is one line, such as ``P1: Gold 2 | Food 1`` for a player. The status, shared and own parts have no name:
    ``Deck 5 | Round 2``. Boards and panels can have several lines, below one with their title, if any. Parts that the
    layout doesn't have are left out. So are boards and panels without rows, those whose condition is false or unknown
    to the seat, and those whose list depends on a hidden value, as ``deck where it.rank > 1`` does. A condition or list
    in which the rules fail counts as unknown. A list of hidden cards stays. An item whose condition is false or unknown
    is missing in its line: without any item, ``P1: `` remains, or ``""`` if the part has no name. A spectator has no
    own part. The result is ``[]`` if the ruleset has no layout.
    """
    layout = view.setting.program.layout
    lines = [_format_items(view, layout.status, ())] if layout.status else []
    me = () if view.seat is None else (view.seat,)
    for panel in (*layout.boards, *layout.panels):
        if view.holds(panel.condition, me):
            lines += _format_panel(view, panel)
    for seat in range(view.setting.players) if layout.player else ():
        lines.append(f"P{seat + 1}: {_format_items(view, layout.player, (seat,))}")
    if layout.shared:
        lines.append(_format_items(view, layout.shared, ()))
    if layout.own and view.seat is not None:
        lines.append(_format_items(view, layout.own, (view.seat,)))
    return lines


def _format_items(view: TableView, items: Sequence[core.ViewItem], slots: Sequence[Value]) -> str:
    visible_items = [item for item in items if view.holds(item.condition, slots)]
    return " | ".join(f"{item.title} {_format_item(view, item, slots)}" for item in visible_items)


def _format_item(view: TableView, item: core.ViewItem, slots: Sequence[Value]) -> str:
    if item.pool is None:
        return view.text(item.text, slots)
    counts = view.list_counters(item.pool, slots)
    return ", ".join(f"{label} {HIDDEN if n is None else n}" for label, n in counts)


def _format_panel(view: TableView, panel: core.PanelView) -> list[str]:
    """Return the lines of a panel, after its title if it has one.

    A panel without rows gives []. So does one whose lists this seat may not know, or in which the rules fail.
    """
    try:
        match panel:
            case core.BoardView():
                return _format_board(view, panel)
            case core.TrackView():
                rows = [_format_track(view, panel, seat) for seat in list_seats(view, panel)]
            case core.MapView():
                names = view.setting.program.boards[panel.board].names
                rows = [_format_place(view, panel, (index,), f"{name}: ") for index, name in enumerate(names)]
            case core.DialsView():
                rows = list(_format_dials(view, panel))
            case core.HandView(text=text, items=items):
                cards = () if view.seat is None else view.value(items, (view.seat,))
                texts = [HIDDEN if isinstance(card, Unknown) else view.text(text, (view.seat, card)) for card in cards]
                rows = [] if view.seat is None else [", ".join(texts) or "–"]
            case core.PilesView():
                rows = [" | ".join(_format_piles(view, panel))]
    except (HiddenValue, RulesetFault):
        return []
    return [panel.title, *rows] if panel.title and rows else rows


def _format_track(view: TableView, track: core.TrackView, seat: int | None) -> str:
    head = "" if seat is None else f"P{seat + 1}: "
    places = [_format_place(view, track, (seat, item)) for item in view.value(track.items, (seat,))]
    return f"{head}{' | '.join(places)}"


def _format_place(view: TableView, panel: core.TrackView | core.MapView, slots: Sequence[Value], head: str = "") -> str:
    """Return the text of a place, followed by the labels of the items that lie there: ``head`` + text + `` + a, b``."""
    text = " ".join(view.text(panel.text, slots).split())
    labels = list_contents(view, panel, slots)
    return f"{head}{text} + {', '.join(labels)}" if labels else f"{head}{text}"


def _format_dials(view: TableView, dials: core.DialsView) -> Iterator[str]:
    """Yield a line for each dial of each seat: the title, the value that it shows, and a note in brackets."""
    for seat, item, label in iterate_dials(view, dials):
        head = "" if seat is None else f"P{seat + 1}, "
        title = dials.title if dials.items is None else label
        face = _format_label(view, dials.current_face, (seat, item))
        note = "" if dials.note is None else view.text(dials.note, (seat, item))
        yield f"{head}{title}: {face}{f' ({note})' if note else ''}"


def _format_label(view: TableView, expr: core.Expr, slots: Sequence[Value]) -> str:
    try:
        return view.label(view.value(expr, slots), expr.type)
    except (HiddenValue, RulesetFault):
        return HIDDEN


def _format_piles(view: TableView, piles: core.PilesView) -> Iterator[str]:
    for title, count, top, type in iterate_piles(view, piles):
        yield f"{title} {count}" if top is None else f"{title} {count}: {view.label(top, type)}"


def _format_board(view: TableView, board: core.BoardView) -> list[str]:
    """Return the lines of a board with aligned columns, after its title if it has one.

    The columns are separated by two spaces, and headings and labels are left out if the board has none. Neighbouring
    rows of hexagons are shifted by one column. In a board with texts of several lines, all texts are centred. The
    lines of each text have no surrounding spaces.
    """
    grid = arrange_grid(
        view, board, lambda slots: _strip_lines(view.text(board.text, slots)), lambda text, empty: text.strip() in empty
    )
    texts = [_spread_texts(row, grid.is_hex) for row in grid.rows]
    width = max([len(grid.headings), *map(len, texts)])
    rows = [["", *grid.headings], *([row.label, *row_texts] for row, row_texts in zip(grid.rows, texts, strict=True))]
    rows = [[*row, *[""] * (1 + width - len(row))] for row in rows]
    if not board.has_headings:
        rows = [row[1:] for row in rows[1:]]
    text_rows = [line for row in rows for line in zip_longest(*(cell.split("\n") for cell in row), fillvalue="")]
    widths = [max(map(len, column)) for column in zip(*text_rows, strict=True)]
    align: Callable[[str, int], str] = str.ljust if len(text_rows) == len(rows) else str.center
    title = [board.title] if board.title else []
    return [*title, *("  ".join(map(align, text_row, widths)).rstrip() for text_row in text_rows)]


def _spread_texts(row: GridRow[str], is_hex: bool) -> list[str]:
    """Return the texts of a row, ``""`` for a gap. On hexagons, each takes two columns, the second one empty."""
    texts = [cell or "" for cell in row.cells]
    return [*[""] * row.shift, *(part for text in texts for part in (text, ""))][:-1] if is_hex else texts


def _strip_lines(text: str) -> str:
    """Return the lines of a cell without surrounding spaces."""
    return "\n".join(line.strip() for line in text.removesuffix("\n").split("\n"))
