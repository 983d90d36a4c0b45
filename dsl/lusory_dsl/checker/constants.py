"""Check plain data (types, dimensions, tables, printed fields), and evaluate constant expressions."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import core
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.diagnostics import Code, Diagnostics, about_name, did_you_mean, nearest
from ..source.source import Sheet, Span, article
from ..types.types import (
    BOOL,
    INT,
    INT_MAX,
    INT_MIN,
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
    is_whole,
    optional,
)
from .context import Notes
from .symbols import BrokenSymbol, Names

_PLAIN: dict[str, Type] = {"Int": INT, "Bool": BOOL, "Text": TEXT, "Player": PLAYER}
_LIST = re.compile(r"List\s*\[(.*)\]", re.DOTALL)
_SEAT = re.compile(r"P([1-9][0-9]?)")
_RANGE = re.compile(r"(-?[0-9]{1,18})\s*\.\.\s*(-?[0-9]{1,18})")

#: Maximum count of one item in a list that is written with counts.
MOST_TIMES = 1000

#: Maximum nesting depth of lists in a type.
MOST_LISTS = 8

#: Placeholder for a value that was reported.
_WRONG = object()


class Data:
    """Check types and plain values against the declared names."""

    def __init__(self, names: Names, notes: Notes, diagnostics: Diagnostics) -> None:
        self.names = names
        self.notes = notes
        self.diagnostics = diagnostics
        self.seats = 1  # minimum number of players, whose seats every game has
        self._places: dict[tuple[str, ...], Span] = {}

    # ------------------------------------------------------------ types

    def type(self, word: model.Word, text: str | None = None) -> Type:
        """Return a type as written, such as ``Int``, ``Player?`` or ``List[Side]``. NOTHING after a report."""
        written = (word.text if text is None else text).strip()
        if written.endswith("?"):
            return optional(self.type(word, written.rstrip("? \t\n")))
        matched = _LIST.fullmatch(written)
        if matched is not None and word.text.count("[") > MOST_LISTS:
            hint = "keep what belongs together on cards, or in several places"
            self.diagnostics.add(
                diagnostic_codes.TOO_DEEP, f"lists are nested more than {MOST_LISTS} deep", word.span, hint
            )
            return NOTHING
        if matched is not None:
            item = self.type(word, matched[1])
            return item if isinstance(item, NothingType) else ListType(item)
        if written in _PLAIN:
            return _PLAIN[written]
        if written in self.names.enums:
            self.notes.used.add(written)
            return EnumType(written)
        if written in self.names.kinds:
            self.notes.used.add(written)
            return ComponentType(written)
        if isinstance(self.names.symbols.get(written), BrokenSymbol):
            return NOTHING
        known = self.names.type_names()
        hint = did_you_mean(written, known) or "a type is `Int`, `Bool`, `Text`, `Player`, an enum or a component kind"
        self.diagnostics.add(
            diagnostic_codes.UNKNOWN_TYPE, f"there is no type `{written}`", word.span, hint, about=about_name(written)
        )
        return NOTHING

    def dims(self, words: Sequence[model.Word]) -> tuple[core.Dim, ...] | None:
        """Return the dimensions under ``per``, or None after a report."""
        found = [self.dim(word) for word in words]
        for word, dim in zip(words[1:], found[1:], strict=True):
            if dim is not None and isinstance(dim.type, PlayerType) and not _is_player(found[0]):
                message = "`Player` stands behind another dimension"
                hint = "put it first, so that it is written `p.name[…]`"
                self.diagnostics.add(diagnostic_codes.BAD_DIMENSION, message, word.span, hint)
        return None if None in found else tuple(dim for dim in found if dim is not None)

    def dim(self, word: model.Word) -> core.Dim | None:
        """Return one dimension: a type, the cards of a kind without their copies, or a range of numbers.

        None after a report.
        """
        kind, dot, member = word.text.strip().partition(".")
        if dot and member == "original" and kind in self.names.kinds:
            return self._piles(kind, word)
        if _RANGE.fullmatch(word.text.strip()):
            numbers = self._range(word.text.strip(), word.span, diagnostic_codes.BAD_DIMENSION)
            return core.Dim(INT, numbers.start, len(numbers)) if numbers else None
        type = self.type(word)
        dim = self.names.dimension(type)
        if dim is None and not isinstance(type, NothingType):
            self.diagnostics.add(
                diagnostic_codes.BAD_DIMENSION,
                f"`{word.text}` can't be a dimension",
                word.span,
                "a dimension is `Player`, an enum, a component kind or a range such as `1..7`",
            )
        return dim

    def _piles(self, kind: str, word: model.Word) -> core.Dim:
        """Return a dimension with one index for each card of a kind. All copies of a card share an index."""
        self.notes.used.add(kind)
        cards = [card.value for card in self.names.constants.values() if card.type == ComponentType(kind)]
        piles = tuple(sorted(card for card in cards if isinstance(card, int)))
        return core.Dim(INT, 0, len(piles), False, piles, kind)

    # ------------------------------------------------------------ values

    def value(self, type: Type, value: model.Value, what: str) -> object:
        """Return the run-time value of plain data, or None after a report. ``what`` names the value in messages."""
        found = self._value(type, value, what)
        return None if found is _WRONG else found

    def _value(self, type: Type, value: model.Value, what: str) -> object:
        data = value.data
        match type:
            case NothingType():
                return _WRONG
            case PlayerType() if isinstance(data, str) and (found := _SEAT.fullmatch(data)):
                return self._seat(int(found[1]), value.span)
            case IntType() if isinstance(data, int) and not isinstance(data, bool):
                return data
            case BoolType() if isinstance(data, bool):
                return data
            case TextType() if isinstance(data, str):
                if len(data) > TEXT_LIMIT:
                    message = f"this text has {len(data):,} characters; {TEXT_LIMIT:,} are allowed"
                    self.diagnostics.add(
                        diagnostic_codes.TOO_LARGE, message, value.span, "divide it into several texts"
                    )
                return data
            case OptionalType(item=item):
                return None if data is None or data == "none" else self._value(item, value, what)
            case ListType(item=item) if value.is_map:
                return self._counted(item, value, what)
            case ListType(item=IntType()) if isinstance(data, str) and _RANGE.fullmatch(data):
                return self._run(data, value.span)
            case ListType(item=item) if isinstance(data, tuple):
                return tuple(self._value(item, entry, what) for entry in data)
            case EnumType() if isinstance(data, str):
                return self._enum_value(type, data, value.span)
            case ComponentType(name=kind) if isinstance(data, str):
                return self._card(kind, data, value.span)
        shown = _shown(value)
        self.diagnostics.add(
            diagnostic_codes.WRONG_TYPE, f"{what} is {article(f'`{type}`')}, this is {shown}", value.span
        )
        return _WRONG

    def _seat(self, seat: int, span: Span) -> object:
        """Return the number of a seat such as ``P1``. Reports a seat that is empty in games with the fewest players."""
        if not 1 <= seat <= self.seats:
            message = f"`P{seat}` does not sit in each game"
            self.diagnostics.add(diagnostic_codes.UNKNOWN_NAME, message, span, f"the seats are `P1` to `P{self.seats}`")
            return _WRONG
        return seat - 1

    def _range(self, text: str, span: Span, code: Code) -> range:
        """Return the numbers of a range such as ``2..5``. The range is empty after a report."""
        low, high = map(int, text.split(".."))
        if high < low:
            self.diagnostics.add(code, f"the range `{text}` is empty", span, f"write `{high}..{low}`")
            return range(0)
        if high - low >= LIST_LIMIT:
            message = f"the range `{text}` has more than {LIST_LIMIT:,} numbers"
            self.diagnostics.add(diagnostic_codes.TOO_MANY, message, span, "make it smaller")
            return range(0)
        return range(low, high + 1)

    def _run(self, text: str, span: Span) -> tuple[object, ...]:
        """Return a list of numbers that is written as a range."""
        return tuple(self._range(text, span, diagnostic_codes.WRONG_TYPE))

    def _counted(self, item: Type, value: model.Value, what: str) -> tuple[object, ...]:
        """Return a list that is written as counts: ``{baker: 5}`` is five times ``baker``."""
        assert isinstance(value.data, tuple)
        found: list[object] = []
        for key, number in value.data:
            entry = self._value(item, model.Value(_read(key.text), False, key.span), f"an item of {what}")
            found += [entry] * self._times(key, number)
            if len(found) > LIST_LIMIT:
                message = f"this list has more than {LIST_LIMIT:,} items"
                self.diagnostics.add(
                    diagnostic_codes.TOO_MANY, message, value.span, "say how many there are in a place of its own"
                )
                break
        return tuple(found)

    def _times(self, key: model.Word, number: model.Value) -> int:
        """Return the count of an item in a list, or 0 after a report."""
        times = number.data
        if isinstance(times, int) and not isinstance(times, bool) and 1 <= times <= MOST_TIMES:
            return times
        message = (
            f"`{key.text}` needs a whole number from 1, how often it stands in this list; this is {_shown(number)}"
        )
        hint = None
        if isinstance(times, int) and times > MOST_TIMES:
            message, hint = f"{times} times `{key.text}` is too much", f"at most {MOST_TIMES} times"
        elif isinstance(times, int):
            hint = "leave it out" if times == 0 else None
        self.diagnostics.add(diagnostic_codes.WRONG_TYPE, message, number.span, hint)
        return 0

    def _enum_value(self, type: EnumType, name: str, span: Span) -> object:
        found = self.names.value_of(type, name.removeprefix(f"{type.name}."))
        if found is not None:
            self.notes.use_value(found)
            return found.ordinal
        names = self.names.value_names(type)
        hint = did_you_mean(name, names) or f"its values are {', '.join(f'`{n}`' for n in names)}"
        self.diagnostics.add(
            diagnostic_codes.UNKNOWN_NAME, f"`{type}` has no value `{name}`", span, hint, about=about_name(name)
        )
        return _WRONG

    def _card(self, kind: str, name: str, span: Span) -> object:
        found = self.names.constants.get(name)
        if found is not None and found.type == ComponentType(kind):
            return found.value
        known = [n for n, c in self.names.constants.items() if c.type == ComponentType(kind)]
        message, hint = f"there is no {kind} `{name}`", did_you_mean(name, known)
        self.diagnostics.add(diagnostic_codes.UNKNOWN_NAME, message, span, hint, about=about_name(name))
        return _WRONG

    # ------------------------------------------------------------ tables

    def table(self, decl: model.TableDecl, dims: tuple[core.Dim, ...], type: Type) -> core.Table:
        """Check a table and return it. Its entries are nested tuples, with one level for each dimension."""
        self._places = {}
        values = self._level(decl, dims, type, decl.values, ())
        return core.Table(decl.name.text, dims, type, values, self._places, self._written(dims, decl.values))

    def _written(self, dims: tuple[core.Dim, ...], value: model.Value) -> object:
        """Return the positions of a table's entries, as nested tuples."""
        if not dims or not isinstance(value.data, tuple):
            return value.span
        labels = [label for _, label in self.names.dimension_labels(dims[0])]
        pairs = (
            ((key.text, entry) for key, entry in value.data) if value.is_map else zip(labels, value.data, strict=False)
        )
        entries = dict(pairs)
        return tuple(self._written(dims[1:], entries[label]) for label in labels if label in entries)

    def _level(
        self, decl: model.TableDecl, dims: tuple[core.Dim, ...], type: Type, value: model.Value, path: tuple[str, ...]
    ) -> object:
        where = f"`{decl.name.text}{''.join(f'[{p}]' for p in path)}`"
        if not dims:
            return self.value(type, value, f"the entry {where}" if path else f"the table {where}")
        dim, rest = dims[0], dims[1:]
        labels = self.names.dimension_labels(dim)
        if isinstance(value.data, tuple) and not value.is_map and isinstance(dim.type, IntType):
            entries = value.data
            if len(entries) != len(labels):
                self._shape(f"{where} has {len(labels)} entries, this list has {len(entries)}", value.span, decl)
            pairs = list(zip(labels, entries, strict=False))
            self._places |= {(*path, label): entry.span for (_, label), entry in pairs}
            return tuple(self._level(decl, rest, type, e, (*path, label)) for (_, label), e in pairs)
        if not value.is_map:
            shown = ", ".join(label for _, label in labels)
            self._shape(f"{where} needs an entry for each of {shown}", value.span, decl, "write `{name: value, …}`")
            return None
        return self._entries(decl, dim, rest, type, value, path)

    def _entries(
        self,
        decl: model.TableDecl,
        dim: core.Dim,
        rest: tuple[core.Dim, ...],
        type: Type,
        value: model.Value,
        path: tuple[str, ...],
    ) -> object:
        labels = self.names.dimension_labels(dim)
        where = f"`{decl.name.text}{''.join(f'[{p}]' for p in path)}`"
        names = [label for _, label in labels]
        assert isinstance(value.data, tuple)
        written = {key.text for key, _ in value.data}
        left = [name for name in names if name not in written]
        given: dict[str, model.Value] = {}
        meant: set[str | None] = set()  # names that a misspelt one probably stands for
        for key, entry in value.data:
            if key.text not in names:
                meant.add(nearest(key.text, left) or nearest(key.text, names))
                hint = did_you_mean(key.text, left) or did_you_mean(key.text, names)
                hint = hint or f"its keys are {', '.join(f'`{n}`' for n in names)}"
                self._shape(f"{where} has no entry `{key.text}`", key.span, decl, hint, about_name(key.text))
            else:
                given[key.text] = entry
                self._places[*path, key.text] = key.span
        missing = [name for name in names if name not in given and name not in meant]
        if missing:
            plural = "entries" if len(missing) > 1 else "entry"
            shown = ", ".join(f"`{n}`" for n in missing)
            values = [self.names.value_of(dim.type, n) for n in missing] if isinstance(dim.type, EnumType) else []
            notes = [(v.span, f"`{v.name}` is declared here") for v in values[:1] if v is not None]
            about = (f"entries of {dim.type}",) if notes else ()
            self._shape(f"{where} lacks the {plural} {shown}", value.span, decl, about=about, more=notes)
        return tuple(
            self._level(decl, rest, type, given[name], (*path, name)) if name in given else None for name in names
        )

    def _shape(
        self,
        message: str,
        span: Span,
        decl: model.TableDecl,
        hint: str | None = None,
        about: tuple[str, ...] = (),
        more: Sequence[tuple[Span, str]] = (),
    ) -> None:
        per = ", ".join(word.text for word in decl.per)
        notes = [(decl.per[0].span, f"it is declared per {per}")] if decl.per else []
        self.diagnostics.add(diagnostic_codes.TABLE_SHAPE, message, span, hint, [*notes, *more], about)

    # ------------------------------------------------------------ cards

    def fields(self, card: model.CardDecl, fields: dict[str, Type], kind_span: Span) -> dict[str, object]:
        """Check the printed fields of a card. Each field of its kind is required, unless its type is optional."""
        kind = card.kind.text
        notes = [(kind_span, f"the kind `{kind}` is declared here")]
        found: dict[str, object] = {}
        meant: set[str | None] = set()  # names that a misspelt one probably stands for
        for name, value in card.fields:
            if name.text not in fields:
                meant.add(nearest(name.text, fields))
                hint = did_you_mean(name.text, fields) or _known_fields(fields)
                message = f"{article(f'`{kind}`')} has no field `{name.text}`"
                self.diagnostics.add(
                    diagnostic_codes.CARD_FIELDS, message, name.span, hint, notes, about_name(name.text)
                )
                continue
            found[name.text] = self.value(fields[name.text], value, _field(card, name))
        required = [n for n, type in fields.items() if not isinstance(type, OptionalType)]
        missing = [n for n in required if n not in found and n not in meant]
        if missing:
            shown = ", ".join(f"`{n}`" for n in missing)
            plural = "s" if len(missing) > 1 else ""
            hint = "write it under `fields`"
            if isinstance(card.id.span.source, Sheet):
                hint = f"fill its cell, or give `{kind}` a default: `defaults: {{{missing[0]}: …}}`"
            message = f"the card {card.called} lacks the field{plural} {shown}"
            self.diagnostics.add(diagnostic_codes.CARD_FIELDS, message, card.id.span, hint, notes)
        return {name: found.get(name) for name in fields}

    def field_docs(self, kind: model.ComponentDecl, fields: dict[str, Type]) -> None:
        """Report descriptions of fields that the kind does not have."""
        for name, _ in kind.docs:
            if name.text not in fields:
                message = f"{article(f'`{kind.name.text}`')} has no field `{name.text}`"
                hint = did_you_mean(name.text, fields) or _known_fields(fields)
                self.diagnostics.add(
                    diagnostic_codes.CARD_FIELDS, message, name.span, hint, about=about_name(name.text)
                )


def _field(card: model.CardDecl, name: model.Word) -> str:
    """Return the words that messages use for a field of a card."""
    return f"the field `{name.text}`" + (f" of {card.called}" if card.family is not None else "")


def never_empty(values: object, depth: int) -> bool:
    """Return whether every entry of a table of lists has an item."""
    if depth == 0:
        return isinstance(values, tuple) and bool(values)
    return isinstance(values, tuple) and all(never_empty(v, depth - 1) for v in values)


def entities_of(cards: Sequence[model.CardDecl], first: int, label_of: dict[str, str]) -> list[core.Entity]:
    """Return the entities of a kind's cards, one for each copy, numbered from ``first``.

    All copies of a card share one dictionary of fields, which is filled later.
    """
    numbers = itertools.count(first)
    found: list[core.Entity] = []
    for card in cards:
        name = card.id.text
        fields: dict[str, object] = {}
        written: dict[str, Span] = {}
        found += (
            core.Entity(
                *(next(numbers), card.kind.text, name, _copy_name(name, copy), label_of[name]),
                *(fields, card.id.span, written),
            )
            for copy in range(1, card.copies + 1)
        )
    return found


def _copy_name(card: str, copy: int) -> str:
    return card if copy == 1 else f"{card}-{copy}"


def _read(text: str) -> object:
    """Return the plain value of a key: a number, a truth value or a word."""
    if is_whole(text):
        return int(text)
    return text == "true" if text in ("true", "false") else text


def _is_player(dim: core.Dim | None) -> bool:
    return dim is not None and isinstance(dim.type, PlayerType)


def _known_fields(fields: dict[str, Type]) -> str:
    return f"it has {', '.join(f'`{n}`' for n in fields)}" if fields else "its kind has no `fields`"


def _shown(value: model.Value) -> str:
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


class Unknown(Exception):
    """Raised if an expression reads the state of a game, overflows, or is not supported here.

    ``is_reported`` is True if a report about the expression already exists.
    """

    def __init__(self, span: Span, is_reported: bool = False) -> None:
        super().__init__(str(span))
        self.span, self.is_reported = span, is_reported


def known_value(e: core.Expr, slots: Mapping[int, Any]) -> Any:
    """Return the value of a constant expression, given the values of locals by slot. Raises :class:`Unknown`."""
    match e:
        case core.Const(type=NothingType()):
            raise Unknown(e.span, is_reported=True)
        case core.Const(value=value):
            return value
        case core.Local(slot=slot) if slot in slots:
            return slots[slot]
        case core.Unary(op=op, operand=operand):
            value = known_value(operand, slots)
            return not value if op == "not" else _whole(e, -value)
        case core.Binary(op="and" | "or" as op, left=left, right=right):
            first = known_value(left, slots)
            return first if first is (op == "or") else known_value(right, slots)
        case core.Binary(op=op, left=left, right=right) if op in _OPERATORS:
            values = known_value(left, slots), known_value(right, slots)
            if op in ("div", "mod") and values[1] == 0:
                raise Unknown(e.span)
            return _whole(e, _OPERATORS[op](*values))
        case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
            return known_value(then if known_value(condition, slots) else otherwise, slots)
        case core.ListLit(items=items):
            return tuple(known_value(item, slots) for item in items)
        case core.Range(low=low, high=high):
            return range(known_value(low, slots), known_value(high, slots) + 1)
        case core.CallBuiltin(name="abs", args=[number]):
            return _whole(e, abs(known_value(number, slots)))
    raise Unknown(e.span)


def _whole(e: core.Expr, value: Any) -> Any:
    if isinstance(value, int) and not INT_MIN <= value <= INT_MAX:
        raise Unknown(e.span)
    return value


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda item, items: item in items,
}
