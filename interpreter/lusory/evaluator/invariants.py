"""Invariants on a position: for what they do not hold, and in which words. Used by games and by the check of laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.source.source import Span

from ..state.setting import Setting, Value, item_type, name_of
from ..state.state import Place, State
from .expressions import Reader, Slots

WHEREABOUTS = ""  # stands among the names of places for where every component lies


class Broken(NamedTuple):
    """An invariant that does not hold. ``slots``: its locals, with the values for which it does not; ``words`` say it,
    beginning with its name."""

    invariant: core.Invariant
    slots: tuple[Value, ...]
    words: str

    @property
    def id(self) -> str:
        return self.invariant.id


class InvariantWatch:
    """Looks at the invariants of a game at one position after the other.

    Most of them read a few places, most steps change a few others. So it is noted what an invariant has read when it
    held, and while all of that is as it was, the invariant holds: nothing else can make a difference to it."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.watched = [invariant for invariant in setting.program.invariants if not invariant.is_law]
        self._held: dict[str, dict[str, Any]] = {}  # by the invariant's id: the places that it read, with their content

    def broken(self, state: State) -> list[Broken]:
        """Every combination for which an invariant does not hold."""
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
    """Every combination for which a law does not hold. A law reads nothing but data, the number of players and options:
    it is worked out once for all settings that are the same in that, and for each one that somebody looks on."""
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
    """What is known of the laws of a program: the values of the options that they read, and what does not hold then."""
    return []


class _NotingReader(Reader):
    """Notes the names of the places and options that it reads."""

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
    """What is in all cells, or lists, of a place; taken from the position when it is first asked for."""

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
