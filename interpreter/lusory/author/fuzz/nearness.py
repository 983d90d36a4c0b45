"""How far a position is from what no game has come to: the conditions on the way there, and by how much each misses.

The distance of search-based testing (Korel, "Automated Software Test Data Generation", 1990; McMinn, "Search-Based
Software Test Data Generation: A Survey", 2004), read off any position and not where a condition happens to be tested:
locals on the way may have any value that they could get, and the nearest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn

from lusory_dsl import core
from lusory_dsl.language.types import BoolType, ComponentType, EnumType, IntType, OptionalType, PlayerType, Type
from lusory_dsl.text.source import Span

from ...game import Game
from ...reading.reader import Reader, Slots, Waiting
from ...seat.reasons import Explainer
from ...table.choices import RulesetFault
from ...table.state import State
from ..adequacy.items import quoted
from ..tree import routines_in_play
from .goals import Goals

FAR = 1.0  # of a condition of which it can't be said by how much it misses
MOST_TESTS = 500  # conditions and values of locals that are tried to find out one distance, and …
MOST_VISITS = 5_000  # … items that are gone through: what lies beyond counts as far
MOST_WAYS = 4  # to one goal
MOST_FACTS = 2  # that are told of a condition


@dataclass(frozen=True)
class Param:
    """A local that can be anything of its type."""

    slot: int
    type: Type


@dataclass(frozen=True)
class Copies:
    """A local that is one of some components."""

    slot: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Each:
    """A local that is some item of a list."""

    slot: int
    source: core.Expr


@dataclass(frozen=True)
class Bind:
    """A local with its value."""

    slot: int
    value: core.Expr


@dataclass(frozen=True)
class Test:
    """A condition that must hold, or must not."""

    condition: core.Expr
    wanted: bool


@dataclass(frozen=True)
class Some:
    """A list that must have an item."""

    source: core.Expr


@dataclass(frozen=True)
class OfCard:
    """A card that must be a copy of another one."""

    card: core.Expr
    original: int


Step = Param | Copies | Each | Bind | Test | Some | OfCard
Chain = tuple["Chain", Step] | None
"""The steps from the beginning of a routine to a part of it, last one first."""


class _Chains:
    """One walk over a program. ``of``: by the id of a node, the steps to it; by (site, alternative), those to that."""

    def __init__(self, program: core.Program) -> None:
        self.of: dict[Any, Chain] = {}
        for routine, _ in routines_in_play(program):
            match routine:
                case core.Effect():
                    self.effect(routine)
                case core.Query():
                    self.query(routine)
                case core.Phase():
                    self.phase(routine, None)

    def effect(self, effect: core.Effect) -> None:
        chain = _params(effect.params)
        self.block(effect.body, chain)
        for rule in core.rules_of(effect):
            self.block(rule.body, self.held(rule.condition, chain))

    def query(self, query: core.Query) -> None:
        chain = _params(query.params)
        self.expr(query.value, chain)
        for modifier in query.modifiers:
            inner: Chain = (chain, Bind(modifier.it_slot, query.value))
            if modifier.copies:
                inner = inner, Copies(modifier.this_slot, modifier.copies)
            self.expr(modifier.value, self.held(modifier.condition, inner))

    def phase(self, phase: core.Phase, chain: Chain) -> None:
        chain = self.held(phase.repeat, self.held(phase.condition, chain))
        self.block(phase.body, chain)
        for child in phase.children:
            self.phase(child, chain)

    def held(self, condition: core.Expr | None, chain: Chain) -> Chain:
        """The steps behind a condition that holds."""
        if condition is None:
            return chain
        self.expr(condition, chain)
        return chain, Test(condition, True)

    def block(self, block: tuple[core.Stmt, ...], chain: Chain) -> None:
        for stmt in block:
            self.of[id(stmt)] = chain
            chain = self.statement(stmt, chain)

    def statement(self, stmt: core.Stmt, chain: Chain) -> Chain:
        """The steps to what stands behind a statement."""
        match stmt:
            case core.If():
                before = chain
                for condition, body in stmt.branches:
                    self.block(body, self.held(condition, before))
                    before = before, Test(condition, False)
                self.block(stmt.otherwise, before)
            case core.Let():
                self.expr(stmt.value, chain)
                return chain, Bind(stmt.slot, stmt.value)
            case core.ForEach() | core.Random():
                source = stmt.source if isinstance(stmt, core.ForEach) else stmt.domain
                self.expr(source, chain)
                self.block(stmt.body, self.held(stmt.condition, (chain, Each(stmt.slot, source))))
                if isinstance(stmt, core.Random):
                    self.block(stmt.otherwise, chain)
            case core.Repeat():
                for part in (stmt.times, stmt.bound):
                    if part is not None:
                        self.expr(part, chain)
                self.block(stmt.body, self.held(stmt.condition, chain))
            case core.Ask():
                return self.ask(stmt, chain)
            case core.AskMany():
                self.expr(stmt.source, chain)
                self.held(stmt.condition, (chain, Each(stmt.item_slot, stmt.source)))
                return chain, Bind(stmt.slot, stmt.source)  # as if all were picked
            case core.DoByCard():
                for original, body in stmt.cases:
                    self.block(body, (chain, OfCard(stmt.card, original)))
                self.block(stmt.otherwise, chain)
            case _:
                for part in core.children(stmt):
                    if isinstance(part, core.Expr):
                        self.expr(part, chain)
                for block in core.blocks(stmt):
                    self.block(block, chain)
        return chain

    def ask(self, stmt: core.Ask, chain: Chain) -> Chain:
        found = chain
        for number, alternative in enumerate(stmt.alternatives):
            found = chain
            for condition in alternative.conditions:
                found = self.held(condition, found)
            for variable in alternative.vars:
                self.expr(variable.domain, found)
                found = self.held(variable.condition, (found, Each(variable.slot, variable.domain)))
            self.of[stmt.site, number] = found
            self.block(alternative.body, found)
        self.block(stmt.otherwise, chain)
        return found if len(stmt.alternatives) == 1 else chain

    def expr(self, expr: core.Expr, chain: Chain) -> None:
        self.of[id(expr)] = chain
        match expr:
            case core.Binary(op="and" | "or", left=left, right=right):
                self.expr(left, chain)
                self.expr(right, (chain, Test(left, expr.op == "and")))
            case core.IfExpr():
                self.expr(expr.then, self.held(expr.condition, chain))
                self.expr(expr.otherwise, (chain, Test(expr.condition, False)))
            case core.Named():
                self.expr(expr.value, chain)
                self.expr(expr.body, (chain, Bind(expr.slot, expr.value)))
            case core.ByCard():
                for original, value in expr.cases:
                    self.expr(value, (chain, OfCard(expr.card, original)))
                self.expr(expr.otherwise, chain)
            case _ if isinstance(expr, core.LOOPS):
                through = core.gone_through(expr)
                assert through is not None, "it goes through a list"
                self.expr(through.source, chain)
                item: Chain = (chain, Each(through.slot, through.source))
                behind = self.held(through.condition, item)
                for part in core.children(expr):
                    if part is not through.source and part is not through.condition:
                        self.expr(part, behind)
            case _:
                for part in core.children(expr):
                    self.expr(part, chain)


def _params(params: Iterable[core.Param]) -> Chain:
    chain: Chain = None
    for param in params:
        chain = chain, Param(param.slot, param.type)
    return chain


def _needed(chain: Chain, last: Step | None = None) -> tuple[Step, ...]:
    """The steps that matter, in order: conditions, and what binds the locals that they read."""
    kept: list[Step] = []
    live: set[int] = set()
    if last is not None:
        chain = chain, last
    while chain is not None:
        chain, step = chain
        match step:
            case Test(condition=core.Const()):
                continue
            case Test(condition=read) | Some(source=read) | OfCard(card=read):
                kept.append(step)
                live |= core.locals_in(read)
            case Each() if step.slot not in live:
                if not isinstance(step.source, core.Players | core.Const | core.Range):
                    kept.append(Some(step.source))
                    live |= core.locals_in(step.source)
            case _ if step.slot in live:
                kept.append(step)
                live.discard(step.slot)
                if isinstance(step, Each | Bind):
                    live |= core.locals_in(step.source if isinstance(step, Each) else step.value)
    return tuple(reversed(kept))


class Nearness:
    """Which goals of a program have a distance, and which steps it is made of."""

    def __init__(self, program: core.Program, goals: Goals) -> None:
        chains, nodes = _Chains(program).of, goals.nodes
        self.ways: dict[int, list[tuple[Step, ...]]] = {}
        for number, item in enumerate(goals.items):
            found = []
            for kind, what in sorted(item.probes, key=str):
                if kind in ("ran", "answer") and what in chains:
                    found.append(_needed(chains[what]))
                elif kind in ("held", "failed") and what in chains:
                    found.append(_needed(chains[what], Test(nodes[what], kind == "held")))
            found = [way for way in found if any(isinstance(step, Test | Some | OfCard) for step in way)]
            if found:
                self.ways[number] = found[:MOST_WAYS]


class Distance:
    """How far a position of a game is from a goal: 0 where every condition on some way to it holds, else more.
    ``visited``: items that were gone through to find that out last."""

    def __init__(self, game: Game, ways: Sequence[tuple[Step, ...]]) -> None:
        self.game = game
        self.ways, self.visited = ways, 0
        slots = [step.slot for way in ways for step in way if isinstance(step, Param | Copies | Each | Bind)]
        reads = [slot for way in ways for step in way for slot in _slots_in(step)]
        self.room = max((*slots, *reads), default=0) + 1

    def __call__(self, state: State) -> float:
        found, self.visited = [], 0
        for way in self.ways:
            measure = _Measure(self.game, state, way)
            found.append(measure.rest(0, [None] * self.room))
            self.visited += MOST_VISITS - measure.reader.visits
        return min(found)

    def lacking(self, state: State) -> list[str]:
        """What a position lacks of the way that is nearest, in words."""
        measures = [_Measure(self.game, state, way) for way in self.ways]
        near = min(measures, key=lambda measure: measure.rest(0, [None] * self.room))
        explainer = Explainer(Reader(self.game.setting, state.cells, state.zones))
        lacking = _Measure(self.game, state, near.way).lacking([None] * self.room)
        return [_words(step, slots, explainer) for step, slots in lacking]


def _words(step: Step, slots: Slots, explainer: Explainer) -> str:
    """What a step lacks, with what was read where that can be told."""
    match step:
        case Test(condition=condition, wanted=wanted):
            try:
                facts = list(islice(explainer.facts(condition, slots, wanted), MOST_FACTS))
            except (RulesetFault, TypeError):  # of a local that nothing is known of, say
                facts = []
            return " and ".join(facts) or f"{quoted(condition.span)} is {'false' if wanted else 'true'}"
        case Some(source=source) | Each(source=source):
            return f"{quoted(source.span)} is empty"
        case OfCard(card=card):
            return f"{quoted(card.span)} is another card"
    return "there is nothing that fits"


def _slots_in(step: Step) -> Iterator[int]:
    """All slots that are used in the expression of a step."""
    match step:
        case Test(condition=expr) | Some(source=expr) | OfCard(card=expr) | Each(source=expr) | Bind(value=expr):
            for part in core.walk(expr):
                yield from core.binds(part)
                if isinstance(part, core.Local):
                    yield part.slot


class _Unknown(Exception):
    """A value can't be told, or it takes too long to."""


class _Reader(Reader):
    """Reads where it often can't be told what something comes to, and tells nobody why."""

    def fault(self, message: str, span: Span) -> NoReturn:
        raise _Unknown

    def visit(self, items: int, span: Span) -> None:
        self.visits -= items
        if self.visits < 0:
            raise _Unknown


class _Measure:
    """The distance of one position by one way."""

    def __init__(self, game: Game, state: State, way: tuple[Step, ...]) -> None:
        self.setting = game.setting
        self.reader = _Reader(game.setting, state.cells, state.zones)
        self.reader.visits = MOST_VISITS
        self.way = way
        self.tests = MOST_TESTS

    @property
    def is_spent(self) -> bool:
        """Whether this has taken long enough."""
        return self.tests <= 0 or self.reader.visits <= 0

    def rest(self, at: int, slots: Slots) -> float:
        """What the steps from one on miss by, each at most 1."""
        if at == len(self.way):
            return 0.0
        step = self.way[at]
        if isinstance(step, Bind):
            slots[step.slot] = Waiting(step.value)
            return self.rest(at + 1, slots)
        if isinstance(step, Test | Some | OfCard):
            return self.short_of(step, slots) + self.rest(at + 1, slots)
        return self.nearest(self.values(step, slots), step.slot, at, slots)

    def short_of(self, step: Test | Some | OfCard, slots: Slots) -> float:
        """What one step misses by."""
        match step:
            case Test(condition=condition, wanted=wanted):
                return self.misses(condition, wanted, slots)
            case Some(source=source):
                return self.lacks(source, slots)
            case OfCard(card=card, original=original):
                return self.differs(card, original, slots)

    def lacking(self, slots: Slots) -> Iterator[tuple[Step, Slots]]:
        """The steps that miss, with the values of locals with which the least is missed."""
        for at, step in enumerate(self.way):
            if isinstance(step, Bind):
                slots[step.slot] = Waiting(step.value)
            elif isinstance(step, Test | Some | OfCard):
                if self.short_of(step, slots):
                    yield step, list(slots)
            elif values := self.values(step, slots):
                missed = [self.nearest((value,), step.slot, at, slots) for value in values]
                slots[step.slot] = values[missed.index(min(missed))]
            else:
                yield step, list(slots)
                return

    def nearest(self, values: Sequence[Any], slot: int, at: int, slots: Slots) -> float:
        """By the value of a local with which the least is missed."""
        left = sum(isinstance(step, Test | Some | OfCard) for step in self.way[at + 1 :])
        best = FAR + left
        for value in values:
            here = [Waiting(s.expr) if type(s) is Waiting else s for s in slots]
            here[slot] = value
            self.tests -= 1
            best = min(best, self.rest(at + 1, here))
            if best == 0 or self.is_spent:
                break
        return best

    def values(self, step: Param | Copies | Each, slots: Slots) -> Sequence[Any]:
        """What a local can be."""
        match step:
            case Each(source=source):
                return self.read(source, slots) or ()
            case Copies(values=values):
                return values
        type = step.type.item if isinstance(step.type, OptionalType) else step.type
        match type:
            case PlayerType():
                return range(self.setting.players)
            case EnumType(name=name):
                return range(len(self.setting.program.enums[name].values))
            case ComponentType(name=name):
                first, number = self.setting.program.component_kinds[name]
                return range(first, first + number)
            case BoolType():
                return (False, True)
        return (None,)

    def read(self, expr: core.Expr, slots: Slots) -> Any:
        """A value; None where the rules go wrong over it."""
        try:
            return self.reader.value(expr, slots)
        except (_Unknown, RulesetFault, TypeError):  # of a local that nothing is known of, say
            return None

    def differs(self, card: core.Expr, original: int, slots: Slots) -> float:
        """Whether a card is none of the copies of another."""
        found = self.read(card, slots)
        return FAR if found is None or self.setting.program.entities[found].fields["original"] != original else 0.0

    def misses(self, expr: core.Expr, wanted: bool, slots: Slots) -> float:
        """By how much a condition misses what is wanted: 0 to 1."""
        self.tests -= 1
        value = self.read(expr, slots)
        if value is wanted:
            return 0.0
        match expr:
            case core.Unary(op="not", operand=operand):
                return self.misses(operand, not wanted, slots)
            case core.Binary(op="and" | "or" as op, left=left, right=right):
                parts = self.misses(left, wanted, slots), self.misses(right, wanted, slots)
                return sum(parts) / 2 if (op == "and") is wanted else min(parts)
            case core.Binary(
                op="=" | "!=" as op,
                left=core.CallBuiltin(name="count", args=(core.Filter() as source,)),
                right=core.Const(value=0),
            ) if (op == "!=") is wanted:  # a list that must not be empty
                return self.lacks(source, slots)
            case core.Binary(op=op, left=left, right=right) if isinstance(left.type, IntType):
                return self.gap(op, left, right, slots)
            case core.Fold(kind="any" | "all"):
                return self.fold(expr, wanted, slots)
            case core.CallQuery(query=name, args=args) if not self.setting.program.queries[name].modifiers:
                query = self.setting.program.queries[name]
                given = [self.read(arg, slots) for arg in args]
                return self.misses(query.value, wanted, given + [None] * (query.n_slots - len(given)))
            case core.Named():
                slots[expr.slot] = Waiting(expr.value)
                return self.misses(expr.body, wanted, slots)
            case core.IfExpr():
                held = self.read(expr.condition, slots)
                return self.misses(expr.then if held else expr.otherwise, wanted, slots)
        return FAR

    def gap(self, op: str, left: core.Expr, right: core.Expr, slots: Slots) -> float:
        """How far two numbers are from being as they should."""
        low, high = self.read(left, slots), self.read(right, slots)
        if op == "in":
            away = min((abs(low - one) for one in high or ()), default=None) if low is not None else None
        else:
            away = abs(low - high) if type(low) is int and type(high) is int else None
        return FAR if away is None else _part(away or 1)

    def fold(self, expr: core.Fold, wanted: bool, slots: Slots) -> float:
        """What an item misses by, the nearest of them where one is enough, else all together."""
        parts = []
        for item in self.read(expr.source, slots) or ():
            slots[expr.slot] = item
            outside = 0.0 if expr.condition is None else self.misses(expr.condition, True, slots)
            if (expr.kind == "any") is wanted:
                parts.append((outside + self.misses(expr.body, wanted, slots)) / 2)
            elif not outside:
                parts.append(self.misses(expr.body, wanted, slots))
            if self.is_spent:
                break
        if (expr.kind == "any") is wanted:
            return min(parts, default=FAR) or FAR
        return _part(sum(parts)) or FAR

    def lacks(self, source: core.Expr, slots: Slots) -> float:
        """What the nearest item misses by, of a list that must have one."""
        if self.read(source, slots):
            return 0.0
        if isinstance(source, core.Filter):
            parts = []
            for item in self.read(source.source, slots) or ():
                slots[source.slot] = item
                parts.append(self.misses(source.condition, True, slots))
                if self.is_spent:
                    break
            return min(parts, default=FAR) or FAR
        return FAR


def _part(away: float) -> float:
    """A distance as a part of 1."""
    return away / (away + 1)
