"""Expressions of a lowered game as Python text.

Read by the statement emitters. Where values live is asked of a :class:`Storage`, so that the same text generator
serves the flat state of stepwise play and the local variables of a playout. Lists whose items are known and whose
membership is a matter of conditions (:class:`Masked`) are kept symbolic as long as possible: folds over them are
unrolled, and the list itself is looked up in a table by a bit mask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, Protocol

from lusory_dsl import core
from lusory_dsl.core import Binary, CallBuiltin, Const, Expr, Fold, IfExpr, Local
from lusory_dsl.types import BoolType, ComponentType, EnumType, IntType, ListType, PlayerType, Type

from ..expressions import index_of
from .failing import can_fail, may_be_none, too_long
from .lowered import LetIn, QueryRoutine
from .lowering import Lowerer
from .uses import LOOPS, all_of, binds_first, count_uses, operands

# Python's operator precedences, loosest first
CONDITIONAL, OR, AND, NOT, COMPARE, BIT_OR, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(11)

MASK_LIMIT = 6  # items of a list that is looked up by mask: at most 64 rows
UNBOUNDED = 1 << 62
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
SEARCH_LIMIT = 32  # components of a kind among which one is searched for; of more, it is asked where it lies
UNROLL_LIMIT = 12  # items over which a fold is written out
Bounds = tuple[int, int]
COMPARED: dict[str, Callable[[Bounds, Bounds], tuple[bool, bool]]] = {  # whether it surely, or never, holds
    ">=": lambda a, b: (a[0] >= b[1], a[1] < b[0]),
    ">": lambda a, b: (a[0] > b[1], a[1] <= b[0]),
    "<=": lambda a, b: (a[1] <= b[0], a[0] > b[1]),
    "<": lambda a, b: (a[1] < b[0], a[0] >= b[1]),
}


class Storage(Protocol):
    """Where cells and zones live in the generated text."""

    def cell(self, place: str, index: str) -> str:
        """The element ``index`` (from 0 within the place; text of a Python int) of a variable or pool."""

    def zone(self, index: str) -> str:
        """A card zone's list, by its number in the state."""


@dataclass(frozen=True)
class Masked:
    """A list of known items in a known order; item i is there when ``conditions[i]`` holds (None: always)."""

    items: tuple[Any, ...]
    conditions: tuple[str | None, ...]

    @property
    def certain(self) -> bool:
        return all(c is None for c in self.conditions)


class Tables:
    """Constants of the generated module, named once: ``K1 = (…)``."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def constant(self, text: str, prefix: str = "K") -> str:
        name = self._names.get(text)
        if name is None:
            name = f"{prefix}{len(self.lines) + 1}"
            self._names[text] = name
            self.lines.append(f"{name} = {text}")
        return name


class ExpressionEmitter:
    """Text for expressions. Subclasses say how locals are named (:meth:`local`)."""

    def __init__(self, lowerer: Lowerer, layout: Any, tables: Tables, storage: Storage) -> None:
        self.lowerer = lowerer
        self.program = lowerer.program
        self.players = lowerer.players
        self.layout = layout
        self.tables = tables
        self.storage = storage
        self.bounds: dict[int, tuple[int, int]] = {}  # slots whose Int value is known to lie within
        self.namings: dict[int, str] = {}  # values that are named where they are first read
        self.shown_types: dict[str, Type] = {}
        self.bound_names: dict[int, str] = {}  # slots bound by a comprehension, inside it
        self.reads: list[Expr] = []  # what the line that is being written works out
        self.locates = False  # whether anything asks where a component lies
        self._iterating = False  # where Python allows no ``:=``: in what a comprehension runs over
        self._inside = 0  # expressions round the one that is being written

    def local(self, slot: int) -> str:
        raise NotImplementedError

    def name(self, slot: int) -> str:
        """A readable, unique Python name for a local."""
        return f"{re.sub('[^a-z0-9_]', '', self.lowerer.names[slot].lower()) or 'v'}_{slot}"

    def slots(self) -> dict[str, int]:
        """Which local each name in the generated text stands for."""
        return {self.name(slot): slot for slot in self.lowerer.names}

    # ------------------------------------------------------------ entry points

    def code(self, e: Expr, level: int = CONDITIONAL) -> str:
        """Python text of the value, in parentheses where the surroundings bind tighter than ``level``."""
        with self._within(e):
            text, own = self._text(e)
        return f"({text})" if own < level else text

    @contextmanager
    def _within(self, e: Expr) -> Iterator[None]:
        """Write the text of an expression; one that stands in no other is noted as read by the line."""
        if not self._inside:
            self.reads.append(e)
        self._inside += 1
        yield
        self._inside -= 1

    def operand(self, e: Expr, level: int = CONDITIONAL) -> str:
        """As :meth:`code`, where Python itself refuses ``None``: as an operand of arithmetic, as an index."""
        if isinstance(e, core.ReadCell):
            with self._within(e):
                return self.cell(e.place, e.indices)
        return self.code(e, level)

    def can_fail(self, e: Expr) -> bool:
        return can_fail(e, self.program, self.interval)

    def _text(self, e: Expr) -> tuple[str, int]:
        method = getattr(self, "_" + type(e).__name__.lower())
        result: tuple[str, int] = method(e)
        return result

    def literal(self, value: object) -> str:
        if isinstance(value, tuple):
            return self.tables.constant(repr(value)) if value else "()"
        return repr(value)

    # ------------------------------------------------------------ places

    def element(self, name: str, indices: tuple[Expr, ...]) -> str:
        """Where an indexed place stands within its run of cells or lists: text of an int, folded as far as known."""
        place = self.layout.places.get(name) or self.layout.zones[name]
        known = 0
        terms: list[str] = []
        for e, dim, size, stride in zip(indices, place.dims, place.sizes, place.strides, strict=True):
            if isinstance(e, Const) and isinstance(e.value, int):
                position = e.value - dim.low
                if not 0 <= position < size:
                    terms.append(f"out_of_range({name!r}, {e.value})")
                else:
                    known += position * stride
                continue
            if isinstance(dim.type, IntType):
                text = self._checked(e, name, dim.low, size)
            else:
                text = self.operand(e, PRODUCT)
            known -= dim.low * stride
            terms.append(text if stride == 1 else f"{text} * {stride}")
        if known < 0 and terms:
            return " + ".join(terms) + f" - {-known}"
        if known or not terms:
            terms.append(str(known))
        return " + ".join(terms)

    def _checked(self, e: Expr, name: str, low: int, size: int) -> str:
        interval = self.interval(e)
        if interval is not None and low <= interval[0] and interval[1] < low + size:
            return self.code(e, PRODUCT)
        if isinstance(e, Local):
            text = self.code(e, ATOM)
            return f"({text} if {low} <= {text} < {low + size} else out_of_range({name!r}, {text}))"
        return f"in_range({self.operand(e)}, {low}, {low + size}, {name!r})"

    def cell(self, name: str, indices: tuple[Expr, ...]) -> str:
        return self.storage.cell(name, self.element(name, indices))

    def zone_number(self, name: str, indices: tuple[Expr, ...]) -> str:
        offset = self.layout.zones[name].offset
        element = self.element(name, indices)
        if element.isdigit():
            return str(int(element) + offset)
        return f"{element} + {offset}" if offset else element

    def zone(self, name: str, indices: tuple[Expr, ...]) -> str:
        return self.storage.zone(self.zone_number(name, indices))

    def interval(self, e: Expr) -> tuple[int, int] | None:
        """Bounds of an Int expression where they are known."""
        if isinstance(e, Const) and isinstance(e.value, int):
            return e.value, e.value
        if isinstance(e, Local):
            return self.bounds.get(e.slot)
        if isinstance(e, Binary) and e.op in ("+", "-"):
            a, b = self.interval(e.left), self.interval(e.right)
            if a is None or b is None:
                return None
            return (a[0] + b[0], a[1] + b[1]) if e.op == "+" else (a[0] - b[1], a[1] - b[0])
        return None

    def bound_by(self, slot: int, source: Expr) -> None:
        """Remember the bounds of a local that runs over ``source``."""
        if isinstance(source, core.Range):
            low, high = self.interval(source.low), self.interval(source.high)
            if low is not None and high is not None:
                self.bounds[slot] = (low[0], high[1])
            return
        if isinstance(source, core.Filter):
            self.bound_by(slot, source.source)
            return
        items: Any = ()
        if isinstance(source, core.TableRead):
            items = list(_leaves(self.program.tables[source.table].values))
        elif isinstance(source, Const):
            items = source.value
        elif (known := self.masked(source)) is not None:
            items = known.items
        if items and all(type(i) is int for i in items):
            self.bounds[slot] = (min(items), max(items))

    def _learn(self, condition: Expr) -> None:
        """Narrow the bounds of locals by comparisons that hold."""
        if not isinstance(condition, Binary):
            return
        if condition.op == "and":
            self._learn(condition.left)
            self._learn(condition.right)
        elif isinstance(condition.left, Local) and isinstance(condition.right, Const):
            limit = condition.right.value
            if type(limit) is not int or not isinstance(condition.left.type, IntType):
                return
            low, high = self.bounds.get(condition.left.slot, (-UNBOUNDED, UNBOUNDED))
            if condition.op in (">", ">="):
                low = max(low, limit + (condition.op == ">"))
            elif condition.op in ("<", "<="):
                high = min(high, limit - (condition.op == "<"))
            self.bounds[condition.left.slot] = (low, high)

    # ------------------------------------------------------------ leaves

    def _const(self, e: Const) -> tuple[str, int]:
        text = self.literal(e.value)
        return text, UNARY if text.startswith("-") else ATOM

    def _local(self, e: Local) -> tuple[str, int]:
        naming = self.namings.pop(e.slot, None)
        if naming is not None:
            return f"({self.bound_names[e.slot]} := {naming})", ATOM
        return self.bound_names.get(e.slot) or self.local(e.slot), ATOM

    def _readcell(self, e: core.ReadCell) -> tuple[str, int]:
        cell = self.cell(e.place, e.indices)
        return f"known({cell})" if may_be_none(e, self.program) else cell, ATOM

    def _readzone(self, e: core.ReadZone) -> tuple[str, int]:
        return f"tuple({self.zone(e.zone, e.indices)})", ATOM

    def location(self, component: Expr) -> str:
        """The number of the zone in which a component lies, or None."""
        self.locates = True
        return f"c[{self.code(component, SUM)} + {self.layout.location}]"

    def _liesin(self, e: core.LiesIn) -> tuple[str, int]:
        place = self.layout.zones[e.zone]
        numbers = tuple(range(place.offset, place.offset + place.size))
        if len(numbers) == 1:
            return f"{self.location(e.component)} == {numbers[0]}", COMPARE
        return f"{self.location(e.component)} in {self.tables.constant(f'frozenset({numbers!r})')}", COMPARE

    def _indexofplace(self, e: core.IndexOfPlace) -> tuple[str, int]:
        layout = self.layout
        known: dict[int | None, int | None] = {None: None}
        for number in range(layout.zone_count):
            name, indices = layout.zone_at(number)
            known[number] = index_of(self.program.zones[name], indices, e.type)
        found = f"{self.tables.constant(repr(known))}[{self.location(e.component)}]"
        return f"known({found})" if may_be_none(e, self.program) else found, ATOM

    def _poolkinds(self, e: core.PoolKinds) -> tuple[str, int]:
        return self._lookup(e)

    def _pooltotal(self, e: core.PoolTotal) -> tuple[str, int]:
        pool = self.program.pools[e.zone]
        cells = [self.cell(e.zone, (*e.indices, Const(pool.holds, e.span, k))) for k in pool.kinds]
        return " + ".join(cells), SUM if len(cells) > 1 else ATOM

    def _tableread(self, e: core.TableRead) -> tuple[str, int]:
        table = self.program.tables[e.table]
        entry: Any = table.values
        indices = list(zip(e.indices, table.dims, strict=True))
        while indices and isinstance(indices[0][0], Const):
            (index, dim), *indices = indices
            entry = entry[index.value - dim.low]  # type: ignore[attr-defined]
        text = self.literal(entry)
        for index, dim in indices:
            size = dim.size if dim.size is not None else self.players
            if isinstance(dim.type, IntType):
                inner = self._checked(index, e.table, dim.low, size)
                text += f"[{inner} - {dim.low}]" if dim.low else f"[{inner}]"
            else:
                text += f"[{self.operand(index, SUM)} - {dim.low}]" if dim.low else f"[{self.operand(index)}]"
        return f"known({text})" if may_be_none(e, self.program) else text, ATOM

    def _field(self, e: core.Field) -> tuple[str, int]:
        values = tuple(x.fields.get(e.field) for x in self.program.entities)
        text = f"{self.literal(values)}[{self.operand(e.component)}]"
        return f"known({text})" if may_be_none(e, self.program) else text, ATOM

    def _texttemplate(self, e: core.TextTemplate) -> tuple[str, int]:
        moving = [p for p in e.parts if not isinstance(p, str)]
        if len(moving) == 1 and isinstance(moving[0].type, PlayerType):
            rows = tuple(
                "".join(p if isinstance(p, str) else f"P{seat + 1}" for p in e.parts) for seat in range(self.players)
            )
            return f"{self.literal(rows)}[{self.code(moving[0])}]", ATOM
        parts = [repr(p) if isinstance(p, str) else self.shown(p) for p in e.parts]
        if not parts:
            return "''", ATOM
        return " + ".join(parts), SUM if len(parts) > 1 else ATOM

    def shown(self, e: Expr) -> str:
        """Text of the label of a value."""
        if isinstance(e.type, EnumType):
            labels = tuple(v.label for v in self.program.enums[e.type.name].values)
            return f"{self.literal(labels)}[{self.code(e)}]"
        if isinstance(e.type, PlayerType):
            return f"{self.literal(tuple(f'P{seat + 1}' for seat in range(self.players)))}[{self.code(e)}]"
        self.shown_types[str(e.type)] = e.type
        return f"show({str(e.type)!r}, {self.code(e)})"

    # ------------------------------------------------------------ operators

    def _listlit(self, e: core.ListLit) -> tuple[str, int]:
        if not e.items:
            return "()", ATOM
        return "(" + "".join(self.code(i) + ", " for i in e.items).strip() + ")", ATOM

    def _range(self, e: core.Range) -> tuple[str, int]:
        return f"span_of({self.code(e.low)}, {self.code(e.high)})", ATOM

    def _unary(self, e: core.Unary) -> tuple[str, int]:
        if e.op == "-":
            return f"-{self.code(e.operand, UNARY)}", UNARY
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
            before = dict(self.bounds)
            if op == "and":
                self._learn(e.left)
            right = self.code(e.right, level)
            self.bounds = before
            return f"{left} {op} {right}", level
        if op in ("=", "!="):
            return self._equality(e)
        if op in ("<", "<=", ">", ">="):
            return f"{self.operand(e.left, BIT_OR)} {op} {self.operand(e.right, BIT_OR)}", COMPARE
        if op in ("+", "-"):
            return f"{self.operand(e.left, SUM)} {op} {self.operand(e.right, PRODUCT)}", SUM
        if op in ("*", "div", "mod"):
            python = {"*": "*", "div": "//", "mod": "%"}[op]
            return f"{self.operand(e.left, PRODUCT)} {python} {self.operand(e.right, UNARY)}", PRODUCT
        if op == "in":
            return self._membership(e)
        if op == "join":
            parts = [self.iterable(part) for part in _joined(e)]
            return f"({', '.join(f'*{part}' for part in parts)})", ATOM
        known = self.masked(e)
        if known is not None and len(known.items) <= MASK_LIMIT:
            return self.by_mask(known), ATOM
        return f"set_{op}({self.code(e.left)}, {self.code(e.right)})", ATOM

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
        value = self.code(e.value)
        interval = self.interval(e.value)
        if interval is not None:
            self.bounds[e.slot] = interval
        body = e.body if self.namings else self.settled(e.body)  # a part that names a value must not go afterwards
        early = not can_fail(e.value, self.program) or self.lowerer.reads_first(body, e.slot)
        with self._naming(e.slot, name):
            if early and not self._iterating and binds_first(body, e.slot) and not _in_source(body, e.slot):
                self.namings[e.slot] = value
                text, level = self._text(body)
                if f"{name} := " in text:  # else it was read first in what is left out of the text
                    return text, level
                self.namings.pop(e.slot, None)
            if self._iterating:
                return f"(lambda {name}: {self.code(body)})({value})", ATOM
            return f"({name} := {value}, {self.code(body)})[1]", ATOM

    @contextmanager
    def _naming(self, slot: int, name: str) -> Iterator[None]:
        """Write an expression in which a local is bound under a name."""
        self.bound_names[slot] = name
        yield
        del self.bound_names[slot]

    def settled(self, e: Expr) -> Expr:
        """The expression without the comparisons that come out one way by what is known of their bounds."""
        if isinstance(e, LetIn):
            interval = self.interval(e.value)
            if interval is not None:
                self.bounds[e.slot] = interval
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

    def _queryroutine(self, e: QueryRoutine) -> tuple[str, int]:
        return f"value{e.routine.number}({', '.join(['c', 'z', *(self.code(a) for a in e.args)])})", ATOM

    # ------------------------------------------------------------ lists

    def masked(self, e: Expr) -> Masked | None:
        """The list as known items with conditions, where it is one; conditions are Python text of level NOT or
        tighter."""
        with self._within(e):
            return self._masked(e)

    def _masked(self, e: Expr) -> Masked | None:
        if isinstance(e, Const):
            if isinstance(e.value, tuple) and len(e.value) <= UNROLL_LIMIT:
                return Masked(e.value, (None,) * len(e.value))
            return None
        if isinstance(e, core.ListLit):
            if all(isinstance(i, Const) for i in e.items):
                return Masked(tuple(i.value for i in e.items), (None,) * len(e.items))  # type: ignore[attr-defined]
            return None
        if isinstance(e, core.PoolKinds):
            pool = self.program.pools[e.zone]
            cells = (self.cell(e.zone, (*e.indices, Const(pool.holds, e.span, k))) for k in pool.kinds)
            return Masked(pool.kinds, tuple(f"({cell} > 0)" for cell in cells))
        if isinstance(e, core.Filter):
            return self._masked_filter(e)
        if isinstance(e, Binary) and e.op in ("union", "except", "intersect"):
            return self._masked_sets(e)
        if isinstance(e, CallBuiltin) and e.name == "reverse":
            inner = self.masked(e.args[0])
            return None if inner is None else Masked(inner.items[::-1], inner.conditions[::-1])
        return None

    def _masked_filter(self, e: core.Filter) -> Masked | None:
        source = self.masked(e.source)
        if source is None or not isinstance(e.source.type, ListType):
            return None
        items: list[Any] = []
        conditions: list[str | None] = []
        for item, before in zip(source.items, source.conditions, strict=True):
            own = self.lowerer.substitute(e.condition, e.slot, item, e.source.type.item)
            if isinstance(own, Const):
                if own.value:
                    items.append(item)
                    conditions.append(before)
                continue
            if self.can_fail(own):
                return None  # all conditions are to be read, in order
            text = self.code(own, ATOM)
            items.append(item)
            conditions.append(text if before is None else f"({before} and {text})")
        return Masked(tuple(items), tuple(conditions))

    def _masked_sets(self, e: Binary) -> Masked | None:
        left, right = self.masked(e.left), self.masked(e.right)
        if left is None or right is None or len(set(left.items)) != len(left.items):
            return None
        if e.op == "union":
            if set(left.items) & set(right.items):
                return None
            return Masked(left.items + right.items, left.conditions + right.conditions)
        if not right.certain:
            return None
        keep = [
            (i, c)
            for i, c in zip(left.items, left.conditions, strict=True)
            if (i in right.items) is (e.op == "intersect")
        ]
        return Masked(tuple(i for i, _ in keep), tuple(c for _, c in keep))

    def by_mask(self, known: Masked) -> str:
        """The list looked up by the bits of its conditions."""
        if known.certain:
            return self.literal(known.items)
        open_ones = [c for c in known.conditions if c is not None]
        rows = []
        for bits in range(1 << len(open_ones)):
            row = []
            position = 0
            for item, condition in zip(known.items, known.conditions, strict=True):
                if condition is None:
                    row.append(item)
                    continue
                if bits >> position & 1:
                    row.append(item)
                position += 1
            rows.append(tuple(row))
        mask = " | ".join(c if i == 0 else f"{c} << {i}" for i, c in enumerate(open_ones))
        return f"{self.tables.constant(repr(tuple(rows)))}[{mask}]"

    def sequence(self, e: Expr) -> str:
        """Text of a list that is only measured and indexed."""
        if isinstance(e, core.ReadZone):
            return self.zone(e.zone, e.indices)
        text = self.code(e)
        inner = re.fullmatch(r"tuple\((\[.*\]|sorted\(\[.*\]\))\)", text)
        if inner is not None and _balanced(inner[1].removeprefix("sorted")):
            return inner[1]
        return text

    def _lookup(self, e: Expr) -> tuple[str, int]:
        known = self.masked(e)
        if known is not None and len([c for c in known.conditions if c]) <= MASK_LIMIT:
            return self.by_mask(known), ATOM
        if isinstance(e, core.Filter):
            return self._comprehension(e.slot, e.source, e.condition, None, "tuple([%s])"), ATOM
        raise AssertionError(type(e).__name__)

    def _filter(self, e: core.Filter) -> tuple[str, int]:
        return self._lookup(e)

    def _maplist(self, e: core.MapList) -> tuple[str, int]:
        known = self.masked(e.source)
        if known is not None and known.certain and e.condition is None and isinstance(e.source.type, ListType):
            bodies = [self.lowerer.substitute(e.body, e.slot, i, e.source.type.item) for i in known.items]
            return self._text(core.ListLit(e.type, e.span, tuple(bodies)))
        return self._comprehension(e.slot, e.source, e.condition, e.body, "tuple([%s])"), ATOM

    def _comprehension(self, slot: int, source: Expr, condition: Expr | None, body: Expr | None, frame: str) -> str:
        """A comprehension in its frame; the order of the items counts only where the frame is of a list."""
        name = self.name(slot)
        tests = [(slot, condition)]
        source = self._filtered(source, tests, body)
        first, asked = tests[0]
        lying = self._those_lying(first, source, asked, frame.startswith("tuple") or "[" not in frame)
        before, self._iterating = self._iterating, True
        if lying is None:
            over = self.iterable(source)
        else:
            over, tests[0] = lying[0], (first, lying[1])
        self._iterating = before
        with ExitStack() as names:
            for one, _ in tests:
                self.bound_by(one, source)
                names.enter_context(self._naming(one, name))
            value = name if body is None else self.code(body)
            asked_of = [test for _, test in tests if test is not None]
            wanted = [self.code(test, AND) for test in asked_of]
        if body is None and wanted and over.startswith("lying(") and not any(map(self.can_fail, asked_of)):
            over = over.replace("lying", "chain.from_iterable", 1)  # only what is left is put into order
            frame = frame.replace("[%s]", "sorted([%s])")
        return frame % f"{value} for {name} in {over}{' if ' if wanted else ''}{' and '.join(wanted)}"

    def _filtered(self, source: Expr, tests: list[tuple[int, Expr | None]], body: Expr | None) -> Expr:
        """What a comprehension runs over when the filters of its source are asked in it: they come before ``tests``.
        Where something can fail, all items are looked at before any goes on."""
        later = [e for e in (tests[0][1], body) if e is not None]
        if any(self.can_fail(e) for e in later):
            return source
        while isinstance(source, core.Filter) and self.masked(source) is None and not self.can_fail(source.condition):
            tests.insert(0, (source.slot, source.condition))
            source = source.source
        return source

    def _those_lying(
        self, slot: int, source: Expr, condition: Expr | None, ordered: bool
    ) -> tuple[str, Expr | None] | None:
        """All components of a kind, `where` they lie in a zone of some name (and more): read from the zones, in the
        order of the components where that counts, in place of asking each component. None where that isn't what is
        asked. What is asked before it is asked after it, unless it can fail."""
        if condition is None or not isinstance(source, Const):
            return None
        asked = all_of(condition)
        lies = [
            isinstance(c, core.LiesIn) and isinstance(c.component, Local) and c.component.slot == slot for c in asked
        ]
        number = lies.index(True) if any(lies) else len(asked)
        if number == len(asked) or any(self.can_fail(c) for c in asked[:number]):
            return None
        one = asked[number]
        assert isinstance(one, core.LiesIn)
        place = self.layout.zones[one.zone]
        holds = self.program.zones[one.zone].holds
        begin, count = self.program.component_kinds[holds.name] if isinstance(holds, ComponentType) else (0, 0)
        if source.value != tuple(range(begin, begin + count)):
            return None
        zones = f"z[{place.offset}:{place.offset + place.size}]"
        others = asked[:number] + asked[number + 1 :]
        both = partial(Binary, condition.type, condition.span, "and")
        return f"{'lying' if ordered else 'chain.from_iterable'}({zones})", reduce(both, others) if others else None

    def iterable(self, e: Expr) -> str:
        """Text to loop over, without copying where nothing can change meanwhile (expressions only)."""
        if isinstance(e, core.ReadZone):
            return self.zone(e.zone, e.indices)
        if isinstance(e, core.Range):
            return self.range(e)
        return self.sequence(e) if isinstance(e, core.Filter | core.MapList) else self.code(e, OR)

    def range(self, e: core.Range) -> str:
        """Text of the numbers of a range, one after the other."""
        with self._within(e):
            if too_long(e, self.interval):
                return f"range_of({self.code(e.low)}, {self.code(e.high)})"
            return f"range({self.code(e.low)}, {self.code(e.high, SUM)} + 1)"

    def _fold(self, e: Fold) -> tuple[str, int]:
        both = e.body if e.condition is None else Binary(e.body.type, e.span, "and", e.condition, e.body)
        if e.kind == "count" and isinstance(e.source, Const) and (alike := _alike(both, e.slot)) is not None:
            return f"{self.code(e.source, ATOM)}.count({self.code(alike)})", ATOM
        known = self.masked(e.source)
        if known is not None and isinstance(e.source.type, ListType):
            return self._unrolled(e, known, e.source.type.item)
        if e.kind == "count":
            if isinstance(e.body, Const) and e.body.value is True and e.condition is None:
                return f"len({self.sequence(e.source)})", ATOM
            return self._comprehension(e.slot, e.source, both, Const(e.type, e.span, 1), "sum([%s])"), ATOM
        frame = {"sum": "sum([%s])", "any": "any([%s])", "all": "all([%s])"}.get(e.kind, f"{e.kind}([%s], default=0)")
        if e.kind in ("any", "all") and (
            self.can_fail(e.body) or (e.condition is not None and self.can_fail(e.condition))
        ):
            frame = f"{e.kind}(%s)"  # not beyond the item that settles it
        return self._comprehension(e.slot, e.source, e.condition, e.body, frame), ATOM

    def _unrolled(self, e: Fold, known: Masked, item_type: Type) -> tuple[str, int]:
        """The fold written out over the items."""
        terms: list[tuple[str | None, Expr]] = []  # condition text, body
        for item, condition in zip(known.items, known.conditions, strict=True):
            body = self.lowerer.substitute(e.body, e.slot, item, item_type)
            if e.condition is not None:
                test = self.lowerer.substitute(e.condition, e.slot, item, item_type)
                if isinstance(test, Const):
                    if not test.value:
                        continue
                else:
                    text = self.code(test, ATOM)
                    condition = text if condition is None else f"({condition} and {text})"
            terms.append((condition, body))
        if e.kind in ("any", "all"):
            return self._unrolled_test(e, terms)
        if e.kind == "count":
            return self._unrolled_count(terms)
        if e.kind == "sum":
            parts = []
            for condition, body in terms:
                text = self.code(body, PRODUCT)
                parts.append(text if condition is None else f"({self.code(body, OR)} if {condition} else 0)")
            parts = [p for p in parts if p != "0"]
            return (" + ".join(parts), SUM if len(parts) > 1 else PRODUCT) if parts else ("0", ATOM)
        return self._unrolled_extreme(e, terms)

    def _unrolled_test(self, e: Fold, terms: list[tuple[str | None, Expr]]) -> tuple[str, int]:
        wanted = e.kind == "any"
        parts = []
        for condition, body in terms:
            if isinstance(body, Const):
                if bool(body.value) is not wanted:
                    continue
                if condition is None:
                    return str(wanted), ATOM
                parts.append(condition if wanted else f"not {condition}")
            elif condition is None:
                parts.append(self.code(body, AND if wanted else NOT))
            elif wanted:
                parts.append(f"{condition} and {self.code(body, AND)}")
            else:
                parts.append(f"(not {condition} or {self.code(body, AND)})")
        if not parts:
            return str(not wanted), ATOM
        level = OR if wanted else AND
        return (" or " if wanted else " and ").join(parts), level if len(parts) > 1 else CONDITIONAL

    def _unrolled_count(self, terms: list[tuple[str | None, Expr]]) -> tuple[str, int]:
        sure = 0
        parts = []
        for condition, body in terms:
            if isinstance(body, Const):
                if not body.value:
                    continue
                if condition is None:
                    sure += 1
                else:
                    parts.append(condition)
            else:
                text = self.code(body, ATOM)
                parts.append(text if condition is None else f"({condition} and {text})")
        if not parts:
            return str(sure), ATOM
        if sure or len(parts) == 1:
            parts.append(str(sure))
        return " + ".join(parts), SUM

    def _unrolled_extreme(self, e: Fold, terms: list[tuple[str | None, Expr]]) -> tuple[str, int]:
        if not terms:
            return "0", ATOM
        if any(condition is not None for condition, _ in terms):
            items = ", ".join(
                f"*(({self.code(b)},) if {c} else ())" if c is not None else self.code(b) for c, b in terms
            )
            return f"{e.kind}(({items},), default=0)", ATOM
        texts = [self.code(b, BIT_OR) for _, b in terms]
        if len(texts) == 1:
            return texts[0], CONDITIONAL
        if len(texts) == 2 and all(len(t) < 40 for t in texts):
            sign = ">" if e.kind == "max" else "<"
            return f"{texts[0]} if {texts[0]} {sign} {texts[1]} else {texts[1]}", CONDITIONAL
        return f"{e.kind}({', '.join(texts)})", ATOM

    def _extreme(self, e: core.Extreme) -> tuple[str, int]:
        name = self.name(e.slot)
        source = self.code(e.source)
        with self._naming(e.slot, name):
            return f"{e.kind}_of({source}, lambda {name}: {self.code(e.key)})", ATOM

    def _distinct(self, e: core.Distinct) -> tuple[str, int]:
        name = self.name(e.slot)
        source = self.code(e.source)
        with self._naming(e.slot, name):
            return f"distinct_of({source}, lambda {name}: {self.code(e.key)})", ATOM

    # ------------------------------------------------------------ builtin functions

    def _callbuiltin(self, e: CallBuiltin) -> tuple[str, int]:
        special = getattr(self, "_f_" + e.name, None)
        if special is not None:
            result: tuple[str, int] | None = special(e)
            if result is not None:
                return result
        return f"fn_{e.name}({', '.join(self.code(a) for a in e.args)})", ATOM

    def _per_seat(self, e: CallBuiltin, rows: list[Any]) -> tuple[str, int]:
        return f"{self.tables.constant(repr(tuple(rows)))}[{self.operand(e.args[0])}]", ATOM

    def _f_clockwise_from(self, e: CallBuiltin) -> tuple[str, int]:
        n = self.players
        return self._per_seat(e, [tuple((s + i) % n for i in range(n)) for s in range(n)])

    def _f_anticlockwise_from(self, e: CallBuiltin) -> tuple[str, int]:
        n = self.players
        return self._per_seat(e, [tuple((s - i) % n for i in range(n)) for s in range(n)])

    def _f_next(self, e: CallBuiltin) -> tuple[str, int]:
        return self._per_seat(e, [(s + 1) % self.players for s in range(self.players)])

    def _f_previous(self, e: CallBuiltin) -> tuple[str, int]:
        return self._per_seat(e, [(s - 1) % self.players for s in range(self.players)])

    def _f_seat(self, e: CallBuiltin) -> tuple[str, int]:
        return f"{self.code(e.args[0], SUM)} + 1", SUM

    def _f_distance(self, e: CallBuiltin) -> tuple[str, int]:
        return f"({self.code(e.args[1], SUM)} - {self.code(e.args[0], PRODUCT)}) % {self.players}", PRODUCT

    def _f_reverse(self, e: CallBuiltin) -> tuple[str, int]:
        inner = e.args[0]
        if isinstance(inner, CallBuiltin) and inner.name in ("clockwise_from", "anticlockwise_from"):
            n, sign = self.players, 1 if inner.name == "clockwise_from" else -1
            rows = [tuple((s + sign * i) % n for i in range(n))[::-1] for s in range(n)]
            return self._per_seat(inner, rows)
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
        return f"abs({self.code(e.args[0])})", ATOM

    def _f_smaller(self, e: CallBuiltin) -> tuple[str, int]:
        return f"min({', '.join(self.code(a) for a in e.args)})", ATOM

    def _f_larger(self, e: CallBuiltin) -> tuple[str, int]:
        return f"max({', '.join(self.code(a) for a in e.args)})", ATOM

    def _f_sum(self, e: CallBuiltin) -> tuple[str, int]:
        return f"sum({self.code(e.args[0])})", ATOM

    def _f_max(self, e: CallBuiltin) -> tuple[str, int]:
        return f"max({self.code(e.args[0])}, default=0)", ATOM

    def _f_min(self, e: CallBuiltin) -> tuple[str, int]:
        return f"min({self.code(e.args[0])}, default=0)", ATOM

    def _f_step(self, e: CallBuiltin) -> tuple[str, int] | None:
        """``xs[(position of the item + n) mod length]`` through tables, where the lists are constants."""
        rows = self._constant_rows(e.args[0])
        if rows is None:
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
            where = self.tables.constant(repr(places[0]))
            return f"{self.literal(lists[0])}[({where}[{item}] {sign} {steps}) % {size}]", ATOM
        where = self.tables.constant(repr(places))
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
    inside = [c for c in operands(e) if count_uses(c, slot)]
    if not inside:
        return False
    over = isinstance(e, LOOPS) and inside[0] is e.source
    return over or _in_source(inside[0], slot)


def _balanced(text: str) -> bool:
    """Whether the bracket that opens a text is closed at its end and not before."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and i < len(text) - 1:
            return False
    return depth == 0


def _leaves(value: object) -> Any:
    if isinstance(value, tuple):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def _joined(e: Expr) -> list[Expr]:
    """The lists that are joined, in order."""
    return [*_joined(e.left), *_joined(e.right)] if isinstance(e, Binary) and e.op == "join" else [e]


def _alike(condition: Expr, slot: int) -> Expr | None:
    """What an item must be, where that is all that is asked of it."""
    if isinstance(condition, Binary) and condition.op == "and":
        sides = [c for c in (condition.left, condition.right) if not (isinstance(c, Const) and c.value is True)]
        return _alike(sides[0], slot) if len(sides) == 1 else None
    if not isinstance(condition, Binary) or condition.op != "=":
        return None
    left, right = condition.left, condition.right
    if isinstance(left, Local) and left.slot == slot and not count_uses(right, slot):
        return right
    return None
