"""Why there is nothing: the edge of a board, or a space that is not reached.

Used by :mod:`lusory.seat.reasons` where a part of a condition reads ``none``. What it says was read, so that what the
seat may not see is not told: its reader raises instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lusory_dsl import core
from lusory_dsl.core.boards import COMPASS, DIRECTIONS
from lusory_dsl.core.shapes import column_name, place_of
from lusory_dsl.language.types import EnumType, OptionalType, Type
from lusory_dsl.text.spelling import humanised

from ..reading.reader import Reader, Slots
from ..table.choices import RulesetFault
from .sight import Hidden

Inside = Callable[[core.CallQuery, Slots], tuple[core.Expr, Slots] | None]
"""The expression of a query and its locals."""


class Nothing:
    """Finds out why there is nothing where a place or a table is read. ``inside``: how to look into a query."""

    def __init__(self, reader: Reader, inside: Inside) -> None:
        self.reader = reader
        self.inside = inside

    def reasons(self, expr: core.Expr, slots: Slots) -> Iterator[str]:
        """Why an expression comes to nothing, where a board is why; nothing of what is hidden."""
        try:
            yield from self._why(expr, slots)
        except (Hidden, RulesetFault):
            return

    def _why(self, expr: core.Expr, slots: Slots) -> Iterator[str]:
        match expr:
            case core.TableRead(table=table, indices=indices) if table.partition(".")[0] in self.reader.program.boards:
                absent = self._absent(indices, slots)
                if absent is not None:
                    yield from self._why(absent, slots)
                    return
                said = self._beside_board(table, indices, slots)
                if said is not None and self.reader.value(expr, slots) is None:
                    yield said
            case core.ReadCell(indices=indices) | core.TableRead(indices=indices):
                absent = self._absent(indices, slots)
                if absent is not None:
                    yield from self._why(absent, slots)
            case core.CallQuery():
                inner = self.inside(expr, slots)
                if inner is not None:
                    yield from self._why(*inner)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                yield from self._why(then if self.reader.holds(condition, slots) else otherwise, slots)
            case core.Reach(start=start, target=target) if target is not None:
                if self.reader.value(expr, slots) is None:
                    yield f"`{self._shown(target, slots)}` is not reached from {self.reader.shown(start, slots)}"

    def _absent(self, indices: Sequence[core.Expr], slots: Slots) -> core.Expr | None:
        """The index at which there is nothing to read."""
        return next((index for index in indices if self.reader.value(index, slots) is None), None)

    def _beside_board(self, table: str, indices: Sequence[core.Expr], slots: Slots) -> str | None:
        """Of what is asked of a space: that nothing lies there."""
        name, _, part = table.partition(".")
        asked, _, towards = part.partition(".")
        if asked == "at":
            column, row = (self.reader.present(index, slots) for index in indices)
            return f"`{column_name(column)}{row}` is beside the board" if column > 0 and row > 0 else None
        if asked not in ("away", "away_by"):
            return None
        words = towards or DIRECTIONS[self._directions(name)][self.reader.present(indices[1], slots)]
        steps = self.reader.present(indices[2], slots) if asked == "away_by" else 1
        far = f"{steps} steps " if steps != 1 else ""
        way = f"{humanised(words)} of" if self._directions(name) == COMPASS else f"{humanised(words)} from"
        return f"there is nothing {far}{way} `{self._shown(indices[0], slots)}`"

    def _directions(self, board: str) -> str:
        return self.reader.program.boards[board].directions or COMPASS

    def _shown(self, expr: core.Expr, slots: Slots) -> str:
        return self.reader.shown(expr, slots)


def beside_board(boards: dict[str, core.Board], word: str, type: Type) -> str | None:
    """That a word names a space which a board of columns and rows does not have; None where it is no such word."""
    item = type.item if isinstance(type, OptionalType) else type
    board = boards.get(item.name) if isinstance(item, EnumType) else None
    if board is None or not board.column or place_of(word) is None or place_of(board.names[0]) is None:
        return None
    return f"`{word}` is beside the board"
