"""Effects: written out where they are called, with the rules that answer to them, or routines of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Local, Stmt
from lusory_dsl.language.types import BOOL

from .lowered import EffectRoutine, Inlined, LoweredRoutine, asks, ends
from .lowerer import NO_SPAN, Env, Lowerer
from .sharing import Key


def call(lowerer: Lowerer, s: core.CallEffect, env: Env) -> list[Stmt]:
    effect = lowerer.program.effects[s.effect]
    key = ("effect", s.effect)
    if key in lowerer.shared:
        routine = lowerer.routines.get(key) or _shared_effect(lowerer, key, effect)
        return [EffectRoutine(s.span, routine, lowerer.exprs(s.args, env))]
    before: list[Stmt] = []
    arguments: dict[int, Expr] = {}
    for param, arg in zip(effect.params, s.args, strict=True):
        value = lowerer.expr(arg, env)
        if not isinstance(value, Const | Local):
            slot = lowerer.fresh(param.name, param.type)
            lowerer.known.let(slot, value)
            before.append(core.Let(arg.span, slot, param.name, value))
            value = Local(param.type, arg.span, slot, param.name)
        arguments[param.slot] = value
    body = tuple(_happens(lowerer, s, effect, arguments))
    return [*before, *([Inlined(s.span, s.effect, body)] if body else [])]


def call_routine(lowerer: Lowerer, s: EffectRoutine, env: Env) -> list[Stmt]:
    return [replace(s, args=lowerer.exprs(s.args, env))]


def inlined(lowerer: Lowerer, s: Inlined, env: Env) -> list[Stmt]:
    body = lowerer.block(s.body, env)
    return [Inlined(s.span, s.name, body)] if body else []


def _happens(lowerer: Lowerer, s: Stmt | None, effect: core.Effect, arguments: Env) -> list[Stmt]:
    """What an effect does, and what the rules that answer to it do."""
    out: list[Stmt] = []
    body = lowerer.block(effect.body, arguments)
    branches = []
    for rule in effect.instead:
        holds = lowerer.maybe(rule.condition, arguments) or Const(BOOL, rule.span, True)
        branches.append((holds, lowerer.block(rule.body, arguments)))
    span = s.span if s is not None else effect.instead[0].span if effect.instead else NO_SPAN
    out.extend(_if_lowered(span, tuple(branches), body))
    for rule in effect.when:
        holds = lowerer.maybe(rule.condition, arguments) or Const(BOOL, rule.span, True)
        span = s.span if s is not None else rule.span
        out.extend(_if_lowered(span, ((holds, lowerer.block(rule.body, arguments)),), ()))
    return out


def _shared_effect(lowerer: Lowerer, key: Key, effect: core.Effect) -> LoweredRoutine:
    params, arguments = lowerer.parameters(effect.params, key)
    body = tuple(_happens(lowerer, None, effect, arguments))
    number = len(lowerer.routines)
    lowerer.routines[key] = LoweredRoutine(number, effect.name, params, body, None, asks(body), ends(body))
    return lowerer.routines[key]


def _if_lowered(span: Any, branches: tuple[tuple[Expr, tuple[Stmt, ...]], ...], last: tuple[Stmt, ...]) -> list[Stmt]:
    kept = []
    for condition, body in branches:
        if isinstance(condition, Const):
            if condition.value:
                last = body
                break
            continue
        kept.append((condition, body))
    return [core.If(span, tuple(kept), last)] if kept else list(last)
