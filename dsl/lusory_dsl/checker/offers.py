"""Offers of actions: `take action` and `use`."""

from __future__ import annotations

from dataclasses import replace

from .. import core
from ..core.origin import ACTIONS, Origin
from ..effect import nodes
from ..language.types import PLAYER, ListType, OptionalType
from .actions import OfferedAction, card_actions, declared_action
from .choices import Clauses, ask, choosing_player
from .routine import Routine, is_faulty
from .templates import text_template, words
from .traits import kind_action
from .values import expression, fit, item_type, list_value

_MADE = Origin(ACTIONS, part="offer")


def take_action(r: Routine, node: nodes.TakeAction) -> list[core.Stmt]:
    """A choice among the declared actions, and those of cards, that are legal now."""
    before, clauses, me = _taker(r, node)
    alternatives: list[core.Alternative] = []
    for offer in node.offers:
        first, laid = offered(r, offer, me)
        before += first
        alternatives += map(_with_cost, laid)
    return [*before, ask(r, node.span, clauses, alternatives, ())]


def use_action(r: Routine, node: nodes.UseAction) -> list[core.Stmt]:
    """The action of one card, as far as it is legal now."""
    before, clauses, me = _taker(r, node)
    card = expression(r, node.card)
    if isinstance(card.type, OptionalType):
        card = fit(r, card, card.type.item, "after `of`")
    ability = kind_action(r, card.type, node.action, node.action_span, card.span)
    if ability is None or is_faulty(card):
        return []
    slot = r.locals.slot()
    cards = ListType(card.type)
    before.append(core.Let(node.span, slot, "cards", core.ListLit(cards, card.span, (card,)), origin=_MADE))
    local = core.Local(cards, card.span, slot, "cards")
    alternatives = [_with_cost(laid) for laid in card_actions(r, ability, local, me, node.action_span)]
    return [*before, ask(r, node.span, clauses, alternatives, ())] if alternatives else []


def offered(
    r: Routine, offer: nodes.Offer, me: int, window: str | None = None
) -> tuple[list[core.Stmt], list[OfferedAction]]:
    """What one part of a `take action`, or one line of a window, offers to the player in the slot ``me``, and what
    is done before."""
    if offer.cards is None:
        laid = declared_action(r, nodes.Name(offer.name_span, offer.name), me)
        return [], [] if laid is None else [laid]
    cards = list_value(r, offer.cards)
    ability = kind_action(r, item_type(cards), offer.name, offer.name_span, cards.span)
    if ability is None or is_faulty(cards):
        return [], []
    if window is not None:
        r.notes.answers.setdefault(ability.name, (window, offer.name_span))
    local = core.Local(cards.type, offer.span, r.locals.slot(), "cards")
    offered_cards = core.Let(offer.span, local.slot, "cards", cards, origin=_MADE)
    return [offered_cards], card_actions(r, ability, local, me, offer.name_span)


def _taker(r: Routine, node: nodes.TakeAction | nodes.UseAction) -> tuple[list[core.Stmt], Clauses, int]:
    """Who takes an action, and the slot in which that player is `me`; with what must be done before."""
    before: list[core.Stmt] = []
    player = choosing_player(r, node.by, node.span)
    prompt = text_template(r, node.prompt) if node.prompt is not None else words("Choose an action", node.span)
    if node.by is not None:
        slot = r.locals.slot()
        before = [core.Let(node.span, slot, "me", player, origin=_MADE)]
    else:
        slot = player.slot if isinstance(player, core.Local) else r.locals.slot()
    return before, Clauses(core.Local(PLAYER, player.span, slot, "me"), prompt), slot


def _with_cost(laid: OfferedAction) -> core.Alternative:
    """The alternative as a choice has it: the cost is paid before anything else."""
    return replace(laid.alternative, body=(*laid.cost, *laid.alternative.body))
