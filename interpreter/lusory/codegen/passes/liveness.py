"""Find the locals that are live across block boundaries, and store them in cells of the state.

Python locals do not survive the end of a block. A local that some block may read before setting it needs a cell in the
state: :func:`with_cells` adds the loads and stores. For each choice, :func:`awaited` computes the locals that are live
while it waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import ir
from .basic_blocks import inside

Known = set[object]
"""The slots of locals that are certainly set, and the zones whose lists are safe to change in place.

A zone is the pair ``("zone", number)``.
"""


class Reads:
    """Find the locals that operations and values read.

    Results are cached by identity, since inlined copies of a block share their nodes.
    """

    def __init__(self) -> None:
        self._found: dict[int, tuple[Any, frozenset[int]]] = {}

    def of(self, node: Any) -> frozenset[int]:
        """Return the slots of the locals that a node reads."""
        found = self._found.get(id(node))
        if found is None:
            slots = frozenset([n.slot for n in ir.walk(node) if type(n) is ir.Local])
            found = self._found[id(node)] = node, slots
        return found[1]


class Liveness:
    """Analyse the reads and writes of one function.

    Attributes:
        exposed: The locals that may be read before they are set.
        ops: The operations, without repeated ``OwnList`` of the same zone.
        ends: Each exit of the function, with what is known there.
    """

    def __init__(self, function: ir.Function, reads: Reads) -> None:
        self.exposed: set[int] = set()
        self.ends: list[tuple[ir.Goto | ir.Wait | ir.Return, Known]] = []
        self.reads = reads
        self.ops, _ = self._block(function.ops, set(function.params))

    def _block(self, ops: ir.Ops, known: Known) -> tuple[ir.Ops, Known | None]:
        """Return the remaining operations, and what is known after them. None: the end is unreachable."""
        result: list[ir.Op] = []
        done = False
        for op in ops:
            match op:
                case ir.Set(target=ir.Local(slot=slot), value=value):
                    self._reads(value, known)
                    known.add(slot)
                case ir.When():
                    op, after = self._branches(op, known)
                    done = done or after is None
                    known = known if after is None else after
                case ir.Loop(target=target, source=source):
                    self._reads(source, known)
                    inner = known | ({target.slot} if isinstance(target, ir.Local) else set())
                    op = inside(op, lambda ops, inner=inner: self._block(ops, inner)[0])  # type: ignore[misc]
                case ir.While(test=test):
                    self._reads(test, known)
                    op = inside(op, lambda ops, inner=set(known): self._block(ops, inner)[0])  # type: ignore[misc]
                case ir.OwnList(zone=zone) if zone.number.number is not None:
                    if ("zone", zone.number.number) in known:
                        continue
                    known.add(("zone", zone.number.number))
                case _:
                    self._reads(op, known)
                    if isinstance(op, ir.Goto | ir.Wait | ir.Return):
                        self.ends.append((op, set(known)))
                    done = done or isinstance(op, ir.Return | ir.Goto | ir.Wait | ir.Leave)
            result.append(op)
        return tuple(result), None if done else known

    def _branches(self, op: ir.When, known: Known) -> tuple[ir.When, Known | None]:
        ends: list[Known] = []
        branches = []
        for b in op.branches:
            if b.test is not None:
                self._reads(b.test, known)
            ops, after = self._block(b.ops, set(known))
            branches.append(ir.Branch(b.place, b.test, ops))
            if after is not None:
                ends.append(after)
        if op.branches[-1].test is not None:
            ends.append(known)
        return ir.When(op.place, tuple(branches)), set.intersection(*ends) if ends else None

    def _reads(self, node: Any, known: Known) -> None:
        read = self.reads.of(node)
        if read:
            self.exposed |= read - known


def with_cells(live: Liveness, cells: dict[int, int]) -> ir.Ops:
    """Return the operations of a function with loads of its exposed locals, and with stores to cells."""
    loads = [ir.Load(ir.NOWHERE, slot, cells[slot]) for slot in sorted(live.exposed)]
    return (*loads, *_kept(live.ops, cells))


def _kept(ops: ir.Ops, cells: dict[int, int]) -> ir.Ops:
    result: list[ir.Op] = []
    for op in ops:
        if isinstance(op, ir.Set) and isinstance(op.target, ir.Local) and op.target.slot in cells:
            result.append(ir.Set(op.place, op.target, op.value, op.op, cells[op.target.slot]))
        else:
            result.append(inside(op, lambda inner: _kept(inner, cells)))
    return tuple(result)


Functions = Sequence[tuple[ir.Function, Liveness]]


def awaited(functions: Functions, choices: int, returns: Iterable[int]) -> list[set[int]]:
    """Return for each choice the locals that are live while it waits.

    This is a backward data-flow analysis. It iterates over the functions to a fixed point, because of loops.
    ``returns`` lists the blocks after calls of routines that ask; the end of such a routine can go to any of them.
    """
    alive = {f.name: set(live.exposed) for f, live in functions}
    common = set[int]().union(*(alive[f.name] for f, _ in functions if f.role in ("effect", "query")))
    behind = [f"b{label}" for label in returns]
    changed = True
    while changed:
        changed = False
        for f, live in functions:
            found = set(alive[f.name])
            for end, known in live.ends:
                found |= _ahead(end, known, alive, behind if f.role == "block" else ())
            if found != alive[f.name]:
                alive[f.name], changed = found, True
    return [common | _of_choice(number, alive) for number in range(choices)]


def _of_choice(number: int, alive: Mapping[str, set[int]]) -> set[int]:
    """Return the locals that are live at the start of the functions of a choice."""
    return set[int]().union(*(alive.get(f"{kind}{number}", set()) for kind in "qorfp"))


def _ahead(
    end: ir.Goto | ir.Wait | ir.Return, known: Known, alive: Mapping[str, set[int]], behind: Sequence[str]
) -> set[int]:
    """Return the locals that may be read after an exit of a function."""
    match end:
        case ir.Goto(label=label):
            found = alive[f"b{label}"]
        case ir.Wait(number=number):
            found = _of_choice(number, alive)
        case ir.Return(values=(ir.Local(),)):
            found = set[int]().union(*(alive[name] for name in behind if name in alive))
        case _:
            return set()
    return {slot for slot in found if slot not in known}
