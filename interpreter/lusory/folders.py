"""The folders of lusory in a user's home: saved games, what one run keeps for the next, and the cache.

Used by the shells. Only the user's own hand reaches these folders, so what lies there needs no asking.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from lusory_dsl.text.disk import write_whole

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def data_folder() -> Path:
    """Return the folder of the user's data: saved games. Raises OSError where there is no such place."""
    return _user_folder("data")


def state_folder() -> Path:
    """Return the folder of what runs keep: journals, and which rules were allowed. Raises OSError where there is no
    such place."""
    return _user_folder("state")


def cache_folder() -> Path:
    """Return the folder of the cache. Raises OSError where there is no such place."""
    return _user_folder("cache")


def private(folder: Path) -> Path:
    """Make a folder, with those above it, for its user alone. Folders of lusory that others can read are narrowed.

    Raises OSError, also where others can write to it."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=FOLDER_MODE, exist_ok=True)
    for one in (folder, *folder.parents):
        status = one.stat()
        if not is_ours(status) and (one == folder or _is_of_lusory(one)):
            raise PermissionError(errno.EPERM, "others can write to this folder", str(one))
        if not _is_of_lusory(one):
            break
        if stat.S_IMODE(status.st_mode) & 0o077 and hasattr(os, "getuid"):
            one.chmod(FOLDER_MODE)
    return folder


def write_own(file: Path, content: str | bytes) -> None:
    """Write a file whole or not at all; in a folder of lusory for its user alone. Raises OSError."""
    write_whole(file, content, mode=FILE_MODE if _is_of_lusory(file.parent) else None)


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


def _is_of_lusory(folder: Path) -> bool:
    """Whether a folder is one of these, or lies in one."""
    for find in (data_folder, state_folder, cache_folder):
        try:
            if folder.is_relative_to(find()):
                return True
        except OSError:
            continue
    return False


def _user_folder(kind: str) -> Path:
    import platformdirs  # imported late: it takes 18 ms

    try:
        return Path(getattr(platformdirs, f"user_{kind}_dir")("lusory", appauthor=False))
    except RuntimeError:
        raise FileNotFoundError(errno.ENOENT, "this user has no home folder", "~") from None
