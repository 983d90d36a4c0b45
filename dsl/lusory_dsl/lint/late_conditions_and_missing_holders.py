"""Lint conditions on cards that are tested after duplicates were dropped, and comparisons with a missing holder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from .. import core
from ..checker.check import CheckedRuleset
from ..core.program_reads_and_value_bounds import RoutineNodes, collect_reads, iterate_routines
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import Record
from ..source.diagnostics import Diagnostics
from ..source.in_memory_cache_of_parsed_and_checked_texts import get_cached
from ..source.source import Span, quote_list, to_snake_case
from ..types.types import ComponentType, NoneType, OptionalType, PlayerType, strip_optional

MAX_QUERY_DEPTH = 4
"""Maximum depth of nested queries that are followed to find the source of a list."""


class Representatives(Record):
    """A list with one item for each value of ``key``. ``slot`` is the local for the item in ``key``."""

    slot: int
    key: core.Expr
    span: Span


class LateConditionLint:
    """Search routines for conditions on lists of representatives, which have one item for each value of a key.

    A condition that is tested afterwards can be false for the item that stayed, and true for one that was dropped.
    Example: in ``(cards with distinct it.name) where it in hand``, the card of some name that stayed may lie elsewhere,
    while another card of that name is in the hand.
    """

    def __init__(
        self, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone], diagnostics: Diagnostics
    ) -> None:
        self.queries = queries
        self.zones = zones
        self.diagnostics = diagnostics

    def _check_routine(self, *roots: core.Expr | core.Stmt) -> None:
        """Report conditions of a routine that are tested on representatives, at the first part that can vary.

        ``roots`` are its expressions and statements, which share their locals.
        """
        message = "this condition is tested after duplicates were dropped, so it can miss an item that would match"
        hint = "move the condition before `with distinct`"
        values, conditions = get_cached(("item conditions", roots), partial(_list_item_conditions, roots))
        for slot, source, condition in conditions:
            representatives = self._find_representatives(source, values)
            if representatives is None:
                continue
            varying_part = next(self._iterate_varying_parts(condition, slot, representatives), None)
            if varying_part is not None:
                notes = [(representatives.span, "duplicates are dropped here")]
                self.diagnostics.add(codes.LATE_CONDITION, message, varying_part.span, hint, notes)

    # ------------------------------------------------------------ lists with one item of each

    def _find_representatives(
        self, source: core.Expr, values: Mapping[int, core.Expr], depth: int = 0
    ) -> Representatives | None:
        """Return the key of ``source`` if it has one item for each value of a key, else None.

        It has one after ``with distinct``. It also has one after a filter for the first copy of each card; the key is
        then the original. Further filters, selections and sublists keep it. ``values`` maps the slots of locals to
        their values, which are followed, as are queries up to ``MAX_QUERY_DEPTH``. ``depth`` is the current depth of
        queries.
        """
        match source:
            case core.Distinct(slot=slot, key=key, span=span):
                return Representatives(slot, key, span) if core.collect_locals(key) == {slot} else None
            case core.Filter(slot=slot, condition=condition, span=span) if copy := _match_first_copy(condition, slot):
                return Representatives(slot, core.Field(copy.type, span, copy, "original"), span)
            case core.Filter(source=items) | core.Extreme(source=items) | core.Binary(op="except", left=items):
                return self._find_representatives(items, values, depth)
            case core.Binary(op="intersect", left=left, right=right):
                representatives = self._find_representatives(left, values, depth)
                return representatives or self._find_representatives(right, values, depth)
            case core.CallBuiltin(args=(items, *_)) if source.type == items.type:
                return self._find_representatives(items, values, depth)
            case core.Local(slot=slot) if slot in values:
                other_values = {local_slot: value for local_slot, value in values.items() if local_slot != slot}
                return self._find_representatives(values[slot], other_values, depth)
            case core.CallQuery(query=query) if depth < MAX_QUERY_DEPTH:
                return self._find_representatives(self.queries[query].value, {}, depth + 1)
        return None

    # ------------------------------------------------------------ properties of the single item

    def _iterate_varying_parts(
        self, expr: core.Expr, slot: int, representatives: Representatives, depth: int = 0
    ) -> Iterator[core.Expr]:
        """Yield the parts of a condition that certainly can differ between items with the same key:

        - a test of the item's zone or place
        - a variable with the item as an index
        - a field of the item, unless the key is its original
        - membership in a list that reads the state
        - a query that varies
        - an item that is no card

        ``slot`` is the local for the item. The key itself doesn't vary. ``depth`` is the current depth of queries.
        """
        has_original_key = isinstance(representatives.key, core.Field) and representatives.key.field == "original"
        key = core.compute_structural_key(representatives.key, representatives.slot)
        if core.compute_structural_key(expr, slot) == key:
            return
        match expr:
            case core.LiesIn(component=item) | core.IndexOfPlace(component=item) if _is_local(item, slot):
                yield expr
            case core.ReadCell(indices=indices) if any(_is_local(index, slot) for index in indices):
                yield expr
            case core.Binary(op="in", left=item, right=right) if _is_local(item, slot) and collect_reads(
                right, self.queries, self.zones
            ):
                yield expr
            case core.Field(component=component) if _is_local(component, slot):
                if not has_original_key:
                    yield expr
            case core.CallQuery(query=name, args=args):
                query = self.queries[name]
                for param, argument in zip(query.params, args[len(args) - len(query.params) :], strict=True):
                    if _is_local(argument, slot) and depth < MAX_QUERY_DEPTH:
                        parts = self._iterate_varying_parts(query.value, param.slot, representatives, depth + 1)
                        if next(parts, None) is not None:
                            yield expr
                for argument in args:
                    if not _is_local(argument, slot):
                        yield from self._iterate_varying_parts(argument, slot, representatives, depth)
            case core.Local() if _is_local(expr, slot):
                if not isinstance(expr.type, ComponentType):
                    yield expr
            case core.ByCard(card=card, cases=cases, otherwise=otherwise) if _is_local(card, slot):
                for value in (*(value for _, value in cases), otherwise):
                    yield from self._iterate_varying_parts(value, slot, representatives, depth)
            case _:
                for child in core.get_children(expr):
                    yield from self._iterate_varying_parts(child, slot, representatives, depth)


def _list_item_conditions(roots: RoutineNodes) -> tuple[dict[int, core.Expr], list[tuple[int, core.Expr, core.Expr]]]:
    """Return the values of the locals of a routine, by slot, and its conditions on the items of lists.

    A condition comes with the slot of the item and the list before it.
    """
    values: dict[int, core.Expr] = {}
    conditions: list[tuple[int, core.Expr, core.Expr | None]] = []
    for node in (node for root in roots for node in core.walk(root)):
        if isinstance(node, core.Let):
            values[node.slot] = node.value
        elif isinstance(node, core.ChoiceVar):
            conditions.append((node.slot, node.domain, node.condition))
        elif isinstance(node, core.Expr | core.Stmt) and (iteration := core.get_iteration(node)) is not None:
            conditions.append(iteration)
        if isinstance(node, core.Fold) and node.is_test:
            conditions.append((node.slot, node.source, node.body))
    return values, [(slot, source, condition) for slot, source, condition in conditions if condition is not None]


def _match_first_copy(condition: core.Expr, slot: int) -> core.Expr | None:
    """Return the item if a condition demands that it is the first of its copies, or None.

    The condition has the form ``it is first(it.copies intersect xs)``.
    """
    if not isinstance(condition, core.Binary) or condition.op != "=" or not _is_local(condition.left, slot):
        return None
    match condition.right:
        case core.CallBuiltin(name="first", args=(copies,)):
            fields = [node for node in core.walk(copies) if isinstance(node, core.Field) and node.field == "copies"]
            return condition.left if any(_is_local(node.component, slot) for node in fields) else None
    return None


def _is_local(expr: core.Expr, slot: int) -> bool:
    return isinstance(expr, core.Local) and expr.slot == slot


def report_late_conditions(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about conditions after ``with distinct`` that can differ between items with the same key.

    The warning is at the first part that can differ, such as ``it in hand`` in ``(Unit with distinct it.original) where
    it in hand and it.cost > 1``. Such a part tests the item's place, or reads a variable of it, or a field other than
    the key. If the key is ``it.original``, fields are exempt. A list that reads the state counts, too, as in
    ``it in LIST``, and so does a query that does one of these. If the items are no cards, any use of the item counts,
    except in the key. The warning comes even if each card has one copy. A filter
    ``it is first(it.copies intersect hand)`` counts as ``with distinct it.original``.

    Looks into phases, effects with their rules, and queries with their modifiers. Invariants are exempt, because they
    describe the representatives themselves.
    """
    program = checked_ruleset.program
    lint = LateConditionLint(program.queries, program.zones, report)
    for routine in iterate_routines(checked_ruleset.phases, checked_ruleset.effects, program.queries):
        lint._check_routine(*routine)


def _check_holders(condition: core.Expr, zones: Mapping[str, core.CardZone], report: Diagnostics) -> None:
    """Report comparisons of an index that the card's zone doesn't have, in one condition.

    Example: in ``card in deck and card.holder = me``, a deck without an owner has no holder, so the comparison is never
    true. The parts of an ``and`` are regarded together: they tell the zone. Skips operands that may be ``none``.
    """
    conjuncts = core.flatten_chain(condition, "and")
    for conjunct in conjuncts:
        for index_read, operand in _iterate_comparisons(conjunct):
            if isinstance(index_read.component, core.Local) and not isinstance(operand.type, OptionalType | NoneType):
                places = [zones[name] for name in _find_zones(conjuncts, index_read.component.slot)]
                _report_holder(conjunct, index_read, places, report)


def _find_zones(conjuncts: Iterable[core.Expr], slot: int) -> set[str]:
    """Return the zones in which the card must lie by these conditions, or an empty set if that is not known."""
    common_zones: set[str] | None = None
    for conjunct in conjuncts:
        tested_zones = [core.match_zone_test(choice, slot) for choice in core.flatten_chain(conjunct, "or")]
        if None not in tested_zones:
            zones = {name for name in tested_zones if name is not None}
            common_zones = zones if common_zones is None else common_zones & zones
    return common_zones or set()


def _report_holder(
    comparison: core.Expr, index_read: core.IndexOfPlace, places: Iterable[core.CardZone], report: Diagnostics
) -> None:
    """Warn about a condition that is constant for cards in some zones.

    These are the zones of ``places`` that lack the index that the condition reads. Without such zones there is no
    warning.
    """
    index = strip_optional(index_read.type)
    zones_without_index = sorted(zone.name for zone in places if index not in [dim.type for dim in zone.dims])
    if zones_without_index:
        member = "holder" if isinstance(index, PlayerType) else to_snake_case(str(index))
        adverb = "never" if isinstance(comparison, core.Binary) and comparison.op == "=" else "always"
        message = f"a card in {quote_list(zones_without_index, 'or')} has no `{member}`, so this is {adverb} true there"
        hint = f"test first that it is in a zone with a `{member}`, or keep its owner in a variable"
        report.add(codes.NO_HOLDER, message, comparison.span, hint)


def _iterate_comparisons(conjunct: core.Expr) -> Iterator[tuple[core.IndexOfPlace, core.Expr]]:
    """Yield each index of a card's place in a comparison, with the other operand."""
    if isinstance(conjunct, core.Binary) and conjunct.op in ("=", "!="):
        for index_read, operand in ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left)):
            if isinstance(index_read, core.IndexOfPlace):
                yield index_read, operand


def report_missing_holders(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about comparisons with an index, such as the holder of a card, that the card's zone doesn't have.

    The comparison is never true with ``is``, and always with ``is not``. Reports it only in a chain of ``and`` that
    also says in which zone the card lies. If several zones are joined by ``or``, one zone without the index is enough.
    Skips a comparison with a value that may be ``none``. Looks into phases, effects and queries; each comparison is
    reported once.
    """
    program = checked_ruleset.program
    for routine in iterate_routines(checked_ruleset.phases, checked_ruleset.effects, program.queries):
        for condition in get_cached(("compared indices", routine), partial(_list_comparisons, routine)):
            _check_holders(condition, program.zones, report)


def _list_comparisons(routine: RoutineNodes) -> list[core.Binary]:
    """Return the conditions of a routine that compare an index of a card's place. The parts of a chain count as one."""
    conditions: list[core.Binary] = []
    inner_nodes: set[int] = set()  # ids of the parts of a longer chain, which is checked as a whole
    for node in (node for root in routine for node in core.walk(root)):
        if not isinstance(node, core.Binary):
            continue
        if node.op == "and":
            inner_nodes |= {id(node.left), id(node.right)}
        parts = [] if id(node) in inner_nodes else core.flatten_chain(node, "and")
        if any(True for part in parts for _ in _iterate_comparisons(part)):
            conditions.append(node)
    return conditions
