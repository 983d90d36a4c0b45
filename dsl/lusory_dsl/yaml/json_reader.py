"""Read a JSON text (RFC 8259) as the same tree of nodes that the YAML reader returns, with positions.

It reads recorded games, which may come from untrusted sources. It uses no recursion and limits depth, keys and
digits. It is stricter than JSON: it refuses duplicate keys, unprintable characters, and decimal numbers unless the
caller allows them.
"""

from __future__ import annotations

import json
import re
from math import isfinite

from ..source.dataclass_with_lazy_methods import dataclass, field
from ..source.source import Source, Span
from .reader import YamlMapping, YamlNode, YamlScalar, YamlSequence

MAX_DEPTH = 32
MAX_KEYS = 10_000
MAX_DIGITS = 40
"""The maximum length of a number. Seeds have up to 128 bits."""

_TOKEN = re.compile(
    r'(?P<text>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)'
    r"|(?P<word>true|false|null)\b|(?P<sign>[][{}:,])",
    re.DOTALL,
)
_SPACE = re.compile(r"[ \t\n]*")
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]")
"""Matches characters that no text may contain: control characters, direction marks and invisible characters."""
_WORDS = {"true": True, "false": False, "null": None}

_VALUE = frozenset({"text", "number", "word", "[", "{"})
_ENDS = {"[": "]", "{": "}"}


class JsonFault(Exception):
    """The text is not JSON, or it exceeds a limit.

    ``message`` explains the problem to users, and ``span`` is its place.
    """

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


@dataclass
class _OpenCollection:
    """An unfinished list or mapping. ``key`` is the key whose value comes next."""

    start: int
    bracket: str
    items: list[YamlNode] = field(default_factory=list)
    entries: list[tuple[YamlScalar, YamlNode]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    key: YamlScalar | None = None


def read_json(source: Source, allows_decimals: bool = False) -> YamlNode:
    """Return the tree of a JSON text.

    ``allows_decimals`` allows decimal numbers. Raises :class:`JsonFault` at the first error, also at a key that stands
    twice.
    """
    return _TreeBuilder(source, allows_decimals).read()


class _TreeBuilder:
    def __init__(self, source: Source, allows_decimals: bool) -> None:
        self.source = source
        self.allows_decimals = allows_decimals
        self.offset = 0
        self.open_collections: list[_OpenCollection] = []

    def read(self) -> YamlNode:
        """Return the tree of the whole text. Raises JsonFault at the first error, also if text follows the value."""
        expected = _VALUE
        while True:
            kind, start, token_text = self._read_token()
            if kind not in expected:
                raise self._make_fault(_describe_unexpected(kind, token_text, expected), start)
            if kind in _ENDS:
                if len(self.open_collections) == MAX_DEPTH:
                    raise self._make_fault(f"brackets are nested more than {MAX_DEPTH} deep", start)
                self.open_collections.append(_OpenCollection(start, kind))
                expected = (_VALUE if kind == "[" else frozenset({"text"})) | {_ENDS[kind]}
            elif kind == ",":
                expected = _VALUE if self.open_collections[-1].bracket == "[" else frozenset({"text"})
            elif kind == ":":
                expected = _VALUE
            else:
                node = self._close_collection() if kind in "]}" else self._read_scalar(kind, start, token_text)
                if not self.open_collections:
                    end = self._skip_space()
                    if end < len(self.source.text):
                        raise self._make_fault("there is text after the end", end)
                    return node
                expected = self._add_node(node)

    def _read_token(self) -> tuple[str, int, str]:
        """Return the kind, start and text of the next token.

        Each bracket, the colon and the comma are kinds of their own.
        """
        start = self._skip_space()
        match = _TOKEN.match(self.source.text, start)
        if match is None:
            return "end" if start == len(self.source.text) else "?", start, self.source.text[start : start + 1]
        self.offset = match.end()
        kind = match.lastgroup or ""
        return match[0] if kind == "sign" else kind, start, match[0]

    def _skip_space(self) -> int:
        space = _SPACE.match(self.source.text, self.offset)
        assert space is not None, "no space is space"
        return space.end()

    def _read_scalar(self, kind: str, start: int, token_text: str) -> YamlScalar:
        """Return the node of a text, a number or a word (``true``, ``false``, ``null``).

        Raises a fault if a number is too long or too large, or is no whole number where decimals aren't allowed.
        """
        span = Span(self.source, start, self.offset)
        if kind == "text":
            text = self._read_text(start, token_text)
            return YamlScalar(span, text, text, '"')
        if kind == "number":
            if len(token_text) > MAX_DIGITS:
                raise self._make_fault(f"numbers of more than {MAX_DIGITS} digits are not read", start)
            is_whole = token_text.lstrip("-").isdecimal()
            if not is_whole and not self.allows_decimals:
                raise self._make_fault("numbers must be whole", start)
            number = int(token_text) if is_whole else float(token_text)
            if not isfinite(number):
                raise self._make_fault("this number is too large", start)
            return YamlScalar(span, number, token_text, "")
        return YamlScalar(span, _WORDS[token_text], token_text, "")

    def _read_text(self, start: int, token_text: str) -> str:
        """Return the value of a text. Raises a fault for a wrong escape, a line break or an unprintable character."""
        try:
            text: str = json.loads(token_text)
        except ValueError:
            message = "this text holds a line break, a control character or an unknown `\\`"
            raise self._make_fault(message, start) from None
        if bad_character := UNPRINTABLE.search(text):
            message = f"this text holds a character that can't be printed (U+{ord(bad_character[0]):04X})"
            raise self._make_fault(message, start)
        return text

    def _close_collection(self) -> YamlNode:
        collection = self.open_collections.pop()
        span = Span(self.source, collection.start, self.offset)
        if collection.bracket == "[":
            return YamlSequence(span, tuple(collection.items))
        return YamlMapping(span, tuple(collection.entries))

    def _add_node(self, node: YamlNode) -> frozenset[str]:
        """Add a node to the enclosing list or mapping. Returns the kinds of tokens that may follow."""
        parent = self.open_collections[-1]
        if parent.bracket == "[":
            parent.items.append(node)
        elif parent.key is not None:
            parent.entries.append((parent.key, node))
            parent.key = None
        else:
            assert isinstance(node, YamlScalar), "keys are texts"
            if node.text in parent.keys:
                raise self._make_fault(f"the key `{node.text}` stands twice", node.span.start)
            if len(parent.keys) == MAX_KEYS:
                raise self._make_fault(f"more than {MAX_KEYS:,} keys in one object are not read", node.span.start)
            parent.keys.add(node.text)
            parent.key = node
            return frozenset(":")
        return frozenset({",", _ENDS[parent.bracket]})

    def _make_fault(self, message: str, start: int) -> JsonFault:
        return JsonFault(message, Span(self.source, start, start + 1))


def _describe_unexpected(kind: str, token_text: str, expected: frozenset[str]) -> str:
    """Return the message about a token that is not allowed at its position."""
    names = {"text": "a text", "end": "the end", "?": "a character that means nothing", "number": "a number"}
    if kind == "?" and token_text == '"':
        return "a text does not end"
    expected_names = sorted(names.get(token, f"`{token}`") for token in expected)
    expected_words = "a value" if expected >= _VALUE else " or ".join(expected_names)
    return f"expected {expected_words}, found {names.get(kind, f'`{token_text}`')}"
