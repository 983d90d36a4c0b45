"""Generate lists and operations on lists."""

from __future__ import annotations

from .values import Values

DERIVED = ("set", "set", "take", "reverse", "unique", "if", "let")


class Lists(Values):
    """Generates lists of each item type."""

    def list_comprehension(self) -> str:
        item = self.select(["Player", "Card", "Int"])
        source = self.value(f"List[{item}]", 0)
        with self.open_scope():
            bound = self.bind(item)
            body = self.value("Int", 1)
            where = f" where {self.value('Bool', 0)}" if self.toss(30) else ""
        if self.toss(30):
            return self.nested_comprehension("list")
        return f"list({body} for {bound} in {source}{where})"

    def derived_list(self, type: str, depth: int) -> str:
        """Write a list that is derived from another list."""
        list_type = f"List[{type}]"
        kind = self.select([*DERIVED, "where", "while", "with", "sorted", "distinct", "reach"])
        if kind == "reach":
            return self.link_search("reach", type)
        source = self.value(list_type, depth - 1)
        if kind == "if":
            return self.conditional(list_type, depth)
        if kind == "set":
            return f"({source} {self.select(['union', 'except', 'intersect'])} {self.value(list_type, 0)})"
        if kind == "take":
            return f"{self.select(['take', 'drop'])}({source}, {self.value('Int', 0)})"
        if kind == "let":
            return self.let_expression(list_type, depth)
        if kind in ("reverse", "unique"):
            return f"{kind}({source})"
        if not self.scope.must_name and self.toss(60):
            with self.open_scope(item=type):
                return f"({source} {self.list_clause(kind)})"
        with self.open_scope():
            return f"({source} as {self.bind(type)} {self.list_clause(kind)})"

    def list_clause(self, kind: str) -> str:
        """Write the clause that filters or sorts a list."""
        match kind:
            case "where" | "while":
                return f"{kind} {self.value('Bool', 1)}"
            case "distinct":
                return f"with distinct {self.value(self.select(['Int', 'Bool']), 1)}"
            case "sorted":
                return f"sorted by {self.value(self.select(['Int', 'Int', 'Side', 'Card', 'Player']), 1)}"
        return f"with {self.select(['most', 'least'])} {self.value('Int', 1)}"

    def link_search(self, word: str, type: str) -> str:
        """Write a search along links: the reachable items (`reach`), or the start of a distance lookup (`steps`)."""
        numbers = type == "Int"
        source = "[1, 3]" if numbers else self.value(f"List[{type}]", 0)
        with self.open_scope():
            bound = self.bind(type)
            target = self.link_step(bound) if numbers else self.value(f"List[{type}]", 1)
        within = f" within {self.value('Int', 0)}" if self.toss(40) else ""
        return f"{word}({target} for {bound} from {source}{within})"

    def link_step(self, number: str) -> str:
        name = self.create_name() if self.scope.must_name else "it"
        with self.open_scope(item="Int" if name == "it" else None):
            where = self.select([f"{name} = {number} + 1", f"{name} = {number} - 2 or {self.value('Bool', 0)}"])
        return f"(0..4{'' if name == 'it' else f' as {name}'} where {where})"

    def steps(self) -> str:
        type = self.select(["Card", "Player", "Side", "Resource", "Int"])
        far = f"{self.link_search('steps', type)}[{self.value(type, 0)}]"
        return f"({far} {self.select(['is none', 'is not none', '= 1', '!= 2'])})"

    def lying_cards(self) -> str:
        with self.open_scope():
            name = self.create_name() if self.scope.must_name else "it"
            alias = "" if name == "it" else f" as {name}"
            where = self.select([f"{name} in any hand", f"{name} in any pile", f"flag and {name} in any deck"])
            return f"(Card{alias} where {where})"
