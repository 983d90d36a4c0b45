"""Expressions: names, members, operators, lists. A part of the checker; yields core expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import core
from ..effect import nodes
from ..language.builtins import COMPREHENSIONS, FUNCTIONS, MEMBERS
from ..language.types import (
    BOOL,
    INT,
    NONE,
    NOTHING,
    PLAYER,
    TEXT,
    BoolType,
    ComponentType,
    EnumType,
    ListType,
    NoneType,
    NothingType,
    OptionalType,
    PlayerType,
    Type,
    join,
    optional,
)
from ..text import codes
from ..text.diagnostics import did_you_mean, slips
from ..text.source import Span
from ..text.spelling import article
from .calls import Calls
from .locals import LocalName
from .names import (
    ActionSymbol,
    BrokenSymbol,
    CallableSymbol,
    EffectSymbol,
    EnumValueSymbol,
    OptionSymbol,
    PlaceSymbol,
    QuerySymbol,
    Symbol,
    TypeSymbol,
    ZoneSymbol,
)
from .places import Reference
from .routine import faulty, is_faulty

_PLAIN_VALUES = ("players", "me", "none", "true", "false", "empty")
"""Words of the language that stand where a name could."""


class Expressions(Calls):
    """Turns surface expressions into typed core expressions, one method a node."""

    def expression(self, node: nodes.Expr, expected: Type | None = None) -> core.Expr:
        found = self.operand(node, expected)
        if isinstance(found, Reference):
            return self.read(found)
        return found

    def operand(self, node: nodes.Expr, expected: Type | None = None) -> core.Expr | Reference:
        """A value, or a place that may still take indices and members."""
        visit: Callable[[Any, Type | None], core.Expr | Reference] = getattr(self, f"_{type(node).__name__}")
        self.names.queries.depth += 1
        found = visit(node, expected)
        self.names.queries.depth -= 1
        return found

    # ------------------------------------------------------------ literals

    def _IntLit(self, node: nodes.IntLit, expected: Type | None) -> core.Expr:
        return core.Const(INT, node.span, node.value)

    def _BoolLit(self, node: nodes.BoolLit, expected: Type | None) -> core.Expr:
        return core.Const(BOOL, node.span, node.value)

    def _NoneLit(self, node: nodes.NoneLit, expected: Type | None) -> core.Expr:
        return core.Const(NONE, node.span, None)

    def _TextLit(self, node: nodes.TextLit, expected: Type | None) -> core.Expr:
        template = self.template(node)
        if all(isinstance(part, str) for part in template.parts):
            return core.Const(TEXT, node.span, "".join(str(part) for part in template.parts))
        return template

    def template(self, node: nodes.TextLit) -> core.TextTemplate:
        """Words with values in them; a pool shows the kinds in it."""
        parts: list[str | core.Expr] = []
        for part in node.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            found = self.operand(part)
            if isinstance(found, Reference):
                found = self.pool_kinds(found, part.span) if found.is_pool else self.read(found)
            parts.append(found)
        return core.TextTemplate(TEXT, node.span, tuple(parts))

    def _ListLit(self, node: nodes.ListLit, expected: Type | None) -> core.Expr:
        wanted = expected.item if isinstance(expected, ListType) else None
        items = self.together(node.items, wanted)
        type = self._joined(items, "stand in one list")
        return faulty(node.span) if type is None else core.ListLit(ListType(type), node.span, tuple(items))

    # ------------------------------------------------------------ names

    def _Name(self, node: nodes.Name, expected: Type | None) -> core.Expr | Reference:
        name, span = node.name, node.span
        local = self.locals.find(name)
        if local is not None:
            local.used = True
            return core.Local(self.local_type(local), span, local.slot, name)
        if name == "me":
            return self.actor(span, "`me` is the player who acts", "name a player, or put it inside of `each player:`")
        if name == "it":
            hint = "`it` is the item in `xs where …` and `xs with most …`, and the value so far in a `while` rule"
            return self.error(codes.NOBODY_ACTS, "`it` stands for nothing here", span, hint)
        if name == "this":
            hint = "`this` is the card in what a card or its kind says: its `queries`, `effects` and `actions`"
            return self.error(codes.NOBODY_ACTS, "`this` stands for nothing here", span, hint)
        if name in ("players", "Player"):
            return core.Players(ListType(PLAYER), span)
        symbol = self.names.symbols.get(name)
        if symbol is not None:
            return self._symbol(symbol, node)
        values = self.names.values.get(name, [])
        constant = self.names.constants.get(name)
        if constant is not None and (not values or constant.type == _certain(expected)):
            return core.Const(constant.type, span, constant.value)
        if values:
            return self._enum_value(values, expected, span)
        return self._unknown(name, span)

    def _symbol(self, symbol: Symbol, node: nodes.Name) -> core.Expr | Reference:
        match symbol:
            case BrokenSymbol():
                self.notes.used.add(symbol.name)
                return faulty(node.span)
            case PlaceSymbol():
                return self.place(symbol, node.span)
            case OptionSymbol(type=type):
                self.use(symbol, node.span)
                return core.OptionValue(type, node.span, symbol.name)
            case TypeSymbol(type=type, values=values):
                self.use(symbol, node.span)
                return core.Const(ListType(type), node.span, values)
            case QuerySymbol():
                return self.query(symbol, None, (), node.span, node.span)
        return self.effect_as_value(symbol, node.span)

    def _enum_value(self, values: Sequence[EnumValueSymbol], expected: Type | None, span: Span) -> core.Expr:
        """A bare value; what is expected decides between enums."""
        chosen = next((v for v in values if v.enum == _certain(expected)), values[0] if len(values) == 1 else None)
        if chosen is None:
            choices = " or ".join(f"`{v.qualified}`" for v in values)
            return self.error(
                codes.AMBIGUOUS_VALUE,
                f"`{values[0].name}` is a value of {' and of '.join(f'`{v.enum}`' for v in values)}",
                span,
                f"write {choices}",
                [(v.span, f"in `{v.enum}`") for v in values],
            )
        self.notes.use_value(chosen)
        return core.Const(chosen.enum, span, chosen.ordinal)

    def _unknown(self, name: str, span: Span) -> core.Expr:
        bare = (name for name in self.names.symbols if "." not in name)
        known = [*self.locals.names(), *bare, *self.names.values, *self.names.constants, *_PLAIN_VALUES]
        if name in FUNCTIONS:
            hint: str | None = f"`{FUNCTIONS[name].signature}` is a function: call it"
        else:
            beside = [local for local in self.locals.names() if slips(name, local) == 1]
            hint = did_you_mean(name, beside or known)
        return self.error(codes.UNKNOWN_NAME, f"unknown name `{name}`", span, hint)

    # ------------------------------------------------------------ members and indices

    def _Member(self, node: nodes.Member, expected: Type | None) -> core.Expr | Reference:
        enum = self._enum_named(node.subject)
        if enum is not None:
            value = self.names.value_of(enum, node.name)
            if value is not None:
                self.notes.use_value(value)
                return core.Const(enum, node.span, value.ordinal)
            if node.name not in MEMBERS:
                names = self.names.value_names(enum)
                hint = did_you_mean(node.name, names) or f"its values are {', '.join(f'`{n}`' for n in names)}"
                message = f"the enum `{enum}` has no value `{node.name}`"
                return self.error(codes.UNKNOWN_MEMBER, message, node.name_span, hint)
        printed = self.printed(node.subject)
        if printed is not None:
            return self.printed_member(printed, node.name, node.span, node.name_span)
        subject = self.operand(node.subject)
        if isinstance(subject, Reference):
            member = self.place_member(subject, node)
            if member is not None:
                return member
            subject = self.read(subject)
        if is_faulty(subject):
            return faulty(node.span)
        if isinstance(subject.type, OptionalType):
            subject = self.fit(subject, subject.type.item, f"before `.{node.name}`")
        return self._value_member(subject, node)

    def _enum_named(self, node: nodes.Expr) -> EnumType | None:
        if isinstance(node, nodes.Name) and self.locals.find(node.name) is None:
            symbol = self.names.symbols.get(node.name)
            if isinstance(symbol, TypeSymbol) and isinstance(symbol.type, EnumType):
                return symbol.type
            if node.name in self.names.enums:
                return EnumType(node.name)
        return None

    def _value_member(self, subject: core.Expr, node: nodes.Member) -> core.Expr | Reference:
        """A member of a value: by its type."""
        name, span = node.name, node.span
        symbol = self.names.symbols.get(name)
        if isinstance(symbol, BrokenSymbol) and isinstance(subject.type, PlayerType):
            self.notes.used.add(symbol.name)
            return faulty(span)
        match subject.type:
            case NothingType():
                return faulty(span)
            case ComponentType(name=kind) if name in self.names.kinds[kind].fields:
                self.notes.used_fields.add((kind, name))
                return core.Field(self.names.kinds[kind].fields[name], span, subject, name)
            case ComponentType() if name in ("original", "copies"):
                return core.Field(subject.type if name == "original" else ListType(subject.type), span, subject, name)
            case ComponentType() if name == "printed":
                hint = "behind it stands a field, a keyword, or `has` and a keyword: `card.printed has keyword`"
                message = "`printed` alone is no value"
                return self.error(codes.WRONG_TYPE, message, node.name_span, hint)
            case ComponentType(name=kind) if f"{kind}.{name}" in self.names.symbols:
                return self.card_member(subject, node, (), span)
            case ComponentType() as kind if (dimension := self.dimension_of(kind, name)) is not None:
                for zone in self.zones_of(kind):
                    self.use(zone, span)
                return core.IndexOfPlace(optional(dimension), span, subject)
            case PlayerType() if isinstance(symbol, PlaceSymbol) and symbol.of_player:
                return Reference(symbol, span, [subject])
            case PlayerType() if isinstance(symbol, QuerySymbol):
                return self.query(symbol, subject, (), span, node.name_span)
            case PlayerType() if isinstance(symbol, EffectSymbol | ActionSymbol):
                return self.effect_as_value(symbol, node.name_span)
        row = MEMBERS.get(name)
        if row is not None and row.kind == "function":
            param = row.params[0].type
            if isinstance(subject.type, PlayerType) and param == PLAYER:
                assert row.type is not None
                return core.CallBuiltin(row.type, span, name, (subject,))
            if isinstance(subject.type, ListType) and isinstance(param, ListType):
                return core.CallBuiltin(subject.type.item, span, name, (subject,))
        return self._no_member(subject, node, symbol)

    def _no_member(self, subject: core.Expr, node: nodes.Member, symbol: Symbol | None) -> core.Expr:
        type, name = subject.type, node.name
        notes: list[tuple[Span, str]] = []
        known: list[str] = []
        if isinstance(type, PlayerType):
            known = ["next", "previous", "seat"]
            known += [s.name for s in self.names.symbols.values() if getattr(s, "of_player", False)]
        elif isinstance(type, ComponentType):
            known = self.card_members(type.name)
            notes = [(self.names.kinds[type.name].span, "declared here")]
        elif isinstance(type, ListType):
            known = ["first", "last", *(("top", "bottom") if isinstance(subject, core.ReadZone) else ())]
        if isinstance(type, ListType) and name in ("top", "bottom"):
            hint: str | None = f"only a zone has a {name}: write `{'first' if name == 'top' else 'last'}`"
        elif isinstance(symbol, PlaceSymbol | CallableSymbol) and isinstance(type, PlayerType):
            self.notes.used.add(symbol.name)
            hint = f"the {symbol.what} `{name}` is not a player's: write `{name}` alone"
            notes = [(symbol.span, "declared here")]
        elif isinstance(symbol, PlaceSymbol | CallableSymbol) and symbol.of_player:
            self.notes.used.add(symbol.name)
            hint = f"the {symbol.what} `{name}` is a player's: before the dot stands a player"
            notes = [(symbol.span, "declared here")]
        else:
            hint = did_you_mean(name, known) or (f"it has {', '.join(f'`{k}`' for k in known)}" if known else None)
        return self.error(codes.UNKNOWN_MEMBER, f"a `{type}` has no member `{name}`", node.name_span, hint, notes)

    def _Index(self, node: nodes.Index, expected: Type | None) -> core.Expr | Reference:
        callee = node.subject.name if isinstance(node.subject, nodes.Name | nodes.Member) else ""
        symbol = self.names.symbols.get(callee)
        if isinstance(symbol, QuerySymbol) and symbol.params:
            self.notes.used.add(symbol.name)
            self.notes.graph.call(self.owner, f"query {symbol.name}", node.span)
            return self.error(
                codes.WRONG_INDICES,
                f"`{callee}` is a query: its arguments stand in parentheses",
                node.span,
                f"write `{callee}(…)`",
                [(symbol.span, "declared here")],
            )
        subject = self.operand(node.subject)
        if isinstance(subject, Reference):
            if subject.missing:
                return self.add_indices(subject, node.indices, node.span)
            subject = self.read(subject)
        if is_faulty(subject):
            return faulty(node.span)
        written = node.span.source.text[node.subject.span.start : node.subject.span.end]
        hint = f"write `at({written}, n)` for item n, from 0" if isinstance(subject.type, ListType) else None
        return self.error(codes.WRONG_INDICES, f"a `{subject.type}` takes no index", node.span, hint)

    def _Call(self, node: nodes.Call, expected: Type | None) -> core.Expr:
        return self.call(node, expected)

    # ------------------------------------------------------------ several expressions of one type

    def together(self, items: Sequence[nodes.Expr], expected: Type | None) -> list[core.Expr]:
        """Expressions that should share a type: those whose type is plain tell it to the others."""
        found: dict[int, core.Expr] = {}
        wanted = expected
        for ambiguous in (False, True):
            for i, item in enumerate(items):
                if self._is_open(item) is not ambiguous:
                    continue
                value = found[i] = self.expression(item, wanted)
                if wanted is None and not isinstance(value.type, NothingType | NoneType):
                    wanted = value.type
        return [found[i] for i in range(len(items))]

    def _is_open(self, node: nodes.Expr) -> bool:
        """Whether what a node means depends on what is expected: it holds a value that several enums share."""
        if isinstance(node, nodes.Name):
            known = self.locals.find(node.name) or self.names.symbols.get(node.name)
            return known is None and len(self.names.values.get(node.name, ())) > 1
        if isinstance(node, nodes.IfExpr):
            return self._is_open(node.then) and self._is_open(node.otherwise)
        return isinstance(node, nodes.ListLit) and bool(node.items) and all(self._is_open(i) for i in node.items)

    def _joined(self, values: Sequence[core.Expr], what: str) -> Type | None:
        """The type that all values fit, or None after a report."""
        found: Type = NOTHING
        for value in values:
            both = join(found, value.type)
            if both is None:
                message = f"{article(f'`{found}`')} and {article(f'`{value.type}`')} can't {what}"
                self.error(codes.NEVER_EQUAL, message, value.span)
                return None
            found = both
        return found

    # ------------------------------------------------------------ operators

    def _Unary(self, node: nodes.Unary, expected: Type | None) -> core.Expr:
        if node.op == "not":
            return core.Unary(BOOL, node.span, "not", self.expect(node.operand, BOOL, "after `not`"))
        operand = self.expect(node.operand, INT, "after `-`")
        if isinstance(operand, core.Const) and isinstance(operand.value, int):
            return core.Const(INT, node.span, -operand.value)
        return core.Unary(INT, node.span, "-", operand)

    def _Binary(self, node: nodes.Binary, expected: Type | None) -> core.Expr:
        op = node.op
        role = f"beside `{op}`"
        if op in ("and", "or"):
            with self.narrowing():
                left = self.expect(node.left, BOOL, role)
                self.assume(left, op == "and")
                right = self.expect(node.right, BOOL, role)
            return core.Binary(BOOL, node.span, op, left, right)
        if op in ("=", "!="):
            return self._equality(node)
        if op in ("in", "not in"):
            return self._membership(node)
        if op in ("union", "except", "intersect"):
            return self._set_operation(node, op, expected)
        if op == "+":
            left = self.expression(node.left, expected)
            if isinstance(left.type, ListType):
                right = self.list_value(node.right, left.type)
                return self._list_operation(node, "join", left, right)
            right = self.expect(node.right, INT, role)
            return core.Binary(INT, node.span, op, self.fit(left, INT, role), right)
        left, right = self.expect(node.left, INT, role), self.expect(node.right, INT, role)
        if op == "..":
            return core.Range(ListType(INT), node.span, left, right)
        return core.Binary(BOOL if op in ("<", "<=", ">", ">=") else INT, node.span, op, left, right)

    def _equality(self, node: nodes.Binary) -> core.Expr:
        left, right = self.together((node.left, node.right), None)
        if not (is_faulty(left) or is_faulty(right)):
            self._comparable(node, left, right)
            self._first_copy(node.right, node.left, left)
            self._first_copy(node.left, node.right, right)
        return core.Binary(BOOL, node.span, node.op, left, right)

    def _first_copy(self, card: nodes.Expr, node: nodes.Expr, other: core.Expr) -> None:
        """Warns where something is compared with the name of a card, which is its first copy, and any may be meant."""
        copies = 1
        if isinstance(card, nodes.Name) and self.locals.find(card.name) is None:
            copies = self.names.copies.get(card.name, 1)
        is_original = isinstance(other, core.Field) and other.field == "original"
        if copies == 1 or is_original or isinstance(other, core.Const):
            return
        assert isinstance(card, nodes.Name)
        text = " ".join(node.span.source.text[node.span.start : node.span.end].split())
        asked = text if isinstance(node, nodes.Name | nodes.Member | nodes.Index | nodes.Call) else f"({text})"
        message = f"`{card.name}` is the first of {copies} copies, and the others are not meant"
        hint = f"write `{asked}.original` to ask for any copy, or `{card.name}.copies.first` if this one is meant"
        self.report.add(codes.FIRST_COPY, message, card.span, hint)

    def _comparable(self, node: nodes.Binary, left: core.Expr, right: core.Expr) -> None:
        if join(left.type, right.type) is None:
            hint = self._mend(right, left.type) or self._mend(left, right.type)
            self.error(
                codes.NEVER_EQUAL,
                f"{article(f'`{left.type}`')} is compared with {article(f'`{right.type}`')}: they are never equal",
                node.span,
                hint,
            )
            return
        for value, other in ((left, right), (right, left)):
            if isinstance(other.type, NoneType) and not self._ever_none(value):
                self.error(
                    codes.NEVER_EQUAL, f"this is {article(f'`{value.type}`')}, which is never `none`", value.span
                )

    def _ever_none(self, value: core.Expr) -> bool:
        if isinstance(value, core.Local):
            local = self.locals.find(value.name)
            return local is None or isinstance(local.type, OptionalType | NoneType)
        return isinstance(value.type, OptionalType | NoneType)

    def _membership(self, node: nodes.Binary) -> core.Expr:
        if self._is_open(node.right) and not self._is_open(node.left):
            left = self.expression(node.left)
            right = self.list_value(node.right, ListType(left.type))
        else:
            right = self.list_value(node.right)
            left = self.expression(node.left, self.item_type(right))
        if not (is_faulty(left) or is_faulty(right)) and join(left.type, self.item_type(right)) is None:
            message = f"{article(f'`{left.type}`')} is looked for in a `{right.type}`: it is never there"
            self.error(codes.NEVER_EQUAL, message, node.span, self._mend(left, self.item_type(right)))
        if isinstance(node.right, nodes.ListLit) and not is_faulty(left):
            for item in node.right.items:
                self._first_copy(item, node.left, left)
        found = core.Binary(BOOL, node.span, "in", left, right)
        return core.Unary(BOOL, node.span, "not", found) if node.op == "not in" else found

    def _set_operation(self, node: nodes.Binary, op: str, expected: Type | None) -> core.Expr:
        left, right = self.together((node.left, node.right), expected)
        for value in (left, right):
            if not is_faulty(value) and not isinstance(value.type, ListType):
                message = f"a list is needed beside `{op}`, this is {article(f'`{value.type}`')}"
                self.error(codes.WRONG_TYPE, message, value.span, "one item as a list: `[item]`")
                return faulty(node.span)
        return self._list_operation(node, op, left, right)

    def _list_operation(self, node: nodes.Binary, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
        if is_faulty(left) or is_faulty(right):
            return faulty(node.span)
        both = join(left.type, right.type)
        if both is None:
            message = f"a `{left.type}` and a `{right.type}` have no item in common"
            return self.error(codes.NEVER_EQUAL, message, node.span)
        return core.Binary(both if op in ("union", "join") else left.type, node.span, op, left, right)

    def _IsEmpty(self, node: nodes.IsEmpty, expected: Type | None) -> core.Expr:
        subject = self.operand(node.subject)
        if isinstance(subject, Reference) and subject.is_pool:
            unlimited = getattr(subject.symbol, "unlimited", False)
            if unlimited:
                size: core.Expr = self._size(self.pool_kinds(subject, node.subject.span))
            else:
                size = self.pool_total(subject, node.subject.span)
        else:
            value = self.read(subject) if isinstance(subject, Reference) else subject
            if not is_faulty(value) and not isinstance(value.type, ListType):
                hint = "compare it with `none`" if isinstance(value.type, OptionalType) else None
                message = f"only lists, zones and pools can be empty, this is {article(f'`{value.type}`')}"
                return self.error(codes.WRONG_TYPE, message, node.subject.span, hint)
            size = self._size(value)
        zero = core.Const(INT, node.span, 0)
        return core.Binary(BOOL, node.span, "!=" if node.negated else "=", size, zero)

    def _LiesIn(self, node: nodes.LiesIn, expected: Type | None) -> core.Expr:
        card = self.expression(node.card)
        if isinstance(card.type, OptionalType):
            card = self.fit(card, card.type.item, "before `in any`")
        zone = self.names.symbols.get(node.zone)
        if not isinstance(zone, ZoneSymbol):
            hint = did_you_mean(node.zone, self.names.named(ZoneSymbol)) or "behind `in any` stands the name of a zone"
            return self.error(codes.UNKNOWN_NAME, f"there is no zone `{node.zone}`", node.zone_span, hint)
        self.use(zone, node.zone_span)
        card = self.fit(card, zone.holds, f"to lie in `{zone.name}`")
        if is_faulty(card):
            return card
        found = core.LiesIn(BOOL, node.span, card, zone.name)
        return core.Unary(BOOL, node.span, "not", found) if node.negated else found

    def _size(self, value: core.Expr) -> core.Expr:
        return core.CallBuiltin(INT, value.span, "count", (value,))

    def _IfExpr(self, node: nodes.IfExpr, expected: Type | None) -> core.Expr:
        condition = self.condition(node.condition)
        wanted = expected
        found: dict[bool, core.Expr] = {}
        for branch in (False, True) if self._is_open(node.then) else (True, False):
            with self.narrowing():
                self.assume(condition, branch)
                value = found[branch] = self.expression(node.then if branch else node.otherwise, wanted)
            if wanted is None and not isinstance(value.type, NothingType | NoneType):
                wanted = value.type
        type = self._joined((found[True], found[False]), "be the two sides of one `if`")
        if type is None:
            return faulty(node.span)
        return core.IfExpr(type, node.span, condition, found[True], found[False])

    # ------------------------------------------------------------ selections

    def _Where(self, node: nodes.Where, expected: Type | None) -> core.Expr:
        source = self.list_value(node.source, expected)
        with self.frame(), self.narrowing():
            slot = self.bind_quietly("it", self.item_type(source), node.span, "item")
            self.known.sources[slot] = source
            condition = self.condition(node.condition, "after `where`")
            self.assume(condition, True)
            item = self._narrowed.get(slot, self.item_type(source))
        if is_faulty(source):
            return source
        return core.Filter(ListType(item), node.span, slot, source, condition)

    def item_condition(self, node: nodes.Expr | None, slot: int, item: Type) -> core.Expr | None:
        """The condition behind the `where` of a loop or choice, in which `it` is another name of the item."""
        if node is None:
            return None
        with self.frame():
            self.locals.bind(LocalName("it", slot, item, node.span, "item", exempt=True))
            condition = self.condition(node, "after `where`")
        self.assume(condition, True)
        return condition

    @contextmanager
    def each_item(self, node: nodes.Comprehension | nodes.ForEach) -> Iterator[tuple[int, core.Expr, core.Expr | None]]:
        """What is done with each item of a list: the local that it is in, the list, the condition on items."""
        source = self.list_value(node.source)
        with self.frame(), self.narrowing():
            slot = self.bind(node.name, self.item_type(source), node.name_span)
            self.known.sources[slot] = source
            yield slot, source, self.item_condition(node.condition, slot, self.item_type(source))

    def _WithKey(self, node: nodes.WithKey, expected: Type | None) -> core.Expr:
        source = self.list_value(node.source, expected)
        with self.frame():
            slot = self.bind_quietly("it", self.item_type(source), node.span, "item")
            if node.kind == "distinct":
                key = self.expression(node.key)
            else:
                key = self.expect(node.key, INT, f"after `with {node.kind}`")
        if is_faulty(source):
            return faulty(node.span)
        if node.kind == "distinct":
            return core.Distinct(source.type, node.span, slot, source, key)
        return core.Extreme(source.type, node.span, node.kind, slot, source, key)

    def _Comprehension(self, node: nodes.Comprehension, expected: Type | None) -> core.Expr:
        kind = node.function
        if kind not in COMPREHENSIONS:
            message = f"`{kind}(… for …)` is not known"
            hint = did_you_mean(kind, COMPREHENSIONS) or f"there are {', '.join(COMPREHENSIONS)}"
            self.error(codes.UNKNOWN_NAME, message, node.function_span, hint)
        wanted = expected if kind == "list" and isinstance(expected, ListType) else None
        with self.each_item(node) as (slot, source, condition):
            if kind == "count" and isinstance(node.body, nodes.Name) and node.body.name == node.name:
                self._Name(node.body, None)
                body, condition = condition or core.Const(BOOL, node.body.span, True), None
            elif kind == "list":
                body = self.expression(node.body, wanted.item if wanted else None)
            else:
                needed = INT if kind in ("sum", "max", "min") else BOOL
                body = self.expect(node.body, needed, f"in `{kind}(… for …)`")
        if is_faulty(source) or kind not in COMPREHENSIONS:
            return faulty(node.span)
        if kind == "list":
            return core.MapList(ListType(body.type), node.span, slot, source, condition, body)
        type = BoolType() if kind in ("any", "all") else INT
        return core.Fold(type, node.span, kind, slot, source, condition, body)


def _certain(type: Type | None) -> Type | None:
    """The type without its `?`."""
    return type.item if isinstance(type, OptionalType) else type
