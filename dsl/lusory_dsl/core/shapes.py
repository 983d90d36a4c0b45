"""The shapes of boards -> their records (:mod:`lusory_dsl.core.boards`): names, neighbours, directions, symmetries.

Pure: what an author wrote has been read and checked before. Rows count from the south, unless the first is the
northern one; a board of hexagons has each further row moved by half a cell to the east.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ..text.records import dataclass, field, replace
from .boards import COMPASS, DIAGONALS, DIRECTIONS, HEX_DIRECTIONS, ORTHOGONALS, WAY, Board, Lines, Shape, Spaces

_NORTH_UP = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""The step of each direction of the compass in columns and rows, where rows count from the south."""

_HEX_UP = {1: (0, 1), 2: (1, 0), 3: (1, -1), 5: (0, -1), 6: (-1, 0), 7: (-1, 1)}
_HEX_DOWN = {1: (1, -1), 2: (1, 0), 3: (0, 1), 5: (-1, 1), 6: (-1, 0), 7: (0, -1)}
"""The same on hexagons: where rows count from the south, and from the north."""

_PLACED = re.compile(r"([a-z]{1,2})([1-9][0-9]{0,2})")

Place = tuple[int, int]


@dataclass(frozen=True)
class Extras:
    """What is said of boards of any shape. ``lengths``: enum -> how many spaces each of its straight lines has;
    ``written``: enum -> lines by the numbers of their spaces; ``places``: where spaces are drawn, if it is said."""

    first_row_north: bool = False
    wraps: tuple[bool, bool] = (False, False)
    facing: tuple[int, ...] = ()
    lengths: Mapping[str, int] = field(default_factory=dict)
    written: Mapping[str, Sequence[Spaces]] = field(default_factory=dict)
    places: tuple[Place, ...] = ()


def column_name(column: int) -> str:
    """``a`` for 1 … ``z``, ``aa`` for 27."""
    name = ""
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


def place_of(name: str) -> Place | None:
    """Column and row of a space by its name, ``b3``."""
    found = _PLACED.fullmatch(name)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("a") + 1
    return column, int(found[2])


def grid(name: str, shape: Shape, columns: int, rows: int, exists: Callable[[int, int], bool], extras: Extras) -> Board:
    """A board of squares or hexagons in columns and rows, as far as they exist; named row by row."""
    found = [(c, r) for r in range(1, rows + 1) for c in range(1, columns + 1) if exists(c, r)]
    number = {place: space for space, place in enumerate(found)}

    def step(place: Place, direction: int) -> int | None:
        by = _step(shape, direction, extras.first_row_north)
        if by is None:
            return None
        column, row = place[0] + by[0], place[1] + by[1]
        if extras.wraps[0]:
            column = (column - 1) % columns + 1
        if extras.wraps[1]:
            row = (row - 1) % rows + 1
        return number.get((column, row))

    steps = tuple(tuple(step(place, d) for d in range(8)) for place in found)
    edges = HEX_DIRECTIONS if shape is Shape.HEX else ORTHOGONALS
    beside = _touching(steps, edges)
    around = _touching(steps, range(8))
    corners = tuple(
        tuple(s for s in spaces if s not in near)
        for spaces, near in zip(_touching(steps, () if shape is Shape.HEX else DIAGONALS), beside, strict=True)
    )
    names = tuple(f"{column_name(c)}{r}" for c, r in found)
    return _board(name, shape, names, found, (columns, rows), COMPASS, steps, (beside, corners, around), extras)


def path(name: str, shape: Shape, names: Sequence[str], extras: Extras) -> Board:
    """A ring or a track: spaces one after the other."""
    last, closed = len(names) - 1, shape is Shape.RING
    steps = tuple(
        (
            n + 1 if n < last else 0 if closed and last else None,
            n - 1 if n > 0 else last if closed and last else None,
        )
        for n in range(len(names))
    )
    beside = _touching(steps, (0, 1))
    places = [(n + 1, 1) for n in range(len(names))] if shape is Shape.TRACK else _places(names)
    nothing = ((),) * len(names)
    return _board(name, shape, tuple(names), places, None, WAY, steps, (beside, nothing, beside), extras)


def network(
    name: str, shape: Shape, names: Sequence[str], links: Iterable[tuple[int, int]], one_way: bool, extras: Extras
) -> Board:
    """Spaces with those that they are linked to: of lines, the next on each."""
    linked: list[dict[int, None]] = [{} for _ in names]
    for one, other in links:
        linked[one][other] = None
        if not one_way:
            linked[other][one] = None
    beside = tuple(map(tuple, linked))
    nothing = ((),) * len(names)
    return _board(name, shape, tuple(names), _places(names), None, None, (), (beside, nothing, beside), extras)


def _step(shape: Shape, direction: int, first_row_north: bool) -> tuple[int, int] | None:
    if shape is Shape.HEX:
        return (_HEX_DOWN if first_row_north else _HEX_UP).get(direction)
    across, up = _NORTH_UP[direction]
    return across, -up if first_row_north else up


def _touching(steps: Iterable[Sequence[int | None]], directions: Collection[int]) -> tuple[Spaces, ...]:
    """What lies in some directions of each space, each once and without itself."""
    return tuple(
        tuple(dict.fromkeys(to for d in directions if (to := row[d]) is not None and to != space))
        for space, row in enumerate(steps)
    )


def _places(names: Sequence[str]) -> list[Place]:
    """Columns and rows of spaces whose names all are letters and a number; else nothing."""
    found = [place for name in names if (place := place_of(name)) is not None]
    return found if len(found) == len(names) else []


def _board(
    name: str,
    shape: Shape,
    names: tuple[str, ...],
    places: Sequence[Place],
    size: tuple[int, int] | None,
    directions: str | None,
    steps: tuple[tuple[int | None, ...], ...],
    touching: tuple[tuple[Spaces, ...], ...],
    extras: Extras,
) -> Board:
    columns, rows = size or (max((c for c, _ in places), default=0), max((r for _, r in places), default=0))
    beside, corners, around = touching
    board = Board(
        name,
        shape,
        names,
        tuple(c for c, _ in places),
        tuple(r for _, r in places),
        columns,
        rows,
        extras.first_row_north,
        extras.wraps,
        directions,
        steps,
        beside,
        corners,
        around,
        _symmetries(shape, places, (columns, rows), beside, extras.first_row_north),
        extras.facing,
        (),
        extras.places or _drawn(shape, places, (columns, rows), extras.first_row_north),
    )
    lines = [_named_lines(enum, _straight(board, length), names) for enum, length in extras.lengths.items()]
    lines += [_named_lines(enum, spaces, names) for enum, spaces in extras.written.items()]
    return replace(board, lines=tuple(lines))


def _straight(board: Board, length: int) -> list[Spaces]:
    """All straight lines of so many spaces, each once, whichever way it is gone along."""
    found: dict[frozenset[int], Spaces] = {}
    for space in range(board.size):
        for direction in range(len(DIRECTIONS[board.directions or COMPASS]) // 2):
            line = (space, *board.rays[space][direction][: length - 1])
            if len(line) == length:
                found.setdefault(frozenset(line), line)
    return list(found.values())


def _named_lines(enum: str, lines: Sequence[Spaces], names: Sequence[str]) -> Lines:
    """Lines by the names of their ends, ``a1_a7``; with a number, where several have the same."""
    found: list[str] = []
    times: dict[str, int] = {}
    for line in lines:
        name = f"{names[line[0]]}_{names[line[-1]]}"
        times[name] = times.get(name, 0) + 1
        found.append(name if times[name] == 1 else f"{name}_{times[name]}")
    return Lines(enum, tuple(found), tuple(lines))


# ---------------------------------------------------------------- symmetries


def _symmetries(
    shape: Shape, places: Sequence[Place], size: tuple[int, int], beside: Sequence[Spaces], first_row_north: bool
) -> dict[str, Spaces]:
    """The symmetries that a board has: each space comes to a space, and neighbours stay neighbours."""
    number = {place: space for space, place in enumerate(places)}
    found: dict[str, Spaces] = {}
    for name, maps in (_HEX_MAPS if shape is Shape.HEX else _SQUARE_MAPS).items():
        moved = [number.get(maps(place, size)) for place in places]
        to = tuple(space for space in moved if space is not None)
        if places and len(to) == len(places) and _keeps(to, beside):
            found[name] = to
    if first_row_north and "turned" in found:  # the maps go by rows that count from the south
        found["turned"] = _undone(found["turned"])
    if shape is Shape.RING and not places and len(beside) % 2 == 0:
        half = len(beside) // 2
        found["opposite"] = tuple((space + half) % len(beside) for space in range(len(beside)))
    return found


def _undone(to: Spaces) -> Spaces:
    """The map that takes everything back."""
    return tuple(to.index(space) for space in range(len(to)))


def _keeps(to: Spaces, beside: Sequence[Spaces]) -> bool:
    return all({to[other] for other in others} == set(beside[to[space]]) for space, others in enumerate(beside))


def _turned(place: Place, size: tuple[int, int]) -> Place:
    """A quarter clockwise, on a square where rows count from the south; other boards are left to the test."""
    return (place[1], size[0] + 1 - place[0]) if size[0] == size[1] else (0, 0)


_SQUARE_MAPS: dict[str, Callable[[Place, tuple[int, int]], Place]] = {
    "mirrored": lambda p, size: (size[0] + 1 - p[0], p[1]),
    "flipped": lambda p, size: (p[0], size[1] + 1 - p[1]),
    "turned": _turned,
    "opposite": lambda p, size: (size[0] + 1 - p[0], size[1] + 1 - p[1]),
    "transposed": lambda p, size: (p[1], p[0]),
}

# Of hexagons round the middle: with q and r counted from there, left and right change places by (q, r) -> (-q - r, r),
# and a sixth of a turn is (q, r) -> (q + r, -q). The middle of a rhombus is no hexagon's where its sides are even.
_HEX_MAPS: dict[str, Callable[[Place, tuple[int, int]], Place]] = {
    "mirrored": lambda p, size: (size[0] + 1 - p[0] + (size[1] + 1) // 2 - p[1], p[1]),
    "flipped": lambda p, size: (p[0] + p[1] - (size[1] + 1) // 2, size[1] + 1 - p[1]),
    "turned": lambda p, size: (p[0] + p[1] - (size[1] + 1) // 2, (size[1] + 1) // 2 + (size[0] + 1) // 2 - p[0]),
    "opposite": lambda p, size: (size[0] + 1 - p[0], size[1] + 1 - p[1]),
    "transposed": lambda p, size: (p[1], p[0]),
}


# ---------------------------------------------------------------- drawing


def _drawn(shape: Shape, places: Sequence[Place], size: tuple[int, int], first_row_north: bool) -> tuple[Place, ...]:
    """Where spaces are drawn: rows from the top, columns in halves of a cell."""
    drawn = []
    for column, row in places:
        down = row - 1 if first_row_north else size[1] - row
        moved = row - 1 if shape is Shape.HEX else 0
        drawn.append((down, 2 * (column - 1) + moved))
    left = min((across for _, across in drawn), default=0)
    return tuple((down, across - left) for down, across in drawn)
