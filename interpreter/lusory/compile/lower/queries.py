"""Queries: written out where they are asked for, or routines of their own."""

from __future__ import annotations

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Local

from . import modifiers
from .lowered import LetIn, LoweredRoutine, QueryRoutine
from .lowerer import Env, Lowerer
from .uses import count_uses, under_loop


def call(lowerer: Lowerer, e: core.CallQuery, env: Env) -> Expr:
    query = lowerer.program.queries[e.query]
    key = ("query", e.query)
    if key in lowerer.shared:
        if key not in lowerer.routines:
            params, given = lowerer.parameters(query.params, key)
            value = modifiers.modified(lowerer, query, given)
            number = len(lowerer.routines)
            lowerer.routines[key] = LoweredRoutine(number, query.name, params, (), value, fails=lowerer.can_fail(value))
        return QueryRoutine(e.type, e.span, lowerer.routines[key], lowerer.exprs(e.args, env))
    arguments: dict[int, Expr] = {}
    lets: list[tuple[int, Expr]] = []
    for param, arg in zip(query.params, e.args, strict=True):
        value = lowerer.expr(arg, env)
        if not isinstance(value, Const | Local):
            slot = lowerer.fresh(param.name, param.type)
            lowerer.known.let(slot, value)
            lets.append((slot, value))
            value = Local(param.type, arg.span, slot, param.name)
        arguments[param.slot] = value
    body = modifiers.modified(lowerer, query, arguments)
    for slot, value in reversed(lets):
        uses = count_uses(body, slot)
        fails = lowerer.can_fail(value)
        if uses == 0 and not fails:
            continue
        if uses == 1 and not under_loop(body, slot) and not (fails and not lowerer.reads_first(body, slot)):
            body = lowerer.expr(body, {slot: value})
        else:
            body = LetIn(body.type, e.span, slot, value, body)
    return body
