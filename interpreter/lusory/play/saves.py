"""Save files, crash journal and per-seat exports."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import Any

from lusory_dsl.source.filesystem import MAX_BYTES, files_in, read_text

from ..game import Game
from ..state.decision import Decision
from ..state.random_streams import Seed
from ..state.state import State
from ..support.cache import data_folder, is_ours, locked, private, state_folder, write_own
from .match import Match, NotKept
from .transcript import EVERY, EXACT, SEEDS, Made, Transcript, TranscriptError, begin, position_digest, read_data

SHORT, FEW = 80, 20
"""Letters of a text, and values side by side, that a recorded game has room for wherever they stand."""


@dataclass(frozen=True)
class Save:
    """A game that can be continued: ``kinds`` and ``names`` by seat.

    ``ruleset`` is what to type for the game, ``packs`` what was laid over it."""

    transcript: Transcript
    ruleset: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    packs: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A JSON value, as ``schema/transcript.schema.json`` describes it."""
        seats = [{"kind": kind, "name": name} for kind, name in zip(self.kinds, self.names, strict=True)]
        return {**self.transcript.to_json(), "ruleset": self.ruleset, "packs": list(self.packs), "seats": seats}

    @classmethod
    def from_json(cls, data: Any) -> Save:
        """Raises TranscriptError for anything that is not a saved game. A bare transcript is one too: of bots."""
        return cls.of(read_data(json.dumps(data), "saved game"))

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Save:
        """The saved game in data that was found in order."""
        transcript = Transcript.of(data)
        default = [{"kind": "human" if seat == 0 else "random"} for seat in range(transcript.players)]
        seats = data.get("seats", default)
        names = tuple(seat.get("name", f"P{number}") for number, seat in enumerate(seats, 1))
        kinds = tuple(seat["kind"] for seat in seats)
        return cls(transcript, data.get("ruleset", transcript.program), kinds, names, tuple(data.get("packs", ())))


def transcript_of(match: Match) -> Transcript:
    """What was played in a match so far."""
    game = match.game
    transcript = begin(game, match.seed)
    for made, turn in enumerate(match.turns):
        decision = game.decision(turn.before)
        assert decision is not None, "a turn was a decision"
        transcript.decisions.append(Made(turn.seat, game.option_ids(turn.before, decision)[turn.index]))
        if turn.simulations is not None:
            transcript.simulations[made + 1] = turn.simulations
        if made % EVERY == 0:
            transcript.positions[made] = position_digest(game, transcript, turn.before)
    transcript.positions[len(match.turns)] = position_digest(game, transcript, match.state)
    return transcript


def latest_path() -> Path:
    """Where the game of people that ended last is kept, to be looked at again. Raises OSError where this user has no
    folder for such things."""
    return state_folder() / "latest.json"


def write(save: Save, path: Path) -> None:
    """Write a saved game into a folder that is there. Raises OSError, and TranscriptError as :func:`text_of`."""
    write_own(path, text_of(save))


def text_of(save: Save) -> str:
    """A saved game as the text of a file. Raises TranscriptError where that could not be read again: rules can name
    things as no saved game may."""
    text = json.dumps(save.to_json(), indent=2, ensure_ascii=False) + "\n"
    if len(text.encode()) > MAX_BYTES:
        raise TranscriptError(f"it would have more than {MAX_BYTES:,} bytes")
    read_data(text, "the saved game")
    return text


def demand_readable(save: Save) -> None:
    """Raises TranscriptError where a game that begins could not be read again. What has nothing but short words and
    small numbers in it can be, and is not tried: the readers of files take a while to load."""
    seed = save.transcript.seed
    if (isinstance(seed, int) and seed not in SEEDS) or not _is_plain(save.to_json()):
        text_of(save)


def _is_plain(value: Any) -> bool:
    """Whether a JSON value is within all bounds of recorded games, whatever it is there."""
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
    """Raises TranscriptError, in words fit for people, for a file that is not a saved game; OSError for none."""
    return Save.of(read_data(read_text(path), str(path)))


def lost_by(path: Path, save: Save) -> str | None:
    """What would be lost if a save were written to a path, in words; None: nothing, or an earlier save of it."""
    if not os.path.lexists(path):
        return None
    try:
        there = read_save(path)
    except (TranscriptError, OSError):
        return f"{path} is there already, and is no saved game"
    if not there.transcript.is_of_same_game(save.transcript):
        return f"{path} is a saved game already, and another one"
    return None


def new_path(program: str) -> Path:
    """A file of its own for a game that is saved now, in the user's folder for such things, which is made. Raises
    OSError."""
    stem = f"{program}-{datetime.now():%Y-%m-%d-%H%M%S}"
    folder = private(data_folder() / "saves")
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, 1000))
    return next(path for name in names if not (path := folder / f"{name}.json").exists())


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
                one = read_journal(path)
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


def read_journal(path: Path) -> Unfinished | None:
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


FILE = "allowed"
MOST = 2_000
"""So many paths are remembered; the oldest are forgotten."""


def is_allowed(path: str) -> bool:
    """Whether a whole path is on the list. Nothing of it is looked at."""
    return _whole(path) in _listed()


def allow(paths: Iterable[str]) -> None:
    """Put whole paths on the list. Raises OSError where it can't be written."""
    listed = _listed()
    new = [whole for path in paths if (whole := _whole(path)) not in listed and "\n" not in whole]
    if new:
        lines = [*listed, *new][-MOST:]
        private(state_folder())
        write_own(_file(), "".join(f"{line}\n" for line in lines))


def _listed() -> list[str]:
    try:
        file = _file()
        return [line for line in read_text(file).split("\n") if line] if is_ours(file.stat()) else []
    except OSError:
        return []


def _file() -> Path:
    return state_folder() / FILE


def _whole(path: str) -> str:
    """A whole path without detours, found out without a look at the disk."""
    return os.path.normpath(path)
