"""The grammar at work: one Lark parser a process, and one run of it over a text.

Used by the parser's front; a run ends in a tree or in a fault that knows all about the place where it stopped.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedToken
from lark.lark import PostLex
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift
from lark.parsers.lalr_interactive_parser import InteractiveParser

from ..text.resources import text_of
from .layout import Indenter
from .trees import placed
from .words import KEYWORDS, SOFT_KEYWORDS

STARTS = ("block", "expression", "template", "rule", "choice_vars", "offer", "recipient", "gains")
LAYOUT_STARTS = ("block", "rule")
"""Starting rules whose text has lines and indentation."""

GRAMMAR = Path(__file__).parent / "effect.lark"


_AHEAD = re.compile(r"([a-z]+)\(\?=")
"""A terminal that is a word only before something."""


@dataclass(frozen=True)
class Fault:
    """Where and why a run stopped.

    ``start`` … ``end``: what it stopped at; empty at the end of a line or of the text. ``type``: its terminal, empty
    where it is none. ``expected``: the terminals
    that could have followed. ``reserved``: it is a keyword where only a name could stand."""

    start: int
    end: int
    type: str
    expected: frozenset[str]
    layout: Indenter
    reserved: bool = False


class _Lines(PostLex):
    """Has line ends and names lexed everywhere, so that ``inside`` is never read as ``in`` and ``side``."""

    always_accept = ("_NL", "NAME")

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@cache
def lark() -> Lark:
    """The parser of effect text, made when the first text is parsed. Its tables take long to compute; they are kept."""
    made = Lark(
        text_of(GRAMMAR),
        start=list(STARTS),
        parser="lalr",
        lexer="contextual",
        postlex=_Lines(),
        cache=_tables() or False,
    )
    trees = made._callbacks
    for rule, build in trees.items():
        trees[rule] = placed(build)
    return made


def _tables() -> str:
    """Where tables are kept: beside what Python keeps of this package's modules, and only when it does. As with those,
    what does not fit the grammar is ignored and made anew. Empty: nowhere."""
    if sys.dont_write_bytecode or sys.implementation.cache_tag is None:
        return ""
    return str(Path(cache_from_source(str(GRAMMAR))).with_suffix(".tables"))


@cache
def spellings() -> dict[str, str]:
    """How the terminals that are always spelt the same are spelt, also those that must see what stands behind them."""
    found = {t.name: t.pattern.value for t in lark().terminals if isinstance(t.pattern, PatternStr)}
    ahead = ((t.name, _AHEAD.match(t.pattern.value)) for t in lark().terminals)
    return found | {name: word[1] for name, word in ahead if word is not None}


def run(start: str, text: str, fed: list[Token] | None = None) -> tuple[Tree[Token] | Fault, Indenter]:
    """Parses a text from one of ``STARTS``. ``fed`` collects the tokens as the grammar takes them."""
    layout = Indenter(len(text), flat=start not in LAYOUT_STARTS)
    parser = lark().parse_interactive(text, start=start)
    try:
        for token in layout.tokens(_lex(parser)):
            if token in SOFT_KEYWORDS and token.type != "NAME" and not _accepts(parser, token.type):
                token = Token.new_borrow_pos("NAME", str(token), token)
            elif token.type == "NAME" and token in KEYWORDS and not _ordinary(token, text, layout):
                return _fault(parser, layout, token, reserved=True), layout
            parser.feed_token(token)
            if fed is not None:
                fed.append(token)
        return _end(parser, layout), layout
    except UnexpectedToken as error:
        return _fault(parser, layout, error.token), layout
    except UnexpectedCharacters as error:
        position = error.pos_in_stream or 0
        return _fault(parser, layout, Token("", text[position], position, end_pos=position + 1)), layout


def _lex(parser: InteractiveParser) -> Iterator[Token]:
    return parser.lexer_thread.lex(parser.parser_state)  # type: ignore[no-untyped-call,no-any-return]


def _end(parser: InteractiveParser, layout: Indenter) -> Tree[Token]:
    return parser.feed_eof(layout.last)  # type: ignore[no-untyped-call,no-any-return]


def _accepts(parser: InteractiveParser, terminal: str) -> bool:
    """Whether a terminal could follow: what its tables do with it, without doing it."""
    state = parser.parser_state
    table, states = state.parse_conf.parse_table.states, list(state.state_stack)
    while (action := table[states[-1]].get(terminal)) is not None:
        if action[0] is Shift:
            return True
        size = len(action[1].expansion)
        if size:
            del states[-size:]
        states.append(table[states[-1]][action[1].origin.name][1])
    return False


def _accepted(parser: InteractiveParser) -> frozenset[str]:
    return frozenset(parser.accepts())  # type: ignore[no-untyped-call]


def _ordinary(token: Token, text: str, layout: Indenter) -> bool:
    """Whether a keyword is an ordinary word: a member, an option's name, the name of an argument."""
    if layout.last is not None and layout.last.type in ("DOT", "OPTION"):
        return True
    return bool(layout.open) and text[token.end_pos :].lstrip().startswith(":")


def _fault(parser: InteractiveParser, layout: Indenter, token: Token, reserved: bool = False) -> Fault:
    if token.type == "$END":
        start = end = layout.last.end_pos if layout.last is not None else 0
    else:
        start, end = token.start_pos, token.end_pos
    assert start is not None and end is not None
    expected = _accepted(parser)
    known = token.type not in ("WORDS", "TEMPLATE_WORDS") or bool(expected & {"WORDS", "TEMPLATE_WORDS"})
    return Fault(start, end, token.type if known else "", expected, layout, reserved)
