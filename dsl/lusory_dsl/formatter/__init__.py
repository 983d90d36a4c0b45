"""Format YAML files of rulesets in one style, which docs/reference/formatting.md describes.

Keys keep their order, comments their place and values their meaning. The formatter verifies this before it returns.
Comments inside effect text are part of that text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from ..source.dataclass_with_lazy_methods import ValueRecord
from ..source.diagnostics import Diagnostics
from ..source.source import Source, count_indent
from ..yaml.reader import YamlNode, YamlScalar, list_entries, read_text, walk_nodes
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
    keys = (key for node in walk_nodes(root) for key, _ in list_entries(node))
    return any(len(key.text) > LONGEST_KEY for key in keys)


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
        position, text = 0, self.source.text
        for start, end in (*_iterate_scalar_spans(root), (len(text), len(text))):
            for match in _COMMENT.finditer(text, position, max(position, start)):
                lead = self._get_lead(match.start())
                yield Comment(match.start(), match[0].rstrip(), len(lead), bool(_ONLY_DASHES.fullmatch(lead)))
            position = max(position, end)

    # ------------------------------------------------------------ into the new file

    def place(self, lines: Sequence[OutputLine]) -> list[str]:
        """Return the lines of the new file with all comments, and with the empty lines of the old file.

        A comment behind text stays behind the line that begins last before it, with two blanks between: ``b: 1 # x``
        becomes ``b: 1  # x``. A comment gets a line of its own if it had one before, or if that line has a comment
        already. The new line comes before the line that begins next, or before the line that now holds the text around
        the comment. Comments behind all lines come last. Changes the lines that it gets.
        """
        source_lines = [line for line in lines if line.start is not None]
        starts = list(accumulate((line.start or 0 for line in source_lines), max))
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
        if line_below is not None and comment.column <= count_indent(self._get_lead(line_below.start or 0)):
            return least
        for line in reversed(lines_above):
            lead = self._get_lead(line.start or 0)
            if _ONLY_DASHES.fullmatch(lead) and count_indent(lead) <= comment.column:
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
        number, _ = self.source.locate(start)
        is_first = _ONLY_DASHES.fullmatch(self._get_lead(start)) is not None
        return is_first and number > 1 and not self.source.get_line(number - 1).strip()

    def _get_lead(self, start: int) -> str:
        """Return what stands before ``start`` on its line."""
        return self.source.text[self.source.text.rfind("\n", 0, start) + 1 : start]


def _iterate_scalar_spans(root: YamlNode) -> Iterator[tuple[int, int]]:
    """Yield the spans of texts that can contain no YAML comments."""
    for scalar in walk_nodes(root):
        if not isinstance(scalar, YamlScalar):
            continue
        if scalar.style in ("|", ">"):
            text = scalar.span.source.text
            header_end = text.find("\n", scalar.span.start)
            header_end = len(text) if header_end < 0 else header_end
            yield header_end, max(header_end, scalar.span.base.start + scalar.embedded_text.offsets[-1])
        else:
            yield scalar.span.start, scalar.span.end
