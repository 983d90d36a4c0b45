"""Which part of the effect language a value of a YAML file is written in: the schema says so.

Used by the formatter on its way through a file. The schemas mark such values with ``contentMediaType``, JSON Schema's
own word for text in another language: ``text/x-lusory-`` and a starting rule of the grammar.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from ..text.resources import data, text_of
from ..yaml.reader import YamlMapping, YamlNode

LANGUAGE = "text/x-lusory-"

VALUE = "value"
"""What may be a block of effect text or data, as the value of a keyword on a card: another file says which."""

Schemas = tuple[dict[str, Any], ...]
"""Everything a schema says about one value: itself, what it refers to, and both sides of its conditions."""


class SchemaField:
    """A value's place in the schema of its file."""

    def __init__(self, root: dict[str, Any], schemas: Schemas) -> None:
        self._root = root
        self._schemas = schemas

    @classmethod
    def of_file(cls, root: YamlNode) -> SchemaField:
        """The place of a whole file: of cases, or a ruleset or pack."""
        is_cases = isinstance(root, YamlMapping) and any(root.get(key) for key in ("cases", "positions"))
        schema = _schema("cases" if is_cases else "ruleset")
        return cls(schema, _resolved(schema, schema))

    @property
    def language(self) -> str | None:
        """The starting rule of the grammar for this value, or ``VALUE``; None where it is no effect text."""
        for schema in self._schemas:
            kind = schema.get("contentMediaType", "")
            if kind.startswith(LANGUAGE):
                return str(kind.removeprefix(LANGUAGE))
        return None

    def of_key(self, name: str) -> SchemaField:
        """The place of the value behind a key."""
        return self._inside(_of_key(schema, name) for schema in self._schemas)

    def of_item(self) -> SchemaField:
        """The place of an item of a list."""
        return self._inside(s.get("items") for s in self._schemas)

    def _inside(self, schemas: Any) -> SchemaField:
        found = (r for s in schemas if isinstance(s, dict) for r in _resolved(self._root, s))
        return SchemaField(self._root, tuple(found))


def _of_key(schema: dict[str, Any], name: str) -> Any:
    """What a schema says about the value behind a key."""
    if name in schema.get("properties", {}):
        return schema["properties"][name]
    patterns = schema.get("patternProperties", {})
    return next((patterns[p] for p in patterns if re.search(p, name)), schema.get("additionalProperties"))


@cache
def _schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(text_of(data("schema") / f"{name}.schema.json"))
    return schema


def _resolved(root: dict[str, Any], schema: dict[str, Any]) -> Schemas:
    found = [schema]
    for one in found:
        if "$ref" in one:
            target: Any = root
            for step in one["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            found.append(target)
        found += [one[word] for word in ("then", "else") if isinstance(one.get(word), dict)]
        for word in ("anyOf", "oneOf", "allOf"):
            found += one.get(word, ())
    return tuple(found)
