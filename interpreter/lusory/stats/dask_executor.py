"""Run tasks on the machines of a Dask cluster. All uses of Dask are in this module.

The cluster is trusted: its workers run the same version of lusory, and results come back as pickles. If a machine
disappears, the scheduler repeats its tasks elsewhere.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar

from lusory_dsl.source.nesting_limits import raise_recursion_limit

from ..support.cache import compute_content_digest
from ..support.process_pool import WorkerDied, collect_in_order

T = TypeVar("T")
R = TypeVar("R")

SCHEME = "dask://"
CONNECT_SECONDS = 10.0
"""Seconds to wait for an answer of the cluster."""

LOCAL_HINT = "to play on this machine, use --executor local"
"""Hint for a user whose cluster fails."""

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})", re.ASCII)


class NoCluster(Exception):
    """Error: there is no cluster at this address, or Dask is not installed. ``hint`` suggests a remedy."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Cluster:
    """Running cluster. ``address`` is ``dask://HOST:PORT`` of its scheduler. Raises NoCluster."""

    def __init__(self, address: str) -> None:
        match = _ADDRESS.fullmatch(address.removeprefix(SCHEME))
        if match is None or not 0 < int(match[2]) < 65536:
            raise NoCluster(
                f"`{address}` is not the address of a cluster: write {SCHEME}HOST:PORT",
                f"`dask scheduler` prints its address, often {SCHEME}127.0.0.1:8786",
            )
        self.address = f"{match[1]}:{match[2]}"
        try:
            from dask import config

            config.set({"logging": {"distributed": "critical", "distributed.client": "critical"}})
            # the import reads the logging configuration; failures are raised as exceptions
            import distributed
        except ImportError:
            raise NoCluster("dask.distributed is not installed", "pip install 'lusory[dask]'") from None
        self._library = distributed
        secure = config.get("distributed.comm.require-encryption", False)
        self._contact = f"{'tls' if secure else 'tcp'}://{self.address}"

    def map_in_order(self, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R, None, None]:
        """Run tasks on the cluster and yield their results in order, as ``process_pool.map_in_order`` does.

        Raises NoCluster without a scheduler, workers or the same version of lusory, and WorkerDied if the cluster fails
        later.
        """
        library = self._library
        with self._connect() as client:
            # pass the work as a task, so that the scheduler can recompute it if a machine is lost
            work_future = client.submit(bytes, pickle.dumps(work), pure=False)

            def submit(number: int) -> Any:
                return client.submit(_run_task, compute_content_digest(), work_future, tasks[number], pure=False)

            try:
                yield from collect_in_order(submit, len(tasks))
            except library.KilledWorker:
                problem = "machines of the cluster failed repeatedly on the same games"
                raise WorkerDied(problem, LOCAL_HINT) from None
            except (OSError, CancelledError):
                raise WorkerDied(f"the cluster at {self.address} no longer answers", LOCAL_HINT) from None
            except VersionMismatch as problem:
                raise NoCluster(str(problem), "install the same version of lusory on all machines") from None

    @contextmanager
    def _connect(self) -> Iterator[Any]:
        """Connect to the cluster during the block. Raises NoCluster if it does not answer or has no workers."""
        library = self._library
        try:
            client = library.Client(self._contact, timeout=CONNECT_SECONDS, set_as_default=False, name="lusory")
        except (OSError, TimeoutError, ValueError):
            raise NoCluster(
                f"no cluster answers at {self.address}", f"`dask scheduler --port PORT` starts one; {LOCAL_HINT}"
            ) from None
        try:
            if not client.scheduler_info(n_workers=-1)["workers"]:
                raise NoCluster(
                    f"the cluster at {self.address} has no workers", f"`dask worker {self.address}` starts one"
                )
            yield client
        finally:
            with suppress(OSError, TimeoutError):
                client.close(timeout=CONNECT_SECONDS)


# ---------------------------------------------------------------- code that runs on the workers

_task_lock = Lock()


class VersionMismatch(Exception):
    """Error: a machine of the cluster has another version of lusory."""


def _run_task(digest: str, pickled_work: bytes, task: Any) -> Any:
    """Run a task on a worker, one at a time, because the code is not thread-safe. Raises VersionMismatch."""
    if digest != compute_content_digest():
        raise VersionMismatch("a machine of the cluster has another version of lusory, which may give other results")
    with _task_lock:
        return _load_work(pickled_work)(task)


@lru_cache(maxsize=4)
def _load_work(pickled_work: bytes) -> Callable[[Any], Any]:
    """Unpickle the work, once in each process."""
    raise_recursion_limit()
    work: Callable[[Any], Any] = pickle.loads(pickled_work)
    return work
