"""Coverage as one page of HTML: the rules with colours, and what is missing beside the line. Needs nothing else, no
script and no other file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from lusory_dsl.text.printable import printable
from lusory_dsl.text.source import Source

from ..author.adequacy.coverage import Coverage
from ..author.adequacy.items import KINDS, Item
from ..findings.numbers import percentage, several
from ..findings.suites import shown_path

STYLE = """
:root { color-scheme: light dark; --ok: #d9f2d9; --part: #fff3c4; --bad: #ffd9d9; --mark: #ff9b9b; --dim: #777; }
@media (prefers-color-scheme: dark) {
  :root { --ok: #143a1c; --part: #4a3f10; --bad: #4d1a1a; --mark: #9c3030; --dim: #999; }
}
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
.kinds td, .kinds th { padding: .15rem .9rem .15rem 0; text-align: right; }
.kinds td:first-child, .kinds th:first-child { text-align: left; }
.kinds tr:last-child { font-weight: bold; border-top: 1px solid var(--dim); }
ul { padding-left: 1.2rem; }
.source { font: 13px/1.45 ui-monospace, monospace; width: 100%; margin: .5rem 0 2rem; }
.source td { padding: 0 .6rem; white-space: pre-wrap; vertical-align: top; }
.source td:first-child { text-align: right; color: var(--dim); user-select: none; width: 1%; white-space: pre; }
.covered { background: var(--ok); } .partly { background: var(--part); } .missed { background: var(--bad); }
mark { background: var(--mark); color: inherit; border-radius: 2px; }
.why { color: var(--dim); font-style: italic; }
"""


def page(coverages: Sequence[Coverage]) -> str:
    """The whole page."""
    title = f"Coverage of {', '.join(coverage.program.name for coverage in coverages)}"
    body = "".join(_ruleset(number, coverage) for number, coverage in enumerate(coverages))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_text(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{STYLE}</style>\n</head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    )


def _text(text: str) -> str:
    """Text that can do nothing but be read."""
    return escape(printable(text))


def _ruleset(number: int, coverage: Coverage) -> str:
    rows = [(f"{kind} {KINDS[kind]}", *counts) for kind, counts in coverage.counts().items()]
    rows.append(("all", len(coverage.covered), len(coverage.items)))
    cells = "".join(
        f"<tr><td>{_text(word)}</td><td>{covered}</td><td>{total}</td>"
        f"<td>{percentage(100 * covered / total if total else 100.0)}</td></tr>\n"
        for word, covered, total in rows
    )
    sources = list(dict.fromkeys(item.span.source for item in coverage.items if item.span.source.text))
    sources.sort(key=lambda source: source.name)
    names = {source: f"r{number}f{at}" for at, source in enumerate(sources)}
    missing = "".join(
        f'<li><a href="#{names[item.span.source]}-{item.span.line}">'
        f"{_text(shown_path(item.span.source.name))}:{item.span.line}</a> {_text(item.missing)}"
        f"{f', nor what depends on it ({more} more)' if more else ''}</li>\n"
        for item, more in coverage.missing()
        if item.span.source in names
    )
    return (
        f"<h1>{_text(coverage.program.name)}</h1>\n"
        f"<p>{several(len(coverage.results), 'case')}, {percentage(coverage.percent)} % covered</p>\n"
        f'<table class="kinds">\n<tr><th>Covered</th><th></th><th>Of</th><th>%</th></tr>\n{cells}</table>\n'
        + (f"<h2>Not covered</h2>\n<ul>\n{missing}</ul>\n" if missing else "")
        + "".join(_source(source, names[source], coverage) for source in sources)
    )


def _source(source: Source, name: str, coverage: Coverage) -> str:
    """A file with its lines in colour."""
    of_line: dict[int, list[Item]] = {}
    for item in coverage.items:
        if item.span.source is source:
            of_line.setdefault(item.span.line, []).append(item)
    lines = "".join(
        _line(source, name, line, of_line.get(line, []), coverage.covered)
        for line in range(1, len(source.line_starts) + (not source.text.endswith("\n")))
    )
    return f'<h2>{_text(shown_path(source.name))}</h2>\n<table class="source">\n{lines}</table>\n'


def _line(source: Source, name: str, number: int, items: list[Item], covered: set[Item]) -> str:
    missed = [item for item in items if item not in covered]
    status = "" if not items else "covered" if not missed else "missed" if len(missed) == len(items) else "partly"
    text = source.line(number)
    start = source.line_starts[number - 1]
    is_missed = [False] * len(text)
    for item in missed:
        for at in range(item.span.start - start, min(max(item.span.end - start, 0), len(text))):
            is_missed[at] = True
    marked = ""
    for is_bad, run in groupby(zip(text, is_missed, strict=True), key=lambda pair: pair[1]):
        words = _text("".join(character for character, _ in run))
        marked += f"<mark>{words}</mark>" if is_bad and words.strip() else words
    reasons = dict.fromkeys(item.missing for item in missed)
    why = "".join(f'<div class="why">{_text(reason)}</div>' for reason in reasons)
    return f'<tr id="{name}-{number}" class="{status}"><td>{number}</td><td>{marked}{why}</td></tr>\n'
