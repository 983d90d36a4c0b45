"""Where the game can stop it is split into blocks: straight operations that end by going to another block, by waiting
for a decision, or with the game."""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import ir
from .builds import inside

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
