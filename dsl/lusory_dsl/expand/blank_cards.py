"""The pass of blank cards: a keyword is asked of those that are not blank."""

from __future__ import annotations

from .. import core
from ..core.origin import BLANK_CARDS, Origin
from ..core.sugar import BlankableKeyword, Sugar
from ..language.types import BOOL
from ..text.records import replace


def blank_cards(program: core.Program, sugar: Sugar) -> core.Program:
    """A program in which a blank card has no keyword, whatever rules make of it."""
    queries = dict(program.queries)
    for keyword in sugar.keywords:
        query = queries[keyword.query]
        if query.modifiers or keyword.is_printed:  # else no card has it anyway
            queries |= _unless_blank(query, keyword)
    return replace(program, queries=queries)


def _unless_blank(query: core.Query, keyword: BlankableKeyword) -> dict[str, core.Query]:
    """A keyword as cards have it that can be blank, and with all that rules make of it, of those that are not."""
    (this,), span = query.params, query.value.span
    card = core.Local(this.type, span, this.slot, this.name)
    origin = Origin(BLANK_CARDS, query.name, "given")
    given = replace(query, name=f"{query.name} unless blank", origin=origin)
    made = Origin(BLANK_CARDS, query.name, "blank")
    blank = core.CallQuery(BOOL, span, f"{keyword.kind}.blank", (card,), origin=made)
    nothing = core.Const(query.type, span, keyword.nothing)
    value = core.IfExpr(query.type, span, blank, nothing, core.CallQuery(query.type, span, given.name, (card,)))
    return {query.name: replace(query, n_slots=1, value=value, modifiers=()), given.name: given}
