"""Work out where a cursor is in a YAML buffer, also while the YAML is broken.

The result comes from indentation alone: the keys that lead to the cursor, and the language of the text there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from lusory_dsl.formatter.yaml_layout import VALUE, SchemaField
from lusory_dsl.syntax.lark_parse_trees_and_indentation import STARTS

_KEY = re.compile(r"(?P<key>[\w.+-]+|\"[^\"]*\"|'[^']*') *:(?P<gap> +|$)(?P<value>.*)$")
_ITEM = re.compile(r"- +|-$")
_ITEM_START = re.compile(r" *(?:- +)+")
_CASES = re.compile(r"^(cases|positions):", re.MULTILINE)
_GAME = re.compile(r"^(game|pack):", re.MULTILINE)
_WORD = re.compile(r"\w*$")
_TEXT_TOKEN = re.compile(r"\\.|\{\{|.", re.DOTALL)
"""A character of effect text, or an escaped one."""
MOST_LINES = 20_000
MOST_FLOW = 4_000
"""The longest value in brackets, in characters, that is followed over several lines."""


@dataclass(frozen=True)
class Cursor:
    """The place of a cursor.

    Attributes:
        keys: The keys that lead there. ``None`` stands for an item of a list.
        is_key: True if a key can be written here.
        field: The part of the schema that describes the value, or the mapping that the key belongs to.
        before: The text of the line up to the cursor, without the YAML in front of a value.
        text: The effect text before ``word``: all lines of a block, otherwise like ``before``. None if none fits here.
        word: The part of a name in front of the cursor.
    """

    keys: tuple[str | None, ...]
    is_key: bool
    field: SchemaField
    before: str
    text: str | None
    word: str

    @property
    def start_rule(self) -> str:
        """The start rule of the grammar for the effect text here: ``block`` if there is no text or it can be of
        several kinds.
        """
        return "block" if self.field.language in (None, VALUE) else self.field.language

    @property
    def is_in_case(self) -> bool:
        """True if the cursor is in a case or a shared position."""
        return bool(self.keys) and self.keys[0] in ("cases", "positions")

    @property
    def is_code(self) -> bool:
        """True if the cursor is in effect text: False at a key, and where the schema has none.

        In a text with inserted values, such as ``says`` or a text in quotes within effect text, only the braces hold
        effect text. A ``doc`` holds none.
        """
        # the mark stays only in effect text
        text = blank_quoted_words(f"{self.before}_", self.field.language)
        return not self.is_key and self.text is not None and text.endswith("_")


def blank_quoted_words(text: str, language: str | None) -> str:
    r"""Return effect text with a blank for each character of its quoted texts, and for the quote that ends them.

    A text without an end goes on to the end of ``text``. Line ends in it become blanks, too. Its braces and the effect
    text inside them stay: ``say "hi {x}"`` gives ``say "   {x} ``. But a text quoted in there is blanked, too. Quoted
    ``{{`` and ``}}``, which stand for a brace as a character, become blanks. Outside of quotes, ``\"`` begins a text as
    well, which the next ``\"`` ends: ``say \"hi\"`` gives ``say \"    ``. If ``language`` is ``template``, the whole
    text counts as quoted. Any other language, or None, makes no difference.
    """
    parts: list[str] = []
    open_marks = [""] if language == "template" else []
    for token in _TEXT_TOKEN.findall(text):
        is_quoted = bool(open_marks) and open_marks[-1] != "{"
        if token == "{" or (not is_quoted and token in ('"', '\\"')):
            open_marks.append(token)
        elif open_marks and (token == open_marks[-1] or (not is_quoted and token == "}")):
            open_marks.pop()
        parts.append(" " * len(token) if is_quoted and token != "{" else token)
    return "".join(parts)


def find_cursor_context(lines: list[str], line: int, column: int) -> Cursor:
    """Return the place of a cursor, with ``line`` and ``column`` counted from 0, in characters.

    Example: at the end of the lines ``phases:`` and ``  - do: draw ta``, ``keys`` are ``("phases", None, "do")``, where
    None stands for a list item. ``before`` is ``"draw ta"``, and ``word`` is ``"ta"``. ``text`` is the effect text in
    front of the word, here ``"draw "``, or None where no effect text may stand. In a block of text, it begins with the
    lines of the block above, indented as they are, but without blank lines. ``is_key`` says whether a key can be typed
    there, here False. It is True for the single word ``  - d`` below ``phases:``, since the schema allows a mapping
    there. Then ``keys`` are those of this mapping: ``("phases", None)``. On a blank line, the column counts as the
    indentation. A line beyond the last one, or beyond MOST_LINES, counts as blank.
    """
    lines = lines[:MOST_LINES]
    text = lines[line] if line < len(lines) else ""
    start = text[:column]
    path = _Path()
    for above in lines[:line]:
        path.read(above)
    depth = len(text) - len(text.lstrip(" ")) if text.strip() else column
    if path.is_in_block(depth):
        return _make_cursor(lines, path.keys, False, start, path.block)
    if path.flow:
        steps, is_key, before = _parse_flow(f"{path.flow} {start.lstrip()}")
        return _make_cursor(lines, (*path.keys, *steps), is_key, before)
    value = path.enter(text if text.strip() else " " * column)
    if value is not None and column >= value[0]:
        steps, is_key, before = _parse_flow(text[value[0] : column])
        return _make_cursor(lines, (*path.keys, *steps), is_key, before)
    if value is not None:
        path.steps.pop()
    item = _ITEM_START.match(start)
    cursor = _make_cursor(lines, path.keys, value is not None or item is None, start[item.end() if item else 0 :])
    is_key = cursor.before == cursor.word and (cursor.text is not None or cursor.field.is_mapping)
    return replace(cursor, is_key=cursor.is_key or is_key)


def _make_cursor(
    lines: list[str], keys: tuple[str | None, ...], is_key: bool, text_before: str, above: Iterable[str] = ()
) -> Cursor:
    """Return a cursor behind ``text_before``, in a block of text that has the lines ``above`` if it is in one."""
    body = "\n".join(lines)
    field = SchemaField.load("cases" if _CASES.search(body) and not _GAME.search(body) else "ruleset")
    for key in keys:
        field = field.descend_to_item() if key is None else field.descend_to_key(key)
    word_match = _WORD.search(text_before)
    word = word_match[0] if word_match else ""
    is_text = not is_key and field.language in (*STARTS, VALUE)
    text = "\n".join((*above, text_before)).removesuffix(word) if is_text else None
    return Cursor(keys, is_key, field, text_before.lstrip(), text, word)


def _parse_flow(text: str) -> tuple[list[str | None], bool, str]:
    """Return the keys in ``{…}`` and ``[…]`` that lead to the end of a text, whether a key stands there, and its text.

    ``{per: Player, value: coi`` gives ``["value"], False, "coi"``.
    """
    steps: list[str | None] = []
    is_key, start, quote = False, 0, ""
    for offset, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and not text[start:offset].strip():
            quote, start = character, offset + 1
        elif character in "{[" and not text[start:offset].strip():
            steps.append(None if character == "[" else "")
            is_key, start = character == "{", offset + 1
        elif character in "}]" and steps:
            steps.pop()
            is_key = False
        elif character == "," and steps:
            is_key, start = steps[-1] is not None, offset + 1
            steps[-1] = None if steps[-1] is None else ""
        elif character == ":" and is_key and text[offset + 1 : offset + 2] == " ":
            steps[-1], is_key, start = text[start:offset].strip().strip("\"'"), False, offset + 1
    if is_key and steps:
        steps.pop()
    return steps, is_key, text[start:].lstrip()


def _open_flow(text: str) -> str:
    """Return a value in brackets if it goes on in the next line, otherwise ""."""
    steps, is_key, _ = _parse_flow(text)
    return text if (steps or is_key) and len(text) < MOST_FLOW else ""


class _Path:
    """Follow the keys that lead to a line, from the lines above it."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, str | None]] = []  # column, and the key or None for an item
        self.flow = ""
        """The text of a value in brackets that the lines read so far do not end."""
        self.block: list[str] = []
        """The lines of the block of text that the lines read so far end in."""
        self._block: int | None = None  # the column of the key whose block of text the lines are in

    @property
    def keys(self) -> tuple[str | None, ...]:
        return tuple(step for _, step in self.steps)

    def is_in_block(self, depth: int) -> bool:
        """Return whether a line with this indentation belongs to the block of text before it: it is deeper than its
        key.
        """
        return self._block is not None and depth > self._block

    def read(self, text: str) -> None:
        """Follow one whole line of YAML, and update ``keys``, ``flow`` and ``block``.

        ``keys`` then leads to the value of the line. After ``actions:`` and ``  - do: x`` it is
        ``("actions", None, "do")``, with None for an item of a list. After ``c: [1,``, ``flow`` is ``[1,``, and the
        next line `` 2]`` makes it empty. A line of a block of text, even one like a comment, is only added to the list
        ``block``, as it stands. The first line after the block empties that list. Blank lines change nothing, not even
        in a block, nor do comments outside one.
        """
        depth = len(text) - len(text.lstrip(" "))
        if text.strip() and self.is_in_block(depth):
            self.block.append(text)
            return
        if not text.strip() or text.lstrip().startswith("#"):
            return
        self._block, self.block = None, []
        if self.flow:
            self.flow = _open_flow(f"{self.flow} {text.strip()}")
            return
        value = self.enter(text)
        if value is not None and value[1][:1] in ("|", ">"):
            self._block = self.steps[-1][0]
        elif value is not None and value[1][:1] in ("[", "{"):
            self.flow = _open_flow(value[1])

    def enter(self, text: str) -> tuple[int, str] | None:
        """Follow the indentation, dashes and key of a line that isn't blank, so that ``keys`` leads to its value.

        Returns the column and text of the key's value: ``a: b`` gives ``(3, "b")``, and ``a:`` gives ``(2, "")``. For a
        list item that begins with ``[``, ``{``, a quote, ``|`` or ``>``, returns those of the item: ``- [1`` gives
        ``(2, "[1")``. Any other line, such as ``- x``, gives None. A list may stand in the column of its key: after
        ``a:``, the line ``- b: 1`` leads to the keys ``("a", None, "b")``.
        """
        column = len(text) - len(text.lstrip(" "))
        is_item = _ITEM.match(text, column) is not None
        while self.steps and (self.steps[-1][0] > column or (self.steps[-1][0] == column and not self._holds(is_item))):
            self.steps.pop()
        while (item := _ITEM.match(text, column)) is not None:
            self.steps.append((column, None))
            column = item.end()
        if is_item and text[column : column + 1] in ("{", "[", '"', "'", "|", ">"):
            return column, text[column:]
        key = _KEY.match(text, column)
        if key is None:
            return None
        self.steps.append((column, key["key"].strip("\"'")))
        return key.start("value"), key["value"]

    def _holds(self, is_item: bool) -> bool:
        """Return whether the last step is a key whose list is not indented."""
        return is_item and self.steps[-1][1] is not None
