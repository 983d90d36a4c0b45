"""The rules in words: what each construct reads like, and that nothing of a ruleset is left out.

Each ruleset of ``texts`` has a file beside it with what is explained of it: of a name behind ``==``, or of the whole
game. ``python tests/explain/test_rules_text.py`` writes these files anew.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from lusory.explain.declaration_names_and_lookup import Vocabulary
from lusory.explain.declarations_in_english import WIDTH, explain, list_names
from lusory.explain.statements_rules_and_declarations import StatementText
from lusory.explain.trigger_heads_and_phases_offering_actions import list_triggers
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_file_merging import load, load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.syntax import ast

RULESETS = sorted((Path(__file__).resolve().parents[2] / "rulesets").glob("**/ruleset.yaml"))


TEXTS = Path(__file__).parent / "texts"


def loaded(text: str) -> model.Ruleset:
    ruleset = load_text(text, found := Diagnostics(), "rules.yaml")
    assert ruleset is not None, found.list_sorted()
    return ruleset


@cache
def ruleset_of(name: str) -> model.Ruleset:
    """Return a ruleset of ``texts``."""
    return loaded((TEXTS / f"{name}.yaml").read_text(encoding="utf-8"))


def explained(file: Path) -> str:
    """Return what the file of a ruleset must hold: the explanations of the names that it holds now."""
    names = re.findall("^==(| \\w+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    ruleset = ruleset_of(file.stem)
    return "\n".join(f"=={name}\n{explain(ruleset, name.strip() or None)}" for name in names)


@pytest.mark.parametrize("file", sorted(TEXTS.glob("*.txt")), ids=lambda file: file.stem)
def test_it_reads_like_a_rulebook(file: Path) -> None:
    assert explained(file) == file.read_text(encoding="utf-8")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError):
        explain(ruleset_of("orchard"), "pear")


@pytest.mark.parametrize("path", RULESETS, ids=lambda p: p.parent.name)
def test_every_name_of_every_ruleset_is_explained(path: Path) -> None:
    ruleset = load(path.parent, Diagnostics())
    assert ruleset is not None

    for number, name in enumerate([None, *list_names(ruleset)]):
        text = explain(ruleset, name)
        assert text.strip()
        assert all(len(line) <= WIDTH for line in text.splitlines())
        assert number % 10 or text == explain(ruleset, name)


@pytest.mark.parametrize("path", RULESETS, ids=lambda p: p.parent.name)
def test_no_effect_text_is_shown_raw(path: Path) -> None:
    """Underscores and brackets of the language don't reach the reader."""
    ruleset = load(path.parent, Diagnostics())
    assert ruleset is not None
    declared = {name for name in list_names(ruleset) if "_" in name}
    shown = set(explain(ruleset).replace("(", " ").replace(")", " ").split())

    assert not (declared & shown) - {value.text for option in ruleset.options for value in option.values}


@pytest.mark.parametrize(
    ("condition", "said"),
    [("me is p", "If you are p:"), ("p is me", "If p is you:"), ("not (me is p)", "If you are not p:")],
)
def test_you_are_and_others_is(condition: str, said: str) -> None:
    text = f"effects:\n  e: {{per: Player, params: {{p: Player}}, do: 'if {condition}: announce \"x\"'}}\n"
    ruleset = loaded('game: {id: g, name: G, version: "1", language: 2, players: 2}\n' + text)
    assert said in explain(ruleset, "e")


def test_rows_of_a_table_are_numbered_from_the_low_end_of_its_range() -> None:
    text = """
game: {id: g, name: G, version: "1", language: 2, players: 2}
enums: {Side: [left]}
tables: {cost: {per: [-1..0, Side], type: Int, values: [{left: 7}, {left: 8}]}}
"""
    rows = explain(loaded(text), "cost").splitlines()
    assert [row.strip() for row in rows if "eft" in row] == ["-1: left 7.", "0: left 8."]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("c.original is ace", "If c is an Ace:"),
        ("not (c.original is king)", "If c is not a King:"),
        ("c is ace.original", "If c is the original of Ace:"),
    ],
)
def test_any_copy_of_a_card_is_told_by_its_label(condition: str, said: str) -> None:
    text = f"""
game: {{id: g, name: G, version: "1", language: 2, players: 2}}
components: {{Card: {{}}}}
cards: {{ace: {{kind: Card, label: Ace, copies: 4}}, king: {{kind: Card, label: King, copies: 4}}}}
effects: {{e: {{params: {{c: Card}}, do: 'if {condition}: announce "x"'}}}}
"""
    ruleset = loaded(text)
    assert said in explain(ruleset, "e")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("at(row, n - 1)", "Number n of the row."),
        ("at(row, 0)", "Number 1 of the row."),
        ("at(row, n * 2)", "Number (n × 2 + 1) of the row."),
        ("cycle(row, n - 1)", "Number n of the row, which goes round."),
        ("at(row, me.seat - 1)", "The one of the row whose number is your seat."),
        ("at(row, index(row, c))", "What stands in the row where c stands in the row."),
        ("fell_at[c]", "The “fell at” of c."),
        ("costs_of(c)", "The costs of c."),
        ("costs_of(row.first)", "The costs of the first of the row."),
    ],
)
def test_places_of_a_list_are_counted_from_one_and_names_lead_on(value: str, said: str) -> None:
    text = f"""
game: {{id: g, name: G, version: "1", language: 2, players: 2}}
components: {{Card: {{}}}}
variables: {{fell_at: {{type: Int, per: [Card], start: 0}}}}
queries:
  costs_of: {{params: {{c: Card}}, value: c.copies}}
  asked: {{per: Player, params: {{n: Int, c: Card, row: "List[Card]"}}, value: "{value}"}}
"""
    ruleset = loaded(text)
    assert said in " ".join(explain(ruleset, "asked").split())


FLIGHTS = """\
game: {id: flights, name: Flights, version: "1", language: 2, players: 2..4}
resources: {coin: {label: coin, plural: coins}, gold: {label: gold}}
components: {Moth: {fields: {size: Int}, effects: {played: {per: Player}, wakes: {}, rests: {per: Player}}}}
cards:
  luna: {kind: Moth, label: Luna, copies: 4, fields: {size: 2}}
  guard: {kind: Moth, label: Guard, fields: {size: 1}, rules: ["RULE"]}
  "hawk_{size}": {for: size in 3..5, kind: Moth, label: "Hawk {size}"}
zones:
  bank: {label: Bank, holds: Resource, start: {coin: 9}}
  pouch: {label: pouch, per: [Player], holds: Resource}
  nest: {label: Nest, holds: Moth, start: all Moth}
  air: {label: air, per: [Player], holds: Moth}
effects: {e: {per: Player, params: {n: Int, p: Player, m: Moth}, do: 'DO'}}
phases: [{id: day, at_most: 3, do: end game}]
scoring: {rank: ["0"]}
"""


def explain_flights(name: str | None, do: str = "stop", rule: str = "while true: Moth.size is 1") -> str:
    """Return the text of a declaration in one line, with ``do`` in the effect and ``rule`` on the guard."""
    ruleset = loaded(FLIGHTS.replace("DO", do).replace("RULE", rule))
    return " ".join(explain(ruleset, name).split())


@pytest.mark.parametrize(
    ("do", "said"),
    [
        ("choose victim in players where victim is not me and victim.pouch.coin > 0: stop",
         "Choose a victim, another player whose pouch has a coin: go no further"),
        ("choose victim in players where me is not victim: stop", "Choose a victim, another player: go no further"),
        ("choose p in players where p.pouch is empty: stop", "Choose a player whose pouch is empty (called p): "),
        ("choose player in players where n > 2: stop", "Choose a player for whom n is more than 2: "),
        ("let a = players where it is not me", "Let a be all other players."),
        ("let a = players where it is not me and it is not p", "Let a be all other players who are not p."),
        ("let a = players where pouch.coin = it.pouch.coin",
         "Let a be all players for whom the number of coins in your pouch is the number of coins in their pouch."),
        ("let a = any(q.air is empty for q in players where q is not me)", "be whether for some other player q, q"),
        ("each player where me is not p: stop", "Each player except p: "),
        ("each player where me is not p and n > 2: stop", "Each player except p (only where n is more than 2): "),
        ("let a = count(q for q in players where q is not me)", "Let a be the number of other players."),
    ],
)  # fmt: skip
def test_players_are_described_as_people(do: str, said: str) -> None:
    assert said in explain_flights("e", do)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("pouch.coin > 0", "your pouch has a coin"),
        ("not (pouch.coin > 0)", "your pouch has no coins"),
        ("pouch.gold >= 1", "your pouch has at least 1 gold"),
        ("pouch[coin] = 1", "your pouch has exactly 1 coin"),
        ("p.pouch.coin < 3", "p’s pouch has fewer than 3 coins"),
        ("pouch.coin != 3", "the number of coins in your pouch is not 3"),
        ("m.holder is me", "you hold m"),
        ("me is not m.holder", "you do not hold m"),
        ("not (p is m.holder)", "p does not hold m"),
        ("m.holder is none", "nobody holds m"),
        ("m.holder is not m.original.holder", "different players hold m and the original of m"),
    ],
)
def test_counters_and_holders_have_plain_words(condition: str, said: str) -> None:
    assert f"If {said}: " in explain_flights("e", f"if {condition}: stop")


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ("take(nest, 1)", "the top moth of the Nest"),
        ("take(nest, 3)", "the top 3 moths of the Nest"),
        ("take(nest, n)", "the top n moths of the Nest"),
        ("take(nest, n + 1)", "the top (n + 1) moths of the Nest"),
        ("take(nest, count(air))", "as many moths as there are moths in your air from the top of the Nest"),
        ("take(luna.copies, 1)", "the first of the copies of Luna"),
        ("nest.bottom", "the bottom moth of the Nest"),
    ],
)
def test_cards_come_from_the_top(cards: str, said: str) -> None:
    assert f"Move {said} to your air." in explain_flights("e", f"move {cards} to air")


def test_who_is_addressed_ends_with_the_context() -> None:
    """Also with one inside another, and after an exception."""
    prose = StatementText(Vocabulary(ruleset_of("orchard")))
    this, me = ast.Name(NOWHERE, "this"), ast.Name(NOWHERE, "me")
    holder = ast.Member(NOWHERE, this, "holder", NOWHERE)
    alone, addressed = ["the holder of this card", "you"], ["you", "that player"]
    with pytest.raises(ZeroDivisionError), prose.address_holder("that player"):
        with prose.address_holder("you"):
            pass
        assert [prose.say_value(holder), prose.say_value(me)] == addressed
        raise ZeroDivisionError
    assert [prose.say_value(holder), prose.say_value(me)] == alone


def test_items_of_two_lists_keep_their_names() -> None:
    text = explain_flights("e", "let a = players as p where count(q for q in players where q.air = p.air) = 1")

    assert "all players (p) for whom the number of players (q) for whom q’s air is p’s air is 1" in text


def test_families_have_no_article() -> None:
    assert "One for each size from 3 to 5." in explain_flights(None)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("when Moth.played(this: other) if other is any luna and me is not this.holder: move 1 coin from bank to "
         "this.holder.pouch", "After a Luna is played by another player: Move 1 coin from the Bank to your pouch."),
        ("when Moth.played(this: other) if me is not this.holder and pouch.coin > 0: move 1 coin from pouch to bank",
         "After a moth is played by another player, if that player’s pouch has a coin: "
         "Move 1 coin from that player’s pouch to the Bank."),
        ("when Moth.played(this: other) if me is not this.holder:\\n  choose n in 1..2: stop",
         "played by another player: That player chooses n from 1 to 2"),
        ("when Moth.played(this: other) if me is this.holder and other is not this: move other to nest",
         "After another moth (called other) is played by you: Move other to the Nest."),
        ("when Moth.played(this: this): stop", "After this card is played by you: "),
        ("when Moth.played: stop", "After a moth is played by you: "),
        ("when Moth.wakes(this: other): stop", "After “wakes” of a moth: "),
        ("instead of Moth.rests(this: this): stop", "Instead of “rests” of this card by you: "),
        ("when Moth.played(this: other) if me is not this.holder:\\n  each player: e(1, me, other)",
         "by you, if you do not hold this card: "),
    ],
)  # fmt: skip
def test_rules_about_effects_of_cards_say_whose(rule: str, said: str) -> None:
    assert said in explain_flights("guard", rule=rule)


EVENTS = """\
game: {id: comings, name: Comings, version: "1", language: 2, players: 2}
resources: {coin: {}}
components: {Job: {fields: {pay: Int}}}
cards: {cider: {kind: Job, fields: {pay: 4}}}
zones:
  deck: {holds: Job, start: all Job, label: Deck, doc: All jobs. Face down.}
  hand: {per: [Player], holds: Job}
  purse: {per: [Player], holds: Resource}
variables: {spot: {type: Int, per: [Player, 1..3], start: 0}}
effects: {pay: {params: {n: Int}, do: stop}}
rules:
  a: {rule: "RULE"}
phases: [{id: day, at_most: 3, do: end game}]
scoring: {rank: ["0"]}
"""


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("when job enters hand", "When a job enters your hand"),
        ("when j enters hand from any deck", "When a job (called j) enters your hand from the Deck"),
        ("when this leaves hand to hand", "When this card leaves your hand to any hand"),
        ("instead of job entering deck from hand", "Instead of a job entering the Deck from any hand"),
        ("when day ends if 1 > 2", "When the phase “day” ends, if 1 is more than 2"),
        ("when purse.coin changes", "At a change of coin in your purse"),
        ("when spot[n] changes", "At a change of your spot of n"),
    ],
)
def test_rules_that_answer_to_more_than_effects(rule: str, words: str) -> None:
    ruleset = loaded(EVENTS.replace("RULE", f"{rule}: stop"))

    assert words in " ".join(explain(ruleset, "a").split())


def test_what_can_be_answered_to_is_listed() -> None:
    ruleset = loaded(EVENTS.replace("RULE", "when pay: stop"))

    assert [(group.title, [hook.pattern for hook in group.patterns]) for group in list_triggers(ruleset)] == [
        ("Effects and windows", ["when pay(n)"]),
        ("Cards that come and go", [f"{head} {zone}" for zone in ("deck", "hand") for head in HEADS]),
        ("Phases", ["when day begins", "when day ends"]),
        ("Values that change", ["when spot[n] changes", "when purse[kind] changes"]),
    ]
    assert list_triggers(ruleset)[1].patterns[0].about == "All jobs."


HEADS = ("when card enters", "instead of card entering", "when card leaves")


if __name__ == "__main__":
    for file in TEXTS.glob("*.txt"):
        file.write_text(explained(file), encoding="utf-8")
