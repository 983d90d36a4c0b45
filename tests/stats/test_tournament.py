"""Test pairings, scores and strengths of tournaments, and that interrupting changes nothing."""

from __future__ import annotations

import json
import pickle
from functools import cache
from math import log10
from pathlib import Path
from random import Random

import pytest
from programs import BIDS, ROOT, build_program, read_data

from lusory.game import Game
from lusory.native import NativeUsage
from lusory.play.player_interface_scripted_and_random_players import UniformPlayer
from lusory.stats import tournament
from lusory.stats.figures_estimates_and_significance_tests import Estimate
from lusory.stats.mergeable_counters import PLAYED_OUT, Z_95
from lusory.stats.tournament import (
    SEQUENTIAL_ERRORS,
    SETS_PER_ROUND,
    Meeting,
    PairSet,
    PlayedGame,
    Tournament,
    TournamentMismatch,
    calculate_share_interval,
    find_stronger_player,
    fit_elo,
    rate_players,
)
from lusory.ui.line.statistics_tables_and_game_lists import render_tournament
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

THREE = ROOT / "rulesets" / "classics" / "tic-tac-toe"
KINDS = ("greedy", "random", "flat:9")


@cache
def load_game(path: Path, players: int = 2) -> Game:
    return Game(load_program(path), players)


def play_tournament(games: int = 12, seed: int = 3, jobs: int = 1, plays_all: bool = True) -> Tournament:
    contest = Tournament(load_game(THREE), KINDS, games, seed, jobs, plays_all)
    contest.run()
    return contest


def test_each_pair_plays_all_seats_with_the_same_seed() -> None:
    contest = play_tournament()
    numbers = [(pair_set.pair, pair_set.number) for pair_set in contest.sets[:4]]
    assert numbers == [((0, 1), 0), ((0, 2), 0), ((1, 2), 0), ((0, 1), 1)]
    for pair_set in contest.sets:
        assert [game.seats for game in pair_set.games] == [pair_set.pair, pair_set.pair[::-1]]
    assert sum(len(pair_set.games) for pair_set in contest.sets) == contest.played_games == contest.max_games == 36


@pytest.mark.parametrize(("players", "seatings"), [(1, 2), (2, 2), (3, 6), (4, 2)])
def test_both_of_a_pair_have_each_seat_equally_often(players: int, seatings: int) -> None:
    contest = Tournament(load_game(BIDS, 2), KINDS, 10)
    contest.game = type("Game", (), {"players": players})()
    seatings_of_pair = contest.seatings
    assert len(seatings_of_pair) == seatings
    for seat in range(players):
        assert sum(seating[seat] for seating in seatings_of_pair) * 2 == len(seatings_of_pair)


def test_points_follow_places() -> None:
    game = PlayedGame((0, 1, 0, 1), (1, 2, 4, 2), 9, None)
    assert game.score_against(0, 1) == 0.5  # the winner beats both, the last beats nobody
    assert game.score_against(1, 0) == 0.5
    assert PlayedGame((0, 1), (2, 2), 9, None).score_against(0, 1) == 0.5
    assert PlayedGame((0, 1), (1, 2), 9, None).score_against(0, 1) == 1.0
    assert PlayedGame((0, 1), (1, 2), 9, None).score_against(0, 2) is None


SOLITAIRE_RULES = DATA["alone"]


def test_endless_solo_game_ranks_last(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stubborn(UniformPlayer):
        """Always continue, or never."""

        def __init__(self, kind: str, seed: int) -> None:
            super().__init__(seed)
            self.kind = kind

        def pick(self, option_count: int) -> int:
            return int(self.kind == "greedy")

    monkeypatch.setattr(tournament, "create_bot", lambda kind, seed, *_: Stubborn(kind, seed))
    monkeypatch.setattr(tournament, "DECISION_LIMIT", 9)
    contest = Tournament(Game(build_program(SOLITAIRE_RULES)), ("greedy", "random"), 2)
    contest.run()
    assert [pair_set.points for pair_set in contest.sets] == [0]
    assert contest.ending_counts == {"endless": 1, PLAYED_OUT: 1}
    assert contest.first_seat_share == Estimate(0, 0, 1, 0)
    again = Tournament(contest.game, ("greedy", "random"), 2)
    again.continue_from(json.loads(json.dumps(contest.to_json())))
    assert again.sets == contest.sets


def test_options_are_below_the_title_as_typed() -> None:
    rules = SOLITAIRE_RULES.replace("phases:", "options: {late: {type: Bool, default: true}}\nphases:", 1)
    lines = render_tournament(Tournament(Game(build_program(rules)), ("greedy", "random"), 2, 7))
    assert list(map(str, lines))[1:] == ["seed 7, 1 seat; late=true", "Nothing was played to the end."]


def test_clear_pairs_stop_early() -> None:
    contest = Tournament(load_game(THREE), ("mcts:60", "random", "greedy"), 80, 1)
    contest.run()
    sets = {pair: len(contest.list_scores(pair)) for pair in contest.pairs}
    assert sets[0, 1] < 40
    assert all(count % SETS_PER_ROUND == 0 or count == 40 for count in sets.values())
    assert contest.played_games == contest.max_games
    assert any(
        "% of the points against the other seats (95 % interval: " in str(part) for part in render_tournament(contest)
    )


def test_worker_count_changes_nothing() -> None:
    assert play_tournament(jobs=2).to_json() == play_tournament().to_json()


def test_tournament_can_be_pickled() -> None:
    contest = Tournament(load_game(BIDS, 2), KINDS, 10, seed=2)
    task = (0, 1), 3
    assert pickle.loads(pickle.dumps(contest))._play_set(task) == contest._play_set(task)


def test_seed_changes_the_tournament() -> None:
    assert play_tournament(seed=4).to_json()["played"] != play_tournament().to_json()["played"]


def test_interrupted_tournament_continues() -> None:
    whole = play_tournament()
    states: list[str] = []
    contest = Tournament(load_game(THREE), KINDS, 12, 3, plays_all=True)

    def interrupt(n_done: int) -> None:
        if n_done == 14:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        contest.run(interrupt, lambda: states.append(json.dumps(contest.to_json())))
    assert len(contest.sets) == 7
    continuation = Tournament(load_game(THREE), KINDS, 12, 3, plays_all=True)
    continuation.continue_from(json.loads(states[-1]))
    assert continuation.sets == contest.sets
    continuation.run()
    assert continuation.to_json() == whole.to_json()


@pytest.mark.parametrize("scores", [[0.75] * 12, [0.75] * 9 + [0.0] * 31])
def test_pairs_are_decided_by_complete_rounds(scores: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Continuing plays the same sets as a run without interruption, and progress never falls."""

    def play_set(contest: Tournament, task: tuple[tuple[int, int], int]) -> tuple[PairSet, NativeUsage]:
        return PairSet(*task, (), scores[task[1]]), NativeUsage()

    monkeypatch.setattr(Tournament, "_play_set", play_set)
    progress: list[int] = []
    whole = Tournament(load_game(THREE), ("greedy", "random"), 80)
    whole.run(progress.append)
    assert progress == sorted(progress)
    for count in range(len(whole.sets)):
        continuation = Tournament(load_game(THREE), ("greedy", "random"), 80, sets=whole.sets[:count])
        continuation.run()
        assert continuation.sets == whole.sets


@pytest.mark.parametrize("numbers", [[1, 2], [0, 0], [1, 0], [-1]])
def test_file_whose_sets_are_not_numbered_is_refused(numbers: list[int]) -> None:
    contest = Tournament(load_game(THREE), ("greedy", "random"), 80)
    played = [PairSet((0, 1), number, (), 0.5).to_json() for number in numbers]
    with pytest.raises(TournamentMismatch, match="can't be read"):
        contest.continue_from({**contest.to_json(), "played": played})


@pytest.mark.parametrize(("change", "words"), DATA["file of another tournament is refused"])
def test_file_of_another_tournament_is_refused(change: dict[str, object], words: str) -> None:
    contest = play_tournament(2)
    with pytest.raises(TournamentMismatch, match=words):
        contest.continue_from({**contest.to_json(), **change})
    with pytest.raises(ValueError, match="`version` is missing"):
        contest.continue_from({})


# ---------------------------------------------------------------- strengths


def test_strength_difference_of_two_players_follows_points() -> None:
    scores: list[Meeting] = [(0, 1, 1.0)] * 75 + [(0, 1, 0.0)] * 25
    first, second = fit_elo(2, scores)
    assert first - second == pytest.approx(400 * log10(75.5 / 25.5), abs=1e-4)
    assert first + second == pytest.approx(0, abs=1e-6)


def test_draws_count_half_and_strengths_stay_finite() -> None:
    assert fit_elo(2, [(0, 1, 0.5)] * 10) == pytest.approx([0, 0], abs=1e-6)
    assert 400 < fit_elo(2, [(0, 1, 1.0)] * 10)[0] * 2 < 600


def test_player_without_games_has_the_mean_strength() -> None:
    scores: list[Meeting] = [(0, 1, 0.9)] * 5 + [(1, 2, 0.8)] * 2
    assert fit_elo(4, scores) == pytest.approx([*fit_elo(3, scores), 0])
    assert fit_elo(2, []) == [0, 0]


def test_strengths_are_recovered_from_scores() -> None:
    """Three players differ by 200 each. The true values lie within the intervals."""
    random, strengths = Random(5), (200.0, 0.0, -200.0)
    sets: list[list[Meeting]] = []
    for _ in range(300):
        row = []
        for first, second in ((0, 1), (0, 2), (1, 2)):
            chance = 1 / (1 + 10 ** ((strengths[second] - strengths[first]) / 400))
            row.append((first, second, float(random.random() < chance)))
        sets.append(row)
    for expected, rating in zip(strengths, rate_players(3, sets), strict=True):
        assert rating.low <= expected <= rating.high
        assert 20 < rating.high - rating.low < 120


@pytest.mark.parametrize("points", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("sets", [2, 4, 8, 16, 40])
def test_equal_sets_leave_a_wide_interval(points: float, sets: int) -> None:
    """The estimates, and the ends of the intervals, follow the points."""
    first, second = rate_players(2, [[(0, 1, points)]] * sets)
    assert second.low == pytest.approx(-first.high, abs=1e-6)
    share, low, high = calculate_share_interval([points] * sets)
    for end, bound in ((low, first.low), (high, first.high)):
        if abs(end - share) > 1e-9:
            assert 1 / (1 + 10 ** (-2 * bound / 400)) == pytest.approx(end, abs=0.11 if sets < 8 else 0.03)
    assert first.low < first.elo < first.high


def test_intervals_of_several_players_allow_for_equal_sets() -> None:
    meetings: list[Meeting] = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 0.5)]
    first, second, third = rate_players(3, [meetings] * 6)
    assert first.low > second.high
    assert second.high - second.low > 60 < third.high - third.low
    wider = rate_players(3, [meetings] * 6, errors=SEQUENTIAL_ERRORS)
    assert [
        (row.elo - wide.low) / (row.elo - row.low) for row, wide in zip((first, second, third), wider, strict=True)
    ] == (pytest.approx([SEQUENTIAL_ERRORS / Z_95] * 3))


def test_stronger_player_is_named_only_if_clear() -> None:
    assert find_stronger_player([1.0] * 3, SEQUENTIAL_ERRORS) == 0
    assert find_stronger_player([1.0] * 12, SEQUENTIAL_ERRORS) == 1
    assert find_stronger_player([0.0] * 12, SEQUENTIAL_ERRORS) == -1
    assert find_stronger_player([0.5] * 500) == 0


@pytest.mark.parametrize(("scores", "least", "most"), DATA["who looks again and again"])
def test_repeated_looks_rarely_name_the_wrong_player(scores: dict[float, float], least: int, most: int) -> None:
    claims = [find_first_claim(Random(number), scores) for number in range(200)]
    assert claims.count(-1) <= 6
    assert least <= claims.count(1) + claims.count(-1) <= most


def find_first_claim(random: Random, likely: dict[float, float]) -> int:
    """Look after each few sets, and return the player that is first called stronger. ``likely`` maps points of the
    first player to their probability."""
    scores: list[float] = []
    while len(scores) < 100:
        scores += random.choices([*likely, 0.0], [*likely.values(), 1 - sum(likely.values())], k=SETS_PER_ROUND)
        if player := find_stronger_player(scores, SEQUENTIAL_ERRORS):
            return player
    return 0


@pytest.mark.parametrize("plays_all", [False, True])
@pytest.mark.parametrize(
    "scores", [[1.0] * 4, [1.0] * 8, [0.5] * 27 + [1.0] * 5, [0.5] * 8 + [0.0] * 4, [1.0, 0.0] * 10]
)
def test_stronger_player_wins_over_half_at_both_interval_ends(scores: list[float], plays_all: bool) -> None:
    contest = Tournament(load_game(THREE), ("greedy", "random"), 80, plays_all=plays_all)
    contest.sets = [PairSet((0, 1), number, (), points) for number, points in enumerate(scores)]
    (pair,) = contest.to_json()["pairs"]
    low, high = pair["share_95"]
    assert pair["stronger"] == ("greedy" if low > 0.5 else "random" if high < 0.5 else None)
    assert (pair["stronger"] is None or plays_all) == bool(contest.open_pairs)
    width = rate_players(2, [[(0, 1, points)] for points in scores])[0]
    rating = contest.rate()[0]
    factor = 1 if plays_all else SEQUENTIAL_ERRORS / Z_95
    assert (rating.high - rating.low) / (width.high - width.low) == pytest.approx(factor)


def test_share_is_within_its_interval() -> None:
    assert calculate_share_interval([]) == (0.0, 0.0, 1.0)
    mean, low, high = calculate_share_interval([1.0, 0.5, 0.0, 1.0])
    assert low < mean == 0.625 < high
    assert calculate_share_interval([1.0] * 9)[1] == pytest.approx(0.7008, abs=1e-4)  # Wilson's interval
    assert calculate_share_interval([1.0, 0.0] * 8)[1:] == pytest.approx((0.2800, 0.7200), abs=1e-4)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.8, 0.4), (0.9, 0.8)])
def test_95_percent_of_intervals_hold_the_share(shares: tuple[float, ...]) -> None:
    random, mean, hits = Random(1), sum(shares) / len(shares), 0
    for _ in range(1000):
        scores = [sum(random.random() < share for share in shares) / len(shares) for _ in range(40)]
        _, low, high = calculate_share_interval(scores)
        hits += low <= mean <= high
    assert 930 <= hits <= 975  # if sets counted as single games it would be 990 or more
