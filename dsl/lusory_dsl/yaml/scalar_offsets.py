"""Decode a YAML scalar from its characters in the file, with the file offset of each decoded character.

PyYAML gives only the decoded text. This decoder applies the same rules of folding, escapes, indentation and chomping,
so that its text is equal. A property-based test compares both.
"""

from __future__ import annotations

from collections.abc import Iterator

Character = tuple[str, int]
"""A decoded character and its file offset. The offset of an escape is that of its first character."""

_ESCAPES = dict(zip('0abt\tnvfre "/\\N_LP', '\0\a\b\t\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029', strict=True))
_HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}
_BLANKS = " \t\n"


def decode_scalar(text: str, start: int, end: int, style: str, parent_indent: int) -> tuple[str, tuple[int, ...]]:
    r"""Decode the scalar at ``text[start:end]``.

    Returns its text and the offset of each character, plus one for the end, which lies behind the last character.
    Example: ``"a\nb"`` at 0 has the offsets 1, 2, 4 and 5. ``style`` is ``|``, ``>``, ``'``, ``"`` or empty (plain).
    ``parent_indent`` is the column of the enclosing block collection, or -1 at the top. A block scalar ignores ``end``:
    its indentation determines where it ends.
    """
    if style in ("|", ">"):
        characters = list(_decode_block(text, start, parent_indent))
    elif style == "'":
        characters = list(_decode_flow(text, start + 1, end - 1, "'"))
    elif style == '"':
        characters = list(_decode_flow(text, start + 1, end - 1, "\\"))
    else:
        characters = list(_decode_flow(text, start, end, ""))
    end_offset = characters[-1][1] + 1 if characters else min(end, start + len(style))
    return "".join(c for c, _ in characters), (*(offset for _, offset in characters), end_offset)


def _decode_flow(text: str, position: int, end: int, escape: str) -> Iterator[Character]:
    """Decode a plain or quoted scalar between two offsets, and yield each character with its offset in the file.

    ``escape`` is the character that begins an escape, or empty. Line breaks are folded: a single one becomes a blank,
    of several the first is dropped. YAML's parser has accepted the text.
    """
    while position < end:
        character = text[position]
        if character in _BLANKS:
            next_position = position
            while next_position < end and text[next_position] in _BLANKS:
                next_position += 1
            yield from _fold_whitespace(text, position, next_position)
            position = next_position
        elif character != escape:
            yield character, position
            position += 1
        elif escape == "'":
            yield "'", position
            position += 2
        elif text[position + 1] == "\n":
            position += 2
            while position < end and text[position] in _BLANKS:
                if text[position] == "\n":
                    yield "\n", position
                position += 1
        else:
            digits = _HEX_ESCAPES.get(text[position + 1], 0)
            next_position = position + 2 + digits
            yield chr(int(text[position + 2 : next_position], 16)) if digits else _ESCAPES[text[position + 1]], position
            position = next_position


def _fold_whitespace(text: str, start: int, end: int) -> Iterator[Character]:
    """Decode a run of whitespace.

    Blanks within a line stay. A single line break becomes a space; of several, the first is dropped.
    """
    breaks = [i for i in range(start, end) if text[i] == "\n"]
    if not breaks:
        yield from ((text[i], i) for i in range(start, end))
    elif len(breaks) == 1:
        yield " ", breaks[0]
    else:
        yield from (("\n", i) for i in breaks[1:])


def _decode_block(text: str, start: int, parent_indent: int) -> Iterator[Character]:
    """Decode a literal (``|``) or folded (``>``) block scalar from its header at ``start``.

    Yields each character with its offset in the file. In folded text, a single line break between lines that don't
    begin with a blank becomes a blank, and keeps its offset.
    """
    position = _find_line_end(text, start) + 1
    header = text[start : position - 1].partition("#")[0]
    explicit = next((int(c) for c in header if c.isdigit()), 0)
    indent = max(parent_indent, 0) + explicit if explicit else _detect_indentation(text, position, parent_indent)
    fold = header[0] == ">"
    line_break: int | None = None  # offset of the line break that ends the previous line with content
    empty_lines: list[int] = []  # offsets of the line breaks of the empty lines after it
    was_blank = False  # true if the previous line with content began with a blank
    while position < len(text):
        line_end = _find_line_end(text, position)
        content_start = position
        while content_start < min(line_end, position + indent) and text[content_start] == " ":
            content_start += 1
        if content_start == line_end:
            if line_end == len(text):
                break
            empty_lines.append(line_end)
        elif content_start < position + indent:
            break
        else:
            is_blank = text[content_start] in " \t"
            if line_break is not None:
                if not fold or was_blank or is_blank:
                    yield "\n", line_break
                elif not empty_lines:
                    yield " ", line_break
            yield from (("\n", i) for i in empty_lines)
            yield from ((text[i], i) for i in range(content_start, line_end))
            line_break = line_end if line_end < len(text) else None
            empty_lines, was_blank = [], is_blank
        position = line_end + 1
    if line_break is not None and "-" not in header:
        yield "\n", line_break
    if "+" in header:
        yield from (("\n", i) for i in empty_lines)


def _detect_indentation(text: str, position: int, parent_indent: int) -> int:
    """Detect the indentation of a block scalar from its first lines.

    It is the widest of the leading empty lines and the first line with content.
    """
    widest = max(parent_indent + 1, 1)
    while position < len(text):
        line_end = _find_line_end(text, position)
        content_start = position
        while content_start < line_end and text[content_start] == " ":
            content_start += 1
        widest = max(widest, content_start - position)
        if content_start < line_end:
            break
        position = line_end + 1
    return widest


def _find_line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
