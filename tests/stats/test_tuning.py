"""Test the effect of changed numbers: points, goals, samples, and stored results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from programs import read_data, read_rules

from lusory.cli import main
from lusory.stats.checkpoints import CheckpointWriter
from lusory.stats.comparisons_and_thresholds import Goal, InvalidGoal, parse_goal
from lusory.stats.figures_estimates_and_significance_tests import Figure
from lusory.stats.game_results_and_record_files import GameSummary, Series, group_by_seed
from lusory.stats.parallel_simulation import Simulation
from lusory.stats.ruleset_tuning import Axis, Point, RulesRefused, Tuning, Values

DATA = read_data(__file__)

LENGTH = Figure("length")


class FakeGames:
    """Games whose length is the sum of the values, plus a little noise from the seed."""

    def __init__(self, stop: int = -1) -> None:
        self.calls: list[Values] = []
        self.stop = stop

    def __call__(self, values: Values, uses_new_seeds: bool) -> Series:
        if len(self.calls) == self.stop:
            raise KeyboardInterrupt
        self.calls.append(values)
        if values[0] == 13:
            raise RulesRefused("an unlucky number")
        seeds = range(100, 120) if uses_new_seeds else range(20)
        length = sum(int(value) for value in values)
        return group_by_seed(
            GameSummary(seed, (0,), (0,), length + Random(seed).randrange(3), None, None, None, 0) for seed in seeds
        )


def create_tuning(
    play: FakeGames, sizes: Sequence[int] = (5,), goals: Sequence[Goal] = (), keeping: CheckpointWriter | None = None
) -> Tuning:
    axes = tuple(Axis(f"n{index}", tuple(range(1, size + 1)), 2) for index, size in enumerate(sizes))
    return Tuning(axes, tuple(goals), (LENGTH,), play, 20, trials=25, checkpoints=keeping)


def run(work: Tuning) -> list[Point]:
    work.run(lambda done: None)
    return work.points


def test_each_value_is_compared_with_the_current_rules() -> None:
    """The games are paired, so the same noise on both sides cancels out exactly."""
    points = run(create_tuning(FakeGames()))
    assert [point.values for point in points] == [(1,), (2,), (3,), (4,), (5,)]
    figures = [point.figures[0] for point in points]
    assert [figure is not None and (figure.change, figure.change_low, figure.change_high) for figure in figures] == [
        (n, n, n) for n in (-1.0, 0.0, 1.0, 2.0, 3.0)
    ]
    assert [figure is not None and figure.has_moved for figure in figures] == [True, False, True, True, True]
    assert all(figure is not None and figure.low < figure.value < figure.high for figure in figures)


def test_two_numbers_are_combined() -> None:
    points = run(create_tuning(FakeGames(), (2, 3)))
    assert [point.values for point in points] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]


def test_best_point_is_replayed_with_other_seeds() -> None:
    play = FakeGames()
    work = create_tuning(play, (9,), [Goal(LENGTH, "<=", 8.5), Goal(LENGTH, ">=", 7.5)])
    run(work)
    assert work.best_point is not None and work.best_point.values == (7,)
    assert work.rechecked_point is not None and work.rechecked_point.values == (7,) and play.calls[-2:] == [(7,), (2,)]


def test_current_rules_win_ties() -> None:
    work = create_tuning(FakeGames(), (9,), [Goal(LENGTH, ">=", 0)])
    run(work)
    assert work.best_point is not None and work.best_point.values == (2,) != work.points[0].values


def test_refused_values_are_reported() -> None:
    work = create_tuning(FakeGames(), (14,), [Goal(LENGTH, ">=", 14)])
    points = {point.values: point for point in run(work)}
    assert points[(13,)] == Point((13,), problem="an unlucky number")
    assert work.best_point is not None and work.best_point.values == (14,)


@pytest.mark.parametrize("stop", [0, 3])
def test_played_points_are_stored_and_reused(stop: int, tmp_path: Path) -> None:
    file = tmp_path / "kept.part"
    whole = run(create_tuning(FakeGames()))
    with pytest.raises(KeyboardInterrupt):
        run(create_tuning(FakeGames(stop), keeping=CheckpointWriter(file, "x")))
    play, keeping = FakeGames(), CheckpointWriter(file, "x")
    work = create_tuning(play, keeping=keeping)
    assert work.load_points() == stop
    assert run(work) == whole
    assert len(play.calls) == 5 - stop + (stop > 0)  # the current rules are played again for the pairs
    keeping.delete()
    assert not file.exists()


def test_sampling_moves_towards_better_points(tmp_path: Path) -> None:
    pytest.importorskip("optuna", reason="the extra `tune` is not installed")
    goal = [Goal(LENGTH, "=", 30.0)]
    work = create_tuning(FakeGames(), (20, 20, 20), goal)
    points = run(work)
    assert len(points) <= 25 and work.best_point is not None
    assert work.best_point.distance is not None and work.best_point.distance < 0.1
    file = tmp_path / "kept.part"
    with pytest.raises(KeyboardInterrupt):
        run(create_tuning(FakeGames(12), (20, 20, 20), goal, CheckpointWriter(file, "x")))
    again = create_tuning(FakeGames(), (20, 20, 20), goal, CheckpointWriter(file, "x"))
    assert again.load_points() == 12
    assert run(again) == points


@pytest.mark.parametrize(("text", "figure", "operator", "value"), DATA["goals are parsed"])
def test_goals_are_parsed(text: str, figure: list[str], operator: str, value: float) -> None:
    assert parse_goal(text, 2) == Goal(Figure(*figure), operator, value)


@pytest.mark.parametrize(("text", "message"), DATA["bad goals are refused"])
def test_bad_goals_are_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidGoal, match=message):
        parse_goal(text, 2)


def test_distance_from_a_goal() -> None:
    share, length = Goal(Figure("draws"), "<=", 0.1), Goal(LENGTH, "=", 40.0)
    assert [round(share.measure_distance(value), 3) for value in (0.05, 0.1, 0.25)] == [0, 0, 0.15]
    assert [length.measure_distance(value) for value in (36.0, 40.0, 50.0)] == [0.1, 0, 0.25]
    assert length._replace(operator=">=").measure_distance(50.0) == 0


# ---------------------------------------------------------------- the command

RACE = read_rules("race")


def tune(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, object]:
    file = folder / "race.yaml"
    file.write_text(RACE, encoding="utf-8")
    assert main(["tune", str(file), "--games", "60", "--format", "json", *arguments]) == code
    assert file.read_text(encoding="utf-8") == RACE
    result: dict[str, object] = json.loads(capsys.readouterr().out)
    return result


@pytest.mark.slow
def test_tune_varies_numbers_of_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One option and one entry of a table: faster steps shorten games, a longer track lengthens them, with any number
    of processes."""
    vary = ["--vary", "tables.pace.values.quick=1..3", "--vary", "home=5,6", "--goal", "length=7"]
    result = tune(tmp_path, capsys, *vary)
    assert result == tune(tmp_path, capsys, *vary, "--jobs", "2")
    points = {
        (point["values"]["tables.pace.values.quick"], point["values"]["home"]): point["figures"]["length"]
        for point in result["points"]  # type: ignore[attr-defined]
    }
    assert len(points) == 6
    assert points[1, 6]["value"] == 11.0 and points[1, 5]["value"] == 9.0  # nobody can leap
    assert points[3, 6]["value"] < points[2, 6]["value"] < points[1, 6]["value"]
    assert points[2, 6]["change"] == 0 and points[1, 6]["moved"]
    assert result["best_from_other_seeds"] is not None


def test_value_refused_by_a_rule_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tune(tmp_path, capsys, "--vary", "phases.lap.at_most=0,200")
    problems = [point.get("problem") for point in result["points"]]  # type: ignore[attr-defined]
    assert problems[0] and problems[1] is None
    tune(tmp_path, capsys, "--vary", "phases.lap.at_most=0,-1", code=1)


def test_yes_and_true_are_one_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tune(tmp_path, capsys, "--games", "4", "--vary", "late=no,yes,true")
    assert [point["values"] for point in result["points"]] == [{"late": "false"}, {"late": "true"}]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *DATA["values that cannot be tried are reported"],
        (["--vary", f"home={','.join(map(str, range(201)))}"], "at most 200 values are allowed"),
    ],
)
def test_values_that_cannot_be_tried_are_reported(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "race.yaml"
    file.write_text(RACE, encoding="utf-8")
    assert main(["tune", str(file), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_tables_show_the_effect_of_each_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "race.yaml"
    file.write_text(RACE, encoding="utf-8")
    assert main(["tune", str(file), "--games", "40", "--vary", "home=5..6", "--goal", "length<=5"]) == 0
    output = capsys.readouterr().out
    assert "decisions in a game" in output and "as it is" in output and "Nearest: home=5" in output


def test_ctrl_c_shows_played_points_and_tuning_continues(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    vary = ["--vary", "home=5..9", "--goal", "length=9", "--resume"]
    whole = tune(tmp_path, capsys, *vary)
    simulations, run_all = [], Simulation.run

    def run_some(work: Simulation, *more: object) -> object:
        simulations.append(work)
        if len(simulations) == 4:
            raise KeyboardInterrupt
        return run_all(work)

    monkeypatch.setattr(Simulation, "run", run_some)
    partial = tune(tmp_path, capsys, *vary, code=130)
    points: list[object] = whole["points"]  # type: ignore[assignment]
    assert partial["points"] == points[:3]
    other_rules = tmp_path / "changed.yaml"
    other_rules.write_text(RACE.replace("slow: 1", "slow: 2"), encoding="utf-8")
    for file, *more in ((other_rules,), (tmp_path / "race.yaml", "--goal", "length=7")):
        with monkeypatch.context() as patch:
            patch.setattr(Simulation, "run", run_all)
            assert main(["tune", str(file), "--games", "60", *vary, *more]) == 0
        assert "no saved progress found" in capsys.readouterr().err
    assert tune(tmp_path, capsys, *vary) == whole
    assert len(simulations) == 4 + 1 + 2 + 2  # the current rules, the missing points, and both from other seeds
