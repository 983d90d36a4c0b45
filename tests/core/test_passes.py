"""Test that the passes that lower convenient constructs leave a program without these alone."""

from __future__ import annotations

from programs import load_bundled

from lusory_dsl import core
from lusory_dsl.core.zone_phase_and_value_triggers import Triggers
from lusory_dsl.desugar.durations_and_state_checks import desugar_spans, insert_state_checks
from lusory_dsl.desugar.triggers import desugar_triggers
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics


def test_a_pass_without_work_returns_the_program_itself() -> None:
    program = load_bundled("tic-tac-toe")

    assert desugar_spans(program) is program
    assert insert_state_checks(program) is program
    assert desugar_triggers(program, Triggers()) is program


def test_checks_of_spans_stand_in_declared_order_behind_those_that_they_read() -> None:
    names = "fedcba"
    spans = "".join(f"  {name}: {{holds: x < 1}}\n" for name in names)
    program = check_text(
        "game: {id: g, name: G, version: '1', language: 2, players: 1}\nvariables: {x: {type: Int, start: 0}}\n"
        f"spans:\n  every: {{holds: {' and '.join(names)}}}\n{spans}phases: [{{id: p, do: set x to 1}}]\n"
        "scoring: {rank: [x]}\n",
        Diagnostics(),
    )

    assert program is not None
    _, *checks = program.phases[0].body
    assert [check.effect for check in checks if isinstance(check, core.CallEffect)] == [*names, "every"]
