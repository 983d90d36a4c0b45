"""The law of previews: what an option is said to do depends only on what the seat that chooses knows."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from programs import bundled_game, checked

from lusory.belief.belief_state import BeliefState
from lusory.game import ENGINES, Game
from lusory.state.event_log import redact_log
from lusory.state.state import State
from lusory.view.seat_view import View
from lusory_dsl.core import AskMany

RULES = """
game: {id: preview, name: Preview, version: "1", language: 2, players: 2}
components:
  Card: {fields: {worth: Int}}
cards:
  ace: {kind: Card, label: Ace, copies: 4, fields: {worth: 1}}
  king: {kind: Card, label: King, copies: 4, fields: {worth: 13}}
variables:
  score: {type: Int, per: [Player], start: 0, label: The score}
zones:
  deck: {holds: Card, start: all Card, visible: nobody}
  hand: {per: [Player], holds: Card, visible: owner}
effects:
  win:
    per: Player
    params: {n: Int}
    do: |
      choose b in [1, 3], prompt "Which?": increase score by b + n
  try_hard: {per: Player, do: 'choose b in [1, 3], prompt "Try it?": increase score by b + 1'}
  pass_on: {per: Player, params: {n: Int}, do: me.win(n)}
  try_it: {per: Player, do: 'choose b in [1, 3], prompt "Try it?": increase score by b'}
rules:
  easy: {rule: "instead of try_it() if me.next.hand.top.worth > 3: me.try_hard()"}
phases:
  - id: play
    do: |
      shuffle deck
      each player: move take(deck, 1) to hand
      let first = players.first
      let last = players.last
BLOCK
scoring: {rank: [score]}
"""
ASK = 'choose b in [1, 3], prompt "Which?": increase score by b'
ALIKE = {
    "something follows in one branch": """
by first:
  if last.hand.top.worth > 3:
    ASK
    increase score by 5
  else:
    ASK
""",
    "the options do different things": """
by first:
  if last.hand.top.worth > 3:
    ASK
  else:
    choose b in [1, 3], prompt "Which?": increase score by b + 2
""",
    "an effect is given different numbers": """
if last.hand.top.worth > 3: first.win(1)
else: first.win(2)
""",
    "an effect that was given a number hands it on": """
if last.hand.top.worth > 3: first.pass_on(1)
else: first.pass_on(2)
""",
    "a rule takes the place of an effect": "first.try_it()",
    "a loop is left": """
by first:
  repeat 1 times:
    if last.hand.top.worth > 3: stop
    ASK
    increase score by 5
  ASK
""",
    "a loop is never entered": """
by first:
  for each card in last.hand where it.worth > 3:
    ASK
    increase score by 5
  ASK
""",
    "nobody can answer another question": """
by last:
  choose secret card in hand where it.worth > 3, prompt "Secret?":
    first.win(1)
  else:
    first.win(2)
""",
}
CLEAR = {
    "the own card decides": """
by first:
  if hand.top.worth > 3:
    ASK
  else:
    ASK
""",
    "the question gives the branch away": """
by first:
  if last.hand.top.worth > 3:
    choose b in [1, 3], prompt "A king?": increase score by b + 1
  else:
    choose b in [1, 3], prompt "An ace?": increase score by b + 2
""",
    "nothing hidden was read": """
by first:
  if score > 3:
    ASK
    increase score by 1
  else:
    ASK
first.win(2)
""",
}


def previews(game: Game, view: View) -> tuple[Any, ...]:
    """What is shown of each option."""
    assert view.decision is not None
    return tuple([game.predict_consequences(view, option) for option in view.decision.options])


def looks(view: View) -> str:
    """All that a seat sees at a decision."""
    return str((view.listing(), view.question))


def small(block: str, engine: str) -> Game:
    lines = "\n".join(f"      {line}" for line in block.replace("ASK", ASK).strip("\n").splitlines())
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
