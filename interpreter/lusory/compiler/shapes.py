"""When two lowered expressions are the same but for where they stand. Used by both emitters."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from lusory_dsl.core import Expr, Local


def shape(e: Expr) -> object:
    """A value that is equal for expressions that compute the same: without places in the ruleset, and with the locals
    that an expression binds itself numbered in order."""
    return _shape(e, {})


def _shape(value: Any, bound: dict[int, int]) -> object:
    if isinstance(value, Local):
        return "local", bound.get(value.slot, -value.slot)
    if isinstance(value, Expr):
        if hasattr(value, "slot"):
            bound = {**bound, value.slot: len(bound) + 1}
        parts = [f.name for f in fields(value) if f.name not in ("span", "type", "slot")]
        return (type(value).__name__, *(_shape(getattr(value, name), bound) for name in parts))
    if isinstance(value, tuple):
        return tuple(_shape(v, bound) for v in value)
    return type(value), value
