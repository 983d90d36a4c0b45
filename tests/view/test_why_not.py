"""Test why an option isn't available: the failing part, the values it read, its location, and that no secret leaks."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from programs import checked

from lusory.game import ENGINES, Game
from lusory.state.decisions_outcomes_and_faults import IllegalChoice, Option, Reason
from lusory.state.setting_and_builtin_functions import ForcedChance
from lusory.state.state import State

MARKET = """
game: {id: market, name: Market, version: "1", language: 2, players: 2..3}
resources: {coin: {label: Coin, plural: coins}, gem: {label: Gem, plural: gems}}
enums: {Weather: {sun: {label: Sunshine}, rain: {label: Rain}}}
components:
  Ware:
    fields: {price: Int, heavy: Bool}
    actions: {wear: {}}
cards:
  hat:
    kind: Ware
    label: Straw hat
    copies: 2
    fields: {price: 2, heavy: false}
    actions: {wear: {do: announce "hat"}}
  stove: {kind: Ware, label: Stove, fields: {price: 9, heavy: true}}
  cloak: {kind: Ware, label: Cloak, fields: {price: 1, heavy: false}, actions: {wear: {do: announce "cloak"}}}
zones:
  stall: {label: Stall, holds: Ware}
  shed: {label: Shed, holds: Ware, start: all Ware, visible: nobody}
  cart: {label: cart, per: [Player], holds: Ware, visible: owner}
  purse: {label: purse, per: [Player], holds: Resource, kinds: [coin], start: {coin: 3}}
  till: {label: Till, holds: Resource}
variables:
  weather: {type: Weather, start: sun}
  closed: {type: Bool, start: false}
  luck: {type: Int, start: 4, visible: nobody}
  day: {type: Int, start: 1}
queries:
  affordable: {per: Player, value: stall where it.price <= purse.coin}
  may_haggle: {per: Player, value: "day >= 2 and not closed"}
  may_sing: {per: Player, value: "true"}
rules:
  silence: {rule: "while weather is sun: may_sing is false"}
actions:
  buy:
    label: "Buy {ware}"
    choose: ware in affordable
    cost: move ware.price coins from purse to till
    do: move ware to cart
  haggle: {if: may_haggle, do: announce "cheaper"}
  sing: {if: may_sing, do: announce "la"}
  dance: {label: "Dance in the {weather}", if: "weather is rain or day > 3", do: announce "hop"}
  toast: {cost: move 5 coins from purse to till, do: announce "cheers"}
  lift: {choose: ware in stall where not it.heavy, do: move ware to cart}
  gamble: {if: luck > 7, do: announce "won"}
  wager: {choose: "n in 1..purse.coin", do: "decrease luck by n"}
  greet: {choose: "whom in players where whom is not me", do: 'announce "hello {whom}"'}
  praise: {if: all(w.price > 2 for w in stall), do: 'announce "fine wares"'}
  nap: {do: announce "zzz"}
phases:
  - id: morning
    label: Morning
    do: |
      move stove to stall
      move hat to stall
      by players.first:
        take action buy, haggle, sing, dance, toast, lift, gamble, wager, greet, praise, wear of cart, nap
  - id: evening
    label: Evening
    do: |
      by players.first:
        choose prompt "And now?":
          option sleep: announce "zzz"
          option read with n in 1..2: announce "{n}"
scoring: {rank: [purse.coin]}
"""


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
        (
            "greet P1",
            "`whom is not me` is false",
            ("`whom` is P1, needs anything but P1 (`me`)",),
            "whom is not me",
        ),
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

LOCALS = """
game: {id: seance, name: Seance, version: "1", language: 2, players: 2}
components: {Card: {fields: {worth: Int}}}
cards:
  ace: {kind: Card, fields: {worth: 9}}
  ten: {kind: Card, fields: {worth: 5}}
  two: {kind: Card, fields: {worth: 2}}
zones:
  deck: {holds: Card, start: all Card, visible: nobody}
variables:
  held: {type: "Card?", per: [Player], start: none, visible: owner}
effects:
  answer:
    per: Player
    params: {shown: Card, n: Int}
    do: |
      choose prompt "Guess":
        option high if shown.worth > 20: announce "high"
        option low if n > 20: announce "low"
        option mine with k in 1..2 if held is not none: announce "{k}"
        option wait: announce "no"
        option leave: announce "no"
phases:
  - id: look
    do: |
      by players.first:
        pick secret card in deck at random:
          set held to card
          let own = card.worth
          choose prompt "Yours?":
            option keen if own > 20: announce "keen"
            option wait: announce "no"
            option leave: announce "no"
          me.next.answer(card, own)
scoring: {rank: [me.seat]}
"""


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


YARD = """
game: {id: yard, name: Yard, version: "1", language: 2, players: 2}
resources: {wood: {label: Wood}}
variables:
  due: {type: Bool, per: [1..2], start: true, doc: Whether an order has still to be answered.}
  shut: {type: Bool, start: false, doc: The gate.}
  extra: {type: Int, start: 2}
zones:
  stock: {label: stock, per: [Player], holds: Resource, start: {wood: 1}}
  heap: {label: wood, per: [Player], holds: Resource}
  bank: {holds: Resource}
queries:
  factor: {params: {n: Int}, value: n * 2}
  carriers: {per: Player, value: "take([1, 2], 0)"}
actions:
  hire: {choose: porter in carriers, do: set extra to porter}
  load: {choose: "n in [1, 2], porter in carriers", do: set extra to porter}
  sell: {if: heap.wood >= extra + 5, do: set extra to 3}
  build: {if: "stock.wood >= factor(2) + (if extra = 2 then 1 else extra * 3)", do: set extra to 3}
  finish: {if: "all(not due[n] for n in 1..2)", do: set shut to true}
  open: {if: shut, do: set shut to false}
  swap: {if: "factor(extra + 1) mod 4 = 3 or extra * extra > 90", do: set extra to 3}
  wait: {do: set shut to false}
  pay:
    do: |
      choose n in 1..2, prompt "With what do you pay?": set due[n] to false
phases:
  - id: late
    label: Late
    while: shut
    at_most: 2
    do: |
      by players.first: take action finish, pay
  - id: work
    label: Work
    at_most: 3
    do: |
      by players.first: take action build, finish, open, swap, pay, hire, load, sell, wait
scoring: {rank: [stock.wood]}
"""


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


CELLAR = """
game: {id: cellar, name: Cellar, version: "1", language: 2, players: 2}
resources: {wine: {label: bottle, plural: bottles}}
components:
  Cask: {fields: {size: Int}, queries: {full: {type: Bool, phrase: "{this} is full", value: "this.size > 3"}}}
cards:
  tun: {kind: Cask, label: Tun, fields: {size: 5}}
  keg: {kind: Cask, label: Keg, fields: {size: 2}}
zones:
  shelf: {label: Shelf, holds: Cask, start: all Cask}
  rack: {label: Rack, per: [Player], holds: Cask}
  stock: {per: [Cask], holds: Resource, start: {wine: 1}}
variables:
  locked: {type: Bool, per: [Player], start: true, phrase: "{me} is locked in"}
  sold: {type: Bool, start: false, doc: Whether anything has been sold today.}
  steps: {type: Int, start: 2, phrase: the number of steps to the door}
queries:
  room: {per: Player, params: {cask: Cask}, phrase: "places for {cask}", value: 1}
  all_wine: {params: {kind: Resource}, value: "sum(stock[c][kind] for c in shelf)"}
  sealed: {per: Player, value: rack where it.size > 1}
actions:
  roll: {choose: cask in shelf where not cask.full, do: move cask to rack}
  fill: {choose: cask in shelf where cask.full or not locked, do: move cask to rack}
  leave: {if: not locked, do: set sold to true}
  return_it: {if: sold, do: set sold to false}
  jump: {if: steps < 2, do: set sold to false}
  stow: {if: room(tun) >= 3, do: set sold to false}
  drink: {if: all_wine(wine) >= 4, do: set sold to false}
  open: {if: rack is not empty, do: set sold to false}
  unseal: {if: sealed is not empty, do: set sold to false}
  swap: {choose: cask in rack, do: move cask to shelf}
  wait: {do: set sold to false}
phases:
  - id: work
    at_most: 3
    do: |
      by players.first: take action roll, fill, leave, return_it, jump, stow, drink, open, unseal, swap, wait
scoring: {rank: ["1"]}
"""


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
