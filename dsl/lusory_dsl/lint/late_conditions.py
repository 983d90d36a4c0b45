"""A lint: one item of each kind is taken, and only then asked about itself.

``cards with distinct it.original`` keeps the first copy of each card. What is asked of it afterwards, such as where it
lies, may hold for another copy, which is no longer there. What follows from the key, such as what is printed on cards
of which the originals are compared, is the same for all that were left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .. import core
from ..checker.stages import Checked
from ..core.accesses import read_by, routines_of
from ..language.types import ComponentType
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.records import dataclass
from ..text.source import Span

MOST_CALLS = 4
"""How many queries deep a list is followed."""


@dataclass(frozen=True, eq=False)
class Representatives:
    """A list with one item for each value of ``key``, which is worked out with the item in ``slot``."""

    slot: int
    key: core.Expr
    span: Span


class LateConditions:
    """Looks through the routines of a program."""

    def __init__(
        self, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone], diagnostics: Diagnostics
    ) -> None:
        self.queries = queries
        self.zones = zones
        self.diagnostics = diagnostics
        self.reported: set[Span] = set()  # what is laid into several routines is told once

    def routine(self, *roots: core.Expr | core.Stmt) -> None:
        """Reports what is asked too late in one routine: expressions and statements that share their locals."""
        parts = [part for root in roots for part in core.walk(root)]
        values = {part.slot: part.value for part in parts if isinstance(part, core.Let)}
        for part in parts:
            for slot, source, condition in _asked(part):
                kept = self.kept(source, values)
                if kept is not None:
                    self._report(slot, kept, condition)

    def _report(self, slot: int, kept: Representatives, condition: core.Expr) -> None:
        own = next(self.own(condition, slot, kept), None)
        if own is None or own.span in self.reported:
            return
        self.reported.add(own.span)
        message = "this is asked of the one item that was kept, and may hold for one that was left out"
        hint = "ask first, and keep one of each with `with distinct` afterwards"
        self.diagnostics.add(codes.LATE_CONDITION, message, own.span, hint, [(kept.span, "one of each is kept here")])

    # ------------------------------------------------------------ lists with one item of each

    def kept(self, source: core.Expr, values: Mapping[int, core.Expr], calls: int = 0) -> Representatives | None:
        """What a list is one of each of, or None."""
        match source:
            case core.Distinct(slot=slot, key=key, span=span):
                return Representatives(slot, key, span) if core.locals_in(key) == {slot} else None
            case core.Filter(slot=slot, condition=condition, span=span) if copy := _first_copy(condition, slot):
                return Representatives(slot, core.Field(copy.type, span, copy, "original"), span)
            case core.Filter(source=inner) | core.Extreme(source=inner):
                return self.kept(inner, values, calls)
            case core.Binary(op="except", left=inner):
                return self.kept(inner, values, calls)
            case core.Binary(op="intersect", left=left, right=right):
                return self.kept(left, values, calls) or self.kept(right, values, calls)
            case core.CallBuiltin(args=(inner, *_)) if source.type == inner.type:
                return self.kept(inner, values, calls)
            case core.Local(slot=slot) if slot in values:
                return self.kept(values[slot], {s: v for s, v in values.items() if s != slot}, calls)
            case core.CallQuery(query=query) if calls < MOST_CALLS:
                return self.kept(self.queries[query].value, {}, calls + 1)
        return None

    # ------------------------------------------------------------ what is the item's own

    def own(self, expr: core.Expr, slot: int, kept: Representatives, calls: int = 0) -> Iterator[core.Expr]:
        """The parts of a condition that the key does not settle, as far as that is certain."""
        of_copies = isinstance(kept.key, core.Field) and kept.key.field == "original"
        if _same(expr, slot, kept.key, kept.slot):
            return
        match expr:
            case core.LiesIn(component=component) | core.IndexOfPlace(component=component) if _is(component, slot):
                yield expr
            case core.ReadCell(indices=indices) if any(_is(index, slot) for index in indices):
                yield expr
            case core.Binary(op="in", left=item, right=right) if _is(item, slot) and self._reads_state(right):
                yield expr
            case core.Field(component=component) if _is(component, slot):
                if not of_copies:
                    yield expr
            case core.CallQuery(query=name, args=args):
                query = self.queries[name]
                for param, argument in zip(query.params, args[len(args) - len(query.params) :], strict=True):
                    if (
                        _is(argument, slot)
                        and calls < MOST_CALLS
                        and any(True for _ in self.own(query.value, param.slot, kept, calls + 1))
                    ):
                        yield expr
                for argument in args:
                    if not _is(argument, slot):
                        yield from self.own(argument, slot, kept, calls)
            case core.Local() if _is(expr, slot):
                if not isinstance(expr.type, ComponentType):
                    yield expr
            case core.ByCard(card=card, cases=cases, otherwise=otherwise) if _is(card, slot):
                for value in (*(value for _, value in cases), otherwise):
                    yield from self.own(value, slot, kept, calls)
            case _:
                for child in core.children(expr):
                    yield from self.own(child, slot, kept, calls)

    def _reads_state(self, expr: core.Expr) -> bool:
        return bool(read_by(expr, self.queries, self.zones))


def _asked(part: object) -> Iterator[tuple[int, core.Expr, core.Expr]]:
    """The conditions that the items of a list must meet: slot of the item, the list, the condition."""
    if isinstance(part, core.ChoiceVar):
        if part.condition is not None:
            yield part.slot, part.domain, part.condition
    elif isinstance(part, core.Expr | core.Stmt) and (through := core.gone_through(part)) is not None:
        if through.condition is not None:
            yield through.slot, through.source, through.condition
        if isinstance(part, core.Fold) and part.is_test:
            yield part.slot, part.source, part.body


def _first_copy(condition: core.Expr, slot: int) -> core.Expr | None:
    """The item, where a condition says that it is the first of its copies: ``it is first(it.copies intersect xs)``."""
    match condition:
        case core.Binary(op="=", left=item, right=core.CallBuiltin(name="first", args=(copies,))) if _is(item, slot):
            parts = core.walk(copies)
            own = any(isinstance(p, core.Field) and p.field == "copies" and _is(p.component, slot) for p in parts)
            return item if own else None
    return None


def _is(expr: core.Expr, slot: int) -> bool:
    return isinstance(expr, core.Local) and expr.slot == slot


def _same(first: core.Expr, slot: int, second: core.Expr, other: int) -> bool:
    """Whether two expressions say the same, of an item in ``slot`` and of one in ``other``."""
    if type(first) is not type(second):
        return False
    if isinstance(first, core.Local) and isinstance(second, core.Local):
        return first.slot == slot and second.slot == other
    if isinstance(first, core.Const) and isinstance(second, core.Const):
        return first.value == second.value
    words = [n for n in first.__match_args__ if isinstance(getattr(first, n), str) and n != "span"]
    if any(getattr(first, name) != getattr(second, name) for name in words):
        return False
    mine, yours = core.children(first), core.children(second)
    return len(mine) == len(yours) and all(_same(a, slot, b, other) for a, b in zip(mine, yours, strict=True))


def late_conditions(checked: Checked, report: Diagnostics) -> None:
    """Warns of what is asked of the items of a list after one of each was kept. Invariants may: they say what holds of
    those that were kept."""
    program = checked.program
    late = LateConditions(program.queries, program.zones, report)
    for routine in routines_of(checked.phases, checked.effects, program.queries):
        late.routine(*routine)
