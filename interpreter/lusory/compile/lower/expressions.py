"""Expressions without calls: options, players and what follows from them are constants, queries are written out.

The lower half of :mod:`lusory.compile.lower.lowering`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.core import LOOPS, Binary, Const, Expr, IfExpr, Local, children
from lusory_dsl.language.types import BOOL, INT, INT_MIN, ListType, Type
from lusory_dsl.text.source import Span

from ...table.setting import Setting
from .constants import Constants
from .failing import Knowledge
from .lowered import LetIn, QueryRoutine, Routine
from .modifiers import Changes, Env
from .ranges import Reach
from .sharing import Key, shared_routines
from .uses import count_uses, under_loop

NO_SPAN: Any = None
COPIES = 60  # of one expression, by loops in loops that are written out
T = TypeVar("T")


class ExpressionLowerer(Changes):
    """Holds what is constant for one game: number of players, options. ``any_options``: these are not."""

    def __init__(self, setting: Setting, reach: Reach, any_options: bool = False) -> None:
        self.program = setting.program
        self.known = Knowledge(setting, reach)
        self.players = setting.players
        self.options = {} if any_options else setting.options
        self.constants = Constants(setting)
        self.names: dict[int, str] = {}
        self._next = 0
        self.shared = shared_routines(setting.program)
        self.routines: dict[Key, Routine] = {}
        self._copies = 1  # of what is being written, by loops round it that are written out

    def folded(self, e: Expr) -> Expr:
        return self.constants.fold(e)

    def can_fail(self, e: Expr) -> bool:
        return self.known.can_fail(e)

    def reads_first(self, e: Expr, slot: int) -> bool:
        """Whether reading a local is the first thing in an expression that can go wrong, and happens for certain."""
        if isinstance(e, Local):
            return e.slot == slot
        if isinstance(e, LetIn):
            return self.reads_first(e.value, slot)
        for part in children(e)[: 1 if isinstance(e, IfExpr | LOOPS) else None]:
            if count_uses(part, slot):
                return self.reads_first(part, slot)
            if self.can_fail(part) or (isinstance(e, Binary) and e.op in ("and", "or")):
                return False
        return False

    # ------------------------------------------------------------ locals

    def fresh(self, name: str) -> int:
        self._next += 1
        self.names[self._next] = name
        return self._next

    def _bind(self, slot: int, name: str, type_: Type, span: Any, env: dict[int, Expr]) -> int:
        new = self.fresh(name)
        env[slot] = Local(type_, span, new, name)
        return new

    def parameters(self, params: tuple[core.Param, ...], key: Key) -> tuple[tuple[int, ...], dict[int, Expr]]:
        slots = tuple(self.fresh(p.name) for p in params)
        for param, slot in zip(params, slots, strict=True):
            self.known.take(slot, (*key, param.slot))
        locals_ = {p.slot: Local(p.type, NO_SPAN, slot, p.name) for p, slot in zip(params, slots, strict=True)}
        return slots, dict(locals_)

    # ------------------------------------------------------------ expressions

    def original(self, card: Const) -> int:
        """The first copy of a card."""
        found: Any = self.program.entities[int(str(card.value))].fields["original"]
        return int(found)

    def _maybe(self, e: Expr | None, env: Env) -> Expr | None:
        return None if e is None else self.expr(e, env)

    def _all(self, es: tuple[Expr, ...], env: Env) -> tuple[Expr, ...]:
        return tuple(self.expr(e, env) for e in es)

    def _text(self, t: core.TextTemplate, env: Env) -> core.TextTemplate:
        return core.TextTemplate(t.type, t.span, tuple(p if isinstance(p, str) else self.expr(p, env) for p in t.parts))

    def expr(self, e: Expr, env: Env) -> Expr:
        """Lower an expression. Slots that ``env`` doesn't know stay as they are (already lowered)."""
        method = getattr(self, "_x_" + type(e).__name__.lower(), None)
        if method is None:
            return self._x_any(e, env)
        result: Expr = method(e, env)
        return result

    def may_write_out(self, items: int, copies: int = COPIES) -> bool:
        """Whether something may be written out for each of so many items, and so often at most: loops in loops would
        else make any amount of text."""
        return self._copies * items <= copies

    @contextmanager
    def writing_out(self, items: int) -> Iterator[None]:
        """Write a body for each of so many items: what is inside of it stands there as often."""
        before, self._copies = self._copies, self._copies * max(items, 1)
        yield
        self._copies = before

    def substitute(self, e: Expr, slot: int, value: object, type_: Type) -> Expr:
        """A lowered expression with a constant for one of its locals, folded again."""
        return self.expr(e, {slot: Const(type_, e.span, value)})

    def _x_any(self, e: Expr, env: Env) -> Expr:
        changes: dict[str, Any] = {}
        for f in fields(e):
            value = getattr(e, f.name)
            if isinstance(value, Expr):
                changes[f.name] = self.expr(value, env)
            elif f.name in ("indices", "args", "items"):
                changes[f.name] = self._all(value, env)
        return self.folded(replace(e, **changes))

    def _x_const(self, e: Const, env: Env) -> Expr:
        return e

    def _x_local(self, e: Local, env: Env) -> Expr:
        return env.get(e.slot, e)

    def _x_optionvalue(self, e: core.OptionValue, env: Env) -> Expr:
        return Const(e.type, e.span, self.options[e.option]) if self.options else e

    def _x_players(self, e: core.Players, env: Env) -> Expr:
        return Const(e.type, e.span, tuple(range(self.players)))

    def _x_texttemplate(self, e: core.TextTemplate, env: Env) -> Expr:
        return self._text(e, env)

    def _x_binary(self, e: Binary, env: Env) -> Expr:
        left = self.expr(e.left, env)
        if e.op in ("and", "or") and isinstance(left, Const):
            decided = bool(left.value) is (e.op == "or")
            return left if decided else self.expr(e.right, env)
        right = self.expr(e.right, env)
        if e.op in ("and", "or") and isinstance(right, Const) and bool(right.value) is (e.op == "and"):
            return left
        if e.op in ("+", "-") and isinstance(right, Const) and isinstance(right.value, int):
            if right.value == 0 and not isinstance(left, Const):
                return left
            if INT_MIN < right.value < 0:
                opposite = Const(right.type, right.span, -right.value)
                return self.folded(Binary(e.type, e.span, "-" if e.op == "+" else "+", left, opposite))
        return self.folded(Binary(e.type, e.span, e.op, left, right))

    def _x_ifexpr(self, e: IfExpr, env: Env) -> Expr:
        condition = self.expr(e.condition, env)
        if isinstance(condition, Const):
            return self.expr(e.then if condition.value else e.otherwise, env)
        return IfExpr(e.type, e.span, condition, self.expr(e.then, env), self.expr(e.otherwise, env))

    def _x_bycard(self, e: core.ByCard, env: Env) -> Expr:
        card = self.expr(e.card, env)
        if isinstance(card, Const):
            return self.expr(dict(e.cases).get(self.original(card), e.otherwise), env)
        otherwise = self.expr(e.otherwise, env)
        cases = [(original, self.expr(case, env)) for original, case in e.cases]
        return self.choice(e.type, e.span, core.Field(card.type, e.span, card, "original"), cases, otherwise)

    def choice(self, type: Type, span: Span, key: Expr, cases: Sequence[tuple[int, Expr]], otherwise: Expr) -> Expr:
        return as_binary_tree(key, cases, otherwise, partial(IfExpr, type, span))

    def _over(self, slot: int, source: Expr, env: Env) -> tuple[int, Expr, dict[int, Expr]]:
        inner = dict(env)
        item = source.type.item if isinstance(source.type, ListType) else INT
        new = self._bind(slot, "it", item, source.span, inner)
        lowered = self.expr(source, env)
        self.known.over(new, lowered)
        return new, lowered, inner

    def _x_filter(self, e: core.Filter, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        return self.folded(core.Filter(e.type, e.span, slot, source, self.expr(e.condition, inner)))

    def _x_maplist(self, e: core.MapList, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        condition = self._maybe(e.condition, inner)
        return self.folded(core.MapList(e.type, e.span, slot, source, condition, self.expr(e.body, inner)))

    def _x_fold(self, e: core.Fold, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        condition = self._maybe(e.condition, inner)
        return self.folded(core.Fold(e.type, e.span, e.kind, slot, source, condition, self.expr(e.body, inner)))

    def _x_extreme(self, e: core.Extreme, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        return self.folded(core.Extreme(e.type, e.span, e.kind, slot, source, self.expr(e.key, inner)))

    def _x_distinct(self, e: core.Distinct, env: Env) -> Expr:
        slot, source, inner = self._over(e.slot, e.source, env)
        return self.folded(core.Distinct(e.type, e.span, slot, source, self.expr(e.key, inner)))

    def _x_letin(self, e: LetIn, env: Env) -> Expr:
        value = self.expr(e.value, env)
        if isinstance(value, Const | Local):
            return self.expr(e.body, {**env, e.slot: value})
        inner = dict(env)
        slot = self._bind(e.slot, self.names[e.slot], e.value.type, e.span, inner)
        self.known.let(slot, value)
        return LetIn(e.type, e.span, slot, value, self.expr(e.body, inner), e.shared)

    def _x_callquery(self, e: core.CallQuery, env: Env) -> Expr:
        query = self.program.queries[e.query]
        key = ("query", e.query)
        if key in self.shared:
            if key not in self.routines:
                params, given = self.parameters(query.params, key)
                value = self.modified(query, given)
                number = len(self.routines)
                self.routines[key] = Routine(number, query.name, params, (), value, fails=self.can_fail(value))
            return QueryRoutine(e.type, e.span, self.routines[key], self._all(e.args, env))
        arguments: dict[int, Expr] = {}
        lets: list[tuple[int, Expr]] = []
        for param, arg in zip(query.params, e.args, strict=True):
            value = self.expr(arg, env)
            if not isinstance(value, Const | Local):
                slot = self.fresh(param.name)
                self.known.let(slot, value)
                lets.append((slot, value))
                value = Local(param.type, arg.span, slot, param.name)
            arguments[param.slot] = value
        body = self.modified(query, arguments)
        for slot, value in reversed(lets):
            uses = count_uses(body, slot)
            fails = self.can_fail(value)
            if uses == 0 and not fails:
                continue
            if uses == 1 and not under_loop(body, slot) and not (fails and not self.reads_first(body, slot)):
                body = self.expr(body, {slot: value})
            else:
                body = LetIn(body.type, e.span, slot, value, body)
        return body


def as_binary_tree(key: Expr, cases: Sequence[tuple[int, T]], otherwise: T, either: Callable[[Expr, T, T], T]) -> T:
    """What belongs to the first copy of a card. Halves the cases until one is left: as many tests as their number has
    digits."""
    if len(cases) == 1:
        ((original, case),) = cases
        return either(_compared("=", key, original), case, otherwise)
    low, high = cases[: len(cases) // 2], cases[len(cases) // 2 :]
    below, above = as_binary_tree(key, low, otherwise, either), as_binary_tree(key, high, otherwise, either)
    return either(_compared("<", key, high[0][0]), below, above)


def _compared(op: str, key: Expr, original: int) -> Expr:
    """A test of which card something is a copy of: first copies are numbered in the order of the cards."""
    return Binary(BOOL, key.span, op, key, Const(key.type, key.span, original))
