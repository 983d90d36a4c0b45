"""The states of a batch in Python: where there is no C compiler, and to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..game import Game
from ..table.choices import RulesetFault
from .arrays import Arrays
from .seen import HIDDEN, Sight

if TYPE_CHECKING:
    from ..table.state import State
    from .arrays import Array

WORD = (1 << 64) - 1


class InPython:
    """States of Python, each stepped by itself."""

    def __init__(self, game: Game, arrays: Arrays, restart: bool) -> None:
        self.game, self.arrays, self.restart = game, arrays, restart
        self.states: list[State | None] = [None] * arrays.count
        self.reasons: dict[int, str] = {}

    def reset(self, where: Array) -> None:
        a = self.arrays
        for at in where.nonzero()[0].tolist():
            a.done[at] = a.wrong[at] = False
            a.returns[at] = 0
            self._open(at)

    def step(self, actions: Array) -> int:
        """-1, or the first state for which there is no such option: then nothing was done."""
        a = self.arrays
        options = a.options.tolist()
        answers = actions.tolist()
        for at, (most, option) in enumerate(zip(options, answers, strict=True)):
            if most and not 0 <= option < most:
                return at
        for at, option in enumerate(answers):
            self._step(at, option)
        return -1

    def _step(self, at: int, option: int) -> None:
        a = self.arrays
        if a.wrong[at]:
            return
        if a.done[at]:
            if not self.restart:
                return
            a.done[at] = False
            a.returns[at] = 0
        state = self.states[at]
        if a.options[at] and state is not None:
            a.last[at] = option
            try:
                self._settle(at, self.game.apply(state, option))
            except RulesetFault as fault:
                self._gone_wrong(at, str(fault))
                return
        if self.restart and not a.options[at] and not a.wrong[at]:
            a.seeds[at] = int(a.seeds[at]) + a.count & WORD
            self._open(at)

    def _open(self, at: int) -> None:
        a = self.arrays
        a.last[at] = -1
        try:
            self._settle(at, self.game.start(int(a.seeds[at])))
        except RulesetFault as fault:
            self._gone_wrong(at, str(fault))

    def _settle(self, at: int, state: State) -> None:
        a = self.arrays
        decision = self.game.decision(state)
        if decision is None:
            outcome = self.game.outcome(state)
            assert outcome is not None
            a.returns[at] = outcome.payoffs
            a.done[at] = True
            a.show(at, 0, -1)
        elif len(decision.options) > a.most:
            self._gone_wrong(at, too_many(len(decision.options), a.most))
            return
        else:
            a.show(at, len(decision.options), decision.seat)
        self.states[at] = state

    def _gone_wrong(self, at: int, why: str) -> None:
        a = self.arrays
        a.wrong[at] = True
        a.show(at, 0, -1)
        if not a.done[at]:
            a.returns[at] = float("nan")
        self.reasons[at] = why

    def why(self, at: int) -> str:
        """What is wrong, in words."""
        return self.reasons[at]

    def state(self, at: int) -> State:
        state = self.states[at]
        assert state is not None, "there was no first decision"
        return state

    def observe(self, into: Array, viewer: int, sight: Sight) -> None:
        """``viewer``: a seat, -1: a spectator, -2: of each state the seat that decides."""
        a = self.arrays
        for at, state in enumerate(self.states):
            seat = int(a.seat[at]) if viewer == -2 else viewer
            if a.wrong[at] or state is None:
                into[at] = HIDDEN
            else:
                into[at] = sight.of(state, None if seat < 0 else seat)


def too_many(options: int, most: int) -> str:
    """The words for more options than there is room for."""
    return f"there are {options:,} options, and room for {most:,}: say more as `most`"
