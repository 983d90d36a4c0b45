"""Find every text field that an author can write into a ruleset, by walking a document along the JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_data_folder
from lusory_dsl.yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, make_source, read_text

RULESET: dict[str, Any] = json.loads((find_data_folder("schema") / "ruleset.schema.json").read_text(encoding="utf-8"))
Field = tuple[str, ...]


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its references replaced by their targets."""
    while "$ref" in schema:
        target: Any = RULESET
        for part in schema["$ref"][2:].split("/"):
            target = target[part]
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def list_variants(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema and, recursively, all alternatives and parts that it combines."""
    schema = resolve(schema)
    yield schema
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, ()):
            yield from list_variants(part)


def list_text_fields(schema: dict[str, Any] = RULESET, path: Field = (), above: Field = ()) -> Iterator[Field]:
    """Yield the path of every field that can hold text.

    `<name>` stands for a key that the author chooses, `*` for the value below such a key, and `[]` for a list item.
    ``above`` holds the references that are being walked, so that recursive schemas end.
    """
    if schema.get("$ref") in above:
        return
    above = (*above, schema["$ref"]) if "$ref" in schema else above
    for variant in list_variants(schema):
        kinds = variant.get("type", ())
        if "string" in ([kinds] if isinstance(kinds, str) else kinds) and "enum" not in variant:
            yield path
        for key, inner in variant.get("properties", {}).items():
            yield from list_text_fields(inner, (*path, key), above)
        if isinstance(variant.get("additionalProperties"), dict):
            yield (*path, "<name>")
            yield from list_text_fields(variant["additionalProperties"], (*path, "*"), above)
        if isinstance(variant.get("items"), dict):
            yield from list_text_fields(variant["items"], (*path, "[]"), above)


def find_kinds(path: Field) -> set[str]:
    """Return the kinds of text at a path: media types, `name` for texts with a pattern, or `text`."""
    schemas = [RULESET]
    for part in path:
        next_schemas: list[dict[str, Any]] = []
        for variant in [form for schema in schemas for form in list_variants(schema)]:
            if part == "<name>" and isinstance(variant.get("additionalProperties"), dict):
                return {"name"}
            if part in variant.get("properties", {}):
                next_schemas.append(variant["properties"][part])
            elif part == "*" and isinstance(variant.get("additionalProperties"), dict):
                next_schemas.append(variant["additionalProperties"])
            elif part == "[]" and isinstance(variant.get("items"), dict):
                next_schemas.append(variant["items"])
        schemas = next_schemas
    forms = [form for schema in schemas for form in list_variants(schema)]
    text_forms = [form for form in forms if "string" in str(form.get("type", ""))]
    return {form.get("contentMediaType", "name" if "pattern" in form else "text") for form in text_forms}


def walk_texts(document: str) -> Iterator[tuple[Field, YamlScalar]]:
    """Yield the text nodes of a document, each with its path in the schema."""
    yield from _walk(read_text(make_source("file.yaml", document), Diagnostics()), [RULESET], ())


def _walk(node: YamlNode | None, schemas: list[dict[str, Any]], path: Field) -> Iterator[tuple[Field, YamlScalar]]:
    forms = [form for schema in schemas for form in list_variants(schema)]
    if isinstance(node, YamlMapping):
        for key, value in node.entries:
            properties = [form["properties"][key.text] for form in forms if key.text in form.get("properties", {})]
            if properties:
                yield from _walk(value, properties, (*path, key.text))
                continue
            more = [form.get("additionalProperties") for form in forms]
            additional = [schema for schema in more if isinstance(schema, dict)]
            if additional:
                yield (*path, "<name>"), key
                yield from _walk(value, additional, (*path, "*"))
    elif isinstance(node, YamlSequence):
        items = [form["items"] for form in forms if isinstance(form.get("items"), dict)]
        for item in node.items:
            yield from _walk(item, items, (*path, "[]"))
    elif isinstance(node, YamlScalar) and any("string" in str(form.get("type", "")) for form in forms):
        yield path, node


def replace_text(document: str, node: YamlScalar, text: str) -> str:
    """Return ``document`` with the text of ``node`` replaced by ``text``."""
    old = document[node.span.start : node.span.end]
    new = json.dumps(text) + ("\n" if old.endswith("\n") else "")
    return document[: node.span.start] + new + document[node.span.end :]
