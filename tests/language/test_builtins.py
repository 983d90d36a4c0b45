"""The table of builtins: its rows are sound, its page and export up to date. Its examples run with the documents'."""

from __future__ import annotations

import json
import re

import pytest

from lusory_dsl import core
from lusory_dsl.effect.words import LIST_FUNCTIONS, SHAPES
from lusory_dsl.language import reference
from lusory_dsl.language.builtins import (
    BUILTINS,
    COMPREHENSIONS,
    FUNCTIONS,
    MEMBERS,
    RUNTIME_FUNCTIONS,
    Builtin,
    PlaceType,
)


def by_name(row: Builtin) -> str:
    return f"{row.kind} {row.name}"


@pytest.mark.parametrize("row", BUILTINS, ids=by_name)
def test_a_row_is_whole(row: Builtin) -> None:
    assert row.doc.endswith(".")
    assert row.example
    assert (row.type is None) == (row.kind == "verb")
    assert row.core == "CallBuiltin" or hasattr(core, row.core)
    if row.kind != "verb":
        assert row.shows
        assert set(re.findall(r"\{(\w+)\}", row.text)) == {p.name for p in row.params}
        assert not any(p.optional for p in row.params)
    if row.member:
        assert len(row.params) == 1
    if row.kind == "member":
        assert isinstance(row.params[0].type, PlaceType)


def test_names_are_unique() -> None:
    names = [row.name for row in BUILTINS]

    assert len(names) == len(set(names))


def test_what_engines_implement() -> None:
    assert set(FUNCTIONS) <= RUNTIME_FUNCTIONS <= set(FUNCTIONS) | set(MEMBERS)
    assert {"total", "kinds"}.isdisjoint(RUNTIME_FUNCTIONS)


def test_the_parser_knows_the_same_words() -> None:
    assert set(COMPREHENSIONS) == set(LIST_FUNCTIONS)
    assert {row.name.split()[0] for row in BUILTINS if row.kind == "verb"} <= set(SHAPES)


def test_generated_files_are_up_to_date() -> None:
    assert reference.stale() == [], f"run: {reference.COMMAND}"


def test_the_export_has_every_row() -> None:
    data = json.loads(reference.table())

    assert [row["name"] for kind in ("functions", "members", "verbs") for row in data[kind]] == [
        row.name for row in BUILTINS
    ]
    assert data["functions"][0] == {
        "name": "count",
        "signature": "count(xs: List[T]) -> Int",
        "type": "Int",
        "member": False,
        "params": [{"name": "xs", "type": "List[T]", "optional": False}],
        "doc": "How many items a list has.",
        "text": "the number of {xs}",
        "example": "count([4, 5])",
    }
