"""Build English phrases from words: phrases of authors, relative clauses, amounts and calls of built-in functions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import EmbeddedText, humanise, prepend_article
from lusory_dsl.syntax import ast
from lusory_dsl.syntax.parser import parse_template
from lusory_dsl.types.builtins import Builtin

from .phrase_filling_and_negation import Insertion, fill_parts

_SEVERAL = {"is": "are", "has": "have", "does": "do", "lies": "lie", "can": "can", "may": "may"}
"""Singular verbs and their plural."""


def fill_phrase(phrase: EmbeddedText, arguments: Mapping[str, str], holds: bool = True) -> str | None:
    """Return a phrase of the author with the words of its parameters, or None if the phrase doesn't parse.

    Example: ``{this} is ripe`` with ``{"this": "you"}`` gives “you are ripe”, and with ``holds`` false “you are not
    ripe”. A missing argument appears under its parameter's name, in words, and an inserted expression as “…”. The parts
    are joined and negated as in :func:`lusory.explain.phrase_filling_and_negation.fill_parts`: without a verb that
    it can negate, “it is not so that …”.
    """
    template = parse_template(phrase, Diagnostics())
    if template is None:
        return None
    parts = [
        part
        if isinstance(part, str)
        else Insertion(arguments.get(part.name, humanise(part.name)) if isinstance(part, ast.Name) else "…")
        for part in template.parts
    ]
    return fill_parts(parts, holds)


def make_relative_clause(clauses: list[str], word: str, is_plural: bool) -> str:
    """Return conditions about “it” as relative clauses, beginning with a blank, joined by ``word``: ``and`` or ``or``.

    Example: “it is ripe” and “its price is at most 2” give “ that is ripe and whose price is at most 2”. With
    ``is_plural`` the verbs are in the plural: “ that are ripe”. If a condition is about something else, or its verb has
    no known plural, the result is “ for which …” with all of them unchanged. There must be at least one.
    """
    relatives = [make_relative(clause, "that", is_plural) for clause in clauses]
    if None in relatives:
        return f" for which {f' {word} '.join(clauses)}"
    return f" {f' {word} '.join(filter(None, relatives))}"


def make_relative(clause: str, pronoun: str, is_plural: bool) -> str | None:
    """Return a condition about “it” as a relative clause, or None if it is about something else.

    ``pronoun`` is ``that`` for things and ``who`` for players. With ``is_plural`` the verb after “it” is in the plural;
    the result is None for a verb other than “is”, “has”, “does”, “lies”, “can” and “may”. Example: “its price is 2”
    gives “whose price is 2”.
    """
    head, _, more = clause.partition(" ")
    verb, _, rest = more.partition(" ")
    if head == "its":
        return f"whose {more}"
    if head == "it" and (not is_plural or verb in _SEVERAL):
        return f"{pronoun} {_SEVERAL[verb] if is_plural else verb} {rest}".rstrip()
    return None


def describe_amount(op: str, number: int, one: str, several: str) -> str | None:
    """Return a number of counters in words, as an object of “has”: “exactly 3 coins”, “fewer than 2 coins”.

    ``op`` compares their number with ``number``: ``=``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``. At least one is “a
    coin”, or “at least 1 sheep” if ``one`` and ``several`` are equal. None at all is “no coins”. Returns None for
    ``!=`` with a number other than 0.
    """
    if (op, number) in ((">", 0), (">=", 1), ("!=", 0)):
        return prepend_article(one) if several != one else f"at least 1 {one}"
    if (op, number) in (("=", 0), ("<=", 0), ("<", 1)):
        return f"no {several}"
    words = {"=": "exactly", ">": "more than", ">=": "at least", "<": "fewer than", "<=": "at most"}
    return f"{words[op]} {number} {one if number == 1 else several}" if op in words else None


def describe_builtin(row: Builtin, args: list[str]) -> str:
    """Return a call of a built-in function in words. ``args`` are its arguments in words; a missing one appears as “–”.

    Example: ``smaller(3, heap)`` gives “the smaller of 3 and the heap”. “the hand of you” becomes “your hand”.
    """
    arguments: Mapping[str, str] = {param.name: args[i] if i < len(args) else "–" for i, param in enumerate(row.params)}
    return re.sub(r"^the (\w+) of you$", r"your \1", row.text.format_map(arguments))
