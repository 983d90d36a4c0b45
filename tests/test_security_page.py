"""What docs/develop/security.md promises is held by tests that are there, and every promise names one."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest
from programs import ROOT

PAGE = (ROOT / "docs" / "develop" / "security.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
PROMISES = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| **")]


@cache
def functions_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("file, name", NAMED)
def test_the_tests_that_hold_a_promise_are_there(file: str, name: str) -> None:
    assert name in functions_of(file)


def test_each_promise_names_its_tests() -> None:
    assert len(PROMISES) > 15
    for promise, held in PROMISES:
        assert re.search(r"`tests/[\w/]+\.py::test_\w+`", held), promise
