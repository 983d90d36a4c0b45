"""The C backend prints every operation, never copies an author's text into C, and refuses unsupported constructs.

test_form.py prints C for all conformance rulesets, and test_native.py plays them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from generated import UNSPLIT
from native import UNSUPPORTED_RULES
from programs import build_program, read_data
from test_conformance import CHUNKS

from lusory.cli import main
from lusory.codegen import ir
from lusory.codegen.build_stages_and_ir_listing import select_module
from lusory.codegen.c.function_printer_and_c_types import NotNative
from lusory.codegen.c.ir_operations import OPERATIONS
from lusory.codegen.c.ir_values import EXPRESSIONS, FAULTS, RUNTIME_CALLS, SPECIAL_PRIMITIVES
from lusory.codegen.c.marshalling import is_unambiguous
from lusory.codegen.c.runtime_header_loading_and_search_formats import load_header
from lusory.codegen.c.stepwise_play_printer import STEP_OPERATIONS, STEP_VALUES
from lusory.codegen.c.whole_games import emit_c
from lusory.codegen.instruction_selection.operators_calls_and_bindings import SPECIAL
from lusory.codegen.passes.type_inference import PRIMITIVES
from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import generate_steps_c
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS

DATA = read_data(__file__)

STEPWISE_OPERATIONS = UNSPLIT | {ir.Goto, ir.Load, ir.CopyZone, ir.LogEvent, ir.LogAnnouncement, ir.WaitForAnswer}
"""Operations that only stepwise play has."""

UNUSED_IN_GAMES = {"and_stop", "bits", "named_options", "format_end_reason", "pick", "pick_options", "seen_by_both"}
UNUSED_IN_GAMES |= {"up_to", "no_options"}
"""Primitives of stepwise play and of events, and those that other operations print."""

UNSUPPORTED = {"find_connected", "count_groups"}
"""Primitives without C."""

RULES = DATA["rules"]


def print_c(text: str) -> str:
    setting = Game(build_program(text), engine="compiled").setting
    return emit_c(setting, select_module(setting, "playout")).text


def test_every_node_class_is_printed() -> None:
    def list_classes(base: type) -> set[type]:
        return {item for item in vars(ir).values() if isinstance(item, type) and issubclass(item, base)} - {base}

    assert set(EXPRESSIONS) == list_classes(ir.Value)
    assert set(OPERATIONS) == list_classes(ir.Op) - STEPWISE_OPERATIONS


def test_every_operation_of_blocks_is_printed() -> None:
    """Except those that splitting into blocks removes, and those that log events."""
    assert set(STEP_OPERATIONS) == set(OPERATIONS) | STEPWISE_OPERATIONS - UNSPLIT - {ir.LogEvent, ir.LogAnnouncement}
    assert set(STEP_VALUES) == set(EXPRESSIONS)


def test_every_primitive_is_printed_or_refused() -> None:
    names = set(RUNTIME_CALLS) | set(SPECIAL_PRIMITIVES) | set(FAULTS) | {"fn_lines"}
    names |= {f"fn_{name}" for name in RUNTIME_FUNCTIONS if name in SPECIAL or f" list_{name}(" in load_header("lists")}
    assert names | UNUSED_IN_GAMES | UNSUPPORTED == set(PRIMITIVES) | {f"fn_{name}" for name in RUNTIME_FUNCTIONS}
    assert not names & (UNUSED_IN_GAMES | UNSUPPORTED)


@pytest.mark.parametrize("text", DATA["texts that look like c"])
def test_authors_texts_never_become_c(text: str) -> None:
    """C stores texts as numbers. So all texts of one length give the same C, if they consist of letters."""
    code = print_c(RULES.format(text))
    assert code == print_c(RULES.format("p" * len(text.replace("\\\\", "x"))))
    assert code.isascii()


def test_authors_texts_never_become_c_for_stepwise_play() -> None:
    hostile = "*/ #include <stdlib.h> \\\\"
    code, expected = (
        generate_steps_c(Game(build_program(RULES.format(text))).setting).text
        for text in (hostile, "p" * len(hostile.replace("\\\\", "x")))
    )
    assert code == expected
    assert code.isascii()


def test_comments_name_phases_and_effects() -> None:
    code = print_c(CHUNKS["effects-1"].ruleset)
    assert re.findall(r"^ +/\* ([a-z_ ]+) \*/$", code, re.MULTILINE)[:1] == ["ask gain"]
    assert code == print_c(CHUNKS["effects-1"].ruleset)


def test_unsupported_constructs_are_refused_in_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(NotNative, match=r"^not native: lists of lists at rules\.yaml:\d+:\d+$"):
        print_c(UNSUPPORTED_RULES)
    file = tmp_path / "lists.yaml"
    file.write_text(UNSUPPORTED_RULES)
    assert main(["compile", str(file), "--build", "c"]) == 1
    assert main(["compile", str(file), "--build", "c-steps"]) == 1
    report = r"^lusory: not native: lists of lists at .*lists\.yaml:\d+:\d+$"
    assert len(re.findall(report, capsys.readouterr().err, re.MULTILINE)) == 2


def test_ambiguous_texts_are_recognised() -> None:
    setting = Game(build_program(RULES.format("x"))).setting
    number, numbers, text = ("Int",), ("List[Int]",), ("",)
    for site, expected in (
        ((number,), True),
        ((number, ":", number), True),
        ((number, number), False),
        ((number, "1", number), False),
        ((numbers, ":", number), True),
        ((numbers, ", ", number), False),
        ((text, ":", number), True),
        ((text, "a", number), False),
        ((("Card",),), False),
        ((("\n",),), False),
    ):
        assert is_unambiguous(setting, site, frozenset("abc")) is expected, site


def test_the_compile_command_prints_c(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "kuhn-poker", "--emit", "--build", "c"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("/* kuhn-poker, 2 players, whole games */\n")
    assert "    /* act */\n" in text
    assert main(["compile", "kuhn-poker", "--build", "c-steps"]) == 0
    assert capsys.readouterr().out.startswith("/* kuhn-poker, 2 players, stepwise play */\n")
