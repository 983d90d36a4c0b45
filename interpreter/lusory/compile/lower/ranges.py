"""How large values can be: bounds of numbers, sizes of lists, lengths of texts, of core and of lowered expressions.

What is proved to stay within what the language allows needs no test while a game is played. Everything errs on the
side of not knowing. Read by lowering and the emitters; what places, queries and parameters can come to in a whole game
is found by :mod:`lusory.compile.lower.reach`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local
from lusory_dsl.language.builtins import RUNTIME
from lusory_dsl.language.types import (
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
    Type,
)

from ...table.setting import Setting
from .lowered import LetIn, QueryRoutine, Tabled

T = TypeVar("T")
Interval = tuple[int, int]  # the smallest and the greatest number that it can be
ANY: Interval = (INT_MIN, INT_MAX)


@dataclass
class Reach:
    """What is known of a whole game. ``places``: bounds of what variables hold, and pools by kind; they may lie beyond
    what an Int can be: then not every change is proved. The rest by the name of the query, and by routine and slot of
    the parameter. ``any_options``: it holds for all values of the options."""

    places: dict[tuple[str, int | None], Interval] = field(default_factory=dict)
    queries: dict[str, Interval] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    params: dict[tuple[str, str, int], tuple[Interval, int, int]] = field(default_factory=dict)
    any_options: bool = False


class Ranges:
    """Looks at expressions. ``of``, ``sizes``, ``lengths``: what is known of locals, by slot: bounds of a number (of a
    list: of the numbers in it), the most items of a list, the most characters of a text (of a list: of those in it)."""

    def __init__(self, setting: Setting, reach: Reach) -> None:
        self.setting = setting
        self.program = setting.program
        self.reach = reach
        self.of: dict[int, Interval] = {}
        self.sizes: dict[int, int] = {}
        self.lengths: dict[int, int] = {}
        self._known: dict[tuple[str, int], tuple[Expr, Any]] = {}
        self._data: dict[object, Any] = {}

    def once(self, what: str, e: Expr, find: Callable[[Expr], Any]) -> Any:
        """What was found of an expression before; what is known of its locals stays."""
        kept = self._known.get((what, id(e)))
        if kept is None:
            kept = self._known[what, id(e)] = e, find(e)
        return kept[1]

    # ------------------------------------------------------------ locals

    def let(self, slot: int, value: Expr) -> None:
        """A local that has the value of an expression."""
        if isinstance(value, Local):
            self.of[slot] = self.of.get(value.slot, ANY)
            self.sizes[slot] = self.sizes.get(value.slot, LIST_LIMIT)
            self.lengths[slot] = self.lengths.get(value.slot, TEXT_LIMIT)
            return
        item = leaf(value.type)
        if isinstance(item, IntType):
            self.of[slot] = self.interval(value)
        elif not isinstance(item, BoolType | PlayerType | EnumType | ComponentType):
            self.lengths[slot] = min(self.longest(value), TEXT_LIMIT)
        if isinstance(value.type, ListType):
            self.sizes[slot] = min(self.size(value), LIST_LIMIT)

    def over(self, slot: int, source: Expr) -> None:
        """A local that goes through the items of a list."""
        self.sizes.pop(slot, None)  # of a list of lists
        item = leaf(source.type)
        if isinstance(item, IntType):
            self.of[slot] = self.interval(source)
        elif not isinstance(item, BoolType | PlayerType | EnumType | ComponentType):
            self.lengths[slot] = min(self.longest(source), TEXT_LIMIT)

    def take(self, slot: int, param: tuple[str, str, int]) -> None:
        """A parameter of a routine."""
        if param in self.reach.params:
            self.of[slot], self.sizes[slot], self.lengths[slot] = self.reach.params[param]

    # ------------------------------------------------------------ numbers

    def interval(self, e: Expr) -> Interval:
        """Bounds of an Int expression, or of the numbers in a list, once it did not go wrong."""
        return within(self.exact(e))

    def exact(self, e: Expr) -> Interval:
        """The same before it is looked at whether an Int can be that."""
        low, high = self.once("number", e, self._exact)
        return max(low, -FARTHEST), min(high, FARTHEST)

    def fits(self, e: Expr) -> bool:
        """Whether the last operation of an Int expression can't go beyond what an Int can be."""
        low, high = self.exact(e)
        return low >= INT_MIN and high <= INT_MAX

    def _exact(self, e: Expr) -> Interval:
        match e:
            case Const(value=value):
                return of_values((value,))
            case Local(slot=slot):
                return self.of.get(slot, ANY)
            case core.OptionValue(option=option):
                return self._option(option)
            case core.ReadCell(place=place, indices=indices):
                return within(self.held(place, indices))
            case core.PoolTotal(zone=zone):
                cells = [within(self.reach.places.get((zone, k), ANY)) for k in self.program.pools[zone].kinds]
                return sum(low for low, _ in cells), sum(high for _, high in cells)
            case core.TableRead(table=table):
                return self._of_data("table", table, lambda: of_values(self.program.tables[table].values))
            case core.Field(field=name):
                return self._of_data("field", name, lambda: of_values(self._printed(name)))
            case Tabled(values=values):
                return of_values(values)
            case core.Unary(operand=operand):
                low, high = self.interval(operand)
                return -high, -low
            case Binary(op=op, left=left, right=right):
                if op in COMPUTED:
                    return COMPUTED[op](self.interval(left), self.interval(right))
                return self._hull((left, right)) if op in ("join", "union") else self.interval(left)
            case core.Range(low=low_end, high=high_end):
                low, high = self.interval(low_end)[0], self.interval(high_end)[1]
                return low, upper(low, high)
            case core.ListLit(items=items):
                return self._hull(items)
            case IfExpr(then=then, otherwise=otherwise):
                return self._hull((then, otherwise))
            case core.ByCard(cases=cases, otherwise=otherwise):
                return self._hull((*(case for _, case in cases), otherwise))
            case core.Filter(source=source) | core.Extreme(source=source) | core.Distinct(source=source):
                return self.interval(source)
            case core.MapList(slot=slot, source=source, body=body):
                self.over(slot, source)
                return self.interval(body)
            case core.Fold(kind=kind, slot=slot, source=source, body=body):
                size = min(self.size(source), LIST_LIMIT)
                if kind == "count":
                    return 0, size
                self.over(slot, source)
                low, high = self.interval(body)
                times = size if kind == "sum" else 1
                return times * lower(low, 0), times * upper(high, 0)
            case core.CallQuery(query=name):
                return self.reach.queries.get(name, ANY)
            case QueryRoutine(routine=routine) if routine.value is not None:
                return self.interval(routine.value)
            case LetIn(slot=slot, value=value, body=body):
                self.let(slot, value)
                return self.interval(body)
            case core.CallBuiltin():
                return self._called(e)
        return ANY

    def _option(self, name: str) -> Interval:
        if not self.reach.any_options:
            return of_values((self.setting.options[name],))
        option = next(option for option in self.program.options if option.name == name)
        return (
            (INT_MIN if option.low is None else option.low, INT_MAX if option.high is None else option.high)
            if isinstance(option.type, IntType)
            else ANY
        )

    def held(self, place: str, indices: tuple[Expr, ...]) -> Interval:
        """What a variable, or a pool of the kind that comes last, can hold; beyond an Int where that is not proved."""
        if place not in self.program.pools:
            return self.reach.places.get((place, None), BEYOND)
        kind = indices[-1]
        kinds = (kind.value,) if isinstance(kind, Const) else self.program.pools[place].kinds
        return hull(self.reach.places.get((place, int(str(k))), BEYOND) for k in kinds)

    def _called(self, e: core.CallBuiltin) -> Interval:
        function = RUNTIME[e.name]
        if function.bounds is not None:
            return function.bounds(_Call(self, e.args))
        return self.interval(e.args[0]) if function.gives_item or function.gives_part else ANY

    def _hull(self, parts: Iterable[Expr]) -> Interval:
        return hull(self.interval(part) for part in parts)

    def _of_data(self, what: str, name: str, find: Callable[[], T]) -> T:
        """What was found of tables or cards before."""
        if (what, name) not in self._data:
            self._data[what, name] = find()
        found: T = self._data[what, name]
        return found

    def _printed(self, name: str) -> tuple[object, ...]:
        return tuple(entity.fields.get(name) for entity in self.program.entities)

    # ------------------------------------------------------------ lists

    def size(self, e: Expr) -> int:
        """The most items that a list can have, before it is looked at whether that is too many."""
        result: int = self.once("size", e, self._size)
        return result

    def _size(self, e: Expr) -> int:
        match e:
            case Const(value=value):
                return len(value) if isinstance(value, tuple) else LIST_LIMIT
            case Local(slot=slot):
                return self.sizes.get(slot, LIST_LIMIT)
            case core.Players():
                return self.setting.players
            case core.ReadZone(zone=zone):
                return self.program.component_kinds[str(self.program.zones[zone].holds)][1]
            case core.PoolKinds(zone=zone):
                return len(self.program.pools[zone].kinds)
            case core.Field(field=name):
                return self._of_data("printed lists", name, lambda: longest_list(self._printed(name)))
            case core.TableRead(table=table):
                return self._of_data("lists", table, lambda: longest_list(self._rows(table)))
            case Tabled(values=values):
                return longest_list(values)
            case core.ListLit(items=items):
                return len(items)
            case core.Range(low=low, high=high):
                return min(max(self.interval(high)[1] - self.interval(low)[0] + 1, 0), LIST_LIMIT)
            case core.Filter(source=source) | core.MapList(source=source):
                return self.size(source)
            case core.Extreme(source=source) | core.Distinct(source=source):
                return self.size(source)
            case Binary(op=op, left=left, right=right):
                sizes = min(self.size(left), LIST_LIMIT), min(self.size(right), LIST_LIMIT)
                return sum(sizes) if op in ("join", "union") else sizes[0]
            case IfExpr(then=then, otherwise=otherwise):
                return max(self.size(then), self.size(otherwise))
            case core.ByCard(cases=cases, otherwise=otherwise):
                return max(self.size(part) for part in (*(case for _, case in cases), otherwise))
            case core.CallQuery(query=name):
                return self.reach.sizes.get(name, LIST_LIMIT)
            case QueryRoutine(routine=routine) if routine.value is not None:
                return self.size(routine.value)
            case LetIn(body=body):
                return self.size(body)
            case core.CallBuiltin(name=name, args=args) if (size := RUNTIME[name].size) is not None:
                return int(size(_Call(self, args))[1])
        return LIST_LIMIT

    def _rows(self, table: str) -> list[Any]:
        """The entries of a table."""
        rows: list[Any] = [self.program.tables[table].values]
        for _ in self.program.tables[table].dims:
            rows = [inner for row in rows for inner in row]
        return rows

    # ------------------------------------------------------------ texts

    def longest(self, e: Expr) -> int:
        """The most characters of a text, or of a value (of a list: of each in it) that is shown in one."""
        result: int = self.once("text", e, self._longest)
        return result

    def _longest(self, e: Expr) -> int:
        item = leaf(e.type)
        none = len("none")
        if isinstance(item, IntType):
            return max(none, *(len(str(end)) for end in self.interval(e)))
        if isinstance(item, BoolType):
            return none
        if isinstance(item, PlayerType):
            return max(none, len(f"P{self.setting.players}"))
        if isinstance(item, EnumType):
            named = self.program.enums[item.name].values
            return max(none, self._of_data("enum", item.name, lambda: longest_text(v.label for v in named)))
        if isinstance(item, ComponentType):
            alike = (entity.label for entity in self.program.entities if entity.kind == item.name)
            return max(none, self._of_data("cards", item.name, lambda: longest_text(alike)))
        match e:
            case Const(value=value):
                return longest_text(value)
            case Local(slot=slot):
                return self.lengths.get(slot, TEXT_LIMIT)
            case core.TextTemplate(parts=parts):
                return sum(len(part) if isinstance(part, str) else self.shown(part) for part in parts)
            case core.TableRead(table=table):
                return self._of_data("words", table, lambda: longest_text(self.program.tables[table].values))
            case core.Field(field=name):
                return self._of_data("printed words", name, lambda: longest_text(self._printed(name)))
            case Tabled(values=values):
                return longest_text(values)
            case core.ListLit(items=items):
                return max(map(self.longest, items), default=0)
            case core.Filter(source=source) | core.Extreme(source=source) | core.Distinct(source=source):
                return self.longest(source)
            case core.MapList(slot=slot, source=source, body=body):
                self.over(slot, source)
                return self.longest(body)
            case IfExpr(then=then, otherwise=otherwise) | Binary(left=then, right=otherwise):
                return max(self.longest(then), self.longest(otherwise))
            case core.CallQuery(query=name):
                return self.reach.lengths.get(name, TEXT_LIMIT)
            case LetIn(body=body):
                return self.longest(body)
            case core.CallBuiltin(name=name, args=args) if (characters := RUNTIME[name].characters) is not None:
                return int(characters(_Call(self, args)))
        return TEXT_LIMIT

    def shown(self, e: Expr) -> int:
        """The most characters of what a text shows of a value."""
        one = min(self.longest(e), TEXT_LIMIT)
        if not isinstance(e.type, ListType):
            return one
        if isinstance(e.type.item, ListType):
            return TEXT_LIMIT * LIST_LIMIT
        return max(len("none"), min(self.size(e), LIST_LIMIT) * (one + len(", ")))


@dataclass(frozen=True, eq=False)
class _Call:
    """What is known of a call of a function; as in :class:`lusory_dsl.language.builtins.Given`."""

    known: Ranges
    args: tuple[Expr, ...]

    @property
    def players(self) -> Interval:
        return self.known.setting.players, self.known.setting.players

    def number(self, argument: int) -> Interval:
        return self.known.interval(self.args[argument])

    def size(self, argument: int) -> Interval:
        return 0, min(self.known.size(self.args[argument]), LIST_LIMIT)

    def characters(self, argument: int) -> int:
        return min(self.known.longest(self.args[argument]), TEXT_LIMIT)

    def upper(self, *ends: int) -> int:
        return upper(*ends)

    def lower(self, *ends: int) -> int:
        return lower(*ends)

    def times(self, number: int, end: int) -> int:
        return number * end


# ---------------------------------------------------------------- intervals

BEYOND: Interval = (INT_MIN * 2, INT_MAX * 2)


#: Stands for the greatest number, either way, in the places whose bounds are sought: ends may be so many times that,
#: and a number. What holds of it holds whatever it is.
UNKNOWN = 1 << 200
FARTHEST = UNKNOWN << 20  # products of the unknown with itself would else have any number of digits


def within(interval: Interval) -> Interval:
    """The numbers of an interval that an Int can be."""
    low, high = interval
    return (
        low if low < -UNKNOWN // 2 else min(max(low, INT_MIN), INT_MAX),
        high if high > UNKNOWN // 2 else max(min(high, INT_MAX), INT_MIN),
    )


def parts_of(end: int) -> tuple[int, int]:
    """How many times the unknown an end is, and the number beside it."""
    times = (end + UNKNOWN // 2) // UNKNOWN
    return times, end - times * UNKNOWN


def upper(*ends: int) -> int:
    """What none of some numbers goes beyond, whatever the unknown is."""
    most = max(ends)
    if most <= UNKNOWN // 2:
        return most
    parts = [parts_of(end) for end in ends]
    return max(times for times, _ in parts) * UNKNOWN + max(number for _, number in parts)


def lower(*ends: int) -> int:
    """What none of some numbers is less than, whatever the unknown is."""
    return -upper(*(-end for end in ends))


def hull(intervals: Iterable[Interval]) -> Interval:
    """The smallest interval around others."""
    every = list(intervals)
    return (lower(*(low for low, _ in every)), upper(*(high for _, high in every))) if every else (0, 0)


def leaf(type: Type) -> Type:
    """What a list, or a list of lists, is of in the end."""
    while isinstance(type, ListType | OptionalType):
        type = type.item
    return type


def leaves(value: object) -> Iterator[object]:
    """The values in nested tuples."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        for part in value:
            yield from leaves(part)
    elif value is not None:
        yield value


def of_values(values: object) -> Interval:
    """Bounds of the numbers in nested tuples."""
    numbers = [int(v) for v in leaves(values) if isinstance(v, int)]
    return (min(numbers), max(numbers)) if numbers else (0, 0)


def longest_list(values: Iterable[object]) -> int:
    """The most items of a list among values."""
    return max((len(v) for v in values if isinstance(v, tuple)), default=LIST_LIMIT)


def longest_text(values: object) -> int:
    """The most characters of a text in nested tuples."""
    return max((len(str(v)) for v in leaves(values)), default=0)


def _products(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return lower(*corners), upper(*corners)


def _quotients(a: Interval, b: Interval) -> Interval:
    """Rounded towards minus infinity; by 0 is a fault."""
    if upper(-a[0], a[1]) > UNKNOWN // 2:
        return lower(a[0], -a[1]), upper(-a[0], a[1])
    ends = {d for d in (b[0], min(b[1], -1), max(b[0], 1), b[1]) if d and b[0] <= d <= b[1]}
    corners = [x // d for x in a for d in ends]
    return (min(corners), max(corners)) if corners else (0, 0)


def _remainders(a: Interval, b: Interval) -> Interval:
    """Of the sign of what it is divided by."""
    low, high = min(b[0] + 1, 0), max(b[1] - 1, 0)
    return (low, min(high, a[1])) if low == 0 and a[0] >= 0 else (low, high)


COMPUTED: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _products,
    "div": _quotients,
    "mod": _remainders,
}
