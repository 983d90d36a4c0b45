"""Parse effect texts into syntax trees, and report all syntax errors of a text.

After a syntax error, the parser replaces the faulty statement in a copy of the text, and parses that to find further
errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar, cast

from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostic, Diagnostics, Edit, Fix, name_subjects
from ..source.in_memory_cache_of_parsed_and_checked_texts import get_cached
from ..source.source import EmbeddedText, Span
from . import ast
from .ast import AnyRule
from .ast_builder import build_ast
from .keywords_operators_and_mistaken_words import CONNECTIVES, KEYWORDS
from .lark_parse_trees_and_indentation import LAYOUT_STARTS, Indenter, ParseFault, Token, parse_tree
from .misspelt_keywords_and_token_prediction import correct_misspelling
from .syntax_error_explanations import COLUMN_HINT, SyntaxFinding, explain_fault

_BLOCK_SUBSTITUTES = {"rule": "when x:", "option": "option x:", "else": "else if true:"}


class _RecoveryText:
    """A copy of a text in which faulty statements are replaced, for error recovery. ``start`` is the start symbol."""

    def __init__(self, start: str, text: str) -> None:
        self._start = start
        self._lines = text.split("\n")
        self._original = tuple(self._lines)
        self._replaced_lines: set[int] = set()

    @property
    def text(self) -> str:
        """The text with its replaced lines."""
        return "\n".join(self._lines)

    def get_line_number(self, offset: int) -> int:
        """Return the number of the line that contains an offset, from 0."""
        return self.text.count("\n", 0, offset)

    def is_replaced(self, offset: int) -> bool:
        """Return whether an offset lies on a line that was replaced."""
        return self.get_line_number(offset) in self._replaced_lines

    def find_original_place(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end offset in the original text of a place in :attr:`text`.

        The start keeps its line and column, and the place its length. In a replaced line, a column beyond the end of
        the original line gives that end.
        """
        line = self.get_line_number(start)
        column = start - sum(len(line_text) + 1 for line_text in self._lines[:line])
        if line in self._replaced_lines:
            column = min(column, len(self._original[line]))
        original_start = sum(len(line_text) + 1 for line_text in self._original[:line]) + column
        return original_start, original_start + end - start

    def _replace_statement(self, first: int, last: int, is_in_bracket: bool, word: str | None) -> bool:
        """Replace the statement on the lines ``first`` to ``last``, counted from 0, and return True.

        Returns False, and changes nothing, if the line ``first`` was replaced before. Behind its indentation, this line
        becomes ``stop``, or ``if true:`` if a block follows (``choose:`` if the block begins with ``option``). Before
        an ``else``, it is ``if true: stop``. An ``else``, an ``option`` and the head of a rule become
        ``else if true:``, ``option x:`` and ``when x:``, with ``stop`` behind it if no block follows. ``word`` is taken
        for the first word of the statement, and None means the word that it has. The other lines of the statement
        become empty. They include lines after ``last`` on which it continues: after a comma, or with ``by``, ``prompt``
        or ``label``. If ``is_in_bracket`` is true, the deeper lines below belong to the statement, and not to its
        block.
        """
        if first in self._replaced_lines:
            return False
        indent = self._get_indent(first)
        next_line = last + 1
        while next_line < len(self._lines):
            is_clause = re.match(r" *(by|prompt|label)\b", self._original[next_line]) is not None
            follows_comma = self._original[next_line - 1].partition("#")[0].rstrip().endswith(",")
            if not (is_clause or follows_comma or (is_in_bracket and self._is_inside(next_line, indent))):
                break
            next_line += 1
        for line in range(first + 1, next_line):
            self._lines[line] = ""
        self._lines[first] = self._lines[first][:indent] + self._make_substitute(first, next_line, indent, word)
        self._replaced_lines.update(range(first, next_line))
        return True

    def _make_substitute(self, line: int, next_start: int, indent: int, word: str | None) -> str:
        """Return a valid statement to replace the one on ``line``.

        It is the head of a block if a block or an `else` follows.
        """
        if word is None:
            word = "".join(re.findall(r"\s*(\w*)", self._original[line])[:1])
        if self._start == "rule" and all(map(self._is_empty, range(line))):
            word = "rule"
        head = _BLOCK_SUBSTITUTES.get(word, "if true:")
        next_line = next((i for i in range(next_start, len(self._lines)) if not self._is_empty(i)), None)
        if next_line is not None and self._is_inside(next_line, indent):
            return "choose:" if re.match(r" *option\b", self._lines[next_line]) else head
        before_else = (
            next_line is not None
            and re.match(r" *else\b", self._lines[next_line])
            and self._get_indent(next_line) == indent
        )
        return f"{head} stop" if word in _BLOCK_SUBSTITUTES or before_else else "stop"

    def _get_indent(self, line: int) -> int:
        return len(self._lines[line]) - len(self._lines[line].lstrip())

    def _is_inside(self, line: int, indent: int) -> bool:
        return self._is_empty(line) or self._get_indent(line) > indent

    def _is_empty(self, line: int) -> bool:
        """Return whether a line has no statement, but at most a comment."""
        return self._lines[line].lstrip()[:1] in ("", "#")


MAX_DEPTH = 100
"""Maximum nesting of nodes. Later stages recurse over the nodes, so this limit keeps them safe."""

MAX_CHARACTERS = 50_000
"""Maximum length of one effect text."""

MAX_ERRORS = 50
MAX_REPARSED_CHARACTERS = 20_000
"""Maximum number of characters that are parsed again to find further errors of a text."""


def parse_with_tokens(
    start: str, embedded: EmbeddedText, diagnostics: Diagnostics
) -> tuple[object, list[Token]] | None:
    """Return the syntax tree of a text and its tokens in order, for the formatter.

    ``start`` is the start symbol, one of ``STARTS``, such as ``block`` or ``expression``. In a block or rule, the end
    of each line of code and changes of indentation are empty tokens: ``f()`` gives ``f``, ``(``, ``)`` and ``""``. Line
    breaks in brackets or after a comma, empty lines, comments and blanks give no tokens, nor do any line breaks in
    texts of other kinds. Returns None after adding diagnostics, such as for ``pay`` or an empty text as a block. The
    result is not cached.
    """
    tokens: list[Token] = []
    tree, errors = _parse_all(start, embedded, tokens)
    diagnostics.extend(errors)
    return None if tree is None else (tree, tokens)


def _parse_cached(start: str, embedded: EmbeddedText, diagnostics: Diagnostics) -> Any:
    """Parse a text from the start symbol ``start``, or take the result from the cache.

    Adds its errors to ``diagnostics``.
    """
    key = ("nodes", start, embedded.source, embedded.base, embedded.offsets[0], embedded.text)
    tree, errors = get_cached(key, partial(_parse_all, start, embedded))
    diagnostics.extend(errors)
    return tree


T = TypeVar("T")
_Parser = Callable[[EmbeddedText, Diagnostics], T | None]
"""Parses a text of one kind. Returns None after adding diagnostics."""

parse_block: _Parser[ast.Block] = partial(_parse_cached, "block")
"""Parses a sequence of statements, as in the fields ``do`` and ``setup``."""
parse_expression: _Parser[ast.Expr] = partial(_parse_cached, "expression")
"""Parses one expression, on one or more lines."""
parse_template: _Parser[ast.TextLit] = partial(_parse_cached, "template")
"""Parses a text with ``{expression}`` parts and without quotation marks, as in the fields ``label`` and ``text``."""
parse_rule: _Parser[AnyRule] = partial(_parse_cached, "rule")
"""Parses a rule, such as ``when …``, ``instead of …`` or ``while …``."""
parse_choice_vars: _Parser[tuple[ast.ChoiceVar, ...]] = partial(_parse_cached, "choice_vars")
"""Parses the variables of a choice, as they follow the word ``choose``."""
parse_offer: _Parser[ast.Offer] = partial(_parse_cached, "offer")
"""Parses an action, or an action of cards, as it follows ``take action``."""
parse_recipient: _Parser[ast.Recipient] = partial(_parse_cached, "recipient")
"""Parses ``name where condition``: the cards that get a change."""
parse_gains: _Parser[tuple[ast.Gain, ...]] = partial(_parse_cached, "gains")
"""Parses the changes that cards get, as they follow the word ``gets``."""


def _parse_all(
    start: str, embedded: EmbeddedText, tokens: list[Token] | None = None
) -> tuple[object, list[Diagnostic]]:
    """Parse a text. After an error, replace the faulty statement and parse again until no new error is found.

    If ``tokens`` is given, it collects the tokens of a text without errors. Returns the result, or None, and the
    diagnostics.
    """
    diagnostics = Diagnostics()
    size = len(embedded.text)
    if size > MAX_CHARACTERS:
        message = f"this text has {size:,} characters; at most {MAX_CHARACTERS:,} are allowed"
        diagnostics.add(codes.TOO_LARGE, message, embedded.whole_span, "move parts of it to queries and effects")
        return None, diagnostics.list_sorted()
    draft = _RecoveryText(start, embedded.text)
    for _ in range(min(MAX_ERRORS, 1 + MAX_REPARSED_CHARACTERS // max(size, 1))):
        text = draft.text
        parse = partial(parse_tree, start, text, tokens)
        result, layout = get_cached(("tree", start, text), parse) if tokens is None else parse()
        _report_layout(layout, draft, embedded, diagnostics)
        if not isinstance(result, ParseFault) or draft.is_replaced(result.start):
            break
        if draft.text == embedded.text and _report_folded_lines(start, embedded, result, diagnostics):
            break
        finding = correct_misspelling(start, text, result, explain_fault(text, result))
        odd_lines = [draft.get_line_number(token.end_pos) for token in layout.odd_indents]
        if not odd_lines or draft.get_line_number(result.start) < odd_lines[0]:
            _report(finding, draft, embedded, diagnostics)
        # If the indentation is wrong, the block structure is unknown, and later errors would be unreliable.
        is_about_layout = odd_lines or finding.code in (codes.BAD_INDENTATION, codes.EMPTY_BLOCK)
        if start not in LAYOUT_STARTS or is_about_layout or not _replace_faulty_statement(draft, result, finding):
            break
    tree = None if isinstance(result, ParseFault) or len(diagnostics) else build_ast(result, embedded, diagnostics)
    if tree is not None and not len(diagnostics):
        _check_depth(tree, diagnostics)
    if len(diagnostics):
        return None, diagnostics.list_sorted()
    if tokens is None and re.search(r"\b(from|to)\s+(from|to)\b", embedded.text):
        _warn_about_names(start, embedded, diagnostics)
    return tree, diagnostics.list_sorted()


def _warn_about_names(start: str, embedded: EmbeddedText, diagnostics: Diagnostics) -> None:
    """Warn about each name such as ``to`` that stands next to a keyword such as ``from``."""
    tokens: list[Token] = []
    parse_tree(start, embedded.text, tokens)
    for first, second in pairwise(tokens):
        name = first if first.type == "NAME" else second
        if {str(first), str(second)} <= CONNECTIVES and (first.type == "NAME") != (second.type == "NAME"):
            word = second if name is first else first
            span = embedded.make_span(name.start_pos, name.end_pos)
            message = f"lusory reads `{name}` as a name here, next to its own word `{word}`"
            diagnostics.add(codes.WORD_AS_NAME, message, span, "rename it to make the meaning clear")


def _make_fix(embedded: EmbeddedText, place: tuple[int, int], text: str) -> Fix:
    """Return the fix that writes ``text`` in place of some characters of an effect text."""
    first, last = place
    end = len(embedded.offsets) - 1
    span = Span(embedded.base, embedded.offsets[min(first, end)], embedded.offsets[min(last, end)])
    is_quoted = embedded.base.text[embedded.offsets[0] - 1 : embedded.offsets[0]] == '"'
    new_text = text.replace('"', '\\"') if is_quoted else text
    return Fix(f"{'Insert' if first == last else 'Write'} `{text.strip()}`", (Edit(span, new_text),))


def _report(finding: SyntaxFinding, draft: _RecoveryText, embedded: EmbeddedText, diagnostics: Diagnostics) -> None:
    """Report a finding, with its places moved from the draft to the text of the author."""
    word = draft.text[slice(*finding.place)]
    fixes = [_make_fix(embedded, *finding.fix)] if finding.fix is not None and draft.text == embedded.text else []
    diagnostics.add(
        finding.code,
        finding.message,
        embedded.make_span(*draft.find_original_place(*finding.place)),
        finding.hint,
        [(embedded.make_span(*draft.find_original_place(*place)), label) for place, label in finding.notes],
        subjects=name_subjects(word) if word in KEYWORDS else (),
        is_consequence=True,  # if a declared name is a keyword, all its uses are errors that follow from that
        fixes=fixes,
    )


def _report_layout(layout: Indenter, draft: _RecoveryText, embedded: EmbeddedText, diagnostics: Diagnostics) -> None:
    """Report the lines that are indented with a tab or by an odd width."""
    odd_message = "the indentation of this line matches no line above it"
    for tokens, code, message, hint in (
        (layout.tabs, codes.TAB_INDENTATION, "this line is indented with a tab", "indent with spaces"),
        (layout.odd_indents, codes.BAD_INDENTATION, odd_message, COLUMN_HINT),
    ):
        for token in tokens:
            place = draft.find_original_place(token.end_pos, token.end_pos + 1)
            diagnostics.add(code, message, embedded.make_span(*place), hint)


def _report_folded_lines(start: str, embedded: EmbeddedText, fault: ParseFault, diagnostics: Diagnostics) -> bool:
    """Report statements that YAML has joined to one line because a `|` is missing.

    Returns whether that is the error.
    """
    source_text = embedded.base.text
    breaks = [
        i for i, sign in enumerate(embedded.text) if sign == " " and source_text.startswith("\n", embedded.offsets[i])
    ]
    if start not in LAYOUT_STARTS or not breaks or fault.start < breaks[0]:
        return False
    lines = "".join("\n" if i in breaks else sign for i, sign in enumerate(embedded.text))
    result, _ = parse_tree(start, lines)
    if isinstance(result, ParseFault) and result.start <= fault.start:
        return False
    start_line = source_text.rfind("\n", 0, max(source_text.rfind(":", 0, embedded.offsets[0]), 0)) + 1
    key = re.compile(r"[ -]*([\w-]+):[ ]*[>'\"]?[-+]?[ ]*(#.*)?\s*").fullmatch(
        source_text, start_line, embedded.offsets[0]
    )
    place = Span(embedded.base, key.end(1), key.end(1) + 1) if key else embedded.make_span(0, 1)
    shape = f"`{key[1]}: |`" if key else "`|` first"
    message = "without a `|` YAML joins the lines below to one, and these statements run together"
    diagnostics.add(
        codes.UNEXPECTED_WORD, message, place, f"write {shape}, and each statement on a line of its own below"
    )
    return True


def _replace_faulty_statement(draft: _RecoveryText, fault: ParseFault, finding: SyntaxFinding) -> bool:
    """Replace the faulty statement in the draft, or the previous one if that lacks its colon.

    Returns false if the statement was already replaced.
    """
    layout = fault.layout
    faulty = layout.statement
    if fault.type == "_INDENT" or finding.code is codes.EMPTY_BLOCK:
        faulty = layout.header
    bracket = finding.code is codes.UNMATCHED_BRACKET and finding.place[0] < fault.start
    if (
        not faulty
        and layout.header
        and draft.get_line_number(layout.header[-1].start_pos) == draft.get_line_number(fault.start)
    ):
        faulty = layout.header
    first = draft.get_line_number(faulty[0].start_pos if faulty else fault.start)
    last = draft.get_line_number(finding.place[0] if bracket else fault.start)
    word = None if faulty else "option" if "OPTION" in fault.expected else ""
    return draft._replace_statement(first, max(first, last), is_in_bracket=bool(layout.open), word=word)


def _check_depth(tree: object, diagnostics: Diagnostics) -> None:
    """Add one diagnostic if nodes are nested deeper than ``MAX_DEPTH``."""
    roots: tuple[ast.Node, ...] = tree if isinstance(tree, tuple) else (cast(ast.Node, tree),)
    stack = [(node, 1) for node in roots]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            diagnostics.add(
                codes.TOO_DEEP,
                f"this is nested more than {MAX_DEPTH} deep",
                node.span,
                hint="name parts of it with `let`, a query or an effect",
            )
            return
        stack.extend((child, depth + 1) for child in ast.iterate_children(node))
