"""Configure the whole test suite: slow and flaky markers, and fresh folders for the cache and user data."""

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import programs
import pytest
from hypothesis import HealthCheck, settings
from programs import BIDS, read_data

from lusory.game import Game
from lusory.support.cache import Cache
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)

SLOW = DATA["slow"]
"""Slow folders and test files, each with the reason. ``-m "not slow"`` skips them."""

TIMED = DATA["timed"]
"""Timing-dependent folders and test files, each with the reason.

pytest repeats a failing test of these once and counts it as `rerun` in its last line.
"""

TESTS = Path(__file__).parent

CACHE = "LUSORY_CACHE"
OWN = (CACHE, "XDG_DATA_HOME", "XDG_STATE_HOME", "PYTHONPATH")

# An example may take long on a busy machine.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Programs and their code stay alive between tests. Frequent garbage collections took a quarter of the time.
gc.set_threshold(100_000, 20, 50)

# Without bytecode, each process that a test starts would compile some 400 modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the test session its own cache and user folders.

    Environment variables pass these folders on to the processes that tests start. All workers of one session share a
    cache, so each program is checked and compiled only once. These processes find lusory although it isn't installed.
    """
    before = {name: os.environ.get(name) for name in OWN}
    for name in OWN:
        os.environ[name] = str(tmp_path_factory.mktemp("own"))
    os.environ["PYTHONPATH"] = os.pathsep.join(str(TESTS.parent / folder) for folder in ("dsl", "interpreter"))
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ[CACHE] = str(tmp_path_factory.getbasetemp().parent / "cache")
    programs.cache = Cache(Path(os.environ[CACHE]))
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture
def user_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test user folders of its own, `data` and `state`, and return the folder that holds them."""
    for kind in ("DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return tmp_path


@pytest.fixture(scope="session")
def game() -> Game:
    """Return the game of bids, for two players."""
    return Game(load_program(BIDS), 2)


@cache
def is_listed(path: Path, entries: frozenset[str]) -> bool:
    """Return whether a path is one of the entries, or in one of their folders."""
    path = path.relative_to(TESTS)
    return path.as_posix() in entries or any(folder in entries for folder in path.parts[:1])


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip slow files for ``-m "not slow"``, because collecting their tests takes as long as many tests."""
    return True if config.option.markexpr == "not slow" and is_listed(collection_path, frozenset(SLOW)) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow_entries, timed_entries = frozenset(SLOW), frozenset(TIMED)
    for item in items:
        if is_listed(item.path, slow_entries):
            item.add_marker("slow")
        if is_listed(item.path, timed_entries):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Collect garbage after each test file and exclude the surviving objects from later collections.

    Cached programs and their code stay alive for later tests. Scanning them again and again took as long as many tests.
    """
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()
