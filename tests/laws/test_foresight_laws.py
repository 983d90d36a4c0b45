"""Law of previews: the preview of an option depends only on what the choosing seat knows."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from programs import build_program, create_bundled_game

from lusory.belief.belief_state import BeliefState
from lusory.game import ENGINES, Game
from lusory.state.events_redaction_and_text import redact_log
from lusory.state.state import State
from lusory.view.redacted_state import Unknown
from lusory.view.seat_view import View
from lusory_dsl.core import AskMany

TEXTS = yaml.load(Path(__file__).with_name("foresight.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
RULES, SECRET_CAUSES, KNOWN_CAUSES = TEXTS["rules"], TEXTS["secret causes"], TEXTS["known causes"]


def preview_options(game: Game, view: View) -> tuple[Any, ...]:
    """Return the preview of each option, with the visible part of the position after it."""
    assert view.decision is not None
    previews = [game.predict_consequences(view, option) for option in view.decision.options]
    states = [preview.result and hide_unknowns(preview.result.state) for preview in previews]
    return tuple(preview._replace(result=state) for preview, state in zip(previews, states, strict=True))


def hide_unknowns(value: Any) -> Any:
    """Return a position, or a part of one, with ``?`` in place of unknown values."""
    match value:
        case Unknown():
            return "?"
        case State():
            return hide_unknowns(value.cells), hide_unknowns(value.zones)
        case list() | tuple():
            return tuple(map(hide_unknowns, value))
    return value


def describe(view: View) -> str:
    """Return everything that a seat sees at a decision, as text."""
    return str((view.list_places(), view.question))


def create_game(block: str, engine: str) -> Game:
    lines = "\n".join(f"      {line}" for line in block.splitlines())
    return Game(build_program(RULES.replace("BLOCK", lines)), 2, engine=engine)


def group_previews(game: Game) -> dict[str, set[tuple[Any, ...]]]:
    """Return the previews at the first decision of the first seat, grouped by what the seat sees there."""
    groups: dict[str, set[tuple[Any, ...]]] = {}
    for seed in range(12):
        state = game.start(seed)
        while (decision := game.decision(state)) is not None and decision.seat != 0:
            state = game.apply(state, 0)
        view = game.view(state, 0)
        groups.setdefault(describe(view), set()).add(preview_options(game, view))
    return groups


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cause", SECRET_CAUSES)
def test_a_preview_does_not_reveal_why_the_question_is_asked(cause: str, engine: str) -> None:
    groups = group_previews(create_game(SECRET_CAUSES[cause], engine))
    assert all(len(previews) == 1 for previews in groups.values())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cause", KNOWN_CAUSES)
def test_options_are_previewed_if_the_seat_knows_why_it_is_asked(cause: str, engine: str) -> None:
    for previews in group_previews(create_game(KNOWN_CAUSES[cause], engine)).values():
        assert all(option.events for options in previews for option in options)


WORLDS = 4
DECISION_LIMIT = 40


def find_violations(game: Game, seed: int, seat: int) -> tuple[list[str], int]:
    """Return the violations of the law in a random game, and how many previews were compared."""
    rnd, belief, log = Random(seed), BeliefState(game, seat), list[Any]()
    state, violations, n_compared = game.start(seed, log), list[str](), 0
    for number in range(DECISION_LIMIT):
        decision = game.decision(state)
        if decision is None:
            break
        view = game.view(state, seat)
        belief.update(view, redact_log(log, seat, game))
        if view.decision is not None and not isinstance(view.ask, AskMany):
            previews = preview_options(game, view)
            worlds: list[State] = [world.state for world in belief.sample(WORLDS, number) if world.is_exact]
            views = [game.view(world, seat) for world in worlds]
            same = [preview_options(game, peer) for peer in views if describe(peer) == describe(view)]
            n_compared += len(same) * any(option.events for option in previews)
            if any(preview != previews for preview in same):
                violations.append(f"seed {seed}: decision {number} previews what P{seat + 1} doesn't know")
        log = []
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    return violations, n_compared


SLOW_GAMES = ("demesne", "empires-end")
"""Games of which only one is played."""


@pytest.mark.parametrize(
    "name", ["love-letter", "empire-engine", "engines-of-war", "hearts", "empires-end", "leduc-poker", "demesne"]
)
def test_positions_that_look_alike_have_the_same_previews(name: str) -> None:
    results = [
        find_violations(create_bundled_game(name), seed, seed % 2) for seed in range(1 if name in SLOW_GAMES else 2)
    ]
    assert [violation for violations, _ in results for violation in violations] == []
    assert any(n_compared for _, n_compared in results), "no preview was compared"
