"""What is known of values before anything is played: bounds of numbers, sizes of lists, conditions that never change.

Used by the lints. Everything here errs on the side of not knowing. Counters only move, so a pool never holds more than
all pools start with; what is printed on cards is not looked at, except on a card that is asked about, since packs add
others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from .. import core
from ..language.builtins import RUNTIME
from ..language.types import BoolType, IntType, ListType, PlayerType

Interval = tuple[float, float]

ANY: Interval = (-inf, inf)
SIZE: Interval = (0, inf)
GREATEST = 10**30
"""Numbers beyond this are as good as without end."""
MOST_CALLS = 3
"""How many queries deep a value is looked for."""
MOST_STEPS = 20_000
"""How many nodes are looked at for one question; for all of a ruleset a hundred times as many. Then nothing is known.
As little is known of what is further away than ``MOST_AWAY``, from local to local."""
MOST_AWAY = 200

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_DENIED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}


class Steps:
    """How many more nodes may be looked at: for the question at hand, and for those that will be asked."""

    def __init__(self) -> None:
        self.all = 100 * MOST_STEPS
        self.left = 0
        self.away = 0

    def begin(self) -> None:
        """Another question."""
        self.left = min(MOST_STEPS, self.all)

    def take(self) -> bool:
        """Whether one more node may be looked at."""
        self.left -= 1
        self.all -= 1
        return self.left > 0


@dataclass(frozen=True, eq=False)
class Facts:
    """What a whole program tells about its places. ``most``: how many counters of a pool's kind there can be, by pool
    and kind."""

    players: Interval
    options: Mapping[str, Interval]
    most: Mapping[tuple[str, int], float]
    sizes: Mapping[str, int]  # how many components a zone can hold
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
    minted: set[str],
) -> Facts:
    """``minted``: pools in which counters are made out of nothing."""
    sizes = {zone.name: sum(e.kind == str(zone.holds) for e in entities) for zone in zones.values()}
    ranges = {o.name: (o.low, o.high) for o in options if o.low is not None and o.high is not None}
    facts = Facts(players, ranges, {}, sizes, entities, queries, zones)
    facts.steps.begin()
    bounds = Bounds(facts)
    total: dict[tuple[str, int], float] = {}
    for pool in pools.values():
        cells = 1.0
        for dim in pool.dims:
            cells *= players[1] if isinstance(dim.type, PlayerType) else dim.size or 0
        for kind, start in enumerate(pool.start):
            made = pool.unlimited or pool.name in minted
            most = inf if made else 0.0 if start is None else max(0.0, bounds.number(start)[1]) * cells
            total[str(pool.holds), kind] = total.get((str(pool.holds), kind), 0.0) + most
    held = {
        (pool.name, kind): most
        for pool in pools.values()
        for (holds, kind), most in total.items()
        if holds == str(pool.holds)
    }
    return replace(facts, most=held)


@dataclass(frozen=True, eq=False)
class Bounds:
    """Looks at expressions. ``sources``: the lists that locals go through; ``values``: what locals were given;
    ``cards``: the cards that some locals are taken to be. ``counted`` False: as if there were counters without end."""

    facts: Facts
    sources: Mapping[int, core.Expr] = field(default_factory=dict)
    values: Mapping[int, core.Expr] = field(default_factory=dict)
    cards: Mapping[int, int] = field(default_factory=dict)
    numbers: Mapping[int, Interval] = field(default_factory=dict)
    counted: bool = True
    calls: int = 0

    def of_cards(self, cards: Mapping[int, int]) -> Bounds:
        """With some locals taken to be certain cards."""
        return replace(self, cards={**self.cards, **cards})

    def without_calls(self) -> Bounds:
        """Without looking into queries."""
        return replace(self, calls=MOST_CALLS)

    def without_end(self) -> Bounds:
        """As if there were counters without end."""
        return replace(self, counted=False)

    def inside(self, slot: int, source: core.Expr) -> Bounds:
        """With a local that goes through a list."""
        return replace(self, sources={**self.sources, slot: source})

    # ------------------------------------------------------------ conditions

    def truth(self, expr: core.Expr) -> bool | None:
        """Whether a condition always holds (True) or never does (False)."""
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
                never, whole = self.size(source)[1] == 0, self.inside(slot, source).truth(body)
                return kind == "all" if never or (whole is not None and whole is (kind == "all")) else None
            case core.CallQuery():
                called = self._called(expr)
                return None if called is None else called[0].truth(called[1])
        return None

    def never_after(self, before: Sequence[core.Expr], condition: core.Expr) -> bool:
        """Whether a condition can't hold where others do not."""
        return self.never_together([*(denied(other) for other in before), condition])

    def never_together(self, conditions: Sequence[core.Expr]) -> bool:
        """Whether conditions that are read at the same moment can't all hold."""
        parts = [part for condition in conditions for part in core.chain(condition, "and")]
        if any(self.truth(part) is False for part in parts):
            return True
        if len(parts) == 1:
            return False
        known: dict[object, Interval] = {}
        denied: dict[object, set[float]] = {}
        for op, left, right in _comparisons(parts):
            low, high = self.number(right) if isinstance(right.type, IntType) else _constant(right)
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
        """Whether something is both asked for and denied."""
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
            (a, b), (c, d) = self.number(left), self.number(right)
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
                (a, b), (c, d) = self.number(low), self.number(high)
                e, f = self.number(item)
                return True if b <= e and f <= c else False if f < a or e > d else None
        return False if self.size(items)[1] == 0 else None

    # ------------------------------------------------------------ numbers

    def told(self, expr: core.Expr) -> str | None:
        """What is known of a number, in words; None where nothing is, or where it is written out."""
        if isinstance(expr, core.Const) or not isinstance(expr.type, IntType):
            return None
        low, high = self.number(expr)
        if low == high:
            return f"always {low:.0f}"
        if inf in (-low, high):
            return None if -low == high else f"at least {low:.0f}" if high == inf else f"at most {high:.0f}"
        return f"from {low:.0f} to {high:.0f}"

    def number(self, expr: core.Expr) -> Interval:
        """The least and the greatest value of a number."""
        low, high = self._away(self._number, expr)
        return (
            -inf if low <= -GREATEST else min(low, GREATEST),
            inf if high >= GREATEST else max(high, -GREATEST),
        )

    def _away(self, look: Callable[[core.Expr], Interval], expr: core.Expr) -> Interval:
        """What a look at an expression finds, unless it is too far away."""
        steps = self.facts.steps
        if steps.away > MOST_AWAY or not steps.take():
            return ANY
        steps.away += 1
        found = look(expr)
        steps.away -= 1
        return found

    def _number(self, expr: core.Expr) -> Interval:
        match expr:
            case core.Const(value=bool()):
                return ANY
            case core.Const(value=int() as value):
                return (value, value)
            case core.OptionValue(option=option):
                return self.facts.options.get(option, ANY)
            case core.Local(slot=slot) if slot in self.numbers:
                return self.numbers[slot]
            case core.Local(slot=slot) if slot in self.values:
                return self.number(self.values[slot])
            case core.Local(slot=slot) if slot in self.sources:
                return self.items(self.sources[slot])
            case core.Field(component=core.Local(slot=slot), field=name) if slot in self.cards:
                return self._printed(slot, name)
            case core.ReadCell(place=place, indices=indices) if indices:
                return self._held(place, indices[-1])
            case core.PoolTotal(zone=zone):
                totals = [most for (pool, _), most in self.facts.most.items() if pool == zone]
                return (0, sum(totals)) if totals and self.counted and inf not in totals else ANY
            case core.Unary(op="-", operand=operand):
                low, high = self.number(operand)
                return (-high, -low)
            case core.Binary(op=("+" | "-" | "*") as op, left=left, right=right):
                return _computed(op, self.number(left), self.number(right))
            case core.Binary(op="mod", right=core.Const(value=int() as by)) if by > 0:
                return (0, by - 1)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                chosen = self.truth(condition)
                if chosen is not None:
                    return self.number(then if chosen else otherwise)
                return _hull(self.number(then), self.number(otherwise))
            case core.Fold(kind=("sum" | "max" | "min" | "count") as kind):
                return self._folded(kind, expr)
            case core.CallBuiltin(name=name, args=args):
                function = RUNTIME[name]
                if function.bounds is not None:
                    return function.bounds(_Call(self, args))
                return self.items(args[0]) if function.gives_item else ANY
            case core.CallQuery():
                called = self._called(expr)
                return ANY if called is None else called[0].number(called[1])
        return ANY

    def _held(self, place: str, kind: core.Expr) -> Interval:
        """How many counters a pool can hold."""
        if not self.counted:
            return ANY
        kinds = [kind.value] if isinstance(kind, core.Const) else [k for pool, k in self.facts.most if pool == place]
        found = [self.facts.most.get((place, k), inf) for k in kinds if isinstance(k, int)]
        return (0, max(found)) if found and inf not in found else ANY

    def _printed(self, slot: int, name: str) -> Interval:
        value = self.facts.entities[self.cards[slot]].fields.get(name)
        return (value, value) if isinstance(value, int) and not isinstance(value, bool) else ANY

    def _folded(self, kind: str, fold: core.Fold) -> Interval:
        size = self.size(fold.source)
        if kind == "count":
            always = self.inside(fold.slot, fold.source).truth(fold.body) is True and fold.condition is None
            return (size[0] if always else 0, size[1])
        low, high = self.inside(fold.slot, fold.source).number(fold.body)
        if kind == "sum":
            return (size[1] * low if low < 0 else 0, size[1] * high if high > 0 else 0)
        return (min(0, low), max(0, high))

    def _called(self, call: core.CallQuery) -> tuple[Bounds, core.Expr] | None:
        """A query's value, and what is known of its parameters; None where rules may change it."""
        query = self.facts.queries.get(call.query)
        if query is None or query.modifiers or self.calls == MOST_CALLS or len(query.params) != len(call.args):
            return None
        given = list(zip(query.params, call.args, strict=True))
        locals = [(p.slot, a.slot) for p, a in given if isinstance(a, core.Local)]
        cards = {slot: self.cards[known] for slot, known in locals if known in self.cards}
        numbers = {p.slot: self.number(a) for p, a in given if isinstance(p.type, IntType)}
        return Bounds(self.facts, {}, {}, cards, numbers, self.counted, self.calls + 1), query.value

    # ------------------------------------------------------------ lists

    def size(self, expr: core.Expr) -> Interval:
        """The least and the greatest number of items of a list."""
        return _meet(SIZE, self._away(self._size, expr))

    def _size(self, expr: core.Expr) -> Interval:
        match expr:
            case core.Const(value=tuple() as items):
                return (len(items), len(items))
            case core.ListLit(items=written):
                return (len(written), len(written))
            case core.Players():
                return self.facts.players
            case core.ReadZone(zone=zone):
                return (0, self.facts.sizes.get(zone, inf))
            case core.Range(low=low, high=high):
                (a, b), (c, d) = self.number(low), self.number(high)
                return (max(0, c - b + 1), max(0, d - a + 1))
            case core.Filter(source=source, slot=slot, condition=condition):
                holds = self.inside(slot, source).truth(condition)
                a, b = self.size(source)
                return (a, b) if holds is True else (0, 0 if holds is False else b)
            case core.MapList(source=source, condition=picked):
                a, b = self.size(source)
                return (a if picked is None else 0, b)
            case core.Extreme(source=source) | core.Distinct(source=source):
                a, b = self.size(source)
                return (min(a, 1), b)
            case core.Binary(op=("union" | "join" | "except" | "intersect") as op, left=left, right=right):
                return _combined(op, self.size(left), self.size(right))
            case core.CallBuiltin(name=name, args=args) if (size := RUNTIME[name].size) is not None:
                return size(_Call(self, args))
            case core.Local(slot=slot) if slot in self.values:
                return self.size(self.values[slot])
        return SIZE

    def items(self, expr: core.Expr) -> Interval:
        """The least and the greatest item of a list of numbers."""
        return self._away(self._items, expr)

    def _items(self, expr: core.Expr) -> Interval:
        match expr:
            case core.Range(low=low, high=high):
                return (self.number(low)[0], self.number(high)[1])
            case core.Const(value=tuple() as items) if items and all(type(i) is int for i in items):
                return (min(items), max(items))
            case core.ListLit(items=items) if items:
                found = [self.number(item) for item in items]
                return (min(low for low, _ in found), max(high for _, high in found))
            case core.Filter(source=source) | core.Extreme(source=source) | core.Distinct(source=source):
                return self.items(source)
            case core.CallBuiltin(name=name, args=args) if RUNTIME[name].gives_part:
                return self.items(args[0])
            case core.Local(slot=slot) if slot in self.values:
                return self.items(self.values[slot])
        return ANY


@dataclass(frozen=True, eq=False)
class _Call:
    """What is known of a call of a function; as in :class:`lusory_dsl.language.builtins.Given`."""

    known: Bounds
    args: tuple[core.Expr, ...]

    @property
    def players(self) -> Interval:
        return self.known.facts.players

    def number(self, argument: int) -> Interval:
        given = self.args[argument]
        return self.known.items(given) if isinstance(given.type, ListType) else self.known.number(given)

    def size(self, argument: int) -> Interval:
        return self.known.size(self.args[argument])

    def characters(self, argument: int) -> float:
        return inf

    def upper(self, *ends: float) -> float:
        return max(ends)

    def lower(self, *ends: float) -> float:
        return min(ends)

    def times(self, number: float, end: float) -> float:
        return 0 if 0 in (number, end) else number * end


def denied(expr: core.Expr) -> core.Expr:
    """That a condition does not hold."""
    match expr:
        case core.Unary(op="not", operand=operand):
            return operand
        case core.Binary(op=op, left=left, right=right) if op in _DENIED:
            return replace(expr, op=_DENIED[op])
        case core.Binary(op="or", left=left, right=right):
            return core.Binary(expr.type, expr.span, "and", denied(left), denied(right))
    return core.Unary(expr.type, expr.span, "not", expr)


def key_of(expr: object) -> object:
    """The same for expressions that say the same, wherever they stand."""
    if isinstance(expr, tuple):
        return tuple(key_of(item) for item in expr)
    if not isinstance(expr, core.Expr):
        return expr
    return (type(expr).__name__, *(key_of(getattr(expr, name)) for name in _fields(type(expr))))


_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: type[core.Expr]) -> tuple[str, ...]:
    found = _FIELDS.get(kind)
    if found is None:
        found = _FIELDS[kind] = tuple(n for n in kind.__dataclass_fields__ if n not in ("span", "type"))
    return found


def _comparisons(parts: Sequence[core.Expr]) -> Iterator[tuple[str, core.Expr, core.Expr]]:
    """Comparisons of something that varies with something else, which comes second."""
    for part in parts:
        if isinstance(part, core.Binary) and part.op in _TURNED:
            yield part.op, part.left, part.right
            yield _TURNED[part.op], part.right, part.left


def _constant(expr: core.Expr) -> Interval:
    """A constant that is no number, such as a value of an enum, as an interval of one number."""
    if isinstance(expr, core.Const) and not isinstance(expr.type, BoolType) and isinstance(expr.value, int):
        return (expr.value, expr.value)
    return ANY


def _allowed(op: str, bound: Interval) -> Interval:
    low, high = bound
    match op:
        case "<":
            return (-inf, high - 1)
        case "<=":
            return (-inf, high)
        case ">":
            return (low + 1, inf)
        case ">=":
            return (low, inf)
    return (low, high)


def _computed(op: str, left: Interval, right: Interval) -> Interval:
    (a, b), (c, d) = left, right
    if op == "+":
        return (a + c, b + d)
    if op == "-":
        return (a - d, b - c)
    corners = [0.0 if 0 in (x, y) else x * y for x in (a, b) for y in (c, d)]
    return (min(corners), max(corners))


def _combined(op: str, left: Interval, right: Interval) -> Interval:
    """The size of two lists put together."""
    (a, b), (c, d) = left, right
    match op:
        case "union":
            return (max(a, min(1, c)), b + d)
        case "join":
            return (a + c, b + d)
        case "except":
            return (0, b)
    return (0, min(b, d))


def _meet(left: Interval, right: Interval) -> Interval:
    return (max(left[0], right[0]), min(left[1], right[1]))


def _hull(left: Interval, right: Interval) -> Interval:
    return (min(left[0], right[0]), max(left[1], right[1]))
