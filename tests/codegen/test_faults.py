"""Faults of rules: all engines and builds report the same message and location."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from random import Random

import pytest
from programs import build_program, read_data

from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.events_redaction_and_text import Event
from lusory_dsl.core import Program

DATA = read_data(__file__)

RULESET = DATA["ruleset"]

FAULTS = DATA["faults"]


def load_faulty_rules(statement: str) -> Program:
    return build_program(RULESET.format(statement=statement), "wrong.yaml")


def start_without_log(game: Game) -> object:
    return game.start(1)


def start_with_log(game: Game) -> object:
    log: list[Event] = []
    return game.start(1, log)


def play_out(game: Game) -> object:
    return game.playout(Random(1).random, 1)


@pytest.mark.parametrize("play", [start_without_log, start_with_log, play_out])
@pytest.mark.parametrize("engine", ["evaluator", "compiled"])
@pytest.mark.parametrize("statement", FAULTS)
def test_a_fault_has_its_message_and_location(statement: str, engine: str, play: Callable[[Game], object]) -> None:
    if "steps" in FAULTS[statement][0] and engine == "evaluator" and play is not start_without_log:
        pytest.skip("slow, and the evaluator has only one build")
    with pytest.raises(RulesetFault) as problem:
        play(Game(load_faulty_rules(statement), engine=engine))
    fault = problem.value
    assert fault.span is not None
    place = fault.span.source.text[fault.span.start : fault.span.end].strip()
    assert (fault.message, place, fault.trail[:2]) == (*FAULTS[statement], ("main", "deed"))
    assert fault.position.startswith("bank") or "n = " in fault.position


def test_a_traceback_shows_the_generated_line() -> None:
    with pytest.raises(RulesetFault) as problem:
        Game(load_faulty_rules("set n to 1 div (n - 8)"), engine="compiled").start(1)
    report = "".join(traceback.format_exception(problem.value))
    assert 'File "lusory wrong 2 silent' in report
    assert " 1 // (" in report
