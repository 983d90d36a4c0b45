"""The intermediate form: every node class is selected and printed, and no pass depends on text."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from generated import UNSPLIT
from programs import build_program, load_bundled, read_data
from test_conformance import CHUNKS

from lusory.cli import main
from lusory.codegen import build_stages_and_ir_listing, ir
from lusory.codegen.build_stages_and_ir_listing import emit, format_module, select_module
from lusory.codegen.c.function_printer_and_c_types import NotNative
from lusory.codegen.c.whole_games import emit_c
from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.generated_code_runner_and_fault_explanation import CompiledEngine
from lusory.codegen.instruction_selection.playout_function import PLAYOUT_STATEMENTS
from lusory.codegen.instruction_selection.selection_table import EXPRESSIONS
from lusory.codegen.instruction_selection.stepwise_play import STEP_STATEMENTS
from lusory.codegen.lower import lowered_nodes_and_common_subexpressions
from lusory.codegen.passes import type_inference
from lusory.codegen.passes.live_locals_across_choices import Liveness
from lusory.codegen.passes.split_at_choices import filter_build, split_into_blocks
from lusory.codegen.passes.type_inference import PRIMITIVES, infer_sorts
from lusory.codegen.python.printer import PRIMITIVE_FORMATS, VALUES
from lusory.codegen.python.runtime import make_namespace
from lusory.game import Game
from lusory.state.setting_value_limits_builtins_and_names import Setting
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS

DATA = read_data(__file__)

CODEGEN = Path(__file__).parents[2] / "interpreter" / "lusory" / "codegen"
SPECIAL_CASES = {"and_stop", "bits", "both", "pick"}
"""Primitives with a special case in the printer."""


def list_classes(base: type) -> set[type]:
    return {item for name in dir(ir) if isinstance(item := getattr(ir, name), type) and issubclass(item, base)} - {base}


RARE = DATA["rare"]
"""A ruleset with rare constructs: chance before a choice, a maximum, a search of zones, and an index out of range."""


@cache
def list_settings() -> tuple[Setting, ...]:
    """Return the settings of all conformance rulesets and of two bundled games."""
    programs = [build_program(chunk.ruleset) for chunk in CHUNKS.values()]
    programs += [build_program(RARE), *(load_bundled(name) for name in ("kuhn-poker", "nano-empire"))]
    return tuple(Game(program).setting for program in programs)


@cache
def select_modules() -> tuple[ir.Module, ...]:
    """Return the modules of stepwise play and of playouts for all :func:`settings`."""
    return tuple(select_module(setting, kind) for setting in list_settings() for kind in ("events", "playout"))


# ---------------------------------------------------------------- completeness


def test_every_node_class_is_selected() -> None:
    assert set(EXPRESSIONS) == set(lowered_nodes_and_common_subexpressions.EXPRESSIONS)
    assert set(STEP_STATEMENTS) == set(lowered_nodes_and_common_subexpressions.STATEMENTS)
    assert set(PLAYOUT_STATEMENTS) == set(lowered_nodes_and_common_subexpressions.STATEMENTS)


def test_every_value_class_is_printed() -> None:
    assert set(VALUES) == list_classes(ir.Value) == set(type_inference.VALUES)


def test_every_class_is_exercised_and_printed() -> None:
    """Conformance and two games use every node class, and all of it is printed as C or refused.

    This is a single test because the modules take seconds to create.
    """
    nodes = [node for module in select_modules() for function in module.functions for node in ir.walk(function.ops)]
    made_by_passes = {ir.Goto, ir.Load, ir.Initialize}  # only passes create these
    assert (list_classes(ir.Value) | list_classes(ir.Op)) - made_by_passes - set(map(type, nodes)) == set()
    primitives = {node.name for node in nodes if isinstance(node, ir.Primitive)}
    functions = {f"fn_{name}" for name in RUNTIME_FUNCTIONS}
    assert primitives <= set(PRIMITIVES) | functions
    names = make_namespace(Game(build_program(RARE)).setting, ()).keys()
    assert set(PRIMITIVES) <= names | set(PRIMITIVE_FORMATS) | SPECIAL_CASES
    assert set(PRIMITIVE_FORMATS) <= set(PRIMITIVES) | functions

    refusals = []
    for setting, module in zip(list_settings(), select_modules()[1::2], strict=True):
        try:
            assert emit_c(setting, module).text.isascii()
        except NotNative as error:
            refusals.append(error.reason)
    assert refusals == ["the smallest number there is"]
    for number, module in enumerate(select_modules()[::8]):
        listing = format_module(module, infer_sorts(list_settings()[number * 4], module), ("any", 2, "players"))
        assert listing.isascii()
        assert listing.count("\n") > len(module.functions)


@pytest.mark.parametrize("folder", ["ir", "instruction_selection", "passes"])
def test_packages_do_not_depend_on_text(folder: str) -> None:
    """These packages import neither the printer nor regular expressions."""
    files = list((CODEGEN / folder).glob("*.py"))
    assert files
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            assert "re" not in names
            assert not module.startswith("python")
            assert "python" not in names, path


# ---------------------------------------------------------------- passes

PLACE = ir.NOWHERE
X, Y = ir.Local(1), ir.Local(2)
ONE = ir.Const(1)


def set_local(local: ir.Local, value: ir.Value = ONE) -> ir.Set:
    return ir.Set(PLACE, local, value)


def create_if(condition: ir.Value, then_ops: ir.Ops, else_ops: ir.Ops | None) -> ir.If:
    branches = [ir.Branch(PLACE, condition, then_ops)]
    if else_ops is not None:
        branches.append(ir.Branch(PLACE, None, else_ops))
    return ir.If(PLACE, tuple(branches))


def find_exposed_locals(*ops: ir.Op) -> set[int]:
    return Liveness(ir.Function("block", "b0", (), ops), {}).exposed_locals


def test_a_local_is_exposed_if_a_path_reads_it_first() -> None:
    read_op = ir.Evaluate(PLACE, X)
    return_op = ir.Return(PLACE, (ONE,))
    assert find_exposed_locals(set_local(X), read_op) == set()
    assert find_exposed_locals(read_op) == {1}
    assert find_exposed_locals(set_local(X, X)) == {1}
    assert find_exposed_locals(create_if(ONE, (set_local(X),), None), read_op) == {1}
    assert find_exposed_locals(create_if(ONE, (set_local(X),), (set_local(X),)), read_op) == set()
    assert find_exposed_locals(create_if(ONE, (set_local(X),), (return_op,)), read_op) == set()
    assert find_exposed_locals(ir.Loop(PLACE, X, Y, (read_op,)), read_op) == {1, 2}
    assert find_exposed_locals(ir.While(PLACE, ONE, (set_local(X), read_op)), read_op) == {1}


def test_a_list_is_copied_once_per_path() -> None:
    first = ir.CopyZone(PLACE, ir.Zone(ir.Index((), 3)))
    second = ir.CopyZone(PLACE, ir.Zone(ir.Index(((X, 1),))))
    branch = create_if(ONE, (first, second), None)
    liveness = Liveness(ir.Function("block", "b0", (1,), (first, branch, first, second)), {})
    copies = [node for node in ir.walk(liveness.ops) if isinstance(node, ir.CopyZone)]
    assert copies == [first, second, second]
    late = Liveness(ir.Function("block", "b0", (), (create_if(ONE, (first,), None), first)), {})
    assert [node for node in ir.walk(late.ops) if isinstance(node, ir.CopyZone)] == [first, first]


def test_a_build_contains_only_its_own_operations() -> None:
    loud, silent = ir.LogEvent(PLACE, "GameEnded", ir.Record((ONE,))), ir.Evaluate(PLACE, ONE, ir.SILENT)
    inner = create_if(ONE, (loud, silent), (loud,))
    assert [type(op) for op in filter_build((loud, silent), ir.EVENTS)] == [ir.LogEvent]
    (outer,) = filter_build((inner,), ir.SILENT)
    assert isinstance(outer, ir.If)
    assert [branch.ops for branch in outer.branches] == [(silent,), ()]


def test_a_game_is_split_at_choices() -> None:
    """Splitting removes all operations that contain choices. Every block ends with a jump, a wait or a return."""
    for module in select_modules():
        if module.kind != "events":
            continue
        split = split_into_blocks(module.functions)
        bodies = *split.blocks, *(function.ops for function in split.helpers)
        nodes = [node for ops in bodies for node in ir.walk(ops)]
        assert not {type(node) for node in nodes} & UNSPLIT
        assert all(isinstance(ops[-1], ir.Goto | ir.WaitForAnswer | ir.Return) for ops in split.blocks if ops)


def test_both_builds_of_stepwise_play_share_one_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds whichever build is first. The engine discards the form after both builds exist."""
    settings: list[Setting] = []

    class CountedStepwise(build_stages_and_ir_listing.Stepwise):
        def __init__(self, setting: Setting) -> None:
            settings.append(setting)
            super().__init__(setting)

    expected_texts = {
        build: emit(Game(build_program(RARE)).setting, build).text for build in build_stages_and_ir_listing.STEPWISE
    }
    monkeypatch.setattr(build_stages_and_ir_listing, "Stepwise", CountedStepwise)
    for first in ("silent", "with_events"):
        settings.clear()
        engine = CompiledEngine(Game(build_program(RARE)).setting)
        assert getattr(engine, first).emission.text in expected_texts.values()
        assert {engine.silent.emission.text, engine.with_events.emission.text} == set(expected_texts.values())
        assert len(settings) == 1
        assert engine._form is None


# ---------------------------------------------------------------- listing


def test_the_compile_command_lists_the_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "kuhn-poker", "--build", "ir"]) == 0
    listing = capsys.readouterr().out
    assert main(["compile", "kuhn-poker", "--build", "ir", "--emit"]) == 0
    assert capsys.readouterr().out == listing
    lines = listing.splitlines()
    assert lines[0] == "# kuhn-poker 2 players intermediate form"
    assert sum(line.strip().startswith("ask ") for line in lines) == 1
    heads = [
        line.split(" gives ")[0] for line in lines if line.startswith(("game ", "question ", "resume ", "outcome "))
    ]
    assert heads == ["game game:", "question q0", "resume r0:", "outcome outcome"]
    assert "local me_1: Player 0..1" in lines


def test_every_line_has_a_source_location() -> None:
    for chunk in list(CHUNKS.values())[:20]:
        setting = Game(build_program(chunk.ruleset)).setting
        for kind in KINDS:
            emission = emit(setting, kind)
            assert len(emission.places) == emission.text.count("\n")
