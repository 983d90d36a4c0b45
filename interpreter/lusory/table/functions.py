"""The functions of the language, each as both engines work it out. What they are is in the table of builtins.

Each takes the number of players and its arguments. A fault has no place yet: the engine adds it.
"""

from __future__ import annotations

from collections.abc import Callable

from .choices import RulesetFault
from .setting import Value, text_joined, whole


def _cyclic(players: int, first: int, direction: int) -> tuple[int, ...]:
    return tuple((first + direction * i) % players for i in range(players))


def _index(players: int, items: tuple[Value, ...], item: Value) -> int:
    if item not in items:
        raise RulesetFault("the item is not in the list")
    return items.index(item)


def _at(players: int, items: tuple[Value, ...], n: int) -> Value:
    if not 0 <= n < len(items):
        raise RulesetFault(f"there is no item {n} in a list of {len(items)} (the first is 0)")
    return items[n]


def _cycle(players: int, items: tuple[Value, ...], n: int) -> Value:
    if not items:
        raise RulesetFault("the list is empty: it does not close to a ring")
    return items[n % len(items)]


def _neighbours(players: int, items: tuple[Value, ...], item: Value) -> tuple[Value, ...]:
    at = _index(players, items, item)
    return items[max(at - 1, 0) : at] + items[at + 1 : at + 2]


def _first(players: int, items: tuple[Value, ...]) -> Value:
    if not items:
        raise RulesetFault("the list is empty: it has no first item")
    return items[0]


def _last(players: int, items: tuple[Value, ...]) -> Value:
    if not items:
        raise RulesetFault("the list is empty: it has no last item")
    return items[-1]


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "abs": lambda players, n: whole(abs(n)),
    "all": lambda players, items: all(items),
    "any": lambda players, items: any(items),
    "anticlockwise_from": lambda players, player: _cyclic(players, player, -1),
    "at": _at,
    "bottom": _last,
    "clockwise_from": lambda players, player: _cyclic(players, player, 1),
    "count": lambda players, items: len(items),
    "cycle": _cycle,
    "distance": lambda players, a, b: (b - a) % players,
    "drop": lambda players, items, n: items[max(n, 0) :],
    "first": _first,
    "index": _index,
    "larger": lambda players, a, b: max(a, b),
    "last": _last,
    "lines": lambda players, texts: text_joined(texts, "\n"),
    "max": lambda players, items: max(items, default=0),
    "min": lambda players, items: min(items, default=0),
    "neighbours": _neighbours,
    "next": lambda players, player: (player + 1) % players,
    "one": lambda players, items: items[0] if items else None,
    "previous": lambda players, player: (player - 1) % players,
    "reverse": lambda players, items: items[::-1],
    "seat": lambda players, player: player + 1,
    "smaller": lambda players, a, b: min(a, b),
    "step": lambda players, items, item, n: items[(_index(players, items, item) + n) % len(items)],
    "sum": lambda players, items: whole(sum(items)),
    "take": lambda players, items, n: items[: max(n, 0)],
    "top": _first,
    "unique": lambda players, items: tuple(dict.fromkeys(items)),
}
