"""Suppress warnings with comments such as ``# lusory: ignore[W0702] why``.

:mod:`lusory_dsl.pipeline` applies them after all stages. The comment may be part of YAML or of effect text. After other
text it applies to its own line. On a line of its own, it applies to the next line with content. A suppressed warning is
kept with the reason and can be listed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence

from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostic, Diagnostics, suggest_name
from ..source.lazy_dataclass import dataclass, field
from ..source.source import Source, Span

MARK = "lusory:"
_REMARK = re.compile(
    r"(?:^|(?<=\s))#[ \t]*lusory:[ \t]*(?P<word>\w*)[ \t]*(?P<codes>\[[^\]\n]*\]?)?"
    r"(?P<reason>(?:(?![ \t]#)[^\n])*)",  # a further comment is not part of the reason
    re.MULTILINE,
)
_CODE = re.compile(r"[^\s,\[\]]+")
_EXAMPLE = "write `# lusory: ignore[W0702] the reason`"

_OF_REMARKS = (diagnostic_codes.UNUSED_IGNORE, diagnostic_codes.BAD_IGNORE)
_IGNORABLE = frozenset(
    c.id for c in diagnostic_codes.CODES.values() if c.severity == "warning" and c not in _OF_REMARKS
)


@dataclass(eq=False)
class _Remark:
    """A comment that suppresses warnings, with the line that it applies to.

    ``effective`` collects the codes that suppressed a warning.
    """

    span: Span
    line: int
    codes: dict[str, Span]
    reason: str
    effective: set[str] = field(default_factory=set)


def silence_ignored(sources: Iterable[Source], finished: Collection[Source], diagnostics: Diagnostics) -> None:
    """Suppress the warnings that comments in ``sources`` name.

    Report malformed comments. Also report comments in ``finished`` that suppress nothing, unless there are errors,
    because errors can prevent warnings from being found.
    """
    remarks = [(source, r) for source in sources if MARK in source.text for r in _remarks(source, diagnostics)]
    if not remarks:
        return
    by_place: dict[tuple[Source, int], list[_Remark]] = {}
    for source, remark in remarks:
        by_place.setdefault((source, remark.line), []).append(remark)

    def reason(diagnostic: Diagnostic) -> str | None:
        code = diagnostic.code.id
        for remark in by_place.get((diagnostic.span.source, diagnostic.span.line), ()):
            if code in remark.codes:
                remark.effective.add(code)
                return remark.reason
        return None

    diagnostics.suppress(reason)
    if diagnostics.has_errors:
        return
    for source, remark in remarks:
        for code, span in remark.codes.items():
            if source in finished and code not in remark.effective:
                message = f"line {remark.line} has no {code} to ignore"
                diagnostics.add(
                    diagnostic_codes.UNUSED_IGNORE,
                    message,
                    span,
                    "remove the comment, or move it to the line of the warning",
                )


def _remarks(source: Source, diagnostics: Diagnostics) -> Iterator[_Remark]:
    lines = enumerate(source.text.split("\n"), 1)
    said = [number for number, line in lines if not line.lstrip().startswith("#") and line.strip()]
    for match in _REMARK.finditer(source.text):
        span = Span(source, match.start(), match.start() + len(match[0].rstrip()))
        if match["word"] != "ignore":
            hint = suggest_name(match["word"], ["ignore"]) or _EXAMPLE
            diagnostics.add(
                diagnostic_codes.BAD_IGNORE, f"lusory doesn't know the word `{match['word']}` in a comment", span, hint
            )
            continue
        named = _named(source, match, diagnostics)
        if not named:
            diagnostics.add(diagnostic_codes.BAD_IGNORE, "this comment doesn't name the code to ignore", span, _EXAMPLE)
            continue
        reason = match["reason"].strip(" \t:-–—")
        if not reason:
            hint = f"write the reason: `# lusory: ignore[{', '.join(named)}] the reason`"
            diagnostics.add(diagnostic_codes.BAD_IGNORE, "this comment doesn't give a reason", span, hint)
        good = {code: place for code, place in named.items() if code in _IGNORABLE}
        yield _Remark(span, _line_of(source, span, said), good, reason)


def _named(source: Source, match: re.Match[str], diagnostics: Diagnostics) -> dict[str, Span]:
    """Return the codes between the brackets, with their spans. Report codes that can't be suppressed."""
    found: dict[str, Span] = {}
    for code in _CODE.finditer(match["codes"] or ""):
        start = match.start("codes") + code.start()
        span = found[code[0]] = Span(source, start, start + len(code[0]))
        if code[0] in _IGNORABLE:
            continue
        hint = suggest_name(code[0], _IGNORABLE) or "run `lusory explain W0702` to see what a code means"
        if code[0] not in diagnostic_codes.CODES:
            diagnostics.add(diagnostic_codes.BAD_IGNORE, f"there is no code `{code[0]}`", span, hint)
        elif diagnostic_codes.CODES[code[0]].severity == "error":
            message = f"{code[0]} is an error, which can't be ignored"
            diagnostics.add(
                diagnostic_codes.BAD_IGNORE, message, span, "correct the error: the ruleset can't run with it"
            )
        else:
            message = f"{code[0]} is about comments like this one, so it can't be ignored"
            diagnostics.add(diagnostic_codes.BAD_IGNORE, message, span, "correct the comment")
    return found


def _line_of(source: Source, span: Span, said: Sequence[int]) -> int:
    """Return the line that a comment applies to. ``said`` lists the lines that hold more than a comment."""
    number = span.line
    if not source.get_line(number).lstrip().startswith("#"):
        return number
    after = bisect_right(said, number)
    return said[after] if after < len(said) else number
