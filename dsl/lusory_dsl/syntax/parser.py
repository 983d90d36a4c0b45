"""Parse effect texts into syntax trees, and report all syntax errors of a text.

After a syntax error, the parser replaces the faulty statement in a :class:`Draft` and parses again, to find further
errors.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import cast

from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostic, Diagnostics, about_name
from ..source.lazy_dataclass import dataclass
from ..source.memo import remembered
from ..source.source import Embedded, Span
from . import ast
from .ast import AnyRule
from .ast_builder import build
from .grammar import LAYOUT_STARTS, Fault, Indenter, Token, run
from .keywords import CONNECTING, KEYWORDS, beside
from .syntax_errors import COLUMNS, SyntaxFault, explain, respelt

HEADS = {"rule": "when x:", "option": "option x:", "else": "else if true:"}


class Draft:
    """A copy of a text in which faulty statements are replaced, for error recovery. ``start`` is the start symbol."""

    def __init__(self, start: str, text: str) -> None:
        self._start = start
        self._lines = text.split("\n")
        self._original = tuple(self._lines)
        self._mended: set[int] = set()

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset)

    def is_mended(self, offset: int) -> bool:
        """Return whether an offset lies on a line that was replaced."""
        return self.line_of(offset) in self._mended

    def original(self, offset: int) -> int:
        """Return the offset in the original text that corresponds to an offset in the draft."""
        line = self.line_of(offset)
        column = offset - sum(len(each) + 1 for each in self._lines[:line])
        if line in self._mended:
            column = min(column, len(self._original[line]))
        return sum(len(each) + 1 for each in self._original[:line]) + column

    def mend(self, first: int, last: int, in_bracket: bool, word: str | None = None) -> bool:
        """Replace the statement on the lines ``first`` to ``last``. Returns false if that was done before.

        If ``in_bracket`` is true, the deeper lines below belong to the statement itself, and not to its block.
        ``word`` overrides the first word of the statement.
        """
        if first in self._mended:
            return False
        indent = self._indent(first)
        following = last + 1
        while following < len(self._lines) and (
            (in_bracket and self._is_inside(following, indent)) or self._goes_on(following - 1)
        ):
            following += 1
        for line in range(first + 1, following):
            self._blank(line)
        self._lines[first] = self._lines[first][:indent] + self._substitute(first, following, indent, word)
        self._mended.add(first)
        return True

    def _substitute(self, line: int, following: int, indent: int, word: str | None) -> str:
        """Return a valid statement to replace the one on ``line``.

        It is the head of a block if a block or an `else` follows.
        """
        if word is None:
            word = "".join(re.findall(r"\s*(\w*)", self._original[line])[:1])
        if self._start == "rule" and not any(each.strip() for each in self._lines[:line]):
            word = "rule"
        head = HEADS.get(word, "if true:")
        after = next((n for n in range(following, len(self._lines)) if self._lines[n].strip()), None)
        if after is not None and self._is_inside(after, indent):
            return "choose:" if re.match(r" *option\b", self._lines[after]) else head
        before_else = after is not None and re.match(r" *else\b", self._lines[after]) and self._indent(after) == indent
        return f"{head} stop" if word in HEADS or before_else else "stop"

    def _indent(self, line: int) -> int:
        return len(self._lines[line]) - len(self._lines[line].lstrip())

    def _is_inside(self, line: int, indent: int) -> bool:
        return not self._lines[line].strip() or self._indent(line) > indent

    def _goes_on(self, line: int) -> bool:
        """Return whether the statement on a line continues on the next line."""
        after = self._original[line + 1 : line + 2]
        is_clause = bool(after) and re.match(r" *(by|prompt|label)\b", after[0]) is not None
        return is_clause or self._original[line].partition("#")[0].rstrip().endswith(",")

    def _blank(self, line: int) -> None:
        self._lines[line] = ""
        self._mended.add(line)


MAX_DEPTH = 100
"""Maximum nesting of nodes. Later stages recurse over the nodes, so this limit keeps them safe."""

MAX_CHARACTERS = 50_000
"""Maximum length of one effect text."""

MAX_ERRORS = 50
MOST_AGAIN = 20_000
"""Maximum number of characters that are parsed again to find further errors of a text."""


@dataclass(frozen=True)
class Lexeme:
    """A token of a text, ``text[start:end]``, with its terminal of the grammar.

    ``kind`` is ``NAME`` for a name, and a word in capitals for a keyword. The layout tokens ``_NL``, ``_INDENT`` and
    ``_DEDENT`` are empty.
    """

    kind: str
    text: str
    start: int
    end: int


def lexemes(start: str, embedded: Embedded, diagnostics: Diagnostics) -> tuple[object, tuple[Lexeme, ...]] | None:
    """Return the parsed text and its tokens, for the formatter. Returns None after adding diagnostics."""
    fed: list[Token] = []
    parsed, found = _parsed(start, embedded, fed)
    diagnostics.extend(found)
    if parsed is None:
        return None
    return parsed, tuple(Lexeme(t.type, str(t), t.start_pos, t.end_pos) for t in fed)


def parse_block(embedded: Embedded, diagnostics: Diagnostics) -> ast.Block | None:
    """Parse a sequence of statements, as in the fields ``do`` and ``setup``. Returns None after adding diagnostics."""
    return cast("ast.Block | None", _parse("block", embedded, diagnostics))


def parse_expression(embedded: Embedded, diagnostics: Diagnostics) -> ast.Expr | None:
    """Parse one expression, on one or more lines. Returns None after adding diagnostics."""
    return cast("ast.Expr | None", _parse("expression", embedded, diagnostics))


def parse_template(embedded: Embedded, diagnostics: Diagnostics) -> ast.TextLit | None:
    """Parse a text with ``{expression}`` parts and without quotation marks, as in the fields ``label`` and ``text``.

    Returns None after adding diagnostics.
    """
    return cast("ast.TextLit | None", _parse("template", embedded, diagnostics))


def parse_rule(embedded: Embedded, diagnostics: Diagnostics) -> AnyRule | None:
    """Parse a rule, such as ``when …``, ``instead of …`` or ``while …``. Returns None after adding diagnostics."""
    return cast("AnyRule | None", _parse("rule", embedded, diagnostics))


def parse_choice_vars(embedded: Embedded, diagnostics: Diagnostics) -> tuple[ast.ChoiceVar, ...] | None:
    """Parse the variables of a choice, as they follow the word ``choose``. Returns None after adding diagnostics."""
    return cast("tuple[ast.ChoiceVar, ...] | None", _parse("choice_vars", embedded, diagnostics))


def parse_offer(embedded: Embedded, diagnostics: Diagnostics) -> ast.Offer | None:
    """Parse an action, or an action of cards, as it follows ``take action``. Returns None after adding diagnostics."""
    return cast("ast.Offer | None", _parse("offer", embedded, diagnostics))


def parse_recipient(embedded: Embedded, diagnostics: Diagnostics) -> ast.Recipient | None:
    """Parse ``name where condition``: the cards that get a change. Returns None after adding diagnostics."""
    return cast("ast.Recipient | None", _parse("recipient", embedded, diagnostics))


def parse_gains(embedded: Embedded, diagnostics: Diagnostics) -> tuple[ast.Gain, ...] | None:
    """Parse the changes that cards get, as they follow the word ``gets``. Returns None after adding diagnostics."""
    return cast("tuple[ast.Gain, ...] | None", _parse("gains", embedded, diagnostics))


def _parse(start: str, embedded: Embedded, diagnostics: Diagnostics) -> object:
    """Parse a text from the start symbol ``start``, or take the result from the cache.

    Adds its errors to ``diagnostics``.
    """
    key = ("nodes", start, embedded.source, embedded.offsets[0], embedded.text)
    parsed, found = remembered(key, partial(_parsed, start, embedded))
    diagnostics.extend(found)
    return parsed


def _parsed(start: str, embedded: Embedded, fed: list[Token] | None = None) -> tuple[object, list[Diagnostic]]:
    """Parse a text. After an error, replace the faulty statement and parse again until no new error is found.

    If ``fed`` is given, it collects the tokens of a text without errors. Returns the result, or None, and the
    diagnostics.
    """
    found = Diagnostics()
    size = len(embedded.text)
    if size > MAX_CHARACTERS:
        message = f"this text has {size:,} characters; at most {MAX_CHARACTERS:,} are read"
        found.add(
            diagnostic_codes.TOO_LARGE, message, embedded.whole, "divide it: put parts of it into queries and effects"
        )
        return None, found.sorted()
    draft = Draft(start, embedded.text)
    for _ in range(min(MAX_ERRORS, 1 + MOST_AGAIN // max(size, 1))):
        text = draft.text
        parse = partial(run, start, text, fed)
        result, layout = remembered(("tree", start, text), parse) if fed is None else parse()
        _report_layout(layout, draft, embedded, found)
        if not isinstance(result, Fault):
            break
        if draft.is_mended(result.start):
            break
        if draft.text == embedded.text and _report_folded_lines(start, embedded, result, found):
            break
        finding = respelt(start, text, result, explain(text, result))
        odd = [draft.line_of(token.end_pos) for token in layout.odd_indents]
        if not odd or draft.line_of(result.start) < odd[0]:
            _report(finding, draft, embedded, found)
        if start not in LAYOUT_STARTS or _is_about_layout(finding, layout) or not _mend(draft, result, finding):
            break
    parsed = None if isinstance(result, Fault) or len(found) else build(result, embedded, found)
    if parsed is not None and not len(found):
        _check_depth(parsed, found)
    if len(found):
        return None, found.sorted()
    if fed is None and beside(embedded.text):
        _warn_of_names(start, embedded, found)
    return parsed, found.sorted()


def _warn_of_names(start: str, embedded: Embedded, found: Diagnostics) -> None:
    """Warn about each name such as ``to`` that stands next to a keyword such as ``from``."""
    fed: list[Token] = []
    run(start, embedded.text, fed)
    for one, other in pairwise(fed):
        name = one if one.type == "NAME" else other
        if {str(one), str(other)} <= CONNECTING and (one.type == "NAME") != (other.type == "NAME"):
            word = other if name is one else one
            at = embedded.span(name.start_pos, name.end_pos)
            message = f"`{name}` is a name here, beside the word `{word}` of the language"
            found.add(
                diagnostic_codes.WORD_AS_NAME, message, at, "give it another name, so that it reads as it is meant"
            )


def _is_about_layout(finding: SyntaxFault, layout: Indenter) -> bool:
    """Return whether the indentation is wrong.

    Later errors are then unreliable, because the block structure is unknown.
    """
    return bool(layout.odd_indents) or finding.code in (diagnostic_codes.BAD_INDENTATION, diagnostic_codes.EMPTY_BLOCK)


def _report(finding: SyntaxFault, draft: Draft, embedded: Embedded, found: Diagnostics) -> None:
    def span(start: int, end: int) -> tuple[int, int]:
        first = draft.original(start)
        return first, first + end - start

    word = draft.text[slice(*finding.place)]
    found.add(
        finding.code,
        finding.message,
        embedded.span(*span(*finding.place)),
        finding.hint,
        [(embedded.span(*span(*place)), label) for place, label in finding.notes],
        about=about_name(word) if word in KEYWORDS else (),
        follows=True,  # if a declared name is a keyword, all its uses are errors that follow from that
    )


def _report_layout(layout: Indenter, draft: Draft, embedded: Embedded, found: Diagnostics) -> None:
    for tokens, finding in (
        (layout.tabs, (diagnostic_codes.TAB_INDENTATION, "this line is indented with a tab", "indent with spaces")),
        (
            layout.odd_indents,
            (diagnostic_codes.BAD_INDENTATION, "this line is indented like none of the blocks around it", COLUMNS),
        ),
    ):
        code, message, hint = finding
        for token in tokens:
            at = draft.original(token.end_pos)
            found.add(code, message, embedded.span(at, at + 1), hint)


def _report_folded_lines(start: str, embedded: Embedded, fault: Fault, found: Diagnostics) -> bool:
    """Report statements that YAML has joined to one line because a `|` is missing.

    Returns whether that is the error.
    """
    written = embedded.source.text
    breaks = [i for i, sign in enumerate(embedded.text) if sign == " " and written[embedded.offsets[i]] == "\n"]
    if start not in LAYOUT_STARTS or not breaks or fault.start < breaks[0]:
        return False
    lines = "".join("\n" if i in breaks else sign for i, sign in enumerate(embedded.text))
    apart, _ = run(start, lines)
    if isinstance(apart, Fault) and apart.start <= fault.start:
        return False
    start_line = written.rfind("\n", 0, max(written.rfind(":", 0, embedded.offsets[0]), 0)) + 1
    key = re.compile(r"[ -]*([\w-]+):[ ]*[>'\"]?[-+]?[ ]*(#.*)?\s*").fullmatch(written, start_line, embedded.offsets[0])
    place = Span(embedded.source, key.end(1), key.end(1) + 1) if key else embedded.span(0, 1)
    shape = f"`{key[1]}: |`" if key else "`|` first"
    message = "without a `|` YAML joins the lines below to one, and these statements run together"
    found.add(
        diagnostic_codes.UNEXPECTED_WORD,
        message,
        place,
        f"write {shape}, and each statement on a line of its own below",
    )
    return True


def _mend(draft: Draft, fault: Fault, finding: SyntaxFault) -> bool:
    """Replace the faulty statement in the draft, or the previous one if that lacks its colon.

    Returns false if the statement was already replaced.
    """
    layout = fault.layout
    faulty = layout.statement
    if fault.type == "_INDENT" or finding.code is diagnostic_codes.EMPTY_BLOCK:
        faulty = layout.header
    bracket = finding.code is diagnostic_codes.UNMATCHED_BRACKET and finding.place[0] < fault.start
    if not faulty and layout.header and draft.line_of(layout.header[-1].start_pos) == draft.line_of(fault.start):
        faulty = layout.header
    first = draft.line_of(faulty[0].start_pos if faulty else fault.start)
    last = draft.line_of(finding.place[0] if bracket else fault.start)
    word = None if faulty else "option" if "OPTION" in fault.expected else ""
    return draft.mend(first, max(first, last), in_bracket=bool(layout.open), word=word)


def _check_depth(parsed: object, found: Diagnostics) -> None:
    """Add one diagnostic if nodes are nested deeper than ``MAX_DEPTH``."""
    todo = [(node, 1) for node in _roots(parsed)]
    while todo:
        node, depth = todo.pop()
        if depth > MAX_DEPTH:
            found.add(
                diagnostic_codes.TOO_DEEP,
                f"this is nested more than {MAX_DEPTH} deep",
                node.span,
                hint="give parts of it names: with `let`, a query or an effect",
            )
            return
        todo.extend((child, depth + 1) for child in ast.children(node))


def _roots(parsed: object) -> tuple[ast.Node, ...]:
    return parsed if isinstance(parsed, tuple) else (cast(ast.Node, parsed),)
