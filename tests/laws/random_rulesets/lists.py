"""Generate lists and operations on lists."""

from __future__ import annotations

from .values import Values

MADE = ("set", "set", "take", "reverse", "unique", "if", "let")


class Lists(Values):
    """Generates lists of each item type."""

    def mapped(self) -> str:
        item = self.one_of(["Player", "Card", "Int"])
        source = self.value(f"List[{item}]", 0)
        with self.inside():
            bound = self.bind(item)
            body = self.value("Int", 1)
            where = f" where {self.value('Bool', 0)}" if self.chance(30) else ""
        if self.chance(30):
            return self.of_two("list")
        return f"list({body} for {bound} in {source}{where})"

    def listed(self, type: str, depth: int) -> str:
        """Write a list that is derived from another list."""
        list_type = f"List[{type}]"
        kind = self.one_of([*MADE, "where", "while", "with", "sorted", "distinct", "reach"])
        if kind == "reach":
            return self.way("reach", type)
        source = self.value(list_type, depth - 1)
        if kind == "if":
            return self.choice_of(list_type, depth)
        if kind == "set":
            return f"({source} {self.one_of(['union', 'except', 'intersect'])} {self.value(list_type, 0)})"
        if kind == "take":
            return f"{self.one_of(['take', 'drop'])}({source}, {self.value('Int', 0)})"
        if kind == "let":
            return self.naming(list_type, depth)
        if kind in ("reverse", "unique"):
            return f"{kind}({source})"
        if not self.scope.unnamed and self.chance(60):
            with self.inside(item=type):
                return f"({source} {self.selecting(kind)})"
        with self.inside():
            return f"({source} as {self.bind(type)} {self.selecting(kind)})"

    def selecting(self, kind: str) -> str:
        """Write the clause that filters or sorts a list."""
        match kind:
            case "where" | "while":
                return f"{kind} {self.value('Bool', 1)}"
            case "distinct":
                return f"with distinct {self.value(self.one_of(['Int', 'Bool']), 1)}"
            case "sorted":
                return f"sorted by {self.value(self.one_of(['Int', 'Int', 'Side', 'Card', 'Player']), 1)}"
        return f"with {self.one_of(['most', 'least'])} {self.value('Int', 1)}"

    def way(self, word: str, type: str) -> str:
        """Write a search along links: the reachable items (`reach`), or the start of a distance lookup (`steps`)."""
        numbers = type == "Int"
        source = "[1, 3]" if numbers else self.value(f"List[{type}]", 0)
        with self.inside():
            bound = self.bind(type)
            onward = self.way_on(bound) if numbers else self.value(f"List[{type}]", 1)
        within = f" within {self.value('Int', 0)}" if self.chance(40) else ""
        return f"{word}({onward} for {bound} from {source}{within})"

    def way_on(self, number: str) -> str:
        name = self.fresh() if self.scope.unnamed else "it"
        with self.inside(item="Int" if name == "it" else None):
            where = self.one_of([f"{name} = {number} + 1", f"{name} = {number} - 2 or {self.value('Bool', 0)}"])
        return f"(0..4{'' if name == 'it' else f' as {name}'} where {where})"

    def steps(self) -> str:
        type = self.one_of(["Card", "Player", "Side", "Resource", "Int"])
        far = f"{self.way('steps', type)}[{self.value(type, 0)}]"
        return f"({far} {self.one_of(['is none', 'is not none', '= 1', '!= 2'])})"

    def lying_cards(self) -> str:
        with self.inside():
            name = self.fresh() if self.scope.unnamed else "it"
            called = "" if name == "it" else f" as {name}"
            where = self.one_of([f"{name} in any hand", f"{name} in any pile", f"flag and {name} in any deck"])
            return f"(Card{called} where {where})"
