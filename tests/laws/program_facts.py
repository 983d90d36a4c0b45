"""Compare programs without their source locations, to test that two ways of writing a ruleset are equivalent."""

from __future__ import annotations

from lusory_dsl.source.source import Source, Span

LOCATIONS = ("digest", "directory")


def strip_locations(value: object) -> object:
    """Return a program, or a part of one, as plain data without source locations, digest and directory."""
    if isinstance(value, Span | Source):
        return None
    if isinstance(value, dict):
        return {strip_locations(key): strip_locations(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(strip_locations, value))
    if hasattr(value, "__dataclass_fields__"):
        names = (name for name in value.__dataclass_fields__ if name not in LOCATIONS)
        return (type(value).__name__, *(strip_locations(getattr(value, name)) for name in names))
    return value
