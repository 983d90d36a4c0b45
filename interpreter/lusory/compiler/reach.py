"""What a whole game can come to: bounds of variables, pools, queries and parameters, for :mod:`lusory.compiler.ranges`.

Abstract interpretation of the core program with intervals, from the start values upwards until nothing changes. A game
does no more than :data:`MOST_WORK`: what is only increased and decreased by bounded amounts stays bounded. Counters
that are moved between limited pools stay as many as they are; only unlimited pools give more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lusory_dsl import core
from lusory_dsl.core import LOOPS, Binary, Expr, Local, children
from lusory_dsl.types import LIST_LIMIT, TEXT_LIMIT, IntType, ListType, TextType

from ..choices import RulesetFault
from ..flow import all_phases
from ..positions import initial_position
from ..runtime import Setting
from .ranges import (
    ANY,
    BEYOND,
    UNKNOWN,
    Interval,
    Ranges,
    Reach,
    hull,
    leaf,
    lower,
    of_values,
    parts_of,
    upper,
    within,
)

MOST_WORK = 1 << 40
"""Steps of one game, each of which changes a place at most once."""
FROM_OUTSIDE = 10**12
"""The greatest number that a place may be given when a game begins in the middle, either way."""
LITTLE = 1 << 20
FAR = 1 << 62
"""More than half of it and :data:`MOST_WORK` times a :data:`LITTLE`."""
PATIENCE = 5
"""Rounds after which what still grows is taken to grow without end."""

Key = tuple[str, int | None]  # a variable, or a pool and a kind
Facts = tuple[Interval, int, int]  # of numbers, of sizes, of lengths


def reach_of(setting: Setting, anywhere: bool) -> Reach:
    """What games can come to from their start, or from ``anywhere`` that :data:`FROM_OUTSIDE` allows."""
    try:
        start = initial_position(setting).cells
    except RulesetFault:
        return Reach()
    return _Search(setting, start, FROM_OUTSIDE if anywhere else 0).found()


class _Search(Ranges):
    """Goes through all that a program does, again and again."""

    def __init__(self, setting: Setting, start: list[object], outside: int) -> None:
        super().__init__(setting, Reach())
        self.start: dict[Key, Interval] = {}
        self.cells: dict[Key, int] = {}
        for name, place in setting.layout.places.items():
            pool = self.program.pools.get(name)
            kinds = (None,) if pool is None else tuple(range(len(self.program.enums[str(pool.holds)].values)))
            for kind in kinds:
                cells = [at for i, at in place.numbers.items() if kind is None or i[-1] == kind]
                low, high = of_values(tuple(start[cell] for cell in cells))
                if pool is not None or isinstance(leaf(self.program.variables[name].type), IntType):
                    limited = pool is not None and not pool.unlimited
                    self.start[name, kind] = min(low, 0 if limited else -outside), max(high, outside)
                    self.cells[name, kind] = len(cells)
        self.calling: dict[int, tuple[Expr, bool]] = {}  # whether a query is called in an expression
        self.written: dict[Key, list[Interval]] = {}
        self.changed: dict[Key, list[Interval]] = {}
        self.moved: dict[tuple[str, int], int] = {}  # the most counters out of unlimited pools at once
        self.given: dict[tuple[str, str, int], Facts] = {}

    def found(self) -> Reach:
        self.reach.places = dict(self.start)
        for number in range(4 * PATIENCE):
            before, self.reach = self.reach, Reach(dict(self.reach.places), params=dict(self.reach.params))
            self._round()
            patient = number < PATIENCE
            for key, interval in self._places().items():
                self.reach.places[key] = _grown(before.places[key], interval, patient)
            for name, facts in self.given.items():
                self.reach.params[name] = _joined(before.params.get(name), facts, patient)
            if self.reach.places == before.places and self.reach.params == before.params:
                self._steady()
                return self.reach
        return Reach()

    # ------------------------------------------------------------ what grows a little at a time

    def _steady(self) -> None:
        """Find variables and parameters that are only ever written what one of them holds and a little more or less,
        whatever they hold, or what is bounded. Then the greatest of them grows by that little at most with each
        step: a game is over before it gets far."""
        found = self.reach
        places = {key: _open(interval) for key, interval in found.places.items() if key[1] is None}
        params = {key: (_open(within(facts[0])), *facts[1:]) for key, facts in found.params.items()}
        while True:
            self.reach = Reach({**found.places, **places}, params=params)
            self._round()
            moving = {key: _settled(interval, self._next(key)) for key, interval in places.items()}
            passed = {
                key: (_settled(facts[0], [self.given.get(key, NOTHING)[0]]), *facts[1:])
                for key, facts in params.items()
            }
            if moving == places and passed == params:
                break
            places, params = moving, passed
        self.reach = Reach(
            {key: _closed(places.get(key, before), before) for key, before in found.places.items()},
            params={key: (_closed(params[key][0], facts[0]), *facts[1:]) for key, facts in found.params.items()},
        )
        self._round()

    def _next(self, key: Key) -> list[Interval]:
        """What a variable can hold after one more step, or from the start."""
        low, high = self.reach.places[key]
        changes = self.changed.get(key, ())
        return [self.start[key], *self.written.get(key, ()), *((low + a, high + b) for a, b in changes)]

    def _round(self) -> None:
        """Go through everything once."""
        self._known.clear()
        self.written, self.changed, self.moved, self.given = {}, {}, {}, {}
        for phase in all_phases(self.program):
            self.begin(())
            self.sees(phase.condition, phase.repeat)
            self.block(phase.body)
        for effect in self.program.effects.values():
            for rule in (*effect.instead, *effect.when):
                self.begin(effect.params, ("effect", effect.name))
                self.sees(rule.condition)
                self.block(rule.body)
            self.begin(effect.params, ("effect", effect.name))
            self.block(effect.body)
        for query in self.program.queries.values():
            self._query(query.name)
        scoring = self.program.scoring
        self.begin(())
        self.sees(*scoring.rank, scoring.payoff, *(e for _, e in scoring.shown))
        for name in (*self.program.variables, *self.program.pools, *self.program.zones):
            self.sees(self.program.place(name).visible.condition)
        for pool in self.program.pools.values():
            self.sees(pool.moves.condition)

    def begin(self, params: tuple[core.Param, ...], routine: tuple[str, str] = ("", "")) -> None:
        """Begin a routine: nothing is known but what it is given."""
        self.of, self.sizes, self.lengths = {}, {}, {}
        for param in params:
            self.learn(param.slot, self.reach.params.get((*routine, param.slot), NOTHING))

    # ------------------------------------------------------------ places

    def _places(self) -> dict[Key, Interval]:
        """What places can hold by what was seen of their changes."""
        found: dict[Key, Interval] = {}
        for key, start in self.start.items():
            if key[1] is None:
                low, high = hull((start, *self.written.get(key, ())))
                least, most = hull(self.changed.get(key, ()))
                if self.program.variables[key[0]].internal and key[0].endswith("_Left"):
                    least, low = 0, min(low, 0)  # a split gives nobody more than is left
                found[key] = low + MOST_WORK * min(least, 0), high + MOST_WORK * max(most, 0)
        for (name, kind), start in self.start.items():
            if kind is None:
                continue
            pool = self.program.pools[name]
            alike = [(p.name, kind) for p in self.program.pools.values() if p.holds == pool.holds]
            made = taken = there = 0
            for key in alike:
                made += self.moved.get((key[0], kind), 0)
                for low, high in (*self.written.get(key, ()), *self.changed.get(key, ())):
                    made, taken = made + max(high, 0), taken + max(-low, 0)
                if not self.program.pools[key[0]].unlimited:
                    there += max(self.start[key][1], 0) * self.cells[key]
            most = there + made * MOST_WORK
            low, high = start
            found[name, kind] = min(low, 0) - taken * MOST_WORK, most
            if pool.unlimited:
                found[name, kind] = low - (made + taken) * MOST_WORK, max(high, 0) + most
        return {key: (max(low, BEYOND[0]), min(high, BEYOND[1])) for key, (low, high) in found.items()}

    # ------------------------------------------------------------ statements

    def block(self, stmts: tuple[core.Stmt, ...]) -> None:
        for stmt in stmts:
            self.statement(stmt)

    def statement(self, s: core.Stmt) -> None:
        match s:
            case core.Let(slot=slot, value=value):
                self.sees(value)
                self.let(slot, value)
            case core.SetCell():
                self.sees(*s.indices, s.value)
                self._set(s)
            case core.MoveCount():
                self.sees(s.kind, s.amount, *s.source_indices, *s.target_indices)
                self._move(s)
            case core.ForEach(slot=slot, source=source):
                self.sees(source)
                self.over(slot, source)
                self.sees(s.condition)
                self.block(s.body)
            case core.Ask():
                self.sees(s.chooser, s.prompt)
                for a in s.alternatives:
                    self.sees(*a.conditions)
                    for v in a.vars:
                        self.sees(v.domain)
                        self.over(v.slot, v.domain)
                        self.sees(v.condition)
                    self.sees(a.label)
                    self.block(a.body)
                self.block(s.otherwise)
            case core.AskMany():
                self.sees(s.chooser, s.prompt, s.source, s.low, s.high)
                self.over(s.item_slot, s.source)
                self.sees(s.condition, s.label)
                self.let(s.slot, s.source)
            case core.Random(slot=slot, domain=domain):
                self.sees(domain, s.actor)
                self.over(slot, domain)
                self.sees(s.condition)
                self.block(s.body)
                self.block(s.otherwise)
            case core.CallEffect(effect=name, args=args):
                self.sees(*args)
                self._give(("effect", name), self.program.effects[name].params, args)
            case _:
                for node in children(s):
                    self.statement(node) if isinstance(node, core.Stmt) else self.sees(node)

    def _set(self, s: core.SetCell) -> None:
        """A variable, or the counters in a pool, that a statement writes."""
        keys = self._keys(s.place, s.indices[-1] if s.indices else None)
        if keys[0] not in self.start:
            return
        op, value = s.op, s.value
        if op == "set" and isinstance(value, Binary) and value.op in ("+", "-") and _reads(value.left, s):
            op, value = "add" if value.op == "+" else "sub", value.right
        low, high = self.interval(value)
        for key in keys:
            if op == "set":
                self.written.setdefault(key, []).append((low, high))
            else:
                self.changed.setdefault(key, []).append((low, high) if op == "add" else (-high, -low))

    def _keys(self, name: str, kind: Expr | None) -> list[Key]:
        pool = self.program.pools.get(name)
        if pool is None:
            return [(name, None)]
        return [(name, int(str(kind.value)))] if isinstance(kind, core.Const) else [(name, k) for k in pool.kinds]

    def _move(self, s: core.MoveCount) -> None:
        """Counters that come out of an unlimited pool."""
        if not self.program.pools[s.source].unlimited:
            return
        for name, kind in self._keys(s.source, s.kind):
            assert kind is not None
            most = self.reach.places[name, kind][1] if s.amount is None else self.interval(s.amount)[1]
            self.moved[name, kind] = self.moved.get((name, kind), 0) + max(most, 0)

    # ------------------------------------------------------------ expressions

    def sees(self, *exprs: Expr | None) -> None:
        """Note what the queries are given that are called inside of expressions."""
        for e in exprs:
            if e is None or not self._calls(e):
                continue
            if isinstance(e, LOOPS):
                self.sees(e.source)
                self.over(e.slot, e.source)
                self.sees(*children(e)[1:])
                continue
            self.sees(*children(e))
            if isinstance(e, core.CallQuery):
                self._give(("query", e.query), self.program.queries[e.query].params, e.args)

    def _calls(self, e: Expr) -> bool:
        """Whether a query is called inside of an expression."""
        kept = self.calling.get(id(e))
        if kept is None:
            found = isinstance(e, core.CallQuery) or any(self._calls(part) for part in children(e))
            kept = self.calling[id(e)] = e, found
        return kept[1]

    def _facts(self, e: Expr) -> Facts:
        """What is known of a value."""
        item = leaf(e.type)
        return (
            self.interval(e) if isinstance(item, IntType) else ANY,
            min(self.size(e), LIST_LIMIT) if isinstance(e.type, ListType) else LIST_LIMIT,
            min(self.longest(e), TEXT_LIMIT) if isinstance(item, TextType) else TEXT_LIMIT,
        )

    def _give(self, routine: tuple[str, str], params: tuple[core.Param, ...], args: tuple[Expr, ...]) -> None:
        """Arguments that a routine is given."""
        for param, arg in zip(params, args, strict=True):
            key = (*routine, param.slot)
            self.given[key] = _joined(self.given.get(key), self._facts(arg))

    def learn(self, slot: int, facts: Facts) -> None:
        """What is known of a local."""
        self.of[slot], self.sizes[slot], self.lengths[slot] = facts

    def _exact(self, e: Expr) -> Interval:
        if isinstance(e, core.CallQuery) and e.query not in self.reach.queries:
            self._query(e.query)
        return super()._exact(e)

    def _size(self, e: Expr) -> int:
        if isinstance(e, core.CallQuery) and e.query not in self.reach.queries:
            self._query(e.query)
        return super()._size(e)

    def _longest(self, e: Expr) -> int:
        if isinstance(e, core.CallQuery) and e.query not in self.reach.queries:
            self._query(e.query)
        return super()._longest(e)

    def _query(self, name: str) -> None:
        """What a query comes to, with the rules that change it one after the other."""
        if name in self.reach.queries:
            return
        query, routine = self.program.queries[name], ("query", name)
        outer = self.of, self.sizes, self.lengths
        self.begin(query.params, routine)
        self.sees(query.value)
        facts = self._facts(query.value)
        for modifier in query.modifiers:
            self.begin(query.params, routine)
            self.learn(modifier.it_slot, facts)
            self.sees(modifier.condition, modifier.value)
            facts = self._after(modifier, facts)
        self.reach.queries[name], self.reach.sizes[name], self.reach.lengths[name] = facts
        self.of, self.sizes, self.lengths = outer

    def _after(self, modifier: core.Modifier, before: Facts) -> Facts:
        """The value of a query after a rule, which each copy of its card may apply."""
        value, times = modifier.value, max(len(modifier.copies), 1)
        it_is = isinstance(value, Binary) and isinstance(value.left, Local) and value.left.slot == modifier.it_slot
        if isinstance(value, Binary) and it_is and value.op in ("+", "-"):
            low, high = self.interval(value.right)
            low, high = (low, high) if value.op == "+" else (-high, -low)
            (least, most), *rest = before
            return within((least + times * lower(low, 0), most + times * upper(high, 0))), rest[0], rest[1]
        joined = _joined(before, self._facts(value))
        if times > 1 and joined != before and any(p.slot == modifier.it_slot for p in _locals(value)):
            return EVERYTHING
        return joined


NOTHING: Facts = ((0, 0), 0, 0)
EVERYTHING: Facts = (ANY, LIST_LIMIT, TEXT_LIMIT)


def _locals(e: Expr) -> Iterator[Local]:
    return (part for part in core.walk(e) if isinstance(part, Local))


def _joined(a: Facts | None, b: Facts, patient: bool = True) -> Facts:
    """What is known of either value."""
    if a is None:
        return b
    if patient:
        return hull((a[0], b[0])), max(a[1], b[1]), max(a[2], b[2])
    low, high = _grown(a[0], b[0], False)
    size = a[1] if b[1] <= a[1] else LIST_LIMIT
    return (max(low, ANY[0]), min(high, ANY[1])), size, a[2] if b[2] <= a[2] else TEXT_LIMIT


def _open(interval: Interval) -> Interval:
    """With the unknown for the ends that are not found."""
    low, high = interval
    return (-UNKNOWN if low <= ANY[0] else low), (UNKNOWN if high >= ANY[1] else high)


def _settled(interval: Interval, after: list[Interval]) -> Interval:
    """Without the unknown at an end that moves on by more than a little, or to a number that is too great."""
    low, high = interval
    return (
        BEYOND[0] if low == -UNKNOWN and not all(_moves_little(-end) for end, _ in after) else low,
        BEYOND[1] if high == UNKNOWN and not all(_moves_little(end) for _, end in after) else high,
    )


def _moves_little(end: int) -> bool:
    times, number = parts_of(end)
    return times < 0 or (times <= 1 and number <= (LITTLE if times else FAR // 2))


def _closed(interval: Interval, before: Interval) -> Interval:
    """With what the unknown can come to; an end that moves too far stays as it was."""
    low, high = interval
    return (-FAR if low == -UNKNOWN else before[0]), (FAR if high == UNKNOWN else before[1])


def _grown(before: Interval, now: Interval, patient: bool) -> Interval:
    """Both together; an end that still moves when there is no patience left has no end."""
    (a, b), (c, d) = before, now
    return (a if a <= c else c if patient else BEYOND[0]), (b if b >= d else d if patient else BEYOND[1])


def _reads(e: Expr, s: core.SetCell) -> bool:
    """Whether an expression is the place that a statement writes, as it is."""
    return isinstance(e, core.ReadCell) and e.place == s.place and _same(e.indices, s.indices)


def _same(a: tuple[Expr, ...], b: tuple[Expr, ...]) -> bool:
    return len(a) == len(b) and all(
        type(x) is type(y) and isinstance(x, Local | core.Const) and _key(x) == _key(y)
        for x, y in zip(a, b, strict=True)
    )


def _key(e: Mapping[str, object] | Expr) -> object:
    return e.slot if isinstance(e, Local) else getattr(e, "value", None)
