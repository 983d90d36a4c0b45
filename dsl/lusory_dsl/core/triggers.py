"""Record what rules trigger on besides effects: cards that move, phases, and values that change.

The checker collects these triggers. The search for trigger cycles and the pass that inserts the calls both use them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..source.lazy_dataclass import dataclass, field
from ..types.builtins import RUNTIME
from .declarations import CardZone
from .expressions import (
    Binary,
    CallBuiltin,
    Const,
    Distinct,
    Expr,
    Extreme,
    Filter,
    IfExpr,
    LiesIn,
    ListLit,
    Local,
    MapList,
    ReadZone,
)
from .statements import MoveCount, SetCell, Stmt
from .visitors import Move, chain, moves


@dataclass(frozen=True)
class ZoneAnswer:
    """A trigger on cards that enter or leave a zone.

    ``effect`` runs when a card ``enters`` or ``leaves`` ``zone``, as ``verb`` says. If ``other`` is set, only moves
    from or to that zone count. If ``of_player`` is True, the effect receives the owner of the zone. ``rule`` is the
    author's name for the rule, here and in all triggers below.
    """

    effect: str
    rule: str
    verb: str
    zone: str
    other: str | None
    of_player: bool


@dataclass(frozen=True)
class EnteringAnswer:
    """A rule of ``effect`` that replaces the entering of a card into ``zone``, perhaps only from the zone ``other``."""

    effect: str
    rule: str
    zone: str
    other: str | None
    of_player: bool


@dataclass(frozen=True)
class PhaseAnswer:
    """A trigger on a phase: ``effect`` runs when a pass of the phase ``begins`` or ``ends``."""

    effect: str
    rule: str
    verb: str
    phase: str


@dataclass(frozen=True)
class ChangeAnswer:
    """A trigger on a new value: ``effect`` runs when a variable changes, or the counters of a pool.

    ``kind`` is a kind of counter, or None for any kind.
    """

    effect: str
    rule: str
    place: str
    kind: int | None


@dataclass
class Answers:
    """All triggers of a program, each list in the order of the rules.

    ``numbers`` numbers the zones that ``entering`` names as a source.
    """

    zones: list[ZoneAnswer] = field(default_factory=list)
    entering: list[EnteringAnswer] = field(default_factory=list)
    phases: list[PhaseAnswer] = field(default_factory=list)
    changes: list[ChangeAnswer] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.zones or self.entering or self.phases or self.changes)

    def number_of(self, zone: str) -> int:
        """Return the number of a zone, from 1. Assign one if it has none."""
        return self.numbers.setdefault(zone, len(self.numbers) + 1)

    def to_move(self, move: Move, zones: Mapping[str, CardZone]) -> tuple[list[ZoneAnswer], list[EnteringAnswer]]:
        """Return the rules that a move of cards may trigger, and those that may replace the entering."""
        sources, targets = sources_of(move, zones), move.targets(zones)
        entering = [a for a in self.entering if a.zone in targets and (a.other is None or a.other in sources)]
        return [a for a in self.zones if _may_follow(a, targets, sources)], entering

    def to_change(self, place: str, kind: Expr | None) -> list[ChangeAnswer]:
        """Return the rules that writing a place may trigger.

        ``kind`` is given for a pool if only one kind is written.
        """
        number = kind.value if isinstance(kind, Const) else None
        return [a for a in self.changes if a.place == place and (a.kind is None or number is None or a.kind == number)]

    def set_off_by(self, stmt: Stmt, zones: Mapping[str, CardZone]) -> Iterator[tuple[str, str]]:
        """Yield each rule that a statement may trigger, without its nested blocks, with a description of the cause."""
        for move in moves(stmt):
            targets = move.targets(zones)
            answers, entering = self.to_move(move, zones)
            for rule, zone in ((answer.rule, answer.zone) for found in (answers, entering) for answer in found):
                yield rule, f"moves cards {'to' if zone in targets else 'out of'} `{zone}`"
        match stmt:
            case MoveCount(kind=kind, source=source, target=target):
                for place in dict.fromkeys((source, target)):
                    yield from ((answer.rule, f"moves counters of `{place}`") for answer in self.to_change(place, kind))
            case SetCell(place=place):
                yield from ((answer.rule, f"sets `{place}`") for answer in self.to_change(place, None))


def _may_follow(answer: ZoneAnswer, targets: frozenset[str], sources: frozenset[str]) -> bool:
    """Return whether a rule may trigger on a move from ``sources`` to ``targets``."""
    near, far = (targets, sources) if answer.verb == "enters" else (sources, targets)
    return answer.zone in near and (answer.other is None or answer.other in far)


def sources_of(move: Move, zones: Mapping[str, CardZone]) -> frozenset[str]:
    """Return the zones that a move may take cards from.

    If the expression doesn't tell, these are all zones of their kind.
    """
    found = zones_of(move.components)
    return move.zones_of_kind(zones) if found is None else found


def zones_of(cards: Expr) -> frozenset[str] | None:
    """Return the zones that hold the cards of a value at the time of evaluation. None: any zone."""
    match cards:
        case ReadZone(zone=zone):
            return frozenset({zone})
        case Const(value=None | ()) | ListLit(items=()):
            return frozenset()
        case Filter(slot=slot, source=source, condition=condition):
            where = (part for part in chain(condition, "and") if isinstance(part, LiesIn))
            named = [part.zone for part in where if isinstance(part.component, Local) and part.component.slot == slot]
            return frozenset(named[:1]) if named else zones_of(source)
        case MapList(slot=slot, source=source, body=Local(slot=item)) if slot == item:
            return zones_of(source)
        case Extreme(source=source) | Distinct(source=source) | Binary(op="except", left=source):
            return zones_of(source)
        case CallBuiltin(name=name, args=(source, *_)) if RUNTIME[name].gives_item or RUNTIME[name].gives_part:
            return zones_of(source)
        case Binary(op="union" | "join" | "intersect", left=left, right=right):
            return _together(left, right)
        case IfExpr(then=then, otherwise=otherwise):
            return _together(then, otherwise)
        case ListLit(items=items):
            return _together(*items)
    return None


def _together(*parts: Expr) -> frozenset[str] | None:
    found: frozenset[str] = frozenset()
    for part in parts:
        zones = zones_of(part)
        if zones is None:
            return None
        found |= zones
    return found
