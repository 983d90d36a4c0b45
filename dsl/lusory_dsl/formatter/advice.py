"""What a file of a ruleset tells bots: its `value` read, and that or a level put into the file in its style. Nothing
else changes."""

from __future__ import annotations

from ..text.diagnostics import Diagnostics
from ..text.source import Source
from ..yaml.reader import YamlMapping, YamlScalar, read_text
from . import format_source
from .scalars import in_quotes

SECTION, KEY, LEVELS = "bots", "value", "levels"


def value_in(source: Source) -> str | None:
    """What stands there, as one line; None where a file has no such value, or can't be read."""
    scalar = _scalar(source)
    return None if scalar is None else " ".join(scalar.text.split())


def has_section(source: Source) -> bool:
    """Whether a file says anything to bots."""
    return _section(source) is not None


def with_value(source: Source, value: str) -> str | None:
    """The text of a file that tells bots this value, in a section at its end where it has none; None where the file
    can't be read."""
    return _formatted(source, _with(source, _section(source), KEY, in_quotes(value)))


def with_level(source: Source, level: str, simulations: int) -> str | None:
    """The text of a file that gives a level so many simulations, likewise."""
    section = _section(source)
    levels = None if section is None else section.get(LEVELS)
    if isinstance(levels, YamlMapping) and levels.entries:
        return _formatted(source, _with(source, levels, level, str(simulations)))
    return _formatted(source, _with(source, section, LEVELS, f"{{{level}: {simulations}}}"))


def _with(source: Source, section: YamlMapping | None, key: str, words: str) -> str:
    """The text of a file with a key in a mapping of it; without one, in a section at its end."""
    text = source.text
    value = None if section is None else section.get(key)
    if value is not None:
        ending = "\n" * text[value.span.start : value.span.end].endswith("\n")
        return f"{text[: value.span.start]}{words}{ending}{text[value.span.end :]}"
    if section is None:
        return f"{text.rstrip()}\n\n{SECTION}:\n  {key}: {words}\n"
    if not section.entries:
        return text
    first = section.entries[0][0].span
    between = ", " if text[section.span.start] == "{" else "\n" + " " * (first.column - 1)
    return f"{text[: first.start]}{key}: {words}{between}{text[first.start :]}"


def _formatted(source: Source, text: str) -> str | None:
    return format_source(Source(source.name, text, source.edition), Diagnostics())


def _section(source: Source) -> YamlMapping | None:
    root = read_text(source, Diagnostics())
    section = root.get(SECTION) if isinstance(root, YamlMapping) else None
    return section if isinstance(section, YamlMapping) else None


def _scalar(source: Source) -> YamlScalar | None:
    section = _section(source)
    value = None if section is None else section.get(KEY)
    return value if isinstance(value, YamlScalar) else None
