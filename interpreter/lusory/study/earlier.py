"""Reads the record of an earlier simulation, to compare with. A record may be a stranger's: every row is checked, and
what does not fit a game is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lusory_dsl.text.disk import FileRefused, read_bytes

from .figures import Series, series_of
from .record import ENDING, NoRecord
from .result import FINISHED, Row

LIMIT = 200_000_000
"""Bytes of a record."""

LINE = 100_000
"""Characters of a row."""

MOST_ROWS = 1_000_000
"""Games of a record that is read."""

MOST_SEATS = 26


class Earlier(NamedTuple):
    """What a record tells: whose games they are, with the keys that the result of a simulation has, and the games."""

    result: dict[str, Any]
    games: Series


def is_record(path: Path) -> bool:
    """By its name."""
    return path.suffix == ENDING


def read_record(path: Path) -> Earlier:
    """The games of a record that are finished. Raises NoRecord."""
    try:
        content = read_bytes(path, LIMIT)
    except FileRefused as refusal:
        raise NoRecord(f"{path} cannot be read: {refusal.why}") from None
    try:
        return _earlier(_rows(content))
    except NoRecord as problem:
        raise NoRecord(f"{path} is no record of games: {problem}") from None


def _rows(content: bytes) -> Iterable[Mapping[str, Any]]:
    for number, line in enumerate(content.splitlines(), 1):
        if number > MOST_ROWS or len(line) > LINE:
            raise NoRecord(f"line {number} is too much")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise NoRecord(f"line {number} is no JSON") from None
        if not isinstance(found, dict):
            raise NoRecord(f"line {number} is no row")
        yield found


def _earlier(rows: Iterable[Mapping[str, Any]]) -> Earlier:
    heading: dict[str, Any] | None = None
    found: list[Row] = []
    seatings: set[tuple[int, ...]] = set()
    for number, cells in enumerate(rows, 1):
        try:
            told = _heading(cells)
            if heading is not None and told != heading:
                raise ValueError("it is of another simulation than the first")
            heading = told
            if cells["ending"] == FINISHED:
                found.append(_row(cells))
                seatings.add(found[-1].seating)
        except (KeyError, TypeError, ValueError, RecursionError) as problem:
            raise NoRecord(f"row {number}: {_words(problem)}") from None
    if heading is None:
        raise NoRecord("it is empty")
    kinds = [{"kind": kind} for kind in heading.pop("kinds")]
    swapped = len(seatings) > 1
    result = {**heading, "seats": kinds, **({"lineup": kinds} if swapped else {})}
    return Earlier(result, series_of(found))


def _words(problem: Exception) -> str:
    return f"it lacks `{problem.args[0]}`" if isinstance(problem, KeyError) else str(problem) or "it has not the form"


def _heading(cells: Mapping[str, Any]) -> dict[str, Any]:
    """What all rows of a record have in common."""
    seats = _numbers(cells["players"])
    if sorted(seats) != list(range(1, len(seats) + 1)):
        raise ValueError("`players` are not those of a game")
    kinds = [_text(kind) for kind in cells["kinds"]]
    if len(kinds) != len(seats):
        raise ValueError("`kinds` and `players` are not as many")
    options = json.loads(_text(cells["options"], LINE))
    if not isinstance(options, dict) or not all(isinstance(value, bool | int | str) for value in options.values()):
        raise ValueError("`options` are none")
    return {
        "game": {"id": _text(cells["ruleset"]), "digest": _text(cells["digest"])},
        "players": len(seats),
        "options": options,
        "kinds": [kinds[seats.index(who + 1)] for who in range(len(seats))],
    }


def _row(cells: Mapping[str, Any]) -> Row:
    """One game. Raises KeyError, TypeError and ValueError for what is none."""
    seating = tuple(who - 1 for who in _numbers(cells["players"]))
    places = _numbers(cells["places"])
    if len(places) != len(seating):
        raise ValueError("`places` are not those of all seats")
    began = _number_or_none(cells.get("began"))
    if began is not None and not 1 <= began <= len(seating):
        raise ValueError("`began` is no seat")
    return Row(
        _number(cells["seed"]),
        seating,
        tuple(seat for seat, place in enumerate(places) if place == 1),
        _number(cells["decisions"]),
        _number_or_none(cells["turns"]),
        None if began is None else began - 1,
        None if cells["reason"] is None else _text(cells["reason"], LINE),
        _number_or_none(cells.get("result")),
    )


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**64:
        raise ValueError("a whole number is missing")
    return value


def _number_or_none(value: Any) -> int | None:
    return None if value is None else _number(value)


def _numbers(value: Any) -> Sequence[int]:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_SEATS:
        raise ValueError("numbers of all seats are missing")
    return [_number(one) for one in value]


def _text(value: Any, most: int = 1000) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError("a text is missing")
    return value
