"""Build boards: their spaces, neighbours, directions, named lines and symmetries, as constant tables for rules."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from ..source.dataclass_with_lazy_methods import Record, ValueRecord, field, replace
from ..types.types import INT, PLAYER, EnumType, ListType, Type, optional
from .declarations import Dim, Table

COMPASS = "Compass"
"""The enum of directions on boards of squares and hexagons."""

WAY = "Way"
"""The enum of directions on rings and tracks."""

DIRECTIONS: dict[str, tuple[str, ...]] = {
    COMPASS: ("north", "north_east", "east", "south_east", "south", "south_west", "west", "north_west"),
    WAY: ("onward", "back"),
}
"""Enum -> its directions. The compass is listed clockwise."""

ORTHOGONALS = (0, 2, 4, 6)
"""Indices of the compass directions in which squares share an edge. In the others they share only a corner."""

HEX_DIRECTIONS = (1, 2, 3, 5, 6, 7)
"""Indices of the compass directions that a board of hexagons has."""

MAX_SPACES = 1_600
"""Maximum number of spaces of a board."""

MAX_SPACES_FOR_PAIRS = 625
"""Maximum number of spaces if a rule uses a table of pairs of spaces: `between`, `to` or `distance`."""

FACES = ("forward", "forward_right", "right", "back_right", "back", "back_left", "left", "forward_left")
"""Directions relative to the way that a seat faces, clockwise."""

Spaces = tuple[int, ...]


class Shape(Enum):
    """The kind of a board."""

    GRID = "grid"
    HEX = "hex"
    RING = "ring"
    TRACK = "track"
    LINKS = "links"
    LINES = "lines"


class Lines(NamedTuple):
    """The lines of a board that are the values of one enum. ``spaces`` holds each line from end to end."""

    enum: str
    names: tuple[str, ...]
    spaces: tuple[Spaces, ...]


class Board(Record):
    """A board. Its spaces are numbered from 0 in declared order, and are the values of the enum ``name``.

    Attributes:
        column, row: The column and row of each space, from 1. Empty if the board has none.
        n_columns, n_rows: The number of columns and rows.
        is_first_row_north: Row 1 is drawn at the top.
        wraps: The columns wrap around / the rows wrap around.
        directions: The enum of directions, or None.
        steps: For each space, the next space in each direction. None if there is no space.
        beside: For each space, the spaces that share an edge with it.
        around: For each space, the spaces that share an edge or a corner with it.
        symmetries: Name -> the image of each space.
        facing: For each seat, the index of the direction that it faces.
        lines: The named lines.
        places: The place of each space in a drawing, as (row from the top, column). Both count from 0. Columns are
            half cells.
    """

    name: str
    shape: Shape
    names: tuple[str, ...]
    column: Spaces
    row: Spaces
    n_columns: int
    n_rows: int
    is_first_row_north: bool
    wraps: tuple[bool, bool]
    directions: str | None
    steps: tuple[tuple[int | None, ...], ...]
    beside: tuple[Spaces, ...]
    around: tuple[Spaces, ...]
    symmetries: Mapping[str, Spaces]
    facing: tuple[int, ...] = ()
    lines: tuple[Lines, ...] = ()
    places: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        """The number of spaces."""
        return len(self.names)

    @cached_property
    def corners(self) -> tuple[Spaces, ...]:
        """The spaces that share only a corner with each space."""
        pairs = zip(self.around, self.beside, strict=True)
        return tuple(tuple(space for space in spaces if space not in neighbours) for spaces, neighbours in pairs)

    @cached_property
    def direction_indices(self) -> frozenset[int]:
        """The indices of the directions that the board has: an empty set without directions.

        On hexagons, these are 1, 2, 3, 5, 6 and 7, since north (0) and south (4) are missing. Every other board has all
        directions of its enum.
        """
        if self.directions is None:
            return frozenset()
        return frozenset(HEX_DIRECTIONS if self.shape is Shape.HEX else range(len(DIRECTIONS[self.directions])))

    @cached_property
    def rays(self) -> tuple[tuple[Spaces, ...], ...]:
        """The spaces that lie in each direction from each space, nearest first, as ``rays[space][direction]``.

        A ray excludes its own space. It ends at the edge, or after one lap of a board that wraps around. Without
        directions, each space has ().
        """
        directions = range(len(DIRECTIONS[self.directions])) if self.directions else ()
        return tuple(tuple(tuple(self._walk_ray(space, i)) for i in directions) for space in range(self.size))

    def _walk_ray(self, space: int, direction: int) -> Iterator[int]:
        current_space = self.steps[space][direction]
        while current_space is not None and current_space != space:
            yield current_space
            current_space = self.steps[current_space][direction]

    def get_line(self, space: int, direction: int) -> Spaces:
        """Return the full line through a space, in the order of ``direction``, an index of the board's directions.

        It includes the space. In a row of three squares, space 1 and direction 6, west, give (2, 1, 0). A line that
        comes back to the space begins with it, such as (1, 0, 2) if the row's ends meet. Any other begins at an edge.
        The board must have directions.
        """
        rays = self.rays[space]
        ray, opposite_ray = rays[direction], rays[(direction + len(rays) // 2) % len(rays)]
        if set(ray) & set(opposite_ray):  # The line wraps around, so one ray covers it.
            return (space, *ray)
        return (*reversed(opposite_ray), space, *ray)

    @cached_property
    def straight_pairs(self) -> dict[tuple[int, int], tuple[int | None, Spaces]]:
        """Map each pair of spaces in a straight line to the direction and the spaces between them.

        Both orders of a pair have an entry; the spaces between are listed from the first space to the second. The
        direction is None on a board of the shape ``LINES``; one of the shape ``LINKS`` has no pairs. If there are two
        ways, the shorter one counts, and of two equally long ones the first direction or line. Example: in a row of
        three squares, (0, 2) has (2, (1,)) and (2, 0) has (6, (1,)), where 2 is the direction east and 6 west.
        """
        pairs: dict[tuple[int, int], tuple[int | None, Spaces]] = {}
        for space, (direction, ray) in self._iterate_straight():
            for position, target in enumerate(ray):
                previous_way = pairs.get((space, target))
                if previous_way is None or len(previous_way[1]) > position:
                    pairs[space, target] = (direction, ray[:position])
        return pairs

    def _iterate_straight(self) -> Iterator[tuple[int, tuple[int | None, Spaces]]]:
        for space, rays in enumerate(self.rays):
            yield from ((space, (direction, ray)) for direction, ray in enumerate(rays))
        if self.shape is Shape.LINES:
            for line in (spaces for lines in self.lines for spaces in lines.spaces):
                for position, space in enumerate(line):
                    yield space, (None, line[position + 1 :])
                    yield space, (None, line[:position][::-1])

    def compute_distances(self, crosses_corners: bool) -> tuple[tuple[int | None, ...], ...]:
        """Return the number of steps from each space to each space, as ``result[source][target]``.

        It is None where no way leads. Steps go over edges, and over corners too if ``crosses_corners`` is True.
        """
        neighbours = self.around if crosses_corners else self.beside
        return tuple(_search_distances(space, neighbours) for space in range(self.size))

    def compute_rank(self, space: int, seat: int) -> int:
        """Return the row of a space as a seat sees it, counted from 1 on the seat's own side.

        A seat that faces north sees the southernmost row as 1: row 1, or with ``is_first_row_north`` the last row. For
        a seat that faces east or west, columns count instead. Seats count from 0. Only for boards with columns and rows
        and with ``facing``.
        """
        direction = self.facing[seat]
        if direction in (0, 4):
            return self.row[space] if (direction == 0) != self.is_first_row_north else self.n_rows + 1 - self.row[space]
        return self.column[space] if direction == 2 else self.n_columns + 1 - self.column[space]

    @cached_property
    def space_at(self) -> dict[tuple[int, int], int]:
        """Map (column, row), both from 1, to the space there. Empty on a board without columns and rows."""
        return {place: space for space, place in enumerate(zip(self.column, self.row, strict=True))}

    # ------------------------------------------------------------ tables

    def get_table(self, member: str) -> Table:
        """Return a member of the board as a constant table, such as the ``row`` (from 1) of each space, or ``beside``.

        The table is named after the board and the member, such as ``Grid.row``. Its ``values`` are nested by index: in
        ``beside``, a tuple of neighbours for each space. On a board without rows, ``row`` has the ``values`` (). The
        same object comes back at each call. Raises KeyError for an unknown member or direction, such as in
        ``ray.nowhere``.
        """
        table = self._tables.get(member)
        if table is None:
            dims, type, values = self._make_table(member)
            rows = f"{self.name}.ray" if member == "away_by" else None
            table = self._tables[member] = Table(f"{self.name}.{member}", dims, type, values, {}, rows)
        return table

    @cached_property
    def _tables(self) -> dict[str, Table]:
        return {}

    def _make_table(self, member: str) -> tuple[tuple[Dim, ...], Type, object]:
        """Return the dimensions, the type and the values of the table of a member. Raises KeyError for an unknown one.

        The values are nested by dimension, as in a table of the ruleset: ``beside`` of 3 by 3 squares gives ((3, 1),
        (4, 2, 0), …).
        """
        space_type = EnumType(self.name)
        dim, list_type = Dim(space_type, 0, self.size), ListType(space_type)
        match member:
            case "column" | "row":
                return (dim,), INT, getattr(self, member)
            case "beside" | "corners" | "around":
                return (dim,), list_type, getattr(self, member)
            case "rank":
                seats = range(len(self.facing))
                ranks = tuple(tuple(self.compute_rank(space, seat) for seat in seats) for space in range(self.size))
                return (dim, Dim(PLAYER)), INT, ranks
            case "at":
                columns, rows = range(1, self.n_columns + 1), range(1, self.n_rows + 1)
                spaces = tuple(tuple(self.space_at.get((column, row)) for row in rows) for column in columns)
                return tuple(Dim(INT, 1, len(axis), True) for axis in (columns, rows)), optional(space_type), spaces
            case "beside_from" | "around_from":
                return (dim,), list_type, _reverse_links(getattr(self, member.removesuffix("_from")))
            case "between" | "to":
                return self._make_pair_table(member, dim, space_type)
            case "distance" | "distance_around":
                return (dim, dim), optional(INT), self.compute_distances(member == "distance_around")
        if member in FACES:
            turns = FACES.index(member)
            return (Dim(PLAYER),), EnumType(COMPASS), tuple((towards + turns) % 8 for towards in self.facing)
        if member in self.symmetries:
            return (dim,), space_type, self.symmetries[member]
        for lines in self.lines:
            if member == lines.enum:
                return (Dim(EnumType(member), 0, len(lines.names)),), list_type, lines.spaces
        return self._make_direction_table(member, dim, space_type)

    def _make_pair_table(self, member: str, dim: Dim, space_type: Type) -> tuple[tuple[Dim, ...], Type, object]:
        spaces, pairs = range(self.size), self.straight_pairs
        if member == "to":
            towards = tuple(tuple(pairs.get((source, target), (None,))[0] for target in spaces) for source in spaces)
            return (dim, dim), optional(EnumType(self.directions or COMPASS)), towards
        between = tuple(tuple(pairs.get((source, target), (None, ()))[1] for target in spaces) for source in spaces)
        return (dim, dim), ListType(space_type), between

    def _make_direction_table(self, member: str, dim: Dim, space_type: Type) -> tuple[tuple[Dim, ...], Type, object]:
        """Return a table by space and direction, such as ``away``, or by space alone, such as ``away.north``.

        The table of ``away_by`` also has the number of steps as index, from 1. Raises KeyError for another member or
        direction, and on a board without directions.
        """
        table_name, _, direction_name = member.partition(".")
        if self.directions is None or direction_name not in ("", *DIRECTIONS[self.directions]):
            raise KeyError(member)
        direction_dim = Dim(EnumType(self.directions), 0, len(DIRECTIONS[self.directions]))
        if direction_name:  # Make a table of one direction alone, which saves a look-up.
            direction = DIRECTIONS[self.directions].index(direction_name)
            dims, type, values = self._make_direction_table(table_name, dim, space_type)
            return (dims[0],), type, tuple(row[direction] for row in values)  # type: ignore[attr-defined]
        match member:
            case "away":
                return (dim, direction_dim), optional(space_type), self.steps
            case "ray":
                return (dim, direction_dim), ListType(space_type), self.rays
            case "away_by":  # Reuse the lists of rays. The last index is the position in the ray, from 1.
                max_steps = max((len(ray) for rays in self.rays for ray in rays), default=0)
                return (dim, direction_dim, Dim(INT, 1, max_steps, True)), optional(space_type), self.rays
            case "line":
                directions, spaces = range(direction_dim.size or 0), range(self.size)
                lines = tuple(tuple(self.get_line(space, direction) for direction in directions) for space in spaces)
                return (dim, direction_dim), ListType(space_type), lines
        raise KeyError(member)


def _reverse_links(links: tuple[Spaces, ...]) -> tuple[Spaces, ...]:
    """Return, for each space, the spaces from which it is touched.

    The result is ``links`` itself if all links go both ways.
    """
    sources: list[list[int]] = [[] for _ in links]
    for space, neighbours in enumerate(links):
        for neighbour in neighbours:
            sources[neighbour].append(space)
    is_symmetric = all(set(forward) == set(backward) for forward, backward in zip(links, sources, strict=True))
    return links if is_symmetric else tuple(map(tuple, sources))


def _search_distances(space: int, links: Iterable[Iterable[int]]) -> tuple[int | None, ...]:
    """Return the number of steps from ``space`` to each space by breadth-first search, or None if unreachable."""
    neighbours = list(links)
    distances: list[int | None] = [None] * len(neighbours)
    distances[space] = 0
    queue = deque([space])
    while queue:
        current_space = queue.popleft()
        for neighbour in neighbours[current_space]:
            if distances[neighbour] is None:
                distances[neighbour] = (distances[current_space] or 0) + 1
                queue.append(neighbour)
    return tuple(distances)


def make_opposite_table(directions: str) -> Table:
    """Return the table of the opposite direction of each direction, such as ``Compass.opposite``.

    ``directions`` is the name of the enum, a key of :data:`DIRECTIONS`. The ``values`` of the table are indices: for
    ``Compass``, (4, 5, 6, 7, 0, 1, 2, 3). Raises KeyError for an unknown enum.
    """
    n_directions = len(DIRECTIONS[directions])
    type = EnumType(directions)
    opposites = tuple((direction + n_directions // 2) % n_directions for direction in range(n_directions))
    return Table(f"{directions}.opposite", (Dim(type, 0, n_directions),), type, opposites, {})


_SQUARE_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
_STEPS: dict[tuple[Shape, bool], dict[int, tuple[int, int]]] = {
    (Shape.GRID, False): dict(enumerate(_SQUARE_STEPS)),
    (Shape.GRID, True): {direction: (columns, -rows) for direction, (columns, rows) in enumerate(_SQUARE_STEPS)},
    (Shape.HEX, False): {1: (0, 1), 2: (1, 0), 3: (1, -1), 5: (0, -1), 6: (-1, 0), 7: (-1, 1)},
    (Shape.HEX, True): {1: (1, -1), 2: (1, 0), 3: (0, 1), 5: (-1, 1), 6: (-1, 0), 7: (0, -1)},
}
"""(Shape, whether the first row is north) -> the step of each compass direction, as (columns, rows)."""

_SPACE_NAME = re.compile(r"([a-z]{1,2})([1-9][0-9]{0,2})")

Place = tuple[int, int]


class BoardSettings(ValueRecord):
    """Settings that boards of any shape can have.

    ``line_lengths`` maps an enum to the number of spaces in each of its straight lines. ``listed_lines`` maps an enum
    to lines that the author lists. ``places`` says where spaces are drawn, and is empty if the author doesn't say."""

    is_first_row_north: bool = False
    wraps: tuple[bool, bool] = (False, False)
    facing: tuple[int, ...] = ()
    line_lengths: Mapping[str, int] = field(default_factory=dict)
    listed_lines: Mapping[str, Sequence[Spaces]] = field(default_factory=dict)
    places: tuple[Place, ...] = ()


def format_column(column: int) -> str:
    """Return the name of a column: ``a`` for 1, ``z`` for 26, ``aa`` for 27, and ``""`` for 0.

    ``column`` must not be negative.
    """
    name = ""
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


def parse_space_name(name: str) -> Place | None:
    """Return the column and row of a space by its name, both from 1: ``b3`` gives (2, 3), and ``aa1`` (27, 1).

    A name has one or two small letters and a number up to 999 without leading zeros. Returns None for any other name.
    """
    match = _SPACE_NAME.fullmatch(name)
    if match is None:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("a") + 1
    return column, int(match[2])


def make_grid(
    name: str, shape: Shape, columns: int, rows: int, exists: Callable[[int, int], bool], extras: BoardSettings
) -> Board:
    """Build a board of squares (``Shape.GRID``) or hexagons (``Shape.HEX``), with the spaces ``a1``, ``b1`` and so on.

    Only spaces for which ``exists(column, row)`` is true are made, both counted from 1. They are numbered from 0, row
    by row from row 1. ``beside`` holds neighbours over edges, ``corners`` neighbours over corners only (none on
    hexagons), and ``around`` both. They are listed clockwise from the north, the side of the last row unless
    ``extras.is_first_row_north``. If an axis wraps, its last line borders on its first. Example: in 2 by 2 squares,
    ``beside`` of ``a1`` is (2, 1), the spaces ``a2`` and ``b1``. In hexagons, that of ``b2`` is ``b3``, ``c2``, ``c1``,
    ``b1``, ``a2``, ``a3``.
    """
    places = [(x, y) for y in range(1, rows + 1) for x in range(1, columns + 1) if exists(x, y)]
    space_at = {place: space for space, place in enumerate(places)}
    offsets = _STEPS[shape, extras.is_first_row_north]

    def _step(place: Place, direction: int) -> int | None:
        """Return the space one step from a place, or None. Directions count clockwise: 0 is north, 1 northeast."""
        offset = offsets.get(direction)
        if offset is None:
            return None
        column, row = place[0] + offset[0], place[1] + offset[1]
        if extras.wraps[0]:
            column = (column - 1) % columns + 1
        if extras.wraps[1]:
            row = (row - 1) % rows + 1
        return space_at.get((column, row))

    steps = tuple(tuple(_step(place, direction) for direction in range(8)) for place in places)
    beside = _find_neighbours(steps, HEX_DIRECTIONS if shape is Shape.HEX else ORTHOGONALS)
    around = _find_neighbours(steps, range(8))
    names = tuple(f"{format_column(x)}{y}" for x, y in places)
    return _make_board(name, shape, names, places, (columns, rows), COMPASS, steps, beside, around, extras)


def make_path(name: str, shape: Shape, names: Sequence[str], extras: BoardSettings) -> Board:
    """Build a ring or a track: spaces in sequence, with the directions ``onward`` and ``back``.

    ``directions`` is the name of their enum, ``Way``. The two steps of a space lead onward and back, or are None:
    ``(1, None)`` at the start of a track. In a ring, the last space leads to the first. A ring of one space leads
    nowhere, and in a ring of two, ``beside`` is ``((1,), (0,))``. ``corners`` is empty for each space, and ``around``
    equals ``beside``. In a track of three, ``beside`` is ``((1,), (2, 0), (1,))``, ``column`` is ``(1, 2, 3)``, and
    ``row`` is ``(1, 1, 1)``, whatever the names. In a ring, the names give ``column`` and ``row``: 2 and 3 for ``b3``.
    They are ``()`` unless all names are like this.
    """
    size, wraps = len(names), shape is Shape.RING and len(names) > 1
    steps = tuple(
        tuple(target % size if wraps or 0 <= target < size else None for target in (space + 1, space - 1))
        for space in range(size)
    )
    beside = _find_neighbours(steps, (0, 1))
    places = [(n + 1, 1) for n in range(len(names))] if shape is Shape.TRACK else _parse_places(names)
    return _make_board(name, shape, tuple(names), places, None, WAY, steps, beside, beside, extras)


def make_network(
    name: str,
    shape: Shape,
    names: Sequence[str],
    links: Iterable[tuple[int, int]],
    is_one_way: bool,
    extras: BoardSettings,
) -> Board:
    """Build a board of linked spaces, of the shape ``LINKS`` or ``LINES``.

    ``links`` are pairs of indices into ``names``; without ``is_one_way``, each goes both ways. Neighbours are in the
    order of the links, without duplicates. Three spaces with the link (0, 1) have ``beside`` ``((1,), (0,), ())``. The
    link (0, 0) makes space 0 its own neighbour. ``around`` equals ``beside``, and ``corners`` is empty for each space.
    ``directions`` is None and ``steps`` is (). If :func:`parse_space_name` reads all names, they give the columns and
    rows: 2 and 3 for ``b3``. ``n_columns`` and ``n_rows`` are then the greatest. Otherwise ``column`` and ``row`` are
    (), and ``n_columns`` and ``n_rows`` 0. ``listed_lines`` in ``extras`` make no links, and ``line_lengths`` must be
    empty.
    """
    links_by_space: list[dict[int, None]] = [{} for _ in names]
    for source, target in links:
        links_by_space[source][target] = None
        if not is_one_way:
            links_by_space[target][source] = None
    beside = tuple(map(tuple, links_by_space))
    places = _parse_places(names)
    return _make_board(name, shape, tuple(names), places, None, None, (), beside, beside, extras)


def _find_neighbours(steps: Iterable[Sequence[int | None]], directions: Collection[int]) -> tuple[Spaces, ...]:
    """Return the neighbours of each space in some directions, without duplicates and without itself."""
    return tuple(
        tuple(dict.fromkeys(target for i in directions if (target := row[i]) is not None and target != space))
        for space, row in enumerate(steps)
    )


def _parse_places(names: Sequence[str]) -> list[Place]:
    """Return the columns and rows of spaces. Return an empty list unless every name is letters and a number."""
    places = [place for name in names if (place := parse_space_name(name)) is not None]
    return places if len(places) == len(names) else []


def _make_board(
    name: str,
    shape: Shape,
    names: tuple[str, ...],
    places: Sequence[Place],
    size: tuple[int, int] | None,
    directions: str | None,
    steps: tuple[tuple[int | None, ...], ...],
    beside: tuple[Spaces, ...],
    around: tuple[Spaces, ...],
    extras: BoardSettings,
) -> Board:
    """Return a board with its symmetries, places for drawing, and named lines.

    ``places`` holds the column and row of each space, from 1, and is empty on a board without them.
    Without ``size``, the greatest column and row are the size.
    """
    columns, rows = size or (max((x for x, _ in places), default=0), max((y for _, y in places), default=0))
    column, row = tuple(x for x, _ in places), tuple(y for _, y in places)
    grid = column, row, columns, rows, extras.is_first_row_north, extras.wraps
    symmetries = _find_symmetries(shape, places, (columns, rows), beside, extras.is_first_row_north)
    board = Board(name, shape, names, *grid, directions, steps, beside, around, symmetries, extras.facing)
    drawing_places = _compute_drawing_places(shape, places, (columns, rows), extras.is_first_row_north)
    lines = [
        _name_lines(enum, _find_straight_lines(board, length), names) for enum, length in extras.line_lengths.items()
    ]
    lines += [_name_lines(enum, spaces, names) for enum, spaces in extras.listed_lines.items()]
    return replace(board, lines=tuple(lines), places=extras.places or drawing_places)


def _find_straight_lines(board: Board, length: int) -> list[Spaces]:
    """Return all straight lines with ``length`` spaces, each in one direction only."""
    lines: dict[frozenset[int], Spaces] = {}
    for space in range(board.size):
        for direction in range(len(DIRECTIONS[board.directions or COMPASS]) // 2):
            line = (space, *board.rays[space][direction][: length - 1])
            if len(line) == length:
                lines.setdefault(frozenset(line), line)
    return list(lines.values())


def _name_lines(enum: str, lines: Sequence[Spaces], names: Sequence[str]) -> Lines:
    """Name lines by their ends, as in ``a1_a7``. Further lines with the same ends get a number: ``a1_a7_2``."""
    line_names: list[str] = []
    times: dict[str, int] = {}
    for line in lines:
        name = f"{names[line[0]]}_{names[line[-1]]}"
        times[name] = times.get(name, 0) + 1
        line_names.append(name if times[name] == 1 else f"{name}_{times[name]}")
    return Lines(enum, tuple(line_names), tuple(lines))


# ---------------------------------------------------------------- symmetries


def _find_symmetries(
    shape: Shape, places: Sequence[Place], size: tuple[int, int], beside: Sequence[Spaces], is_first_row_north: bool
) -> dict[str, Spaces]:
    """Return the symmetries of a board: maps from spaces to spaces that preserve neighbours."""
    space_at = {place: space for space, place in enumerate(places)}
    symmetries: dict[str, Spaces] = {}
    for name, map_place in (_HEX_MAPS if shape is Shape.HEX else _SQUARE_MAPS).items():
        images = [space_at.get(map_place(place, size)) for place in places]
        symmetry = tuple(space for space in images if space is not None)
        if not places or len(symmetry) < len(places):
            continue
        mapped_neighbours = ({symmetry[neighbour] for neighbour in neighbours} for neighbours in beside)
        if all(mapped == set(beside[image]) for mapped, image in zip(mapped_neighbours, symmetry, strict=True)):
            symmetries[name] = symmetry
    # The maps assume rows that count from the south, so a turn is inverted here.
    if is_first_row_north and "turned" in symmetries:
        symmetries["turned"] = tuple(symmetries["turned"].index(space) for space in range(len(places)))
    if shape is Shape.RING and not places and len(beside) % 2 == 0:
        half = len(beside) // 2
        symmetries["opposite"] = tuple((space + half) % len(beside) for space in range(len(beside)))
    return symmetries


_SQUARE_MAPS: dict[str, Callable[[Place, tuple[int, int]], Place]] = {
    "mirrored": lambda p, size: (size[0] + 1 - p[0], p[1]),
    "flipped": lambda p, size: (p[0], size[1] + 1 - p[1]),
    "turned": lambda p, size: (p[1], size[0] + 1 - p[0]) if size[0] == size[1] else (0, 0),
    "opposite": lambda p, size: (size[0] + 1 - p[0], size[1] + 1 - p[1]),
    "transposed": lambda p, size: (p[1], p[0]),
}

# Hexagon maps go around the middle. In axial coordinates q and r from the middle, the mirror is (q, r) -> (-q - r, r),
# and a sixth of a turn is (q, r) -> (q + r, -q). If a rhombus has even sides, no hexagon lies in its middle.
_HEX_MAPS: dict[str, Callable[[Place, tuple[int, int]], Place]] = {
    "mirrored": lambda p, size: (size[0] + 1 - p[0] + (size[1] + 1) // 2 - p[1], p[1]),
    "flipped": lambda p, size: (p[0] + p[1] - (size[1] + 1) // 2, size[1] + 1 - p[1]),
    "turned": lambda p, size: (p[0] + p[1] - (size[1] + 1) // 2, (size[1] + 1) // 2 + (size[0] + 1) // 2 - p[0]),
    "opposite": lambda p, size: (size[0] + 1 - p[0], size[1] + 1 - p[1]),
    "transposed": lambda p, size: (p[1], p[0]),
}


# ---------------------------------------------------------------- drawing


def _compute_drawing_places(
    shape: Shape, places: Sequence[Place], size: tuple[int, int], is_first_row_north: bool
) -> tuple[Place, ...]:
    """Return where spaces are drawn: rows from the top, columns in half cells."""
    drawing_places = []
    for column, row in places:
        drawing_row = row - 1 if is_first_row_north else size[1] - row
        indent = row - 1 if shape is Shape.HEX else 0
        drawing_places.append((drawing_row, 2 * (column - 1) + indent))
    min_column = min((column for _, column in drawing_places), default=0)
    return tuple((row, column - min_column) for row, column in drawing_places)
