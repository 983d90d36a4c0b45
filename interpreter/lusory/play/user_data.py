"""Store the user's data: results of finished games, the last settings of each game, and the input history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lusory_dsl.source.safe_files import read_text

from ..support.cache import is_owned, make_private, state_folder, write_private

RECORD_LIMIT = 5_000
"""Number of finished games that are kept, latest ones."""


@dataclass(frozen=True)
class Record:
    """Game that ended. ``kinds``, ``names`` and ``places`` are by seat.

    ``day`` has the form ``2026-01-31``. ``decisions`` is the number of decisions made.
    """

    program: str
    game: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    places: tuple[int, ...]
    winners: tuple[int, ...]
    decisions: int
    day: str


def file_of_records() -> Path:
    """Return the file of finished games. Raises OSError if the user has no state folder."""
    return state_folder() / "games.jsonl"


def keep_record(record: Record) -> None:
    """Add a game that ended. Raises OSError."""
    path = file_of_records()
    make_private(path.parent)
    lines = read_text(path).splitlines()[-RECORD_LIMIT + 1 :] if path.exists() else []
    write_private(path, "".join(f"{line}\n" for line in (*lines, json.dumps(asdict(record), ensure_ascii=False))))


def records() -> list[Record]:
    """Return the games that ended, earliest first, without invalid lines. Raises OSError."""
    path = file_of_records()
    if not path.exists():
        return []
    found = (_record(line) for line in read_text(path).splitlines()[-RECORD_LIMIT:])
    return [record for record in found if record is not None]


def _record(line: str) -> Record | None:
    try:
        data: Any = json.loads(line)
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in data.items()}
        record = Record(**fields)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    seats = (record.kinds, record.names, record.places)
    texts = (record.program, record.game, record.day, *_all(record.kinds), *_all(record.names))
    numbers = (record.decisions, *_all(record.places), *_all(record.winners))
    is_sound = all(isinstance(one, str) for one in texts) and all(type(one) is int for one in numbers)
    return record if is_sound and len({len(_all(part)) for part in seats}) == 1 else None


def _all(part: Any) -> Sequence[Any]:
    """Return ``part`` if it is a tuple, else a pair that fails every later check."""
    return part if isinstance(part, tuple) else (part, None)


@dataclass(frozen=True)
class Tally:
    """Results of one person in one game against the same opponents.

    ``against`` holds names of people and kinds of bots. ``won`` includes shared wins. ``first`` and ``last`` are days.
    """

    game: str
    who: str
    against: tuple[str, ...]
    played: int
    won: int
    first: str
    last: str


def tallied(found: Sequence[Record], human: str) -> list[Tally]:
    """Group the games by game, person and opponents, most played first. ``human`` is the kind of a person's seat."""
    groups: dict[str, dict[tuple[str, tuple[str, ...]], list[tuple[Record, int]]]] = {}
    for record in found:
        companies = groups.setdefault(record.game, {})
        for seat, kind in enumerate(record.kinds):
            if kind == human:
                others = [n if k == human else k for n, k in zip(record.names, record.kinds, strict=True)]
                del others[seat]
                companies.setdefault((record.names[seat], tuple(sorted(others))), []).append((record, seat))
    tallies: list[Tally] = []
    for game, companies in sorted(groups.items(), key=lambda one: -sum(map(len, one[1].values()))):
        for (who, company), played in sorted(companies.items(), key=lambda one: -len(one[1])):
            days = sorted(record.day for record, _ in played)
            won = sum(seat in record.winners for record, seat in played)
            tallies.append(Tally(game, who, company, len(played), won, days[0], days[-1]))
    return tallies


SETTINGS_LIMIT = 200
"""Number of games whose settings are kept, latest ones."""
LARGEST = 1 << 20
"""Maximum size of the settings file in bytes."""


class NotSettings(Exception):
    """Error: the settings file is damaged, or other users can write to it. The message says which."""


@dataclass(frozen=True)
class Settings:
    """Settings of a game.

    ``kinds`` is by seat. ``names`` is by seat, "" for a seat without a name. ``options`` are those that differ from the
    default, as the user types them.
    """

    kinds: tuple[str, ...]
    names: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    packs: tuple[str, ...] = ()


def file_of_settings() -> Path:
    """Return the settings file. Raises OSError if the user has no state folder."""
    return state_folder() / "settings.json"


def keep_settings(ruleset: str, settings: Settings) -> None:
    """Store the settings of a game in place of its earlier ones. Replaces a damaged file. Raises OSError."""
    path = file_of_settings()
    make_private(path.parent)
    try:
        found = _read(path)
    except NotSettings:
        found = {}
    found.pop(ruleset, None)
    found[ruleset] = settings
    kept = {name: asdict(one) for name, one in list(found.items())[-SETTINGS_LIMIT:]}
    write_private(path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def settings_of(ruleset: str) -> Settings | None:
    """Return the last settings of a game, or None if there are none. Raises NotSettings and OSError."""
    return _read(file_of_settings()).get(ruleset)


def _read(path: Path) -> dict[str, Settings]:
    if not path.exists():
        return {}
    if not is_owned(path.stat()):
        raise NotSettings(f"{path}: others can write to it")
    try:
        data: Any = json.loads(read_text(path, LARGEST))
        return {_text(name): _settings(one) for name, one in data.items()}
    except (ValueError, TypeError, AttributeError, RecursionError, OSError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is damaged"
        raise NotSettings(f"{path}: {why}") from None


def _settings(data: Any) -> Settings:
    """Build settings from JSON data. Raises TypeError or ValueError for invalid data."""
    found = Settings(**data)
    options = tuple((_text(name), _text(value)) for name, value in found.options)
    return Settings(_texts(found.kinds), _texts(found.names), options, _texts(found.packs))


def _texts(data: Any) -> tuple[str, ...]:
    if not isinstance(data, list):
        raise TypeError
    return tuple(map(_text, data))


def _text(data: Any) -> str:
    if not isinstance(data, str) or not data.isprintable():
        raise TypeError
    return data


LINE_LIMIT, LINE_LENGTH = 500, 200
"""Number of lines that are kept (the latest), and maximum length of one in characters."""


def file_of_lines() -> Path:
    """Return the file of the input history. Raises OSError if the user has no state folder."""
    return state_folder() / "typed"


def typed_lines() -> list[str]:
    """Return the input history, earliest first. It is empty if the file cannot be read or others can write to it."""
    try:
        path = file_of_lines()
        text = read_text(path) if path.exists() and is_owned(path.stat()) else ""
    except OSError:
        return []
    return [line for line in text.split("\n") if _is_kept(line)][-LINE_LIMIT:]


def keep_typed_lines(typed: Iterable[str]) -> None:
    """Add lines to the input history, without immediate repetitions. Raises OSError."""
    every = [*typed_lines(), *filter(_is_kept, typed)]
    kept = [line for at, line in enumerate(every) if at + 1 == len(every) or every[at + 1] != line]
    path = file_of_lines()
    make_private(path.parent)
    write_private(path, "".join(f"{line}\n" for line in kept[-LINE_LIMIT:]))


def _is_kept(line: str) -> bool:
    return bool(line.strip()) and line.isprintable() and len(line) <= LINE_LENGTH
