"""The `view` section: how a console lays the table out. A part of the texts."""

from __future__ import annotations

from . import codes, core, model
from .checker_declarations import Declarations
from .checker_statements import Statements
from .checker_texts import Texts
from .source import Embedded
from .types import TEXT, ComponentType, PlayerType


def layout(texts: Texts, declared: Declarations, decl: model.ViewDecl | None) -> core.Layout:
    """The layout as written; an empty one where there is none."""
    if decl is None:
        return core.Layout((), (), (), ())
    return core.Layout(
        tuple(_item(texts, item, me=False) for item in decl.status),
        tuple(_item(texts, item, me=True) for item in decl.players),
        tuple(_item(texts, item, me=False) for item in decl.shared),
        tuple(board for b in decl.boards if (board := _board(texts, declared, b)) is not None),
    )


def _item(texts: Texts, decl: model.ViewItemDecl, me: bool) -> core.ViewItem:
    routine = texts.routine("view")
    if me:
        routine.bind_me(decl.text.whole)
    condition = texts.condition(routine, decl.condition)
    text = _text(texts, routine, decl.text)
    return core.ViewItem(decl.title, text, condition, routine.locals.n_slots)


def _text(texts: Texts, routine: Statements, text: Embedded) -> core.TextTemplate:
    return texts.template(routine, text) or core.TextTemplate(TEXT, text.whole, ())


def _board(texts: Texts, declared: Declarations, decl: model.BoardDecl) -> core.Board | None:
    rows, columns = _axis(declared, decl.rows), _axis(declared, decl.columns)
    if rows is None or columns is None:
        return None
    routine = texts.routine("view")
    for name, axis, word in (("row", rows, decl.rows), ("column", columns, decl.columns)):
        routine.bind_quietly(name, axis[0].type, word.span, "index")
    text = _text(texts, routine, decl.text)
    values = [tuple(value for value, _ in axis[1]) for axis in (rows, columns)]
    labels = [tuple(label for _, label in axis[1]) for axis in (rows, columns)]
    return core.Board(decl.title, values[0], values[1], labels[0], labels[1], text, routine.locals.n_slots)


def _axis(declared: Declarations, word: model.Word) -> tuple[core.Dim, list[tuple[int, str]]] | None:
    """The index values of a side of a board, with what is shown beside them."""
    dim = declared.data.dim(word)
    if dim is None:
        return None
    if isinstance(dim.type, PlayerType):
        message = "a board can't have a row or column for each player: how many there are is not known"
        declared.diagnostics.add(codes.BAD_DIMENSION, message, word.span, "show it under `view.players`")
        return None
    if isinstance(dim.type, ComponentType):
        return dim, [(e.number, e.label) for e in declared.entities if e.kind == dim.type.name]
    if str(dim.type) in declared.scope.enums:
        return dim, [(i, v.label) for i, v in enumerate(declared.scope.enums[str(dim.type)].values)]
    return dim, declared.scope.dimension_labels(dim)
