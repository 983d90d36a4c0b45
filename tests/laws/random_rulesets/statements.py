"""Generate statements that don't ask a player: changes, moves, loops, chance, calls and nested blocks."""

from __future__ import annotations

from collections.abc import Callable

from .lists import Lists
from .scope import CARD_EFFECTS

DEEPEST = 30  # nested loops


class Statements(Lists):
    """Generates statements. Each method returns the lines of one statement, with its inner blocks indented."""

    def ask(self, depth: int) -> list[str]:
        raise NotImplementedError

    def block(self, depth: int, most: int = 3) -> list[str]:
        """Return the lines of a block, without indentation."""
        with self.open_scope():
            lines: list[str] = []
            for _ in range(1 + self.pick(most)):
                lines += self.statement(depth)
            if self.scope.is_response and self.toss(40):
                lines.append("cancel")
            if self.scope.is_in_loop and self.toss(6):
                lines.append("stop")
            elif self.toss(1):
                lines.append(self.end_game())
            return lines

    def end_game(self) -> str:
        by = f" by {self.select(['lean', 'rich'])}" if self.toss(50) else ""
        whom = f" for {self.value('List[Player]', 1)}" if self.toss(40) else ""
        return f"end game{by}{whom} because {self.words()}"

    def nest(self, head: str, depth: int, has_me: bool | None = None, is_in_loop: bool | None = None) -> list[str]:
        with self.open_scope(has_me=has_me) as scope:
            if is_in_loop is not None:
                scope.is_in_loop = is_in_loop
            return [head, *(f"  {line}" for line in self.block(depth - 1, 2))]

    def statement(self, depth: int) -> list[str]:
        makers = [self.change, self.change, self.move, self.move_cards, self.simple]
        if depth > 0:
            makers += [self.ask, self.ask, self.ask, self.branch, self.loop, self.loop, self.random, self.call]
            makers += [self.accumulate, self.change_for_a_time, self.call_card, self.opening, self.opening]
            if self.toss(1) and self.toss(30):
                makers = [self.nest_deeply]
        return self.select(makers)(depth)

    # ------------------------------------------------------------ changes

    def accumulate(self, depth: int) -> list[str]:
        """Write a local list and a local number, and change both in a loop."""
        items, number, item = self.create_name(), self.create_name(), self.create_name()
        initial = self.select(["[]", "[1]", self.value("List[Int]", 0)])
        lines = [f"let {items} = {initial}", f"let {number} = {self.value('Int', 0)}"]
        lines.append(f"for each {item} in {self.value('List[Int]', 0)}:")
        more = self.select([item, f"[{item}, {self.value('Int', 0)}]"])
        lines += [f"  add {more} to {items}", f"  {self.select(['increase', 'decrease'])} {number} by {item}"]
        if self.toss(60):
            lines.append(f"remove {self.value('Int', 0)} from {items}")
        return [*lines, f'announce "{{{items}}} {{{number}}}"']

    def change(self, depth: int) -> list[str]:
        place, type = self.select(
            [
                ("n", "Int"),
                (f"{self.owner()}score", "Int"),
                ("flag", "Bool"),
                ("turn", "Player"),
                ("face", "Side"),
                ("wanted", "Resource?"),
                (f"{self.owner()}wish", "Resource?"),
                (f"grid[{self.select(['1', '2', '3'])}]", "Int"),
                (f"grid[{self.value('Int', 0)}]" if self.toss(self.faulty) else "grid[3]", "Int"),
                (f"held[{self.spot(0)}]", "Player?"),
                (f"bulk[{self.value('Card', 0)}]", "Int"),
                ("patience", "Int?"),
            ]
        )
        if type == "Int?":
            if self.toss(self.faulty * 4):
                return ["increase patience by 1"]
            return [self.select(["set patience to none", "set patience to 2", "set patience to n"])]
        if type == "Int" and self.toss(60):
            return [f"{self.select(['increase', 'decrease'])} {place} by {self.call_query('Int') or self.value('Int')}"]
        if place == "n":
            return [f"set n to (({self.value('Int')}) mod 50)"]
        value = self.value(type)
        if type == "Player?":
            value = self.select(["none", self.player(1), value])
        return [f"set {place} to {value}"]

    def change_for_a_time(self, depth: int) -> list[str]:
        """Write a change of a query for a limited time, the end of a duration, or the start of a span."""
        span = f"{self.owner()}round"
        if not self.scope.reads_members:
            return self.change(depth)
        if self.toss(25):
            return [self.select(["begin steady", f"begin {self.owner()}busy"])]
        if self.toss(30):
            return [f"end {self.select(['dusk', span])}"]
        card = self.value("Card", 0)
        until = f"{self.select(['', ' in layer early', ' in layer late'])} until {self.select(['dusk', span])} ends"
        if self.toss(25):
            return [f"set {card}.swift to {self.select(['true', 'false', 'flag'])}{until}"]
        of_player = f"{self.owner()}worthy"
        place = self.select([f"{card}.worth", f"{card}.tough", f"price({self.side(0)})", of_player])
        if self.toss(50):
            return [f"set {place} to {self.value('Int')}{until}"]
        return [f"{self.select(['increase', 'decrease'])} {place} by {self.value('Int', 1)}{until}"]

    def move(self, depth: int) -> list[str]:
        pools = ["bank", f"{self.owner()}purse", f"tray[{self.side(0)}]", f"{self.player(0)}.purse"]
        source = self.select(pools)
        target = self.select([pool for pool in pools if pool != source] if not self.toss(10) else pools)
        amount = self.select(["all", f"all {self.kind_name()}", f"{self.value('Int', 1)} {self.kind_name()}", ""])
        if not amount:
            name = self.create_name()
            return [f"let {name} = {self.kind(0)}", f"move {self.value('Int', 0)} {name} from {source} to {target}"]
        if source.startswith("tray") or target.startswith("tray"):
            amount = self.select([f"{self.pick(3)} red", "all red"])
        return [f"move {amount} from {source} to {target}"]

    def move_cards(self, depth: int) -> list[str]:
        zones = ["deck", f"{self.owner()}hand", f"pile[{self.side(0)}]", f"map[{self.spot(0)}]"]
        cards = self.select([self.value("List[Card]", 1), self.value("Card", 0), f"take(deck, {self.pick(3)})"])
        if self.toss(self.faulty * 2):
            cards = self.select(["deck.top", f"{self.owner()}hand.bottom"])
        where, zone = self.select(["", "top of ", "bottom of "]), self.select(zones)
        is_sorted = self.sorts_hands == "true" and "hand" in zone
        return [f"move {cards} to {'' if is_sorted else where}{zone}"]

    def simple(self, depth: int) -> list[str]:
        kind = self.select(["announce", "let", "shuffle", "text", "seldom"])
        if kind == "seldom":
            return self.rare_statement()
        if kind == "announce":
            to = f" to {self.value('List[Player]', 0)}" if self.toss(30) else ""
            return [f"announce {self.words()}{to}"]
        if kind == "shuffle":
            return [f"shuffle {self.select(['deck', f'pile[{self.side(0)}]'])}"]
        if kind == "text":
            name, words, item = self.create_name(), self.words(), self.create_name()
            texts = f'lines(list("{{{item}}}!" for {item} in {self.value("List[Int]", 1)}))'
            return [f"let {name} = {self.select([words, texts])}", f'announce "{{{name}}}"']
        type = self.select(["Int", "Int", "Bool", "Player", "Card", "List[Int]", "List[Card]", "Resource", "Player?"])
        value = (self.call_query(type) if self.toss(40) else "") or self.value(type)
        name = self.bind(type)
        return [f"let {name} = {value}", f'announce "{{{name}}}"']

    def rare_statement(self) -> list[str]:
        """Write a rare construct: a function or a list whose argument is known only during play."""
        op = self.select(["union", "except", "intersect"])
        place = f"grid[{self.select(['1', '2', '3'])}]"
        source = f"map[{self.spot(0)}] {op} deck"
        with self.open_scope():
            card, peer = self.bind("Card"), self.create_name()
            value = self.select(
                [
                    f"count({card}.copies)",
                    f"distance(turn, {self.value('Player', 0)})",
                    f"count(map[inn] {op} {self.value('List[Card]', 0)})",
                    f"index([-n, 1, -{place}], -n)",
                    f"abs(reverse([{place} - n, 2]).{self.select(['first', 'last'])})",
                    f"count(map[inn] with {self.select(['least', 'most'])} bulk[it])",
                    f"(if {self.select(['all', 'any'])}(bulk[{peer}] < n for {peer} in deck) then 1 else -n)",
                ]
            )
        return [f"for each {card} in {source}:", f"  set {place} to {value}"]

    # ------------------------------------------------------------ calls

    def call(self, depth: int) -> list[str]:
        if not self.scope.effects:
            return self.change(depth)
        number = self.pick(self.scope.effects)
        per_player, params = self.effects[number]
        owner = self.owner() if per_player else ""
        return [f"{owner}e{number}({', '.join(self.value(type) for type in params)})"]

    def call_card(self, depth: int) -> list[str]:
        """Write a call of an effect of a card.

        Most calls are to an effect that can't call back. Now and then any effect is allowed, so the call may be
        recursive.
        """
        effects = CARD_EFFECTS if self.toss(self.rings) else CARD_EFFECTS[: self.scope.card_effects]
        callable_effects = [effect for effect in effects if effect != "wake" or self.scope.has_me]
        if not callable_effects:
            return self.change(depth)
        effect = self.select(callable_effects)
        return [f"{self.value('Card', 0)}.{effect}({self.number(1) if effect == 'enter' else ''})"]

    def opening(self, depth: int) -> list[str]:
        if not self.scope.opens_windows:
            return self.branch(depth)
        if not self.scope.has_me:
            return self.write_for_player(self.opening, depth)
        call = f"open {self.select(['duel', 'fair'])}({self.value('Int', 1)}, {self.value('Card', 0)})"
        if self.toss(40):
            return [call]
        lines = self.nest(f"{call}:", depth)
        return lines + (self.nest("else:", depth) if self.toss(60) else [])

    def write_for_player(self, write: Callable[[int], list[str]], depth: int) -> list[str]:
        """Write a statement that needs an acting player, inside a block that names one."""
        head = f"by {self.player(0)}:" if self.toss(50) else "each player:"
        with self.open_scope(has_me=True):
            return [head, *(f"  {line}" for line in write(depth))]

    # ------------------------------------------------------------ branches and loops

    def branch(self, depth: int) -> list[str]:
        lines = self.nest(f"if {self.value('Bool')}:", depth)
        if self.toss(20):
            lines += self.nest(f"else if {self.value('Bool')}:", depth)
        if self.toss(40):
            lines += self.nest("else:", depth)
        return lines

    def loop(self, depth: int) -> list[str]:
        kind = self.select(["each", "players", "times", "while", "by", "until", "privately"])
        if kind == "privately":
            return self.nest("privately:", depth)
        if kind == "each":
            type = self.select(["Int", "Card", "Player", "Side", "Resource"])
            source = self.value(f"List[{type}]")
            with self.open_scope():
                name = self.bind(type)
                where = self.where(30)
                return self.nest(f"for each {name} in {source}{where}:", depth, is_in_loop=True)
        if kind == "players":
            how = self.select(
                [
                    "",
                    f" from {self.player(0)} clockwise",
                    " from players.last anticlockwise",
                    f" in {self.value('List[Player]', 1)}",
                ]
            )
            with self.open_scope(has_me=True):
                where = self.where(30)
                return self.nest(f"each player{how}{where}:", depth, has_me=True, is_in_loop=True)
        if kind == "by":
            return self.nest(f"by {self.player(1)}:", depth, has_me=True)
        if kind == "times":
            return self.nest(f"repeat {self.select(['2', '3', 'n mod 4'])} times:", depth, is_in_loop=True)
        bound = self.select(["3", "8", "smaller(n, 4)"]) if self.toss(self.faulty * 3) else "60"
        lines = self.nest(f"repeat {kind} {self.value('Bool')}, at most {bound} times:", depth, is_in_loop=True)
        terminates = lines[-1].strip() == "stop" or lines[-1].startswith("  end game")
        return lines if terminates or bound != "60" else [*lines, "  stop"]

    def nest_deeply(self, depth: int) -> list[str]:
        """Write deeply nested blocks. Python limits the nesting of some of them."""
        heads = self.select([["each"], ["repeat"], ["if"], ["player"], ["each", "if", "repeat", "player", "by"]])
        most = 34 if heads == ["if"] else DEEPEST
        lines: list[str] = []
        with self.open_scope() as scope:
            scope.is_in_loop = False
            for level in range(2 + self.pick(most)):
                kind, name = self.select(heads), self.create_name()
                head = {
                    "each": f"for each {name} in [1, n] where {name} = 1:",
                    "repeat": f"repeat smaller(1, {self.select(['n', 'n + 1', 'level'])}) times:",
                    "if": f"if n {self.select(['>', '!='])} {level - 40}:",
                    "player": f"each player in [{self.player(0)}]:",
                    "by": f"by {self.player(0)}:",
                }[kind]
                lines.append("  " * level + head)
                if kind == "each":
                    scope.names.setdefault("Int", []).append(name)
                scope.has_me = scope.has_me or kind in ("player", "by")
            inner = self.ask(0) if self.toss(30) else self.change(0)
        return lines + ["  " * (level + 1) + line for line in inner]

    def random(self, depth: int) -> list[str]:
        if self.toss(50):
            source = self.select(["1..3", "[1, 5]", "1..4"])
            with self.open_scope():
                name = self.bind("Int")
                where = f" where {name} != 2" if self.toss(20) else ""
                return self.nest(f"roll {name} in {source}{where}:", depth)
        type = self.select(["Card", "Resource", "Int"])
        source = self.value(f"List[{type}]", 1)
        secret = self.select(["", "secret "])
        with self.open_scope():
            name = self.bind(type)
            where = self.where(20)
            lines = self.nest(f"pick {secret}{name} in {source}{where} at random:", depth)
        if self.toss(40):
            lines += self.nest("else:", depth)
        return lines
