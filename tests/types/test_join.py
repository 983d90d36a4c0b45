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
    ("a", "b", "joined"),
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
def test_two_types_join(a: Type, b: Type, joined: Type | None) -> None:
    assert join(a, b) == join(b, a) == joined


def test_joined_type_holds_both_types_only() -> None:
    types = list(dict.fromkeys(nest(nest(PLAIN))))
    for a, b in product(types, types):
        joined = join(a, b)
        assert joined == join(b, a), (a, b)
        if joined is not None:
            assert is_subtype(a, joined), (a, b)
            assert is_subtype(b, joined), (a, b)
            assert join(joined, a) == joined, (a, b)
