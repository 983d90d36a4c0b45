"""Walk all objects that can be reached from an object, to test that what a player receives holds no secret."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import BuiltinMethodType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

PLAIN = (int, float, str, bytes, bool, type(None), type, ModuleType, CellType)
Step = tuple[str, Any]


def list_references(value: object) -> Iterator[Step]:
    """Yield the objects that an object refers to directly, each with the step that leads there.

    Follows ``__dict__``, slots, containers, and the references of functions, bound methods and partials.
    """
    if isinstance(value, dict):
        for number, (key, inner) in enumerate(value.items()):
            yield f"key {number}", key
            yield f"[{key!r}]" if isinstance(key, str | int) else f"value {number}", inner
    elif isinstance(value, list | tuple | set | frozenset):
        yield from ((f"[{number}]", inner) for number, inner in enumerate(value))
    if isinstance(value, MethodType):
        yield "__self__", value.__self__
        yield "__func__", value.__func__
    if isinstance(value, BuiltinMethodType) and not isinstance(value.__self__, ModuleType):
        yield "__self__", value.__self__
    if isinstance(value, partial):
        yield from (("func", value.func), ("args", value.args), ("keywords", value.keywords))
    if isinstance(value, FunctionType):
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            yield f"closure {name}", cell.cell_contents
        yield "defaults", (value.__defaults__, value.__kwdefaults__)
    yield from ((f".{name}", inner) for name, inner in getattr(value, "__dict__", {}).items())
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                yield f".{name}", getattr(value, name)


def walk_reachable(root: object, public: tuple[object, ...] = ()) -> Iterator[tuple[str, object]]:
    """Yield every object that can be reached from ``root`` with its path, in a fixed order.

    Yields each object once, but plain values each time. Skips the objects in ``public`` and everything behind them.
    """
    seen_ids = {id(value) for value in public}
    todo: list[tuple[str, object]] = [("", root)]
    # Keep every visited object alive, so that Python doesn't reuse its id.
    visited_values = []
    while todo:
        path, value = todo.pop()
        if isinstance(value, PLAIN):
            yield path, value
            continue
        if id(value) in seen_ids:
            continue
        seen_ids.add(id(value))
        visited_values.append(value)
        yield path, value
        todo += [(f"{path}{step}", inner) for step, inner in reversed(list(list_references(value)))]
