"""Words for what is wrong with a value of a YAML file. Used by the stage that compares files with their schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain

_TYPE_WORDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
}


def first_description(schemas: Iterable[Any]) -> str | None:
    """The first description of some schemas, as part of a sentence."""
    for schema in schemas:
        if isinstance(schema, dict) and isinstance(schema.get("description"), str):
            sentence: str = schema["description"]
            return sentence[0].lower() + sentence[1:].removesuffix(".")
    return None


def text_of_node(node: YamlNode | None) -> str:
    return node.text if isinstance(node, YamlScalar) else ""


def listed_words(words: Iterable[str], last: str = "and") -> str:
    *most, end = list(words) or ["nothing"]
    return f"{', '.join(most)} {last} {end}" if most else end


def kinds_of(types: list[str]) -> str:
    """Types of JSON Schema in words."""
    named = [t for t in types if t != "null" and not (t == "number" and "string" in types)]
    words = [_TYPE_WORDS[t] for t in named]
    return words[0] if len(words) == 1 else listed_words((w.replace(" or ", "/") for w in words), "or")


def shortened(text: str) -> str:
    """A text in a message: at most 40 characters of its first line."""
    line = text.partition("\n")[0]
    return line if line == text and len(line) <= 40 else f"{line[:39]}…"


def found_there(node: YamlNode) -> str:
    """A value in a message."""
    if isinstance(node, YamlMapping):
        return "a mapping"
    if isinstance(node, YamlSequence):
        return "a list"
    shown = shortened(text_of_node(node).strip())
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        return f"`{shown}`" if shown else "empty text"
    return f"the number {shown}" if not isinstance(plain(node), bool) else f"`{shown}`"


def block_mend(node: YamlNode, key: YamlScalar | None, schema: Mapping[str, Any]) -> str | None:
    """How to write statements that stand in a list, or without the key and sign that they need."""
    is_block = schema.get("contentMediaType") == "text/x-lusory-block"
    if is_block and key is not None and isinstance(node, YamlSequence | YamlMapping):
        dashes = ", without `- `" if isinstance(node, YamlSequence) else ""
        return f"write `{key.text}: |`, and each statement on a line of its own below{dashes}"
    if isinstance(node, YamlScalar) and node.style in ("|", ">") and "do" in schema.get("properties", {}):
        return "write `do: |` before the statements"
    return None


def mend_of(node: YamlNode, allowed: list[str]) -> str | None:
    """How to turn a value of the wrong kind into what was probably meant."""
    return next(mends(node, allowed), None)


def mends(node: YamlNode, allowed: list[str]) -> Iterator[str]:
    if isinstance(node, YamlScalar):
        text = node.text.strip()
        if "boolean" in allowed and text.lower() in ("yes", "on", "no", "off", "true", "false"):
            yield f"write `{'true' if text.lower() in ('yes', 'on', 'true') else 'false'}`"
        if "integer" in allowed and re.fullmatch(r"-?\d+", text):
            yield f"write it without quotes: `{text}`"
        if "array" in allowed and "string" not in allowed and "\n" not in text:
            yield f"write `[{_item(text)}]`"
        if isinstance(node.value, float) and "integer" in allowed:
            yield "there are only whole numbers"
        sign = re.fullmatch(r"([a-z]\w*)[ :] *(\S+)", text)
        if "object" in allowed and "string" not in allowed and sign:
            yield f"write `{sign[1]}: {sign[2]}`"
        if "string" in allowed and not isinstance(node.value, str):
            yield f'if it is meant as text, put it in quotes: `"{text}"`'
    elif "array" in allowed and "object" not in allowed and isinstance(node, YamlMapping):
        if node.span.source.text[node.span.start] != "{":
            yield "begin each item with `- `"
    elif "string" in allowed:
        opening = node.span.source.text[node.span.start]
        if opening in "[{":
            yield f"a text that begins with `{opening}` must stand in quotes"


def _item(text: str) -> str:
    """A text as an item of a list in brackets: in quotes where it has signs that would end or divide it."""
    if not re.search(r"[\[\]{},#&*!|>'\"%@`]|: |^[-?:]", text):
        return text
    return f'"{text}"' if not re.search(r'["\\]', text) else "'" + text.replace("'", "''") + "'"


def respelt_name(name: str, pattern: str) -> str | None:
    """``name`` in the spelling that ``pattern`` asks for, if there is a simple one."""
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)
    candidates = ["_".join(words).lower(), "-".join(words).lower(), "".join(w[:1].upper() + w[1:] for w in words)]
    return next((c for c in candidates if pattern and re.search(pattern, c)), None)
