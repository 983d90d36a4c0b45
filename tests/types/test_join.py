"""Test the common supertype of two types."""

from __future__ import annotations

from itertools import product

import pytest

from lusory_dsl.types.types import (
    BOOL,
    INT,
    NONE,
    NOTHING,
    PLAYER,
    ComponentType,
    ListType,
    OptionalType,
    Type,
    is_subtype,
    join,
    optional,
)

PLAIN: list[Type] = [INT, BOOL, PLAYER, NONE, NOTHING, ComponentType("Card")]


def nest(types: list[Type]) -> list[Type]:
    return [*types, *(optional(type) for type in types if type != NONE), *(ListType(type) for type in types)]


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        (NOTHING, INT, INT),
        (NOTHING, NONE, NONE),
        (NONE, INT, OptionalType(INT)),
        (INT, OptionalType(INT), OptionalType(INT)),
        (INT, BOOL, None),
        (ListType(NOTHING), ListType(INT), ListType(INT)),
        (ListType(NOTHING), ListType(ListType(NOTHING)), ListType(ListType(NOTHING))),
        (OptionalType(ListType(NOTHING)), ListType(INT), OptionalType(ListType(INT))),
        (ListType(INT), ListType(OptionalType(INT)), ListType(OptionalType(INT))),
    ],
)
def test_two_types_join(first: Type, second: Type, result: Type | None) -> None:
    assert join(first, second) == join(second, first) == result


def test_joined_type_holds_both_types_only() -> None:
    types = list(dict.fromkeys(nest(nest(PLAIN))))
    for first, second in product(types, types):
        result = join(first, second)
        assert result == join(second, first), (first, second)
        if result is not None:
            assert is_subtype(first, result), (first, second)
            assert is_subtype(second, result), (first, second)
            assert join(result, first) == result, (first, second)
