"""Test why an option isn't available: the failing part, the values it read, its location, and that no secret leaks."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from programs import checked, read_rules

from lusory.game import ENGINES, Game
from lusory.state.decisions_outcomes_and_faults import IllegalChoice, Option, Reason
from lusory.state.setting_limits_forced_chance_and_names import ForcedChance
from lusory.state.state import State

MARKET = read_rules("market")


program = cache(checked)


@pytest.fixture(params=ENGINES)
def market(request: pytest.FixtureRequest) -> Game:
    return Game(program(MARKET), engine=request.param)


@pytest.mark.parametrize(
    ("wanted", "message", "facts", "place"),
    [
        (
            "buy stove",
            "`it.price <= purse.coin` is false",
            ("`purse.coin` is 3, needs at least 9 (`it.price`)",),
            "it.price <= purse.coin",
        ),
        ("Buy Stove", "`it.price <= purse.coin` is false", None, "it.price <= purse.coin"),
        ("buy hat-2", "`hat-2` is not in `stall`", (), "stall"),
        ("buy sto", "`it.price <= purse.coin` is false", None, "it.price <= purse.coin"),
        ("buy clo", "`cloak` is not in `stall`", None, "stall"),
        ("buy s", "`s` is no ware: it is one of: hat", (), "affordable"),
        ("buy hut", "`hut` is no ware: did you mean `hat`?", (), "affordable"),
        ("haggle", "`day >= 2` is false", ("`day` is 1, needs at least 2",), "day >= 2"),
        ("sing", "the rule `silence` makes `may_sing` false", (), None),
        (
            "dance",
            "`weather is rain or day > 3` is false",
            ("`weather` is Sunshine, needs Rain", "`day` is 1, needs more than 3"),
            "weather is rain or day > 3",
        ),
        (
            "toast",
            "the cost `move 5 coins from purse to till` can't be paid",
            ("P1's purse: 3 Coins, needs at least 5",),
            "move 5 coins from purse to till",
        ),
        ("lift stove", "`not it.heavy` is false", (), "not it.heavy"),
        ("gamble", "`luck > 7` depends on what you can't see", (), "luck > 7"),
        ("wager 4", "`4` is not in `1..purse.coin`", ("at most 3 (`purse.coin`) can be chosen",), "1..purse.coin"),
        ("greet P1", "`whom is not me` is false", ("`whom` is P1, needs anything but P1 (`me`)",), "whom is not me"),
        ("greet P2 twice", "write it as `greet <whom>`", (), None),
        (
            "praise",
            "`all(w.price > 2 for w in stall)` is false",
            ("Straw hat: `w.price` is 2, needs more than 2",),
            "all(w.price > 2 for w in stall)",
        ),
        ("wear", "none of these cards has the action `wear`", (), "wear"),
        ("wear straw hat", "`hat` is not one of the cards that offer `wear` here", None, "wear"),
        ("wear stove", "`stove` has no action `wear`", (), None),
        ("sleep", "`sleep` is not offered here; it belongs to “Evening”", (), None),
        ("nab", "there is no option `nab`: did you mean `nap`?", (), None),
    ],
)
def test_the_part_that_fails_is_named(
    market: Game, wanted: str, message: str, facts: tuple[str, ...] | None, place: str | None
) -> None:
    (reason,) = market.explain_impossible(market.start(), wanted)

    assert reason.message == message
    assert facts is None or reason.facts == facts
    if place is not None:
        assert reason.span is not None
        assert reason.span.source.text[reason.span.start : reason.span.end] == place


def test_an_option_that_is_none_is_spoken_of_as_well(market: Game) -> None:
    state = market.start()
    heavy = Option(0, 0, (market.program.component_kinds["Ware"][0] + 2,))
    (reason,) = market.explain_impossible(state, heavy)

    assert reason.message == "`it.price <= purse.coin` is false"
    with pytest.raises(IllegalChoice) as caught:
        market.apply(state, heavy)
    assert caught.value.reasons == [reason]
    assert "is no answer to this question" in market.explain_impossible(state, Option(0, 99, ()))[0].message


def test_an_author_sees_all_of_it(market: Game) -> None:
    (reason,) = market.explain_impossible(market.start(), "gamble", sees_all=True)

    assert reason.facts == ("`luck` is 4, needs more than 7",)


def test_where_nothing_can_be_chosen_each_candidate_says_why(market: Game) -> None:
    state = market.start()
    state.cells[market.layout.places["purse"].at((0, 0))] = 1
    (reason,) = market.explain_impossible(state, "buy")

    assert reason.message == "there is nothing to choose for `ware`"
    assert reason.facts == (
        "Stove: `purse.coin` is 1, needs at least 9 (`it.price`)",
        "Straw hat: `purse.coin` is 1, needs at least 2 (`it.price`)",
    )
    (reason,) = market.explain_impossible(state, "buy", plainly=True)
    assert reason.message == "there is no Ware to choose"
    (reason,) = market.explain_impossible(state, "sleep", plainly=True)
    assert reason.message == "you can't do this now; it belongs to “Evening”"


def test_a_player_is_told_a_range_in_numbers(market: Game) -> None:
    (reason,) = market.explain_impossible(market.start(), "wager 4", plainly=True)
    assert reason.message == "you can choose 1 to 3, not 4"
    assert reason.facts == ()


def test_a_value_of_two_lists_lacks_what_the_first_one_asks() -> None:
    rules = MARKET.replace("stall where it.price <= purse.coin", "(stall where it.price <= purse.coin) union cart")
    market = Game(program(rules))
    (reason,) = market.explain_impossible(market.start(), "buy stove")
    assert reason.message == "`it.price <= purse.coin` is false"


def test_as_many_are_to_be_picked_as_there_are() -> None:
    game = Game(checked(ORDERED))
    (reason,) = game.explain_impossible(game.start(), "done")
    assert reason.message == "you must pick at least 4"


# ---------------------------------------------------------------- secrets

ORDERED = """
game: {id: ranks, name: Ranks, version: "1", language: 2, players: 2}
phases:
  - id: rank
    do: |
      by players.first:
        order fruits in 1..4, prompt "Which fruit first?"
scoring: {rank: [1]}
"""

LOCALS = read_rules("seance")


def _seance(engine: str, card: int) -> tuple[Game, State, State]:
    """Return the game, the first decision of the player who knows the card, and the second of the one who doesn't."""
    game = Game(program(LOCALS), engine=engine)
    first = game.start(forced=ForcedChance(picks=[card]))
    return game, first, game.apply(first, "wait")


@pytest.mark.parametrize("engine", ENGINES)
def test_what_another_picked_in_secret_is_not_told(engine: str) -> None:
    told: list[list[list[Reason]]] = []
    for card in (0, 1, 2):
        game, _, second = _seance(engine, card)
        told.append([game.explain_impossible(second, wanted) for wanted in ("high", "low", "mine 1", "mine 7")])

    assert told[0] == told[1] == told[2]
    assert [reason.message for reason in told[0][0]] == ["`shown.worth > 20` depends on what you can't see"]
    assert [reason.message for reason in told[0][1]] == ["`n > 20` depends on what you can't see"]


@pytest.mark.parametrize("engine", ENGINES)
def test_who_knows_a_secret_is_told_of_it(engine: str) -> None:
    game, first, _ = _seance(engine, 1)
    (reason,) = game.explain_impossible(first, "keen")

    assert reason.facts == ("`own` is 5, needs more than 20",)


def test_what_is_hidden_in_the_position_changes_nothing(market: Game) -> None:
    """Other values of the secret and other orders of hidden cards must give the same answers."""
    state = market.start()
    other = state.copy()
    other.cells[market.layout.places["luck"].at(())] = 5
    shed = market.layout.zones["shed"].at(())
    other.zones[shed] = other.zones[shed][::-1]
    other.cached_decision = None
    wanted: list[Any] = ["gamble", "buy cloak", "buy hat-2", "wear cloak", "lift cloak", "sing", "toast"]

    assert [market.explain_impossible(state, w) for w in wanted] == [
        market.explain_impossible(other, w) for w in wanted
    ]


YARD = read_rules("yard")


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("build", "needs 5 Wood, and P1's stock has 1"),
        ("hire", "there is no porter now"),
        ("load 1", "there is no porter for 1 now"),
        ("sell", "needs 7 Wood, and P1 has 0"),
        ("finish", "1: an order has still to be answered"),
        ("open", "you can't do this now"),
        ("swap", "you can't do this now"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_players_never_read_code(wanted: str, words: str, engine: str) -> None:
    game = Game(program(YARD), engine=engine)
    told = str(
        [(reason.message, reason.facts) for reason in game.explain_impossible(game.start(), wanted, plainly=True)]
    )
    assert words in told
    assert not any(sign in told for sign in ("extra", "factor(", " * ", " then ", "due"))


@pytest.mark.parametrize("engine", ENGINES)
def test_what_stands_beside_a_question_in_its_own_phase_is_not_for_another_one(engine: str) -> None:
    game = Game(program(YARD), engine=engine)
    state = game.apply(game.start(), "pay")
    (reason,) = game.explain_impossible(state, "finish", plainly=True)
    assert reason.message == "answer this question first, or undo the decision before it"


CELLAR = read_rules("cellar")


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("roll tun", "Tun is full"),
        ("fill keg", "Keg is not full and P1 is locked in"),
        ("leave", "P1 is locked in"),
        ("return it", "anything has not been sold today"),
        ("jump", "the number of steps to the door is 2, but must be less than 2"),
        ("stow", "needs 3 places for Tun, and P1 has 1"),
        ("drink", "needs 4 bottles, and there are 2"),
        ("open", "there are no casks in P1's Rack"),
        ("unseal", "P1 has no sealed"),
        ("swap keg", "Keg is in Shelf, not in P1's Rack"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_players_read_sentences_with_the_words_of_the_author(wanted: str, words: str, engine: str) -> None:
    game = Game(program(CELLAR), engine=engine)
    (reason,) = game.explain_impossible(game.start(), wanted, plainly=True)
    assert (reason.message, reason.facts) == (words, ())
