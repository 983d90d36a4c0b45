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

_CALLABLE_SECTIONS = ("queries", "effects")  # these are in play only if something in play calls them

_NODE_CLASSES = (
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


def make_span_key(span: Span) -> Place:
    """Return a span as a dictionary key: its source, start and end."""
    return span.source, span.start, span.end


def list_children(node: Any) -> Iterator[tuple[Any, Path]]:
    """Yield the direct children of a record with their relative paths, in the order of its fields.

    Records in tuples and dictionaries of a field count as direct children. Text templates are left out.
    """
    for field in fields(node):
        yield from _find_nodes(getattr(node, field.name), (field.name,))


def _find_nodes(value: object, path: Path) -> Iterator[tuple[Any, Path]]:
    if isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from _find_nodes(item, (*path, number))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _find_nodes(item, (*path, key))
    elif isinstance(value, _NODE_CLASSES) and not isinstance(value, core.TextTemplate):
        yield value, path


def list_used_routines(program: core.Program) -> Iterator[tuple[Any, Path]]:
    """Yield the top-level records that define play, with their paths.

    They are variables, pools, zones, queries, effects, the setup, phases and the scoring, in this order. A path leads
    from the program to the record, such as ``("effects", "deal")``, ``("phases", 0)`` and ``("setup",)``. Left out
    are effects and queries that nothing in play calls, such as a query that only texts, the display or tests call.
    """
    sections = [node for section in RULES for node in _find_nodes(getattr(program, section), (section,))]
    routines_by_name = {(path[0], path[1]): routine for routine, path in sections if path[0] in _CALLABLE_SECTIONS}
    todo = [routine for routine, path in sections if path[0] not in _CALLABLE_SECTIONS]
    used_ids = set(map(id, todo))
    while todo:
        for node, _ in walk(todo.pop()):
            match node:
                case core.CallQuery(query=name):
                    callee = routines_by_name["queries", name]
                case core.CallEffect(effect=name):
                    callee = routines_by_name["effects", name]
                case _:
                    continue
            if id(callee) not in used_ids:
                used_ids.add(id(callee))
                todo.append(callee)
    yield from ((routine, path) for routine, path in sections if id(routine) in used_ids)


def walk(node: Any, path: Path = ()) -> Iterator[tuple[Any, Path]]:
    """Yield a record and all its descendants with their paths, in depth-first order. The paths begin with ``path``."""
    yield node, path
    for child, steps in list_children(node):
        yield from walk(child, (*path, *steps))


def replace_node(root: Any, path: Path, new_node: Any) -> Any:
    """Return a copy of ``root`` with ``new_node`` at ``path``, or ``new_node`` for the path ``()``. The rest is shared.

    A step is a field of a record, a key of a dict or an index of a tuple, from 0. Example: the path
    ``("effects", "draw", "body", 0)`` replaces the first statement of the effect ``draw``.
    """
    if not path:
        return new_node
    key, *inner_path = path
    if isinstance(root, tuple):
        return (*root[:key], replace_node(root[key], tuple(inner_path), new_node), *root[key + 1 :])
    if isinstance(root, dict):
        return {**root, key: replace_node(root[key], tuple(inner_path), new_node)}
    return replace(root, **{key: replace_node(getattr(root, key), tuple(inner_path), new_node)})
