"""The whole rulebook of a ruleset as a document: chapters, entries, tables. Made for the explain command, which writes
it as Markdown or HTML (:mod:`lusory_dsl.wording.rulebook_formats`).

Every sentence comes from the ruleset, through :mod:`lusory_dsl.wording.text`. What the author's cases pin down is given
from outside, since cases are read where games are played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..ruleset import model
from ..text.records import dataclass
from ..text.spelling import humanised
from .prose import INDENT
from .text import RulesText, players
from .words import listed, sentence

COPIES, TEXT = "Copies", "Text"


@dataclass(frozen=True)
class RulebookLine:
    """A sentence, and how deep it is nested below the entry's title."""

    depth: int
    text: str


@dataclass(frozen=True)
class RulebookTable:
    """Rows of cells; a cell is a list of lines."""

    head: tuple[str, ...]
    rows: tuple[tuple[tuple[RulebookLine, ...], ...], ...]


@dataclass(frozen=True)
class Entry:
    """One thing. ``depth``: how deep it is nested among the entries, as phases are."""

    title: str
    lines: tuple[RulebookLine, ...] = ()
    table: RulebookTable | None = None
    depth: int = 0

    @property
    def name(self) -> str:
        """What it is called, without what its title says further."""
        head = self.title.partition(":")[0].partition(" (")[0]
        return head.removesuffix(", of a player").partition(", for each")[0]


@dataclass(frozen=True)
class Chapter:
    """``id`` is what links point at."""

    id: str
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Rulebook:
    """``clauses``: the ids that have a row in the last chapter, so that a mention of one can lead there."""

    title: str
    facts: tuple[str, ...]
    about: str
    chapters: tuple[Chapter, ...]
    clauses: frozenset[str]


def rulebook(ruleset: model.Ruleset, cases: Mapping[str, Sequence[str]] | None = None) -> Rulebook:
    """The rulebook. ``cases``: for each clause the cases that cover it; None: nobody knows of any."""
    return _Writer(ruleset, cases).book()


class _Writer:
    def __init__(self, ruleset: model.Ruleset, cases: Mapping[str, Sequence[str]] | None) -> None:
        self.ruleset = ruleset
        self.cases = cases
        self.say = RulesText(ruleset)

    def book(self) -> Rulebook:
        game = self.ruleset.game
        facts = [players(game.min_players, game.max_players), f"version {game.version}"]
        facts += [f"by {listed(game.authors)}"] if game.authors else []
        facts += [f"with {pack.name}" for pack in self.ruleset.packs]
        chapters = [chapter for chapter in self.chapters() if chapter.entries]
        known = self.clauses("\n".join(_words(chapters)))
        if known:
            chapters.append(Chapter("clauses", "Clauses and their cases", tuple(self.pinned(known, chapters))))
        return Rulebook(game.name, tuple(facts), game.about.strip(), tuple(chapters), frozenset(known))

    def clauses(self, text: str) -> list[str]:
        """The clauses that a text or a case speaks of, in order. Where cases name clauses, a word without a hyphen is
        one only if it is spelt like one of theirs: it might as well be a thing's name."""
        covered = list(self.cases or ())
        spelt = {_letters(clause) for clause in covered}
        named = [c for c in self.say.clauses(text) if not spelt or "-" in c or _letters(c) in spelt]
        known = self.say.clauses(" ".join([*named, *covered]))
        return [*known, *(c for c in covered if c not in known)]

    def chapters(self) -> Iterator[Chapter]:
        """All chapters, some of them empty."""
        r, say = self.ruleset, self.say
        yield Chapter("boards", "Boards", _entries(map(say.board, r.boards)))
        yield Chapter("components", "Components", tuple(self.components()))
        yield Chapter("places", "Where things lie", _entries(map(say.zone, r.zones)))
        yield Chapter("memory", "What is kept in mind", _entries(map(say.variable, r.variables)))
        setups = [("At the start", r.setup), *(("Behind that, with packs", more) for more in r.more_setups)]
        said = ([title, *(f"{INDENT}{line}" for line in say.block(block))] for title, block in setups if block)
        yield Chapter("setup", "Setup", _entries(said))
        yield Chapter("course", "Course of the game", tuple(self.phases(r.phases, 0)))
        yield Chapter("actions", "Actions", _entries(map(say.action, r.actions)))
        yield Chapter("menus", "Menus", _entries(map(say.menu, r.menus)))
        yield Chapter("answers", "Answers", _entries(map(say.window, r.windows)))
        rules = _entries([*map(say.rule, r.rules), *map(say.span, r.spans), *map(say.duration, r.durations)])
        yield Chapter("rules", "Rules that bend others", rules)
        yield Chapter("effects", "What is done", _entries(map(say.effect, r.effects)))
        yield Chapter("meanings", "What words mean", _entries(map(say.query, r.queries)))
        yield Chapter("tables", "Tables", tuple(map(self.table, r.tables)))
        yield Chapter("end", "Scoring and the end", tuple(self.ending()))
        yield Chapter("options", "Options", tuple(self.options()))
        yield Chapter("glossary", "Glossary", tuple(self.glossary()))

    # ------------------------------------------------------------ components

    def components(self) -> Iterator[Entry]:
        """Each kind with what it has in common, and its cards in a table."""
        for kind in self.ruleset.components:
            title, *lines = self.say.component(kind)
            name, _, fields = title.partition(": ")
            if fields:
                lines = [f"{INDENT}{sentence(fields)}", *lines]
            cards = [card for card in self.ruleset.cards if card.kind.text == kind.name.text]
            table = self.cards(kind, cards) if cards else None
            yield Entry(name.removesuffix("."), tuple(_lines(lines)), table)

    def cards(self, kind: model.ComponentDecl, cards: Sequence[model.CardDecl]) -> RulebookTable:
        """Every card with all of its fields and its text; a column that is the same for all is left out."""
        fields = [name.text for name, _type in kind.fields]
        copies = any(card.copies != 1 for card in cards)
        texts = [tuple(_lines(f"{INDENT}{line}" for line in self.say.card_text(card))) for card in cards]
        head = [kind.name.text, *([COPIES] if copies else []), *(sentence(humanised(name)) for name in fields)]
        rows = []
        for card, text in zip(cards, texts, strict=True):
            values = {word.text: self.say.data(value) for word, value in card.fields}
            cells = [self.say.card_name(card), *([str(card.copies)] if copies else [])]
            row = [(RulebookLine(0, cell),) for cell in [*cells, *(values.get(name, "") for name in fields)]]
            rows.append((*row, *([text] if any(texts) else [])))
        return RulebookTable((*head, *([TEXT] if any(texts) else [])), tuple(rows))

    # ------------------------------------------------------------ phases, tables, endings

    def phases(self, phases: Iterable[model.PhaseDecl], depth: int) -> Iterator[Entry]:
        for phase in phases:
            yield _entry(self.say.phase(phase), depth)
            yield from self.phases(phase.phases, depth + 1)

    def table(self, decl: model.TableDecl) -> Entry:
        """Constant data as rows; of two dimensions as a grid."""
        title, *lines = self.say.table(decl)
        doc = decl.doc.strip()
        rows = _pairs(decl.values)
        if not rows:
            return _entry([title, *lines])
        inner = [word for word, _ in _pairs(rows[0][1])]
        called = self.say.called
        head = tuple(map(called, inner)) if inner and all(_keys(value) == inner for _, value in rows) else ("Value",)
        body = []
        for word, value in rows:
            cells = [self.say.data(v) for _, v in _pairs(value)] if head != ("Value",) else [self.say.data(value)]
            body.append(tuple((RulebookLine(0, cell),) for cell in (sentence(called(word)), *cells)))
        words = [RulebookLine(0, doc)] if doc else []
        return Entry(title.removesuffix(":"), tuple(words), RulebookTable((_dimension(decl), *head), tuple(body)))

    def ending(self) -> Iterator[Entry]:
        scoring = self.ruleset.scoring
        if scoring is None:
            return
        yield Entry("Who wins", tuple(RulebookLine(0, line) for line in self.say.ranking()))
        for chart in scoring.charts:
            yield _entry(self.say.chart(chart))
        shown = [RulebookLine(0, f"{title}: {self.say.value(value)}.") for title, value in scoring.show]
        if shown:
            yield Entry("In the final table", tuple(shown))

    def options(self) -> Iterator[Entry]:
        """All options in one table."""
        rows = []
        for option in self.ruleset.options:
            cells = (
                sentence(humanised(option.name.text)),
                self.say.allowed(option),
                self.say.data(option.default),
                option.doc.strip(),
            )
            rows.append(tuple((RulebookLine(0, cell),) for cell in cells))
        if rows:
            head = ("Option", "Readings", "Unless agreed otherwise", "What it settles")
            yield Entry("What can be agreed before the game", (), RulebookTable(head, tuple(rows)))

    # ------------------------------------------------------------ glossary, clauses

    def glossary(self) -> Iterator[Entry]:
        """Keywords, and the words for things, by the alphabet."""
        r = self.ruleset
        found = [self.say.keyword(keyword) for keyword in r.keywords]
        found += [self.say.enum(enum) for enum in r.enums]
        for enum in r.enums:
            for value in enum.values:
                entry = self.say.enum_value((enum, value))
                found += [entry] if len(entry) > 1 else []
        yield from sorted(_entries(found), key=lambda entry: entry.title.casefold())

    def pinned(self, clauses: Sequence[str], chapters: Sequence[Chapter]) -> Iterator[Entry]:
        """Which clause is spoken of where, and which cases hold the ruleset to it."""
        head = ["Clause", "Spoken of in", *(["Cases"] if self.cases is not None else [])]
        rows = []
        spoken: dict[str, list[str]] = {}
        for name, words in (place for chapter in chapters for entry in chapter.entries for place in _places(entry)):
            for clause in self.say.clauses(words):
                spoken.setdefault(clause, []).append(name)
        for clause in clauses:
            cells = [clause, "; ".join(dict.fromkeys(spoken.get(clause, [])))]
            row = [(RulebookLine(0, cell),) for cell in cells]
            covering = () if self.cases is None else self.cases.get(clause, ())
            pins = tuple(RulebookLine(0, case) for case in covering) or (RulebookLine(0, "none"),)
            rows.append((*row, *([pins] if self.cases is not None else [])))
        yield Entry("Where each clause of the rules went", (), RulebookTable(tuple(head), tuple(rows)))


# ---------------------------------------------------------------- help


def _letters(clause: str) -> str:
    """What a clause's id begins with."""
    return clause.rstrip("0123456789abcdefghijklmnopqrstuvwxyz")


def _entries(found: Iterable[Sequence[str]]) -> tuple[Entry, ...]:
    return tuple(_entry(lines) for lines in found)


def _entry(said: Sequence[str], depth: int = 0) -> Entry:
    """An entry of the rules text: its title, and what stands below."""
    title, *lines = said
    return Entry(title.removesuffix(":").removesuffix("."), tuple(_lines(lines)), None, depth)


def _lines(lines: Iterable[str]) -> Iterator[RulebookLine]:
    """Lines below a title, their indentation as depth."""
    for line in lines:
        words = line.strip()
        if words:
            yield RulebookLine(max((len(line) - len(line.lstrip())) // len(INDENT) - 1, 0), words)


def _pairs(value: model.Value) -> list[tuple[str, model.Value]]:
    """The entries of a mapping; of anything else none."""
    if not value.is_map or not isinstance(value.data, tuple):
        return []
    return [(word.text, inner) for word, inner in value.data]


def _keys(value: model.Value) -> list[str]:
    return [word for word, _ in _pairs(value)]


def _dimension(decl: model.TableDecl) -> str:
    return decl.per[0].text if decl.per else ""


def _places(entry: Entry) -> Iterator[tuple[str, str]]:
    """What a mention can be found under: the entry, and the rows of its table by their first cells; with the words."""
    yield entry.name, "\n".join([entry.title, *(line.text for line in entry.lines)])
    for row in entry.table.rows if entry.table is not None else ():
        yield row[0][0].text, "\n".join(line.text for cell in row for line in cell)


def _words(chapters: Iterable[Chapter]) -> Iterator[str]:
    """All words of chapters."""
    for chapter in chapters:
        for entry in chapter.entries:
            yield from (words for _, words in _places(entry))
