"""Format YAML files of rulesets in one style, which docs/reference/formatting.md describes.

Keys keep their order, comments their place and values their meaning. The formatter verifies this before it returns.
Comments inside effect text are part of that text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..source.dataclass_with_lazy_methods import ValueRecord
from ..source.diagnostics import Diagnostics
from ..source.source import Source
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text
from .yaml_layout import WIDTH, FileWriter, OutputLine, has_same_meaning

__all__ = ["WIDTH", "format_source"]


LONGEST_KEY = 1000
"""Maximum length of a key before a colon, with room for quotes. YAML allows 1,024 characters (version 1.2.2, 7.4.2)."""


def format_source(source: Source, diagnostics: Diagnostics) -> str | None:
    """Return a file of a ruleset, a pack or test cases in the style of lusory. The result has the same meaning.

    Example: ``a:   [ 1,2 ]`` becomes ``a: [1, 2]``, and ``a:   b # c`` becomes ``a: b  # c``. A file
    that is formatted already stays the same, and so does one that is a single text or has an overlong key.

    Returns None, with a diagnostic for each fault, if the YAML or an effect text in it can't be parsed. Raises
    AssertionError if the result would have another meaning.
    """
    findings = Diagnostics()
    root = read_text(source, findings)
    text = None
    if (isinstance(root, YamlScalar) and root.text) or (root is not None and _has_endless_key(root)):
        text = source.text  # a single word has no style, and a key that is too long can't begin a line
    elif root is not None:
        comments = FileComments(source, root)
        lines = FileWriter(comments.has_comment_between, findings).format_file(root)
        text = "".join(f"{line}\n" for line in comments.place(lines))
    diagnostics.extend(findings.list_sorted())
    if root is None or text is None or findings.has_errors:
        return None
    if text == source.text:
        return text
    formatted_root = read_text(Source(source.name, text), Diagnostics())
    if formatted_root is None or not has_same_meaning(root, formatted_root):
        raise AssertionError(f"formatting {source.name} would change what it means; nothing was written")
    return text


def _has_endless_key(root: YamlNode) -> bool:
    """Return whether a key is too long to precede a colon. Such a key can only be in brackets, without a value."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, YamlMapping):
            if any(len(key.text) > LONGEST_KEY for key, _ in node.entries):
                return True
            stack += [value for _, value in node.entries]
        elif isinstance(node, YamlSequence):
            stack += node.items
    return False


_COMMENT = re.compile(r"(?:^|(?<=[ \t\n]))#[^\n]*")
_ONLY_DASHES = re.compile(r"[-\s]*")


class Comment(ValueRecord):
    """A comment of the file. If it is ``is_alone`` on its line, ``column`` is its indentation."""

    start: int
    text: str
    column: int
    is_alone: bool


class FileComments:
    """Find the comments and empty lines of one YAML file, and insert them into the formatted file.

    Attributes:
        comments: The comments outside effect text, in the order of the file.
    """

    def __init__(self, source: Source, root: YamlNode) -> None:
        self.source = source
        self.comments = list(self._iterate_comments(root))
        self._starts = [comment.start for comment in self.comments]

    def has_comment_between(self, start: int, end: int) -> bool:
        """Return whether a comment begins at an offset from ``start`` up to, but not including, ``end``."""
        index = bisect_left(self._starts, start)
        return index < len(self._starts) and self._starts[index] < end

    def _iterate_comments(self, root: YamlNode) -> Iterator[Comment]:
        position = 0
        text = self.source.text
        for start, end in _iterate_scalar_spans(root):
            yield from self._iterate_between(position, start)
            position = max(position, end)
        yield from self._iterate_between(position, len(text))

    def _iterate_between(self, start: int, end: int) -> Iterator[Comment]:
        for match in _COMMENT.finditer(self.source.text, start, max(start, end)):
            line_start = self.source.text.rfind("\n", 0, match.start()) + 1
            lead = self.source.text[line_start : match.start()]
            is_alone = bool(_ONLY_DASHES.fullmatch(lead))
            yield Comment(match.start(), match[0].rstrip(), len(lead), is_alone)

    # ------------------------------------------------------------ into the new file

    def place(self, lines: Sequence[OutputLine]) -> list[str]:
        """Return the lines of the new file with all comments, and with the empty lines of the old file.

        A comment behind text stays behind the line that begins last before it, with two blanks between: ``b: 1 # x``
        becomes ``b: 1  # x``. A comment gets a line of its own if it had one before, or if that line has a comment
        already. The new line comes before the line that begins next, or before the line that now holds the text around
        the comment. Comments behind all lines come last. Changes the lines that it gets.
        """
        source_lines = [line for line in lines if line.start is not None]
        starts = _make_ascending([line.start or 0 for line in source_lines])
        last_lines: list[OutputLine] = []
        for comment in self.comments:
            index = bisect_left(starts, comment.start)
            line_above = source_lines[index - 1] if index else None
            line_below = source_lines[index] if index < len(source_lines) else None
            is_within = line_above is not None and comment.start < line_above.end
            if line_above is not None and not comment.is_alone and not line_above.comment:
                line_above.comment = f"  {comment.text}"
                continue
            line = OutputLine(0, comment.text, comment.start)
            if is_within and line_above is not None:
                line.indent = line_above.indent
                line_above.comments_above.append(line)
            else:
                line.indent = self._choose_indent(comment, source_lines[:index], line_below)
                (last_lines if line_below is None else line_below.comments_above).append(line)
        return list(self._iterate_output_lines(lines, last_lines))

    def _choose_indent(self, comment: Comment, lines_above: Sequence[OutputLine], line_below: OutputLine | None) -> int:
        """Return the indentation of a comment.

        The comment aligns with the nearest line above that was indented no deeper than it. If there is none, it aligns
        with the line below.
        """
        least = line_below.indent if line_below else 0
        if line_below is not None and comment.column <= self._get_column(line_below.start or 0):
            return least
        for line in reversed(lines_above):
            if self._starts_line(line.start or 0) and self._get_column(line.start or 0) <= comment.column:
                # with more indentation it could become part of a text
                return max(least, min(line.indent, lines_above[-1].indent))
        return least

    def _iterate_output_lines(self, lines: Sequence[OutputLine], comments_below: Sequence[OutputLine]) -> Iterator[str]:
        opens_block = True
        for line in (*lines, *comments_below):
            for part in (*line.comments_above, line):
                if part.start is not None and not opens_block and self._follows_empty_line(part.start):
                    yield ""
                yield f"{' ' * part.indent}{part.text}{part.comment}"
                opens_block = part.has_nested_lines

    def _follows_empty_line(self, start: int) -> bool:
        """Return whether the node at ``start`` begins its line and an empty line precedes it."""
        if not self._starts_line(start):
            return False
        line_start = self.source.text.rfind("\n", 0, start) + 1
        previous_start = self.source.text.rfind("\n", 0, max(line_start - 1, 0)) + 1
        return line_start > 0 and not self.source.text[previous_start : line_start - 1].strip()

    def _starts_line(self, start: int) -> bool:
        """Return whether ``start`` is the first position on its line, apart from blanks and dashes."""
        line_start = self.source.text.rfind("\n", 0, start) + 1
        return bool(_ONLY_DASHES.fullmatch(self.source.text, line_start, start))

    def _get_column(self, start: int) -> int:
        """Return the indentation of the line at ``start``."""
        line_start = self.source.text.rfind("\n", 0, start) + 1
        return len(self.source.text[line_start:start]) - len(self.source.text[line_start:start].lstrip(" "))


def _make_ascending(numbers: list[int]) -> list[int]:
    for index in range(1, len(numbers)):
        numbers[index] = max(numbers[index], numbers[index - 1])
    return numbers


def _iterate_scalar_spans(node: YamlNode) -> Iterator[tuple[int, int]]:
    """Yield the spans of texts that can contain no YAML comments."""
    if isinstance(node, YamlMapping):
        for key, value in node.entries:
            yield from _iterate_scalar_spans(key)
            yield from _iterate_scalar_spans(value)
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from _iterate_scalar_spans(item)
    elif isinstance(node, YamlScalar) and node.style in ("|", ">"):
        text = node.span.source.text
        header_end = text.find("\n", node.span.start)
        header_end = len(text) if header_end < 0 else header_end
        yield header_end, max(header_end, node.span.base.start + node.embedded_text.offsets[-1])
    else:
        yield node.span.start, node.span.end
