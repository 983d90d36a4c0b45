"""Many games are counted right, alike for a seed, and every trouble is found and can be found again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lusory import simulate
from lusory.choices import RulesetFault
from lusory.game import Game
from lusory.match import Match
from lusory.players.player import Player
from lusory.players.uniform import Uniform
from lusory.simulate import Simulation, interval
from lusory_dsl import core
from lusory_dsl.program import load_program
from lusory_dsl.source import NOWHERE
from lusory_dsl.types import BOOL

BIDS = Path(__file__).parent / "fixtures" / "bids.yaml"


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(load_program(BIDS), 2)


def bots(seed: int) -> Sequence[Player]:
    return [Uniform(seed, seat) for seat in range(2)]


def test_every_game_is_counted(game: Game) -> None:
    tally = Simulation(game, bots, 30, seed=4, check=True).run()
    assert tally.played == tally.finished == sum(tally.reasons.values()) == 30
    assert sum(tally.wins) + tally.shared[0] == 30
    assert tally.shared[0] == tally.shared[1]
    assert sum(tally.payoffs) == 30
    assert tally.decisions == 30 * 4
    assert (tally.shortest, tally.longest, tally.mean_length) == (4, 4, 4.0)
    assert tally.is_sound


def test_a_seed_settles_the_result_and_another_changes_it(game: Game) -> None:
    one, same, other = (Simulation(game, bots, 20, seed).run() for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_games_of_neighbouring_seeds_are_not_the_same_games(game: Game) -> None:
    seeds: list[int] = []

    def noted(seed: int) -> Sequence[Player]:
        seeds.append(seed)
        return bots(seed)

    Simulation(game, noted, 10, seed=1).run()
    Simulation(game, noted, 10, seed=2).run()
    assert len(set(seeds)) == 20


def test_json_tells_all_of_it(game: Game) -> None:
    work = Simulation(game, bots, 10, seed=1, check=True)
    work.run()
    found = json.loads(json.dumps(work.to_json(["random", "random"])))
    assert found["options"] == {"rounds": 2, "mood": "calm"}
    assert found["games"] == found["games_played"] == found["games_finished"] == 10
    assert found["length"] == {"mean": 4.0, "shortest": 4, "longest": 4}
    assert [seat["seat"] for seat in found["seats"]] == ["P1", "P2"]
    assert found["invariants_broken"] == {} == found["faults"]
    assert found["examples"] == []


def test_a_broken_invariant_is_found_with_the_seed_that_breaks_it(game: Game) -> None:
    never = core.Invariant("never", core.Const(BOOL, NOWHERE, False), 0, "")
    broken = Game(replace(game.program, invariants=(never,)), 2)
    tally = Simulation(broken, bots, 3, seed=1, check=True).run()
    assert tally.broken == {"never": 3}
    assert not tally.is_sound
    assert Simulation(broken, bots, 3, seed=1).run().is_sound


def test_faults_and_endless_games_are_told_apart(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    class Faulty(Uniform):
        def choose(self, *args: object) -> int:
            raise RulesetFault("division by zero")

    tally = Simulation(game, lambda seed: [Faulty(seed, 0), Faulty(seed, 1)], 2).run()
    assert (tally.played, tally.finished, tally.faults) == (2, 0, {"division by zero": 2})
    monkeypatch.setattr(simulate, "DECISION_LIMIT", 1)
    tally = Simulation(game, bots, 2).run()
    assert (tally.played, tally.finished, tally.endless) == (2, 0, 2)


def test_an_interrupted_simulation_has_counted_what_was_finished(game: Game) -> None:
    def stop(done: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    work = Simulation(game, bots, 10)
    with pytest.raises(KeyboardInterrupt):
        work.run(stop)
    assert work.tally.played == work.tally.finished == 3


def test_reasons_do_not_grow_without_bound(game: Game) -> None:
    work = Simulation(game, bots, 1)
    outcome = Match(game, bots(0)).play()
    for number in range(simulate.REASON_LIMIT * 2):
        work.tally.count(outcome._replace(reason=f"with {number} points"), 1)
    assert len(work.tally.reasons) == simulate.REASON_LIMIT + 1


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (5, 10), (10, 10), (500, 1000)])
def test_the_interval_holds_the_rate(hits: int, trials: int) -> None:
    low, high = interval(hits, trials)
    assert 0 <= low <= hits / trials <= high <= 1
    assert interval(0, 0) == (0.0, 1.0)
