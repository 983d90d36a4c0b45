"""Simulations on a cluster lose no games and count none twice. The clusters run on this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
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
def local_cluster() -> Iterator[Any]:
    """Start a cluster of two workers that are restarted when they die."""
    dask_distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with dask_distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, host="127.0.0.1", dashboard_address=None, worker_dashboard_address=None
    ) as cluster:
        yield cluster


def get_address(local_cluster: Any) -> str:
    return local_cluster.scheduler_address.replace("tcp://", "dask://")


@pytest.mark.parametrize("kinds", [SEATS, ("greedy", "random")])
def test_dying_workers_lose_no_games_and_count_none_twice(
    local_cluster: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kinds: tuple[str, ...]
) -> None:
    """Compares counts, rows of records and collected figures with a local run."""
    monkeypatch.setattr(parallel_simulation, "MIN_BLOCK_COUNT", 1)
    game = Game(load_program(BIDS), 2, {"rounds": 1})
    block, blocks = (4, 5) if "greedy" in kinds else (RANDOM_BLOCK_SIZE, 12)
    settings: dict[str, Any] = (
        {"has_details": True, "tables": (GAMES, DECISIONS), "swaps_seats": True}
        if block == 4
        else {"checks_invariants": True}
    )
    local, remote = (
        Simulation(game, kinds, blocks * block + 2, seed=3, map_on_cluster=place and place.map_in_order, **settings)
        for place in (None, Cluster(get_address(local_cluster)))
    )
    writers = [
        CheckpointWriter(tmp_path / name, work.identity, work.settings.tables)
        for name, work in (("a", local), ("b", remote))
    ]
    for writer in writers:
        writer.start_anew()
    progress: list[int] = []

    def report_and_kill(n_done: int) -> None:
        progress.append(n_done)
        if len(progress) in ((1,) if block < RANDOM_BLOCK_SIZE else (1, 4)):
            with suppress(ProcessLookupError):  # dead already: its nanny hasn't begun another one yet
                os.kill(next(iter(local_cluster.workers.values())).pid, signal.SIGKILL)

    assert remote.run(report_and_kill, writers[1]) == local.run(None, writers[0])
    assert remote.to_json() == local.to_json()
    assert progress == [*range(block, blocks * block + 1, block), blocks * block + 2]
    for writer in writers:
        writer.close_tables()
    rows = [[file.read_text(encoding="utf-8") for file in writer.rows.values()] for writer in writers]
    assert rows[0] == rows[1] and len(rows[0]) == len(remote.settings.tables)


@pytest.mark.parametrize(
    ("create_error", "message"),
    [
        (lambda library: library.KilledWorker("task", None, 3), "failed repeatedly on the same games"),
        (lambda library: OSError("broken"), "no longer answers"),
    ],
)
def test_a_lost_cluster_is_reported(
    local_cluster: Any, monkeypatch: pytest.MonkeyPatch, create_error: Callable[[Any], Exception], message: str
) -> None:
    def fail(*_: object) -> Iterator[Any]:
        raise create_error(pytest.importorskip("distributed"))
        yield

    monkeypatch.setattr(dask_executor, "collect_in_order", fail)
    with pytest.raises(WorkerDied, match=message) as caught:
        list(Cluster(get_address(local_cluster)).map_in_order(fail_at_two, range(2)))
    assert "use --executor local" in caught.value.hint


def test_a_cluster_without_workers_is_reported() -> None:
    dask_distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    address = {"host": "127.0.0.1", "dashboard_address": None}
    with (
        dask_distributed.LocalCluster(n_workers=0, **address) as empty,
        pytest.raises(NoCluster, match="has no workers") as caught,
    ):
        list(Cluster(get_address(empty)).map_in_order(fail_at_two, range(2)))
    assert "`dask worker 127.0.0.1:" in caught.value.hint


def fail_at_two(number: int) -> int:
    if number == 2:
        raise ValueError(f"there is no {number}")
    return number


def test_errors_are_raised_in_the_order_of_the_tasks(local_cluster: Any) -> None:
    results = Cluster(get_address(local_cluster)).map_in_order(fail_at_two, range(5))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="there is no 2"):
        next(results)


def test_machines_with_another_version_are_refused(local_cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "compute_content_digest", lambda: "another")
    with pytest.raises(NoCluster, match="another version of lusory"):
        list(Cluster(get_address(local_cluster)).map_in_order(fail_at_two, range(2)))


@pytest.mark.parametrize("address_text", ["dask://", "dask://host", "dask://host:0", "dask://a b:1", "dask://x:99999"])
def test_an_invalid_address_is_refused(address_text: str) -> None:
    with pytest.raises(NoCluster, match="is not the address of a cluster"):
        Cluster(address_text)
