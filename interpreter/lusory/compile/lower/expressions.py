"""Expressions that ask no query: options, players and what follows from them are constants."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local
from lusory_dsl.language.types import INT, INT_MIN, ListType

from .lowered import LetIn, Lookup, Without
from .lowerer import Env, Lowerer, Scope
from .shapes import shape


def part_by_part(lowerer: Lowerer, e: Expr, env: Env) -> Expr:
    """The same with each part lowered: what it means depends on nothing that is settled here."""
    changes: dict[str, Any] = {}
    for f in fields(e):
        value = getattr(e, f.name)
        if isinstance(value, Expr):
            changes[f.name] = lowerer.expr(value, env)
        elif f.name in ("indices", "args", "items"):
            changes[f.name] = lowerer.exprs(value, env)
    return lowerer.folded(replace(e, **changes))


def const(lowerer: Lowerer, e: Const, env: Env) -> Expr:
    return e


def local(lowerer: Lowerer, e: Local, env: Env) -> Expr:
    return env.get(e.slot, e)


def option_value(lowerer: Lowerer, e: core.OptionValue, env: Env) -> Expr:
    return Const(e.type, e.span, lowerer.options[e.option]) if lowerer.options else e


def players(lowerer: Lowerer, e: core.Players, env: Env) -> Expr:
    return Const(e.type, e.span, tuple(range(lowerer.players)))


def text(lowerer: Lowerer, e: core.TextTemplate, env: Env) -> Expr:
    return lowerer.text(e, env)


def binary(lowerer: Lowerer, e: Binary, env: Env) -> Expr:
    left = lowerer.expr(e.left, env)
    if e.op in ("and", "or") and isinstance(left, Const):
        decided = bool(left.value) is (e.op == "or")
        return left if decided else lowerer.expr(e.right, env)
    right = lowerer.expr(e.right, env)
    if e.op in ("and", "or") and isinstance(right, Const) and bool(right.value) is (e.op == "and"):
        return left
    if e.op in ("+", "-") and isinstance(right, Const) and isinstance(right.value, int):
        if right.value == 0 and not isinstance(left, Const):
            return left
        if INT_MIN < right.value < 0:
            opposite = Const(right.type, right.span, -right.value)
            return lowerer.folded(Binary(e.type, e.span, "-" if e.op == "+" else "+", left, opposite))
    return lowerer.folded(Binary(e.type, e.span, e.op, left, right))


def either(lowerer: Lowerer, e: IfExpr, env: Env) -> Expr:
    condition = lowerer.expr(e.condition, env)
    if isinstance(condition, Const):
        return lowerer.expr(e.then if condition.value else e.otherwise, env)
    return IfExpr(e.type, e.span, condition, lowerer.expr(e.then, env), lowerer.expr(e.otherwise, env))


def let_in(lowerer: Lowerer, e: LetIn, env: Env) -> Expr:
    return _naming(lowerer, e, lowerer.names[e.slot], env)


def _naming(lowerer: Lowerer, e: LetIn, name: str, env: Env) -> Expr:
    value = lowerer.expr(e.value, env)
    if isinstance(value, Const | Local):
        return lowerer.expr(e.body, {**env, e.slot: value})
    inner = dict(env)
    slot = lowerer.bind(e.slot, name, e.value.type, e.span, inner)
    lowerer.known.let(slot, value)
    return LetIn(e.type, e.span, slot, value, lowerer.expr(e.body, inner), e.shared)


def named(lowerer: Lowerer, e: core.Named, env: Env) -> Expr:
    """The value is named where it is first read."""
    removed = _removed(e)
    if removed is not None:
        item, source = (lowerer.expr(part, env) for part in removed)
        if not lowerer.can_fail(item):  # from an empty list nothing is taken, whatever it is
            return Without(e.type, e.span, source, item)
    return _naming(lowerer, LetIn(e.type, e.span, e.slot, e.value, e.body, shared=True), e.name, env)


def _removed(e: core.Named) -> tuple[Expr, Expr] | None:
    """What is taken out of a list, and the list, where what is before the first of its kind is put before the rest."""
    match e:
        case core.Named(
            slot=gone,
            value=item,
            body=core.Named(
                slot=number,
                value=core.CallBuiltin(
                    name="count",
                    args=(
                        core.Leading(
                            slot=slot,
                            source=source,
                            condition=Binary(op="!=", left=Local(slot=asked), right=Local(slot=other)),
                        ),
                    ),
                ),
                body=Binary(
                    op="join",
                    left=core.CallBuiltin(name="take", args=(before, Local(slot=first))),
                    right=core.CallBuiltin(
                        name="drop",
                        args=(behind, Binary(op="+", left=Local(slot=last), right=Const(value=1))),
                    ),
                ),
            ),
        ) if (slot, gone, number, number) == (asked, other, first, last):
            alike = shape(source) == shape(before) == shape(behind)
            return (item, source) if alike else None
    return None


def filter_list(lowerer: Lowerer, e: core.Filter, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Filter(e.type, e.span, slot, source, lowerer.expr(e.condition, inner)))


def map_list(lowerer: Lowerer, e: core.MapList, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    condition = lowerer.maybe(e.condition, inner)
    return lowerer.folded(core.MapList(e.type, e.span, slot, source, condition, lowerer.expr(e.body, inner)))


def fold(lowerer: Lowerer, e: core.Fold, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    condition = lowerer.maybe(e.condition, inner)
    if condition is not None and lowerer.program.boards:  # the items may be known without a position
        items = lowerer.folded(core.Filter(source.type, e.span, slot, source, condition))
        if isinstance(items, Const | Lookup):
            source, condition = items, None
    return lowerer.folded(core.Fold(e.type, e.span, e.kind, slot, source, condition, lowerer.expr(e.body, inner)))


def extreme(lowerer: Lowerer, e: core.Extreme, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Extreme(e.type, e.span, e.kind, slot, source, lowerer.expr(e.key, inner)))


def distinct(lowerer: Lowerer, e: core.Distinct, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Distinct(e.type, e.span, slot, source, lowerer.expr(e.key, inner)))


def reach(lowerer: Lowerer, e: core.Reach, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    start, within, target = lowerer.expr(e.start, env), lowerer.maybe(e.within, env), lowerer.maybe(e.target, env)
    return lowerer.folded(core.Reach(e.type, e.span, slot, source, start, within, target, lowerer.expr(e.body, inner)))


def region(lowerer: Lowerer, e: core.Region, env: Env) -> Expr:
    return lowerer.folded(
        core.Region(e.type, e.span, e.touching, lowerer.expr(e.among, env), lowerer.maybe(e.start, env))
    )


def in_order(lowerer: Lowerer, e: core.Sorted, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Sorted(e.type, e.span, slot, source, lowerer.expr(e.key, inner)))


def leading(lowerer: Lowerer, e: core.Leading, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    return lowerer.folded(core.Leading(e.type, e.span, slot, source, lowerer.expr(e.condition, inner)))


def concat(lowerer: Lowerer, e: core.Concat, env: Env) -> Expr:
    slot, source, inner = _over(lowerer, e.slot, e.source, env)
    condition = lowerer.maybe(e.condition, inner)
    return lowerer.folded(core.Concat(e.type, e.span, slot, source, condition, lowerer.expr(e.body, inner)))


def _over(lowerer: Lowerer, slot: int, source: Expr, env: Env) -> tuple[int, Expr, Scope]:
    """What goes through a list: the local for its items, the list, and what stands for the locals inside."""
    inner = dict(env)
    item = source.type.item if isinstance(source.type, ListType) else INT
    new = lowerer.bind(slot, "it", item, source.span, inner)
    lowered = lowerer.expr(source, env)
    lowerer.known.over(new, lowered)
    return new, lowered, inner
