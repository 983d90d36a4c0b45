"""Statements that are no choices and call nothing."""

from __future__ import annotations

from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, Local, Stmt
from lusory_dsl.core.knowledge import Teller
from lusory_dsl.language.types import BOOL, INT, NONE, ListType, OptionalType

from ...seat.telling import read_by
from .lowered import AnnounceWithLocals, EndGameWithLocals, Spend, one_or_none, stops
from .lowerer import Env, Lowerer, Scope


def spend(lowerer: Lowerer, s: Spend, env: Env) -> list[Stmt]:
    return [s]


def let(lowerer: Lowerer, s: core.Let, env: Scope) -> list[Stmt]:
    value = lowerer.expr(s.value, env)
    if isinstance(value, Const | Local):
        env[s.slot] = value
        return []
    slot = lowerer.bind(s.slot, s.name, value.type, s.span, env)
    lowerer.known.let(slot, value)
    return [core.Let(s.span, slot, s.name, value)]


def set_cell(lowerer: Lowerer, s: core.SetCell, env: Env) -> list[Stmt]:
    return [replace(s, indices=lowerer.exprs(s.indices, env), value=lowerer.expr(s.value, env))]


def move_count(lowerer: Lowerer, s: core.MoveCount, env: Env) -> list[Stmt]:
    return [
        replace(
            s,
            kind=lowerer.maybe(s.kind, env),
            amount=lowerer.maybe(s.amount, env),
            source_indices=lowerer.exprs(s.source_indices, env),
            target_indices=lowerer.exprs(s.target_indices, env),
        )
    ]


def move_cards(lowerer: Lowerer, s: core.MoveCards, env: Env) -> list[Stmt]:
    return [replace(s, cards=lowerer.expr(s.cards, env), target_indices=lowerer.exprs(s.target_indices, env))]


def shuffle(lowerer: Lowerer, s: core.Shuffle, env: Env) -> list[Stmt]:
    return [replace(s, indices=lowerer.exprs(s.indices, env))]


def when(lowerer: Lowerer, s: core.If, env: Env) -> list[Stmt]:
    branches: list[tuple[Expr, tuple[Stmt, ...]]] = []
    otherwise = s.otherwise
    for condition, body in s.branches:
        lowered = lowerer.expr(condition, env)
        if isinstance(lowered, Const):
            if not lowered.value:
                continue
            otherwise = body
            break
        branches.append((lowered, lowerer.block(body, env)))
    last = lowerer.block(otherwise, env)
    if not branches:
        return list(last)
    if not last and not any(b or lowerer.can_fail(c) for c, b in branches):
        return []
    return [core.If(s.span, tuple(branches), last)]


def for_each(lowerer: Lowerer, s: core.ForEach, env: Env) -> list[Stmt]:
    source = lowerer.expr(s.source, env)
    if isinstance(source, Const) and not source.value:
        return []
    value = None if stops(s.body) else one_or_none(source)
    if value is not None:
        return _if_there_is(lowerer, s, value, env)
    inner = dict(env)
    item = source.type.item if isinstance(source.type, ListType) else INT
    slot = lowerer.bind(s.slot, s.name, item, s.span, inner)
    lowerer.known.over(slot, source)
    condition = lowerer.maybe(s.condition, inner)
    if isinstance(condition, Const):
        if not condition.value:
            if not lowerer.can_fail(source):
                return []
            return [core.ForEach(s.span, slot, s.name, source, condition, ())]
        condition = None
    body = lowerer.block(s.body, inner)
    loop = core.ForEach(s.span, slot, s.name, source, condition, body)
    kept = body or any(lowerer.can_fail(e) for e in (source, condition) if e is not None)
    return [loop] if kept else []


def _if_there_is(lowerer: Lowerer, s: core.ForEach, value: Expr, env: Env) -> list[Stmt]:
    """A loop over something or nothing: what is done with it, under a test."""
    inner = dict(env)
    named: list[Stmt] = []
    if not isinstance(value, Local):
        slot = lowerer.bind(s.slot, s.name, value.type, s.span, inner)
        lowerer.known.let(slot, value)
        named = [core.Let(s.span, slot, s.name, value)]
        value = inner[s.slot]
    inner[s.slot] = replace(value, type=value.type.item if isinstance(value.type, OptionalType) else value.type)
    there: Expr = Binary(BOOL, s.span, "!=", value, Const(NONE, s.span, None))
    condition = lowerer.maybe(s.condition, inner)
    if condition is not None and not (isinstance(condition, Const) and condition.value):
        there = Binary(BOOL, s.span, "and", there, condition)
    body = lowerer.block(s.body, inner)
    kept = body or (condition is not None and lowerer.can_fail(condition))
    return [*named, core.If(s.span, ((there, body),), ())] if kept else named


def repeat(lowerer: Lowerer, s: core.Repeat, env: Env) -> list[Stmt]:
    return [
        core.Repeat(
            s.span,
            lowerer.maybe(s.times, env),
            lowerer.maybe(s.condition, env),
            lowerer.maybe(s.bound, env),
            lowerer.block(s.body, env),
        )
    ]


def stop(lowerer: Lowerer, s: core.Stop, env: Env) -> list[Stmt]:
    return [s]


def announce(lowerer: Lowerer, s: core.Announce, env: Env) -> list[Stmt]:
    lowered = core.Announce(s.span, lowerer.text(s.text, env), lowerer.maybe(s.to, env))
    if s not in lowerer.tellers:
        return [lowered]
    return [AnnounceWithLocals(s.span, lowered.text, lowered.to, lowerer.tellers[s], _known(lowerer, s, env))]


def announce_again(lowerer: Lowerer, s: AnnounceWithLocals, env: Env) -> list[Stmt]:
    frame = lowerer.frame(s.frame, env)
    return [replace(s, text=lowerer.text(s.text, env), to=lowerer.maybe(s.to, env), frame=frame)]


def end_game(lowerer: Lowerer, s: core.EndGame, env: Env) -> list[Stmt]:
    reason = None if s.reason is None else lowerer.text(s.reason, env)
    if s not in lowerer.tellers:
        return [core.EndGame(s.span, reason)]
    return [EndGameWithLocals(s.span, reason, lowerer.tellers[s], _known(lowerer, s, env))]


def end_game_again(lowerer: Lowerer, s: EndGameWithLocals, env: Env) -> list[Stmt]:
    frame = lowerer.frame(s.frame, env)
    return [replace(s, reason=None if s.reason is None else lowerer.text(s.reason, env), frame=frame)]


def _known(lowerer: Lowerer, s: Teller, env: Env) -> tuple[tuple[int, Expr], ...]:
    """Where the locals went that a text reads, and those that hold who may know them."""
    read = read_by(lowerer.program, s)
    return tuple((slot, env[slot]) for slot in sorted(read) if slot in env)
