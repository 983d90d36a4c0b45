"""Check bare names, and calls of queries, functions and effects."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .. import core
from ..source import diagnostic_codes as codes
from ..source.diagnostics import name_subjects, replace_text
from ..source.source import Span, prepend_article, quote_list, to_snake_case
from ..source.spelling_suggestions import compute_edit_distance, suggest_name
from ..syntax import ast
from ..syntax.keywords_operators_and_mistaken_words import MISTAKEN_WORDS, NOTATIONS
from ..types.builtin_functions_members_and_statements import FUNCTIONS, MEMBERS, PLAYERS, Builtin, TypeVariable
from ..types.types import (
    BOOL,
    INT,
    NOTHING,
    PLAYER,
    TEXT,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NoneType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    optional,
    strip_optional,
)
from .argument_matching import check_discarded_arguments, match_arguments
from .call_graph_and_size_limits import Owner
from .coercions import check_expected, check_expression, check_list, convert_to, convert_to_list, get_item_type
from .context import (
    REASONS_OUT_OF_SCOPE,
    LocalName,
    Routine,
    is_faulty,
    make_block_subjects,
    make_faulty,
    make_player_subjects,
)
from .indexing_and_member_subjects import (
    check_card_before,
    check_player_before,
    check_value_before,
    is_subject_faulty,
    report_member_arguments,
)
from .list_expressions_and_connected_regions import REGION_NOTATIONS, check_region
from .space_direction_and_seat_members import (
    check_board_member,
    check_distance,
    check_space_at,
    find_board,
    has_board_member,
    make_direction_list,
)
from .symbol_table import (
    ActionSymbol,
    BrokenSymbol,
    CallableSymbol,
    EffectSymbol,
    EnumValueSymbol,
    OptionSymbol,
    Parameters,
    PlaceSymbol,
    QuerySymbol,
    Reference,
    Symbol,
    TypeSymbol,
    WindowSymbol,
    ZoneSymbol,
    report_unknown,
    suggest_for_chance,
    suggest_for_name,
)
from .variable_and_zone_access import resolve_bare_place


def _check_arguments(
    routine: Routine, symbol: Symbol, params: Parameters, args: tuple[ast.Argument, ...], span: Span
) -> list[core.Expr]:
    """Match arguments with parameters and check them.

    Returns them in parameter order. An argument of the wrong type is reported, and its item is faulty. Returns [] after
    reporting arguments that don't match.
    """
    param_list = ", ".join(f"`{name}: {type}`" for name, type in params)
    callee, usage = f"the {symbol.kind} `{symbol.name}`", f"`{symbol.name}` takes {param_list or 'no arguments'}"
    values = match_arguments(routine, callee, [name for name, _ in params], args, span, usage, symbol)
    if values is None:
        return []
    return [check_expected(routine, values[name], type, f"for `{name}`") for name, type in params]


def make_query_call(
    routine: Routine, symbol: QuerySymbol, args: tuple[core.Expr, ...], span: Span, name_span: Span
) -> core.Expr:
    """Return a CallQuery at ``span`` of a query with all its arguments, which are taken as they are.

    Adds the query's name to ``routine.notes.used_names`` and ``read_names``. ``routine.notes.graph`` gets the call at
    ``name_span``, unless it has one of this query by ``routine.owner``.
    """
    routine.record_use(symbol, span)
    routine.notes.graph.add_call(routine.owner, Owner("query", symbol.name), name_span)
    return core.CallQuery(routine.names.queries.find_type(symbol.name), span, symbol.name, args)


def check_query_call(
    routine: Routine,
    symbol: QuerySymbol,
    subject: core.Expr | None,
    args: tuple[ast.Argument, ...],
    span: Span,
    name_span: Span,
) -> core.Expr:
    """Check a call of a query, and record its use in the notes and in the call graph.

    ``subject`` is the player or card before the dot; None means ``me``. Returns a CallQuery with the arguments that
    :func:`check_all_arguments` returns.
    """
    values = check_all_arguments(routine, symbol, subject, args, span, name_span)
    return make_query_call(routine, symbol, values, span, name_span)


def check_all_arguments(
    routine: Routine,
    symbol: CallableSymbol,
    subject: core.Expr | None,
    args: tuple[ast.Argument, ...],
    span: Span,
    name_span: Span,
) -> tuple[core.Expr, ...]:
    """Return all arguments of a call of a query or effect in one tuple.

    A routine of a player gets the player first: ``subject``, or ``me`` if ``subject`` is None or a card. A member of
    cards then gets the card ``subject``. The written arguments follow in the order of the parameters: ``p.rich(2)``
    gives (Local ``p``, Const 2), and ``ace.worth(2)`` (Local ``me``, ``subject``, Const 2) if ``worth`` is per player.
    A player before a routine that belongs to none is left out, and reported at ``name_span`` unless it is faulty. A
    missing ``me`` is reported at ``name_span``, and becomes a faulty expression, as does each argument of the wrong
    type. The first surplus, unknown or repeated argument is reported, or else all missing ones together at ``span``.
    All written arguments are then left out.
    """
    card = (subject,) if subject is not None and isinstance(subject.type, ComponentType) else ()
    player: tuple[core.Expr, ...] = ()
    if symbol.is_per_player and (subject is None or card):
        arguments = "(…)" if symbol.params or isinstance(symbol, EffectSymbol) else ""
        call = f"{routine.example_player}.{symbol.name}{arguments}"
        reason = f"the {symbol.kind} `{symbol.name}` belongs to a player"
        player = (routine.get_actor(name_span, reason, "" if card else f"say who owns it: `{call}`"),)
    elif symbol.is_per_player and subject is not None:
        player = (subject,)
    elif subject is not None and not card and not is_faulty(subject):
        message = f"the {symbol.kind} `{symbol.name}` belongs to no player"
        hint = f"write `{symbol.name}` alone, or declare it with `per: Player`"
        subjects = make_player_subjects(symbol.name)
        notes = symbol.notes
        routine.report_error(codes.UNKNOWN_MEMBER, message, name_span, hint, notes, subjects, is_consequence=True)
    params = symbol.params[1:] if card else symbol.params
    return (*player, *card, *_check_arguments(routine, symbol, params, args, span))


def report_effect_as_value(routine: Routine, symbol: Symbol, span: Span) -> core.Expr:
    """Report EFFECT_AS_VALUE for an effect, window or action that is used as a value. Returns a faulty expression.

    The message is “`draw` is an effect: it does something and has no value”, with the name and kind of the symbol:
    “`buy` is an action: …”. The hint is “call it as a statement”, for a window “write `open answers(…): …`”, or for an
    action “write `take action buy`”. The name is added to ``routine.notes.used_names``.
    """
    hint = f"write `take action {symbol.name}`"
    if isinstance(symbol, WindowSymbol):
        hint = f"write `open {symbol.name}(…): …`"
    elif isinstance(symbol, EffectSymbol):
        hint = "call it as a statement"
    message = f"`{symbol.name}` is {prepend_article(symbol.kind)}: it does something and has no value"
    return routine.report_misuse(symbol, codes.EFFECT_AS_VALUE, message, span, hint)


def check_card_query(
    routine: Routine, card: core.Expr, node: ast.Member, args: tuple[ast.Argument, ...], span: Span
) -> core.Expr:
    """Check a call of a query of the card's kind, such as ``ace.strength(2)``, and return it as a core.CallQuery.

    The CallQuery's ``args`` are ``me`` if the query is per player, then the card, then the written arguments in
    parameter order. Here they are the Local ``me``, a Const of ``ace`` and the Const 2. An argument of the wrong type,
    and a missing ``me``, are reported and become faulty expressions. After a report of missing, surplus, unknown or
    repeated arguments, the call has no written ones. If ``node.name`` is a field, effect, action or unknown name, this
    is reported at ``node.name_span``, and the result is a faulty expression. A name that the kind declares twice gives
    one without a report. A query with a faulty value or parameter type is called like any other.
    """
    symbol = routine.names.symbols.get(f"{card.type}.{node.name}")
    if isinstance(symbol, QuerySymbol):
        return check_query_call(routine, symbol, card, args, span, node.name_span)
    check_discarded_arguments(routine, args)
    if isinstance(symbol, BrokenSymbol):
        routine.notes.used_names.add(symbol.name)
        return make_faulty(span)
    if isinstance(symbol, EffectSymbol):
        return report_effect_as_value(routine, symbol, node.name_span)
    if isinstance(symbol, ActionSymbol):
        message = f"`{node.name}` is an action of the card: it does something and has no value"
        hint = f"ask `card can {node.name}`, or write `use {node.name} of card`"
        return routine.report_misuse(symbol, codes.EFFECT_AS_VALUE, message, node.name_span, hint)
    if node.name in list_card_members(routine, str(card.type)):
        message = f"`{node.name}` takes no arguments"
        return routine.report_error(codes.WRONG_ARGUMENTS, message, node.name_span, "remove the parentheses")
    return check_expression(routine, node)  # reports the unknown member


def list_card_members(routine: Routine, kind: str) -> list[str]:
    """Return the names of all members that a card of a kind has, without duplicates.

    First come its fields, then the queries, effects, actions and keywords declared for the kind, then the built-in
    ``original``, ``copies`` and ``printed``. The indices of all zones that hold the kind follow: ``holder`` for a
    player, otherwise the type in snake case. An index that is a number has no name.
    """
    declared_names = [name.removeprefix(f"{kind}.") for name in routine.names.symbols if name.startswith(f"{kind}.")]
    members = [
        *routine.names.kinds[kind].fields,
        *(name for name in declared_names if " " not in name),
        "original",
        "copies",
        "printed",
    ]
    index_names = [
        _get_index_name(dim.type) for zone in find_zones_of_kind(routine, ComponentType(kind)) for dim in zone.dims
    ]
    return list(dict.fromkeys([*members, *filter(None, index_names)]))


def find_zones_of_kind(routine: Routine, kind: ComponentType) -> list[ZoneSymbol]:
    """Return the zones that hold a kind of component, in declared order, or [] if there are none."""
    return [zone for zone in routine.names.symbols.values() if isinstance(zone, ZoneSymbol) and zone.holds == kind]


def find_zone_index_type(routine: Routine, kind: ComponentType, name: str) -> Type | None:
    """Return the type of a member that names an index of the card's zone: ``holder``, or a type in snake case.

    Returns None if no zone for this kind has such an index.
    """
    dims = (dim.type for zone in find_zones_of_kind(routine, kind) for dim in zone.dims)
    return next((type for type in dims if _get_index_name(type) == name), None)


def _get_index_name(type: Type) -> str:
    """Return the member that names an index of a zone. It is empty for a number."""
    if isinstance(type, IntType):
        return ""
    return "holder" if isinstance(type, PlayerType) else to_snake_case(str(type))


def _check_function_call(routine: Routine, row: Builtin, node: ast.Call, expected: Type | None) -> core.Expr:
    """Check a call of a built-in function, given the function's row in the table.

    Its type variable is inferred from the arguments, left to right. Returns a faulty expression after reporting
    arguments that don't match.
    """
    usage = f"its form is `{row.signature}`, for example `{row.example}`"
    params = [param.name for param in row.params]
    values = match_arguments(routine, f"`{row.name}`", params, node.args, node.span, usage)
    if values is None:
        return make_faulty(node.span)
    return _check_function_arguments(routine, row, list(values.values()), node.span, expected)


def _check_function_arguments(
    routine: Routine, row: Builtin, args: list[ast.Expr], span: Span, expected: Type | None
) -> core.Expr:
    """Check the arguments of a built-in function, in the order of its parameters, and infer its type variable.

    Returns a CallBuiltin, or a faulty expression if an argument is faulty. The type variable comes from ``expected``
    first, then from the arguments; it is NOTHING if nothing tells it.
    """
    variable: Type | None = None
    values: list[core.Expr] = []
    if expected is not None and row.type is not None and args:
        variable = _solve_type(row.type, expected)
    for param, arg in zip(row.params, args, strict=True):
        role = f"for `{param.name}` of `{row.name}`"
        if not isinstance(param.type.item if isinstance(param.type, ListType) else param.type, TypeVariable):
            values.append(check_expected(routine, arg, param.type, role))
            continue
        expected_param = substitute_type(param.type, variable) if variable is not None else None
        value = check_expression(routine, arg, expected_param)
        if isinstance(param.type, ListType):
            value = convert_to_list(routine, value)
            variable = _solve_type(param.type, value.type) or variable
        elif variable is not None:
            value = convert_to(routine, value, variable, role)
        values.append(value)
    if any(map(is_faulty, values)):
        return make_faulty(span)
    assert row.type is not None
    return core.CallBuiltin(substitute_type(row.type, variable or NOTHING), span, row.name, tuple(values))


def substitute_type(type: Type, replacement: Type) -> Type:
    """Return a type with its type variable replaced: ``List[T]`` and ``Int`` give ``List[Int]``."""
    if isinstance(type, TypeVariable):
        return replacement
    if isinstance(type, OptionalType):
        return optional(substitute_type(type.item, replacement))
    return ListType(substitute_type(type.item, replacement)) if isinstance(type, ListType) else type


def _solve_type(pattern: Type, actual: Type) -> Type | None:
    """Match a type with a pattern and return the value of its type variable. None if it stays unknown."""
    if isinstance(pattern, TypeVariable):
        return None if isinstance(actual, NothingType | NoneType) else actual
    if isinstance(pattern, OptionalType) and isinstance(actual, OptionalType):
        return _solve_type(pattern.item, actual.item)
    if isinstance(pattern, ListType) and isinstance(actual, ListType):
        return _solve_type(pattern.item, actual.item)
    return None


SEAT_ORDER_FUNCTIONS = {"next": "clockwise_from", "previous": "anticlockwise_from"}
"""Function that returns a neighbour of a player -> the function that lists the players in that direction."""


def make_distinct_cards(routine: Routine, cards: core.Expr, span: Span) -> core.Expr:
    """Return a Distinct for the first card of each set of copies in a list, in the order of the list."""
    slot = routine.locals.allocate_slot()
    return core.Distinct(cards.type, span, slot, cards, _make_original(cards, slot, span))


def _make_counted_text(routine: Routine, cards: core.Expr, span: Span) -> core.Expr:
    """Return a text that lists each set of copies once, preceded by its size if it is above 1, as in ``2 Fire``.

    Copies need not be neighbours in the list: a set stands where its first card does.
    """
    card_slot, other_slot = routine.locals.allocate_slot(), routine.locals.allocate_slot()
    card = core.Local(get_item_type(cards), span, card_slot, "it")
    is_same_card = core.Binary(
        BOOL, span, "=", _make_original(cards, other_slot, span), _make_original(cards, card_slot, span)
    )
    number = core.Fold(INT, span, other_slot, cards, "count", None, is_same_card)
    is_one = core.Binary(BOOL, span, "=", number, core.Const(INT, span, 1))
    card_text = core.IfExpr(
        TEXT, span, is_one, core.TextTemplate(TEXT, span, (card,)), core.TextTemplate(TEXT, span, (number, " ", card))
    )
    return core.TextTemplate(
        TEXT,
        span,
        (core.MapList(ListType(TEXT), span, card_slot, make_distinct_cards(routine, cards, span), None, card_text),),
    )


ZONE_MEMBERS = {"sorts": make_distinct_cards, "counted": _make_counted_text}
"""Member of a zone -> the function that builds its value. The others are calls of functions."""


def _make_original(cards: core.Expr, slot: int, span: Span) -> core.Expr:
    kind = get_item_type(cards)
    return core.Field(kind, span, core.Local(kind, span, slot, "it"), "original")


def _check_next_among(routine: Routine, node: ast.Call, callee: ast.Member) -> core.Expr:
    """Check ``p.next(among: ps)``: the first player in ``ps`` after ``p`` in seat order, as a call of ``first``.

    ``p`` comes last, after a full round. ``previous`` searches in the other direction. Returns a faulty expression
    after reporting any arguments but a single ``among``. The call must have an argument.
    """
    player = check_expected(routine, callee.subject, PLAYER, f"before `.{callee.name}`")
    first_arg, *extra_args = node.args
    if first_arg.name != "among" or extra_args:
        message, hint = f"`{callee.name}` takes some players by name", f"write `p.{callee.name}(among: players)`"
        return routine.report_error(codes.WRONG_ARGUMENTS, message, node.span, hint)
    candidates = convert_to(routine, check_list(routine, first_arg.value, PLAYERS), PLAYERS, "for `among`")
    span, slot = node.span, routine.locals.allocate_slot()
    start = core.CallBuiltin(PLAYER, span, callee.name, (player,))
    round_table = core.CallBuiltin(PLAYERS, span, SEAT_ORDER_FUNCTIONS[callee.name], (start,))
    is_candidate = core.Binary(BOOL, span, "in", core.Local(PLAYER, span, slot, "it"), candidates)
    return core.CallBuiltin(PLAYER, span, "first", (core.Filter(PLAYERS, span, slot, round_table, is_candidate),))


def check_call(routine: Routine, node: ast.Call, expected: Type | None) -> core.Expr:
    """Check ``name(args)``, ``p.name(args)`` or ``card.name(args)`` as a value.

    A bare name is, in this order: a query, a board, ``distance`` with a space as its first argument, ``group`` or
    ``groups``, or a built-in function. A local hides the first two, and a declaration the last two kinds. ``group`` and
    the like need a board in the ruleset. After a card and a dot, a name is a query of the card. After anything else and
    a dot, it is the first of these that fits:

    1. a member of a board, such as that of a space
    2. a query, with the player before the dot. If it belongs to no player, that player is reported and left out
    3. a function that is also a member, without arguments: ``xs.first()``
    4. ``next`` or ``previous`` with ``(among: …)``

    All else is faulty, and reported unless its declaration or the value before the dot was. ``p.score(2)`` gives the
    CallQuery of ``score`` with ``p`` and 2 as arguments, and ``count(xs)`` the CallBuiltin of ``count`` with ``xs``.
    Without ``p.``, the player is ``me``.
    """
    callee = node.callee
    if isinstance(callee, ast.Member):
        return _check_member_call(routine, node, callee, expected)
    if isinstance(callee, ast.Name):
        symbol = None if routine.locals.find(callee.name) else routine.names.symbols.get(callee.name)
        if isinstance(symbol, QuerySymbol):
            return check_query_call(routine, symbol, None, node.args, node.span, callee.span)
        if isinstance(symbol, TypeSymbol) and symbol.name in routine.names.boards:
            routine.record_use(symbol, callee.span)
            return check_space_at(routine, routine.names.boards[symbol.name], node)
        if callee.name == "distance" and routine.names.boards and node.args:
            first_value = check_expression(routine, node.args[0].value)
            if is_faulty(first_value) or find_board(routine, first_value.type) is not None:
                return make_faulty(node.span) if is_faulty(first_value) else check_distance(routine, node, first_value)
        if symbol is None and callee.name in REGION_NOTATIONS and routine.names.boards:
            return check_region(routine, callee.name, node)
        if symbol is None and callee.name in FUNCTIONS:
            return _check_function_call(routine, FUNCTIONS[callee.name], node, expected)
        return _report_no_value(routine, callee.name, symbol, callee.span, node)
    return routine.report_error(codes.WRONG_ARGUMENTS, "only queries and functions are called", node.span)


def _check_member_call(routine: Routine, node: ast.Call, callee: ast.Member, expected: Type | None) -> core.Expr:
    """Check ``p.name(args)`` or ``card.name(args)`` as a value, in the order that :func:`check_call` lists."""
    card = check_card_before(routine, callee)
    if card is not None:
        return check_card_query(routine, card, callee, node.args, node.span)
    value = check_value_before(routine, callee) if routine.names.boards else None
    if value is not None and has_board_member(routine, value.type, callee.name):
        return check_board_member(routine, value, callee, node.args, node.span)
    symbol = routine.names.symbols.get(callee.name)
    if isinstance(symbol, QuerySymbol):
        owner = check_player_before(routine, callee)
        return check_query_call(routine, symbol, owner, node.args, node.span, callee.name_span)
    if symbol is None and callee.name in FUNCTIONS and not node.args:
        return check_expression(routine, callee, expected)
    if symbol is None and node.args and callee.name in SEAT_ORDER_FUNCTIONS:
        return _check_next_among(routine, node, callee)
    if is_subject_faulty(routine, callee):
        return make_faulty(node.span)
    if symbol is None and callee.name in MEMBERS:
        check_discarded_arguments(routine, node.args)
        return report_member_arguments(routine, node, callee)
    return _report_no_value(routine, callee.name, symbol, callee.name_span, node)


def _report_no_value(routine: Routine, name: str, symbol: Symbol | None, span: Span, call: ast.Call) -> core.Expr:
    """Report a call that has no value, unless its symbol is broken, and return a faulty expression."""
    if isinstance(symbol, BrokenSymbol):
        routine.notes.used_names.add(name)
        return make_faulty(span)
    if isinstance(symbol, EffectSymbol | ActionSymbol):
        return report_effect_as_value(routine, symbol, span)
    if isinstance(symbol, PlaceSymbol):
        routine.notes.used_names.add(symbol.name)
        source_text = call.span.source.text
        indexed_text, hint = source_text[call.span.start : span.end], "remove the parentheses"
        if call.args:
            indexed_text += f"[{source_text[call.args[0].span.start : call.args[-1].span.end]}]"
            hint = f"put indices in square brackets: `{indexed_text}`"
        message, fixes = f"`{name}` is a {symbol.kind} and can't be called", [replace_text(call.span, indexed_text)]
        return routine.report_error(codes.WRONG_ARGUMENTS, message, call.span, hint, symbol.notes, fixes=fixes)
    if symbol is not None or routine.locals.find(name):
        message = f"`{name}` is not a query or function and can't be called"
        return routine.report_error(codes.WRONG_ARGUMENTS, message, span)
    chance_hint = suggest_for_chance(name)
    value_names = [*routine.names.list_named(QuerySymbol), *FUNCTIONS] if chance_hint is None else ()
    report_unknown(routine.report, "query or function", name, span, value_names, chance_hint)
    return make_faulty(span)


def check_do(routine: Routine, node: ast.Do) -> list[core.Stmt]:
    """Check ``effect(args)``, ``p.effect(args)`` or ``card.effect(args)`` as a statement.

    Returns one CallEffect. Its arguments are the player, if the effect has one, the card of a card's effect, and the
    written arguments. If no player is written, the player is ``me``. A faulty player or argument, and a missing ``me``,
    are reported and stay in the CallEffect as faulty expressions. A player before an effect without one is reported and
    dropped. After reporting surplus, unknown, repeated or missing arguments, the CallEffect has none of the written
    ones: only ``me`` for ``gain(2, 3)``. Returns [] for anything that is no effect, after a report. A name with a
    BrokenSymbol, such as one that is declared twice, gives [] without a report.
    """
    call = node.call
    callee = call.callee
    if isinstance(callee, ast.Member):
        name, name_span = callee.name, callee.name_span
        card = check_card_before(routine, callee)
        if card is not None:
            return _check_card_effect(routine, card, callee, call)
    elif isinstance(callee, ast.Name):
        name, name_span = callee.name, callee.span
    else:
        routine.report_error(codes.VALUE_AS_STATEMENT, "this does nothing: only effects can be called here", call.span)
        return []
    symbol = routine.names.symbols.get(name)
    if not isinstance(symbol, EffectSymbol) or isinstance(symbol, WindowSymbol):
        check_discarded_arguments(routine, call.args)
        if isinstance(callee, ast.Member) and is_subject_faulty(routine, callee):
            return []
        if symbol is None and (name in NOTATIONS or name in MISTAKEN_WORDS):
            _report_statement(routine, name, callee, name_span)
        else:
            _report_no_effect(routine, name, symbol, name_span)
        return []
    owner = check_player_before(routine, callee) if isinstance(callee, ast.Member) else None
    return [_make_effect_call(routine, symbol, owner, call, name_span)]


def _make_effect_call(
    routine: Routine, symbol: EffectSymbol, subject: core.Expr | None, call: ast.Call, name_span: Span
) -> core.Stmt:
    """Return the call of an effect of the player or card ``subject``, and record its use in the notes and the call
    graph. None stands for ``me``.
    """
    values = check_all_arguments(routine, symbol, subject, call.args, call.span, name_span)
    routine.record_use(symbol, call.span)
    routine.notes.graph.add_call(routine.owner, Owner("effect", symbol.name), name_span)
    return core.CallEffect(call.span, symbol.name, values)


def _check_card_effect(routine: Routine, card: core.Expr, callee: ast.Member, call: ast.Call) -> list[core.Stmt]:
    """Check ``card.effect(args)`` as a statement.

    Returns one CallEffect, or [] after reporting that the card has no such effect.
    """
    name = f"{card.type}.{callee.name}"
    symbol = routine.names.symbols.get(name)
    if not isinstance(symbol, EffectSymbol):
        check_discarded_arguments(routine, call.args)
        if symbol is None and callee.name not in list_card_members(routine, str(card.type)):
            check_expression(routine, callee)  # reports the unknown member
        elif isinstance(symbol, ActionSymbol):
            message = f"`{callee.name}` is an action of the card for players, so it can't be called"
            hint = f"write `use {callee.name} of card`, or `take action {callee.name} of cards`"
            routine.report_misuse(symbol, codes.VALUE_AS_STATEMENT, message, callee.name_span, hint)
        elif not isinstance(symbol, BrokenSymbol):
            routine.notes.used_names.add(name)
            kind_of_member = "query" if isinstance(symbol, QuerySymbol) else "member"
            message = f"`{callee.name}` is a {kind_of_member} of the card: as a statement it does nothing"
            routine.report_error(codes.VALUE_AS_STATEMENT, message, callee.name_span, "call an effect of the card")
        return []
    return [_make_effect_call(routine, symbol, card, call, callee.name_span)]


def _report_statement(routine: Routine, word: str, callee: ast.Expr, span: Span) -> None:
    """Report a word that begins a statement but is written like a call of an effect."""
    shape, fixes = MISTAKEN_WORDS.get(word) or NOTATIONS[word], []
    if word == "shuffle" and isinstance(callee, ast.Member):
        subject = callee.subject.span
        shape = f"shuffle {subject.text}"
        call = re.compile(r" *\( *\)").match(subject.source.text, span.end)
        fixes = [replace_text(Span(subject.source, subject.start, call.end() if call else span.end), shape)]
    message, hint = f"there is no effect `{word}`", f"it is a statement: write `{shape}`"
    routine.report_error(codes.UNKNOWN_NAME, message, span, hint, subjects=name_subjects(word), fixes=fixes)


def _report_no_effect(routine: Routine, name: str, symbol: Symbol | None, span: Span) -> None:
    """Report a call, as a statement, of something that is no effect, and count it as used if it is declared.

    A broken symbol counts as used without a report.
    """
    if isinstance(symbol, BrokenSymbol):
        routine.notes.used_names.add(name)
    elif isinstance(symbol, ActionSymbol):
        message = f"`{name}` is an action for players, so it can't be called"
        hint = f"write `take action {name}`, or make an effect of it"
        routine.report_misuse(symbol, codes.VALUE_AS_STATEMENT, message, span, hint)
    elif isinstance(symbol, WindowSymbol):
        message = f"`{name}` is a window, which is opened and not called"
        hint = f"write `open {name}(…): …`"
        routine.report_misuse(symbol, codes.VALUE_AS_STATEMENT, message, span, hint)
    elif symbol is not None or name in FUNCTIONS:
        kind_of_name = symbol.kind if symbol is not None else "function"
        message = f"`{name}` is {prepend_article(kind_of_name)}: as a statement it does nothing"
        hint = f"keep the value with `let name = {name}…`, or call an effect"
        routine.notes.used_names.add(name)
        notes = symbol.notes if symbol is not None else []
        routine.report_error(codes.VALUE_AS_STATEMENT, message, span, hint, notes)
    else:
        members = (key for key, effect in routine.names.symbols.items() if isinstance(effect, EffectSymbol))
        kind = next((key.partition(".")[0] for key in members if key.partition(".")[2] == name), None)
        effects, hint = routine.names.list_named(EffectSymbol), "declare it under `effects`"
        if kind is not None:
            effects = []
            hint = f"it is an effect of `{kind}`: write `card.{name}(…)`, where `card` is the one that does it"
        report_unknown(routine.report, "effect", name, span, effects, hint)


_PLAIN_VALUES = ("players", "me", "none", "true", "false", "empty")
"""Words of the language that are values. Hints suggest them for misspelt names."""


MAX_LISTED_VALUES = 12
"""Maximum size of an enum for a hint that lists all its values."""


def check_identifier(routine: Routine, node: ast.Name, expected: Type | None) -> core.Expr | Reference:
    """Check a bare name.

    Locals come before ``me`` and ``players``, then declared names, then enum values and cards, then lists of
    directions. Returns a Reference for a place, whether or not it needs indices, and for a local that stands for a
    variable. A place of a player gets the index ``me``, unless it is a table: ``hand`` means ``me.hand``. Any other
    name gives an expression: that of a query a call, and that of a type a Const with all its values. ``Colour`` gives
    ``(0, 1)`` if it has two values, and ``red``, the first of them, 0. ``Player`` means ``players``, the list of all.
    ``expected`` chooses between enums and cards that share the name. Returns a faulty expression after reporting an
    ambiguous or unknown name, an effect or action, or a misplaced ``me``, ``it`` or ``this``. Nothing is reported if a
    faulty declaration may be the cause. After three other reports, ``hand`` without ``me`` gives a Reference with a
    faulty index, a query that needs arguments its call without them, and an ``it`` inside two conditions the Local of
    the inner one.
    """
    name, span = node.name, node.span
    local = routine.locals.find(name)
    if local is not None:
        local.is_used = True
        if local.hidden_local is not None:
            _report_nested_it(routine, local, span)
        if local.place is not None:
            return Reference(local.place, span)
        return core.Local(routine.narrowed_types.get(local.slot, local.type), span, local.slot, name)
    if name == "me":
        return routine.get_actor(span, "`me` is the player who acts", "name a player")
    if name == "it":
        hint = "`it` is the item in `xs where …` and `xs with most …`, and the value so far in a `while` rule"
        return routine.report_error(codes.NOBODY_ACTS, "`it` has no meaning here", span, hint)
    if name == "this":
        hint = "`this` is the card in what a card or its kind says: its `queries`, `effects` and `actions`"
        return routine.report_error(codes.NOBODY_ACTS, "`this` has no meaning here", span, hint)
    if name in ("players", "Player"):
        return core.Players(ListType(PLAYER), span)
    symbol = routine.names.symbols.get(name)
    if symbol is not None:
        return _check_symbol(routine, symbol, node)
    values = routine.names.values.get(name, [])
    constant = routine.names.constants.get(name)
    expected_type = None if expected is None else strip_optional(expected)
    if constant is not None and (not values or constant.type == expected_type):
        return core.Const(constant.type, span, constant.value)
    if constant is not None and all(value.enum != expected_type for value in values):
        return _report_ambiguous(routine, constant, values, span)
    if values:
        return _check_enum_value(routine, values, expected_type, span)
    return make_direction_list(routine, name, span) or _report_unknown(routine, name, span, expected_type)


def _report_nested_it(routine: Routine, inner_local: LocalName, span: Span) -> None:
    """Report an ambiguous ``it``: a condition stands inside another condition, and both have an item called ``it``."""
    source = routine.local_facts.sources.get(inner_local.slot)
    text = "xs" if source is None else source.span.line_text
    message = "`it` could be the item of the inner list or of the outer one"
    routine.report_error(codes.AMBIGUOUS_IT, message, span, f"name one: `{text} as x where …`")


def _check_symbol(routine: Routine, symbol: Symbol, node: ast.Name) -> core.Expr | Reference:
    """Return what the bare name of a declaration means.

    It is a place, an option, all values of a type, or the value of a query. Returns a faulty expression for a broken
    symbol, and after reporting an effect or action.
    """
    match symbol:
        case BrokenSymbol():
            routine.notes.used_names.add(symbol.name)
            return make_faulty(node.span)
        case PlaceSymbol():
            return resolve_bare_place(routine, symbol, node.span)
        case OptionSymbol(type=type):
            routine.record_use(symbol, node.span)
            return core.OptionValue(type, node.span, symbol.name)
        case TypeSymbol(type=type, values=values):
            routine.record_use(symbol, node.span)
            return core.Const(ListType(type), node.span, values)
        case QuerySymbol():
            return check_query_call(routine, symbol, None, (), node.span, node.span)
    return report_effect_as_value(routine, symbol, node.span)


def _check_enum_value(
    routine: Routine, values: Sequence[EnumValueSymbol], expected: Type | None, span: Span
) -> core.Expr:
    """Return the enum value of a bare name. ``expected`` chooses between enums that share the name."""
    enum_value = next((value for value in values if value.enum == expected), values[0] if len(values) == 1 else None)
    if enum_value is None:
        message = f"`{values[0].name}` is a value of {' and of '.join(f'`{value.enum}`' for value in values)}"
        hint = f"write {' or '.join(f'`{value.qualified_name}`' for value in values)}"
        notes = [(value.span, f"in `{value.enum}`") for value in values]
        return routine.report_error(codes.AMBIGUOUS_VALUE, message, span, hint, notes)
    routine.notes.record_enum_value(enum_value)
    return core.Const(enum_value.enum, span, enum_value.ordinal)


def _report_ambiguous(routine: Routine, card: core.Const, values: Sequence[EnumValueSymbol], span: Span) -> core.Expr:
    """Report a bare name that is both a card and an enum value, where the expected type does not decide."""
    name = values[0].name
    of_values = " and ".join(f"a value of `{value.enum}`" for value in values)
    hint = f"write `{card.type}.{name}` or {' or '.join(f'`{value.qualified_name}`' for value in values)}"
    notes = [(value.span, f"in `{value.enum}`") for value in values]
    return routine.report_error(codes.AMBIGUOUS_NAME, f"`{name}` is a card and {of_values}", span, hint, notes)


def _report_unknown(routine: Routine, name: str, span: Span, expected: Type | None) -> core.Expr:
    """Report an unknown name, and return a faulty expression.

    There is no report if a declaration nearby could not be parsed. The hint prefers a local that is left or misspelt.
    """
    if routine.locals.may_have_unparsed:
        return make_faulty(span)
    left_scope = routine.locals.closed_locals.get(name)
    similar_locals = [local for local in routine.locals.list_names() if compute_edit_distance(name, local) == 1]
    if left_scope is not None and not similar_locals:
        reason, cure = REASONS_OUT_OF_SCOPE.get(left_scope.kind, REASONS_OUT_OF_SCOPE["local"])
        message, notes = f"unknown name `{name}`: {reason}", [(left_scope.span, "named here")]
        return routine.report_error(codes.UNKNOWN_NAME, message, span, cure, notes, make_block_subjects(routine))
    subjects = name_subjects(name)
    symbols = [symbol for symbol in routine.names.symbols if "." not in symbol]
    # The type `Card` is no other spelling of `card` or `cards`.
    other_names = (name, name.removesuffix("s"))
    symbols = [symbol for symbol in symbols if not symbol[:1].isupper() or to_snake_case(symbol) not in other_names]
    values = (*routine.names.values, *routine.names.constants, *_PLAIN_VALUES)
    known_names = [*routine.locals.list_names(), *symbols, *values]
    if name in FUNCTIONS:
        hint: str | None = f"`{FUNCTIONS[name].signature}` is a function: call it"
    else:
        hint = suggest_for_name(name, routine.names.constants) or _suggest_owner(routine, name)
        hint = hint or suggest_name(name, similar_locals or known_names)
        if hint is None and name in ("a", "an", "the"):
            hint = f"leave out the article `{name}`"
    symbol = routine.names.symbols.get(routine.owner.name)
    if isinstance(symbol, CallableSymbol) and routine.owner.section in ("query", "effect"):
        subjects = subjects if symbol.params else (*subjects, f"parameters of {symbol.name}")
        hint = hint or _list_enum_values(routine, expected)
        if hint is None and not span.source.text.startswith("[", span.end):  # only variables and zones have indices
            hint = f"declare `{name}` under `params` of `{symbol.name}`, or correct its name"
    hint = hint or _list_enum_values(routine, expected)
    return routine.report_error(codes.UNKNOWN_NAME, f"unknown name `{name}`", span, hint, subjects=subjects)


def _suggest_owner(routine: Routine, name: str) -> str | None:
    """Return a hint for the bare name of a declared member of cards. None for other names.

    It is ``write `c.price` `` if a local ``c`` is such a card, else ``each `Card` has its own, as in `card.price` ``.
    """
    names = routine.names
    kinds = [kind for kind, row in names.kinds.items() if name in row.fields or f"{kind}.{name}" in names.symbols]
    if not kinds:
        return None
    types = [ComponentType(kind) for kind in kinds]
    card = next((local.name for local in routine.locals.collect().values() if local.type in types), None)
    return f"write `{card}.{name}`" if card else f"each `{kinds[0]}` has its own, as in `card.{name}`"


def _list_enum_values(routine: Routine, type: Type | None) -> str | None:
    """Return a hint that lists the values of the expected enum. None if it is no enum, or has too many values."""
    names = routine.names.list_value_names(type) if isinstance(type, EnumType) else ()
    if not 0 < len(names) <= MAX_LISTED_VALUES:
        return None
    return f"the values of `{type}` are {quote_list(names)}" if len(names) > 1 else f"`{type}` has only `{names[0]}`"
