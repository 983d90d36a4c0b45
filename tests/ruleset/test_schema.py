"""Test that the schema of ruleset files is complete, strict and documented, and that its errors are in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator
from jsonschema_rs import Draft202012Validator as QuickValidator
from programs import read_data

from lusory_dsl.ruleset import schema_validation
from lusory_dsl.ruleset.schema_validation import validate
from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_data_folder, load_schema
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


# ---------------------------------------------------------------- two validators


def mutate(content: Any) -> Iterator[Any]:
    """Yield the content with each value replaced, removed or renamed."""
    yield from (1.0, 0.5, 1, -1, True, None, "", "a b", "1..3", [], ["a", "a"], {}, {"a": 1}, {"if": "a"}, {"id": "a"})
    if isinstance(content, str):
        yield from (f"{content}\n", f"\n{content}", f"{content}é")
    if isinstance(content, dict):
        for key, value in content.items():
            other_items = {name: content[name] for name in content if name != key}
            yield other_items
            yield {**other_items, f"{key} x": value}
            yield {**other_items, f"{key}\n": value}
            yield from ({**content, key: mutant} for mutant in mutate(value))
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield content[:number] + content[number + 1 :]
            yield from ([*content[:number], mutant, *content[number + 1 :]] for mutant in mutate(value))


TEXTS = {
    "ruleset": (Path(__file__).parents[1] / "fixtures" / "bids.yaml").read_text(encoding="utf-8"),
    "cases": DATA["texts"],
}


@pytest.mark.parametrize("schema", TEXTS)
def test_fast_validator_accepts_only_valid_content(schema: str) -> None:
    """The fast validator runs first. The slow one, which explains errors, runs only after a refusal."""
    content = yaml.load(TEXTS[schema], Loader=yaml.CSafeLoader)
    quick = schema_validation._make_quick_validator(schema, None)
    slow = schema_validation._make_exact_validator(load_schema(schema))
    mutants = [mutant for mutant in mutate(content) if not schema_validation._has_decimals(mutant)]

    assert quick.is_valid(content)
    assert schema_validation._has_decimals({"a": [{"b": 1.0}]})
    mutants = mutants[:: len(mutants) // 800 or 1]
    assert len(mutants) > 500
    valid = [mutant for mutant in mutants if quick.is_valid(mutant)]
    assert 0 < len(valid) < len(mutants) // 2
    assert [mutant for mutant in mutants if slow.is_valid(mutant)] == valid


def list_patterns() -> list[str]:
    """Return every pattern of every schema."""
    texts = "\n".join(path.read_text(encoding="utf-8") for path in SCHEMAS)
    return sorted({json.loads(f'"{pattern}"') for pattern in re.findall(r'"pattern": "((?:[^"\\]|\\.)*)"', texts)})


@pytest.mark.parametrize("pattern", list_patterns())
def test_both_validators_interpret_patterns_alike(pattern: str) -> None:
    """Some texts almost match. In JSON Schema `$` is the end of the text, in Python it can also be before a last line
    break."""
    schema = {"type": "string", "pattern": pattern}
    quick, slow = QuickValidator(schema), schema_validation._make_exact_validator(schema)

    @settings(max_examples=150, deadline=None, database=None)
    @given(
        st.one_of(
            st.from_regex(pattern),
            st.from_regex(schema_validation._convert_pattern(pattern)),
            st.text("a1.-_P \n\u0663é"),
        )
    )
    def compare_validators(text: str) -> None:
        assert quick.is_valid(text) == slow.is_valid(text)
        assert quick.is_valid(f"{text}\n") == slow.is_valid(f"{text}\n")

    compare_validators()
    assert len(list_patterns()) > 8


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
