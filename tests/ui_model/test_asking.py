"""What is answered to ``why THING``."""

from __future__ import annotations

from functools import cache

import pytest
from full_table import match_of
from programs import bundled_game, checked

from lusory.explain.styled_text_wrapping_and_values import plain
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.model.look_and_why import describe_reasons, explain_why_not
from lusory.ui.model.screen_builder import build_screen

RULES = """
game: {id: stall, name: Stall, version: "1", language: 2, players: 2}
components: {Ware: {fields: {cost: Int}}, Tool: {}}
cards:
  rope: {kind: Tool, label: Rope, text: [It ties two wares., It is long.]}
  hat: {kind: Ware, label: Hat, fields: {cost: 4}}
  pin: {kind: Ware, label: Pin, fields: {cost: 1}}
zones:
  stock: {holds: Ware, start: all Ware}
  heap: {holds: Ware}
  shed: {holds: Tool, start: all Tool}
variables:
  coins: {type: Int, start: 2, label: coins}
  closed: {type: Bool, start: true, label: closed, phrase: the stall is shut}
actions:
  buy: {choose: ware in stock where coins >= ware.cost, do: move ware to heap}
  trade: {if: not closed, choose: ware in stock, do: move ware to heap}
  drop: {choose: ware in stock, do: move ware to heap}
  pick_up: {choose: ware in stock where ware.cost = 1, do: move ware to heap}
  stop_trade: {label: Go on, do: set coins to 0}
phases: [{id: turn, do: "by players.first: take action buy, trade, drop, pick_up, stop_trade"}]
scoring: {rank: ["1"]}
"""


@cache
def match() -> Match:
    return Match(Game(checked(RULES, "stall.yaml"), 2), [create_bot("random", 1, seat) for seat in range(2)], 1)


def told(wanted: str) -> list[str]:
    question = build_screen(match(), 0, ("Ann", "Bob")).question
    assert question is not None
    return [plain(line) for line in explain_why_not(wanted, match().game, match().state, question, ("Ann", "Bob"))]


def test_of_a_thing_that_can_be_used_it_is_told_what_else_it_would_take() -> None:
    """That picking up never takes a Hat is left out: buying it only needs coins."""
    first, *more = told("hat")
    assert first == "“Drop Hat” is open to you."
    assert len(more) == 1 and more[0] == "Buy: needs 4 coins, and there are 2."
    assert told("drop hat") == [first]


def test_a_reason_is_told_without_an_action_that_no_label_names() -> None:
    """The options are called ``e9``: that they lay a stone is a word of the rules. ``a1`` doesn't mean ``a10``."""
    for pick, wanted in ((47, "d5"), (0, "a1")):
        game = Match(bundled_game("hex", 2), [create_bot("random", 1, seat) for seat in range(2)], 1, (pick,))
        question = build_screen(game, 1, ("Ann", "Bob")).question
        assert question is not None
        lines = explain_why_not(wanted, game.game, game.state, question, ("Ann", "Bob"))
        assert [plain(line) for line in lines] == [f"{wanted} is taken."]


def test_a_reason_begins_with_the_name_of_a_space_as_it_is_written() -> None:
    game = Match(bundled_game("oware", 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    question = build_screen(game, 0, ("Ann", "Bob")).question
    assert question is not None
    lines = explain_why_not("sow f2", game.game, game.state, question, ("Ann", "Bob"))
    assert [plain(line) for line in lines] == ["f2 is not your house."]


def test_of_a_card_that_no_option_takes_the_printed_text_is_told() -> None:
    assert told("rope")[-1] == told("Rope")[-1] == "Rope: It ties two wares. · It is long."
    assert "Rope: " not in "\n".join(told("buy rope"))


def test_an_action_that_is_not_open_is_meant_before_another_whose_name_has_the_word() -> None:
    assert told("Trade") == told("trade") == ["The stall is shut."]
    assert told("go on") == ["“Go on” is open to you."]


DIALS = """
game: {id: dials, name: Dials, version: "1", language: 2, players: 2}
enums:
  Side: {left_side: {label: left dial}, right_side: {label: right dial}}
  Face: {fire_ball: {label: Fireball}, ice_wall: {label: Ice wall}, rest: {label: Rest}}
variables:
  shown: {per: [Side], type: Face, start: rest}
  coins: {type: Int, start: 2, label: coins}
tables:
  faces:
    per: [Side]
    type: "List[Face]"
    values: {left_side: [fire_ball, rest], right_side: [ice_wall, rest]}
actions:
  pay: {choose: n in 1..coins, do: decrease coins by n}
phases:
  - id: turn
    do: |
      by players.first:
        choose side in Side, face in faces[side], prompt "Turn which dial?", label "{face} on the {side}":
          set shown[side] to face
  - id: paying
    label: Paying
    do: "by players.first: take action pay"
scoring: {rank: ["1"]}
"""


@cache
def dials() -> Match:
    return Match(Game(checked(DIALS, "dials.yaml"), 2), [create_bot("random", 1, seat) for seat in range(2)], 1)


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ("ice wall left", "Ice wall can't be chosen here; you can choose: Fireball, Rest."),
        ("left ice wall", "Ice wall can't be chosen here; you can choose: Fireball, Rest."),
        ("left rest", "“Rest on the left dial” is open to you."),
        ("left nonsense", "“nonsense” can't be chosen here; you can choose: Fireball, Rest."),
        ("pay", "You can't do this now; it belongs to “Paying”."),
        ("something else", "There is no option “something else” now."),
    ],
)
def test_players_are_answered_in_their_words_in_any_order(wanted: str, answer: str) -> None:
    question = build_screen(dials(), 0, ("Ann", "Bob")).question
    assert question is not None
    lines = explain_why_not(wanted, dials().game, dials().state, question, ("Ann", "Bob"))
    assert [plain(line) for line in lines] == [answer]


def test_an_answer_has_one_mark_at_its_end() -> None:
    for wanted in ("buy hatt", "drop hot", "buy hat", "nothing"):
        assert not any("?." in line or ".." in line for line in told(wanted))
    assert any(line.endswith("?") for line in told("buy hatt"))


AGAIN = """\
game: {id: again, name: Again, version: "1.0", language: 2, players: 1}
enums: {Tree: {oak: {label: Oak}, elm: {label: Elm}, ash: {label: Ash}}}
variables: {felled: {type: Bool, per: [Tree], start: false}}
effects:
  fell:
    per: Player
    do: |
      choose tree in Tree where not felled[it], prompt "Which tree?", label "Fell {tree}":
        set felled[tree] to true
actions:
  clear:
    label: Clear the wood
    do: |
      fell()
      fell()
  rest: {label: Rest, do: "set felled[oak] to true"}
phases:
  - id: turn
    do: |
      by players.first:
        fell()
        fell()
        set felled[oak] to false
        set felled[elm] to false
        set felled[ash] to false
        take action clear, rest
scoring: {rank: ["1"]}
"""


def test_a_question_is_asked_again_only_within_one_option() -> None:
    """Effects that follow each other ask two questions, of which each is numbered from 1."""
    match = Match(Game(checked(AGAIN, "again.yaml"), 1), [create_bot("random", 1, 0)], 1)
    found = []
    while match.decision is not None:
        question = build_screen(match, 0, ("Ann",)).question
        assert question is not None
        found.append((len(question.options), question.is_asked_again))
        match.take(0)
    assert found == [(3, False), (2, False), (2, False), (3, False), (2, True)]


def test_what_the_label_of_an_option_names_is_not_closed() -> None:
    """The label names what happens, which is no value of the choice."""
    match = Match(bundled_game("empire-engine", 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    question = build_screen(match, 0, ("Ann", "Bob")).question
    while question is None or "Gear" not in plain(question.prompt):
        match.take(0)
        question = build_screen(match, 0, ("Ann", "Bob")).question
    named = {run.of for option in question.options for run in option.label if run.of.startswith("Action:")}
    assert named
    for of in named:
        assert not describe_reasons(of, match.game, match.state, question, ("Ann", "Bob"))


SHOP = """
game: {id: shop, name: Shop, version: "1", language: 2, players: 2}
components: {Ware: {fields: {price: Int}}}
cards:
  axe: {kind: Ware, label: Axe, fields: {price: 4}}
  pot: {kind: Ware, label: Pot, fields: {price: 1}}
  saw: {kind: Ware, label: Saw, fields: {price: 1}}
variables:
  coins: {per: [Player], type: Int, start: 2, label: coins}
zones:
  chest: {holds: Ware, start: all Ware}
  hand: {per: [Player], holds: Ware, visible: owner}
  stall: {holds: Ware}
setup: |
  move saw to players.first.next.hand
  for each w in [axe, pot]: move w to players.first.hand
actions:
  walk: {label: Walk, do: increase coins by 1}
  rest: {label: Rest, do: decrease coins by 1}
  show: {label: "Show {w}", choose: w in hand where coins >= w.price, do: move w to stall}
effects:
  walking: {per: Player, do: "take action walk, rest"}
  showing: {per: Player, do: "take action show, rest"}
phases:
  - {id: way, label: Way, do: "by players.first: walking()"}
  - {id: fair, label: Fair, do: "by players.first: showing()"}
scoring: {rank: [coins]}
"""


def test_of_a_card_that_only_another_phase_takes_that_phase_is_told_and_what_it_lacks_there() -> None:
    match = Match(Game(checked(SHOP, "shop.yaml"), 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    question = build_screen(match, 0, ("Ann", "Bob")).question
    assert question is not None

    def told(wanted: str) -> list[str]:
        return [plain(line) for line in explain_why_not(wanted, match.game, match.state, question, ("Ann", "Bob"))]

    assert told("axe") == ["You can show Axe only in “Fair”.", "Show: needs 4 coins, and you have 2."]
    assert told("Pot") == ["You can show Pot only in “Fair”."]
    assert told("saw") == ["There is no option “saw” now."], "another player holds it"


@pytest.mark.parametrize("asked", ["north street", "North", "go to north street"])
def test_a_space_is_not_explained_by_a_card_that_shares_a_word_with_it(asked: str) -> None:
    """There is a card called Street Orator."""
    match = match_of("empire-city")
    question = build_screen(match, 0, ("Ann", "Bob")).question
    assert question is not None
    (told,) = map(plain, explain_why_not(asked, match.game, match.state, question, ("Ann", "Bob")))
    assert told == "No option leads to North Street now. Such options belong to “Start Step” or “Action Step”."
    (_, told) = map(plain, describe_reasons("Space:north_street", match.game, match.state, question, ("Ann", "Bob")))
    assert told.startswith("Not now. No option leads to North Street now.")


def test_an_open_space_is_not_explained_by_a_card_that_shares_a_word_with_it() -> None:
    """There is a card called Lesser Chimera."""
    match = Match(bundled_game("empire-city", 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    for number in range(20):
        assert match.decision is not None
        match.take((7 * number + 1) % len(match.decision.options))
    assert match.decision is not None
    question = build_screen(match, match.decision.seat, ("Ann", "Bob")).question
    assert question is not None
    lines = explain_why_not("chimera", match.game, match.state, question, ("Ann", "Bob"))
    assert [plain(line) for line in lines] == ["“Fugitive stays in Chimera (nothing happens)” is open to you."]


def test_the_beginning_of_an_action_of_another_step_says_where_it_belongs() -> None:
    match = match_of("empire-city")
    (reason,) = match.game.explain_impossible(match.state, "move")
    assert reason.message == "you can't do this now; it belongs to “Action Step”"
