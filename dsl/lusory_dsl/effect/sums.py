"""A value that is a sum of terms, each so many times: taken apart, and put together with other factors.

``10 * gold + 3 * count(hand) - debts`` has the terms ``gold``, ``count(hand)`` and ``debts`` with the factors 10, 3 and
-1. A sum may be divided by a number as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from ..text.source import NOWHERE
from . import nodes
from .printer import print_expression


@dataclass(frozen=True)
class Summed:
    """``terms``: as text, each once, with its factor. ``constant``: what is added besides; ``divisor``: of it all."""

    terms: tuple[tuple[str, int], ...]
    constant: int = 0
    divisor: int = 1


def taken_apart(value: nodes.Expr) -> Summed:
    """The terms of a value; of one that is no sum it is the one term itself."""
    divisor = 1
    match value:
        case nodes.Binary(op="div", left=left, right=nodes.IntLit(value=number)) if number > 0:
            value, divisor = left, number
    constant, terms = 0, dict[str, int]()
    for factor, term in _summands(value, 1):
        if term is None:
            constant += factor
        else:
            text = print_expression(term)
            terms[text] = terms.get(text, 0) + factor
    return Summed(tuple(terms.items()), constant, divisor)


def _summands(value: nodes.Expr, sign: int) -> Iterator[tuple[int, nodes.Expr | None]]:
    """The terms of a value with their factors; no term: a number."""
    match value:
        case nodes.Binary(op="+" | "-" as op, left=left, right=right):
            yield from _summands(left, sign)
            yield from _summands(right, sign if op == "+" else -sign)
        case nodes.Binary(op="*", left=left, right=right) if (number := _number(left)) is not None:
            yield sign * number, right
        case nodes.Binary(op="*", left=left, right=right) if (number := _number(right)) is not None:
            yield sign * number, left
        case nodes.Unary(op="-", operand=operand):
            yield from _summands(operand, -sign)
        case nodes.IntLit(value=number):
            yield sign * number, None
        case _:
            yield sign, value


def _number(value: nodes.Expr) -> int | None:
    """A number that is written out."""
    match value:
        case nodes.IntLit(value=number):
            return number
        case nodes.Unary(op="-", operand=nodes.IntLit(value=number)):
            return -number
    return None


def put_together(terms: Iterable[tuple[nodes.Expr, int]], constant: int = 0, divisor: int = 1) -> str:
    """The text of a sum of terms with whole factors; what is taken none of is left out."""
    signed = [(_times(abs(factor), term), factor < 0) for term, factor in terms if factor]
    if constant or not signed:
        signed.append((nodes.IntLit(NOWHERE, abs(constant)), constant < 0))
    signed.sort(key=lambda one: one[1])  # what is taken off stands behind what there is
    first, *rest = signed
    head = nodes.Unary(NOWHERE, "-", first[0]) if first[1] else first[0]
    total = reduce(lambda sum_, one: nodes.Binary(NOWHERE, "-" if one[1] else "+", sum_, one[0]), rest, head)
    return print_expression(total if divisor == 1 else _of(total, "div", divisor))


def _times(factor: int, term: nodes.Expr) -> nodes.Expr:
    return term if factor == 1 else nodes.Binary(NOWHERE, "*", nodes.IntLit(NOWHERE, factor), term)


def _of(left: nodes.Expr, op: str, number: int) -> nodes.Expr:
    return nodes.Binary(NOWHERE, op, left, nodes.IntLit(NOWHERE, number))
