"""The pass of spans: conditions that must hold without a gap.

A span is a Bool variable. Behind each statement that may change what its condition reads, an effect of its name is
called that lets it fall where the condition does not hold: engines need to know nothing of spans.
"""

from __future__ import annotations

from .. import core
from ..core.accesses import Block, read_by, written_by
from ..core.origin import SPANS, Origin
from ..core.sugar import LastingCondition, Sugar
from ..language.types import BOOL, PLAYER, ListType
from ..text.records import replace
from . import bodies


def spans(program: core.Program, sugar: Sugar) -> core.Program:
    """A program in which spans fall as soon as their conditions fail."""
    if not sugar.spans:
        return program
    queries, zones = program.queries, program.zones
    watched = [(span.name, read_by(queries[span.holds].value, queries, zones)) for span in sugar.spans]

    def watching(block: Block) -> Block:
        """The statements of a block, each with the checks of the spans that it may let fall."""
        found: list[core.Stmt] = []
        for stmt in block:
            written = written_by(stmt, zones)
            found.append(core.rebuilt(stmt, watching))
            found += [
                core.CallEffect(stmt.span, name, (), origin=Origin(SPANS, name))
                for name, read in watched
                if written & read
            ]
        return tuple(found)

    falling = {span.name: _falling(program.variables[span.name], span) for span in sugar.spans}
    woven = bodies.of_program(program, watching)
    return replace(woven, effects=woven.effects | falling)


def _falling(variable: core.Variable, span: LastingCondition) -> core.Effect:
    """The effect that lets a span fall."""
    place, made = span.span, Origin(SPANS, span.name, "falls")
    me: tuple[core.Expr, ...] = (core.Local(PLAYER, place, 0, "me"),) if variable.dims else ()
    lasts = core.ReadCell(BOOL, place, span.name, me)
    holds = core.CallQuery(BOOL, place, span.holds, me)
    falls = core.Binary(BOOL, place, "and", lasts, core.Unary(BOOL, place, "not", holds))
    fall = (core.SetCell(place, span.name, me, "set", core.Const(BOOL, place, False), origin=made),)
    body: core.Stmt = core.If(place, ((falls, fall),), (), origin=made)
    if me:
        body = core.ForEach(place, 0, "me", core.Players(ListType(PLAYER), place), falls, fall, origin=made)
    return core.Effect(span.name, False, (), len(me), (body,), origin=made)
