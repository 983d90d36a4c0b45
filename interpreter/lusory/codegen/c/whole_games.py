"""Compile a module of whole games to a C file.

:func:`emit_c` infers the sorts of the module, prints its functions, and puts them together with the runtime. A large
file has parts, which ``-DPART=n`` selects, so that several compilers can work on it at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lusory_dsl.source.source import Span
from lusory_dsl.types.types import INT_MIN, LIST_LIMIT, TEXT_LIMIT

from ...evaluator.expressions import initial_position
from ...state.random_streams import CHOICES, INCREMENT, MIX_MULTIPLIERS, MULTIPLIER, hash_stream_name as stream_name
from ...state.setting import Setting
from ...state.state import STREAMS
from .. import ir
from ..instruction_selection.bitboards import first_marks
from ..passes.state_promotion import find_state_use, promote_state
from ..passes.type_rules import infer_sorts
from ..python.printer import plain_id
from .expressions import WRITTEN
from .lists import wide_total
from .marshalling import HEAD, TEXT_BASE, Reader, Row, is_exact, kinds
from .printer import NotNative, Printer, capacity_of, in_lines, listing, standing
from .runtime_headers import header
from .statements import OPERATIONS

Lines = list[str]

SIZE = 200_000
"""Greatest number of characters of the large functions in one part. A single function may be larger."""

SMALL = 10_000
"""Functions of at most this many characters are in every part."""

LINKAGE = """\
#ifdef PART
#define IN_PART(n) (PART == n)
#define OWN __attribute__((visibility("hidden")))
#else
#define IN_PART(n) 1
#define OWN static
#endif"""
"""The macros that select a part, and the linkage of functions that other parts call."""


def in_parts(functions: Sequence[Lines], driver: str) -> tuple[Lines, Lines, int]:
    """Distribute functions over parts.

    Returns the prototypes, the lines of all functions and of ``driver`` (which calls them), and the number of parts.
    """
    shared: list[Lines] = []
    large: list[list[Lines]] = []
    room = 0
    for one in functions:
        size = sum(map(len, one))
        if size <= SMALL:
            shared.append(one)
            continue
        if size > room:
            large.append([])
            room = SIZE
        large[-1].append(one)
        room -= size
    if len(large) < 2:
        return [_head(one) for one in functions], [*_spaced(functions), driver], 1
    body = _spaced(shared)
    for number, some in enumerate(large):
        last = number == len(large) - 1
        body += [f"#if IN_PART({number})", *_spaced(map(_called, some)), *([driver] if last else []), "#endif"]
    return [_head(one if one in shared else _called(one)) for one in functions], body, len(large)


def _called(function: Lines) -> Lines:
    """Declare a function so that other parts can call it."""
    return [function[0].replace("static", "OWN", 1), *function[1:]]


def _head(function: Lines) -> str:
    return f"{function[0].removesuffix(' {')};"


def _spaced(functions: Iterable[Lines]) -> Lines:
    return [line for one in functions for line in (*one, "")]


ARENA_ITEMS = 1 << 20
"""Greatest number of items in all the lists of one game at one time."""

ROW_WORDS, GAME_WORDS = 512, 1 << 16
"""Greatest number of words for the texts in the result row of a game, and for all texts that a game composes."""

RUNTIME_CONSTANTS = {
    "RANDOM_MULTIPLIER": f"{MULTIPLIER}ull",
    "RANDOM_INCREMENT": f"{INCREMENT}ull",
    "MIX_MULTIPLIER_1": f"{MIX_MULTIPLIERS[0]}ull",
    "MIX_MULTIPLIER_2": f"{MIX_MULTIPLIERS[1]}ull",
    "MAX_LIST_LENGTH": str(LIST_LIMIT),
    "ARENA_CAPACITY": str(ARENA_ITEMS),
    "ROW_HEADER_LENGTH": str(HEAD),
    "FIRST_COMPOSED_TEXT": f"{TEXT_BASE}ll",
}
"""The constants of the C runtime that are the same for every game."""


@dataclass(frozen=True)
class NativeText:
    """The C of whole games. ``reader`` reads its results, and ``parts`` is the number of parts.

    ``form`` is None because whole games never serialize a state.
    """

    text: str
    reader: Reader
    parts: int
    form: None = None


def emit_c(setting: Setting, module: ir.Module) -> NativeText:
    """Return the C of a module of whole games, as it comes from selection. Raises NotNative."""
    with standing(setting.program.setup.span):
        return _emitted(setting, module)


def _emitted(setting: Setting, module: ir.Module) -> NativeText:
    found = infer_sorts(setting, module)
    marks = partial(first_marks, setting.program, setting.players)
    cut = promote_state(module, setting.layout, initial_position(setting), setting.limits, marks).module
    return Unit(setting, cut, Printer(setting, cut, found, WRITTEN, OPERATIONS, wide_total, listed="options")).emitted()


@dataclass
class Unit:
    """Print one C file: types, constants, initial state, functions and runtime."""

    setting: Setting
    module: ir.Module
    printer: Printer

    def __post_init__(self) -> None:
        self.layout = self.setting.layout
        self.initial = initial_position(self.setting)
        used = [find_state_use(f.ops) for f in self.module.functions]
        self.places = [name for name in self.layout.places if any(name in t.places for t in used)]
        self.streams = [name for name in STREAMS if any(name in t.streams for t in used)]
        self.marks = {
            str(node.name): dict(node.value)
            for node in ir.walk(self.module.functions[0].ops)
            if isinstance(node, ir.Initialize) and node.kind == "marks"
        }
        self.printer.marks = {name: len(found) for name, found in self.marks.items()}
        self.components = len(self.setting.program.entities)

    def emitted(self) -> NativeText:
        """Return the C of whole games. Raises NotNative."""
        p, module = self.printer, self.module
        game, *routines = module.functions
        order = [*routines, game]
        printed = [p.printed(f) for f in order]
        row: Row | None = p.row
        if row is None:
            raise NotNative("a game without an end")
        driver = "\n".join([*self._start(), "", header("playouts")])
        text, parts = self._text("whole games", self._struct(row), [], printed, driver)
        return NativeText(text, self._reader(row), parts)

    def _text(
        self, title: str, struct: list[str], more: list[str], printed: Sequence[Lines], driver: str
    ) -> tuple[str, int]:
        """Return the text of the file and the number of its parts.

        The lines ``more`` follow the general part of the runtime.
        """
        heads, body, parts = in_parts(printed, driver)
        lines = [
            f"/* {plain_id(self.setting.program.id)}, {self.setting.players} players, {title} */",
            header("types"),
            *([LINKAGE, ""] if parts > 1 else []),
            *struct,
            "",
            *(header(name) for name in ("numbers", "random", "lists")),
            *more,
            *self._sites(),
            header("texts"),
            header("masks"),
            *([header("zones")] if self.components else []),
            *self.printer.constants.lines,
            "",
            *heads,
            "",
            *body,
        ]
        return "\n".join(lines), parts

    def _reader(self, row: Row) -> Reader:
        """Return the reader for the result rows that the C writes."""
        p = self.printer
        return Reader(self.setting, row, tuple(p.constants.texts), tuple(p.texts), row.texts + self._words())

    # ------------------------------------------------------------ contents of a game

    def _small(self) -> bool:
        """Return whether one 64-bit word has room for the masks of all boards."""
        return self.printer.spaces <= 64

    def _words(self) -> int:
        """Return the number of words in a result row for composed texts."""
        return ROW_WORDS if self.printer.texts else 1

    def _sites(self) -> list[str]:
        """Print the table of the pieces of composed texts, and of the texts that can be parsed in only one way."""
        sites = self.printer.texts or [()]
        known = frozenset("".join(self.printer.constants.texts))
        parts = [kinds(site) for site in sites]
        most = max(map(len, parts)) + 1
        rows = ", ".join("{" + ", ".join(map(str, (*one, 0))) + "}" for one in parts)
        exact = ", ".join(str(int(is_exact(self.setting, site, known))) for site in sites)
        return [
            f"static const unsigned char TEXT_PARTS[{len(sites)}][{most}] = {{{rows}}};",
            f"static const unsigned char TEXT_IS_UNAMBIGUOUS[{len(sites)}] = {{{exact}}};",
        ]

    def _head(self, row: Row, made: int) -> list[str]:
        """Print the types and constants of the game. ``made`` is the number of words for composed texts."""
        constants = {**RUNTIME_CONSTANTS, **self._constants(row, made)}
        return [*self._types(), *(f"#define {name} {value}" for name, value in constants.items()), ""]

    def _types(self) -> list[str]:
        """Print the C types with a width that depends on the game."""
        return [
            f"typedef {'uint64_t' if self._small() else 'unsigned __int128'} SpaceMask;",
            f"typedef {_width(self.components)} Component; /* the number of a component; -1: none */",
            f"typedef {_width(self.layout.zone_count)} ZoneIndex; /* the number of a zone; -1: none */",
        ]

    def _constants(self, row: Row, made: int) -> dict[str, object]:
        """Return the constants that the runtime needs to know of this game, by name."""
        p, words = self.printer, self._words()
        return {
            "MASK_WORDS": 1 if self._small() else 2,
            "COMPONENT_COUNT": self.components,
            "ZONE_COUNT": self.layout.zone_count,
            "ROW_LENGTH": row.texts + words,
            "RESULT_LENGTH": row.texts,
            "ROW_WORD_CAPACITY": words,
            "WORD_CAPACITY": made,
            "OPTION_CAPACITY": self.setting.limits.options + 1,
            "OPTION_LENGTH": p.options,
            "KNOWN_TEXT_COUNT": len(p.constants.texts),
            "MAX_KNOWN_TEXT_LENGTH": max(map(len, p.constants.texts), default=0),
            "MAX_TEXT_LENGTH": TEXT_LIMIT,
            "MAX_LABEL_LENGTH": self._shown(),
        }

    def _lying(self) -> list[str]:
        """Print the fields for the locations of components and for bit masks."""
        lines = [f"    SpaceMask mask_{self.printer.names[name]}[{len(found)}];" for name, found in self.marks.items()]
        if self.components:
            lines += [
                "    Component zone_head[ZONE_COUNT], zone_tail[ZONE_COUNT], zone_size[ZONE_COUNT];",
                "    Component next_in_zone[COMPONENT_COUNT], previous_in_zone[COMPONENT_COUNT];",
            ]
            lines += ["    ZoneIndex zone_of[COMPONENT_COUNT];"]
        return lines

    def _struct(self, row: Row) -> list[str]:
        p = self.printer
        lines = [
            *self._head(row, GAME_WORDS if p.texts else 1),
            "typedef struct {",
            "    jmp_buf fault_target;",
            "    Item *arena_top;",
            "    Int *row;",
            "    uint64_t answer_rng;",
            *(f"    uint64_t stream_{name};" for name in self.streams),
            "    Int decision_count, work, work_limit, visits_left, is_over, end_reason;",
            "    Int option_row_count, word_count, row_word_count;",
        ]
        for name in self.places:
            place = self.layout.places[name]
            size = f"[{place.size}]" if place.dims else ""
            width = p.width(name)
            type = f"int{width}_t" if width else f"struct {{ int length; Item items[{capacity_of(place.size)}]; }}"
            lines.append(f"    {type} {p.names[name]}{size};")
        lines += [
            *self._lying(),
            "    Int words[WORD_CAPACITY];",
            "    Int option_rows[OPTION_CAPACITY][OPTION_LENGTH];",
            "    Item arena[ARENA_CAPACITY];",
            "} State;",
        ]
        return lines

    def _start(self) -> list[str]:
        """Print the function that sets the state before the setup."""
        limits = self.setting.limits
        consts: list[str] = []
        lines = [
            "static void start_game(State *state, uint64_t seed, Int *row) {",
            "    state->row = row;",
            "    state->arena_top = state->arena;",
            f"    state->answer_rng = seed_stream(seed, {stream_name(CHOICES)}ull);",
            *(f"    state->stream_{name} = seed_stream(seed, {stream_name(name)}ull);" for name in self.streams),
            "    state->option_row_count = state->word_count = state->row_word_count = 0;",
            "    state->decision_count = state->work = state->is_over = 0;",
            f"    state->work_limit = {min(limits.decision, limits.game)};",
            f"    state->visits_left = {limits.visits};",
            "    state->end_reason = NONE;",
        ]
        for name in self.places:
            place, width = self.layout.places[name], self.printer.width(name)
            cells = self.initial.cells[place.offset : place.offset + place.size]
            if not width:
                self._begin_lists(lines, self.printer.names[name], cells, bool(place.dims))
                continue
            none = "NONE" if width == 64 else f"INT{width}_MIN"
            with standing(self._declared(name)):
                written = [none if n is None else str(n) for n in map(self.printer.constants.number, cells)]
            self._begin(consts, lines, self.printer.names[name], f"int{width}_t", written, bool(place.dims))
        for name, found in self.marks.items():
            written = [self.printer.constant_mask(spaces) for spaces in found.values()]
            self._begin(consts, lines, f"mask_{self.printer.names[name]}", "SpaceMask", written, True)
        if self.components:
            for field, type, values in self._chains():
                self._begin(consts, lines, field, type, [str(n) for n in values], True)
        return [*consts, "", *lines, "}"]

    def _declared(self, name: str) -> Span:
        """Return the source span of the initial value of a place, or else of the setup."""
        program = self.setting.program
        return program.variables[name].start.span if name in program.variables else program.setup.span

    @staticmethod
    def _begin(consts: list[str], lines: list[str], name: str, type: str, written: list[str], many: bool) -> None:
        """Print the initialization of a field of the state, with a constant array if needed."""
        if not many:
            lines.append(f"    state->{name} = {written[0]};")
        elif set(written) == {"0"}:
            lines.append(f"    memset(state->{name}, 0, sizeof state->{name});")
        else:
            consts += listing(f"static const {type} first_{name}[{len(written)}]", in_lines(written))
            lines.append(f"    memcpy(state->{name}, first_{name}, sizeof state->{name});")

    def _begin_lists(self, lines: list[str], name: str, cells: list[Any], many: bool) -> None:
        for at, cell in enumerate(cells):
            field = f"state->{name}[{at}]" if many else f"state->{name}"
            lines.append(f"    {field}.length = {len(cell)};")
            numbers = map(self.printer.constants.number, cell)
            lines += [f"    {field}.items[{i}] = {'NO_ITEM' if n is None else n};" for i, n in enumerate(numbers)]

    def _shown(self) -> int:
        """Return the greatest length of the label of a value, including a separator."""
        program = self.setting.program
        labels = [entity.label for entity in program.entities]
        labels += [value.label for enum in program.enums.values() for value in enum.values]
        return max(map(len, [*labels, str(INT_MIN)])) + len(", ")

    def _chains(self) -> list[tuple[str, str, list[int]]]:
        zones = self.initial.zones
        after, before, lies = ([-1] * self.components for _ in range(3))
        for number, zone in enumerate(zones):
            for at, card in enumerate(zone):
                lies[card] = number
                before[card] = zone[at - 1] if at else -1
                after[card] = zone[at + 1] if at + 1 < len(zone) else -1
        return [
            ("zone_head", "Component", [zone[0] if zone else -1 for zone in zones]),
            ("zone_tail", "Component", [zone[-1] if zone else -1 for zone in zones]),
            ("zone_size", "Component", [len(zone) for zone in zones]),
            ("next_in_zone", "Component", after),
            ("previous_in_zone", "Component", before),
            ("zone_of", "ZoneIndex", lies),
        ]


def _width(most: int) -> str:
    return "int16_t" if most < 1 << 15 else "int32_t"
