"""Test that authors never read the names that constructs use internally."""

from __future__ import annotations

from collections.abc import Iterator

from programs import build_program, read_rules

from lusory.game import Game
from lusory.testing.cases.suite_runner import run_cases
from lusory.testing.mutation import list_mutants
from lusory.testing.statement_trace_of_one_decision import trace_choice
from lusory_dsl import core
from lusory_dsl.source.source import Source

RULES = read_rules("hidden_names")
CASE = 'cases: [{id: one, steps: [{do: [{P1: 2}, {P2: 1}, {P1: "P1 1"}, {P1: answer}]}]}]'


def list_hidden_names(program: core.Program) -> set[str]:
    sections = (program.variables, program.effects, program.queries)
    names = {name for section in sections for name, entry in section.items() if not entry.origin.is_authored}
    return names - {"state checks"}


def trace(program: core.Program) -> Iterator[str]:
    """Return the trace of the decisions up to the fault."""
    game = Game(program, engine="evaluator")
    state = game.start(1)
    for _ in range(3):
        yield from (step.text for step in trace_choice(game, state, 0).steps)
        state = game.apply(state, 0)


def test_no_hidden_name_is_shown() -> None:
    program = build_program(RULES)
    names = list_hidden_names(program) - {"brave"}  # text up to the end of the span uses the name of the span
    (result,) = run_cases(program, [Source("a.yaml", CASE)], "both")
    (failure,) = result.failures
    lines = [*failure.details, *(str(mutant.owner) for mutant in list_mutants(program)), *trace(program)]

    assert "division by zero" in failure.diagnostic.message
    assert {"at_once1_Pick0x0", "found_3_Named", "turn_Ends", "when wolf", "whenever many"} <= names
    assert not [name for name in names for line in lines if name in line]


def test_nobody_decides_after_a_fault() -> None:
    (result,) = run_cases(build_program(RULES), [Source("a.yaml", CASE)])
    (failure,) = result.failures

    assert "  P1: Answer" in failure.details
    assert not [line for line in failure.details if "decides" in line]
