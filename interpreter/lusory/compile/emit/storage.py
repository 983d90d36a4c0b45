"""Where values live in generated text: in the state's lists, or in local variables. Used by the emitters."""

from __future__ import annotations

import re

from ...table.state import Layout
from ..python.writing import identifier


def local_names(layout: Layout) -> dict[str, str]:
    """The local variable of a playout that each place is."""
    return {name: identifier(name, number, prefix="P") for number, name in enumerate(layout.places)}


class FlatStorage:
    """Everything in the state's own lists: ``c`` and ``z``."""

    def __init__(self, offsets: dict[str, int]) -> None:
        self.offsets = offsets

    def cell(self, place: str, index: str) -> str:
        offset = self.offsets[place]
        if index.isdigit():
            return f"c[{offset + int(index)}]"
        known = re.fullmatch(r"(.*) ([+-]) ([0-9]+)", index)
        if known is not None and known[1].count("(") == known[1].count(")"):
            offset += int(known[3]) if known[2] == "+" else -int(known[3])
            index = known[1]
        if offset == 0:
            return f"c[{index}]"
        return f"c[{index} + {offset}]" if offset > 0 else f"c[{index} - {-offset}]"

    def zone(self, index: str) -> str:
        return f"z[{index}]"


class LocalStorage:
    """Each place a local variable: a plain value, or a list where the place has dimensions. The
    places that shared routines touch (``routed``) live in ``c``."""

    def __init__(self, names: dict[str, str], scalars: set[str], flat: FlatStorage) -> None:
        self.names = names
        self.scalars = scalars
        self.flat = flat
        self.routed: set[str] = set()
        self.inside = False  # a routine is written: card zones have no names of their own there

    def cell(self, place: str, index: str) -> str:
        if place in self.routed:
            return self.flat.cell(place, index)
        return self.names[place] if place in self.scalars else f"{self.names[place]}[{index}]"

    def zone(self, index: str) -> str:
        return f"Z{index}" if index.isdigit() and not self.inside else f"z[{index}]"
