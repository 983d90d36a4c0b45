"""The `value` that a file of a ruleset tells bots: read, and put into the file in its style. Nothing else changes."""

from __future__ import annotations

from ..text.diagnostics import Diagnostics
from ..text.source import Source
from ..yaml.reader import YamlMapping, YamlScalar, read_text
from . import format_source
from .scalars import in_quotes

SECTION, KEY = "bots", "value"


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
    scalar, section, text = _scalar(source), _section(source), source.text
    if scalar is not None:
        old = text[scalar.span.start : scalar.span.end]
        ending = "\n" * old.endswith("\n")
        text = f"{text[: scalar.span.start]}{in_quotes(value)}{ending}{text[scalar.span.end :]}"
    elif section is not None and section.entries:
        first = section.entries[0][0].span
        between = ", " if text[section.span.start] == "{" else "\n" + " " * (first.column - 1)
        text = f"{text[: first.start]}{KEY}: {in_quotes(value)}{between}{text[first.start :]}"
    elif section is None:
        text = f"{text.rstrip()}\n\n{SECTION}:\n  {KEY}: {in_quotes(value)}\n"
    return format_source(Source(source.name, text, source.edition), Diagnostics())


def _section(source: Source) -> YamlMapping | None:
    root = read_text(source, Diagnostics())
    section = root.get(SECTION) if isinstance(root, YamlMapping) else None
    return section if isinstance(section, YamlMapping) else None


def _scalar(source: Source) -> YamlScalar | None:
    section = _section(source)
    value = None if section is None else section.get(KEY)
    return value if isinstance(value, YamlScalar) else None
