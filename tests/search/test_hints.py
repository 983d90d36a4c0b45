"""Searches follow the hints in the section ``bots`` of a ruleset."""

from __future__ import annotations

import pytest
from programs import build_program, read_rules

from lusory.game import Game
from lusory.play.searching_bots import complete_hints
from lusory.search.default_simulation_budget import estimate_budget
from lusory.search.option_evaluation import ALGORITHMS, FLAT_MONTE_CARLO, SearchTask, evaluate_options
from lusory.search.position_evaluation_and_ruleset_hints import Evaluator, read_hints
from lusory.search.simulation import PositionFactory

RULES = read_rules("harvest")
BOTS = "bots: {value: grain + 3 * fields, horizon: 8, likely: {reap: 30}, never: [idle]}\n"
PLOUGH, REAP, IDLE = range(3)


def evaluate_first_options(game: Game, algorithm: str, simulations: int = 60) -> dict[int, float]:
    """Return the value of each option of the first decision that a search simulated."""
    state = game.start(1)
    evaluations = evaluate_options(SearchTask(game, 0, [state], algorithm, simulations, 3, True, read_hints(game)))
    return {evaluation.option: evaluation.value for evaluation in evaluations}


def test_rulesets_without_bots_have_no_hints() -> None:
    hints = read_hints(Game(build_program(RULES)))
    assert (hints.has_heuristic, hints.horizon, hints.alternative_weights) == (False, None, {})


def test_scores_come_from_the_heuristic_or_else_the_ranking() -> None:
    game = Game(build_program(RULES + BOTS))
    state = game.apply(game.start(1), PLOUGH)
    position, _ = PositionFactory(game, read_hints(game)).create(state, 1)
    assert list(Evaluator(game, read_hints(game)).calculate_scores(position)) == [4, 1]
    assert list(Evaluator(game, read_hints(Game(build_program(RULES)))).calculate_scores(position)) == [1, 1]


def test_horizon_of_a_player_overrides_the_ruleset() -> None:
    game = Game(build_program(RULES + BOTS))
    assert complete_hints(game, None).horizon == 8
    assert complete_hints(game, 2).horizon == 2
    assert complete_hints(Game(build_program(RULES)), None).horizon is None


def test_shorter_horizon_allows_more_simulations() -> None:
    sections = ["", BOTS, BOTS.replace("horizon: 8", "horizon: 2")]
    budgets = [estimate_budget(Game(build_program(RULES + bots))) for bots in sections]
    assert [budget.horizon for budget in budgets] == [None, 8, 2]
    assert budgets[0].simulations < budgets[1].simulations < budgets[2].simulations


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_options_of_weight_zero_are_not_simulated(algorithm: str) -> None:
    assert set(evaluate_first_options(Game(build_program(RULES + BOTS)), algorithm)) == {PLOUGH, REAP}
    assert set(evaluate_first_options(Game(build_program(RULES)), algorithm)) == {PLOUGH, REAP, IDLE}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_options_of_weight_zero_are_simulated_if_all_have_it(algorithm: str) -> None:
    rules = RULES.replace("take action plough, reap, idle", "take action reap, idle")
    game = Game(build_program(rules + "bots: {never: [reap, idle]}\n"))
    assert set(evaluate_first_options(game, algorithm)) == {0, 1}


def test_playouts_pick_options_in_proportion_to_their_weights() -> None:
    """Reaping weighs 30 and ploughing the ordinary 10, so three of four random decisions reap."""
    game = Game(build_program(RULES + BOTS))
    positions = PositionFactory(game, read_hints(game))
    n_reaped = 0
    for number in range(200):
        position, rng_state = positions.create(game.start(1), number)
        position.run_playout(rng_state, 1)
        n_reaped += position.cells[game.layout.places["fields"].at((0,))] == 0
    assert 120 < n_reaped < 180


def test_choices_with_equal_weights_need_no_entry() -> None:
    game = Game(build_program(RULES + "bots: {likely: {plough: 5, reap: 5, idle: 5}}\n"))
    assert read_hints(game).alternative_weights == {}


def test_flat_monte_carlo_with_horizon_zero_prefers_the_higher_heuristic() -> None:
    """Directly after the decision, a new field is worth more than a harvest without fields."""
    game = Game(build_program(RULES + BOTS.replace("horizon: 8", "horizon: 0")))
    values = evaluate_first_options(game, FLAT_MONTE_CARLO, 6)
    assert values[PLOUGH] > values[REAP]


def test_positions_at_the_horizon_get_their_heuristic_value() -> None:
    """After ploughing, the scores are 4 and 1, so the first seat leads by 3 of 6."""
    game = Game(build_program(RULES + BOTS.replace("horizon: 8", "horizon: 0")))
    assert evaluate_first_options(game, FLAT_MONTE_CARLO, 4)[PLOUGH] == (1 + (4 - 1) / 6) / 2
