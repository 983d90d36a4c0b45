"""Build the glossary: terms of a ruleset that a text uses, each with its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..ruleset import model
from ..source.source import EmbeddedText
from .vocabulary import LEADING_ON, folded

GLOSSARY = "glossary"
"""The name with which users ask for the glossary, unless an author uses it."""


_HEAD = re.compile(r"[:(;]")


_CLAUSES = re.compile(r"\s*\((?:[A-Z]{1,5}-?\d+[a-z]?(?:,\s+|\s+to\s+)?)+\)")


_NAME = re.compile(r"\w+")


MOST_TOLD = 2
"""The largest number of meanings that the glossary gives for a term."""


Term = tuple[str, str]
"""A word that players read, and its meaning. The meaning is empty if nobody explains it."""


Shown = tuple[str, tuple[EmbeddedText, ...]]
"""A title on the table, and the texts that produce the content below it."""


def titles(ruleset: model.Ruleset) -> Iterator[Shown]:
    """Yield all titles on the table and in the final scores."""
    if (view := ruleset.view) is not None:
        for item in (*view.status, *view.players, *view.shared, *view.own):
            yield item.title, _given(item.text, item.pool)
        for panel in (*view.boards, *view.panels):
            match panel:
                case model.BoardViewDecl():
                    yield panel.title, _given(panel.rows, panel.columns, panel.text, panel.cells)
                case model.PanelDecl():
                    yield panel.title, _given(panel.of, panel.text, panel.faces, panel.at)
                case model.PilesDecl():
                    yield panel.title, tuple(cards for _, cards, _ in panel.piles)
                    yield from ((title, (cards,)) for title, cards, _ in panel.piles)
    if ruleset.scoring is not None:
        yield from ((title, (value,)) for title, value in ruleset.scoring.show)


def titled(ruleset: model.Ruleset, name: str) -> list[Shown]:
    """Return the titles that match a name: the whole title, or the part before a colon or bracket."""
    wanted = folded(name)
    return [
        (title, texts) for title, texts in titles(ruleset) if wanted and wanted in (folded(title), folded(head(title)))
    ]


def head(title: str) -> str:
    """Return the part of a title before a colon, semicolon or bracket."""
    return _HEAD.split(title, maxsplit=1)[0].strip()


def beginning(label: str) -> str:
    """Return the whole words at the start of a template: “Hire a worker” for “Hire a worker for {b}”."""
    words = label.partition("{")[0].split()
    while words and words[-1] in LEADING_ON:
        words.pop()
    return " ".join(words)


def named_in(texts: Iterable[EmbeddedText], known: Sequence[str]) -> list[str]:
    """Return the known names that occur in texts, in the order of the texts."""
    words = dict.fromkeys(word for text in texts for word in _NAME.findall(text.text))
    return [word for word in words if word in known]


def merged(terms: Iterable[Term]) -> list[str]:
    """Return one line for each term with its meanings, in alphabetical order.

    A term is left out if nothing explains it, or if the explanation only repeats it.
    """
    called: dict[str, str] = {}
    meanings: dict[str, dict[str, None]] = {}
    for term, meaning in terms:
        key, words = folded(term), " ".join(without_clauses(meaning).split())
        if key and words and folded(words) != key:
            called.setdefault(key, term[:1].upper() + term[1:])
            meanings.setdefault(key, {})[words[:1].upper() + words[1:]] = None
    lines = [f"{called[key]}: {' '.join(list(told)[:MOST_TOLD])}" for key, told in meanings.items()]
    return sorted(lines, key=str.casefold)


def without_clauses(text: str) -> str:
    """Return a text for players, without the clause numbers that authors note in brackets."""
    return _CLAUSES.sub("", text)


def _given(*texts: EmbeddedText | None) -> tuple[EmbeddedText, ...]:
    return tuple(text for text in texts if text is not None)
