"""Compare equilibria of poker games with OpenSpiel: ``python -m benchmarks.equilibria``; needs ``.[bench-peers]``.

Both run CFR+, and MCCFR with external sampling, for equally many passes. Our code and OpenSpiel's both measure the
exploitability of our strategies: what the best responses win, which is half of NashConv.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from time import process_time
from typing import Any, NamedTuple

from lusory.game import Game
from lusory.solve.exact_values_and_equilibria import CFR, SAMPLING, Solver
from lusory.solve.game_tree_exploitability_and_game_sources_for_cfr import END, EngineSource, Position
from lusory.state.setting_value_limits_builtins_and_names import ForcedChance
from lusory_dsl import load_program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets


class Peer(NamedTuple):
    """A game of OpenSpiel. ``actions``: our option -> their action. ``n_dealt``: number of cards that are dealt from a
    deck of ``cards``. ``passes``: method -> number of passes."""

    name: str
    actions: Mapping[str, int]
    n_dealt: int
    cards: int
    passes: Mapping[str, int]


GAMES = {
    "kuhn-poker": Peer("kuhn_poker", {"pass": 0, "bet": 1}, 2, 3, {CFR: 400, SAMPLING: 200_000}),
    "leduc-poker": Peer("leduc_poker", {"fold": 0, "call": 1, "raise": 2}, 3, 6, {CFR: 200, SAMPLING: 1_000_000}),
}
"""Our name -> the game of OpenSpiel."""

Policy = dict[str, list[tuple[int, float]]]
"""OpenSpiel's information state -> its actions, each with a probability."""


class GamesDiffer(Exception):
    """Signal that the two do not play the same game. The message says where."""


class _FixedDeal(ForcedChance):
    """Chance that puts cards on top of the deck, by their numbers in it."""

    top: tuple[int, ...] = ()

    def take_shuffle(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        """Return the cards of ``top``, and then the others."""
        remaining = (number for number in range(len(cards)) if number not in self.top)
        return (tuple(cards[number] for number in (*self.top, *remaining)),)


class _Walk:
    """Walk through every deal and every history of both games. ``policy`` has our strategy at each of their information
    states. Raises GamesDiffer if the seats, the actions, the results or the information sets are not the same."""

    def __init__(self, solver: Solver, peer: Peer, state: Any) -> None:
        self.peer, self.policy = peer, Policy()
        rows = zip(solver.sets, solver.compute_strategy(), strict=True)
        self.strategy = {(info_set.seat, info_set.observations): row for info_set, row in rows}
        self.sets: dict[str, int] = {}
        chance = _FixedDeal()
        self.source = EngineSource(solver.game, solver.max_positions, chance)
        for deal in permutations(range(peer.cards), peer.n_dealt):
            chance.top = deal
            self._walk_from(self.source.start(), state.new_initial_state(), list(deal))
        if len(set(self.sets.values())) != len(self.sets) or len(self.sets) != len(self.strategy):
            raise GamesDiffer(f"information sets: {len(self.strategy)}, OpenSpiel {len(self.sets)}")

    def _walk_from(self, ours: Position, theirs: Any, deal: list[int]) -> None:
        while theirs.is_chance_node():
            theirs.apply_action(deal[0])
            deal = deal[1:]
        if ours.decides == END or theirs.is_terminal():
            if ours.decides != END or not theirs.is_terminal() or abs(ours.payoff - theirs.returns()[0]) > 1e-9:
                raise GamesDiffer(f"the end of {theirs.history()}")
            return
        info_set = self.source.sets[ours.number]
        actions = [self.peer.actions[option] for option in info_set.options]
        if info_set.seat != theirs.current_player() or sorted(actions) != theirs.legal_actions():
            raise GamesDiffer(f"what can be done after {theirs.history()}")
        state = theirs.information_state_string()
        if self.sets.setdefault(state, ours.number) != ours.number:
            raise GamesDiffer(f"what is known after {theirs.history()}")
        self.policy[state] = list(zip(actions, self.strategy[info_set.seat, info_set.observations], strict=True))
        for option, action in enumerate(actions):
            self._walk_from(self.source.sample_after(ours, option), theirs.child(action), deal)


class Solution(NamedTuple):
    """Processor time, value of the first seat, and exploitability by our code and by theirs."""

    seconds: float
    value: float
    ours: float | None
    theirs: float


def solve_with_lusory(name: str, method: str, passes: int) -> Solution:
    """Solve a game with lusory, and let both measure the strategy."""
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    start = process_time()
    solver = Solver(Game(load_program(find_bundled_rulesets()[name])), method, target=0.0, passes=passes)
    solver.run()
    seconds, value = process_time() - start, solver.compute_value()
    assert value is not None
    game = pyspiel.load_game(GAMES[name].name)
    policy = pyspiel.TabularPolicy(_Walk(solver, GAMES[name], game).policy)
    return Solution(seconds, value[0], solver.exploitability, pyspiel.exploitability(game, policy))


def solve_with_peer(name: str, method: str, passes: int) -> Solution:
    """Let OpenSpiel solve a game and measure the strategy, in C++."""
    import pyspiel

    start = process_time()
    game = pyspiel.load_game(GAMES[name].name)
    solver = pyspiel.CFRPlusSolver(game) if method == CFR else pyspiel.ExternalSamplingMCCFRSolver(game, 1)
    step = solver.evaluate_and_update_policy if method == CFR else solver.run_iteration
    for _ in range(passes):
        step()
    seconds = process_time() - start
    policy = solver.tabular_average_policy() if method == CFR else solver.average_policy()
    value = pyspiel.expected_returns(game.new_initial_state(), policy, -1, False, 0.0)[0]
    return Solution(seconds, value, None, pyspiel.exploitability(game, policy))


def format_lines() -> Iterator[str]:
    """Yield a line for each game, method and solver, after a heading."""
    head = f"{'game':12} {'method':7} {'solver':10} {'passes':>9} {'seconds':>8} {'value':>9}"
    yield f"{head} {'exploitability':>15} {'by OpenSpiel':>13}"
    for name, peer in GAMES.items():
        for method, passes in peer.passes.items():
            for solver, solve in (("lusory", solve_with_lusory), ("OpenSpiel", solve_with_peer)):
                solution = solve(name, method, passes)
                own = f"{'':15}" if solution.ours is None else f"{solution.ours:15.8f}"
                figures = f"{passes:9} {solution.seconds:8.2f} {solution.value:9.5f} {own} {solution.theirs:13.8f}"
                yield f"{name:12} {method:7} {solver:10} {figures}"


if __name__ == "__main__":
    for line in format_lines():
        print(line, flush=True)
