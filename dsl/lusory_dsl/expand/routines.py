"""Routines that passes make: parameters and locals in slots of their own, and the statements that they are made of."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.accesses import Block
from ..core.origin import Origin
from ..language.types import BOOL, INT, ListType, Type
from ..text.source import Span


class Routine:
    """The body of an effect while it is made. All of it stands at one place, and has one origin."""

    def __init__(self, span: Span, origin: Origin, types: Sequence[Type]) -> None:
        self.span = span
        self.origin = origin
        self.n_slots = 0
        self.params = tuple(self.local("given", type) for type in types)

    def effect(self, name: str, body: Block) -> core.Effect:
        """The effect, when its body is done."""
        params = tuple(core.Param(local.slot, local.name, local.type) for local in self.params)
        return core.Effect(name, False, params, self.n_slots, body, origin=self.origin)

    def local(self, name: str, type: Type) -> core.Local:
        """A local in a fresh slot."""
        self.n_slots += 1
        return core.Local(type, self.span, self.n_slots - 1, name)

    def let(self, name: str, value: core.Expr, into: list[core.Stmt]) -> core.Local:
        """A local with a value; the statement that gives it goes ``into`` a block."""
        local = self.local(name, value.type)
        into.append(core.Let(self.span, local.slot, name, value, origin=self.origin))
        return local

    def when(self, condition: core.Expr, block: Sequence[core.Stmt]) -> core.Stmt:
        """A block under a condition."""
        return core.If(self.span, ((condition, tuple(block)),), (), origin=self.origin)

    def each(self, number: core.Local, items: core.Expr, block: Sequence[core.Stmt]) -> core.Stmt:
        """A block for the number of each item of a list, from 0."""
        last = core.Binary(INT, self.span, "-", self.call("count", INT, items), self.const(1))
        numbers = core.Range(ListType(INT), self.span, self.const(0), last)
        return core.ForEach(self.span, number.slot, number.name, numbers, None, tuple(block), origin=self.origin)

    def calls(self, effect: str, *args: core.Expr) -> core.Stmt:
        """The call of an effect."""
        return core.CallEffect(self.span, effect, args, origin=self.origin)

    def put(self, variable: str, value: core.Expr) -> core.Stmt:
        """A variable without indices that is set."""
        return core.SetCell(self.span, variable, (), "set", value, origin=self.origin)

    def call(self, name: str, type: Type, *args: core.Expr) -> core.Expr:
        """A function of the language."""
        return core.CallBuiltin(type, self.span, name, args)

    def const(self, value: int) -> core.Expr:
        """A number."""
        return core.Const(INT, self.span, value)

    def test(self, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
        """A comparison, or two conditions put together."""
        return core.Binary(BOOL, self.span, op, left, right)

    def not_(self, condition: core.Expr) -> core.Expr:
        """That a condition does not hold."""
        return core.Unary(BOOL, self.span, "not", condition)

    def filtered(self, items: core.Expr, item: core.Local, condition: core.Expr) -> core.Expr:
        """The items for which a condition holds."""
        return core.Filter(items.type, self.span, item.slot, items, condition)

    def mapped(self, items: core.Expr, item: core.Local, value: core.Expr) -> core.Expr:
        """A value for each item."""
        return core.MapList(ListType(value.type), self.span, item.slot, items, None, value)
