"""What a seat has learned, and the worlds that agree with it."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import pytest
from engines import checked, made as written
from programs import checked as read
from worlds.laws import Found, tried

from lusory.game import ENGINES, Game
from lusory.table.choices import RulesetFault
from lusory.table.events import Event, redacted
from lusory.table.state import State
from lusory.worlds.cards import among
from lusory.worlds.facts import Facts
from lusory.worlds.fortune import Fortune, Guide, Lots
from lusory.worlds.knowledge import Knowledge, World
from lusory.worlds.observed import observed
from lusory.worlds.revising import Reviser
from lusory_dsl import load_program
from lusory_dsl.core import Program

ROOT = Path(__file__).resolve().parents[2] / "rulesets"


@cache
def program(name: str) -> Program:
    return load_program(ROOT / name)


@cache
def game_of(name: str, players: int) -> Game:
    """Made once: what is generated for a large game takes longer than a test."""
    return Game(program(name), players)


def after(
    game: Game, decisions: int, seed: int = 1, seats: Sequence[int] | None = None
) -> tuple[State, list[Knowledge]]:
    """A game of random play, and what each seat has learned, or some of them."""
    rnd, log, seats = Random(seed), list[Event](), range(game.players) if seats is None else seats
    state, known = game.start(seed, log), [Knowledge(game, seat) for seat in seats]
    for made in range(decisions + 1):
        for seat, knowledge in zip(seats, known, strict=True):
            knowledge.learn(game.view(state, seat), redacted(log, seat, game))
        decision = game.decision(state)
        if decision is None or made == decisions:
            break
        log.clear()
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    return state, known


@pytest.mark.parametrize("engine", ENGINES)
def test_where_nothing_is_hidden_a_world_is_the_position_with_fresh_chance(engine: str) -> None:
    game = Game(program("classics/tic-tac-toe"), engine=engine)
    state, known = after(game, 4)
    for seat, knowledge in enumerate(known):
        (world,) = knowledge.worlds(1, 7)
        assert world.exact
        assert world.state.cells[: game.layout.repeats_at] == state.cells[: game.layout.repeats_at]
        assert observed(game.view(state, seat), ()) == observed(knowledge.game.view(world.state, seat), ())


def test_the_same_stream_gives_the_same_worlds_and_others_others() -> None:
    game = Game(program("templates/market-day"))
    _, known = after(game, 4)
    assert known[0].worlds(3, 1) == known[0].worlds(3, 1)
    assert known[0].worlds(3, 1) != known[0].worlds(3, 2)


def test_knowledge_can_be_kept_and_copied() -> None:
    game = Game(program("templates/market-day"))
    _, (knowledge, _) = after(game, 4)
    again = pickle.loads(pickle.dumps(knowledge)).at(game)
    assert again.worlds(2, 1) == knowledge.worlds(2, 1) == knowledge.copy().worlds(2, 1)


def test_where_no_world_ever_agreed_with_all_none_is_looked_for_without_end() -> None:
    game = Game(program("templates/market-day"))
    _, (knowledge, _) = after(game, 0)
    knowledge.particles = [one._replace(exact=False) for one in knowledge.particles]
    knowledge._keep(0)
    assert knowledge._found_again(1, Fortune(1, "a test"), 1) == []


def test_what_another_seat_sees_is_refused() -> None:
    game = Game(program("templates/market-day"))
    with pytest.raises(ValueError, match="another seat"):
        Knowledge(game, 0).learn(game.view(game.start(1), 1), [])


SETTINGS: list[tuple[str, int, dict[str, object], int, bool]] = [
    ("classics/kuhn-poker", 2, {}, 9, True),
    ("classics/leduc-poker", 2, {}, 9, True),
    ("classics/connect-four", 2, {}, 9, True),
    ("templates/market-day", 2, {}, 9, True),
    ("templates/market-day", 4, {}, 5, True),
    ("nano-empire", 1, {}, 5, True),
    ("classics/love-letter", 2, {}, 9, False),
    ("classics/love-letter", 4, {}, 5, True),
    ("classics/hearts", 4, {}, 9, False),
    ("classics/hearts", 4, {"passing": "keep"}, 5, False),
    ("empire-engine", 2, {}, 9, True),
    ("empire-engine", 3, {"event_log": "private", "hidden_scores": True}, 9, True),
    ("empires-end", 2, {}, 5, False),
    ("engines-of-war", 2, {}, 5, True),
    ("empire-city", 2, {}, 2, True),
]
"""Every ruleset in which something is hidden: players, options, decisions, and whether all steps are found to lead to
what a world is; ``python -m tests.worlds`` tries them with all values of their options."""


@pytest.mark.parametrize(("name", "players", "options", "most", "is_retold"), SETTINGS)
def test_worlds_show_what_the_seat_sees_and_know_no_more(
    name: str, players: int, options: dict[str, object], most: int, is_retold: bool
) -> None:
    game, found = Game(program(name), players, options) if options else game_of(name, players), Found()
    for seed in range(2 if most > 5 else 1):
        tried(game, seed, found, most=most, every=2)
    assert not found.broken
    assert found.exact == found.worlds > 0
    assert found.retold == found.exact or not is_retold


def test_how_long_was_looked_before_changes_no_world() -> None:
    """Where worlds hang on several steps, asking for some leaves nothing behind that the next ones would hang on."""
    found = Found()
    tried(Game(program("classics/demesne")), 1, found, most=11, every=5)
    assert not found.broken
    assert found.retold == found.exact == found.worlds > 0


def test_after_a_wrong_guess_nobody_holds_what_was_guessed() -> None:
    """One card of a dozen makes the difference, where a step is tried with the others dealt anew."""
    found = Found()
    tried(game_of("classics/love-letter", 4), 1, found, most=30, every=3)
    assert found.retold == found.exact >= 40


def test_long_offers_lose_no_world() -> None:
    """One of them is made of 26 secret answers."""
    found = Found()
    tried(game_of("engines-of-war", 2), 2, found, most=45, every=3)
    assert not found.broken
    assert found.exact == found.worlds > 0


@pytest.mark.parametrize("number", [4, 20, 42, 90, 94])
def test_worlds_of_random_rulesets_keep_the_laws(number: int) -> None:
    """Rulesets with secrets among those that the makers write."""
    made_program = checked(written(number))
    assert made_program is not None
    game, found = Game(made_program), Found()
    assert not Facts(game.in_code).is_open
    with suppress(RulesetFault):  # what the makers write may come to an end in a fault, as any game of theirs
        tried(game, 1, found, most=12, every=2)
    assert not found.broken
    assert found.exact == found.worlds > 0


LOST = [
    ("classics/hearts", 4, 6, 33, 0),  # a card seemed barred from a hand, but what went in its place could not be there
    ("classics/hearts", 4, 5, 44, 3),
    ("empires-end", 4, 0, 0, 0),  # two cards lie in each other's places
    ("classics/love-letter", 4, 3, 15, 2),  # what is shown before all is shuffled lay where it was shown
    ("classics/love-letter", 4, 0, 58, 0),  # who had no choice holds copies of the card that was taken
    ("classics/love-letter", 4, 3, 24, 1),  # a text names cards of which there are several
    ("classics/demesne", 4, 1, 27, 0),  # another phase begins, since somebody else holds what can be played
    ("classics/demesne", 2, 0, 38, 0),  # a card that was kept while others were shuffled is exchanged for one of them
]
"""Ruleset, players, seed, decision and seat where worlds were lost, each with the reason."""


@pytest.mark.parametrize(("name", "players", "seed", "decisions", "seat"), LOST)
def test_worlds_are_found_where_they_were_lost(name: str, players: int, seed: int, decisions: int, seat: int) -> None:
    knowledge = followed(Game(program(name), players), seed, decisions, seat, is_found_again=False)
    assert all(particle.exact for particle in knowledge.particles)


def followed(game: Game, seed: int, decisions: int, seat: int, is_found_again: bool) -> Knowledge:
    """What one seat has learned in a game of random play; whether worlds are looked for again in the last step."""
    rnd, log = Random(seed), list[Event]()
    state, knowledge = game.start(seed, log), Knowledge(game, seat)
    for _ in range(decisions):
        knowledge.learn(game.view(state, seat), redacted(log, seat, game))
        decision = game.decision(state)
        assert decision is not None
        log.clear()
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    if not is_found_again:
        knowledge._found_again = lambda *_: []  # type: ignore[method-assign]
    knowledge.learn(game.view(state, seat), redacted(log, seat, game))
    return knowledge


def test_what_several_others_answered_in_secret_is_taken_otherwise() -> None:
    """How far what is told agrees shows who must have answered otherwise, and what was told about whom shows what."""
    knowledge = followed(Game(program("empire-city"), 3), 0, 12, 0, is_found_again=True)
    assert all(particle.exact for particle in knowledge.particles)


def learned(name: str, seed: int, decisions: int, seat: int) -> tuple[State, Knowledge]:
    """A game of random play, and what one of two seats has learned."""
    state, (knowledge,) = after(game_of(name, 2), decisions, seed, [seat])
    return state, knowledge


@pytest.mark.parametrize(
    ("seed", "decisions", "seat"),
    [
        (3, 43, 0),  # an offer that is refused as it is sent: only words, and what is cleared, tell of it
        (15, 102, 0),  # in 18 answers: three requests in one order, and a card at any time
    ],
)
def test_what_somebody_put_together_in_private_is_found_when_it_is_told(seed: int, decisions: int, seat: int) -> None:
    _, knowledge = learned("engines-of-war", seed, decisions, seat)
    assert not any(knowledge.steps[-1 - n].events for n in range(1, 3))
    assert all(particle.exact for particle in knowledge.particles)
    for world in knowledge.worlds(2, 1):
        assert observed(knowledge.game.view(world.state, seat), ()).sight == knowledge.steps[-1].sight


LETTERS = """
game: {id: letters, name: Letters, version: "1", language: 2, players: 2}
enums:
  Colour: {red: {label: red}, green: {label: green}, blue: {label: blue}}
  Fruit: {apple: {label: apple}, pear: {label: pear}, plum: {label: plum}, fig: {label: fig}}
  Spot: {cellar: {label: cellar}, kitchen: {label: kitchen}, garden: {label: garden}}
variables:
  sent: {type: Bool, start: false}
  lines: {type: Int, start: 0, visible: sent}
  many: {type: Int, per: [1..4], start: 0, visible: sent}
  colour: {type: "Colour?", per: [1..4], start: none, visible: sent}
  fruit: {type: "Fruit?", per: [1..4], start: none, visible: sent}
  spot: {type: Spot, per: [1..4], start: cellar, visible: sent}
  days: {type: Int, start: 0}
queries:
  paint: {params: {n: Int}, value: 'if colour[n] is none then "" else "{colour[n]} "'}
  sort: {params: {n: Int}, value: 'if fruit[n] is none then "" else "{fruit[n]} "'}
  line: {params: {n: Int}, value: '"{many[n]} {paint(n)}{sort(n)}from the garden to the {spot[n]}"'}
effects:
  write_line:
    per: Player
    do: |
      privately:
        increase lines by 1
        choose secret n in 1..6: set many[lines] to n
        choose secret c in [none] union Colour: set colour[lines] to c
        choose secret f in [none] union Fruit: set fruit[lines] to f
        choose secret s in Spot: set spot[lines] to s
phases:
  - id: day
    while: days < 1
    at_most: 1
    do: |
      increase days by 1
      each player where it is first(players):
        privately:
          repeat while not sent, at most 20 times:
            choose prompt "What now?":
              option send "Send it" if lines > 0: set sent to true
              option more "One more line" if lines < 4: write_line()
        announce "{list(line(n) for n in 1..lines)}."
        for each n in 1..lines:
          set many[n] to 0
          set colour[n] to none
          set fruit[n] to none
          set spot[n] to cellar
        set lines to 0
        set sent to false
        choose prompt "Well?":
          option done "Done": set days to 1
          option over "Over": set days to 1
scoring: {rank: [days]}
"""


@pytest.mark.parametrize(
    "picks",
    [
        "1 0 2 1 - 1 0 1 3 0 - 0",  # 2 pear to the kitchen, 1 red fig to the cellar
        "2 0 0 2 - 1 1 0 1 1 - 1 2 3 2 2 - 0",  # 3 to the garden, 2 apple to the kitchen, 3 blue pear to the garden
    ],
)
def test_what_is_named_least_is_found_among_what_was_put_together(picks: str) -> None:
    """Nothing is said of what is none: a line that says less, or comes early, is answered as is one that says more."""
    game = Game(read(LETTERS))
    log = list[Event]()
    state, knowledge = game.start(1, log), Knowledge(game, 1)
    knowledge.learn(game.view(state, 1), redacted(log, 1, game))
    for pick in picks.replace("- ", "").split():
        log.clear()
        state = game.apply(state, int(pick), log)
        knowledge.learn(game.view(state, 1), redacted(log, 1, game))
    assert any(event[0] == "announce" for event in knowledge.steps[-1].events)
    assert all(particle.exact for particle in knowledge.particles)


def test_of_copies_only_the_first_is_offered_and_others_may_lie_with_who_chose_it() -> None:
    state, knowledge = learned("engines-of-war", 0, 49, 0)
    location, barred = knowledge.game.layout.location, set[int]()
    for particle in knowledge.particles:
        assert particle.exact
        barred |= {card for card, zones in particle.loose.items() if not zones >> state.cells[location + card] & 1}
    assert not barred


def test_a_shuffle_of_other_cards_keeps_the_order_of_those_that_stay() -> None:
    lots = Lots()
    guide = Guide((), Fortune(1, "a test"), lots)
    guide.order([1, 2, 3, 4])
    lots.orders[0][:] = [4, 2, 1, 3]
    for cards, order in (([5, 2, 3, 4], (4, 2, 5, 3)), ([2, 3, 4], (4, 2, 3)), ([2, 3, 4, 6], (4, 2, 3, 6))):
        again = Guide((), Fortune(1, "a test"), lots)
        assert again.order(cards) == (order,)


@pytest.mark.parametrize(
    ("names", "still", "found"),
    [
        ({1: 2, 2: 1}, {1, 2}, {1: 2, 2: 1}),
        ({1: 2, 2: 1}, {1}, {1: 2, 2: 1}),
        ({1: 2, 2: 1}, {3}, {}),
        ({1: 2, 2: 3, 3: 1}, {1}, {1: 2, 2: 1}),
        ({1: 4, 4: 5, 5: 2, 2: 1}, {1, 2}, {1: 4, 4: 2, 2: 1}),
    ],
)
def test_who_comes_among_those_that_lie_still_leaves_a_place_to_who_goes(
    names: dict[int, int], still: set[int], found: dict[int, int]
) -> None:
    assert among(names, still) == found


def test_secret_lists_and_wishes_that_come_to_light_are_taken_otherwise() -> None:
    """Which deck and which Law Board somebody brought, and where they would live, nobody is told; what is added to the
    Law, said later, and played tells of it."""
    _, known = after(game_of("empire-city", 2), 18)
    for knowledge in known:
        assert knowledge.particles[0].exact
        assert all(len(one.turns) == len(knowledge.steps) for one in knowledge.particles)
        for world in knowledge.worlds(2, 1):
            assert world.exact
            assert observed(knowledge.game.view(world.state, knowledge.seat), ()).sight == knowledge.steps[-1].sight


def test_the_last_steps_are_all_done_anew_with_what_came_to_light_and_lead_here() -> None:
    game = game_of("engines-of-war", 2)
    _, known = after(game, 22)
    redone = 0
    for knowledge in known:
        forked = [world for world in knowledge.particles if world.forks]
        reviser = Reviser(knowledge.follower, knowledge.steps, knowledge.revealed, Fortune(1, "a test"), 400)
        found = reviser.anew(forked, 2)
        assert bool(found) == bool(forked)
        for world in found:
            redone += 1
            assert world.exact
            assert len(world.turns) == len(knowledge.steps)
            seen = observed(knowledge.game.view(world.state, knowledge.seat), ()).sight
            assert seen == knowledge.steps[-1].sight
    assert redone


def test_of_words_a_seat_learns_nothing_of_who_else_heard_them() -> None:
    game = Game(program("templates/market-day"))
    assert redacted([("announce", "psst", 0b11), ("announce", "hush", 0b10)], 0, game) == [("announce", "psst", 0b01)]


class Cheater(Knowledge):
    """Knows the truth."""

    truth: State | None = None

    def worlds(self, n: int, stream: int) -> list[World]:
        assert self.truth is not None
        return [World(self.truth.copy(), exact=True) for _ in range(n)]


@pytest.mark.parametrize("name", ["classics/kuhn-poker", "templates/market-day", "empire-engine"])
def test_who_knows_the_truth_is_found_out(name: str) -> None:
    game, found = Game(program(name)), Found()
    for seed in range(6):
        tried(game, seed, found, most=6, every=1, makes=Cheater)
    assert any(words.endswith("other worlds with another truth") for words in found.broken)


def reachable(root: object) -> dict[int, object]:
    """All that can be reached from an object by its attributes and what it holds, but for the game and its rules."""
    found: dict[int, object] = {}
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if id(one) in found or isinstance(one, Game | Program | type | str | int | None):
            continue
        found[id(one)] = one
        waiting += [*one.values(), *one.keys()] if isinstance(one, dict) else []
        waiting += one if isinstance(one, list | tuple | set | frozenset) else []
        waiting += vars(one).values() if hasattr(one, "__dict__") else []
        waiting += [getattr(one, name) for name in getattr(type(one), "__slots__", ()) if hasattr(one, name)]
    return found


def test_nothing_of_the_position_can_be_reached() -> None:
    """Neither the position, nor one of its lists, nor one that holds what it does where something is hidden."""
    game = Game(program("templates/market-day"))
    state, known = after(game, 10)
    for knowledge in known:
        found = reachable(knowledge)
        held = [zone for zone, start in zip(state.zones, game.start(0).zones, strict=True) if zone is not start]
        assert not found.keys() & {id(state), id(state.cells), id(state.zones), *map(id, held)}
        assert not any(isinstance(one, State) and one.zones == state.zones for one in found.values())


def test_who_could_not_follow_suit_has_none_of_it() -> None:
    """What others play tells of what they hold: in each world whoever discarded on a suit has no card of it."""
    game = Game(program("classics/hearts"))
    cards, hands = game.program.entities, game.layout.zones["hand"]
    rnd, log, told = Random(3), list[Event](), 0
    state, knowledge = game.start(3, log), Knowledge(game, 0)
    led, without, looked = None, set[tuple[int, object]](), 0
    while (decision := game.decision(state)) is not None and len(knowledge.steps) < 40:
        for event in log[told:]:
            if event[0] == "set" and event[1] == "led":
                led = event[3]
            elif event[0] == "cards" and event[2] == "in_trick" and led is not None:
                suit, (seat,) = cards[event[1][0]].fields["suit"], event[3]
                if suit != led:
                    without.add((seat, led))
        knowledge.learn(game.view(state, 0), redacted(log[told:], 0, game))
        told = len(log)
        for world in knowledge.worlds(2, 1) if len(knowledge.steps) % 5 == 0 else ():
            for seat, suit in without - {(0, one) for one in range(4)}:
                assert world.exact
                assert suit not in [cards[card].fields["suit"] for card in world.state.zones[hands.at((seat,))]]
                looked += 1
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    assert looked
