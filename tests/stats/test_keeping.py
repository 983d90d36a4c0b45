"""Test that an interrupted simulation continues and ends with the same result."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from programs import BIDS, read_data

from lusory.cli import main
from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import NativeUsage
from lusory.stats import checkpoints, parallel_simulation
from lusory.stats.checkpoints import Checkpoint, CheckpointWriter
from lusory.stats.game_results_and_record_files import DECISIONS, GAMES, name_table_file
from lusory.stats.mergeable_counters import Statistics
from lusory.stats.parallel_simulation import RANDOM_BLOCK_SIZE, Simulation

DATA = read_data(__file__)

TABLES = GAMES, DECISIONS
MANY = 4 * RANDOM_BLOCK_SIZE + 7
FEW, SOME = 16, 71


@pytest.fixture(autouse=True)
def use_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide a few games into as many blocks as many games."""
    monkeypatch.setattr(parallel_simulation, "MIN_BLOCK_COUNT", 1)


def create_simulation(game: Game, jobs: int = 1, seed: int = 0, games: int = MANY) -> Simulation:
    return Simulation(game, ("random", "random"), games, seed, True, jobs, has_details=True, tables=TABLES)


def read_rows(writer: CheckpointWriter) -> list[bytes]:
    writer.close_tables()
    return [path.read_bytes() for path in writer.rows.values()]


def test_a_checkpoint_holds_classes_of_modules_that_are_not_imported_yet() -> None:
    """Each module is asked for a class of its own, then for one that it only imports or doesn't have."""
    script = DATA["find classes"]
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    refused = [
        f"{m}.{n} does not belong in counts" for m in checkpoints.CHECKPOINT_MODULES for n in ("Path", "Unknown")
    ]
    assert shown.splitlines() == ["Statistics", *refused]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_repeated_interruptions_change_nothing(
    game: Game, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts, gathered events and rows are the same."""
    monkeypatch.setattr(parallel_simulation, "RANDOM_BLOCK_SIZE", FEW)
    whole, plain = CheckpointWriter(tmp_path / "whole", "x", TABLES), create_simulation(game, games=SOME)
    whole.start_anew()
    plain.run(checkpoints=whole)

    begins: list[int] = []
    for stop in (FEW + 9, 3 * FEW, SOME + 1):
        work = create_simulation(game, jobs, games=SOME)
        kept = CheckpointWriter(tmp_path / "file", work.identity, TABLES)
        found = kept.load()
        if found is None:
            kept.start_anew()
        else:
            work.continue_from(found)
        begins.append(work.statistics.played)

        def stops(done: int, stop: int = stop) -> None:
            if done >= stop:
                raise KeyboardInterrupt

        if stop < SOME:
            with pytest.raises(KeyboardInterrupt):
                work.run(stops, kept)
        else:
            work.run(stops, kept)
    assert begins[0] == 0 < begins[1] < begins[2]
    assert work.statistics == plain.statistics
    assert work.to_json() == plain.to_json()
    assert read_rows(kept) == read_rows(whole)
    kept.delete()
    assert not list(tmp_path.glob("file*"))


def test_checkpoint_belongs_to_one_simulation(game: Game, tmp_path: Path) -> None:
    work, other = create_simulation(game), create_simulation(game, seed=1)
    kept = CheckpointWriter(tmp_path / "file", work.identity)
    kept.add_block(1, work.statistics, work.use, [])
    kept.write()
    assert CheckpointWriter(tmp_path / "file", work.identity).load() is not None
    assert CheckpointWriter(tmp_path / "file", other.identity).load() is None
    assert work.identity == create_simulation(game, jobs=2).identity != other.identity


class MaliciousPickle:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("sly",)


@pytest.mark.parametrize("what", [b"", b"nothing", pickle.dumps([1]), pickle.dumps(MaliciousPickle())])
def test_damaged_and_foreign_checkpoints_are_ignored(
    what: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(what)
    assert CheckpointWriter(tmp_path / "file", "x").load() is None
    assert not (tmp_path / "sly").exists()


def test_missing_rows_invalidate_the_checkpoint(tmp_path: Path) -> None:
    kept = Checkpoint("x", 1, Statistics(2), NativeUsage(), (10,))
    (tmp_path / "file").write_bytes(pickle.dumps(kept))
    (tmp_path / "file-games").write_bytes(b"short")
    assert CheckpointWriter(tmp_path / "file", "x", [GAMES]).load() is None


def test_rows_after_the_checkpoint_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Timed bots play other games than before, so rows may get shorter."""
    monkeypatch.setattr(checkpoints, "CHECKPOINT_SECONDS", float("inf"))
    kept = CheckpointWriter(tmp_path / "file", "x", [GAMES])
    kept.start_anew()
    kept.add_block(1, Statistics(2), NativeUsage(), [["the first"]])
    kept.write()
    kept.add_block(2, Statistics(2), NativeUsage(), [["a second one, of which nothing may be left"]])
    kept.close_tables()

    again = CheckpointWriter(tmp_path / "file", "x", [GAMES])
    found = again.load()
    assert found is not None and found.block_count == 1
    again.add_block(2, Statistics(2), NativeUsage(), [["another"]])
    assert read_rows(again) == [b"the first\nanother\n"]


KILLED = DATA["killed"]


@pytest.mark.slow
def test_killed_simulation_continues(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows and output of the command equal those of an uninterrupted run."""
    script = tmp_path / "script.py"
    script.write_text(KILLED.format(path=sys.path), encoding="utf-8")
    command = ["simulate", str(BIDS), "--games", str(MANY), "--check", "--decisions", "--format", "json", "--jobs", "2"]
    broken, whole = tmp_path / "broken.jsonl", tmp_path / "whole.jsonl"
    started = subprocess.Popen([sys.executable, str(script), *command, "--record", str(broken)], stdout=subprocess.PIPE)
    assert started.stdout is not None
    assert started.stdout.readline() == b"now\n"
    started.kill()
    started.wait()
    started.stdout.close()
    assert not broken.exists()

    capsys.readouterr()
    assert main([*command, "--record", str(broken), "--resume"]) == 0
    gone_on = capsys.readouterr()
    assert f"continuing after {2 * RANDOM_BLOCK_SIZE} of {MANY} games" in gone_on.err
    assert main([*command, "--record", str(whole)]) == 0
    assert json.loads(gone_on.out) == json.loads(capsys.readouterr().out)
    for table in TABLES:
        one, other = (name_table_file(file, table).read_bytes() for file in (broken, whole))
        assert one == other
        assert len(one.splitlines()) == (MANY if table == GAMES else 4 * MANY)
    assert not list(tmp_path.glob("*.part*"))


def test_ctrl_c_says_how_to_continue(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a record, the checkpoint is in the user's own folder."""
    play = parallel_simulation.Worker.play_game

    def stops(
        self: parallel_simulation.Worker, number: int, part: parallel_simulation.BlockResult
    ) -> parallel_simulation.Result:
        if number == RANDOM_BLOCK_SIZE + 3:
            raise KeyboardInterrupt
        return play(self, number, part)

    command = ["simulate", str(BIDS), "--games", str(MANY), "--engine", "compiled"]
    with monkeypatch.context() as patch:
        patch.setattr(parallel_simulation.Worker, "play_game", stops)
        assert main(command) == 130
    said = capsys.readouterr()
    assert f"{RANDOM_BLOCK_SIZE} of {MANY} games are saved; run the same command with --resume to continue" in said.err
    assert f"{RANDOM_BLOCK_SIZE + 3} of {MANY} games finished" in said.out
    assert main([*command, "--resume"]) == 0
    said = capsys.readouterr()
    assert f"continuing after {RANDOM_BLOCK_SIZE} of" in said.err
    assert main([*command, "--resume"]) == 0
    again = capsys.readouterr()
    assert "no saved progress found" in again.err
    assert said.out == again.out


def test_number_of_checkpoints_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checkpoints, "MAX_CHECKPOINTS", 3)
    monkeypatch.setattr(checkpoints, "get_state_folder", lambda: tmp_path)
    for number in range(6):
        kept = CheckpointWriter(None, f"{number}" * 30)
        kept.add_block(1, Statistics(2), NativeUsage(), [])
        kept.write()
        assert kept.has_begun
    assert len(list((tmp_path / "simulations").iterdir())) <= 4
