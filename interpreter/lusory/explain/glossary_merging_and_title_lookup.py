"""Build the glossary: terms of a ruleset that a text uses, each with its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from lusory_dsl.ruleset import model
from lusory_dsl.source.source import EmbeddedText, capitalize

from .declaration_names_and_lookup import PREPOSITIONS, fold_text

GLOSSARY = "glossary"
"""The name with which users ask for the glossary, unless an author uses it."""


_HEAD = re.compile(r"[:(;]")


_CLAUSES = re.compile(r"\s*\((?:[A-Z]{1,5}-?\d+[a-z]?(?:,\s+|\s+to\s+)?)+\)")


_NAME = re.compile(r"\w+")


MAX_MEANINGS = 2
"""The largest number of meanings that the glossary gives for a term."""


Term = tuple[str, str]
"""A word that players read, and its meaning. The meaning is empty if nobody explains it."""


TitledTexts = tuple[str, tuple[EmbeddedText, ...]]
"""A title on the table, and the texts that produce the content below it."""


def iterate_titles(ruleset: model.Ruleset) -> Iterator[TitledTexts]:
    """Yield all titles on the table and in the final scores, with the effect texts for the content below them.

    The order is that of the screen: status, players, shared, own, boards, panels, then the scores. A title of piles
    comes before the titles of the single piles, and has the texts of all. A title without content has (). Titles can
    occur twice.
    """
    if (view := ruleset.view) is not None:
        for item in (*view.status, *view.players, *view.shared, *view.own):
            code = () if item.text is None else tuple(_iterate_code(item.text))
            yield item.title, (*code, *_drop_missing(item.pool))
        for panel in (*view.boards, *view.panels):
            match panel:
                case model.BoardViewDecl():
                    yield panel.title, _drop_missing(panel.rows, panel.columns, panel.text, panel.cells)
                case model.PanelDecl():
                    yield panel.title, _drop_missing(panel.of, panel.text, panel.faces, panel.at)
                case model.PilesDecl():
                    yield panel.title, tuple(cards for _, cards, _ in panel.piles)
                    yield from ((title, (cards,)) for title, cards, _ in panel.piles)
    if ruleset.scoring is not None:
        yield from ((title, (value,)) for title, value in ruleset.scoring.show)


def find_titles(ruleset: model.Ruleset, name: str) -> list[TitledTexts]:
    """Return the titles that match a name, with their texts, or [] if there are none.

    The whole title matches, or its part before a colon, semicolon or bracket. Case doesn't matter, and
    punctuation counts as blanks: ``draw-pile`` matches “Draw pile”. An empty name matches nothing.
    """
    folded_name = fold_text(name)
    return [
        (title, texts)
        for title, texts in iterate_titles(ruleset)
        if folded_name and folded_name in (fold_text(title), fold_text(get_title_head(title)))
    ]


def get_title_head(title: str) -> str:
    """Return the part of a title before a colon, semicolon or bracket: ``Score: you`` → ``Score``."""
    return _HEAD.split(title, maxsplit=1)[0].strip()


def get_constant_start(label: str) -> str:
    """Return the words at the start of a label that never vary: ``Hire a worker for {b}`` → ``Hire a worker``.

    The part from the first ``{`` is left out, or from an open ``(`` before it. Then lower-case words of
    :data:`PREPOSITIONS` at the end are left out, also in a label without values: ``Look at`` gives ``Look``, but ``Look
    into`` stays.
    """
    head = label.partition("{")[0]
    masked_head, pair_count = head, 1
    while pair_count:
        # Pairs become square brackets, so that the first round bracket is an open one.
        masked_head, pair_count = re.subn(r"\(([^()]*)\)", r"[\1]", masked_head)
    words = head[: len(masked_head.partition("(")[0])].split()
    while words and words[-1] in PREPOSITIONS:
        words.pop()
    return " ".join(words)


def find_used_names(texts: Iterable[EmbeddedText], known_names: Sequence[str]) -> list[str]:
    """Return the known names that occur in texts, in the order of the texts, without duplicates."""
    words = dict.fromkeys(word for text in texts for word in _NAME.findall(text.text))
    return [word for word in words if word in known_names]


def merge_terms(terms: Iterable[Term]) -> list[str]:
    """Return one line ``Term: meanings`` for each term, with its first ``MAX_MEANINGS`` (2) meanings.

    The lines are in alphabetical order of the terms, ``Card`` before ``Card pile``. Terms that differ only in case or
    punctuation (which counts as a blank) are one, with the first spelling that has a meaning. Terms and meanings get a
    capital first letter. Clause numbers such as ``(FN-2, B3)`` are removed from meanings. Then a meaning is dropped if
    it is empty, is its term but for case and punctuation, or is exactly an earlier meaning of this term. A
    term without a meaning, or of punctuation only, has no line. Example: ("imp", "a demon."), ("Imp", "Small."),
    ("imp", "A demon.") and ("x", "") give ``["Imp: A demon. Small."]``.
    """
    term_names: dict[str, str] = {}
    meanings: dict[str, dict[str, None]] = {}
    for term, meaning in terms:
        key, words = fold_text(term), " ".join(remove_clauses(meaning).split())
        if key and words and fold_text(words) != key:
            term_names.setdefault(key, capitalize(term))
            meanings.setdefault(key, {})[capitalize(words)] = None
    return [f"{term_names[key]}: {' '.join(list(meanings[key])[:MAX_MEANINGS])}" for key in sorted(meanings)]


def iterate_constant_titles(ruleset: model.Ruleset) -> Iterator[Term]:
    """Yield the head of the title, and the text, of each item on the table whose text never varies.

    These are the items of ``status``, ``players``, ``shared`` and ``own`` whose text inserts no value.
    """
    view = ruleset.view
    for item in () if view is None else (*view.status, *view.players, *view.shared, *view.own):
        if item.text is not None and "{" not in item.text.text:
            yield get_title_head(item.title), item.text.text


def _iterate_code(template: EmbeddedText) -> Iterator[EmbeddedText]:
    """Yield the outermost parts of a text in braces: the words around them name nothing, whatever they are."""
    depth = start = 0
    for end, character in enumerate(template.text):
        if character == "{":
            depth += 1
            start = end if depth == 1 else start
        elif character == "}":
            depth -= 1
            if depth == 0:
                yield EmbeddedText(template.base, template.text[start : end + 1], template.offsets[start : end + 2])


def remove_clauses(text: str) -> str:
    """Return a text without the clause numbers that authors note in brackets: ``Draw (FN-2, B3).`` → ``Draw.``."""
    return _CLAUSES.sub("", text)


def _drop_missing(*texts: EmbeddedText | None) -> tuple[EmbeddedText, ...]:
    return tuple(text for text in texts if text is not None)
