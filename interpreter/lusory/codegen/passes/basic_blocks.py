"""Split at suspension points into basic blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .. import ir

WITH_BLOCKS = frozenset({ir.When, ir.Loop, ir.While})
Change = Callable[[ir.Ops], ir.Ops]


def for_build(ops: ir.Ops, *builds: str) -> ir.Ops:
    """The operations that a build has."""
    return tuple([inside(op, lambda inner: for_build(inner, *builds)) for op in ops if _has(op, builds)])


def _has(op: ir.Op, builds: tuple[str, ...]) -> bool:
    return op.only is None or op.only in builds


def inside(op: ir.Op, change: Change) -> ir.Op:
    """An operation with its blocks changed."""
    if type(op) not in WITH_BLOCKS:
        return op
    match op:
        case ir.When(place=place, branches=branches):
            return ir.When(place, tuple([ir.Branch(b.place, b.test, change(b.ops)) for b in branches]))
        case ir.Loop(place=place, target=target, source=source, ops=ops, exhausted=last):
            last = None if last is None else ir.Branch(last.place, last.test, change(last.ops))
            return ir.Loop(place, target, source, change(ops), last)
        case ir.While(place=place, test=test, ops=ops):
            return ir.While(place, test, change(ops))
    return op


Targets = dict[str | int, int]  # the blocks that "skip", "again" and the alternatives of a question go to


@dataclass
class Blocks:
    """``blocks``: by label; the first begins the game. ``starts``: of the phases; ``returns``: behind calls of routines
    that ask, with where those stand; ``helpers``: all other functions."""

    blocks: list[ir.Ops] = field(default_factory=list)
    starts: dict[str, int] = field(default_factory=dict)
    returns: dict[int, ir.Provenance] = field(default_factory=dict)
    helpers: list[ir.Function] = field(default_factory=list)

    @property
    def entries(self) -> set[int]:
        """Blocks that may be reached from outside."""
        return {0, *self.starts.values(), *self.returns}


def split(functions: tuple[ir.Function, ...]) -> Blocks:
    """The blocks of a game and its routines."""
    splitter = _Splitter()
    made = splitter.made
    splitter.enter(splitter.new_block())
    for f in functions:
        if f.role == "game":
            splitter.flow(f.ops)
        elif f.role == "routine":
            splitter.enter(splitter.entry(f.name))
            splitter.flow(f.ops)
    made.blocks = [tuple(ops) for ops in splitter.blocks]
    for f in functions:
        if f.role not in ("game", "routine"):
            targets = splitter.answers.get(f.name)
            ops = f.ops if targets is None else going(f.ops, targets)
            made.helpers.append(ir.Function(f.role, f.name, f.params, ops))
    return made


def going(ops: ir.Ops, targets: Targets) -> ir.Ops:
    """Operations that go to blocks."""
    return tuple([_going(op, targets) for op in ops])


def _going(op: ir.Op, targets: Targets) -> ir.Op:
    match op:
        case ir.Skip(place=place):
            return ir.Goto(place, targets["skip"])
        case ir.Again(place=place):
            return ir.Goto(place, targets["again"])
        case ir.Take(place=place, alternative=alternative):
            return ir.Goto(place, targets[alternative])
    return inside(op, lambda inner: going(inner, targets))


class _Splitter:
    def __init__(self) -> None:
        self.made = Blocks()
        self.blocks: list[list[ir.Op]] = []
        self.out: list[ir.Op] = []
        self.loops: list[int] = []  # blocks behind the cycles
        self.entered: dict[str, int] = {}  # first blocks of routines that ask
        self.answers: dict[str, Targets] = {}  # where the functions go that go on with an answer

    def new_block(self) -> int:
        self.blocks.append([])
        return len(self.blocks) - 1

    def enter(self, label: int) -> None:
        self.out = self.blocks[label]

    def entry(self, routine: str) -> int:
        if routine not in self.entered:
            self.entered[routine] = self.new_block()
        return self.entered[routine]

    def goto(self, label: int, op: ir.Op) -> None:
        self.out.append(ir.Goto(op.place.behind(), label))

    def when(self, test: ir.Value, label: int, place: ir.Provenance) -> None:
        """Go to a block where a test holds."""
        self.out.append(ir.When(place, (self.branch(test, label, place),)))

    def branch(self, test: ir.Value | None, label: int, place: ir.Provenance) -> ir.Branch:
        return ir.Branch(place, test, (ir.Goto(place.behind(), label),))

    def flow(self, ops: ir.Ops) -> None:
        for op in ops:
            match op:
                case ir.Phase():
                    self.phase(op)
                case ir.Either():
                    self.either(op)
                case ir.Cycle():
                    self.cycle(op)
                case ir.Chance():
                    self.chance(op)
                case ir.Ask():
                    self.ask(op)
                case ir.AskMany():
                    self.ask_many(op)
                case ir.CallAsking():
                    self.call(op)
                case ir.Leave() if self.loops:
                    self.goto(self.loops[-1], op)
                    self.enter(self.new_block())  # nothing gets here
                case _:
                    self.out.append(op)

    def phase(self, op: ir.Phase) -> None:
        start = self.made.starts[op.name] = self.new_block()
        self.goto(start, op)
        self.enter(start)
        end = self.new_block() if op.ends else -1
        self.out += going(op.first, {"skip": end})
        head = end
        if op.head is not None:
            self.out += op.reset
            head = self.new_block()
            self.goto(head, op)
            self.enter(head)
            self.out += going(op.head, {"skip": end})
        self.flow(op.ops)
        if op.ends:
            self.goto(head, op)
            self.enter(end)

    def either(self, op: ir.Either) -> None:
        end = self.new_block()
        labels = [self.new_block() for _ in op.branches]
        tested = [(b, label) for b, label in zip(op.branches, labels, strict=True) if b.test is not None]
        self.out.append(ir.When(op.place, tuple(self.branch(b.test, label, b.place) for b, label in tested)))
        self.goto(end if len(tested) == len(labels) else labels[-1], op)
        for b, label in zip(op.branches, labels, strict=True):
            self.enter(label)
            self.flow(b.ops)
            self.goto(end, op)
        self.enter(end)

    def cycle(self, op: ir.Cycle) -> None:
        self.out += op.first
        head, end = self.new_block(), self.new_block()
        self.goto(head, op)
        self.enter(head)
        self.out += going(op.head, {"skip": end, "again": head})
        self.loops.append(end)
        self.flow(op.ops)
        self.loops.pop()
        self.goto(head, op)
        self.enter(end)

    def chance(self, op: ir.Chance) -> None:
        self.out += op.first
        end, otherwise = self.new_block(), self.new_block()
        self.when(op.none, otherwise, op.place)
        self.flow(op.ops)
        self.goto(end, op)
        self.enter(otherwise)
        self.flow(op.otherwise)
        self.goto(end, op)
        self.enter(end)

    def ask(self, op: ir.Ask) -> None:
        bodies = [self.new_block() for _ in op.bodies]
        end = self.new_block()
        otherwise = self.new_block() if op.otherwise is not None else end
        targets: Targets = {**dict(enumerate(bodies)), ir.OTHERWISE: otherwise}
        self.answers[op.resume] = targets
        self.out += going(op.ops, targets)
        for label, body in zip(bodies, op.bodies, strict=True):
            self.enter(label)
            self.flow(body)
            self.goto(end, op)
        if op.otherwise is not None:
            self.enter(otherwise)
            self.flow(op.otherwise)
            self.goto(end, op)
        self.enter(end)

    def ask_many(self, op: ir.AskMany) -> None:
        self.out += op.first
        head, end = self.new_block(), self.new_block()
        self.goto(head, op)
        self.enter(head)
        targets = self.answers[op.resume] = {0: head, ir.BEHIND: end}
        self.out += going(op.ops, targets)
        self.enter(end)

    def call(self, op: ir.CallAsking) -> None:
        self.out += op.first
        first, back = self.entry(op.name), self.new_block()
        self.made.returns[back] = op.place.behind()
        self.out.append(ir.Set(op.place, ir.Local(op.back), ir.Const(back)))
        self.goto(first, op)
        self.enter(back)


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
