"""Whole games as C: nothing of the form is forgotten, no author's word becomes C, and what there is no C for is
refused by name and place. Conformance is printed in test_form.py, and played in test_native.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from generated import UNSPLIT
from native import LISTS
from programs import checked, read_data
from test_conformance import CHUNKS

from lusory.cli import main
from lusory.codegen import ir
from lusory.codegen.c.expressions import EXPRESSIONS, FAULTS, RUNTIME_CALLS, SPECIAL_PRIMITIVES
from lusory.codegen.c.function_printer_and_c_types import NotNative
from lusory.codegen.c.marshalling import is_unambiguous
from lusory.codegen.c.runtime_headers_and_search_formats import load_header
from lusory.codegen.c.statements import OPERATIONS
from lusory.codegen.c.stepwise_play import STEP_OPERATIONS, STEP_VALUES
from lusory.codegen.c.whole_games import emit_c
from lusory.codegen.instruction_selection.operators_calls_and_bindings import SPECIAL
from lusory.codegen.ir.operations import PRIMITIVES
from lusory.codegen.python_build_stages_and_ir_listing import select_module
from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import generate_steps_c
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS

DATA = read_data(__file__)

STEPWISE = UNSPLIT | {ir.Goto, ir.Load, ir.CopyZone, ir.LogEvent, ir.LogAnnouncement, ir.WaitForAnswer}
"""Operations that whole games don't have."""

NEVER_ASKED = {"and_stop", "bits", "named_options", "public_end_reason", "pick", "pick_options", "seen_by_both"}
NEVER_ASKED |= {"shared_win_payoffs", "zero_sum_payoffs", "winners", "up_to", "no_options"}
"""Primitives of stepwise play and of events, and those that stand where an operation knows them."""

REFUSED = {"find_connected", "count_groups"}
"""What there is no C for."""

RULES = DATA["rules"]


def printed(text: str) -> str:
    setting = Game(checked(text), engine="compiled").setting
    return emit_c(setting, select_module(setting, "playout")).text


def test_every_class_is_printed() -> None:
    def classes(base: type) -> set[type]:
        return {c for c in vars(ir).values() if isinstance(c, type) and issubclass(c, base)} - {base}

    assert set(EXPRESSIONS) == classes(ir.Value)
    assert set(OPERATIONS) == classes(ir.Op) - STEPWISE


def test_every_operation_of_blocks_is_printed() -> None:
    """Those that are gone once a game is split, or are told to a log, have no place."""
    assert set(STEP_OPERATIONS) == set(OPERATIONS) | STEPWISE - UNSPLIT - {ir.LogEvent, ir.LogAnnouncement}
    assert set(STEP_VALUES) == set(EXPRESSIONS)


def test_every_primitive_is_printed_or_refused() -> None:
    written = set(RUNTIME_CALLS) | set(SPECIAL_PRIMITIVES) | set(FAULTS) | {"fn_lines"}
    written |= {
        f"fn_{name}" for name in RUNTIME_FUNCTIONS if name in SPECIAL or f" list_{name}(" in load_header("lists")
    }
    assert written | NEVER_ASKED | REFUSED == set(PRIMITIVES) | {f"fn_{name}" for name in RUNTIME_FUNCTIONS}
    assert not written & (NEVER_ASKED | REFUSED)


@pytest.mark.parametrize("words", DATA["no authors word becomes c"])
def test_no_authors_word_becomes_c(words: str) -> None:
    """Texts are numbers in C: it is the same whatever they say, as long as they are as long, and plain letters."""
    found = printed(RULES.format(words))
    assert found == printed(RULES.format("p" * len(words.replace("\\\\", "x"))))
    assert found.isascii()


def test_no_authors_word_becomes_c_of_steps() -> None:
    words = "*/ #include <stdlib.h> \\\\"
    found, other = (
        generate_steps_c(Game(checked(RULES.format(said))).setting).text
        for said in (words, "p" * len(words.replace("\\\\", "x")))
    )
    assert found == other
    assert found.isascii()


def test_phases_and_effects_stand_beside_the_code() -> None:
    found = printed(CHUNKS["effects-1"].ruleset)
    assert re.findall(r"^ +/\* ([a-z_ ]+) \*/$", found, re.MULTILINE)[:1] == ["ask gain"]
    assert found == printed(CHUNKS["effects-1"].ruleset)


def test_what_there_is_no_c_for_is_refused_at_its_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(NotNative, match=r"^not native: lists of lists at rules\.yaml:\d+:\d+$"):
        printed(LISTS)
    file = tmp_path / "lists.yaml"
    file.write_text(LISTS)
    assert main(["compile", str(file), "--build", "c"]) == 1
    assert main(["compile", str(file), "--build", "c-steps"]) == 1
    assert len(re.findall(r"lusory: not native: lists of lists at .*lists\.yaml:\d+:\d+", capsys.readouterr().err)) == 2


def test_a_text_that_can_be_read_in_two_ways_is_not_taken_for_another() -> None:
    setting = Game(checked(RULES.format("x"))).setting
    number, list_of, text = ("Int",), ("List[Int]",), ("",)
    for site, exact in (
        ((number,), True),
        ((number, ":", number), True),
        ((number, number), False),
        ((number, "1", number), False),
        ((list_of, ":", number), True),
        ((list_of, ", ", number), False),
        ((text, ":", number), True),
        ((text, "a", number), False),
        ((("Card",),), False),
        ((("\n",),), False),
    ):
        assert is_unambiguous(setting, site, frozenset("abc")) is exact, site


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "kuhn-poker", "--emit", "--build", "c"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("/* kuhn-poker, 2 players, whole games */\n")
    assert "    /* act */\n" in text
    assert main(["compile", "kuhn-poker", "--build", "c-steps"]) == 0
    assert capsys.readouterr().out.startswith("/* kuhn-poker, 2 players, stepwise play */\n")
