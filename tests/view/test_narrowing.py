"""Test the shortcut for conditions with one simple comparison: it must select the same items as the full condition."""

from __future__ import annotations

import pytest
from programs import build_program, read_data

from lusory.game import Game
from lusory.view import seat_view

DATA = read_data(__file__)

RULES = DATA["rules"]

TEXTS = DATA["texts"]

PICKS = (1, 3, 0, 5)


def list_status_lines(game: Game, picks: tuple[int, ...]) -> list[str]:
    """Return the status line of each viewer after each decision."""
    state, lines = game.start(1), []
    for pick in picks:
        state = game.apply(state, pick)
        lines += [game.view(state, seat).table()[0] for seat in (0, 1, None)]
    return lines


@pytest.mark.parametrize("text", TEXTS)
def test_shortcut_selects_the_same_items(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(build_program(RULES.format(text=text)))
    lines = list_status_lines(game, PICKS)
    monkeypatch.setattr(seat_view, "find_equality_test", lambda condition, slot: None)
    assert list_status_lines(game, PICKS) == lines
