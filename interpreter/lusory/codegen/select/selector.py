"""What is known while the game of one build is selected: passed along by all functions of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Expr, Stmt
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import ListType, Type

from ...state.cost import GREATEST, SHORT
from ...state.event_log import KINDS, Event
from .. import ir
from ..lower.lowered_nodes import LetIn, LoweredRoutine
from ..lower.lowerer import Lowerer
from ..lower.range_analysis import NarrowedBounds, goes_wrong

Expressions = dict[type[Expr], Callable[["Selector", Any], ir.Value]]
Statements = dict[type[Stmt], Callable[["Selector", Any], None]]


class Tables:
    """Constants of a module, each once."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._numbers: dict[str, ir.Table] = {}
        self._same: dict[int, ir.Table] = {}

    def constant(self, value: object) -> ir.Table:
        """The constant with a value."""
        known = self._same.get(id(value))
        if known is not None:
            return known
        key = repr(value)
        if key not in self._numbers:
            self.values.append(value)  # and so it stays
            self._numbers[key] = self._same[id(value)] = ir.Table(len(self.values))
        return self._numbers[key]


@dataclass(frozen=True)
class Naming:
    """A value that gets its name where it is first read, and how often it is read in all."""

    value: ir.Value
    reads: int


@dataclass(eq=False)
class Selector:
    """``expressions``, ``statements``: the tables; ``events``: whether one of the builds tells what happens;
    ``shares``: whether states share their lists of components; ``spends``: whether work is counted; ``forgets``: what
    is found out in a block is not known behind it."""

    lowerer: Lowerer
    layout: Any
    expressions: Expressions
    statements: Statements
    events: bool
    shares: bool
    spends: bool
    forgets: bool
    marked: frozenset[str] = frozenset()  # variables of spaces that have masks
    by_bits: bool = False  # a backend goes through the bits of a mask as quickly as through a list
    noticed: dict[tuple[str, int], ir.Const] = field(default_factory=dict)  # what they hold at the space in a local
    kept: dict[object, ir.Own] | None = None  # what a list of options works out once, before it begins
    tables: Tables = field(default_factory=Tables)
    functions: list[ir.Function] = field(default_factory=list)
    shown: dict[str, Type] = field(default_factory=dict)
    # where what is being selected stands
    trail: tuple[str, ...] = ()
    span: Span | None = None
    ops: list[ir.Op] = field(default_factory=list)
    often: int = 1  # how often it is worked out at most, by the loops of expressions round it
    in_source: bool = False  # it is what a comprehension goes through: there nothing can be named on the way
    # what is known there
    namings: dict[int, Naming] = field(default_factory=dict)  # values that are named where they are first read
    bound: dict[int, int] = field(default_factory=dict)  # locals that an expression round it binds: under which name
    # what the operation that is being selected works out
    reads: list[Expr] = field(default_factory=list)
    order: tuple[Expr, ...] = ()  # what a statement reads first, whatever the order in its operations
    inside: int = 0  # expressions round the one that is being selected
    temporaries: int = 0
    # whole games
    routine: LoweredRoutine | None = None  # that is being selected
    finish: Callable[[ir.Value], None] | None = None  # writes the end of the game
    # stepwise play
    asked: list[tuple[int, str]] = field(default_factory=list)
    backs: dict[str, int] = field(default_factory=dict)  # of routines that ask: the local that keeps the way back
    phase: str = ""
    phase_slot: int | None = None  # where the phase is kept, if some routine asks
    loops: int = 0  # round it, in which the game can stop

    def __post_init__(self) -> None:
        self.program = self.lowerer.program
        self.players = self.lowerer.players
        self.limits = self.lowerer.limits
        self.bounds = NarrowedBounds(self.lowerer.known)

    # ------------------------------------------------------------ values

    def value(self, e: Expr) -> ir.Value:
        """An expression as a value."""
        with self.within(e):
            return self.expressions[type(e)](self, e)

    def part(self, e: Expr) -> ir.Value:
        """The same of an expression that stands for the one that is being selected."""
        return self.expressions[type(e)](self, e)

    @contextmanager
    def within(self, e: Expr) -> Iterator[None]:
        """Select an expression; one that stands in no other is noted as read."""
        if not self.inside:
            self.reads.append(e)
        self.inside += 1
        yield
        self.inside -= 1

    @contextmanager
    def looked_at(self) -> Iterator[None]:
        """Select what is only looked at, and read by nothing."""
        self.inside += 1
        yield
        self.inside -= 1

    @contextmanager
    def binding(self, slot: int, name: int | None = None) -> Iterator[None]:
        """Select what an expression that binds a local has inside of it; under the ``name`` of another."""
        self.bound[slot] = slot if name is None else name
        yield
        self.bound.pop(slot, None)

    @contextmanager
    def looping(self, times: int) -> Iterator[None]:
        """Select what is worked out so many times."""
        before, self.often = self.often, self.often * times
        yield
        self.often = before

    def fresh(self, name: str, like: Expr) -> int:
        """A slot for a local of selection's making, which holds what an expression comes to."""
        slot = self.lowerer.fresh(name, like.type)
        self.lowerer.known.let(slot, like)
        return slot

    def temporary(self) -> ir.Own:
        """A name for a value on the way."""
        self.temporaries += 1
        return ir.Own(f"t{self.temporaries}")

    def can_fail(self, e: Expr) -> bool:
        return self.bounds.can_fail(e)

    def constant(self, value: object) -> ir.Value:
        """A value that is known: lists are constants of the module."""
        return self.tables.constant(value) if isinstance(value, tuple) and value else ir.Const(value)

    def longest(self, source: Expr) -> int:
        """How many items a loop goes through at most."""
        lengths = self.lowerer.charges.lengths
        most = min(lengths.most(source), self._longest_of_parts(source))
        if most < GREATEST:
            return most
        item = source.type.item if isinstance(source.type, ListType) else None
        size, different = self.bounds.size(source), lengths.different(item)  # what the text alone does not tell
        return size if size <= (SHORT if different == GREATEST else max(SHORT, different)) else most

    def _longest_of_parts(self, source: Expr) -> int:
        """How many items a list has at most that is made of others, in which names are given."""
        match source:
            case LetIn(body=body):
                return self.longest(body)
            case core.Concat(source=lists, body=body):
                return min(self.longest(lists) * self.longest(body), GREATEST)
            case core.MapList(source=items) | core.Filter(source=items):
                return self.longest(items)
        return GREATEST

    # ------------------------------------------------------------ operations

    def place(self) -> ir.Provenance:
        """Where the next operation comes from, and what it reads."""
        reads, self.reads = (*self.order, *self.reads), []
        return ir.Provenance(self.span, self.trail, reads)

    def add(self, kind: type[ir.Op], *args: Any, **named: Any) -> None:
        self.ops.append(kind(self.place(), *args, **named))

    def set(self, target: ir.Value, value: ir.Value, op: str = "=") -> None:
        self.add(ir.Set, target, value, op, None)

    def let(self, slot: int, value: ir.Value) -> None:
        """A local gets a value."""
        self.set(ir.Local(slot), value)

    def do(self, value: ir.Value, build: str | None = None) -> None:
        self.add(ir.Do, value, build)

    def guard(self, test: ir.Value, kind: type[ir.Op], *args: Any) -> None:
        """One operation where a test holds."""
        place = self.place()
        self.ops.append(ir.Guard(place, test, kind(place, *args)))

    def tell(self, event: type[Event], **entries: ir.Value) -> None:
        """Log an event. Raises TypeError where the entries are not those of its class."""
        if self.events:
            made: Any = event  # its entries are values of the form, not yet those of the event
            self.add(ir.Tell, event.__name__, ir.Record(tuple(made(ir.Const(KINDS[event]), **entries))))

    @contextmanager
    def reading(self, *exprs: Expr | None) -> Iterator[None]:
        """Select the operations of a statement that reads these expressions in this order."""
        self.order = tuple(e for e in exprs if e is not None)
        yield
        self.order = ()

    @contextmanager
    def collected(self) -> Iterator[list[ir.Op]]:
        """Operations that go where the caller wants them."""
        before, self.ops, kept = self.ops, [], self.kept
        self.kept = None if kept is None else {}
        yield self.ops
        self.ops, self.kept = before, kept

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Select a list of options: what is the same for all of them is worked out before it begins."""
        before, self.kept = self.kept, {}
        yield
        self.kept = before

    def once(self, key: object, value: ir.Value) -> ir.Value:
        """A value that can't go wrong, under a name of its own where it is worked out once."""
        if self.kept is None:
            return value
        if key not in self.kept:
            self.kept[key] = self.temporary()
            reads, self.reads = self.reads, []
            self.set(self.kept[key], value)
            self.reads = reads
        return self.kept[key]

    @contextmanager
    def when(self, test: ir.Value, again: bool = False) -> Iterator[None]:
        """What is done where a test holds; ``again``: and none of the branch before it."""
        place = self.place()
        with self.collected() as ops:
            yield
        self._branch(ir.Branch(place, test, tuple(ops)), again)

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """What is done where no test of the branches before holds."""
        place = self.place()
        with self.collected() as ops:
            yield
        self._branch(ir.Branch(place, None, tuple(ops)), True)

    def _branch(self, branch: ir.Branch, again: bool) -> None:
        if again:
            first = self.ops.pop()
            assert isinstance(first, ir.When)
            self.ops.append(ir.When(first.place, (*first.branches, branch)))
        else:
            self.ops.append(ir.When(branch.place, (branch,)))

    @contextmanager
    def loop(self, target: ir.Value | None, source: ir.Value) -> Iterator[None]:
        place = self.place()
        self.noticed.clear()  # what holds at first need not hold in the next pass
        with self.collected() as ops:
            yield
        self.noticed.clear()
        self.ops.append(ir.Loop(place, target, source, tuple(ops)))

    @contextmanager
    def as_long_as(self, test: ir.Value) -> Iterator[None]:
        place = self.place()
        self.noticed.clear()
        with self.collected() as ops:
            yield
        self.noticed.clear()
        self.ops.append(ir.While(place, test, tuple(ops)))

    @contextmanager
    def function(self, role: str, name: str, params: tuple[int, ...] = ()) -> Iterator[None]:
        """Select a function of its own; its place among the others is that of its beginning."""
        number, span = len(self.functions), self.span
        self.functions.append(ir.Function(role, name, params, ()))
        self.span = None
        with self.collected() as ops:
            yield
        self.span = span
        self.functions[number] = ir.Function(role, name, params, tuple(ops))

    # ------------------------------------------------------------ statements

    def block(self, stmts: tuple[Stmt, ...]) -> None:
        before = dict(self.bounds.of)
        for s in stmts:
            self.statement(s)
        if self.forgets:
            self.bounds.of = before

    def statement(self, s: Stmt) -> None:
        before, self.span = self.span, s.span
        self.statements[type(s)](self, s)
        self.span = before

    def spend(self, charge: Any) -> None:
        """Count work."""
        if self.spends:
            self.add(ir.Spend, charge.work, charge.checked)

    def work_out(self, *exprs: Expr | None, build: str | None = None) -> None:
        """Expressions whose values a build has no use for, but that can go wrong. Of a text only what it is made of."""
        for e in exprs:
            if e is None or not self.can_fail(e):
                continue
            if isinstance(e, core.TextTemplate) and not goes_wrong(e, self.bounds):
                self.work_out(*core.children(e), build=build)
            else:
                self.do(self.value(e), build)

    def limit_scoring(self) -> None:
        """Make sure that finding out who won does not cost more than is allowed."""
        if self.lowerer.charges.scoring > self.limits.decision:
            self.span = self.program.scoring.rank[0].span
            self.over_limit("decision")

    def over_limit(self, limit: str) -> None:
        self.do(over_limit(limit))

    def frame(self, frame: tuple[tuple[int, Expr], ...]) -> ir.Frame:
        """The locals of a routine."""
        return ir.Frame(tuple((slot, self.value(e)) for slot, e in frame))


def over_limit(limit: str) -> ir.Value:
    return ir.Prim("over_limit", (ir.Const(limit),))


def place_at(s: Stmt, type: Type, name: str, indices: tuple[Expr, ...]) -> core.ReadCell:
    """A place that a statement writes to, as an expression: reading it fails where writing does."""
    return core.ReadCell(type, s.span, name, indices)
