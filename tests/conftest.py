"""What holds for every test: the cache is a fresh folder, never the user's."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Also for the processes that tests start, through the environment."""
    before = os.environ.get("LUSORY_CACHE")
    os.environ["LUSORY_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["LUSORY_CACHE"]
    else:
        os.environ["LUSORY_CACHE"] = before
