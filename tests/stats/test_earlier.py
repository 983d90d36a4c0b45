"""Test that records for comparison are read as games, and that wrong rows are refused with their line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from programs import read_data

from lusory.cli import main
from lusory.stats.game_results_and_record_files import RecordError, read_record

DATA = read_data(__file__)

BIDS = str(Path(__file__).parents[1] / "fixtures" / "bids.yaml")

ROW: dict[str, Any] = DATA["row"]


def write_rows(folder: Path, *rows: Any) -> Path:
    file = folder / "games.jsonl"
    file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


def test_rows_become_games(tmp_path: Path) -> None:
    record = read_record(write_rows(tmp_path, ROW, {**ROW, "ending": "fault", "places": None}))
    assert record.result == {
        "game": {"id": "race", "digest": "d"},
        "players": 2,
        "options": {"long": True},
        "seats": [{"kind": "random"}, {"kind": "fair"}],  # keyed by the player's number
    }
    assert record.games == {7: [(7, (1, 0), (1,), 9, None, 1, "P1 is home", None)]}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (["{"], "line 1 is not JSON"),
        (["[" * 90_000], "line 1 is not JSON"),
        (["1" * 9_000], "line 1 is not JSON"),
        (["[]"], "line 1 is not a row"),
        (["x" * 200_000], "line 1 exceeds the size limit"),
        ([], "it is empty"),
        ([ROW, {**ROW, "ruleset": "chess"}], "row 2: it belongs to another simulation"),
        ([{key: value for key, value in ROW.items() if key != "places"}], "row 1: `places` is missing"),
        *(([{**ROW, **change}], why) for change, why in DATA["rows that are no games are refused"]),
    ],
)
def test_rows_that_are_no_games_are_refused(rows: list[Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="is not a record of games") as problem:
        read_record(write_rows(tmp_path, *rows))
    assert why in str(problem.value)


def test_records_that_are_too_long_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lusory.stats.game_results_and_record_files.MAX_RECORD_BYTES", 100)
    with pytest.raises(RecordError, match="larger than 100 bytes"):
        read_record(write_rows(tmp_path, ROW))


def test_games_are_paired_with_those_of_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Compare a game with itself, with swapped seats."""
    file = tmp_path / "it's [games].jsonl"
    command = ["simulate", BIDS, "--games", "20", "--seats", "random,greedy", "--swap", "--format", "json"]
    command += ["--option", "rounds=1"]
    assert main([*command, "--record", str(file)]) == 0
    capsys.readouterr()
    assert main([*command, "--compare", str(file)]) == 0
    comparison = json.loads(capsys.readouterr().out)["comparison"]
    assert comparison["paired"] == 10 and comparison["remarks"] == ["The rules are identical."]
    assert all(change["before"] == change["after"] for change in comparison["changes"])
    assert main([*command, "--seed", "1", "--compare", str(file)]) == 2
    assert "have other seeds" in capsys.readouterr().err
