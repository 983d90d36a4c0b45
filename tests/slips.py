"""Generate slips: a sign, word, key or line of a ruleset that is missing or moved.

The tests count whether `check` reports a slip, whether the first diagnostic is helpful, and how many further
diagnostics follow. A helpful diagnostic points to the line of the slip or names the missing word.

The suite tries a few slips (test_slips.py), `python tests/quick_fixes.py` tries more. All samples come from fixed
seeds. A slip that `check` accepts need not be a mistake: many keys are optional, and much text is still valid after
the change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from mutation_corpus import TEMPLATES, Corpus, Mutant, Trial, names_right_word

from lusory_dsl.pipeline import check
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import enable_cache
from lusory_dsl.source.source import EmbeddedText, Source, Span
from lusory_dsl.syntax import parser
from lusory_dsl.syntax.lark_parse_trees_and_indentation import STARTS
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text

SIGNS = {
    "COLON": "colon",
    "COMMA": "comma",
    "QUOTE": "quotation mark",
    "LPAR": "bracket",
    "RPAR": "bracket",
    "LSQB": "bracket",
    "RSQB": "bracket",
    "LBRACE": "bracket",
    "RBRACE": "bracket",
    "DOT": "dot",
}
"""Token kind -> its name in the table. Other tokens count as words if they have letters, else as operators."""

SKIPPED_KINDS = ("WORDS", "TEMPLATE_WORDS", "_NL", "_INDENT", "_DEDENT")


def list_slips(corpus: Corpus) -> list[Mutant]:
    """Return all slips of one ruleset, in a fixed pseudorandom order."""
    mutants: list[Mutant] = []
    for source in corpus.sources.values():
        mutants += _list_yaml_slips(corpus, source)
    for field, embedded in corpus.texts:
        mutants += _list_text_slips(corpus, field, embedded)
    unique = {(mutant.span.source.name, mutant.span.start, mutant.span.end, mutant.text): mutant for mutant in mutants}
    return sorted(unique.values(), key=lambda mutant: crc32(mutant.key.encode()))


# ---------------------------------------------------------------- YAML


def _list_yaml_slips(corpus: Corpus, source: Source) -> Iterator[Mutant]:
    root = read_text(source, Diagnostics())
    names = {(word.span.source.name, word.span.start) for _, _, word in corpus.words}
    todo: list[tuple[YamlNode | None, int]] = [(root, 0)]
    while todo:
        node, depth = todo.pop()
        if isinstance(node, YamlMapping):
            yield from _list_bracket_slips(corpus, node, "{")
            for key, value in node.entries:
                declares = (source.name, key.span.start) in names
                yield from _list_entry_slips(corpus, node, key, value, is_deletable=depth > 0 and not declares)
                todo.append((value, depth + 1))
        elif isinstance(node, YamlSequence):
            yield from _list_bracket_slips(corpus, node, "[")
            todo += [(item, depth + 1) for item in node.items]
        elif isinstance(node, YamlScalar) and node.style in ("'", '"'):
            for offset in (node.span.start, node.span.end - 1):
                yield Mutant(corpus.name, "YAML: quotation mark lost", Span(source, offset, offset + 1), "")
    for match in re.finditer(r"^( *)(- )?[\w-]+:(?: |$)", source.text, re.MULTILINE):
        start = match.start()
        for width in (1, 2):
            yield Mutant(corpus.name, "YAML: line further in", Span(source, start, start), " " * width)
            if len(match[1]) >= width:
                yield Mutant(corpus.name, "YAML: line further out", Span(source, start, start + width), "")
        if match[2]:
            yield Mutant(corpus.name, "YAML: dash lost", Span(source, match.start(2), match.end(2)), "  ")


def _list_entry_slips(
    corpus: Corpus, mapping: YamlMapping, key: YamlScalar, value: YamlNode, is_deletable: bool
) -> Iterator[Mutant]:
    source, text = key.span.source, key.span.source.text
    colon = text.find(":", key.span.end)
    if text[colon : colon + 2] == ": ":
        yield Mutant(corpus.name, "YAML: colon lost", Span(source, colon, colon + 1), "")
        yield Mutant(corpus.name, "YAML: space behind a colon lost", Span(source, colon + 1, colon + 2), "")
        if isinstance(value, YamlScalar) and not value.style and "\n" not in text[colon : value.span.end]:
            yield Mutant(corpus.name, "YAML: value lost", Span(source, colon + 1, value.span.end), "", word="")
    elif text[colon : colon + 2] == ":\n":
        yield Mutant(corpus.name, "YAML: colon lost", Span(source, colon, colon + 1), "")
    if is_deletable:
        yield from _delete_entry(corpus, mapping, key, value)


def _delete_entry(corpus: Corpus, mapping: YamlMapping, key: YamlScalar, value: YamlNode) -> Iterator[Mutant]:
    """Yield the slip that deletes a key and its value. Yields nothing if the key is the only one of its mapping."""
    source, text = key.span.source, key.span.source.text
    if len(mapping.entries) == 1:
        return
    start, end = key.span.start, max(value.span.end, key.span.end + 1)
    if text[mapping.span.start] == "{":
        comma_after = re.compile(r"\s*,\s*").match(text, end)
        comma_before = re.compile(r",\s*$").search(text, mapping.span.start, start)
        start = comma_before.start() if comma_before and not comma_after else start
        end = comma_after.end() if comma_after else end
    else:
        line = text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", end - 1 if text[end - 1] == "\n" else end)
        # The first key of a list item shares its line with the dash.
        if text[line:start].strip():
            return
        start, end = line, len(text) if line_end < 0 else line_end + 1
    yield Mutant(corpus.name, "YAML: key lost", Span(source, start, end), "", cure=key.text)


def _list_bracket_slips(corpus: Corpus, node: YamlNode, opening: str) -> Iterator[Mutant]:
    if node.span.source.text[node.span.start] == opening:
        for offset in (node.span.start, node.span.end - 1):
            yield Mutant(corpus.name, "YAML: bracket lost", Span(node.span.source, offset, offset + 1), "")
        commas = list(re.finditer(",", node.span.source.text[node.span.start : node.span.end]))
        for comma in commas[:3]:
            offset = node.span.start + comma.start()
            yield Mutant(corpus.name, "YAML: comma lost", Span(node.span.source, offset, offset + 1), "")


# ---------------------------------------------------------------- effect text


def _list_text_slips(corpus: Corpus, field: str, embedded: EmbeddedText) -> Iterator[Mutant]:
    starts = ["template"] if field in TEMPLATES else STARTS
    parses = (parser.parse_with_tokens(start, embedded, Diagnostics()) for start in starts)
    tokens = next((result[1] for result in parses if result is not None), ())
    for token in tokens:
        if token.type in SKIPPED_KINDS or not token:
            continue
        kind = SIGNS.get(token.type) or ("word" if token.isalnum() or token.isidentifier() else "operator")
        end = token.end_pos
        if kind == "word" and embedded.text[end : end + 1] == " ":
            end += 1
        yield Mutant(corpus.name, f"effect text: {kind} lost", embedded.make_span(token.start_pos, end), "")
    for match in re.finditer(r"(?<=\n)( *)(?=\S)", embedded.text):
        span = embedded.make_span(match.start(), match.start() + 1)
        place = Span(span.source, span.start, span.start)
        yield Mutant(corpus.name, "effect text: line further in", place, "  ")
        if len(match[1]) >= 2:
            yield Mutant(
                corpus.name, "effect text: line further out", Span(place.source, place.start, place.start + 2), ""
            )


# ---------------------------------------------------------------- trials


def is_first(mutant: Mutant, diagnostics: list[Diagnostic]) -> bool:
    """Return whether the first diagnostic points to the line of the slip or names the missing word or key.

    For a line that moved, the lines before and after it count too, because each can be aligned with the other.
    """
    first = diagnostics[0]
    message = f"{first.message} {first.hint or ''}"
    start, margin = mutant.span.line, "further" in mutant.kind or "dash" in mutant.kind
    lines = range(start - margin, start + mutant.text.count("\n") + 1 + margin)
    if Path(first.span.source.name).name == Path(mutant.span.source.name).name and first.span.line in lines:
        return True
    has_cure = bool(mutant.cure) and f"`{mutant.cure}" in message
    return has_cure or (mutant.is_misspelt and names_right_word(mutant, [first]))


def draw_mutants(corpus: Corpus, limit: int) -> Iterator[Mutant]:
    """Yield at most ``limit`` mutants of each kind, from the slips and from the mutation corpus."""
    counts = Counter[str]()
    for mutant in (*list_slips(corpus), *corpus.list_mutants()):
        counts[mutant.kind] += 1
        if counts[mutant.kind] <= limit:
            yield mutant


def try_mutants(name: str, path: Path, folder: Path, limit: int) -> Iterator[tuple[Mutant, list[Diagnostic]]]:
    """Check at most ``limit`` mutants of each kind in a ruleset.

    Yields each mutant with its diagnostics, without those that the unchanged ruleset has.
    """
    with enable_cache() as memory:
        corpus = Corpus(name, path)
        trial = Trial(corpus, folder, memory)
        diagnostics = Diagnostics()
        check(trial.folder, diagnostics)
        known = {(diagnostic.code.id, diagnostic.message) for diagnostic in diagnostics.list_sorted()}
        for mutant in draw_mutants(corpus, limit):
            reports = trial.list_diagnostics(mutant)
            yield mutant, [report for report in reports if (report.code.id, report.message) not in known]
