"""Generate rules that react to card movements, phases and changes of values.

The checker refuses rules that can trigger themselves. Therefore their bodies only count, announce and ask.
"""

from __future__ import annotations

from .choices import Choices

ZONES = {"hand": True, "deck": False, "pile": False, "map": False}
"""Zone of cards -> whether each player has one."""

CHANGING = (
    ("n", False, "Int"),
    ("score", True, "Int"),
    ("flag", False, "Bool"),
    ("turn", False, "Player"),
    ("patience", False, ""),
    ("grid[at]", False, "Int"),
    ("bulk[card]", False, "Int"),
    ("purse.red", True, "Int"),
    ("tray[side].red", False, "Int"),
)
"""Places that a rule watches: the place with names for its indices, whether `me` is known, and the type of `old`."""


class Events(Choices):
    """Generates rules of a ruleset. Each method returns one rule."""

    def event(self) -> str:
        return self.select(
            [self.enter, self.enter, self.leave, self.replace, self.replace, self.phase_rule, self.change_rule]
        )()

    def card_moves(self) -> list[str]:
        """Write moves of cards that trigger the rules."""
        targets = [f"map[{self.spot(0)}]", f"pile[{self.side(0)}]", "players.first.hand", "deck"]
        moves = [f"move take(deck, {1 + self.pick(2)}) to {target}" for target in targets[:3]]
        moves += [
            f"move pile[{self.side(0)}] to {self.select(targets)}",
            f"move players.first.hand to {self.select(targets)}",
        ]
        return [move for move in moves if self.toss(70)]

    def enter(self) -> str:
        zone = self.select([*ZONES])
        source = f" from {self.zone_pattern(self.select([*ZONES]))}" if self.toss(30) else ""
        return self.reaction("when {card} enters " + self.zone_pattern(zone) + source, ZONES[zone])

    def leave(self) -> str:
        zone = self.select([*ZONES])
        target = f" to {self.zone_pattern(self.select([*ZONES]))}" if self.toss(30) else ""
        return self.reaction("when {card} leaves " + self.zone_pattern(zone) + target, ZONES[zone])

    def replace(self) -> str:
        """Write a rule that replaces the move of a card to the map. The card stays where it is or goes to a pile."""
        return self.reaction("instead of {card} entering map", False, self.select(["", "move {card} to pile[left]"]))

    def phase_rule(self) -> str:
        return self.reaction(f"when p0 {self.select(['begins', 'ends'])}", False)

    def change_rule(self) -> str:
        place, has_me, old_type = self.select(CHANGING)
        names = {"Int": [], "Player": []} if not old_type else {old_type: ["old"]}
        for word, type in (("at", "Int"), ("card", "Card"), ("side", "Side")):
            if f"[{word}]" in place:
                names.setdefault(type, []).append(word)
        return self.reaction(f"when {place} changes", has_me, names=names)

    def zone_pattern(self, zone: str) -> str:
        return f"any {zone}" if self.toss(30) else zone

    def reaction(self, head: str, has_me: bool, first: str = "", names: dict[str, list[str]] | None = None) -> str:
        """Write a rule with its head, a condition and a body."""
        with self.open_scope(has_me=has_me) as scope:
            card = self.bind("Card") if "{card}" in head else ""
            for type, type_names in (names or {}).items():
                scope.names.setdefault(type, []).extend(type_names)
            scope.queries = len(self.queries)
            condition = f" if {self.value('Bool', 1)}" if self.toss(30) else ""
            body = [first.replace("{card}", card)] if first else []
            body += [line for _ in range(1 + self.pick(2)) for line in self.echo()]
        return f"      {head.replace('{card}', card)}{condition}:\n" + self.write(body, 8)

    def echo(self) -> list[str]:
        """Write a statement that triggers no rule."""
        kind = self.select(["count", "count", "say", "ask", "if"])
        if kind == "say":
            return [f"announce {self.words()}"]
        if kind == "ask":
            name = self.create_name()
            return [f"choose {name} in 1..3{self.by_clause()}:", f"  increase echo by {name}"]
        count = f"increase echo by {self.value('Int', 0)}"
        return [count] if kind == "count" else [f"if {self.value('Bool', 1)}:", f"  {count}"]
