"""Convert spreadsheets of cards (``cards/*.csv``) to the section ``cards`` in YAML, with the position of each cell.

The first row names the columns: ``id``, ``kind``, ``label``, ``text``, ``copies``, ``keywords``, and the names of
fields, members and keywords. A name may include its section, as in ``queries.name``. A column that begins with ``#`` is
a comment.
Fields are known only when all files are merged. Until then, a card of a sheet is a :class:`SheetCard`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics, suggest_name
from ..source.lazy_dataclass import dataclass, replace
from ..source.source import Sheet, Span, quote_list, with_article
from ..types.types import is_integer_text
from ..yaml.csv_reader import Cell, Row, read_rows
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence
from .schema_validation import validate

PLAIN_COLUMNS = ("id", "kind", "label", "text", "copies", "keywords")
MEMBER_COLUMNS = ("queries", "effects", "actions")
FIELDS = "fields"
KEYWORDS = "keywords"
REMARK = "#"
MOST_TIMES = 1000
"""Maximum number before an item in a cell, which says how often the list contains the item."""
_ID = re.compile(r"[a-z0-9_]+")
_NAME = re.compile(r"[a-z0-9_.]+")
_RANGE = re.compile(r"-?[0-9]+\s*\.\.\s*-?[0-9]+")

Entry = tuple[YamlScalar, YamlNode]


@dataclass(frozen=True, eq=False)
class SheetCard(YamlMapping):
    """A card of a spreadsheet: its cells by the names of their columns.

    ``columns`` holds all columns of the sheet. ``more`` is the entry for the same card in a YAML file.
    """

    columns: tuple[Cell, ...] = ()
    more: YamlMapping | None = None


def read_sheet(source: Sheet, diagnostics: Diagnostics) -> YamlMapping | None:
    """Return the section with the cards of a sheet. Return None if the sheet is empty, or after reporting an error."""
    rows = read_rows(source, diagnostics)
    if not rows:
        return None
    first, *body = rows
    head = replace(first, cells={number: _heading(cell) for number, cell in first.cells.items()})
    columns = _columns(head, diagnostics)
    if columns is None:
        return None
    if not {"id", "label"} & {cell.text for cell in columns.values()}:
        known = [cell.text for cell in columns.values()]
        hint = suggest_name("id", known) or "add a column `id`, or a column `label` from which lusory makes the ids"
        diagnostics.add(
            diagnostic_codes.SHEET_COLUMN, "this sheet of cards has no column `id`", _first(head).span, hint
        )
        return None
    cards = [entry for row in body if (entry := _card(row, columns, diagnostics)) is not None]
    whole = Span(source, 0, len(source.text))
    return YamlMapping(whole, ((_name("cards", Span(source, 0, 1)), YamlMapping(whole, tuple(cards))),))


def _columns(head: Row, diagnostics: Diagnostics) -> dict[int, Cell] | None:
    """Return the columns that are not comments, by number. Return None after reporting an error."""
    found: dict[str, Cell] = {}
    for cell in head.cells.values():
        first = found.setdefault(cell.text, cell)
        if first is not cell and not cell.text.startswith(REMARK):
            notes = [(first.span, "the first column")]
            message = f"this sheet has two columns `{cell.text}`"
            diagnostics.add(diagnostic_codes.SHEET_COLUMN, message, cell.span, "delete or rename one", notes)
            return None
    return {number: cell for number, cell in head.cells.items() if not cell.text.startswith(REMARK)}


def _heading(cell: Cell) -> Cell:
    """Return a cell of the first row as a key: ``Workers needed`` becomes ``workers_needed``."""
    if cell.text.startswith(REMARK) or _NAME.fullmatch(cell.text):
        return cell
    return replace(cell, text=made_id(cell.text) or cell.text)


def _card(row: Row, columns: Mapping[int, Cell], diagnostics: Diagnostics) -> Entry | None:
    """Return a card with its id as key. Return None for a row of comments, or after reporting an error."""
    cells: list[tuple[YamlScalar, Cell]] = []
    for number, cell in row.cells.items():
        if number in columns:
            cells.append((_name(columns[number].text, columns[number].span), cell))
        elif number not in cell_columns(cell):
            message, hint = (
                "this column has no name",
                "write its name in the first row; begin the name with `#` if it holds notes",
            )
            diagnostics.add(diagnostic_codes.SHEET_COLUMN, message, cell.span, hint)
            return None
    if not cells:
        return None
    found = {name.text: cell for name, cell in cells}
    id = found.get("id") or found.get("label")
    if id is None:
        message = "this row has neither `id` nor `label`"
        diagnostics.add(diagnostic_codes.SHEET_COLUMN, message, cells[0][1].span, "write an id")
        return None
    text = id.text if "id" in found else made_id(id.text)
    if not _ID.fullmatch(text):
        hint = "write `" + better + "`" if (better := made_id(text)) else "write it into the column `id`"
        message = f"`{text}` is not a valid card id: it has small letters, digits and underscores"
        diagnostics.add(diagnostic_codes.BAD_NAME, message, id.span, hint)
        return None
    start, end = cells[0][1].span.start, cells[-1][1].span.end
    span = Span(id.span.source, start, end)
    return _name(text, id.span), SheetCard(span, tuple(cells), tuple(columns.values()))


def cell_columns(cell: Cell) -> Mapping[int, str]:
    """Return all columns of the sheet that a cell belongs to, by number."""
    source = cell.span.source
    return source.columns if isinstance(source, Sheet) else {}


def made_id(label: str) -> str:
    """Return an id for a label: ``Royal Guard`` becomes ``royal_guard``."""
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode("ascii").replace("'", "")
    return "_".join(re.findall(r"[a-z0-9]+", plain.lower()))


def _first(row: Row) -> Cell:
    return next(iter(row.cells.values()))


def _name(text: str, span: Span) -> YamlScalar:
    return YamlScalar(span, text, text, "", -1)


# ---------------------------------------------------------------- as YAML would have it


def write_out(
    cards: dict[str, Entry],
    kinds: Mapping[str, Mapping[str, str]],
    members: Mapping[str, str],
    diagnostics: Diagnostics,
) -> None:
    """Replace the cards of sheets by mappings, as YAML files contain them, and report their faults.

    ``kinds`` maps each kind to its fields and their types as written. ``members`` maps other members and keywords to
    their section of a card.
    """
    writer = _Writer(kinds, members, diagnostics)
    made: list[Entry] = []
    for name, (key, node) in cards.items():
        if isinstance(node, SheetCard):
            cards[name] = (key, writer.card(key, node))
            made.append(cards[name])
    if made and not diagnostics.has_errors:
        whole = made[0][1].span
        root = YamlMapping(whole, ((_name("cards", whole), YamlMapping(whole, tuple(made))),))
        validate(root, "ruleset", diagnostics)


@dataclass(eq=False)
class _Writer:
    """Convert the cards of sheets to YAML."""

    kinds: Mapping[str, Mapping[str, str]]
    members: Mapping[str, str]
    diagnostics: Diagnostics

    def card(self, key: YamlScalar, card: SheetCard) -> YamlMapping:
        """Return a card of a sheet, merged with its entry in a YAML file."""
        kind = self._kind(key, card) if self._knows_columns(card) else None
        parts: dict[str, YamlNode] = {}
        groups: dict[str, list[Entry]] = {}
        keys: dict[str, Span] = {}
        keywords: list[YamlNode] = []
        for name, cell in card.entries:
            assert isinstance(cell, Cell)
            group, member = self._place(name.text)
            keys.setdefault(group, name.span)
            if group == KEYWORDS:
                said = _keywords(cell) if not member else [_behind(_name(member, name.span), cell)]
                keywords.extend(said)
            elif group == FIELDS:
                value = self._field(kind, member, cell)
                groups.setdefault(group, []).extend([] if value is None else [(_name(member, name.span), value)])
            elif group in MEMBER_COLUMNS:
                groups.setdefault(group, []).append((_name(member, name.span), cell))
            elif group != "id":
                parts[group] = _PLAIN[group](cell)
        parts |= {group: YamlMapping(card.span, tuple(inner)) for group, inner in groups.items()}
        if keywords:
            parts[KEYWORDS] = YamlSequence(card.span, tuple(keywords))
        if kind is not None:
            parts.setdefault("kind", _name(kind, key.span))
        sheet = YamlMapping(card.span, tuple((_name(n, keys.get(n, key.span)), v) for n, v in parts.items()))
        return sheet if card.more is None else self._united(key.text, sheet, card.more)

    def _knows_columns(self, card: SheetCard) -> bool:
        """Return whether each column has a field. Report the columns that have none."""
        known = set(chain.from_iterable(self.kinds.values()))
        places = [(cell, self._place(cell.text)) for cell in card.columns]
        strange = [cell for cell, (group, member) in places if group == FIELDS and member not in known]
        for cell in strange:
            hint = (
                suggest_name(cell.text, [*PLAIN_COLUMNS, *known, *self.members])
                or "begin the name of the column with `#` if it holds notes"
            )
            message = f"no kind of card has a field `{cell.text}`"
            self.diagnostics.add(diagnostic_codes.SHEET_COLUMN, message, cell.span, hint)
        return not strange

    def _kind(self, key: YamlScalar, card: SheetCard) -> str | None:
        """Return the kind of a card: the declared one, or else the only kind that has all fields of the sheet.

        Return None if a YAML file gives the kind, or after reporting an error.
        """
        said = card.get("kind")
        if said is None and card.more is not None:
            said = card.more.get("kind")
        if isinstance(said, YamlScalar):
            return said.text
        wanted = {
            member for cell in card.columns if (place := self._place(cell.text))[0] == FIELDS for member in place[1:]
        }
        found = [kind for kind, fields in self.kinds.items() if wanted <= set(fields)]
        if len(found) == 1:
            return found[0]
        which = f"it could be {quote_list(found, 'or')}" if found else "no kind has all fields of this sheet"
        message = f"the kind of the card `{key.text}` is unknown: {which}"
        self.diagnostics.add(diagnostic_codes.SHEET_COLUMN, message, key.span, "add a column `kind`")
        return None

    def _field(self, kind: str | None, field: str, cell: Cell) -> YamlNode | None:
        """Return the value of a field, converted to its type. Return None after reporting an error."""
        fields = self.kinds.get(kind or "", {})
        if field in fields:
            return _data(cell, fields[field])
        if kind is None or kind not in self.kinds:
            return None  # the missing or unknown kind is reported elsewhere
        message = f"{with_article(f'`{kind}`')} has no field `{field}`"
        self.diagnostics.add(diagnostic_codes.SHEET_COLUMN, message, cell.span, "leave the cell empty")
        return None

    def _united(self, card: str, sheet: YamlMapping, more: YamlMapping) -> YamlMapping:
        """Merge the entries of one card in a sheet and in a YAML file. Lists of keywords are concatenated."""
        entries: dict[str, Entry] = {key.text: (key, value) for key, value in sheet.entries}
        for key, value in more.entries:
            known = entries.get(key.text)
            if known is None or (key.text == "kind" and known[1].span.source is value.span.source):
                entries[key.text] = (key, value)
            elif isinstance(known[1], YamlMapping) and isinstance(value, YamlMapping):
                entries[key.text] = (key, self._both(card, key.text, known[1], value))
            elif isinstance(known[1], YamlSequence) and isinstance(value, YamlSequence):
                entries[key.text] = (key, YamlSequence(known[1].span, (*known[1].items, *value.items)))
            else:
                self._twice(f"the `{key.text}` of `{card}`", value.span, known[1].span)
        return YamlMapping(more.span, tuple(entries.values()))

    def _both(self, card: str, section: str, sheet: YamlMapping, more: YamlMapping) -> YamlMapping:
        for key, value in more.entries:
            known = sheet.get(key.text)
            if known is not None:
                self._twice(f"`{section}.{key.text}` of `{card}`", value.span, known.span)
        return YamlMapping(more.span, (*sheet.entries, *more.entries))

    def _place(self, column: str) -> tuple[str, str]:
        """Return the section and member that a column belongs to. A name that is a field of any kind is a field."""
        group, dot, member = column.partition(".")
        if dot and group in (FIELDS, *MEMBER_COLUMNS):
            return group, member
        if column in PLAIN_COLUMNS:
            return column, ""
        is_field = any(column in fields for fields in self.kinds.values())
        return (FIELDS if is_field else self.members.get(column, FIELDS)), column

    def _twice(self, what: str, span: Span, first: Span) -> None:
        message = f"{what} is both in a sheet and in a YAML file"
        self.diagnostics.add(
            diagnostic_codes.CARD_TWICE, message, span, "keep one of them", [(first, "in the sheet it is here")]
        )


def _number(cell: Cell) -> YamlScalar:
    return _scalar(cell, int(cell.text)) if is_integer_text(cell.text) else cell


def _abilities(cell: Cell) -> YamlNode:
    """Split a printed text into abilities at each ``|``."""
    parts = [cell.slice(found.start(), found.end()) for found in re.finditer(r"[^|\s](?:[^|]*[^|\s])?", cell.text)]
    return cell if len(parts) < 2 else YamlSequence(cell.span, tuple(parts))


def _keywords(cell: Cell) -> list[YamlNode]:
    """Split a cell into keywords, each with a value after a colon if it has one: ``rush armour:2``."""
    return [_keyword(word) for word in cell.split_words()]


def _keyword(word: Cell) -> YamlNode:
    name, colon, value = word.text.partition(":")
    if not colon or not name or not value:
        return word
    return _behind(word.slice(0, len(name)), word.slice(len(name) + 1, len(word.text)))


def _behind(name: YamlScalar, value: Cell) -> YamlNode:
    """Return a keyword with the value in a cell, or without a value if the cell is ``true``."""
    return name if value.text == "true" else YamlMapping(value.span, ((name, _number(value)),))


def _data(cell: Cell, type: str) -> YamlNode:
    """Convert a cell to a type as written. A cell that doesn't fit stays text, so that the checker reports it."""
    type = type.strip().rstrip("?").strip()
    if type.startswith("List"):
        inner = type.removeprefix("List").strip().removeprefix("[").removesuffix("]")
        if inner == "Int" and _RANGE.fullmatch(cell.text):
            return cell
        words = cell.split_words() if inner == "Int" else _counted(cell.split_words())
        return YamlSequence(cell.span, tuple(_data(word, inner) for word in words))
    if type == "Int":
        return _number(cell)
    if type == "Bool" and cell.text.lower() in ("true", "false"):
        return _scalar(cell, cell.text.lower() == "true")
    return cell


def _counted(words: Sequence[Cell]) -> list[Cell]:
    """Repeat items that have a number before them: ``3 hammer nail`` is three hammers and a nail."""
    found: list[Cell] = []
    times: int | None = None
    for word, following in zip(words, [*words[1:], None], strict=True):
        if following is not None and times is None and is_integer_text(word.text) and 1 <= int(word.text) <= MOST_TIMES:
            times = int(word.text)
            continue
        found += [word] * (1 if times is None else times)
        times = None
    return found


def _scalar(cell: Cell, value: int | bool) -> YamlScalar:
    return YamlScalar(cell.span, value, cell.text, "", -1)


_PLAIN: Mapping[str, Callable[[Cell], YamlNode]] = {
    "kind": lambda cell: cell,
    "label": lambda cell: cell,
    "text": lambda cell: _abilities(cell),
    "copies": _number,
}
"""Column outside fields and members -> the conversion of its cells."""
