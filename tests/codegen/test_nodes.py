"""Whoever goes through programs has something for each class of nodes, of all three languages: what the author wrote
(``nodes``), the core language, and what lowering leaves of it. Here the tables of classes are held against the classes,
and those who don't go by tables against the tables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from programs import ROOT, checked
from test_conformance import CHUNKS

from lusory.codegen.lower import lowered_nodes_and_common_subexpressions
from lusory.codegen.lower.lower_game import FORMS
from lusory.codegen.lower.lowered_nodes_and_common_subexpressions import AskWithLocals, Inlined, can_ask, can_stop
from lusory.evaluator.expressions import Reader
from lusory_dsl import core
from lusory_dsl.core import Stmt, get_children, sugar_nodes
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.types.types import BOOL, PLAYER, TEXT

GENERIC = {"interpreter/lusory/state/setting_value_limits_builtins_and_names.py"}
"""Who makes names of methods from names of classes."""


def subclasses(base: type, package: str) -> set[type]:
    """Every class below a class that a package defines."""
    found = {c for c in base.__subclasses__() if c.__module__.startswith(package)}
    return found.union(*(subclasses(c, package) for c in base.__subclasses__()))


def test_tables_name_every_class() -> None:
    assert set(core.EXPRESSIONS) == subclasses(core.Expr, "lusory_dsl.core")
    assert set(core.STATEMENTS) == subclasses(Stmt, "lusory_dsl.core") - {sugar_nodes.Split}  # nothing is left of it
    of_expressions = subclasses(core.Expr, "lusory.codegen") - {
        lowered_nodes_and_common_subexpressions.Changed
    }  # read of faults alone
    assert of_expressions == set(lowered_nodes_and_common_subexpressions.EXPRESSIONS) - set(core.EXPRESSIONS)
    assert subclasses(Stmt, "lusory.codegen") == set(lowered_nodes_and_common_subexpressions.STATEMENTS) - set(
        core.STATEMENTS
    )


def test_every_class_is_lowered_and_what_is_lowered_once_more() -> None:
    assert set(FORMS.expressions) == {*core.EXPRESSIONS, *lowered_nodes_and_common_subexpressions.EXPRESSIONS}
    assert set(FORMS.statements) == {*core.STATEMENTS, *lowered_nodes_and_common_subexpressions.STATEMENTS}


def test_a_reader_that_lacks_a_method_cannot_be_made() -> None:
    class Odd(core.Expr):
        pass

    with pytest.raises(TypeError, match="eval_Odd"):
        type("Lacking", (Reader,), {"expressions": (*core.EXPRESSIONS, Odd)})


def test_nobody_else_makes_names_of_methods_from_classes() -> None:
    files = [*(ROOT / "dsl").rglob("*.py"), *(ROOT / "interpreter").rglob("*.py")]
    found = {str(file.relative_to(ROOT)) for file in files if _goes_by_names(file)}
    assert found == GENERIC


def _goes_by_names(file: Path) -> bool:
    text = file.read_text(encoding="utf-8")
    if "getattr(" not in text:
        return False
    calls = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call) and ast.unparse(n.func) == "getattr"]
    return "getattr(owner, name)" in text or any("__name__" in ast.unparse(call.args[1]) for call in calls)


# ---------------------------------------------------------------- blocks in blocks


def conformance_statements() -> Iterator[Stmt]:
    for chunk in CHUNKS.values():
        program = checked(chunk.ruleset)
        blocks = [effect.body for effect in program.effects.values()]
        blocks += (phase.body for phase in core.walk_phases((program.setup, *program.phases)))
        for block in blocks:
            yield from core.walk_statements(block)


def inside(node: Any) -> Iterator[Stmt]:
    """The statements directly inside of a statement, through alternatives and the like."""
    for child in get_children(node):
        if isinstance(child, Stmt):
            yield child
        elif not isinstance(child, core.Expr):
            yield from inside(child)


def test_blocks_of_a_statement_are_all_that_is_in_it() -> None:
    seen = set()
    for stmt in conformance_statements():
        found = {s for block in core.get_blocks(stmt) for s in block}
        assert found == set(inside(stmt))
        seen |= {type(stmt)} if found else set()
    assert seen == {c for c in core.STATEMENTS if "Stmt" in "".join(map(str, _annotations(c)))}


def _annotations(node: type) -> list[object]:
    return [*node.__annotations__.values()] + (["Stmt"] if node is core.Ask else [])  # through its alternatives


YES = core.Const(BOOL, NOWHERE, True)
SEAT = core.Const(PLAYER, NOWHERE, 0)
WORDS = core.TextTemplate(TEXT, NOWHERE, ())


def asking(*body: Stmt) -> AskWithLocals:
    return AskWithLocals(NOWHERE, 0, SEAT, WORDS, (core.Alternative("a", None, (), (), body, NOWHERE),), ())


def holding(body: tuple[Stmt, ...]) -> dict[type, Stmt]:
    """For each lowered statement that has blocks one that holds others."""
    return {
        core.If: core.If(NOWHERE, ((YES, ()),), body),
        core.ForEach: core.ForEach(NOWHERE, 1, "x", YES, None, body),
        core.Repeat: core.Repeat(NOWHERE, YES, None, None, body),
        core.Random: core.Random(NOWHERE, 1, "x", YES, None, "dice", (), body),
        AskWithLocals: asking(*body),
        Inlined: Inlined(NOWHERE, "deed", body),
    }


def test_what_a_block_does_is_seen_through_every_class() -> None:
    """Whether something in it asks, leaves the loop round it, or ends the game."""
    kinds = holding(()).keys()
    assert kinds == {
        c
        for c in lowered_nodes_and_common_subexpressions.STATEMENTS
        if "Stmt" in "".join(map(str, _annotations(c.__mro__[0])))
    } | {AskWithLocals}
    for kind, outer in holding((asking(),)).items():
        assert can_ask((outer,)), kind
    for kind, outer in holding((core.Stop(NOWHERE),)).items():
        assert can_stop((outer,)) is (kind not in (core.ForEach, core.Repeat)), kind
    deed = core.EndGame(NOWHERE, None)
    for kind, outer in holding((deed,)).items():
        assert lowered_nodes_and_common_subexpressions.can_end((outer,)), kind
