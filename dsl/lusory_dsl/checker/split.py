"""Splits: an amount divided among the items of a list."""

from __future__ import annotations

from .. import core
from ..core.kept import kept_name, kept_variable
from ..core.origin import SPLITS, Origin
from ..core.sugar import Split, SplitName
from ..effect import nodes
from ..language.types import BOOL, INT, TEXT, Type
from ..text.source import Span
from .choices import choosing_player
from .lists import item_condition
from .loops import looped
from .routine import Routine
from .templates import text_template
from .values import expect, item_type, list_value


def split(r: Routine, node: nodes.Split) -> list[core.Stmt]:
    """A split as written, and the variables that remember the course of it."""
    span, site = node.span, r.notes.site()
    left, _, _ = (_kept(r, site, what, type, span) for what, type in (("Left", INT), ("Part", INT), ("Settled", BOOL)))
    amount = expect(r, node.amount, INT, "as an amount to split")
    source = list_value(r, node.source)
    chooser = choosing_player(r, node.by, span)
    item = item_type(source)
    own = tuple(r.locals.slot() for _ in range(5))
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
    return [
        Split(
            span,
            site,
            chooser,
            prompt,
            label,
            amount,
            source,
            condition,
            most,
            SplitName(slot, node.item, item, node.item_span),
            SplitName(number, node.name, INT, node.name_span),
            own,
            body,
        )
    ]


def _kept(r: Routine, site: int, what: str, type: Type, span: Span) -> core.ReadCell:
    """Something that is remembered from one question to the next."""
    name = kept_name(f"split{site}", what)
    origin = Origin(SPLITS, str(site), what)
    r.notes.kept[name] = kept_variable(name, type, False if type == BOOL else 0, span, origin)
    return core.ReadCell(type, span, name, ())
