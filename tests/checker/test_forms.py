"""Test the table of checker functions ("forms") for syntax nodes, and that the checker visits each node only once."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from pathlib import Path

import pytest
from programs import read_data

from lusory_dsl import Diagnostics, check_text, checker, core
from lusory_dsl.checker.dispatch import FORMS
from lusory_dsl.syntax import ast as nodes

DATA = read_data(__file__)

FORMS_OF = {**FORMS.expressions, **FORMS.statements}
FILES = sorted(Path(checker.__file__).parent.glob("*.py"))


def test_forms_take_the_classes_that_they_are_registered_for() -> None:
    """Compare the annotation of each function's parameter `node` with the classes that it is registered for."""
    classes: dict[object, set[str]] = {}
    for node, form in FORMS_OF.items():
        classes.setdefault(form, set()).add(f"ast.{node.__name__}")

    for form, names in classes.items():
        assert names == set(inspect.signature(form).parameters["node"].annotation.split(" | "))


def test_forms_call_each_other_only_through_the_routine() -> None:
    """Only the table may import these functions. Modules share helpers instead, and the stages get the table."""
    names = {(form.__module__, form.__name__) for form in FORMS_OF.values()}
    direct_calls = [
        f"{file.name} imports {alias.name}"
        for file in FILES
        if file.name not in ("dispatch.py", "check.py", "expressions_in_test_cases.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
        if (f"lusory_dsl.checker.{node.module}", alias.name) in names or node.module == "dispatch"
    ]

    assert not direct_calls


def test_only_records_have_subclasses() -> None:
    classes = {
        node.name: (file.name, [ast.unparse(base) for base in node.bases])
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }

    assert {file for file, bases in classes.values() if set(bases) & classes.keys()} == {"symbol_table.py"}


CHAIN = DATA["chain"]

TEXTS = DATA["texts"]
DOTS = 9


WRAPS = DATA["wraps"]


def count_most_visits(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Check a statement and return how often the most visited expression is visited."""
    visits: Counter[nodes.Expr] = Counter()
    for node, form in FORMS.expressions.items():

        def count_and_check(routine, node, expected, form=form):  # type: ignore[no-untyped-def]
            visits[node] += 1
            return form(routine, node, expected)

        monkeypatch.setitem(FORMS.expressions, node, count_and_check)  # type: ignore[arg-type]
    check_text(CHAIN.format(text), Diagnostics())
    assert len(visits) > 2
    return max(visits.values())


@pytest.mark.parametrize(
    "link", [".q()", ".other(count(players where it is me))", ".next()", ".next", ".mate()", ".printed", ".nope()"]
)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_chain_of_calls_is_visited_once(text: str, link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A longer chain must not repeat work for the part before a dot, whether the program is right or wrong.

    One exception: if the arguments of a wrong call bind names, the part before the call is visited twice.
    """
    assert count_most_visits(text.format(link * DOTS), monkeypatch) <= 1 + ("where" in link)


@pytest.mark.parametrize("template", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("leaf", ["me", "1", "nope", "[].first"])
def test_nested_calls_are_visited_once(template: str, leaf: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(DOTS):
        leaf = template.format(leaf)

    assert count_most_visits(f"let x = {leaf}", monkeypatch) == 1


def test_missing_item_can_be_an_argument() -> None:
    """The first item of an empty list fits any type, so it is accepted as a player. Playing it causes a fault."""
    program = check_text(CHAIN.format("let x = [].first.q()"), Diagnostics())

    assert program is not None
    assert any(isinstance(node, core.CallQuery) for stmt in program.phases[0].body for node in core.walk(stmt))
