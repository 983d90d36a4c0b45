"""Find the user's folders, and protect their files: private folders, private files and file locks."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

from lusory_dsl.source.safe_files_and_bundled_data import write_atomically

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def get_data_folder() -> Path:
    """Return the folder of the user's data, such as saved games: on Linux ``lusory`` in ``XDG_DATA_HOME``.

    Without this variable, it is in ``~/.local/share``. Raises OSError if the user has no home folder.
    """
    return _get_user_folder("data")


def get_state_folder() -> Path:
    """Return the folder of saved state, such as journals: on Linux ``lusory`` in ``XDG_STATE_HOME``.

    Without this variable, it is in ``~/.local/state``. Raises OSError if the user has no home folder.
    """
    return _get_user_folder("state")


def get_cache_folder() -> Path:
    """Return the folder of the cache: on Linux ``lusory`` in ``XDG_CACHE_HOME``.

    Without this variable, it is in ``~/.cache``. Raises OSError if the user has no home folder.
    """
    return _get_user_folder("cache")


def make_private(folder: Path) -> Path:
    """Create a folder and its missing parents with access for the user only, and return ``folder``.

    Lusory's own folders are those of the user's data, state and cache. If ``folder`` is one of them or inside one, it
    and its parents up to that one each get ``FOLDER_MODE`` if the group or others have any right. So 0o755 becomes
    0o700, but 0o500 stays. A folder that exists elsewhere keeps its mode. Raise PermissionError if ``folder`` or one of
    these parents belongs to another user, or if the group or others can write to it, as with 0o775. Folders below such
    a parent are made or changed all the same. Other parents are not examined. Raise OSError if the folder can't be
    created, as when a file has its name.
    """
    missing_folders = [path for path in (folder, *folder.parents) if not path.is_dir()]
    for path in reversed(missing_folders):
        path.mkdir(mode=FOLDER_MODE, exist_ok=True)
    for path in (folder, *folder.parents):
        status = path.stat()
        if not is_owned(status) and (path == folder or _is_lusory_folder(path)):
            raise PermissionError(errno.EPERM, "others can write to this folder", str(path))
        if not _is_lusory_folder(path):
            break
        if stat.S_IMODE(status.st_mode) & 0o077 and hasattr(os, "getuid"):
            path.chmod(FOLDER_MODE)
    return folder


def write_private(file: Path, content: str | bytes) -> None:
    """Write a file atomically. In a folder of lusory only its user gets access, elsewhere the usual rights apply.

    Raise OSError if that is impossible.
    """
    write_atomically(file, content, mode=FILE_MODE if _is_lusory_folder(file.parent) else None)


def is_owned(status: os.stat_result) -> bool:
    """Return whether only this user can write to a folder or file with this status.

    The user must own it, and neither the group nor others may write. On systems without user ids, it is always True.
    """
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def is_in_own_folder(file: Path) -> bool:
    """Return whether a file is in the user's data or state folder, and nobody else can have written it.

    Symbolic links of its folder are resolved. False if the file does not exist or can't be examined.
    """
    try:
        folder = Path(os.path.realpath(file.parent))
        own_folders = [Path(os.path.realpath(root)) for root in (get_data_folder(), get_state_folder())]
        return any(folder.is_relative_to(root) for root in own_folders) and all(
            is_owned(path.stat()) for path in (folder, file)
        )
    except OSError:
        return False


def _is_lusory_folder(folder: Path) -> bool:
    """Return whether a folder is one of lusory's folders, or inside one."""
    for find_folder in (get_data_folder, get_state_folder, get_cache_folder):
        try:
            if folder.is_relative_to(find_folder()):
                return True
        except OSError:
            continue
    return False


def _get_user_folder(kind: str) -> Path:
    import platformdirs  # import only when needed: this takes 18 ms

    try:
        return Path(getattr(platformdirs, f"user_{kind}_dir")("lusory", appauthor=False))
    except RuntimeError:
        raise FileNotFoundError(errno.ENOENT, "this user has no home folder", "~") from None


# On Windows nobody can read locked bytes, so lock one far beyond the end of the file.
_LOCK_OFFSET = 1 << 30

if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Lock an open file until it is closed, and return True. Return False at once if it can't be locked now."""
        os.lseek(handle, _LOCK_OFFSET, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock an open file until it is closed, and return True. Return False at once if it can't be locked now."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
