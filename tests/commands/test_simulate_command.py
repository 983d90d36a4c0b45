"""``lusory simulate``: where games are played, what is kept of them and what they are compared with."""

from __future__ import annotations

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
