"""A player who decides as its seat did in a recorded game."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from lusory_dsl.text.disk import read_text

from ..transcript import Transcript, TranscriptError, read_data
from .player import PlayerFails
from .table import Table


class Recorded:
    """Takes the options of its seat in a saved game or transcript, one after the other, by what is typed for them.
    Raises PlayerFails for a file that holds none, and where it ends or no longer fits."""

    looks: Literal[True] = True
    spent: int | None = None

    def __init__(self, file: str, seat: int, name: str) -> None:
        self.name = name
        try:
            data = read_data(read_text(Path(file)), file)
        except TranscriptError as problem:
            raise PlayerFails(f"{name}: {problem}") from problem
        except OSError as problem:
            raise PlayerFails(f"{name}: {problem.strerror or problem}") from problem
        self._options = tuple(made.option for made in Transcript.of(data).decisions if made.seat == seat)
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
