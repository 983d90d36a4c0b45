"""Find and read the files of a ruleset, and compute fingerprints of them. Parses no YAML.

Each file is read once. The loader and the cache of checked rulesets both use these bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import diagnostic_codes
from .lazy_dataclass import dataclass
from .safe_files import CARDS, MAX_BYTES, FileRefused, files_in, read_bytes

SHEET = ".csv"
"""The file extension of card sheets."""

OTHER_SHEETS = (".tsv", ".ods", ".xlsx", ".xls")
"""The extensions of spreadsheet formats that lusory does not read."""


def ruleset_files(path: Path) -> list[Path]:
    """Return the files of the ruleset at ``path``, sorted by name.

    For a folder, these are its YAML files, and the YAML files and card sheets in its folder ``cards``. For a file, it
    is that file alone. Raises FileRefused if there are too many files, or if they are too large together.
    """
    if not path.is_dir():
        return [path]
    read = [*files_in(path, ".yaml"), *files_in(path / CARDS, ".yaml", SHEET)]
    found = sorted(read, key=lambda f: key_of(f, path))
    sizes = (file.stat().st_size for file in found if file.is_file())
    # A single file above the limit is refused when it is read, with a better message.
    if sum(size for size in sizes if size <= MAX_BYTES) > MAX_BYTES:
        raise FileRefused(path, diagnostic_codes.TOO_LARGE, f"its files hold more than {MAX_BYTES:,} bytes together")
    return found


def misnamed_files(path: Path) -> list[Path]:
    """Return the ``.yml`` files of a ruleset's folder, which are not read. Raises FileRefused if there are too many."""
    return sorted(file for folder in _folders(path) for file in files_in(folder, ".yml"))


def unread_sheets(path: Path) -> list[Path]:
    """Return the sheets of a ruleset's folder that are not read: those in the wrong folder or in another format.

    Raises FileRefused if there are too many.
    """
    folder, cards = _folders(path)
    return sorted([*files_in(folder, SHEET), *files_in(cards, *OTHER_SHEETS)])


def key_of(file: Path, path: Path) -> str:
    """Return the path of ``file`` relative to the ruleset at ``path``, with forward slashes."""
    return file.name if file == path else file.relative_to(path).as_posix()


def digest_of(parts: Iterable[tuple[str, bytes]]) -> str:
    """Return the SHA-256 of the names and contents of files, in order, as hexadecimal digits."""
    digest = hashlib.sha256()
    for name, content in parts:
        for part in (name.encode("utf-8", "surrogateescape"), content):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


@dataclass(frozen=True)
class RulesetFiles:
    """A snapshot of the folder or file of a ruleset or pack.

    ``files`` holds each file with its content, or with the reason why it could not be read. ``unread`` lists the
    sheets that are not read. If the folder as a whole could not be read, ``refusal`` says why.
    """

    path: Path
    files: tuple[tuple[Path, bytes | FileRefused], ...] = ()
    misnamed: tuple[Path, ...] = ()
    unread: tuple[Path, ...] = ()
    refusal: FileRefused | None = None


def read_files(path: Path, packs: Sequence[Path] = ()) -> tuple[RulesetFiles, ...]:
    """Read all files of a ruleset and of its packs, in order. Raises nothing: each snapshot holds its own errors."""
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
    """Return a hash that changes whenever a check of the ruleset could give another result.

    It covers the bytes and names of all files, and the paths that diagnostics show. Returns None if a file could not
    be read.
    """
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
    """Return a hash of the names and contents of ``files``, or None if one can't be read."""
    try:
        return digest_of((str(file), read_bytes(file)) for file in files)
    except OSError:
        return None


def _folders(path: Path) -> tuple[Path, Path]:
    return path, path / CARDS
