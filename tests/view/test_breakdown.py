"""Test how `look` explains a value: the rules that change it, limited to what a seat may know."""

from __future__ import annotations

from functools import cache

import pytest
from programs import checked, read_rules

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import ENGINES, Game
from lusory.reports.check_result_data_and_locations import format_place
from lusory.state.state import State
from lusory.ui.model.look_and_why import describe_thing
from lusory.view.query_breakdowns_and_component_summaries import Breakdown, list_visible_components, summarize_component

RULESET = read_rules("duel")


@cache
def game(engine: str = "compiled") -> Game:
    return Game(checked(RULESET, "duel.yaml"), 2, engine=engine)


def asked(state: State, seat: int | None, name: str, engine: str = "compiled") -> dict[str, Breakdown]:
    """Return the queries about a card that a seat can see, by name."""
    view = game(engine).view(state, seat)
    [seen] = [one for one in list_visible_components(view) if one[0].name == name]
    return {b.query.name.removeprefix("Unit."): b for b in summarize_component(view, *seen).queries}


def said(wanted: str, seat: int = 0, places: bool = False, state: State | None = None) -> str:
    """Return the output of `look`."""
    view = game().view(state or game().start(), seat)
    known = {card.card for card in view.setting.program.entities}

    def rules(name: str) -> str | None:
        return f"[{name} in words]\n" if name in known else None

    shown = describe_thing(wanted, view, ("Ann", "Bob"), rules, format_place if places else None)
    return "".join(f"{to_text(line)}\n" for line in shown)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_is_made_of_its_base_and_the_changes_in_their_order(engine: str) -> None:
    strength = asked(game(engine).start(), 0, "raider", engine)["strength"]

    assert (strength.base, strength.is_printed, strength.value, strength.is_hidden) == (3, True, 14, False)
    assert [(c.rule.rule, c.card, c.before, c.after) for c in strength.changes] == [
        ("bearer (1)", 5, 3, 4),
        ("bearer (1)", 6, 4, 5),
        ("fierce", None, 5, 7),
        ("moody", None, 7, 9),
        ("turn", None, 9, 14),
    ]
    assert [c.rule.until for c in strength.changes] == [None, None, None, None, "turn"]


def test_the_value_is_that_of_the_game_once_the_change_is_over() -> None:
    state = game().apply(game().start(), 0)

    assert asked(state, 0, "raider")["strength"].value == 9
    assert "until turn ends" not in said("raider", state=state)


def test_a_blank_card_has_no_keywords_left() -> None:
    state = game().apply(game().apply(game().start(), 0), 0)

    assert set(asked(state, 0, "raider")) == {"strength", "courage", "faulty", "blank", "tamed"}
    assert [c.rule.rule for c in asked(state, 0, "raider")["strength"].changes] == ["bearer (1)", "bearer (1)", "moody"]
    assert "tamed, blank\n" in said("raider", state=state)


def test_only_queries_about_the_card_alone_that_can_be_answered() -> None:
    assert set(asked(game().start(), 0, "raider")) == {"strength", "courage", "faulty", "fierce", "rush", "tamed"}
    # The value of `unnamed` follows from another and has no phrase, that of `faulty` would divide by zero.
    assert set(asked(game().start(), 0, "bearer")) == {"strength", "courage", "rush", "tamed"}
    assert asked(game().start(), 1, "raider")["courage"].value == 1
    # A spectator has no `me`.
    assert "courage" not in asked(game().start(), None, "raider")


def test_what_depends_on_a_secret_is_not_known() -> None:
    state = game().start()
    strength = asked(state, 1, "raider")["strength"]

    assert strength.is_hidden
    assert [c.rule.rule for c in strength.changes] == ["bearer (1)", "bearer (1)", "fierce"]
    assert "Strength ?: 3 printed, +2 Guild bearer, +2 fierce, and what you may not see" in said("raider", 1)


def test_a_card_is_shown_with_its_copies_where_they_lie() -> None:
    shown = said("guard", 0)

    assert shown.startswith("[guard in words]\n\n")
    assert [line for line in shown.splitlines() if line.startswith("Guard: ")] == [
        "Guard: your hand",
        "Guard: your field",
        "Guard: Bob's field",
    ]
    assert "Strength 5: 1 printed, +2 Guild bearer, +2 moody" in shown
    assert "guard-" not in shown
    assert "your hand" not in said("guard-4")


def test_what_is_gained_and_what_is_remembered() -> None:
    shown = said("raider")

    assert "Rush yes: not printed, yes by Guild bearer" in shown
    assert "Wounds 4" in shown
    assert "mark" not in shown
    assert "lord Ann" in shown
    assert "lord" not in said("guard")


def test_what_is_as_it_was_and_means_of_the_author_are_not_told() -> None:
    assert "side" not in said("raider")
    assert "side east" in said("bearer").lower()
    # It follows from the state.
    assert "tamed" in said("raider")
    assert "sturdy" not in said("raider")


def test_all_that_changes_a_number_is_told() -> None:
    shown = said("raider")

    assert "Strength 14: 3 printed, +2 Guild bearer, +2 fierce, +2 moody, +5 until turn ends" in shown.replace(
        "\n", " "
    )


def test_a_wide_screen_has_room_for_the_places_of_rules() -> None:
    assert "moody duel.yaml:50:3" in said("raider", places=True)
    assert "duel.yaml" not in said("raider")


def test_what_can_not_be_looked_at() -> None:
    assert "look NAME" in said("")
    assert "You see no “rader”. Did you mean “raider”?" in said("rader")
    assert said("guard-3").startswith("[guard in words]")
    assert "No guard-3 lies where you can see it." in said("guard-3")


def test_what_several_cards_may_mean_is_listed() -> None:
    shown = said("gu")

    assert shown.startswith("That could be:")
    assert "  Guard: your hand\n" in shown
    # There are two copies.
    assert shown.count("  Guild bearer: your field\n") == 1


@pytest.mark.parametrize("wanted", ["raider", "guard", "bearer", "guard-3"])
def test_secrets_change_nothing_that_is_said(wanted: str) -> None:
    before = game().start()
    after = before.copy()
    layout = game().layout
    after.cells[layout.places["mood"].at((1,))] = 40
    after.cells[layout.places["mark"].at((0,))] = not before.cells[layout.places["mark"].at((0,))]
    hand, deck = layout.zones["hand"].at((1,)), layout.zones["deck"].at(())
    after.zones[hand], after.zones[deck] = after.zones[deck], after.zones[hand]
    for zone in (hand, deck):
        for card in after.zones[zone]:
            after.cells[layout.location + card] = zone

    assert said(wanted, 0, state=after) == said(wanted, 0, state=before)
