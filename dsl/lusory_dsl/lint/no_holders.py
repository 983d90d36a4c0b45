"""A lint: the holder of a card, or another index of its zone, is asked for where the zone has none.

A rule of a card holds where its ``active`` says, ``this in any field or this in any hand``. If nobody holds what lies
in the field, ``me is this.holder`` never holds for a card there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .. import core
from ..checker.stages import Checked
from ..core.accesses import routines_of
from ..language.types import NoneType, OptionalType, PlayerType
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.source import Span
from ..text.spelling import listed, snake_case


class Holders:
    """Looks through conditions: what must hold together of a card."""

    def __init__(self, zones: Mapping[str, core.CardZone], diagnostics: Diagnostics) -> None:
        self.zones = zones
        self.diagnostics = diagnostics
        self.reported: set[Span] = set()

    def condition(self, condition: core.Expr) -> None:
        """Reports what one condition asks in vain."""
        parts = core.chain(condition, "and")
        for part in parts:
            for asked, other in _compared(part):
                may_be_none = isinstance(other.type, OptionalType | NoneType)
                if isinstance(asked.component, core.Local) and not may_be_none and part.span not in self.reported:
                    self._report(part, asked, self._places(parts, asked.component.slot))

    def _places(self, parts: Iterable[core.Expr], slot: int) -> set[str]:
        """The zones in one of which a card must lie; none where that is not known."""
        found: set[str] | None = None
        for part in parts:
            named = [_zone(choice, slot) for choice in core.chain(part, "or")]
            if None not in named:
                zones = {name for name in named if name is not None}
                found = zones if found is None else found & zones
        return found or set()

    def _report(self, part: core.Expr, asked: core.IndexOfPlace, places: set[str]) -> None:
        index = asked.type.item if isinstance(asked.type, OptionalType) else asked.type
        without = sorted(name for name in places if index not in [dim.type for dim in self.zones[name].dims])
        if not without:
            return
        self.reported.add(part.span)
        word = "holder" if isinstance(index, PlayerType) else snake_case(str(index))
        never = "never" if isinstance(part, core.Binary) and part.op == "=" else "always"
        message = f"what lies in {listed(without, 'or')} has no `{word}`: there this {never} holds"
        hint = f"say that it lies in a zone that has a `{word}`, or keep in a variable whose it is"
        self.diagnostics.add(codes.NO_HOLDER, message, part.span, hint)


def _compared(part: core.Expr) -> Iterator[tuple[core.IndexOfPlace, core.Expr]]:
    """An index of the place of a card, and what it is compared with."""
    if isinstance(part, core.Binary) and part.op in ("=", "!="):
        for asked, other in ((part.left, part.right), (part.right, part.left)):
            if isinstance(asked, core.IndexOfPlace):
                yield asked, other


def _zone(part: core.Expr, slot: int) -> str | None:
    """The zone in which a condition says that a card lies."""
    match part:
        case core.LiesIn(component=core.Local(slot=card), zone=zone) if card == slot:
            return zone
        case core.Binary(op="in", left=core.Local(slot=card), right=core.ReadZone(zone=zone)) if card == slot:
            return zone
    return None


def no_holders(checked: Checked, report: Diagnostics) -> None:
    """Warns of indices of places that cards never have where they are asked for."""
    program = checked.program
    holders = Holders(program.zones, report)
    for routine in routines_of(checked.phases, checked.effects, program.queries):
        inside: set[int] = set()  # parts of a longer chain, which is looked at as a whole
        for part in (part for root in routine for part in core.walk(root)):
            if isinstance(part, core.Binary) and id(part) not in inside:
                holders.condition(part)
                inside |= {id(p) for p in _chained(part)}


def _chained(expr: core.Expr) -> Iterator[core.Expr]:
    """What a chain of `and` is made of, with the parts that join."""
    if isinstance(expr, core.Binary) and expr.op == "and":
        for side in (expr.left, expr.right):
            yield side
            yield from _chained(side)
