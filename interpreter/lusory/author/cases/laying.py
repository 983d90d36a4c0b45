"""Lays what a case gives over the position after the setup. Used by the runner of cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lusory_dsl import core
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Diagnostic

from ...table.state import State, StateLayout
from .model import DOTS, REST, Failure, Placing
from .places import free_card


class CannotLie(Exception):
    """What is given can't lie there."""

    def __init__(self, message: str, placing: Placing) -> None:
        super().__init__(message)
        self.failure = Failure(Diagnostic(codes.WRONG_POSITION, message, placing.span))


def lay(program: core.Program, layout: StateLayout, position: State, placings: Sequence[Placing]) -> None:
    """Change a position to what is given. Raises CannotLie."""
    zones, pools = [], []
    for placing in placings:
        if placing.place in program.zones:
            zones.append(placing)
        elif placing.place in program.pools:
            pools.append(placing)
        else:
            position.cells[layout.places[placing.place].at(placing.indices)] = placing.content
    _lay_counters(program, layout, position, pools)
    _Cards(program, layout, position).lay(zones)


def _lay_counters(program: core.Program, layout: StateLayout, position: State, placings: Iterable[Placing]) -> None:
    """Pools as they are listed; then what lies nowhere else of what there was."""
    before = position.cells[:]
    rests: list[tuple[Placing, int]] = []
    for placing in placings:
        place = layout.places[placing.place]
        for kind, count in enumerate(placing.content):
            position.cells[place.at((*placing.indices, kind))] = count or 0
            if count is None:
                rests.append((placing, kind))
    for placing, kind in rests:
        holds = program.pools[placing.place].holds
        cells = [
            number
            for pool in program.pools.values()
            if pool.holds == holds
            for at, number in layout.places[pool.name].numbers.items()
            if at[-1] == kind
        ]
        there_were, elsewhere = (sum(of[cell] for cell in cells) for of in (before, position.cells))
        if elsewhere > there_were and not program.pools[placing.place].unlimited:
            name = program.enums[str(holds)].values[kind].name
            message = f"there is no rest of `{name}`: {elsewhere} lie elsewhere, and there are {there_were}"
            raise CannotLie(message, placing)
        position.cells[layout.places[placing.place].at((*placing.indices, kind))] = there_were - elsewhere


class _Cards:
    """Named cards come to the zones that list them from wherever they are; what a listed zone held besides goes where
    the list says ``...``, or out of the game, or to the rest. What lies over something else takes its cards first."""

    def __init__(self, program: core.Program, layout: StateLayout, position: State) -> None:
        self.program, self.layout, self.position = program, layout, position
        self.used: dict[int, int] = {}  # the layer to which a card has come

    def lay(self, placings: Sequence[Placing]) -> None:
        found: dict[int, list[int | str]] = {}
        in_play = [card for zone in self.position.zones for card in zone]
        exact = {entity.name for entity in self.program.entities if entity.name != entity.card}
        for only_exact in (True, False):  # `farm` is no copy that is named as `farm-2` elsewhere
            for placing in sorted(placings, key=lambda placing: -placing.layer):
                number = self.layout.zones[placing.place].at(placing.indices)
                cards = found.setdefault(number, list(placing.content.names))
                for place, name in enumerate(cards):
                    if isinstance(name, str) and name not in (DOTS, REST) and (name in exact) == only_exact:
                        cards[place] = self.card(name, placing)
        for zone in self.position.zones:
            zone[:] = [card for card in zone if card not in self.used]
        left = {number: self.position.zones[number] for number in found}
        for number, cards in found.items():
            self.position.zones[number] = [card for item in cards for card in self.lying(item, left[number])]
        for number, cards in found.items():
            if REST in cards:
                above = (self.lying(item, left[number]) for item in cards[: cards.index(REST)])
                self.lay_rest(number, sum(map(len, above)), in_play)
        for number in found:
            if self.program.zones[self.layout.zone_at(number)[0]].is_sorted:
                self.position.zones[number].sort()

    def card(self, name: str, placing: Placing) -> int | str:
        """The card of a name; nothing, where it was taken away by what lies over it."""
        card = free_card(self.program, name, self.used)
        if card is not None:
            self.used[card] = placing.layer
            return card
        copies = [e.number for e in self.program.entities if name in (e.name, e.card)]
        if any(self.used[copy] > placing.layer for copy in copies):
            return ""
        raise CannotLie(f"there are not so many `{name}` in the game", placing)

    def lying(self, item: int | str, left: list[int]) -> list[int]:
        if isinstance(item, int):
            return [item]
        return left if item == DOTS else []

    def lay_rest(self, number: int, place: int, in_play: Sequence[int]) -> None:
        """All cards of a zone's kind that were in the game and lie nowhere now, in declared order."""
        name, _ = self.layout.zone_at(number)
        kind = str(self.program.zones[name].holds)
        lying = {card for zone in self.position.zones for card in zone}
        rest = [card for card in sorted(in_play) if card not in lying and self.program.entities[card].kind == kind]
        self.position.zones[number][place:place] = rest
