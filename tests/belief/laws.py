"""Laws of belief states, for any ruleset. Some games run in the tests, and many in ``python -m tests.belief``.

1. A sample shows the seat what it sees: the same view, question and options.
2. If the true state is replaced by one that the seat cannot tell from it, the samples stay the same.
3. A sample that claims to be exact is the end of a game that could have been played: its own steps, simulated again
   from the start, show the seat the same and lead to it. Such samples are counted (see :mod:`.replay`), not required:
   if several actions look the same and depend on each other, the replay does not always find the right ones.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from random import Random
from time import process_time

from lusory.belief.belief_state import BeliefState
from lusory.belief.observation_and_matching import observe
from lusory.game import Game
from lusory.state.events_redaction_and_text import Event, redact_log
from lusory.state.state import State

from .replay import TracedBelief, replay

MakeBelief = Callable[[Game, int], BeliefState]


@dataclass
class Results:
    """The counts, times and failures of checks.

    Attributes:
        violations: Descriptions of the laws that were broken.
        failed_replays: Why samples could not be replayed.
    """

    positions: int = 0
    samples: int = 0
    exact: int = 0
    n_replayed: int = 0
    updates: int = 0
    sample_seconds: float = 0.0
    update_seconds: float = 0.0
    violations: list[str] = field(default_factory=list)
    failed_replays: list[str] = field(default_factory=list)


def check_laws(
    game: Game,
    seed: int,
    results: Results,
    max_decisions: int = 400,
    every: int = 5,
    sample_count: int = 2,
    make_belief: MakeBelief = TracedBelief,
) -> None:
    """Play a game at random with a belief state for every seat, and check the laws at every ``every``-th decision.

    They are checked for the seat that decides and another one, with ``sample_count`` samples.
    """
    rnd, log = Random(seed), list[Event]()
    state, beliefs = game.start(seed, log), [make_belief(game, seat) for seat in range(game.players)]
    is_honest = make_belief is TracedBelief
    honest = beliefs if is_honest else [BeliefState(game, seat) for seat in range(game.players)]
    before: list[BeliefState] = []
    for number in range(max_decisions):
        events = [redact_log(log, seat, game) for seat in range(game.players)]
        is_checked = number % every == every - 1
        before = [_copy_belief(belief) for belief in beliefs] if is_checked else []
        for seat, belief in enumerate(beliefs):
            start = process_time()
            _reveal_truth(belief, state)
            belief.update(game.view(state, seat), events[seat])
            results.update_seconds += process_time() - start
            results.updates += 1
            if not is_honest:
                honest[seat].update(game.view(state, seat), events[seat])
        decision = game.decision(state)
        if decision is None:
            return
        for seat in {decision.seat, number % game.players} if is_checked else ():
            (sample,) = honest[seat].sample(1, number + 1)
            _check_samples(game, state, number, beliefs[seat], sample_count, results)
            if sample.is_exact:
                _reveal_truth(before[seat], sample.state)
                before[seat].update(beliefs[seat].game.view(sample.state, seat), events[seat])
                if before[seat].sample(sample_count, number) != beliefs[seat].sample(sample_count, number):
                    results.violations.append(f"decision {number}, P{seat + 1}: samples depend on the hidden state")
        log.clear()
        state = game.apply(state, rnd.randrange(len(decision.options)), log)


def _copy_belief(belief: BeliefState) -> BeliefState:
    """Return a belief state that is updated independently. Its observations, particles and game are shared."""
    belief_copy = copy(belief)
    belief_copy.observations, belief_copy.particles = belief.observations[:], belief.particles[:]
    belief_copy._checkpoints, belief_copy._revelations = {**belief._checkpoints}, {**belief._revelations}
    return belief_copy


def _reveal_truth(belief: BeliefState, state: State) -> None:
    """Give the true state to a belief state that cheats."""
    if hasattr(belief, "truth"):
        belief.truth = state


def _check_samples(game: Game, state: State, number: int, belief: BeliefState, n: int, results: Results) -> None:
    seat = belief.seat
    start = process_time()
    samples = belief.sample(n, number)
    results.sample_seconds += process_time() - start
    results.positions += 1
    for sample in samples:
        results.samples += 1
        results.exact += sample.is_exact
        if not sample.is_exact:
            continue
        if isinstance(belief, TracedBelief):
            failure = replay(belief, sample.state)
            results.n_replayed += failure is None
            results.failed_replays += [f"decision {number}, P{seat + 1}: {failure}"] if failure else []
        view, sample_view = game.view(state, seat), belief.game.view(sample.state, seat)
        if observe(view, ()) != observe(sample_view, ()) or view.question != sample_view.question:
            results.violations.append(f"decision {number}, P{seat + 1}: a sample shows something else")
        elif view.to_json() != sample_view.to_json():
            results.violations.append(f"decision {number}, P{seat + 1}: a sample has another JSON view")
