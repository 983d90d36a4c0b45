"""Lower calls of effects and queries, with the rules and modifiers that apply to them, and limit the nesting of code.

A call is inlined, unless :func:`lusory.codegen.lower.lowerer.shared_routines` names its routine. :func:`modified`
combines the value of a query with the modifiers of cards. :func:`split` moves code that is nested too deeply into
routines.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, Stmt, flatten_chain, walk
from lusory_dsl.types.types import BOOL, INT, INT_MAX, INT_MIN, BoolType, ListType

from . import statements
from .lowered_nodes import (
    EffectRoutine,
    Inlined,
    LetIn,
    LoweredGame,
    LoweredRoutine,
    QueryRoutine,
    asks,
    count_uses,
    ends,
    stops,
    under_loop,
)
from .lowerer import NO_SPAN, Env, Key, Lowerer


def lower_effect_call(lowerer: Lowerer, s: core.CallEffect, env: Env) -> list[Stmt]:
    """Lower a call of an effect: call its routine, or inline its body.

    An inlined call binds arguments that are neither constants nor locals before the body.
    """
    effect = lowerer.program.effects[s.effect]
    key = ("effect", s.effect)
    if key in lowerer.shared:
        routine = lowerer.routines.get(key) or _shared_effect(lowerer, key, effect)
        return [EffectRoutine(s.span, routine, lowerer.exprs(s.args, env))]
    before: list[Stmt] = []
    arguments: dict[int, Expr] = {}
    for param, arg in zip(effect.params, s.args, strict=True):
        value = lowerer.expr(arg, env)
        if not isinstance(value, Const | Local):
            slot = lowerer.fresh(param.name, param.type)
            lowerer.known.let(slot, value)
            before.append(core.Let(arg.span, slot, param.name, value))
            value = Local(param.type, arg.span, slot, param.name)
        arguments[param.slot] = value
    body = tuple(_happens(lowerer, s, effect, arguments))
    return [*before, *([Inlined(s.span, s.effect, body)] if body else [])]


def call_routine(lowerer: Lowerer, s: EffectRoutine, env: Env) -> list[Stmt]:
    """Lower the arguments of a call that is already lowered."""
    return [replace(s, args=lowerer.exprs(s.args, env))]


def inlined(lowerer: Lowerer, s: Inlined, env: Env) -> list[Stmt]:
    """Lower the body of an effect that is already inlined."""
    body = lowerer.block(s.body, env)
    return [Inlined(s.span, s.name, body)] if body else []


def _happens(lowerer: Lowerer, s: Stmt | None, effect: core.Effect, arguments: Env) -> list[Stmt]:
    """Lower the body of an effect, with its ``instead`` rules around it and its ``when`` rules after it."""
    out: list[Stmt] = []
    body = lowerer.block(effect.body, arguments)
    branches = []
    for rule in effect.instead:
        holds = lowerer.maybe(rule.condition, arguments) or Const(BOOL, rule.span, True)
        branches.append((holds, lowerer.block(rule.body, arguments)))
    span = s.span if s is not None else effect.instead[0].span if effect.instead else NO_SPAN
    out.extend(_if_lowered(span, tuple(branches), body))
    for rule in effect.when:
        holds = lowerer.maybe(rule.condition, arguments) or Const(BOOL, rule.span, True)
        span = s.span if s is not None else rule.span
        out.extend(_if_lowered(span, ((holds, lowerer.block(rule.body, arguments)),), ()))
    return out


def _shared_effect(lowerer: Lowerer, key: Key, effect: core.Effect) -> LoweredRoutine:
    params, arguments = lowerer.parameters(effect.params, key)
    body = tuple(_happens(lowerer, None, effect, arguments))
    number = len(lowerer.routines)
    lowerer.routines[key] = LoweredRoutine(number, effect.name, params, body, None, asks(body), ends(body))
    return lowerer.routines[key]


def _if_lowered(span: Any, branches: tuple[tuple[Expr, tuple[Stmt, ...]], ...], last: tuple[Stmt, ...]) -> list[Stmt]:
    kept = []
    for condition, body in branches:
        if isinstance(condition, Const):
            if condition.value:
                last = body
                break
            continue
        kept.append((condition, body))
    return [core.If(span, tuple(kept), last)] if kept else list(last)


# The most copies of a card for which a modifier is lowered once per copy. More copies become a loop.
MOST_TERMS = 8
# The most modifiers that change a value one after the other in a single expression.
MOST_IN_A_ROW = 16
# Modifiers loop over a zone if it can hold at least this many affected copies for each of its lists.
COPIES_PER_LIST = 8


def modified(lowerer: Lowerer, query: core.Query, arguments: Env) -> Expr:
    """Lower the value of a query with all its modifiers, in their order.

    Neighbouring modifiers that add to the value become one sum. Neighbouring modifiers that set it to the same constant
    become one test. All others apply one after the other.
    """
    body = lowerer.expr(query.value, arguments)
    in_a_row = 0
    for (way, value), rules in itertools.groupby(query.modifiers, _way):
        modifiers = tuple(rules)
        if way == "add":
            parts = [body, *_terms(lowerer, "sum", modifiers, arguments)]
            if _in_any_order(lowerer, parts):
                body = _in_pairs(lowerer, "+", parts)
                continue
        if way == "set":
            tests = _terms(lowerer, "any", modifiers, arguments)
            if not any(map(lowerer.can_fail, tests)):
                body = _set(lowerer, body, _in_pairs(lowerer, "or", tests), Const(query.type, query.value.span, value))
                continue
        steps = [(m, this) for m in modifiers for this in m.copies or (None,)]
        if len(steps) > MOST_IN_A_ROW:
            for start in range(0, len(steps), MOST_IN_A_ROW):
                row = steps[start : start + MOST_IN_A_ROW]
                body = _apart(lowerer, f"{query.name} ({in_a_row})", query, row, body, arguments)
                in_a_row += 1
            continue
        for modifier, this in steps:
            body = _changed(lowerer, query, modifier, body, _with_this(modifier, this, arguments))
    return body


def _in_any_order(lowerer: Lowerer, terms: Sequence[Expr]) -> bool:
    """Return whether the numbers can be added in any order without leaving the range of Int."""
    ends = [lowerer.known.bound_unclipped(term) for term in terms]
    return sum(min(low, 0) for low, _ in ends) >= INT_MIN and sum(max(high, 0) for _, high in ends) <= INT_MAX


def _changed(lowerer: Lowerer, query: core.Query, modifier: core.Modifier, body: Expr, known: Env) -> Expr:
    """Return the value of a query after one more modifier. ``body`` is the value before it."""
    condition = lowerer.expr(modifier.condition, known)
    if isinstance(condition, Const) and not condition.value:
        return body
    so_far = body
    if not isinstance(body, Const | Local):
        so_far = Local(body.type, body.span, lowerer.fresh("it", body.type), "it")
        lowerer.known.let(so_far.slot, body)
    changed = lowerer.expr(modifier.value, {**known, modifier.it_slot: so_far})
    if not isinstance(condition, Const):
        changed = IfExpr(query.type, modifier.span, condition, changed, so_far)
    return (
        LetIn(query.type, modifier.span, so_far.slot, body, changed)
        if isinstance(so_far, Local) and so_far is not body
        else changed
    )


def _apart(
    lowerer: Lowerer,
    name: str,
    query: core.Query,
    row: Sequence[tuple[core.Modifier, int | None]],
    body: Expr,
    arguments: Env,
) -> Expr:
    """Put a sequence of modifiers into a routine of its own, and return a call of it.

    A long sequence in a single expression would be nested too deeply.
    """
    key = ("query", name)
    if key not in lowerer.routines:
        params, given = lowerer.parameters(query.params, ("query", query.name))
        it = lowerer.fresh("it", query.type)
        lowerer.known.let(it, body)
        value: Expr = Local(query.type, body.span, it, "it")
        for modifier, this in row:
            value = _changed(lowerer, query, modifier, value, _with_this(modifier, this, given))
        number = len(lowerer.routines)
        lowerer.routines[key] = LoweredRoutine(number, name, (*params, it), (), value, fails=lowerer.can_fail(value))
    args = tuple(arguments[param.slot] for param in query.params)
    return QueryRoutine(query.type, body.span, lowerer.routines[key], (*args, body))


def _set(lowerer: Lowerer, body: Expr, test: Expr, value: Const) -> Expr:
    """Return ``value`` if ``test`` holds, else ``body``.

    The test must not have a fault. A fault of ``body`` is kept.
    """
    span = body.span
    if isinstance(test, Const) and (not test.value or not lowerer.can_fail(body)):
        return value if test.value else body
    if isinstance(value.type, BoolType):
        if value.value:
            return test if isinstance(body, Const) and not body.value else lowerer.folded(_or(body, test))
        none = lowerer.folded(core.Unary(BOOL, span, "not", test))
        return none if isinstance(body, Const) and body.value else lowerer.folded(Binary(BOOL, span, "and", body, none))
    if not lowerer.can_fail(body):
        return value if isinstance(test, Const) else IfExpr(value.type, span, test, value, body)
    so_far = Local(body.type, span, lowerer.fresh("it", body.type), "it")
    lowerer.known.let(so_far.slot, body)
    changed = value if isinstance(test, Const) else IfExpr(value.type, span, test, value, so_far)
    return LetIn(value.type, span, so_far.slot, body, changed)


def _terms(lowerer: Lowerer, kind: str, modifiers: Sequence[core.Modifier], arguments: Env) -> list[Expr]:
    """Return the summands of modifiers (``kind`` is ``sum``) or the tests whether they apply (``any``).

    Modifiers of cards in one zone become a single loop over the zone, if they belong to enough cards and can't have a
    fault.
    """
    by_zone: dict[str | None, list[core.Modifier]] = {}
    for modifier in modifiers:
        by_zone.setdefault(_zone_of(modifier), []).append(modifier)
    sought: dict[core.Modifier, str] = {}
    for zone, lying in by_zone.items():
        if zone is not None and sum(len(m.copies) for m in lying) >= COPIES_PER_LIST * _lists(lowerer, zone):
            sought |= dict.fromkeys(lying, zone)
    found: list[Expr] = []
    walked: dict[str, list[core.Modifier]] = {}
    for modifier in modifiers:
        if modifier in sought and not lowerer.can_fail(_term(lowerer, kind, modifier, arguments)):
            walked.setdefault(sought[modifier], []).append(modifier)
        else:
            found += _of_copies(lowerer, kind, modifier, arguments)
    return [*found, *(_of_zone(lowerer, kind, zone, lying, arguments) for zone, lying in walked.items())]


def _lists(lowerer: Lowerer, zone: str) -> int:
    """Return the number of lists in a zone."""
    number = 1
    for dim in lowerer.program.zones[zone].dims:
        number *= dim.size or lowerer.players
    return number


def _term(lowerer: Lowerer, kind: str, modifier: core.Modifier, known: Env) -> Expr:
    """Return the amount that a modifier adds (0 if it does not apply), or for ``any`` the test whether it applies."""
    condition = lowerer.expr(modifier.condition, known)
    if kind == "any":
        return condition
    added = _added(modifier)
    assert added is not None
    nothing, span = Const(INT, modifier.span, 0), modifier.span
    if isinstance(condition, Const) and not condition.value:
        return nothing
    value = lowerer.expr(added.right if added.op == "+" else core.Unary(INT, span, "-", added.right), known)
    return value if isinstance(condition, Const) else IfExpr(INT, span, condition, value, nothing)


def _of_copies(lowerer: Lowerer, kind: str, modifier: core.Modifier, arguments: Env) -> list[Expr]:
    """Return one term for each copy of the card, or a single fold over all copies if there are many."""
    if len(modifier.copies) <= MOST_TERMS:
        copies = modifier.copies or (None,)
        terms = [_term(lowerer, kind, modifier, _with_this(modifier, this, arguments)) for this in copies]
        return [t for t in terms if not isinstance(t, Const) or t.value]
    slot, span = lowerer.fresh("this", INT), modifier.span
    this = Local(INT, span, slot, "this")
    term = _term(lowerer, kind, modifier, {**arguments, modifier.this_slot: this})
    copies_of = Const(ListType(INT), span, modifier.copies)
    if isinstance(term, Const) and not term.value:
        return []
    return [core.Fold(term.type, span, kind, slot, copies_of, None, term)]


def _of_zone(lowerer: Lowerer, kind: str, zone: str, modifiers: Sequence[core.Modifier], arguments: Env) -> Expr:
    """Return a fold over the cards in a zone that combines the terms of their modifiers.

    A modifier that applies to all copies of one card is selected by the card. Other modifiers test their card.
    """
    declared, span = lowerer.program.zones[zone], modifiers[0].span
    slot = lowerer.fresh("this", declared.holds)
    this = Local(declared.holds, span, slot, "this")
    op, type, nothing = ("+", INT, Const(INT, span, 0)) if kind == "sum" else ("or", BOOL, Const(BOOL, span, False))
    of_card: dict[int, list[Expr]] = {}
    of_all: list[Expr] = []
    for modifier in modifiers:
        term = _term(lowerer, kind, _lying(modifier), {**arguments, modifier.this_slot: this})
        fields = lowerer.program.entities[modifier.copies[0]].fields
        if modifier.copies == fields["copies"]:
            of_card.setdefault(modifier.copies[0], []).append(term)
            continue
        first, size = lowerer.program.component_kinds[str(declared.holds)]
        if modifier.copies != tuple(range(first, first + size)):
            one = Binary(BOOL, span, "in", this, Const(ListType(declared.holds), span, modifier.copies))
            term = IfExpr(type, span, one, term, nothing)
        of_all.append(term)
    if of_card:
        cases = [(card, _in_pairs(lowerer, op, terms)) for card, terms in sorted(of_card.items())]
        original = core.Field(declared.holds, span, this, "original")
        of_all.append(statements.choice(type, span, original, cases, nothing))
    ranges = (range(dim.low, dim.low + (dim.size or lowerer.players)) for dim in declared.dims)
    all_lists: Expr | None = None
    for numbers in itertools.product(*ranges):
        indices = tuple(Const(dim.type, span, n) for dim, n in zip(declared.dims, numbers, strict=True))
        one_list = core.ReadZone(ListType(declared.holds), span, zone, indices)
        all_lists = one_list if all_lists is None else Binary(one_list.type, span, "join", all_lists, one_list)
    assert all_lists is not None
    return core.Fold(type, span, kind, slot, all_lists, None, _in_pairs(lowerer, op, of_all))


def _in_pairs(lowerer: Lowerer, op: str, terms: Sequence[Expr]) -> Expr:
    """Join terms by ``op`` (``+`` or ``or``) as a balanced binary tree, which keeps the nesting flat.

    The first term stays leftmost. Without terms, returns 0 or False.
    """
    if not terms:
        return (
            Const(BOOL, lowerer.program.setup.span, False) if op == "or" else Const(INT, lowerer.program.setup.span, 0)
        )
    left, *rest = terms
    while len(rest) > 1:
        pairs = itertools.zip_longest(rest[::2], rest[1::2])
        rest = [a if b is None else _pair(lowerer, op, a, b) for a, b in pairs]
    return _pair(lowerer, op, left, rest[0]) if rest else left


def _pair(lowerer: Lowerer, op: str, left: Expr, right: Expr) -> Expr:
    return lowerer.folded(_or(left, right) if op == "or" else Binary(INT, left.span, op, left, right))


def _or(left: Expr, right: Expr) -> Expr:
    return Binary(BOOL, left.span, "or", left, right)


def _with_this(modifier: core.Modifier, this: int | None, arguments: Env) -> Env:
    return arguments if this is None else {**arguments, modifier.this_slot: Const(INT, modifier.span, this)}


def _way(modifier: core.Modifier) -> tuple[str, object]:
    """Classify a modifier: ``add`` adds to the value, ``set`` replaces it by a constant, ``change`` is anything else.

    The second item is the constant of ``set``, otherwise None.
    """
    if _added(modifier) is not None:
        return "add", None
    if isinstance(modifier.value, Const) and not count_uses(modifier.condition, modifier.it_slot):
        return "set", modifier.value.value
    return "change", None


def _added(modifier: core.Modifier) -> Binary | None:
    """Return the value of a modifier of the form ``it + x`` or ``it - x``, where ``x`` does not depend on ``it``.

    Returns None for any other modifier, and if its condition depends on ``it``.
    """
    value, it = modifier.value, modifier.it_slot
    if not isinstance(value, Binary) or value.op not in ("+", "-"):
        return None
    so_far = isinstance(value.left, Local) and value.left.slot == it
    return value if so_far and not count_uses(value.right, it) and not count_uses(modifier.condition, it) else None


def _zone_of(modifier: core.Modifier) -> str | None:
    """Return the zone in which the card must lie for its modifier to apply. None if its condition requires no zone."""
    for part in flatten_chain(modifier.condition, "and"):
        if _says_where(part, modifier) and modifier.copies:
            return part.zone  # type: ignore[attr-defined, no-any-return]
    return None


def _lying(modifier: core.Modifier) -> core.Modifier:
    """Return the modifier without the condition that the card lies in its zone."""
    where = next(part for part in flatten_chain(modifier.condition, "and") if _says_where(part, modifier))
    rest = [part for part in flatten_chain(modifier.condition, "and") if part is not where]
    condition: Expr = Const(BOOL, modifier.span, True)
    for part in rest:
        condition = part if part is rest[0] else Binary(BOOL, part.span, "and", condition, part)
    return replace(modifier, condition=condition)


def _says_where(part: Expr, modifier: core.Modifier) -> bool:
    card = part.component if isinstance(part, core.LiesIn) else None
    return isinstance(card, Local) and card.slot == modifier.this_slot


def lower_query_call(lowerer: Lowerer, e: core.CallQuery, env: Env) -> Expr:
    """Lower a call of a query: call its routine, or inline its value.

    An argument is bound to a local if the value reads it more than once, or if moving it could change a fault.
    """
    query = lowerer.program.queries[e.query]
    key = ("query", e.query)
    if key in lowerer.shared:
        if key not in lowerer.routines:
            params, given = lowerer.parameters(query.params, key)
            value = modified(lowerer, query, given)
            number = len(lowerer.routines)
            lowerer.routines[key] = LoweredRoutine(number, query.name, params, (), value, fails=lowerer.can_fail(value))
        return QueryRoutine(e.type, e.span, lowerer.routines[key], lowerer.exprs(e.args, env))
    arguments: dict[int, Expr] = {}
    lets: list[tuple[int, Expr]] = []
    for param, arg in zip(query.params, e.args, strict=True):
        value = lowerer.expr(arg, env)
        if not isinstance(value, Const | Local):
            slot = lowerer.fresh(param.name, param.type)
            lowerer.known.let(slot, value)
            lets.append((slot, value))
            value = Local(param.type, arg.span, slot, param.name)
        arguments[param.slot] = value
    body = modified(lowerer, query, arguments)
    for slot, value in reversed(lets):
        uses = count_uses(body, slot)
        fails = lowerer.can_fail(value)
        if uses == 0 and not fails:
            continue
        if uses == 1 and not under_loop(body, slot) and not (fails and not lowerer.reads_first(body, slot)):
            body = lowerer.expr(body, {slot: value})
        else:
            body = LetIn(body.type, e.span, slot, value, body)
    return body


# The most nested loops in one function, including phases. A choice may need eight more.
LOOPS = 10
# The most levels of indentation in one function. Deeper code moves into a routine if it is independent.
LEVELS = 18


def split(game: LoweredGame, lowerer: Lowerer, asking: bool) -> LoweredGame:
    """Move code that is nested too deeply into routines.

    With ``asking``, code that asks for decisions is nested like all other code. Otherwise it is split into basic
    blocks, in which nesting starts again.
    """
    return _Splitter(lowerer, asking).game(game)


@dataclass(frozen=True)
class _Depth:
    """The nesting depth of a place in its function."""

    loops: int = 0
    levels: int = 0

    def inside(self, s: Stmt) -> _Depth:
        """Return the depth inside the blocks of a statement."""
        is_loop = bool(core.get_traits(type(s)).pass_fields)
        asks_or_filters = isinstance(s, core.Ask) or (isinstance(s, core.ForEach) and s.condition is not None)
        return _Depth(self.loops + is_loop, self.levels + (not isinstance(s, Inlined)) + asks_or_filters)


class _Splitter:
    """Move code that is nested too deeply into routines. See :func:`split`."""

    def __init__(self, lowerer: Lowerer, asking: bool) -> None:
        self.lowerer = lowerer
        self.asking = asking
        self.routines: list[LoweredRoutine] = []
        self.number = len(lowerer.routines)

    def game(self, game: LoweredGame) -> LoweredGame:
        for routine in game.routines:
            self.routines.append(replace(routine, body=self.block(routine.body, _Depth())))
        # Calls refer to the routines before the split. These have the same number and differ only in their bodies.
        setup = self.phase(game.setup, _Depth())
        phases = tuple(self.phase(phase, _Depth()) for phase in game.phases)
        return replace(game, setup=setup, phases=phases, routines=tuple(self.routines))

    def phase(self, phase: core.Phase, at: _Depth) -> core.Phase:
        # Otherwise each phase starts a basic block.
        if self.asking:
            repeated = phase.repeat is not None
            at = _Depth(at.loops + repeated, at.levels + repeated + (phase.condition is not None))
        children = tuple(self.phase(child, at) for child in phase.children)
        return replace(phase, body=self.block(phase.body, at), children=children)

    def block(self, stmts: tuple[Stmt, ...], at: _Depth) -> tuple[Stmt, ...]:
        return tuple(self.stmt(s, at) for s in stmts)

    def stmt(self, s: Stmt, at: _Depth) -> Stmt:
        if not core.get_blocks(s):
            return s
        if not self.asking and asks((s,)):
            # The statement becomes several basic blocks.
            return self.inside(s, _Depth())
        inside = at.inside(s)
        if (inside.loops > max(at.loops, LOOPS) or inside.levels > LEVELS) and _stands_alone(s):
            return self.apart(self.inside(s, _Depth().inside(s)))
        return self.inside(s, inside)

    def inside(self, s: Stmt, at: _Depth) -> Stmt:
        """Split the blocks inside a statement."""
        return core.map_blocks(s, lambda block: self.block(block, at))

    def apart(self, s: Stmt) -> Stmt:
        """Move a statement into a new routine, which takes the locals that it reads as parameters. Returns the call."""
        bound = {slot for node in walk(s) for slot in _bound(node)}
        read = {node.slot: node for node in walk(s) if isinstance(node, Local) and node.slot not in bound}
        given: dict[int, Expr] = {
            slot: Local(local.type, local.span, self.lowerer.fresh(local.name, local.type), local.name)
            for slot, local in read.items()
        }
        for slot, passed in given.items():
            if isinstance(passed, Local):
                self.lowerer.known.let(passed.slot, read[slot])
        body = self.lowerer.block((s,), given)
        params = tuple(local.slot for local in given.values() if isinstance(local, Local))
        routine = LoweredRoutine(self.number, "", params, body, None, asks(body), ends(body))
        self.number += 1
        self.routines.append(routine)
        return EffectRoutine(s.span, routine, tuple(read.values()))


def _bound(node: object) -> set[int]:
    """Return the slots that a node binds, including the variable of a choice."""
    if isinstance(node, core.ChoiceVar):
        return {node.slot}
    return core.get_bound_slots(node) if isinstance(node, Expr | Stmt) else set()


def _stands_alone(s: Stmt) -> bool:
    """Return whether a statement can move: it leaves no enclosing loop, and binds no local for later statements."""
    if isinstance(s, Inlined) or stops((s,)):
        return False
    if isinstance(s, core.Random):
        return bool(s.body)
    if isinstance(s, core.Ask):
        return len(s.alternatives) > 1 or all(a.body for a in s.alternatives)
    return True
