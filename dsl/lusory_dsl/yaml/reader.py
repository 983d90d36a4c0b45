"""Read a YAML file as a tree of nodes that know their position. No other module uses PyYAML.

It builds the tree from PyYAML's event stream, without recursion. It accepts a safe subset: no anchors, tags, merge
keys or multiple documents, and limited size and depth. Scalars follow the core schema of YAML 1.2: ``no``, ``on`` and
``1:30`` are text and ``010`` is ten. Numbers must be decimal.

PyYAML gives only the decoded text of a scalar. The file offset of each of its characters is found by a comparison of
this text with the file.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import Any

import yaml

from ..source import diagnostic_codes, safe_files_and_bundled_data
from ..source.dataclass_with_lazy_methods import Record, dataclass, field
from ..source.diagnostics import Diagnostics
from ..source.safe_files_and_bundled_data import FileRefused
from ..source.source import EmbeddedText, Source, Span, quote_list
from .likely_mistakes import (
    STRANGE_SPACE,
    describe_strange_space,
    explain_syntax_error,
    find_misreading,
    find_tabs,
    format_portable_number,
)

MAX_CHARACTERS = 4_000_000
MAX_DEPTH = 64
MAX_NODES = 100_000
MAX_TEXT = 100_000  # characters of one value; effect text has a limit of its own
MAX_DIGITS = 18
MAX_NAMES = 4
"""The maximum number of keys that one message names."""

_CONSTANTS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
_WORD = re.compile(r"\S*")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"  # characters that YAML forbids
    "\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff]"  # line separators, direction marks, zero-width characters
)
_STRANGE_INDENTATION = re.compile(f"^[ \t]*({STRANGE_SPACE.pattern})", re.MULTILINE)

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


# ---------------------------------------------------------------- nodes


class YamlNode(Record):
    """A value in a YAML file, with its position."""

    span: Span


class YamlScalar(YamlNode):
    """A single value. ``text`` is the unquoted and folded text, and ``value`` is its value by the YAML schema.

    ``style`` is ``|``, ``>``, ``'``, ``"`` or empty (plain).
    """

    value: int | float | bool | str | None
    text: str
    style: str

    @cached_property
    def embedded_text(self) -> EmbeddedText:
        r"""The ``text`` with ``offsets``, which locate each of its characters in ``span.base``, and its end.

        An escape has the offset of its first character, and the blank of a folded line break that of the line break.
        The end is the offset of the last character plus 1, also after an escape: ``"a\nb\n"`` at 0 has the offsets
        1, 2, 4, 5 and 6. Empty text has only the end, which lies behind an opening quote, ``|`` or ``>``. It is
        computed once, because repeated checks share the nodes of unchanged files.
        """
        base, span = self.span.base, self.span
        offsets = _locate_characters(self.text, base.text, span.first, span.last, self.style)
        return EmbeddedText(base, self.text, offsets)


class YamlSequence(YamlNode):
    """A list."""

    items: tuple[YamlNode, ...]


class YamlMapping(YamlNode):
    """Keys and values in the order of the file. Keys are always text, even if they look like numbers."""

    entries: tuple[Entry, ...]

    @cached_property
    def _by_name(self) -> dict[str, tuple[YamlScalar, YamlNode]]:
        return {key.text: (key, value) for key, value in self.entries}

    def get(self, name: str) -> YamlNode | None:
        """Return the value of a key, or None if the key is missing."""
        entry = self._by_name.get(name)
        return entry[1] if entry else None

    def get_key(self, name: str) -> YamlScalar | None:
        """Return the node of a key, or None if the key is missing."""
        entry = self._by_name.get(name)
        return entry[0] if entry else None


Entry = tuple[YamlScalar, YamlNode]


def list_items(node: YamlNode | None) -> tuple[YamlNode, ...]:
    """Return the items of a list node, ``(node,)`` for any other node, and () for None."""
    if isinstance(node, YamlSequence):
        return node.items
    return () if node is None else (node,)


def list_entries(node: YamlNode | None) -> tuple[Entry, ...]:
    """Return the (key, value) pairs of a mapping in order. Any other node, or None, gives ()."""
    return node.entries if isinstance(node, YamlMapping) else ()


def to_plain_data(node: YamlNode) -> Any:
    """Convert a node to plain Python data: scalars, lists and dicts, whose keys are texts.

    If a key is given twice, the last value counts.
    """
    match node:
        case YamlScalar(value=value):
            return value
        case YamlSequence(items=items):
            return [to_plain_data(item) for item in items]
    return {key.text: to_plain_data(value) for key, value in list_entries(node)}


def walk_nodes(root: YamlNode) -> Iterator[YamlNode]:
    """Yield ``root`` and all nodes inside it in the order of the file. Each key comes before its value.

    Example: ``{a: 1, b: [x, y]}`` gives 7 nodes: the mapping, ``a``, ``1``, ``b``, the list, ``x`` and ``y``.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, YamlMapping):
            stack += [part for entry in reversed(node.entries) for part in reversed(entry)]
        elif isinstance(node, YamlSequence):
            stack += reversed(node.items)


def iterate_named_entries(node: YamlNode | None) -> Iterator[Entry]:
    """Yield the (key, value) pairs of a mapping, or (item, item) for each scalar of a list.

    Other items of the list are skipped. Yields nothing for None and for a single scalar.
    """
    if isinstance(node, YamlMapping):
        yield from node.entries
    elif isinstance(node, YamlSequence):
        yield from ((item, item) for item in node.items if isinstance(item, YamlScalar))


def share_declarations(root: YamlNode, old_root: YamlNode) -> YamlNode:
    """Return a copy of ``root`` that takes over the equal declarations of a tree of an earlier version of the file.

    Both trees are mappings of sections. A declaration is an entry or item of a section. Two are equal, even in
    different sections, if they have the same spans in the same Fragment object, see :meth:`Source.reuse_fragments`. For
    an item taken over, the node is that of ``old_root`` itself; for an entry, the nodes of key and value are, in a new
    tuple. The other declarations stay those of ``root``, and so does the order. The mappings and sequences of sections
    are new objects.
    """
    old_parts = {part_key: item for _, section in list_entries(old_root) for part_key, item in _locate_parts(section)}

    def reuse_parts(section: YamlNode) -> YamlNode:
        declarations = tuple([old_parts.get(part_key, item) for part_key, item in _locate_parts(section)])
        if isinstance(section, YamlMapping):
            return YamlMapping(section.span, declarations)
        return YamlSequence(section.span, declarations) if isinstance(section, YamlSequence) else section

    return YamlMapping(root.span, tuple((key, reuse_parts(section)) for key, section in list_entries(root)))


def _locate_parts(section: YamlNode) -> list[tuple[object, Any]]:
    """Return the entries or items of a section, each with a place that is the same in all trees with its fragment."""
    if isinstance(section, YamlSequence):
        return [(item.span, item) for item in section.items]
    return [((key.span, value.span), (key, value)) for key, value in list_entries(section)]


# ---------------------------------------------------------------- reading


def read_file(path: Path, diagnostics: Diagnostics) -> YamlNode | None:
    """Return the tree of a file, or None after adding diagnostics.

    None means that the file is unreadable, not UTF-8 or no valid YAML. It also means that the file contains something
    that lusory refuses, such as an anchor or a key that is given twice. An empty file, or one with comments only, gives
    a scalar whose value is None. Warnings are added, too, if there is a tree.
    """
    data = read_bytes(path, str(path), diagnostics)
    source = None if data is None else decode_source(str(path), data, diagnostics)
    return None if source is None else read_text(source, diagnostics)


def read_bytes(path: Path, name: str, diagnostics: Diagnostics) -> bytes | None:
    """Return the content of a file, or None after adding a diagnostic."""
    try:
        return safe_files_and_bundled_data.read_bytes(path)
    except FileRefused as refusal:
        report_refusal(refusal, diagnostics, name)
        return None


def report_refusal(refusal: FileRefused, diagnostics: Diagnostics, name: str | None = None) -> None:
    """Add a diagnostic ``cannot read `NAME`: REASON`` with the ``reason``, ``code`` and ``hint`` of a refusal.

    It stands at the start of an empty source named NAME. NAME is ``name``, or ``refusal.filename`` if that is None.
    """
    name = refusal.filename if name is None else name
    message = f"cannot read `{name}`: {refusal.reason}"
    diagnostics.add(refusal.code, message, Span(Source(name, ""), 0, 0), refusal.hint)


def decode_source(name: str, data: bytes, diagnostics: Diagnostics) -> Source | None:
    """Decode the bytes of a file: UTF-8 with or without a byte order mark, with any kind of line break.

    In the source, lines end with a line feed, and there is no byte order mark. Returns None after adding a diagnostic
    at the first wrong byte.
    """
    try:
        return make_source(name, data.decode("utf-8"))
    except UnicodeDecodeError as problem:
        source = make_source(name, data.decode("utf-8", errors="replace"))
        offset = len(make_source(name, data[: problem.start].decode("utf-8")).text)
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            hint = "it looks like UTF-16; save it as UTF-8"
        else:
            hint = "save the file as UTF-8 (in most editors: Save As, Encoding)"
        message = f"this file is not saved as UTF-8 (byte 0x{data[problem.start]:02x})"
        diagnostics.add(diagnostic_codes.WRONG_ENCODING, message, Span(source, offset, offset + 1), hint)
        return None


def make_source(name: str, text: str) -> Source:
    """Return a source of ``text`` without its byte order mark, and with line breaks normalised to ``\\n``."""
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def check_readable(source: Source, diagnostics: Diagnostics) -> bool:
    """Return True if a text is short enough and has no invisible characters. Otherwise add one error and return False.

    The error is TOO_LARGE for more than ``MAX_CHARACTERS`` (4,000,000) characters, and else CONTROL_CHARACTER at the
    first invisible one. Invisible are control characters other than tab and line feed, surrogates, U+200B, U+2028 to
    U+202E, U+2060, U+2066 to U+2069, U+FEFF, U+FFFE and U+FFFF. All others are allowed, such as U+00A0 and U+200D.

    Example: U+200B gives the message “this character is invisible (U+200B, zero width space)” and the hint “delete it”.
    """
    if len(source.text) > MAX_CHARACTERS:
        message = f"the file has {len(source.text):,} characters; lusory reads at most {MAX_CHARACTERS:,}"
        diagnostics.add(diagnostic_codes.TOO_LARGE, message, Span(source, 0, 1), "split it into several files")
        return False
    if match := _UNPRINTABLE.search(source.text):
        _report_unprintable(match[0], Span(source, match.start(), match.end()), diagnostics)
        return False
    return True


def _report_unprintable(character: str, span: Span, diagnostics: Diagnostics) -> None:
    name = unicodedata.name(character, "NUL" if character == "\0" else "control character").lower()
    message = f"this character is invisible (U+{ord(character):04X}, {name})"
    diagnostics.add(diagnostic_codes.CONTROL_CHARACTER, message, span, "delete it")


def read_text(source: Source, diagnostics: Diagnostics) -> YamlNode | None:
    """Return the tree of a source, or None after adding diagnostics.

    An empty file gives a scalar whose value is None.
    """
    return _TreeBuilder(source, diagnostics).read()


@dataclass
class _OpenCollection:
    """An unfinished list or mapping.

    ``is_flow`` is true if it is written in brackets. ``key`` is the key whose value comes next. ``first_keys`` maps
    each text to its first key, and ``duplicate_keys`` holds the duplicate keys."""

    start: int
    is_mapping: bool
    is_flow: bool = False
    items: list[YamlNode] = field(default_factory=list)
    entries: list[tuple[YamlScalar, YamlNode]] = field(default_factory=list)
    key: YamlScalar | None = None
    first_keys: dict[str, YamlScalar] = field(default_factory=dict)
    duplicate_keys: list[YamlScalar] = field(default_factory=list)
    has_faulty_key: bool = False


class _TooLarge(Exception):
    """A limit is exceeded. The diagnostic has already been added."""


class _TreeBuilder:
    """Builds the tree of one source from the parser's events, and reports YAML that a ruleset must not contain."""

    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self.source = source
        self.all_diagnostics = diagnostics
        self.diagnostics = Diagnostics()
        self.warnings = Diagnostics()
        self.quoted_ranges: list[tuple[int, int]] = []
        self.stack: list[_OpenCollection] = []
        self._report = self.diagnostics.add
        self.root: YamlNode | None = None
        self.node_count = 0

    def read(self) -> YamlNode | None:
        """Return the root of the file, or None if it has errors.

        Adds the errors of the file, sorted, to ``all_diagnostics``, the diagnostics of the caller; without errors, the
        warnings, sorted. An empty file gives a YamlScalar whose ``value`` is None.
        """
        if check_readable(self.source, self.diagnostics) and (match := _STRANGE_INDENTATION.search(self.source.text)):
            span, message = self._make_span(match.start(1), match.end(1)), describe_strange_space(match[1])
            self._report(diagnostic_codes.CONTROL_CHARACTER, message, span, "type a space instead")
        if not self.diagnostics.has_errors:
            try:
                for event in self._parse_events():
                    self._handle_event(event)
            except _TooLarge:
                pass
        self.all_diagnostics.extend(self.diagnostics.list_sorted())
        if self.diagnostics.has_errors:
            return None
        for place in find_tabs(self.source.text, self.quoted_ranges) if "\t" in self.source.text else ():
            message = "some YAML readers can't read a tab outside quotes and blocks of text"
            self.warnings.add(diagnostic_codes.MISREAD, message, self._make_span(place, place + 1), "write spaces")
        self.all_diagnostics.extend(self.warnings.list_sorted())
        return self.root or YamlScalar(self._make_span(0, 0), None, "", "")

    def _parse_events(self) -> Iterator[Any]:
        """Yield the parser's events. Ends with a diagnostic at a syntax error."""
        try:
            yield from yaml.parse(self.source.text, Loader=_LOADER)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            offset = len(self.source.text) if mark is None else mark.index
            if "nesting" in (problem.problem or ""):
                # libyaml has its own limit, and looks ahead so far that it fails before the first event.
                self._report_nesting(offset)
                return
            context = None if problem.context_mark is None else problem.context_mark.index
            words = f"{problem.context or ''}: {problem.problem or ''}"
            is_at_end = offset >= len(self.source.text.rstrip()) and "quoted scalar" not in words
            if self.stack and is_at_end and self.source.text[self.stack[-1].start] in "[{":
                context = self.stack[-1].start
            explain_syntax_error(self.source, words, offset, context, self.diagnostics)

    def _handle_event(self, event: Any) -> None:
        """Add what an event of PyYAML stands for to the tree. An alias is reported and becomes an empty scalar."""
        if isinstance(event, yaml.ScalarEvent):
            self._check_properties(event)
            self._add_scalar(event)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._check_properties(event)
            self._open_collection(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._close_collection(event)
        elif isinstance(event, yaml.AliasEvent):
            span = self._get_event_span(event)
            hint = f'write the value again; a text that begins with `*` needs quotes: "{span.text}"'
            self._report(diagnostic_codes.ANCHOR_OR_ALIAS, f"`{span.text}` is a YAML alias", span, hint)
            self._add_node(YamlScalar(span, None, "", ""))
        elif isinstance(event, yaml.DocumentStartEvent):
            self._check_document(event)

    def _check_document(self, event: Any) -> None:
        span = self._get_event_span(event)
        if event.tags:
            self._report(diagnostic_codes.YAML_TAG, "a `%TAG` directive", span, "delete the line")
        if self.root is not None:
            hint = "move the rest to another file, or delete the `---`"
            self._report(diagnostic_codes.SEVERAL_DOCUMENTS, "a second YAML document begins here", span, hint)
            raise _TooLarge

    def _check_properties(self, event: Any) -> None:
        """Report an anchor or a tag in front of a value."""
        start = event.start_mark.index
        if event.anchor is not None:
            span = self._make_span(start, start + len(event.anchor) + 1)
            hint = "write the value wherever you need it"
            self._report(diagnostic_codes.ANCHOR_OR_ALIAS, f"`&{event.anchor}` is a YAML anchor", span, hint)
        elif event.tag is not None:
            tag = _WORD.match(self.source.text, start)
            span = self._make_span(start, tag.end() if tag else start)
            hint = "a text that begins with `!` needs quotes; in effect text, write `not` instead"
            self._report(diagnostic_codes.YAML_TAG, f"`{span.text}` is a YAML tag", span, hint)

    # ------------------------------------------------------------ building

    def _add_scalar(self, event: Any) -> None:
        """Add a scalar.

        Reports one that is too long, or holds unprintable characters, and warns of one that YAML misreads.

        The span of a block scalar ends before its trailing blank lines, unless it has no others.
        """
        start, end = event.start_mark.index, event.end_mark.index
        style = event.style or ""
        if style in ("|", ">") and event.value.strip():
            end = start + len(self.source.text[start:end].rstrip())
        span = self._make_span(start, end)
        value = event.value if style else self._resolve_plain(event.value, span)
        if style:
            self.quoted_ranges.append((start if style in "'\"" else self.source.text.find("\n", start, end), end))
        else:
            self._warn_if_misread(span, event.value, value)
        if len(event.value) > MAX_TEXT:
            message = f"this text has {len(event.value):,} characters; at most {MAX_TEXT:,} are allowed"
            self._report(diagnostic_codes.TOO_LARGE, message, span, "shorten it")
            raise _TooLarge
        if style == '"' and (match := _UNPRINTABLE.search(event.value)):
            _report_unprintable(match[0], span, self.diagnostics)
        self._add_node(YamlScalar(span, value, event.value, style))

    def _resolve_plain(self, text: str, span: Span) -> int | float | bool | str | None:
        """Return the value of a plain scalar by the core schema of YAML 1.2."""
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _INTEGER.fullmatch(text):
            if len(text.lstrip("+-").lstrip("0")) > MAX_DIGITS:
                hint = "if it is meant as text, put it in quotes"
                self._report(diagnostic_codes.TOO_LARGE, f"this number has more than {MAX_DIGITS} digits", span, hint)
                return 0
            return int(text)
        return float(text) if _DECIMAL.fullmatch(text) else text

    def _warn_if_misread(self, span: Span, text: str, value: object) -> None:
        """Warn about a plain scalar that other YAML readers refuse or read as another value."""
        parent = self.stack[-1] if self.stack else None
        is_key = parent is not None and parent.is_mapping and parent.key is None
        kind = find_misreading(text, value, is_key)
        number = None
        if kind is not None:
            message = f"other YAML readers read `{text}` as {kind}"
            number = format_portable_number(value) if not is_key and isinstance(value, int | float) else None
        elif parent is not None and parent.is_flow and "?" in text:
            message = "some YAML readers can't read a `?` inside braces or brackets without quotes"
        else:
            return
        in_quotes = "put it in quotes" if '"' in text or "\\" in text else f'put it in quotes: "{text}"'
        hint = in_quotes if number is None else f"write `{number}`"
        self.warnings.add(diagnostic_codes.MISREAD, message, span, hint, is_consequence=True)

    def _open_collection(self, event: Any) -> None:
        """Open a list or mapping. Reports one that is nested too deeply or used as a key."""
        start = event.start_mark.index
        if len(self.stack) == MAX_DEPTH:
            self._report_nesting(start)
            raise _TooLarge
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if self.stack and self.stack[-1].is_mapping and self.stack[-1].key is None:
            span = self._make_span(start, start + 1)
            opening = self.source.text[start]
            hint = f"a text that begins with `{opening}` needs quotes" if opening in "[{" else None
            message = f"a key can't be a {'mapping' if is_mapping else 'list'}"
            self._report(diagnostic_codes.COMPLEX_KEY, message, span, hint)
        self.stack.append(_OpenCollection(start, is_mapping, bool(event.flow_style)))

    def _report_nesting(self, start: int) -> None:
        message = f"lists and mappings are nested more than {MAX_DEPTH} deep"
        self._report(diagnostic_codes.TOO_LARGE, message, self._make_span(start, start + 1), "flatten them")

    def _close_collection(self, event: Any) -> None:
        """Add the innermost open list or mapping to the one around it. An empty block collection has an empty span.

        Reports duplicate keys of a mapping, and forgotten quotes.
        """
        collection = self.stack.pop()
        end = event.end_mark.index
        # PyYAML notices the end of a block collection only at the next token, so take the end of its last value.
        if event.end_mark.index == event.start_mark.index:
            values = collection.items or [value for _, value in collection.entries]
            end = values[-1].span.end if values else collection.start
        span = self._make_span(collection.start, end)
        if not collection.is_mapping:
            self._add_node(YamlSequence(span, tuple(collection.items)))
            return
        if collection.duplicate_keys:
            self._report_duplicate_keys(collection)
        if collection.is_flow:
            self._report_split_texts(collection)
        self._add_node(YamlMapping(span, tuple(collection.entries)))

    def _report_duplicate_keys(self, mapping: _OpenCollection) -> None:
        """Report the duplicate keys of a mapping in a single diagnostic at the first of them, with the likely cause.

        If empty keys stand between the two keys, the diagnostic is at the last of them, and suggests indentation.
        """
        duplicate = mapping.duplicate_keys[0]
        first_key = mapping.first_keys[duplicate.text]
        place, notes = duplicate.span, [(first_key.span, f"`{duplicate.text}` is first given here")]
        names = list(dict.fromkeys(key.text for key in mapping.duplicate_keys))
        name_list = quote_list(names)
        if len(names) > MAX_NAMES:
            name_list = f"{quote_list(names[:1])} and {len(names) - 1:,} more keys"
        message = f"{name_list} {'is' if len(names) == 1 else 'are'} given twice in this mapping"
        hint = "keep one of them, or rename one"
        empty_keys = [
            key
            for key, value in mapping.entries
            if first_key.span.start < key.span.start < duplicate.span.start and _get_plain_text(value) is None
        ]
        if empty_keys:
            place, notes = empty_keys[-1].span, []
            hint = f"indent what belongs to `{empty_keys[-1].text}`, and line it up with the names above"
            message = f"`{empty_keys[-1].text}` is empty, and {message}"
        elif len(names) > 1:
            hint = "add the name above them that they belong to, or keep one of each"
        self._report(diagnostic_codes.DUPLICATE_KEY, message, place, hint, notes)

    def _report_split_texts(self, mapping: _OpenCollection) -> None:
        """Report each key in braces that is the rest of a text without quotes, which ends at its first comma."""
        previous_text: str | None = None
        for key, node in mapping.entries:
            text = _get_plain_text(node)
            has_colon = text is not None or self.source.text.startswith(":", key.span.end)
            if previous_text and not has_colon and not key.style and (" " in previous_text or " " not in key.text):
                start = " ".join(key.text.split()[:2])
                message = f"inside brackets, a text without quotes ends at its first comma, here before `{start}`"
                place = Span(self.source, key.span.start, key.span.start + 1)
                self._report(diagnostic_codes.YAML_SYNTAX, message, place, "put the whole text in quotes")
            previous_text = text

    def _add_node(self, node: YamlNode) -> None:
        """Add a finished node to the enclosing collection."""
        self.node_count += 1
        if self.node_count > MAX_NODES:
            message = f"the file has more than {MAX_NODES:,} values"
            self._report(diagnostic_codes.TOO_LARGE, message, node.span, "split it into files")
            raise _TooLarge
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if not parent.is_mapping:
            parent.items.append(node)
        elif parent.key is None:
            self._add_key(parent, node)
        else:
            if not parent.has_faulty_key:
                parent.entries.append((parent.key, node))
            parent.key, parent.has_faulty_key = None, False

    def _add_key(self, parent: _OpenCollection, node: YamlNode) -> None:
        """Make a node the current key.

        Reports ``<<``, and records a duplicate. The values of both, and of a collection as key, are faulty.
        """
        if not isinstance(node, YamlScalar):  # already reported by _open_collection
            parent.key, parent.has_faulty_key = YamlScalar(node.span, None, "", ""), True
            return
        parent.key = node
        if node.text == "<<" and not node.style:
            hint = "write the keys out; to share values between declarations, use a table or a query"
            self._report(diagnostic_codes.MERGE_KEY, "`<<` merges another mapping into this one", node.span, hint)
            parent.has_faulty_key = True
        elif parent.first_keys.setdefault(node.text, node) is not node:
            parent.duplicate_keys.append(node)
            parent.has_faulty_key = True

    # ------------------------------------------------------------ places

    def _make_span(self, start: int, end: int) -> Span:
        """Return a span in the fragment that holds it all, or else in the file."""
        index = bisect_right(self.source.fragments, start, key=itemgetter(0)) - 1
        if index >= 0:
            first, fragment = self.source.fragments[index]
            if end <= first + fragment.size:
                return Span(fragment, start - first, end - first)
        return Span(self.source, start, end)

    def _get_event_span(self, event: Any) -> Span:
        return self._make_span(event.start_mark.index, event.end_mark.index)


def _get_plain_text(value: YamlNode) -> str | None:
    """Return the text of a scalar without quotes, "" for any other value, and None if there is no value."""
    if not isinstance(value, YamlScalar) or value.style:
        return ""
    return None if value.value is None and not value.text else value.text


_BLANKS = re.compile(r"[ \t\n]*")
_BLANKS_AND_WORD = re.compile(r"([ \t\n]*)([^ \t\n]*)")
_PARTS = {
    "": re.compile(r"[ \t\n]+|[^ \t\n]+()"),
    "'": re.compile(r"[ \t\n]+|('')|[^ \t\n']+"),
    '"': re.compile(r"[ \t\n]+|\\\n[ \t\n]*|(\\(?:x..|u.{4}|U.{8}|.))|[^ \t\n\\]+"),
}
"""Style of a scalar outside of blocks -> its parts: blanks, escapes (the group), and other characters."""


def _locate_characters(text: str, source: str, start: int, end: int, style: str) -> tuple[int, ...]:
    r"""Return the offset of each character of a scalar, whose value is ``text``, and that of its end.

    The scalar is ``source[start:end]``, and ``source`` goes on behind it. The end lies behind the last character.
    Example: ``"a\nb"`` at 0 has the offsets 1, 2, 4 and 5. ``style`` is ``|``, ``>``, ``'``, ``"`` or empty (plain).
    """
    if style in ("|", ">"):
        offsets = list(_locate_in_block(text, source, source.find("\n", start) + 1 or len(source)))
    else:
        offsets = list(_locate_outside_block(source, start + len(style), end - len(style), style))
    return (*offsets, offsets[-1] + 1 if offsets else min(end, start + len(style)))


def _locate_outside_block(source: str, start: int, end: int, style: str) -> Iterator[int]:
    """Yield the offset of each character of a plain or quoted scalar in ``source[start:end]``, without its quotes.

    An escape is one character. A single line break becomes a blank, and of several in a row, the first is dropped, as
    are blanks beside them. A line break behind a backslash is dropped, too.
    """
    for part in _PARTS[style].finditer(source, start, end):
        if "\n" in part[0]:
            breaks = [offset for offset in range(*part.span()) if source[offset] == "\n"]
            yield from breaks if len(breaks) == 1 and part[0][0] != "\\" else breaks[1:]
        elif part[1]:
            yield part.start()
        else:
            yield from range(*part.span())


def _locate_in_block(text: str, source: str, start: int) -> Iterator[int]:
    """Yield the offset of each character of ``text``, which YAML reads in the lines from ``start`` on.

    Words of the text stand in the source. Blanks of a line of the text are the last ones of their line in the source,
    and a line break may have become a blank. Where YAML drops a line break, it is the first one before a word, or the
    last one at the end.
    """
    for blanks, word in _BLANKS_AND_WORD.findall(text):
        rows = _BLANKS.match(source, start)[0].split("\n")  # type: ignore[index]
        row_ends = [start - 1 + length for length in accumulate(len(row) + 1 for row in rows)]
        is_folded = word and len(rows) > 1 and "\n" not in blanks
        text_rows = [blanks[:-1], ""] if is_folded else blanks.split("\n")
        dropped = len(rows) - len(text_rows) if word else 0
        for number, text_row in enumerate(text_rows):
            if number:
                yield row_ends[dropped + number - 1]
            row_end = row_ends[dropped + number if number else 0]
            yield from range(row_end - len(text_row), row_end)
        start = row_ends[-1] + len(word)
        yield from range(row_ends[-1], start)
