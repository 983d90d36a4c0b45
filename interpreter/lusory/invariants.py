"""Invariants on a position: for what they do not hold, and in which words. Used by games and by the check of laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lusory_dsl import core

from .expressions import Reader, Slots
from .runtime import Value, item_type, name_of


class Broken(NamedTuple):
    """An invariant that does not hold. ``slots``: its locals, with the values for which it does not; ``words`` say it,
    beginning with its name."""

    invariant: core.Invariant
    slots: tuple[Value, ...]
    words: str

    @property
    def id(self) -> str:
        return self.invariant.id


def breaches(reader: Reader, invariant: core.Invariant) -> Iterator[Broken]:
    """Every combination for which an invariant does not hold."""
    slots: Slots = [None] * invariant.n_slots
    for _ in _combinations(reader, invariant.each, slots):
        if not reader.holds(invariant.condition, slots):
            yield Broken(invariant, tuple(slots), _words(reader, invariant, slots))


def _combinations(reader: Reader, each: Sequence[core.ChoiceVar], slots: Slots) -> Iterator[None]:
    """Puts each combination of values into the slots."""
    if not each:
        yield
        return
    first, *others = each
    for _ in reader.items(first.slot, first.domain, first.condition, slots):
        yield from _combinations(reader, others, slots)


def _words(reader: Reader, invariant: core.Invariant, slots: Slots) -> str:
    named = [
        f"{var.name} = {name_of(reader.setting, slots[var.slot], item_type(var.domain.type))}" for var in invariant.each
    ]
    found = f"`{invariant.id}` does not hold"
    if named:
        found += f" for {', '.join(named)}"
    if invariant.because is not None:
        found += f": {reader.text(invariant.because, slots)}"
    return found
