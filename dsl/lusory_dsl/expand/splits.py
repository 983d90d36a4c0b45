"""The pass of splits: an amount divided among the items of a list.

A split becomes a loop with a choice in it. What each item can take is read once, at the start. Then the player says,
item by item, how much falls to this one, between what the later ones can't take and what is left; where only one number
is possible nothing is asked. `any` ends the questions: the rest falls to the items in their order, to each what it can
take.
"""

from __future__ import annotations

from .. import core
from ..core.accesses import Block
from ..core.kept import kept_name
from ..core.origin import SPLITS, Origin
from ..core.sugar import Split, Sugar
from ..language.types import BOOL, INT, TEXT, ListType, Type
from . import bodies

ANY_WAY = "any"
MADE = Origin(SPLITS)


def splits(program: core.Program, sugar: Sugar) -> core.Program:
    """A program without splits."""
    if not any(variable.origin.maker == SPLITS for variable in program.variables.values()):
        return program
    return bodies.of_program(program, _without)


def _without(block: Block) -> Block:
    found: list[core.Stmt] = []
    for stmt in block:
        inside = core.rebuilt(stmt, _without)
        found += _Loop(inside).whole() if isinstance(inside, Split) else [inside]
    return tuple(found)


class _Loop:
    """The loop that a split becomes, while it is made."""

    def __init__(self, split: Split) -> None:
        self.split = split
        self.span = split.span
        self.item, self.number = split.item, split.part
        self.left, self.part = self._kept("Left", INT), self._kept("Part", INT)
        self.settled = self._kept("Settled", BOOL)
        numbers = ListType(INT)
        self.items, self.limits, self.low, self.high, self.place = (
            core.Local(type, self.span, slot, name)
            for slot, name, type in zip(
                split.own,
                ("items", "limits", "low", "high", "place"),
                (split.source.type, numbers, INT, INT, INT),
                strict=True,
            )
        )

    def whole(self) -> list[core.Stmt]:
        """All its statements."""
        split, span, item = self.split, self.span, self.item
        wanted = split.source
        if split.condition is not None:
            wanted = core.Filter(wanted.type, span, item.slot, wanted, split.condition)
        limit = self._call(INT, "larger", self._number(0), split.most)
        limits = core.MapList(self.limits.type, span, item.slot, self.items, None, limit)
        last = self._of(INT, "-", self._call(INT, "count", self.items), self._number(1))
        places = core.Range(self.limits.type, span, self._number(0), last)
        some_left = self._of(BOOL, ">", self.left, self._number(0))
        return [
            self._let(self.items, self._call(wanted.type, "unique", wanted)),
            self._let(self.limits, limits),
            self._put(self.left, self._call(INT, "smaller", split.amount, self._sum(self.limits))),
            self._put(self.settled, core.Const(BOOL, span, False)),
            core.ForEach(span, self.place.slot, self.place.name, places, some_left, self._of_each(), origin=MADE),
        ]

    def _of_each(self) -> tuple[core.Stmt, ...]:
        """What is done for each item: between which numbers it can get, how many it gets, and what is done with it."""
        span, item, number = self.span, self.item, self.number
        next_place = self._of(INT, "+", self.place, self._number(1))
        later = self._sum(self._call(self.limits.type, "drop", self.limits, next_place))
        rest, limit = self._of(INT, "-", self.left, later), self._call(INT, "at", self.limits, self.place)
        certain = self._of(BOOL, "or", self.settled, self._of(BOOL, "=", self.low, self.high))
        some = self._of(BOOL, ">", self.part, self._number(0))
        return (
            core.Let(span, item.slot, item.name, self._current, origin=MADE),
            self._let(self.low, self._call(INT, "larger", self._number(0), rest)),
            self._let(self.high, self._call(INT, "smaller", self.left, limit)),
            core.If(span, ((certain, (self._put(self.part, self.high),)),), (self._question(),), origin=MADE),
            core.Let(span, number.slot, number.name, self.part, origin=MADE),
            self._put(self.left, self.part, "sub"),
            core.If(span, ((some, self.split.body),), (), origin=MADE),
        )

    def _question(self) -> core.Stmt:
        """How many fall to an item, or no more questions."""
        split, span, item, number = self.split, self.span, self.item, self.number
        yes = core.Const(BOOL, span, True)
        rest = (self._put(self.settled, yes), self._put(self.part, self.high))
        any_way = core.Alternative(ANY_WAY, core.TextTemplate(TEXT, span, ("In any way",)), (), (), rest, span)
        only = core.ListLit(ListType(item.type), span, (self._current,))
        numbers = core.Range(self.limits.type, span, self.low, self.high)
        named = (
            core.ChoiceVar(item.slot, item.name, only, None, False, item.span),
            core.ChoiceVar(number.slot, number.name, numbers, None, False, number.span),
        )
        chosen = core.Local(INT, number.span, number.slot, number.name)
        exactly = core.Alternative(None, split.label, (), named, (self._put(self.part, chosen),), span)
        return core.Ask(span, split.site, split.chooser, split.prompt, (any_way, exactly), (), origin=MADE)

    @property
    def _current(self) -> core.Expr:
        return self._call(self.item.type, "at", self.items, self.place)

    def _kept(self, what: str, type: Type) -> core.ReadCell:
        return core.ReadCell(type, self.span, kept_name(f"split{self.split.site}", what), ())

    def _number(self, value: int) -> core.Const:
        return core.Const(INT, self.span, value)

    def _of(self, type: Type, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
        return core.Binary(type, self.span, op, left, right)

    def _call(self, type: Type, name: str, *args: core.Expr) -> core.Expr:
        return core.CallBuiltin(type, self.span, name, args)

    def _sum(self, numbers: core.Expr) -> core.Expr:
        return self._call(INT, "sum", numbers)

    def _let(self, local: core.Local, value: core.Expr) -> core.Stmt:
        return core.Let(self.span, local.slot, local.name, value, origin=MADE)

    def _put(self, place: core.ReadCell, value: core.Expr, op: str = "set") -> core.Stmt:
        return core.SetCell(self.span, place.place, (), op, value, origin=MADE)
