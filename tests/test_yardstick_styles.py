"""The optimised yardsticks play exactly the same games as the clean ones. Otherwise their speed would mean nothing.

Random games of the clean class are replayed move by move on the optimised one, with the same cards: at every step the
legal moves correspond one to one and in the same order. Both end at the same step, with the same result.
"""

from __future__ import annotations

import pickle
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
        """Create the optimised game with the cards of the clean one."""
        return self.fast.new_game(random.Random(0), players)

    def move(self, clean: Any, move: Any) -> Any:
        """Translate a move of the clean game for the optimised game."""
        return move


class Kuhn(Pair):
    def begin(self, clean: Any, players: int) -> Any:
        return self.fast.KuhnPoker(self.fast._DEALS.index(tuple(clean.cards)))

    def move(self, clean: Any, move: Any) -> Any:
        return list(self.clean.Action).index(move)


class Leduc(Pair):
    def begin(self, clean: Any, players: int) -> Any:
        """Create the game. A card is twice its rank, plus one for the second card of a rank."""
        cards = [seat.hole for seat in clean.seats] + [clean.deck[-1]]
        suits = sorted({card.suit for card in self.clean.FULL_DECK})
        return self.fast.Leduc(*(2 * card.rank.value + suits.index(card.suit) for card in cards))

    def move(self, clean: Any, move: Any) -> Any:
        return list(self.clean.Action).index(move)


class Empire(Pair):
    """Translates moves. The optimised yardstick returns payments for gears at once."""

    def __init__(self, clean: Any, fast: Any) -> None:
        super().__init__(clean, fast)
        self.resources, self.sides = list(clean.Resource), list(clean.Side)

    def encode_payment(self, move: Any) -> int:
        return 0 if move.payment is None else 1 + self.resources.index(move.payment)

    def move(self, clean: Any, move: Any) -> Any:
        module = self.clean
        if isinstance(move, module.PlaceEngine):
            return self.sides.index(move.side) << 2 | move.top
        if isinstance(move, module.PlaceGear):
            turns = move.gear if move.payment is None else module.GEARS[move.gear]
            return turns | self.sides.index(move.side) << 2 | (move.gear - 1) << 3 | self.encode_payment(move) << 4
        return move.attacker if isinstance(move, module.BlockAttacker) else self.resources.index(move.resource)


PAIRS: dict[str, type[Pair]] = {"ttt": Pair, "c4": Pair, "kuhn": Kuhn, "leduc": Leduc, "empire": Empire}
RACE_SUBJECTS = [subject for subject in SUBJECTS if subject.styles == BOTH_STYLES]
every_race = pytest.mark.parametrize("subject", RACE_SUBJECTS, ids=lambda subject: subject.title)


def create_pair(subject: Subject) -> Pair:
    kind = PAIRS[subject.yardstick]
    return kind(subject.import_yardstick("idiomatic"), subject.import_yardstick("optimised"))


def replay(pair: Pair, players: int, seed: int) -> None:
    """Play one random game on both, and compare every step."""
    rng = random.Random(seed)
    clean = pair.clean.new_game(rng, players)
    fast = pair.begin(clean, players)
    while True:
        assert clean.is_over() == fast.is_over()
        if clean.is_over():
            break
        legal = clean.legal_moves()
        assert [pair.move(clean, move) for move in legal] == list(fast.legal_moves())
        pick = rng.randrange(len(legal))
        clean.apply(legal[pick])
        fast.apply(fast.legal_moves()[pick])
    assert clean.returns() == fast.returns()


@every_race
def test_optimised_yardsticks_equal_the_clean_ones(subject: Subject) -> None:
    pair = create_pair(subject)
    for seed in range(GAMES):
        replay(pair, subject.players, seed)


@every_race
def test_a_copy_of_a_yardstick_is_independent(subject: Subject) -> None:
    """Playing on a copy doesn't change the original, so the benchmarks measure real copies."""
    pair = create_pair(subject)
    game = pair.begin(pair.clean.new_game(random.Random(1), subject.players), subject.players)
    if not hasattr(game, "clone"):
        pytest.skip("the benchmarks don't copy this game")
    rng = random.Random(2)
    while not game.is_over():
        before = pickle.dumps(game)
        copy = game.clone()
        assert pickle.dumps(copy) == before
        while not copy.is_over():
            copy.apply(rng.choice(copy.legal_moves()))
        assert pickle.dumps(game) == before
        game.apply(rng.choice(game.legal_moves()))
