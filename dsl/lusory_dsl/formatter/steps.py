"""Steps of cases that check above what they do -> a step that checks, then one that does.

Used by the formatter for files of the second edition, in which such a step is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..text.diagnostics import Diagnostics
from ..text.source import Source
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text

DEEDS = ("do", "play_until", "run")
"""The keys of a step that do something, behind which its checks are made."""
BESIDE = ("stop", "fault")
"""The keys that belong to what is done."""


def above_deeds(step: YamlMapping) -> Iterator[tuple[YamlScalar, YamlScalar]]:
    """Each key that does something though a check of the same step stands above it, with the first such check."""
    first: YamlScalar | None = None
    for key, _ in step.entries:
        if key.text not in DEEDS:
            first = key if first is None and key.text not in BESIDE else first
        elif first is not None:
            yield first, key
            first = None


def split_steps(source: Source) -> Source:
    """A file of cases in the one style, with checks below what is done."""
    text, root = source.text, read_text(source, Diagnostics())
    for step in reversed([step for case in _items(root, "cases") for step in _items(case, "steps")]):
        if isinstance(step, YamlMapping):
            for _, deed in reversed(list(above_deeds(step))):
                text = _split_at(text, step, deed)
    return Source(source.name, text)


def _items(node: YamlNode | None, key: str) -> tuple[YamlNode, ...]:
    value = node.get(key) if isinstance(node, YamlMapping) else None
    return value.items if isinstance(value, YamlSequence) else ()


def _split_at(text: str, step: YamlMapping, deed: YamlScalar) -> str:
    """The text with a new step at a key: another item of the list in which the step stands."""
    start = deed.span.start
    if text[step.span.start] != "{":
        return f"{text[: start - 2]}- {text[start:]}"
    above = text[:start].rstrip().removesuffix(",")
    line_start = text.rfind("\n", 0, step.span.start) + 1
    before = text[line_start : step.span.start]
    between = "\n" + " " * before.index("-") + "- " if before.strip() == "-" else ", "
    return f"{above}}}{between}{{{text[start:]}"
