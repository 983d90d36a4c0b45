"""Check the ``view`` section, which lays out a game on the screen, and the phrases of declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import core
from ..core.board_drawing_and_parsing import GAPS
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostics, name_subjects
from ..source.source import EmbeddedText, quote_list, to_snake_case
from ..source.spelling_suggestions import suggest_name
from ..syntax import ast
from ..syntax.parser import parse_expression, parse_template
from ..types.types import (
    BOOL,
    INT,
    PLAYER,
    TEXT,
    ComponentType,
    EnumType,
    ListType,
    PlayerType,
    Type,
    optional,
    strip_optional,
)
from .call_graph_and_size_limits import Owner
from .code_fields_templates_and_check_cache import (
    TextChecker,
    check_condition_text,
    check_list_text,
    check_required_template,
    check_template_text,
    check_value_text,
)
from .coercions import get_item_type
from .context import LocalName, Routine, is_faulty, make_faulty
from .symbol_table import BrokenSymbol, Reference, VariableSymbol, report_unknown
from .variable_and_zone_access import make_pool_total


def _check_pool_text(routine: Routine, text: EmbeddedText | None) -> core.PoolTotal | None:
    """Check a field that names a pool, and return the total of its counters.

    Returns None if the field is missing, or after reporting that it can't be parsed or names no pool.
    """
    node = None if text is None else parse_expression(text, routine.report)
    if node is None:
        return None
    operand = routine.check_operand(node)
    if isinstance(operand, Reference) and operand.is_pool:
        total = make_pool_total(routine, operand, node.span)
        return total if isinstance(total, core.PoolTotal) else None
    if isinstance(operand, Reference) or not is_faulty(operand):
        routine.report_error(codes.WRONG_TYPE, "this is no pool", node.span, "write `text` to show another value")
    return None


def _open_panel(texts: TextChecker, decl: model.PanelDecl) -> tuple[Routine, core.Expr | None, core.Expr]:
    """Check the items of a panel. Returns the routine, the panel's condition, and the items.

    The routine has the player, if any, in slot 0 and the item in slot 1.
    """
    assert decl.of is not None  # the schema requires it
    routine = texts.make_routine(Owner("view"))
    # Filters of the texts take slots of their own behind these two.
    player, item, span = routine.locals.allocate_slot(), routine.locals.allocate_slot(), decl.of.whole_span
    is_hand = decl.kind == "hand"
    if is_hand:
        routine.add_local(LocalName("me", player, PLAYER, span, "player", is_exempt=True))
    condition = check_condition_text(routine, decl.condition)
    if decl.is_per_player and not is_hand:
        routine.add_local(LocalName("me", player, PLAYER, span, "player", is_exempt=True))
    items = check_list_text(routine, decl.of)
    routine.add_local(LocalName("it", item, get_item_type(items), span, "index", is_exempt=True))
    return routine, condition, items


def _describe_part(
    routine: Routine, decl: model.ViewPartDecl, condition: core.Expr | None
) -> tuple[str, core.Expr | None, int, int]:
    """Return the fields that all parts of the view have. All expressions of the part must be checked before."""
    return decl.title, condition, routine.locals.n_slots, decl.since


def _check_track(texts: TextChecker, decl: model.PanelDecl) -> core.PanelView:
    routine, condition, items = _open_panel(texts, decl)
    assert decl.text is not None  # the schema requires it
    text, short = check_required_template(routine, decl.text), check_template_text(routine, decl.short)
    contents = None if decl.under is None else check_list_text(routine, decl.under)
    part = _describe_part(routine, decl, condition)
    return core.TrackView(*part, text, short, items, decl.is_per_player, decl.is_boxed, contents)


def _check_hand(texts: TextChecker, decl: model.PanelDecl) -> core.PanelView:
    routine, condition, items = _open_panel(texts, decl)
    if decl.text is None:
        text = core.TextTemplate(TEXT, items.span, (core.Local(get_item_type(items), items.span, 1, "it"),))
    else:
        text = check_required_template(routine, decl.text)
    short, dim = check_template_text(routine, decl.short), check_condition_text(routine, decl.dim)
    return core.HandView(*_describe_part(routine, decl, condition), text, short, items, dim)


def _check_dials(texts: TextChecker, decl: model.PanelDecl) -> core.PanelView:
    """Check a panel of dials: their items, faces, the current face, and what leads to faces."""
    assert decl.faces is not None and decl.at is not None  # the schema requires it
    items = None
    if decl.of is not None:
        routine, condition, items = _open_panel(texts, decl)
    else:
        routine = texts.make_routine(Owner("view"))
        condition = check_condition_text(routine, decl.condition)
        if decl.is_per_player:
            routine.bind_me(decl.at.whole_span)
    faces = check_list_text(routine, decl.faces)
    face_type = optional(get_item_type(faces))
    current_face = check_value_text(routine, decl.at, face_type, "as one of the faces")
    leads = []
    for lead_face, label, lead_condition in decl.leads:
        with routine.restore_narrowing():
            checked_condition = check_condition_text(routine, lead_condition)
            face = check_value_text(routine, lead_face, face_type, "as one of the faces")
            leads.append(core.Lead(face, check_required_template(routine, label), checked_condition))
    note = check_template_text(routine, decl.note)
    part = _describe_part(routine, decl, condition)
    return core.DialsView(*part, items, decl.is_per_player, faces, current_face, tuple(leads), note)


PANELS: Mapping[str, Callable[[TextChecker, model.PanelDecl], core.PanelView]] = {
    "track": _check_track,
    "hand": _check_hand,
    "dials": _check_dials,
}
"""Kind of panel -> function that checks its texts. :func:`_check_panel` itself handles boards, maps and piles."""


def _check_piles(texts: TextChecker, decl: model.PilesDecl) -> core.PanelView:
    """Check a panel of piles of cards, and return its piles in order, each with its title, list and condition.

    A condition of a pile is known to be true only in that pile, the panel's own in all. Faulty parts stay faulty.
    """
    routine = texts.make_routine(Owner("view"))
    condition = check_condition_text(routine, decl.condition)
    checked_piles = []
    for title, cards, pile_condition in decl.piles:
        with routine.restore_narrowing():
            checked_condition = check_condition_text(routine, pile_condition)
            checked_piles.append(core.PileView(title, check_list_text(routine, cards), checked_condition))
    return core.PilesView(*_describe_part(routine, decl, condition), tuple(checked_piles))


# ---------------------------------------------------------------- how values look


def _check_look(texts: TextChecker, decl: model.LookDecl) -> core.Look | None:
    """Check the appearance of a type's values.

    Signs and colours are keyed by the ordinal of the enum value. ``it`` is the value, in slot 0, in all texts. Returns
    None after reporting an unknown type. Other faults are reported, and the look is returned.
    """
    type = _resolve_look_type(texts, decl.type)
    if type is None:
        return None
    routine = texts.make_routine(Owner("view"))
    routine.bind_unchecked("it", type, decl.type.span, "index")
    signs = {ordinal: word.text for ordinal, word in _match_enum_values(texts, type, decl.signs)}
    colours = {ordinal: word.text for ordinal, word in _match_enum_values(texts, type, decl.colours)}
    like_value = None if decl.like is None else check_value_text(routine, decl.like)
    if like_value is not None and not is_faulty(like_value):
        like_type = strip_optional(like_value.type)
        if not isinstance(like_type, EnumType | PlayerType):
            type_text = "a list" if isinstance(like_type, ListType) else f"`{like_type}`"
            message = f"`like` names a value of an enum, or a player, but this is {type_text}"
            texts.report.add(codes.WRONG_TYPE, message, like_value.span)
    short, dim = check_template_text(routine, decl.short), check_condition_text(routine, decl.dim)
    marks = [
        core.LookMark(sign, colour, check_condition_text(routine, mark_condition))
        for sign, colour, mark_condition in decl.marks
    ]
    return core.Look(type, signs, colours, like_value, short, dim, tuple(marks), routine.locals.n_slots)


def _resolve_look_type(texts: TextChecker, word: model.Word) -> Type | None:
    """Return a type that can have an appearance, or None after a report."""
    names = texts.names
    if word.text == "Player":
        return PLAYER
    if word.text in names.enums:
        texts.notes.used_names.add(word.text)
        return EnumType(word.text)
    if word.text in names.kinds:
        return ComponentType(word.text)
    hint = suggest_name(word.text, [*names.enums, *names.kinds, "Player"])
    hint = hint or "name an enum, a kind of component or Player"
    message = f"there is no type `{word.text}` whose values could be drawn"
    texts.report.add(codes.UNKNOWN_TYPE, message, word.span, hint, subjects=name_subjects(word.text))
    return None


def _match_enum_values(
    texts: TextChecker, type: Type, pairs: Sequence[tuple[model.Word, model.Word]]
) -> list[tuple[int, model.Word]]:
    """Return the entries for enum values, keyed by ordinal.

    Entries for unknown values or another type are reported and left out.
    """
    entries = []
    for name, word in pairs:
        if not isinstance(type, EnumType):
            message = f"only values of an enum have looks of their own, and `{type}` is none"
            texts.report.add(codes.WRONG_TYPE, message, name.span, "say what it is like: `like: it.suit`")
            continue
        symbol = texts.names.find_value(type, name.text)
        if symbol is None:
            hint = suggest_name(name.text, texts.names.list_value_names(type))
            message = f"`{type}` has no value `{name.text}`"
            texts.report.add(codes.UNKNOWN_NAME, message, name.span, hint, subjects=name_subjects(name.text))
        else:
            entries.append((symbol.ordinal, word))
    return entries


def report_phrases(ruleset: model.Ruleset, report: Diagnostics) -> None:
    """Report insertions of a phrase that are not parameters of its declaration, and phrases that don't parse.

    Only bare names of parameters may be inserted; a place has its indices as parameters.
    """
    for phrase, own_names, params in _iterate_phrases(ruleset):
        value_names = [*own_names, *(name.text for name, _ in params)]
        template = None if phrase is None else parse_template(phrase, report)
        for part in () if template is None else template.parts:
            if isinstance(part, str) or (isinstance(part, ast.Name) and part.name in value_names):
                continue
            name_list = quote_list(value_names) if value_names else "there are none here"
            if isinstance(part, ast.Name):
                hint = f"a phrase holds parameters: {name_list}"
                report_unknown(report, "parameter", part.name, part.span, value_names, hint)
            else:
                message = "a phrase holds the names of parameters alone"
                report.add(codes.VALUE_NOT_ALLOWED, message, part.span, f"write one of them: {name_list}")


def _iterate_phrases(
    ruleset: model.Ruleset,
) -> Iterator[tuple[EmbeddedText | None, list[str], tuple[tuple[model.Word, model.Word], ...]]]:
    """Yield the phrase of each declaration, with the names and the parameters that it may insert."""
    for query in ruleset.queries:
        yield query.phrase, ["me"] * query.is_per_player, query.params
    for effect in ruleset.effects:
        yield effect.phrase, ["me"] * effect.is_per_player, effect.params
    for span in ruleset.spans:
        yield span.phrase, ["me"] * span.is_per_player, ()
    for window in ruleset.windows:
        yield window.phrase, [], window.params
    for kind in ruleset.components:
        for member in kind.queries:
            yield member.phrase, [*["me"] * member.is_per_player, "this"], member.params
    for variable in ruleset.variables:
        yield variable.phrase, list(map(get_index_name, variable.per)), ()


def get_index_name(dimension: model.Word) -> str:
    """Return the name of an index in the phrase of a place: ``me`` for a player, otherwise its type in snake case."""
    return "me" if dimension.text == "Player" else to_snake_case(dimension.text)


MAX_COLUMNS = 100
"""Maximum number of cells in a row of a list."""


def check_layout(
    texts: TextChecker, decl: model.ViewDecl | None, pictures: Mapping[str, core.Picture]
) -> core.ViewLayout:
    """Return the checked layout of the ``view`` section, each part in the author's order.

    Looks of unknown types are reported and left out; all other faults are reported and stay faulty. Without a section,
    returns an empty layout.
    """
    if decl is None:
        return core.ViewLayout((), (), (), (), ())
    return core.ViewLayout(
        tuple(_check_item(texts, item, is_per_player=False) for item in decl.status),
        tuple(_check_item(texts, item, is_per_player=True) for item in decl.players),
        tuple(_check_item(texts, item, is_per_player=False) for item in decl.shared),
        tuple(_check_item(texts, item, is_per_player=True) for item in decl.own),
        tuple(_check_board(texts, board, pictures) for board in decl.boards),
        tuple(_check_panel(texts, panel, pictures) for panel in decl.panels),
        tuple(checked_look for look in decl.looks if (checked_look := _check_look(texts, look)) is not None),
    )


def _check_panel(
    texts: TextChecker,
    decl: model.BoardViewDecl | model.PanelDecl | model.PilesDecl,
    pictures: Mapping[str, core.Picture],
) -> core.PanelView:
    """Check a panel of the view, by its kind."""
    if isinstance(decl, model.BoardViewDecl):
        return _check_board(texts, decl, pictures)
    if isinstance(decl, model.PilesDecl):
        return _check_piles(texts, decl)
    if decl.kind == "map":
        return _check_map(texts, decl, pictures)
    return PANELS[decl.kind](texts, decl)


def _check_item(texts: TextChecker, decl: model.ViewItemDecl, is_per_player: bool) -> core.ViewItem:
    """Check an item of the view. With ``is_per_player`` its text, condition and pool are those of one player."""
    routine = texts.make_routine(Owner("view"))
    shown_text = decl.text or decl.pool
    assert shown_text is not None  # the schema requires it
    if is_per_player:
        routine.bind_me(shown_text.whole_span)
    condition = check_condition_text(routine, decl.condition)
    text = check_template_text(routine, decl.text) or core.TextTemplate(TEXT, shown_text.whole_span, ())
    short, pool = check_template_text(routine, decl.short), _check_pool_text(routine, decl.pool)
    part = _describe_part(routine, decl, condition)
    return core.ViewItem(*part, text, short, pool, decl.is_below, decl.is_spare)


def _check_board(texts: TextChecker, decl: model.BoardViewDecl, pictures: Mapping[str, core.Picture]) -> core.BoardView:
    """Check a board of the view: a declared board, the cells of a list, or a grid of rows and columns.

    In a grid, slot 0 is the row and slot 1 the column.
    """
    if decl.board is not None:
        return _check_spaces(texts, decl, decl.board, pictures)
    if decl.cells is not None:
        return _check_cells(texts, decl, decl.cells)
    assert decl.rows is not None and decl.columns is not None and decl.text is not None  # the schema requires it
    routine = texts.make_routine(Owner("view"))
    slots = routine.locals.allocate_slot(), routine.locals.allocate_slot()
    condition = check_condition_text(routine, decl.condition)
    sides = [check_list_text(routine, text) for text in (decl.rows, decl.columns)]
    for slot, name, side, text in zip(slots, ("row", "column"), sides, (decl.rows, decl.columns), strict=True):
        routine.add_local(LocalName(name, slot, get_item_type(side), text.whole_span, "index", is_exempt=True))
    template = check_required_template(routine, decl.text)
    return _make_board_view(routine, decl, condition, template, rows=sides[0], columns=sides[1])


def _make_board_view(
    routine: Routine, decl: model.BoardViewDecl, condition: core.Expr | None, text: core.TextTemplate, **fields: Any
) -> core.BoardView:
    """Check the short text of a board, and return its view. ``fields`` holds what depends on its form."""
    short = check_template_text(routine, decl.short)
    base = {"columns": None, "has_headings": decl.has_headings, "is_boxed": decl.is_boxed}
    return core.BoardView(*_describe_part(routine, decl, condition), text, short, **base | fields)


def _check_cells(texts: TextChecker, decl: model.BoardViewDecl, cells: EmbeddedText) -> core.BoardView:
    """Check a board that shows a list row by row. The item is ``cell``, in slot 0.

    A number of columns that is no constant, or out of range, is reported and becomes 1.
    """
    assert decl.columns is not None and decl.text is not None  # the schema requires it
    routine = texts.make_routine(Owner("view"))
    slot = routine.locals.allocate_slot()
    condition = check_condition_text(routine, decl.condition)
    items = check_list_text(routine, cells)
    width = check_value_text(routine, decl.columns, INT, "for `columns`")
    if not isinstance(width, core.Const) or not isinstance(width.value, int) or not 1 <= width.value <= MAX_COLUMNS:
        message = f"`columns` says how many cells stand in a row: a number from 1 to {MAX_COLUMNS}"
        texts.report.add(codes.OUT_OF_RANGE, message, decl.columns.whole_span)
        width = core.Const(INT, decl.columns.whole_span, 1)
    routine.add_local(LocalName("cell", slot, get_item_type(items), cells.whole_span, "index", is_exempt=True))
    template = check_required_template(routine, decl.text)
    return _make_board_view(routine, decl, condition, template, rows=items, width=width.value, has_headings=False)


def _check_spaces(
    texts: TextChecker, decl: model.BoardViewDecl, name: model.Word, pictures: Mapping[str, core.Picture]
) -> core.BoardView:
    """Check a declared board, drawn in its own shape. Each space shows a text or its sign; ``space`` has slot 0.

    An unknown board is reported and gives a faulty view. With ``crop``, signs of ``none`` and gaps count as empty.
    """
    routine = texts.make_routine(Owner("view"))
    slot = routine.locals.allocate_slot()
    condition = check_condition_text(routine, decl.condition)
    board = _resolve_board(texts, name)
    if board is None:
        part = _describe_part(routine, decl, condition)
        return core.BoardView(*part, _make_empty_title(name), None, make_faulty(name.span), None, False)
    picture = pictures.get(name.text)
    # A text beside an edge is about no space.
    edges = tuple(check_template_text(routine, edge) for edge in decl.edges)
    template = _make_space_text(texts, routine, decl.text, name, slot, picture)
    all_spaces = core.Const(ListType(EnumType(board.name)), name.span, tuple(range(board.size)))
    signs = picture.signs if picture is not None else ()
    empty_signs = ("", *GAPS, *(sign.text for sign in signs if sign.values[:1] == (None,)))
    crop = empty_signs if decl.is_cropped else None
    form = {"rows": all_spaces, "board": board.name, "crop": crop, "edges": edges}
    return _make_board_view(routine, decl, condition, template, **form)


def _check_map(texts: TextChecker, decl: model.PanelDecl, pictures: Mapping[str, core.Picture]) -> core.PanelView:
    """Check a map: a board of linked spaces, drawn at the positions that it declares.

    Reports a board without positions.
    """
    routine = texts.make_routine(Owner("view"))
    slot = routine.locals.allocate_slot()
    condition = check_condition_text(routine, decl.condition)
    name = decl.board
    assert name is not None  # the schema requires it
    board = _resolve_board(texts, name)
    if board is None:
        return core.MapView(*_describe_part(routine, decl, condition), _make_empty_title(name), None, "")
    if not board.places:
        message = f"the board `{board.name}` has no `map`, so lusory can't draw it"
        hint = "add `map` to the board: the names of its spaces in rows"
        texts.report.add(codes.ODD_PICTURE, message, name.span, hint)
    template = _make_space_text(texts, routine, decl.text, name, slot, pictures.get(name.text))
    short = check_template_text(routine, decl.short)
    contents = None if decl.under is None else check_list_text(routine, decl.under)
    return core.MapView(*_describe_part(routine, decl, condition), template, short, board.name, contents)


def _resolve_board(texts: TextChecker, name: model.Word) -> core.Board | None:
    """Return the board of a name, or None after a report."""
    board = texts.names.boards.get(name.text)
    if board is None:
        if not isinstance(texts.names.symbols.get(name.text), BrokenSymbol):
            boards, hint, code = texts.names.boards, "declare it under `boards`", codes.UNKNOWN_TYPE
            report_unknown(texts.report, "board", name.text, name.span, boards, hint, code)
        return None
    texts.notes.used_names.add(board.name)
    return board


def _make_space_text(
    texts: TextChecker,
    routine: Routine,
    text: EmbeddedText | None,
    name: model.Word,
    slot: int,
    picture: core.Picture | None,
) -> core.TextTemplate:
    """Return the text of each space of a board: the written text, or the sign for its values.

    Binds ``space`` to ``slot``. Returns an empty text after reporting that there is neither.
    """
    type = EnumType(name.text)
    routine.add_local(LocalName("space", slot, type, name.span, "index", is_exempt=True))
    if text is not None:
        return check_required_template(routine, text)
    if picture is not None:
        sign = _make_sign(texts, picture, core.Local(type, name.span, slot, "space"))
        return core.TextTemplate(TEXT, name.span, (sign,))
    message = f"the board `{name.text}` shows nothing"
    texts.report.add(codes.ODD_PICTURE, message, name.span, "write `text` here, or add `shows` to the board")
    return _make_empty_title(name)


def _make_empty_title(name: model.Word) -> core.TextTemplate:
    return core.TextTemplate(TEXT, name.span, ())


def _make_sign(texts: TextChecker, picture: core.Picture, space: core.Local) -> core.Expr:
    """Return an expression for the sign of a space's values. Values without a sign show their label.

    Example: ``if owner[space] is P1 and rank[space] is man then "x" else …``.
    """
    reads = []
    for place in picture.variables:
        symbol = texts.names.symbols[place]
        assert isinstance(symbol, VariableSymbol)
        reads.append(core.ReadCell(symbol.type, space.span, place, (space,)))
    sign_expr: core.Expr = core.TextTemplate(TEXT, space.span, (reads[0],))
    for sign in reversed(picture.signs):
        tests = [
            core.Binary(BOOL, space.span, "=", value_read, core.Const(value_read.type, space.span, value))
            for value_read, value in zip(reads, sign.values, strict=False)
        ]
        condition: core.Expr = tests[0]
        for test in tests[1:]:
            condition = core.Binary(BOOL, space.span, "and", condition, test)
        sign_expr = core.IfExpr(TEXT, space.span, condition, core.Const(TEXT, space.span, sign.text), sign_expr)
    return sign_expr
