"""Read a JSON text (RFC 8259) as the same tree of nodes that the YAML reader returns, with positions.

It reads recorded games, which may come from untrusted sources. It uses no recursion and limits depth, keys and
digits. It is stricter than JSON: it refuses duplicate keys, unprintable characters, and decimal numbers unless the
caller allows them.
"""

from __future__ import annotations

import json
import re
from math import isfinite

from ..source.lazy_dataclass import dataclass, field
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
class _Open:
    """An unfinished list or mapping. ``key`` is the key whose value comes next."""

    start: int
    bracket: str
    items: list[YamlNode] = field(default_factory=list)
    entries: list[tuple[YamlScalar, YamlNode]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    key: YamlScalar | None = None


def read_json(source: Source, decimals: bool = False) -> YamlNode:
    """Return the tree of a JSON text.

    ``decimals`` allows decimal numbers. Raises :class:`JsonFault` at the first error.
    """
    return _Builder(source, decimals).read()


class _Builder:
    def __init__(self, source: Source, decimals: bool) -> None:
        self.source = source
        self.decimals = decimals
        self.at = 0
        self.opened: list[_Open] = []

    def read(self) -> YamlNode:
        expected = _VALUE
        while True:
            kind, start, written = self._token()
            if kind not in expected:
                raise self._fault(_unexpected(kind, written, expected), start)
            if kind in _ENDS:
                if len(self.opened) == MAX_DEPTH:
                    raise self._fault(f"brackets are nested more than {MAX_DEPTH} deep", start)
                self.opened.append(_Open(start, kind))
                expected = (_VALUE if kind == "[" else frozenset({"text"})) | {_ENDS[kind]}
            elif kind == ",":
                expected = _VALUE if self.opened[-1].bracket == "[" else frozenset({"text"})
            elif kind == ":":
                expected = _VALUE
            else:
                done = self._closed() if kind in "]}" else self._scalar(kind, start, written)
                if not self.opened:
                    self._expect_end()
                    return done
                expected = self._placed(done)

    def _token(self) -> tuple[str, int, str]:
        """Return the kind, start and text of the next token.

        Each bracket, the colon and the comma are kinds of their own.
        """
        start = self._skip()
        found = _TOKEN.match(self.source.text, start)
        if found is None:
            return "end" if start == len(self.source.text) else "?", start, self.source.text[start : start + 1]
        self.at = found.end()
        kind = found.lastgroup or ""
        return found[0] if kind == "sign" else kind, start, found[0]

    def _skip(self) -> int:
        space = _SPACE.match(self.source.text, self.at)
        assert space is not None, "no space is space"
        return space.end()

    def _expect_end(self) -> None:
        start = self._skip()
        if start < len(self.source.text):
            raise self._fault("something stands behind the end", start)

    def _scalar(self, kind: str, start: int, written: str) -> YamlScalar:
        if kind == "text":
            value = self._text(start, written)
            return YamlScalar(Span(self.source, start, self.at), value, value, '"', 0)
        if kind == "number":
            if len(written) > MAX_DIGITS:
                raise self._fault(f"numbers of more than {MAX_DIGITS} digits are not read", start)
            is_whole = written.lstrip("-").isdecimal()
            if not is_whole and not self.decimals:
                raise self._fault("there are only whole numbers", start)
            number = int(written) if is_whole else float(written)
            if not isfinite(number):
                raise self._fault("this number is too large", start)
            return YamlScalar(Span(self.source, start, self.at), number, written, "", 0)
        return YamlScalar(Span(self.source, start, self.at), _WORDS[written], written, "", 0)

    def _text(self, start: int, written: str) -> str:
        try:
            text: str = json.loads(written)
        except ValueError:
            raise self._fault("this text holds a line break, a control character or an unknown `\\`", start) from None
        strange = UNPRINTABLE.search(text)
        if strange is not None:
            raise self._fault(f"this text holds a character that can't be printed (U+{ord(strange[0]):04X})", start)
        return text

    def _closed(self) -> YamlNode:
        done = self.opened.pop()
        span = Span(self.source, done.start, self.at)
        return YamlSequence(span, tuple(done.items)) if done.bracket == "[" else YamlMapping(span, tuple(done.entries))

    def _placed(self, done: YamlNode) -> frozenset[str]:
        """Add a node to the enclosing list or mapping. Returns the kinds of tokens that may follow."""
        around = self.opened[-1]
        if around.bracket == "[":
            around.items.append(done)
        elif around.key is not None:
            around.entries.append((around.key, done))
            around.key = None
        else:
            assert isinstance(done, YamlScalar), "keys are texts"
            if done.text in around.seen:
                raise self._fault(f"the key `{done.text}` stands twice", done.span.start)
            if len(around.seen) == MAX_KEYS:
                raise self._fault(f"more than {MAX_KEYS:,} keys in one object are not read", done.span.start)
            around.seen.add(done.text)
            around.key = done
            return frozenset(":")
        return frozenset({",", _ENDS[around.bracket]})

    def _fault(self, message: str, start: int) -> JsonFault:
        return JsonFault(message, Span(self.source, start, start + 1))


def _unexpected(kind: str, written: str, expected: frozenset[str]) -> str:
    """Return the message about a token that is not allowed at its position."""
    names = {"text": "a text", "end": "the end", "?": "a character that means nothing", "number": "a number"}
    if kind == "?" and written == '"':
        return "a text does not end"
    found = names.get(kind, f"`{written}`")
    wanted = "a value" if expected >= _VALUE else " or ".join(sorted(names.get(k, f"`{k}`") for k in expected))
    return f"expected {wanted}, found {found}"
