"""Families of cards -> cards, and what cards do not say -> what their kind says. The last stage of the loader.

A family, ``"{suit}_{rank}": {for: "suit in Suit, rank in 2..14", …}``, is one card for each way in which its names can
have values; later lists may read earlier names. Behind this stage there are only cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..effect import nodes
from ..effect.parser import parse_choice_vars, parse_expression, parse_template
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.records import dataclass, field, replace
from ..text.source import Embedded, Span
from . import model
from .constants import Constants, EnumConstant, NotConstant, told
from .model import Value, Word

MOST_CARDS = 10_000
"""So many cards may all families of a ruleset make."""
MOST_COPIES = 1000
_ID = re.compile(r"[a-z0-9_]{1,200}")


def with_families(ruleset: model.Ruleset, diagnostics: Diagnostics) -> model.Ruleset:
    """The ruleset with families and defaults written out."""
    kinds = {kind.name.text: kind for kind in ruleset.components}
    if not any(card.family for card in ruleset.cards):
        return replace(ruleset, cards=_with_defaults(ruleset.cards, kinds)) if _defaults(kinds) else ruleset
    maker = _Maker(Constants(ruleset), kinds, diagnostics)
    cards = tuple(made for card in ruleset.cards for made in (maker.cards(card) if card.family else (card,)))
    report_twice(cards, diagnostics)
    return replace(ruleset, cards=_with_defaults(cards, kinds), read_by_families=frozenset(maker.constants.used))


def report_twice(cards: Sequence[model.CardDecl], diagnostics: Diagnostics) -> None:
    """Each card that two declarations make."""
    first: dict[str, model.CardDecl] = {}
    for card in cards:
        other = first.setdefault(card.id.text, card)
        if other is card:
            continue
        message = f"the card {card.called} is declared twice"
        hint = "rename one, or leave it out of the family with `where`"
        if other.family is card.family:
            message = f"the family makes the card `{card.id.text}` twice: with {_said(other)} and with {_said(card)}"
            hint = "name in the id what tells its cards apart"
        diagnostics.add(codes.CARD_TWICE, message, card.id.span, hint, [(other.id.span, "first declared here")])


def _said(card: model.CardDecl) -> str:
    return ", ".join(f"{name} = {value}" for name, value in card.values)


def _defaults(kinds: Mapping[str, model.ComponentDecl]) -> bool:
    return any(kind.defaults for kind in kinds.values())


def _with_defaults(
    cards: Sequence[model.CardDecl], kinds: Mapping[str, model.ComponentDecl]
) -> tuple[model.CardDecl, ...]:
    """Cards with the fields that they do not say and their kind does."""
    found = []
    for card in cards:
        kind = kinds.get(card.kind.text)
        said = {name.text for name, _ in card.fields}
        more = [] if kind is None else [entry for entry in kind.defaults if entry[0].text not in said]
        if kind is not None and (more or card.family is not None):
            card = replace(card, fields=_in_order((*card.fields, *more), kind))
        found.append(card)
    return tuple(found)


def _in_order(fields: Sequence[tuple[Word, Value]], kind: model.ComponentDecl) -> tuple[tuple[Word, Value], ...]:
    """The fields of a card in the order of its kind."""
    order = {name.text: number for number, (name, _) in enumerate(kind.fields)}
    return tuple(sorted(fields, key=lambda entry: order.get(entry[0].text, len(order))))


@dataclass(eq=False)
class _Maker:
    """Makes the cards of families. ``made``: how many there are so far."""

    constants: Constants
    kinds: Mapping[str, model.ComponentDecl]
    diagnostics: Diagnostics
    made: int = 0
    _parsed: dict[Embedded, nodes.Expr | None] = field(default_factory=dict)

    def cards(self, card: model.CardDecl) -> Iterator[model.CardDecl]:
        """The cards of a family; fewer after a report."""
        family = card.family
        assert family is not None
        id = parse_template(family.id, self.diagnostics)
        label = None if family.label is None else parse_template(family.label, self.diagnostics)
        each = parse_choice_vars(family.each, self.diagnostics)
        texts = [text for _, text in family.fields] + ([] if family.copies is None else [family.copies])
        self._parsed = {text: parse_expression(text, self.diagnostics) for text in texts}
        if id is None or each is None or None in self._parsed.values() or (family.label is not None and label is None):
            return
        self.constants.names = {}
        values: tuple[tuple[str, str], ...] = ()
        try:
            for values in self._values(each):
                self._count(card.id.span)
                yield self._card(card, family, values, self._id(id, card), label)
        except NotConstant as problem:
            where = f" (of the card with {', '.join(f'{n} = {v}' for n, v in values)})" if values else ""
            self.diagnostics.add(problem.code, f"{problem.message}{where}", problem.span, problem.hint)

    def _count(self, span: Span) -> None:
        self.made += 1
        if self.made > MOST_CARDS:
            message = f"with this family there are more than {MOST_CARDS:,} cards in families"
            raise NotConstant(message, span, "shorten its lists, or make copies", codes.TOO_MANY)

    def _values(self, each: Sequence[nodes.ChoiceVar]) -> Iterator[tuple[tuple[str, str], ...]]:
        """The values of the names, which are in force while each is used."""
        if not each:
            yield ()
            return
        var, *rest = each
        for item in self.constants.items(var.domain):
            with self.constants.named(var.name, item):
                if var.condition is not None:
                    with self.constants.named("it", item):
                        if not self.constants.truth(var.condition):
                            continue
                for more in self._values(rest):
                    yield ((var.name, told(item).strip("`")), *more)

    def _id(self, id: nodes.TextLit, card: model.CardDecl) -> str:
        name = self.constants.words(id, as_names=True)
        if _ID.fullmatch(name) is None:
            hint = "the id of a card has small letters, digits and underscores"
            raise NotConstant(f"the family makes a card with the id `{name}`", card.id.span, hint, codes.BAD_NAME)
        return name

    def _card(
        self,
        card: model.CardDecl,
        family: model.FamilyDecl,
        values: tuple[tuple[str, str], ...],
        id: str,
        label: nodes.TextLit | None,
    ) -> model.CardDecl:
        kind = self.kinds.get(card.kind.text)
        said = {name.text for name, _ in family.fields}
        fields = [(name, self._data(text)) for name, text in family.fields]
        for name, _ in kind.fields if kind is not None else ():
            if name.text not in said and name.text in self.constants.names:
                value = Value(_plain(self.constants.names[name.text], family.each.whole), False, family.each.whole)
                fields.append((Word(name.text, family.each.whole), value))
        return replace(
            card,
            id=Word(id, card.id.span),
            label=None if label is None else self.constants.words(label),
            copies=1 if family.copies is None else self._copies(family.copies),
            fields=tuple(fields),
            values=values,
        )

    def _data(self, text: Embedded) -> Value:
        node = self._parsed[text]
        assert node is not None
        return Value(_plain(self.constants.value(node), text.whole), False, text.whole)

    def _copies(self, text: Embedded) -> int:
        node = self._parsed[text]
        assert node is not None
        copies = self.constants.number(node)
        if not 1 <= copies <= MOST_COPIES:
            message = f"a card with {copies} copies: there are from 1 to {MOST_COPIES}"
            raise NotConstant(message, text.whole, "leave it out with `where`", codes.VALUE_NOT_ALLOWED)
        return copies


def _plain(value: object, span: Span) -> object:
    """A value as data are written."""
    if isinstance(value, tuple):
        return tuple(Value(_plain(item, span), False, span) for item in value)
    return value.name if isinstance(value, EnumConstant) else value
