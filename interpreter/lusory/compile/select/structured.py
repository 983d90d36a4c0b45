"""Which function selects which class of statements that all builds select alike."""

from __future__ import annotations

from lusory_dsl import core

from ..lower.lowered import AnnounceWithLocals, Inlined, Spend
from . import moving, statements
from .selector import Statements

STRUCTURED: Statements = {
    core.Announce: statements.announce,
    core.ForEach: statements.for_each,
    core.If: statements.when,
    core.Let: statements.let,
    core.MoveCards: moving.move_cards,
    core.MoveCount: moving.move_count,
    core.Repeat: statements.repeat,
    core.SetCell: statements.set_cell,
    core.Shuffle: moving.shuffle,
    core.Stop: statements.stop,
    AnnounceWithLocals: statements.announce_each,
    Spend: statements.spend,
    Inlined: statements.inlined,
}
