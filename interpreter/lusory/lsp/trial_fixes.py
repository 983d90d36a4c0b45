"""Find changes that cure a finding by trying them: a missing or wrong word, value, key or indentation.

:func:`list_fixes` collects candidates from the place of the finding, the likeliest first, and checks the game with each
of them. A candidate that removes the finding and causes no error is a cure. This takes as long as some checks do, so it
only happens when an editor asks for quick fixes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lusory_dsl.formatter.yaml_layout import VALUE
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic, Edit, Fix, remove_item, replace_text
from lusory_dsl.source.safe_files_and_bundled_data import CASES
from lusory_dsl.source.source import EmbeddedText, Source, Span, count_indent, has_content
from lusory_dsl.source.spelling_suggestions import compute_edit_distance
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import KEYWORDS
from lusory_dsl.syntax.lark_parse_trees_and_indentation import STARTS, ParseFault, get_terminal_spellings, parse_tree
from lusory_dsl.syntax.misspelt_keywords_and_token_prediction import find_statement, predict_tokens, space_word
from lusory_dsl.types.builtin_functions_members_and_statements import FUNCTIONS, MEMBERS, SPACE_MEMBERS

from .completion_hover_and_definition import find_expected, walk_scalars
from .cursor_context import find_cursor_context
from .name_index import Index
from .quick_fixes_rename_and_formatting import list_own_fixes

MAX_FIXES = 5
"""At most this many changes are offered for one finding."""
MAX_CURES = 8
"""Number of cures after which no more are searched."""
MAX_CHECKS = 32
MAX_PARSES = 300
MAX_CHARACTERS = 60_000
"""Limits of the work for one finding: checks of the game, parses of one statement, and the length of the file."""
MAX_PARSED_CHARACTERS = 1_500
REACH = 6
"""Number of words before a finding at which a missing word is tried."""
POOL = 60
"""Number of words that are tried in one place."""

Check = Callable[[Fix], list[Diagnostic]]
"""Returns the findings of the game after a change."""


@dataclass(frozen=True)
class _Candidate:
    """A change to try. One with a low ``cost`` is likely."""

    cost: float
    fix: Fix


def list_fixes(
    diagnostic: Diagnostic,
    findings: Iterable[Diagnostic],
    index: Index,
    check: Check,
    is_over: Callable[[], bool] = lambda: False,
) -> list[Fix]:
    """Return the fixes of a finding, at most ``MAX_FIXES``, the likeliest first: those with fewest new warnings.

    ``check(fix)`` returns the findings of the game after a fix, and ``findings`` are those before. A change is a cure
    if there are fewer findings with the finding's code and message, and no new errors. With equally many warnings, the
    finding's own fixes, those of :func:`list_own_fixes`, come before others, and cheap changes before expensive ones.
    Own fixes that are no cure, or weren't tried, come last. The search ends after ``MAX_CURES`` cures, after
    ``MAX_CHECKS`` other changes (repeated ones count, too), or as soon as ``is_over()`` is true. It also ends after a
    cure by an own fix that only respells words or changes keywords and signs, without a new warning. Files of more than
    ``MAX_CHARACTERS`` and files in a folder ``cases`` only get the first own fixes, unchecked.
    """
    source, own_fixes = diagnostic.span.source, list_own_fixes(diagnostic)
    if len(source.text) > MAX_CHARACTERS or Path(source.name).parent.name == CASES:
        return list(own_fixes[:MAX_FIXES])
    old_findings = Counter((finding.code.id, finding.message) for finding in findings)
    own_changes = [_Candidate(number - len(own_fixes), fix) for number, fix in enumerate(own_fixes)]
    cures: list[tuple[int, float, Fix]] = []
    tried_changes = set()
    for candidate in islice(_iterate_candidates(own_changes, diagnostic, index), MAX_CHECKS + len(own_changes)):
        change = tuple((edit.span.start, edit.span.end, edit.text) for edit in candidate.fix.edits)
        if change in tried_changes:
            continue
        tried_changes.add(change)
        if is_over():
            break
        new_warnings = _count_new_warnings(check(candidate.fix), diagnostic, old_findings)
        if new_warnings is None:
            continue
        cures.append((new_warnings, candidate.cost, candidate.fix))
        is_certain = candidate.cost < 0 and not new_warnings and _is_certain(candidate.fix)
        if is_certain or len(cures) >= MAX_CURES:
            break
    cures.sort(key=lambda cure: cure[:2])
    fixes = [fix for *_, fix in cures]
    return [*fixes, *(fix for fix in own_fixes if fix not in fixes)][:MAX_FIXES]


def _iterate_candidates(own_changes: list[_Candidate], diagnostic: Diagnostic, index: Index) -> Iterator[_Candidate]:
    """Yield the finding's own fixes. Search for others only if these were not enough."""
    yield from own_changes
    yield from _list_candidates(diagnostic, index)


def _count_new_warnings(
    findings: list[Diagnostic], target: Diagnostic, old_counts: Counter[tuple[str, str]]
) -> int | None:
    """Return how many warnings a change has caused. Returns None if it causes an error or leaves the finding."""
    counts = Counter((finding.code.id, finding.message) for finding in findings)
    key = target.code.id, target.message
    new_counts = counts - old_counts
    if any(code.startswith("E") for code, _ in new_counts) or counts[key] >= max(old_counts[key], 1):
        return None
    return new_counts.total()


def _is_certain(fix: Fix) -> bool:
    """Return whether a fix corrects the spelling of words, or changes only words of the language, signs and blanks.

    A brace or a ``|`` is uncertain, because text for people can contain or follow it.
    """
    for edit in fix.edits:
        old_text = edit.span.text
        limit = max(1, len(old_text) // 3)
        is_respelling = old_text.strip() and edit.text and compute_edit_distance(old_text, edit.text, limit) <= limit
        if not is_respelling and not {*re.findall(r"\w+|[{}|]", edit.text)} <= KEYWORDS:
            return False
    return True


def _list_candidates(diagnostic: Diagnostic, index: Index) -> list[_Candidate]:
    """Return all changes to try, sorted by cost, the cheapest first. They depend on the code of the finding.

    The same change can occur twice.
    """
    text = _find_effect_text(diagnostic.span)
    candidates: list[_Candidate] = []
    subject = diagnostic.code.id[1:3]
    if subject in ("01", "02") or diagnostic.code is diagnostic_codes.CARD_FIELDS:
        candidates += [*_move_lines(diagnostic.span), *_fill_values(diagnostic.span, index)]
        candidates += _add_keys(diagnostic, index)
    elif subject == "03" or diagnostic.code is diagnostic_codes.UNREACHABLE:
        candidates += _move_lines(diagnostic.span)
    if text is None:
        if subject in ("02", "04", "05", "06"):
            candidates += _replace_data(diagnostic, index)
    elif subject == "03":
        candidates += _insert_words(diagnostic, text, index)
    elif subject in ("04", "05"):
        candidates += [*_replace_words(diagnostic, index), *_insert_words(diagnostic, text, index)]
    if subject == "03" and text is None:
        candidates += _fill_values(diagnostic.span, index)
    return sorted(candidates, key=lambda candidate: candidate.cost)


def _insert(source: Source, offset: int, text: str, cost: float) -> _Candidate:
    insertion = text.strip()
    return _Candidate(cost, Fix(f"Insert `{insertion}`", (Edit(Span(source, offset, offset), text),)))


# ---------------------------------------------------------------- effect text


@dataclass(frozen=True)
class _EffectText:
    """An effect text of a file, and the start rule of the grammar for it."""

    embedded: EmbeddedText
    start: str
    span: Span


def _find_effect_text(place: Span) -> _EffectText | None:
    """Return the effect text that a place lies in, or None if it is other YAML or the file can't be read."""
    for scalar, language, _ in walk_scalars(place.source):
        if language in (*STARTS, VALUE) and scalar.span.start <= place.start <= scalar.span.end:
            return _EffectText(scalar.embedded_text, "block" if language == VALUE else language, scalar.span)
    return None


_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\.\.|[<>!]=|[^\s\w]")
_LITERALS = {"Int": ("1", "0", "2"), "Bool": ("true", "false"), "List": ("[]",)}
_OTHER_WORDS = ("1", "0", "true", "false", "none", "me", "it", "players")
_NEEDED = re.compile(r"an? `(\w+)[^`]*` is needed")


def _replace_words(diagnostic: Diagnostic, index: Index) -> Iterator[_Candidate]:
    """Yield other words in place of a wrong one, and the removal of an item that is too much."""
    span = diagnostic.span
    text_before = span.source.text[: span.start]
    is_member = text_before.endswith(".")
    needed_type = _NEEDED.search(diagnostic.message)
    costs = _rate_words(span, index, is_member)
    for number, word in enumerate(_LITERALS.get(needed_type[1], ()) if needed_type is not None else ()):
        costs[word] = min(costs.get(word, 9), 0.3 + number / 10)
    hinted_words = re.findall(r"`(\w+)`", diagnostic.hint or "")
    for word in hinted_words:
        if word in costs:
            costs[word] -= 0.6  # such as the members that the hint lists
    old_text = span.text
    for word, cost in sorted(costs.items(), key=lambda item: item[1])[:POOL]:
        if word != old_text:
            yield _Candidate(cost, replace_text(span, word, is_guess=word not in hinted_words))
    if text_before.rstrip().endswith(","):
        yield _Candidate(0.2, remove_item(span))
    next_item = re.compile(r", *[\w.]+(?=[\])])").match(span.source.text, span.end)
    if next_item is not None:
        extra_span = Span(span.source, *next_item.span())
        yield _Candidate(0.1, Fix(f"Remove `{next_item[0].strip(', ')}`", (Edit(extra_span, ""),)))


def _rate_words(place: Span, index: Index, is_member: bool) -> dict[str, float]:
    """Return the words that could stand at a place, each with its cost.

    Words between the same neighbours elsewhere are likely. Then come names near the place.
    """
    source, text = place.source, place.source.text
    costs: dict[str, float] = {}
    for word in sorted(_list_names(place, index, is_member)):  # the same order in every process
        distance = min((abs(start - place.start) for start in _find_word(text, word)), default=len(text))
        costs[word] = 1.2 + min(distance, 4000) / 8000 + 0.4 * (distance == len(text))
    for word, likeness in predict_tokens(text, place.start, place.end).items():
        if word.isidentifier() or word.isdigit():
            costs[word] = min(costs.get(word, 9), 1.4 - likeness)
    line, _ = source.locate(place.start)
    nearby_words = set(re.findall(r"\w+", " ".join(source.get_line(n) for n in (line - 1, line) if n > 0)))
    return {word: cost - 0.15 * (word in nearby_words) for word, cost in costs.items()}


def _list_names(place: Span, index: Index, is_member: bool) -> set[str]:
    """Return the names that the game or the language declares for a place."""
    names = {name.rpartition(".")[2] for name in index.names.symbols}
    names |= {value.name for values in index.names.values.values() for value in values}
    names |= {field for kind in index.names.kinds.values() for field in kind.fields}
    if is_member:
        return names | set(MEMBERS) | {member.name for member in SPACE_MEMBERS}
    file = index.files.get(place.source.name)
    names |= set(file.find_locals(place.start)) if file is not None else set()
    names |= {*index.names.list_type_names(), *index.names.constants}
    line_start = place.source.text.rfind("\n\n", 0, place.start)
    block = place.source.text[max(line_start, place.start - 1500, 0) : place.start + 300]
    names |= set(re.findall(r"\b(?:for each|for|let|as|choose|in|of|pick|roll|each) (\w+)", block)) - KEYWORDS
    return names | set(_OTHER_WORDS)


def _find_word(text: str, word: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(rf"\b{re.escape(word)}\b", text))


def _insert_words(diagnostic: Diagnostic, text: _EffectText, index: Index) -> Iterator[_Candidate]:
    """Yield words that can be missing at a finding or shortly before it, if the statement parses with them."""
    embedded, source = text.embedded, diagnostic.span.source
    inner_start = diagnostic.span.start - embedded.base.start
    offset = next((n for n, place in enumerate(embedded.offsets) if place >= inner_start), len(embedded.text))
    result, _ = parse_tree(text.start, embedded.text)
    fault = result if isinstance(result, ParseFault) else None
    first, last = 0, len(embedded.text)
    if fault is not None:
        first, last = find_statement(text.start, embedded.text, fault)
        offset = max(offset, fault.start)
    if last - first > MAX_PARSED_CHARACTERS:
        return
    candidates: list[tuple[float, int, str]] = []
    statement_starts = [] if fault is None else [token.start_pos for token in fault.layout.statement[:2]]
    # the starts of the words around the place, the nearest first: the one behind it, it, and some before
    starts = [match.start() for match in _TOKEN.finditer(embedded.text)] + [len(embedded.text.rstrip())]
    earlier_starts = [start for start in starts if start <= offset][-REACH:][::-1]
    later_starts = [start for start in starts if start > offset][:1]
    places = [*earlier_starts[:1], *later_starts, *earlier_starts[1:], *statement_starts]
    for distance, place in enumerate(dict.fromkeys(places)):
        expected = find_expected(text.start, embedded.text[:place])
        outer = embedded.base.start + embedded.offsets[place]
        word_costs = _rate_words(Span(source, outer, outer), index, embedded.text[:place].rstrip().endswith("."))
        words = _select_words(expected, word_costs)
        candidates += ((cost + distance * 0.12, place, word) for word, cost in words.items())
    for cost, place, word in sorted(candidates)[:MAX_PARSES]:
        insertion = space_word(embedded.text, place, word)
        changed_text = embedded.text[first:place] + insertion + embedded.text[place:last]
        result, layout = parse_tree(text.start, changed_text, is_trial=True)
        if not isinstance(result, ParseFault) and not layout.odd_indents:
            is_quoted = source.text[text.span.start] == '"'
            insertion = insertion.replace('"', '\\"') if is_quoted else insertion
            yield _insert(source, embedded.base.start + embedded.offsets[place], insertion, cost)


def _select_words(expected: frozenset[str], word_costs: dict[str, float]) -> dict[str, float]:
    """Return the words with the terminals that are expected, each with its cost: keywords, signs, names, numbers."""
    costs = {}
    spellings = get_terminal_spellings()
    for terminal in sorted(expected):
        word = spellings.get(terminal, "")
        if word and not word.startswith("_"):
            costs[word] = word_costs.get(word, 1.1 if word.isalpha() else 1.3)
    if "NAME" in expected:
        costs |= {word: cost for word, cost in word_costs.items() if word not in KEYWORDS and not word.isdigit()}
        costs |= {word: word_costs.get(word, 1.3) for word in FUNCTIONS}
    if "INT" in expected:
        costs |= {word: word_costs.get(word, 1.4) for word in ("1", "0", "2")}
    return dict(sorted(costs.items(), key=lambda item: item[1])[:POOL])


# ---------------------------------------------------------------- YAML


def _move_lines(place: Span) -> Iterator[_Candidate]:
    """Yield other indentations of the line of a finding and the lines beside it."""
    source = place.source
    lines = source.text.split("\n")
    number = place.line - 1
    for line in (number, number + 1, number - 1):
        if not 0 <= line < len(lines) or not has_content(lines[line]):
            continue
        indent = count_indent(lines[line])
        indents = [count_indent(text) for text in lines[max(line - 4, 0) : line + 4] if has_content(text)]
        widths = {other + extra for other in indents for extra in (0, 2)} | {indent + 2, max(indent - 2, 0)}
        for width in sorted(widths - {indent}, key=lambda width: abs(width - indent)):
            start = source.line_starts[line]
            edit = Edit(Span(source, start, start + indent), " " * width)
            title = f"Indent line {line + 1} by {width} spaces" if width else f"Begin line {line + 1} at the left edge"
            yield _Candidate(1 + abs(line - number) / 10 + abs(width - indent) / 20, Fix(title, (edit,)))


_EMPTY = re.compile(r"([\w-]+):(?= *(?:[,}]|$))", re.MULTILINE)


def _fill_values(place: Span, index: Index) -> Iterator[_Candidate]:
    """Yield values for the keys without one in the line of a finding and the line above it."""
    source = place.source
    for number in (place.line, place.line - 1):
        for key in _EMPTY.finditer(source.get_line(number)) if number > 0 else ():
            offset = source.line_starts[number - 1] + key.end()
            for value, cost in _rate_values(key[1], source, offset, index).items():
                yield _insert(source, offset, f" {value}", cost + 0.3 * (number != place.line))


_MISSING = re.compile(r"`(\w+)` is missing$")


def _add_keys(diagnostic: Diagnostic, index: Index) -> Iterator[_Candidate]:
    """Yield entries for a key that is missing in the mapping at a finding."""
    missing_key, span = _MISSING.search(diagnostic.message), diagnostic.span
    source, text = span.source, span.source.text
    if missing_key is None:
        return
    inline = re.compile(r"[^\n]*?\{ *").match(text, source.line_starts[span.line - 1])
    if inline is not None:
        for value, cost in _rate_values(missing_key[1], source, inline.end(), index).items():
            yield _insert(source, inline.end(), f"{missing_key[1]}: {value}, ", cost)
        return
    lines = text.split("\n")
    line = lines[span.line - 1]
    dash = re.match(r" *- ", line)
    next_line = next((other_line for other_line in lines[span.line :] if has_content(other_line)), "")
    indent = len(dash[0]) if dash is not None else count_indent(next_line)
    offset = source.line_starts[span.line] if span.line < len(lines) else len(text)
    for value, cost in _rate_values(missing_key[1], source, offset, index).items():
        yield _insert(source, offset, f"{' ' * indent}{missing_key[1]}: {value}\n", cost)


def _replace_data(diagnostic: Diagnostic, index: Index) -> Iterator[_Candidate]:
    """Yield other values in place of a wrong one that is no effect text."""
    span = diagnostic.span
    text = span.source.text
    key = re.compile(r"[\s\S]*?([\w-]+): *[\"'\[]?$").match(text[max(text.rfind("\n", 0, span.start), 0) : span.start])
    if key is None:
        return
    for value, cost in _rate_values(key[1], span.source, span.start, index).items():
        yield _Candidate(cost, replace_text(span, value))


_DEFAULTS = {"Int": ("0", "1"), "Bool": ("false", "true"), "Player": ("players.first",), "List": ('"[]"',)}
_TYPE_KEY = re.compile(r"\btype: *[\"']?(\w+)(\??)")


def _rate_values(key: str, source: Source, offset: int, index: Index) -> dict[str, float]:
    """Return values for a key at an offset of a file, each with its cost.

    They are the words that the schema allows, the values of the same key elsewhere in the file, names, and small
    numbers. If the same declaration names a type, a first value for it is among them.
    """
    line, column = source.locate(offset)
    lines = source.text.split("\n")
    costs: dict[str, float] = {}
    field = find_cursor_context(lines, line - 1, column - 1).field
    if key in field.keys:
        field = field.descend_to_key(key)
    for number, value in enumerate(field.values):
        costs[value] = 0.9 + number / 100
    nearby_text = "\n".join(lines[max(line - 3, 0) : line + 3])
    type_match = None if key == "type" else _TYPE_KEY.search(source.get_line(line)) or _TYPE_KEY.search(nearby_text)
    defaults: tuple[str, ...] = ()
    if type_match is not None:
        defaults = ("none",) if type_match[2] else _DEFAULTS.get(type_match[1], ())
    for number, value in enumerate(defaults):
        costs.setdefault(value, 0.5 + number / 10)
    same_keys = re.finditer(rf"\b{re.escape(key)}: +(\"[^\"\n]*\"|'[^'\n]*'|\[[^\]\n]*\]|[^,}}\n#|>\[]+)", source.text)
    uses = Counter(match[1].strip() for match in same_keys)
    for value, count in uses.most_common(12):
        costs[value] = min(costs.get(value, 9), 0.8 - 0.3 * count / uses.total())
    if field.language is not None:
        nearby_words = set(re.findall(r"\w+", " ".join(lines[max(line - 2, 0) : line + 1]).lower()))
        for name in sorted(_list_names(Span(source, offset, offset), index, False)):
            value = f'"{{{name}}}"' if field.language == "template" else name
            costs.setdefault(value, 1.0 - 0.5 * (name.lower() in nearby_words) + 0.2 * (name not in source.text))
    elif key in ("type", "kind", "holds", "per", "board", "of"):
        for name in index.names.list_type_names():
            costs.setdefault(name, 0.9)
    for number, value in enumerate(("2", "1", "3", "0", "4")):
        costs.setdefault(value, 1.2 + number / 10)
    return dict(sorted(costs.items(), key=lambda item: item[1])[:POOL])
