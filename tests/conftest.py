"""What holds for every test: the cache and the user's own folders are fresh ones, never the user's."""

import os
from collections.abc import Iterator

import pytest

OWN = ("LUSORY_CACHE", "XDG_DATA_HOME", "XDG_STATE_HOME")


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Also for the processes that tests start, through the environment."""
    before = {name: os.environ.get(name) for name in OWN}
    for name in OWN:
        os.environ[name] = str(tmp_path_factory.mktemp("own"))
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value
