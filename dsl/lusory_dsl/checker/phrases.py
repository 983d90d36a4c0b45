"""Phrases: how queries, effects, windows and variables read in the rules in words. They hold parameters alone."""

from __future__ import annotations

from collections.abc import Iterator

from ..effect import nodes
from ..effect.parser import parse_template
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics, about_name, did_you_mean
from ..text.source import Embedded
from ..text.spelling import listed, snake_case


def report_phrases(ruleset: model.Ruleset, report: Diagnostics) -> None:
    """Reports what stands in the braces of a phrase and is no parameter of what it says."""
    for phrase, known in _phrases(ruleset):
        template = parse_template(phrase, report)
        for part in () if template is None else template.parts:
            if isinstance(part, str) or (isinstance(part, nodes.Name) and part.name in known):
                continue
            which = listed(f"`{name}`" for name in known) if known else "there are none here"
            if isinstance(part, nodes.Name):
                hint = did_you_mean(part.name, known) or f"a phrase holds parameters: {which}"
                about = about_name(part.name)
                report.add(codes.UNKNOWN_NAME, f"there is no parameter `{part.name}`", part.span, hint, about=about)
            else:
                message = "a phrase holds the names of parameters alone"
                report.add(codes.VALUE_NOT_ALLOWED, message, part.span, f"write one of them: {which}")


def _phrases(ruleset: model.Ruleset) -> Iterator[tuple[Embedded, list[str]]]:
    """Each phrase with the names that it can hold."""
    r = ruleset
    for query in r.queries:
        yield from _of(query.phrase, ["me"] * query.per_player, query.params)
    for effect in r.effects:
        yield from _of(effect.phrase, ["me"] * effect.per_player, effect.params)
    for span in r.spans:
        yield from _of(span.phrase, ["me"] * span.per_player, ())
    for window in r.windows:
        yield from _of(window.phrase, [], window.params)
    for kind in r.components:
        for member in kind.queries:
            yield from _of(member.phrase, [*["me"] * member.per_player, "this"], member.params)
    for variable in r.variables:
        yield from _of(variable.phrase, list(map(index_name, variable.per)), ())


def _of(
    phrase: Embedded | None, known: list[str], params: tuple[tuple[model.Word, model.Word], ...]
) -> Iterator[tuple[Embedded, list[str]]]:
    if phrase is not None:
        yield phrase, [*known, *(name.text for name, _ in params)]


def index_name(dimension: model.Word) -> str:
    """How an index of a place is called in its phrase: as its type in small letters, a player `me`."""
    return "me" if dimension.text == "Player" else snake_case(dimension.text)
