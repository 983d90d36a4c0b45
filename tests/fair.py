"""Define a small two-player market game with cards, coins and points, for tests of the log that a table shows."""

from __future__ import annotations

from collections.abc import Sequence

from programs import checked

from lusory.game import Game
from lusory.play.decision_information_and_simple_players import ScriptedPlayer
from lusory.play.match import Match

RULES = """
game: {id: fair, name: Fair, version: "1", language: 2, players: 2}
resources:
  coin: {label: Coin, plural: coins}
  vp: {label: VP, plural: vps}
components:
  Card: {fields: {price: Int}}
cards:
  oak: {kind: Card, label: Oak, fields: {price: 2}}
  elm: {kind: Card, label: Elm, fields: {price: 1}}
  fir: {kind: Card, label: Fir, fields: {price: 3}}
  yew: {kind: Card, label: Yew, fields: {price: 4}}
variables:
  round: {type: Int, start: 1}
  mood: {type: Int, label: Mood of the fair, start: 5}
  secret: {type: Int, start: 5, visible: nobody}
  last: {type: "Card?", label: The card on show, start: none}
  worth: {type: Int, per: [Card], label: What it brings, start: 0}
zones:
  bank: {label: Bank, holds: Resource, start: {coin: 20, vp: 20}}
  purse: {label: purse, per: [Player], holds: Resource, start: {coin: 3}}
  wood: {label: Wood, holds: Card, start: all Card, visible: nobody}
  hand: {label: hand, per: [Player], holds: Card, visible: owner}
  stall: {label: stall, per: [Player], holds: Card}
phases:
  - id: deal
    label: Deal
    do: "each player: move take(wood, 1) to hand"
  - {id: quiet, label: Quiet, do: "set round to round + 1"}
  - id: play
    label: Play
    do: |
      each player:
BLOCK
  - {id: last, label: Last, do: "increase round by 1"}
scoring: {rank: ["purse.coin"], show: [{title: Coins, value: "purse.coin"}]}
"""


def match_of(block: str, first: Sequence[int] = (), other: Sequence[int] = (), rules: str = RULES) -> Match:
    """Return a match in which each player executes ``block``, after the scripted decisions.

    ``first`` and ``other`` are the option numbers that the two players choose. ``rules`` must contain the line
    ``BLOCK``.
    """
    lines = "\n".join(f"        {line}" for line in block.strip("\n").splitlines())
    game = Game(checked(rules.replace("BLOCK", lines)), 2)
    match = Match(game, [ScriptedPlayer(first), ScriptedPlayer(other)], seed=1)
    for _ in range(len(first) + len(other)):
        match.step()
    return match
