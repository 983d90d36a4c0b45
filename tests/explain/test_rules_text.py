"""The rules in words: what each construct reads like, and that nothing of a ruleset is left out.

Each ruleset of ``texts`` has a file beside it with what is explained of it: of a name behind ``==``, or of the whole
game. ``python tests/explain/test_rules_text.py`` writes these files anew.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from lusory.explain.declaration_names_and_lookup import Vocabulary
from lusory.explain.declarations_in_english import WIDTH, RulesText, explain, list_names
from lusory.explain.rulebook import explain_ruleset
from lusory.explain.statements_rules_and_declaration_parts import StatementText
from lusory.explain.trigger_heads_and_phases_offering_actions import find_offering_phases, list_triggers
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load, load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.syntax import ast

DATA = yaml.safe_load(Path(__file__).with_name("rules_text.yaml").read_text(encoding="utf-8"))

RULESETS = sorted((Path(__file__).resolve().parents[2] / "rulesets").glob("**/ruleset.yaml"))


TEXTS = Path(__file__).parent / "texts"


def load_rules(text: str) -> model.Ruleset:
    ruleset = load_text(text, diagnostics := Diagnostics(), "rules.yaml")
    assert ruleset is not None, diagnostics.list_sorted()
    return ruleset


@cache
def load_ruleset(name: str) -> model.Ruleset:
    """Return a ruleset of ``texts``."""
    return load_rules((TEXTS / f"{name}.yaml").read_text(encoding="utf-8"))


def explain_any(ruleset: model.Ruleset, name: str) -> str:
    """Return the explanation of a name, or of the whole ruleset for an empty one."""
    return explain(ruleset, name) if name else explain_ruleset(ruleset)


def explain_file(file: Path) -> str:
    """Return the correct content of a ruleset's file: explanations of the names that the file has now."""
    names = re.findall("^==(| \\w+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    ruleset = load_ruleset(file.stem)
    return "\n".join(f"=={name}\n{explain_any(ruleset, name.strip())}" for name in names)


@pytest.mark.parametrize("file", sorted(TEXTS.glob("*.txt")), ids=lambda file: file.stem)
def test_explanations_are_unchanged(file: Path) -> None:
    assert explain_file(file) == file.read_text(encoding="utf-8")


def test_doc_of_two_lines_becomes_one_line_and_gaps_stay() -> None:
    assert explain_ruleset(load_rules(DATA["board"])).splitlines()[5:12] == [
        "Boards",
        "------",
        "Yard: 2 x 2 squares.",
        "  Grass, and a wall.",
        "  b1: Gate",
        "     b2",
        "  a1 b1",
    ]


def test_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError):
        explain(load_ruleset("orchard"), "pear")


@pytest.mark.parametrize("path", RULESETS, ids=lambda file: file.parent.name)
def test_every_name_of_every_ruleset_is_explained(path: Path) -> None:
    ruleset = load(path.parent, Diagnostics())
    assert ruleset is not None

    for number, name in enumerate(["", *list_names(ruleset)]):
        text = explain_any(ruleset, name)
        assert text.strip()
        assert all(len(line) <= WIDTH for line in text.splitlines())
        assert number % 10 or text == explain_any(ruleset, name)


@pytest.mark.parametrize("path", RULESETS, ids=lambda file: file.parent.name)
def test_no_effect_text_is_shown_raw(path: Path) -> None:
    """Underscores and brackets of the language are not shown."""
    ruleset = load(path.parent, Diagnostics())
    assert ruleset is not None
    names = {name for name in list_names(ruleset) if "_" in name}
    words = set(explain_ruleset(ruleset).replace("(", " ").replace(")", " ").split())

    assert not (names & words) - {value.text for option in ruleset.options for value in option.values}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("me is p", "If you are p:"), ("p is me", "If p is you:"), ("not (me is p)", "If you are not p:")],
)
def test_you_takes_are_and_others_take_is(condition: str, expected: str) -> None:
    text = f"effects:\n  e: {{per: Player, params: {{p: Player}}, do: 'if {condition}: announce \"x\"'}}\n"
    ruleset = load_rules('game: {id: g, name: G, version: "1", language: 2, players: 2}\n' + text)
    assert expected in explain(ruleset, "e")


def test_table_rows_are_numbered_from_the_start_of_their_range() -> None:
    text = DATA["table rows are numbered from the start of their range"]
    rows = explain(load_rules(text), "cost").splitlines()
    assert [row.strip() for row in rows if "eft" in row] == ["-1: left 7.", "0: left 8."]


@pytest.mark.parametrize("is_at_table", [False, True])
def test_printed_text_of_a_value_stands_before_its_doc_and_tables(is_at_table: bool) -> None:
    ruleset = load_rules(DATA["a value with a printed text in a table"])
    (enum,) = ruleset.enums
    lines = RulesText(ruleset, is_at_table, shows_rules=True).describe_enum_value((enum, enum.values[0]))
    assert lines[1:] == ["  Worth more than green. A warm colour.", "  Price: 3."]


def test_value_names_only_cards_of_its_own_enum() -> None:
    """Two enums may have a value of the same name."""
    text = """
game: {id: g, name: G, version: "1", language: 2, players: 2}
enums: {Suit: [red], Team: [red]}
components: {Card: {fields: {suit: Suit}}, Pawn: {fields: {team: Team}}}
cards: {axe: {kind: Card, fields: {suit: red}}, bow: {kind: Pawn, fields: {team: red}}}
"""
    ruleset = load_rules(text)
    lines = [RulesText(ruleset, True).describe_enum_value((enum, enum.values[0])) for enum in ruleset.enums]
    assert lines == [["Red:", "  Suit of Axe."], ["Red:", "  Team of Bow."]]


def test_zone_with_an_open_top_says_so_at_the_table() -> None:
    text = """
game: {id: g, name: G, version: "1", language: 2, players: 2}
components: {Card: {}}
cards: {axe: {kind: Card}}
zones: {pile: {holds: Card, start: all Card, visible: {top: all, rest: nobody}, doc: Face up.}}
"""
    (zone,) = load_rules(text).zones
    assert RulesText(load_rules(text), True).describe_zone(zone) == [
        "Pile:",
        "  Face up.",
        "  Nobody sees the rest.",
        "  All see what lies at the top.",
    ]


def test_empty_list_in_a_table_reads_nothing() -> None:
    text = DATA["a table with an empty list"]
    assert explain(load_rules(text), "cost").splitlines() == ["Cost:", "  nothing."]


@pytest.mark.parametrize(("condition", "expected"), DATA["any copy of a card has its label"])
def test_any_copy_of_a_card_has_its_label(condition: str, expected: str) -> None:
    text = f"""
game: {{id: g, name: G, version: "1", language: 2, players: 2}}
components: {{Card: {{}}}}
cards: {{ace: {{kind: Card, label: Ace, copies: 4}}, king: {{kind: Card, label: King, copies: 4}}}}
effects: {{e: {{params: {{c: Card}}, do: 'if {condition}: announce "x"'}}}}
"""
    ruleset = load_rules(text)
    assert expected in explain(ruleset, "e")


@pytest.mark.parametrize(("value", "expected"), DATA["list positions count from one"])
def test_list_positions_count_from_one(value: str, expected: str) -> None:
    text = f"""
game: {{id: g, name: G, version: "1", language: 2, players: 2}}
components: {{Card: {{}}}}
variables: {{fell_at: {{type: Int, per: [Card], start: 0}}}}
queries:
  costs_of: {{params: {{c: Card}}, value: c.copies}}
  asked: {{per: Player, params: {{n: Int, c: Card, row: "List[Card]"}}, value: "{value}"}}
"""
    ruleset = load_rules(text)
    assert expected in " ".join(explain(ruleset, "asked").split())


FLIGHTS = DATA["flights"]


def explain_flights(name: str, do: str = "stop", rule: str = "while true: Moth.size is 1") -> str:
    """Return the text of a declaration in one line, with ``do`` in the effect and ``rule`` on the guard."""
    ruleset = load_rules(FLIGHTS.replace("DO", do).replace("RULE", rule))
    return " ".join(explain(ruleset, name).split())


@pytest.mark.parametrize(("do", "expected"), DATA["players are described as people"])
def test_players_are_described_as_people(do: str, expected: str) -> None:
    assert expected in explain_flights("e", do)


@pytest.mark.parametrize(("condition", "expected"), DATA["counters and holders have plain words"])
def test_counters_and_holders_have_plain_words(condition: str, expected: str) -> None:
    assert f"If {expected}: " in explain_flights("e", f"if {condition}: stop")


@pytest.mark.parametrize(("cards", "expected"), DATA["cards come from the top"])
def test_cards_come_from_the_top(cards: str, expected: str) -> None:
    assert f"Move {expected} to your air." in explain_flights("e", f"move {cards} to air")


def test_address_of_a_player_ends_with_its_context() -> None:
    """The address ends with a nested context, and after an exception."""
    prose = StatementText(Vocabulary(load_ruleset("orchard")))
    this, me = ast.Name(NOWHERE, "this"), ast.Name(NOWHERE, "me")
    holder = ast.Member(NOWHERE, "holder", NOWHERE, this)
    alone, in_context = ["the holder of this card", "you"], ["you", "that player"]
    with pytest.raises(ZeroDivisionError), prose.address_holder("that player"):
        with prose.address_holder("you"):
            pass
        assert [prose.say_value(holder), prose.say_value(me)] == in_context
        raise ZeroDivisionError
    assert [prose.say_value(holder), prose.say_value(me)] == alone


def test_items_of_two_lists_keep_their_names() -> None:
    text = explain_flights("e", "let a = players as p where count(q for q in players where q.air = p.air) = 1")

    assert "all players (p) for whom the number of players (q) for whom q’s air is p’s air is 1" in text


@pytest.mark.parametrize(("rule", "expected"), DATA["rules about card effects name the card"])
def test_rules_about_card_effects_name_the_card(rule: str, expected: str) -> None:
    assert expected in explain_flights("guard", rule=rule)


EVENTS = DATA["events"]


@pytest.mark.parametrize(("rule", "expected"), DATA["rules for other events"])
def test_rules_for_other_events(rule: str, expected: str) -> None:
    ruleset = load_rules(EVENTS.replace("RULE", f"{rule}: stop"))

    assert expected in " ".join(explain(ruleset, "a").split())


def test_events_are_listed() -> None:
    ruleset = load_rules(EVENTS.replace("RULE", "when pay: stop"))

    assert [(title, [head for head, _ in triggers]) for title, triggers in list_triggers(ruleset).items()] == [
        ("Effects and windows", ["when pay(n)"]),
        ("Cards that come and go", [f"{head} {zone}" for zone in ("deck", "hand") for head in HEADS]),
        ("Phases", ["when day begins", "when day ends"]),
        ("Values that change", ["when spot[n] changes", "when purse[kind] changes"]),
    ]
    assert list_triggers(ruleset)["Cards that come and go"][0][1] == "All jobs."


def test_effects_and_actions_of_cards_lead_to_offers() -> None:
    phases = find_offering_phases(load_rules(DATA["members that offer"]))

    assert {name: [phase.id.text for phase in offering_phases] for name, offering_phases in phases.items()} == {
        "shout": ["dawn", "dusk"],
        "rest": ["dawn", "noon", "dusk"],
        "bloom": ["dusk"],
    }


HEADS = ("when card enters", "instead of card entering", "when card leaves")


if __name__ == "__main__":
    for file in TEXTS.glob("*.txt"):
        file.write_text(explain_file(file), encoding="utf-8")
