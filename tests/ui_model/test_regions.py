"""Test where the regions of a screen are at each size: they don't overlap, and what matters stays visible."""

from __future__ import annotations

from dataclasses import replace

import pytest
from full_table import create_match
from programs import create_bundled_game

from lusory.explain.styled_text_wrapping_and_values import Line, Run, measure, to_text
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.ui.model.panel_lines import list_contents
from lusory.ui.model.screen import (
    Card,
    Cell,
    Column,
    Deed,
    Grid,
    Hand,
    Head,
    Item,
    Items,
    Map,
    Node,
    Players,
    Row,
    Screen,
)
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.model.screen_layout import (
    WIDE,
    Prompt,
    Regions,
    ScreenLayout,
    _find_first_line,
    _show_newest,
    draw_head_line,
    draw_page,
    draw_regions,
    wrap_story,
)


def make_screen(players: int, items: int) -> Screen:
    """Create a screen with a row for each player, a line below it, and a list of ``items`` on the table."""
    heads = tuple(Head((Run(f"P{seat + 1}"),), seat, is_viewer=seat == 0) for seat in range(players))
    cells = tuple(Cell(((Run("word " * 8),),)) for _ in range(players))
    rows = Players("players", "", heads, (Column("What they hold", cells, has_own_line=True),))
    table = Items("table", "", tuple(Item(f"{n}", Cell(((Run("x"),),))) for n in range(items)))
    names = tuple(f"P{seat + 1}" for seat in range(players))
    story = tuple(Deed((Run(f"Sentence {number}."),)) for number in range(5))
    return Screen("Title", 0, names, (), (rows, table), story, None, None, None)


def create_question(options: int) -> Prompt:
    """Create a question with ``options`` options, each on its own line."""
    lines: list[Line] = [(Run(f"{number} option"),) for number in range(options)]
    return Prompt((Run("Which one?"),), (), lambda columns, rows: lines, lambda columns: ("If you choose 1", [()]))


def list_parts(screen: Screen, options: int, columns: int, rows: int) -> Regions:
    return ScreenLayout(screen).lay_out(create_question(options), columns, rows)


SIZES = pytest.mark.parametrize("columns, rows", [(80, 24), (120, 40), (60, 20), (120, 24)])


@SIZES
@pytest.mark.parametrize("players", [1, 2, 6])
@pytest.mark.parametrize("items", [0, 3, 40])
@pytest.mark.parametrize("options", [1, 4, 30])
def test_all_regions_fit(players: int, items: int, options: int, columns: int, rows: int) -> None:
    parts = list_parts(make_screen(players, items), options, columns, rows)
    used_cells: set[tuple[int, int]] = set()
    for name, area in parts.items():
        cells = {(x, y) for x in range(area.x, area.x + area.width) for y in range(area.y, area.y + area.height)}
        assert not cells & used_cells, name
        assert area.x + area.width <= columns and area.y + area.height <= rows, name
        used_cells |= cells
    least = {"head": 1, "title": 1, "options": min(options, 4), "preview_title": 1, "preview": 2, "keys": 1}
    assert all(parts[name].height >= height for name, height in least.items())
    assert parts["story"].height >= 1
    order = [name for name in ("head", "players", "table", "title", "options", "keys") if name in parts]
    assert [parts[name].y for name in order] == sorted(parts[name].y for name in order)


def test_preview_belongs_to_the_highlighted_entry() -> None:
    """A list without room closes its groups, so a group may be highlighted."""
    texts: list[str] = []
    lines: list[Line] = [(Run("1 Recruit … 4"),)]

    def list_options(columns: int, rows: int) -> list[Line]:
        texts.append("Enter opens 4 options.")
        return lines

    prompt = Prompt((Run("?"),), (), list_options, lambda columns: ("If you choose 1", [(Run(" ".join(texts)),)]))
    parts = ScreenLayout(make_screen(2, 3)).lay_out(prompt, 80, 24)
    assert to_text(parts["preview"].lines[0]) == "Enter opens 4 options."


@SIZES
def test_own_row_stays_visible(columns: int, rows: int) -> None:
    parts = list_parts(make_screen(6, 40), 30, columns, rows)
    assert to_text(parts["players"].lines[0]).strip().startswith("P1")
    missing = len(parts["players"].lines) < 12
    assert to_text(parts["players"].lines[-1]).startswith("F2 shows the rest") == missing


def test_eight_options_are_visible_if_the_table_leaves_room() -> None:
    assert list_parts(make_screen(2, 2), 30, 80, 24)["options"].height >= 8


def test_story_and_preview_are_beside_the_table_on_wide_screens() -> None:
    for columns in (WIDE - 1, WIDE):
        parts = list_parts(make_screen(2, 3), 4, columns, 40)
        assert (parts["story"].x > 0) == (parts["preview"].x > 0) == (columns == WIDE)


def test_end_of_the_story_is_visible() -> None:
    story = list_parts(make_screen(2, 40), 4, 80, 24)["story"]
    assert to_text(story.lines[story.first + story.height - 1]).strip() == "Sentence 4."


def make_hand(cards: int) -> Hand:
    """Create a hand of different cards with long texts."""
    names = (Run(f"Baker {number} (2)", of=f"Card:baker_{number}") for number in range(cards))
    return Hand(
        "own", "Hand: card (cost)", tuple(Card(Cell(((name, Run(" costs much")),)), text=LONG) for name in names)
    )


LONG = (Run("word " * 30),)


@SIZES
@pytest.mark.parametrize("options", [1, 4, 30])
@pytest.mark.parametrize("items", [3, 40])
def test_hand_is_visible_at_every_question(options: int, items: int, columns: int, rows: int) -> None:
    screen = make_screen(2, items)
    screen = replace(screen, panels=(*screen.panels, make_hand(3)))
    page = draw_regions(list_parts(screen, options, columns, rows), rows)
    assert all(any(f"Baker {number}" in to_text(line) for line in page) for number in range(3))


def test_hand_is_above_the_scrolling_table() -> None:
    screen = make_screen(2, 40)
    screen = replace(screen, panels=(*screen.panels, make_hand(1)))
    parts = list_parts(screen, 4, 80, 24)
    assert "Baker 0" in to_text(parts["players"].lines[-1])
    assert to_text(parts["table"].lines[-1]).startswith("39") and parts["table"].height < len(parts["table"].lines)
    assert max(map(measure, parts["table"].lines)) < 80, "beside a bar to scroll with"
    values = Items("header", "", tuple(Item(f"Price {i}", Cell(((Run("x" * 30),),))) for i in range(4)), True)
    lines = list_parts(replace(screen, panels=(values, *screen.panels)), 4, 80, 24)["players"].lines
    assert ["Baker" in to_text(line) for line in lines[-3:]] == [True, False, False], "and above the values that stay"


def list_hand_rows(options: int, columns: int, rows: int) -> list[str]:
    """Return the rows of a hand of four cards with long texts, beside a question with ``options`` options."""
    screen = make_screen(2, 3)
    screen = replace(screen, panels=(*screen.panels, make_hand(4)))
    parts = list_parts(screen, options, columns, rows)
    texts = [to_text(line) for name in ("players", "table") for line in parts[name].lines]
    return [line for line in texts if "Baker" in line or ("word " * 4 in line and "What" not in line)]


@SIZES
def test_hand_has_one_form_and_grows_into_free_rows(columns: int, rows: int) -> None:
    forms = [list_hand_rows(options, columns, rows) for options in (30, 12, 4, 1)]
    assert forms[0] == forms[1], "no rows are free beside a list that scrolls"
    assert [len(form) for form in forms] == sorted(map(len, forms)), "fewer options never show less of the hand"
    for form in forms:
        cards = [int(text.split()[0]) for text in " ".join(form).split("Baker ")[1:]]
        assert list(dict.fromkeys(cards)) == [0, 1, 2, 3], "in their order, each whole"
    parts = list_parts(replace(make_screen(2, 3), panels=(*make_screen(2, 3).panels, make_hand(4))), 1, columns, rows)
    free_rows = parts["table"].height - len(parts["table"].lines)
    assert free_rows < 4 or sum(line.count("word") for line in forms[-1]) == 4 * 30, "free rows show the texts"


def test_free_rows_show_card_texts_and_those_of_options_first() -> None:
    hand = Hand(
        "own", "Hand", tuple(Card(Cell(((Run(name, of=f"Card:{name}"),),)), text=LONG) for name in "ABCDEFGHIJKLMNOP")
    )
    card_texts = (((Run("Guard", of="Card:guard"),), (Run("It guards."),)),)
    screen = replace(make_screen(2, 3), panels=(*make_screen(2, 3).panels, hand), texts=card_texts)

    def draw_table(options: int, cards: tuple[str, ...] = ()) -> str:
        parts = ScreenLayout(replace(screen, story=())).lay_out(create_question(options), 80, 24, topics=cards)
        return "\n".join(to_text(line) for line in parts["table"].lines)

    assert "What cards say\nA: word" in draw_table(1) and "more cards." in draw_table(1)
    assert "What cards say\nD: word" in draw_table(1, ("Card:D",))
    assert "What cards say" not in draw_table(30), "no rows are free"
    screen = replace(screen, panels=screen.panels[:2])
    assert draw_table(1).endswith("What cards say\nGuard: It guards.")
    watch = Hand("own", "Hand", (Card(Cell(((Run("Watch", of="Card:watch"),),)), text=card_texts[0][1]),))
    screen = replace(screen, panels=(*screen.panels, watch))
    assert draw_table(1).endswith("What cards say\nGuard: It guards."), "though another card says the same"


def test_map_draws_short_texts_and_lists_units_below() -> None:
    def place(name: str, column: int, *units: str) -> Node:
        unit_lines = tuple((Run(unit, of=f"Card:{unit}"),) for unit in units)
        head = (Run(name, of=f"Space:{name}"),)
        return Node(Cell((head, *unit_lines), ((*head, Run(f" ×{len(units)}")),), f"Space:{name}"), column, 0)

    panel = Map("table", "Who: guards", (place("Gate", 0, "Smith"), place("Mill", 1, "Guard", "Miller")), ((0, 1),))

    def list_texts(columns: int, rows: int | None) -> list[str]:
        return [to_text(line) for line in list_contents(panel, columns, rows)]

    assert list_texts(60, None) == list_texts(60, 1) == ["guards   Gate: Smith   Mill: Guard, Miller"]
    assert list_texts(35, 1) == ["Gate: Smith   Mill: Guard, Miller"], "the units matter more than the title"
    assert list_texts(30, 1) == ["Gate: Smith   F2: the others"]
    assert list_texts(20, 1) == [], "a note alone says nothing"
    own = list_contents(panel, 36, 1, "Card:Guard")
    assert to_text(own[0]) == "Mill: Guard, Miller   Gate: Smith", "one's own first"
    assert to_text(list_contents(panel, 30, 1, "Card:Guard")[0]) == "Gate: Smith   F2: the others"
    screen = replace(make_screen(2, 0), panels=(make_screen(2, 0).panels[0], panel))
    for columns, rows in ((80, 24), (120, 40)):
        table = [to_text(line) for line in list_parts(screen, 4, columns, rows)["table"].lines]
        assert table[0].strip().startswith("Gate ×1──────"), "columns of equal width"
        assert table[0].endswith("Mill ×2") and "Gate: Smith   Mill: Guard, Miller" in table[1]


def test_preview_beside_the_table_takes_rows_that_the_story_leaves() -> None:
    long: list[Line] = [(Run(f"{number} line"),) for number in range(60)]
    prompt = Prompt((Run("?"),), (), lambda columns, rows: [()], lambda columns: ("If you choose 1", long))
    parts = ScreenLayout(make_screen(2, 3)).lay_out(prompt, 120, 40)
    assert parts["preview"].height >= 25 and parts["story"].height >= 5
    long_screen = replace(make_screen(2, 3), story=make_screen(2, 3).story * 20)
    parts = ScreenLayout(long_screen).lay_out(prompt, 120, 40)
    assert abs(parts["preview"].height - parts["story"].height) <= 3


def test_own_things_are_visible_first() -> None:
    def find_first(*own: int, home: int | None = None) -> int:
        runs = [Run("x", "red" if i in own else "", of="Player:P1" if i == home else "") for i in range(20)]
        return _find_first_line([(run,) for run in runs], 5, ("Player:P1", "red"))

    assert (find_first(), find_first(3), find_first(3, 7), find_first(3, 8, 9, 10)) == (0, 0, 3, 6)
    assert find_first(3, home=19) == 15, "what stands for oneself before what has one's colour"
    assert _find_first_line([()] * 5, 5, ("Player:P1", "red")) == 0


def test_subjects_of_options_are_visible_first() -> None:
    table = [(Run("x", of=f"Card:{i}"),) for i in range(20)]
    own = ("", "")
    assert _find_first_line(table, 5, own, {"Card:11", "Card:13"}) == 9
    assert _find_first_line(table, 5, own, {"Card:2", "Card:11", "Card:13"}) == 9, "as much of it as there is room for"
    assert _find_first_line(table, 5, ("Card:2", ""), {"Card:2", "Card:11", "Card:13"}) == 0, (
        "and what stands for oneself"
    )


def test_head_is_one_row_and_other_values_go_to_the_table() -> None:
    items = tuple(Item(f"Number {i}", Cell(((Run("x" * 12),),))) for i in range(6))
    screen = replace(make_screen(2, 0), phase=(Run("Phase"),), panels=(Items("header", "", items, True),))
    head = to_text(draw_head_line(screen, 80))
    assert head.startswith(" Title · Phase ") and "Number 0 xxx" in head and len(head) == 80
    parts = list_parts(screen, 4, 80, 24)
    text = " ".join(to_text(line) for name in ("head", "table") for line in parts[name].lines)
    assert all(text.count(f"Number {i} xxx") == 1 for i in range(6))


def test_printed_page_has_the_lines_of_its_regions() -> None:
    wide = Grid("table", "", ((),), (Row((), (Cell(((Run("x" * 70),),)),)),), False)
    screen = replace(make_screen(2, 0), panels=(*make_screen(2, 0).panels[:1], wide))
    lines = draw_regions(list_parts(screen, 4, 120, 40), 40)
    assert len(lines) == 40 and all(measure(line) <= 120 for line in lines)
    assert any("x" * 70 in to_text(line) for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("options", [1, 4, 30])
def test_map_draws_its_links_at_every_question(options: int) -> None:
    screen = build_screen(create_match("empire-city"), 0, ("Ann", "Bob"))
    parts = list_parts(screen, options, 80, 24)
    text = "\n".join(to_text(line) for line in parts["table"].lines)
    assert "│" in text and "draws all links" not in text
    assert "Hydra" in text and "South Street" in text, "all of it"
    assert parts["options"].height >= min(options, 4)


@pytest.mark.slow
def test_map_fits_below_a_second_player_row_and_a_hand() -> None:
    match = Match(create_bundled_game("empire-city", 2), [create_bot("random", 1, seat) for seat in range(2)], 1)
    while len(match.turns) < 150:
        match.step()
    page = "\n".join(to_text(line) for line in draw_page(build_screen(match, 1, ("P1", "P2")), 80, 24))
    assert "Outlaws" in page and "│ Sky" in page
    assert "╭─────Hydra" in page and "South Street" in page and "Hydra: P1" in page


def test_cut_story_starts_at_a_sentence() -> None:
    sentences = [[(Run(text),) for text in lines] for lines in (("a1",), ("b1", "b2", "b3"), ("c1", "c2"))]

    def list_texts(rows: int) -> list[str]:
        return [to_text(line) for line in _show_newest(sentences, rows)[-rows:]]

    assert list_texts(1) == ["c1 …"]
    assert list_texts(2) == ["c1", "c2"]
    assert list_texts(3) == ["b1 …", "c1", "c2"]
    assert list_texts(6) == ["a1", "b1", "b2", "b3", "c1", "c2"]


def test_sentence_that_ends_in_brackets_has_a_full_stop() -> None:
    lines = wrap_story((Deed((Run("Ann takes it (3 left)"),)), Deed((Run("Really?"),))), 60)
    assert [to_text(line).strip() for line in lines] == ["Ann takes it (3 left).", "Really?"]


def test_linked_map_fits_at_a_long_question() -> None:
    """First a scrolling list gives up rows, then the story."""
    spaces = [(across, down) for down in range(5) for across in range(3)]
    nodes = tuple(
        Node(Cell(((Run(f"Space {x}{y}", of=f"Space:{x}{y}"),),), of=f"Space:{x}{y}"), x, y) for x, y in spaces
    )
    links = tuple((i, i + 3) for i in range(12)) + tuple((i, i + 1) for i in range(14) if i % 3 < 2)
    screen = make_screen(2, 0)
    rows = replace(screen.panels[0], columns=())
    assert isinstance(rows, Players)
    screen = replace(screen, panels=(rows, Map("table", "The map", nodes, links), make_hand(6)))
    for options in (4, 30):
        parts = list_parts(screen, options, 80, 24)
        lines = parts["table"].lines[parts["table"].first :][: parts["table"].height]
        assert all(any(f"Space {x}{y}" in to_text(line) for line in lines) for x, y in spaces)
        assert parts["options"].height >= 3


def test_filler_values_are_below_the_table_if_they_fit() -> None:
    screen = make_screen(2, 3)
    values = [" ".join(f"{title} {n}" for n in range(30)) for title in "ab"]
    items = tuple(Item("", Cell(((Run(value),),), ((Run(value[:9]),),))) for value in values)
    screen = replace(screen, panels=(*screen.panels, Items("table", "", items, is_spare=True)))
    results = {}
    for rows in (20, 24, 40):
        table = list_parts(screen, 4, 80, rows)["table"]
        texts = [to_text(line) for line in table.lines]
        results[rows] = sum(text.startswith(("a ", "b ")) for text in texts), "a 29" in " ".join(texts)
        assert len(table.lines) <= table.height or not results[rows][0], "nothing scrolls for them"
    assert [results[rows] for rows in (20, 24, 40)] == [(0, False), (2, False), (4, True)]
    wide = Item("", Cell(((Run(" ".join(f"c {n}" for n in range(300))),),)))
    screen = replace(screen, panels=(*screen.panels[:-1], Items("table", "", (*items, wide), is_spare=True)))
    texts = [to_text(line) for line in list_parts(screen, 4, 80, 24)["table"].lines]
    assert [text for text in texts if text.startswith(("a ", "b ", "c "))] == ["a 0 a 1 a", "b 0 b 1 b"], (
        "the first ones"
    )


def test_phase_with_only_housekeeping_has_no_heading() -> None:
    def make_head(text: str) -> Deed:
        return Deed((Run(text),), heading=True)

    draw, play = Deed((Run("Bob draws 5 cards"),), is_housekeeping=True), Deed((Run("Bob plays Axe"),), 1)
    story = (make_head("Round 2 · Draw"), draw, make_head("Battle"), play, make_head("Cleaning up"), draw)
    screen = replace(build_screen(create_match("tic-tac-toe"), 0, ("Ann", "Bob")), story=story, history=story)
    texts = ["Round 2 · Battle", "Bob plays Axe."]
    for columns, expected in ((80, texts), (38, texts * 2)):
        lines = [line for part in ScreenLayout(screen).lay_out_story(columns) for line in part]
        assert [to_text(line).strip() for line in lines] == expected
    before = (make_head("Turn of Ann · Start"), replace(draw, line=(Run("You draw a card"),)), make_head("Battle"))
    screen = replace(screen, story=(Deed((Run("You play Axe"),), 0),), history=before)
    texts = [to_text(line).strip() for lines in ScreenLayout(screen).lay_out_story(38) for line in lines]
    assert texts == ["Turn of Ann · Battle", "You play Axe."], "the heading that the story begins with"
