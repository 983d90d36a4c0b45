"""Predict a word or sign from its neighbours: what stands between the same words elsewhere in the file."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\.\.|[<>!]=|\n *|[^\s\w]")
MAX_CHARACTERS = 200_000
"""A longer file gives no predictions."""
REACH = 3
"""Number of neighbours on each side that are compared."""


def predict_tokens(text: str, start: int, end: int) -> dict[str, float]:
    """Return tokens that could stand in place of ``text[start:end]``, each with its likeness.

    The likeness is higher for a token that stands between more of the same neighbours in another place of the text.
    A line break counts as a neighbour. The dictionary begins with the best one.
    """
    if len(text) > MAX_CHARACTERS:
        return {}
    tokens = [found[0].rstrip(" ") for found in _TOKEN.finditer(text)]
    places = [found.start() for found in _TOKEN.finditer(text)]
    first = next((n for n, place in enumerate(places) if place >= start), len(places))
    last = next((n for n in range(first, len(places)) if places[n] >= end), len(places))
    before, after = tokens[max(first - REACH, 0) : first][::-1], tokens[last : last + REACH]
    likeness: dict[str, float] = {}
    for place, token in enumerate(tokens):
        if first <= place < last or token.startswith("\n"):
            continue
        left = _count_equal(before, tokens[max(place - REACH, 0) : place][::-1])
        right = _count_equal(after, tokens[place + 1 : place + 1 + REACH])
        if left + right > 1:
            value = (left * left + right * right + left * right) / 10
            likeness[token] = max(value, likeness.get(token, 0) + 0.01)
    return dict(sorted(likeness.items(), key=lambda item: -item[1]))


def _count_equal(tokens: list[str], others: list[str]) -> int:
    count = 0
    for token, other in zip(tokens, others, strict=False):
        if token != other:
            break
        count += 1
    return count
