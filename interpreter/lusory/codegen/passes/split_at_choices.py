"""Split functions at the points where the game stops for a choice, so that it can continue there.

Generated code cannot pause in the middle of a Python or C function. So :func:`split_into_blocks` turns the control
flow of the game and of each routine that asks into blocks that end with ``Goto`` or ``WaitForAnswer``. A trampoline
runs them: each block returns the label of the next. To save such returns, :func:`arrange_blocks` then inlines short
blocks, and blocks with one predecessor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl.source.dataclass_with_lazy_methods import replace

from .. import ir

Change = Callable[[ir.Ops], ir.Ops]
"""A function that transforms a sequence of operations."""


def filter_build(ops: ir.Ops, *builds: str) -> ir.Ops:
    """Return only the operations that the given builds have, also in inner blocks. Operations of all builds stay."""
    remaining = (op for op in ops if op.only_build is None or op.only_build in builds)
    return tuple([map_blocks(op, lambda inner: filter_build(inner, *builds)) for op in remaining])


def map_blocks(op: ir.Op, change: Change) -> ir.Op:
    """Return an ``If``, ``Loop`` or ``While`` with ``change`` applied to each block of operations in it.

    These are the ``ops`` of each branch of an ``If``, or those of a loop. Any other operation is returned as it is.
    """
    match op:
        case ir.If(branches=branches):
            return replace(op, branches=tuple([replace(branch, ops=change(branch.ops)) for branch in branches]))
        case ir.Loop(ops=ops) | ir.While(ops=ops):
            return replace(op, ops=change(ops))
    return op


Targets = dict[int, int]
"""Alternative of a question -> label of the block to go to. :data:`AFTER_LOOP` stands for the end of a loop."""

AFTER_LOOP = -2


@dataclass
class Blocks:
    """The result of :func:`split_into_blocks`.

    Attributes:
        blocks: The blocks by label. Block 0 begins the game.
        starts: Name of a phase -> its first block.
        returns: Block after a call of a routine that asks -> the place of the call.
        helpers: All functions that are not split.
    """

    blocks: list[ir.Ops] = field(default_factory=list)
    starts: dict[str, int] = field(default_factory=dict)
    returns: dict[int, ir.Provenance] = field(default_factory=dict)
    helpers: list[ir.Function] = field(default_factory=list)

    @property
    def entries(self) -> set[int]:
        """The labels of the blocks that can be reached from outside: the start, the phases, and the return blocks."""
        return {0, *self.starts.values(), *self.returns}


def split_into_blocks(functions: tuple[ir.Function, ...]) -> Blocks:
    """Split the game, and the routines that ask, into ``blocks`` that end wherever the game can stop for an answer.

    Example: ``a; ask(q0); b`` becomes three blocks. Block 0 is ``a; wait q0``. Block 1 is the body of the only
    alternative of ``q0``, and the resume function of ``q0`` jumps to it. Block 2 is ``b``, and block 1 jumps to it. An
    ``otherwise`` of ``q0`` becomes block 3. Each block is a tuple of operations, and its label is its index. Each phase
    begins a block, to which the block before it jumps: its label is ``starts[PHASE]``. A game that begins with the
    phase ``setup`` has ``starts["setup"]`` 1, since block 0 only jumps there. If a branch of an ``If`` asks or begins a
    phase, each branch but the last becomes a block, and the last stays in the block of the tests. The test of such a
    loop becomes a block. So does the code after such an ``If`` or loop. The code after a call of a routine that asks
    becomes one, too, whose label is a key of ``returns``. All functions without the role ``game`` or ``routine`` become
    ``helpers`` in their order. Among them are the resume functions, which now end with Gotos to blocks.
    """
    splitter = _Splitter()
    result = splitter.result
    splitter.enter(splitter.add_block())
    for function in functions:
        if function.role == "game":
            splitter.split_ops(function.ops)
        elif function.role == "routine":
            splitter.enter(splitter.get_entry(function.name))
            splitter.split_ops(function.ops)
    result.blocks = [tuple(ops) for ops in splitter.blocks]
    for function in functions:
        if function.role not in ("game", "routine"):
            targets = splitter.resume_targets.get(function.name)
            ops = function.ops if targets is None else _resolve_jumps(function.ops, targets)
            result.helpers.append(replace(function, ops=ops))
    return result


def _resolve_jumps(ops: ir.Ops, targets: Targets) -> ir.Ops:
    """Replace ``Break`` and ``TakeAlternative`` by jumps to the blocks in ``targets``, also in inner blocks.

    A ``Break`` out of a loop among the operations stays, and so does any without :data:`AFTER_LOOP` in ``targets``.
    Raise KeyError if an alternative is missing.
    """
    result: list[ir.Op] = []
    for op in ops:
        match op:
            case ir.Break() if AFTER_LOOP in targets:
                result.append(ir.Goto(op.place, targets[AFTER_LOOP]))
            case ir.TakeAlternative(alternative=alternative):
                result.append(ir.Goto(op.place, targets[alternative]))
            case ir.If():
                result.append(map_blocks(op, lambda inner: _resolve_jumps(inner, targets)))
            case _:
                result.append(op)
    return tuple(result)


def _can_stop(op: ir.Op) -> bool:
    """Return whether the game can stop in an operation, or be entered there."""
    if isinstance(op, ir.Ask | ir.CallAsking | ir.StartPhase):
        return True
    return any(_can_stop(inner) for block in _list_inner_blocks(op) for inner in block)


NEGATED_OPERATORS = {"=": "!=", "<": ">=", ">": "<=", "is": "is not", "in": "not in"}
NEGATED_OPERATORS |= {opposite: op for op, opposite in NEGATED_OPERATORS.items()}


def _negate(test: ir.Value) -> ir.Value:
    """Return a test that holds if ``test`` does not."""
    match test:
        case ir.Unary(op="not", operand=operand):
            return operand
        case ir.Binary(op=op, left=left, right=right) if op in NEGATED_OPERATORS:
            return ir.Binary(NEGATED_OPERATORS[op], left, right)
    return ir.Unary("not", test)


class _Splitter:
    """Append operations to the current block, and start new blocks where control flow requires it."""

    def __init__(self) -> None:
        self.result = Blocks()
        self.blocks: list[list[ir.Op]] = []
        self.current_ops: list[ir.Op] = []
        self.targets: Targets = {}  # the block after the innermost loop that is split
        self.routine_entries: dict[str, int] = {}  # routine that asks -> its first block
        self.resume_targets: dict[str, Targets] = {}  # name of a resume function -> the blocks that it goes to

    def add_block(self) -> int:
        """Add an empty block, and return its label: the number of blocks before it."""
        self.blocks.append([])
        return len(self.blocks) - 1

    def enter(self, label: int) -> None:
        """Append the following operations to the block with this label."""
        self.current_ops = self.blocks[label]

    def get_entry(self, routine: str) -> int:
        """Return the label of the first block of a routine that asks. The first call for a routine adds the block."""
        if routine not in self.routine_entries:
            self.routine_entries[routine] = self.add_block()
        return self.routine_entries[routine]

    def _add_jump(self, label: int, op: ir.Op) -> None:
        self.current_ops.append(ir.Goto(op.place.drop_reads(), label))

    def _add_jumps_if(self, tests: list[tuple[ir.Provenance, ir.Value, int]], op: ir.Op) -> None:
        """Append jumps to the block of the first test that holds. Each test has a place and a label."""
        branches = [ir.Branch(place, test, (ir.Goto(place.drop_reads(), label),)) for place, test, label in tests]
        self.current_ops.append(ir.If(op.place, tuple(branches)))

    def split_ops(self, ops: ir.Ops) -> None:
        """Append operations to the current block, and split those in which the game can stop. Code after them goes on
        in a new block, which is then the current one.
        """
        for op in ops:
            if not _can_stop(op):
                self.current_ops += _resolve_jumps((op,), self.targets)
                if isinstance(op, ir.Break):
                    self.enter(self.add_block())  # unreachable code goes here
            else:
                SPLITTERS[type(op)](self, op)

    def _start_phase(self, op: ir.StartPhase) -> None:
        """Begin a block that can be entered from outside, number ``result.starts[op.name]``."""
        start_block = self.result.starts[op.name] = self.add_block()
        self._add_jump(start_block, op)
        self.enter(start_block)

    def _split_if(self, op: ir.If) -> None:
        """Split branches in which the game can stop. All continue at a common block after them.

        The last branch follows the tests in the same block. Each other one becomes a block.
        """
        *other_branches, last = op.branches
        end_block = self.add_block()
        labelled_branches = [(branch, self.add_block()) for branch in other_branches]
        tests = [(branch.place, branch.test, label) for branch, label in labelled_branches if branch.test is not None]
        if last.test is not None:
            tests.append((last.place, _negate(last.test), end_block))
        self._add_jumps_if(tests, op)
        self.split_ops(last.ops)
        self._add_jump(end_block, op)
        for branch, label in labelled_branches:
            self.enter(label)
            self.split_ops(branch.ops)
            self._add_jump(end_block, op)
        self.enter(end_block)

    def _split_while(self, op: ir.While) -> None:
        """Split a loop in which the game can stop.

        Its test becomes a block, to which the end of the body jumps, and the code after it another, to which ``Break``
        jumps.
        """
        loop_block, end_block = self.add_block(), self.add_block()
        self._add_jump(loop_block, op)
        self.enter(loop_block)
        if not (isinstance(op.test, ir.Const) and op.test.value):
            self._add_jumps_if([(op.place, _negate(op.test), end_block)], op)
        targets_before, self.targets = self.targets, {AFTER_LOOP: end_block}
        self.split_ops(op.ops)
        self.targets = targets_before
        self._add_jump(loop_block, op)
        self.enter(end_block)

    def _split_choice(self, op: ir.Ask) -> None:
        """Split a choice: each alternative becomes a block, and so do ``otherwise``, if there is any, and the code
        after the choice.

        The targets of the resume function are recorded in ``resume_targets``.
        """
        body_blocks = [self.add_block() for _ in op.bodies]
        end_block = self.add_block()
        otherwise_block = self.add_block() if op.otherwise else end_block
        targets: Targets = {**dict(enumerate(body_blocks)), ir.OTHERWISE: otherwise_block}
        self.resume_targets[f"r{op.number}"] = targets
        self.current_ops += _resolve_jumps(op.ops, targets)
        for label, body in zip(body_blocks, op.bodies, strict=True):
            self.enter(label)
            self.split_ops(body)
            self._add_jump(end_block, op)
        if op.otherwise:
            self.enter(otherwise_block)
            self.split_ops(op.otherwise)
            self._add_jump(end_block, op)
        self.enter(end_block)

    def _split_call(self, op: ir.CallAsking) -> None:
        """Split at the call of a routine that asks.

        The block after the call is a return block: its label is stored in a local before the jump, and recorded in
        ``returns``.
        """
        entry_block, return_block = self.get_entry(op.name), self.add_block()
        self.result.returns[return_block] = op.place.drop_reads()
        self.current_ops.append(ir.Set(op.place, ir.Local(op.return_slot), ir.Const(return_block)))
        self._add_jump(entry_block, op)
        self.enter(return_block)


SPLITTERS: dict[type[ir.Op], Callable[[_Splitter, Any], None]] = {
    ir.Ask: _Splitter._split_choice,
    ir.CallAsking: _Splitter._split_call,
    ir.If: _Splitter._split_if,
    ir.StartPhase: _Splitter._start_phase,
    ir.While: _Splitter._split_while,
}
"""Class of an operation in which the game can stop -> the method that splits it."""


INLINE_LINES = 6  # blocks of at most this many lines are inlined at every jump to them
COPY_LINES = 120  # greatest number of lines of an inlined copy, with the blocks inlined in it
INLINE_DEPTH = 40
MAX_DEPTH = 96  # greatest number of indentation levels in a function; Python allows a hundred
MAX_INLINED = 60  # greatest number of blocks inlined into one another


def arrange_blocks(split: Blocks, build: str) -> list[ir.Function]:
    """Return the functions of a build: the helpers, the entries, and each block to which a jump from these remains.

    ``build`` is ``silent`` or ``events``; operations of the other build are left out. The helpers keep their order. The
    blocks follow in the order of one breadth-first search, whose queue begins with the entries in ascending order and
    the blocks that the helpers jump to. The block with label ``n`` is the function ``bn`` with the role ``block``. In
    blocks and helpers, a jump to a block of at most ``INLINE_LINES`` lines is usually replaced by the operations of
    that block. So is the only jump to a block, which stays a function if it is an entry. The method
    :meth:`_Inliner._inline_jumps` has the exceptions. ``split`` stays unchanged.
    """
    blocks = [filter_build(ops, build) for ops in split.blocks]
    helpers = [replace(function, ops=filter_build(function.ops, build)) for function in split.helpers]
    inliner = _Inliner(blocks)
    for ops in (*blocks, *(function.ops for function in helpers)):
        for label in _list_jump_targets(ops):
            inliner.jump_counts[label] = inliner.jump_counts.get(label, 0) + 1
    functions = [replace(function, ops=inliner._inline_jumps(function.ops, 1, (), None)) for function in helpers]
    queue = sorted(split.entries)
    for function in functions:
        queue.extend(_list_jump_targets(function.ops))
    placed_labels: set[int] = set()
    while queue:
        label = queue.pop(0)
        if label in placed_labels:
            continue
        placed_labels.add(label)
        ops = inliner._inline_jumps(blocks[label], 1, (label,), None)
        functions.append(ir.Function("block", f"b{label}", (), ops))
        queue.extend(_list_jump_targets(ops))
    return functions


def _list_jump_targets(ops: ir.Ops) -> Iterator[int]:
    """Yield the labels that operations jump to, in order, including those in inner blocks. A label may come more than
    once.
    """
    for op in ops:
        if isinstance(op, ir.Goto):
            yield op.label
        else:
            for block in _list_inner_blocks(op):
                yield from _list_jump_targets(block)


def _list_inner_blocks(op: ir.Op) -> tuple[ir.Ops, ...]:
    """Return the blocks of operations directly inside an ``If``, ``Loop`` or ``While``, in order, or ``()`` for any
    other operation.
    """
    match op:
        case ir.If(branches=branches):
            return tuple(branch.ops for branch in branches)
        case ir.Loop(ops=ops) | ir.While(ops=ops):
            return (ops,)
    return ()


def _count_printed_lines(ops: ir.Ops) -> int:
    """Return the number of lines that operations take when printed as Python, with those of inner blocks.

    The head of a branch or loop takes one line, and so does an empty block. A wait for an answer, a checked count of
    work and a shuffle that a test case can force take two lines, any other operation one.
    """
    count = 0
    for op in ops:
        match op:
            case ir.If() | ir.Loop() | ir.While():
                count += sum(1 + max(_count_printed_lines(block), 1) for block in _list_inner_blocks(op))
            case ir.WaitForAnswer() | ir.CountWork(is_checked=True) | ir.Shuffle(can_be_forced=True):
                count += 2
            case _:
                count += 1
    return count


def _measure_nesting(ops: ir.Ops) -> int:
    """Return the number of nesting levels in operations: 0 for none, 1 for operations without inner blocks.

    An empty inner block counts as a level, because it is printed as ``pass``.
    """
    inner = [max(_measure_nesting(block), 1) for op in ops for block in _list_inner_blocks(op)]
    return max(inner, default=0) + 1 if ops else 0


class _Inliner:
    """Decide which jumps to replace by a copy of their block. ``jump_counts`` counts the jumps to each block."""

    def __init__(self, blocks: list[ir.Ops]) -> None:
        self.blocks = blocks
        self.sizes = [_count_printed_lines(ops) for ops in blocks]
        self.depths = [_measure_nesting(ops) for ops in blocks]
        self.jump_counts: dict[int, int] = {}

    def _inline_jumps(self, ops: ir.Ops, level: int, outer_labels: tuple[int, ...], room: list[int] | None) -> ir.Ops:
        """Return the operations with some jumps, also in inner blocks, replaced by the operations of their blocks.

        A ``Goto`` is replaced if its block has at most :data:`INLINE_LINES` lines, or if nothing else jumps there. It
        stays if that would put a block into itself, nest code too deeply, or let a copy grow beyond :data:`COPY_LINES`
        lines.

        ``level`` is the indentation level of ``ops``. ``outer_labels`` lists the blocks that are being inlined, to stop
        recursion. ``room`` has one number, the lines that the current copy may still grow by, and is changed. None
        means that the code is no copy.
        """
        result: list[ir.Op] = []
        for op in ops:
            if not isinstance(op, ir.Goto):
                result.append(map_blocks(op, lambda inner: self._inline_jumps(inner, level + 1, outer_labels, room)))
                continue
            label = op.label
            line_count = self.sizes[label]
            is_only_jump = self.jump_counts.get(label, 0) == 1
            can_inline = is_only_jump or line_count <= INLINE_LINES
            copy_room = room if room is not None or is_only_jump else [COPY_LINES]
            if copy_room is not None:
                can_inline = can_inline and line_count <= copy_room[0]
            is_too_deep = level >= INLINE_DEPTH or level + self.depths[label] > MAX_DEPTH
            if can_inline and label not in outer_labels and not is_too_deep and len(outer_labels) < MAX_INLINED:
                if copy_room is not None:
                    copy_room[0] -= line_count
                result.extend(self._inline_jumps(self.blocks[label], level, (*outer_labels, label), copy_room))
            else:
                result.append(op)
        return tuple(result)
