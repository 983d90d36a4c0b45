"""Check literals and operators."""

from __future__ import annotations

from .. import core
from ..source import diagnostic_codes
from ..source.source import article
from ..syntax import ast
from ..types.types import BOOL, INT, NONE, ListType, NoneType, NothingType, OptionalType, Type, join
from .assignable_places import pool_kinds, pool_total, read
from .board_members import never_there
from .coercions import (
    expect,
    expression,
    fit,
    is_open,
    item_type,
    joined,
    list_value,
    mend,
    together,
    written_condition,
)
from .context import Routine, faulty, is_faulty
from .symbols import Reference


def number(r: Routine, node: ast.IntLit, expected: Type | None) -> core.Expr:
    """Check a number literal."""
    return core.Const(INT, node.span, node.value)


def truth(r: Routine, node: ast.BoolLit, expected: Type | None) -> core.Expr:
    """Check ``true`` or ``false``."""
    return core.Const(BOOL, node.span, node.value)


def nothing(r: Routine, node: ast.NoneLit, expected: Type | None) -> core.Expr:
    """Check ``none``."""
    return core.Const(NONE, node.span, None)


def list_literal(r: Routine, node: ast.ListLit, expected: Type | None) -> core.Expr:
    """Check a list literal. Its items must share a type."""
    wanted = expected.item if isinstance(expected, ListType) else None
    items = together(r, node.items, wanted)
    type = joined(r, items, "stand in one list")
    if type is None or any(map(is_faulty, items)):
        return faulty(node.span)
    return core.ListLit(ListType(type), node.span, tuple(items))


def unary(r: Routine, node: ast.Unary, expected: Type | None) -> core.Expr:
    """Check ``not`` (Bool) and unary minus (Int). Minus of a constant becomes a constant."""
    if node.op == "not":
        return core.Unary(BOOL, node.span, "not", expect(r, node.operand, BOOL, "after `not`"))
    operand = expect(r, node.operand, INT, "after `-`")
    if isinstance(operand, core.Const) and isinstance(operand.value, int):
        return core.Const(INT, node.span, -operand.value)
    return core.Unary(INT, node.span, "-", operand)


def binary(r: Routine, node: ast.Binary, expected: Type | None) -> core.Expr:
    """Check a binary operator."""
    op = node.op
    role = f"beside `{op}`"
    if op in ("and", "or"):
        with r.narrowing():
            left = expect(r, node.left, BOOL, role)
            r.assume(left, op == "and")
            right = expect(r, node.right, BOOL, role)
        return core.Binary(BOOL, node.span, op, left, right)
    if op in ("=", "!="):
        return _equality(r, node)
    if op in ("in", "not in"):
        return _membership(r, node)
    if op in ("union", "except", "intersect"):
        return _set_operation(r, node, op, expected)
    if op == "+":
        left = expression(r, node.left, expected)
        if isinstance(left.type, ListType):
            right = list_value(r, node.right, left.type)
            return _list_operation(r, node, "join", left, right)
        right = expect(r, node.right, INT, role)
        return core.Binary(INT, node.span, op, fit(r, left, INT, role), right)
    left, right = expect(r, node.left, INT, role), expect(r, node.right, INT, role)
    if op == "..":
        return core.Range(ListType(INT), node.span, left, right)
    return core.Binary(BOOL if op in ("<", "<=", ">", ">=") else INT, node.span, op, left, right)


def _equality(r: Routine, node: ast.Binary) -> core.Expr:
    left, right = together(r, (node.left, node.right), None)
    if not (is_faulty(left) or is_faulty(right)):
        _comparable(r, node, left, right)
        _first_copy(r, node.right, node.left, left)
        _first_copy(r, node.left, node.right, right)
        never_there(r, node.op, left, right)
        never_there(r, node.op, right, left)
    return core.Binary(BOOL, node.span, node.op, left, right)


def _first_copy(r: Routine, card: ast.Expr, node: ast.Expr, other: core.Expr) -> None:
    """Warn about a comparison with the name of a card that has copies. The name means only the first copy."""
    copies = 1
    if isinstance(card, ast.Name) and r.locals.find(card.name) is None:
        copies = r.names.copies.get(card.name, 1)
    is_original = isinstance(other, core.Field) and other.field == "original"
    if copies == 1 or is_original or isinstance(other, core.Const):
        return
    assert isinstance(card, ast.Name)
    text = " ".join(node.span.source.text[node.span.start : node.span.end].split())
    asked = text if isinstance(node, ast.Name | ast.Member | ast.Index | ast.Call) else f"({text})"
    message = f"`{card.name}` is the first of {copies} copies, and the others are not meant"
    hint = f"write `{asked}.original` to ask for any copy, or `{card.name}.copies.first` if this one is meant"
    r.report.add(diagnostic_codes.FIRST_COPY, message, card.span, hint)


def _comparable(r: Routine, node: ast.Binary, left: core.Expr, right: core.Expr) -> None:
    if join(left.type, right.type) is None:
        hint = mend(r, right, left.type) or mend(r, left, right.type)
        r.error(
            diagnostic_codes.NEVER_EQUAL,
            f"{article(f'`{left.type}`')} is compared with {article(f'`{right.type}`')}: they are never equal",
            node.span,
            hint,
        )
        return
    for value, other in ((left, right), (right, left)):
        if isinstance(other.type, NoneType) and not _ever_none(r, value):
            r.error(
                diagnostic_codes.NEVER_EQUAL, f"this is {article(f'`{value.type}`')}, which is never `none`", value.span
            )


def _ever_none(r: Routine, value: core.Expr) -> bool:
    if isinstance(value, core.Local):
        local = r.locals.find(value.name)
        return local is None or isinstance(local.type, OptionalType | NoneType)
    return isinstance(value.type, OptionalType | NoneType)


def _membership(r: Routine, node: ast.Binary) -> core.Expr:
    if is_open(r, node.right) and not is_open(r, node.left):
        left = expression(r, node.left)
        right = list_value(r, node.right, ListType(left.type))
    else:
        right = list_value(r, node.right)
        left = expression(r, node.left, item_type(right))
    if not (is_faulty(left) or is_faulty(right)) and join(left.type, item_type(right)) is None:
        message = f"{article(f'`{left.type}`')} is looked for in a `{right.type}`: it is never there"
        r.error(diagnostic_codes.NEVER_EQUAL, message, node.span, mend(r, left, item_type(right)))
    if isinstance(node.right, ast.ListLit) and not is_faulty(left):
        for item in node.right.items:
            _first_copy(r, item, node.left, left)
    found = core.Binary(BOOL, node.span, "in", left, right)
    return core.Unary(BOOL, node.span, "not", found) if node.op == "not in" else found


def _set_operation(r: Routine, node: ast.Binary, op: str, expected: Type | None) -> core.Expr:
    left, right = together(r, (node.left, node.right), expected)
    for value in (left, right):
        if not is_faulty(value) and not isinstance(value.type, ListType):
            message = f"a list is needed beside `{op}`, this is {article(f'`{value.type}`')}"
            r.error(diagnostic_codes.WRONG_TYPE, message, value.span, "one item as a list: `[item]`")
            return faulty(node.span)
    return _list_operation(r, node, op, left, right)


def _list_operation(r: Routine, node: ast.Binary, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
    if is_faulty(left) or is_faulty(right):
        return faulty(node.span)
    both = join(left.type, right.type)
    if both is None:
        message = f"a `{left.type}` and a `{right.type}` have no item in common"
        return r.error(diagnostic_codes.NEVER_EQUAL, message, node.span)
    return core.Binary(both if op in ("union", "join") else left.type, node.span, op, left, right)


def is_empty(r: Routine, node: ast.IsEmpty, expected: Type | None) -> core.Expr:
    """Check ``is empty`` for a list, zone or pool. An unlimited pool is empty if it has no kinds."""
    subject = r.operand(node.subject)
    if isinstance(subject, Reference) and subject.is_pool:
        unlimited = getattr(subject.symbol, "unlimited", False)
        if unlimited:
            size: core.Expr = _size(pool_kinds(r, subject, node.subject.span))
        else:
            size = pool_total(r, subject, node.subject.span)
    else:
        value = read(r, subject) if isinstance(subject, Reference) else subject
        if not is_faulty(value) and not isinstance(value.type, ListType):
            hint = "compare it with `none`" if isinstance(value.type, OptionalType) else None
            message = f"only lists, zones and pools can be empty, this is {article(f'`{value.type}`')}"
            return r.error(diagnostic_codes.WRONG_TYPE, message, node.subject.span, hint)
        size = _size(value)
    zero = core.Const(INT, node.span, 0)
    return core.Binary(BOOL, node.span, "!=" if node.negated else "=", size, zero)


def _size(value: core.Expr) -> core.Expr:
    return core.CallBuiltin(INT, value.span, "count", (value,))


def conditional(r: Routine, node: ast.IfExpr, expected: Type | None) -> core.Expr:
    """Check ``if … then … else …``. Both values must share a type."""
    condition = written_condition(r, node.condition)
    wanted = expected
    found: dict[bool, core.Expr] = {}
    for branch in (False, True) if is_open(r, node.then) else (True, False):
        with r.narrowing():
            r.assume(condition, branch)
            value = found[branch] = expression(r, node.then if branch else node.otherwise, wanted)
        if wanted is None and not isinstance(value.type, NothingType | NoneType):
            wanted = value.type
    type = joined(r, (found[True], found[False]), "be the two sides of one `if`")
    if type is None:
        return faulty(node.span)
    return core.IfExpr(type, node.span, condition, found[True], found[False])
