"""Analyse a whole program for lints: find conditions with a constant value, and bound the values of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod

from .. import core
from ..source.lazy_dataclass import dataclass, field, replace
from ..types.types import ANY, INT_MAX, INT_MIN, LIST_LIMIT, BoolType, Interval, IntType, PlayerType
from .value_ranges import Bounds

Block = tuple[core.Stmt, ...]
RoutineNodes = tuple[core.Expr | core.Stmt, ...]
"""Expressions and statements that share their locals."""


def read_by(expr: core.Expr, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone]) -> set[str]:
    """Return the variables and zones that an expression may read, directly or through queries and their modifiers."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = [expr]
    while todo:
        here = todo.pop()
        found |= set(core.reads(here))
        inside = core.children(here)
        if core.row(type(here)).anywhere:
            kinds = {part.type for part in inside}
            found |= {zone.name for zone in zones.values() if zone.holds in kinds}
        if isinstance(here, core.CallQuery) and here.query not in seen:
            seen.add(here.query)
            query = queries[here.query]
            todo += [query.value, *(e for m in query.modifiers for e in (m.condition, m.value))]
        todo += inside
    return found


def written_by(stmt: core.Stmt, zones: Mapping[str, core.CardZone]) -> set[str]:
    """Return the places that a statement may change, without its nested blocks.

    A component can leave any zone of its kind, even one that the statement doesn't name.
    """
    written = set(core.writes(stmt))
    for move in core.moves(stmt):
        written |= move.zones_of_kind(zones)
    return written


def routines_of(
    phases: Iterable[core.Phase], effects: Mapping[str, core.Effect], queries: Mapping[str, core.Query]
) -> Iterator[RoutineNodes]:
    """Yield the nodes of each routine: phases, effects with their rules, and queries with their modifiers."""
    for phase in core.phases_in(phases):
        yield (*(c for c in (phase.condition, phase.repeat) if c is not None), *phase.body)
    for effect in effects.values():
        yield effect.body
        for rule in core.rules_of(effect):
            yield (*(() if rule.condition is None else (rule.condition,)), *rule.body)
    for query in queries.values():
        yield (query.value,)
        for modifier in query.modifiers:
            yield (modifier.condition, modifier.value)


MOST_CALLS = 3
"""Maximum depth of query calls that the analysis follows."""
MOST_STEPS = 20_000
"""Maximum number of nodes to visit for one question.

A whole ruleset may use 100 times as many. Beyond the limit, nothing is known.
"""
MOST_AWAY = 200
"""Maximum nesting of expressions, through locals, that the analysis follows."""

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}


class Steps:
    """A budget of nodes that the analysis may still visit, for the current question and in total."""

    def __init__(self) -> None:
        self.all = 100 * MOST_STEPS
        self.left = 0
        self.away = 0

    def begin(self) -> None:
        """Start a new question with a fresh budget."""
        self.left = min(MOST_STEPS, self.all)

    def take(self) -> bool:
        """Use up one node, and return whether the budget of the question allows it."""
        self.left -= 1
        self.all -= 1
        return self.left > 0


@dataclass(frozen=True, eq=False)
class Facts:
    """Facts about a whole program.

    ``most`` maps a pool and a kind to the maximum number of such counters. None means that there is no limit.
    """

    players: Interval
    options: Mapping[str, Interval]
    most: Mapping[tuple[str, int], int | None]
    sizes: Mapping[str, int]  # maximum number of components that a zone can hold
    entities: Sequence[core.Entity]
    queries: Mapping[str, core.Query]
    zones: Mapping[str, core.CardZone]
    steps: Steps = field(default_factory=Steps)


def facts_of(
    players: tuple[int, int],
    options: Sequence[core.Option],
    pools: Mapping[str, core.Pool],
    zones: Mapping[str, core.CardZone],
    entities: Sequence[core.Entity],
    queries: Mapping[str, core.Query],
) -> Facts:
    sizes = {zone.name: sum(e.kind == str(zone.holds) for e in entities) for zone in zones.values()}
    ranges = {o.name: (o.low, o.high) for o in options if o.low is not None and o.high is not None}
    facts = Facts(players, ranges, {}, sizes, entities, queries, zones)
    facts.steps.begin()
    bounds = ProgramBounds(facts)
    total: dict[tuple[str, int], int | None] = {}
    for pool in pools.values():
        cells = prod(players[1] if isinstance(dim.type, PlayerType) else dim.size or 0 for dim in pool.dims)
        for kind, start in enumerate(pool.start):
            each = 0 if start is None else max(0, bounds.interval(start)[1])
            is_known = each < INT_MAX and not pool.unlimited
            before = total.get((str(pool.holds), kind), 0)
            total[str(pool.holds), kind] = before + each * cells if is_known and before is not None else None
    held = {
        (pool.name, kind): most
        for pool in pools.values()
        for (holds, kind), most in total.items()
        if holds == str(pool.holds)
    }
    return replace(facts, most=held)


@dataclass(frozen=True, eq=False)
class ProgramBounds(Bounds):
    """Bounds of expressions, derived from the facts of a program.

    Attributes:
        sources: Slot -> the list that the local iterates over.
        values: Slot -> the expression that the local is bound to.
        cards: Slot -> the card that the local is assumed to be.
        numbers: Slot -> the interval of the local.
        counted: If False, the analysis assumes an unlimited supply of counters.
        calls: The current depth of query calls.
    """

    facts: Facts
    sources: Mapping[int, core.Expr] = field(default_factory=dict)
    values: Mapping[int, core.Expr] = field(default_factory=dict)
    cards: Mapping[int, int] = field(default_factory=dict)
    numbers: Mapping[int, Interval] = field(default_factory=dict)
    counted: bool = True
    calls: int = 0

    @property
    def players(self) -> Interval:
        return self.facts.players

    def of_cards(self, cards: Mapping[int, int]) -> ProgramBounds:
        """Return bounds that assume certain cards for some locals."""
        return replace(self, cards={**self.cards, **cards})

    def without_calls(self) -> ProgramBounds:
        """Return bounds that don't look into queries."""
        return replace(self, calls=MOST_CALLS)

    def without_end(self) -> ProgramBounds:
        """Return bounds that assume an unlimited supply of counters."""
        return replace(self, counted=False)

    def inside(self, slot: int, source: core.Expr) -> ProgramBounds:
        """Return bounds inside a loop, where the local ``slot`` iterates over the list ``source``."""
        return replace(self, sources={**self.sources, slot: source})

    # ------------------------------------------------------------ conditions

    def truth(self, expr: core.Expr) -> bool | None:
        """Return True if a condition always holds, False if it never does, and None if that is unknown."""
        if not self.facts.steps.take():
            return None
        match expr:
            case core.Const(value=bool() as value):
                return value
            case core.Unary(op="not", operand=operand):
                found = self.truth(operand)
                return None if found is None else not found
            case core.Binary(op=("and" | "or") as op):
                return self._joined(expr, op)
            case core.Binary(op=("=" | "!=" | "<" | "<=" | ">" | ">=") as op, left=left, right=right):
                return self._compared(op, left, right)
            case core.Binary(op="in", left=left, right=right):
                return self._contained(left, right)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                chosen = self.truth(condition)
                sides = (
                    {self.truth(then), self.truth(otherwise)}
                    if chosen is None
                    else {self.truth(then if chosen else otherwise)}
                )
                return sides.pop() if len(sides) == 1 else None
            case core.Fold(kind=("any" | "all") as kind, source=source, body=body, slot=slot):
                never, whole = self.sizes(source)[1] == 0, self.inside(slot, source).truth(body)
                return kind == "all" if never or (whole is not None and whole is (kind == "all")) else None
            case core.CallQuery():
                called = self._called(expr)
                return None if called is None else called[0].truth(called[1])
            case core.Named(slot=slot, value=value, body=body):
                return self.naming(slot, value).truth(body)
        return None

    def never_after(self, before: Sequence[core.Expr], condition: core.Expr) -> bool:
        """Return whether ``condition`` can't hold if all conditions ``before`` are False."""
        return self.never_together([*(denied(other) for other in before), condition])

    def never_together(self, conditions: Sequence[core.Expr]) -> bool:
        """Return whether some conditions, read at the same moment, can't all hold."""
        parts = [part for condition in conditions for part in core.chain(condition, "and")]
        if any(self.truth(part) is False for part in parts):
            return True
        if len(parts) == 1:
            return False
        known: dict[object, Interval] = {}
        denied: dict[object, set[int]] = {}
        for op, left, right in _comparisons(parts):
            low, high = self.interval(right) if isinstance(right.type, IntType) else _constant(right)
            if op == "!=":
                denied.setdefault(key_of(left), set()).update({low} if low == high else ())
                continue
            was = known.get(key_of(left), ANY)
            known[key_of(left)] = _meet(was, _allowed(op, (low, high)))
        for key, (low, high) in known.items():
            if low > high or (low == high and low in denied.get(key, ())):
                return True
        return self._contradicted(parts)

    @staticmethod
    def _contradicted(parts: Sequence[core.Expr]) -> bool:
        """Return whether a part and its negation both occur."""
        negated = {key_of(part.operand) for part in parts if isinstance(part, core.Unary)}
        return bool(negated) and any(key_of(part) in negated for part in parts)

    def _joined(self, expr: core.Binary, op: str) -> bool | None:
        parts = core.chain(expr, op)
        found = [self.truth(part) for part in parts]
        decisive = op == "or"
        if decisive in found:
            return decisive
        if all(value is not None for value in found):
            return not decisive
        wanted = parts if op == "and" else [denied(part) for part in parts]
        return decisive if self.never_together(wanted) else None

    def _compared(self, op: str, left: core.Expr, right: core.Expr) -> bool | None:
        if type(left) is type(right) and key_of(left) == key_of(right):
            return op in ("=", "<=", ">=")
        if isinstance(left.type, IntType) and isinstance(right.type, IntType):
            (a, b), (c, d) = self.interval(left), self.interval(right)
        else:
            (a, b), (c, d) = _constant(left), _constant(right)
            if ANY in ((a, b), (c, d)):
                return None
        match op:
            case "<" | ">=":
                found = True if b < c else False if a >= d else None
            case "<=" | ">":
                found = True if b <= c else False if a > d else None
            case _:
                found = True if a == b == c == d else False if b < c or d < a else None
        return found if op in ("<", "<=", "=") or found is None else not found

    def _contained(self, item: core.Expr, items: core.Expr) -> bool | None:
        match items:
            case core.Const(value=()):
                return False
            case core.ListLit(items=()):
                return False
            case core.Range(low=low, high=high):
                (a, b), (c, d) = self.interval(low), self.interval(high)
                e, f = self.interval(item)
                return True if b <= e and f <= c else False if f < a or e > d else None
        return False if self.sizes(items)[1] == 0 else None

    # ------------------------------------------------------------ numbers

    def told(self, expr: core.Expr) -> str | None:
        """Describe the range of a number in words. Return None if nothing is known, or if it is a literal."""
        if isinstance(expr, core.Const) or not isinstance(expr.type, IntType):
            return None
        low, high = self.interval(expr)
        if low == high:
            return f"always {low}"
        if low == INT_MIN or high == INT_MAX:
            return None if (low, high) == ANY else f"at least {low}" if high == INT_MAX else f"at most {high}"
        return f"from {low} to {high}"

    def exact(self, e: core.Expr) -> Interval:
        return self._away(self._exact, e, ANY)

    def sizes(self, e: core.Expr) -> Interval:
        return self._away(self._sizes, e, (0, LIST_LIMIT))

    def _away(self, look: Callable[[core.Expr], Interval], expr: core.Expr, unknown: Interval) -> Interval:
        """Return the bounds that ``look`` finds, or ``unknown`` if the nesting is too deep or the budget is used up."""
        steps = self.facts.steps
        if steps.away > MOST_AWAY or not steps.take():
            return unknown
        steps.away += 1
        found = look(expr)
        steps.away -= 1
        return found

    def option(self, name: str) -> Interval:
        return self.facts.options.get(name, ANY)

    def local(self, e: core.Local) -> Interval:
        if e.slot in self.numbers:
            return self.numbers[e.slot]
        given = self.values.get(e.slot, self.sources.get(e.slot))
        return ANY if given is None else self.interval(given)

    def local_sizes(self, e: core.Local) -> Interval:
        return self.sizes(self.values[e.slot]) if e.slot in self.values else (0, LIST_LIMIT)

    def held(self, place: str, indices: tuple[core.Expr, ...]) -> Interval:
        if not self.counted or not indices:
            return ANY
        kind = indices[-1]
        kinds = [kind.value] if isinstance(kind, core.Const) else [k for pool, k in self.facts.most if pool == place]
        return _counters(self.facts.most.get((place, k)) for k in kinds if isinstance(k, int))

    def total(self, pool: str) -> Interval:
        found = [most for (name, _), most in self.facts.most.items() if name == pool]
        return (0, sum(most or 0 for most in found)) if self.counted and found and None not in found else ANY

    def printed(self, e: core.Field) -> Interval:
        card = self.cards.get(e.component.slot) if isinstance(e.component, core.Local) else None
        value = None if card is None else self.facts.entities[card].fields.get(e.field)
        return (value, value) if isinstance(value, int) and not isinstance(value, bool) else ANY

    def components(self, zone: str) -> int:
        return self.facts.sizes.get(zone, LIST_LIMIT)

    def value_of(self, call: core.CallQuery) -> Interval:
        called = self._called(call)
        return ANY if called is None else called[0].interval(called[1])

    def naming(self, slot: int, value: core.Expr) -> ProgramBounds:
        return replace(self, values={**self.values, slot: value})

    def over_items(self, slot: int, source: core.Expr) -> ProgramBounds:
        return self.inside(slot, source)

    def truth_of_items(self, slot: int, source: core.Expr, condition: core.Expr) -> bool | None:
        return self.inside(slot, source).truth(condition)

    def _called(self, call: core.CallQuery) -> tuple[ProgramBounds, core.Expr] | None:
        """Return the value of a query with the bounds of its parameters. Return None if its value can't be used.

        The value can't be used if rules modify the query, or if the calls are nested too deeply.
        """
        query = self.facts.queries.get(call.query)
        if query is None or query.modifiers or self.calls == MOST_CALLS or len(query.params) != len(call.args):
            return None
        given = list(zip(query.params, call.args, strict=True))
        locals = [(p.slot, a.slot) for p, a in given if isinstance(a, core.Local)]
        cards = {slot: self.cards[known] for slot, known in locals if known in self.cards}
        numbers = {p.slot: self.interval(a) for p, a in given if isinstance(p.type, IntType)}
        return ProgramBounds(self.facts, {}, {}, cards, numbers, self.counted, self.calls + 1), query.value


def _counters(most: Iterable[int | None]) -> Interval:
    """Return the range of the number of counters of some kinds. None among ``most`` means that there is no limit."""
    found = list(most)
    return (0, max(one or 0 for one in found)) if found and None not in found else ANY


def denied(expr: core.Expr) -> core.Expr:
    """Return the negation of a condition."""
    match expr:
        case core.Unary(op="not", operand=operand):
            return operand
        case core.Binary(op=op, left=left, right=right) if op in _DENIED:
            return replace(expr, op=_DENIED[op])
        case core.Binary(op="or", left=left, right=right):
            return core.Binary(expr.type, expr.span, "and", denied(left), denied(right))
    return core.Unary(expr.type, expr.span, "not", expr)


def key_of(expr: object) -> object:
    """Return a key that is equal for structurally equal expressions, wherever they stand."""
    if isinstance(expr, tuple):
        return tuple(key_of(item) for item in expr)
    if not isinstance(expr, core.Expr):
        return expr
    return (type(expr).__name__, *(key_of(getattr(expr, name)) for name in _fields(type(expr))))


_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: type[core.Expr]) -> tuple[str, ...]:
    found = _FIELDS.get(kind)
    if found is None:
        found = _FIELDS[kind] = tuple(n for n in kind.__dataclass_fields__ if n not in ("span", "type", "origin"))
    return found


def _comparisons(parts: Sequence[core.Expr]) -> Iterator[tuple[str, core.Expr, core.Expr]]:
    """Yield each comparison of ``parts`` twice, once with each operand first."""
    for part in parts:
        if isinstance(part, core.Binary) and part.op in _TURNED:
            yield part.op, part.left, part.right
            yield _TURNED[part.op], part.right, part.left


def _constant(expr: core.Expr) -> Interval:
    """Return a constant that is no number, such as a value of an enum, as an interval of one number.

    Else return ANY.
    """
    if isinstance(expr, core.Const) and not isinstance(expr.type, BoolType) and isinstance(expr.value, int):
        return (expr.value, expr.value)
    return ANY


def _allowed(op: str, bound: Interval) -> Interval:
    low, high = bound
    match op:
        case "<":
            return (INT_MIN, high - 1)
        case "<=":
            return (INT_MIN, high)
        case ">":
            return (low + 1, INT_MAX)
        case ">=":
            return (low, INT_MAX)
    return (low, high)


def _meet(left: Interval, right: Interval) -> Interval:
    return (max(left[0], right[0]), min(left[1], right[1]))
