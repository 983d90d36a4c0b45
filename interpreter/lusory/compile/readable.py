"""The intermediate form as a text to read: what ``lusory compile --emit --build ir`` prints.

For people alone: it can't be read back. Every operation is a line, its blocks stand below it; values are written as
calls of their class, but for those that everybody knows how to write. Cells, locals and the names of each function
stand with what they can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import ir
from .improve.operation_sorts import Sorts
from .ir.sorts import NEVER
from .python.writing import identifier, literal, remark

LONG = 2_000  # letters of a constant that are shown


def readable(module: ir.Module, sorts: Sorts, title: tuple[str | int, ...]) -> str:
    """A module as text. ``title``: words for its first line."""
    shown = _Shown(module.names)
    lines = [remark(*title, "intermediate", "form")]
    for number, value in enumerate(module.tables, 1):
        written = literal(tuple(sorted(value)) if isinstance(value, frozenset) else value)
        lines.append(f"K{number} = {written if len(written) <= LONG else written[:LONG] + ' ...'}")
    lines += [f"cell {name}: {sort}" for name, sort in sorts.cells.items()]
    lines += [f"local {shown.local(slot)}: {sort}" for slot, sort in sorts.locals.items()]
    for f in module.functions:
        given = "".join(f" {shown.local(slot)}" for slot in f.params)
        gives = sorts.results.get(f.name, NEVER)
        result = "" if gives.kind == NEVER.kind else f" gives {gives}"
        lines += ["", f"{f.role} {identifier_of(f.name)}{given}{result}:"]
        lines += [f"    own {name}: {sort}" for name, sort in sorts.own[f.name].items()]
        lines += shown.block(f.ops, 1)
    return "\n".join(lines) + "\n"


def identifier_of(name: str) -> str:
    """The name of a function, of plain letters."""
    return re.sub("[^A-Za-z0-9_-]", "", name)


class _Shown:
    def __init__(self, names: dict[int, str]) -> None:
        self.names = names

    def local(self, slot: int) -> str:
        return identifier(self.names[slot], slot)

    # ------------------------------------------------------------ operations

    def block(self, ops: ir.Ops, level: int) -> Iterator[str]:
        for op in ops:
            yield from self.op(op, level)

    def op(self, op: ir.Op, level: int) -> Iterator[str]:
        margin = "    " * level
        match op:
            case ir.When(branches=branches) | ir.Either(branches=branches):
                word = "when"
                for b in branches:
                    test = "otherwise" if b.test is None else f"{word} {self.value(b.test)}"
                    yield f"{margin}{test}:{self.place(b.place)}"
                    yield from self.block(b.ops, level + 1)
                    word = "or when"
            case ir.Set(target=target, value=value, op=sign):
                sign = {"=": ":="}.get(sign, f"{sign}=")
                yield f"{margin}{self.value(target)} {sign} {self.value(value)}{self.place(op.place)}"
            case ir.Guard(test=test, then=then):
                (line,) = self.op(then, 0)
                yield f"{margin}when {self.value(test)}: {line}"
            case _:
                yield from self.other(op, margin, level)

    def other(self, op: ir.Op, margin: str, level: int) -> Iterator[str]:
        """An operation by the name of its class, its blocks by the names of their fields."""
        plain = [] if op.only is None else [f"[{op.only}]"]
        blocks: list[tuple[str, ir.Ops]] = []
        names: tuple[str, ...] = op.__match_args__
        for name in names:
            held = getattr(op, name)
            if name == "bodies":
                blocks += [(f"alternative {number}", body) for number, body in enumerate(held)]
            elif isinstance(held, ir.Branch):
                blocks.append((name, held.ops))
            elif isinstance(held, tuple) and (name in BLOCKS or (held and isinstance(held[0], ir.Op))):
                if held:
                    blocks.append((name, held))
            elif name not in ("place", "build") and held is not None:
                plain.append(self.part(held))
        yield f"{margin}{' '.join([type(op).__name__.lower(), *plain])}{self.place(op.place)}"
        for title, block in blocks:
            if title != "ops" or len(blocks) > 1:
                yield f"{margin}  {title}:"
            yield from self.block(block, level + 1)

    def place(self, place: ir.Provenance) -> str:
        """The line of the ruleset, as a remark."""
        return "" if place.span is None else f"  # {place.span.line}"

    # ------------------------------------------------------------ values

    def part(self, held: Any) -> str:
        if isinstance(held, ir.Value):
            return self.value(held)
        if isinstance(held, tuple):
            return f"({', '.join(map(self.part, held))})"
        return literal(held)

    def value(self, v: ir.Value) -> str:
        match v:
            case ir.Const(value=value):
                return literal(value)
            case ir.Table(number=number):
                return f"K{number}"
            case ir.Local(slot=slot) | ir.Bound(slot=slot):
                return self.local(slot)
            case ir.Own(name=name):
                return name
            case ir.Register(name=name, phase=phase):
                return f"{name} of {phase}" if phase else name
            case ir.Entry(of=of, index=index, low=low):
                return f"{self.value(of)}[{self.value(index)}{f' - {low}' if low else ''}]"
            case ir.Binary(op=op, left=left, right=right):
                return f"({self.value(left)} {op} {self.value(right)})"
            case ir.Unary(op=op, operand=operand):
                return f"({op} {self.value(operand)})"
            case ir.Prim(name=name, args=args):
                return f"{name}({', '.join(map(self.value, args))})"
            case ir.Index(terms=terms, constant=constant, base=base):
                parts = [f"{self.value(t)} * {stride}" if stride != 1 else self.value(t) for t, stride in terms]
                return " + ".join([*parts, str(constant + base)] if constant + base or not parts else parts)
            case ir.Cell(place=place, index=at):
                return f"{place}[{self.value(at)}]"
        return self.call(v)

    def call(self, v: ir.Value) -> str:
        """A value by the name of its class."""
        names: tuple[str, ...] = v.__match_args__
        held = [self.local(getattr(v, name)) if name == "slot" else self.part(getattr(v, name)) for name in names]
        return f"{type(v).__name__.lower()}({', '.join(held)})"


BLOCKS = ("ops", "otherwise", "first", "reset", "head")
