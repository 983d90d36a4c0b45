"""Write coverage as a single HTML page: the rules with coloured lines, and the gaps beside them.

The page needs no script and no other file.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lusory_dsl.source.safe_files_and_bundled_data import read_package_text
from lusory_dsl.source.source import Source, count_noun, make_printable

from ..testing.coverage import Coverage
from ..testing.coverage_items import KINDS, Item
from .check_suites_findings_and_locations import format_path, format_percentage

SIGNS = {"covered": "✓", "partly": "~", "missed": "✗"}
"""Signs beside a line, for readers who cannot see the colours."""


def write_page(coverages: Sequence[Coverage]) -> str:
    """Return the text of an HTML page with the coverage of each ruleset, in order. It needs no other files.

    The title is ``Coverage of Duel, Base``, with the ``program.name`` of each. Without coverages, nothing follows
    ``Coverage of ``, and the body is empty. Texts of the rulesets are escaped for HTML, after :func:`make_printable`
    has replaced their tabs and unsafe characters.
    """
    title = f"Coverage of {', '.join(coverage.program.name for coverage in coverages)}"
    style = read_package_text(__package__, "coverage.css")
    body = "".join(_write_ruleset(number, coverage) for number, coverage in enumerate(coverages))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>\n{style}</style>\n</head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    )


def _escape(text: str) -> str:
    """Escape text for HTML and replace control characters."""
    return escape(make_printable(text))


def _write_ruleset(number: int, coverage: Coverage) -> str:
    """Return the HTML of a ruleset: a table of the kinds, the list of gaps, and its files."""
    rows = [(f"{kind} {KINDS[kind]}", *counts) for kind, counts in coverage.count_by_kind().items()]
    rows.append(("all", len(coverage.covered_items), len(coverage.items)))
    cells = "".join(
        f"<tr><td>{_escape(word)}</td><td>{count}</td><td>{total}</td>"
        f"<td>{format_percentage(100 * count / total if total else 100.0)}</td></tr>\n"
        for word, count, total in rows
    )
    sources = list(dict.fromkeys(item.span.source for item in coverage.items if item.span.source.text))
    sources.sort(key=lambda source: source.name)
    names = {source: f"r{number}f{file_number}" for file_number, source in enumerate(sources)}
    gaps = "".join(
        f'<li><a href="#{names[item.span.source]}-{item.span.line}">'
        f"{_escape(format_path(item.span.source.name))}:{item.span.line}</a> {_escape(item.gap)}</li>\n"
        for item in coverage.list_uncovered()
        if item.span.source in names
    )
    return (
        f"<h1>{_escape(coverage.program.name)}</h1>\n"
        f"<p>{count_noun(len(coverage.results), 'case')}, {format_percentage(coverage.percent)} % covered</p>\n"
        f'<table class="kinds">\n<tr><th>Covered</th><th></th><th>Of</th><th>%</th></tr>\n{cells}</table>\n'
        + (f"<h2>Not covered</h2>\n<ul>\n{gaps}</ul>\n" if gaps else "")
        + "<p>✓ covered, ~ covered in part, ✗ not covered. Files without a gap are folded.</p>\n"
        + "".join(_File(source, names[source], coverage).render() for source in sources)
    )


class _File:
    """Lines of one file of a ruleset, coloured."""

    def __init__(self, source: Source, name: str, coverage: Coverage) -> None:
        self.source, self.name = source, name
        self.covered_items = coverage.covered_items
        self.items: dict[int, list[Item]] = {}
        for item in coverage.items:
            if item.span.source is source:
                self.items.setdefault(item.span.line, []).append(item)
        self.gap_count = sum(not self.covered_items.issuperset(items) for items in self.items.values())

    def render(self) -> str:
        """Return the HTML of the file, a ``<details>`` element with a summary and a row for each line.

        The summary is ``<h2>duel.yaml</h2> no gap``, or ``… 2 lines with gaps`` (``1 line with gaps``). A file with
        gaps begins with ``<details open>``.
        """
        count = len(self.source.line_starts) - self.source.text.endswith("\n")
        rows = "".join(map(self._render_line, range(1, count + 1)))
        gap_count = f"{count_noun(self.gap_count, 'line')} with gaps" if self.gap_count else "no gap"
        summary = f"<summary><h2>{_escape(format_path(self.source.name))}</h2> {gap_count}</summary>"
        is_open = " open" if self.gap_count else ""
        return f'<details{is_open}>{summary}\n<table class="source">\n{rows}</table>\n</details>\n'

    def _render_line(self, number: int) -> str:
        items = self.items.get(number, [])
        misses = [item for item in items if item not in self.covered_items]
        status = "" if not items else "covered" if not misses else "missed" if len(misses) == len(items) else "partly"
        reasons = dict.fromkeys(item.gap for item in misses)
        remarks = "".join(f'<div class="why">{_escape(reason)}</div>' for reason in reasons)
        return (
            f'<tr id="{self.name}-{number}" class="{status}"><td>{number}</td><td>{SIGNS.get(status, "")}</td>'
            f"<td>{_escape(self.source.get_line(number))}{remarks}</td></tr>\n"
        )
