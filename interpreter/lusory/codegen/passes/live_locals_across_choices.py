"""Find the locals that are live across block boundaries, and store them in cells of the state.

Python locals do not survive the end of a block. A local that some block may read before setting it needs a cell in the
state: :func:`insert_loads_and_stores` adds the loads and stores. For each choice, :func:`find_live_locals` computes the
locals that are live while it waits.

Example, with ``x`` in cell 41::

    block 1: x = 5; wait for an answer        block 1: x = c[41] = 5; wait for an answer
    block 2: y = x + 1                        block 2: x = c[41]; y = x + 1

This is the liveness analysis of Aho, Lam, Sethi and Ullman, Compilers (2006), 9.2.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lusory_dsl.source.dataclass_with_lazy_methods import replace

from .. import ir
from .split_at_choices import map_blocks

DefiniteWrites = set[object]
"""The slots of the locals that are surely set, and the zones whose lists are surely copied, and so can change in place.

A zone is the pair ``("zone", number)``.
"""


ReadSets = dict[int, tuple[Any, frozenset[int]]]
"""A cache: identity of a node -> the node, and the slots of the locals that it reads.

Inlined copies of a block share their nodes.
"""


class Liveness:
    """Analyse the reads and writes of one function.

    Attributes:
        exposed_locals: The locals that may be read before they are set.
        ops: The operations, without repeated ``CopyZone`` of the same zone.
        exits: Each exit of the function (``Goto``, ``WaitForAnswer`` or ``Return``), with the writes before it.
        reads: The cache of the locals that nodes read. Functions with common nodes share it.
    """

    def __init__(self, function: ir.Function, reads: ReadSets) -> None:
        self.exposed_locals: set[int] = set()
        self.exits: list[tuple[ir.Goto | ir.WaitForAnswer | ir.Return, DefiniteWrites]] = []
        self.reads = reads
        self.ops, _ = self._analyse_block(function.ops, set(function.params))

    def _analyse_block(self, ops: ir.Ops, definite_writes: DefiniteWrites) -> tuple[ir.Ops, DefiniteWrites | None]:
        """Return the remaining operations, and the definite writes after them. None instead means that the end is
        unreachable.

        Exits and exposed locals are recorded on the way.
        """
        remaining_ops: list[ir.Op] = []
        is_unreachable = False
        for op in ops:
            match op:
                case ir.Set(target=ir.Local(slot=slot), value=value):
                    self._record_reads(value, definite_writes)
                    definite_writes.add(slot)
                case ir.If():
                    op, after_block = self._analyse_branches(op, definite_writes)
                    is_unreachable = is_unreachable or after_block is None
                    definite_writes = definite_writes if after_block is None else after_block
                case ir.Loop(target=target, source=source):
                    self._record_reads(source, definite_writes)
                    writes_inside = definite_writes | ({target.slot} if isinstance(target, ir.Local) else set())
                    op = map_blocks(op, lambda ops, inner=writes_inside: self._analyse_block(ops, inner)[0])  # type: ignore[misc]
                case ir.While(test=test):
                    self._record_reads(test, definite_writes)
                    op = map_blocks(op, lambda ops, inner=set(definite_writes): self._analyse_block(ops, inner)[0])  # type: ignore[misc]
                case ir.CopyZone(zone=zone) if zone.number.number is not None:
                    if ("zone", zone.number.number) in definite_writes:
                        continue
                    definite_writes.add(("zone", zone.number.number))
                case _:
                    self._record_reads(op, definite_writes)
                    if isinstance(op, ir.Goto | ir.WaitForAnswer | ir.Return):
                        self.exits.append((op, set(definite_writes)))
                    is_unreachable = is_unreachable or isinstance(op, ir.Return | ir.Goto | ir.WaitForAnswer | ir.Break)
            remaining_ops.append(op)
        return tuple(remaining_ops), None if is_unreachable else definite_writes

    def _analyse_branches(self, op: ir.If, definite_writes: DefiniteWrites) -> tuple[ir.If, DefiniteWrites | None]:
        """Analyse each branch on its own. Return the operation, and the definite writes after it.

        These are common to all branches whose end is reachable. None instead means that no end is reachable.
        """
        writes_at_ends: list[DefiniteWrites] = []
        branches = []
        for branch in op.branches:
            if branch.test is not None:
                self._record_reads(branch.test, definite_writes)
            ops, writes_after = self._analyse_block(branch.ops, set(definite_writes))
            branches.append(replace(branch, ops=ops))
            if writes_after is not None:
                writes_at_ends.append(writes_after)
        if op.branches[-1].test is not None:
            writes_at_ends.append(definite_writes)
        return ir.If(op.place, tuple(branches)), set.intersection(*writes_at_ends) if writes_at_ends else None

    def _record_reads(self, node: Any, definite_writes: DefiniteWrites) -> None:
        """Record the locals that an operation, a value or a tuple of them reads, except those in ``definite_writes``.

        The target of an assignment counts as read, too, if ``node`` contains the assignment.
        """
        node_and_slots = self.reads.get(id(node))
        if node_and_slots is None:
            slots = frozenset([inner_node.slot for inner_node in ir.walk(node) if type(inner_node) is ir.Local])
            node_and_slots = self.reads[id(node)] = node, slots
        self.exposed_locals |= node_and_slots[1] - definite_writes


def insert_loads_and_stores(liveness: Liveness, cells: dict[int, int]) -> ir.Ops:
    """Return the operations of a function with loads of its exposed locals at the start, and with stores to cells.

    ``cells`` maps slots to cells. Loads come in the order of slots. Every assignment to a local that has a cell also
    stores it. Raise KeyError for an exposed local without a cell.
    """
    loads = [ir.Load(ir.NOWHERE, slot, cells[slot]) for slot in sorted(liveness.exposed_locals)]
    return (*loads, *_insert_stores(liveness.ops, cells))


def _insert_stores(ops: ir.Ops, cells: dict[int, int]) -> ir.Ops:
    result: list[ir.Op] = []
    for op in ops:
        if isinstance(op, ir.Set) and isinstance(op.target, ir.Local) and op.target.slot in cells:
            result.append(replace(op, cell=cells[op.target.slot]))
        else:
            result.append(map_blocks(op, lambda inner: _insert_stores(inner, cells)))
    return tuple(result)


Functions = Sequence[tuple[ir.Function, Liveness]]


def find_live_locals(functions: Functions, choice_count: int, returns: Iterable[int]) -> list[set[int]]:
    """Return for each choice, by its number, the slots of the locals that are live while it waits.

    A local is live if it may be read before it is set. The functions of the choice (question, options, resume, frame
    and phase) count for this, and so do the blocks and the next choices to which these go on. A local that an effect or
    query may read in this way is live for every choice. The functions of choice 2 are found by their names ``q2``,
    ``o2``, ``r2``, ``f2`` and ``p2``, and block 7 as ``b7``. ``functions`` pairs each function with its Liveness.
    ``returns`` lists the blocks after calls of routines that ask. The end of a routine that asks is a Return of a local
    in a block, and can go to any of these.
    """
    live_slots = {function.name: set(liveness.exposed_locals) for function, liveness in functions}
    common = set[int]().union(
        *(live_slots[function.name] for function, _ in functions if function.role in ("effect", "query"))
    )
    return_blocks = [f"b{label}" for label in returns]
    has_changed = True
    while has_changed:
        has_changed = False
        for function, liveness in functions:
            slots = set(live_slots[function.name])
            for exit_op, definite_writes in liveness.exits:
                next_blocks = return_blocks if function.role == "block" else ()
                slots |= _list_live_after(exit_op, definite_writes, live_slots, next_blocks)
            if slots != live_slots[function.name]:
                live_slots[function.name], has_changed = slots, True
    return [common | _list_live_at_choice(number, live_slots) for number in range(choice_count)]


def _list_live_at_choice(number: int, live_slots: Mapping[str, set[int]]) -> set[int]:
    """Return the locals that are live at the start of the functions of a choice."""
    return set[int]().union(*(live_slots.get(f"{kind}{number}", set()) for kind in "qorfp"))


def _list_live_after(
    exit_op: ir.Goto | ir.WaitForAnswer | ir.Return,
    definite_writes: DefiniteWrites,
    live_slots: Mapping[str, set[int]],
    return_blocks: Sequence[str],
) -> set[int]:
    """Return the locals that may be read after an exit of a function."""
    match exit_op:
        case ir.Goto(label=label):
            slots = live_slots[f"b{label}"]
        case ir.WaitForAnswer(number=number):
            slots = _list_live_at_choice(number, live_slots)
        case ir.Return(values=(ir.Local(),)):
            slots = set[int]().union(*(live_slots[name] for name in return_blocks if name in live_slots))
        case _:
            return set()
    return {slot for slot in slots if slot not in definite_writes}
