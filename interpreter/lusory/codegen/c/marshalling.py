"""Convert states, results and texts between Python and C.

C represents a text by a number. Numbers below ``TEXT_BASE`` index a table of known texts. Other texts are composed in
play: the number is then the position of *words* that describe the text. The words are the number of its template, its
length, the number of its words, and the values that the template shows. Only Python turns words into characters. A
text that comes from Python becomes a known text.

:class:`Reader` reads the result row of a game. :func:`serialize_state` and :func:`deserialize_state` convert whole
states.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice
from typing import Any

from lusory_dsl.types.types import BoolType, EnumType, IntType, ListType, PlayerType, Type

from ...state.setting_value_limits_builtins_and_names import Setting, format_value_label
from ...state.state import State
from .. import ir
from ..ir import types
from ..python.runtime import EXTRA_CELLS, VISITS, WAITS, parse_type
from .function_printer_and_c_types import LINES, NUMBER, NotNative, Printer

GameResult = tuple[int, tuple[tuple[int, ...], ...], tuple[int, ...] | None, str | None, tuple[tuple[int, ...], ...]]
"""The result of a game, with the fields of :data:`lusory.codegen.generated_code_check_and_loading.PlayoutResult`."""

NONE = -(1 << 63)
TEXT_BASE = 1 << 30
"""The first number of a composed text."""

HEAD = 3
"""Length of the header of a result row: whether the game failed, the number of decisions, and the reason of the end."""


@dataclass(frozen=True)
class Row:
    """The format of a result row.

    Attributes:
        seats: The number of seats.
        rank_count: The number of rank values of each seat.
        has_payoffs: Whether there is a payoff of each seat.
        column_count: The number of columns of the final table, each with a number for each seat.
        kinds: The kind of each number after the header, in the order of ranks (by seat), payoffs and columns:
            ``truth``, ``text``, ``number``, or ``""`` for one that is always none.
    """

    seats: int
    rank_count: int
    has_payoffs: bool
    column_count: int
    kinds: tuple[str, ...]

    @property
    def texts(self) -> int:
        """The number of numbers before the words of composed texts: the header and the results."""
        return HEAD + len(self.kinds)


def print_result(
    printer: Printer, decisions: ir.Value, ranks: ir.Value, payoffs: ir.Value, reason: ir.Value, columns: ir.Value
) -> None:
    """Print the C assignments that write a result into ``state->row``, and join the row to ``printer.row_format``.

    ``decisions`` goes into ``row[1]`` and ``reason`` into ``row[2]``; ``row[0]`` is not written. The ranks of each seat
    follow, then the payoffs and the columns of the final table, each with a value for each seat. Payoffs that are a
    constant mean none. A text is written as ``export_text(state, x)``, and the constant none as ``NONE``. Example: for
    two seats with one rank each, no payoffs and one column, all of them numbers, the format is ``Row(seats=2,
    rank_count=1, has_payoffs=False, column_count=1, kinds=("number",) * 4)``. A result that is always none fits every
    kind.

    Raise NotNative if a result is a list, or if :func:`list_items` can't list ranks, other payoffs or columns. Also
    raise it if the endings differ in their numbers of seats, ranks, payoffs or columns, or in kinds.
    """
    seats, rows = [list_items(row) for row in list_items(ranks)], [list_items(row) for row in list_items(columns)]
    payments = () if isinstance(payoffs, ir.Const) else list_items(payoffs)
    values = [value for row in (*seats, payments, *rows) for value in row]
    kinds = tuple(_get_result_kind(printer, value) for value in values)
    printer.print_line(f"state->row[1] = {printer.make_value(decisions)};")
    printer.print_line(f"state->row[2] = {_export_value(printer, reason, 'text')};")
    for position, (value, kind) in enumerate(zip(values, kinds, strict=True)):
        printer.print_line(f"state->row[{HEAD + position}] = {_export_value(printer, value, kind)};")
    row_format = Row(len(seats), len(seats[0]) if seats else 0, bool(payments), len(rows), kinds)
    printer.row_format = row_format if printer.row_format is None else _join_rows(printer.row_format, row_format)


def _export_value(printer: Printer, value: ir.Value, kind: str) -> str:
    text = printer.make_value(value)
    return f"export_text(state, {text})" if kind == "text" and text != "NONE" else text


def list_items(value: ir.Value) -> tuple[ir.Value, ...]:
    """Return the items of an ``ir.Tuple`` or ``ir.Record``, in order, and ``()`` for the constant ``()``.

    Raise NotNative for any other value, also for the constant ``(1, 2)``.
    """
    if isinstance(value, ir.Tuple | ir.Record):
        return value.items
    if isinstance(value, ir.Const) and value.value == ():
        return ()
    raise NotNative("results that are made elsewhere")


def _get_result_kind(printer: Printer, value: ir.Value) -> str:
    if printer.get_c_type(value) != NUMBER:
        raise NotNative("results that are lists")
    sort = printer.get_sort(value)
    return {types.TRUTH: "truth", types.TEXT: "text", types.NOTHING: ""}.get(sort.kind, "number")


def _join_rows(first: Row, second: Row) -> Row:
    """Return the common format of the rows of two endings. A number that is always none (kind ``""``) fits every kind.

    Raise NotNative if the rows differ in their numbers of seats, ranks, payoffs or columns, or in a kind.
    """
    if replace(first, kinds=second.kinds) != second or len(first.kinds) != len(second.kinds):
        raise NotNative("results of several forms")
    kinds = []
    for first_kind, second_kind in zip(first.kinds, second.kinds, strict=True):
        known_kinds = {first_kind, second_kind} - {""}
        if len(known_kinds) > 1:
            raise NotNative("results of several kinds")
        kinds.append(next(iter(known_kinds), ""))
    return replace(first, kinds=tuple(kinds))


@dataclass(frozen=True)
class Reader:
    """Read result rows, and number texts.

    Attributes:
        texts: The known texts, by number. Texts of states that come from Python are appended.
        templates: The templates of the composed texts.
        width: The distance from one row to the next.
    """

    setting: Setting
    row: Row
    texts: list[str]
    templates: tuple[tuple[object, ...], ...]
    width: int

    @cached_property
    def types(self) -> dict[str, Type]:
        """The types whose labels composed texts show, by their names in the templates."""
        names = {part[0] for site in self.templates for part in site if isinstance(part, tuple) and part[0].strip()}
        return {name: parse_type(self.setting.program, name) for name in names}

    @cached_property
    def _text_numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.texts)}

    def number_text(self, text: str) -> int:
        """Return the number of a text: its index in ``texts``. A new text is appended."""
        if text not in self._text_numbers:
            self._text_numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._text_numbers[text]

    def read_result(self, rows: Sequence[int], start: int = 0) -> GameResult | None:
        """Return the result of the game whose row begins at index ``start``, or None if the game failed.

        A game has failed if ``rows[start]`` is not 0. The result is a plain tuple: the row ``(0, 12, 7, 1, 0, 3, 5)``
        gives ``(12, ((1,), (0,)), None, "checkmate", ((3, 5),))``. These are 12 decisions, the rank values of two
        seats, no payoffs, the reason ``texts[7]``, and one column of the final table with a value for each seat.
        Payoffs, a tuple of one for each seat, stand in the row between ranks and columns. The reason, and any single
        value, is None for the number ``NONE``. Raise RulesetFault if the label of a list in a text is too long.
        """
        form, row = self.row, rows[start : start + self.row.texts]
        if row[0]:
            return None
        words, count = Words(self, rows, start + form.texts), form.rank_count
        values = [words._decode_value(number, kind) for number, kind in zip(row[HEAD:], form.kinds, strict=True)]
        ranks = tuple(tuple(values[seat * count : (seat + 1) * count]) for seat in range(form.seats))
        size = form.seats * count
        payoffs = tuple(values[size : size + form.seats]) if form.has_payoffs else None
        size += form.seats if form.has_payoffs else 0
        columns = tuple(tuple(values[begin : begin + form.seats]) for begin in range(size, len(values), form.seats))
        return row[1], ranks, payoffs, words._decode_value(row[2], "text"), columns


@dataclass(frozen=True)
class Words:
    """Read the words of the composed texts of one game, which begin at ``start``."""

    reader: Reader
    rows: Sequence[int]
    start: int

    def _decode_value(self, value: int, kind: str) -> Any:
        """Return what a number of a kind stands for, or None for none (``NONE``).

        The kind ``truth`` gives a bool, ``text`` the text with this number, and any other the number itself.
        """
        if value == NONE:
            return None
        if kind == "text":
            return self._compose_text(value)
        return bool(value) if kind == "truth" else value

    def _compose_text(self, number: int) -> str:
        """Return the text with a number, composed from its words if the number is at least TEXT_BASE.

        A smaller number is an index of the known texts. A composed text is in ``rows``, from the index ``start +
        number - TEXT_BASE`` on: the number of its template, two sizes, and the words. They fill in the template in
        order: ``by `` and a player give ``by P2`` for the word 1, and a list begins with its length. Raise RulesetFault
        if the label of a list is too long.
        """
        reader = self.reader
        if number < TEXT_BASE:
            return reader.texts[number]
        position = self.start + number - TEXT_BASE
        pieces = []
        site = reader.templates[self.rows[position]]
        position += 3  # skip the number of the template, the length, and the number of words
        for part in site:
            if isinstance(part, str):
                pieces.append(part)
                continue
            type: str = part[0]  # type: ignore[index]
            value: Any = self._decode_value(self.rows[position], "number")
            position += 1
            if type.startswith("List[") or type == LINES:
                value, position = tuple(self.rows[position : position + value]), position + value
            if type == LINES:
                pieces.append(LINES.join(map(self._compose_text, value)))
                continue
            pieces.append(
                format_value_label(reader.setting, value, reader.types[type]) if type else self._compose_text(value)
            )
        return "".join(pieces)


Site = tuple[object, ...]
"""The template of a composed text: constant pieces as ``str``, and shown values as tuples with the name of their type.

The name is empty for a text.
"""
DIGITS = frozenset("-0123456789")
NUMBER_PIECE, LIST, TEXT, BELOW = 1, 2, 3, 4  # as in runtime/texts.h


def get_part_kinds(site: Site) -> tuple[int, ...]:
    """Return the kinds of the values that a template (``site``) shows, in order: NUMBER_PIECE, LIST, TEXT or BELOW.

    Constant pieces, which are ``str``, have none: ``("by ", ("Int",), ("",))``, the words “by ”, a number and a text,
    gives ``(NUMBER_PIECE, TEXT)``. BELOW stands for a list of lines, whose type is called LINES (``"\\n"``). LIST
    stands for any other list, such as ``("List[Card]",)``, and NUMBER_PIECE for everything else, such as a player.
    """
    text_kinds = {"": TEXT, LINES: BELOW}
    types = [part[0] for part in site if isinstance(part, tuple)]
    return tuple([text_kinds.get(type, LIST if type.startswith("List[") else NUMBER_PIECE) for type in types])


def is_unambiguous(setting: Setting, site: Site, text_letters: frozenset[str]) -> bool:
    """Return whether a template makes different texts of different values, so that two texts can be compared.

    This holds if no two values of a type have the same label. Also, the piece after each value must be missing, or a
    constant that begins with a character that the value cannot contain. ``text_letters`` has the characters of known
    texts.
    """
    for part, piece in zip(site, (*site[1:], None), strict=False):
        if isinstance(part, str):
            continue
        assert isinstance(part, tuple)
        letters = text_letters if part[0] == "" else _find_letters(setting, part[0])
        if letters is None or not (piece is None or (isinstance(piece, str) and piece[:1] not in letters)):
            return False
    return True


def _find_letters(setting: Setting, name: str) -> frozenset[str] | None:
    """Return the characters of the labels of the type ``name``, or None if two values may have the same label.

    Lists of lines, and lists of anything but numbers, have None, and so have types whose values can't be listed.
    """
    if name == LINES:
        return None
    type = parse_type(setting.program, name)
    if isinstance(type, ListType):
        return DIGITS | frozenset(", none") if isinstance(type.item, IntType) else None
    if isinstance(type, IntType):
        return DIGITS
    values = list_values(setting, type)
    if values is None:
        return None
    labels = [format_value_label(setting, value, type) for value in values]
    return frozenset("".join(labels)) if len(set(labels)) == len(labels) else None


def list_values(setting: Setting, type: Type) -> range | None:
    """Return the values of a Bool, Player or enum type as a range from 0, else None."""
    match type:
        case BoolType():
            return range(2)
        case PlayerType():
            return range(setting.players)
        case EnumType(name=name):
            return range(len(setting.program.enums[name].values))
    return None


WORD = (1 << 64) - 1


CellContent = tuple[str, bool]
"""The contents of a cell: ``number``, ``truth`` or ``text``, and whether the cell holds a list of them."""


def get_cell_content(sort: types.Sort) -> CellContent:
    """Return what a cell whose values have ``sort`` contains, as a tuple of a kind and whether the cell holds a list.

    The kind is ``types.TRUTH``, ``types.TEXT`` or ``types.NUMBER``. A list has the kind of its items: a list of texts
    gives ``(types.TEXT, True)``. Everything else counts as a number, also the items of a list that is always empty. A
    sort that may be none counts like one that may not.
    """
    is_list = sort.kind == types.LIST
    kind = (sort.item.kind if sort.item is not None else types.NUMBER) if is_list else sort.kind
    return (kind if kind in (types.TRUTH, types.TEXT) else types.NUMBER), is_list


@dataclass(frozen=True)
class StateForm:
    """The format of a serialized state. Its fields are plain tuples, which the cache can store.

    Attributes:
        places: Name, number of cells and contents of each place, in order.
        locals: Contents of each local that is kept across choices, and its index among the locals that Python keeps.
            The index is -1 if Python does not keep it.
        local_count: The number of cells for locals in Python.
        sites: The site of each choice.
        option_limits: The greatest number of options of each choice.
    """

    places: tuple[tuple[str, int, CellContent], ...]
    locals: tuple[tuple[CellContent, int], ...]
    local_count: int
    streams: tuple[str, ...]
    sites: tuple[int, ...]
    option_limits: tuple[int, ...]

    @cached_property
    def runs(self) -> tuple[tuple[int, int, CellContent], ...]:
        """The runs of consecutive cells of ``places`` with the same contents, in order.

        Each is (first cell, end (exclusive), contents). Three cells with numbers and two with lists of texts give
        ``((0, 3, ("number", False)), (3, 5, ("text", True)))``.
        """
        content_runs: list[tuple[int, int, CellContent]] = []
        begin = 0
        for content, places in groupby(self.places, key=lambda place: place[2]):
            content_runs.append((begin, begin + sum(size for _, size, _ in places), content))
            begin = content_runs[-1][1]
        return tuple(content_runs)


@dataclass(frozen=True)
class GeneratedC:
    """The C of a game.

    Attributes:
        reader: Reads result rows.
        parts: The number of parts of the file.
        form: The format of a serialized state. It is None for whole games, which never serialize a state.
    """

    text: str
    reader: Reader
    parts: int
    form: StateForm | None = None


def deserialize_state(setting: Setting, form: StateForm, reader: Reader, numbers: Sequence[int]) -> State:
    """Return ``numbers``, in the format of :func:`serialize_state`, as a new State of the compiled Python engine.

    Texts with numbers below ``TEXT_BASE`` are the known ones of ``reader``. Others are composed from the words at the
    end of ``numbers``, which only native code writes. In the state, ``frame`` is empty and ``cached_decision`` is None.
    The zones give the locations of components. The visits that are left are ``setting.limits.visits``. The seat, the
    number of options, and locals that Python does not keep are dropped. Locals that C does not keep are None.
    """
    layout, remaining_numbers = setting.layout, iter(numbers)

    def read_cell(content: CellContent) -> Any:
        """Return the contents of the next cell of ``remaining_numbers``: a number, a tuple of numbers for a list, or
        None.

        For ``("number", True)``, a list, the length and then the items are taken from the iterator: 2, 5, 7 gives
        ``(5, 7)``. A negative length gives None. For ``("number", False)``, the next number comes back, even ``NONE``.
        Texts stay numbers, too.
        """
        number = next(remaining_numbers)
        _, is_list = content
        if not is_list:
            return number
        return None if number < 0 else tuple(islice(remaining_numbers, number))

    cells: list[Any] = [None] * (layout.size + EXTRA_CELLS)
    cells[layout.over], cells[layout.size + WAITS] = next(remaining_numbers), next(remaining_numbers)
    cells[layout.size + VISITS] = setting.limits.visits
    values = [(content, read_cell(content)) for _, size, content in form.places for _ in range(size)]
    zones = [list(islice(remaining_numbers, next(remaining_numbers))) for _ in range(layout.zone_count)]
    for zone_number, zone in enumerate(zones):
        for component in zone:
            cells[layout.location + component] = zone_number
    for cell in layout.repeats.values():
        number = next(remaining_numbers)
        cells[cell] = None if number == NONE else number
    local_values = [read_cell(content) for content, _ in form.locals]
    _seat, _option_count = next(remaining_numbers), next(remaining_numbers)
    for name in form.streams:
        cells[layout.streams[name]] = next(remaining_numbers) & WORD
    cells[layout.work], reason, _word_count = next(remaining_numbers), next(remaining_numbers), next(remaining_numbers)
    words = Words(reader, list(remaining_numbers), 0)
    cells[layout.reason] = words._decode_value(reason, "text")
    for index, (content, value) in enumerate(values):
        cells[index] = _decode_cell(words, content, value)
    kept_locals: list[Any] = [None] * form.local_count
    for (content, index), value in zip(form.locals, local_values, strict=True):
        if index >= 0:
            kept_locals[index] = _decode_cell(words, content, value)
    return State(cells + kept_locals, zones, [])


def _decode_cell(words: Words, content: CellContent, value: Any) -> Any:
    kind, is_list = content
    if value is None or not is_list:
        return None if value is None else words._decode_value(value, kind)
    return tuple([words._decode_value(item, kind) for item in value])


RunCache = dict[int, tuple[list[Any], "array[int]"]]
"""First cell of a run -> its values in the previous state, and their serialized form."""


def serialize_state(
    setting: Setting, form: StateForm, reader: Reader, state: State, seat: int, options: int, cache: RunCache
) -> array[int]:
    """Serialize a state of the compiled engine as 64-bit numbers. ``NONE`` stands for ``none``.

    The first number is 1 if the game is over, else 0. The second is the number of the choice that waits, from 0. If the
    game is over, it is that of the last choice that waited, or 0 without one. Then follow the cells of ``form.places``,
    all zones, each after its length, the repeat counters, and the locals of ``form.locals``. A local that Python does
    not keep counts as ``none``. Then come ``seat`` and ``options`` (the seat and number of options of the current
    decision), the streams of ``form.streams`` as signed numbers, the work, the end reason, and a 0, because no text is
    composed of words. A cell or local with a list has the length of the list and its items, or only -1 for none. A
    text, such as the end reason, is its index in ``reader.texts``, where a new one is appended.
    ``cache`` is one that a caller passes for a series of states, at first ``{}``, since these differ in few cells.
    """
    layout, cells = setting.layout, state.cells
    numbers = array("q", [cells[layout.over], cells[layout.size + WAITS] or 0])

    def encode(value: Any, kind: str) -> int:
        if value is None:
            return NONE
        return reader.number_text(value) if kind == "text" else int(value)

    def write(value: Any, content: CellContent) -> None:
        kind, is_list = content
        if not is_list:
            numbers.append(encode(value, kind))
        elif value is None:
            numbers.append(-1)
        else:
            numbers.append(len(value))
            numbers.extend([encode(item, kind) for item in value])

    for start, end, content in form.runs:
        values, (kind, is_list) = cells[start:end], content
        if is_list or kind == "text":
            for value in values:
                write(value, content)
            continue
        if start not in cache or cache[start][0] != values:
            cache[start] = values, array("q", [NONE if value is None else value for value in values])
        numbers += cache[start][1]
    for zone in state.zones:
        numbers.append(len(zone))
        numbers.fromlist(zone)
    numbers.extend([NONE if cells[cell] is None else cells[cell] for cell in layout.repeats.values()])
    kept_locals = cells[layout.size + EXTRA_CELLS :]
    for content, index in form.locals:
        write(kept_locals[index] if index >= 0 else None, content)
    numbers.extend([seat, options, *[to_signed(cells[layout.streams[name]]) for name in form.streams]])
    numbers.extend([cells[layout.work], encode(cells[layout.reason], "text"), 0])
    return numbers


def to_signed(word: int) -> int:
    """Return a 64-bit word, from 0 to below 2**64, as a signed number (two's complement)."""
    return word - (1 << 64) if word >> 63 else word
