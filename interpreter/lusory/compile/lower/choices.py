"""What a player decides, or chance. A choice keeps where the locals went that it reads."""

from __future__ import annotations

from dataclasses import fields, replace

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Stmt, locals_in
from lusory_dsl.core.knowledge import knowledge_of, players_in
from lusory_dsl.language.types import BOOL, INT, ListType

from .lowered import AskManyWithLocals, AskWithLocals
from .lowerer import Env, Lowerer, Scope


def ask(lowerer: Lowerer, s: core.Ask, env: Scope) -> list[AskWithLocals]:
    frame = _framed(lowerer, s, env)
    chooser = lowerer.expr(s.chooser, env)
    prompt = lowerer.text(s.prompt, env)
    otherwise = lowerer.block(s.otherwise, env)
    alternatives = []
    for a in s.alternatives:
        conditions = [lowerer.expr(c, env) for c in a.conditions]
        never = any(isinstance(c, Const) and not c.value for c in conditions)
        # a choice without a block leaves its names to the rest of the block
        inner = env if not a.body and len(s.alternatives) == 1 else dict(env)
        variables = []
        for v in a.vars:
            domain = lowerer.expr(v.domain, inner)
            item = domain.type.item if isinstance(domain.type, ListType) else INT
            slot = lowerer.bind(v.slot, v.name, item, v.span, inner)
            lowerer.known.over(slot, domain)
            condition = lowerer.maybe(v.condition, inner)
            variables.append(core.ChoiceVar(slot, v.name, domain, condition, v.secret, v.span))
        label = None if a.label is None else lowerer.text(a.label, inner)
        body = () if never else lowerer.block(a.body, inner)
        if never:
            conditions = [Const(BOOL, a.span, False)]
        alternatives.append(
            core.Alternative(
                a.name,
                label,
                tuple(c for c in conditions if never or not isinstance(c, Const)),
                tuple(variables),
                body,
                a.span,
            )
        )
    return [AskWithLocals(s.span, s.site, chooser, prompt, tuple(alternatives), otherwise, frame)]


def ask_again(lowerer: Lowerer, s: AskWithLocals, env: Scope) -> list[Stmt]:
    """A lowered choice once more: it speaks of the locals of the program still."""
    frame = lowerer.frame(s.frame, env)
    return [replace(a, frame=frame) for a in ask(lowerer, s, env)]


def ask_many(lowerer: Lowerer, s: core.AskMany, env: Scope) -> list[AskManyWithLocals]:
    frame = _framed(lowerer, s, env)
    chooser = lowerer.expr(s.chooser, env)
    source = lowerer.expr(s.source, env)
    low, high = lowerer.expr(s.low, env), lowerer.expr(s.high, env)
    prompt = lowerer.text(s.prompt, env)
    inner = dict(env)
    item = source.type.item if isinstance(source.type, ListType) else INT
    item_slot = lowerer.bind(s.item_slot, s.name, item, s.span, inner)
    lowerer.known.over(item_slot, source)
    condition = lowerer.maybe(s.condition, inner)
    slot = lowerer.bind(s.slot, s.name, source.type, s.span, env)
    lowerer.known.let(slot, source)
    return [
        AskManyWithLocals(
            s.span,
            s.site,
            chooser,
            prompt,
            slot,
            s.name,
            source,
            condition,
            low,
            high,
            s.ordered,
            s.secret,
            item_slot,
            None,  # labels are read from the program
            frame,
        )
    ]


def ask_many_again(lowerer: Lowerer, s: AskManyWithLocals, env: Scope) -> list[Stmt]:
    frame = lowerer.frame(s.frame, env)
    return [replace(a, frame=frame) for a in ask_many(lowerer, s, env)]


def random(lowerer: Lowerer, s: core.Random, env: Scope) -> list[Stmt]:
    domain = lowerer.expr(s.domain, env)
    otherwise = lowerer.block(s.otherwise, env)
    inner = env if not s.body else dict(env)
    item = domain.type.item if isinstance(domain.type, ListType) else INT
    slot = lowerer.bind(s.slot, s.name, item, s.span, inner)
    lowerer.known.over(slot, domain)
    condition = lowerer.maybe(s.condition, inner)
    body = lowerer.block(s.body, inner)
    actor = lowerer.maybe(s.actor, env)
    return [replace(s, slot=slot, domain=domain, condition=condition, body=body, otherwise=otherwise, actor=actor)]


def _framed(lowerer: Lowerer, s: core.Ask | core.AskMany, env: Env) -> tuple[tuple[int, Expr], ...]:
    """Where the locals went that a choice's own texts, domains and conditions read, and those that hold who may
    know them."""
    frame = dict(_frame(s, env))
    players = players_in(lowerer.program, set(frame), knowledge_of(lowerer.program).sites[s.site])
    frame |= {slot: env[slot] for slot in sorted(players) if slot in env}
    return tuple(sorted(frame.items()))


def _frame(s: Stmt, env: Env) -> tuple[tuple[int, Expr], ...]:
    """Where the locals went that a choice's own texts, domains and conditions read (not what its bodies read)."""
    read: set[int] = set()
    for f in fields(s):
        value = getattr(s, f.name)
        if isinstance(value, Expr):
            read |= locals_in(value)
        elif f.name == "alternatives":
            for a in value:
                for e in (*a.conditions, *([a.label] if a.label is not None else ())):
                    read |= locals_in(e)
                for v in a.vars:
                    read |= locals_in(v.domain) | (locals_in(v.condition) if v.condition is not None else set())
    return tuple((slot, env[slot]) for slot in sorted(read) if slot in env)
