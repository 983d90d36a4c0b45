"""A rulebook as a file: Markdown, or one HTML page that needs nothing else. Used by the explain command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape, unescape
from itertools import count

from .rulebook import Chapter, Entry, Rulebook, RulebookLine, RulebookTable
from .text import CLAUSE

ANCHOR = "clause-"
QUOTED = re.compile("“([^”<>]+)”")
DEED = re.compile(r"^([A-Z][\w ’'-]*?)(?= \(|\.$)")  # a sentence that says no more than what is done

STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 1rem/1.5 Georgia, "Times New Roman", serif; max-width: 60rem; margin: 2rem auto; padding: 0 1.2rem; }
h1, h2, h3, nav, th, .facts { font-family: system-ui, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 2.2rem; line-height: 1.1; margin-bottom: .2rem; }
h2 { border-bottom: 2px solid var(--line); margin-top: 2.6rem; }
h3 { font-size: 1.02rem; margin: 1.2rem 0 .2rem; }
.facts { opacity: .75; }
.about { font-size: 1.15rem; font-style: italic; }
nav ol { columns: 2; padding-left: 1.4rem; }
ul { margin: .2rem 0; padding-left: 1.3rem; }
.in1 { margin-left: 1.5rem; }
.in2 { margin-left: 3rem; }
.in3 { margin-left: 4.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; margin: .5rem 0; width: 100%; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; }
th { background: var(--soft); }
td ul { padding-left: 1rem; margin: 0; }
td > p, li > p { margin: 0; }
a { color: inherit; text-decoration-thickness: 1px; text-underline-offset: 2px; }
/* On a telephone each row is a block, in which every value stands behind its heading. */
@media screen and (max-width: 40rem) {
  body { overflow-wrap: anywhere; }
  nav ol { columns: 1; }
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tr { border: 1px solid var(--line); margin: .6rem 0; }
  td { border: none; }
  td:empty { display: none; }
  td:first-child { background: var(--soft); font-weight: bold; }
  td:not(:first-child)::before { content: attr(data-head) ": "; opacity: .75; }
}
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; }
  nav { break-after: page; }
  h2, h3 { break-after: avoid; }
  li, tr { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
  a { text-decoration: none; }
}
"""


def markdown(book: Rulebook) -> str:
    """The rulebook in Markdown, with tables as GitHub reads them."""
    parts = [f"# {_plain(book.title)}", _plain(f"{', '.join(book.facts)}.")]
    parts += [f"*{_plain(book.about)}*"] if book.about else []
    parts.append("\n".join(f"- [{_plain(c.title)}](#{_slug(c.title)})" for c in book.chapters))
    for chapter in book.chapters:
        parts.append(f"## {_plain(chapter.title)}")
        for entry in chapter.entries:
            parts += _markdown_entry(entry)
    return "\n\n".join(parts) + "\n"


def _markdown_entry(entry: Entry) -> Iterator[str]:
    yield f"{'#' * min(3 + entry.depth, 6)} {_plain(entry.title)}"
    if entry.lines:
        yield "\n".join(f"{'  ' * line.depth}- {_plain(line.text)}" for line in entry.lines)
    if entry.table is not None:
        head = [*map(_plain, entry.table.head)]
        rows = [head, ["---"] * len(head), *(map(_markdown_cell, row) for row in entry.table.rows)]
        yield "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _markdown_cell(lines: Sequence[RulebookLine]) -> str:
    return "<br>".join(f"{'&emsp;' * line.depth}{_plain(line.text)}" for line in lines)


def _plain(text: str) -> str:
    """Text that means nothing in Markdown but itself."""
    text = re.sub(r"([\\`*_<>|\[\]~])", r"\\\1", " ".join(text.split())).replace("&", "&amp;")
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", re.sub(r"^([-+#=])", r"\\\1", text))


def _slug(title: str) -> str:
    """The anchor that readers of Markdown give a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


# ---------------------------------------------------------------- HTML


def html(book: Rulebook) -> str:
    """The rulebook as one page: no scripts, nothing from elsewhere."""
    contents = "\n".join(f'<li><a href="#{c.id}">{escape(c.title)}</a></li>' for c in book.chapters)
    about = f'<p class="about">{escape(book.about)}</p>\n' if book.about else ""
    links = _Links(book)
    chapters = "\n".join(_section(chapter, links) for chapter in book.chapters)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(book.title)}: rules</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{escape(book.title)}</h1>
<p class="facts">{escape(", ".join(book.facts))}</p>
{about}</header>
<nav aria-label="Contents">
<ol>
{contents}
</ol>
</nav>
<main>
{chapters}
</main>
</body>
</html>
"""


def _section(chapter: Chapter, links: _Links) -> str:
    entries = "\n".join(_article(entry, links) for entry in chapter.entries)
    return f'<section id="{chapter.id}">\n<h2>{escape(chapter.title)}</h2>\n{entries}\n</section>'


def _article(entry: Entry, links: _Links) -> str:
    nested = f' class="in{min(entry.depth, 3)}"' if entry.depth else ""
    parts = [f'<h3 id="{links.ids[id(entry)]}">{escape(entry.title)}</h3>']
    if entry.lines:
        parts.append(_list(entry.lines, links))
    if entry.table is not None:
        parts.append(_table(entry.table, links))
    return f"<div{nested}>\n" + "\n".join(parts) + "\n</div>"


def _list(lines: Sequence[RulebookLine], links: _Links) -> str:
    """Nested lists: a line that is deeper than the one before belongs to it."""
    out: list[str] = []
    open_items = 0
    for line in lines:
        depth = min(line.depth, open_items) + 1
        while open_items > depth:
            out.append("</li></ul>")
            open_items -= 1
        if open_items == depth:
            out.append("</li>")
        else:
            out.append("<ul>")
            open_items += 1
        out.append(f"<li>{_linked(line.text, links)}")
    return "".join(out) + "</li></ul>" * open_items


def _table(table: RulebookTable, links: _Links) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    rows = "\n".join(f"<tr{_anchor(row, links)}>{''.join(_cells(row, table.head, links))}</tr>" for row in table.rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>'


def _anchor(row: Sequence[Sequence[RulebookLine]], links: _Links) -> str:
    """Where links to a clause lead: its row."""
    first = row[0][0].text if row[0] else ""
    return f' id="{ANCHOR}{escape(first)}"' if first in links.clauses else ""


def _cells(row: Sequence[Sequence[RulebookLine]], head: Sequence[str], links: _Links) -> Iterable[str]:
    for number, (cell, title) in enumerate(zip(row, head, strict=True)):
        start = f'<td data-head="{escape(title)}">'
        if number and (len(cell) > 1 or any(line.depth for line in cell)):
            yield f"{start}{_list(cell, links)}</td>"
        else:
            words = "".join(escape(line.text) if not number else _linked(line.text, links) for line in cell)
            yield f"{start}{words}</td>"


def _linked(text: str, links: _Links) -> str:
    """Escaped text in which clauses lead to their rows, and names in quotation marks, or of what a sentence does, to
    their entries."""

    def clause(match: re.Match[str]) -> str:
        return f'<a href="#{ANCHOR}{match[0]}">{match[0]}</a>' if match[0] in links.clauses else match[0]

    def name(match: re.Match[str]) -> str:
        place = links.places.get(unescape(match[1]).casefold())
        return match[0] if place is None else match[0].replace(match[1], f'<a href="#{place}">{match[1]}</a>')

    linked = CLAUSE.sub(clause, escape(text, quote=False))
    return DEED.sub(name, QUOTED.sub(name, linked))


class _Links:
    """Where links lead: the ids of entries, and entries by their names."""

    def __init__(self, book: Rulebook) -> None:
        self.clauses = book.clauses
        self.ids: dict[int, str] = {}
        self.places: dict[str, str] = {}
        taken: set[str] = set()
        for chapter in book.chapters:
            for entry in chapter.entries:
                stem = f"{chapter.id}-{_slug(entry.name)}"
                place = next(p for n in count(1) if (p := stem if n == 1 else f"{stem}-{n}") not in taken)
                taken.add(place)
                self.ids[id(entry)] = place
                self.places.setdefault(entry.name.casefold(), place)
