"""Insert words into a phrase of an author, and deny it: ``{this} is ripe`` gives “you are not ripe”. Make plurals.

This works without the parser, so that a running game can use the phrases of its program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lusory_dsl.source.source import humanise

_DENIED = {"is": "is not", "are": "are not", "can": "cannot", "may": "may not", "has": "does not have"}
_VERB = re.compile(r"\b(is|are|can|may|has)\b(?!['’]t\b| not\b)")
_OF_YOU = {"is": "are", "has": "have", "does": "do"}
_PARTICIPLES = "been|become|begun|bought|built|come|done|fallen|given|gone|lost|made|paid|seen|sold|taken|won"
_PERFECT = re.compile(rf"has (?:(?:{_PARTICIPLES})\b|\w\w+(?<!e)ed\b)")
_PIECE = re.compile(r"((?:[^{}]|\{\{|\}\})+)|\{\s*(\w+)\s*\}")
"""Words of a phrase, in which a doubled brace stands for one, or the name of a parameter in braces."""


def list_parameters(phrase: str) -> list[str]:
    """Return the names of the parameters that a phrase inserts, in order."""
    return [name for _, name in _PIECE.findall(phrase) if name]


def fill_phrase(phrase: str, arguments: Mapping[str, str], is_true: bool = True) -> str:
    """Return the text of a phrase with parameters in braces, or its negation if ``is_true`` is false.

    Example: ``{b} is staffed`` with ``{"b": "the mill"}`` gives “the mill is staffed” or “the mill is not staffed”. A
    missing argument appears under its parameter's name, in words. After an insertion “you”, the next word “is”, “has”
    or “does” becomes “are”, “have” or “do”. “you's” becomes “your”, and “it's” becomes “its”, also outside insertions.
    After a digit, an insertion that begins with “the” gets “of”: “2 of the mills”. Directly before another insertion,
    one of more than two words gets parentheses, and no “of”. The negation denies one verb outside insertions: the first
    “is”, “are”, “can”, “may” or “has” that has no “not” or “'t” behind it. Examples are “cannot” and “does not have 2
    cards”. It is “has not” only before a participle: a word of at least four letters in “ed” but not “eed”, or one of
    ``_PARTICIPLES``, such as “been” or “won”. Without such a verb, it is like “it is not so that the mill burns”.
    """
    pieces = _PIECE.findall(phrase)
    words, has_verb, follows_you = "", is_true, False
    for index, (part, name) in enumerate(pieces):
        if name:
            argument = arguments.get(name, humanise(name))
            is_before_another = pieces[index + 1 : index + 2] == [(" ", "")] and index + 2 < len(pieces)
            runs_on = is_before_another and len(argument.split()) > 2
            preposition = "of " if argument.startswith("the ") and re.search(r"\d $", words) else ""
            words += f"({argument})" if runs_on else f"{preposition}{argument}"
            follows_you = argument == "you"
        else:
            part = part.replace("{{", "{").replace("}}", "}")
            if not has_verb and (verb := _VERB.search(part)):
                is_perfect = _PERFECT.match(part, verb.start())
                negation = "has not" if is_perfect else _DENIED[verb[1]]
                part, has_verb = f"{part[: verb.start()]}{negation}{part[verb.end() :]}", True
            words += _conjugate_for_you(part) if follows_you else part
            follows_you = False
    words = re.sub(r"\byou[’']s\b", "your", re.sub(r"\bit[’']s\b", "its", words))
    return words if has_verb else f"it is not so that {words}"


def _conjugate_for_you(words: str) -> str:
    """Return the words after “you”, with the verb in the second person."""
    verb = words.split(maxsplit=1)[:1]
    return words.replace(verb[0], _OF_YOU[verb[0]], 1) if verb and verb[0] in _OF_YOU else words


def pluralize(word: str) -> str:
    """Return the regular English plural of a word: ``city`` → ``cities``, ``box`` → ``boxes``, ``card`` → ``cards``."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"
