"""The intermediate form: every class of node is selected, printed and shown, and nothing reads text in between."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from generated import UNSPLIT
from programs import bundled, checked, read_data
from test_conformance import CHUNKS

from lusory.cli import main
from lusory.codegen import ir, python_build_stages_and_ir_listing
from lusory.codegen.c.function_printer_and_c_types import NotNative
from lusory.codegen.c.whole_games import emit_c
from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.generated_python_engine import CompiledEngine
from lusory.codegen.instruction_selection.playout_function import PLAYOUT_STATEMENTS
from lusory.codegen.instruction_selection.selection_table import EXPRESSIONS
from lusory.codegen.instruction_selection.stepwise_play import FLOW_STATEMENTS, STEP_STATEMENTS
from lusory.codegen.ir.operations import PRIMITIVES
from lusory.codegen.lower import lowered_nodes_and_common_subexpressions
from lusory.codegen.passes import type_inference_rules
from lusory.codegen.passes.live_locals_across_choices import Liveness, ReadSets
from lusory.codegen.passes.split_at_choices import filter_build, split_into_blocks
from lusory.codegen.passes.type_inference_rules import infer_sorts
from lusory.codegen.python.printer import PRIMITIVE_FORMATS, VALUES
from lusory.codegen.python.runtime import make_namespace
from lusory.codegen.python_build_stages_and_ir_listing import emit, format_module, select_module
from lusory.game import Game
from lusory.state.setting_value_limits_builtins_and_names import Setting

DATA = read_data(__file__)

COMPILE = Path(__file__).parents[2] / "interpreter" / "lusory" / "codegen"
WRITTEN = {"and_stop", "bits", "both", "no_int", "pick"}
"""Primitives with a way of their own to be printed."""


def classes(base: type) -> set[type]:
    return {c for name in dir(ir) if isinstance(c := getattr(ir, name), type) and issubclass(c, base)} - {base}


RARE = DATA["rare"]
"""Chance before a choice, what lies anywhere, and a place that is not there."""


@cache
def settings() -> tuple[Setting, ...]:
    """Conformance, and two games that are shipped."""
    programs = [checked(chunk.ruleset) for chunk in CHUNKS.values()]
    programs += [checked(RARE), *(bundled(name) for name in ("kuhn-poker", "nano-empire"))]
    return tuple(Game(program).setting for program in programs)


@cache
def modules() -> tuple[ir.Module, ...]:
    """The form of each of them, of stepwise play and of whole games."""
    return tuple(select_module(setting, kind) for setting in settings() for kind in ("events", "playout"))


# ---------------------------------------------------------------- nothing is forgotten


def test_every_class_is_selected() -> None:
    assert set(EXPRESSIONS) == set(lowered_nodes_and_common_subexpressions.EXPRESSIONS)
    assert set(STEP_STATEMENTS) | set(FLOW_STATEMENTS) == set(lowered_nodes_and_common_subexpressions.STATEMENTS)
    assert set(PLAYOUT_STATEMENTS) == set(lowered_nodes_and_common_subexpressions.STATEMENTS)


def test_every_class_is_printed() -> None:
    assert set(VALUES) == classes(ir.Value) == set(type_inference_rules.VALUES)


def test_every_class_is_exercised_and_printed_and_shown() -> None:
    """By conformance and two games; what only limits of engines lead to is not looked for.

    One test, as the modules take seconds to make. C is printed of all but what it refuses.
    """
    nodes = [node for module in modules() for f in module.functions for node in ir.walk(f.ops)]
    split_up = {ir.Goto, ir.Load, ir.Initialize}  # of passes
    assert (classes(ir.Value) | classes(ir.Op)) - split_up - set(map(type, nodes)) == set()
    used = {node.name for node in nodes if isinstance(node, ir.Primitive)}
    assert {name for name in used if not name.startswith("fn_")} <= set(PRIMITIVES)
    assert set(PRIMITIVES) == set(type_inference_rules.PRIMITIVES)
    provided = make_namespace(Game(checked(RARE)).setting, ()).keys()
    assert set(PRIMITIVES) <= provided | set(PRIMITIVE_FORMATS) | WRITTEN
    assert set(PRIMITIVE_FORMATS) <= set(PRIMITIVES)

    refused = []
    for setting, module in zip(settings(), modules()[1::2], strict=True):
        try:
            assert emit_c(setting, module).text.isascii()
        except NotNative as found:
            refused.append(found.what)
    assert refused == ["the smallest number there is"]
    for number, module in enumerate(modules()[::8]):
        shown = format_module(module, infer_sorts(settings()[number * 4], module), ("any", 2, "players"))
        assert shown.isascii()
        assert shown.count("\n") > len(module.functions)


@pytest.mark.parametrize("folder", ["ir", "instruction_selection", "passes"])
def test_the_form_knows_no_text(folder: str) -> None:
    """Neither how anything is printed, nor how to read what was printed."""
    files = list((COMPILE / folder).glob("*.py"))
    assert files
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            assert "re" not in names
            assert not module.startswith("python")
            assert "python" not in names, path


# ---------------------------------------------------------------- passes

PLACE = ir.NOWHERE
X, Y = ir.Local(1), ir.Local(2)
ONE = ir.Const(1)


def setting(local: ir.Local, value: ir.Value = ONE) -> ir.Set:
    return ir.Set(PLACE, local, value)


def either(test: ir.Value, then: ir.Ops, otherwise: ir.Ops | None) -> ir.If:
    branches = [ir.Branch(PLACE, test, then)]
    if otherwise is not None:
        branches.append(ir.Branch(PLACE, None, otherwise))
    return ir.If(PLACE, tuple(branches))


def exposed(*ops: ir.Op) -> set[int]:
    return Liveness(ir.Function("block", "b0", (), ops), ReadSets()).exposed_locals


def test_a_local_is_exposed_where_some_path_reads_it_before_it_is_set() -> None:
    reads = ir.Evaluate(PLACE, X)
    leaves = ir.Return(PLACE, (ONE,))
    assert exposed(setting(X), reads) == set()
    assert exposed(reads) == {1}
    assert exposed(setting(X, X)) == {1}
    assert exposed(either(ONE, (setting(X),), None), reads) == {1}
    assert exposed(either(ONE, (setting(X),), (setting(X),)), reads) == set()
    assert exposed(either(ONE, (setting(X),), (leaves,)), reads) == set()
    assert exposed(ir.Loop(PLACE, X, Y, (reads,)), reads) == {1, 2}
    assert exposed(ir.While(PLACE, ONE, (setting(X), reads)), reads) == {1}


def test_a_list_is_made_a_functions_own_once() -> None:
    own = ir.CopyZone(PLACE, ir.Zone(ir.Index((), 3)))
    other = ir.CopyZone(PLACE, ir.Zone(ir.Index(((X, 1),))))
    live = Liveness(ir.Function("block", "b0", (1,), (own, either(ONE, (own, other), None), own, other)), ReadSets())
    left = [node for node in ir.walk(live.ops) if isinstance(node, ir.CopyZone)]
    assert left == [own, other, other]
    late = Liveness(ir.Function("block", "b0", (), (either(ONE, (own,), None), own)), ReadSets())
    assert [node for node in ir.walk(late.ops) if isinstance(node, ir.CopyZone)] == [own, own]


def test_a_build_has_what_is_its_own() -> None:
    tell, quiet = ir.LogEvent(PLACE, "GameEnded", ir.Record((ONE,))), ir.Evaluate(PLACE, ONE, ir.SILENT)
    inner = either(ONE, (tell, quiet), (tell,))
    assert [type(op) for op in filter_build((tell, quiet), ir.EVENTS)] == [ir.LogEvent]
    (kept,) = filter_build((inner,), ir.SILENT)
    assert isinstance(kept, ir.If)
    assert [branch.ops for branch in kept.branches] == [(quiet,), ()]


def test_a_game_is_split_where_it_can_stop() -> None:
    """Behind the split nothing is whole any more, and every block ends by going on, waiting, or with the game."""
    for module in modules():
        if module.kind != "events":
            continue
        made = split_into_blocks(module.functions)
        everything = [node for ops in (*made.blocks, *(f.ops for f in made.helpers)) for node in ir.walk(ops)]
        assert not {type(node) for node in everything} & UNSPLIT
        assert all(isinstance(ops[-1], ir.Goto | ir.WaitForAnswer | ir.Return) for ops in made.blocks if ops)


def test_both_builds_of_stepwise_play_come_from_one_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever is made first; the form does not stay when both are there."""
    made: list[Setting] = []

    class Counted(python_build_stages_and_ir_listing.Stepwise):
        def __init__(self, setting: Setting) -> None:
            made.append(setting)
            super().__init__(setting)

    alone = {
        build: emit(Game(checked(RARE)).setting, build).text for build in python_build_stages_and_ir_listing.STEPWISE
    }
    monkeypatch.setattr(python_build_stages_and_ir_listing, "Stepwise", Counted)
    for first in ("silent", "with_events"):
        made.clear()
        engine = CompiledEngine(Game(checked(RARE)).setting)
        assert getattr(engine, first).emission.text in alone.values()
        assert {engine.silent.emission.text, engine.with_events.emission.text} == set(alone.values())
        assert len(made) == 1
        assert engine._form is None


# ---------------------------------------------------------------- shown


def test_the_form_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "kuhn-poker", "--build", "ir"]) == 0
    shown = capsys.readouterr().out
    assert main(["compile", "kuhn-poker", "--build", "ir", "--emit"]) == 0
    assert capsys.readouterr().out == shown
    lines = shown.splitlines()
    assert lines[0] == "# kuhn-poker 2 players intermediate form"
    assert sum(line.strip().startswith("ask ") for line in lines) == 1
    heads = [
        line.split(" gives ")[0] for line in lines if line.startswith(("game ", "question ", "resume ", "outcome "))
    ]
    assert heads == ["game game:", "question q0", "resume r0:", "outcome outcome"]
    assert "local me_1: Player 0..1" in lines


def test_every_line_has_a_place() -> None:
    for chunk in list(CHUNKS.values())[:20]:
        setting = Game(checked(chunk.ruleset)).setting
        for kind in KINDS:
            made = emit(setting, kind)
            assert len(made.places) == made.text.count("\n")
