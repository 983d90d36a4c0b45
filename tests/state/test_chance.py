"""Test random numbers: they are reproducible, uniform and independent for each purpose."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from lusory.state.random_streams import draw, seed_stream, shuffle


def draw_numbers(cell: int, n: int, count: int) -> list[int]:
    numbers = []
    for _ in range(count):
        cell, number = draw(cell, n)
        numbers.append(number)
    return numbers


def test_numbers_of_a_seed_never_change() -> None:
    """Saved games depend on these numbers. Changing them needs a new format version."""
    assert draw_numbers(seed_stream(1, "dice"), 6, 12) == [1, 5, 0, 3, 4, 1, 4, 0, 4, 5, 5, 4]
    cards = list(range(8))
    shuffle(seed_stream(1, "shuffle"), cards)
    assert cards == [6, 1, 0, 7, 4, 5, 3, 2]


@given(st.integers(), st.sampled_from(["dice", "shuffle"]), st.integers(1, 1000))
def test_numbers_are_in_range_and_cells_are_64_bit(number: int, stream: str, n: int) -> None:
    cell, result = draw(seed_stream(number, stream), n)
    assert 0 <= result < n
    assert 0 <= cell < 1 << 64


def test_draw_from_one_item_uses_no_number() -> None:
    assert draw(12345, 1) == (12345, 0)


@pytest.mark.parametrize("n", [2, 3, 6, 52])
def test_every_number_is_equally_likely(n: int) -> None:
    counts = Counter(draw_numbers(seed_stream(7, "dice"), n, 600 * n))
    assert set(counts) == set(range(n))
    # chi-squared test
    assert sum((count - 600) ** 2 / 600 for count in counts.values()) < n + 6 * (2 * n) ** 0.5


def test_streams_and_seeds_differ() -> None:
    streams = ("setup", "shuffle", "dice", "picks")
    starts = {seed_stream(number, stream) for number in range(-50, 50) for stream in streams}
    assert len(starts) == 400


def test_seed_counts_modulo_two_to_the_64() -> None:
    assert seed_stream(5, "dice") == seed_stream(5 + (1 << 64), "dice")


@given(st.integers(), st.lists(st.integers(), max_size=20))
def test_shuffle_keeps_the_items(number: int, items: list[int]) -> None:
    copy = items[:]
    shuffle(seed_stream(number, "shuffle"), copy)
    assert sorted(copy) == sorted(items)


@pytest.mark.parametrize("size", range(8))
def test_shuffle_is_made_of_draws(size: int) -> None:
    """It is a Fisher-Yates shuffle that starts at the last position."""
    for number in range(50):
        cell, items, expected = seed_stream(number, "shuffle"), list(range(size)), list(range(size))
        after = shuffle(cell, items)
        for last in range(size - 1, 0, -1):
            cell, index = draw(cell, last + 1)
            expected[last], expected[index] = expected[index], expected[last]
        assert (after, items) == (cell, expected)


def test_every_order_occurs() -> None:
    cell, orders = seed_stream(3, "shuffle"), Counter()
    for _ in range(2400):
        items = [0, 1, 2, 3]
        cell = shuffle(cell, items)
        orders[tuple(items)] += 1
    assert len(orders) == 24
    assert min(orders.values()) > 60
