"""A simulation that is interrupted, however that happens, goes on and comes to what it would have come to."""

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
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few games are divided as many are."""
    monkeypatch.setattr(parallel_simulation, "MIN_BLOCK_COUNT", 1)


def simulation(game: Game, jobs: int = 1, seed: int = 0, games: int = MANY) -> Simulation:
    return Simulation(game, ("random", "random"), games, seed, True, jobs, details=True, tables=TABLES)


def rows_of(kept: CheckpointWriter) -> list[bytes]:
    kept.close_tables()
    return [path.read_bytes() for path in kept.rows.values()]


def test_a_checkpoint_holds_classes_of_modules_that_are_not_imported_yet() -> None:
    """Each module is asked for a class of its own, then for one that it only imports or doesn't have."""
    script = """
import io, pickle
from lusory.stats.checkpoints import CHECKPOINT_MODULES, _Reader

reader = _Reader(io.BytesIO())
print(reader.find_class(CHECKPOINT_MODULES[0], "Statistics").__name__)
for module in CHECKPOINT_MODULES:
    for name in ("Path", "Unknown"):
        try:
            reader.find_class(module, name)
        except pickle.UnpicklingError as error:
            print(error)
"""
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    refused = [
        f"{m}.{n} does not belong in counts" for m in checkpoints.CHECKPOINT_MODULES for n in ("Path", "Unknown")
    ]
    assert shown.splitlines() == ["Statistics", *refused]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_who_is_interrupted_again_and_again_comes_to_the_same(
    game: Game, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts, what is gathered, and every row."""
    monkeypatch.setattr(parallel_simulation, "RANDOM_BLOCK_SIZE", FEW)
    whole, plain = CheckpointWriter(tmp_path / "whole", "x", TABLES), simulation(game, games=SOME)
    whole.start_anew()
    plain.run(checkpoints=whole)

    begins: list[int] = []
    for stop in (FEW + 9, 3 * FEW, SOME + 1):
        work = simulation(game, jobs, games=SOME)
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
    assert rows_of(kept) == rows_of(whole)
    kept.delete()
    assert not list(tmp_path.glob("file*"))


def test_another_simulation_does_not_take_it_up(game: Game, tmp_path: Path) -> None:
    work, other = simulation(game), simulation(game, seed=1)
    kept = CheckpointWriter(tmp_path / "file", work.identity)
    kept.add_block(1, work.statistics, work.use, [])
    kept.write()
    assert CheckpointWriter(tmp_path / "file", work.identity).load() is not None
    assert CheckpointWriter(tmp_path / "file", other.identity).load() is None
    assert work.identity == simulation(game, jobs=2).identity != other.identity


class Sly:
    """Would run something where it is read."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("sly",)


@pytest.mark.parametrize("what", [b"", b"nothing", pickle.dumps([1]), pickle.dumps(Sly())])
def test_what_is_damaged_or_a_strangers_is_as_if_it_were_not_there(
    what: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(what)
    assert CheckpointWriter(tmp_path / "file", "x").load() is None
    assert not (tmp_path / "sly").exists()


def test_rows_that_have_gone_are_not_gone_on_from(tmp_path: Path) -> None:
    kept = Checkpoint("x", 1, Statistics(2), NativeUsage(), (10,))
    (tmp_path / "file").write_bytes(pickle.dumps(kept))
    (tmp_path / "file-games").write_bytes(b"short")
    assert CheckpointWriter(tmp_path / "file", "x", [GAMES]).load() is None


def test_rows_behind_what_was_counted_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who goes by the clock plays other games than before, and shorter rows stand in their place."""
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
    assert rows_of(again) == [b"the first\nanother\n"]


KILLED = DATA["killed"]


@pytest.mark.slow
def test_who_is_killed_in_the_middle_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command itself, with a record: its rows, and what is told, are those of a run that nothing interrupts."""
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


def test_ctrl_c_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a record it is kept in the user's own folder."""
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


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checkpoints, "MAX_CHECKPOINTS", 3)
    monkeypatch.setattr(checkpoints, "get_state_folder", lambda: tmp_path)
    for number in range(6):
        kept = CheckpointWriter(None, f"{number}" * 30)
        kept.add_block(1, Statistics(2), NativeUsage(), [])
        kept.write()
        assert kept.has_begun
    assert len(list((tmp_path / "simulations").iterdir())) <= 4
