"""Convert spreadsheets of cards (``cards/*.csv``) to the section ``cards`` in YAML, with the position of each cell.

The first row names the columns: ``id``, ``kind``, ``label``, ``text``, ``copies``, ``keywords``, and the names of
fields, members and keywords. A name may include its section, as in ``queries.name``. A column that begins with ``#`` is
a comment.
Fields are known only when all files are merged. Until then, a card of a sheet is a :class:`SheetCard`.

The format of a file is RFC 4180. A cell with a separator, a line break or a quotation mark is quoted, and quotation
marks in it are doubled. The separator is the comma, semicolon or tab that occurs most often in the first row. Spaces
around a cell are removed. The number of cells and the length of a cell are limited.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import dataclass, replace
from ..source.diagnostics import Code, Diagnostics
from ..source.source import EmbeddedText, Sheet, Span, prepend_article, quote_list
from ..source.spelling_suggestions import suggest_name
from ..types.types import is_integer_text
from ..yaml.reader import MAX_NODES, YamlMapping, YamlNode, YamlScalar, YamlSequence, check_readable
from .schema_validation import validate

PLAIN_COLUMNS = ("id", "kind", "label", "text", "copies", "keywords")
MEMBER_COLUMNS = ("queries", "effects", "actions")
FIELDS = "fields"
KEYWORDS = "keywords"
COMMENT_MARK = "#"
MAX_REPETITIONS = 1000
"""Maximum number before an item in a cell, which says how often the list contains the item."""
_ID = re.compile(r"[a-z0-9_]+")
_NAME = re.compile(r"[a-z0-9_.]+")
_RANGE = re.compile(r"-?[0-9]+\s*\.\.\s*-?[0-9]+")

Entry = tuple[YamlScalar, YamlNode]


class SheetCard(YamlMapping):
    """Hold a card of a spreadsheet: its cells by the names of their columns, before their types are known.

    Attributes:
        columns: All columns of the sheet that are no comments.
        details: The entry of a YAML file for the same card, or None.
    """

    columns: tuple[Cell, ...] = ()
    details: YamlMapping | None = None


def read_sheet(source: Sheet, diagnostics: Diagnostics) -> YamlMapping | None:
    """Return a mapping ``cards: {id: SheetCard}`` of a sheet, in the order of its rows.

    A SheetCard maps the titles of columns to its cells, all as text, also ``id``. Empty cells and notes, in columns
    whose title begins with ``#``, are left out. Titles become names: ``Workers needed`` gives ``workers_needed``. If
    the cell ``id`` is empty or missing, ``label`` gives the id: ``Zoë's Guard`` gives ``zoes_guard``.

    Returns None without a report if the sheet is empty. Returns None after a report if it is unreadable, if its titles
    include neither ``id`` nor ``label``, or if two give the same name. A row that is empty or has only notes is left
    out without a report. A row is left out after a report if a column of it has no title, if it has neither ``id`` nor
    ``label``, or if its id is "" or has other characters than a-z, 0-9 and ``_``. Rows with equal ids all stay.
    """
    rows = read_rows(source, diagnostics)
    if not rows:
        return None
    first_row, *card_rows = rows
    headings = {number: _normalize_heading(cell) for number, cell in first_row.items()}
    columns = _read_columns(headings, diagnostics)
    if columns is None:
        return None
    if not {"id", "label"} & {cell.text for cell in columns.values()}:
        hint = suggest_name("id", [cell.text for cell in columns.values()])
        hint = hint or "add a column `id`, or a column `label` from which lusory makes the ids"
        message, first_heading = "this sheet of cards has no column `id`", next(iter(headings.values()))
        diagnostics.add(codes.SHEET_COLUMN, message, first_heading.span, hint)
        return None
    cards = [entry for row in card_rows if (entry := _read_card(row, headings, columns, diagnostics)) is not None]
    sheet_span = Span(source, 0, len(source.text))
    return YamlMapping(sheet_span, ((_make_name("cards", Span(source, 0, 1)), YamlMapping(sheet_span, tuple(cards))),))


def _read_columns(headings: Row, diagnostics: Diagnostics) -> dict[int, Cell] | None:
    """Return the columns that are not comments, by number. Return None after reporting an error."""
    first_cells: dict[str, Cell] = {}
    for cell in headings.values():
        first = first_cells.setdefault(cell.text, cell)
        if first is not cell and not cell.text.startswith(COMMENT_MARK):
            notes = [(first.span, "the first column")]
            message = f"this sheet has two columns `{cell.text}`"
            diagnostics.add(codes.SHEET_COLUMN, message, cell.span, "delete or rename one", notes)
            return None
    return {number: cell for number, cell in headings.items() if not cell.text.startswith(COMMENT_MARK)}


def _normalize_heading(cell: Cell) -> Cell:
    """Return a cell of the first row as a key: ``Workers needed`` becomes ``workers_needed``."""
    if cell.text.startswith(COMMENT_MARK) or _NAME.fullmatch(cell.text):
        return cell
    return replace(cell, text=make_id(cell.text) or cell.text)


def _read_card(row: Row, headings: Row, columns: Mapping[int, Cell], diagnostics: Diagnostics) -> Entry | None:
    """Return a card with its id as key.

    Its cells are pairs of the column's name and the cell, in order. If its ``id`` is empty or missing, the id is made
    from its ``label``. Returns None for a row with comments only, and after reporting a cell without a column name, a
    row with neither of them, or an invalid id.
    """
    cells: list[tuple[YamlScalar, Cell]] = []
    for number, cell in row.items():
        if number in columns:
            cells.append((_make_name(columns[number].text, columns[number].span), cell))
        elif number not in headings:
            hint = "write its name in the first row; begin the name with `#` if it holds notes"
            diagnostics.add(codes.SHEET_COLUMN, "this column has no name", cell.span, hint)
            return None
    if not cells:
        return None
    cells_by_name = {name.text: cell for name, cell in cells}
    id = cells_by_name.get("id") or cells_by_name.get("label")
    if id is None:
        message = "this row has neither `id` nor `label`"
        diagnostics.add(codes.SHEET_COLUMN, message, cells[0][1].span, "write an id")
        return None
    text = id.text if "id" in cells_by_name else make_id(id.text)
    if not _ID.fullmatch(text):
        hint = "write `" + better + "`" if (better := make_id(text)) else "write it into the column `id`"
        message = f"`{text}` is not a valid card id: it has small letters, digits and underscores"
        if not text:
            message = "no id can be made from this label, because it has no letters from a to z and no digits"
        diagnostics.add(codes.BAD_NAME, message, id.span, hint)
        return None
    start, end = cells[0][1].span.start, cells[-1][1].span.end
    span = Span(id.span.source, start, end)
    return _make_name(text, id.span), SheetCard(span, tuple(cells), tuple(columns.values()))


def make_id(label: str) -> str:
    """Return an id for a label: its letters and digits in ASCII and lower case, joined by ``_`` where others stand.

    Apostrophes, accents and other characters beyond ASCII are dropped: ``Zoë's Guard`` becomes ``zoes_guard``. A label
    without ASCII letters or digits gives "".
    """
    ascii_label = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode("ascii").replace("'", "")
    return "_".join(re.findall(r"[a-z0-9]+", ascii_label.lower()))


def _make_name(text: str, span: Span) -> YamlScalar:
    return YamlScalar(span, text, text, "")


# ---------------------------------------------------------------- as YAML would have it


def convert_sheet_cards(
    cards: dict[str, Entry],
    kinds: Mapping[str, Mapping[str, str]],
    members: Mapping[str, str],
    diagnostics: Diagnostics,
) -> None:
    """Replace the cards of sheets in ``cards`` by mappings as YAML files contain them, and report their faults.

    Example: the row ``imp,2,rush armour:2`` under the columns ``id,cost,keywords`` becomes ``imp: {fields: {cost: 2},
    keywords: [rush, {armour: 2}], kind: Demon}``, if ``Demon`` is the only kind with a field ``cost``. A column that is
    no field of any kind, no name in ``members`` and no key such as ``text`` is a fault. So is a card without a named
    kind, if not exactly one kind has all fields of the sheet. After either, a card gets no fields from the sheet, and
    no ``kind`` unless it is named. It gets none either if its named kind is not in ``kinds``. A cell is left out as a
    fault if only other kinds have its field. The entry of the card in a YAML file, ``SheetCard.details``, is merged in.
    Lists and sections are joined, with the sheet's items first, and any other value in both is a fault.

    Args:
        cards: Card id -> its key and its node. Nodes that are no :class:`SheetCard` stay.
        kinds: Component kind -> field -> its type as written.
        members: Name of another member or keyword -> its section of a card, such as ``queries``.
    """
    converter = _CardConverter(kinds, members, diagnostics)
    converted_cards: list[Entry] = []
    for name, (key, node) in cards.items():
        if isinstance(node, SheetCard):
            cards[name] = (key, converter._convert_card(key, node))
            converted_cards.append(cards[name])
    if converted_cards and not diagnostics.has_errors:
        span = converted_cards[0][1].span
        section = (_make_name("cards", span), YamlMapping(span, tuple(converted_cards)))
        validate(YamlMapping(span, (section,)), "ruleset", diagnostics)


@dataclass(eq=False)
class _CardConverter:
    """Convert the cards of sheets to YAML."""

    kinds: Mapping[str, Mapping[str, str]]
    members: Mapping[str, str]
    diagnostics: Diagnostics

    def _convert_card(self, key: YamlScalar, card: SheetCard) -> YamlMapping:
        """Return a card of a sheet as a YAML mapping without its id, merged with its entry in a YAML file.

        Fields, queries, effects and actions are grouped under their sections, and all keywords form one list. A cell
        that doesn't fit the type of its field stays a text, for the checker. The cell of a field that the kind lacks is
        left out after a report. All fields are left out if the kind is unknown, or if a column is a field of no kind,
        which is reported. If the sheet and the YAML entry don't give the kind, it is the only one with a field for each
        column of the sheet. If there is no such kind, this is reported. Lists that the sheet and the entry both give
        are joined, with the sheet's items first. Any other value that both give is reported.
        """
        kind = self._find_kind(key, card) if self._check_columns(card) else None
        nodes: dict[str, YamlNode] = {}
        groups: dict[str, list[Entry]] = {}
        keys: dict[str, Span] = {}
        keywords: list[YamlNode] = []
        for name, cell in card.entries:
            assert isinstance(cell, Cell)
            group, member = self._locate_column(name.text)
            keys.setdefault(group, name.span)
            if group == KEYWORDS:
                if member:
                    keywords.append(_attach_value(_make_name(member, name.span), cell))
                else:
                    keywords += map(_parse_keyword, cell.split_words())
            elif group == FIELDS:
                value = self._convert_field(kind, member, cell)
                groups.setdefault(group, []).extend([] if value is None else [(_make_name(member, name.span), value)])
            elif group in MEMBER_COLUMNS:
                groups.setdefault(group, []).append((_make_name(member, name.span), cell))
            elif group != "id":
                convert = _CONVERSIONS.get(group)
                nodes[group] = cell if convert is None else convert(cell)
        nodes |= {group: YamlMapping(card.span, tuple(entries)) for group, entries in groups.items()}
        if keywords:
            nodes[KEYWORDS] = YamlSequence(card.span, tuple(keywords))
        if kind is not None and (card.details is None or card.details.get("kind") is None):
            nodes.setdefault("kind", _make_name(kind, key.span))
        entries = ((_make_name(name, keys.get(name, key.span)), node) for name, node in nodes.items())
        sheet = YamlMapping(card.span, tuple(entries))
        return sheet if card.details is None else self._merge_entry(key.text, sheet, card.details)

    def _check_columns(self, card: SheetCard) -> bool:
        """Return whether each column has a field. Report the columns that have none."""
        field_names = set(chain.from_iterable(self.kinds.values()))
        places = [(cell, self._locate_column(cell.text)) for cell in card.columns]
        unknown_cells = [cell for cell, (group, member) in places if group == FIELDS and member not in field_names]
        for cell in unknown_cells:
            hint = suggest_name(cell.text, [*PLAIN_COLUMNS, *field_names, *self.members])
            hint = hint or "begin the name of the column with `#` if it holds notes"
            message = f"no kind of card has a field `{cell.text}`"
            self.diagnostics.add(codes.SHEET_COLUMN, message, cell.span, hint)
        return not unknown_cells

    def _find_kind(self, key: YamlScalar, card: SheetCard) -> str | None:
        """Return the kind that the sheet or YAML entry gives, or else the only kind that has all fields of the sheet.

        Return None after reporting an error.
        """
        kind_node = card.get("kind")
        if kind_node is None and card.details is not None:
            kind_node = card.details.get("kind")
        if isinstance(kind_node, YamlScalar):
            return kind_node.text
        places = (self._locate_column(cell.text) for cell in card.columns)
        used_fields = {member for group, member in places if group == FIELDS}
        candidates = [kind for kind, fields in self.kinds.items() if used_fields <= set(fields)]
        if len(candidates) == 1:
            return candidates[0]
        reason = f"it could be {quote_list(candidates, 'or')}" if candidates else "no kind has all fields of this sheet"
        message = f"the kind of the card `{key.text}` is unknown: {reason}"
        self.diagnostics.add(codes.SHEET_COLUMN, message, key.span, "add a column `kind`")
        return None

    def _convert_field(self, kind: str | None, field: str, cell: Cell) -> YamlNode | None:
        """Return the value of a field, converted to its type. Return None after reporting an error."""
        fields = self.kinds.get(kind or "", {})
        if field in fields:
            return _convert_cell(cell, fields[field])
        if kind is None or kind not in self.kinds:
            return None  # the missing or unknown kind is reported elsewhere
        message = f"{prepend_article(f'`{kind}`')} has no field `{field}`"
        self.diagnostics.add(codes.SHEET_COLUMN, message, cell.span, "leave the cell empty")
        return None

    def _merge_entry(self, card: str, sheet: YamlMapping, details: YamlMapping) -> YamlMapping:
        """Merge the entries of one card in a sheet and in a YAML file. Lists of keywords are concatenated."""
        entries: dict[str, Entry] = {key.text: (key, value) for key, value in sheet.entries}
        for key, value in details.entries:
            old_entry = entries.get(key.text)
            if old_entry is None:
                entries[key.text] = (key, value)
            elif isinstance(old_entry[1], YamlMapping) and isinstance(value, YamlMapping):
                for name, inner in value.entries:
                    if (old_value := old_entry[1].get(name.text)) is not None:
                        self._report_twice(f"`{key.text}.{name.text}` of `{card}`", inner.span, old_value.span)
                entries[key.text] = (key, YamlMapping(value.span, (*old_entry[1].entries, *value.entries)))
            elif isinstance(old_entry[1], YamlSequence) and isinstance(value, YamlSequence):
                entries[key.text] = (key, YamlSequence(old_entry[1].span, (*old_entry[1].items, *value.items)))
            else:
                self._report_twice(f"the `{key.text}` of `{card}`", value.span, old_entry[1].span)
        return YamlMapping(details.span, tuple(entries.values()))

    def _locate_column(self, column: str) -> tuple[str, str]:
        """Return the section and member that a column belongs to. A name that is a field of any kind is a field."""
        group, dot, member = column.partition(".")
        if dot and group in (FIELDS, *MEMBER_COLUMNS):
            return group, member
        if column in PLAIN_COLUMNS:
            return column, ""
        is_field = any(column in fields for fields in self.kinds.values())
        return (FIELDS if is_field else self.members.get(column, FIELDS)), column

    def _report_twice(self, subject: str, span: Span, first: Span) -> None:
        message = f"{subject} is both in a sheet and in a YAML file"
        self.diagnostics.add(codes.CARD_TWICE, message, span, "keep one of them", [(first, "in the sheet it is here")])


def _convert_number(cell: Cell) -> YamlScalar:
    return _make_scalar(cell, int(cell.text)) if is_integer_text(cell.text) else cell


def _split_abilities(cell: Cell) -> YamlNode:
    """Split a printed text into abilities at each ``|``."""
    abilities = [cell.slice(match.start(), match.end()) for match in re.finditer(r"[^|\s](?:[^|]*[^|\s])?", cell.text)]
    return cell if len(abilities) < 2 else YamlSequence(cell.span, tuple(abilities))


def _parse_keyword(word: Cell) -> YamlNode:
    """Return a keyword, with a value after a colon if it has one: ``armour:2``."""
    name, colon, value = word.text.partition(":")
    if not colon or not name or not value:
        return word
    return _attach_value(word.slice(0, len(name)), word.slice(len(name) + 1, len(word.text)))


def _attach_value(name: YamlScalar, value: Cell) -> YamlNode:
    """Return a keyword with the value in a cell, or without a value if the cell is ``true``."""
    return name if value.text == "true" else YamlMapping(value.span, ((name, _convert_number(value)),))


def _convert_cell(cell: Cell, type: str) -> YamlNode:
    """Convert a cell to a type as written. A cell that doesn't fit stays text, so that the checker reports it."""
    type = type.strip().rstrip("?").strip()
    if type.startswith("List"):
        item_type = type.removeprefix("List").strip().removeprefix("[").removesuffix("]")
        if item_type == "Int" and _RANGE.fullmatch(cell.text):
            return cell
        words = cell.split_words() if item_type == "Int" else _repeat_items(cell.split_words())
        return YamlSequence(cell.span, tuple(_convert_cell(word, item_type) for word in words))
    if type == "Int":
        return _convert_number(cell)
    if type == "Bool" and cell.text.lower() in ("true", "false"):
        return _make_scalar(cell, cell.text.lower() == "true")
    return cell


def _repeat_items(words: Sequence[Cell]) -> list[Cell]:
    """Repeat items that have a number before them: ``3 hammer nail`` is three hammers and a nail."""
    items: list[Cell] = []
    times: int | None = None
    for word, next_word in zip(words, [*words[1:], None], strict=True):
        number = int(word.text) if is_integer_text(word.text) and next_word is not None and times is None else 0
        if 1 <= number <= MAX_REPETITIONS:
            times = number
        else:
            items += [word] * (times or 1)
            times = None
    return items


def _make_scalar(cell: Cell, value: int | bool) -> YamlScalar:
    return YamlScalar(cell.span, value, cell.text, "")


_CONVERSIONS: Mapping[str, Callable[[Cell], YamlNode]] = {"text": _split_abilities, "copies": _convert_number}
"""Column outside fields and members -> the conversion of its cells. Cells of other columns stay texts."""


MAX_CELL_LENGTH = 20_000  # in characters
_SEPARATORS = ",;\t"


class Cell(YamlScalar):
    """A cell as text. ``offsets`` holds the file offset of each character, and of the end."""

    offsets: tuple[int, ...] = ()

    @cached_property
    def embedded_text(self) -> EmbeddedText:
        """The content of the cell as effect text, with the offset of each character in the file."""
        return EmbeddedText(self.span.source, self.text, self.offsets)

    def slice(self, start: int, end: int) -> Cell:
        """Return the characters from ``start`` to ``end`` - 1 as a separate cell."""
        text, offsets = self.text[start:end], (*self.offsets[start:end], self.offsets[end - 1] + 1)
        return Cell(Span(self.span.source, offsets[0], offsets[-1]), text, text, "", offsets)

    def split_words(self) -> list[Cell]:
        """Return the words of the cell, separated by whitespace, as cells."""
        return [self.slice(match.start(), match.end()) for match in re.finditer(r"\S+", self.text)]


Row = dict[int, Cell]
"""A row without its empty cells: the number of the column, from 0, and the cell."""


def read_rows(source: Sheet, diagnostics: Diagnostics) -> list[Row] | None:
    """Return the rows of a sheet that are not empty, in order, or None after reporting an error.

    The first of these rows holds the titles of the columns. The titles are also stored in ``source.columns``, and the
    position of each cell in ``source.cells``. An empty sheet gives [].
    """
    if not check_readable(source, diagnostics):
        return None
    return _Reader(source, diagnostics).read_rows()


@dataclass(eq=False)
class _Reader:
    source: Sheet
    diagnostics: Diagnostics
    offset: int = 0
    separator: str = ","
    has_failed: bool = False

    def read_rows(self) -> list[Row] | None:
        """Return the rows that aren't empty, or None after reporting an error. An empty file gives [].

        A row maps column numbers from 0 to cells without outer whitespace: `` axe ;;5`` gives axe at 0 and 5 at 2.
        Empty cells are left out. The first row has the titles, and ``source.columns`` maps its columns to their texts.
        ``source.cells`` gets (offset, row from 1, column from 0) of each cell, even an empty one. Errors are a
        quotation mark that is never closed, text behind a quoted cell, more than MAX_NODES cells in the sheet, and more
        than MAX_CELL_LENGTH characters in a cell. The separator is the most frequent of comma, semicolon and tab, in a
        tie the first of these. It is counted outside quotation marks, in the first line with anything but spaces.
        """
        text = self.source.text
        # the separator that occurs most often in the first row, outside of quotation marks
        first_row = re.sub(r'"[^"]*"', "", text).lstrip(" \n").partition("\n")[0]
        self.separator = max(_SEPARATORS, key=lambda separator: (first_row.count(separator), separator == ","))
        rows: list[Row] = []
        number = 0
        while self.offset < len(text) and not self.has_failed:
            number += 1
            cells = {column: cell for column, cell in enumerate(self._read_row(number)) if cell.text}
            if cells:
                if not rows:
                    self.source.columns.update((column, cell.text) for column, cell in cells.items())
                rows.append(cells)
        return None if self.has_failed else rows

    def _read_row(self, number: int) -> Iterator[Cell]:
        """Yield the cells of one row and move behind its end."""
        column = 0
        while True:
            self.source.cells.append((self.offset, number, column))
            yield self._read_cell()
            column += 1
            end = self.source.text[self.offset : self.offset + 1]
            self.offset += 1
            if len(self.source.cells) > MAX_NODES:
                message = f"this sheet has more than {MAX_NODES:,} cells"
                self._report(message, self.offset - 1, "divide it into several sheets", codes.TOO_LARGE)
            if end != self.separator or self.has_failed:
                return

    def _read_cell(self) -> Cell:
        """Return the cell at the current position and move to the separator or line break that ends it."""
        text, start = self.source.text, self.offset
        quote = re.compile(r'[ \u00a0]*"').match(text, start)
        if quote is None:
            end = re.compile(f"[\n{self.separator}]|$").search(text, start)
            self.offset = len(text) if end is None else end.start()
            characters = list(range(start, self.offset))
        else:
            characters = self._read_quoted(quote.end())
        while characters and text[characters[-1]].isspace():
            characters.pop()
        first = next((i for i, place in enumerate(characters) if not text[place].isspace()), len(characters))
        characters = characters[first:]
        content = "".join(text[place] for place in characters)
        if len(content) > MAX_CELL_LENGTH:
            message = f"this cell has more than {MAX_CELL_LENGTH:,} characters"
            self._report(message, start, "write this card in a YAML file", codes.TOO_LARGE)
        text_end = characters[-1] + 1 if characters else start
        span = Span(self.source, characters[0] if characters else start, text_end)
        return Cell(span, content, content, "", (*characters, text_end))

    def _read_quoted(self, position: int) -> list[int]:
        """Return the offsets of the characters of a quoted cell. ``position`` is behind the opening quotation mark."""
        text, characters, start = self.source.text, [], position - 1
        while position < len(text):
            if text[position] == '"' and text[position + 1 : position + 2] != '"':
                break
            position += text[position] == '"'
            characters.append(position)
            position += 1
        else:
            self._report("the quotation mark at the start of this cell is never closed", start, 'write `"` behind it')
        space = re.compile(r"[ \u00a0]*").match(text, position + 1)
        self.offset = len(text) if space is None else space.end()
        if self.offset < len(text) and text[self.offset] not in f"{self.separator}\n":
            hint = 'write a quotation mark inside a cell twice: `""`'
            self._report("there is text after the end of this cell", self.offset, hint)
        return characters

    def _report(self, message: str, position: int, hint: str, code: Code = codes.SHEET_COLUMN) -> None:
        if not self.has_failed:
            self.diagnostics.add(code, message, Span(self.source, position, position + 1), hint)
        self.has_failed = True
