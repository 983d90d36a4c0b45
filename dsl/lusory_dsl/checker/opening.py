"""Windows that open, and answers that cancel what opened them."""

from __future__ import annotations

from .. import core
from ..core.kept import CANCELLED, kept_name
from ..core.origin import WINDOWS, Origin
from ..effect import nodes
from ..language.types import BOOL
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.spelling import article
from .arguments import arguments
from .call_graph import Owner
from .names import BrokenSymbol, WindowSymbol
from .queries import owner_of
from .routine import Routine


def open_window(r: Routine, node: nodes.Open) -> list[core.Stmt]:
    """A window opens: whoever may answer is asked before the block, which an answer can cancel."""
    callee = node.call.callee
    assert isinstance(callee, nodes.Name)
    opened = _opened(r, callee, node.call)
    body, otherwise = r.block(node.body or ()), r.block(node.otherwise)
    if opened is None:
        return []
    if not body and not otherwise:
        return [opened]
    cancelled = core.ReadCell(BOOL, node.span, kept_name(callee.name, CANCELLED), ())
    happens = core.Unary(BOOL, node.span, "not", cancelled)
    return [opened, core.If(node.span, ((happens, body),), otherwise, origin=Origin(WINDOWS, part="happens"))]


def _opened(r: Routine, name: nodes.Name, call: nodes.Call) -> core.Stmt | None:
    """The opening of a window, or None after a report."""
    symbol = r.names.symbols.get(name.name)
    if not isinstance(symbol, WindowSymbol):
        for argument in call.args:
            r.operand(argument.value)
        if not isinstance(symbol, BrokenSymbol):
            hint = did_you_mean(name.name, r.names.named(WindowSymbol)) or "declare it under `windows`"
            notes = [(symbol.span, "declared here")] if symbol is not None else []
            what = f"`{name.name}` is {article(symbol.what)}" if symbol else f"there is no window `{name.name}`"
            code = codes.UNKNOWN_NAME if symbol is None else codes.VALUE_AS_STATEMENT
            message = f"{what}; only windows are opened" if symbol else what
            r.error(code, message, name.span, hint, notes, about_name(name.name))
        return None
    owner = owner_of(r, symbol, None, name.span)
    values = arguments(r, symbol, symbol.params, call.args, call.span)
    r.use(symbol, name.span)
    r.notes.graph.call(r.owner, Owner("window", name.name), name.span)
    return None if values is None else core.CallEffect(call.span, name.name, (*owner, *values))


def cancel(r: Routine, node: nodes.Cancel) -> list[core.Stmt]:
    """What opened the window does not happen."""
    if r.window is None:
        hint = "it stands in the `do` of an action that a window lists under `actions`"
        r.error(codes.CANCEL_OUTSIDE_ANSWER, "there is nothing to cancel here", node.span, hint)
        return []
    yes = core.Const(BOOL, node.span, True)
    return [core.SetCell(node.span, kept_name(r.window.name, CANCELLED), (), "set", yes)]
