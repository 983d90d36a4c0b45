"""Where a user's own files of lusory lie: saved games, and what one run keeps for the next. One function a platform.

Used by the shells. Only the user's own hand reaches these folders, so what lies there needs no asking.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from lusory_dsl.text.disk import home


def data_folder() -> Path:
    """The folder of the user's data: saved games. Raises OSError where there is no such place."""
    return _platform()("DATA")


def state_folder() -> Path:
    """The folder of what runs keep: journals, and which rules were allowed. Raises OSError where there is no such
    place."""
    return _platform()("STATE")


def private(folder: Path) -> Path:
    """A folder that is made, where it is missing, for its user alone. Raises OSError, also where others can write."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_ours(folder.stat()):
        raise PermissionError(errno.EPERM, "others can write to this folder", str(folder))
    return folder


def is_ours(status: os.stat_result) -> bool:
    """Whether nobody but this user can write to a folder or file."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def lies_in_own(file: Path) -> bool:
    """Whether a file lies in one of these folders, and nobody else could have written it."""
    try:
        folder = Path(os.path.realpath(file.parent))
        own = [Path(os.path.realpath(root)) for root in (data_folder(), state_folder())]
        return any(folder.is_relative_to(root) for root in own) and all(is_ours(f.stat()) for f in (folder, file))
    except OSError:
        return False


# ---------------------------------------------------------------- platforms


def _xdg(kind: str) -> Path:
    """Linux and its like: the XDG Base Directory Specification, whose variables count where they are whole paths."""
    named = os.environ.get(f"XDG_{kind}_HOME", "")
    if os.path.isabs(named):
        return Path(named) / "lusory"
    return _home() / ".local" / {"DATA": "share", "STATE": "state"}[kind] / "lusory"


def _macos(kind: str) -> Path:
    return _home() / "Library" / "Application Support" / "lusory"


def _windows(kind: str) -> Path:
    named = os.environ.get("LOCALAPPDATA", "")
    return (Path(named) if named else _home() / "AppData" / "Local") / "lusory"


def _platform() -> Callable[[str], Path]:
    return {"win32": _windows, "darwin": _macos}.get(sys.platform, _xdg)


def _home() -> Path:
    own = home()
    if own is None:
        raise FileNotFoundError(errno.ENOENT, "this user has no home folder", "~")
    return own
