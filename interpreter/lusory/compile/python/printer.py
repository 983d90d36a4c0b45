"""The printer: a module of the intermediate form as Python text, each line with where it comes from.

It knows nothing of games: what it prints is settled, and nothing reads its text again. Where places, zones, streams and
registers live is asked of a :class:`Storage`, so that the same printer serves the flat state of stepwise play and the
local variables of a playout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...table.chance import FACTOR, LOW, MASK, SPREAD, STEP, name as stream_name
from ...table.state import StateLayout
from .. import ir
from .support import FORCED, UNTIL, WAITS
from .values import ATOM, CONDITIONAL, OR, SUM, commas, index, text
from .writing import identifier, literal, place_names


@dataclass(frozen=True)
class Storage:
    """Where things live. ``flat``: everything is in the state's lists ``c`` and ``z``; else everything in local
    variables, but for the ``places`` and ``streams`` that shared routines touch, and where ``counters`` says so the
    engine's own registers."""

    flat: bool
    places: frozenset[str] = frozenset()
    streams: frozenset[str] = frozenset()
    counters: bool = True
    apart: frozenset[str] = frozenset()  # variables of spaces whose mask of none is a variable of its own


@dataclass
class Printer:
    """Prints the functions of one module."""

    layout: StateLayout
    names: dict[int, str]  # of the locals
    options: dict[str, str]
    storage: Storage
    lines: list[tuple[str, ir.Provenance]] = field(default_factory=list)
    inside: bool = False  # a routine of a playout: zones have no names of their own there

    def __post_init__(self) -> None:
        self.own = place_names(self.layout.places)

    # ------------------------------------------------------------ where things live

    def local(self, slot: int) -> str:
        """A readable, unique Python name for a local."""
        return identifier(self.names[slot], slot)

    def cell(self, v: ir.Cell) -> str:
        place = self.layout.places[v.place]
        if self.storage.flat or v.place in self.storage.places:
            return f"c[{index(self, v.index, place.offset)}]"
        return f"{self.own[v.place]}[{index(self, v.index)}]" if place.dims else self.own[v.place]

    def marks(self, place: str) -> str:
        return f"M{list(self.own).index(place)}"

    def mask(self, place: str, value: ir.Value) -> str:
        """The mask of a value."""
        if place in self.storage.apart and isinstance(value, ir.Const) and value.value is None:
            return f"N{self.marks(place)[1:]}"
        return f"{self.marks(place)}[{text(self, value)}]"

    def zone(self, v: ir.Zone) -> str:
        number = v.number.number
        local = number is not None and not self.storage.flat and not self.inside
        return f"Z{number}" if local else f"z[{index(self, v.number)}]"

    def location(self, component: ir.Value) -> str:
        return f"c[{text(self, component, SUM)} + {self.layout.location}]"

    def register(self, v: ir.Register) -> str:
        layout = self.layout
        cells = {"over": layout.over, "reason": layout.reason, "work": layout.work, "until": layout.size + UNTIL}
        if v.name == "repeats":
            return f"c[{layout.repeats[v.phase]}]"
        if v.name in ("over", "reason") or self.storage.counters:
            return f"c[{cells.get(v.name, layout.size)}]"
        return {"decisions": "d"}.get(v.name, v.name)

    def stream_cell(self, v: Any) -> str:
        return str(self.layout.streams[v.name])

    def stream(self, v: ir.Stream) -> str:
        local = not self.storage.flat and v.name not in self.storage.streams
        return f"S_{v.name}" if local else f"c[{self.stream_cell(v)}]"

    def option(self, name: str) -> str:
        return self.options[name]

    # ------------------------------------------------------------ functions

    def function(self, f: ir.Function, log: bool) -> None:
        """Print a function. ``log``: it tells what happens."""
        self.inside = f.role in ("effect", "query")
        self.lines.append(("", ir.NOWHERE))
        self.lines.append((f"def {f.name}({', '.join(self.parameters(f, log))}):", ir.NOWHERE))
        self.block(f.ops, 1)

    def parameters(self, f: ir.Function, log: bool) -> list[str]:
        if f.role == "playout":
            return ["rnd", "seed", "table"]
        given = [self.local(slot) for slot in f.params]
        if not self.storage.flat:
            return ["rnd", "c", "z", *given] if f.role == "effect" else ["c", "z", *given]
        answer = {"options": ["q"], "resume": ["i", "q"]}.get(f.role, [])
        logs = log and f.role in ("block", "effect", "resume")
        return ["c", "z", *answer, *given, *(["log"] if logs else [])]

    def block(self, ops: ir.Ops, level: int) -> None:
        for op in ops:
            OPS[type(op)](self, op, level)
        if not ops:
            self.line(level, "pass", ir.NOWHERE)

    def line(self, level: int, line: str, place: ir.Provenance) -> None:
        self.lines.append(("    " * level + line, place))


# ---------------------------------------------------------------- operations


def simple(p: Printer, op: ir.Op) -> str:
    """An operation that is one line."""
    match op:
        case ir.Set(target=target, value=value, op=sign, cell=cell):
            kept = "" if cell is None else f"c[{cell}] = "
            return f"{kept}{text(p, target)} {'' if sign == '=' else sign}= {text(p, value)}"
        case ir.Load(slot=slot, cell=cell):
            return f"{p.local(slot)} = c[{cell}]"
        case ir.Unpack(targets=targets, value=value):
            return f"{', '.join('_' if t is None else text(p, t) for t in targets)} = {text(p, value)}"
        case ir.Do(value=value):
            return text(p, value)
        case ir.Tell(event=event, entries=entries):
            return f"log.append(new({event}, {text(p, entries)}))"
        case ir.TellEach(number=number, seats=seats, frame=frame):
            return f"tell_each(c, z, log, {number}, {text(p, seats)}, {text(p, frame)})"
        case ir.Guard(test=test, then=then):
            return f"if {text(p, test)}: {simple(p, then)}"
        case ir.Leave():
            return "break"
        case ir.Return(values=values):
            return f"return {commas(p, values)}" if values else "return"
        case ir.Goto(label=label):
            return f"return {label}"
        case ir.CallEffect(number=number, args=args, build=build):
            given = [*([] if p.storage.flat else ["rnd"]), "c", "z", *(text(p, a) for a in args)]
            return f"effect{number}({', '.join([*given, *(['log'] if build == ir.EVENTS else [])])})"
    return _of_components(p, op)


def _of_components(p: Printer, op: ir.Op) -> str:
    match op:
        case ir.OwnList(zone=zone):
            return f"{p.zone(zone)} = {p.zone(zone)}[:]"
        case ir.MoveCards(cards=cards, zone=number, top=top, build=build):
            mover = "move_cards_anew" if p.storage.flat else "move_cards"
            log = ", log" if build == ir.EVENTS else ""
            return f"{mover}(c, z, {text(p, cards)}, {index(p, number)}, {top}{log})"
        case ir.MoveCard(card=card, zone=number):
            return f"move_card(c, z, {text(p, card)}, {index(p, number)})"
        case ir.TakeEnd(card=card, zone=zone, first=first):
            return f"{card.name} = {p.zone(zone)}.pop({'0' if first else ''})"
        case ir.Put(card=card, zone=zone, top=top):
            return f"{p.zone(zone)}.{f'insert(0, {card.name})' if top else f'append({card.name})'}"
        case ir.Locate(card=card, zone=number):
            return f"{p.location(card)} = {index(p, number)}"
    raise TypeError(type(op).__name__)


def _simple(p: Printer, op: ir.Op, level: int) -> None:
    p.line(level, simple(p, op), op.place)


def _when(p: Printer, op: ir.When, level: int) -> None:
    word = "if"
    for branch in op.branches:
        p.line(level, "else:" if branch.test is None else f"{word} {text(p, branch.test)}:", branch.place)
        p.block(branch.ops, level + 1)
        word = "elif"


def _loop(p: Printer, op: ir.Loop, level: int) -> None:
    target = "_" if op.target is None else text(p, op.target)
    p.line(
        level,
        f"for {target} in {text(p, op.source, OR if isinstance(op.target, ir.Bound) else CONDITIONAL)}:",
        op.place,
    )
    p.block(op.ops, level + 1)
    if op.exhausted is not None:
        p.line(level, "else:", op.exhausted.place)
        p.block(op.exhausted.ops, level + 1)


def _while(p: Printer, op: ir.While, level: int) -> None:
    p.line(level, f"while {text(p, op.test)}:", op.place)
    p.block(op.ops, level + 1)


def _mark(p: Printer, op: ir.Mark, level: int) -> None:
    place = op.cell.place
    p.line(level, f"bit = 1 << {text(p, op.space, SUM)}", op.place)
    p.line(level, f"{p.mask(place, op.cell if op.before is None else op.before)} ^= bit", op.place.behind())
    p.line(level, f"{p.mask(place, op.value)} ^= bit", op.place.behind())


def _wait(p: Printer, op: ir.Wait, level: int) -> None:
    p.line(level, f"c[{p.layout.size + WAITS}] = {op.number}", op.place)
    p.line(level, f"return {commas(p, op.asked)}", op.place.behind())


WORK, UNTIL_LIMIT = ir.Register("work"), ir.Register("until")


def _spend(p: Printer, op: ir.Spend, level: int) -> None:
    work = p.register(WORK)
    p.line(level, f"{work} += {op.work}", op.place)
    if op.checked:
        p.line(level, f"if {work} > {p.register(UNTIL_LIMIT)}: over_limit('decision')", op.place.behind())


def _shuffle(p: Printer, op: ir.Shuffle, level: int) -> None:
    zone, stream = p.zone(op.zone), p.stream(op.stream)
    if not op.dictated:
        p.line(level, f"{stream} = shuffle({stream}, {zone})", op.place)
        return
    p.line(level, f"if c[{p.layout.size + FORCED}] is None: {stream} = shuffled({stream}, {zone})", op.place)
    p.line(level, f"else: shuffle_zone(c, {p.stream_cell(op.stream)}, {zone})", op.place.behind())


def _draw(p: Printer, op: ir.Draw, level: int) -> None:
    """As :func:`lusory.table.chance.draw`, written out."""
    stream, product, name = p.stream(op.stream), op.product.name, p.local(op.slot)
    domain = text(p, op.domain, ATOM)
    place, behind = op.place, op.place.behind()
    low = f"{product} & {LOW}"
    if op.size is None:
        assert op.length is not None
        length = op.length.name
        p.line(level, f"{length} = len({domain})", place)
        p.line(level, f"{name} = {domain}[0]", behind)
        p.line(level, f"if {length} > 1:", behind)
        level, place = level + 1, behind
        refused = f"{low} < {length} and {low} < {LOW + 1} % {length}"
    else:
        length = str(op.size)
        refused = f"{low} < {(LOW + 1) % op.size}"
    p.line(level, f"{stream} = {stream} * {FACTOR} + {STEP} & {MASK}", place)
    p.line(level, f"{product} = ({stream} >> 32) * {length}", behind)
    if op.size is None or (LOW + 1) % op.size:
        p.line(level, f"while {refused}:", behind)
        p.line(level + 1, f"{stream} = {stream} * {FACTOR} + {STEP} & {MASK}", behind)
        p.line(level + 1, f"{product} = ({stream} >> 32) * {length}", behind)
    p.line(level, f"{name} = {domain}[{product} >> 32]", behind)


def _begin(p: Printer, op: ir.Begin, level: int) -> None:
    match op.what:
        case "decisions":
            lines = ["d = 0"]
        case "work":
            lines = [f"work, until = 0, {op.value}"]
        case "place":
            name, values = p.own[str(op.name)], [literal(value) for value in op.value]
            lines = [
                f"{name} = [{', '.join(values)}]" if p.layout.places[str(op.name)].dims else f"{name} = {values[0]}"
            ]
        case "marks":
            name, masks = str(op.name), dict(op.value)
            lines = [f"{p.mask(name, ir.Const(None))} = {masks.pop(None)}"] if name in p.storage.apart else []
            kept = ", ".join(f"{literal(value)}: {spaces}" for value, spaces in masks.items())
            lines.append(f"{p.marks(name)} = {{{kept}}}")
        case "zone":
            lines = [f"Z{op.name} = [{', '.join(map(str, op.value))}]"]
        case "zones":
            lines = [f"z = [{', '.join(f'Z{n}' for n in range(op.value))}]"]
        case "cells":
            lines = [f"c = [*{text(p, op.value)}]"]
        case "stream cell":
            lines = [f"c[{p.layout.streams[str(op.name)]}] = seeded(seed, {literal(op.name)})"]
        case _:  # a stream, as random_stream.seed
            s = f"S_{op.name}"
            lines = [f"{s} = seed * {FACTOR} + {stream_name(str(op.name))} & {MASK}"]
            lines.append(f"{s} = ({s} ^ {s} >> 30) * {SPREAD[0]} & {MASK}")
            lines.append(f"{s} = ({s} ^ {s} >> 27) * {SPREAD[1]} & {MASK}")
            lines.append(f"{s} ^= {s} >> 31")
    for line in lines:
        p.line(level, line, op.place)


LINES = (
    *(ir.CallEffect, ir.Do, ir.Goto, ir.Guard, ir.Leave, ir.Load, ir.Locate, ir.MoveCard, ir.MoveCards, ir.OwnList),
    *(ir.Put, ir.Return, ir.Set, ir.TakeEnd, ir.Tell, ir.TellEach, ir.Unpack),
)
OPS: dict[type[ir.Op], Callable[[Printer, Any, int], None]] = {
    **dict.fromkeys(LINES, _simple),
    ir.Begin: _begin,
    ir.Draw: _draw,
    ir.Loop: _loop,
    ir.Mark: _mark,
    ir.Shuffle: _shuffle,
    ir.Spend: _spend,
    ir.Wait: _wait,
    ir.When: _when,
    ir.While: _while,
}


def table_text(value: object) -> str:
    """A constant of the module."""
    if isinstance(value, frozenset):
        return f"frozenset({literal(tuple(sorted(value)))})"
    return literal(value)


def listing(p: Printer, title: str, module: ir.Module) -> list[tuple[str, ir.Provenance]]:
    """The lines of a module, each with where it comes from."""
    head = [title, *(f"K{number} = {table_text(value)}" for number, value in enumerate(module.tables, 1))]
    p.lines = [(line, ir.NOWHERE) for line in head]
    for f in module.functions:
        p.function(f, log=module.kind == "events")
    return p.lines
