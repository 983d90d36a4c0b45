"""What the locals, places and values of a module can be, while its functions are gone through.

A value in which something does not fit where it stands is a problem: it is noted, and what comes of it is taken for
what it was to be.
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
    """Derives the sorts of a module. ``values``: the table of values; ``locals``: what they are declared to be, by
    slot; ``own``: of the names of the function that is looked at; ``there``: locals that a test says are not none;
    ``asked``: those that are not none where a choice is asked, by its number; ``results``: of functions, by name;
    ``problems``: what does not fit."""

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

    # ------------------------------------------------------------ what is declared

    def of_type(self, type: Type, ends: tuple[int, int] | None, size: int, length: int) -> Sort:
        """The sort of a type of the language. ``ends``, ``size``, ``length``: what is known of its numbers, items and
        characters."""
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
        """What a local is declared to be."""
        known = self.module.known
        type = known.types[slot]
        size, length = known.sizes.get(slot, LIST_LIMIT), known.lengths.get(slot, TEXT_LIMIT)
        return self.of_type(type, known.numbers.get(slot), size, length)

    def cell(self, name: str) -> Sort:
        """What a cell of a variable or pool can hold."""
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
        return self.of_type(self.program.zones[zone].holds, None, 0, 0)

    def lying(self, zone: str) -> Sort:
        """What lies in a zone."""
        item = self.component(zone)
        return types.list_of(item, item.high - item.low + 1)

    @cached_property
    def zone_numbers(self) -> Sort:
        return Sort(NUMBER, 0, self.layout.zone_count - 1)

    # ------------------------------------------------------------ what comes of values

    def of(self, v: ir.Value) -> Sort:
        """The sort of a value."""
        return self.values[type(v)](self, v)

    def local(self, slot: int) -> Sort:
        """The sort of a local where it is read."""
        found = self.locals[slot]
        return present(found) if slot in self.there else found

    @contextmanager
    def where(self, test: ir.Value | None, holds: bool = True) -> Iterator[None]:
        """Look at what is worked out where a test holds, or does not."""
        before = self.there
        if test is not None:
            self.there |= not_none(test, holds)
        yield
        self.there = before

    def wrong(self, what: str, found: object, wanted: object) -> None:
        """Note what does not fit."""
        line = "" if self.place.span is None else f" in line {self.place.span.line}"
        self.problems.append(f"{what}{line}: {found} where {wanted} stands")

    def fit(self, what: str, found: Sort, place: Sort) -> None:
        if not types.fits(found, place):
            self.wrong(what, found, place)

    def number(self, v: ir.Value, what: str = "a number") -> Sort:
        """The sort of a value that is counted with. None is refused by any backend by itself there."""
        found = present(types.counted(self.of(v)))
        if found.kind == NUMBER:
            return found
        if found not in (NEVER, types.BROUGHT):
            self.wrong(what, found, "a number")
        return WHOLE

    def list(self, v: ir.Value, what: str = "a list") -> Sort:
        """The sort of a value that is gone through."""
        found = self.of(v)
        if found.kind == RECORD:  # a constant whose items differ
            return types.list_of(types.joined(found.parts), len(found.parts))
        if found.kind == LIST and not found.absent:
            return found
        self.wrong(what, found, "a list")
        return types.list_of(NEVER, LIST_LIMIT)

    def text(self, v: ir.Value) -> Sort:
        found = self.of(v)
        if found.kind == TEXT and not found.absent:
            return found
        self.wrong("a text", found, "a text")
        return types.SOME_TEXT

    def test(self, v: ir.Value) -> None:
        """What is asked whether it holds: numbers that are not 0 and lists that are not empty do."""
        found = self.of(v)
        if found.kind not in (TRUTH, NUMBER, LIST) and found != NEVER:
            self.wrong("a test", found, "something that holds or not")

    def tests(self, parts: Iterable[ir.Value], hold: bool = True) -> None:
        """Tests of which each is asked where those before it hold, or do not."""
        before = self.there
        for part in parts:
            self.test(part)
            self.there |= not_none(part, hold)
        self.there = before

    def name(self, target: ir.Value, value: Sort) -> None:
        """A local gets a value."""
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
        """The number of one of so many elements."""
        low = high = v.constant + v.base
        for term, stride in v.terms:
            found = self.number(term, f"an index of `{what}`")
            low, high = low + found.low * stride, high + found.high * stride
        first = v.base
        if low > high:  # of what has no value: it is never read
            return Sort(NUMBER, first, first + size - 1)
        if (v.terms and high < first) or low >= first + size:
            self.wrong(f"an index of `{what}`", f"{low}..{high}", f"{first}..{first + size - 1}")
        return Sort(NUMBER, max(low, first), min(high, first + size - 1))

    def zone_at(self, v: ir.Index) -> str:
        """The name of the zone that has the list with a number."""
        number = v.number
        if number is not None:
            return self.layout.zone_at(number)[0]
        found = next(name for name, zone in self.layout.zones.items() if zone.offset == v.base)
        self.index(v, self.layout.zones[found].size, found)
        return found


def _is_open(sort: Sort) -> bool:
    """Whether the checker knew no more than that something is none, or made of the empty list."""
    return sort.kind == NEVER.kind or (sort.item is not None and _is_open(sort.item))


def not_none(test: ir.Value, holds: bool) -> frozenset[int]:
    """The locals that are not none where a test holds, or does not."""
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
