"""The one style of effect text: its words as they are, with blanks, lines and indentation that say how they belong.

Used by the formatter for each value in the effect language. Works on the words of a text that parses, so that whatever
the author chose among words of the same meaning stays: ``is`` or ``=``, a parenthesis that helps, the order of clauses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ..source.dataclasses import dataclass, field, replace
from ..syntax.parser import Lexeme

INDENT = 2
SHORT = 20
CONTINUED = 4
"""How far the parts of a long statement are indented: further than its block."""

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
"""Words that a long expression is broken in front of, those first that bind most loosely."""


@dataclass(frozen=True)
class Piece:
    """A word or sign, or a whole text literal. ``depth``: how many brackets it stands in; ``space``: whether a blank
    stands before it."""

    kind: str
    text: str
    depth: int
    space: bool


@dataclass(frozen=True)
class Remark:
    """A comment on a line of its own, ``column`` in the text it comes from, and whether an empty line precedes it."""

    text: str
    column: int
    apart: bool


@dataclass
class CodeLine:
    """A statement, or the head of one with what follows on its line, and the remarks around it. ``kept``: a line as the
    author broke it, because there are comments inside of the statement; ``continued``: not its first one."""

    level: int
    column: int
    apart: bool = False
    pieces: list[Piece] = field(default_factory=list)
    before: list[Remark] = field(default_factory=list)
    behind: str = ""  # a comment at the end of its line
    kept: bool = False
    continued: bool = False


@dataclass(frozen=True)
class FormattedCode:
    """A text of the effect language, ready to be written down. ``after``: remarks behind the last line."""

    lines: tuple[CodeLine, ...]
    after: tuple[Remark, ...]
    is_flat: bool  # an expression or the like, in which line ends mean nothing
    stands_apart: bool  # the author wrote it on several lines

    @property
    def has_remarks(self) -> bool:
        return bool(self.after) or any(line.before or line.behind for line in self.lines)

    def on_one_line(self) -> str | None:
        """All of it on one line, unless there are several lines, or comments."""
        if len(self.lines) != 1 or self.has_remarks:
            return None
        return joined(self.lines[0].pieces)

    def on_lines(self, width: int) -> list[str]:
        """The lines of it where it does not stand on the line of its key, ``width`` wide."""

        def written(line: CodeLine) -> Iterable[str]:
            if line.kept:
                return [joined(line.pieces)]
            if self.is_flat:
                return _broken(line.pieces, width, _PRECEDENCE, always=self.stands_apart or not self.has_remarks)
            return _statement(line.pieces, width - INDENT * line.level)

        return list(_laid_out(self.lines, self.after, written))


def code_of(start: str, text: str, lexemes: Sequence[Lexeme], stands_apart: bool) -> FormattedCode:
    """The code that the words of a text make. ``start``: the rule of the grammar that they were read with."""
    is_flat = start not in ("block", "rule")
    reader = _Reader(text, 0 if is_flat else CONTINUED // INDENT)
    reader.read(lexemes)
    code = FormattedCode(tuple(reader.lines), tuple(reader.remarks), is_flat, stands_apart)
    if is_flat and code.has_remarks:  # then it is the expression that counts, without the lines of comments round it
        words = [lexeme for lexeme in lexemes if lexeme.kind not in _LAYOUT]
        return replace(code, stands_apart="\n" in text[words[0].start : words[-1].end])
    return code


def template_of(text: str, lexemes: Sequence[Lexeme]) -> str:
    """A text without quotation marks, with its holes in order."""
    opened = (Lexeme("QUOTE", "", 0, 0), *lexemes, Lexeme("QUOTE", "", len(text), len(text)))
    return joined(list(_pieces(text, opened)))


def joined(pieces: Sequence[Piece]) -> str:
    """Pieces on one line."""
    return "".join(f" {p.text}" if p.space and i else p.text for i, p in enumerate(pieces))


# ---------------------------------------------------------------- words -> lines


class _Reader:
    """Puts the words of a text into lines, and every comment to the line it belongs to. ``further``: how many levels
    further in the lines of a statement are that the author broke."""

    def __init__(self, text: str, further: int) -> None:
        self.text = text
        self.further = further
        self.lines: list[CodeLine] = []
        self.remarks: list[Remark] = []  # that wait for the next line
        self.rows: list[
            tuple[CodeLine, list[Lexeme]]
        ] = []  # of the statement that is being read, as the author broke it

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
        """The end of a statement: one line, or as many as the author made where comments stand between them."""
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
        """Takes the comments between two words; says whether an empty line stands in front of the second one."""
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
    """Words with the blanks between them; text literals in one piece, the holes in them in order.

    ``previous``: the word in front of them."""
    open_brackets: list[str] = []
    literal = ""  # the text literal so far
    is_sign = False  # whether the word before is the sign of a number
    for lexeme in lexemes:
        kind = lexeme.kind
        in_words = bool(open_brackets) and open_brackets[-1] == "QUOTE"
        if kind in ("QUOTE", "RPAR", "RSQB", "RBRACE") and open_brackets and (kind != "QUOTE" or in_words):
            open_brackets.pop()
        if in_words and previous is not None:
            space = text[previous.end : lexeme.start]  # as it is, between words and holes
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
    """Whether a blank stands between two words outside of texts."""
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
    """Lines with their comments. ``written``: what the pieces of a line become."""
    open_lines: list[CodeLine] = []  # the lines whose blocks we are in, one a level
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
    """Comments between two lines, indented as the block that the author indented them like."""
    for remark in remarks:
        levels = [line.level for line in above if line.column <= remark.column and line.level > below.level]
        level = max([below.level, *levels])
        if remark.apart:
            yield ""
        yield f"{' ' * INDENT * level}{remark.text}"


def _statement(pieces: list[Piece], width: int) -> Iterator[str]:
    """The lines of what the author wrote on one: clauses that begin with `else`, heads with short blocks."""
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
    """Whether a statement's `else` stands at a place, and not that of an expression."""
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
    """Parts that begin where ``before`` says so."""
    parts: list[list[Piece]] = [[]]
    for i, piece in enumerate(pieces):
        if before(i):
            parts.append([])
        parts[-1].append(piece)
    return parts


def _parts(pieces: list[Piece], sign: str) -> list[list[Piece]]:
    """Parts between signs outside of brackets, without the signs."""
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.kind == sign and not piece.depth:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def _part_by_part(pieces: list[Piece], width: int) -> Iterator[str]:
    """A simple statement or a head: on one line, or each part behind a comma on one of its own."""
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
    """As many words on a line as fit; all lines but the first are indented."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = " " * lead + word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _wrapped(pieces: list[Piece], tail: str, width: int, further: int = CONTINUED) -> Iterator[str]:
    """A part that is too long, broken behind a comma or in front of a word, inside of brackets."""
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
    """Whether so little is selected from that it should not stand on a line of its own."""
    at = next((i for i, p in enumerate(pieces) if p.kind in _SELECTING and not p.depth), 0)
    return len(joined(pieces[:at])) <= SHORT


def _is_sign(pieces: Sequence[Piece], i: int) -> bool:
    return pieces[i].kind in ("PLUS", "MINUS") and pieces[i - 1].kind not in _ENDS_OPERAND


def _is_joint(pieces: Sequence[Piece], i: int) -> bool:
    """Whether a line reads well that begins here."""
    return pieces[i - 1].kind == "COMMA" or pieces[i].kind in ("ELSE", "WHERE", "OR", "AND", "UNION", "FOR")


def _of_the_first_if(pieces: list[Piece]) -> list[int]:
    """Where the `else` stand that belong to an `if` and those behind it, and not to one inside of a `then`."""
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
    """A branch of a conditional; one that is a conditional itself stands below its `then`, indented."""
    then = next((i for i, p in enumerate(pieces) if p.kind == "THEN" and not p.depth), len(pieces))
    inner = pieces[then + 1 :]
    if not inner or inner[0].kind != "IF":
        yield from _broken(pieces, width, _PRECEDENCE[1:])
        return
    yield from _broken(pieces[: then + 1], width, _PRECEDENCE[1:])
    yield from (" " * INDENT + line for line in _broken(inner, width - INDENT, _PRECEDENCE))


def _broken(pieces: list[Piece], width: int, words: Sequence[tuple[str, ...]], always: bool = False) -> Iterator[str]:
    """An expression: on one line, or broken in front of the words that bind most loosely."""
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
