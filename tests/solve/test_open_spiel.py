"""Test that OpenSpiel measures the same exploitability of our strategies."""

from __future__ import annotations

import pytest
from benchmarks import equilibria

from lusory.solve.exact_values_and_equilibria import CFR, SAMPLING

pytest.importorskip("pyspiel", reason="the extra `bench-peers` is not installed")


@pytest.mark.parametrize(
    ("name", "method", "passes"),
    [("kuhn-poker", CFR, 50), ("kuhn-poker", SAMPLING, 2000), ("leduc-poker", CFR, 5), ("leduc-poker", SAMPLING, 200)],
)
def test_exploitability_equals_that_of_open_spiel(name: str, method: str, passes: int) -> None:
    solution = equilibria.solve_with_lusory(name, method, passes)
    assert solution.ours == pytest.approx(solution.theirs, abs=1e-9)
