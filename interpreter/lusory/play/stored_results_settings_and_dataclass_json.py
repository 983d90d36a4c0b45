"""Store results of games, last settings, typed commands and allowed rulesets of a user, in the state folder.

The results are those of finished games, and the settings are the last ones of each game. Saved games may use only
rulesets that the user has allowed.

:func:`to_json` and :func:`from_json` convert dataclasses to JSON data and back, also for messages over a network.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from lusory_dsl.source.safe_files_and_bundled_data import read_text
from lusory_dsl.source.source import make_printable

from ..support.user_folders_private_files_and_locks import get_state_folder, is_owned, make_private, write_private

T = TypeVar("T")
TYPE_KEY = "is"


class InvalidData(Exception):
    """Error: JSON data does not have the expected type. The message says what is wrong."""


def to_json(value: Any, kind: Any) -> Any:
    """Encode a value of type ``kind`` as JSON data: records (dataclasses) as dicts, and tuples as lists.

    Fields that have their default value are left out. If the type is a union of several records, ``is`` names the
    record's class: ``{"is": "Win", "seat": 1}``. For a record or a union with one, a value that is neither a record
    nor None raises TypeError. Any other value stays as it is, also a tuple whose type is a union without records.
    """
    if get_origin(kind) is tuple:
        return [to_json(item, hint) for item, hint in zip(value, _list_item_kinds(kind, len(value)), strict=True)]
    records = _find_records(kind)
    if not records or value is None:
        return value
    data = {TYPE_KEY: type(value).__name__} if len(records) > 1 else {}
    record: Any = type(value)
    for name, (hint, default) in _list_fields(record).items():
        item = getattr(value, name)
        if item != default:
            data[name] = to_json(item, hint)
    return data


def from_json(kind: type[T], data: Any) -> T:
    """Decode JSON data as a value of type ``kind``. Lists become tuples, and ``make_printable`` is applied to strings.

    ``kind`` is str, int, float, bool, a Literal of texts, a tuple or dataclass of these, or a union, also with None. If
    a union has several dataclasses, the key :data:`TYPE_KEY` must hold the name of one: ``{"is": "Win", "seat": 1}``.
    If it has only one, that key is ignored. Missing fields get their defaults. Raises InvalidData for anything that
    does not have the type (True is no int, 1 no float), also for unknown fields. It raises it, too, for missing fields
    without a default, even if they have a ``default_factory``.
    """
    type_or_union: Any = kind
    value: T = _read(type_or_union, data)
    return value


@cache
def _list_fields(kind: Any) -> dict[str, tuple[Any, Any]]:
    """Return the type and the default value of each field of a dataclass."""
    hints = get_type_hints(kind)
    return {field.name: (hints[field.name], field.default) for field in fields(kind)}


@cache
def _find_records(kind: Any) -> dict[str, type]:
    """Return the dataclasses that a type can be, by name."""
    members = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return {member.__name__: member for member in members if is_dataclass(member) and isinstance(member, type)}


def _list_item_kinds(kind: Any, length: int) -> tuple[Any, ...]:
    """Return the type of each item of a tuple, which has that length unless its type fixes another one."""
    items = get_args(kind)
    return items[:1] * length if items[-1] is ... else items


def _read(kind: Any, data: Any) -> Any:
    if type(data) is kind:
        return make_printable(data) if isinstance(data, str) else data
    if is_dataclass(kind):
        return _read_record(kind, data)
    origin = get_origin(kind)
    if origin is tuple:
        if not isinstance(data, list) or len(kinds := _list_item_kinds(kind, len(data))) != len(data):
            raise InvalidData("a list expected")
        return tuple([_read(hint, item) for hint, item in zip(kinds, data, strict=True)])
    if origin is Literal:
        if not isinstance(data, str) or data not in get_args(kind):
            raise InvalidData(f"one of {', '.join(map(str, get_args(kind)))} expected")
        return data
    if origin in (Union, UnionType):
        return _read_union(kind, data)
    raise InvalidData(f"{kind.__name__} expected")


def _read_union(kind: Any, data: Any) -> Any:
    """Read the record that ``is`` names, or the first other type that fits.

    If the union has one record only, an object is that record.
    """
    records = _find_records(kind)
    if isinstance(data, dict) and records:
        name = data.get(TYPE_KEY) if len(records) > 1 else next(iter(records))
        if not isinstance(name, str) or name not in records:
            raise InvalidData(f"one of {', '.join(records)} expected")
        return _read_record(records[name], {field: value for field, value in data.items() if field != TYPE_KEY})
    for member in get_args(kind):
        if not is_dataclass(member):
            try:
                return _read(member, data)
            except InvalidData:
                continue
    raise InvalidData("something else expected")


def _read_record(kind: Any, data: Any) -> Any:
    field_hints = _list_fields(kind)
    if not isinstance(data, dict) or not data.keys() <= field_hints.keys():
        raise InvalidData(f"{kind.__name__} expected")
    missing = [name for name, (_, default) in field_hints.items() if name not in data and default is MISSING]
    if missing:
        raise InvalidData(f"{kind.__name__} without {missing[0]}")
    return kind(**{name: _read(field_hints[name][0], value) for name, value in data.items()})


def _read_own_lines(name: str) -> list[str]:
    """Return the lines of a file in the state folder, or none if it can't be read or others can write to it."""
    try:
        path = get_state_folder() / name
        return read_text(path).split("\n") if is_owned(path.stat()) else []
    except OSError:
        return []


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines into a file of the state folder, in place of earlier ones. Raises OSError."""
    make_private(path.parent)
    write_private(path, "".join(f"{line}\n" for line in lines))


RECORD_LIMIT = 5_000
"""Number of finished games that are kept, latest ones."""


@dataclass(frozen=True)
class GameRecord:
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


def get_records_file() -> Path:
    """Return the path of ``games.jsonl``, with the finished games. Raises OSError if the user has no state folder."""
    return get_state_folder() / "games.jsonl"


def add_record(record: GameRecord) -> None:
    """Append a finished game to ``games.jsonl``, and keep its last ``RECORD_LIMIT`` lines, even damaged ones.

    The file and its folder are created if they are missing. Raises OSError if the file is not UTF-8, or can't be read
    or written.
    """
    path = get_records_file()
    earlier_lines = read_text(path).splitlines()[-RECORD_LIMIT + 1 :] if path.exists() else []
    # In ASCII, so that no character of a name such as U+2028 ends the line.
    _write_lines(path, [*earlier_lines, json.dumps(to_json(record, GameRecord))])


def read_records() -> list[GameRecord]:
    """Return the games in the last ``RECORD_LIMIT`` lines of :func:`get_records_file`, in their order.

    Without that file, there are none. Invalid lines are left out, also those in which ``kinds``, ``names`` and
    ``places`` differ in length. Raises OSError if the file can't be read or is not UTF-8, or if the user has no state
    folder.
    """
    path = get_records_file()
    if not path.exists():
        return []
    records = []
    for line in read_text(path).splitlines()[-RECORD_LIMIT:]:
        with suppress(ValueError, InvalidData, RecursionError):
            record = from_json(GameRecord, json.loads(line))
            if len(record.kinds) == len(record.names) == len(record.places):
                records.append(record)
    return records


@dataclass(frozen=True)
class PersonResults:
    """Results of one person in one game against the same opponents.

    ``opponents`` holds names of people and kinds of bots. ``win_count`` includes shared wins. ``first_day`` and
    ``last_day`` are days.
    """

    game: str
    person: str
    opponents: tuple[str, ...]
    game_count: int
    win_count: int
    first_day: str
    last_day: str


def count_results(records: Sequence[GameRecord], human: str) -> list[PersonResults]:
    """Return the results of each person against the same opponents in the same game. Without people, the list is empty.

    ``human`` is the kind of a person's seat. A record counts once for each seat of a person, as won if that seat is
    among the winners. Ann's two games against a bot, of which she wins one, give ``PersonResults("Go", "Ann",
    ("strong",), 2, 1, "2026-01-30", "2026-01-31")``, where the days are the earliest and the latest. Games with a
    higher sum of ``game_count`` come first. Within a game, results with a higher ``game_count`` come first. Ties keep
    the order of ``records``. The opponents are the names of people and the kinds of bots, sorted together, so their
    order at the table does not matter.
    """
    groups: dict[str, dict[tuple[str, tuple[str, ...]], list[tuple[GameRecord, int]]]] = {}
    for record in records:
        companies = groups.setdefault(record.game, {})
        labels = [name if kind == human else kind for name, kind in zip(record.names, record.kinds, strict=True)]
        for seat, kind in enumerate(record.kinds):
            if kind == human:
                opponents = labels[:seat] + labels[seat + 1 :]
                companies.setdefault((record.names[seat], tuple(sorted(opponents))), []).append((record, seat))
    tallies: list[PersonResults] = []
    for game, companies in sorted(groups.items(), key=lambda item: -sum(map(len, item[1].values()))):
        for (person, company), entries in sorted(companies.items(), key=lambda item: -len(item[1])):
            days = sorted(record.day for record, _ in entries)
            win_count = sum(seat in record.winners for record, seat in entries)
            tallies.append(PersonResults(game, person, company, len(entries), win_count, days[0], days[-1]))
    return tallies


SETTINGS_LIMIT = 200
"""Number of games whose settings are kept, latest ones."""
MAX_SETTINGS_BYTES = 1 << 20
"""Maximum size of the settings file in bytes."""


@dataclass(frozen=True)
class Settings:
    """Settings of a game.

    ``kinds`` is by seat. ``names`` is by seat, "" for a seat without a name. ``options`` are those that differ from the
    default, as the user types them. ``packs`` are the packs added to the ruleset.
    """

    kinds: tuple[str, ...]
    names: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    packs: tuple[str, ...] = ()


def get_settings_file() -> Path:
    """Return the path of the file ``settings.json``. Raises OSError if the user has no state folder."""
    return get_state_folder() / "settings.json"


def write_settings(ruleset: str, settings: Settings) -> None:
    """Store the settings of a game in place of its earlier ones, in ``settings.json`` in the user's state folder.

    ``ruleset`` is a bundled name or an absolute path. A file that is damaged, can't be read, or that others can write
    to counts as empty, so that the settings of all other games are lost. Keeps the ``SETTINGS_LIMIT`` games whose
    settings were stored last. Raises OSError if the file can't be written, or the user has no home folder.
    """
    path = get_settings_file()
    make_private(path.parent)
    settings_by_ruleset = _read_all_settings(path)
    settings_by_ruleset.pop(ruleset, None)
    settings_by_ruleset[ruleset] = settings
    stored_items = list(settings_by_ruleset.items())[-SETTINGS_LIMIT:]
    rows = {name: to_json(game_settings, Settings) for name, game_settings in stored_items}
    write_private(path, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def read_settings(ruleset: str) -> Settings | None:
    """Return the last settings of a game, or None if there are none. Raises OSError without a folder.

    A file that is damaged, can't be read, or that others can write to counts as empty.
    """
    return _read_all_settings(get_settings_file()).get(ruleset)


def _read_all_settings(path: Path) -> dict[str, Settings]:
    """Return ruleset -> its settings, those stored last at the end. Empty if the file can't be read or trusted."""
    try:
        data: Any = json.loads(read_text(path, MAX_SETTINGS_BYTES)) if is_owned(path.stat()) else {}
        return {name: from_json(Settings, row) for name, row in data.items()}
    except (ValueError, AttributeError, RecursionError, OSError, InvalidData):
        return {}


LINE_LIMIT, LINE_LENGTH = 500, 200
"""Number of lines that are kept (the latest), and maximum length of one in characters."""


def get_history_file() -> Path:
    """Return the path of ``typed``, the file of the input history. Raises OSError if the user has no state folder."""
    return get_state_folder() / "typed"


def read_history() -> list[str]:
    """Return the last ``LINE_LIMIT`` lines of the input history, earliest first.

    Lines that are blank, too long or not printable are left out. The list is empty if the file cannot be read or others
    can write to it.
    """
    return [line for line in _read_own_lines("typed") if _is_storable(line)][-LINE_LIMIT:]


def add_to_history(new_lines: Iterable[str]) -> None:
    """Add lines to the file of the input history, and keep the last ``LINE_LIMIT``.

    Lines that are blank, longer than ``LINE_LENGTH`` or not printable are left out. Of equal lines that then follow
    each other, one remains, also if some were in the file before: ``b``, an empty line and ``b`` give a single ``b``.
    A file that can't be read, or that others can write to, counts as empty and is replaced. The file is written even
    if no line is added. Raises OSError if it can't be written.
    """
    all_lines = [*read_history(), *filter(_is_storable, new_lines)]
    lines = [line for i, line in enumerate(all_lines) if i + 1 == len(all_lines) or all_lines[i + 1] != line]
    _write_lines(get_history_file(), lines[-LINE_LIMIT:])


def _is_storable(line: str) -> bool:
    return bool(line.strip()) and line.isprintable() and len(line) <= LINE_LENGTH


ALLOWED_FILE = "allowed"
MAX_ALLOWED_PATHS = 2_000
"""Maximum number of allowed paths; the oldest are dropped."""


def is_path_allowed(path: str) -> bool:
    """Return whether the user has allowed the ruleset at an absolute path, which is normalized but not accessed."""
    return os.path.normpath(path) in _read_own_lines(ALLOWED_FILE)


def allow_paths(paths: Iterable[str]) -> None:
    """Add paths, which should be absolute, to the list of allowed rulesets, and keep the last ``MAX_ALLOWED_PATHS``.

    :func:`os.path.normpath` normalizes them, so that a relative one stays relative. Paths that are in the list already,
    or that have a line break, are left out. If none is left, nothing is written. A list that can't be read, or that
    others can write to, counts as empty and is replaced. Raises OSError if the list can't be written.
    """
    old_paths = list(filter(None, _read_own_lines(ALLOWED_FILE)))
    normal_paths = dict.fromkeys(map(os.path.normpath, paths))
    new_paths = [path for path in normal_paths if path not in old_paths and "\n" not in path]
    if new_paths:
        _write_lines(get_state_folder() / ALLOWED_FILE, [*old_paths, *new_paths][-MAX_ALLOWED_PATHS:])
