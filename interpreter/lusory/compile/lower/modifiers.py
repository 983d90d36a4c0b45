"""What rules make of the value of a query: `while` rules, for :mod:`lusory.compile.lower.queries`.

A rule of a card is asked for each of its copies. Where the order can't matter, rules are taken together: what they only
add is one sum, what they set to one and the same value is one test. Such rules, of cards that make them while they lie
in one zone, are asked of the cards in that zone, where those are likely to be fewer than all the copies. Other rules
change the value one after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, chain
from lusory_dsl.language.types import BOOL, INT, INT_MAX, INT_MIN, BoolType, ListType

from . import cards
from .lowered import LetIn, LoweredRoutine, QueryRoutine
from .lowerer import Env, Lowerer
from .uses import count_uses

MOST_TERMS = 8  # copies of one card whose rule is written out for each
MOST_IN_A_ROW = 16  # changes of a value, one after the other, in one text
COPIES_PER_LIST = 8  # cards are sought in a zone where their copies are as many for each list of the zone


def modified(lowerer: Lowerer, query: core.Query, arguments: Env) -> Expr:
    """The value of a query, and what the rules that change it make of it."""
    body = lowerer.expr(query.value, arguments)
    in_a_row = 0
    for (way, value), rules in itertools.groupby(query.modifiers, _way):
        modifiers = tuple(rules)
        if way == "add":
            parts = [body, *_terms(lowerer, "sum", modifiers, arguments)]
            if _in_any_order(lowerer, parts):
                body = _in_pairs(lowerer, "+", parts)
                continue
        if way == "set":
            tests = _terms(lowerer, "any", modifiers, arguments)
            if not any(map(lowerer.can_fail, tests)):
                body = _set(lowerer, body, _in_pairs(lowerer, "or", tests), Const(query.type, query.value.span, value))
                continue
        steps = [(m, this) for m in modifiers for this in m.copies or (None,)]
        if len(steps) > MOST_IN_A_ROW:
            for start in range(0, len(steps), MOST_IN_A_ROW):
                row = steps[start : start + MOST_IN_A_ROW]
                body = _apart(lowerer, f"{query.name} ({in_a_row})", query, row, body, arguments)
                in_a_row += 1
            continue
        for modifier, this in steps:
            body = _changed(lowerer, query, modifier, body, _with_this(modifier, this, arguments))
    return body


def _in_any_order(lowerer: Lowerer, terms: Sequence[Expr]) -> bool:
    """Whether numbers can be added up in any order without going beyond what an Int can be."""
    ends = [lowerer.known.exact(term) for term in terms]
    return sum(min(low, 0) for low, _ in ends) >= INT_MIN and sum(max(high, 0) for _, high in ends) <= INT_MAX


def _changed(lowerer: Lowerer, query: core.Query, modifier: core.Modifier, body: Expr, known: Env) -> Expr:
    """The value of a query after one rule more."""
    condition = lowerer.expr(modifier.condition, known)
    if isinstance(condition, Const) and not condition.value:
        return body
    so_far = body
    if not isinstance(body, Const | Local):
        so_far = Local(body.type, body.span, lowerer.fresh("it", body.type), "it")
        lowerer.known.let(so_far.slot, body)
    changed = lowerer.expr(modifier.value, {**known, modifier.it_slot: so_far})
    if not isinstance(condition, Const):
        changed = IfExpr(query.type, modifier.span, condition, changed, so_far)
    return (
        LetIn(query.type, modifier.span, so_far.slot, body, changed)
        if isinstance(so_far, Local) and so_far is not body
        else changed
    )


def _apart(
    lowerer: Lowerer,
    name: str,
    query: core.Query,
    row: Sequence[tuple[core.Modifier, int | None]],
    body: Expr,
    arguments: Env,
) -> Expr:
    """The value after a row of rules, in a routine of their own: many would be nested too deeply in one text."""
    key = ("query", name)
    if key not in lowerer.routines:
        params, given = lowerer.parameters(query.params, ("query", query.name))
        it = lowerer.fresh("it", query.type)
        lowerer.known.let(it, body)
        value: Expr = Local(query.type, body.span, it, "it")
        for modifier, this in row:
            value = _changed(lowerer, query, modifier, value, _with_this(modifier, this, given))
        number = len(lowerer.routines)
        lowerer.routines[key] = LoweredRoutine(number, name, (*params, it), (), value, fails=lowerer.can_fail(value))
    args = tuple(arguments[param.slot] for param in query.params)
    return QueryRoutine(query.type, body.span, lowerer.routines[key], (*args, body))


def _set(lowerer: Lowerer, body: Expr, test: Expr, value: Const) -> Expr:
    """The value of a query, or another one if a test holds, which can't go wrong."""
    span = body.span
    if isinstance(test, Const) and (not test.value or not lowerer.can_fail(body)):
        return value if test.value else body
    if isinstance(value.type, BoolType):
        if value.value:
            return test if isinstance(body, Const) and not body.value else lowerer.folded(_or(body, test))
        none = lowerer.folded(core.Unary(BOOL, span, "not", test))
        return none if isinstance(body, Const) and body.value else lowerer.folded(Binary(BOOL, span, "and", body, none))
    if not lowerer.can_fail(body):
        return value if isinstance(test, Const) else IfExpr(value.type, span, test, value, body)
    so_far = Local(body.type, span, lowerer.fresh("it", body.type), "it")
    lowerer.known.let(so_far.slot, body)
    changed = value if isinstance(test, Const) else IfExpr(value.type, span, test, value, so_far)
    return LetIn(value.type, span, so_far.slot, body, changed)


def _terms(lowerer: Lowerer, kind: str, modifiers: Sequence[core.Modifier], arguments: Env) -> list[Expr]:
    """What rules add (``sum``), or the tests whether they hold (``any``). Nothing needs a name in between."""
    by_zone: dict[str | None, list[core.Modifier]] = {}
    for modifier in modifiers:
        by_zone.setdefault(_zone_of(modifier), []).append(modifier)
    sought: dict[core.Modifier, str] = {}
    for zone, lying in by_zone.items():
        if zone is not None and sum(len(m.copies) for m in lying) >= COPIES_PER_LIST * _lists(lowerer, zone):
            sought |= dict.fromkeys(lying, zone)
    found: list[Expr] = []
    walked: dict[str, list[core.Modifier]] = {}
    for modifier in modifiers:
        if modifier in sought and not lowerer.can_fail(_term(lowerer, kind, modifier, arguments)):
            walked.setdefault(sought[modifier], []).append(modifier)
        else:
            found += _of_copies(lowerer, kind, modifier, arguments)
    return [*found, *(_of_zone(lowerer, kind, zone, lying, arguments) for zone, lying in walked.items())]


def _lists(lowerer: Lowerer, zone: str) -> int:
    """The number of lists that a zone is."""
    number = 1
    for dim in lowerer.program.zones[zone].dims:
        number *= dim.size or lowerer.players
    return number


def _term(lowerer: Lowerer, kind: str, modifier: core.Modifier, known: Env) -> Expr:
    """What a rule adds, or whether it holds."""
    condition = lowerer.expr(modifier.condition, known)
    if kind == "any":
        return condition
    added = _added(modifier)
    assert added is not None
    nothing, span = Const(INT, modifier.span, 0), modifier.span
    if isinstance(condition, Const) and not condition.value:
        return nothing
    value = lowerer.expr(added.right if added.op == "+" else core.Unary(INT, span, "-", added.right), known)
    return value if isinstance(condition, Const) else IfExpr(INT, span, condition, value, nothing)


def _of_copies(lowerer: Lowerer, kind: str, modifier: core.Modifier, arguments: Env) -> list[Expr]:
    """A term for each copy, or one over all of them."""
    if len(modifier.copies) <= MOST_TERMS:
        copies = modifier.copies or (None,)
        terms = [_term(lowerer, kind, modifier, _with_this(modifier, this, arguments)) for this in copies]
        return [t for t in terms if not isinstance(t, Const) or t.value]
    slot, span = lowerer.fresh("this", INT), modifier.span
    this = Local(INT, span, slot, "this")
    term = _term(lowerer, kind, modifier, {**arguments, modifier.this_slot: this})
    copies_of = Const(ListType(INT), span, modifier.copies)
    if isinstance(term, Const) and not term.value:
        return []
    return [core.Fold(term.type, span, kind, slot, copies_of, None, term)]


def _of_zone(lowerer: Lowerer, kind: str, zone: str, modifiers: Sequence[core.Modifier], arguments: Env) -> Expr:
    """The terms of the cards that lie in a zone, card by card."""
    declared, span = lowerer.program.zones[zone], modifiers[0].span
    slot = lowerer.fresh("this", declared.holds)
    this = Local(declared.holds, span, slot, "this")
    op, type, nothing = ("+", INT, Const(INT, span, 0)) if kind == "sum" else ("or", BOOL, Const(BOOL, span, False))
    of_card: dict[int, list[Expr]] = {}
    of_all: list[Expr] = []
    for modifier in modifiers:
        term = _term(lowerer, kind, _lying(modifier), {**arguments, modifier.this_slot: this})
        fields = lowerer.program.entities[modifier.copies[0]].fields
        if modifier.copies == fields["copies"]:
            of_card.setdefault(modifier.copies[0], []).append(term)
            continue
        first, size = lowerer.program.component_kinds[str(declared.holds)]
        if modifier.copies != tuple(range(first, first + size)):
            one = Binary(BOOL, span, "in", this, Const(ListType(declared.holds), span, modifier.copies))
            term = IfExpr(type, span, one, term, nothing)
        of_all.append(term)
    if of_card:
        cases = [(card, _in_pairs(lowerer, op, terms)) for card, terms in sorted(of_card.items())]
        original = core.Field(declared.holds, span, this, "original")
        of_all.append(cards.choice(type, span, original, cases, nothing))
    ranges = (range(dim.low, dim.low + (dim.size or lowerer.players)) for dim in declared.dims)
    all_lists: Expr | None = None
    for numbers in itertools.product(*ranges):
        indices = tuple(Const(dim.type, span, n) for dim, n in zip(declared.dims, numbers, strict=True))
        one_list = core.ReadZone(ListType(declared.holds), span, zone, indices)
        all_lists = one_list if all_lists is None else Binary(one_list.type, span, "join", all_lists, one_list)
    assert all_lists is not None
    return core.Fold(type, span, kind, slot, all_lists, None, _in_pairs(lowerer, op, of_all))


def _in_pairs(lowerer: Lowerer, op: str, terms: Sequence[Expr]) -> Expr:
    """A sum, or whether something holds: in pairs, and pairs of pairs, so that nothing is nested deeply."""
    if not terms:
        return (
            Const(BOOL, lowerer.program.setup.span, False) if op == "or" else Const(INT, lowerer.program.setup.span, 0)
        )
    left, *rest = terms
    while len(rest) > 1:
        pairs = itertools.zip_longest(rest[::2], rest[1::2])
        rest = [a if b is None else _pair(lowerer, op, a, b) for a, b in pairs]
    return _pair(lowerer, op, left, rest[0]) if rest else left


def _pair(lowerer: Lowerer, op: str, left: Expr, right: Expr) -> Expr:
    return lowerer.folded(_or(left, right) if op == "or" else Binary(INT, left.span, op, left, right))


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
