"""Find what the parts of a program read and write, and bound the values of numbers in a whole program, for lints.

:func:`find_unordered_zones` finds the zones in which the order of the cards makes no difference to the rules.

Example: if the pools of the game hold 5 gold together, ``gold > 9`` is never true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from math import prod

from .. import core
from ..source.dataclass_with_lazy_methods import Record, field, fields, replace
from ..types.integer_intervals import INT_RANGE, Interval
from ..types.types import INT_MAX, INT_MIN, LIST_LIMIT, BoolType, IntType, PlayerType
from .expression_bounds import Bounds
from .node_traversal_reads_and_writes import get_children

Block = tuple[core.Stmt, ...]
RoutineNodes = tuple[core.Expr | core.Stmt, ...]
"""Expressions and statements that share their locals."""


def collect_reads(expr: core.Expr, queries: Mapping[str, core.Query], zones: Mapping[str, core.CardZone]) -> set[str]:
    """Return the names of the variables, pools and zones that an expression may read.

    Reads of the queries that it calls, and of their modifiers, count as well. An IndexOfPlace, such as ``card.holder``,
    may read every zone of the component's kind, but a LiesIn only the zone that it names. Tables and options are left
    out.
    """
    reads: set[str] = set()
    visited_queries: set[str] = set()
    pending = [expr]
    while pending:
        expression = pending.pop()
        reads |= set(core.get_reads(expression))
        operands = core.get_children(expression)
        if core.get_traits(type(expression)).reads_location:
            kinds = {operand.type for operand in operands}
            reads |= {zone.name for zone in zones.values() if zone.holds in kinds}
        if isinstance(expression, core.CallQuery) and expression.query not in visited_queries:
            visited_queries.add(expression.query)
            query = queries[expression.query]
            pending.append(query.value)
            pending += [node for modifier in query.modifiers for node in (modifier.condition, modifier.value)]
        pending += operands
    return reads


def collect_writes(stmt: core.Stmt, zones: Mapping[str, core.CardZone]) -> set[str]:
    """Return the names of the variables, pools and zones that a statement itself may change.

    Nested blocks and called effects don't count. Cards can leave any zone of their kind: a move to ``hand`` gives all
    zones for cards of this kind, even those that the statement doesn't name.
    """
    places = set(core.get_writes(stmt))
    for move in core.get_moves(stmt):
        places |= move.get_zones_of_kind(zones)
    return places


def collect_writes_of_effects(program: core.Program) -> dict[str, set[str]]:
    """Return effect -> names of variables, pools and zones it may change: ``{"gain": {"score"}, "rest": set()}``.

    Changes by its body count, by the rules that it triggers or that replace it, and by all effects that any of these
    call, directly or not. A move may change all zones of the card's kind. Calls may form cycles.
    """
    own_writes: dict[str, set[str]] = {}
    callees: dict[str, set[str]] = {}
    for name, effect in program.effects.items():
        statements = [stmt for body in core.get_bodies(effect) for stmt in core.walk_statements(body)]
        callees[name] = {stmt.effect for stmt in statements if isinstance(stmt, core.CallEffect)}
        own_writes[name] = set[str]().union(*(collect_writes(stmt, program.zones) for stmt in statements))
    writes = {}
    for name in program.effects:
        visited_effects, pending = {name}, [name]
        while pending:
            new_effects = callees[pending.pop()] - visited_effects
            visited_effects |= new_effects
            pending += new_effects
        writes[name] = set[str]().union(*(own_writes[callee] for callee in visited_effects))
    return writes


def iterate_routines(
    phases: Iterable[core.Phase], effects: Mapping[str, core.Effect], queries: Mapping[str, core.Query]
) -> Iterator[RoutineNodes]:
    """Yield a tuple of nodes for each routine: first the phases, then the effects, then the queries.

    A phase gives its ``condition`` and its ``repeat``, unless they are None, and its statements. An effect gives its
    statements, and a query its ``value``. The descendants of a phase follow it in preorder, as do the rules of an
    effect (``instead``, then ``when``) and the modifiers of a query; each of them is a routine of its own. A rule gives
    its condition, if any, and its statements, a modifier its condition and its value. Nested nodes are not listed. A
    routine without nodes, such as an effect without statements, gives ().
    """
    for phase in core.walk_phases(phases):
        yield (*(condition for condition in (phase.condition, phase.repeat) if condition is not None), *phase.body)
    for effect in effects.values():
        yield effect.body
        for rule in core.get_rules(effect):
            yield (*(() if rule.condition is None else (rule.condition,)), *rule.body)
    for query in queries.values():
        yield (query.value,)
        for modifier in query.modifiers:
            yield (modifier.condition, modifier.value)


MAX_QUERY_DEPTH = 3
"""Maximum depth of query calls that the analysis follows."""
MAX_STEPS = 20_000
"""Maximum number of nodes to visit for one question.

A whole ruleset may use 100 times as many. Beyond the limit, nothing is known.
"""
MAX_NESTING = 200
"""Maximum nesting of expressions, through locals, that the analysis follows."""


class Budget:
    """A budget of nodes that the analysis may still visit, for the current question and in total."""

    def __init__(self) -> None:
        self.total = 100 * MAX_STEPS
        self.remaining = 0
        self.depth = 0

    def start_question(self) -> None:
        """Start a new question that may visit ``MAX_STEPS`` nodes, or fewer if the total has fewer left."""
        self.remaining = min(MAX_STEPS, self.total)

    def _spend(self) -> bool:
        """Subtract one node, allowed or not, and return whether the question's budget allowed it.

        Before :meth:`start_question`, none is allowed.
        """
        self.remaining -= 1
        self.total -= 1
        return self.remaining >= 0


class Facts(Record):
    """Facts about a whole program.

    ``max_counters`` maps a pool and a kind to the maximum number of such counters. None means that there is no limit.
    """

    players: Interval
    options: Mapping[str, Interval]
    max_counters: Mapping[tuple[str, int], int | None]
    max_components: Mapping[str, int]  # maximum number of components that a zone can hold
    entities: Sequence[core.Entity]
    queries: Mapping[str, core.Query]
    zones: Mapping[str, core.CardZone]
    budget: Budget = field(default_factory=Budget)


def collect_facts(program: core.Program) -> Facts:
    """Return facts about values that hold in every game of a program, for any options and number of players.

    ``players`` is the least and the greatest number of players. ``options`` maps each option with both limits to its
    range. ``max_counters`` maps (pool, ordinal of a kind) to the most counters of this kind. They are its starts in all
    pools of the enum together, with the most players: ``bank`` with 10 and ``purse`` with 2 for each of 2 to 4 players
    give 18 for both. A start that is not written counts as 0, and one that isn't constant as its upper bound. The
    most is None if one of these pools is unlimited or its start has no upper bound. ``max_components`` maps each zone
    to the number of all components of its kind.
    """
    players = (program.min_players, program.max_players)
    n_of_kind = Counter(entity.kind for entity in program.entities)
    sizes = {zone.name: n_of_kind[str(zone.holds)] for zone in program.zones.values()}
    ranges = {
        option.name: (option.low, option.high)
        for option in program.options
        if option.low is not None and option.high is not None
    }
    facts = Facts(players, ranges, {}, sizes, program.entities, program.queries, program.zones)
    facts.budget.start_question()
    bounds = ProgramBounds(facts)
    totals: dict[tuple[str, int], int | None] = {}
    for pool in program.pools.values():
        n_cells = prod(players[1] if isinstance(dim.type, PlayerType) else dim.size or 0 for dim in pool.dims)
        for kind, start in enumerate(pool.start):
            max_start = 0 if start is None else max(0, bounds.bound_number(start)[1])
            is_known = max_start < INT_MAX and not pool.is_unlimited
            total = totals.get((str(pool.holds), kind), 0)
            totals[str(pool.holds), kind] = total + max_start * n_cells if is_known and total is not None else None
    max_counters = {
        (pool.name, kind): max_count
        for pool in program.pools.values()
        for (held_type, kind), max_count in totals.items()
        if held_type == str(pool.holds)
    }
    return replace(facts, max_counters=max_counters)


class ProgramBounds(Record, Bounds):
    """Bounds of expressions, derived from the facts of a program.

    Attributes:
        sources: Slot -> the list that the local iterates over.
        values: Slot -> the expression that the local is bound to.
        cards: Slot -> the card that the local is assumed to be.
        numbers: Slot -> the interval of the local.
        has_limited_counters: If False, the analysis assumes an unlimited supply of counters.
        call_depth: The current depth of query calls.
    """

    facts: Facts
    sources: Mapping[int, core.Expr] = field(default_factory=dict)
    values: Mapping[int, core.Expr] = field(default_factory=dict)
    cards: Mapping[int, int] = field(default_factory=dict)
    numbers: Mapping[int, Interval] = field(default_factory=dict)
    has_limited_counters: bool = True
    call_depth: int = 0

    @property
    def players(self) -> Interval:
        """The least and the greatest number of players."""
        return self.facts.players

    def assume_cards(self, cards: Mapping[int, int]) -> ProgramBounds:
        """Return bounds that also assume cards for some locals: ``cards`` maps slots to numbers of cards."""
        return replace(self, cards={**self.cards, **cards})

    def ignore_calls(self) -> ProgramBounds:
        """Return bounds that don't look into queries."""
        return replace(self, call_depth=MAX_QUERY_DEPTH)

    def ignore_supply(self) -> ProgramBounds:
        """Return bounds that assume an unlimited supply of counters."""
        return replace(self, has_limited_counters=False)

    # ------------------------------------------------------------ conditions

    def evaluate_condition(self, expr: core.Expr) -> bool | None:
        """Return True if a condition always holds, False if it never does, and None if that is unknown.

        ``n > 3`` with ``n`` in 1 to 3 is False. Over a list that is always empty, ``any`` is False and ``all`` True.
        ``any`` is also False if its body never holds, and ``all`` True if its body always does. Otherwise, they are
        unknown, even over lists that are never empty. ``in`` is always unknown. A query that rules modify is unknown.
        Once the budget is used up, every condition is.
        """
        if not self.facts.budget._spend():
            return None
        match expr:
            case core.Const(value=bool() as value):
                return value
            case core.Unary(op="not", operand=operand):
                operand_value = self.evaluate_condition(operand)
                return None if operand_value is None else not operand_value
            case core.Binary(op=("and" | "or") as op):
                return self._evaluate_chain(expr, op)
            case core.Binary(op=("=" | "!=" | "<" | "<=" | ">" | ">=") as op, left=left, right=right):
                return self._evaluate_comparison(op, left, right)
            case core.IfExpr():
                values = {self.evaluate_condition(side) for side in self._list_possible_sides(expr)}
                return values.pop() if len(values) == 1 else None
            case core.Fold(kind=("any" | "all") as kind, source=source, body=body, slot=slot):
                is_empty = self.bound_size(source)[1] == 0
                body_value = self.with_items(slot, source).evaluate_condition(body)
                return kind == "all" if is_empty or (body_value is not None and body_value is (kind == "all")) else None
            case core.CallQuery():
                definition = self._resolve_query(expr)
                return None if definition is None else definition[0].evaluate_condition(definition[1])
            case core.Named(slot=slot, value=value, body=body):
                return self.with_value(slot, value).evaluate_condition(body)
        return None

    def can_all_hold(self, conditions: Sequence[core.Expr]) -> bool:
        """Return False if some part of the conditions, read as chains of ``and``, never holds. True if unknown."""
        conjuncts = (conjunct for condition in conditions for conjunct in core.flatten_chain(condition, "and"))
        return all(self.evaluate_condition(conjunct) is not False for conjunct in conjuncts)

    def _evaluate_chain(self, expr: core.Binary, op: str) -> bool | None:
        values = [self.evaluate_condition(operand) for operand in core.flatten_chain(expr, op)]
        decisive_value = op == "or"
        if decisive_value in values:
            return decisive_value
        return None if None in values else not decisive_value

    def _evaluate_comparison(self, op: str, left: core.Expr, right: core.Expr) -> bool | None:
        """Return whether a comparison is always true or always false. None if it depends, or the ends aren't known."""
        if type(left) is type(right) and make_key(left) == make_key(right):
            return op in ("=", "<=", ">=")
        if isinstance(left.type, IntType) and isinstance(right.type, IntType):
            (left_low, left_high), (right_low, right_high) = self.bound_number(left), self.bound_number(right)
        else:
            (left_low, left_high), (right_low, right_high) = _bound_constant(left), _bound_constant(right)
            if INT_RANGE in ((left_low, left_high), (right_low, right_high)):
                return None
        match op:
            case "<" | ">=":
                truth = True if left_high < right_low else False if left_low >= right_high else None
            case "<=" | ">":
                truth = True if left_high <= right_low else False if left_low > right_high else None
            case _:
                is_equal = left_low == left_high == right_low == right_high
                truth = True if is_equal else False if left_high < right_low or right_high < left_low else None
        return truth if op in ("<", "<=", "=") or truth is None else not truth

    # ------------------------------------------------------------ numbers

    def describe_range(self, expr: core.Expr) -> str | None:
        """Describe the range of a number in words: “always 3”, “at least 1”, “at most 5” or “from 1 to 5”.

        Returns None if nothing is known, if ``expr`` is a Const, or if its type is not Int, but ``Int?`` for example.
        """
        if isinstance(expr, core.Const) or not isinstance(expr.type, IntType):
            return None
        low, high = self.bound_number(expr)
        if low == high:
            return f"always {low}"
        if low == INT_MIN or high == INT_MAX:
            return None if (low, high) == INT_RANGE else f"at least {low}" if high == INT_MAX else f"at most {high}"
        return f"from {low} to {high}"

    def bound_unclipped(self, expr: core.Expr) -> Interval:
        """Return bounds of a number. The widest interval if the expression is too deep or the budget is used up."""
        return self._limit_depth(super().bound_unclipped, expr, INT_RANGE)

    def bound_size(self, expr: core.Expr) -> Interval:
        """Return bounds of the length of a list.

        The widest interval if the expression is too deep or the budget is used up.
        """
        return self._limit_depth(super().bound_size, expr, (0, LIST_LIMIT))

    def _limit_depth(self, analyse: Callable[[core.Expr], Interval], expr: core.Expr, default: Interval) -> Interval:
        """Return what ``analyse`` finds, or ``default`` if the nesting is too deep or the budget is used up."""
        budget = self.facts.budget
        if budget.depth > MAX_NESTING or not budget._spend():
            return default
        budget.depth += 1
        bounds = analyse(expr)
        budget.depth -= 1
        return bounds

    def bound_option(self, name: str) -> Interval:
        """Return the range of an option as declared, or the widest interval if it has none."""
        return self.facts.options.get(name, INT_RANGE)

    def bound_local(self, expr: core.Local) -> Interval:
        """Return the bounds ``(lowest, highest)`` of a local, or of its items if it is a list.

        They are the interval of its slot in ``numbers``, else the bounds of the expression in ``values``, else those of
        the items of the list in ``sources``. Without an entry, returns INT_RANGE.
        """
        if expr.slot in self.numbers:
            return self.numbers[expr.slot]
        expression = self.values.get(expr.slot, self.sources.get(expr.slot))
        return INT_RANGE if expression is None else self.bound_number(expression)

    def bound_local_size(self, expr: core.Local) -> Interval:
        """Return bounds of the length of a local whose value is known, else (0, the limit of lists)."""
        return self.bound_size(self.values[expr.slot]) if expr.slot in self.values else (0, LIST_LIMIT)

    def bound_place(self, place: str, indices: tuple[core.Expr, ...]) -> Interval:
        """Return bounds of the counters of a kind in a pool: (0, the maximum in the game).

        The kind is the last of ``indices``. If it is only known at run time, the bounds hold for every kind. Returns
        the range of Int if any of these kinds is unlimited, if ``has_limited_counters`` is False, and for a variable.
        """
        return self._bound_counters(place, indices[-1], max) if indices else INT_RANGE

    def bound_pool_total(self, pool: str) -> Interval:
        """Return bounds of the number of counters in a pool: from 0 to the sum of the maxima of its kinds.

        Returns the range of Int if any kind is unlimited, if ``has_limited_counters`` is False, and for any other
        place.
        """
        return self._bound_counters(pool, None, sum)

    def _bound_counters(self, pool: str, kind: core.Expr | None, combine: Callable[[Iterable[int]], int]) -> Interval:
        """Return bounds of the counters of a kind in a pool, or of all kinds if ``kind`` is None or not constant.

        The upper bound combines the limits of these kinds. Without one of them, returns the range of Int.
        """
        limits = [
            limit
            for (name, number), limit in self.facts.max_counters.items()
            if name == pool and (not isinstance(kind, core.Const) or number == kind.value)
        ]
        if not self.has_limited_counters or not limits or None in limits:
            return INT_RANGE
        return 0, combine(limit or 0 for limit in limits)

    def bound_field(self, expr: core.Field) -> Interval:
        """Return the printed number of a field as both bounds, such as (3, 3), for a local with an assumed card.

        Returns the range of Int for any other card, and for a field that is no number. :meth:`assume_cards` assumes the
        cards.
        """
        card = self.cards.get(expr.component.slot) if isinstance(expr.component, core.Local) else None
        value = None if card is None else self.facts.entities[card].fields.get(expr.field)
        return (value, value) if isinstance(value, int) and not isinstance(value, bool) else INT_RANGE

    def bound_components(self, zone: str) -> int:
        """Return the number of components of the kind that a zone holds."""
        return self.facts.max_components.get(zone, LIST_LIMIT)

    def bound_query(self, call: core.CallQuery) -> Interval:
        """Return bounds of a query that no rule modifies, from its definition.

        Returns the range of Int for any other query, and if calls are nested more than ``MAX_QUERY_DEPTH`` deep.
        """
        definition = self._resolve_query(call)
        return INT_RANGE if definition is None else definition[0].bound_number(definition[1])

    def with_value(self, slot: int, value: core.Expr) -> ProgramBounds:
        """Return bounds that assume a value for the local ``slot``."""
        return replace(self, values={**self.values, slot: value})

    def with_items(self, slot: int, source: core.Expr) -> ProgramBounds:
        """Return bounds inside a loop, where the local ``slot`` iterates over the list ``source``."""
        return replace(self, sources={**self.sources, slot: source})

    def evaluate_for_items(self, slot: int, source: core.Expr, condition: core.Expr) -> bool | None:
        """Return True if a condition holds for every item of a list, False if for none, and None if that is unknown."""
        return self.with_items(slot, source).evaluate_condition(condition)

    def _resolve_query(self, call: core.CallQuery) -> tuple[ProgramBounds, core.Expr] | None:
        """Return the value of a query with the bounds of its parameters. Return None if its value can't be used.

        The value can't be used if rules modify the query, or if the calls are nested too deeply.
        """
        query = self.facts.queries.get(call.query)
        if (
            query is None
            or query.modifiers
            or self.call_depth == MAX_QUERY_DEPTH
            or len(query.params) != len(call.args)
        ):
            return None
        arguments = list(zip(query.params, call.args, strict=True))
        local_args = [(param.slot, arg.slot) for param, arg in arguments if isinstance(arg, core.Local)]
        cards = {slot: self.cards[arg_slot] for slot, arg_slot in local_args if arg_slot in self.cards}
        numbers = {param.slot: self.bound_number(arg) for param, arg in arguments if isinstance(param.type, IntType)}
        return ProgramBounds(
            self.facts, {}, {}, cards, numbers, self.has_limited_counters, self.call_depth + 1
        ), query.value


def make_key(expr: object, local_keys: Mapping[int, object] = {}) -> object:
    """Return a hashable key that is equal for structurally equal expressions: ``(Const, 2)`` for the number 2.

    The key of an expression is a tuple of its class and the keys of its fields. Spans, types and origins don't count,
    so the constants True and 1 have equal keys. The key of a local is ``local_keys[slot]``, or ``(Local, slot)`` if
    that is missing. Tuples become tuples of keys. Any other value that is no expression is its own key, such as the
    slot that a loop binds.
    """
    if isinstance(expr, tuple):
        return tuple(make_key(item, local_keys) for item in expr)
    if isinstance(expr, core.Local):
        return local_keys.get(expr.slot, (core.Local, expr.slot))
    if not isinstance(expr, core.Expr):
        return expr
    names = _list_fields(type(expr))  # type: ignore[arg-type]  # any class is hashable
    return (type(expr), *(make_key(getattr(expr, name), local_keys) for name in names))


@cache
def _list_fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in ("span", "type", "origin"))


def _bound_constant(expr: core.Expr) -> Interval:
    """Return a constant that is no number, such as a value of an enum, as an interval of one number.

    Returns the range of Int for any other expression.
    """
    if isinstance(expr, core.Const) and not isinstance(expr.type, BoolType) and isinstance(expr.value, int):
        return (expr.value, expr.value)
    return INT_RANGE


@lru_cache(maxsize=4)
def find_unordered_zones(program: core.Program) -> frozenset[str]:
    """Return the names of the zones whose order the rules never use.

    Rules that only count, filter or shuffle the cards of a zone, or offer them to choose from, don't use its order.
    Neither do a sum, ``min`` or ``max`` of them, or a test by ``any``, ``all`` or ``in``. A zone that no rule reads is
    in the result, too, even if an invariant or the view reads it. The order is used by a loop, ``list(it.cost for it in
    hand)``, a comparison of lists, a random pick, and cards taken in order or named by place. It is also used
    if the rules move the cards as a list (``move hand to deck``), or pass them on as one (``announce "{hand}"``), also
    through a filter. A list joined with another by ``union`` and the like counts as passed on. Choosing cards and
    moving only these doesn't use the order, even if a player picks several in some order.
    """
    ordered_zones: set[str] = set()
    routines: list[object] = [*iterate_routines(program.phases, program.effects, program.queries), program.setup.body]
    scoring = program.scoring
    routines += [scoring.rank, scoring.payoff, tuple(value for _, value in scoring.columns)]
    routines += [visibility.condition for visibility in program.list_visibilities()]
    stack = [(node, False) for node in _flatten(tuple(routines))]
    while stack:
        node, is_order_free = stack.pop()
        if isinstance(node, core.ReadZone) and not is_order_free:
            ordered_zones.add(node.zone)
        # A filter passes the order on to what is around it.
        passes_on = is_order_free and isinstance(node, core.Filter)
        stack += [(child, passes_on or _ignores_order(node, child)) for child in get_children(node)]
    return frozenset(program.zones.keys() - ordered_zones)


def _flatten(part: object) -> list[object]:
    """Return the nodes in nested tuples, without None."""
    if isinstance(part, tuple):
        return [node for item in part for node in _flatten(item)]
    return [] if part is None else [part]


def _ignores_order(node: object, child: object) -> bool:
    """Return whether the value of a node doesn't depend on the order of a list in it."""
    match node:
        case core.ChoiceVar(domain=domain) | core.AskMany(source=domain):
            return child is domain
        case core.Fold(source=source):
            return child is source
        case core.CallBuiltin(name="count"):
            return True
        case core.Binary(op="in", right=right):
            return child is right
    return False
