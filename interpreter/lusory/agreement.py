"""Whether the engines agree: the same random game on each, compared at every step. Used by the test command and tests.

The evaluator is the oracle; what it and the compiled engine say must be the same: every decision, its options in
order, every event, every cell and zone, the outcome. With ``through_json`` each engine is handed its state back as
parsed JSON after every step.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lusory_dsl.core import Program

from .choices import RulesetFault
from .game import ENGINES, Game
from .random_stream import draw
from .random_stream import seed as stream_seed
from .state import State

DECISION_LIMIT = 100_000


def difference(
    program: Program,
    seed: int,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    through_json: bool = False,
) -> str | None:
    """What the engines first disagree about in the random game of this seed, in words; None: they agree."""
    games = [Game(program, players, options, engine=name) for name in ENGINES]
    logs: list[list[tuple[Any, ...]]] = [[], []]
    stream = stream_seed(seed, "answers")
    try:
        states = [game.start(seed, log) for game, log in zip(games, logs, strict=True)]
    except RulesetFault as fault:
        return f"seed {seed}: the game cannot start: {fault}"
    for step in range(DECISION_LIMIT):
        where = f"seed {seed}, {games[0].players} players, decision {step}"
        if through_json:
            states = [State.from_json(json.loads(json.dumps(state.to_json()))) for state in states]
        found = _compare(games, states, logs)
        if found is not None:
            return f"{where}: {found}"
        decision = games[0].decision(states[0])
        if decision is None:
            one, other = (game.outcome(state) for game, state in zip(games, states, strict=True))
            return None if one == other else f"{where}: outcomes {one} and {other}"
        stream, choice = draw(stream, len(decision.options))
        states = [game.apply(state, choice, log) for game, state, log in zip(games, states, logs, strict=True)]
    return f"seed {seed}: the game has not ended after {DECISION_LIMIT} decisions"


def _compare(games: list[Game], states: list[State], logs: list[list[tuple[Any, ...]]]) -> str | None:
    one, other = states
    if logs[0] != logs[1]:
        at = next((i for i, (a, b) in enumerate(zip(*logs, strict=False)) if a != b), min(map(len, logs)))
        return f"event {at}: {logs[0][at : at + 1]} and {logs[1][at : at + 1]}"
    size = games[0].layout.size
    if one.cells[:size] != other.cells[:size]:
        at = next(i for i in range(size) if one.cells[i] != other.cells[i])
        return f"cell {at}: {one.cells[at]} and {other.cells[at]}"
    if one.zones != other.zones:
        return f"zones: {one.zones} and {other.zones}"
    asked = [game.decision(state) for game, state in zip(games, states, strict=True)]
    if (asked[0] is None) is not (asked[1] is None):
        return f"decisions: {asked[0]} and {asked[1]}"
    if asked[0] is None or asked[1] is None:
        return None
    if (asked[0].site, asked[0].seat, tuple(asked[0].options)) != (
        asked[1].site,
        asked[1].seat,
        tuple(asked[1].options),
    ):
        return f"decisions: {asked[0]} and {asked[1]}"
    words = [
        (game.prompt(state, d), game.option_ids(state, d), game.option_labels(state, d))
        for game, state, d in zip(games, states, asked, strict=True)
        if d is not None
    ]
    return None if words[0] == words[1] else f"words: {words[0]} and {words[1]}"
