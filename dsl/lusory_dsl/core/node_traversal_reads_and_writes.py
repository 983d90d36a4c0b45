"""Traverse the core language: children of nodes, blocks of statements, and the names that they read, write and bind.

The stages of the checker, the engines and the coverage tool share these functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from ..source.dataclass_with_lazy_methods import fields, replace
from . import expressions as x
from .declarations import CardZone, Effect, Phase, Rule
from .node_traits_table import BlockLayout, ControlFlow, get_traits
from .statements import Alternative, ChoiceVar, ForEach, Stmt

StmtT = TypeVar("StmtT", bound=Stmt)
Block = tuple[Stmt, ...]


def get_children(node: Any) -> list[Any]:
    """Return the nodes directly inside a node, in order of evaluation, in a new list.

    An expression holds expressions. A statement holds expressions, statements, alternatives and variables of choices;
    its blocks are flattened. Returns [] for a leaf.
    """
    return _make_lister(type(node))(node)  # type: ignore[arg-type]  # any class is hashable


_LEAF_TYPES = frozenset(("Type", "Span", "Origin", "str", "int", "bool", "None", "object"))
"""Words in type annotations of fields that can hold no node."""


@cache
def _make_lister(node_class: type) -> Callable[[Any], list[Any]]:
    """Return the fastest function that lists the children of a node of a class."""
    types = {
        field.name: str(field.type)
        for field in fields(node_class)
        if not _LEAF_TYPES.issuperset(re.findall(r"\w+", str(field.type)))
    }
    if not types:
        return lambda node: []
    get, has_one = attrgetter(*types), len(types) == 1
    if set(types.values()) == {"Expr"}:
        return (lambda node: [get(node)]) if has_one else lambda node: [*get(node)]
    if has_one and set(types.values()) == {"tuple[Expr, ...]"}:
        return lambda node: [*get(node)]

    def list_children(node: Any) -> list[Any]:
        nodes: list[Any] = []
        _collect_nodes((get(node),) if has_one else get(node), nodes)
        return nodes

    return list_children


@cache
def _is_node(value_type: type) -> bool:
    return issubclass(value_type, x.Expr | Stmt | Alternative | ChoiceVar)


def _collect_nodes(values: tuple[Any, ...], nodes: list[Any]) -> None:
    for value in values:
        value_type = type(value)
        if _is_node(value_type):  # type: ignore[arg-type]  # any class is hashable
            nodes.append(value)
        # skip tuples that end with a number: they hold no nodes
        elif value_type is tuple and value and not isinstance(value[-1], int):
            _collect_nodes(value, nodes)


def walk(node: Any) -> Iterator[Any]:
    """Yield a node and everything inside it, in preorder."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += get_children(node)[::-1]


def collect_locals(node: Any) -> set[int]:
    """Return the slots of the locals that a node or anything inside it reads."""
    return {part.slot for part in walk(node) if isinstance(part, x.Local)}


def flatten_chain(expr: x.Expr, op: str) -> list[x.Expr]:
    """Return the operands of a chain such as ``a and b and c``, from left to right, whatever its nesting.

    Any other expression, also one with another operator, is a chain of one.
    """
    if isinstance(expr, x.Binary) and expr.op == op:
        return [*flatten_chain(expr.left, op), *flatten_chain(expr.right, op)]
    return [expr]


def iterate_offer_expressions(alternative: Alternative) -> Iterator[x.Expr]:
    """Yield the expressions that decide whether an alternative is offered, and with which values.

    Its conditions come first, then the domain and the condition, if any, of each variable in order.
    """
    yield from alternative.conditions
    for variable in alternative.vars:
        yield variable.domain
        if variable.condition is not None:
            yield variable.condition


def get_blocks(stmt: Stmt) -> list[Block]:
    """Return the blocks directly inside a statement, in the order of its fields, also empty ones.

    An If has the blocks of its branches and then ``otherwise``: ``[body, ()]`` for one branch without ``else``. Returns
    [] for a statement without blocks.
    """
    result: list[Block] = []
    for name, layout in get_traits(type(stmt)).block_fields.items():
        value = getattr(stmt, name)
        match layout:
            case BlockLayout.BLOCK:
                result.append(value)
            case BlockLayout.PAIRS:
                result += (block for _, block in value)
            case BlockLayout.BODIES:
                result += (item.body for item in value)
    return result


def map_blocks(stmt: StmtT, change: Callable[[Block], Block]) -> StmtT:
    """Return a statement with ``change`` applied to each of its own blocks, not to blocks inside these.

    Empty blocks are included, such as that of a missing ``else``. Returns ``stmt`` itself if it has no blocks,
    otherwise always a new statement, which isn't equal to ``stmt`` even if no block changes.
    """
    changes: dict[str, Any] = {}
    for name, layout in get_traits(type(stmt)).block_fields.items():
        value = getattr(stmt, name)
        match layout:
            case BlockLayout.BLOCK:
                changes[name] = change(value)
            case BlockLayout.PAIRS:
                changes[name] = tuple((first, change(block)) for first, block in value)
            case BlockLayout.BODIES:
                changes[name] = tuple(replace(item, body=change(item.body)) for item in value)
    return replace(stmt, **changes) if changes else stmt


def walk_statements(block: Block) -> Iterator[Stmt]:
    """Yield every statement of a block, including nested ones, in preorder. Called effects are not entered."""
    for stmt in block:
        yield stmt
        for inner_block in get_blocks(stmt):
            yield from walk_statements(inner_block)


def get_rules(effect: Effect) -> tuple[Rule, ...]:
    """Return the rules that an effect triggers. Rules that replace the effect come first."""
    return *effect.instead, *effect.when


def get_bodies(effect: Effect) -> list[Block]:
    """Return the body of an effect, then the bodies of the rules that replace it, then of those behind it."""
    return [effect.body, *(rule.body for rule in get_rules(effect))]


def walk_phases(phases: Iterable[Phase]) -> Iterator[Phase]:
    """Yield some phases and their descendants, in preorder."""
    for phase in phases:
        yield phase
        yield from walk_phases(phase.children)


def iterate_bodies(phases: Iterable[Phase], effects: Iterable[Effect]) -> Iterator[Block]:
    """Yield the bodies of some phases and their descendants, then those of effects and of the rules they trigger."""
    for phase in walk_phases(phases):
        yield phase.body
    for effect in effects:
        yield from get_bodies(effect)


def split_rule_loop(loop: ForEach) -> tuple[x.Expr, x.Expr | None]:
    """Return the list of copies that a generated loop of a ``when`` rule iterates over, and the condition on a copy.

    If the source of the loop is a filter, these are the list and the condition of the filter. Otherwise they are the
    source and the condition of the loop, which may be None.
    """
    loop_or_filter = loop.source if isinstance(loop.source, x.Filter) else loop
    return loop_or_filter.source, loop_or_filter.condition


def get_control_flow(stmt: Stmt) -> ControlFlow:
    """Return how a statement affects control flow, as flags, without its nested blocks. ``NOTHING`` if it doesn't."""
    control_flow = get_traits(type(stmt)).control_flow
    return control_flow if isinstance(control_flow, ControlFlow) else control_flow(stmt)


def contains_control_flow(block: Block, effect: ControlFlow) -> bool:
    """Return whether a statement of a block, at any depth, has the effect ``effect`` on control flow.

    If ``effect`` combines several effects, one is enough. A ``STOPS`` inside a nested loop doesn't count, because it
    leaves only that loop. Called effects are not entered.
    """
    for stmt in block:
        if get_control_flow(stmt) & effect:
            return True
        inner_effect = effect & ~ControlFlow.STOPS if get_traits(type(stmt)).pass_fields else effect
        if inner_effect and any(contains_control_flow(inner_block, inner_effect) for inner_block in get_blocks(stmt)):
            return True
    return False


def get_reads(expr: x.Expr) -> tuple[str, ...]:
    """Return the names of the places that an expression itself reads. Reads of its operands don't count."""
    return tuple(getattr(expr, name) for name in get_traits(type(expr)).read_fields)


def match_end_read(expr: x.Expr) -> tuple[x.ReadZone, str] | None:
    """Return the zone that an expression reads an end of, and ``top`` or ``bottom``.

    ``first`` counts as ``top`` and ``last`` as ``bottom``. Returns None for any other expression, also for the end of a
    filtered list.
    """
    match expr:
        case x.CallBuiltin(name="top" | "first", args=(x.ReadZone() as zone,)):
            return zone, "top"
        case x.CallBuiltin(name="bottom" | "last", args=(x.ReadZone() as zone,)):
            return zone, "bottom"
    return None


def match_zone_test(condition: x.Expr, slot: int) -> str | None:
    """Return the name of the zone in which the component in ``slot`` lies if a condition holds.

    The condition is a test of that alone. Returns None for any other condition, also for a chain of ``and``.
    """
    match condition:
        case (
            x.LiesIn(component=x.Local(slot=tested_slot), zone=zone)
            | x.Binary(op="in", left=x.Local(slot=tested_slot), right=x.ReadZone(zone=zone))
        ) if tested_slot == slot:
            return zone
    return None


def find_required_zone(condition: x.Expr, slot: int) -> str | None:
    """Return the zone that must hold the component in ``slot`` if a condition is true, by a test like ``in any zone``.

    The test is a part of a chain of ``and``; of several, the first counts. Returns None without one.
    """
    for test in flatten_chain(condition, "and"):
        if isinstance(test, x.LiesIn) and isinstance(test.component, x.Local) and test.component.slot == slot:
            return test.zone
    return None


def get_writes(stmt: Stmt) -> tuple[str, ...]:
    """Return the names of the places that a statement may change, without its nested blocks."""
    return tuple(getattr(stmt, name) for name in get_traits(type(stmt)).written_fields)


class Move(NamedTuple):
    """Components that a statement may move, and their target zone."""

    components: x.Expr
    target: str

    def get_zones_of_kind(self, zones: Mapping[str, CardZone]) -> frozenset[str]:
        """Return the names of all zones that can hold the components of this move, ``target`` among them.

        They are the zones for the target's kind: a move of a card to ``hand`` gives ``hand`` and ``deck`` if both hold
        cards.
        """
        kind = zones[self.target].holds
        return frozenset(name for name, zone in zones.items() if zone.holds == kind)


def get_moves(stmt: Stmt) -> list[Move]:
    """Return a Move for each expression of components that a statement moves, without its nested blocks.

    Returns [] for a statement that moves none.
    """
    move_fields = get_traits(type(stmt)).move_fields
    return [Move(getattr(stmt, fields.components), getattr(stmt, fields.target)) for fields in move_fields]


def get_bound_slots(node: x.Expr | Stmt) -> set[int]:
    """Return the slots that a node binds, for use inside it or after it.

    An AskMany binds two: ``slot`` for the picks and ``item_slot`` for a candidate. An Ask binds those of all variables
    of its alternatives. Nodes inside the node don't count.
    """
    traits = get_traits(type(node))
    item_slots = () if traits.iteration is None else (traits.iteration.slot,)
    return {slot for name in (*item_slots, *traits.slot_fields) for slot in _iterate_slots(getattr(node, name))}


class Iteration(NamedTuple):
    """An iteration over a list: the slot of the item, the list, and the condition that an item must satisfy."""

    slot: int
    source: x.Expr
    condition: x.Expr | None


def get_iteration(node: x.Expr | Stmt) -> Iteration | None:
    """Return ``Iteration(slot, source, condition)`` of a node that iterates over a list or picks items from it.

    ``slot`` is that of the item, and ``source`` the list. Filter, MapList, Fold, Concat, ForEach, AskMany and Random
    give the condition that items must meet, None if there is none. Extreme, Distinct, Reach, Sorted and Leading always
    give None as the condition. Returns None for any other node, such as Ask.
    """
    fields = get_traits(type(node)).iteration
    if fields is None:
        return None
    condition = None if fields.condition is None else getattr(node, fields.condition)
    return Iteration(getattr(node, fields.slot), getattr(node, fields.source), condition)


def get_slots_bound_after(stmt: Stmt) -> set[int]:
    """Return the slots that a statement binds for what follows it: those of ``let``, choices and random draws.

    The slot of the item in a loop is not among them.
    """
    return {slot for name in get_traits(type(stmt)).slot_fields for slot in _iterate_slots(getattr(stmt, name))}


def _iterate_slots(value: int | tuple[Alternative, ...]) -> Iterator[int]:
    """Yield a slot, or the slots of the variables of alternatives."""
    if isinstance(value, int):
        yield value
        return
    for alternative in value:
        yield from (variable.slot for variable in alternative.vars)


def compute_structural_key(expr: x.Expr, *slots: int) -> object:
    """Return a hashable key that is equal for expressions of the same structure and types.

    Source spans and origins don't count, and neither does the name of a local that is read. The locals in ``slots`` are
    numbered from 1 in this order, and the locals that the expression binds after them. So ``n + 1`` and ``m + 1`` have
    equal keys if the slots of ``n`` and ``m`` are passed. Other locals keep their slots. The order of operands counts.
    """
    return _compute_structural_key(expr, {slot: number for number, slot in enumerate(slots, 1)})


def _compute_structural_key(value: Any, numbers: dict[int, int]) -> object:
    """Return a key that is equal for expressions that differ only in their positions and the slots of their own locals.

    ``numbers`` maps the slots bound around the value to 1, 2, … from outside.
    """
    if isinstance(value, x.Local):
        return "local", numbers.get(value.slot, -value.slot)
    if isinstance(value, x.Expr):
        if hasattr(value, "slot"):
            numbers = {**numbers, value.slot: len(numbers) + 1}
        parts = [field.name for field in fields(value) if field.name not in ("span", "slot", "origin")]
        return (type(value).__name__, *(_compute_structural_key(getattr(value, name), numbers) for name in parts))
    if isinstance(value, tuple):
        return tuple(_compute_structural_key(item, numbers) for item in value)
    return type(value), value
