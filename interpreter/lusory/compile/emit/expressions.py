"""Expressions of a lowered game as Python text: operators, conditions, names for values, builtin functions.

Read by the statement emitters. Values that are read somewhere are in :mod:`lusory.compile.emit.places`, lists in
:mod:`lusory.compile.emit.lists`.
"""

from __future__ import annotations

from typing import Any

from lusory_dsl import core
from lusory_dsl.core import LOOPS, Binary, CallBuiltin, Const, Expr, IfExpr, Local, chain, children
from lusory_dsl.language.builtins import RUNTIME
from lusory_dsl.language.types import BoolType, ComponentType, IntType

from ...table.functions import FUNCTIONS
from ..lower.lowered import LetIn, QueryRoutine
from ..lower.uses import binds_first, count_uses
from ..python.writing import literal
from .lists import MASK_LIMIT, ListEmitter
from .places import AND, ATOM, BIT_OR, COMPARE, CONDITIONAL, NOT, OR, PRODUCT, SUM, UNARY, Naming

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
SEARCH_LIMIT = 32  # components of a kind among which one is searched for; of more, it is asked where it lies


class ExpressionEmitter(ListEmitter):
    """Text for all expressions."""

    # ------------------------------------------------------------ operators

    def _unary(self, e: core.Unary) -> tuple[str, int]:
        if e.op == "-":
            return self.whole(e, f"-{self.code(e.operand, UNARY)}", UNARY)
        return self.negate(e.operand)

    def negate(self, e: Expr) -> tuple[str, int]:
        if isinstance(e, Binary) and e.op in OPPOSITE:
            return self._text(Binary(e.type, e.span, OPPOSITE[e.op], e.left, e.right))
        if isinstance(e, core.Unary) and e.op == "not":
            return self._text(e.operand)
        return f"not {self.code(e, NOT)}", NOT

    def _binary(self, e: Binary) -> tuple[str, int]:
        op = e.op
        if op in ("and", "or"):
            level = AND if op == "and" else OR
            left = self.code(e.left, level)
            before = dict(self.bounds.of)
            if op == "and":
                self.bounds.learn(e.left)
            right = self.code(e.right, level)
            self.bounds.of = before
            return f"{left} {op} {right}", level
        if op in ("=", "!="):
            return self._equality(e)
        if op in ("<", "<=", ">", ">="):
            return f"{self.operand(e.left, BIT_OR)} {op} {self.operand(e.right, BIT_OR)}", COMPARE
        if op in ("+", "-"):
            return self.whole(e, f"{self.operand(e.left, SUM)} {op} {self.operand(e.right, PRODUCT)}", SUM)
        if op in ("*", "div", "mod"):
            python = {"*": "*", "div": "//", "mod": "%"}[op]
            return self.whole(e, f"{self.operand(e.left, PRODUCT)} {python} {self.operand(e.right, UNARY)}", PRODUCT)
        if op == "in":
            return self._membership(e)
        if op == "join":
            parts = [self.iterable(part) for part in chain(e, "join")]
            return self.listed(e, f"({', '.join(f'*{part}' for part in parts)})"), ATOM
        known = self.masked(e)
        if known is not None and len(known.items) <= MASK_LIMIT:
            return self.by_mask(known), ATOM
        return self.listed(e, f"set_{op}({self.code(e.left)}, {self.code(e.right)})"), ATOM

    def _equality(self, e: Binary) -> tuple[str, int]:
        same = e.op == "="
        for side, other in ((e.right, e.left), (e.left, e.right)):
            if isinstance(side, Const):
                if side.value == 0 and isinstance(other, CallBuiltin) and other.name == "count":
                    return self._emptiness(other.args[0], same)
                text = self.code(other, BIT_OR)
                if side.value is None:
                    return f"{text} is {'' if same else 'not '}None", COMPARE
                if side.value is True or side.value is False:
                    if side.value is same:
                        return self._text(other) if isinstance(other.type, BoolType) else (f"{text} == True", COMPARE)
                    return (f"not {self.code(other, NOT)}", NOT)
                if side.value == ():
                    return self._emptiness(other, same)
        return f"{self.code(e.left, BIT_OR)} {'==' if same else '!='} {self.code(e.right, BIT_OR)}", COMPARE

    def _emptiness(self, e: Expr, empty: bool) -> tuple[str, int]:
        known = self.masked(e)
        if known is not None:
            if any(c is None for c in known.conditions) or not known.items:
                return str(bool(known.items) is not empty), ATOM
            text = " or ".join(c for c in known.conditions if c is not None)
            return (f"not ({text})", NOT) if empty else (text, OR if len(known.items) > 1 else CONDITIONAL)
        text = self.zone(e.zone, e.indices) if isinstance(e, core.ReadZone) else self.code(e, NOT)
        return f"not {text}" if empty else f"not not {text}", NOT

    def _membership(self, e: Binary) -> tuple[str, int]:
        if isinstance(e.right, core.ReadZone):
            number = self.zone_number(e.right.zone, e.right.indices)
            if (
                isinstance(e.left.type, ComponentType)
                and self.program.component_kinds[e.left.type.name][1] > SEARCH_LIMIT
            ):
                return f"{self.location(e.left)} == {number}", COMPARE
            return f"{self.code(e.left, BIT_OR)} in {self.storage.zone(number)}", COMPARE
        known = self.masked(e.right)
        if known is not None and not known.certain and isinstance(e.left, Const):
            hits = [c for i, c in zip(known.items, known.conditions, strict=True) if i == e.left.value]
            if not hits:
                return "False", ATOM
            return (hits[0], CONDITIONAL) if hits[0] is not None else ("True", ATOM)
        plain = isinstance(e.right, core.Filter) and not self.can_fail(e.right.condition)
        if plain and isinstance(e.right, core.Filter) and isinstance(e.left, Const | Local):
            # x in (source where condition): x in source and condition of x
            inside = self.lowerer.expr(e.right.condition, {e.right.slot: e.left})
            source = Binary(e.type, e.span, "in", e.left, e.right.source)
            return self._text(Binary(e.type, e.span, "and", source, inside))
        return f"{self.code(e.left, BIT_OR)} in {self.code(e.right, BIT_OR)}", COMPARE

    def _ifexpr(self, e: IfExpr) -> tuple[str, int]:
        condition = self.code(e.condition, OR)  # first, as it is evaluated
        return f"{self.code(e.then, OR)} if {condition} else {self.code(e.otherwise)}", CONDITIONAL

    def _letin(self, e: LetIn) -> tuple[str, int]:
        name = self.name(e.slot)
        waiting = dict(self.namings)
        value = self.code(e.value)
        # what is named in this value moves with it: nothing else may read it
        alone = all(count_uses(e.value, s) == n.reads for s, n in waiting.items() if s not in self.namings)
        self.bounds.let(e.slot, e.value)
        # a part that names a value must not go afterwards
        body = e.body if self.namings else self.bounds.settled(e.body)
        fails = self.lowerer.can_fail(e.value)
        early = alone and (e.shared or not fails or self.lowerer.reads_first(body, e.slot))
        with self._naming(e.slot, name):
            if early and not self._iterating and binds_first(body, e.slot) and not _in_source(body, e.slot):
                self.namings[e.slot] = Naming(value, count_uses(body, e.slot))
                text, level = self._text(body)
                if f"{name} := " in text:  # else it was read first in what is left out of the text
                    return text, level
                self.namings.pop(e.slot, None)
            if e.shared and fails:  # not before it is read: written out again
                return self._text(self.lowerer.expr(e.body, {e.slot: e.value}))
            if self._iterating:
                return f"(lambda {name}: {self.code(body)})({value})", ATOM
            return f"({name} := {value}, {self.code(body)})[1]", ATOM

    def _queryroutine(self, e: QueryRoutine) -> tuple[str, int]:
        return f"value{e.routine.number}({', '.join(['c', 'z', *(self.code(a) for a in e.args)])})", ATOM

    # ------------------------------------------------------------ builtin functions

    def _callbuiltin(self, e: CallBuiltin) -> tuple[str, int]:
        special = getattr(self, "_f_" + e.name, None)
        if special is not None:
            result: tuple[str, int] | None = special(e)
            if result is not None:
                return result
        return f"fn_{e.name}({', '.join(self.code(a) for a in e.args)})", ATOM

    def _per_seat(self, e: CallBuiltin, backwards: bool = False) -> tuple[str, int]:
        """What a function of one player comes to for each of them, in a table. ``backwards``: of a list."""
        values = (FUNCTIONS[e.name](self.players, seat) for seat in range(self.players))
        rows = tuple(value[::-1] if backwards else value for value in values)
        return f"{self.tables.constant(literal(rows))}[{self.operand(e.args[0])}]", ATOM

    _f_clockwise_from = _f_anticlockwise_from = _f_next = _f_previous = _per_seat

    def _f_seat(self, e: CallBuiltin) -> tuple[str, int]:
        return f"{self.code(e.args[0], SUM)} + 1", SUM

    def _f_distance(self, e: CallBuiltin) -> tuple[str, int]:
        return f"({self.code(e.args[1], SUM)} - {self.code(e.args[0], PRODUCT)}) % {self.players}", PRODUCT

    def _f_reverse(self, e: CallBuiltin) -> tuple[str, int]:
        inner = e.args[0]
        if isinstance(inner, CallBuiltin) and RUNTIME[inner.name].gives_seats:
            return self._per_seat(inner, backwards=True)
        return f"{self.code(inner, ATOM)}[::-1]", ATOM

    def _f_count(self, e: CallBuiltin) -> tuple[str, int]:
        known = self.masked(e.args[0])
        if known is not None:
            one = Const(e.type, e.span, True)
            return self._unrolled_count([(c, one) for c in known.conditions])
        if isinstance(e.args[0], core.ReadZone):
            return f"len({self.zone(e.args[0].zone, e.args[0].indices)})", ATOM
        return f"len({self.code(e.args[0])})", ATOM

    def _f_first(self, e: CallBuiltin) -> tuple[str, int]:
        return f"{self._sequence(e.args[0])}[0]", ATOM

    def _f_last(self, e: CallBuiltin) -> tuple[str, int]:
        return f"{self._sequence(e.args[0])}[-1]", ATOM

    _f_top = _f_first
    _f_bottom = _f_last

    def _sequence(self, e: Expr) -> str:
        if isinstance(e, core.ReadZone):
            return self.zone(e.zone, e.indices)
        return self.code(e, ATOM)

    def _f_abs(self, e: CallBuiltin) -> tuple[str, int]:
        return self.whole(e, f"abs({self.code(e.args[0])})", ATOM)

    def _f_smaller(self, e: CallBuiltin) -> tuple[str, int]:
        return f"min({', '.join(self.code(a) for a in e.args)})", ATOM

    def _f_larger(self, e: CallBuiltin) -> tuple[str, int]:
        return f"max({', '.join(self.code(a) for a in e.args)})", ATOM

    def _f_sum(self, e: CallBuiltin) -> tuple[str, int]:
        return self.whole(e, f"sum({self.code(e.args[0])})", ATOM)

    def _f_max(self, e: CallBuiltin) -> tuple[str, int]:
        return f"max({self.code(e.args[0])}, default=0)", ATOM

    def _f_min(self, e: CallBuiltin) -> tuple[str, int]:
        return f"min({self.code(e.args[0])}, default=0)", ATOM

    def _f_step(self, e: CallBuiltin) -> tuple[str, int] | None:
        """``xs[(position of the item + n) mod length]`` through tables, where the lists are constants."""
        rows = self._constant_rows(e.args[0])
        if rows is None or isinstance(e.args[1].type, IntType):  # a number below 0 would be an index from the end
            return None
        lists, picker = rows
        lengths = {len(row) for row in lists}
        if len(lengths) != 1 or any(len(set(row)) != len(row) or not row for row in lists):
            return None
        if not all(isinstance(x, int) and not isinstance(x, bool) and x >= 0 for row in lists for x in row):
            return None
        size = lengths.pop()
        top = max(x for row in lists for x in row) + 1
        places = tuple(tuple(row.index(x) if x in row else None for x in range(top)) for row in lists)
        item, steps = self.operand(e.args[1]), self.operand(e.args[2], SUM)
        minus = e.args[2]
        sign = "+"
        if isinstance(minus, core.Unary) and minus.op == "-":
            sign, steps = "-", self.operand(minus.operand, PRODUCT)
        if picker is None:
            where = self.tables.constant(literal(places[0]))
            return f"{self.literal(lists[0])}[({where}[{item}] {sign} {steps}) % {size}]", ATOM
        where = self.tables.constant(literal(places))
        return f"{self.literal(tuple(lists))}[{picker}][({where}[{picker}][{item}] {sign} {steps}) % {size}]", ATOM

    def _constant_rows(self, e: Expr) -> tuple[list[tuple[Any, ...]], str | None] | None:
        """The lists that an expression can be, and the text of the number that picks one."""
        if isinstance(e, Const) and isinstance(e.value, tuple):
            return [e.value], None
        if isinstance(e, core.TableRead) and len(e.indices) == 1 and isinstance(e.indices[0], Local):
            table = self.program.tables[e.table]
            dim = table.dims[0]
            if dim.low == 0 and not isinstance(dim.type, IntType):
                return list(table.values), self.code(e.indices[0])  # type: ignore[call-overload]
        return None


def _in_source(e: Expr, slot: int) -> bool:
    """Whether a local is first read in the list that a comprehension runs over."""
    inside = [c for c in children(e) if count_uses(c, slot)]
    if not inside:
        return False
    over = isinstance(e, LOOPS) and inside[0] is e.source
    return over or _in_source(inside[0], slot)
