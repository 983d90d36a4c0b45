"""Lines of Action on bits: everything that a person can think of for this one game.

A square is ``8 * (row - 1) + column - 1``. Moves are in the order of the ruleset: by piece, then by direction, clockwise
from north.
"""

from __future__ import annotations

from random import Random

STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
LONGEST = 1000  # moves of a game

Jump = tuple[int, int, int]  # the move, its bits, the bits between


def _squares(square: int, direction: int) -> list[int]:
    column, row = square % 8, square // 8
    across, up = STEPS[direction]
    found = []
    while 0 <= (column := column + across) < 8 and 0 <= (row := row + up) < 8:
        found.append(8 * row + column)
    return found


def _bits(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _jumps(square: int, direction: int) -> tuple[Jump | None, ...]:
    """By how many pieces are in the line."""
    ray = _squares(square, direction)
    found: list[Jump | None] = [None] * 9
    for number, to in enumerate(ray, 1):
        found[number] = (64 * square + to, 1 << to, _bits(ray[: number - 1]))
    return tuple(found)


LINES = tuple(
    tuple(_bits([s, *_squares(s, axis), *_squares(s, axis + 4)]) for axis in range(4)) for s in range(64)
)
JUMPS = tuple(tuple(_jumps(s, d) for d in range(8)) for s in range(64))
EAST, WEST = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F  # what a step to the right, or left, can come to
FIRST = (0x7E0000000000007E, 0x0081818181818100)


def together(pieces: int) -> bool:
    """Whether all hang together, over corners too."""
    part = pieces & -pieces
    while True:
        across = part | part << 1 & EAST | part >> 1 & WEST
        grown = (across | across << 8 | across >> 8) & pieces
        if grown == part:
            return part == pieces
        part = grown


class Game:
    """A game under way. ``pieces``: of each seat; ``winner``: once there is one."""

    def __init__(self) -> None:
        self.pieces = list(FIRST)
        self.turn = 0
        self.ply = 0
        self.winner = -1
        self.moves = self._moves()

    def _moves(self) -> list[int]:
        own, other = self.pieces[self.turn], self.pieces[1 - self.turn]
        every = own | other
        found = []
        left = own
        while left:
            lowest = left & -left
            left ^= lowest
            square = lowest.bit_length() - 1
            a, b, c, d = LINES[square]
            counts = (every & a).bit_count(), (every & b).bit_count(), (every & c).bit_count(), (every & d).bit_count()
            for direction, jumps in enumerate(JUMPS[square]):
                jump = jumps[counts[direction & 3]]
                if jump is not None and not jump[1] & own and not jump[2] & other:
                    found.append(jump[0])
        return found

    def legal_moves(self) -> list[int]:
        """Moves as ``64 * from + to``."""
        return self.moves

    def is_over(self) -> bool:
        """Whether somebody has won, or too many moves were made."""
        return self.winner >= 0 or self.ply >= LONGEST

    def apply(self, move: int) -> None:
        """Make a move; who can't move passes."""
        me, (square, to) = self.turn, divmod(move, 64)
        self.pieces[me] ^= 1 << square | 1 << to
        self.pieces[1 - me] &= ~(1 << to)
        if together(self.pieces[me]):
            self.winner = me
            return
        if together(self.pieces[1 - me]):
            self.winner = 1 - me
            return
        while True:
            self.ply += 1
            self.turn = 1 - self.turn
            if self.ply >= LONGEST:
                return
            self.moves = self._moves()
            if self.moves:
                return

    def returns(self) -> list[int]:
        """1 for who won, -1 for the other; 0 if nobody did."""
        if self.winner < 0:
            return [0, 0]
        return [1, -1] if self.winner == 0 else [-1, 1]


def new_game(rng: Random, players: int) -> Game:
    """A game at its start."""
    return Game()
