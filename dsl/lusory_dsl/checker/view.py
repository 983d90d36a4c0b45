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
from .panels import PANELS, look_of, piles, pool_in
from .routine import Routine, faulty
from .texts import Texts, condition_in, list_in, template_in, value_in, words_in
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
        tuple(_panel(texts, panel, pictures) for panel in decl.panels),
        tuple(found for look in decl.looks if (found := look_of(texts, look)) is not None),
    )


def _panel(
    texts: Texts,
    decl: model.BoardViewDecl | model.PanelDecl | model.PilesDecl,
    pictures: Mapping[str, core.Picture],
) -> core.PanelView:
    if isinstance(decl, model.BoardViewDecl):
        return _board(texts, decl, pictures)
    if isinstance(decl, model.PilesDecl):
        return piles(texts, decl)
    if decl.kind == "map":
        return _map(texts, decl, pictures)
    return PANELS[decl.kind](texts, decl)


def _item(texts: Texts, decl: model.ViewItemDecl, me: bool) -> core.ViewItem:
    routine = texts.routine(Owner("view"))
    written = decl.text or decl.pool
    assert written is not None  # as the schema says
    if me:
        routine.bind_me(written.whole)
    condition = condition_in(routine, decl.condition)
    text = template_in(routine, decl.text) or core.TextTemplate(TEXT, written.whole, ())
    short, pool = template_in(routine, decl.short), pool_in(routine, decl.pool)
    slots = routine.locals.n_slots
    return core.ViewItem(decl.title, text, condition, slots, short, pool, decl.below, decl.since)


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
    template, short, n_slots = words_in(routine, decl.text), template_in(routine, decl.short), routine.locals.n_slots
    return core.BoardView(
        decl.title,
        rows,
        columns,
        template,
        condition,
        decl.headings,
        n_slots,
        short=short,
        boxed=decl.boxed,
        since=decl.since,
    )


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
    template, short, slots = words_in(routine, decl.text), template_in(routine, decl.short), routine.locals.n_slots
    number = width.value if isinstance(width.value, int) else 1
    return core.BoardView(
        decl.title, items, None, template, condition, False, slots, None, number, None, short, decl.boxed, decl.since
    )


def _spaces(
    texts: Texts, decl: model.BoardViewDecl, name: model.Word, pictures: Mapping[str, core.Picture]
) -> core.BoardView:
    """A board as it lies: with a text for each space, or with its signs."""
    routine = texts.routine(Owner("view"))
    slot = routine.locals.slot()
    condition = condition_in(routine, decl.condition)
    board = _board_named(texts, name)
    if board is None:
        return core.BoardView(decl.title, faulty(name.span), None, _nothing(name), condition, False, 1)
    picture = pictures.get(name.text)
    template = _of_space(texts, routine, decl.text, name, slot, picture)
    short = template_in(routine, decl.short)
    every = core.Const(ListType(EnumType(board.name)), name.span, tuple(range(board.size)))
    signs = picture.signs if picture is not None else ()
    empty = ("", *GAPS, *(sign.text for sign in signs if sign.values[:1] == (None,)))
    crop = empty if decl.crop else None
    n_slots = routine.locals.n_slots
    return core.BoardView(
        decl.title,
        every,
        None,
        template,
        condition,
        decl.headings,
        n_slots,
        board.name,
        crop=crop,
        short=short,
        boxed=decl.boxed,
        since=decl.since,
    )


def _map(texts: Texts, decl: model.PanelDecl, pictures: Mapping[str, core.Picture]) -> core.PanelView:
    """A board of links as it lies."""
    routine = texts.routine(Owner("view"))
    slot = routine.locals.slot()
    condition = condition_in(routine, decl.condition)
    name = decl.board
    assert name is not None  # as the schema says
    board = _board_named(texts, name)
    if board is None:
        return core.MapView(decl.title, "", _nothing(name), None, condition, 1)
    if not board.places:
        message = f"`{board.name}` does not say where its spaces lie"
        texts.report.add(codes.ODD_PICTURE, message, name.span, "write `map` of the board: names of spaces in rows")
    template = _of_space(texts, routine, decl.text, name, slot, pictures.get(name.text))
    short = template_in(routine, decl.short)
    under = None if decl.under is None else list_in(routine, decl.under)
    slots = routine.locals.n_slots
    return core.MapView(decl.title, board.name, template, short, condition, slots, decl.since, under)


def _board_named(texts: Texts, name: model.Word) -> core.Board | None:
    """A board; None after a report."""
    board = texts.names.boards.get(name.text)
    if board is None:
        if not isinstance(texts.names.symbols.get(name.text), BrokenSymbol):
            hint = did_you_mean(name.text, texts.names.boards) or "declare it under `boards`"
            texts.report.add(
                codes.UNKNOWN_TYPE, f"there is no board `{name.text}`", name.span, hint, about=about_name(name.text)
            )
        return None
    texts.notes.used.add(board.name)
    return board


def _of_space(
    texts: Texts, routine: Routine, text: Embedded | None, name: model.Word, slot: int, picture: core.Picture | None
) -> core.TextTemplate:
    """What is written in each space of a board: a text, or else its signs."""
    type = EnumType(name.text)
    routine.put_in_sight(LocalName("space", slot, type, name.span, "index", exempt=True))
    if text is not None:
        return words_in(routine, text)
    if picture is not None:
        return core.TextTemplate(TEXT, name.span, (_sign(texts, picture, core.Local(type, name.span, slot, "space")),))
    message = f"`{name.text}` does not say what it shows"
    texts.report.add(codes.ODD_PICTURE, message, name.span, "write `text` here, or `shows` of the board")
    return _nothing(name)


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
