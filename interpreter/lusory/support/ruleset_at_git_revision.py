"""Read rulesets from a revision of a git repository into memory. All calls of git are in this module.

The revision is passed as a checked argument, never as an option or through a shell. The output of git has a size limit.
Nothing is checked out or fetched; no hook, filter or attribute of the repository runs; links are refused.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Timer
from typing import NamedTuple

from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import SHEET_EXTENSION, RulesetFiles, make_relative_key
from lusory_dsl.source.safe_files_and_bundled_data import CARDS, MAX_BYTES, MAX_FILES

TIME_LIMIT = 60
"""Time limit of one git command."""

MAX_OUTPUT_SIZE = 4_000_000
"""Maximum size of the output of one git command in bytes."""

PASSED_VARIABLES = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
"""Environment variables that git receives: where programs are, and the user's settings, such as safe directories."""

GIT_VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}

GIT_OPTIONS = ("--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never")

_REVISION = re.compile(r"[0-9A-Za-z_./@^~{}+:,#-]{1,200}", re.ASCII)
_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)


class RevisionNotFound(Exception):
    """Raised if there is no such revision, or if it contains no ruleset. The message says why."""


class _Entry(NamedTuple):
    mode: str
    object: str
    size: int
    name: str


def read_revision(revision: str, place: Path) -> RulesetFiles:
    """Return the files of a ruleset or pack as a git revision has them, sorted by path as text.

    ``revision`` is a name such as ``main`` or ``HEAD~3``. ``place`` is the folder or file of the ruleset, and ``path``
    of the result. A folder must still exist today. A file need not, but its folder must. ``files`` of the result is
    a tuple of pairs of a Path, which begins with ``place``, and the bytes: with ``Path("nim")``, one path is
    ``Path("nim/ruleset.yaml")``. A folder gives its ``.yaml`` files, and the ``.yaml`` and ``.csv`` files of its folder
    ``cards``, but no hidden files. A file gives itself alone. Raises RevisionNotFound if git, the repository, the
    revision or the files are missing. Also raises it if ``revision`` is no plain name, or if these files are too many,
    too large together, or links in the revision.
    """
    if revision.startswith("-") or _REVISION.fullmatch(revision) is None:
        raise RevisionNotFound("this is no name of a revision: it reads git:main, git:v1.2, git:HEAD~3")
    real_path = place.resolve()
    folder = real_path if real_path.is_dir() else real_path.parent
    root = _run_git(folder, "rev-parse", "--show-toplevel", message=f"`{place}` lies in no repository of git")
    top = Path(os.fsdecode(root.rstrip(b"\n"))).resolve()
    if not real_path.is_relative_to(top):
        raise RevisionNotFound(f"`{place}` lies in no repository of git")
    message = f"the repository has no revision `{revision}`"
    commit = _run_git(
        top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", message=message
    )
    commit_id = commit.decode("ascii", "replace").strip()
    if _OBJECT_ID.fullmatch(commit_id) is None:
        raise RevisionNotFound(message)
    message = f"revision `{revision}` has no `{place}`"
    relative = real_path.relative_to(top)
    if real_path.is_dir():
        entries = list(_list_ruleset(top, commit_id, relative, place, message))
    else:
        folder_entries = _list_folder(top, commit_id, relative.parent, message)
        entries = [(place, entry) for entry in folder_entries if entry.name == real_path.name]
    if not entries:
        raise RevisionNotFound(message)
    contents = _read_contents(top, [entry for _, entry in entries])
    files = [(path, content) for (path, _), content in zip(entries, contents, strict=True)]
    return RulesetFiles(place, tuple(sorted(files, key=lambda file: make_relative_key(file[0], place))))


def _list_ruleset(top: Path, commit: str, relative: Path, place: Path, message: str) -> Iterator[tuple[Path, _Entry]]:
    """Yield the files in a ruleset's folder and its card folder, with their paths of today."""
    folder_entries = _list_folder(top, commit, relative, message)
    yield from ((place / entry.name, entry) for entry in _select_files(folder_entries, ".yaml"))
    if any(entry.name == CARDS for entry in folder_entries):
        cards = _list_folder(top, commit, relative / CARDS, message)
        yield from ((place / CARDS / entry.name, entry) for entry in _select_files(cards, ".yaml", SHEET_EXTENSION))


def _select_files(entries: Sequence[_Entry], *endings: str) -> Iterator[_Entry]:
    return (entry for entry in entries if entry.name.endswith(endings) and not entry.name.startswith("."))


def _list_folder(top: Path, commit: str, folder: Path, message: str) -> list[_Entry]:
    """Return the entries of a folder in a commit. Raise RevisionNotFound with ``message`` if there is no such
    folder.
    """
    tree = commit if folder == Path() else f"{commit}:{folder.as_posix()}"
    entries = []
    for line in _run_git(top, "ls-tree", "-z", "-l", tree, message=message).split(b"\0")[:-1]:
        attributes, _, name = line.partition(b"\t")
        mode, _, object_id, size = attributes.decode("ascii").split()
        entries.append(_Entry(mode, object_id, int(size) if size.isdigit() else 0, os.fsdecode(name)))
    return entries


def _read_contents(top: Path, entries: Sequence[_Entry]) -> list[bytes]:
    """Return the contents of entries, in their order. Raise RevisionNotFound for links and for too much content."""
    for entry in entries:
        if entry.mode not in ("100644", "100755"):
            raise RevisionNotFound(f"`{entry.name}` is no plain file there")
    if len(entries) > MAX_FILES or sum(entry.size for entry in entries) > MAX_BYTES:
        raise RevisionNotFound("there are too many files, or too much is in them")
    message = "git does not find its objects"
    return [_run_git(top, "cat-file", "blob", entry.object, message=message) for entry in entries]


def _run_git(folder: Path, *arguments: str, message: str) -> bytes:
    """Run git in a folder and return its standard output.

    Raise RevisionNotFound with ``message`` if git fails or takes too long. Raise it with another message if git is
    missing or can't be started, or if its output is too large.
    """
    program = shutil.which("git")
    if program is None:
        raise RevisionNotFound("there is no git on this machine")
    environment = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ} | GIT_VARIABLES
    try:
        child = subprocess.Popen(
            [program, *GIT_OPTIONS, "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
    except OSError as problem:
        raise RevisionNotFound(f"git can't be started: {problem.strerror}") from None
    with child:
        timer = Timer(TIME_LIMIT, child.kill)
        timer.start()
        try:
            assert child.stdout is not None
            output = child.stdout.read(MAX_OUTPUT_SIZE + 1)
            if len(output) > MAX_OUTPUT_SIZE:
                raise RevisionNotFound("git answers at too great a length")
            if child.wait():
                raise RevisionNotFound(message)
        finally:
            timer.cancel()
            child.kill()
    return output
