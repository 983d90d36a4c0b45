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
def game(engine: str = "compiled") -> Game:
    return Game(build_program(RULESET, "duel.yaml"), 2, engine=engine)


def query(state: State, seat: int | None, name: str, engine: str = "compiled") -> dict[str, Breakdown]:
    """Return the queries about a card that a seat can see, by name."""
    view = game(engine).view(state, seat)
    [seen] = [one for one in list_visible_components(view) if one[0].name == name]
    return {b.query.name.removeprefix("Unit."): b for b in summarize_component(view, *seen).queries}


def look(wanted: str, seat: int = 0, places: bool = False, state: State | None = None) -> str:
    """Return the output of `look`."""
    view = game().view(state or game().start(), seat)
    known = {card.card for card in view.setting.program.entities}

    def rules(name: str) -> str | None:
        return f"[{name} in words]\n" if name in known else None

    shown = describe_thing(wanted, view, ("Ann", "Bob"), rules, format_place if places else None)
    return "".join(f"{to_text(line)}\n" for line in shown)


@pytest.mark.parametrize("engine", ENGINES)
def test_breakdown_has_base_and_changes_in_order(engine: str) -> None:
    strength = query(game(engine).start(), 0, "raider", engine)["strength"]

    assert (strength.base, strength.is_printed, strength.value, strength.is_hidden) == (3, True, 14, False)
    assert [(c.rule.rule, c.card, c.before, c.after) for c in strength.changes] == [
        ("bearer (1)", 5, 3, 4),
        ("bearer (1)", 6, 4, 5),
        ("fierce", None, 5, 7),
        ("moody", None, 7, 9),
        ("turn", None, 9, 14),
    ]
    assert [c.rule.until for c in strength.changes] == [None, None, None, None, "turn"]


def test_breakdown_after_the_change_ends() -> None:
    state = game().apply(game().start(), 0)

    assert query(state, 0, "raider")["strength"].value == 9


def test_blank_card_has_no_keywords() -> None:
    state = game().apply(game().apply(game().start(), 0), 0)

    assert set(query(state, 0, "raider")) == {"strength", "courage", "faulty", "blank", "tamed"}
    assert [c.rule.rule for c in query(state, 0, "raider")["strength"].changes] == ["bearer (1)", "bearer (1)", "moody"]


def test_only_queries_with_the_card_alone_are_listed() -> None:
    assert set(query(game().start(), 0, "raider")) == {"strength", "courage", "faulty", "fierce", "rush", "tamed"}
    # The value of `unnamed` follows from another and has no phrase, that of `faulty` would divide by zero.
    assert set(query(game().start(), 0, "bearer")) == {"strength", "courage", "rush", "tamed"}
    assert query(game().start(), 1, "raider")["courage"].value == 1
    # A spectator has no `me`.
    assert "courage" not in query(game().start(), None, "raider")


def test_values_that_depend_on_a_secret_are_unknown() -> None:
    state = game().start()
    strength = query(state, 1, "raider")["strength"]

    assert strength.is_hidden
    assert [c.rule.rule for c in strength.changes] == ["bearer (1)", "bearer (1)", "fierce"]


@pytest.mark.parametrize("case", DATA["look shows what a seat may know"], ids=lambda case: case["test"])
def test_look_shows_what_a_seat_may_know(case: dict[str, Any]) -> None:
    state = game().start()
    for _ in range(case.get("steps", 0)):
        state = game().apply(state, 0)
    assert look(case["wanted"], case.get("seat", 0), case.get("places", False), state) == case["shown"]


@pytest.mark.parametrize("wanted", ["raider", "guard", "bearer", "guard-3"])
def test_secrets_do_not_change_the_breakdown(wanted: str) -> None:
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

    assert look(wanted, 0, state=after) == look(wanted, 0, state=before)
