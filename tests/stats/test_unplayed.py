"""Test reports of cards that never enter play, and of actions that nobody takes."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest
from programs import build_program, read_data, read_rules

from lusory.cli import main
from lusory.game import ENGINES, Game
from lusory.stats.mergeable_counters import UnusedFinder
from lusory.stats.parallel_simulation import RANDOM_BLOCK_SIZE, Simulation
from lusory_dsl.core import Program
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

SEATS = ("random", "random")

# The knight goes through a hand to the table, by its second copy, and the page stays in the hand; the fool goes to the
# pile, the king to the table and then to the pile; the queen stays in the stock.
COURT = read_rules("court")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("court") / "court.yaml"
    file.write_text(COURT, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def court(file: Path) -> Program:
    return load_program(file)


def count(program: Program, zones: tuple[str, ...] = (), engine: str = "compiled", jobs: int = 1) -> dict[str, object]:
    """Return the unplayed cards after enough games for everything to happen."""
    games = Simulation(
        Game(program, 2, engine=engine), SEATS, RANDOM_BLOCK_SIZE + 6, jobs=jobs, finder=UnusedFinder(program, zones)
    )
    games.run()
    report = games.to_json()["played"]
    assert isinstance(report, dict)
    return report


@pytest.mark.parametrize(
    ("zones", "card_names"),
    DATA["cards without a played copy are listed"],
    ids=lambda value: "+".join(value) if isinstance(value, tuple) else "",
)
@pytest.mark.parametrize("engine", ENGINES)
def test_cards_without_a_played_copy_are_listed(
    court: Program, engine: str, zones: tuple[str, ...], card_names: dict[str, list[str]]
) -> None:
    report = count(court, zones, engine)
    assert report["unplayed"] == card_names
    assert report["zones"] == list(zones)


def test_visible_cards_are_played_once_they_move() -> None:
    """Lots are bought from an open row. The harp stays, and the vase only goes on top."""
    lots = build_program(dedent(DATA["visible cards are played once they move"]))
    assert count(lots)["unplayed"] == {"Lot": ["vase", "harp"]}


def test_cards_are_counted_by_games(court: Program) -> None:
    games = RANDOM_BLOCK_SIZE + 6
    assert count(court)["cards"] == {"Noble": {"knight": games, "fool": games, "page": 0, "king": games, "queen": 0}}


@pytest.mark.parametrize("jobs", [1, 2])
def test_unused_options_are_listed(court: Program, jobs: int) -> None:
    options = count(court, jobs=jobs)["untaken"]
    assert isinstance(options, list)
    names = [(option["choice"], option["card"]) for option in options]
    assert names == [("bow", "queen"), ("flee", None), ("never", None)]
    assert all("court.yaml:" in option["at"] for option in options)


def test_observed_games_are_the_same(court: Program) -> None:
    game = Game(court, 2)
    finder = UnusedFinder(court)
    plain, observed_run = Simulation(game, SEATS, 20, seed=3), Simulation(game, SEATS, 20, seed=3, finder=finder)
    plain.run()
    observed_run.run()
    assert {**observed_run.to_json(), "played": None} == {**plain.to_json(), "played": None}
    assert "played" not in plain.to_json()


def test_report_is_printed(file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["simulate", str(file), "--unplayed", "table, pile"]) == 0
    output = capsys.readouterr().out
    assert "never played, of 5 Noble: page, queen" in output
    assert "never chosen, of 7 actions and answers:" in output
    assert "  bow (queen)  " in output


def test_unknown_zone_is_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(file), "--unplayed", "tabel"]) == 2
    errors = capsys.readouterr().err
    assert "there is no zone of cards `tabel`" in errors
    assert "did you mean `table`?" in errors


def test_game_without_cards_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    bids = Path(__file__).parents[1] / "fixtures" / "bids.yaml"
    assert main(["simulate", str(bids), "--games", "3", "--unplayed", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["played"]["unplayed"] == {}
