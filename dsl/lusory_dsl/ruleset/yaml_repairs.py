"""Find the edit that cures a mistake in the layout of a YAML file: an indentation, a sign, a bracket or a quote.

The reader and the schema say where a file stops making sense. Small edits around that place are tried, the most likely
first. An edit is a cure if the lines around it are valid YAML afterwards and fit the schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import ValueRecord, replace
from ..source.diagnostics import Diagnostic, Diagnostics, Edit, Fix
from ..source.source import Source, Span, count_indent, has_content
from ..yaml.reader import YamlMapping, make_source, read_text
from .schema_validation import has_valid_shape, list_sections

MAX_ATTEMPTS = 120
"""Maximum number of edits that are tried for one file."""
MAX_FILE_CHARACTERS = 200_000
"""Maximum length of a file that is repaired."""
MAX_LINES = 40
MAX_LINE_LENGTH = 400
MAX_CHARACTERS = 6_000
"""Limits of the lines that are read again after each edit."""
REACH = 3
"""Number of lines above and below a finding in which edits are tried."""


class _Attempt(ValueRecord):
    """An edit to try: replace the columns ``start`` to ``end`` of line ``number`` by ``text``. A low cost is likely."""

    cost: float
    number: int
    start: int
    end: int
    text: str
    title: str


def add_fix(source: Source, findings: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings of a file, with a fix for the first error if one edit of a line cures it.

    An edit changes the indentation of a line (``Indent this line by 2 spaces``), or inserts a sign such as ``:``, a
    comma, a bracket or a quote (``Insert `:```), or ``- `` in place of two blanks. It cures the error if the section
    around it is then valid YAML and fits the schema of rulesets, with all required keys. All further findings in the
    section are left out. In a section of more than ``MAX_LINES``, only the declarations near the error count. The
    error moves to the edited line if the edit inserts a blank, ``:``, ``|`` or ``- ``, or indents another line. It also
    moves if its code begins with ``E02`` and its own line is indented. It then has no notes, and a new message and
    hint, such as ``this line is indented too little``. Its code becomes YAML_SYNTAX for a blank or ``:``, and
    UNKNOWN_KEY if an indentation cures an ``E02`` error.

    Returns ``findings`` itself if none of the ``MAX_ATTEMPTS`` likeliest edits cures the error, if a value behind the
    ``:`` of its line would, or if the section is valid without an edit. It also does if there is no error, it has a fix
    already, is ``TOO_LARGE`` or is in another file, or if the file has more than ``MAX_FILE_CHARACTERS`` or the section
    more than ``MAX_CHARACTERS``.
    """
    index = next((i for i, finding in enumerate(findings) if finding.severity == "error"), None)
    if index is None or findings[index].fixes or findings[index].span.source is not source:
        return findings
    if findings[index].code is codes.TOO_LARGE or len(source.text) > MAX_FILE_CHARACTERS:
        return findings
    lines = source.text.split("\n")
    places = [finding.span.line - 1 for finding in findings[index : index + 2] if finding.severity == "error"]
    attempt = _find_cure(lines, places, findings[index].span.column - 1)
    if attempt is None:
        return findings
    start, line = source.line_starts[attempt.number], lines[attempt.number]
    edit = Edit(Span(source, start + attempt.start, start + attempt.end), attempt.text)
    finding = replace(findings[index], fixes=(Fix(attempt.title, (edit,)),))
    is_about_shape = finding.code.id.startswith("E02")
    is_blank = not attempt.text.strip()
    is_elsewhere = attempt.number != places[0] and is_blank
    if is_elsewhere or attempt.text in (" |", "- ", ":") or (is_blank and (is_about_shape or attempt.start)):
        message, hint, place = _describe(attempt, line)
        code = codes.YAML_SYNTAX if attempt.start and (is_blank or attempt.text == ":") else finding.code
        code = codes.UNKNOWN_KEY if is_about_shape and is_blank and not attempt.start else code
        span = Span(source, start + place[0], start + place[1])
        finding = replace(finding, code=code, message=message, hint=hint, span=span, notes=())
    first, last = _find_window(lines, places[0])
    further_findings = [item for item in findings[index + 1 :] if not first < item.span.line <= last]
    return [*findings[:index], finding, *further_findings]


def _describe(attempt: _Attempt, line: str) -> tuple[str, str, tuple[int, int]]:
    """Return the message and hint of an error that an edit cures, and where in the line it starts and ends, from 0."""
    sign = attempt.text.strip()
    rest_of_line = attempt.end, len(line)
    if sign == "-":
        return "a `- ` is missing at the beginning of this line", "each item of a list begins with `- `", rest_of_line
    if attempt.start or sign:
        word = re.search(r"[\w-]+$|.$", line[: attempt.start])
        message = f"a `{sign}` is missing after `{word and word[0]}`" if sign else "a space is missing after this `:`"
        hint = "write `: |`" if sign == "|" else f"write `{sign}` here" if sign else "insert a space"
        return message, hint, (attempt.start - 1, attempt.start)
    width = len(attempt.text)
    hint = f"it needs {width} spaces before it" if width else "begin it at the left edge"
    return f"this line is indented too {'little' if width > attempt.end else 'much'}", hint, rest_of_line


def _find_cure(lines: Sequence[str], places: Sequence[int], column: int) -> _Attempt | None:
    """Return the most likely edit after which the lines around it are valid, or None."""
    first, last = _find_window(lines, places[0])
    # the line of the section that the window is in, if it doesn't begin there
    sections_above = (n for n in range(first - 1, -1, -1) if _is_section(lines[n]))
    head = [] if first == 0 or _is_section(lines[first]) else [lines[n] for n in islice(sections_above, 1)]
    window = lines[first:last]
    if sum(len(line) + 1 for line in window) > MAX_CHARACTERS or _is_valid([*head, *window]):
        return None
    if lines[places[0]].rstrip().endswith(":"):
        before, key, after = [*head, *lines[first : places[0]]], lines[places[0]], lines[places[0] + 1 : last]
        if any(_is_valid([*before, f"{key} {value}", *after]) for value in _VALUES):
            return None
    attempts = {
        (attempt.number, attempt.start, attempt.end, attempt.text): attempt
        for place in dict.fromkeys(places)
        for attempt in _list_attempts(lines, place, column if place == places[0] else 0, first, last)
    }
    for attempt in sorted(attempts.values(), key=lambda attempt: attempt.cost)[:MAX_ATTEMPTS]:
        line = lines[attempt.number]
        new_line = line[: attempt.start] + attempt.text + line[attempt.end :]
        if _is_valid([*head, *lines[first : attempt.number], new_line, *lines[attempt.number + 1 : last]]):
            return attempt
    return None


_VALUES = ("x", "1", "true")
"""If one of these behind a key makes the file valid, the value is missing, and no layout is wrong."""


def _is_valid(lines: Sequence[str]) -> bool:
    diagnostics = Diagnostics()
    root = read_text(make_source("", "\n".join(lines)), diagnostics)
    return isinstance(root, YamlMapping) and not diagnostics.has_errors and has_valid_shape(root, "ruleset")


# ---------------------------------------------------------------- the lines to read again


def _find_window(lines: Sequence[str], number: int) -> tuple[int, int]:
    """Return the lines to read again after an edit near a line: its section, or some declarations of a long section."""
    start = next((n for n in range(number - 1, -1, -1) if _is_section(lines[n])), 0)
    end = next((n for n in range(number + 1, len(lines)) if _is_section(lines[n])), len(lines))
    if end - start <= MAX_LINES:
        return start, end
    inner = next((line for line in lines[start + 1 : end] if has_content(line)), "")
    column = count_indent(inner)
    starts = [n for n in range(start + 1, end) if has_content(lines[n]) and count_indent(lines[n]) == column]
    first = max((n for n in starts if n < number - REACH), default=start)
    last = min((n for n in starts if n > number + REACH), default=end)
    return first, last


def _is_section(line: str) -> bool:
    return bool(line) and line[0].isalpha() and line.partition(":")[0] in list_sections()


# ---------------------------------------------------------------- the edits to try


def _list_attempts(lines: Sequence[str], place: int, column: int, first: int, last: int) -> Iterator[_Attempt]:
    for number in range(max(first, place - REACH), min(last, place + REACH + 1)):
        line, distance = lines[number], abs(number - place)
        if has_content(line) and len(line) <= MAX_LINE_LENGTH:
            yield from _move_line(lines, number, distance)
            yield from _begin_block(lines, number, distance)
            if distance < 2:
                yield from _insert_signs(line, number, distance * 3, column if not distance else 0)


def _move_line(lines: Sequence[str], number: int, distance: int) -> Iterator[_Attempt]:
    """Yield the indentations of the lines around a line, and the dash of a list item."""
    line = lines[number]
    indent = count_indent(line)
    lead = len(line) - len(line.lstrip())
    if "\t" in line[:lead]:
        above = next(filter(has_content, reversed(lines[:number])), "")
        width = count_indent(above) + 2 * above.rstrip().endswith(":")
        yield _Attempt(distance, number, 0, lead, " " * width, f"Indent this line by {width} spaces")
        return
    indents = map(count_indent, filter(has_content, lines[max(number - 12, 0) : number + 3]))
    widths = {width + extra for width in indents for extra in (0, 2)} | {*_list_outer_indents(lines, number)}
    if _is_section(line.lstrip()):
        widths.add(0)
    if re.match(r"(?!else\b)[\w-]+:", line):  # an unknown section, and no effect text
        widths = {width for width in widths if not _is_in_block(lines, number, width)}
    for width in widths - {indent}:
        shift = abs(width - indent)
        title = f"Indent this line by {width} spaces" if width else "Begin this line at the left edge"
        yield _Attempt(shift + distance * 0.4 + 3 * (shift > 2), number, 0, indent, " " * width, title)
    if indent >= 2 and not line.lstrip().startswith("- "):
        yield _Attempt(2.5 + distance, number, indent - 2, indent, "- ", "Write `- ` before this line")


def _is_in_block(lines: Sequence[str], number: int, width: int) -> bool:
    """Return whether a line that is indented by ``width`` would belong to a block of effect text."""
    header = next((line for line in reversed(lines[:number]) if has_content(line) and count_indent(line) < width), "")
    return header.rstrip().endswith("|")


def _list_outer_indents(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the indentations of the keys that enclose a line, from the inside."""
    indent = count_indent(lines[number])
    while indent > 0 and number > 0:
        number -= 1
        if has_content(lines[number]) and count_indent(lines[number]) < indent:
            indent = count_indent(lines[number])
            yield indent


def _begin_block(lines: Sequence[str], number: int, distance: int) -> Iterator[_Attempt]:
    """Yield the `|` behind a key, and the `do:` before a `|`, without which effect text is no block."""
    line = lines[number]
    end = len(line.rstrip())
    next_line = next(filter(has_content, lines[number + 1 :]), "")
    if line.rstrip().endswith(":") and count_indent(next_line) > count_indent(line):
        yield _Attempt(0.9 + distance / 10, number, end, end, " |", "Insert `|`")
    if line.strip() == "|":
        yield _Attempt(0.4 + distance, number, end - 1, end - 1, "do: ", "Insert `do:`")


def _insert_signs(line: str, number: int, cost: float, column: int) -> Iterator[_Attempt]:
    """Yield each sign that can be missing in a line, with its place."""
    for offset, sign, extra in (*_find_partners(line), *_find_punctuation(line)):
        title = "Insert a space" if sign == " " else f"Insert `{sign}`"
        yield _Attempt(cost + extra + abs(offset - column) / 1000, number, offset, offset, sign, title)


def _find_partners(line: str) -> Iterator[tuple[int, str, float]]:
    """Yield the places for a bracket or quote whose partner is on the line, each with its sign and its cost."""
    bare_line = _hide_texts(line)
    starts = [match.start() for match in re.finditer(r"(?<=[\s\[{])[^\s,]", line)]
    ends = [match.end() for match in re.finditer(r"[^\s,](?=[\s,\]}]|$)", line)]
    for opening, closing in ("[]", "{}"):
        surplus = bare_line.count(opening) - bare_line.count(closing)
        if surplus > 0:
            yield from ((offset, closing, 0.5 - offset / 10000) for offset in ends)
        elif surplus < 0:
            yield from ((offset, opening, 0.5 + offset / 10000) for offset in starts)
    for quote in ('"', "'"):
        if line.count(quote) % 2:
            yield from ((offset, quote, 0.4) for offset in (*ends, *starts))


def _find_punctuation(line: str) -> Iterator[tuple[int, str, float]]:
    """Yield the places for a colon, a space behind one, or a comma, each with its sign and its cost."""
    bare_line = _hide_texts(line)
    for match in re.finditer(r":(?=[^\s:])", bare_line):
        yield match.end(), " ", 0.6
    for match in re.finditer(r"(?<=[\w\"'])(?= )|\w$", bare_line):
        is_first = re.fullmatch(r"\s*(?:- +)*[\w-]+", line[: match.end()]) is not None
        yield match.end(), ":", 0.8 if is_first else 1.2
    for match in re.finditer(r"(?<=[^\s,:\[{])(?= +[\w\"'\[{])", bare_line):
        yield match.end(), ",", 1.1 if re.match(r" +[\w-]+:", bare_line[match.end() :]) else 1.3


def _hide_texts(line: str) -> str:
    """Return a line with other characters in place of the texts in double quotes."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', lambda match: "_" * len(match[0]), line)
