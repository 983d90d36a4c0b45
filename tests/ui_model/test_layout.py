"""Test how panels become lines: within the width, with a note about what is missing, and with references kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st
from programs import build_program, read_data

from lusory import Game
from lusory.explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    cut_line,
    find_run,
    list_graphemes,
    measure,
    measure_text,
    pad_line,
    to_text,
    wrap_line,
    wrap_with_hanging_indent,
)
from lusory.ui.model import screen
from lusory.ui.model.game_introduction_page import measure_hanging_indent
from lusory.ui.model.panel_builder_and_value_looks import build_panels
from lusory.ui.model.panel_lines import lay_out_panel, stack_panels
from lusory.ui.model.screen import Card, Cell, Column, Grid, Hand, Head, Item, Items, Map, Node, Panel, Players, Row
from lusory.ui.model.screen_layout import MOST_TITLE_LINES, Prompt, _make_title_lines

DATA = read_data(__file__)

WORDS = st.lists(st.text("ab漢é ", min_size=1, max_size=9).map(Run), max_size=5).map(tuple)
CELLS = st.builds(Cell, st.lists(WORDS, max_size=3).map(tuple), st.lists(WORDS, max_size=1).map(tuple))


def create_cell(text: str) -> Cell:
    return Cell(((Run(text, of=f"Word:{text}"),),))


def build_from_data(data: Any) -> Any:
    """Build a class of the screen with its fields, a ``cell``, or a text as ``run`` or ``word``."""
    match data:
        case list():
            return tuple(map(build_from_data, data))
        case {"run": text}:
            return Run(text)
        case {"word": text}:
            return Run(text, of=f"Word:{text}")
        case {"cell": str(text)}:
            return create_cell(text)
        case dict():
            ((name, fields),) = data.items()
            return getattr(screen, name)(**{field: build_from_data(value) for field, value in fields.items()})
    return data


@pytest.mark.parametrize("case", DATA["panels"], ids=lambda case: case["test"])
def test_panel(case: dict[str, Any]) -> None:
    """A case names the lines of a panel at several sizes."""
    for drawing in case["drawn"]:
        lines = lay_out_panel(build_from_data(case["panel"]), drawing["columns"], drawing.get("rows"))
        assert [to_text(line) for line in lines] == drawing["lines"].splitlines()


def build_panel_strategy() -> st.SearchStrategy[Panel]:
    items = st.lists(st.builds(Item, st.text("xyz", max_size=6), CELLS), max_size=5).map(tuple)
    column = st.builds(
        Column, st.text("pq", max_size=12), st.tuples(CELLS, st.none() | CELLS), has_own_line=st.booleans()
    )
    row = st.builds(Row, WORDS, st.tuples(CELLS, st.none() | CELLS, CELLS), st.integers(0, 3), st.booleans())
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
        lambda cells: tuple(Node(inner, i % 2, i // 2) for i, inner in enumerate(cells))
    )
    edges = st.lists(st.sampled_from([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]), max_size=5, unique=True).map(tuple)
    heads = tuple(Head((Run(name),), seat, is_viewer=not seat) for seat, name in enumerate(("Anna", "Bob")))
    return st.one_of(
        st.builds(Items, st.just("own"), st.just("Things"), items, st.booleans()),
        st.builds(Players, st.just("players"), st.just(""), st.just(heads), st.lists(column, max_size=6).map(tuple)),
        grid,
        st.builds(Map, st.just("table"), st.just(""), nodes, edges),
    )


@given(build_panel_strategy(), st.integers(40, 130), st.none() | st.integers(1, 20))
@settings(max_examples=150, deadline=None)
def test_no_line_is_wider_than_the_limit(panel: Panel, columns: int, rows: int | None) -> None:
    wide = [line for line in lay_out_panel(panel, columns, rows) if measure(line) > columns]
    assert not wide, wide


@given(WORDS, st.integers(1, 30), st.integers(0, 4))
@example((Run(" abc"), Run("def")), 6, 0)
def test_wrapping_loses_no_letter_that_a_line_can_hold(line: Line, columns: int, indent: int) -> None:
    lines = wrap_line(line, columns, min(indent, columns - 1))

    assert all(measure(piece) <= columns for piece in lines)
    longest = max((measure_text(word) for word in to_text(line).split()), default=0)
    if longest <= columns - indent:
        assert "".join("".join(map(to_text, lines)).split()) == "".join(to_text(line).split())


def test_wrapped_line_keeps_its_blanks() -> None:
    lines = wrap_with_hanging_indent((Run("    Choose a card of "), Run("your hand"), Run(" and play it")), 20)

    assert [to_text(line) for line in lines] == ["    Choose a card of", "      your hand and", "      play it"]
    assert [to_text(line) for line in wrap_with_hanging_indent((Run(" " * 30 + "far"), Run(" in")), 10)] == [
        "     far",
        "       in",
    ]


def test_bullet_hangs_for_any_split_into_runs() -> None:
    assert measure_hanging_indent((Run("  • one"),)) == measure_hanging_indent((Run("  "), Run("• one"))) == 4
    assert measure_hanging_indent((Run("  one"),)) == 2
    assert measure_hanging_indent((Run("Aim: ", bold=True), Run("win"))) == 5


def test_trailing_blanks_add_no_line() -> None:
    assert [to_text(line) for line in wrap_line((Run("abc   "),), 3, 2)] == ["abc"]
    assert [to_text(line) for line in wrap_line((Run("   "),), 1)] == [""]


def test_line_is_cut_and_padded_to_terminal_columns() -> None:
    line = (Run("漢字"), Run("ab", of="X:y"))

    assert to_text(cut_line(line, 4)) == "漢…"
    assert to_text(pad_line(line, 8, "right")) == "  漢字ab"
    assert to_text(pad_line(line, 9, "centre")) == " 漢字ab  "


def test_position_in_a_line_returns_its_reference() -> None:
    lines = lay_out_panel(Hand("own", "Hand", (Card(create_cell("Fire"), 2), Card(create_cell("Flood")))), 40)

    assert [to_text(line) for line in lines] == ["Hand", "2× Fire  Flood"]
    references = [run.of for column in (0, 3, 6, 9, 13) if (run := find_run(lines, column, 1)) is not None]
    assert references == ["", "Word:Fire", "Word:Fire", "Word:Flood", "Word:Flood"]
    assert find_run(lines, 40, 1) is None and find_run(lines, 0, 2) is None


SHOWN = DATA["shown"]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_players_are_rows_whatever_the_width(columns: int) -> None:
    game = Game(build_program(SHOWN))
    (panel,) = build_panels(game.view(game.start(), 0), ["Anna", "Bob"])
    lines = lay_out_panel(panel, columns)

    heads = [to_text(line[:2]) for line in lines if any(run.of for run in line[:2])]
    assert heads == ["▸Anna", " Bob"]
    assert [run.of for line in lines for run in line if run.of] == ["Player:P1", "Player:P2", "Player:P2", "Player:P1"]


MARKET = DATA["market"]


def test_listed_cards_show_texts_if_all_fit() -> None:
    game = Game(build_program(MARKET))
    (panel,) = build_panels(game.view(game.start(), 0), ["Anna", "Bob"])
    expected = ["Stock", "Hat  It keeps you dry.", "Pin  It is sharp. · Throw it away.", "Egg"]

    assert [to_text(line).rstrip() for line in lay_out_panel(panel, 60)] == expected
    assert [to_text(line).rstrip() for line in lay_out_panel(panel, 60, 4)] == expected
    assert [run.of for line in lay_out_panel(panel, 60) for run in line if run.of] == [
        "Ware:hat",
        "Ware:pin",
        "Ware:egg",
    ]
    assert [to_text(line).split() for line in lay_out_panel(panel, 60, 3)] == [["Stock"], ["Hat", "Pin", "Egg"]]
    assert not any("dry" in to_text(line) for line in lay_out_panel(panel, 16))


EMOJI = ["⚔️", "♟️", "❤️", "1️⃣", "👩\u200d🌾", "👍🏽"]


@pytest.mark.parametrize("emoji", EMOJI)
def test_emoji_takes_two_columns_and_is_never_cut(emoji: str) -> None:
    line = (Run(f"{emoji}{emoji} x"),)
    assert measure_text(emoji) == 2
    assert list(list_graphemes(to_text(line))) == [emoji, emoji, " ", "x"]
    cuts = [to_text(cut_line(line, columns)) for columns in (5, 4, 3, 2, 1)]
    assert cuts == [f"{emoji}{emoji}…", f"{emoji}…", f"{emoji}…", "…", "…"]
    assert to_text(pad_line((Run(emoji),), 4)) == f"{emoji}  "


def test_each_sentence_of_a_long_question_starts_a_line() -> None:
    deal = ("P2 offers you a trade.", "You get Rifle Trooper → your reserves.", "You give Ravager → P2's hand.")
    lines = [to_text(line) for line in _make_title_lines(Prompt((Run(" ".join(deal)),)), 80)]
    assert lines[1:] == list(deal)


def test_long_question_has_up_to_six_lines_and_marks_a_cut() -> None:
    text = "P2 offers you a trade. " + "You get: Rifle Trooper (to your reserves). " * 5 + "Do you accept?"
    lines = [to_text(line) for line in _make_title_lines(Prompt((Run(text),)), 80)]
    assert len(lines) > 4 and " ".join(line.strip() for line in lines[1:]) == text
    cut_lines = [to_text(line) for line in _make_title_lines(Prompt((Run(text * 3),)), 80)]
    assert len(cut_lines) == 1 + MOST_TITLE_LINES and cut_lines[-1].endswith(" …")


def test_a_panel_without_lines_leaves_no_gap_between_others() -> None:
    gold, wood = Item("Gold", create_cell("5"), since=100), Item("Wood", create_cell("2"))
    panels = [Items("header", "", (wood,)), Items("table", "", (gold,)), Items("own", "", (wood,))]

    assert [to_text(line) for line in stack_panels(panels, 60)] == ["Wood  2", "", "Wood  2"]
