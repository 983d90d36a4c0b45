"""Describe component kinds, keywords and cards in English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lusory_dsl.checker.check import declare_names
from lusory_dsl.core.board_drawing_and_parsing import draw_board
from lusory_dsl.core.board_geometry import Board
from lusory_dsl.ruleset import model
from lusory_dsl.source.dataclass_with_lazy_methods import replace
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, capitalize, humanise, join_items, make_title
from lusory_dsl.syntax import ast
from lusory_dsl.syntax.parser import parse_gains, parse_recipient, parse_template

from .declaration_names_and_lookup import format_type_name
from .glossary_merging_and_title_lookup import remove_clauses
from .statements_rules_and_declaration_parts import INDENT, DeclarationText, StatementText, describe_type
from .trigger_heads_and_phases_offering_actions import find_offering_phases

_NO_NAMES = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*|\boption\s+\w+')
"""Matches text in quotes, comments, and names of options."""
_NAME = re.compile(r"[A-Za-z_]\w*")


def _find_word_meanings(rules: model.Ruleset, card: model.CardDecl) -> dict[str, tuple[str, str]]:
    """Return name -> (word, meaning) for the words on a card that the rules explain, sorted by name.

    Words that nothing explains are left out. A printed field has the meaning that the docs of its kind give, which wins
    over any other. The word of a keyword with a value ends with a letter for it: ``n`` for an Int, otherwise ``x``.
    Example: the keyword ``armour: 2`` gives ``{"armour": ("armour n", "Reduces each damage by n.")}``.
    """
    lists = (rules.queries, rules.effects, rules.windows, rules.tables, rules.variables, rules.zones, rules.durations)
    kinds = [kind for kind in rules.components if kind.name.text == card.kind.text]
    docs = [(decl.name.text, decl.doc) for section in lists for decl in section]
    docs += [(member.name.text, member.doc) for kind in kinds for member in kind.members]
    meanings = {name: (name, _flatten_doc(doc)) for name, doc in docs if doc.strip()}
    for keyword in rules.keywords:
        if keyword.kind.text == card.kind.text and keyword.reminder is not None:
            name, reminder = keyword.name.text, " ".join(keyword.reminder.text.split())
            # A letter stands for the value of the keyword.
            letter = "" if keyword.type is None else "n" if keyword.type.text == "Int" else "x"
            reminder = re.sub(rf"\{{\s*{name}\s*\}}", letter, reminder) if letter else reminder
            meanings[name] = (f"{name} {letter}".strip(), reminder)
    names = set(_iterate_names(card))
    field_docs = [entry for kind in kinds for entry in kind.docs]
    printed_fields = {name.text for name, _ in card.fields}
    fields = {name.text: (name.text, _flatten_doc(doc)) for name, doc in field_docs if name.text in printed_fields}
    return dict(sorted({**{name: meanings[name] for name in names & meanings.keys()}, **fields}.items()))


def _flatten_doc(doc: str) -> str:
    """Return a doc as one line, without clause numbers."""
    return remove_clauses(" ".join(doc.split()))


# ---------------------------------------------------------------- names on cards


def _iterate_names(card: model.CardDecl) -> Iterator[str]:
    """Yield the names on a card, except names in quotes and names of options."""
    for word, _ in (*card.keywords, *card.queries, *card.effects):
        yield word.text
    for action in card.actions:
        yield action.name.text
    for _, value in (*card.fields, *card.keywords):
        if isinstance(value, model.Value):
            yield from _iterate_words(value.data)
    for text in _iterate_texts(card):
        yield from _NAME.findall(_NO_NAMES.sub("", text.text))


def _iterate_words(data: object) -> Iterator[str]:
    """Yield the words in plain data: `citizen`, in `class: [citizen]` and `versus: {citizen: 2}`."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, model.Word):
        yield data.text
    elif isinstance(data, model.Value):
        yield from _iterate_words(data.data)
    elif isinstance(data, tuple):
        for item in data:
            yield from _iterate_words(item)


def _iterate_texts(card: model.CardDecl) -> Iterable[EmbeddedText]:
    yield from (text for _, text in (*card.queries, *card.all_effects))
    yield from (text for rule in card.rules for text in (rule.rule, rule.active) if text is not None)
    for action in card.all_actions:
        yield from (text for text in (action.choose, *action.conditions, action.cost, action.do) if text is not None)


CODE = re.compile(r"[A-Z][A-Za-z]{0,3}-?\d+|\W+")
"""Matches a text that only identifies a card, such as “C026” or “Fi1”, and “-” for a card without such a code."""


class CardsText(DeclarationText):
    """Describe component kinds, keywords and cards in English.

    The public methods return an entry, a title and indented lines, except :meth:`CardsText.describe_card_text`, which
    returns the lines alone, and :meth:`CardsText.name_card`.
    """

    def describe_component(self, decl: model.ComponentDecl) -> list[str]:
        """Return a component kind as lines: a title with its fields, then its doc, fields with docs, and members.

        A title is like ``Card: each has attack (a number).``, or ``Card.`` without fields. A field is like
        ``  Attack: its doc``. The condition ``decl.active`` gives ``  Its rules hold while CONDITION.`` The kind's key
        ``blank: CONDITION`` gives ``  Blank, without keywords and rules of its own:``, and below it
        ``    While CONDITION, unless a card says otherwise.`` Other queries are like ``  Power: each card says.`` or
        ``  Power: 1, unless a card says otherwise.`` Effects (``  Enter, unless a card says otherwise:``), actions
        (``  Dig, where a card has it:``) and rules follow. Below a member, after four blanks, are its doc and what it
        does: ``    Nothing.`` for an effect without statements. At the table the title is ``Card:`` (``Action card:``
        for ``ActionCard``). Below it are only its doc, and ``  Attack: DOC`` for each field and member with a doc.
        """
        if self._is_at_table:
            docs = [*decl.docs, *((member.name, member.doc) for member in decl.members)]
            lines = [f"{make_title(name.text)}: {doc}" for name, doc in docs if doc.strip()]
            return self._make_entry(f"{format_type_name(decl.name.text)}:", decl.doc, lines)
        fields = join_items(f"{humanise(name.text)} ({describe_type(type.text)})" for name, type in decl.fields)
        lines = [f"{make_title(name.text)}: {doc}" for name, doc in decl.docs]
        lines += [] if decl.active is None else [f"Its rules hold while {self._say_condition(decl.active)}."]
        if decl.can_be_blank:
            blank = f"While {self._say_condition(decl.queries[0].value)}, unless a card says otherwise."
            lines += self._make_entry("Blank, without keywords and rules of its own:", "", [blank])
        for query in decl.queries[decl.can_be_blank :]:
            self._begin_entry(query.params)
            answer = "each card says"
            if query.value is not None:
                answer = f"{self._describe_answer(query.value)}, unless a card says otherwise"
            lines += self._make_entry(f"{make_title(query.name.text)}: {answer}.", query.doc)
        for effect in decl.effects:
            self._begin_entry(effect.params)
            effect_lines = [
                *(["Nothing."] if effect.do is None else self.describe_block(effect.do)),
                *self._describe_says(effect.says),
            ]
            lines += self._make_entry(
                f"{make_title(effect.name.text)}, unless a card says otherwise:", effect.doc, effect_lines
            )
        for action in decl.actions:
            title = f"{make_title(action.name.text)}, where a card has it:"
            lines += self._make_entry(title, action.doc, self._describe_common(action))
        lines += self._describe_card_rules(decl.rules)
        return self._make_entry(f"{decl.name.text}{f': each has {fields}' if decl.fields else ''}.", decl.doc, lines)

    def _describe_common(self, action: model.MemberActionDecl) -> list[str]:
        """Describe the conditions, the cost and the announcement that an action has on every card."""
        cost_lines = [] if action.cost is None else [f"{INDENT}{line}" for line in self.describe_block(action.cost)]
        cost = ["This is the cost:", *cost_lines] if cost_lines else []
        conditions = (f"Allowed only if {self._say_condition(condition)}." for condition in action.conditions)
        return [*conditions, *cost, *self._describe_says(action.says)]

    def describe_card(self, decl: model.CardDecl, is_alone: bool = False) -> list[str]:
        """Return a card as lines: its title, then its printed text or else its abilities, indented by two blanks.

        The title is ``Imp (2 copies): Card, attack 2, race goblin.``, without the copies if there is just one. Fields
        that are empty, 0, no, ``none`` or a code such as ``C026`` are left out, and a true one shows only its name. If
        ``shows_rules`` is set, the printed text is a single line, and the abilities follow it. Otherwise the title can
        be shorter: ``Imp (2 copies): attack 2, Goblin.`` This is for cards with a printed text, and for those without
        abilities in a game with printed texts. It has the fields in the frame of the card's kind; without any, it names
        the kind. With ``is_alone``, abilities say more (see :meth:`describe_card_text`). Words on the card that the
        rules explain then follow under the heading ``  What its words mean:``, if there are any.
        """
        if self._is_printed(decl) or self._is_plain(decl):
            printed_lines = [self._make_type_line(decl), *(f"{INDENT}{line}" for line in self.describe_card_text(decl))]
            return printed_lines + (self._describe_legend(decl, " ".join(printed_lines)) if is_alone else [])
        mentioned_fields = ((humanise(word.text), value) for word, value in decl.fields if _is_mentioned(value))
        fields = ", ".join(
            name if value.data is True else f"{name} {self.describe_data(value)}" for name, value in mentioned_fields
        )
        copies = f" ({decl.copies} copies)" if decl.copies != 1 else ""
        title = f"{self._words.name_card(decl)}{copies}: {decl.kind.text}{f', {fields}' if fields else ''}."
        lines = self.describe_card_text(decl, is_alone) + (self._describe_meanings(decl) if is_alone else [])
        return self._make_entry(title, self._join_texts(decl), lines)

    def _is_plain(self, decl: model.CardDecl) -> bool:
        """Return whether a card has no ability, in a game whose other cards have printed texts."""
        abilities = (decl.keywords, decl.queries, decl.effects, decl.actions, decl.rules)
        return not any(abilities) and not self._shows_rules and any(card.text for card in self._ruleset.cards)

    def _make_type_line(self, decl: model.CardDecl) -> str:
        """Return the name of a card with its copies, if not 1, and the fields of its frame, or else its kind."""
        kind = next((kind for kind in self._ruleset.components if kind.name.text == decl.kind.text), None)
        values = {word.text: value for word, value in decl.fields if _is_mentioned(value)}
        parts = []
        for name in () if kind is None else kind.frame:
            if (value := values.get(name)) is not None:
                label = humanise(name.removeprefix("base_"))
                wording = label if value.data is True else self.describe_data(value)
                is_number = isinstance(value.data, int) and value.data is not True
                parts.append(f"{label} {wording}" if is_number else capitalize(wording))
        copies = f" ({decl.copies} copies)" if decl.copies != 1 else ""
        return f"{self._words.name_card(decl)}{copies}: {', '.join(parts or [format_type_name(decl.kind.text)])}."

    def name_card(self, decl: model.CardDecl) -> str:
        """Return the label of a card, or else its id as a title."""
        return self._words.name_card(decl)

    def describe_card_text(self, decl: model.CardDecl, is_alone: bool = False) -> list[str]:
        """Return the printed text of a card as lines, each with single blanks between words.

        A line that is a keyword of the card, or begins with one and ``.``, ``:``, ``,`` or ``;``, gets the keyword's
        reminder, if any, at its end: ``Votes 2, but slow. (REMINDER)``. Case and value must agree: ``votes 2`` and
        ``Votes`` get none. A card without a printed text, and any card if ``_shows_rules`` is True, gets its abilities
        instead. In this order, they are its keywords, queries (``Yields: 3.``), effects (``Opens:``), actions and
        rules. A keyword is ``Votes 2 (REMINDER)``, ``Votes 2.`` without a reminder, or ``Raid:`` or
        ``Raid (REMINDER):`` with statements. Details follow such a line, indented by two blanks. Return [] for a card
        without any. If ``is_alone``, abilities include the docs that the card's kind has for members, and the phases
        that offer its actions.
        """
        if self._is_printed(decl):
            return [self._add_reminder(decl, " ".join(line.text.split())) for line in decl.text]
        kinds = [kind for kind in self._ruleset.components if kind.name.text == decl.kind.text]
        docs = {member.name.text: member.doc for kind in kinds for member in kind.members if is_alone}
        lines = []
        for word, value in decl.keywords:
            entry = self._describe_printed_keyword(decl, word, value)
            if is_alone and isinstance(value, model.ActionDecl):
                position = 1 + bool(value.doc)
                entry[position:position] = self._describe_offering_phases(word.text)
            lines += entry
        params = {member.name.text: getattr(member, "params", ()) for kind in kinds for member in kind.members}
        for name, value in decl.queries:
            self._begin_entry(params.get(name.text, ()))
            title = f"{make_title(name.text)}: {self._describe_answer(value)}."
            lines += self._make_entry(title, docs.get(name.text, ""))
        for name, do in decl.effects:
            self._begin_entry(params.get(name.text, ()))
            lines += self._make_entry(f"{make_title(name.text)}:", docs.get(name.text, ""), self.describe_block(do))
        for action in decl.actions:
            doc = " ".join(text for text in (docs.get(action.name.text, ""), action.doc) if text)
            card_prose = StatementText(self._words, self._words.name_card(decl))
            entry = self.describe_action(replace(action, doc=doc), card_prose)
            position = 1 + bool(doc)
            entry[position:position] = self._describe_offering_phases(action.name.text) if is_alone else []
            lines += entry
        return lines + self._describe_card_rules(decl.rules)

    def _describe_offering_phases(self, action: str) -> list[str]:
        """Return a line with the phases in which an action of cards can be used, or [] without phases."""
        phases = find_offering_phases(self._ruleset).get(action, ())
        titles = list(dict.fromkeys(map(self._get_phase_title, phases)))
        noun = "phase" if len(titles) == 1 else "phases"
        return [f"{INDENT}In the {noun} {join_items(f'“{title}”' for title in titles)}."] if titles else []

    def _describe_meanings(self, decl: model.CardDecl) -> list[str]:
        """Return lines that explain the words of a card that its own text doesn't explain."""
        own_names = {word.text for word, _ in (*decl.keywords, *decl.queries, *decl.effects)}
        own_names |= {action.name.text for action in decl.actions}
        own_names |= {word.text for word, value in decl.fields if not _is_mentioned(value)}
        meanings = _find_word_meanings(self._ruleset, decl)
        other_meanings = [meaning for name, meaning in meanings.items() if name not in own_names]
        lines = [f"{INDENT}{make_title(word)}: {meaning}" for word, meaning in other_meanings]
        return ["What its words mean:", *lines] if lines else []

    def _describe_legend(self, decl: model.CardDecl, card_text: str) -> list[str]:
        """Return lines that explain the words of a printed card, and what the abilities of its kind have in common.

        The lines explain the words in ``card_text`` for which the rules have a text or a doc. An explanation that this
        text contains is not repeated. One with a value gets the value that the card gives it, if it gives one. Queries
        without a phrase are not meant for players. Return [] if there is nothing to explain.
        """
        kinds = [kind for kind in self._ruleset.components if kind.name.text == decl.kind.text]
        names = {word.text for word, _ in (*decl.queries, *decl.effects)} | {item.name.text for item in decl.actions}
        members = (member for kind in kinds for member in kind.members if member.name.text in names)
        members = (member for member in members if not isinstance(member, model.MemberQueryDecl) or member.phrase)
        common = [_flatten_doc(member.doc) for member in members if member.doc.strip()]
        values = (value for enum in self._ruleset.enums for value in enum.values)
        pairs = ((value.name.text, " ".join(line.text for line in value.text) or value.doc) for value in values)
        texts = {name: text for name, text in pairs if text}
        words = {name: (name, _flatten_doc(texts[name])) for name in _iterate_names(decl) if name in texts}
        words |= _find_word_meanings(self._ruleset, decl)
        for word, value in decl.keywords:
            keyword = self._find_keyword(decl, word)
            wording = self.describe_data(value) if isinstance(value, model.Value) else ""
            if keyword is not None and keyword.reminder is not None:
                reminder = self._fill_keyword_text(keyword.reminder, word.text, wording)
                words[word.text] = (word.text, reminder)
                if reminder in card_text:
                    del words[word.text]
        silent = names | {word.text for word, value in decl.fields if not _is_mentioned(value)}
        explanations = {}
        for name in sorted(words.keys() - silent):
            title = humanise(name.removeprefix("base_"))
            entry, meaning = words[name]
            stem, endings = (title[:-1], "y|ies") if title.endswith("y") else (title, "|s|es")
            match = re.search(rf"\b{re.escape(stem)}(?:{endings})\b", card_text, re.IGNORECASE)
            if match and meaning.lower() not in card_text.lower():
                explanations[title] = (match.start(), f"{make_title(entry.removeprefix('base_'))}: {meaning}")
        lines = [*common, *(line for _, line in sorted(explanations.values()))]
        return [f"{INDENT}What its words mean:", *(f"{INDENT * 2}{line}" for line in lines)] if lines else []

    def _describe_answer(self, text: EmbeddedText) -> str:
        """Describe the answer that a card gives to a query of its kind."""
        wording = self.say_value(text)
        return {"true": "yes", "false": "no"}.get(wording, wording.replace("whether ", "if ", 1))

    def _describe_card_rules(self, rules: Iterable[model.CardRuleDecl]) -> list[str]:
        """Describe the rules of a card or a keyword."""
        lines: list[str] = []
        for rule in rules:
            lines += [] if rule.active is None else [self._format_while(rule.active)]
            lines += self._describe_rule(rule.rule)
        return lines

    def describe_keyword(self, decl: model.KeywordDecl) -> list[str]:
        """Return a keyword as lines: a title, then its parts, indented by two blanks.

        They are the doc, reminder text (its own brackets stay), conditions, cost, announcement and rules, if present.
        Example of a title for the kind ``Unit``: ``Armour N: Unit cards can have it.``. It begins with the label, in
        which the value is filled in, or without a label with the name as a title (``First strike``) and the value. The
        value is ``N`` for a number that the card gives, ``…`` for any other type, and nothing for a keyword without a
        value. If each card gives its own statements, the title ends with ``cards that have it say what they do.``. If
        the keyword gives something to other cards, it ends with ``cards say what it gives to RECIPIENT.``. With
        ``_is_at_table``, a keyword with a doc or reminder text has only these two, under the title ``Armour N:``.
        """
        value = "" if decl.type is None else "N" if decl.type.text == "Int" else "…"
        reminder = [] if decl.reminder is None else [self._fill_keyword_text(decl.reminder, decl.name.text, value)]
        if self._is_at_table and (decl.doc.strip() or reminder):
            return self._make_entry(f"{self._format_keyword(decl, value)}:", decl.doc, filter(None, reminder))
        description = "cards can have it" if decl.member is None else "cards that have it say what they do"
        if decl.to is not None:
            recipient = self._translate(parse_recipient, decl.to, self._prose.describe_recipient)
            description = f"cards say what it gives to {recipient}"
        title = f"{self._format_keyword(decl, value)}: {decl.kind.text} {description}."
        common = self._describe_common(decl.member) if isinstance(decl.member, model.MemberActionDecl) else []
        return self._make_entry(title, decl.doc, [*reminder, *common, *self._describe_card_rules(decl.rules)])

    def _format_keyword(self, decl: model.KeywordDecl, value: str) -> str:
        """Return a keyword as cards print it."""
        if decl.label is not None:
            return self._fill_keyword_text(decl.label, decl.name.text, value)
        return f"{make_title(decl.name.text)} {value}".strip()

    def _find_keyword(self, card: model.CardDecl, word: model.Word) -> model.KeywordDecl | None:
        kind = card.kind.text
        keywords = (decl for decl in self._ruleset.keywords if decl.name.text == word.text and decl.kind.text == kind)
        return next(keywords, None)

    def _add_reminder(self, card: model.CardDecl, line: str) -> str:
        """Return a printed line, with the reminder of the keyword that it begins with in brackets at its end."""
        for word, value in card.keywords:
            decl = self._find_keyword(card, word)
            wording = self.describe_data(value) if isinstance(value, model.Value) else ""
            if decl is not None and decl.reminder is not None:
                name = self._format_keyword(decl, wording)
                if re.match(rf"{re.escape(name)}(?:[.:,;]|$)", line):
                    return f"{line} ({self._fill_keyword_text(decl.reminder, word.text, wording)})"
        return line

    def _describe_printed_keyword(
        self, card: model.CardDecl, word: model.Word, value: model.Value | EmbeddedText | model.ActionDecl | None
    ) -> list[str]:
        """Return a keyword of a card as lines.

        The first has its label with the value and its reminder text in brackets. The statements of an effect or action
        follow below the title, or bonuses for other cards on the same line. A keyword that the ruleset doesn't declare
        has its name as the label.
        """
        wording = self.describe_data(value) if isinstance(value, model.Value) else ""
        decl = self._find_keyword(card, word)
        self._begin_entry(getattr(decl.member, "params", ()) if decl is not None else ())
        name = self._format_keyword(decl, wording) if decl is not None else f"{make_title(word.text)} {wording}".strip()
        reminder = decl.reminder if decl is not None else None
        title = name if reminder is None else f"{name} ({self._fill_keyword_text(reminder, word.text, wording)})"
        match value:
            case EmbeddedText() if decl is not None and decl.to is not None:
                bonuses = self._translate(parse_gains, value, self._prose.describe_gains)
                return [f"{name}: {bonuses}." if reminder is None else f"{name}: {bonuses}. {title[len(name) + 1 :]}"]
            case EmbeddedText():
                return self._make_entry(f"{title}:", "", self.describe_block(value))
            case model.ActionDecl():
                return self._make_entry(f"{title}:", value.doc, self._describe_action_body(value))
        return [f"{name}." if reminder is None else title]

    def _fill_keyword_text(self, text: EmbeddedText, keyword: str, value: str) -> str:
        """Return a label or reminder text with the value of the keyword inserted."""

        def fill_template(template: ast.TextLit) -> str:
            parts = (value if isinstance(part, ast.Name) and part.name == keyword else part for part in template.parts)
            return self._prose.format_text(replace(template, parts=tuple(parts)))

        return self._translate(parse_template, text, fill_template)


def _is_mentioned(value: model.Value) -> bool:
    """Return whether a field is worth mentioning.

    It isn't if it is empty, 0, no, ``none`` or a mere code such as ``C026``.
    """
    data = value.data
    return bool(data) and data != "none" and not (isinstance(data, str) and CODE.fullmatch(data))


MOST_DRAWN = 64
"""Larger boards have no diagram: the names of their spaces would fill a page."""
_SHAPES = {"grid": "squares", "hex": "hexagons", "ring": "spaces in a ring", "track": "spaces in a row"}


@lru_cache(maxsize=4)
def get_boards(ruleset: model.Ruleset) -> dict[str, Board]:
    """Return name -> board for the valid boards of a ruleset.

    Cached for four rulesets, because it needs all declarations.
    """
    return dict(declare_names(ruleset, Diagnostics()).texts.names.boards) if ruleset.boards else {}


def iterate_diagram_lines(decl: model.BoardDecl, board: Board | None) -> Iterator[str]:
    """Yield the labels of a board's spaces as ``name: label``, then the rows of a diagram with the names of all spaces.

    The labels are those that ``decl.labels`` declares, in its order, and the rows those of :func:`draw_board`, from top
    to bottom. A board of more than ``MOST_DRAWN`` (64) spaces has a line with the first and the last of ``board.names``
    instead of a diagram: ``From a1 to m13.`` If ``board`` is None, as with errors in ``decl``, nothing is yielded.
    """
    if board is None:
        return
    yield from (f"{word.text}: {label}" for word, label in decl.labels)
    if board.size > MOST_DRAWN:
        yield f"From {board.names[0]} to {board.names[-1]}."
    else:
        yield from draw_board(board, lambda space: board.names[space])


def describe_board_shape(decl: model.BoardDecl, board: Board | None) -> str:
    """Return the size and shape of a board: ``8 x 8 squares``, ``19 hexagons``, ``12 spaces in a ring``, or for a track
    ``12 spaces in a row``.

    A written size such as ``8 x 8`` comes first. Without one, or if it is a mere number, the number of spaces of
    ``board`` does, or no number if ``board`` is None. A board of links or lines, or of an unknown shape, gives ``9
    spaces``.
    """
    word = decl.shapes[0].text if decl.shapes else ""
    size = decl.size.text if decl.size is not None and decl.size.text.strip().isdecimal() is False else None
    number = size or (str(board.size) if board is not None else "")
    return f"{number} {_SHAPES.get(word, 'spaces')}".strip()
