"""Where blocks stand: those that are reached from one place only are written out there, so that a function runs as far
as it can; others are functions of their own."""

from __future__ import annotations

from collections.abc import Iterator

from .. import ir
from .blocks import Blocks
from .builds import WITH_BLOCKS, for_build, inside

INLINE_LINES = 6  # a block this short is written out at every place that goes to it
COPY_LINES = 120  # that such a copy may have, with the blocks written out in it
INLINE_DEPTH = 40
DEPTH = 96  # levels of a function (Python reads a hundred)
NESTED = 60  # blocks in one another


def arranged(split: Blocks, build: str) -> list[ir.Function]:
    """The functions of a build: the helpers, and the blocks that are not written out where they are reached from."""
    blocks = [for_build(ops, build) for ops in split.blocks]
    helpers = [ir.Function(f.role, f.name, f.params, for_build(f.ops, build)) for f in split.helpers]
    placement = _Placement(blocks)
    for ops in (*blocks, *(f.ops for f in helpers)):
        for label in targets(ops):
            placement.sources[label] = placement.sources.get(label, 0) + 1
    functions = [ir.Function(f.role, f.name, f.params, placement.inlined(f.ops, 1, (), None)) for f in helpers]
    queue = sorted(split.entries)
    for f in functions:
        queue.extend(targets(f.ops))
    done: set[int] = set()
    while queue:
        label = queue.pop(0)
        if label in done:
            continue
        done.add(label)
        ops = placement.inlined(blocks[label], 1, (label,), None)
        functions.append(ir.Function("block", f"b{label}", (), ops))
        queue.extend(targets(ops))
    return functions


def targets(ops: ir.Ops) -> Iterator[int]:
    """The blocks that operations go to, in order."""
    for op in ops:
        if isinstance(op, ir.Goto):
            yield op.label
        else:
            for block in blocks_of(op):
                yield from targets(block)


def blocks_of(op: ir.Op) -> tuple[ir.Ops, ...]:
    if type(op) not in WITH_BLOCKS:
        return ()
    match op:
        case ir.When(branches=branches):
            return tuple(b.ops for b in branches)
        case ir.Loop(ops=ops, exhausted=last):
            return (ops,) if last is None else (ops, last.ops)
        case ir.While(ops=ops):
            return (ops,)
    return ()


def size(ops: ir.Ops) -> int:
    """How long operations are when written out, a line each."""
    return sum(_size(op) for op in ops)


def _size(op: ir.Op) -> int:
    blocks = blocks_of(op)
    if blocks:
        return sum(1 + max(size(block), 1) for block in blocks)
    twice = isinstance(op, ir.Wait) or (isinstance(op, ir.Spend) and op.checked)
    return 2 if twice or (isinstance(op, ir.Shuffle) and op.dictated) else 1


def depth(ops: ir.Ops) -> int:
    """The levels of operations."""
    inner = [max(depth(block), 1) for op in ops for block in blocks_of(op)]
    return max(inner, default=0) + 1 if ops else 0


class _Placement:
    def __init__(self, blocks: list[ir.Ops]) -> None:
        self.blocks = blocks
        self.sizes = [size(ops) for ops in blocks]
        self.depths = [depth(ops) for ops in blocks]
        self.sources: dict[int, int] = {}

    def inlined(self, ops: ir.Ops, level: int, around: tuple[int, ...], room: list[int] | None) -> ir.Ops:
        """Operations with every ``Goto`` either replaced by the block's own or left. ``around``: the blocks that are
        being written out; ``room``: the lines that a copy of a block may still grow by, so that copies inside copies
        come to an end; None: this is no copy."""
        result: list[ir.Op] = []
        for op in ops:
            if not isinstance(op, ir.Goto):
                result.append(inside(op, lambda inner: self.inlined(inner, level + 1, around, room)))
                continue
            label = op.label
            lines = self.sizes[label]
            alone = self.sources.get(label, 0) == 1
            fits = alone or lines <= INLINE_LINES
            grown = room if room is not None or alone else [COPY_LINES]
            if grown is not None:
                fits = fits and lines <= grown[0]
            deep = level >= INLINE_DEPTH or level + self.depths[label] > DEPTH
            if fits and label not in around and not deep and len(around) < NESTED:
                if grown is not None:
                    grown[0] -= lines
                result.extend(self.inlined(self.blocks[label], level, (*around, label), grown))
            else:
                result.append(op)
        return tuple(result)
