"""The rules in words: what each construct reads like, and that nothing of a ruleset is left out."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

from lusory_dsl.explain.rules_text import WIDTH, explain, list_names
from lusory_dsl.explain.statements import StatementText
from lusory_dsl.explain.vocabulary import Vocabulary
from lusory_dsl.explain.writable_triggers_and_offering_phases import list_triggers
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader import load, load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.syntax import ast

RULESETS = sorted((Path(__file__).resolve().parents[2] / "rulesets").glob("**/ruleset.yaml"))

ORCHARD = """\
game: {id: orchard, name: Orchard, version: "1", language: 2, players: 2..4, about: A fair., authors: [Ann]}
options:
  rainy: {type: Bool, default: true, doc: Whether it rains (OR-3).}
  pace: {values: [slow, fast], default: slow}
  days: {type: Int, range: 1..9, default: 3}
resources:
  apple: {label: Apple, plural: apples}
  coin: {label: Coin, plural: coins}
enums: {Weather: [sun, rain], Side: {left: {label: left side}, right: {label: right side}}}
components: {Job: {fields: {pay: Int, wants: Resource}}}
tables: {after: {per: [Weather], type: "Weather?", values: {sun: rain, rain: none}}}
cards: {cider: {kind: Job, label: Apple Cider, copies: 2, fields: {pay: 4, wants: apple}}}
zones:
  trees: {holds: Resource, start: {apple: 12}, label: Trees, unlimited: true}
  basket: {per: [Player], holds: Resource, visible: owner, kinds: [apple]}
  deck: {holds: Job, start: all Job, visible: nobody}
  hand: {per: [Player], holds: Job}
variables:
  weather: {type: Weather, start: sun}
  resting: {type: Bool, per: [Player], start: false}
  spot: {type: "Side?", per: [Player, Side], start: none, visible: viewer is owner or rainy, doc: See A1 and OR-12.}
queries:
  worth: {per: Player, value: "sum(j.pay for j in hand) + (basket.apple div 2)"}
  dry: {value: weather is sun and not rainy}
  richest: {value: players with most it.worth}
  samples: {per: Player, value: hand with distinct it.wants}
effects:
  draw: {per: Player, params: {n: Int}, do: "repeat n times: move deck.top to hand"}
  all_of_it:
    per: Player
    do: |
      let a = if dry then 1 else 2
      decrease basket.apple by a
      choose up to 2 gifts in hand where it.pay > 1, by me.next, prompt "Give"
      move gifts to top of deck
      order stack in hand
      choose 1..3 some in hand
      choose any other in hand
      choose 2 two in hand
      choose by me.next, prompt "Now?":
        option keep "Keep {n}" with n in 1..2 if not rainy: draw(n)
        option go: stop; draw(1)
      may "Rest?": set resting to true
      else:
        draw(n: 1)
        me.next.draw(2)
      take action sell, rest, by me.next
      roll eyes in 1..6: draw(eyes)
      pick secret job in hand where job.wants is apple at random: move job to deck
      else: announce "none" to [me]
      if rainy and not (dry and rainy): move smaller(n_days, 2) apples from basket to trees
      repeat while basket.apple > 0 and not (rainy or dry), at most 3 times: move 1 apple from basket to trees
      for each job in hand: stop
      each player from me anticlockwise where any(it.pay > 2 for j in hand): shuffle deck
      by richest.first: set spot[left] to right
      if not all(s is left for s in Side) or hand is not empty: end game because "over"
      if me.next.resting and weather in [sun, rain]: end game by late for richest
      begin calm
      begin me.next.calm
      open fair(cider, 2): stop
      else: draw(3)
actions:
  sell: {label: "Sell {job}", choose: job in hand, if: [not resting, dry], do: move job to deck}
  rest: {do: set resting to true}
  spoil: {cost: move 1 apple from basket to trees, do: cancel}
  shout: {do: draw(1)}
windows:
  fair:
    params: {job: Job, price: Int}
    who: players where it is not me
    forced: [shout]
    actions: [spoil]
    passes: until all pass
    at_most: 4
    order: last first
    doc: The fair.
spans:
  calm: {per: Player, holds: basket.apple > 0, doc: Nothing stirs.}
rules:
  luck: {rule: "when draw(n: many) if many > 1: me.draw(1)", doc: Luck.}
  storm: {rule: "instead of all_of_it if rainy: stop"}
  rain: {rule: "while rainy: worth is it - 1"}
  flood: {rule: "while rainy: worth is 3"}
  shower: {rule: "while rainy: dry is false"}
  broken: {rule: "when (("}
setup: shuffle deck
phases: [{id: day, label: "Day {days}", while: "true", at_most: 3, phases: [{id: work, if: dry, do: all_of_it()}]}]
scoring:
  rank: [worth, basket.apple]
  charts: {late: {title: A late end, steps: [{title: Worth, value: worth}, {title: Cards, value: count(hand)}]}}
"""


@cache
def orchard() -> model.Ruleset:
    diagnostics = Diagnostics()
    ruleset = load_text(ORCHARD, diagnostics)
    assert ruleset is not None, [d.message for d in diagnostics.list_sorted()]
    return ruleset


@cache
def unwrapped() -> str:
    """The rulebook, with lines that were broken put together again."""
    lines: list[str] = []
    for line in explain(orchard()).splitlines():
        indent = len(line) - len(line.lstrip())
        continued = (
            lines and line.strip() and indent > _indent(lines[-1]) and not lines[-1].endswith((":", ".", ")", "-"))
        )
        if continued:
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@pytest.mark.parametrize(
    "words",
    [
        "Orchard (2 to 4 players)",
        "Basket, for each Player: holds apples.",
        "Only its owner sees the content.",
        "Deck: holds Job cards, in order.",
        "It never runs out.",
        "Apple Cider (2 copies): Job, pay 4, wants apple.",
        "A player sees it if that player is the owner or the option “rainy” is on.",
        "Spot, for each Player and Side: one of Side or nothing, nothing at the start.",
        "Rainy: yes or no; yes unless agreed otherwise.",
        "Days: 1 to 9; 3 unless agreed otherwise.",
        "Day [the option “days”]:",
        "Again and again, at most 3 times.",
        "Only if “dry” holds.",
        "In this order: Work.",
        "Allowed only if “resting” does not hold for you.",
        "Choose a job from the jobs in your hand.",
        "Repeat n times: move the top job of the deck to your hand.",
        "Let a be 1 if “dry” holds, otherwise 2.",
        "Decrease the number of apples in your basket by a.",
        "Put your hand in any order (called stack).",
        "Choose 1 to 3 of the jobs in your hand (called some).",
        "Choose any number of the jobs in your hand (called other).",
        "The player after you chooses one of these (“Now?”):",
        "• Keep [n], with n from 1 to 2, if the option “rainy” is off: draw (n).",
        "You may say yes to “Rest?”; then: from now on “resting” holds for you.",
        "The player after you: draw (2).",
        "The player after you takes one of these actions: “Sell” or “Rest”.",
        "Roll eyes: 1 to 6: draw (the eyes).",
        "Secretly pick a job at random from the jobs in your hand whose wants is apple:",
        "If there is nothing to pick: announce “none” to you.",
        "off and “dry” does not hold (at most 3 times):",
        "Move 1 apple from your basket to the Trees.",
        "If the option “rainy” is on and (“dry” does not hold or the option “rainy” is off):",
        "Move (the smaller of n days and 2) apples from your basket to the Trees.",
        "For each job of your hand: go no further through this list.",
        "As the first of the richest, who is “you” here: set your spot of left side to right side.",
        "If (not for every Side s, s is left side) or your hand is not empty:",
        "After “draw” (its n is called many), if many is more than 1:",
        "Instead of “all of it”, if the option “rainy” is on:",
        "While the option “rainy” is on: “worth” becomes it − 1, where “it” is what it would be otherwise.",
        "While the option “rainy” is on: “worth” becomes 3.",
        "While the option “rainy” is on: “dry” does not hold.",
        "when ((",
        "All players with the most worth.",
        "Jobs in your hand, one for each wants.",
        "Whether the weather is sun and the option “rainy” is off.",
        "Whoever has the most of this wins: your worth.",
        "The game ends, and the chart “late” says who wins; only these can win: the richest.",
        "From now on “calm” is watched.",
        "From now on “calm of the player after you” is watched.",
        "Open “fair (job: Apple Cider, price: 2)”; unless it is cancelled:",
        "If it is cancelled: draw (3).",
        "  Sun: rain.\n  Rain: nothing.",
        "Players who can do one of these must do so first: shout.",
        "They may answer with spoil, or pass.",
        "Costs are paid at once; answers take effect when all have been asked, the last one first.",
        "Lasts as long as your basket has an apple.",
        "What was answered is cancelled.",
        "When tied, cards: the number of jobs in your hand.",
        "Clauses mentioned: A1, OR-3, OR-12.",
    ],
)
def test_it_reads_like_a_rulebook(words: str) -> None:
    assert words in unwrapped()


@pytest.mark.parametrize(
    "name, words",
    [
        ("apple", "Apple: one of Resource, beside coin.\n  See “worth”, “all of it” and “spoil”.\n"),
        ("rainy", "Clauses: OR-3."),
        ("cider", "Apple Cider (2 copies)"),
        ("work", "Work:\n  Only if “dry” holds."),
        ("day", "\n  Work:"),
        ("luck", "Luck:\n  Luck.\n  After “draw”"),
        ("Side", "left side and right side"),
    ],
)
def test_one_thing_is_explained_by_its_name(name: str, words: str) -> None:
    assert words in explain(orchard(), name)


def test_everything_of_a_name_is_explained() -> None:
    text = explain(orchard(), "rain")

    assert "one of Weather" in text
    assert "While the option" in text


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError):
        explain(orchard(), "pear")


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


CARDS = """
game: {id: field, name: Field, version: "1", language: 2, players: 2}
components:
  Unit:
    doc: Who fights.
    fields: {base: Int}
    active: this in field
    queries: {strength: {value: this.base, doc: How hard it hits.}, rank: {type: Int}}
    effects: {enters: {per: Player}}
    actions: {fight: {if: "not used[this]", cost: "set used[this] to true"}}
cards:
  knight:
    kind: Unit
    label: Knight
    fields: {base: 3}
    queries: {rank: this.strength + 1}
    effects: {enters: shuffle field}
    actions: {fight: {label: "Fight with {this}", choose: u in field where u has fight, do: use fight of u}}
    rules: ["when enter(): knight.enters()", {active: "true", rule: "while knight can fight: Unit.strength is it + 1"}]
zones: {field: {holds: Unit}}
variables: {used: {type: Bool, per: [Unit], start: false}}
phases: [{id: go, do: "take action fight of field, rest"}]
"""


def test_a_card_says_what_it_does() -> None:
    ruleset = load_text(CARDS, Diagnostics())
    assert ruleset is not None

    assert explain(ruleset, "knight") == dedent(
        """\
        Knight: Unit, base 3.
          Rank: the strength of this card + 1.
          Enters:
            Shuffle the field.
          Fight with Knight:
            In the phase “Go”.
            Choose u that has “fight” from the units in the field.
            Use “fight” of u.
          After “enter”:
            Do “enters” of Knight.
          Always:
          While you can use “fight” of Knight: “Unit strength” becomes it + 1, where “it” is what it
            would be otherwise.
          What its words mean:
            Strength: How hard it hits.
        """
    )
    assert explain(ruleset, "Unit") == dedent(
        """\
        Unit: each has base (a number).
          Who fights.
          Its rules hold while this card lies in the field.
          Strength: the base of this card, unless a card says otherwise.
            How hard it hits.
          Rank: each card says.
          Enters, unless a card says otherwise:
            Nothing.
          Fight, where a card has it:
            Allowed only if “used” (this card) does not hold.
            This is the cost:
              From now on “used” (this card) holds.
        """
    )


WORKS = """
game: {id: works, name: Works, version: "1", language: 2, players: 2}
resources: {ore: {plural: ores}, coal: {plural: coals}}
enums: {Side: [up, down]}
components:
  Works:
    fields:
      {code: Text, cost: "List[Resource]", tags: "List[Resource]", sides: "List[Side]", years: "List[Int]", spare: Int,
       ready: Bool, lost: Bool, next: "Works?"}
    docs: {cost: What it costs (W-9)., spare: Not shown where it is 0.}
    queries: {yields: {value: "0", doc: What it brings.}}
    effects: {opens: {doc: When it is built (W-1).}}
    actions: {dig: {doc: Once a turn.}, rest: {doc: At any time.}, never: {doc: Nowhere.}}
keywords:
  noisy: {kind: Works, reminder: Nobody sleeps.}
  deep: {kind: Works, type: Int, reminder: "{deep} down."}
  aura: {kind: Works, to: u where u is not this, reminder: For all others.}
  shift: {kind: Works, action: {}, reminder: In turns.}
cards:
  mine:
    kind: Works
    fields:
      {code: W007, cost: [ore, coal, ore], tags: [ore, coal], sides: [up, down, up], years: 2..9, spare: 0, ready: true,
       lost: false, next: none}
    keywords: [{aura: noisy}, {shift: haul(2)}]
    queries: {yields: "3"}
    effects: {opens: haul(depth)}
    actions: {dig: haul(1), rest: {label: Rest, do: shuffle yard}, never: {label: Never, do: shuffle yard}}
zones: {yard: {holds: Works, start: all Works, doc: Behind the house.}}
queries: {depth: {value: mine.deep, doc: How far down.}, other: {value: "1", doc: Of no card.}}
effects:
  haul: {params: {n: Int}, doc: "So many carts (W-2, W-3).", do: shuffle yard}
  work: {per: Player, do: "take action dig of yard"}
actions: {pause: {label: Pause, do: "take action from breaks"}}
menus: {breaks: {actions: [rest of yard, shift of yard]}}
phases:
  - {id: morning, label: Early, do: "each player: work()"}
  - {id: noon, label: "Year {depth}", do: shuffle yard}
  - {id: evening, do: "each player: work(); take action pause, dig of yard"}
  - {id: night, do: "by players.first: open calls()"}
windows: {calls: {who: players, actions: [shift of yard]}}
"""


def test_a_card_alone_is_told_with_what_its_words_mean() -> None:
    """Docs of what it says, uses and gives, and the phases of its actions; nothing of what is 0, no or a code."""
    ruleset = load_text(WORKS, Diagnostics())
    assert ruleset is not None

    assert explain(ruleset, "mine") == dedent(
        """\
        Mine: Works, cost 2 ores and 1 coal, tags ore and coal, sides up, down and up, years 2 to 9,
        ready.
          Aura: noisy. (For all others.)
          Shift (In turns.):
            In the phases “Evening” and “Night”.
            Haul (2).
          Yields: 3.
            What it brings.
          Opens:
            When it is built (W-1).
            Haul (the depth).
          Dig:
            Once a turn.
            In the phases “Early” and “Evening”.
            Haul (1).
          Rest:
            At any time.
            In the phase “Evening”.
            Shuffle the yard.
          Never:
            Nowhere.
            Shuffle the yard.
          What its words mean:
            Cost: What it costs.
            Depth: How far down.
            Haul: So many carts.
            Noisy: Nobody sleeps.
            Yard: Behind the house.
        """
    )
    assert "What its words mean" not in explain(ruleset)
    assert "\n  Cost: What it costs (W-9).\n  Spare: Not shown where it is 0.\n" in explain(ruleset, "Works")


KEYWORDS = """
game: {id: field, name: Field, version: "1", language: 2, players: 2}
components: {Unit: {active: this in field, rules: ["whenever this.armour > 9: end turn"]}}
durations: {turn: {doc: Of a player.}}
keywords:
  armour:
    kind: Unit
    type: Int
    reminder: "Takes {armour} less damage from each blow."
    doc: Made of iron.
    rules: ["when blow(unit: this): increase this.armour by 1 until turn ends"]
  rush: {kind: Unit}
cards:
  knight: {kind: Unit, keywords: [rush, {armour: 2}, lost]}
zones: {field: {holds: Unit}}
"""


def test_a_keyword_is_shown_with_its_reminder() -> None:
    ruleset = load_text(KEYWORDS, Diagnostics())
    assert ruleset is not None

    assert explain(ruleset, "knight") == dedent(
        """\
        Knight: Unit.
          Rush.
          Armour 2 (Takes 2 less damage from each blow.)
          Lost.
        """
    )
    assert explain(ruleset, "armour").splitlines()[:3] == [
        "Armour N: Unit cards can have it.",
        "  Made of iron.",
        "  Takes N less damage from each blow.",
    ]


DEEDS = """
game: {id: gangs, name: Gangs, version: "1", language: 2, players: 2}
components: {Unit: {active: this in field, blank: "hurt[this]"}}
keywords:
  on_death: {kind: Unit, label: On-Death, reminder: Done when it dies., effect: {}}
  lead: {kind: Unit, type: Int, label: "Leadership ({lead})"}
  crime: {kind: Unit, action: {if: "not used[this]"}}
cards:
  boss: {kind: Unit, keywords: [{lead: 2}, {on_death: decrease loot by 2}, {crime: {if: loot > 0, do: rob()}}]}
variables: {hurt: {type: Bool, per: [Unit], start: false}}
"""


def test_keywords_with_a_block_are_told_with_it() -> None:
    ruleset = load_text(DEEDS, Diagnostics())
    assert ruleset is not None

    assert explain(ruleset, "boss") == dedent(
        """\
        Boss: Unit.
          Leadership (2).
          On-Death (Done when it dies.):
            Decrease loot by 2.
          Crime:
            Allowed only if loot is more than 0.
            Rob.
        """
    )
    assert explain(ruleset, "lead") == "Leadership (N): Unit cards can have it.\n"
    assert explain(ruleset, "crime") == dedent(
        """\
        Crime: Unit cards that have it say what they do.
          Allowed only if “used” (this card) does not hold.
        """
    )
    assert "  Blank, without keywords and rules of its own:\n    While “hurt” (this card) holds" in explain(
        ruleset, "Unit"
    )


def test_rules_of_kinds_and_durations_are_told() -> None:
    ruleset = load_text(KEYWORDS, Diagnostics())
    assert ruleset is not None

    assert "  Whenever the armour of this card is more than 9:\n    Turn ends.\n" in explain(ruleset, "Unit")
    assert "    Increase the armour of this card by 1, until turn ends.\n" in explain(ruleset, "armour")
    assert explain(ruleset, "turn") == "Turn: something may last until its end.\n  Of a player.\n"


@pytest.mark.parametrize(
    ("condition", "said"),
    [("me is p", "If you are p:"), ("p is me", "If p is you:"), ("not (me is p)", "If you are not p:")],
)
def test_you_are_and_others_is(condition: str, said: str) -> None:
    text = f"effects:\n  e: {{per: Player, params: {{p: Player}}, do: 'if {condition}: announce \"x\"'}}\n"
    ruleset = load_text('game: {id: g, name: G, version: "1", language: 2, players: 2}\n' + text, Diagnostics())
    assert ruleset is not None
    assert said in explain(ruleset, "e")


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
    ruleset = load_text(text, Diagnostics())
    assert ruleset is not None
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
    ruleset = load_text(text, Diagnostics())
    assert ruleset is not None
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
    ruleset = load_text(FLIGHTS.replace("DO", do).replace("RULE", rule), found := Diagnostics())
    assert ruleset is not None, found.list_sorted()
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
    prose = StatementText(Vocabulary(orchard()))
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
    ruleset = load_text(EVENTS.replace("RULE", f"{rule}: stop"), Diagnostics(), "rules.yaml")
    assert ruleset is not None

    assert words in " ".join(explain(ruleset, "a").split())


def test_what_can_be_answered_to_is_listed() -> None:
    ruleset = load_text(EVENTS.replace("RULE", "when pay: stop"), Diagnostics(), "rules.yaml")
    assert ruleset is not None

    assert [(group.title, [hook.pattern for hook in group.patterns]) for group in list_triggers(ruleset)] == [
        ("Effects and windows", ["when pay(n)"]),
        (
            "Cards that come and go",
            [f"{head} {zone}" for zone in ("deck", "hand") for head in HEADS],
        ),
        ("Phases", ["when day begins", "when day ends"]),
        ("Values that change", ["when spot[n] changes", "when purse[kind] changes"]),
    ]
    assert list_triggers(ruleset)[1].patterns[0].about == "All jobs."


HEADS = ("when card enters", "instead of card entering", "when card leaves")


def test_articles_stand_once_and_a_condition_is_an_answer() -> None:
    text = """
    game: {id: bids, name: Bids, version: "1", language: 2, players: 2}
    components: {Card: {fields: {worth: Int}, queries: {dear: {value: "true"}}}}
    cards: {oak: {kind: Card, fields: {worth: 2}, queries: {dear: this.worth > 1}}}
    zones: {chest: {label: Chest, holds: Card, start: all Card}}
    actions:
      guess: {choose: "card in Card.originals", do: 'announce "{me} bids for the {chest.top}"'}
    phases: [{id: day, do: "each player: take action guess"}]
    scoring: {rank: ["1"]}
    """
    ruleset = load_text(dedent(text), found := Diagnostics())
    assert ruleset is not None, found.list_sorted()

    assert "from every Card once" in explain(ruleset, "guess")
    assert "bids for the [top card of the Chest]" in explain(ruleset, "guess")
    assert "Dear: if the worth of this card is more than 1" in explain(ruleset, "oak")


HARBOUR = """
game: {id: harbour, name: Harbour, version: "1", language: 2, players: 2}
enums: {Port: [near, far]}
components: {Card: {active: "true"}}
cards:
  chart: {kind: Card, rules: ["while this in quay: pay is it + 1", "while not this in quay: pay is it - 1"]}
  light: {kind: Card, rules: ["when come_home(port) if port is far: set total to 1"]}
zones: {quay: {per: [Player], holds: Card}, deck: {holds: Card, start: all Card}}
variables: {total: {type: Int, start: 0}}
queries: {pay: {per: Player, value: 2}}
effects: {come_home: {per: Player, params: {port: Port}, do: increase total by pay}}
phases: [{id: day, do: "each player: come_home(far)"}]
scoring: {rank: [total]}
"""


def test_a_card_lies_in_a_zone_and_an_event_comes_with_its_values() -> None:
    ruleset = load_text(HARBOUR, found := Diagnostics())
    assert ruleset is not None, found.list_sorted()

    assert "While this card lies in your quay: “pay” becomes it + 1" in explain(ruleset, "chart")
    assert "While this card does not lie in your quay: “pay” becomes it − 1" in explain(ruleset, "chart")
    assert "After “come home” (with a port), if the port is far:" in explain(ruleset, "light")
