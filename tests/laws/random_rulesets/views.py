"""Generate the view of a game: values, player rows, panels of every kind and styles."""

from __future__ import annotations

from .lists import Lists

LISTS = {"1..3": "Int", "Side": "Side", "Spot": "Spot", "players": "Player", "map[inn]": "Card", "pile[left]": "Card"}
"""Lists that a panel can show, each with its item type."""
PANELS = ("grid", "spaces", "cells", "track", "rows", "map", "dials", "hand", "piles")


class Views(Lists):
    """Generates the view section. It uses no values that can cause a fault."""

    def make_view(self, parts: list[str]) -> None:
        with self.safely(), self.inside(me=False) as scope:
            scope.names, scope.opens = {}, False
            lines = ["view:\n"]
            if self.chance(60):
                lines.append("  show:\n" + self.looks_section())
            lines.append(self.items("status", me=False))
            if self.chance(60):
                lines.append(self.items("players", me=True, more=(", below: true", ", from: 100")))
            lines += [self.items(name, me=name == "own") for name in ("shared", "own") if self.chance(25)]
            if self.chance(20):
                lines.append(f"  boards:\n    - {self.grid()}\n")
            kinds = [self.one_of(PANELS) for _ in range(self.pick(5))]
            if kinds:
                lines.append("  panels:\n" + "".join(f"    - {self.panel(kind)}\n" for kind in kinds))
            parts.append("".join(lines))

    def panel(self, kind: str) -> str:
        fields: str = getattr(self, kind)()
        key = {"grid": "board", "spaces": "board", "cells": "board", "rows": "track"}.get(kind, kind)
        return f"{key}: {fields}"

    # ------------------------------------------------------------ words

    def template(self, *types: str, me: bool = False) -> str:
        """Write a template that may show names of the given types. ``types`` alternates names and their types."""
        with self.inside(me=me) as scope:
            scope.unnamed = True
            parts = [f"{{{self.value('Int', 1)}}}"]
            for name, type in zip(types[::2], types[1::2], strict=True):
                scope.names.setdefault(type, []).append(name)
                parts.append(f"{{{name}}}")
            if self.chance(40):
                parts.append(f'{{if {self.value("Bool", 1)} then \\"yes\\" else \\"-\\"}}')
            if self.chance(20):
                parts.append("[b] long words that need more room than there is")
        return '"' + " ".join(parts[self.pick(2) :] or parts) + '"'

    def condition(self, *types: str, me: bool = False) -> str:
        with self.inside(me=me) as scope:
            scope.unnamed = True
            for name, type in zip(types[::2], types[1::2], strict=True):
                scope.names.setdefault(type, []).append(name)
            return f'"{self.value("Bool", 1)}"'

    def more_keys(self, *types: str, me: bool = False) -> str:
        """Write the optional keys that most panels accept."""
        more = ", title: Made"
        if self.chance(20):
            more += f", if: {self.condition()}"
        if self.chance(20):
            more += f", short: {self.template(*types, me=me)}"
        return more + (", from: 90" if self.chance(15) else "")

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
        return "".join(f"    {look}\n" for look in looks if self.chance(50)) or f"    {looks[0]}\n"

    def items(self, name: str, me: bool, more: tuple[str, ...] = ()) -> str:
        lines = [f"  {name}:\n"]
        for number in range(1 + self.pick(3)):
            pool = self.chance(30)
            content = f"pool: {'purse' if me else 'bank'}" if pool else f"text: {self.template(me=me)}"
            keys = f", if: {self.condition(me=me)}" if self.chance(20) else ""
            keys += self.one_of(more) if more and self.chance(40) else ""
            lines.append(f"    - {{title: N{number}, {content}{keys}}}\n")
        return "".join(lines)

    # ------------------------------------------------------------ panels

    def box_key(self) -> str:
        return ", boxed: true" if self.chance(30) else ""

    def grid(self) -> str:
        rows, columns = self.one_of([*LISTS]), self.one_of(["1..2", "Side", "players"])
        types = ("row", LISTS[rows], "column", LISTS.get(columns, "Int"))
        headings = ", headings: false" if self.chance(30) else ""
        more = self.more_keys(*types)
        text = self.template(*types)
        return f'{{rows: "{rows}", columns: "{columns}", text: {text}{headings}{self.box_key()}{more}}}'

    def spaces(self) -> str:
        board = self.one_of(["Field", "Isle"])
        crop = ", crop: true" if self.chance(30) else ""
        of = "space", board
        return f"{{board: {board}, text: {self.template(*of)}{crop}{self.box_key()}{self.more_keys(*of)}}}"

    def cells(self) -> str:
        cells = self.one_of([*LISTS])
        of = "cell", LISTS[cells]
        width = 1 + self.pick(4)
        return (
            f'{{cells: "{cells}", columns: {width}, text: {self.template(*of)}{self.box_key()}{self.more_keys(*of)}}}'
        )

    def track(self) -> str:
        return self.row_panel("", me=False)

    def rows(self) -> str:
        return self.row_panel("per: player, ", me=True)

    def row_panel(self, per: str, me: bool) -> str:
        places = self.one_of([*LISTS, *(["hand"] if me else [])])
        of = "it", LISTS.get(places, "Card")
        under = ', under: "players"' if self.chance(30) else ""
        return f'{{{per}of: "{places}", text: {self.template(*of, me=me)}{under}{self.more_keys(*of, me=me)}}}'

    def map(self) -> str:
        of = "space", "Isle"
        under = ', under: "map[tor]"' if self.chance(40) else ""
        return f"{{board: Isle, text: {self.template(*of)}{under}{self.more_keys(*of)}}}"

    def dials(self) -> str:
        leads = ', leads: [{to: "step(Side, face, 1)", sign: on}]' if self.chance(50) else ""
        note = f", note: {self.template()}" if self.chance(30) else ""
        return f"{{title: Dial, faces: Side, at: face{leads}{note}}}"

    def hand(self) -> str:
        of = "it", "Card"
        dim = f", dim: {self.condition(*of, me=True)}" if self.chance(40) else ""
        return f"{{title: Hand, of: hand, text: {self.template(*of, me=True)}{dim}}}"

    def piles(self) -> str:
        heaps = ["{title: Deck, cards: deck}", '{title: Left, cards: "pile[left]"}', '{title: Tor, cards: "map[tor]"}']
        return f"{{of: [{', '.join(heaps[: 1 + self.pick(3)])}]}}"
