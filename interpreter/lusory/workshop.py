"""Folders in which native code is built and lies until nobody needs it: each of one process, and gone with it.

Where a process is killed its folder stays. It holds a lock on a file in there for as long as it lives, so the next one
that builds can tell, and removes what nobody holds any more: of this user's own folders alone.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from .folders import is_ours
from .locks import locked

PREFIX, HELD = "lusory-build-", "held"


class Workshop:
    """A folder for one's own use, which goes with this. ``path``: where it is."""

    def __init__(self) -> None:
        for left in _left():
            shutil.rmtree(left, ignore_errors=True)
        folder = tempfile.TemporaryDirectory(prefix=PREFIX)
        self.path = Path(folder.name)
        unseen = self.path / "lock"
        lock = unseen.open("wb")
        locked(lock.fileno())
        os.rename(unseen, self.path / HELD)  # nobody sees it before it is locked
        self.close = weakref.finalize(self, _gone, folder, lock)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _gone(folder: tempfile.TemporaryDirectory[str], lock: IO[bytes]) -> None:
    lock.close()
    folder.cleanup()


def _left() -> Iterator[str]:
    """The folders of this user whose processes are no more."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as found:
        for entry in found:
            if entry.name.startswith(PREFIX) and _is_left(entry):
                yield entry.path


def _is_left(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
        if not (stat.S_ISDIR(status.st_mode) and is_ours(status)):
            return False
        with open(os.path.join(entry.path, HELD), "rb") as held:
            return locked(held.fileno())
    except OSError:
        return False
