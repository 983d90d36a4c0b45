"""What is answered to ``why THING``."""

from __future__ import annotations

from functools import cache

from programs import checked

from lusory.game import Game
from lusory.play.match import Match
from lusory.play.players import bot
from lusory.screen.asking import asked_why
from lusory.screen.making import screen_of
from lusory.screen.text import plain

RULES = """
game: {id: stall, name: Stall, version: "1", language: 2, players: 2}
components: {Ware: {fields: {cost: Int}}}
cards:
  hat: {kind: Ware, label: Hat, fields: {cost: 4}}
  pin: {kind: Ware, label: Pin, fields: {cost: 1}}
zones:
  stock: {holds: Ware, start: all Ware}
  heap: {holds: Ware}
variables:
  coins: {type: Int, start: 2, label: coins}
  closed: {type: Bool, start: true, label: closed}
actions:
  buy: {choose: ware in stock where coins >= ware.cost, do: move ware to heap}
  trade: {if: not closed, choose: ware in stock, do: move ware to heap}
  drop: {choose: ware in stock, do: move ware to heap}
  stop_trade: {label: Go on, do: set coins to 0}
phases: [{id: turn, do: "by players.first: take action buy, trade, drop, stop_trade"}]
scoring: {rank: ["1"]}
"""


@cache
def match() -> Match:
    return Match(Game(checked(RULES, "stall.yaml"), 2), [bot("random", 1, seat) for seat in range(2)], 1)


def told(wanted: str) -> list[str]:
    question = screen_of(match(), 0, ("Ann", "Bob")).question
    assert question is not None
    return [plain(line) for line in asked_why(wanted, match().game, match().state, question, ("Ann", "Bob"))]


def test_of_a_thing_that_can_be_used_it_is_told_what_else_it_would_take() -> None:
    first, *more = told("hat")
    assert first == "“Drop Hat” is open to you."
    assert len(more) == 1 and more[0].startswith("Buy is not open: coins is 2, needs at least 4")
    assert told("drop hat") == [first]


def test_an_action_that_is_not_open_is_meant_before_another_whose_name_has_the_word() -> None:
    assert told("Trade") == told("trade") == ["Closed is yes, needs to be no."]
    assert told("go on") == ["“Go on” is open to you."]


def test_an_answer_has_one_mark_at_its_end() -> None:
    for wanted in ("buy hatt", "drop hot", "buy hat", "nothing"):
        assert not any("?." in line or ".." in line for line in told(wanted))
    assert any(line.endswith("?") for line in told("buy hatt"))
