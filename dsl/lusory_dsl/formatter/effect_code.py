"""Format effect text: keep its words, and choose blanks, line breaks and indentation.

The input is the tokens of a text that parses. Choices between synonyms therefore stay as the author wrote them: ``is``
or ``=``, optional parentheses, the order of clauses.

Example: ``if a=1:set x to 2`` becomes ``if a = 1: set x to 2``. A statement that is too long is broken after commas,
and an expression before the word with the lowest precedence, such as ``else`` or ``or``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ..source.dataclass_with_lazy_methods import ValueRecord, dataclass, field, replace
from ..syntax.lark_parse_trees_and_indentation import Token

INDENT = 2
SHORT_SOURCE = 20
CONTINUATION_INDENT = 4
"""Indentation of the parts of a long statement. It is deeper than that of its block."""

_LAYOUT = ("_NL", "_INDENT", "_DEDENT")
_ENDS_OPERAND = ("NAME", "INT", "RPAR", "RSQB", "QUOTE", "TRUE", "FALSE", "NONE")
_COMMENT = re.compile(r"#[^\n]*")
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")

_SELECTING = ("WHERE", "WITH")
_PRECEDENCE = (
    ("ELSE",),
    ("THEN",),
    _SELECTING,
    ("OR",),
    ("AND",),
    ("EQ", "NE", "LT", "LE", "GT", "GE"),
    ("UNION", "EXCEPT", "INTERSECT"),
    ("PLUS", "MINUS"),
)
"""Words before which a long expression may be broken, from lowest to highest precedence."""
_LINE_STARTS = ("ELSE", "WHERE", "OR", "AND", "UNION", "FOR")


class Piece(ValueRecord):
    """Hold a word, a sign or a whole text literal.

    Attributes:
        kind: The terminal of the grammar, such as ``NAME``. A text literal has the kind ``QUOTE``.
        depth: The number of enclosing brackets.
        has_space: Whether a blank precedes it.
    """

    kind: str
    text: str
    depth: int
    has_space: bool


class CommentLine(ValueRecord):
    """Hold a comment on a line of its own, with its column in the source.

    ``has_gap_before``: an empty line precedes it.
    """

    text: str
    column: int
    has_gap_before: bool


@dataclass
class CodeLine:
    """A statement, or its head with what follows on the same line, and the comments around it.

    ``keeps_breaks``: the line is broken as the author wrote it, because the statement contains comments.
    ``is_continuation``: it is not the first line of its statement."""

    level: int
    column: int
    has_gap_before: bool = False
    pieces: list[Piece] = field(default_factory=list)
    comments_above: list[CommentLine] = field(default_factory=list)
    end_comment: str = ""  # a comment at the end of the line
    keeps_breaks: bool = False
    is_continuation: bool = False


class FormattedCode(ValueRecord):
    """Hold a parsed effect text, ready for output.

    Attributes:
        lines: The statements, or their lines where comments keep the author's breaks.
        comments_below: The comments behind the last line.
        is_flat: Whether it is an expression or a similar text, in which line breaks mean nothing.
        is_multiline: Whether the author wrote it on several lines.
    """

    lines: tuple[CodeLine, ...]
    comments_below: tuple[CommentLine, ...]
    is_flat: bool
    is_multiline: bool

    @property
    def has_comments(self) -> bool:
        """True if the text contains any comment."""
        return bool(self.comments_below) or any(line.comments_above or line.end_comment for line in self.lines)

    def format_on_one_line(self) -> str | None:
        """Return the text on one line, or None if a statement begins on a further line, or if it has any comment."""
        if len(self.lines) != 1 or self.has_comments:
            return None
        return _join_pieces(self.lines[0].pieces)

    def format_lines(self, width: int) -> list[str]:
        """Return the text as lines without line breaks, of at most ``width`` characters if that is possible.

        Blocks are indented. Comments are included. A statement that contains comments keeps the author's line breaks.
        An expression is broken even if it fits, unless it has comments and the author wrote it on one line.
        """

        def format_line(line: CodeLine) -> Iterable[str]:
            """Return the lines of one line of code, without its own indentation.

            A line with ``keeps_breaks`` stays whole. The expression ``a + b`` gives ``a`` and ``+ b`` even if it fits,
            unless the text has comments and the author wrote it on one line. The statements ``stop; pay(2)`` give
            ``stop`` and ``pay(2)``, but ``if a: stop; pay(2)`` stays whole if it fits. ``else`` begins a new line.
            """
            if line.keeps_breaks:
                return [_join_pieces(line.pieces)]
            if self.is_flat:
                return _break_expression(
                    line.pieces, width, _PRECEDENCE, must_break=self.is_multiline or not self.has_comments
                )
            return _format_statement(line.pieces, width - INDENT * line.level)

        return list(_lay_out(self.lines, self.comments_below, format_line))


def build_code(start: str, text: str, tokens: Sequence[Token], is_multiline: bool) -> FormattedCode:
    """Return the code of a text that parsed, from its tokens and from the comments that only ``text`` contains.

    Its ``lines`` have a CodeLine for each statement, also for nested ones and for ``else:``, but one for ``if a: stop``
    or ``stop; pay(2)`` on one line. Other start rules than ``block`` and ``rule``, such as ``expression``, give a flat
    text of one CodeLine. Comments between the words of a statement or flat text keep its line breaks: ``1 + # c`` above
    ``2`` gives two. A comment is no CodeLine: it is in ``comments_above`` or ``end_comment`` of one, or at the end in
    ``comments_below``. ``is_multiline`` says whether the author wrote several lines. In a flat text with comments, it
    is instead taken from the text without the comments around it.
    """
    is_flat = start not in ("block", "rule")
    reader = _Reader(text, 0 if is_flat else CONTINUATION_INDENT // INDENT)
    reader.read(tokens)
    code = FormattedCode(tuple(reader.finished_lines), tuple(reader.comments), is_flat, is_multiline)
    # The comment lines around an expression don't count for whether it spans several lines.
    if is_flat and code.has_comments:
        code_tokens = [token for token in tokens if token.type not in _LAYOUT]
        return replace(code, is_multiline="\n" in text[code_tokens[0].start_pos : code_tokens[-1].end_pos])
    return code


def format_template(text: str, tokens: Sequence[Token]) -> str:
    """Return a text without quotation marks, with the expressions in its braces formatted:

    ``{a+b} gold`` → ``{a + b} gold``.
    """
    quoted_tokens = (Token("QUOTE", "", 0, end_pos=0), *tokens, Token("QUOTE", "", len(text), end_pos=len(text)))
    return _join_pieces(list(_iterate_pieces(text, quoted_tokens)))


def _join_pieces(pieces: Sequence[Piece]) -> str:
    """Return pieces on one line. No blank precedes the first piece."""
    return "".join(f" {piece.text}" if piece.has_space and index else piece.text for index, piece in enumerate(pieces))


# ---------------------------------------------------------------- words -> lines


class _Reader:
    """Group tokens into lines, and assign each comment to a line.

    ``further_level`` is the additional indentation level of lines that the author broke.
    """

    def __init__(self, text: str, further_level: int) -> None:
        self.text = text
        self.further_level = further_level
        self.finished_lines: list[CodeLine] = []
        self.comments: list[CommentLine] = []  # comments that precede the next line
        self.rows: list[tuple[CodeLine, list[Token]]] = []  # the current statement, in the author's lines

    def read(self, tokens: Sequence[Token]) -> None:
        """Append a CodeLine to ``finished_lines`` for each statement, and each ``else:``, that the tokens form.

        Code behind a colon or ``;`` on the same line belongs to that line. A statement that the author broke becomes
        one CodeLine. If comments stand between its parts, each of the author's lines becomes one instead, with
        ``keeps_breaks``. A comment at the end of a line is its ``end_comment``, a text such as ``# why``. Others go as
        CommentLine into ``comments_above`` of the next line. After the last line, they go into ``self.comments``.
        """
        level = end = 0
        for token in tokens:
            if token.type in _LAYOUT:
                level += {"_NL": 0, "_INDENT": 1, "_DEDENT": -1}[token.type]
                self._finish_statement()
                continue
            follows_gap = self._collect_comments(end, token.start_pos)
            if not self.rows or "\n" in self.text[end : token.start_pos]:
                has_gap_before = follows_gap and bool(self.rows or self.finished_lines)
                line = CodeLine(level, self._get_column(token.start_pos), has_gap_before, comments_above=self.comments)
                self.rows.append((line, []))
                self.comments = []
            self.rows[-1][1].append(token)
            end = token.end_pos
        self._finish_statement()
        self._collect_comments(end, len(self.text))

    def _finish_statement(self) -> None:
        """Finish a statement: one line, or the author's lines if there are comments between them."""
        if not self.rows:
            return
        (first_line, _), *later_rows = self.rows
        if any(line.comments_above for line, _ in later_rows) or any(line.end_comment for line, _ in self.rows[:-1]):
            previous_token: Token | None = None
            for line, tokens in self.rows:
                line.keeps_breaks, line.is_continuation = True, line is not first_line
                line.level += self.further_level * line.is_continuation
                line.pieces = list(_iterate_pieces(self.text, tokens, previous_token))
                previous_token = tokens[-1]
                self.finished_lines.append(line)
        else:
            first_line.end_comment = self.rows[-1][0].end_comment
            first_line.pieces = list(_iterate_pieces(self.text, [token for _, row in self.rows for token in row]))
            self.finished_lines.append(first_line)
        self.rows = []

    def _collect_comments(self, start: int, end: int) -> bool:
        """Collect the comments between two words. Return whether an empty line precedes the second word."""
        gap = self.text[start:end]
        line_above = self.rows[-1][0] if self.rows else self.finished_lines[-1] if self.finished_lines else None
        position = 0
        for match in _COMMENT.finditer(gap):
            text_before, comment = gap[position : match.start()], match[0].rstrip()
            position = match.end()
            if line_above is not None and "\n" not in gap[: match.start()]:
                line_above.end_comment = comment
            else:
                has_gap_before = line_above is not None and bool(_EMPTY_LINE.search(text_before))
                self.comments.append(CommentLine(comment, self._get_column(start + match.start()), has_gap_before))
        return bool(_EMPTY_LINE.search(gap[position:]))

    def _get_column(self, offset: int) -> int:
        return offset - (self.text.rfind("\n", 0, offset) + 1)


def _iterate_pieces(text: str, tokens: Sequence[Token], previous: Token | None = None) -> Iterator[Piece]:
    """Yield words with the blanks between them. A text literal is one piece, with its embedded expressions formatted.

    ``previous`` is the word before them.
    """
    open_brackets: list[str] = []
    literal = ""  # the text literal so far
    is_sign = False  # True: the previous word is the sign of a number
    for token in tokens:
        kind = token.type
        is_in_text = bool(open_brackets) and open_brackets[-1] == "QUOTE"
        if kind in ("QUOTE", "RPAR", "RSQB", "RBRACE") and open_brackets and (kind != "QUOTE" or is_in_text):
            open_brackets.pop()
        if is_in_text and previous is not None:
            space = text[previous.end_pos : token.start_pos]  # blanks inside a text stay as they are
        else:
            space = " " if previous and _needs_space(previous, token, is_sign) else ""
        depth = len(open_brackets)
        is_sign = kind in ("PLUS", "MINUS") and (previous is None or previous.type not in _ENDS_OPERAND)
        is_opening = kind in ("LPAR", "LSQB", "LBRACE") or (kind == "QUOTE" and not is_in_text)
        if is_opening:
            open_brackets.append(kind)
        starts_literal = kind == "QUOTE" and not is_in_text and "QUOTE" not in open_brackets[:-1]
        if starts_literal:
            literal, has_space = token, bool(space)
        elif "QUOTE" in open_brackets:
            literal += space + token
        elif kind == "QUOTE":
            yield Piece("QUOTE", literal + space + token, depth, has_space)
        else:
            yield Piece(kind, token, depth, bool(space))
        previous = token


def _needs_space(previous: Token, token: Token, is_sign: bool) -> bool:
    """Return whether a blank separates two words outside texts."""
    if is_sign or previous.type in ("LPAR", "LSQB", "LBRACE", "DOT", "DOTS"):
        return False
    if token.type in ("RPAR", "RSQB", "RBRACE", "COMMA", "COLON", "SEMICOLON", "DOT", "DOTS"):
        return False
    if token.type == "LPAR":
        return previous.type not in (*_ENDS_OPERAND, "ANY", "ALL")
    return not (token.type == "LSQB" and previous.type in _ENDS_OPERAND)


# ---------------------------------------------------------------- lines -> text


def _lay_out(
    lines: Iterable[CodeLine], comments_below: Iterable[CommentLine], format_line: Callable[[CodeLine], Iterable[str]]
) -> Iterator[str]:
    """Yield the lines with their comments and indentation. ``format_line`` formats the pieces of a line."""
    open_lines: list[CodeLine] = []  # the enclosing lines, one for each level
    for line in lines:
        yield from _lay_out_comments(line.comments_above, open_lines, line)
        if line.has_gap_before:
            yield ""
        lead = " " * INDENT * line.level
        *earlier, last_text = format_line(line)
        yield from (f"{lead}{text}" for text in earlier)
        yield f"{lead}{last_text}  {line.end_comment}" if line.end_comment else f"{lead}{last_text}"
        if not line.is_continuation:
            open_lines[line.level :] = [line]
    yield from _lay_out_comments(comments_below, open_lines, CodeLine(0, 0))


def _lay_out_comments(comments: Iterable[CommentLine], open_lines: list[CodeLine], below: CodeLine) -> Iterator[str]:
    """Yield the comments between two lines. Each gets the indentation of the block that the author aligned it with."""
    for comment in comments:
        levels = [line.level for line in open_lines if line.column <= comment.column and line.level > below.level]
        level = max([below.level, *levels])
        if comment.has_gap_before:
            yield ""
        yield f"{' ' * INDENT * level}{comment.text}"


def _format_statement(pieces: list[Piece], width: int) -> Iterator[str]:
    """Format a statement on one line, or split it at `else` clauses and after the head of a block."""
    for clause in _split(pieces, _find_else(pieces, 0)):
        colon = next((i for i, piece in enumerate(clause) if piece.kind == "COLON" and not piece.depth), len(clause))
        head, body = clause[: colon + 1], clause[colon + 1 :]
        statements = [part for part in _split_at_sign(body, "SEMICOLON") if part]
        if colon == len(clause):
            for part in _split_at_sign(head, "SEMICOLON"):
                yield from _format_parts(part, width) if part else ()
        elif statements and len(line := f"{_join_pieces(head)} {'; '.join(map(_join_pieces, statements))}") <= width:
            yield line
        else:
            yield from _format_parts(head, width)
            for part in statements:
                yield from (f"{' ' * INDENT}{line}" for line in _format_parts(part, width - INDENT))


def _find_else(pieces: list[Piece], depth: int) -> set[int]:
    """Return the indices of each `else` that stands in at most ``depth`` conditional expressions, outside brackets.

    For 0, these belong to statements. For 1, they also belong to the outermost conditional expression.
    """
    else_indices, open_thens = set[int](), 0
    for i, piece in enumerate(pieces):
        if piece.kind == "THEN" and not piece.depth:
            open_thens += 1
        elif piece.kind == "ELSE" and not piece.depth:
            if open_thens <= depth and i:
                else_indices.add(i)
            open_thens = max(open_thens - 1, 0)
    return else_indices


def _split(pieces: list[Piece], indices: Collection[int]) -> list[list[Piece]]:
    """Split pieces before each of ``indices``."""
    parts: list[list[Piece]] = [[]]
    for i, piece in enumerate(pieces):
        if i in indices:
            parts.append([])
        parts[-1].append(piece)
    return parts


def _split_at_sign(pieces: list[Piece], sign: str) -> list[list[Piece]]:
    """Split pieces at each ``sign`` outside brackets, and drop the signs."""
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.kind == sign and not piece.depth:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def _format_parts(pieces: list[Piece], width: int) -> Iterator[str]:
    """Format a simple statement or a head on one line, or with a line for each part between commas."""
    line = _join_pieces(pieces)
    if len(line) <= width:
        yield line
        return
    parts = _split_at_sign(pieces, "COMMA")
    texts = [_join_pieces(part) + ("," if part is not parts[-1] else "") for part in parts]
    if [piece.kind for piece in pieces[:2]] == ["TAKE", "ACTION"]:
        yield from _fill_lines(texts, width, CONTINUATION_INDENT)
        return
    for number, part in enumerate(parts):
        lead = CONTINUATION_INDENT if number else 0
        comma = "," if number < len(parts) - 1 else ""
        yield from (" " * lead + line for line in _wrap(part, comma, width - lead))


def _fill_lines(words: Iterable[str], width: int, lead: int) -> Iterator[str]:
    """Fill lines with words up to ``width``. All lines but the first are indented."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = " " * lead + word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _wrap(pieces: list[Piece], suffix: str, width: int, further_indent: int = CONTINUATION_INDENT) -> Iterator[str]:
    """Break a part that is too long inside its brackets, after a comma or before a word."""
    lead = 0
    while len(_join_pieces(pieces)) + len(suffix) + lead > width:
        places = [i for i in range(1, len(pieces)) if pieces[i].depth and pieces[i].has_space]
        fitting_places = [i for i in places if len(_join_pieces(pieces[:i])) + lead <= width]
        best_places = [i for i in fitting_places if len(_join_pieces(pieces[:i])) + lead > width // 3] or fitting_places
        if not best_places:
            break
        # a line that begins after a comma, or at one of these words, is easy to read
        good_places = {i for i in best_places if pieces[i - 1].kind == "COMMA" or pieces[i].kind in _LINE_STARTS}
        place = min(best_places, key=lambda i: (pieces[i].depth, i not in good_places, -i))
        yield " " * lead + _join_pieces(pieces[:place])
        pieces, lead = pieces[place:], further_indent
    yield " " * lead + _join_pieces(pieces) + suffix


def _format_branch(pieces: list[Piece], width: int) -> Iterator[str]:
    """Format a branch of a conditional. A nested conditional goes below its `then`, indented."""
    then_index = next((i for i, piece in enumerate(pieces) if piece.kind == "THEN" and not piece.depth), len(pieces))
    nested_pieces = pieces[then_index + 1 :]
    if not nested_pieces or nested_pieces[0].kind != "IF":
        yield from _break_expression(pieces, width, _PRECEDENCE[1:])
        return
    yield from _break_expression(pieces[: then_index + 1], width, _PRECEDENCE[1:])
    yield from (" " * INDENT + line for line in _break_expression(nested_pieces, width - INDENT, _PRECEDENCE))


def _break_expression(
    pieces: list[Piece], width: int, break_kinds: Sequence[tuple[str, ...]], must_break: bool = False
) -> Iterator[str]:
    """Yield an expression on one line if it fits into ``width``, or broken at commas, then before the words of lowest
    precedence.

    ``break_kinds`` are the kinds of pieces to break before, lowest precedence first. If none stands there, words are
    wrapped. With ``must_break``, it is broken even if it fits.
    """
    if not must_break and len(_join_pieces(pieces)) <= width:
        yield _join_pieces(pieces)
        return
    *earlier_parts, last_part = _split_at_sign(pieces, "COMMA")
    if earlier_parts:
        for part in earlier_parts:
            *lines, end = _break_expression(part, width - 1, _PRECEDENCE)
            yield from (*lines, f"{end},")
        pieces = last_part
        if len(_join_pieces(pieces)) <= width:
            yield _join_pieces(pieces)
            return
    for number, kinds in enumerate(break_kinds):
        break_indices = [i for i, piece in enumerate(pieces) if i and piece.kind in kinds and not piece.depth]
        if kinds == ("ELSE",):
            break_indices = sorted(_find_else(pieces, 1))
        elif "PLUS" in kinds:
            # after no operand, it is the sign of a number
            break_indices = [i for i in break_indices if pieces[i - 1].kind in _ENDS_OPERAND]
        elif kinds == _SELECTING and break_indices and len(_join_pieces(pieces[: break_indices[0]])) <= SHORT_SOURCE:
            continue  # the source of the selection is too short for a line of its own
        if break_indices:
            for part in _split(pieces, break_indices):
                if kinds == ("ELSE",):
                    yield from _format_branch(part, width)
                else:
                    yield from _break_expression(part, width, break_kinds[number + 1 :])
            return
    yield from _wrap(pieces, "", width, INDENT)
