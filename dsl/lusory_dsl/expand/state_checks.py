"""The passes of state checks: `whenever` rules.

Each rule becomes a query, whether there is something to do, and an effect that does it; together they are one effect,
the state checks, which is called wherever something may have changed that a condition reads. No engine knows of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import core
from ..core.accesses import Block, read_by, written_by
from ..core.origin import COPY, EVENTS, STATE_CHECKS, Origin
from ..core.sugar import EachCard, StateCheck, Sugar
from ..language.types import BOOL, INT, ListType, PlayerType
from ..text.records import replace
from . import bodies

ALL = "state checks"
"""The effect that looks at all conditions."""
MOST_ROUNDS = 1000
_ROUND = Origin(STATE_CHECKS, part="round")
_CALL = Origin(STATE_CHECKS, ALL, "call")

Loop = tuple[int, str, core.Expr]
"""What to go through: slot, name and list."""


def state_checks(program: core.Program, sugar: Sugar) -> core.Program:
    """A program with the queries and effects of its state checks, which nothing calls yet."""
    if not sugar.checks:
        return program
    queries, effects = dict(program.queries), dict(program.effects)
    span = sugar.checks[0].span
    names = []
    for check in sugar.checks:
        query, effect = _check(check, program.zones)
        queries[query.name], effects[effect.name] = query, effect
        names += [query.name]
    condition = _any_of([core.CallQuery(BOOL, span, name, ()) for name in names])
    calls = tuple(core.CallEffect(span, name, (), origin=_ROUND) for name in names)
    again = core.Repeat(span, None, condition, core.Const(INT, span, MOST_ROUNDS), calls, origin=_ROUND)
    effects[ALL] = core.Effect(ALL, False, (), 0, (again,), origin=Origin(STATE_CHECKS, part="all"))
    return replace(program, queries=queries, effects=effects)


def called_state_checks(program: core.Program, sugar: Sugar) -> core.Program:
    """A program in which state checks are called where they may find something: when the block of an effect, of a rule
    that answers to it or of a choice in a phase is done, and behind other statements of phases."""
    if not sugar.checks:
        return program
    weaver = _Weaver(program)
    events = {name: effect for name, effect in weaver.effects.items() if _is_event(effect)}
    woven = bodies.of_program(replace(program, effects=weaver.effects), weaver.checked, weaver.of_phase)
    return replace(woven, effects=woven.effects | events | weaver.inside)


def _is_event(effect: core.Effect) -> bool:
    """Whether an effect is what happens at an event: it is over when all that answers to it is done."""
    return effect.origin.maker == EVENTS and effect.origin.part != COPY


# ---------------------------------------------------------------- what a rule becomes


def _any_of(conditions: Sequence[core.Expr]) -> core.Expr:
    """Whether one of some conditions holds, nested no deeper than need be."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    left, right = _any_of(conditions[:half]), _any_of(conditions[half:])
    return core.Binary(BOOL, left.span, "or", left, right)


def _check(check: StateCheck, zones: Mapping[str, core.CardZone]) -> tuple[core.Query, core.Effect]:
    """Whether there is something to do, and what does it."""
    made = Origin(STATE_CHECKS, check.name, "rule", check.card)
    name, span, condition, n_slots = f"whenever {check.name}", check.span, check.condition, check.n_slots
    if check.each is None:
        done: core.Stmt = core.If(span, ((condition, check.body),), (), origin=made)
        due = condition
    else:
        if check.each.active is not None:
            condition = core.Binary(BOOL, span, "and", check.each.active, condition)
        *outer, (slot, word, cards) = _loops(n_slots, check.each, zones)
        n_slots += len(outer)
        done = core.ForEach(span, slot, word, cards, condition, check.body, origin=made)
        due = core.Fold(BOOL, span, "any", slot, cards, None, condition)
        for slot, word, items in reversed(outer):
            done = core.ForEach(span, slot, word, items, None, (done,), origin=made)
            due = core.Fold(BOOL, span, "any", slot, items, None, due)
    asked = Origin(STATE_CHECKS, check.name, "due", check.card)
    query = core.Query(name, False, (), BOOL, n_slots, due, (), asked)
    return query, core.Effect(name, False, (), n_slots, (done,), origin=made)


def _loops(first: int, each: EachCard, zones: Mapping[str, core.CardZone]) -> list[Loop]:
    """What to go through for the cards that a rule looks at, outermost first; fresh slots begin with ``first``. Of a
    kind or a keyword, where the rule is active in a zone, the cards in it, in the order in which they lie; else all
    copies."""
    span = each.span
    zone = None if each.is_one else _zone_of(each)
    if zone is None:
        return [(each.slot, "this", core.Const(ListType(each.kind), span, each.copies))]
    loops: list[Loop] = []
    for slot, dim in enumerate(zones[zone].dims, first):
        of_dim = ListType(dim.type)
        values = tuple(range(dim.low, dim.low + (dim.size or 0)))
        items = core.Players(of_dim, span) if isinstance(dim.type, PlayerType) else core.Const(of_dim, span, values)
        loops.append((slot, "index", items))
    indices = tuple(core.Local(items.type.item, span, slot, word) for slot, word, items in loops)  # type: ignore[attr-defined]
    return [*loops, (each.slot, "this", core.ReadZone(ListType(each.kind), span, zone, indices))]


def _zone_of(each: EachCard) -> str | None:
    """The zone in which a card lies wherever the rule is active for it."""
    for part in () if each.active is None else core.chain(each.active, "and"):
        match part:
            case core.LiesIn(component=core.Local(slot=slot), zone=zone) if slot == each.slot:
                return zone
    return None


# ---------------------------------------------------------------- where the rules are looked at


class _Weaver:
    """Nothing calls itself, so what the checks do is done by copies of the effects in which nothing is checked: when
    they are done, the conditions are read again anyway. ``effects``: those of the game; ``inside``: what the checks do,
    by the names that are called."""

    def __init__(self, program: core.Program) -> None:
        self.zones = program.zones
        self.effects = {n: e for n, e in program.effects.items() if e.origin.maker != STATE_CHECKS}
        checks = [query for query in program.queries.values() if query.origin.maker == STATE_CHECKS]
        self.read = {name for query in checks for name in read_by(query.value, program.queries, self.zones)}
        self.inside: dict[str, core.Effect] = {}
        self._by_events: dict[str, set[str]] = {}
        for name in (ALL, *(query.name for query in checks)):
            self.inside[name] = bodies.of_effect(program.effects[name], self._inside)

    def _inside(self, block: Block) -> Block:
        """A block of the checks: what it calls are copies."""
        return tuple(self._calling_copies(stmt) for stmt in block)

    def _calling_copies(self, stmt: core.Stmt) -> core.Stmt:
        if not isinstance(stmt, core.CallEffect):
            return core.rebuilt(stmt, self._inside)
        if stmt.effect not in self.effects:
            return stmt  # one of the checks
        name = f"{stmt.effect} in {ALL}"
        if name not in self.inside:
            copied = self.effects[stmt.effect]
            origin = Origin(STATE_CHECKS, stmt.effect, COPY) if copied.origin.is_written else copied.origin
            self.inside[name] = replace(bodies.of_effect(copied, self._inside), name=name, origin=origin)
        return replace(stmt, effect=name)

    def of_phase(self, block: Block) -> Block:
        """A block of a phase, and the checks where they may find something."""
        found: list[core.Stmt] = []
        for stmt in block:
            if isinstance(stmt, core.Ask):
                found.append(core.rebuilt(stmt, self.checked))
            else:
                inside = core.rebuilt(stmt, self.of_phase)
                found += [inside] if inside is not stmt else self.checked((stmt,))
        return tuple(found)

    def checked(self, block: Block) -> Block:
        """A block, and the checks behind it where it may have changed what they read."""
        if any(self._written(stmt) & self.read for stmt in core.statements_in(block)):
            return (*block, core.CallEffect(block[-1].span, ALL, (), origin=_CALL))
        return block

    def _written(self, stmt: core.Stmt) -> set[str]:
        """What a statement may change, with what answers to an event that it is."""
        if not isinstance(stmt, core.CallEffect) or not _is_event(self.effects[stmt.effect]):
            return written_by(stmt, self.zones)
        if stmt.effect not in self._by_events:
            inside = (s for body in core.bodies_of(self.effects[stmt.effect]) for s in core.statements_in(body))
            self._by_events[stmt.effect] = {name for s in inside for name in self._written(s)}
        return self._by_events[stmt.effect]
