"""``lusory replay``: a recorded game told again, or recorded games held against the rules as they are now."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.diagnostics import did_you_mean
from lusory_dsl.disk import FileRefused, files_in, names_beside, read_text
from lusory_dsl.files import ruleset_files
from lusory_dsl.printable import json_text, one_line
from lusory_dsl.resources import bundled_rulesets

from .. import saves
from ..console import streams
from ..game import DEFAULT_ENGINE, Game
from ..playthrough import BEGINNING, Recorded, playthrough, read
from ..transcript import Transcript, TranscriptError, game_of
from ..verification import Difference, differences
from .common import load, progress
from .errors import UsageError

FOLDER = "playthroughs"
"""The folder beside a ruleset that holds recorded games."""


@dataclass(frozen=True)
class Record:
    """A file that was read. ``ruleset`` and ``packs``: what to load; ``told``: what a playthrough says happened."""

    transcript: Transcript
    ruleset: str
    packs: tuple[str, ...]
    told: Recorded | None


@dataclass(frozen=True)
class Verdict:
    """How one file fared. ``problem``: why it could not be played at all. ``unchanged``: so are the rules, to the
    letter; None: the file does not say of which rules it is."""

    file: str
    decisions: int = 0
    differences: tuple[Difference, ...] = ()
    problem: str | None = None
    unchanged: bool | None = None

    @property
    def is_same(self) -> bool:
        return not self.differences and self.problem is None


def run(args: argparse.Namespace) -> int:
    if args.format != "text" and not args.verify:
        raise UsageError("--format goes with --verify", "without it the game itself is shown, which is text")
    files = [file for name in args.files for file in _files(name)]
    return _verify(args, files) if args.verify else _tell(args, files)


def _files(name: str) -> list[Path]:
    """The recorded games that a person means: a file, or those that lie in or beside a ruleset's folder."""
    path = Path(name) if Path(name).exists() else bundled_rulesets().get(name, Path(name))
    if path.is_dir():
        folder = path / FOLDER if (path / FOLDER).is_dir() else path
        found = files_in(folder, ".txt", ".json")
        if not found:
            raise UsageError(f"{name}: no recorded games there", f"they lie in the folder `{FOLDER}/` of a ruleset")
        return found
    if not path.exists():
        raise UsageError(f"there is no file or folder `{name}`", did_you_mean(path.name, names_beside(path)))
    return [path]


# ---------------------------------------------------------------- one game


def _read(args: argparse.Namespace, file: Path) -> Record:
    """Raises TranscriptError for a file that is no recorded game."""
    try:
        text = read_text(file)
    except FileRefused as refusal:
        raise TranscriptError(f"this is no recorded game: {refusal.why}") from None
    beside = _ruleset_beside(file)
    if text.startswith(BEGINNING):
        told = read(text)
        return Record(told.transcript, args.game or beside or told.transcript.program, tuple(args.packs), told)
    save = saves.read(file)
    is_bare = save.ruleset == save.transcript.program
    ruleset = args.game or (beside if is_bare and beside else save.ruleset)
    return Record(save.transcript, ruleset, tuple(args.packs) or save.packs, None)


def _ruleset_beside(file: Path) -> str | None:
    """The ruleset whose recorded games a file lies among."""
    folder = file.absolute().parent
    if folder.name != FOLDER or not ruleset_files(folder.parent):
        return None
    return str(file.parent.parent if file.parent.name == FOLDER else folder.parent)


class _Programs:
    """Rulesets that were loaded, each once."""

    def __init__(self, engine: str | None) -> None:
        self.engine = engine or DEFAULT_ENGINE
        self._loaded: dict[tuple[str, tuple[str, ...]], Program] = {}

    def game(self, record: Record) -> Game:
        """The game that was recorded. Raises TranscriptError where the ruleset does not know such a game any more."""
        key = record.ruleset, record.packs
        if key not in self._loaded:
            self._loaded[key] = load(*key)
        return game_of(self._loaded[key], record.transcript, self.engine)


def _tell(args: argparse.Namespace, files: Sequence[Path]) -> int:
    from ..console.terminal import terminal

    programs = _Programs(args.engine)
    for file in files:
        try:
            record = _read(args, file)
            text = playthrough(programs.game(record), record.transcript, shlex.join(["lusory", "replay", str(file)]))
        except TranscriptError as problem:
            streams.remark(f"lusory: {one_line(str(file))}: {problem}")
            return 1
        terminal().pipe(text.rstrip("\n"))
    return 0


# ---------------------------------------------------------------- many games


def _verify(args: argparse.Namespace, files: Sequence[Path]) -> int:
    programs = _Programs(args.engine)
    verdicts = []
    with progress("games", len(files)) as show:
        for number, file in enumerate(files, 1):
            verdicts.append(_verdict(args, file, programs))
            show(number)
    if args.format == "json":
        streams.put_text(json_text(_to_json(verdicts)))
    else:
        from ..console.terminal import terminal
        from ..console.verdicts import verdict_text

        screen = terminal()
        for verdict in verdicts:
            if not verdict.is_same:
                screen.pipe(verdict_text(verdict.file, verdict.problem, verdict.differences))
                screen.print("")
        changed = sum(not verdict.is_same for verdict in verdicts)
        same = len(verdicts) - changed
        screen.print(f"{same} the same, {changed} not" if changed else f"{same} the same")
    return 0 if all(verdict.is_same for verdict in verdicts) else 1


def _verdict(args: argparse.Namespace, file: Path, programs: _Programs) -> Verdict:
    try:
        record = _read(args, file)
        game = programs.game(record)
    except TranscriptError as problem:
        return Verdict(str(file), problem=problem.message)
    digest = record.transcript.digest
    return Verdict(
        str(file),
        len(record.transcript.decisions),
        tuple(differences(game, record.transcript, record.told)),
        unchanged=digest == game.program.digest if digest else None,
    )


def _to_json(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    from ..reports.plain import place_to_json

    same = sum(verdict.is_same for verdict in verdicts)
    return {
        "version": 1,
        "same": same,
        "changed": len(verdicts) - same,
        "games": [
            {
                "file": verdict.file,
                "same": verdict.is_same,
                "decisions": verdict.decisions,
                "rules_unchanged": verdict.unchanged,
                "problem": verdict.problem,
                "differences": [
                    {
                        "kind": d.kind,
                        "message": d.message,
                        "decision": d.number,
                        "seat": None if d.seat is None else f"P{d.seat + 1}",
                        "phase": d.phase,
                        **place_to_json(d.span),
                        "recorded": list(d.recorded),
                        "now": list(d.now),
                        "reasons": [{"message": r.message, **place_to_json(r.span)} for r in d.reasons],
                    }
                    for d in verdict.differences
                ],
            }
            for verdict in verdicts
        ],
    }
