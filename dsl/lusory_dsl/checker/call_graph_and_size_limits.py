"""Record the call graph, and report call cycles, deep nesting and programs that are too large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from graphlib import TopologicalSorter
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

from .. import core
from ..core.program_reads_and_value_bounds import RoutineNodes, iterate_routines
from ..ruleset import model
from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import dataclass, field
from ..source.diagnostics import Diagnostics
from ..source.in_memory_cache_of_parsed_and_checked_texts import find_cached, get_cached, store_cached
from ..source.nesting_limits import MAX_BLOCK_DEPTH, MAX_CALL_DEPTH, MAX_CHOICE_VARIABLES, MAX_PHASE_DEPTH
from ..source.source import Span
from ..types.types import PlayerType

MAX_SHOWN_CALLS = 8
"""Maximum number of calls of a cycle that a message names."""


class Owner(NamedTuple):
    """The owner of a text: its section, and its name if the section has several texts."""

    section: str
    name: str = ""


_NOBODY = Owner("")


@dataclass(eq=False)
class CallGraph:
    """The call graph of a ruleset.

    Attributes:
        calls: Caller -> callee -> the position of the first such call.
        state_reads: Owner -> the first variable, pool or zone that it reads, and where.
        causes: Pair of a text and a rule that it triggers -> a phrase for the cause, such as "sets `coins`".
    """

    calls: dict[Owner, dict[Owner, Span]] = field(default_factory=dict)
    state_reads: dict[Owner, tuple[str, Span]] = field(default_factory=dict)
    causes: dict[tuple[Owner, Owner], str] = field(default_factory=dict)

    def add_owner(self, owner: Owner) -> None:
        """Let the calls of a text come before those of all texts that are added later. A known text keeps its place."""
        self.calls.setdefault(owner, {})

    def add_call(self, caller: Owner, callee: Owner, span: Span) -> None:
        """Record a call. The first position is kept."""
        self.calls.setdefault(caller, {}).setdefault(callee, span)

    def add_trigger(self, owner: Owner, rule: Owner, span: Span, cause: str) -> None:
        """Record that a text triggers a rule, as a call with a cause.

        ``cause`` is a phrase that says by what, such as "sets `coins`". A call that exists already keeps its position,
        and its cause or lack of one.
        """
        if rule not in self.calls.get(owner, {}):
            self.causes[owner, rule] = cause
        self.add_call(owner, rule, span)

    def add_state_read(self, owner: Owner, name: str, span: Span) -> None:
        """Record that a text reads a variable, pool or zone. Only the first read of each text is kept."""
        self.state_reads.setdefault(owner, (name, span))

    def add(self, graph: CallGraph) -> None:
        """Add the calls and reads of another graph, which has no causes. Those that are already recorded stay."""
        for caller, calls in graph.calls.items():
            own_calls = self.calls.setdefault(caller, {})
            for callee, span in calls.items():
                own_calls.setdefault(callee, span)
        for owner, state_read in graph.state_reads.items():
            self.state_reads.setdefault(owner, state_read)

    def report_cycles(self, diagnostics: Diagnostics) -> None:
        """Report call cycles, since the language has no recursion.

        A depth-first search finds the call that closes a cycle. RECURSION is reported at that call. If ``a``, whose
        calls were added first, calls ``b`` and ``b`` calls ``a``, that is the call in ``b``. The checker adds the calls
        of a called query before those of its caller. If a call of the cycle is a trigger (see :meth:`add_trigger`),
        EVENT_RING is reported instead, at the first trigger from the text that the search met first. A call between two
        texts that are already in reported cycles, even different ones, is not reported.
        """
        finished_owners: set[Owner] = set()
        reported_owners: set[Owner] = set()
        for root in self.calls:
            if root in finished_owners:
                continue
            path = {root: 0}  # text on the current path -> its index
            stack = [(root, self._iterate_calls(root))]
            while stack:
                owner, calls = stack[-1]
                callee, span = next(calls, (_NOBODY, None))
                if span is None:
                    stack.pop()
                    del path[owner]
                    finished_owners.add(owner)
                elif callee in path:
                    if owner not in reported_owners or callee not in reported_owners:
                        ring = list(path)[path[callee] :]
                        reported_owners.update(ring)
                        self._report_cycle([*ring, callee], span, diagnostics)
                elif callee not in finished_owners:
                    path[callee] = len(path)
                    stack.append((callee, self._iterate_calls(callee)))

    def _iterate_calls(self, owner: Owner) -> Iterator[tuple[Owner, Span]]:
        return iter(self.calls.get(owner, {}).items())

    def _report_cycle(self, ring: list[Owner], span: Span, diagnostics: Diagnostics) -> None:
        """Report a cycle of calls at ``span``, the call that closes it.

        ``ring`` begins and ends with the same text. A cycle that a rule is part of is reported as one of events.
        """
        names = [owner.name for owner in ring]
        if any(pair in self.causes for pair in pairwise(ring)):
            self._report_events(ring, diagnostics)
            return
        if len(ring) == 2:
            message = f"the {ring[0].section} `{names[0]}` calls itself"
            notes = []
        else:
            message = f"recursion is not allowed: {_format_ring(names)}"
            notes = [
                (self.calls[caller][callee], f"`{caller.name}` calls `{callee.name}` here")
                for caller, callee in pairwise(ring[: min(len(ring) - 1, MAX_SHOWN_CALLS)])
            ]
        hint = "use `repeat … at most N times`, or remove one of the calls"
        diagnostics.add(codes.RECURSION, message, span, hint, notes)

    def _report_events(self, ring: list[Owner], diagnostics: Diagnostics) -> None:
        """Report a cycle in which a rule triggers itself through moves or writes."""
        pairs = list(pairwise(ring))
        first_event = next(i for i, pair in enumerate(pairs) if pair in self.causes)
        pairs = [*pairs[first_event:], *pairs[:first_event]]  # rotate, so that a statement comes first
        names = [caller.name for caller, _ in pairs]
        if len(pairs) == 1:
            message = f"the rule `{names[0]}` triggers itself: it {self.causes[pairs[0]]}"
        else:
            message = f"these rules trigger each other: {_format_ring([*names, names[0]])}"
        notes = [
            (
                self.calls[caller][callee],
                f"`{caller.name}` {self.causes[caller, callee]} here, which triggers `{callee.name}`"
                if (caller, callee) in self.causes
                else f"`{caller.name}` calls `{callee.name}` here",
            )
            for caller, callee in pairs[:MAX_SHOWN_CALLS]
        ]
        hint = "write a state check, `whenever …`, which repeats until its condition is false"
        if any(self.causes.get(pair, "").startswith("moves cards") for pair in pairs):
            hint = f"write where the cards come from, such as `move hand where … to …`; or {hint}"
        diagnostics.add(codes.EVENT_RING, message, self.calls[pairs[0][0]][pairs[0][1]], hint, notes[1:])

    def report_early_reads(self, section: str, names: Iterable[str], diagnostics: Diagnostics) -> None:
        """Report start values or computed tables that read a variable, pool or zone, directly or through calls.

        A call is that of a query, or a read of a computed table. ``section`` is ``start``, which reports EARLY_READ, or
        ``table``, which reports STATE_IN_TABLE. ``names`` are the names of the variables, pools and zones with a start
        value, or of the tables. Each of them that reads state gets one finding, at its first direct read. Without one,
        it is at its first call that leads to a read. Start values and tables may read options, tables and players.
        """
        code, hint = _EARLY_READS[section]
        stateless_owners: set[Owner] = set()  # texts that read no state, directly or through calls
        for text in names:
            early_read = self._find_early_read(Owner(section, text), stateless_owners)
            if early_read is not None:
                name, read, call = early_read
                message = f"the table `{text}` reads `{name}`, which changes during a game"
                if section == "start":
                    message = f"a start value reads `{name}`, which has no value yet"
                notes = [] if call is None else [(read, f"`{name}` is read here")]
                diagnostics.add(code, message, call or read, hint, notes)

    def _find_early_read(self, start: Owner, stateless_owners: set[Owner]) -> tuple[str, Span, Span | None] | None:
        """Find a read of state from ``start`` along calls. Texts without such a read are added to ``stateless_owners``.

        Returns the name that is read and the position of the read. The third item is the position of the first call on
        the way, or None for a direct read. Returns None if there is no such read.
        """
        visited_owners: set[Owner] = set()
        stack: list[tuple[Owner, Span | None]] = [(start, None)]
        while stack:
            owner, call = stack.pop()
            if owner in visited_owners or owner in stateless_owners:
                continue
            visited_owners.add(owner)
            if owner in self.state_reads:
                return (*self.state_reads[owner], call)
            calls = self.calls.get(owner, {}).items()
            stack += [(callee, call or span) for callee, span in reversed(calls)]
        stateless_owners |= visited_owners
        return None


def _format_ring(names: Sequence[str]) -> str:
    """Return the names on a cycle, joined by arrows. A long cycle is cut before its last name."""
    quoted_names = [f"`{name}`" for name in names]
    if len(names) > MAX_SHOWN_CALLS:
        quoted_names = [*quoted_names[: MAX_SHOWN_CALLS - 2], "…", quoted_names[-1]]
    return " → ".join(quoted_names)


_EARLY_READS = {
    "start": (codes.EARLY_READ, "read only options, tables, players and indices here; set everything else in `setup`"),
    "table": (codes.STATE_IN_TABLE, "write a query instead: a table never changes during a game"),
}
"""Section -> the code and hint for its texts that read state."""


def report_depth(program: core.Program, phases: Sequence[core.Phase], diagnostics: Diagnostics) -> None:
    """Report TOO_DEEP for the first block, phase or routine that is nested too deeply, in this order, and nothing more.

    At most MAX_PHASE_DEPTH phases and MAX_CALL_DEPTH nodes may be nested, and MAX_BLOCK_DEPTH blocks inside the body of
    an effect, rule or phase. The body itself and blocks without statements don't count. A choice counts as a block that
    is nested too deeply if one alternative has more than MAX_CHOICE_VARIABLES variables. The depth of a routine (query,
    effect or phase) is that of its deepest node, where the nodes of a called routine are below the call. Called
    routines are examined before their callers. Cycles of calls raise ``graphlib.CycleError``, unless a block or phase
    is reported.
    """
    bodies = [body for effect in program.effects.values() for body in core.get_bodies(effect)]
    for block in (*bodies, *(phase.body for phase in core.walk_phases(phases))):
        if find_cached(("shallow", block)) is None:
            if _report_blocks(block, diagnostics):
                return
            store_cached(("shallow", block), True)
    if _report_phases(phases, diagnostics):
        return
    routines: dict[_Name, tuple[Any, ...]] = {}
    for name, query in program.queries.items():
        modifier_parts = (node for modifier in query.modifiers for node in (modifier.condition, modifier.value))
        routines["query", name] = (query.value, *modifier_parts)
    for name, effect in program.effects.items():
        rules = core.get_rules(effect)
        conditions = (rule.condition for rule in rules if rule.condition is not None)
        routines["effect", name] = (*effect.body, *conditions, *(stmt for rule in rules for stmt in rule.body))
    routines |= {("phase", phase.id): phase.body for phase in core.walk_phases(phases)}
    nesting = {
        owner: get_cached(("nesting", roots), partial(_measure_nesting, roots)) for owner, roots in routines.items()
    }
    callees = {owner: [callee for callee in calls if callee in routines] for owner, (_, calls) in nesting.items()}
    depths: dict[_Name, int] = {}
    for owner in TopologicalSorter(callees).static_order():
        own_depth, calls = nesting[owner]
        depths[owner] = max([own_depth, *(depth + depths.get(callee, 0) for callee, depth in calls.items())])
        if depths[owner] > MAX_CALL_DEPTH:
            report_too_deep(f"the {owner[0]} `{owner[1]}`", routines[owner][0].span, diagnostics)
            return


def report_too_deep(description: str, span: Span, diagnostics: Diagnostics) -> None:
    """Add the error TOO_DEEP at ``span``, with a hint. ``description`` begins its message.

    Example: “the query `x`” gives “the query `x` is nested more than 250 deep, together with what it calls”. The
    number is ``MAX_CALL_DEPTH``.
    """
    message = f"{description} is nested more than {MAX_CALL_DEPTH} deep, together with what it calls"
    hint = "shorten the chain of calls, or keep a value on the way in a variable"
    diagnostics.add(codes.TOO_DEEP, message, span, hint)


_Name = tuple[str, str]
"""The kind of a routine (``query``, ``effect`` or ``phase``) and its name."""


def _measure_nesting(roots: Sequence[Any]) -> tuple[int, dict[_Name, int]]:
    """Return the nesting depth of some nodes, and the depth of the deepest call of each routine in them."""
    calls: dict[_Name, int] = {}
    deepest = 0
    stack = [(root, 1) for root in roots]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        match node:
            case core.CallQuery(query=name):
                calls["query", name] = max(calls.get(("query", name), 0), depth)
            case core.CallEffect(effect=name):
                calls["effect", name] = max(calls.get(("effect", name), 0), depth)
        stack += [(child, depth + 1) for child in core.get_children(node)]
    return deepest, calls


def _report_blocks(block: Sequence[core.Stmt], diagnostics: Diagnostics) -> bool:
    """Report blocks that are nested too deeply, or an alternative that chooses too many things.

    Returns whether it reported.
    """
    stack = [(stmt, 1) for stmt in reversed(block)]
    while stack:
        stmt, depth = stack.pop()
        if isinstance(stmt, core.Ask):
            for alternative in stmt.alternatives:
                if len(alternative.vars) > MAX_CHOICE_VARIABLES:
                    message = f"more than {MAX_CHOICE_VARIABLES} things are chosen at once"
                    hint = "let one choice follow the other"
                    diagnostics.add(codes.TOO_DEEP, message, alternative.vars[MAX_CHOICE_VARIABLES].span, hint)
                    return True
        inner_statements = [statement for part in core.get_blocks(stmt) for statement in part]
        if inner_statements and depth > MAX_BLOCK_DEPTH:
            message = f"blocks are nested more than {MAX_BLOCK_DEPTH} deep"
            diagnostics.add(codes.TOO_DEEP, message, stmt.span, "make an effect of the inner ones")
            return True
        stack += [(statement, depth + 1) for statement in reversed(inner_statements)]
    return False


def _report_phases(phases: Sequence[core.Phase], diagnostics: Diagnostics) -> bool:
    """Report the first phase that is nested too deeply. Returns whether it reported."""
    stack = [(phase, 1) for phase in reversed(phases)]
    while stack:
        phase, depth = stack.pop()
        if depth > MAX_PHASE_DEPTH:
            message = f"phases are nested more than {MAX_PHASE_DEPTH} deep"
            diagnostics.add(codes.TOO_DEEP, message, phase.span, "let some of them follow each other")
            return True
        stack += [(child, depth + 1) for child in reversed(phase.children)]
    return False


MAX_COMPONENTS = 20_000
"""Maximum number of components in a ruleset. Each copy counts."""
MAX_CELLS = 200_000
"""Maximum number of values in a state."""
MAX_INLINED = 500_000
"""Maximum total length of actions, in characters.

An action counts once for each place that offers it, since it is checked there.
"""
MIN_INLINED = 100
"""Minimum number of characters that an action counts for."""


def check_card_count(cards: Iterable[model.CardDecl], diagnostics: Diagnostics) -> bool:
    """Return whether the number of components, all copies counted, is at most ``MAX_COMPONENTS``.

    Otherwise reports TOO_MANY once, at the card with which the total first exceeds it.
    """
    n_components = 0
    for card in cards:
        n_components += card.copies
        if n_components > MAX_COMPONENTS:
            message = f"this card brings the game to more than {MAX_COMPONENTS:,} components"
            diagnostics.add(codes.TOO_MANY, message, card.id.span, "make fewer copies, or use counters instead")
            return False
    return True


def report_cells(places: Iterable[tuple[core.Place, Span]], max_players: int, diagnostics: Diagnostics) -> None:
    """Report the first place that brings the number of values in a state to more than ``MAX_CELLS``.

    A place has one value for each combination of its indices, and a pool that many for each kind of its enum. An index
    for a player has ``max_players`` values. Later places are not reported.
    """
    n_cells = 0
    for place, span in places:
        sizes = [max_players if isinstance(dim.type, PlayerType) else dim.size or 0 for dim in place.dims]
        n_cells += prod(sizes) * (len(place.start) if isinstance(place, core.Pool) else 1)
        if n_cells > MAX_CELLS:
            message = f"`{place.name}` brings the table to more than {MAX_CELLS:,} values"
            diagnostics.add(codes.TOO_MANY, message, span, "give it fewer or smaller dimensions")
            return


MAX_EXPANDED_SIZE = 20_000
"""Maximum number of nodes of an expression after its local names are expanded."""


def report_expanded_size(program: core.Program, phases: Iterable[core.Phase], report: Diagnostics) -> None:
    """Report nodes of routines with more than ``MAX_EXPANDED_SIZE`` nodes when their local names are expanded.

    They are those of :func:`iterate_routines`. A statement counts as a whole, with its blocks. A node without names
    inside it, such as ``let a = …; a + a``, is never reported.
    """
    for routine in iterate_routines(phases, program.effects, program.queries):
        for root in get_cached(("oversized", routine), partial(_list_oversized, routine)):
            message = f"what the names in this expression stand for comes to more than {MAX_EXPANDED_SIZE:,} parts"
            report.add(codes.TOO_LARGE, message, root.span, "make queries of some of them")


def _list_oversized(routine: RoutineNodes) -> list[core.Expr | core.Stmt]:
    """Return the nodes whose size exceeds the limit of :func:`report_expanded_size`."""
    oversized_nodes = []
    for root in routine:
        sizes: dict[int, int] = {}
        if _compute_expanded_size(root, sizes) > MAX_EXPANDED_SIZE and sizes:
            oversized_nodes.append(root)
    return oversized_nodes


def _compute_expanded_size(node: core.Expr | core.Stmt, sizes: dict[int, int]) -> int:
    """Return the number of nodes of an expression or statement after its local names are expanded.

    ``sizes`` maps the slot of each name to the size of its value. The function extends it. A local without a size
    counts as 1. Example: ``let a = x + y; a + a`` has 3 + 7 = 10 nodes.
    """
    if isinstance(node, core.Local):
        return sizes.get(node.slot, 1)
    if isinstance(node, core.Named):
        sizes[node.slot] = _compute_expanded_size(node.value, sizes)
        return sizes[node.slot] + _compute_expanded_size(node.body, sizes)
    return 1 + sum(_compute_expanded_size(child, sizes) for child in core.get_children(node))
