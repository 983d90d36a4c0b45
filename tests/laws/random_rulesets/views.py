"""Generate the view of a game: values, player rows, panels of every kind and styles."""

from __future__ import annotations

from .lists import Lists

LISTS = {"1..3": "Int", "Side": "Side", "Spot": "Spot", "players": "Player", "map[inn]": "Card", "pile[left]": "Card"}
"""Lists that a panel can show, each with its item type."""
PANELS = ("grid", "spaces", "cells", "track", "rows", "map", "dials", "hand", "piles")


class Views(Lists):
    """Generates the view section. It uses no values that can cause a fault."""

    def make_view(self, parts: list[str]) -> None:
        with self.avoid_faults(), self.open_scope(has_me=False) as scope:
            scope.names, scope.opens_windows = {}, False
            lines = ["view:\n"]
            if self.toss(60):
                lines.append("  show:\n" + self.looks_section())
            lines.append(self.items("status", has_me=False))
            if self.toss(60):
                lines.append(self.items("players", has_me=True, more=(", below: true", ", from: 100")))
            lines += [self.items(name, has_me=name == "own") for name in ("shared", "own") if self.toss(25)]
            if self.toss(20):
                lines.append(f"  boards:\n    - {self.grid()}\n")
            kinds = [self.select(PANELS) for _ in range(self.pick(5))]
            if kinds:
                lines.append("  panels:\n" + "".join(f"    - {self.panel(kind)}\n" for kind in kinds))
            parts.append("".join(lines))

    def panel(self, kind: str) -> str:
        fields: str = getattr(self, kind)()
        key = {"grid": "board", "spaces": "board", "cells": "board", "rows": "track"}.get(kind, kind)
        return f"{key}: {fields}"

    # ------------------------------------------------------------ words

    def template(self, *types: str, has_me: bool = False) -> str:
        """Write a template that may show names of the given types. ``types`` alternates names and their types."""
        with self.open_scope(has_me=has_me) as scope:
            scope.must_name = True
            parts = [f"{{{self.value('Int', 1)}}}"]
            for name, type in zip(types[::2], types[1::2], strict=True):
                scope.names.setdefault(type, []).append(name)
                parts.append(f"{{{name}}}")
            if self.toss(40):
                parts.append(f'{{if {self.value("Bool", 1)} then \\"yes\\" else \\"-\\"}}')
            if self.toss(20):
                parts.append("[b] long words that need more room than there is")
        return '"' + " ".join(parts[self.pick(2) :] or parts) + '"'

    def condition(self, *types: str, has_me: bool = False) -> str:
        with self.open_scope(has_me=has_me) as scope:
            scope.must_name = True
            for name, type in zip(types[::2], types[1::2], strict=True):
                scope.names.setdefault(type, []).append(name)
            return f'"{self.value("Bool", 1)}"'

    def more_keys(self, *types: str, has_me: bool = False) -> str:
        """Write the optional keys that most panels accept."""
        more = ", title: Made"
        if self.toss(20):
            more += f", if: {self.condition()}"
        if self.toss(20):
            more += f", short: {self.template(*types, has_me=has_me)}"
        return more + (", from: 90" if self.toss(15) else "")

    # ------------------------------------------------------------ looks and values

    def looks_section(self) -> str:
        looks = [
            "Side: {colours: {left: red, right: sky}, signs: {left: l}}",
            "Resource: {colours: {red: red, blue: blue}}",
            f"Card: {{dim: {self.condition('it', 'Card')}, short: {self.template('it', 'Card')}}}",
            f'Spot: {{marks: [{{sign: "!", colour: orange, if: {self.condition("it", "Spot")}}}]}}',
            f'Player: {{marks: [{{sign: "*", if: {self.condition("it", "Player")}}}]}}',
            'Isle: {marks: [{sign: "~"}]}',
        ]
        return "".join(f"    {look}\n" for look in looks if self.toss(50)) or f"    {looks[0]}\n"

    def items(self, name: str, has_me: bool, more: tuple[str, ...] = ()) -> str:
        lines = [f"  {name}:\n"]
        for number in range(1 + self.pick(3)):
            pool = self.toss(30)
            content = f"pool: {'purse' if has_me else 'bank'}" if pool else f"text: {self.template(has_me=has_me)}"
            keys = f", if: {self.condition(has_me=has_me)}" if self.toss(20) else ""
            keys += self.select(more) if more and self.toss(40) else ""
            lines.append(f"    - {{title: N{number}, {content}{keys}}}\n")
        return "".join(lines)

    # ------------------------------------------------------------ panels

    def box_key(self) -> str:
        return ", boxed: true" if self.toss(30) else ""

    def grid(self) -> str:
        rows, columns = self.select([*LISTS]), self.select(["1..2", "Side", "players"])
        types = ("row", LISTS[rows], "column", LISTS.get(columns, "Int"))
        headings = ", headings: false" if self.toss(30) else ""
        more = self.more_keys(*types)
        text = self.template(*types)
        return f'{{rows: "{rows}", columns: "{columns}", text: {text}{headings}{self.box_key()}{more}}}'

    def spaces(self) -> str:
        board = self.select(["Field", "Isle"])
        crop = ", crop: true" if self.toss(30) else ""
        names = "space", board
        return f"{{board: {board}, text: {self.template(*names)}{crop}{self.box_key()}{self.more_keys(*names)}}}"

    def cells(self) -> str:
        cells = self.select([*LISTS])
        names = "cell", LISTS[cells]
        width = 1 + self.pick(4)
        text = f"{self.template(*names)}{self.box_key()}{self.more_keys(*names)}"
        return f'{{cells: "{cells}", columns: {width}, text: {text}}}'

    def track(self) -> str:
        return self.row_panel("", has_me=False)

    def rows(self) -> str:
        return self.row_panel("per: player, ", has_me=True)

    def row_panel(self, per: str, has_me: bool) -> str:
        places = self.select([*LISTS, *(["hand"] if has_me else [])])
        names = "it", LISTS.get(places, "Card")
        under = ', under: "players"' if self.toss(30) else ""
        keys = f"text: {self.template(*names, has_me=has_me)}{under}{self.more_keys(*names, has_me=has_me)}"
        return f'{{{per}of: "{places}", {keys}}}'

    def map(self) -> str:
        names = "space", "Isle"
        under = ', under: "map[tor]"' if self.toss(40) else ""
        return f"{{board: Isle, text: {self.template(*names)}{under}{self.more_keys(*names)}}}"

    def dials(self) -> str:
        leads = ', leads: [{to: "step(Side, face, 1)", sign: on}]' if self.toss(50) else ""
        note = f", note: {self.template()}" if self.toss(30) else ""
        return f"{{title: Dial, faces: Side, at: face{leads}{note}}}"

    def hand(self) -> str:
        names = "it", "Card"
        dim = f", dim: {self.condition(*names, has_me=True)}" if self.toss(40) else ""
        return f"{{title: Hand, of: hand, text: {self.template(*names, has_me=True)}{dim}}}"

    def piles(self) -> str:
        heaps = ["{title: Deck, cards: deck}", '{title: Left, cards: "pile[left]"}', '{title: Tor, cards: "map[tor]"}']
        return f"{{of: [{', '.join(heaps[: 1 + self.pick(3)])}]}}"
