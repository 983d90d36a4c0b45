"""Cache results between repeated checks in one process, and parse trees during a single check.

The cache holds parse trees of effect texts by their text. For unchanged files it also holds the YAML tree and the nodes
of the effect texts. Checked texts and answers of lints stay in it for the next checks. All cached values are immutable,
so checks can share them. The results of a check are the same with and without the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from .diagnostics import Diagnostics

_T = TypeVar("_T")


MAX_UNUSED_ROUNDS = 10
"""A result is dropped if its last use is this many rounds of checks ago.

A mistake in a file can hide the texts behind it for some rounds.
"""


class ResultCache:
    """A cache that drops results whose last use is ``MAX_UNUSED_ROUNDS`` rounds ago.

    ``is_for_one_check`` is True for a cache that ends with the current check.
    """

    def __init__(self, is_for_one_check: bool = False) -> None:
        self.is_for_one_check = is_for_one_check
        self._results: dict[Hashable, list[Any]] = {}
        """The result for each key, with the round of its last use. One look-up finds both: a hash can take long."""
        self._round = 0

    def start_round(self) -> None:
        """Begin the next round of checks, and drop results last used ``MAX_UNUSED_ROUNDS`` or more rounds ago."""
        self._round += 1
        for key in [key for key, (_, last_use) in self._results.items() if last_use <= self._round - MAX_UNUSED_ROUNDS]:
            del self._results[key]

    def get_or_make(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return the cached result for ``key``, which counts as a use in this round.

        Calls ``make`` and caches its result if there is none. An exception of ``make`` passes through, and nothing is
        cached. The 10th (``MAX_UNUSED_ROUNDS``) call of :meth:`start_round` after the last use drops the result.
        """
        entry = self._results.get(key)
        if entry is None:
            entry = self._results[key] = [make(), 0]
        entry[1] = self._round
        result: _T = entry[0]
        return result

    def find(self, key: Hashable) -> Any:
        """Return the cached result for ``key``, or None if there is none.

        A call counts as a use of the result in this round. The 10th (``MAX_UNUSED_ROUNDS``) call of :meth:`start_round`
        after the last use drops the result.
        """
        entry = self._results.get(key, [None, 0])
        entry[1] = self._round
        return entry[0]

    def store(self, key: Hashable, result: object) -> None:
        """Cache a result for ``key`` in place of an earlier one."""
        self._results[key] = [result, self._round]

    def __len__(self) -> int:
        return len(self._results)


_cache: ResultCache | None = None


@contextmanager
def enable_cache(is_for_one_check: bool = False) -> Iterator[ResultCache]:
    """Enable a new cache while the body of the ``with`` runs, and yield it.

    Afterwards the cache that was enabled before, or none, is enabled again. Commands that check the same files
    repeatedly use this. In the body, :func:`has_lasting_cache` returns True, or False with ``is_for_one_check``.
    """
    global _cache
    outer, _cache = _cache, ResultCache(is_for_one_check)
    try:
        yield _cache
    finally:
        _cache = outer


def ensure_cache() -> AbstractContextManager[object]:
    """Return a context manager that enables a new cache for its body, unless one is already enabled.

    The cache is for a single check, which parses equal texts often.
    """
    return enable_cache(is_for_one_check=True) if _cache is None else nullcontext()


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


def get_cached(key: Hashable, make: Callable[[], _T]) -> _T:
    """Return the result of ``make``, from the cache if one is enabled.

    ``key`` must contain everything that the result depends on. An exception of ``make`` passes through, and nothing is
    cached.
    """
    return make() if _cache is None else _cache.get_or_make(key, make)


def keep_with(owner: Any, name: str, key: object, make: Callable[[], _T], report: Diagnostics | None = None) -> _T:
    """Return the result of ``make``, which is about the object ``owner``, or the one that was kept with the object.

    Without :func:`has_lasting_cache`, ``make`` is called each time. With it, ``owner.kept_results`` holds the last key
    and result for each ``name``. This result is returned for an equal ``key``, which must contain everything else that
    it depends on. If ``make`` adds something to ``report``, its result is not kept, and the one kept before stays.
    """
    if not has_lasting_cache():
        return make()
    results: dict[str, tuple[object, _T]] = owner.__dict__.setdefault("kept_results", {})
    kept_result = results.get(name)
    if kept_result is not None and kept_result[0] == key:
        return kept_result[1]
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
