"""A screen as data. Made of what a seat sees and was told, so that nothing is behind it that the seat may not know."""

from __future__ import annotations

from dataclasses import dataclass

from .text import Line


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be chosen. ``number``: its index in the decision. ``id``: what authors type. ``path``: the
    references of its alternative and of each of its values, in the author's order. ``cost``, ``result``: what it takes
    and what comes of it, where the rules can tell; empty lines elsewhere."""

    number: int
    id: str
    label: Line
    path: tuple[str, ...]
    cost: Line = ()
    result: Line = ()


@dataclass(frozen=True, slots=True)
class Question:
    """The pending decision of the seat that looks. ``several``: some of the options may be picked one after the other,
    and ``in_order``: their order counts."""

    prompt: Line
    options: tuple[Option, ...]
    several: bool = False
    in_order: bool = False


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that happened, in a sentence. ``seat``: who did it, None for the rules. ``details``: what it changed.
    ``heading``: it begins a part of the game. ``forced``: nothing else could be chosen."""

    line: Line
    seat: int | None = None
    details: tuple[Line, ...] = ()
    heading: bool = False
    forced: bool = False
