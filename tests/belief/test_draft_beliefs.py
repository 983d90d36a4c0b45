"""Test belief states in a draft: hands are passed on, and the picks are revealed much later."""

from __future__ import annotations

import pytest
from belief.laws import Results, check_laws
from programs import build_program, read_rules

from lusory.game import Game

DISHES = read_rules("dishes")
"""The dishes are shown in the order in which they were picked."""


@pytest.mark.parametrize("seed", [0, 1])
def test_draft_picks_are_changed_when_revealed(seed: int) -> None:
    """A dish that one seat did not pick may have been picked by the next, or passed on."""
    game, results = Game(build_program(DISHES)), Results()
    check_laws(game, seed, results, max_decisions=18, every=1, sample_count=1)
    assert not results.violations
    assert results.n_replayed == results.exact == results.samples > 0
