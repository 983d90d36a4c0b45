"""Convert states, results and texts between Python and C.

C represents a text by a number. Numbers below ``TEXT_BASE`` index a table of known texts. Other texts are composed in
play: the number is then the position of *words* that describe the text. The words are the number of its template, its
length, the number of its words, and the values that the template shows. Only Python turns words into characters, and
for some texts it can also parse them back.

:class:`Reader` reads the result row of a game. :class:`Reading` and :func:`numbers_of` convert whole states.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from typing import Any

from lusory_dsl.types.types import BoolType, EnumType, IntType, ListType, PlayerType, Type

from ...state.setting import Setting, label_of
from ...state.state import State
from .. import ir
from ..ir import types
from ..python.runtime import EXTRA_CELLS, VISITS, WAITS, type_named
from .printer import LINES, NUMBER, NotNative, Printer

Played = tuple[int, tuple[tuple[int, ...], ...], tuple[int, ...] | None, str | None, tuple[tuple[int, ...], ...]]
"""The result of a game, with the fields of :data:`lusory.codegen.compiled_module.PlayoutResult`."""

NONE = -(1 << 63)
TEXT_BASE = 1 << 30
"""The first number of a composed text."""

HEAD = 3
"""Length of the header of a result row: whether the game failed, the number of decisions, and the reason of the end."""


@dataclass(frozen=True)
class Row:
    """The format of a result row.

    Attributes:
        ranks: The number of rank values of each seat.
        shown: The number of columns of the final table.
        kinds: The kind of each number after the header: ``truth``, ``text`` or ``number``.
    """

    seats: int
    ranks: int
    payoffs: bool
    shown: int
    kinds: tuple[str, ...]

    @property
    def texts(self) -> int:
        """The position of the words of composed texts."""
        return HEAD + len(self.kinds)


def finish(p: Printer, op: ir.Return) -> None:
    """Print the code that writes the end of a game into its result row."""
    decisions, ranks, payoff, reason, table = op.values
    seats = [_items(row) for row in _items(ranks)]
    payoffs = [] if isinstance(payoff, ir.Const) else _items(payoff)
    columns = [_items(row) for row in _items(table.then)] if isinstance(table, ir.Choose) else []
    found = write(p, decisions, reason, seats, payoffs, columns)
    p.row = found if p.row is None else joined(p.row, found)
    p.say("return;")


Values = Sequence[ir.Value]


def write(
    p: Printer,
    decisions: ir.Value,
    reason: ir.Value,
    seats: Sequence[Values],
    payoffs: Values,
    columns: Sequence[Values],
) -> Row:
    """Print the code that writes results into the row, and return the format of the row.

    ``seats`` holds the rank values of each seat. Raises NotNative.
    """
    values = [v for row in (*seats, payoffs, *columns) for v in row]
    kinds = tuple(_kind(p, v) for v in values)
    p.say(f"state->row[1] = {p.value(decisions)};")
    p.say(f"state->row[2] = {_told(p, reason, 'text')};")
    for at, (v, kind) in enumerate(zip(values, kinds, strict=True)):
        p.say(f"state->row[{HEAD + at}] = {_told(p, v, kind)};")
    return Row(len(seats), len(seats[0]) if seats else 0, bool(payoffs), len(columns), kinds)


def _told(p: Printer, v: ir.Value, kind: str) -> str:
    text = p.value(v)
    return f"export_text(state, {text})" if kind == "text" and text != "NONE" else text


def _items(v: ir.Value) -> tuple[ir.Value, ...]:
    if isinstance(v, ir.Tuple | ir.Record):
        return v.items
    if isinstance(v, ir.Const) and v.value == ():
        return ()
    raise NotNative("results that are made elsewhere")


def _kind(p: Printer, v: ir.Value) -> str:
    if p.kind(v) != NUMBER:
        raise NotNative("results that are lists")
    sort = p.sort(v)
    return {types.TRUTH: "truth", types.TEXT: "text", types.NOTHING: ""}.get(sort.kind, "number")


def joined(a: Row, b: Row) -> Row:
    """Return the common format of the rows of two endings. Raises NotNative if there is none."""
    if (a.seats, a.ranks, a.payoffs, a.shown, len(a.kinds)) != (b.seats, b.ranks, b.payoffs, b.shown, len(b.kinds)):
        raise NotNative("results of several forms")
    kinds = []
    for one, other in zip(a.kinds, b.kinds, strict=True):
        both = {one, other} - {""}
        if len(both) > 1:
            raise NotNative("results of several kinds")
        kinds.append(next(iter(both), ""))
    return Row(a.seats, a.ranks, a.payoffs, a.shown, tuple(kinds))


@dataclass(frozen=True)
class Reader:
    """Read result rows.

    Attributes:
        texts: The known texts, by number.
        made: The templates of the composed texts.
        width: The distance from one row to the next.
    """

    setting: Setting
    row: Row
    texts: tuple[str, ...]
    made: tuple[tuple[object, ...], ...]
    width: int

    @cached_property
    def types(self) -> dict[str, Type]:
        """The types whose labels composed texts show, by name."""
        names = {part[0] for site in self.made for part in site if isinstance(part, tuple) and part[0].strip()}
        return {name: type_named(self.setting.program, name) for name in names}

    def result(self, rows: Sequence[int], start: int = 0) -> Played | None:
        """Return the result of the game whose row begins at ``start``, or None if the game failed."""
        one, row = self.row, rows[start : start + self.row.texts]
        if row[0]:
            return None
        words = Words(self, rows, start + one.texts)
        values = [words.value(row[HEAD + at], kind) for at, kind in enumerate(one.kinds)]
        size = one.seats * one.ranks
        ranks = tuple(tuple(values[at * one.ranks : (at + 1) * one.ranks]) for at in range(one.seats))
        payoffs = tuple(values[size : size + one.seats]) if one.payoffs else None
        size += one.seats if one.payoffs else 0
        shown = tuple(tuple(values[at : at + one.seats]) for at in range(size, len(values), one.seats))
        return row[1], ranks, payoffs, words.value(row[2], "text"), shown


@dataclass(frozen=True)
class Words:
    """Read the words of the composed texts of one game, which begin at ``start``.

    ``known`` replaces the known texts of the reader if it is not empty.
    """

    reader: Reader
    rows: Sequence[int]
    start: int
    known: Sequence[str] = ()

    def value(self, value: int, kind: str) -> Any:
        """Return the value of a number of a kind (``truth``, ``text`` or ``number``), or None for none."""
        if value == NONE:
            return None
        if kind == "text":
            return self.text(value)
        return bool(value) if kind == "truth" else value

    def text(self, number: int) -> str:
        """Return the text with a number, composed from its words if necessary."""
        reader = self.reader
        if number < TEXT_BASE:
            return (self.known or reader.texts)[number]
        at = self.start + number - TEXT_BASE
        words = []
        site = reader.made[self.rows[at]]
        at += 3  # skip the number of the template, the length, and the number of words
        for part in site:
            if isinstance(part, str):
                words.append(part)
                continue
            type: str = part[0]  # type: ignore[index]
            value: Any = self.value(self.rows[at], "number")
            at += 1
            if type.startswith("List[") or type == LINES:
                value, at = tuple(self.rows[at : at + value]), at + value
            if type == LINES:
                words.append(LINES.join(map(self.text, value)))
                continue
            words.append(label_of(reader.setting, value, reader.types[type]) if type else self.text(value))
        return "".join(words)


Site = tuple[object, ...]
"""The template of a composed text: constant pieces as ``str``, and shown values as tuples with the name of their type.

The name is empty for a text.
"""
DIGITS = frozenset("-0123456789")
NUMBER_PIECE, LIST, TEXT, BELOW = 1, 2, 3, 4  # as in runtime/texts.h


def kinds(site: Site) -> tuple[int, ...]:
    """Return the kinds of the values that a template shows, as the runtime numbers them."""
    named = {"": TEXT, LINES: BELOW}
    types = [part[0] for part in site if isinstance(part, tuple)]
    return tuple([named.get(type, LIST if type.startswith("List[") else NUMBER_PIECE) for type in types])


def is_exact(setting: Setting, site: Site, known: frozenset[str]) -> bool:
    """Return whether a template makes different texts of different values.

    This holds if no two values look alike, and the piece after each value begins with a character that the value cannot
    contain. ``known`` has the characters of all known texts.
    """
    for part, behind in zip(site, (*site[1:], None), strict=False):
        if isinstance(part, str):
            continue
        assert isinstance(part, tuple)
        letters = known if part[0] == "" else _letters(setting, part[0])
        if letters is None or (behind is not None and not (isinstance(behind, str) and behind[:1] not in letters)):
            return False
    return True


def _letters(setting: Setting, name: str) -> frozenset[str] | None:
    """Return the characters of the labels of a type, or None if two values may have the same label."""
    if name == LINES:
        return None
    type = type_named(setting.program, name)
    if isinstance(type, ListType):
        return DIGITS | frozenset(", none") if isinstance(type.item, IntType) else None
    if isinstance(type, IntType):
        return DIGITS
    values = values_of(setting, type)
    if values is None:
        return None
    labels = [label_of(setting, value, type) for value in values]
    return frozenset("".join(labels)) if len(set(labels)) == len(labels) else None


def values_of(setting: Setting, type: Type) -> range | None:
    """Return the values of a type that has only a few, else None."""
    match type:
        case BoolType():
            return range(2)
        case PlayerType():
            return range(setting.players)
        case EnumType(name=name):
            return range(len(setting.program.enums[name].values))
    return None


INTEGER = "-?[1-9][0-9]{0,17}|0"
MANY = 10_000
"""Number of parsed texts that are cached."""


@dataclass(frozen=True)
class Form:
    """A parser for the texts of one template.

    Attributes:
        site: The number of the template.
        pattern: A regular expression with a group for each shown value.
        reads: For each group, a function from its characters to words.
    """

    site: int
    pattern: re.Pattern[str]
    reads: tuple[Callable[[str], list[int]], ...]

    def words(self, text: str) -> list[int] | None:
        """Return the words of the values in a text, or None if the text does not match the template."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        return [word for read, part in zip(self.reads, found.groups(), strict=True) for word in read(part)]


class Wordings:
    """Convert texts of a game to numbers. ``known`` lists the texts that have numbers; new ones are appended."""

    def __init__(self, reader: Reader) -> None:
        self.known = list(reader.texts)
        letters = frozenset("".join(reader.texts))
        exact = [site for site, parts in enumerate(reader.made) if is_exact(reader.setting, parts, letters)]
        self._forms = [_form(reader, site) for site in exact]
        self._numbers = {text: number for number, text in enumerate(reader.texts)}
        self._read: dict[str, tuple[int, ...]] = {}

    def number_of(self, text: str) -> int:
        """Return the number of a known text. An unknown text is added."""
        if text not in self._numbers:
            self._numbers[text] = len(self.known)
            self.known.append(text)
        return self._numbers[text]

    def words_of(self, text: str) -> tuple[int, ...]:
        """Return the words that C would compose for a text.

        The first three are a header: the number of the template, the length of the text in characters, and the number
        of all words with the header. The words of the values follow. Returns an empty tuple if the text is known, or
        matches no template or several.
        """
        if text in self._numbers:
            return ()
        if text not in self._read:
            if len(self._read) >= MANY:
                self._read.clear()
            found = [(form.site, words) for form in self._forms if (words := form.words(text)) is not None]
            self._read[text] = (found[0][0], len(text), 3 + len(found[0][1]), *found[0][1]) if len(found) == 1 else ()
        return self._read[text]


@dataclass
class Said:
    """Assign numbers to the texts of one state. ``words`` collects the words of its composed texts."""

    wordings: Wordings
    words: list[int] = field(default_factory=list)
    _at: dict[str, int] = field(default_factory=dict)

    def number_of(self, text: str) -> int:
        """Return the number of a text in this state."""
        if text not in self._at:
            words = self.wordings.words_of(text)
            self._at[text] = TEXT_BASE + len(self.words) if words else self.wordings.number_of(text)
            self.words += words
        return self._at[text]


def _form(reader: Reader, site: int) -> Form:
    pattern, reads = "", list[Callable[[str], list[int]]]()
    for part in reader.made[site]:
        if isinstance(part, str):
            pattern += re.escape(part)
        else:
            assert isinstance(part, tuple)
            group, read = _part(reader, part[0])
            pattern += f"({group})"
            reads.append(read)
    return Form(site, re.compile(pattern, re.ASCII), tuple(reads))


def _part(reader: Reader, name: str) -> tuple[str, Callable[[str], list[int]]]:
    """Return the regular expression for values of a type, and the function from characters to words."""
    if not name:
        return _one_of({text: number for number, text in enumerate(reader.texts)})
    type = type_named(reader.setting.program, name)
    if isinstance(type, IntType):
        return INTEGER, lambda said: [int(said)]
    if isinstance(type, ListType):
        return f"none|(?:{INTEGER})(?:, (?:{INTEGER}))*", _numbers
    setting: Setting = reader.setting
    return _one_of({label_of(setting, value, type): value for value in values_of(setting, type) or ()})


def _one_of(numbers: dict[str, int]) -> tuple[str, Callable[[str], list[int]]]:
    longest_first = sorted(numbers, key=len, reverse=True)
    return "|".join(map(re.escape, longest_first)), partial(_number, numbers)


def _number(numbers: dict[str, int], said: str) -> list[int]:
    return [numbers[said]]


def _numbers(said: str) -> list[int]:
    found = [] if said == "none" else [int(one) for one in said.split(", ")]
    return [len(found), *found]


WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Held:
    """The contents of a cell:

    ``kind`` is ``number``, ``truth`` or ``text``. With ``many``, the cell holds a list of them.
    """

    kind: str
    many: bool


@dataclass(frozen=True)
class StateForm:
    """The format of a serialized state.

    Attributes:
        places: Name, number of cells and contents of each place, in order.
        locals: Contents of each local that is kept across choices, and its index among the locals that Python keeps.
            The index is -1 if Python does not keep it.
        room: The number of cells for locals in Python.
        sites: The site of each choice.
        most: The greatest number of options of each choice.
    """

    places: tuple[tuple[str, int, Held], ...]
    locals: tuple[tuple[Held, int], ...]
    room: int
    streams: tuple[str, ...]
    sites: tuple[int, ...]
    most: tuple[int, ...]

    @cached_property
    def runs(self) -> tuple[tuple[int, int, Held], ...]:
        """Runs of consecutive cells with the same kind of contents: first cell, end, and contents."""
        found: list[tuple[int, int, Held]] = []
        at = 0
        for held, places in groupby(self.places, key=lambda place: place[2]):
            found.append((at, at + sum(size for _, size, _ in places), held))
            at = found[-1][1]
        return tuple(found)


def plain_form(form: StateForm) -> tuple[Any, ...]:
    """Return the format as plain tuples, for the cache."""
    places = tuple((name, size, held.kind, held.many) for name, size, held in form.places)
    kept = tuple((held.kind, held.many, at) for held, at in form.locals)
    return places, kept, form.room, form.streams, form.sites, form.most


def form_of(plain: tuple[Any, ...]) -> StateForm:
    """Return the format from the result of :func:`plain_form`."""
    places, kept, room, streams, sites, most = plain
    cells = tuple((name, size, Held(kind, many)) for name, size, kind, many in places)
    return StateForm(cells, tuple((Held(kind, many), at) for kind, many, at in kept), room, streams, sites, most)


@dataclass
class Reading:
    """Read one serialized state. ``known`` lists the texts that have numbers."""

    setting: Setting
    form: StateForm
    reader: Reader
    known: Sequence[str]
    numbers: Sequence[int]
    at: int = 0

    def next(self) -> int:
        """Read one number."""
        self.at += 1
        return self.numbers[self.at - 1]

    def some(self, count: int) -> Sequence[int]:
        """Read several numbers."""
        self.at += count
        return self.numbers[self.at - count : self.at]

    def held(self, held: Held) -> Any:
        """Read the contents of a cell. Texts stay numbers at first, since their words are at the end of the state."""
        if not held.many:
            return self.next()
        count = self.next()
        return None if count < 0 else tuple(self.some(count))

    def state(self) -> State:
        """Read the state as the compiled engine represents it."""
        layout, form = self.setting.layout, self.form
        cells: list[Any] = [None] * (layout.size + EXTRA_CELLS)
        over, waits = self.next(), self.next()
        cells[layout.over], cells[layout.size + WAITS] = over, waits
        cells[layout.size + VISITS] = self.setting.limits.visits
        kinds = []
        values = []
        for _, size, held in form.places:
            kinds += [held] * size
            values += [self.held(held) for _ in range(size)]
        zones = [list(self.some(self.next())) for _ in range(layout.zone_count)]
        for number, zone in enumerate(zones):
            for component in zone:
                cells[layout.location + component] = number
        for cell in layout.repeats.values():
            cells[cell] = self.value(self.next())
        kept = [self.held(held) for held, _ in form.locals]
        self.some(2)  # skip the seat and the number of options
        for name in form.streams:
            cells[layout.streams[name]] = self.next() & WORD
        cells[layout.work] = self.next()
        reason = self.next()
        words = Words(self.reader, self.numbers, self.at + 1, self.known)
        cells[layout.reason] = words.value(reason, "text")
        for at, (held, value) in enumerate(zip(kinds, values, strict=True)):
            cells[at] = _cell(words, held, value)
        spilled: list[Any] = [None] * form.room
        for (held, at), value in zip(form.locals, kept, strict=True):
            if at >= 0:
                spilled[at] = _cell(words, held, value)
        cells += spilled
        return State(cells, zones, [])

    @staticmethod
    def value(number: int) -> int | None:
        return None if number == NONE else number


def _cell(words: Words, held: Held, value: Any) -> Any:
    if value is None or not held.many:
        return None if value is None else words.value(value, held.kind)
    return tuple([words.value(item, held.kind) for item in value])


Known = dict[int, tuple[list[Any], "array[int]"]]
"""First cell of a run -> its values in the previous state, and their serialized form."""


def numbers_of(
    setting: Setting, form: StateForm, wordings: Wordings, state: State, seat: int, options: int, known: Known
) -> array[int]:
    """Serialize a state of the compiled engine.

    ``seat`` and ``options`` describe the current decision. ``known`` is a cache that one caller passes for a series of
    states, since these differ in few cells.
    """
    layout, cells, said = setting.layout, state.cells, Said(wordings)
    found = array("q", [cells[layout.over], cells[layout.size + WAITS] or 0])

    def number(value: Any, held: Held) -> int:
        if value is None:
            return NONE
        return said.number_of(value) if held.kind == "text" else int(value)

    def put(value: Any, held: Held) -> None:
        if not held.many:
            found.append(number(value, held))
        elif value is None:
            found.append(-1)
        else:
            found.append(len(value))
            found.extend([number(item, held) for item in value])

    for start, end, held in form.runs:
        values = cells[start:end]
        if held.many or held.kind == "text":
            for value in values:
                put(value, held)
            continue
        if start not in known or known[start][0] != values:
            known[start] = values, array("q", [NONE if value is None else value for value in values])
        found += known[start][1]
    for zone in state.zones:
        found.append(len(zone))
        found.fromlist(zone)
    found.extend([NONE if cells[cell] is None else cells[cell] for cell in layout.repeats.values()])
    spilled = cells[layout.size + EXTRA_CELLS :]
    for held, at in form.locals:
        put(spilled[at] if at >= 0 else None, held)
    found.extend([seat, options, *[signed(cells[layout.streams[name]]) for name in form.streams]])
    reason = cells[layout.reason]
    found.extend([cells[layout.work], NONE if reason is None else said.number_of(reason)])
    found.extend([len(said.words), *said.words])
    return found


def signed(word: int) -> int:
    """Return a 64-bit word as a signed number (two's complement)."""
    return word - (1 << 64) if word >> 63 else word
