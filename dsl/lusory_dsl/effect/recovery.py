"""Going on after a syntax error, so that one look finds all of them.

The faulty statement is replaced by a harmless one and the text is parsed again; lines keep their number and the
untouched ones their columns, so that places found later need no more than their line's start.
"""

from __future__ import annotations

import re

HEADS = {"rule": "when x:", "option": "option x:", "else": "else if true:"}


class Draft:
    """A text under repair. ``start``: the grammar's starting rule."""

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
        """Whether an offset lies on a line that the author did not write so."""
        return self.line_of(offset) in self._mended

    def original(self, offset: int) -> int:
        """Where an offset of the draft lies in the text as the author wrote it."""
        line = self.line_of(offset)
        column = offset - sum(len(each) + 1 for each in self._lines[:line])
        if line in self._mended:
            column = min(column, len(self._original[line]))
        return sum(len(each) + 1 for each in self._original[:line]) + column

    def mend(self, first: int, last: int, in_bracket: bool, word: str | None = None) -> bool:
        """Replaces the statement on the lines ``first`` … ``last``; False when that was done before.

        ``in_bracket``: deeper lines that follow are taken for the rest of the statement, not for its block.
        ``word``: the statement's first word, where it is not to be taken at its own."""
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
        """A statement for the one on ``line``: the head of a block where a block or an `else` follows."""
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
        """Whether the statement on a line goes on with the next one."""
        after = self._original[line + 1 : line + 2]
        is_clause = bool(after) and re.match(r" *(by|prompt|label)\b", after[0]) is not None
        return is_clause or self._original[line].partition("#")[0].rstrip().endswith(",")

    def _blank(self, line: int) -> None:
        self._lines[line] = ""
        self._mended.add(line)
