"""Describe the rules in English for `lusory explain`: single declarations, or the whole ruleset.

The text comes from the ruleset as written, so that rules with errors can be read, too. A text that doesn't parse
appears unchanged.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from lusory_dsl.ruleset import model
from lusory_dsl.source.source import (
    EmbeddedText,
    capitalize,
    count_noun,
    humanise,
    join_items,
    make_title,
    prepend_article,
)
from lusory_dsl.syntax.parser import parse_offer

from .cards_and_boards import CardsText, describe_board_shape, get_boards, iterate_diagram_lines
from .declaration_names_and_lookup import (
    MAX_LISTED,
    find_names,
    fold_text,
    format_type_name,
    list_readings,
    lowercase_first_letter,
)
from .glossary_merging_and_title_lookup import (
    GLOSSARY,
    MAX_MEANINGS,
    Term,
    find_titles,
    find_used_names,
    get_constant_start,
    get_title_head,
    iterate_constant_titles,
    iterate_titles,
    merge_terms,
    remove_clauses,
)
from .statements_rules_and_declaration_parts import INDENT, describe_type, list_entries, walk_phases

WIDTH = 92
CLAUSE = re.compile(r"\b[A-Z]{1,5}-?\d+[a-z]?\b")


def explain(
    ruleset: model.Ruleset, name: str, width: int = WIDTH, is_at_table: bool = False, shows_rules: bool = False
) -> str:
    """Return a text that describes what ``name`` means. It ends with a line break.

    Args:
        ruleset: The ruleset as written.
        name: A name of an author or a text that players read. Case doesn't matter, and punctuation counts as blanks.
            But a declared name that is exactly ``name`` hides those that differ in this: ``gear`` hides ``Gear``.
            ``glossary`` lists all terms.
        width: The maximum length of a line.
        is_at_table: Whether the reader plays the game. Clause numbers and references to rule code are then left out.
        shows_rules: Whether to describe the rules also where an author has written a printed text.

    Entries are separated by an empty line. They are the declarations with the name, such as ``Priest (2 copies): rank
    2.`` and indented lines. Without any, they are those with the label or plural. Without these, the first that fits is
    described: a title on the table, the spaces of boards, documented members of kinds, and the glossary. At the table,
    spaces with the name give the only entry. A space begins like ``a1: a space, beside a2 and b1.`` Raise KeyError for
    an unknown name.
    """
    rules_text = RulesText(ruleset, is_at_table, shows_rules)
    entries = rules_text._describe_spaces(name) if is_at_table else []
    declared_names = [] if entries else find_names(rules_text._iterate_sections(), name)
    entries += [lines for word in declared_names for lines in rules_text._describe_declarations(word) if lines]
    entries = (
        entries
        or rules_text._describe_title(name)
        or rules_text._describe_spaces(name)
        or rules_text._describe_member(name)
    )
    if not entries and fold_text(name) == GLOSSARY:
        entries = [rules_text._make_glossary()]
    if not entries:
        raise KeyError(name)
    shown_lines = [remove_clauses(line) if is_at_table else line for lines in entries for line in [*lines, ""]]
    return wrap_text(shown_lines[:-1], width)


def list_names(ruleset: model.Ruleset) -> list[str]:
    """Return every declared name that :func:`explain` knows, without duplicates, in the order of the sections."""
    sections = RulesText(ruleset)._iterate_sections()
    return list(dict.fromkeys(word.text for declarations, _say in sections for word, _declaration in declarations))


def list_names_and_labels(ruleset: model.Ruleset) -> list[str]:
    """Return every name, label and plural that :func:`explain` knows, without duplicates. Names come first."""
    return list_readings(RulesText(ruleset)._iterate_sections())


class RulesText(CardsText):
    """Describe each declaration of a ruleset as an entry: a title, and indented lines below it.

    Example: ``heap: {type: Int, start: 12}`` gives ``["Heap: a number, 12 at the start."]``. Most methods for single
    declarations are called ``describe_`` and the kind of declaration.
    """

    def describe_ending(self, decl: model.EndingDecl) -> list[str]:
        """Return an ending as lines: its label with a colon, then its printed text, indented by two blanks."""
        return self._make_printed_entry(self._format_template(decl.label), decl)

    @staticmethod
    def list_clauses(text: str) -> list[str]:
        """Return the ids of clauses that a text mentions, without duplicates, sorted by letters and number.

        Example: "see FN-10, FN-2" gives ``["FN-2", "FN-10"]``.
        """
        keys = {
            clause: (re.sub("[^A-Z]", "", clause), int(re.sub(r"\D", "", clause))) for clause in CLAUSE.findall(text)
        }
        return sorted(keys, key=lambda clause: (*keys[clause], clause))

    # ------------------------------------------------------------ by name

    def _describe_declarations(self, name: str) -> Iterator[list[str]]:
        """Yield the entries for a declared name, or nothing for an unknown name. The name must be exact.

        Each ends with ``Replaced by PACK.`` for packs that do so, and ``Clauses: FN-1, FN-2.`` for its doc. Clauses are
        left out at the table, and where a printed text replaces the doc. An entry may be empty.
        """
        pack_lines = [
            f"Replaced by {pack.name}." for pack in self._ruleset.packs if name in {word.text for word in pack.replaces}
        ]
        for section, say in self._iterate_sections():
            for declaration in (declaration for word, declaration in section if word.text == name):
                is_printed = getattr(declaration, "text", ()) and not self._shows_rules
                doc = "" if is_printed or self._is_at_table else getattr(declaration, "doc", "")
                clauses = self.list_clauses(doc)
                clause_lines = [f"Clauses: {', '.join(clauses)}."] if clauses else []
                lines = say(declaration)
                yield [*lines, *pack_lines, *clause_lines] if lines else lines

    def _iterate_sections(self) -> Iterator[tuple[list[tuple[model.Word, Any]], Callable[[Any], list[str]]]]:
        """Yield each section, perhaps empty: its names with their declarations, and the method that describes one of
        them.

        The order is that of the entries for a name with several meanings. Resources are an enum here. For enum values,
        the declaration is a pair of the enum and the value, and for a value of an option it is the option.
        """

        def pair_with_name(declarations: Iterable[Any]) -> list[tuple[model.Word, Any]]:
            return [(decl.name, decl) for decl in declarations]

        ruleset = self._ruleset
        charts = () if ruleset.scoring is None else ruleset.scoring.charts
        yield pair_with_name(ruleset.enums), self.describe_enum
        yield [(value.name, (enum, value)) for enum in ruleset.enums for value in enum.values], self.describe_enum_value
        yield pair_with_name(ruleset.boards), self.describe_board
        yield pair_with_name(ruleset.options), self._describe_option
        yield [(word, decl) for decl in ruleset.options for word in decl.values], self._describe_option
        yield pair_with_name(ruleset.components), self.describe_component
        yield [(card.id, card) for card in ruleset.cards], partial(self.describe_card, is_alone=True)
        yield pair_with_name(ruleset.keywords), self.describe_keyword
        yield pair_with_name(ruleset.tables), self.describe_table
        yield pair_with_name(ruleset.zones), self.describe_zone
        yield pair_with_name(ruleset.variables), self.describe_variable
        yield pair_with_name(ruleset.queries), self.describe_query
        yield pair_with_name(ruleset.effects), self.describe_effect
        yield pair_with_name(ruleset.actions), self.describe_declared_action
        yield pair_with_name(ruleset.menus), self.describe_menu
        yield pair_with_name(ruleset.windows), self.describe_window
        yield pair_with_name(ruleset.spans), self.describe_span
        yield pair_with_name(charts), self.describe_chart
        yield pair_with_name(ruleset.endings), self.describe_ending
        yield pair_with_name(ruleset.rules), self.describe_named_rule
        yield pair_with_name(ruleset.durations), self.describe_duration
        yield [(phase.id, phase) for phase, _ in walk_phases(ruleset.phases)], self._describe_phase_with_parts

    def _describe_title(self, name: str) -> list[list[str]]:
        """Return what stands below a title on the table, as a list of entries, which are lists of lines.

        Each title that has the name gives a heading, and an entry for each name that its content uses. An unknown title
        gives []. At the table, a title with a known meaning gives one entry of one line.

        Example: ``goes first`` gives ``[["Goes first: on the table, made of starter."], ["Starter: a player, …", "  The
        player who goes first this round."]]``. At the table, it gives ``[["Goes first: The player who goes first this
        round."]]``.
        """
        declared_names = list_names(self._ruleset)
        terms = [*self._iterate_title_terms(), *iterate_constant_titles(self._ruleset)] if self._is_at_table else []
        if meanings := merge_terms(term for term in terms if fold_text(term[0]) == fold_text(name)):
            return [meanings]
        entries: list[list[str]] = []
        for title, texts in find_titles(self._ruleset, name):
            parts = find_used_names(texts, declared_names)
            part_entries = [lines for part in parts for lines in self._describe_declarations(part) if lines]
            heading = f"{get_title_head(title)}: on the table"
            heading += f", made of {join_items(humanise(part) for part in parts)}." if parts else "."
            entries += [[heading], *part_entries]
        return [lines for index, lines in enumerate(entries) if lines not in entries[:index]]

    def _describe_spaces(self, name: str) -> list[list[str]]:
        """Return one entry about all spaces with this name or label, or [] without any."""
        lines = []
        for decl in self._ruleset.boards:
            labels = {word.text: label for word, label in decl.labels}
            board = get_boards(self._ruleset).get(decl.name.text)
            labels_by_space = [] if board is None else [labels.get(space, humanise(space)) for space in board.names]
            for number, label in enumerate(labels_by_space):
                if board is not None and fold_text(name) in (fold_text(board.names[number]), fold_text(label)):
                    neighbours = [labels_by_space[neighbour] for neighbour in board.beside[number]]
                    lines += self._describe_space(decl, board.names[number], label, neighbours)
        return [lines] if lines else []

    def _describe_space(self, decl: model.BoardDecl, space: str, label: str, neighbours: Sequence[str]) -> list[str]:
        """Describe a space and its neighbours."""
        docs = {word.text: doc.strip() for word, doc in decl.docs}
        kind_text = "a space" if len(self._ruleset.boards) == 1 else f"a space of {format_type_name(decl.name.text)}"
        neighbours_text = f", beside {join_items(neighbours)}" if neighbours else ""
        board_lines = [" ".join(decl.doc.split())] if self._is_at_table and decl.doc.strip() else []
        return self._make_entry(f"{label}: {kind_text}{neighbours_text}.", docs.get(space, ""), board_lines)

    def _describe_member(self, name: str) -> list[list[str]]:
        """Return an entry, a title and its doc, for each documented member of a component kind with this name."""
        members = [member for kind in self._ruleset.components for member in kind.members if member.doc.strip()]
        return [
            self._make_entry(f"{make_title(member.name.text)}:", member.doc)
            for member in members
            if fold_text(member.name.text) == fold_text(name)
        ]

    def _make_glossary(self) -> list[str]:
        """Return a line ``Term: meaning`` for each term that players read, in alphabetical order.

        The meaning is the author's explanation, or else the declarations behind the term. A variable without label
        or title is no term.
        """
        return merge_terms(
            chain(
                self._iterate_component_terms(),
                self._iterate_action_terms(),
                self._iterate_title_terms(),
                iterate_constant_titles(self._ruleset),
            )
        )

    def _iterate_component_terms(self) -> Iterator[Term]:
        """Yield the game, components, fields, keywords, zones and variables with their explanation or ""."""
        ruleset, game = self._ruleset, self._ruleset.game
        yield game.name, game.about or "One game, without words of its own; `rules` tells how it is played."
        for kind in ruleset.components:
            yield humanise(kind.name.text), kind.doc
            yield from ((humanise(field.text), doc) for field, doc in kind.docs)
        for keyword in ruleset.keywords:
            title, *lines = self.describe_keyword(keyword)
            yield title.partition(":")[0], keyword.doc or " ".join(line.strip() for line in lines[:1])
        for zone in ruleset.zones:
            content = self.describe_zone(zone)[0].partition(": ")[2]
            content = content.replace("Card cards", "cards").replace(", in order.", ".")
            visibility_lines = self._describe_content_visibility(zone, "the content")
            yield self._words.name_place(zone), zone.doc or " ".join([content, *visibility_lines])
        yield from ((variable.label or "", variable.doc) for variable in ruleset.variables)

    def _iterate_action_terms(self) -> Iterator[Term]:
        ruleset = self._ruleset
        for action in ruleset.actions:
            yield self._get_action_name(action), self._get_player_text(action, action.doc)
        labels = ((phase.label, self._get_player_text(phase, phase.doc)) for phase, _ in walk_phases(ruleset.phases))
        yield from ((get_constant_start(label.text), doc) for label, doc in labels if label is not None)

    def _iterate_title_terms(self) -> Iterator[Term]:
        """Yield the titles of panels, charts and the like, then the values and names of enums, with their explanations.

        A title is explained by the docs of the names that its texts read: those of its own name, else of all others.
        Without docs, it is explained by the titles of the places among them.
        """
        ruleset = self._ruleset
        docs = {query.name.text: query.doc for query in ruleset.queries if not query.params}
        stateful_decls: tuple[model.ZoneDecl | model.VariableDecl, ...] = (*ruleset.zones, *ruleset.variables)
        constant_decls: tuple[model.TableDecl | model.OptionDecl, ...] = (*ruleset.tables, *ruleset.options)
        docs_by_name = {decl.name.text: decl.doc for decl in (*stateful_decls, *constant_decls) if decl.doc}
        places = {decl.name.text: self._words.name_place(decl) for decl in stateful_decls}
        docs_by_name |= {field.text: doc for kind in ruleset.components for field, doc in kind.docs}
        known_names = list_names(ruleset)
        for title, texts in iterate_titles(ruleset):
            head, used_names = get_title_head(title), find_used_names(texts, known_names)
            same_names = [name for name in used_names if fold_text(name) == fold_text(head) and name in docs_by_name]
            parts = same_names or [name for name in used_names if fold_text(name) != fold_text(head)]
            explanations = [docs_by_name[part] for part in parts if part in docs_by_name]
            explanations = explanations or [docs[part] for part in parts if docs.get(part)]
            place_names = [places[part] for part in parts if part in places and not explanations]
            yield (
                head,
                " ".join([*explanations[:MAX_MEANINGS], *([f"{join_items(place_names)}."] if place_names else [])]),
            )
        for enum in ruleset.enums:
            for value in enum.values:
                yield self._words.name_value(value), self._get_player_text(value, value.doc)
            values = join_items((self._words.name_value(value) for value in enum.values), "or")
            yield format_type_name(enum.name.text), f"{values}." if len(enum.values) > 1 else ""

    # ------------------------------------------------------------ declarations

    def describe_enum(self, decl: model.EnumDecl) -> list[str]:
        """Return an enum as a single line, ``Name: a, b and c.``, with its values in their order."""
        name = format_type_name(decl.name.text) if self._is_at_table else decl.name.text
        return [f"{name}: {join_items(self._words.name_value(value) for value in decl.values)}."]

    def describe_board(self, decl: model.BoardDecl) -> list[str]:
        """Return a board as lines: the title, then its doc on one line, its labels and its diagram.

        The title has the name and the words of :func:`describe_board_shape`: ``Yard: 8 x 8 squares.`` Each of
        ``decl.labels`` has a line, in their order: the space and its label, such as ``d8: Goal``. All lines below the
        title are indented by two blanks. The diagram has the names of all spaces: ``a2 b2`` over ``a1 b1``. A board
        of more than 64 spaces has ``From a1 to m13.`` instead, and a faulty one has neither labels nor diagram.
        """
        board = get_boards(self._ruleset).get(decl.name.text)
        title = f"{decl.name.text}: {describe_board_shape(decl, board)}."
        return self._make_entry(title, decl.doc, iterate_diagram_lines(decl, board))

    def describe_enum_value(self, pair: tuple[model.EnumDecl, model.EnumValueDecl]) -> list[str]:
        """Return an enum value as lines: a title, then lines indented by two blanks. ``pair`` is the enum and value.

        ``Red:`` stands above its doc, or the doc of a component's member with the same name, and above ``Price: 3.``
        for each table ``price`` with only this dimension. An entry that repeats a name of the value is left out. The
        doc of a table replaces its name. Without these, ``Red:`` stands above a line for each field in which cards have
        the value: ``Suit of Axe and Bow.`` It names at most ``MAX_NAMED_CARDS`` (8) cards, and counts the rest:
        ``and 3 more``. Without cards, the line is ``Red: a colour, beside green and blue.``. With ``MAX_LISTED`` (5)
        or more other values, or with none, it is ``Red: a colour.``. A printed text stands alone below ``Red:``. With
        ``shows_rules``, printed text and doc are one paragraph above the tables instead.
        """
        enum, value = pair
        name = capitalize(self._words.name_value(value))
        if self._is_printed(value):
            return self._make_printed_entry(name, value)
        tables = list(self._iterate_table_lines(enum, value))
        member = [line.strip() for lines in self._describe_member(value.name.text)[:1] for line in lines[1:]]
        doc = self._join_texts(value, value.doc) or " ".join(member)
        lines = tables if doc or tables else list(self._iterate_field_lines(enum, value))
        if doc or lines:
            return self._make_entry(f"{name}:", doc, lines)
        other_values = [self._words.name_value(sibling) for sibling in enum.values if sibling is not value]
        siblings = f", beside {join_items(other_values)}" if 0 < len(other_values) < MAX_LISTED else ""
        return [f"{name}: {prepend_article(format_type_name(enum.name.text).lower())}{siblings}."]

    def _iterate_field_lines(self, enum: model.EnumDecl, value: model.EnumValueDecl) -> Iterator[str]:
        """Yield lines that name the cards with this value in one of the fields whose type mentions the enum."""
        fields = {
            name.text: None
            for kind in self._ruleset.components
            for name, type in kind.fields
            if re.search(rf"\b{enum.name.text}\b", type.text)
        }
        for field in fields:
            card_names = [
                self._words.name_card(card)
                for card in self._ruleset.cards
                for word, field_value in card.fields
                if word.text == field and value.name.text in _collect_data_words(field_value)
            ]
            cards = list(dict.fromkeys(card_names))
            remark = [f"{len(cards) - MAX_NAMED_CARDS} more"] if len(cards) > MAX_NAMED_CARDS else []
            if cards:
                yield f"{make_title(field)} of {join_items([*cards[:MAX_NAMED_CARDS], *remark])}."

    def _iterate_table_lines(self, enum: model.EnumDecl, value: model.EnumValueDecl) -> Iterator[str]:
        """Yield the entries that tables have for a value, without those that only repeat its names."""
        words_of_value = (value.name, value.plural, value.short)
        names = [str(getattr(word, "text", word)).casefold() for word in words_of_value]
        for table in self._ruleset.tables:
            if [word.text for word in table.per] == [enum.name.text]:
                title = remove_clauses(table.doc).strip().rstrip(".") or make_title(table.name.text)
                values = (row for key, row in list_entries(table.values) if key == value.name.text)
                descriptions = map(self.describe_data, values)
                yield from (f"{title}: {words}." for words in descriptions if words.casefold() not in names)

    def _describe_option(self, decl: model.OptionDecl) -> list[str]:
        """Return an option as lines: the title ``Name: values; default unless agreed otherwise.``, then its doc,
        indented by two blanks, if it has one.
        """
        default = f"{self.describe_data(decl.default)} unless agreed otherwise"
        title = f"{make_title(decl.name.text)}: {self.describe_allowed_values(decl)}; {default}."
        return self._make_entry(title, decl.doc)

    def describe_allowed_values(self, decl: model.OptionDecl) -> str:
        """Return the possible values of an option: “2 to 4”, “a or b”, or “yes or no”."""
        if decl.range is not None:
            return f"{decl.range[0]} to {decl.range[1]}"
        return join_items((humanise(word.text) for word in decl.values), "or") if decl.values else "yes or no"

    def _describe_dimensions(self, per: Iterable[model.Word]) -> str:
        dims = [word.text if word.text[:1].isupper() else f"number {word.text}" for word in per]
        return f", for each {join_items(dims)}" if dims else ""

    def describe_zone(self, decl: model.ZoneDecl) -> list[str]:
        """Return a zone or pool as lines: a title, then lines indented by two blanks.

        The title begins with the label, or else the name: ``Hand, for each Player: holds Card cards, in order.`` and
        ``Stock: holds goods and ores.`` for a pool. The lines come in this order. The first is its doc, and the next
        says what it starts with: ``At the start: every Card.`` Then come ``It never runs out.`` and
        ``They lie sorted, however they come.`` if they are true. The last lines say who sees its content
        (``Only its owner sees the content.``), its ends and moves (``Nobody sees what is moved in and out.``). Content
        and moves that all see are not mentioned. With a top of its own the lines are ``Nobody sees the rest.`` and
        ``All see what lies at the top.``, for example. With ``_is_at_table``, a zone holds ``cards, in order``. One
        with a doc then has only the title ``Hand:``, its doc, and who sees its content and its ends
        (``Only its owner sees what lies there.``).
        """
        if self._is_at_table and decl.doc.strip():
            visibility_lines = self._describe_content_visibility(decl, "what lies there")
            return self._make_entry(f"{capitalize(self._words.name_place(decl))}:", decl.doc, visibility_lines)
        words = self._words
        kinds = join_items(words.name_value(words.values[kind.text], True) for kind in decl.kinds) if decl.kinds else ""
        name = f"{capitalize(words.name_place(decl))}{self._describe_dimensions(decl.per)}"
        title = f"{name}: holds {kinds or self._describe_zone_content(decl.holds.text)}."
        lines = []
        start = [f"{self.say_value(amount)} {self._prose.describe_counter(kind.text)}" for kind, amount in decl.start]
        if decl.start_expression is not None:
            lines.append(f"At the start: {self.say_value(decl.start_expression)}.")
        if start or decl.start_kind:
            start += [f"every {decl.start_kind.text}"] if decl.start_kind else []
            lines.append(f"At the start: {join_items(start)}.")
        if decl.is_unlimited:
            lines.append("It never runs out.")
        if decl.is_sorted:
            lines.append("They lie sorted, however they come.")
        lines += self._describe_content_visibility(decl, "the content")
        if decl.moves is not None:
            lines += self._describe_visibility(decl.moves, "what is moved in and out")
        return self._make_entry(title, decl.doc, lines)

    def _describe_zone_content(self, type: str) -> str:
        enum = self._words.enums.get(type)
        if enum is None:
            return f"{self._words.get_plural(type)}, in order" if self._is_at_table else f"{type} cards, in order"
        return join_items(self._words.name_value(value, is_plural=True) for value in enum.values)

    def _describe_content_visibility(self, zone: model.ZoneDecl, content: str) -> list[str]:
        """Return lines about who sees a zone, and its ends if they have a visibility of their own.

        ``content`` names the whole content: ``what lies there``. Beside such an end, it is ``the rest``.
        """
        ends = [(end, text) for end, text in (("top", zone.top), ("bottom", zone.bottom)) if text is not None]
        lines = self._describe_visibility(zone.visible, "the rest" if ends else content)
        for end, text in ends:
            end_lines = self._describe_visibility(text, f"what lies at the {end}")
            lines += end_lines or [f"All see what lies at the {end}."]
        return lines

    def _describe_visibility(self, visible: EmbeddedText | None, content: str) -> list[str]:
        audience = "all" if visible is None else visible.text.strip()
        if audience == "all":
            return []
        phrases = {"owner": "only its owner sees", "nobody": "nobody sees"}
        if audience in phrases:
            return [capitalize(f"{phrases[audience]} {content}.")]
        return [f"A player sees {content} if {self._say_condition(visible)}."]

    def describe_variable(self, decl: model.VariableDecl) -> list[str]:
        """Return a variable as lines: the title ``Name: type, start at the start.``, then indented by two blanks its
        doc and who sees it.

        With indices, the title begins ``Name, for each INDEX:``. An empty doc is left out, and so is who sees it where
        all do. At the table, the title of a variable with a doc is ``Name:``.
        """
        if self._is_at_table and decl.doc.strip():
            title = f"{capitalize(self._words.name_place(decl))}:"
        else:
            start = self._describe_start(decl.start)
            name = f"{capitalize(self._words.name_place(decl))}{self._describe_dimensions(decl.per)}"
            title = f"{name}: {describe_type(decl.type.text)}, {start} at the start."
        return self._make_entry(title, decl.doc, self._describe_visibility(decl.visible, "it"))

    def _describe_start(self, start: EmbeddedText | tuple[tuple[model.Word, model.Value], ...] | None) -> str:
        """Return the start value of a variable in words."""
        if isinstance(start, EmbeddedText):
            return self.say_value(start)
        if start is None:
            return "as its board shows"
        return join_items(f"{self.describe_data(value)} for {word.text}" for word, value in start)

    def describe_table(self, decl: model.TableDecl) -> list[str]:
        """Return a table as lines: the title ``Speed:``, then its doc and a line for each row, indented by two blanks.

        A row of a mapping is ``Red: 3 and 4.``. A list of mappings has a numbered row for each, ``1: red 3; blue 4.``,
        from the low end of a range if the first dimension is one, else from 1. Any other list, and a single value, is
        one line: ``3 and 4.`` or ``yes.``. The expression of a computed table is one line, too, with a capital letter:
        ``The heap + 1.`` Without ``is_at_table``, the title names any dimensions:
        ``Speed, for each Colour and number 1..3:``.
        """
        dimensions = "" if self._is_at_table else self._describe_dimensions(decl.per)
        title = f"{capitalize(self._words.name_place(decl))}{dimensions}:"
        low_end = decl.per[0].text.partition("..")[0].strip() if decl.per else ""
        first = int(low_end) if low_end.removeprefix("-").isdecimal() else 1
        if decl.value is not None:
            return self._make_entry(title, decl.doc, [f"{capitalize(self.say_value(decl.value))}."])
        return self._make_entry(title, decl.doc, self._describe_table_rows(decl.values, first))

    def _describe_table_rows(self, value: model.Value, first: int) -> list[str]:
        """Return the rows of a table. Numbered rows begin with number ``first``."""
        if not value.is_map and isinstance(value.data, tuple) and value.data and all(row.is_map for row in value.data):
            return [f"{number}: {self.describe_data(item)}." for number, item in enumerate(value.data, first)]
        if not value.is_map:
            return [f"{self.describe_data(value)}."]
        return [f"{capitalize(self.get_label(key))}: {self.describe_data(row)}." for key, row in list_entries(value)]

    def _make_title(self, decl: model.QueryDecl | model.EffectDecl) -> str:
        params = f" ({join_items(humanise(name.text) for name, _type in decl.params)})" if decl.params else ""
        return f"{make_title(decl.name.text)}{params}{', of a player' if decl.is_per_player else ''}"

    def describe_query(self, decl: model.QueryDecl) -> list[str]:
        """Return a query as lines: its title, such as ``Worth (x and y):``, then its doc and its value.

        ``x`` and ``y`` are the parameters. The title of a query that each player has ends with ``, of a player:``. Doc
        and value are indented by two blanks. The value begins with a capital and ends with a full stop, as in
        ``"  The number of cards."``. A doc is one line, without its line breaks. An empty doc, or one equal to the line
        of the value, is left out. With ``_is_at_table``, a query with a doc gives only ``Worth:``, even if it has
        parameters or belongs to each player, and the doc.
        """
        if self._is_at_table and decl.doc.strip():
            return self._make_entry(f"{make_title(decl.name.text)}:", decl.doc)
        self._begin_entry(decl.params)
        return self._make_entry(f"{self._make_title(decl)}:", decl.doc, [f"{capitalize(self.say_value(decl.value))}."])

    def describe_effect(self, decl: model.EffectDecl) -> list[str]:
        """Return an effect as lines: a title such as ``Name (x and y), of a player:``, then lines indented by two
        blanks.

        They are its doc, its announcement ``All are told: “…”.`` and its statements. Without ``_shows_rules``, an
        effect with a printed text (``decl.text``) has only the title ``Name:`` and the lines of this text. Otherwise,
        with ``_is_at_table``, an effect with a doc has only ``Name:`` and the doc, even if it also has a printed text.
        In all other cases, a printed text stands before the doc, on the same line: ``  PRINTED DOC``. This line is left
        out if it equals the only other one.
        """
        if self._is_printed(decl):
            return self._make_printed_entry(make_title(decl.name.text), decl)
        if self._is_at_table and decl.doc.strip():
            return self._make_entry(f"{make_title(decl.name.text)}:", decl.doc)
        self._begin_entry(decl.params)
        lines = [*self._describe_says(decl.says), *self.describe_block(decl.do)]
        return self._make_entry(f"{self._make_title(decl)}:", self._join_texts(decl, decl.doc), lines)

    def describe_declared_action(self, decl: model.ActionDecl) -> list[str]:
        """Return an action as lines, as :meth:`describe_action` does, or in shorter form.

        Without ``_shows_rules``, the lines of a printed text (``decl.text``) replace the indented lines. Otherwise,
        with ``_is_at_table``, a doc replaces them, as one line: ``["Hire a worker:", "  Gain a worker."]``. In both
        cases the title is the constant start of the label (:func:`get_constant_start`), capitalized: ``hire a worker
        for {b}`` gives ``Hire a worker:``. If this start is missing or contains a colon, the title is the name of the
        action in words, ``hire_worker`` as ``Hire worker:``. In any other case :meth:`describe_action` gives all lines.
        """
        if self._is_printed(decl):
            return self._make_printed_entry(capitalize(self._get_action_name(decl)), decl)
        if not self._is_at_table or not decl.doc.strip():
            return self.describe_action(decl)
        return self._make_entry(f"{capitalize(self._get_action_name(decl))}:", decl.doc)

    def _get_action_name(self, decl: model.ActionDecl) -> str:
        """Return the name of an action, without the parts that vary."""
        label = get_constant_start("" if decl.label is None else decl.label.text)
        return humanise(decl.name.text) if not label or ":" in label else label

    def describe_menu(self, decl: model.MenuDecl) -> list[str]:
        """Return a menu as lines: a title with the labels of its actions, then its doc on one line after two blanks.

        The title of ``night_market`` is like ``Night market: Buy a card or Sell a card (“What
        now?”).`` Three labels read ``A, B or C``. An action ``sell_card`` without a label, or with values in it,
        appears as ``sell card``. An offer of cards is like ``dig of one of the yard``, even if the action has a label.
        The prompt shows a value as ``[the coins]``. Without a prompt, the parentheses are left out, and an empty doc
        has no line.
        """
        prompt = f" (“{self._format_template(decl.prompt)}”)" if decl.prompt is not None else ""
        title = f"{make_title(decl.name.text)}: {self._describe_offers(decl.actions)}{prompt}."
        return self._make_entry(title, decl.doc)

    def _describe_offers(self, offers: Iterable[EmbeddedText]) -> str:
        """Return offered actions, joined by “or”."""
        return join_items((self._translate(parse_offer, offer, self._prose.describe_offer) for offer in offers), "or")

    def describe_window(self, decl: model.WindowDecl) -> list[str]:
        """Return a window as lines: the title ``Name (x and y):``, or ``Name:`` without parameters, then lines indented
        by two blanks.

        The first of these is the doc, if any, as one line. With ``forced``, the next is ``Players who can do one of
        these must do so first: Dodge or Parry.`` An action without a label, or with a value in its label, has its name
        in words instead: ``dodge``. Then comes ``These are asked in order, each once: all players.`` There,
        ``lasts_until_all_pass`` replaces ``once`` by ``round and round, until all pass one after the other``, and
        ``at_most`` puts `` (at most 3 answers)`` before the colon. Next is ``They may answer with Dodge, or pass.`` The
        last line is ``Costs are paid at once; answers take effect at once.`` With ``is_last_first``, it ends in ``when
        all have been asked, the last one first.`` With ``_is_at_table``, a doc gives only ``Name:`` and the doc.
        """
        if self._is_at_table and decl.doc.strip():
            return self._make_entry(f"{make_title(decl.name.text)}:", decl.doc)
        self._begin_entry(decl.params)
        params = f" ({join_items(humanise(name.text) for name, _type in decl.params)})" if decl.params else ""
        lines = []
        if decl.forced:
            lines.append(f"Players who can do one of these must do so first: {self._describe_offers(decl.forced)}.")
        repetition = "round and round, until all pass one after the other" if decl.lasts_until_all_pass else "once"
        limit = f" (at most {count_noun(decl.at_most, 'answer')})" if decl.at_most is not None else ""
        answers = self._describe_offers(decl.actions)
        lines.append(f"These are asked in order, each {repetition}{limit}: {self.say_value(decl.who)}.")
        lines.append(f"They may answer with {answers}, or pass.")
        time = "when all have been asked, the last one first" if decl.is_last_first else "at once"
        lines.append(f"Costs are paid at once; answers take effect {time}.")
        return self._make_entry(f"{make_title(decl.name.text)}{params}:", decl.doc, lines)

    def describe_span(self, decl: model.SpanDecl) -> list[str]:
        """Return a span as lines: the title ``Name:`` or ``Name, of a player:``, then lines indented by two blanks.

        They are its doc, if it has one, and ``Lasts as long as CONDITION.``.
        """
        title = f"{make_title(decl.name.text)}{', of a player' if decl.is_per_player else ''}:"
        return self._make_entry(title, decl.doc, [f"Lasts as long as {self._say_condition(decl.holds)}."])

    def describe_chart(self, decl: model.ChartDecl) -> list[str]:
        """Return a ranking chart as lines: its title with a colon, then indented by two blanks its doc and its steps.

        Without a title, its name is the title: ``final_score`` gives ``Final score:``. Steps with the titles ``Points``
        and ``Most Cards`` give ``Points: VALUE.`` and ``When tied, most Cards: VALUE.``; an acronym keeps its capitals,
        as in ``When tied, VP tokens: VALUE.``. Without ``_shows_rules``, the lines of a printed text (``decl.text``)
        replace all below the title. With it, the printed text stands before the doc, on the same line.
        """
        title = decl.title or make_title(decl.name.text)
        if self._is_printed(decl):
            return self._make_printed_entry(title, decl)
        lines = [f"{step}: {self.say_value(value)}." for step, value in decl.steps]
        lines[1:] = [f"When tied, {lowercase_first_letter(line)}" for line in lines[1:]]
        return self._make_entry(f"{title}:", self._join_texts(decl, decl.doc), lines)

    def describe_named_rule(self, decl: model.RuleDecl) -> list[str]:
        """Return a rule as lines: the title ``Name:``, then indented by two blanks its doc, its trigger or condition,
        and its statements.

        At the table, a doc replaces the rest. An empty doc is left out.
        """
        if self._is_at_table and decl.doc.strip():
            return self._make_entry(f"{make_title(decl.name.text)}:", decl.doc)
        return self._make_entry(f"{make_title(decl.name.text)}:", decl.doc, self._describe_rule(decl.rule))

    def describe_duration(self, decl: model.DurationDecl) -> list[str]:
        """Return a duration as lines: the title ``Name: something may last until its end.``, then its doc, indented by
        two blanks, if it has one.

        For a duration of a player, the title is ``Name: of a player, something may last until its end.``.
        """
        owner = "of a player, " if decl.is_per_player else ""
        return self._make_entry(f"{make_title(decl.name.text)}: {owner}something may last until its end.", decl.doc)

    def describe_phase(self, decl: model.PhaseDecl, depth: int = 0) -> list[str]:
        """Return a phase as lines: its label with a colon, then lines indented by two blanks.

        All are indented by ``depth`` times two blanks more. A value in the label is like ``Turn [the n]:``. Without a
        label, the id ``main_turn`` gives ``Main turn:``. The lines are its doc, ``Only if CONDITION.``,
        ``Again and again while CONDITION, at most 3 times.``, ``In this order: Draw, Play.`` (only the titles of its
        child phases), and what happens. ``while: true`` gives ``Again and again, at most 3 times.``, and a limit alone
        ``Again and again until the game ends, at most 3 times.`` Without ``_shows_rules``, a printed text replaces
        all these lines. Otherwise, with ``_is_at_table``, a doc does so. The title is then only the constant start of
        the label, if it has one. If no line is replaced, a printed text is put before the doc, in its line.
        """
        self._begin_entry()
        label = self._get_phase_title(decl)
        lines = []
        title = ("" if decl.label is None else get_constant_start(decl.label.text)) or label
        if self._is_printed(decl):
            return [f"{INDENT * depth}{line}" for line in self._make_printed_entry(title, decl)]
        if self._is_at_table and decl.doc.strip():
            return [f"{INDENT * depth}{line}" for line in self._make_entry(f"{title}:", decl.doc)]
        if decl.condition is not None:
            lines.append(f"Only if {self._say_condition(decl.condition)}.")
        if decl.repeat is not None:
            limit = f", at most {count_noun(decl.at_most, 'time')}" if decl.at_most is not None else ""
            condition = self._say_condition(decl.repeat)
            lines.append(f"Again and again{'' if condition == 'always' else f' while {condition}'}{limit}.")
        elif decl.at_most is not None:
            lines.append(f"Again and again until the game ends, at most {count_noun(decl.at_most, 'time')}.")
        if decl.phases:
            parts = [self._get_phase_title(phase) for phase in decl.phases]
            lines.append(f"In this order: {', '.join(parts)}.")
        lines += self.describe_block(decl.do) if decl.do is not None else []
        entry = self._make_entry(f"{label}:", self._join_texts(decl, decl.doc), lines)
        return [f"{INDENT * depth}{line}" for line in entry]

    def _describe_phase_with_parts(self, decl: model.PhaseDecl) -> list[str]:
        return [line for phase, depth in walk_phases((decl,)) for line in self.describe_phase(phase, depth)]

    def describe_ranking(self) -> list[str]:
        """Return the ranking of players as lines, for endings that name no chart. The ruleset must have scoring.

        The first is ``Whoever has the most of this wins: VALUE.``, or without ``rank`` ``Each ending says who wins.``
        VALUE is the value in words, such as ``your score``. Each later value of ``rank`` has a line
        ``When tied, whoever has the most of this: VALUE.``. The last line is the payoff, if there is one:
        ``Each player wins or pays: VALUE.``. For ``zero_sum`` it is ``The losers pay 1 point together, which the
        winners share.``
        """
        scoring = self._ruleset.scoring
        assert scoring is not None
        first, *tie_breakers = [self.say_value(value) for value in scoring.rank] or [""]
        lines = [f"Whoever has the most of this wins: {first}." if first else "Each ending says who wins."]
        lines += [f"When tied, whoever has the most of this: {tie_breaker}." for tie_breaker in tie_breakers]
        if scoring.payoff is not None and scoring.payoff.text.strip() == "zero_sum":
            lines.append("The losers pay 1 point together, which the winners share.")
        elif scoring.payoff is not None:
            lines.append(f"Each player wins or pays: {self.say_value(scoring.payoff)}.")
        return lines


MAX_NAMED_CARDS = 8
"""The largest number of cards that are named for a value."""


def _collect_data_words(value: model.Value) -> set[str]:
    """Return all texts inside plain data as a set, at any depth, without the keys of mappings.

    Return an empty set for a number, truth value or None. The text ``none`` is in the set like any other.
    """
    if isinstance(value.data, tuple):
        values = (pair[1] if value.is_map else pair for pair in value.data)
        return {word for item in values for word in _collect_data_words(item)}
    return {value.data} if isinstance(value.data, str) else set()


def wrap_text(lines: Iterable[str], width: int) -> str:
    """Return lines as a text that ends with a line break, wrapped at a width.

    Continuation lines of an indented line get its indentation and two more blanks, those of other lines none. Lines
    also break at hyphens, and inside a word that is longer than a line. A line of blanks becomes empty. No lines give
    ``"\\n"``.
    """
    wrapped_lines: list[str] = []
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        hanging = f"{indent}  " if indent else ""
        wrapped_lines += textwrap.wrap(line.strip(), width, initial_indent=indent, subsequent_indent=hanging) or [""]
    return "\n".join(wrapped_lines) + "\n"
