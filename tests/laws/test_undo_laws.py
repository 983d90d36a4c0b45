"""Law of undo: a seat may take a decision back only if it has learned nothing since.

At each decision of a seat, the test samples positions that agree with everything the seat knows, and plays the same
answers in each. While the seat may undo the decision, it must see the same events and view in all of them.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import pytest
from programs import create_bundled_game

from lusory.belief.belief_state import BeliefState
from lusory.belief.observation_and_matching import observe
from lusory.game import Game
from lusory.play.undo_rules import UndoRules
from lusory.state.events_redaction_and_text import Event, redact_log
from lusory.state.state import State

WORLDS = 4
DECISION_LIMIT = 60


class Origin(NamedTuple):
    """The latest decision of the seat: its number, and the current states of the worlds that were sampled there."""

    number: int
    worlds: list[State | None]


def _step(game: Game, state: State, answer: int, seat: int) -> tuple[State | None, list[Event]]:
    """Return a world after an answer, or None if the answer isn't offered there, and the events that the seat sees."""
    log: list[Event] = []
    decision = game.decision(state)
    if decision is None or answer >= len(decision.options):
        return None, log
    return game.apply(state, answer, log), redact_log(log, seat, game)


def _observe(game: Game, state: State | None, events: list[Event], seat: int) -> Any:
    if state is None:
        return None
    view = game.view(state, seat)
    return observe(view, tuple(event[:2] if event[0] == "announce" else event for event in events)), view.question


def find_violations(game: Game, seed: int, seat: int) -> tuple[list[str], int]:
    """Return the violations of the law in a random game, and how often the seat may undo."""
    rnd, rules, belief = Random(seed), UndoRules(game, seed), BeliefState(game, seat)
    log: list[Event] = []
    state, answers, violations, n_allowed = game.start(seed, log), list[int](), list[str](), 0
    origin: Origin | None = None
    events = redact_log(log, seat, game)
    while len(answers) < DECISION_LIMIT and (decision := game.decision(state)) is not None:
        belief.update(game.view(state, seat), events)
        if decision.seat == seat:
            worlds = [world.state for world in belief.sample(WORLDS, len(answers)) if world.is_exact]
            origin = Origin(len(answers), worlds)
        answer = rnd.randrange(len(decision.options))
        answers.append(answer)
        state, events = _step(game, state, answer, seat)
        assert state is not None
        if origin is None:
            continue
        branches = [(None, []) if world is None else _step(game, world, answer, seat) for world in origin.worlds]
        origin = origin._replace(worlds=[world for world, _ in branches])
        if rules.find_obstacle(answers, origin.number, seat) is not None:
            continue
        n_allowed += 1
        observation = _observe(game, state, events, seat)
        if any(_observe(game, *world, seat) != observation for world in branches):
            violations.append(
                f"seed {seed}: decision {len(answers)} shows P{seat + 1} what it didn't know at {origin.number}"
            )
    return violations, n_allowed


SHORT_GAMES = ("love-letter", "hearts", "leduc-poker")
"""Games of which two are played."""


@pytest.mark.parametrize(
    "name", ["love-letter", "empire-engine", "engines-of-war", "hearts", "empires-end", "leduc-poker", "demesne"]
)
def test_decisions_that_can_be_undone_revealed_nothing(name: str) -> None:
    results = [
        find_violations(create_bundled_game(name), seed, seed % 2) for seed in range(2 if name in SHORT_GAMES else 1)
    ]
    assert [violation for violations, _ in results for violation in violations] == []
    assert any(n_allowed for _, n_allowed in results), "undo was never allowed"
