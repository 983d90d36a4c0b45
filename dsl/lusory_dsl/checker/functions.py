"""Calls of built-in functions: their arguments by the rows of the table, type variables included."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.rows import AnyType, Builtin
from ..language.types import NOTHING, ListType, NoneType, NothingType, OptionalType, Type, optional
from ..text import codes
from ..text.diagnostics import did_you_mean
from ..text.source import Span
from ..text.spelling import listed
from .routine import Routine, faulty, is_faulty
from .values import expect, expression, fit, list_value


def function_call(r: Routine, row: Builtin, node: nodes.Call, expected: Type | None) -> core.Expr:
    """A call of a function of the table; its type variable is found from the arguments, left to right."""
    takes = f"it is written `{row.signature}`"
    names = [p.name for p in row.params]
    given: dict[str, nodes.Expr] = {}
    for position, arg in enumerate(node.args):
        name = arg.name if arg.name is not None else names[position] if position < len(names) else ""
        if name not in names and arg.name is not None:
            hint = did_you_mean(name, names) or takes
            r.error(codes.UNKNOWN_PARAMETER, f"`{row.name}` has no parameter `{name}`", arg.span, hint)
            return faulty(node.span)
        if name not in names or name in given:
            what = f"`{name}` is given twice" if name in given else f"`{row.name}` is given too many arguments"
            return r.error(codes.WRONG_ARGUMENTS, what, arg.span, takes)
        given[name] = arg.value
    missing = [name for name in names if name not in given]
    if missing:
        message = f"`{row.name}` is called without {listed(missing)}"
        return r.error(codes.WRONG_ARGUMENTS, message, node.span, takes)
    return _apply(r, row, [given[name] for name in names], node.span, expected)


def _apply(r: Routine, row: Builtin, args: list[nodes.Expr], span: Span, expected: Type | None) -> core.Expr:
    """A row applied to its arguments."""
    variable: Type | None = None
    values: list[core.Expr] = []
    if expected is not None and row.type is not None and args:
        variable = _solve(row.type, expected)
    for param, arg in zip(row.params, args, strict=True):
        role = f"for `{param.name}` of `{row.name}`"
        if not _is_generic(param.type):
            values.append(expect(r, arg, param.type, role))
            continue
        wanted = filled(param.type, variable) if variable is not None else None
        value = list_value(r, arg, wanted) if isinstance(param.type, ListType) else expression(r, arg, wanted)
        found = _solve(param.type, value.type)
        if isinstance(param.type, ListType):
            variable = found or variable
        elif variable is not None:
            value = fit(r, value, variable, role)
        values.append(value)
    if any(is_faulty(v) for v in values):
        return faulty(span)
    assert row.type is not None
    return core.CallBuiltin(filled(row.type, variable or NOTHING), span, row.name, tuple(values))


def _is_generic(type: Type) -> bool:
    return isinstance(type.item, AnyType) if isinstance(type, ListType) else isinstance(type, AnyType)


def filled(type: Type, variable: Type) -> Type:
    """The type of a row with its variable replaced."""
    if isinstance(type, AnyType):
        return variable
    if isinstance(type, OptionalType):
        return optional(filled(type.item, variable))
    return ListType(filled(type.item, variable)) if isinstance(type, ListType) else type


def _solve(pattern: Type, actual: Type) -> Type | None:
    """What the type variable of a pattern is, seeing the actual type."""
    if isinstance(pattern, AnyType):
        return None if isinstance(actual, NothingType | NoneType) else actual
    if isinstance(pattern, OptionalType) and isinstance(actual, OptionalType):
        return _solve(pattern.item, actual.item)
    if isinstance(pattern, ListType) and isinstance(actual, ListType):
        return _solve(pattern.item, actual.item)
    return None
