"""Print the operations of whole games as C, with one function for each class of operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ir
from ..ir import types
from .expressions import NOTHING, appended
from .lists import through
from .marshalling import finish
from .printer import LIST, NUMBER, OPTIONS, VALUES, NotNative, Printer, kind_of, mentions, register_field


def _set(p: Printer, op: ir.Set) -> None:
    """Print an assignment to a cell, a register or a local, or an increase or decrease of one (``op`` is ``+`` or
    ``-``).
    """
    if isinstance(op.target, ir.Cell):
        _set_cell(p, op.target, op)
        return
    if isinstance(op.target, ir.Register):
        sign = "" if op.op == "=" else op.op
        p.say(f"{register_field(op.target)} {sign}= {p.value(op.value)};")
        return
    name = p.target(op.target)
    kind = p.declared.get(name, OPTIONS)
    if op.op != "=":
        p.say(f"{name} {op.op}= {p.as_kind(op.value, kind)};")
    elif kind == OPTIONS:
        p.say(f"{p.many()} = 0;")
        if not (isinstance(op.value, ir.Primitive) and op.value.name == "no_options"):
            raise NotNative("options that come from elsewhere")
    else:
        p.say(f"{name} = {p.as_kind(op.value, kind)};")


def _set_cell(p: Printer, target: ir.Cell, op: ir.Set) -> None:
    if op.op == "=":
        kind = NUMBER if p.width(target.place) else LIST
        value = p.as_kind(op.value, kind)
        with p.elsewhere(0) as lines:
            element = p.element(target)
        if lines:
            kept = p.fresh(kind)
            p.say(f"{kept} = {value};")
            p.out += lines
            value = kept
    else:
        (amount,) = p.numbers(op.value)
        element = p.element(target)
        value = f"{p.cell(target)} {op.op} {amount}"
        if p.found.cells[target.place].is_optional:
            value = f"require(state, {p.cell(target)}) {op.op} {amount}"
    p.store(target, element, value)


def _do(p: Printer, op: ir.Evaluate) -> None:
    worked_out(p, op.value)


def worked_out(p: Printer, v: ir.Value) -> None:
    """Evaluate a value only for its possible fault. A text is never composed; only its parts are evaluated."""
    match v:
        case ir.Text(parts=parts):
            for part in parts:
                worked_out(p, part)
        case ir.Label(value=value):
            worked_out(p, value)
        case ir.Primitive(name="both", args=args):
            for arg in args:
                worked_out(p, arg)
        case ir.Const():
            pass
        case _:
            made = any(isinstance(node, ir.Text | ir.Label | ir.CallQuery) for node in ir.walk(v))
            text_sort = p.sort(v).kind == types.TEXT
            with p.elsewhere(0) as lines:
                text = p.text(v)
                if text != NOTHING:
                    p.say(f"{text};" if text.startswith("fault(") else f"(void){text};")
            if made and text_sort:
                kept = p.fresh()
                lines = [
                    "    " * p.level + f"{kept} = state->word_count;",
                    *lines,
                    "    " * p.level + f"state->word_count = {kept};",
                ]
            p.out += lines


def _when(p: Printer, op: ir.If, at: int = 0) -> None:
    branch, *others = op.branches[at:]
    if branch.test is None:
        p.block(branch.ops)
        return
    with p.at(branch.place):
        test = p.test(branch.test)
    if len(op.branches) == len(branch.ops) == 1 and appended(p, branch.ops[0], test):
        return
    with p.braces(f"if ({_bare(test)})"):
        p.block(branch.ops)
    if others:
        with p.elsewhere() as lines:
            _when(p, op, at + 1)
        with p.braces("else"):
            p.out += lines


def _bare(test: str) -> str:
    """Return a test without parentheses around the whole."""
    if not (test.startswith("(") and test.endswith(")")):
        return test
    depth = 0
    for at, letter in enumerate(test):
        depth += (letter == "(") - (letter == ")")
        if not depth and at < len(test) - 1:
            return test
    return test[1:-1]


def _guard(p: Printer, op: ir.Guard) -> None:
    test = p.test(op.test)
    if not appended(p, op.then, test):
        with p.braces(f"if ({_bare(test)})"):
            p.block((op.then,))


def _loop(p: Printer, op: ir.Loop) -> None:
    left = _label(p)
    name = None if op.target is None else p.target(op.target)

    def body(item: str) -> None:
        if name is not None:
            p.say(f"{name} = {item};")
        p.block(op.ops)

    p.leaving.append(left)
    through(p, op.source, body, releases=_releases(p, op.ops), changing=True)
    p.leaving.pop()
    if op.exhausted is not None:
        p.block(op.exhausted.ops)
    _left(p, left)


def _while(p: Printer, op: ir.While) -> None:
    left = _label(p)
    releases = _releases(p, op.ops)
    p.leaving.append(left)
    with p.passes("for (;;)", releases):
        p.say(f"if (!{p.test(op.test)}) break;")
        p.block(op.ops)
    p.leaving.pop()
    _left(p, left)


def _label(p: Printer) -> str:
    p.counter += 1
    return f"left{p.counter}"


def _left(p: Printer, label: str) -> None:
    if any(line.endswith(f"goto {label};") for line in p.out):
        p.say(f"{label}:;")


def _releases(p: Printer, ops: ir.Ops) -> bool:
    """Return whether the lists of an iteration can be freed at its end: none is read outside the loop."""
    inside = _lists_set(p, ops)
    if not inside:
        return True
    here = mentions(ops)
    return all(p.mentions[name] == here[name] for name in inside)


def _lists_set(p: Printer, ops: ir.Ops) -> set[object]:
    """Return the names of the lists that operations assign."""
    found: set[object] = set()
    for node in ir.walk(ops):
        match node:
            case ir.Set(target=ir.Local(slot=slot)) if kind_of(p.found.locals[slot]) in (LIST, VALUES):
                found.add(slot)
            case ir.Set(target=ir.Temporary(name=name) as own) if p.kind(own) in (LIST, VALUES):
                found.add(name)
            case ir.Evaluate(value=ir.Primitive(name="insert_stop", args=(ir.Temporary(name=name),))):
                found.add(name)
    return found


def _leave(p: Printer, op: ir.Break) -> None:
    p.say(f"goto {p.leaving[-1]};")


def _return(p: Printer, op: ir.Return) -> None:
    if p.function.role == "playout":
        finish(p, op)
    elif p.function.role == "query":
        kind = kind_of(p.found.results[p.function.name])
        p.say(f"return {p.as_kind(op.values[0], kind)};")
    else:
        p.say("state->arena_top = mark;")
        p.say("return;")


def _spend(p: Printer, op: ir.CountWork) -> None:
    p.say(f"state->work += {op.work};")
    if op.is_checked:
        p.say("if (UNLIKELY(state->work > state->work_limit)) fault(state);")


def _call(p: Printer, op: ir.CallEffect) -> None:
    called = next(f for f in p.module.functions if f.name == f"effect{op.number}")
    kinds = [kind_of(p.found.locals[slot]) for slot in called.params]
    p.rooms += 1
    p.say(f"effect{op.number}({', '.join(['state', *p.each(op.args, kinds)])});")


# ---------------------------------------------------------------- components


def _move_cards(p: Printer, op: ir.MoveCards) -> None:
    match op.cards:
        case ir.Record(items=(card,)) if op.top is False:
            card_text, zone = p.several((NUMBER, lambda: p.number(card)), (NUMBER, lambda: p.zone(op.zone)))
            p.say(f"move_component(state, {card_text}, {zone});")
            return
    cards, zone = p.several((LIST, lambda: p.items(op.cards)), (NUMBER, lambda: p.zone(op.zone)))
    p.rooms += 1
    place = "ZONE_SORTED" if op.top is None else "ZONE_TOP" if op.top else "ZONE_BOTTOM"
    p.say(f"move_components(state, {cards}, {zone}, {place});")


def _move_card(p: Printer, op: ir.MoveCard) -> None:
    card, zone = p.several((NUMBER, lambda: p.number(op.card)), (NUMBER, lambda: p.zone(op.zone)))
    p.say(f"move_component(state, {card}, {zone});")


def _take_end(p: Printer, op: ir.TakeEnd) -> None:
    p.say(f"{p.target(op.card)} = zone_take_end(state, {p.zone(op.zone.number)}, {int(op.is_first)});")


def _put(p: Printer, op: ir.PutComponent) -> None:
    p.say(f"zone_insert(state, {p.zone(op.zone.number)}, {op.card.name}, {int(op.is_top)});")


def _shuffle(p: Printer, op: ir.Shuffle) -> None:
    p.rooms += 1
    p.say(f"zone_shuffle(state, &state->stream_{op.stream.name}, {p.zone(op.zone.number)});")


def _draw(p: Printer, op: ir.Draw) -> None:
    domain = p.fresh(LIST)
    p.say(f"{domain} = {p.items(op.domain)};")
    name = p.target(ir.Local(op.slot))
    p.say(f"{name} = list_get(state, {domain}, random_below(&state->stream_{op.stream.name}, {domain}.length));")


def _unpack(p: Printer, op: ir.Unpack) -> None:
    """Print the unpacking of an option."""
    match op.value:
        case ir.Entry(container=ir.Temporary() as options, index=index) if (
            p.kind(options) == OPTIONS and len(op.targets) == 2
        ):
            row = f"state->option_rows[checked_index(state, {p.number(index)}, (uint64_t){p.many()})]"
        case _:
            raise NotNative("values of several kinds in one place")
    take_option(p, row, op)


def take_option(p: Printer, row: str, op: ir.Unpack) -> None:
    """Unpack an option from its row: the alternative comes first, and the values follow."""
    which, values = op.targets
    kept = p.fresh(VALUES)
    p.say(f"{kept} = {row};")
    if which is not None:
        p.say(f"{p.target(which)} = {kept}[0];")
    if values is not None:
        name = p.target(values)
        p.declared[name] = VALUES
        p.say(f"{name} = {kept} + 1;")


def _mark_space(p: Printer, op: ir.UpdateMasks) -> None:
    most = p.marks[op.cell.place]
    name = f"state->mask_{p.names[op.cell.place]}"
    space, value = p.several((NUMBER, lambda: p.number(op.space)), (NUMBER, lambda: p.value(op.value)))
    before = p.cell(op.cell) if op.before is None else p.value(op.before)
    p.say(f"{name}[mask_index(state, {before}, {most})] ^= space_bit({space});")
    p.say(f"{name}[mask_index(state, {value}, {most})] ^= space_bit({space});")


def _nothing(p: Printer, op: ir.Op) -> None:
    """Print nothing, for what only Python stores. In C the chains of the zones hold all locations."""


OPERATIONS: dict[type[ir.Op], Callable[[Printer, Any], None]] = {
    ir.Initialize: _nothing,
    ir.CallEffect: _call,
    ir.Evaluate: _do,
    ir.Draw: _draw,
    ir.Guard: _guard,
    ir.Break: _leave,
    ir.Locate: _nothing,
    ir.Loop: _loop,
    ir.UpdateMasks: _mark_space,
    ir.MoveCard: _move_card,
    ir.MoveCards: _move_cards,
    ir.PutComponent: _put,
    ir.Return: _return,
    ir.Set: _set,
    ir.Shuffle: _shuffle,
    ir.CountWork: _spend,
    ir.TakeEnd: _take_end,
    ir.Unpack: _unpack,
    ir.If: _when,
    ir.While: _while,
}
"""Class of an operation -> its printer. Operations that stop for a choice do not occur in whole games."""
