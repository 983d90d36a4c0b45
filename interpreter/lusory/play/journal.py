"""Games under way, kept so that a crash loses nothing: a file a game in the user's state folder.

The first line is the saved game that it began with; then one line for each decision, on the disk before anybody sees
what came of it: ``["P1", "bid 3", "6f1ed002ab559585"]``, the last being the digest of the position that was decided
in, behind which stands how many simulations were thought of, where a clock had said so; ``{"undone": 4}`` after which
four decisions stand; ``{"rules": …}`` when it went on by changed rules. While a game is played its journal is locked;
the journal of a game that ended is removed.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import Any

from lusory_dsl.text.disk import files_in, read_text

from ..folders import private, state_folder
from ..game import Game
from ..locks import locked
from ..table.chance import Seed
from ..table.choices import Decision
from ..table.state import State
from .match import NotKept
from .saves import Save
from .transcript import Made, Transcript, TranscriptError, begin, position_digest, read_data

ENDING = ".journal"
_OPENING = os.O_RDWR
for _name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):  # not every system has all
    _OPENING |= getattr(os, _name, 0)


@dataclass(frozen=True)
class Unfinished:
    """A game that was left in the middle. ``when``: the time of its last decision, in seconds since 1970. ``dropped``:
    its last line was damaged, and left out."""

    path: Path
    save: Save
    when: float
    dropped: bool


class Journal:
    """The journal of one game under way. ``people``: the seats whose decisions must be on the disk at once; those of
    others are written with the next, and at the latest when somebody is asked."""

    def __init__(self, game: Game, seed: Seed, people: Sequence[int]) -> None:
        self.game = game
        self.people = frozenset(people)
        self.began: Transcript = begin(game, seed)
        self.path: Path | None = None
        self._file: FileIO | None = None
        self._length = 0
        self._waiting: list[str] = []

    def begin(self, save: Save) -> None:
        """Keep a game that begins, or goes on from a save, from now on. Raises OSError where there is no folder for
        that. The file is made with the first decision."""
        folder = private(folder_of_journals())
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, os.strerror(13), str(folder))
        self._waiting = [_line(save.to_json())]

    def reopen(self, unfinished: Unfinished) -> bool:
        """Go on with a journal; False where somebody else plays it. What is damaged at its end is cut off."""
        file = _opened(unfinished.path)
        if not _is_free(file):
            file.close()
            return False
        text = read_text(unfinished.path)
        self._length = len(text[: _sound(text)].encode())
        file.truncate(self._length)
        self._file, self.path = file, unfinished.path
        self._is_open_now()
        program, transcript = self.game.program, unfinished.save.transcript
        if program.digest != transcript.digest:
            self._waiting.append(_line({"rules": {"version": program.version, "digest": program.digest}}))
        return True

    def decided(self, state: State, decision: Decision, option: int, simulations: int | None = None) -> None:
        """Keep a decision that is about to be taken. Raises NotKept where it can't be, and then it is forgotten."""
        made = Made(decision.seat, self.game.option_ids(state, decision)[option])
        thought = [] if simulations is None else [simulations]
        entry = [*made.to_json(), position_digest(self.game, self.began, state), *thought]
        self._add(entry, decision.seat in self.people)

    def undone(self, made: int) -> None:
        """Keep that only so many decisions stand. Raises NotKept as :meth:`decided`."""
        self._add({"undone": made}, urgent=True)

    def _add(self, entry: Any, urgent: bool) -> None:
        self._waiting.append(_line(entry))
        if urgent:
            try:
                self.sync()
            except NotKept:
                self._waiting.pop()
                raise

    def sync(self) -> None:
        """Have everything so far on the disk. Raises NotKept where that fails: then what is there is as before."""
        if not self._waiting or (self._file is None and len(self._waiting) < 2):
            return  # a game without a decision is not kept
        content = "".join(self._waiting).encode()
        try:
            if self._file is None:
                self._create()
            assert self._file is not None
            self._file.seek(self._length)
            left = memoryview(content)
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as problem:
            if self._file is not None:
                with suppress(OSError):
                    self._file.truncate(self._length)
            raise NotKept(problem.strerror or str(problem)) from problem
        self._length += len(content)
        self._waiting.clear()

    def _create(self) -> None:
        """A new file, locked, that is still there after a loss of power."""
        folder = folder_of_journals()
        while self._file is None:
            name = f"{self.game.program.id}-{datetime.now():%Y-%m-%d-%H%M%S}-{secrets.token_hex(4)}{ENDING}"
            file = _opened(folder / name, os.O_CREAT | os.O_EXCL)
            if _is_free(file):  # else somebody who looks for journals was quicker
                self._file, self.path = file, folder / name
            else:
                file.close()
        with suppress(OSError):  # not every system can
            directory = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)

    def _is_open_now(self) -> None:
        """Have the game stand before those that were open earlier: files are listed by their time."""
        assert self.path is not None
        with suppress(OSError):
            os.utime(self.path)

    def close(self, keep: bool) -> None:
        """Leave the game; without ``keep`` its journal is removed, for it has ended or is saved elsewhere."""
        if self._file is None or self.path is None:
            return
        self._is_open_now()
        if not keep:
            with suppress(OSError):
                self._file.truncate(0)  # not every system can remove a file that is open
                self._length = 0
        self._file.close()
        self._file = None
        if not self._length:
            with suppress(OSError):
                self.path.unlink()


def folder_of_journals() -> Path:
    """Raises OSError where this user has no folder for such things."""
    return state_folder() / "journals"


# ---------------------------------------------------------------- looking for unfinished games


def unfinished(problems: list[str]) -> list[Unfinished]:
    """The games that were left in the middle and that nobody plays now: first the one that was open last. Journals that
    can't be read are told in ``problems``, a line each."""
    found = []
    try:
        files = files_in(folder_of_journals(), ENDING)
    except OSError as problem:
        problems.append(f"{problem.filename} can't be read: {problem.strerror}")
        return []
    for path in files:
        with _held(path) as is_free:
            if not is_free:
                continue
            try:
                one = read(path)
                if one is not None:
                    found.append(one)
                else:
                    path.unlink()
            except (TranscriptError, OSError) as problem:
                problems.append(f"{path} can't be read: {problem}".splitlines()[0])
    return sorted(found, key=lambda one: one.when, reverse=True)


def is_any_being_played() -> bool:
    """Return whether another process plays a game that has a journal."""
    with suppress(OSError):
        for path in files_in(folder_of_journals(), ENDING):
            with _held(path) as is_free:
                if not is_free and path.exists():
                    return True
    return False


def discard(one: Unfinished) -> None:
    """Remove the journal of a game that nobody plays. Raises OSError."""
    with _held(one.path) as is_free:
        if is_free:
            one.path.unlink()


def read(path: Path) -> Unfinished | None:
    """The game in a journal; None where nothing is in it. Raises TranscriptError for one that is damaged before its
    last line; OSError."""
    text = read_text(path)
    sound = _sound(text)
    lines = text[:sound].split("\n")[:-1]
    if not lines:
        return None
    data = read_data(lines[0], str(path))
    decisions, positions = data["decisions"], dict(data.get("positions", []))
    simulations = dict(data.get("simulations", []))
    for number, line in enumerate(lines[1:], 2):
        entry = _entry(line, f"{path}:{number}")
        match entry:
            case [seat, option, position, *thought] if len(thought) < 2:
                positions[len(decisions)] = position
                decisions.append([seat, option])
                simulations |= {len(decisions): number for number in thought}
            case {"undone": int(left)}:
                del decisions[left:]
                positions = {made: digest for made, digest in positions.items() if made <= left}
                simulations = {made: number for made, number in simulations.items() if made <= left}
            case {"rules": {"version": version, "digest": digest}}:
                data.update(version=version, digest=digest)
                positions.clear()
            case _:
                raise TranscriptError(f"{path}:{number}: this is no entry of a journal")
    kept = {"positions": positions, "simulations": simulations}
    numbered = {key: sorted(map(list, values.items())) for key, values in kept.items()}
    whole = {**data, "decisions": decisions, **numbered}
    save = Save.of(read_data(json.dumps(whole), str(path)))
    return Unfinished(path, save, path.stat().st_mtime, sound < len(text))


def _sound(text: str) -> int:
    """How many characters of a journal are whole: up to the last line that ends and can be read."""
    end = text.rfind("\n") + 1
    last = text.rfind("\n", 0, max(end - 1, 0)) + 1
    try:
        _entry(text[last:end], "")
    except TranscriptError:
        return last
    return end


def _entry(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise TranscriptError(f"{where}: this line is damaged") from None


def _line(entry: Any) -> str:
    return json.dumps(entry) + "\n"


# ---------------------------------------------------------------- locks


@contextmanager
def _held(path: Path) -> Iterator[bool]:
    """Hold a journal for a moment; False: somebody plays it, or it is gone."""
    try:
        file = _opened(path)
    except OSError:
        yield False
        return
    with file:
        yield _is_free(file)


def _opened(path: Path, flags: int = 0) -> FileIO:
    """A journal, opened for reading and writing, for its user alone. Raises OSError."""
    return FileIO(os.open(path, _OPENING | flags, 0o600), "r+")


def _is_free(file: FileIO) -> bool:
    """Lock a journal until it is closed, by whatever end; False: somebody else has, or has removed it."""
    return locked(file.fileno()) and os.fstat(file.fileno()).st_nlink > 0
