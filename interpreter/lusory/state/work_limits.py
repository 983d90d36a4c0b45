"""Compute how much work the rules of a game may take. The numbers are the same on every engine.

The *work* of a statement is the number of nodes of its expressions. A called query counts with all of its nodes. The
body of a loop over a literal range (``1..20``) counts once for each number. The body of an outermost loop over
components counts once, and once more for each hundred components. The work depends on the program text alone. Engines
that share, skip or tabulate evaluations therefore still agree on it, and the state stores it.

A block is charged as a whole when it begins. The charge includes inner blocks that are sure to end soon: branches
without choices, loops over short lists of known length, and calls of such effects.

Lists whose length is only known during the game are not part of this number. Each engine limits them on its own by
counting *visits*: the items that loops in expressions visit between two decisions.

The idea comes from the cost estimates of the Common Expression Language, which Kubernetes uses to reject rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from lusory_dsl import core
from lusory_dsl.core import LOOPS, Const, Expr, Stmt
from lusory_dsl.core.provenance import COPY
from lusory_dsl.source.lazy_dataclass import dataclass, field
from lusory_dsl.types.builtins import RUNTIME
from lusory_dsl.types.types import ComponentType, EnumType, ListType, PlayerType, Type

from .phase_operations import Block, all_phases

GREATEST = 1 << 50  # larger amounts of work are cut off here
MOST = 1 << 40  # upper bound of every limit; generated code relies on it to skip overflow checks
HUNDRED = 100  # number of components that add one pass to the cost of an outermost loop


@dataclass(frozen=True)
class Limits:
    """Limit the work of a game.

    Attributes:
        decision: Work from one decision to the next, and before the first.
        game: Work of the whole game.
        visits: Items that loops in expressions visit from one decision to the next.
        options: Number of options of one decision.
    """

    decision: int = 4_000_000
    game: int = 1_000_000_000
    visits: int = 500_000
    options: int = 10_000

    def __post_init__(self) -> None:
        for name in ("decision", "game", "visits", "options"):
            if not 1 <= getattr(self, name) <= MOST:
                raise ValueError(f"the limit `{name}` is a number from 1 to {MOST:,}")


@dataclass
class Weights:
    """Compute the work of the expressions and statements of a program. Every result is at most ``GREATEST``."""

    program: core.Program
    players: int
    _queries: dict[tuple[str, bool], int] = field(default_factory=dict)
    _statements: dict[Stmt, int] = field(default_factory=dict)

    def of(self, e: Expr | core.TextTemplate | None, inner: bool = False) -> int:
        """Return the work of an expression. ``inner`` says whether it is inside a loop of another expression."""
        if e is None:
            return 0
        if isinstance(e, LOOPS):
            parts = sum(self.of(part, True) for part in core.children(e) if part is not e.source)
            return least(self.of(e.source, inner) + self.passes(e.source, inner) * (1 + parts))
        if isinstance(e, core.CallQuery):
            return least(self.query(e.query, inner) + sum(self.of(a, inner) for a in e.args))
        if isinstance(e, core.Range):
            return least(self.passes(e, inner))
        return least(1 + sum(self.of(part, inner) for part in core.children(e)))

    def all(self, es: Iterable[Expr | None]) -> int:
        return least(sum(self.of(e) for e in es))

    def query(self, name: str, inner: bool) -> int:
        """Return the work of a query, including the rules that modify it."""
        key = name, inner
        if key not in self._queries:
            query = self.program.queries[name]
            changes = sum(self.of(m.condition, inner) + self.of(m.value, inner) for m in query.modifiers)
            self._queries[key] = least(1 + self.of(query.value, inner) + changes)
        return self._queries[key]

    def passes(self, source: Expr, inner: bool = False) -> int:
        """Return the number of passes that a loop over ``source`` is charged for.

        A range with constant ends counts its length, at least 1. Other sources count 1, and 1 more for every 100
        components of
        the kind, unless ``inner`` says that the loop is inside a loop of another expression. Filters and sorting
        don't count.
        """
        while isinstance(source, core.Filter | core.Extreme | core.Distinct | core.Sorted | core.Leading):
            source = source.source
        match source:
            case core.Range(low=Const(value=int() as low), high=Const(value=int() as high)):
                return max(1, high - low + 1)
        item = source.type.item if isinstance(source.type, ListType) else None
        if inner or not isinstance(item, ComponentType):
            return 1
        return 1 + self.program.component_kinds[item.name][1] // HUNDRED

    # ------------------------------------------------------------ statements

    def statement(self, s: Stmt) -> int:
        """Return the work of a statement, without that of the blocks inside it."""
        if s not in self._statements:
            self._statements[s] = self._statement(s)
        return self._statements[s]

    def _statement(self, s: Stmt) -> int:
        match s:
            case core.Ask():
                tests = sum(self.all(a.conditions) + self.combinations(a.vars) for a in s.alternatives)
                return least(1 + self.of(s.chooser) + tests)
            case core.AskMany():
                tests = self.passes(s.source) * (1 + self.of(s.condition, True))
                return least(1 + self.all((s.chooser, s.source, s.low, s.high)) + tests)
            case _ if (through := core.gone_through(s)) is not None:
                return least(
                    1 + self.of(through.source) + self.passes(through.source) * self.of(through.condition, True)
                )
            case core.If():
                return least(1 + self.all(condition for condition, _ in s.branches))
            case core.CallEffect():
                effect = self.program.effects[s.effect]
                rules = (rule.condition for rule in core.rules_of(effect))
                return least(CALL + self.all((*s.args, *rules)))
        return least(1 + self.all(part for part in core.children(s) if isinstance(part, Expr)))

    def combinations(self, variables: tuple[core.ChoiceVar, ...], inner: bool = False) -> int:
        """Return the work of enumerating all combinations of values: one nested loop for each variable."""
        if not variables:
            return 1
        first, *rest = variables
        each = 1 + self.of(first.condition, True) + self.combinations(tuple(rest), True)
        return least(self.of(first.domain, inner) + self.passes(first.domain, inner) * each)


def _copied(effect: core.Effect) -> object:
    """Return a key that is equal for an effect and its copies.

    An effect that an author wrote has its name as key. The key of a copy is what was copied; else it is the origin.
    """
    origin = effect.origin
    if origin.is_written:
        return effect.name
    return origin.of if origin.part == COPY else origin


def least(work: int) -> int:
    return min(work, GREATEST)


# ---------------------------------------------------------------- charges

CALL = 5  # work to prepare the call of an effect
PASS = 3  # work of each pass of a loop
LISTS_MADE = "lists_made"
SHORT = 100  # largest number of passes of a loop that is charged as a whole
BROUGHT = 20_000  # largest work of inner blocks that are charged in advance: more of it might never run
CHECKED = 1_000  # a charge above this amount triggers a check of the limit


@dataclass(frozen=True)
class Charge:
    """Hold the cost of a block, which is charged when it begins. ``checked`` says whether to check the limit then."""

    work: int
    checked: bool


class Charges:
    """Compute what each block of a program is charged, for a number of players.

    Attributes:
        tests: Phase id -> the charge for each test of its condition.
        passes: Phase id -> the charge for each test of its repetition.
        entered: First statement of a block -> the charge of that block. It holds only the phases and effects that
            :meth:`enter_phase` and :meth:`enter_effect` were called for.
    """

    def __init__(self, program: core.Program, players: int, most_at_once: int = GREATEST) -> None:
        """Prepare the charges of phases.

        A block that is sure to take more work than ``most_at_once`` is charged all of that work in advance.
        """
        self.program = program
        self.players = players
        self.most_at_once = most_at_once
        self.weights = Weights(program, players)
        self.lengths = Lengths(program, players)
        self.entered: dict[Stmt, Charge] = {}
        self.tests: dict[str, Charge] = {}
        self.passes: dict[str, Charge] = {}
        self._short: dict[str, int | None] = {}
        self._shorts: dict[Block, int | None] = {}
        self._effects: dict[str, int] = {}
        self._sure: dict[str, int] = {}
        self._leaving: dict[str, bool] = {}
        self._phases: set[str] = set()
        self._entered: set[str] = set()
        for phase in all_phases(program):
            if phase.condition is not None:
                self.tests[phase.id] = Charge(1 + self.weights.of(phase.condition), False)
            if phase.repeat is not None:
                self.passes[phase.id] = Charge(1 + self.weights.of(phase.repeat), True)

    @cached_property
    def scoring(self) -> int:
        """Return the work of determining the outcome."""
        scoring = self.program.scoring
        shown = (e for _, e in scoring.shown)
        return least(self.players * self.weights.all((*scoring.rank, scoring.payoff, *shown)))

    @cached_property
    def blocks(self) -> dict[Stmt, Charge]:
        """Return all charges of the program, by the first statement of the block."""
        for phase in all_phases(self.program):
            self.enter_phase(phase)
        for effect in self.program.effects.values():
            self.enter_effect(effect)
        return self.entered

    def enter_phase(self, phase: core.Phase) -> None:
        """Compute the charges of the blocks of a phase, unless they are known already."""
        if phase.id not in self._phases:
            self._phases.add(phase.id)
            self._enter(phase.body)

    def enter_effect(self, effect: core.Effect) -> None:
        """Compute the charges of the blocks of an effect and of its rules, unless they are known already.

        Copies of an effect share statements, and the last copy determines the charge. Therefore all copies are computed
        at once.
        """
        if effect.name not in self._entered:
            for one in self._copies[_copied(effect)]:
                self._entered.add(one.name)
                if self.short_effect(one) is None:
                    for body in core.bodies_of(one):
                        self._enter(body)

    @cached_property
    def _copies(self) -> dict[object, list[core.Effect]]:
        """Group each effect with the copies that compiler passes have made of it."""
        found: dict[object, list[core.Effect]] = {}
        for effect in self.program.effects.values():
            found.setdefault(_copied(effect), []).append(effect)
        return found

    def _enter(self, block: Block, more: int = 0, loops: bool = False) -> None:
        """Record the charge of a block that is charged on its own. ``more`` is added to the work of its statements."""
        work = more
        for s in block:
            work += self.weights.statement(s) + self._inside(s)
        if block:
            sure = self.surely(block)
            work = least(sure if sure > self.most_at_once else work)
            self.entered[block[0]] = Charge(work, loops or work > CHECKED)

    def _inside(self, s: Stmt) -> int:
        """Return the work of the inner blocks that are charged with the statement.

        Record the charges of its other blocks.
        """
        if isinstance(s, core.Ask):
            for block in core.blocks(s):
                self._enter(block)
            return 0
        if isinstance(s, core.ForEach | core.Repeat):
            work = self.short((s,))
            if work is None:
                again = self.weights.of(s.condition) if isinstance(s, core.Repeat) else 0
                self._enter(s.body, PASS + again, loops=True)
                return 0
            return work - self.weights.statement(s)
        if isinstance(s, core.CallEffect):
            return self.short_effect(self.program.effects[s.effect]) or 0
        total = 0
        for block in core.blocks(s):
            work = self.short(block)
            if work is None:
                self._enter(block)
            else:
                total += work
        return least(total)

    def short(self, block: Block) -> int | None:
        """Return the work of a block that is sure to end soon and never asks, or None for any other block."""
        if block not in self._shorts:
            self._shorts[block] = self._short_block(block)
        return self._shorts[block]

    def _short_block(self, block: Block) -> int | None:
        total = 0
        for s in block:
            if core.does(s) & core.Does.ASKS:
                return None
            inside = [self.short(inner) for inner in core.blocks(s)]
            if isinstance(s, core.CallEffect):
                inside = [self.short_effect(self.program.effects[s.effect])]
            passes = 1
            if core.row(type(s)).passes:
                passes = self.lengths.passes(s)
            if passes > SHORT or None in inside or (isinstance(s, core.Repeat) and s.times is None):
                return None
            brought = passes * sum(work or 0 for work in inside)
            if brought > BROUGHT:
                return None
            total += self.weights.statement(s) + brought
        return least(total)

    def short_effect(self, effect: core.Effect) -> int | None:
        """Return the work of an effect with its rules, or None.

        It is None unless all of their blocks are sure to end soon without a choice.
        """
        if effect.name not in self._short:
            works = [self.short(body) for body in core.bodies_of(effect)]
            self._short[effect.name] = None if None in works else least(sum(work or 0 for work in works))
        return self._short[effect.name]

    def surely(self, block: Block) -> int:
        """Return a lower bound of the work of a block."""
        total = 0
        for s in block:
            if self.may_leave(s):
                break
            total += self.weights.statement(s)
            if isinstance(s, core.CallEffect):
                total += self._surely_of_effect(self.program.effects[s.effect])
            elif isinstance(s, core.ForEach | core.Repeat) and s.condition is None:
                passes = self.lengths.passes(s)
                known = isinstance(s, core.Repeat) or isinstance(s.source, Const | core.Players)
                total += passes * self.surely(s.body) if known and passes < GREATEST else 0
            elif isinstance(s, core.If):
                total += min(map(self.surely, core.blocks(s)))
        return least(total)

    def may_leave(self, s: Stmt) -> bool:
        """Return whether a statement, or an effect that it calls, may ask, leave a loop or end the game."""
        for node in core.statements_in((s,)):
            if core.does(node):
                return True
            if isinstance(node, core.CallEffect):
                if node.effect not in self._leaving:
                    effect = self.program.effects[node.effect]
                    parts = (inner for body in core.bodies_of(effect) for inner in body)
                    self._leaving[node.effect] = any(map(self.may_leave, parts))
                if self._leaving[node.effect]:
                    return True
        return False

    def _surely_of_effect(self, effect: core.Effect) -> int:
        if effect.name not in self._sure:
            self._sure[effect.name] = 0 if effect.instead else self.surely(effect.body)
        return self._sure[effect.name]

    # ------------------------------------------------------------ whole games

    @cached_property
    def most(self) -> int:
        """Return an upper bound of the work of a whole game, or ``GREATEST`` if no bound is known."""
        return least(sum(self._phase(phase) for phase in (self.program.setup, *self.program.phases)))

    def _phase(self, phase: core.Phase) -> int:
        once = self._most(phase.body) + sum(self._phase(child) for child in phase.children)
        work = self.tests[phase.id].work if phase.id in self.tests else 0
        if phase.repeat is None:
            return least(work + once)
        return least(work + (phase.bound + 1) * (self.passes[phase.id].work + once))

    def _most(self, block: Block) -> int:
        total = 0
        for s in block:
            inside = sum(self._most(inner) for inner in core.blocks(s))
            if isinstance(s, core.CallEffect):
                inside = self._most_of_effect(self.program.effects[s.effect])
            elif isinstance(s, core.ForEach | core.Repeat):
                again = self.weights.of(s.condition) if isinstance(s, core.Repeat) else 0
                inside = self.lengths.passes(s) * (1 + again + inside)
            total += self.weights.statement(s) + inside
        return least(total)

    def _most_of_effect(self, effect: core.Effect) -> int:
        if effect.name not in self._effects:
            self._effects[effect.name] = least(sum(self._most(body) for body in core.bodies_of(effect)))
        return self._effects[effect.name]


class Lengths:
    """Compute upper bounds for the length of lists, as far as the program text allows."""

    def __init__(self, program: core.Program, players: int) -> None:
        self.program = program
        self.players = players

    def passes(self, loop: Stmt) -> int:
        """Return the largest number of passes of a loop, or ``GREATEST`` if it is unknown."""
        given = (getattr(loop, name) for name in core.row(type(loop)).passes)
        limit = next(limit for limit in given if limit is not None)
        if isinstance(limit.type, ListType):
            return self.most(limit)
        return max(limit.value, 0) if isinstance(limit, Const) and isinstance(limit.value, int) else GREATEST

    def most(self, source: Expr) -> int:
        """Return the largest number of items of a list, or ``GREATEST`` if it is unknown."""
        match source:
            case Const(value=tuple() as items):
                return len(items)
            case core.Players():
                return self.players
            case core.ListLit(items=items):
                return len(items)
            case core.PoolKinds(zone=pool):
                return len(self.program.pools[pool].kinds)
            case core.TableRead(table=table):
                return deepest(self.program.table(table).values)
            case core.Filter() | core.MapList() | core.Extreme() | core.Distinct() | core.Sorted() | core.Leading():
                return self.most(source.source)
            case core.Region():
                return self.most(source.among)
            case core.Reach(target=None):
                return self.most(source.source)
            case core.Concat(source=inner, body=body):
                return least(self.most(inner) * self.most(body))
            case core.Named(body=body):
                return self.most(body)
            case core.CallBuiltin(name=name, args=args) if (size := RUNTIME[name].size) is not None:
                return least(int(size(_Call(self, args))[1]))
            case core.IfExpr(then=then, otherwise=otherwise):
                return max(self.most(then), self.most(otherwise))
            case core.Binary(op="union" | "join", left=left, right=right):
                return least(self.most(left) + self.most(right))
            case core.Binary(op="intersect" | "except", left=left):
                return self.most(left)
            case core.Range(low=Const(value=int() as low), high=Const(value=int() as high)):
                return max(high - low + 1, 0)
        item = source.type.item if isinstance(source.type, ListType) else None
        if isinstance(source, core.ReadZone) or not self.repeats:
            return self.different(item)
        return GREATEST

    def different(self, item: Type | None) -> int:
        """Return the number of different items that a list can have, or ``GREATEST`` if it is unknown."""
        match item:
            case ComponentType(name=name):
                return self.program.component_kinds[name][1]
            case EnumType(name=name):
                return len(self.program.enums[name].values)
            case PlayerType():
                return self.players
        return GREATEST

    def short(self, source: Expr) -> bool:
        return self.most(source) <= SHORT

    @cached_property
    def repeats(self) -> bool:
        """Return whether a list of components, enum values or players may contain an item more than once."""
        # Assume that no list repeats items while the lists of the program are measured, to end the recursion.
        self.__dict__["repeats"] = False
        joins, sources = lists_made(self.program)
        return joins or any(self.most(source) > SHORT for source in sources)


def lists_made(program: core.Program) -> tuple[bool, tuple[core.Range, ...]]:
    """Return whether the program joins lists anywhere, and the number ranges that it maps to other lists.

    The result is cached in the ``__dict__`` of the program, because it takes a walk over all expressions.
    """
    kept = program.__dict__
    if LISTS_MADE not in kept:
        nodes = [node for root in expressions_of(program) for node in core.walk(root)]
        joins = any(isinstance(node, core.Binary) and node.op == "join" for node in nodes)
        sources = (node.source for node in nodes if isinstance(node, core.MapList))
        kept[LISTS_MADE] = joins, tuple(source for source in sources if isinstance(source, core.Range))
    found: tuple[bool, tuple[core.Range, ...]] = kept[LISTS_MADE]
    return found


@dataclass(frozen=True, eq=False)
class _Call:
    """Answer the questions of a built-in's size rule about one call. It knows sizes of lists, but no numbers.

    It stands in for :class:`lusory_dsl.types.builtins.Given`.
    """

    known: Lengths
    args: tuple[Expr, ...]

    @property
    def players(self) -> tuple[int, int]:
        return self.known.players, self.known.players

    def number(self, argument: int) -> tuple[int, int]:
        return -GREATEST, GREATEST

    def size(self, argument: int) -> tuple[int, int]:
        return 0, self.known.most(self.args[argument])

    def characters(self, argument: int) -> int:
        return GREATEST


def expressions_of(program: core.Program) -> Iterator[core.Stmt | Expr]:
    """Yield all statements, and all expressions outside statements, that a game can execute or evaluate."""
    for phase in all_phases(program):
        yield from (e for e in (phase.condition, phase.repeat) if e is not None)
        yield from phase.body
    for effect in program.effects.values():
        for body in core.bodies_of(effect):
            yield from body
        yield from (r.condition for r in core.rules_of(effect) if r.condition is not None)
    for query in program.queries.values():
        yield query.value
        for modifier in query.modifiers:
            yield from (modifier.condition, modifier.value)


def deepest(values: object) -> int:
    """Return the length of the longest tuple in nested tuples, or 0 for any other value."""
    if not isinstance(values, tuple):
        return 0
    return max(len(values), max(map(deepest, values), default=0))
