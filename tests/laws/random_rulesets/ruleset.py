"""Generate a whole ruleset: its declarations and the blocks in it."""

from __future__ import annotations

from pathlib import Path
from string import Template

import yaml

from .cards import Cards
from .events import Events
from .scope import Scope
from .views import Views

DATA = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


class Maker(Cards, Events, Views):
    """Generates one ruleset."""

    def visibility(self) -> str:
        return self.select(["all", "all", "owner", "nobody", "viewer is owner or open", "n > 2"])

    def ruleset(self) -> str:
        self.effects.append((False, ()))  # e0
        self.sorts_hands = "true" if self.toss(30) else "false"
        parts = [DATA["declarations"]]
        self.make_cards(parts)
        self.make_places(parts)
        self.make_queries(parts)
        self.make_effects(parts)
        self.make_rules(parts)
        self.scope = Scope(queries=len(self.queries), effects=len(self.effects))
        self.make_actions(parts)
        self.scope.opens_windows = True
        parts.append(DATA["setup"] + self.write(self.block(1), 2))
        parts.append("phases:\n" + "".join(self.phase(f"p{number}", 2) for number in range(1 + self.pick(2))))
        self.scope.has_me = True
        self.make_scoring(parts)
        self.scope.has_me = False
        self.make_view(parts)
        return "".join(parts)

    def make_places(self, parts: list[str]) -> None:
        values = {
            "unlimited": ", unlimited: true" if self.toss(40) else "",
            "n": self.pick(4),
            "n_visible": self.select(["all", "all", "nobody"]),
            "wanted": self.select(["none", "red"]),
            "score": self.visibility(),
            "wish": self.visibility(),
            "held": self.select(["none", "players.first"]),
            "red": self.pick(3),
            "purse": self.visibility(),
            "moves": self.visibility(),
            "hand": self.visibility(),
            "sorted": self.sorts_hands,
        }
        parts.append(Template(DATA["places"]).substitute(values))
        with self.avoid_faults(), self.open_scope() as scope:
            scope.reads_members = False
            steady = self.value("Bool", 1)
            scope.has_me = True
            busy = self.value("Bool", 1)
        parts.append(f"spans:\n  steady: {{holds: '{steady}'}}\n  busy: {{per: Player, holds: '{busy}'}}\n")

    def make_queries(self, parts: list[str]) -> None:
        self.scope.reads_members = False
        with self.open_scope(has_me=True):
            worthy = self.value("Int", 1)
        with self.open_scope() as scope:
            scope.names["Side"] = ["s"]
            price = self.value("Int", 1)
        self.scope.reads_members = True
        lines = [
            "queries:\n",
            f"  price: {{params: {{s: Side}}, value: '{price}'}}\n",
            f"  worthy: {{per: Player, value: '{worthy}'}}\n",
        ]
        for number in range(2 + self.pick(4)):
            per_player = self.toss(40)
            params = tuple(
                self.select(["Int", "Int", "Int", "Side", "Card"]) for _ in range(self.select([2, 1, 2, 3, 2, 0]))
            )
            type = self.select(["Int", "Int", "Int", "Bool", "Player?"])
            with self.open_scope(has_me=per_player) as scope:
                scope.queries = number
                for i, param in enumerate(params):
                    scope.names.setdefault(param, []).append(f"a{i}")
                write = self.select([self.weighted, self.call_query, self.call_query, self.value])
                value = write(type) or self.weighted(type)
            self.queries.append((per_player, params, type))
            lines.append(f"  q{number}:\n" + ("    per: Player\n" if per_player else "") + format_params(params))
            lines.append(f"    value: '{value}'\n")
        parts.append("".join(lines))

    def make_effects(self, parts: list[str]) -> None:
        lines = ["effects:\n  e0: {do: increase n by 1}\n"]
        for number in range(1, 2 + self.pick(3)):
            per_player = self.toss(50)
            params = tuple(self.select(["Int", "Player", "Card"]) for _ in range(self.pick(3)))
            with self.open_scope(has_me=per_player) as scope:
                scope.queries, scope.effects = len(self.queries), number
                for i, param in enumerate(params):
                    scope.names.setdefault(param, []).append(f"a{i}")
                body = self.block(2)
            self.effects.append((per_player, params))
            lines.append(f"  e{number}:\n" + ("    per: Player\n" if per_player else "") + format_params(params))
            lines.append("    do: |\n" + self.write(body, 6))
        parts.append("".join(lines))

    # ------------------------------------------------------------ rules

    def make_rules(self, parts: list[str]) -> None:
        rules = [
            self.select([self.when_rule, self.when_rule, self.while_rule, self.whenever_rule])()
            for _ in range(self.pick(5))
        ]
        self.moves_cards = self.toss(50)
        if self.moves_cards:
            rules += [self.event() for _ in range(1 + self.pick(3))]
        if rules:
            lines = (f"  r{number}:\n    rule: |\n{rule}" for number, rule in enumerate(rules))
            parts.append("rules:\n" + "".join(lines))

    def while_rule(self) -> str:
        """Write a `while` rule."""
        target = self.pick(len(self.queries))
        per_player, params, type = self.queries[target]
        with self.open_scope(has_me=per_player) as scope:
            scope.queries = target
            for i, param in enumerate(params):
                scope.names.setdefault(param, []).append(f"a{i}")
            condition = self.value("Bool")
            scope.item, scope.must_name = type, True
            value = self.value(type)
        layer = self.select(["", " in layer early", " in layer late"])
        binding = f"({', '.join(f'a{i}' for i in range(len(params)))})" if params else ""
        return f"      while {condition}: q{target}{binding} is {value}{layer}\n"

    def when_rule(self) -> str:
        """Write a `when` or `instead of` rule."""
        target = self.pick(len(self.effects))
        per_player, params = self.effects[target]
        with self.open_scope(has_me=per_player) as scope:
            scope.queries, scope.effects = len(self.queries), target
            names = [self.bind(param) for param in params]
            bindings = ", ".join(f"a{i}: {name}" for i, name in enumerate(names))
            condition = f" if {self.value('Bool')}" if self.toss(60) else ""
            body = self.block(2)
        word = self.select(["when", "instead of"])
        return f"      {word} e{target}({bindings}){condition}:\n" + self.write(body, 8)

    def whenever_rule(self) -> str:
        """Write a `whenever` rule. Most of them terminate."""
        condition, body = self.select(
            [("n > 12", "set n to 0"), ("flag", "set flag to false"), ("players.first.score > 9", "e0()")]
        )
        if self.toss(self.faulty * 4):
            return f"      whenever {self.value('Bool', 1)}:\n        {body}\n"
        if body == "e0()":
            body = "set players.first.score to 0"
        if self.toss(50):
            with self.open_scope() as scope:
                scope.queries, scope.effects = len(self.queries), len(self.effects)
                body += f"\n        {self.select([self.call_card, self.call])(1)[0]}"
        more = f"        announce {self.words()}\n" if self.toss(40) else ""
        return f"      whenever {condition}:\n        {body}\n{more}"

    # ------------------------------------------------------------ actions, windows, phases, the end

    def make_actions(self, parts: list[str]) -> None:
        with self.open_scope(has_me=True):
            cost = "    cost: move 1 blue from purse to bank\n" if self.toss(30) else ""
            parts.append(
                f'actions:\n  give:\n    choose: kind in purse.kinds\n    if: "{self.value("Bool", 1)}"\n{cost}'
                "    do: |\n      move 1 kind from purse to bank\n"
            )
            parts.append("  wait:\n    do: |\n" + self.write(self.block(1), 6))
        for window in ("duel", "fair"):
            for name in ("parry", "pay"):
                with self.open_scope(has_me=True) as scope:
                    scope.is_response = True
                    scope.names["Int"], scope.names["Card"] = ["stake"], ["whom"]
                    condition = f"    if: '{self.value('Bool', 1)}'\n" if self.toss(50) else ""
                    cost = "    cost: decrease score by 1\n" if self.toss(40) else ""
                    body = self.write(self.block(1), 6)
                parts.append(f"  {window}_{name}:\n{condition}{cost}    do: |\n{body}")
        offers = self.select(["give, wait", "spell of hand, 'charm of pile[left]', wait", "wait"])
        parts.append(f'menus:\n  chores: {{actions: [{offers}], prompt: "What is done, {{me}}?"}}\n')
        parts.append("windows:\n")
        for window in ("duel", "fair"):
            with self.open_scope(has_me=True):
                responders = self.value("List[Player]", 1)
            passes = self.select(["", "    passes: each once\n", "    passes: until all pass\n    at_most: 6\n"])
            order = self.select(["", "    order: at once\n", "    order: last first\n"])
            is_forced = self.toss(40)
            actions = f"    actions: [{window}_pay]\n    forced: [{window}_parry]\n"
            parts.append(
                f"  {window}:\n    params: {{stake: Int, whom: Card}}\n    who: {responders}\n"
                + (actions if is_forced else f"    actions: [{window}_pay, {window}_parry]\n")
                + f'{passes}{order}    prompt: "{{whom}} for {{stake}}"\n'
            )

    def phase(self, name: str, indent: int) -> str:
        lines = [f"- id: {name}"]
        if self.toss(20):
            lines.append(f"  if: '{self.value('Bool')}'")
        if self.toss(40):
            lines.append(f"  while: '{self.select(['n < 20', 'true', self.value('Bool')])}'")
            lines.append(f"  at_most: {1 + self.pick(4)}")
        text = "".join(f"{' ' * indent}{line}\n" for line in lines)
        if indent < 6 and self.toss(20):
            return (
                text
                + " " * indent
                + "  phases:\n"
                + self.phase(f"{name}_a", indent + 4)
                + self.phase(f"{name}_b", indent + 4)
            )
        lines = self.card_moves() if self.moves_cards and name == "p0" else []
        return text + " " * indent + "  do: |\n" + self.write([*lines, *self.block(3, 4)], indent + 4)

    def make_scoring(self, parts: list[str]) -> None:
        parts.append(
            f"scoring:\n  rank: ['{self.value('Int')}', score]\n"
            + (f"  payoff: '{self.value('Int')}'\n" if self.toss(30) else "")
            + (f"  show:\n    - {{title: Shown, value: '{self.value('Int', 1)}'}}\n" if self.toss(50) else "")
            + "  charts:\n"
            + "".join(
                f"    {chart}:\n      title: {chart}\n      steps:\n"
                "        - {title: Score, value: score}\n"
                f"        - {{title: More, value: '{self.value('Int', 1)}'}}\n"
                for chart in ("lean", "rich")
            )
        )


def format_params(params: tuple[str, ...]) -> str:
    """Write the parameters of a query or effect."""
    return f"    params: {{{', '.join(f'a{i}: {type}' for i, type in enumerate(params))}}}\n" if params else ""
