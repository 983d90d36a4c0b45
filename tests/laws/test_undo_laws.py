"""The law of undo: whoever may take a decision back has learned nothing since, so that no other answer profits from it.

At each decision of a seat, worlds are sampled: positions that agree with all that it knows there. The same answers are
given in each. As long as the seat may go back to the decision, all must tell and show it the same.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import pytest
from programs import bundled_game

from lusory.belief.belief_state import BeliefState
from lusory.belief.observation_and_matching import observe
from lusory.game import Game
from lusory.play.undo_rules import UndoRules
from lusory.state.events_redaction_and_text import Event, redact_log
from lusory.state.state import State

WORLDS = 4
MOST = 60


class Origin(NamedTuple):
    """The latest decision of the seat: its number, and where the worlds that were sampled there are now."""

    number: int
    worlds: list[State | None]


def _step(game: Game, state: State, answer: int, seat: int) -> tuple[State | None, list[Event]]:
    """A world after an answer, and what the seat hears; None where the answer isn't offered there."""
    log: list[Event] = []
    decision = game.decision(state)
    if decision is None or answer >= len(decision.options):
        return None, log
    return game.apply(state, answer, log), redact_log(log, seat, game)


def _shown(game: Game, state: State | None, told: list[Event], seat: int) -> Any:
    if state is None:
        return None
    view = game.view(state, seat)
    return observe(view, tuple(event[:2] if event[0] == "announce" else event for event in told)), view.question


def broken(game: Game, seed: int, seat: int) -> tuple[list[str], int]:
    """What breaks the law in a game of random play, and how often the seat may undo."""
    rnd, rules, belief = Random(seed), UndoRules(game, seed), BeliefState(game, seat)
    log: list[Event] = []
    state, answers, found, allowed = game.start(seed, log), list[int](), list[str](), 0
    origin: Origin | None = None
    told = redact_log(log, seat, game)
    while len(answers) < MOST and (decision := game.decision(state)) is not None:
        belief.update(game.view(state, seat), told)
        if decision.seat == seat:
            worlds = [world.state for world in belief.sample(WORLDS, len(answers)) if world.is_exact]
            origin = Origin(len(answers), worlds)
        answer = rnd.randrange(len(decision.options))
        answers.append(answer)
        state, told = _step(game, state, answer, seat)
        assert state is not None
        if origin is None:
            continue
        others = [(None, []) if one is None else _step(game, one, answer, seat) for one in origin.worlds]
        origin = origin._replace(worlds=[one for one, _ in others])
        if rules.find_obstacle(answers, origin.number, seat) is not None:
            continue
        allowed += 1
        shown = _shown(game, state, told, seat)
        if any(_shown(game, *other, seat) != shown for other in others):
            found.append(
                f"seed {seed}: decision {len(answers)} shows P{seat + 1} what it didn't know at {origin.number}"
            )
    return found, allowed


MORE = ("love-letter", "hearts", "leduc-poker")
"""Games of which two are played, as they are short."""


@pytest.mark.parametrize(
    "name", ["love-letter", "empire-engine", "engines-of-war", "hearts", "empires-end", "leduc-poker", "demesne"]
)
def test_what_can_be_undone_has_told_nothing(name: str) -> None:
    results = [broken(bundled_game(name), seed, seed % 2) for seed in range(2 if name in MORE else 1)]
    assert [words for found, _ in results for words in found] == []
    assert any(allowed for _, allowed in results), "undo is of use"
