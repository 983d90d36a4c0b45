"""Share parts of a program with that of an earlier check, so that results about these parts stay known."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

from ..source.check_cache import find_cached, has_lasting_cache, store_cached
from ..source.dataclass_with_lazy_methods import replace
from ..source.source import Span
from .program import Program

_SECTIONS = ("boards", "tables", "variables", "pools", "zones", "queries", "effects", "setup", "phases")


def share_parts(program: Program) -> Program:
    """Return the program with each part of the last checked program of the same game that equals its own part.

    Equal parts have equal positions. Without a cache for several checks, returns the program itself.
    """
    if not has_lasting_cache():
        return program
    key = ("program", program.directory, program.packs)
    sections = {name: getattr(program, name) for name in _SECTIONS}
    shared = _share(sections, find_cached(key))
    store_cached(key, shared)
    return replace(program, **shared)


def _share(new: Any, old: Any) -> Any:
    """Return ``old`` if it equals ``new``, and else ``new`` with the equal parts of ``old``."""
    kind = type(new)
    if new is old or kind is not type(old):
        return new
    if kind is dict:
        return {name: _share(value, old.get(name)) for name, value in new.items()}
    list_parts = tuple if kind is tuple else _make_lister(kind)  # type: ignore[arg-type]  # any class is hashable
    if list_parts is None:
        return old if new == old else new
    parts, old_parts = list_parts(new), list_parts(old)
    if parts == old_parts:  # nodes are only equal if they are the same
        return old
    shared = tuple(map(_share, parts, old_parts))
    if shared == old_parts and len(parts) == len(old_parts):
        return old
    if kind is tuple:
        return (*shared, *parts[len(shared) :])
    return new if shared == parts else replace(new, **dict(zip(new.__record__, shared, strict=True)))


@cache
def _make_lister(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return a function that lists the values of a record's fields, or None for a class of other values."""
    names = () if kind is Span else tuple(getattr(kind, "__record__", ()))
    return attrgetter(*names) if len(names) > 1 else None
