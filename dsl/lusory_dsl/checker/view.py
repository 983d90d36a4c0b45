"""The `view` section: how a console lays the table out. A part of the texts."""

from __future__ import annotations

from .. import core
from ..language.types import TEXT
from ..ruleset import model
from ..text.source import Embedded
from .call_graph import Owner
from .locals import LocalName
from .routine import Routine
from .texts import Texts, condition_in, list_in, template_in
from .values import item_type


def layout(texts: Texts, decl: model.ViewDecl | None) -> core.ViewLayout:
    """The layout as written; an empty one where there is none."""
    if decl is None:
        return core.ViewLayout((), (), (), (), ())
    return core.ViewLayout(
        tuple(_item(texts, item, me=False) for item in decl.status),
        tuple(_item(texts, item, me=True) for item in decl.players),
        tuple(_item(texts, item, me=False) for item in decl.shared),
        tuple(_item(texts, item, me=True) for item in decl.own),
        tuple(_board(texts, board) for board in decl.boards),
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


def _board(texts: Texts, decl: model.BoardViewDecl) -> core.BoardView:
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
