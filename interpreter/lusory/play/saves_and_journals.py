"""Read and write saved games, and keep a crash journal of each game under way.

A journal is a text file with one JSON value per line. The first is the saved game at its start, and one line for each
decision or undo follows. A lock marks the journal of a game that is being played.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from io import FileIO
from itertools import count
from pathlib import Path
from typing import Any

from lusory_dsl.source.safe_files_and_bundled_data import MAX_BYTES, list_files, read_text

from ..game import Game
from ..state.decisions_outcomes_and_faults import Decision
from ..state.random_streams import Seed
from ..state.state import State
from ..support.user_folders_private_files_and_locks import (
    get_data_folder,
    get_state_folder,
    make_private,
    try_lock,
    write_private,
)
from .match import DecisionNotSaved, Match
from .recorded_game_data_and_replay import (
    EXACT,
    POSITION_INTERVAL,
    SEEDS,
    MadeDecision,
    Transcript,
    TranscriptError,
    add_decision,
    digest_position,
    read_data,
    start_transcript,
)

SHORT, FEW = 80, 20
"""Limits within which every value of a recorded game is certainly readable: letters of a text, items of a list."""


@dataclass(frozen=True)
class Save:
    """Game that can be continued. ``kinds`` and ``names`` are by seat.

    ``ruleset`` is what the user typed to choose the game. ``packs`` are the packs added to it.
    """

    transcript: Transcript
    ruleset: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    packs: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value of the transcript, with ``ruleset``, ``packs`` and ``seats`` (``kind``, ``name``)."""
        seats = [{"kind": kind, "name": name} for kind, name in zip(self.kinds, self.names, strict=True)]
        return {**self.transcript.to_json(), "ruleset": self.ruleset, "packs": list(self.packs), "seats": seats}

    @classmethod
    def from_json(cls, data: Any) -> Save:
        """Build a saved game from JSON data. Raises TranscriptError for invalid data.

        A bare transcript is valid, too: its first seat is a person, the others are random bots.
        """
        return cls.from_data(read_data(json.dumps(data), "saved game"))

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Save:
        """Build a saved game from data that is already validated.

        The data has the keys of :meth:`to_json`. Without ``seats``, there are ``players`` many: the first is
        ``human``, and all others are ``random``. A seat without a ``name`` is called P1, P2, … by its number. Without
        ``ruleset``, it is the value of ``program``, the id of the game. Without ``packs``, they are ``()``.
        """
        transcript = Transcript.from_data(data)
        default = [{"kind": "human" if seat == 0 else "random"} for seat in range(transcript.players)]
        seats = data.get("seats", default)
        names = tuple(seat.get("name", f"P{number}") for number, seat in enumerate(seats, 1))
        kinds = tuple(seat["kind"] for seat in seats)
        return cls(transcript, data.get("ruleset", transcript.program), kinds, names, tuple(data.get("packs", ())))


def create_transcript(match: Match) -> Transcript:
    """Return the transcript of a match so far, without names and packs.

    It begins as :func:`start_transcript` gives it, and has a decision for each turn. Its ``positions`` map a number of
    decisions to the digest of the position after them. The numbers are 0, ``POSITION_INTERVAL``, twice as many, …, and
    that of all decisions. Its ``simulations`` map the number of a decision, from 1, to the ``simulations`` of its turn,
    if these are not None.
    """
    game = match.game
    transcript = start_transcript(game, match.seed)
    for number, turn in enumerate(match.turns):
        add_decision(game, transcript, turn.before, turn.index)
        if turn.simulations is not None:
            transcript.simulations[number + 1] = turn.simulations
        if number % POSITION_INTERVAL == 0:
            transcript.positions[number] = digest_position(game, transcript, turn.before)
    transcript.positions[len(match.turns)] = digest_position(game, transcript, match.state)
    return transcript


def find_latest_game_path() -> Path:
    """Return the path of ``latest.json``, the latest finished game of people. Raises OSError without a state folder."""
    return get_state_folder() / "latest.json"


def write_save(save: Save, path: Path) -> None:
    """Write a saved game into an existing folder. Raises OSError, and TranscriptError if it could not be read again."""
    write_private(path, _format_save(save))


def _format_save(save: Save) -> str:
    """Return the text of a save file. Raises TranscriptError if this text could not be read again.

    That happens if it has more than ``MAX_BYTES`` bytes, or if the rules contain names that save files don't allow.
    """
    text = json.dumps(save.to_json(), indent=2, ensure_ascii=False) + "\n"
    if len(text.encode()) > MAX_BYTES:
        raise TranscriptError(f"it would have more than {MAX_BYTES:,} bytes")
    read_data(text, "the saved game")
    return text


def require_readable(save: Save) -> None:
    """Raise TranscriptError if a new game could not be read again once saved.

    A game with only short texts and small numbers is always readable. It is not tested, because the file readers take
    long to import.
    """
    seed = save.transcript.seed
    if (isinstance(seed, int) and seed not in SEEDS) or not _is_plain(save.to_json()):
        _format_save(save)


def _is_plain(value: Any) -> bool:
    """Return whether a JSON value is within the limits that hold anywhere in a recorded game."""
    match value:
        case bool():
            return True
        case int():
            return abs(value) <= EXACT
        case str():
            return 0 < len(value) <= SHORT and value.isprintable()
        case dict():
            return len(value) <= FEW and all(map(_is_plain, (*value, *value.values())))
        case list() | tuple():
            return len(value) <= FEW and all(map(_is_plain, value))
    return False


def read_save(path: Path) -> Save:
    """Read a save file.

    Raises TranscriptError, with a message for the user, for any other file; OSError if there is none.
    """
    return Save.from_data(read_data(read_text(path), str(path)))


def describe_overwritten(path: Path, save: Save) -> str | None:
    """Return a message about the file that a save to ``path`` would overwrite, or None if there is none.

    It is ``PATH already exists and is not a save of this game``, also for a folder, a broken link, a link out of its
    folder and a file that can't be read. A save of the same game gives None, too: one with the same id, players,
    options and seed, whatever its decisions are.
    """
    if not os.path.lexists(path):
        return None
    with suppress(TranscriptError, OSError):
        if read_save(path).transcript.is_of_same_game(save.transcript):
            return None
    return f"{path} already exists and is not a save of this game"


def has_other_decisions(path: Path, decisions: Sequence[MadeDecision]) -> bool:
    """Return whether a file is a saved game with other decisions than these. False for any other or missing file."""
    try:
        return list(read_save(path).transcript.decisions) != list(decisions)
    except (TranscriptError, OSError):
        return False


def create_save_path(program: str) -> Path:
    """Return a new path of a save in ``saves`` of the user's data folder. Create that folder, but not the file.

    The name is ``PROGRAM-YYYY-MM-DD-HHMMSS.json`` with the id of the game, ``program``, and the local time. It has
    ``-2``, ``-3``, … before the ending if such a file exists. Raises OSError if the folder can't be created, or if
    others can write to it.
    """
    stem = f"{program}-{datetime.now():%Y-%m-%d-%H%M%S}"
    folder = make_private(get_data_folder() / "saves")
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(path for name in names if not (path := folder / f"{name}.json").exists())


ENDING = ".journal"
_OPENING = os.O_RDWR
for _name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):  # Windows lacks the first two, POSIX the last.
    _OPENING |= getattr(os, _name, 0)


@dataclass(frozen=True)
class UnfinishedGame:
    """Game that was interrupted. ``last_played_time`` is the time of its file, in seconds since 1970.

    This is when its last decision or undo was written, or when it was last resumed or left, if that was later.

    ``has_lost_decision`` is true if the last line of its journal was damaged and therefore ignored.
    """

    path: Path
    save: Save
    last_played_time: float
    has_lost_decision: bool


class Journal:
    """Journal of one game under way.

    ``people`` are the seats whose decisions are written to disk at once. Decisions of other seats are written with the
    next one of these, or when a person is asked.
    """

    def __init__(self, game: Game, seed: Seed, people: Sequence[int]) -> None:
        self.game = game
        self.people = frozenset(people)
        self._transcript: Transcript = start_transcript(game, seed)
        self.path: Path | None = None
        self._file: FileIO | None = None
        self._length = 0
        self._pending_lines: list[str] = []

    def begin(self, save: Save) -> None:
        """Start a new journal for a game that starts or continues from a save.

        Creates the folder of journals if it is missing. A new or old folder gets the mode 0o700 if it gives the group
        or others any right. No file is created: ``path`` stays None until the first decision or undo is written to
        disk. Raises OSError if the folder can't be created or written. Raises PermissionError if another user owns it,
        or if the group or others can write to it.
        """
        folder = make_private(_get_journals_folder())
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, os.strerror(13), str(folder))
        self._pending_lines = [_format_entry(save.to_json())]

    def reopen(self, unfinished_game: UnfinishedGame) -> bool:
        """Continue an existing journal, and set ``path`` to its file.

        Return False, and change nothing, if any Journal has the file open, in this or another process, or if the file
        is removed during this call. A last line without a line break is cut off, even a valid one. The last whole line
        is also cut off if it isn't JSON, whether or not such a part follows it. The file gets the present time. If the
        rules have changed since, an entry with their version and digest waits for the next :meth:`sync`. Raises
        OSError if the file can't be opened or read: FileNotFoundError if it is missing, FileRefused if not UTF-8.
        """
        file = _open_file(unfinished_game.path)
        if not _try_lock(file):
            file.close()
            return False
        text = read_text(unfinished_game.path)
        self._length = len(text[: _measure_readable(text)].encode())
        file.truncate(self._length)
        self._file, self.path = file, unfinished_game.path
        self._touch_file()
        program, transcript = self.game.program, unfinished_game.save.transcript
        if program.digest != transcript.digest:
            self._pending_lines.append(_format_entry({"rules": {"version": program.version, "digest": program.digest}}))
        return True

    def store_decision(self, state: State, decision: Decision, option: int, simulations: int | None = None) -> None:
        """Store a decision that is about to be made, as an entry such as ``["P1", "a1", "3f9c…", 500]``.

        It has the seat (``P1`` for seat 0), the id of the option at index ``option``, the digest of the position
        before, and ``simulations`` unless None. The entry of a seat in ``people`` is written to disk at once, after all
        that still wait. Other entries wait. If writing fails, this drops the new entry and raises DecisionNotSaved.
        Ctrl-C drops it, too, and raises KeyboardInterrupt.
        """
        decision_made = MadeDecision(decision.seat, self.game.option_ids(state, decision)[option])
        simulation_counts = [] if simulations is None else [simulations]
        entry = [*decision_made.to_json(), digest_position(self.game, self._transcript, state), *simulation_counts]
        self._append(entry, decision.seat in self.people)

    def store_undo(self, count: int) -> None:
        """Store that only the first ``count`` decisions remain, and write it to disk at once.

        Raises DecisionNotSaved if that fails; then the undo is not in the journal.
        """
        self._append({"undone": count}, is_urgent=True)

    def _append(self, entry: Any, is_urgent: bool) -> None:
        self._pending_lines.append(_format_entry(entry))
        if is_urgent:
            try:
                self.sync()
            except (DecisionNotSaved, KeyboardInterrupt):
                self._pending_lines.pop()
                raise

    def sync(self) -> None:
        """Append all lines that wait to the file, and wait until they are on the disk.

        A journal that was begun gets its file and ``path`` only when a decision or undo waits. Raises DecisionNotSaved
        if writing fails, and KeyboardInterrupt on Ctrl-C. In both cases the file is cut back to its old length, all
        lines still wait, and the next call tries again.
        """
        if not self._pending_lines or (self._file is None and len(self._pending_lines) < 2):
            # the pending line is only the start: a game without a decision needs no journal
            return
        content = "".join(self._pending_lines).encode()
        try:
            if self._file is None:
                self._create()
            assert self._file is not None
            self._file.seek(self._length)
            remainder = memoryview(content)
            while remainder:
                remainder = remainder[self._file.write(remainder) :]
            os.fsync(self._file.fileno())
        except (OSError, KeyboardInterrupt) as problem:
            if self._file is not None:
                with suppress(OSError):
                    self._file.truncate(self._length)
            if isinstance(problem, KeyboardInterrupt):
                raise
            raise DecisionNotSaved(problem.strerror or str(problem)) from problem
        self._length += len(content)
        self._pending_lines.clear()

    def _create(self) -> None:
        """Create and lock a new file, and sync its folder so that it survives a power failure."""
        folder = _get_journals_folder()
        while self._file is None:
            name = f"{self.game.program.id}-{datetime.now():%Y-%m-%d-%H%M%S}-{secrets.token_hex(4)}{ENDING}"
            file = _open_file(folder / name, os.O_CREAT | os.O_EXCL)
            if _try_lock(file):  # otherwise a process that lists the journals has locked it first
                self._file, self.path = file, folder / name
            else:
                file.close()
        with suppress(OSError):  # some systems cannot open or sync a folder
            directory = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)

    def _touch_file(self) -> None:
        """Update the time of the file, so that the game is listed first."""
        assert self.path is not None
        with suppress(OSError):
            os.utime(self.path)

    def close(self, keeps_file: bool) -> None:
        """Close the journal. Without ``keeps_file``, also remove it: the game has ended or is saved elsewhere.

        Does nothing if no file is open: before the first decision is written to one, or after an earlier call. Entries
        that :meth:`sync` has not written are not written now. A file that is kept gets the present time. An empty file,
        which a failed first write leaves, is removed in any case. Files that can't be removed are emptied.
        """
        if self._file is None or self.path is None:
            return
        self._touch_file()
        if not keeps_file:
            self._length = 0
            with suppress(OSError):
                # some systems cannot remove an open file, so empty it first
                self._file.truncate(0)
        self._file.close()
        self._file = None
        if not self._length:
            with suppress(OSError):
                self.path.unlink()


def _get_journals_folder() -> Path:
    """Return the folder of journals. Raises OSError if the user has no state folder."""
    return get_state_folder() / "journals"


# ---------------------------------------------------------------- unfinished games


def find_unfinished_games(problems: list[str]) -> list[UnfinishedGame]:
    """Return the interrupted games that nobody plays now. The one with the latest ``last_played_time`` comes first.

    Their journals are in the folder ``journals`` of :func:`get_state_folder`. The list is empty if it is missing.
    Leaves out each journal that can't be opened, or for which :func:`read_journal` raises TranscriptError or OSError.
    Adds a line to ``problems`` for it: ``/tmp/x.journal can't be read: Permission denied``, or
    ``/tmp/x.journal:1: this line is damaged``. If the last line is not JSON, only this line is left out, unless it is
    the first one, too. If the folder exists and can't be read, adds a line for that and returns an empty list. Deletes
    journals without a whole line: they are empty, or the first write to them was interrupted.
    """
    games = []
    try:
        files = list_files(_get_journals_folder(), ENDING)
    except OSError as problem:
        problems.append(f"{problem.filename} can't be read: {problem.strerror}")
        return []
    for path in files:
        try:
            with _lock_journal(path) as is_free:
                if not is_free:
                    continue
                game = read_journal(path)
                if game is not None:
                    games.append(game)
                else:
                    path.unlink()
        except TranscriptError as problem:
            problems.append(str(problem).splitlines()[0])
        except OSError as problem:
            problems.append(f"{path} can't be read: {problem.strerror}".splitlines()[0])
    return sorted(games, key=lambda game: game.last_played_time, reverse=True)


def delete_journal(game: UnfinishedGame) -> None:
    """Remove the journal of a game. A game that another process plays keeps it. Raises OSError."""
    with _lock_journal(game.path) as is_free:
        if is_free:
            game.path.unlink()


def read_journal(path: Path) -> UnfinishedGame | None:
    """Return the game in a journal, or None if the journal has no whole line. Its ``save`` is a :class:`Save`.

    Two things at the end are left out, which ``has_lost_decision`` says: text without a line break, even if it is
    readable, and a damaged last whole line, which is not JSON. Undone decisions are left out. If the rules changed
    during the game, the save has the last version and digest, and only positions since then. Raises TranscriptError if
    the first whole line or one before the last is damaged, or if a readable whole line is no entry of a journal. Raises
    FileRefused, an OSError, if the file is missing, can't be read or is not UTF-8.
    """
    text = read_text(path)
    readable_length = _measure_readable(text)
    lines = text[:readable_length].split("\n")[:-1]
    if not lines:
        if "\n" in text:
            raise TranscriptError(f"{path}:1: this line is damaged")
        return None
    data = read_data(lines[0], str(path))
    decisions, positions = data["decisions"], dict(data.get("positions", []))
    simulations = dict(data.get("simulations", []))
    for number, line in enumerate(lines[1:], 2):
        entry = _parse_entry(line, f"{path}:{number}")
        match entry:
            case [seat, option, position, *simulation_counts] if len(simulation_counts) < 2:
                positions[len(decisions)] = position
                decisions.append([seat, option])
                simulations |= {len(decisions): number for number in simulation_counts}
            case {"undone": int(decision_count)} if 0 <= decision_count <= len(decisions):
                del decisions[decision_count:]
                positions = {n: digest for n, digest in positions.items() if n <= decision_count}
                simulations = {n: number for n, number in simulations.items() if n <= decision_count}
            case {"rules": {"version": version, "digest": digest}}:
                data.update(version=version, digest=digest)
                positions.clear()
            case _:
                raise TranscriptError(f"{path}:{number}: this is not an entry of a journal")
    positions_and_simulations = {"positions": positions, "simulations": simulations}
    pairs = {key: sorted(map(list, values.items())) for key, values in positions_and_simulations.items()}
    save_data = {**data, "decisions": decisions, **pairs}
    save = Save.from_data(read_data(json.dumps(save_data), str(path)))
    return UnfinishedGame(path, save, path.stat().st_mtime, readable_length < len(text))


def _measure_readable(text: str) -> int:
    """Return the number of characters up to the end of the last complete and readable line."""
    end = text.rfind("\n") + 1
    line_start = text.rfind("\n", 0, max(end - 1, 0)) + 1
    try:
        _parse_entry(text[line_start:end], "")
    except TranscriptError:
        return line_start
    return end


def _parse_entry(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise TranscriptError(f"{place}: this line is damaged") from None


def _format_entry(entry: Any) -> str:
    return json.dumps(entry) + "\n"


# ---------------------------------------------------------------- locks


@contextmanager
def _lock_journal(path: Path) -> Iterator[bool]:
    """Lock a journal during the block. Yields False if another process plays it or it does not exist.

    Raises OSError if it can't be opened.
    """
    try:
        file = _open_file(path)
    except FileNotFoundError:
        yield False
        return
    with file:
        yield _try_lock(file)


def _open_file(path: Path, flags: int = 0) -> FileIO:
    """Open a journal for reading and writing, with access for its user only. Raises OSError."""
    return FileIO(os.open(path, _OPENING | flags, 0o600), "r+")


def _try_lock(file: FileIO) -> bool:
    """Lock a journal until it is closed. Return False if another process has locked or removed it."""
    return try_lock(file.fileno()) and os.fstat(file.fileno()).st_nlink > 0
