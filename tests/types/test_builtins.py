"""The table of builtins: its rows are sound, its page and export up to date. Its examples run with the documents'."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from programs import ROOT, read_data

from lusory_dsl import core
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import NOTATIONS
from lusory_dsl.types import builtins_reference_generator
from lusory_dsl.types.builtin_functions_members_and_statements import (
    BUILTINS,
    COMPREHENSIONS,
    FUNCTIONS,
    MEMBERS,
    RUNTIME_FUNCTIONS,
    SPACE_MEMBERS,
    Builtin,
    PlaceType,
    SpaceMember,
)
from lusory_dsl.types.types import INT, TEXT, ListType

DATA = read_data(__file__)


def by_name(row: Builtin) -> str:
    return f"{row.kind} {row.name}"


@pytest.mark.parametrize("row", BUILTINS, ids=by_name)
def test_a_row_is_whole(row: Builtin) -> None:
    assert row.doc.endswith(".")
    assert row.example
    assert (row.type is None) == (row.kind == "verb")
    assert row.core_node == "CallBuiltin" or hasattr(core, row.core_node)
    if row.kind != "verb":
        assert row.example_value
        assert set(re.findall(r"\{(\w+)\}", row.text)) == {p.name for p in row.params}
        assert not any(p.is_optional for p in row.params)
    if row.can_be_member:
        assert len(row.params) == 1
    if row.kind == "member":
        assert isinstance(row.params[0].type, PlaceType)


@pytest.mark.parametrize("row", SPACE_MEMBERS, ids=lambda row: f"{row.subject_kind} {row.name}")
def test_a_member_of_spaces_is_whole(row: SpaceMember) -> None:
    assert row.doc.endswith(".")
    assert set(re.findall(r"\{(\w+)\}", row.text)) == {"subject", *(name for name, _ in row.params)}
    assert re.fullmatch(rf".+\.{row.name}(\(.+\))? → \S.*", row.example)


def test_names_are_unique() -> None:
    names = [row.name for row in BUILTINS]

    assert len(names) == len(set(names))


def test_what_engines_implement() -> None:
    assert set(FUNCTIONS) <= set(RUNTIME_FUNCTIONS) <= set(FUNCTIONS) | set(MEMBERS)
    assert {"total", "kinds"}.isdisjoint(RUNTIME_FUNCTIONS)


@pytest.mark.parametrize("row", RUNTIME_FUNCTIONS.values(), ids=by_name)
def test_what_a_function_can_come_to_is_in_its_row(row: Builtin) -> None:
    assert (row.bounds is not None) == (row.type == INT)
    assert (row.size is not None) == isinstance(row.type, ListType)
    assert (row.characters is not None) == (row.type == TEXT)


@pytest.mark.parametrize("row", [row for row in RUNTIME_FUNCTIONS.values() if row.mirror], ids=by_name)
def test_opposites_do_the_same_the_other_way_round(row: Builtin) -> None:
    assert row.mirror is not None
    other = RUNTIME_FUNCTIONS[row.mirror]

    assert other.mirror == row.name
    assert (other.type, [p.type for p in other.params]) == (row.type, [p.type for p in row.params])


NAMED: dict[str, str] = DATA["named"]
"""Where several functions are named, and what for: it is no fact about them, but what is done."""


def test_nobody_else_keeps_a_list_of_functions() -> None:
    """Two names of functions in one list, mapping or pattern are a fact about them, which belongs into their rows."""
    words = set(RUNTIME_FUNCTIONS) - set(COMPREHENSIONS)
    found: dict[str, list[str]] = {}
    for file in (*(ROOT / "dsl").rglob("*.py"), *(ROOT / "interpreter").rglob("*.py")):
        name, text = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
        if len(words.intersection(re.findall(r"""["'](\w+)["']""", text))) < 2:  # parsing them all takes seconds
            continue
        for node in ast.walk(ast.parse(text)):
            named = words & {word for word in map(_word, _items(node)) if isinstance(word, str)}
            if len(named) > 1:
                found.setdefault(name, []).append(", ".join(sorted(named)))
    assert {name: found[name] for name in found.keys() - NAMED.keys()} == {}
    assert found.keys() == NAMED.keys()


def _items(node: ast.AST) -> Sequence[ast.AST | None]:
    """What a list, mapping or pattern names."""
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) | ast.Dict(keys=items):
            return items
        case ast.MatchOr(patterns=patterns):
            return patterns
    return ()


def _word(node: ast.AST | None) -> object:
    match node:
        case ast.Constant(value=value) | ast.MatchValue(value=ast.Constant(value=value)):
            return value
    return None


def test_the_parser_knows_the_same_words() -> None:
    assert {row.name.split()[0] for row in BUILTINS if row.kind == "verb"} <= set(NOTATIONS)


def test_generated_files_are_up_to_date() -> None:
    files = builtins_reference_generator.generate_files()
    assert builtins_reference_generator.update(files, builtins_reference_generator.COMMAND, ["--check"]) == 0


def test_files_outside_the_checkout_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="subpath"):
        builtins_reference_generator.update({tmp_path / "page.md": "text"}, "command", [])
    assert list(tmp_path.iterdir()) == []


def test_the_export_has_every_row() -> None:
    data = json.loads(builtins_reference_generator.render_table())

    assert [row["name"] for kind in ("functions", "members", "verbs") for row in data[kind]] == [
        row.name for row in BUILTINS
    ]
    assert [(row["of"], row["name"]) for row in data["spaces"]] == [
        (row.subject_kind, row.name) for row in SPACE_MEMBERS
    ]
    assert data["functions"][0] == DATA["the export has every row"]
