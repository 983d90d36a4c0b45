"""Read a JSON text (RFC 8259) as the same tree of nodes that the YAML reader returns, with positions.

It reads recorded games, which may come from untrusted sources. It limits depth, keys and digits. It is stricter than
JSON: it refuses duplicate keys, unprintable characters, and decimal numbers unless the caller allows them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Set
from math import isfinite

from ..source.source import Source, Span
from .reader import YamlMapping, YamlNode, YamlScalar, YamlSequence

MAX_DEPTH = 32
MAX_KEYS = 10_000
MAX_DIGITS = 40
"""The maximum length of a number. Seeds have up to 128 bits."""

_TOKEN = re.compile(
    r'(?P<text>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)'
    r"|(?P<word>true|false|null)\b|(?P<sign>[][{}:,])",
    re.DOTALL,
)
_SPACE = re.compile(r"[ \t\n]*")
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]")
"""Matches characters that no text may contain: control characters, direction marks and invisible characters."""
_WORDS = {"true": True, "false": False, "null": None}

_VALUE = frozenset({"text", "number", "word", "[", "{"})
_Token = tuple[str, int, str]
"""The kind, start and text of a token."""


class JsonFault(Exception):
    """The text is not JSON, or it exceeds a limit.

    ``message`` explains the problem to users, and ``span`` is its place.
    """

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


def read_json(source: Source, allows_decimals: bool = False) -> YamlNode:
    """Return the tree of a JSON text.

    ``allows_decimals`` allows decimal numbers. Raises :class:`JsonFault` at the first error, also at a key that stands
    twice.
    """
    return _Reader(source, allows_decimals).read()


class _Reader:
    """Read the values of a text from its beginning on. Each method raises a JsonFault at the first error."""

    def __init__(self, source: Source, allows_decimals: bool) -> None:
        self.source = source
        self.allows_decimals = allows_decimals
        self.offset = 0

    def read(self) -> YamlNode:
        """Return the tree of the whole text. Raise JsonFault for an empty text, ``1 2`` and ``[1,]``.

        Raise JsonFault also for a key that stands twice, for a text with a character of ``UNPRINTABLE``, and for
        ``1.5``, ``1.0`` and ``1e3`` unless ``allows_decimals`` is set. At most ``MAX_DEPTH`` (32) nested brackets,
        ``MAX_KEYS`` (10,000) keys of one object and ``MAX_DIGITS`` (40) characters of a number are allowed.
        """
        node = self._read_value(self._read_token(_VALUE), 0)
        end = self._skip_space()
        if end < len(self.source.text):
            raise self._make_fault("there is text after the end", end)
        return node

    def _read_value(self, token: _Token, depth: int) -> YamlNode:
        """Return the value that begins with a token, inside of ``depth`` lists and mappings."""
        kind, start, token_text = token
        if kind not in ("[", "{"):
            return self._read_scalar(kind, start, token_text)
        if depth == MAX_DEPTH:
            raise self._make_fault(f"brackets are nested more than {MAX_DEPTH} deep", start)
        return self._read_list(start, depth + 1) if kind == "[" else self._read_mapping(start, depth + 1)

    def _read_list(self, start: int, depth: int) -> YamlSequence:
        items: list[YamlNode] = []
        token = self._read_token(_VALUE | {"]"})
        while token[0] != "]":
            items.append(self._read_value(token, depth))
            token = self._read_token({",", "]"})
            if token[0] == ",":
                token = self._read_token(_VALUE)
        return YamlSequence(Span(self.source, start, self.offset), tuple(items))

    def _read_mapping(self, start: int, depth: int) -> YamlMapping:
        entries: dict[str, tuple[YamlScalar, YamlNode]] = {}
        token = self._read_token({"text", "}"})
        while token[0] != "}":
            key = self._read_scalar(*token)
            if key.text in entries:
                raise self._make_fault(f"the key `{key.text}` stands twice", key.span.start)
            if len(entries) == MAX_KEYS:
                raise self._make_fault(f"more than {MAX_KEYS:,} keys in one object are not read", key.span.start)
            self._read_token({":"})
            entries[key.text] = key, self._read_value(self._read_token(_VALUE), depth)
            token = self._read_token({",", "}"})
            if token[0] == ",":
                token = self._read_token({"text"})
        return YamlMapping(Span(self.source, start, self.offset), tuple(entries.values()))

    def _read_token(self, expected: Set[str]) -> _Token:
        """Return the next token, whose kind must be in ``expected``.

        Each bracket, the colon and the comma are kinds of their own.
        """
        start = self._skip_space()
        match = _TOKEN.match(self.source.text, start)
        if match is None:
            kind = "end" if start == len(self.source.text) else "?"
            token = kind, start, self.source.text[start : start + 1]
        else:
            self.offset = match.end()
            kind = match.lastgroup or ""
            token = match[0] if kind == "sign" else kind, start, match[0]
        if token[0] not in expected:
            raise self._make_fault(_describe_unexpected(token[0], token[2], expected), start)
        return token

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

    def _make_fault(self, message: str, start: int) -> JsonFault:
        return JsonFault(message, Span(self.source, start, start + 1))


def _describe_unexpected(kind: str, token_text: str, expected: Set[str]) -> str:
    """Return the message about a token that is not allowed at its position."""
    names = {"text": "a text", "end": "the end", "?": "a character that means nothing", "number": "a number"}
    if kind == "?" and token_text == '"':
        return "a text does not end"
    expected_names = sorted(names.get(token, f"`{token}`") for token in expected)
    expected_words = "a value" if expected >= _VALUE else " or ".join(expected_names)
    return f"expected {expected_words}, found {names.get(kind, f'`{token_text}`')}"
