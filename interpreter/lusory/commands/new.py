"""``lusory new``: the folder of a small complete game, or of a pack for a game, to be changed into one's own.

What is written has been checked and its cases have passed; a folder appears whole or not at all.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import tempfile
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from lusory_dsl.text.diagnostics import Diagnostics
from lusory_dsl.text.disk import write_whole
from lusory_dsl.text.printable import one_line
from lusory_dsl.text.resources import bundled_template, files_under, text_of
from lusory_dsl.yaml.reader import plain, read_file

from ..console.summary import pairs
from ..console.terminal import terminal
from .common import find_ruleset
from .errors import UsageError
from .pack_draft import ENTRY, PACK_FILE, TAKEN_BY_YAML, drafted

NAME = re.compile(r"[a-z][a-z0-9_-]*")
PARTS = {
    "ruleset": "the rules: each part says what it is for",
    "pack": "what the pack adds to the game",
    "cases": "what should happen, as stories that are tested",
    "README": "what it is, for people",
}
NEXT = {
    "play": "play it against a bot",
    "check": "find mistakes, after every change",
    "test": "run the cases",
    "explain": "the rules in words",
}
SPELLING = "small letters, digits and hyphens, beginning with a letter"


def run(args: argparse.Namespace) -> int:
    if args.pack is not None and args.folder is not None:
        raise UsageError("either a game or a pack", f"a pack: lusory new --pack {args.pack} --for GAME")
    if args.pack is None and args.base is not None:
        raise UsageError("--for goes with --pack", f"lusory new --pack {args.folder or 'my-cards'} --for {args.base}")
    if args.pack is not None:
        return _new_pack(args.pack, args.base)
    if args.folder is None:
        raise UsageError("a new game needs a name", "lusory new my-game")
    return _new_game(args.folder)


def _new_game(typed: str) -> int:
    folder = _target(typed, "lusory new {}")
    files = _template(folder.name)
    _written(folder, files)
    _report(folder, files, "a small complete game to change into your own", str(folder))
    return 0


def _new_pack(typed: str, base: str | None) -> int:
    if base is None:
        raise UsageError("which game is the pack for?", f"lusory new --pack {typed} --for GAME")
    folder = _target(typed, f"lusory new --pack {{}} --for {base}")
    files = drafted(folder.name, titled(folder.name), base, find_ruleset(base))
    _written(folder, files)
    _report(folder, files, f"a pack for {one_line(base)}", base, "--with", str(folder))
    entry = next((line for line in files[PACK_FILE].splitlines() if line.startswith(ENTRY)), None)
    if entry is not None:
        terminal().print("", entry.removeprefix("# "))
    return 0


# ---------------------------------------------------------------- names


def titled(id: str) -> str:
    """How people read an id: ``my-game`` is My Game."""
    return " ".join(word.capitalize() for word in re.split(r"[-_]+", id) if word)


def _target(typed: str, command: str) -> Path:
    """The folder to be made. ``command``: what to type, with the better name in it."""
    folder = Path(typed)
    if not NAME.fullmatch(folder.name) or folder.name in TAKEN_BY_YAML:
        better = _respelt(folder.name)
        hint = command.format(folder.parent / better) if better else None
        raise UsageError(f"`{folder.name or typed}` is not a good name: it takes {SPELLING}", hint)
    if not folder.parent.is_dir():
        raise UsageError(
            f"there is no folder `{folder.parent}` to put it in", f"make it first: mkdir -p {folder.parent}"
        )
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"`{folder}` is there already, and nothing is overwritten", "take another name")
    return folder


def _respelt(name: str) -> str:
    """The nearest good name."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", letters).strip("-").lstrip("0123456789-")
    return f"{words}-game" if words in TAKEN_BY_YAML else words


# ---------------------------------------------------------------- files


def _template(id: str) -> dict[str, str]:
    """The files of the bundled template under a name of their own."""
    source = bundled_template()
    root = read_file(source / "ruleset.yaml", Diagnostics())
    data = plain(root) if root is not None else {}
    name = data["game"]["name"]
    files = {}
    for path in files_under(source):
        text = text_of(path)
        files[path.relative_to(source).as_posix()] = text.replace(source.name, id).replace(name, titled(id))
    return files


def _written(folder: Path, files: Mapping[str, str]) -> None:
    """Writes beside the place and moves it there when it is whole."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".lusory-new-") as scratch:
        staging = Path(scratch) / folder.name
        for name, text in files.items():
            file = staging / name
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, text)
        staging.rename(folder)


def _report(folder: Path, files: Mapping[str, str], what: str, *game: str) -> None:
    """What has been made, and what to type next. ``game``: the words that name it to a command."""
    made = [(str(folder / file), words) for start, words in PARTS.items() for file in files if file.startswith(start)]
    following = [(shlex.join(["lusory", command, *game]), words) for command, words in NEXT.items()]
    terminal().print(f"Made {folder}{os.sep}, {what}:", pairs(made), "", "Next:", pairs(following))
