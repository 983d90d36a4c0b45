"""Check plain data: types, dimensions, tables and printed fields."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .. import core
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Code, Diagnostics, name_subjects
from ..source.source import Sheet, Span, prepend_article, quote_list
from ..source.spelling_suggestions import find_nearest, suggest_name
from ..types.types import (
    BOOL,
    INT,
    LIST_LIMIT,
    NOTHING,
    PLAYER,
    TEXT,
    TEXT_LIMIT,
    BoolType,
    ComponentType,
    EnumType,
    IntType,
    ListType,
    NothingType,
    OptionalType,
    PlayerType,
    TextType,
    Type,
    is_integer_text,
    optional,
)
from .context import Notes
from .symbol_table import BrokenSymbol, Names, report_unknown

_PLAIN: dict[str, Type] = {"Int": INT, "Bool": BOOL, "Text": TEXT, "Player": PLAYER}
_FOREIGN_TYPES = {
    **dict.fromkeys(("int", "integer", "number", "num"), "Int"),
    **dict.fromkeys(("bool", "boolean"), "Bool"),
    **dict.fromkeys(("str", "string", "text"), "Text"),
}
_LIST = re.compile(r"List\s*\[(.*)\]", re.DOTALL)
_SEAT = re.compile(r"P([1-9][0-9]?)")
_RANGE = re.compile(r"(-?[0-9]{1,18})\s*\.\.\s*(-?[0-9]{1,18})")

_Key = tuple[tuple[int, str], ...]
"""The indices of an entry or level of a table, each with its label."""

#: Maximum count of one item in a list that is written with counts.
MAX_REPETITIONS = 1000

#: Maximum nesting depth of lists in a type.
MAX_LIST_DEPTH = 8

#: Placeholder for a value that was reported.
_WRONG = object()


class DataChecker:
    """Check types and plain values against the declared names."""

    def __init__(self, names: Names, notes: Notes, diagnostics: Diagnostics) -> None:
        self.names = names
        self.notes = notes
        self.diagnostics = diagnostics
        self.seats = 1  # minimum number of players, whose seats every game has
        self._entry_spans: dict[tuple[int, ...], tuple[Span, Span]] = {}  # of the table that is being checked

    # ------------------------------------------------------------ types

    def check_type(self, word: model.Word, text: str | None = None) -> Type:
        """Return a type as written, such as ``Int``, ``Player?`` or ``List[Side]``.

        The name of an enum or component kind in it, such as ``Side``, is added to ``notes.used_names``. ``text`` is the
        part of ``word`` to check, or None for all of it. Reports stand at the whole word. ``Int??`` counts as ``Int?``.
        Returns NOTHING after reporting UNKNOWN_TYPE, or TOO_DEEP for a list if the whole word nests more than
        ``MAX_LIST_DEPTH`` lists. ``List[Foo]`` and ``Foo?`` also give NOTHING if ``Foo`` is unknown. A type whose
        declaration is faulty gives NOTHING without a report.
        """
        type_text = (word.text if text is None else text).strip()
        if type_text.endswith("?"):
            return optional(self.check_type(word, type_text.rstrip("? \t\n")))
        match = _LIST.fullmatch(type_text)
        if match is not None and word.text.count("[") > MAX_LIST_DEPTH:
            hint = "keep what belongs together on cards, or in several places"
            self.diagnostics.add(codes.TOO_DEEP, f"lists are nested more than {MAX_LIST_DEPTH} deep", word.span, hint)
            return NOTHING
        if match is not None:
            item = self.check_type(word, match[1])
            return item if isinstance(item, NothingType) else ListType(item)
        if type_text in _PLAIN:
            return _PLAIN[type_text]
        if type_text in self.names.enums:
            self.notes.used_names.add(type_text)
            return EnumType(type_text)
        if type_text in self.names.kinds:
            self.notes.used_names.add(type_text)
            return ComponentType(type_text)
        if isinstance(self.names.symbols.get(type_text), BrokenSymbol):
            return NOTHING
        hint = "a type is `Int`, `Bool`, `Text`, `Player`, an enum or a component kind"
        names = self.names.list_type_names()
        foreign_type = _FOREIGN_TYPES.get(type_text.lower())
        if foreign_type is not None:
            names, hint = [], f"write `{foreign_type}`"
        report_unknown(self.diagnostics, "type", type_text, word.span, names, hint, codes.UNKNOWN_TYPE)
        return NOTHING

    def check_dims(self, words: Sequence[model.Word]) -> tuple[core.Dim, ...] | None:
        """Return the dimensions under ``per`` in order. Without words, the result is ().

        ``[Player, 2..7]`` gives ``(Dim(PLAYER), Dim(INT, 2, 6))``: the range begins with 2 and has 6 numbers. Returns
        None if at least one dimension is faulty. Reports each faulty one, unless it is a type with a faulty
        declaration. Also reports each ``Player`` behind a first dimension that is not ``Player``, but this alone
        doesn't make the result None.
        """
        dims = [self._check_dim(word) for word in words]
        are_players = [dim is not None and isinstance(dim.type, PlayerType) for dim in dims]
        for word, is_player in zip(words[1:], are_players[1:], strict=True):
            if is_player and not are_players[0]:
                message = "`Player` comes after another dimension"
                hint = "put it first, and write `p.name[…]`"
                self.diagnostics.add(codes.BAD_DIMENSION, message, word.span, hint)
        return None if None in dims else tuple(dim for dim in dims if dim is not None)

    def _check_dim(self, word: model.Word) -> core.Dim | None:
        """Return one dimension: its type, lowest index and size.

        It is written as a type, the cards of a kind without their copies (``Card.original``), or a range of numbers
        such as ``1..7``, which gives lowest index 1 and size 7. Returns None after a report if the word is none of
        these, if the range is empty or faulty, or if the type can't be an index. A faulty type gives None without a
        further report.
        """
        kind, dot, member = word.text.strip().partition(".")
        if dot and member == "original" and kind in self.names.kinds:  # one index for a card and all its copies
            self.notes.used_names.add(kind)
            cards = [card.value for card in self.names.constants.values() if card.type == ComponentType(kind)]
            first_copies = tuple(sorted(card for card in cards if isinstance(card, int)))
            return core.Dim(INT, 0, len(first_copies), False, first_copies, kind)
        if _RANGE.fullmatch(word.text.strip()):
            numbers = self._parse_range(word.text.strip(), word.span, codes.BAD_DIMENSION)
            return core.Dim(INT, numbers.start, len(numbers)) if numbers else None
        type = self.check_type(word)
        dim = self.names.make_dimension(type)
        if dim is None and not isinstance(type, NothingType):
            hint = "write `Player`, an enum, a component kind or a range such as `1..7`"
            self.diagnostics.add(codes.BAD_DIMENSION, f"`{word.text}` can't be a dimension", word.span, hint)
        return dim

    # ------------------------------------------------------------ values

    def check_value(self, type: Type, value: model.Value, role: str) -> object:
        """Return the run-time value of plain data.

        Returns None for ``none``, and also after a report, but a list only loses its wrong items, and a text that is
        too long stays. ``role`` names the value in messages.
        """
        result = self._parse_value(type, value, role)
        return None if result is _WRONG else result

    def _parse_value(self, type: Type, value: model.Value, role: str) -> object:
        """Return the run-time value of plain data of a type, or ``_WRONG`` after a report.

        An item of a list that is wrong is left out. A text that is too long is reported, but returned. NOTHING gives
        ``_WRONG`` without a report.
        """
        data = value.data
        match type:
            case NothingType():
                return _WRONG
            case PlayerType() if isinstance(data, str) and (match := _SEAT.fullmatch(data)):
                return self._parse_seat(int(match[1]), value.span)
            case IntType() if isinstance(data, int) and not isinstance(data, bool):
                return data
            case BoolType() if isinstance(data, bool):
                return data
            case TextType() if isinstance(data, str):
                if len(data) > TEXT_LIMIT:
                    message = f"this text has {len(data):,} characters; at most {TEXT_LIMIT:,} are allowed"
                    self.diagnostics.add(codes.TOO_LARGE, message, value.span, "divide it into several texts")
                return data
            case OptionalType(item=item):
                return None if data is None or data == "none" else self._parse_value(item, value, role)
            case ListType(item=item) if value.is_map:
                return self._parse_counts(item, value, role)
            case ListType(item=IntType()) if isinstance(data, str) and _RANGE.fullmatch(data):
                return tuple(self._parse_range(data, value.span, codes.WRONG_TYPE))
            case ListType(item=item) if isinstance(data, tuple):
                items = [self._parse_value(item, entry, role) for entry in data]
                return tuple(entry for entry in items if entry is not _WRONG)
            case EnumType() if isinstance(data, str):
                ordinal = self.resolve_value(type, data, value.span)
                return _WRONG if ordinal is None else ordinal
            case ComponentType(name=kind) if isinstance(data, str):
                return self._parse_card(kind, data, value.span)
        value_text = _format_value(value)
        message = f"{role} is {prepend_article(f'`{type}`')}, but this is {value_text}"
        self.diagnostics.add(codes.WRONG_TYPE, message, value.span)
        return _WRONG

    def _parse_seat(self, seat: int, span: Span) -> object:
        """Return the number of a seat such as ``P1``. Reports a seat that is empty in games with the fewest players."""
        if not 1 <= seat <= self.seats:
            message = f"`P{seat}` does not sit in each game"
            self.diagnostics.add(codes.UNKNOWN_NAME, message, span, f"the seats are `P1` to `P{self.seats}`")
            return _WRONG
        return seat - 1

    def _parse_range(self, text: str, span: Span, code: Code) -> range:
        """Return the numbers of a range such as ``2..5``. The range is empty after a report."""
        low, high = map(int, text.split(".."))
        if high < low:
            self.diagnostics.add(code, f"the range `{text}` is empty", span, f"write `{high}..{low}`")
            return range(0)
        if high - low >= LIST_LIMIT:
            message = f"the range `{text}` has more than {LIST_LIMIT:,} numbers"
            self.diagnostics.add(codes.TOO_MANY, message, span, "make it smaller")
            return range(0)
        return range(low, high + 1)

    def _parse_counts(self, item: Type, value: model.Value, role: str) -> tuple[object, ...]:
        """Return a list that is written as counts: ``{baker: 5}`` is five times ``baker``."""
        assert isinstance(value.data, tuple)
        items: list[object] = []
        for key, number in value.data:
            entry = self._parse_value(item, model.Value(parse_scalar(key.text), False, key.span), f"an item of {role}")
            count = self._parse_count(key, number)
            items += [] if entry is _WRONG else [entry] * count
            if len(items) > LIST_LIMIT:
                message = f"this list has more than {LIST_LIMIT:,} items"
                hint = "keep the number of items in a variable instead"
                self.diagnostics.add(codes.TOO_MANY, message, value.span, hint)
                break
        return tuple(items)

    def _parse_count(self, key: model.Word, number: model.Value) -> int:
        """Return the count of an item in a list, or 0 after a report."""
        times = number.data
        if isinstance(times, int) and not isinstance(times, bool) and 1 <= times <= MAX_REPETITIONS:
            return times
        message = f"`{key.text}` needs the number of times that it is in this list, not {_format_value(number)}"
        hint = f"write a whole number from 1 to {MAX_REPETITIONS}"
        self.diagnostics.add(codes.WRONG_TYPE, message, number.span, hint)
        return 0

    def resolve_value(self, type: EnumType, name: str, span: Span) -> int | None:
        """Return the number of an enum's value, from 0, and record its use. None after reporting an unknown ``name``.

        ``name`` is the value's name or plural, alone or behind the enum: ``coin``, ``coins`` or ``Resource.coins``.
        """
        symbol = self.names.find_value(type, name.removeprefix(f"{type.name}."))
        if symbol is not None:
            self.notes.record_enum_value(symbol)
            return symbol.ordinal
        names = self.names.list_value_names(type)
        hint = suggest_name(name, names) or f"its values are {quote_list(names)}"
        message = f"`{type}` has no value `{name}`"
        self.diagnostics.add(codes.UNKNOWN_NAME, message, span, hint, subjects=name_subjects(name))
        return None

    def _parse_card(self, kind: str, name: str, span: Span) -> object:
        constant = self.names.constants.get(name)
        if constant is not None and constant.type == ComponentType(kind):
            return constant.value
        card_names = [card for card, value in self.names.constants.items() if value.type == ComponentType(kind)]
        report_unknown(self.diagnostics, kind, name, span, card_names)
        return _WRONG

    # ------------------------------------------------------------ tables

    def check_table(self, decl: model.TableDecl, dims: tuple[core.Dim, ...], type: Type) -> core.Table:
        """Check a table and return it in any case.

        Its ``values`` are nested tuples, one level for each dimension, indexed by the position in that dimension.
        ``{left: [1, 2], right: [3, 4]}`` gives ``((1, 2), (3, 4))``. Without dimensions, they are the single value. A
        level is written as a mapping, or as a list if its dimension is a range of numbers. Faulty and missing entries
        are reported, and become None: ``{left: [1, 2]}`` gives ``((1, 2), None)``. But a list in an entry only loses
        its faulty items, and a text that is too long stays. For a misspelt key, only the key is reported. A level in
        another form is reported, and becomes None as a whole. A list of the wrong length is reported: a long one is
        cut, a short one stays short.
        """
        self._entry_spans = {}
        values = self._check_level(decl, dims, type, decl.values, (), decl.values.span)
        return core.Table(decl.name.text, dims, type, values, self._entry_spans)

    def _check_level(
        self, decl: model.TableDecl, dims: tuple[core.Dim, ...], type: Type, value: model.Value, path: _Key, place: Span
    ) -> object:
        """Return the values of a table below ``path``, as nested tuples with one level for each dimension in ``dims``.

        They are written as a list for numbers, else as a mapping. ``place`` is the position of their key, if they have
        one. Returns None after reporting another form.
        """
        entry_name = f"`{decl.name.text}{''.join(f'[{label}]' for _, label in path)}`"
        if not dims:
            self._entry_spans[tuple(index for index, _ in path)] = place, value.span
            return self.check_value(type, value, f"the entry {entry_name}" if path else f"the table {entry_name}")
        labels = self.names.list_dimension_labels(dims[0])
        if isinstance(value.data, tuple) and not value.is_map and isinstance(dims[0].type, IntType):
            entries = value.data
            if len(entries) != len(labels):
                self._report_shape(
                    f"{entry_name} needs {len(labels)} entries, but this list has {len(entries)}", value.span, decl
                )
            return tuple(
                self._check_level(decl, dims[1:], type, entry, (*path, index), entry.span)
                for index, entry in zip(labels, entries, strict=False)
            )
        if not value.is_map:
            label_list = ", ".join(label for _, label in labels)
            self._report_shape(
                f"{entry_name} needs an entry for each of {label_list}", value.span, decl, "write `{name: value, …}`"
            )
            return None
        return self._match_entries(decl, dims, type, value, path)

    def _match_entries(
        self, decl: model.TableDecl, dims: tuple[core.Dim, ...], type: Type, value: model.Value, path: _Key
    ) -> object:
        """Return the values of one level of a table that is written as a mapping, in the order of the dimension.

        Reports unknown entries, and all missing ones together; these are None in the result.
        """
        dim, indices = dims[0].type, self.names.list_dimension_labels(dims[0])
        entry_name = f"`{decl.name.text}{''.join(f'[{label}]' for _, label in path)}`"
        names = [label for _, label in indices]
        assert isinstance(value.data, tuple)
        key_texts = {key.text for key, _ in value.data}
        missing_names = [name for name in names if name not in key_texts]
        entries: dict[str, tuple[model.Value, Span]] = {}
        likely_names: set[str | None] = set()  # names that a misspelt one probably stands for
        for key, entry in value.data:
            if key.text not in names:
                likely_names.add(find_nearest(key.text, missing_names) or find_nearest(key.text, names))
                hint = suggest_name(key.text, missing_names) or suggest_name(key.text, names)
                hint = hint or f"its keys are {', '.join(f'`{name}`' for name in names)}"
                self._report_shape(
                    f"{entry_name} has no entry `{key.text}`", key.span, decl, hint, name_subjects(key.text)
                )
            else:
                entries[key.text] = entry, key.span
        absent_names = [name for name in names if name not in entries and name not in likely_names]
        if absent_names:
            plural = "entries" if len(absent_names) > 1 else "entry"
            missing_list = ", ".join(f"`{name}`" for name in absent_names)
            enum_value = self.names.find_value(dim, absent_names[0]) if isinstance(dim, EnumType) else None
            notes = [] if enum_value is None else [(enum_value.span, f"`{enum_value.name}` is declared here")]
            subjects = (f"entries of {dim}",) if notes else ()
            self._report_shape(
                f"{entry_name} is missing the {plural} {missing_list}",
                value.span,
                decl,
                subjects=subjects,
                more_notes=notes,
            )
        return tuple(
            self._check_level(decl, dims[1:], type, entries[label][0], (*path, (index, label)), entries[label][1])
            if label in entries
            else None
            for index, label in indices
        )

    def _report_shape(
        self,
        message: str,
        span: Span,
        decl: model.TableDecl,
        hint: str | None = None,
        subjects: tuple[str, ...] = (),
        more_notes: Sequence[tuple[Span, str]] = (),
    ) -> None:
        """Report a table whose values don't match its ``per``, which a note shows."""
        index_names = ", ".join(word.text for word in decl.per)
        notes = [(decl.per[0].span, f"the table is declared per {index_names}")] if decl.per else []
        self.diagnostics.add(codes.TABLE_SHAPE, message, span, hint, [*notes, *more_notes], subjects)

    # ------------------------------------------------------------ cards

    def check_fields(self, card: model.CardDecl, fields: dict[str, Type], kind_span: Span) -> dict[str, object]:
        """Check the printed fields of a card.

        Returns field -> value for all fields of the kind in their order: ``{"cost": 3, "gift": None}``. A missing or
        faulty value is None, but a list only loses its wrong items, and a text that is too long stays. Reports each
        unknown field where it stands, and all missing fields together at the id of the card, both with a note at
        ``kind_span``. A field is required unless its type is optional. If a misspelt name probably stands for it, it is
        not reported as missing.
        """
        kind = card.kind.text
        notes = [(kind_span, f"the kind `{kind}` is declared here")]
        values: dict[str, object] = {}
        likely_names: set[str | None] = set()  # names that a misspelt one probably stands for
        for name, value in card.fields:
            if name.text not in fields:
                likely_names.add(find_nearest(name.text, fields))
                self._report_unknown_field(kind, name, fields, notes)
                continue
            role = f"the field `{name.text}`" + (f" of {card.quoted_name}" if card.family is not None else "")
            values[name.text] = self.check_value(fields[name.text], value, role)
        required_names = [name for name, type in fields.items() if not isinstance(type, OptionalType)]
        missing_names = [name for name in required_names if name not in values and name not in likely_names]
        if missing_names:
            missing_list = ", ".join(f"`{name}`" for name in missing_names)
            plural = "s" if len(missing_names) > 1 else ""
            hint = "write it under `fields`"
            if isinstance(card.id.span.source, Sheet):
                hint = f"fill the cell, or add a default to the kind `{kind}`: `defaults: {{{missing_names[0]}: …}}`"
            message = f"the card {card.quoted_name} is missing the field{plural} {missing_list}"
            self.diagnostics.add(codes.CARD_FIELDS, message, card.id.span, hint, notes)
        return {name: values.get(name) for name in fields}

    def check_field_docs(self, kind: model.ComponentDecl, fields: dict[str, Type]) -> None:
        """Report descriptions of fields that the kind does not have."""
        for name, _ in kind.docs:
            if name.text not in fields:
                self._report_unknown_field(kind.name.text, name, fields, [])

    def _report_unknown_field(
        self, kind: str, name: model.Word, fields: dict[str, Type], notes: list[tuple[Span, str]]
    ) -> None:
        field_list = f"it has {', '.join(f'`{field}`' for field in fields)}" if fields else "its kind has no `fields`"
        hint = suggest_name(name.text, fields) or field_list
        message = f"{prepend_article(f'`{kind}`')} has no field `{name.text}`"
        self.diagnostics.add(codes.CARD_FIELDS, message, name.span, hint, notes, name_subjects(name.text))


def make_entities(cards: Sequence[model.CardDecl], first_number: int, label_of: dict[str, str]) -> list[core.Entity]:
    """Return the entities of a kind's cards, one for each copy, numbered from ``first_number``.

    The copies of a card follow each other: ``Entity(5, "Demon", "imp", "imp", "Imp", …)`` and ``Entity(6, "Demon",
    "imp", "imp-2", "Imp", …)`` for the kind Demon. ``label_of`` maps the id of each card to the label of all its
    copies. All copies of a card share one ``fields`` and one ``field_spans``, which are empty here and filled later.
    """
    entities: list[core.Entity] = []
    for card in cards:
        name = card.id.text
        fields: dict[str, object] = {}
        field_spans: dict[str, Span] = {}
        for copy in range(1, card.copies + 1):
            names = (name, name if copy == 1 else f"{name}-{copy}", label_of[name])
            number = first_number + len(entities)
            entities.append(core.Entity(number, card.kind.text, *names, fields, card.id.span, field_spans))
    return entities


def parse_scalar(text: str) -> int | bool | str:
    """Return the plain value of a word: an int, True or False for ``true`` and ``false``, or the text itself."""
    if is_integer_text(text):
        return int(text)
    return text == "true" if text in ("true", "false") else text


def _format_value(value: model.Value) -> str:
    """Return the words for a value in a message: “a list”, “nothing”, “the word `x`”."""
    data = value.data
    if value.is_map:
        return "a mapping"
    if isinstance(data, tuple):
        return "a list"
    if data is None:
        return "nothing"
    if isinstance(data, bool):
        return f"`{'true' if data else 'false'}`"
    return f"`{data}`" if isinstance(data, int) else f"the word `{data}`"
