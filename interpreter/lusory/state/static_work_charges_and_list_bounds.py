"""Compute how much work the rules of a game may take. The numbers are the same on every engine.

The *work* of a statement is the number of nodes of its expressions. A called query counts with all of its nodes. The
body of a loop over a literal range (``1..20``) counts once for each number. The body of an outermost loop over
components counts once, and once more for each hundred components. The work depends on the program text alone. Engines
that share, skip or tabulate evaluations therefore still agree on it, and the state stores it.

A block is charged as a whole when it begins. The charge includes inner blocks that are sure to end soon: branches
without choices, loops over short lists of known length, and calls of such effects.

Lists whose length is only known during the game are not part of this number. Each engine limits them on its own by
counting *visits*: the items that loops in expressions visit between two decisions.

The idea comes from the cost estimates of the Common Expression Language, which Kubernetes uses to reject rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from lusory_dsl import core
from lusory_dsl.core import Const, Expr, ListLoop, Stmt
from lusory_dsl.core.expression_bounds import Bounds
from lusory_dsl.core.generated_part_origins import EFFECT_COPY
from lusory_dsl.source.dataclass_with_lazy_methods import ValueRecord, dataclass, field
from lusory_dsl.types.integer_intervals import Interval
from lusory_dsl.types.types import LIST_LIMIT, ComponentType, EnumType, ListType, PlayerType, Type

from .flattened_phases import Block, iterate_phases

WORK_CAP = 1 << 50  # larger amounts of work are cut off here
MAX_LIMIT = 1 << 40  # upper bound of every limit; generated code relies on it to skip overflow checks
COMPONENTS_PER_PASS = 100  # number of components that add one pass to the cost of an outermost loop


class Limits(ValueRecord):
    """Limit the work of a game.

    Attributes:
        decision: Work from one decision to the next, and before the first.
        game: Work of the whole game.
        visits: Items that loops in expressions visit from one decision to the next.
        options: Number of options of one decision.
    """

    decision: int = 4_000_000
    game: int = 1_000_000_000
    visits: int = 500_000
    options: int = 10_000

    def __post_init__(self) -> None:
        for name in ("decision", "game", "visits", "options"):
            if not 1 <= getattr(self, name) <= MAX_LIMIT:
                raise ValueError(f"the limit `{name}` is a number from 1 to {MAX_LIMIT:,}")


@dataclass
class Weights:
    """Compute the work of the expressions and statements of a program. Every result is at most :data:`WORK_CAP`."""

    program: core.Program
    players: int
    _queries: dict[tuple[str, bool], int] = field(default_factory=dict)
    _statements: dict[Stmt, int] = field(default_factory=dict)

    def _compute_work(self, expr: Expr | core.TextTemplate | None, is_inner: bool = False) -> int:
        """Return the work of an expression, at most :data:`WORK_CAP`. It is 0 for None.

        A loop is the work of its list and, for each of its passes, 1 and the work of its other parts. A range is its
        passes, and a call of a query the work of the query and of the arguments. Any other node counts 1 and its parts.
        Example: ``x > 3`` is 3, and a filter of ``1..10`` by it ``10 + 10 * (1 + 3) = 50``. A range with constant ends
        has as many passes as numbers, at least 1. Any other list has one pass. A list of components has one more for
        each :data:`COMPONENTS_PER_PASS` of its kind, unless ``is_inner`` says that the expression is inside a loop of
        another. A filtered or sorted list has the passes of the list that it starts from.
        """
        if expr is None:
            return 0
        if isinstance(expr, ListLoop):
            children = (child for child in core.get_children(expr) if child is not expr.source)
            pass_work = 1 + sum(self._compute_work(child, True) for child in children)
            passes = self._count_passes(expr.source, is_inner)
            return _cap_work(self._compute_work(expr.source, is_inner) + passes * pass_work)
        if isinstance(expr, core.CallQuery):
            return _cap_work(
                self._compute_query_work(expr.query, is_inner)
                + sum(self._compute_work(arg, is_inner) for arg in expr.args)
            )
        if isinstance(expr, core.Range):
            return _cap_work(self._count_passes(expr, is_inner))
        return _cap_work(1 + sum(self._compute_work(child, is_inner) for child in core.get_children(expr)))

    def _sum_work(self, exprs: Iterable[Expr | None]) -> int:
        """Return the work of several expressions together, at most :data:`WORK_CAP`. An entry None adds 0."""
        return _cap_work(sum(self._compute_work(expr) for expr in exprs))

    def _compute_query_work(self, name: str, is_inner: bool) -> int:
        """Return the work of the query ``name``, at most :data:`WORK_CAP`: 1, its value, and the conditions and values
        of the rules that modify it.

        The arguments of a call are not included. ``is_inner`` is that of :meth:`_compute_work`.
        """
        key = name, is_inner
        if key not in self._queries:
            query = self.program.queries[name]
            changes = sum(
                self._compute_work(modifier.condition, is_inner) + self._compute_work(modifier.value, is_inner)
                for modifier in query.modifiers
            )
            self._queries[key] = _cap_work(1 + self._compute_work(query.value, is_inner) + changes)
        return self._queries[key]

    def _count_passes(self, source: Expr, is_inner: bool = False) -> int:
        """Return the number of passes that a loop over ``source`` is charged for.

        A range with constant ends counts its length, at least 1. Other sources count 1. A list of components counts 1
        more for every 100 components of the kind in the game. With ``is_inner``, the loop is inside a loop of another
        expression, and this part is left out. Filters and sorting don't count: the list that they start from does.
        """
        while isinstance(source, core.Filter | core.Extreme | core.Distinct | core.Sorted | core.Leading):
            source = source.source
        match source:
            case core.Range(low=Const(value=int() as low), high=Const(value=int() as high)):
                return max(1, high - low + 1)
        item = source.type.item if isinstance(source.type, ListType) else None
        if is_inner or not isinstance(item, ComponentType):
            return 1
        return 1 + self.program.component_kinds[item.name][1] // COMPONENTS_PER_PASS

    # ------------------------------------------------------------ statements

    def compute_statement_work(self, stmt: Stmt) -> int:
        """Return the work of a statement, at most :data:`WORK_CAP`, without that of the blocks inside it. It is cached.

        It is 1 and the work of its expressions; tests of items count once for each pass of their loop. A call adds
        :data:`CALL_WORK` instead of 1, and the conditions of the effect's rules.
        """
        if stmt not in self._statements:
            self._statements[stmt] = self._compute_statement_work(stmt)
        return self._statements[stmt]

    def _compute_statement_work(self, stmt: Stmt) -> int:
        """Return what :meth:`compute_statement_work` caches."""
        match stmt:
            case core.Ask():
                tests = sum(self._sum_work(alternative.conditions) for alternative in stmt.alternatives)
                tests += sum(self._count_combinations(alternative.vars) for alternative in stmt.alternatives)
                return _cap_work(1 + self._compute_work(stmt.chooser) + tests)
            case core.AskMany():
                tests = self._count_passes(stmt.source) * (1 + self._compute_work(stmt.condition, True))
                return _cap_work(1 + self._sum_work((stmt.chooser, stmt.source, stmt.low, stmt.high)) + tests)
            case _ if (iteration := core.get_iteration(stmt)) is not None:
                tests = self._count_passes(iteration.source) * self._compute_work(iteration.condition, True)
                return _cap_work(1 + self._compute_work(iteration.source) + tests)
            case core.If():
                return _cap_work(1 + self._sum_work(condition for condition, _ in stmt.branches))
            case core.CallEffect():
                effect = self.program.effects[stmt.effect]
                rules = (rule.condition for rule in core.get_rules(effect))
                return _cap_work(CALL_WORK + self._sum_work((*stmt.args, *rules)))
        return _cap_work(1 + self._sum_work(child for child in core.get_children(stmt) if isinstance(child, Expr)))

    def _count_combinations(self, variables: tuple[core.ChoiceVar, ...], is_inner: bool = False) -> int:
        """Return the work of enumerating all combinations of values: one nested loop for each variable, the first
        outermost.

        The work of a later domain and of the conditions counts once for each pass of the loops around it. Each pass of
        a loop adds 1, and each combination 1 more. It is 1 without variables, and at most :data:`WORK_CAP`.
        ``is_inner`` is that of :meth:`_compute_work`, for the first domain.
        """
        if not variables:
            return 1
        variable, *later_variables = variables
        later_work = self._count_combinations(tuple(later_variables), True)
        work_per_value = 1 + self._compute_work(variable.condition, True) + later_work
        passes = self._count_passes(variable.domain, is_inner)
        return _cap_work(self._compute_work(variable.domain, is_inner) + passes * work_per_value)


def _copy_key(effect: core.Effect) -> object:
    """Return a key that is equal for an effect and its copies.

    An effect that an author wrote has its name as key. The key of a copy is what was copied; else it is the origin.
    """
    origin = effect.origin
    if origin.is_authored:
        return effect.name
    return origin.declaration if origin.part == EFFECT_COPY else origin


def _cap_work(work: int) -> int:
    """Return the work, cut off at :data:`WORK_CAP`."""
    return min(work, WORK_CAP)


# ---------------------------------------------------------------- charges

CALL_WORK = 5  # work to prepare the call of an effect
PASS_WORK = 3  # work of each pass of a loop
LISTS_KEY = "lists_made"
MAX_SHORT_PASSES = 100  # largest number of passes of a loop that is charged as a whole
MAX_ADVANCE_WORK = 20_000  # largest work of inner blocks that are charged in advance: more of it might never run
CHECK_THRESHOLD = 1_000  # a charge above this amount triggers a check of the limit


class Charge(ValueRecord):
    """Hold the cost of a block, which is charged when it begins. ``is_checked`` says whether to check the limit
    then.
    """

    work: int
    is_checked: bool


class Charges:
    """Compute what each block of a program is charged, for a number of players.

    Attributes:
        tests: Phase id -> the charge for each test of its condition.
        passes: Phase id -> the charge for each test of its repetition.
        block_charges: First statement of a block -> the charge of that block. It holds only the phases and effects that
            :meth:`charge_phase` and :meth:`charge_effect` were called for.
    """

    def __init__(self, program: core.Program, players: int, advance_limit: int = WORK_CAP) -> None:
        """Prepare the charges of phases.

        A block that is sure to take more work than ``advance_limit`` is charged all of that work in advance.
        """
        self.program = program
        self.players = players
        self.advance_limit = advance_limit
        self.weights = Weights(program, players)
        self.lengths = Lengths(program, players)
        self.block_charges: dict[Stmt, Charge] = {}
        self.tests: dict[str, Charge] = {}
        self.passes: dict[str, Charge] = {}
        self._short_effects: dict[str, int | None] = {}
        self._short_blocks: dict[Block, int | None] = {}
        self._maximum_effects: dict[str, int] = {}
        self._minimum_effects: dict[str, int] = {}
        self._leaving_effects: dict[str, bool] = {}
        self._charged_phases: set[str] = set()
        self._charged_effects: set[str] = set()
        for phase in iterate_phases(program):
            if phase.condition is not None:
                self.tests[phase.id] = Charge(1 + self.weights._compute_work(phase.condition), False)
            if phase.repeat is not None:
                self.passes[phase.id] = Charge(1 + self.weights._compute_work(phase.repeat), True)

    @cached_property
    def scoring_work(self) -> int:
        """The work of determining the outcome, at most :data:`WORK_CAP`.

        It is that of all ranks, the payoff and all shown scores, once for each of the :attr:`players`.
        """
        scoring = self.program.scoring
        shown_scores = (expr for _, expr in scoring.columns)
        return _cap_work(self.players * self.weights._sum_work((*scoring.rank, scoring.payoff, *shown_scores)))

    @cached_property
    def blocks(self) -> dict[Stmt, Charge]:
        """The charges of the blocks of the setup, all phases, and all effects with their rules, by first statement.

        Only blocks that are charged on their own are there. Empty blocks are missing. A block is short if it has no
        choice, its loops are known to have at most ``MAX_SHORT_PASSES`` (100) passes, and the inner blocks of each
        statement take at most ``MAX_ADVANCE_WORK`` (20,000). A short inner block is charged with the block around it.
        Exceptions are the blocks of a choice, and the body of a loop because of which the block around it isn't short:
        that of ``repeat 200 times: set n to 1`` is there. An effect is short if its body and the bodies of its rules
        are; its blocks are charged with each call. These are missing, too. Fills and returns ``block_charges``.
        """
        for phase in iterate_phases(self.program):
            self.charge_phase(phase)
        for effect in self.program.effects.values():
            self.charge_effect(effect)
        return self.block_charges

    def charge_phase(self, phase: core.Phase) -> None:
        """Compute the charges of the blocks of a phase, unless they are known already."""
        if phase.id not in self._charged_phases:
            self._charged_phases.add(phase.id)
            self._charge_block(phase.body)

    def charge_effect(self, effect: core.Effect) -> None:
        """Compute the charges of the blocks of an effect and of its rules, unless they are known already.

        Copies of an effect share statements, and the last copy determines the charge. Therefore all copies are computed
        at once.
        """
        if effect.name not in self._charged_effects:
            for copy in self._copies[_copy_key(effect)]:
                self._charged_effects.add(copy.name)
                if self._get_effect_work(copy) is None:
                    for body in core.get_bodies(copy):
                        self._charge_block(body)

    @cached_property
    def _copies(self) -> dict[object, list[core.Effect]]:
        """Group each effect with the copies that compiler passes have made of it."""
        copies: dict[object, list[core.Effect]] = {}
        for effect in self.program.effects.values():
            copies.setdefault(_copy_key(effect), []).append(effect)
        return copies

    def _charge_block(self, block: Block, extra: int = 0, is_loop: bool = False) -> None:
        """Record the charge of a block that is charged on its own, under its first statement. An empty block has none.

        ``extra`` is added to the work of its statements. ``is_loop`` makes every charge check the limit.
        """
        work = extra
        for stmt in block:
            work += self.weights.compute_statement_work(stmt) + self._compute_inner_work(stmt)
        if block:
            minimum = self._compute_min_work(block)
            work = _cap_work(minimum if minimum > self.advance_limit else work)
            self.block_charges[block[0]] = Charge(work, is_loop or work > CHECK_THRESHOLD)

    def _compute_inner_work(self, stmt: Stmt) -> int:
        """Return the work of the inner blocks that are charged together with the statement.

        As a side effect, record the charges of its other blocks.
        """
        if isinstance(stmt, core.Ask):
            for block in core.get_blocks(stmt):
                self._charge_block(block)
            return 0
        if isinstance(stmt, core.ForEach | core.Repeat):
            work = self._get_block_work((stmt,))
            if work is None:
                condition_work = self.weights._compute_work(stmt.condition) if isinstance(stmt, core.Repeat) else 0
                self._charge_block(stmt.body, PASS_WORK + condition_work, is_loop=True)
                return 0
            return work - self.weights.compute_statement_work(stmt)
        if isinstance(stmt, core.CallEffect):
            return self._get_effect_work(self.program.effects[stmt.effect]) or 0
        total = 0
        for block in core.get_blocks(stmt):
            work = self._get_block_work(block)
            if work is None:
                self._charge_block(block)
            else:
                total += work
        return _cap_work(total)

    def _get_block_work(self, block: Block) -> int | None:
        """Return the work of a block that is sure to end soon and never asks, or None for any other block.

        Loops must have at most :data:`MAX_SHORT_PASSES` passes, known from the text, and the inner blocks of a
        statement at most :data:`MAX_ADVANCE_WORK`. An empty block has 0.
        """
        if block not in self._short_blocks:
            self._short_blocks[block] = self._compute_short_work(block)
        return self._short_blocks[block]

    def _compute_short_work(self, block: Block) -> int | None:
        """Return what :meth:`_get_block_work` caches.

        It is also None if the inner blocks of a statement take more than :data:`MAX_ADVANCE_WORK`.
        """
        total = 0
        for stmt in block:
            if core.get_control_flow(stmt) & core.ControlFlow.ASKS:
                return None
            inner_works = [self._get_block_work(inner) for inner in core.get_blocks(stmt)]
            if isinstance(stmt, core.CallEffect):
                inner_works = [self._get_effect_work(self.program.effects[stmt.effect])]
            passes = self.lengths._bound_passes(stmt) if core.get_traits(type(stmt)).pass_fields else 1
            is_open = isinstance(stmt, core.Repeat) and stmt.times is None
            if is_open or passes > MAX_SHORT_PASSES or None in inner_works:
                return None
            inner_work = passes * sum(work or 0 for work in inner_works)
            if inner_work > MAX_ADVANCE_WORK:
                return None
            total += self.weights.compute_statement_work(stmt) + inner_work
        return _cap_work(total)

    def _get_effect_work(self, effect: core.Effect) -> int | None:
        """Return the work of an effect with its rules, at most ``WORK_CAP``, or None.

        It is None unless all of their blocks are sure to end soon without a choice. The result is cached by the
        effect's name.
        """
        if effect.name not in self._short_effects:
            works = [self._get_block_work(body) for body in core.get_bodies(effect)]
            self._short_effects[effect.name] = None if None in works else _cap_work(sum(work or 0 for work in works))
        return self._short_effects[effect.name]

    def _compute_min_work(self, block: Block) -> int:
        """Return a lower bound of the work of a block, at most ``WORK_CAP``. An empty block has 0.

        It counts up to the first statement that may ask, leave a loop or end the game. Each statement counts without
        its blocks. The cheapest block of an ``If`` counts as well. So do the passes of a loop that has no condition and
        a number of passes that is certain. The body of a called effect counts, too, unless a rule can replace it.
        """
        total = 0
        for stmt in block:
            if self._can_leave(stmt):
                break
            total += self.weights.compute_statement_work(stmt)
            if isinstance(stmt, core.CallEffect):
                total += self._compute_min_effect_work(self.program.effects[stmt.effect])
            elif isinstance(stmt, core.ForEach | core.Repeat) and stmt.condition is None:
                passes = self.lengths._bound_passes(stmt)
                is_certain = isinstance(stmt, core.Repeat) or isinstance(stmt.source, Const | core.Players)
                total += passes * self._compute_min_work(stmt.body) if is_certain and passes < WORK_CAP else 0
            elif isinstance(stmt, core.If):
                total += min(map(self._compute_min_work, core.get_blocks(stmt)))
        return _cap_work(total)

    def _can_leave(self, stmt: Stmt) -> bool:
        """Return whether a statement, or an effect that it calls, may ask, leave a loop or end the game.

        Calls are followed, and the result for each effect is cached.
        """
        for node in core.walk_statements((stmt,)):
            if core.get_control_flow(node):
                return True
            if isinstance(node, core.CallEffect):
                if node.effect not in self._leaving_effects:
                    effect = self.program.effects[node.effect]
                    stmts = (inner for body in core.get_bodies(effect) for inner in body)
                    self._leaving_effects[node.effect] = any(map(self._can_leave, stmts))
                if self._leaving_effects[node.effect]:
                    return True
        return False

    def _compute_min_effect_work(self, effect: core.Effect) -> int:
        """Return a lower bound of the work of a call's body. It is 0 if a rule may run instead of the body."""
        if effect.name not in self._minimum_effects:
            self._minimum_effects[effect.name] = 0 if effect.instead else self._compute_min_work(effect.body)
        return self._minimum_effects[effect.name]

    # ------------------------------------------------------------ whole games

    @cached_property
    def maximum_work(self) -> int:
        """An upper bound of the work of a whole game, or :data:`WORK_CAP` if no bound is known."""
        return _cap_work(sum(self._bound_phase_work(phase) for phase in (self.program.setup, *self.program.phases)))

    def _bound_phase_work(self, phase: core.Phase) -> int:
        """Return an upper bound of the work of a phase with its children and all repetitions."""
        pass_work = self._bound_block_work(phase.body) + sum(self._bound_phase_work(child) for child in phase.children)
        work = self.tests[phase.id].work if phase.id in self.tests else 0
        if phase.repeat is None:
            return _cap_work(work + pass_work)
        return _cap_work(work + (phase.bound + 1) * (self.passes[phase.id].work + pass_work))

    def _bound_block_work(self, block: Block) -> int:
        """Return an upper bound of the work of a block with its inner blocks and calls, at most :data:`WORK_CAP`."""
        total = 0
        for stmt in block:
            inner_work = sum(self._bound_block_work(inner) for inner in core.get_blocks(stmt))
            if isinstance(stmt, core.CallEffect):
                inner_work = self._bound_effect_work(self.program.effects[stmt.effect])
            elif isinstance(stmt, core.ForEach | core.Repeat):
                condition_work = self.weights._compute_work(stmt.condition) if isinstance(stmt, core.Repeat) else 0
                inner_work = self.lengths._bound_passes(stmt) * (1 + condition_work + inner_work)
            total += self.weights.compute_statement_work(stmt) + inner_work
        return _cap_work(total)

    def _bound_effect_work(self, effect: core.Effect) -> int:
        if effect.name not in self._maximum_effects:
            self._maximum_effects[effect.name] = _cap_work(
                sum(self._bound_block_work(body) for body in core.get_bodies(effect))
            )
        return self._maximum_effects[effect.name]


class Lengths(Bounds):
    """Compute upper bounds for the length of lists, as far as the program text allows."""

    def __init__(self, program: core.Program, player_count: int) -> None:
        self.program = program
        self.player_count = player_count

    @property
    def players(self) -> Interval:
        """The number of players twice."""
        return self.player_count, self.player_count

    def bound_components(self, zone: str) -> int:
        """Return the number of components of the kind that a zone holds."""
        return self.count_distinct_items(self.program.zones[zone].holds)

    def bound_kinds(self, pool: str) -> int:
        """Return the number of kinds of counters that a pool may hold."""
        return len(self.program.pools[pool].kinds)

    def bound_table_sizes(self, table: str) -> Interval:
        """Return 0 and the length of the longest list or row of a table."""
        return 0, _compute_max_row_length(self.program.get_table(table).values)

    def bound_size(self, expr: Expr) -> Interval:
        """Return the minimum and maximum length of a list: (3, 3) for a literal of three items.

        A list of which nothing is known has the maximum ``LIST_LIMIT``. But such a list of components, enum values or
        players counts as without repetitions if :func:`find_list_sources` finds no join, and no range that can have
        more than ``MAX_SHORT_PASSES`` (100) numbers. A variable of the type ``List[Player]`` then has (0, 2) in a game
        of two. Joins include ``add me to xs`` of any list variable. ``players`` itself always has (2, 2).
        """
        low, high = super().bound_size(expr)
        if high < LIST_LIMIT or self._can_repeat_items or not isinstance(expr.type, ListType):
            return low, high
        return low, min(high, self.count_distinct_items(expr.type.item))

    def _bound_passes(self, loop: Stmt) -> int:
        """Return the largest number of passes of a ForEach or Repeat, at least 0.

        For a loop over a list it is :meth:`bound_length` of the list. For a constant number of times, or a constant
        after ``at most``, it is this number. It is ``WORK_CAP`` if the program text doesn't tell. A condition of the
        loop is not taken into account.
        """
        limits = (getattr(loop, name) for name in core.get_traits(type(loop)).pass_fields)
        limit = next(limit for limit in limits if limit is not None)
        if isinstance(limit.type, ListType):
            return self.bound_length(limit)
        return max(limit.value, 0) if isinstance(limit, Const) and isinstance(limit.value, int) else WORK_CAP

    def bound_length(self, list_expr: Expr) -> int:
        """Return the largest number of items that a list expression can have, or ``WORK_CAP`` if the text doesn't tell.

        Example: a filter of the players of a game for four has at most 4 items.
        """
        size = self.bound_size(list_expr)[1]
        return size if size < LIST_LIMIT else WORK_CAP

    def count_distinct_items(self, item: Type | None) -> int:
        """Return the number of values of an item type, which bounds a list without repetitions.

        It is ``WORK_CAP`` for None and for types without such a bound, such as Int.
        """
        match item:
            case ComponentType(name=name):
                return self.program.component_kinds[name][1]
            case EnumType(name=name):
                return len(self.program.enums[name].values)
            case PlayerType():
                return self.player_count
        return WORK_CAP

    @cached_property
    def _can_repeat_items(self) -> bool:
        """True if a list of components, enum values or players may contain an item more than once.

        This holds if the program joins lists anywhere, or maps a long or unbounded number range to another list.
        """
        # Assume that no list repeats items while the lists of the program are measured, to end the recursion.
        self.__dict__["_can_repeat_items"] = False
        joins, sources = find_list_sources(self.program)
        return joins or any(self.bound_length(source) > MAX_SHORT_PASSES for source in sources)


def find_list_sources(program: core.Program) -> tuple[bool, tuple[core.Range, ...]]:
    """Return whether the program joins two lists, and each Range that is itself the ``source`` of a MapList or Concat.

    Adding to a list variable and removing a value from it count as joins, but ``union`` doesn't.
    ``list(n + m for n in 1..2, m in 1..3)`` gives both ranges: the outer loop is a Concat. A filter of a range gives
    none. Equal ranges of several loops are all returned. Only phases, the setup, effects and queries are searched, with
    their rules and modifiers; a join in the scoring or an invariant is not found.

    The result is cached in the ``__dict__`` of the program, because it takes a walk over all these expressions.
    """
    cache = program.__dict__
    if LISTS_KEY not in cache:
        nodes = [node for root in _iterate_statements_and_expressions(program) for node in core.walk(root)]
        joins = any(isinstance(node, core.Binary) and node.op == "join" for node in nodes)
        sources = (node.source for node in nodes if isinstance(node, core.MapList | core.Concat))
        cache[LISTS_KEY] = joins, tuple(source for source in sources if isinstance(source, core.Range))
    sources_found: tuple[bool, tuple[core.Range, ...]] = cache[LISTS_KEY]
    return sources_found


def _iterate_statements_and_expressions(program: core.Program) -> Iterator[core.Stmt | Expr]:
    """Yield all statements of phases and effects, and all expressions outside statements, that a game can evaluate.

    Only the outermost statements are yielded, not nested ones. Phases come first, each with its condition and
    repetition before its body; then effects with their rules; then queries with their modifiers.
    """
    for phase in iterate_phases(program):
        yield from (expr for expr in (phase.condition, phase.repeat) if expr is not None)
        yield from phase.body
    for effect in program.effects.values():
        for body in core.get_bodies(effect):
            yield from body
        yield from (rule.condition for rule in core.get_rules(effect) if rule.condition is not None)
    for query in program.queries.values():
        yield query.value
        for modifier in query.modifiers:
            yield from (modifier.condition, modifier.value)


def _compute_max_row_length(values: object) -> int:
    """Return the length of the longest tuple in nested tuples, or 0 for any other value."""
    if not isinstance(values, tuple):
        return 0
    return max(len(values), max(map(_compute_max_row_length, values), default=0))
