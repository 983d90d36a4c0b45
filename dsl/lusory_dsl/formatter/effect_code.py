"""Format effect text: keep its words, and set blanks, line breaks and indentation.

The input is the lexemes of a text that parses. Choices between synonyms therefore stay as the author wrote them: ``is``
or ``=``, optional parentheses, the order of clauses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ..source.lazy_dataclass import dataclass, field, replace
from ..syntax.parser import Lexeme

INDENT = 2
SHORT = 20
CONTINUED = 4
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


@dataclass(frozen=True)
class Piece:
    """A word, a sign or a whole text literal.

    ``depth`` is the number of enclosing brackets. ``space`` says whether a blank precedes it.
    """

    kind: str
    text: str
    depth: int
    space: bool


@dataclass(frozen=True)
class Remark:
    """A comment on a line of its own, with its column in the source. ``apart``: an empty line precedes it."""

    text: str
    column: int
    apart: bool


@dataclass
class CodeLine:
    """A statement, or its head with what follows on the same line, and the comments around it.

    ``kept``: the line is broken as the author wrote it, because the statement contains comments. ``continued``: it is
    not the first line of its statement.
    """

    level: int
    column: int
    apart: bool = False
    pieces: list[Piece] = field(default_factory=list)
    before: list[Remark] = field(default_factory=list)
    behind: str = ""  # a comment at the end of the line
    kept: bool = False
    continued: bool = False


@dataclass(frozen=True)
class FormattedCode:
    """A parsed effect text, ready for output. ``after`` holds the comments after the last line."""

    lines: tuple[CodeLine, ...]
    after: tuple[Remark, ...]
    is_flat: bool  # an expression or a similar text, in which line breaks mean nothing
    stands_apart: bool  # the author wrote it on several lines

    @property
    def has_remarks(self) -> bool:
        return bool(self.after) or any(line.before or line.behind for line in self.lines)

    def on_one_line(self) -> str | None:
        """Return the text on one line. Return None if it has several lines or comments."""
        if len(self.lines) != 1 or self.has_remarks:
            return None
        return joined(self.lines[0].pieces)

    def on_lines(self, width: int) -> list[str]:
        """Return the text as lines of at most ``width`` characters, for a block below its key."""

        def written(line: CodeLine) -> Iterable[str]:
            if line.kept:
                return [joined(line.pieces)]
            if self.is_flat:
                return _broken(line.pieces, width, _PRECEDENCE, always=self.stands_apart or not self.has_remarks)
            return _statement(line.pieces, width - INDENT * line.level)

        return list(_laid_out(self.lines, self.after, written))


def code_of(start: str, text: str, lexemes: Sequence[Lexeme], stands_apart: bool) -> FormattedCode:
    """Build the code from the lexemes of a text. ``start`` is the grammar rule that parsed it."""
    is_flat = start not in ("block", "rule")
    reader = _Reader(text, 0 if is_flat else CONTINUED // INDENT)
    reader.read(lexemes)
    code = FormattedCode(tuple(reader.lines), tuple(reader.remarks), is_flat, stands_apart)
    # The comment lines around an expression don't count for whether it spans several lines.
    if is_flat and code.has_remarks:
        words = [lexeme for lexeme in lexemes if lexeme.kind not in _LAYOUT]
        return replace(code, stands_apart="\n" in text[words[0].start : words[-1].end])
    return code


def template_of(text: str, lexemes: Sequence[Lexeme]) -> str:
    """Format a text without quotation marks, including the expressions in its braces."""
    opened = (Lexeme("QUOTE", "", 0, 0), *lexemes, Lexeme("QUOTE", "", len(text), len(text)))
    return joined(list(_pieces(text, opened)))


def joined(pieces: Sequence[Piece]) -> str:
    """Join pieces on one line."""
    return "".join(f" {p.text}" if p.space and i else p.text for i, p in enumerate(pieces))


# ---------------------------------------------------------------- words -> lines


class _Reader:
    """Group lexemes into lines, and assign each comment to a line.

    ``further`` is the additional indentation level of lines that the author broke.
    """

    def __init__(self, text: str, further: int) -> None:
        self.text = text
        self.further = further
        self.lines: list[CodeLine] = []
        self.remarks: list[Remark] = []  # comments that precede the next line
        self.rows: list[tuple[CodeLine, list[Lexeme]]] = []  # the current statement, in the author's lines

    def read(self, lexemes: Sequence[Lexeme]) -> None:
        level = end = 0
        for lexeme in lexemes:
            if lexeme.kind in _LAYOUT:
                level += {"_NL": 0, "_INDENT": 1, "_DEDENT": -1}[lexeme.kind]
                self._finish()
                continue
            apart = self._comments(end, lexeme.start)
            if not self.rows or "\n" in self.text[end : lexeme.start]:
                is_first = not self.rows and not self.lines
                line = CodeLine(level, self._column(lexeme.start), apart and not is_first, before=self.remarks)
                self.rows.append((line, []))
                self.remarks = []
            self.rows[-1][1].append(lexeme)
            end = lexeme.end
        self._finish()
        self._comments(end, len(self.text))

    def _finish(self) -> None:
        """Finish a statement: one line, or the author's lines if there are comments between them."""
        if not self.rows:
            return
        (first, _), *others = self.rows
        last = self.rows[-1][0]
        if any(line.before for line, _ in others) or any(line.behind for line, _ in self.rows[:-1]):
            before: Lexeme | None = None
            for line, words in self.rows:
                line.kept, line.continued = True, line is not first
                line.level += self.further * line.continued
                line.pieces = list(_pieces(self.text, words, before))
                before = words[-1]
                self.lines.append(line)
        else:
            first.behind = last.behind
            first.pieces = list(_pieces(self.text, [word for _, words in self.rows for word in words]))
            self.lines.append(first)
        self.rows = []

    def _comments(self, start: int, end: int) -> bool:
        """Collect the comments between two words. Return whether an empty line precedes the second word."""
        gap = self.text[start:end]
        above = self.rows[-1][0] if self.rows else self.lines[-1] if self.lines else None
        position = 0
        for comment in _COMMENT.finditer(gap):
            between, text = gap[position : comment.start()], comment[0].rstrip()
            position = comment.end()
            if above is not None and "\n" not in gap[: comment.start()]:
                above.behind = text
            else:
                apart = above is not None and bool(_EMPTY_LINE.search(between))
                self.remarks.append(Remark(text, self._column(start + comment.start()), apart))
        return bool(_EMPTY_LINE.search(gap[position:]))

    def _column(self, offset: int) -> int:
        return offset - (self.text.rfind("\n", 0, offset) + 1)


def _pieces(text: str, lexemes: Sequence[Lexeme], previous: Lexeme | None = None) -> Iterator[Piece]:
    """Yield words with the blanks between them. A text literal is one piece, with its embedded expressions formatted.

    ``previous`` is the word before them.
    """
    open_brackets: list[str] = []
    literal = ""  # the text literal so far
    is_sign = False  # True: the previous word is the sign of a number
    for lexeme in lexemes:
        kind = lexeme.kind
        in_words = bool(open_brackets) and open_brackets[-1] == "QUOTE"
        if kind in ("QUOTE", "RPAR", "RSQB", "RBRACE") and open_brackets and (kind != "QUOTE" or in_words):
            open_brackets.pop()
        if in_words and previous is not None:
            space = text[previous.end : lexeme.start]  # blanks inside a text stay as they are
        else:
            space = " " if previous and _is_apart(previous, lexeme, is_sign) else ""
        depth = len(open_brackets)
        is_sign = kind in ("PLUS", "MINUS") and (previous is None or previous.kind not in _ENDS_OPERAND)
        is_opening = kind in ("LPAR", "LSQB", "LBRACE") or (kind == "QUOTE" and not in_words)
        if is_opening:
            open_brackets.append(kind)
        starts_literal = kind == "QUOTE" and not in_words and "QUOTE" not in open_brackets[:-1]
        if starts_literal:
            literal, literal_space = lexeme.text, bool(space)
        elif "QUOTE" in open_brackets:
            literal += space + lexeme.text
        elif kind == "QUOTE":
            yield Piece("QUOTE", literal + space + lexeme.text, depth, literal_space)
        else:
            yield Piece(kind, lexeme.text, depth, bool(space))
        previous = lexeme


def _is_apart(previous: Lexeme, lexeme: Lexeme, is_sign: bool) -> bool:
    """Return whether a blank separates two words outside texts."""
    if is_sign or previous.kind in ("LPAR", "LSQB", "LBRACE", "DOT", "DOTS"):
        return False
    if lexeme.kind in ("RPAR", "RSQB", "RBRACE", "COMMA", "COLON", "SEMICOLON", "DOT", "DOTS"):
        return False
    if lexeme.kind == "LPAR":
        return previous.kind not in (*_ENDS_OPERAND, "ANY", "ALL")
    return not (lexeme.kind == "LSQB" and previous.kind in _ENDS_OPERAND)


# ---------------------------------------------------------------- lines -> text


def _laid_out(
    lines: Iterable[CodeLine], after: Iterable[Remark], written: Callable[[CodeLine], Iterable[str]]
) -> Iterator[str]:
    """Yield the lines with their comments and indentation. ``written`` formats the pieces of a line."""
    open_lines: list[CodeLine] = []  # the enclosing lines, one for each level
    for line in lines:
        yield from _remarks(line.before, open_lines, line)
        if line.apart:
            yield ""
        lead = " " * INDENT * line.level
        *most, last = written(line)
        yield from (f"{lead}{text}" for text in most)
        yield f"{lead}{last}  {line.behind}" if line.behind else f"{lead}{last}"
        if not line.continued:
            open_lines[line.level :] = [line]
    yield from _remarks(after, open_lines, CodeLine(0, 0))


def _remarks(remarks: Iterable[Remark], above: list[CodeLine], below: CodeLine) -> Iterator[str]:
    """Yield the comments between two lines. Each gets the indentation of the block that the author aligned it with."""
    for remark in remarks:
        levels = [line.level for line in above if line.column <= remark.column and line.level > below.level]
        level = max([below.level, *levels])
        if remark.apart:
            yield ""
        yield f"{' ' * INDENT * level}{remark.text}"


def _statement(pieces: list[Piece], width: int) -> Iterator[str]:
    """Format a statement on one line, or split it at `else` clauses and after the head of a block."""
    for clause in _split(pieces, _begins_else(pieces)):
        colon = next((i for i, p in enumerate(clause) if p.kind == "COLON" and not p.depth), len(clause))
        head, rest = clause[: colon + 1], clause[colon + 1 :]
        simple = [part for part in _parts(rest, "SEMICOLON") if part]
        if colon == len(clause):
            for part in _parts(head, "SEMICOLON"):
                yield from _part_by_part(part, width) if part else ()
        elif simple and len(line := f"{joined(head)} {'; '.join(map(joined, simple))}") <= width:
            yield line
        else:
            yield from _part_by_part(head, width)
            for part in simple:
                yield from (f"{' ' * INDENT}{line}" for line in _part_by_part(part, width - INDENT))


def _begins_else(pieces: list[Piece]) -> Callable[[int], bool]:
    """Return a test for whether the `else` at an index belongs to a statement, and not to an expression."""
    found, waiting = set(), 0
    for i, piece in enumerate(pieces):
        if piece.depth == 0 and piece.kind == "THEN":
            waiting += 1
        elif piece.depth == 0 and piece.kind == "ELSE" and waiting:
            waiting -= 1
        elif piece.depth == 0 and piece.kind == "ELSE" and i:
            found.add(i)
    return found.__contains__


def _split(pieces: list[Piece], before: Callable[[int], bool]) -> list[list[Piece]]:
    """Split pieces before each index for which ``before`` is true."""
    parts: list[list[Piece]] = [[]]
    for i, piece in enumerate(pieces):
        if before(i):
            parts.append([])
        parts[-1].append(piece)
    return parts


def _parts(pieces: list[Piece], sign: str) -> list[list[Piece]]:
    """Split pieces at each ``sign`` outside brackets, and drop the signs."""
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.kind == sign and not piece.depth:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def _part_by_part(pieces: list[Piece], width: int) -> Iterator[str]:
    """Format a simple statement or a head on one line, or with a line for each part between commas."""
    line = joined(pieces)
    if len(line) <= width:
        yield line
        return
    parts = _parts(pieces, "COMMA")
    texts = [joined(part) + ("," if part is not parts[-1] else "") for part in parts]
    if [p.kind for p in pieces[:2]] == ["TAKE", "ACTION"]:
        yield from _filled(texts, width, CONTINUED)
        return
    for number, part in enumerate(parts):
        lead = CONTINUED if number else 0
        comma = "," if number < len(parts) - 1 else ""
        yield from (" " * lead + line for line in _wrapped(part, comma, width - lead))


def _filled(words: Iterable[str], width: int, lead: int) -> Iterator[str]:
    """Fill lines with words up to ``width``. All lines but the first are indented."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = " " * lead + word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _wrapped(pieces: list[Piece], tail: str, width: int, further: int = CONTINUED) -> Iterator[str]:
    """Break a part that is too long inside its brackets, after a comma or before a word."""
    lead = 0
    while len(joined(pieces)) + len(tail) + lead > width:
        places = [i for i in range(1, len(pieces)) if pieces[i].depth and pieces[i].space]
        fitting = [i for i in places if len(joined(pieces[:i])) + lead <= width]
        better = [i for i in fitting if len(joined(pieces[:i])) + lead > width // 3] or fitting
        if not better:
            break
        place = min(better, key=lambda i: (pieces[i].depth, not _is_joint(pieces, i), -i))
        yield " " * lead + joined(pieces[:place])
        pieces, lead = pieces[place:], further
    yield " " * lead + joined(pieces) + tail


def _starts_short(pieces: Sequence[Piece]) -> bool:
    """Return whether the source of a selection is too short for a line of its own."""
    at = next((i for i, p in enumerate(pieces) if p.kind in _SELECTING and not p.depth), 0)
    return len(joined(pieces[:at])) <= SHORT


def _is_sign(pieces: Sequence[Piece], i: int) -> bool:
    return pieces[i].kind in ("PLUS", "MINUS") and pieces[i - 1].kind not in _ENDS_OPERAND


def _is_joint(pieces: Sequence[Piece], i: int) -> bool:
    """Return whether a line that begins at an index is easy to read."""
    return pieces[i - 1].kind == "COMMA" or pieces[i].kind in ("ELSE", "WHERE", "OR", "AND", "UNION", "FOR")


def _of_the_first_if(pieces: list[Piece]) -> list[int]:
    """Return the indices of each `else` that belongs to the outermost conditional chain, not to one inside a `then`."""
    found: list[int] = []
    open_ifs = 0
    for i, piece in enumerate(pieces):
        if piece.kind == "THEN" and not piece.depth:
            open_ifs += 1
        elif piece.kind == "ELSE" and not piece.depth:
            open_ifs -= 1
            if open_ifs <= 0 and i:
                found.append(i)
    return found


def _nested(pieces: list[Piece], width: int) -> Iterator[str]:
    """Format a branch of a conditional. A nested conditional goes below its `then`, indented."""
    then = next((i for i, p in enumerate(pieces) if p.kind == "THEN" and not p.depth), len(pieces))
    inner = pieces[then + 1 :]
    if not inner or inner[0].kind != "IF":
        yield from _broken(pieces, width, _PRECEDENCE[1:])
        return
    yield from _broken(pieces[: then + 1], width, _PRECEDENCE[1:])
    yield from (" " * INDENT + line for line in _broken(inner, width - INDENT, _PRECEDENCE))


def _broken(pieces: list[Piece], width: int, words: Sequence[tuple[str, ...]], always: bool = False) -> Iterator[str]:
    """Format an expression on one line, or break it before the words with the lowest precedence."""
    if not always and len(joined(pieces)) <= width:
        yield joined(pieces)
        return
    *most, last = _parts(pieces, "COMMA")
    if most:
        for part in most:
            *lines, end = _broken(part, width - 1, _PRECEDENCE)
            yield from (*lines, f"{end},")
        pieces = last
        if len(joined(pieces)) <= width:
            yield joined(pieces)
            return
    for number, kinds in enumerate(words):
        if kinds == _SELECTING and _starts_short(pieces):
            continue
        at = [i for i, p in enumerate(pieces) if p.kind in kinds and not p.depth and i and not _is_sign(pieces, i)]
        if kinds == ("ELSE",):
            at = _of_the_first_if(pieces)
        if at:
            for part in _split(pieces, at.__contains__):
                yield from _nested(part, width) if kinds == ("ELSE",) else _broken(part, width, words[number + 1 :])
            return
    yield from _wrapped(pieces, "", width, INDENT)
