"""Collect reference lists: the terms of the glossary, the triggers of rules, and the phases that offer each action."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..ruleset import model
from ..source.diagnostics import Diagnostics
from ..source.source import EmbeddedText
from ..syntax import ast
from ..syntax.parser import parse_block, parse_offer
from .statements import all_phases


class Hook(NamedTuple):
    """Hold the head of a rule that could be written, and the author's description of the trigger, if any."""

    pattern: str
    about: str


class Hooks(NamedTuple):
    """Group hooks of one kind under a title."""

    title: str
    hooks: tuple[Hook, ...]


def hooks(ruleset: model.Ruleset) -> tuple[Hooks, ...]:
    """Return every trigger that a rule can have: effects, windows, moving cards, phases, and changing values."""
    found = (
        Hooks("Effects and windows", tuple(_effects(ruleset))),
        Hooks("Cards that come and go", tuple(_zones(ruleset))),
        Hooks("Phases", tuple(_phases(ruleset.phases))),
        Hooks("Values that change", tuple(_changes(ruleset))),
    )
    return tuple(group for group in found if group.hooks)


def hooks_text(ruleset: model.Ruleset) -> str:
    """Return the hooks as lines of text, one table for each group."""
    lines: list[str] = []
    for title, found in hooks(ruleset):
        wide = max(len(hook.pattern) for hook in found)
        lines += ["", title, "-" * len(title)]
        lines += [f"{hook.pattern:{wide}}  {hook.about}".rstrip() for hook in found]
    return "\n".join(lines[1:]) + "\n" if lines else "There is nothing that a rule could answer to.\n"


def _effects(ruleset: model.Ruleset) -> Iterator[Hook]:
    effects = [(decl.name, decl.params, decl.doc) for decl in ruleset.effects]
    for name, params, doc in [*effects, *((decl.name, decl.params, decl.doc) for decl in ruleset.windows)]:
        yield Hook(f"when {name.text}{_listed(_names(params))}", _first_sentence(doc))
    for kind in ruleset.components:
        for member in kind.effects:
            named = f"{kind.name.text}.{member.name.text}{_listed(('this', *_names(member.params)))}"
            yield Hook(f"when {named}", _first_sentence(member.doc))


def _zones(ruleset: model.Ruleset) -> Iterator[Hook]:
    kinds = {kind.name.text for kind in ruleset.components}
    for zone in ruleset.zones:
        if zone.holds.text in kinds:
            for head in ("when card enters", "instead of card entering", "when card leaves"):
                yield Hook(f"{head} {zone.name.text}", _first_sentence(zone.doc))


def _phases(phases: Iterable[model.PhaseDecl]) -> Iterator[Hook]:
    for phase in phases:
        for verb in ("begins", "ends"):
            yield Hook(f"when {phase.id.text} {verb}", _first_sentence(phase.doc))
        yield from _phases(phase.phases)


def _changes(ruleset: model.Ruleset) -> Iterator[Hook]:
    kinds = {kind.name.text for kind in ruleset.components}
    pools = [zone for zone in ruleset.zones if zone.holds.text not in kinds]
    variables = ((decl.name, decl.per, decl.doc, ()) for decl in ruleset.variables)
    places = [*variables, *((pool.name, pool.per, pool.doc, ("kind",)) for pool in pools)]
    for name, per, doc, more in places:
        dims = [word.text.lower() if word.text.isidentifier() else "n" for word in per]
        dims = [*(dims[1:] if dims[:1] == ["player"] else dims), *more]
        indices = f"[{', '.join(dims)}]" if dims else ""
        yield Hook(f"when {name.text}{indices} changes", _first_sentence(doc))


def _names(params: Iterable[tuple[model.Word, model.Word]]) -> tuple[str, ...]:
    return tuple(name.text for name, _ in params)


def _listed(names: tuple[str, ...]) -> str:
    return f"({', '.join(names)})" if names else ""


def _first_sentence(doc: str) -> str:
    """Return the first sentence of a doc."""
    head, stop, _ = " ".join(doc.split()).partition(". ")
    return head + stop.strip()


def phases_that_offer(ruleset: model.Ruleset) -> dict[str, tuple[model.PhaseDecl, ...]]:
    """Map each action of cards to the phases that can offer it, in the order of the phases.

    It is a breadth-first search from the statements of each phase, through effects, actions, menus and windows.
    """
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
"""A node of this search: its kind and its name.

The kind is ``effect`` (which includes windows), ``action``, ``menu`` or ``of cards``.
"""


def _deeds(ruleset: model.Ruleset) -> dict[_Step, list[_Step]]:
    """Map effects and actions to the nodes that their statements lead to."""
    effects = {("effect", d.name.text): list(_taken(d.do)) for d in ruleset.effects}
    return effects | {("action", d.name.text): [*_taken(d.cost), *_taken(d.do)] for d in ruleset.actions}


def _menus(ruleset: model.Ruleset) -> dict[_Step, list[_Step]]:
    """Map menus and windows to the actions that they offer. `open` refers to a window as a call refers to an effect."""
    windows = {("effect", d.name.text): list(_offered((*d.forced, *d.actions))) for d in ruleset.windows}
    return windows | {("menu", d.name.text): list(_offered(d.actions)) for d in ruleset.menus}


def _taken(block: EmbeddedText | None) -> Iterator[_Step]:
    """Yield the nodes that the statements of a block lead to. A block that doesn't parse yields nothing."""
    statements = parse_block(block, Diagnostics()) if block is not None else None
    for node in (inner for statement in statements or () for inner in ast.walk(statement)):
        match node:
            case ast.TakeAction(offers=offers, menu=menu):
                yield from map(_step, offers)
                yield from [("menu", menu.name)] if menu is not None else []
            case ast.UseAction(action=action):
                yield "of cards", action
            case ast.Call(callee=ast.Name(name=name) | ast.Member(name=name)):
                yield "effect", name


def _offered(texts: Iterable[EmbeddedText]) -> Iterator[_Step]:
    for text in texts:
        offer = parse_offer(text, Diagnostics())
        yield from [_step(offer)] if offer is not None else []


def _step(offer: ast.Offer) -> _Step:
    return "action" if offer.cards is None else "of cards", offer.name
