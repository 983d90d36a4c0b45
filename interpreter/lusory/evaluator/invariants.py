"""Check the invariants of a ruleset on positions, and report the values that violate them.

Games check invariants in each position. A law is an invariant about constant data, which is checked once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.source.source import Span

from ..state.setting import Setting, Value, item_type, name_of
from ..state.state import Place, State
from .expressions import Reader, Slots

WHEREABOUTS = ""  # stands for the locations of all components, among the names of places


class Broken(NamedTuple):
    """Describe a violation of an invariant.

    Attributes:
        invariant: The violated invariant.
        slots: The values of its locals that violate it.
        words: A message, which begins with the name of the invariant.
    """

    invariant: core.Invariant
    slots: tuple[Value, ...]
    words: str

    @property
    def id(self) -> str:
        return self.invariant.id


class InvariantWatch:
    """Check the invariants of a game in a sequence of positions.

    Most invariants read a few places, and most steps change others. The watch therefore notes the places that an
    invariant has read, with their content. While these are unchanged, the invariant still holds.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.watched = [invariant for invariant in setting.program.invariants if not invariant.is_law]
        self._held: dict[str, dict[str, Any]] = {}  # invariant id -> content of the places that it read

    def broken(self, state: State) -> list[Broken]:
        """Return all violations in a position."""
        reader = _NotingReader(self.setting, state.cells, state.zones)
        now = _Contents(self.setting, state)
        found: list[Broken] = []
        for invariant in self.watched:
            held = self._held.pop(invariant.id, None)
            if held is None or any(now[name] != content for name, content in held.items()):
                reader.read.clear()
                broken = list(breaches(reader, invariant))
                if broken:
                    found += broken
                    continue
                held = {name: now[name] for name in reader.read}
            self._held[invariant.id] = held
        return found


def broken_laws(setting: Setting) -> list[Broken]:
    """Return all violations of the laws of a ruleset.

    A law reads only constant data, the number of players, and options. The result is therefore cached for all settings
    that agree in these. Settings with an observer share no cache.
    """
    known = [] if setting.observer is not None else _known_laws(setting.program, setting.players)
    for options, broken in known:
        if all(setting.options[name] == value for name, value in options.items()):
            return broken
    reader = _NotingReader(setting, [None] * setting.layout.size, [])
    broken = [broken for law in setting.program.invariants if law.is_law for broken in breaches(reader, law)]
    known.append(({name: setting.options[name] for name in reader.options}, broken))
    return broken


@lru_cache(maxsize=8)
def _known_laws(program: core.Program, players: int) -> list[tuple[dict[str, Value], list[Broken]]]:
    """Return the cache of a program: the options that its laws read, each with the violations for these values."""
    return []


class _NotingReader(Reader):
    """Record the names of the places and options that it reads."""

    def __init__(self, setting: Setting, cells: list[Any], zones: list[list[int]]) -> None:
        super().__init__(setting, cells, zones)
        self.read: set[str] = set()
        self.options: set[str] = set()

    def eval_OptionValue(self, expr: core.OptionValue, slots: Slots) -> Value:
        self.options.add(expr.option)
        return super().eval_OptionValue(expr, slots)

    def number(self, place: Place, indices: tuple[int, ...], span: Span) -> int:
        self.read.add(place.name)
        return super().number(place, indices, span)

    def lies_at(self, card: core.Expr, slots: Slots) -> tuple[str, tuple[int, ...]] | None:
        self.read.add(WHEREABOUTS)
        return super().lies_at(card, slots)


class _Contents(dict[str, Any]):
    """Map the name of a place to its content in a position. Entries are read on first access."""

    def __init__(self, setting: Setting, state: State) -> None:
        super().__init__()
        self.setting = setting
        self.state = state

    def __missing__(self, name: str) -> Any:
        layout, cells = self.setting.layout, self.state.cells
        if name == WHEREABOUTS:
            content: Any = cells[layout.location : layout.location + len(self.setting.program.entities)]
        elif name in layout.zones:
            zone = layout.zones[name]
            content = [held[:] for held in self.state.zones[zone.offset : zone.offset + zone.size]]
        else:
            place = layout.places[name]
            content = cells[place.offset : place.offset + place.size]
        self[name] = content
        return content


def breaches(reader: Reader, invariant: core.Invariant) -> Iterator[Broken]:
    """Yield one violation for each combination of values for which an invariant doesn't hold."""
    slots: Slots = [None] * invariant.n_slots
    for _ in _combinations(reader, invariant.each, slots):
        if not reader.holds(invariant.condition, slots):
            yield Broken(invariant, tuple(slots), _words(reader, invariant, slots))


def _combinations(reader: Reader, each: Sequence[core.ChoiceVar], slots: Slots) -> Iterator[None]:
    """Put each combination of values into the slots, one for each step of the generator."""
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
