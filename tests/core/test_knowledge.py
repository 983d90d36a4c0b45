"""Test the analysis of which seats know the locals of a routine."""

from __future__ import annotations

import pytest
from programs import build_program, read_data

from lusory_dsl.core.knowledge_of_locals import get_knowledge

DATA = read_data(__file__)

MARKET = DATA["market"]


@pytest.mark.parametrize(("active", "condition", "is_known"), DATA["everybody knows the holder of a visible card"])
def test_everybody_knows_the_holder_of_a_visible_card(active: str, condition: str, is_known: bool) -> None:
    knowledge = get_knowledge(build_program(MARKET.format(active=active, condition=condition)))
    assert (not knowledge.revealing_sites) is is_known


AURA = DATA["aura"]


@pytest.mark.parametrize(("zone", "is_known"), [("lair", True), ("hand", False)])
def test_everybody_sees_choices_by_position_in_a_visible_zone(zone: str, is_known: bool) -> None:
    knowledge = get_knowledge(build_program(AURA.format(zone=zone)))
    [levels], [unseen] = knowledge.site_levels.values(), knowledge.unseen_variables.values()
    assert (not any(levels.values())) is is_known is (not unseen)


@pytest.mark.parametrize("chooser", ["me", "players.first"])
def test_a_choice_from_the_hands_of_several_players_offers_unseen_cards(chooser: str) -> None:
    text = AURA.format(zone="hand").replace("strength < 3:", f"strength < 3, by {chooser}:")
    [unseen] = get_knowledge(build_program(text)).unseen_variables.values()
    assert unseen


PASSED_ON = DATA["passed on"]


@pytest.mark.parametrize("loop", ["each player where {}:\n", "each player:\n    if {}:\n  "])
def test_condition_of_a_loop_over_players_hides_no_more_than_if(loop: str) -> None:
    loop = loop.format("any(true for u in hand where u.copies is not empty)")
    text = PASSED_ON.replace('"each player: deal()"', f'|\n  {loop}    announce "{{me}}"')
    assert len(get_knowledge(build_program(text)).text_levels) == 1  # that of `inner`


def test_zones_of_nested_queries_are_collected_once() -> None:
    """Otherwise each of these queries would double the number of steps."""
    queries = "".join(f"\n  q{n}: {{value: if count(rivals) > 9 then q{n - 1} else q{n - 1}}}" for n in range(1, 40))
    text = (
        AURA.format(zone="lair")
        .replace("queries: {rivals: {", "queries:\n  rivals: {")
        .replace('p.lair)"}}', 'p.lair)"}')
    )
    text = text.replace('p.lair)"}', f'p.lair)"}}\n  q0: {{value: rivals}}{queries}').replace(
        "prey in rivals", "prey in q39"
    )
    [unseen] = get_knowledge(build_program(text)).unseen_variables.values()
    assert not unseen
