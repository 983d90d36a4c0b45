"""Generate values other than lists: numbers, conditions, players, cards and texts."""

from __future__ import annotations

from .scope import Base


class Values(Base):
    """Generates values. ``value`` writes a value of a type with at most ``depth`` levels of nesting."""

    def value(self, type: str, depth: int = 2) -> str:
        names = [*self.list_names(type), *(["it"] if self.scope.item == type else [])]
        if names and self.toss(40):
            return self.select(names)
        makers = {
            "Int": self.number,
            "Player": self.player,
            "Side": self.side,
            "Spot": self.spot,
            "Resource": self.kind,
            "Card": self.card,
            "Resource?": self.optional_resource,
        }
        return makers[type](depth) if type in makers else self.expand(type, depth)

    def conditional(self, type: str, depth: int) -> str:
        condition = self.value("Bool", depth - 1)
        return f"(if {condition} then {self.value(type, depth - 1)} else {self.value(type, depth - 1)})"

    def owner(self) -> str:
        if self.scope.has_me and not self.toss(30):
            return ""
        return f"{self.player(0)}."

    def call_query(self, *types: str) -> str:
        """Write a call of a query whose type is one of ``types``. Returns an empty string if there is none."""
        candidates = [i for i in range(self.scope.queries) if self.queries[i][2] in types]
        if not candidates:
            return ""
        # Prefer the last query, which may call the others.
        number = self.select([*candidates, candidates[-1], candidates[-1]])
        per_player, params, _ = self.queries[number]
        owner = self.owner() if per_player else ""
        with self.open_scope(item=self.scope.item) as scope:
            scope.queries = number  # Arguments may only call earlier queries.
            if len(params) > 1 and self.toss(30):
                with self.open_scope():
                    argument = self.small() if self.toss(70) else self.value("Int", 1)
                scope.names["Int"] = [f"({argument})"]
            return f"{owner}q{number}({', '.join(map(self.argument, params))})"

    def argument(self, type: str) -> str:
        """Write an argument of a query: a name, a calculation with one, or the call of another query."""
        names = self.list_names(type)
        if names and self.toss(40):
            return self.select(names)
        if type == "Int" and self.toss(60):
            return f"({self.select([*names, self.small()])} {self.select(['+', '-', '*'])} {self.small()})"
        return (self.call_query(type) if self.toss(60) else "") or self.value(type, 1)

    # ------------------------------------------------------------ numbers

    def number(self, depth: int) -> str:
        return self.select([self.faulty_number])() if self.toss(self.faulty) else self.expand("Int", depth)

    def cell(self) -> str:
        options = ["grid[1]", "grid[2]", f"odds[{self.side(0)}]", f"bank.{self.kind_name()}", "bank.total"]
        options += ["count(deck)", f"tray[{self.side(0)}].red", f"count(pile[{self.side(0)}])", "level"]
        options += [f"chart[{self.side(0)}, {self.spot(0)}]"]
        owner = self.owner()
        options += [f"{owner}score", f"{owner}purse.{self.kind_name()}", f"{owner}purse.total"]
        if self.scope.reads_members:
            options += [f"price({self.side(0)})", f"{owner}worthy"]
        return self.select(options)

    def kind_name(self) -> str:
        return self.select(["red", "blue"])

    def sum(self) -> str:
        if self.toss(10):
            return f"(-{self.value('Int', 0)})"
        sign = self.select(["+", "-", "*", "div", "mod"])
        left = self.value("Int", 1)
        right = str(1 + self.pick(3)) if sign in ("div", "mod") else self.value("Int", 0)
        return f"({left} {sign} {right})"

    def guarded_value(self) -> str:
        """Write a value that is valid only because a condition before it tests the same index."""
        index = f"({self.value('Int', 1)} + n)"
        if self.toss(50):
            return f"(if {index} in 1..3 then grid[{index}] else 0)"
        return f"(if {index} >= 0 and {index} < count(Side) then odds[at(Side, {index})] else {self.value('Int', 0)})"

    def weighted(self, type: str, depth: int = 0) -> str:
        """Write a conditional value that reads the numbers in scope several times, in random order."""
        numbers = [*self.list_names("Int"), "n"] if self.toss(30) else self.list_names("Int") or ["n"]
        first, second, *terms = (self.select(numbers) for _ in range(5))
        sign = self.select([">", "<", "="])
        test = self.select([f"{first} {sign} {second}", f"{first} in 0..2 and {second} in 0..1"])
        if type == "Player?":
            return f"(if {test} then held[at(Spot, ({second} + 2 * {first}) mod 4)] else none)"
        if type == "Bool":
            return f"({test} and {self.sums(terms)} > {self.pick(3)})"
        return f"(if {test} then {self.sums(terms[1:])} else {self.sums(terms)})"

    def sums(self, numbers: list[str]) -> str:
        term = (self.call_query("Int") if self.toss(40) else "") or self.small()
        return " + ".join([*(f"{number} {self.select(['+', '-', '*'])} {self.pick(3)}" for number in numbers), term])

    def lowest_match(self) -> str:
        """Write the lowest number of a small range for which a condition holds."""
        with self.open_scope():
            step = self.bind("Int")
            holder = self.call_query("Player?") or self.board_lookup()
            test = f"{holder} {self.select(['is', 'is not'])} {self.player(0)}"
            condition = self.select([test, self.call_query("Bool") or test])
        return f"min({step} for {step} in 1..{2 + self.pick(2)} where {condition})"

    def small(self) -> str:
        """Write a number that has only few possible values, so that products of several can't overflow."""
        side, spot, card = self.side(0), self.spot(0), self.card(0)
        options = [f"index(Side, {side})", f"odds[{side}]", f"index(Spot, {spot})", f"chart[{side}, {spot}]"]
        options += [f"count(ways[{side}])", f"(n mod {2 + self.pick(3)})", f"{self.player(0)}.seat"]
        options += [f"count(pile[{side}])", f"{card}.printed.tough", str(self.pick(3))]
        return self.fact() if self.toss(20) else self.select(options)

    def fact(self) -> str:
        """Write a number that depends on a single name, which may be known only during play."""
        type = self.select([type for type in ("Side", "Spot", "Card") if self.list_names(type)] or ["Side"])
        name = self.select(self.list_names(type) or ["face"])
        facts = {
            "Side": [f"odds[{name}]", f"index(Side, {name})", f"count(ways[{name}])"],
            "Spot": [f"index(Spot, {name})", f"chart[left, {name}]", f"chart[right, {name}]"],
            "Card": [f"{name}.printed.tough", f"{name}.printed.cost"],
        }[type]
        left, right = self.select(facts), self.select([*facts, "2", str(self.pick(4))])
        return f"({left} {self.select(['+', '-', '*'])} {right})"

    def card_member(self) -> str:
        members = ["cost", "printed.tough", "printed.cost"]
        if self.scope.reads_members:
            members += ["worth", "tough", "cost", f"lure({self.value('Int', 0)})" if self.scope.has_me else "worth"]
        return f"{self.value('Card', 0)}.{self.select(members)}"

    def fold(self) -> str:
        name = self.select(["sum", "max", "min", "count"])
        item = self.select(["Int", "Player", "Card", "Side"])
        source = self.value(f"List[{item}]", 1)
        with self.open_scope():
            bound = self.bind(item)
            body = self.value("Bool" if name == "count" else "Int", 1)
            where = f" where {self.value('Bool', 1)}" if self.toss(30) else ""
        return f"{name}({body} for {bound} in {source}{where})"

    def neighbour(self) -> str:
        step = self.select(["next", "previous"])
        return f"{self.player(0)}.{step}(among: [{self.player(0)}, turn])"

    def nested_comprehension(self, name: str, depth: int = 0) -> str:
        """Write a comprehension over two lists. Instead of the second list it may use an optional value."""
        first, second = self.select(["Int", "Player", "Side"]), self.select(["Int", "Player", "Resource"])
        source = self.value(f"List[{first}]", 0)
        with self.open_scope():
            left = self.bind(first)
            where = f" where {self.value('Bool', 0)}" if self.toss(30) else ""
            inner = self.value(f"List[{second}]", 0)
            if second != "Int" and self.toss(40):
                inner = (
                    f"held[{self.spot(0)}]" if second == "Player" else self.select(["wanted", f"{self.owner()}wish"])
                )
            right = self.bind(second)
            body = self.value("Bool" if name in ("count", "any", "all") else "Int", 1)
        return f"{name}({body} for {left} in {source}{where}, {right} in {inner})"

    def let_expression(self, type: str, depth: int) -> str:
        """Write a `let` expression. Its body may ignore the name, and its value may cause a fault."""
        part = self.select(["Int", "List[Int]", "Card", "Player?"])
        value = self.faulty_number() if part == "Int" and self.toss(self.faulty) else self.value(part, 1)
        with self.open_scope():
            name = self.bind(part)
            return f"(let {name} = {value}; {self.value(type, depth - 1)})"

    def faulty_number(self) -> str:
        number = self.fact() if self.toss(70) else self.value("Int", 0)
        return self.expand("risk").replace("NUMBER", number)

    def faulty_card_sum(self) -> str:
        """Write a sum over cards that causes a fault for some cards, because of their printed values."""
        source = self.value("List[Card]", 0)
        with self.open_scope() as scope:
            scope.names = {"Card": [card := self.create_name()]}
            return f"sum(({6 + self.pick(3)} {self.select(['div', 'mod'])} {self.fact()}) for {card} in {source})"

    # ------------------------------------------------------------ conditions

    def empty_test(self) -> str:
        type = self.select(["List[Card]", "List[Int]", "List[Resource]"])
        subject = self.select([self.value(type, 1), f"{self.owner()}purse", f"pile[{self.side(0)}]"])
        return f"({subject} is {self.select(['', 'not '])}empty)"

    def has_test(self) -> str:
        suffix = "" if self.scope.reads_members and self.toss(80) else ".printed"
        if not suffix and self.toss(20):
            can = self.scope.has_me and self.scope.reads_members and self.toss(50)
            return f"({self.value('Card', 0)} {'can' if can else 'has'} {self.select(['spell', 'charm'])})"
        return f"({self.value('Card', 0)}{suffix} has {self.select(['swift', 'tough', 'dying'])})"

    def optional_test(self) -> str:
        """Write a comparison of an optional value."""
        original = f"{self.value('Card', 0)}.original is {self.select(['ace', 'bee'])}"
        owner = f"{self.value('Player?', 1)} {self.select(['is', 'is not'])} {self.select(['none', self.player(0)])}"
        spot = f"{self.value('Card', 0)}.spot is {self.select(['none', 'inn'])}"
        return f"({self.select([owner, owner, original, spot])})"

    def membership_test(self) -> str:
        type = self.select(["Int", "Card", "Player", "Resource"])
        return f"({self.value(type, 0)} {self.select(['in', 'not in'])} {self.value(f'List[{type}]', 1)})"

    def quantifier(self) -> str:
        item = self.select(["Int", "Player", "Card", "Side"])
        source = self.value(f"List[{item}]", 1)
        with self.open_scope():
            bound = self.bind(item)
            body = self.value("Bool", 1)
            where = f" where {self.value('Bool', 0)}" if self.toss(30) else ""
        return f"{self.select(['any', 'all'])}({body} for {bound} in {source}{where})"

    # ------------------------------------------------------------ players, places and cards

    def player(self, depth: int = 0) -> str:
        options = ["players.first", "turn", "players.last"]
        if self.scope.has_me:
            options += ["me", "me.next", "me.previous"]
        options += self.list_names("Player")
        if depth > 0 and self.toss(30):
            return self.expand("reached_player")
        return self.select(options)

    def board_lookup(self) -> str:
        """Write a lookup on the board by two coordinates, guarded by a test that they are on the board."""
        x, y = self.value("Int", 1), self.value("Int", 0)
        return f"(if {x} in 0..1 and {y} in 0..1 then held[at(Spot, 2 * {y} + {x})] else none)"

    def side(self, depth: int = 0) -> str:
        return self.select(["left", "right", "face", *self.list_names("Side")])

    def spot(self, depth: int = 0) -> str:
        return self.select(["inn", "out", "yard", *self.list_names("Spot"), "at(Spot, (n * n) mod 4)"])

    def kind(self, depth: int = 0) -> str:
        return self.select(["red", "blue", *self.list_names("Resource")])

    def optional_resource(self, depth: int = 0) -> str:
        return self.select(["none", "red", "wanted", f"{self.owner()}wish", f"{self.value('Card', 0)}.gift"])

    def card(self, depth: int = 0) -> str:
        options = ["ace", "bee", "cat", *self.list_names("Card")]
        if self.toss(15):
            return f"{self.select(options)}.original"
        if self.toss(self.faulty):
            options = ["deck.top", f"{self.owner()}hand.first", f"pile[{self.side(0)}].bottom"]
        return self.select(options)

    # ------------------------------------------------------------ words

    def words(self) -> str:
        return f'"at {{{self.expand("shown_value")}}}"'

    def acting_player(self) -> str:
        return "me" if self.scope.has_me else "turn"

    def span_there(self) -> str:
        return self.select(["steady", f"{self.owner()}busy"]) if self.scope.reads_members else "open"

    def call_query_or(self, words: str, depth: int) -> str:
        """Write a call of a query of the type that the first word names. Without one, expand the second word."""
        type, fallback = words.split()
        return self.call_query(type) or (self.expand(fallback) if hasattr(self, fallback) else fallback)
