"""What stands where on a terminal of some size: never more than it has rows, and what has no room is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lusory.ui.model.screen import Cell, Column, Deed, Grid, Hand, Head, Held, Item, Items, Players, Row, Screen
from lusory.ui.model.text import Run, plain, width_of
from lusory.ui.textual.screen_arrangement import Arranging, first_of, head_of, list_rows


def screen_with(players: int, items: int) -> Screen:
    """A screen with a row for each player, a line below it, and a list of so many items on the table."""
    heads = tuple(Head((Run(f"P{seat + 1}"),), seat) for seat in range(players))
    cells = tuple(Cell(((Run("word " * 8),),)) for _ in range(players))
    rows = Players("players", "", heads, (Column("What they hold", cells, below=True),))
    listed = Items("table", "", tuple(Item(f"{n}", Cell(((Run("x"),),))) for n in range(items)))
    names = tuple(f"P{seat + 1}" for seat in range(players))
    return Screen("Title", 0, names, (), (rows, listed), (), None, None, None)


@pytest.mark.parametrize("columns, rows", [(80, 24), (120, 40), (60, 20)])
@pytest.mark.parametrize("players", [1, 2, 6])
@pytest.mark.parametrize("items", [0, 3, 40])
@pytest.mark.parametrize("asked", [3, 10])
def test_all_parts_have_room(players: int, items: int, asked: int, columns: int, rows: int) -> None:
    found = Arranging(screen_with(players, items)).arranged(columns, rows, asked)
    sizes = found.sizes
    middle = sizes.table if sizes.side else sizes.table + sizes.story
    assert sizes.head + sizes.players + middle + asked <= rows
    missing = 2 * players - len(found.players)
    assert ("more lines" in plain(found.players[-1])) == (missing > 0)


def test_what_the_table_leaves_goes_to_the_players() -> None:
    assert len(Arranging(screen_with(6, 1)).arranged(80, 24, 4).players) == 12


def test_what_one_holds_stays_in_sight_where_the_table_has_no_room() -> None:
    screen = screen_with(2, 40)
    hand = Hand("table", "Hand", (Held(Cell(((Run("Baker (2)"),),))),))
    screen = replace(screen, panels=(*screen.panels, hand))
    low = Arranging(screen).arranged(80, 24, 10)
    assert [plain(line) for line in low.hand] == ["Hand  Baker (2)"] and low.sizes.hand == 1
    assert plain(low.table[-1]) == "39  x" and low.sizes.table < 40
    high = [plain(line) for line in Arranging(screen).arranged(80, 90, 10).table]
    assert high[-2:] == ["Hand", "Baker (2)"]


def test_what_is_ones_own_is_in_sight_first() -> None:
    def first(*own: int, home: int | None = None) -> int:
        runs = [Run("x", "red" if at in own else "", of="Player:P1" if at == home else "") for at in range(20)]
        return first_of([(run,) for run in runs], 5, ("Player:P1", "red"))

    assert (first(), first(3), first(3, 7), first(3, 8, 9, 10)) == (0, 0, 3, 6)
    assert first(3, home=19) == 15, "what stands for oneself before what has one's colour"
    assert first_of([()] * 5, 5, ("Player:P1", "red")) == 0


def test_what_options_are_about_is_in_sight_first() -> None:
    table = [(Run("x", of=f"Card:{at}"),) for at in range(20)]
    none = ("", "")
    assert first_of(table, 5, none, {"Card:11", "Card:13"}) == 9
    assert first_of(table, 5, none, {"Card:2", "Card:11", "Card:13"}) == 9, "as much of it as there is room for"
    assert first_of(table, 5, ("Card:2", ""), {"Card:2", "Card:11", "Card:13"}) == 0, "and what stands for oneself"


def test_of_a_hand_that_has_no_room_all_can_be_scrolled_to_and_the_table_keeps_some() -> None:
    screen = screen_with(2, 40)
    hand = Hand("table", "Hand", tuple(Held(Cell(((Run(f"Card {at} " + "x" * 60),),))) for at in range(9)))
    found = Arranging(replace(screen, panels=(*screen.panels, hand))).arranged(80, 24, 8)
    assert len(found.hand) == 9 and found.sizes.hand < 9 and found.sizes.table >= 3 and not found.fits
    assert max(map(width_of, [*found.hand, *found.table])) < 80, "beside a bar to scroll with"


def test_all_that_stands_at_the_head_is_told_in_as_many_lines_as_it_takes() -> None:
    items = tuple(Item(f"Number {at}", Cell(((Run("x" * 12),),))) for at in range(6))
    screen = replace(screen_with(2, 0), phase=(Run("Phase"),), panels=(Items("header", "", items, True),))
    heads = [plain(line) for line in head_of(screen, screen.panels, 80, 24)]
    assert all(f"Number {at} xxx" in " ".join(heads) for at in range(6))
    assert heads[0].startswith(" Title  Phase   Number 0") and len(heads) == 3
    assert plain(head_of(replace(screen, panels=screen.panels * 9), screen.panels * 9, 80, 24)[-1]).endswith(
        "more lines"
    )


def test_the_list_is_low_while_one_points_at_the_board() -> None:
    assert [list_rows(24), list_rows(24, on_board=True), list_rows(40, on_board=True)] == [6, 2, 12]


def test_the_story_beside_the_table_leaves_room_for_a_bar_to_scroll_with() -> None:
    screen = replace(screen_with(2, 3), story=(Deed((Run("a " * 100),)),))
    found = Arranging(screen).arranged(120, 40, 5)
    border, padding, bar = 1, 1, 1
    assert max(map(width_of, found.story)) <= found.sizes.side - border - padding - bar


def test_the_story_has_no_more_than_the_table_leaves() -> None:
    wide = Grid("table", "", ((),), (Row((), (Cell(((Run("x" * 85),),)),)),), False)
    screen = replace(screen_with(2, 0), panels=(*screen_with(2, 0).panels[:1], wide))
    found = Arranging(screen).arranged(120, 40, 5)
    assert found.sizes.side == 120 - 85 - 1 and plain(found.table[0]) == "x" * 85
