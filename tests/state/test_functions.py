"""Test the declared properties of built-in functions for any arguments: bounds, sizes and possible faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.setting_value_limits_builtins_and_names import FUNCTIONS
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS, Builtin, PlaceType
from lusory_dsl.types.integer_intervals import Interval
from lusory_dsl.types.types import BOOL, INT, INT_MAX, INT_MIN, PLAYER, TEXT, ListType, Type

PLAYERS = 3


@dataclass(frozen=True)
class ExactKnowledge:
    """Exact knowledge about the arguments of a call."""

    args: tuple[Any, ...]
    players: Interval = (PLAYERS, PLAYERS)

    def number(self, argument: int) -> Interval:
        value = self.args[argument]
        items = value if isinstance(value, tuple) else (value,)
        return (min(items), max(items)) if items else (0, 0)

    def size(self, argument: int) -> Interval:
        return len(self.args[argument]), len(self.args[argument])

    def characters(self, argument: int) -> int:
        return max(map(len, self.args[argument]), default=0)


def build_values(type: Type) -> st.SearchStrategy[Any]:
    """Return a strategy for arguments of a type."""
    if isinstance(type, ListType) or (isinstance(type, PlaceType) and type.kind == "zone"):
        inner = type.item if isinstance(type, ListType) else INT
        return st.lists(build_values(inner), max_size=5).map(tuple)
    if type == PLAYER:
        return st.integers(0, PLAYERS - 1)
    if type == BOOL:
        return st.booleans()
    if type == TEXT:
        return st.text("ab", max_size=4)
    return st.one_of(st.integers(-6, 6), st.sampled_from([INT_MIN, INT_MAX]))


def test_engine_has_exactly_the_functions_of_the_table() -> None:
    assert set(FUNCTIONS) == set(RUNTIME_FUNCTIONS)


@pytest.mark.parametrize("row", RUNTIME_FUNCTIONS.values(), ids=lambda row: row.name)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_functions_keep_the_promises_of_their_row(row: Builtin, data: st.DataObject) -> None:
    args = tuple(data.draw(build_values(param.type)) for param in row.params)
    knowledge = ExactKnowledge(args)
    try:
        result = FUNCTIONS[row.name](PLAYERS, *args)
    except RulesetFault:
        assert row.fault is not None
        return
    if row.bounds is not None:
        low, high = row.bounds(knowledge)
        assert low <= result <= high
    if row.size is not None:
        low, high = row.size(knowledge)
        assert low <= len(result) <= high
    if row.characters is not None:
        assert len(result) <= row.characters(knowledge)
    if row.returns_item:
        assert result in args[0]
    if row.returns_sublist:
        assert set(result) <= set(args[0])
    if row.returns_all_players:
        assert sorted(result) == list(range(PLAYERS))


@pytest.mark.parametrize("row", [row for row in RUNTIME_FUNCTIONS.values() if row.fault], ids=lambda row: row.name)
def test_functions_that_can_fail_do(row: Builtin) -> None:
    """Call each function with an empty list, a number that is too large, or a text that is too long."""
    arguments: dict[str, tuple[Any, ...]] = {
        "sum": ((INT_MAX, 1),),
        "abs": (INT_MIN,),
        "lines": (("a" * 9_999, "b"),),
        "at": ((4,), 1),
        "cycle": ((), 1),
        "step": ((4,), 5, 1),
        "index": ((4,), 5),
        "neighbours": ((4,), 5),
    }
    with pytest.raises(RulesetFault):
        FUNCTIONS[row.name](PLAYERS, *arguments.get(row.name, ((),)))
