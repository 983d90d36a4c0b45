"""In which phases actions of cards are offered: by their blocks, and the effects, actions and windows behind these."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from ..effect import nodes
from ..effect.parser import parse_block, parse_offer
from ..ruleset import model
from ..text.diagnostics import Diagnostics
from ..text.source import Embedded
from .said import all_phases


def phases_that_offer(ruleset: model.Ruleset) -> dict[str, tuple[model.PhaseDecl, ...]]:
    """For each action of cards the phases in which it can be taken or used, in their order."""
    leads_to = {**_deeds(ruleset), **_menus(ruleset)}
    found: dict[str, list[model.PhaseDecl]] = {}
    for phase, _ in all_phases(ruleset.phases):
        seen = set(_taken(phase.do))
        waiting = deque(seen)
        while waiting:
            more = set(leads_to.get(waiting.popleft(), ())) - seen
            seen |= more
            waiting.extend(more)
        for kind, name in seen:
            if kind == "of cards":
                found.setdefault(name, []).append(phase)
    return {name: tuple(phases) for name, phases in found.items()}


_Step = tuple[str, str]
"""What is gone on to: an effect, an action, a menu or a window, which are named apart; or an action `of cards`."""


def _deeds(ruleset: model.Ruleset) -> dict[_Step, list[_Step]]:
    """What effects and actions go on to."""
    effects = {("effect", d.name.text): list(_taken(d.do)) for d in ruleset.effects}
    return effects | {("action", d.name.text): [*_taken(d.cost), *_taken(d.do)] for d in ruleset.actions}


def _menus(ruleset: model.Ruleset) -> dict[_Step, list[_Step]]:
    """What menus and windows offer. An `open` names a window as a call names an effect."""
    windows = {("effect", d.name.text): list(_offered((*d.forced, *d.actions))) for d in ruleset.windows}
    return windows | {("menu", d.name.text): list(_offered(d.actions)) for d in ruleset.menus}


def _taken(block: Embedded | None) -> Iterator[_Step]:
    """What the statements of a block go on to; nothing of one that can't be read."""
    statements = parse_block(block, Diagnostics()) if block is not None else None
    for node in (inner for statement in statements or () for inner in nodes.walk(statement)):
        match node:
            case nodes.TakeAction(offers=offers, menu=menu):
                yield from map(_step, offers)
                yield from [("menu", menu.name)] if menu is not None else []
            case nodes.UseAction(action=action):
                yield "of cards", action
            case nodes.Call(callee=nodes.Name(name=name) | nodes.Member(name=name)):
                yield "effect", name


def _offered(texts: Iterable[Embedded]) -> Iterator[_Step]:
    for text in texts:
        offer = parse_offer(text, Diagnostics())
        yield from [_step(offer)] if offer is not None else []


def _step(offer: nodes.Offer) -> _Step:
    return "action" if offer.cards is None else "of cards", offer.name
