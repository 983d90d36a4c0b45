"""Parse effect texts with Lark (LALR(1)) into parse trees. The AST builder turns the trees into nodes.

:func:`parse_tree` returns a tree, or a :class:`ParseFault` that describes the first syntax error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from copy import copy
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lark
from lark import Lark, UnexpectedToken
from lark.lexer import PatternStr
from lark.parsers.lalr_interactive_parser import InteractiveParser

from ..source.dataclass_with_lazy_methods import ValueRecord
from ..source.in_memory_cache_of_parsed_and_checked_texts import find_parse_table_file
from ..source.safe_files_and_bundled_data import read_bundled_text
from .keywords_operators_and_mistaken_words import KEYWORDS, SOFT_KEYWORDS

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

    It spans the text from ``start_pos`` to ``end_pos``. ``outer_start`` and ``outer_end`` are the bounds including
    parts that the tree omits, such as brackets around an expression. An empty tree has none, and spans nothing at 0.
    """

    start_pos: int = 0
    end_pos: int = 0
    outer_start: int | None = None
    outer_end: int | None = None


class _PositionSetter:
    """Builds the tree of a rule with ``build``, and sets its positions from those of its first and last child.

    Lark can do the same, but it also sets lines and columns, which took a tenth of the time of parsing.
    """

    def __init__(self, build: Callable[[Items], Any]) -> None:
        self._build = build

    def __call__(self, children: Items) -> Any:
        tree = self._build(children)
        if type(tree) is Tree:
            start, end = _find_bound(children, True), _find_bound(reversed(children), False)
            if start is not None and end is not None:
                if tree.outer_start is None:  # otherwise the rule returns the tree of a child
                    tree.start_pos, tree.end_pos = start, end
                tree.outer_start, tree.outer_end = start, end
        return tree


def _find_bound(children: Iterable[Any], is_start: bool) -> int | None:
    """Return where the first child that is not empty starts or ends. Returns None if all are empty."""
    for child in children:
        if isinstance(child, Token):
            return child.start_pos if is_start else child.end_pos
        if isinstance(child, Tree) and child.outer_start is not None:
            return child.outer_start if is_start else child.outer_end
    return None


OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSING = frozenset(OPENING.values())


class Indenter:
    """Inserts tokens for line ends and indentation into the lexer's token stream.

    Line ends count outside of brackets, unless a comma precedes them. If ``is_flat`` is true, they don't count; this is
    for expressions and templates. Among the words of a text literal they do count, and are a fault.

    ``open`` holds the unclosed brackets and quotation marks. ``statement`` holds the tokens of the current
    statement, and ``header`` those of the previous one. ``odd_indents`` and ``tabs`` hold the line ends before a
    wrong indentation that the parser can recover from.
    """

    def __init__(self, text: str, is_flat: bool) -> None:
        self.is_flat = is_flat
        self.open: list[Token] = []
        self.statement: list[Token] = []
        self.header: list[Token] = []
        self.last_token: Token | None = None
        self.odd_indents: list[Token] = []
        self.tabs: list[Token] = []
        self._text = text
        self._levels: list[int] = []
        self._corrected_widths: dict[int, int] = {}

    def insert_layout(self, tokens: Iterator[Token]) -> Iterator[Token]:
        """Yield the lexer's tokens, with ``_NL``, ``_INDENT`` and ``_DEDENT`` at significant line ends.

        A line end is not significant at the start of the text, inside brackets, after a comma and in a text without
        layout. One among the words of a text literal is, and gives ``_NL`` alone. At the end of any other text, a
        missing ``_NL`` and all missing ``_DEDENT`` follow, unless a bracket is open. The first token decides the
        outermost indentation. Line ends of the lexer itself are dropped.
        """
        for token in tokens:
            if token.type == "_NL":
                yield from self._end_line(token)
                continue
            if self.last_token is None:
                self._levels = [token.start_pos - self._text.rfind("\n", 0, token.start_pos) - 1]
            yield token
            self._record_token(token)
        if not self.is_flat and not self.open and self.last_token is not None:
            yield self._make_mark("_NL")
            for _ in self._levels[1:]:
                yield self._make_mark("_DEDENT")

    @property
    def _in_text(self) -> bool:
        """True if a text literal is open."""
        return bool(self.open) and self.open[-1].type == "QUOTE"

    def _record_token(self, token: Token) -> None:
        self.last_token = token
        if token.type in OPENING or (token.type == "QUOTE" and not self._in_text):
            self.open.append(token)
        elif token.type in CLOSING or token.type == "QUOTE":
            self.open.pop()
        self.statement.append(token)
        if token.type in ("COLON", "SEMICOLON") and not self.open:
            self._begin_statement()

    def _begin_statement(self) -> None:
        if self.statement:
            self.header, self.statement = self.statement, []

    def _end_line(self, token: Token) -> Iterator[Token]:
        """Yield the marks for a line break: ``_NL``, and then indents or dedents.

        Yields nothing for a break before the first token, at the end of the text, or inside brackets, after a comma or
        in a text without layout. Among the words of a text literal, yields ``_NL`` alone. Records the token if the
        indentation of the next line contains a tab.
        """
        if self.last_token is None or token.end_pos == len(self._text):
            return
        if self._in_text:
            yield self._make_mark("_NL")
        if self.is_flat or self.open or self.last_token.type == "COMMA":
            return
        yield self._make_mark("_NL")
        self._begin_statement()
        lead = token.rpartition("\n")[2]
        if "\t" in lead:
            self.tabs.append(token)
        yield from self._change_indentation(token, len(lead.expandtabs(2)))

    def _change_indentation(self, token: Token, width: int) -> Iterator[Token]:
        """Yield the marks from the current indentation to one of ``width`` columns.

        A smaller width that matches no open level is recorded as odd, and counts as the nearest level (of two, the
        deeper). Further lines with the same width count as that level, too.
        """
        width = self._corrected_widths.get(width, width)
        level_width = min(self._levels, key=lambda level: (abs(level - width), -level))
        if width > self._levels[-1]:
            self._corrected_widths.clear()
            self._levels.append(width)
            yield self._make_mark("_INDENT")
            return
        while level_width < self._levels[-1]:
            self._corrected_widths.clear()
            self._levels.pop()
            yield self._make_mark("_DEDENT")
        if width != level_width:
            self.odd_indents.append(token)
            self._corrected_widths[width] = level_width

    def _make_mark(self, kind: str) -> Token:
        """Return an empty token directly behind the last one, so that a statement ends with its last word."""
        assert self.last_token is not None
        return Token(kind, "", self.last_token.end_pos, end_pos=self.last_token.end_pos)


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


class ParseFault(ValueRecord):
    """A syntax error: the place where parsing stopped, and the reason.

    The unexpected word spans ``start`` to ``end``; it is empty at the end of a line or of the text. ``type`` is its
    terminal, or empty if it matches none. ``expected`` holds the terminals that would be valid there. ``is_reserved``
    is true if the word is a keyword that was read as a name, because the keyword can't stand there.
    """

    start: int
    end: int
    type: str
    expected: frozenset[str]
    layout: Indenter
    is_reserved: bool = False


class _ContextualLexing:
    """Tells Lark's contextual lexer which terminals to accept in every state.

    Because NAME is accepted everywhere, ``inside`` is never lexed as ``in`` and ``side``.
    """

    always_accept = ("NAME", "_NL")

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Return the tokens as they are."""
        return stream


@cache
def _load_parser() -> Lark:
    """Return the parser. Building its tables takes half a second, so Lark stores them in the user's cache."""
    cache_path = find_parse_table_file()
    parser = Lark(
        read_bundled_text(_GRAMMAR),
        start=list(STARTS),
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=True,
        postlex=_ContextualLexing(),
        tree_class=Tree,
        cache=str(cache_path) if cache_path is not None else False,
    )
    # A rule such as `?sum: product` returns its only child. Setting the child's places again at each level of
    # precedence changes nothing, and took a fifth of the time.
    for rule, build in parser._callbacks.items():
        is_chain = rule.options.expand1 and not rule.alias and len(rule.expansion) == 1
        is_unit = is_chain and not rule.expansion[0].is_term
        parser._callbacks[rule] = itemgetter(0) if is_unit else _PositionSetter(build)
    return parser


@cache
def _make_trial_configuration(start: str) -> Any:
    """Return Lark's configuration of a parse from ``start`` that builds no trees."""
    configuration = copy(_load_parser().parse_interactive("", start=start).parser_state.parse_conf)
    configuration.callbacks = {}
    return configuration


@cache
def get_terminal_spellings() -> dict[str, str]:
    """Return the spelling of each terminal that has only one: ``LPAR`` -> ``(``.

    The spelling of a keyword with a lookahead is the keyword alone: ``TOP`` -> ``top``. Terminals with several
    spellings are left out, such as names, numbers and ``up to``, whose blanks vary.
    """
    spellings = {}
    for terminal in _load_parser().terminals:
        if isinstance(terminal.pattern, PatternStr):
            spellings[terminal.name] = terminal.pattern.value
        elif keyword := _LOOKAHEAD.match(terminal.pattern.to_regexp()):
            spellings[terminal.name] = keyword[1]
    return spellings


def parse_tree(
    start: str, text: str, tokens: list[Token] | None = None, is_trial: bool = False
) -> tuple[Tree | ParseFault, Indenter]:
    """Parse ``text`` from the start symbol ``start``, one of ``STARTS`` such as ``block`` or ``expression``.

    Returns a pair. Its first item is the tree, or a :class:`ParseFault` for the first syntax error. Its second is the
    indenter. It keeps the faults of layout from which the parser recovered, in ``odd_indents`` and ``tabs``. The
    accepted tokens are appended to ``tokens``, if that is given, also before a fault. If ``start`` is one of
    ``LAYOUT_STARTS``, marks of the layout such as ``_NL`` and ``_INDENT`` are among them. With ``is_trial``,
    ``expected`` of a fault is an empty frozenset, which saves time.
    """
    layout = Indenter(text, is_flat=start not in LAYOUT_STARTS)
    parser = _load_parser().parse_interactive(text, start=start)
    try:
        for token in layout.insert_layout(parser.lexer_thread.lex(parser.parser_state)):  # type: ignore[no-untyped-call]
            if token in SOFT_KEYWORDS and token.type != "NAME" and not _can_accept(parser, token.type):
                token = Token("NAME", token, token.start_pos, end_pos=token.end_pos)
            elif token.type == "NAME" and token in KEYWORDS and not _is_ordinary_word(token, text, layout):
                return _describe_fault(parser, layout, token, is_trial, is_reserved=True), layout
            parser.feed_token(token)
            if tokens is not None:
                tokens.append(token)
        last = layout.last_token
        start_pos, end_pos = (0, 0) if last is None else (last.start_pos, last.end_pos)
        return parser.feed_token(Token(_END, "", start_pos, end_pos=end_pos)), layout
    except UnexpectedToken as error:  # also of the lexer, because every character begins some terminal
        return _describe_fault(parser, layout, error.token, is_trial), layout


def _get_expected(parser: InteractiveParser) -> Collection[str]:
    """Return the terminals and rules in the parse table's row of the current state."""
    choices: Collection[str] = parser.choices()  # type: ignore[no-untyped-call]
    return choices


def _can_accept(parser: InteractiveParser, kind: str) -> bool:
    """Return whether the terminal ``kind`` is valid here.

    The row of an LALR(1) table can list a terminal that a later reduction refuses. So the terminal is tried on a
    copy.
    """
    if kind not in _get_expected(parser):
        return False
    state = parser.parser_state.copy(deepcopy_values=False)
    state.parse_conf = _make_trial_configuration(state.parse_conf.start)
    try:
        state.feed_token(Token(kind, ""), kind == _END)
    except UnexpectedToken:
        return False
    return True


def _is_ordinary_word(token: Token, text: str, layout: Indenter) -> bool:
    """Return whether a keyword is an ordinary word here: a member, or the name of an option or argument."""
    if layout.last_token is not None and layout.last_token.type in ("DOT", "OPTION"):
        return True
    return bool(layout.open) and text[token.end_pos :].lstrip().startswith(":")


def _describe_fault(
    parser: InteractiveParser, layout: Indenter, token: Token, is_trial: bool, is_reserved: bool = False
) -> ParseFault:
    """Return the fault at an unexpected token, with the kinds of token that could be there.

    A trial parse finds no such kinds, which saves time. The end of the text is placed after the last token. The type is
    "" for a token of a whole text where no text can be.
    """
    start, end = token.start_pos, token.end_pos
    if token.type == _END:
        start = end = layout.last_token.end_pos if layout.last_token is not None else 0
    expected = frozenset[str]()
    if not is_trial:
        expected = frozenset(kind for kind in _get_expected(parser) if kind.isupper() and _can_accept(parser, kind))
    has_type = token.type not in _WHOLE_TEXTS or not _WHOLE_TEXTS.isdisjoint(expected)
    return ParseFault(start, end, token.type if has_type else "", expected, layout, is_reserved)
