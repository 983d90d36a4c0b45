"""Which files a ruleset consists of, what is in them, and what identifies it. Reads no YAML.

Each file is read once: its bytes go to the cache, which asks whether they were checked before, and to the loader.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import diagnostic_codes
from .dataclasses import dataclass
from .filesystem import CARDS, MAX_BYTES, FileRefused, files_in, read_bytes

SHEET = ".csv"
"""How the names of sheets of cards end."""

OTHER_SHEETS = (".tsv", ".ods", ".xlsx", ".xls")
"""Forms of sheets that programs for spreadsheets write, and that are not read."""


def ruleset_files(path: Path) -> list[Path]:
    """The YAML files of a ruleset's folder and its ``cards``, and the sheets in these, by name; or the one file that is
    named.

    Raises FileRefused where there are too many, or too much is in them altogether."""
    if not path.is_dir():
        return [path]
    read = [*files_in(path, ".yaml"), *files_in(path / CARDS, ".yaml", SHEET)]
    found = sorted(read, key=lambda f: key_of(f, path))
    sizes = (file.stat().st_size for file in found if file.is_file())
    if sum(size for size in sizes if size <= MAX_BYTES) > MAX_BYTES:  # a larger file is refused by itself
        raise FileRefused(path, diagnostic_codes.TOO_LARGE, f"its files hold more than {MAX_BYTES:,} bytes together")
    return found


def misnamed_files(path: Path) -> list[Path]:
    """Files of a ruleset's folder that look like parts of it and are not read. Raises FileRefused for too many."""
    return sorted(file for folder in _folders(path) for file in files_in(folder, ".yml"))


def unread_sheets(path: Path) -> list[Path]:
    """Sheets of a ruleset's folder that lie where none is read, or in a form that is not. Raises FileRefused for too
    many."""
    folder, cards = _folders(path)
    return sorted([*files_in(folder, SHEET), *files_in(cards, *OTHER_SHEETS)])


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


@dataclass(frozen=True)
class RulesetFiles:
    """The folder or file of a ruleset or pack, as it was when it was read. ``files``: each with its content, or with
    why it could not be read. ``unread``: sheets that are not. ``refusal``: why none is."""

    path: Path
    files: tuple[tuple[Path, bytes | FileRefused], ...] = ()
    misnamed: tuple[Path, ...] = ()
    unread: tuple[Path, ...] = ()
    refusal: FileRefused | None = None


def read_files(path: Path, packs: Sequence[Path] = ()) -> tuple[RulesetFiles, ...]:
    """All files of a ruleset, and of the packs that are laid over it, in order. Raises nothing."""
    return tuple(map(_read_place, (path, *packs)))


def _read_place(path: Path) -> RulesetFiles:
    try:
        misnamed, unread, files = tuple(misnamed_files(path)), tuple(unread_sheets(path)), ruleset_files(path)
    except FileRefused as refusal:
        return RulesetFiles(path, refusal=refusal)
    return RulesetFiles(path, tuple((file, _content(file)) for file in files), misnamed, unread)


def _content(file: Path) -> bytes | FileRefused:
    try:
        return read_bytes(file)
    except FileRefused as refusal:
        return refusal


def fingerprint(places: Iterable[RulesetFiles]) -> str | None:
    """Changes whenever a check of a ruleset could find something else; None where a file could not be read.

    Over the bytes of all files and all names, also as they stand in messages: of the place, of files in and out."""
    parts: list[tuple[str, bytes]] = []
    for place in places:
        if place.refusal is not None:
            return None
        parts.append((str(place.path), b""))
        for file, content in place.files:
            if isinstance(content, FileRefused):
                return None
            parts.append((key_of(file, place.path), content))
        parts += ((str(file), b"misnamed") for file in (*place.misnamed, *place.unread))
    return digest_of(parts)


def path_fingerprint(files: Iterable[Path]) -> str | None:
    """Changes with the names and contents of some files; None where one can't be read."""
    try:
        return digest_of((str(file), read_bytes(file)) for file in files)
    except OSError:
        return None


def _folders(path: Path) -> tuple[Path, Path]:
    return path, path / CARDS
