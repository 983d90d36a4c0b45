"""Work that is divided among the machines of a cluster: nothing is lost with them or counted twice. On loopback."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from programs import BIDS

from lusory.game import Game
from lusory.stats import dask_executor, parallel_simulation
from lusory.stats.checkpoints import CheckpointWriter
from lusory.stats.dask_executor import Cluster, NoCluster
from lusory.stats.game_results_and_record_files import DECISIONS, GAMES
from lusory.stats.parallel_simulation import RANDOM_BLOCK_SIZE, Simulation
from lusory.support.process_pool import WorkerDied
from lusory_dsl.pipeline import load_program

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


@pytest.mark.parametrize("kinds", [SEATS, ("greedy", "random")])
def test_workers_that_die_in_the_middle_lose_nothing_and_count_nothing_twice(
    running: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kinds: tuple[str, ...]
) -> None:
    """Neither counts nor rows of a record, nor what is gathered of games."""
    monkeypatch.setattr(parallel_simulation, "MIN_BLOCK_COUNT", 1)
    game = Game(load_program(BIDS), 2, {"rounds": 1})
    block, blocks = (4, 5) if "greedy" in kinds else (RANDOM_BLOCK_SIZE, 12)
    looking: dict[str, Any] = (
        {"details": True, "tables": (GAMES, DECISIONS), "swap": True} if block == 4 else {"check": True}
    )
    alone, far = (
        Simulation(game, kinds, blocks * block + 2, seed=3, executor=place, **looking)
        for place in (None, Cluster(address(running)))
    )
    kept = [
        CheckpointWriter(tmp_path / name, work.identity, work.settings.tables)
        for name, work in (("a", alone), ("b", far))
    ]
    for one in kept:
        one.start_anew()
    heard: list[int] = []

    def kills(done: int) -> None:
        heard.append(done)
        if len(heard) in ((1,) if block < RANDOM_BLOCK_SIZE else (1, 4)):
            os.kill(next(iter(running.workers.values())).pid, signal.SIGKILL)

    assert far.run(kills, kept[1]) == alone.run(None, kept[0])
    assert far.to_json() == alone.to_json()
    assert heard == [*range(block, blocks * block + 1, block), blocks * block + 2]
    for one in kept:
        one.close_tables()
    rows = [[file.read_text(encoding="utf-8") for file in one.rows.values()] for one in kept]
    assert rows[0] == rows[1] and len(rows[0]) == len(far.settings.tables)


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (lambda library: library.KilledWorker("task", None, 3), "failed repeatedly on the same games"),
        (lambda library: OSError("broken"), "no longer answers"),
    ],
)
def test_a_cluster_that_goes_away_is_told(
    running: Any, monkeypatch: pytest.MonkeyPatch, raised: Callable[[Any], Exception], said: str
) -> None:
    def gone(*_: object) -> Iterator[Any]:
        raise raised(pytest.importorskip("distributed"))
        yield

    monkeypatch.setattr(dask_executor, "collect_in_order", gone)
    with pytest.raises(WorkerDied, match=said) as told:
        list(Cluster(address(running)).map_in_order(fails_at_two, range(2)))
    assert "use --executor local" in told.value.hint


def test_a_cluster_without_workers_is_told() -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    here = {"host": "127.0.0.1", "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=0, **here) as empty,
        pytest.raises(NoCluster, match="has no workers") as told,
    ):
        list(Cluster(address(empty)).map_in_order(fails_at_two, range(2)))
    assert "`dask worker 127.0.0.1:" in told.value.hint


def fails_at_two(number: int) -> int:
    if number == 2:
        raise ValueError(f"there is no {number}")
    return number


def test_what_goes_wrong_is_raised_in_its_turn(running: Any) -> None:
    results = Cluster(address(running)).map_in_order(fails_at_two, range(5))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="there is no 2"):
        next(results)


def test_machines_with_another_lusory_are_not_asked(running: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "compute_content_digest", lambda: "another")
    with pytest.raises(NoCluster, match="another version of lusory"):
        list(Cluster(address(running)).map_in_order(fails_at_two, range(2)))


@pytest.mark.parametrize("typed", ["dask://", "dask://host", "dask://host:0", "dask://a b:1", "dask://x:99999"])
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(NoCluster, match="is not the address of a cluster"):
        Cluster(typed)
