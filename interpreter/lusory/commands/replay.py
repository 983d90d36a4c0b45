"""``lusory replay``: a recorded game told again, or recorded games held against the rules as they are now."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lusory_dsl.core import Program
from lusory_dsl.text.diagnostics import did_you_mean
from lusory_dsl.text.disk import PLAYTHROUGHS, FileRefused, files_in, names_beside, read_text
from lusory_dsl.text.files import ruleset_files
from lusory_dsl.text.printable import json_text
from lusory_dsl.text.resources import bundled_rulesets

from ..author.verification import RecordDifference, differences
from ..console import streams
from ..console.app import SIGNALLED, Ended
from ..game import DEFAULT_ENGINE, Game
from ..play import journal
from ..play.playthrough import BEGINNING, Recorded, playthrough, read
from ..play.saves import Save
from ..play.transcript import SAVED, Transcript, TranscriptError, game_of, read_data
from .common import load, progress
from .errors import UsageError
from .recorded import rules_of, with_file
from .stepping import in_sentences, step_through


@dataclass(frozen=True)
class Record:
    """A file that was read. ``ruleset`` and ``packs``: what to load; ``told``: what a playthrough says happened;
    ``names``: of the players, as far as they are known."""

    transcript: Transcript
    ruleset: str
    packs: tuple[str, ...]
    told: Recorded | None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplayResult:
    """How one file fared. ``problem``: why it could not be played at all. ``unchanged``: so are the rules, to the
    letter; None: the file does not say of which rules it is."""

    file: str
    decisions: int = 0
    differences: tuple[RecordDifference, ...] = ()
    problem: str | None = None
    unchanged: bool | None = None

    @property
    def is_same(self) -> bool:
        return not self.differences and self.problem is None


def run(args: argparse.Namespace) -> int:
    if args.format != "text" and not args.verify:
        raise UsageError("--format goes with --verify", "without it the game itself is shown, which is text")
    files = [file for name in args.files for file in _files(name)]
    try:
        return _verify(args, files) if args.verify else _tell(args, files)
    except Ended as end:
        return SIGNALLED + end.signal


def _files(name: str) -> list[Path]:
    """The recorded games that a person means: a file, or those that lie in or beside a ruleset's folder."""
    path = Path(name) if Path(name).exists() else bundled_rulesets().get(name, Path(name))
    if path.is_dir():
        folder = path / PLAYTHROUGHS if (path / PLAYTHROUGHS).is_dir() else path
        found = files_in(folder, ".txt", ".json")
        if not found:
            hint = f"they lie in the folder `{PLAYTHROUGHS}/` of a ruleset"
            raise UsageError(f"{name}: no recorded games there", hint)
        return found
    if not path.exists():
        hint = did_you_mean(path.name, names_beside(path)) or SAVED
        raise UsageError(f"there is no file or folder `{name}`", hint)
    return [path]


# ---------------------------------------------------------------- one game


def read_record(args: argparse.Namespace, file: Path) -> Record:
    """What is in a file. Raises TranscriptError for one that is no recorded game."""
    try:
        text = read_text(file)
    except FileRefused as refusal:
        raise TranscriptError(f"this is no recorded game: {refusal.why}", hint=SAVED) from None
    beside = args.game or _ruleset_beside(file)
    if text.startswith(BEGINNING):
        told = read(text)
        of_itself = Save(told.transcript, told.transcript.program, (), ())
        ruleset, _ = rules_of(of_itself, file, beside)
        return Record(told.transcript, ruleset, tuple(args.packs), told)
    if file.suffix == journal.ENDING:
        found = journal.read(file)
        if found is None:
            raise TranscriptError("nothing is in this journal")
        save = found.save
    else:
        save = Save.of(read_data(text, str(file)))
    if args.packs:
        save = replace(save, packs=())
    ruleset, packs = rules_of(save, file, beside, args.trust)
    return Record(save.transcript, ruleset, tuple(args.packs) or packs, None, save.names)


def _ruleset_beside(file: Path) -> str | None:
    """The ruleset whose recorded games a file lies among."""
    folder = file.absolute().parent
    if folder.name != PLAYTHROUGHS or not ruleset_files(folder.parent):
        return None
    return str(file.parent.parent if file.parent.name == PLAYTHROUGHS else folder.parent)


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
    from ..console.drawing import lines_of
    from ..console.terminal import terminal

    programs, screen = _Programs(args.engine), terminal()
    for file in files:
        try:
            record = read_record(args, file)
            if len(files) == 1 and not args.plain and streams.carry_full_screen():
                step_through(programs.game(record), record.transcript, record.names, record.ruleset, record.packs)
                return 0
            if screen.interactive:
                story_lines = in_sentences(programs.game(record), record.transcript, record.names)
                screen.print(lines_of(story_lines))
                continue
            command = shlex.join(["lusory", "replay", str(file)])
            text = playthrough(programs.game(record), record.transcript, command)
        except TranscriptError as problem:
            complaint = with_file(file, problem)
            streams.complain(str(complaint), complaint.hint, complaint.details)
            return 1
        screen.pipe(text.rstrip("\n"))
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


def _verdict(args: argparse.Namespace, file: Path, programs: _Programs) -> ReplayResult:
    try:
        record = read_record(args, file)
        game = programs.game(record)
    except TranscriptError as problem:
        return ReplayResult(str(file), problem=problem.message)
    digest = record.transcript.digest
    return ReplayResult(
        str(file),
        len(record.transcript.decisions),
        tuple(differences(game, record.transcript, record.told)),
        unchanged=digest == game.program.digest if digest else None,
    )


def _to_json(verdicts: Sequence[ReplayResult]) -> dict[str, Any]:
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
