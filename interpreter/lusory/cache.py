"""Checked programs and generated code kept between runs, by content. Used by the shells; never by the core.

An entry's name is a digest of everything it depends on: the ruleset's files, this version's own source, the Python
that runs it, and, for code, the number of players and the options. Its payload carries a digest of itself. An entry
that is damaged, was made by another version, or lies in a folder that somebody else could write to, is ignored.

Programs are unpickled by a reader that makes nothing but the plain records of the language. ``LUSORY_CACHE`` names
another folder, or switches the cache off (``LUSORY_CACHE=off``).
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import marshal
import os
import pickle
import stat
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import lusory_dsl
from lusory_dsl.core import Program

_READABLE = ("lusory_dsl.core", "lusory_dsl.types", "lusory_dsl.source")
_DIGEST = 32


class Cache:
    """A folder of entries. Every failure to read or write counts as a miss."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def program(self, digest: str) -> Program | None:
        """The checked program of a ruleset whose files have this digest."""
        payload = self._read(self._name("program", digest))
        if payload is None:
            return None
        try:
            program = _Reader(io.BytesIO(payload)).load()
        except Exception:  # whatever a damaged pickle raises: a miss
            return None
        return program if isinstance(program, Program) else None

    def keep_program(self, digest: str, program: Program) -> None:
        """Keep a checked program."""
        self._write(self._name("program", digest), pickle.dumps(program, protocol=5))

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

    def _name(self, kind: str, key: str) -> str:
        whole = "\n".join((kind, key, own_digest(), sys.version, sys.implementation.cache_tag or ""))
        return hashlib.sha256(whole.encode()).hexdigest()

    def _read(self, name: str) -> bytes | None:
        try:
            if not _is_ours(self.folder):
                return None
            data = (self.folder / name).read_bytes()
        except OSError:
            return None
        payload = data[_DIGEST:]
        return payload if hashlib.sha256(name.encode() + payload).digest() == data[:_DIGEST] else None

    def _write(self, name: str, payload: bytes) -> None:
        """Whole or not at all: a reader never sees half an entry."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(self.folder):
                return
            handle, temporary = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(name.encode() + payload).digest() + payload)
                os.replace(temporary, self.folder / name)
            except OSError:
                os.unlink(temporary)
                raise


class _Reader(pickle.Unpickler):
    """Makes records of the language and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _READABLE and "." not in name:
            found = getattr(sys.modules[module], name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in a program")


def _is_ours(folder: Path) -> bool:
    """Whether nobody but this user can write to a folder."""
    status = folder.stat()
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@lru_cache(maxsize=1)
def own_digest() -> str:
    """A digest of this version's own source: sizes and times of its files, so that it is cheap."""
    digest = hashlib.sha256()
    for root in (Path(lusory_dsl.__file__).parent, Path(__file__).parent):
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".lark"):
                status = path.stat()
                digest.update(f"{path.relative_to(root)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def default_cache() -> Cache | None:
    """The user's cache, or None where it is switched off."""
    named = os.environ.get("LUSORY_CACHE", "")
    if named == "off":
        return None
    if named:
        return Cache(Path(named))
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Cache(Path(base) / "lusory")
