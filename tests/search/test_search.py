"""Searches find obvious decisions, spend exactly their budget, and give the same results everywhere."""

from __future__ import annotations

from functools import cache
from math import log

import pytest
from programs import BIDS, ROOT, build_program, read_data, read_rules

from lusory.belief.hidden_information_and_event_subjects import has_perfect_information
from lusory.game import Game
from lusory.play.searching_bots import choose_option
from lusory.search.default_simulation_budget import estimate_budget
from lusory.search.mcts import MctsTree, approximate_log
from lusory.search.option_evaluation import (
    ALGORITHMS,
    MCTS,
    PYTHON_BACKEND,
    SEQUENTIAL_HALVING,
    OptionEvaluation,
    SearchTask,
    choose_algorithm,
    count_determinizations,
    evaluate_options,
)
from lusory.search.position_evaluation_and_ruleset_hints import NO_HINTS, Evaluator
from lusory.search.root_bandits_and_paired_comparison import (
    Bandit,
    OptionStatistics,
    run_flat_monte_carlo,
    run_sequential_halving,
)
from lusory.search.simulation import PositionFactory, Simulator, pick_weighted
from lusory.state.decisions_outcomes_and_faults import rank_outcome
from lusory.state.state import State
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

TIC_TAC_TOE = ROOT / "rulesets" / "classics" / "tic-tac-toe"


@cache
def create_tic_tac_toe() -> Game:
    return Game(load_program(TIC_TAC_TOE))


@cache
def create_secret_bids() -> Game:
    return Game(load_program(BIDS), 3)


def state_after(game: Game, *options: int) -> State:
    state = game.start(1)
    for option in options:
        state = game.apply(state, option)
    return state


def evaluate(game: Game, state: State, algorithm: str, simulations: int, seed: int = 5) -> list[OptionEvaluation]:
    """Return the final evaluations of a search in which the state itself is the only determinization."""
    decision = game.decision(state)
    assert decision is not None
    arguments = algorithm, simulations, seed, has_perfect_information(game)
    return evaluate_options(SearchTask(game, decision.seat, [state], *arguments))


def create_empty_tree(game: Game, seed: int = 9) -> MctsTree:
    """Return a search tree for the first decision of a game."""
    return MctsTree(Simulator(game, 0, [game.start(4)], seed), has_perfect_information(game))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_search_takes_a_win_and_prevents_a_loss(algorithm: str) -> None:
    """Squares have numbers in reading order, and the options are the free squares."""
    game = create_tic_tac_toe()
    can_win = state_after(game, 0, 2, 0, 3)  # P1 has 0 and 1, P2 has 3 and 6: square 2 wins
    assert evaluate(game, can_win, algorithm, 300)[0].option == 0
    must_block = state_after(game, 4, 0, 6, 0)  # P1 has 4 and 8, P2 has 0 and 1: P1 must take square 2
    assert evaluate(game, must_block, algorithm, 600)[0].option == 0


TRUST = DATA["trust"]
"""The trusted seat gains most by treating everybody well. If it minimized the first seat's value, it would not."""


@pytest.mark.parametrize("seat", ["players.first.next", "players.first.next.next"], ids=["second", "third"])
def test_each_seat_maximizes_its_own_value(seat: str) -> None:
    game = Game(build_program(TRUST.replace("OTHER", seat)))
    assert evaluate(game, game.start(1), "mcts", 100)[0].option == 1


class FixedResultBackend:
    """Return a search tree with predefined statistics."""

    make_bandit = PYTHON_BACKEND.make_bandit

    def __init__(self, *statistics: OptionStatistics) -> None:
        self.statistics = list(statistics)

    def make_tree(self, simulator: Simulator, has_perfect_information: bool) -> FixedResultBackend:
        self.simulator = simulator
        return self

    def grow(self, simulations: int) -> None:
        self.simulator.simulation_count += simulations
        self.simulator.lowest_value, self.simulator.highest_value = 0.0, 1.0

    def list_option_statistics(self) -> list[OptionStatistics]:
        return self.statistics


@pytest.mark.parametrize(
    ("first", "second", "best"),
    [((1, 1.0), (50, 0.9), 1), ((40, 0.8), (50, 0.7), 0), ((50, 0.8), (40, 0.9), 1), ((50, 0.1), (1, 0.9), 0)],
)
def test_tree_ranks_options_by_value_if_their_visits_are_comparable(
    first: tuple[int, float], second: tuple[int, float], best: int
) -> None:
    """Each pair has the visits and the mean of an option."""
    rows = [OptionStatistics(n, visits, visits * mean) for n, (visits, mean) in enumerate((first, second))]
    game = create_tic_tac_toe()
    task = SearchTask(game, 0, [game.start(1)], MCTS, 64, 1, True)
    evaluations = evaluate_options(task, FixedResultBackend(*rows))
    assert evaluations[0].option == best


@pytest.mark.parametrize(
    ("option_count", "simulations", "algorithm"),
    [(2, 1_000, MCTS), (30, 3_000, MCTS), (30, 30, SEQUENTIAL_HALVING), (8, 10, SEQUENTIAL_HALVING), (500, 500, MCTS)],
)
def test_tree_search_is_chosen_for_large_budgets_and_long_lists(
    option_count: int, simulations: int, algorithm: str
) -> None:
    assert choose_algorithm(option_count, simulations) == algorithm


def test_each_determinization_serves_at_least_four_simulations() -> None:
    assert [count_determinizations(simulations) for simulations in (1, 40, 1_000)] == [1, 10, 24]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("simulations", [1, 2, 7, 64])
def test_search_makes_exactly_the_given_simulations(algorithm: str, simulations: int) -> None:
    game = create_tic_tac_toe()
    evaluations = evaluate(game, state_after(game, 4), algorithm, simulations)
    assert sum(round(evaluation.visit_share * simulations) for evaluation in evaluations) == simulations
    assert all(0 <= row.normalized_value <= 1 and -1 <= row.value <= 1 for row in evaluations)


def test_bandits_spend_an_odd_budget_completely() -> None:
    game = create_tic_tac_toe()
    for run in (run_flat_monte_carlo, run_sequential_halving):
        simulator = Simulator(game, 0, [game.start(1)], 3)
        run(Bandit(simulator), 101)
        assert simulator.simulation_count == 101


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_results_depend_on_the_seed_only_and_determinizations_stay_unchanged(algorithm: str) -> None:
    for game in (create_tic_tac_toe(), create_secret_bids()):
        state = game.start(4)
        before = state.copy()
        assert evaluate(game, state, algorithm, 90) == evaluate(game, state.copy(), algorithm, 90)
        assert state == before
    game = create_tic_tac_toe()
    assert evaluate(game, game.start(1), algorithm, 90, 5) != evaluate(game, game.start(1), algorithm, 90, 6)


def test_each_simulation_seeds_the_random_streams_afresh() -> None:
    game = create_secret_bids()
    simulator = Simulator(game, 0, [game.start(4)], 9)
    positions = [simulator.start(number)[0] for number in range(20)]
    assert len({tuple(position.cells[cell] for cell in game.layout.streams.values()) for position in positions}) == 20


def test_root_options_of_a_tree_share_random_numbers() -> None:
    """The choice has no effect here, so options with equally many visits have equal sums."""
    text = DATA["root options of a tree share random numbers"]
    tree = create_empty_tree(Game(build_program(text)))
    tree.grow(200)
    edges = tree.root.edges.values()
    sums_by_visits = dict[int, set[float]]()
    for edge in edges:
        sums_by_visits.setdefault(edge.visits, set()).add(edge.value_sum)
    assert len(edges) == 4
    assert sum(edge.visits for edge in edges) == 200
    assert all(len(sums) == 1 for sums in sums_by_visits.values())
    assert len(sums_by_visits) < 4


def test_progressive_widening_expands_in_proportion_to_the_root_of_the_visits() -> None:
    text = DATA["progressive widening expands in proportion to the root of the visits"]
    edge_counts = dict[tuple[int, int], int]()
    for size, simulations in [(4, 4), (30, 25), (30, 100)]:
        tree = create_empty_tree(Game(build_program(text.replace("SIZE", str(size)))))
        tree.grow(simulations)
        edge_counts[size, simulations] = len(tree.root.edges)
    assert edge_counts[4, 4] == 4
    assert 4 <= edge_counts[30, 25] <= 15
    assert edge_counts[30, 100] == pytest.approx(2 * edge_counts[30, 25], rel=0.2)


def test_amaf_statistics_make_the_tree_expand_the_winning_action() -> None:
    """Action 7 wins whenever it is taken. So if any simulation took it, the root expands it next."""
    text = DATA["amaf statistics make the tree expand the winning action"]
    game = Game(build_program(text))
    trees_with_seven = 0
    for seed in range(8):
        tree = create_empty_tree(game, seed)
        tree.grow(100)
        statistics = {action: amaf for (_, action), amaf in tree.amaf[0].items()}
        assert sum(amaf.visits for amaf in statistics.values()) == 100 * 12
        assert not tree.amaf[1]
        seven = statistics.get((0, (7,)))
        if seven is not None:
            trees_with_seven += 1
            assert seven.value_sum == seven.visits
            assert 6 in [option for option, *_ in tree.list_option_statistics()]
    assert trees_with_seven > 1


def test_sequential_halving_ranks_its_active_arms_first() -> None:
    """Dropped arms have met other random numbers, so a higher mean does not count."""
    game = create_tic_tac_toe()
    for seed in range(20):
        bandit = Bandit(Simulator(game, 0, [game.start(1)], seed))
        run_sequential_halving(bandit, 90)
        evaluations = evaluate(game, game.start(1), "halving", 90, seed)
        best = evaluations[: len(bandit.active_arms)]
        assert {evaluation.option for evaluation in best} == set(bandit.active_arms)
        assert len(bandit.active_arms) < len(evaluations)


def test_players_never_take_an_option_ranked_lower_despite_a_higher_value() -> None:
    """The second option has too few visits to trust its value."""
    rows = [(0, 0.5, 0.5, 0.9), (1, 0.9, 0.9, 0.01), (2, 0.45, 0.45, 0.09)]
    evaluations = [OptionEvaluation(*row) for row in rows]
    assert {choose_option(evaluations, 0.0, seed) for seed in range(50)} == {0}
    assert {choose_option(evaluations, 0.1, seed) for seed in range(50)} == {0, 2}


def test_each_seat_has_its_own_tree_if_information_is_hidden() -> None:
    """A secret bid leads to a single node in the trees of the other seats."""
    tree = create_empty_tree(create_secret_bids())
    tree.grow(120)
    own_root, root = tree.roots[0], tree.roots[1]
    assert len(own_root.edges) == 3
    assert not root.edges
    assert len(root.observations) == 1
    assert sum(edge.visits for edge in own_root.edges.values()) == own_root.visits == 120


def test_values_of_finished_games_are_payoffs_or_shares_of_the_win() -> None:
    payoffs = Evaluator(create_tic_tac_toe(), NO_HINTS)
    assert payoffs.evaluate_outcome(rank_outcome(None, ((1,), (0,)), (1, -1), ())) == (1, -1)
    shares = Evaluator(create_secret_bids(), NO_HINTS)
    assert shares.evaluate_outcome(rank_outcome(None, ((2,), (1,), (0,)), None, ())) == (1.0, 0.25, 0.0)
    assert shares.evaluate_outcome(rank_outcome(None, ((2,), (2,), (0,)), None, ())) == (0.625, 0.625, 0.0)


def test_approximate_logarithm_increases_and_has_a_small_error() -> None:
    logarithms = [approximate_log(n) for n in range(1, 3000)]
    assert logarithms == sorted(set(logarithms))
    assert all(abs(value - log(n)) < 0.07 for n, value in enumerate(logarithms, 1))


def test_weighted_pick_is_proportional_to_the_weights() -> None:
    picks = [pick_weighted((1, 0, 3), (number << 32) // 8 << 32) for number in range(8)]
    assert picks == [0, 0, 2, 2, 2, 2, 2, 2]


def test_budget_of_a_game_is_deterministic() -> None:
    first, second = estimate_budget(Game(load_program(TIC_TAC_TOE))), estimate_budget(create_tic_tac_toe())
    assert first == second
    assert first.horizon is None


@pytest.mark.parametrize(
    ("years", "rank", "has_horizon"),
    [(80, "grain", True), (80, "if past < 80 then 0 else grain", False), (8, "grain", False)],
)
def test_long_games_get_a_horizon_if_scores_differ_before_the_end(years: int, rank: str, has_horizon: bool) -> None:
    rules = read_rules("harvest").replace("< 8", f"< {years}").replace("at_most: 8", f"at_most: {years}")
    game = Game(build_program(rules.replace("rank: [grain]", f'rank: ["{rank}"]')))
    budget = estimate_budget(game)
    assert budget.game_length > 100 or years == 8
    assert (budget.horizon is not None) == has_horizon
    assert budget.horizon is None or budget.horizon < budget.game_length / 2


def test_only_games_of_the_compiled_engine_can_be_searched() -> None:
    with pytest.raises(ValueError, match="compiled"):
        PositionFactory(Game(load_program(TIC_TAC_TOE), engine="evaluator"), NO_HINTS)
