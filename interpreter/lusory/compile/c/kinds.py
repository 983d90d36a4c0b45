"""Which C type a value has, by its sort; and what C has none for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lusory_dsl.language.types import INT_MAX
from lusory_dsl.text.source import Span

from ..ir import sorts
from ..ir.sorts import Sort

NUMBER, MASK, WIDE, LIST = "Int", "SpaceMask", "WideInt", "List"
OPTIONS, VALUES = "options", "const Int *"
"""The options of a choice while they are gathered, and what one of them brings along."""

LINES = "\n"
"""In place of the type of what is shown in a text: texts one below the other."""

WIDTHS = (8, 16, 32)
MOST_SPACES = 128
"""How many spaces a board may have whose lists are masks in C."""


class NotNative(Exception):
    """A ruleset has something that is not printed as C. ``what``: in words; ``span``: where, if that is known."""

    def __init__(self, what: str, span: Span | None = None) -> None:
        where = "" if span is None else f" at {span}"
        super().__init__(f"not native: {what}{where}")
        self.what = what
        self.span = span


@contextmanager
def standing(at: Span) -> Iterator[None]:
    """What is not native, and does not say where it stands, stands here."""
    try:
        yield
    except NotNative as refused:
        if refused.span is None:
            raise NotNative(refused.what, at) from None
        raise


def fits_mask(n: int) -> None:
    """Raises NotNative for a mask that C has no room for."""
    if n >> MOST_SPACES:
        raise NotNative(f"boards of more than {MOST_SPACES} spaces")


def kind_of(sort: Sort) -> str:
    """The C type of a value. Raises NotNative."""
    match sort.kind:
        case sorts.NUMBER:
            return MASK if sort.high > INT_MAX else NUMBER
        case sorts.TRUTH | sorts.TEXT | sorts.NOTHING | sorts.CHOSEN:
            return NUMBER
        case sorts.LIST:
            return _kind_of_list(sort)
        case sorts.SHARE:
            raise NotNative("parts of a number")
        case sorts.RECORD if all(_is_item(part) for part in sort.parts):
            return LIST
    raise NotNative("values of several kinds in one place")


def _kind_of_list(sort: Sort) -> str:
    item = sort.item
    if sort.absent:
        raise NotNative("lists that may be none")
    if item is None or _is_item(item):
        return VALUES if item is not None and item.kind == sorts.CHOSEN else LIST
    if item.kind == sorts.RECORD:
        return OPTIONS
    if item.kind == sorts.LIST:
        raise NotNative("lists of lists")
    raise NotNative("lists of values of several kinds")


def _is_item(sort: Sort) -> bool:
    """Whether a value can be an item of a list."""
    return sort.kind in (sorts.TRUTH, sorts.TEXT, sorts.NOTHING, sorts.CHOSEN) or (
        sort.kind == sorts.NUMBER and sort.high <= INT_MAX
    )


MOST_KEPT, MOST_TOGETHER = 1_024, 65_536
"""Items that a variable has room for which holds a list; and all its cells together, as far as each has some."""


def capacity_of(cells: int) -> int:
    """How many items each of so many cells has room for. More than these are a fault, after which Python plays."""
    return max(64, min(MOST_KEPT, MOST_TOGETHER // cells))


def width_of(sort: Sort) -> int:
    """How many bits a cell has that holds such a value: the smallest number of the width is left for none. 0: it holds
    a list."""
    if sort.kind in (sorts.TRUTH, sorts.NOTHING):
        return 8
    if sort.kind == sorts.TEXT:
        return 64
    if sort.kind != sorts.NUMBER:
        if kind_of(sort) != LIST:
            raise NotNative("a variable of values of several kinds")
        return 0
    for width in WIDTHS:
        end = 1 << (width - 1)
        if -end < sort.low and sort.high < end:
            return width
    return 64
