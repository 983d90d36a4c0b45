"""The `view` section: how a console lays the table out. A part of the texts."""

from __future__ import annotations

from collections.abc import Mapping

from .. import core
from ..core.pictures import GAPS
from ..language.types import BOOL, INT, TEXT, EnumType, ListType
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.source import Embedded
from .call_graph import Owner
from .locals import LocalName
from .names import BrokenSymbol, VariableSymbol
from .routine import Routine, faulty
from .texts import Texts, condition_in, list_in, template_in, value_in
from .values import item_type

MOST_COLUMNS = 100
"""So many cells of a list may stand in a row."""


def layout(texts: Texts, decl: model.ViewDecl | None, pictures: Mapping[str, core.Picture]) -> core.ViewLayout:
    """The layout as written; an empty one where there is none."""
    if decl is None:
        return core.ViewLayout((), (), (), (), ())
    return core.ViewLayout(
        tuple(_item(texts, item, me=False) for item in decl.status),
        tuple(_item(texts, item, me=True) for item in decl.players),
        tuple(_item(texts, item, me=False) for item in decl.shared),
        tuple(_item(texts, item, me=True) for item in decl.own),
        tuple(_board(texts, board, pictures) for board in decl.boards),
    )


def _item(texts: Texts, decl: model.ViewItemDecl, me: bool) -> core.ViewItem:
    routine = texts.routine(Owner("view"))
    if me:
        routine.bind_me(decl.text.whole)
    condition = condition_in(routine, decl.condition)
    text = _text(routine, decl.text)
    return core.ViewItem(decl.title, text, condition, routine.locals.n_slots)


def _text(routine: Routine, text: Embedded) -> core.TextTemplate:
    return template_in(routine, text) or core.TextTemplate(TEXT, text.whole, ())


def _board(texts: Texts, decl: model.BoardViewDecl, pictures: Mapping[str, core.Picture]) -> core.BoardView:
    if decl.board is not None:
        return _spaces(texts, decl, decl.board, pictures)
    if decl.cells is not None:
        return _cells(texts, decl, decl.cells)
    assert decl.rows is not None and decl.columns is not None and decl.text is not None  # as the schema says
    routine = texts.routine(Owner("view"))
    sides = []
    slots = routine.locals.slot(), routine.locals.slot()
    condition = condition_in(routine, decl.condition)
    for text in (decl.rows, decl.columns):
        sides.append(list_in(routine, text))
    rows, columns = sides
    for slot, name, side, text in zip(slots, ("row", "column"), sides, (decl.rows, decl.columns), strict=True):
        routine.put_in_sight(LocalName(name, slot, item_type(side), text.whole, "index", exempt=True))
    template = _text(routine, decl.text)
    return core.BoardView(decl.title, rows, columns, template, condition, decl.headings, routine.locals.n_slots)


def _cells(texts: Texts, decl: model.BoardViewDecl, cells: Embedded) -> core.BoardView:
    """Any list, row by row."""
    assert decl.columns is not None and decl.text is not None  # as the schema says
    routine = texts.routine(Owner("view"))
    slot = routine.locals.slot()
    condition = condition_in(routine, decl.condition)
    items = list_in(routine, cells)
    width = value_in(routine, decl.columns, INT, "for `columns`")
    if not isinstance(width, core.Const) or not isinstance(width.value, int) or not 1 <= width.value <= MOST_COLUMNS:
        message = f"`columns` says how many cells stand in a row: a number from 1 to {MOST_COLUMNS}"
        texts.report.add(codes.OUT_OF_RANGE, message, decl.columns.whole)
        width = core.Const(INT, decl.columns.whole, 1)
    routine.put_in_sight(LocalName("cell", slot, item_type(items), cells.whole, "index", exempt=True))
    template, slots = _text(routine, decl.text), routine.locals.n_slots
    number = width.value if isinstance(width.value, int) else 1
    return core.BoardView(decl.title, items, None, template, condition, False, slots, width=number)


def _spaces(
    texts: Texts, decl: model.BoardViewDecl, name: model.Word, pictures: Mapping[str, core.Picture]
) -> core.BoardView:
    """A board as it lies: with a text for each space, or with its signs."""
    routine = texts.routine(Owner("view"))
    slot = routine.locals.slot()
    condition = condition_in(routine, decl.condition)
    board, picture = texts.names.boards.get(name.text), pictures.get(name.text)
    if board is None:
        if not isinstance(texts.names.symbols.get(name.text), BrokenSymbol):
            hint = did_you_mean(name.text, texts.names.boards) or "declare it under `boards`"
            texts.report.add(
                codes.UNKNOWN_TYPE, f"there is no board `{name.text}`", name.span, hint, about=about_name(name.text)
            )
        return core.BoardView(decl.title, faulty(name.span), None, _nothing(name), condition, False, 1)
    texts.notes.used.add(board.name)
    type = EnumType(board.name)
    space = core.Local(type, name.span, slot, "space")
    if decl.text is not None:
        routine.put_in_sight(LocalName("space", slot, type, decl.text.whole, "index", exempt=True))
        template = _text(routine, decl.text)
    elif picture is not None:
        template = core.TextTemplate(TEXT, name.span, (_sign(texts, picture, space),))
    else:
        message = f"`{board.name}` does not say what it shows"
        texts.report.add(codes.ODD_PICTURE, message, name.span, "write `text` here, or `shows` of the board")
        template = _nothing(name)
    every = core.Const(ListType(type), name.span, tuple(range(board.size)))
    signs = picture.signs if picture is not None else ()
    empty = ("", *GAPS, *(sign.text for sign in signs if sign.values[:1] == (None,)))
    crop = empty if decl.crop else None
    slots = routine.locals.n_slots
    return core.BoardView(decl.title, every, None, template, condition, decl.headings, slots, board.name, 0, crop)


def _nothing(name: model.Word) -> core.TextTemplate:
    return core.TextTemplate(TEXT, name.span, ())


def _sign(texts: Texts, picture: core.Picture, space: core.Local) -> core.Expr:
    """How the values in a space look: `if owner[space] is P1 and rank[space] is man then "x" else …`; what has no sign,
    as its label."""
    reads = []
    for place in picture.shows:
        symbol = texts.names.symbols[place]
        assert isinstance(symbol, VariableSymbol)
        reads.append(core.ReadCell(symbol.type, space.span, place, (space,)))
    found: core.Expr = core.TextTemplate(TEXT, space.span, (reads[0],))
    for sign in reversed(picture.signs):
        tests = [
            core.Binary(BOOL, space.span, "=", read, core.Const(read.type, space.span, value))
            for read, value in zip(reads, sign.values, strict=False)
        ]
        condition: core.Expr = tests[0]
        for test in tests[1:]:
            condition = core.Binary(BOOL, space.span, "and", condition, test)
        found = core.IfExpr(TEXT, space.span, condition, core.Const(TEXT, space.span, sign.text), found)
    return found
