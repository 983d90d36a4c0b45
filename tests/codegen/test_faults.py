"""Rules that go wrong: both engines, and every build of the compiled one, say the same words about the same place."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from random import Random

import pytest
from programs import checked, read_data

from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.events_redaction_and_text import Event
from lusory_dsl.core import Program

DATA = read_data(__file__)

RULESET = DATA["ruleset"]

FAULTS = DATA["faults"]


def program(statement: str) -> Program:
    return checked(RULESET.format(statement=statement), "wrong.yaml")


def silent(game: Game) -> object:
    return game.start(1)


def logged(game: Game) -> object:
    log: list[Event] = []
    return game.start(1, log)


def playout(game: Game) -> object:
    return game.playout(Random(1).random, 1)


@pytest.mark.parametrize("play", [silent, logged, playout])
@pytest.mark.parametrize("engine", ["evaluator", "compiled"])
@pytest.mark.parametrize("statement", FAULTS)
def test_a_fault_says_what_and_where(statement: str, engine: str, play: Callable[[Game], object]) -> None:
    if "steps" in FAULTS[statement][0] and engine == "evaluator" and play is not silent:
        pytest.skip("takes its time; the evaluator has one build")
    with pytest.raises(RulesetFault) as caught:
        play(Game(program(statement), engine=engine))
    fault = caught.value
    assert fault.span is not None
    place = fault.span.source.text[fault.span.start : fault.span.end].strip()
    assert (fault.message, place, fault.trail[:2]) == (*FAULTS[statement], ("main", "deed"))
    assert fault.position.startswith("bank") or "n = " in fault.position


def test_a_traceback_shows_the_generated_line() -> None:
    with pytest.raises(RulesetFault) as caught:
        Game(program("set n to 1 div (n - 8)"), engine="compiled").start(1)
    shown = "".join(traceback.format_exception(caught.value))
    assert 'File "lusory wrong 2 silent' in shown
    assert " 1 // (" in shown
