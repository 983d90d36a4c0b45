"""What of a game a seat may not know, found once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from lusory_dsl.core import Ask, AskMany, Random
from lusory_dsl.core.knowledge import is_component, knowledge_of
from lusory_dsl.language.types import ComponentType, PlayerType, Type

from ..game import Game
from ..table.events import Event
from ..table.phases import all_statements
from ..table.setting import item_type, type_of_place

LARGE = 12_000  # cells of a position, of which every fourth thing is tried


class Facts:
    """Of a game with the compiled engine, what worlds need to know beside its position."""

    def __init__(self, game: Game) -> None:
        self.game, self.layout, self.program = game, game.layout, game.program

    @cached_property
    def is_open(self) -> bool:
        """Whether nothing is hidden from anybody at any time."""
        program = self.program
        names = (*program.variables, *program.pools, *program.zones)
        if program.private_sites or any(program.place(name).visible.constant != "all" for name in names):
            return False
        return not any(
            (isinstance(stmt, Random | AskMany) and stmt.secret)
            or (isinstance(stmt, Ask) and any(v.secret for a in stmt.alternatives for v in a.vars))
            for stmt in all_statements(program)
        )

    @cached_property
    def is_dealt(self) -> bool:
        """Whether nothing is hidden but where components lie, and which are named: dealing them makes worlds enough."""
        program = self.program
        told = [v for v in program.variables.values() if v.origin.is_written and not is_component(v.type)]
        names = (*[variable.name for variable in told], *program.pools)
        if any(program.place(name).visible.constant != "all" for name in names):
            return False
        secret = list[Type]()
        for stmt in all_statements(program):
            if isinstance(stmt, Random) and stmt.secret:
                secret.append(stmt.domain.type)
            elif isinstance(stmt, Ask):
                secret += [v.domain.type for a in stmt.alternatives for v in a.vars if v.secret]
        return all(is_component(item_type(type)) for type in secret)

    @cached_property
    def shows_ends(self) -> bool:
        """Whether who sees an end of a zone hangs on how things stand."""
        ends = [end for zone in self.program.zones.values() for end in (zone.top, zone.bottom)]
        return any(end is not None and end.condition is not None for end in ends)

    @cached_property
    def ease(self) -> int:
        """How much can be tried in reasonable time: the smaller the position, the more, from 1 to 4 quarters."""
        return max(1, min(4, LARGE // self.layout.size))

    @cached_property
    def is_sorted(self) -> tuple[bool, ...]:
        """Of each zone, whether its components lie in the order of their numbers."""
        numbers = range(self.layout.zone_count)
        return tuple(self.program.zones[self.layout.zone_at(number)[0]].is_sorted for number in numbers)

    @cached_property
    def owners(self) -> tuple[int | None, ...]:
        """Of each zone, the seat to which it belongs, if it belongs to one."""
        found = []
        for number in range(self.layout.zone_count):
            name, at = self.layout.zone_at(number)
            dims = self.program.zones[name].dims
            found.append(at[0] if dims and isinstance(dims[0].type, PlayerType) else None)
        return tuple(found)

    @cached_property
    def naming(self) -> frozenset[int]:
        """The cells that hold components, or lists of them: of variables, and of the engine's own."""
        layout = self.layout
        named = [v.name for v in self.program.variables.values() if is_component(v.type)]
        cells = [cell for name in named for cell in layout.places[name].numbers.values()]
        return frozenset(cells) | frozenset(self.game.naming)

    @cached_property
    def likes(self) -> tuple[tuple[str, str], ...]:
        """Of each component what it is a copy of."""
        return tuple((entity.kind, entity.card) for entity in self.program.entities)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Of each zone, the kind of components that it holds."""
        numbers = range(self.layout.zone_count)
        return tuple(str(self.program.zones[self.layout.zone_at(number)[0]].holds) for number in numbers)

    def zones_for(self, numbers: Iterable[int]) -> dict[str, int]:
        """Zones by the kind of components that they hold, a bit for each."""
        found = dict.fromkeys((entity.kind for entity in self.program.entities), 0)
        for number in numbers:
            found[self.kinds[number]] |= 1 << number
        return found

    @cached_property
    def cell_owners(self) -> dict[int, int]:
        """The seat to which a cell of a variable belongs, where it belongs to one."""
        return {
            cell: at[0]
            for name, variable in self.program.variables.items()
            if variable.dims and isinstance(variable.dims[0].type, PlayerType)
            for at, cell in self.layout.places[name].numbers.items()
        }

    @cached_property
    def listed(self) -> dict[int, Type]:
        """Of each cell of a variable that holds a list, the type of what is in it."""
        return {
            cell: item_type(variable.type)
            for name, variable in self.program.variables.items()
            if variable.type != item_type(variable.type)
            for cell in self.layout.places[name].numbers.values()
        }

    @cached_property
    def about(self) -> dict[int, int]:
        """Of each cell of a variable that each component has its own of, the component."""
        return {
            cell: at[n]
            for name, variable in self.program.variables.items()
            for n, dim in enumerate(variable.dims)
            if isinstance(dim.type, ComponentType)
            for at, cell in self.layout.places[name].numbers.items()
        }

    def taken(self, events: Iterable[Event]) -> dict[int, int]:
        """How many counters of each kind are told to leave each pool, and no others those of its name."""
        found = dict[int, int]()
        for event in events:
            if event[0] == "move" and event[1] is not None:
                place = self.layout.places[event[3]]
                for cell in place.numbers.values():
                    found.setdefault(cell, 0)
                found[place.at((*event[4], event[1]))] += event[2]
        return found

    def said_about(self, events: Iterable[Event], before: Sequence[Any]) -> Iterator[tuple[int, tuple[str, str]]]:
        """The seats that events are about, each with what the components are copies of that come there, or to stand
        where they did not. ``before``: what the cells held that the seat saw."""
        for event in events:
            yield from ((seat, self.likes[card]) for card, seat in self.come_to([event]))
            if event[0] == "set" and is_component(type_of_place(self.program, event[1])):
                held = before[self.layout.places[event[1]].at(event[2])]
                old = held if isinstance(held, tuple) else (held,)
                named = event[3] if isinstance(event[3], tuple) else (event[3],)
                new = [card for card in named if card is not None and card not in old]
                yield from ((seat, self.likes[card]) for seat in self.about_seats([event]) for card in new)

    def come_to(self, events: Iterable[Event]) -> Iterator[tuple[int, int]]:
        """The components that are shown to move, each with the seat to which it comes, else from which it goes."""
        for event in events:
            for card, source in zip(event[1], event[5], strict=True) if event[0] == "cards" else ():
                for name, at in (event[2:4], source or event[2:4]) if card is not None else ():
                    owner = self.owners[self.layout.zones[name].at(at)]
                    if owner is not None:
                        yield card, owner
                        break

    def about_seats(self, events: Iterable[Event]) -> Iterator[int]:
        """The seats that events are about: who chose, and whose the places are."""
        for event in events:
            if event[0] == "choice":
                yield event[1]
            ways = {"set": (1,), "move": (3, 5), "cards": (2,), "shuffle": (1,)}.get(event[0], ())
            places = [event[n : n + 2] for n in ways]
            if event[0] == "cards":
                places += [source for source in event[5] if source is not None]
            for name, at in places:
                dims = self.program.place(name).dims
                yield from (one for one, dim in zip(at, dims, strict=True) if isinstance(dim.type, PlayerType))

    @cached_property
    def telling(self) -> set[int]:
        """The choices of which it tells something that they can be made at all."""
        return knowledge_of(self.program).telling

    def named(self, events: Iterable[Event]) -> Iterator[int]:
        """The components that events name, among what they are about too."""
        for event in events:
            if event[0] == "cards":
                yield from (card for card in event[1] if card is not None)
            elif event[0] == "set":
                dims = self.program.place(event[1]).dims
                yield from (i for i, dim in zip(event[2], dims, strict=True) if isinstance(dim.type, ComponentType))
