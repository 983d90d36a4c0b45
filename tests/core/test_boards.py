"""Test the geometry of boards against an independent calculation by coordinates."""

from __future__ import annotations

import itertools

import pytest

from lusory_dsl.core.board_drawing_and_parsing import draw_board, parse_picture
from lusory_dsl.core.board_geometry import (
    DIRECTIONS,
    Board,
    BoardSettings,
    Shape,
    format_column,
    make_grid,
    make_network,
    make_path,
    parse_space_name,
)

STEPS = {"north": (0, 1), "north_east": (1, 1), "east": (1, 0), "south_east": (1, -1)}
STEPS |= {"south": (0, -1), "south_west": (-1, -1), "west": (-1, 0), "north_west": (-1, 1)}


def make_squares(columns: int, rows: int, extras: BoardSettings = BoardSettings(), only=lambda x, y: True) -> Board:  # noqa: B008
    return make_grid("Square", Shape.GRID, columns, rows, only, extras)


def make_hexes(columns: int, rows: int, extras: BoardSettings = BoardSettings(), only=lambda x, y: True) -> Board:  # noqa: B008
    return make_grid("Cell", Shape.HEX, columns, rows, only, extras)


def list_spaces(board: Board, numbers) -> list[str]:
    return [board.names[n] for n in numbers]


def find_space(board: Board, text: str) -> list[int]:
    return [board.names.index(name) for name in text.split()]


@pytest.mark.parametrize("only", [lambda x, y: True, lambda x, y: (x + y) % 3 != 0], ids=["all", "holes"])
def test_rays_of_squares_end_at_missing_spaces(only) -> None:
    board = make_squares(5, 4, only=only)
    places = {(x, y) for x in range(1, 6) for y in range(1, 5) if only(x, y)}
    assert set(board.space_at) == places
    for (x, y), (name, (across, up)) in itertools.product(board.space_at, STEPS.items()):
        ray = list(itertools.takewhile(places.__contains__, ((x + across * n, y + up * n) for n in range(1, 6))))
        ray_spaces = board.rays[board.space_at[x, y]][DIRECTIONS["Compass"].index(name)]
        assert [(board.column[space], board.row[space]) for space in ray_spaces] == ray


def test_neighbours_of_a_square() -> None:
    board = make_squares(4, 4)
    (b2,) = find_space(board, "b2")
    assert list_spaces(board, board.beside[b2]) == ["b3", "c2", "b1", "a2"]
    assert list_spaces(board, board.corners[b2]) == ["c3", "c1", "a1", "a3"]
    assert set(board.around[b2]) == {*board.beside[b2], *board.corners[b2]}
    (a1,) = find_space(board, "a1")
    assert list_spaces(board, board.around[a1]) == ["a2", "b2", "b1"]


def test_lines_in_both_directions_and_spaces_between() -> None:
    board = make_squares(5, 5)
    b2, e5, a1, c1 = find_space(board, "b2 e5 a1 c1")
    north_east = DIRECTIONS["Compass"].index("north_east")
    assert list_spaces(board, board.get_line(b2, north_east)) == ["a1", "b2", "c3", "d4", "e5"]
    assert board.straight_pairs[b2, e5] == (north_east, tuple(find_space(board, "c3 d4")))
    assert (b2, c1) in board.straight_pairs
    assert (a1, c1) in board.straight_pairs
    assert (b2, a1) in board.straight_pairs
    assert (e5, c1) not in board.straight_pairs
    assert (a1, a1) not in board.straight_pairs


def test_first_row_can_be_the_northern_one() -> None:
    board = make_squares(3, 3, BoardSettings(is_first_row_north=True, facing=(0, 4)))
    b2, b1, b3 = find_space(board, "b2 b1 b3")
    assert board.steps[b2][0] == b1
    assert [board.compute_rank(b3, 0), board.compute_rank(b3, 1)] == [1, 3]
    assert board.places[b1] < board.places[b2] < board.places[b3]
    a1, c1 = find_space(board, "a1 c1")
    assert board.symmetries["turned"][a1] == c1, "clockwise, on what is seen"


def test_ranks_from_each_seat() -> None:
    board = make_squares(4, 4, BoardSettings(facing=(0, 4, 2, 6)))
    (b1,) = find_space(board, "b1")
    assert [board.compute_rank(b1, seat) for seat in range(4)] == [1, 4, 2, 3]
    assert board.get_table("forward").values == (0, 4, 2, 6)
    assert board.get_table("left").values == (6, 2, 0, 4)


def test_edges_that_meet() -> None:
    cylinder = make_squares(4, 3, BoardSettings(wraps=(True, False)))
    a1, d1, a3 = find_space(cylinder, "a1 d1 a3")
    east, west, north = 2, 6, 0
    assert cylinder.steps[d1][east] == a1
    assert cylinder.steps[a3][north] is None
    assert list_spaces(cylinder, cylinder.rays[a1][west]) == ["d1", "c1", "b1"], "once round, without the space itself"
    assert list_spaces(cylinder, cylinder.get_line(a1, east)) == ["a1", "b1", "c1", "d1"]
    assert cylinder.straight_pairs[a1, d1] == (west, ()), "the shorter way"
    torus = make_squares(3, 3, BoardSettings(wraps=(True, True)))
    assert {len(spaces) for spaces in torus.beside} == {4}
    assert {len(spaces) for spaces in torus.corners} == {4}


@pytest.mark.parametrize("is_north", [False, True])
def test_hexagons(is_north: bool) -> None:
    board = make_hexes(5, 5, BoardSettings(is_first_row_north=is_north))
    (c3,) = find_space(board, "c3")
    assert len(board.beside[c3]) == 6
    assert board.corners[c3] == ()
    middle = board.places[c3]
    for direction, (down, across) in {1: (-1, 1), 2: (0, 2), 3: (1, 1), 5: (1, -1), 6: (0, -2), 7: (-1, -1)}.items():
        target = board.steps[c3][direction]
        assert target is not None
        assert board.places[target] == (middle[0] + down, middle[1] + across), "as it is drawn"
    assert board.steps[c3][0] is board.steps[c3][4] is None


def make_hexagon(side: int, is_north: bool = False) -> Board:
    width = 2 * side - 1
    extras = BoardSettings(is_first_row_north=is_north)
    return make_hexes(width, width, extras, lambda x, y: side + 1 <= x + y <= 3 * side - 1)


@pytest.mark.parametrize("is_north", [False, True])
@pytest.mark.parametrize("side", [1, 2, 3, 5])
def test_hexagon_has_all_its_symmetries(side: int, is_north: bool) -> None:
    board = make_hexagon(side, is_north)
    assert board.size == 3 * side * (side - 1) + 1
    assert set(board.symmetries) == {"mirrored", "flipped", "turned", "opposite", "transposed"}
    turn, places = board.symmetries["turned"], board.places
    for space in range(board.size):
        for direction, target in enumerate(board.steps[space]):
            # After a turn by a sixth clockwise, each direction becomes the next one that exists.
            if target is not None:
                next_direction = next(n for n in (1, 2, 3, 5, 6, 7, 1) if n > direction or (direction == 7 and n == 1))
                assert board.steps[turn[space]][next_direction] == turn[target]
        across = [places[space][1], places[board.symmetries["mirrored"][space]][1]]
        assert sum(across) == max(column for _, column in places)


@pytest.mark.parametrize(
    ("board", "has"),
    [
        (make_squares(4, 4), "mirrored flipped turned opposite transposed"),
        (make_squares(4, 5), "mirrored flipped opposite"),
        (make_squares(8, 8, only=lambda x, y: (x + y) % 2 == 0), "opposite transposed"),
        (make_hexes(4, 4), "opposite transposed"),
        (make_hexes(4, 3), "opposite"),
        (make_path("Pit", Shape.RING, ["up", "right", "down", "left"], BoardSettings()), "opposite"),
        (make_path("Field", Shape.TRACK, ["f1", "f2", "f3"], BoardSettings()), "mirrored opposite flipped"),
    ],
)
def test_symmetries_of_each_shape(board: Board, has: str) -> None:
    if board.shape is not Shape.TRACK:
        assert set(board.symmetries) == set(has.split())
    for symmetry in board.symmetries.values():
        assert sorted(symmetry) == list(range(board.size))
        for space, neighbours in enumerate(board.beside):
            assert {symmetry[neighbour] for neighbour in neighbours} == set(board.beside[symmetry[space]])


def test_quarter_turns_are_clockwise() -> None:
    board = make_squares(3, 3)
    assert list_spaces(board, [board.symmetries["turned"][n] for n in find_space(board, "a1 a3 c3 c1 b2 a2")]) == (
        ["a3", "c3", "c1", "a1", "b2", "b3"]
    )


@pytest.mark.parametrize("make", [make_squares, make_hexes])
def test_drawing_without_a_row_round_trips(make) -> None:
    board = make(3, 3, only=lambda x, y: y != 2)
    picture = "\n".join(draw_board(board, board.names.__getitem__))
    assert [(mark.space, mark.sign) for mark in parse_picture(board, picture)] == [
        (space, board.names[space]) for space in (3, 4, 5, 0, 1, 2)
    ]


def test_ring_is_traversed_once() -> None:
    names = ["a1", "b1", "c1", "c2", "b2", "a2"]
    board = make_path("Pit", Shape.RING, names, BoardSettings())
    assert list_spaces(board, board.rays[0][0]) == ["b1", "c1", "c2", "b2", "a2"]
    assert list_spaces(board, board.rays[0][1]) == ["a2", "b2", "c2", "c1", "b1"]
    assert list_spaces(board, board.beside[0]) == ["b1", "a2"]
    assert (board.n_columns, board.n_rows, board.column[3], board.row[3]) == (3, 2, 3, 2)
    track = make_path("Field", Shape.TRACK, [f"f{n}" for n in range(1, 6)], BoardSettings())
    assert list_spaces(track, track.rays[1][0]) == ["f3", "f4", "f5"]
    assert track.steps[0][1] is None
    assert track.column == (1, 2, 3, 4, 5)


def test_links_are_symmetric_unless_one_way() -> None:
    board = make_network("Space", Shape.LINKS, ["ab", "cd", "ef"], [(0, 1), (1, 2)], False, BoardSettings())
    assert board.beside == ((1,), (0, 2), (1,))
    assert board.compute_distances(False)[0] == (0, 1, 2)
    one_way = make_network("Space", Shape.LINKS, ["ab", "cd", "ef"], [(0, 1), (1, 2)], True, BoardSettings())
    assert one_way.beside == ((1,), (2,), ())
    assert one_way.compute_distances(False)[2] == (None, None, 0)
    assert board.column == ()


def test_printed_lines() -> None:
    names = ["a7", "d7", "g7", "a4", "a1"]
    board = make_network(
        "Point",
        Shape.LINES,
        names,
        [(0, 1), (1, 2), (0, 3), (3, 4)],
        False,
        BoardSettings(listed_lines={"Mill": [(0, 1, 2), (0, 3, 4)]}),
    )
    (mills,) = board.lines
    assert mills.names == ("a7_g7", "a7_a1")
    assert board.straight_pairs[0, 2] == (None, (1,))
    assert board.straight_pairs[4, 0] == (None, (3,))
    assert (2, 4) not in board.straight_pairs


SQUARE_LINES = [(make_squares(7, 6), 4, 69), (make_squares(3, 3), 3, 8), (make_squares(8, 8), 8, 18)]
HEX_LINES = [(make_hexes(4, 4), 4, 9), (make_hexagon(3), 5, 3)]


@pytest.mark.parametrize(("board", "length", "number"), [*SQUARE_LINES, *HEX_LINES])
def test_all_straight_lines(board: Board, length: int, number: int) -> None:
    extras = BoardSettings(line_lengths={"Four": length})
    with_lines = make_grid("S", board.shape, board.n_columns, board.n_rows, lambda *xy: xy in board.space_at, extras)
    (lines,) = with_lines.lines
    assert len(lines.spaces) == len({frozenset(line) for line in lines.spaces}) == len(set(lines.names)) == number
    assert {len(line) for line in lines.spaces} == {length}


def test_distances_are_those_of_coordinates() -> None:
    board = make_squares(5, 4)
    edges, corners = board.compute_distances(False), board.compute_distances(True)
    for (place, space), (target_place, target) in itertools.product(board.space_at.items(), repeat=2):
        across, up = abs(place[0] - target_place[0]), abs(place[1] - target_place[1])
        assert edges[space][target] == across + up
        assert corners[space][target] == max(across, up)


def test_names_of_columns() -> None:
    assert [format_column(n) for n in (1, 26, 27, 52, 53)] == ["a", "z", "aa", "az", "ba"]
    assert [parse_space_name(name) for name in ("a1", "z20", "aa1", "north", "a0")] == [
        (1, 1),
        (26, 20),
        (27, 1),
        None,
        None,
    ]


def test_tables_name_their_subject() -> None:
    board = make_squares(3, 3)
    assert board.get_table("away_by").values is board.get_table("ray").values, "one list for both"
    assert board.get_table("at").values[1][2] == board.names.index("b3")  # type: ignore[index]
    for member in ("nothing", "ray.nowhere"):
        with pytest.raises(KeyError):
            board.get_table(member)
