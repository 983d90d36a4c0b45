"""Test that a comparison reports a change of balance, ignores chance, and refuses results that can't be compared."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from programs import read_data

from lusory.cli import main
from lusory.game import Game
from lusory.stats.comparisons_and_thresholds import NotComparable, compare_summaries, read_result
from lusory.stats.parallel_simulation import Simulation
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

BIDS = str(Path(__file__).parents[1] / "fixtures" / "bids.yaml")


def create_result(wins: tuple[int, int] = (480, 500), games: int = 1000, length: float = 10.0) -> dict[str, Any]:
    """Return the result of a simulation of two players."""
    return {
        "version": 1,
        "game": {"id": "any", "digest": "d"},
        "players": 2,
        "options": {"long": False},
        "games_finished": games,
        "ties": games - sum(wins),
        "length": {"mean": length, "deviation": 3.0},
        "seats": [{"seat": f"P{n + 1}", "kind": "random", "wins": count} for n, count in enumerate(wins)],
    }


def test_changed_figures_are_named() -> None:
    comparison = compare_summaries(create_result(), create_result((600, 380)))
    assert comparison.has_moved
    assert [change.label for change in comparison.changes if change.has_moved] == ["wins of P1", "wins of P2"]
    first = comparison.changes[0]
    assert (first.earlier, first.current) == (0.48, 0.6)
    assert 0 < first.low < 0.12 < first.high < 0.2


def test_small_changes_need_many_games() -> None:
    assert not compare_summaries(create_result((480, 500)), create_result((500, 480))).has_moved
    assert compare_summaries(create_result((48000, 50000), 100_000), create_result((50000, 48000), 100_000)).has_moved


def test_longer_games_are_detected() -> None:
    changes = compare_summaries(create_result(), create_result(length=10.8)).changes
    (length,) = [change for change in changes if change.has_moved]
    assert (length.label, length.earlier, length.current) == ("decisions in a game", 10.0, 10.8)


def test_equal_games_are_compared() -> None:
    result = {**create_result((1000, 0)), "length": {"mean": 4.0, "deviation": 0.0}}
    assert not compare_summaries(result, result).has_moved
    assert compare_summaries(result, {**result, "length": {"mean": 5.0, "deviation": 0.0}}).has_moved


def test_equal_simulations_rarely_raise_false_alarms() -> None:
    """Each has a chance of one percent."""
    game = Game(load_program(BIDS), 2)
    results = []
    for seed in range(21):
        simulation = Simulation(game, ("random", "random"), 300, seed)
        simulation.run()
        results.append(simulation.to_json())
    assert sum(compare_summaries(results[0], result).has_moved for result in results[1:]) <= 1


@pytest.mark.parametrize(("changes", "reason"), DATA["incomparable results are refused"])
def test_incomparable_results_are_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotComparable, match=reason):
        compare_summaries({**create_result(), **changes}, create_result())


def test_other_differences_are_reported() -> None:
    changed_result = {**create_result(), "options": {"long": True, "new": 1}, "game": {"id": "any", "digest": "e"}}
    assert compare_summaries(create_result(), changed_result).remarks == (
        "Option long was false and is true.",
        'Option new was "missing" and is 1.',
    )
    assert compare_summaries(create_result(), create_result()).remarks == ("The rules are identical.",)


def test_results_saved_on_windows_are_read(tmp_path: Path) -> None:
    file = tmp_path / "base.json"
    file.write_text("\ufeff" + json.dumps(create_result(), indent=1), encoding="utf-8", newline="\r\n")
    assert read_result(file) == create_result()


def test_files_that_are_no_results_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "base.json"
    with pytest.raises(NotComparable, match="cannot be read"):
        read_result(file)
    for text, reason in (("{", "not the result of a simulation"), ("[]", "not the result"), ("{}", "not the result")):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(NotComparable, match=reason):
            read_result(file)


@pytest.mark.parametrize(
    "text, message",
    [
        *DATA["damaged results are refused"],
        ("[" * 100_000, "1:33: this is not the result of a simulation: brackets are nested more than 32 deep"),
    ],
)
def test_damaged_results_are_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "before.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(NotComparable) as problem:
        read_result(file)
    assert message in str(problem.value)


@pytest.mark.parametrize("key, value", DATA["odd figures are compared or refused"])
def test_odd_figures_are_compared_or_refused(key: str, value: object) -> None:
    with suppress(NotComparable):
        compare_summaries({**create_result(), key: value}, create_result())


def test_simulate_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    simulate = ["simulate", BIDS, "--games", "200", "--format", "json"]
    assert main(simulate) == 0
    base = json.loads(capsys.readouterr().out)
    file = tmp_path / "base.json"
    file.write_text(json.dumps(base), encoding="utf-8")
    assert main([*simulate[:-2], "--seed", "1", "--compare", str(file)]) == 0
    assert "Nothing has moved beyond chance." in capsys.readouterr().out
    base["seats"][0]["wins"] += 60
    base["ties"] = 0
    file.write_text(json.dumps(base), encoding="utf-8")
    assert main([*simulate, "--compare", str(file)]) == 1
    assert json.loads(capsys.readouterr().out)["comparison"]["moved"]
    assert main([*simulate[:-2], "--compare", str(file)]) == 1
    assert "The balance has moved." in capsys.readouterr().out
    assert main([*simulate, "--players", "3", "--compare", str(file)]) == 2
    assert "have 2 players, these have 3" in capsys.readouterr().err
    file.write_text("{}x", encoding="utf-8")
    assert main([*simulate, "--compare", str(file)]) == 2
    assert "not the result of a simulation" in capsys.readouterr().err
