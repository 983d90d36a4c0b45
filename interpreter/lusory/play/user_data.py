"""Results, last settings and input history of the user."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lusory_dsl.source.filesystem import read_text

from ..support.cache import is_ours, private, state_folder, write_own

RECORD_LIMIT = 5_000
"""So many games are kept in mind, the latest."""


@dataclass(frozen=True)
class Record:
    """A game that ended. ``kinds``, ``names``, ``places``: by seat; ``day``: as ``2026-01-31``; ``decisions``: made in
    it."""

    program: str
    game: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    places: tuple[int, ...]
    winners: tuple[int, ...]
    decisions: int
    day: str


def file_of_records() -> Path:
    """Raises OSError where this user has no folder for such things."""
    return state_folder() / "games.jsonl"


def keep_record(record: Record) -> None:
    """Add a game that ended. Raises OSError."""
    path = file_of_records()
    private(path.parent)
    lines = read_text(path).splitlines()[-RECORD_LIMIT + 1 :] if path.exists() else []
    write_own(path, "".join(f"{line}\n" for line in (*lines, json.dumps(asdict(record), ensure_ascii=False))))


def records() -> list[Record]:
    """The games that ended, the earliest first. Lines that are none are left out. Raises OSError."""
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
    """The items of what should be a row; of anything else something that fits nothing."""
    return part if isinstance(part, tuple) else (part, None)


@dataclass(frozen=True)
class Tally:
    """How the games of one kind went for one person against the same others. ``against``: names of people, kinds of
    bots. ``won`` counts shared wins, too; ``first``, ``last``: days."""

    game: str
    who: str
    against: tuple[str, ...]
    played: int
    won: int
    first: str
    last: str


def tallied(found: Sequence[Record], human: str) -> list[Tally]:
    """The games by kind, person and company, what was played most first. ``human``: what a person's seat is called."""
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
"""So many games are kept in mind, those begun last."""
LARGEST = 1 << 20
"""Bytes of the file."""


class NotSettings(Exception):
    """The file of settings is damaged, or not its user's alone; the words say which."""


@dataclass(frozen=True)
class Settings:
    """``kinds``: by seat; ``names``: of the seats that were given one, by seat, "" for others. ``options``: those that
    are not as by default, as they are typed."""

    kinds: tuple[str, ...]
    names: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    packs: tuple[str, ...] = ()


def file_of_settings() -> Path:
    """Raises OSError where this user has no folder for such things."""
    return state_folder() / "settings.json"


def keep_settings(ruleset: str, settings: Settings) -> None:
    """Keep how a game was begun in place of the time before; what a damaged file held is gone. Raises OSError."""
    path = file_of_settings()
    private(path.parent)
    try:
        found = _read(path)
    except NotSettings:
        found = {}
    found.pop(ruleset, None)
    found[ruleset] = settings
    kept = {name: asdict(one) for name, one in list(found.items())[-SETTINGS_LIMIT:]}
    write_own(path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def settings_of(ruleset: str) -> Settings | None:
    """How a game was begun last; None: never. Raises NotSettings; OSError."""
    return _read(file_of_settings()).get(ruleset)


def _read(path: Path) -> dict[str, Settings]:
    if not path.exists():
        return {}
    if not is_ours(path.stat()):
        raise NotSettings(f"{path}: others can write to it")
    try:
        data: Any = json.loads(read_text(path, LARGEST))
        return {_text(name): _settings(one) for name, one in data.items()}
    except (ValueError, TypeError, AttributeError, RecursionError, OSError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is damaged"
        raise NotSettings(f"{path}: {why}") from None


def _settings(data: Any) -> Settings:
    """Raises TypeError, ValueError for data that is none."""
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
"""Lines that are kept, the latest, and letters of one."""


def file_of_lines() -> Path:
    """Raises OSError where this user has no folder for such things."""
    return state_folder() / "typed"


def typed_lines() -> list[str]:
    """What was typed, the earliest first; nothing where the file can't be read or is not its user's alone."""
    try:
        path = file_of_lines()
        text = read_text(path) if path.exists() and is_ours(path.stat()) else ""
    except OSError:
        return []
    return [line for line in text.split("\n") if _is_kept(line)][-LINE_LIMIT:]


def keep_typed_lines(typed: Iterable[str]) -> None:
    """Add what was typed; of lines that follow each other and are the same, one. Raises OSError."""
    every = [*typed_lines(), *filter(_is_kept, typed)]
    kept = [line for at, line in enumerate(every) if at + 1 == len(every) or every[at + 1] != line]
    path = file_of_lines()
    private(path.parent)
    write_own(path, "".join(f"{line}\n" for line in kept[-LINE_LIMIT:]))


def _is_kept(line: str) -> bool:
    return bool(line.strip()) and line.isprintable() and len(line) <= LINE_LENGTH
