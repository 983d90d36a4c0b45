"""Panels as lines: nothing is wider than asked, what is left out is said, words still name what they stand for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings, strategies as st
from programs import checked, read_data

from lusory import Game
from lusory.explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    cut_line,
    list_graphemes,
    padded,
    plain,
    run_at,
    take_characters,
    text_width,
    width_of,
    wrap_line,
    wrap_with_hanging_indent,
)
from lusory.ui.model.panel_builder_and_value_looks import build_panels
from lusory.ui.model.panel_lines import lay_out_panel, stack_panels
from lusory.ui.model.screen import (
    Cell,
    Column,
    Dial,
    Dials,
    Grid,
    Hand,
    Head,
    Held,
    Item,
    Items,
    Map,
    Node,
    Panel,
    Pile,
    Piles,
    Players,
    Row,
)
from lusory.ui.model.screen_layout import MOST_TITLE_LINES, Asked, _title_lines

DATA = read_data(__file__)

WORDS = st.lists(st.text("ab漢é ", min_size=1, max_size=9).map(Run), max_size=5).map(tuple)
CELLS = st.builds(Cell, st.lists(WORDS, max_size=3).map(tuple), st.lists(WORDS, max_size=1).map(tuple))


def cell(text: str) -> Cell:
    return Cell(((Run(text, of=f"Word:{text}"),),))


def panel_strategy() -> st.SearchStrategy[Panel]:
    items = st.lists(st.builds(Item, st.text("xyz", max_size=6), CELLS), max_size=5).map(tuple)
    column = st.builds(Column, st.text("pq", max_size=12), st.tuples(CELLS, st.none() | CELLS), below=st.booleans())
    row = st.builds(Row, WORDS, st.tuples(CELLS, st.none() | CELLS, CELLS), st.integers(0, 3))
    grid = st.builds(
        Grid,
        st.just("table"),
        st.text("t", max_size=3),
        st.tuples(WORDS, WORDS, WORDS),
        st.lists(row, max_size=4).map(tuple),
        st.booleans(),
        st.sampled_from(["none", "squares", "boxes"]),
        st.booleans(),
    )
    nodes = st.tuples(CELLS, CELLS, CELLS, CELLS).map(
        lambda cells: tuple(Node(inner, at % 2, at // 2) for at, inner in enumerate(cells))
    )
    edges = st.lists(st.sampled_from([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]), max_size=5, unique=True).map(tuple)
    heads = tuple(Head((Run(name),), seat, you=not seat) for seat, name in enumerate(("Anna", "Bob")))
    return st.one_of(
        st.builds(Items, st.just("own"), st.just("Things"), items, st.booleans()),
        st.builds(Players, st.just("players"), st.just(""), st.just(heads), st.lists(column, max_size=6).map(tuple)),
        grid,
        st.builds(Map, st.just("table"), st.just(""), nodes, edges),
    )


@given(panel_strategy(), st.integers(40, 130), st.none() | st.integers(1, 20))
@settings(max_examples=150, deadline=None)
def test_nothing_is_wider_than_asked(panel: Panel, columns: int, rows: int | None) -> None:
    wide = [line for line in lay_out_panel(panel, columns, rows) if width_of(line) > columns]
    assert not wide, wide


@given(WORDS, st.integers(1, 30), st.integers(0, 4))
@example((Run(" abc"), Run("def")), 6, 0)
def test_wrapping_loses_no_letter_that_a_line_can_hold(line: Line, columns: int, indent: int) -> None:
    found = wrap_line(line, columns, min(indent, columns - 1))

    assert all(width_of(part) <= columns for part in found)
    longest = max((text_width(word) for word in plain(line).split()), default=0)
    if longest <= columns - indent:
        assert "".join("".join(map(plain, found)).split()) == "".join(plain(line).split())


def test_a_line_that_is_wrapped_keeps_its_own_blanks() -> None:
    found = wrap_with_hanging_indent((Run("    Choose a card of "), Run("your hand"), Run(" and play it")), 20)

    assert [plain(line) for line in found] == ["    Choose a card of", "      your hand and", "      play it"]
    assert [plain(line) for line in wrap_with_hanging_indent((Run(" " * 30 + "far"), Run(" in")), 10)] == [
        "     far",
        "       in",
    ]


def test_blanks_at_the_end_of_a_wrapped_line_give_no_line() -> None:
    assert [plain(line) for line in wrap_line((Run("abc   "),), 3, 2)] == ["abc"]
    assert [plain(line) for line in wrap_line((Run("   "),), 1)] == [""]


def test_a_line_is_cut_and_filled_up_by_columns_of_the_terminal() -> None:
    line = (Run("漢字"), Run("ab", of="X:y"))

    assert plain(cut_line(line, 4)) == "漢…"
    assert plain(padded(line, 8, "right")) == "  漢字ab"
    assert plain(padded(line, 9, "centre")) == " 漢字ab  "


def test_what_stands_at_a_place_names_its_value() -> None:
    lines = lay_out_panel(Hand("own", "Hand", (Held(cell("Fire"), 2), Held(cell("Flood")))), 40)

    assert [plain(line) for line in lines] == ["Hand", "2× Fire  Flood"]
    found = [run.of for column in (0, 3, 6, 9, 13) if (run := run_at(lines, column, 1)) is not None]
    assert found == ["", "Word:Fire", "Word:Fire", "Word:Flood", "Word:Flood"]
    assert run_at(lines, 40, 1) is None and run_at(lines, 0, 2) is None


def test_boxes_have_their_sides_in_common_and_room_where_there_is_any() -> None:
    rows = (Row((), (cell("ab"), None, cell("c"))), Row((), (cell("d"), cell("e"), None)))
    boxes = Grid("table", "", ((),) * 3, rows, False, "boxes")

    assert [plain(line) for line in lay_out_panel(boxes, 16)] == [
        "┌────┐    ┌────┐",
        "│ ab │    │ c  │",
        "├────┼────┼────┘",
        "│ d  │ e  │",
        "└────┴────┘",
    ]
    assert [plain(line) for line in lay_out_panel(boxes, 15)] == [
        "┌──┐  ┌──┐",
        "│ab│  │c │",
        "├──┼──┼──┘",
        "│d │e │",
        "└──┴──┘",
    ]


def test_names_of_columns_are_wrapped_and_room_goes_where_it_is_wanted() -> None:
    heads = tuple((Run(name),) for name in ("Cost", "Workers needed", "Event"))
    rows = tuple(Row((Run(name),), tuple(map(cell, ("1", "2", event)))) for name, event in (("Inn", "World Fair"),))
    grid = Grid("table", "Buildings and what they cost", heads, rows, even=False)

    assert [plain(line) for line in lay_out_panel(grid, 27)] == [
        "Buildings and what they",
        "cost",
        "         Workers",
        "    Cost needed    Event",
        "Inn 1    2       World Fair",
    ]
    assert [plain(line) for line in lay_out_panel(grid, 23)[-2:]] == [
        "Inn  1      2    World",
        "                  Fair",
    ]


def test_titles_are_wrapped_before_they_are_cut() -> None:
    heads = tuple(Head((Run(name),), seat) for seat, name in enumerate(("Anna", "Bob")))
    columns = (
        Column("Tokens won", (cell("3"), cell("4"))),
        Column("Said last", (cell("a long word of many words"), cell("no"))),
    )
    assert [plain(line) for line in lay_out_panel(Players("players", "", heads, columns), 30)] == [
        "       Tokens",
        "       won     Said last",
        " Anna  3       a long word of",
        "               many words",
        " Bob   4       no",
    ]
    columns = (Column("Stock", (cell("W 2 H 2 A 1 C 2 D 1"), cell("?"))), Column("Ruins", (cell("1"), cell("0"))))
    narrow = lay_out_panel(Players("players", "", heads, columns), 32)
    assert plain(narrow[1]) == " Anna W 2 H 2 A 1 C 2 D 1 1", "the gaps get smaller before a number leaves its line"
    items = Items("table", "", (Item("Cards, the lowest first", cell("Jack, Queen, King")), Item("Deck", cell("3"))))
    assert next(plain(line) for line in lay_out_panel(items, 45)) == "Cards, the lowest first  Jack, Queen, King"
    assert [plain(line) for line in lay_out_panel(items, 40)] == [
        "Cards, the lowest      Jack, Queen, King",
        "first",
        "Deck                   3",
    ]


def a_map(rows: str, *links: tuple[int, int]) -> Map:
    """Names where they stand, a place every eight letters."""
    nodes = [
        Node(cell(line[at : at + 8].strip()), at // 8, down)
        for down, line in enumerate(rows.strip("\n").split("\n"))
        for at in range(0, len(line), 8)
        if line[at : at + 8].strip()
    ]
    return Map("table", "", tuple(nodes), links)


def test_links_are_drawn_or_told() -> None:
    shown = a_map("aa              bb\n        cc\ndd", (0, 1), (0, 2), (1, 2), (0, 3), (1, 3))

    assert [plain(line) for line in lay_out_panel(shown, 40)] == [
        "aa──────bb",
        "│ ╲   ╱",
        "│   cc",
        "│",
        "dd",
        "also linked: bb–dd",
    ]


def test_links_have_corners_where_there_is_room_and_go_round_where_there_is_none() -> None:
    rows = "Harbour Market  Palace\nBarracks        Senate\nHut     Crypt   Gate\nWell    Sky     Tower"
    shown = a_map(rows, (0, 1), (0, 5), (1, 3), (1, 4), (2, 7), (4, 7), (5, 8), (6, 9))
    assert [plain(line) for line in lay_out_panel(shown, 60)] == [
        "╭──Harbour────Market  Palace─╮",
        "│       ╭─────╯   ╰───╮      │",
        "│  Barracks           Senate │",
        "│                       │    │",
        "╰────Hut      Crypt    Gate──╯",
        "      │         │",
        "     Well      Sky    Tower",
    ]
    places = (("Alley Row", 1, 0), ("Town Hall", 0, 1), ("Sky", 1, 1), ("South Row", 1, 2))
    past = Map("table", "", tuple(Node(cell(name), *at) for name, *at in places), ((0, 3), (1, 3)))
    assert [plain(line) for line in lay_out_panel(past, 60)] == [
        "              Alley Row──╮",
        "                         │",
        "  Town Hall      Sky     │",
        "        ╰───────╮        │",
        "              South Row──╯",
    ]
    longer = replace(past, nodes=(*past.nodes[:3], replace(past.nodes[3], cell=cell("South Rows"))))
    assert lay_out_panel(longer, 60)[:4] == lay_out_panel(past, 60)[:4]


def test_all_is_on_one_line_where_there_are_fewest_rows() -> None:
    nodes = [
        Node(Cell(((Run(name),), (Run(f"a knight of {name}"),)), ((Run(name),), (Run("kn"),))), at % 2, at // 2)
        for at, name in enumerate(("Rome", "Bath", "York", "Kiel"))
    ]
    shown = Map("table", "", tuple(nodes), ((0, 1), (0, 2)))
    forms = ((60, None), (24, None), (60, 4))
    assert [len(lay_out_panel(shown, columns, rows)) for columns, rows in forms] == [5, 5, 3]
    assert [plain(line) for line in lay_out_panel(shown, 60, 2)] == [
        "Rome kn──Bath kn",
        "York kn  Kiel kn",
        "F2 draws all links.",
    ]


def test_a_wide_map_wraps_what_is_in_its_spaces_before_it_leaves_that_out() -> None:
    words = ((Run("Rome"),), (Run("a knight of Rome"),), (Run("the other knight of Rome"),))
    nodes = tuple(Node(Cell(words, ((Run("Rome"),),)), at, 0) for at in range(4))
    shown = Map("table", "", nodes, ((0, 1),))
    assert "knight" in " ".join(plain(line) for line in lay_out_panel(shown, 79, 6))
    assert "knight" not in " ".join(plain(line) for line in lay_out_panel(shown, 79, 1))


def test_dials_show_their_order_and_where_things_lead() -> None:
    faces = tuple(map(cell, ("Arm", "Salvage", "Export")))
    dial = Dial((Run("Anna left"),), faces, 1, ((2, (Run("1"),)),))

    assert [plain(line) for line in lay_out_panel(Dials("table", "", (dial,)), 60)] == [
        "Anna left  Arm →[Salvage]→ Export◂1 ↺"
    ]


def test_piles_tell_what_is_seen() -> None:
    piles = (Pile((Run("Deck"),), 12), Pile((Run("Discards"),), 3, cell("Fire")))

    assert [plain(line) for line in lay_out_panel(Piles("table", "", piles), 60)] == ["Deck 12   Discards 3: Fire"]


SHOWN = DATA["shown"]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_players_are_rows_whatever_the_width(columns: int) -> None:
    game = Game(checked(SHOWN))
    (panel,) = build_panels(game.view(game.start(), 0), ["Anna", "Bob"])
    lines = lay_out_panel(panel, columns)

    heads = [plain(line[:2]) for line in lines if any(run.of for run in line[:2])]
    assert heads == ["▸Anna", " Bob"]
    assert [run.of for line in lines for run in line if run.of] == ["Player:P1", "Player:P2", "Player:P2", "Player:P1"]


MARKET = DATA["market"]


def test_cards_in_a_list_show_their_texts_if_all_have_room() -> None:
    game = Game(checked(MARKET))
    (panel,) = build_panels(game.view(game.start(), 0), ["Anna", "Bob"])
    whole = ["Stock", "Hat  It keeps you dry.", "Pin  It is sharp. · Throw it away.", "Egg"]

    assert [plain(line).rstrip() for line in lay_out_panel(panel, 60)] == whole
    assert [plain(line).rstrip() for line in lay_out_panel(panel, 60, 4)] == whole
    assert [run.of for line in lay_out_panel(panel, 60) for run in line if run.of] == [
        "Ware:hat",
        "Ware:pin",
        "Ware:egg",
    ]
    assert [plain(line).split() for line in lay_out_panel(panel, 60, 3)] == [["Stock"], ["Hat", "Pin", "Egg"]]
    assert not any("dry" in plain(line) for line in lay_out_panel(panel, 16))


RING = Map(
    "table",
    "",
    tuple(Node(Cell(cell(name).lines, of=f"Word:{name}"), at % 2, at // 2) for at, name in enumerate("abcd")),
    ((0, 1), (0, 2), (1, 3)),
)


def test_links_that_a_low_map_does_not_draw_are_counted() -> None:
    assert [plain(line) for line in lay_out_panel(RING, 40)] == ["a───b", "│   │", "c   d"]
    assert [plain(line) for line in lay_out_panel(RING, 40, 2)] == ["a───b", "c   d", "F2 draws all links."]


def test_of_a_hand_with_little_room_the_title_stands_before_the_first_card() -> None:
    hand = Hand("own", "Hand", tuple(Held(cell(name)) for name in ("Fire and Flood", "Storm", "A long winter")))
    assert [plain(line) for line in lay_out_panel(hand, 30)] == ["Hand", "Fire and Flood  Storm", "A long winter"]
    assert [plain(line) for line in lay_out_panel(hand, 30, 2)] == [
        "Hand  Fire and Flood   Storm",
        "      A long winter",
    ]


def test_of_a_hand_with_few_rows_the_short_forms_stand_behind_the_title_if_they_take_no_more_rows_than_names() -> None:
    cards = [("Fire and Flood", "Flood 3/2"), ("Storm", "Storm 1/2"), ("A long winter", "Winter 0/1")]
    held = tuple(Held(cell(f"{name} ({short})"), short=(Run(short),)) for name, short in cards)
    hand = Hand("own", "Hand: attack; rare", held)
    assert [plain(line) for line in lay_out_panel(hand, 40, 2)] == [
        "Hand: attack  Flood 3/2  Storm 1/2",
        "Winter 0/1",
    ]
    assert [plain(line) for line in lay_out_panel(hand, 44, 1)] == [
        "Hand: attack  Flood 3/2  Storm 1/2",
        "Winter 0/1",
    ]
    assert [plain(line) for line in lay_out_panel(hand, 22, 2)] == ["Hand  Flood 3/2", "Storm 1/2  Winter 0/1"]


EMOJI = ["⚔️", "♟️", "❤️", "1️⃣", "👩\u200d🌾", "👍🏽", "🇩🇪"]


@pytest.mark.parametrize("emoji", EMOJI)
def test_an_emoji_takes_two_columns_and_is_never_cut(emoji: str) -> None:
    line = (Run(f"{emoji}{emoji} x"),)
    assert text_width(emoji) == 2
    assert list(list_graphemes(plain(line))) == [emoji, emoji, " ", "x"]
    found = [plain(cut_line(line, columns)) for columns in (5, 4, 3, 2, 1)]
    assert found == [f"{emoji}{emoji}…", f"{emoji}…", f"{emoji}…", "…", "…"]
    assert plain(padded((Run(emoji),), 4)) == f"{emoji}  "
    assert plain(take_characters(line, len(emoji) + 1)) == emoji


def test_columns_with_emoji_line_up() -> None:
    names = ["♟️ Priest", "⚔️ Guard", "Plain"]
    rows = tuple(Row((), (Cell(((Run(name),),)), Cell(((Run("|"),),)))) for name in names)
    lines = lay_out_panel(Grid("table", "", ((Run("what"),), (Run("end"),)), rows, even=False), 60)
    ends = [text_width(words.partition("|")[0]) for words in map(plain, lines) if "|" in words]
    assert len(ends) == 3 and len(set(ends)) == 1


def test_of_the_texts_of_a_hand_the_shortest_are_whole_and_the_others_keep_what_they_do() -> None:
    long = "Battle, with 2 or more Drones in play, discard 1: Destroy a card of cost 2 or less."
    short = "Battle, discard 1: Backstab one of the cards."
    cards = [Held(cell(name), text=(Run(text),)) for name, text in (("Drone", long), ("Scout", short), ("Rush", "Go."))]
    hand = Hand("own", "", tuple(cards))
    told = {rows: [plain(line).rstrip() for line in lay_out_panel(hand, 50, rows)] for rows in (3, 4, 5, 6)}
    brief = "Drone  Battle …: Destroy a card of cost 2 or less."
    assert told[3] == [brief, "Scout  Battle …: Backstab one of the cards.", "Rush   Go."]
    assert told[4] == [brief, "Scout  Battle, discard 1: Backstab one of the", "       cards.", "Rush   Go."]
    assert told[5] == told[4]
    assert len(told[6]) == 6


def test_each_sentence_of_a_long_question_begins_a_line() -> None:
    deal = ("P2 offers you a trade.", "You get Rifle Trooper → your reserves.", "You give Ravager → P2's hand.")
    lines = [plain(line) for line in _title_lines(Asked((Run(" ".join(deal)),)), 80)]
    assert lines[1:] == list(deal)


def test_boxes_of_numbers_keep_their_width() -> None:
    def widths(*texts: str) -> set[int]:
        row = Row((), tuple(Cell(((Run(text),),)) for text in texts))
        return {width_of(line) for line in lay_out_panel(Grid("table", "", ((),) * 3, (row,), False, "boxes"), 60)}

    assert widths("4", "0", "12") == widths("4", "0", "2")
    assert widths("a", "b", "cd") != widths("a", "b", "c")


def test_a_long_question_is_whole_in_up_to_six_lines_and_says_if_it_is_not() -> None:
    words = "P2 offers you a trade. " + "You get: Rifle Trooper (to your reserves). " * 5 + "Do you accept?"
    lines = [plain(line) for line in _title_lines(Asked((Run(words),)), 80)]
    assert len(lines) > 4 and " ".join(line.strip() for line in lines[1:]) == words
    cut = [plain(line) for line in _title_lines(Asked((Run(words * 3),)), 80)]
    assert len(cut) == 1 + MOST_TITLE_LINES and cut[-1].endswith(" …")


def test_a_panel_without_lines_leaves_no_gap_between_others() -> None:
    gold, wood = Item("Gold", cell("5"), since=100), Item("Wood", cell("2"))
    panels = [Items("header", "", (wood,)), Items("table", "", (gold,)), Items("own", "", (wood,))]

    assert [plain(line) for line in stack_panels(panels, 60)] == ["Wood  2", "", "Wood  2"]
