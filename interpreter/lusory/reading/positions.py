"""The position that a game starts from. Used by both engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lusory_dsl import core

from ..table import chance
from ..table.setting import Setting
from ..table.state import Place, State, StateLayout
from .reader import Reader, Slots


def seeded(layout: StateLayout, initial: State, seed: chance.Seed) -> State:
    """A copy of the initial position with the random streams of a seed."""
    state = initial.copy()
    for stream, cell in layout.streams.items():
        state.cells[cell] = chance.start(seed, stream)
    return state


def initial_position(setting: Setting) -> State:
    """Everything at its start value, before the setup; the random streams are not seeded yet."""
    layout, program = setting.layout, setting.program
    cells: list[Any] = [None] * layout.size
    zones: list[list[int]] = [[] for _ in range(layout.zone_count)]
    for counter in layout.repeats.values():
        cells[counter] = 0
    cells[layout.over] = cells[layout.work] = 0
    reader = Reader(setting, cells, zones)
    for zone in program.zones.values():
        if zone.start:
            number = layout.zones[zone.name].at(())
            zones[number] = list(zone.start)
            for entity in zone.start:
                cells[layout.location + entity] = number
    _deal(reader)
    for variable in program.variables.values():
        place = layout.places[variable.name]
        if isinstance(variable.start, core.Const):
            value = reader.value(variable.start, [])
            cells[place.offset : place.offset + place.size] = [value] * place.size
            continue
        for indices, cell in place.numbers.items():
            cells[cell] = reader.value(variable.start, _slots(place, indices, variable.n_slots))
    for pool in program.pools.values():
        place = layout.places[pool.name]
        for indices, cell in place.numbers.items():
            start = pool.start[indices[-1]]
            slots = _slots(place, indices[:-1], pool.n_slots)
            count = cells[cell] = 0 if start is None else reader.present(start, slots)
            if start is not None and count < 0 and not pool.unlimited:
                kind = program.enums[str(pool.holds)].values[indices[-1]].name
                reader.fault(f"`{pool.name}` begins with {count} {kind}: a pool holds no fewer than 0", start.span)
    return State(cells, zones, [])


def _deal(reader: Reader) -> None:
    """Puts cards where the start of their zone says."""
    layout, program = reader.setting.layout, reader.setting.program
    for zone in program.zones.values():
        if zone.start_of is None:
            continue
        place = layout.zones[zone.name]
        for indices, number in place.numbers.items():
            for card in reader.value(zone.start_of, _slots(place, indices, zone.n_slots)):
                if reader.cells[layout.location + card] is not None:
                    name = program.entities[card].name
                    reader.fault(f"`{name}` begins in two places", zone.start_of.span)
                reader.cells[layout.location + card] = number
                reader.zones[number].append(card)
            if zone.is_sorted:
                reader.zones[number].sort()


def _slots(place: Place, indices: Sequence[int], n: int) -> Slots:
    meant = [dim.meant(index) for dim, index in zip(place.dims, indices, strict=False)]
    return [*meant, *[None] * (n - len(indices))]
