"""Walks over the core language: what stands inside of an expression, a statement, a block. Used wherever programs are
read as a whole: by stages of the checker, by the engines, by coverage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from ..source.dataclasses import fields, replace
from ..types.types import ListType, OptionalType, Type
from .declarations import CardZone, Effect, Phase, Rule
from .expressions import (
    Binary,
    CallBuiltin,
    Concat,
    Distinct,
    Expr,
    Extreme,
    Filter,
    Fold,
    Leading,
    Local,
    MapList,
    Reach,
    ReadZone,
    Sorted,
)
from .node_traits import Does, Held, row
from .statements import Alternative, ChoiceVar, Stmt

S = TypeVar("S", bound=Stmt)
Block = tuple[Stmt, ...]

LOOPS = Filter | MapList | Fold | Extreme | Distinct | Reach | Sorted | Leading | Concat
"""The expressions that go through a list, as a type: those with ``each`` in their rows, all under the same names."""


def children(node: Any) -> list[Any]:
    """The nodes directly inside of a node, through lists, in the order in which they are worked out: expressions of an
    expression; expressions, statements, alternatives and variables of choices of a statement."""
    found: list[Any] = []
    for name in _holding(type(node)):  # type: ignore[arg-type]  # any class is hashable
        value = getattr(node, name)
        if value is not None:
            _collect(value, found)
    return found


_PLAIN = frozenset(("Type", "Span", "Origin", "str", "int", "bool", "None", "object"))
"""Words of the types of fields in which no node can stand."""


@cache
def _holding(of: type) -> tuple[str, ...]:
    """The fields of a class of nodes in which others may stand."""
    return tuple(field.name for field in fields(of) if not _PLAIN.issuperset(re.findall(r"\w+", str(field.type))))


@cache
def _is_node(of: type) -> bool:
    return issubclass(of, Expr | Stmt | Alternative | ChoiceVar)


def _collect(value: object, found: list[Any]) -> None:
    of = type(value)
    if _is_node(of):  # type: ignore[arg-type]  # any class is hashable
        found.append(value)
    elif of is tuple and not (value and isinstance(value[-1], int)):  # type: ignore[index]  # no list of numbers
        for item in value:  # type: ignore[attr-defined]
            _collect(item, found)


def walk(node: Any) -> Iterator[Any]:
    """A node and everything inside of it, each before what it holds."""
    left = [node]
    while left:
        node = left.pop()
        yield node
        left += reversed(children(node))


def locals_in(node: Any) -> set[int]:
    """The slots that are read inside of a node."""
    return {part.slot for part in walk(node) if isinstance(part, Local)}


def chain(expr: Expr, op: str) -> list[Expr]:
    """What a chain of one operator joins: ``a and b and c``. An expression of another kind is a chain of one."""
    if isinstance(expr, Binary) and expr.op == op:
        return [*chain(expr.left, op), *chain(expr.right, op)]
    return [expr]


def blocks(stmt: Stmt) -> list[Block]:
    """The blocks directly inside of a statement."""
    found: list[Block] = []
    for name, held in row(type(stmt)).blocks.items():
        value = getattr(stmt, name)
        match held:
            case Held.BLOCK:
                found.append(value)
            case Held.PAIRS:
                found += (block for _, block in value)
            case Held.BODIES:
                found += (item.body for item in value)
    return found


def rebuilt(stmt: S, change: Callable[[Block], Block]) -> S:
    """A statement whose blocks are changed, one after the other; itself where it has none."""
    changes: dict[str, Any] = {}
    for name, held in row(type(stmt)).blocks.items():
        value = getattr(stmt, name)
        match held:
            case Held.BLOCK:
                changes[name] = change(value)
            case Held.PAIRS:
                changes[name] = tuple((first, change(block)) for first, block in value)
            case Held.BODIES:
                changes[name] = tuple(replace(item, body=change(item.body)) for item in value)
    return replace(stmt, **changes) if changes else stmt


def statements_in(block: Block) -> Iterator[Stmt]:
    """Every statement of a block, each before the ones inside of it."""
    for stmt in block:
        yield stmt
        for inner in blocks(stmt):
            yield from statements_in(inner)


def rules_of(effect: Effect) -> tuple[Rule, ...]:
    """The rules that answer to an effect, those in place of it first."""
    return *effect.instead, *effect.when


def bodies_of(effect: Effect) -> list[Block]:
    """What an effect does, and what the rules do that answer to it."""
    return [effect.body, *(rule.body for rule in rules_of(effect))]


def phases_in(phases: Iterable[Phase]) -> Iterator[Phase]:
    """Some phases and those inside of them, each before its parts."""
    for phase in phases:
        yield phase
        yield from phases_in(phase.children)


def does(stmt: Stmt) -> Does:
    """What becomes of the course of the game where a statement is carried out, but for the blocks inside of it."""
    known = row(type(stmt)).does
    return known if isinstance(known, Does) else known(stmt)


def any_in(block: Block, what: Does) -> bool:
    """Whether a statement of a block, or inside of it, does something: leaves the loop round the block, say, not one
    that is itself inside of the block."""
    for stmt in block:
        if does(stmt) & what:
            return True
        inside = what & ~Does.STOPS if row(type(stmt)).passes else what
        if inside and any(any_in(inner, inside) for inner in blocks(stmt)):
            return True
    return False


def reads(expr: Expr) -> tuple[str, ...]:
    """The places that an expression looks into by their names, but for what stands inside of it."""
    return tuple(getattr(expr, name) for name in row(type(expr)).reads)


def end_read(expr: Expr) -> tuple[ReadZone, str] | None:
    """The zone of which the component at an end is read, and which end: ``deck.top``, ``deck.last``."""
    match expr:
        case CallBuiltin(name="top" | "first", args=(ReadZone() as zone,)):
            return zone, "top"
        case CallBuiltin(name="bottom" | "last", args=(ReadZone() as zone,)):
            return zone, "bottom"
    return None


def writes(stmt: Stmt) -> tuple[str, ...]:
    """The places that a statement may change by their names, but for what stands inside of it."""
    return tuple(getattr(stmt, name) for name in row(type(stmt)).writes)


class Move(NamedTuple):
    """Components that a statement may move, and the zone that they come to; None: only play tells."""

    components: Expr
    target: str | None

    def targets(self, zones: Mapping[str, CardZone]) -> frozenset[str]:
        """The zones that the components may come to."""
        return frozenset({self.target}) if self.target is not None else self.zones_of_kind(zones)

    def zones_of_kind(self, zones: Mapping[str, CardZone]) -> frozenset[str]:
        """The zones that can hold such components."""
        kind: Type = self.components.type
        while isinstance(kind, ListType | OptionalType):
            kind = kind.item
        if self.target is not None:
            kind = zones[self.target].holds
        return frozenset(name for name, zone in zones.items() if zone.holds == kind)


def moves(stmt: Stmt) -> list[Move]:
    """The components that a statement itself may move."""
    return [
        Move(getattr(stmt, one.components), None if one.target is None else getattr(stmt, one.target))
        for one in row(type(stmt)).moves
    ]


def binds(node: Expr | Stmt) -> set[int]:
    """The slots that a node itself gives values to, inside of it or behind it."""
    known = row(type(node))
    within = () if known.each is None else (known.each.slot,)
    return {slot for name in (*within, *known.binds) for slot in _slots(getattr(node, name))}


class Through(NamedTuple):
    """A list that is gone through: the slot of the item, the list, and the condition that an item must meet."""

    slot: int
    source: Expr
    condition: Expr | None


def gone_through(node: Expr | Stmt) -> Through | None:
    """The list that a node goes through, or takes an item of."""
    each = row(type(node)).each
    if each is None:
        return None
    condition = None if each.condition is None else getattr(node, each.condition)
    return Through(getattr(node, each.slot), getattr(node, each.source), condition)


def leaves_bound(stmt: Stmt) -> set[int]:
    """The slots that have values behind a statement."""
    return {slot for name in row(type(stmt)).binds for slot in _slots(getattr(stmt, name))}


def _slots(value: int | tuple[Alternative, ...]) -> Iterator[int]:
    """A slot, or those of the variables of alternatives."""
    if isinstance(value, int):
        yield value
        return
    for alternative in value:
        yield from (variable.slot for variable in alternative.vars)
