"""The words on the cards of a file, each with what it means: the comment below ``# lusory: legend``.

Whoever reads nothing but the cards finds there what keywords remind of and what the rules say of the names that cards
use. The formatter writes it, the pipeline says where it is not true any more.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath

from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.source import Embedded, Source, Span
from . import model

MARK = "# lusory: legend"
"""The line above a legend, behind which a further comment may stand."""

WIDTH = 120
"""Characters of a line of a legend, at most."""

_LEGEND = re.compile(
    rf"^(?P<mark>{MARK}[ \t]*(?:[ \t]#[^\n]*)?(?:\n|\Z))(?P<lines>(?:#(?![ \t]*lusory:).*\n?)*)", re.MULTILINE
)
_NO_NAMES = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*|\boption\s+\w+')
"""What is quoted, remarks, and what options are called."""
_CLAUSES = re.compile(r" \((?:[A-Z]{1,5}-?\d+[a-z]?(?:, | to )?)+\)")
_NAME = re.compile(r"[A-Za-z_]\w*")


def report_old_legends(ruleset: model.Ruleset, finished: Collection[Source], diagnostics: Diagnostics) -> None:
    """Warns of each legend in ``finished`` that does not say what the rules say now."""
    for source in finished:
        for match in _LEGEND.finditer(source.text):
            if match["lines"].strip() != legend_of(ruleset, source.name).strip():
                span = Span(source, match.start(), match.start() + len(MARK))
                hint = "`lusory fmt` writes it anew"
                diagnostics.add(codes.OLD_LEGEND, "this legend is not what the rules say of these words", span, hint)


def with_legend(text: str, legend: str) -> str:
    """The text of a file with its legend, where it has one, made anew."""
    return _LEGEND.sub(lambda found: found["mark"].rstrip("\n") + "\n" + legend, text)


def has_legend(text: str) -> bool:
    return _LEGEND.search(text) is not None


def begins_at(text: str, start: int) -> bool:
    """Whether a legend begins at a place of a text: on a line of its own, which is not indented."""
    return _LEGEND.match(text, start) is not None


def legend_of(ruleset: model.Ruleset, file: str) -> str:
    """A line of comment for each word that the cards of a file use and that the rules say something of, in the order of
    the alphabet. The cards of a sheet of the same name, ``citizens.csv`` beside ``citizens.yaml``, are of the file."""
    home = PurePath(file).with_suffix("")
    cards = [card for card in ruleset.cards if PurePath(card.id.span.source.name).with_suffix("") == home]
    lines = [line for word, meaning in meanings(ruleset, cards).values() for line in _lines(word, meaning)]
    return "".join(f"# {line}\n" for line in lines)


def meanings(ruleset: model.Ruleset, cards: Collection[model.CardDecl]) -> dict[str, tuple[str, str]]:
    """What the rules say of the words that stand on cards, by name in the order of the alphabet: the word, of a keyword
    with a letter for its value, and its meaning."""
    used = {name for card in cards for name in _names_on(card)}
    kinds = {card.kind.text for card in cards}
    said = {**_declared(ruleset), **_of_kinds(ruleset, kinds)}
    docs = [entry for kind in ruleset.components if kind.name.text in kinds for entry in kind.docs]
    printed = {name.text for card in cards for name, _ in card.fields}
    fields = {name.text: (name.text, _plain(doc)) for name, doc in docs if name.text in printed}
    return dict(sorted({**{name: said[name] for name in used & said.keys()}, **fields}.items()))


def _lines(word: str, meaning: str) -> Iterator[str]:
    meaning = meaning.replace("lusory:", "lusory")  # no other remark
    yield from textwrap.wrap(f"  {word}: {meaning}", WIDTH - 2, subsequent_indent="      ", break_on_hyphens=False)


# ---------------------------------------------------------------- what is said of words


def _declared(ruleset: model.Ruleset) -> dict[str, tuple[str, str]]:
    """What the docs of queries, effects and places say, each with its name."""
    r = ruleset
    sections = (r.queries, r.effects, r.windows, r.tables, r.variables, r.zones, r.durations)
    return {d.name.text: (d.name.text, _plain(d.doc)) for section in sections for d in section if d.doc.strip()}


def _plain(doc: str) -> str:
    """What is said, in one line, without the numbers of clauses."""
    return _CLAUSES.sub("", " ".join(doc.split()))


def _of_kinds(ruleset: model.Ruleset, kinds: Collection[str]) -> dict[str, tuple[str, str]]:
    """What is said of the members of kinds of cards, and of their keywords."""
    members = [m for kind in ruleset.components if kind.name.text in kinds for m in kind.members]
    said = {m.name.text: (m.name.text, _plain(m.doc)) for m in members if m.doc.strip()}
    for keyword in ruleset.keywords:
        if keyword.kind.text in kinds and keyword.reminder is not None:
            said[keyword.name.text] = _keyword(keyword, keyword.reminder)
    return said


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
