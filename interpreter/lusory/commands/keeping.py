"""What becomes of a game at the table: it is saved where a person says, and kept in a journal meanwhile."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lusory_dsl.text.printable import one_line

from ..console.human import Written
from ..console.terminal import Terminal
from ..folders import data_folder
from ..play import records, saves, trust
from ..play.journal import Journal
from ..play.match import Match
from ..play.transcript import TranscriptError
from .common import HUMAN
from .errors import UsageError
from .explain import as_written, rules_in_words
from .recorded import lasting

if TYPE_CHECKING:
    from lusory_dsl.ruleset.model import Ruleset

MARGIN = 5
"""Columns of a page that are not for its words."""


@dataclass
class Seating:
    """A game at a terminal, by which rules and among whom. ``own_file``: where it is saved when nobody says where;
    None: a new file, from then on the same. ``engine``: as was said, or None. ``journal`` None: none can be kept.
    ``replay``: the command line that gives the same game once more, ``again`` the one that goes on with what the
    journal keeps."""

    terminal: Terminal
    ruleset: str
    packs: Sequence[str]
    kinds: Sequence[str]
    names: Sequence[str]
    own_file: Path | None = None
    engine: str | None = None
    journal: Journal | None = None
    match: Match = field(init=False)
    replay: str = ""
    again: str = ""

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, kind in enumerate(self.kinds) if kind == HUMAN]

    @property
    def is_secretive(self) -> bool:
        """Whether the game hides something from anybody, so that one must not see another's screen."""
        program = self.match.game.program
        pools = program.pools.values()
        rules = [
            *(v.visible for v in program.variables.values()),
            *(p.visible for p in pools),
            *(p.moves for p in pools),
            *(visible for z in program.zones.values() for visible in z.visibilities),
        ]
        return any(rule.constant != "all" for rule in rules)

    @cached_property
    def _written(self) -> Ruleset:
        return as_written(self.ruleset, self.packs)

    def said_of(self, name: str) -> str | None:
        """What the rules say of something by any of its names, in whole lines; None where nothing is called so."""
        try:
            return rules_in_words(self._written, name, None, at_table=True)
        except UsageError:
            return None

    def rules(self, name: str | None) -> str:
        """The rules in words, of all or of what has a name."""
        try:
            return rules_in_words(self._written, name, self.terminal.width - MARGIN, at_table=True)
        except UsageError as problem:
            return f"{problem}; {problem.hint}" if problem.hint else str(problem)

    def as_save(self) -> saves.Save:
        """The game as it stands."""
        packs = tuple(lasting(pack, is_pack=True) for pack in self.packs)
        transcript = saves.transcript_of(self.match)
        return saves.Save(transcript, lasting(self.ruleset), tuple(self.kinds), tuple(self.names), packs)

    def save(self, file: str | None) -> Written:
        """Save the game. A file that is no earlier save of it is replaced only where a person says so."""
        save = self.as_save()
        try:
            if file is None:
                path = self.own_file = self.own_file or saves.new_path(save.transcript.program)
            else:
                path = Path(file).expanduser()
            lost = saves.lost_by(path, save)
            if (refusal := self._refusal(path, lost)) is not None:
                return Written(False, refusal)
            saves.write(save, path)
        except TranscriptError as problem:
            return Written(False, f"The game could not be saved: {problem.message}")
        except (OSError, RuntimeError) as problem:
            return Written(False, f"The game could not be saved: {_words(problem, file)}")
        with suppress(OSError):
            trust.allow(name for name in (save.ruleset, *save.packs) if Path(name).is_absolute())
        return Written(True, f"Saved. To go on: lusory play --load {shlex.quote(str(path))}")

    def ended(self, match: Match) -> bool:
        """Keep in mind how a game of people went, and the latest whole; where that can't be, nothing. Whether it can
        be looked at again."""
        outcome, program = match.outcome, match.game.program
        if outcome is None or HUMAN not in self.kinds:
            return False
        sides = tuple(self.kinds), tuple(self.names), outcome.places, outcome.winners
        try:
            records.keep(records.Record(program.id, program.name, *sides, len(match.turns), f"{date.today()}"))
            saves.write(self.as_save(), saves.latest_path())
        except (OSError, TranscriptError):
            return False
        return True

    def _refusal(self, path: Path, lost: str | None) -> str | None:
        """Why nothing is written to a path; None: it may be. A person is asked about what would be lost."""
        if not path.parent.is_dir():
            return f"Nothing was written: there is no folder {path.parent}."
        if path.is_dir():
            return f"Nothing was written: {path} is a folder."
        if lost is None:
            return None
        if self.terminal.interactive:
            with suppress(EOFError, KeyboardInterrupt):
                if self.terminal.read(f"{one_line(lost)}. Type yes to replace it: ").strip().lower() == "yes":
                    return None
        return f"Nothing was written: {lost}."


def _words(problem: Exception, file: str | None) -> str:
    if isinstance(problem, OSError):
        return f"{problem.filename or file or data_folder()}: {problem.strerror or problem}"
    return f"{file}: {problem}"
