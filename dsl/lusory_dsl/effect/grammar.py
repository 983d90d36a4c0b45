"""Parse effect text with Lark into a syntax tree, or into a fault that describes the place where parsing stopped.

The grammar is ``effect.lark``. Lark parses it with LALR(1) and a contextual lexer; :class:`Indenter` stands
between lexer and parser and turns line ends into the end of a statement, INDENT and DEDENT.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from copy import copy
from functools import cache
from pathlib import Path

from lark import Lark, UnexpectedCharacters, UnexpectedToken
from lark.lexer import PatternStr
from lark.parsers.lalr_interactive_parser import InteractiveParser

from ..text.memory import parse_table_file
from ..text.records import dataclass
from ..text.resources import text_of
from .layout import Indenter
from .trees import Token, Tree, token
from .words import KEYWORDS, SOFT_KEYWORDS

STARTS = ("block", "expression", "template", "rule", "choice_vars", "offer", "recipient", "gains")
"""Rules of the grammar that a text may start from."""

LAYOUT_STARTS = ("block", "rule")
"""Starting rules whose text has lines and indentation."""

_GRAMMAR = Path(__file__).parent / "effect.lark"
_END = "$END"
_WHOLE_TEXTS = frozenset(("WORDS", "TEMPLATE_WORDS"))
"""Terminals that match nearly every character where they can stand."""

_LOOKAHEAD = re.compile(r"([a-z]+)\(\?=")
"""The pattern of a terminal that is a keyword only in front of something."""


@dataclass(frozen=True)
class Fault:
    """The place where parsing stopped, and why.

    ``start`` to ``end`` is the offending word; it is empty at the end of a line or of the text. ``type`` is its
    terminal, empty if it is none. ``expected`` holds the terminals that could stand there. ``reserved`` is set if the
    word is a keyword where only a name could stand."""

    start: int
    end: int
    type: str
    expected: frozenset[str]
    layout: Indenter
    reserved: bool = False


class _Stopped(Exception):
    """Raised by the lexer or parser at a token that does not fit. ``token`` is None for a character of no terminal."""

    def __init__(self, token: Token | None, position: int) -> None:
        super().__init__()
        self.token = token
        self.position = position


class _EverywhereLexed:
    """Tells the contextual lexer which terminals to accept in every state.

    With NAME accepted everywhere, ``inside`` is never lexed as ``in`` followed by ``side``."""

    always_accept = ("NAME", "_NL")

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@cache
def _lark() -> Lark:
    """Return the parser. Building its tables takes half a second, so Lark keeps them in a file of the user's cache."""
    file = parse_table_file()
    return Lark(
        text_of(_GRAMMAR),
        start=list(STARTS),
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=True,
        postlex=_EverywhereLexed(),
        tree_class=Tree,
        cache=str(file) if file is not None else False,
    )


@cache
def spellings() -> dict[str, str]:
    """Return the spelling of each terminal that has only one, including keywords with a lookahead."""
    spelt = {}
    for terminal in _lark().terminals:
        if isinstance(terminal.pattern, PatternStr):
            spelt[terminal.name] = terminal.pattern.value
        elif keyword := _LOOKAHEAD.match(terminal.pattern.to_regexp()):
            spelt[terminal.name] = keyword[1]
    return spelt


def run(start: str, text: str, fed: list[Token] | None = None) -> tuple[Tree | Fault, Indenter]:
    """Parse ``text`` from the rule ``start``, one of ``STARTS``. ``fed`` collects the tokens that the parser takes."""
    layout = Indenter(text, flat=start not in LAYOUT_STARTS)
    parser = _lark().parse_interactive(text, start=start)
    try:
        for found in layout.tokens(_lex(parser)):
            if found in SOFT_KEYWORDS and found.type != "NAME" and not _accepts(parser, found.type):
                found = token("NAME", found, found.start_pos, found.end_pos)
            elif found.type == "NAME" and found in KEYWORDS and not _is_ordinary_word(found, text, layout):
                return _describe_fault(parser, layout, found, reserved=True), layout
            _feed(parser, found)
            if fed is not None:
                fed.append(found)
        last = layout.last
        return _feed(parser, token(_END, "", *((last.start_pos, last.end_pos) if last is not None else (0, 0)))), layout
    except _Stopped as stop:
        stopped_at = stop.token
        if stopped_at is None:  # not `or`: the tokens of layout are empty texts
            stopped_at = token("", text[stop.position], stop.position, stop.position + 1)
        return _describe_fault(parser, layout, stopped_at), layout


def _lex(parser: InteractiveParser) -> Iterator[Token]:
    """Yield the tokens of the text. Which terminals the lexer tries depends on the parser's state at that moment."""
    try:
        yield from parser.lexer_thread.lex(parser.parser_state)  # type: ignore[no-untyped-call]
    except UnexpectedToken as error:
        raise _Stopped(error.token, error.token.start_pos) from None
    except UnexpectedCharacters as error:
        raise _Stopped(None, error.pos_in_stream or 0) from None


def _feed(parser: InteractiveParser, fed: Token) -> Tree:
    """Advance the parser by one token. Returns the tree at the end of the text, None before."""
    try:
        tree: Tree = parser.feed_token(fed)
    except UnexpectedToken:
        raise _Stopped(fed, fed.start_pos) from None
    return tree


def _choices(parser: InteractiveParser) -> Collection[str]:
    """Return the terminals and rules in the parse table's row of the present state."""
    choices: Collection[str] = parser.choices()  # type: ignore[no-untyped-call]
    return choices


def _accepts(parser: InteractiveParser, kind: str) -> bool:
    """Return whether a terminal can stand here. LALR(1) may list one that a later reduction refuses, so try it."""
    if kind not in _choices(parser):
        return False
    state = parser.parser_state.copy(deepcopy_values=False)
    state.parse_conf = copy(state.parse_conf)
    state.parse_conf.callbacks = {}  # build no trees
    try:
        state.feed_token(Token(kind, ""), kind == _END)
    except UnexpectedToken:
        return False
    return True


def _is_ordinary_word(found: Token, text: str, layout: Indenter) -> bool:
    """Return whether a keyword stands for itself: as a member, an option's name, or the name of an argument."""
    if layout.last is not None and layout.last.type in ("DOT", "OPTION"):
        return True
    return bool(layout.open) and text[found.end_pos :].lstrip().startswith(":")


def _describe_fault(parser: InteractiveParser, layout: Indenter, found: Token, reserved: bool = False) -> Fault:
    start, end = found.start_pos, found.end_pos
    if found.type == _END:
        start = end = layout.last.end_pos if layout.last is not None else 0
    expected = frozenset(kind for kind in _choices(parser) if kind.isupper() and _accepts(parser, kind))
    known = found.type not in _WHOLE_TEXTS or not _WHOLE_TEXTS.isdisjoint(expected)
    return Fault(start, end, found.type if known else "", expected, layout, reserved)
