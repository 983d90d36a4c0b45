"""What is seen of games is counted right, adds up in any order to the same, and changes nothing about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from programs import bundled, checked, read_data, read_rules

from lusory.game import Game
from lusory.reports import simulation_html
from lusory.stats.game_observation import NUMBERS, RuleReplayer
from lusory.stats.mergeable_counters import (
    ACTION,
    CLASSES_PER_OCTAVE,
    DRAWN,
    OPENING,
    PLAYED,
    TURNED,
    WIN,
    Histogram,
    Observations,
    OptionUsage,
    Sums,
    find_histogram_class,
)
from lusory.stats.parallel_simulation import Simulation
from lusory.stats.simulation_report_builder import ReportBuilder

DATA = read_data(__file__)

RULESETS = Path(__file__).parents[2] / "rulesets"
SEATS = ("random", "random")


@pytest.fixture(scope="module")
def letters() -> Game:
    return Game(bundled("love-letter"), 2)


def gathered(game: Game, games: int = 12, jobs: int = 1, seats: tuple[str, ...] = SEATS) -> Observations:
    found = Simulation(game, seats, games, seed=2, jobs=jobs, native=False, details=True).run().observations
    assert found is not None
    return found


def test_looking_on_changes_no_game(letters: Game) -> None:
    plain = Simulation(letters, SEATS, 12, seed=2).run()
    seen = Simulation(letters, SEATS, 12, seed=2, details=True).run()
    assert replace(seen, observations=None) == plain


def test_games_add_up_in_any_order(letters: Game) -> None:
    recipe = Simulation(letters, SEATS, 12, seed=2, details=True)._create_recipe()
    parts = [recipe.play_block(first).statistics.observations for first in recipe.settings.divide(12)]
    whole = Observations(2)
    for part in reversed(parts):
        assert part is not None
        whole.add(part)
    assert whole == gathered(letters)


def test_the_number_of_processes_changes_nothing(letters: Game) -> None:
    assert gathered(letters, 24) == gathered(letters, 24, jobs=2)


def test_games_are_counted(letters: Game) -> None:
    found = gathered(letters)
    assert found.games == found.decisions.sums.n == found.turns.sums.n == found.replayed == 12
    assert sum(one.total for one in found.seats) == 12 * WIN
    assert sum(one.n for one in found.seats_when_starting) == found.starting_player.n == 12
    assert found.options.sums.n == found.decisions.sums.total == sum(q.options.n for q in found.questions.values())
    assert sum(one.decisions.n for one in found.ends.values()) == 12
    assert sum(use.use_count for key, use in found.uses.items() if key[0] == OPENING and key[1] == ACTION) <= 12
    drawn, played = (
        sum(use.use_count for key, use in found.uses.items() if key[0] == kind) for kind in (DRAWN, PLAYED)
    )
    assert drawn > played > 0
    assert any(key[0] == TURNED for key in found.uses)  # by the rules, out of the deck


PATHS = DATA["paths"]


def test_what_one_game_carries_out_is_not_counted_for_the_next() -> None:
    """Statements and queries, and what has happened: phases, effects, answers."""
    game = Game(checked(PATHS), 1)
    games = [0], [1, 0], [0], [1, 1]  # up; down, and on
    together = RuleReplayer(game, {})
    found = [together.list_executed_parts(1, picks) for picks in games]
    assert found == [RuleReplayer(game, {}).list_executed_parts(1, picks) for picks in games]
    up, down = ({together.parts[n].kind for n in set(one) - set(other)} for one, other in (found[:2], found[1::-1]))
    assert up >= {"effects", "answers", "statements"}
    assert down >= {"phases", "queries", "answers", "loops", "statements"}


def test_who_thinks_says_what_decisions_weigh() -> None:
    game = Game(bundled("tic-tac-toe"), 2)
    found = gathered(game, 2, seats=("mcts:30", "random"))
    (question,) = found.questions.values()
    assert 0 < question.weight.n < question.options.n
    assert question.weight.total > 0
    assert found.changes.sums.n == 2


def test_classes_of_numbers_are_as_wide_as_the_numbers_allow() -> None:
    assert [find_histogram_class(n) for n in (0, 1, CLASSES_PER_OCTAVE - 1, -5)] == [0, 1, CLASSES_PER_OCTAVE - 1, -5]
    for value in (64, 65, 1000, 123_456, -70):
        assert 0 <= abs(value) - abs(find_histogram_class(value)) <= abs(value) / (CLASSES_PER_OCTAVE / 2)
    one = Histogram()
    for value in range(1000):
        one.count(value)
    assert len(one.classes) <= CLASSES_PER_OCTAVE * 3
    assert (one.low, one.high, one.sums.mean) == (0, 999, 499.5)
    assert abs(one.calculate_quantile(0.5) - 500) <= 500 / (CLASSES_PER_OCTAVE / 2)


def test_who_does_more_is_compared_with_the_others_of_the_same_game() -> None:
    use = OptionUsage()
    for counts, results in (([1, 0], (WIN, 0)), ([3, 1], (WIN, 0)), ([0, 2], (WIN, 0)), ([1, 1], (0, WIN))):
        use.add_game(counts, results)
    assert (use.games, use.use_count, use.unequal_games) == (4, 9, 3)
    assert use.ahead == Sums(3, 2 * WIN, 2 * WIN * WIN)
    players = 2
    z = use.excess / players / (use.variance / (players**2 * (players - 1))) ** 0.5
    assert z == pytest.approx((2 - 1) / 3**0.5)  # as McNemar has it


def test_endings_that_differ_in_numbers_alone_are_one() -> None:
    said = ("12 Profit: Owner", "9 Profit: Owner", "P2 can't draw", "P1 can't draw")
    assert [NUMBERS.sub("…", words) for words in said] == ["… Profit: Owner"] * 2 + ["P2 can't draw", "P1 can't draw"]


FORCED_FIRST = read_rules("forced_first")


def test_who_begins_is_seen_where_nothing_can_be_chosen_at_first() -> None:
    """The first player's first choice is forced, the other one's too; both decide later."""
    game = Game(checked(FORCED_FIRST), 2)
    closely = Simulation(game, SEATS, 8, seed=2, native=False, closely=True, rows=True).run()
    assert closely.rows is not None and [row.starting_seat for row in closely.rows] == [0] * 8
    found = gathered(game, 8)
    assert (found.starting_player.n, found.starting_player.total) == (8, 8 * WIN) and [
        one.n for one in found.seats_when_starting
    ] == [8, 0]
    openings = [use for key, use in found.uses.items() if key[:2] == (OPENING, ACTION)]
    assert sum(use.use_count for use in openings) == 8  # what the first player decides at last


def test_what_was_the_only_option_is_not_told_as_never_taken() -> None:
    game = Game(checked(FORCED_FIRST), 2)
    findings = ReportBuilder(game, SEATS, {}, 2, gathered(game, 8)).build()
    assert {one.rpartition(" (")[0] for one in findings.untaken} == {"flee", "sell (elephant)"}
    assert {one.name for one in findings.actions if one.taken} == {"even", "odd", "sell (apple)", "rest"}


def test_cards_that_stay_in_hands_are_told() -> None:
    game = Game(checked(FORCED_FIRST), 2)
    findings = ReportBuilder(game, SEATS, {}, 2, gathered(game, 8)).build()
    assert (findings.unplayed, findings.dead) == (("elephant",), ())
    assert "Cards in hands" in simulation_html.write_page(findings)
