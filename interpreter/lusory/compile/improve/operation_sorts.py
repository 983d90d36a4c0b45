"""The sorts of a module: of its locals, of the names of its functions, of what those give. With what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...table.setting import Setting
from .. import ir
from ..ir import sorts
from ..ir.sorts import NEVER, NUMBER, RECORD, Sort
from .deriving import Deriving, not_none
from .value_sorts import VALUES

ROUNDS = 4  # through a function, or a module, until what its names hold no longer changes
FIRST = ("query", "question")  # functions whose results others read
OF_A_CHOICE = ("frame", "options", "phase", "question", "resume")  # begin where the choice is asked


@dataclass(frozen=True, eq=False)
class Sorts:
    """``locals``: by slot; ``own``: the names of the compiler's making, by function; ``results``: what functions give,
    by name; ``cells``: of variables and pools, by name; ``problems``: where a value does not fit its place."""

    locals: dict[int, Sort]
    own: dict[str, dict[str, Sort]]
    results: dict[str, Sort]
    cells: dict[str, Sort]
    problems: tuple[str, ...]


def sorts_of(setting: Setting, module: ir.Module) -> Sorts:
    """Derive the sorts of a module as it is selected, before any pass."""
    d = Deriving(setting, module, VALUES)
    order = {role: number for number, role in enumerate(FIRST)}
    functions = sorted(module.functions, key=lambda f: order.get(f.role, len(FIRST)))
    for _ in range(ROUNDS):
        before = dict(d.locals), dict(d.asked)
        d.problems.clear()
        for f in functions:
            if f.role in OF_A_CHOICE:  # it may give less, once it is known where the choice is asked
                d.results.pop(f.name, None)
        own = {f.name: _settled(d, f) for f in functions}
        if (d.locals, d.asked) == before:
            break
    cells = {name: d.cell(name) for name in d.layout.places}
    return Sorts(d.locals, own, d.results, cells, tuple(dict.fromkeys(d.problems)))


def _settled(d: Deriving, f: ir.Function) -> dict[str, Sort]:
    """The names of a function, when going through it once more tells nothing new; what does not fit then."""
    d.there = d.asked.get(int(f.name[1:]), frozenset()) if f.role in OF_A_CHOICE else frozenset()
    d.own = _given(d, f)
    problems = len(d.problems)
    for round in range(ROUNDS):
        before = dict(d.own)
        del d.problems[problems:]
        operations(d, f, f.ops)
        if d.own == before:
            break
        if round:
            d.own = {name: sorts.widened(before.get(name, NEVER), sort) for name, sort in d.own.items()}
    return d.own


def _given(d: Deriving, f: ir.Function) -> dict[str, Sort]:
    """What a function is given beside its parameters: the number of the answer, and what was asked."""
    if f.role not in ("options", "resume"):
        return {"table": sorts.YES_OR_NO} if f.role == "playout" else {}
    asked = d.results.get(f"q{f.name[1:]}", NEVER)
    most = asked.parts[1].high if asked.kind == RECORD else 0
    return {"q": asked, "i": sorts.number(0, max(most - 1, 0))}


# ---------------------------------------------------------------- operations


def operations(d: Deriving, f: ir.Function, ops: ir.Ops) -> None:
    for op in ops:
        d.place = op.place
        OPERATIONS.get(type(op), _parts)(d, f, op)


def _parts(d: Deriving, f: ir.Function, op: ir.Op) -> None:
    """What is in an operation: values, and blocks in their order."""
    for held in op.__dict__.values():
        _part(d, f, held)


def _part(d: Deriving, f: ir.Function, held: Any) -> None:
    if isinstance(held, ir.Value):
        d.of(held)
    elif isinstance(held, ir.Branch):
        if held.test is not None:
            d.test(held.test)
        operations(d, f, held.ops)
    elif isinstance(held, ir.Op):
        operations(d, f, (held,))
    elif isinstance(held, tuple):
        for part in held:
            _part(d, f, part)


def _set(d: Deriving, f: ir.Function, op: ir.Set) -> None:
    value = op.value if op.op == "=" else ir.Binary(op.op, op.target, op.value)
    found = d.of(value)
    if isinstance(op.target, ir.Register):
        return
    d.name(op.target, found)


def _tested(d: Deriving, f: ir.Function, op: ir.Guard | ir.While) -> None:
    d.test(op.test)
    with d.where(op.test):
        operations(d, f, op.ops if isinstance(op, ir.While) else (op.then,))


def _branches(d: Deriving, f: ir.Function, op: ir.When | ir.Either) -> None:
    before = d.there
    for branch in op.branches:
        if branch.test is not None:
            d.test(branch.test)
        with d.where(branch.test):
            operations(d, f, branch.ops)
        if branch.test is not None:
            d.there |= not_none(branch.test, False)
    d.there = before


def _loop(d: Deriving, f: ir.Function, op: ir.Loop) -> None:
    source = d.list(op.source)
    if op.target is not None:
        d.name(op.target, source.item or NEVER)
    operations(d, f, op.ops)
    if op.exhausted is not None:
        operations(d, f, op.exhausted.ops)


def _unpack(d: Deriving, f: ir.Function, op: ir.Unpack) -> None:
    found = d.of(op.value)
    for position, target in enumerate(op.targets):
        if target is not None and found != NEVER:
            if found.kind != RECORD or position >= len(found.parts):
                d.wrong("what is taken apart", found, f"{len(op.targets)} values")
                return
            d.name(target, found.parts[position])


def _return(d: Deriving, f: ir.Function, op: ir.Return) -> None:
    found = [d.of(value) for value in op.values]
    if found:
        result = found[0] if len(found) == 1 else sorts.record(found)
        d.results[f.name] = sorts.join(d.results.get(f.name, NEVER), result)


def _draw(d: Deriving, f: ir.Function, op: ir.Draw) -> None:
    domain = d.list(op.domain)
    d.name(ir.Local(op.slot), domain.item or NEVER)
    d.name(op.product, sorts.WHOLE)
    if op.length is not None:
        d.name(op.length, Sort(NUMBER, 0, domain.most))


def _ask(d: Deriving, f: ir.Function, op: ir.Ask | ir.AskMany) -> None:
    """A choice: its functions know what is known wherever it is asked."""
    d.asked[op.number] = d.asked.get(op.number, d.there) & d.there
    _parts(d, f, op)


def _effect(d: Deriving, f: ir.Function, op: ir.CallEffect) -> None:
    params = next(other.params for other in d.module.functions if other.name == f"effect{op.number}")
    for slot, arg in zip(params, op.args, strict=True):
        d.name(ir.Local(slot), d.of(arg))


def _move(d: Deriving, f: ir.Function, op: ir.MoveCards | ir.MoveCard) -> None:
    """Components come into a zone of their kind."""
    zone = d.zone_at(op.zone)
    if isinstance(op, ir.MoveCard):
        found = d.number(op.card, "a component")
    else:
        found = d.list(op.cards, "components").item or NEVER
    d.fit(f"what comes into `{zone}`", found, d.component(zone))


def _take(d: Deriving, f: ir.Function, op: ir.TakeEnd) -> None:
    d.name(op.card, d.list(op.zone).item or NEVER)


def _put(d: Deriving, f: ir.Function, op: ir.Put) -> None:
    zone = d.zone_at(op.zone.number)
    d.fit(f"what comes into `{zone}`", d.of(op.card), d.component(zone))


OPERATIONS: dict[type[ir.Op], Callable[[Deriving, ir.Function, Any], None]] = {
    ir.Ask: _ask,
    ir.AskMany: _ask,
    ir.CallEffect: _effect,
    ir.Draw: _draw,
    ir.Either: _branches,
    ir.Guard: _tested,
    ir.Loop: _loop,
    ir.MoveCard: _move,
    ir.MoveCards: _move,
    ir.Put: _put,
    ir.Return: _return,
    ir.Set: _set,
    ir.TakeEnd: _take,
    ir.Unpack: _unpack,
    ir.When: _branches,
    ir.While: _tested,
}
"""Operations in which more than their parts is to be looked at."""
