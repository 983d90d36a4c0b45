"""Generate a kind of card, and its cards with their keywords, rules, effects and actions.

Two restrictions avoid recursion. Values of cards read only places, never members of other cards. An effect of a card
calls only effects before it in CARD_EFFECTS. Now and then a call breaks the second restriction: then the checker
refuses the ruleset.
"""

from __future__ import annotations

import json

from .choices import Choices
from .scope import CARD_EFFECTS

FIELDS = ("1, side: left, gift: none", "2, side: right, gift: red", "0, side: left, gift: blue")


class Cards(Choices):
    """Generates the sections of a ruleset that describe cards."""

    def value_about(self, type: str, *cards: str) -> str:
        """Write a value that may refer to the names ``cards``."""
        with self.open_scope() as scope:
            scope.names["Card"] = [*cards]
            return self.value(type, 1)

    def card_effect(self, name: str, has_me: bool = False, number: str | None = None) -> list[str]:
        """Write the body of an effect of a card. If ``name`` isn't in CARD_EFFECTS, the body belongs to an action."""
        with self.open_scope(has_me=has_me) as scope:
            scope.names["Card"] = ["this"]
            scope.card_effects = CARD_EFFECTS.index(name) if name in CARD_EFFECTS else len(CARD_EFFECTS)
            if number is not None:
                scope.names["Int"] = [number]
            call = self.call_card(1) if self.toss(40) else []
            return call + self.block(self.pick(2))

    def make_kind(self, parts: list[str]) -> None:
        self.scope.reads_members = False
        active = self.select(["this in any hand", "this in any pile", self.value_about("Bool", "this")])
        blank = f"    blank: '{self.value_about('Bool', 'this')}'\n" if self.toss(60) else ""
        condition = f", if: '{self.value_about('Bool', 'this')}'" if self.toss(40) else ""
        cost = ", cost: decrease n by 1" if self.toss(40) else ""
        lure = self.value_about("Int", "this")
        enter = self.toss(60)
        parts.append(
            "components:\n"
            "  Card:\n"
            "    fields: {cost: Int, side: Side, gift: 'Resource?'}\n"
            f"    active: '{active}'\n{blank}"
            "    queries:\n"
            f"      worth: {{value: '{self.value_about('Int', 'this')}'}}\n"
            f"      lure: {{per: Player, params: {{k: Int}}, value: '{lure} + k'}}\n"
            "    effects:\n"
            "      enter:\n        params: {k: Int}\n"
            + ("        do: |\n" + self.write(self.card_effect("enter", number="k"), 10) if enter else "")
            + "      wake: {per: Player}\n"
            "    actions:\n"
            f'      spell: {{label: "Spell of {{this}}"{condition}{cost}}}\n'
            + (f"    rules:\n      - '{self.card_rule()}'\n" if self.toss(50) else "")
            + "cards:\n"
        )
        self.scope.reads_members = True

    def make_cards(self, parts: list[str]) -> None:
        self.make_kind(parts)
        self.scope.reads_members = False
        many = self.pick(3) if self.toss(8) else 9
        for number, (name, field_values) in enumerate(zip(("ace", "bee", "cat"), FIELDS, strict=True)):
            copies = 12 + 14 * self.pick(2) if many == number else 2 - number % 2
            parts.append(f"  {name}:\n    kind: Card\n    copies: {copies}\n    fields: {{cost: {field_values}}}\n")
            keywords = [word for word in ("swift", f"tough: {1 + self.pick(3)}") if self.toss(40)]
            if self.toss(60):
                keywords.append(f"dying: |\n          {self.write(self.card_effect('dying'), 10).strip()}")
            if self.toss(50):
                keywords.append(f"charm: |\n          {self.write(self.card_effect('charm', has_me=True), 10).strip()}")
            if keywords:
                parts.append("".join(["    keywords:\n", *(f"      - {word}\n" for word in keywords)]))
            rules = [self.card_rule() for _ in range(self.pick(4))]
            if rules:
                parts.append("".join(["    rules:\n", *(f"      - '{rule}'\n" for rule in rules)]))
            if self.toss(50):
                with self.open_scope(has_me=True) as scope:
                    scope.names["Card"], scope.names["Int"] = ["this"], ["k"]
                    lure = self.value("Int", 1)
                parts.append(
                    f"    queries:\n      worth: '{self.value_about('Int', 'this')}'\n"
                    + (f"      lure: '{lure}'\n" if self.toss(60) else "")
                )
            if self.toss(60):
                parts.append("    effects:\n      enter: |\n" + self.write(self.card_effect("enter", number="k"), 8))
                if self.toss(60):
                    parts.append("      wake: |\n" + self.write(self.card_effect("wake", has_me=True), 8))
            if self.toss(60):
                parts.append(self.spell())
        self.scope.reads_members = True

    def spell(self) -> str:
        with self.open_scope(has_me=True) as scope:
            scope.names["Card"] = ["this"]
            condition = f"        if: '{self.value('Bool', 1)}'\n" if self.toss(40) else ""
            choice = f"        choose: {json.dumps(self.variables(1))}\n" if self.toss(50) else ""
            cost = "        cost: move 1 red from purse to bank\n" if self.toss(30) else ""
            body = self.write(self.block(1), 10)
        return f"    actions:\n      spell:\n{choice}{condition}{cost}        do: |\n{body}"

    def card_rule(self) -> str:
        condition = self.value_about("Bool", "this", "u")
        if self.toss(15):
            body = self.select(["increase n by 1", "increase bulk[this] by 1", 'announce "{this}"'])
            word = self.select(["when", "when", "instead of"])
            event = self.select(["e0()", "Card.enter(this: u)", "Card.dying(this: u)", "Card.enter(this)"])
            condition = self.value_about("Bool", "this") if "u" not in event else condition
            return f"{word} {event} if {condition}: {body}"
        if self.toss(25):
            return f"while true: Card.{self.select(['worth', 'tough'])}(this: u) is it + {1 + self.pick(3)}"
        if self.toss(8):
            return "whenever bulk[this] > 3: set bulk[this] to 0"
        if self.toss(30):
            return f"while {condition}: Card.swift(this: u) is {self.select(['true', 'false'])}"
        amount = self.value_about("Int", "this", "u") if self.toss(50) else str(1 + self.pick(3))
        change = f"it {self.select(['+', '-', '*'])} {amount}"
        result = self.select([change, change, str(self.pick(3)), "bulk[this]"])
        layer = self.select(["", " in layer early", " in layer late"])
        own = "this" if self.toss(25) else "this: u"
        condition = self.value_about("Bool", "this") if own == "this" else condition
        if own == "this":
            result = result if "u" not in result.replace("bulk", "") else "bulk[this]"
        return f"while {condition}: Card.{self.select(['worth', 'tough'])}({own}) is {result}{layer}"
