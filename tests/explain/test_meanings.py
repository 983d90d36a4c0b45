"""The meanings of the words on a card."""

from __future__ import annotations

from lusory_dsl.explain.cards import find_word_meanings
from lusory_dsl.ruleset.loader import load_text
from lusory_dsl.source.diagnostics import Diagnostics

GAME = """\
game: {id: g, name: G, version: "1", language: 2, players: 2}
components:
  Unit:
    queries:
      attack: {value: "1", doc: "What a blow deals (AB-1 to AB-3, A2)."}
      noble: {value: "2", doc: One of the court.}
    fields: {ranks: "List[Text]"}
keywords:
  votes: {kind: Unit, type: Int, reminder: "Has {votes} votes, and again {votes}."}
  immune: {kind: Unit, type: "List[Unit]", reminder: "{immune} can't harm it."}
  on_death: {kind: Unit, effect: {per: Player}, reminder: When it dies.}
  aura: {kind: Unit, to: u where u is not this, reminder: For the others.}
  unused: {kind: Unit, reminder: On no card.}
queries:
  friends: {doc: "All \n others.", params: {u: Unit}, value: all_units}
  all_units: {doc: On no card itself., value: Unit}
  busy: {doc: While somebody is here., value: "true"}
  quoted: {doc: Only in a text., value: "1"}
windows: {answer: {who: players, actions: [pass], doc: All may answer.}}
actions: {pass: {do: stop}}
cards:
  king:
    kind: Unit
    fields: {ranks: [noble, noble born]}
    keywords:
      - votes: 2
      - immune: [king]
      - on_death: 'announce "{quoted} {friends(this)}"; open answer()'
      - aura: +1 attack
    rules: [{rule: "while true: Unit.attack is it + 1", active: busy}]
"""


def test_meanings_cover_what_a_card_uses_and_nothing_else() -> None:
    """Names in texts that the table reads, and names that only other rules use, need no explanation here."""
    ruleset = load_text(GAME, Diagnostics())
    assert ruleset is not None

    assert list(find_word_meanings(ruleset, ruleset.cards[0]).values()) == [
        ("answer", "All may answer."),
        ("attack", "What a blow deals."),
        ("aura", "For the others."),
        ("busy", "While somebody is here."),
        ("immune x", "x can't harm it."),
        ("noble", "One of the court."),
        ("on_death", "When it dies."),
        ("votes n", "Has n votes, and again n."),
    ]
