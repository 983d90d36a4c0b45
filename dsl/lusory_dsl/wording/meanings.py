"""The meanings of the words on a card: what the rules say of its keywords and of the names that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..ruleset import model
from ..text.source import Embedded

_NO_NAMES = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*|\boption\s+\w+')
"""What is quoted, remarks, and what options are called."""
_CLAUSES = re.compile(r" \((?:[A-Z]{1,5}-?\d+[a-z]?(?:, | to )?)+\)")
_NAME = re.compile(r"[A-Za-z_]\w*")


def meanings(ruleset: model.Ruleset, card: model.CardDecl) -> dict[str, tuple[str, str]]:
    """Returns the words on a card that the rules explain, in alphabetical order of their names.

    Each name leads to the word, with a letter for the value of a keyword, and to its meaning."""
    names = set(_names_on(card))
    explained = {**_declared(ruleset), **_of_kind(ruleset, card.kind.text)}
    docs = [entry for kind in ruleset.components if kind.name.text == card.kind.text for entry in kind.docs]
    printed = {name.text for name, _ in card.fields}
    fields = {name.text: (name.text, _plain(doc)) for name, doc in docs if name.text in printed}
    return dict(sorted({**{name: explained[name] for name in names & explained.keys()}, **fields}.items()))


# ---------------------------------------------------------------- what is said of words


def _declared(ruleset: model.Ruleset) -> dict[str, tuple[str, str]]:
    """What the docs of queries, effects and places say, each with its name."""
    r = ruleset
    sections = (r.queries, r.effects, r.windows, r.tables, r.variables, r.zones, r.durations)
    return {d.name.text: (d.name.text, _plain(d.doc)) for section in sections for d in section if d.doc.strip()}


def _plain(doc: str) -> str:
    """What is said, in one line, without the numbers of clauses."""
    return _CLAUSES.sub("", " ".join(doc.split()))


def _of_kind(ruleset: model.Ruleset, kind: str) -> dict[str, tuple[str, str]]:
    """What the docs of the members of a kind of cards say, and the reminders of its keywords."""
    members = [member for d in ruleset.components if d.name.text == kind for member in d.members]
    explained = {m.name.text: (m.name.text, _plain(m.doc)) for m in members if m.doc.strip()}
    for keyword in ruleset.keywords:
        if keyword.kind.text == kind and keyword.reminder is not None:
            explained[keyword.name.text] = _keyword(keyword, keyword.reminder)
    return explained


def _keyword(d: model.KeywordDecl, reminder: Embedded) -> tuple[str, str]:
    """A keyword with a letter for its value, and what it reminds of."""
    name = d.name.text
    if d.type is None:
        return name, " ".join(reminder.text.split())
    letter = "n" if d.type.text == "Int" else "x"
    return f"{name} {letter}", " ".join(re.sub(rf"\{{\s*{name}\s*\}}", letter, reminder.text).split())


# ---------------------------------------------------------------- what cards use


def _names_on(card: model.CardDecl) -> Iterator[str]:
    """The names that stand on a card, but for those in what is quoted and of options."""
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
    """The words in plain data: `citizen`, in `class: [citizen]` and `versus: {citizen: 2}`."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, model.Word):
        yield data.text
    elif isinstance(data, model.Value):
        yield from _words_in(data.data)
    elif isinstance(data, tuple):
        for item in data:
            yield from _words_in(item)


def _texts(card: model.CardDecl) -> Iterable[Embedded]:
    yield from (text for _, text in (*card.queries, *card.all_effects))
    yield from (text for rule in card.rules for text in (rule.rule, rule.active) if text is not None)
    for action in card.all_actions:
        yield from (text for text in (action.choose, *action.conditions, action.cost, action.do) if text is not None)
