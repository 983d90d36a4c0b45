"""A search finds what is plain to see, spends what it is given, and comes to the same wherever it runs."""

from __future__ import annotations

from functools import cache
from math import log
from pathlib import Path

import pytest
from programs import checked, harvest

from lusory.game import Game
from lusory.play.players.searching import taken
from lusory.search.analysis import HALVING, TREE, WAYS, Line, analyse, way_for
from lusory.search.cores import PYTHON
from lusory.search.effort import measured
from lusory.search.guidance import Guidance
from lusory.search.openness import is_open
from lusory.search.positions import Walker, pick
from lusory.search.sampling import Arms, flat, halving
from lusory.search.simulation import Setup
from lusory.search.tree import Tree, Tried, logarithm
from lusory.search.worth import Worth
from lusory.table.outcome import ranked
from lusory.table.state import State
from lusory_dsl.pipeline import load_program

ROOT = Path(__file__).parents[2]
BIDS = ROOT / "tests" / "fixtures" / "bids.yaml"
THREE = ROOT / "rulesets" / "classics" / "tic-tac-toe"


@cache
def noughts() -> Game:
    return Game(load_program(THREE))


@cache
def bids() -> Game:
    return Game(load_program(BIDS), 3)


def after(game: Game, *picks: int) -> State:
    state = game.start(1)
    for option in picks:
        state = game.apply(state, option)
    return state


def found(
    game: Game, state: State, way: str, simulations: int, stream: int = 5, guidance: Guidance | None = None
) -> list[Line]:
    decision = game.decision(state)
    assert decision is not None
    given = Guidance() if guidance is None else guidance
    *_, last = analyse(game, decision.seat, [state], way, simulations, stream, is_open(game), given)
    return last


@pytest.mark.parametrize("way", WAYS)
def test_a_win_is_taken_and_a_loss_prevented(way: str) -> None:
    """Squares are numbered by rows: options are those that are free, in order."""
    game = noughts()
    wins = after(game, 0, 2, 0, 3)  # P1 on 0 and 1, P2 on 3 and 6: 2 wins
    assert found(game, wins, way, 300)[0].option == 0
    threatened = after(game, 4, 0, 6, 0)  # P1 in the middle and at 8, P2 on 0 and 1: 2 must be taken
    assert found(game, threatened, way, 600)[0].option == 0


TRUST = """
game: {id: trust, name: Trust, version: "1", language: 2, players: 3}
variables: {held: {type: Int, per: [Player], start: 2}}
actions:
  keep: {do: increase held by 0}
  trust:
    do: |
      by OTHER:
        choose n in [0, 1]:
          each player: set held to (if n = 0 then 0 else 3)
          set OTHER.held to 1 + 3 * n
phases:
  - id: all
    do: |
      by players.first: take action keep, trust
scoring: {rank: [held], payoff: held}
"""
"""Who is trusted does better by doing well by all; whoever wishes another ill would not."""


@pytest.mark.parametrize("other", ["players.first.next", "players.first.next.next"], ids=["second", "third"])
def test_of_several_everybody_is_thought_to_seek_their_own(other: str) -> None:
    game = Game(checked(TRUST.replace("OTHER", other)))
    assert found(game, game.start(1), "mcts", 100)[0].option == 1


class Told:
    """A core whose trees tell what they are told to."""

    def __init__(self, *tried: Tried) -> None:
        self.rows = list(tried)

    arms = PYTHON.arms

    def tree(self, setup: Setup, is_open: bool) -> Told:
        self.setup = setup
        return self

    def grow(self, simulations: int) -> None:
        self.setup.made += simulations
        self.setup.low, self.setup.high = 0.0, 1.0

    def tried(self) -> list[Tried]:
        return self.rows


@pytest.mark.parametrize(
    ("first", "other", "taken"),
    [((1, 1.0), (50, 0.9), 1), ((40, 0.8), (50, 0.7), 0), ((50, 0.8), (40, 0.9), 1), ((50, 0.1), (1, 0.9), 0)],
)
def test_a_better_value_counts_where_it_was_tried_about_as_often(
    first: tuple[int, float], other: tuple[int, float], taken: int
) -> None:
    """Visits and means: what was tried once only seems better."""
    core = Told(*(Tried(n, visits, visits * mean, ()) for n, (visits, mean) in enumerate((first, other))))
    *_, lines = analyse(noughts(), 0, [noughts().start(1)], TREE, 64, 1, True, core=core)
    assert lines[0].option == taken


@pytest.mark.parametrize(
    ("options", "simulations", "way"),
    [(2, 1_000, TREE), (30, 3_000, TREE), (30, 30, HALVING), (8, 10, HALVING), (500, 500, TREE)],
)
def test_a_tree_is_grown_where_it_has_simulations_enough_or_the_list_is_long(
    options: int, simulations: int, way: str
) -> None:
    assert way_for(options, simulations) == way


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("simulations", [1, 2, 7, 64])
def test_as_many_simulations_are_made_as_are_given(way: str, simulations: int) -> None:
    game = noughts()
    state = after(game, 4)
    lines = found(game, state, way, simulations)
    assert sum(round(line.share * simulations) for line in lines) == simulations
    assert all(0 <= line.scaled <= 1 and -1 <= line.value <= 1 for line in lines)


def test_an_odd_number_of_simulations_is_spent_to_the_last() -> None:
    game = noughts()
    for way in (flat, halving):
        setup = Setup(game, 0, [game.start(1)], 3)
        for _ in way(Arms(setup), 101):
            pass
        assert setup.made == 101


@pytest.mark.parametrize("way", WAYS)
def test_the_same_stream_finds_the_same_and_leaves_the_worlds_alone(way: str) -> None:
    for game in (noughts(), bids()):
        state = game.start(4)
        before = state.copy()
        assert found(game, state, way, 90) == found(game, state.copy(), way, 90)
        assert state == before
    assert found(noughts(), noughts().start(1), way, 90, 5) != found(noughts(), noughts().start(1), way, 90, 6)


def test_chance_is_fresh_in_each_simulation() -> None:
    """The die of the third round shows each of its sides, although the world is one."""
    game = bids()
    setup = Setup(game, 0, [game.start(4)], 9)
    starts = {tuple(setup.begin(number)[0].c[cell] for cell in game.layout.streams.values()) for number in range(20)}
    assert len(starts) == 20


def test_options_of_a_tree_meet_the_same_chance() -> None:
    """What makes no difference comes to the same: each option's tries are the same games."""
    text = """
game: {id: bets, name: Bets, version: "1", language: 2, players: 2}
variables: {held: {type: Int, per: [Player], start: 0}}
phases:
  - id: all
    do: |
      by players.first:
        choose n in 1..4: set held to 0
      each player:
        roll shown in 1..6: set held to shown
scoring: {rank: [held]}
"""
    game = Game(checked(text))
    tree = Tree(Setup(game, 0, [game.start(4)], 9), is_open(game))
    tree.grow(200)
    told = dict[int, set[float]]()
    for edge in tree.root.edges.values():
        told.setdefault(edge.visits, set()).add(edge.sum)
    assert len(tree.root.edges) == 4
    assert sum(edge.visits for edge in tree.root.edges.values()) == 200
    assert all(len(sums) == 1 for sums in told.values())
    assert len(told) < 4


def test_a_list_is_tried_a_few_at_a_time() -> None:
    """As many options as grow with the square root of the visits; of a short list all at once."""
    text = """
game: {id: many, name: Many, version: "1", language: 2, players: 2}
variables: {held: {type: Int, per: [Player], start: 0}}
phases:
  - id: all
    do: |
      by players.first:
        choose n in 1..SIZE: set held to n mod 3
scoring: {rank: [held]}
"""
    edges = dict[tuple[int, int], int]()
    for size, simulations in [(4, 4), (30, 25), (30, 100)]:
        game = Game(checked(text.replace("SIZE", str(size))))
        tree = Tree(Setup(game, 0, [game.start(4)], 9), is_open(game))
        tree.grow(simulations)
        edges[size, simulations] = len(tree.root.edges)
    assert edges[4, 4] == 4
    assert 4 <= edges[30, 25] <= 15
    assert edges[30, 100] == pytest.approx(2 * edges[30, 25], rel=0.2)


def test_of_a_long_list_what_did_well_anywhere_is_tried_first() -> None:
    """What wins, whenever it is taken, is the next that is tried once it was taken anywhere."""
    text = """
game: {id: long, name: Long, version: "1", language: 2, players: 2}
variables: {held: {type: Int, per: [Player], start: 0}}
phases:
  - id: all
    do: |
      by players.first:
        repeat 12 times:
          choose n in 1..40: set held to (if n = 7 then 1 else held)
scoring: {rank: [held]}
"""
    game = Game(checked(text))
    found = 0
    for stream in range(8):
        tree = Tree(Setup(game, 0, [game.start(4)], stream), is_open(game))
        tree.grow(100)
        past = {answer: known for (_, answer), known in tree.past[0].items()}
        assert sum(known.visits for known in past.values()) == 100 * 12
        assert not tree.past[1]
        seven = past.get((0, (7,)))
        if seven is not None:
            found += 1
            assert seven.sum == seven.visits
            assert 6 in [option for option, *_ in tree.tried()]
    assert found > 1


def test_what_halving_takes_is_one_that_it_looked_at_to_the_end() -> None:
    """Those that were left behind have met other chance, and may seem better."""
    game = noughts()
    for stream in range(20):
        arms = Arms(Setup(game, 0, [game.start(1)], stream))
        for _ in halving(arms, 90):
            pass
        lines = found(game, game.start(1), "halving", 90, stream)
        assert {line.option for line in lines[: len(arms.alive)]} == set(arms.alive)
        assert len(arms.alive) < len(lines)


def test_what_seems_better_than_the_best_option_is_not_taken() -> None:
    """It was tried too little to tell."""
    lines = [Line(0, 0.5, 0.5, 0.9), Line(1, 0.9, 0.9, 0.01), Line(2, 0.45, 0.45, 0.09)]
    assert {taken(lines, 0.0, stream) for stream in range(50)} == {0}
    assert {taken(lines, 0.1, stream) for stream in range(50)} == {0, 2}


def test_every_seat_has_a_tree_of_its_own_where_something_is_hidden() -> None:
    """A secret bid is one node to those who do not see it."""
    game = bids()
    tree = Tree(Setup(game, 0, [game.start(4)], 9), is_open(game))
    tree.grow(120)
    own, other = tree.roots[0], tree.roots[1]
    assert len(own.edges) == 3
    assert not other.edges
    assert len(other.seen) == 1
    assert sum(edge.visits for edge in own.edges.values()) == own.visits == 120


def test_ends_are_worth_what_the_rules_pay() -> None:
    paid = Worth(noughts(), Guidance())
    assert paid.end(ranked(None, ((1,), (0,)), (1, -1), ())) == (1, -1)
    shared = Worth(bids(), Guidance())
    assert shared.end(ranked(None, ((2,), (1,), (0,)), None, ())) == (1.0, 0.25, 0.0)
    assert shared.end(ranked(None, ((2,), (2,), (0,)), None, ())) == (0.625, 0.625, 0.0)


def test_logarithms_are_close_and_rise() -> None:
    numbers = [logarithm(n) for n in range(1, 3000)]
    assert numbers == sorted(set(numbers))
    assert all(abs(one - log(n)) < 0.07 for n, one in enumerate(numbers, 1))


def test_a_weighted_pick_falls_on_each_place_as_often_as_it_weighs() -> None:
    falls = [pick((1, 0, 3), (number << 32) // 8 << 32) for number in range(8)]
    assert falls == [0, 0, 2, 2, 2, 2, 2, 2]


def test_what_a_game_asks_of_those_who_think_is_settled() -> None:
    one, again = measured(Game(load_program(THREE))), measured(noughts())
    assert one == again
    assert one.horizon is None


@pytest.mark.parametrize(
    ("years", "rank", "is_cut_off"),
    [(80, "grain", True), (80, "if past < 80 then 0 else grain", False), (8, "grain", False)],
)
def test_a_long_game_is_cut_off_where_its_ranks_tell_on_the_way(years: int, rank: str, is_cut_off: bool) -> None:
    game = Game(checked(harvest(years).replace("rank: [grain]", f'rank: ["{rank}"]')))
    effort = measured(game)
    assert effort.decisions > 100 or years == 8
    assert (effort.horizon is not None) == is_cut_off
    assert effort.horizon is None or effort.horizon < effort.decisions / 2


def test_worlds_are_of_the_compiled_engine() -> None:
    with pytest.raises(ValueError, match="compiled"):
        Walker(Game(load_program(THREE), engine="evaluator"), Guidance())
