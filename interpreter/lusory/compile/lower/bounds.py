"""What is known of the numbers that an expression can be: then an index needs no test, and a comparison may be settled.

Filled and asked by selection as it goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local
from lusory_dsl.language.intervals import ANY, COMPUTED, Interval, hull, within
from lusory_dsl.language.types import INT_MAX, INT_MIN, IntType

from .failing import Knowledge, can_fail
from .lowered import LetIn

COMPARED: dict[str, Callable[[Interval, Interval], tuple[bool, bool]]] = {  # whether it surely, or never, holds
    ">=": lambda a, b: (a[0] >= b[1], a[1] < b[0]),
    ">": lambda a, b: (a[0] > b[1], a[1] <= b[0]),
    "<=": lambda a, b: (a[1] <= b[0], a[0] > b[1]),
    "<": lambda a, b: (a[1] < b[0], a[0] >= b[1]),
}


class NarrowedBounds:
    """What is known where text is being written. ``of``: narrower bounds of locals than ``ranges`` has."""

    def __init__(self, ranges: Knowledge) -> None:
        self.program = ranges.program
        self.ranges = ranges
        self.of: dict[int, Interval] = {}

    def interval(self, e: Expr) -> Interval:
        """Bounds of an Int expression."""
        return within(self.exact(e))

    def exact(self, e: Expr) -> Interval:
        """The same before it is looked at whether an Int can be that."""
        known = self.ranges.exact(e)
        if not self.of:
            return known
        match e:
            case Local(slot=slot) if slot in self.of:
                return _both(known, self.of[slot])
            case Binary(op=op, left=left, right=right) if op in COMPUTED:
                return _both(known, COMPUTED[op](self.interval(left), self.interval(right)))
            case IfExpr(then=then, otherwise=otherwise) if isinstance(e.type, IntType):
                return _both(known, hull((self.interval(then), self.interval(otherwise))))
        return known

    def fits(self, e: Expr) -> bool:
        """Whether the last operation of an Int expression can't go beyond what an Int can be."""
        low, high = self.exact(e)
        return low >= INT_MIN and high <= INT_MAX

    def size(self, e: Expr) -> int:
        """The most items that a list can have, before it is looked at whether that is too many."""
        return self.ranges.size(e)

    def longest(self, e: Expr) -> int:
        """The most characters of a text, before it is looked at whether that is too many."""
        return self.ranges.longest(e)

    def let(self, slot: int, value: Expr) -> None:
        """Remember the bounds of a local that has the value of an expression."""
        self.ranges.let(slot, value)
        if isinstance(value.type, IntType):
            self.of[slot] = self.interval(value)

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
            low, high = self.of.get(condition.left.slot, ANY)
            if condition.op in (">", ">="):
                low = max(low, limit + (condition.op == ">"))
            elif condition.op in ("<", "<="):
                high = min(high, limit - (condition.op == "<"))
            self.of[condition.left.slot] = (low, high)

    def can_fail(self, e: Expr) -> bool:
        """Whether working out an expression may be a fault."""
        return self.ranges.can_fail(e) and can_fail(e, self)

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
            if not self.can_fail(left) and not self.can_fail(right):
                surely, never = COMPARED[e.op](a, b)
                if surely or never:
                    return Const(e.type, e.span, surely)
        return replace(e, left=left, right=right)


def _both(a: Interval, b: Interval) -> Interval:
    """What lies in both intervals."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else b
