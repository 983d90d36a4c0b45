"""Read positions in case files: places with their content, pictures of boards, and shared positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any, TypeVar

from lusory_dsl import core
from lusory_dsl.checker.boards_and_pictures import read_picture_values
from lusory_dsl.checker.expressions_in_test_cases import parse_value, suggest_copy
from lusory_dsl.ruleset.model import Word
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Code, Diagnostic, Diagnostics
from lusory_dsl.source.source import NOWHERE, Span, count_noun
from lusory_dsl.source.spelling_suggestions import suggest_name
from lusory_dsl.types.types import (
    INT,
    ComponentType,
    IntType,
    ListType,
    OptionalType,
    PlayerType,
    Type,
    get_default_value,
)
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence

from ...state.flattened_phases import iterate_phases
from ...state.setting_value_limits_builtins_and_names import MAX_START_VALUE
from .case_model import DOTS, REST, Cards, GivenPosition, Placing

ALL_KEY = "all"
"""Prefix of a value, or key: it stands for all entries that are not listed."""

Declaration = core.Variable | core.Pool | core.CardZone
Entries = Iterable[tuple[YamlScalar, YamlNode]]
_T = TypeVar("_T")


class InvalidPart(Exception):
    """Error: a part of a case is invalid. Its diagnostic is already reported."""


@lru_cache(maxsize=4)
def _collect_declarations(program: core.Program) -> dict[str, Declaration]:
    """Return the places that a position can name, by name."""
    variables = {name: variable for name, variable in program.variables.items() if variable.origin.is_authored}
    return {**program.pools, **program.zones, **variables}


class PlaceReader:
    """Reader of the positions of one case. It skips faulty places.

    ``is_setup`` means that the position is set up, not compared.
    """

    def __init__(
        self, program: core.Program, player_count: int, diagnostics: Diagnostics, is_setup: bool = False
    ) -> None:
        self.program = program
        self.players = player_count
        self.diagnostics = diagnostics
        self.is_setup = is_setup
        self.declarations = _collect_declarations(program)

    def read(self, entries: Entries) -> list[Placing]:
        """Return the placings of a position in the order of its entries, one for each index that an entry lists.

        ``content`` is a run-time value, a :class:`Cards` for a zone, or for a pool the result of :meth:`read_counts`.
        The key ``all`` covers the indices of the place that are not listed. All placings of the mapping then have the
        order of the indices: ``{P2: 3, all: 1}`` gives P1 1, P2 3, P3 1. ``gold: all 3`` gives each index of a variable
        the content 3; zones and pools take only ``all none``. Keys are names of places or boards, or ``P1``, ``P2``, …
        with the places of a player. The picture of a board gives a placing for each variable that it shows and each
        space whose sign has a value for it. For a board, ``all none`` gives each of these variables on each space its
        :func:`get_default_value`, such as None, 0 or False, but no placing if its type has none. Faults are reported,
        and what is faulty is left out.
        """
        placings: list[Placing] = []
        for key, node in entries:
            try:
                seat = self._find_seat(key)
                if key.text in self.program.boards:
                    placings += self._read_board(key, node)
                    continue
                if seat is None:
                    placings += self._read_placings(self._find_place(key), (), node, key)
                    continue
                if not isinstance(node, YamlMapping):
                    raise self.fail(f"`{key.text}` needs a mapping of places", node.span)
            except InvalidPart:
                continue
            for name, content in node.entries:
                try:
                    placings += self._read_placings(self._find_place(name, needs_owner=True), (seat,), content, name)
                except InvalidPart:
                    continue
        return placings

    def fail(
        self, message: str, span: Span, hint: str | None = None, code: Code = diagnostic_codes.WRONG_POSITION
    ) -> InvalidPart:
        """Report a fault and return the exception for ``raise self.fail(…)``."""
        self.diagnostics.add(code, message, span, hint)
        return InvalidPart()

    def read_valid(self, nodes: Iterable[YamlNode], read: Callable[[YamlNode], _T]) -> list[_T]:
        """Return what ``read`` returns for each node, in order. Nodes for which it raises InvalidPart are left out."""
        parts = []
        for node in nodes:
            with suppress(InvalidPart):
                parts.append(read(node))
        return parts

    # ------------------------------------------------------------ boards

    def _read_board(self, key: YamlScalar, node: YamlNode) -> list[Placing]:
        """Return the placings of a board, given as a picture or as empty (`all none`).

        A picture gives a placing for each variable and each space whose sign has a value for it. Raises InvalidPart
        after a report if the board has no picture, if the node is neither, or if the picture is faulty. One word in one
        line is no picture.
        """
        picture = self.program.pictures.get(key.text)
        if picture is None:
            message = f"the board `{key.text}` has no picture"
            hint = "add `shows` and `signs` to it under `boards`, or list the variables on it"
            raise self.fail(message, key.span, hint, diagnostic_codes.UNKNOWN_PLACE)
        if isinstance(node, YamlScalar) and node.text == f"{ALL_KEY} none":
            return [placing for name in picture.variables for placing in self._list_empty_placings(name, key.span)]
        if not isinstance(node, YamlScalar) or ("\n" not in node.text.strip() and len(node.text.split()) < 2):
            message = f"`{key.text}` needs a picture: a row of signs for each row of the board"
            raise self.fail(message, node.span, "write `|` and the rows below it")
        board = self.program.boards[key.text]
        values_by_variable = read_picture_values(node.embedded_text, board, picture, self.diagnostics)
        if values_by_variable is None:
            raise InvalidPart
        entries = (
            (name, space, value) for name, values in values_by_variable.items() for space, value in values.items()
        )
        return [Placing(name, (space,), value, key.span) for name, space, value in entries]

    def _list_empty_placings(self, name: str, span: Span) -> Iterator[Placing]:
        """Yield the placings that empty a variable of a board on all spaces.

        A variable without an empty value gives none.
        """
        variable = self.program.variables[name]
        value = get_default_value(variable.type)
        if value is not None or isinstance(variable.type, OptionalType):
            yield from (Placing(name, (space,), value, span) for space in self._list_index_values(variable.dims[0]))

    # ------------------------------------------------------------ places

    def _find_seat(self, key: YamlScalar) -> int | None:
        """Return the seat, from 0, that a key such as ``P1`` names, or None if it names something else.

        A key that is the name of a variable, pool or zone counts as something else. Raises InvalidPart after a report
        if the case has no such player.
        """
        digits = key.text.removeprefix("P")
        if digits == key.text or not digits.isdecimal() or key.text in self.declarations:
            return None
        return self.read_seat(Word(key.text, key.span))

    def read_seat(self, word: Word) -> int:
        """Return the seat that ``P1``, ``P2``, … names: ``P1`` gives 0.

        Raises InvalidPart after a report of NO_SUCH_SEAT for any other word, such as ``P01``, and for a number above
        ``players``.
        """
        names = [f"P{number}" for number in range(1, self.players + 1)]
        if word.text not in names:
            message = f"there is no {word.text}: this case has {count_noun(self.players, 'player')}"
            raise self.fail(message, word.span, code=diagnostic_codes.NO_SUCH_SEAT)
        return names.index(word.text)

    def _find_place(self, key: YamlScalar, needs_owner: bool = False) -> Declaration:
        """Return the variable, zone or pool with a name.

        Raises InvalidPart after a report if there is none, or if ``needs_owner`` is set and it does not belong to a
        player.
        """
        declaration = self.declarations.get(key.text)
        if declaration is None:
            names = [*self.declarations, *self.program.pictures]
            hint = suggest_name(key.text, names) or f"choose from: {', '.join(names)}"
            message = f"there is no variable or zone `{key.text}`"
            raise self.fail(message, key.span, hint, diagnostic_codes.UNKNOWN_PLACE)
        if needs_owner and not (declaration.dims and isinstance(declaration.dims[0].type, PlayerType)):
            message = f"`{key.text}` does not belong to a player"
            hint = "put it beside the players, not under one"
            raise self.fail(message, key.span, hint, diagnostic_codes.UNKNOWN_PLACE)
        return declaration

    def _read_placings(
        self, declaration: Declaration, indices: tuple[int, ...], node: YamlNode, key: YamlScalar
    ) -> Iterable[Placing]:
        """Yield the placings of a place whose first ``indices`` are known. The others are the keys of nested mappings.

        `all`, as a key or as the first word of the content, sets each index that is not listed. Placings come in the
        order of the keys; with the key `all`, in the order of all values. A wrong entry of a mapping is left out after
        a report. Raises InvalidPart after a report if the node itself is wrong.
        """
        if len(indices) == len(declaration.dims):
            yield Placing(declaration.name, indices, self._read_content(declaration, node), key.span)
            return
        dim = declaration.dims[len(indices)]
        if isinstance(node, YamlScalar) and node.text.split(" ")[0] == ALL_KEY:
            content = self._read_content_of_all(declaration, node)
            for other_indices in product(*map(self._list_index_values, declaration.dims[len(indices) :])):
                yield Placing(declaration.name, (*indices, *other_indices), content, key.span)
            return
        if not isinstance(node, YamlMapping):
            message = f"`{declaration.name}` needs a mapping with an entry for each {self._name_dimension(dim)}"
            raise self.fail(message, node.span, f"write `{{{self._find_index_example(dim)}: …}}`")
        entries: dict[int, tuple[YamlScalar, YamlNode]] = {}
        for name, content in node.entries:
            if name.text != ALL_KEY:
                with suppress(InvalidPart):
                    entries[self._read_index(dim, name)] = (name, content)
        default_node = node.get(ALL_KEY)
        if default_node is not None:
            entries = dict.fromkeys(self._list_index_values(dim), (key, default_node)) | entries
        for value, (name, content) in entries.items():
            with suppress(InvalidPart):
                yield from self._read_placings(declaration, (*indices, value), content, name)

    def _list_index_values(self, dim: core.Dim) -> range:
        """Return the values of an index, in ascending order.

        That of a player's place has one for each player of the case.
        """
        size = self.players if isinstance(dim.type, PlayerType) else dim.size or 0
        return range(dim.low, dim.low + size)

    def _read_index(self, dim: core.Dim, key: YamlScalar) -> int:
        """Return the value of an index from its text. For cards of a kind, that is the position among its piles.

        Raises InvalidPart after a report if the place has no such index.
        """
        value = int(self.read_value(dim.source_type, key))
        if dim.kind:
            value = dim.first_copies.index(value) if value in dim.first_copies else -1
        if value not in self._list_index_values(dim):
            code = (
                diagnostic_codes.NO_SUCH_SEAT if isinstance(dim.type, PlayerType) else diagnostic_codes.WRONG_POSITION
            )
            raise self.fail(f"`{key.text}` is not one of {self._name_dimension(dim)}", key.span, code=code)
        return value

    def _name_dimension(self, dim: core.Dim) -> str:
        """Return a dimension in words for a message: a range of numbers, a type, or ``KIND.original``."""
        if dim.kind:
            return f"{dim.kind}.original"
        return f"{dim.low}..{dim.low + (dim.size or 0) - 1}" if isinstance(dim.type, IntType) else str(dim.type)

    def _find_index_example(self, dim: core.Dim) -> str:
        """Return the name of the first value of an index, for a hint: a card, a component, an enum value, ``P1`` or a
        number.
        """
        if dim.kind:
            return self.program.entities[dim.first_copies[0]].name
        if isinstance(dim.type, IntType):
            return str(dim.low)
        if isinstance(dim.type, PlayerType):
            return "P1"
        if isinstance(dim.type, ComponentType):
            return self.program.entities[dim.low].name
        return self.program.enums[str(dim.type)].values[0].name

    # ------------------------------------------------------------ content

    def _read_content(self, declaration: Declaration, node: YamlNode) -> Any:
        """Return the content of one place: a value, the counts of a pool by kind, or the :class:`Cards` of a zone.

        Raises InvalidPart after a report if the node doesn't fit the place, or if a number is beyond
        ``MAX_START_VALUE``.
        """
        if isinstance(declaration, core.Variable):
            value = self.read_value(declaration.type, node)
            self._check_range(value, node)
            return value
        if isinstance(declaration, core.Pool):
            return self.read_counts(declaration, node)
        return self._read_cards(declaration, node)

    def _read_content_of_all(self, declaration: Declaration, node: YamlScalar) -> Any:
        """Return the content of every entry, from `all` and a value, or `all none`.

        Zones and pools can only be emptied. Raises InvalidPart after a report for anything else.
        """
        text = node.text.removeprefix(ALL_KEY).strip()
        if isinstance(declaration, core.Variable):
            return self._read_content(declaration, YamlScalar(node.span, text, text, node.style))
        if text != "none":
            message = f"`{declaration.name}` can't be set with `all {text}`"
            hint = f"write `all none` for empty places, or `{{{ALL_KEY}: …}}` with the content of each"
            raise self.fail(message, node.span, hint)
        return (0,) * len(self.list_kinds(declaration)) if isinstance(declaration, core.Pool) else Cards(())

    def list_kinds(self, pool: core.Pool) -> tuple[core.EnumValue, ...]:
        """Return all kinds of counters of a pool's enum, including those that the pool never holds."""
        return self.program.enums[str(pool.holds)].values

    def read_value(self, type: Type, node: YamlNode) -> Any:
        """Return the runtime value of a node with a known type.

        A scalar gives what :func:`parse_value` returns for its text: ``P1`` gives 0. If ``type`` is a list,
        perhaps optional, a sequence gives a tuple with the value of each item.

        Raises InvalidPart after a report if the value does not fit the type, and for a mapping.
        """
        list_type = type.item if isinstance(type, OptionalType) else type
        if isinstance(list_type, ListType) and isinstance(node, YamlSequence):
            return tuple(self.read_value(list_type.item, item) for item in node.items)
        if not isinstance(node, YamlScalar):
            raise self.fail(f"this must be a single {type}", node.span)
        try:
            return parse_value(self.program, type, node.text)
        except ValueError as problem:
            raise self.fail(str(problem), node.span) from None

    def _check_range(self, value: object, node: YamlNode) -> None:
        """Raise InvalidPart after a report if a number is beyond ``MAX_START_VALUE`` on either side.

        The numbers in a tuple are checked, too. Other values are never out of range.
        """
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int) and abs(number) > MAX_START_VALUE:
                message = f"numbers must be from {-MAX_START_VALUE:,} to {MAX_START_VALUE:,}"
                raise self.fail(message, node.span)

    def read_counts(self, pool: core.Pool, node: YamlNode) -> tuple[int | None, ...]:
        """Return the count of each item of the pool's enum, by ordinal: 0 if it isn't listed, and None for `rest`.

        `rest` for the whole pool gives None for each kind in ``pool.kinds``, and 0 for the others. An empty mapping
        gives 0 for all. Raises InvalidPart after a report of the first fault: any other node that is no mapping, `rest`
        without ``is_setup``, an unknown kind or one not in ``pool.kinds``, or a count that is no number. A count is
        also refused beyond ``MAX_START_VALUE`` on either side, or below 0 unless ``pool.is_unlimited``.
        """
        counts: list[int | None] = [0] * len(self.list_kinds(pool))
        if self._is_rest(node):
            for kind in pool.kinds:
                counts[kind] = None
            return tuple(counts)
        if not isinstance(node, YamlMapping):
            example = self.list_kinds(pool)[pool.kinds[0]].name
            message = f"`{pool.name}` holds counters, so it needs a mapping from kind to number"
            raise self.fail(message, node.span, f"write `{{{example}: 1}}`, or `{{}}` for none")
        for key, value in node.entries:
            kind = self.read_value(pool.holds, key)
            if kind not in pool.kinds:
                raise self.fail(f"`{pool.name}` never holds `{key.text}`", key.span)
            if self._is_rest(value):
                counts[kind] = None
                continue
            count = self.read_value(INT, value)
            self._check_range(count, value)
            if count < 0 and not pool.is_unlimited:
                raise self.fail(f"`{pool.name}` can't hold fewer than 0", value.span)
            counts[kind] = count
        return tuple(counts)

    def _is_rest(self, node: YamlNode) -> bool:
        """Return whether a node is ``rest``. Raises InvalidPart after a report if it is, outside a setup."""
        is_rest = isinstance(node, YamlScalar) and node.text == REST
        if is_rest and not self.is_setup:
            message = "`rest` works only in `given`, not in a check"
            raise self.fail(message, node.span, "write the expected content")
        return is_rest

    def _read_cards(self, zone: core.CardZone, node: YamlNode) -> Cards:
        """Return the cards of a zone from a list, topmost first, or from a count of each card in any order.

        `rest` alone gives the rest of the cards, and an empty list none. In :class:`Cards`, the order of a list counts.
        For a sorted zone outside a setup, it doesn't, unless the list has dots. Raises InvalidPart after a report.
        """
        if self._is_rest(node):
            return Cards((REST,))
        if isinstance(node, YamlMapping):
            return self.read_counted_cards(str(zone.holds), node)
        if not isinstance(node, YamlSequence):
            message = f"`{zone.name}` holds cards, so it needs a list of their names, topmost first"
            hint = "write `[a, b]`, or `[]` for none; `{a: 2, b: 1}` in any order"
            raise self.fail(message, node.span, hint)
        names = tuple(self._read_card(item, str(zone.holds)) for item in node.items)
        for word in (DOTS, REST):
            if names.count(word) > 1:
                raise self.fail(f"`{word}` can stand only once in a list", node.span, "keep one of them")
        return Cards(names, self.is_setup or not zone.is_sorted or DOTS in names)

    def read_counted_cards(self, kind: str, node: YamlMapping) -> Cards:
        """Return cards in any order from counts: ``{axe: 2}`` gives ``Cards(("axe", "axe"), is_ordered=False)``.

        The names have the order of the entries. Raises InvalidPart after a report for an unknown card, and for a count
        that is negative, no number, or more than the game has copies. Each entry is checked alone: if the game has two
        axes, ``{axe: 2, axe-2: 1}`` gives three names.
        """
        names: list[str] = []
        for key, value in node.entries:
            name, number = self._read_card(key, kind), self.read_value(INT, value)
            available = sum(1 for entity in self.program.entities if name in (entity.card, entity.name))
            if not 0 <= number <= available:
                message = f"the game has {available} of `{name}`, not {number}"
                raise self.fail(message, value.span)
            names += [name] * number
        return Cards(tuple(names), False)

    def _read_card(self, node: YamlNode, kind: str) -> str:
        """Return a name of a card or component of this kind, ``...`` or ``rest``. Raises InvalidPart after a report.

        It is raised for any other name or node, and for ``rest`` outside a setup.
        """
        name = node.text if isinstance(node, YamlScalar) else ""
        names = _list_component_names(self.program, kind)
        if name == DOTS or name in names:
            return name
        if self._is_rest(node):
            return REST
        hint = suggest_copy(self.program, name) or suggest_name(name, names)
        raise self.fail(f"there is no {kind} `{name}`", node.span, hint)

    # ------------------------------------------------------------ shuffles

    def read_shuffle(self, shuffle: YamlNode) -> tuple[int, ...]:
        """Return the numbers of the cards that a dictated shuffle puts on top, topmost first.

        The node is a list of names of cards, or a single name. An empty list gives ``()``. ``wolf`` is the first copy
        of this card that no earlier item of the list has taken, and ``wolf-2`` only the second copy. So ``[wolf-2,
        wolf, wolf]`` has the second, first and third copy. Raises InvalidPart after a report for an unknown name, such
        as ``wolf-1``, or if earlier items have taken each copy that fits, as in ``[wolf-2, wolf-2]``.
        """
        cards: list[int] = []
        for node in shuffle.items if isinstance(shuffle, YamlSequence) else (shuffle,):
            name = node.text if isinstance(node, YamlScalar) else ""
            card = find_free_card(self.program, name, cards)
            if card is None:
                names = {n for entity in self.program.entities for n in (entity.name, entity.card)}
                problem = "the game does not have that many" if name in names else "there is no card"
                hint = suggest_copy(self.program, name) or suggest_name(name, names - {name})
                raise self.fail(f"{problem} `{name}`", node.span, hint, diagnostic_codes.WRONG_CHANCE)
            cards.append(card)
        return tuple(cards)


@lru_cache(maxsize=8)
def _list_component_names(program: core.Program, kind: str) -> frozenset[str]:
    """Return the names of all components of a kind, and of their cards."""
    return frozenset(name for entity in program.entities if entity.kind == kind for name in (entity.name, entity.card))


def find_free_card(program: core.Program, name: str, cards_in_use: Iterable[int]) -> int | None:
    """Return the number of the component with exactly this name, or of the first free copy of the card.

    Copies of the card ``wolf`` are named ``wolf``, ``wolf-2``, ``wolf-3``. The name ``wolf`` gives the first free copy,
    and ``wolf-2`` only the second. None if no component has the name, or if all that have it are in ``cards_in_use``.
    """
    used_numbers = set(cards_in_use)
    entities = (entity for entity in program.entities if entity.number not in used_numbers)
    candidates = (entity for entity in entities if name in (entity.name, entity.card))
    # a component with exactly this name comes before the copies of a card
    best = min(candidates, key=lambda entity: entity.card == name, default=None)
    return None if best is None else best.number


FROM_KEY, PHASE_KEY = "from", "phase"
NamedPosition = tuple[YamlScalar, YamlMapping]
"""Shared position: its name and its content."""

NO_POSITION = GivenPosition(None, (), NOWHERE)


class SharedPositions:
    """Shared positions in all case files of a ruleset.

    ``further_positions`` are read only if a name is not found, and then once.
    """

    def __init__(
        self, program: core.Program, positions: Iterable[NamedPosition], further_positions: Iterator[NamedPosition]
    ) -> None:
        self.program = program
        self.positions: dict[str, NamedPosition] = {}
        self.duplicates: list[Diagnostic] = []
        for key, node in positions:
            first_key, _ = self.positions.setdefault(key.text, (key, node))
            if first_key is not key:
                message = f"two positions are called `{key.text}`"
                notes = ((first_key.span, "the other one"),)
                self.duplicates.append(
                    Diagnostic(diagnostic_codes.DUPLICATE_CASE, message, key.span, "rename one of them", notes)
                )
        self.further_positions = further_positions
        self._position_cache: dict[tuple[str, int], tuple[GivenPosition, list[Diagnostic]]] = {}

    def list_faults(self) -> Iterator[Diagnostic]:
        """Yield the faults of all shared positions, for the largest number of players."""
        yield from self.duplicates
        for name in list(self.positions):
            yield from self._read_shared(name, self.program.max_players, ())[1]

    def read_position(
        self, node: YamlMapping, player_count: int, diagnostics: Diagnostics, names_being_read: tuple[str, ...] = ()
    ) -> GivenPosition:
        """Return a position, merged with the shared position that its key ``from`` names.

        Its own phase and placings replace those of the base. A placing that replaces another keeps its position in the
        order, and placings of other places follow. Of two contents for one place, such as ``P1: {gold: 1}`` and
        ``gold: {P1: 2}`` in ``node``, the later counts, without a report. Its own placings have a ``layer`` one above
        the highest in the base. It is 0 if the base has none, or without ``from``. ``names_being_read`` holds the
        shared positions being read, outermost first. A base that is one of them is reported and left out, as are an
        unknown base and a faulty placing. A base with a faulty placing keeps the others. An unknown phase and a second
        `rest` of a kind are reported, but stay.
        """
        base_position = NO_POSITION
        base = node.get(FROM_KEY)
        if isinstance(base, YamlScalar):
            base_position = self._read_base_position(base, player_count, diagnostics, names_being_read)
        phase = node.get(PHASE_KEY)
        phase_ids = [item.id for item in iterate_phases(self.program) if item is not self.program.setup]
        if isinstance(phase, YamlScalar) and phase.text not in phase_ids:
            hint = suggest_name(phase.text, phase_ids) or f"write one of: {', '.join(phase_ids)}"
            diagnostics.add(diagnostic_codes.UNKNOWN_PHASE, f"there is no phase `{phase.text}`", phase.span, hint)
        places = PlaceReader(self.program, player_count, diagnostics, is_setup=True)
        own_placings = places.read([entry for entry in node.entries if entry[0].text not in (FROM_KEY, PHASE_KEY)])
        layer = max((placing.layer + 1 for placing in base_position.placings), default=0)
        placings = {(placing.place, placing.indices): placing for placing in base_position.placings}
        for placing in own_placings:
            placings[placing.place, placing.indices] = replace(placing, layer=layer) if layer else placing
        phase_id = phase.text if isinstance(phase, YamlScalar) else base_position.phase
        position = GivenPosition(phase_id, tuple(placings.values()), node.span)
        self._check_rest_places(position, diagnostics)
        return position

    def _read_base_position(
        self, name: YamlScalar, player_count: int, diagnostics: Diagnostics, names_being_read: tuple[str, ...]
    ) -> GivenPosition:
        """Return a shared position by its name, for ``player_count`` players.

        ``names_being_read`` holds the names of the positions that are being read, outermost first. Reports an unknown
        name or a cycle at the name, and returns an empty position then. Repeats the diagnostics of the position itself,
        with a note at the name.
        """
        if name.text not in self.positions:
            for key, node in self.further_positions:
                self.positions.setdefault(key.text, (key, node))

        if name.text not in self.positions:
            all_names = f"write one of: {', '.join(self.positions)}"
            if not self.positions:
                all_names = "shared positions belong under `positions` in a case file"
            hint = suggest_name(name.text, self.positions) or all_names
            diagnostics.add(diagnostic_codes.UNKNOWN_POSITION, f"there is no position `{name.text}`", name.span, hint)
            return NO_POSITION
        if name.text in names_being_read:
            cycle = " → ".join(
                f"`{each_name}`" for each_name in (*names_being_read[names_being_read.index(name.text) :], name.text)
            )
            message = f"these positions are based on each other: {cycle}"
            diagnostics.add(diagnostic_codes.POSITION_RING, message, name.span, "write out one of them without a base")
            return NO_POSITION
        position, faults = self._read_shared(name.text, player_count, names_being_read)
        for fault in faults:
            diagnostics.extend([replace(fault, notes=(*fault.notes, (name.span, "used here")))])
        return position

    def _read_shared(
        self, name: str, player_count: int, names_being_read: tuple[str, ...]
    ) -> tuple[GivenPosition, list[Diagnostic]]:
        if (name, player_count) not in self._position_cache:
            faults = Diagnostics()
            position = self.read_position(self.positions[name][1], player_count, faults, (*names_being_read, name))
            if names_being_read and faults.has_errors:
                # do not store it: each position of a cycle reports the fault differently
                return position, faults.list_sorted()
            self._position_cache[name, player_count] = position, faults.list_sorted()
        return self._position_cache[name, player_count]

    def _check_rest_places(self, position: GivenPosition, diagnostics: Diagnostics) -> None:
        """Report a fault if the rest of one kind is in two places."""
        first_places: dict[tuple[str, int], Span] = {}
        for placing in position.placings:
            for kind in _list_rest_kinds(self.program, placing):
                earlier_span = first_places.setdefault(kind, placing.span)
                if earlier_span is not placing.span:
                    message = "`rest` is in two places, so neither place is known"
                    notes = ((earlier_span, "the other one"),)
                    diagnostics.add(
                        diagnostic_codes.TWO_RESTS, message, placing.span, "write out the content of one of them", notes
                    )


def _list_rest_kinds(program: core.Program, placing: Placing) -> Iterator[tuple[str, int]]:
    """Yield the kinds of counters or cards whose rest is in a place."""
    if placing.place in program.pools:
        holds = str(program.pools[placing.place].holds)
        yield from ((holds, kind) for kind, count in enumerate(placing.content) if count is None)
    elif isinstance(placing.content, Cards) and REST in placing.content.names:
        yield str(program.zones[placing.place].holds), -1
