"""What is said aloud: announcements and the reason of an ending, with ``?`` for whoever may not know a part of it.

Used by both engines for the texts that may speak of something hidden (see :mod:`lusory_dsl.core.knowledge`); what all
others say, everybody may know.
"""

from __future__ import annotations

from collections.abc import Sequence

from lusory_dsl import core
from lusory_dsl.core.knowledge import Levels, Teller, knowledge_of, players_in

from ..reading.reader import Reader
from ..table import events
from ..table.events import Announced
from ..table.setting import Setting, Value
from ..table.state import State
from .knowledge import known_to
from .sight import seen_by
from .view import SeatReader


def announced(
    setting: Setting, position: State, stmt: core.Announce, slots: Sequence[Value], seats: int, hears: int | None = None
) -> list[Announced]:
    """The events of an announcement to ``seats``: all the words, for those who may know them, and one for each way in
    which the others hear them. ``hears``: the seat for which alone it is told; None: for all."""
    levels = knowledge_of(setting.program).tellers[stmt]
    heard = dict[str, int]()
    if hears is None:
        heard[Reader(setting, position.cells, position.zones).text(stmt.text, list(slots))] = 0
    for seat in range(setting.players):
        if seats >> seat & 1 and hears in (None, seat):
            words = _read(setting, position, stmt.text, slots, levels, seat)
            heard[words] = heard.get(words, 0) | 1 << seat
    return [events.announced(words, mask) for words, mask in heard.items()]


def openly(setting: Setting, position: State, stmt: core.EndGame, slots: Sequence[Value]) -> str:
    """The reason of an ending as everybody may know it."""
    assert stmt.reason is not None, "a reason that hides something is one"
    return _read(setting, position, stmt.reason, slots, knowledge_of(setting.program).tellers[stmt], None)


def _read(
    setting: Setting, position: State, text: core.TextTemplate, slots: Sequence[Value], levels: Levels, seat: int | None
) -> str:
    seen = seen_by(setting, position, seat)
    return SeatReader(seen).text(text, known_to(seen, slots, levels))


def read_by(program: core.Program, stmt: Teller) -> set[int]:
    """The locals that a text reads, and those that hold who may know them."""
    text = stmt.text if isinstance(stmt, core.Announce) else stmt.reason
    read = core.locals_in(text) if text is not None else set()
    return read | players_in(program, read, knowledge_of(program).tellers[stmt])
