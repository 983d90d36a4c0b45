"""Test that the passes that lower convenient constructs leave a program without these alone."""

from __future__ import annotations

import pytest
from programs import bundled

from lusory_dsl.core.sugar_nodes import Sugar
from lusory_dsl.desugar.durations_and_state_checks import desugar_durations, desugar_spans, make_state_checks
from lusory_dsl.desugar.triggers import desugar_triggers


@pytest.mark.parametrize("run_pass", [desugar_durations, desugar_spans, make_state_checks, desugar_triggers])
def test_a_pass_without_work_returns_the_program_itself(run_pass):
    program = bundled("tic-tac-toe")

    assert run_pass(program, Sugar()) is program
