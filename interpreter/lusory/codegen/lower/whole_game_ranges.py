"""Bound the values that variables, pools, queries and parameters can have in a whole game.

This is an abstract interpretation of the core program with intervals. It starts from the initial values, and widens the
intervals until they no longer change. :mod:`lusory.codegen.lower.expression_ranges` reads the result.

A game does at most :data:`MOST_WORK` steps. So a variable that only grows by bounded amounts stays bounded. Moves
between limited pools keep the number of counters. Only unlimited pools add counters.

Example: a score that starts at 0 and only grows by 1 to 3 is at most 3 * MOST_WORK, which fits into an Int.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from weakref import WeakKeyDictionary

from lusory_dsl import core
from lusory_dsl.core import LIST_LOOPS, Binary, Expr, Local, get_children
from lusory_dsl.core.provenance import SPLITS
from lusory_dsl.source.source import NOWHERE
from lusory_dsl.types.types import (
    DOUBLE_INT_RANGE,
    INT,
    INT_RANGE,
    LIST_LIMIT,
    TEXT_LIMIT,
    UNKNOWN,
    Interval,
    IntType,
    ListType,
    TextType,
    clip_to_int,
    hull,
    innermost_type,
    lower_bound,
    of_values,
    split_symbolic,
    upper_bound,
)

from ...evaluator.expressions import initial_position
from ...state.decision import RulesetFault
from ...state.phase_operations import all_phases
from ...state.setting import MAX_START_VALUE, Setting
from ...state.work_limits import MAX_LIMIT
from .expression_ranges import Ranges, Reach

MOST_WORK = MAX_LIMIT
"""The limit of steps in one game. Each step changes a place at most once."""
LITTLE, FAR = 1 << 20, 1 << 61
"""Limits for places that grow step by step (see ``_Search._steady``).

``LITTLE`` limits the growth in one step, and ``FAR`` limits the constants that are written.
"""
PATIENCE = 5
"""Number of rounds after which a bound that still grows is widened to no bound."""

# A variable (kind None), or one kind of counter in a pool.
Key = tuple[str, int | None]
# ``effect`` or ``query``, the name of the routine, and the slot of the parameter.
Param = tuple[str, str, int]
# A place and its indices: ("param", slot) or ("value", constant).
Cell = tuple[str, tuple[tuple[str, object], ...]]
# Bounds of a number, the largest size of a list, and the largest length of a text.
Facts = tuple[Interval, int, int]


_found: WeakKeyDictionary[core.Program, dict[tuple[object, ...], Reach]] = WeakKeyDictionary()


def reach_of(setting: Setting, anywhere: bool) -> Reach:
    """Return bounds for all games of a setting.

    With ``anywhere``, they hold for all options, and from every position whose numbers :data:`MAX_START_VALUE` allows.
    Otherwise they hold for games that begin at the start. The result is cached for each program, number of players, and
    choice of options.
    """
    known = _found.setdefault(setting.program, {})
    key = (anywhere, setting.players, *(() if anywhere else sorted(setting.options.items())))
    if key not in known:
        try:
            known[key] = _Search(setting, anywhere).found()
        # The setup of the initial position has a fault, so there is no start.
        except RulesetFault:
            known[key] = Reach(any_options=anywhere)
    return known[key]


class _Search(Ranges):
    """Interpret the whole program with intervals, in rounds.

    Attributes:
        start: The bounds of each place when the game begins.
        cells: The number of cells of each place.
        writes: Effect -> the places that it may change.
        written, changed: The values that this round writes to a place, and those that it adds.
        moved: For each kind in an unlimited pool, the sum of the most counters that each move takes out.
        given: The facts about the arguments of each parameter.
        promised: Parameter -> places that hold at least the argument, at every call seen in this round.
        calls: ``promised`` of the round before.
        below: Slot of a local -> places that currently hold at least its value.
        calling: Cache: whether an expression calls a query.
    """

    def __init__(self, setting: Setting, anywhere: bool) -> None:
        super().__init__(setting, Reach(any_options=anywhere))
        self.start: dict[Key, Interval] = {}
        self.cells: dict[Key, int] = {}
        start = [] if anywhere else initial_position(setting).cells
        for key, cells in self._cells():
            self.cells[key] = len(cells)
            if anywhere:
                self.start[key] = self._given(key)
            else:
                self.start[key] = of_values(tuple(start[cell] for cell in cells))
        self.writes: dict[str, frozenset[str]] = {}
        self.calls: dict[Param, frozenset[Cell]] = {}
        self.calling: dict[int, tuple[Expr, bool]] = {}
        self.written: dict[Key, list[Interval]] = {}
        self.changed: dict[Key, list[Interval]] = {}
        self.moved: dict[tuple[str, int], int] = {}
        self.given: dict[Param, Facts] = {}
        self.promised: dict[Param, frozenset[Cell]] = {}
        self.below: dict[int, list[core.ReadCell]] = {}

    def _cells(self) -> Iterator[tuple[Key, list[int]]]:
        """Yield the cell numbers of each Int variable, and of each kind in each pool."""
        for name, place in self.setting.layout.places.items():
            pool = self.program.pools.get(name)
            if pool is None and isinstance(innermost_type(self.program.variables[name].type), IntType):
                yield (name, None), list(place.numbers.values())
            elif pool is not None:
                for kind in range(len(self.program.enums[str(pool.holds)].values)):
                    yield (name, kind), [at for indices, at in place.numbers.items() if indices[-1] == kind]

    def _given(self, key: Key) -> Interval:
        """Return the bounds of a place in a game that may begin at any allowed position."""
        name, kind = key
        place = self.program.get_place(name)
        start = place.start if kind is None else place.start[kind]  # type: ignore[index]
        for slot, dim in enumerate(place.dims):
            if dim.size is not None:
                self.of[slot] = dim.low, dim.low + dim.size - 1
        low, high = (0, 0) if start is None else self.bound_number(start)  # type: ignore[arg-type]
        limited = kind is not None and not self.program.pools[name].is_unlimited
        return min(low, 0 if limited else -MAX_START_VALUE), max(high, MAX_START_VALUE)

    def found(self) -> Reach:
        """Return the bounds of the whole game.

        After ``PATIENCE`` rounds, bounds that still grow are widened. Without a fixed point, returns no bounds.
        """
        self.reach.places = dict(self.start)
        # The first round records what calls promise about their arguments.
        self._round()
        for number in range(4 * PATIENCE):
            before, self.reach = self.reach, self._known_so_far(self.reach.places, self.reach.params)
            promised = dict(self.promised)
            self._round()
            patient = number < PATIENCE
            for key, interval in self._places().items():
                self.reach.places[key] = _grown(before.places[key], interval, patient)
            for name, facts in self.given.items():
                self.reach.params[name] = _joined(before.params.get(name), facts, patient)
            if (self.reach.places, self.reach.params, self.promised) == (before.places, before.params, promised):
                self._steady()
                return self.reach
        return self._known_so_far({}, {})

    def _known_so_far(self, places: Mapping[Key, Interval], params: Mapping[Param, Facts]) -> Reach:
        return Reach(dict(places), params=dict(params), any_options=self.reach.any_options)

    # ------------------------------------------------------------ places that grow step by step

    def _steady(self) -> None:
        """Bound the variables and parameters that grow only by small steps.

        A symbolic number, ``UNKNOWN``, stands for the largest value of any of these places. A place stays in the set if
        each value written to it is at most ``UNKNOWN`` plus a small number, or bounded. The set shrinks until all its
        places meet this. Each step then raises the largest value by that small number at most, and the number of steps
        is limited.
        """
        found = self.reach
        places = {key: _open(interval) for key, interval in found.places.items() if key[1] is None}
        params = {key: (_open(clip_to_int(facts[0])), *facts[1:]) for key, facts in found.params.items()}
        while True:
            self.reach = self._known_so_far({**found.places, **places}, params)
            self._round()
            moving = {key: _settled(interval, self._next(key)) for key, interval in places.items()}
            passed = {
                key: (_settled(facts[0], [self.given.get(key, NOTHING)[0]]), *facts[1:])
                for key, facts in params.items()
            }
            if moving == places and passed == params:
                break
            places, params = moving, passed
        far = self._far(places, params)
        self.reach = self._known_so_far(
            {key: _closed(places.get(key, before), before, far) for key, before in found.places.items()},
            {key: (_closed(params[key][0], facts[0], far), *facts[1:]) for key, facts in found.params.items()},
        )
        self._round()

    def _far(self, places: Mapping[Key, Interval], params: Mapping[Param, Facts]) -> int:
        """Return the largest value that the places can reach.

        It is the largest constant written, plus the growth of all steps.
        """
        ends = [(interval, after) for key, interval in places.items() for after in self._next(key)]
        ends += [(facts[0], self.given.get(key, NOTHING)[0]) for key, facts in params.items()]
        reached = [split_symbolic(-after[0]) for before, after in ends if before[0] == -UNKNOWN]
        reached += [split_symbolic(after[1]) for before, after in ends if before[1] == UNKNOWN]
        first = max((number for times, number in reached if times <= 0), default=0)
        return max(first, 0) + MOST_WORK * max((number for times, number in reached if times == 1), default=0)

    def _next(self, key: Key) -> list[Interval]:
        """Return the possible values of a variable: at the start, written by a statement, and after one more change."""
        low, high = self.reach.places[key]
        changes = self.changed.get(key, ())
        return [self.start[key], *self.written.get(key, ()), *((low + a, high + b) for a, b in changes)]

    def _round(self) -> None:
        """Interpret the whole program once, and record what it writes, changes, moves and passes to routines."""
        self._known.clear()
        self.written, self.changed, self.moved, self.given = {}, {}, {}, {}
        self.calls, self.promised = self.promised, {}
        for phase in all_phases(self.program):
            self.begin(())
            self.sees(phase.condition, phase.repeat)
            self.block(phase.body)
        for effect in self.program.effects.values():
            for rule in core.get_rules(effect):
                self.begin(effect.params, ("effect", effect.name))
                self.sees(rule.condition)
                self.block(rule.body)
            self.begin(effect.params, ("effect", effect.name))
            for param in effect.params:
                promised = self.calls.get(("effect", effect.name, param.slot), frozenset())
                self.below[param.slot] = [_cell(cell, effect.params) for cell in promised]
            self.block(effect.body)
        for query in self.program.queries.values():
            self._query(query.name)
        scoring = self.program.scoring
        self.begin(())
        self.sees(*scoring.rank, scoring.payoff, *(e for _, e in scoring.shown), self.program.advice.value)
        for name in (*self.program.variables, *self.program.pools, *self.program.zones):
            self.sees(self.program.get_place(name).visible.condition)
        for pool in self.program.pools.values():
            self.sees(pool.moves.condition)
        for zone in self.program.zones.values():
            self.sees(*(visible.condition for visible in zone.visibilities))

    def begin(self, params: tuple[core.Param, ...], routine: tuple[str, str] = ("", "")) -> None:
        """Start a routine: forget all locals, and take the known facts about its parameters."""
        self.of, self.sizes_of, self.lengths, self.below = {}, {}, {}, {}
        for param in params:
            self.learn(param.slot, self.reach.params.get((*routine, param.slot), NOTHING))

    # ------------------------------------------------------------ places

    def _places(self) -> dict[Key, Interval]:
        """Return the bounds of each place that follow from the changes recorded in this round."""
        found: dict[Key, Interval] = {}
        for key, start in self.start.items():
            if key[1] is None:
                low, high = hull((start, *self.written.get(key, ())))
                least, most = hull(self.changed.get(key, ()))
                origin = self.program.variables[key[0]].origin
                if (origin.generator, origin.part) == (SPLITS, "Left"):
                    # A split never gives away more than is left, so its rest never falls below 0.
                    least, low = 0, min(low, 0)
                found[key] = low + MOST_WORK * min(least, 0), high + MOST_WORK * max(most, 0)
        for (name, kind), start in self.start.items():
            if kind is None:
                continue
            pool = self.program.pools[name]
            alike = [(p.name, kind) for p in self.program.pools.values() if p.holds == pool.holds]
            made = there = 0
            for key in alike:
                made += self.moved.get((key[0], kind), 0)
                if not self.program.pools[key[0]].is_unlimited:
                    there += max(self.start[key][1], 0) * self.cells[key]
            most = there + made * MOST_WORK
            low, high = start
            found[name, kind] = min(low, 0), most
            if pool.is_unlimited:
                found[name, kind] = low - made * MOST_WORK, max(high, 0) + most
        return {
            key: (max(low, DOUBLE_INT_RANGE[0]), min(high, DOUBLE_INT_RANGE[1])) for key, (low, high) in found.items()
        }

    # ------------------------------------------------------------ statements

    def block(self, stmts: tuple[core.Stmt, ...]) -> None:
        for stmt in stmts:
            self.statement(stmt)

    def statement(self, s: core.Stmt) -> None:
        match s:
            case core.Let(slot=slot, value=value):
                self.sees(value)
                self.let(slot, value)
                self.below[slot] = self._above(value)
            case core.SetCell():
                self.sees(*s.indices, s.value)
                self._set(s)
            case core.MoveCount():
                self.sees(s.kind, s.amount, *s.source_indices, *s.target_indices)
                self._move(s)
            case core.ForEach(slot=slot, source=source):
                self.sees(source)
                self.over(slot, source)
                self.below = {}
                self.sees(s.condition)
                self.block(s.body)
            case core.Repeat():
                self.below = {}
                self.sees(s.times, s.condition, s.bound)
                self.block(s.body)
            case core.Ask():
                self.sees(s.chooser, s.prompt)
                for a in s.alternatives:
                    self.sees(*a.conditions)
                    for v in a.vars:
                        self.sees(v.domain)
                        self.over(v.slot, v.domain)
                        self._chosen(v.slot, v.domain)
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
                self._forget(*self._writes(name))
            case _:
                written = [name for name in core.get_writes(s) if name not in self.program.zones]
                assert not written, f"{type(s).__name__} writes {', '.join(written)}: what they hold then is not known"
                for node in get_children(s):
                    self.statement(node) if isinstance(node, core.Stmt) else self.sees(node)

    def _set(self, s: core.SetCell) -> None:
        """Record how a statement changes a variable. Counters in pools only move, and are recorded elsewhere."""
        key = (s.place, None)
        if key not in self.start:
            return
        op, value = s.op, s.value
        if op == "set" and isinstance(value, Binary) and value.op in ("+", "-") and _reads(value.left, s):
            op, value = "add" if value.op == "+" else "sub", value.right
        low, high = self.bound_number(value)
        known = isinstance(value, Local) and any(_reads(cell, s) for cell in self.below.get(value.slot, ()))
        self._forget(s.place)
        # Less is subtracted than the variable holds, so the result is at least 0.
        if op == "sub" and known:
            op, low, high = "left", low, 0
        if op == "set":
            self.written.setdefault(key, []).append((low, high))
            return
        if op == "left":
            self.written.setdefault(key, []).append((0, 0))
        self.changed.setdefault(key, []).append((low, high) if op == "add" else (-high, -low))

    def _chosen(self, slot: int, domain: Expr) -> None:
        """Record the places that hold at least the value of a local that is chosen from a list."""
        while isinstance(domain, core.Filter):
            domain = domain.source
        self.below[slot] = self._above(domain.high) if isinstance(domain, core.Range) else []

    def _above(self, e: Expr) -> list[core.ReadCell]:
        """Return the places that currently hold at least the value of an expression."""
        match e:
            case core.ReadCell():
                return [e]
            case Local(slot=slot):
                return self.below.get(slot, [])
            case core.CallBuiltin(name="smaller", args=(a, b)):
                return [*self._above(a), *self._above(b)]
            case Binary(op="-", left=left, right=right) if self.bound_number(right)[0] >= 0:
                return self._above(left)
        return []

    def _forget(self, *places: str) -> None:
        """Forget what is known about places that change."""
        self.below = {slot: [c for c in cells if c.place not in places] for slot, cells in self.below.items()}

    def _writes(self, name: str) -> frozenset[str]:
        """Return the places that an effect may change, including its rules and the effects that it calls."""
        if name not in self.writes:
            # Effects never recurse. This entry only makes the lookup safe.
            self.writes[name] = frozenset()
            effect = self.program.effects[name]
            found: set[str] = set()
            for block in core.get_bodies(effect):
                for stmt in core.walk_statements(block):
                    found |= set(core.get_writes(stmt))
                    if isinstance(stmt, core.CallEffect):
                        found |= self._writes(stmt.effect)
            self.writes[name] = frozenset(found)
        return self.writes[name]

    def _keys(self, name: str, kind: Expr | None) -> list[Key]:
        pool = self.program.pools.get(name)
        if pool is None:
            return [(name, None)]
        return [(name, k) for k in (pool.kinds if kind is None else self.kinds_at(name, kind))]

    def _move(self, s: core.MoveCount) -> None:
        """Record the counters that a move takes out of an unlimited pool."""
        self._forget(s.source)
        self._forget(s.target)
        if not self.program.pools[s.source].is_unlimited:
            return
        for name, kind in self._keys(s.source, s.kind):
            assert kind is not None
            most = self.reach.places[name, kind][1] if s.amount is None else self.bound_number(s.amount)[1]
            self.moved[name, kind] = self.moved.get((name, kind), 0) + max(most, 0)

    # ------------------------------------------------------------ expressions

    def sees(self, *exprs: Expr | None) -> None:
        """Record the arguments of all queries that the expressions call."""
        for e in exprs:
            if e is None or not self._calls(e):
                continue
            if isinstance(e, LIST_LOOPS):
                self.sees(e.source)
                self.over(e.slot, e.source)
                self.sees(*get_children(e)[1:])
                continue
            self.sees(*get_children(e))
            if isinstance(e, core.CallQuery):
                self._give(("query", e.query), self.program.queries[e.query].params, e.args)

    def _calls(self, e: Expr) -> bool:
        """Return whether an expression calls a query."""
        kept = self.calling.get(id(e))
        if kept is None:
            found = isinstance(e, core.CallQuery) or any(self._calls(part) for part in get_children(e))
            kept = self.calling[id(e)] = e, found
        return kept[1]

    def _facts(self, e: Expr) -> Facts:
        """Return the facts about the value of an expression."""
        item = innermost_type(e.type)
        return (
            self.bound_number(e) if isinstance(item, IntType) else INT_RANGE,
            min(self.size(e), LIST_LIMIT) if isinstance(e.type, ListType) else LIST_LIMIT,
            min(self.bound_text(e), TEXT_LIMIT) if isinstance(item, TextType) else TEXT_LIMIT,
        )

    def _give(self, routine: tuple[str, str], params: tuple[core.Param, ...], args: tuple[Expr, ...]) -> None:
        """Record the facts about the arguments of one call."""
        for param, arg in zip(params, args, strict=True):
            key = (*routine, param.slot)
            self.given[key] = _joined(self.given.get(key), self._facts(arg))
            if routine[0] == "effect":
                cells = (_as_given(cell, params, args) for cell in self._above(arg))
                here = frozenset(cell for cell in cells if cell is not None)
                self.promised[key] = here & self.promised.get(key, here)

    def learn(self, slot: int, facts: Facts) -> None:
        """Set the facts about a local."""
        self.of[slot], self.sizes_of[slot], self.lengths[slot] = facts

    def _bound_unclipped(self, e: Expr) -> Interval:
        if isinstance(e, core.CallQuery) and e.query not in self.reach.queries:
            self._query(e.query)
        return super()._bound_unclipped(e)

    def _size(self, e: Expr) -> int:
        if isinstance(e, core.CallQuery) and e.query not in self.reach.queries:
            self._query(e.query)
        return super()._size(e)

    def _longest(self, e: Expr) -> int:
        if isinstance(e, core.CallQuery) and e.query not in self.reach.queries:
            self._query(e.query)
        return super()._longest(e)

    def _query(self, name: str) -> None:
        """Find the facts about the result of a query, after its value and all its modifiers."""
        if name in self.reach.queries:
            return
        query, routine = self.program.queries[name], ("query", name)
        outer = self.of, self.sizes_of, self.lengths
        self.begin(query.params, routine)
        self.sees(query.value)
        facts = self._facts(query.value)
        for modifier in query.modifiers:
            self.begin(query.params, routine)
            self.learn(modifier.it_slot, facts)
            self.sees(modifier.condition, modifier.value)
            facts = self._after(modifier, facts)
        self.reach.queries[name], self.reach.sizes[name], self.reach.lengths[name] = facts
        self.of, self.sizes_of, self.lengths = outer

    def _after(self, modifier: core.Modifier, before: Facts) -> Facts:
        """Return the facts about a query after a modifier, which applies once for each copy of its card."""
        value, times = modifier.value, max(len(modifier.copies), 1)
        it_is = isinstance(value, Binary) and isinstance(value.left, Local) and value.left.slot == modifier.it_slot
        if isinstance(value, Binary) and it_is and value.op in ("+", "-"):
            low, high = self.bound_number(value.right)
            low, high = (low, high) if value.op == "+" else (-high, -low)
            (least, most), *rest = before
            return (
                clip_to_int((least + times * lower_bound(low, 0), most + times * upper_bound(high, 0))),
                rest[0],
                rest[1],
            )
        joined = _joined(before, self._facts(value))
        if times > 1 and joined != before and any(p.slot == modifier.it_slot for p in _locals(value)):
            return EVERYTHING
        return joined


NOTHING: Facts = ((0, 0), 0, 0)
EVERYTHING: Facts = (INT_RANGE, LIST_LIMIT, TEXT_LIMIT)


def _locals(e: Expr) -> Iterator[Local]:
    return (part for part in core.walk(e) if isinstance(part, Local))


def _joined(a: Facts | None, b: Facts, patient: bool = True) -> Facts:
    """Return facts that hold for both values. Without ``patient``, bounds that still grow are widened."""
    if a is None:
        return b
    if patient:
        return hull((a[0], b[0])), max(a[1], b[1]), max(a[2], b[2])
    low, high = _grown(a[0], b[0], False)
    size = a[1] if b[1] <= a[1] else LIST_LIMIT
    return (max(low, INT_RANGE[0]), min(high, INT_RANGE[1])), size, a[2] if b[2] <= a[2] else TEXT_LIMIT


def _open(interval: Interval) -> Interval:
    """Replace infinite bounds by ``UNKNOWN``."""
    low, high = interval
    return (-UNKNOWN if low <= INT_RANGE[0] else low), (UNKNOWN if high >= INT_RANGE[1] else high)


def _settled(interval: Interval, after: list[Interval]) -> Interval:
    """Replace ``UNKNOWN`` by an infinite bound, unless the values in ``after`` exceed it only slightly.

    A value may exceed ``UNKNOWN`` by at most ``LITTLE``, or be a constant of at most ``FAR``.
    """
    low, high = interval
    return (
        DOUBLE_INT_RANGE[0] if low == -UNKNOWN and not all(_moves_little(-end) for end, _ in after) else low,
        DOUBLE_INT_RANGE[1] if high == UNKNOWN and not all(_moves_little(end) for _, end in after) else high,
    )


def _moves_little(end: int) -> bool:
    times, number = split_symbolic(end)
    return times < 0 or (times <= 1 and number <= (LITTLE if times else FAR))


def _closed(interval: Interval, before: Interval, far: int) -> Interval:
    """Replace ``UNKNOWN`` by its largest possible value, ``far``. The other bound stays as in ``before``."""
    low, high = interval
    return (-far if low == -UNKNOWN else before[0]), (far if high == UNKNOWN else before[1])


def _grown(before: Interval, now: Interval, patient: bool) -> Interval:
    """Return the hull of two intervals. Without ``patient``, a bound that still grows becomes infinite."""
    (a, b), (c, d) = before, now
    return (a if a <= c else c if patient else DOUBLE_INT_RANGE[0]), (
        b if b >= d else d if patient else DOUBLE_INT_RANGE[1]
    )


def _as_given(cell: core.ReadCell, params: tuple[core.Param, ...], args: tuple[Expr, ...]) -> Cell | None:
    """Express a place by the parameters of a called routine. None if an index is neither an argument nor a constant."""
    slots = {arg.slot: param.slot for param, arg in zip(params, args, strict=True) if isinstance(arg, Local)}
    indices: list[tuple[str, object]] = []
    for index in cell.indices:
        if isinstance(index, Local) and index.slot in slots:
            indices.append(("param", slots[index.slot]))
        elif isinstance(index, core.Const):
            indices.append(("value", index.value))
        else:
            return None
    return cell.place, tuple(indices)


def _cell(cell: Cell, params: tuple[core.Param, ...]) -> core.ReadCell:
    """Return the expression inside a routine that reads a place given by its parameters."""
    types = {param.slot: param for param in params}
    indices: list[Expr] = []
    for what, value in cell[1]:
        if what == "param" and isinstance(value, int):
            indices.append(Local(types[value].type, NOWHERE, value, types[value].name))
        else:
            indices.append(core.Const(INT, NOWHERE, value))
    return core.ReadCell(INT, NOWHERE, cell[0], tuple(indices))


def _reads(e: Expr, s: core.SetCell) -> bool:
    """Return whether an expression reads exactly the place that a statement writes."""
    return isinstance(e, core.ReadCell) and e.place == s.place and _same(e.indices, s.indices)


def _same(a: tuple[Expr, ...], b: tuple[Expr, ...]) -> bool:
    return len(a) == len(b) and all(
        type(x) is type(y) and isinstance(x, Local | core.Const) and _key(x) == _key(y)
        for x, y in zip(a, b, strict=True)
    )


def _key(e: Mapping[str, object] | Expr) -> object:
    return e.slot if isinstance(e, Local) else getattr(e, "value", None)
