"""How a user began each game last: who sat where, its options, its packs. A file in the user's state folder.

Written where somebody begins a game by hand, and read by the menu; saved and recorded games never reach it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lusory_dsl.text.disk import read_text

from ..folders import is_ours, private, state_folder, write_own

MOST = 200
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


def keep(ruleset: str, settings: Settings) -> None:
    """Keep how a game was begun in place of the time before; what a damaged file held is gone. Raises OSError."""
    path = file_of_settings()
    private(path.parent)
    try:
        found = _read(path)
    except NotSettings:
        found = {}
    found.pop(ruleset, None)
    found[ruleset] = settings
    kept = {name: asdict(one) for name, one in list(found.items())[-MOST:]}
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
