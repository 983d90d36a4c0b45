"""Othello on bits: moves of all squares at once, by shifts.

A square is ``8 * (row - 1) + column - 1``; moves are in that order, as in the ruleset.
"""

from __future__ import annotations

from random import Random

FULL = (1 << 64) - 1
INNER = 0x7E7E7E7E7E7E7E7E  # columns b to g: what a run to the left or right goes through
SHIFTS = ((1, INNER), (8, FULL), (7, INNER), (9, INNER))
FIRST = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36)


def moves_of(own: int, other: int) -> int:
    """The squares on which a disc encloses others."""
    found = 0
    for shift, inside in SHIFTS:
        through = other & inside
        up, down = own << shift & through, own >> shift & through
        for _ in range(5):
            up |= up << shift & through
            down |= down >> shift & through
        found |= up << shift | down >> shift
    return found & ~(own | other) & FULL


def turned(square: int, own: int, other: int) -> int:
    """The discs that a disc on a square encloses."""
    found, disc = 0, 1 << square
    for shift, inside in SHIFTS:
        through = other & inside
        run, at = 0, disc << shift & through
        while at:
            run |= at
            at = at << shift
            if at & own:
                found |= run
            at &= through
        run, at = 0, disc >> shift & through
        while at:
            run |= at
            at = at >> shift
            if at & own:
                found |= run
            at &= through
    return found


class Game:
    """A game under way. ``discs``: of each seat; ``moves``: of the one whose turn it is, as bits."""

    def __init__(self) -> None:
        self.discs = list(FIRST)
        self.turn = 0
        self.moves = moves_of(*FIRST)

    def legal_moves(self) -> list[int]:
        """Squares."""
        found, left = [], self.moves
        while left:
            lowest = left & -left
            left ^= lowest
            found.append(lowest.bit_length() - 1)
        return found

    def is_over(self) -> bool:
        """Whether nobody can move."""
        return not self.moves

    def apply(self, square: int) -> None:
        """Lay a disc; who can't move passes."""
        me = self.turn
        own, other = self.discs[me], self.discs[1 - me]
        run = turned(square, own, other)
        own, other = own | run | 1 << square, other ^ run
        self.discs[me], self.discs[1 - me] = own, other
        self.moves = moves_of(other, own)
        if self.moves:
            self.turn = 1 - me
        else:
            self.moves = moves_of(own, other)

    def returns(self) -> list[int]:
        """1 for who has more discs, -1 for the other; 0 for both where they have as many."""
        first, second = (discs.bit_count() for discs in self.discs)
        won = (first > second) - (first < second)
        return [won, -won]


def new_game(rng: Random, players: int) -> Game:
    """A game at its start."""
    return Game()
