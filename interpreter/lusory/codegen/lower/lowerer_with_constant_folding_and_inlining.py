"""Hold the state of lowering, and decide what becomes a constant and what becomes a shared routine.

- :class:`Constants` folds expressions that need no position. It uses the evaluator, so that constants have the same
  value in the interpreter and in compiled code.
- :func:`_find_shared_routines` finds the effects and queries that are too large to inline.
- :class:`Lowerer` dispatches each node to the function that lowers it, and keeps names, types and routines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple, NoReturn

from lusory_dsl import core
from lusory_dsl.core import Binary, Const, Expr, IfExpr, ListLoop, Local, Stmt, compute_structural_key, get_children
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import INT, ComponentType, EnumType, ListType, Type

from ...evaluator.expressions import Reader
from ...state.flattened_phases import iterate_phases
from ...state.setting_value_limits_builtins_and_names import Setting, Value
from .expression_ranges import GameRanges, Knowledge
from .lowered_nodes_and_common_subexpressions import LetIn, Lookup, LoweredRoutine, Rows, Spend, count_uses

FOLDABLE = (
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
# The largest number of nodes to evaluate for one constant or lookup table.
MAX_EFFORT = 50_000
# The smallest number of nodes for which a lookup table pays.
MIN_TABLE_EFFORT = 4
# The assumed length of a list that is not constant.
ASSUMED_LENGTH = 16
# Constant ranges with more numbers than this are not folded.
MAX_FOLDED_RANGE = 64


@lru_cache(maxsize=4)
def _get_table_cache(program: core.Program, players: int) -> dict[object, tuple[Value, ...] | None]:
    """Return the cache of the lookup tables of a program: (type, shape of the expression) -> values.

    Lowered expressions no longer read options. So games that differ only in their options share the tables.
    """
    return {}


class _FoldingFault(Exception):
    """Signal that an expression has a fault.

    It is not folded, so that the fault occurs in the game, with its source span.
    """


class LoweredReader(Reader):
    """Evaluate expressions with lookup tables. A lowered table has a value for each value of its indices."""

    expressions = (*core.EXPRESSIONS, Lookup, Rows)

    def eval_Lookup(self, expr: Lookup, slots: Any) -> Value:
        return expr.values[self.require(expr.key, slots)]

    def eval_Rows(self, expr: Rows, slots: Any) -> Value:
        entry: Any = expr.values
        for index, low in zip(expr.indices, expr.lows, strict=True):
            entry = entry[self.require(index, slots) - low]
        return entry


class Constants(LoweredReader):
    """Evaluate expressions that read no position, and fold them to constants or lookup tables."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, [], [])
        self._tables = _get_table_cache(setting.program, setting.players)

    def fail(self, message: str, span: Span) -> NoReturn:
        """Raise ``_FoldingFault``, so that the expression is not folded."""
        raise _FoldingFault

    def fold(self, expr: Expr) -> Expr:
        """Return a constant or a lookup table for an expression, or ``expr`` itself.

        Only a ListLoop or a :data:`FOLDABLE` expression that reads nothing of a game's state is folded. The result is a
        constant if ``expr`` has no free locals and no fault. It is a :class:`Lookup` if ``expr`` depends on one local
        of an enum or component type, without a fault for any of its values. Its ``values`` are indexed by the local,
        with None at numbers that its type doesn't have. ``expr`` stays if the constant or the whole table would visit
        more than :data:`MAX_EFFORT` nodes, by an estimate in which a loop visits its nodes once for each item. With a
        local, it also stays below :data:`MIN_TABLE_EFFORT` (4) visits for one value. An ``expr`` with a constant range
        of more than :data:`MAX_FOLDED_RANGE` numbers stays, too. Example: ``2 * 3`` becomes ``6``. ``cost[card] + 1``
        visits 4 nodes and becomes a lookup by ``card``.
        """
        if not isinstance(expr, ListLoop | FOLDABLE):
            return expr
        free_locals: dict[int, Local] = {}
        effort = _estimate_effort(expr, frozenset(), free_locals)
        if not effort <= MAX_EFFORT:
            return expr
        if not free_locals:
            slots: Any = {}
            try:
                return Const(expr.type, expr.span, self.evaluate(expr, slots))
            except _FoldingFault:
                return expr
        (local, *other_locals) = free_locals.values()
        if other_locals or effort < MIN_TABLE_EFFORT:
            return expr
        domain = self._list_values(local.type)
        if not domain or effort * len(domain) > MAX_EFFORT:
            return expr
        key = local.type, compute_structural_key(expr, local.slot)
        if key not in self._tables:
            self._tables[key] = self._make_table(expr, local.slot, domain)
        values = self._tables[key]
        return expr if values is None else Lookup(expr.type, expr.span, local, values)

    def _make_table(self, expr: Expr, slot: int, domain: list[int]) -> tuple[Value, ...] | None:
        """Return the value of ``expr`` for each value of local ``slot``, indexed by that value.

        ``domain`` has the values in ascending order, at least one. Indices that are not in it have None. Return None if
        any of the values is a fault.
        """
        values: list[Value] = [None] * (domain[-1] + 1)
        slots: Any = {}
        try:
            for item in domain:
                slots[slot] = item
                values[item] = self.evaluate(expr, slots)
        except _FoldingFault:
            return None
        return tuple(values)

    def _list_values(self, type: Type) -> list[int]:
        """Return the values of an enum type (from 0) or a component type (numbers of components) in ascending order.

        Any other type, also an optional one, gives an empty list.
        """
        if isinstance(type, EnumType):
            return list(range(len(self.program.enums[type.name].values)))
        if isinstance(type, ComponentType):
            return [number for number, entity in enumerate(self.program.entities) if entity.kind == type.name]
        return []


def _estimate_effort(expr: Expr, bound_slots: frozenset[int], free_locals: dict[int, Local]) -> float:
    """Estimate how many nodes an evaluation visits.

    The result is infinite if the expression reads the state of a game, or has a range that is too long to fold.

    ``bound_slots`` holds the locals that enclosing loops bind. Other locals that the expression reads are added to
    ``free_locals``.
    """
    match expr:
        case Const():
            return 1
        case Local(slot=slot):
            if slot not in bound_slots:
                free_locals[slot] = expr
            return 1
        case core.Range(low=Const(value=int(low)), high=Const(value=int(high))) if high - low >= MAX_FOLDED_RANGE:
            return inf
        case _ if isinstance(expr, ListLoop):
            source, *per_item = get_children(expr)
            length = (
                len(source.value) if isinstance(source, Const) and isinstance(source.value, tuple) else ASSUMED_LENGTH
            )
            total = _estimate_effort(source, bound_slots, free_locals)
            for child in per_item:
                effort = _estimate_effort(child, bound_slots | {expr.slot}, free_locals)
                # Zero times infinity would be NaN.
                total += length * effort if length else 0
            return total
        case _ if not isinstance(expr, FOLDABLE | IfExpr):
            return inf
    total = 1.0
    for child in get_children(expr):
        total += _estimate_effort(child, bound_slots, free_locals)
        if total == inf:
            break
    return total


# A routine becomes shared if it has more core nodes than SHARE_SIZE, and at least SHARE_USES calls.
SHARE_SIZE = 150
SHARE_USES = 2
# Nested blocks that a routine may have when it is inlined. Python allows 20 nested loops.
SHARE_DEPTH = 8
# Nested expressions that a query may have when it is inlined. Python allows 200 nested brackets.
SHARE_NESTING = 40

# ``("effect", name)`` or ``("query", name)``.
Key = tuple[str, str]


@lru_cache(maxsize=4)
def _find_shared_routines(program: core.Program, *limits_key: int) -> frozenset[Key]:
    """Return the effects and queries that become routines. All others are inlined at each call.

    A routine is shared if it has more than :data:`SHARE_SIZE` nodes and at least :data:`SHARE_USES` calls, or if it is
    nested too deeply. ``limits_key`` holds these limits, for the cache only.
    """
    return _Sharing(program).shared_routines


class _Size(NamedTuple):
    """The size of inlined code: the number of nodes, and the depths of nested blocks and nested expressions."""

    nodes: int = 1
    depth: int = 0
    nesting: int = 0


class _Sharing:
    """Compute sizes bottom-up over the call graph, and count calls. Routines never recurse."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.uses: dict[Key, int] = {}
        self.sizes: dict[Key, _Size] = {}
        keys: list[Key] = [("effect", name) for name in program.effects]
        keys += [("query", name) for name in program.queries]
        for key in keys:
            for part in self._list_copied_parts(key):
                self._count_calls(part, 1)
        for phase in iterate_phases(program):
            for node in (phase.condition, phase.repeat, *phase.body):
                self._count_calls(node, 1)
        scoring = program.scoring
        for expr in (*scoring.rank, scoring.payoff, *(value for _, value in scoring.columns), program.advice.value):
            # The scoring is lowered once for each seat.
            self._count_calls(expr, 2)
        for key in keys:
            self._measure_call(key)
        self.shared_routines = frozenset(key for key, size in self.sizes.items() if self._is_too_large(key, size))

    def _list_copied_parts(self, key: Key) -> Iterator[Expr | Stmt]:
        """Yield what inlining a call copies: the body of the routine, and the rules or modifiers that apply to it."""
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
        for rule in core.get_rules(effect):
            if rule.condition is not None:
                yield rule.condition
            yield from rule.body

    def _count_calls(self, node: object, weight: int) -> None:
        if node is None:
            return
        key = _get_called_key(node)
        if key is not None:
            self.uses[key] = self.uses.get(key, 0) + weight
        for child in get_children(node):
            self._count_calls(child, weight)

    def _measure_call(self, key: Key) -> _Size:
        """Return the size that one call adds. A shared routine adds a single node."""
        if key not in self.sizes:
            self.sizes[key] = _add_sizes([self._measure(part) for part in self._list_copied_parts(key)])
        size = self.sizes[key]
        return _Size() if self._is_too_large(key, size) else size

    def _is_too_large(self, key: Key, size: _Size) -> bool:
        is_large = size.nodes > SHARE_SIZE and self.uses.get(key, 0) >= SHARE_USES
        return is_large or size.depth > SHARE_DEPTH or (key[0] == "query" and size.nesting > SHARE_NESTING)

    def _measure(self, node: object) -> _Size:
        size = _add_sizes([self._measure(child) for child in get_children(node)])
        key = _get_called_key(node)
        if key is not None:
            inner = self._measure_call(key)
            deepest = max(size.depth, inner.depth), max(size.nesting, inner.nesting) + 1
            return _Size(size.nodes + inner.nodes, *deepest)
        is_block = isinstance(node, Stmt) and bool(core.get_blocks(node))
        # Lowering turns it into a binary tree of tests, which is not deep.
        is_block = is_block and not isinstance(node, core.DoByCard)
        return _Size(size.nodes, size.depth + is_block, size.nesting + 1 if isinstance(node, Expr) else 0)


def _add_sizes(sizes: list[_Size]) -> _Size:
    """Return the size of a node with children of these sizes. The caller adds the node's own depth."""
    nodes = 1 + sum(size.nodes for size in sizes)
    depth = max((size.depth for size in sizes), default=0)
    return _Size(nodes, depth, max((size.nesting for size in sizes), default=0))


def _get_called_key(node: object) -> Key | None:
    if isinstance(node, core.CallEffect):
        return "effect", node.effect
    if isinstance(node, core.CallQuery):
        return "query", node.query
    return None


Env = Mapping[int, Expr]
"""Local of the core program (or of code that is lowered a second time) -> the expression that replaces it."""
Scope = dict[int, Expr]
"""The environment inside a block. Each statement adds the locals that it binds."""
ExpressionForm = Callable[["Lowerer", Any, Env], Expr]
StatementForm = Callable[["Lowerer", Any, Scope], Sequence[Stmt]]

NO_SPAN: Any = None
# The largest number of copies of one expression that unrolled, nested loops may produce.
MAX_COPIES = 60


@dataclass(frozen=True)
class LoweringForms:
    """The dispatch table of lowering: class of node -> the function that lowers it."""

    expressions: Mapping[type[Expr], ExpressionForm]
    statements: Mapping[type[Stmt], StatementForm]


@dataclass(eq=False)
class Lowerer:
    """Hold the state of one build.

    Attributes:
        game_ranges: The value ranges of the whole game.
        reads_options: Whether the build reads options at run time. Otherwise they are constants.
        names, types: Name and type of every local made so far, by slot. Slots count from 1.
        routines: The shared routines made so far. A routine stands after those that it calls.
        padded_rows: Cache of the padded rows of open tables.
        copies: The number of copies that enclosing unrolled loops make of the current code.
        ranges: The value ranges of locals, and the test whether an expression can have a fault.
    """

    setting: Setting
    game_ranges: GameRanges
    forms: LoweringForms
    reads_options: bool = False
    names: dict[int, str] = field(default_factory=dict)
    types: dict[int, Type] = field(default_factory=dict)
    routines: dict[Key, LoweredRoutine] = field(default_factory=dict)
    padded_rows: dict[object, object] = field(default_factory=dict)
    copies: int = 1

    def __post_init__(self) -> None:
        setting = self.setting
        self.program, self.players = setting.program, setting.players
        self.charges, self.limits = setting.charges, setting.limits
        self.options = {} if self.reads_options else setting.options
        self.ranges = Knowledge(setting, self.game_ranges)
        self.constants = Constants(setting)
        limits = SHARE_SIZE, SHARE_USES, SHARE_DEPTH, SHARE_NESTING
        self.shared_routines = _find_shared_routines(setting.program, *limits)
        self.tellers = {teller: number for number, teller in enumerate(get_knowledge(setting.program).text_levels)}

    # ------------------------------------------------------------ parts

    def lower(self, expr: Expr, env: Env) -> Expr:
        """Lower an expression. Slots that ``env`` does not hold are already lowered and stay as they are."""
        return self.forms.expressions[type(expr)](self, expr, env)

    def lower_optional(self, expr: Expr | None, env: Env) -> Expr | None:
        """Lower an expression, or return None for None."""
        return None if expr is None else self.lower(expr, env)

    def lower_all(self, exprs: tuple[Expr, ...], env: Env) -> tuple[Expr, ...]:
        """Lower several expressions, in order."""
        return tuple(self.lower(expr, env) for expr in exprs)

    def lower_text(self, template: core.TextTemplate, env: Env) -> core.TextTemplate:
        """Lower the parts of a text that are expressions. Constant parts stay."""
        parts = tuple(part if isinstance(part, str) else self.lower(part, env) for part in template.parts)
        return core.TextTemplate(template.type, template.span, parts)

    def lower_statement(self, stmt: Stmt, env: Scope) -> Sequence[Stmt]:
        """Lower a statement to any number of statements, and add the locals that it binds to ``env``."""
        return self.forms.statements[type(stmt)](self, stmt, env)

    def lower_block(self, stmts: tuple[Stmt, ...], env: Env) -> tuple[Stmt, ...]:
        """Lower a block. Locals bound in it live until its end; ``env`` stays unchanged.

        If ``charges.blocks`` has a charge for the first statement, the block begins with a :class:`Spend` of its work
        and ``is_checked``. Adjacent :class:`Spend` statements merge into one with the sum of their work, which is
        checked if one of them is. An empty block gives ``()``.
        """
        scope = dict(env)
        new_stmts: list[Stmt] = []
        if stmts and (charge := self.charges.blocks.get(stmts[0])) is not None:
            new_stmts.append(Spend(stmts[0].span, charge.work, charge.is_checked))
        for stmt in stmts:
            for new_stmt in self.lower_statement(stmt, scope):
                last = new_stmts[-1] if new_stmts else None
                if isinstance(new_stmt, Spend) and isinstance(last, Spend):
                    new_stmts[-1] = Spend(last.span, last.work + new_stmt.work, last.is_checked or new_stmt.is_checked)
                else:
                    new_stmts.append(new_stmt)
        return tuple(new_stmts)

    def lower_frame(self, frame: tuple[tuple[int, Expr], ...], env: Env) -> tuple[tuple[int, Expr], ...]:
        """Lower the values of a frame, which holds pairs of a local of the core program and its current value. The
        order stays.
        """
        return tuple((slot, self.lower(expr, env)) for slot, expr in frame)

    def substitute(self, expr: Expr, slot: int, value: object, type_: Type) -> Expr:
        """Return a lowered expression with local ``slot`` replaced by a constant of type ``type_``, folded again."""
        return self.lower(expr, {slot: Const(type_, expr.span, value)})

    # ------------------------------------------------------------ locals

    def make_local(self, name: str, type: Type) -> int:
        """Return a new slot for a local: 1 for the first, then one more each time.

        Under this slot as key, the dicts ``names`` and ``types`` get the name and the type.
        """
        slot = len(self.names) + 1
        self.names[slot], self.types[slot] = name, type
        return slot

    def bind(self, slot: int, name: str, type_: Type, span: Any, env: Scope) -> int:
        """Bind local ``slot`` of the core program to a fresh slot, and return the fresh slot.

        It is the number of ``names`` plus 1, so the first one is 1. ``names`` and ``types`` get ``name`` and ``type_``
        under the fresh slot. ``env[slot]`` becomes ``Local(type_, span, fresh_slot, name)``.
        """
        new_slot = self.make_local(name, type_)
        env[slot] = Local(type_, span, new_slot, name)
        return new_slot

    def bind_item(self, slot: int, name: str, source: Expr, span: Any, env: Scope) -> int:
        """Bind local ``slot`` of the core program, as :meth:`bind` does, to the items of a lowered list or range
        ``source``.

        ``env`` maps ``slot`` to a new Local called ``name``, with a fresh slot, which is returned. The bounds of the
        items are recorded for the fresh slot by ``ranges.bind_items``. For the range 2..5 and the fresh slot 1,
        ``ranges.number_ranges[1]`` becomes (2, 5).
        """
        item = source.type.item if isinstance(source.type, ListType) else INT
        new_slot = self.bind(slot, name, item, span, env)
        self.ranges.bind_items(new_slot, source)
        return new_slot

    def make_parameters(self, params: tuple[core.Param, ...], key: Key) -> tuple[tuple[int, ...], Scope]:
        """Return fresh slots for the parameters of a routine, in order, and a new environment for its body.

        Fresh slots are numbered from 1 in the order in which this lowerer makes them: after two locals, two parameters
        get ``(3, 4)``. The environment maps the slot of each parameter in the core program to a Local with its fresh
        slot. Under its fresh slot, ``names`` and ``types`` get its name and type. If the whole-game analysis knows
        bounds of the parameter in ``key``, such as ``("effect", "draw")``, ``number_ranges``, ``list_sizes`` and
        ``text_lengths`` of ``self.ranges`` get them there, too.
        """
        scope: Scope = {}
        slots = tuple([self.bind(param.slot, param.name, param.type, NO_SPAN, scope) for param in params])
        for param, slot in zip(params, slots, strict=True):
            self.ranges.bind_parameter(slot, (*key, param.slot))
        return slots, scope

    # ------------------------------------------------------------ analysis

    def fold(self, expr: Expr) -> Expr:
        """Return ``expr``, or the constant or lookup table that it folds to."""
        return self.constants.fold(expr)

    def can_fail(self, expr: Expr) -> bool:
        """Return whether evaluating a lowered expression may have a fault. In doubt, return True."""
        return self.ranges.can_fail(expr)

    def is_read_first(self, expr: Expr, slot: int) -> bool:
        """Return whether ``expr`` certainly reads local ``slot``, with no possible fault before that read.

        If so, a value that can have a fault may replace the local without changing which fault occurs first. A read
        on the right side of ``and`` or ``or`` or in a branch is not certain. Neither is one in the body of a ``LetIn``
        or in the passes of a loop. In doubt, the result is False.
        """
        if isinstance(expr, Local):
            return expr.slot == slot
        if isinstance(expr, LetIn):
            return self.is_read_first(expr.value, slot)
        for child in get_children(expr)[: 1 if isinstance(expr, IfExpr | ListLoop) else None]:
            if count_uses(child, slot):
                return self.is_read_first(child, slot)
            if self.can_fail(child) or (isinstance(expr, Binary) and expr.op in ("and", "or")):
                return False
        return False

    # ------------------------------------------------------------ unrolled loops

    def can_unroll(self, pass_count: int, max_copies: int = MAX_COPIES) -> bool:
        """Return whether a loop of ``pass_count`` passes may be unrolled inside the loops unrolled around it.

        ``max_copies`` limits the product of all these passes, because nested unrolling multiplies the size of the code.
        """
        return self.copies * pass_count <= max_copies

    @contextmanager
    def unrolling(self, pass_count: int) -> Iterator[None]:
        """Multiply ``copies`` by ``pass_count``, or by 1 for no passes, during the body of the ``with`` statement.

        ``copies`` gets its old value back when the body ends without an exception.
        """
        copies_before, self.copies = self.copies, self.copies * max(pass_count, 1)
        yield
        self.copies = copies_before
