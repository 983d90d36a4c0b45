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

from lusory_dsl.source.ruleset_files import SHEET, RulesetFiles, key_of
from lusory_dsl.source.safe_files import CARDS, MAX_BYTES, MAX_FILES

SECONDS = 60
"""Time limit of one git command."""

LISTING = 4_000_000
"""Maximum size of a file listing in bytes."""

PASSED = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
"""Environment variables that git receives: where programs are, and the user's settings, such as safe directories."""

QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}

ALWAYS = ("--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never")

_NAME = re.compile(r"[0-9A-Za-z_./@^~{}+:,#-]{1,200}", re.ASCII)
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)


class NoRevision(Exception):
    """Error: there is no such revision, or it contains no ruleset. The message says why."""


class _Entry(NamedTuple):
    mode: str
    object: str
    size: int
    name: str


def files_at(revision: str, place: Path) -> RulesetFiles:
    """Return the files of a ruleset or pack as a revision has them. ``place`` is its folder or file today.

    Raises NoRevision.
    """
    if revision.startswith("-") or _NAME.fullmatch(revision) is None:
        raise NoRevision("this is no name of a revision: it reads git:main, git:v1.2, git:HEAD~3")
    real = place.resolve()
    folder = real if real.is_dir() else real.parent
    root = _answer(folder, "rev-parse", "--show-toplevel", why=f"`{place}` lies in no repository of git")
    top = Path(os.fsdecode(root.rstrip(b"\n"))).resolve()
    if not real.is_relative_to(top):
        raise NoRevision(f"`{place}` lies in no repository of git")
    why = f"the repository has no revision `{revision}`"
    commit = _answer(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", why=why)
    found = commit.decode("ascii", "replace").strip()
    if _OBJECT.fullmatch(found) is None:
        raise NoRevision(why)
    why = f"revision `{revision}` has no `{place}`"
    inside = real.relative_to(top)
    if real.is_dir():
        entries = list(_in_folder(top, found, inside, place, why))
    else:
        listed = _listed(top, found, inside.parent, why)
        entries = [(place, one) for one in listed if one.name == real.name]
    if not entries:
        raise NoRevision(why)
    contents = _contents(top, [one for _, one in entries])
    files = [(path, content) for (path, _), content in zip(entries, contents, strict=True)]
    return RulesetFiles(place, tuple(sorted(files, key=lambda file: key_of(file[0], place))))


def _in_folder(top: Path, commit: str, inside: Path, place: Path, why: str) -> Iterator[tuple[Path, _Entry]]:
    """Yield the files in a ruleset's folder and its card folder, with their paths of today."""
    listed = _listed(top, commit, inside, why)
    yield from ((place / one.name, one) for one in _read(listed, ".yaml"))
    if any(one.name == CARDS for one in listed):
        cards = _listed(top, commit, inside / CARDS, why)
        yield from ((place / CARDS / one.name, one) for one in _read(cards, ".yaml", SHEET))


def _read(listed: Sequence[_Entry], *endings: str) -> Iterator[_Entry]:
    return (one for one in listed if one.name.endswith(endings) and not one.name.startswith("."))


def _listed(top: Path, commit: str, folder: Path, why: str) -> list[_Entry]:
    """Return the entries of a folder in a revision."""
    tree = commit if folder == Path() else f"{commit}:{folder.as_posix()}"
    found = []
    for line in _answer(top, "ls-tree", "-z", "-l", tree, why=why).split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        mode, _, thing, size = about.decode("ascii").split()
        found.append(_Entry(mode, thing, int(size) if size.isdigit() else 0, os.fsdecode(name)))
    return found


def _contents(top: Path, entries: Sequence[_Entry]) -> list[bytes]:
    for one in entries:
        if one.mode not in ("100644", "100755"):
            raise NoRevision(f"`{one.name}` is no plain file there")
    if len(entries) > MAX_FILES or sum(one.size for one in entries) > MAX_BYTES:
        raise NoRevision("there are too many files, or too much is in them")
    wanted = "".join(f"{one.object}\n" for one in entries).encode()
    said = _answer(top, "cat-file", "--batch", why="git does not find its objects", said=wanted)
    found = []
    at = 0
    for one in entries:
        end = said.find(b"\n", at)
        head = f"{one.object} blob {one.size}".encode()
        if said[at:end] != head:
            raise NoRevision("git does not find its objects")
        found.append(said[end + 1 : end + 1 + one.size])
        at = end + 1 + one.size + 1
    return found


def _answer(folder: Path, *arguments: str, why: str, said: bytes | None = None) -> bytes:
    """Run git in a folder and return its output. ``said`` is its standard input.

    Raises NoRevision with the message ``why`` if git fails.
    """
    program = shutil.which("git")
    if program is None:
        raise NoRevision("there is no git on this machine")
    own = {name: os.environ[name] for name in PASSED if name in os.environ} | QUIET
    most = LISTING if said is None else 2 * MAX_BYTES
    try:
        child = subprocess.Popen(
            [program, *ALWAYS, "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL if said is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=own,
        )
    except OSError as problem:
        raise NoRevision(f"git can't be started: {problem.strerror}") from None
    with child:
        late = Timer(SECONDS, child.kill)
        late.start()
        try:
            assert child.stdout is not None
            if said is None:
                answer = child.stdout.read(most + 1)
            else:
                answer = child.communicate(said)[0]
            if len(answer) > most:
                raise NoRevision("git answers at too great a length")
            if child.wait():
                raise NoRevision(why)
        finally:
            late.cancel()
            child.kill()
    return answer
