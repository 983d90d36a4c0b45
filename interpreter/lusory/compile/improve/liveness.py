"""What is so on every path to each operation of a function: which locals are set, which lists of components are its
own.

A local that is read in another function than it was set in has a cell of its own behind the declared state: routines
never recurse, so its place is fixed. Lists of components are never changed in place, but for those that a function has
made itself: states share them."""

from __future__ import annotations

from typing import Any

from .. import ir
from .builds import inside

Known = set[object]  # slots of locals that are set, and zones whose lists are the function's own


class Reads:
    """The locals that operations and values read, each found once: copies of a block share what is in it."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Any, frozenset[int]]] = {}

    def of(self, node: Any) -> frozenset[int]:
        found = self._found.get(id(node))
        if found is None:
            slots = frozenset([n.slot for n in ir.walk(node) if type(n) is ir.Local])
            found = self._found[id(node)] = node, slots
        return found[1]


class Liveness:
    """``exposed``: locals that may be read before they are set. ``ops``: what is done, without making a list the
    function's own once more. ``ends``: where the function goes on elsewhere, with the locals that are set by then."""

    def __init__(self, function: ir.Function, reads: Reads) -> None:
        self.exposed: set[int] = set()
        self.ends: list[tuple[ir.Goto | ir.Wait | ir.Return, Known]] = []
        self.reads = reads
        self.ops, _ = self._block(function.ops, set(function.params))

    def _block(self, ops: ir.Ops, known: Known) -> tuple[ir.Ops, Known | None]:
        """The operations that are left, and what is known behind them (None: nothing gets there)."""
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
    """The operations of a function that keeps locals in their cells, and reads those that it does not set itself."""
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
