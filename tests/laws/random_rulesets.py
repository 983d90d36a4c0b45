"""Random small rulesets as text: typed programs that use the whole language. Used by the law that engines agree.

A :class:`Maker` is given a source of choices, ``pick(n)``: a number from 0 to n - 1, smaller where simpler. Every value
is written for a type and with the names that can be read there, so that nearly everything that is made is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
Makers = list[Callable[[], str]]

DATA = """\
game: {id: made, name: Made, version: "1", language: 1, players: 2..3}
options:
  open: {type: Bool, default: false}
resources:
  red: {label: Red}
  blue: {label: Blue}
enums:
  Side: [left, right]
keywords:
  swift: {kind: Card}
  tough: {kind: Card, type: Int, rules: ["while true: Card.worth(this) is it + this.tough"]}
  dying: {kind: Card, effect: {}}
tables:
  odds: {per: [Side], type: Int, values: {left: 1, right: 3}}
  ways: {per: [Side], type: "List[Int]", values: {left: [1, 2], right: [3]}}
layers: [early, late]
"""


@dataclass
class Scope:
    """What can be read: names in the block by type, whether somebody acts, and what may be called."""

    names: dict[str, list[str]] = field(default_factory=dict)
    me: bool = False
    item: str | None = None  # type of `it`
    queries: int = 0
    effects: int = 0
    looping: bool = False
    members: bool = True  # whether members of cards may be asked


class Maker:
    """Writes one ruleset. ``faulty``: how likely what can go wrong is written, in percent. ``rewrite``: what becomes of
    the text of each block."""

    def __init__(self, pick: Callable[[int], int], faulty: int = 4, rewrite: Callable[[str], str] = str) -> None:
        self.pick = pick
        self.rewrite = rewrite
        self.faulty = faulty
        self.count = 0
        self.queries: list[tuple[bool, bool]] = []  # per player?, with a number?
        self.effects: list[tuple[bool, str]] = []  # per player?, type of the parameter
        self.scope = Scope()
        self.acting = False

    # ------------------------------------------------------------ tools

    def one_of(self, items: Sequence[T]) -> T:
        return items[self.pick(len(items))]

    def chance(self, percent: int) -> bool:
        return self.pick(100) >= 100 - percent

    def fresh(self) -> str:
        self.count += 1
        return f"x{self.count}"

    @contextmanager
    def inside(self, me: bool | None = None, item: str | None = None) -> Iterator[Scope]:
        outer = self.scope
        names = {type: list(names) for type, names in outer.names.items()}
        acts = outer.me if me is None else me
        self.scope = Scope(names, acts, item, outer.queries, outer.effects, outer.looping, outer.members)
        yield self.scope
        self.scope = outer

    def bind(self, type: str) -> str:
        name = self.fresh()
        self.scope.names.setdefault(type, []).append(name)
        return name

    # ------------------------------------------------------------ values

    def value(self, type: str, depth: int = 2) -> str:
        known = [*self.scope.names.get(type, []), *(["it"] if self.scope.item == type else [])]
        if known and self.chance(40):
            return self.one_of(known)
        return {
            "Int": self.number,
            "Bool": self.truth,
            "Player": self.player,
            "Side": self.side,
            "Resource": self.kind,
            "Card": self.card,
            "Resource?": self.perhaps,
            "List[Int]": self.numbers,
            "List[Player]": self.players,
            "List[Card]": self.cards,
            "List[Side]": self.sides,
            "List[Resource]": self.kinds,
        }[type](depth)

    def number(self, depth: int) -> str:
        options: Makers = [lambda: str(self.pick(4)), lambda: "n", self.cell, self.cell]
        if depth > 0:
            options += [self.sum, self.sum, self.measure, self.fold, self.asked, self.choice_of("Int", depth)]
        if self.chance(self.faulty):
            options = [self.risky]
        return self.one_of(options)()

    def cell(self) -> str:
        options = ["grid[1]", "grid[2]", f"odds[{self.side(0)}]", f"bank.{self.kind_name()}", "bank.total"]
        options += ["count(deck)", f"tray[{self.side(0)}].red", f"count(pile[{self.side(0)}])"]
        owner = self.owner()
        options += [f"{owner}score", f"{owner}purse.{self.kind_name()}", f"{owner}purse.total"]
        return self.one_of(options)

    def owner(self) -> str:
        if self.scope.me and not self.chance(30):
            return ""
        return f"{self.player(0)}."

    def kind_name(self) -> str:
        return self.one_of(["red", "blue"])

    def sum(self) -> str:
        sign = self.one_of(["+", "-", "*", "div", "mod"])
        left = self.value("Int", 1)
        right = str(1 + self.pick(3)) if sign in ("div", "mod") else self.value("Int", 0)
        return f"({left} {sign} {right})"

    def measure(self) -> str:
        name = self.one_of(["smaller", "larger", "abs", "seat", "distance", "count", "sum", "max", "min", "cost"])
        if name in ("smaller", "larger"):
            return f"{name}({self.value('Int', 1)}, {self.value('Int', 0)})"
        if name == "abs":
            return f"abs({self.value('Int', 1)})"
        if name == "seat":
            return f"{self.value('Player', 0)}.seat"
        if name == "distance":
            return f"distance({self.value('Player', 0)}, {self.value('Player', 0)})"
        if name == "cost":
            asked = ["cost", "worth", "tough", "printed.tough"] if self.scope.members else ["cost", "printed.tough"]
            return f"{self.value('Card', 0)}.{self.one_of(asked)}"
        if name == "count":
            return f"count({self.value(self.one_of(['List[Int]', 'List[Card]', 'List[Player]', 'List[Resource]']), 1)})"
        return f"{name}({self.value('List[Int]', 1)})"

    def fold(self) -> str:
        name = self.one_of(["sum", "max", "min", "count"])
        item = self.one_of(["Int", "Player", "Card", "Side"])
        source = self.value(f"List[{item}]", 1)
        with self.inside():
            bound = self.bind(item)
            body = self.value("Bool" if name == "count" else "Int", 1)
            where = f" where {self.value('Bool', 1)}" if self.chance(30) else ""
        return f"{name}({body} for {bound} in {source}{where})"

    def asked(self) -> str:
        if not self.scope.queries:
            return "n"
        number = self.pick(self.scope.queries)
        per_player, with_number = self.queries[number]
        owner = self.owner() if per_player else ""
        return f"{owner}q{number}({self.value('Int', 1) if with_number else ''})"

    def choice_of(self, type: str, depth: int) -> Callable[[], str]:
        def write() -> str:
            condition = self.value("Bool", depth - 1)
            return f"(if {condition} then {self.value(type, depth - 1)} else {self.value(type, depth - 1)})"

        return write

    def risky(self) -> str:
        return self.one_of(
            [
                lambda: f"(6 div {self.value('Int', 0)})",
                lambda: f"(7 mod {self.value('Int', 0)})",
                lambda: f"grid[{self.value('Int', 0)}]",
                lambda: f"{self.value('List[Int]', 0)}.first",
                lambda: f"at({self.value('List[Int]', 0)}, {self.value('Int', 0)})",
                lambda: f"index({self.value('List[Int]', 0)}, {self.value('Int', 0)})",
                lambda: f"step({self.value('List[Int]', 0)}, {self.value('Int', 0)}, {self.value('Int', 0)})",
                lambda: f"{self.owner()}purse[{self.owner()}wish]",
                lambda: "bank[wanted]",
                lambda: f"count(1..({self.value('Int', 0)} * 60000))",
                lambda: f"bank[{self.value('Card', 0)}.gift]",
                lambda: "deck.top.cost",
                lambda: f"pile[{self.side(0)}].bottom.cost",
                lambda: "patience",
            ]
        )()

    def truth(self, depth: int) -> str:
        options: Makers = [
            lambda: "flag",
            lambda: f"({self.value('Int', 0)} {self.one_of(['>', '<', '=', '!=', '>=', '<='])} {self.pick(3)})",
        ]
        if depth > 0:
            options += [
                lambda: (
                    f"({self.value('Bool', depth - 1)} {self.one_of(['and', 'or'])} {self.value('Bool', depth - 1)})"
                ),
                lambda: f"(not {self.value('Bool', depth - 1)})",
                lambda: f"({self.value('Player', 0)} is {self.value('Player', 0)})",
                lambda: f"({self.value('Side', 0)} is not {self.value('Side', 0)})",
                self.belongs,
                self.tested,
                lambda: f"({self.owner()}wish is {self.one_of(['none', 'red', 'not none'])})",
                self.bare,
                self.had,
                lambda: f"({self.value('Int', 1)} {self.one_of(['>', '<', '='])} {self.value('Int', 1)})",
                lambda: "open",
            ]
        return self.one_of(options)()

    def bare(self) -> str:
        type = self.one_of(["List[Card]", "List[Int]", "List[Resource]"])
        return f"({self.value(type, 1)} is {self.one_of(['', 'not '])}empty)"

    def had(self) -> str:
        printed = "" if self.scope.members and self.chance(80) else ".printed"
        return f"({self.value('Card', 0)}{printed} has {self.one_of(['swift', 'tough', 'dying'])})"

    def belongs(self) -> str:
        type = self.one_of(["Int", "Card", "Player", "Resource"])
        return f"({self.value(type, 0)} {self.one_of(['in', 'not in'])} {self.value(f'List[{type}]', 1)})"

    def tested(self) -> str:
        item = self.one_of(["Int", "Player", "Card", "Side"])
        source = self.value(f"List[{item}]", 1)
        with self.inside():
            bound = self.bind(item)
            body = self.value("Bool", 1)
            where = f" where {self.value('Bool', 0)}" if self.chance(30) else ""
        return f"{self.one_of(['any', 'all'])}({body} for {bound} in {source}{where})"

    def player(self, depth: int) -> str:
        options = ["players.first", "turn", "players.last"]
        if self.scope.me:
            options += ["me", "me.next", "me.previous"]
        options += self.scope.names.get("Player", [])
        if depth > 0 and self.chance(20):
            return f"{self.value('List[Player]', 0)}.first"
        return self.one_of(options)

    def side(self, depth: int) -> str:
        return self.one_of(["left", "right", "face", *self.scope.names.get("Side", [])])

    def kind(self, depth: int) -> str:
        return self.one_of(["red", "blue", *self.scope.names.get("Resource", [])])

    def perhaps(self, depth: int) -> str:
        return self.one_of(["none", "red", "wanted", f"{self.owner()}wish", f"{self.value('Card', 0)}.gift"])

    def card(self, depth: int) -> str:
        options = ["ace", "bee", "cat", *self.scope.names.get("Card", [])]
        if self.chance(self.faulty):
            options = ["deck.top", f"{self.owner()}hand.first", f"pile[{self.side(0)}].bottom"]
        return self.one_of(options)

    def numbers(self, depth: int) -> str:
        options: Makers = [
            lambda: f"[{self.value('Int', 0)}, {self.pick(3)}]",
            lambda: f"(1..{self.pick(5)})",
            lambda: f"ways[{self.side(0)}]",
            lambda: f"(0..smaller(5, {self.value('Int', 0)}))",
            lambda: "[3, 1, 3]",
        ]
        if depth > 0:
            options += [self.mapped, lambda: self.listed("Int", depth)]
        return self.one_of(options)()

    def mapped(self) -> str:
        item = self.one_of(["Player", "Card", "Int"])
        source = self.value(f"List[{item}]", 0)
        with self.inside():
            bound = self.bind(item)
            body = self.value("Int", 1)
            where = f" where {self.value('Bool', 0)}" if self.chance(30) else ""
        return f"list({body} for {bound} in {source}{where})"

    def listed(self, type: str, depth: int) -> str:
        """A list made of a list."""
        list_type = f"List[{type}]"
        kind = self.one_of(["where", "with", "set", "take", "reverse", "unique", "if"])
        source = self.value(list_type, depth - 1)
        if kind == "if":
            return self.choice_of(list_type, depth)()
        if kind == "set":
            return f"({source} {self.one_of(['union', 'except', 'intersect'])} {self.value(list_type, 0)})"
        if kind == "take":
            return f"{self.one_of(['take', 'drop'])}({source}, {self.value('Int', 0)})"
        if kind in ("reverse", "unique"):
            return f"{kind}({source})"
        with self.inside(item=type):
            if kind == "where":
                return f"({source} where {self.value('Bool', 1)})"
            return f"({source} with {self.one_of(['most', 'least'])} {self.value('Int', 1)})"

    def players(self, depth: int) -> str:
        options: Makers = [
            lambda: "players",
            lambda: f"clockwise_from({self.player(0)})",
            lambda: f"anticlockwise_from({self.player(0)})",
        ]
        if depth > 0:
            options.append(lambda: self.listed("Player", depth))
        return self.one_of(options)()

    def cards(self, depth: int) -> str:
        options: Makers = [
            lambda: "deck",
            lambda: f"{self.owner()}hand",
            lambda: f"pile[{self.side(0)}]",
            lambda: "Card",
            lambda: "[ace, cat]",
        ]
        if depth > 0:
            options.append(lambda: self.listed("Card", depth))
        return self.one_of(options)()

    def sides(self, depth: int) -> str:
        options: Makers = [lambda: "Side", lambda: f"[{self.side(0)}, right]"]
        if depth > 0:
            options.append(lambda: self.listed("Side", depth))
        return self.one_of(options)()

    def kinds(self, depth: int) -> str:
        options: Makers = [
            lambda: "[red, blue]",
            lambda: f"{self.owner()}purse.kinds",
            lambda: "bank.kinds",
            lambda: "Resource",
        ]
        if depth > 0:
            options.append(lambda: self.listed("Resource", depth))
        return self.one_of(options)()

    def words(self) -> str:
        value = self.one_of(
            [
                "n",
                "{me}" if self.scope.me else "turn",
                self.value("Int", 1),
                self.value("Card", 0),
                self.value("List[Card]", 1),
                "wanted",
            ]
        )
        return f'"at {{{value.strip("{}")}}}"'

    # ------------------------------------------------------------ statements

    def block(self, depth: int, most: int = 3) -> list[str]:
        """Lines of a block, one level deep at its left."""
        with self.inside():
            lines: list[str] = []
            for _ in range(1 + self.pick(most)):
                lines += self.statement(depth)
            if self.scope.looping and self.chance(6):
                lines.append("stop")
            elif self.chance(1):
                lines.append(f"end game because {self.words()}")
            return lines

    def nested(self, head: str, depth: int, me: bool | None = None, looping: bool | None = None) -> list[str]:
        with self.inside(me=me) as scope:
            if looping is not None:
                scope.looping = looping
            return [head, *(f"  {line}" for line in self.block(depth - 1, 2))]

    def statement(self, depth: int) -> list[str]:
        makers = [self.change, self.change, self.move, self.move_cards, self.simple]
        if depth > 0:
            makers += [self.ask, self.ask, self.ask, self.branch, self.loop, self.loop, self.random, self.call]
        return self.one_of(makers)(depth)

    def change(self, depth: int) -> list[str]:
        place, type = self.one_of(
            [
                ("n", "Int"),
                (f"{self.owner()}score", "Int"),
                ("flag", "Bool"),
                ("turn", "Player"),
                ("face", "Side"),
                ("wanted", "Resource?"),
                (f"{self.owner()}wish", "Resource?"),
                (f"grid[{self.one_of(['1', '2', '3'])}]", "Int"),
                (f"grid[{self.value('Int', 0)}]" if self.chance(self.faulty) else "grid[3]", "Int"),
                ("patience", "Int?"),
            ]
        )
        if type == "Int?":
            if self.chance(self.faulty * 4):
                return ["increase patience by 1"]
            return [self.one_of(["set patience to none", "set patience to 2", "set patience to n"])]
        if type == "Int" and self.chance(60):
            return [f"{self.one_of(['increase', 'decrease'])} {place} by {self.value('Int')}"]
        if place == "n":
            return [f"set n to (({self.value('Int')}) mod 50)"]
        return [f"set {place} to {self.value(type)}"]

    def move(self, depth: int) -> list[str]:
        pools = ["bank", f"{self.owner()}purse", f"tray[{self.side(0)}]", f"{self.player(0)}.purse"]
        source = self.one_of(pools)
        target = self.one_of([pool for pool in pools if pool != source] if not self.chance(10) else pools)
        what = self.one_of(["all", f"all {self.kind_name()}", f"{self.value('Int', 1)} {self.kind_name()}", ""])
        if not what:
            name = self.fresh()
            return [f"let {name} = {self.kind(0)}", f"move {self.value('Int', 0)} {name} from {source} to {target}"]
        if source.startswith("tray") or target.startswith("tray"):
            what = self.one_of([f"{self.pick(3)} red", "all red"])
        return [f"move {what} from {source} to {target}"]

    def move_cards(self, depth: int) -> list[str]:
        zones = ["deck", f"{self.owner()}hand", f"pile[{self.side(0)}]"]
        what = self.one_of([self.value("List[Card]", 1), self.value("Card", 0), f"take(deck, {self.pick(3)})"])
        if self.chance(self.faulty * 2):
            what = self.one_of(["deck.top", f"{self.owner()}hand.bottom"])
        return [f"move {what} to {self.one_of(['', 'top of '])}{self.one_of(zones)}"]

    def simple(self, depth: int) -> list[str]:
        kind = self.one_of(["announce", "let", "shuffle", *(["dying"] if self.scope.members else [])])
        if kind == "dying":
            return [f"{self.value('Card', 0)}.dying()"]
        if kind == "announce":
            to = f" to {self.value('List[Player]', 0)}" if self.chance(30) else ""
            return [f"announce {self.words()}{to}"]
        if kind == "shuffle":
            return [f"shuffle {self.one_of(['deck', f'pile[{self.side(0)}]'])}"]
        type = self.one_of(["Int", "Int", "Bool", "Player", "Card", "List[Int]", "List[Card]", "Resource"])
        value = self.value(type)
        name = self.bind(type)
        return [f"let {name} = {value}", f'announce "{{{name}}}"']

    def call(self, depth: int) -> list[str]:
        if not self.scope.effects:
            return self.change(depth)
        number = self.pick(self.scope.effects)
        per_player, type = self.effects[number]
        owner = self.owner() if per_player else ""
        return [f"{owner}e{number}({self.value(type) if type else ''})"]

    def branch(self, depth: int) -> list[str]:
        lines = self.nested(f"if {self.value('Bool')}:", depth)
        if self.chance(20):
            lines += self.nested(f"else if {self.value('Bool')}:", depth)
        if self.chance(40):
            lines += self.nested("else:", depth)
        return lines

    def loop(self, depth: int) -> list[str]:
        kind = self.one_of(["each", "players", "times", "while", "by", "until"])
        if kind == "each":
            type = self.one_of(["Int", "Card", "Player", "Side", "Resource"])
            source = self.value(f"List[{type}]")
            with self.inside():
                name = self.bind(type)
                where = f" where {self.value('Bool', 1)}" if self.chance(30) else ""
                return self.nested(f"for each {name} in {source}{where}:", depth, looping=True)
        if kind == "players":
            how = self.one_of(
                [
                    "",
                    f" from {self.player(0)} clockwise",
                    " from players.last anticlockwise",
                    f" in {self.value('List[Player]', 1)}",
                ]
            )
            with self.inside(me=True):
                where = f" where {self.value('Bool', 1)}" if self.chance(30) else ""
                return self.nested(f"each player{how}{where}:", depth, me=True, looping=True)
        if kind == "by":
            return self.nested(f"by {self.player(1)}:", depth, me=True)
        if kind == "times":
            return self.nested(f"repeat {self.one_of(['2', '3', 'n mod 4'])} times:", depth, looping=True)
        bound = self.one_of(["3", "8", "smaller(n, 4)"]) if self.chance(self.faulty * 3) else "60"
        lines = self.nested(f"repeat {kind} {self.value('Bool')}, at most {bound} times:", depth, looping=True)
        ended = lines[-1].strip() == "stop" or lines[-1].startswith("  end game")
        return lines if ended or bound != "60" else [*lines, "  stop"]

    def random(self, depth: int) -> list[str]:
        if self.chance(50):
            source = self.one_of(["1..3", "[1, 5]", "1..4"])
            with self.inside():
                name = self.bind("Int")
                where = f" where {name} != 2" if self.chance(20) else ""
                return self.nested(f"roll {name} in {source}{where}:", depth)
        type = self.one_of(["Card", "Resource", "Int"])
        source = self.value(f"List[{type}]", 1)
        secret = self.one_of(["", "secret "])
        with self.inside():
            name = self.bind(type)
            where = f" where {self.value('Bool', 1)}" if self.chance(20) else ""
            lines = self.nested(f"pick {secret}{name} in {source}{where} at random:", depth)
        if self.chance(40):
            lines += self.nested("else:", depth)
        return lines

    # ------------------------------------------------------------ choices

    def by(self) -> str:
        if not self.scope.me:
            return f", by {self.player(0)}"
        return f", by {self.player(1)}" if self.chance(20) else ""

    def ask(self, depth: int) -> list[str]:
        return self.one_of(
            [self.choose, self.choose, self.options, self.may, self.some, self.open, self.ordered, self.action]
        )(depth)

    def variables(self, most: int = 2) -> str:
        parts = []
        for _ in range(1 + self.pick(most)):
            type = self.one_of(["Int", "Resource", "Side", "Player", "Card"])
            source = self.value(f"List[{type}]", 1)
            secret = self.one_of(["", "", "secret "])
            name = self.bind(type)
            where = f" where {self.value('Bool', 1)}" if self.chance(30) else ""
            if source.startswith("(") and " where " in source and not where:
                source = f"({source})"
            parts.append(f"{secret}{name} in {source}{where}")
        return ", ".join(parts)

    def choose(self, depth: int) -> list[str]:
        by = self.by()
        prompt = f", prompt {self.words()}" if self.chance(30) else ""
        with self.inside():
            variables = self.variables()
            lines = self.nested(f"choose {variables}{by}{prompt}:", depth)
        if self.chance(30):
            lines += self.nested("else:", depth)
        return lines

    def open(self, depth: int) -> list[str]:
        """A choice whose name lives on."""
        by = self.by()
        type, source = self.one_of(
            [("Int", "1..3"), ("Player", "players"), ("Side", "Side"), ("Resource", "[red, blue]"), ("Int", "[7]")]
        )
        name = self.bind(type)
        return [f"choose {name} in {source}{by}", f'announce "{{{name}}}"']

    def options(self, depth: int) -> list[str]:
        lines = [f"choose{self.by().removeprefix(',')}:"]
        for number in range(1 + self.pick(3)):
            condition = f" if {self.value('Bool')}" if self.chance(40) else ""
            with self.inside():
                given = f" with {self.variables(1)}" if self.chance(40) else ""
                lines += [
                    f"  {line}" for line in self.nested(f'option way_{number} "Way {number}"{given}{condition}:', depth)
                ]
        return lines

    def may(self, depth: int) -> list[str]:
        lines = self.nested(f"may {self.words()}{self.by()}:", depth)
        if self.chance(30):
            lines += self.nested("else:", depth)
        return lines

    def some(self, depth: int) -> list[str]:
        by = self.by()
        type = self.one_of(["Card", "Int", "Resource"])
        amount = self.one_of(["2", "up to 2", "any", "1..2", f"up to {self.value('Int', 0)}"])
        source = self.value(f"List[{type}]", 1)
        name = self.bind(f"List[{type}]")
        return [f"choose {amount} {name} in {source}{by}", f'announce "{{{name}}}"']

    def ordered(self, depth: int) -> list[str]:
        by = self.by()
        type = self.one_of(["Card", "Resource"])
        source = self.value(f"List[{type}]", 0)
        name = self.bind(f"List[{type}]")
        return [f"order {name} in {source}{by}", f'announce "{{{name}}}"']

    def action(self, depth: int) -> list[str]:
        if not self.scope.me or not self.acting:
            return self.may(depth)
        return [f"take action {self.one_of(['give', 'wait', 'give, wait'])}"]

    # ------------------------------------------------------------ the ruleset

    def written(self, lines: list[str], indent: int) -> str:
        """A block as it stands in the file."""
        return indented(self.rewrite("\n".join(lines)).splitlines(), indent)

    def visible(self) -> str:
        return self.one_of(["all", "all", "owner", "nobody", "viewer is owner or open", "n > 2"])

    def ruleset(self) -> str:
        parts = [DATA]
        self.make_cards(parts)
        unlimited = ", unlimited: true" if self.chance(40) else ""
        parts.append(
            "variables:\n"
            f"  n: {{type: Int, start: {self.pick(4)}, visible: {self.one_of(['all', 'all', 'nobody'])}}}\n"
            "  flag: {type: Bool, start: false}\n"
            "  turn: {type: Player, start: players.first}\n"
            "  face: {type: Side, start: left}\n"
            f"  wanted: {{type: Resource?, start: {self.one_of(['none', 'red'])}}}\n"
            "  patience: {type: Int?, start: none}\n"
            f"  score: {{type: Int, per: [Player], start: me.seat, visible: {self.visible()}}}\n"
            f"  wish: {{type: Resource?, per: [Player], start: none, visible: {self.visible()}}}\n"
            "  grid: {type: Int, per: [1..3], start: 0}\n"
            "zones:\n"
            f"  bank: {{holds: Resource, start: {{red: 9, blue: 4}}{unlimited}}}\n"
            f"  purse: {{per: [Player], holds: Resource, start: {{red: {self.pick(3)}}}, "
            f"visible: {self.visible()}, moves: {self.visible()}}}\n"
            "  tray: {per: [Side], holds: Resource, kinds: [red]}\n"
            "  deck: {holds: Card, start: all Card, visible: nobody}\n"
            f"  hand: {{per: [Player], holds: Card, visible: {self.visible()}}}\n"
            "  pile: {per: [Side], holds: Card}\n"
        )
        self.make_queries(parts)
        self.make_effects(parts)
        self.make_rules(parts)
        self.scope = Scope(queries=len(self.queries), effects=len(self.effects))
        self.make_actions(parts)
        self.acting = True
        parts.append("setup: |\n" + self.written(self.block(1), 2))
        parts.append("phases:\n" + "".join(self.phase(f"p{number}", 2) for number in range(1 + self.pick(2))))
        self.scope.me = True
        parts.append(
            f'scoring:\n  rank: ["{self.value("Int")}", score]\n'
            + (f'  payoff: "{self.value("Int")}"\n' if self.chance(30) else "")
        )
        self.scope.me = False
        parts.append('view:\n  status:\n    - {title: N, text: "' + "{" + self.value("Int", 1) + '}"}\n')
        return "".join(parts)

    def make_cards(self, parts: list[str]) -> None:
        """The kind, and its cards with keywords and rules of their own, which ask nothing but places."""
        self.scope.members = False
        active = self.one_of(["this in any hand", "this in any pile", self.about("Bool", "this")])
        blank = f", blank: '{self.about('Bool', 'this')}'" if self.chance(60) else ""
        worth = self.about("Int", "this")
        parts.append(
            "components:\n"
            f"  Card:\n    {{fields: {{cost: Int, side: Side, gift: Resource?}}, active: '{active}'{blank}, "
            f"queries: {{worth: {{value: '{worth}'}}}}}}\n"
            "cards:\n"
        )
        fields = ("1, side: left, gift: none", "2, side: right, gift: red", "0, side: left, gift: blue")
        for number, (name, printed) in enumerate(zip(("ace", "bee", "cat"), fields, strict=True)):
            with self.inside() as scope:
                scope.names["Card"] = ["this"]
                dying = self.block(0)
            keywords = [f"dying: |\n          {self.written(dying, 10).strip()}"] if self.chance(60) else []
            keywords += [word for word in ("swift", f"tough: {1 + self.pick(3)}") if self.chance(40)]
            rules = [self.card_rule() for _ in range(self.pick(4))]
            parts.append(
                f"  {name}:\n    kind: Card\n    copies: {2 - number % 2}\n    fields: {{cost: {printed}}}\n"
                + "".join(["    keywords:\n", *(f"      - {word}\n" for word in keywords)] if keywords else [])
                + "".join(["    rules:\n", *(f"      - '{rule}'\n" for rule in rules)] if rules else [])
            )
        self.scope.members = True

    def about(self, type: str, *cards: str) -> str:
        """A value that may read cards."""
        with self.inside() as scope:
            scope.names["Card"] = [*cards]
            return self.value(type, 1)

    def card_rule(self) -> str:
        condition = self.about("Bool", "this", "u")
        if self.chance(30):
            return f"while {condition}: Card.swift(this: u) is {self.one_of(['true', 'false'])}"
        added = f"it {self.one_of(['+', '-', '*'])} {self.about('Int', 'this', 'u')}"
        changed = self.one_of([added, added, str(self.pick(3))])
        layer = self.one_of(["", " in layer early", " in layer late"])
        return f"while {condition}: Card.{self.one_of(['worth', 'tough'])}(this: u) is {changed}{layer}"

    def make_queries(self, parts: list[str]) -> None:
        lines = ["queries:\n"]
        for number in range(1 + self.pick(3)):
            per_player, with_number = self.chance(40), self.chance(50)
            with self.inside(me=per_player) as scope:
                scope.queries = number
                if with_number:
                    scope.names["Int"] = ["arg"]
                value = self.value("Int", 3)
            self.queries.append((per_player, with_number))
            lines.append(f"  q{number}:\n")
            if per_player:
                lines.append("    per: Player\n")
            if with_number:
                lines.append("    params: {arg: Int}\n")
            lines.append(f'    value: "{value}"\n')
        parts.append("".join(lines))

    def make_effects(self, parts: list[str]) -> None:
        lines = ["effects:\n"]
        for number in range(1 + self.pick(3)):
            per_player, type = self.chance(50), self.one_of(["", "Int", "Player", "Card"])
            with self.inside(me=per_player) as scope:
                scope.queries, scope.effects = len(self.queries), number
                if type:
                    scope.names[type] = ["arg"]
                body = self.block(2)
            self.effects.append((per_player, type))
            lines.append(f"  e{number}:\n")
            if per_player:
                lines.append("    per: Player\n")
            if type:
                lines.append(f"    params: {{arg: {type}}}\n")
            lines.append("    do: |\n" + self.written(body, 6))
        parts.append("".join(lines))

    def make_rules(self, parts: list[str]) -> None:
        lines = []
        for number in range(self.pick(4)):
            if self.chance(35):
                target = self.pick(len(self.queries))
                per_player, with_number = self.queries[target]
                with self.inside(me=per_player) as scope:
                    scope.queries = target
                    if with_number:
                        scope.names["Int"] = ["arg"]
                    condition = self.value("Bool")
                    scope.item = "Int"
                    value = self.value("Int")
                layer = self.one_of(["", " in layer early", " in layer late"])
                binding = "(arg)" if with_number else ""
                lines.append(
                    f"  r{number}:\n    rule: |\n      while {condition}: q{target}{binding} is {value}{layer}\n"
                )
                continue
            target = self.pick(len(self.effects))
            per_player, type = self.effects[target]
            with self.inside(me=per_player) as scope:
                scope.queries, scope.effects = len(self.queries), target
                binding = ""
                if type:
                    bound = self.bind(type)
                    binding = f"(arg: {bound})"
                condition = f" if {self.value('Bool')}" if self.chance(60) else ""
                body = self.block(2)
            word = self.one_of(["when", "instead of"])
            lines.append(
                f"  r{number}:\n    rule: |\n      {word} e{target}{binding}{condition}:\n" + self.written(body, 8)
            )
        if lines:
            parts.append("rules:\n" + "".join(lines))

    def make_actions(self, parts: list[str]) -> None:
        with self.inside(me=True):
            parts.append(
                f'actions:\n  give:\n    choose: kind in purse.kinds\n    if: "{self.value("Bool", 1)}"\n'
                "    do: |\n      move 1 kind from purse to bank\n"
            )
            parts.append("  wait:\n    do: |\n" + self.written(self.block(1), 6))

    def phase(self, name: str, indent: int) -> str:
        lines = [f"- id: {name}"]
        if self.chance(20):
            lines.append(f'  if: "{self.value("Bool")}"')
        if self.chance(40):
            lines.append(f'  while: "{self.one_of(["n < 20", "true", self.value("Bool")])}"')
            lines.append(f"  at_most: {1 + self.pick(4)}")
        text = "".join(f"{' ' * indent}{line}\n" for line in lines)
        if indent < 6 and self.chance(20):
            return (
                text
                + " " * indent
                + "  phases:\n"
                + self.phase(f"{name}_a", indent + 4)
                + self.phase(f"{name}_b", indent + 4)
            )
        return text + " " * indent + "  do: |\n" + self.written(self.block(3, 4), indent + 4)


def indented(lines: list[str], n: int) -> str:
    return "".join(f"{' ' * n}{line}\n" for line in lines)
