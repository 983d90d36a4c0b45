"""Test that records have a row for each event, that programs can read them, and that texts stay in their cells."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lusory.game import Game
from lusory.play.player_interface_scripted_and_random_players import DecisionTable
from lusory.stats.checkpoints import CheckpointWriter
from lusory.stats.game_results_and_record_files import (
    DECISIONS,
    GAMES,
    GameResult,
    RecordError,
    RowWriter,
    name_table_file,
    write_record_files,
)
from lusory.stats.parallel_simulation import Simulation

SLY = "x'; DROP TABLE games; --\"\n\u202e"


def record(game: Game, folder: Path, kinds: tuple[str, ...], games: int, *tables: str, **more: Any) -> list[Any]:
    """Return the rows of each table."""
    simulation = Simulation(game, kinds, games, 3, tables=tables, **more)
    writer = CheckpointWriter(folder / "kept", "x", tables)
    writer.start_anew()
    simulation.run(checkpoints=writer)
    writer.close_tables()
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in writer.rows.values()]


def test_each_game_has_a_row(game: Game, tmp_path: Path) -> None:
    (rows,) = record(game, tmp_path, ("greedy", "random"), 6, GAMES, swaps_seats=True)
    tally = Simulation(game, ("greedy", "random"), 6, 3, swaps_seats=True).run()
    assert [row["game"] for row in rows] == list(range(6))
    assert [row["kinds"] for row in rows[:2]] == [["greedy", "random"], ["random", "greedy"]]
    assert [row["players"] for row in rows[:2]] == [[1, 2], [2, 1]]
    assert rows[0]["seed"] == rows[1]["seed"] != rows[2]["seed"]
    assert sum(row["decisions"] for row in rows) == tally.lengths.sums.total
    assert sum(row["places"] == [1, 2] for row in rows) == tally.wins[0]
    assert [sum(row["payoffs"][seat] for row in rows) for seat in (0, 1)] == tally.payoffs
    assert all(row["simulations"] > 0 and 0 < row["turns"] <= row["decisions"] for row in rows)
    assert {(row["ruleset"], row["digest"]) for row in rows} == {(game.program.id, game.program.digest)}
    assert json.loads(rows[0]["options"]) == {"rounds": 2, "mood": "calm"}


def test_unobserved_games_have_the_same_rows(game: Game, tmp_path: Path) -> None:
    (quick,) = record(game, tmp_path, ("random", "random"), 20, GAMES)
    (slow,) = record(game, tmp_path, ("random", "random"), 20, GAMES, checks_invariants=True)
    unseen = {"turns": None, "simulations": None, "began": None}
    assert quick == [row | unseen for row in slow]


def test_each_decision_has_a_row(game: Game, tmp_path: Path) -> None:
    games, decisions = record(game, tmp_path, ("flat:8", "random"), 4, GAMES, DECISIONS)
    for row in games:
        game_decisions = [decision for decision in decisions if decision["game"] == row["game"]]
        assert [decision["number"] for decision in game_decisions] == list(range(row["decisions"]))
        assert sum(decision["simulations"] for decision in game_decisions) == row["simulations"]
    for decision in decisions:
        assert decision["offered"][decision["taken"]] == decision["label"]
        assert decision["options"] == len(decision["offered"]) >= 2
        assert decision["kind"] == ("flat:8", "random")[decision["seat"] - 1]
        assert (decision["value"] is not None) == (decision["kind"] == "flat:8")


def test_options_without_a_search_have_no_count(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat without a consistent world takes any option."""
    monkeypatch.setattr(DecisionTable, "_sample_states", lambda *_: [])
    games, decisions = record(game, tmp_path, ("flat:8", "random"), 1, GAMES, DECISIONS)
    assert games[0]["simulations"] == 0
    assert {(decision["simulations"], decision["value"]) for decision in decisions} == {(0, None)}


def test_texts_of_a_ruleset_stay_in_their_cells(game: Game, tmp_path: Path) -> None:
    """Titles, reasons, options and players are data, and so is the name of the file."""
    scoring = replace(game.program.scoring, columns=tuple((SLY, expr) for _, expr in game.program.scoring.columns))
    program = replace(game.program, scoring=scoring)
    columns = [[1, 2] for _ in scoring.columns]
    result = GameResult(0, 2**64 - 1, (0, 1), "finished", 4, ((1,), (0,)), None, SLY, columns)
    lines, file = tmp_path / "lines", tmp_path / "it's a.jsonl"
    lines.write_text(RowWriter(program, (SLY, "b"), {SLY: SLY}).format_game(result) + "\n", encoding="utf-8")
    write_record_files(file, {GAMES: lines})
    (line,) = file.read_text("ascii").splitlines()
    assert line.isprintable()
    row = json.loads(line)
    assert (row["game"], row["seed"]) == (0, 2**64 - 1)
    assert (row["ruleset"], row["digest"]) == (program.id, program.digest)
    assert (row["kinds"], row["players"]) == ([SLY, "b"], [1, 2])
    assert (row["ending"], row["reason"]) == ("finished", SLY)
    assert (json.loads(row["options"]), row["places"], row["payoffs"]) == ({SLY: SLY}, [1, 2], [1.0, 0.0])
    assert row["scores"] == [{"title": SLY, "seats": [1, 2]} for _ in columns]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it's a.jsonl", "lines"]


def test_rows_have_the_same_columns(game: Game) -> None:
    """Programs that read JSON lines infer columns and types from the first rows."""
    rows = RowWriter(game.program, ("a", "b"), {})
    columns = [[1, 2] for _ in game.program.scoring.columns]
    finished_row = json.loads(
        rows.format_game(GameResult(0, 1, (0, 1), "finished", 4, ((1,), (0,)), None, "over", columns))
    )
    endless_row = json.loads(rows.format_game(GameResult(1, 2, (0, 1), "endless", 4)))
    assert list(endless_row) == list(finished_row)
    assert {name for name in endless_row if endless_row[name] is None} >= {"places", "payoffs", "scores"}
    assert [type(payoff) for payoff in finished_row["payoffs"]] == [float, float]


def test_failed_record_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some rows are written when the disk is full."""

    def fail(_: Path, beside: Path) -> None:
        beside.write_text('{"game"')
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("lusory.stats.game_results_and_record_files.shutil.copyfile", fail)
    file = tmp_path / "a.jsonl"
    file.write_text("before")
    with pytest.raises(RecordError, match="can't be written: No space left on device"):
        write_record_files(file, {GAMES: tmp_path / "lines"})
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_paths_of_tables() -> None:
    assert [name_table_file(Path("a/b.jsonl"), table) for table in (GAMES, DECISIONS)] == [
        Path("a/b.jsonl"),
        Path("a/b-decisions.jsonl"),
    ]
