"""Record what rules trigger on besides effects: cards that move, phases, and values that change.

The checker collects these triggers. The search for trigger cycles and the pass that inserts the calls both use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..source.dataclass_with_lazy_methods import ValueRecord, dataclass, field
from ..types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS
from . import expressions as x
from .declarations import CardZone
from .node_traversal_reads_and_writes import Move, find_required_zone, get_moves
from .statements import MoveCount, SetCell, Stmt

FindQueryZones = Callable[[str], "frozenset[str] | None"]


class ZoneTrigger(ValueRecord):
    """A trigger on cards that enter or leave a zone, or a rule that replaces the entering of a card.

    ``effect`` runs when a card ``enters`` or ``leaves`` ``zone``, or in place of its ``entering``, as ``verb`` says. If
    ``other_zone`` is set, only moves from or to that zone count. If ``passes_owner`` is True, the effect receives the
    owner of the zone. ``rule`` is the author's name for the rule, here and in all triggers below."""

    effect: str
    rule: str
    verb: str
    zone: str
    other_zone: str | None
    passes_owner: bool


class PhaseTrigger(ValueRecord):
    """A trigger on a phase: ``effect`` runs when a pass of the phase ``begins`` or ``ends``."""

    effect: str
    rule: str
    verb: str
    phase: str


class ChangeTrigger(ValueRecord):
    """A trigger on a new value: ``effect`` runs when a variable changes, or the counters of a pool.

    ``kind`` is a kind of counter, or None for any kind.
    """

    effect: str
    rule: str
    place: str
    kind: int | None


@dataclass
class Triggers:
    """All triggers of a program, each list in the order of the rules.

    ``source_numbers`` numbers the zones that ``replacements`` names as a source.
    """

    zones: list[ZoneTrigger] = field(default_factory=list)
    replacements: list[ZoneTrigger] = field(default_factory=list)
    phases: list[PhaseTrigger] = field(default_factory=list)
    changes: list[ChangeTrigger] = field(default_factory=list)
    source_numbers: dict[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.zones or self.replacements or self.phases or self.changes)

    def assign_source_number(self, zone: str) -> int:
        """Return the number of a zone in ``source_numbers``. A zone without a number gets the next one, from 1."""
        return self.source_numbers.setdefault(zone, len(self.source_numbers) + 1)

    def find_for_move(self, move: Move, zones: Mapping[str, CardZone]) -> tuple[list[ZoneTrigger], list[ZoneTrigger]]:
        """Return the triggers that a move of cards may set off, and those that may replace the entering.

        The first list is a part of ``self.zones``, the second one of ``self.replacements``, both in declared order.
        ``zones`` holds all zones by name. If the move doesn't tell where the cards come from, they may come from any
        zone that holds the target's kind of component, and also from the target.
        """
        zones_held = find_zones(move.components)
        sources = move.get_zones_of_kind(zones) if zones_held is None else zones_held
        replacements = [trigger for trigger in self.replacements if _can_trigger(trigger, move.target, sources)]
        return [trigger for trigger in self.zones if _can_trigger(trigger, move.target, sources)], replacements

    def find_for_change(self, place: str, kind: x.Expr | None) -> list[ChangeTrigger]:
        """Return the rules that writing a variable or pool may trigger, in declared order.

        ``kind`` is the kind of counter that is written. If it is a constant, rules for other kinds are left out, while
        rules for any kind stay. If it is None or not constant, all rules of ``place`` are returned.
        """
        number = kind.value if isinstance(kind, x.Const) else None
        triggers = (trigger for trigger in self.changes if trigger.place == place)
        return [trigger for trigger in triggers if number is None or trigger.kind is None or trigger.kind == number]

    def find_triggered_rules(self, stmt: Stmt, zones: Mapping[str, CardZone]) -> Iterator[tuple[str, str]]:
        """Yield (name of the rule, cause) for each rule that a statement may trigger, without its nested blocks.

        Example: ``("celebrate", "sets `coins`")``. For each move of cards, triggered rules come first, then those that
        replace the entering. Rules about changes come last. A rule can occur several times.
        """
        for move in get_moves(stmt):
            answers, replacements = self.find_for_move(move, zones)
            for rule, zone in ((answer.rule, answer.zone) for group in (answers, replacements) for answer in group):
                yield rule, f"moves cards {'to' if zone == move.target else 'out of'} `{zone}`"
        match stmt:
            case MoveCount(kind=kind, source=source, target=target):
                for place in dict.fromkeys((source, target)):
                    yield from (
                        (answer.rule, f"moves counters of `{place}`") for answer in self.find_for_change(place, kind)
                    )
            case SetCell(place=place):
                yield from ((answer.rule, f"sets `{place}`") for answer in self.find_for_change(place, None))


def _can_trigger(trigger: ZoneTrigger, target: str, sources: frozenset[str]) -> bool:
    """Return whether a rule may trigger on a move from one of ``sources`` to ``target``."""
    own_zones, other_zones = (sources, {target}) if trigger.verb == "leaves" else ({target}, sources)
    return trigger.zone in own_zones and (trigger.other_zone is None or trigger.other_zone in other_zones)


def find_zones(cards: x.Expr, find_query_zones: FindQueryZones | None = None) -> frozenset[str] | None:
    """Return the names of the zones that hold the cards of a value at the time of evaluation.

    Returns None if the expression doesn't tell, so that it may be any zone. ``none`` and an empty list give the empty
    set. ``find_query_zones`` returns the same for the value of a query, given by its name. Without it, the zones of a
    query are unknown.
    """
    match cards:
        case x.ReadZone(zone=zone):
            return frozenset({zone})
        case x.Const(value=None | ()) | x.ListLit(items=()):
            return frozenset()
        case x.Filter(slot=slot, source=source, condition=condition):
            required_zone = find_required_zone(condition, slot)
            return find_zones(source, find_query_zones) if required_zone is None else frozenset({required_zone})
        case x.MapList(slot=slot, source=source, body=x.Local(slot=item)) if slot == item:
            return find_zones(source, find_query_zones)
        case x.CallQuery(query=name) if find_query_zones is not None:
            return find_query_zones(name)
        case x.Extreme(source=source) | x.Distinct(source=source) | x.Sorted(source=source) | x.Leading(source=source):
            return find_zones(source, find_query_zones)
        case x.Concat(body=source) | x.Named(body=source) | x.Binary(op="except", left=source):
            return find_zones(source, find_query_zones)
        case x.CallBuiltin(name=name, args=(source, *_)) if (
            RUNTIME_FUNCTIONS[name].returns_item or RUNTIME_FUNCTIONS[name].returns_sublist
        ):
            return find_zones(source, find_query_zones)
        case x.Binary(op="union" | "join" | "intersect", left=left, right=right):
            return _union_zones(find_query_zones, left, right)
        case x.IfExpr(then=then, otherwise=otherwise):
            return _union_zones(find_query_zones, then, otherwise)
        case x.ListLit(items=items):
            return _union_zones(find_query_zones, *items)
    return None


def _union_zones(find_query_zones: FindQueryZones | None, *operands: x.Expr) -> frozenset[str] | None:
    all_zones: frozenset[str] = frozenset()
    for operand in operands:
        zones = find_zones(operand, find_query_zones)
        if zones is None:
            return None
        all_zones |= zones
    return all_zones
