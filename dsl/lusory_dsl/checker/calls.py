"""Calls: queries, effects and built-in functions, and their arguments. A part of the checker."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.builtins import FUNCTIONS, AnyType, Builtin
from ..language.types import (
    BOOL,
    NOTHING,
    PLAYER,
    ComponentType,
    IntType,
    ListType,
    NoneType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
)
from ..text import codes
from ..text.diagnostics import did_you_mean
from ..text.source import Span
from ..text.spelling import article, listed, snake_case
from .names import (
    ActionSymbol,
    BrokenSymbol,
    CallableSymbol,
    EffectSymbol,
    KeywordSymbol,
    KindAction,
    Parameters,
    PlaceSymbol,
    QuerySymbol,
    Symbol,
    WindowSymbol,
    ZoneSymbol,
)
from .places import Places, Reference
from .routine import faulty, is_faulty, is_something


class Calls(Places):
    """Checks what is written with parentheses, and queries without them."""

    # ------------------------------------------------------------ calls as values

    def call(self, node: nodes.Call, expected: Type | None) -> core.Expr:
        """``name(args)`` or ``p.name(args)`` as a value."""
        callee = node.callee
        if isinstance(callee, nodes.Name):
            symbol = None if self.locals.find(callee.name) else self.names.symbols.get(callee.name)
            if isinstance(symbol, QuerySymbol):
                return self.query(symbol, None, node.args, node.span, callee.span)
            if symbol is None and callee.name in FUNCTIONS:
                return self.function(FUNCTIONS[callee.name], node, expected)
            return self.not_a_value(callee.name, symbol, callee.span, node)
        if isinstance(callee, nodes.Member):
            card = self._card_before(callee)
            if card is not None:
                return self.card_member(card, callee, node.args, node.span)
            symbol = self.names.symbols.get(callee.name)
            if isinstance(symbol, QuerySymbol):
                owner = self.expect(callee.subject, PLAYER, f"before `.{callee.name}`")
                return self.query(symbol, owner, node.args, node.span, callee.name_span)
            if symbol is None and callee.name in FUNCTIONS and not node.args:
                return self.expression(callee, expected)
            if self._is_faulty_before(callee):
                return faulty(node.span)
            return self.not_a_value(callee.name, symbol, callee.name_span, node)
        return self.error(codes.WRONG_ARGUMENTS, "only queries and functions are called", node.span)

    def not_a_value(self, name: str, symbol: Symbol | None, span: Span, call: nodes.Call) -> core.Expr:
        """Reports a call that yields no value."""
        if isinstance(symbol, BrokenSymbol):
            self.notes.used.add(name)
            return faulty(span)
        if isinstance(symbol, EffectSymbol | ActionSymbol):
            return self.effect_as_value(symbol, span)
        if isinstance(symbol, PlaceSymbol):
            self.notes.used.add(symbol.name)
            written = call.span.source.text[call.span.start : span.end]
            inside = call.span.source.text[call.args[0].span.start : call.args[-1].span.end] if call.args else ""
            return self.error(
                codes.WRONG_ARGUMENTS,
                f"`{name}` is a {symbol.what} and can't be called",
                call.span,
                f"indices stand in brackets: `{written}[{inside}]`" if call.args else "leave the parentheses out",
                [(symbol.span, "declared here")],
            )
        known = [*self.names.named(QuerySymbol), *FUNCTIONS]
        if symbol is not None or self.locals.find(name):
            return self.error(codes.WRONG_ARGUMENTS, f"`{name}` is not a query or function and can't be called", span)
        hint = did_you_mean(name, known)
        return self.error(codes.UNKNOWN_NAME, f"there is no query or function `{name}`", span, hint)

    def effect_as_value(self, symbol: Symbol, span: Span) -> core.Expr:
        """Reports an effect or action in the place of a value."""
        self.notes.used.add(symbol.name)
        return self.error(
            codes.EFFECT_AS_VALUE,
            f"`{symbol.name}` is {article(symbol.what)}: it does something and has no value",
            span,
            "call it as a statement" if isinstance(symbol, EffectSymbol) else f"write `take action {symbol.name}`",
            [(symbol.span, "declared here")],
        )

    # ------------------------------------------------------------ queries

    def query(
        self,
        symbol: QuerySymbol,
        owner: core.Expr | None,
        args: tuple[nodes.Argument, ...],
        span: Span,
        name_span: Span,
    ) -> core.Expr:
        """The value of a query; ``owner`` is what stands before the dot."""
        found = self.owner_of(symbol, owner, name_span)
        values = self.arguments(symbol, symbol.params, args, span)
        self.use(symbol, span)
        self.notes.graph.call(self.owner, f"query {symbol.name}", name_span)
        type = self.names.queries.type_of(symbol.name)
        if values is None or any(is_faulty(v) for v in found):
            return faulty(span)
        return core.CallQuery(type, span, symbol.name, (*found, *values))

    # ------------------------------------------------------------ members of cards

    def _card_before(self, callee: nodes.Member) -> core.Expr | None:
        """What stands before a dot, where it is a card."""
        found = self.operand(callee.subject)
        if isinstance(found, Reference):
            if found.is_pool or found.missing:
                return None
            found = self.read(found)
        assert isinstance(found, core.Expr)
        if isinstance(found.type, OptionalType) and isinstance(found.type.item, ComponentType):
            found = self.fit(found, found.type.item, f"before `.{callee.name}`")
        return found if isinstance(found.type, ComponentType) else None

    def _is_faulty_before(self, callee: nodes.Member) -> bool:
        """Whether what stands before a dot is wrong itself, which is reported there."""
        found = self.operand(callee.subject)
        return isinstance(found, core.Expr) and is_faulty(found)

    def card_member(
        self, card: core.Expr, node: nodes.Member, args: tuple[nodes.Argument, ...], span: Span
    ) -> core.Expr:
        """A query of the card's kind."""
        symbol = self.names.symbols.get(f"{card.type}.{node.name}")
        if isinstance(symbol, QuerySymbol):
            values = self._member_arguments(symbol, card, args, span, node.name_span)
            self.use(symbol, span)
            self.notes.graph.call(self.owner, f"query {symbol.name}", node.name_span)
            type = self.names.queries.type_of(symbol.name)
            return faulty(span) if values is None else core.CallQuery(type, span, symbol.name, values)
        self._discard(args)
        if isinstance(symbol, BrokenSymbol):
            self.notes.used.add(symbol.name)
            return faulty(span)
        if isinstance(symbol, EffectSymbol):
            return self.effect_as_value(symbol, node.name_span)
        if isinstance(symbol, ActionSymbol):
            self.notes.used.add(symbol.name)
            return self.error(
                codes.EFFECT_AS_VALUE,
                f"`{node.name}` is an action of the card: it does something and has no value",
                node.name_span,
                f"ask `card can {node.name}`, or write `use {node.name} of card`",
                [(symbol.span, "declared here")],
            )
        if node.name in self.card_members(str(card.type)):
            message = f"`{node.name}` takes no arguments"
            return self.error(codes.WRONG_ARGUMENTS, message, node.name_span, "leave the parentheses out")
        return self.expression(node)  # which reports it

    def card_members(self, kind: str) -> list[str]:
        """What can stand behind the dot after a card."""
        own = [name.removeprefix(f"{kind}.") for name in self.names.symbols if name.startswith(f"{kind}.")]
        known = [*self.names.kinds[kind].fields, *(n for n in own if " " not in n), "original", "copies", "printed"]
        of_place = [self.index_name(dim.type) for zone in self.zones_of(ComponentType(kind)) for dim in zone.dims]
        return list(dict.fromkeys([*known, *of_place]))

    def zones_of(self, kind: ComponentType) -> list[ZoneSymbol]:
        """The zones that hold a kind of component."""
        return [s for s in self.names.symbols.values() if isinstance(s, ZoneSymbol) and s.holds == kind]

    def dimension_of(self, kind: ComponentType, name: str) -> Type | None:
        """What a member means that names an index of the zone in which a card lies: `holder`, or a type in small
        letters."""
        dims = (dim.type for zone in self.zones_of(kind) for dim in zone.dims)
        return next((type for type in dims if self.index_name(type) == name), None)

    @staticmethod
    def index_name(type: Type) -> str:
        """The name of an index of a place: that of its type, or `holder`."""
        if isinstance(type, IntType):
            return ""
        return "holder" if isinstance(type, PlayerType) else snake_case(str(type))

    def _member_arguments(
        self, symbol: CallableSymbol, card: core.Expr, args: tuple[nodes.Argument, ...], span: Span, name_span: Span
    ) -> tuple[core.Expr, ...] | None:
        """`me` where it is a player's, the card, and the arguments."""
        me: tuple[core.Expr, ...] = ()
        if symbol.per_player:
            why = f"the {symbol.what} `{symbol.name}` is a player's"
            me = (self.actor(name_span, why, "put it inside of `each player:` or `by p:`"),)
        values = self.arguments(symbol, symbol.params[1:], args, span)
        return None if values is None or any(map(is_faulty, (*me, card))) else (*me, card, *values)

    def ability(self, type: Type, action: str, action_span: Span, span: Span) -> KindAction | None:
        """The action of a kind of card, or None after a report."""
        if isinstance(type, NothingType):
            return None
        if not isinstance(type, ComponentType):
            message = f"only cards have actions, this is {article(f'`{type}`')}"
            self.error(codes.WRONG_TYPE, message, span)
            return None
        found = self.names.kind_actions.get(f"{type}.{action}")
        if found is None:
            kind = self.names.kinds[type.name]
            known = [a.decl.name.text for a in self.names.kind_actions.values() if a.kind == type.name]
            keywords = self.keywords_of(type.name)
            hint: str | None = f"`{action}` is a keyword: ask `card has {action}`"
            if action not in keywords:
                hint = did_you_mean(action, [*known, *keywords]) or (
                    f"it has {listed(known)}" if known else f"declare it under `components.{type}.actions`"
                )
            notes = [(kind.span, "declared here")]
            message = f"{article(f'`{type}`')} has no action `{action}`"
            self.error(codes.UNKNOWN_MEMBER, message, action_span, hint, notes)
            return None
        self.notes.used.add(found.name)
        return found

    def _HasAction(self, node: nodes.HasAction, expected: Type | None) -> core.Expr:
        printed = None if node.now else self.printed(node.card)
        if printed is not None:
            return is_something(self.printed_member(printed, node.action, node.span, node.action_span, has=True))
        card = self.expression(node.card)
        if isinstance(card.type, OptionalType):
            card = self.fit(card, card.type.item, f"before `{'can' if node.now else 'has'}`")
        keyword = None if node.now else self._keyword(str(card.type), node.action)
        if keyword is not None:
            return is_something(self.keyword(keyword, card, node.span, node.action_span))
        ability = self.ability(card.type, node.action, node.action_span, node.card.span)
        if ability is None or is_faulty(card):
            return faulty(node.span)
        if node.now:
            symbol = self.names.symbols[f"{ability.kind}.can {node.action}"]
            assert isinstance(symbol, QuerySymbol)
            why = f"`can` asks whether a player can use `{node.action}`"
            me = self.actor(node.span, why, "put it inside of `each player:` or `by p:`")
            self.notes.graph.call(self.owner, f"query {symbol.name}", node.action_span)
            self.names.queries.type_of(symbol.name)
            return core.CallQuery(BOOL, node.span, symbol.name, (me, card))
        having = core.Const(ListType(card.type), node.span, tuple(original for original, _ in ability.cards))
        original = core.Field(card.type, node.span, card, "original")
        return core.Binary(BOOL, node.span, "in", original, having)

    def keyword(self, symbol: KeywordSymbol, card: core.Expr, span: Span, name_span: Span) -> core.Expr:
        """The value of a keyword of a card."""
        self.use(symbol, span)
        self.notes.graph.call(self.owner, f"query {symbol.name}", name_span)
        return core.CallQuery(self.names.queries.type_of(symbol.name), span, symbol.name, (card,))

    def printed(self, node: nodes.Expr) -> core.Expr | None:
        """The card before `.printed`; None where something else is written."""
        return self._card_before(node) if isinstance(node, nodes.Member) and node.name == "printed" else None

    def printed_member(self, card: core.Expr, name: str, span: Span, name_span: Span, has: bool = False) -> core.Expr:
        """A field or keyword as it is printed on a card. ``has``: whether only that it is there is asked."""
        kind = str(card.type)
        fields = self.names.kinds[kind].fields
        symbol = self._keyword(kind, name) if has else self.names.symbols.get(f"{kind}.{name}")
        if isinstance(symbol, KeywordSymbol):
            self.use(symbol, span)
            return core.Field(symbol.type, span, card, name)
        if name in fields:
            return core.Field(fields[name], span, card, name)
        known = [*fields, *self.keywords_of(kind)]
        hint = did_you_mean(name, known) or (f"printed are {listed(known)}" if known else None)
        message = f"no `{name}` is printed on {article(f'`{kind}`')}"
        return self.error(codes.UNKNOWN_MEMBER, message, name_span, hint)

    def keywords_of(self, kind: str) -> list[str]:
        """The keywords that cards of a kind can have."""
        names = (n.removeprefix(f"{kind}.") for n in self.names.named(KeywordSymbol) if n.startswith(f"{kind}."))
        return [name.removeprefix("has ") for name in names]

    def _keyword(self, kind: str, name: str) -> KeywordSymbol | None:
        """A keyword of a kind; of one that is an effect or action, the query for whether a card has it."""
        for full in (f"{kind}.{name}", f"{kind}.has {name}"):
            symbol = self.names.symbols.get(full)
            if isinstance(symbol, KeywordSymbol):
                self.notes.used.add(f"{kind}.{name}")
                return symbol
        return None

    def is_not_blank(self, kind: ComponentType, card: core.Expr, span: Span) -> core.Expr | None:
        """That a card is not blank; None where its kind knows no such thing."""
        if kind.name not in self.names.blank_kinds:
            return None
        name = f"{kind}.blank"
        self.notes.graph.call(self.owner, f"query {name}", span)
        self.names.queries.type_of(name)
        return core.Unary(BOOL, span, "not", core.CallQuery(BOOL, span, name, (card,)))

    def owner_of(self, symbol: CallableSymbol, owner: core.Expr | None, span: Span) -> tuple[core.Expr, ...]:
        """The first argument of something ``per: Player``: what stands before the dot, or `me`."""
        if symbol.per_player and owner is None:
            call = f"p.{symbol.name}" + ("(…)" if symbol.params or isinstance(symbol, EffectSymbol) else "")
            owner = self.actor(
                span,
                f"the {symbol.what} `{symbol.name}` is a player's",
                f"say whose: `{call}`, or put it inside of `each player:`",
            )
        if symbol.per_player:
            assert owner is not None
            return (owner,)
        if owner is not None and not is_faulty(owner):
            self.error(
                codes.UNKNOWN_MEMBER,
                f"the {symbol.what} `{symbol.name}` is not a player's",
                span,
                f"write `{symbol.name}` alone, or declare it with `per: Player`",
                [(symbol.span, "declared here")],
            )
        return ()

    # ------------------------------------------------------------ arguments

    def arguments(
        self, symbol: Symbol, params: Parameters, args: tuple[nodes.Argument, ...], span: Span
    ) -> list[core.Expr] | None:
        """The arguments in the order of the parameters, or None after a report."""
        given: dict[str, nodes.Expr] = {}
        wrong = False
        names = [name for name, _ in params]
        takes = f"`{symbol.name}` takes {_takes(params)}"
        notes = [(symbol.span, "declared here")]
        for position, arg in enumerate(args):
            if arg.name is None:
                if position >= len(params):
                    self.error(codes.WRONG_ARGUMENTS, f"too many arguments: {takes}", arg.span, notes=notes)
                    self._discard(args)
                    return None
                name = names[position]
            elif arg.name not in names:
                hint = did_you_mean(arg.name, names) or takes
                message = f"the {symbol.what} `{symbol.name}` has no parameter `{arg.name}`"
                self.error(codes.UNKNOWN_PARAMETER, message, arg.span, hint, notes)
                wrong = True
                continue
            else:
                name = arg.name
            if name in given:
                self.error(codes.WRONG_ARGUMENTS, f"`{name}` is given twice: {takes}", arg.span, notes=notes)
                wrong = True
                continue
            given[name] = arg.value
        missing = [name for name in names if name not in given]
        if missing and not wrong:
            what = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing: {takes}"
            self.error(codes.WRONG_ARGUMENTS, what, span, notes=notes)
        if wrong or missing:
            self._discard(args)
            return None
        return [self.expect(given[name], type, f"for `{name}`") for name, type in params]

    def _discard(self, args: tuple[nodes.Argument, ...]) -> None:
        """Looks at arguments that can't be matched, for the mistakes inside of them."""
        for arg in args:
            self.operand(arg.value)

    # ------------------------------------------------------------ built-in functions

    def function(self, row: Builtin, node: nodes.Call, expected: Type | None) -> core.Expr:
        """A call of a function of the table; its type variable is found from the arguments, left to right."""
        takes = f"it is written `{row.signature}`"
        names = [p.name for p in row.params]
        given: dict[str, nodes.Expr] = {}
        for position, arg in enumerate(node.args):
            name = arg.name if arg.name is not None else names[position] if position < len(names) else ""
            if name not in names and arg.name is not None:
                hint = did_you_mean(name, names) or takes
                self.error(codes.UNKNOWN_PARAMETER, f"`{row.name}` has no parameter `{name}`", arg.span, hint)
                return faulty(node.span)
            if name not in names or name in given:
                what = f"`{name}` is given twice" if name in given else f"`{row.name}` is given too many arguments"
                return self.error(codes.WRONG_ARGUMENTS, what, arg.span, takes)
            given[name] = arg.value
        missing = [name for name in names if name not in given]
        if missing:
            message = f"`{row.name}` is called without {listed(missing)}"
            return self.error(codes.WRONG_ARGUMENTS, message, node.span, takes)
        return self.apply(row, [given[name] for name in names], node.span, expected)

    def apply(self, row: Builtin, args: list[nodes.Expr], span: Span, expected: Type | None) -> core.Expr:
        """A row applied to its arguments."""
        variable: Type | None = None
        values: list[core.Expr] = []
        if expected is not None and row.type is not None and args:
            variable = _solve(row.type, expected)
        for param, arg in zip(row.params, args, strict=True):
            role = f"for `{param.name}` of `{row.name}`"
            if not _is_generic(param.type):
                values.append(self.expect(arg, param.type, role))
                continue
            wanted = _fill(param.type, variable) if variable is not None else None
            value = self.list_value(arg, wanted) if isinstance(param.type, ListType) else self.expression(arg, wanted)
            found = _solve(param.type, value.type)
            if isinstance(param.type, ListType):
                variable = found or variable
            elif variable is not None:
                value = self.fit(value, variable, role)
            values.append(value)
        if any(is_faulty(v) for v in values):
            return faulty(span)
        assert row.type is not None
        return core.CallBuiltin(_fill(row.type, variable or NOTHING), span, row.name, tuple(values))

    # ------------------------------------------------------------ lists

    def list_value(self, node: nodes.Expr, expected: Type | None = None) -> core.Expr:
        """A list; a pool here is a common slip, with a mend of its own."""
        value = self.expression(node, expected)
        if is_faulty(value) or isinstance(value.type, ListType):
            return value
        hint = "write `players` for all players" if isinstance(value.type, PlayerType) else None
        return self.error(
            codes.WRONG_TYPE, f"a list is needed here, this is {article(f'`{value.type}`')}", value.span, hint
        )

    def item_type(self, value: core.Expr) -> Type:
        return value.type.item if isinstance(value.type, ListType) else NOTHING

    # ------------------------------------------------------------ effects as statements

    def effect_call(self, call: nodes.Call) -> list[core.Stmt]:
        """``effect(args)`` or ``p.effect(args)`` as a statement."""
        callee = call.callee
        owner: core.Expr | None = None
        if isinstance(callee, nodes.Member):
            name, name_span = callee.name, callee.name_span
            card = self._card_before(callee)
            if card is not None:
                return self._card_effect(card, callee, call)
        elif isinstance(callee, nodes.Name):
            name, name_span = callee.name, callee.span
        else:
            self.error(codes.VALUE_AS_STATEMENT, "this does nothing: only effects can be called here", call.span)
            return []
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, EffectSymbol) or isinstance(symbol, WindowSymbol):
            self._discard(call.args)
            if not (isinstance(callee, nodes.Member) and self._is_faulty_before(callee)):
                self._no_effect(name, symbol, name_span)
            return []
        if isinstance(callee, nodes.Member):
            owner = self.expect(callee.subject, PLAYER, f"before `.{name}`")
        found = self.owner_of(symbol, owner, name_span)
        values = self.arguments(symbol, symbol.params, call.args, call.span)
        self.use(symbol, call.span)
        self.notes.graph.call(self.owner, f"effect {name}", name_span)
        if values is None:
            return []
        return [core.CallEffect(call.span, name, (*found, *values))]

    def _card_effect(self, card: core.Expr, callee: nodes.Member, call: nodes.Call) -> list[core.Stmt]:
        """``card.effect(args)``"""
        name = f"{card.type}.{callee.name}"
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, EffectSymbol):
            self._discard(call.args)
            if symbol is None and callee.name not in self.card_members(str(card.type)):
                self.expression(callee)  # which reports it
            elif isinstance(symbol, ActionSymbol):
                self.notes.used.add(name)
                message = f"`{callee.name}` is an action of the card, which a player takes; it can't be called"
                hint = f"write `use {callee.name} of card`, or `take action {callee.name} of cards`"
                self.error(codes.VALUE_AS_STATEMENT, message, callee.name_span, hint, [(symbol.span, "declared here")])
            elif not isinstance(symbol, BrokenSymbol):
                self.notes.used.add(name)
                what = "query" if isinstance(symbol, QuerySymbol) else "member"
                message = f"`{callee.name}` is a {what} of the card: as a statement it does nothing"
                self.error(codes.VALUE_AS_STATEMENT, message, callee.name_span, "call an effect of the card")
            return []
        values = self._member_arguments(symbol, card, call.args, call.span, callee.name_span)
        self.use(symbol, call.span)
        self.notes.graph.call(self.owner, f"effect {name}", callee.name_span)
        return [] if values is None else [core.CallEffect(call.span, name, values)]

    def _no_effect(self, name: str, symbol: Symbol | None, span: Span) -> None:
        if isinstance(symbol, BrokenSymbol):
            self.notes.used.add(name)
        elif isinstance(symbol, ActionSymbol):
            self.notes.used.add(name)
            self.error(
                codes.VALUE_AS_STATEMENT,
                f"`{name}` is an action, which a player takes; it can't be called",
                span,
                f"write `take action {name}`, or make an effect of it",
                [(symbol.span, "declared here")],
            )
        elif isinstance(symbol, WindowSymbol):
            self.notes.used.add(name)
            notes = [(symbol.span, "declared here")]
            message = f"`{name}` is a window, which is opened and not called"
            self.error(codes.VALUE_AS_STATEMENT, message, span, f"write `open {name}(…): …`", notes)
        elif symbol is not None or name in FUNCTIONS:
            what = symbol.what if symbol is not None else "function"
            self.notes.used.add(name)
            notes = [(symbol.span, "declared here")] if symbol is not None else []
            self.error(
                codes.VALUE_AS_STATEMENT,
                f"`{name}` is {article(what)}: as a statement it does nothing",
                span,
                f"keep the value with `let name = {name}…`, or call an effect",
                notes,
            )
        else:
            hint = did_you_mean(name, self.names.named(EffectSymbol)) or "declare it under `effects`"
            self.error(codes.UNKNOWN_NAME, f"there is no effect `{name}`", span, hint)


def _takes(params: Parameters) -> str:
    return ", ".join(f"`{name}: {type}`" for name, type in params) if params else "no arguments"


def _is_generic(type: Type) -> bool:
    return isinstance(type.item, AnyType) if isinstance(type, ListType) else isinstance(type, AnyType)


def _fill(type: Type, variable: Type) -> Type:
    """The type with its variable replaced."""
    if isinstance(type, AnyType):
        return variable
    return ListType(_fill(type.item, variable)) if isinstance(type, ListType) else type


def _solve(pattern: Type, actual: Type) -> Type | None:
    """What the type variable of a pattern is, seeing the actual type."""
    if isinstance(pattern, AnyType):
        return None if isinstance(actual, NothingType | NoneType) else actual
    if isinstance(pattern, ListType) and isinstance(actual, ListType):
        return _solve(pattern.item, actual.item)
    return None
