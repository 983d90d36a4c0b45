"""Suppress warnings that comments such as ``# lusory: ignore[W0702] why`` name.

The comment may be part of YAML or of effect text. Behind other text it applies to its own line. On a line of its own,
it applies to the next line with content. A suppressed warning is kept with the reason and can be listed.
:mod:`lusory_dsl.pipeline` applies the comments after all stages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import dataclass, field
from ..source.diagnostics import Diagnostic, Diagnostics
from ..source.source import Source, Span, has_content
from ..source.spelling_suggestions import suggest_name

MARK = "lusory:"
_REMARK = re.compile(
    r"(?:^|(?<=\s))#[ \t]*lusory:[ \t]*(?P<word>\w*)[ \t]*(?P<codes>\[[^\]\n]*\]?)?"
    r"(?P<reason>(?:(?![ \t]#)[^\n])*)",  # a further comment is not part of the reason
    re.MULTILINE,
)
_CODE = re.compile(r"[^\s,\[\]]+")
_EXAMPLE = "write `# lusory: ignore[W0702] the reason`"

_WARNINGS = {code.id for code in codes.CODES.values() if code.severity == "warning"}
IGNORABLE = _WARNINGS - {codes.UNUSED_IGNORE.id, codes.BAD_IGNORE.id}
"""The ids of the warnings that a comment can suppress."""


@dataclass(eq=False)
class _IgnoreComment:
    """A comment that suppresses warnings, with the line that it applies to.

    ``effective`` collects the codes that suppressed a warning.
    """

    span: Span
    line: int
    codes: dict[str, Span]
    reason: str
    effective: set[str] = field(default_factory=set)


def suppress_ignored(sources: Iterable[Source], checked_sources: Collection[Source], diagnostics: Diagnostics) -> None:
    """Suppress the warnings that comments in ``sources`` name, and report malformed comments.

    A comment such as ``# lusory: ignore[W0702] the reason`` applies to its line. If nothing else is on that line, it
    applies to the next line that is neither blank nor a comment. A suppressed warning moves to
    ``diagnostics.suppressed_findings``, as (warning, reason). If two comments for a line name the same code, the first
    counts. Reported as ``BAD_IGNORE`` are a comment without codes or with another word than ``ignore``, and codes that
    aren't in ``IGNORABLE``, such as those of errors. They have no effect. A comment without a reason is reported, too,
    but still applies, with the reason "". Each code in a comment that suppresses nothing is an ``UNUSED_IGNORE``, but
    only if there are no errors, and in ``checked_sources``, whose checks are complete.
    """
    comments = [
        (source, comment)
        for source in sources
        if MARK in source.text
        for comment in _parse_comments(source, diagnostics)
    ]
    if not comments:
        return
    by_place: dict[tuple[Source, int], list[_IgnoreComment]] = {}
    for source, comment in comments:
        by_place.setdefault((source, comment.line), []).append(comment)

    def find_reason(diagnostic: Diagnostic) -> str | None:
        """Return the reason, perhaps "", of the first comment for a diagnostic's line that names its code.

        Adds the code to ``effective`` of this comment. Returns None without such a comment, and for codes that can't be
        ignored.
        """
        code = diagnostic.code.id
        for remark in by_place.get((diagnostic.span.source, diagnostic.span.line), ()):
            if code in remark.codes:
                remark.effective.add(code)
                return remark.reason
        return None

    diagnostics.suppress(find_reason)
    if diagnostics.has_errors:
        return
    for source, comment in comments:
        for code, span in comment.codes.items():
            if source in checked_sources and code not in comment.effective:
                message = f"line {comment.line} has no {code} to ignore"
                hint = "remove the comment, or move it to the line of the warning"
                diagnostics.add(codes.UNUSED_IGNORE, message, span, hint)


def _parse_comments(source: Source, diagnostics: Diagnostics) -> Iterator[_IgnoreComment]:
    """Yield the comments ``# lusory: ignore[code] reason`` of a file.

    Reports another word, and a comment without codes, neither of which is yielded, and one without a reason, which is.
    Codes that can't be ignored are left out.
    """
    content_lines = [number for number, line in enumerate(source.text.split("\n"), 1) if has_content(line)]
    for match in _REMARK.finditer(source.text):
        span = Span(source, match.start(), match.start() + len(match[0].rstrip()))
        if match["word"] != "ignore":
            message = f"lusory doesn't know the word `{match['word']}` in a comment"
            diagnostics.add(codes.BAD_IGNORE, message, span, suggest_name(match["word"], ["ignore"]) or _EXAMPLE)
            continue
        code_spans = _parse_codes(source, match, diagnostics)
        if not code_spans:
            diagnostics.add(codes.BAD_IGNORE, "this comment doesn't name the code to ignore", span, _EXAMPLE)
            continue
        reason = match["reason"].strip(" \t:-–—")
        if not reason:
            hint = f"write the reason: `# lusory: ignore[{', '.join(code_spans)}] the reason`"
            diagnostics.add(codes.BAD_IGNORE, "this comment doesn't give a reason", span, hint)
        ignorable = {code: place for code, place in code_spans.items() if code in IGNORABLE}
        line = span.line
        if not has_content(source.get_line(line)):
            # on a line of its own, a comment applies to the next line with content
            line = next((number for number in content_lines if number > line), line)
        yield _IgnoreComment(span, line, ignorable, reason)


def _parse_codes(source: Source, match: re.Match[str], diagnostics: Diagnostics) -> dict[str, Span]:
    """Return the codes between the brackets, with their spans. Report codes that can't be suppressed."""
    spans: dict[str, Span] = {}
    for code in _CODE.finditer(match["codes"] or ""):
        start = match.start("codes") + code.start()
        span = spans[code[0]] = Span(source, start, start + len(code[0]))
        if code[0] in IGNORABLE:
            continue
        hint = suggest_name(code[0], IGNORABLE) or "run `lusory explain W0702` to see what a code means"
        if code[0] not in codes.CODES:
            diagnostics.add(codes.BAD_IGNORE, f"there is no code `{code[0]}`", span, hint)
        elif codes.CODES[code[0]].severity == "error":
            message = f"{code[0]} is an error, which can't be ignored"
            diagnostics.add(codes.BAD_IGNORE, message, span, "correct the error: the ruleset can't run with it")
        else:
            message = f"{code[0]} is about comments like this one, so it can't be ignored"
            diagnostics.add(codes.BAD_IGNORE, message, span, "correct the comment")
    return spans
