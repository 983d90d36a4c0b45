"""Test that the schema of ruleset files is complete, strict and documented, and that its errors are in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from programs import read_data

from lusory_dsl.ruleset.schema_validation import validate
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_data_folder
from lusory_dsl.yaml.reader import make_source, read_text

DATA = read_data(__file__)

SCHEMAS = sorted(find_data_folder("schema").glob("*.schema.json"))
RULESET: dict[str, Any] = json.loads((find_data_folder("schema") / "ruleset.schema.json").read_text(encoding="utf-8"))


def list_subschemas(schema: Any, path: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every schema within a schema, with its path. Conditions and what they add are left out."""
    yield path, schema
    for keyword in ("properties", "$defs"):
        for name, inner in schema.get(keyword, {}).items():
            yield from list_subschemas(inner, f"{path}/{keyword}/{name}")
    for keyword in ("items", "additionalProperties", "propertyNames"):
        if isinstance(schema.get(keyword), dict):
            yield from list_subschemas(schema[keyword], f"{path}/{keyword}")


def list_faults(text: str, schema: str = "ruleset") -> list[Diagnostic]:
    diagnostics = Diagnostics()
    node = read_text(make_source("test.yaml", text), diagnostics)

    assert node is not None, diagnostics.list_sorted()
    validate(node, schema, diagnostics)
    return diagnostics.list_sorted()


def test_name_has_no_trailing_line_break() -> None:
    [fault] = list_faults(
        'game: {id: g, name: G, version: "1", language: 2, players: 2}\nvariables: {"heap\\n": {type: Int, start: 1}}\n'
    )

    assert (fault.code.id, fault.message) == ("E0205", "`heap…` is not a valid name")


# ---------------------------------------------------------------- the schema itself


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_schema_is_valid_and_self_contained(path: Path) -> None:
    """An editor needs no network to use it."""
    schema = json.loads(path.read_text(encoding="utf-8"))

    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].startswith("https://json-schema.org/draft/2020-12/")
    assert "$id" not in schema
    assert '"$ref": "#/' in path.read_text(encoding="utf-8") or "$ref" not in path.read_text(encoding="utf-8")


def test_schema_has_the_sections_of_the_language() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    table = re.search(r"\| section \| declares \|\n\|[-|]+\|\n((?:\|.*\n)+)", text)
    assert table is not None

    assert set(re.findall(r"^\| `(\w+)` \|", table[1], re.MULTILINE)) == set(RULESET["properties"])


def test_every_mapping_refuses_unknown_keys() -> None:
    for path, schema in list_subschemas(RULESET):
        if "object" in schema.get("type", "") and path.startswith("#"):
            assert "additionalProperties" in schema, path


def test_every_key_has_a_description() -> None:
    """Editors show it when an author points at a key."""
    for path, schema in list_subschemas(RULESET):
        for name, inner in schema.get("properties", {}).items():
            target = RULESET["$defs"].get(inner.get("$ref", "").rpartition("/")[2], {})
            assert "description" in {**target, **inner}, f"{path}.{name}"
            assert "title" in {**target, **inner} or target.get("type") == "array", f"{path}.{name}"


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_every_definition_is_used(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert [name for name in json.loads(text).get("$defs", {}) if f'"#/$defs/{name}"' not in text] == []


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_every_example_is_valid(path: Path) -> None:
    """Authors read it as a suggestion after a wrong value."""
    content = json.loads(path.read_text(encoding="utf-8"))

    for place, schema in list_subschemas(content):
        validator = Draft202012Validator({"$defs": content.get("$defs", {}), **schema})
        assert all(map(validator.is_valid, schema.get("examples", ()))), place


# ---------------------------------------------------------------- its errors


ERRORS = yaml.load(Path(__file__).with_name("schema_errors.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case["message"])
def test_errors_use_words_of_authors(case: dict[str, Any]) -> None:
    [error] = list_faults(case["text"])

    assert (error.code.id, error.span.line, error.span.column) == (case["code"], *case["place"])
    assert error.message == case["message"]
    assert error.hint == case.get("hint", error.hint)


@pytest.mark.parametrize(("items", "hint"), DATA["hint for a list shows the mapping instead"])
def test_hint_for_a_list_shows_the_mapping_instead(items: str, hint: str) -> None:
    text = f"cases: [{{id: a, steps: [{{play_until: end, outcome: {{{items}}}}}]}}]\n"
    [error] = list_faults(text, "cases")

    assert error.code.id == "E0203"
    assert error.message.endswith("expected a mapping, found a list")
    assert error.hint is not None and error.hint.startswith(hint)


def test_errors_are_sorted_by_place() -> None:
    errors = list_faults("zonse: {}\ncards: {A: {kind: 1, copies: x}}\nsetup:\n")

    assert [(error.code.id, error.span.line) for error in errors] == [
        ("E0201", 1),
        ("E0205", 2),
        ("E0203", 2),
        ("E0203", 2),
        ("E0203", 3),
    ]


def test_duplicate_points_at_the_first() -> None:
    [error] = list_faults("layers: [a, b, a]\n")

    assert [str(span) for span, _ in error.notes] == ["test.yaml:1:10"]
