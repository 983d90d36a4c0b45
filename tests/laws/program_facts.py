"""Compare programs without their source locations, to test that two ways of writing a ruleset are equivalent."""

from __future__ import annotations

from lusory_dsl.source.source import Source, Span

ELSEWHERE = ("digest", "directory")


def facts(value: object) -> object:
    """Return a program or a part of it as plain data, without source locations, digest and directory."""
    if isinstance(value, Span | Source):
        return None
    if isinstance(value, dict):
        return {facts(k): facts(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(facts, value))
    if hasattr(value, "__dataclass_fields__"):
        names = (name for name in value.__dataclass_fields__ if name not in ELSEWHERE)
        return (type(value).__name__, *(facts(getattr(value, name)) for name in names))
    return value
