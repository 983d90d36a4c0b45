"""What a process that checks the same files again and again keeps between two checks, so that the second costs what has
changed; and what a single check keeps while it lasts. A result is the same with it and without.

Kept are trees of effect text by their text, and, for files that did not change, the tree of the YAML file and the
nodes of its effect texts. Everything kept is frozen, so that checks can share it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

_T = TypeVar("_T")


ROUNDS = 10
"""So many rounds without use let a result be forgotten. A mistake in a file hides what is below it, for a while."""


class Memory:
    """Results by what they were made of, each with the round it was last used in."""

    def __init__(self) -> None:
        self._results: dict[Hashable, Any] = {}
        self._used: dict[Hashable, int] = {}
        self._round = 0

    def next_round(self) -> None:
        """A round of checks is over."""
        self._round += 1
        for key in [key for key, used in self._used.items() if used <= self._round - ROUNDS]:
            del self._results[key], self._used[key]

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What is kept under a key, or is made now."""
        if key not in self._results:
            self._results[key] = make()
        self._used[key] = self._round
        found: _T = self._results[key]
        return found

    def __len__(self) -> int:
        return len(self._results)


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


@contextmanager
def remembering_meanwhile() -> Iterator[None]:
    """Within this, the process remembers, if it does not anyway: for one check, which meets the same texts again."""
    if _memory is not None:
        yield
        return
    with remembering():
        yield


def remembered(key: Hashable, make: Callable[[], _T]) -> _T:
    """What ``make`` gives, perhaps from an earlier time; ``key`` says everything that it depends on."""
    return make() if _memory is None else _memory.get(key, make)


_find_parse_table_file: Callable[[], Path | None] | None = None


def keep_parse_tables_in(find_file: Callable[[], Path | None]) -> None:
    """Let the parser of effect texts keep its tables in a file between runs. ``find_file`` is called when they are
    needed, and returns None where no file can be trusted."""
    global _find_parse_table_file
    _find_parse_table_file = find_file


def parse_table_file() -> Path | None:
    """Return the file that keeps the parser's tables, or None to build them anew."""
    return None if _find_parse_table_file is None else _find_parse_table_file()
