"""Cache results between repeated checks in one process, and parse trees during a single check.

The cache holds parse trees of effect texts by their text. For unchanged files it also holds the YAML tree and the nodes
of the effect texts. Checked texts and answers of lints stay in it for the next checks. All cached values are immutable,
so checks can share them. The results of a check are the same with and without the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from .diagnostics import Diagnostics

_T = TypeVar("_T")


MAX_UNUSED_ROUNDS = 10
"""A result that this many rounds of checks have not used is dropped.

A mistake in a file can hide the texts behind it for some rounds.
"""


class _Entry:
    """A cached result, with the round of its last use. It is looked up once, because hashing a key takes long."""

    __slots__ = ("last_use", "result")

    def __init__(self, result: Any, last_use: int = 0) -> None:
        self.result, self.last_use = result, last_use


def _drop_unused(results: dict[Hashable, _Entry], first: int) -> None:
    """Drop the results whose last use was before the round ``first``."""
    for key in [key for key, entry in results.items() if entry.last_use < first]:
        del results[key]


class ResultCache:
    """A cache that drops results after ``MAX_UNUSED_ROUNDS`` rounds without use.

    Results about nodes of a program are kept apart. A round that uses any of them drops all others, because they would
    keep the nodes of earlier programs in memory. ``is_for_one_check`` is True for a cache that ends with the current
    check.
    """

    def __init__(self, is_for_one_check: bool = False) -> None:
        self.is_for_one_check = is_for_one_check
        self._results: dict[Hashable, _Entry] = {}
        self._node_results: dict[Hashable, _Entry] = {}
        self._round = 0
        self._has_used_nodes = False  # in this round

    def start_round(self) -> None:
        """Begin the next round of checks. Drop the results whose last use is at least ``MAX_UNUSED_ROUNDS`` rounds ago.

        Results about nodes are kept only if they were used in the round that ends, but all stay if none was.
        """
        self._round += 1
        _drop_unused(self._results, self._round - MAX_UNUSED_ROUNDS + 1)
        if self._has_used_nodes:
            _drop_unused(self._node_results, self._round - 1)
        self._has_used_nodes = False

    def get_or_make(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return the cached result for ``key``, which counts as a use in this round.

        Calls ``make`` and caches its result if there is none. An exception of ``make`` passes through, and nothing is
        cached.
        """
        entry = self._results.get(key)
        if entry is None:
            entry = self._results[key] = _Entry(make())
        entry.last_use = self._round
        result: _T = entry.result
        return result

    def find(self, key: Hashable) -> Any:
        """Return the cached result for ``key``, which counts as a use in this round, or None if there is none."""
        entry = self._results.get(key)
        if entry is None:
            return None
        entry.last_use = self._round
        return entry.result

    def store(self, key: Hashable, result: object) -> None:
        """Cache a result for ``key`` in place of an earlier one. It counts as used in this round."""
        self._results[key] = _Entry(result, self._round)

    def find_node_result(self, key: Hashable) -> Any:
        """Return the result about nodes in ``key``, which counts as a use in this round, or None if there is none."""
        entry = self._node_results.get(key)
        if entry is None:
            return None
        entry.last_use, self._has_used_nodes = self._round, True
        return entry.result

    def store_node_result(self, key: Hashable, result: object) -> None:
        """Store a result about nodes in ``key``, not None, in place of an earlier one. It counts as used now."""
        self._node_results[key], self._has_used_nodes = _Entry(result, self._round), True

    def __len__(self) -> int:
        return len(self._results) + len(self._node_results)


_cache: ResultCache | None = None


@contextmanager
def enable_cache() -> Iterator[ResultCache]:
    """Enable a new cache while the body runs, and yield it. For commands that check the same files repeatedly.

    A cache that was enabled before is back afterwards.
    """
    with _use_cache(ResultCache()) as cache:
        yield cache


@contextmanager
def ensure_cache() -> Iterator[None]:
    """Enable a cache while the body runs, unless one is already enabled.

    For a single check that parses equal texts often.
    """
    if _cache is not None:
        yield
        return
    with _use_cache(ResultCache(is_for_one_check=True)):
        yield


@contextmanager
def _use_cache(cache: ResultCache) -> Iterator[ResultCache]:
    global _cache
    outer, _cache = _cache, cache
    try:
        yield cache
    finally:
        _cache = outer


def has_lasting_cache() -> bool:
    """Return whether a cache is enabled that later checks use as well."""
    return _cache is not None and not _cache.is_for_one_check


def find_cached(key: Hashable) -> Any:
    """Return the result that :func:`store_cached` stored for ``key``, or None if there is none or no lasting cache."""
    return _cache.find(key) if _cache is not None and has_lasting_cache() else None


def store_cached(key: Hashable, result: object) -> None:
    """Store a result for later checks, if a cache for several checks is enabled.

    For results whose validity the caller tests itself. ``key`` need not contain everything that they depend on.
    """
    if _cache is not None and has_lasting_cache():
        _cache.store(key, result)


def find_node_result(key: Hashable) -> Any:
    """Return the result about nodes in ``key`` that an earlier check stored, or None if there is none."""
    return _cache.find_node_result(key) if _cache is not None and has_lasting_cache() else None


def store_node_result(key: Hashable, result: object) -> None:
    """Store a result about nodes for the next check, if a cache for several checks is enabled. It must not be None."""
    if _cache is not None and has_lasting_cache():
        _cache.store_node_result(key, result)


def get_node_result(key: Hashable, make: Callable[[], _T]) -> _T:
    """Return the result of ``make``, which must not be None, from an earlier check of the nodes in ``key`` if possible.

    ``key`` must contain everything that the result depends on.
    """
    found: _T | None = find_node_result(key)
    if found is None:
        found = make()
        store_node_result(key, found)
    return found


def get_cached(key: Hashable, make: Callable[[], _T]) -> _T:
    """Return the result of ``make``, from the cache if one is enabled.

    ``key`` must contain everything that the result depends on. An exception of ``make`` passes through, and nothing is
    cached.
    """
    return make() if _cache is None else _cache.get_or_make(key, make)


def keep_with(owner: Any, name: str, key: object, make: Callable[[], _T], report: Diagnostics | None = None) -> _T:
    """Return the result of ``make`` about an object, which keeps the last one if a cache for several checks is enabled.

    While ``key`` stays equal, the kept result is returned and ``make`` is not called. ``name`` tells results about the
    same object apart, and ``key`` must contain everything else that the result depends on. A result is not kept if
    ``make`` reports something.
    """
    if not has_lasting_cache():
        return make()
    results: dict[str, tuple[object, _T]] = owner.__dict__.setdefault("kept_results", {})
    known = results.get(name)
    if known is not None and known[0] == key:
        return known[1]
    n_added = 0 if report is None else report.n_added
    result = make()
    if report is None or report.n_added == n_added:
        results[name] = key, result
    return result


_find_parse_table_file: Callable[[], Path | None] | None = None


def set_parse_table_finder(find_file: Callable[[], Path | None]) -> None:
    """Let the parser of effect texts store its tables in a file between runs.

    The parser calls ``find_file`` when it needs the tables. ``find_file`` returns None if no trusted file is
    available.
    """
    global _find_parse_table_file
    _find_parse_table_file = find_file


def find_parse_table_file() -> Path | None:
    """Return the file that stores the parser's tables, or None if the parser must build them."""
    return None if _find_parse_table_file is None else _find_parse_table_file()
