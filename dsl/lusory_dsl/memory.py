"""What a process that checks the same files again and again keeps between two checks, so that the second costs what has
changed. Off unless a long-lived command turns it on; a result is the same with it and without.

Kept are trees of effect text by their text, and, for files that did not change, the tree of the YAML file and the
nodes of its effect texts. Everything kept is frozen, so that checks can share it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")


class Memory:
    """Results by what they were made of. What two rounds in a row had no use for is forgotten."""

    def __init__(self) -> None:
        self._now: dict[Hashable, Any] = {}
        self._before: dict[Hashable, Any] = {}

    def next_round(self) -> None:
        """A round of checks is over."""
        self._before, self._now = self._now, {}

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What is kept under a key, or is made now."""
        if key in self._now:
            found: _T = self._now[key]
        else:
            found = self._now[key] = self._before[key] if key in self._before else make()
        return found

    def __len__(self) -> int:
        return len(self._now.keys() | self._before.keys())


_memory: Memory | None = None


@contextmanager
def remembering() -> Iterator[Memory]:
    """From here on, this process remembers; for commands that go on checking."""
    global _memory
    outer, _memory = _memory, Memory()
    try:
        yield _memory
    finally:
        _memory = outer


def remembered(key: Hashable, make: Callable[[], _T]) -> _T:
    """What ``make`` gives, perhaps from an earlier time; ``key`` says everything that it depends on."""
    return make() if _memory is None else _memory.get(key, make)
