"""Every pass over programs handles every node class: of the syntax tree, the core language and the lowered language.

Compares the tables of classes with the classes, and the passes that don't use a table with the tables.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from programs import ROOT, build_program
from test_conformance import CHUNKS

from lusory.codegen.lower import lowered_nodes_and_common_subexpressions
from lusory.codegen.lower.lower_game import FORMS
from lusory.codegen.lower.lowered_nodes_and_common_subexpressions import AskWithLocals, Inlined, can_ask, can_stop
from lusory.evaluator.expressions import Reader
from lusory_dsl import core
from lusory_dsl.core import Stmt, get_children
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.types.types import BOOL, PLAYER, TEXT

METHOD_NAME_MODULES = {"interpreter/lusory/state/setting_value_limits_builtins_and_names.py"}
"""Modules that build method names from class names."""


def list_subclasses(base: type, package: str) -> set[type]:
    """Return all subclasses of a class, direct and indirect, that a package defines."""
    classes = {subclass for subclass in base.__subclasses__() if subclass.__module__.startswith(package)}
    return classes.union(*(list_subclasses(subclass, package) for subclass in base.__subclasses__()))


def test_tables_name_every_class() -> None:
    # Only the text of faults uses Changed.
    assert {*core.EXPRESSIONS, core.ListLoop} == list_subclasses(core.Expr, "lusory_dsl.core")
    assert set(core.STATEMENTS) == list_subclasses(Stmt, "lusory_dsl.core")
    classes = list_subclasses(core.Expr, "lusory.codegen") - {lowered_nodes_and_common_subexpressions.Changed}
    assert classes == set(lowered_nodes_and_common_subexpressions.EXPRESSIONS) - set(core.EXPRESSIONS)
    assert list_subclasses(Stmt, "lusory.codegen") == set(lowered_nodes_and_common_subexpressions.STATEMENTS) - set(
        core.STATEMENTS
    )


def test_every_node_class_can_be_lowered() -> None:
    assert set(FORMS.expressions) == {*core.EXPRESSIONS, *lowered_nodes_and_common_subexpressions.EXPRESSIONS}
    assert set(FORMS.statements) == {*core.STATEMENTS, *lowered_nodes_and_common_subexpressions.STATEMENTS}


def test_a_reader_without_a_method_for_a_class_is_refused() -> None:
    class Unhandled(core.Expr):
        pass

    with pytest.raises(TypeError, match="eval_Unhandled"):
        type("Lacking", (Reader,), {"expressions": (*core.EXPRESSIONS, Unhandled)})


def test_only_listed_modules_build_method_names() -> None:
    files = [*(ROOT / "dsl").rglob("*.py"), *(ROOT / "interpreter").rglob("*.py")]
    modules = {str(file.relative_to(ROOT)) for file in files if _uses_method_names(file)}
    assert modules == METHOD_NAME_MODULES


def _uses_method_names(file: Path) -> bool:
    text = file.read_text(encoding="utf-8")
    if "getattr(" not in text:
        return False
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    names = [ast.unparse(call.args[1]) for call in calls if ast.unparse(call.func) == "getattr"]
    return "getattr(owner, name)" in text or any("__name__" in name for name in names)


# ---------------------------------------------------------------- nested blocks


def list_conformance_statements() -> Iterator[Stmt]:
    for chunk in CHUNKS.values():
        program = build_program(chunk.ruleset)
        blocks = [effect.body for effect in program.effects.values()]
        blocks += (phase.body for phase in core.walk_phases((program.setup, *program.phases)))
        for block in blocks:
            yield from core.walk_statements(block)


def list_nested_statements(node: Any) -> Iterator[Stmt]:
    """Yield the statements directly inside a node, also those inside its alternatives."""
    for child in get_children(node):
        if isinstance(child, Stmt):
            yield child
        elif not isinstance(child, core.Expr):
            yield from list_nested_statements(child)


def test_get_blocks_returns_all_nested_statements() -> None:
    classes = set()
    for stmt in list_conformance_statements():
        inner = {inner_stmt for block in core.get_blocks(stmt) for inner_stmt in block}
        assert inner == set(list_nested_statements(stmt))
        classes |= {type(stmt)} if inner else set()
    assert classes == {kind for kind in core.STATEMENTS if "Stmt" in "".join(map(str, _list_annotations(kind)))}


def _list_annotations(node: type) -> list[object]:
    return [*node.__annotations__.values()] + (["Stmt"] if node is core.Ask else [])  # inside its alternatives


YES = core.Const(BOOL, NOWHERE, True)
SEAT = core.Const(PLAYER, NOWHERE, 0)
WORDS = core.TextTemplate(TEXT, NOWHERE, ())


def create_ask(*body: Stmt) -> AskWithLocals:
    return AskWithLocals(NOWHERE, 0, SEAT, WORDS, (core.Alternative("a", None, (), (), body, NOWHERE),), ())


def create_statements_with(body: tuple[Stmt, ...]) -> dict[type, Stmt]:
    """Return a statement of each lowered class with blocks, with ``body`` as its block."""
    return {
        core.If: core.If(NOWHERE, ((YES, ()),), body),
        core.ForEach: core.ForEach(NOWHERE, 1, "x", YES, None, body),
        core.Repeat: core.Repeat(NOWHERE, YES, None, None, body),
        core.Random: core.Random(NOWHERE, 1, "x", YES, None, "dice", (), body),
        AskWithLocals: create_ask(*body),
        Inlined: Inlined(NOWHERE, "deed", body),
    }


def test_control_flow_is_found_inside_every_class() -> None:
    """Finds choices, `stop` and `end game` inside every class of statement."""
    kinds = create_statements_with(()).keys()
    assert kinds == {
        node_class
        for node_class in lowered_nodes_and_common_subexpressions.STATEMENTS
        if "Stmt" in "".join(map(str, _list_annotations(node_class.__mro__[0])))
    } | {AskWithLocals}
    for kind, outer in create_statements_with((create_ask(),)).items():
        assert can_ask((outer,)), kind
    for kind, outer in create_statements_with((core.Stop(NOWHERE),)).items():
        assert can_stop((outer,)) is (kind not in (core.ForEach, core.Repeat)), kind
    deed = core.EndGame(NOWHERE, None)
    for kind, outer in create_statements_with((deed,)).items():
        assert lowered_nodes_and_common_subexpressions.can_end((outer,)), kind
