"""Test how `look` explains a value: the rules that change it, limited to what a seat may know."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from programs import build_program, read_data, read_rules

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import ENGINES, Game
from lusory.reports.check_suites_findings_and_locations import format_place
from lusory.state.state import State
from lusory.ui.model.look_and_why import describe_thing
from lusory.view.query_breakdowns_and_component_summaries import Breakdown, list_visible_components, summarize_component

DATA = read_data(__file__)

RULESET = read_rules("duel")


@cache
def create_game(engine: str = "compiled") -> Game:
    return Game(build_program(RULESET, "duel.yaml"), 2, engine=engine)


def summarize(state: State, seat: int | None, name: str, engine: str = "compiled") -> dict[str, Breakdown]:
    """Return the queries about a card that a seat can see, by name."""
    view = create_game(engine).view(state, seat)
    [pair] = [pair for pair in list_visible_components(view) if pair[0].name == name]
    return {item.query.name.removeprefix("Unit."): item for item in summarize_component(view, *pair).queries}


def look(query: str, seat: int = 0, shows_places: bool = False, state: State | None = None) -> str:
    """Return the output of `look`."""
    view = create_game().view(state or create_game().start(), seat)
    names = {card.card for card in view.setting.program.entities}

    def explain_card(name: str) -> str | None:
        return f"[{name} in words]\n" if name in names else None

    lines = describe_thing(query, view, ("Ann", "Bob"), explain_card, format_place if shows_places else None)
    return "".join(f"{to_text(line)}\n" for line in lines)


@pytest.mark.parametrize("engine", ENGINES)
def test_breakdown_has_base_and_changes_in_order(engine: str) -> None:
    strength = summarize(create_game(engine).start(), 0, "raider", engine)["strength"]

    assert (strength.base, strength.is_printed, strength.value) == (3, True, 14)
    assert [(change.rule.rule, change.card, change.before, change.after) for change in strength.changes] == [
        ("bearer (1)", 5, 3, 4),
        ("bearer (1)", 6, 4, 5),
        ("fierce", None, 5, 7),
        ("moody", None, 7, 9),
        ("turn", None, 9, 14),
    ]
    assert [change.rule.until for change in strength.changes] == [None, None, None, None, "turn"]


def test_breakdown_after_the_change_ends() -> None:
    state = create_game().apply(create_game().start(), 0)

    assert summarize(state, 0, "raider")["strength"].value == 9


def test_first_value_of_an_enum_and_first_player_are_shown() -> None:
    home, boss = "home: {value: if this.attack > 2 then east else west}", "boss: {value: players.first}"
    ruleset = RULESET.replace("      unnamed:", f"      {home}\n      {boss}\n      unnamed:")
    view = Game(build_program(ruleset, "duel.yaml"), 2).view(create_game().start(), 0)
    [pair] = [pair for pair in list_visible_components(view) if pair[0].name == "raider"]
    values = {item.query.name: item.value for item in summarize_component(view, *pair).queries}
    assert (values["Unit.home"], values["Unit.boss"]) == (0, 0)


def test_blank_card_has_no_keywords() -> None:
    state = create_game().apply(create_game().apply(create_game().start(), 0), 0)

    assert set(summarize(state, 0, "raider")) == {"strength", "courage", "faulty", "blank", "tamed"}
    changes = summarize(state, 0, "raider")["strength"].changes
    assert [change.rule.rule for change in changes] == ["bearer (1)", "bearer (1)", "moody"]


def test_only_queries_with_the_card_alone_are_listed() -> None:
    names = set(summarize(create_game().start(), 0, "raider"))
    assert names == {"strength", "courage", "faulty", "fierce", "rush", "tamed"}
    # The value of `unnamed` follows from another and has no phrase, that of `faulty` would divide by zero.
    assert set(summarize(create_game().start(), 0, "bearer")) == {"strength", "courage", "rush", "tamed"}
    assert summarize(create_game().start(), 1, "raider")["courage"].value == 1
    # A spectator has no `me`.
    assert "courage" not in summarize(create_game().start(), None, "raider")


def test_values_that_depend_on_a_secret_are_left_out() -> None:
    state = create_game().start()

    assert "strength" not in summarize(state, 1, "raider")


@pytest.mark.parametrize("case", DATA["look shows what a seat may know"], ids=lambda case: case["test"])
def test_look_shows_what_a_seat_may_know(case: dict[str, Any]) -> None:
    state = create_game().start()
    for _ in range(case.get("steps", 0)):
        state = create_game().apply(state, 0)
    assert look(case["wanted"], case.get("seat", 0), case.get("places", False), state) == case["shown"]


@pytest.mark.parametrize("query", ["raider", "guard", "bearer", "guard-3"])
def test_secrets_do_not_change_the_breakdown(query: str) -> None:
    before = create_game().start()
    after = before.copy()
    layout = create_game().layout
    after.cells[layout.places["mood"].at((1,))] = 40
    after.cells[layout.places["mark"].at((0,))] = not before.cells[layout.places["mark"].at((0,))]
    hand, deck = layout.zones["hand"].at((1,)), layout.zones["deck"].at(())
    after.zones[hand], after.zones[deck] = after.zones[deck], after.zones[hand]
    for zone in (hand, deck):
        for card in after.zones[zone]:
            after.cells[layout.location + card] = zone

    assert look(query, 0, state=after) == look(query, 0, state=before)
