"""Blank cards, data invariants, reassigned locals, and a routine builder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import core
from ..core.constant_analysis import Block, read_by
from ..core.information_flow import knowledge_of
from ..core.origin import BLANK_CARDS, LETS, SPLITS, Origin
from ..core.sugar import BlankableKeyword, Split, Sugar, kept_name
from ..source.dataclasses import replace
from ..source.source import Span
from ..types.types import BOOL, INT, TEXT, ListType, Type


def blank_cards(program: core.Program, sugar: Sugar) -> core.Program:
    """A program in which a blank card has no keyword, whatever rules make of it."""
    queries = dict(program.queries)
    for keyword in sugar.keywords:
        query = queries[keyword.query]
        if query.modifiers or keyword.is_printed:  # else no card has it anyway
            queries |= _unless_blank(query, keyword)
    return replace(program, queries=queries)


def _unless_blank(query: core.Query, keyword: BlankableKeyword) -> dict[str, core.Query]:
    """A keyword as cards have it that can be blank, and with all that rules make of it, of those that are not."""
    (this,), span = query.params, query.value.span
    card = core.Local(this.type, span, this.slot, this.name)
    origin = Origin(BLANK_CARDS, query.name, "given")
    given = replace(query, name=f"{query.name} unless blank", origin=origin)
    made = Origin(BLANK_CARDS, query.name, "blank")
    blank = core.CallQuery(BOOL, span, f"{keyword.kind}.blank", (card,), origin=made)
    nothing = core.Const(query.type, span, keyword.nothing)
    value = core.IfExpr(query.type, span, blank, nothing, core.CallQuery(query.type, span, given.name, (card,)))
    return {query.name: replace(query, n_slots=1, value=value, modifiers=()), given.name: given}


Change = Callable[[Block], Block]


def of_effect(effect: core.Effect, change: Change) -> core.Effect:
    """An effect and the rules that answer to it, with other blocks."""
    instead, when = (tuple(replace(r, body=change(r.body)) for r in rules) for rules in (effect.instead, effect.when))
    return replace(effect, body=change(effect.body), instead=instead, when=when)


def of_program(program: core.Program, of_effects: Change, of_phases: Change | None = None) -> core.Program:
    """A program with other blocks; those of phases in a way of their own, or as those of effects."""
    effects = {name: of_effect(effect, of_effects) for name, effect in program.effects.items()}
    setup, *phases = (of_phase(phase, of_phases or of_effects) for phase in (program.setup, *program.phases))
    return replace(program, effects=effects, setup=setup, phases=tuple(phases))


def of_phase(phase: core.Phase, change: Change) -> core.Phase:
    """A phase and those inside it, with other blocks."""
    inner = tuple(of_phase(child, change) for child in phase.children)
    return replace(phase, body=change(phase.body), children=inner)


class Routine:
    """The body of an effect while it is made. All of it stands at one place, and has one origin."""

    def __init__(self, span: Span, origin: Origin, types: Sequence[Type]) -> None:
        self.span = span
        self.origin = origin
        self.n_slots = 0
        self.params = tuple(self.local("given", type) for type in types)

    def effect(self, name: str, body: Block) -> core.Effect:
        """The effect, when its body is done."""
        params = tuple(core.Param(local.slot, local.name, local.type) for local in self.params)
        return core.Effect(name, False, params, self.n_slots, body, origin=self.origin)

    def local(self, name: str, type: Type) -> core.Local:
        """A local in a fresh slot."""
        self.n_slots += 1
        return core.Local(type, self.span, self.n_slots - 1, name)

    def let(self, name: str, value: core.Expr, into: list[core.Stmt]) -> core.Local:
        """A local with a value; the statement that gives it goes ``into`` a block."""
        local = self.local(name, value.type)
        into.append(core.Let(self.span, local.slot, name, value, origin=self.origin))
        return local

    def when(self, condition: core.Expr, block: Sequence[core.Stmt]) -> core.Stmt:
        """A block under a condition."""
        return core.If(self.span, ((condition, tuple(block)),), (), origin=self.origin)

    def each(self, number: core.Local, items: core.Expr, block: Sequence[core.Stmt]) -> core.Stmt:
        """A block for the number of each item of a list, from 0."""
        last = core.Binary(INT, self.span, "-", self.call("count", INT, items), self.const(1))
        numbers = core.Range(ListType(INT), self.span, self.const(0), last)
        return core.ForEach(self.span, number.slot, number.name, numbers, None, tuple(block), origin=self.origin)

    def calls(self, effect: str, *args: core.Expr) -> core.Stmt:
        """The call of an effect."""
        return core.CallEffect(self.span, effect, args, origin=self.origin)

    def put(self, variable: str, value: core.Expr) -> core.Stmt:
        """A variable without indices that is set."""
        return core.SetCell(self.span, variable, (), "set", value, origin=self.origin)

    def call(self, name: str, type: Type, *args: core.Expr) -> core.Expr:
        """A function of the language."""
        return core.CallBuiltin(type, self.span, name, args)

    def const(self, value: int) -> core.Expr:
        """A number."""
        return core.Const(INT, self.span, value)

    def test(self, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
        """A comparison, or two conditions put together."""
        return core.Binary(BOOL, self.span, op, left, right)

    def not_(self, condition: core.Expr) -> core.Expr:
        """That a condition does not hold."""
        return core.Unary(BOOL, self.span, "not", condition)

    def filtered(self, items: core.Expr, item: core.Local, condition: core.Expr) -> core.Expr:
        """The items for which a condition holds."""
        return core.Filter(items.type, self.span, item.slot, items, condition)

    def mapped(self, items: core.Expr, item: core.Local, value: core.Expr) -> core.Expr:
        """A value for each item."""
        return core.MapList(ListType(value.type), self.span, item.slot, items, None, value)


ANY_WAY = "any"
MADE = Origin(SPLITS)


def splits(program: core.Program, sugar: Sugar) -> core.Program:
    """A program without splits."""
    if not any(variable.origin.maker == SPLITS for variable in program.variables.values()):
        return program
    return of_program(program, _without)


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


HIDDEN = core.Visibility("nobody", None)


def written_names(program: core.Program, sugar: Sugar) -> core.Program:
    """Hides those that are given something hidden, and those that are given one of them."""
    open_ones = {name for name, variable in program.variables.items() if variable.origin.maker == LETS}
    while open_ones and (given := open_ones & knowledge_of(program).given):
        hidden = {name: replace(program.variables[name], visible=HIDDEN) for name in given}
        program = replace(program, variables=program.variables | hidden)
        open_ones -= given
    return program


def laws(program: core.Program, sugar: Sugar) -> core.Program:
    """Mark each invariant that reads no state as a law: it holds for the data, whatever happens in a game."""
    return replace(program, invariants=tuple(_judged(invariant, program) for invariant in program.invariants))


def _judged(invariant: core.Invariant, program: core.Program) -> core.Invariant:
    each = [part for var in invariant.each for part in (var.domain, var.condition) if part is not None]
    texts = [] if invariant.because is None else [invariant.because]
    state = (read_by(part, program.queries, program.zones) for part in (invariant.condition, *each, *texts))
    return replace(invariant, is_law=not any(state))
