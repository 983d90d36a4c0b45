"""Test the static bounds of numbers and lists: they must include every possible value."""

from __future__ import annotations

from typing import Any

import pytest

from lusory_dsl import core
from lusory_dsl.core.expression_bounds import Bounds
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.types.integer_intervals import INT_RANGE, Interval
from lusory_dsl.types.types import BOOL, INT, LIST_LIMIT, PLAYER, ListType

INTS = ListType(INT)


def make(node: type[core.Expr], *fields: Any, type: Any = INT) -> Any:
    return node(type, NOWHERE, *fields)


def number(n: int) -> core.Expr:
    return make(core.Const, n)


def numbers(*items: int) -> core.Expr:
    return make(core.Const, items, type=INTS)


def call(name: str, *args: core.Expr, type: Any = INT) -> core.Expr:
    return make(core.CallBuiltin, name, args, type=type)


SOME = make(core.OptionValue, "some")
EITHER = make(core.OptionValue, "either", type=BOOL)
ITEM = make(core.Local, 1, "it")
ZONE = make(core.ReadZone, "zone", (), type=INTS)


class KnownBounds(Bounds):
    """Bounds of a small program: an option from 2 to 5, a zone of up to 9 numbers, three or four players."""

    players = (3, 4)

    def bound_option(self, name: str) -> Interval:
        return 2, 5

    def bound_components(self, zone: str) -> int:
        return 9


@pytest.mark.parametrize(
    "expression, bounds",
    [
        (SOME, (2, 5)),
        (ITEM, INT_RANGE),
        (make(core.Unary, "-", SOME), (-5, -2)),
        (make(core.Binary, "-", SOME, number(4)), (-2, 1)),
        (make(core.Binary, "*", SOME, number(-3)), (-15, -6)),
        (make(core.IfExpr, EITHER, number(3), SOME), (2, 5)),
        (make(core.IfExpr, EITHER, number(9), SOME), (2, 9)),
        (make(core.IfExpr, EITHER, SOME, number(-1)), (-1, 5)),
        (make(core.ByCard, ITEM, ((1, number(7)),), number(1)), (1, 7)),
        (make(core.Range, number(1), SOME, type=INTS), (1, 5)),
        (make(core.Binary, "join", numbers(1, 8), numbers(-3), type=INTS), (-3, 8)),
        (make(core.MapList, 1, ZONE, None, SOME, type=INTS), (2, 5)),
        (make(core.Fold, "count", 1, ZONE, None, EITHER), (0, 9)),
        (make(core.Fold, "sum", 1, ZONE, None, SOME), (0, 45)),
        (make(core.Fold, "min", 1, ZONE, None, SOME), (0, 5)),
        (call("first", numbers(4, 9)), (4, 9)),
        (call("seat", make(core.Local, 2, "p", type=PLAYER)), (1, 4)),
        (call("larger", SOME, number(4)), (4, 5)),
    ],
)
def test_bounds_of_numbers(expression: core.Expr, bounds: Interval) -> None:
    assert KnownBounds().bound_number(expression) == bounds


@pytest.mark.parametrize(
    "expression, sizes",
    [
        (ZONE, (0, 9)),
        (numbers(1, 2, 3), (3, 3)),
        (make(core.Players, type=ListType(PLAYER)), (3, 4)),
        (make(core.Range, number(1), SOME, type=INTS), (2, 5)),
        (make(core.Filter, 1, numbers(1, 2), EITHER, type=INTS), (0, 2)),
        (make(core.MapList, 1, numbers(1, 2), None, SOME, type=INTS), (2, 2)),
        (make(core.MapList, 1, numbers(1, 2), EITHER, SOME, type=INTS), (0, 2)),
        (make(core.Distinct, 1, numbers(1, 2), ITEM, type=INTS), (1, 2)),
        (make(core.Binary, "union", numbers(1, 2), ZONE, type=INTS), (2, 11)),
        (make(core.Binary, "join", numbers(1, 2), numbers(1), type=INTS), (3, 3)),
        (make(core.Binary, "except", numbers(1, 2), ZONE, type=INTS), (0, 2)),
        (make(core.Binary, "intersect", ZONE, numbers(1, 2), type=INTS), (0, 2)),
        (make(core.IfExpr, EITHER, numbers(1), ZONE, type=INTS), (0, 9)),
        (call("take", ZONE, SOME, type=INTS), (0, 5)),
        (call("drop", numbers(1, 2), SOME, type=INTS), (0, 2)),
        (call("unique", numbers(1, 2), type=INTS), (1, 2)),
        (ITEM, (0, LIST_LIMIT)),
    ],
)
def test_bounds_of_list_lengths(expression: core.Expr, sizes: Interval) -> None:
    assert KnownBounds().bound_size(expression) == sizes
