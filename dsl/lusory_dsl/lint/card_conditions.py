"""Lints for probable mistakes: late conditions, unpayable cards, missing holders, and equal rank terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .. import core
from ..checker.check import CheckedRuleset
from ..core.constant_analysis import collect_reads, iterate_routines
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics
from ..source.lazy_dataclass import dataclass
from ..source.source import Span, quote_list, to_snake_case
from ..types.types import ComponentType, NoneType, OptionalType, PlayerType

MOST_CALLS = 4
"""Maximum depth of nested queries that are followed to find the source of a list."""


@dataclass(frozen=True, eq=False)
class Representatives:
    """A list with one item for each value of ``key``. ``slot`` is the local for the item in ``key``."""

    slot: int
    key: core.Expr
    span: Span


class LateConditions:
    """Searches routines for conditions on lists of representatives, which have one item of each kind.

    A condition that is tested afterwards can be false for the item that was kept, and true for one that was dropped.
    """

    def __init__(
        self, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone], diagnostics: Diagnostics
    ) -> None:
        self.queries = queries
        self.zones = zones
        self.diagnostics = diagnostics
        self.reported: set[Span] = set()  # spans, because a condition can be part of several routines

    def routine(self, *roots: core.Expr | core.Stmt) -> None:
        """Report late conditions in one routine.

        ``roots`` are its expressions and statements, which share their locals.
        """
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
        message = "this condition is tested after duplicates were dropped, so it can miss an item that would match"
        hint = "move the condition before `with distinct`"
        self.diagnostics.add(
            diagnostic_codes.LATE_CONDITION, message, own.span, hint, [(kept.span, "duplicates are dropped here")]
        )

    # ------------------------------------------------------------ lists with one item of each

    def kept(self, source: core.Expr, values: Mapping[int, core.Expr], calls: int = 0) -> Representatives | None:
        """Return a description of ``source`` if it is a list of representatives, or None.

        ``values`` maps the slots of locals to their values. ``calls`` is the current depth of queries.
        """
        match source:
            case core.Distinct(slot=slot, key=key, span=span):
                return Representatives(slot, key, span) if core.collect_locals(key) == {slot} else None
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

    # ------------------------------------------------------------ properties of the single item

    def own(self, expr: core.Expr, slot: int, kept: Representatives, calls: int = 0) -> Iterator[core.Expr]:
        """Yield the parts of a condition that can differ between items with the same key, if that is certain."""
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
                for child in core.get_children(expr):
                    yield from self.own(child, slot, kept, calls)

    def _reads_state(self, expr: core.Expr) -> bool:
        return bool(collect_reads(expr, self.queries, self.zones))


def _asked(part: object) -> Iterator[tuple[int, core.Expr, core.Expr]]:
    """Yield the conditions on the items of a list: the slot of the item, the list, and the condition."""
    if isinstance(part, core.ChoiceVar):
        if part.condition is not None:
            yield part.slot, part.domain, part.condition
    elif isinstance(part, core.Expr | core.Stmt) and (through := core.get_iteration(part)) is not None:
        if through.condition is not None:
            yield through.slot, through.source, through.condition
        if isinstance(part, core.Fold) and part.is_test:
            yield part.slot, part.source, part.body


def _first_copy(condition: core.Expr, slot: int) -> core.Expr | None:
    """Return the item if a condition demands that it is the first of its copies, or None.

    The condition has the form ``it is first(it.copies intersect xs)``.
    """
    match condition:
        case core.Binary(op="=", left=item, right=core.CallBuiltin(name="first", args=(copies,))) if _is(item, slot):
            parts = core.walk(copies)
            own = any(isinstance(p, core.Field) and p.field == "copies" and _is(p.component, slot) for p in parts)
            return item if own else None
    return None


def _is(expr: core.Expr, slot: int) -> bool:
    return isinstance(expr, core.Local) and expr.slot == slot


def _same(first: core.Expr, slot: int, second: core.Expr, other: int) -> bool:
    """Return whether two expressions are equal, apart from one local.

    The local ``slot`` of the first expression corresponds to the local ``other`` of the second.
    """
    if type(first) is not type(second):
        return False
    if isinstance(first, core.Local) and isinstance(second, core.Local):
        return first.slot == slot and second.slot == other
    if isinstance(first, core.Const) and isinstance(second, core.Const):
        return first.value == second.value
    words = [n for n in first.__match_args__ if isinstance(getattr(first, n), str) and n != "span"]
    if any(getattr(first, name) != getattr(second, name) for name in words):
        return False
    mine, yours = core.get_children(first), core.get_children(second)
    return len(mine) == len(yours) and all(_same(a, slot, b, other) for a, b in zip(mine, yours, strict=True))


def late_conditions(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about conditions on the items of a list of representatives.

    Invariants are exempt, because they describe the representatives themselves.
    """
    program = checked.program
    late = LateConditions(program.queries, program.zones, report)
    for routine in iterate_routines(checked.phases, checked.effects, program.queries):
        late.routine(*routine)


class Holders:
    """Searches conditions for comparisons with an index that a card's zone does not have."""

    def __init__(self, zones: Mapping[str, core.CardZone], diagnostics: Diagnostics) -> None:
        self.zones = zones
        self.diagnostics = diagnostics
        self.reported: set[Span] = set()

    def condition(self, condition: core.Expr) -> None:
        """Report pointless comparisons in one condition. Its parts joined by `and` are regarded together."""
        parts = core.flatten_chain(condition, "and")
        for part in parts:
            for asked, other in _compared(part):
                may_be_none = isinstance(other.type, OptionalType | NoneType)
                if isinstance(asked.component, core.Local) and not may_be_none and part.span not in self.reported:
                    self._report(part, asked, self._places(parts, asked.component.slot))

    def _places(self, parts: Iterable[core.Expr], slot: int) -> set[str]:
        """Return the zones in which the card must lie by these conditions, or an empty set if that is not known."""
        found: set[str] | None = None
        for part in parts:
            named = [_zone(choice, slot) for choice in core.flatten_chain(part, "or")]
            if None not in named:
                zones = {name for name in named if name is not None}
                found = zones if found is None else found & zones
        return found or set()

    def _report(self, part: core.Expr, asked: core.IndexOfPlace, places: set[str]) -> None:
        index = asked.type.item if isinstance(asked.type, OptionalType) else asked.type
        without = sorted(name for name in places if index not in [dim.type for dim in self.zones[name].dims])
        if not without:
            return
        self.reported.add(part.span)
        word = "holder" if isinstance(index, PlayerType) else to_snake_case(str(index))
        never = "never" if isinstance(part, core.Binary) and part.op == "=" else "always"
        message = f"a card in {quote_list(without, 'or')} has no `{word}`, so this is {never} true there"
        hint = f"test first that it is in a zone with a `{word}`, or keep its owner in a variable"
        self.diagnostics.add(diagnostic_codes.NO_HOLDER, message, part.span, hint)


def _compared(part: core.Expr) -> Iterator[tuple[core.IndexOfPlace, core.Expr]]:
    """Yield each index of a card's place in a comparison, with the other operand."""
    if isinstance(part, core.Binary) and part.op in ("=", "!="):
        for asked, other in ((part.left, part.right), (part.right, part.left)):
            if isinstance(asked, core.IndexOfPlace):
                yield asked, other


def _zone(part: core.Expr, slot: int) -> str | None:
    """Return the zone in which a card lies if a condition holds, or None if the condition says nothing about it."""
    match part:
        case core.LiesIn(component=core.Local(slot=card), zone=zone) if card == slot:
            return zone
        case core.Binary(op="in", left=core.Local(slot=card), right=core.ReadZone(zone=zone)) if card == slot:
            return zone
    return None


def no_holders(checked: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about comparisons with an index, such as the holder of a card, that the card's zone does not have.

    Only a comparison in a chain of ``and`` that also says in which zones the card lies is reported. A comparison with a
    value that may be none is not.
    """
    program = checked.program
    holders = Holders(program.zones, report)
    for routine in iterate_routines(checked.phases, checked.effects, program.queries):
        inside: set[int] = set()  # ids of the parts of a longer chain, which is checked as a whole
        for part in (part for root in routine for part in core.walk(root)):
            if isinstance(part, core.Binary) and id(part) not in inside:
                holders.condition(part)
                inside |= {id(p) for p in _chained(part)}


def _chained(expr: core.Expr) -> Iterator[core.Expr]:
    """Yield the operands of a chain of `and`, including nested chains."""
    if isinstance(expr, core.Binary) and expr.op == "and":
        for side in (expr.left, expr.right):
            yield side
            yield from _chained(side)
