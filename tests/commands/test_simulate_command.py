"""``lusory simulate``: where games are played, what is kept of them and what they are compared with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lusory import cluster
from lusory.cli import main

BIDS = str(Path(__file__).parents[1] / "fixtures" / "bids.yaml")


def test_only_what_is_typed_leads_to_a_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the environment that Dask reads nor anything else."""
    asked: list[object] = []

    def refused(*typed: object) -> None:
        asked.append(typed[1])
        raise cluster.NoCluster("there is none")

    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://127.0.0.1:9")
    monkeypatch.setattr(cluster.Cluster, "__init__", refused)
    assert main(["simulate", BIDS, "--games", "3", "--jobs", "2"]) == 0
    assert not asked
    assert main(["simulate", BIDS, "--games", "3", "--executor", "dask://127.0.0.1:9"]) == 2
    assert asked == ["dask://127.0.0.1:9"]


@pytest.mark.parametrize("kind", ["python:my_bots.Careful", "replay:game.json"])
def test_players_of_this_machine_do_not_play_on_a_cluster(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", BIDS, "--seats", f"random,{kind}", "--executor", "dask://127.0.0.1:9"]) == 2
    assert "is on this machine, and not on those of a cluster" in capsys.readouterr().err


def test_nobody_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", BIDS, "--executor", "elsewhere"]) == 2
    assert "`local`, or `dask://HOST:PORT`" in capsys.readouterr().err


def test_rules_are_compared_with_others_from_the_same_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is alike comes out alike, to the last game; what is not is told."""
    command = ["simulate", BIDS, "--games", "200", "--option", "rounds=1", "--format", "json", "--swap"]
    seats = ["--seats", "random,greedy"]
    same = tmp_path / "same.yaml"
    text = Path(BIDS).read_text(encoding="utf-8")
    same.write_text(text, encoding="utf-8")
    assert main([*command[:3], "8", *command[4:], *seats, "--compare", str(same)]) == 0
    found = json.loads(capsys.readouterr().out)["comparison"]
    assert all(change["before"] == change["after"] for change in found["changes"])
    other = tmp_path / "other.yaml"
    assert "then 6 else 3" in text
    other.write_text(text.replace("then 6 else 3", "then 6 else 1"), encoding="utf-8")
    main([*command, "--compare", str(other)])
    found = json.loads(capsys.readouterr().out)["comparison"]
    assert any(change["before"] != change["after"] for change in found["changes"])


def test_swapped_seats_are_compared_with_swapped_seats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", BIDS, "--games", "8", "--seats", "greedy,random", "--format", "json"]
    assert main([*command, "--swap"]) == 0
    base = tmp_path / "base.json"
    base.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main([*command, "--swap", "--compare", str(base)]) == 0
    assert json.loads(capsys.readouterr().out)["comparison"]["moved"] is False
    assert main([*command, "--compare", str(base)]) in (0, 1)
    assert "swapped seats in one of the two alone" in capsys.readouterr().out


BALANCE = """
balance:
  seats: [random, random]
  games: 60
  within: {length: 1..LONG}
  change: {length: 1}
"""


def test_a_build_fails_where_a_threshold_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, text = tmp_path / "bids.yaml", Path(BIDS).read_text(encoding="utf-8").replace("language: 1", "language: 2")
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
    assert "said of random, random, who did not play" in told["remarks"][0]


def test_a_ruleset_that_says_nothing_of_balance(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", BIDS, "--balance"]) == 2
    assert "says nothing of its balance" in capsys.readouterr().err
