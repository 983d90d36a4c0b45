"""When two lowered expressions are the same but for where they stand; naming what an expression computes twice.

Used by lowering and selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from lusory_dsl.core import Const, Expr, Local, binds, children, locals_in, walk
from lusory_dsl.language.types import Type

from .lowered import LetIn
from .uses import binds_first

LEAST_SIZE = 4  # nodes of a part that is worth a name
MOST_SIZE = 500  # nodes of an expression that is searched for such parts: the search takes the square of that


def shape(e: Expr, *slots: int) -> object:
    """A value that is equal for expressions that compute the same: without places in the ruleset, and with the locals
    that an expression binds itself, and those in ``slots``, numbered in order."""
    return _shape(e, {slot: number for number, slot in enumerate(slots, 1)})


def _shape(value: Any, bound: dict[int, int]) -> object:
    if isinstance(value, Local):
        return "local", bound.get(value.slot, -value.slot)
    if isinstance(value, Expr):
        if hasattr(value, "slot"):
            bound = {**bound, value.slot: len(bound) + 1}
        parts = [f.name for f in fields(value) if f.name not in ("span", "slot", "origin")]
        return (type(value).__name__, *(_shape(getattr(value, name), bound) for name in parts))
    if isinstance(value, tuple):
        return tuple(_shape(v, bound) for v in value)
    return type(value), value


def named_once(e: Expr, fresh: Callable[[str, Type], int]) -> Expr:
    """The expression with its largest parts that stand in it more than once computed once, each where it is first
    needed. ``fresh``: gives slots for their values. What is very large stays as it is."""
    while size(e) <= MOST_SIZE:
        parts: dict[object, list[Expr]] = {}
        bound = _bound_in(e)
        for node in walk(e):
            if not isinstance(node, Const | Local | LetIn) and not locals_in(node) & (bound - _bound_in(node)):
                parts.setdefault(shape(node), []).append(node)
        repeated = [found for found in parts.values() if len(found) > 1 and size(found[0]) >= LEAST_SIZE]
        for found in sorted(repeated, key=lambda found: -size(found[0])):
            slot = fresh("same", found[0].type)
            body = _replaced(e, {id(node) for node in found}, Local(found[0].type, found[0].span, slot, "same"))
            if binds_first(body, slot):
                e = LetIn(e.type, e.span, slot, found[0], body, shared=True)
                break
        else:
            break
    return e


def _bound_in(e: Expr) -> set[int]:
    """The locals that an expression binds itself."""
    return {slot for node in walk(e) for slot in binds(node)}


def size(node: object) -> int:
    return 1 + sum(size(child) for child in children(node))


def _replaced(value: Any, places: set[int], by: Expr) -> Any:
    if id(value) in places:
        return by
    if isinstance(value, Expr):
        changes = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in ("type", "span")}
        return replace(value, **{name: _replaced(old, places, by) for name, old in changes.items()})
    if isinstance(value, tuple):
        return tuple(_replaced(v, places, by) for v in value)
    return value
