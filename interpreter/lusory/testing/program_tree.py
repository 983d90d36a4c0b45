"""Walk over a checked program, and make copies of it with one part replaced, for coverage and mutation tests.

A program is a tree of frozen records, tuples and dictionaries. A *path* locates a node in it. Its elements are field
names, indexes of tuples and keys of dictionaries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.source.source import Span

Path = tuple[Any, ...]
Place = tuple[Any, int, int]
"""Span as a dictionary key. Nodes with the same key were made from the same source text."""

RULES = ("variables", "pools", "zones", "queries", "effects", "setup", "phases", "scoring")
"""Sections of a program that define play. Display and test sections are left out."""

_CALLED = ("queries", "effects")  # these are in play only if something in play calls them

_PARTS = (
    core.Expr,
    core.Stmt,
    core.Alternative,
    core.ChoiceVar,
    core.Modifier,
    core.Query,
    core.Rule,
    core.Effect,
    core.Phase,
    core.Visibility,
    core.Variable,
    core.Pool,
    core.CardZone,
    core.Scoring,
    core.Chart,
)


def place_of(span: Span) -> Place:
    return span.source, span.start, span.end


def words_at(span: Span) -> str:
    """Return the source text of a span."""
    return span.source.text[span.start : span.end]


def inside(part: Any) -> Iterator[tuple[Any, Path]]:
    """Yield the direct children of a record with their relative paths. Text templates are left out."""
    for field in fields(part):
        yield from _found(getattr(part, field.name), (field.name,))


def _found(value: object, path: Path) -> Iterator[tuple[Any, Path]]:
    if isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from _found(item, (*path, number))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _found(item, (*path, key))
    elif isinstance(value, _PARTS) and not isinstance(value, core.TextTemplate):
        yield value, path


def routines_in_play(program: core.Program) -> Iterator[tuple[Any, Path]]:
    """Yield the top-level records that define play, with their paths.

    Left out are effects that nothing calls, and queries that only texts, the display or tests call.
    """
    sections = [found for section in RULES for found in _found(getattr(program, section), (section,))]
    of_name = {(path[0], path[1]): part for part, path in sections if path[0] in _CALLED}
    todo = [part for part, path in sections if path[0] not in _CALLED]
    used = set(map(id, todo))
    while todo:
        for part, _ in walk(todo.pop()):
            match part:
                case core.CallQuery(query=name):
                    called = of_name["queries", name]
                case core.CallEffect(effect=name):
                    called = of_name["effects", name]
                case _:
                    continue
            if id(called) not in used:
                used.add(id(called))
                todo.append(called)
    yield from ((part, path) for part, path in sections if id(part) in used)


def walk(part: Any, path: Path = ()) -> Iterator[tuple[Any, Path]]:
    """Yield a record and all its descendants with their paths, parents first."""
    yield part, path
    for inner, steps in inside(part):
        yield from walk(inner, (*path, *steps))


def put(root: Any, path: Path, new: Any) -> Any:
    """Return a copy of ``root`` with the node at ``path`` replaced. The rest of the tree is shared."""
    if not path:
        return new
    step, *rest = path
    if isinstance(root, tuple):
        return (*root[:step], put(root[step], tuple(rest), new), *root[step + 1 :])
    if isinstance(root, dict):
        return {**root, step: put(root[step], tuple(rest), new)}
    return replace(root, **{step: put(getattr(root, step), tuple(rest), new)})
