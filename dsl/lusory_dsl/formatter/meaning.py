"""Whether two YAML files say the same, up to how it is written. The formatter's own safety net, and its tests'."""

from __future__ import annotations

import re

from ..effect import nodes, parser
from ..text.diagnostics import Diagnostics
from ..text.records import fields
from ..text.source import Embedded
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence
from .fields import VALUE, SchemaField
from .pictures import PICTURE, rows_of

_ALL = re.compile(r"\s*all\s+\w+\s*")


def same_meaning(first: YamlNode, second: YamlNode) -> bool:
    """Whether two files have the same keys and values in the same order; effect text counts by what it is parsed to."""
    return _same(first, second, SchemaField.of_file(first))


def _same(first: YamlNode, second: YamlNode, place: SchemaField) -> bool:
    if isinstance(first, YamlMapping) and isinstance(second, YamlMapping):
        return [key.text for key, _ in first.entries] == [key.text for key, _ in second.entries] and all(
            _same(a, b, place.of_key(key.text)) for (key, a), (_, b) in zip(first.entries, second.entries, strict=True)
        )
    if isinstance(first, YamlSequence) and isinstance(second, YamlSequence):
        item = place.of_item()
        return len(first.items) == len(second.items) and all(
            map(lambda a, b: _same(a, b, item), first.items, second.items)
        )
    if not isinstance(first, YamlScalar) or not isinstance(second, YamlScalar):
        return False
    if first.text == second.text:
        return _same_value(first, second)
    if not isinstance(first.value, str | None) and _same_value(first, second):
        return True  # a number that is spelt otherwise
    language = place.language
    if language == PICTURE:
        return rows_of(first.text) == rows_of(second.text)
    return language is not None and meaning(language, first) == meaning(language, second) is not None


def _same_value(first: YamlScalar, second: YamlScalar) -> bool:
    return first.value == second.value and type(first.value) is type(second.value)


def meaning(language: str, scalar: YamlScalar) -> object:
    """What effect text stands for, comparable; None for what doesn't parse."""
    if is_word(scalar.text):
        return scalar.text.strip()
    read = read_text(language, scalar.embedded(), Diagnostics())
    return None if read is None else shape(read[1])


def is_word(text: str) -> bool:
    """Whether a text is a word, also one that only this value knows, such as `all`, or `all` of a kind."""
    return text.strip().isalnum() or _ALL.fullmatch(text) is not None


def read_text(
    language: str, text: Embedded, found: Diagnostics
) -> tuple[str, object, tuple[parser.Lexeme, ...]] | None:
    """The starting rule of a text, what it stands for, and its words. What is wrong goes to ``found``, unless it may be
    data."""
    for start in ("block", "gains") if language == VALUE else (language,):
        read = parser.lexemes(start, text, Diagnostics() if language == VALUE else found)
        if read is not None:
            return start, *read
    return None


def shape(value: object) -> object:
    """Nodes without their places."""
    if isinstance(value, nodes.Node):
        kept = (getattr(value, f.name) for f in fields(value) if not f.name.endswith("span"))
        return (type(value).__name__, *map(shape, kept))
    if isinstance(value, tuple):
        return tuple(map(shape, value))
    return value
