"""Regions of boards: what hangs together, and in how many parts."""

from __future__ import annotations

from .. import core
from ..effect import nodes
from ..language.types import INT, EnumType, ListType
from ..text import codes
from .routine import Routine, faulty, is_faulty
from .spaces import board_of
from .values import expression, fit, item_type, list_value

REGIONS = {"group": "group(s, among: xs)", "groups": "groups(xs)"}
"""The functions, and how each is written."""


def region(r: Routine, name: str, node: nodes.Call) -> core.Expr:
    """``group(s, among: xs)``: those of ``xs`` that hang together with a space, or a list of them; ``groups(xs)``: of
    how many such parts they consist. ``corners: true``: a corner is enough."""
    given = _arguments(r, name, node)
    if given is None:
        return faulty(node.span)
    start, spaces, corners = given
    among = list_value(r, spaces)
    if is_faulty(among):
        return among
    board = board_of(r, item_type(among))
    if board is None:
        message = f"`{name}` is asked of spaces of a board, these are a `{among.type}`"
        return r.error(codes.WRONG_TYPE, message, among.span, "`reach(… for x from …)` goes through other values")
    own = EnumType(board.name)
    among = fit(r, among, ListType(own), f"in `{name}`")
    begin = None
    if start is not None:
        begin = expression(r, start, own)
        if not isinstance(begin.type, ListType):
            begin = core.ListLit(ListType(own), begin.span, (fit(r, begin, own, f"in `{name}`"),))
        begin = fit(r, begin, ListType(own), f"in `{name}`")
        if is_faulty(begin):
            return begin
    r.notes.used.add(board.name)
    touching = f"{board.name}.{'around' if corners else 'beside'}"
    return core.Region(INT if begin is None else ListType(own), node.span, touching, among, begin)


def _arguments(r: Routine, name: str, node: nodes.Call) -> tuple[nodes.Expr | None, nodes.Expr, bool] | None:
    """The space, the spaces, and whether corners count; None after a report."""
    names = ["s", "among", "corners"] if name == "group" else ["among", "corners"]
    given: dict[str, nodes.Expr] = {}
    for position, arg in enumerate(node.args):
        param = arg.name or (names[position] if position < len(names) - 1 else "")
        if param not in names or param in given:
            r.error(codes.WRONG_ARGUMENTS, f"`{name}` takes no such argument", arg.span, f"write `{REGIONS[name]}`")
            return None
        given[param] = arg.value
    missing = [param for param in names[:-1] if param not in given]
    if missing:
        r.error(codes.WRONG_ARGUMENTS, f"`{name}` lacks `{missing[0]}`", node.span, f"write `{REGIONS[name]}`")
        return None
    corners = given.get("corners")
    if corners is not None and not isinstance(corners, nodes.BoolLit):
        r.error(codes.WRONG_ARGUMENTS, "`corners` is `true` or `false`", corners.span)
        return None
    return given.get("s"), given["among"], corners is not None and corners.value
