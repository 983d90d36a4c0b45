"""Describe the rules in English for `lusory explain`: single declarations, or the whole ruleset.

The text comes from the ruleset as written, so that rules with errors can be read, too. A text that doesn't parse
appears unchanged.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from ..core import Board
from ..ruleset import model
from ..source.source import EmbeddedText, humanise, with_article
from ..syntax.parser import parse_offer, parse_template
from .cards import CardsText
from .expressions import boards_of, drawing, shape_of
from .glossary import GLOSSARY, MOST_TOLD, Term, beginning, head, merged, named_in, titled, titles, without_clauses
from .statements import INDENT, all_phases, kind_of, pairs_of
from .vocabulary import MANY, folded, listed, meant, readings, sentence, spaced, uncapitalized

D = TypeVar(
    "D",
    model.ActionDecl, model.ZoneDecl, model.VariableDecl, model.EffectDecl, model.WindowDecl, model.RuleDecl,
    model.QueryDecl, model.SpanDecl,
)  # fmt: skip
WIDTH = 92
CLAUSE = re.compile(r"\b[A-Z]{1,5}-?\d+[a-z]?\b")


def explain(
    ruleset: model.Ruleset,
    name: str | None = None,
    width: int = WIDTH,
    at_table: bool = False,
    with_rules: bool = False,
) -> str:
    """Describe everything that ``name`` can mean, or all rules.

    Args:
        ruleset: The ruleset as written.
        name: A name of an author or a text that players read. Case and punctuation don't matter. ``glossary`` lists all
            terms. None describes the whole ruleset.
        width: The maximum length of a line.
        at_table: Whether the reader plays the game. Clause numbers and references to rule code are then left out.
        with_rules: Whether to describe the rules also where an author has written a printed text.

    Raise KeyError for an unknown name.
    """
    book = RulesText(ruleset, at_table, with_rules)
    if name is None:
        return _wrapped([without_clauses(line) if at_table else line for line in book.all()], width)
    entries = book.about_space(name) if at_table else []
    entries = entries or [lines for one in meant(book.declared(), name) for lines in book.about(one) if lines]
    entries = entries or book.about_title(name) or book.about_space(name) or book.about_member(name)
    if not entries and folded(name) == GLOSSARY:
        entries = [book.glossary()]
    if not entries:
        raise KeyError(name)
    told = [without_clauses(line) if at_table else line for lines in entries for line in [*lines, ""]]
    return _wrapped(told[:-1], width)


def names(ruleset: model.Ruleset) -> list[str]:
    """Return every declared name that :func:`explain` knows, in the order of the ruleset."""
    declared = RulesText(ruleset).declared()
    return list(dict.fromkeys(word.text for section, _say in declared for word, _declaration in section))


def names_and_labels(ruleset: model.Ruleset) -> list[str]:
    """Return every name and label that :func:`explain` knows."""
    return readings(RulesText(ruleset).declared())


class RulesText(CardsText):
    """Describe each declaration of a ruleset as a title with lines below it."""

    # ------------------------------------------------------------ the whole ruleset

    def all(self) -> list[str]:
        r = self._ruleset
        low, high = r.game.min_players, r.game.max_players
        title = f"{r.game.name} ({players(low, high)})"
        lines = [title, "=" * len(title)]
        lines += self._start_page() if r.game.start_page is not None else ["", r.game.about] if r.game.about else []
        if r.game.authors:
            lines += ["", f"By {listed(r.game.authors)}."]
        for pack in r.packs:
            changed = f" It replaces {listed([word.text for word in pack.replaces])}." if pack.replaces else ""
            lines += ["", f"With {pack.name}: {pack.about or 'a pack.'}{changed}"]
        hidden = self._is_told_in_words()
        lines += self._section("What there is", [self.enum(e) for e in r.enums], gap=False)
        lines += self._section("Boards", map(self.board, r.boards))
        components = [*map(self.component, r.components), *self._cards()]
        lines += self._section("Components", components, gap=False)
        lines += self._section("Keywords", map(self.keyword, r.keywords), gap=False)
        lines += self._section("Where things lie", map(self.zone, self._told(r.zones)), gap=False)
        lines += self._section("What is kept in mind", map(self.variable, self._told(r.variables)), gap=False)
        if r.setup is not None:
            lines += self._section("Setup", [self.block(r.setup)])
        lines += self._section("Setup with packs", map(self.block, r.more_setups))
        phases = [self.phase(phase, depth) for phase, depth in all_phases(r.phases)]
        lines += self._section("Course of the game", phases)
        lines += self._section("Actions", map(self.declared_action, self._told(r.actions)))
        lines += self._section("Menus", map(self.menu, r.menus), gap=False)
        lines += self._section("Answers", map(self.window, self._told(r.windows)))
        lines += self._section("Effects", [] if hidden else map(self.effect, self._told(r.effects)))
        lines += self._section("Special rules", map(self.rule, self._told(r.rules)))
        lines += self._section("How long things last", [] if hidden else map(self.duration, r.durations), gap=False)
        lines += self._section("Meanings", [] if hidden else map(self.query, self._told(r.queries)))
        lines += self._section("What must hold without a gap", map(self.span, self._told(r.spans)))
        lines += self._section("Tables", map(self.table, r.tables))
        lines += self._section("Who wins", [self._scoring(), *self.endings()])
        lines += self._section("Options", map(self.option, r.options), gap=False)
        clauses = [] if self._at_table else self.clauses("\n".join(lines))
        return [*lines, "", f"Clauses mentioned: {', '.join(clauses)}."] if clauses else lines

    def _start_page(self) -> list[str]:
        """Return the author's words about the aim and the turn, and what beginners should know."""
        page = self._ruleset.game.start_page
        assert page is not None
        phases = {phase.id.text: phase for phase, _ in all_phases(self._ruleset.phases)}
        lines = ["", f"Aim: {page.aim}"]
        for name, line in page.turn:
            phase = None if name is None else phases.get(name.text)
            label = "" if phase is None or phase.label is None else beginning(phase.label.text)
            title = label or ("" if phase is None else sentence(humanise(phase.id.text)))
            lines += ["", f"{title}: {line}" if title else line]
        return [*lines, *(row for line in page.know for row in ("", line))]

    def endings(self) -> list[list[str]]:
        """Return an entry for each way in which the game ends."""
        return [self._printed(self._template(d.label), d) for d in self._ruleset.endings]

    def _section(self, title: str, entries: Iterable[list[str]], gap: bool = True) -> list[str]:
        """Return a titled section, or nothing if it is empty. ``gap`` puts a blank line between entries."""
        lines: list[str] = []
        for entry in entries:
            if entry:
                lines += ([""] if gap and lines else []) + entry
        return ["", title, "-" * len(title), *lines] if lines else []

    def _is_told_in_words(self) -> bool:
        """Return whether docs explain all phases to a player at the table, who then needs no statements."""
        return self._at_table and all(phase.doc.strip() or phase.text for phase, _ in all_phases(self._ruleset.phases))

    def _told(self, declarations: Sequence[D]) -> list[D]:
        """Return the declarations that are worth showing.

        At the table these are the ones with a doc or a label. If docs explain all phases, variables need a label, and
        all others need a doc.
        """
        if not self._at_table:
            return list(declarations)
        labelled = [d for d in declarations if getattr(d, "label", None) is not None]
        if not self._is_told_in_words():
            return [d for d in declarations if d.doc.strip() or d in labelled]
        return [d for d in declarations if (d in labelled if isinstance(d, model.VariableDecl) else d.doc.strip())]

    @staticmethod
    def clauses(text: str) -> list[str]:
        def key(clause: str) -> tuple[str, int, str]:
            digits = re.sub(r"\D", "", clause)
            return clause.split("-")[0].rstrip("0123456789"), int(digits), clause

        return sorted(set(CLAUSE.findall(text)), key=key)

    # ------------------------------------------------------------ by name

    def about(self, name: str) -> Iterator[list[str]]:
        """Yield the entries for a declared name, each with the clauses that its doc mentions."""
        replaced = [
            f"Replaced by {pack.name}." for pack in self._ruleset.packs if name in {word.text for word in pack.replaces}
        ]
        for doc, lines in self._entries(name):
            clauses = [] if self._at_table else self.clauses(doc)
            yield [*lines, *replaced, *([f"Clauses: {', '.join(clauses)}."] if clauses else [])] if lines else lines

    def _entries(self, name: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the doc and the lines of each declaration with this name.

        At the table, values of options and enum values without explanation are left out if the name has another
        meaning.
        """
        found = []
        for section, say in self.declared():
            for word, declaration in section:
                if word.text == name:
                    lines = say(declaration)
                    is_bare = say == self.option_value or (say == self.enum_value and len(lines) == 1)
                    decl = declaration[-1] if isinstance(declaration, tuple) else declaration
                    is_printed = getattr(decl, "text", ()) and not self._with_rules
                    doc = "" if is_printed else getattr(declaration, "doc", "")
                    found.append((is_bare and self._at_table, doc, lines))
        say_more = [one for one in found if not one[0]]
        yield from ((doc, lines) for _, doc, lines in say_more or found)

    def declared(self) -> Iterator[tuple[list[tuple[model.Word, Any]], Callable[[Any], list[str]]]]:
        """Yield each section: its names with their declarations, and the method that describes one of them."""
        r = self._ruleset
        yield [(d.name, d) for d in r.enums], self.enum
        yield [(v.name, (e, v)) for e in r.enums for v in e.values], self.enum_value
        yield [(d.name, d) for d in r.boards], self.board
        yield [(d.name, d) for d in r.options], self.option
        yield [(w, (d, w)) for d in r.options for w in d.values], self.option_value
        yield [(d.name, d) for d in r.components], self.component
        yield [(d.id, d) for d in r.cards], self.card_alone
        yield [(d.name, d) for d in r.keywords], self.keyword
        yield [(d.name, d) for d in r.tables], self.table
        yield [(d.name, d) for d in r.zones], self.zone
        yield [(d.name, d) for d in r.variables], self.variable
        yield [(d.name, d) for d in r.queries], self.query
        yield [(d.name, d) for d in r.effects], self.effect
        yield [(d.name, d) for d in r.actions], self.declared_action
        yield [(d.name, d) for d in r.menus], self.menu
        yield [(d.name, d) for d in r.windows], self.window
        yield [(d.name, d) for d in r.spans], self.span
        yield [(d.name, d) for d in (r.scoring.charts if r.scoring is not None else ())], self.chart
        yield [(d.name, d) for d in r.rules], self.rule
        yield [(d.name, d) for d in r.durations], self.duration
        yield [(p.id, p) for p, _depth in all_phases(r.phases)], self._phase_with_parts

    def about_title(self, name: str) -> list[list[str]]:
        """Describe the names that produce the content below a title on the table.

        At the table, the author's explanation of the title takes precedence.
        """
        known = names(self._ruleset)
        if self._at_table and (told := merged(t for t in self._words_on_the_table() if folded(t[0]) == folded(name))):
            return [told]
        entries: list[list[str]] = []
        for title, texts in titled(self._ruleset, name):
            parts = named_in(texts, known)
            about = [lines for part in parts for lines in self.about(part) if lines]
            heading = f"{head(title)}: on the table"
            heading += f", made of {listed(humanise(part) for part in parts)}." if parts else "."
            entries += [[heading], *about]
        return [lines for at, lines in enumerate(entries) if lines not in entries[:at]]

    def about_space(self, name: str) -> list[list[str]]:
        """Describe the spaces with this name, on all boards."""
        told = []
        for decl in self._ruleset.boards:
            labels = {word.text: label for word, label in decl.labels}
            board = self._boards.get(decl.name.text)
            called = [] if board is None else [labels.get(space, humanise(space)) for space in board.names]
            for at, label in enumerate(called):
                if board is not None and folded(name) in (folded(board.names[at]), folded(label)):
                    told += self._space(decl, board.names[at], label, [called[other] for other in board.beside[at]])
        return [told] if told else []

    def _space(self, decl: model.BoardDecl, space: str, label: str, beside: Sequence[str]) -> list[str]:
        """Describe a space and its neighbours."""
        docs = {word.text: doc.strip() for word, doc in decl.docs}
        one = "a space" if len(self._ruleset.boards) == 1 else f"a space of {spaced(decl.name.text)}"
        touches = f", beside {listed(beside)}" if beside else ""
        of_all = [" ".join(decl.doc.split())] if self._at_table and decl.doc.strip() else []
        return self._entry(f"{label}: {one}{touches}.", docs.get(space, ""), of_all)

    def about_member(self, name: str) -> list[list[str]]:
        """Return the docs of the members of component kinds with this name, such as ``attack``."""
        members = [member for kind in self._ruleset.components for member in kind.members if member.doc.strip()]
        return [
            self._entry(f"{sentence(humanise(m.name.text))}:", m.doc)
            for m in members
            if folded(m.name.text) == folded(name)
        ]

    def glossary(self) -> list[str]:
        """Return the terms that players read, in alphabetical order.

        The meaning is the author's explanation, or else the declarations behind the term. A variable without label
        or title is no term.
        """
        return merged([*self._words_for_things(), *self._words_for_deeds(), *self._words_on_the_table()])

    def _words_for_things(self) -> Iterator[Term]:
        r = self._ruleset
        yield r.game.name, r.game.about or "One game, without words of its own; `rules` tells how it is played."
        for kind in r.components:
            yield humanise(kind.name.text), kind.doc
            yield from ((humanise(field.text), doc) for field, doc in kind.docs)
        for keyword in r.keywords:
            title, *more = self.keyword(keyword)
            yield title.partition(":")[0], keyword.doc or " ".join(line.strip() for line in more[:1])
        for zone in r.zones:
            holds = self.zone(zone)[0].partition(": ")[2].replace("Card cards", "cards").replace(", in order.", ".")
            seen = self._seen(zone.visible, "the content" if zone.top is None and zone.bottom is None else "the rest")
            yield self._words.place(zone), zone.doc or " ".join([holds, *seen])
        yield from ((variable.label or "", variable.doc) for variable in r.variables)

    def _words_for_deeds(self) -> Iterator[Term]:
        r = self._ruleset
        for action in r.actions:
            yield self._called_deed(action), self._told_to_players(action, action.doc)
        labels = ((phase.label, self._told_to_players(phase, phase.doc)) for phase, _ in all_phases(r.phases))
        yield from ((beginning(label.text), doc) for label, doc in labels if label is not None)

    def _words_on_the_table(self) -> Iterator[Term]:
        r = self._ruleset
        docs = {query.name.text: query.doc for query in r.queries if not query.params}
        lying: tuple[model.ZoneDecl | model.VariableDecl, ...] = (*r.zones, *r.variables)
        kept: tuple[model.TableDecl | model.OptionDecl, ...] = (*r.tables, *r.options)
        things = {one.name.text: one.doc for one in (*lying, *kept) if one.doc}
        places = {one.name.text: self._words.place(one) for one in lying}
        things |= {field.text: doc for kind in r.components for field, doc in kind.docs}
        known = names(r)
        for title, texts in titles(r):
            every = named_in(texts, known)
            own = [part for part in every if folded(part) == folded(head(title)) and part in things]
            parts = own or [part for part in every if folded(part) != folded(head(title))]
            told = [things[part] for part in parts if part in things] or [docs[p] for p in parts if docs.get(p)]
            lie = [places[part] for part in parts if part in places and not told]
            yield head(title), " ".join([*told[:MOST_TOLD], *([f"{listed(lie)}."] if lie else [])])
        for enum in r.enums:
            for value in enum.values:
                yield self._words.enum_value(value), self._told_to_players(value, value.doc)
            values = listed((self._words.enum_value(value) for value in enum.values), "or")
            yield spaced(enum.name.text), f"{values}." if len(enum.values) > 1 else ""

    # ------------------------------------------------------------ declarations

    def enum(self, d: model.EnumDecl) -> list[str]:
        name = spaced(d.name.text) if self._at_table else d.name.text
        return [f"{name}: {listed(self._words.enum_value(v) for v in d.values)}."]

    def board(self, d: model.BoardDecl) -> list[str]:
        board = self._boards.get(d.name.text)
        return self._entry(f"{d.name.text}: {shape_of(d, board)}.", d.doc, drawing(d, board))

    @cached_property
    def _boards(self) -> dict[str, Board]:
        return boards_of(self._ruleset)

    def enum_value(self, both: tuple[model.EnumDecl, model.EnumValueDecl]) -> list[str]:
        enum, value = both
        name = sentence(self._words.enum_value(value))
        if self._is_printed(value):
            return self._printed(name, value)
        tables = list(self._in_tables(enum, value))
        if self._at_table:
            member = [line.strip() for lines in self.about_member(value.name.text)[:1] for line in lines[1:]]
            doc = value.doc.strip() or " ".join(member)
            lines = tables if doc or tables else list(self._printed_as(value))
            if doc or lines:
                return self._entry(f"{name}:", doc, lines)
        others = [self._words.enum_value(v) for v in enum.values if v is not value]
        beside = f", beside {listed(others)}" if others and (len(others) < MANY or not self._at_table) else ""
        one = with_article(spaced(enum.name.text).lower()) if self._at_table else f"one of {enum.name.text}"
        about = self._about(value, value.doc)
        return self._entry(f"{name}: {one}{beside}.", about, [*tables, *self._mentions(value)])

    def _printed_as(self, value: model.EnumValueDecl) -> Iterator[str]:
        """Yield lines that name the cards with this value in one of their fields."""
        for field in dict.fromkeys(name.text for kind in self._ruleset.components for name, _ in kind.fields):
            found = [
                self._words.card(card)
                for card in self._ruleset.cards
                for word, given in card.fields
                if word.text == field and value.name.text in data_words(given)
            ]
            cards = list(dict.fromkeys(found))
            more = [f"{len(cards) - MOST_CARDS} more"] if len(cards) > MOST_CARDS else []
            if cards:
                yield f"{sentence(humanise(field))} of {listed([*cards[:MOST_CARDS], *more])}."

    def _in_tables(self, enum: model.EnumDecl, value: model.EnumValueDecl) -> Iterator[str]:
        """Yield the entries that tables have for a value."""
        for table in self._ruleset.tables:
            if [word.text for word in table.per] == [enum.name.text] and table.values.is_map:
                found = [given for word, given in pairs_of(table.values) if word.text == value.name.text]
                said = without_clauses(table.doc).strip().rstrip(".") if self._at_table else ""
                title = said or sentence(humanise(table.name.text))
                yield from (f"{title}: {self.data(one)}." for one in found)

    def _mentions(self, value: model.EnumValueDecl) -> list[str]:
        """Return a line with the declarations whose text mentions a value."""
        if self._at_table:
            return []
        r = self._ruleset
        spelt = {value.name.text, *([value.plural.text] if value.plural is not None else [])}
        texts = [(d.name, d.value) for d in r.queries]
        texts += [(d.name, d.do) for d in r.effects] + [(d.name, d.do) for d in r.actions]
        texts += [(d.name, d.cost) for d in r.actions if d.cost is not None]
        texts += [(d.name, d.rule) for d in r.rules]
        texts += [(p.id, p.do) for p, _depth in all_phases(r.phases) if p.do is not None]
        where = [humanise(w.text) for w, text in texts if spelt & set(re.findall(r"\w+", text.text))]
        return [f"See {listed(f'“{w}”' for w in where)}."] if where else []

    def option(self, d: model.OptionDecl) -> list[str]:
        agreed = f"{self.data(d.default)} unless agreed otherwise"
        return self._entry(f"{sentence(humanise(d.name.text))}: {self.allowed(d)}; {agreed}.", d.doc)

    def option_value(self, both: tuple[model.OptionDecl, model.Word]) -> list[str]:
        d, value = both
        default = ", as it is unless agreed otherwise" if self.data(d.default) == humanise(value.text) else ""
        title = f"{sentence(humanise(value.text))}: what {humanise(d.name.text)} can be{default}."
        return self._entry(title, d.doc)

    def allowed(self, d: model.OptionDecl) -> str:
        """Return the possible values of an option."""
        if d.range is not None:
            return f"{d.range[0]} to {d.range[1]}"
        return listed((humanise(w.text) for w in d.values), "or") if d.values else "yes or no"

    def _per(self, per: Iterable[model.Word]) -> str:
        dims = [w.text if w.text[:1].isupper() else f"number {w.text}" for w in per]
        return f", for each {listed(dims)}" if dims else ""

    def zone(self, d: model.ZoneDecl) -> list[str]:
        if self._at_table and d.doc.strip():
            return self._entry(f"{sentence(self._words.place(d))}:", d.doc, self._seen(d.visible, "what lies there"))
        kinds = listed(self._words.enum_value(self._words.values[k.text], True) for k in d.kinds) if d.kinds else ""
        title = f"{sentence(self._words.place(d))}{self._per(d.per)}: holds {kinds or self._words_of(d.holds.text)}."
        lines = []
        start = [f"{self.value(e)} {self._counter(kind.text)}" for kind, e in d.start]
        if d.start_of is not None:
            lines.append(f"At the start: {self.value(d.start_of)}.")
        if start or d.start_all:
            lines.append(f"At the start: {listed([*start, *([f'every {d.start_all.text}'] if d.start_all else [])])}.")
        if d.unlimited:
            lines.append("It never runs out.")
        if d.is_sorted:
            lines.append("They lie sorted, however they come.")
        lines += self._seen(d.visible, "the content" if d.top is None and d.bottom is None else "the rest")
        for end, text in (("top", d.top), ("bottom", d.bottom)):
            if text is not None:
                lines += self._seen(text, f"what lies at the {end}") or [f"All see what lies at the {end}."]
        if d.moves is not None:
            lines += self._seen(d.moves, "what is moved in and out")
        return self._entry(title, d.doc, lines)

    def _words_of(self, type: str) -> str:
        enum = self._words.enums.get(type)
        if enum is None:
            return f"{self._words.several(type)}, in order" if self._at_table else f"{type} cards, in order"
        return listed(self._words.enum_value(v, plural=True) for v in enum.values)

    def _counter(self, name: str) -> str:
        value = self._words.values.get(name)
        return self._words.enum_value(value, plural=True) if value is not None else humanise(name)

    def _seen(self, visible: EmbeddedText | None, what: str) -> list[str]:
        who = "all" if visible is None else visible.text.strip()
        if who == "all":
            return []
        known = {"owner": "only its owner sees", "nobody": "nobody sees"}
        if who in known:
            return [sentence(f"{known[who]} {what}.")]
        return [f"A player sees {what} if {self._condition(visible)}."]

    def variable(self, d: model.VariableDecl) -> list[str]:
        if self._at_table and d.doc.strip():
            return self._entry(f"{sentence(self._words.place(d))}:", d.doc, self._seen(d.visible, "it"))
        start = self._start(d.start)
        title = f"{sentence(self._words.place(d))}{self._per(d.per)}: {kind_of(d.type.text)}, {start} at the start."
        return self._entry(title, d.doc, self._seen(d.visible, "it"))

    def _start(self, start: EmbeddedText | tuple[tuple[model.Word, model.Value], ...] | None) -> str:
        """Return the start value of a variable in words."""
        if isinstance(start, EmbeddedText):
            return self.value(start)
        if start is None:
            return "as its board shows"
        return listed(f"{self.data(value)} for {word.text}" for word, value in start)

    def table(self, d: model.TableDecl) -> list[str]:
        title = f"{sentence(self._words.place(d))}{'' if self._at_table else self._per(d.per)}:"
        begins = d.per[0].text.partition("..")[0].strip() if d.per else ""
        first = int(begins) if begins.isdecimal() else 1
        rows = self._table_rows(d.values, first) if d.value is None else [f"{sentence(self.value(d.value))}."]
        return self._entry(title, d.doc, rows)

    def _table_rows(self, value: model.Value, first: int = 1) -> list[str]:
        """Return the rows of a table. Numbered rows begin with number ``first``."""
        if not value.is_map and isinstance(value.data, tuple) and all(item.is_map for item in value.data):
            return [f"{number}: {self.data(item)}." for number, item in enumerate(value.data, first)]
        if not value.is_map:
            return [f"{self.data(value)}."]
        return [f"{sentence(self.called(word.text))}: {self.data(inner)}." for word, inner in pairs_of(value)]

    def _head(self, d: model.QueryDecl | model.EffectDecl) -> str:
        params = f" ({listed(humanise(name.text) for name, _type in d.params)})" if d.params else ""
        return f"{sentence(humanise(d.name.text))}{params}{', of a player' if d.per_player else ''}"

    def query(self, d: model.QueryDecl) -> list[str]:
        if self._at_table and d.doc.strip():
            return self._entry(f"{sentence(humanise(d.name.text))}:", d.doc)
        self._begin(d.params)
        return self._entry(f"{self._head(d)}:", d.doc, [f"{sentence(self.value(d.value))}."])

    def effect(self, d: model.EffectDecl) -> list[str]:
        if self._is_printed(d):
            return self._printed(sentence(humanise(d.name.text)), d)
        if self._at_table and d.doc.strip():
            return self._entry(f"{sentence(humanise(d.name.text))}:", d.doc)
        self._begin(d.params)
        about = self._about(d, d.doc)
        return self._entry(f"{self._head(d)}:", about, [*self._says(d.says), *self.block(d.do)])

    def declared_action(self, d: model.ActionDecl) -> list[str]:
        if self._is_printed(d):
            return self._printed(sentence(self._called_deed(d)), d)
        if not self._at_table or not d.doc.strip():
            return self.action(d)
        return self._entry(f"{sentence(self._called_deed(d))}:", d.doc)

    def _called_deed(self, d: model.ActionDecl) -> str:
        """Return the name of an action, without the parts that vary."""
        label = beginning("" if d.label is None else d.label.text)
        return humanise(d.name.text) if not label or ":" in label else label

    def menu(self, d: model.MenuDecl) -> list[str]:
        named = listed((self._read(parse_offer, text, self._prose.action) for text in d.actions), "or")
        asked = f" (“{self._read(parse_template, d.prompt, self._prose.text)}”)" if d.prompt is not None else ""
        return self._entry(f"{sentence(humanise(d.name.text))}: {named}{asked}.", d.doc)

    def window(self, d: model.WindowDecl) -> list[str]:
        if self._at_table and d.doc.strip():
            return self._entry(f"{sentence(humanise(d.name.text))}:", d.doc)
        self._begin(d.params)
        params = f" ({listed(humanise(name.text) for name, _type in d.params)})" if d.params else ""
        lines = []
        if d.forced:
            forced = listed((self._read(parse_offer, text, self._prose.action) for text in d.forced), "or")
            lines.append(f"Who can must first do one of these: {forced}.")
        asked = "round and round, until all pass one after the other" if d.until_all_pass else "once"
        most = f" (at most {d.at_most} answers)" if d.at_most is not None else ""
        answers = listed((self._read(parse_offer, text, self._prose.action) for text in d.actions), "or")
        lines.append(f"These are asked in order, each {asked}{most}: {self.value(d.who)}.")
        lines.append(f"They may answer with {answers}, or pass.")
        when = "when all have been asked, the last one first" if d.last_first else "at once"
        lines.append(f"Costs are paid at once; answers take effect {when}.")
        return self._entry(f"{sentence(humanise(d.name.text))}{params}:", d.doc, lines)

    def span(self, d: model.SpanDecl) -> list[str]:
        title = f"{sentence(humanise(d.name.text))}{', of a player' if d.per_player else ''}:"
        return self._entry(title, d.doc, [f"Lasts as long as {self._condition(d.holds)}."])

    def chart(self, d: model.ChartDecl) -> list[str]:
        title = d.title or sentence(humanise(d.name.text))
        if self._is_printed(d):
            return self._printed(title, d)
        return self._entry(f"{title}:", self._about(d, d.doc), self._steps(d))

    def _steps(self, d: model.ChartDecl) -> list[str]:
        (title, first), *others = d.steps
        lines = [f"{title}: {self.value(first)}."]
        return [*lines, *(f"When tied, {uncapitalized(title)}: {self.value(value)}." for title, value in others)]

    def rule(self, d: model.RuleDecl) -> list[str]:
        if self._at_table and d.doc.strip():
            return self._entry(f"{sentence(humanise(d.name.text))}:", d.doc)
        return self._entry(f"{sentence(humanise(d.name.text))}:", d.doc, self._rule_lines(d.rule))

    def duration(self, d: model.DurationDecl) -> list[str]:
        whose = "of a player, " if d.per_player else ""
        return self._entry(f"{sentence(humanise(d.name.text))}: {whose}something may last until its end.", d.doc)

    def phase(self, d: model.PhaseDecl, depth: int = 0) -> list[str]:
        self._begin()
        label = self._phase_title(d)
        lines = []
        title = ("" if d.label is None else beginning(d.label.text)) or label
        if self._is_printed(d):
            return [f"{INDENT * depth}{line}" for line in self._printed(title, d)]
        if self._at_table and d.doc.strip():
            return [f"{INDENT * depth}{line}" for line in self._entry(f"{title}:", d.doc)]
        if d.condition is not None:
            lines.append(f"Only if {self._condition(d.condition)}.")
        if d.repeat is not None:
            again = f", at most {d.at_most} times" if d.at_most is not None else ""
            condition = self._condition(d.repeat)
            lines.append(f"Again and again{'' if condition == 'always' else f' while {condition}'}{again}.")
        elif d.at_most is not None:
            lines.append(f"Again and again until the game ends, at most {d.at_most} times.")
        if d.phases:
            parts = [self._phase_title(p) for p in d.phases]
            lines.append(f"In this order: {', '.join(parts)}.")
        lines += self.block(d.do) if d.do is not None else []
        return [f"{INDENT * depth}{line}" for line in self._entry(f"{label}:", self._about(d, d.doc), lines)]

    def _phase_with_parts(self, d: model.PhaseDecl) -> list[str]:
        return [line for phase, depth in all_phases((d,)) for line in self.phase(phase, depth)]

    def _scoring(self) -> list[str]:
        scoring = self._ruleset.scoring
        if scoring is None:
            return []
        return [*self.ranking(), *(line for chart in scoring.charts for line in ["", *self.chart(chart)])]

    def ranking(self) -> list[str]:
        """Describe the ranking of players, for endings that name no chart."""
        scoring = self._ruleset.scoring
        assert scoring is not None
        first, *others = [self.value(e) for e in scoring.rank] or [""]
        lines = [f"Whoever has the most of this wins: {first}." if first else "Each ending says who wins."]
        lines += [f"When tied, whoever has the most of this: {other}." for other in others]
        if scoring.payoff is not None and scoring.payoff.text.strip() == "zero_sum":
            lines.append("The winners share 1, which the others pay.")
        elif scoring.payoff is not None:
            lines.append(f"Each player wins or pays: {self.value(scoring.payoff)}.")
        return lines


MOST_CARDS = 8
"""The largest number of cards that are named for a value."""


def data_words(value: model.Value) -> set[str]:
    """Return the words in plain data."""
    if isinstance(value.data, tuple):
        inner = (pair[1] if value.is_map else pair for pair in value.data)
        return {word for one in inner for word in data_words(one)}
    return {value.data} if isinstance(value.data, str) else set()


def players(low: int, high: int) -> str:
    """Return the number of players in words."""
    return f"{low if low == high else f'{low} to {high}'} player{'' if high == 1 else 's'}"


def _wrapped(lines: Iterable[str], width: int) -> str:
    """Wrap lines at a width. Continuation lines of indented text are indented further."""
    out: list[str] = []
    for line in lines:
        lead = line[: len(line) - len(line.lstrip())]
        more = f"{lead}  " if lead else ""
        out += textwrap.wrap(line.strip(), width, initial_indent=lead, subsequent_indent=more) or [""]
    return "\n".join(out) + "\n"
