"""Test the table of builtins: its rows are sound, and its page and export are up to date."""

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


def get_name(row: Builtin) -> str:
    return f"{row.kind} {row.name}"


@pytest.mark.parametrize("row", BUILTINS, ids=get_name)
def test_rows_are_complete(row: Builtin) -> None:
    assert row.doc.endswith(".")
    assert row.example
    assert (row.type is None) == (row.kind == "verb")
    assert row.core_node == "CallBuiltin" or hasattr(core, row.core_node)
    if row.kind != "verb":
        assert row.example_value
        assert set(re.findall(r"\{(\w+)\}", row.text)) == {param.name for param in row.params}
        assert not any(param.is_optional for param in row.params)
    if row.can_be_member:
        assert len(row.params) == 1
    if row.kind == "member":
        assert isinstance(row.params[0].type, PlaceType)


@pytest.mark.parametrize("row", SPACE_MEMBERS, ids=lambda row: f"{row.subject_kind} {row.name}")
def test_members_of_spaces_are_complete(row: SpaceMember) -> None:
    assert row.doc.endswith(".")
    assert set(re.findall(r"\{(\w+)\}", row.text)) == {"subject", *(name for name, _ in row.params)}
    assert re.fullmatch(rf".+\.{row.name}(\(.+\))? → \S.*", row.example)


def test_names_are_unique() -> None:
    names = [row.name for row in BUILTINS]

    assert len(names) == len(set(names))


def test_engines_implement_the_table() -> None:
    assert set(FUNCTIONS) <= set(RUNTIME_FUNCTIONS) <= set(FUNCTIONS) | set(MEMBERS)
    assert {"total", "kinds"}.isdisjoint(RUNTIME_FUNCTIONS)


@pytest.mark.parametrize("row", RUNTIME_FUNCTIONS.values(), ids=get_name)
def test_rows_have_bounds_of_results(row: Builtin) -> None:
    assert (row.bounds is not None) == (row.type == INT)
    assert (row.size is not None) == isinstance(row.type, ListType)
    assert (row.characters is not None) == (row.type == TEXT)


@pytest.mark.parametrize("row", [row for row in RUNTIME_FUNCTIONS.values() if row.mirror], ids=get_name)
def test_opposites_mirror_each_other(row: Builtin) -> None:
    assert row.mirror is not None
    mirror = RUNTIME_FUNCTIONS[row.mirror]

    assert mirror.mirror == row.name
    assert (mirror.type, [param.type for param in mirror.params]) == (row.type, [param.type for param in row.params])


NAMED: dict[str, str] = DATA["named"]
"""Places that may name several functions, and why: they say nothing about the functions."""


def test_no_other_module_lists_functions() -> None:
    """Two function names in one list, mapping or pattern state a fact about them, which belongs in their rows."""
    functions = set(RUNTIME_FUNCTIONS) - set(COMPREHENSIONS)
    lists: dict[str, list[str]] = {}
    for file in (*(ROOT / "dsl").rglob("*.py"), *(ROOT / "interpreter").rglob("*.py")):
        name, text = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
        if len(functions.intersection(re.findall(r"""["'](\w+)["']""", text))) < 2:  # parsing all modules takes seconds
            continue
        for node in ast.walk(ast.parse(text)):
            names = functions & {word for word in map(_get_word, _get_items(node)) if isinstance(word, str)}
            if len(names) > 1:
                lists.setdefault(name, []).append(", ".join(sorted(names)))
    assert {name: lists[name] for name in lists.keys() - NAMED.keys()} == {}
    assert lists.keys() == NAMED.keys()


def _get_items(node: ast.AST) -> Sequence[ast.AST | None]:
    """Return the items of a list, mapping or pattern."""
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) | ast.Dict(keys=items):
            return items
        case ast.MatchOr(patterns=patterns):
            return patterns
    return ()


def _get_word(node: ast.AST | None) -> object:
    match node:
        case ast.Constant(value=value) | ast.MatchValue(value=ast.Constant(value=value)):
            return value
    return None


def test_parser_knows_the_same_words() -> None:
    assert {row.name.split()[0] for row in BUILTINS if row.kind == "verb"} <= set(NOTATIONS)


def test_generated_files_are_up_to_date() -> None:
    files = builtins_reference_generator.generate_files()
    assert builtins_reference_generator.update(files, builtins_reference_generator.COMMAND, ["--check"]) == 0


def test_files_outside_the_checkout_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="subpath"):
        builtins_reference_generator.update({tmp_path / "page.md": "text"}, "command", [])
    assert list(tmp_path.iterdir()) == []


def test_export_has_every_row() -> None:
    data = json.loads(builtins_reference_generator.render_table())

    assert [row["name"] for kind in ("functions", "members", "verbs") for row in data[kind]] == [
        row.name for row in BUILTINS
    ]
    assert [(row["of"], row["name"]) for row in data["spaces"]] == [
        (row.subject_kind, row.name) for row in SPACE_MEMBERS
    ]
    assert data["functions"][0] == DATA["export has every row"]
