"""State checks: `whenever` rules. A part of the checker.

Each rule becomes a query, whether there is something to do, and an effect that does it; together they are one effect,
the state checks, which is called wherever something may have changed that a condition reads. No engine knows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from .. import core
from ..checker.rules import Rules, RuleSource, This
from ..checker.values import written_condition
from ..core.accesses import Block, read_by, written_by
from ..core.origin import COPY, STATE_CHECKS, Origin
from ..effect import nodes
from ..language.types import BOOL, INT, ListType, PlayerType

ALL = "state checks"
"""The effect that looks at all conditions. No author can name it."""
MOST_ROUNDS = 1000


@dataclass(frozen=True, eq=False)
class StateChecks:
    """What the `whenever` rules of a ruleset become."""

    queries: dict[str, core.Query]
    effects: dict[str, core.Effect]


def state_checks(rules: Rules, zones: Mapping[str, core.CardZone]) -> StateChecks:
    """The queries and effects of all `whenever` rules."""
    queries: dict[str, core.Query] = {}
    effects: dict[str, core.Effect] = {}
    for source, rule in rules.checks:
        name = f"whenever {source.name}"
        queries[name], effects[name] = _check(name, rules, source, rule, zones)
    if effects:
        span = rules.checks[0][1].span
        due: list[core.Expr] = [core.CallQuery(BOOL, span, name, ()) for name in queries]
        condition = _any_of(due)
        calls = tuple(core.CallEffect(span, name, ()) for name in effects)
        again = core.Repeat(span, None, condition, core.Const(INT, span, MOST_ROUNDS), calls)
        effects[ALL] = core.Effect(ALL, False, (), 0, (again,), origin=Origin(STATE_CHECKS, part="all"))
    return StateChecks(queries, effects)


def _any_of(conditions: Sequence[core.Expr]) -> core.Expr:
    """Whether one of some conditions holds, nested no deeper than need be."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    left, right = _any_of(conditions[:half]), _any_of(conditions[half:])
    return core.Binary(BOOL, left.span, "or", left, right)


def _check(
    name: str, rules: Rules, source: RuleSource, rule: nodes.WheneverRule, zones: Mapping[str, core.CardZone]
) -> tuple[core.Query, core.Effect]:
    """Whether there is something to do, and what does it."""
    routine = rules.texts.routine(f"rule {source.name}")
    span = rule.span
    with routine.frame(), routine.narrowing():
        this = rules.this(routine, source)
        condition = written_condition(routine, rule.condition)
        routine.assume(condition, True)
        body = routine.block(rule.body)
    if this is None:
        done: core.Stmt = core.If(span, ((condition, body),), ())
        due = condition
    else:
        if this.condition is not None:
            condition = core.Binary(BOOL, span, "and", this.condition, condition)
        *outer, (slot, word, cards) = _loops(routine.locals.slot, this, source, zones)
        done = core.ForEach(span, slot, word, cards, condition, body)
        due = core.Fold(BOOL, span, "any", slot, cards, None, condition)
        for slot, word, items in reversed(outer):
            done = core.ForEach(span, slot, word, items, None, (done,))
            due = core.Fold(BOOL, span, "any", slot, items, None, due)
    n_slots = routine.locals.n_slots
    asked, done_by = (Origin(STATE_CHECKS, source.name, part, source.card) for part in ("due", "rule"))
    query = core.Query(name, False, (), BOOL, n_slots, due, (), asked)
    return query, core.Effect(name, False, (), n_slots, (done,), origin=done_by)


Loop = tuple[int, str, core.Expr]


def _loops(
    new_slot: Callable[[], int], this: This, source: RuleSource, zones: Mapping[str, core.CardZone]
) -> list[Loop]:
    """What to go through for the cards that a rule looks at: slot, name and list, outermost first. Of a kind or a
    keyword, where the rule is active in a zone, the cards in it, in the order in which they lie; else all copies."""
    span = source.span
    assert source.of is not None
    zone = None if source.of.original is not None else _zone_of(this)
    if zone is None:
        return [(this.slot, "this", core.Const(ListType(this.kind), span, this.copies))]
    loops: list[Loop] = []
    indices: list[core.Expr] = []
    for dim in zones[zone].dims:
        slot = new_slot()
        of_dim = ListType(dim.type)
        values = tuple(range(dim.low, dim.low + (dim.size or 0)))
        items = core.Players(of_dim, span) if isinstance(dim.type, PlayerType) else core.Const(of_dim, span, values)
        loops.append((slot, "index", items))
        indices.append(core.Local(dim.type, span, slot, "index"))
    return [*loops, (this.slot, "this", core.ReadZone(ListType(this.kind), span, zone, tuple(indices)))]


def _zone_of(this: This) -> str | None:
    """The zone in which `this` lies wherever its condition holds."""
    todo = [] if this.condition is None else [this.condition]
    while todo:
        match todo.pop():
            case core.LiesIn(component=core.Local(slot=slot), zone=zone) if slot == this.slot:
                return zone
            case core.Binary(op="and", left=left, right=right):
                todo += [right, left]
    return None


class CheckWeaver:
    """Calls the state checks where they may find something: when the block of an effect, of a rule that answers to it
    or of a choice in a phase is done, and behind other statements of phases.

    Nothing calls itself, so what the checks do is done by copies of the effects in which nothing is checked: when they
    are done, the conditions are read again anyway."""

    def __init__(
        self,
        checks: StateChecks,
        effects: Mapping[str, core.Effect],
        queries: Mapping[str, core.Query],
        zones: Mapping[str, core.CardZone],
    ) -> None:
        self.effects = effects
        self.zones = zones
        self.read = {name for query in checks.queries.values() for name in read_by(query.value, queries, zones)}
        self.inside: dict[str, core.Effect] = {}  # what the checks do, by the names that are called
        for name in (ALL, *checks.queries) if checks.queries else ():
            self.inside[name] = self._with(checks.effects[name], self._inside)

    def woven(self) -> dict[str, core.Effect]:
        """All effects: those of the game, checked, and what the checks do."""
        return {name: self._with(effect, self._checked) for name, effect in self.effects.items()} | self.inside

    def phase(self, phase: core.Phase) -> core.Phase:
        """A phase with those inside it."""
        return replace(phase, body=self._of_phase(phase.body), children=tuple(map(self.phase, phase.children)))

    @staticmethod
    def _with(effect: core.Effect, change: Callable[[Block], Block]) -> core.Effect:
        """An effect and the rules that answer to it, with other blocks."""
        instead, when = (
            tuple(replace(r, body=change(r.body)) for r in rules) for rules in (effect.instead, effect.when)
        )
        return replace(effect, body=change(effect.body), instead=instead, when=when)

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
            self.inside[name] = replace(self._with(copied, self._inside), name=name, origin=origin)
        return replace(stmt, effect=name)

    def _of_phase(self, block: Block) -> Block:
        found: list[core.Stmt] = []
        for stmt in block:
            if isinstance(stmt, core.Ask):
                found.append(core.rebuilt(stmt, self._checked))
            else:
                inside = core.rebuilt(stmt, self._of_phase)
                found += [inside] if inside is not stmt else self._checked((stmt,))
        return tuple(found)

    def _checked(self, block: Block) -> Block:
        """A block, and the checks behind it where it may have changed what they read."""
        if any(written_by(stmt, self.zones) & self.read for stmt in core.statements_in(block)):
            return (*block, core.CallEffect(block[-1].span, ALL, ()))
        return block
