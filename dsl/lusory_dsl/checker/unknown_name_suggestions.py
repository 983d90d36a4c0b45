"""Suggest what an unknown name could be: two names without the dot between them, or a name from a similar place."""

from __future__ import annotations

import re

from ..source.diagnostics import Diagnostic, Diagnostics, edit_distance, replace_text
from ..source.lazy_dataclass import replace
from ..source.source import Source, Span
from ..syntax.keywords import KEYWORDS
from ..syntax.token_prediction_from_neighbours import MAX_CHARACTERS, predict_tokens
from ..types.builtins import MEMBERS
from .misspelt_declarations import find_unknown_name

MAX_FINDINGS = 8
"""Maximum number of findings that get a suggestion."""
MAX_SUGGESTIONS = 3
_VALUES = {"none", "true", "false", "empty"}


def suggest_from_context(report: Diagnostics) -> None:
    """Add fixes to errors about unknown names: a missing dot, or names that stand between the same neighbours.

    Only the first ``MAX_FINDINGS`` errors about unknown names are examined. Their findings in ``report`` are replaced;
    nothing is removed or reported.
    """
    unknown = [(d, name) for d in report.errors if (name := find_unknown_name(d)) is not None]
    revised = {id(d): _suggest(d, name) for d, name in unknown[:MAX_FINDINGS]}
    if revised:
        report.revise(lambda d: revised.get(id(d), d))


def _suggest(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """Return the diagnostic of an unknown name with fixes that suit its place, unless it has fixes already.

    A name that is two names without the dot between gets that as hint and first fix. In a very long file nothing is
    added.
    """
    span = diagnostic.span
    if len(span.source.text) > MAX_CHARACTERS:
        return diagnostic
    near = [edit_distance(name, edit.text) for fix in diagnostic.fixes[:1] for edit in fix.edits]
    divided = _divide(name, span.source, is_certain=near == [1])
    if divided is not None:
        fix = replace_text(span, divided)
        return replace(diagnostic, hint=f"write `{divided}`, with a dot", fixes=(fix, *diagnostic.fixes))
    if diagnostic.fixes:
        return diagnostic
    predicted = predict_tokens(span.source.text, span.start, span.end)
    words = [word for word in predicted if word.isidentifier() and _is_possible(word, name, span)]
    return replace(diagnostic, fixes=tuple(replace_text(span, word) for word in words[:MAX_SUGGESTIONS]))


def _is_possible(word: str, name: str, span: Span) -> bool:
    """Return whether a word could stand in place of an unknown name: the letters of a type must be those of a type."""
    is_name = word not in KEYWORDS or word in _VALUES
    return is_name and word != name and word[0].isupper() == name[0].isupper() and not _is_out_of_scope(word, span)


def _is_out_of_scope(word: str, span: Span) -> bool:
    """Return whether a word is only the name of a local that another text declares."""
    text = span.source.text
    binder = re.compile(rf"\b(?:let|each|choose|for|as|roll|pick|with|secret|order) {word}\b")
    if binder.search(text) is None or re.search(rf"^[ {{]*{word}:|\.{word}\b", text, re.MULTILINE):
        return False
    start = max(
        (match.end() for match in re.finditer(r"^ *(?:- )?[\w-]+:.*$", text[: span.start], re.MULTILINE)), default=0
    )
    line_start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    return binder.search(text, min(start, line_start), len(text) if end < 0 else end) is None


def _divide(name: str, source: Source, is_certain: bool) -> str | None:
    """Return a name with a dot in it if both parts stand in the file like that, or None.

    With ``is_certain``, both parts must stand together with a dot.
    """
    text = source.text
    parts = [(name[:at], name[at:]) for at in range(1, len(name)) if not name[at].isdigit()]
    for left, right in parts:
        if re.search(rf"\b{left}\.{right}\b", text):
            return f"{left}.{right}"
    for left, right in parts if not is_certain else ():
        is_member = right in MEMBERS or re.search(rf"\.{right}\b|\b{right}:", text)
        if is_member and re.search(rf"\b{left}\b", text) and len(right) > 1:
            return f"{left}.{right}"
    return None
