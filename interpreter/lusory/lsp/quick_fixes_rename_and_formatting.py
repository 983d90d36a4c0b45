"""Make changes for the user: quick fixes for diagnostics, renaming, and formatting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from lusory_dsl.formatter import format_source
from lusory_dsl.ruleset.suppressions import IGNORABLE
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics, Edit, Fix, apply_edits
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import SHEET_EXTENSION
from lusory_dsl.source.safe_files_and_bundled_data import (
    CARDS,
    CASES,
    FileRefused,
    find_bundled_rulesets,
    list_files,
    read_bytes,
)
from lusory_dsl.source.source import Source, Span, prepend_article
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import KEYWORDS
from lusory_dsl.yaml.reader import YamlMapping, decode_source, list_entries

from .completion_hover_and_definition import read_tree, walk_scalars
from .cursor_context import blank_quoted_words
from .name_index import Index
from .project_lookup_and_checks import CheckResult, Project, check_project, list_files_of_project, list_related_projects

_WRITE = re.compile(r"\bwrite `([^`…]+)`")
_WORD = re.compile(r"[\w-]+")
_CALL = re.compile(r"(\w+)\((.+)\)")
_NAME = re.compile(r"[a-z_][a-z0-9_]*")


Places = dict[Path, list[tuple[int, int]]]
"""File -> the start and end of each of some parts of its text."""


class CannotRename(Exception):
    """The reason why a name can't be renamed, as a sentence."""


# ---------------------------------------------------------------- quick fixes


def list_own_fixes(diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """Return the fixes of a finding, or else one of its hint. Without either, the result is ().

    A hint that contains ``write `TEXT` `` gives the fix ``Write `TEXT` ``. Of several, the first without ``…`` counts.
    TEXT replaces the first of these places that fits, and without any there is no fix.

    1. the span of the finding, if it and TEXT are single words
    2. for a call such as ``f(x)``, the only ``x`` in the span, if the span doesn't contain ``f``
    3. the first part of the line with the words of TEXT but other signs or none between them: ``b c`` or ``bc`` for
       ``b.c``. It does not begin behind the start of the span
    4. the span, if TEXT is a name in small letters
    """
    suggestion = _WRITE.search(diagnostic.hint or "")
    # without a place it is not clear what the suggestion replaces
    place = None if suggestion is None else _find_replaced(diagnostic.span, suggestion[1])
    if diagnostic.fixes or suggestion is None or place is None:
        return diagnostic.fixes
    return (Fix(f"Write `{suggestion[1]}`", (Edit(place, suggestion[1]),)),)


def list_further_fixes(diagnostic: Diagnostic) -> Iterator[Fix]:
    """Yield the changes that fit every finding of its kind.

    An ``UNKNOWN_NAME``, even of a zone, gives ``Declare `x` as a variable`` and ``Declare `x` as a query``. If ``(``
    follows, it gives only the query, and for an unknown effect only ``Declare `x` as an effect``. Each inserts a new
    first entry of its section, with the value from ``_ENTRIES``: ``x: {type: Int, start: 0}`` for a variable. If the
    file lacks the section, it is added at the end. None is offered for a section in braces or without entries, or if a
    file without ``game`` lacks the section. Nor is one offered for a keyword or a name with capital letters, such as
    ``Gold``. A warning that a comment can suppress gives ``Ignore CODE here``, but not in sheets and case files. It
    inserts ``# lusory: ignore[CODE] `` above, with the same indentation. Other findings have no change.
    """
    source = diagnostic.span.source
    if diagnostic.code is diagnostic_codes.UNKNOWN_NAME:
        yield from _list_declarations(diagnostic)
    is_rule_file = not source.name.endswith(SHEET_EXTENSION) and Path(source.name).parent.name != CASES
    if diagnostic.code.id in IGNORABLE and is_rule_file:
        line, _ = source.locate(diagnostic.span.start)
        text = source.get_line(line)
        start = source.line_starts[line - 1]
        indent = text[: len(text) - len(text.lstrip())]
        remark = f"{indent}# lusory: ignore[{diagnostic.code.id}] \n"
        yield _make_insertion(f"Ignore {diagnostic.code.id} here", source, start, remark)


def _make_insertion(title: str, source: Source, offset: int, text: str) -> Fix:
    return Fix(title, (Edit(Span(source, offset, offset), text),))


def _find_replaced(span: Span, text: str) -> Span | None:
    """Return the place that ``text`` replaces at a finding, or None if it is unclear.

    It replaces a word by a word, and the argument of a call by the call. Otherwise it replaces that part of the line
    that has the same words in the same order, so that only signs and blanks change.
    """
    source, old_text = span.source, span.text
    if _WORD.fullmatch(old_text) and _WORD.fullmatch(text):
        return span
    call = _CALL.fullmatch(text)
    if call is not None and old_text.count(call[2]) == 1 and call[1] not in old_text:
        start = span.start + old_text.index(call[2])
        return Span(source, start, start + len(call[2]))
    line, _ = source.locate(span.start)
    start, line_text = source.line_starts[line - 1], source.get_line(line)
    # the words of the text with any signs between them, and the signs behind the last word
    pattern, tail = r"[^\w\n]*?".join(re.findall(r"\w+", text)), re.split(r"\w+", text)[-1]
    matches = re.finditer(rf"\b{pattern}\b", line_text) if re.match(r"\w", text) else ()
    for match in matches:
        if start + match.start() <= span.start and match[0] != text:
            end = match.end() + (len(tail) if line_text.startswith(tail, match.end()) else 0)
            return Span(source, start + match.start(), start + end)
    return span if old_text and _NAME.fullmatch(text) else None


_ENTRIES = {
    "variable": ("variables", "{type: Int, start: 0}"),
    "query": ("queries", "{value: 0}"),
    "effect": ("effects", "{do: 'announce \"…\"'}"),
}
"""Kind of name -> the section that declares it, and the shortest declaration to complete by hand."""


def _list_declarations(diagnostic: Diagnostic) -> Iterator[Fix]:
    """Yield declarations of an unknown name, as what it can be: a variable, a query or an effect.

    They stand in the section of the same file, or in a new one at the end of the file.
    """
    span = diagnostic.span
    source, name = span.source, span.text
    root = read_tree(source)
    if not _NAME.fullmatch(name) or name in KEYWORDS or not isinstance(root, YamlMapping):
        return
    is_call = source.text.startswith("(", span.end)
    kinds = ("effect",) if " effect `" in diagnostic.message else ("query",) if is_call else ("variable", "query")
    for kind in kinds:
        section, value = _ENTRIES[kind]
        title, entry = f"Declare `{name}` as {prepend_article(kind)}", f"{name}: {value}\n"
        node = root.get(section)
        if isinstance(node, YamlMapping) and node.entries and source.text[node.span.start] != "{":
            line, column = source.locate(node.entries[0][0].span.start)
            yield _make_insertion(title, source, source.line_starts[line - 1], " " * (column - 1) + entry)
        elif node is None and root.get("game") is not None:
            lead = "\n" if source.text.endswith("\n") else "\n\n"
            yield _make_insertion(title, source, len(source.text), f"{lead}{section}:\n  {entry}")


def draft_case(source: Source, line: int) -> tuple[str, Path, str] | None:
    """Return how to add a case for the card whose id is on a line, counted from 1.

    The result is the title “Add a case for `big_oak`”, the file ``cases/big_oak.yaml`` of the ruleset and its text.
    The file is not written. The text is ``cases:``, ``- id: big-oak``, ``  title: what big_oak does``, ``  steps:`` and
    ``  - do: {P1: big_oak}``, each with a line break behind it. Returns None if no card is declared there, or if its id
    is not in lower case. Also returns None if the file exists, or if a file in ``cases`` can't be read or holds the id
    of the case, ``id: big-oak``, even in a comment.
    """
    root = read_tree(source)
    cards = list_entries(root.get("cards")) if isinstance(root, YamlMapping) else ()
    card = next((key.text for key, _ in cards if key.span.line == line and _NAME.fullmatch(key.text)), None)
    if card is None:
        return None
    path = Path(source.name)
    file = (path.parent.parent if path.parent.name == CARDS else path.parent) / CASES / f"{card}.yaml"
    id = card.replace("_", "-")
    id_pattern = re.compile(rf"(?<!\w)id: *[\"']?{id}[\"']?(?:[\s,}}]|$)".encode())
    try:
        if file.exists() or any(id_pattern.search(read_bytes(other)) for other in list_files(file.parent, ".yaml")):
            return None
    except FileRefused:
        return None
    text = f"cases:\n- id: {id}\n  title: what {card} does\n  steps:\n  - do: {{P1: {card}}}\n"
    return f"Add a case for `{card}`", file, text


# ---------------------------------------------------------------- formatting


def format_buffer(text: str) -> str | None:
    """Return a file in the standard layout, with ``\\n`` at the ends of lines. None if it has mistakes."""
    source = decode_source("buffer.yaml", text.encode("utf-8", "surrogatepass"), Diagnostics())
    return None if source is None else format_source(source, Diagnostics())


# ---------------------------------------------------------------- references and rename


def list_references(definition: Span, name: str, check: CheckResult, sources: Mapping[Path, Source]) -> Places:
    """Return all places that name what is declared at ``definition``: file -> sorted pairs of start and end offset.

    Example: ``{Path("/games/nim/ruleset.yaml"): [(39, 44), (94, 99)]}``. The declaration is among them. If the name is
    not local, all ``sources`` are also searched. A key or value counts if it is the name, or has it as in ``P1.seen``,
    ``seen[P2]`` or ``seen.x``. Keys of the schema don't count, and neither do plain values of the keys in ``PROSE``,
    such as ``title`` and ``id``. A name in an effect text that the index does not resolve counts unless a local hides
    it. It doesn't count in ``seen: 1``, before a colon and a blank, but it does in ``x.seen: 1``.
    """
    places_by_file: dict[Path, set[tuple[int, int]]] = {}
    for file, use in check.index.iterate_uses(definition):
        if use.name == name:  # the index of a variable, or a space of a board, has the place of its declaration
            places_by_file.setdefault(Path(file), set()).add((use.start, use.end))
    if not check.index.is_local(definition):
        for path, source in sources.items():
            places = set(_find_words(name, source, check.index))
            if places:
                places_by_file.setdefault(path, set()).update(places)
    # the span of the declaration can include quotes
    start = definition.start + max(definition.text.find(name), 0)
    places_by_file.setdefault(Path(definition.source.name), set()).add((start, start + len(name)))
    return {path: sorted(places) for path, places in places_by_file.items()}


def _find_words(name: str, source: Source, index: Index) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each key, value and unresolved name in a file that :func:`list_references` counts.

    A file that can't be read gives none.
    """
    word = re.compile(rf"(?<![\w.]){re.escape(name)}\b(?!\s*:\s)|(?<=\.){re.escape(name)}\b")
    place = re.compile(rf"(?:P\d+\.)?({re.escape(name)})(?:\[.*\])?(?:\.\w+)?")
    file = index.files.get(source.name)
    uses = {use.start for use in file.uses} if file is not None else set()
    for scalar, language, is_prose in walk_scalars(source):
        text = scalar.embedded_text
        if language is None:
            if not is_prose and (exact_match := place.fullmatch(scalar.text)):
                offset = text.make_span(*exact_match.span(1)).start
                yield offset, offset + len(name)
            continue
        for match in word.finditer(blank_quoted_words(scalar.text, language)):
            offset = text.make_span(*match.span()).start
            is_local = file is not None and name in file.find_locals(offset)
            if offset not in uses and not is_local:
                yield offset, offset + len(name)


def rename(
    definition: Span, name: str, new: str, project: Project, buffers: Mapping[Path, str]
) -> tuple[Places, dict[Path, Source]]:
    """Return the places at which to write ``new`` for what is declared at ``definition``, and the sources of all files.

    The places are as in :func:`list_references`: file -> sorted pairs of start and end offset. They cover the project,
    and all packs for its game that are near it. For a declaration of a pack, they cover only the project. Raises
    CannotRename unless ``new`` consists of ``a-z``, ``0-9`` and ``_``, and begins with no digit. Also raises it if
    ``new`` is a keyword, or a whole word anywhere in the files. Other reasons are a name of the bundled game of a pack,
    errors in the game or one of these packs, or a check with the new name that gives other findings or another number
    of uses. Raises FileRefused for a file that can't be read.
    """
    if not _NAME.fullmatch(new) or new in KEYWORDS:
        raise CannotRename(f"`{new}` can't be a name: names have small letters, digits and underscores")
    declared_in = Path(definition.source.name)
    if project.packs and any(declared_in.is_relative_to(game) for game in find_bundled_rulesets().values()):
        raise CannotRename(f"`{name}` belongs to the bundled game that this pack is for")
    projects = (
        [project] if any(declared_in.is_relative_to(pack) for pack in project.packs) else list_related_projects(project)
    )
    sources = {path: source for variant in projects for path, source in find_sources(variant, buffers).items()}
    new_word = re.compile(rf"\b{new}\b")
    if any(new_word.search(source.text) for source in sources.values()):
        raise CannotRename(f"`{new}` already occurs in this game")
    checks_before = {variant: check_project(variant, buffers) for variant in projects}
    places: Places = {}
    for variant, check in checks_before.items():
        if any(diagnostic.severity == "error" for findings in check.diagnostics.values() for diagnostic in findings):
            game = f"the pack {variant.packs[0].name}" if variant.packs else "this game"
            raise CannotRename(f"mend the errors of {game} first")
        places |= list_references(definition, name, check, find_sources(variant, buffers))
    edits = (
        Edit(Span(sources[path], start, end), new)
        for path, pairs in places.items()
        if path in sources
        for start, end in pairs
    )
    texts = {Path(name): text for name, text in apply_edits(edits).items()}
    for variant, check in checks_before.items():
        if _summarize(check) != _summarize(check_project(variant, {**buffers, **texts})):
            raise CannotRename(f"some uses of `{name}` could not be told apart from other names; rename it by hand")
    return places, sources


def _summarize(check: CheckResult) -> list[tuple[str, int]]:
    """Return the findings of a check and the number of resolved names, which a rename must not change.

    It may change the rules of a card whose text is accepted, so that finding is left out.
    """
    codes = sorted(
        finding.code.id
        for findings in check.diagnostics.values()
        for finding in findings
        if finding.code is not diagnostic_codes.RULES_DIFFER
    )
    count = sum(len(file.uses) for file in check.index.files.values())
    return [*((code, 0) for code in codes), ("uses", count)]


def find_sources(project: Project, buffers: Mapping[Path, str]) -> dict[Path, Source]:
    """Return file -> its Source, for each file of a project, with buffers in place of files on disk.

    Files are in the order of :func:`list_files_of_project`, which also has buffers of new files in the project's
    folders. Files that can't be decoded are left out. Raises FileRefused for a file that can't be read.
    """
    sources = {}
    for file in list_files_of_project(project, buffers):
        data = buffers[file].encode("utf-8", "surrogatepass") if file in buffers else read_bytes(file)
        source = decode_source(str(file), data, Diagnostics())
        if source is not None:
            sources[file] = source
    return sources
