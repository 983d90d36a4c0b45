"""Layout: turns the raw line ends of the lexer into ends of statements and indented blocks.

Made for each run of the parser; sits between the lexer and the grammar.
"""

from __future__ import annotations

from collections.abc import Iterator

from .trees import Token, token

OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSING = frozenset(OPENING.values())


class Indenter:
    """Line ends count outside of brackets and not after a comma. ``flat``: they never count (expressions, templates).

    ``open`` are the brackets and quotation marks not closed yet, ``statement`` the tokens of the statement being read
    and ``header`` those of the one before; ``odd_indents`` and ``tabs`` are line ends after which the indentation is
    wrong in a way that the parser can live with.
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
        """The lexer's tokens, with ``_NL``, ``_INDENT`` and ``_DEDENT`` where they mean something."""
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
        """Whether a text literal is open."""
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
        """A token without width behind the last one, so that statements end where their last word does."""
        assert self.last is not None
        return token(kind, "", self.last.end_pos, self.last.end_pos)
