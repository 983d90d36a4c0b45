"""Constants of a module as C: tables of numbers, and of lists of numbers. Texts are numbers, which Python words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl.language.types import INT_MAX, INT_MIN

from .kinds import LIST, MASK, NUMBER, NotNative, fits_mask

ITEM, ITEM_NONE = "Item", "NO_ITEM"
ITEM_MOST = (1 << 31) - 1
LINE = 20  # numbers of a table that stand in a line


@dataclass(frozen=True)
class Table:
    """A constant that has a name in C. ``dims``: how many entries each dimension has; ``ragged``: the last one is that
    of lists of several lengths, which lie one behind the other; ``type``: of a number; ``none``: some are none."""

    name: str
    dims: tuple[int, ...]
    ragged: bool
    type: str
    none: bool


@dataclass
class Constants:
    """The constants of a module, of which those have a name that something asks for."""

    values: tuple[object, ...]
    texts: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    _tables: dict[tuple[int, str], Table] = field(default_factory=dict)

    def number(self, value: object) -> int | None:
        """A constant as the number that it is in C; None: none. Raises NotNative."""
        if value is None or isinstance(value, bool):
            return None if value is None else int(value)
        if isinstance(value, int):
            if value == INT_MIN:
                raise NotNative("the smallest number there is")
            return value
        if isinstance(value, str):
            return self.texts.setdefault(value, len(self.texts))
        raise NotNative("values of several kinds in one table")

    def table(self, number: int, kind: str = "") -> Table:
        """The constant with a number, as C has it. ``kind``: ``MASK`` where its numbers must be masks."""
        key = number, kind
        if key not in self._tables:
            self._tables[key] = self._made(f"K{number}{'m' if kind else ''}", self.values[number - 1], kind)
        return self._tables[key]

    def _made(self, name: str, value: object, kind: str) -> Table:
        if isinstance(value, frozenset):
            value = tuple(sorted(value))
        if isinstance(value, dict):
            value = tuple(value[key] for key in range(len(value) - (None in value)))
        dims, rows = _shape(value)
        ragged = rows is not None
        flat = [self.number(item) for row in ([value] if rows is None else rows) for item in _leaves(row)]
        none = None in flat
        known = [number for number in flat if number is not None]
        type = kind or _type_of(known)
        if type == MASK and none:
            raise NotNative("masks that may be none")
        nothing = ITEM_NONE if type == ITEM else "NONE"
        written = [nothing if n is None else written_number(n, type) for n in flat]
        inner = "".join(f"[{max(size, 1)}]" for size in dims) if not ragged else f"[{max(len(flat), 1)}]"
        self.lines += listing(f"static const {type} {name}{inner if dims else '[1]'}", _nested(written, dims, ragged))
        if rows is not None:
            ends = [0]
            for row in rows:
                ends.append(ends[-1] + len(row))
            self.lines += listing(f"static const int {name}_at[{len(ends)}]", in_lines(map(str, ends)))
        return Table(name, dims, ragged, type, none)


def _shape(value: object) -> tuple[tuple[int, ...], list[tuple[Any, ...]] | None]:
    """The dimensions of a constant, and the lists at its leaves where they have several lengths."""
    dims: list[int] = []
    level: list[Any] = [value]
    while any(isinstance(one, tuple) for one in level):
        if not all(isinstance(one, tuple) or one is None for one in level):
            raise NotNative("tables of lists and of other things")
        level = [() if one is None else one for one in level]  # printed on other components: never read
        sizes = {len(one) for one in level}
        inner = [item for one in level for item in one]
        if len(sizes) > 1 or sizes == {0}:
            if any(isinstance(item, tuple) for item in inner):
                raise NotNative("tables of lists of lists")
            return (tuple(dims), level) if dims else ((0,), None)
        dims.append(sizes.pop())
        level = inner
    return tuple(dims), None


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _type_of(known: list[int]) -> str:
    low, high = min(known, default=0), max(known, default=0)
    if low >= -ITEM_MOST and high <= ITEM_MOST:
        return ITEM
    return NUMBER if high <= INT_MAX else MASK


def written_number(n: int, type: str) -> str:
    """A number as C has it."""
    if type != MASK:
        return str(n) if abs(n) <= ITEM_MOST else f"{n}ll"
    fits_mask(n)
    low, high = n & (1 << 64) - 1, n >> 64
    return f"(SpaceMask){high:#x}ull << 64 | {low:#x}ull" if high else f"{low:#x}ull"


def _nested(written: list[str], dims: tuple[int, ...], ragged: bool) -> list[str]:
    if ragged or len(dims) < 2:
        return in_lines(written or ["0"])
    rows = written
    for size in reversed(dims[1:]):
        rows = ["{" + ", ".join(rows[at : at + size]) + "}" for at in range(0, len(rows), size)]
    return [f"{row}," for row in rows]


def in_lines(written: Iterable[str]) -> list[str]:
    """The lines of some numbers."""
    texts = list(written)
    return [", ".join(texts[at : at + LINE]) + "," for at in range(0, len(texts), LINE)]


def listing(head: str, lines: list[str]) -> list[str]:
    """A constant of some lines."""
    if len(lines) == 1:
        return [f"{head} = {{{lines[0].rstrip(',')}}};"]
    return [f"{head} = {{", *(f"    {line}" for line in lines), "};"]


def list_name(table: Table, at: str) -> str:
    """A list in a table: ``at`` is the number of the row (empty: the table is the list)."""
    if table.type != ITEM:
        raise NotNative("lists of large numbers")
    if table.ragged:
        return f"(({LIST}){{{table.name}_at[{at} + 1] - {table.name}_at[{at}], {table.name} + {table.name}_at[{at}]}})"
    size = table.dims[-1]
    return f"(({LIST}){{{size}, {f'(const Item *){table.name} + {size} * ({at})' if at else table.name}}})"
