"""The law of previews: what an option is said to do depends only on what the seat that chooses knows."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from programs import bundled_game, checked

from lusory.belief.belief_state import BeliefState
from lusory.game import ENGINES, Game
from lusory.state.events_redaction_and_text import redact_log
from lusory.state.state import State
from lusory.view.redacted_state import Unknown
from lusory.view.seat_view import View
from lusory_dsl.core import AskMany

TEXTS = yaml.load(Path(__file__).with_name("foresight.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
RULES, ALIKE, CLEAR = TEXTS["rules"], TEXTS["alike"], TEXTS["clear"]


def previews(game: Game, view: View) -> tuple[Any, ...]:
    """What is shown of each option, with all that can be read in the position after it."""
    assert view.decision is not None
    predictions = [game.predict_consequences(view, option) for option in view.decision.options]
    return tuple([one._replace(result=one.result and known(one.result.state)) for one in predictions])


def known(value: Any) -> Any:
    """Return a position, or a part of one, with ``?`` for what the seat doesn't know."""
    match value:
        case Unknown():
            return "?"
        case State():
            return known(value.cells), known(value.zones)
        case list() | tuple():
            return tuple(map(known, value))
    return value


def looks(view: View) -> str:
    """All that a seat sees at a decision."""
    return str((view.list_places(), view.question))


def small(block: str, engine: str) -> Game:
    lines = "\n".join(f"      {line}" for line in block.splitlines())
    return Game(checked(RULES.replace("BLOCK", lines)), 2, engine=engine)


def found_in(game: Game) -> dict[str, set[tuple[Any, ...]]]:
    """The previews of the first decision of the first seat, for everything that it can look like."""
    found: dict[str, set[tuple[Any, ...]]] = {}
    for seed in range(12):
        state = game.start(seed)
        while (decision := game.decision(state)) is not None and decision.seat != 0:
            state = game.apply(state, 0)
        view = game.view(state, 0)
        found.setdefault(looks(view), set()).add(previews(game, view))
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", ALIKE)
def test_the_preview_of_a_question_does_not_tell_why_it_is_asked(what: str, engine: str) -> None:
    found = found_in(small(ALIKE[what], engine))
    assert all(len(shown) == 1 for shown in found.values())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", CLEAR)
def test_options_are_previewed_where_the_seat_knows_why_it_is_asked(what: str, engine: str) -> None:
    for shown in found_in(small(CLEAR[what], engine)).values():
        assert all(option.events for one in shown for option in one)


WORLDS = 4
MOST = 40


def broken(game: Game, seed: int, seat: int) -> tuple[list[str], int]:
    """What breaks the law in a game of random play, and how many previews were compared."""
    rnd, belief, log = Random(seed), BeliefState(game, seat), list[Any]()
    state, found, compared = game.start(seed, log), list[str](), 0
    for number in range(MOST):
        decision = game.decision(state)
        if decision is None:
            break
        view = game.view(state, seat)
        belief.update(view, redact_log(log, seat, game))
        if view.decision is not None and not isinstance(view.ask, AskMany):
            shown = previews(game, view)
            worlds: list[State] = [one.state for one in belief.sample(WORLDS, number) if one.is_exact]
            others = [one for one in (game.view(world, seat) for world in worlds) if looks(one) == looks(view)]
            compared += len(others) * any(option.events for option in shown)
            if any(previews(game, one) != shown for one in others):
                found.append(f"seed {seed}: decision {number} previews what P{seat + 1} doesn't know")
        log = []
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    return found, compared


LONG = ("demesne", "empires-end")
"""Games that take so long that one must do."""


@pytest.mark.parametrize(
    "name", ["love-letter", "empire-engine", "engines-of-war", "hearts", "empires-end", "leduc-poker", "demesne"]
)
def test_positions_that_look_alike_have_the_same_previews(name: str) -> None:
    results = [broken(bundled_game(name), seed, seed % 2) for seed in range(1 if name in LONG else 2)]
    assert [words for found, _ in results for words in found] == []
    assert any(compared for _, compared in results), "something is previewed"
