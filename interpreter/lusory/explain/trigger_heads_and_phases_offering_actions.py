"""List the triggers that a rule can have, and find the phases in which each action of cards can be used."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lusory_dsl.ruleset import model
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText
from lusory_dsl.syntax import ast
from lusory_dsl.syntax.parser import parse_block, parse_offer

from .statements_rules_and_declaration_parts import walk_phases

Trigger = tuple[str, str]
"""The head of a rule that could be written, and the first sentence of the trigger's description, or ""."""


def list_triggers(ruleset: model.Ruleset) -> dict[str, list[Trigger]]:
    """Return every trigger that a rule can have, in groups: title -> triggers in declared order.

    The groups are effects and windows, moving cards, phases, and changing values, in this order. Groups without a
    trigger are left out. Example: the phase ``move`` gives ``{"Phases": [("when move begins", ""), ("when move ends",
    "")]}``.
    """
    groups = {
        "Effects and windows": list(_iterate_effect_triggers(ruleset)),
        "Cards that come and go": list(_iterate_zone_triggers(ruleset)),
        "Phases": list(_iterate_phase_triggers(ruleset)),
        "Values that change": list(_iterate_change_triggers(ruleset)),
    }
    return {title: triggers for title, triggers in groups.items() if triggers}


def format_triggers(ruleset: model.Ruleset) -> str:
    """Return the triggers as text: a title for each group, then a line for each trigger: ``when deal  Deals a card.``

    The groups and titles are those of :func:`list_triggers`. A line ends with the first sentence of the trigger's
    description. Titles are underlined with hyphens, and groups are separated by an empty line. The descriptions of a
    group stand in one column, two blanks behind the longest trigger. A ruleset without triggers gives “There is nothing
    that a rule could answer to.”. The text ends with a line break.
    """
    lines: list[str] = []
    for title, triggers in list_triggers(ruleset).items():
        width = max(len(head) for head, _ in triggers)
        lines += ["", title, "-" * len(title)]
        lines += [f"{head:{width}}  {about}".rstrip() for head, about in triggers]
    return "\n".join(lines[1:]) + "\n" if lines else "There is nothing that a rule could answer to.\n"


def _iterate_effect_triggers(ruleset: model.Ruleset) -> Iterator[Trigger]:
    effects = [(decl.name, decl.params, decl.doc) for decl in ruleset.effects]
    for name, params, doc in [*effects, *((decl.name, decl.params, decl.doc) for decl in ruleset.windows)]:
        yield f"when {name.text}{_format_params(params)}", _get_first_sentence(doc)
    for kind in ruleset.components:
        for member in kind.effects:
            event = f"{kind.name.text}.{member.name.text}{_format_params(member.params, 'this')}"
            yield f"when {event}", _get_first_sentence(member.doc)


def _iterate_zone_triggers(ruleset: model.Ruleset) -> Iterator[Trigger]:
    kinds = {kind.name.text for kind in ruleset.components}
    for zone in ruleset.zones:
        if zone.holds.text in kinds:
            for head in ("when card enters", "instead of card entering", "when card leaves"):
                yield f"{head} {zone.name.text}", _get_first_sentence(zone.doc)


def _iterate_phase_triggers(ruleset: model.Ruleset) -> Iterator[Trigger]:
    for phase, _ in walk_phases(ruleset.phases):
        for verb in ("begins", "ends"):
            yield f"when {phase.id.text} {verb}", _get_first_sentence(phase.doc)


def _iterate_change_triggers(ruleset: model.Ruleset) -> Iterator[Trigger]:
    kinds = {kind.name.text for kind in ruleset.components}
    pools = [zone for zone in ruleset.zones if zone.holds.text not in kinds]
    variables = ((decl.name, decl.per, decl.doc, ()) for decl in ruleset.variables)
    places = [*variables, *((pool.name, pool.per, pool.doc, ("kind",)) for pool in pools)]
    for name, per, doc, kind_dims in places:
        dims = [word.text.lower() if word.text.isidentifier() else "n" for word in per]
        dims = [*(dims[1:] if dims[:1] == ["player"] else dims), *kind_dims]
        indices = f"[{', '.join(dims)}]" if dims else ""
        yield f"when {name.text}{indices} changes", _get_first_sentence(doc)


def _format_params(params: Iterable[tuple[model.Word, model.Word]], *names: str) -> str:
    all_names = [*names, *(name.text for name, _ in params)]
    return f"({', '.join(all_names)})" if all_names else ""


def _get_first_sentence(doc: str) -> str:
    """Return the first sentence of a doc."""
    head, stop, _ = " ".join(doc.split()).partition(". ")
    return head + stop.strip()


@lru_cache(maxsize=4)
def find_offering_phases(ruleset: model.Ruleset) -> dict[str, tuple[model.PhaseDecl, ...]]:
    """Return the phases that can offer each action of cards, by its name. They are in order, child phases included.

    A phase counts for its own statements only, not for those of its child phases. ``take action bloom of hand`` and
    ``use bloom of c`` both offer ``bloom``. Actions that no phase offers have no entry. The search goes from the
    statements through effects, actions, menus and windows, and through the effects and actions of cards, but not
    through ``rules`` such as ``when turn: …``. Effects and windows with the same name count as one, also those of
    cards. So do actions of cards with the same name. Example: phase ``play`` calls the effect ``turn``, which offers
    ``bloom of hand``. The result is ``{"bloom": (play,)}``. It is cached for four rulesets; don't change it.
    """
    successors = _link_nodes(ruleset)
    phases_by_action: dict[str, list[model.PhaseDecl]] = {}
    for phase, _ in walk_phases(ruleset.phases):
        reached_nodes = set(_iterate_successors(phase.do))
        queue = deque(reached_nodes)
        while queue:
            successors_to_visit = set(successors.get(queue.popleft(), ())) - reached_nodes
            reached_nodes |= successors_to_visit
            queue.extend(successors_to_visit)
        for kind, name in reached_nodes:
            if kind == "of cards":
                phases_by_action.setdefault(name, []).append(phase)
    return {name: tuple(phases) for name, phases in phases_by_action.items()}


_OfferNode = tuple[str, str]
"""A node of this search: its kind and its name.

The kind is ``effect`` (which includes windows), ``action``, ``menu`` or ``of cards``.
"""


def _link_nodes(ruleset: model.Ruleset) -> dict[_OfferNode, list[_OfferNode]]:
    """Map each node to the nodes that its statements lead to, or the actions that it offers.

    `open` refers to a window as a call refers to an effect. Effects of all cards with one name share a node.
    """
    links: dict[_OfferNode, list[_OfferNode]] = {}

    def add(kind: str, name: model.Word, nodes: Iterable[_OfferNode]) -> None:
        links.setdefault((kind, name.text), []).extend(nodes)

    for effect in ruleset.effects:
        add("effect", effect.name, _iterate_successors(effect.do))
    for window in ruleset.windows:
        add("effect", window.name, _iterate_offers((*window.forced, *window.actions)))
    for action in ruleset.actions:
        add("action", action.name, _iterate_successors(action.cost, action.do))
    for menu in ruleset.menus:
        add("menu", menu.name, _iterate_offers(menu.actions))
    members = [member for component in ruleset.components for member in component.members]
    members += [keyword.member for keyword in ruleset.keywords if keyword.member is not None]
    for member in members:
        if isinstance(member, model.MemberEffectDecl):
            add("effect", member.name, _iterate_successors(member.do))
        elif isinstance(member, model.MemberActionDecl):
            add("of cards", member.name, _iterate_successors(member.cost))
    for card in ruleset.cards:
        for name, block in card.all_effects:
            add("effect", name, _iterate_successors(block))
        for card_action in card.all_actions:
            add("of cards", card_action.name, _iterate_successors(card_action.cost, card_action.do))
    return links


def _iterate_successors(*texts: EmbeddedText | None) -> Iterator[_OfferNode]:
    """Yield the nodes that the statements of blocks lead to. A block that doesn't parse yields nothing."""
    blocks = (parse_block(text, Diagnostics()) for text in texts if text is not None)
    for node in (inner for block in blocks for statement in block or () for inner in ast.walk(statement)):
        match node:
            case ast.TakeAction(offers=offers, menu=menu):
                yield from map(_make_node, offers)
                yield from [("menu", menu.name)] if menu is not None else []
            case ast.UseAction(action=action):
                yield "of cards", action
            case ast.Call(callee=ast.Name(name=name) | ast.Member(name=name)):
                yield "effect", name


def _iterate_offers(texts: Iterable[EmbeddedText]) -> Iterator[_OfferNode]:
    for text in texts:
        offer = parse_offer(text, Diagnostics())
        yield from [_make_node(offer)] if offer is not None else []


def _make_node(offer: ast.Offer) -> _OfferNode:
    return "action" if offer.cards is None else "of cards", offer.name
