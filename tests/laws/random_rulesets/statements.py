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
        with self.inside():
            lines: list[str] = []
            for _ in range(1 + self.pick(most)):
                lines += self.statement(depth)
            if self.scope.answering and self.chance(40):
                lines.append("cancel")
            if self.scope.looping and self.chance(6):
                lines.append("stop")
            elif self.chance(1):
                lines.append(self.end_game())
            return lines

    def end_game(self) -> str:
        by = f" by {self.one_of(['lean', 'rich'])}" if self.chance(50) else ""
        whom = f" for {self.value('List[Player]', 1)}" if self.chance(40) else ""
        return f"end game{by}{whom} because {self.words()}"

    def nest(self, head: str, depth: int, me: bool | None = None, looping: bool | None = None) -> list[str]:
        with self.inside(me=me) as scope:
            if looping is not None:
                scope.looping = looping
            return [head, *(f"  {line}" for line in self.block(depth - 1, 2))]

    def statement(self, depth: int) -> list[str]:
        makers = [self.change, self.change, self.move, self.move_cards, self.simple]
        if depth > 0:
            makers += [self.ask, self.ask, self.ask, self.branch, self.loop, self.loop, self.random, self.call]
            makers += [self.accumulate, self.change_for_a_time, self.call_card, self.opening, self.opening]
            if self.chance(1) and self.chance(30):
                makers = [self.nest_deeply]
        return self.one_of(makers)(depth)

    # ------------------------------------------------------------ changes

    def accumulate(self, depth: int) -> list[str]:
        """Write a local list and a local number, and change both in a loop."""
        items, number, item = self.fresh_name(), self.fresh_name(), self.fresh_name()
        initial = self.one_of(["[]", "[1]", self.value("List[Int]", 0)])
        lines = [f"let {items} = {initial}", f"let {number} = {self.value('Int', 0)}"]
        lines.append(f"for each {item} in {self.value('List[Int]', 0)}:")
        more = self.one_of([item, f"[{item}, {self.value('Int', 0)}]"])
        lines += [f"  add {more} to {items}", f"  {self.one_of(['increase', 'decrease'])} {number} by {item}"]
        if self.chance(60):
            lines.append(f"remove {self.value('Int', 0)} from {items}")
        return [*lines, f'announce "{{{items}}} {{{number}}}"']

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
                (f"held[{self.spot(0)}]", "Player?"),
                (f"bulk[{self.value('Card', 0)}]", "Int"),
                ("patience", "Int?"),
            ]
        )
        if type == "Int?":
            if self.chance(self.faulty * 4):
                return ["increase patience by 1"]
            return [self.one_of(["set patience to none", "set patience to 2", "set patience to n"])]
        if type == "Int" and self.chance(60):
            return [f"{self.one_of(['increase', 'decrease'])} {place} by {self.call_query('Int') or self.value('Int')}"]
        if place == "n":
            return [f"set n to (({self.value('Int')}) mod 50)"]
        value = self.value(type)
        if type == "Player?":
            value = self.one_of(["none", self.player(1), value])
        return [f"set {place} to {value}"]

    def change_for_a_time(self, depth: int) -> list[str]:
        """Write a change of a query for a limited time, the end of a duration, or the start of a span."""
        span = f"{self.owner()}round"
        if not self.scope.members:
            return self.change(depth)
        if self.chance(25):
            return [self.one_of(["begin steady", f"begin {self.owner()}busy"])]
        if self.chance(30):
            return [f"end {self.one_of(['dusk', span])}"]
        card = self.value("Card", 0)
        until = f"{self.one_of(['', ' in layer early', ' in layer late'])} until {self.one_of(['dusk', span])} ends"
        if self.chance(25):
            return [f"set {card}.swift to {self.one_of(['true', 'false', 'flag'])}{until}"]
        of_player = f"{self.owner()}worthy"
        place = self.one_of([f"{card}.worth", f"{card}.tough", f"price({self.side(0)})", of_player])
        if self.chance(50):
            return [f"set {place} to {self.value('Int')}{until}"]
        return [f"{self.one_of(['increase', 'decrease'])} {place} by {self.value('Int', 1)}{until}"]

    def move(self, depth: int) -> list[str]:
        pools = ["bank", f"{self.owner()}purse", f"tray[{self.side(0)}]", f"{self.player(0)}.purse"]
        source = self.one_of(pools)
        target = self.one_of([pool for pool in pools if pool != source] if not self.chance(10) else pools)
        what = self.one_of(["all", f"all {self.kind_name()}", f"{self.value('Int', 1)} {self.kind_name()}", ""])
        if not what:
            name = self.fresh_name()
            return [f"let {name} = {self.kind(0)}", f"move {self.value('Int', 0)} {name} from {source} to {target}"]
        if source.startswith("tray") or target.startswith("tray"):
            what = self.one_of([f"{self.pick(3)} red", "all red"])
        return [f"move {what} from {source} to {target}"]

    def move_cards(self, depth: int) -> list[str]:
        zones = ["deck", f"{self.owner()}hand", f"pile[{self.side(0)}]", f"map[{self.spot(0)}]"]
        what = self.one_of([self.value("List[Card]", 1), self.value("Card", 0), f"take(deck, {self.pick(3)})"])
        if self.chance(self.faulty * 2):
            what = self.one_of(["deck.top", f"{self.owner()}hand.bottom"])
        where, zone = self.one_of(["", "top of ", "bottom of "]), self.one_of(zones)
        is_sorted = self.sorted == "true" and "hand" in zone
        return [f"move {what} to {'' if is_sorted else where}{zone}"]

    def simple(self, depth: int) -> list[str]:
        kind = self.one_of(["announce", "let", "shuffle", "text", "seldom"])
        if kind == "seldom":
            return self.rare_statement()
        if kind == "announce":
            to = f" to {self.value('List[Player]', 0)}" if self.chance(30) else ""
            return [f"announce {self.words()}{to}"]
        if kind == "shuffle":
            return [f"shuffle {self.one_of(['deck', f'pile[{self.side(0)}]'])}"]
        if kind == "text":
            name, words, item = self.fresh_name(), self.words(), self.fresh_name()
            texts = f'lines(list("{{{item}}}!" for {item} in {self.value("List[Int]", 1)}))'
            return [f"let {name} = {self.one_of([words, texts])}", f'announce "{{{name}}}"']
        type = self.one_of(["Int", "Int", "Bool", "Player", "Card", "List[Int]", "List[Card]", "Resource", "Player?"])
        value = (self.call_query(type) if self.chance(40) else "") or self.value(type)
        name = self.bind(type)
        return [f"let {name} = {value}", f'announce "{{{name}}}"']

    def rare_statement(self) -> list[str]:
        """Write a rare construct: a function or a list whose argument is known only during play."""
        op = self.one_of(["union", "except", "intersect"])
        place = f"grid[{self.one_of(['1', '2', '3'])}]"
        source = f"map[{self.spot(0)}] {op} deck"
        with self.inside():
            card, peer = self.bind("Card"), self.fresh_name()
            value = self.one_of(
                [
                    f"count({card}.copies)",
                    f"distance(turn, {self.value('Player', 0)})",
                    f"count(map[inn] {op} {self.value('List[Card]', 0)})",
                    f"index([-n, 1, -{place}], -n)",
                    f"abs(reverse([{place} - n, 2]).{self.one_of(['first', 'last'])})",
                    f"count(map[inn] with {self.one_of(['least', 'most'])} bulk[it])",
                    f"(if {self.one_of(['all', 'any'])}(bulk[{peer}] < n for {peer} in deck) then 1 else -n)",
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
        effects = CARD_EFFECTS if self.chance(self.rings) else CARD_EFFECTS[: self.scope.card_effects]
        callable_effects = [effect for effect in effects if effect != "wake" or self.scope.me]
        if not callable_effects:
            return self.change(depth)
        effect = self.one_of(callable_effects)
        return [f"{self.value('Card', 0)}.{effect}({self.number(1) if effect == 'enter' else ''})"]

    def opening(self, depth: int) -> list[str]:
        if not self.scope.opens:
            return self.branch(depth)
        if not self.scope.me:
            return self.write_for_player(self.opening, depth)
        call = f"open {self.one_of(['duel', 'fair'])}({self.value('Int', 1)}, {self.value('Card', 0)})"
        if self.chance(40):
            return [call]
        lines = self.nest(f"{call}:", depth)
        return lines + (self.nest("else:", depth) if self.chance(60) else [])

    def write_for_player(self, write: Callable[[int], list[str]], depth: int) -> list[str]:
        """Write a statement that needs an acting player, inside a block that names one."""
        head = f"by {self.player(0)}:" if self.chance(50) else "each player:"
        with self.inside(me=True):
            return [head, *(f"  {line}" for line in write(depth))]

    # ------------------------------------------------------------ branches and loops

    def branch(self, depth: int) -> list[str]:
        lines = self.nest(f"if {self.value('Bool')}:", depth)
        if self.chance(20):
            lines += self.nest(f"else if {self.value('Bool')}:", depth)
        if self.chance(40):
            lines += self.nest("else:", depth)
        return lines

    def loop(self, depth: int) -> list[str]:
        kind = self.one_of(["each", "players", "times", "while", "by", "until", "privately"])
        if kind == "privately":
            return self.nest("privately:", depth)
        if kind == "each":
            type = self.one_of(["Int", "Card", "Player", "Side", "Resource"])
            source = self.value(f"List[{type}]")
            with self.inside():
                name = self.bind(type)
                where = self.where(30)
                return self.nest(f"for each {name} in {source}{where}:", depth, looping=True)
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
                where = self.where(30)
                return self.nest(f"each player{how}{where}:", depth, me=True, looping=True)
        if kind == "by":
            return self.nest(f"by {self.player(1)}:", depth, me=True)
        if kind == "times":
            return self.nest(f"repeat {self.one_of(['2', '3', 'n mod 4'])} times:", depth, looping=True)
        bound = self.one_of(["3", "8", "smaller(n, 4)"]) if self.chance(self.faulty * 3) else "60"
        lines = self.nest(f"repeat {kind} {self.value('Bool')}, at most {bound} times:", depth, looping=True)
        terminates = lines[-1].strip() == "stop" or lines[-1].startswith("  end game")
        return lines if terminates or bound != "60" else [*lines, "  stop"]

    def nest_deeply(self, depth: int) -> list[str]:
        """Write deeply nested blocks. Python limits the nesting of some of them."""
        heads = self.one_of([["each"], ["repeat"], ["if"], ["player"], ["each", "if", "repeat", "player", "by"]])
        most = 34 if heads == ["if"] else DEEPEST
        lines: list[str] = []
        with self.inside() as scope:
            scope.looping = False
            for level in range(2 + self.pick(most)):
                kind, name = self.one_of(heads), self.fresh_name()
                head = {
                    "each": f"for each {name} in [1, n] where {name} = 1:",
                    "repeat": f"repeat smaller(1, {self.one_of(['n', 'n + 1', 'level'])}) times:",
                    "if": f"if n {self.one_of(['>', '!='])} {level - 40}:",
                    "player": f"each player in [{self.player(0)}]:",
                    "by": f"by {self.player(0)}:",
                }[kind]
                lines.append("  " * level + head)
                if kind == "each":
                    scope.names.setdefault("Int", []).append(name)
                scope.me = scope.me or kind in ("player", "by")
            inner = self.ask(0) if self.chance(30) else self.change(0)
        return lines + ["  " * (level + 1) + line for line in inner]

    def random(self, depth: int) -> list[str]:
        if self.chance(50):
            source = self.one_of(["1..3", "[1, 5]", "1..4"])
            with self.inside():
                name = self.bind("Int")
                where = f" where {name} != 2" if self.chance(20) else ""
                return self.nest(f"roll {name} in {source}{where}:", depth)
        type = self.one_of(["Card", "Resource", "Int"])
        source = self.value(f"List[{type}]", 1)
        secret = self.one_of(["", "secret "])
        with self.inside():
            name = self.bind(type)
            where = self.where(20)
            lines = self.nest(f"pick {secret}{name} in {source}{where} at random:", depth)
        if self.chance(40):
            lines += self.nest("else:", depth)
        return lines
