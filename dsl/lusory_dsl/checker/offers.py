"""Offers of actions: `take action` and `use`."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.origin import ACTIONS, Origin
from ..effect import nodes
from ..effect.parser import parse_offer, parse_template
from ..effect.printer import print_offer
from ..language.types import PLAYER, ListType, OptionalType
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.records import replace
from .actions import OfferedAction, answering, card_actions, declared_action
from .choices import Clauses, ask, choosing_player
from .routine import Routine, is_faulty
from .templates import text_template, words
from .traits import kind_action
from .values import expression, fit, item_type, list_value

_MADE = Origin(ACTIONS, part="offer")


def take_action(r: Routine, node: nodes.TakeAction) -> list[core.Stmt]:
    """A choice among the declared actions, and those of cards, that are legal now."""
    if node.menu is not None:
        return _from_menu(r, node, node.menu)
    before, clauses, me = _taker(r, node)
    return _offer(r, node, node.offers, before, clauses, me)


def _offer(
    r: Routine,
    node: nodes.TakeAction,
    offers: Sequence[nodes.Offer],
    before: list[core.Stmt],
    clauses: Clauses,
    me: int,
) -> list[core.Stmt]:
    alternatives: list[core.Alternative] = []
    for offer in offers:
        first, laid = offered(r, offer, me)
        before += first
        alternatives += map(_with_cost, laid)
    return [*before, ask(r, node.span, clauses, alternatives, ())]


def _from_menu(r: Routine, node: nodes.TakeAction, name: nodes.Name) -> list[core.Stmt]:
    """A choice among the actions of a menu, whose lists and prompt speak of who takes one as `me`."""
    menu = r.names.menus.get(name.name)
    if menu is None:
        hint = did_you_mean(name.name, r.names.menus) or "declare it under `menus`, or name the actions"
        message = f"there is no menu `{name.name}`"
        r.error(codes.UNKNOWN_NAME, message, name.span, hint, about=about_name(name.name))
        return []
    r.notes.opened_menus.add(name.name)
    before, clauses, me = _taker(r, node)
    with answering(r, me, node.span):
        if node.prompt is None and menu.prompt is not None:
            prompt = parse_template(menu.prompt, r.report)
            clauses = clauses if prompt is None else replace(clauses, prompt=text_template(r, prompt))
        return _offer(r, node, offers_of(r, menu), before, clauses, me)


def check_menu(r: Routine, menu: model.MenuDecl) -> None:
    """Checks a menu that nothing opens, in a routine that is thrown away."""
    me = r.bind_me(menu.name.span)
    for offer in offers_of(r, menu):
        offered(r, offer, me)


def offers_of(r: Routine, menu: model.MenuDecl) -> list[nodes.Offer]:
    """What a menu offers: each action once, and none that answers a window, for there somebody else is `me`."""
    found: dict[str, nodes.Offer] = {}
    for text in menu.actions:
        offer = parse_offer(text, r.report)
        if offer is None:
            continue
        first = found.setdefault(print_offer(offer), offer)
        answers = r.notes.answers.get(offer.name) if offer.cards is None else None
        if first is not offer:
            notes = [(first.span, "first here")]
            r.error(
                codes.MENU_ACTION, f"`{menu.name.text}` offers `{offer.name}` twice", offer.span, "leave out one", notes
            )
        elif answers is not None:
            message = f"`{offer.name}` answers the window `{answers[0]}`, and can't be taken from a menu"
            hint = "make an effect of what both do, and an action of its own for the menu"
            r.error(codes.MENU_ACTION, message, offer.span, hint, [(answers[1], "it answers here")])
            del found[print_offer(offer)]
    return list(found.values())


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
