"""Test the shortcut for conditions with one simple comparison: it must select the same items as the full condition."""

from __future__ import annotations

import pytest
from programs import checked

from lusory.game import Game
from lusory.view import seat_view

RULES = """
game: {{id: gifts, name: Gifts, version: "1", language: 2, players: 2}}
components:
  Card: {{fields: {{worth: Int}}}}
cards:
  ace: {{kind: Card, label: Ace, fields: {{worth: 9}}}}
  king: {{kind: Card, label: King, fields: {{worth: 7}}}}
  ten: {{kind: Card, label: Ten, fields: {{worth: 5}}}}
variables:
  open: {{type: Bool, start: false}}
  taker: {{type: "Player?", per: [Card], start: none}}
  marks: {{type: Int, per: [Card], start: 0}}
  secret: {{type: Int, per: [Card], start: 1, visible: open}}
  wish: {{type: "Player?", start: none}}
zones:
  table: {{label: table, holds: Card, start: all Card}}
phases:
  - id: all
    do: |
      repeat 3 times:
        each player:
          choose c in table, n in 0..1:
            set taker[c] to me
            set marks[c] to n
            if n = 0: set open to true
view:
  status:
    - {{title: Found, text: "{{{text}}}"}}
scoring: {{rank: ["count(Card where taker[it] is me)"]}}
"""

TEXTS = (
    "Card where taker[it] is players.first",
    "Card where taker[it] is wish and marks[it] = 0",
    "Card where marks[it] = 1 and taker[it] is not none",
    "Card where marks[it] = count(table) - 3 and open",
    "count(Card where secret[it] = 1)",
    "Card where marks[it] = 1 and secret[it] = 1",
    "count(Card where secret[it] = marks[it])",
    "Card where marks[it] = marks[it]",
    "sum(it.worth for it in Card where marks[it] = 1)",
)

PICKS = (1, 3, 0, 5)


def text_of(game: Game, picks: tuple[int, ...]) -> list[str]:
    """Return the status line of each viewer after each decision."""
    state, found = game.start(1), []
    for pick in picks:
        state = game.apply(state, pick)
        found += [game.view(state, seat).table()[0] for seat in (0, 1, None)]
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_a_list_is_what_the_whole_condition_makes_of_it(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(checked(RULES.format(text=text)))
    short = text_of(game, PICKS)
    monkeypatch.setattr(seat_view, "find_equality_test", lambda condition, slot: None)
    assert text_of(game, PICKS) == short
