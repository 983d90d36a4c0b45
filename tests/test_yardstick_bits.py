"""The games on bits of the benchmarks have the rules of the rulesets: same moves in the same order, same winners."""

from __future__ import annotations

from random import Random

import pytest
from benchmarks.games import SUBJECTS, Subject

from lusory.game import Game

BITS = [subject for subject in SUBJECTS if subject.styles == ("optimised",)]


def played_alike(subject: Subject, game: Game, seed: int) -> None:
    """Raises AssertionError where the yardstick has other moves, or another end."""
    rng = Random(seed)
    theirs = subject.yardstick_module("optimised").new_game(rng, subject.players)
    state = game.start(seed)
    while (decision := game.decision(state)) is not None:
        while len(legal := theirs.legal_moves()) == 1:  # the engine makes such a move by itself
            theirs.apply(legal[0])
        assert [_named(option.values) for option in decision.options] == legal
        assert decision.seat == theirs.turn
        pick = rng.randrange(len(legal))
        state = game.apply(state, pick)
        theirs.apply(legal[pick])
    while not theirs.is_over():
        (only,) = theirs.legal_moves()
        theirs.apply(only)
    outcome = game.outcome(state)
    assert outcome is not None
    assert list(outcome.payoffs or ()) == theirs.returns()


def _named(squares: tuple[int, ...]) -> int:
    """A move as the yardsticks number it."""
    number = 0
    for square in squares:
        number = 64 * number + square
    return number


@pytest.mark.parametrize("subject", BITS, ids=lambda s: s.name)
def test_games_on_bits_have_the_rules_of_the_ruleset(subject: Subject) -> None:
    game = subject.game()
    for seed in range(12):
        played_alike(subject, game, seed)


def test_other_rules_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = next(s for s in BITS if s.name == "lines-of-action")
    monkeypatch.setattr(subject.yardstick_module("optimised"), "EAST", 0xFFFFFFFFFFFFFFFF)
    with pytest.raises(AssertionError):
        for seed in range(12):
            played_alike(subject, subject.game(), seed)
