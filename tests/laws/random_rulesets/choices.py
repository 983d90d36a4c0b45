"""Generate statements that ask a player."""

from __future__ import annotations

from .statements import Statements


def choosable(type: str, source: str) -> str:
    """Return a list that a player may choose from.

    The checker refuses a choice directly from a hidden zone. A comprehension makes it valid, and its cards are shown as
    ``?``.
    """
    is_hidden = type == "Card" and ("hand" in source or "deck" in source)
    return f"list(lying for lying in ({source}))" if is_hidden else source


class Choices(Statements):
    """Generates each kind of choice, with and without a block."""

    def ask(self, depth: int) -> list[str]:
        makers = [self.choose, self.choose, self.options, self.may, self.choose_some, self.choose_one]
        makers += [self.order, self.split, self.use, self.use, self.take_action, self.take_action]
        return self.select([*makers, self.unseen, self.at_once])(depth)

    def by_clause(self) -> str:
        if not self.scope.has_me:
            return f", by {self.player(0)}"
        return f", by {self.player(1)}" if self.toss(20) else ""

    def clauses(self, label: str | None = None) -> str:
        """Write clauses that say who chooses, and the texts of the choice."""
        prompt = f", prompt {self.words()}" if self.toss(30) else ""
        text = f', label "{{{label}}}, n is {{n}}"' if label is not None and self.toss(30) else ""
        return f"{self.by_clause()}{prompt}{text}"

    def variables(self, most: int = 2) -> str:
        parts = []
        for _ in range(1 + self.pick(most)):
            type = self.select(["Int", "Resource", "Side", "Player", "Card"])
            source = choosable(type, self.value(f"List[{type}]", 1))
            secret = self.select(["", "", "secret "])
            name = self.bind(type)
            where = self.where(30)
            if source.startswith("(") and " where " in source and not where:
                source = f"({source})"
            parts.append(f"{secret}{name} in {source}{where}")
        return ", ".join(parts)

    def choose(self, depth: int) -> list[str]:
        clauses = self.clauses()
        with self.open_scope():
            variables = self.variables(3)
            lines = self.nest(f"choose {variables}{clauses}:", depth)
        if self.toss(30):
            lines += self.nest("else:", depth)
        return lines

    def choose_one(self, depth: int) -> list[str]:
        """Write a choice without a block. Its name stays in scope."""
        type, source = self.select(
            [("Int", "1..3"), ("Player", "players"), ("Side", "Side"), ("Resource", "[red, blue]"), ("Int", "[7]")]
        )
        by = self.by_clause()
        name = self.bind(type)
        return [f"choose {name} in {source}{by}", f'announce "{{{name}}}"']

    def unseen(self, depth: int) -> list[str]:
        """Write a choice of a card that the chooser doesn't see, by its number in a hand or in the deck."""
        source = self.select([f"{self.player(0)}.hand", f"take({self.player(0)}.hand, 2)", "deck"])
        by = self.by_clause()
        with self.open_scope():
            name = self.bind("Card")
            where = f" where {name} in {source}" if self.toss(20) else ""
            lines = self.nest(f"choose unseen {name} in {source}{where}{by}:", depth)
        return lines + (self.nest("else:", depth) if self.toss(30) else [])

    def at_once(self, depth: int) -> list[str]:
        """Write choices that all players make simultaneously."""
        head = self.select(["", " in players", f" in {self.value('List[Player]', 1)}"])
        with self.open_scope(has_me=True) as scope:
            scope.is_in_loop = False
            where = self.where(20)
            secret = self.select(["", "secret "])
            type, source = self.select([("Int", "1..3"), ("Player", "players"), ("Side", "Side"), ("Int", "[7]")])
            lines = [f"choose {secret}{self.bind(type)} in {source}"]
            if self.toss(40):
                with self.open_scope():
                    lines += self.nest(f"choose {self.variables(1)}:", depth)
            else:
                lines += self.block(depth - 1, 2)
        return [f"each player at once{head}{where}:", *(f"  {line}" for line in lines)]

    def options(self, depth: int) -> list[str]:
        lines = [f"choose{self.by_clause().removeprefix(',')}:"]
        for number in range(1 + self.pick(3)):
            condition = f" if {self.value('Bool')}" if self.toss(40) else ""
            with self.open_scope():
                binding = f" with {self.variables(1)}" if self.toss(40) else ""
                lines += [
                    f"  {line}" for line in self.nest(f'option way_{number} "Way {number}"{binding}{condition}:', depth)
                ]
        return lines

    def may(self, depth: int) -> list[str]:
        lines = self.nest(f"may {self.words()}{self.by_clause()}:", depth)
        if self.toss(30):
            lines += self.nest("else:", depth)
        return lines

    def choose_some(self, depth: int) -> list[str]:
        type = self.select(["Card", "Int", "Resource"])
        amount = self.select(["2", "up to 2", "any", "1..2", f"up to {self.value('Int', 0)}"])
        source = choosable(type, self.value(f"List[{type}]", 1))
        by = self.by_clause()
        secret = self.select(["", "", "secret "])
        name = self.bind(f"List[{type}]")
        label = f', label "{{{name}}}!"' if self.toss(30) else ""
        return [f"choose {amount} {secret}{name} in {source}{by}{label}", f'announce "{{{name}}}"']

    def order(self, depth: int) -> list[str]:
        type = self.select(["Card", "Resource"])
        source = choosable(type, self.value(f"List[{type}]", 0))
        by = self.by_clause()
        name = self.bind(f"List[{type}]")
        return [f"order {name} in {source}{by}", f'announce "{{{name}}}"']

    def split(self, depth: int) -> list[str]:
        type = self.select(["Player", "Card", "Resource", "Int"])
        source = self.value(f"List[{type}]", 1)
        amount = self.select(["3", self.value("Int", 0)])
        by = self.by_clause()
        with self.open_scope():
            item = self.bind(type)
            where = self.where(20)
            most = self.select(["2", "n", self.value("Int", 0)])
            part = self.bind("Int")
            head = f"split {amount} as {part} over {item} in {source}{where}, at most {most}{by}:"
            return self.nest(head, depth)

    def take_action(self, depth: int) -> list[str]:
        if not self.scope.reads_members:
            return self.may(depth)
        if not self.scope.has_me:
            return self.write_for_player(self.take_action, depth)
        offers = [f"{self.select(['spell', 'charm'])} of {self.value('List[Card]', 1)}"]
        if self.scope.opens_windows and self.toss(25):
            return ["take action from chores"]
        if self.scope.opens_windows:
            offers = self.select([["give"], ["wait"], ["give", "wait"], ["give", *offers], offers])
        return [f"take action {', '.join(offers)}"]

    def use(self, depth: int) -> list[str]:
        if not self.scope.reads_members:
            return self.choose(depth)
        if not self.scope.has_me:
            return self.write_for_player(self.use, depth)
        return [f"use {self.select(['spell', 'charm'])} of {self.value('Card', 0)}"]
