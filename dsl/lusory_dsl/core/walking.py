"""Walks over the core language: what stands inside of an expression, a statement, a block. Used wherever programs are
read as a whole: by stages of the checker, by the engines, by coverage."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from .expressions import Binary, Const, Distinct, Expr, Extreme, Filter, Fold, Local, MapList
from .statements import Alternative, Ask, ChoiceVar, DoByCard, ForEach, If, Random, Repeat, Stmt

Block = tuple[Stmt, ...]

LOOPS = Filter | MapList | Fold | Extreme | Distinct
"""What goes through the items of its ``source``, each in turn in its ``slot``."""


def children(node: Any) -> list[Any]:
    """The nodes directly inside of a node, through lists, in the order in which they are worked out: expressions of an
    expression; expressions, statements, alternatives and variables of choices of a statement."""
    found: list[Any] = []
    for name in _holding(type(node)):  # type: ignore[arg-type]  # any class is hashable
        _collect(getattr(node, name), found)
    return found


@cache
def _holding(of: type) -> tuple[str, ...]:
    """The fields of a class of nodes in which others may stand."""
    names: tuple[str, ...] = of.__match_args__  # type: ignore[attr-defined]
    return () if issubclass(of, Const) else tuple(name for name in names if name not in ("type", "span", "slot"))


def _collect(value: object, found: list[Any]) -> None:
    if isinstance(value, Expr | Stmt | Alternative | ChoiceVar):
        found.append(value)
    elif isinstance(value, tuple) and not (value and isinstance(value[-1], int)):  # no list of numbers
        for item in value:
            _collect(item, found)


def walk(node: Any) -> Iterator[Any]:
    """A node and everything inside of it, each before what it holds."""
    yield node
    for child in children(node):
        yield from walk(child)


def locals_in(node: Any) -> set[int]:
    """The slots that are read inside of a node."""
    return {part.slot for part in walk(node) if isinstance(part, Local)}


def chain(expr: Expr, op: str) -> list[Expr]:
    """What a chain of one operator joins: ``a and b and c``. An expression of another kind is a chain of one."""
    if isinstance(expr, Binary) and expr.op == op:
        return [*chain(expr.left, op), *chain(expr.right, op)]
    return [expr]


def blocks_of(stmt: Stmt) -> list[Block]:
    """The blocks directly inside of a statement."""
    match stmt:
        case If(branches=cases, otherwise=otherwise) | DoByCard(cases=cases, otherwise=otherwise):
            return [*(body for _, body in cases), otherwise]
        case ForEach(body=body) | Repeat(body=body):
            return [body]
        case Ask(alternatives=alternatives, otherwise=otherwise):
            return [*(alternative.body for alternative in alternatives), otherwise]
        case Random(body=body, otherwise=otherwise):
            return [body, otherwise]
    return []


def statements_in(block: Block) -> Iterator[Stmt]:
    """Every statement of a block, each before the ones inside of it."""
    for stmt in block:
        yield stmt
        for inner in blocks_of(stmt):
            yield from statements_in(inner)
