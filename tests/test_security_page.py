"""Every promise of docs/develop/security.md names a test that exists."""

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
def list_functions(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("file, name", NAMED)
def test_named_tests_exist(file: str, name: str) -> None:
    assert name in list_functions(file)


def test_each_promise_names_a_test() -> None:
    assert len(PROMISES) > 15
    for promise, tests in PROMISES:
        assert re.search(r"`tests/[\w/]+\.py::test_\w+`", tests), promise
