"""Test boards of the view: grids of texts over two lists, for screens and playthroughs."""

from __future__ import annotations

from programs import checked, read_data

from lusory.game import Game
from lusory.view.seat_view import View

DATA = read_data(__file__)

RULES = DATA["rules"]


def draw_boards(boards: str, steps: int = 0, players: int = 2) -> View:
    text = RULES.replace("BOARDS", boards).replace("enums:\n", "enums:\n  Answer: [yes, no_more]\n")
    game = Game(checked(text), players)
    state = game.start(0)
    for _ in range(steps):
        state = game.apply(state, 0)
    return game.view(state, 0)


def test_rows_and_columns_are_read_for_each_view() -> None:
    board = '    - {title: Site, rows: 1..2, columns: site, text: "{row * column.spot}"}'
    assert draw_boards(board).table() == ["Site", "   Red", "1  2", "2  4"]
    assert draw_boards(board, 2).table() == ["Site", "   Red  Blue", "1  2    4", "2  4    8"]


def test_every_player_has_a_row() -> None:
    board = '    - {title: Seats, rows: players, columns: Side, text: "{row.seat}{column}"}'
    assert draw_boards(board).table() == ["Seats", "    Left   Right", "P1  1Left  1Right", "P2  2Left  2Right"]
    assert len(draw_boards(board, players=3).table()) == 5


def test_numbers_can_be_computed() -> None:
    board = '    - {title: "", rows: "1..count(site)", columns: "0..max(t.spot for t in site) - 2", text: "x"}'
    assert draw_boards(board).table() == ["   0", "1  x"]
    assert draw_boards(board, 2).table() == ["   0  1  2", "1  x  x  x", "2  x  x  x"]


def test_board_can_be_left_out() -> None:
    board = '    - {title: Night, rows: 1..1, columns: 1..1, text: "*", if: night}'
    assert "Night" not in draw_boards(board).table()
    assert draw_boards(board, 2).table() == ["Night", "   1", "1  *"]


def test_only_the_number_of_hidden_cards_is_shown() -> None:
    board = '    - {title: Bag, rows: 1..1, columns: bag, text: "{column.spot}"}'
    assert draw_boards(board).table() == ["Bag", "   ?  ?", "1  ?  ?"]
    counted = '    - {title: Bag, rows: "1..sum(t.spot for t in bag)", columns: 1..1, text: "x"}'
    assert "Bag" not in draw_boards(counted).table()


TALL = DATA["tall"]


def test_cells_can_have_several_lines_and_no_headings() -> None:
    lines = ["    ^          ^", "< Red 1 >  < Blue 1 >", "", "    ^          ^", "< Red 2 >  < Blue 2 >"]
    assert draw_boards(TALL, 2).table() == [*lines, "    v          v"]
