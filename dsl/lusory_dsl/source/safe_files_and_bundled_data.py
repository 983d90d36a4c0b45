"""Read and write files safely (size limits, atomic writes) and locate packaged data."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from . import diagnostic_codes
from .diagnostics import Code

_PACKAGE = Path(__file__).resolve().parents[1]
TEMPLATES = "templates"
"""The folder below the bundled rulesets that holds the template for new rulesets."""

_IN_CHECKOUT = {"schema": "schema", "rulesets": "rulesets", "diagnostics": "docs/reference/diagnostics"}


def find_data_folder(name: str) -> Path:
    """Return the folder ``lusory/_data/NAME`` of the installation, or else the one in the checkout.

    In the checkout, these are ``schema``, ``rulesets`` and, for ``diagnostics``, ``docs/reference/diagnostics``. Raises
    FileNotFoundError if both are missing, and KeyError for any name but these three.
    """
    candidates = [_PACKAGE.parent / "lusory" / "_data" / name, _PACKAGE.parents[1] / _IN_CHECKOUT[name]]
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the installation of lusory has no folder {name!r}")


def read_bundled_text(file: Path) -> str:
    """Return the text of a bundled file.

    Bundled files are as trusted as the code. They may be symbolic links, because some installers create links.
    """
    return file.read_text(encoding="utf-8")


@cache
def load_schema(name: str) -> Any:
    """Return the JSON Schema ``schema/<name>.schema.json``. It is shared, so it must not be changed."""
    # Import it late, because most runs load a program from the cache and need no schema.
    import json

    return json.loads(read_bundled_text(find_data_folder("schema") / f"{name}.schema.json"))


def read_package_text(package: str, *names: str) -> str:
    """Return the text of a file in a Python package. ``names`` is the path of the file below the package."""
    from importlib.resources import files  # late: few commands need it, and it takes 3 ms

    return files(package).joinpath(*names).read_text(encoding="utf-8")


def list_files_under(folder: Path) -> list[Path]:
    """Return all files below a bundled folder, sorted by path."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def find_bundled_packs() -> dict[str, Path]:
    """Return the packs that come with lusory, sorted by name: name of the folder -> folder.

    These are the folders in ``packs`` that hold a ``.yaml`` file.
    """
    folders = (find_data_folder("rulesets") / "packs").glob("*/")
    return {folder.name: folder for folder in sorted(folders) if any(folder.glob("*.yaml"))}


def find_bundled_rulesets() -> dict[str, Path]:
    """Return the rulesets that come with lusory, sorted by name: name of the folder -> folder.

    These are the folders with a file ``ruleset.yaml``, at any depth, except templates. Packs are not among them.
    """
    root = find_data_folder("rulesets")
    folders = {path.parent for path in root.rglob("ruleset.yaml") if path.relative_to(root).parts[0] != TEMPLATES}
    return {folder.name: folder for folder in sorted(folders, key=lambda folder: folder.name)}


def find_bundled_template() -> Path:
    """Return the folder of the template for new rulesets."""
    [folder] = (path.parent for path in (find_data_folder("rulesets") / TEMPLATES).glob("*/ruleset.yaml"))
    return folder


MAX_BYTES = 4_000_000
"""The maximum size of a file, and of all files of a ruleset together.

It is some 25 times the size of the largest bundled ruleset.
"""
MAX_FILES = 2_000
"""The maximum number of files of one kind in a folder."""

CARDS, CASES, PLAYTHROUGHS = "cards", "cases", "playthroughs"
RULESET_SUBFOLDERS = (CARDS, CASES, PLAYTHROUGHS)
"""The folders inside a ruleset's folder that belong to the ruleset."""

_READ_FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):  # some systems lack some of these flags
    _READ_FLAGS |= getattr(os, _name, 0)
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_CHUNK_SIZE = 1 << 20  # bytes per read

_FILE_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class FileRefused(OSError):
    """A file that is not read, for a reason in ``strerror``: a phrase that fits behind the name of the file.

    ``filename`` is the path as the caller gave it. ``code`` and ``hint`` are for a diagnostic.
    """

    def __init__(self, path: Path, code: Code, reason: str, hint: str | None = None) -> None:
        super().__init__(errno.EPERM, reason, str(path))
        self.reason = reason
        self.code = code
        self.hint = hint


# ---------------------------------------------------------------- reading


def read_bytes(path: Path, limit: int = MAX_BYTES, inside: Path | None = None) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes.

    After all links are followed, the file must lie in the folder ``inside``. The default is the folder of ``path``, or
    its parent for a folder ``cards``, ``cases`` or ``playthroughs``. If ``inside`` is a folder of the bundled rulesets,
    links may lead to any file. Raises FileRefused for every problem, and no other exception.
    """
    try:
        real = _resolve_within(path, find_ruleset_folder(path) if inside is None else inside)
        # check before opening, because opening some devices has side effects
        _require_regular_file(path, os.stat(real), limit)
        handle = os.open(real, _READ_FLAGS)
        try:
            # check again, because the file may have been exchanged meanwhile
            _require_regular_file(path, os.fstat(handle), limit)
            content = bytearray()
            while len(content) <= limit and (chunk := os.read(handle, min(_CHUNK_SIZE, limit + 1 - len(content)))):
                content += chunk
        finally:
            os.close(handle)
    except (OSError, ValueError) as problem:
        _raise_refusal(path, problem)
    if len(content) > limit:
        raise FileRefused(path, diagnostic_codes.TOO_LARGE, f"it is larger than {limit:,} bytes")
    return bytes(content)


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """Return the text of a UTF-8 file of at most ``limit`` bytes, with its line breaks and byte order mark unchanged.

    After all links are followed, the file must lie in the folder of its ruleset. Raises FileRefused for every problem,
    also if it is not UTF-8, and no other exception.
    """
    try:
        return read_bytes(path, limit).decode("utf-8")
    except UnicodeDecodeError:
        raise FileRefused(path, diagnostic_codes.WRONG_ENCODING, "it is not text in UTF-8") from None


# ---------------------------------------------------------------- folders


def find_ruleset_folder(path: Path) -> Path:
    """Return the folder of the ruleset that a file belongs to.

    For a file in ``cards``, ``cases`` or ``playthroughs``, this is the parent of that folder. For others, it is
    their folder.
    """
    folder = path.parent
    return folder.parent if folder.name in RULESET_SUBFOLDERS else folder


def list_files(folder: Path, *endings: str) -> list[Path]:
    """Return the paths in a folder whose names end in one of ``endings``, sorted, without names that begin with a dot.

    Example: a folder ``g`` has ``b.yaml``, ``a.yaml``, ``.c.yaml`` and ``d.txt``. Then
    ``list_files(Path("g"), ".yaml")`` returns ``[Path("g/a.yaml"), Path("g/b.yaml")]``. A subfolder with such a name is
    included, but nothing inside it. Returns [] if ``folder`` is missing or a file. Raises FileRefused if more than
    ``MAX_FILES`` (2,000) names fit, or the folder can't be read. Also raises it for a folder ``cards``, ``cases`` or
    ``playthroughs`` that is a link out of its parent.
    """
    files: list[Path] = []
    try:
        if not folder.is_dir():
            return []
        _resolve_within(folder, find_ruleset_folder(folder / "file"))
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(endings) and not entry.name.startswith("."):
                    files.append(folder / entry.name)
                if len(files) > MAX_FILES:
                    reason = f"it holds more than {MAX_FILES:,} files {' or '.join(endings)}"
                    raise FileRefused(folder, diagnostic_codes.TOO_LARGE, reason)
    except (OSError, ValueError) as problem:
        _raise_refusal(folder, problem)
    return sorted(files)


def walk_folders(folder: Path, limit: int, depth: int) -> Iterator[Path]:
    """Yield a folder and all folders below it, each before its subfolders, which are sorted by name.

    Hidden folders are left out, and links are not followed. Yields nothing if the folder doesn't exist. Raises
    FileRefused if there are more than ``limit`` folders, or if one lies deeper than ``depth`` levels.
    """
    for count, (name, subfolders, _) in enumerate(os.walk(folder), 1):
        current = Path(name)
        if count > limit:
            raise FileRefused(
                folder, diagnostic_codes.TOO_LARGE, f"it holds more than {limit:,} folders", "name those you mean"
            )
        if len(current.parts) - len(folder.parts) > depth:
            raise FileRefused(folder, diagnostic_codes.TOO_LARGE, f"it holds folders more than {depth} deep")
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        yield current


def list_sibling_names(path: Path) -> list[str]:
    """Return up to ``MAX_FILES`` names in the folder of a missing path, as candidates for a suggestion.

    They are in no particular order, without the name of ``path`` itself, which may be a link to nowhere. Returns [] if
    the folder can't be read.
    """
    with suppress(OSError, ValueError), os.scandir(path.parent) as entries:
        return [entry.name for entry in islice(entries, MAX_FILES) if entry.name != path.name]
    return []


# ---------------------------------------------------------------- writing


def find_neighbouring_packs(game: Path) -> list[Path]:
    """Return the files ``pack.yaml`` in the folders beside a game and one level deeper, sorted.

    Examples are ``game.parent / "expansion/pack.yaml"`` and ``game.parent / "packs/expansion/pack.yaml"``. A file
    ``pack.yaml`` in the folder ``game`` itself counts, and so does a folder of that name. Hidden folders and links to
    folders are searched, too. Folders that this user may not read are left out. At most ``MAX_FILES`` files are
    returned: those one level deeper are left out first. Returns [] after any other error of the file system.
    """
    pack_files = (file for pattern in ("*/pack.yaml", "*/*/pack.yaml") for file in game.parent.glob(pattern))
    with suppress(OSError):
        return sorted(islice(pack_files, MAX_FILES))
    return []


def explain_unwritable_file(path: Path) -> str:
    """Return the reason why a file can't be written at ``path``, or "" if nothing prevents it. Creates nothing.

    The first reason that holds is returned: ``path`` is a folder, its parent is no folder, or permission is missing.
    For a new file, the permission to write into its parent counts. A name that is too long prevents nothing here.

    Example: without a folder ``no``, ``explain_unwritable_file(Path("no/x.json"))`` returns "there is no folder `no`".
    The other texts are "`x` is a folder" and "`x` may not be written". They name ``path``, also if it is the permission
    for its parent that is missing.
    """
    # These functions give False for a path that this user may not look at, where those of Path raise an exception.
    if os.path.isdir(path):
        return f"`{path}` is a folder"
    if not os.path.isdir(path.absolute().parent):
        return f"there is no folder `{path.parent}`"
    if not os.access(path if os.path.exists(path) else path.absolute().parent, os.W_OK):
        return f"`{path}` may not be written"
    return ""


def explain_unwritable_folder(path: Path) -> str:
    """Return why a folder can't be created at ``path``, parents included, or an empty text if nothing prevents it.

    An existing folder gives an empty text, too, if it may be written. The reasons are “`PATH` is no folder” and
    “`PATH` may not be written”. PATH is absolute: the path itself or the nearest ancestor that this user can see. A
    link to nothing is no folder. Raises OSError for a whole path that is too long, and for a name that is too long
    inside an existing folder.
    """
    ancestors = (path.absolute(), *path.absolute().parents)
    visible_ancestor = next(ancestor for ancestor in ancestors if _can_see(ancestor))
    if not visible_ancestor.is_dir():
        return f"`{visible_ancestor}` is no folder"
    return "" if os.access(visible_ancestor, os.W_OK | os.X_OK) else f"`{visible_ancestor}` may not be written"


def _can_see(path: Path) -> bool:
    """Return whether anything is at ``path``, also a link to nothing, in a folder that this user may search."""
    try:
        return path.exists() or path.is_symlink()
    except PermissionError:
        return False


def write_atomically(path: Path, content: str | bytes, inside: Path | None = None, mode: int | None = None) -> None:
    """Write a file atomically: afterwards it holds either all of ``content`` or its old content.

    Text is encoded as UTF-8 with its line breaks unchanged. An existing file must be writable. It keeps its permissions
    or gets exactly ``mode``. A new file gets ``mode``, by default 0o666, without the bits of the umask. If the path is
    a link, its target is written. A path that is not a regular file, such as ``/dev/stdout``, is written directly.
    After all links are followed, the file must lie in the folder ``inside``, if that is given. If ``inside`` is a
    folder of the bundled rulesets, a file that exists may also lie elsewhere. Raises FileRefused for any other file
    outside, OSError if writing fails, and leaves no other file behind.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    if inside is not None:
        _resolve_within(path, inside)
    old_status = path.stat() if path.exists() else None
    if old_status is not None and not stat.S_ISREG(old_status.st_mode):
        path.write_bytes(data)
        return
    if old_status is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    try:
        with replace_atomically(path) as temporary:
            handle = os.open(temporary, _WRITE_FLAGS, 0o666 if mode is None else mode)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(handle)
            if old_status is not None:
                # fails on systems without owners, or without the permission to change them
                with suppress(OSError, AttributeError):
                    os.chown(temporary, old_status.st_uid, old_status.st_gid)
                temporary.chmod(stat.S_IMODE(old_status.st_mode) if mode is None else mode)
    except OSError as problem:
        problem.filename = str(path)
        del problem.filename2  # None would be printed
        raise


@contextmanager
def replace_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary path, and move the file there to ``path`` if the body of the ``with`` succeeds.

    The body must create that file, which is in the same folder: for ``a.jsonl``, a file such as
    ``.lusory-3f9a0c12d4e5b678.jsonl``. If it doesn't, FileNotFoundError is raised. If the body raises, ``path`` stays
    as it was, the temporary file is deleted, and the exception passes on. ``path`` need not exist. If it is a link, its
    target stands for it, with its folder and ending, and the link stays. If it is a folder or another thing than a
    file, FileExistsError is raised before the body.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, "this is not an ordinary file", str(path))
    temporary = target.with_name(f".lusory-{os.urandom(8).hex()}{target.suffix}")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


# ---------------------------------------------------------------- refusals


def _resolve_within(path: Path, folder: Path) -> str:
    """Return ``path`` with all links followed. Raises FileRefused if the result lies outside ``folder``."""
    real, root = os.path.realpath(path), os.path.realpath(folder)
    if not Path(real).is_relative_to(root):
        if not os.path.lexists(real):
            raise FileRefused(path, diagnostic_codes.NOTHING_TO_READ, "it links to nothing")
        if _is_bundled(root):
            return real
        hint = "replace the link with a copy, or name the place it leads to"
        raise FileRefused(path, diagnostic_codes.LINK_OUTSIDE, f"it is a link out of the folder `{folder}`", hint)
    return real


def _is_bundled(folder: str) -> bool:
    """Return whether a folder belongs to the installation of lusory.

    Its files may be links that an installer created.
    """
    with suppress(FileNotFoundError):
        return Path(folder).is_relative_to(os.path.realpath(find_data_folder("rulesets")))
    return False


def _require_regular_file(path: Path, status: os.stat_result, limit: int) -> None:
    """Raise FileRefused unless ``status`` is that of a regular file of at most ``limit`` bytes."""
    if not stat.S_ISREG(status.st_mode):
        kind = _FILE_KINDS.get(stat.S_IFMT(status.st_mode), "not an ordinary file")
        raise FileRefused(path, diagnostic_codes.NOT_A_FILE, f"it is {kind}, not a file")
    if status.st_size > limit:
        raise FileRefused(path, diagnostic_codes.TOO_LARGE, f"it is larger than {limit:,} bytes")


def _raise_refusal(path: Path, problem: OSError | ValueError) -> NoReturn:
    """Raise an error of the operating system as a FileRefused."""
    if isinstance(problem, FileRefused):
        raise problem
    if isinstance(problem, OSError):
        reason = (problem.strerror or type(problem).__name__).lower()
    else:
        reason = "no file can have such a name"
    raise FileRefused(path, diagnostic_codes.NOTHING_TO_READ, reason) from None
