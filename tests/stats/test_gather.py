"""Test that counts of events in games are right, add up in any order, and don't change the games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from programs import build_program, load_bundled, read_data, read_rules

from lusory.game import Game
from lusory.reports import simulation_html
from lusory.stats.game_observer import NUMBERS, RuleReplayer
from lusory.stats.mergeable_counters import WIN, Observations, OptionUsage, Sums, UseKind
from lusory.stats.parallel_simulation import Simulation, Worker
from lusory.stats.simulation_report_builder import ReportBuilder

DATA = read_data(__file__)

RULESETS = Path(__file__).parents[2] / "rulesets"
SEATS = ("random", "random")


@pytest.fixture(scope="module")
def love_letter() -> Game:
    return Game(load_bundled("love-letter"), 2)


def gather(game: Game, games: int = 12, jobs: int = 1, seats: tuple[str, ...] = SEATS) -> Observations:
    observations = Simulation(game, seats, games, seed=2, jobs=jobs, native=False, has_details=True).run().observations
    assert observations is not None
    return observations


def test_observing_changes_no_game(love_letter: Game) -> None:
    plain = Simulation(love_letter, SEATS, 12, seed=2).run()
    observed_tally = Simulation(love_letter, SEATS, 12, seed=2, has_details=True).run()
    assert replace(observed_tally, observations=None) == plain


def test_counts_add_up_in_any_order(love_letter: Game) -> None:
    simulation = Simulation(love_letter, SEATS, 12, seed=2, has_details=True)
    worker, size = Worker(love_letter, simulation.settings), simulation.blocks.step
    parts = [worker.play_block(range(first, first + size)).statistics.observations for first in range(0, 12, size)]
    whole = Observations(2)
    for part in reversed(parts):
        assert part is not None
        whole.add(part)
    assert whole == gather(love_letter)


def test_process_count_changes_no_counts(love_letter: Game) -> None:
    assert gather(love_letter, 24) == gather(love_letter, 24, jobs=2)


def test_none_in_a_list_that_is_chosen_is_not_counted() -> None:
    text = (Path(__file__).parents[1] / "fixtures" / "draft.yaml").read_text(encoding="utf-8")
    choice = """choose m in Metal, prompt "What do you take?":
          if m is gold: increase points by 2 else: increase points by 1"""
    assert choice in text
    rules = text.replace(choice, "choose m in [[none, smiths], [miners]]: increase points by count(m)")
    observations = gather(Game(build_program(rules, "draft.yaml"), 2))
    answers = [key for key in observations.uses if key[0] == UseKind.ANSWER and len(key) == 5]
    assert answers and {key[-1] for key in answers} <= {0, 1, 2}


def test_events_of_games_are_counted(love_letter: Game) -> None:
    observations = gather(love_letter)
    assert observations.games == observations.replayed_games == 12
    assert observations.decisions.sums.n == observations.turns.sums.n == 12
    assert sum(seat.total for seat in observations.seats) == 12 * WIN
    assert sum(seat.n for seat in observations.seats_when_starting) == observations.starting_player.n == 12
    options = sum(question.options.n for question in observations.questions.values())
    assert observations.options.sums.n == observations.decisions.sums.total == options
    assert sum(end.turns.n for end in observations.ends.values()) == 12
    openings = [use for key, use in observations.uses.items() if key[:2] == (UseKind.OPENING, UseKind.ACTION)]
    assert sum(use.use_count for use in openings) <= 12
    n_drawn, n_played = (
        sum(use.use_count for key, use in observations.uses.items() if key[0] == kind)
        for kind in (UseKind.DRAWN, UseKind.PLAYED)
    )
    assert n_drawn > n_played > 0
    assert any(key[0] == UseKind.TURNED for key in observations.uses)  # the rules, not a player, took it from the deck


PATHS = DATA["paths"]


def test_executions_are_counted_for_their_own_game() -> None:
    """Statements, queries, phases, effects and answers are counted."""
    game = Game(build_program(PATHS), 1)
    games = [0], [1, 0], [0], [1, 1]  # up; down, and on
    together = RuleReplayer(game, {})
    parts = [together.list_executed_parts(1, picks) for picks in games]
    assert parts == [RuleReplayer(game, {}).list_executed_parts(1, picks) for picks in games]
    pairs = parts[:2], parts[1::-1]
    up, down = ({together.parts[n].kind for n in set(first) - set(second)} for first, second in pairs)
    assert up >= {"effects", "answers", "statements"}
    assert down >= {"phases", "queries", "answers", "loops", "statements"}


def test_searching_bots_report_values_of_decisions() -> None:
    game = Game(load_bundled("tic-tac-toe"), 2)
    observations = gather(game, 2, seats=("mcts:30", "random"))
    (question,) = observations.questions.values()
    assert 0 < question.weight.n < question.options.n
    assert question.weight.total > 0
    assert observations.changes.sums.n == 2


def test_players_are_compared_within_a_game() -> None:
    use = OptionUsage()
    for counts, results in (([1, 0], (WIN, 0)), ([3, 1], (WIN, 0)), ([0, 2], (WIN, 0)), ([1, 1], (0, WIN))):
        use.add_game(counts, results)
    assert (use.games, use.use_count, use.unequal_games) == (4, 9, 3)
    assert use.ahead == Sums(3, 2 * WIN, 2 * WIN * WIN)
    players = 2
    statistic = use.excess / players / (use.variance / (players**2 * (players - 1))) ** 0.5
    assert statistic == pytest.approx((2 - 1) / 3**0.5)  # the test of McNemar


def test_endings_that_differ_in_numbers_alone_are_merged() -> None:
    endings = ("12 Profit: Owner", "9 Profit: Owner", "P2 can't draw", "P1 can't draw")
    assert [NUMBERS.sub("…", ending) for ending in endings] == ["… Profit: Owner"] * 2 + [*endings[2:]]


FORCED_FIRST = read_rules("forced_first")


def test_starting_player_is_known_after_forced_choices() -> None:
    """The first choices of both players are forced. Both decide later."""
    game = Game(build_program(FORCED_FIRST), 2)
    simulation = Simulation(game, SEATS, 8, seed=2, native=False, observes_turns=True, keeps_rows=True).run()
    assert simulation.rows is not None and [row.starting_seat for row in simulation.rows] == [0] * 8
    observations = gather(game, 8)
    assert (observations.starting_player.n, observations.starting_player.total) == (8, 8 * WIN) and [
        seat.n for seat in observations.seats_when_starting
    ] == [8, 0]
    openings = [use for key, use in observations.uses.items() if key[:2] == (UseKind.OPENING, UseKind.ACTION)]
    assert sum(use.use_count for use in openings) == 8  # the first player's last decision


def test_forced_options_are_not_reported_as_unused() -> None:
    game = Game(build_program(FORCED_FIRST), 2)
    findings = ReportBuilder(game, SEATS, {}, 2, gather(game, 8)).build()
    assert {finding.rpartition(" (")[0] for finding in findings.untaken} == {"flee", "sell (elephant)"}
    assert {finding.name for finding in findings.actions if finding.taken} == {"even", "odd", "sell (apple)", "rest"}


def test_large_numbers_are_reported_together() -> None:
    text = FORCED_FIRST.replace("option even:", "option number with n in -200..200:")
    game = Game(build_program(text), 2)
    names = {answer.name for answer in ReportBuilder(game, SEATS, {}, 2, gather(game, 24)).build().answers}
    assert {name for name in names if "less" in name or "more" in name} == {"number 130 or more", "number -130 or less"}


def test_cards_that_stay_in_hands_are_reported() -> None:
    game = Game(build_program(FORCED_FIRST), 2)
    findings = ReportBuilder(game, SEATS, {}, 2, gather(game, 8)).build()
    assert (findings.unplayed, findings.dead) == (("elephant",), ())
    assert "Cards in hands" in simulation_html.write_page(findings)
