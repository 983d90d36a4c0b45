"""Records hold what happened, in rows that programs can read, and nothing that a ruleset says gets out of a cell."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lusory.cli import main
from lusory.game import Game
from lusory.play.players.table import Table
from lusory.study.keeping import Keeping
from lusory.study.playing import Result
from lusory.study.record import DECISIONS, GAMES, NoRecord, Rows, files_of, write
from lusory.study.simulate import Simulation
from lusory_dsl.pipeline import load_program

BIDS = Path(__file__).parents[1] / "fixtures" / "bids.yaml"
SLY = "x'; DROP TABLE games; --\"\n\u202e"


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(load_program(BIDS), 2)


def recorded(game: Game, folder: Path, kinds: tuple[str, ...], games: int, *tables: str, **more: Any) -> list[Any]:
    """The rows of each table."""
    work = Simulation(game, kinds, games, 3, tables=tables, **more)
    kept = Keeping(folder / "kept", "x", tables)
    kept.begin()
    work.run(keeping=kept)
    kept.complete()
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in kept.rows.values()]


def test_a_row_a_game(game: Game, tmp_path: Path) -> None:
    (rows,) = recorded(game, tmp_path, ("greedy", "random"), 6, GAMES, swap=True)
    tally = Simulation(game, ("greedy", "random"), 6, 3, swap=True).run()
    assert [row["game"] for row in rows] == list(range(6))
    assert [row["kinds"] for row in rows[:2]] == [["greedy", "random"], ["random", "greedy"]]
    assert [row["players"] for row in rows[:2]] == [[1, 2], [2, 1]]
    assert rows[0]["seed"] == rows[1]["seed"] != rows[2]["seed"]
    assert sum(row["decisions"] for row in rows) == tally.decisions
    assert sum(row["places"] == [1, 2] for row in rows) == tally.wins[0]
    assert [sum(row["payoffs"][seat] for row in rows) for seat in (0, 1)] == tally.payoffs
    assert all(row["simulations"] > 0 and 0 < row["turns"] <= row["decisions"] for row in rows)
    assert {(row["ruleset"], row["digest"]) for row in rows} == {(game.program.id, game.program.digest)}
    assert json.loads(rows[0]["options"]) == {"rounds": 2, "mood": "calm"}


def test_games_that_nobody_looks_at_have_the_same_rows(game: Game, tmp_path: Path) -> None:
    (quick,) = recorded(game, tmp_path, ("random", "random"), 20, GAMES)
    (slow,) = recorded(game, tmp_path, ("random", "random"), 20, GAMES, check=True)
    unseen = {"turns": None, "simulations": None, "began": None}
    assert quick == [row | unseen for row in slow]


def test_a_row_a_decision(game: Game, tmp_path: Path) -> None:
    games, decisions = recorded(game, tmp_path, ("flat:8", "random"), 4, GAMES, DECISIONS)
    for row in games:
        mine = [one for one in decisions if one["game"] == row["game"]]
        assert [one["number"] for one in mine] == list(range(row["decisions"]))
        assert sum(one["simulations"] for one in mine) == row["simulations"]
    for one in decisions:
        assert one["offered"][one["taken"]] == one["label"]
        assert one["options"] == len(one["offered"]) >= 2
        assert one["kind"] == ("flat:8", "random")[one["seat"] - 1]
        assert (one["value"] is not None) == (one["kind"] == "flat:8")


def test_what_was_not_thought_of_is_not_counted(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a seat has no world left, any option is taken."""
    monkeypatch.setattr(Table, "_dealt", lambda *_: [])
    games, decisions = recorded(game, tmp_path, ("flat:8", "random"), 1, GAMES, DECISIONS)
    assert games[0]["simulations"] == 0
    assert {(one["simulations"], one["value"]) for one in decisions} == {(0, None)}


@pytest.mark.parametrize("name", ["a.parquet", "a.duckdb"])
def test_words_of_a_ruleset_stay_in_their_cells(game: Game, tmp_path: Path, name: str) -> None:
    """Titles, reasons, options and players are data, whatever they say; so is the name of the file."""
    duckdb = pytest.importorskip("duckdb", reason="the extra `record` is not installed")
    scoring = replace(game.program.scoring, shown=tuple((SLY, e) for _, e in game.program.scoring.shown))
    program = replace(game.program, scoring=scoring)
    columns = [[1, 2] for _ in scoring.shown]
    found = Result(0, 2**64 - 1, (0, 1), "finished", 4, ((1,), (0,)), None, SLY, columns)
    lines = tmp_path / "lines"
    lines.write_text(Rows(program, (SLY, "b"), {SLY: SLY}).game(found) + "\n", encoding="utf-8")
    file = tmp_path / f"it's {name}"
    write(file, {GAMES: lines})
    if name.endswith("duckdb"):
        with duckdb.connect(str(file)) as opened:
            rows = opened.sql("from games").fetchall()
            assert opened.sql("show tables").fetchall() == [("games",)]
    else:
        rows = duckdb.read_parquet(str(file)).fetchall()
    ((number, seed, ruleset, digest, options, kinds, players, ending, reason, *_, places, payoffs, scores),) = rows
    assert (number, seed, ruleset, digest) == (0, 2**64 - 1, program.id, program.digest)
    assert (kinds, players, ending, reason) == ([SLY, "b"], [1, 2], "finished", SLY)
    assert (json.loads(options), places, payoffs) == ({SLY: SLY}, [1, 2], [1.0, 0.0])
    assert scores == [{"title": SLY, "seats": [1, 2]} for _ in columns]
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"it's {name}", "lines"]


def test_a_record_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="the extra `record` is not installed")
    (tmp_path / "lines").write_text('{"game": "no number"}\n', encoding="utf-8")
    file = tmp_path / "a.parquet"
    file.write_text("before")
    with pytest.raises(NoRecord, match="can't be written"):
        write(file, {GAMES: tmp_path / "lines"})
    assert file.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2


def test_where_tables_lie() -> None:
    both = [GAMES, DECISIONS]
    assert files_of(Path("a/b.parquet"), both) == [Path("a/b.parquet"), Path("a/b-decisions.parquet")]
    assert files_of(Path("a/b.duckdb"), both) == [Path("a/b.duckdb")] * 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--record", "games.csv"], "ends in none of `.parquet`, `.duckdb`, `.jsonl`"),
        (["--record", "nowhere/games.parquet"], "there is no folder `nowhere`"),
        (["--decisions"], "there is no record in which they could stand"),
    ],
)
def test_what_can_not_be_recorded_is_said_before_anything_is_played(
    typed: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", str(BIDS), "--games", "1", *typed]) == 2
    assert said in capsys.readouterr().err


def test_without_the_library_it_is_said_which(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert main(["simulate", str(BIDS), "--games", "1", "--record", "games.parquet"]) == 2
    assert "pip install 'lusory[record]'" in capsys.readouterr().err


def test_who_writes_a_record_and_loads_rules_behind_it_is_told_nothing_at_the_end() -> None:
    """As `simulate --record` with `--compare`, for which other rules are loaded where DuckDB is there already: what was
    loaded is not looked through for garbage, and its binding took that for a leak."""
    done = "import gc, pathlib; from lusory.study import record; record.demand(pathlib.Path('a.duckdb')); gc.freeze()"
    ended = subprocess.run([sys.executable, "-c", done], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
