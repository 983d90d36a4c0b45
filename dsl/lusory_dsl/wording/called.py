"""What somebody means by a name: as an author writes it, or as players read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any


def meant(sections: Iterable[tuple[Iterable[tuple[Any, Any]], Any]], name: str) -> list[str]:
    """The names of declarations that are called so: the name itself, else those that read alike in any case and with
    blanks for signs, else those with a label that does."""
    every = [(word.text, decl) for section, _ in sections for word, decl in section]
    wanted = folded(name)
    readings = (
        [word for word, _ in every if word == name],
        [word for word, _ in every if folded(word) == wanted],
        [word for word, decl in every if wanted in map(folded, _labels(decl))],
    )
    return next((list(dict.fromkeys(found)) for found in readings if found), [])


def readings(sections: Iterable[tuple[Iterable[tuple[Any, Any]], Any]]) -> list[str]:
    """All that something may be called: names, and then labels."""
    every = [(word.text, decl) for section, _ in sections for word, decl in section]
    labels = [label.strip() for _, decl in every for label in _labels(decl)]
    return [word for word in dict.fromkeys([*(name for name, _ in every), *labels]) if word]


def folded(text: str) -> str:
    """Words as they are compared."""
    return " ".join(re.sub(r"[\W_]+", " ", text).casefold().split())


def _labels(declaration: Any) -> Iterator[str]:
    """What players read of something: its label, of a template the words before the first value, and its plural."""
    decl = declaration[-1] if isinstance(declaration, tuple) else declaration
    for label in (getattr(decl, "label", None), getattr(decl, "plural", None)):
        if label is not None:
            yield getattr(label, "text", label).partition("{")[0]
