"""Constants of the lowered language: what an expression comes to that reads nothing of a game. Used by lowering.

The evaluator works them out, so that both engines mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple, NoReturn

from lusory_dsl import core
from lusory_dsl.core import LOOPS, Binary, Const, Expr, IfExpr, Local, Stmt, children
from lusory_dsl.core.information_flow import knowledge_of
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import ComponentType, EnumType, Type

from ...evaluator.expressions import Reader
from ...state.phases import all_phases
from ...state.setting import Setting, Value
from .lowered_nodes import LetIn, Lookup, LoweredRoutine, Rows, Spend, count_uses, shape
from .range_analysis import Knowledge, Reach

PLAIN = (
    core.Binary
    | core.Unary
    | core.ListLit
    | core.Range
    | core.TableRead
    | core.Field
    | core.CallBuiltin
    | Lookup
    | Rows
    | core.Region
)
EFFORT = 50_000  # nodes to go through for one constant or table
WORTHWHILE = 4  # nodes of an expression for which a table is made
LENGTH = 16  # of a list inside a loop, as a guess
LONGEST = 64  # range that is written out


@lru_cache(maxsize=4)
def _tables(program: core.Program, players: int) -> dict[object, tuple[Value, ...] | None]:
    """The tables made so far, by what they are tables of. What is lowered reads no options any more, so games that
    differ in them only share these."""
    return {}


class _Unsettled(Exception):
    """The expression goes wrong; it shall do so while the game is played, with its place."""


class Constants(Reader):
    """Reads expressions that need no position."""

    expressions = (*core.EXPRESSIONS, Lookup, Rows)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, [], [])
        self._tables = _tables(setting.program, setting.players)

    def fault(self, message: str, span: Span) -> NoReturn:
        raise _Unsettled

    def eval_Lookup(self, expr: Lookup, slots: Any) -> Value:
        return expr.values[self.value(expr.of, slots)]

    def eval_Rows(self, expr: Rows, slots: Any) -> Value:
        entry: Any = expr.values
        for index, low in zip(expr.indices, expr.lows, strict=True):
            entry = entry[self.value(index, slots) - low]
        return entry

    def fold(self, e: Expr) -> Expr:
        """A constant where everything in an expression is known and nothing goes wrong, a table where everything but
        one local is; else ``e``."""
        if not isinstance(e, LOOPS | PLAIN):
            return e
        free: dict[int, Local] = {}
        effort = _effort(e, frozenset(), free)
        if not effort <= EFFORT:
            return e
        if not free:
            slots: Any = {}
            try:
                return Const(e.type, e.span, self.value(e, slots))
            except _Unsettled:
                return e
        (local, *others) = free.values()
        if others or effort < WORTHWHILE:
            return e
        domain = self.domain(local.type)
        if not domain or effort * len(domain) > EFFORT:
            return e
        key = local.type, shape(e, local.slot)
        if key not in self._tables:
            self._tables[key] = self.table(e, local.slot, domain)
        values = self._tables[key]
        return e if values is None else Lookup(e.type, e.span, local, values)

    def table(self, e: Expr, slot: int, domain: list[int]) -> tuple[Value, ...] | None:
        """The value of an expression for each value of a local; None where it goes wrong for any of them."""
        values: list[Value] = [None] * (domain[-1] + 1)
        slots: Any = {}
        try:
            for item in domain:
                slots[slot] = item
                values[item] = self.value(e, slots)
        except _Unsettled:
            return None
        return tuple(values)

    def domain(self, type: Type) -> list[int]:
        """The values of a type, ascending, if a table can have a row for each."""
        if isinstance(type, EnumType):
            return list(range(len(self.program.enums[type.name].values)))
        if isinstance(type, ComponentType):
            return [n for n, entity in enumerate(self.program.entities) if entity.kind == type.name]
        return []


def _effort(e: Expr, bound: frozenset[int], free: dict[int, Local]) -> float:
    """About how many nodes it takes to work an expression out; infinite where it reads the state of a game.
    ``bound``: the locals of the loops round it; other locals that it reads are added to ``free``."""
    match e:
        case Const():
            return 1
        case Local(slot=slot):
            if slot not in bound:
                free[slot] = e
            return 1
        case core.Range(low=Const(value=int(low)), high=Const(value=int(high))) if high - low >= LONGEST:
            return inf
        case _ if isinstance(e, LOOPS):
            source, *inside = children(e)
            length = len(source.value) if isinstance(source, Const) and isinstance(source.value, tuple) else LENGTH
            total = _effort(source, bound, free)
            for part in inside:
                effort = _effort(part, bound | {e.slot}, free)
                total += length * effort if length else 0  # 0 times without bound would be no number
            return total
        case core.Binary() | core.Unary() | core.ListLit() | core.Range() | core.TableRead() | IfExpr():
            pass
        case core.Field() | core.CallBuiltin() | core.Region() | Lookup() | Rows():
            pass
        case _:
            return inf
    total = 1.0
    for part in children(e):
        total += _effort(part, bound, free)
        if total == inf:
            break
    return total


SHARE_SIZE = 150  # nodes of the core language
SHARE_USES = 2  # places in the ruleset
SHARE_DEPTH = 8  # blocks inside blocks (Python allows 20 loops in one another)
SHARE_NESTING = 40  # expressions inside expressions (Python allows 200 brackets in one another)

Key = tuple[str, str]  # ("effect" | "query", name)


def shared_routines(program: core.Program) -> frozenset[Key]:
    """The effects and queries of a program that are not written out where they are used."""
    return _found(program, SHARE_SIZE, SHARE_USES, SHARE_DEPTH, SHARE_NESTING)


@lru_cache(maxsize=4)
def _found(program: core.Program, *limits: int) -> frozenset[Key]:
    """What is found does not depend on players and options: games of one program need it once."""
    return _Sharing(program).found


class _Size(NamedTuple):
    """How much is written out: nodes, blocks in one another, expressions in one another."""

    nodes: int = 1
    depth: int = 0
    nesting: int = 0


class _Sharing:
    """Sizes and uses, from the routines that use nothing upwards (nothing recurses)."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.uses: dict[Key, int] = {}
        self.sizes: dict[Key, _Size] = {}
        keys: list[Key] = [*(("effect", e) for e in program.effects), *(("query", q) for q in program.queries)]
        for key in keys:
            for part in self._parts(key):
                self._count(part, 1)
        for phase in all_phases(program):
            for node in (phase.condition, phase.repeat, *phase.body):
                self._count(node, 1)
        scoring = program.scoring
        for e in (*scoring.rank, scoring.payoff, *(e for _, e in scoring.shown), program.advice.value):
            self._count(e, 2)  # for each player
        for key in keys:
            self._measured(key)
        self.found = frozenset(key for key, size in self.sizes.items() if self._too_large(key, size))

    def _parts(self, key: Key) -> Iterator[Expr | Stmt]:
        """What is written out for a use: the routine and the rules that answer to it."""
        kind, name = key
        if kind == "query":
            query = self.program.queries[name]
            yield query.value
            for modifier in query.modifiers:
                for _ in modifier.copies or (None,):
                    yield modifier.condition
                    yield modifier.value
            return
        effect = self.program.effects[name]
        yield from effect.body
        for rule in core.rules_of(effect):
            if rule.condition is not None:
                yield rule.condition
            yield from rule.body

    def _count(self, node: object, times: int) -> None:
        if node is None:
            return
        key = _called(node)
        if key is not None:
            self.uses[key] = self.uses.get(key, 0) + times
        for child in children(node):
            self._count(child, times)

    def _measured(self, key: Key) -> _Size:
        """The size of one use of a routine."""
        if key not in self.sizes:
            self.sizes[key] = _together([self._size(part) for part in self._parts(key)])
        size = self.sizes[key]
        return _Size() if self._too_large(key, size) else size

    def _too_large(self, key: Key, size: _Size) -> bool:
        is_large = size.nodes > SHARE_SIZE and self.uses.get(key, 0) >= SHARE_USES
        return is_large or size.depth > SHARE_DEPTH or (key[0] == "query" and size.nesting > SHARE_NESTING)

    def _size(self, node: object) -> _Size:
        size = _together([self._size(child) for child in children(node)])
        key = _called(node)
        if key is not None:
            inner = self._measured(key)
            deepest = max(size.depth, inner.depth), max(size.nesting, inner.nesting) + 1
            return _Size(size.nodes + inner.nodes, *deepest)
        is_block = isinstance(node, Stmt) and bool(core.blocks(node))
        is_block = is_block and not isinstance(node, core.DoByCard)  # becomes tests in pairs, of which few are nested
        return _Size(size.nodes, size.depth + is_block, size.nesting + 1 if isinstance(node, Expr) else 0)


def _together(sizes: list[_Size]) -> _Size:
    """A node that holds others of these sizes, but for what it adds to the depth."""
    nodes = 1 + sum(size.nodes for size in sizes)
    return _Size(nodes, max((s.depth for s in sizes), default=0), max((s.nesting for s in sizes), default=0))


def _called(node: object) -> Key | None:
    if isinstance(node, core.CallEffect):
        return "effect", node.effect
    if isinstance(node, core.CallQuery):
        return "query", node.query
    return None


Env = Mapping[int, Expr]
"""What stands for the locals of the program, or of what is lowered once more."""
Scope = dict[int, Expr]
"""The same in a block: the names that its statements bind are added."""
ExpressionForm = Callable[["Lowerer", Any, Env], Expr]
StatementForm = Callable[["Lowerer", Any, Scope], Sequence[Stmt]]

NO_SPAN: Any = None
COPIES = 60  # of one expression, by loops in loops that are written out


@dataclass(frozen=True)
class LoweringForms:
    """What is made of each class of node: the table that lowering goes by."""

    expressions: Mapping[type[Expr], ExpressionForm]
    statements: Mapping[type[Stmt], StatementForm]


@dataclass(eq=False)
class Lowerer:
    """What is constant for one build, what is known, and what was made so far. ``any_options``: options are not
    constant; ``names``, ``types``: of all locals that were made, by slot."""

    setting: Setting
    reach: Reach
    forms: LoweringForms
    any_options: bool = False
    names: dict[int, str] = field(default_factory=dict)
    types: dict[int, Type] = field(default_factory=dict)
    routines: dict[Key, LoweredRoutine] = field(default_factory=dict)
    padded: dict[object, object] = field(default_factory=dict)  # rows of open tables, by table and ends
    copies: int = 1  # of what is being written, by loops round it that are written out

    def __post_init__(self) -> None:
        setting = self.setting
        self.program, self.players = setting.program, setting.players
        self.charges, self.limits = setting.charges, setting.limits
        self.options = {} if self.any_options else setting.options
        self.known = Knowledge(setting, self.reach)
        self.constants = Constants(setting)
        self.shared = shared_routines(setting.program)
        self.tellers = {teller: n for n, teller in enumerate(knowledge_of(setting.program).tellers)}

    # ------------------------------------------------------------ parts

    def expr(self, e: Expr, env: Env) -> Expr:
        """Lower an expression. Slots that ``env`` doesn't know stay as they are (already lowered)."""
        return self.forms.expressions[type(e)](self, e, env)

    def maybe(self, e: Expr | None, env: Env) -> Expr | None:
        return None if e is None else self.expr(e, env)

    def exprs(self, es: tuple[Expr, ...], env: Env) -> tuple[Expr, ...]:
        return tuple(self.expr(e, env) for e in es)

    def text(self, t: core.TextTemplate, env: Env) -> core.TextTemplate:
        return core.TextTemplate(t.type, t.span, tuple(p if isinstance(p, str) else self.expr(p, env) for p in t.parts))

    def stmt(self, s: Stmt, env: Scope) -> Sequence[Stmt]:
        """Lower a statement; what it binds is added to ``env``."""
        return self.forms.statements[type(s)](self, s, env)

    def block(self, stmts: tuple[Stmt, ...], env: Env) -> tuple[Stmt, ...]:
        """Lower a block; names bound in it live to its end."""
        inner = dict(env)
        out: list[Stmt] = []
        if stmts and (charge := self.charges.blocks.get(stmts[0])) is not None:
            out.append(Spend(stmts[0].span, charge.work, charge.checked))
        for s in stmts:
            for lowered in self.stmt(s, inner):
                last = out[-1] if out else None
                if isinstance(lowered, Spend) and isinstance(last, Spend):  # nothing lies between them
                    out[-1] = Spend(last.span, last.work + lowered.work, last.checked or lowered.checked)
                else:
                    out.append(lowered)
        return tuple(out)

    def frame(self, frame: tuple[tuple[int, Expr], ...], env: Env) -> tuple[tuple[int, Expr], ...]:
        """Where the locals of a routine went."""
        return tuple((slot, self.expr(e, env)) for slot, e in frame)

    def substitute(self, e: Expr, slot: int, value: object, type_: Type) -> Expr:
        """A lowered expression with a constant for one of its locals, folded again."""
        return self.expr(e, {slot: Const(type_, e.span, value)})

    # ------------------------------------------------------------ locals

    def fresh(self, name: str, type: Type) -> int:
        """A slot of its own."""
        slot = len(self.names) + 1
        self.names[slot], self.types[slot] = name, type
        return slot

    def bind(self, slot: int, name: str, type_: Type, span: Any, env: Scope) -> int:
        """A fresh slot for what is bound here."""
        new = self.fresh(name, type_)
        env[slot] = Local(type_, span, new, name)
        return new

    def parameters(self, params: tuple[core.Param, ...], key: Key) -> tuple[tuple[int, ...], Scope]:
        """Fresh slots for the parameters of a routine."""
        slots = tuple(self.fresh(p.name, p.type) for p in params)
        for param, slot in zip(params, slots, strict=True):
            self.known.take(slot, (*key, param.slot))
        return slots, {p.slot: Local(p.type, NO_SPAN, slot, p.name) for p, slot in zip(params, slots, strict=True)}

    # ------------------------------------------------------------ what is known

    def folded(self, e: Expr) -> Expr:
        """The expression, or the constant that it is."""
        return self.constants.fold(e)

    def can_fail(self, e: Expr) -> bool:
        return self.known.can_fail(e)

    def reads_first(self, e: Expr, slot: int) -> bool:
        """Whether reading a local is the first thing in an expression that can go wrong, and happens for certain."""
        if isinstance(e, Local):
            return e.slot == slot
        if isinstance(e, LetIn):
            return self.reads_first(e.value, slot)
        for part in children(e)[: 1 if isinstance(e, IfExpr | LOOPS) else None]:
            if count_uses(part, slot):
                return self.reads_first(part, slot)
            if self.can_fail(part) or (isinstance(e, Binary) and e.op in ("and", "or")):
                return False
        return False

    # ------------------------------------------------------------ copies

    def may_write_out(self, items: int, copies: int = COPIES) -> bool:
        """Whether something may be written out for each of so many items, and so often at most: loops in loops would
        else make any amount of text."""
        return self.copies * items <= copies

    @contextmanager
    def writing_out(self, items: int) -> Iterator[None]:
        """Write a body for each of so many items: what is inside of it stands there as often."""
        before, self.copies = self.copies, self.copies * max(items, 1)
        yield
        self.copies = before
