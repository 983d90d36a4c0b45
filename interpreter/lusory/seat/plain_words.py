"""Conditions and lists in words for players: labels in place of names, no signs of the effect language.

What is read is read through a seat's eyes. What has no words for players has none: code is never shown."""

from __future__ import annotations

from lusory_dsl import core
from lusory_dsl.language.types import ListType
from lusory_dsl.text.spelling import humanised
from lusory_dsl.wording.words import LEADING_ON

from ..reading.reader import Reader, Slots
from ..table.choices import RulesetFault
from ..table.events import place_label
from ..table.setting import item_type
from .sight import Hidden

COMPARED = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
    "in": "is among",
}
LONGEST = 120  # characters


class _NoWords(Exception):
    """An expression can't be told in words for players."""


def plain_words(reader: Reader, expr: core.Expr, slots: Slots) -> str | None:
    """An expression as a player reads it; None where only its author could."""
    try:
        words = _said(reader, expr, slots, 3)
    except _NoWords:
        return None
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rstrip()}…"


def _said(reader: Reader, expr: core.Expr, slots: Slots, depth: int) -> str:
    """``depth``: so many expressions deep it is looked."""
    if depth < 0:
        raise _NoWords

    def said(inner: core.Expr) -> str:
        return _said(reader, inner, slots, depth - 1)

    match expr:
        case core.Const() | core.Local():
            return _value(reader, expr, slots)
        case core.ReadCell(place=name, indices=indices) if name in reader.program.pools:
            kind = _value(reader, indices[-1], slots)
            return f"{kind} in {_place(reader, name, indices[:-1], slots)}"
        case core.ReadCell(place=name, indices=indices) | core.ReadZone(zone=name, indices=indices):
            return _place(reader, name, indices, slots)
        case core.PoolTotal(zone=name, indices=indices) | core.PoolKinds(zone=name, indices=indices):
            return _place(reader, name, indices, slots)
        case core.Field(component=component, field=field):
            return f"{humanised(field)} of {said(component)}"
        case core.CallQuery(query=query, args=args):
            some = next((arg for arg in args if isinstance(arg.type, ListType)), None)
            if some is not None and isinstance(expr.type, ListType):
                return said(some)  # it selects of these, in a way that only authors have a name for
            about = ", ".join(map(said, args))
            name = humanised(query.rpartition(".")[2])
            leads_on = name.rpartition(" ")[2] in LEADING_ON
            return name if not about else f"{name} {about}" if leads_on else f"{name} of {about}"
        case core.CallBuiltin(name="count", args=(counted,)):
            return f"the number of {said(counted)}"
        case core.Filter(source=source):
            return f"those of {said(source)} that fit"
        case core.Range(low=low, high=high):
            return f"{said(low)} to {said(high)}"
        case core.Unary(op="not", operand=operand):
            return f"not: {said(operand)}"
        case core.Binary(op="and" | "or" as op, left=left, right=right):
            return f"{said(left)} {op} {said(right)}"
        case core.Binary(op=op, left=left, right=right) if op in COMPARED:
            return f"{said(left)} {COMPARED[op]} {said(right)}"
        case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
            try:
                return said(then if reader.holds(condition, slots) else otherwise)
            except (Hidden, RulesetFault):
                raise _NoWords from None
        case core.LiesIn(component=component, zone=zone):
            return f"{said(component)} lies in {reader.program.place(zone).label or humanised(zone)}"
    raise _NoWords


def _value(reader: Reader, expr: core.Expr, slots: Slots) -> str:
    try:
        value = reader.value(expr, slots)
        return reader.label(value, item_type(expr.type) if not isinstance(value, tuple) else expr.type)
    except (Hidden, RulesetFault):
        if isinstance(expr, core.Local):
            return humanised(expr.name)
        raise _NoWords from None


def _place(reader: Reader, name: str, indices: tuple[core.Expr, ...], slots: Slots) -> str:
    try:
        return place_label(reader.setting, name, tuple(reader.present(index, slots) for index in indices))
    except (Hidden, RulesetFault):
        return reader.program.place(name).label or humanised(name)
