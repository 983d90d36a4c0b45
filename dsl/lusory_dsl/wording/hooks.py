"""What rules and packs can answer to in a game: each pattern as it is written, and what it is about. For
``lusory explain GAME --events``, and whoever lists it beside a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..ruleset import model


class Hook(NamedTuple):
    """The head of a rule, and what is known of what it answers to: an author's words, if there are any."""

    pattern: str
    about: str


class Hooks(NamedTuple):
    """Some of one sort, under a title."""

    title: str
    hooks: tuple[Hook, ...]


def hooks(ruleset: model.Ruleset) -> tuple[Hooks, ...]:
    """All that can be answered to: effects and windows, cards that come and go, phases, values that change."""
    found = (
        Hooks("Effects and windows", tuple(_effects(ruleset))),
        Hooks("Cards that come and go", tuple(_zones(ruleset))),
        Hooks("Phases", tuple(_phases(ruleset.phases))),
        Hooks("Values that change", tuple(_changes(ruleset))),
    )
    return tuple(group for group in found if group.hooks)


def hooks_text(ruleset: model.Ruleset) -> str:
    """All of them as lines, those of one sort below each other."""
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
    """The beginning of what an author says of something."""
    head, stop, _ = " ".join(doc.split()).partition(". ")
    return head + stop.strip()
