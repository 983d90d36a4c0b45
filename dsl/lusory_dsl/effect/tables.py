"""The tables of the effect grammar, as they are kept: what ``effect.lark`` says, worked out by ``effect/generator.py``.

To work them out takes ten times as long as most rulesets take to be read, so they lie beside the schemas, and a
player's machine needs no Lark.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from ..text.resources import data, text_of

STARTS = ("block", "expression", "template", "rule", "choice_vars", "offer", "recipient", "gains")
GRAMMAR = Path(__file__).parent / "effect.lark"
NAME = "effect-tables.json"
COMMAND = "python -m lusory_dsl.effect.generator"
ALWAYS = ("NAME", "_NL")
"""Line ends and names are lexed everywhere, so that ``inside`` is never read as ``in`` and ``side``."""


class Production(NamedTuple):
    """A way to make a rule of ``size`` parts, and the tree that comes of it, called ``name``.

    ``parts``: which of them become children, each with whether its own children do in its place, and how many that are
    left out stand before it; None: all of them. ``behind``: how many are left out behind the last. ``single``: one
    child stands for itself. ``alone``: that is all there is to it."""

    origin: str
    size: int
    name: str
    single: bool
    behind: int
    parts: tuple[tuple[int, bool, int], ...] | None
    alone: bool


_Made = TypeVar("_Made")


class Unfolding(dict[int, _Made]):
    """A list of texts, each of which is read when it is asked for: most texts of rules need few of the states."""

    def __init__(self, texts: Sequence[str], read: Callable[[str], _Made]) -> None:
        super().__init__()
        self._texts = texts
        self._read = read

    def __missing__(self, number: int) -> _Made:
        self[number] = made = self._read(self._texts[number])
        return made


class Tables(NamedTuple):
    """What an LALR(1) automaton and its lexer go by.

    ``terminals``: name and regular expression, in the order in which they are tried. ``words``: what is a NAME to the
    lexer, and a terminal of its own where that can stand. ``spelt``: terminals that are always spelt the same.
    ``actions``: of each state by terminal, the state that it leads to, or ``~n`` for production ``n``. ``gotos``: of
    each state, by rule. ``starts``: of each starting rule the first state and the last."""

    terminals: list[tuple[str, str]]
    words: dict[str, str]
    spelt: dict[str, str]
    ignored: frozenset[str]
    productions: dict[int, Production]
    actions: dict[int, dict[str, int]]
    gotos: dict[int, dict[str, int]]
    starts: dict[str, tuple[int, int]]


@cache
def tables() -> Tables:
    """Those that are kept. Raises RuntimeError where they are of another grammar."""
    kept = json.loads(text_of(data("schema") / NAME))
    if kept["of"] != digest():
        raise RuntimeError(f"{GRAMMAR.name} was changed since its tables were worked out: run {COMMAND}")
    return Tables(
        [(name, pattern) for name, pattern in kept["terminals"]],
        kept["words"],
        kept["spelt"],
        frozenset(kept["ignored"]),
        Unfolding(kept["productions"], _read_production),
        Unfolding(kept["actions"], _read_row),
        Unfolding(kept["gotos"], _read_row),
        {start: (first, last) for start, (first, last) in kept["starts"].items()},
    )


def _read_row(text: str) -> dict[str, int]:
    """``12:NAME,INT -4:COMMA``"""
    row = {}
    for group in text.split():
        number, _, symbols = group.partition(":")
        row.update(dict.fromkeys(symbols.split(","), int(number)))
    return row


def _read_production(text: str) -> Production:
    """``origin size name single behind parts``; no parts: all of them. A part: ``?`` for each that is left out before
    it, its index, and ``*`` if it is opened."""
    origin, size, name, single, behind, *rest = text.split(" ")
    parts = None
    if rest:
        parts = tuple(
            (int(part.strip("?*")), part.endswith("*"), part.count("?")) for part in rest[0].split(",") if part
        )
    alone = single == "1" and size == "1" and parts is None
    return Production(origin, int(size), name, single == "1", int(behind), parts, alone)


def grammar() -> str:
    """The text of the grammar."""
    return text_of(GRAMMAR)


def digest() -> str:
    """What the tables depend on, but for Lark, which works out the same from the same."""
    return hashlib.sha256("\n".join((grammar(), *STARTS, *ALWAYS)).encode()).hexdigest()
