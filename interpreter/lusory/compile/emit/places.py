"""Where values stand, as Python text: cells, zones, tables, printed fields, constants, labels.

The ground floor of the emitters. Where a place lives is asked of a :class:`Storage`, so that the same generator serves
the flat state of stepwise play and the local variables of a playout.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, Local
from lusory_dsl.language.intervals import Interval
from lusory_dsl.language.types import INT_MAX, INT_MIN, LIST_LIMIT, TEXT_LIMIT, EnumType, IntType, PlayerType, Type

from ...reading.reader import index_of
from ...table.dispatch import methods
from ..lower.bounds import Bounds
from ..lower.failing import may_be_none
from ..lower.lowered import EXPRESSIONS, Tabled
from ..lower.lowering import Lowerer
from ..python.support import option_name
from ..python.writing import identifier, literal

# Python's operator precedences, loosest first
CONDITIONAL, OR, AND, NOT, COMPARE, BIT_OR, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(11)


class Storage(Protocol):
    """Where cells and zones live in the generated text."""

    def cell(self, place: str, index: str) -> str:
        """The element ``index`` (from 0 within the place; text of a Python int) of a variable or pool."""

    def zone(self, index: str) -> str:
        """A card zone's list, by its number in the state."""


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


@dataclass(frozen=True)
class Naming:
    """The text of a value that gets its name where it is first read, and how often it is read in all."""

    value: str
    reads: int


@lru_cache(maxsize=1024)
def _printed(program: core.Program, field: str) -> str:
    """What is printed on each component, as text. It is long where there are many, and the same in all games."""
    return repr(tuple(entity.fields.get(field) for entity in program.entities))


def outside(number: Interval) -> str:
    """The test whether a number is one that an Int can't be, with ``%s`` for it; empty where it always can be."""
    low, high = number
    if low >= INT_MIN:
        return "" if high <= INT_MAX else f"%s > {INT_MAX}"
    return f"%s < {INT_MIN}" if high <= INT_MAX else f"not {INT_MIN} <= %s <= {INT_MAX}"


class PlaceEmitter:
    """Text for values that are read somewhere, and the way into the text of all expressions (:meth:`code`), each of
    which has a method that is called like it. Subclasses say how locals are named (:meth:`local`)."""

    def __init__(self, lowerer: Lowerer, layout: Any, tables: Tables, storage: Storage) -> None:
        self.lowerer = lowerer
        self.program = lowerer.program
        self.players = lowerer.players
        self.layout = layout
        self.tables = tables
        self.storage = storage
        self.bounds = Bounds(lowerer.known)
        self.namings: dict[int, Naming] = {}  # values that are named where they are first read
        self.shown_types: dict[str, Type] = {}
        self.bound_names: dict[int, str] = {}  # slots bound by a comprehension, inside it
        self.reads: list[Expr] = []  # what the line that is being written works out
        self.locates = False  # whether anything asks where a component lies
        self._iterating = False  # where Python allows no ``:=``: in what a comprehension runs over
        self._temporaries = 0
        self._inside = 0  # expressions round the one that is being written
        self._texts = methods(self, "_", EXPRESSIONS, lower=True)

    def local(self, slot: int) -> str:
        raise NotImplementedError

    def temporary(self) -> str:
        """A name for a value on the way."""
        self._temporaries += 1
        return f"t{self._temporaries}"

    def name(self, slot: int) -> str:
        """A readable, unique Python name for a local."""
        return identifier(self.lowerer.names[slot], slot)

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
        return self.bounds.can_fail(e)

    def _text(self, e: Expr) -> tuple[str, int]:
        result: tuple[str, int] = self._texts[type(e)](e)
        return result

    def literal(self, value: object) -> str:
        if isinstance(value, tuple):
            return self.tables.constant(literal(value)) if value else "()"
        return literal(value)

    @contextmanager
    def _naming(self, slot: int, name: str) -> Iterator[None]:
        """Write an expression in which a local is bound under a name."""
        self.bound_names[slot] = name
        yield
        del self.bound_names[slot]

    # ------------------------------------------------------------ what a value may be

    def whole(self, e: Expr, text: str, level: int) -> tuple[str, int]:
        """The text of a number, with a test where an Int may be too small for it."""
        beyond = outside(self.bounds.exact(e))
        if not beyond:
            return text, level
        if self._iterating or "%" in text:
            return f"whole({text})", ATOM
        name = self.temporary()
        return f"(too_great() if {beyond % f'({name} := {text})'} else {name})", ATOM

    def listed(self, e: Expr, text: str) -> str:
        """The text of a list, with a test where it may be too long."""
        return text if self.bounds.size(e) <= LIST_LIMIT else f"listed({text})"

    # ------------------------------------------------------------ places

    def element(self, name: str, indices: tuple[Expr, ...]) -> str:
        """Where an indexed place stands within its run of cells or lists: text of an int, folded as far as known."""
        place = self.layout.place(name)
        known = 0
        terms: list[str] = []
        for e, dim, size, stride in zip(indices, place.dims, place.sizes, place.strides, strict=True):
            if isinstance(e, Const) and isinstance(e.value, int):
                position = e.value - dim.low
                if not 0 <= position < size:
                    terms.append(f"out_of_range({literal(name)}, {e.value})")
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
        interval = self.bounds.interval(e)
        if low <= interval[0] and interval[1] < low + size:
            return self.code(e, PRODUCT)
        if isinstance(e, Local):
            text = self.code(e, ATOM)
            return f"({text} if {low} <= {text} < {low + size} else out_of_range({literal(name)}, {text}))"
        return f"in_range({self.operand(e)}, {low}, {low + size}, {literal(name)})"

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

    # ------------------------------------------------------------ leaves

    def _const(self, e: Const) -> tuple[str, int]:
        text = self.literal(e.value)
        return text, UNARY if text.startswith("-") else ATOM

    def _local(self, e: Local) -> tuple[str, int]:
        naming = self.namings.pop(e.slot, None)
        if naming is not None:
            return f"({self.bound_names[e.slot]} := {naming.value})", ATOM
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
        return f"{self.location(e.component)} in {self.tables.constant(f'frozenset({literal(numbers)})')}", COMPARE

    def _indexofplace(self, e: core.IndexOfPlace) -> tuple[str, int]:
        layout = self.layout
        known: dict[int | None, int | None] = {None: None}
        for number in range(layout.zone_count):
            name, indices = layout.zone_at(number)
            known[number] = index_of(self.program.zones[name], indices, e.type)
        found = f"{self.tables.constant(literal(known))}[{self.location(e.component)}]"
        return f"known({found})" if may_be_none(e, self.program) else found, ATOM

    def _pooltotal(self, e: core.PoolTotal) -> tuple[str, int]:
        pool = self.program.pools[e.zone]
        cells = [self.cell(e.zone, (*e.indices, Const(pool.holds, e.span, k))) for k in pool.kinds]
        return self.whole(e, " + ".join(cells), SUM if len(cells) > 1 else ATOM)

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
        text = f"{self.tables.constant(_printed(self.program, e.field))}[{self.operand(e.component)}]"
        return f"known({text})" if may_be_none(e, self.program) else text, ATOM

    def _optionvalue(self, e: core.OptionValue) -> tuple[str, int]:
        return option_name(self.program, e.option), ATOM

    def _tabled(self, e: Tabled) -> tuple[str, int]:
        return f"{self.literal(e.values)}[{self.operand(e.of)}]", ATOM

    def _texttemplate(self, e: core.TextTemplate) -> tuple[str, int]:
        moving = [p for p in e.parts if not isinstance(p, str)]
        if len(moving) == 1 and isinstance(moving[0].type, PlayerType):
            rows = tuple(
                "".join(p if isinstance(p, str) else f"P{seat + 1}" for p in e.parts) for seat in range(self.players)
            )
            if all(len(row) <= TEXT_LIMIT for row in rows):
                return f"{self.literal(rows)}[{self.code(moving[0])}]", ATOM
        parts = [literal(p) if isinstance(p, str) else self.shown(p) for p in e.parts]
        if not parts:
            return "''", ATOM
        text = " + ".join(parts)
        if self.bounds.longest(e) > TEXT_LIMIT:
            return f"short({text})", ATOM
        return text, SUM if len(parts) > 1 else ATOM

    def shown(self, e: Expr) -> str:
        """Text of the label of a value."""
        if isinstance(e.type, EnumType):
            labels = tuple(v.label for v in self.program.enums[e.type.name].values)
            return f"{self.literal(labels)}[{self.code(e)}]"
        if isinstance(e.type, PlayerType):
            return f"{self.literal(tuple(f'P{seat + 1}' for seat in range(self.players)))}[{self.code(e)}]"
        self.shown_types[str(e.type)] = e.type
        return f"show({literal(str(e.type))}, {self.code(e)})"
