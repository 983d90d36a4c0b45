"""Predict a word or sign from its neighbours: what stands between the same words elsewhere in the file."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\.\.|[<>!]=|\n *|[^\s\w]")
MAX_CHARACTERS = 200_000
"""A longer file gives no predictions."""
MAX_PLACES = 600
"""Maximum number of places on each side that are compared, those nearest to the mistake."""
REACH = 3
"""Number of neighbours on each side that are compared."""


def predict_tokens(text: str, start: int, end: int) -> dict[str, float]:
    """Return tokens that could stand in place of ``text[start:end]``, each with its likeness, the best first.

    A token is likely if it stands between the same neighbours in another place of the text. With ``l`` equal tokens in
    sequence on the left and ``r`` on the right, at most ``REACH`` each, the likeness is (l² + r² + lr) / 10. Each
    further place adds a little. A line break counts as a neighbour. Returns {} if no place has at least
    two equal neighbours, or if the text is longer than ``MAX_CHARACTERS``.
    """
    if len(text) > MAX_CHARACTERS:
        return {}
    tokens, places, numbers = _index_tokens(text)
    first = bisect_left(places, start)
    last = bisect_left(places, end, first)
    left_tokens, right_tokens = tokens[max(first - REACH, 0) : first][::-1], tokens[last : last + REACH]
    similar = {number + 1 for number in _list_near(numbers.get(left_tokens[0], []) if left_tokens else [], first)}
    similar |= {number - 1 for number in _list_near(numbers.get(right_tokens[0], []) if right_tokens else [], first)}
    likeness: dict[str, float] = {}
    for place in sorted(similar - {-1, len(tokens)}):
        token = tokens[place]
        if first <= place < last or token.startswith("\n"):
            continue
        left = _count_equal(left_tokens, tokens[max(place - REACH, 0) : place][::-1])
        right = _count_equal(right_tokens, tokens[place + 1 : place + 1 + REACH])
        if left + right > 1:
            value = (left * left + right * right + left * right) / 10
            likeness[token] = max(value, likeness.get(token, 0) + 0.01)
    return dict(sorted(likeness.items(), key=lambda item: -item[1]))


@lru_cache(maxsize=4)
def _index_tokens(text: str) -> tuple[list[str], list[int], dict[str, list[int]]]:
    """Return the tokens of a text, the offset of each, and the numbers of the tokens with each spelling."""
    matches = list(_TOKEN.finditer(text))
    tokens = [match[0].rstrip(" ") for match in matches]
    numbers: dict[str, list[int]] = {}
    for number, token in enumerate(tokens):
        numbers.setdefault(token, []).append(number)
    return tokens, [match.start() for match in matches], numbers


def _list_near(numbers: list[int], number: int) -> list[int]:
    """Return the numbers nearest to one: at most ``MAX_PLACES`` of a sorted list."""
    middle = bisect_left(numbers, number)
    return numbers[max(middle - MAX_PLACES // 2, 0) : middle + MAX_PLACES // 2]


def _count_equal(tokens: list[str], others: list[str]) -> int:
    count = 0
    for token, other_token in zip(tokens, others, strict=False):
        if token != other_token:
            break
        count += 1
    return count
