"""Track the inferred sorts of locals, places and functions while a module is traversed.

A value whose sort does not fit its place is recorded as a problem. Inference then goes on with the sort that was
expected. The rules for each node are in :mod:`lusory.codegen.passes.type_rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lusory_dsl.types.types import (
    INT_MAX,
    INT_MIN,
    LIST_LIMIT,
    TEXT_LIMIT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    OptionalType,
    PlayerType,
    TextType,
    Type,
)

from ...state.setting import Setting
from .. import ir
from ..ir import types
from ..ir.types import LIST, NEVER, NONE, NUMBER, RECORD, TEXT, TRUTH, WHOLE, YES_OR_NO, Sort, present


@dataclass(eq=False)
class Deriving:
    """The state of an inference of sorts over one module.

    Attributes:
        values: Class of a value -> the rule that infers its sort.
        locals: Slot -> sort of a local, from its declared type.
        own: Sorts of the compiler's own names in the current function.
        there: Locals that are known not to be none, because of the tests around the current node.
        asked: Number of a choice -> locals that are not none wherever it is asked.
        results: Name of a function -> sort of its result.
        problems: Descriptions of values that do not fit their places.
        place: The origin of the current operation.
    """

    setting: Setting
    module: ir.Module
    values: dict[type[ir.Value], Callable[[Deriving, Any], Sort]]
    own: dict[str, Sort] = field(default_factory=dict)
    there: frozenset[int] = frozenset()
    asked: dict[int, frozenset[int]] = field(default_factory=dict)
    results: dict[str, Sort] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    place: ir.Provenance = ir.NOWHERE
    constants: dict[tuple[int, int, int], Sort] = field(default_factory=dict)
    _cells: dict[str, Sort] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.program, self.layout, self.players = self.setting.program, self.setting.layout, self.setting.players
        self.locals = {slot: self.declared(slot) for slot in self.module.names}

    # ------------------------------------------------------------ declarations

    def of_type(self, type: Type, ends: tuple[int, int] | None, size: int, length: int) -> Sort:
        """Return the sort of a type of the language.

        ``ends``, ``size`` and ``length`` bound its numbers, the number of items, and the number of characters.
        """
        match type:
            case OptionalType(item=item):
                return types.join(self.of_type(item, ends, size, length), NONE)
            case ListType(item=item):
                return types.list_of(self.of_type(item, ends, LIST_LIMIT, length), size)
            case IntType():
                return types.number(*ends) if ends is not None else WHOLE
            case BoolType():
                return YES_OR_NO
            case TextType():
                return types.text(length)
            case PlayerType():
                return Sort(NUMBER, 0, self.players - 1, "Player")
            case EnumType(name=name):
                return Sort(NUMBER, 0, len(self.program.enums[name].values) - 1, name)
            case ComponentType(name=name):
                first, count = self.program.component_kinds[name]
                return Sort(NUMBER, first, first + count - 1, name)
        return NEVER

    def declared(self, slot: int) -> Sort:
        """Return the sort of a local that follows from its declaration."""
        known = self.module.known
        type = known.types[slot]
        size, length = known.sizes.get(slot, LIST_LIMIT), known.lengths.get(slot, TEXT_LIMIT)
        return self.of_type(type, known.numbers.get(slot), size, length)

    def cell(self, name: str) -> Sort:
        """Return the sort of the cells of a variable or pool."""
        if name not in self._cells:
            places = self.module.known.places
            variable = self.program.variables.get(name)
            if variable is None:
                ends = [places.get((name, kind), (INT_MIN, INT_MAX)) for kind in self.program.pools[name].kinds]
                held = min((low for low, _ in ends), default=0), max((high for _, high in ends), default=0)
                self._cells[name] = types.number(min(held[0], 0), max(held[1], 0))
            else:
                limit = TEXT_LIMIT
                self._cells[name] = self.of_type(variable.type, places.get((name, None)), LIST_LIMIT, limit)
        return self._cells[name]

    def component(self, zone: str) -> Sort:
        """Return the sort of the components that a zone can hold."""
        return self.of_type(self.program.zones[zone].holds, None, 0, 0)

    def lying(self, zone: str) -> Sort:
        """Return the sort of the list of components in a zone."""
        item = self.component(zone)
        return types.list_of(item, item.high - item.low + 1)

    @cached_property
    def zone_numbers(self) -> Sort:
        return Sort(NUMBER, 0, self.layout.zone_count - 1)

    # ------------------------------------------------------------ inference

    def of(self, v: ir.Value) -> Sort:
        """Return the sort of a value."""
        return self.values[type(v)](self, v)

    def local(self, slot: int) -> Sort:
        """Return the sort of a local where it is read."""
        found = self.locals[slot]
        return present(found) if slot in self.there else found

    @contextmanager
    def where(self, test: ir.Value | None, holds: bool = True) -> Iterator[None]:
        """Infer the body of the ``with`` statement under the assumption that a test holds, or does not hold."""
        before = self.there
        if test is not None:
            self.there |= not_none(test, holds)
        yield
        self.there = before

    def wrong(self, what: str, found: object, wanted: object) -> None:
        """Record a problem."""
        line = "" if self.place.span is None else f" in line {self.place.span.line}"
        self.problems.append(f"{what}{line}: {found} where {wanted} stands")

    def fit(self, what: str, found: Sort, place: Sort) -> None:
        """Record a problem if a value of sort ``found`` does not fit its place."""
        if not types.fits(found, place):
            self.wrong(what, found, place)

    def number(self, v: ir.Value, what: str = "a number") -> Sort:
        """Return the sort of a value used as a number.

        None is removed from the sort, because every backend checks for it at such a place.
        """
        found = present(types.counted(self.of(v)))
        if found.kind == NUMBER:
            return found
        if found not in (NEVER, types.BROUGHT):
            self.wrong(what, found, "a number")
        return WHOLE

    def list(self, v: ir.Value, what: str = "a list") -> Sort:
        """Return the sort of a value that is iterated over."""
        found = self.of(v)
        if found.kind == RECORD:  # a constant with items of different kinds
            return types.list_of(types.joined(found.parts), len(found.parts))
        if found.kind == LIST and not found.absent:
            return found
        self.wrong(what, found, "a list")
        return types.list_of(NEVER, LIST_LIMIT)

    def text(self, v: ir.Value) -> Sort:
        """Return the sort of a value used as a text."""
        found = self.of(v)
        if found.kind == TEXT and not found.absent:
            return found
        self.wrong("a text", found, "a text")
        return types.SOME_TEXT

    def test(self, v: ir.Value) -> None:
        """Check that a value can be a test. Numbers other than 0 and lists that are not empty count as true."""
        found = self.of(v)
        if found.kind not in (TRUTH, NUMBER, LIST) and found != NEVER:
            self.wrong("a test", found, "something that holds or not")

    def tests(self, parts: Iterable[ir.Value], hold: bool = True) -> None:
        """Check tests with short-circuit evaluation: each is evaluated only if those before it hold, or do not hold."""
        before = self.there
        for part in parts:
            self.test(part)
            self.there |= not_none(part, hold)
        self.there = before

    def name(self, target: ir.Value, value: Sort) -> None:
        """Assign the sort ``value`` to a local, a name of the compiler, or a cell."""
        match target:
            case ir.Local(slot=slot) | ir.Bound(slot=slot):
                if _is_open(self.locals[slot]):
                    self.locals[slot] = types.join(self.locals[slot], value)
                self.fit(f"`{self.module.names[slot]}` ({slot})", value, self.locals[slot])
            case ir.Own(name=name):
                self.own[name] = types.join(self.own.get(name, NEVER), value)
            case ir.Cell(place=place, index=at):
                self.index(at, self.layout.places[place].size, place)
                self.fit(f"`{place}`", value, self.cell(place))

    def index(self, v: ir.Index, size: int, what: str) -> Sort:
        """Return the sort of an index into ``size`` elements, and record a problem if it is always out of range."""
        low = high = v.constant + v.base
        for term, stride in v.terms:
            found = self.number(term, f"an index of `{what}`")
            low, high = low + found.low * stride, high + found.high * stride
        first = v.base
        if low > high:  # an operand without values: this code is never executed
            return Sort(NUMBER, first, first + size - 1)
        if (v.terms and high < first) or low >= first + size:
            self.wrong(f"an index of `{what}`", f"{low}..{high}", f"{first}..{first + size - 1}")
        return Sort(NUMBER, max(low, first), min(high, first + size - 1))

    def zone_at(self, v: ir.Index) -> str:
        """Return the name of the zone whose list has this number."""
        number = v.number
        if number is not None:
            return self.layout.zone_at(number)[0]
        found = next(name for name, zone in self.layout.zones.items() if zone.offset == v.base)
        self.index(v, self.layout.zones[found].size, found)
        return found


def _is_open(sort: Sort) -> bool:
    """Return whether a declared sort says nothing: the checker saw only none or the empty list."""
    return sort.kind == NEVER.kind or (sort.item is not None and _is_open(sort.item))


def not_none(test: ir.Value, holds: bool) -> frozenset[int]:
    """Return the locals that are not none if a test holds, or does not hold."""
    match test:
        case ir.Flag(test=inner):
            return not_none(inner, holds)
        case ir.Unary(op="not", operand=inner):
            return not_none(inner, not holds)
        case ir.Binary(op="is not" | "is" as op, left=ir.Local(slot=slot) | ir.Bound(slot=slot)):
            return frozenset({slot}) if (op == "is not") is holds else frozenset()
        case ir.Binary(op="is not" | "is" as op, left=ir.Bind(target=ir.Bound(slot=slot))):
            return frozenset({slot}) if (op == "is not") is holds else frozenset()
        case ir.Binary(op="and" | "or" as op, left=left, right=right) if (op == "and") is holds:
            return not_none(left, holds) | not_none(right, holds)
        case ir.Every(parts=parts) if holds:
            return frozenset[int]().union(*(not_none(part, True) for part in parts))
        case ir.Some(parts=parts) if not holds:
            return frozenset[int]().union(*(not_none(part, False) for part in parts))
    return frozenset()
