"""What is told of a space, or of another value that places are indexed by, when a person looks at it."""

from __future__ import annotations

from functools import cache

import pytest
from full_table import program
from programs import checked, read_data

from lusory.explain.styled_text_wrapping_and_values import plain
from lusory.game import Game
from lusory.ui.model.look_and_why import describe_thing
from lusory.ui.model.panel_builder_and_value_looks import build_panels
from lusory.ui.model.screen import Grid

DATA = read_data(__file__)

RULES = DATA["rules"]


@cache
def game() -> Game:
    return Game(checked(RULES, "spots.yaml"), 2)


def said(wanted: str, seat: int = 0) -> str:
    view = game().view(game().start(), seat)
    return "\n".join(plain(line) for line in describe_thing(wanted, view, ("Ann", "Bob"), lambda name: None))


@pytest.mark.parametrize("wanted", ["a1", "A1", "Spot:a1"])
def test_a_space_tells_what_is_kept_of_it(wanted: str) -> None:
    assert said(wanted) == "a1\n  Kept by (a1): Bob"


@pytest.mark.parametrize("wanted", ["Bob", "bob", "Player:P2"])
def test_of_a_player_it_is_told_what_stands_in_their_row_as_the_seat_sees_it(wanted: str) -> None:
    kuhn = Game(program("kuhn-poker"), 2)
    held = {}
    for seat in (0, 1):
        view = kuhn.view(kuhn.start(3), seat)
        lines = describe_thing(wanted, view, ("Ann", "Bob"), lambda name: None)
        held[seat] = [plain(line).strip() for line in lines]
    assert held[0] == ["Bob", "Card ?", "Stake 1"]
    assert held[1][0] == "Bob (you)" and held[1][1] in ("Card Jack", "Card Queen", "Card King")


def test_what_lies_there_is_told_to_who_sees_it() -> None:
    assert said("Spot:b1", 0) == "b1\n  Your den (b1): Owl"
    assert said("Spot:b1", 1) == "b1\n  Ann's den (b1): ?"


def test_a_value_at_which_nothing_can_lie_is_none() -> None:
    assert "You see no “calm”" in said("calm")
    assert said("Mood:calm") == "calm"


def test_of_a_value_at_which_nothing_lies_it_is_told_what_the_rules_say() -> None:
    view = game().view(game().start(), 0)
    told = describe_thing("Mood:calm", view, ("Ann", "Bob"), {"calm": "Calm: nobody stirs."}.get)
    assert [plain(line) for line in told] == ["calm", "Calm: nobody stirs."]


def test_what_is_not_seen_is_a_question_mark_and_the_rest_of_the_board_stands() -> None:
    view = 'view: {boards: [{title: Den, cells: "players.last.den[b1]", columns: 2, text: "{cell}"}]}'
    spots = Game(checked(f"{RULES.replace('players.first', 'players.last')}{view}\n", "spots.yaml"), 2)
    for seat, words, of in ((1, "Owl", "Beast:owl"), (0, "?", "")):
        (panel,) = [p for p in build_panels(spots.view(spots.start(), seat), ("Ann", "Bob")) if isinstance(p, Grid)]
        cell = panel.rows[0].cells[0]
        assert cell is not None
        assert (plain(cell.lines[0]), cell.of) == (words, of)


def test_what_holds_of_a_space_is_told_and_what_does_not_hold_is_not() -> None:
    assert "In ashes (a2): yes" in said("a2")
    assert "ashes" not in said("a1")


def test_what_a_board_draws_on_a_space_is_told_although_it_has_no_label() -> None:
    hex = Game(program("hex"))
    view = hex.view(hex.apply(hex.start(), 0), 0)
    told = describe_thing("a1", view, ("Ann", "Bob"), lambda name: None)
    assert [plain(line) for line in told] == ["a1", "  Stone (a1): Ann"]


def test_players_read_no_numbers_of_clauses() -> None:
    view = game().view(game().start(), 0)
    told = describe_thing("Mood:calm", view, ("Ann", "Bob"), {"calm": "Nobody stirs (AB-1,\n  AB-22 to AB-24)."}.get)
    assert [plain(line) for line in told] == ["calm", "Nobody stirs."]


CARDS = DATA["cards"]


def test_copies_of_which_the_same_is_told_stand_together_without_ids_and_what_is_printed_is_told_once() -> None:
    birds = Game(checked(CARDS, "owls.yaml"), 2)
    view = birds.view(birds.start(), 0)
    rules = {"owl": "Owl: a bird.", "hen": "Hen: a bird."}.get

    def told(wanted: str) -> list[str]:
        return [plain(line) for line in describe_thing(wanted, view, ("Ann", "Bob"), rules)]

    assert told("owl") == ["Owl: a bird.", "", "Owl ×3: your tree", "  Eggs 2"]
    assert told("Bird:owl-2") == ["Owl: a bird.", "", "Owl: your tree", "  Eggs 2"]
    assert told("hen") == ["Hen: a bird.", "", "Hen: your tree", "  Eggs 1"]


def test_a_word_of_the_rules_is_told_though_it_stands_on_cards_too() -> None:
    rules = CARDS.replace("label: Hen,", 'label: "Hen (eats corn)",')
    birds = Game(checked(rules, "owls.yaml"), 2)
    view = birds.view(birds.start(), 0)
    words = {"corn": "Corn: feeds a bird.", "Hen (eats corn)": "Hen: a bird."}.get

    def told(wanted: str) -> str:
        return plain(describe_thing(wanted, view, ("Ann", "Bob"), words)[0])

    assert told("corn") == "Corn: feeds a bird."
    assert told("hen (eats corn)") != "Corn: feeds a bird."
    assert told("eats") == ""  # of no card that the rules tell here, but it is one


def test_a_space_tells_what_lies_there_and_then_what_it_is_good_for() -> None:
    spots = Game(checked(RULES, "spots.yaml"), 2)
    view = spots.view(spots.start(), 0)
    for wanted in ("b1", "Spot:b1"):  # typed, or pointed at
        lines = describe_thing(wanted, view, ("Ann", "Bob"), {"b1": "B1: a space.\n  Owls sleep here."}.get)
        told = [plain(line) for line in lines]
        assert told == ["b1", "  Your den (b1): Owl", "", "B1: a space.", "  Owls sleep here."]
