"""Panels of the `view` section, and how values look. A part of the texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .. import core
from ..effect.parser import parse_expression
from ..language.types import (
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
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.source import Embedded, Span
from .call_graph import Owner
from .locals import LocalName
from .places import pool_total
from .reference import Reference
from .routine import Routine, is_faulty
from .texts import Texts, condition_in, list_in, template_in, value_in, words_in
from .values import item_type


def pool_in(r: Routine, text: Embedded | None) -> core.PoolTotal | None:
    """A field that names a pool; None where there is none, or after a report."""
    node = None if text is None else parse_expression(text, r.report)
    if node is None:
        return None
    found = r.operand(node)
    if isinstance(found, Reference) and found.is_pool:
        total = pool_total(r, found, node.span)
        return total if isinstance(total, core.PoolTotal) else None
    if isinstance(found, Reference) or not is_faulty(found):
        r.error(codes.WRONG_TYPE, "this is no pool", node.span, "write `text` to show another value")
    return None


def _binds(r: Routine, name: str, type: Type, span: Span) -> int:
    slot = r.locals.slot()
    r.put_in_sight(LocalName(name, slot, type, span, "index", exempt=True))
    return slot


def _begun(texts: Texts, decl: model.PanelDecl) -> tuple[Routine, core.Expr | None, core.Expr]:
    """A routine with the player, if any, in slot 0 and the item in slot 1; the condition; the items."""
    assert decl.of is not None  # as the schema says
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
    assert decl.text is not None  # as the schema says
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
    assert decl.faces is not None and decl.at is not None  # as the schema says
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
    """One of the faces, or none."""
    return (
        value_in(routine, text, optional(type), "as one of the faces") if type != NOTHING else value_in(routine, text)
    )


PANELS: Mapping[str, Callable[[Texts, model.PanelDecl], core.PanelView]] = {
    "track": _track,
    "hand": _hand,
    "dials": _dials,
}
"""Kind of panel -> what makes it of its texts. Boards and maps are with :mod:`view`, which knows what they show."""


def piles(texts: Texts, decl: model.PilesDecl) -> core.PanelView:
    """Heaps of cards, and whether there are any."""
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
    """How the values of a type look; None of a type that there is not."""
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
            texts.report.add(codes.WRONG_TYPE, message, like.span)
    short, dim = template_in(routine, decl.short), condition_in(routine, decl.dim)
    marks = [core.LookMark(sign, colour, condition_in(routine, when)) for sign, colour, when in decl.marks]
    return core.Look(type, signs, colours, like, short, dim, tuple(marks), routine.locals.n_slots)


def _article(type: Type) -> str:
    return "a list" if isinstance(type, ListType) else f"`{type}`"


def _looking(texts: Texts, word: model.Word) -> Type | None:
    """A type whose values can look somehow; None after a report."""
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
    texts.report.add(codes.UNKNOWN_TYPE, message, word.span, hint, about=about_name(word.text))
    return None


def _by_value(texts: Texts, type: Type, pairs: Sequence[tuple[model.Word, model.Word]]) -> list[tuple[int, model.Word]]:
    """What is said of values of an enum, by their number."""
    found = []
    for name, word in pairs:
        if not isinstance(type, EnumType):
            message = f"only values of an enum have looks of their own, and `{type}` is none"
            texts.report.add(codes.WRONG_TYPE, message, name.span, "say what it is like: `like: it.suit`")
            continue
        symbol = texts.names.value_of(type, name.text)
        if symbol is None:
            hint = did_you_mean(name.text, texts.names.value_names(type))
            message = f"`{type}` has no value `{name.text}`"
            texts.report.add(codes.UNKNOWN_NAME, message, name.span, hint, about=about_name(name.text))
        else:
            found.append((symbol.ordinal, word))
    return found
