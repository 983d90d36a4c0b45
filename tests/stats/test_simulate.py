"""Test that many games are counted correctly, that seeds repeat results, and that failures can be found again."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from native import needs_compiler, plant_fault
from programs import read_data

from lusory.game import Game
from lusory.native.c_compiler import NoNative
from lusory.native.whole_games_and_stepwise_play import MAX_CRASHES, BackgroundBuild, NativeGames
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.player_interface_scripted_and_random_players import UniformPlayer
from lusory.search.option_evaluation import SearchBackend
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.stats import parallel_simulation
from lusory.stats.game_results_and_record_files import FINISHED, GameResult
from lusory.stats.mergeable_counters import MAX_REASONS, Statistics, calculate_wilson_interval
from lusory.stats.parallel_simulation import MIN_BLOCK_COUNT, RANDOM_BLOCK_SIZE, Simulation
from lusory.support.cache import Cache
from lusory.support.process_pool import WorkerDied
from lusory_dsl import core
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.types.types import BOOL

DATA = read_data(__file__)

SEATS = ("random", "random")
N_GAMES = 3 * RANDOM_BLOCK_SIZE + 7
START_GAME_CALL = "    start_game(state, seed, row);\n"
"""A line of C. Some tests add a wrong memory access after it."""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide a few games into as many blocks as many games."""
    monkeypatch.setattr(parallel_simulation, "MIN_BLOCK_COUNT", 1)


def test_few_games_are_divided_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_simulation, "MIN_BLOCK_COUNT", MIN_BLOCK_COUNT)
    for kind in ("random", "greedy"):
        for games in (1, 12, 100, 1_000, 10_000):
            blocks = parallel_simulation.SimulationSettings((kind, kind)).divide(games)
            assert (blocks[0], blocks.stop) == (0, games)
            assert blocks.step <= max(1, games // 64) <= max(games, 64)


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> str:
    """Register a kind of player that is random, but that lusory must ask for every decision."""
    monkeypatch.setattr(
        parallel_simulation, "create_bot", lambda kind, seed, seat, backend: create_bot("random", seed, seat)
    )
    return "other"


def test_division_builds_no_list_of_games() -> None:
    settings = parallel_simulation.SimulationSettings(SEATS)
    assert len(settings.divide(10**9)) == 15_625_000
    assert list(settings.divide(4097)[63:]) == [4032, 4096]


def test_every_game_is_counted(game: Game) -> None:
    tally = Simulation(game, SEATS, 30, seed=4, checks_invariants=True).run()
    assert tally.game_count == tally.finished_count == sum(tally.reasons.values()) == 30
    assert sum(tally.wins) + tally.ties == 30
    assert tally.shared_wins == [tally.ties] * 2
    assert sum(tally.payoffs) == 30
    assert tally.lengths.frequencies == {4: 30}
    assert tally.is_sound


def test_seed_determines_the_result(game: Game) -> None:
    first, first_again, second = (Simulation(game, SEATS, 20, seed).run() for seed in (1, 1, 2))
    assert first == first_again
    assert first != second


@pytest.mark.parametrize("jobs", [2, 3])
def test_process_count_does_not_change_the_result(game: Game, jobs: int) -> None:
    alone, together = Simulation(game, SEATS, N_GAMES), Simulation(game, SEATS, N_GAMES, jobs=jobs)
    heard: list[int] = []
    assert alone.run() == together.run(heard.append)
    assert alone.to_json() == together.to_json()
    assert heard == [RANDOM_BLOCK_SIZE, 2 * RANDOM_BLOCK_SIZE, 3 * RANDOM_BLOCK_SIZE, N_GAMES]


def test_stepwise_games_are_the_same(game: Game) -> None:
    whole, stepwise = (Simulation(game, SEATS, 100, seed=3, checks_invariants=check).run() for check in (False, True))
    slow = Simulation(Game(game.program, 2, engine="evaluator"), SEATS, 100, seed=3).run()
    assert whole == stepwise == slow


def test_other_players_are_asked(game: Game, player: str) -> None:
    tally = Simulation(game, (player, "random"), 40).run()
    assert tally.finished_count == 40
    assert tally != Simulation(game, SEATS, 40).run()


def test_neighbouring_seeds_give_different_games(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def note_and_create(kind: str, seed: int, seat: int, backend: SearchBackend) -> UniformPlayer:
        seeds.append(seed)
        return UniformPlayer(seed + seat)

    monkeypatch.setattr(parallel_simulation, "create_bot", note_and_create)
    Simulation(game, ("noted", "random"), 10, seed=1).run()
    Simulation(game, ("noted", "random"), 10, seed=2).run()
    assert len(set(seeds)) == 20


def test_swapped_players_take_all_seats_for_each_seed(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    sat: list[tuple[int, str, int]] = []

    def note_and_create(kind: str, seed: int, seat: int, backend: SearchBackend) -> UniformPlayer:
        sat.append((seed, kind, seat))
        return UniformPlayer(seed + len(kind))

    monkeypatch.setattr(parallel_simulation, "create_bot", note_and_create)
    simulation = Simulation(game, ("a", "bb"), 9, swaps_seats=True)
    tally = simulation.run()
    assert simulation.games == tally.game_count == 10
    for first in range(0, 20, 4):
        (seed, *_), *_ = sat[first : first + 4]
        assert sat[first : first + 4] == [(seed, "a", 0), (seed, "bb", 1), (seed, "bb", 0), (seed, "a", 1)]
    lineup = tally.lineup
    assert lineup is not None
    assert (sum(lineup.wins), lineup.finished_count, lineup.ties) == (sum(tally.wins), 10, tally.ties)
    assert [row["kind"] for row in simulation.to_json()["lineup"]] == ["a", "bb"]


def test_equal_players_win_equally_from_each_seat(game: Game, player: str) -> None:
    """The players are of one kind under two names, and draw the same random numbers on a seat."""
    tally = Simulation(game, ("random", player), 40, swaps_seats=True).run()
    assert tally.lineup is not None
    assert tally.lineup.payoffs == pytest.approx([sum(tally.payoffs) / 2] * 2)
    assert tally.lineup.wins == [sum(tally.wins) // 2] * 2 != tally.wins


@pytest.mark.parametrize(("kinds", "sets"), [("aaa", 1), ("aab", 3), ("abab", 2), ("abc", 3)])
def test_equal_seatings_are_played_once(kinds: str, sets: int) -> None:
    settings = parallel_simulation.SimulationSettings(tuple(kinds), swaps_seats=True)
    assert len(settings.seatings) == sets
    assert {settings.choose_block_size(games) % sets for games in (1, 100, 1000, 10_000)} == {0}
    assert len(parallel_simulation.SimulationSettings(tuple(kinds)).seatings) == 1


def test_json_has_all_results(game: Game) -> None:
    simulation = Simulation(game, SEATS, 10, seed=1, checks_invariants=True)
    simulation.run()
    data = json.loads(json.dumps(simulation.to_json()))
    assert data["options"] == {"rounds": 2, "mood": "calm"}
    assert data["games"] == data["games_played"] == data["games_finished"] == 10
    assert data["length"] == {"mean": 4.0, "deviation": 0.0, "shortest": 4, "longest": 4}
    assert [seat["seat"] for seat in data["seats"]] == ["P1", "P2"]
    assert data["invariants_broken"] == {} == data["faults"]
    assert data["examples"] == []


def test_broken_invariant_is_reported_with_its_seed(game: Game) -> None:
    never = core.Invariant("never", core.Const(BOOL, NOWHERE, False), 0, "")
    game_with_law = Game(replace(game.program, invariants=(never,)), 2)
    tally = Simulation(game_with_law, SEATS, 3, seed=1, checks_invariants=True).run()
    assert tally.broken_invariants == {"never": 3}
    assert not tally.is_sound
    first = tally.first_failures["never"]
    assert (first.decision, first.details) == (0, "`never` is false")
    assert Simulation(game_with_law, SEATS, 3, seed=1).run().is_sound


def test_faults_and_endless_games_are_counted_separately(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    class Faulty(UniformPlayer):
        def pick(self, option_count: int) -> int:
            raise RulesetFault("division by zero")

    monkeypatch.setattr(parallel_simulation, "create_bot", lambda kind, seed, seat, backend: Faulty(seed))
    tally = Simulation(game, ("faulty", "random"), 2).run()
    assert (tally.game_count, tally.finished_count, tally.faults) == (2, 0, {"division by zero": 2})
    monkeypatch.setattr(parallel_simulation, "DECISION_LIMIT", 1)
    tally = Simulation(game, SEATS, 2).run()
    assert (tally.game_count, tally.finished_count, tally.endless) == (2, 0, 2)


FAULTY = DATA["faulty"]


@pytest.mark.parametrize("engine", ["compiled", "evaluator"])
def test_ruleset_fault_is_reported_with_its_place(tmp_path: Path, engine: str) -> None:
    """Most games divide by zero at one of five decisions."""
    (tmp_path / "faulty.yaml").write_text(FAULTY, encoding="utf-8")
    tally = Simulation(Game(load_program(tmp_path / "faulty.yaml"), 2, engine=engine), SEATS, 50).run()
    (fault,) = tally.faults
    assert "faulty.yaml:11:" in fault
    assert tally.finished_count + tally.faults[fault] == 50
    assert 0 < tally.finished_count < 50
    assert tally.first_failures[fault].decision in range(5)


@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_simulation_has_counted_finished_blocks(game: Game, jobs: int) -> None:
    def stop(n_done: int) -> None:
        if n_done >= RANDOM_BLOCK_SIZE + 3:
            raise KeyboardInterrupt

    simulation = Simulation(game, SEATS, N_GAMES, jobs=jobs)
    with pytest.raises(KeyboardInterrupt):
        simulation.run(stop)
    assert simulation.statistics.game_count == simulation.statistics.finished_count == 2 * RANDOM_BLOCK_SIZE


def test_killed_process_is_reported(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    def exit_process(*_: object) -> None:
        os._exit(9)

    monkeypatch.setattr(parallel_simulation.Worker, "play_block", exit_process)
    with pytest.raises(WorkerDied, match="has gone"):
        Simulation(game, SEATS, N_GAMES, jobs=2).run()


def create_tally(reason: str) -> GameResult:
    return GameResult(0, 0, (0, 1), FINISHED, 1, ((1,), (0,)), None, reason)


def test_number_of_reasons_is_limited() -> None:
    tally, second_tally = Statistics(2), Statistics(2)
    for number in range(MAX_REASONS * 2):
        tally.add_game(create_tally(f"with {number} points"), ())
        second_tally.add_game(create_tally(f"with -{number} points"), ())
    assert len(tally.reasons) == MAX_REASONS + 1
    tally.add(second_tally)
    assert len(tally.reasons) == MAX_REASONS + 1
    assert sum(tally.reasons.values()) == MAX_REASONS * 4


def test_tallies_add_up() -> None:
    rng = random.Random(1)
    parts, whole = (Statistics(3), Statistics(3)), Statistics(3)
    for number in range(60):
        ranks = [(rng.randrange(3),) for _ in range(3)]
        for tally in (parts[number // 30], whole):
            payoffs, table = None if number % 2 else (1, 0, 2), [[1, 2, number]]
            result = GameResult(number, number, (0, 1, 2), FINISHED, number % 7, ranks, payoffs, "all", table)
            tally.add_game(result, ("Points",))
    parts[0].add(parts[1])
    assert parts[0].payoffs == pytest.approx(whole.payoffs)
    parts[0].payoffs = whole.payoffs
    assert parts[0] == whole
    assert whole.lengths.sums.deviation == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (5, 10), (10, 10), (500, 1000)])
def test_interval_holds_the_rate(hits: int, trials: int) -> None:
    low, high = calculate_wilson_interval(hits, trials)
    assert 0 <= low <= hits / trials <= high <= 1
    assert calculate_wilson_interval(0, 0) == (0.0, 1.0)


# ---------------------------------------------------------------- native code


def simulate(game: Game, uses_native: bool | None, jobs: int = 1, store: Cache | None = None) -> Simulation:
    simulation = Simulation(game, SEATS, N_GAMES, 5, jobs=jobs, store=store, native=uses_native)
    simulation.run()
    return simulation


def list_counts(simulation: Simulation) -> dict[str, Any]:
    """Return the counts that don't tell which engine played the games."""
    return {key: value for key, value in simulation.to_json().items() if key != "native"}


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("jobs", [1, 2])
def test_crash_of_native_code_affects_some_games(
    game: Game, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code crashes in every fiftieth game or so. Python plays these games, and native code the others."""
    plant_fault(monkeypatch, START_GAME_CALL, f"{START_GAME_CALL}    if (seed % 50 == 0) *(volatile int *)8 = 1;\n")
    simulation = simulate(game, True, jobs, Cache(tmp_path))
    assert list_counts(simulation) == list_counts(simulate(game, False))
    assert set(simulation.use.crashes) == {"Segmentation fault"}
    assert simulation.use.played + simulation.use.replayed == N_GAMES
    assert simulation.use.played and simulation.use.replayed
    assert simulation.to_json()["native"]["crashes"] == {"Segmentation fault": simulation.use.crashes.total()}
    assert "native code crashed" in " ".join(simulation.use.iterate_remarks())


@needs_compiler
def test_native_code_that_always_crashes_is_dropped(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_fault(monkeypatch, START_GAME_CALL, f"{START_GAME_CALL}    *(volatile int *)8 = 1;\n")
    simulation = simulate(game, True)
    assert list_counts(simulation) == list_counts(simulate(game, False))
    assert (simulation.use.played, simulation.use.crashes.total()) == (0, MAX_CRASHES)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("jobs", [1, 2])
def test_native_code_counts_the_same(game: Game, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code is built before the games, during them, or by an earlier run."""
    counts: list[int] = []
    games = NativeGames.play_games
    monkeypatch.setattr(
        NativeGames, "play_games", lambda self, seeds: (counts.append(len(seeds)), games(self, seeds))[1]
    )
    monkeypatch.setattr(parallel_simulation, "NATIVE_BUILD_SECONDS", 0.0)
    alone = simulate(game, False)
    assert not counts
    store = Cache(tmp_path)
    monkeypatch.setattr(BackgroundBuild, "take", lambda self: (self._thread.join(), self._native)[1])
    for native in (None, True, None):
        simulation = simulate(game, native, jobs, store)
        assert (list_counts(simulation), simulation.use.refused, simulation.use.replayed) == (list_counts(alone), "", 0)
        assert simulation.use.played == N_GAMES or native is None
    assert jobs > 1 or sum(counts) == 3 * N_GAMES - 2 * RANDOM_BLOCK_SIZE


@needs_compiler
def test_python_replays_games_that_fail_in_native_code(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    play = NativeGames.play_games

    def fail_often(self: NativeGames, seeds: Any) -> Any:
        return (result if seed % 3 else None for seed, result in zip(seeds, play(self, seeds), strict=True))

    monkeypatch.setattr(NativeGames, "play_games", fail_often)
    simulation = simulate(game, True)
    assert 0 < simulation.use.replayed < N_GAMES
    n_replayed = simulation.use.replayed
    usage = {"played": N_GAMES - n_replayed, "replayed": n_replayed, "crashes": {}, "refused": None}
    assert simulation.to_json()["native"] == usage
    assert list_counts(simulation) == list_counts(simulate(game, False))


def test_missing_native_code_is_explained(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lusory.native.c_compiler.find_compiler", remove_compiler)
    simulation = simulate(game, True)
    assert simulation.use.refused == "no C compiler"
    assert list_counts(simulation) == list_counts(simulate(game, False))


@needs_compiler
def test_processes_without_a_cache_use_python_and_explain_it(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*args: object) -> bytes:
        raise AssertionError("nobody would find it")

    monkeypatch.setattr("lusory.native.c_compiler.compile_library", build)
    simulation = simulate(game, True, jobs=2)
    assert simulation.use.refused == "the cache is switched off, in which processes find native code"
    assert list_counts(simulation) == list_counts(simulate(game, False))


def remove_compiler() -> None:
    raise NoNative("no C compiler")


@needs_compiler
def test_running_compiler_is_killed_after_the_games(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[int] = []
    monkeypatch.setattr(parallel_simulation, "NATIVE_BUILD_SECONDS", 0.0)

    def compile_slowly(text: str, flags: object, began: Callable[[object], None], parts: int) -> bytes:
        child = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
        began(child)
        ends.append(child.wait())
        raise NoNative("it was ended")

    monkeypatch.setattr("lusory.native.c_compiler.compile_library", compile_slowly)
    assert simulate(game, None).statistics.game_count == N_GAMES
    assert ends == [-9]
