"""Lower statements, choices, and the selection of code by card.

Most functions lower their parts and rebuild the node. Conditions and loops are simplified if their condition or list is
constant. Locals of the core program get fresh slots, so that inlined code can't mix up its locals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, Stmt, collect_locals
from lusory_dsl.core.knowledge_of_locals import TextStatement, find_informed_players, get_knowledge
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import BOOL, INT, NONE, ListType, OptionalType, Type

from ...view.seat_view import locals_of_text
from .lowered_nodes import (
    AnnounceWithLocals,
    AskManyWithLocals,
    AskWithLocals,
    EndGameWithLocals,
    Spend,
    one_or_none,
    stops,
)
from .lowerer import Env, Lowerer, Scope

T = TypeVar("T")


def by_card(lowerer: Lowerer, e: core.ByCard, env: Env) -> Expr:
    """Lower a choice of an expression by card to one case, or to a binary search over the cards."""
    card = lowerer.expr(e.card, env)
    if isinstance(card, Const):
        return lowerer.expr(dict(e.cases).get(first_copy(lowerer, card), e.otherwise), env)
    otherwise = lowerer.expr(e.otherwise, env)
    cases = [(original, lowerer.expr(case, env)) for original, case in e.cases]
    return choice(e.type, e.span, core.Field(card.type, e.span, card, "original"), cases, otherwise)


def do_by_card(lowerer: Lowerer, s: core.DoByCard, env: Env) -> list[Stmt]:
    """Lower a choice of statements by card to one case, or to a binary search over the cards."""
    card = lowerer.expr(s.card, env)
    if isinstance(card, Const):
        return list(lowerer.block(dict(s.cases).get(first_copy(lowerer, card), s.otherwise), env))
    otherwise = lowerer.block(s.otherwise, env)
    cases = [(original, body) for original, case in s.cases if (body := lowerer.block(case, env)) or otherwise]
    if not cases:
        return list(otherwise)
    slot = lowerer.fresh("original", card.type)
    key = Local(card.type, s.span, slot, "original")
    tree = _as_binary_tree(key, cases, otherwise, lambda test, then, other: (core.If(s.span, ((test, then),), other),))
    return [core.Let(s.span, slot, "original", core.Field(card.type, s.span, card, "original")), *tree]


def first_copy(lowerer: Lowerer, card: Const) -> int:
    """Return the first copy of a constant card. It stands for all copies of that card."""
    found: Any = lowerer.program.entities[int(str(card.value))].fields["original"]
    return int(found)


def choice(type: Type, span: Span, key: Expr, cases: Sequence[tuple[int, Expr]], otherwise: Expr) -> Expr:
    """Build a binary search over the first copy of a card (``key``) that evaluates to the case of that card."""
    return _as_binary_tree(key, cases, otherwise, partial(IfExpr, type, span))


def _as_binary_tree(key: Expr, cases: Sequence[tuple[int, T]], otherwise: T, either: Callable[[Expr, T, T], T]) -> T:
    """Build a binary search over the cases, which are sorted by card. It needs about log2 of their number tests.

    ``either`` joins a test and its two outcomes.
    """
    if len(cases) == 1:
        ((original, case),) = cases
        return either(_compared("=", key, original), case, otherwise)
    low, high = cases[: len(cases) // 2], cases[len(cases) // 2 :]
    below, above = _as_binary_tree(key, low, otherwise, either), _as_binary_tree(key, high, otherwise, either)
    return either(_compared("<", key, high[0][0]), below, above)


def _compared(op: str, key: Expr, original: int) -> Expr:
    """Compare the first copy of a card with that of another. First copies are numbered in the order of the cards."""
    return Binary(BOOL, key.span, op, key, Const(key.type, key.span, original))


def ask(lowerer: Lowerer, s: core.Ask, env: Scope) -> list[AskWithLocals]:
    """Lower a choice between alternatives.

    An alternative with a constant false condition keeps its number and loses its body.
    """
    frame = _framed(lowerer, s, env)
    chooser = lowerer.expr(s.chooser, env)
    prompt = lowerer.text(s.prompt, env)
    otherwise = lowerer.block(s.otherwise, env)
    alternatives = []
    for a in s.alternatives:
        conditions = [lowerer.expr(c, env) for c in a.conditions]
        never = any(isinstance(c, Const) and not c.value for c in conditions)
        # A single choice without a block binds its variables for the rest of the surrounding block.
        inner = env if not a.body and len(s.alternatives) == 1 else dict(env)
        variables = []
        for v in a.vars:
            domain = lowerer.expr(v.domain, inner)
            item = domain.type.item if isinstance(domain.type, ListType) else INT
            slot = lowerer.bind(v.slot, v.name, item, v.span, inner)
            lowerer.known.over(slot, domain)
            condition = lowerer.maybe(v.condition, inner)
            variables.append(core.ChoiceVar(slot, v.name, domain, condition, v.is_secret, v.span))
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
    """Lower an already lowered choice again. Its frame still refers to locals of the core program."""
    frame = lowerer.frame(s.frame, env)
    return [replace(a, frame=frame) for a in ask(lowerer, s, env)]


def ask_many(lowerer: Lowerer, s: core.AskMany, env: Scope) -> list[AskManyWithLocals]:
    """Lower a choice of several items."""
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
            s.is_ordered,
            s.is_secret,
            item_slot,
            # Labels are read from the core program.
            None,
            frame,
        )
    ]


def ask_many_again(lowerer: Lowerer, s: AskManyWithLocals, env: Scope) -> list[Stmt]:
    frame = lowerer.frame(s.frame, env)
    return [replace(a, frame=frame) for a in ask_many(lowerer, s, env)]


def random(lowerer: Lowerer, s: core.Random, env: Scope) -> list[Stmt]:
    """Lower a random draw."""
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
    """Return the frame of a choice: pairs of a local of the core program and the expression that now holds its value.

    It covers the locals that the choice itself reads, and those that hold the players who may know them.
    """
    frame = dict(_frame(s, env))
    players = find_informed_players(lowerer.program, set(frame), get_knowledge(lowerer.program).site_levels[s.site])
    frame |= {slot: env[slot] for slot in sorted(players) if slot in env}
    return tuple(sorted(frame.items()))


def _frame(s: Stmt, env: Env) -> tuple[tuple[int, Expr], ...]:
    """Return the frame for the locals that the texts, domains and conditions of a choice read.

    Locals that only the bodies of its alternatives read are left out.
    """
    read: set[int] = set()
    for f in fields(s):
        value = getattr(s, f.name)
        if isinstance(value, Expr):
            read |= collect_locals(value)
        elif f.name == "alternatives":
            for a in value:
                for e in (*a.conditions, *([a.label] if a.label is not None else ())):
                    read |= collect_locals(e)
                for v in a.vars:
                    read |= collect_locals(v.domain) | (
                        collect_locals(v.condition) if v.condition is not None else set()
                    )
    return tuple((slot, env[slot]) for slot in sorted(read) if slot in env)


def spend(lowerer: Lowerer, s: Spend, env: Env) -> list[Stmt]:
    return [s]


def let(lowerer: Lowerer, s: core.Let, env: Scope) -> list[Stmt]:
    """Lower a binding. A constant or another local replaces the bound local."""
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
    """Lower an if statement, and drop branches whose conditions are constant."""
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
    """Lower a loop over a list.

    A loop over an optional value becomes an if statement. A loop that does nothing and has no fault disappears.
    """
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
    """Lower a loop over an optional value: bind the value, test that it is not none, and run the body once."""
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
    """Lower an announcement, and keep its frame if the text may mention hidden information."""
    lowered = core.Announce(s.span, lowerer.text(s.text, env), lowerer.maybe(s.to, env))
    if s not in lowerer.tellers:
        return [lowered]
    return [AnnounceWithLocals(s.span, lowered.text, lowered.to, lowerer.tellers[s], _known(lowerer, s, env))]


def announce_again(lowerer: Lowerer, s: AnnounceWithLocals, env: Env) -> list[Stmt]:
    frame = lowerer.frame(s.frame, env)
    return [replace(s, text=lowerer.text(s.text, env), to=lowerer.maybe(s.to, env), frame=frame)]


def end_game(lowerer: Lowerer, s: core.EndGame, env: Env) -> list[Stmt]:
    """Lower the end of the game, and keep its frame if the reason may mention hidden information."""
    reason = None if s.reason is None else lowerer.text(s.reason, env)
    if s not in lowerer.tellers:
        return [core.EndGame(s.span, reason)]
    return [EndGameWithLocals(s.span, reason, lowerer.tellers[s], _known(lowerer, s, env))]


def end_game_again(lowerer: Lowerer, s: EndGameWithLocals, env: Env) -> list[Stmt]:
    frame = lowerer.frame(s.frame, env)
    return [replace(s, reason=None if s.reason is None else lowerer.text(s.reason, env), frame=frame)]


def _known(lowerer: Lowerer, s: TextStatement, env: Env) -> tuple[tuple[int, Expr], ...]:
    """Return the frame of an announcement or ending: pairs of a local of the core program and its value.

    It covers the locals that the text reads, and those that hold the players who may know them.
    """
    read = locals_of_text(lowerer.program, s)
    return tuple((slot, env[slot]) for slot in sorted(read) if slot in env)
