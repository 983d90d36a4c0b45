"""From a setting to the C of its whole games: selected as for Python, then printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lusory_dsl.language.types import INT_MIN, TEXT_LIMIT
from lusory_dsl.text.source import Span

from ...reading.positions import initial_position
from ...table.chance import CHOICES, name as stream_name
from ...table.setting import Setting
from ...table.state import STREAMS
from .. import ir
from ..improve.operation_sorts import sorts_of
from ..improve.unread import kept, touched
from ..python.writing import plain_id
from ..select.masks import first_marks
from .constants import in_lines, listing
from .kinds import NotNative, capacity_of, standing
from .lists import wide_total
from .operations import OPERATIONS
from .parts import LINKAGE, Lines, in_parts
from .printer import Printer
from .results import TEXT_BASE, Reader, Row
from .runtime import CARDS, DRIVER, FUNCTIONS, MADE, MASKS, ONE_WORD, ROOM, TOLD, TWO_WORDS, TYPES, WORDS
from .texts import is_exact, kinds
from .values import WRITTEN


@dataclass(frozen=True)
class NativeText:
    """Whole games as C. ``reader``: reads what it gives; ``parts``: in how many parts it can be compiled; ``form``: a
    state is not written out."""

    text: str
    reader: Reader
    parts: int
    form: None = None


def emit_c(setting: Setting, module: ir.Module) -> NativeText:
    """The C of a module of whole games, as it is selected. Raises NotNative."""
    with standing(setting.program.setup.span):
        return _emitted(setting, module)


def _emitted(setting: Setting, module: ir.Module) -> NativeText:
    found = sorts_of(setting, module)
    marks = partial(first_marks, setting.program, setting.players)
    cut = kept(module, setting.layout, initial_position(setting), setting.limits, marks).module
    return Unit(setting, cut, Printer(setting, cut, found, WRITTEN, OPERATIONS, wide_total, listed="options")).emitted()


@dataclass
class Unit:
    """One file of C."""

    setting: Setting
    module: ir.Module
    printer: Printer

    def __post_init__(self) -> None:
        self.layout = self.setting.layout
        self.initial = initial_position(self.setting)
        used = [touched(f.ops) for f in self.module.functions]
        self.places = [name for name in self.layout.places if any(name in t.places for t in used)]
        self.streams = [name for name in STREAMS if any(name in t.streams for t in used)]
        self.marks = {
            str(node.name): dict(node.value)
            for node in ir.walk(self.module.functions[0].ops)
            if isinstance(node, ir.Begin) and node.what == "marks"
        }
        self.printer.marks = {name: len(found) for name, found in self.marks.items()}
        self.components = len(self.setting.program.entities)

    def emitted(self) -> NativeText:
        p, module = self.printer, self.module
        game, *routines = module.functions
        order = [*routines, game]
        printed = [p.printed(f) for f in order]
        row: Row | None = p.row
        if row is None:
            raise NotNative("a game without an end")
        driver = "\n".join([*self._start(), "", DRIVER])
        text, parts = self._text("whole games", self._struct(row), [], printed, driver)
        return NativeText(text, self._reader(row), parts)

    def _text(
        self, title: str, struct: list[str], more: list[str], printed: Sequence[Lines], driver: str
    ) -> tuple[str, int]:
        """A file of C, and in how many parts it can be compiled. ``more``: what stands behind the general functions."""
        heads, body, parts = in_parts(printed, driver)
        lines = [
            f"/* {plain_id(self.setting.program.id)}, {self.setting.players} players, {title} */",
            TYPES,
            *([LINKAGE, ""] if parts > 1 else []),
            *struct,
            "",
            FUNCTIONS,
            *more,
            *self._sites(),
            WORDS,
            ONE_WORD if self._small() else TWO_WORDS,
            MASKS,
            *([CARDS] if self.components else []),
            *self.printer.constants.lines,
            "",
            *heads,
            "",
            *body,
        ]
        return "\n".join(lines), parts

    def _reader(self, row: Row) -> Reader:
        """What reads the rows that C gives."""
        p = self.printer
        return Reader(self.setting, row, tuple(p.constants.texts), tuple(p.texts), row.texts + self._words())

    # ------------------------------------------------------------ what a game has

    def _small(self) -> bool:
        """Whether one word has room for the masks of all boards."""
        return self.printer.spaces <= 64

    def _words(self) -> int:
        """How much room the row of a game has for texts that are put together in play."""
        return TOLD if self.printer.texts else 1

    def _sites(self) -> list[str]:
        """What texts are made of that are put together in play, and which of these can be read in one way only."""
        sites = self.printer.texts or [()]
        known = frozenset("".join(self.printer.constants.texts))
        parts = [kinds(site) for site in sites]
        most = max(map(len, parts)) + 1
        rows = ", ".join("{" + ", ".join(map(str, (*one, 0))) + "}" for one in parts)
        exact = ", ".join(str(int(is_exact(self.setting, site, known))) for site in sites)
        return [
            f"static const unsigned char SITES[{len(sites)}][{most}] = {{{rows}}};",
            f"static const unsigned char EXACT[{len(sites)}] = {{{exact}}};",
        ]

    def _head(self, row: Row, made: int) -> list[str]:
        """Types and numbers. ``made``: words that texts may have that are put together in play."""
        return [*self._types(), *self._numbers_of(row, made), f"#define TEXTS {TEXT_BASE}ll", ""]

    def _types(self) -> list[str]:
        """The types that are as wide as the game needs them."""
        return [
            f"typedef {'uint64_t' if self._small() else 'unsigned __int128'} M;",
            f"typedef {_width(self.components)} C; /* a component, or none: -1 */",
            f"typedef {_width(self.layout.zone_count)} Z;",
        ]

    def _numbers_of(self, row: Row, made: int) -> list[str]:
        """The numbers that the C goes by."""
        p, words, zones = self.printer, self._words(), self.layout.zone_count
        longest = max(map(len, p.constants.texts), default=0)
        return [
            f"enum {{ COMPONENTS = {self.components}, ZONES = {zones}, WIDTH = {row.texts + words} }};",
            f"enum {{ MOST_OPTIONS = {self.setting.limits.options + 1}, OPTION = {p.options} }};",
            f"enum {{ WORDS = {made}, TOLD = {words}, ROW = {row.texts} }};",
            f"enum {{ KNOWN = {len(p.constants.texts)}, LONGEST = {longest}, MOST_TEXT = {TEXT_LIMIT} }};",
            f"enum {{ SHOWN = {self._shown()} }};",
        ]

    def _lying(self) -> list[str]:
        """The fields that say where components lie, and the masks that are kept."""
        lines = [f"    M M_{self.printer.names[name]}[{len(found)}];" for name, found in self.marks.items()]
        if self.components:
            lines += ["    C head[ZONES], tail[ZONES], count[ZONES];", "    C next[COMPONENTS], prev[COMPONENTS];"]
            lines += ["    Z lies[COMPONENTS];"]
        return lines

    def _struct(self, row: Row) -> list[str]:
        p = self.printer
        lines = [
            *self._head(row, MADE if p.texts else 1),
            "typedef struct {",
            "    jmp_buf back;",
            "    I *top;",
            "    V *row;",
            "    uint64_t choices;",
            *(f"    uint64_t S_{name};" for name in self.streams),
            "    V decisions, work, until, visits, over, reason, options, made, told;",
        ]
        for name in self.places:
            place = self.layout.places[name]
            size = f"[{place.size}]" if place.dims else ""
            width = p.width(name)
            type = f"int{width}_t" if width else f"struct {{ int n; I v[{capacity_of(place.size)}]; }}"
            lines.append(f"    {type} {p.names[name]}{size};")
        lines += [
            *self._lying(),
            "    V words[WORDS];",
            "    V option[MOST_OPTIONS][OPTION];",
            f"    I items[{ROOM}];",
            "} S;",
        ]
        return lines

    def _start(self) -> list[str]:
        """The start of a game: what there is before the setup."""
        limits = self.setting.limits
        consts: list[str] = []
        lines = [
            "static void start(S *s, uint64_t seed, V *row) {",
            "    s->row = row;",
            "    s->top = s->items;",
            f"    s->choices = stream(seed, {stream_name(CHOICES)}ull);",
            *(f"    s->S_{name} = stream(seed, {stream_name(name)}ull);" for name in self.streams),
            "    s->decisions = s->work = s->over = s->options = s->made = s->told = 0;",
            f"    s->until = {min(limits.decision, limits.game)};",
            f"    s->visits = {limits.visits};",
            "    s->reason = NONE;",
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
            self._begin(consts, lines, f"M_{self.printer.names[name]}", "M", written, True)
        if self.components:
            for field, type, values in self._chains():
                self._begin(consts, lines, field, type, [str(n) for n in values], True)
        return [*consts, "", *lines, "}"]

    def _declared(self, name: str) -> Span:
        """Where it says what a place begins with, or what the game is."""
        program = self.setting.program
        return program.variables[name].start.span if name in program.variables else program.setup.span

    @staticmethod
    def _begin(consts: list[str], lines: list[str], name: str, type: str, written: list[str], many: bool) -> None:
        """What a field of the struct begins with."""
        if not many:
            lines.append(f"    s->{name} = {written[0]};")
        elif set(written) == {"0"}:
            lines.append(f"    memset(s->{name}, 0, sizeof s->{name});")
        else:
            consts += listing(f"static const {type} first_{name}[{len(written)}]", in_lines(written))
            lines.append(f"    memcpy(s->{name}, first_{name}, sizeof s->{name});")

    def _begin_lists(self, lines: list[str], name: str, cells: list[Any], many: bool) -> None:
        for at, cell in enumerate(cells):
            field = f"s->{name}[{at}]" if many else f"s->{name}"
            lines.append(f"    {field}.n = {len(cell)};")
            numbers = map(self.printer.constants.number, cell)
            lines += [f"    {field}.v[{i}] = {'NO_ITEM' if n is None else n};" for i, n in enumerate(numbers)]

    def _shown(self) -> int:
        """How many characters the label of a value can have, with what stands between several."""
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
            ("head", "C", [zone[0] if zone else -1 for zone in zones]),
            ("tail", "C", [zone[-1] if zone else -1 for zone in zones]),
            ("count", "C", [len(zone) for zone in zones]),
            ("next", "C", after),
            ("prev", "C", before),
            ("lies", "Z", lies),
        ]


def _width(most: int) -> str:
    return "int16_t" if most < 1 << 15 else "int32_t"
