"""Test that explanations show the author's printed text, and describe the rules only on request."""

from __future__ import annotations

import pytest

from lusory.cli import main
from lusory_dsl.explain.rulebook import build_rulebook, render_markdown
from lusory_dsl.explain.rules_text import explain
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader import load_text
from lusory_dsl.source.diagnostics import Diagnostics

RULES = """
game: {id: hoard, name: Hoard, version: "1", language: 2, players: 2, start_page: {aim: Get rich., turn: {day: Dig.}}}
enums: {Metal: {gold: {label: Gold, text: Worth 2.}, tin: {label: Tin, doc: Worth little.}}}
components: {Card: {fields: {cost: Int}, effects: {found: {}}}}
keywords: {heavy: {kind: Card, reminder: You can't carry it.}}
cards:
  chest: {kind: Card, fields: {cost: 3}, text: [Heavy., "Found: take 1 gold."], keywords: [heavy], effects: {found: grab()}}
  sack: {kind: Card, fields: {cost: 1}, keywords: [heavy]}
zones:
  pile: {holds: Metal, start: {gold: 9}}
  own: {holds: Metal, per: [Player]}
  deck: {holds: Card, start: all Card}
effects: {grab: {text: Take a gold bar., doc: A note., do: "each player: move 1 gold from pile to own"}}
actions: {dig: {label: "Dig {deck.top}", text: Turn the top card up., do: deck.top.found()}}
endings: {bare: {label: The pile is bare, text: The richest player wins.}}
phases:
  - {id: day, label: "Day {pile.gold}", text: Each player digs., do: "each player: take action dig\\nend game because bare"}
scoring: {rank: [own.gold]}
"""  # noqa: E501


def ruleset() -> model.Ruleset:
    loaded = load_text(RULES, Diagnostics())

    assert loaded is not None
    return loaded


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("chest", ["Chest: cost 3.", "  Heavy. (You can't carry it.)", "  Found: take 1 gold."]),
        ("gold", ["Gold:", "  Worth 2."]),
        ("grab", ["Grab:", "  Take a gold bar."]),
        ("dig", ["Dig:", "  Turn the top card up."]),
        ("day", ["Day:", "  Each player digs."]),
    ],
)
def test_printed_text_takes_the_place_of_a_description(name: str, lines: list[str]) -> None:
    assert explain(ruleset(), name).splitlines() == lines


LEGEND = (
    RULES.replace(
        "{Card: {fields: {cost: Int}, effects: {found: {}}}}",
        """
  Card:
    fields: {cost: Int, base_size: Int}
    docs: {cost: Coins to play it., base_size: Its weight in pounds.}
    defaults: {base_size: 0}
    frame: [cost, base_size]
    queries: {tag: {type: Text, value: '""', doc: For the screen.}}
    effects: {found: {doc: Happens once.}}
""",
    )
    .replace(
        "chest: {kind: Card, fields: {cost: 3}",
        "chest: {kind: Card, fields: {cost: 3, base_size: 7}, queries: {tag: '\"a\"'}",
    )
    .replace("cost: 1}", "cost: 1}, text: Dull.")
    .replace('"Found: take 1 gold."', '"Found: take 1 gold. Piles stay."')
    .replace("effects: {found: grab()}", "effects: {found: 'grab(); move 1 gold from pile to own of players.first'}")
    .replace("pile: {holds", "pile: {doc: Where the gold lies., holds")
    .replace("own: {holds", "own: {doc: Not named., holds")
)


def test_explained_card_ends_with_the_meanings_of_its_words() -> None:
    """Told are what all abilities of the kind share, and the words of the text; not queries without a phrase."""
    loaded = load_text(LEGEND, Diagnostics())
    assert loaded is not None

    assert explain(loaded, "chest").splitlines() == [
        "Chest: cost 3, size 7.",
        "  Heavy. (You can't carry it.)",
        "  Found: take 1 gold. Piles stay.",
        "  What its words mean:",
        "    Happens once.",
        "    Cost: Coins to play it.",
        "    Size: Its weight in pounds.",
        "    Gold: Worth 2.",
        "    Pile: Where the gold lies.",
    ]
    assert "What its words mean" not in explain(loaded)
    assert explain(loaded, "sack").splitlines() == [
        "Sack: cost 1.",
        "  Dull.",
        "  What its words mean:",
        "    Cost: Coins to play it.",
    ]


def test_meaning_that_the_card_says_itself_is_not_repeated() -> None:
    loaded = load_text(
        LEGEND.replace('"Found: take 1 gold. Piles stay."', '"Pile: where the gold lies."'), Diagnostics()
    )
    assert loaded is not None
    assert "    Pile: Where the gold lies." not in explain(loaded, "chest").splitlines()


VALUES = """
game: {id: grove, name: Grove, version: "1", language: 2, players: 2}
components: {Card: {}}
keywords:
  armour: {kind: Card, type: Int, reminder: "{armour} less damage from each blow."}
  aura: {kind: Card, to: u where u is not this, reminder: All others have this.}
cards:
  oak: {kind: Card, text: It has armour., keywords: [{armour: 3}]}
  elm: {kind: Card, text: All others have +1 armour., keywords: [{aura: +1 armour}]}
zones:
  deck: {holds: Card, start: all Card}
scoring: {rank: [count(deck)]}
"""


@pytest.mark.parametrize(
    ("card", "meaning"),
    [("oak", "Armour: 3 less damage from each blow."), ("elm", "Armour n: n less damage from each blow.")],
)
def test_a_reminder_is_told_with_the_value_of_the_card_or_with_the_letter_that_its_title_has(
    card: str, meaning: str
) -> None:
    loaded = load_text(VALUES, Diagnostics())
    assert loaded is not None

    assert explain(loaded, card).splitlines()[-1] == f"    {meaning}"


def test_rules_are_described_beside_the_text_on_request() -> None:
    told = explain(ruleset(), "chest", with_rules=True)

    assert "Found: take 1 gold." in told
    assert "Grab." in told


def test_card_without_text_is_described_by_its_rules() -> None:
    assert explain(ruleset(), "sack").splitlines() == ["Sack: Card, cost 1.", "  Heavy (You can't carry it.)"]


def test_whole_rules_begin_with_aim_and_turn_and_tell_the_endings() -> None:
    lines = explain(ruleset()).splitlines()

    assert lines[3:6] == ["Aim: Get rich.", "", "Day: Dig."]
    assert lines[lines.index("The pile is bare:") + 1] == "  The richest player wins."


def test_rulebook_shows_the_texts() -> None:
    book = render_markdown(build_rulebook(ruleset()))

    assert "*Get rich.*" in book
    assert "Found: take 1 gold." in book
    assert "The richest player wins." in book
    assert "A note." not in book


def test_the_command_takes_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "tic-tac-toe", "--rules"]) == 0
    assert "Tic-tac-toe" in capsys.readouterr().out
