"""Phrases of authors with values in them, denied where they do not hold, and clauses that say which of several is
meant. Used by the prose of the rules."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..effect import nodes
from ..effect.parser import parse_template
from ..text.diagnostics import Diagnostics
from ..text.source import Embedded
from ..text.spelling import humanised

_DENIED = {"is": "is not", "are": "are not", "can": "can not", "may": "may not", "has": "does not have"}
_VERB = re.compile(r"\b(is|are|can|may|has)\b")
_OF_YOU = {"is": "are", "has": "have"}
_SEVERAL = {"is": "are", "has": "have", "does": "do", "lies": "lie", "can": "can", "may": "may"}
"""Verbs of one thing, and of several."""


def filled(phrase: Embedded, said: Mapping[str, str], yes: bool = True) -> str | None:
    """A phrase with what is said in the place of its parameters; ``yes`` False: denied. None where it can't be read."""
    template = parse_template(phrase, Diagnostics())
    if template is None:
        return None
    words, denied, you = "", yes, False
    for at, part in enumerate(template.parts):
        if isinstance(part, str):
            if not denied and (verb := _VERB.search(part)):
                part, denied = f"{part[: verb.start()]}{_DENIED[verb[1]]}{part[verb.end() :]}", True
            words += _of_you(part) if you else part
            you = False
        else:
            one = said.get(part.name, humanised(part.name)) if isinstance(part, nodes.Name) else "…"
            runs_on = template.parts[at + 1 : at + 2] == (" ",) and len(one.split()) > 2
            of = "of " if one.startswith("the ") and re.search(r"\d $", words) else ""
            words += f"({one})" if runs_on else f"{of}{one}"
            you = one == "you"
    words = re.sub(r"\byou[’']s\b", "your", re.sub(r"\bit[’']s\b", "its", words))
    return words if denied else f"it is not so that {words}"


def _of_you(words: str) -> str:
    """What goes on behind “you”, in its person."""
    verb = words.split(maxsplit=1)[:1]
    if not verb or verb[0] not in (*_OF_YOU, "does"):
        return words
    return words.replace(verb[0], {**_OF_YOU, "does": "do"}[verb[0]], 1)


def which(clauses: list[str], word: str, many: bool) -> str:
    """Conditions of an “it” as a relative clause: “that is ripe and whose price is at most 2”; of ``many`` things “that
    are ripe”. Those that speak of something else first: “for which …”."""
    found = []
    for clause in clauses:
        head, _, more = clause.partition(" ")
        verb, _, after = more.partition(" ")
        if head == "its":
            found.append(f"whose {more}")
        elif head == "it" and (not many or verb in _SEVERAL):
            found.append(f"that {_SEVERAL[verb] if many else verb} {after}".rstrip())
        else:
            return f" for which {f' {word} '.join(clauses)}"
    return f" {f' {word} '.join(found)}"
