"""Describe component kinds, keywords and cards in English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import groupby

from ..ruleset import model
from ..source.lazy_dataclass import replace
from ..source.source import EmbeddedText, humanise
from ..syntax import ast
from ..syntax.parser import parse_choice_vars, parse_gains, parse_recipient, parse_template
from . import statements
from .statements import INDENT, Prose, Said, kind_of
from .triggers_and_offers import phases_that_offer
from .vocabulary import listed, sentence, spaced

_NO_NAMES = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*|\boption\s+\w+')
"""Matches text in quotes, comments, and names of options."""
_CLAUSES = re.compile(r" \((?:[A-Z]{1,5}-?\d+[a-z]?(?:, | to )?)+\)")
_NAME = re.compile(r"[A-Za-z_]\w*")


def meanings(ruleset: model.Ruleset, card: model.CardDecl) -> dict[str, tuple[str, str]]:
    """Return the words on a card that the rules explain, sorted by name.

    The result maps each name to a pair: the word, with a letter for the value of a keyword, and its meaning.
    """
    names = set(_names_on(card))
    explained = {**_declared(ruleset), **_of_kind(ruleset, card.kind.text)}
    docs = [entry for kind in ruleset.components if kind.name.text == card.kind.text for entry in kind.docs]
    printed = {name.text for name, _ in card.fields}
    fields = {name.text: (name.text, _plain(doc)) for name, doc in docs if name.text in printed}
    return dict(sorted({**{name: explained[name] for name in names & explained.keys()}, **fields}.items()))


# ---------------------------------------------------------------- meanings of words


def _declared(ruleset: model.Ruleset) -> dict[str, tuple[str, str]]:
    """Return the docs of queries, effects and places: name -> the name and its doc."""
    r = ruleset
    sections = (r.queries, r.effects, r.windows, r.tables, r.variables, r.zones, r.durations)
    return {d.name.text: (d.name.text, _plain(d.doc)) for section in sections for d in section if d.doc.strip()}


def _plain(doc: str) -> str:
    """Return a doc as one line, without clause numbers."""
    return _CLAUSES.sub("", " ".join(doc.split()))


def _of_kind(ruleset: model.Ruleset, kind: str) -> dict[str, tuple[str, str]]:
    """Return the docs of the members of a component kind, and the reminders of its keywords."""
    members = [member for d in ruleset.components if d.name.text == kind for member in d.members]
    explained = {m.name.text: (m.name.text, _plain(m.doc)) for m in members if m.doc.strip()}
    for keyword in ruleset.keywords:
        if keyword.kind.text == kind and keyword.reminder is not None:
            explained[keyword.name.text] = _keyword(keyword, keyword.reminder)
    return explained


def _keyword(d: model.KeywordDecl, reminder: EmbeddedText) -> tuple[str, str]:
    """Return a keyword, with a letter for its value, and its reminder text."""
    name = d.name.text
    if d.type is None:
        return name, " ".join(reminder.text.split())
    letter = "n" if d.type.text == "Int" else "x"
    return f"{name} {letter}", " ".join(re.sub(rf"\{{\s*{name}\s*\}}", letter, reminder.text).split())


# ---------------------------------------------------------------- names on cards


def _names_on(card: model.CardDecl) -> Iterator[str]:
    """Yield the names on a card, except names in quotes and names of options."""
    for word, _ in (*card.keywords, *card.queries, *card.effects):
        yield word.text
    for action in card.actions:
        yield action.name.text
    for _, value in (*card.fields, *card.keywords):
        if isinstance(value, model.Value):
            yield from _words_in(value.data)
    for text in _texts(card):
        yield from _NAME.findall(_NO_NAMES.sub("", text.text))


def _words_in(data: object) -> Iterator[str]:
    """Yield the words in plain data: `citizen`, in `class: [citizen]` and `versus: {citizen: 2}`."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, model.Word):
        yield data.text
    elif isinstance(data, model.Value):
        yield from _words_in(data.data)
    elif isinstance(data, tuple):
        for item in data:
            yield from _words_in(item)


def _texts(card: model.CardDecl) -> Iterable[EmbeddedText]:
    yield from (text for _, text in (*card.queries, *card.all_effects))
    yield from (text for rule in card.rules for text in (rule.rule, rule.active) if text is not None)
    for action in card.all_actions:
        yield from (text for text in (action.choose, *action.conditions, action.cost, action.do) if text is not None)


CODE = re.compile(r"[A-Z][A-Za-z]{0,3}-?\d+|\W+")
"""Matches a text that only identifies a card, such as “C026” or “Fi1”, and “-” for a card without such a code."""


class CardsText(Said):
    """Describe component kinds, keywords and cards."""

    def component(self, d: model.ComponentDecl) -> list[str]:
        if self._at_table:
            told = [*((name, doc) for name, doc in d.docs), *((m.name, m.doc) for m in d.members)]
            lines = [f"{sentence(humanise(name.text))}: {doc}" for name, doc in told if doc.strip()]
            return self._entry(f"{spaced(d.name.text)}:", d.doc, lines)
        fields = listed(f"{humanise(name.text)} ({kind_of(type.text)})" for name, type in d.fields)
        lines = [f"{sentence(humanise(name.text))}: {doc}" for name, doc in d.docs]
        lines += [] if d.active is None else [f"Its rules hold while {self._condition(d.active)}."]
        if d.blank:
            blank = f"While {self._condition(d.queries[0].value)}, unless a card says otherwise."
            lines += self._entry("Blank, without keywords and rules of its own:", "", [blank])
        for query in d.queries[d.blank :]:
            self._begin(query.params)
            each = (
                "each card says"
                if query.value is None
                else f"{self._answer(query.value)}, unless a card says otherwise"
            )
            lines += self._entry(f"{sentence(humanise(query.name.text))}: {each}.", query.doc)
        for effect in d.effects:
            self._begin(effect.params)
            does = [*(["Nothing."] if effect.do is None else self.block(effect.do)), *self._says(effect.says)]
            lines += self._entry(
                f"{sentence(humanise(effect.name.text))}, unless a card says otherwise:",
                effect.doc,
                does,
            )
        for action in d.actions:
            title = f"{sentence(humanise(action.name.text))}, where a card has it:"
            lines += self._entry(title, action.doc, self._common(action))
        lines += self._card_rules(d.rules)
        return self._entry(f"{d.name.text}{f': each has {fields}' if d.fields else ''}.", d.doc, lines)

    def _common(self, action: model.MemberActionDecl) -> list[str]:
        """Describe the conditions, the cost and the announcement that an action has on every card."""
        paid = [] if action.cost is None else [f"{INDENT}{line}" for line in self.block(action.cost)]
        cost = ["This is the cost:", *paid] if paid else []
        allowed = (f"Allowed only if {self._condition(c)}." for c in action.conditions)
        return [*allowed, *cost, *self._says(action.says)]

    def _cards(self) -> Iterator[list[str]]:
        """Yield the entries of all cards. The cards of a family share one entry."""
        for family, group in groupby(self._ruleset.cards, lambda card: card.family):
            cards = tuple(group)
            yield from map(self.card, cards) if family is None else [self.family(family, cards)]

    def family(self, d: model.FamilyDecl, cards: Sequence[model.CardDecl]) -> list[str]:
        """Describe a family of cards: the first and the last card, their differences, and the common text."""
        title = f"{self._words.card(cards[0])} to {self._words.card(cards[-1])} ({sum(c.copies for c in cards)} in all)"
        each = f"One for each {self._read(parse_choice_vars, d.each, self._prose.vars)}."
        return self._entry(f"{title}: {cards[0].kind.text}.", "", [each, *self.card_text(cards[0])])

    def card(self, d: model.CardDecl, alone: bool = False) -> list[str]:
        """Describe a card. With ``alone``, also explain the words on it, for a reader who sees no other entry."""
        if self._is_printed(d) or self._is_plain(d):
            return [self._type_line(d), *(f"{INDENT}{line}" for line in self.card_text(d))]
        printed = ((humanise(word.text), value) for word, value in d.fields if is_said(value))
        fields = ", ".join(name if value.data is True else f"{name} {self.data(value)}" for name, value in printed)
        copies = f" (×{d.copies})" if d.copies != 1 else ""
        title = f"{self._words.card(d)}{copies}: {d.kind.text}{f', {fields}' if fields else ''}."
        return self._entry(title, self._about(d), self.card_text(d, alone) + (self._meanings(d) if alone else []))

    def _is_plain(self, d: model.CardDecl) -> bool:
        """Return whether a card has no ability, in a game whose other cards have printed texts."""
        abilities = (d.keywords, d.queries, d.effects, d.actions, d.rules)
        return not any(abilities) and not self._with_rules and any(card.text for card in self._ruleset.cards)

    def _type_line(self, d: model.CardDecl) -> str:
        """Return the name of a card and the fields of its frame."""
        kind = next((kind for kind in self._ruleset.components if kind.name.text == d.kind.text), None)
        values = {word.text: value for word, value in d.fields if is_said(value)}
        parts = []
        for name in () if kind is None else kind.frame:
            if (value := values.get(name)) is not None:
                said = self.data(value)
                is_number = isinstance(value.data, int)
                parts.append(f"{humanise(name.removeprefix('base_'))} {said}" if is_number else sentence(said))
        copies = f" (×{d.copies})" if d.copies != 1 else ""
        return f"{self._words.card(d)}{copies}: {', '.join(parts or [spaced(d.kind.text)])}."

    def card_alone(self, d: model.CardDecl) -> list[str]:
        return self.card(d, alone=True)

    def card_name(self, d: model.CardDecl) -> str:
        return self._words.card(d)

    def card_text(self, d: model.CardDecl, alone: bool = False) -> list[str]:
        """Return the printed text of a card with the reminders of its keywords, or else its keywords and abilities.

        With ``alone``, also include the docs of its members.
        """
        if self._is_printed(d):
            return [self._with_reminder(d, " ".join(line.text.split())) for line in d.text]
        kinds = [kind for kind in self._ruleset.components if kind.name.text == d.kind.text]
        docs = {member.name.text: member.doc for kind in kinds for member in kind.members if alone}
        lines = []
        for word, value in d.keywords:
            entry = self.printed(d, word, value)
            if alone and isinstance(value, model.ActionDecl):
                at = 1 + bool(value.doc)
                entry[at:at] = self._offered(word.text)
            lines += entry
        params = {member.name.text: getattr(member, "params", ()) for kind in kinds for member in kind.members}
        for name, value in d.queries:
            self._begin(params.get(name.text, ()))
            said = f"{sentence(humanise(name.text))}: {self._answer(value)}."
            lines += self._entry(said, docs.get(name.text, ""))
        for name, do in d.effects:
            self._begin(params.get(name.text, ()))
            lines += self._entry(f"{sentence(humanise(name.text))}:", docs.get(name.text, ""), self.block(do))
        for action in d.actions:
            doc = " ".join(text for text in (docs.get(action.name.text, ""), action.doc) if text)
            entry = self.action(replace(action, doc=doc), Prose(self._words, self._words.card(d)))
            at = 1 + bool(doc)
            entry[at:at] = self._offered(action.name.text) if alone else []
            lines += entry
        return lines + self._card_rules(d.rules)

    def _offered(self, action: str) -> list[str]:
        """Return a line with the phases in which an action of cards can be used. Empty if there are none."""
        titles = list(dict.fromkeys(map(self._phase_title, self._phases.get(action, ()))))
        which = "phase" if len(titles) == 1 else "phases"
        return [f"{INDENT}In the {which} {listed(f'“{title}”' for title in titles)}."] if titles else []

    @cached_property
    def _phases(self) -> dict[str, tuple[model.PhaseDecl, ...]]:
        return phases_that_offer(self._ruleset)

    def _meanings(self, d: model.CardDecl) -> list[str]:
        """Return lines that explain the words of a card that its own text doesn't explain."""
        told = {word.text for word, _ in (*d.keywords, *d.queries, *d.effects)} | {
            action.name.text for action in d.actions
        }
        told |= {word.text for word, value in d.fields if not is_said(value)}
        found = [(word, meaning) for name, (word, meaning) in meanings(self._ruleset, d).items() if name not in told]
        lines = [f"{INDENT}{sentence(humanise(word))}: {meaning}" for word, meaning in found]
        return ["What its words mean:", *lines] if lines else []

    def _answer(self, text: EmbeddedText) -> str:
        """Describe the answer that a card gives to a query of its kind."""
        said = self.value(text)
        return {"true": "yes", "false": "no"}.get(said, said.replace("whether ", "if ", 1))

    def _card_rules(self, rules: Iterable[model.CardRuleDecl]) -> list[str]:
        """Describe the rules of a card or a keyword."""
        lines: list[str] = []
        for rule in rules:
            lines += [] if rule.active is None else [self._while(rule.active)]
            lines += self._rule_lines(rule.rule)
        return lines

    def keyword(self, d: model.KeywordDecl) -> list[str]:
        if self._at_table and (d.doc.strip() or d.reminder is not None):
            value = "" if d.type is None else "N" if d.type.text == "Int" else "…"
            meant = "" if d.reminder is None else self._filled(d.reminder, d.name.text, value)
            return self._entry(f"{self._labelled(d, value)}:", d.doc, [meant] if meant else [])
        value = "" if d.type is None else "N" if d.type.text == "Int" else "…"
        says = "cards can have it" if d.member is None else "cards that have it say what they do"
        if d.to is not None:
            to = self._read(parse_recipient, d.to, partial(statements.recipient, self._prose))
            says = f"cards say what it gives to {to}"
        title = f"{self._labelled(d, value)}: {d.kind.text} {says}."
        reminder = [] if d.reminder is None else [self._filled(d.reminder, d.name.text, value)]
        common = self._common(d.member) if isinstance(d.member, model.MemberActionDecl) else []
        return self._entry(title, d.doc, [*reminder, *common, *self._card_rules(d.rules)])

    def _labelled(self, d: model.KeywordDecl, value: str) -> str:
        """Return a keyword as cards print it."""
        if d.label is not None:
            return self._filled(d.label, d.name.text, value)
        return f"{sentence(humanise(d.name.text))} {value}".strip()

    def _keyword_decl(self, card: model.CardDecl, word: model.Word) -> model.KeywordDecl | None:
        keywords = (k for k in self._ruleset.keywords if k.name.text == word.text and k.kind.text == card.kind.text)
        return next(keywords, None)

    def _with_reminder(self, card: model.CardDecl, line: str) -> str:
        """Add the reminder text of a keyword to the printed line that names it, in brackets."""
        for word, value in card.keywords:
            decl = self._keyword_decl(card, word)
            said = self.data(value) if isinstance(value, model.Value) else ""
            if decl is not None and decl.reminder is not None:
                name = self._labelled(decl, said)
                if re.match(rf"{re.escape(name)}(?:[.:,;]|$)", line):
                    return f"{line} ({self._filled(decl.reminder, word.text, said)})"
        return line

    def printed(
        self, card: model.CardDecl, word: model.Word, value: model.Value | EmbeddedText | model.ActionDecl | None
    ) -> list[str]:
        """Describe a keyword of a card, with its reminder text and the effect that the card gives it."""
        said = self.data(value) if isinstance(value, model.Value) else ""
        decl = self._keyword_decl(card, word)
        self._begin(getattr(decl.member, "params", ()) if decl is not None else ())
        name = self._labelled(decl, said) if decl is not None else f"{sentence(humanise(word.text))} {said}".strip()
        reminder = decl.reminder if decl is not None else None
        title = name if reminder is None else f"{name} ({self._filled(reminder, word.text, said)})"
        match value:
            case EmbeddedText() if decl is not None and decl.to is not None:
                given = self._read(parse_gains, value, partial(statements.gains, self._prose))
                return [f"{name}: {given}." if reminder is None else f"{name}: {given}. {title[len(name) + 1 :]}"]
            case EmbeddedText():
                return self._entry(f"{title}:", "", self.block(value))
            case model.ActionDecl():
                return self._entry(f"{title}:", value.doc, self._deed(value))
        return [f"{name}." if reminder is None else title]

    def _filled(self, text: EmbeddedText, keyword: str, value: str) -> str:
        """Return a label or reminder text with the value of the keyword inserted."""

        def filled(template: ast.TextLit) -> str:
            parts = (value if isinstance(p, ast.Name) and p.name == keyword else p for p in template.parts)
            return self._prose.text(replace(template, parts=tuple(parts)))

        return self._read(parse_template, text, filled)


def is_said(value: model.Value) -> bool:
    """Return whether a field is worth mentioning. Empty values, 0, no and codes are not."""
    data = value.data
    return bool(data) and data != "none" and not (isinstance(data, str) and CODE.fullmatch(data))
