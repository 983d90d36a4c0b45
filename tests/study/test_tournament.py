"""Tournaments: who meets whom, what points come to, and that stopping and going on changes nothing."""

from __future__ import annotations

import json
from functools import cache
from math import log10
from pathlib import Path
from random import Random

import pytest

from lusory.game import Game
from lusory.study.elo import Meeting, decided, fitted, share_interval, strengths
from lusory.study.tournament import ROUND, NotTheSame, Played, Tournament
from lusory_dsl.pipeline import load_program

ROOT = Path(__file__).parents[2]
BIDS = ROOT / "tests" / "fixtures" / "bids.yaml"
THREE = ROOT / "rulesets" / "classics" / "tic-tac-toe"
KINDS = ("greedy", "random", "flat:9")


@cache
def game_of(path: Path, players: int = 2) -> Game:
    return Game(load_program(path), players)


def held(games: int = 12, seed: int = 3, jobs: int = 1, full: bool = True) -> Tournament:
    work = Tournament(game_of(THREE), KINDS, games, seed, jobs, full)
    work.run()
    return work


def test_every_two_meet_on_every_seat_from_the_same_seed() -> None:
    work = held()
    assert [(one.pair, one.number) for one in work.sets[:4]] == [((0, 1), 0), ((0, 2), 0), ((1, 2), 0), ((0, 1), 1)]
    for one in work.sets:
        assert [game.seats for game in one.games] == [one.pair, one.pair[::-1]]
    assert sum(len(one.games) for one in work.sets) == work.played == work.total == 36


@pytest.mark.parametrize(("players", "seatings"), [(1, 2), (2, 2), (3, 6), (4, 2)])
def test_each_of_a_pair_has_every_seat_as_often(players: int, seatings: int) -> None:
    work = Tournament(game_of(BIDS, 2), KINDS, 10)
    work.game = type("Game", (), {"players": players})()
    found = work.seatings
    assert len(found) == seatings
    for seat in range(players):
        assert sum(seating[seat] for seating in found) * 2 == len(found)


def test_points_are_of_places() -> None:
    one = Played((0, 1, 0, 1), (1, 2, 4, 2), 9, None)
    assert one.points(0, 1) == 0.5  # the winner beats both, the last nobody
    assert one.points(1, 0) == 0.5
    assert Played((0, 1), (2, 2), 9, None).points(0, 1) == 0.5
    assert Played((0, 1), (1, 2), 9, None).points(0, 1) == 1.0
    assert Played((0, 1), (1, 2), 9, None).points(0, 2) is None


def test_it_stops_where_it_is_clear_and_goes_on_elsewhere() -> None:
    work = Tournament(game_of(THREE), ("mcts:60", "random", "greedy"), 80, 1)
    work.run()
    sets = {pair: len(work.scores(pair)) for pair in work.pairs}
    assert sets[0, 1] < 40
    assert all(count % ROUND == 0 or count == 40 for count in sets.values())
    assert work.played == work.total


def test_the_number_of_workers_changes_nothing() -> None:
    assert held(jobs=2).to_json() == held().to_json()


def test_another_seed_is_another_tournament() -> None:
    assert held(seed=4).to_json()["played"] != held().to_json()["played"]


def test_an_interrupted_one_goes_on_as_though_it_had_not_been() -> None:
    whole = held()
    kept: list[str] = []
    work = Tournament(game_of(THREE), KINDS, 12, 3, full=True)

    def interrupt(done: int) -> None:
        if done == 14:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work.run(interrupt, lambda: kept.append(json.dumps(work.to_json())))
    assert len(work.sets) == 7
    again = Tournament(game_of(THREE), KINDS, 12, 3, full=True)
    again.take_up(json.loads(kept[-1]))
    assert again.sets == work.sets
    again.run()
    assert again.to_json() == whole.to_json()


@pytest.mark.parametrize(
    ("change", "words"),
    [({"seed": 9}, "`seed` is 9"), ({"kinds": ["random"]}, "`kinds`"), ({"played": [{"pair": [1]}]}, "can't be read")],
)
def test_of_another_tournament_nothing_is_taken_up(change: dict[str, object], words: str) -> None:
    work = held(2)
    with pytest.raises(NotTheSame, match=words):
        work.take_up({**work.to_json(), **change})


# ---------------------------------------------------------------- strengths


def test_two_players_are_as_far_apart_as_their_points_say() -> None:
    scores: list[Meeting] = [(0, 1, 1.0)] * 75 + [(0, 1, 0.0)] * 25
    one, other = fitted(2, scores)
    assert one - other == pytest.approx(400 * log10(75.5 / 25.5), abs=1e-4)
    assert one + other == pytest.approx(0, abs=1e-6)


def test_draws_are_half_points_and_who_loses_all_is_not_infinitely_weak() -> None:
    assert fitted(2, [(0, 1, 0.5)] * 10) == pytest.approx([0, 0], abs=1e-6)
    assert 400 < fitted(2, [(0, 1, 1.0)] * 10)[0] * 2 < 600


def test_strengths_that_made_the_scores_are_found_again() -> None:
    """Three players 200 apart; what lies between the ends of the intervals is what the scores were drawn by."""
    random, true = Random(5), (200.0, 0.0, -200.0)
    sets: list[list[Meeting]] = []
    for _ in range(300):
        row = []
        for one, other in ((0, 1), (0, 2), (1, 2)):
            likely = 1 / (1 + 10 ** ((true[other] - true[one]) / 400))
            row.append((one, other, float(random.random() < likely)))
        sets.append(row)
    for expected, found in zip(true, strengths(3, sets), strict=True):
        assert found.low <= expected <= found.high
        assert 20 < found.high - found.low < 120


def test_it_is_clear_who_is_stronger_only_if_it_is() -> None:
    assert decided([1.0] * 3) == 0
    assert decided([1.0] * 12) == 1
    assert decided([0.0] * 12) == -1
    assert decided([0.5] * 500) == 0
    found = [first_decision(Random(number), 0.457) for number in range(60)]  # the first is weaker by 30
    assert found.count(1) <= 6
    assert found.count(-1) > 30


def first_decision(random: Random, likely: float) -> int:
    """What is decided first of a pair whose scores are looked at every few sets."""
    scores: list[float] = []
    while len(scores) < 600:
        scores += [float(random.random() < likely) for _ in range(12)]
        if found := decided(scores):
            return found
    return 0


def test_a_share_lies_within_its_interval() -> None:
    assert share_interval([]) == (0.0, 0.0, 1.0)
    mean, low, high = share_interval([1.0, 0.5, 0.0, 1.0])
    assert low < mean == 0.625 < high
    assert share_interval([1.0] * 9)[1] == pytest.approx(0.7008, abs=1e-4)  # Wilson's, of games won or lost
    assert share_interval([1.0, 0.0] * 8)[1:] == pytest.approx((0.2800, 0.7200), abs=1e-4)


@pytest.mark.parametrize("each", [(0.5, 0.5), (0.8, 0.4), (0.9, 0.8)])
def test_in_95_of_100_tournaments_a_share_lies_in_its_interval_however_many_games_a_set_has(
    each: tuple[float, ...],
) -> None:
    random, true, held = Random(1), sum(each) / len(each), 0
    for _ in range(1000):
        scores = [sum(random.random() < likely for likely in each) / len(each) for _ in range(40)]
        _, low, high = share_interval(scores)
        held += low <= true <= high
    assert 930 <= held <= 975  # as though sets were games won or lost: 990 and more
