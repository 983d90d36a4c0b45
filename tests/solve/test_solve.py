"""Test games with known values: Kuhn poker, −1/18; Leduc hold'em, −0.0856; tic-tac-toe, a draw."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from programs import build_program, read_data

from lusory.belief.hidden_information_and_event_subjects import has_perfect_information
from lusory.cli import main
from lusory.game import Game
from lusory.solve.cfr import Sampling
from lusory.solve.exact_values_and_equilibria import Solver
from lusory.solve.game_tree_exploitability_and_game_sources_for_cfr import (
    EngineSource,
    NotSolved,
    SampledChance,
    Strategy,
    Tree,
    ZeroSum,
)
from lusory_dsl import load_program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

DATA = read_data(__file__)

HEAD = DATA["head"]


def load_bundled_game(name: str) -> Game:
    return Game(load_program(find_bundled_rulesets()[name]))


def create_small_game(block: str, players: int = 2, visible: str = "all", rank: str = "gold") -> Game:
    head = HEAD.replace("PLAYERS", str(players)).replace("SEEN", visible)
    lines = "".join(f"      {line}\n" for line in block.strip().splitlines())
    return Game(build_program(f"{head}{lines}scoring: {{rank: [{rank}], payoff: {rank}}}\n"), players)


def test_kuhn_poker_is_worth_minus_an_eighteenth() -> None:
    work = Solver(load_bundled_game("kuhn-poker"), target=0.0005)
    work.run()
    value = work.compute_value()
    assert value is not None
    assert value == pytest.approx((-1 / 18, 1 / 18), abs=0.001)
    assert work.exploitability is not None
    assert work.exploitability <= 0.0005
    likely = {
        (seat, words.split("; P1:")[0]): options for _, seat, words, options in work.list_rows() if "bet" not in words
    }
    bluff, strong = (likely[0, f"{card}: Deck → P1's hand; 1 hidden: Deck → P2's hand"] for card in ("Jack", "King"))
    assert strong["bet"] == pytest.approx(3 * bluff["bet"], abs=0.05)


def test_leduc_poker_comes_within_two_hundredths() -> None:
    work = Solver(load_bundled_game("leduc-poker"), target=0.02)
    work.run()
    value = work.compute_value()
    assert value is not None
    assert value[0] == pytest.approx(-0.0856, abs=0.01)
    assert len(work.sets) == 936
    assert work.exploitability is not None
    assert work.exploitability <= 0.02


def test_sampling_from_the_tree_comes_within_two_thousandths() -> None:
    work = Solver(load_bundled_game("kuhn-poker"), "mccfr", target=0.0, passes=60_000, seed=3)
    work.run()
    assert work.exploitability is not None
    assert work.exploitability <= 0.002
    assert work.compute_value() == pytest.approx((-1 / 18, 1 / 18), abs=0.0005)


def test_sampled_strategy_is_unchanged() -> None:
    """The digits are those of an earlier implementation, for sampling from the tree and from the engine."""
    solver = Solver(load_bundled_game("kuhn-poker"), "mccfr", target=0.0, passes=500, seed=3)
    solver.run()
    assert solver.compute_strategy()[:2] == [
        pytest.approx([0.885848721928744, 0.11415127807125615], abs=1e-12),
        pytest.approx([0.9699560363757928, 0.03004396362420724], abs=1e-12),
    ]
    assert solver.exploitability == pytest.approx(0.03257149091578636, abs=1e-12)
    rnd = Random(1)
    sampling = Sampling(EngineSource(load_bundled_game("leduc-poker"), 1000, SampledChance(rnd), None), rnd)
    for _ in range(20):
        sampling.improve()
    assert sampling.compute_value() == pytest.approx(0.05113116716785348, abs=1e-12)
    assert sum(max(table.regrets) for table in sampling.source.tables) == pytest.approx(4767.3367224150115, abs=1e-9)


def test_sampling_from_the_engine_comes_near_the_value() -> None:
    """The result is measured in the whole tree."""
    game, rnd = load_bundled_game("kuhn-poker"), Random(1)
    sampling = Sampling(EngineSource(game, 100, SampledChance(rnd), None), rnd)
    whole = ZeroSum(Tree(game))
    for _ in range(1000):
        sampling.improve()
    keys = [(info_set.seat, info_set.observations) for info_set in sampling.sets]
    strategy = dict(zip(keys, sampling.compute_strategy(), strict=True))
    rows = [strategy[info_set.seat, info_set.observations] for info_set in whole.tree.sets]
    assert whole.compute_exploitability(rows) < 0.03
    assert sampling.compute_value() == pytest.approx(-1 / 18, abs=0.06)


def test_exploitability_is_half_the_gain_of_both_best_responses() -> None:
    """A uniform strategy in Kuhn poker loses half a chip and 5/12 to the best responses."""
    whole = ZeroSum(Tree(load_bundled_game("kuhn-poker")))
    even: Strategy = [[0.5, 0.5] for _ in whole.tree.sets]
    assert whole.compute_value(even) == pytest.approx(1 / 8)
    assert whole.compute_exploitability(even) == pytest.approx((1 / 2 + 5 / 12) / 2)


def test_progress_of_sampling_shows_exploitability() -> None:
    gaps: list[float | None] = []
    solver = Solver(load_bundled_game("kuhn-poker"), "mccfr", target=0.02, passes=50_000)
    solver.run(lambda made, gap: gaps.append(gap))
    assert solver.iterations < 50_000
    assert solver.exploitability is not None
    assert gaps[0] is None
    assert gaps[10] is not None
    assert gaps[10] > 5 * solver.exploitability
    assert solver.exploitability <= 0.02


def test_missing_exploitability_is_explained_without_a_tree(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["solve", "leduc-poker", "--method", "mccfr", "--passes", "5", "--positions", "2000"]
    assert main(command) == 0
    output = " ".join(capsys.readouterr().out.split())  # the line breaks in a terminal of 80 columns
    assert "exploitability: not known (its game tree is too large: more than 2,000 positions), after 5 passes" in output
    assert main([*command, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["exploitability"] is None
    assert result["exploitability_unknown"] == "its game tree is too large: more than 2,000 positions"


def test_tic_tac_toe_is_a_draw() -> None:
    work = Solver(load_bundled_game("tic-tac-toe"))
    work.run()
    assert work.compute_value() == (0.0, 0.0)
    assert len(work.first_options) == 9
    assert work.positions > 3000


def test_value_of_a_dice_game_is_the_best_average() -> None:
    game = create_small_game(DATA["value of a dice game is the best average"], players=1)
    solver = Solver(game)
    solver.run()
    values = {option.option: option.values for option in solver.first_options}
    assert values == {"1": pytest.approx((3.5,)), "2": pytest.approx((4.0,))}


def test_matching_pennies_are_even() -> None:
    game = create_small_game(DATA["matching pennies are even"], visible="owner")
    work = Solver(game)
    work.run()
    value = work.compute_value()
    assert value is not None
    assert value == pytest.approx((0, 0), abs=0.001)
    assert all(share == pytest.approx(0.5, abs=0.01) for *_, options in work.list_rows() for share in options.values())


def test_secret_draw_is_hidden_information() -> None:
    """All places are visible, but only the first player knows the coin that the other guesses."""
    game = create_small_game(DATA["secret draw is hidden information"])
    assert not has_perfect_information(game)
    work = Solver(game, target=0.001)
    work.run()
    assert work.method == "cfr"
    assert work.compute_value() == pytest.approx((0, 0), abs=0.001)


@pytest.mark.parametrize(("name", "method", "why"), DATA["unsolvable games are refused with a reason"])
def test_unsolvable_games_are_refused_with_a_reason(name: str, method: str | None, why: str) -> None:
    work = Solver(load_bundled_game(name), method, passes=200_000, max_positions=2000)
    with pytest.raises(NotSolved, match=why):
        work.run()


def test_omitted_first_moves_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules = HEAD.replace("PLAYERS", "1").replace("SEEN", "all")
    rules += "      by players.first:\n        choose n in 1..45: set gold to n\n"
    rules += "scoring: {rank: [gold], payoff: gold}\n"
    (tmp_path / "many.yaml").write_text(rules, encoding="utf-8")
    assert main(["solve", str(tmp_path / "many.yaml")]) == 0
    *_, last, note = filter(str.strip, capsys.readouterr().out.splitlines())
    assert last.split() == ["6", "+6.000"]
    assert note == "and 5 more: --format json lists them"


def test_command_prints_values_and_strategies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "kuhn-poker", "--passes", "50", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["method"] == "cfr"
    assert result["information_sets"] == len(result["strategy"]) == 12
    assert all(sum(row["options"].values()) == pytest.approx(1) for row in result["strategy"])
    assert main(["solve", "kuhn-poker", "--passes", "200"]) == 0
    assert "value: P1 -0.05" in capsys.readouterr().out
    assert main(["solve", "kuhn-poker", "--method", "mccfr", "--passes", "2000", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["method"], result["positions"], result["exploitability_unknown"]) == ("mccfr", 54, None)
    assert 0 < result["exploitability"] < 0.05
    assert main(["solve", "hearts"]) == 2
    assert "can't be solved: it has 4 players, not 2" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "method"), [("othello", None), ("leduc-poker", "mccfr")])
def test_time_limit_ends_solving_a_large_game(name: str, method: str | None) -> None:
    work = Solver(load_bundled_game(name), method, seconds=0.0, passes=1)
    with pytest.raises(NotSolved, match="the time limit is too short"):
        work.run()
