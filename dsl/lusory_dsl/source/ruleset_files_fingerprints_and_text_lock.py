"""Find and read the files of a ruleset with its lock file of texts, and compute fingerprints. Parses no YAML.

Each file is read once. The loader and the cache of checked rulesets both use these bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from . import diagnostic_codes
from .dataclass_with_lazy_methods import ValueRecord, replace
from .safe_files_and_bundled_data import CARDS, MAX_BYTES, FileRefused, list_files, read_bytes

SHEET_EXTENSION = ".csv"
"""The file extension of card sheets."""

UNREAD_SHEET_EXTENSIONS = (".tsv", ".ods", ".xlsx", ".xls")
"""The extensions of spreadsheet formats that lusory does not read."""


TEXT_LOCK = "texts.lock"
"""The file that says for which rules the author has accepted each printed text.

Each line has the name of a declaration, a digest of its text, and a digest of its rules.
"""
_LOCK_LINE = re.compile(r"((?:action|card|effect|keyword) \S+) ([0-9a-f]{8}) ([0-9a-f]{8})")
_LOCK_HEAD = "# Written by `lusory text --accept`: name, digest of its text, digest of its rules.\n"


def list_ruleset_files(path: Path) -> list[Path]:
    """Return the files of the ruleset at ``path``, sorted by :func:`make_relative_key`.

    For a folder, these are the ``.yaml`` files directly in it and directly in its folder ``cards``, and the ``.csv``
    sheets in ``cards``. Subfolders with such names count as files, but names that begin with a dot are left out. For
    another path, it is that path alone, even if it does not exist. Raises FileRefused if one of the two folders can't
    be read or has by itself more than ``MAX_FILES`` (2,000) such files, or if ``cards`` is a link out of the ruleset.
    Also raises it if the files of both are larger than ``MAX_BYTES`` together. A file that is above this limit by
    itself doesn't count here. It is listed, and refused when it is read.
    """
    if not path.is_dir():
        return [path]
    paths = [*list_files(path, ".yaml"), *list_files(path / CARDS, ".yaml", SHEET_EXTENSION)]
    files = sorted(paths, key=lambda file: make_relative_key(file, path))
    sizes = (file.stat().st_size for file in files if file.is_file())
    # A single file above the limit is refused when it is read, with a better message.
    if sum(size for size in sizes if size <= MAX_BYTES) > MAX_BYTES:
        raise FileRefused(path, diagnostic_codes.TOO_LARGE, f"its files hold more than {MAX_BYTES:,} bytes together")
    return files


def make_relative_key(file: Path, path: Path) -> str:
    """Return the path of ``file`` relative to the ruleset at ``path``, with forward slashes.

    If the ruleset is this file, return its name. Raises ValueError for a file outside.
    """
    return file.name if file == path else file.relative_to(path).as_posix()


def compute_digest(files: Iterable[tuple[str, bytes]]) -> str:
    """Return the SHA-256 of the names and contents of files, in order, as 64 hexadecimal digits.

    Each name (as UTF-8) and each content is hashed after its length in 8 bytes, the most significant first. So
    different files never give the same input.
    """
    digest = hashlib.sha256()
    for name, content in files:
        for data in (name.encode("utf-8", "surrogateescape"), content):
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
    return digest.hexdigest()


class RulesetFiles(ValueRecord):
    """A snapshot of the folder or file of a ruleset or pack.

    ``files`` holds each file with its content, or with the reason why it could not be read. ``misnamed_files`` lists
    the ``.yml`` files, which are not read, and ``unread_sheets`` the sheets that are not read. If the folder as a whole
    could not be read, ``refusal`` says why. ``text_lock`` is the content of :data:`TEXT_LOCK`, or None if there is
    none.
    """

    path: Path
    files: tuple[tuple[Path, bytes | FileRefused], ...] = ()
    misnamed_files: tuple[Path, ...] = ()
    unread_sheets: tuple[Path, ...] = ()
    refusal: FileRefused | None = None
    text_lock: bytes | FileRefused | None = None

    def with_texts(self, texts: Mapping[str, str]) -> RulesetFiles:
        """Return a copy in which ``texts`` (path -> text) replace the contents of these files.

        A path that is not among the files is ignored.
        """
        files = tuple(
            (file, texts[str(file)].encode("utf-8", "surrogatepass") if str(file) in texts else content)
            for file, content in self.files
        )
        return replace(self, files=files)


def read_ruleset_files(path: Path, packs: Sequence[Path] = ()) -> tuple[RulesetFiles, ...]:
    """Read all files of a ruleset and of its packs, in order. Raises nothing: each snapshot holds its own errors."""
    return tuple(map(_read_folder, (path, *packs)))


def _read_folder(path: Path) -> RulesetFiles:
    try:
        misnamed_files = sorted([*list_files(path, ".yml"), *list_files(path / CARDS, ".yml")])
        # sheets in the wrong folder or in another format
        unread_sheets = list_files(path, SHEET_EXTENSION) + list_files(path / CARDS, *UNREAD_SHEET_EXTENSIONS)
        files = [(file, _read_content(file)) for file in list_ruleset_files(path)]
    except FileRefused as refusal:
        return RulesetFiles(path, refusal=refusal)
    lock = find_text_lock(path)
    content = _read_content(lock) if lock.exists() else None
    return RulesetFiles(path, tuple(files), tuple(misnamed_files), tuple(sorted(unread_sheets)), None, content)


def find_text_lock(path: Path) -> Path:
    """Return the lock file of the ruleset or pack at ``path``, which may not exist.

    In a folder it is called ``texts.lock``. A ruleset in a single file ``game.yaml`` has ``game.texts.lock``.
    """
    return path / TEXT_LOCK if path.is_dir() else path.with_suffix(f".{TEXT_LOCK}")


def parse_text_lock(content: bytes) -> dict[str, tuple[str, str]]:
    """Return name -> (digest of the text, digest of the rules).

    A line such as ``card imp 0123abcd 4567cdef`` gives the entry ``card imp``. Lines in another form are skipped.
    """
    lines = content.decode("utf-8", "replace").splitlines()
    return {match[1]: (match[2], match[3]) for line in lines if (match := _LOCK_LINE.fullmatch(line))}


def format_text_lock(digests: Mapping[str, tuple[str, str]]) -> str:
    """Return the content of a lock file: a comment, then a line ``NAME DIGEST DIGEST`` for each name, sorted."""
    return _LOCK_HEAD + "".join(f"{name} {text} {rules}\n" for name, (text, rules) in sorted(digests.items()))


def _read_content(file: Path) -> bytes | FileRefused:
    try:
        return read_bytes(file)
    except FileRefused as refusal:
        return refusal


def compute_fingerprint(snapshots: Iterable[RulesetFiles]) -> str | None:
    """Return a hash of all that a check of a ruleset and its packs depends on, as 64 hexadecimal digits.

    It covers the bytes and relative names of ``files``, the text locks, and the order of the snapshots. It also covers
    the paths that diagnostics show, which are ``path`` of each snapshot, ``misnamed_files`` and ``unread_sheets``. The
    contents of the latter two don't count. Returns None if a file, a folder or a text lock is a FileRefused: it could
    not be read, or is too large.
    """
    entries: list[tuple[str, bytes]] = []
    for snapshot in snapshots:
        if snapshot.refusal is not None:
            return None
        entries.append((str(snapshot.path), b""))
        for file, content in snapshot.files:
            if isinstance(content, FileRefused):
                return None
            entries.append((make_relative_key(file, snapshot.path), content))
        if isinstance(snapshot.text_lock, FileRefused):
            return None
        if snapshot.text_lock is not None:
            entries.append((TEXT_LOCK, snapshot.text_lock))
        entries += ((str(file), b"misnamed") for file in (*snapshot.misnamed_files, *snapshot.unread_sheets))
    return compute_digest(entries)


def compute_path_fingerprint(files: Iterable[Path]) -> str | None:
    """Return a hash of the paths and contents of ``files``, in order, as 64 hex digits. None if one can't be read."""
    try:
        return compute_digest((str(file), read_bytes(file)) for file in files)
    except OSError:
        return None
