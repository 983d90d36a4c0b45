"""Test that questions about places of a board are answered on the board."""

from __future__ import annotations

from dataclasses import replace

from fair import get_question
from full_table import AtTable, create_match, play_at_table

from lusory.explain.event_sentences import Deed
from lusory.explain.styled_text_wrapping_and_values import DO, Run, to_text
from lusory.ui.model.screen import Cell, Map, Node, Option
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.textual.choice_input_state_preview_and_key_hints import (
    Chooser,
    _drop_repeats,
    is_about_places,
    lay_out_chooser,
    write_pointing_line,
)
from lusory.ui.textual.recap_and_bot_takeover import Recap
from lusory.ui.textual.scrollable_lines_and_cursor_movement import (
    _find_innermost,
    find_neighbour,
    find_start,
    locate_references,
)


def test_cursor_starts_in_the_middle_of_the_board() -> None:
    async def play_steps(table: AtTable) -> None:
        assert to_text(table.chooser.option.label) == "f6"  # type: ignore[union-attr]
        assert table.read_text("options").startswith(" ▸ f6 ")

    play_at_table(play_steps, "hex", recap="turn")
    assert _find_innermost({"a": (0.0, 0.0), "b": (4.0, 2.0), "c": (9.0, 4.0)}) == "b"


def test_cursor_starts_at_the_last_stone() -> None:
    """Enter takes nothing there. If a move changed several stones, the last one that the story names counts."""

    async def play_steps(table: AtTable) -> None:
        table.app.recap.mode = "never"
        await table.press("enter")
        assert table.app.frame is not None and table.app.is_on_board
        assert table.app.target == f"Cell:{to_text(table.app.frame.screen.story[-1].line).split()[-1]}"
        decision_count = len(table.match.turns)
        await table.press("enter")
        assert len(table.match.turns) == decision_count

    play_at_table(play_steps, "hex")
    line = tuple(Run(f"{name:<4}", of=f"Cell:{name}", fresh=name in "b c") for name in "abc")
    story = [Deed((Run(text),)) for text in ("P2 places a stone on b.", "c turns.", "P1 places nothing on a.")]
    assert find_start([line], {"Cell:a"}, story) == "Cell:c"
    assert find_start([line], {"Cell:a"}, story[:1]) == "Cell:b"
    assert find_start([line], {"Cell:a", "Cell:c"}, story) == "Cell:b", "Enter would take what can be chosen"
    assert find_start([line], {"Cell:a"}, ()) == find_start([line], {"Piece:a", "Cell:a"}, story[2:]) == "Cell:a"


def test_up_and_down_move_one_row_on_a_slanted_board() -> None:
    """Neighbours in the next row of a hexagonal board lie half a cell to the side. Down returns from where up led."""
    positions = {f"{column}{row}": (4.0 * column - 2 * row, 2.0 * row) for column in range(9) for row in range(5)}
    above = find_neighbour(positions, "42", "up")
    assert above in ("31", "41")
    assert find_neighbour(positions, above, "down") == "42"
    assert find_neighbour(positions, "42", "left") == "32"
    assert find_neighbour(positions, "42", "right") == "52"


def test_cursor_explains_cards_that_cannot_be_chosen() -> None:
    """Enter does not take a card that costs too much."""
    spend_all = 0
    titles: set[str] = set()
    reasons: list[str] = []

    async def play_steps(table: AtTable) -> None:
        await table.press("tab")
        assert table.app.is_on_board and table.app.target in table.app.clickable
        for key in ["right", "up", "up", "up", *["left"] * 4, *["up"] * 5]:
            await table.press(key)
            titles.add(table.read_text("preview_title").strip("─ "))
            if table.app.target in table.app.clickable:
                continue
            assert "Enter: take it" not in table.read_text("keys")
            reasons.append(table.read_text("preview").strip())
            await table.press("enter")
            assert table.app.is_on_board and not table.app.is_busy

    play_at_table(play_steps, "demesne", picks=(spend_all,))
    assert any(reason.startswith("Not now. Buy: needs 6 coins, and there are ") for reason in reasons)
    assert {"P1", "Gold", "If you choose Workbench"} <= titles


def test_piece_and_its_space_are_one_cursor_stop() -> None:
    line = (Run("[", of="Spot:a1"), Run("k", of="Piece:king"), Run("]  ", of="Spot:a1"), Run("[ ]", of="Spot:b1"))
    assert list(locate_references([line])) == ["Spot:a1", "Spot:b1"]
    assert list(locate_references([line], {"Piece:king"})) == ["Piece:king", "Spot:b1"]


def test_parts_connected_by_a_lower_line_have_one_centre() -> None:
    card = "Card:axe"
    lines = [(Run("##", of=card), Run("    "), Run("##", of=card)), (Run("  "), Run("####", of=card))]
    assert locate_references(lines) == {card: (4.0, 1.0)}
    assert locate_references([lines[0], (Run(" "),), lines[1]]) == {card: (1.0, 0.0)}


def test_cards_on_the_table_are_chosen_in_the_list() -> None:
    """If the cursor were on the table, Enter would take a card from its middle."""
    spend_all, copper = 0, 0
    match = create_match("demesne", people=2, picks=(spend_all,))
    screen = build_screen(match, 0, ("Ann", "Bob"))
    assert screen.question is not None
    assert [option.id.split()[0] for option in screen.question.options][copper] == "buy"
    assert not is_about_places(screen.question, screen)


def test_destinations_of_units_are_chosen_in_the_list() -> None:
    """A space of the map can stand for several options, so Enter would take the first unit."""
    screen = build_screen(create_match("hex", people=2), 0, ("Ann", "Bob"))
    assert screen.question is not None
    spaces = [Run(name, of=f"Space:{name}") for name in ("inn", "mill", "well")]
    nodes = tuple(Node(Cell(((space,),), of=space.of), column, 0) for column, space in enumerate(spaces))
    screen = replace(screen, panels=(Map("table", "", nodes, ()),))
    for units, is_place in (((), True), ((Run("Baker", of="Card:baker"),), False)):
        paths = [(Run("go", of=f"{DO}go"), *units, space) for space in spaces]
        options = tuple(replace(screen.question.options[0], path=path) for path in paths)
        assert is_about_places(replace(screen.question, options=options), screen) == is_place


def test_option_describes_no_player_and_no_mentioned_card() -> None:
    """The row of the player is on the table, and the text of a mentioned card does not take effect."""
    question = get_question(create_match("demesne", people=2), 0, ("Ann", "Bob"))
    option = replace(question.options[0], label=(Run("Look at Guard"),), preview=(), text=())
    description = ((Run("Tokens 0 of 5"),),)

    def write_preview(first_option: Option) -> str:
        chooser = Chooser.begin(replace(question, options=(first_option, *question.options[1:])))
        _, lines = lay_out_chooser(chooser, description).preview(80)
        return " ".join(map(to_text, lines))

    guard = replace(option, path=(Run("look"), Run("Guard", of="Card:guardsman")), is_mention=False)
    assert "Tokens" in write_preview(guard)
    assert "Tokens" not in write_preview(replace(guard, is_mention=True))
    assert "Tokens" not in write_preview(replace(guard, label=(Run("Take it"),))), "the label doesn't say what is meant"
    bob = Run("Bob", of="Player:P2")
    assert "Tokens" not in write_preview(replace(guard, label=(Run("Look at Bob"),), path=(Run("look"), bob)))


def test_option_without_a_place_is_named_beside_the_board() -> None:
    question = get_question(create_match("hex", people=0, picks=(0,)), 1, ("Ann", "Bob"))
    text = to_text(write_pointing_line(question, question.options[0]))
    assert "or (Tab): Take over the first stone" in text


def test_preview_does_not_repeat_the_name_of_the_option() -> None:
    description = ((Run("Arm:"),), (Run("  Take 2 Soldiers."),))
    assert [to_text(line) for line in _drop_repeats(description, "Set the left Engine to Arm")] == [
        "  Take 2 Soldiers."
    ]
    assert _drop_repeats(description, "Set the left Engine") == list(description)


def test_question_after_a_recap_is_not_cut() -> None:
    screen = build_screen(create_match("hex", people=0, picks=(0,)), 1, ("Ann", "Bob"))
    assert screen.question is not None
    prompt = (Run("word " * 30 + "end"),)
    screen = replace(screen, question=replace(screen.question, prompt=prompt))
    lines = Recap().lay_out(screen, 120, 40).options(81, 8)
    assert len(lines) == 3 and to_text(lines[-1]).endswith("end")
    assert all(len(to_text(line)) <= 81 for line in lines)
