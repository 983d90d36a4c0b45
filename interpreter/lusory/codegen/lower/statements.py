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
from lusory_dsl.core.knowledge_levels_and_knowledge_results import TextStatement
from lusory_dsl.core.knowledge_of_locals import find_informed_players, get_knowledge
from lusory_dsl.types.types import BOOL

from ...view.seat_view import find_locals_of_text
from .expressions import lower_fields
from .lowered_nodes_and_common_subexpressions import (
    AnnounceWithLocals,
    AskManyWithLocals,
    AskWithLocals,
    EndGameWithLocals,
    Inlined,
)
from .lowerer_with_constant_folding_and_inlining import Env, Lowerer, Scope

T = TypeVar("T")


def lower_case_expression(lowerer: Lowerer, expr: core.ByCard, env: Env) -> Expr:
    """Lower a choice of an expression by card: to the value of one case, or to a search for the case at run time.

    A constant card gives the lowered value of its case, or of ``otherwise``. A copy of a card has that card's case. Any
    other card gives a binary search by the field ``original`` of the card. Example: the cases A for card 3 and B for
    card 7, with O as ``otherwise``, become ``if k < 7 then (if k = 3 then A else O) else (if k = 7 then B else O)``,
    where each ``k`` is the Field ``card.original``.
    """
    card = lowerer.lower(expr.card, env)
    if isinstance(card, Const):
        return lowerer.lower(dict(expr.cases).get(_get_first_copy(lowerer, card), expr.otherwise), env)
    otherwise = lowerer.lower(expr.otherwise, env)
    cases = [(original, lowerer.lower(case, env)) for original, case in expr.cases]
    key = core.Field(card.type, expr.span, card, "original")
    return _make_binary_search(key, cases, otherwise, partial(IfExpr, expr.type, expr.span))


def lower_case_statement(lowerer: Lowerer, stmt: core.DoByCard, env: Env) -> list[Stmt]:
    """Lower a choice of statements by card: to the statements of one case, or to a search for the case at run time.

    - A constant card gives the lowered statements of its case, or of ``otherwise``. A copy of a card has that card's
      case.
    - Any other card gives two statements: a ``Let`` that reads the field ``original`` of the card, and an ``If`` that
      finds the case by binary search.
    - If ``otherwise`` does nothing, the search leaves out cases that do nothing. If no case is left, the result is the
      lowered ``otherwise`` alone, which is [] if it does nothing.

    Example: the cases A for card 3 and B for card 7, with O as ``otherwise``, become ``let original = card.original``
    and ``if original < 7: (if original = 3: A else: O) else: (if original = 7: B else: O)``.
    """
    card = lowerer.lower(stmt.card, env)
    if isinstance(card, Const):
        return list(lowerer.lower_block(dict(stmt.cases).get(_get_first_copy(lowerer, card), stmt.otherwise), env))
    otherwise = lowerer.lower_block(stmt.otherwise, env)
    cases = [(original, body) for original, case in stmt.cases if (body := lowerer.lower_block(case, env)) or otherwise]
    if not cases:
        return list(otherwise)
    slot = lowerer.make_local("original", card.type)
    key = Local(card.type, stmt.span, slot, "original")
    tree = _make_binary_search(
        key, cases, otherwise, lambda test, then, other: (core.If(stmt.span, ((test, then),), other),)
    )
    return [core.Let(stmt.span, slot, "original", core.Field(card.type, stmt.span, card, "original")), *tree]


def _get_first_copy(lowerer: Lowerer, card: Const) -> int:
    """Return the number of the first copy of a constant card, which stands for all copies of that card.

    For the first copy it is its own number.
    """
    original: Any = lowerer.program.entities[int(str(card.value))].fields["original"]
    return int(original)


def _make_binary_search(
    key: Expr, cases: Sequence[tuple[int, T]], otherwise: T, branch: Callable[[Expr, T, T], T]
) -> T:
    """Build a binary search over the cases, which are sorted by card. It needs about log2 of their number tests.

    ``branch`` joins a test and its two outcomes.
    """
    if len(cases) == 1:
        ((original, case),) = cases
        return branch(_compare_copy("=", key, original), case, otherwise)
    low, high = cases[: len(cases) // 2], cases[len(cases) // 2 :]
    lower_half = _make_binary_search(key, low, otherwise, branch)
    upper_half = _make_binary_search(key, high, otherwise, branch)
    return branch(_compare_copy("<", key, high[0][0]), lower_half, upper_half)


def _compare_copy(op: str, key: Expr, original: int) -> Expr:
    """Compare the first copy of a card with that of another. First copies are numbered in the order of the cards."""
    return Binary(BOOL, key.span, op, key, Const(key.type, key.span, original))


def lower_choice(lowerer: Lowerer, stmt: core.Ask, env: Scope) -> list[AskWithLocals]:
    """Lower a choice between alternatives to one :class:`AskWithLocals`.

    Its frame is a tuple of pairs of a core slot and the expression of its value, sorted by slot. It covers the locals
    that the choice reads outside its blocks, and those that decide who may know these: players, and cards that must be
    seen. The alternatives keep their order, also those that are never possible. Their ``conditions`` lose those that
    are constantly true, and can become ``()``. Those after a constantly false one are dropped, and the body becomes
    ``()``. Those before it are dropped, too, unless one of them can fail: ``(a, false, b)`` becomes ``(false,)`` or
    ``(a, false)``. The variables of a single alternative without a body stay bound in ``env``.
    """
    frame = _make_choice_frame(lowerer, stmt, env)
    chooser = lowerer.lower(stmt.chooser, env)
    prompt = lowerer.lower_text(stmt.prompt, env)
    otherwise = lowerer.lower_block(stmt.otherwise, env)
    alternatives = []
    for alternative in stmt.alternatives:
        conditions = _lower_conditions(lowerer, alternative.conditions, env)
        is_impossible = any(isinstance(test, Const) for test in conditions)
        # A single choice without a block binds its variables for the rest of the surrounding block.
        scope = env if not alternative.body and len(stmt.alternatives) == 1 else dict(env)
        variables = []
        for variable in alternative.vars:
            domain = lowerer.lower(variable.domain, scope)
            slot = lowerer.bind_item(variable.slot, variable.name, domain, variable.span, scope)
            condition = lowerer.lower_optional(variable.condition, scope)
            variables.append(replace(variable, slot=slot, domain=domain, condition=condition))
        label = None if alternative.label is None else lowerer.lower_text(alternative.label, scope)
        body = () if is_impossible else lowerer.lower_block(alternative.body, scope)
        alternatives.append(replace(alternative, label=label, conditions=conditions, vars=tuple(variables), body=body))
    return [AskWithLocals(stmt.span, stmt.site, chooser, prompt, tuple(alternatives), otherwise, frame)]


def _lower_conditions(lowerer: Lowerer, conditions: tuple[Expr, ...], env: Env) -> tuple[Expr, ...]:
    """Lower the conditions of an alternative, up to the first one that is constantly false, without constantly true
    ones.

    If one is false, those before it are left out, too, unless one of them may have a fault.
    """
    tests: tuple[Expr, ...] = ()
    for condition in conditions:
        test = lowerer.lower(condition, env)
        if not isinstance(test, Const):
            tests += (test,)
        elif not test.value:
            return (*tests, test) if any(map(lowerer.can_fail, tests)) else (test,)
    return tests


def lower_multiple_choice(lowerer: Lowerer, stmt: core.AskMany, env: Scope) -> list[AskManyWithLocals]:
    """Lower a choice of several items to one :class:`AskManyWithLocals`, and bind the local of the picked list in
    ``env``.

    The result has the fields of ``stmt``, lowered, and a ``frame``: a tuple of pairs of a core slot and the expression
    of its value, sorted by slot. The frame covers the locals in ``env`` that the choice, its prompt and its label read,
    so not the item. It also covers those that decide who may know these: players, and cards that must be seen. The
    label is None, because labels are read from the core program.
    """
    frame = _make_choice_frame(lowerer, stmt, env)
    chooser = lowerer.lower(stmt.chooser, env)
    source = lowerer.lower(stmt.source, env)
    low, high = lowerer.lower(stmt.low, env), lowerer.lower(stmt.high, env)
    prompt = lowerer.lower_text(stmt.prompt, env)
    inner = dict(env)
    item_slot = lowerer.bind_item(stmt.item_slot, stmt.name, source, stmt.span, inner)
    condition = lowerer.lower_optional(stmt.condition, inner)
    slot = lowerer.bind(stmt.slot, stmt.name, source.type, stmt.span, env)
    lowerer.ranges.bind_value(slot, source)
    items = slot, stmt.name, source, condition, low, high
    flags = stmt.is_ordered, stmt.is_secret
    return [AskManyWithLocals(stmt.span, stmt.site, chooser, prompt, *items, *flags, item_slot, None, frame)]


def lower_draw(lowerer: Lowerer, stmt: core.Random, env: Scope) -> list[Stmt]:
    """Lower a random draw. Return a list of one ``core.Random``, with a fresh slot for the drawn value.

    With a body, ``stmt.slot`` is bound to a Local with the fresh slot only in the condition and the body. Without a
    body, ``env`` itself maps it to that Local from then on. A body that lowers to no statements becomes one empty
    ``Inlined``, and a missing one stays ``()``.
    """
    domain = lowerer.lower(stmt.domain, env)
    otherwise = lowerer.lower_block(stmt.otherwise, env)
    inner = env if not stmt.body else dict(env)
    slot = lowerer.bind_item(stmt.slot, stmt.name, domain, stmt.span, inner)
    condition = lowerer.lower_optional(stmt.condition, inner)
    body = lowerer.lower_block(stmt.body, inner)
    if stmt.body and not body:  # only a draw without a block may not be from an empty list
        body = (Inlined(stmt.span, "", ()),)
    actor = lowerer.lower_optional(stmt.actor, env)
    return [replace(stmt, slot=slot, domain=domain, condition=condition, body=body, otherwise=otherwise, actor=actor)]


def _make_choice_frame(lowerer: Lowerer, stmt: core.Ask | core.AskMany, env: Env) -> tuple[tuple[int, Expr], ...]:
    """Return the frame of a choice: pairs of a local of the core program and the expression that now holds its value.

    It covers the locals that the texts, domains and conditions of the choice read, and those that decide who may know
    them: players, and cards that must be seen. Locals that only the bodies of its alternatives read are left out. The
    frame of a choice that is already lowered keeps its locals, with lowered values.
    """
    if isinstance(stmt, AskWithLocals | AskManyWithLocals):
        return lowerer.lower_frame(stmt.frame, env)
    slots: set[int] = set()
    for field in fields(stmt):
        value = getattr(stmt, field.name)
        if isinstance(value, Expr):
            slots |= collect_locals(value)
        elif field.name == "alternatives":
            for alternative in value:
                label = () if alternative.label is None else (alternative.label,)
                slots = slots.union(*map(collect_locals, (*core.iterate_offer_expressions(alternative), *label)))
    levels = get_knowledge(lowerer.program).site_levels[stmt.site]
    players = find_informed_players(slots & env.keys(), levels)
    return tuple((slot, env[slot]) for slot in sorted(slots | players) if slot in env)


def keep_statement(lowerer: Lowerer, stmt: Stmt, env: Env) -> list[Stmt]:
    """Return the statement itself in a list."""
    return [stmt]


def lower_let(lowerer: Lowerer, stmt: core.Let, env: Scope) -> list[Stmt]:
    """Lower a binding to one ``Let`` of a fresh slot. ``env[stmt.slot]`` becomes the new local.

    The bounds of its value go into ``lowerer.ranges``. If the lowered value is a constant, as of ``1 + 2``, or another
    local, ``env[stmt.slot]`` becomes that instead, and the result is [].
    """
    value = lowerer.lower(stmt.value, env)
    if isinstance(value, Const | Local):
        env[stmt.slot] = value
        return []
    slot = lowerer.bind(stmt.slot, stmt.name, value.type, stmt.span, env)
    lowerer.ranges.bind_value(slot, value)
    return [core.Let(stmt.span, slot, stmt.name, value)]


def lower_statement_parts(lowerer: Lowerer, stmt: Stmt, env: Env) -> list[Stmt]:
    """Return a statement, in a list, with all its expressions and blocks lowered."""
    return [lower_fields(lowerer, stmt, env)]


def lower_if(lowerer: Lowerer, stmt: core.If, env: Env) -> list[Stmt]:
    """Lower an if statement to one ``If`` with the branches whose conditions are not constant.

    A constantly false branch is dropped. The body of a constantly true one becomes ``otherwise``, and all later
    branches are dropped. If no branch is left, the result is the lowered ``otherwise``, perhaps [].
    """
    branches: list[tuple[Expr, tuple[Stmt, ...]]] = []
    otherwise = stmt.otherwise
    for condition, body in stmt.branches:
        test = lowerer.lower(condition, env)
        if isinstance(test, Const):
            if not test.value:
                continue
            otherwise = body
            break
        branches.append((test, lowerer.lower_block(body, env)))
    else_block = lowerer.lower_block(otherwise, env)
    if not branches:
        return list(else_block)
    return [core.If(stmt.span, tuple(branches), else_block)]


def lower_loop(lowerer: Lowerer, stmt: core.ForEach, env: Env) -> list[Stmt]:
    """Lower a loop over a list to one ``ForEach``, or to [] if the list is constant and empty.

    Also returns [] if the lowered body is empty, and neither the list nor the condition can have a fault. A condition
    that is constantly false stays.
    """
    source = lowerer.lower(stmt.source, env)
    if isinstance(source, Const) and not source.value:
        return []
    scope = dict(env)
    slot = lowerer.bind_item(stmt.slot, stmt.name, source, stmt.span, scope)
    condition = lowerer.lower_optional(stmt.condition, scope)
    body = lowerer.lower_block(stmt.body, scope)
    loop = core.ForEach(stmt.span, slot, stmt.name, source, condition, body)
    has_effect = body or any(lowerer.can_fail(expr) for expr in (source, condition) if expr is not None)
    return [loop] if has_effect else []


def lower_text_statement(lowerer: Lowerer, stmt: TextStatement, env: Env) -> list[Stmt]:
    """Lower an announcement or the end of the game to one statement. A reason that is None stays None.

    A text that may mention hidden information gives an ``AnnounceWithLocals`` or ``EndGameWithLocals``. Its ``number``
    is the index, from 0, of the statement among the keys of ``get_knowledge(program).text_levels``. Its ``frame`` has a
    pair for each local in ``env`` that :func:`find_locals_of_text` returns, sorted by slot: the slot in the core
    program and the lowered value. Example: a text reads local 2, which only the player in local 0 may know. Its frame
    has pairs for 0 and 2. Any other text gives a ``core.Announce`` or ``core.EndGame``. A statement with a ``frame``
    keeps its number, and the frame is lowered.
    """
    if isinstance(stmt, AnnounceWithLocals | EndGameWithLocals):  # already lowered: its frame keeps its locals
        frame = lowerer.lower_frame(stmt.frame, env)
        return [replace(lower_fields(lowerer, stmt, env), frame=frame)]
    lowered = lower_fields(lowerer, stmt, env)
    if stmt not in lowerer.tellers:
        return [lowered]
    slots = find_locals_of_text(lowerer.program, stmt)
    frame = tuple((slot, env[slot]) for slot in sorted(slots) if slot in env)
    if isinstance(lowered, core.Announce):
        return [AnnounceWithLocals(lowered.span, lowered.text, lowered.to, lowerer.tellers[stmt], frame)]
    return [EndGameWithLocals(lowered.span, lowered.reason, lowerer.tellers[stmt], frame)]
