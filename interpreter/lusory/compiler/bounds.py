"""What is known of the numbers that an expression can be: then an index needs no test, and a comparison may be settled.

Filled and asked by the emitters while they write.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local
from lusory_dsl.types import IntType

from .failing import can_fail
from .lowered import LetIn

UNBOUNDED = 1 << 62
Interval = tuple[int, int]  # the smallest and the greatest number that it can be
COMPARED: dict[str, Callable[[Interval, Interval], tuple[bool, bool]]] = {  # whether it surely, or never, holds
    ">=": lambda a, b: (a[0] >= b[1], a[1] < b[0]),
    ">": lambda a, b: (a[0] > b[1], a[1] <= b[0]),
    "<=": lambda a, b: (a[1] <= b[0], a[0] > b[1]),
    "<": lambda a, b: (a[1] < b[0], a[0] >= b[1]),
}


class Bounds:
    """What is known where text is being written. ``of``: the bounds of locals."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.of: dict[int, Interval] = {}

    def interval(self, e: Expr) -> Interval | None:
        """Bounds of an Int expression where they are known."""
        if isinstance(e, Const) and isinstance(e.value, int):
            return e.value, e.value
        if isinstance(e, Local):
            return self.of.get(e.slot)
        if isinstance(e, Binary) and e.op in ("+", "-"):
            a, b = self.interval(e.left), self.interval(e.right)
            if a is None or b is None:
                return None
            return (a[0] + b[0], a[1] + b[1]) if e.op == "+" else (a[0] - b[1], a[1] - b[0])
        return None

    def let(self, slot: int, value: Expr) -> None:
        """Remember the bounds of a local that has the value of an expression."""
        interval = self.interval(value)
        if interval is not None:
            self.of[slot] = interval

    def learn(self, condition: Expr) -> None:
        """Narrow the bounds of locals by comparisons that hold."""
        if not isinstance(condition, Binary):
            return
        if condition.op == "and":
            self.learn(condition.left)
            self.learn(condition.right)
        elif isinstance(condition.left, Local) and isinstance(condition.right, Const):
            limit = condition.right.value
            if type(limit) is not int or not isinstance(condition.left.type, IntType):
                return
            low, high = self.of.get(condition.left.slot, (-UNBOUNDED, UNBOUNDED))
            if condition.op in (">", ">="):
                low = max(low, limit + (condition.op == ">"))
            elif condition.op in ("<", "<="):
                high = min(high, limit - (condition.op == "<"))
            self.of[condition.left.slot] = (low, high)

    def can_fail(self, e: Expr) -> bool:
        return can_fail(e, self.program, self.interval)

    def settled(self, e: Expr) -> Expr:
        """The expression without the comparisons that come out one way by what is known of their bounds."""
        if isinstance(e, LetIn):
            self.let(e.slot, e.value)
            return replace(e, body=self.settled(e.body))
        if isinstance(e, core.Unary) and e.op == "not":
            operand = self.settled(e.operand)
            return (
                Const(e.type, e.span, not operand.value) if isinstance(operand, Const) else replace(e, operand=operand)
            )
        if isinstance(e, IfExpr):
            condition, then, otherwise = self.settled(e.condition), self.settled(e.then), self.settled(e.otherwise)
            if isinstance(condition, Const):
                return then if condition.value else otherwise
            return replace(e, condition=condition, then=then, otherwise=otherwise)
        if not isinstance(e, Binary):
            return e
        left, right = self.settled(e.left), self.settled(e.right)
        if e.op in ("and", "or"):
            if isinstance(left, Const):
                return right if bool(left.value) is (e.op == "and") else left
            if isinstance(right, Const) and bool(right.value) is (e.op == "and"):
                return left
        elif e.op in COMPARED:
            a, b = self.interval(left), self.interval(right)
            if a is not None and b is not None and not self.can_fail(left) and not self.can_fail(right):
                surely, never = COMPARED[e.op](a, b)
                if surely or never:
                    return Const(e.type, e.span, surely)
        return replace(e, left=left, right=right)
