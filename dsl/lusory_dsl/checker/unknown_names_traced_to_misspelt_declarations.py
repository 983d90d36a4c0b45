"""Suggest what an unknown name could be, or report the misspelt declaration that it refers to.

If `coins` is unknown and `cions` is declared but never used, the declaration is wrong, and not each use of `coins`.
Otherwise an unknown name may be two names without the dot between them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ..source.dataclass_with_lazy_methods import replace
from ..source.diagnostics import Diagnostic, Diagnostics, Fix, name_subjects, replace_text
from ..source.source import Source, Span
from ..source.spelling_suggestions import compute_edit_distance
from ..types.builtin_functions_members_and_statements import MEMBERS
from .context import Notes
from .symbol_table import Names

_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")
SHORTEST = 3
"""Shorter names are too similar to each other."""
MAX_NAMES = 20
"""Maximum number of unknown names that are looked at."""
MAX_FINDINGS = 8
"""Maximum number of findings that get a suggestion."""


def correct_declarations(names: Names, notes: Notes, sources: Sequence[Source], report: Diagnostics) -> None:
    """Move the first error in ``report`` about each unknown name to the misspelt declaration, if there is one.

    If ``coins`` is unknown and the declared ``cions`` stands nowhere else in ``sources``, the error moves to ``cions``,
    with the hint “did you mean `coins`?”. Its message also names the declaration. The other errors about the name stay
    where they are, with ``is_consequence``. :func:`compute_edit_distance` of the two names must be 1, or at most a
    third of the unknown name's length. The nearest declaration counts, or the first by alphabet of equally near ones.
    Comments don't count, nor do names with fewer than ``SHORTEST`` (3) letters, unknown or declared. Unused locals in
    ``notes`` are declarations, too. Errors about a name that stands only once in ``sources``, or is itself declared,
    stay. So do all with more than ``MAX_NAMES`` (20) unknown names.
    """
    unknown_names = {name for error in report.errors if (name := find_unknown_name(error)) is not None}
    declared_names = set(_list_declared(names, notes))
    if not unknown_names or len(unknown_names) > MAX_NAMES:
        return
    counts = Counter(word for source in sources for word in _WORD.findall(_COMMENT.sub("", source.text)))
    for name in sorted(unknown_names - declared_names):
        limit = max(1, len(name) // 3)
        similar_names = [
            (distance, declared_name)
            for declared_name in declared_names
            if counts[declared_name] == 1
            and len(declared_name) >= SHORTEST
            and abs(len(declared_name) - len(name)) <= limit
            and (distance := compute_edit_distance(name, declared_name, limit)) <= limit
        ]
        if similar_names and counts[name] > 1:
            _report_declaration(name, min(similar_names)[1], sources, report)


def find_unknown_name(diagnostic: Diagnostic) -> str | None:
    """Return the unknown name that a finding is about, or None if it is about something else.

    The name of the finding's code must begin with ``unknown-``. The text of the finding's span is the result, such as
    ``coins``. It must be a single word of at least ``SHORTEST`` (3) characters: ``me.coins`` and ``coins me`` give
    None. A word has letters, digits and ``_``, and begins with a letter from A to Z in either case, or with ``_``.
    """
    span = diagnostic.span
    word = _WORD.fullmatch(span.source.text, span.start, span.end)
    is_unknown = diagnostic.code.name.startswith("unknown-")
    return word[0] if word is not None and is_unknown and len(word[0]) >= SHORTEST else None


def _list_declared(names: Names, notes: Notes) -> Iterator[str]:
    yield from (name.rpartition(".")[2] for name in names.symbols)
    yield from names.values
    yield from names.kinds
    yield from names.constants
    for kind in names.kinds.values():
        yield from (field.removeprefix("base_") for field in kind.fields)
    yield from (local.name for local in notes.unused_locals)


def _report_declaration(name: str, declared_name: str, sources: Sequence[Source], report: Diagnostics) -> None:
    """Report the first finding about ``name`` at the declaration, and all others as its consequences.

    Does nothing if the declared name stands in no file, as that of a card whose family makes its name.
    """
    place = None
    for source in sources:
        text = _COMMENT.sub(lambda comment: " " * len(comment[0]), source.text)
        match = re.search(rf"\b{declared_name}\b", text)
        if match is not None:
            place = Span(source, match.start(), match.end())
            break
    if place is None:
        return
    uses = [use for use in report.errors if find_unknown_name(use) == name]
    edits = tuple(edit for use in uses for edit in replace_text(use.span, declared_name).edits)
    moved_diagnostic = replace(
        uses[0],
        message=f"{uses[0].message}, and `{declared_name}` is declared here but never used",
        span=place,
        hint=f"did you mean `{name}`?",
        notes=((uses[0].span, f"`{name}` is used here"),),
        subjects=name_subjects(name),
        is_consequence=False,
        fixes=(replace_text(place, name), Fix(f"Write `{declared_name}` instead of `{name}`", edits)),
    )

    def _revise(diagnostic: Diagnostic) -> Diagnostic:
        """Return the moved error in place of the first one, and later ones about ``name`` as its consequences."""
        if diagnostic is uses[0]:
            return moved_diagnostic
        if find_unknown_name(diagnostic) == name:
            subjects = (*diagnostic.subjects, *name_subjects(name))
            return replace(diagnostic, subjects=subjects, is_consequence=True)
        return diagnostic

    report.revise(_revise)


def suggest_missing_dots(report: Diagnostics) -> None:
    """Add a fix to errors about unknown names that lack a dot.

    ``handtop`` gets ``hand.top`` as first fix, with the hint ``write `hand.top`, with a dot``, if the same file has
    ``hand.top``. If this is so for no place of the dot, the file must have the word ``hand``, and ``top`` must be a
    member of at least two letters. That is one of ``MEMBERS``, or one that the file has as ``.top`` or ``top:``. But
    only ``hand.top`` counts if :func:`compute_edit_distance` of ``handtop`` and its first fix so far is 1. In either
    case the first possible place of the dot is taken. The fixes so far follow the new one, and the hint so far is lost.
    Errors with a new fix are replaced in ``report``. Only the first ``MAX_FINDINGS`` (8) errors for which
    :func:`find_unknown_name` gives a name are examined.
    """
    errors = [(diagnostic, name) for diagnostic in report.errors if (name := find_unknown_name(diagnostic)) is not None]
    revisions = {id(diagnostic): _suggest(diagnostic, name) for diagnostic, name in errors[:MAX_FINDINGS]}
    if revisions:
        report.revise(lambda diagnostic: revisions.get(id(diagnostic), diagnostic))


def _suggest(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """Return the diagnostic of an unknown name with a dot as hint and first fix, if the name lacks one."""
    span = diagnostic.span
    distances = [compute_edit_distance(name, edit.text) for fix in diagnostic.fixes[:1] for edit in fix.edits]
    dotted_name = _divide(name, span.source, is_certain=distances == [1])
    if dotted_name is not None:
        fix = replace_text(span, dotted_name)
        return replace(diagnostic, hint=f"write `{dotted_name}`, with a dot", fixes=(fix, *diagnostic.fixes))
    return diagnostic


def _divide(name: str, source: Source, is_certain: bool) -> str | None:
    """Return a name with a dot in it if both parts stand in the file like that, or None.

    With ``is_certain``, both parts must stand together with a dot.
    """
    text = source.text
    parts = [(name[:i], name[i:]) for i in range(1, len(name)) if not name[i].isdigit()]
    for left, right in parts:
        if re.search(rf"\b{left}\.{right}\b", text):
            return f"{left}.{right}"
    for left, right in parts if not is_certain else ():
        is_member = right in MEMBERS or re.search(rf"\.{right}\b|\b{right}:", text)
        if is_member and re.search(rf"\b{left}\b", text) and len(right) > 1:
            return f"{left}.{right}"
    return None
