"""Test the layout of states, and that states behave like values."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given, settings, strategies as st

from lusory.state.state import State
from lusory.state.state_layout import Place
from lusory_dsl.core import Dim
from lusory_dsl.types.types import INT, PLAYER

PLACE = Place("board", 5, 6, (Dim(PLAYER), Dim(INT, 1, 3)), (1, 2), (2, 3))

values = st.recursive(st.none() | st.integers() | st.booleans() | st.text(), lambda inner: st.tuples(inner, inner))
states = st.builds(
    State,
    st.lists(values),
    st.lists(st.lists(st.integers(0, 50))),
    st.lists(values | st.lists(st.integers()).map(tuple)),
)


def test_each_combination_of_indices_has_its_own_cell() -> None:
    cells = [PLACE.at(indices) for indices in PLACE.list_indices()]
    assert sorted(cells) == list(range(5, 11))


def test_first_dimension_is_outermost() -> None:
    assert PLACE.list_indices() == [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3)]


@pytest.mark.parametrize("indices", [(2, 1), (-1, 1), (0, 0), (0, 4)])
def test_index_outside_its_dimension_is_refused(indices: tuple[int, ...]) -> None:
    with pytest.raises(IndexError, match="board has no index"):
        PLACE.at(indices)


@settings(max_examples=40)
@given(states)
def test_state_survives_json_and_pickle(state: State) -> None:
    for again in (State.from_json(json.loads(json.dumps(state.to_json()))), pickle.loads(pickle.dumps(state))):
        assert again == state
        assert hash(again) == hash(state)


@settings(max_examples=40)
@given(states)
def test_copy_is_equal_and_independent(state: State) -> None:
    copy = state.copy()
    assert copy == state
    assert hash(copy) == hash(state)
    copy.cells.append(1)
    copy.zones.append([2])
    for zone in copy.zones:
        zone.append(3)
    copy.frame.append(4)
    assert State(copy.cells[:-1], [zone[:-1] for zone in copy.zones[:-1]], copy.frame[:-1]) == state


def test_states_differ_where_any_part_does() -> None:
    state = State([1, None], [[2]], [(3,)])
    assert state != State([1, 0], [[2]], [(3,)])
    assert state != State([1, None], [[]], [(3,)])
    assert state != State([1, None], [[2]], [])
    assert state != "a state"
