"""Build the rulebook of a ruleset as a document, and render it as Markdown or HTML.

There are two: the rulebook of all rules, and that for players. The second has what the author has written for them, in
the order in which a beginner needs it. A ruleset without a start page has no such words; its rulebook for players
describes the rules instead, without clauses.

Example: a declaration ``heap`` becomes an entry “Heap: a number, 12 at the start” in the chapter “What is kept in
mind”.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape, unescape
from itertools import count

from lusory_dsl.core.board_drawing_and_parsing import draw_board
from lusory_dsl.core.board_geometry import Board, Shape
from lusory_dsl.ruleset import model
from lusory_dsl.source.dataclass_with_lazy_methods import ValueRecord, replace
from lusory_dsl.source.safe_files_and_bundled_data import read_package_text
from lusory_dsl.source.source import capitalize, count_range, humanise, join_items, make_one_line, make_title

from .cards_and_boards import get_boards
from .declaration_names_and_lookup import format_type_name, lowercase_first_letter
from .declarations_in_english import CLAUSE, WIDTH, RulesText, wrap_text
from .glossary_merging_and_title_lookup import remove_clauses
from .statements_rules_and_declaration_parts import BULLET, INDENT, list_entries, walk_phases

COPIES, TEXT = "Copies", "Text"


class RulebookLine(ValueRecord):
    """Hold a sentence, with its depth below the title of the entry."""

    depth: int
    text: str


class RulebookTable(ValueRecord):
    """Hold a table. Each cell is a list of lines."""

    head: tuple[str, ...]
    rows: tuple[tuple[tuple[RulebookLine, ...], ...], ...]


class BoardPicture(ValueRecord):
    """Hold a board to draw, with the label of each space."""

    board: Board
    labels: tuple[str, ...]


class Entry(ValueRecord):
    """Describe one declaration or table. ``depth`` is its nesting depth among the entries, for phases."""

    title: str
    lines: tuple[RulebookLine, ...] = ()
    table: RulebookTable | None = None
    depth: int = 0
    picture: BoardPicture | None = None

    @property
    def name(self) -> str:
        """The title up to a colon, a bracket, “, of a player” or “, for each”: its name without the details."""
        head = self.title.partition(":")[0].partition(" (")[0]
        return head.removesuffix(", of a player").partition(", for each")[0]


class Chapter(ValueRecord):
    """Group entries under a title. ``id`` is the target of links."""

    id: str
    title: str
    entries: tuple[Entry, ...]


class Rulebook(ValueRecord):
    """Hold a complete rulebook.

    Attributes:
        title: The name of the game.
        facts: Number of players, version, authors and packs as phrases: “2 to 4 players”, “version 1.2”, “by A and
            B”, and “with P” for each pack.
        about: The description of the game.
        chapters: The chapters, none of them empty.
        clauses: The clauses with a row in the last chapter, to which mentions of a clause can link.
    """

    title: str
    facts: tuple[str, ...]
    about: str
    chapters: tuple[Chapter, ...]
    clauses: frozenset[str]


def build_rulebook(ruleset: model.Ruleset, cases: Mapping[str, Sequence[str]] | None = None) -> Rulebook:
    """Build the rulebook for authors, with all rules and the clauses that test cases cover.

    ``cases`` maps each clause to its test cases, or is None if they are unknown.
    """
    return RulebookBuilder(ruleset, cases, RulesText(ruleset))._build()


class RulebookBuilder:
    """Build the chapters of a rulebook from the declarations of a ruleset."""

    def __init__(self, ruleset: model.Ruleset, cases: Mapping[str, Sequence[str]] | None, writer: RulesText) -> None:
        self.ruleset = ruleset
        self.cases = cases
        self.writer = writer

    def _build(self, has_clauses: bool = True) -> Rulebook:
        """Return the rulebook, with only the chapters that have entries.

        ``about`` is the aim of the game's start page, or the ruleset's ``about`` without one, and what packs add. With
        ``has_clauses``, the last chapter lists the clauses that the text or the cases name, if there are any.
        """
        game = self.ruleset.game
        chapters = [chapter for chapter in self._iterate_chapters() if chapter.entries]
        places = [place for chapter in chapters for entry in chapter.entries for place in _iterate_places(entry)]
        clauses = self.list_clauses("\n".join(words for _, words in places)) if has_clauses else []
        if clauses:
            chapters.append(Chapter("clauses", "Clauses and their cases", (self._make_clause_entry(clauses, places),)))
        description = game.about.strip() if game.start_page is None else game.start_page.aim
        facts = [count_range(game.min_players, game.max_players, "player"), f"version {game.version}"]
        facts += [f"by {join_items(game.authors)}"] if game.authors else []
        facts += [f"with {pack.name}" for pack in self.ruleset.packs]
        for pack in self.ruleset.packs:
            replacements = f" It replaces {join_items([word.text for word in pack.replaces])}." if pack.replaces else ""
            description = f"{description} With {pack.name}: {pack.about or 'a pack.'}{replacements}".strip()
        return Rulebook(game.name, tuple(facts), description, tuple(chapters), frozenset(clauses))

    def list_clauses(self, text: str) -> list[str]:
        """Return the clauses that a text mentions, and all that ``cases`` covers, sorted, without duplicates.

        They are sorted by letters and number: R1, R1a, R2. Other ids of cases, such as ``rule 3``, come last, in the
        order of the cases. With cases, an id without a hyphen in the text counts only if it looks like a clause of the
        cases: the characters before its number are the same. If they have ``R1``, then ``R20`` and ``R3b`` count, but
        ``RX2`` and ``T95`` don't. Without cases, every id counts. With the case ``R1``, the text ``see R20, T95`` gives
        ``["R1", "R20"]``.
        """
        case_clauses = list(self.cases or ())
        prefixes = {_get_clause_prefix(clause) for clause in case_clauses}
        clauses = self.writer.list_clauses(text)
        if prefixes:
            clauses = [clause for clause in clauses if "-" in clause or _get_clause_prefix(clause) in prefixes]
        regular_clauses = [clause for clause in case_clauses if CLAUSE.fullmatch(clause)]
        sorted_clauses = self.writer.list_clauses(" ".join([*clauses, *regular_clauses]))
        return [*sorted_clauses, *(clause for clause in case_clauses if clause not in regular_clauses)]

    def _iterate_chapters(self) -> Iterator[Chapter]:
        """Yield all chapters, including empty ones, in a fixed order.

        Their ids are boards, components, places, memory, setup, course, actions, menus, answers, rules, effects,
        meanings, tables, end, options and glossary. The entries of a chapter are in declared order, in ``rules`` first
        rules, then spans, then durations; those of the glossary are sorted.
        """
        ruleset, writer = self.ruleset, self.writer
        yield Chapter("boards", "Boards", _make_entries(map(writer.describe_board, ruleset.boards)))
        yield Chapter("components", "Components", tuple(self._iterate_components()))
        yield Chapter("places", "Where things lie", _make_entries(map(writer.describe_zone, ruleset.zones)))
        yield Chapter("memory", "What is kept in mind", _make_entries(map(writer.describe_variable, ruleset.variables)))
        setups = [("At the start", ruleset.setup), *(("After that, with packs", body) for body in ruleset.more_setups)]
        entries = ([title, *(f"{INDENT}{line}" for line in writer.describe_block(do))] for title, do in setups if do)
        yield Chapter("setup", "Setup", _make_entries(entries))
        phases = walk_phases(ruleset.phases)
        entries_of_phases = tuple(_make_entry(writer.describe_phase(phase), depth) for phase, depth in phases)
        yield Chapter("course", "Course of the game", entries_of_phases)
        # A printed text stands under the name of the action.
        actions = [
            writer.describe_action(action) if action.text else writer.describe_declared_action(action)
            for action in ruleset.actions
        ]
        yield Chapter("actions", "Actions", _make_entries(actions))
        yield Chapter("menus", "Menus", _make_entries(map(writer.describe_menu, ruleset.menus)))
        yield Chapter("answers", "Answers", _make_entries(map(writer.describe_window, ruleset.windows)))
        rules = [*map(writer.describe_named_rule, ruleset.rules), *map(writer.describe_span, ruleset.spans)]
        rules += map(writer.describe_duration, ruleset.durations)
        yield Chapter("rules", "Rules that bend others", _make_entries(rules))
        yield Chapter("effects", "What is done", _make_entries(map(writer.describe_effect, ruleset.effects)))
        yield Chapter("meanings", "What words mean", _make_entries(map(writer.describe_query, ruleset.queries)))
        yield Chapter("tables", "Tables", tuple(map(self._make_table_entry, ruleset.tables)))
        yield Chapter("end", "Scoring and the end", tuple(self._iterate_endings()))
        yield Chapter("options", "Options", tuple(self._iterate_options()))
        yield Chapter("glossary", "Glossary", tuple(self._iterate_glossary()))

    # ------------------------------------------------------------ components

    def _iterate_components(self) -> Iterator[Entry]:
        """Yield an entry for each component kind, with a table of its cards, or None if it has no cards.

        The title is the kind's name, and its fields become the first line.
        """
        for kind in self.ruleset.components:
            title, *lines = self.writer.describe_component(kind)
            name, _, fields = title.partition(": ")
            if fields:
                lines = [f"{INDENT}{capitalize(fields)}", *lines]
            cards = [card for card in self.ruleset.cards if card.kind.text == kind.name.text]
            table = self._make_card_table(kind, cards) if cards else None
            yield Entry(name.removesuffix("."), tuple(_iterate_lines(lines)), table)

    def _make_card_table(self, kind: model.ComponentDecl, cards: Sequence[model.CardDecl]) -> RulebookTable:
        """Return a table with a row for each card, in the order of ``cards``.

        Its columns are the name under that of the kind, ``Copies``, each field of the kind in order, and ``Text``.
        ``Copies`` is left out if each card exists once, and ``Text`` if no card has one. A missing field is an empty
        cell.
        """
        fields = [name.text for name, _type in kind.fields]
        copies = any(card.copies != 1 for card in cards)
        texts = [
            tuple(_iterate_lines(f"{INDENT}{line}" for line in self.writer.describe_card_text(card))) for card in cards
        ]
        head = [kind.name.text, *([COPIES] if copies else []), *(make_title(name) for name in fields)]
        rows = []
        for card, text in zip(cards, texts, strict=True):
            values = {word.text: self.writer.describe_data(value) for word, value in card.fields}
            cells = [self.writer.name_card(card), *([str(card.copies)] if copies else [])]
            row = _make_row([*cells, *(values.get(name, "") for name in fields)])
            rows.append((*row, *([text] if any(texts) else [])))
        return RulebookTable((*head, *([TEXT] if any(texts) else [])), tuple(rows))

    # ------------------------------------------------------------ tables, endings

    def _make_table_entry(self, decl: model.TableDecl) -> Entry:
        """Return a table as an entry: its title without a colon, its doc as a line if it has one, and its rows.

        The first column holds the labels of the first dimension, whose name is its head. If all rows have the same keys
        in the same order, each key is the head of a further column; otherwise there is one, ``Value``, with the whole
        row. A table without rows, or one that is computed, gives an entry of lines without a table.
        """
        title, *lines = self.writer.describe_table(decl)
        doc = decl.doc.strip()
        rows = list_entries(decl.values)
        if not rows:
            return _make_entry([title, *lines])
        inner = [key for key, _ in list_entries(rows[0][1])]
        get_label, describe_data = self.writer.get_label, self.writer.describe_data
        is_grid = inner and all([key for key, _ in list_entries(value)] == inner for _, value in rows)
        head = tuple(map(get_label, inner)) if is_grid else ("Value",)
        dimension = decl.per[0].text if decl.per else ""
        body = []
        for word, value in rows:
            data = [item for _, item in list_entries(value)] if head != ("Value",) else [value]
            body.append(_make_row((capitalize(get_label(word)), *map(describe_data, data))))
        words = _make_plain_lines([doc] if doc else [])
        return Entry(title.removesuffix(":"), words, RulebookTable((dimension, *head), tuple(body)))

    def _iterate_endings(self) -> Iterator[Entry]:
        """Yield the entries about winning, or nothing without scoring.

        They are “Who wins” with the ranking, one for each chart, one for each ending and, if any values are shown, “In
        the final table” with a line ``TITLE: VALUE.`` for each.
        """
        scoring = self.ruleset.scoring
        if scoring is None:
            return
        yield Entry("Who wins", _make_plain_lines(self.writer.describe_ranking()))
        for chart in scoring.charts:
            yield _make_entry(self.writer.describe_chart(chart))
        yield from (_make_entry(self.writer.describe_ending(decl)) for decl in self.ruleset.endings)
        lines = _make_plain_lines(f"{title}: {self.writer.say_value(value)}." for title, value in scoring.show)
        if lines:
            yield Entry("In the final table", lines)

    def _iterate_options(self) -> Iterator[Entry]:
        """Yield the entry “What can be agreed before the game” with a table of all options, or nothing without options.

        A row has the name as a title, the allowed values, the default and the doc.
        """
        rows = []
        for option in self.ruleset.options:
            cells = (
                make_title(option.name.text),
                self.writer.describe_allowed_values(option),
                self.writer.describe_data(option.default),
                option.doc.strip(),
            )
            rows.append(_make_row(cells))
        if rows:
            head = ("Option", "Readings", "Unless agreed otherwise", "What it settles")
            yield Entry("What can be agreed before the game", (), RulebookTable(head, tuple(rows)))

    # ------------------------------------------------------------ glossary, clauses

    def _iterate_glossary(self) -> Iterator[Entry]:
        """Yield keywords, enums and explained enum values, in alphabetical order of their titles regardless of case.

        Enum values about which nothing more than the title is known are left out.
        """
        ruleset = self.ruleset
        entries = [self.writer.describe_keyword(keyword) for keyword in ruleset.keywords]
        entries += [self.writer.describe_enum(enum) for enum in ruleset.enums]
        for enum in ruleset.enums:
            for value in enum.values:
                entry = self.writer.describe_enum_value((enum, value))
                entries += [entry] if len(entry) > 1 else []
        yield from sorted(_make_entries(entries), key=lambda entry: entry.title.casefold())

    def _make_clause_entry(self, clauses: Sequence[str], places: Iterable[tuple[str, str]]) -> Entry:
        """Return an entry with a table: a row for each of ``clauses``, in order.

        The second column has the names of the places whose text mentions the clause, joined by ``; ``, without
        duplicates; it is empty if none does. The third names the cases that cover it, one in each line, or “none”. It
        is left out if the cases are unknown.
        """
        head = ["Clause", "Spoken of in", *(["Cases"] if self.cases is not None else [])]
        rows = []
        mentions: dict[str, list[str]] = {}
        for name, words in places:
            for clause in self.writer.list_clauses(words):
                mentions.setdefault(clause, []).append(name)
        for clause in clauses:
            row = _make_row([clause, "; ".join(dict.fromkeys(mentions.get(clause, [])))])
            if self.cases is not None:
                row = (*row, _make_plain_lines(self.cases.get(clause) or ["none"]))
            rows.append(row)
        return Entry("Where each clause of the rules went", (), RulebookTable(tuple(head), tuple(rows)))


# ---------------------------------------------------------------- helpers


def _get_clause_prefix(clause: str) -> str:
    """Return a clause's id without the digits and small letters at its end."""
    return clause.rstrip("0123456789abcdefghijklmnopqrstuvwxyz")


def _make_entries(entries: Iterable[Sequence[str]]) -> tuple[Entry, ...]:
    return tuple(_make_entry(lines) for lines in entries)


def _make_entry(entry_lines: Sequence[str], depth: int = 0) -> Entry:
    """Return an entry whose title is the first line, without a colon or full stop at its end.

    The other lines follow, at their indentation. Raise ValueError without lines.
    """
    title, *lines = entry_lines
    return Entry(title.removesuffix(":").removesuffix("."), tuple(_iterate_lines(lines)), None, depth)


def _make_plain_lines(texts: Iterable[str]) -> tuple[RulebookLine, ...]:
    """Return texts as lines without indentation."""
    return tuple(RulebookLine(0, text) for text in texts)


def _make_row(cells: Iterable[str]) -> tuple[tuple[RulebookLine, ...], ...]:
    """Return a row of a table whose cells have one line each."""
    return tuple((RulebookLine(0, cell),) for cell in cells)


def _iterate_lines(lines: Iterable[str]) -> Iterator[RulebookLine]:
    """Yield the lines below a title. Their indentation becomes the depth, and a single blank beyond it stays."""
    for line in lines:
        words = line.strip()
        if words:
            # The rows of a board's diagram can have an odd number of blanks.
            level, blanks = divmod(len(line) - len(line.lstrip()), len(INDENT))
            yield RulebookLine(max(level - 1, 0), f"{' ' * blanks}{words}")


def _iterate_places(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the places that can mention a clause, each as name and text: the entry, and each row of its table."""
    yield entry.name, "\n".join([entry.title, *(line.text for line in entry.lines)])
    for row in entry.table.rows if entry.table is not None else ():
        yield row[0][0].text, "\n".join(line.text for cell in row for line in cell)


ANCHOR = "clause-"
QUOTED = re.compile("“([^”<>]+)”")


def render_markdown(book: Rulebook) -> str:
    """Return a rulebook with at least one chapter as Markdown that ends with one line break.

    Its blocks are separated by empty lines. They are ``# title``, the facts as one sentence (``2 players, version 1.``)
    and the description in italics, unless it is empty. A list of links such as ``- [Cards](#cards)`` and the chapters
    under ``##`` follow. An entry is under ``###``, or deeper by its depth, to ``######``. Its lines are ``- LINE``,
    without a bullet of their own, after two blanks for each level of the line's depth. Its picture, indented by four
    blanks, and its table in GitHub's syntax follow. Outside pictures, the signs ``\\`*_<>|[]~`` get a backslash:
    ``a_b`` gives ``a\\_b``. So do ``-+#=`` at the start of a text, and the sign behind the number in ``1.`` or
    ``1)`` there. ``&`` becomes ``&amp;``.
    """
    parts = [f"# {_escape_markdown(book.title)}", _escape_markdown(f"{', '.join(book.facts)}.")]
    parts += [f"*{_escape_markdown(book.about)}*"] if book.about else []
    titles = [chapter.title for chapter in book.chapters]
    parts.append("\n".join(f"- [{_escape_markdown(title)}](#{_make_anchor(title)})" for title in titles))
    for chapter in book.chapters:
        parts.append(f"## {_escape_markdown(chapter.title)}")
        for entry in chapter.entries:
            parts += _render_markdown_entry(entry)
    return "\n\n".join(parts) + "\n"


def _render_markdown_entry(entry: Entry) -> Iterator[str]:
    """Yield the blocks of an entry in Markdown: its heading, then its lines, picture and table if it has them."""
    yield f"{'#' * min(3 + entry.depth, 6)} {_escape_markdown(entry.title)}"
    if entry.lines:
        yield "\n".join(f"{'  ' * line.depth}- {_escape_markdown(_strip_bullet(line))}" for line in entry.lines)
    if entry.picture is not None:
        labels = entry.picture.labels
        diagram = draw_board(entry.picture.board, lambda space: labels[space])
        yield "\n".join(f"    {make_one_line(row).rstrip()}" for row in diagram)
    if entry.table is not None:
        head = [*map(_escape_markdown, entry.table.head)]
        rows = [head, ["---"] * len(head), *(map(_render_markdown_cell, row) for row in entry.table.rows)]
        yield "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _render_markdown_cell(lines: Sequence[RulebookLine]) -> str:
    return "<br>".join(f"{'&emsp;' * line.depth}{_escape_markdown(line.text)}" for line in lines)


def _strip_bullet(line: RulebookLine) -> str:
    """Return the text of an item of a list, without a bullet of its own."""
    return line.text.removeprefix(BULLET)


def _escape_markdown(text: str) -> str:
    """Escape a text for Markdown."""
    text = re.sub(r"([\\`*_<>|\[\]~])", r"\\\1", " ".join(text.split())).replace("&", "&amp;")
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", re.sub(r"^([-+#=])", r"\\\1", text))


def _make_anchor(title: str) -> str:
    """Return the anchor that Markdown renderers give the first heading with a title."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


# ---------------------------------------------------------------- plain text


def explain_ruleset(
    ruleset: model.Ruleset, width: int = WIDTH, is_at_table: bool = False, shows_rules: bool = False
) -> str:
    """Return the whole rulebook as plain text, without clauses, for authors, or for players with ``is_at_table``.

    ``width`` is the maximum length of a line. With ``shows_rules``, authors see the rules also where there is a printed
    text.
    """
    if is_at_table:
        book = build_players_rulebook(ruleset)
    else:
        book = RulebookBuilder(ruleset, None, RulesText(ruleset, shows_rules=shows_rules))._build(has_clauses=False)
    return wrap_text(_iterate_text_lines(book), width)


def _iterate_text_lines(book: Rulebook) -> Iterator[str]:
    """Yield the lines of a rulebook. An entry of several lines has an empty line before and behind it."""
    yield from (book.title, "=" * len(book.title), "", f"{capitalize(', '.join(book.facts))}.")
    yield from ["", book.about] if book.about else []
    for chapter in book.chapters:
        yield from ("", chapter.title, "-" * len(chapter.title))
        is_last_long = False
        for number, entry in enumerate(chapter.entries):
            lines = _render_text_entry(entry)
            is_long = len(lines) > 1
            if number and (is_long or is_last_long):
                yield ""
            yield from lines
            is_last_long = is_long


def _render_text_entry(entry: Entry) -> list[str]:
    """Return an entry as lines: its title, and below it its lines, its picture and the rows of its table."""
    content = [f"{INDENT * line.depth}{line.text}" for line in entry.lines]
    if entry.picture is not None:
        labels = entry.picture.labels
        content += draw_board(entry.picture.board, lambda space: labels[space])
    if entry.table is not None:
        content += [line for row in entry.table.rows for line in _render_text_row(entry.table.head, row)]
    title = f"{entry.title}{':' if content and ': ' not in entry.title else '.'}"
    return [f"{INDENT * entry.depth}{title}", *(f"{INDENT * (entry.depth + 1)}{line}" for line in content)]


def _render_text_row(head: Sequence[str], row: Sequence[Sequence[RulebookLine]]) -> Iterator[str]:
    """Yield a row of a table: the first cell and short ones in a line, and below it the text and cells of sentences."""
    values: list[str] = []
    texts: list[str] = []
    for title, cell in zip(head[1:], row[1:], strict=True):
        lines = [f"{INDENT * line.depth}{line.text}" for line in cell if line.text]
        if title == TEXT or any(line.endswith(".") for line in lines):
            texts += lines
        else:
            values += [line if title == "Value" else f"{lowercase_first_letter(title)} {line}" for line in lines]
    name = row[0][0].text
    yield f"{name}: {'; '.join(values)}." if values else f"{name}{':' if texts else '.'}"
    yield from (f"{INDENT}{text}" for text in texts)


# ---------------------------------------------------------------- HTML


def render_html(book: Rulebook) -> str:
    """Return the rulebook as one HTML page without scripts, with all text of the ruleset escaped.

    It begins with ``<!doctype html>`` and ends with ``</html>`` and a line break. The body has the title
    (``<h1>Tic &amp; Tac</h1>``), the facts joined by ", " (``<p class="facts">``), and the description unless it is "".
    A list of links to the chapters (``<ol>`` in ``<nav aria-label="Contents">``) and the chapters follow. A chapter is
    a ``<section>`` with its id and an ``<h2>``. Each entry has an ``<h3>`` with an id such as ``cards-ace``. In lines
    and the cells of tables, except the first column, links lead from the name of an entry in any case between “ and ”
    to the entry, and from a clause in ``book.clauses`` to its row, such as ``#clause-R1``.
    """
    contents = "\n".join(f'<li><a href="#{chapter.id}">{escape(chapter.title)}</a></li>' for chapter in book.chapters)
    description = f'<p class="about">{escape(book.about)}</p>\n' if book.about else ""
    links = _Links(book)
    sections = []
    for chapter in book.chapters:
        entries = "\n".join(_render_entry(entry, links) for entry in chapter.entries)
        sections.append(f'<section id="{chapter.id}">\n<h2>{escape(chapter.title)}</h2>\n{entries}\n</section>')
    chapters = "\n".join(sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(book.title)}: rules</title>
<style>
{read_package_text(__package__, "rulebook.css")}</style>
</head>
<body>
<header>
<h1>{escape(book.title)}</h1>
<p class="facts">{escape(", ".join(book.facts))}</p>
{description}</header>
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


def _render_entry(entry: Entry, links: _Links) -> str:
    attribute = f' class="in{min(entry.depth, 3)}"' if entry.depth else ""
    parts = [f'<h3 id="{links.ids[id(entry)]}">{escape(entry.title)}</h3>']
    if entry.lines:
        parts.append(_render_list(entry.lines, links))
    if entry.picture is not None:
        parts.append(_render_board(entry.picture))
    if entry.table is not None:
        parts.append(_render_table(entry.table, links))
    return f"<div{attribute}>\n" + "\n".join(parts) + "\n</div>"


def _render_board(picture: BoardPicture) -> str:
    """Return a board as an SVG drawing: a box for each space, and a line for each link between spaces that don't touch.

    Boxes of grids touch, so they need no lines.
    """
    board, labels = picture.board, picture.labels
    places = board.places or tuple((0, 2 * space) for space in range(board.size))
    is_grid = board.shape in (Shape.GRID, Shape.HEX)
    width = max(8 * max(map(len, labels), default=1) + 12, 28)
    height, column_step, row_step = 28, width + (0 if is_grid else 36), 28 if is_grid else 64
    first_column = min(column for _, column in places)
    columns = [(column - first_column) * column_step // 2 + width // 2 + 2 for _, column in places]
    centers = [(x, row * row_step + height // 2 + 2) for x, (row, _) in zip(columns, places, strict=True)]
    arcs = () if is_grid else ((start, end) for start in range(board.size) for end in board.beside[start])
    pairs = {(min(arc), max(arc)) for arc in arcs}
    links = "".join(
        f'<line x1="{centers[start][0]}" y1="{centers[start][1]}" x2="{centers[end][0]}" y2="{centers[end][1]}"></line>'
        for start, end in sorted(pairs)
    )
    boxes = "".join(
        f'<rect x="{x - width // 2}" y="{y - height // 2}" width="{width}" height="{height}"></rect>'
        f'<text x="{x}" y="{y + 5}">{escape(label)}</text>'
        for (x, y), label in zip(centers, labels, strict=True)
    )
    right, bottom = (max(values) for values in zip(*centers, strict=True))
    size = f"0 0 {right + width // 2 + 2} {bottom + height // 2 + 2}"
    return f'<svg class="board" viewBox="{size}" role="img" aria-label="The board">{links}{boxes}</svg>'


def _render_list(lines: Sequence[RulebookLine], links: _Links) -> str:
    """Return nested lists. A deeper line becomes a child of the line before it."""
    parts: list[str] = []
    open_items = 0
    for line in lines:
        depth = min(line.depth, open_items) + 1
        while open_items > depth:
            parts.append("</li></ul>")
            open_items -= 1
        if open_items == depth:
            parts.append("</li>")
        else:
            parts.append("<ul>")
            open_items += 1
        parts.append(f"<li>{_add_links(_strip_bullet(line), links)}")
    return "".join(parts) + "</li></ul>" * open_items


def _render_table(table: RulebookTable, links: _Links) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    rows = []
    for row in table.rows:
        first = row[0][0].text if row[0] else ""
        # mentions of a clause link to its row
        place = f' id="{ANCHOR}{escape(first)}"' if first in links.clauses else ""
        rows.append(f"<tr{place}>{''.join(_render_cells(row, table.head, links))}</tr>")
    body = "\n".join(rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _render_cells(row: Sequence[Sequence[RulebookLine]], head: Sequence[str], links: _Links) -> Iterable[str]:
    for number, (cell, title) in enumerate(zip(row, head, strict=True)):
        start = f'<td data-head="{escape(title)}">'
        if number and (len(cell) > 1 or any(line.depth for line in cell)):
            yield f"{start}{_render_list(cell, links)}</td>"
        else:
            words = "".join(escape(line.text) if not number else _add_links(line.text, links) for line in cell)
            yield f"{start}{words}</td>"


def _add_links(text: str, links: _Links) -> str:
    """Escape a text and add links.

    Clauses link to their rows, and names in quotation marks to their entries.
    """

    def link_clause(match: re.Match[str]) -> str:
        """Return a clause number as a link, if the rulebook has the clause."""
        return f'<a href="#{ANCHOR}{match[0]}">{match[0]}</a>' if match[0] in links.clauses else match[0]

    def link_name(match: re.Match[str]) -> str:
        """Return a name as a link to its entry, if there is one."""
        place = links.places.get(unescape(match[1]).casefold())
        return match[0] if place is None else match[0].replace(match[1], f'<a href="#{place}">{match[1]}</a>')

    linked_text = CLAUSE.sub(link_clause, escape(text, quote=False))
    return QUOTED.sub(link_name, linked_text)


class _Links:
    """Assign an id to each entry, and map names of entries to these ids."""

    def __init__(self, book: Rulebook) -> None:
        """Give each entry an anchor, “CHAPTER-NAME”, with a number if it is taken. A name leads to its first entry."""
        self.clauses = book.clauses
        self.ids: dict[int, str] = {}
        self.places: dict[str, str] = {}
        taken_ids: set[str] = set()
        for chapter in book.chapters:
            for entry in chapter.entries:
                stem = f"{chapter.id}-{_make_anchor(entry.name)}"
                place = next(
                    candidate for n in count(1) if (candidate := stem if n == 1 else f"{stem}-{n}") not in taken_ids
                )
                taken_ids.add(place)
                self.ids[id(entry)] = place
                self.places.setdefault(entry.name.casefold(), place)


def build_players_rulebook(ruleset: model.Ruleset) -> Rulebook:
    """Build the rulebook for players.

    ``about`` is the aim of the start page, or the game's description without such a page. To it each pack adds its
    description (or ``a pack.``) and what it replaces: `` With river: It rains. It replaces flood and bridge.`` With a
    start page, the chapters are Set-up, A turn, The end of the game, The board (or The boards), The phases, Actions and
    what they do, Cards, Keywords, and Options. Phases, actions, effects and enum values are in it only with a printed
    text, and keywords only with a reminder. Without a start page, the chapters are those of the rulebook for authors,
    except the last about clauses. In these, a doc replaces most rules of a declaration; spans, charts, tables and
    boards show both. Chapters without entries are left out. In ``about`` and in all entries, brackets with only clause
    numbers are left out: ``Draw (FN-2, B3).`` becomes ``Draw.``, but ``(see B3)`` stays. ``clauses`` is an empty
    frozenset.
    """
    builder_class = RulebookBuilder if ruleset.game.start_page is None else _PlayersRulebookBuilder
    book = builder_class(ruleset, None, RulesText(ruleset, is_at_table=True))._build(has_clauses=False)
    chapters = tuple(
        replace(chapter, entries=tuple(map(_remove_entry_clauses, chapter.entries))) for chapter in book.chapters
    )
    return replace(book, about=remove_clauses(book.about), chapters=chapters)


def _remove_entry_clauses(entry: Entry) -> Entry:
    table = entry.table
    if table is not None:
        rows = tuple(tuple(_remove_line_clauses(cell) for cell in row) for row in table.rows)
        table = replace(table, rows=rows)
    title, lines = remove_clauses(entry.title), _remove_line_clauses(entry.lines)
    return replace(entry, title=title, lines=lines, table=table)


def _remove_line_clauses(lines: Iterable[RulebookLine]) -> tuple[RulebookLine, ...]:
    return tuple(RulebookLine(line.depth, remove_clauses(line.text)) for line in lines)


class _PlayersRulebookBuilder(RulebookBuilder):
    """Build the chapters for players of a ruleset with a start page."""

    @property
    def _page(self) -> model.StartPageDecl:
        """The start page, which must exist."""
        page = self.ruleset.game.start_page
        assert page is not None
        return page

    def _iterate_chapters(self) -> Iterator[Chapter]:
        """Yield all chapters, including empty ones, in a fixed order.

        They are Set-up, A turn, The end of the game, The board (or boards), The phases, Actions and what they do,
        Cards, Keywords, and Options. Phases, actions, effects and values count only with a printed text, keywords
        only with a reminder. Keywords are sorted by title, the others are in declared order; actions come before enum
        values, and these before effects, and equal ones of these occur once.
        """
        ruleset = self.ruleset
        preparation = _make_plain_lines(self._page.preparation)
        yield Chapter("setup", "Set-up", (Entry("Before the game", preparation),) if preparation else ())
        yield Chapter("turn", "A turn", tuple(self._iterate_turn()))
        yield Chapter("end", "The end of the game", tuple(self._iterate_endings()))
        yield Chapter("boards", "The boards" if ruleset.boards[1:] else "The board", tuple(self._iterate_boards()))
        phases = [phase for phase, _ in walk_phases(ruleset.phases) if phase.text]
        yield Chapter("course", "The phases", _make_entries(map(self.writer.describe_phase, phases)))
        actions = [self.writer.describe_action(action) for action in ruleset.actions if action.text]
        effects = [self.writer.describe_effect(effect) for effect in ruleset.effects if effect.text]
        pairs = ((enum, value) for enum in ruleset.enums for value in enum.values if value.text)
        entries = _make_entries([*actions, *map(self.writer.describe_enum_value, pairs), *effects])
        different_entries = {(entry.title, entry.lines): entry for entry in entries}
        yield Chapter("actions", "Actions and what they do", tuple(different_entries.values()))
        yield Chapter("cards", "Cards", tuple(self._iterate_cards()))
        keywords = [self.writer.describe_keyword(decl) for decl in ruleset.keywords if decl.reminder is not None]
        entries = _make_entries(keywords)
        yield Chapter("glossary", "Keywords", tuple(sorted(entries, key=lambda entry: entry.title.casefold())))
        yield Chapter("options", "Options", tuple(self._iterate_options()))

    def _iterate_turn(self) -> Iterator[Entry]:
        """Yield the entry “What you do” with the lines on a turn, then “Good to know”.

        A line about a phase begins with the title of the phase and a colon. An entry without lines is left out.
        """
        phases = {phase.id.text: phase for phase, _ in walk_phases(self.ruleset.phases)}
        turn = [self._format_turn_line(phases.get(word.text) if word else None, text) for word, text in self._page.turn]
        if turn:
            yield Entry("What you do", _make_plain_lines(turn))
        if self._page.know:
            yield Entry("Good to know", _make_plain_lines(self._page.know))

    def _format_turn_line(self, phase: model.PhaseDecl | None, text: str) -> str:
        if phase is None:
            return text
        title = phase.label.text if phase.label is not None and "{" not in phase.label.text else humanise(phase.id.text)
        return f"{capitalize(title)}: {text}"

    def _iterate_endings(self) -> Iterator[Entry]:
        """Yield “The game ends” with the lines of the start page and a line ``Label: TEXT`` for each declared ending,
        an entry for each chart with a text, and “Points”.

        “Points” has the lines ``Your points are the sum of: gold and gems.`` and, with ties, ``In a tie: gold.`` An
        entry without lines is left out. An ending whose label has values has a line without the label. Without scoring,
        nothing follows “The game ends”.
        """
        ends = _make_plain_lines((*self._page.end, *map(_tell_ending, self.ruleset.endings)))
        if ends:
            yield Entry("The game ends", ends)
        scoring = self.ruleset.scoring
        if scoring is None:
            return
        yield from (_make_entry(self.writer.describe_chart(chart)) for chart in scoring.charts if chart.text)
        if scoring.items:
            lines = [f"Your points are the sum of: {join_items([item.title for item in scoring.items])}."]
            lines += [f"In a tie: {join_items([word.text for word in scoring.ties])}."] if scoring.ties else []
            yield Entry("Points", _make_plain_lines(lines))

    def _iterate_boards(self) -> Iterator[Entry]:
        """Yield an entry for each valid board: its doc, and a picture with the spaces' labels, or else their names."""
        for decl in self.ruleset.boards:
            board = get_boards(self.ruleset).get(decl.name.text)
            if board is None:
                continue
            labels = {word.text: label for word, label in decl.labels}
            names = tuple(labels.get(name, name) for name in board.names)
            doc = _make_plain_lines([" ".join(decl.doc.split())] if decl.doc.strip() else [])
            yield Entry(format_type_name(decl.name.text), doc, picture=BoardPicture(board, names))

    def _iterate_cards(self) -> Iterator[Entry]:
        """Yield an entry for each card with a text or abilities, and one that lists all other cards, kind by kind.

        The first line of a card's entry is its frame. The entry of other cards has the title “KIND without a text”, and
        one line with their names and numbers of copies.
        """
        for kind in self.ruleset.components:
            cards = [card for card in self.ruleset.cards if card.kind.text == kind.name.text]
            plain = [card for card in cards if not self.writer.describe_card_text(card)]
            for card in (card for card in cards if card not in plain):
                title, *lines = self.writer.describe_card(card)
                name = self.writer.name_card(card) + (f" ({card.copies} copies)" if card.copies != 1 else "")
                frame = RulebookLine(0, title.removeprefix(f"{name}: "))
                yield Entry(name, (frame, *_make_entry([name, *lines]).lines))
            if plain:
                copies = [
                    (f"{card.copies} × " if card.copies != 1 else "") + self.writer.name_card(card) for card in plain
                ]
                title = f"{capitalize(format_type_name(kind.name.text))} without a text"
                yield Entry(title, _make_plain_lines([f"{join_items(copies)}."]))


def _tell_ending(ending: model.EndingDecl) -> str:
    """Return the label of an ending and its text. A label with values in it only makes sense during a game."""
    text = " ".join(" ".join(line.text.split()) for line in ending.text)
    return text if "{" in ending.label.text else f"{capitalize(ending.label.text)}: {text}"
