"""Build the rulebook for players: what the author has written for them, in the order in which a beginner needs it.

A ruleset without a start page has no such words. Its rulebook describes the rules instead, without clauses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..ruleset import model
from ..source.dataclass_with_lazy_methods import replace
from ..source.source import humanise
from .glossary import remove_clauses
from .rulebook import BoardPicture, Chapter, Entry, Rulebook, RulebookBuilder, RulebookLine, make_entry
from .rules_text import RulesText
from .statements import walk_phases
from .vocabulary import capitalize, format_type_name, join_items

CARDS = "cards"
"""The id of the chapter that shows each entry as a block."""


def build_players_rulebook(ruleset: model.Ruleset) -> Rulebook:
    """Build the rulebook for players.

    With a start page, its chapters follow that page and its aim is the description. Without one, they are those of the
    rulebook for authors, in which the docs of declarations replace their rules. Chapters without entries are left out,
    and so are clause numbers in all texts. Its ``clauses`` are empty.
    """
    text = RulesText(ruleset, at_table=True)
    builder = RulebookBuilder(ruleset, None, text)
    page = ruleset.game.start_page
    all_chapters = builder.iterate_chapters() if page is None else _Players(ruleset, text, builder, page).chapters()
    chapters = tuple(
        Chapter(chapter.id, chapter.title, tuple(map(_without_clauses, chapter.entries)))
        for chapter in all_chapters
        if chapter.entries
    )
    about = ruleset.game.about.strip() if page is None else page.aim
    return Rulebook(ruleset.game.name, builder.list_facts(), remove_clauses(about), chapters, frozenset())


def _without_clauses(entry: Entry) -> Entry:
    table = entry.table
    if table is not None:
        rows = tuple(tuple(_lines_without_clauses(cell) for cell in row) for row in table.rows)
        table = replace(table, rows=rows)
    title, lines = remove_clauses(entry.title), _lines_without_clauses(entry.lines)
    return replace(entry, title=title, lines=lines, table=table)


def _lines_without_clauses(lines: Iterable[RulebookLine]) -> tuple[RulebookLine, ...]:
    return tuple(RulebookLine(line.depth, remove_clauses(line.text)) for line in lines)


class _Players:
    """Write the chapters for players of a ruleset with a start page."""

    def __init__(
        self, ruleset: model.Ruleset, text: RulesText, builder: RulebookBuilder, page: model.StartPageDecl
    ) -> None:
        self.ruleset = ruleset
        self.text = text
        self.builder = builder
        self.page = page

    def chapters(self) -> Iterator[Chapter]:
        """Yield all chapters, including empty ones, in a fixed order.

        They are A turn, The end of the game, The board (or boards), The phases, Actions and what they do, Cards,
        Keywords, and Options. Phases, actions, effects and values count only with a printed text, keywords only with a
        reminder. Keywords are sorted by title, the others are in declared order.
        """
        r = self.ruleset
        yield Chapter("turn", "A turn", tuple(self.turn()))
        yield Chapter("end", "The end of the game", tuple(self.ending()))
        yield Chapter("boards", "The board" if len(r.boards) == 1 else "The boards", tuple(self.boards()))
        phases = [phase for phase, _ in walk_phases(r.phases) if phase.text]
        yield Chapter("course", "The phases", _entries(map(self.text.describe_phase, phases)))
        actions = [self.text.describe_action(action) for action in r.actions if action.text]
        effects = [self.text.describe_effect(effect) for effect in r.effects if effect.text]
        values = [self.text.describe_enum_value((enum, v)) for enum in r.enums for v in enum.values if v.text]
        yield Chapter("actions", "Actions and what they do", _unique(_entries([*actions, *values, *effects])))
        yield Chapter(CARDS, "Cards", tuple(self.cards()))
        keywords = [self.text.describe_keyword(keyword) for keyword in r.keywords if keyword.reminder is not None]
        yield Chapter("glossary", "Keywords", tuple(sorted(_entries(keywords), key=lambda e: e.title.casefold())))
        yield Chapter("options", "Options", tuple(self.builder.iterate_options()))

    def turn(self) -> Iterator[Entry]:
        """Yield the entry “What you do” with the lines on a turn, then “Good to know”.

        A line about a phase begins with the title of the phase and a colon. An entry without lines is left out.
        """
        phases = {phase.id.text: phase for phase, _ in walk_phases(self.ruleset.phases)}
        turn = [self._turn_line(phases.get(word.text) if word else None, text) for word, text in self.page.turn]
        if turn:
            yield Entry("What you do", tuple(RulebookLine(0, line) for line in turn))
        if self.page.know:
            yield Entry("Good to know", tuple(RulebookLine(0, line) for line in self.page.know))

    def _turn_line(self, phase: model.PhaseDecl | None, text: str) -> str:
        if phase is None:
            return text
        title = phase.label.text if phase.label is not None and "{" not in phase.label.text else humanise(phase.id.text)
        return f"{capitalize(title)}: {text}"

    def ending(self) -> Iterator[Entry]:
        """Yield “The game ends” with a line for each declared ending, an entry for each chart with a text, and
        “Points”.

        The last names the items that add up to the score, and what counts in a tie; it is left out without such items.
        Without endings, the first is left out. Without scoring, nothing follows the first.
        """
        ends = [RulebookLine(0, _tell_ending(ending)) for ending in self.ruleset.endings]
        if ends:
            yield Entry("The game ends", tuple(ends))
        scoring = self.ruleset.scoring
        if scoring is None:
            return
        yield from (make_entry(self.text.describe_chart(chart)) for chart in scoring.charts if chart.text)
        if scoring.items:
            lines = [f"Your points are the sum of: {join_items([item.title for item in scoring.items])}."]
            lines += [f"In a tie: {join_items([word.text for word in scoring.ties])}."] if scoring.ties else []
            yield Entry("Points", tuple(RulebookLine(0, line) for line in lines))

    def boards(self) -> Iterator[Entry]:
        """Yield an entry for each valid board: its doc, and a picture with the spaces' labels, or else their names."""
        for decl in self.ruleset.boards:
            board = self.text.boards.get(decl.name.text)
            if board is None:
                continue
            labels = {word.text: label for word, label in decl.labels}
            names = tuple(labels.get(name, name) for name in board.names)
            doc = (RulebookLine(0, " ".join(decl.doc.split())),) if decl.doc.strip() else ()
            yield Entry(format_type_name(decl.name.text), doc, picture=BoardPicture(board, names))

    def cards(self) -> Iterator[Entry]:
        """Yield an entry for each card with a text or abilities, and one that lists all other cards, kind by kind.

        The first line of a card's entry is its frame. The entry of other cards has the title “KIND without a text”, and
        one line with their names and numbers of copies.
        """
        for kind in self.ruleset.components:
            cards = [card for card in self.ruleset.cards if card.kind.text == kind.name.text]
            plain = [card for card in cards if not self.text.describe_card_text(card)]
            for card in (card for card in cards if card not in plain):
                title, *lines = self.text.describe_card(card)
                name = self.text.name_card(card) + (f" (×{card.copies})" if card.copies != 1 else "")
                frame = RulebookLine(0, title.removeprefix(f"{name}: "))
                yield Entry(name, (frame, *make_entry([name, *lines]).lines))
            if plain:
                names = join_items([_name_with_copies(self.text, card) for card in plain])
                title = f"{capitalize(format_type_name(kind.name.text))} without a text"
                yield Entry(title, (RulebookLine(0, f"{names}."),))


def _name_with_copies(text: RulesText, card: model.CardDecl) -> str:
    return f"{card.copies} × {text.name_card(card)}" if card.copies != 1 else text.name_card(card)


def _tell_ending(ending: model.EndingDecl) -> str:
    """Return the label of an ending and its text. A label with values in it only makes sense during a game."""
    text = " ".join(" ".join(line.text.split()) for line in ending.text)
    return text if "{" in ending.label.text else f"{capitalize(ending.label.text)}: {text}"


def _entries(found: Iterable[Sequence[str]]) -> tuple[Entry, ...]:
    return tuple(map(make_entry, found))


def _unique(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return entries without those that say the same under the same title."""
    return tuple({(entry.title, entry.lines): entry for entry in entries}.values())
