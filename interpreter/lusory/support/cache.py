"""Cache checked programs, generated code and native libraries, in files that only this user can have written."""

from __future__ import annotations

import contextlib
import hashlib
import io
import marshal
import os
import pickle
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import lusory
import lusory_dsl
from lusory_dsl.core import Program
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.source.safe_files_and_bundled_data import find_data_folder

from ..state.state_layout import list_streams
from ..state.static_work_charges_and_list_bounds import find_list_sources
from .user_folders_private_files_and_locks import get_cache_folder, is_owned, make_private

_ALLOWED_MODULES = (
    "lusory_dsl.core.board_geometry",
    "lusory_dsl.core.declarations",
    "lusory_dsl.core.expressions",
    "lusory_dsl.core.knowledge_levels_and_knowledge_results",
    "lusory_dsl.core.generated_part_origins",
    "lusory_dsl.core.board_drawing_and_parsing",
    "lusory_dsl.core.program",
    "lusory_dsl.core.statements",
    "lusory_dsl.core.screen_layout_declarations",
    "lusory_dsl.source.source",
    "lusory_dsl.types.types",
)
_DIGEST_SIZE = 32
_LIBRARY_SUFFIX = ".so"
MAX_ENTRIES = 400
"""Number of entries at which the cache deletes the older half."""


class Cache:
    """Folder of cache entries. Every failure to read or write counts as a miss."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load_program(self, fingerprint: str) -> tuple[Program, int] | None:
        """Return the program stored for a ruleset with this fingerprint, and the number of its warnings.

        Return None if there is none. Damaged entries, entries that others could have written, and entries of another
        version of Python or of the installed source count as missing.
        """
        payload = self._read(self._name("program", fingerprint))
        if payload is None:
            return None
        try:
            program, warnings = _ProgramUnpickler(io.BytesIO(payload)).load()
        except Exception:  # a damaged pickle can raise anything; treat it as a miss
            return None
        return (program, warnings) if isinstance(program, Program) and isinstance(warnings, int) else None

    def store_program(self, fingerprint: str, program: Program, warnings: int) -> None:
        """Store a checked program and its number of warnings. :meth:`load_program` then returns a copy and the number.

        The copy is another object, which does not equal ``program``. The analyses that a program caches in itself are
        computed before, and stored with it. The program replaces what was stored under the fingerprint. Failures to
        write are ignored.
        """
        get_knowledge(program)
        find_list_sources(program)
        list_streams(program)
        self._write(self._name("program", fingerprint), pickle.dumps((program, warnings), protocol=5))

    def load_code(self, key: str) -> Any:
        """Return the code objects and plain values stored under a key.

        Return None if there are none. Damaged entries, entries that others could have written, and entries of another
        version of Python or of the installed source count as missing.
        """
        payload = self._read(self._name("code", key))
        if payload is None:
            return None
        try:
            return marshal.loads(payload)
        except (ValueError, EOFError, TypeError):
            return None

    def store_code(self, key: str, value: Any) -> None:
        """Store code objects and plain values under a key, in place of earlier ones. Failures to write are ignored.

        Raise ValueError if ``marshal`` can't write the value.
        """
        self._write(self._name("code", key), marshal.dumps(value))

    def find_library(self, key: str) -> Path | None:
        """Return the file of the shared library stored under a key.

        Return None if there is none, or its digest is missing or differs. The same holds if others could have written
        one of these two files or their folder, for another version of Python, and for other installed source.
        """
        name = self._name("library", key)
        file_name = f"{name}{_LIBRARY_SUFFIX}"
        content = self._read_owned(file_name)
        is_intact = content is not None and hashlib.sha256(content).digest() == self._read(name)
        return self.folder / file_name if is_intact else None

    def store_library(self, key: str, content: bytes) -> None:
        """Store a shared library in ``NAME.so`` in ``folder``, and its SHA-256 digest in ``NAME``, over earlier ones.

        NAME is 64 hexadecimal digits. :meth:`find_library` with the same key then returns the path of ``NAME.so``. The
        second file is an entry like any other. Before the digest (32 bytes) it holds a checksum (32 bytes): the SHA-256
        digest of its own file name followed by the digest of the library. Failures to write are ignored.
        """
        name = self._name("library", key)
        self._write_atomically(f"{name}{_LIBRARY_SUFFIX}", content)
        self._write(name, hashlib.sha256(content).digest())

    def find_parse_table_file(self) -> Path | None:
        """Return the file in which Lark stores the tables of the effect grammar. Its folder is created, but not the
        file.

        Return None if others could write to the file, because Lark unpickles it, or if the folder can't be created.
        """
        with contextlib.suppress(OSError):
            file = make_private(self.folder) / self._name("grammar", "tables")
            if not file.exists() or is_owned(file.stat()):
                return file
        return None

    def _name(self, kind: str, key: str) -> str:
        """Return the file name of an entry: a hash of its kind and key, the installed source, and the Python
        version.
        """
        identity = "\n".join((kind, key, compute_stat_digest(), sys.version, sys.implementation.cache_tag or ""))
        return hashlib.sha256(identity.encode()).hexdigest()

    def _read(self, name: str) -> bytes | None:
        """Return the payload of an entry, or None if it is missing, damaged, or can be written by others."""
        data = self._read_owned(name) or b""
        payload = data[_DIGEST_SIZE:]
        return payload if hashlib.sha256(name.encode() + payload).digest() == data[:_DIGEST_SIZE] else None

    def _read_owned(self, name: str) -> bytes | None:
        """Return the content of a file, or None if it is missing, or if others can write to it or to the folder."""
        with contextlib.suppress(OSError):
            if is_owned(self.folder.stat()):
                with (self.folder / name).open("rb") as file:
                    return file.read() if is_owned(os.fstat(file.fileno())) else None
        return None

    def _write(self, name: str, payload: bytes) -> None:
        self._write_atomically(name, hashlib.sha256(name.encode() + payload).digest() + payload)

    def _write_atomically(self, name: str, content: bytes) -> None:
        """Write an entry atomically, so that no reader sees half of it. Failures to write are ignored.

        Create the folder if it is missing, and first evict old entries.
        """
        import tempfile  # import only when needed: most runs only read

        with contextlib.suppress(OSError):
            make_private(self.folder)
            # delete the older half of the entries if there are too many
            entries = list(self.folder.iterdir())
            if len(entries) >= MAX_ENTRIES:
                for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)[: MAX_ENTRIES // 2]:
                    entry.unlink(missing_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.replace(temporary, self.folder / name)
            except OSError:
                os.unlink(temporary)
                raise


class _ProgramUnpickler(pickle.Unpickler):
    """Unpickler that only creates records of the language's core, so that a cache entry cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of the language's core. Raise ``pickle.UnpicklingError`` for anything else."""
        if module in _ALLOWED_MODULES and "." not in name:
            member = getattr(sys.modules[module], name, None)
            if isinstance(member, type) and member.__module__ == module:
                return member
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in a program")


@lru_cache(maxsize=1)
def compute_stat_digest() -> str:
    """Return the SHA-256 digest of the installed source and schemas, as 64 hexadecimal digits.

    It hashes absolute paths, sizes and modification times of ``.py``, ``.lark``, ``.json`` and ``.h`` files, not their
    contents. This is fast, but the same files can have another digest on another machine. It is computed once for each
    process.
    """
    entries_found = []
    folders = [os.path.dirname(lusory_dsl.__file__), os.path.dirname(lusory.__file__), str(find_data_folder("schema"))]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".lark", ".json", ".h")):
                    status = entry.stat()
                    entries_found.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}\n")
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return hashlib.sha256("".join(sorted(entries_found)).encode()).hexdigest()


@lru_cache(maxsize=1)
def compute_content_digest() -> str:
    """Return the SHA-256 of all ``.py`` and ``.h`` files of ``lusory_dsl`` and ``lusory``, as 64 hexadecimal digits.

    It covers their contents and their paths in the package. The same files give the same digest on every machine. It is
    computed once for each process.
    """
    digest = hashlib.sha256()
    for root in (Path(lusory_dsl.__file__).parent, Path(lusory.__file__).parent):
        for file in sorted([*root.rglob("*.py"), *root.rglob("*.h")]):
            digest.update(f"{file.relative_to(root).as_posix()}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def find_default_parse_table_file() -> Path | None:
    """Return the file for the tables of the effect grammar in the user's cache. It need not exist yet.

    Return None if there is no cache, or if others could write to the file.
    """
    cache = find_default_cache()
    return None if cache is None else cache.find_parse_table_file()


def find_default_cache() -> Cache | None:
    """Return the user's Cache. Its ``folder`` need not exist yet.

    It is the one that the environment variable LUSORY_CACHE names. If this is empty or missing, it is the platform's
    folder: on Linux ``lusory`` in ``XDG_CACHE_HOME``, or else in ``~/.cache``. Return None if LUSORY_CACHE is ``off``,
    or if the platform's folder is unknown, as in containers without a home folder.
    """
    setting = os.environ.get("LUSORY_CACHE", "")
    if setting == "off":
        return None
    if setting:
        return Cache(Path(setting))
    try:
        return Cache(get_cache_folder())
    except OSError:
        return None
