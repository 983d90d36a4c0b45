"""Pictures of boards: what is shown, how values look, and the position at the start. A part of the checker."""

from __future__ import annotations

from collections.abc import Iterator

from .. import core
from ..core.pictures import OddPicture, Sign, read_rows
from ..language.types import EnumType, Type
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics, about_name, did_you_mean, nearest
from ..text.source import Embedded, Span
from .data import Data
from .names import Names, VariableSymbol

MOST_SIGNS = 200


class Pictures:
    """Makes what is drawn of boards. ``found``: by the name of the board; ``starts``: of variables that a picture
    fills, the values by the numbers of spaces."""

    def __init__(self, ruleset: model.Ruleset, names: Names, data: Data, report: Diagnostics) -> None:
        self.names = names
        self.data = data
        self.report = report
        self.found: dict[str, core.Picture] = {}
        self.starts: dict[str, dict[int, object]] = {}
        for decl in ruleset.boards:
            board = names.boards.get(decl.name.text)
            if board is not None and (decl.shows or decl.signs or decl.start is not None):
                self._picture(decl, board)

    def _picture(self, decl: model.BoardDecl, board: core.Board) -> None:
        places = [self._shown(word, board) for word in decl.shows]
        shown = [place for place in places if place is not None]
        if not decl.shows:
            message = f"the board `{decl.name.text}` has signs, and shows nothing"
            self.report.add(codes.ODD_PICTURE, message, decl.name.span, "say which variable it `shows`")
        if not shown or len(shown) < len(places):
            return
        signs = tuple(self._signs(decl, shown))
        picture = core.Picture(board.name, tuple(place.name for place in shown), signs)
        self.found[board.name] = picture
        for word in decl.shows:
            self.data.notes.used.add(word.text)
            self.data.notes.read.add(word.text)
        if decl.start is not None:
            self._start(decl.start, board, picture)

    def _shown(self, word: model.Word, board: core.Board) -> VariableSymbol | None:
        """A variable that is drawn; None after a report."""
        symbol = self.names.symbols.get(word.text)
        if isinstance(symbol, VariableSymbol) and [dim.type for dim in symbol.dims] == [EnumType(board.name)]:
            return symbol
        fitting = [
            name for name, s in self.names.symbols.items()
            if isinstance(s, VariableSymbol) and [dim.type for dim in s.dims] == [EnumType(board.name)]
        ]  # fmt: skip
        what = f"is not a variable per `{board.name}` alone" if symbol is not None else "is the name of nothing"
        hint = did_you_mean(word.text, fitting) or (f"there is `{fitting[0]}`" if fitting else None)
        meant = nearest(word.text, fitting) or word.text
        about = (*about_name(word.text), f"start of {meant}", f"indices of {word.text}")
        self.report.add(codes.ODD_PICTURE, f"`{word.text}` {what}, so it can't be shown", word.span, hint, about=about)
        return None

    def _signs(self, decl: model.BoardDecl, shown: list[VariableSymbol]) -> Iterator[Sign]:
        taken: dict[str, model.Word] = {}
        for word, text in decl.signs[:MOST_SIGNS]:
            words = word.text.split()
            if len(words) > len(shown):
                message = f"`{word.text}` says {len(words)} values, and {len(shown)} of them are shown"
                self.report.add(codes.ODD_PICTURE, message, word.span)
                continue
            if not text or " " in text or text in taken:
                what = "stands for two things" if text in taken else "is no sign"
                self.report.add(codes.ODD_PICTURE, f"`{text}` {what}", word.span, "a sign has no blank in it")
                continue
            taken[text] = word
            values = (self._value(s.type, w, word.span) for w, s in zip(words, shown, strict=False))
            yield Sign(text, tuple(values))

    def _value(self, type: Type, word: str, span: Span) -> object:
        data: object = int(word) if word.lstrip("-").isdecimal() else {"true": True, "false": False}.get(word, word)
        return self.data.value(type, model.Value(data, False, span), "what has a sign")

    def _start(self, text: Embedded, board: core.Board, picture: core.Picture) -> None:
        found = read_picture(text, board, picture, self.report)
        self.starts.update((place, found.get(place, {})) for place in picture.shows)


def read_picture(
    text: Embedded, board: core.Board, picture: core.Picture, report: Diagnostics
) -> dict[str, dict[int, object]]:
    """What a picture of a board says: the values of each place that it shows, by the numbers of spaces; nothing after
    a report. What a sign says nothing of is left out."""
    try:
        written = read_rows(board, text.text)
    except OddPicture as odd:
        report.add(codes.ODD_PICTURE, odd.message, text.span(odd.start, odd.end), "a row of signs for each row")
        return {}
    found: dict[str, dict[int, object]] = {place: {} for place in picture.shows}
    for space, sign, start, end in written:
        values = picture.values_of(sign)
        if values is None:
            known = ", ".join(f"`{s.text}`" for s in picture.signs)
            message = f"`signs` of `{board.name}` has no `{sign}`"
            report.add(codes.ODD_PICTURE, message, text.span(start, end), f"it has {known}" if known else None)
            return {}
        for place, value in zip(picture.shows, values, strict=False):
            found[place][space] = value
    return found
