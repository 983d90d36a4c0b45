"""Check loops, random results, splits of an amount, and the end of the game."""

from __future__ import annotations

from .. import core
from ..core.provenance import ENDINGS, SPLITS, Origin
from ..core.sugar import Split, SplitName, kept_name, kept_variable
from ..source import diagnostic_codes
from ..source.diagnostics import about_name, did_you_mean
from ..source.source import Span
from ..syntax import ast
from ..types.types import BOOL, INT, PLAYER, TEXT, ListType, PlayerType, Type
from .choices import at_once, choice_vars, choosing_player, demand_option
from .coercions import expect, expression, fit, item_type, list_value, written_condition
from .context import Routine, Stmts
from .lists import each_item, item_condition
from .texts import template_in, text_template


def random(r: Routine, node: ast.Random) -> list[core.Stmt]:
    """Check a random result. Its numbers come from the stream for setup, dice or picks."""
    stream = "setup" if r.setup else node.stream
    if node.body is None:
        (var,) = choice_vars(r, (node.var,))
        demand_option(r, (var,))
        return [_made(r, node.span, var, stream, (), ())]
    with r.frame(), r.narrowing():
        (var,) = choice_vars(r, (node.var,))
        body = r.block(node.body)
    return [_made(r, node.span, var, stream, body, r.block(node.otherwise))]


def _made(r: Routine, span: Span, var: core.ChoiceVar, stream: str, body: Stmts, otherwise: Stmts) -> core.Random:
    me = r.locals.find("me") if var.secret else None
    actor = None if me is None else core.Local(PLAYER, span, me.slot, "me")
    made = core.Random(span, var.slot, var.name, var.domain, var.condition, stream, body, otherwise, var.secret, actor)
    r.notes.choices.append((r.known, made))
    return made


_MADE = Origin(ENDINGS, part="note")


def end_game(r: Routine, node: ast.EndGame) -> list[core.Stmt]:
    """Check ``end game``. Statements before it store who can win and which chart counts."""
    before: list[core.Stmt] = []
    if node.chart is not None:
        before += _by_chart(r, node.chart)
    if node.players is not None:
        before += _for_players(r, node.players)
    if node.chart is None and node.players is None:
        r.notes.open_endings.append(node.span)
    return [*before, core.EndGame(node.span, None if node.reason is None else _reason(r, node.reason))]


def _reason(r: Routine, node: ast.TextLit | ast.Name) -> core.TextTemplate | None:
    """Check why the game ends: a text, or the name of an ending, whose label uses the names of this place.

    Returns None after a report.
    """
    if isinstance(node, ast.TextLit):
        reason: core.TextTemplate | None = text_template(r, node)
    elif node.name in r.names.endings:
        reason = template_in(r, r.names.endings[node.name].label)
    else:
        hint = did_you_mean(node.name, r.names.endings) or "declare it under `endings`, or write a text in quotes"
        message, about = f"there is no ending `{node.name}`", about_name(node.name)
        r.error(diagnostic_codes.UNKNOWN_NAME, message, node.span, hint, about=about)
        return None
    if reason is not None:
        words = "".join(part if isinstance(part, str) else "{}" for part in reason.parts)
        r.notes.ending_words.add(words)
        if isinstance(node, ast.Name):
            r.notes.used_endings[node.name] = words
    return reason


def _by_chart(r: Routine, name: ast.Name) -> list[core.Stmt]:
    """Return the statements that store the chart of an ending."""
    charts = list(r.names.charts)
    if name.name not in charts:
        hint = did_you_mean(name.name, charts) or "declare it under `charts` of `scoring`"
        r.error(
            diagnostic_codes.UNKNOWN_NAME,
            f"there is no chart `{name.name}`",
            name.span,
            hint,
            about=about_name(name.name),
        )
        return []
    r.notes.used_charts.add(name.name)
    number = core.Const(INT, name.span, 1 + charts.index(name.name))
    return [core.SetCell(name.span, core.ENDING, (), "set", number, origin=Origin(ENDINGS, name.name))]


def _for_players(r: Routine, node: ast.Expr) -> list[core.Stmt]:
    """Return the statements that store who can win."""
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


def for_each(r: Routine, node: ast.ForEach) -> list[core.Stmt]:
    """Check ``for each``."""
    with each_item(r, node) as (slot, source, condition):
        body = looped(r, node.body)
    return [core.ForEach(node.span, slot, node.name, source, condition, body)]


def each_player(r: Routine, node: ast.EachPlayer) -> list[core.Stmt]:
    """Check ``each player``: a block for each player, in seat order or in the order of a list."""
    players = ListType(PLAYER)
    source: core.Expr = core.Players(players, node.span)
    backwards = node.direction == "anticlockwise"
    if node.source is not None:
        source = _player_list(r, node.source)
    elif node.start is not None:
        start = expect(r, node.start, PLAYER, "after `from`")
        source = core.CallBuiltin(players, node.span, f"{node.direction or 'clockwise'}_from", (start,))
    elif backwards:
        source = core.CallBuiltin(players, node.span, "reverse", (source,))
    if node.at_once:
        return at_once(r, node, source)
    with r.frame(), r.narrowing():
        slot = r.bind_me(node.span)
        condition = item_condition(r, node.condition, slot, PLAYER)
        body = looped(r, node.body)
    return [core.ForEach(node.span, slot, "me", source, condition, body)]


def _player_list(r: Routine, node: ast.Expr) -> core.Expr:
    source = list_value(r, node, ListType(PLAYER))
    return fit(r, source, ListType(PLAYER), "after `in`")


def repeat(r: Routine, node: ast.Repeat) -> list[core.Stmt]:
    """Check ``repeat``: a block a number of times, or while a condition holds, with an upper bound."""
    times = None if node.times is None else expect(r, node.times, INT, "as a number of times")
    condition = None if node.condition is None else written_condition(r, node.condition)
    if condition is not None and node.until:
        condition = core.Unary(BOOL, condition.span, "not", condition)
    bound = None if node.bound is None else expect(r, node.bound, INT, "after `at most`")
    with r.narrowing():
        if condition is not None:
            r.assume(condition, True)
        body = looped(r, node.body)
    return [core.Repeat(node.span, times, condition, bound, body)]


def stop(r: Routine, node: ast.Stop) -> list[core.Stmt]:
    """Check ``stop``, which leaves the innermost loop."""
    if not r.loops:
        hint = "`stop` leaves the innermost `for each`, `each player` or `repeat`; the game ends with `end game`"
        r.error(diagnostic_codes.STOP_OUTSIDE_LOOP, "there is no loop to stop here", node.span, hint)
    return [core.Stop(node.span)]


def looped(r: Routine, body: ast.Block) -> Stmts:
    """Check the body of a loop, in which ``stop`` is allowed."""
    r.loops += 1
    found = r.block(body)
    r.loops -= 1
    return found


def split(r: Routine, node: ast.Split) -> list[core.Stmt]:
    """Check a split of an amount among items. It records the variables that store the progress between questions."""
    span, site = node.span, r.notes.site()
    left, _, _ = (_kept(r, site, what, type, span) for what, type in (("Left", INT), ("Part", INT), ("Settled", BOOL)))
    amount = expect(r, node.amount, INT, "as an amount to split")
    source = list_value(r, node.source)
    chooser = choosing_player(r, node.by, span)
    item = item_type(source)
    own = tuple(r.locals.slot() for _ in range(5))
    with r.frame(), r.narrowing():
        slot = r.bind(node.item, item, node.item_span, exempt=True)
        condition = item_condition(r, node.condition, slot, item)
        most = expect(r, node.most, INT, "after `at most`")
        this = core.Local(item, node.item_span, slot, node.item)
        asked = core.TextTemplate(TEXT, span, ("How many of ", left, " for ", this, "?"))
        prompt = asked if node.prompt is None else text_template(r, node.prompt)
        number = r.bind(node.name, INT, node.name_span)
        chosen = core.Local(INT, node.name_span, number, node.name)
        said = core.TextTemplate(TEXT, span, (this, ": ", chosen))
        label = said if node.label is None else text_template(r, node.label)
        body = looped(r, node.body)
    return [
        Split(
            span,
            site,
            chooser,
            prompt,
            label,
            amount,
            source,
            condition,
            most,
            SplitName(slot, node.item, item, node.item_span),
            SplitName(number, node.name, INT, node.name_span),
            own,
            body,
        )
    ]


def _kept(r: Routine, site: int, what: str, type: Type, span: Span) -> core.ReadCell:
    """Declare a variable that stores part of a split's progress, and return a read of it."""
    name = kept_name(f"split{site}", what)
    origin = Origin(SPLITS, str(site), what)
    r.notes.kept[name] = kept_variable(name, type, False if type == BOOL else 0, span, origin)
    return core.ReadCell(type, span, name, ())
