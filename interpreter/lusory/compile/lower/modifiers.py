"""What rules make of the value of a query: `while` rules, for :mod:`lusory.compile.lower.expressions`.

A rule of a card is asked for each of its copies. Where the order can't matter, rules are taken together: what they only
add is one sum, what they set to one and the same value is one test. Such rules, of cards that make them while they lie
in one zone, are asked of the cards in that zone, where those are likely to be fewer than all the copies. Other rules
change the value one after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, chain
from lusory_dsl.language.types import BOOL, INT, INT_MAX, INT_MIN, BoolType, ListType, Type
from lusory_dsl.text.source import Span

from .failing import Knowledge
from .lowered import LetIn, QueryRoutine, Routine
from .sharing import Key
from .uses import count_uses

Env = Mapping[int, Expr]

MOST_TERMS = 8  # copies of one card whose rule is written out for each
MOST_IN_A_ROW = 16  # changes of a value, one after the other, in one text
COPIES_PER_LIST = 8  # cards are sought in a zone where their copies are as many for each list of the zone


class Changes:
    """Weaves the rules that change a query into its value."""

    program: core.Program
    players: int
    known: Knowledge
    routines: dict[Key, Routine]

    def modified(self, query: core.Query, arguments: Env) -> Expr:
        """The value of a query, and what the rules that change it make of it."""
        body = self.expr(query.value, arguments)
        in_a_row = 0
        for (way, value), rules in itertools.groupby(query.modifiers, _way):
            modifiers = tuple(rules)
            if way == "add":
                parts = [body, *self._terms("sum", modifiers, arguments)]
                if self.in_any_order(parts):
                    body = self._in_pairs("+", parts)
                    continue
            if way == "set":
                tests = self._terms("any", modifiers, arguments)
                if not any(map(self.can_fail, tests)):
                    body = self._set(body, self._in_pairs("or", tests), Const(query.type, query.value.span, value))
                    continue
            steps = [(m, this) for m in modifiers for this in m.copies or (None,)]
            if len(steps) > MOST_IN_A_ROW:
                for start in range(0, len(steps), MOST_IN_A_ROW):
                    row = steps[start : start + MOST_IN_A_ROW]
                    body = self._apart(f"{query.name} ({in_a_row})", query, row, body, arguments)
                    in_a_row += 1
                continue
            for modifier, this in steps:
                body = self._changed(query, modifier, body, _with_this(modifier, this, arguments))
        return body

    def in_any_order(self, terms: Sequence[Expr]) -> bool:
        """Whether numbers can be added up in any order without going beyond what an Int can be."""
        ends = [self.known.exact(term) for term in terms]
        return sum(min(low, 0) for low, _ in ends) >= INT_MIN and sum(max(high, 0) for _, high in ends) <= INT_MAX

    # ------------------------------------------------------------ what lowering provides

    def expr(self, e: Expr, env: Env) -> Expr:
        raise NotImplementedError

    def fresh(self, name: str) -> int:
        raise NotImplementedError

    def can_fail(self, e: Expr) -> bool:
        raise NotImplementedError

    def folded(self, e: Expr) -> Expr:
        """The expression, or the constant that it is."""
        raise NotImplementedError

    def choice(self, type: Type, span: Span, key: Expr, cases: Sequence[tuple[int, Expr]], otherwise: Expr) -> Expr:
        """The value that belongs to the first copy of a card."""
        raise NotImplementedError

    def parameters(self, params: tuple[core.Param, ...], key: Key) -> tuple[tuple[int, ...], dict[int, Expr]]:
        """Fresh slots for the parameters of a routine."""
        raise NotImplementedError

    # ------------------------------------------------------------ one after the other

    def _changed(self, query: core.Query, modifier: core.Modifier, body: Expr, known: Env) -> Expr:
        """The value of a query after one rule more."""
        condition = self.expr(modifier.condition, known)
        if isinstance(condition, Const) and not condition.value:
            return body
        so_far = body
        if not isinstance(body, Const | Local):
            so_far = Local(body.type, body.span, self.fresh("it"), "it")
            self.known.let(so_far.slot, body)
        changed = self.expr(modifier.value, {**known, modifier.it_slot: so_far})
        if not isinstance(condition, Const):
            changed = IfExpr(query.type, modifier.span, condition, changed, so_far)
        return (
            LetIn(query.type, modifier.span, so_far.slot, body, changed)
            if isinstance(so_far, Local) and so_far is not body
            else changed
        )

    def _apart(
        self,
        name: str,
        query: core.Query,
        row: Sequence[tuple[core.Modifier, int | None]],
        body: Expr,
        arguments: Env,
    ) -> Expr:
        """The value after a row of rules, in a routine of their own: many would be nested too deeply in one text."""
        key = ("query", name)
        if key not in self.routines:
            params, given = self.parameters(query.params, ("query", query.name))
            it = self.fresh("it")
            self.known.let(it, body)
            value: Expr = Local(query.type, body.span, it, "it")
            for modifier, this in row:
                value = self._changed(query, modifier, value, _with_this(modifier, this, given))
            number = len(self.routines)
            self.routines[key] = Routine(number, name, (*params, it), (), value, fails=self.can_fail(value))
        args = tuple(arguments[param.slot] for param in query.params)
        return QueryRoutine(query.type, body.span, self.routines[key], (*args, body))

    def _set(self, body: Expr, test: Expr, value: Const) -> Expr:
        """The value of a query, or another one if a test holds, which can't go wrong."""
        span = body.span
        if isinstance(test, Const) and (not test.value or not self.can_fail(body)):
            return value if test.value else body
        if isinstance(value.type, BoolType):
            if value.value:
                return test if isinstance(body, Const) and not body.value else self.folded(_or(body, test))
            none = self.folded(core.Unary(BOOL, span, "not", test))
            return (
                none if isinstance(body, Const) and body.value else self.folded(Binary(BOOL, span, "and", body, none))
            )
        if not self.can_fail(body):
            return value if isinstance(test, Const) else IfExpr(value.type, span, test, value, body)
        so_far = Local(body.type, span, self.fresh("it"), "it")
        self.known.let(so_far.slot, body)
        changed = value if isinstance(test, Const) else IfExpr(value.type, span, test, value, so_far)
        return LetIn(value.type, span, so_far.slot, body, changed)

    # ------------------------------------------------------------ together

    def _terms(self, kind: str, modifiers: Sequence[core.Modifier], arguments: Env) -> list[Expr]:
        """What rules add (``sum``), or the tests whether they hold (``any``). Nothing needs a name in between."""
        by_zone: dict[str | None, list[core.Modifier]] = {}
        for modifier in modifiers:
            by_zone.setdefault(_zone_of(modifier), []).append(modifier)
        sought: dict[core.Modifier, str] = {}
        for zone, lying in by_zone.items():
            if zone is not None and sum(len(m.copies) for m in lying) >= COPIES_PER_LIST * self._lists(zone):
                sought |= dict.fromkeys(lying, zone)
        found: list[Expr] = []
        walked: dict[str, list[core.Modifier]] = {}
        for modifier in modifiers:
            if modifier in sought and not self.can_fail(self._term(kind, modifier, arguments)):
                walked.setdefault(sought[modifier], []).append(modifier)
            else:
                found += self._of_copies(kind, modifier, arguments)
        return [*found, *(self._of_zone(kind, zone, lying, arguments) for zone, lying in walked.items())]

    def _lists(self, zone: str) -> int:
        """The number of lists that a zone is."""
        number = 1
        for dim in self.program.zones[zone].dims:
            number *= dim.size or self.players
        return number

    def _term(self, kind: str, modifier: core.Modifier, known: Env) -> Expr:
        """What a rule adds, or whether it holds."""
        condition = self.expr(modifier.condition, known)
        if kind == "any":
            return condition
        added = _added(modifier)
        assert added is not None
        nothing, span = Const(INT, modifier.span, 0), modifier.span
        if isinstance(condition, Const) and not condition.value:
            return nothing
        value = self.expr(added.right if added.op == "+" else core.Unary(INT, span, "-", added.right), known)
        return value if isinstance(condition, Const) else IfExpr(INT, span, condition, value, nothing)

    def _of_copies(self, kind: str, modifier: core.Modifier, arguments: Env) -> list[Expr]:
        """A term for each copy, or one over all of them."""
        if len(modifier.copies) <= MOST_TERMS:
            copies = modifier.copies or (None,)
            terms = [self._term(kind, modifier, _with_this(modifier, this, arguments)) for this in copies]
            return [t for t in terms if not isinstance(t, Const) or t.value]
        slot, span = self.fresh("this"), modifier.span
        this = Local(INT, span, slot, "this")
        term = self._term(kind, modifier, {**arguments, modifier.this_slot: this})
        copies_of = Const(ListType(INT), span, modifier.copies)
        if isinstance(term, Const) and not term.value:
            return []
        return [core.Fold(term.type, span, kind, slot, copies_of, None, term)]

    def _of_zone(self, kind: str, zone: str, modifiers: Sequence[core.Modifier], arguments: Env) -> Expr:
        """The terms of the cards that lie in a zone, card by card."""
        declared, span = self.program.zones[zone], modifiers[0].span
        slot = self.fresh("this")
        this = Local(declared.holds, span, slot, "this")
        op, type, nothing = ("+", INT, Const(INT, span, 0)) if kind == "sum" else ("or", BOOL, Const(BOOL, span, False))
        of_card: dict[int, list[Expr]] = {}
        of_all: list[Expr] = []
        for modifier in modifiers:
            term = self._term(kind, _lying(modifier), {**arguments, modifier.this_slot: this})
            fields = self.program.entities[modifier.copies[0]].fields
            if modifier.copies == fields["copies"]:
                of_card.setdefault(modifier.copies[0], []).append(term)
                continue
            first, size = self.program.component_kinds[str(declared.holds)]
            if modifier.copies != tuple(range(first, first + size)):
                one = Binary(BOOL, span, "in", this, Const(ListType(declared.holds), span, modifier.copies))
                term = IfExpr(type, span, one, term, nothing)
            of_all.append(term)
        if of_card:
            cases = [(card, self._in_pairs(op, terms)) for card, terms in sorted(of_card.items())]
            original = core.Field(declared.holds, span, this, "original")
            of_all.append(self.choice(type, span, original, cases, nothing))
        ranges = (range(dim.low, dim.low + (dim.size or self.players)) for dim in declared.dims)
        cards: Expr | None = None
        for numbers in itertools.product(*ranges):
            indices = tuple(Const(dim.type, span, n) for dim, n in zip(declared.dims, numbers, strict=True))
            one_list = core.ReadZone(ListType(declared.holds), span, zone, indices)
            cards = one_list if cards is None else Binary(one_list.type, span, "join", cards, one_list)
        assert cards is not None
        return core.Fold(type, span, kind, slot, cards, None, self._in_pairs(op, of_all))

    def _in_pairs(self, op: str, terms: Sequence[Expr]) -> Expr:
        """A sum, or whether something holds: in pairs, and pairs of pairs, so that nothing is nested deeply."""
        if not terms:
            return Const(BOOL, self.program.setup.span, False) if op == "or" else Const(INT, self.program.setup.span, 0)
        left, *rest = terms
        while len(rest) > 1:
            pairs = itertools.zip_longest(rest[::2], rest[1::2])
            rest = [a if b is None else self._pair(op, a, b) for a, b in pairs]
        return self._pair(op, left, rest[0]) if rest else left

    def _pair(self, op: str, left: Expr, right: Expr) -> Expr:
        return self.folded(_or(left, right) if op == "or" else Binary(INT, left.span, op, left, right))


def _or(left: Expr, right: Expr) -> Expr:
    return Binary(BOOL, left.span, "or", left, right)


def _with_this(modifier: core.Modifier, this: int | None, arguments: Env) -> Env:
    return arguments if this is None else {**arguments, modifier.this_slot: Const(INT, modifier.span, this)}


def _way(modifier: core.Modifier) -> tuple[str, object]:
    """How a rule changes the value so far: it adds to it, sets it, or makes anything of it."""
    if _added(modifier) is not None:
        return "add", None
    if isinstance(modifier.value, Const) and not count_uses(modifier.condition, modifier.it_slot):
        return "set", modifier.value.value
    return "change", None


def _added(modifier: core.Modifier) -> Binary | None:
    """The value of a rule that adds to the value so far, or takes from it, what does not depend on it."""
    value, it = modifier.value, modifier.it_slot
    if not isinstance(value, Binary) or value.op not in ("+", "-"):
        return None
    so_far = isinstance(value.left, Local) and value.left.slot == it
    return value if so_far and not count_uses(value.right, it) and not count_uses(modifier.condition, it) else None


def _zone_of(modifier: core.Modifier) -> str | None:
    """The zone in which a card lies whenever its rule holds."""
    for part in chain(modifier.condition, "and"):
        if _says_where(part, modifier) and modifier.copies:
            return part.zone  # type: ignore[attr-defined, no-any-return]
    return None


def _lying(modifier: core.Modifier) -> core.Modifier:
    """The rule without the condition that the card lies in its zone."""
    where = next(part for part in chain(modifier.condition, "and") if _says_where(part, modifier))
    rest = [part for part in chain(modifier.condition, "and") if part is not where]
    condition: Expr = Const(BOOL, modifier.span, True)
    for part in rest:
        condition = part if part is rest[0] else Binary(BOOL, part.span, "and", condition, part)
    return replace(modifier, condition=condition)


def _says_where(part: Expr, modifier: core.Modifier) -> bool:
    card = part.component if isinstance(part, core.LiesIn) else None
    return isinstance(card, Local) and card.slot == modifier.this_slot
