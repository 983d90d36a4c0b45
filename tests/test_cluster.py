"""Work that is divided among the machines of a cluster: nothing is lost with them or counted twice. On loopback."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lusory import cluster
from lusory.cluster import Cluster, NoCluster
from lusory.game import Game
from lusory.study import playing
from lusory.study.playing import BLOCK
from lusory.study.simulate import Simulation
from lusory_dsl.pipeline import load_program

BIDS = Path(__file__).parent / "fixtures" / "bids.yaml"
SEATS = ("random", "random")


@pytest.fixture(scope="module")
def running() -> Iterator[Any]:
    """Two workers, whose keepers start another where one dies."""
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, host="127.0.0.1", dashboard_address=None, worker_dashboard_address=None
    ) as found:
        yield found


def address(running: Any) -> str:
    return running.scheduler_address.replace("tcp://", "dask://")


def test_workers_that_die_in_the_middle_lose_nothing_and_count_nothing_twice(
    running: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "BLOCKS", 1)
    game = Game(load_program(BIDS), 2)
    alone, far = (
        Simulation(game, SEATS, 12 * BLOCK + 5, seed=3, check=True, place=place)
        for place in (None, Cluster(address(running)))
    )
    heard: list[int] = []

    def kills(done: int) -> None:
        heard.append(done)
        if len(heard) in (1, 4):
            os.kill(next(iter(running.workers.values())).pid, signal.SIGKILL)

    assert far.run(kills) == alone.run()
    assert far.to_json() == alone.to_json()
    assert heard == [*range(BLOCK, 12 * BLOCK + 1, BLOCK), 12 * BLOCK + 5]


def fails_at_two(number: int) -> int:
    if number == 2:
        raise ValueError(f"there is no {number}")
    return number


def test_what_goes_wrong_is_raised_in_its_turn(running: Any) -> None:
    results = Cluster(address(running)).in_order(fails_at_two, range(5))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="there is no 2"):
        next(results)


def test_machines_with_another_lusory_are_not_asked(running: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "code_digest", lambda: "another")
    with pytest.raises(NoCluster, match="another version of lusory"):
        list(Cluster(address(running)).in_order(fails_at_two, range(2)))


@pytest.mark.parametrize("typed", ["dask://", "dask://host", "dask://host:0", "dask://a b:1", "dask://x:99999"])
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(NoCluster, match="is no address of a cluster"):
        Cluster(typed)
