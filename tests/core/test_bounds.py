"""Test the static bounds of numbers and lists: they must include every possible value."""

from __future__ import annotations

import pytest
from programs import build_program, read_data

from lusory_dsl import core
from lusory_dsl.core.expression_bounds import Bounds
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.types.integer_intervals import Interval
from lusory_dsl.types.types import INT, ListType

DATA = read_data(__file__)


class KnownBounds(Bounds):
    """Bounds of a small program: an option from 2 to 5, a zone of up to 9 cards, three or four players."""

    players = (3, 4)

    def bound_option(self, name: str) -> Interval:
        return 2, 5

    def bound_components(self, zone: str) -> int:
        return 9


def parse(expression: str) -> core.Expr:
    """Return an expression of the rules of this test, or the value of the query that it calls."""
    queries = build_program(DATA["rules"].replace("EXPRESSION", expression)).queries
    value = queries["tested"].value
    return queries[value.query].value if isinstance(value, core.CallQuery) else value


@pytest.mark.parametrize(("expression", "bounds"), DATA["bounds of numbers"])
def test_bounds_of_numbers(expression: str, bounds: list[int]) -> None:
    assert KnownBounds().bound_number(parse(expression)) == tuple(bounds)


@pytest.mark.parametrize(("expression", "sizes"), DATA["bounds of list lengths"])
def test_bounds_of_list_lengths(expression: str, sizes: list[int]) -> None:
    assert KnownBounds().bound_size(parse(expression)) == tuple(sizes)


def test_bounds_of_constant_lists() -> None:
    numbers = core.Const(ListType(INT), NOWHERE, (1, 8, -3))
    assert (KnownBounds().bound_number(numbers), KnownBounds().bound_size(numbers)) == ((-3, 8), (3, 3))
