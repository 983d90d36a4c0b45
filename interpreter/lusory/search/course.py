"""What is likely to follow on an option, where chance or what is hidden lies ahead: by a few worlds that agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..game import Game
from ..table.chance import MASK, STEP, mix
from ..table.state import State
from .analysis import BEST, analyse
from .cores import PYTHON, Core
from .guidance import NONE, Guidance
from .positions import Walker

SIMULATIONS = 32
"""With which it is guessed what a seat decides."""


@dataclass(frozen=True)
class Course:
    """``labels``: what the seat is likely to decide next, one decision after the other. ``then``: who decides behind
    that: a seat, None where the game is over, or -1 where that can't be told. ``reason``: why it is over."""

    labels: tuple[str, ...]
    then: int | None
    reason: str = ""


def course(
    game: Game,
    seat: int,
    worlds: Sequence[State],
    option: int,
    ahead: int,
    stream: int,
    is_open: bool,
    guidance: Guidance = NONE,
    core: Core = PYTHON,
) -> Course:
    """What is likely to follow on an option of a seat: up to ``ahead`` decisions of its own, each as long as most of
    the worlds have it. The worlds stay as they are."""
    walker, labels = Walker(game, guidance), list[str]()
    alive: list[State] = []
    for number, world in enumerate(worlds):
        position, _ = walker.at(world, mix((stream + number * STEP) & MASK))
        try:
            position.take(option)
        except Exception:  # of generated code: in a world that can't be, or of rules that go wrong there
            continue
        alive.append(position.state())
    for step in range(ahead + 1):
        asked = Counter(_asked(game, state) for state in alive)
        then, agreed = asked.most_common(1)[0] if asked else (-1, 0)
        if 2 * agreed <= len(worlds):
            return Course(tuple(labels), -1)
        alive = [state for state in alive if _asked(game, state) == then]
        if then != seat or step == ahead:
            outcome = game.outcome(alive[0]) if then is None else None
            return Course(tuple(labels), then, outcome.reason or "" if outcome is not None else "")
        decided = [_decided(game, seat, state, mix(stream + step + 1), is_open, guidance, core) for state in alive]
        label, agreed = Counter(label for label, _ in decided).most_common(1)[0]
        if 2 * agreed <= len(worlds):
            return Course(tuple(labels), -1)
        labels.append(label)
        alive = [state for said, state in decided if said == label]
    raise AssertionError("it ends after so many decisions")


def _asked(game: Game, state: State) -> int | None:
    decision = game.decision(state)
    return None if decision is None else decision.seat


def _decided(
    game: Game, seat: int, state: State, stream: int, is_open: bool, guidance: Guidance, core: Core
) -> tuple[str, State]:
    """What a seat that is asked is likely to decide, and what comes of it."""
    *_, lines = analyse(game, seat, [state], BEST, SIMULATIONS, stream, is_open, guidance, core)
    decision = game.decision(state)
    assert decision is not None, "it is asked"
    option = lines[0].option
    return str(game.option_labels(state, decision)[option]), game.apply(state, option)
