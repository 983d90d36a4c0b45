"""Traverse the core language: children of nodes, blocks of statements, and the names that they read, write and bind.

The stages of the checker, the engines and the coverage tool share these functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from ..source.lazy_dataclass import fields, replace
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
"""The type of expressions that iterate over a list. Their rows have ``each``, and their fields have the same names."""


def children(node: Any) -> list[Any]:
    """Return the nodes directly inside a node, in order of evaluation.

    An expression holds expressions. A statement holds expressions, statements, alternatives and variables of choices.
    """
    found: list[Any] = []
    for name in _holding(type(node)):  # type: ignore[arg-type]  # any class is hashable
        value = getattr(node, name)
        if value is not None:
            _collect(value, found)
    return found


_PLAIN = frozenset(("Type", "Span", "Origin", "str", "int", "bool", "None", "object"))
"""Words in type annotations of fields that can hold no node."""


@cache
def _holding(of: type) -> tuple[str, ...]:
    """Return the fields of a node class that may hold other nodes."""
    return tuple(field.name for field in fields(of) if not _PLAIN.issuperset(re.findall(r"\w+", str(field.type))))


@cache
def _is_node(of: type) -> bool:
    return issubclass(of, Expr | Stmt | Alternative | ChoiceVar)


def _collect(value: object, found: list[Any]) -> None:
    of = type(value)
    if _is_node(of):  # type: ignore[arg-type]  # any class is hashable
        found.append(value)
    # skip tuples that end with a number: they hold no nodes
    elif of is tuple and not (value and isinstance(value[-1], int)):  # type: ignore[index]
        for item in value:  # type: ignore[attr-defined]
            _collect(item, found)


def walk(node: Any) -> Iterator[Any]:
    """Yield a node and everything inside it, in preorder."""
    left = [node]
    while left:
        node = left.pop()
        yield node
        left += reversed(children(node))


def locals_in(node: Any) -> set[int]:
    """Return the slots that are read inside a node."""
    return {part.slot for part in walk(node) if isinstance(part, Local)}


def chain(expr: Expr, op: str) -> list[Expr]:
    """Return the operands of a chain such as ``a and b and c``. Any other expression is a chain of one."""
    if isinstance(expr, Binary) and expr.op == op:
        return [*chain(expr.left, op), *chain(expr.right, op)]
    return [expr]


def blocks(stmt: Stmt) -> list[Block]:
    """Return the blocks directly inside a statement."""
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
    """Return a statement with ``change`` applied to each of its blocks. Return ``stmt`` itself if it has no blocks."""
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
    """Yield every statement of a block, including nested ones, in preorder."""
    for stmt in block:
        yield stmt
        for inner in blocks(stmt):
            yield from statements_in(inner)


def rules_of(effect: Effect) -> tuple[Rule, ...]:
    """Return the rules that an effect triggers. Rules that replace the effect come first."""
    return *effect.instead, *effect.when


def bodies_of(effect: Effect) -> list[Block]:
    """Return the body of an effect and the bodies of the rules that it triggers."""
    return [effect.body, *(rule.body for rule in rules_of(effect))]


def phases_in(phases: Iterable[Phase]) -> Iterator[Phase]:
    """Yield some phases and their descendants, in preorder."""
    for phase in phases:
        yield phase
        yield from phases_in(phase.children)


def does(stmt: Stmt) -> Does:
    """Return how a statement affects control flow, without its nested blocks."""
    known = row(type(stmt)).does
    return known if isinstance(known, Does) else known(stmt)


def any_in(block: Block, what: Does) -> bool:
    """Return whether a statement of a block, at any depth, has the effect ``what`` on control flow.

    A ``STOPS`` inside a nested loop doesn't count, because it leaves only that loop.
    """
    for stmt in block:
        if does(stmt) & what:
            return True
        inside = what & ~Does.STOPS if row(type(stmt)).passes else what
        if inside and any(any_in(inner, inside) for inner in blocks(stmt)):
            return True
    return False


def reads(expr: Expr) -> tuple[str, ...]:
    """Return the names of the places that an expression reads, without its operands."""
    return tuple(getattr(expr, name) for name in row(type(expr)).reads)


def end_read(expr: Expr) -> tuple[ReadZone, str] | None:
    """Return the zone and the end that an expression reads, as in ``deck.top`` or ``deck.last``. Else return None."""
    match expr:
        case CallBuiltin(name="top" | "first", args=(ReadZone() as zone,)):
            return zone, "top"
        case CallBuiltin(name="bottom" | "last", args=(ReadZone() as zone,)):
            return zone, "bottom"
    return None


def writes(stmt: Stmt) -> tuple[str, ...]:
    """Return the names of the places that a statement may change, without its nested blocks."""
    return tuple(getattr(stmt, name) for name in row(type(stmt)).writes)


class Move(NamedTuple):
    """Components that a statement may move, and their target zone. None: the target is known only at run time."""

    components: Expr
    target: str | None

    def targets(self, zones: Mapping[str, CardZone]) -> frozenset[str]:
        """Return the zones that the components may move to."""
        return frozenset({self.target}) if self.target is not None else self.zones_of_kind(zones)

    def zones_of_kind(self, zones: Mapping[str, CardZone]) -> frozenset[str]:
        """Return the zones that can hold components of this kind."""
        kind: Type = self.components.type
        while isinstance(kind, ListType | OptionalType):
            kind = kind.item
        if self.target is not None:
            kind = zones[self.target].holds
        return frozenset(name for name, zone in zones.items() if zone.holds == kind)


def moves(stmt: Stmt) -> list[Move]:
    """Return the components that a statement may move, without its nested blocks."""
    return [
        Move(getattr(stmt, one.components), None if one.target is None else getattr(stmt, one.target))
        for one in row(type(stmt)).moves
    ]


def binds(node: Expr | Stmt) -> set[int]:
    """Return the slots that a node binds, for use inside it or after it."""
    known = row(type(node))
    within = () if known.each is None else (known.each.slot,)
    return {slot for name in (*within, *known.binds) for slot in _slots(getattr(node, name))}


class Through(NamedTuple):
    """An iteration over a list: the slot of the item, the list, and the condition that an item must satisfy."""

    slot: int
    source: Expr
    condition: Expr | None


def gone_through(node: Expr | Stmt) -> Through | None:
    """Return the list that a node iterates over or picks an item from. Return None if there is no such list."""
    each = row(type(node)).each
    if each is None:
        return None
    condition = None if each.condition is None else getattr(node, each.condition)
    return Through(getattr(node, each.slot), getattr(node, each.source), condition)


def leaves_bound(stmt: Stmt) -> set[int]:
    """Return the slots that are bound after a statement."""
    return {slot for name in row(type(stmt)).binds for slot in _slots(getattr(stmt, name))}


def _slots(value: int | tuple[Alternative, ...]) -> Iterator[int]:
    """Yield a slot, or the slots of the variables of alternatives."""
    if isinstance(value, int):
        yield value
        return
    for alternative in value:
        yield from (variable.slot for variable in alternative.vars)


def structural_key(e: Expr, *slots: int) -> object:
    """Return a hashable value that is equal for expressions that compute the same.

    It ignores source spans, and numbers the locals in ``slots`` and those that the expression binds in order.
    """
    return _structural_key(e, {slot: number for number, slot in enumerate(slots, 1)})


def _structural_key(value: Any, bound: dict[int, int]) -> object:
    if isinstance(value, Local):
        return "local", bound.get(value.slot, -value.slot)
    if isinstance(value, Expr):
        if hasattr(value, "slot"):
            bound = {**bound, value.slot: len(bound) + 1}
        parts = [f.name for f in fields(value) if f.name not in ("span", "slot", "origin")]
        return (type(value).__name__, *(_structural_key(getattr(value, name), bound) for name in parts))
    if isinstance(value, tuple):
        return tuple(_structural_key(v, bound) for v in value)
    return type(value), value
