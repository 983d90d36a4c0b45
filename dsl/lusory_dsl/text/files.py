"""Which files a ruleset consists of, and what identifies their content. Reads no YAML.

Used by the loader, and by the interpreter's cache, which asks whether anything has changed without loading anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import codes
from .disk import CARDS, MAX_BYTES, FileRefused, files_in, read_bytes


def ruleset_files(path: Path) -> list[Path]:
    """The YAML files of a ruleset's folder and its ``cards``, by name; or the one file that is named.

    Raises FileRefused where there are too many, or too much is in them altogether."""
    if not path.is_dir():
        return [path]
    found = sorted((f for folder in _folders(path) for f in files_in(folder, ".yaml")), key=lambda f: key_of(f, path))
    sizes = (file.stat().st_size for file in found if file.is_file())
    if sum(size for size in sizes if size <= MAX_BYTES) > MAX_BYTES:  # a larger file is refused by itself
        raise FileRefused(path, codes.TOO_LARGE, f"its files hold more than {MAX_BYTES:,} bytes together")
    return found


def misnamed_files(path: Path) -> list[Path]:
    """Files of a ruleset's folder that look like parts of it and are not read. Raises FileRefused for too many."""
    return sorted(file for folder in _folders(path) for file in files_in(folder, ".yml"))


def key_of(file: Path, path: Path) -> str:
    """A file's name within the ruleset in ``path``."""
    return file.name if file == path else file.relative_to(path).as_posix()


def digest_of(parts: Iterable[tuple[str, bytes]]) -> str:
    """A hash over the names and contents of files, in order."""
    digest = hashlib.sha256()
    for name, content in parts:
        for part in (name.encode("utf-8", "surrogateescape"), content):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


def fingerprint(path: Path, packs: Sequence[Path] = ()) -> str | None:
    """Changes whenever a check of a ruleset could find something else; None where a file can't be read.

    Over the bytes of all files and all names, also as they stand in messages: of the place, of files in and out."""
    parts: list[tuple[str, bytes]] = []
    try:
        for place in (path, *packs):
            parts.append((str(place), b""))
            parts += ((key_of(file, place), read_bytes(file)) for file in ruleset_files(place))
            parts += ((str(file), b"misnamed") for file in misnamed_files(place))
    except OSError:
        return None
    return digest_of(parts)


def path_fingerprint(files: Iterable[Path]) -> str | None:
    """Changes with the names and contents of some files; None where one can't be read."""
    try:
        return digest_of((str(file), read_bytes(file)) for file in files)
    except OSError:
        return None


def _folders(path: Path) -> tuple[Path, Path]:
    return path, path / CARDS
