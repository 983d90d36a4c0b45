"""What a program says, without where it says it: for tests that two ways of writing a ruleset are the same."""

from __future__ import annotations

ELSEWHERE = ("digest", "directory")


def facts(value: object) -> object:
    """A program or a part of it as plain data, without its places in files."""
    if isinstance(value, dict):
        return {facts(k): facts(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return tuple(map(facts, value))
    if hasattr(value, "__dataclass_fields__"):
        names = [n for n in value.__dataclass_fields__ if not n.endswith("span") and n not in ELSEWHERE]
        return (type(value).__name__, *(facts(getattr(value, name)) for name in names))
    return value
