"""``lusory simulate``: where games are played, what is kept of them and what they are compared with."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from time import monotonic, sleep

import pytest
from programs import read_data

from lusory.cli import main
from lusory.game import Game
from lusory.play import saves_and_journals as saves
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.stats import dask_executor, parallel_simulation
from lusory.stats.tournament import Tournament
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

BIDS = str(Path(__file__).parents[1] / "fixtures" / "bids.yaml")


def test_only_what_is_typed_leads_to_a_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the environment that Dask reads nor anything else."""
    asked: list[object] = []

    def refused(*typed: object) -> None:
        asked.append(typed[1])
        raise dask_executor.NoCluster("there is none", "there is another")

    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://127.0.0.1:9")
    monkeypatch.setattr(dask_executor.Cluster, "__init__", refused)
    assert main(["simulate", BIDS, "--games", "3", "--jobs", "2"]) == 0
    assert not asked
    assert main(["simulate", BIDS, "--games", "3", "--executor", "dask://127.0.0.1:9"]) == 2
    assert asked == ["dask://127.0.0.1:9"]


def test_players_of_this_machine_do_not_play_on_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played, game = tmp_path / "game.json", Game(load_program(Path(BIDS)))
    match = Match(game, [create_bot("random", 1, seat) for seat in (0, 1)], 1)
    match.play()
    saves.write_save(saves.Save(saves.create_transcript(match), "bids", ("random", "random"), ("A", "B")), played)
    for kind in ("python:collections.Counter", f"replay:{played}"):
        assert main(["simulate", BIDS, "--seats", f"random,{kind}", "--executor", "dask://127.0.0.1:9"]) == 2
        assert "needs files of this machine, so a cluster can't run it" in capsys.readouterr().err


@pytest.mark.parametrize(("place", "code", "said"), DATA["nobody there is said"])
def test_nobody_there_is_said(
    place: str, code: int, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    monkeypatch.setattr(dask_executor, "CONNECT_SECONDS", 0.2)
    assert main(["simulate", BIDS, "--executor", place]) == code
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_rules_are_compared_with_others_from_the_same_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is alike comes out alike, to the last game; what is not is told."""
    command = ["simulate", BIDS, "--games", "200", "--option", "rounds=1", "--format", "json", "--swap"]
    seats = ["--seats", "random,greedy"]
    same = tmp_path / "same.yaml"
    text = Path(BIDS).read_text(encoding="utf-8")
    same.write_text(text, encoding="utf-8")
    assert main([*command[:3], "8", *command[4:], *seats, "--compare", str(same)]) == 0
    found = json.loads(capsys.readouterr().out)["comparison"]
    assert not found["moved"] and found["paired"] == 4
    assert all(change["before"] == change["after"] for change in found["changes"])
    other = tmp_path / "other.yaml"
    assert "then 6 else 3" in text
    other.write_text(text.replace("then 6 else 3", "then 6 else 1"), encoding="utf-8")
    assert main([*command, *seats, "--compare", str(other)]) == 1
    found = json.loads(capsys.readouterr().out)["comparison"]
    assert found["moved"] and found["paired"] == 100  # seeds, with two games each
    assert [change["what"] for change in found["changes"] if change["moved"]] == ["wins of P1", "wins of P2"]


@pytest.mark.slow
def test_a_process_that_dies_leaves_what_was_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is with Ctrl-C: what was counted is shown and kept, and the same command with --resume goes on."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    command = ["simulate", BIDS, "--games", "40", "--seats", "greedy,random", "--jobs", "2", "--format", "json"]
    assert main(command) == 0
    whole = json.loads(capsys.readouterr().out)
    block, parent, done_before = parallel_simulation.WorkerRecipe.play_block, os.getpid(), tmp_path / "done"

    def dies(recipe: parallel_simulation.WorkerRecipe, first: int) -> parallel_simulation.BlockResult:
        if first == 20 and os.getpid() != parent:
            until = monotonic() + 60
            while not done_before.exists() and monotonic() < until:
                sleep(0.05)
            sleep(1.0)  # until what the other one has done is handed over
            os.kill(os.getpid(), signal.SIGKILL)
        part = block(recipe, first)
        done_before.touch()
        return part

    with monkeypatch.context() as there:
        there.setattr(parallel_simulation.WorkerRecipe, "play_block", dies)
        assert main(command) == 1
    told = capsys.readouterr()
    done = json.loads(told.out)["games_played"]
    assert 0 < done <= 20
    assert f"{done} of 40 games are saved; run the same command with --resume to continue" in told.err
    assert "a process that was at work has gone" in told.err and "help: fewer processes need less" in told.err
    assert main([*command, "--resume"]) == 0
    told = capsys.readouterr()
    assert f"continuing after {done} of 40 games" in told.err
    again = json.loads(told.out)
    for counted in (whole, again):  # how much native code did hangs on when it is ready
        counted.pop("native", None)
    assert again == whole


def test_ctrl_c_among_games_of_skill_shows_the_games_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Tournament, "run", interrupted)
    command = ["simulate", BIDS, "--games", "8", "--seats", "flat:2,flat:2", "--skill", "4", "--format", "json"]
    assert main([*command, "--details"]) == 130
    told = json.loads(capsys.readouterr().out)
    assert told["games_played"] == 8 and not told["findings"]["skill"]


def test_swapped_seats_are_compared_with_swapped_seats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", BIDS, "--games", "8", "--seats", "greedy,random", "--format", "json"]
    assert main([*command, "--swap"]) == 0
    base = tmp_path / "base.json"
    base.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main([*command, "--swap", "--compare", str(base)]) == 0
    assert json.loads(capsys.readouterr().out)["comparison"]["moved"] is False
    assert main([*command, "--compare", str(base)]) in (0, 1)
    assert "Only one of the two simulations swapped seats" in capsys.readouterr().out


BALANCE = DATA["balance"]


def test_a_build_fails_where_a_threshold_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, text = tmp_path / "bids.yaml", Path(BIDS).read_text(encoding="utf-8")
    command = ["simulate", str(rules), "--option", "rounds=1", "--format", "json"]
    for long, code in (("90", 0), ("1", 1)):
        rules.write_text(text + BALANCE.replace("LONG", long), encoding="utf-8")
        assert main([*command, "--balance"]) == code
        told = json.loads(capsys.readouterr().out)
        assert told["games"] == 60 and told["balance"]["verdict"] == ("broken" if code else "kept")
    assert main([*command, "--games", "20"]) == 0  # nobody asked
    assert "balance" not in json.loads(capsys.readouterr().out)
    assert main([*command, "--games", "20", "--seats", "random,fair", "--compare", BIDS]) == 0
    told = json.loads(capsys.readouterr().out)["balance"]
    assert [one["of"] for one in told["thresholds"]] == ["change"]
    assert "for games of random, random, but other bots played" in told["remarks"][0]


def test_a_ruleset_that_says_nothing_of_balance(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", BIDS, "--balance"]) == 2
    assert "has no section `balance`" in capsys.readouterr().err
