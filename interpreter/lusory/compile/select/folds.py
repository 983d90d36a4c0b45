"""Folds: how many, the sum, the greatest, whether any or all; written out where the list is known."""

from __future__ import annotations

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, Fold, Local
from lusory_dsl.language.types import ListType, Type

from .. import ir
from ..lower.uses import count_uses
from . import masks
from .lists import ConditionalList, as_it_lies, both, conditional, pipeline, sequence
from .places import whole
from .selector import Selector

Terms = list[tuple[ir.Value | None, Expr]]  # a condition, and what counts where it holds
ZERO = ir.Const(0)


def fold(sel: Selector, e: Fold) -> ir.Value:
    as_mask = masks.fold(sel, e)
    if as_mask is not None:
        return as_mask
    joined = e.body if e.condition is None else Binary(e.body.type, e.span, "and", e.condition, e.body)
    if e.kind == "count" and isinstance(e.source, Const) and (alike := _alike(joined, e.slot)) is not None:
        return ir.Prim("occurrences", (sel.value(e.source), sel.value(alike)))
    known = conditional(sel, e.source)
    if known is not None and isinstance(e.source.type, ListType) and sel.lowerer.may_write_out(len(known.items)):
        with sel.lowerer.writing_out(len(known.items)):
            return _unrolled(sel, e, known, e.source.type.item)
    if e.kind == "count":
        if isinstance(e.body, Const) and e.body.value is True and e.condition is None:
            return ir.Prim("length", (sequence(sel, e.source),))
        return pipeline(sel, e.slot, e.source, joined, Const(e.type, e.span, 1), "sum")
    fails = sel.can_fail(e.body) or (e.condition is not None and sel.can_fail(e.condition))
    found = pipeline(sel, e.slot, e.source, e.condition, e.body, e.kind, e.kind in ("any", "all") and fails)
    return whole(sel, e, found) if e.kind == "sum" else found


def _unrolled(sel: Selector, e: Fold, known: ConditionalList, item_type: Type) -> ir.Value:
    """The fold written out over the items."""
    terms: Terms = []
    for item, given in zip(known.items, known.conditions, strict=True):
        condition = given
        body = sel.lowerer.substitute(e.body, e.slot, item, item_type)
        if e.condition is not None:
            test = sel.lowerer.substitute(e.condition, e.slot, item, item_type)
            if isinstance(test, Const):
                if not test.value:
                    continue
            else:
                condition = both(condition, sel.value(test))
        terms.append((condition, body))
    if e.kind in ("any", "all"):
        return _unrolled_test(sel, e.kind == "any", terms)
    if e.kind == "count":
        return unrolled_count(sel, terms)
    if e.kind == "sum":
        return _unrolled_sum(sel, e, terms)
    if not terms:
        return ZERO
    return ir.Best(e.kind, tuple([(condition, sel.value(body)) for condition, body in terms]))


def _unrolled_sum(sel: Selector, e: Fold, terms: Terms) -> ir.Value:
    parts: list[ir.Value] = []
    for condition, body in terms:
        value = sel.value(body)
        if condition is not None:  # selected once more, as what it names is numbered twice
            parts.append(ir.Choose(condition, sel.value(body), ZERO))
        elif not (isinstance(value, ir.Const) and value.value == 0):
            parts.append(value)
    return whole(sel, e, ir.Sum(tuple(parts)) if parts else ZERO)


def _unrolled_test(sel: Selector, wanted: bool, terms: Terms) -> ir.Value:
    """``wanted``: of which outcome one is enough."""
    parts: list[ir.Value] = []
    for condition, body in terms:
        if isinstance(body, Const):
            if bool(body.value) is not wanted:
                continue
            if condition is None:
                return ir.Const(wanted)
            parts.append(condition if wanted else ir.Unary("not", condition))
        elif condition is None:
            parts.append(sel.value(body))
        elif wanted:
            parts.append(ir.Binary("and", condition, sel.value(body)))
        else:
            parts.append(ir.Some((ir.Unary("not", condition), sel.value(body))))
    if not parts:
        return ir.Const(not wanted)
    return ir.Some(tuple(parts)) if wanted else ir.Every(tuple(parts))


def unrolled_count(sel: Selector, terms: Terms) -> ir.Value:
    sure = 0
    parts: list[ir.Value] = []
    for condition, body in terms:
        if not isinstance(body, Const):
            parts.append(both(condition, sel.value(body)))
        elif body.value:
            if condition is None:
                sure += 1
            else:
                parts.append(condition)
    return ir.Count(tuple(parts), sure) if parts else ir.Const(sure)


def _alike(condition: Expr, slot: int) -> Expr | None:
    """What an item must be, where that is all that is asked of it."""
    if isinstance(condition, Binary) and condition.op == "and":
        sides = [c for c in (condition.left, condition.right) if not (isinstance(c, Const) and c.value is True)]
        return _alike(sides[0], slot) if len(sides) == 1 else None
    if not isinstance(condition, Binary) or condition.op != "=":
        return None
    left, right = condition.left, condition.right
    if isinstance(left, Local) and left.slot == slot and not count_uses(right, slot):
        return right
    return None


def count(sel: Selector, e: core.CallBuiltin) -> ir.Value:
    """The number of items in a list."""
    found = masks.mask(sel, e.args[0])
    if found is not None and not isinstance(e.args[0], Const):
        return ir.Prim("ones", (found,))
    known = conditional(sel, e.args[0])
    if known is not None:
        one = Const(e.type, e.span, True)
        return unrolled_count(sel, [(c, one) for c in known.conditions])
    return ir.Prim("length", (as_it_lies(sel, e.args[0]),))
