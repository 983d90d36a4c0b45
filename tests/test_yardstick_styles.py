"""The optimised yardsticks play exactly the game of the clean ones: without that, their speed would mean nothing.

Random games of the clean class are replayed move by move on the optimised one, with the same cards: at every step the
legal moves correspond one to one and in the same order, the same seat is to move, and everything on the table agrees.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from benchmarks.games import BOTH_STYLES, SUBJECTS, Subject

GAMES = 60


class Pair:
    """Translates between the clean class of a game and the optimised one."""

    def __init__(self, clean: Any, fast: Any) -> None:
        self.clean = clean
        self.fast = fast

    def begin(self, clean: Any, players: int) -> Any:
        """The optimised game, with the cards of the clean one."""
        return self.fast.new_game(random.Random(0), players)

    def move(self, clean: Any, move: Any) -> Any:
        """A move of the clean game in the optimised one's words."""
        return move

    def of_clean(self, clean: Any) -> Any:
        """What is on the table …"""
        raise NotImplementedError

    def of_fast(self, fast: Any) -> Any:
        """… and in the optimised one, in the same form."""
        raise NotImplementedError


def by_bits(fast: Any, places: list[int]) -> list[int | None]:
    """Who has what on two boards of bits, one of the player to move."""
    to_move = fast.count % 2
    seats = {to_move: fast.mine, 1 - to_move: fast.theirs}
    return [next((seat for seat in (0, 1) if seats[seat] >> place & 1), None) for place in places]


class TicTacToe(Pair):
    def of_clean(self, clean: Any) -> Any:
        seat = {None: None, self.clean.Mark.X: 0, self.clean.Mark.O: 1}
        return [seat[mark] for mark in clean.board], seat[clean.winner]

    def of_fast(self, fast: Any) -> Any:
        return by_bits(fast, list(range(9))), (fast.count - 1) % 2 if fast.won else None


class ConnectFour(Pair):
    def of_clean(self, clean: Any) -> Any:
        seat = {None: None, self.clean.Disc.RED: 0, self.clean.Disc.YELLOW: 1}
        columns = [[seat[disc] for disc in column] for column in clean.columns]
        return [column + [None] * (6 - len(column)) for column in columns], seat[clean.winner]

    def of_fast(self, fast: Any) -> Any:
        columns = [by_bits(fast, [7 * c + row for row in range(6)]) for c in range(7)]
        return columns, (fast.count - 1) % 2 if fast.won else None


class Kuhn(Pair):
    def begin(self, clean: Any, players: int) -> Any:
        return self.fast.KuhnPoker(self.fast._DEALS.index(tuple(clean.cards)))

    def move(self, clean: Any, move: Any) -> Any:
        return list(self.clean.Action).index(move)

    def of_clean(self, clean: Any) -> Any:
        return clean.cards, [self.move(clean, move) for move in clean.history]

    def of_fast(self, fast: Any) -> Any:
        return list(self.fast._DEALS[fast.deal]), [int(bit) for bit in f"{fast.node:b}"[1:]]


class Leduc(Pair):
    def begin(self, clean: Any, players: int) -> Any:
        """A card is its rank twice, and one more for the second of a rank."""
        cards = [seat.hole for seat in clean.seats] + [clean.deck[-1]]
        suits = sorted({card.suit for card in self.clean.FULL_DECK})
        return self.fast.Leduc(*(2 * card.rank.value + suits.index(card.suit) for card in cards))

    def move(self, clean: Any, move: Any) -> Any:
        return list(self.clean.Action).index(move)

    def of_clean(self, clean: Any) -> Any:
        return (
            [seat.hole.rank.value for seat in clean.seats],
            None if clean.public is None else clean.public.rank.value,
            [seat.chips_in for seat in clean.seats],
            [seat.folded for seat in clean.seats],
            clean.round,
            None if clean.over else clean.to_act,
        )

    def of_fast(self, fast: Any) -> Any:
        unit = 4 if fast.round2 else 2
        money = fast.cash if fast.over else self.fast._MONEY[fast.node]
        return (
            [fast.c0 >> 1, fast.c1 >> 1],
            fast.public >> 1 if fast.round2 else None,
            [fast.base + unit * paid for paid in money],
            [fast.folder == seat for seat in (0, 1)],
            1 + fast.round2,
            None if fast.over else self.fast._PLAYER[fast.node],
        )


class Empire(Pair):
    """What was paid for gears counts as returned at once: the optimised yardstick does so."""

    def __init__(self, clean: Any, fast: Any) -> None:
        super().__init__(clean, fast)
        self.resources, self.sides = list(clean.Resource), list(clean.Side)
        self.phases = list(clean.Phase)

    def payment(self, move: Any) -> int:
        return 0 if move.payment is None else 1 + self.resources.index(move.payment)

    def of_clean(self, clean: Any) -> Any:
        m, players = self.clean, clean.players
        stock = [clean.stock[kind] for kind in self.resources]
        planning = clean.phase is m.Phase.PLAN
        for player in players if planning else ():
            for placed in player.gears.values():
                if placed.payment is not None:
                    stock[self.resources.index(placed.payment)] += 1
        return {
            "round": (clean.round, clean.start_player, self.phases.index(clean.phase)),
            "to move": None if clean.is_over() else clean.current_player,
            "stock": stock,
            "ready": [[player.ready[kind] for kind in self.resources[:2]] for player in players],
            "score": [[player.score[kind] for kind in self.resources] for player in players],
            "engines": [[player.engines.get(side, 0) for side in self.sides] for player in players],
            "hit": None if planning else [player.hit for player in players],
            "attacks": list(clean.attacks),
        }

    def move(self, clean: Any, move: Any) -> Any:
        m = self.clean
        if isinstance(move, m.PlaceEngine):
            return self.sides.index(move.side) << 2 | move.top
        if isinstance(move, m.PlaceGear):
            turns = move.gear if move.payment is None else m.GEARS[move.gear]
            return turns | self.sides.index(move.side) << 2 | (move.gear - 1) << 3 | self.payment(move) << 4
        return move.attacker if isinstance(move, m.BlockAttacker) else self.resources.index(move.resource)

    def of_fast(self, fast: Any) -> Any:
        to_move = None
        if fast.phase == 0:
            to_move = self.fast._PLAN[fast.n][fast.start][fast.k]
        elif fast.phase < 4:
            to_move = fast.attacks[0][0] if fast.phase == 2 else fast.queue[0]
        return {
            "round": (fast.round, fast.start, fast.phase),
            "to move": to_move,
            "stock": fast.stock,
            "ready": [list(both) for both in zip(fast.rs, fast.rg, strict=True)],
            "score": [list(kinds) for kinds in zip(fast.ss, fast.sg, fast.si, strict=True)],
            "engines": [list(both) for both in zip(fast.left, fast.right, strict=True)],
            "hit": None if fast.phase == 0 else fast.hit,
            "attacks": fast.attacks,
        }


PAIRS: dict[str, type[Pair]] = {"ttt": TicTacToe, "c4": ConnectFour, "kuhn": Kuhn, "leduc": Leduc, "empire": Empire}
RACED = [subject for subject in SUBJECTS if subject.styles == BOTH_STYLES]
raced = pytest.mark.parametrize("subject", RACED, ids=lambda subject: subject.title)


def pair_of(subject: Subject) -> Pair:
    kind = PAIRS[subject.yardstick]
    return kind(subject.yardstick_module("idiomatic"), subject.yardstick_module("optimised"))


def replay(pair: Pair, players: int, seed: int) -> None:
    """One random game on both."""
    rng = random.Random(seed)
    clean = pair.clean.new_game(rng, players)
    fast = pair.begin(clean, players)
    while True:
        assert pair.of_clean(clean) == pair.of_fast(fast)
        assert clean.is_over() == fast.is_over()
        if clean.is_over():
            break
        legal = clean.legal_moves()
        assert [pair.move(clean, move) for move in legal] == list(fast.legal_moves())
        pick = rng.randrange(len(legal))
        clean.apply(legal[pick])
        fast.apply(fast.legal_moves()[pick])
    assert clean.returns() == fast.returns()


@raced
def test_optimised_yardsticks_play_the_game_of_the_clean_ones(subject: Subject) -> None:
    pair = pair_of(subject)
    for seed in range(GAMES):
        replay(pair, subject.players, seed)


@raced
def test_a_yardstick_that_plays_another_game_is_caught(subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes another move than it is told, once in a while."""
    pair = pair_of(subject)
    kind = type(pair.begin(pair.clean.new_game(random.Random(0), subject.players), subject.players))
    apply, rng = kind.apply, random.Random(0)

    def careless(self: Any, move: Any) -> None:
        other = [m for m in self.legal_moves() if m is not move]
        apply(self, rng.choice(other) if other and rng.random() < 0.1 else move)

    monkeypatch.setattr(kind, "apply", careless)
    with pytest.raises(AssertionError):
        for seed in range(GAMES):
            replay(pair, subject.players, seed)


@raced
def test_a_copy_of_a_yardstick_goes_its_own_way(subject: Subject) -> None:
    """What is timed as a copy is one: playing on changes nothing in the game it was made from."""
    pair = pair_of(subject)
    game = pair.begin(pair.clean.new_game(random.Random(1), subject.players), subject.players)
    if not hasattr(game, "clone"):
        pytest.skip("is not copied in the benchmarks")
    rng = random.Random(2)
    while not game.is_over():
        before = pair.of_fast(game)
        other = game.clone()
        assert pair.of_fast(other) == before
        while not other.is_over():
            other.apply(rng.choice(other.legal_moves()))
        assert pair.of_fast(game) == before
        game.apply(rng.choice(game.legal_moves()))
