"""Check loops, random results, splits of an amount, and the end of the game."""

from __future__ import annotations

from .. import core
from ..core.generated_part_origins import ENDINGS, SPLITS, Origin
from ..core.internal_names_and_internal_variables import make_hidden_variable, make_internal_name
from ..desugar.split_statements_blank_cards_invariants_and_secret_names import Split, SplitLoopBuilder
from ..source import diagnostic_codes as codes
from ..source.source import Span
from ..syntax import ast
from ..types.types import BOOL, INT, PLAYER, TEXT, ListType
from .choices_and_simultaneous_choices import check_at_once, check_choice_vars, check_chooser, require_option
from .code_fields_templates_and_check_cache import check_template, check_template_text
from .coercions import check_condition, check_expected, check_list, check_players, convert_to, get_item_type
from .context import Routine, Stmts
from .list_expressions_and_connected_regions import check_item_condition, open_item_scope
from .symbol_table import report_unknown


def check_random(routine: Routine, node: ast.Random) -> list[core.Stmt]:
    """Check a ``roll`` or ``pick … at random`` and return one Random.

    Its ``stream``, which gives the random numbers, is ``dice`` for a ``roll`` and ``picks`` for a ``pick``, but
    ``setup`` for both if ``routine.is_setup``. Without a block, its ``body`` and ``otherwise`` are (), the name stays
    in scope, and MAY_BE_EMPTY is reported for a condition, or for a list that can be empty. With a block, neither is
    reported, and ``otherwise`` is the block after ``else``. Appends ``(routine.local_facts, random)`` to
    ``routine.notes.choices``.
    """
    stream = "setup" if routine.is_setup else node.stream
    if node.body is None:
        (var,) = check_choice_vars(routine, (node.var,))
        require_option(routine, (var,))
        return [_make_random(routine, node.span, var, stream, (), ())]
    with routine.open_scope(), routine.restore_narrowing():
        (var,) = check_choice_vars(routine, (node.var,))
        body = routine.check_block(node.body)
    return [_make_random(routine, node.span, var, stream, body, routine.check_block(node.otherwise))]


def _make_random(
    routine: Routine, span: Span, var: core.ChoiceVar, stream: str, body: Stmts, otherwise: Stmts
) -> core.Random:
    me = routine.locals.find("me") if var.is_secret else None
    actor = None if me is None else core.Local(PLAYER, span, me.slot, "me")
    draw = core.Random(
        span, var.slot, var.name, var.domain, var.condition, stream, body, otherwise, var.is_secret, actor
    )
    routine.notes.choices.append((routine.local_facts, draw))
    return draw


_ENDING_ORIGIN = Origin(ENDINGS, part="note")


def check_end_game(routine: Routine, node: ast.EndGame) -> list[core.Stmt]:
    """Check ``end game [by CHART] [for PLAYERS] [because REASON]``, and return its statements in this order:

    1. ``by``: a SetCell stores the number of the chart, from 1. An unknown chart is reported and gives no SetCell.
    2. ``for``: a Let binds the list of players, and a ForEach over all players stores who can win. Players of a wrong
       type are reported, and both statements stay.
    3. The last statement is always an EndGame. Its ``reason`` is a TextTemplate, or None without a reason. It is
       also None after reporting an unknown ending, or an ending whose label can't be parsed.

    ``notes.has_ending_with_winner`` becomes True with ``by`` or ``for``, even after a report. With neither, appends the
    span to ``notes.endings_without_winner``. Adds a known chart to ``notes.used_charts``, and the text of a reason that
    is not None to ``notes.ending_reasons``, such as ``{} wins``. For an ending, ``notes.used_endings[name]`` is set to
    its text, too. Example: ``end game for [me]`` gives ``[Let, ForEach, EndGame]``.
    """
    prelude: list[core.Stmt] = []
    if node.chart is not None:
        prelude += _store_chart(routine, node.chart)
        routine.notes.has_ending_with_winner = True
    if node.players is not None:
        prelude += _store_winners(routine, node.players)
    if node.chart is None and node.players is None:
        routine.notes.endings_without_winner.append(node.span)
    return [*prelude, core.EndGame(node.span, None if node.reason is None else _check_reason(routine, node.reason))]


def _check_reason(routine: Routine, node: ast.TextLit | ast.Name) -> core.TextTemplate | None:
    """Check why the game ends: a text, or the name of an ending, whose label uses the names of this place.

    Records the reason with ``{}`` for each inserted value, and an ending as used. Returns None after a report.
    """
    if isinstance(node, ast.TextLit):
        reason: core.TextTemplate | None = check_template(routine, node)
    elif node.name in routine.names.endings:
        reason = check_template_text(routine, routine.names.endings[node.name].label)
    else:
        hint = "declare it under `endings`, or write a text in quotes"
        report_unknown(routine.report, "ending", node.name, node.span, routine.names.endings, hint)
        return None
    if reason is not None:
        text = "".join(part if isinstance(part, str) else "{}" for part in reason.parts)
        routine.notes.ending_reasons.add(text)
        if isinstance(node, ast.Name):
            routine.notes.used_endings[node.name] = text
    return reason


def _store_chart(routine: Routine, name: ast.Name) -> list[core.Stmt]:
    """Return the statements that store the chart of an ending."""
    charts = list(routine.names.charts)
    if name.name not in charts:
        hint = "declare it under `charts` of `scoring`"
        report_unknown(routine.report, "chart", name.name, name.span, charts, hint)
        return []
    routine.notes.used_charts.add(name.name)
    number = core.Const(INT, name.span, 1 + charts.index(name.name))
    return [core.SetCell(name.span, core.ENDING_VARIABLE, (), "set", number, origin=Origin(ENDINGS, name.name))]


def _store_winners(routine: Routine, node: ast.Expr) -> list[core.Stmt]:
    """Return the statements that store who can win."""
    winners = check_players(routine, node, "after `for`")
    routine.notes.has_ending_with_winner = True
    span = node.span
    winner_list = core.Local(ListType(PLAYER), span, routine.locals.allocate_slot(), "named")
    player = core.Local(PLAYER, span, routine.locals.allocate_slot(), "player")
    can_win = core.Binary(BOOL, span, "in", player, winner_list)
    note = core.SetCell(span, core.CAN_WIN_VARIABLE, (player,), "set", can_win, origin=_ENDING_ORIGIN)
    all_players = core.Players(ListType(PLAYER), span)
    loop = core.ForEach(span, player.slot, "player", all_players, None, (note,), origin=_ENDING_ORIGIN)
    return [core.Let(span, winner_list.slot, "named", winners, origin=_ENDING_ORIGIN), loop]


def check_for_each(routine: Routine, node: ast.ForEach) -> list[core.Stmt]:
    """Check ``for each``. Returns one ForEach, even if the source is faulty."""
    with open_item_scope(routine, node) as (slot, source, condition):
        body = _check_loop_body(routine, node.body)
    return [core.ForEach(node.span, slot, node.name, source, condition, body)]


def check_each_player(routine: Routine, node: ast.EachPlayer) -> list[core.Stmt]:
    """Check ``each player``: a block for each player, in seat order, from a start player, or in the order of a list.

    Returns one ForEach that binds ``me`` and has the condition of ``where``, if any. Its source is a Players, the list,
    or ``clockwise_from`` with the start player, as a CallBuiltin. With ``anticlockwise``, which the grammar doesn't
    allow with a list, the source is ``reverse`` of the Players, or ``anticlockwise_from``. With ``at once``, returns
    the five statements of :func:`check_at_once` instead. Faulty parts are reported and stay in the statements.
    """
    players = ListType(PLAYER)
    source: core.Expr = core.Players(players, node.span)
    is_reversed = node.direction == "anticlockwise"
    if node.source is not None:
        source = convert_to(routine, check_list(routine, node.source, players), players, "after `in`")
    elif node.start is not None:
        start = check_expected(routine, node.start, PLAYER, "after `from`")
        source = core.CallBuiltin(players, node.span, f"{node.direction or 'clockwise'}_from", (start,))
    elif is_reversed:
        source = core.CallBuiltin(players, node.span, "reverse", (source,))
    if node.is_simultaneous:
        return check_at_once(routine, node, source)
    with routine.open_scope(), routine.restore_narrowing():
        slot = routine.bind_me(node.span)
        condition = check_item_condition(routine, node.condition, slot, PLAYER)
        body = _check_loop_body(routine, node.body)
    return [core.ForEach(node.span, slot, "me", source, condition, body)]


def check_repeat(routine: Routine, node: ast.Repeat) -> list[core.Stmt]:
    """Check ``repeat``: a block a number of times, or while or until a condition holds, with an upper bound.

    Returns one Repeat, in which a missing number, condition or bound is None. An ``until`` becomes a ``while`` with the
    negated condition. The block narrows the types of locals by the condition: in
    ``repeat until x is none, at most 9 times``, ``x`` is not optional.
    """
    times = None if node.times is None else check_expected(routine, node.times, INT, "as a number of times")
    condition = None if node.condition is None else check_condition(routine, node.condition)
    if condition is not None and node.is_until:
        condition = core.Unary(BOOL, condition.span, "not", condition)
    max_rounds = None if node.bound is None else check_expected(routine, node.bound, INT, "after `at most`")
    with routine.restore_narrowing():
        if condition is not None:
            routine.narrow(condition, True)
        body = _check_loop_body(routine, node.body)
    return [core.Repeat(node.span, times, condition, max_rounds, body)]


def check_stop(routine: Routine, node: ast.Stop) -> list[core.Stmt]:
    """Check ``stop``, which leaves the innermost loop.

    Outside a loop, reports an error, but still returns the statement.
    """
    if not routine.loops:
        hint = "put `stop` inside `for each`, `each player` or `repeat`; to end the game, write `end game`"
        routine.report_error(codes.STOP_OUTSIDE_LOOP, "this `stop` is not inside a loop", node.span, hint)
    return [core.Stop(node.span)]


def _check_loop_body(routine: Routine, body: ast.Block) -> Stmts:
    """Check the body of a loop in a scope of its own, in which ``stop`` is allowed, and return its core statements in
    order.
    """
    routine.loops += 1
    statements = routine.check_block(body)
    routine.loops -= 1
    return statements


def check_split(routine: Routine, node: ast.Split) -> list[core.Stmt]:
    """Check a split of an amount among items, and return the statements that determine the part of each item.

    They are ``[Let, Let, SetCell, SetCell, ForEach]``. The Lets bind the list of the different items that meet the
    condition, and the list of their limits, at least 0. The SetCells set ``split7_Left``, the rest, to the amount, or
    to the sum of the limits if that is smaller, and ``split7_Settled`` to False. The ForEach goes over the positions of
    the items, from 0, and its condition is that the rest is above 0. The default prompt is
    ``How many of REST for ITEM?``, the default label ``ITEM: NUMBER``. Adds both variables, and ``split7_Part`` for the
    current part, to ``routine.notes.hidden_variables``. Here 7 is ``routine.notes.site_count`` before the call, which
    adds 1 to it. Choices and splits that were checked before have raised it, too.
    """
    span, site = node.span, routine.notes.allocate_site()
    for suffix, type, start in (("Left", INT, 0), ("Part", INT, 0), ("Settled", BOOL, False)):
        name = make_internal_name(f"split{site}", suffix)
        variable = make_hidden_variable(name, type, start, span, Origin(SPLITS, str(site), suffix))
        routine.notes.hidden_variables[name] = variable
    remaining = core.ReadCell(INT, span, make_internal_name(f"split{site}", "Left"), ())
    amount = check_expected(routine, node.amount, INT, "as an amount to split")
    source = check_list(routine, node.source)
    chooser = check_chooser(routine, node.by, span)
    item = get_item_type(source)
    extra_slots = tuple(routine.locals.allocate_slot() for _ in range(5))
    with routine.open_scope(), routine.restore_narrowing():
        slot = routine.bind(node.item, item, node.item_span, is_exempt=True)
        condition = check_item_condition(routine, node.condition, slot, item)
        max_part = check_expected(routine, node.limit, INT, "after `at most`")
        item_local = core.Local(item, node.item_span, slot, node.item)
        question = core.TextTemplate(TEXT, span, ("How many of ", remaining, " for ", item_local, "?"))
        prompt = question if node.prompt is None else check_template(routine, node.prompt)
        number = routine.bind(node.name, INT, node.name_span)
        number_local = core.Local(INT, node.name_span, number, node.name)
        option_label = core.TextTemplate(TEXT, span, (item_local, ": ", number_local))
        label = option_label if node.label is None else check_template(routine, node.label)
        body = _check_loop_body(routine, node.body)
    parts = (chooser, prompt, label, amount, source, condition, max_part, item_local, number_local, extra_slots, body)
    return SplitLoopBuilder(Split(span, site, *parts)).build_loop()
