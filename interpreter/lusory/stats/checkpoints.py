"""Save checkpoints of simulations, so that interrupted runs can resume, and read records of games."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import IO, Any, NamedTuple

from lusory_dsl.source.safe_files import FileRefused, read_bytes

from ..native import NativeUsage
from ..support.cache import stat_digest
from ..support.folders import make_private, state_folder, write_private
from .aggregates import Statistics
from .estimates import Series, group_by_seed
from .game_records import ENDING, FINISHED, RecordError, Row

LIMIT = 200_000_000
"""Maximum size of a record in bytes."""

LINE = 100_000
"""Maximum length of a row in characters."""

MOST_ROWS = 1_000_000
"""Maximum number of games in a record that is read."""

MOST_SEATS = 26


class EarlierGames(NamedTuple):
    """Content of a record: a heading with the same keys as the result of a simulation, and the games."""

    result: dict[str, Any]
    games: Series


def is_record(path: Path) -> bool:
    """Return whether a file name is that of a record."""
    return path.suffix == ENDING


def read_record(path: Path) -> EarlierGames:
    """Return the finished games of a record. Raises RecordError."""
    try:
        content = read_bytes(path, LIMIT)
    except FileRefused as refusal:
        raise RecordError(f"{path} cannot be read: {refusal.reason}") from None
    try:
        return _parse_games(_parse_lines(content))
    except RecordError as problem:
        raise RecordError(f"{path} is not a record of games: {problem}") from None


def _parse_lines(content: bytes) -> Iterable[Mapping[str, Any]]:
    for number, line in enumerate(content.splitlines(), 1):
        if number > MOST_ROWS or len(line) > LINE:
            raise RecordError(f"line {number} exceeds the size limit")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise RecordError(f"line {number} is not JSON") from None
        if not isinstance(found, dict):
            raise RecordError(f"line {number} is not a row")
        yield found


def _parse_games(rows: Iterable[Mapping[str, Any]]) -> EarlierGames:
    heading: dict[str, Any] | None = None
    found: list[Row] = []
    seatings: set[tuple[int, ...]] = set()
    for number, cells in enumerate(rows, 1):
        try:
            told = _parse_heading(cells)
            if heading is not None and told != heading:
                raise ValueError("it belongs to another simulation than the first row")
            heading = told
            if cells["ending"] == FINISHED:
                found.append(_parse_row(cells))
                seatings.add(found[-1].seating)
        except (KeyError, TypeError, ValueError, RecursionError) as problem:
            raise RecordError(f"row {number}: {_describe_problem(problem)}") from None
    if heading is None:
        raise RecordError("it is empty")
    kinds = [{"kind": kind} for kind in heading.pop("kinds")]
    swapped = len(seatings) > 1
    result = {**heading, "seats": kinds, **({"lineup": kinds} if swapped else {})}
    return EarlierGames(result, group_by_seed(found))


def _describe_problem(problem: Exception) -> str:
    return (
        f"`{problem.args[0]}` is missing" if isinstance(problem, KeyError) else str(problem) or "it has the wrong form"
    )


def _parse_heading(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that all rows of a record share."""
    seats = _parse_numbers(cells["players"])
    if sorted(seats) != list(range(1, len(seats) + 1)):
        raise ValueError("`players` must number the players of a game")
    kinds = [_parse_text(kind) for kind in cells["kinds"]]
    if len(kinds) != len(seats):
        raise ValueError("`kinds` and `players` differ in length")
    options = json.loads(_parse_text(cells["options"], LINE))
    if not isinstance(options, dict) or not all(isinstance(value, bool | int | str) for value in options.values()):
        raise ValueError("`options` must be a JSON object of values")
    return {
        "game": {"id": _parse_text(cells["ruleset"]), "digest": _parse_text(cells["digest"])},
        "players": len(seats),
        "options": options,
        "kinds": [kinds[seats.index(who + 1)] for who in range(len(seats))],
    }


def _parse_row(cells: Mapping[str, Any]) -> Row:
    """Parse one game. Raises KeyError, TypeError or ValueError for invalid data."""
    seating = tuple(who - 1 for who in _parse_numbers(cells["players"]))
    places = _parse_numbers(cells["places"])
    if len(places) != len(seating):
        raise ValueError("`places` must have a number for each seat")
    began = _parse_optional_number(cells.get("began"))
    if began is not None and not 1 <= began <= len(seating):
        raise ValueError("`began` must be a seat")
    return Row(
        _parse_number(cells["seed"]),
        seating,
        tuple(seat for seat, place in enumerate(places) if place == 1),
        _parse_number(cells["decisions"]),
        _parse_optional_number(cells["turns"]),
        None if began is None else began - 1,
        None if cells["reason"] is None else _parse_text(cells["reason"], LINE),
        _parse_optional_number(cells.get("result")),
    )


def _parse_number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**64:
        raise ValueError("a field must be a whole number")
    return value


def _parse_optional_number(value: Any) -> int | None:
    return None if value is None else _parse_number(value)


def _parse_numbers(value: Any) -> Sequence[int]:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_SEATS:
        raise ValueError("a field must be a list of whole numbers")
    return [_parse_number(one) for one in value]


def _parse_text(value: Any, most: int = 1000) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError("a field must be a short text")
    return value


EVERY = 5.0
"""Seconds between two checkpoints. That much play is lost if a process is killed."""

MOST = 50
"""Maximum number of checkpoints in the user's folder."""

CHECKPOINT_LIMIT = 50_000_000
"""Maximum size of a checkpoint in bytes."""

COUNTS = "lusory.stats.aggregates", "lusory.stats.game_records"
"""Modules whose classes a checkpoint may contain."""


class Checkpoint(NamedTuple):
    """Checkpoint of a simulation: its identity, the number of counted blocks, and the length of each table file."""

    identity: str
    done: int
    tally: Statistics
    use: NativeUsage
    rows: tuple[int, ...]


class CheckpointWriter:
    """Writer and reader of the checkpoint of one simulation.

    With a ``file``, it also keeps the lines of record ``tables`` beside it. Without one, it uses the user's state
    folder, if possible. ``identity`` is equal for two runs of the same simulation.
    """

    def __init__(self, file: Path | None, identity: str, tables: Sequence[str] = ()) -> None:
        self._file = file
        self.identity = identity
        self.rows = {} if file is None else {table: file.with_name(f"{file.name}-{table}") for table in tables}
        self.begun = False
        self._open: dict[str, IO[bytes]] = {}
        self._written = monotonic()
        self._latest: tuple[int, Statistics, NativeUsage] | None = None

    @property
    def file(self) -> Path:
        """Return the file of the checkpoint. Raises OSError."""
        return checkpoint_file(self.identity) if self._file is None else self._file

    def take_up(self) -> Checkpoint | None:
        """Load the checkpoint of an earlier run of this simulation, and cut the tables to its length.

        Return None if there is none.
        """
        try:
            kept = _Reader(io.BytesIO(read_bytes(self.file, CHECKPOINT_LIMIT))).load()
        except Exception:  # a damaged pickle can raise anything, and the file may be missing
            return None
        if not isinstance(kept, Checkpoint) or kept.identity != self.identity or len(kept.rows) != len(self.rows):
            return None
        for path, size in zip(self.rows.values(), kept.rows, strict=True):
            if not path.is_file() or path.stat().st_size < size:
                return None
        for (table, path), size in zip(self.rows.items(), kept.rows, strict=True):
            self._append(table, path, size)
        self.begun = True
        return kept

    def begin(self) -> None:
        """Start without a checkpoint."""
        for table, path in self.rows.items():
            self._append(table, path, 0)

    def _append(self, table: str, path: Path, size: int) -> None:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        file = os.fdopen(handle, "r+b")
        file.truncate(size)
        file.seek(size)
        self._open[table] = file

    def counted(self, done: int, tally: Statistics, use: NativeUsage, lines: Sequence[Sequence[str]]) -> None:
        """Record that ``done`` blocks are counted, and append the lines of the latest to each table."""
        for file, new in zip(self._open.values(), lines, strict=True):
            file.write("".join(f"{line}\n" for line in new).encode())
        self._latest = done, tally, use
        if monotonic() - self._written >= EVERY:
            self.write()

    def write(self) -> None:
        """Write a checkpoint. Raises OSError."""
        if self._latest is None:
            return
        for file in self._open.values():
            file.flush()
            os.fsync(file.fileno())
        done, tally, use = self._latest
        kept = Checkpoint(self.identity, done, tally, use, tuple(file.tell() for file in self._open.values()))
        self._written, self._latest = monotonic(), None
        try:
            write_private(self.file, pickle.dumps(kept))
            self.begun = True
        except OSError:
            if self._file is not None:
                raise

    def complete(self) -> None:
        """Close the tables: all games are counted."""
        self._latest = None
        for file in self._open.values():
            file.close()
        self._open.clear()

    def forget(self) -> None:
        """Delete the checkpoint and the tables."""
        self.complete()
        for path in (self.file, *self.rows.values()) if self.begun or self.rows else ():
            with suppress(OSError):
                path.unlink(missing_ok=True)


def digest_identity(parts: Any) -> str:
    """Return a digest of the parts that identify a run, and of the installed version of lusory."""
    return hashlib.sha256(json.dumps([stat_digest(), parts], sort_keys=True).encode()).hexdigest()


def checkpoint_file(identity: str, what: str = "simulations") -> Path:
    """Return the checkpoint file in the user's state folder, and delete the oldest ones. Raises OSError."""
    folder = make_private(state_folder() / what)
    with suppress(OSError):
        others = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
        for file in others[: max(len(others) - MOST, 0)]:
            file.unlink(missing_ok=True)
    return folder / f"{identity[:24]}.part"


class _Reader(pickle.Unpickler):
    """Unpickler that only creates counters, so that a checkpoint cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "Counter"):
            return super().find_class(module, name)
        named = (NativeUsage.__module__, NativeUsage.__name__), (Checkpoint.__module__, Checkpoint.__name__)
        if (module in COUNTS or (module, name) in named) and "." not in name:
            found = getattr(sys.modules[module], name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in counts")
