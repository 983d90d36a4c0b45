"""The tree of a YAML file -> its lines in the one style; comments come later.

Used by the formatter. What the author wrote in brackets stays in brackets while it fits on a line; what does not fit is
opened, from outside inwards. Every line knows which part of the old file it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..text.diagnostics import Diagnostics
from ..text.records import dataclass, field
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence
from . import scalars
from .code import FormattedCode, code_of, template_of
from .fields import SchemaField
from .meaning import is_word, read_text
from .pictures import PICTURE, aligned
from .scalars import INDENT

WIDTH = 140
"""How long a line may be that the author wrote as one."""

FOLDED = 120
"""How long the lines of prose and of lists are that stand on several."""

SHORT_ITEM = 40
"""Lists of items up to this length are filled line by line, where they don't fit on one."""


@dataclass
class OutputLine:
    """A line to be. ``start`` … ``end``: what it stands for in the old file; ``start`` is None for lines that belong to
    the line above. ``opens``: what follows lies inside of it."""

    indent: int
    text: str
    start: int | None = None
    end: int = 0
    opens: bool = False
    comment: str = ""
    before: list[OutputLine] = field(default_factory=list)


@dataclass(frozen=True)
class _Words:
    """A scalar's text in the style: ``code`` where it is effect text that is laid out, else ``text``."""

    text: str | None
    code: FormattedCode | None = None
    quoted: bool = False


class FileWriter:
    """Lays out one file. ``is_remarked`` says whether a comment stands between two places of the old file."""

    def __init__(self, is_remarked: Callable[[int, int], bool], diagnostics: Diagnostics) -> None:
        self.is_remarked = is_remarked
        self.diagnostics = diagnostics
        self.words: dict[YamlScalar, _Words] = {}
        self.flow: set[YamlNode] = set()

    def lines(self, root: YamlNode) -> list[OutputLine]:
        """The lines of the whole file. What is no effect text although it should be goes into the diagnostics."""
        self._read(root, SchemaField.of_file(root), in_flow=False)
        if self.diagnostics.has_errors:
            return []
        if isinstance(root, YamlScalar) and not root.text and not root.style:
            return []
        return self._value("", root, 0, root.span.start)

    # ------------------------------------------------------------ reading

    def _read(self, node: YamlNode, place: SchemaField, in_flow: bool) -> None:
        """Reads all effect text, and finds what the author wrote in brackets."""
        if isinstance(node, YamlScalar):
            self.words[node] = self._worded(node, place.language)
            return
        in_flow = in_flow or node.span.source.text[node.span.start] in "[{"
        if in_flow:
            self.flow.add(node)
        if isinstance(node, YamlMapping):
            for key, value in node.entries:
                self._read(value, place.of_key(key.text), in_flow)
        elif isinstance(node, YamlSequence):
            for item in node.items:
                self._read(item, place.of_item(), in_flow)

    def _worded(self, node: YamlScalar, language: str | None) -> _Words:
        if language is None or not isinstance(node.value, str) or not node.text.strip():
            return _Words(node.text)
        if language == PICTURE:
            return _Words(aligned(node.text))
        if is_word(node.text):
            return _Words(node.text if language == "template" else node.text.strip())
        embedded = node.embedded()
        read = read_text(language, embedded, self.diagnostics)
        if read is None:
            return _Words(node.text)
        language, _, lexemes = read
        if language == "template":
            return _Words(template_of(embedded.text, lexemes), quoted="{" in embedded.text)
        code = code_of(language, embedded.text, lexemes, _stands_apart(node))
        keeps_lines = node.style == "|" and not code.is_flat
        return _Words(None if keeps_lines else code.on_one_line(), code)

    # ------------------------------------------------------------ on one line

    def _one_line(self, node: YamlNode, flow: bool) -> str | None:
        """A value on one line, None where it can't be."""
        if isinstance(node, YamlScalar):
            words = self.words[node]
            code = words.code
            if code is not None and code.stands_apart and (flow or len(code.on_lines(WIDTH)) > 1):
                return None
            return None if words.text is None else scalars.spelt(node, words.text, flow, quoted=words.quoted)
        if self.is_remarked(node.span.start, node.span.end):
            return None
        parts: list[str] = []
        if isinstance(node, YamlMapping):
            for key, value in node.entries:
                inner = self._one_line(value, flow=True)
                if inner is None:
                    return None
                parts.append(f"{_key(key, flow=True)}: {inner}")
            return f"{{{', '.join(parts)}}}"
        assert isinstance(node, YamlSequence)
        for item in node.items:
            inner = self._one_line(item, flow=True)
            if inner is None:
                return None
            parts.append(inner)
        return f"[{', '.join(parts)}]"

    # ------------------------------------------------------------ on several lines

    def _value(self, prefix: str, node: YamlNode, indent: int, start: int) -> list[OutputLine]:
        """The lines of a value behind what stands in front of it: a key, the dash of a list."""
        if isinstance(node, YamlScalar):
            return self._scalar(prefix, node, indent, start)
        rows = set(_rows(node))
        line = self._one_line(node, flow=False) if node in self.flow and len(rows) == 1 else None
        if not rows:
            line = "{}" if isinstance(node, YamlMapping) else "[]"
        if line is not None and (not rows or indent + len(prefix) + 1 + len(line) <= WIDTH):
            return [OutputLine(indent, f"{prefix} {line}".strip(), start, node.span.end)]
        return self._collection(prefix, node, indent, start)

    def _scalar(self, prefix: str, node: YamlScalar, indent: int, start: int) -> list[OutputLine]:
        line = self._one_line(node, flow=False)
        inner = indent + (INDENT if prefix else 0)
        length = 0 if line is None else indent + len(prefix) + 1 + len(line)
        if self.words[node].code is not None and line is not None and length > WIDTH and node.style:
            line = scalars.spelt(node, self.words[node].text or "", False, kept=False)  # as from a block
            length = 0 if line is None else indent + len(prefix) + 1 + len(line)
        block = None
        is_folded = node.style == ">" and self.words[node].code is None
        if line is None or length > (FOLDED if is_folded else WIDTH):
            block = self._block(node, line is not None, inner, nested=bool(prefix))
        if block is None:
            line = scalars.in_quotes(self.words[node].text or "") if line is None else line
            return [OutputLine(indent, f"{prefix} {line}".strip(), start, node.span.end)]
        header, texts = block
        head = OutputLine(indent, f"{prefix} {header}".strip(), start, node.span.end)
        return [head, *(OutputLine(inner if text else 0, text) for text in texts)]

    def _block(self, node: YamlScalar, can_be_line: bool, indent: int, nested: bool) -> tuple[str, list[str]] | None:
        """Header and lines of a value that stands on several lines, None where that would not help."""
        words, width = self.words[node], FOLDED - indent
        if words.code is not None:
            texts = words.code.on_lines(WIDTH - indent)
            does_fit = all(len(text) <= WIDTH - indent for text in texts)
            if not words.code.is_flat or words.text is None or does_fit:
                return "|", texts
        assert words.text is not None
        is_folded = can_be_line or words.code is not None
        if is_folded and not scalars.can_be_folded(words.text):
            return None
        return scalars.block(words.text, is_folded or node.style == ">", width, nested)

    def _collection(self, prefix: str, node: YamlNode, indent: int, start: int) -> list[OutputLine]:
        inner = indent + (INDENT if prefix else 0)
        lines = self._filled(node, inner)
        if not lines and isinstance(node, YamlMapping):
            lines = [line for key, value in node.entries for line in self._entry(key, value, inner)]
        elif not lines:
            lines = [line for item in _items(node) for line in self._item(item, inner)]
        if not prefix:
            return lines
        return [OutputLine(indent, prefix, start, start, opens=True), *lines]

    def _entry(self, key: YamlScalar, value: YamlNode, indent: int) -> list[OutputLine]:
        return self._value(f"{_key(key, flow=False)}:", value, indent, key.span.start)

    def _item(self, item: YamlNode, indent: int) -> list[OutputLine]:
        """An item behind its dash. What stands on several lines begins behind the dash, too."""
        if isinstance(item, YamlScalar):
            return self._scalar("-", item, indent, item.span.start)
        first, *others = self._value("", item, indent + INDENT, item.span.start)
        first.indent, first.text = indent, f"- {first.text}"
        return [first, *others]

    def _filled(self, node: YamlNode, indent: int) -> list[OutputLine]:
        """Long brackets with short content, as much on a line as fits. Empty for everything else."""
        if node not in self.flow or self.is_remarked(node.span.start, node.span.end):
            return []
        parts: list[str | None]
        if isinstance(node, YamlMapping):
            parts = [
                self._short(value, f"{_key(key, flow=True)}: ") if isinstance(value, YamlScalar) else None
                for key, value in node.entries
            ]
        else:
            parts = [self._short(item) for item in _items(node)]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return []
        opening, closing = "{}" if isinstance(node, YamlMapping) else "[]"
        lines = [OutputLine(indent, text) for text in _lines_of(known, _rows(node), opening, closing, FOLDED - indent)]
        lines[-1].start = lines[-1].end = node.span.end  # for a comment behind the closing bracket
        lines[0].start, lines[0].end = node.span.start, node.span.end
        return lines

    def _short(self, node: YamlNode, prefix: str = "") -> str | None:
        """A short value in brackets, None if it is no such."""
        line = self._one_line(node, flow=True)
        return prefix + line if line is not None and len(line) <= SHORT_ITEM else None


def _stands_apart(node: YamlScalar) -> bool:
    """Whether the author wrote a text on several lines."""
    written = node.span.source.text[node.span.start : node.span.end]
    return "\n" in (written.partition("\n")[2] if node.style in ("|", ">") else written).strip()


def _rows(node: YamlNode) -> list[int]:
    """The lines in the old file that the content of brackets begins on."""
    return (
        [key.span.line for key, _ in node.entries]
        if isinstance(node, YamlMapping)
        else [i.span.line for i in _items(node)]
    )


def _lines_of(words: Sequence[str], rows: Sequence[int], opening: str, closing: str, width: int) -> list[str]:
    """Content of brackets: in the author's rows, and more of them where they are too long."""
    lines, line, row = [], opening + words[0], rows[0]
    for word, next_row in zip(words[1:], rows[1:], strict=True):
        if len(line) + len(word) + 3 > width or next_row != row:
            lines.append(line + ",")
            line = " " + word
        else:
            line += f", {word}"
        row = next_row
    return [*lines, f"{line}{closing}"]


def _items(node: YamlNode) -> tuple[YamlNode, ...]:
    return node.items if isinstance(node, YamlSequence) else ()


def _key(key: YamlScalar, flow: bool) -> str:
    return scalars.spelt(key, key.text, flow, key=True) or scalars.in_quotes(key.text)
