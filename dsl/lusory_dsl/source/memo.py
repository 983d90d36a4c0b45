"""Cache parsing results between repeated checks in one process, and during a single check.

The cache holds parse trees of effect texts by their text. For unchanged files it also holds the YAML tree and the
nodes of the effect texts. All cached values are immutable, so checks can share them. The results of a check are the
same with and without the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

_T = TypeVar("_T")


ROUNDS = 10
"""A result that this many rounds of checks have not used is dropped.

A mistake in a file can hide the texts behind it for some rounds.
"""


class Memory:
    """A cache that drops results after ``ROUNDS`` rounds without use."""

    def __init__(self) -> None:
        self._results: dict[Hashable, Any] = {}
        self._used: dict[Hashable, int] = {}
        self._round = 0

    def next_round(self) -> None:
        """End a round of checks and drop the results that were not used for ``ROUNDS`` rounds."""
        self._round += 1
        for key in [key for key, used in self._used.items() if used <= self._round - ROUNDS]:
            del self._results[key], self._used[key]

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return the cached result for ``key``. Calls ``make`` and caches its result if there is none."""
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
    """Enable a new cache while the body runs. For commands that check the same files repeatedly."""
    global _memory
    outer, _memory = _memory, Memory()
    try:
        yield _memory
    finally:
        _memory = outer


@contextmanager
def remembering_meanwhile() -> Iterator[None]:
    """Enable a cache while the body runs, unless one is already enabled.

    For a single check that parses equal texts often.
    """
    if _memory is not None:
        yield
        return
    with remembering():
        yield


def remembered(key: Hashable, make: Callable[[], _T]) -> _T:
    """Return the result of ``make``, from the cache if one is enabled.

    ``key`` must contain everything that the result depends on.
    """
    return make() if _memory is None else _memory.get(key, make)


_find_parse_table_file: Callable[[], Path | None] | None = None


def keep_parse_tables_in(find_file: Callable[[], Path | None]) -> None:
    """Let the parser of effect texts store its tables in a file between runs.

    The parser calls ``find_file`` when it needs the tables. ``find_file`` returns None if no trusted file is
    available.
    """
    global _find_parse_table_file
    _find_parse_table_file = find_file


def parse_table_file() -> Path | None:
    """Return the file that stores the parser's tables, or None if the parser must build them."""
    return None if _find_parse_table_file is None else _find_parse_table_file()
