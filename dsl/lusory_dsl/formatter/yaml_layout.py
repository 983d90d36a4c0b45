"""Lay out the YAML of a file: choose quotes, brackets and blocks, and break lines.

Effect text is found by the schema and formatted by :mod:`lusory_dsl.formatter.effect_code`. Keys, values and their
order stay. Example: a list in brackets stays in brackets while it fits in ``WIDTH`` columns, and is filled line by line
if its items are short.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from operator import getitem
from typing import Any

from ..source.dataclass_with_lazy_methods import ValueRecord, dataclass, field
from ..source.diagnostics import Diagnostics
from ..source.safe_files_and_bundled_data import load_schema
from ..source.source import EmbeddedText, Source
from ..syntax import ast, parser
from ..syntax.lark_parse_trees_and_indentation import Token
from ..yaml.likely_mistakes import find_misreading, format_portable_number
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, list_entries, read_text, to_plain_data
from .effect_code import FormattedCode, build_code, format_template

LANGUAGE = "text/x-lusory-"

VALUE = "value"
"""The language of a keyword's value on a card.

It may be effect text or data, depending on a declaration in another file.
"""

Schemas = tuple[dict[str, Any], ...]
"""All schemas that apply to one value: its own, those that it refers to, and all alternatives and branches."""


class SchemaField:
    """Find the schemas that describe one value of a file, and follow them to the values inside it."""

    def __init__(self, root: dict[str, Any], schemas: Schemas) -> None:
        self._root = root
        self._schemas = schemas

    @classmethod
    def load_for_file(cls, root: YamlNode) -> SchemaField:
        """Return the field for the whole content of a file.

        It is that of test cases if the root has a key ``cases`` or ``positions``, else that of rulesets and packs.
        """
        is_cases = isinstance(root, YamlMapping) and any(root.get(key) for key in ("cases", "positions"))
        return cls.load("cases" if is_cases else "ruleset")

    @classmethod
    def load(cls, name: str) -> SchemaField:
        """Return the field for the whole content of a file of a kind: ``ruleset`` or ``cases``."""
        schema = load_schema(name)
        return cls(schema, _resolve(schema, schema))

    @property
    def keys(self) -> dict[str, str]:
        """The keys that a mapping here may have, each with its description, or "" if it has none.

        They are in the order of the schemas. Returns {} where no mapping with fixed keys is allowed. If several schemas
        list a key, its description is that of the first of them, even if that is "".
        """
        descriptions: dict[str, str] = {}
        for schema in self._schemas:
            for key, value in schema.get("properties", {}).items():
                field_schemas = _resolve(self._root, value) if isinstance(value, dict) else ()
                texts = (field_schema["description"] for field_schema in field_schemas if "description" in field_schema)
                descriptions.setdefault(key, next(texts, ""))
        return descriptions

    def lists_key(self, key: str) -> bool:
        """Return whether a schema lists this key by name, as ``phases`` in a ruleset. Patterns don't count."""
        return any(key in schema.get("properties", ()) for schema in self._schemas)

    def has_key_pattern(self, key: str) -> bool:
        """Return whether a pattern for keys, such as that of seats, allows this key.

        Only patterns count: returns False where none exists, whatever keys are listed by name.
        """
        patterns = [
            pattern
            for schema in self._schemas
            for pattern in (*schema.get("patternProperties", ()), schema.get("propertyNames", {}).get("pattern"))
            if pattern is not None
        ]
        return any(re.search(pattern, key) for pattern in patterns)

    @property
    def values(self) -> tuple[str, ...]:
        """The words that alone are allowed here. Returns () if no schema lists such words."""
        words = [str(word) for schema in self._schemas for word in schema.get("enum", ())]
        return tuple(dict.fromkeys(words))

    @property
    def is_mapping(self) -> bool:
        """True if the value must be a mapping: some schema gives it a type, and none allows another type."""
        types = [schema["type"] for schema in self._schemas if "type" in schema]
        return types.count("object") == len(types) > 0

    @property
    def language(self) -> str | None:
        """The start rule of the grammar for this value, such as ``block``, or else ``VALUE`` or ``PICTURE``.

        Returns None if the value is neither effect text nor a picture.
        """
        for schema in self._schemas:
            kind = schema.get("contentMediaType", "")
            if kind.startswith(LANGUAGE):
                return str(kind.removeprefix(LANGUAGE))
        return None

    def descend_to_key(self, name: str) -> SchemaField:
        """Return the field for the value of a key. It allows everything if no schema knows the key."""
        return self._descend(_find_key_schema(schema, name) for schema in self._schemas)

    def descend_to_item(self) -> SchemaField:
        """Return the field for an item of a list. It allows everything if no schema describes the items."""
        return self._descend(schema.get("items") for schema in self._schemas)

    def _descend(self, schemas: Any) -> SchemaField:
        inner_schemas = (
            schema for candidate in schemas if isinstance(candidate, dict) for schema in _resolve(self._root, candidate)
        )
        return SchemaField(self._root, tuple(inner_schemas))


def _find_key_schema(schema: dict[str, Any], name: str) -> Any:
    """Return the schema for the value of a key, or None."""
    if name in schema.get("properties", {}):
        return schema["properties"][name]
    patterns = schema.get("patternProperties", {})
    return next(
        (patterns[pattern] for pattern in patterns if re.search(pattern, name)), schema.get("additionalProperties")
    )


def _resolve(root: dict[str, Any], schema: dict[str, Any]) -> Schemas:
    """Return a schema and all schemas that it refers to or combines, itself first."""
    schemas = [schema]
    for part in schemas:
        if "$ref" in part:
            schemas.append(reduce(getitem, part["$ref"].removeprefix("#/").split("/"), root))
        schemas += [part[word] for word in ("then", "else") if isinstance(part.get(word), dict)]
        for word in ("anyOf", "oneOf", "allOf"):
            schemas += part.get(word, ())
    return tuple(schemas)


PICTURE = "picture"
"""The schema's name for a picture, in rows of signs: ``start`` and ``map`` of a board, and boards in test cases."""


def _align_picture(text: str) -> str:
    r"""Return a picture with its signs aligned in columns, one blank apart, without blanks at the ends of lines.

    A picture stays the same if it has one line, if a line is indented, or if rows differ in their number of signs.
    Empty lines stay. Example: ``a b\nxx y`` becomes ``a  b\nxx y``.
    """
    rows = _split_picture(text)
    filled_rows = [row for row in rows if row]
    if "\n" not in text or text[:1].isspace() or "\n " in text or len({len(row) for row in filled_rows}) > 1:
        return text
    widths = [max(map(len, column)) for column in zip(*filled_rows, strict=True)]
    return "\n".join(
        " ".join(sign.ljust(width) for sign, width in zip(row, widths, strict=False)).rstrip() for row in rows
    )


def _split_picture(text: str) -> list[list[str]]:
    """Return the signs of a picture as a list for each line. An empty line gives an empty list."""
    return [line.split() for line in text.split("\n")]


_ALL = re.compile(r"\s*all\s+\w+\s*")


def has_same_meaning(first: YamlNode, second: YamlNode) -> bool:
    """Return whether two files have equal keys and values in the same order.

    Effect texts are equal if their ASTs are.
    """
    return _is_same(first, second, SchemaField.load_for_file(first))


def _is_same(first: YamlNode, second: YamlNode, place: SchemaField) -> bool:
    """Return whether two values mean the same at their place in the schema.

    Keys must be in the same order. Scalars may differ in spelling: a number, a picture's blanks, or the layout of
    effect text.
    """
    if isinstance(first, YamlMapping) and isinstance(second, YamlMapping):
        return [key.text for key, _ in first.entries] == [key.text for key, _ in second.entries] and all(
            _is_same(first_value, second_value, place.descend_to_key(key.text))
            for (key, first_value), (_, second_value) in zip(first.entries, second.entries, strict=True)
        )
    if isinstance(first, YamlSequence) and isinstance(second, YamlSequence):
        item_place = place.descend_to_item()
        return len(first.items) == len(second.items) and all(
            _is_same(*pair, item_place) for pair in zip(first.items, second.items, strict=True)
        )
    if not isinstance(first, YamlScalar) or not isinstance(second, YamlScalar):
        return False
    if first.text == second.text:
        return _has_same_value(first, second)
    if not isinstance(first.value, str | None) and _has_same_value(first, second):
        return True  # a number in another spelling
    language = place.language
    if language == PICTURE:
        return _split_picture(first.text) == _split_picture(second.text)
    return language is not None and _parse_meaning(language, first) == _parse_meaning(language, second) is not None


def _has_same_value(first: YamlScalar, second: YamlScalar) -> bool:
    return first.value == second.value and type(first.value) is type(second.value)


def _parse_meaning(start_rule: str, scalar: YamlScalar) -> object:
    """Return the meaning of an effect text as nested tuples that can be compared, or None if the text doesn't parse.

    ``start_rule`` is a start rule of the grammar, or ``VALUE``. A single word is not parsed: the result is the word
    itself without blanks around it.
    """
    if _is_word(scalar.text):
        return scalar.text.strip()
    result = _read_effect_text(start_rule, scalar.embedded_text, Diagnostics())
    return None if result is None else ast.strip_spans(result[1])


def _is_word(text: str) -> bool:
    """Return whether a text is a single word, or `all` and a kind."""
    return text.strip().isalnum() or _ALL.fullmatch(text) is not None


def _read_effect_text(
    start_rule: str, text: EmbeddedText, diagnostics: Diagnostics
) -> tuple[str, object, list[Token]] | None:
    """Return the start rule of a text, its syntax tree and its tokens, or None if the text doesn't parse.

    For the ``start_rule`` ``VALUE``, ``block`` and then ``gains`` are tried, and no fault is reported, because the text
    may be data. Otherwise faults are reported.
    """
    for start in ("block", "gains") if start_rule == VALUE else (start_rule,):
        result = parser.parse_with_tokens(start, text, Diagnostics() if start_rule == VALUE else diagnostics)
        if result is not None:
            return start, *result
    return None


INDENT = 2

_SAFE = re.compile(r"[A-Za-z_](?:[\w./+*=<>()’é-]| (?=[^ #]))*")
"""Texts that need no quotes for certain, unless they are constants such as `true`."""

_READ_AS_OTHER_TYPE = re.compile(r"[-+.]?[0-9].*|yes|no|on|off|y|n|true|false|null", re.IGNORECASE)
"""Texts that other YAML readers, or people, mistake for something else. They keep their quotes."""

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def _format_scalar(
    node: YamlScalar,
    text: str,
    is_flow: bool,
    is_key: bool = False,
    needs_quotes: bool = False,
    keeps_quotes: bool = True,
) -> str | None:
    """Return ``text`` on one line, as YAML that reads back as the value of ``node``, with quotes if needed.

    Returns None if only a block can hold the text, or if the node is empty inside brackets.

    Args:
        node: The scalar whose place the text takes. A number, truth value or ``none`` usually stays as it is written.
        text: The text, formatted.
        is_flow: Whether the place is inside brackets.
        is_key: Whether the text is a key.
        needs_quotes: Whether to write quotes in any case.
        keeps_quotes: Whether to keep the author's quotes where they help readers.
    """
    is_misread = not node.style and find_misreading(node.text, node.value, is_key) is not None
    if not isinstance(node.value, str) and not node.style and not (is_misread and is_key):
        number = format_portable_number(node.value) if is_misread and isinstance(node.value, int | float) else None
        return number or (node.text if node.text or not is_flow else None)
    if "\n" in text:
        return None
    if keeps_quotes and node.style in ("'", '"') and (_READ_AS_OTHER_TYPE.fullmatch(text) or not text[:1].isalpha()):
        needs_quotes = True
    if not needs_quotes and not (is_misread and is_key) and _is_plain(text, is_flow, is_key):
        return text
    return quote(text)


def quote(text: str) -> str:
    """Return a text in double quotes, with escapes for ``"``, backslashes, line breaks and tabs.

    If it contains ``"`` or a backslash, but no ``'``, line break or tab, return it in single quotes without escapes.
    """
    if any(character in text for character in '"\\') and "'" not in text and "\n" not in text and "\t" not in text:
        return f"'{text}'"
    return f'"{"".join(_ESCAPES.get(character, character) for character in text)}"'


def _format_block(text: str, is_folded: bool, width: int, is_nested: bool = True) -> tuple[str, list[str]] | None:
    r"""Return the header and the lines of a block scalar that YAML reads as ``text``. Lines are not indented.

    Example: ``a\nb`` gives ``("|-", ["a", "b"])``. One line break at the end of ``text`` gives a header without ``-``.
    A text that begins with a blank has the indentation in its header: ``|2-``. With ``is_folded``, ``a\nb`` gives
    ``(">-", ["a", "", "b"])``. Folded lines have at most ``width`` characters where single blanks allow it. A text with
    a blank at the start or end of a line is not folded. Returns None if the text is blank, contains tabs or ends with
    an empty line. Also returns None if it begins with a blank and isn't nested (behind a key or a dash).
    """
    body = text.removesuffix("\n")
    first = body.lstrip("\n")
    begins_blank = first[:1] == " "
    if not first.strip() or body.endswith("\n") or "\t" in body or (begins_blank and not is_nested):
        return None
    paragraphs = body.split("\n")
    if is_folded and any(paragraph != paragraph.strip() for paragraph in paragraphs):
        return _format_block(text, False, width, is_nested)
    header = (">" if is_folded else "|") + (str(INDENT) if begins_blank else "") + ("" if text.endswith("\n") else "-")
    if not is_folded:
        return header, paragraphs
    return header, list(_fold(paragraphs, width))


def _find_breaks(text: str) -> list[int]:
    """Return the offsets of single blanks, which may become line breaks."""
    return [match.start() for match in re.finditer(r"(?<! ) (?! )", text)]


def _fold(paragraphs: Iterable[str], width: int) -> Iterator[str]:
    """Yield paragraphs as lines of at most ``width`` characters, with an empty line between paragraphs.

    A line without a break that fits stays longer.
    """
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ""
        while len(paragraph) > width:
            places = _find_breaks(paragraph)
            if not places:
                break
            place = max((i for i in places if i <= width), default=places[0])
            yield paragraph[:place]
            paragraph = paragraph[place + 1 :]
        if paragraph:
            yield paragraph


@lru_cache(maxsize=10_000)
def _is_plain(text: str, is_flow: bool, is_key: bool) -> bool:
    """Return whether YAML reads a text without quotes as exactly this text."""
    if _SAFE.fullmatch(text) and not _READ_AS_OTHER_TYPE.fullmatch(text):
        return True
    if (
        not text
        or text.strip() != text
        or "\t" in text
        or (is_flow and "?" in text)
        or find_misreading(text, text) is not None
    ):
        return False
    samples: dict[str, object] = {f"a: {text}": {"a": text}}
    if is_key:
        samples = {f"{{{text}: a, b: c}}": {text: "a", "b": "c"}} if is_flow else {f"{text}: a": {text: "a"}}
    elif is_flow:
        samples = {f"{{a: {text}, b: c}}": {"a": text, "b": "c"}, f"[{text}, a]": [text, "a"]}
    for sample, data in samples.items():
        root = read_text(Source("", sample), Diagnostics())
        if root is None or to_plain_data(root) != data or (is_key and list_entries(root)[0][0].value != text):
            return False
    return True


WIDTH = 140
"""Maximum length of a line that the author wrote as one."""

FOLDED = 120
"""Maximum length of lines of folded prose and of filled lists."""

SHORT_ITEM = 40
"""A list that is too long for one line is filled line by line if its items have at most this length."""


@dataclass
class OutputLine:
    """Hold one line of the output.

    Attributes:
        start, end: Its offsets in the old file. ``start`` is None for a line that continues the line above.
        has_nested_lines: Whether the following lines are nested in it.
        comment: A comment behind the text, with two blanks before it.
        comments_above: The comments on lines of their own that precede it.
    """

    indent: int
    text: str
    start: int | None = None
    end: int = 0
    has_nested_lines: bool = False
    comment: str = ""
    comments_above: list[OutputLine] = field(default_factory=list)


class _FormattedText(ValueRecord):
    """The formatted text of a scalar: ``code`` if it is effect text, else ``text``."""

    text: str | None
    code: FormattedCode | None = None
    needs_quotes: bool = False


class FileWriter:
    """Lay out one file. ``has_comment_between`` tells if there is a comment between two offsets of the old file."""

    def __init__(self, has_comment_between: Callable[[int, int], bool], diagnostics: Diagnostics) -> None:
        self.has_comment_between = has_comment_between
        self.diagnostics = diagnostics
        self.formatted_texts: dict[YamlScalar, _FormattedText] = {}
        self.flow_nodes: set[YamlNode] = set()

    def format_file(self, root: YamlNode) -> list[OutputLine]:
        """Return the lines of the whole file in order. ``text`` of a line lacks its indentation.

        Comments and the empty lines between entries are left out, but not empty lines of a text. Effect text that
        doesn't parse is reported in ``diagnostics``, except where the schema says ``VALUE``, because it may be data.
        The result is [] if ``diagnostics`` then hold any error, even an older one. It is also [] for an empty file.
        """
        self._read(root, SchemaField.load_for_file(root), is_in_flow=False)
        if self.diagnostics.has_errors:
            return []
        if isinstance(root, YamlScalar) and not root.text and not root.style:
            return []
        return self._format_value("", root, 0, root.span.start)

    # ------------------------------------------------------------ reading

    def _read(self, node: YamlNode, place: SchemaField, is_in_flow: bool) -> None:
        """Parse all effect text, and find the values that the author wrote in brackets."""
        if isinstance(node, YamlScalar):
            self.formatted_texts[node] = self._format_text(node, place.language)
            return
        is_in_flow = is_in_flow or node.span.source.text[node.span.start] in "[{"
        if is_in_flow:
            self.flow_nodes.add(node)
        if isinstance(node, YamlMapping):
            for key, value in node.entries:
                self._read(value, place.descend_to_key(key.text), is_in_flow)
        elif isinstance(node, YamlSequence):
            for item in node.items:
                self._read(item, place.descend_to_item(), is_in_flow)

    def _format_text(self, node: YamlScalar, language: str | None) -> _FormattedText:
        """Return the formatted text of a scalar.

        A text with a syntax error, and one that is no effect text, stay as they are.
        """
        if language is None or not isinstance(node.value, str) or not node.text.strip():
            return _FormattedText(node.text)
        if language == PICTURE:
            return _FormattedText(_align_picture(node.text))
        if _is_word(node.text):
            return _FormattedText(node.text if language == "template" else node.text.strip())
        embedded = node.embedded_text
        result = _read_effect_text(language, embedded, self.diagnostics)
        if result is None:
            return _FormattedText(node.text)
        language, _, tokens = result
        if language == "template":
            return _FormattedText(format_template(embedded.text, tokens), needs_quotes="{" in embedded.text)
        written_text = node.span.text.partition("\n")[2] if node.style in ("|", ">") else node.span.text
        code = build_code(language, embedded.text, tokens, is_multiline="\n" in written_text.strip())
        keeps_lines = node.style == "|" and not code.is_flat
        return _FormattedText(None if keeps_lines else code.format_on_one_line(), code)

    # ------------------------------------------------------------ on one line

    def _format_on_one_line(self, node: YamlNode, is_flow: bool) -> str | None:
        """Return a value on one line, such as ``{a: 1}`` or ``[1, 2]``, of any length.

        Returns None if it contains a comment, a text that needs a block, or code of several lines.
        """
        if isinstance(node, YamlScalar):
            formatted_text = self.formatted_texts[node]
            code = formatted_text.code
            if code is not None and code.is_multiline and (is_flow or len(code.format_lines(WIDTH)) > 1):
                return None
            if formatted_text.text is None:
                return None
            return _format_scalar(node, formatted_text.text, is_flow, needs_quotes=formatted_text.needs_quotes)
        parts = self._format_parts(node)
        opening, closing = "{}" if isinstance(node, YamlMapping) else "[]"
        return None if parts is None else f"{opening}{', '.join(parts)}{closing}"

    def _format_parts(self, node: YamlNode, longest_value: float = math.inf) -> list[str] | None:
        """Return each entry or item of a value in brackets, on one line.

        Returns None if the brackets contain a comment, or a value that needs several lines or is too long.
        """
        if self.has_comment_between(node.span.start, node.span.end):
            return None
        parts: list[str] = []
        for key, value in _list_parts(node):
            text = self._format_on_one_line(value, is_flow=True)
            if text is None or len(text) > longest_value:
                return None
            parts.append(text if key is None else f"{_format_key(key, is_flow=True)}: {text}")
        return parts

    # ------------------------------------------------------------ on several lines

    def _format_value(self, prefix: str, node: YamlNode, indent: int, start: int) -> list[OutputLine]:
        """Return the lines of a value after its ``prefix``: a key, or the dash of a list."""
        if isinstance(node, YamlScalar):
            return self._format_scalar(prefix, node, indent, start)
        rows = set(_list_line_numbers(node))
        line = self._format_on_one_line(node, is_flow=False) if node in self.flow_nodes and len(rows) == 1 else None
        if not rows:
            line = "{}" if isinstance(node, YamlMapping) else "[]"
        if line is not None and (not rows or indent + len(prefix) + 1 + len(line) <= WIDTH):
            return [OutputLine(indent, f"{prefix} {line}".strip(), start, node.span.end)]
        return self._format_collection(prefix, node, indent, start)

    def _format_scalar(self, prefix: str, node: YamlScalar, indent: int, start: int) -> list[OutputLine]:
        """Return the lines of a scalar behind ``prefix``: one line if it fits, else a block if it can be one."""
        line = self._format_on_one_line(node, is_flow=False)
        inner_indent = indent + (INDENT if prefix else 0)
        length = 0 if line is None else indent + len(prefix) + 1 + len(line)
        if self.formatted_texts[node].code is not None and line is not None and length > WIDTH and node.style:
            # without the author's quotes, as if it came from a block
            line = _format_scalar(node, self.formatted_texts[node].text or "", False, keeps_quotes=False)
            length = 0 if line is None else indent + len(prefix) + 1 + len(line)
        block = None
        is_folded = node.style == ">" and self.formatted_texts[node].code is None
        if line is None or length > (FOLDED if is_folded else WIDTH):
            block = self._format_block(node, line is not None, inner_indent, is_nested=bool(prefix))
        if block is None:
            line = quote(self.formatted_texts[node].text or "") if line is None else line
            return [OutputLine(indent, f"{prefix} {line}".strip(), start, node.span.end)]
        header, texts = block
        head = OutputLine(indent, f"{prefix} {header}".strip(), start, node.span.end)
        return [head, *(OutputLine(inner_indent if text else 0, text) for text in texts)]

    def _format_block(
        self, node: YamlScalar, can_be_line: bool, indent: int, is_nested: bool
    ) -> tuple[str, list[str]] | None:
        """Return the header and lines of a value as a block. Return None if a block would not help."""
        formatted_text, width = self.formatted_texts[node], FOLDED - indent
        if formatted_text.code is not None:
            texts = formatted_text.code.format_lines(WIDTH - indent)
            does_fit = all(len(text) <= WIDTH - indent for text in texts)
            if not formatted_text.code.is_flat or formatted_text.text is None or does_fit:
                return "|", texts
        assert formatted_text.text is not None
        text = formatted_text.text
        is_folded = can_be_line or formatted_text.code is not None
        # only one line without tabs or blanks at its ends, and with a single blank to break it at, can be folded
        if is_folded and ("\n" in text or "\t" in text or text != text.strip() or not _find_breaks(text)):
            return None
        return _format_block(text, is_folded or node.style == ">", width, is_nested)

    def _format_collection(self, prefix: str, node: YamlNode, indent: int, start: int) -> list[OutputLine]:
        inner_indent = indent + (INDENT if prefix else 0)
        lines = self._fill_lines(node, inner_indent)
        for key, value in _list_parts(node) if not lines else ():
            if key is None:
                lines += self._format_item(value, inner_indent)
            else:
                key_prefix = f"{_format_key(key, is_flow=False)}:"
                lines += self._format_value(key_prefix, value, inner_indent, key.span.start)
        if not prefix:
            return lines
        return [OutputLine(indent, prefix, start, start, has_nested_lines=True), *lines]

    def _format_item(self, item: YamlNode, indent: int) -> list[OutputLine]:
        """Return the lines of an item after its dash. A nested value begins on the line of the dash."""
        if isinstance(item, YamlScalar):
            return self._format_scalar("-", item, indent, item.span.start)
        first, *later_lines = self._format_value("", item, indent + INDENT, item.span.start)
        first.indent, first.text = indent, f"- {first.text}"
        return [first, *later_lines]

    def _fill_lines(self, node: YamlNode, indent: int) -> list[OutputLine]:
        """Fill lines with the short items of a long bracketed value. Return an empty list for anything else."""
        if not all(isinstance(value, YamlScalar) for _, value in list_entries(node)):
            return []
        parts = self._format_parts(node, SHORT_ITEM) if node in self.flow_nodes else None
        if parts is None:
            return []
        opening, closing = "{}" if isinstance(node, YamlMapping) else "[]"
        lines = [
            OutputLine(indent, text)
            for text in _fill_rows(parts, _list_line_numbers(node), opening, closing, FOLDED - indent)
        ]
        lines[-1].start = lines[-1].end = node.span.end  # for a comment after the closing bracket
        lines[0].start, lines[0].end = node.span.start, node.span.end
        return lines


def _list_line_numbers(node: YamlNode) -> list[int]:
    """Return the line numbers in the old file of the items or keys in brackets."""
    return [(value if key is None else key).span.line for key, value in _list_parts(node)]


def _fill_rows(words: Sequence[str], rows: Sequence[int], opening: str, closing: str, width: int) -> list[str]:
    """Return the content of brackets in the author's rows, split further if they are too long."""
    lines, line, row = [], opening + words[0], rows[0]
    for word, next_row in zip(words[1:], rows[1:], strict=True):
        if len(line) + len(word) + 3 > width or next_row != row:
            lines.append(line + ",")
            line = " " + word
        else:
            line += f", {word}"
        row = next_row
    return [*lines, f"{line}{closing}"]


def _list_parts(node: YamlNode) -> list[tuple[YamlScalar | None, YamlNode]]:
    """Return the values in a mapping, each with its key, or the items of a list, each with None."""
    if isinstance(node, YamlSequence):
        return [(None, item) for item in node.items]
    return [*list_entries(node)]


def _format_key(key: YamlScalar, is_flow: bool) -> str:
    return _format_scalar(key, key.text, is_flow, is_key=True) or quote(key.text)
