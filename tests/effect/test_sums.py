"""Sums: taken apart into terms and factors, and put together again."""

from __future__ import annotations

import pytest

from lusory_dsl.effect.parser import parse_expression
from lusory_dsl.effect.sums import Summed, put_together, taken_apart
from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.source import Embedded, Source

CASES = [
    ("gold", (("gold", 1),), 0, 1),
    ("10 * gold + 3 * count(hand) - debts", (("gold", 10), ("count(hand)", 3), ("debts", -1)), 0, 1),
    ("gold * 4 - (2 * a - b) + 7 - 9", (("gold", 4), ("a", -2), ("b", 1)), -2, 1),
    ("-a - -2 * b", (("a", -1), ("b", 2)), 0, 1),
    ("a + b + 2 * a", (("a", 3), ("b", 1)), 0, 1),
    ("(10 * a + 5) div 10", (("a", 10),), 5, 10),
    ("a div b", (("a div b", 1),), 0, 1),
    ("3 * (if a then 1 else 2)", (("if a then 1 else 2", 3),), 0, 1),
    ("12", (), 12, 1),
]


def node(text: str):  # type: ignore[no-untyped-def]
    found = parse_expression(Embedded(Source("", text), text, tuple(range(len(text) + 1))), Diagnostics())
    assert found is not None
    return found


@pytest.mark.parametrize(("text", "terms", "constant", "divisor"), CASES)
def test_taken_apart(text: str, terms: tuple[tuple[str, int], ...], constant: int, divisor: int) -> None:
    assert taken_apart(node(text)) == Summed(terms, constant, divisor)


@pytest.mark.parametrize(("text", "terms", "constant", "divisor"), CASES)
def test_what_is_put_together_comes_apart_again(
    text: str, terms: tuple[tuple[str, int], ...], constant: int, divisor: int
) -> None:
    again = put_together([(node(term), factor) for term, factor in terms], constant, divisor)
    found = taken_apart(node(again))
    assert (dict(found.terms), found.constant, found.divisor) == (dict(terms), constant, divisor)


def test_how_it_reads() -> None:
    terms = [(node("a"), -2), (node("if b then 1 else 2"), 3), (node("c"), 0), (node("d + e"), 4)]
    assert put_together(terms, -5) == "3 * (if b then 1 else 2) + 4 * (d + e) - 2 * a - 5"
    assert put_together([(node("a"), -1)]) == "-a"
    assert put_together([(node("a"), 0)]) == "0"
    assert put_together([(node("a"), 2), (node("b"), 1)], 3, 10) == "(2 * a + b + 3) div 10"
