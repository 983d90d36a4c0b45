"""A player who decides as its seat did in a recorded game."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from lusory_dsl.text.diagnostics import did_you_mean
from lusory_dsl.text.disk import names_beside, read_text

from ..transcript import SAVED, Made, Transcript, TranscriptError, read_data
from .player import PlayerFails, PlayerMissing
from .table import Table


def decisions_in(file: str, name: str) -> tuple[Made, ...]:
    """What was decided in a saved game or transcript. Raises PlayerMissing for a file that is none; ``name``: how it
    calls the player."""
    try:
        return tuple(Transcript.of(read_data(read_text(Path(file)), file)).decisions)
    except TranscriptError as problem:
        raise PlayerMissing(f"{name}: {problem}", problem.hint) from problem
    except OSError as problem:
        hint = did_you_mean(Path(file).name, names_beside(Path(file))) or SAVED
        raise PlayerMissing(f"{name}: {problem.strerror or problem}", hint) from problem


class Recorded:
    """Takes the options of its seat in a saved game or transcript, one after the other, by what is typed for them.
    Raises PlayerMissing for a file that holds none, PlayerFails where it ends or no longer fits."""

    looks: Literal[True] = True
    spent: int | None = None

    def __init__(self, file: str, seat: int, name: str) -> None:
        self.name = name
        self._options = tuple(made.option for made in decisions_in(file, name) if made.seat == seat)
        self._made = 0

    def resume(self, made: int) -> None:
        self._made = made

    def choose(self, table: Table) -> int:
        if self._made >= len(self._options):
            raise PlayerFails(f"{self.name}: nothing is recorded after {self._made} decisions of this seat")
        wanted, ids = self._options[self._made], table.view.option_ids()
        if wanted not in ids:
            raise PlayerFails(f"{self.name}: `{wanted}`, its decision {self._made + 1}, is not possible here")
        self._made += 1
        return ids.index(wanted)
