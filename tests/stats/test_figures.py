"""Test figures of games, their intervals, and verdicts on thresholds."""

from __future__ import annotations

from random import Random

import pytest
from programs import build_program, read_data

from lusory.game import Game
from lusory.stats.comparisons_and_thresholds import (
    BROKEN,
    KEPT,
    UNCLEAR,
    NotComparable,
    check_thresholds,
    compare_games,
    is_balance_failure,
    list_default_figures,
)
from lusory.stats.figures_estimates_and_significance_tests import (
    Figure,
    FigureEstimate,
    estimate_difference,
    estimate_figure,
    estimate_share,
    expand_figure,
    matches_reason,
)
from lusory.stats.game_results_and_record_files import GameSummary, Series, group_by_seed
from lusory.stats.mergeable_counters import Z_95, calculate_score_interval, calculate_wilson_interval
from lusory.stats.parallel_simulation import Simulation
from lusory_dsl import core

DATA = read_data(__file__)


def create_row(seed: int, winners: tuple[int, ...] = (0,), decisions: int = 10, began: int | None = 0) -> GameSummary:
    return GameSummary(seed, (0, 1), winners, decisions, 5, began, "P1 is home", None)


def create_games(wins: int, n: int, decisions: int = 10, first: int = 0) -> Series:
    """Return ``n`` games of two players, of which the first seat wins ``wins``."""
    return group_by_seed(create_row(first + seed, (0,) if seed < wins else (1,), decisions) for seed in range(n))


@pytest.mark.parametrize(("figure", "winners", "began", "value"), DATA["figures of a game"])
def test_figures_of_a_game(figure: list[str], winners: list[int], began: int | None, value: float | None) -> None:
    assert Figure(*figure).measure_game(create_row(1, tuple(winners), began=began)) == value


@pytest.mark.parametrize(("reason", "words", "matches_words"), DATA["endings match words"])
def test_endings_match_words(reason: str, words: str, matches_words: bool) -> None:
    reason = reason.replace("MANY", 50_000 * "a")  # patterns must not take exponential time
    assert matches_reason(reason, words) is matches_words


def test_games_of_one_seed_count_once() -> None:
    rows = [create_row(7, (0,)), create_row(7, (1,))._replace(seating=(1, 0)), create_row(8, (0,))]
    assert Figure("win_rate", "P1").calculate_means(group_by_seed(rows)) == {7: 0.5, 8: 1.0}


def test_intervals_miss_the_mean_rarely() -> None:
    """In 400 trials of paired differences with a known mean, about 5 % of the 95 % intervals miss it."""
    chance, n_misses = Random(1), 0
    for _ in range(400):
        moves = [float((chance.random() < 0.6) - (chance.random() < 0.5)) for _ in range(80)]
        low, high = estimate_difference(moves, True).get_interval(1.96)
        n_misses += not low <= 0.1 <= high
    assert 8 <= n_misses <= 32


def test_constant_share_has_an_interval() -> None:
    estimate = estimate_figure([0.0] * 20, True)
    assert estimate is not None
    low, high = estimate.get_interval(1.96)
    assert low == 0 and 0.1 < high < 0.2
    low, high = estimate_difference([0.0] * 20, True).get_interval(1.96)
    assert low < -0.05 and high > 0.05


def test_pairs_detect_small_changes() -> None:
    """Twelve of 400 games change, all in one direction. Unpaired, that would be within chance."""
    comparison = compare_games(create_games(200, 400), create_games(212, 400), list_default_figures(2))
    first = comparison.changes[0]
    assert (first.label, first.has_moved, comparison.pair_count) == ("wins of P1", True, 400)
    assert 0.01 < first.low < 0.03 < first.high < 0.05


def test_only_games_with_the_same_seed_are_pairs() -> None:
    comparison = compare_games(create_games(20, 40), create_games(20, 40, first=30), list_default_figures(2))
    assert comparison.pair_count == 10
    with pytest.raises(NotComparable, match="other seeds"):
        compare_games(create_games(20, 40), create_games(20, 40, first=40), list_default_figures(2))


def create_limits(low: int, high: int) -> core.Balance:
    return core.Balance(("random", "random"), None, (core.Threshold("win_rate", "P1", low, high),))


@pytest.mark.parametrize(("limits", "wins", "n", "verdict"), DATA["verdicts"])
def test_verdicts(limits: tuple[int, int], wins: int, n: int, verdict: str) -> None:
    assert check_thresholds(create_limits(*limits), 2, create_games(wins, n), None, True).verdict == verdict
    assert check_thresholds(create_limits(*limits), 2, create_games(wins, n), None, False).checks == ()


@pytest.mark.parametrize(("now", "verdict"), [(201, KEPT), (218, UNCLEAR), (270, BROKEN)])
def test_change_of_a_figure_has_a_limit(now: int, verdict: str) -> None:
    balance = core.Balance(("random",) * 2, None, (), (core.Threshold("win_rate", "each", -5, 5),))
    before, after = create_games(200, 400), create_games(now, 400)
    thresholds = check_thresholds(balance, 2, after, before, True)
    assert [check.figure.subject for check in thresholds.checks] == ["P1", "P2"]
    assert thresholds.verdict == verdict
    comparison = compare_games(before, after, expand_figure("win_rate", "each", 2))
    assert is_balance_failure(comparison, None) is (now > 201)  # without a limit any significant change fails
    assert is_balance_failure(comparison, thresholds) is (verdict == BROKEN)


DICE = DATA["dice"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_are_the_same_for_any_number_of_processes(jobs: int) -> None:
    """The starting seat is the first seat, even though the other one decides before it during setup."""
    game = Game(build_program(DICE), 2)
    tally = Simulation(game, ("random",) * 2, 130, 3, jobs=jobs, keeps_rows=True, observes_turns=True).run()
    assert tally.rows is not None and len(tally.rows) == 130
    assert sum(row.winners == (0,) for row in tally.rows) == tally.wins[0]
    assert sum(row.decisions for row in tally.rows) == tally.lengths.sums.total
    assert {row.starting_seat for row in tally.rows} == {0}
    plain = Simulation(game, ("random",) * 2, 130, 3, keeps_rows=True).run()
    assert [row._replace(turns=None, starting_seat=None) for row in tally.rows] == plain.rows


@pytest.mark.parametrize(("wins", "games"), [(0, 7), (37, 100), (12_345, 20_000)])
def test_the_same_count_has_the_same_interval_everywhere(wins: int, games: int) -> None:
    low, high = calculate_score_interval(wins / games, games)
    estimate = estimate_share(wins, games)
    assert estimate is not None
    assert (estimate.low, estimate.high) == (low, high)
    assert calculate_wilson_interval(wins, games) == (low, high)
    assert FigureEstimate(wins / games, 0.0, games, True).get_interval(Z_95) == (low, high)
