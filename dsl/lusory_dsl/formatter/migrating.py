"""A file of the first edition → the same in the second: its number, names for the items of nested selections, and steps
of cases whose checks stand behind what is done. Nothing else of it changes. Used by ``lusory fmt --language 2``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..effect import nodes
from ..effect.parser import parse_block, parse_choice_vars, parse_expression, parse_offer, parse_rule, parse_template
from ..text.diagnostics import Diagnostics
from ..text.records import dataclass, field
from ..text.source import Embedded, Source
from ..text.spelling import snake_case
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text
from .fields import VALUE, SchemaField
from .steps import split_steps

SECOND = 2
PARSERS: dict[str, Callable[[Embedded, Diagnostics], Any]] = {
    "expression": parse_expression,
    "block": parse_block,
    "rule": parse_rule,
    "choice_vars": parse_choice_vars,
    "template": parse_template,
    "offer": parse_offer,
    VALUE: parse_expression,
}
SELECTIONS = nodes.Where | nodes.AsLong | nodes.WithKey | nodes.Sorted
WITH_ITEMS = nodes.Comprehension | nodes.Each | nodes.ForEach | nodes.ChoiceVar | nodes.Split

Edit = tuple[int, int, str]
"""What stands from one place to another becomes something else."""


@dataclass(eq=False)
class _Items:
    """A list whose items are `it` in a condition. ``nested``: it stands in such a condition itself."""

    of: nodes.Node
    nested: bool
    uses: list[nodes.Name] = field(default_factory=list)


def migrated(sources: Iterable[Source]) -> list[Source]:
    """The files of a ruleset or pack, with its cases, in the second edition. What can't be read stays as it is; whether
    both mean the same is for the caller to look at."""
    read = [(source, read_text(source, Diagnostics())) for source in sources]
    names = {name for _, root in read if root is not None for name in _names(root)}
    kinds = {name: kind for _, root in read if isinstance(root, YamlMapping) for name, kind in _kinds(root)}
    return [source if root is None else _migrated(source, root, names, kinds) for source, root in read]


def _migrated(source: Source, root: YamlNode, names: set[str], kinds: dict[str, str]) -> Source:
    edits = [*_numbers(root)]
    for scalar, language in texts_of(root, SchemaField.of_file(root)):
        parsed = PARSERS[language](scalar.embedded(), Diagnostics()) if language in PARSERS else None
        words = set(re.findall(r"\w+", scalar.text))
        found: list[_Items] = []
        for node in parsed if isinstance(parsed, tuple) else () if parsed is None else (parsed,):
            _look(node, None, found)
        for items in found:
            if items.nested and items.uses:
                edits += _named(source, items, names | words, kinds)
                words |= {edit[2] for edit in edits}
    text = source.text
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return split_steps(Source(source.name, text))


# ---------------------------------------------------------------- the number


def _numbers(root: YamlNode) -> Iterator[Edit]:
    """The edition of the game or pack that begins in a file."""
    for key in ("game", "pack"):
        head = root.get(key) if isinstance(root, YamlMapping) else None
        if not isinstance(head, YamlMapping) or not head.entries:
            continue
        number, (first, _), (_, last) = head.get("language"), head.entries[0], head.entries[-1]
        if number is not None:
            yield number.span.start, number.span.end, str(SECOND)
        elif head.span.source.text[head.span.start] == "{":
            yield last.span.end, last.span.end, f", language: {SECOND}"
        else:
            yield first.span.start, first.span.start, f"language: {SECOND}\n{' ' * (first.span.column - 1)}"


# ---------------------------------------------------------------- names of items


def _look(node: nodes.Node, around: _Items | None, found: list[_Items]) -> None:
    """Finds lists whose items are `it`, and where it is said; ``around``: the one whose items are `it` here."""
    if isinstance(node, nodes.Name) and node.name == "it" and around is not None:
        around.uses.append(node)
    inside: tuple[nodes.Expr | None, ...] = ()
    if isinstance(node, SELECTIONS) and node.item is None:
        inside = (node.condition,) if isinstance(node, nodes.Where | nodes.AsLong) else (node.key,)
    elif isinstance(node, WITH_ITEMS):
        inside = (node.condition,)
    own = _Items(node, nested=around is not None)
    if inside:
        found.append(own)
    so_far = isinstance(node, nodes.WhileRule)  # there `it` is the value so far
    for child in nodes.children(node):
        _look(child, own if any(child is part for part in inside) else None if so_far else around, found)


def _named(source: Source, items: _Items, taken: set[str], kinds: dict[str, str]) -> Iterator[Edit]:
    """A name for the items of a list in place of `it`."""
    of = items.of
    if isinstance(of, SELECTIONS):
        name = _free(_singular(of.source, kinds), taken)
        behind = of.condition if isinstance(of, nodes.Where | nodes.AsLong) else of.key
        between = re.search(r"\b(where|with)\b", source.text[of.source.span.end : behind.span.start])
        if between is None:
            return
        at = of.source.span.end + between.start()
        yield at, at, f"as {name} "
    else:
        name = getattr(of, "item", None) or of.name  # type: ignore[attr-defined]
    yield from ((use.span.start, use.span.end, name) for use in items.uses)


def _singular(source: nodes.Expr, kinds: dict[str, str]) -> str:
    """What one of a list could be called."""
    while isinstance(source, SELECTIONS):
        source = source.source
    while isinstance(source, nodes.Index | nodes.Call):
        source = source.subject if isinstance(source, nodes.Index) else source.callee
    name = source.name if isinstance(source, nodes.Name | nodes.Member) else ""
    if name in kinds or name[:1].isupper():
        return snake_case(kinds.get(name, name))
    return f"{name[:-3]}y" if name.endswith("ies") else name[:-1] if name.endswith("s") and len(name) > 2 else "item"


def _free(name: str, taken: set[str]) -> str:
    candidates = (name, f"other_{name}", *(f"{name}_{number}" for number in range(2, len(taken) + 3)))
    return next(one for one in candidates if one not in taken)


# ---------------------------------------------------------------- what stands in files


def texts_of(node: YamlNode, place: SchemaField) -> Iterator[tuple[YamlScalar, str]]:
    """The effect texts of a file, each with the rule of the grammar that it is read with."""
    if isinstance(node, YamlScalar):
        if place.language is not None and isinstance(node.value, str):
            yield node, place.language
    elif isinstance(node, YamlMapping):
        for key, value in node.entries:
            yield from texts_of(value, place.of_key(key.text))
    elif isinstance(node, YamlSequence):
        inner = place if place.language is not None else place.of_item()
        for item in node.items:
            yield from texts_of(item, inner)


def _names(node: YamlNode) -> Iterator[str]:
    """Whatever may be declared in a file: its keys, and the words of its lists."""
    if isinstance(node, YamlMapping):
        for key, value in node.entries:
            yield key.text
            yield from _names(value)
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from [item.text] if isinstance(item, YamlScalar) else _names(item)


def _kinds(root: YamlMapping) -> Iterator[tuple[str, str]]:
    """What zones hold."""
    zones = root.get("zones")
    for key, zone in zones.entries if isinstance(zones, YamlMapping) else ():
        holds = zone.get("holds") if isinstance(zone, YamlMapping) else None
        if isinstance(holds, YamlScalar):
            yield key.text, holds.text
