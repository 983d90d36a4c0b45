"""Select operators, calls of functions, and local bindings.

Equality, membership and emptiness tests become masks or unrolled conditions when the lists are known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Binary, CallBuiltin, Const, Expr, IfExpr, ListLoop, Local, get_children
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS, Fault
from lusory_dsl.types.types import BOOL, ComponentType, IntType

from ...state.setting_value_limits_builtins_and_names import FUNCTIONS
from .. import ir
from ..lower.lowered_nodes_and_common_subexpressions import LetIn, QueryRoutine, can_bind_at_first_read, count_uses
from . import bitboards
from .lists import (
    MAX_TABLE_CONDITIONS,
    match_conditional_list,
    select_by_conditions,
    select_count,
    select_join,
    select_uncopied,
)
from .selector_state_and_ir_emission import PendingBinding, Selector
from .state_reads import check_list, check_number, select_operand, select_zone_number


def select_call(sel: Selector, expr: CallBuiltin) -> ir.Value:
    """Select a call of a built-in function: by its special form in ``SPECIAL``, or as the primitive ``fn_NAME`` if it
    has none or that gives None. A ``sum`` or ``abs`` that may exceed Int is put in an ``ir.IntCheck``.

    Example: ``take(xs, 2)``, which has no special form, becomes ``ir.Primitive("fn_take", …)`` of the selected
    arguments.
    """
    special = SPECIAL.get(expr.name)
    value = None if special is None else special(sel, expr)
    if value is None:
        value = ir.Primitive(f"fn_{expr.name}", tuple([sel.select_value(argument) for argument in expr.args]))
    return check_number(sel, expr, value) if RUNTIME_FUNCTIONS[expr.name].fault is Fault.TOO_GREAT else value


def _select_seat_table(sel: Selector, expr: CallBuiltin, is_reversed: bool = False) -> ir.Value:
    """Return the value of a function of one seat as an entry, by seat, of a constant table.

    With ``is_reversed``, each row of the table, a list of seats, is reversed. Example: for three players, ``next(p)``
    becomes ``(1, 2, 0)[p]``.
    """
    values = (FUNCTIONS[expr.name](sel.players, seat) for seat in range(sel.players))
    rows = tuple(value[::-1] if is_reversed else value for value in values)
    return ir.Entry(sel.tables.add_constant(rows), select_operand(sel, expr.args[0]))


def _select_seat_distance(sel: Selector, expr: CallBuiltin) -> ir.Value:
    target = sel.select_value(expr.args[1])
    return ir.Binary("mod", ir.Binary("-", target, sel.select_value(expr.args[0])), ir.Const(sel.players))


def _select_reverse(sel: Selector, expr: CallBuiltin) -> ir.Value:
    inner = expr.args[0]
    if isinstance(inner, CallBuiltin) and RUNTIME_FUNCTIONS[inner.name].returns_all_players:
        return _select_seat_table(sel, inner, is_reversed=True)
    return ir.Primitive("reversed", (sel.select_value(inner),))


def _make_list_selection(name: str) -> Callable[[Selector, CallBuiltin], ir.Value]:
    return lambda sel, expr: ir.Primitive(name, (select_uncopied(sel, expr.args[0]),))


def _select_first(sel: Selector, expr: CallBuiltin) -> ir.Value:
    return bitboards.select_first(sel, expr.args[0]) or ir.Primitive("front", (select_uncopied(sel, expr.args[0]),))


def _select_step(sel: Selector, expr: CallBuiltin) -> ir.Value | None:
    """Select ``step``, which goes ``n`` items on in a cyclic list, as two lookups in tables.

    The first table gives the position of the item, the second is the list. The list must be a constant without
    repetitions, and the item no plain number. Otherwise return None, for an ordinary call.
    """
    cycle = expr.args[0]
    # A negative number would index from the end.
    if not isinstance(cycle, Const) or isinstance(expr.args[1].type, IntType):
        return None
    items: Any = cycle.value
    if not items or len(set(items)) != len(items) or not all(type(item) is int and item >= 0 for item in items):
        return None
    places = tuple(items.index(item) if item in items else None for item in range(max(items) + 1))
    item, steps = select_operand(sel, expr.args[1]), select_operand(sel, expr.args[2])
    minus, sign = expr.args[2], "+"
    if isinstance(minus, core.Unary) and minus.op == "-":
        sign, steps = "-", select_operand(sel, minus.operand)
    position = ir.Entry(sel.tables.add_constant(places), item)
    target = ir.Binary("mod", ir.Binary(sign, position, steps), ir.Const(len(items)))
    return ir.Entry(sel.add_constant(items), target)


SPECIAL: dict[str, Callable[[Selector, CallBuiltin], ir.Value | None]] = {
    "anticlockwise_from": _select_seat_table,
    "bottom": _make_list_selection("back"),
    "clockwise_from": _select_seat_table,
    "count": select_count,
    "distance": _select_seat_distance,
    "first": _select_first,
    "last": _make_list_selection("back"),
    "next": _select_seat_table,
    "previous": _select_seat_table,
    "reverse": _select_reverse,
    "seat": lambda sel, expr: ir.Binary("+", sel.select_value(expr.args[0]), ir.Const(1)),
    "step": _select_step,
    "top": _make_list_selection("front"),
}
"""Name of a function -> its selection, which returns None to fall back to an ordinary call."""


OPPOSITE_COMPARISON = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
# In component kinds up to this size, a membership test searches the zone. In larger kinds it reads the location.
MAX_SEARCHED_COMPONENTS = 32


def select_unary(sel: Selector, expr: core.Unary) -> ir.Value:
    """Select ``-x``, with a check for overflow if needed, or ``not x`` as the opposite of ``x``: ``not a < b`` becomes
    ``a >= b``.
    """
    if expr.op == "-":
        return check_number(sel, expr, ir.Unary("-", sel.select_value(expr.operand)))
    return select_negation(sel, expr.operand)


def select_negation(sel: Selector, expr: Expr) -> ir.Value:
    """Return the value of the negation of an expression, such as ``ir.Binary(">=", a, b)`` for ``a < b``.

    A comparison with ``=``, ``!=``, ``<``, ``<=``, ``>`` or ``>=`` is selected with the opposite operator, and may
    become a shorter test: :func:`select_binary`. ``not a`` gives the value of ``a``. Anything else, such as ``a in b``
    or ``a and b``, gives ``ir.Unary("not", …)`` of its own value.
    """
    if isinstance(expr, Binary) and expr.op in OPPOSITE_COMPARISON:
        return sel.select_replacement(Binary(expr.type, expr.span, OPPOSITE_COMPARISON[expr.op], expr.left, expr.right))
    if isinstance(expr, core.Unary) and expr.op == "not":
        return sel.select_replacement(expr.operand)
    return ir.Unary("not", sel.select_value(expr))


def select_binary(sel: Selector, expr: Binary) -> ir.Value:
    """Select the code of an operation with two operands.

    - ``and``, ``or``, ``<``, ``<=``, ``>``, ``>=``: an ``ir.Binary`` with the same operator.
    - ``+``, ``-``, ``*``, ``div``, ``mod``: the same, in an ``ir.IntCheck`` if the result may be outside Int.
    - ``=``, ``!=``, ``in``: the same, or a shorter test: ``x = none`` becomes ``ir.Binary("is", x, ir.Const(None))``.
    - ``join``: an ``ir.Concatenation``, in an ``ir.ListLengthCheck`` if it may be too long.
    - ``union``, ``intersect``, ``except``: an ``ir.Primitive`` such as ``set_union``, checked like ``join``. A
      ``union`` of the kinds in a pool, or of a filtered constant list, may be an ``ir.ConditionalItems`` instead.

    Example: ``count(hand) = 0`` becomes ``ir.Unary("not", ir.Zone(…))``. The right side of ``and`` is selected with the
    bounds of numbers that follow from the left side. These are dropped afterwards.
    """
    op = expr.op
    if op in ("and", "or"):
        left = sel.select_value(expr.left)
        bounds_before = dict(sel.bounds.number_ranges)
        if op == "and":
            sel.bounds.learn(expr.left)
        right = sel.select_value(expr.right)
        sel.bounds.number_ranges = bounds_before
        return ir.Binary(op, left, right)
    if op in ("=", "!="):
        return _select_equality(sel, expr)
    if op in ("<", "<=", ">", ">="):
        return ir.Binary(op, select_operand(sel, expr.left), select_operand(sel, expr.right))
    if op in ("+", "-", "*", "div", "mod"):
        return check_number(sel, expr, ir.Binary(op, select_operand(sel, expr.left), select_operand(sel, expr.right)))
    if op == "in":
        return _select_membership(sel, expr)
    if op == "join":
        return select_join(sel, expr)
    conditional_list = match_conditional_list(sel, expr)
    if conditional_list is not None and len(conditional_list.items) <= MAX_TABLE_CONDITIONS:
        return select_by_conditions(sel, conditional_list)
    return check_list(sel, expr, ir.Primitive(f"set_{op}", (sel.select_value(expr.left), sel.select_value(expr.right))))


def _select_equality(sel: Selector, expr: Binary) -> ir.Value:
    """Select ``=`` or ``!=``. Comparisons with none, 0 or the empty list have shorter forms.

    Example: ``count(hand) = 0`` becomes ``not hand``.
    """
    is_equality = expr.op == "="
    for side, opposite in ((expr.right, expr.left), (expr.left, expr.right)):
        if isinstance(side, Const):
            if side.value == 0 and isinstance(opposite, CallBuiltin) and opposite.name == "count":
                return _select_emptiness(sel, opposite.args[0], is_equality)
            value = sel.select_value(opposite)
            if side.value is None:
                return ir.Binary("is" if is_equality else "is not", value, ir.Const(None))
            if side.value == ():
                return _select_emptiness(sel, opposite, is_equality)
    return ir.Binary(expr.op, sel.select_value(expr.left), sel.select_value(expr.right))


def _select_emptiness(sel: Selector, expr: Expr, tests_emptiness: bool) -> ir.Value:
    """Return a test whether a list is empty, or with ``tests_emptiness`` False, whether it isn't. It avoids building
    the list.

    Example: ``(those of the conditional items a, b) = []`` becomes ``not (condition_a or condition_b)``.
    """
    match expr:
        case LetIn(
            slot=slot, value=core.Leading() as row, body=IfExpr(then=Local(slot=bound), otherwise=Const(value=()))
        ) if bound == slot and not sel.can_fail(expr) and (first := bitboards.select_first_test(sel, row)) is not None:
            condition = sel.select_replacement(replace(expr, type=BOOL, body=expr.body.condition))  # type: ignore[attr-defined]
            is_not_empty = ir.Binary("and", first, condition)
            return ir.Unary("not", is_not_empty) if tests_emptiness else is_not_empty
    spaces = bitboards.select_mask(sel, expr)
    if spaces is not None and not isinstance(expr, Const):
        return ir.Binary("=" if tests_emptiness else "!=", spaces, ir.ZERO)
    conditional_list = match_conditional_list(sel, expr)
    if conditional_list is not None and len(conditional_list.open_conditions) == len(conditional_list.items) > 0:
        any_present = ir.AnyOf(conditional_list.open_conditions)
        return ir.Unary("not", any_present) if tests_emptiness else any_present
    value = select_uncopied(sel, expr)
    return ir.Unary("not", value) if tests_emptiness else ir.Unary("not", ir.Unary("not", value))


def _select_membership(sel: Selector, expr: Binary) -> ir.Value:
    """Select ``in``. A test in a zone of many components compares the component's location instead of searching the
    list.

    Example: ``x in (source where test)`` becomes ``x in source and test`` if the test can't fail.
    """
    if isinstance(expr.right, core.ReadZone):
        number = select_zone_number(sel, expr.right.zone, expr.right.indices)
        kind = expr.left.type
        if isinstance(kind, ComponentType) and sel.program.component_kinds[kind.name][1] > MAX_SEARCHED_COMPONENTS:
            return ir.Binary("=", ir.Location(sel.select_value(expr.left)), number)
        return ir.Binary("in", sel.select_value(expr.left), ir.Zone(number))
    conditional_list = match_conditional_list(sel, expr.right)
    if conditional_list is not None and isinstance(expr.left, Const) and expr.left.value in conditional_list.items:
        test = conditional_list.conditions[conditional_list.items.index(expr.left.value)]
        return ir.Const(True) if test is None else ir.AnyOf((test,))
    right = expr.right
    if isinstance(right, core.Filter) and not sel.can_fail(right.condition) and isinstance(expr.left, Const | Local):
        # ``x in (source where condition)`` is the same as ``x in source and condition`` with ``x`` as the item.
        condition = sel.lowerer.lower(right.condition, {right.slot: expr.left})
        source = Binary(expr.type, expr.span, "in", expr.left, right.source)
        return sel.select_replacement(Binary(expr.type, expr.span, "and", source, condition))
    return ir.Binary("in", sel.select_value(expr.left), sel.select_value(right))


def select_conditional(sel: Selector, expr: IfExpr) -> ir.Value:
    """Select a conditional expression as an ``ir.Choose``. Its condition is selected first, then its results."""
    # The condition comes first, as it does at run time.
    condition = sel.select_value(expr.condition)
    then = sel.select_value(expr.then)
    return ir.Choose(condition, then, sel.select_value(expr.otherwise))


# ---------------------------------------------------------------- local bindings


def select_let(sel: Selector, expr: LetIn) -> ir.Value:
    """Select a local binding: ``let x = f(a) in x * x`` becomes ``(x := f(a)) * x``.

    This binds the value at its first read, as an ``ir.Bind``. It is possible if that keeps the order of faults, and if
    the first read happens whenever another one does. A first read in the body of a loop does not, nor one in a branch
    of an ``if`` whose other branch reads the local, too. The value must not bind an outer local that is also read
    outside it. An example is ``y`` in ``let y = a in let x = -y in x + x + y``. Neither the binding nor its first read
    may be in the list that a comprehension iterates over. Otherwise a common subexpression (``expr.is_shared``) that
    can have a fault is repeated at each read. Any other value is bound before the body, as an ``ir.Let``, even if
    nothing reads it.
    """
    pending_before = dict(sel.pending_bindings)
    value = sel.select_value(expr.value)
    # Names bound in this value move with it, so no other expression may read them.
    is_alone = all(
        count_uses(expr.value, pending_slot) == pending.reads
        for pending_slot, pending in pending_before.items()
        if pending_slot not in sel.pending_bindings
    )
    sel.bounds.bind_value(expr.slot, expr.value)
    body = expr.body
    can_fail = sel.lowerer.can_fail(expr.value)
    can_bind_early = is_alone and (expr.is_shared or not can_fail or sel.lowerer.is_read_first(body, expr.slot))
    target = ir.BoundLocal(expr.slot)
    with sel.binding(expr.slot):
        is_first_certain = can_bind_at_first_read(body, expr.slot) and not _is_first_read_in_source(body, expr.slot)
        if can_bind_early and not sel.is_in_source and is_first_certain:
            sel.pending_bindings[expr.slot] = PendingBinding(value, count_uses(body, expr.slot))
            body_value = sel.select_replacement(body)
            # Otherwise the selected value left out the first read, so that the name is still unbound.
            bindings = [node.target for node in ir.walk(body_value) if isinstance(node, ir.Bind | ir.Let)]
            if any(isinstance(name, ir.BoundLocal) and name.slot == expr.slot for name in bindings):
                return body_value
            sel.pending_bindings.pop(expr.slot, None)
        # A shared value that can have a fault must not be computed before it is read, so the lowered form repeats it.
        if expr.is_shared and can_fail:
            return sel.select_replacement(sel.lowerer.lower(expr.body, {expr.slot: expr.value}))
        return ir.Let(target, value, sel.select_value(body), sel.is_in_source)


def _is_first_read_in_source(expr: Expr, slot: int) -> bool:
    """Return whether the first read of a local is in the list that a comprehension iterates over."""
    reading_children = [child for child in get_children(expr) if count_uses(child, slot)]
    if not reading_children:
        return False
    is_loop_source = isinstance(expr, ListLoop) and reading_children[0] is expr.source
    return is_loop_source or _is_first_read_in_source(reading_children[0], slot)


def select_query_call(sel: Selector, expr: QueryRoutine) -> ir.Value:
    """Select the call of a shared query as an ``ir.CallQuery`` with its arguments in order."""
    return ir.CallQuery(expr.routine.number, tuple([sel.select_value(argument) for argument in expr.args]))
