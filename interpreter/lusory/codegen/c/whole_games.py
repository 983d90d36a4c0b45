"""Compile a module of whole games to a C file.

:func:`emit_c` infers the sorts of the module, prints its functions, and puts them together with the runtime. A large
file has parts, which ``-DPART=n`` selects, so that several compilers can work on it at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lusory_dsl.types.types import INT_MIN, LIST_LIMIT, TEXT_LIMIT

from ...evaluator.expressions import find_initial_position
from ...state.random_streams import CHOICES, INCREMENT, MIX_MULTIPLIERS, MULTIPLIER, hash_stream_name as stream_name
from ...state.setting_value_limits_builtins_and_names import Setting
from ...state.state_layout import STREAMS
from .. import ir
from ..instruction_selection.bitboards import make_initial_masks
from ..passes.playout_state_promotion import find_state_use, promote_state
from ..passes.type_inference import infer_sorts
from ..python.printer import sanitize_id
from .function_printer_and_c_types import NotNative, Printer, attach_span, break_lines, format_array, get_list_capacity
from .ir_operations import OPERATIONS
from .ir_values import EXPRESSIONS
from .loops_and_lists import print_wide_sum
from .marshalling import HEAD, TEXT_BASE, GeneratedC, Reader, Row, get_part_kinds, is_unambiguous
from .runtime_header_loading_and_search_formats import load_header

Lines = list[str]

MAX_PART_LENGTH = 200_000
"""Greatest number of characters of the large functions in one part. A single function may be larger."""

MAX_SHARED_LENGTH = 10_000
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


def _split_into_parts(functions: Sequence[Lines], driver: str) -> tuple[Lines, Lines, int]:
    """Distribute functions over parts of a C file, so that they can be compiled in parallel.

    Return the prototypes in the order of ``functions``, the lines of all functions and of ``driver`` (which calls
    them), and the number of parts. Functions of at most :data:`MAX_SHARED_LENGTH` characters are in each part, and the
    driver is in the last. The others fill parts of :data:`MAX_PART_LENGTH` characters in order; ``#if IN_PART(n)``
    encloses each. If they fit into one part, the number is 1 and nothing is enclosed.
    """
    small: list[Lines] = []
    large: list[list[Lines]] = []
    room = 0
    for function in functions:
        size = sum(map(len, function))
        if size <= MAX_SHARED_LENGTH:
            small.append(function)
            continue
        if size > room:
            large.append([])
            room = MAX_PART_LENGTH
        large[-1].append(function)
        room -= size
    if len(large) < 2:
        return [_make_prototype(function) for function in functions], [*_separate(functions), driver], 1
    body = _separate(small)
    for number, part_functions in enumerate(large):
        last = [driver] if number == len(large) - 1 else []
        body += [f"#if IN_PART({number})", *_separate(map(_make_external, part_functions)), *last, "#endif"]
    declared = [function if function in small else _make_external(function) for function in functions]
    return list(map(_make_prototype, declared)), body, len(large)


def _make_external(function: Lines) -> Lines:
    """Declare a function so that other parts can call it."""
    return [function[0].replace("static", "OWN", 1), *function[1:]]


def _make_prototype(function: Lines) -> str:
    return f"{function[0].removesuffix(' {')};"


def _separate(functions: Iterable[Lines]) -> Lines:
    return [line for function in functions for line in (*function, "")]


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


def emit_c(setting: Setting, module: ir.Module) -> GeneratedC:
    """Return the C of a module of whole games, as it comes from selection. Raise NotNative if C does not support it."""
    marks = partial(make_initial_masks, setting.program, setting.players)
    with attach_span(setting.program.setup.span):
        sorts = infer_sorts(setting, module)
        playout = promote_state(module, setting, marks).module
        printer = Printer(
            setting, playout, sorts, EXPRESSIONS, OPERATIONS, print_wide_sum, option_count_expression="options"
        )
        return Unit(setting, playout, printer)._print_games()


@dataclass
class Unit:
    """Print one C file: types, constants, initial state, functions and runtime."""

    setting: Setting
    module: ir.Module
    printer: Printer

    def __post_init__(self) -> None:
        self.layout = self.setting.layout
        self.initial_position = find_initial_position(self.setting)
        uses = [find_state_use(function.ops) for function in self.module.functions]
        self.places = [name for name in self.layout.places if any(name in use.places for use in uses)]
        self.streams = [name for name in STREAMS if any(name in use.streams for use in uses)]
        self.masks = {
            str(node.name): dict(node.value)
            for node in ir.walk(self.module.functions[0].ops)
            if isinstance(node, ir.Initialize) and node.kind == "marks"
        }
        self.printer.mask_counts = {name: len(masks) for name, masks in self.masks.items()}
        self.component_count = len(self.setting.program.entities)

    def _print_games(self) -> GeneratedC:
        """Return the C of whole games, with the reader of its results and the number of its parts.

        The functions of routines come before that of the game, and the driver that plays games is last. Raise NotNative
        if C does not support the module, or if its games have no ending.
        """
        printer, module = self.printer, self.module
        game, *routines = module.functions
        functions = [printer.print_function(function) for function in (*routines, game)]
        row: Row | None = printer.row_format
        if row is None:
            raise NotNative("a game without an end")
        driver = "\n".join([*self._print_start(), "", load_header("playouts")])
        text, parts = self._print_file("whole games", self._print_struct(row), [], functions, driver)
        return GeneratedC(text, self._make_reader(row), parts)

    def _print_file(
        self, title: str, struct: list[str], extra_lines: list[str], functions: Sequence[Lines], driver: str
    ) -> tuple[str, int]:
        """Return the text of the file and the number of its parts.

        The lines ``extra_lines`` follow the general part of the runtime.
        """
        heads, body, parts = _split_into_parts(functions, driver)
        lines = [
            f"/* {sanitize_id(self.setting.program.id)}, {self.setting.players} players, {title} */",
            load_header("types"),
            *([LINKAGE, ""] if parts > 1 else []),
            *struct,
            "",
            *(load_header(name) for name in ("numbers", "random", "lists")),
            *extra_lines,
            *self._print_text_sites(),
            load_header("texts"),
            load_header("masks"),
            *([load_header("zones")] if self.component_count else []),
            *self.printer.constants.lines,
            "",
            *heads,
            "",
            *body,
        ]
        return "\n".join(lines), parts

    def _make_reader(self, row: Row) -> Reader:
        """Return the reader for the result rows that the C writes."""
        printer = self.printer
        return Reader(
            self.setting, row, list(printer.constants.texts), tuple(printer.texts), row.texts + self._count_row_words()
        )

    # ------------------------------------------------------------ contents of a game

    def _fits_one_word(self) -> bool:
        """Return whether one 64-bit word has room for the masks of all boards."""
        return self.printer.max_board_size <= 64

    def _count_row_words(self) -> int:
        """Return the number of words in a result row for composed texts."""
        return ROW_WORDS if self.printer.texts else 1

    def _print_text_sites(self) -> list[str]:
        """Print the table of the pieces of composed texts, and which of them are unambiguous."""
        sites = self.printer.texts or [()]
        letters = frozenset("".join(self.printer.constants.texts))
        parts = [get_part_kinds(site) for site in sites]
        max_parts = max(map(len, parts)) + 1
        rows = ", ".join("{" + ", ".join(map(str, (*part_kinds, 0))) + "}" for part_kinds in parts)
        unambiguous = ", ".join(str(int(is_unambiguous(self.setting, site, letters))) for site in sites)
        return [
            f"static const unsigned char TEXT_PARTS[{len(sites)}][{max_parts}] = {{{rows}}};",
            f"static const unsigned char TEXT_IS_UNAMBIGUOUS[{len(sites)}] = {{{unambiguous}}};",
        ]

    def _print_head(self, row: Row, word_count: int) -> list[str]:
        """Print the types and constants of the game. ``word_count`` is the number of words for composed texts."""
        constants = {**RUNTIME_CONSTANTS, **self._make_constants(row, word_count)}
        return [*self._print_types(), *(f"#define {name} {value}" for name, value in constants.items()), ""]

    def _print_types(self) -> list[str]:
        """Print the C types with a width that depends on the game."""
        return [
            f"typedef {'uint64_t' if self._fits_one_word() else 'unsigned __int128'} SpaceMask;",
            f"typedef {_get_integer_type(self.component_count)} Component; /* the number of a component; -1: none */",
            f"typedef {_get_integer_type(self.layout.zone_count)} ZoneIndex; /* the number of a zone; -1: none */",
        ]

    def _make_constants(self, row: Row, word_count: int) -> dict[str, object]:
        """Return the constants that the runtime needs to know of this game, by name."""
        printer, words, program = self.printer, self._count_row_words(), self.setting.program
        labels = [entity.label for entity in program.entities]
        labels += [value.label for enum in program.enums.values() for value in enum.values]
        return {
            "MASK_WORDS": 1 if self._fits_one_word() else 2,
            "COMPONENT_COUNT": self.component_count,
            "ZONE_COUNT": self.layout.zone_count,
            "ROW_LENGTH": row.texts + words,
            "RESULT_LENGTH": row.texts,
            "ROW_WORD_CAPACITY": words,
            "WORD_CAPACITY": word_count,
            "OPTION_CAPACITY": self.setting.limits.options + 1,
            "OPTION_LENGTH": printer.option_length,
            "KNOWN_TEXT_COUNT": len(printer.constants.texts),
            "MAX_KNOWN_TEXT_LENGTH": max(map(len, printer.constants.texts), default=0),
            "MAX_TEXT_LENGTH": TEXT_LIMIT,
            "MAX_LABEL_LENGTH": max(map(len, [*labels, str(INT_MIN)])) + len(", "),
        }

    def _print_component_fields(self) -> list[str]:
        """Print the fields for the locations of components and for bit masks."""
        lines = [f"    SpaceMask mask_{self.printer.names[name]}[{len(masks)}];" for name, masks in self.masks.items()]
        if self.component_count:
            lines += [
                "    Component zone_head[ZONE_COUNT], zone_tail[ZONE_COUNT], zone_size[ZONE_COUNT];",
                "    Component next_in_zone[COMPONENT_COUNT], previous_in_zone[COMPONENT_COUNT];",
                "    ZoneIndex zone_of[COMPONENT_COUNT];",
            ]
        return lines

    def _print_struct(self, row: Row) -> list[str]:
        printer = self.printer
        lines = [
            *self._print_head(row, GAME_WORDS if printer.texts else 1),
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
            type, size = f"int{printer.get_width(name)}_t", f"[{place.size}]" if place.dims else ""
            if not printer.get_width(name):
                type = f"struct {{ int length; Item items[{get_list_capacity(place.size)}]; }}"
            lines.append(f"    {type} {printer.names[name]}{size};")
        lines += [
            *self._print_component_fields(),
            "    Int words[WORD_CAPACITY];",
            "    Int option_rows[OPTION_CAPACITY][OPTION_LENGTH];",
            "    Item arena[ARENA_CAPACITY];",
            "} State;",
        ]
        return lines

    def _print_start(self) -> list[str]:
        """Return the lines of the C function ``start_game``, which sets the state before the setup, after the constants
        that it copies.
        """
        limits = self.setting.limits
        constants: list[str] = []
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
            place, width = self.layout.places[name], self.printer.get_width(name)
            cells = self.initial_position.cells[place.offset : place.offset + place.size]
            if not width:
                self._print_list_initialization(lines, self.printer.names[name], cells, bool(place.dims))
                continue
            none_text = "NONE" if width == 64 else f"INT{width}_MIN"
            variable = self.setting.program.variables.get(name)
            with attach_span(self.setting.program.setup.span if variable is None else variable.start.span):
                contents = map(self.printer.constants.make_number, cells)
                numbers = [none_text if value is None else str(value) for value in contents]
            self._print_initialization(
                constants, lines, self.printer.names[name], f"int{width}_t", numbers, bool(place.dims)
            )
        for name, masks in self.masks.items():
            numbers = [self.printer.format_constant_mask(spaces) for spaces in masks.values()]
            self._print_initialization(constants, lines, f"mask_{self.printer.names[name]}", "SpaceMask", numbers, True)
        if self.component_count:
            for field, type, values in self._make_zone_chains():
                self._print_initialization(constants, lines, field, type, [str(number) for number in values], True)
        return [*constants, "", *lines, "}"]

    @staticmethod
    def _print_initialization(
        constants: list[str], lines: list[str], name: str, type: str, numbers: list[str], is_array: bool
    ) -> None:
        """Print the initialization of a field of the state, with a constant array if needed."""
        if not is_array:
            lines.append(f"    state->{name} = {numbers[0]};")
        elif set(numbers) == {"0"}:
            lines.append(f"    memset(state->{name}, 0, sizeof state->{name});")
        else:
            constants += format_array(f"static const {type} first_{name}[{len(numbers)}]", break_lines(numbers))
            lines.append(f"    memcpy(state->{name}, first_{name}, sizeof state->{name});")

    def _print_list_initialization(self, lines: list[str], name: str, cells: list[Any], is_array: bool) -> None:
        for i, cell in enumerate(cells):
            field = f"state->{name}[{i}]" if is_array else f"state->{name}"
            lines.append(f"    {field}.length = {len(cell)};")
            numbers = map(self.printer.constants.make_number, cell)
            lines += [
                f"    {field}.items[{index}] = {'NO_ITEM' if number is None else number};"
                for index, number in enumerate(numbers)
            ]

    def _make_zone_chains(self) -> list[tuple[str, str, list[int]]]:
        zones = self.initial_position.zones
        next_components, previous_components, zone_numbers = ([-1] * self.component_count for _ in range(3))
        for number, zone in enumerate(zones):
            for index, card in enumerate(zone):
                zone_numbers[card] = number
                previous_components[card] = zone[index - 1] if index else -1
                next_components[card] = zone[index + 1] if index + 1 < len(zone) else -1
        return [
            ("zone_head", "Component", [zone[0] if zone else -1 for zone in zones]),
            ("zone_tail", "Component", [zone[-1] if zone else -1 for zone in zones]),
            ("zone_size", "Component", [len(zone) for zone in zones]),
            ("next_in_zone", "Component", next_components),
            ("previous_in_zone", "Component", previous_components),
            ("zone_of", "ZoneIndex", zone_numbers),
        ]


def _get_integer_type(highest: int) -> str:
    return "int16_t" if highest < 1 << 15 else "int32_t"
