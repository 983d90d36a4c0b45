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
N_GAMES = 4 * RANDOM_BLOCK_SIZE + 7
BLOCK_SIZE, N_SHORT = 16, 71


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide a few games into as many blocks as many games."""
    monkeypatch.setattr(parallel_simulation, "MIN_BLOCK_COUNT", 1)


def create_simulation(game: Game, jobs: int = 1, seed: int = 0, games: int = N_GAMES) -> Simulation:
    return Simulation(game, ("random", "random"), games, seed, True, jobs, has_details=True, tables=TABLES)


def read_rows(writer: CheckpointWriter) -> list[bytes]:
    writer.close_tables()
    return [path.read_bytes() for path in writer.rows.values()]


def test_a_checkpoint_holds_classes_of_modules_that_are_not_imported_yet() -> None:
    """Each module is asked for a class of its own, then for one that it only imports or doesn't have."""
    script = DATA["find classes"]
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    names = [f"{module}.{name}" for module in checkpoints.CHECKPOINT_MODULES for name in ("Path", "Unknown")]
    refusals = [f"{name} does not belong in counts" for name in names]
    assert output.splitlines() == ["Statistics", *refusals]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_repeated_interruptions_change_nothing(
    game: Game, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts, gathered events and rows are the same."""
    monkeypatch.setattr(parallel_simulation, "RANDOM_BLOCK_SIZE", BLOCK_SIZE)
    whole, plain = CheckpointWriter(tmp_path / "whole", "x", TABLES), create_simulation(game, games=N_SHORT)
    whole.start_anew()
    plain.run(checkpoints=whole)

    begins: list[int] = []
    for stop in (BLOCK_SIZE + 9, 3 * BLOCK_SIZE, N_SHORT + 1):
        simulation = create_simulation(game, jobs, games=N_SHORT)
        writer = CheckpointWriter(tmp_path / "file", simulation.identity, TABLES)
        checkpoint = writer.load()
        if checkpoint is None:
            writer.start_anew()
        else:
            simulation.continue_from(checkpoint)
        begins.append(simulation.statistics.game_count)

        def interrupt(n_done: int, stop: int = stop) -> None:
            if n_done >= stop:
                raise KeyboardInterrupt

        if stop < N_SHORT:
            with pytest.raises(KeyboardInterrupt):
                simulation.run(interrupt, writer)
        else:
            simulation.run(interrupt, writer)
    assert begins[0] == 0 < begins[1] < begins[2]
    assert simulation.statistics == plain.statistics
    assert simulation.to_json() == plain.to_json()
    assert read_rows(writer) == read_rows(whole)
    writer.delete()
    assert not list(tmp_path.glob("file*"))


def test_checkpoint_belongs_to_one_simulation(game: Game, tmp_path: Path) -> None:
    simulation, other_simulation = create_simulation(game), create_simulation(game, seed=1)
    writer = CheckpointWriter(tmp_path / "file", simulation.identity)
    writer.add_block(1, simulation.statistics, simulation.use, [])
    writer.write()
    assert CheckpointWriter(tmp_path / "file", simulation.identity).load() is not None
    assert CheckpointWriter(tmp_path / "file", other_simulation.identity).load() is None
    assert CheckpointWriter(tmp_path / "file", simulation.identity, TABLES).load() is None
    assert simulation.identity == create_simulation(game, jobs=2).identity != other_simulation.identity


class MaliciousPickle:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("sly",)


@pytest.mark.parametrize("content", [b"", b"nothing", pickle.dumps([1]), pickle.dumps(MaliciousPickle())])
def test_damaged_and_foreign_checkpoints_are_ignored(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(content)
    assert CheckpointWriter(tmp_path / "file", "x").load() is None
    assert not (tmp_path / "sly").exists()


def test_missing_rows_invalidate_the_checkpoint(tmp_path: Path) -> None:
    checkpoint = Checkpoint("x", 1, Statistics(2), NativeUsage(), (10,))
    (tmp_path / "file").write_bytes(pickle.dumps(checkpoint))
    (tmp_path / "file-games").write_bytes(b"short")
    assert CheckpointWriter(tmp_path / "file", "x", [GAMES]).load() is None


def test_rows_after_the_checkpoint_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Timed bots play other games than before, so rows may get shorter."""
    monkeypatch.setattr(checkpoints, "CHECKPOINT_SECONDS", float("inf"))
    writer = CheckpointWriter(tmp_path / "file", "x", [GAMES])
    writer.start_anew()
    writer.add_block(1, Statistics(2), NativeUsage(), [["the first"]])
    writer.write()
    writer.add_block(2, Statistics(2), NativeUsage(), [["a second one, of which nothing may be left"]])
    writer.close_tables()

    reader = CheckpointWriter(tmp_path / "file", "x", [GAMES])
    checkpoint = reader.load()
    assert checkpoint is not None and checkpoint.block_count == 1
    reader.add_block(2, Statistics(2), NativeUsage(), [["another"]])
    assert read_rows(reader) == [b"the first\nanother\n"]


KILLED = DATA["killed"]


@pytest.mark.slow
def test_killed_simulation_continues(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows and output of the command equal those of an uninterrupted run."""
    script = tmp_path / "script.py"
    script.write_text(KILLED.format(path=sys.path), encoding="utf-8")
    command = ["simulate", str(BIDS), "--games", str(N_GAMES), "--check"]
    command += ["--decisions", "--format", "json", "--jobs", "2"]
    partial, whole = tmp_path / "broken.jsonl", tmp_path / "whole.jsonl"
    args = [sys.executable, str(script), *command, "--record", str(partial)]
    process = subprocess.Popen(args, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"now\n"
    process.kill()
    process.wait()
    process.stdout.close()
    assert not partial.exists()

    capsys.readouterr()
    assert main([*command, "--record", str(partial), "--resume"]) == 0
    output = capsys.readouterr()
    assert f"continuing after {2 * RANDOM_BLOCK_SIZE} of {N_GAMES} games" in output.err
    assert main([*command, "--record", str(whole)]) == 0
    assert json.loads(output.out) == json.loads(capsys.readouterr().out)
    for table in TABLES:
        first, second = (name_table_file(file, table).read_bytes() for file in (partial, whole))
        assert first == second
        assert len(first.splitlines()) == (N_GAMES if table == GAMES else 4 * N_GAMES)
    assert not list(tmp_path.glob("*.part*"))


def test_ctrl_c_says_how_to_continue(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a record, the checkpoint is in the user's own folder."""
    play = parallel_simulation.Worker.play_game

    def interrupt(self: Any, number: int, part: Any) -> Any:
        if number == RANDOM_BLOCK_SIZE + 3:
            raise KeyboardInterrupt
        return play(self, number, part)

    command = ["simulate", str(BIDS), "--games", str(N_GAMES), "--engine", "compiled"]
    with monkeypatch.context() as patch:
        patch.setattr(parallel_simulation.Worker, "play_game", interrupt)
        assert main(command) == 130
    output = capsys.readouterr()
    hint = "run the same command with --resume to continue"
    assert f"{RANDOM_BLOCK_SIZE} of {N_GAMES} games are saved; {hint}" in output.err
    assert f"{RANDOM_BLOCK_SIZE} of {N_GAMES} games finished" in output.out
    assert main([*command, "--resume"]) == 0
    output = capsys.readouterr()
    assert f"continuing after {RANDOM_BLOCK_SIZE} of" in output.err
    assert main([*command, "--resume"]) == 0
    rerun = capsys.readouterr()
    assert "no saved progress found" in rerun.err
    assert output.out == rerun.out


def test_number_of_checkpoints_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checkpoints, "MAX_CHECKPOINTS", 3)
    monkeypatch.setattr(checkpoints, "get_state_folder", lambda: tmp_path)
    for number in range(6):
        writer = CheckpointWriter(None, f"{number}" * 30)
        writer.add_block(1, Statistics(2), NativeUsage(), [])
        writer.write()
        assert writer.has_begun
    assert len(list((tmp_path / "simulations").iterdir())) <= 4
