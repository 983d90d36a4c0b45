"""The analysis of who knows the locals of a routine."""

from __future__ import annotations

import pytest
from programs import checked

from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

MARKET = """\
game: {{id: market, name: Market, version: "1", language: 2, players: 2}}
components: {{Stall: {{active: {active}, fields: {{cost: Int}}}}}}
cards:
  ferry: {{kind: Stall, copies: 4, fields: {{cost: 2}}, rules: ["while {condition}: price is it - 1"]}}
  shop: {{kind: Stall, copies: 12, fields: {{cost: 3}}}}
zones:
  deck: {{holds: Stall, start: all Stall, visible: nobody}}
  market: {{holds: Stall}}
  street: {{per: [Player], holds: Stall}}
  hand: {{per: [Player], holds: Stall, visible: owner}}
queries: {{price: {{per: Player, params: {{stall: Stall}}, value: stall.cost}}}}
setup: move take(deck, 8) to market
phases:
  - id: fair
    do: |
      each player:
        choose stall in market where price(it) < 4, label "{{stall}} for {{price(stall)}}": move stall to street
scoring: {{rank: [count(street) + count(hand)]}}
"""


@pytest.mark.parametrize(
    ("active", "condition", "is_known"),
    [
        ("this in any street", "me is this.holder", True),
        ("true", "this in any street and this.holder is me", True),
        ("true", "me is this.holder", False),
        ("this in any hand", "me is this.holder", False),
        ("true", "this in any hand and this.holder is me", False),
    ],
)
def test_everybody_knows_the_holder_of_a_card_in_an_open_zone(active: str, condition: str, is_known: bool) -> None:
    knowledge = get_knowledge(checked(MARKET.format(active=active, condition=condition)))
    assert (not knowledge.revealing_sites) is is_known


AURA = """\
game: {{id: aura, name: Aura, version: "1", language: 2, players: 2}}
components: {{Unit: {{active: this in any lair, queries: {{strength: {{value: "1"}}}}}}}}
cards:
  drummer:
    kind: Unit
    copies: 9
    rules: ["while other.holder is this.holder and other is not this: Unit.strength(this: other) is it + 1"]
zones:
  deck: {{holds: Unit, start: all Unit, visible: nobody}}
  lair: {{per: [Player], holds: Unit}}
  hand: {{per: [Player], holds: Unit, visible: owner}}
queries: {{rivals: {{value: "list(u for p in players, u in p.{zone})"}}}}
setup: "each player: move take(deck, 3) to lair"
phases:
  - id: hunt
    do: |
      each player:
        choose prey in rivals where prey.strength < 3: move prey to hand
scoring: {{rank: [count(lair)]}}
"""


@pytest.mark.parametrize(("zone", "is_known"), [("lair", True), ("hand", False)])
def test_everybody_sees_what_is_chosen_in_an_open_zone_by_its_place(zone: str, is_known: bool) -> None:
    knowledge = get_knowledge(checked(AURA.format(zone=zone)))
    [levels], [unseen] = knowledge.site_levels.values(), knowledge.unseen_variables.values()
    assert (not any(levels.values())) is is_known is (not unseen)


PASSED_ON = """\
game: {id: passed, name: Passed, version: "1", language: 2, players: 2}
components: {Unit: {active: this in any hand}}
cards: {elf: {kind: Unit, copies: 9, rules: ["when deal(): this.holder.outer()"]}}
zones:
  deck: {holds: Unit, start: all Unit, visible: nobody}
  hand: {per: [Player], holds: Unit, visible: owner}
effects:
  deal: {per: Player, do: "move take(deck, 1) to hand"}
  outer: {per: Player, do: inner()}
  inner: {per: Player, do: 'announce "{me}"'}
setup: "each player: deal()"
scoring: {rank: ["0"]}
"""


@pytest.mark.parametrize("loop", ["each player where {}:\n", "each player:\n    if {}:\n  "])
def test_a_condition_of_a_loop_over_players_hides_no_more_than_an_if(loop: str) -> None:
    loop = loop.format("any(true for u in hand where u.copies is not empty)")
    text = PASSED_ON.replace('"each player: deal()"', f'|\n  {loop}    announce "{{me}}"')
    assert len(get_knowledge(checked(text)).text_levels) == 1  # that of `inner`


def test_a_warning_names_the_call_that_passes_something_hidden() -> None:
    diagnostics = Diagnostics()
    check_text(PASSED_ON, diagnostics)
    [warning] = [d for d in diagnostics.list_sorted() if d.code.id == "W0717"]
    assert (warning.span.line, [span.line for span, _ in warning.notes]) == (10, [3])


def test_zones_of_queries_that_use_each_other_twice_are_found_once() -> None:
    """Without that, each of these queries would double the number of steps."""
    queries = "".join(f"\n  q{n}: {{value: if count(rivals) > 9 then q{n - 1} else q{n - 1}}}" for n in range(1, 40))
    text = (
        AURA.format(zone="lair")
        .replace("queries: {rivals: {", "queries:\n  rivals: {")
        .replace('p.lair)"}}', 'p.lair)"}')
    )
    text = text.replace('p.lair)"}', f'p.lair)"}}\n  q0: {{value: rivals}}{queries}').replace(
        "prey in rivals", "prey in q39"
    )
    [unseen] = get_knowledge(checked(text)).unseen_variables.values()
    assert not unseen
