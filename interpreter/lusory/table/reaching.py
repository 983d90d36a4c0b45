"""What is reached by going on and on, once for both engines. Values are looked at by steps, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Onward = Callable[[int], Iterable[int]]
"""Where the way goes on to from a value."""


def reached(start: Iterable[int], within: int | None, onward: Onward) -> tuple[int, ...]:
    """All that is reached in at most ``within`` steps: those of ``start`` first, then by steps, each once."""
    found = list(dict.fromkeys(start))
    known = set(found)
    if within is None:
        for value in found:  # which grows meanwhile
            for other in onward(value):
                if other not in known:
                    known.add(other)
                    found.append(other)
        return tuple(found)
    begin = 0
    for _ in range(within):
        end = len(found)
        if begin == end:
            break
        for value in found[begin:end]:
            for other in onward(value):
                if other not in known:
                    known.add(other)
                    found.append(other)
        begin = end
    return tuple(found)


def steps_to(start: Iterable[int], within: int | None, target: int, onward: Onward) -> int | None:
    """In how many steps a value is reached, at most ``within``; None where it is not. Nothing is looked at beyond the
    step in which it is."""
    layer = list(dict.fromkeys(start))
    known = set(layer)
    steps = 0
    while target not in known:
        if not layer or (within is not None and steps >= within):
            return None
        further: list[int] = []
        for value in layer:
            for other in onward(value):
                if other not in known:
                    known.add(other)
                    further.append(other)
        layer, steps = further, steps + 1
    return steps
