"""Parse effect texts with Lark (LALR(1)) into parse trees. The AST builder turns the trees into nodes.

:func:`run` returns a tree, or a :class:`Fault` that describes the first syntax error.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from copy import copy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lark
from lark import Lark, UnexpectedCharacters, UnexpectedToken
from lark.lexer import PatternStr
from lark.parsers.lalr_interactive_parser import InteractiveParser

from ..source.lazy_dataclass import dataclass
from ..source.memo import parse_table_file
from ..source.safe_files import text_of
from ..source.source import Embedded, Span
from .keywords import KEYWORDS, SOFT_KEYWORDS

if TYPE_CHECKING:

    class Token(lark.Token):
        """A token of Lark. The lexer always sets the places that Lark declares as optional."""

        start_pos: int
        end_pos: int
else:
    from lark import Token

Items = list[Any]
"""The children of a rule: trees, tokens, and None for each missing optional part."""


class Tree(lark.Tree[Token]):
    """A rule of the grammar, called ``data``, with its ``children``.

    It spans the text from ``start_pos`` to ``end_pos``. ``first`` and ``last`` are the bounds including parts that
    the tree omits, such as brackets around an expression. Both are None for an empty rule.
    """

    @property
    def start_pos(self) -> int:
        return getattr(self.meta, "start_pos", 0)

    @property
    def end_pos(self) -> int:
        return getattr(self.meta, "end_pos", 0)

    @property
    def first(self) -> int | None:
        return getattr(self.meta, "container_start_pos", getattr(self.meta, "start_pos", None))

    @property
    def last(self) -> int | None:
        return getattr(self.meta, "container_end_pos", getattr(self.meta, "end_pos", None))


def token(kind: str, text: str, start: int, end: int) -> Token:
    """Return a token of terminal ``kind`` that spans the text from ``start`` to ``end``."""
    return Token(kind, text, start, end_pos=end)


def span_of(embedded: Embedded, node: Tree | Token) -> Span:
    """Return the span in the YAML file of a tree or token of an embedded text."""
    return embedded.span(node.start_pos, node.end_pos)


OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSING = frozenset(OPENING.values())


class Indenter:
    """Inserts tokens for line ends and indentation into the lexer's token stream.

    Line ends count outside of brackets, unless a comma precedes them. If ``flat`` is true, they never count; this is
    for expressions and templates.

    ``open`` holds the unclosed brackets and quotation marks. ``statement`` holds the tokens of the current
    statement, and ``header`` those of the previous one. ``odd_indents`` and ``tabs`` hold the line ends before a
    wrong indentation that the parser can recover from.
    """

    def __init__(self, text: str, flat: bool) -> None:
        self.flat = flat
        self.open: list[Token] = []
        self.statement: list[Token] = []
        self.header: list[Token] = []
        self.last: Token | None = None
        self.odd_indents: list[Token] = []
        self.tabs: list[Token] = []
        self._text = text
        self._levels: list[int] = []
        self._taken_for: dict[int, int] = {}

    def tokens(self, raw: Iterator[Token]) -> Iterator[Token]:
        """Yield the lexer's tokens, with ``_NL``, ``_INDENT`` and ``_DEDENT`` at significant line ends."""
        for found in raw:
            if found.type == "_NL":
                yield from self._line_end(found)
                continue
            if self.last is None:
                self._levels = [found.start_pos - self._text.rfind("\n", 0, found.start_pos) - 1]
            yield found
            self._remember(found)
        if not self.flat and not self.open and self.last is not None:
            yield self._mark("_NL")
            for _ in self._levels[1:]:
                yield self._mark("_DEDENT")

    @property
    def in_text(self) -> bool:
        """Return whether a text literal is open."""
        return bool(self.open) and self.open[-1].type == "QUOTE"

    def _remember(self, found: Token) -> None:
        self.last = found
        if found.type in OPENING or (found.type == "QUOTE" and not self.in_text):
            self.open.append(found)
        elif found.type in CLOSING or found.type == "QUOTE":
            self.open.pop()
        self.statement.append(found)
        if found.type in ("COLON", "SEMICOLON") and not self.open:
            self._next_statement()

    def _next_statement(self) -> None:
        if self.statement:
            self.header, self.statement = self.statement, []

    def _line_end(self, found: Token) -> Iterator[Token]:
        if self.last is None or found.end_pos == len(self._text):
            return
        if self.in_text:
            yield self._mark("_NL")
        if self.flat or self.open or self.last.type == "COMMA":
            return
        yield self._mark("_NL")
        self._next_statement()
        lead = found.rpartition("\n")[2]
        if "\t" in lead:
            self.tabs.append(found)
        yield from self._indentation(found, len(lead.expandtabs(2)))

    def _indentation(self, found: Token, width: int) -> Iterator[Token]:
        width = self._taken_for.get(width, width)
        nearest = min(self._levels, key=lambda level: (abs(level - width), -level))
        if width > self._levels[-1]:
            self._taken_for.clear()
            self._levels.append(width)
            yield self._mark("_INDENT")
            return
        while nearest < self._levels[-1]:
            self._taken_for.clear()
            self._levels.pop()
            yield self._mark("_DEDENT")
        if width != nearest:
            self.odd_indents.append(found)
            self._taken_for[width] = nearest

    def _mark(self, kind: str) -> Token:
        """Return an empty token directly behind the last one, so that a statement ends with its last word."""
        assert self.last is not None
        return token(kind, "", self.last.end_pos, self.last.end_pos)


STARTS = ("block", "expression", "template", "rule", "choice_vars", "offer", "recipient", "gains")
"""Rules of the grammar that can be the start symbol."""

LAYOUT_STARTS = ("block", "rule")
"""Start symbols of texts in which lines and indentation are significant."""

_GRAMMAR = Path(__file__).parent / "effect.lark"
_END = "$END"
_WHOLE_TEXTS = frozenset(("WORDS", "TEMPLATE_WORDS"))
"""Terminals that match nearly every character, in the states that allow them."""

_LOOKAHEAD = re.compile(r"([a-z]+)\(\?=")
"""Matches the regular expression of a terminal that is a keyword only before certain text."""


@dataclass(frozen=True)
class Fault:
    """A syntax error: the place where parsing stopped, and the reason.

    The unexpected word spans ``start`` to ``end``; it is empty at the end of a line or of the text. ``type`` is its
    terminal, or empty if it matches none. ``expected`` holds the terminals that would be valid there. ``reserved``
    is true if the word is a keyword in a place where only a name is valid.
    """

    start: int
    end: int
    type: str
    expected: frozenset[str]
    layout: Indenter
    reserved: bool = False


class _Stopped(Exception):
    """Raised at an unexpected token. ``token`` is None if a character starts no terminal."""

    def __init__(self, token: Token | None, position: int) -> None:
        super().__init__()
        self.token = token
        self.position = position


class _EverywhereLexed:
    """Tells Lark's contextual lexer which terminals to accept in every state.

    Because NAME is accepted everywhere, ``inside`` is never lexed as ``in`` and ``side``.
    """

    always_accept = ("NAME", "_NL")

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@cache
def _lark() -> Lark:
    """Return the parser. Building its tables takes half a second, so Lark stores them in the user's cache."""
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
    """Parse ``text`` from the start symbol ``start``, one of ``STARTS``.

    Returns a tree or a fault, and the indenter.

    If ``fed`` is given, the accepted tokens are appended to it.
    """
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
        if stopped_at is None:  # `or` would be wrong: layout tokens are empty strings
            stopped_at = token("", text[stop.position], stop.position, stop.position + 1)
        return _describe_fault(parser, layout, stopped_at), layout


def _lex(parser: InteractiveParser) -> Iterator[Token]:
    """Yield the tokens of the text. The terminals that the lexer tries depend on the current state of the parser."""
    try:
        yield from parser.lexer_thread.lex(parser.parser_state)  # type: ignore[no-untyped-call]
    except UnexpectedToken as error:
        raise _Stopped(error.token, error.token.start_pos) from None
    except UnexpectedCharacters as error:
        raise _Stopped(None, error.pos_in_stream or 0) from None


def _feed(parser: InteractiveParser, fed: Token) -> Tree:
    """Advance the parser by one token. Returns the tree at the end of the text, and None before."""
    try:
        tree: Tree = parser.feed_token(fed)
    except UnexpectedToken:
        raise _Stopped(fed, fed.start_pos) from None
    return tree


def _choices(parser: InteractiveParser) -> Collection[str]:
    """Return the terminals and rules in the parse table's row of the current state."""
    choices: Collection[str] = parser.choices()  # type: ignore[no-untyped-call]
    return choices


def _accepts(parser: InteractiveParser, kind: str) -> bool:
    """Return whether the terminal ``kind`` is valid here.

    The row of an LALR(1) table can list a terminal that a later reduction refuses. So the terminal is tried on a
    copy.
    """
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
    """Return whether a keyword is an ordinary word here: a member, or the name of an option or argument."""
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
