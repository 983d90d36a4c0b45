"""A view, and who sits where → the panels of a table. Everything comes from the view, so that nothing is drawn that its
seat may not know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lusory_dsl import core
from lusory_dsl.core.pictures import rows_of
from lusory_dsl.core.shapes import column_name
from lusory_dsl.language.types import Type

from ..seat.sight import Hidden
from ..seat.view import View
from ..table.choices import RulesetFault
from ..table.setting import Setting, Value, item_type
from .marks import Words
from .panels import Cell, Column, Grid, Head, Item, Items, Panel, Place, Players, Row
from .text import Line, Run, plain


def panels_of(view: View, names: Sequence[str]) -> tuple[Panel, ...]:
    """The table as its author lays it out, as the seat of the view sees it."""
    return tuple(_Table(view, words_of(view.setting, names)).panels())


def words_of(setting: Setting, names: Sequence[str]) -> Words:
    """How values look in a game."""
    signs = {
        f"{enum.name}:{value.name}": value.short
        for enum in setting.program.enums.values()
        for value in enum.values
        if value.short != value.label
    }
    return Words(setting, names, signs)


@dataclass(frozen=True)
class _Table:
    view: View
    words: Words

    def panels(self) -> Iterator[Panel]:
        layout = self.view.setting.program.layout
        if status := self.items(layout.status):
            yield Items("header", "", status, in_line=True)
        if layout.player:
            yield self.players(layout.player)
        if shared := self.items(layout.shared):
            yield Items("table", "", shared)
        for board in layout.boards:
            if self.view.holds(board.condition) and (grid := self.board(board)) is not None:
                yield grid
        if self.view.seat is not None and (own := self.items(layout.own, (self.view.seat,))):
            yield Items("own", "", own)

    def items(self, items: Iterable[core.ViewItem], slots: Sequence[Value] = ()) -> tuple[Item, ...]:
        return tuple(
            Item(item.title, self.words.cell(self.view.text(item.text, slots)))
            for item in items
            if self.view.holds(item.condition, slots)
        )

    def players(self, items: Sequence[core.ViewItem]) -> Players:
        seats = range(self.view.setting.players)
        columns = tuple(Column(item.title, tuple(self._told(item, seat) for seat in seats)) for item in items)
        heads = [
            Head(self.words.seat(seat), seat, seat == self.view.seat, seat == self.view.waiting_for) for seat in seats
        ]
        return Players("players", "", tuple(heads), columns)

    def _told(self, item: core.ViewItem, seat: int) -> Cell | None:
        return self.words.cell(self.view.text(item.text, (seat,))) if self.view.holds(item.condition, (seat,)) else None

    def board(self, board: core.BoardView, place: Place = "table") -> Grid | None:
        """A grid; None where this seat may not know its lists."""
        try:
            rows = self._side(board.rows, board.n_slots)
            columns = [] if board.columns is None else self._side(board.columns, board.n_slots)
        except (Hidden, RulesetFault):
            return None
        type = item_type(board.rows.type)
        if board.columns is not None:
            cells = [
                Row(head, tuple(self.words.cell(self.view.text(board.text, (row, column))) for column, _ in columns))
                for row, head in rows
            ]
            heads = tuple(head for _, head in columns)
            return Grid(place, board.title, heads, tuple(cells), board.headings, even=not board.headings)
        texts = [self._cell(board, type, item) for item, _ in rows]
        if board.board is None:
            width = board.width
            lines = [Row((), tuple(texts[at : at + width])) for at in range(0, len(texts), width)]
            return Grid(place, board.title, ((),) * width, tuple(lines), headings=False)
        return board_grid(self.view.setting.program.boards[board.board], board, texts, place)

    def _cell(self, board: core.BoardView, type: Type, item: Value) -> Cell:
        of = self.words.of(type, item)
        return self.words.cell(self.view.text(board.text, (item,)), of)

    def _side(self, side: core.Expr, n_slots: int) -> list[tuple[Value, Line]]:
        type = item_type(side.type)
        items = self.view.value(side, [None] * n_slots)
        return [(item, self.words.line(self.view.label(item, type))) for item in items]


def board_grid(board: core.Board, shown: core.BoardView, cells: Sequence[Cell], place: Place) -> Grid:
    """A board of spaces as it lies, with its letters and numbers round it."""
    spaces = rows_of(board)
    is_hex, is_track = board.shape is core.Shape.HEX, board.shape is core.Shape.TRACK
    named = bool(board.column) and not is_track
    width = max((len(row) for row in spaces), default=0)
    heads: list[Line] = []
    for at in range(width):
        there = [row[at] for row in spaces if at < len(row)]
        first = next((space for space in there if space is not None), None)
        label = "" if first is None or is_hex else board.names[first] if is_track else ""
        if named and not is_hex and first is not None:
            label = column_name(board.column[first])
        heads.append(_head(label))
    rows = []
    for row in spaces:
        first = next((space for space in row if space is not None), None)
        label = str(board.row[first]) if named and first is not None else ""
        shift = board.places[first][1] if is_hex and first is not None else 0
        rows.append(Row(_head(label), tuple(None if space is None else cells[space] for space in row), shift))
    is_squares = board.shape is core.Shape.GRID and all(len(cell.lines) < 2 for cell in cells)
    grid = Grid(place, shown.title, tuple(heads), tuple(rows), shown.headings, "squares" if is_squares else "none")
    return grid if shown.crop is None else _cropped(grid, set(shown.crop))


def _head(text: str) -> Line:

    return (Run(text),) if text else ()


def _cropped(grid: Grid, empty: set[str]) -> Grid:
    """Without rows and columns at the edges where every text is empty; one cell at least is left."""

    def is_empty(cell: Cell | None) -> bool:
        return cell is None or "\n".join(map(plain, cell.lines)) in empty

    rows = [at for at, row in enumerate(grid.rows) if not all(map(is_empty, row.cells))] or [0]
    across = range(len(grid.heads))
    columns = [at for at in across if not all(is_empty(row.cells[at]) for row in grid.rows)] or [0]
    low, high = columns[0], columns[-1] + 1
    kept = tuple(Row(row.head, row.cells[low:high], row.shift, row.first) for row in grid.rows[rows[0] : rows[-1] + 1])
    return Grid(grid.place, grid.title, grid.heads[low:high], kept, grid.headings, grid.frame, grid.even)
