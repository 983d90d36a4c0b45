"""Check literals and operators."""

from __future__ import annotations

from .. import core
from ..source import diagnostic_codes as codes
from ..source.source import prepend_article
from ..syntax import ast
from ..types.types import BOOL, INT, NONE, ListType, NoneType, NothingType, OptionalType, Type, join
from .coercions import (
    check_condition,
    check_expected,
    check_expression,
    check_list,
    check_together,
    convert_to,
    depends_on_expected,
    get_item_type,
    join_types,
    suggest_conversion,
)
from .context import Routine, is_faulty, make_faulty
from .symbol_table import PoolSymbol, Reference
from .variable_and_zone_access import make_pool_kinds, make_pool_total, read_place


def check_literal(routine: Routine, node: ast.IntLit | ast.BoolLit, expected: Type | None) -> core.Expr:
    """Check a number, ``true`` or ``false``, and return it as a Const of the type Int or Bool."""
    return core.Const(INT if isinstance(node, ast.IntLit) else BOOL, node.span, node.value)


def check_none(routine: Routine, node: ast.NoneLit, expected: Type | None) -> core.Expr:
    """Check ``none``, and return it as a Const of a type of its own."""
    return core.Const(NONE, node.span, None)


def check_list_literal(routine: Routine, node: ast.ListLit, expected: Type | None) -> core.Expr:
    """Check a list literal.

    Returns a ListLit with the items in order, or a faulty expression if any item is faulty. Its items must share a
    type; ``none`` makes it optional: ``[none, 3]`` is a list of ``Int?``, but ``[none]`` has the item type NONE. The
    first item that does not fit those before it is reported as NEVER_EQUAL, and the result is faulty, too. An empty
    list has the item type NOTHING, which fits everywhere. The item type of ``expected`` chooses the meaning of a
    name that several enums have, or an enum and a card. Without it, the type of the other items does so: ``[red,
    A.blue]`` has two values of ``A``, and so has ``[wolf, A.red]`` if ``wolf`` is a card and a value of ``A``. The
    items need not have the expected type.
    """
    expected_item = expected.item if isinstance(expected, ListType) else None
    items = check_together(routine, node.items, expected_item)
    type = join_types(routine, items, "stand in one list")
    if type is None or any(map(is_faulty, items)):
        return make_faulty(node.span)
    return core.ListLit(ListType(type), node.span, tuple(items))


def check_unary(routine: Routine, node: ast.Unary, expected: Type | None) -> core.Expr:
    """Check ``not`` (Bool) and unary minus (Int), and return a Unary, whatever type is ``expected``.

    Minus of a Const gives a Const instead: ``-5`` is the Const -5. An operand of the wrong type is reported, and the
    Unary gets a faulty operand.
    """
    if node.op == "not":
        return core.Unary(BOOL, node.span, "not", check_expected(routine, node.operand, BOOL, "after `not`"))
    operand = check_expected(routine, node.operand, INT, "after `-`")
    if isinstance(operand, core.Const) and isinstance(operand.value, int):
        return core.Const(INT, node.span, -operand.value)
    return core.Unary(INT, node.span, "-", operand)


def check_binary(routine: Routine, node: ast.Binary, expected: Type | None) -> core.Expr:
    """Check a binary operator.

    ``+`` adds two numbers, or joins two lists: then the result has the operator ``join``. ``a..b`` gives a Range, which
    includes both ends. ``x not in xs`` gives a Unary ``not`` of a Binary ``in``. After ``and`` and ``or``, the right
    side knows whether the left one holds. An operand of the wrong type, such as ``true`` in ``true + 1``, is reported
    and becomes faulty. Lists without a common type give a faulty expression after a report. So does a value that is no
    list, such as an ``Int?``, beside ``union``, ``except`` or ``intersect``. To the right of ``in``, and of ``+``
    behind a list, a value that may be missing becomes a list of one item or of no item. A comparison of values that are
    never equal, such as ``1 = true`` or ``1 in [true]``, is reported and returned.
    """
    op = node.op
    role = f"beside `{op}`"
    if op in ("and", "or"):
        with routine.restore_narrowing():
            left = check_expected(routine, node.left, BOOL, role)
            routine.narrow(left, op == "and")
            right = check_expected(routine, node.right, BOOL, role)
        return core.Binary(BOOL, node.span, op, left, right)
    if op in ("=", "!="):
        return _check_equality(routine, node)
    if op in ("in", "not in"):
        return _check_membership(routine, node)
    if op in ("union", "except", "intersect"):
        return _check_set_operation(routine, node, op, expected)
    if op == "+":
        left = check_expression(routine, node.left, expected)
        if isinstance(left.type, ListType):
            right = check_list(routine, node.right, left.type)
            return _make_list_operation(routine, node, "join", left, right)
        right = check_expected(routine, node.right, INT, role)
        return core.Binary(INT, node.span, op, convert_to(routine, left, INT, role), right)
    left, right = check_expected(routine, node.left, INT, role), check_expected(routine, node.right, INT, role)
    if op == "..":
        return core.Range(ListType(INT), node.span, left, right)
    return core.Binary(BOOL if op in ("<", "<=", ">", ">=") else INT, node.span, op, left, right)


def _check_equality(routine: Routine, node: ast.Binary) -> core.Expr:
    left, right = check_together(routine, (node.left, node.right), None)
    if not (is_faulty(left) or is_faulty(right)):
        _check_comparable(routine, node, left, right)
        _warn_about_first_copy(routine, node.right, node.left, left, node.op)
        _warn_about_first_copy(routine, node.left, node.right, right, node.op)
    return core.Binary(BOOL, node.span, node.op, left, right)


def _warn_about_first_copy(
    routine: Routine, card: ast.Expr, node: ast.Expr, other_value: core.Expr, op: str = "in"
) -> None:
    """Warn about a comparison with the name of a card that has copies. The name means only the first copy."""
    copies = 1
    if isinstance(card, ast.Name) and routine.locals.find(card.name) is None:
        copies = routine.names.copies.get(card.name, 1)
    is_original = isinstance(other_value, core.Field) and other_value.field == "original"
    if copies == 1 or is_original or isinstance(other_value, core.Const):
        return
    assert isinstance(card, ast.Name)
    text = node.span.line_text
    card_text = text if isinstance(node, ast.Name | ast.Member | ast.Index | ast.Call) else f"({text})"
    message = f"the card `{card.name}` is only the first of {copies} copies"
    tests = {"=": f"{card_text} is any {card.name}", "!=": f"{card_text} is not any {card.name}"}
    test = tests.get(op, f"{card_text}.original")
    hint = f"write `{test}` to compare with any copy, or `{card.name}.copies.first` if you mean this one"
    routine.report.add(codes.FIRST_COPY, message, card.span, hint)


def _check_comparable(routine: Routine, node: ast.Binary, left: core.Expr, right: core.Expr) -> None:
    """Report a comparison of types that share no value, and of ``none`` with a value that is never ``none``."""
    if join(left.type, right.type) is None:
        hint = suggest_conversion(routine, right, left.type) or suggest_conversion(routine, left, right.type)
        left_type, right_type = prepend_article(f"`{left.type}`"), prepend_article(f"`{right.type}`")
        message = f"{left_type} is compared with {right_type}: they are never equal"
        routine.report_error(codes.NEVER_EQUAL, message, node.span, hint)
        return
    for value, other_value in ((left, right), (right, left)):
        # The type of a local may be narrowed here: a test that is superfluous only for that reason is allowed.
        local = routine.locals.find(value.name) if isinstance(value, core.Local) else None
        declared_type = value.type if local is None else local.type
        if isinstance(other_value.type, NoneType) and not isinstance(declared_type, OptionalType | NoneType):
            message = f"this is {prepend_article(f'`{value.type}`')}, which is never `none`"
            routine.report_error(codes.NEVER_EQUAL, message, value.span)


def _check_membership(routine: Routine, node: ast.Binary) -> core.Expr:
    """Check ``in`` and ``not in``: whether a list contains an item. Returns a Bool.

    Reports an item of a type that the list never holds, and warns about names of cards that have copies.
    """
    if depends_on_expected(routine, node.right) and not depends_on_expected(routine, node.left):
        left = check_expression(routine, node.left)
        right = check_list(routine, node.right, ListType(left.type))
    else:
        right = check_list(routine, node.right)
        left = check_expression(routine, node.left, get_item_type(right))
    if join(left.type, get_item_type(right)) is None:
        message = f"{prepend_article(f'`{left.type}`')} is looked for in a `{right.type}`: it is never there"
        hint = suggest_conversion(routine, left, get_item_type(right))
        routine.report_error(codes.NEVER_EQUAL, message, node.span, hint)
    if isinstance(node.right, ast.ListLit) and not is_faulty(left):
        for item in node.right.items:
            _warn_about_first_copy(routine, item, node.left, left)
    test = core.Binary(BOOL, node.span, "in", left, right)
    return core.Unary(BOOL, node.span, "not", test) if node.op == "not in" else test


def _check_set_operation(routine: Routine, node: ast.Binary, op: str, expected: Type | None) -> core.Expr:
    left, right = check_together(routine, (node.left, node.right), expected)
    for value in (left, right):
        if not is_faulty(value) and not isinstance(value.type, ListType):
            message = f"a list is needed beside `{op}`, but this is {prepend_article(f'`{value.type}`')}"
            routine.report_error(codes.WRONG_TYPE, message, value.span, "one item as a list: `[item]`")
            return make_faulty(node.span)
    return _make_list_operation(routine, node, op, left, right)


def _make_list_operation(routine: Routine, node: ast.Binary, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
    common_type = join(left.type, right.type)
    if common_type is None:
        message = f"a `{left.type}` and a `{right.type}` have no item in common"
        return routine.report_error(codes.NEVER_EQUAL, message, node.span)
    return core.Binary(common_type if op in ("union", "join") else left.type, node.span, op, left, right)


def check_is_empty(routine: Routine, node: ast.IsEmpty, expected: Type | None) -> core.Expr:
    """Check ``is empty`` or ``is not empty`` for a list, zone or pool.

    Returns a Binary that compares with ``= 0`` or ``!= 0``: a ``count`` of the items, or the PoolTotal of a pool. For
    an unlimited pool, it compares a ``count`` of its PoolKinds. A faulty value stays in the ``count``. Any other value
    is reported, and the result is faulty.
    """
    subject = routine.check_operand(node.subject)
    if isinstance(subject, Reference) and subject.is_pool:
        size = make_pool_total(routine, subject, node.subject.span)
        if isinstance(subject.symbol, PoolSymbol) and subject.symbol.is_unlimited:
            size = _make_size(make_pool_kinds(routine, subject, node.subject.span))
    else:
        value = read_place(routine, subject) if isinstance(subject, Reference) else subject
        if not is_faulty(value) and not isinstance(value.type, ListType):
            hint = "compare it with `none`" if isinstance(value.type, OptionalType) else None
            message = f"only lists, zones and pools can be empty, but this is {prepend_article(f'`{value.type}`')}"
            return routine.report_error(codes.WRONG_TYPE, message, node.subject.span, hint)
        size = _make_size(value)
    zero = core.Const(INT, node.span, 0)
    return core.Binary(BOOL, node.span, "!=" if node.is_negated else "=", size, zero)


def _make_size(value: core.Expr) -> core.Expr:
    return core.CallBuiltin(INT, value.span, "count", (value,))


def check_conditional(routine: Routine, node: ast.IfExpr, expected: Type | None) -> core.Expr:
    """Check ``if … then … else …``.

    Both values must share a type; ``none`` and a value share the optional type. The condition narrows types of locals
    in both: in ``if x is none then 0 else x``, the last ``x`` is not optional.
    ``expected`` only chooses between enums, or an enum and cards, that share the name of a value. The result may have
    another type. Without it, the type of one value is expected of the other.
    Returns an IfExpr, in which a faulty condition or value stays. Two values without a common type are reported as
    NEVER_EQUAL, and give a faulty expression.
    """
    condition = check_condition(routine, node.condition)
    expected_type = expected
    values: dict[bool, core.Expr] = {}
    for branch in (False, True) if depends_on_expected(routine, node.then) else (True, False):
        with routine.restore_narrowing():
            routine.narrow(condition, branch)
            value = values[branch] = check_expression(routine, node.then if branch else node.otherwise, expected_type)
        if expected_type is None and not isinstance(value.type, NothingType | NoneType):
            expected_type = value.type
    type = join_types(routine, (values[True], values[False]), "be the two sides of one `if`")
    if type is None:
        return make_faulty(node.span)
    return core.IfExpr(type, node.span, condition, values[True], values[False])
