"""Format diagnostics and faults for people, with source snippets and carets, as Rich text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import NOWHERE, TAB, Source, Span, make_one_line, make_printable

from ...reports.check_suites_findings_and_locations import format_path
from ...state.decisions_outcomes_and_faults import RulesetFault

SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow"}
FRAME_STYLE = "bold blue"
# Maximum columns of a source line if the width is unknown, because a whole file can be a single line.
MAX_LINE_LENGTH = 500


# ---------------------------------------------------------------- snippets


@dataclass(frozen=True)
class _Mark:
    """Underline characters ``start`` to ``end`` - 1 of a line, counted from 0."""

    line: int
    start: int
    end: int
    label: str
    is_primary: bool


def _create_mark(span: Span, label: str, is_primary: bool) -> _Mark:
    line, column = span.source.locate(span.start)
    end_line, end_column = span.source.locate(max(span.end, span.start + 1))
    text = span.source.get_line(line)
    end = end_column - 1 if end_line == line else len(text.rstrip())
    return _Mark(line, column - 1, max(end, column), label, is_primary)


def render_snippet(
    title: Text, style: str, span: Span, hint: str | None, notes: Sequence[tuple[Span, str]], width: int | None = None
) -> Text:
    """Return lines of text: the title, the place and line of ``span`` with carets, related places, and remarks::

        TITLE
         --> game.yaml:2:4
          |
        2 | b: two
          |    ^^^

    The places of ``notes`` are underlined with dashes, behind which the label stands. Places in the same file share one
    picture: its lines are in the order of the file, and ``...`` stands for omitted ones. The places of each other file
    follow as a picture with ``:::`` in place of ``-->``. Last come the hint as ``  = help: HINT``, and the notes whose
    file is unknown or has no text, as ``  = note: LABEL``. A line with ``|`` separates pictures, and the last one from
    these remarks.
    A source line that doesn't fit into ``width`` columns with its number and ``|`` shows only the part around the mark.
    Without ``width``, so does one of more than ``MAX_LINE_LENGTH`` columns, not counting these.

    If the file of ``span`` has no text, a line `` --> game.yaml`` takes the place of its picture. For NOWHERE, this
    line is missing, too, and the first picture of ``notes`` has ``-->``.
    """
    places: dict[Source, list[_Mark]] = {}
    if span.source.text:
        places[span.source] = [_create_mark(span, "", is_primary=True)]
    remarks = [("help", hint)] if hint else []
    for place, label in notes:
        if place.source.text:
            places.setdefault(place.source, []).append(_create_mark(place, label, is_primary=False))
        else:
            remarks.append(("note", label))
    margin = max((len(str(mark.line)) for marks in places.values() for mark in marks), default=1)

    lines = [title]
    if span.source is not NOWHERE.source and not span.source.text:
        lines.append(_format_place(margin, "-->", format_path(span.source.name)))
    for number, (source, marks) in enumerate(places.items()):
        if number:
            lines.append(_format_margin(margin, ""))
        location = f"{format_path(source.name)}:{marks[0].line}:{marks[0].start + 1}"
        lines.append(_format_place(margin, ":::" if len(lines) > 1 else "-->", location))
        lines.extend(_list_marked_lines(source, marks, margin, style, width))
    if places and remarks:
        lines.append(_format_margin(margin, ""))
    for word, remark in remarks:
        lines.append(_format_remark(margin, word, remark))
    return Text("\n").join(lines)


def _format_place(margin: int, arrow: str, place: str) -> Text:
    return Text.assemble((f"{' ' * margin}{arrow} ", FRAME_STYLE), make_one_line(place))


def _format_margin(margin: int, number: int | str) -> Text:
    return Text(f"{number:>{margin}} |", FRAME_STYLE)


def _format_remark(margin: int, word: str, remark: str) -> Text:
    indent = "\n" + " " * (margin + len(word) + 5)
    return Text.assemble(
        (f"{' ' * margin} = ", FRAME_STYLE), (word, "bold"), ": ", indent.join(make_printable(remark).splitlines())
    )


def _list_marked_lines(
    source: Source, marks: Sequence[_Mark], margin: int, style: str, width: int | None
) -> list[Text]:
    """Return the source lines with marks, in order, each with its number and a line of carets for each mark.

    ``...`` stands for omitted lines. The primary mark has carets, and others have dashes and a label. A long line
    stands there once for each part of it that is shown.
    """
    lines = [_format_margin(margin, "")]
    previous_line, previous_text = None, ""
    for mark in sorted(marks, key=lambda mark: (mark.line, not mark.is_primary, mark.start)):
        text, start, end = _cut_to_mark(
            source.get_line(mark.line), mark, MAX_LINE_LENGTH if width is None else width - margin - 3
        )
        if (mark.line, text) != (previous_line, previous_text):
            if previous_line is not None and mark.line > previous_line + 1:
                lines.append(Text("...", FRAME_STYLE))
            lines.append(Text.assemble(_format_margin(margin, mark.line), f" {make_printable(text)}".rstrip()))
        previous_line, previous_text = mark.line, text
        mark_style = style if mark.is_primary else FRAME_STYLE
        carets = ("^" if mark.is_primary else "-") * max(1, cell_len(make_printable(text[start:end])))
        indent = " " * (cell_len(make_printable(text[:start])) + 1)
        label = f" {make_one_line(mark.label)}" if mark.label else ""
        lines.append(Text.assemble(_format_margin(margin, ""), indent, (carets + label, mark_style)))
    return lines


def _cut_to_mark(text: str, mark: _Mark, room: int) -> tuple[str, int, int]:
    """Return the line, or the part around the mark that fits into ``room``, and the mark's position in it."""
    if len(text) <= room and cell_len(make_printable(text)) <= room:
        return text, mark.start, mark.end
    start = max(0, mark.start - room // 3)
    part = ("…" if start else "") + text[start : start + room + 1].replace("\t", TAB)
    shift = sum(len(TAB) - 1 for letter in text[start : mark.start] if letter == "\t") + (1 if start else 0) - start
    if cell_len(part) > room:
        part = set_cell_size(part, max(room - 1, 1)).rstrip() + "…"
    return part, mark.start + shift, min(mark.end + shift, len(part))


def render_diagnostic(diagnostic: Diagnostic, width: int | None = None) -> Text:
    """Format a diagnostic for people: ``error[E123]: MESSAGE`` or ``warning[…]: …``, then its places and its hint.

    :func:`render_snippet` shows the layout. If a line of source with its line number is wider than ``width``, only the
    part around the mark is shown. Without ``width``, the source alone may take ``MAX_LINE_LENGTH`` columns.
    """
    style = SEVERITY_STYLES[diagnostic.severity]
    title = Text.assemble(
        (f"{diagnostic.severity}[{diagnostic.code.id}]", style), (f": {make_one_line(diagnostic.message)}", "bold")
    )
    return render_snippet(title, style, diagnostic.span, diagnostic.hint, diagnostic.notes, width)


def render_ignored(diagnostic: Diagnostic, reason: str, width: int | None = None) -> Text:
    """Format a diagnostic that the author has suppressed: ``ignored[E123]: MESSAGE`` and its snippet, without its hint.

    The text ends with ``  = note: ignored because: REASON``, or ``  = note: ignored without a reason`` if the reason is
    empty. The diagnostic's own notes come before it. A note with a place only labels that place in the snippet. Only
    long source lines are cut, to ``width`` columns as in :func:`render_snippet`.
    """
    title = Text.assemble((f"ignored[{diagnostic.code.id}]", "bold"), f": {make_one_line(diagnostic.message)}")
    notes = [(NOWHERE, f"ignored because: {reason}" if reason else "ignored without a reason")]
    return render_snippet(title, "bold", diagnostic.span, None, [*diagnostic.notes, *notes], width)


def render_fault(fault: RulesetFault, width: int | None = None, shows_position: bool = True) -> Text:
    """Return a Rich Text about a fault of the rules during play, which begins with ``fault: MESSAGE``.

    Lines for the other parts follow, without those that the fault lacks. The first part is the place with its source
    line and carets, as :func:`render_snippet` shows. Then come the trail as a note, an empty line, and the position.
    If there is no position, or with ``shows_position`` False, the last two are left out. A source line that doesn't
    fit into ``width`` columns is cut to the part around the mark. Without ``width``, that is a line longer than
    ``MAX_LINE_LENGTH``.

    Example: ``RulesetFault("division by 0", None, ("play", "draw card"), "heap = 0")`` gives the four lines
    ``fault: division by 0``, ``  = note: in play > draw card``, an empty one, and ``heap = 0``.
    """
    style = SEVERITY_STYLES["error"]
    title = Text.assemble(("fault", style), (f": {make_one_line(fault.message)}", "bold"))
    notes = [(NOWHERE, f"in {' > '.join(fault.trail)}")] if fault.trail else []
    text = render_snippet(title, style, fault.span or NOWHERE, None, notes, width)
    has_position = shows_position and fault.position
    return Text.assemble(text, f"\n\n{make_printable(fault.position)}") if has_position else text


def summarize(diagnostics: Iterable[Diagnostic]) -> str:
    """Count errors and then warnings: ``2 errors, 1 warning``. Leaves out a count of 0. Returns "" if both are 0."""
    severities = [diagnostic.severity for diagnostic in diagnostics]
    counts = [(severities.count(severity), severity) for severity in SEVERITY_STYLES]
    return ", ".join(f"{n} {severity}{'' if n == 1 else 's'}" for n, severity in counts if n)
