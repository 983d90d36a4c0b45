"""Test belief states in games with hidden draws."""

from __future__ import annotations

from belief.laws import Results, check_laws
from programs import build_program, read_data

from lusory.belief.belief_state import BeliefState
from lusory.game import Game
from lusory.state.events_redaction_and_text import Event, redact_log

DATA = read_data(__file__)

NUMBER = DATA["number"]
"""The number is drawn during setup, and revealed bit by bit."""


def check_random_games(text: str, seeds: int = 2, most: int = 20) -> Results:
    """Check the laws in some random games."""
    game, results = Game(build_program(text)), Results()
    for seed in range(seeds):
        check_laws(game, seed, results, most, every=2)
    assert not results.violations
    return results


def test_hidden_draw_during_setup_is_sampled_again() -> None:
    results = check_random_games(NUMBER)
    assert results.n_replayed == results.exact == results.samples > 0


DICE = DATA["dice"]
"""The secret die is thrown before the public one."""


def test_hidden_draw_is_distinguished_from_announced_draw() -> None:
    game = Game(build_program(DICE))
    log = list[Event]()
    state, belief = game.start(1, log), BeliefState(game, 1)
    belief.update(game.view(state, 1), redact_log(log, 1, game))
    log.clear()
    state = game.apply(state, 0, log)
    belief.update(game.view(state, 1), redact_log(log, 1, game))
    worlds = [sample.state.cells for sample in belief.sample(40, 1) if sample.is_exact]
    kept_cell, shown_cell = (game.on_compiled_engine.layout.places[name].at((0,)) for name in ("kept", "shown"))
    assert len(worlds) == 40
    assert len({cells[kept_cell] for cells in worlds} - {state.cells[shown_cell]}) > 3


def test_no_recovery_after_the_game_is_over() -> None:
    """No seat decides any more, so none needs samples."""
    game, log = Game(build_program(NUMBER)), list[Event]()
    state, belief = game.start(1, log), BeliefState(game, 0)
    while game.decision(state) is not None:
        belief.update(game.view(state, 0), redact_log(log, 0, game))
        log.clear()
        state = game.apply(state, 0, log)
    recoveries: list[int] = []
    belief._advance_each = lambda *_: []  # type: ignore[method-assign]
    belief._recover = lambda now, *_: recoveries.append(now) or []  # type: ignore[method-assign, func-returns-value]
    belief.update(game.view(state, 0), redact_log(log, 0, game))
    assert not recoveries
    assert not belief.particles[0].is_exact
