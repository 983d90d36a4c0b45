"""How a text is written down as a YAML scalar: plain if it can be, in quotes if it must be, folded if it is long.

Used by the formatter. What YAML makes of a spelling is asked of the YAML reader itself, so that there is one truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..text.diagnostics import Diagnostics
from ..text.source import Source
from ..yaml.portable import misread_as, portable_number
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text

INDENT = 2

_SAFE = re.compile(r"[A-Za-z_](?:[\w./+*=<>()’é-]| (?=[^ #]))*")
"""Spellings that need no asking, unless they are constants such as `true`."""

_TAKEN_FOR_OTHERS = re.compile(r"[-+.]?[0-9].*|yes|no|on|off|y|n|true|false|null", re.IGNORECASE)
"""Texts that other readers of YAML, or people, take for something else. In quotes they stay in quotes."""

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def spelt(
    node: YamlScalar, text: str, flow: bool, key: bool = False, quoted: bool = False, kept: bool = True
) -> str | None:
    """One line that YAML reads as ``text``, in the place of ``node``; None where only a block can say it, or nothing
    stands there. ``flow``: inside brackets. ``quoted``: in quotes also where it need not be; ``kept``: the author's
    quotes stay where they help the reader."""
    misread = not node.style and misread_as(node.text, node.value, key) is not None
    if not isinstance(node.value, str) and not node.style and not (misread and key):
        number = portable_number(node.value) if misread and isinstance(node.value, int | float) else None
        return number or (node.text if node.text or not flow else None)
    if "\n" in text:
        return None
    if kept and node.style in ("'", '"') and (_TAKEN_FOR_OTHERS.fullmatch(text) or not text[:1].isalpha()):
        quoted = True
    if not quoted and not (misread and key) and _is_plain(text, flow, key):
        return text
    return in_quotes(text)


def in_quotes(text: str) -> str:
    """The text in double quotes, or in single ones where they spare it backslashes."""
    if any(c in text for c in '"\\') and "'" not in text and "\n" not in text and "\t" not in text:
        return f"'{text}'"
    return f'"{"".join(_ESCAPES.get(c, c) for c in text)}"'


def block(text: str, folded: bool, width: int, nested: bool = True) -> tuple[str, list[str]] | None:
    """The header and the lines of a block scalar that YAML reads as ``text``; None where no block says it well.

    ``nested``: it stands behind a key or a dash, and is indented by ``INDENT``."""
    body = text.removesuffix("\n")
    first = body.lstrip("\n")
    begins_blank = first[:1] == " "
    if not first.strip() or body.endswith("\n") or "\t" in body or (begins_blank and not nested):
        return None
    paragraphs = body.split("\n")
    if folded and any(p != p.strip() for p in paragraphs):
        return block(text, False, width, nested)
    header = (">" if folded else "|") + (str(INDENT) if begins_blank else "") + ("" if text.endswith("\n") else "-")
    if not folded:
        return header, paragraphs
    return header, list(_folded(paragraphs, width))


def can_be_folded(text: str) -> bool:
    """Whether a text of one line can be spread over several without a change."""
    return "\n" not in text and "\t" not in text and text == text.strip() and bool(_breaks(text))


def _breaks(text: str) -> list[int]:
    """Blanks that may become line ends: those that stand alone."""
    return [m.start() for m in re.finditer(r"(?<! ) (?! )", text)]


def _folded(paragraphs: Iterable[str], width: int) -> Iterator[str]:
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ""
        while len(paragraph) > width:
            places = _breaks(paragraph)
            if not places:
                break
            place = max((i for i in places if i <= width), default=places[0])
            yield paragraph[:place]
            paragraph = paragraph[place + 1 :]
        if paragraph:
            yield paragraph


@lru_cache(maxsize=10_000)
def _is_plain(text: str, flow: bool, key: bool) -> bool:
    """Whether YAML takes a text without quotes for just this text."""
    if _SAFE.fullmatch(text) and not _TAKEN_FOR_OTHERS.fullmatch(text):
        return True
    if not text or text.strip() != text or "\t" in text or (flow and "?" in text) or misread_as(text, text) is not None:
        return False
    sample = {
        (False, False): f"a: {text}",
        (False, True): f"{text}: a",
        (True, False): f"{{a: {text}, b: c}}",
        (True, True): f"{{{text}: a, b: c}}",
    }[flow, key]
    found = _only_scalar(read_text(Source("", sample), Diagnostics()), key)
    if found is None or found.text != text or found.value != text or found.style:
        return False
    return key or not flow or _is_item(text)


def _is_item(text: str) -> bool:
    """The same as an item of a list in brackets."""
    root = read_text(Source("", f"[{text}, a]"), Diagnostics())
    first = root.items[0] if isinstance(root, YamlSequence) and len(root.items) == 2 else None
    return isinstance(first, YamlScalar) and first.text == text


def _only_scalar(root: YamlNode | None, key: bool) -> YamlScalar | None:
    if not isinstance(root, YamlMapping):
        return None
    name, value = root.entries[0]
    if key:
        return name
    return value if isinstance(value, YamlScalar) and name.text == "a" and len(root.entries) <= 2 else None
