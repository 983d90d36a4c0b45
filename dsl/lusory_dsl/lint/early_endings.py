"""A lint: the game ends in the middle of what is done to each item of a list.

What is meant to happen at once, such as the deaths of all who fall in a battle, is written as a loop. Where one pass
can end the game, the passes behind it are never done, so that the order of the list decides what the table shows, and
what counts in the end. Loops with choices or chance in them, and those over numbers, are not meant: there one thing
follows the other. Nor are turns (``each player``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .. import core
from ..checker.stages import Checked
from ..text import codes
from ..text.diagnostics import Diagnostics

Block = tuple[core.Stmt, ...]


class EarlyEndings:
    """Looks through blocks, and the effects that they call."""

    def __init__(self, effects: Mapping[str, core.Effect], diagnostics: Diagnostics) -> None:
        self.effects = effects
        self.diagnostics = diagnostics

    def block(self, block: Block) -> None:
        """Reports the loops of a block that the end of the game can cut short."""
        for stmt in core.statements_in(block):
            if isinstance(stmt, core.ForEach) and stmt.name != "me" and not isinstance(stmt.source, core.Range):
                self._loop(stmt)

    def _loop(self, loop: core.ForEach) -> None:
        blocks = list(self._done_in(loop.body, set()))
        statements = [stmt for block in blocks for stmt in block]
        if any(core.does(stmt) & core.Does.ASKS or isinstance(stmt, core.Random) for stmt in statements):
            return
        end = next((stmt for stmt in statements if core.does(stmt) & core.Does.ENDS), None)
        if end is None or not any(_changes(block) for block in blocks):
            return
        message = "the game can end here before everything in the list has had its turn"
        hint = "end it behind the loop, or with a `whenever` that waits for the end of it"
        self.diagnostics.add(codes.EARLY_END, message, loop.span, hint, [(end.span, "it ends here")])

    def _done_in(self, block: Block, seen: set[str]) -> Iterator[Block]:
        """A block, those inside of it, and those of the effects that it calls."""
        yield block
        for stmt in block:
            for inner in core.blocks(stmt):
                yield from self._done_in(inner, seen)
            if isinstance(stmt, core.CallEffect) and stmt.effect in self.effects and stmt.effect not in seen:
                seen.add(stmt.effect)
                yield from self._done_in(self.effects[stmt.effect].body, seen)


def _changes(block: Block) -> bool:
    """Whether a block changes something, other than on the way to the end of the game."""
    if any(core.does(stmt) & core.Does.ENDS for stmt in block):
        return False
    return any(set(core.writes(stmt)) - {core.ENDING, core.CAN_WIN} for stmt in block)


def early_endings(checked: Checked, report: Diagnostics) -> None:
    """Warns of loops that the end of the game can cut short."""
    early = EarlyEndings(checked.effects, report)
    for phase in core.phases_in(checked.phases):
        early.block(phase.body)
    for effect in (*checked.effects.values(), *checked.state_checks.values()):
        for block in core.bodies_of(effect):
            early.block(block)
