"""What there is, each sort once: `sorts`, `counted`, `originals`; and the next of some players, `next(among: ps)`."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.builtins import FUNCTIONS
from ..language.rows import PLAYERS
from ..language.types import BOOL, INT, PLAYER, TEXT, ListType
from ..text import codes
from ..text.source import Span
from .routine import Routine, faulty, is_faulty
from .values import expect, fit, item_type, list_value

WAY = {"next": "clockwise_from", "previous": "anticlockwise_from"}


def sorts(r: Routine, cards: core.Expr, span: Span) -> core.Expr:
    """One component of each sort."""
    slot = r.locals.slot()
    return core.Distinct(cards.type, span, slot, cards, _original(cards, slot, span))


def counted(r: Routine, cards: core.Expr, span: Span) -> core.Expr:
    """Each sort once, with its number where it is not 1."""
    each, other = r.locals.slot(), r.locals.slot()
    card = core.Local(item_type(cards), span, each, "it")
    alike = core.Binary(BOOL, span, "=", _original(cards, other, span), _original(cards, each, span))
    number = core.Fold(INT, span, "count", other, cards, None, alike)
    single = core.Binary(BOOL, span, "=", number, core.Const(INT, span, 1))
    words = core.IfExpr(
        TEXT, span, single, core.TextTemplate(TEXT, span, (card,)), core.TextTemplate(TEXT, span, (number, " ", card))
    )
    return core.TextTemplate(
        TEXT, span, (core.MapList(ListType(TEXT), span, each, sorts(r, cards, span), None, words),)
    )


SORTING = {"Distinct": sorts, "TextTemplate": counted}
"""What is made of a zone's cards, by what the row of the member becomes."""


def _original(cards: core.Expr, slot: int, span: Span) -> core.Expr:
    kind = item_type(cards)
    return core.Field(kind, span, core.Local(kind, span, slot, "it"), "original")


def is_among(name: str, args: tuple[nodes.Argument, ...]) -> bool:
    """Whether a call asks for the next one of some players."""
    row = FUNCTIONS.get(name)
    return bool(args) and row is not None and row.type == PLAYER and [p.type for p in row.params] == [PLAYER]


def next_among(r: Routine, node: nodes.Call, callee: nodes.Member) -> core.Expr:
    """``p.next(among: ps)``: the first of some players behind one, who comes last."""
    player = expect(r, callee.subject, PLAYER, f"before `.{callee.name}`")
    first, *more = node.args
    if first.name != "among" or more:
        message = f"`{callee.name}` takes some players by name"
        return r.error(codes.WRONG_ARGUMENTS, message, node.span, f"write `p.{callee.name}(among: players)`")
    among = fit(r, list_value(r, first.value, PLAYERS), PLAYERS, "for `among`")
    if is_faulty(player) or is_faulty(among):
        return faulty(node.span)
    span, slot = node.span, r.locals.slot()
    start = core.CallBuiltin(PLAYER, span, callee.name, (player,))
    round_table = core.CallBuiltin(PLAYERS, span, WAY[callee.name], (start,))
    is_one = core.Binary(BOOL, span, "in", core.Local(PLAYER, span, slot, "it"), among)
    return core.CallBuiltin(PLAYER, span, "first", (core.Filter(PLAYERS, span, slot, round_table, is_one),))
