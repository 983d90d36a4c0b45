"""Rules that go wrong: both engines, and every build of the compiled one, say the same words about the same place."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from random import Random

import pytest
from programs import checked

from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.events_redaction_and_text import Event
from lusory_dsl.core import Program

RULESET = """\
game: {{id: wrong, name: Wrong, version: "1", language: 2, players: 2}}
enums: {{Side: [left, right]}}
resources: {{red: {{}}, blue: {{}}}}
components: {{Card: {{fields: {{cost: Int, worth: "Int?"}}}}}}
cards: {{ace: {{kind: Card, copies: 2, fields: {{cost: 1, worth: none}}}}}}
zones:
  bank: {{holds: Resource, start: {{red: 3, blue: 3}}}}
  tray: {{holds: Resource, kinds: [red]}}
  deck: {{holds: Card, start: all Card}}
  pile: {{holds: Card}}
  row: {{per: [1..3], holds: Card}}
variables:
  n: {{type: Int, start: 7}}
  wish: {{type: "Resource?", start: none}}
  other: {{type: Resource, start: red}}
  patience: {{type: "Int?", start: none}}
  grid: {{type: Int, per: [1..3], start: 0}}
tables:
  fares: {{per: [1..3], type: Int, values: {{1: 1, 2: 2, 3: 3}}}}
  tolls: {{per: [Side], type: "Int?", values: {{left: 1, right: none}}}}
queries:
  both: {{params: {{a: Int, b: Int}}, value: a + 0 * b}}
effects:
  deed:
    do: |
      set n to 8
      {statement}
  churn:
    do: "for each j in 1..2000: set n to 0"
phases:
  - id: main
    do: deed()
scoring: {{rank: [n]}}
"""

FAULTS = {
    "set n to 1 div (n - 8)": ("division by zero", "1 div (n - 8)"),
    "set n to n mod 0": ("division by zero", "n mod 0"),
    "set grid[n] to 1": ("grid has no index 8, only 1 to 3", "set grid[n] to 1"),
    "set n to grid[n - 9]": ("grid has no index -1, only 1 to 3", "grid[n - 9]"),
    "set n to fares[n]": ("fares has no index 8, only 1 to 3", "n"),
    "set n to pile.top.cost": ("the list is empty, so it has no first item", "pile.top"),
    "set n to (1..3 where it > n).last": ("the list is empty, so it has no last item", "(1..3 where it > n).last"),
    "set n to at(1..3, n)": ("the list has 3 items, so there is no item 8 (the first is 0)", "at(1..3, n)"),
    "set n to step([1, 2], n, 1)": ("the item is not in the list", "step([1, 2], n, 1)"),
    "set n to index([1, 2], n)": ("the item is not in the list", "index([1, 2], n)"),
    "set other to wish": ("`wish` is none here", "wish"),
    "set n to tolls[right]": ("`tolls[right]` is none here", "tolls[right]"),
    "set n to ace.worth": ("`ace.worth` is none here", "ace.worth"),
    "move 1 wish from bank to tray": ("`wish` is none here", "wish"),
    "increase patience by 1": ("this variable has no value (`none`), but a number is needed", "increase patience by 1"),
    "for each k in bank.kinds: move 1 k from bank to tray": (
        "the pool tray can't hold blue",
        "move 1 k from bank to tray",
    ),
    "move deck.top to row[n]": ("row has no index 8, only 1 to 3", "move deck.top to row[n]"),
    "move pile.top to deck": ("the list is empty, so it has no first item", "pile.top"),
    "set n to count(n..n + 100000)": ("8..100008 is longer than 100,000 numbers", "n..n + 100000"),
    "for each i in 0..n * 20000: stop": ("0..160000 is longer than 100,000 numbers", "0..n * 20000"),
    "repeat while n > 0, at most n times: set n to 3": (
        "the loop ran 8 times, its limit, and was not finished",
        "repeat while n > 0, at most n times: set n to 3",
    ),
    "repeat n * 250 times: churn()": (
        "the rules did 4,000,000 steps without asking a player; there may be an endless loop (longest lists: deck 2)",
        "for each j in 1..2000: set n to 0",
    ),
    "set n to both(3, 1 div (n - 8))": ("division by zero", "1 div (n - 8)"),
    "if 1 div (n - 8) > 0 and false: set n to 1": ("division by zero", "1 div (n - 8)"),
    'announce "{1 div (n - 8)}"': ("division by zero", "1 div (n - 8)"),
}


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
