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
_AUXILIARY = re.compile(r"\b(is|are|can|may|(has|have)(?= been\b| \w\w+(?<!e)ed\b))\b(?!['’]t\b| not\b)")
_RELATIVE = re.compile(r"\w (?:that|which|who)(?: you| they| it)? $")
"""Words before a verb that belongs to a relative clause: “a unit that” in “a unit that is open can fall”."""
_UNDENIABLE = re.compile(r"\b(?:if|neither|no|nobody|none|not|nothing|when|where|whether|while)\b|,", re.IGNORECASE)
"""Words before a verb whose negation does not negate the sentence, as in “nobody can pass”."""
_PIECE = re.compile(r"((?:[^{}]|\{\{|\}\})+)|\{\s*(\w+)\s*\}")
"""Words of a phrase, in which a doubled brace stands for one, or the name of a parameter in braces."""


def list_parameters(phrase: str) -> list[str]:
    """Return the names of the parameters that a phrase inserts, in order."""
    return [name for _, name in _PIECE.findall(phrase) if name]


def fill_phrase(phrase: str, arguments: Mapping[str, str], is_true: bool = True) -> str:
    """Return the text of a phrase with parameters in braces, or its negation if ``is_true`` is false.

    Example: ``{b} is staffed`` with ``{"b": "the mill"}`` gives “the mill is staffed” or “the mill is not staffed”. A
    missing argument appears under its parameter's name, in words. With “you”, the next word “is”, “has” or “does”
    becomes “are”, “have” or “do”. ``{b}'s`` becomes “your”, or “its” with “it”. After a digit, “the” becomes “of the”:
    “2 of the mills”. An insertion of more than two words gets parentheses directly before another. The negation denies
    the first “is”, “are”, “can”, “may” or “has” outside insertions, unless “not” follows it: “cannot”, “does not have 2
    cards”, “has not moved”. Without one, it is like “it is not so that the mill burns”.
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
                is_perfect = verb[1] == "has" and _AUXILIARY.match(part, verb.start())
                negation = "has not" if is_perfect else _DENIED[verb[1]]
                part, has_verb = f"{part[: verb.start()]}{negation}{part[verb.end() :]}", True
            words += _conjugate_for_you(part) if follows_you else part
            follows_you = False
    words = re.sub(r"\byou[’']s\b", "your", re.sub(r"\bit[’']s\b", "its", words))
    return words if has_verb else f"it is not so that {words}"


def deny(sentence: str) -> str | None:
    """Return the negation of a sentence with an auxiliary verb: “it has been sold” gives “it has not been sold”.

    The verbs are is, are, can (“cannot”) and may, and has and have before “been” or a word in -ed such as “moved”. A
    verb after “that”, “which” or “who” doesn't count: “a unit that is open can fall” gives “a unit that is open cannot
    fall”. Nor does one after “that you”, “that they” or “that it”, or before “not”. The text from a colon or semicolon
    on is left out. Return None for a sentence without such a verb, such as “it has won”. Return None for one with
    several, such as “it is open or it is red”. Return None, too, if a comma, or a word such as “if”, “no” or “not”,
    comes before the verb, or “neither” directly after it.
    """
    sentence = re.split("[:;]", sentence, maxsplit=1)[0]
    verbs = [verb for verb in _AUXILIARY.finditer(sentence) if not _RELATIVE.search(sentence[: verb.start()])]
    if len(verbs) != 1:
        return None
    words_before, verb, words_behind = sentence[: verbs[0].start()], verbs[0][0], sentence[verbs[0].end() :]
    if _UNDENIABLE.search(words_before) or words_behind.startswith(" neither "):
        return None
    return f"{words_before}{verb}{'' if verb == 'can' else ' '}not{words_behind}"


def _conjugate_for_you(words: str) -> str:
    """Return the words after “you”, with the verb in the second person."""
    verb = words.split(maxsplit=1)[:1]
    return words.replace(verb[0], _OF_YOU[verb[0]], 1) if verb and verb[0] in _OF_YOU else words


def pluralize(word: str) -> str:
    """Return the regular English plural of a word: ``city`` → ``cities``, ``box`` → ``boxes``, ``card`` → ``cards``."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"
