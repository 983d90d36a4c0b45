"""What can be wrong with a position that a game came to, and games as something to play again."""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from lusory_dsl.text.source import Span

from ...game import Game
from ...table.chance import Seed
from ...table.choices import Decision, Option, RulesetFault
from ...table.state import State
from .variants import Variant
from .ways import Answer, answer_of

FAULT, INVARIANT, ENDLESS, LEAK, ENGINES, BUDGET = "fault", "invariant", "endless", "leak", "engines", "budget"
WRONG = {
    FAULT: "the rules go wrong",
    INVARIANT: "an invariant is broken",
    ENDLESS: "no way leads to an end",
    LEAK: "what a seat may choose tells what it can't see",
    ENGINES: "the engines differ",
    BUDGET: "a budget is nearly spent",
}
"""What is looked for, in words."""

NEARLY = 0.5  # of a budget: from here on it is told
LONGEST = 5_000  # decisions of a long game, and of each way that is tried out of one that does not end
ALL_FOLLOW = "only"  # begins what is said where all positions were gone through
BY_VALUE = 2  # the version of marshal before it told which parts are the same object
FEW = 400  # positions that are gone through to see whether any of them ends


@dataclass(frozen=True)
class Wrong:
    """``where``: the phase, effect or invariant; ``span``: the place in the ruleset, where it is known."""

    kind: str
    where: str
    message: str
    span: Span | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What two findings of the same thing have in common: not the numbers."""
        words = "" if self.kind in (ENDLESS, LEAK) else re.sub(r"\(.*\)|\d[\d,.]*", "#", self.message)
        return self.kind, self.where, words


@dataclass(frozen=True)
class Script:
    """A game to play again. ``onwards``: behind the answers everybody takes the first option, to the end."""

    variant: Variant
    seed: Seed
    answers: tuple[Answer, ...]
    onwards: bool = False


def scripted(state: State, decision: Decision, left: list[Answer]) -> Option | None:
    """The option that the next of some answers means which can be given here; those before it are dropped. ``left``
    has its next answer last."""
    if not left:
        return None
    options = {answer_of(decision, option): option for option in decision.options}
    while left:
        found = options.get(left.pop())
        if found is not None:
            return found
    return None


def fault_of(fault: RulesetFault) -> Wrong:
    """A fault of the rules as something to tell."""
    return Wrong(FAULT, " > ".join(fault.trail), fault.message, fault.span)


def wrong_at(game: Game, before: State | None, state: State) -> Wrong | None:
    """What is wrong with a position, and with the step to it."""
    broken = next(iter(game.broken_invariants(state)), None)
    if broken is not None:
        return Wrong(INVARIANT, broken.id, f"the invariant {broken.words}", broken.invariant.condition.span)
    return nearly_spent(game, before, state)


def nearly_spent(game: Game, before: State | None, state: State) -> Wrong | None:
    """Whether a position, and the step to it, cost much of what rules may cost."""
    limits, work = game.setting.limits, game.layout.work
    spent = state.cells[work] - (0 if before is None else before.cells[work])
    decision = game.decision(state)
    for name, used, most in (
        ("decision", spent, limits.decision),
        ("game", state.cells[work], limits.game),
        ("options", 0 if decision is None else len(decision.options), limits.options),
    ):
        if used > most * NEARLY:
            return Wrong(BUDGET, name, f"{used:,} of the {most:,} of the budget `{name}` are spent")
    return None


def positions(game: Game, state: State, most: int) -> Iterator[State]:
    """The different positions that can follow, nearest first; at most so many."""
    seen, todo = {_key(game, state)}, [state]
    for here in todo:
        decision = game.decision(here)
        for option in () if decision is None else decision.options:
            after = game.apply(here, option.index)
            key = _key(game, after)
            if key not in seen:
                seen.add(key)
                if len(seen) > most:
                    return
                todo.append(after)
                yield after


def _key(game: Game, state: State) -> object:
    """What tells positions of the compiled engine apart that go on differently: neither the work so far, nor how often
    phases were repeated, which no rule can read."""
    cells, layout = list(state.cells), game.layout
    for cell in (layout.work, *layout.repeats.values()):
        cells[cell] = 0
    return marshal.dumps((cells, state.zones, state.frame), BY_VALUE)


def no_way_out(game: Game, state: State, most: int) -> Wrong | None:
    """Whether a game that goes on and on can be ended. Where few positions can follow, all of them are gone through;
    else some ways are followed for ``most`` decisions."""
    if game.decision(state) is None:
        return None  # its last decision was the last of all
    phase = game.view(state, None).phase or ""
    try:
        followed = 0
        for after in positions(game, state, FEW):
            followed += 1
            if game.decision(after) is None:
                return None
        if followed < FEW - 1:
            said = "1 position" if not followed else f"{followed + 1:,} positions"
            return Wrong(ENDLESS, phase, f"{ALL_FOLLOW} {said} can follow, and none is an end")
        for way in range(3 if most else 0):
            here, rnd = state, Random(way)
            for _ in range(most):
                decision = game.decision(here)
                if decision is None:
                    return None
                options = decision.options
                here = game.apply(here, (options[0], options[-1], rnd.choice(options))[way].index)
    except RulesetFault:
        return None  # a finding of its own, where a game comes to it
    if not most:
        return None
    return Wrong(ENDLESS, phase, f"no end within {most:,} decisions more, by the first options, the last or any")
