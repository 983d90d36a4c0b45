"""A lint: a card costs more counters than there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import core
from ..checker.locals import KnownLocals
from ..checker.stages import Checked
from ..core.accesses import read_by
from ..language.types import ComponentType, ListType
from ..text import codes
from ..text.diagnostics import Diagnostics
from .certainty import bounds_at, conditions_of

Price = tuple[int, core.ChoiceVar, bool]
"""A card that is paid for where it is chosen as a variable, and whether there are enough counters for it."""


def never_payable(checked: Checked, report: Diagnostics) -> None:
    """Warns of cards that nobody can ever pay for."""
    limited = {pool for (pool, _), most in checked.facts.most.items() if most is not None}
    alike = _alike(checked.program.entities)
    paid: dict[int, list[Price]] = {}
    for known, made in checked.notes.choices:
        for alternative in made.alternatives if isinstance(made, core.Ask) else ():
            if alternative.original is None and _counts(checked, alternative, limited):
                for price in _prices(checked, known, alternative, alike):
                    paid.setdefault(price[0], []).append(price)
    for card, prices in paid.items():
        if not any(enough for _, _, enough in prices):
            _unpayable(checked, checked.program.entities[card], prices[0][1], report)


def _counts(checked: Checked, alternative: core.Alternative, limited: set[str]) -> bool:
    """Whether a condition looks into a pool of which it is known how much it can hold."""
    program = checked.program
    conditions = conditions_of(alternative) if limited else ()
    return any(limited & read_by(condition, program.queries, program.zones) for condition in conditions)


def _prices(
    checked: Checked, known: KnownLocals, alternative: core.Alternative, alike: dict[str, list[list[int]]]
) -> Iterator[Price]:
    """For each card that must be paid for with counters to be chosen: whether there are enough of them."""
    conditions, bounds = conditions_of(alternative), bounds_at(checked.facts, known)
    for var in alternative.vars:
        kind = var.domain.type.item if isinstance(var.domain.type, ListType) else None
        for cards in alike.get(str(kind), ()) if isinstance(kind, ComponentType) else ():
            of_card = bounds.of_cards({var.slot: cards[0]})
            enough = not of_card.never_together(conditions)
            if enough or not of_card.without_end().never_together(conditions):
                yield from ((card, var, enough) for card in cards)


def _unpayable(checked: Checked, card: core.Entity, var: core.ChoiceVar, report: Diagnostics) -> None:
    span = next((decl.id.span for decl in checked.ruleset.cards if decl.id.text == card.card), None)
    if span is not None:
        message = f"nobody can ever pay for `{card.card}`: there are not enough counters in the whole game"
        notes = [(var.span, f"needed to choose it as `{var.name}`")]
        report.add(codes.NEVER_PAYABLE, message, span, "make it cheaper, or add counters", notes)


def _alike(entities: Sequence[core.Entity]) -> dict[str, list[list[int]]]:
    """The cards of each kind, by their first copies; those on which the same numbers are printed together."""
    found: dict[str, dict[object, list[int]]] = {}
    for entity in entities:
        if entity.fields["original"] == entity.number:
            own = tuple((n, v) for n, v in entity.fields.items() if type(v) is int and n != "original")
            found.setdefault(entity.kind, {}).setdefault(own, []).append(entity.number)
    return {kind: list(groups.values()) for kind, groups in found.items()}
