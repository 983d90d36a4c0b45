"""Test where ``lusory simulate`` plays games, what it keeps of them, and what it compares them with."""

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


def test_only_the_executor_option_uses_a_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dask's environment variable is ignored."""
    addresses: list[object] = []

    def refuse_connection(*arguments: object) -> None:
        addresses.append(arguments[1])
        raise dask_executor.NoCluster("there is none", "there is another")

    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://127.0.0.1:9")
    monkeypatch.setattr(dask_executor.Cluster, "__init__", refuse_connection)
    assert main(["simulate", BIDS, "--games", "3", "--jobs", "2"]) == 0
    assert not addresses
    assert main(["simulate", BIDS, "--games", "3", "--executor", "dask://127.0.0.1:9"]) == 2
    assert addresses == ["dask://127.0.0.1:9"]


def test_bots_that_need_local_files_are_refused_on_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, game = tmp_path / "game.json", Game(load_program(Path(BIDS)))
    match = Match(game, [create_bot("random", 1, seat) for seat in (0, 1)], 1)
    match.play()
    saves.write_save(saves.Save(saves.create_transcript(match), "bids", ("random", "random"), ("A", "B")), file)
    for kind in ("python:collections.Counter", f"replay:{file}"):
        assert main(["simulate", BIDS, "--seats", f"random,{kind}", "--executor", "dask://127.0.0.1:9"]) == 2
        assert "needs files of this machine, so a cluster can't run it" in capsys.readouterr().err


@pytest.mark.parametrize(("address", "code", "words"), DATA["unreachable cluster is reported"])
def test_unreachable_cluster_is_reported(
    address: str, code: int, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    monkeypatch.setattr(dask_executor, "CONNECT_SECONDS", 0.2)
    assert main(["simulate", BIDS, "--executor", address]) == code
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_rules_are_compared_with_others_from_the_same_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equal rules give equal games; different rules are reported."""
    command = ["simulate", BIDS, "--games", "200", "--option", "rounds=1", "--format", "json", "--swap"]
    seats = ["--seats", "random,greedy"]
    same = tmp_path / "same.yaml"
    text = Path(BIDS).read_text(encoding="utf-8")
    same.write_text(text, encoding="utf-8")
    assert main([*command[:3], "8", *command[4:], *seats, "--compare", str(same)]) == 0
    comparison = json.loads(capsys.readouterr().out)["comparison"]
    assert not comparison["moved"] and comparison["paired"] == 4
    assert all(change["before"] == change["after"] for change in comparison["changes"])
    variant = tmp_path / "other.yaml"
    assert "then 6 else 3" in text
    variant.write_text(text.replace("then 6 else 3", "then 6 else 1"), encoding="utf-8")
    assert main([*command, *seats, "--compare", str(variant)]) == 1
    comparison = json.loads(capsys.readouterr().out)["comparison"]
    assert comparison["moved"] and comparison["paired"] == 100  # pairs of games, one pair for each seed
    assert [change["what"] for change in comparison["changes"] if change["moved"]] == ["wins of P1", "wins of P2"]


@pytest.mark.slow
def test_killed_worker_leaves_finished_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The finished games are shown and saved, as after Ctrl-C. The same command continues them with --resume."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    command = ["simulate", BIDS, "--games", "40", "--seats", "greedy,random", "--jobs", "2", "--format", "json"]
    assert main(command) == 0
    whole = json.loads(capsys.readouterr().out)
    block, parent, done_before = parallel_simulation.Worker.play_block, os.getpid(), tmp_path / "done"

    def play_or_die(worker: parallel_simulation.Worker, numbers: range) -> parallel_simulation.BlockResult:
        if numbers.start == 20 and os.getpid() != parent:
            deadline = monotonic() + 60
            while not done_before.exists() and monotonic() < deadline:
                sleep(0.05)
            sleep(1.0)  # the parent needs a moment to collect the other worker's block
            os.kill(os.getpid(), signal.SIGKILL)
        part = block(worker, numbers)
        done_before.touch()
        return part

    with monkeypatch.context() as patch:
        patch.setattr(parallel_simulation.Worker, "play_block", play_or_die)
        assert main(command) == 1
    output = capsys.readouterr()
    n_done = json.loads(output.out)["games_played"]
    assert 0 < n_done <= 20
    assert f"{n_done} of 40 games are saved; run the same command with --resume to continue" in output.err
    assert "a process that was at work has gone" in output.err and "help: fewer processes need less" in output.err
    assert main([*command, "--resume"]) == 0
    output = capsys.readouterr()
    assert f"continuing after {n_done} of 40 games" in output.err
    continuation = json.loads(output.out)
    for result in (whole, continuation):  # the share of native games depends on when it is ready
        result.pop("native", None)
    assert continuation == whole


def test_ctrl_c_among_games_of_skill_shows_the_games_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Tournament, "run", interrupt)
    command = ["simulate", BIDS, "--games", "8", "--seats", "flat:2,flat:2", "--skill", "4", "--format", "json"]
    assert main([*command, "--details"]) == 130
    result = json.loads(capsys.readouterr().out)
    assert result["games_played"] == 8 and not result["findings"]["skill"]


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


def test_balance_fails_on_a_broken_threshold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, text = tmp_path / "bids.yaml", Path(BIDS).read_text(encoding="utf-8")
    command = ["simulate", str(rules), "--option", "rounds=1", "--format", "json"]
    for limit, code in (("90", 0), ("1", 1)):
        rules.write_text(text + BALANCE.replace("LONG", limit), encoding="utf-8")
        assert main([*command, "--balance"]) == code
        result = json.loads(capsys.readouterr().out)
        assert result["games"] == 60 and result["balance"]["verdict"] == ("broken" if code else "kept")
    assert main([*command, "--games", "20"]) == 0  # balance was not requested
    assert "balance" not in json.loads(capsys.readouterr().out)
    assert main([*command, "--games", "20", "--seats", "random,fair", "--compare", BIDS]) == 0
    result = json.loads(capsys.readouterr().out)["balance"]
    assert [threshold["of"] for threshold in result["thresholds"]] == ["change"]
    assert "for games of random, random, but other bots played" in result["remarks"][0]


def test_balance_needs_thresholds_in_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", BIDS, "--balance"]) == 2
    assert "has no section `balance`" in capsys.readouterr().err
