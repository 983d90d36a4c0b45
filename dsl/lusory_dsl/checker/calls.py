"""Check bare names, and calls of queries, functions and effects."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..source import diagnostic_codes
from ..source.diagnostics import about_name, did_you_mean, slips
from ..source.source import Span, article, listed, snake_case
from ..syntax import ast
from ..syntax.keywords import MISTAKEN_WORDS, SHAPES
from ..types.builtins import FUNCTIONS, PLAYERS, AnyType, Builtin
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
)
from .assignable_places import bare_place
from .board_members import asked, board_of, distance, is_asked_here, named_list, space_at
from .coercions import expect, expression, fit, item_type, list_value
from .context import LocalName, Routine, about_block, about_player, faulty, is_faulty
from .limits import Owner
from .lists import REGIONS, region
from .names import card_before, is_faulty_before, player_before, value_before
from .symbols import (
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
    chance_meant,
    name_meant,
)


def arguments(
    r: Routine, symbol: Symbol, params: Parameters, args: tuple[ast.Argument, ...], span: Span
) -> list[core.Expr] | None:
    """Match arguments with parameters and check them. Returns them in parameter order, or None after a report."""
    given: dict[str, ast.Expr] = {}
    wrong = False
    names = [name for name, _ in params]
    takes = f"`{symbol.name}` takes {_takes(params)}"
    notes = [(symbol.span, "declared here")]
    for position, arg in enumerate(args):
        if arg.name is None:
            if position >= len(params):
                message, about = f"too many arguments: {takes}", (f"parameters of {symbol.name}",)
                r.error(diagnostic_codes.WRONG_ARGUMENTS, message, arg.span, notes=notes, about=about, follows=True)
                discard(r, args)
                return None
            name = names[position]
        elif arg.name not in names:
            hint = did_you_mean(arg.name, names) or takes
            message = f"the {symbol.what} `{symbol.name}` has no parameter `{arg.name}`"
            r.error(
                diagnostic_codes.UNKNOWN_PARAMETER,
                message,
                arg.span,
                hint,
                notes,
                about_name(f"{symbol.name}({arg.name})"),
            )
            wrong = True
            continue
        else:
            name = arg.name
        if name in given:
            r.error(diagnostic_codes.WRONG_ARGUMENTS, f"`{name}` is given twice: {takes}", arg.span, notes=notes)
            wrong = True
            continue
        given[name] = arg.value
    missing = [name for name in names if name not in given]
    if missing and not wrong:
        what = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing: {takes}"
        r.error(
            diagnostic_codes.WRONG_ARGUMENTS,
            what,
            span,
            notes=notes,
            about=(f"{symbol.name} without {', '.join(missing)}",),
        )
    if wrong or missing:
        discard(r, args)
        return None
    return [expect(r, given[name], type, f"for `{name}`") for name, type in params]


def discard(r: Routine, args: tuple[ast.Argument, ...]) -> None:
    """Check arguments that match no parameters, only to report mistakes inside them."""
    for arg in args:
        r.operand(arg.value)


def _takes(params: Parameters) -> str:
    return ", ".join(f"`{name}: {type}`" for name, type in params) if params else "no arguments"


def query_call(
    r: Routine,
    symbol: QuerySymbol,
    owner: core.Expr | None,
    args: tuple[ast.Argument, ...],
    span: Span,
    name_span: Span,
) -> core.Expr:
    """Check a call of a query. ``owner`` is the player before the dot, or None."""
    found = owner_of(r, symbol, owner, name_span)
    values = arguments(r, symbol, symbol.params, args, span)
    r.use(symbol, span)
    r.notes.graph.call(r.owner, Owner("query", symbol.name), name_span)
    type = r.names.queries.type_of(symbol.name)
    if values is None or any(is_faulty(v) for v in found):
        return faulty(span)
    return core.CallQuery(type, span, symbol.name, (*found, *values))


def owner_of(r: Routine, symbol: CallableSymbol, owner: core.Expr | None, span: Span) -> tuple[core.Expr, ...]:
    """Return the player argument of a ``per: Player`` declaration: the one before the dot, or ``me``.

    The tuple has one item, or none if the declaration has no player.
    """
    if symbol.per_player and owner is None:
        call = f"p.{symbol.name}" + ("(…)" if symbol.params or isinstance(symbol, EffectSymbol) else "")
        owner = r.actor(
            span,
            f"the {symbol.what} `{symbol.name}` is a player's",
            f"say whose: `{call}`",
        )
    if symbol.per_player:
        assert owner is not None
        return (owner,)
    if owner is not None and not is_faulty(owner):
        r.error(
            diagnostic_codes.UNKNOWN_MEMBER,
            f"the {symbol.what} `{symbol.name}` is not a player's",
            span,
            f"write `{symbol.name}` alone, or declare it with `per: Player`",
            [(symbol.span, "declared here")],
            about_player(symbol.name),
            follows=True,
        )
    return ()


def effect_as_value(r: Routine, symbol: Symbol, span: Span) -> core.Expr:
    """Report an effect or action that is used as a value."""
    r.notes.used.add(symbol.name)
    return r.error(
        diagnostic_codes.EFFECT_AS_VALUE,
        f"`{symbol.name}` is {article(symbol.what)}: it does something and has no value",
        span,
        "call it as a statement" if isinstance(symbol, EffectSymbol) else f"write `take action {symbol.name}`",
        [(symbol.span, "declared here")],
    )


def card_query(r: Routine, card: core.Expr, node: ast.Member, args: tuple[ast.Argument, ...], span: Span) -> core.Expr:
    """Check a call of a query that belongs to the card's kind."""
    symbol = r.names.symbols.get(f"{card.type}.{node.name}")
    if isinstance(symbol, QuerySymbol):
        values = member_arguments(r, symbol, card, args, span, node.name_span)
        r.use(symbol, span)
        r.notes.graph.call(r.owner, Owner("query", symbol.name), node.name_span)
        type = r.names.queries.type_of(symbol.name)
        return faulty(span) if values is None else core.CallQuery(type, span, symbol.name, values)
    discard(r, args)
    if isinstance(symbol, BrokenSymbol):
        r.notes.used.add(symbol.name)
        return faulty(span)
    if isinstance(symbol, EffectSymbol):
        return effect_as_value(r, symbol, node.name_span)
    if isinstance(symbol, ActionSymbol):
        r.notes.used.add(symbol.name)
        return r.error(
            diagnostic_codes.EFFECT_AS_VALUE,
            f"`{node.name}` is an action of the card: it does something and has no value",
            node.name_span,
            f"ask `card can {node.name}`, or write `use {node.name} of card`",
            [(symbol.span, "declared here")],
        )
    if node.name in known_members(r, str(card.type)):
        message = f"`{node.name}` takes no arguments"
        return r.error(diagnostic_codes.WRONG_ARGUMENTS, message, node.name_span, "leave the parentheses out")
    return expression(r, node)  # reports the unknown member


def member_arguments(
    r: Routine, symbol: CallableSymbol, card: core.Expr, args: tuple[ast.Argument, ...], span: Span, name_span: Span
) -> tuple[core.Expr, ...] | None:
    """Return the arguments of a card's member: ``me`` if it is per player, the card, and the written arguments.

    Returns None after a report.
    """
    me: tuple[core.Expr, ...] = ()
    if symbol.per_player:
        why = f"the {symbol.what} `{symbol.name}` is a player's"
        me = (r.actor(name_span, why, "put it inside of `each player:` or `by p:`"),)
    values = arguments(r, symbol, symbol.params[1:], args, span)
    return None if values is None or any(map(is_faulty, (*me, card))) else (*me, card, *values)


def known_members(r: Routine, kind: str) -> list[str]:
    """Return the names of all members that a card of a kind has."""
    own = [name.removeprefix(f"{kind}.") for name in r.names.symbols if name.startswith(f"{kind}.")]
    known = [*r.names.kinds[kind].fields, *(n for n in own if " " not in n), "original", "copies", "printed"]
    of_place = [_index_name(dim.type) for zone in zones_of(r, ComponentType(kind)) for dim in zone.dims]
    return list(dict.fromkeys([*known, *of_place]))


def zones_of(r: Routine, kind: ComponentType) -> list[ZoneSymbol]:
    """Return the zones that hold a kind of component."""
    return [s for s in r.names.symbols.values() if isinstance(s, ZoneSymbol) and s.holds == kind]


def dimension_of(r: Routine, kind: ComponentType, name: str) -> Type | None:
    """Return the type of a member that names an index of the card's zone: ``holder``, or a type in lower case.

    Returns None if no zone for this kind has such an index.
    """
    dims = (dim.type for zone in zones_of(r, kind) for dim in zone.dims)
    return next((type for type in dims if _index_name(type) == name), None)


def _index_name(type: Type) -> str:
    """Return the member that names an index of a zone. It is empty for a number."""
    if isinstance(type, IntType):
        return ""
    return "holder" if isinstance(type, PlayerType) else snake_case(str(type))


def function_call(r: Routine, row: Builtin, node: ast.Call, expected: Type | None) -> core.Expr:
    """Check a call of a built-in function. Its type variable is inferred from the arguments, left to right."""
    takes = f"it is written `{row.signature}`"
    names = [p.name for p in row.params]
    given: dict[str, ast.Expr] = {}
    for position, arg in enumerate(node.args):
        name = arg.name if arg.name is not None else names[position] if position < len(names) else ""
        if name not in names and arg.name is not None:
            hint = did_you_mean(name, names) or takes
            r.error(diagnostic_codes.UNKNOWN_PARAMETER, f"`{row.name}` has no parameter `{name}`", arg.span, hint)
            return faulty(node.span)
        if name not in names or name in given:
            what = f"`{name}` is given twice" if name in given else f"`{row.name}` is given too many arguments"
            return r.error(diagnostic_codes.WRONG_ARGUMENTS, what, arg.span, takes)
        given[name] = arg.value
    missing = [name for name in names if name not in given]
    if missing:
        message = f"`{row.name}` is called without {listed(missing)}"
        return r.error(diagnostic_codes.WRONG_ARGUMENTS, message, node.span, takes)
    return _apply(r, row, [given[name] for name in names], node.span, expected)


def _apply(r: Routine, row: Builtin, args: list[ast.Expr], span: Span, expected: Type | None) -> core.Expr:
    """Check the arguments of a built-in function and infer its type variable."""
    variable: Type | None = None
    values: list[core.Expr] = []
    if expected is not None and row.type is not None and args:
        variable = _solve(row.type, expected)
    for param, arg in zip(row.params, args, strict=True):
        role = f"for `{param.name}` of `{row.name}`"
        if not _is_generic(param.type):
            values.append(expect(r, arg, param.type, role))
            continue
        wanted = filled(param.type, variable) if variable is not None else None
        value = list_value(r, arg, wanted) if isinstance(param.type, ListType) else expression(r, arg, wanted)
        found = _solve(param.type, value.type)
        if isinstance(param.type, ListType):
            variable = found or variable
        elif variable is not None:
            value = fit(r, value, variable, role)
        values.append(value)
    if any(is_faulty(v) for v in values):
        return faulty(span)
    assert row.type is not None
    return core.CallBuiltin(filled(row.type, variable or NOTHING), span, row.name, tuple(values))


def _is_generic(type: Type) -> bool:
    return isinstance(type.item, AnyType) if isinstance(type, ListType) else isinstance(type, AnyType)


def filled(type: Type, variable: Type) -> Type:
    """Return a type with its type variable replaced."""
    if isinstance(type, AnyType):
        return variable
    if isinstance(type, OptionalType):
        return optional(filled(type.item, variable))
    return ListType(filled(type.item, variable)) if isinstance(type, ListType) else type


def _solve(pattern: Type, actual: Type) -> Type | None:
    """Match a type with a pattern and return the value of its type variable. None if it stays unknown."""
    if isinstance(pattern, AnyType):
        return None if isinstance(actual, NothingType | NoneType) else actual
    if isinstance(pattern, OptionalType) and isinstance(actual, OptionalType):
        return _solve(pattern.item, actual.item)
    if isinstance(pattern, ListType) and isinstance(actual, ListType):
        return _solve(pattern.item, actual.item)
    return None


WAY = {"next": "clockwise_from", "previous": "anticlockwise_from"}


def sorts(r: Routine, cards: core.Expr, span: Span) -> core.Expr:
    """Return an expression for one card of each set of copies in a list."""
    slot = r.locals.slot()
    return core.Distinct(cards.type, span, slot, cards, _original(cards, slot, span))


def counted(r: Routine, cards: core.Expr, span: Span) -> core.Expr:
    """Return a text that lists each set of copies once, preceded by its size if it is above 1."""
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
"""Class of core node that a zone's member becomes -> the function that builds it."""


def _original(cards: core.Expr, slot: int, span: Span) -> core.Expr:
    kind = item_type(cards)
    return core.Field(kind, span, core.Local(kind, span, slot, "it"), "original")


def is_among(name: str, args: tuple[ast.Argument, ...]) -> bool:
    """Return whether a call passes arguments to ``next`` or ``previous``, to search among some players only."""
    row = FUNCTIONS.get(name)
    return bool(args) and row is not None and row.type == PLAYER and [p.type for p in row.params] == [PLAYER]


def next_among(r: Routine, node: ast.Call, callee: ast.Member) -> core.Expr:
    """Check ``p.next(among: ps)``: the first player in ``ps`` after ``p`` in seat order. ``p`` comes last."""
    player = expect(r, callee.subject, PLAYER, f"before `.{callee.name}`")
    first, *more = node.args
    if first.name != "among" or more:
        message = f"`{callee.name}` takes some players by name"
        return r.error(diagnostic_codes.WRONG_ARGUMENTS, message, node.span, f"write `p.{callee.name}(among: players)`")
    among = fit(r, list_value(r, first.value, PLAYERS), PLAYERS, "for `among`")
    if is_faulty(player) or is_faulty(among):
        return faulty(node.span)
    span, slot = node.span, r.locals.slot()
    start = core.CallBuiltin(PLAYER, span, callee.name, (player,))
    round_table = core.CallBuiltin(PLAYERS, span, WAY[callee.name], (start,))
    is_one = core.Binary(BOOL, span, "in", core.Local(PLAYER, span, slot, "it"), among)
    return core.CallBuiltin(PLAYER, span, "first", (core.Filter(PLAYERS, span, slot, round_table, is_one),))


def call(r: Routine, node: ast.Call, expected: Type | None) -> core.Expr:
    """Check ``name(args)`` or ``p.name(args)`` as a value."""
    callee = node.callee
    if isinstance(callee, ast.Member):
        return _member_call(r, node, callee, expected)
    if isinstance(callee, ast.Name):
        symbol = None if r.locals.find(callee.name) else r.names.symbols.get(callee.name)
        if isinstance(symbol, QuerySymbol):
            return query_call(r, symbol, None, node.args, node.span, callee.span)
        if isinstance(symbol, TypeSymbol) and symbol.name in r.names.boards:
            r.use(symbol, callee.span)
            return space_at(r, r.names.boards[symbol.name], node)
        if callee.name == "distance" and r.names.boards and node.args:
            first = expression(r, node.args[0].value)
            if is_faulty(first) or board_of(r, first.type) is not None:
                return faulty(node.span) if is_faulty(first) else distance(r, node, first)
        if symbol is None and callee.name in REGIONS and r.names.boards:
            return region(r, callee.name, node)
        if symbol is None and callee.name in FUNCTIONS:
            return function_call(r, FUNCTIONS[callee.name], node, expected)
        return _not_a_value(r, callee.name, symbol, callee.span, node)
    return r.error(diagnostic_codes.WRONG_ARGUMENTS, "only queries and functions are called", node.span)


def _member_call(r: Routine, node: ast.Call, callee: ast.Member, expected: Type | None) -> core.Expr:
    """Check ``p.name(args)`` or ``card.name(args)`` as a value."""
    card = card_before(r, callee)
    if card is not None:
        return card_query(r, card, callee, node.args, node.span)
    value = value_before(r, callee) if r.names.boards else None
    if value is not None and is_asked_here(r, value.type, callee.name):
        return asked(r, value, callee, node.args, node.span)
    symbol = r.names.symbols.get(callee.name)
    if isinstance(symbol, QuerySymbol):
        owner = player_before(r, callee)
        return query_call(r, symbol, owner, node.args, node.span, callee.name_span)
    if symbol is None and callee.name in FUNCTIONS and not node.args:
        return expression(r, callee, expected)
    if symbol is None and is_among(callee.name, node.args):
        return next_among(r, node, callee)
    if is_faulty_before(r, callee):
        return faulty(node.span)
    return _not_a_value(r, callee.name, symbol, callee.name_span, node)


def _not_a_value(r: Routine, name: str, symbol: Symbol | None, span: Span, call: ast.Call) -> core.Expr:
    """Report a call that has no value."""
    if isinstance(symbol, BrokenSymbol):
        r.notes.used.add(name)
        return faulty(span)
    if isinstance(symbol, EffectSymbol | ActionSymbol):
        return effect_as_value(r, symbol, span)
    if isinstance(symbol, PlaceSymbol):
        r.notes.used.add(symbol.name)
        written = call.span.source.text[call.span.start : span.end]
        inside = call.span.source.text[call.args[0].span.start : call.args[-1].span.end] if call.args else ""
        return r.error(
            diagnostic_codes.WRONG_ARGUMENTS,
            f"`{name}` is a {symbol.what} and can't be called",
            call.span,
            f"indices stand in brackets: `{written}[{inside}]`" if call.args else "leave the parentheses out",
            [(symbol.span, "declared here")],
        )
    known = [*r.names.named(QuerySymbol), *FUNCTIONS]
    if symbol is not None or r.locals.find(name):
        return r.error(
            diagnostic_codes.WRONG_ARGUMENTS, f"`{name}` is not a query or function and can't be called", span
        )
    hint = chance_meant(name) or did_you_mean(name, known)
    return r.error(
        diagnostic_codes.UNKNOWN_NAME, f"there is no query or function `{name}`", span, hint, about=about_name(name)
    )


def do(r: Routine, node: ast.Do) -> list[core.Stmt]:
    """Check a call of an effect as a statement."""
    return _effect_call(r, node.call)


def _effect_call(r: Routine, call: ast.Call) -> list[core.Stmt]:
    """Check ``effect(args)`` or ``p.effect(args)`` as a statement."""
    callee = call.callee
    owner: core.Expr | None = None
    if isinstance(callee, ast.Member):
        name, name_span = callee.name, callee.name_span
        card = card_before(r, callee)
        if card is not None:
            return _card_effect(r, card, callee, call)
    elif isinstance(callee, ast.Name):
        name, name_span = callee.name, callee.span
    else:
        r.error(diagnostic_codes.VALUE_AS_STATEMENT, "this does nothing: only effects can be called here", call.span)
        return []
    symbol = r.names.symbols.get(name)
    if not isinstance(symbol, EffectSymbol) or isinstance(symbol, WindowSymbol):
        discard(r, call.args)
        if isinstance(callee, ast.Member) and is_faulty_before(r, callee):
            return []
        if symbol is None and (name in SHAPES or name in MISTAKEN_WORDS):
            _report_statement(r, name, callee, name_span)
        else:
            _no_effect(r, name, symbol, name_span)
        return []
    if isinstance(callee, ast.Member):
        owner = player_before(r, callee)
    found = owner_of(r, symbol, owner, name_span)
    values = arguments(r, symbol, symbol.params, call.args, call.span)
    r.use(symbol, call.span)
    r.notes.graph.call(r.owner, Owner("effect", name), name_span)
    if values is None:
        return []
    return [core.CallEffect(call.span, name, (*found, *values))]


def _card_effect(r: Routine, card: core.Expr, callee: ast.Member, call: ast.Call) -> list[core.Stmt]:
    """Check ``card.effect(args)`` as a statement."""
    name = f"{card.type}.{callee.name}"
    symbol = r.names.symbols.get(name)
    if not isinstance(symbol, EffectSymbol):
        discard(r, call.args)
        if symbol is None and callee.name not in known_members(r, str(card.type)):
            expression(r, callee)  # reports the unknown member
        elif isinstance(symbol, ActionSymbol):
            r.notes.used.add(name)
            message = f"`{callee.name}` is an action of the card, which a player takes; it can't be called"
            hint = f"write `use {callee.name} of card`, or `take action {callee.name} of cards`"
            r.error(
                diagnostic_codes.VALUE_AS_STATEMENT, message, callee.name_span, hint, [(symbol.span, "declared here")]
            )
        elif not isinstance(symbol, BrokenSymbol):
            r.notes.used.add(name)
            what = "query" if isinstance(symbol, QuerySymbol) else "member"
            message = f"`{callee.name}` is a {what} of the card: as a statement it does nothing"
            r.error(diagnostic_codes.VALUE_AS_STATEMENT, message, callee.name_span, "call an effect of the card")
        return []
    values = member_arguments(r, symbol, card, call.args, call.span, callee.name_span)
    r.use(symbol, call.span)
    r.notes.graph.call(r.owner, Owner("effect", name), callee.name_span)
    return [] if values is None else [core.CallEffect(call.span, name, values)]


def _report_statement(r: Routine, word: str, callee: ast.Expr, span: Span) -> None:
    """Report a word that begins a statement but is written like a call of an effect."""
    shape = MISTAKEN_WORDS.get(word) or SHAPES[word]
    if word == "shuffle" and isinstance(callee, ast.Member):
        subject = callee.subject.span
        shape = f"shuffle {subject.source.text[subject.start : subject.end]}"
    message = f"there is no effect `{word}`"
    r.error(diagnostic_codes.UNKNOWN_NAME, message, span, f"it is a statement: write `{shape}`", about=about_name(word))


def _no_effect(r: Routine, name: str, symbol: Symbol | None, span: Span) -> None:
    if isinstance(symbol, BrokenSymbol):
        r.notes.used.add(name)
    elif isinstance(symbol, ActionSymbol):
        r.notes.used.add(name)
        r.error(
            diagnostic_codes.VALUE_AS_STATEMENT,
            f"`{name}` is an action, which a player takes; it can't be called",
            span,
            f"write `take action {name}`, or make an effect of it",
            [(symbol.span, "declared here")],
        )
    elif isinstance(symbol, WindowSymbol):
        r.notes.used.add(name)
        notes = [(symbol.span, "declared here")]
        message = f"`{name}` is a window, which is opened and not called"
        r.error(diagnostic_codes.VALUE_AS_STATEMENT, message, span, f"write `open {name}(…): …`", notes)
    elif symbol is not None or name in FUNCTIONS:
        what = symbol.what if symbol is not None else "function"
        r.notes.used.add(name)
        notes = [(symbol.span, "declared here")] if symbol is not None else []
        r.error(
            diagnostic_codes.VALUE_AS_STATEMENT,
            f"`{name}` is {article(what)}: as a statement it does nothing",
            span,
            f"keep the value with `let name = {name}…`, or call an effect",
            notes,
        )
    else:
        hint = did_you_mean(name, r.names.named(EffectSymbol)) or "declare it under `effects`"
        r.error(diagnostic_codes.UNKNOWN_NAME, f"there is no effect `{name}`", span, hint, about=about_name(name))


_PLAIN_VALUES = ("players", "me", "none", "true", "false", "empty")
"""Words of the language that are values. Hints suggest them for misspelt names."""


MOST_VALUES = 12
"""Maximum size of an enum for a hint that lists all its values."""


def identifier(r: Routine, node: ast.Name, expected: Type | None) -> core.Expr | Reference:
    """Check a bare name. Locals come before declared names, and these before enum values and cards."""
    name, span = node.name, node.span
    local = r.locals.find(name)
    if local is not None:
        local.used = True
        if local.hides is not None:
            _report_nested(r, local, local.hides, span)
        if local.place is not None:
            return Reference(local.place, span)
        return core.Local(r.local_type(local), span, local.slot, name)
    if name == "me":
        return r.actor(span, "`me` is the player who acts", "name a player")
    if name == "it":
        hint = "`it` is the item in `xs where …` and `xs with most …`, and the value so far in a `while` rule"
        return r.error(diagnostic_codes.NOBODY_ACTS, "`it` stands for nothing here", span, hint)
    if name == "this":
        hint = "`this` is the card in what a card or its kind says: its `queries`, `effects` and `actions`"
        return r.error(diagnostic_codes.NOBODY_ACTS, "`this` stands for nothing here", span, hint)
    if name in ("players", "Player"):
        return core.Players(ListType(PLAYER), span)
    symbol = r.names.symbols.get(name)
    if symbol is not None:
        return _symbol(r, symbol, node)
    values = r.names.values.get(name, [])
    constant = r.names.constants.get(name)
    if constant is not None and (not values or constant.type == _certain(expected)):
        return core.Const(constant.type, span, constant.value)
    if constant is not None and all(v.enum != _certain(expected) for v in values):
        return _ambiguous(r, constant, values, span)
    if values:
        return _enum_value(r, values, expected, span)
    return named_list(r, name, span) or _unknown(r, name, span, _certain(expected))


def _report_nested(r: Routine, inner: LocalName, outer: LocalName, span: Span) -> None:
    """Report an ambiguous ``it``: a condition stands inside another condition, and both have an item called ``it``."""
    lists = [r.known.sources.get(local.slot) for local in (inner, outer)]
    first, second = ("another list" if source is None else f"`{_words(source.span)}`" for source in lists)
    message = f"`it` could be the item of {first} or of {second}"
    hint = f"name one: {first.rstrip('`')} as x where …`" if lists[0] is not None else "name one: `xs as x where …`"
    r.error(diagnostic_codes.AMBIGUOUS_IT, message, span, hint)


def _words(span: Span) -> str:
    """Return the author's text at a position on one line, cut to 40 characters."""
    words = " ".join(span.source.text[span.start : span.end].split())
    return words if len(words) <= 40 else f"{words[:39].rstrip()}…"


def _symbol(r: Routine, symbol: Symbol, node: ast.Name) -> core.Expr | Reference:
    match symbol:
        case BrokenSymbol():
            r.notes.used.add(symbol.name)
            return faulty(node.span)
        case PlaceSymbol():
            return bare_place(r, symbol, node.span)
        case OptionSymbol(type=type):
            r.use(symbol, node.span)
            return core.OptionValue(type, node.span, symbol.name)
        case TypeSymbol(type=type, values=values):
            r.use(symbol, node.span)
            return core.Const(ListType(type), node.span, values)
        case QuerySymbol():
            return query_call(r, symbol, None, (), node.span, node.span)
    return effect_as_value(r, symbol, node.span)


def _enum_value(r: Routine, values: Sequence[EnumValueSymbol], expected: Type | None, span: Span) -> core.Expr:
    """Return the enum value of a bare name. The expected type chooses between enums that share the name."""
    chosen = next((v for v in values if v.enum == _certain(expected)), values[0] if len(values) == 1 else None)
    if chosen is None:
        choices = " or ".join(f"`{v.qualified}`" for v in values)
        return r.error(
            diagnostic_codes.AMBIGUOUS_VALUE,
            f"`{values[0].name}` is a value of {' and of '.join(f'`{v.enum}`' for v in values)}",
            span,
            f"write {choices}",
            [(v.span, f"in `{v.enum}`") for v in values],
        )
    r.notes.use_value(chosen)
    return core.Const(chosen.enum, span, chosen.ordinal)


def _ambiguous(r: Routine, card: core.Const, values: Sequence[EnumValueSymbol], span: Span) -> core.Expr:
    """Report a bare name that is both a card and an enum value, where the expected type does not decide."""
    name = values[0].name
    of_values = " and ".join(f"a value of `{v.enum}`" for v in values)
    hint = f"write `{card.type}.{name}` or {' or '.join(f'`{v.qualified}`' for v in values)}"
    notes = [(v.span, f"in `{v.enum}`") for v in values]
    return r.error(diagnostic_codes.AMBIGUOUS_NAME, f"`{name}` is a card and {of_values}", span, hint, notes)


def _unknown(r: Routine, name: str, span: Span, expected: Type | None) -> core.Expr:
    """Report an unknown name. There is no report if a declaration nearby could not be parsed."""
    if r.locals.unread:
        return faulty(span)
    left, beside = r.locals.left.get(name), [local for local in r.locals.names() if slips(name, local) == 1]
    if left is not None and not beside:
        message, notes = f"unknown name `{name}`: it is known in the block above only", [(left.span, "named here")]
        inside = "if this belongs to the block, indent it"
        return r.error(diagnostic_codes.UNKNOWN_NAME, message, span, inside, notes, about=about_block(r))
    about = about_name(name)
    bare = (known for known in r.names.symbols if "." not in known and not _is_type_of(known, name))
    known = [*r.locals.names(), *bare, *r.names.values, *r.names.constants, *_PLAIN_VALUES]
    if name in FUNCTIONS:
        hint: str | None = f"`{FUNCTIONS[name].signature}` is a function: call it"
    else:
        hint = name_meant(name) or did_you_mean(name, beside or known)
    symbol = r.names.symbols.get(r.owner.name)
    if isinstance(symbol, CallableSymbol) and r.owner.section in ("query", "effect"):
        about = about if symbol.params else (*about, f"parameters of {symbol.name}")
        hint = hint or _values_of(r, expected) or f"what it is called with stands under `params` of `{symbol.name}`"
    hint = hint or _values_of(r, expected)
    return r.error(diagnostic_codes.UNKNOWN_NAME, f"unknown name `{name}`", span, hint, about=about)


def _values_of(r: Routine, type: Type | None) -> str | None:
    """Return a hint that lists the values of the expected enum. None if it is no enum, or has too many values."""
    names = r.names.value_names(type) if isinstance(type, EnumType) else ()
    if not 0 < len(names) <= MOST_VALUES:
        return None
    return f"the values of `{type}` are {listed(names)}" if len(names) > 1 else f"`{type}` has only `{names[0]}`"


def _is_type_of(known: str, name: str) -> bool:
    """Return whether ``name`` is a type's name in lower case, such as ``card`` for ``Card``, or its plural.

    Hints do not suggest that type, because it is no other spelling of the name.
    """
    return known[:1].isupper() and name in (snake_case(known), f"{snake_case(known)}s")


def _certain(type: Type | None) -> Type | None:
    """Return the type without its ``?``."""
    return type.item if isinstance(type, OptionalType) else type
