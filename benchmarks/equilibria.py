"""Equilibria of poker games beside OpenSpiel: ``python -m benchmarks.equilibria``; needs ``.[bench-peers]``.

Both run CFR+ for as many passes. Strategies are compared by what they come to: the value, and what the best answer
wins, each by its own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from lusory.game import Game
from lusory.solve.equilibrium import Equilibrium
from lusory.solve.tree import Tree
from lusory_dsl import load_program
from lusory_dsl.text.resources import bundled_rulesets

GAMES = {"kuhn-poker": ("kuhn_poker", 400), "leduc-poker": ("leduc_poker", 200)}
"""Our name -> OpenSpiel's, and passes."""


def ours(name: str, passes: int) -> tuple[float, float, float]:
    """Seconds, value of the first seat, exploitability."""
    start = process_time()
    work = Equilibrium(Tree(Game(load_program(bundled_rulesets()[name]))))
    for _ in range(passes):
        work.improve()
    return process_time() - start, work.value(), work.exploitability()


def theirs(name: str, passes: int) -> tuple[float, float, float]:
    """The same by OpenSpiel, in C++."""
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    start = process_time()
    game = pyspiel.load_game(name)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(passes):
        solver.evaluate_and_update_policy()
    seconds = process_time() - start
    policy = solver.tabular_average_policy()
    value = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True, 0.0)[0]
    return seconds, value, pyspiel.exploitability(game, policy)


def lines() -> Iterator[str]:
    """A line for each game and solver."""
    yield f"{'game':12} {'solver':10} {'passes':>6} {'seconds':>8} {'value':>9} {'exploitability':>15}"
    for name, (other, passes) in GAMES.items():
        for solver, (seconds, value, gap) in (("lusory", ours(name, passes)), ("OpenSpiel", theirs(other, passes))):
            yield f"{name:12} {solver:10} {passes:6} {seconds:8.2f} {value:9.5f} {gap:15.6f}"


if __name__ == "__main__":
    for line in lines():
        print(line)
