"""User directories, file locks and the on-disk cache."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import marshal
import os
import pickle
import stat
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import lusory_dsl
from lusory_dsl.core import Program
from lusory_dsl.core.information_flow import knowledge_of
from lusory_dsl.source.filesystem import data, write_whole

from ..state.cost import lists_made
from ..state.state import streams_of

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


_READABLE = (
    "lusory_dsl.core.boards",
    "lusory_dsl.core.declarations",
    "lusory_dsl.core.expressions",
    "lusory_dsl.core.information_flow",
    "lusory_dsl.core.origin",
    "lusory_dsl.core.board_diagrams",
    "lusory_dsl.core.program",
    "lusory_dsl.core.statements",
    "lusory_dsl.core.view_declarations",
    "lusory_dsl.source.source",
    "lusory_dsl.types.types",
)
_DIGEST = 32
_LIBRARY = ".so"
MANY = 400
"""So many entries make the cache forget the older half of them."""


class Cache:
    """A folder of entries. Every failure to read or write counts as a miss."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def program(self, fingerprint: str) -> tuple[Program, int] | None:
        """The program of a ruleset whose files have this fingerprint, and how many warnings its check gave."""
        payload = self._read(self._name("program", fingerprint))
        if payload is None:
            return None
        try:
            program, warnings = _Reader(io.BytesIO(payload)).load()
        except Exception:  # whatever a damaged pickle raises: a miss
            return None
        return (program, warnings) if isinstance(program, Program) and isinstance(warnings, int) else None

    def keep_program(self, fingerprint: str, program: Program, warnings: int) -> None:
        """Keep a checked program, with what takes long to find out about it, and the number of warnings."""
        knowledge_of(program)
        lists_made(program)
        streams_of(program)
        self._write(self._name("program", fingerprint), pickle.dumps((program, warnings), protocol=5))

    def code(self, key: str) -> Any:
        """What was kept under a key: code objects and plain values, or None."""
        payload = self._read(self._name("code", key))
        if payload is None:
            return None
        try:
            return marshal.loads(payload)
        except (ValueError, EOFError, TypeError):
            return None

    def keep_code(self, key: str, value: Any) -> None:
        """Keep code objects and plain values."""
        self._write(self._name("code", key), marshal.dumps(value))

    def library(self, key: str) -> Path | None:
        """The file of a shared library that was kept under a key, if nobody else can have written it."""
        name = self._name("library", key)
        path = self.folder / f"{name}{_LIBRARY}"
        kept = self._read(name)
        try:
            if kept is None or not is_ours(self.folder.stat()):
                return None
            with path.open("rb") as file:
                if is_ours(os.fstat(file.fileno())) and hashlib.sha256(file.read()).digest() == kept:
                    return path
        except OSError:
            pass
        return None

    def keep_library(self, key: str, content: bytes) -> None:
        """Keep a shared library, and its digest."""
        name = self._name("library", key)
        self._put(f"{name}{_LIBRARY}", content)
        self._write(name, hashlib.sha256(content).digest())

    def parse_table_file(self) -> Path | None:
        """Return the file in which Lark keeps the tables of the effect grammar. None if others could write to it:
        Lark unpickles what it finds there."""
        with contextlib.suppress(OSError):
            file = private(self.folder) / self._name("grammar", "tables")
            if not file.exists() or is_ours(file.stat()):
                return file
        return None

    def _name(self, kind: str, key: str) -> str:
        whole = "\n".join((kind, key, own_digest(), sys.version, sys.implementation.cache_tag or ""))
        return hashlib.sha256(whole.encode()).hexdigest()

    def _read(self, name: str) -> bytes | None:
        try:
            if not is_ours(self.folder.stat()):
                return None
            with (self.folder / name).open("rb") as file:
                if not is_ours(os.fstat(file.fileno())):
                    return None
                data = file.read()
        except OSError:
            return None
        payload = data[_DIGEST:]
        return payload if hashlib.sha256(name.encode() + payload).digest() == data[:_DIGEST] else None

    def _write(self, name: str, payload: bytes) -> None:
        self._put(name, hashlib.sha256(name.encode() + payload).digest() + payload)

    def _put(self, name: str, content: bytes) -> None:
        """Whole or not at all: a reader never sees half an entry."""
        import tempfile  # imported late: most runs only read

        with contextlib.suppress(OSError):
            private(self.folder)
            self._make_room()
            handle, temporary = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.replace(temporary, self.folder / name)
            except OSError:
                os.unlink(temporary)
                raise

    def _make_room(self) -> None:
        """Forget the older half of the entries when there are many."""
        entries = list(self.folder.iterdir())
        if len(entries) >= MANY:
            for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)[: MANY // 2]:
                entry.unlink(missing_ok=True)


class _Reader(pickle.Unpickler):
    """Makes records of the language and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _READABLE and "." not in name:
            found = getattr(sys.modules[module], name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in a program")


@lru_cache(maxsize=1)
def own_digest() -> str:
    """A digest of this version's own source and schemas: sizes and times of its files, so that it is cheap."""
    found = []
    folders = [os.path.dirname(lusory_dsl.__file__), os.path.dirname(__file__), str(data("schema"))]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".lark", ".json", ".h")):
                    status = entry.stat()
                    found.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}\n")
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return hashlib.sha256("".join(sorted(found)).encode()).hexdigest()


@lru_cache(maxsize=1)
def code_digest() -> str:
    """A digest of this version's own code by content: the same wherever it is installed."""
    digest = hashlib.sha256()
    for root in (Path(lusory_dsl.__file__).parent, Path(__file__).parent):
        for file in sorted([*root.rglob("*.py"), *root.rglob("*.h")]):
            digest.update(f"{file.relative_to(root).as_posix()}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def default_parse_table_file() -> Path | None:
    """Return the file for the tables of the effect grammar in the user's cache, or None if there is no cache."""
    cache = default_cache()
    return None if cache is None else cache.parse_table_file()


def default_cache() -> Cache | None:
    """The user's cache, or None where it is switched off, and where a user has no home, as in some containers."""
    named = os.environ.get("LUSORY_CACHE", "")
    if named == "off":
        return None
    if named:
        return Cache(Path(named))
    try:
        return Cache(cache_folder())
    except OSError:
        return None


_FAR = 1 << 30  # where a lock lies on systems that keep others from reading what is locked

if sys.platform == "win32":
    import msvcrt

    def locked(handle: int) -> bool:
        """Lock an open file until it is closed; False: somebody else has."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def locked(handle: int) -> bool:
        """Lock an open file until it is closed; False: somebody else has."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
