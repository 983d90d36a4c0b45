"""How the options of a choice are listed: alike in stepwise play and in whole games.

Three plans. *Named*: alternatives without values, a list of numbers under conditions. *Product*: one alternative whose
domains don't depend on each other (or always have the same length), so that an option is its number and nothing needs
to be listed. *Listed*: anything else; options are gathered in a list of ``(alternative, values)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr
from lusory_dsl.language.types import ListType

from .. import ir
from .candidates import narrowed
from .lists import MASK_LIMIT, ConditionalList, bound_by, conditional, gone_through, sequence
from .selector import Selector, over_limit

COMBINATIONS_LIMIT = 16  # combinations of values that are written out one by one
Names = list[ir.Own | None]  # of the domains that must be measured


@dataclass(frozen=True, eq=False)
class ProductPlan:
    """``lengths[i]`` is the fixed length of domain i, or None where it must be measured."""

    alternative: core.Alternative
    lengths: tuple[int | None, ...]


def named_alternatives(sel: Selector, s: core.Ask) -> ConditionalList | None:
    """The numbers of the alternatives of a choice among names alone, with their conditions; None where there are
    values to choose too."""
    if any(a.vars for a in s.alternatives) or len(s.alternatives) < 2:
        return None
    numbers: list[int] = []
    conditions: list[ir.Value | None] = []
    for number, a in enumerate(s.alternatives):
        if any(isinstance(c, Const) and not c.value for c in a.conditions):
            continue
        numbers.append(number)
        every = tuple([ir.Flag(sel.value(c)) for c in a.conditions])
        conditions.append(ir.Flag(ir.Every(every)) if every else None)
    if len(numbers) < 2 or len([c for c in conditions if c is not None]) > MASK_LIMIT:
        return None
    return ConditionalList(tuple(numbers), tuple(conditions))


def plan_of(sel: Selector, s: core.Ask) -> ProductPlan | None:
    """The product plan of a choice, or None where options must be listed."""
    if len(s.alternatives) != 1:
        return None
    alternative = s.alternatives[0]
    if alternative.conditions or not alternative.vars:
        return None
    lengths: list[int | None] = []
    slots: set[int] = set()
    if any(sel.can_fail(e) for e in _later(alternative)):
        return None  # not read where there is nothing to choose before
    for v in alternative.vars:
        if v.condition is not None and core.locals_in(v.condition) & slots:
            return None
        length = _fixed_length(sel, v.domain) if v.condition is None else None
        if length is None and core.locals_in(v.domain) & slots:
            return None
        lengths.append(length)
        slots.add(v.slot)
    return ProductPlan(alternative, tuple(lengths))


def _later(alternative: core.Alternative) -> list[Expr]:
    """What is read of the variables behind the first one."""
    return [e for v in alternative.vars[1:] for e in (v.domain, v.condition) if e is not None]


def _fixed_length(sel: Selector, domain: Expr) -> int | None:
    if sel.can_fail(domain):
        return None
    with sel.looked_at():
        known = conditional(sel, domain)
    if known is not None:
        return len(known.items) if known.certain else None
    if isinstance(domain, Const) and isinstance(domain.value, tuple):
        return len(domain.value)
    if isinstance(domain, core.TableRead):
        lengths = {len(row) for row in _lists(sel.program.table(domain.table))}
        return lengths.pop() if len(lengths) == 1 else None
    return None


def _lists(table: core.Table) -> list[tuple[Any, ...]]:
    """The lists that are a table's entries (nothing where entries aren't lists)."""
    rows: list[Any] = [table.values]
    for _ in table.dims:
        rows = [entry for row in rows for entry in row]
    return [r for r in rows if isinstance(r, tuple)] if isinstance(table.type, ListType) else []


# ---------------------------------------------------------------- product


def measure(sel: Selector, plan: ProductPlan) -> tuple[Names, ir.Value, int | None]:
    """The domains that must be measured get names; these, the number of options, and the same where it is fixed."""
    names: Names = []
    fixed = 1
    for v, length in zip(plan.alternative.vars, plan.lengths, strict=True):
        if length is not None:
            fixed *= length
            names.append(None)
            continue
        name = sel.temporary()
        sel.set(name, sequence(sel, values_of(v)))
        names.append(name)
    factors: list[ir.Value] = [length_of(name) for name in names if name is not None]
    if not factors:
        if fixed > sel.limits.options:
            sel.over_limit("options")
        return names, ir.Const(fixed), fixed
    if fixed != 1:
        factors.append(ir.Const(fixed))
    return names, _product(factors), None


def values_of(v: core.ChoiceVar) -> Expr:
    """The values that there are for a variable of a choice."""
    return v.domain if v.condition is None else core.Filter(v.domain.type, v.span, v.slot, v.domain, v.condition)


def length_of(value: ir.Value) -> ir.Value:
    return ir.Prim("length", (value,))


def _product(factors: list[ir.Value]) -> ir.Value:
    found, *others = factors
    for factor in others:
        found = ir.Binary("*", found, factor)
    return found


def decode(sel: Selector, plan: ProductPlan, names: Names, index: ir.Value | None) -> None:
    """Set the variables from the number of an option (None: the only one)."""
    lengths: list[ir.Value] = [
        length_of(name) if name is not None else ir.Const(length)
        for name, length in zip(names, plan.lengths, strict=True)
    ]
    for position, (v, name) in enumerate(zip(plan.alternative.vars, names, strict=True)):
        bound_by(sel, v.slot, v.domain)
        domain = name if name is not None else sel.value(v.domain)
        place = index if index is not None else ir.Const(0)
        if index is not None and position + 1 < len(lengths):
            place = ir.Binary("div", place, _product(lengths[position + 1 :]))
        if index is not None and position:
            place = ir.Binary("mod", place, lengths[position])
        sel.let(v.slot, ir.Entry(domain, place))


# ---------------------------------------------------------------- list


def list_options(sel: Selector, s: core.Ask, into: ir.Own) -> None:
    """Gather the options in the list ``into``."""
    sel.set(into, ir.Prim("no_options"))
    for number, alternative in enumerate(s.alternatives):
        conditions = alternative.conditions
        if any(isinstance(c, Const) and not c.value for c in conditions):
            continue
        if conditions:
            with sel.when(ir.Every(tuple([ir.Flag(sel.value(c)) for c in conditions]))):
                _combine(sel, alternative.vars, (), into, number, COMBINATIONS_LIMIT)
        else:
            _combine(sel, alternative.vars, (), into, number, COMBINATIONS_LIMIT)


def limit_options(sel: Selector, s: core.Ask, count: ir.Value) -> None:
    """Make sure that a choice does not offer more options than are allowed, where it might."""
    most = sum(prod(sel.longest(v.domain) for v in alternative.vars) for alternative in s.alternatives)
    if most > sel.limits.options:
        too_many(sel, count)


def too_many(sel: Selector, count: ir.Value) -> None:
    sel.guard(ir.Binary(">", count, ir.Const(sel.limits.options)), ir.Do, over_limit("options"))


def _combine(
    sel: Selector,
    variables: tuple[core.ChoiceVar, ...],
    values: tuple[ir.Value | Const, ...],
    into: ir.Own,
    number: int,
    room: int,
) -> None:
    if not variables:
        _append(sel, values, into, number)
        return
    v, *rest = variables
    known = conditional(sel, v.domain)
    if known is not None and isinstance(v.domain.type, ListType) and len(known.items) <= room:
        share = room // max(len(known.items), 1)
        for item, there in zip(known.items, known.conditions, strict=True):
            value = Const(v.domain.type.item, v.span, item)
            tests = [] if there is None else [there]
            if v.condition is not None:
                holds = sel.lowerer.expr(v.condition, {v.slot: value})
                if isinstance(holds, Const):
                    if not holds.value:
                        continue
                else:
                    tests.append(ir.Flag(sel.value(holds)))
            later = tuple(_with(sel, r, v.slot, value) for r in rest)
            if not tests:
                _combine(sel, later, (*values, value), into, number, share)
                continue
            with sel.when(ir.Every(tuple(tests))):
                _combine(sel, later, (*values, value), into, number, share)
        return
    source, ((_, condition),) = gone_through(sel, v.domain, [(v.slot, v.condition)])
    if rest:
        source = narrowed(sel, source, v, rest[0])
    bound_by(sel, v.slot, v.domain)
    name = ir.Bound(v.slot)
    with sel.binding(v.slot), sel.loop(name, source), sel.looping(sel.longest(v.domain)):
        if condition is not None:
            with sel.when(sel.value(condition)):
                _combine(sel, tuple(rest), (*values, name), into, number, 1)
        else:
            _combine(sel, tuple(rest), (*values, name), into, number, 1)


def _append(sel: Selector, values: tuple[ir.Value | Const, ...], into: ir.Own, number: int) -> None:
    """One option more, as its alternative and its values."""
    option: ir.Value
    if all(isinstance(v, Const) for v in values):
        for v in values:  # lists among them are constants of their own, too
            assert isinstance(v, Const)
            sel.constant(v.value)
        option = sel.tables.constant((number, tuple(v.value for v in values)))  # type: ignore[union-attr]
    else:
        items = [sel.constant(v.value) if isinstance(v, Const) else v for v in values]
        option = ir.Record((ir.Const(number), ir.Record(tuple(items))))
    sel.do(ir.Prim("append", (into, option)))


def _with(sel: Selector, v: core.ChoiceVar, slot: int, value: Const) -> core.ChoiceVar:
    env: dict[int, Expr] = {slot: value}
    condition = None if v.condition is None else sel.lowerer.expr(v.condition, env)
    return core.ChoiceVar(v.slot, v.name, sel.lowerer.expr(v.domain, env), condition, v.secret, v.span)
