"""How a user's games ended: a line a game, in the user's state folder. Nothing of it leaves this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lusory_dsl.text.disk import read_text, write_whole

from ..folders import private, state_folder

MOST = 5_000
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


def keep(record: Record) -> None:
    """Add a game that ended. Raises OSError."""
    path = file_of_records()
    private(path.parent)
    lines = read_text(path).splitlines()[-MOST + 1 :] if path.exists() else []
    write_whole(path, "".join(f"{line}\n" for line in (*lines, json.dumps(asdict(record), ensure_ascii=False))))


def records() -> list[Record]:
    """The games that ended, the earliest first. Lines that are none are left out. Raises OSError."""
    path = file_of_records()
    if not path.exists():
        return []
    found = (_record(line) for line in read_text(path).splitlines()[-MOST:])
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
    """How the games of one kind went for the people in them. ``won`` counts shared wins, too; ``last``: the day of the
    last."""

    game: str
    played: int
    won: int
    last: str


def tallied(found: Sequence[Record], human: str) -> list[Tally]:
    """The games by kind, what was played most first. ``human``: what a person's seat is called."""
    games: dict[str, list[Record]] = {}
    for record in found:
        games.setdefault(record.game, []).append(record)
    tallies = [
        Tally(game, len(those), sum(any(one.kinds[w] == human for w in _seats(one)) for one in those), those[-1].day)
        for game, those in games.items()
    ]
    return sorted(tallies, key=lambda tally: -tally.played)


def _seats(record: Record) -> list[int]:
    return [seat for seat in record.winners if 0 <= seat < len(record.kinds)]
