"""Define game states: plain data that engines copy and change."""

from __future__ import annotations

from typing import Any, Protocol

CachedDecision = tuple[Any, ...]
"""An engine's cache about the current decision: the seat, the number of options, and data of its own."""


class State:
    """Hold a game at one moment, as plain data.

    Treat a state as a value. Engines copy a state before they write to it. States may share the lists of ``zones``, but
    a state made by :meth:`copy` shares nothing.

    Attributes:
        cells: The value of each cell: a number, a truth value, None, a tuple for a list, or a text.
        zones: One list of component numbers for each card zone.
        frame: Data of the engine, as tuples and plain values.
        cached_decision: A cache of what the engine knows about the current decision. It follows from the other
            attributes, and comparisons and copies ignore it.
    """

    __slots__ = ("cached_decision", "cells", "frame", "zones")

    def __init__(
        self, cells: list[Any], zones: list[list[int]], frame: list[Any], cached_decision: CachedDecision | None = None
    ) -> None:
        self.cells = cells
        self.zones = zones
        self.frame = frame
        self.cached_decision = cached_decision

    def copy(self) -> State:
        """Return a state whose lists can be changed without changing this one. The cached decision is left out."""
        zones = self.zones
        return State(self.cells[:], [zone[:] for zone in zones] if zones else [], self.frame[:])

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (self.cells, self.zones, self.frame)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.cells == other.cells and self.zones == other.zones and self.frame == other.frame

    def __hash__(self) -> int:
        return hash((tuple(self.cells), tuple(map(tuple, self.zones)), _freeze(self.frame)))

    def __repr__(self) -> str:
        return f"State({self.cells!r}, {self.zones!r}, {self.frame!r})"

    def to_json(self) -> dict[str, Any]:
        """Return the state as a JSON object with the keys ``cells``, ``zones`` and ``frame``, whose tuples become
        lists.

        :meth:`from_json` turns it into an equal state. The cached decision is left out.
        """
        return {"cells": _to_lists(self.cells), "zones": list(map(list, self.zones)), "frame": _to_lists(self.frame)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> State:
        """Return the state that :meth:`to_json` turned into this JSON value. Lists inside cells and frame become
        tuples.
        """
        return cls(list(_to_tuples(data["cells"])), list(map(list, data["zones"])), list(_to_tuples(data["frame"])))


def _freeze(value: Any) -> Any:
    """Return nested lists and tuples as nested tuples, which can be hashed. Other values stay as they are."""
    return tuple(_freeze(item) for item in value) if isinstance(value, list | tuple) else value


def _to_lists(value: Any) -> Any:
    """Return nested tuples as nested lists, for JSON. Other values stay as they are."""
    # Most values are plain, and a state is written after each decision: only nested values cost a call.
    if isinstance(value, list | tuple):
        return [_to_lists(item) if item.__class__ is tuple or item.__class__ is list else item for item in value]
    return value


def _to_tuples(value: Any) -> Any:
    """Return nested lists as nested tuples, the inverse of :func:`_to_lists` for the contents of a state."""
    if isinstance(value, list):
        return tuple([_to_tuples(item) if item.__class__ is list else item for item in value])
    return value


class CodeStore(Protocol):
    """Store code objects and plain values by key. ``load_code`` returns None for an unknown key."""

    def load_code(self, key: str) -> Any: ...

    def store_code(self, key: str, value: Any) -> None: ...
