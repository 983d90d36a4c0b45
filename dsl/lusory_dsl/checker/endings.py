"""The end of the game: `end game`, for whom, by which chart."""

from __future__ import annotations

from .. import core
from ..core.origin import ENDINGS, Origin
from ..effect import nodes
from ..language.types import BOOL, INT, PLAYER, ListType, PlayerType
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from .routine import Routine
from .templates import text_template
from .values import expression, fit

_MADE = Origin(ENDINGS, part="note")


def end_game(r: Routine, node: nodes.EndGame) -> list[core.Stmt]:
    """The game is over; before that it is noted who can win and which chart counts."""
    before: list[core.Stmt] = []
    if node.chart is not None:
        before += _by_chart(r, node.chart)
    if node.players is not None:
        before += _for_players(r, node.players)
    if node.chart is None and node.players is None:
        r.notes.open_endings.append(node.span)
    reason = None if node.reason is None else text_template(r, node.reason)
    if reason is not None:
        r.notes.ending_words.add("".join(part if isinstance(part, str) else "{}" for part in reason.parts))
    return [*before, core.EndGame(node.span, reason)]


def _by_chart(r: Routine, name: nodes.Name) -> list[core.Stmt]:
    """Notes the chart that an ending uses."""
    charts = list(r.names.charts)
    if name.name not in charts:
        hint = did_you_mean(name.name, charts) or "declare it under `charts` of `scoring`"
        r.error(codes.UNKNOWN_NAME, f"there is no chart `{name.name}`", name.span, hint, about=about_name(name.name))
        return []
    r.notes.used_charts.add(name.name)
    number = core.Const(INT, name.span, 1 + charts.index(name.name))
    return [core.SetCell(name.span, core.ENDING, (), "set", number, origin=Origin(ENDINGS, name.name))]


def _for_players(r: Routine, node: nodes.Expr) -> list[core.Stmt]:
    """Notes who can win: those that are named."""
    named = expression(r, node, ListType(PLAYER))
    if isinstance(named.type, PlayerType):
        named = core.ListLit(ListType(PLAYER), named.span, (named,))
    named = fit(r, named, ListType(PLAYER), "after `for`")
    r.notes.ends_for_some = True
    span = node.span
    chosen = core.Local(ListType(PLAYER), span, r.locals.slot(), "named")
    player = core.Local(PLAYER, span, r.locals.slot(), "player")
    can_win = core.Binary(BOOL, span, "in", player, chosen)
    note = core.SetCell(span, core.CAN_WIN, (player,), "set", can_win, origin=_MADE)
    everybody = core.Players(ListType(PLAYER), span)
    each = core.ForEach(span, player.slot, "player", everybody, None, (note,), origin=_MADE)
    return [core.Let(span, chosen.slot, "named", named, origin=_MADE), each]
