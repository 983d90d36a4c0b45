"""Rules that answer to what is no effect: cards that come and go, phases, values that change. Nodes, as those of
:mod:`lusory_dsl.effect.nodes`."""

from __future__ import annotations

from ..text.records import dataclass
from ..text.source import Span
from .nodes import Block, Expr, Name, Node, Rule


@dataclass(frozen=True, eq=False)
class ZoneName(Node):
    """``hand`` or ``any hand``, in the pattern of a rule: the zone of whoever it is"""

    name: str
    any: bool


@dataclass(frozen=True, eq=False)
class ZoneRule(Node):
    """``when card enters zone [from zone] [if c]: block``, ``when card leaves zone [to zone] [if c]: block`` or
    ``instead of card entering zone [from zone] [if c]: block``"""

    verb: str  # enters | leaves | entering
    card: str
    card_span: Span
    zone: ZoneName
    other: ZoneName | None
    condition: Expr | None
    body: Block


@dataclass(frozen=True, eq=False)
class PhaseRule(Node):
    """``when phase begins [if c]: block`` or ``when phase ends [if c]: block``"""

    verb: str  # begins | ends
    phase: str
    phase_span: Span
    condition: Expr | None
    body: Block


@dataclass(frozen=True, eq=False)
class ChangeRule(Node):
    """``when place[index, …][.kind] changes [if c]: block``; the indices are names that the rule gives them, ``old``
    is the value before."""

    place: str
    place_span: Span
    indices: tuple[Name, ...]
    kind: Name | None
    condition: Expr | None
    body: Block


Pattern = ZoneRule | PhaseRule | ChangeRule
AnyRule = Rule | Pattern
