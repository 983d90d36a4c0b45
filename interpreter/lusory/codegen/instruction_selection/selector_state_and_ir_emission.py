"""Hold the state of instruction selection, and collect the operations that it emits.

All functions of this package take a :class:`Selector`. It dispatches each lowered node to its function, and knows the
bounds of locals at the current place. It also records which expressions each operation reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Expr, Stmt
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import ListType, Type

from ...state.events_redaction_and_text import KINDS, Event
from ...state.static_work_charges_and_list_bounds import MAX_SHORT_PASSES, WORK_CAP
from .. import ir
from ..lower.expression_ranges import NarrowedBounds, can_operation_fail
from ..lower.lowered_nodes_and_common_subexpressions import LetIn, LoweredRoutine
from ..lower.lowerer_with_constant_folding_and_inlining import Lowerer

Expressions = dict[type[Expr], Callable[["Selector", Any], ir.Value]]
Statements = dict[type[Stmt], Callable[["Selector", Any], None]]


class Tables:
    """The constants of a module, without duplicates, in the order in which they were added."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._numbers: dict[str, ir.Table] = {}
        self._by_identity: dict[int, ir.Table] = {}

    def add_constant(self, value: object) -> ir.Table:
        """Return the constant of the module with this value: ``ir.Table(1)`` for the first one.

        A new value is appended to ``values``. Values with the same ``repr`` are the same constant, so that ``1`` and
        ``True`` differ.
        """
        table = self._by_identity.get(id(value))
        if table is not None:
            return table
        key = repr(value)
        if key not in self._numbers:
            # Keeping the value keeps its id valid for the cache.
            self.values.append(value)
            self._numbers[key] = self._by_identity[id(value)] = ir.Table(len(self.values))
        return self._numbers[key]


@dataclass(frozen=True)
class PendingBinding:
    """A value to bind at its first read, and the number of its reads."""

    value: ir.Value
    reads: int


@dataclass(eq=False)
class Selector:
    """Select the operations of one build.

    Attributes:
        expressions, statements: The dispatch tables: class of node -> function.
        is_stepwise: Whether the module plays step by step, and not whole games. Its builds may then log events, and
            states share their lists of components, so that a list is copied before it changes. In whole games, bounds
            found in a block are dropped after it.
        counts_work: Whether work is counted.
        masked_places: The variables indexed by spaces for which bitboards are kept.
        iterates_bits: Whether the backend iterates over the bits of a mask as fast as over a list.
        known_values: (variable, slot of a space) -> the known value of the variable at that space.
        shared_temporaries: Key -> temporary for values computed once before a list of options. None outside such a
            list.
        tables, functions, label_types: The constants, functions, and types with labels of the module.
        trail, span: The enclosing effects and phases, and the source span of the current statement.
        ops: The operations emitted so far into the current block.
        execution_count: The number of times that the current expression runs at most, by the loops around it.
        is_in_source: Whether the current expression is the source of a comprehension, where no value can be bound.
        pending_bindings: Slot -> value to bind at the first read of that local.
        bound_slots: Slot of a local bound by an enclosing expression -> the slot used for it in the output.
        reads: The expressions that the current operation reads.
        read_first: The expressions that the current statement reads first, in evaluation order.
        nesting: The number of expressions around the current one.
        temporaries: The number of temporaries made so far.
        routine: The routine that is being selected. Used for whole games.
        finish: Writes the end of the game from the reason. Set for whole games only.
        choices: (choice site, phase) of each decision. Used in stepwise play, like the following.
        return_slots: Name of a routine that asks -> the slot of the local that holds its return label.
        phase, phase_slot: The current phase, and the slot that keeps it if a routine asks.
    """

    lowerer: Lowerer
    layout: Any
    expressions: Expressions
    statements: Statements
    is_stepwise: bool
    counts_work: bool
    masked_places: frozenset[str] = frozenset()
    iterates_bits: bool = False
    known_values: dict[tuple[str, int], ir.Const] = field(default_factory=dict)
    shared_temporaries: dict[object, ir.Temporary] | None = None
    tables: Tables = field(default_factory=Tables)
    functions: list[ir.Function] = field(default_factory=list)
    label_types: dict[str, Type] = field(default_factory=dict)
    trail: tuple[str, ...] = ()
    span: Span | None = None
    ops: list[ir.Op] = field(default_factory=list)
    execution_count: int = 1
    is_in_source: bool = False
    pending_bindings: dict[int, PendingBinding] = field(default_factory=dict)
    bound_slots: dict[int, int] = field(default_factory=dict)
    reads: list[Expr] = field(default_factory=list)
    read_first: tuple[Expr, ...] = ()
    nesting: int = 0
    temporaries: int = 0
    routine: LoweredRoutine | None = None
    finish: Callable[[ir.Value], None] = field(init=False)
    choices: list[tuple[int, str]] = field(default_factory=list)
    return_slots: dict[str, int] = field(default_factory=dict)
    phase: str = ""
    phase_slot: int | None = None

    def __post_init__(self) -> None:
        self.program = self.lowerer.program
        self.players = self.lowerer.players
        self.limits = self.lowerer.limits
        self.bounds = NarrowedBounds(self.lowerer.ranges)

    # ------------------------------------------------------------ values

    def select_value(self, expr: Expr) -> ir.Value:
        """Return the value node for a lowered expression.

        If it is the outermost expression, it counts as read by the operation that is emitted next.
        """
        with self.record_expression(expr):
            return self.expressions[type(expr)](self, expr)

    def select_replacement(self, expr: Expr) -> ir.Value:
        """Return the value node for an expression that replaces the current one. It never counts as read."""
        return self.expressions[type(expr)](self, expr)

    @contextmanager
    def record_expression(self, expr: Expr) -> Iterator[None]:
        """Return a context for the selection of an expression, which appends it to ``reads`` on entering.

        Within the context of another expression, or of :meth:`analysing`, it is not appended. The context must not be
        left by an exception: afterwards nothing would be appended any more.
        """
        if not self.nesting:
            self.reads.append(expr)
        self.nesting += 1
        yield
        self.nesting -= 1

    @contextmanager
    def analysing(self) -> Iterator[None]:
        """Return a context manager for a selection that only analyses: its body adds no expressions to ``reads``.

        Example: ``reads`` is ``[a]``. After ``with sel.analysing(): sel.select_value(b)`` it is still ``[a]``. Without
        ``analysing``, the call of ``sel.select_value(b)`` would make it ``[a, b]``. An operation emitted in the body
        still takes the ``reads`` so far, here ``[a]``, and leaves them empty. The body must not raise: afterwards
        nothing would be added any more.
        """
        self.nesting += 1
        yield
        self.nesting -= 1

    @contextmanager
    def binding(self, slot: int, output_slot: int | None = None) -> Iterator[None]:
        """Return a context manager for selecting the inside of an expression that binds local ``slot``.

        In its body, ``bound_slots`` maps ``slot`` to ``output_slot``, by default to ``slot`` itself. At the end the
        entry is removed, unless the body raises an exception. An earlier entry for ``slot`` is lost.
        """
        self.bound_slots[slot] = slot if output_slot is None else output_slot
        yield
        self.bound_slots.pop(slot, None)

    @contextmanager
    def repeating(self, factor: int) -> Iterator[None]:
        """Enclose the selection of code that runs ``factor`` times: ``execution_count`` is multiplied by ``factor``
        inside.

        The former count returns at the end of the body, but not if the body raises an exception.
        """
        count_before, self.execution_count = self.execution_count, self.execution_count * factor
        yield
        self.execution_count = count_before

    def allocate_slot(self, name: str, value: Expr) -> int:
        """Return the next unused slot, for a local that will hold the value of ``value``.

        The slots are numbered from 1 together with those of the lowered game: after 1 to 7, it is 8. The name, type and
        bounds of the local are recorded in ``lowerer.names``, ``lowerer.types`` and ``lowerer.ranges``, not in
        ``bounds.number_ranges``. Several slots may have the same name.
        """
        slot = self.lowerer.make_local(name, value.type)
        self.lowerer.ranges.bind_value(slot, value)
        return slot

    def allocate_temporary(self) -> ir.Temporary:
        """Return a new temporary. Their names are ``t1``, ``t2``, …."""
        self.temporaries += 1
        return ir.Temporary(f"t{self.temporaries}")

    def can_fail(self, expr: Expr) -> bool:
        """Return whether evaluating an expression may have a fault with the current bounds of locals. In doubt, return
        True.
        """
        return self.bounds.can_fail(expr)

    def add_constant(self, value: object) -> ir.Value:
        """Return a constant value: a ``Table`` for a tuple that is not empty, which becomes a constant of the module,
        else a ``Const``.
        """
        return self.tables.add_constant(value) if isinstance(value, tuple) and value else ir.Const(value)

    def bound_length(self, source: Expr) -> int:
        """Return the largest number of items that a loop over ``source`` goes through.

        It follows from the program text if that sets a limit, as in ``Lengths.bound_length``: a zone can have all
        components of its kind. A filter or map has at most the bound of its source, a ``let`` that of its body. A
        nested loop has at most the product of the bounds of its lists. Otherwise the value ranges count, if they allow
        at most ``MAX_SHORT_PASSES`` items, or no more than the item type has values. Else it is ``WORK_CAP``.
        """
        lengths = self.lowerer.charges.lengths
        bound = min(lengths.bound_length(source), self._bound_length_by_parts(source))
        if bound < WORK_CAP:
            return bound
        item = source.type.item if isinstance(source.type, ListType) else None
        # The value ranges may give a smaller limit than the cost analysis.
        size, distinct = self.bounds.compute_max_size(source), lengths.count_distinct_items(item)
        return size if size <= MAX_SHORT_PASSES or size <= distinct < WORK_CAP else bound

    def _bound_length_by_parts(self, source: Expr) -> int:
        """Return the largest length of a list, from the lists that it consists of."""
        match source:
            case LetIn(body=body):
                return self.bound_length(body)
            case core.Concat(source=lists, body=body):
                return min(self.bound_length(lists) * self.bound_length(body), WORK_CAP)
            case core.MapList(source=items) | core.Filter(source=items):
                return self.bound_length(items)
        return WORK_CAP

    # ------------------------------------------------------------ operations

    def _make_place(self) -> ir.Provenance:
        """Return the provenance of the next operation: its span, its trail, and the expressions that it reads, in
        order.

        The recorded reads are cleared.
        """
        reads, self.reads = (*self.read_first, *self.reads), []
        return ir.Provenance(self.span, self.trail, reads)

    def add(self, kind: type[ir.Op], *args: Any, **fields: Any) -> None:
        """Emit an operation of this kind: append ``kind(place, *args, **fields)`` to ``ops``, with the current
        provenance.
        """
        self.ops.append(kind(self._make_place(), *args, **fields))

    def set(self, target: ir.Value, value: ir.Value, op: str = "=") -> None:
        """Emit an assignment, or with ``op`` ``+`` or ``-`` an increase or decrease of ``target`` by ``value``."""
        self.add(ir.Set, target, value, op, None)

    def let(self, slot: int, value: ir.Value) -> None:
        """Emit the assignment of a value to the local with this slot."""
        self.set(ir.Local(slot), value)

    def evaluate(self, value: ir.Value, build: str | None = None) -> None:
        """Emit an ``ir.Evaluate`` of a value that may have a fault. ``build`` limits it to ``silent`` or ``events``."""
        self.add(ir.Evaluate, value, build)

    def guard(self, test: ir.Value, kind: type[ir.Op], *args: Any) -> None:
        """Emit one operation of this kind that runs only if the test holds."""
        place = self._make_place()
        self.ops.append(ir.If(place, (ir.Branch(place, test, (kind(place, *args),)),)))

    def log_event(self, event: type[Event], **entries: ir.Value) -> None:
        """Emit an ``ir.LogEvent`` in stepwise play. In whole games, which log nothing, emit nothing.

        ``entries`` are the fields of the event apart from its kind. Raise TypeError in stepwise play if they are not
        the fields of its class.
        """
        if self.is_stepwise:
            # The entries are IR values here, not yet those of the event.
            fields: Any = event
            self.add(ir.LogEvent, event.__name__, ir.Record(tuple(fields(ir.Const(KINDS[event]), **entries))))

    @contextmanager
    def evaluating_reads(self, *exprs: Expr | None) -> Iterator[None]:
        """Return a context manager for the selection of a statement that reads these expressions first and in this
        order.

        In the body, ``read_first`` is a tuple of the expressions, without None. ``place.reads`` of each operation that
        the body emits begins with them; the expressions that it reads itself follow. After the body, ``read_first`` is
        ().
        """
        self.read_first = tuple(expr for expr in exprs if expr is not None)
        yield
        self.read_first = ()

    @contextmanager
    def collecting(self) -> Iterator[list[ir.Op]]:
        """Yield a new list, which is ``ops`` in the body, so that it gets the operations emitted there.

        In a list of options (the body of :meth:`sharing_values`), ``shared_temporaries`` is a new empty dict in the
        body. Elsewhere it stays None. After a body that raises nothing, both attributes are the same objects as before.
        """
        ops_before, self.ops, shared_before = self.ops, [], self.shared_temporaries
        self.shared_temporaries = None if shared_before is None else {}
        yield self.ops
        self.ops, self.shared_temporaries = ops_before, shared_before

    @contextmanager
    def sharing_values(self) -> Iterator[None]:
        """Open a scope for :meth:`share_value` around the selection of a list of options. This itself emits nothing.

        In the body, :meth:`share_value` assigns each value that it gets to a temporary, once for equal keys.
        ``shared_temporaries`` holds these. It is empty when the body begins, and after it (unless it raises) has its
        former value: None outside every such body, where :meth:`share_value` returns the value itself. A branch or loop
        in the body has temporaries of its own.
        """
        shared_before, self.shared_temporaries = self.shared_temporaries, {}
        yield
        self.shared_temporaries = shared_before

    def share_value(self, key: object, value: ir.Value) -> ir.Value:
        """Return a temporary for ``value``, also for a constant, or ``value`` itself if ``shared_temporaries`` is None.

        ``shared_temporaries`` is not None while a list of options is selected. The first call for a key emits the
        assignment of ``value``, which must not be able to fail. Later calls with an equal key return the same temporary
        and ignore ``value``. In a branch or loop, the first call for a key emits an assignment even if the key has a
        temporary outside. After the branch, only those from before it are returned.
        """
        if self.shared_temporaries is None:
            return value
        if key not in self.shared_temporaries:
            self.shared_temporaries[key] = self.allocate_temporary()
            reads, self.reads = self.reads, []
            self.set(self.shared_temporaries[key], value)
            self.reads = reads
        return self.shared_temporaries[key]

    @contextmanager
    def if_branch(self, test: ir.Value | None, is_elif: bool = False) -> Iterator[None]:
        """Emit an ``ir.If`` with one ``ir.Branch``: the operations of the body run if the test holds.

        With ``is_elif``, the branch is added to the previous operation, which must be an ``ir.If``. A test None always
        holds.
        """
        place = self._make_place()
        with self.collecting() as ops:
            yield
        branch = ir.Branch(place, test, tuple(ops))
        if is_elif:
            first = self.ops.pop()
            assert isinstance(first, ir.If)
            self.ops.append(ir.If(first.place, (*first.branches, branch)))
        else:
            self.ops.append(ir.If(place, (branch,)))

    @contextmanager
    def if_holds(self, condition: Expr | None) -> Iterator[None]:
        """Emit a branch around the operations of the body, which run if the condition holds, or none for None."""
        if condition is None:
            yield
        else:
            with self.if_branch(self.select_value(condition)):
                yield

    def else_branch(self) -> AbstractContextManager[None]:
        """Emit the operations of the body as the branch that runs if no test of the previous ``If`` holds."""
        return self.if_branch(None, is_elif=True)

    def loop(self, target: ir.Value | None, source: ir.Value) -> AbstractContextManager[None]:
        """Emit a loop over a source around the operations of the body. ``target`` takes each item; None takes none.

        Known values of variables are forgotten before and after the body.
        """
        return self._repeat(ir.Loop, target, source)

    def while_loop(self, test: ir.Value) -> AbstractContextManager[None]:
        """Emit a while loop around the operations of the body. Forgets known values as :meth:`loop` does."""
        return self._repeat(ir.While, test)

    @contextmanager
    def _repeat(self, kind: Callable[..., ir.Op], *args: Any) -> Iterator[None]:
        place = self._make_place()
        # A value that is known before the first pass may be another one in the next pass.
        self.known_values.clear()
        with self.collecting() as ops:
            yield
        self.known_values.clear()
        self.ops.append(kind(place, *args, tuple(ops)))

    @contextmanager
    def add_function(self, role: str, name: str, params: tuple[int, ...] = ()) -> Iterator[None]:
        """Collect the operations emitted in the body into an ``ir.Function`` with this role, name and parameters.

        It is added to ``functions`` before the functions that begin inside it. ``span`` is None when the body starts,
        and has its former value again afterwards.
        """
        number, span = len(self.functions), self.span
        self.functions.append(ir.Function(role, name, params, ()))
        self.span = None
        with self.collecting() as ops:
            yield
        self.span = span
        self.functions[number] = ir.Function(role, name, params, tuple(ops))

    # ------------------------------------------------------------ statements

    def select_block(self, stmts: tuple[Stmt, ...]) -> None:
        """Select the statements of a block, in order.

        Without ``is_stepwise``, ``bounds.number_ranges`` is afterwards a dict with the same entries as before. With
        ``is_stepwise``, the entries that the statements add or change stay.
        """
        known_before = dict(self.bounds.number_ranges)
        for stmt in stmts:
            self._select_statement(stmt)
        if not self.is_stepwise:
            self.bounds.number_ranges = known_before

    def _select_statement(self, stmt: Stmt) -> None:
        """Emit the operations of one lowered statement, with its span as their origin. The span before is current
        afterwards.
        """
        span_before, self.span = self.span, stmt.span
        self.statements[type(stmt)](self, stmt)
        self.span = span_before

    def count_work(self, charge: Any) -> None:
        """Emit an ``ir.CountWork`` for a block, if work is counted. ``charge`` has ``work`` and ``is_checked``."""
        if self.counts_work:
            self.add(ir.CountWork, charge.work, charge.is_checked)

    def evaluate_unused(self, *exprs: Expr | None, build: str | None = None) -> None:
        """Emit the evaluation of expressions whose values are not needed but which can have a fault, in order.

        Others, and None, are skipped. If a text can't become too long, only its parts are evaluated. ``build`` limits
        the operations to the silent or event build.
        """
        for expr in exprs:
            if expr is None or not self.can_fail(expr):
                continue
            if isinstance(expr, core.TextTemplate) and not can_operation_fail(expr, self.bounds):
                self.evaluate_unused(*core.get_children(expr), build=build)
            else:
                self.evaluate(self.select_value(expr), build)

    def limit_scoring(self) -> None:
        """Emit a fault in any case if the scoring costs more work than a decision may take, else nothing."""
        if self.lowerer.charges.scoring_work > self.limits.decision:
            self.span = self.program.scoring.rank[0].span
            self.emit_limit_fault("decision")

    def emit_limit_fault(self, limit: str) -> None:
        """Emit the evaluation of the fault for a limit, such as ``options``, that is exceeded in any case."""
        self.evaluate(make_limit_fault(limit))

    def make_frame(self, frame: tuple[tuple[int, Expr], ...]) -> ir.Frame:
        """Select the frame of a choice or announcement: a map from the slots of the program to the values of their
        expressions.
        """
        return ir.Frame(tuple((slot, self.select_value(expr)) for slot, expr in frame))


def make_limit_fault(limit: str) -> ir.Value:
    """Return the primitive ``raise_limit``, which raises the fault for an exceeded limit, such as ``options``."""
    return ir.Primitive("raise_limit", (ir.Const(limit),))


def make_length(value: ir.Value) -> ir.Value:
    """Return the length of a list as the primitive ``length``."""
    return ir.Primitive("length", (value,))


def make_entry(source: ir.Value, number: int) -> ir.Entry:
    """Return the item of a list at the constant position ``number``, from 0."""
    return ir.Entry(source, ir.Const(number))


def make_filter(source: Expr, span: Span, slot: int, condition: Expr | None) -> Expr:
    """Return the items of a list, in local ``slot``, that meet a condition. Without one, it is the list itself."""
    return source if condition is None else core.Filter(source.type, span, slot, source, condition)
