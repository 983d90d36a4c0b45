"""How a user's games ended: a line a game, in the user's state folder. Nothing of it leaves this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lusory_dsl.text.disk import read_text

from ..folders import private, state_folder, write_own

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
    write_own(path, "".join(f"{line}\n" for line in (*lines, json.dumps(asdict(record), ensure_ascii=False))))


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
