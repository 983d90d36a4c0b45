"""Save and load checkpoints of simulations and tuning runs, so that interrupted runs can resume."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import IO, Any, NamedTuple

from lusory_dsl.source.safe_files_and_bundled_data import read_bytes

from ..native import NativeUsage
from ..support.cache import compute_stat_digest
from ..support.user_folders_private_files_and_locks import get_state_folder, make_private, write_private

CHECKPOINT_SECONDS = 5.0
"""Seconds between two checkpoints. That much play is lost if a process is killed."""

MAX_CHECKPOINTS = 50
"""Maximum number of checkpoints in the user's folder."""

CHECKPOINT_LIMIT = 50_000_000
"""Maximum size of a checkpoint in bytes."""

CHECKPOINT_MODULES = tuple(
    f"lusory.stats.{name}" for name in ("mergeable_counters", "game_results_and_record_files", "ruleset_tuning")
)
"""Modules whose classes a checkpoint may contain."""


class Checkpoint(NamedTuple):
    """Checkpoint of a run: its identity, the number of counted blocks, and the length of each table file.

    ``totals`` is what they add up to: the statistics of a simulation, or the points of a tuning run.
    """

    identity: str
    block_count: int
    totals: Any
    use: NativeUsage
    rows: tuple[int, ...]


class CheckpointWriter:
    """Writer and reader of the checkpoint of one run.

    With a ``file``, it also keeps the lines of record ``tables`` beside it. Without one, it uses the user's state
    folder, if possible. ``identity`` is equal for two runs of the same simulation or tuning.
    """

    def __init__(self, file: Path | None, identity: str, tables: Sequence[str] = ()) -> None:
        self._file = file
        self.identity = identity
        self.rows = {} if file is None else {table: file.with_name(f"{file.name}-{table}") for table in tables}
        self.has_begun = False
        self._open: dict[str, IO[bytes]] = {}
        self._write_time = monotonic()
        self._latest: tuple[int, Any, NativeUsage] | None = None

    @property
    def file(self) -> Path:
        """The file of the checkpoint: the given one, or else one in ``simulations`` of the user's state folder.

        If none was given, the name is the first 24 characters of ``identity`` and ``.part``. Each access then creates
        the folder, but not the file, and if possible deletes all but the MAX_CHECKPOINTS files last modified there,
        whatever their names. Raises OSError if the folder can't be created, or others own it or can write to it.
        """
        if self._file is not None:
            return self._file
        folder = make_private(get_state_folder() / "simulations")
        with suppress(OSError):
            older_files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
            for file in older_files[: max(len(older_files) - MAX_CHECKPOINTS, 0)]:
                file.unlink(missing_ok=True)
        return folder / f"{self.identity[:24]}.part"

    def load(self) -> Checkpoint | None:
        """Return the checkpoint of an earlier run, open its table files for appending, and set ``has_begun``.

        Each table is cut to its length at the checkpoint. Returns None if the checkpoint is missing, damaged, larger
        than ``CHECKPOINT_LIMIT`` bytes, or of another ``identity`` or number of tables. Returns None, too, if a table
        is missing, a folder, or shorter than at the checkpoint. No table is changed in these cases. Raises OSError if a
        table can't be opened, after cutting those before it.

        Example: a run appended the line ``one``, wrote a checkpoint after block 1, and appended the line ``two``. Then
        this returns a Checkpoint with ``block_count`` 1 and ``rows`` (4,), the bytes of ``one\\n``, and the table has
        only the line ``one``.
        """
        try:
            checkpoint = _Reader(io.BytesIO(read_bytes(self.file, CHECKPOINT_LIMIT))).load()
        except Exception:  # a damaged pickle can raise anything, and the file may be missing
            return None
        if (
            not isinstance(checkpoint, Checkpoint)
            or checkpoint.identity != self.identity
            or len(checkpoint.rows) != len(self.rows)
        ):
            return None
        for path, size in zip(self.rows.values(), checkpoint.rows, strict=True):
            if not path.is_file() or path.stat().st_size < size:
                return None
        for (table, path), size in zip(self.rows.items(), checkpoint.rows, strict=True):
            self._append(table, path, size)
        self.has_begun = True
        return checkpoint

    def start_anew(self) -> None:
        """Start without a checkpoint: empty the files of the tables, or create them. Raises OSError."""
        for table, path in self.rows.items():
            self._append(table, path, 0)

    def _append(self, table: str, path: Path, size: int) -> None:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        file = os.fdopen(handle, "r+b")
        file.truncate(size)
        file.seek(size)
        self._open[table] = file

    def add_block(self, block_count: int, totals: Any, use: NativeUsage, lines: Sequence[Sequence[str]]) -> None:
        """Record that ``block_count`` blocks are counted in all, and append the lines of the latest one to each table.

        ``totals`` and ``use`` are those of all these blocks, for the next checkpoint. ``lines`` holds a list for each
        table, in the order of ``rows``, without line ends. The lines may stay in a buffer until that checkpoint. Call
        :meth:`load` before, and :meth:`start_anew` if it returns None. Writes a checkpoint if the last (or the creation
        of this object) was at least ``CHECKPOINT_SECONDS`` ago. Raises OSError if a table or the given checkpoint file
        can't be written. Without a given file, a checkpoint that can't be written is ignored.
        """
        for file, new_lines in zip(self._open.values(), lines, strict=True):
            file.write("".join(f"{line}\n" for line in new_lines).encode())
        self._latest = block_count, totals, use
        if monotonic() - self._write_time >= CHECKPOINT_SECONDS:
            self.write()

    def write(self) -> None:
        """Flush the files of the tables, and write a checkpoint of the latest block with their lengths.

        Set ``has_begun`` if the checkpoint is written. Do nothing if no block was added since the last one. Raises
        OSError if a table can't be flushed; the next call tries again. Raises it, too, if a given file can't be
        written. Without a given file, a failure to write the checkpoint is ignored. After either failure to write
        it, the next call does nothing until another block is added.
        """
        if self._latest is None:
            return
        for file in self._open.values():
            file.flush()
            os.fsync(file.fileno())
        checkpoint = Checkpoint(self.identity, *self._latest, tuple(file.tell() for file in self._open.values()))
        self._write_time, self._latest = monotonic(), None
        try:
            write_private(self.file, pickle.dumps(checkpoint))
            self.has_begun = True
        except OSError:
            if self._file is not None:
                raise

    def close_tables(self) -> None:
        """Close the files of the tables, and forget the latest block.

        Until a block is added, :meth:`write` then does nothing. If there are tables, :meth:`add_block` raises
        ValueError until :meth:`load` or :meth:`start_anew` opens them again.
        """
        self._latest = None
        for file in self._open.values():
            file.close()
        self._open.clear()

    def delete(self) -> None:
        """Close the tables, and delete them and the checkpoint.

        Without tables, the checkpoint is only deleted if this object has loaded or written it. Files that are missing
        or can't be deleted are ignored.
        """
        self.close_tables()
        for path in (self.file, *self.rows.values()) if self.has_begun or self.rows else ():
            with suppress(OSError):
                path.unlink(missing_ok=True)


def digest_identity(parts: Any) -> str:
    """Return the SHA-256, in hexadecimal, of the parts that identify a run and of the installed version of lusory."""
    return hashlib.sha256(json.dumps([compute_stat_digest(), parts], sort_keys=True).encode()).hexdigest()


class _Reader(pickle.Unpickler):
    """Unpickler that only creates counters, so that a checkpoint cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that a checkpoint may contain. Raises ``pickle.UnpicklingError`` for anything else.

        These are Counter, NativeUsage, Checkpoint, and the classes that one of the CHECKPOINT_MODULES defines itself.
        """
        if (module, name) == ("collections", "Counter"):
            return super().find_class(module, name)
        is_allowed = (NativeUsage.__module__, NativeUsage.__name__), (Checkpoint.__module__, Checkpoint.__name__)
        if (module in CHECKPOINT_MODULES or (module, name) in is_allowed) and "." not in name:
            member = getattr(import_module(module), name, None)
            if isinstance(member, type) and member.__module__ == module:
                return member
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in counts")
