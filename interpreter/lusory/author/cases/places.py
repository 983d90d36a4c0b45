"""Positions in case files: ``given``, ``position`` and ``shuffles``. Which place is meant, and what lies there.

Used by the reader of cases, which hands over the part of the YAML tree that speaks of places.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from lusory_dsl import core
from lusory_dsl.case_texts import parse_value
from lusory_dsl.language.types import INT, ComponentType, IntType, ListType, PlayerType, Type, is_whole
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Code, Diagnostics, did_you_mean
from lusory_dsl.text.source import Span
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence

from ...table.setting import MOST_GIVEN
from .model import REST, Placing

Declared = core.Variable | core.Pool | core.CardZone
Entries = Iterable[tuple[YamlScalar, YamlNode]]


class _Faulty(Exception):
    """This part of a position makes no sense; the diagnostic is made."""


class PlaceReader:
    """Reads positions of one case. A mistake leaves out the place that it concerns."""

    def __init__(self, program: core.Program, players: int, diagnostics: Diagnostics) -> None:
        self.program = program
        self.players = players
        self.diagnostics = diagnostics
        self.declared: dict[str, Declared] = {**program.pools, **program.zones}
        self.declared |= {name: v for name, v in program.variables.items() if v.origin.is_written}

    def read(self, entries: Entries) -> list[Placing]:
        """The placings of a position: places by name, and ``P1``, ``P2``, … with the places of a player."""
        found: list[Placing] = []
        for key, node in entries:
            try:
                seat = self.seat(key)
                if seat is None:
                    found += self.inside(self.place(key), (), node, key)
                    continue
                if not isinstance(node, YamlMapping):
                    raise self.fail(codes.WRONG_POSITION, f"`{key.text}` takes a mapping of places", node.span)
            except _Faulty:
                continue
            for name, content in node.entries:
                try:
                    found += self.inside(self.place(name, of_player=True), (seat,), content, name)
                except _Faulty:
                    continue
        return found

    def fail(self, code: Code, message: str, span: Span, hint: str | None = None) -> _Faulty:
        """``raise self.fail(…)``"""
        self.diagnostics.add(code, message, span, hint)
        return _Faulty()

    # ------------------------------------------------------------ which place

    def seat(self, key: YamlScalar) -> int | None:
        """The seat that a key names; None: it names something else."""
        digits = key.text.removeprefix("P")
        if digits == key.text or not digits.isdecimal() or key.text in self.declared:
            return None
        if not is_whole(digits) or not 1 <= int(digits) <= self.players:
            message = f"nobody sits at {key.text}: this case has {self.players} players"
            raise self.fail(codes.NO_SUCH_SEAT, message, key.span)
        return int(digits) - 1

    def place(self, key: YamlScalar, of_player: bool = False) -> Declared:
        """The variable or zone of a name."""
        declared = self.declared.get(key.text)
        if declared is None:
            hint = did_you_mean(key.text, self.declared) or f"a position lists {', '.join(self.declared)}"
            raise self.fail(codes.UNKNOWN_PLACE, f"there is no variable or zone `{key.text}`", key.span, hint)
        if of_player and not (declared.dims and isinstance(declared.dims[0].type, PlayerType)):
            message = f"`{key.text}` is not a player's"
            raise self.fail(codes.UNKNOWN_PLACE, message, key.span, "list it beside the players, not below one")
        return declared

    def inside(
        self, declared: Declared, indices: tuple[int, ...], node: YamlNode, key: YamlScalar
    ) -> Iterable[Placing]:
        """The placings below a place of which some indices are known."""
        if len(indices) == len(declared.dims):
            yield Placing(declared.name, indices, self.content(declared, node), key.span)
            return
        dim = declared.dims[len(indices)]
        if not isinstance(node, YamlMapping):
            message = f"`{declared.name}` has an entry for each {self.dim_name(dim)}: it takes a mapping"
            raise self.fail(codes.WRONG_POSITION, message, node.span, f"write `{{{self.dim_example(dim)}: …}}`")
        for name, content in node.entries:
            yield from self.inside(declared, (*indices, self.index(dim, name)), content, name)

    def index(self, dim: core.Dim, key: YamlScalar) -> int:
        """The value of an index."""
        value = int(self.value(dim.type, key))
        size = self.players if isinstance(dim.type, PlayerType) else dim.size or 0
        if not dim.low <= value < dim.low + size:
            code = codes.NO_SUCH_SEAT if isinstance(dim.type, PlayerType) else codes.WRONG_POSITION
            raise self.fail(code, f"`{key.text}` is not one of {self.dim_name(dim)}", key.span)
        return value

    def dim_name(self, dim: core.Dim) -> str:
        return f"{dim.low}..{dim.low + (dim.size or 0) - 1}" if isinstance(dim.type, IntType) else str(dim.type)

    def dim_example(self, dim: core.Dim) -> str:
        if isinstance(dim.type, IntType):
            return str(dim.low)
        if isinstance(dim.type, PlayerType):
            return "P1"
        if isinstance(dim.type, ComponentType):
            return self.program.entities[dim.low].name
        return self.program.enums[str(dim.type)].values[0].name

    # ------------------------------------------------------------ what lies there

    def content(self, declared: Declared, node: YamlNode) -> Any:
        if isinstance(declared, core.Variable):
            value = self.value(declared.type, node)
            self.within_reach(value, node)
            return value
        if isinstance(declared, core.Pool):
            return self.counts(declared, node)
        return self.names(declared, node)

    def value(self, type: Type, node: YamlNode) -> Any:
        """A value of a known type, as an author writes it."""
        if isinstance(type, ListType) and isinstance(node, YamlSequence):
            return tuple(self.value(type.item, item) for item in node.items)
        if not isinstance(node, YamlScalar):
            raise self.fail(codes.WRONG_POSITION, f"a single {type} is asked for here", node.span)
        try:
            return parse_value(self.program, type, node.text)
        except ValueError as problem:
            raise self.fail(codes.WRONG_POSITION, str(problem), node.span) from None

    def within_reach(self, value: object, node: YamlNode) -> None:
        """A number, or those in a list, that a place may be given."""
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int) and abs(number) > MOST_GIVEN:
                message = f"a place may be given numbers from {-MOST_GIVEN:,} to {MOST_GIVEN:,}"
                raise self.fail(codes.WRONG_POSITION, message, node.span)

    def counts(self, pool: core.Pool, node: YamlNode) -> tuple[int, ...]:
        """The count of each kind, by ordinal; kinds that are not listed are not there."""
        if not isinstance(node, YamlMapping):
            kind = self.program.enums[str(pool.holds)].values[pool.kinds[0]].name
            message = f"`{pool.name}` holds counters: it takes a mapping from kind to number"
            raise self.fail(codes.WRONG_POSITION, message, node.span, f"write `{{{kind}: 1}}`, or `{{}}` for none")
        counts = [0] * len(self.program.enums[str(pool.holds)].values)
        for key, value in node.entries:
            kind = self.value(pool.holds, key)
            if kind not in pool.kinds:
                raise self.fail(codes.WRONG_POSITION, f"`{pool.name}` never holds `{key.text}`", key.span)
            counts[kind] = self.value(INT, value)
            self.within_reach(counts[kind], value)
            if counts[kind] < 0 and not pool.unlimited:
                raise self.fail(codes.WRONG_POSITION, f"`{pool.name}` can't hold fewer than 0", value.span)
        return tuple(counts)

    def names(self, zone: core.CardZone, node: YamlNode) -> tuple[str, ...]:
        """The cards of a zone, topmost first."""
        if not isinstance(node, YamlSequence):
            message = f"`{zone.name}` holds cards: it takes a list of their names, topmost first"
            raise self.fail(codes.WRONG_POSITION, message, node.span, "write `[a, b]`, or `[]` for none")
        return tuple(self.card(item, zone) for item in node.items)

    def card(self, node: YamlNode, zone: core.CardZone) -> str:
        name = node.text if isinstance(node, YamlScalar) else ""
        if name == REST:
            return name
        known = _names(self.program, str(zone.holds))
        if name not in known:
            message = f"there is no {zone.holds} `{name}`"
            raise self.fail(codes.WRONG_POSITION, message, node.span, did_you_mean(name, known))
        return name

    # ------------------------------------------------------------ shuffles

    def shuffles(self, nodes: Iterable[YamlNode]) -> tuple[tuple[int, ...], ...]:
        """The cards that dictated shuffles bring to the top."""
        found = []
        for node in nodes:
            try:
                found.append(self.tops(node.items if isinstance(node, YamlSequence) else (node,)))
            except _Faulty:
                continue
        return tuple(found)

    def tops(self, nodes: Iterable[YamlNode]) -> tuple[int, ...]:
        used: list[int] = []
        for node in nodes:
            name = node.text if isinstance(node, YamlScalar) else ""
            card = free_card(self.program, name, used)
            if card is None:
                known = {n for entity in self.program.entities for n in (entity.name, entity.card)}
                message = f"there are not so many `{name}`" if name in known else f"there is no card `{name}`"
                raise self.fail(codes.WRONG_CHANCE, message, node.span, did_you_mean(name, known - {name}))
            used.append(card)
        return tuple(used)


@lru_cache(maxsize=64)
def _names(program: core.Program, kind: str) -> frozenset[str]:
    """What components of a kind are called, each by itself and all copies together."""
    return frozenset(name for e in program.entities if e.kind == kind for name in (e.name, e.card))


def free_card(program: core.Program, name: str, used: Iterable[int]) -> int | None:
    """The component of that very name, or the first copy of that card which is not in use; None: there is none."""
    taken = set(used)
    free = [entity for entity in program.entities if entity.number not in taken]
    exact = next((entity.number for entity in free if entity.name == name and entity.card != name), None)
    if exact is not None:
        return exact
    return next((entity.number for entity in free if entity.card == name), None)
