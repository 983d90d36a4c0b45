"""Splits: an amount divided among the items of a list. A part of the checker.

A split becomes a loop with a choice in it. What each item can take is read once, at the start. Then the player says,
item by item, how much falls to this one, between what the later ones can't take and what is left; where only one number
is possible nothing is asked. `any` ends the questions: the rest falls to the items in their order, to each what it can
take.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import core
from ..core.origin import SPLITS, Origin
from ..effect import nodes
from ..language.types import BOOL, INT, TEXT, ListType, Type
from ..text.source import Span
from .choices import choosing_player
from .lists import item_condition
from .loops import looped
from .routine import Routine, hidden, hidden_variable
from .templates import text_template, words
from .values import expect, item_type, list_value

ANY_WAY = "any"
MADE = Origin(SPLITS)


def split(r: Routine, node: nodes.Split) -> list[core.Stmt]:
    """The loop that a split becomes."""
    span, site = node.span, r.notes.site()
    make = _Maker(span)
    left, part, settled = (
        _kept(r, site, what, type, span) for what, type in (("Left", INT), ("Part", INT), ("Settled", BOOL))
    )
    amount = expect(r, node.amount, INT, "as an amount to split")
    source = list_value(r, node.source)
    chooser = choosing_player(r, node.by, span)
    item = item_type(source)
    items = core.Local(source.type, span, r.locals.slot(), "items")
    limits, low, high, place = (
        core.Local(type, span, r.locals.slot(), name)
        for name, type in (("limits", ListType(INT)), ("low", INT), ("high", INT), ("place", INT))
    )
    with r.frame(), r.narrowing():
        slot = r.bind(node.item, item, node.item_span, exempt=True)
        condition = item_condition(r, node.condition, slot, item)
        most = expect(r, node.most, INT, "after `at most`")
        this = core.Local(item, node.item_span, slot, node.item)
        asked = core.TextTemplate(TEXT, span, ("How many of ", left, " for ", this, "?"))
        prompt = asked if node.prompt is None else text_template(r, node.prompt)
        number = r.bind(node.name, INT, node.name_span)
        chosen = core.Local(INT, node.name_span, number, node.name)
        said = core.TextTemplate(TEXT, span, (this, ": ", chosen))
        label = said if node.label is None else text_template(r, node.label)
        body = looped(r, node.body)
    any_way = core.Alternative(
        ANY_WAY, words("In any way", span), (), (), (make.put(settled, make.yes), make.put(part, high)), span
    )
    current = make.call(item, "at", items, place)
    only = core.ListLit(ListType(item), span, (current,))
    numbers = core.Range(ListType(INT), span, low, high)
    named = (
        core.ChoiceVar(slot, node.item, only, None, False, node.item_span),
        core.ChoiceVar(number, node.name, numbers, None, False, node.name_span),
    )
    exactly = core.Alternative(None, label, (), named, (make.put(part, chosen),), span)
    certain = make.of(BOOL, "or", settled, make.of(BOOL, "=", low, high))
    later = make.sum(make.call(ListType(INT), "drop", limits, make.of(INT, "+", place, make.number(1))))
    rest, limit_here = make.of(INT, "-", left, later), make.call(INT, "at", limits, place)
    each = (
        core.Let(span, slot, node.item, current, origin=MADE),
        core.Let(span, low.slot, low.name, make.call(INT, "larger", make.number(0), rest), origin=MADE),
        core.Let(span, high.slot, high.name, make.call(INT, "smaller", left, limit_here), origin=MADE),
        core.If(
            span,
            ((certain, (make.put(part, high),)),),
            (core.Ask(span, site, chooser, prompt, (any_way, exactly), (), origin=MADE),),
            origin=MADE,
        ),
        core.Let(span, number, node.name, part, origin=MADE),
        make.put(left, part, "sub"),
        core.If(span, ((make.of(BOOL, ">", part, make.number(0)), body),), (), origin=MADE),
    )
    wanted = source if condition is None else core.Filter(source.type, span, slot, source, condition)
    limit = make.call(INT, "larger", make.number(0), most)
    last = make.of(INT, "-", make.call(INT, "count", items), make.number(1))
    return [
        core.Let(span, items.slot, items.name, make.call(source.type, "unique", wanted), origin=MADE),
        core.Let(
            span,
            limits.slot,
            limits.name,
            core.MapList(ListType(INT), span, slot, items, None, limit),
            origin=MADE,
        ),
        make.put(left, make.call(INT, "smaller", amount, make.sum(limits))),
        make.put(settled, core.Const(BOOL, span, False)),
        core.ForEach(
            span,
            place.slot,
            place.name,
            core.Range(ListType(INT), span, make.number(0), last),
            make.of(BOOL, ">", left, make.number(0)),
            each,
            origin=MADE,
        ),
    ]


def _kept(r: Routine, site: int, what: str, type: Type, span: Span) -> core.ReadCell:
    """Something that is remembered from one question to the next."""
    name = hidden(f"split{site}", what)
    origin = Origin(SPLITS, str(site), what)
    r.notes.kept[name] = hidden_variable(name, type, False if type == BOOL else 0, span, origin)
    return core.ReadCell(type, span, name, ())


@dataclass(frozen=True)
class _Maker:
    """Makes the core of one split."""

    span: Span

    @property
    def yes(self) -> core.Const:
        return core.Const(BOOL, self.span, True)

    def number(self, value: int) -> core.Const:
        return core.Const(INT, self.span, value)

    def of(self, type: Type, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
        return core.Binary(type, self.span, op, left, right)

    def call(self, type: Type, name: str, *args: core.Expr) -> core.Expr:
        return core.CallBuiltin(type, self.span, name, args)

    def sum(self, numbers: core.Expr) -> core.Expr:
        return self.call(INT, "sum", numbers)

    def put(self, place: core.ReadCell, value: core.Expr, op: str = "set") -> core.Stmt:
        return core.SetCell(self.span, place.place, (), op, value, origin=MADE)
