"""What is kept of a simulation while it is played, so that it can go on where it was interrupted.

From time to time, and when it stops, the counts of all whole blocks are written down; rows of a record are appended to
files beside. Who goes on takes up the counts, cuts the rows to what was counted, and plays the blocks that are left:
the same as without an interruption.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import IO, Any, NamedTuple

from lusory_dsl.text.disk import read_bytes

from ..cache import own_digest
from ..folders import private, state_folder, write_own
from ..native_code import Use
from .statistics import Statistics

EVERY = 5.0
"""Seconds of play that can be lost where a process is killed."""

MOST = 50
"""Simulations that are kept at once in the user's folder."""

LIMIT = 50_000_000
"""Bytes of counts."""

COUNTS = "lusory.study.statistics", "lusory.study.gathered", "lusory.study.tallies", "lusory.study.result"
"""The modules of whose records counts are made."""


class Kept(NamedTuple):
    """What is kept of a simulation: which one, how many of its blocks are counted, and how long the rows were then."""

    identity: str
    done: int
    tally: Statistics
    use: Use
    rows: tuple[int, ...]


class Keeping:
    """Keeps a simulation in ``file``, and lines of the tables of a record beside it; None: in the user's own folder,
    where that can be, without lines. ``identity``: what two runs of the same simulation have in common."""

    def __init__(self, file: Path | None, identity: str, tables: Sequence[str] = ()) -> None:
        self._file = file
        self.identity = identity
        self.rows = {} if file is None else {table: file.with_name(f"{file.name}-{table}") for table in tables}
        self.begun = False
        self._open: dict[str, IO[bytes]] = {}
        self._written = monotonic()
        self._latest: tuple[int, Statistics, Use] | None = None

    @property
    def file(self) -> Path:
        """Where it is kept. Raises OSError."""
        return own_place(self.identity) if self._file is None else self._file

    def take_up(self) -> Kept | None:
        """What an earlier run kept of the same simulation, if it did: rows end where that was."""
        try:
            kept = _Reader(io.BytesIO(read_bytes(self.file, LIMIT))).load()
        except Exception:  # whatever a damaged pickle raises, or that there is none
            return None
        if not isinstance(kept, Kept) or kept.identity != self.identity or len(kept.rows) != len(self.rows):
            return None
        for path, size in zip(self.rows.values(), kept.rows, strict=True):
            if not path.is_file() or path.stat().st_size < size:
                return None
        for (table, path), size in zip(self.rows.items(), kept.rows, strict=True):
            self._append(table, path, size)
        self.begun = True
        return kept

    def begin(self) -> None:
        """Nothing is taken up."""
        for table, path in self.rows.items():
            self._append(table, path, 0)

    def _append(self, table: str, path: Path, size: int) -> None:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        file = os.fdopen(handle, "r+b")
        file.truncate(size)
        file.seek(size)
        self._open[table] = file

    def counted(self, done: int, tally: Statistics, use: Use, lines: Sequence[Sequence[str]]) -> None:
        """So many blocks are counted, the latest with these lines of each table."""
        for file, new in zip(self._open.values(), lines, strict=True):
            file.write("".join(f"{line}\n" for line in new).encode())
        self._latest = done, tally, use
        if monotonic() - self._written >= EVERY:
            self.write()

    def write(self) -> None:
        """Write down what is counted. Raises OSError."""
        if self._latest is None:
            return
        for file in self._open.values():
            file.flush()
            os.fsync(file.fileno())
        done, tally, use = self._latest
        kept = Kept(self.identity, done, tally, use, tuple(file.tell() for file in self._open.values()))
        self._written, self._latest = monotonic(), None
        try:
            write_own(self.file, pickle.dumps(kept))
            self.begun = True
        except OSError:
            if self._file is not None:
                raise

    def complete(self) -> None:
        """All is counted: the rows are whole."""
        self._latest = None
        for file in self._open.values():
            file.close()
        self._open.clear()

    def forget(self) -> None:
        """Nothing needs to be kept any more."""
        self.complete()
        for path in (self.file, *self.rows.values()) if self.begun or self.rows else ():
            with suppress(OSError):
                path.unlink(missing_ok=True)


def identity_of(parts: Any) -> str:
    """What two runs of the same simulation have in common, of the same version of lusory."""
    return hashlib.sha256(json.dumps([own_digest(), parts], sort_keys=True).encode()).hexdigest()


def own_place(identity: str, what: str = "simulations") -> Path:
    """Where a simulation without a record is kept, or something like it. Raises OSError."""
    folder = private(state_folder() / what)
    with suppress(OSError):
        others = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
        for file in others[: max(len(others) - MOST, 0)]:
            file.unlink(missing_ok=True)
    return folder / f"{identity[:24]}.part"


class _Reader(pickle.Unpickler):
    """Makes counts and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "Counter"):
            return super().find_class(module, name)
        named = (Use.__module__, "Use"), (Kept.__module__, "Kept")
        if (module in COUNTS or (module, name) in named) and "." not in name:
            found = getattr(sys.modules[module], name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in counts")
