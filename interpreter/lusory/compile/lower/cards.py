"""What depends on which card something is: one case for each card of the ruleset, the same for all its copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, Stmt
from lusory_dsl.language.types import BOOL, Type
from lusory_dsl.text.source import Span

from .lowerer import Env, Lowerer

T = TypeVar("T")


def by_card(lowerer: Lowerer, e: core.ByCard, env: Env) -> Expr:
    card = lowerer.expr(e.card, env)
    if isinstance(card, Const):
        return lowerer.expr(dict(e.cases).get(first_copy(lowerer, card), e.otherwise), env)
    otherwise = lowerer.expr(e.otherwise, env)
    cases = [(original, lowerer.expr(case, env)) for original, case in e.cases]
    return choice(e.type, e.span, core.Field(card.type, e.span, card, "original"), cases, otherwise)


def do_by_card(lowerer: Lowerer, s: core.DoByCard, env: Env) -> list[Stmt]:
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
    """The first copy of a card."""
    found: Any = lowerer.program.entities[int(str(card.value))].fields["original"]
    return int(found)


def choice(type: Type, span: Span, key: Expr, cases: Sequence[tuple[int, Expr]], otherwise: Expr) -> Expr:
    """The value that belongs to the first copy of a card, which is ``key``."""
    return _as_binary_tree(key, cases, otherwise, partial(IfExpr, type, span))


def _as_binary_tree(key: Expr, cases: Sequence[tuple[int, T]], otherwise: T, either: Callable[[Expr, T, T], T]) -> T:
    """What belongs to the first copy of a card. Halves the cases until one is left: as many tests as their number has
    digits."""
    if len(cases) == 1:
        ((original, case),) = cases
        return either(_compared("=", key, original), case, otherwise)
    low, high = cases[: len(cases) // 2], cases[len(cases) // 2 :]
    below, above = _as_binary_tree(key, low, otherwise, either), _as_binary_tree(key, high, otherwise, either)
    return either(_compared("<", key, high[0][0]), below, above)


def _compared(op: str, key: Expr, original: int) -> Expr:
    """A test of which card something is a copy of: first copies are numbered in the order of the cards."""
    return Binary(BOOL, key.span, op, key, Const(key.type, key.span, original))
