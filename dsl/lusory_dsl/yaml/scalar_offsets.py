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


def decode(text: str, start: int, end: int, style: str, parent_indent: int) -> tuple[str, tuple[int, ...]]:
    """Decode the scalar at ``text[start:end]``.

    Returns its text and the offset of each character, plus one for the end.

    ``style`` is ``|``, ``>``, ``'``, ``"`` or empty (plain). ``parent_indent`` is the column of the enclosing block
    collection, or -1 at the top. A block scalar ignores ``end``: its indentation determines where it ends.
    """
    if style in ("|", ">"):
        characters = list(_block(text, start, parent_indent))
    elif style == "'":
        characters = list(_quoted(text, start + 1, end - 1, "'"))
    elif style == '"':
        characters = list(_quoted(text, start + 1, end - 1, "\\"))
    else:
        characters = list(_quoted(text, start, end, ""))
    after = characters[-1][1] + 1 if characters else min(end, start + len(style))
    return "".join(c for c, _ in characters), (*(offset for _, offset in characters), after)


def _quoted(text: str, position: int, end: int, escape: str) -> Iterator[Character]:
    """Decode a plain or quoted scalar.

    ``escape`` is the character that begins an escape, or empty. Line breaks are folded.
    """
    while position < end:
        character = text[position]
        if character in _BLANKS:
            after = position
            while after < end and text[after] in _BLANKS:
                after += 1
            yield from _folded(text, position, after)
            position = after
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
            after = position + 2 + digits
            yield chr(int(text[position + 2 : after], 16)) if digits else _ESCAPES[text[position + 1]], position
            position = after


def _folded(text: str, start: int, end: int) -> Iterator[Character]:
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


def _block(text: str, start: int, parent_indent: int) -> Iterator[Character]:
    """Decode a literal (``|``) or folded (``>``) block scalar from its header at ``start``."""
    position = _line_end(text, start) + 1
    header = text[start : position - 1].partition("#")[0]
    explicit = next((int(c) for c in header if c.isdigit()), 0)
    indent = max(parent_indent, 0) + explicit if explicit else _indentation(text, position, parent_indent)
    fold = header[0] == ">"
    line_break: int | None = None  # offset of the line break that ends the previous line with content
    empty: list[int] = []  # offsets of the line breaks of the empty lines after it
    was_blank = False  # true if the previous line with content began with a blank
    while position < len(text):
        line_end = _line_end(text, position)
        inside = position
        while inside < min(line_end, position + indent) and text[inside] == " ":
            inside += 1
        if inside == line_end:
            if line_end == len(text):
                break
            empty.append(line_end)
        elif inside < position + indent:
            break
        else:
            is_blank = text[inside] in " \t"
            if line_break is not None:
                if not fold or was_blank or is_blank:
                    yield "\n", line_break
                elif not empty:
                    yield " ", line_break
            yield from (("\n", i) for i in empty)
            yield from ((text[i], i) for i in range(inside, line_end))
            line_break = line_end if line_end < len(text) else None
            empty, was_blank = [], is_blank
        position = line_end + 1
    if line_break is not None and "-" not in header:
        yield "\n", line_break
    if "+" in header:
        yield from (("\n", i) for i in empty)


def _indentation(text: str, position: int, parent_indent: int) -> int:
    """Detect the indentation of a block scalar from its first lines.

    It is the widest of the leading empty lines and the first line with content.
    """
    widest = max(parent_indent + 1, 1)
    while position < len(text):
        line_end = _line_end(text, position)
        inside = position
        while inside < line_end and text[inside] == " ":
            inside += 1
        widest = max(widest, inside - position)
        if inside < line_end:
            break
        position = line_end + 1
    return widest


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
