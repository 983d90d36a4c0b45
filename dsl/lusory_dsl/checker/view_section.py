"""Check the ``view`` section, which lays out a game on the screen, and the phrases of declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from .. import core
from ..core.board_diagrams import GAPS
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics, about_name, did_you_mean
from ..source.source import Embedded, Span, listed, snake_case
from ..syntax import ast
from ..syntax.parser import parse_expression, parse_template
from ..types.types import (
    BOOL,
    INT,
    NOTHING,
    PLAYER,
    TEXT,
    ComponentType,
    EnumType,
    ListType,
    OptionalType,
    PlayerType,
    Type,
    optional,
)
from .assignable_places import pool_total
from .coercions import item_type
from .context import LocalName, Routine, faulty, is_faulty
from .limits import Owner
from .symbols import BrokenSymbol, Reference, VariableSymbol
from .texts import Texts, condition_in, list_in, template_in, value_in, words_in


def pool_in(r: Routine, text: Embedded | None) -> core.PoolTotal | None:
    """Check a field that names a pool. None for an empty field, or after a report."""
    node = None if text is None else parse_expression(text, r.report)
    if node is None:
        return None
    found = r.operand(node)
    if isinstance(found, Reference) and found.is_pool:
        total = pool_total(r, found, node.span)
        return total if isinstance(total, core.PoolTotal) else None
    if isinstance(found, Reference) or not is_faulty(found):
        r.error(diagnostic_codes.WRONG_TYPE, "this is no pool", node.span, "write `text` to show another value")
    return None


def _binds(r: Routine, name: str, type: Type, span: Span) -> int:
    slot = r.locals.slot()
    r.put_in_sight(LocalName(name, slot, type, span, "index", exempt=True))
    return slot


def _begun(texts: Texts, decl: model.PanelDecl) -> tuple[Routine, core.Expr | None, core.Expr]:
    """Check the items of a panel. Returns the routine, the panel's condition, and the items.

    The routine has the player, if any, in slot 0 and the item in slot 1.
    """
    assert decl.of is not None  # the schema requires it
    routine = texts.routine(Owner("view"))
    whose = decl.kind == "hand"
    if whose:
        routine.bind_me(decl.of.whole)
    condition = condition_in(routine, decl.condition)
    if decl.per_player:
        routine.bind_me(decl.of.whole)
    elif not whose:
        routine.locals.slot()
    items = list_in(routine, decl.of)
    _binds(routine, "it", item_type(items), decl.of.whole)
    return routine, condition, items


def _track(texts: Texts, decl: model.PanelDecl) -> core.PanelView:
    routine, condition, items = _begun(texts, decl)
    assert decl.text is not None  # the schema requires it
    text, short = words_in(routine, decl.text), template_in(routine, decl.short)
    under = None if decl.under is None else list_in(routine, decl.under)
    slots = routine.locals.n_slots
    return core.TrackView(
        decl.title, items, decl.per_player, text, short, condition, slots, decl.boxed, decl.since, under
    )


def _hand(texts: Texts, decl: model.PanelDecl) -> core.PanelView:
    routine, condition, items = _begun(texts, decl)
    if decl.text is None:
        text = core.TextTemplate(TEXT, items.span, (core.Local(item_type(items), items.span, 1, "it"),))
    else:
        text = words_in(routine, decl.text)
    dim = condition_in(routine, decl.dim)
    return core.HandView(decl.title, items, text, dim, condition, routine.locals.n_slots, decl.since)


def _dials(texts: Texts, decl: model.PanelDecl) -> core.PanelView:
    assert decl.faces is not None and decl.at is not None  # the schema requires it
    items = None
    if decl.of is not None:
        routine, condition, items = _begun(texts, decl)
    else:
        routine = texts.routine(Owner("view"))
        condition = condition_in(routine, decl.condition)
        if decl.per_player:
            routine.bind_me(decl.at.whole)
    faces = list_in(routine, decl.faces)
    at = _face(routine, decl.at, item_type(faces))
    leads = []
    for to, sign, when in decl.leads:
        with routine.narrowing():
            holds = condition_in(routine, when)
            face = _face(routine, to, item_type(faces))
            leads.append(core.Lead(face, words_in(routine, sign), holds))
    note = template_in(routine, decl.note)
    slots = routine.locals.n_slots
    return core.DialsView(
        decl.title, items, decl.per_player, faces, at, tuple(leads), note, condition, slots, decl.since
    )


def _face(routine: Routine, text: Embedded, type: Type) -> core.Expr:
    """Check an expression for one of the faces of a dial, or ``none``."""
    return (
        value_in(routine, text, optional(type), "as one of the faces") if type != NOTHING else value_in(routine, text)
    )


PANELS: Mapping[str, Callable[[Texts, model.PanelDecl], core.PanelView]] = {
    "track": _track,
    "hand": _hand,
    "dials": _dials,
}
"""Kind of panel -> function that checks its texts. :func:`_panel` itself handles boards, maps and piles."""


def piles(texts: Texts, decl: model.PilesDecl) -> core.PanelView:
    """Check a panel of piles of cards."""
    routine = texts.routine(Owner("view"))
    condition = condition_in(routine, decl.condition)
    found = []
    for title, cards, when in decl.piles:
        with routine.narrowing():
            holds = condition_in(routine, when)
            found.append(core.PileView(title, list_in(routine, cards), holds))
    return core.PilesView(decl.title, tuple(found), condition, routine.locals.n_slots, decl.since)


# ---------------------------------------------------------------- how values look


def look_of(texts: Texts, decl: model.LookDecl) -> core.Look | None:
    """Check the appearance of a type's values. None for an unknown type."""
    type = _looking(texts, decl.type)
    if type is None:
        return None
    routine = texts.routine(Owner("view"))
    _binds(routine, "it", type, decl.type.span)
    signs = {at: word.text for at, word in _by_value(texts, type, decl.signs)}
    colours = {at: word.text for at, word in _by_value(texts, type, decl.colours)}
    like = None if decl.like is None else value_in(routine, decl.like)
    if like is not None and not is_faulty(like):
        of = like.type.item if isinstance(like.type, OptionalType) else like.type
        if not isinstance(of, EnumType | PlayerType):
            message = f"`like` names a value of an enum, or a player, and this is {_article(of)}"
            texts.report.add(diagnostic_codes.WRONG_TYPE, message, like.span)
    short, dim = template_in(routine, decl.short), condition_in(routine, decl.dim)
    marks = [core.LookMark(sign, colour, condition_in(routine, when)) for sign, colour, when in decl.marks]
    return core.Look(type, signs, colours, like, short, dim, tuple(marks), routine.locals.n_slots)


def _article(type: Type) -> str:
    return "a list" if isinstance(type, ListType) else f"`{type}`"


def _looking(texts: Texts, word: model.Word) -> Type | None:
    """Return a type that can have an appearance, or None after a report."""
    names = texts.names
    if word.text == "Player":
        return PLAYER
    if word.text in names.enums:
        texts.notes.used.add(word.text)
        return EnumType(word.text)
    if word.text in names.kinds:
        return ComponentType(word.text)
    hint = (
        did_you_mean(word.text, [*names.enums, *names.kinds, "Player"]) or "name an enum, a kind of component or Player"
    )
    message = f"there is no type `{word.text}` whose values could be drawn"
    texts.report.add(diagnostic_codes.UNKNOWN_TYPE, message, word.span, hint, about=about_name(word.text))
    return None


def _by_value(texts: Texts, type: Type, pairs: Sequence[tuple[model.Word, model.Word]]) -> list[tuple[int, model.Word]]:
    """Return the entries for enum values, keyed by ordinal."""
    found = []
    for name, word in pairs:
        if not isinstance(type, EnumType):
            message = f"only values of an enum have looks of their own, and `{type}` is none"
            texts.report.add(diagnostic_codes.WRONG_TYPE, message, name.span, "say what it is like: `like: it.suit`")
            continue
        symbol = texts.names.value_of(type, name.text)
        if symbol is None:
            hint = did_you_mean(name.text, texts.names.value_names(type))
            message = f"`{type}` has no value `{name.text}`"
            texts.report.add(diagnostic_codes.UNKNOWN_NAME, message, name.span, hint, about=about_name(name.text))
        else:
            found.append((symbol.ordinal, word))
    return found


def report_phrases(ruleset: model.Ruleset, report: Diagnostics) -> None:
    """Report insertions of a phrase that are not parameters of its declaration."""
    for phrase, known in _phrases(ruleset):
        template = parse_template(phrase, report)
        for part in () if template is None else template.parts:
            if isinstance(part, str) or (isinstance(part, ast.Name) and part.name in known):
                continue
            which = listed(f"`{name}`" for name in known) if known else "there are none here"
            if isinstance(part, ast.Name):
                hint = did_you_mean(part.name, known) or f"a phrase holds parameters: {which}"
                about = about_name(part.name)
                report.add(
                    diagnostic_codes.UNKNOWN_NAME, f"there is no parameter `{part.name}`", part.span, hint, about=about
                )
            else:
                message = "a phrase holds the names of parameters alone"
                report.add(diagnostic_codes.VALUE_NOT_ALLOWED, message, part.span, f"write one of them: {which}")


def _phrases(ruleset: model.Ruleset) -> Iterator[tuple[Embedded, list[str]]]:
    """Yield each phrase with the names that it may insert."""
    r = ruleset
    for query in r.queries:
        yield from _of(query.phrase, ["me"] * query.per_player, query.params)
    for effect in r.effects:
        yield from _of(effect.phrase, ["me"] * effect.per_player, effect.params)
    for span in r.spans:
        yield from _of(span.phrase, ["me"] * span.per_player, ())
    for window in r.windows:
        yield from _of(window.phrase, [], window.params)
    for kind in r.components:
        for member in kind.queries:
            yield from _of(member.phrase, [*["me"] * member.per_player, "this"], member.params)
    for variable in r.variables:
        yield from _of(variable.phrase, list(map(index_name, variable.per)), ())


def _of(
    phrase: Embedded | None, known: list[str], params: tuple[tuple[model.Word, model.Word], ...]
) -> Iterator[tuple[Embedded, list[str]]]:
    if phrase is not None:
        yield phrase, [*known, *(name.text for name, _ in params)]


def index_name(dimension: model.Word) -> str:
    """Return the name of an index in the phrase of a place: ``me`` for a player, otherwise its type in lower case."""
    return "me" if dimension.text == "Player" else snake_case(dimension.text)


MOST_COLUMNS = 100
"""Maximum number of cells in a row of a list."""


def layout(texts: Texts, decl: model.ViewDecl | None, pictures: Mapping[str, core.Picture]) -> core.ViewLayout:
    """Check the layout of the ``view`` section. Without a section, return an empty layout."""
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
    assert written is not None  # the schema requires it
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
    assert decl.rows is not None and decl.columns is not None and decl.text is not None  # the schema requires it
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
    """Check a board that shows a list row by row."""
    assert decl.columns is not None and decl.text is not None  # the schema requires it
    routine = texts.routine(Owner("view"))
    slot = routine.locals.slot()
    condition = condition_in(routine, decl.condition)
    items = list_in(routine, cells)
    width = value_in(routine, decl.columns, INT, "for `columns`")
    if not isinstance(width, core.Const) or not isinstance(width.value, int) or not 1 <= width.value <= MOST_COLUMNS:
        message = f"`columns` says how many cells stand in a row: a number from 1 to {MOST_COLUMNS}"
        texts.report.add(diagnostic_codes.OUT_OF_RANGE, message, decl.columns.whole)
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
    """Check a declared board, drawn in its own shape. Each space shows a text or its sign."""
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
    """Check a map: a board of linked spaces, drawn at the positions that it declares."""
    routine = texts.routine(Owner("view"))
    slot = routine.locals.slot()
    condition = condition_in(routine, decl.condition)
    name = decl.board
    assert name is not None  # the schema requires it
    board = _board_named(texts, name)
    if board is None:
        return core.MapView(decl.title, "", _nothing(name), None, condition, 1)
    if not board.places:
        message = f"`{board.name}` does not say where its spaces lie"
        texts.report.add(
            diagnostic_codes.ODD_PICTURE, message, name.span, "write `map` of the board: names of spaces in rows"
        )
    template = _of_space(texts, routine, decl.text, name, slot, pictures.get(name.text))
    short = template_in(routine, decl.short)
    under = None if decl.under is None else list_in(routine, decl.under)
    slots = routine.locals.n_slots
    return core.MapView(decl.title, board.name, template, short, condition, slots, decl.since, under)


def _board_named(texts: Texts, name: model.Word) -> core.Board | None:
    """Return the board of a name, or None after a report."""
    board = texts.names.boards.get(name.text)
    if board is None:
        if not isinstance(texts.names.symbols.get(name.text), BrokenSymbol):
            hint = did_you_mean(name.text, texts.names.boards) or "declare it under `boards`"
            texts.report.add(
                diagnostic_codes.UNKNOWN_TYPE,
                f"there is no board `{name.text}`",
                name.span,
                hint,
                about=about_name(name.text),
            )
        return None
    texts.notes.used.add(board.name)
    return board


def _of_space(
    texts: Texts, routine: Routine, text: Embedded | None, name: model.Word, slot: int, picture: core.Picture | None
) -> core.TextTemplate:
    """Return the text of each space of a board: the written text, or the sign for its values."""
    type = EnumType(name.text)
    routine.put_in_sight(LocalName("space", slot, type, name.span, "index", exempt=True))
    if text is not None:
        return words_in(routine, text)
    if picture is not None:
        return core.TextTemplate(TEXT, name.span, (_sign(texts, picture, core.Local(type, name.span, slot, "space")),))
    message = f"`{name.text}` does not say what it shows"
    texts.report.add(diagnostic_codes.ODD_PICTURE, message, name.span, "write `text` here, or `shows` of the board")
    return _nothing(name)


def _nothing(name: model.Word) -> core.TextTemplate:
    return core.TextTemplate(TEXT, name.span, ())


def _sign(texts: Texts, picture: core.Picture, space: core.Local) -> core.Expr:
    """Return an expression for the sign of a space's values. Values without a sign show their label.

    Example: ``if owner[space] is P1 and rank[space] is man then "x" else …``.
    """
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
