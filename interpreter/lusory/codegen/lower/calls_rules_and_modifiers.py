"""Lower calls of effects and queries, with the rules and modifiers that apply to them, and limit the nesting of code.

A call is inlined, unless ``_find_shared_routines`` names its routine. :func:`_lower_modified_query` combines the value
of a query with the modifiers of cards.
:func:`split_deep_nesting` moves code that is nested too deeply into routines.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, Local, Stmt, walk
from lusory_dsl.types.types import BOOL, INT, INT_MAX, INT_MIN, BoolType, ListType

from .lowered_nodes_and_common_subexpressions import (
    EffectRoutine,
    Inlined,
    LetIn,
    LoweredGame,
    LoweredRoutine,
    QueryRoutine,
    can_ask,
    can_end,
    can_stop,
    count_uses,
    is_read_in_loop,
)
from .lowerer_with_constant_folding_and_inlining import NO_SPAN, Env, Lowerer, Scope


def lower_effect_call(lowerer: Lowerer, stmt: core.CallEffect, env: Env) -> list[Stmt]:
    """Lower a call of an effect: one ``EffectRoutine`` that calls its routine, or else its body inlined.

    An effect ``build`` has a routine if ``("effect", "build")`` is in ``lowerer.shared_routines``. The first call adds
    it to ``lowerer.routines``. The body has the ``instead`` rules around it and the ``when`` rules after it. An inlined
    call gives one ``Let`` for each argument that is neither a constant nor a local once it is lowered: none for
    ``1 + 1``. One ``Inlined`` follows, unless nothing of the body remains. So the result may be empty.
    """
    effect = lowerer.program.effects[stmt.effect]
    key = ("effect", stmt.effect)
    if key in lowerer.shared_routines:
        if key not in lowerer.routines:
            params, parameters = lowerer.make_parameters(effect.params, key)
            body = _lower_effect_body(lowerer, None, effect, parameters)
            flow = can_ask(body), can_end(body)
            lowerer.routines[key] = LoweredRoutine(len(lowerer.routines), effect.name, params, body, None, *flow)
        return [EffectRoutine(stmt.span, lowerer.routines[key], lowerer.lower_all(stmt.args, env))]
    arguments, bound = _bind_arguments(lowerer, effect.params, stmt.args, env)
    lets = [core.Let(local.span, local.slot, local.name, value) for local, value in bound]
    body = _lower_effect_body(lowerer, stmt, effect, arguments)
    return [*lets, *([Inlined(stmt.span, stmt.effect, body)] if body else [])]


def _bind_arguments(
    lowerer: Lowerer, params: tuple[core.Param, ...], args: tuple[Expr, ...], env: Env
) -> tuple[dict[int, Expr], list[tuple[Local, Expr]]]:
    """Return the environment of an inlined call: slot of a parameter -> its argument, lowered.

    An argument that is neither a constant nor a local is replaced by a new local. The second result has these locals,
    each with its value, in order.
    """
    arguments: dict[int, Expr] = {}
    new_locals: list[tuple[Local, Expr]] = []
    for param, arg in zip(params, args, strict=True):
        value = lowerer.lower(arg, env)
        if not isinstance(value, Const | Local):
            local = Local(param.type, arg.span, lowerer.make_local(param.name, param.type), param.name)
            lowerer.ranges.bind_value(local.slot, value)
            new_locals.append((local, value))
            value = local
        arguments[param.slot] = value
    return arguments, new_locals


def lower_inlined_effect(lowerer: Lowerer, stmt: Inlined, env: Env) -> list[Stmt]:
    """Lower the body of an effect that is already inlined. The result is empty if nothing of the body remains."""
    body = lowerer.lower_block(stmt.body, env)
    return [Inlined(stmt.span, stmt.name, body)] if body else []


def _lower_effect_body(lowerer: Lowerer, stmt: Stmt | None, effect: core.Effect, arguments: Env) -> tuple[Stmt, ...]:
    """Lower the body of an effect, with its ``instead`` rules around it and its ``when`` rules after it.

    The first ``instead`` rule whose condition holds replaces the body. A rule whose condition always holds needs no
    test.
    """

    def lower_rule(rule: core.Rule) -> tuple[Expr, tuple[Stmt, ...]]:
        holds = lowerer.lower_optional(rule.condition, arguments) or Const(BOOL, rule.span, True)
        return holds, lowerer.lower_block(rule.body, arguments)

    body = lowerer.lower_block(effect.body, arguments)
    branches = [lower_rule(rule) for rule in effect.instead]
    span = stmt.span if stmt is not None else effect.instead[0].span if effect.instead else NO_SPAN
    stmts = _fold_branches(span, branches, body)
    for rule in effect.when:
        stmts += _fold_branches(rule.span if stmt is None else stmt.span, [lower_rule(rule)], ())
    return tuple(stmts)


def _fold_branches(span: Any, branches: list[tuple[Expr, tuple[Stmt, ...]]], otherwise: tuple[Stmt, ...]) -> list[Stmt]:
    open_branches = []
    for condition, body in branches:
        if isinstance(condition, Const) and condition.value:
            otherwise = body
            break
        open_branches.append((condition, body))
    return [core.If(span, tuple(open_branches), otherwise)] if open_branches else list(otherwise)


# The most copies of a card for which a modifier is lowered once per copy. More copies become a loop.
MAX_UNROLLED_COPIES = 8
# The most modifiers that change a value one after the other in a single expression.
MAX_CHAINED_MODIFIERS = 16


def _lower_modified_query(lowerer: Lowerer, query: core.Query, arguments: Env) -> Expr:
    """Lower the value of a query with all its modifiers, in their order. ``arguments`` maps its parameters to
    expressions.

    Neighbouring modifiers that add to the value become one sum. Neighbouring modifiers that set it to the same truth
    value become one test. All others apply one after the other; more than :data:`MAX_CHAINED_MODIFIERS` in a row become
    routines. Example: ``strength`` with the modifiers ``it + 1`` where ``c1`` and ``it + 1`` where ``c2`` becomes
    ``strength + ((if c1 then 1 else 0) + (if c2 then 1 else 0))``.
    """
    body = lowerer.lower(query.value, arguments)
    routine_count = 0
    for (operation, value), rules in itertools.groupby(query.modifiers, _classify_modifier):
        modifiers = tuple(rules)
        if operation == "add":
            terms = [body, *_make_terms(lowerer, "sum", modifiers, arguments)]
            if _can_reorder_sum(lowerer, terms):
                body = _join_balanced(lowerer, "+", terms)
                continue
        if operation == "set":
            tests = _make_terms(lowerer, "any", modifiers, arguments)
            if not any(map(lowerer.can_fail, tests)):
                body = _set_truth_if(
                    lowerer, body, _join_balanced(lowerer, "or", tests), Const(query.type, query.value.span, value)
                )
                continue
        steps = [(modifier, card) for modifier in modifiers for card in modifier.copies or (None,)]
        if len(steps) > MAX_CHAINED_MODIFIERS:
            for start in range(0, len(steps), MAX_CHAINED_MODIFIERS):
                row = steps[start : start + MAX_CHAINED_MODIFIERS]
                body = _make_modifier_routine(lowerer, f"{query.name} ({routine_count})", query, row, body, arguments)
                routine_count += 1
            continue
        for modifier, card in steps:
            body = _apply_modifier(lowerer, query, modifier, body, _bind_this(modifier, card, arguments))
    return body


def _can_reorder_sum(lowerer: Lowerer, terms: Sequence[Expr]) -> bool:
    """Return whether the numbers can be added in any order without leaving the range of Int."""
    ends = [lowerer.ranges.bound_unclipped(term) for term in terms]
    return sum(min(low, 0) for low, _ in ends) >= INT_MIN and sum(max(high, 0) for _, high in ends) <= INT_MAX


def _apply_modifier(lowerer: Lowerer, query: core.Query, modifier: core.Modifier, body: Expr, arguments: Env) -> Expr:
    """Return the value of a query after one more modifier. ``body`` is the value before it, which is evaluated once.

    A modifier whose condition is constantly false gives ``body``.
    """
    condition = lowerer.lower(modifier.condition, arguments)
    if isinstance(condition, Const) and not condition.value:
        return body
    value_before = body
    if not isinstance(body, Const | Local):
        value_before = Local(body.type, body.span, lowerer.make_local("it", body.type), "it")
        lowerer.ranges.bind_value(value_before.slot, body)
    new_value = lowerer.lower(modifier.value, {**arguments, modifier.it_slot: value_before})
    if not isinstance(condition, Const):
        new_value = IfExpr(query.type, modifier.span, condition, new_value, value_before)
    if isinstance(value_before, Local) and value_before is not body:
        return LetIn(query.type, modifier.span, value_before.slot, body, new_value)
    return new_value


def _make_modifier_routine(
    lowerer: Lowerer,
    name: str,
    query: core.Query,
    chain: Sequence[tuple[core.Modifier, int | None]],
    body: Expr,
    arguments: Env,
) -> Expr:
    """Put a sequence of modifiers into a routine of its own, and return a call of it.

    A long sequence in a single expression would be nested too deeply.
    """
    key = ("query", name)
    if key not in lowerer.routines:
        params, parameters = lowerer.make_parameters(query.params, ("query", query.name))
        it_slot = lowerer.make_local("it", query.type)
        lowerer.ranges.bind_value(it_slot, body)
        value: Expr = Local(query.type, body.span, it_slot, "it")
        for modifier, card in chain:
            value = _apply_modifier(lowerer, query, modifier, value, _bind_this(modifier, card, parameters))
        number = len(lowerer.routines)
        lowerer.routines[key] = LoweredRoutine(
            number, name, (*params, it_slot), (), value, can_fail=lowerer.can_fail(value)
        )
    args = tuple(arguments[param.slot] for param in query.params)
    return QueryRoutine(query.type, body.span, lowerer.routines[key], (*args, body))


def _set_truth_if(lowerer: Lowerer, body: Expr, test: Expr, value: Const) -> Expr:
    """Return the truth value ``value`` if ``test`` holds, else ``body``.

    The test must not have a fault. A fault of ``body`` is kept.
    """
    span = body.span
    if isinstance(test, Const) and (not test.value or not lowerer.can_fail(body)):
        return value if test.value else body
    if value.value:
        return test if isinstance(body, Const) and not body.value else _join_pair(lowerer, "or", body, test)
    negation = lowerer.fold(core.Unary(BOOL, span, "not", test))
    if isinstance(body, Const) and body.value:
        return negation
    return lowerer.fold(Binary(BOOL, span, "and", body, negation))


def _make_terms(lowerer: Lowerer, fold: str, modifiers: Sequence[core.Modifier], arguments: Env) -> list[Expr]:
    """Return the summands of modifiers (``fold`` is ``sum``) or the tests whether they apply (``any``)."""
    return [term for modifier in modifiers for term in _make_copy_terms(lowerer, fold, modifier, arguments)]


def _make_term(lowerer: Lowerer, fold: str, modifier: core.Modifier, arguments: Env) -> Expr:
    """Return the amount that a modifier adds (0 if it does not apply), or for ``any`` the test whether it applies."""
    condition = lowerer.lower(modifier.condition, arguments)
    if fold == "any":
        return condition
    addition = _match_addition(modifier)
    assert addition is not None
    zero, span = Const(INT, modifier.span, 0), modifier.span
    if isinstance(condition, Const) and not condition.value:
        return zero
    amount = addition.right if addition.op == "+" else core.Unary(INT, span, "-", addition.right)
    value = lowerer.lower(amount, arguments)
    return value if isinstance(condition, Const) else IfExpr(INT, span, condition, value, zero)


def _make_copy_terms(lowerer: Lowerer, fold: str, modifier: core.Modifier, arguments: Env) -> list[Expr]:
    """Return one term for each copy of the card, or a single fold over all copies if there are many."""
    if len(modifier.copies) <= MAX_UNROLLED_COPIES:
        copies = modifier.copies or (None,)
        terms = [_make_term(lowerer, fold, modifier, _bind_this(modifier, card, arguments)) for card in copies]
        return [term for term in terms if not isinstance(term, Const) or term.value]
    slot, span = lowerer.make_local("this", INT), modifier.span
    card = Local(INT, span, slot, "this")
    term = _make_term(lowerer, fold, modifier, {**arguments, modifier.this_slot: card})
    all_copies = Const(ListType(INT), span, modifier.copies)
    return [core.Fold(term.type, span, slot, all_copies, fold, None, term)]


def _join_balanced(lowerer: Lowerer, op: str, terms: Sequence[Expr]) -> Expr:
    """Join terms by ``op`` (``+`` or ``or``) as a balanced binary tree, which keeps the nesting flat.

    The first term stays leftmost. A sum has a term; tests without terms give False.
    """
    if not terms:
        return Const(BOOL, lowerer.program.setup.span, False)
    first, *other_terms = terms
    while len(other_terms) > 1:
        pairs = itertools.zip_longest(other_terms[::2], other_terms[1::2])
        other_terms = [left if right is None else _join_pair(lowerer, op, left, right) for left, right in pairs]
    return _join_pair(lowerer, op, first, other_terms[0]) if other_terms else first


def _join_pair(lowerer: Lowerer, op: str, left: Expr, right: Expr) -> Expr:
    return lowerer.fold(Binary(BOOL if op == "or" else INT, left.span, op, left, right))


def _bind_this(modifier: core.Modifier, card: int | None, arguments: Env) -> Env:
    return arguments if card is None else {**arguments, modifier.this_slot: Const(INT, modifier.span, card)}


def _classify_modifier(modifier: core.Modifier) -> tuple[str, object]:
    """Classify a modifier: ``add`` adds to the value, ``set`` replaces it by a constant truth value, ``change`` is
    anything else.

    The second item is the truth value of ``set``, otherwise None.
    """
    if _match_addition(modifier) is not None:
        return "add", None
    value, reads_it = modifier.value, bool(count_uses(modifier.condition, modifier.it_slot))
    if isinstance(value, Const) and isinstance(value.type, BoolType) and not reads_it:
        return "set", value.value
    return "change", None


def _match_addition(modifier: core.Modifier) -> Binary | None:
    """Return the value of a modifier of the form ``it + x`` or ``it - x``, where ``x`` does not depend on ``it_slot``.

    Returns None for any other modifier, and if its condition depends on ``it_slot``.
    """
    value, it_slot = modifier.value, modifier.it_slot
    if not isinstance(value, Binary) or value.op not in ("+", "-"):
        return None
    is_left = isinstance(value.left, Local) and value.left.slot == it_slot
    is_used = any(count_uses(part, it_slot) for part in (value.right, modifier.condition))
    return value if is_left and not is_used else None


def lower_query_call(lowerer: Lowerer, expr: core.CallQuery, env: Env) -> Expr:
    """Lower a call of a query, with its modifiers: return its value, or a :class:`QueryRoutine` for a large query.

    A query ``double`` is a routine if ``("query", "double")`` is in ``lowerer.shared_routines``: if it is large and
    called twice, or nested too deeply. Its first call adds it to ``lowerer.routines`` under this key. Any other value
    is inlined and folded: for ``value: n + n``, the call ``double(3)`` gives the constant 6. More than
    ``MAX_CHAINED_MODIFIERS`` (16) modifiers in a row that :func:`_lower_modified_query` can't merge into one sum or
    test become routines all the same.

    Constants and locals take the place of their parameter in an inlined call. So does an argument that the value reads
    once. A ``LetIn`` binds an argument that the value doesn't read, reads more than once or reads in a loop. It also
    binds one that could change which fault occurs, if it moved.
    """
    query = lowerer.program.queries[expr.query]
    key = ("query", expr.query)
    if key in lowerer.shared_routines:
        if key not in lowerer.routines:
            params, parameters = lowerer.make_parameters(query.params, key)
            value = _lower_modified_query(lowerer, query, parameters)
            number, can_fail = len(lowerer.routines), lowerer.can_fail(value)
            lowerer.routines[key] = LoweredRoutine(number, query.name, params, (), value, can_fail=can_fail)
        return QueryRoutine(expr.type, expr.span, lowerer.routines[key], lowerer.lower_all(expr.args, env))
    arguments, new_locals = _bind_arguments(lowerer, query.params, expr.args, env)
    body = _lower_modified_query(lowerer, query, arguments)
    for local, value in reversed(new_locals):
        slot = local.slot
        uses = count_uses(body, slot)
        can_fail = lowerer.can_fail(value)
        if uses == 1 and not is_read_in_loop(body, slot) and not (can_fail and not lowerer.is_read_first(body, slot)):
            body = lowerer.lower(body, {slot: value})
        else:
            body = LetIn(body.type, expr.span, slot, value, body)
    return body


# The most nested loops in one function, including phases. A choice may need eight more.
MAX_NESTED_LOOPS = 10
# The most levels of indentation in one function. Deeper code moves into a routine if it is independent.
MAX_INDENTATION = 18


def split_deep_nesting(game: LoweredGame, lowerer: Lowerer, nests_choices: bool) -> LoweredGame:
    """Return the game with code that is nested too deeply moved into new routines in ``routines``.

    A new routine stands before the routine from which its code comes, and one with code of a phase at the end.
    Too deep are more than :data:`MAX_NESTED_LOOPS` loops or :data:`MAX_INDENTATION` levels in a function. With
    ``nests_choices``, code that asks for decisions is nested like all other code. Otherwise it is split into basic
    blocks, in which nesting starts again.
    """
    return _Splitter(lowerer, nests_choices).split_game(game)


@dataclass(frozen=True)
class _Depth:
    """The nesting depth of a place in its function."""

    loops: int = 0
    levels: int = 0

    def enter(self, stmt: Stmt) -> _Depth:
        """Return the depth inside the blocks of a statement, with more ``loops`` and ``levels``.

        A ``ForEach`` or ``Repeat`` adds a loop and a level, an :class:`Inlined` nothing, and any other statement a
        level. An ``Ask``, and a ``ForEach`` with a condition, add one more level: an ``Ask`` 2 in all.
        """
        is_loop = bool(core.get_traits(type(stmt)).pass_fields)
        asks_or_filters = isinstance(stmt, core.Ask) or (isinstance(stmt, core.ForEach) and stmt.condition is not None)
        return _Depth(self.loops + is_loop, self.levels + (not isinstance(stmt, Inlined)) + asks_or_filters)


class _Splitter:
    """Move code that is nested too deeply into routines. See :func:`split_deep_nesting`."""

    def __init__(self, lowerer: Lowerer, nests_choices: bool) -> None:
        self.lowerer = lowerer
        self.nests_choices = nests_choices
        self.routines: list[LoweredRoutine] = []
        self.number = len(lowerer.routines)

    def split_game(self, game: LoweredGame) -> LoweredGame:
        for routine in game.routines:
            self.routines.append(replace(routine, body=self._split_block(routine.body, _Depth())))
        # Calls refer to the routines before the split. These have the same number and differ only in their bodies.
        setup = self.split_phase(game.setup, _Depth())
        phases = tuple(self.split_phase(phase, _Depth()) for phase in game.phases)
        return replace(game, setup=setup, phases=phases, routines=tuple(self.routines))

    def split_phase(self, phase: core.Phase, depth: _Depth) -> core.Phase:
        # Otherwise each phase starts a basic block.
        if self.nests_choices:
            repeats = phase.repeat is not None
            depth = _Depth(depth.loops + repeats, depth.levels + repeats + (phase.condition is not None))
        children = tuple(self.split_phase(child, depth) for child in phase.children)
        return replace(phase, body=self._split_block(phase.body, depth), children=children)

    def _split_block(self, stmts: tuple[Stmt, ...], depth: _Depth) -> tuple[Stmt, ...]:
        return tuple(self._split_statement(stmt, depth) for stmt in stmts)

    def _split_statement(self, stmt: Stmt, depth: _Depth) -> Stmt:
        if not core.get_blocks(stmt):
            return stmt
        if not self.nests_choices and can_ask((stmt,)):
            # The statement becomes several basic blocks.
            return self._split_blocks_inside(stmt, _Depth())
        inner_depth = depth.enter(stmt)
        if (
            inner_depth.loops > max(depth.loops, MAX_NESTED_LOOPS) or inner_depth.levels > MAX_INDENTATION
        ) and _can_become_routine(stmt):
            return self._move_to_routine(self._split_blocks_inside(stmt, _Depth().enter(stmt)))
        return self._split_blocks_inside(stmt, inner_depth)

    def _split_blocks_inside(self, stmt: Stmt, depth: _Depth) -> Stmt:
        """Split the blocks inside a statement."""
        return core.map_blocks(stmt, lambda block: self._split_block(block, depth))

    def _move_to_routine(self, stmt: Stmt) -> Stmt:
        """Append to ``routines`` a new routine with ``stmt`` as its body, and return a call of it.

        Its parameters are the locals that the statement reads and doesn't bind, each in a fresh slot, in the order of
        their first read. They are the arguments of the call as well.
        """
        bound = {slot for node in walk(stmt) for slot in _get_bound_slots(node)}
        arguments = {node.slot: node for node in walk(stmt) if isinstance(node, Local) and node.slot not in bound}
        parameters: Scope = {}
        params = []
        for slot, local in arguments.items():
            params.append(self.lowerer.bind(slot, local.name, local.type, local.span, parameters))
            self.lowerer.ranges.bind_value(params[-1], local)
        body = self.lowerer.lower_block((stmt,), parameters)
        routine = LoweredRoutine(self.number, "", tuple(params), body, None, can_ask(body), can_end(body))
        self.number += 1
        self.routines.append(routine)
        return EffectRoutine(stmt.span, routine, tuple(arguments.values()))


def _get_bound_slots(node: object) -> set[int]:
    """Return the slots that a node binds, including the variable of a choice."""
    if isinstance(node, core.ChoiceVar):
        return {node.slot}
    return core.get_bound_slots(node) if isinstance(node, Expr | Stmt) else set()


def _can_become_routine(stmt: Stmt) -> bool:
    """Return whether a statement can move: it leaves no enclosing loop, and binds no local for later statements."""
    if isinstance(stmt, Inlined) or can_stop((stmt,)):
        return False
    if isinstance(stmt, core.Random):
        return bool(stmt.body)
    if isinstance(stmt, core.Ask):
        return len(stmt.alternatives) > 1 or all(alternative.body for alternative in stmt.alternatives)
    return True
