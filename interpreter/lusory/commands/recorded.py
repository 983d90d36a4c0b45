"""Recorded games as files: by which rules they are played, and whether they can go on. Used by several commands.

A file's text never makes lusory read another one: it names a bundled game, or a path that a person has allowed.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lusory_dsl.core import Program
from lusory_dsl.text.diagnostics import did_you_mean
from lusory_dsl.text.disk import names_beside
from lusory_dsl.text.printable import one_line
from lusory_dsl.text.resources import bundled_packs, bundled_rulesets

from ..console.terminal import terminal
from ..folders import lies_in_own
from ..game import DEFAULT_ENGINE, Game
from ..play import trust
from ..play.saves import Save
from ..play.transcript import SAVED, TranscriptError, game_of, picks_of
from .common import load
from .errors import UsageError

Rules = tuple[str, tuple[str, ...]]
"""What to load for a game, and the packs to lay over it."""


_SETTLED = {"players": "players", "seats": "seats", "seed": "seed", "options": "option", "packs": "with"}
"""What a recorded game says itself: name of the argument → as it is typed."""


def refuse_settled(args: argparse.Namespace, but: str = "") -> None:
    """Raises UsageError where something is asked for that the recorded game settles, ``but`` one."""
    given = [f"--{typed}" for name, typed in _SETTLED.items() if name != but and getattr(args, name) not in (None, [])]
    if given:
        raise UsageError(f"{given[0]} is settled by the saved game")


def demand_there(path: Path) -> None:
    """Raises UsageError where there is no file of a recorded game."""
    if not path.exists():
        raise UsageError(f"there is no file `{path}`", did_you_mean(path.name, names_beside(path)) or SAVED)


def file_of(args: argparse.Namespace) -> Path | None:
    """The recorded game of which a moment is looked at, if it is one: a file that stands in place of a game, or behind
    the game and ``--at``, which means its end. Raises UsageError."""
    if not isinstance(args.at, Path):
        path = Path(args.game)
        return path if path.suffix == ".json" and path.is_file() else None
    if args.ruleset is not None:
        raise UsageError(f"--at {args.at}: one game is enough", f"lusory {args.command} {args.game} --at {args.at}")
    path, args.ruleset, args.at = args.at, args.game, None
    demand_there(path)
    return path


def rules_of(save: Save, file: Path, named: str | None = None, allow: bool = False) -> Rules:
    """The rules of a recorded game: those that a person ``named``, else those that it names itself.

    Paths in it must be on the list of those that are allowed; a person at the terminal is asked, and with ``allow``
    they are put there. Raises UsageError for others, without a look at them."""
    wanted = [] if named is not None else [(save.ruleset, bundled_rulesets())]
    wanted += [(pack, bundled_packs()) for pack in save.packs]
    found = [_bundled(name, bundled) or name for name, bundled in wanted]
    for path in found:
        if not os.path.isabs(path):
            raise UsageError(
                f"{file} is of `{path}`, which is no bundled game and no whole path",
                "say by which game: `lusory play GAME --load FILE`, `lusory replay FILE --game GAME`",
            )
    unknown = [path for path in found if not _is_bundled(path) and not trust.is_allowed(path)]
    if unknown and not lies_in_own(file):
        _ask_for(unknown, file, allow)
    ruleset = named if named is not None else found.pop(0)
    return ruleset, tuple(found)


def with_file(file: Path, problem: TranscriptError) -> UsageError:
    """``raise with_file(…)``: a problem of a file, with its name."""
    words = problem.message
    return UsageError(words if words.startswith(f"{file}:") else f"{file}: {words}", problem.hint, problem.details)


def _ask_for(paths: Sequence[str], file: Path, allow: bool) -> None:
    """Have paths that a file names allowed. Raises UsageError where they are not."""
    listed = " and ".join(f"`{path}`" for path in paths)
    screen = terminal()
    if not allow and screen.interactive:
        screen.pipe(one_line(f"{file} leads to the rules in {listed}."))
        screen.pipe("No saved game has been allowed to use them yet.")
        with suppress(EOFError):
            allow = screen.read("Type yes to allow it from now on, anything else to leave: ").strip() == "yes"
        if not allow:
            raise UsageError(f"{file}: its rules were not read")
    if not allow:
        raise UsageError(f"{file} leads to the rules in {listed}, which nobody has allowed yet", "--trust allows it")
    trust.allow(paths)


def lasting(name: str, is_pack: bool = False) -> str:
    """What means the same rules or pack from any folder: the name of a bundled one, or a whole path.

    Raises UsageError for a path that no saved game can hold."""
    bundled = bundled_packs() if is_pack else bundled_rulesets()
    path = Path(name)
    if not path.exists():
        return name
    real = path.resolve()
    if not str(real).isprintable():
        from lusory_dsl.yaml.json_reader import UNPRINTABLE  # imported late: a game that begins reads no recorded one

        if (strange := UNPRINTABLE.search(str(real))) is not None:
            message = f"`{real}` can't be played: a saved game could not name it (U+{ord(strange[0]):04X})"
            raise UsageError(message, "rename the folder")
    return next((other for other, folder in bundled.items() if folder.resolve() == real), str(real))


def short(name: str) -> str:
    """What a person types for rules: the name of a bundled game, else as they were named."""
    found = lasting(name)
    return found if found in bundled_rulesets() else name


def _bundled(name: str, bundled: dict[str, Path]) -> str | None:
    return str(bundled[name]) if name in bundled else None


def _is_bundled(path: str) -> bool:
    folders = [*bundled_rulesets().values(), *bundled_packs().values()]
    return os.path.normpath(path) in {os.path.normpath(folder) for folder in folders}


# ---------------------------------------------------------------- going on


def resumed(
    save: Save, what: str, rules: Rules, engine: str | None, changed: bool, again: str
) -> tuple[Game, list[int]]:
    """The game of a save and the decisions made, as numbers of options.

    ``what`` is what messages call it, ``again`` the command that goes on with it; with ``changed``, also by rules that
    have changed, as long as all decisions fit. Raises UsageError at the first point where it parts from the rules."""
    program = load(*rules)
    same = program.digest == save.transcript.digest
    verify = f"lusory replay --verify {shlex.quote(what)}" if Path(what).exists() else None
    try:
        game = game_of(program, save.transcript, engine=engine or DEFAULT_ENGINE)
        picks = picks_of(game, save.transcript)
    except TranscriptError as problem:
        hint = f"`{verify}` compares the whole game" if verify else None
        why = "" if same else f", for {_changes(program, save)}"
        raise UsageError(f"{what} can't be continued{why}: {problem.message}", hint, problem.details) from None
    if not same and not changed:
        details = [
            f"all its decisions ({len(picks)}) still fit: `{again} --changed-rules` goes on by the rules as they are"
        ]
        hint = f"`{verify}` compares the whole game" if verify else None
        raise UsageError(f"{what} was not continued, for {_changes(program, save)}", hint, details)
    return game, picks


def _changes(program: Program, save: Save) -> str:
    before = save.transcript.version
    versions = f" from version {before} to {program.version}" if before != program.version else ""
    return f"the rules have changed{versions} since it was saved"
