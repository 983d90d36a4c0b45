"""Desugar blank cards and splits, hide secret names, mark laws, and share helpers for passes.

Each pass takes a program and its :class:`~lusory_dsl.core.sugar.Sugar`, and returns the changed program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import core
from ..core.constant_analysis import Block, read_by
from ..core.knowledge_of_locals import knowledge_of
from ..core.provenance import BLANK_CARDS, LETS, SPLITS, Origin
from ..core.sugar import BlankableKeyword, Split, Sugar, kept_name
from ..source.lazy_dataclass import replace
from ..source.source import Span
from ..types.types import BOOL, INT, TEXT, ListType, Type


def blank_cards(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program in which a blank card has no keywords, even if rules grant them."""
    queries = dict(program.queries)
    for keyword in sugar.keywords:
        query = queries[keyword.query]
        if query.modifiers or keyword.is_printed:  # otherwise no card has the keyword
            queries |= _unless_blank(query, keyword)
    return replace(program, queries=queries)


def _unless_blank(query: core.Query, keyword: BlankableKeyword) -> dict[str, core.Query]:
    """Return the keyword, which is ``nothing`` on a blank card, and its former definition under a new name."""
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
    """Return an effect with ``change`` applied to its body and to the bodies of its rules."""
    instead, when = (tuple(replace(r, body=change(r.body)) for r in rules) for rules in (effect.instead, effect.when))
    return replace(effect, body=change(effect.body), instead=instead, when=when)


def of_program(program: core.Program, of_effects: Change, of_phases: Change | None = None) -> core.Program:
    """Return a program with ``of_effects`` applied to the blocks of effects.

    ``of_phases`` is applied to the blocks of phases. If it is None, ``of_effects`` is.
    """
    effects = {name: of_effect(effect, of_effects) for name, effect in program.effects.items()}
    setup, *phases = (of_phase(phase, of_phases or of_effects) for phase in (program.setup, *program.phases))
    return replace(program, effects=effects, setup=setup, phases=tuple(phases))


def of_phase(phase: core.Phase, change: Change) -> core.Phase:
    """Return a phase with ``change`` applied to its body and to the bodies of its descendants."""
    inner = tuple(of_phase(child, change) for child in phase.children)
    return replace(phase, body=change(phase.body), children=inner)


class Routine:
    """A builder for the body of an effect. All its nodes have the same span and origin."""

    def __init__(self, span: Span, origin: Origin, types: Sequence[Type]) -> None:
        self.span = span
        self.origin = origin
        self.n_slots = 0
        self.params = tuple(self.local("given", type) for type in types)

    def effect(self, name: str, body: Block) -> core.Effect:
        """Return the finished effect."""
        params = tuple(core.Param(local.slot, local.name, local.type) for local in self.params)
        return core.Effect(name, False, params, self.n_slots, body, origin=self.origin)

    def local(self, name: str, type: Type) -> core.Local:
        """Return a local in a fresh slot."""
        self.n_slots += 1
        return core.Local(type, self.span, self.n_slots - 1, name)

    def let(self, name: str, value: core.Expr, into: list[core.Stmt]) -> core.Local:
        """Return a local in a fresh slot, and append to ``into`` the statement that assigns its value."""
        local = self.local(name, value.type)
        into.append(core.Let(self.span, local.slot, name, value, origin=self.origin))
        return local

    def when(self, condition: core.Expr, block: Sequence[core.Stmt]) -> core.Stmt:
        """Return a statement that runs a block under a condition."""
        return core.If(self.span, ((condition, tuple(block)),), (), origin=self.origin)

    def each(self, number: core.Local, items: core.Expr, block: Sequence[core.Stmt]) -> core.Stmt:
        """Return a loop over the positions of a list, from 0. ``number`` holds the position."""
        last = core.Binary(INT, self.span, "-", self.call("count", INT, items), self.const(1))
        numbers = core.Range(ListType(INT), self.span, self.const(0), last)
        return core.ForEach(self.span, number.slot, number.name, numbers, None, tuple(block), origin=self.origin)

    def calls(self, effect: str, *args: core.Expr) -> core.Stmt:
        """Return a call of an effect."""
        return core.CallEffect(self.span, effect, args, origin=self.origin)

    def put(self, variable: str, value: core.Expr) -> core.Stmt:
        """Return an assignment to a variable without indices."""
        return core.SetCell(self.span, variable, (), "set", value, origin=self.origin)

    def call(self, name: str, type: Type, *args: core.Expr) -> core.Expr:
        """Return a call of a builtin function."""
        return core.CallBuiltin(type, self.span, name, args)

    def const(self, value: int) -> core.Expr:
        """Return a constant number."""
        return core.Const(INT, self.span, value)

    def test(self, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
        """Return a comparison, or a conjunction or disjunction of two conditions."""
        return core.Binary(BOOL, self.span, op, left, right)

    def not_(self, condition: core.Expr) -> core.Expr:
        return core.Unary(BOOL, self.span, "not", condition)

    def filtered(self, items: core.Expr, item: core.Local, condition: core.Expr) -> core.Expr:
        """Return the items that satisfy a condition."""
        return core.Filter(items.type, self.span, item.slot, items, condition)

    def mapped(self, items: core.Expr, item: core.Local, value: core.Expr) -> core.Expr:
        """Return the list of a value for each item."""
        return core.MapList(ListType(value.type), self.span, item.slot, items, None, value)


ANY_WAY = "any"
MADE = Origin(SPLITS)


def splits(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program without splits: each becomes a loop that asks for the part of each item.

    Each question has a minimum, so that the rest fits the limits of later items. It also offers to settle the rest in
    any way.
    """
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
    """A builder for the loop that replaces a split."""

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
        """Return all statements that replace the split."""
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
        """Return the body of the loop: bound the item's part, ask for it, and run the block of the split."""
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
        """Return the question for the part of an item, with an option to end the questions."""
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
    """Hide each name that is assigned hidden information, directly or from another hidden name.

    Hiding a name can make others secret, so the pass repeats until nothing changes.
    """
    open_ones = {name for name, variable in program.variables.items() if variable.origin.maker == LETS}
    while open_ones and (given := open_ones & knowledge_of(program).given):
        hidden = {name: replace(program.variables[name], visible=HIDDEN) for name in given}
        program = replace(program, variables=program.variables | hidden)
        open_ones -= given
    return program


def laws(program: core.Program, sugar: Sugar) -> core.Program:
    """Mark each invariant that reads no state as a law: its value depends only on the data of the ruleset."""
    return replace(program, invariants=tuple(_judged(invariant, program) for invariant in program.invariants))


def _judged(invariant: core.Invariant, program: core.Program) -> core.Invariant:
    each = [part for var in invariant.each for part in (var.domain, var.condition) if part is not None]
    texts = [] if invariant.because is None else [invariant.because]
    state = (read_by(part, program.queries, program.zones) for part in (invariant.condition, *each, *texts))
    return replace(invariant, is_law=not any(state))
