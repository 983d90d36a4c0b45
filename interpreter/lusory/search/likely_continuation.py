"""Predict how a game most likely continues after an option: the next decisions, and who decides after them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..game import Game
from ..state.random_streams import INCREMENT, MASK, mix_bits
from ..state.state import State
from .option_evaluation import AUTO, PYTHON_BACKEND, SearchBackend, SearchTask, evaluate_options
from .simulation import PositionFactory

PREDICTION_SIMULATIONS = 50
"""Budget for predicting one decision of a principal variation."""


UNKNOWN_SEAT = -1


@dataclass(frozen=True)
class PrincipalVariation:
    """Hold the most likely continuation after an option.

    Attributes:
        labels: The decisions that are likely to follow, of all seats in a game of perfect information and of the same
            seat in any other.
        next_seat: The seat that decides after these. None if the game is over, :data:`UNKNOWN_SEAT` if it varies.
        end_reason: Why the game is over.
    """

    labels: tuple[str, ...]
    next_seat: int | None
    end_reason: str = ""


def sample_principal_variation(
    task: SearchTask, option: int, max_decisions: int, backend: SearchBackend = PYTHON_BACKEND
) -> PrincipalVariation:
    """Predict the next decisions after an option: those of the task's seat until another seat decides.

    Example: after option 2, two of three determinizations continue with "draw" and then pass the turn to seat 1. The
    result is ``PrincipalVariation(("draw",), 1)``. With ``task.has_perfect_information``, the decisions are those of
    all seats. With several players, it then names the seats: ``("P1: draw", "P2: pass")``.

    Each determinization predicts for itself, by a small search. A predicted label is part of the result while a
    majority of all determinizations agrees on it. The ones that disagree are dropped, and those in which ``option``
    fails; the exception of a later decision is raised. A majority is more than half, and must also agree on
    ``next_seat``. Without one, the prediction ends, and ``next_seat`` is UNKNOWN_SEAT. After ``max_decisions`` labels,
    ``next_seat`` can be the same seat again. At the end of the game it is None, and ``end_reason`` is the reason of the
    first determinization left, or ``""``. ``task.simulations`` and ``task.algorithm`` are not used.
    """
    game, seat, determinizations, seed = task.game, task.seat, task.determinizations, task.seed
    positions, labels = PositionFactory(game, task.hints), list[str]()
    states: list[State] = []
    for number, determinization in enumerate(determinizations):
        position, _ = positions.create(determinization, mix_bits((seed + number * INCREMENT) & MASK))
        try:
            position.apply(option)
        except Exception:  # generated code fails in an impossible determinization, or where the rules have a bug
            continue
        states.append(position.as_state())
    for step in range(max_decisions + 1):
        seat_counts = Counter(_get_deciding_seat(game, state) for state in states)
        next_seat, votes = seat_counts.most_common(1)[0] if seat_counts else (UNKNOWN_SEAT, 0)
        # Compare with all determinizations, because those that were dropped count as disagreeing.
        if 2 * votes <= len(determinizations):
            return PrincipalVariation(tuple(labels), UNKNOWN_SEAT)
        states = [state for state in states if _get_deciding_seat(game, state) == next_seat]
        if next_seat is None or step == max_decisions or (next_seat != seat and not task.has_perfect_information):
            outcome = game.outcome(states[0]) if next_seat is None else None
            return PrincipalVariation(tuple(labels), next_seat, outcome.reason or "" if outcome is not None else "")
        small_task = task._replace(
            seat=next_seat, algorithm=AUTO, simulations=PREDICTION_SIMULATIONS, seed=mix_bits(seed + step + 1)
        )
        predictions = [_predict_decision(small_task._replace(determinizations=[state]), backend) for state in states]
        label, votes = Counter(label for label, _ in predictions).most_common(1)[0]
        if 2 * votes <= len(determinizations):
            return PrincipalVariation(tuple(labels), UNKNOWN_SEAT)
        labels.append(f"P{next_seat + 1}: {label}" if task.has_perfect_information and game.players > 1 else label)
        states = [state for predicted_label, state in predictions if predicted_label == label]
    raise AssertionError("the last step returns")


def _get_deciding_seat(game: Game, state: State) -> int | None:
    """Return the seat that decides in a state, or None if the game is over."""
    decision = game.decision(state)
    return None if decision is None else decision.seat


def _predict_decision(task: SearchTask, backend: SearchBackend) -> tuple[str, State]:
    """Return the label of the best option in the only determinization of a small search, and the state after it."""
    evaluations = evaluate_options(task, backend)
    game, (state,) = task.game, task.determinizations
    decision = game.decision(state)
    assert decision is not None, "the seat has a decision to make"
    option = evaluations[0].option
    return str(game.option_labels(state, decision)[option]), game.apply(state, option)
