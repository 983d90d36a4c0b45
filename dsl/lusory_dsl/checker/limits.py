"""Record the call graph, and report call cycles, deep nesting and programs that are too large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

from .. import core
from ..core.constant_analysis import routines_of
from ..ruleset import model
from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics
from ..source.lazy_dataclass import dataclass, field
from ..source.limits import MAX_BLOCKS, MAX_CALL_DEPTH, MAX_CHOSEN, MAX_PHASES
from ..source.source import Span
from ..types.types import PlayerType

MOST_SHOWN = 8
"""Maximum number of calls of a cycle that a message names."""


class Owner(NamedTuple):
    """The owner of a text: its section, and its name if the section has several texts."""

    section: str
    name: str = ""


_NOBODY = Owner("")


@dataclass(eq=False)
class Graph:
    """The call graph of a ruleset.

    Attributes:
        calls: Caller -> callee -> the position of the first such call.
        reads: Owner -> the first variable or zone that it reads, and where.
        causes: Pair of a text and a rule that it triggers -> a phrase for the cause, such as "sets `coins`".
    """

    calls: dict[Owner, dict[Owner, Span]] = field(default_factory=dict)
    reads: dict[Owner, tuple[str, Span]] = field(default_factory=dict)
    causes: dict[tuple[Owner, Owner], str] = field(default_factory=dict)

    def call(self, caller: Owner, callee: Owner, span: Span) -> None:
        """Record a call. The first position is kept."""
        self.calls.setdefault(caller, {}).setdefault(callee, span)

    def set_off(self, owner: Owner, rule: Owner, span: Span, does: str) -> None:
        """Record that a text triggers a rule. ``does`` is a phrase that says by what, such as "sets `coins`"."""
        if rule not in self.calls.get(owner, {}):
            self.causes[owner, rule] = does
        self.call(owner, rule, span)

    def reads_state(self, owner: Owner, name: str, span: Span) -> None:
        """Record that a text reads a variable or zone. The first read is kept."""
        self.reads.setdefault(owner, (name, span))

    def report_cycles(self, diagnostics: Diagnostics, printed: Mapping[str, str]) -> None:
        """Report call cycles, since the language has no recursion.

        A depth-first search finds the call that closes a cycle. A call between two texts that are already in reported
        cycles is not reported. ``printed`` maps a query of a card's member to the field with its printed value.
        """
        done: set[Owner] = set()
        told: set[Owner] = set()
        for first in self.calls:
            if first in done:
                continue
            path = {first: 0}  # text on the current path -> its index
            todo = [(first, self._calls_of(first))]
            while todo:
                owner, calls = todo[-1]
                callee, span = next(calls, (_NOBODY, None))
                if span is None:
                    todo.pop()
                    del path[owner]
                    done.add(owner)
                elif callee in path:
                    if owner not in told or callee not in told:
                        ring = list(path)[path[callee] :]
                        told.update(ring)
                        self._report_cycle([*ring, callee], span, diagnostics, printed)
                elif callee not in done:
                    path[callee] = len(path)
                    todo.append((callee, self._calls_of(callee)))

    def _calls_of(self, owner: Owner) -> Iterator[tuple[Owner, Span]]:
        return iter(self.calls.get(owner, {}).items())

    def _report_cycle(
        self, ring: list[Owner], span: Span, diagnostics: Diagnostics, printed: Mapping[str, str]
    ) -> None:
        names = [owner.name for owner in ring]
        is_event = any(pair in self.causes for pair in pairwise(ring))
        if is_event:
            self._report_events(ring, span, diagnostics)
            return
        if len(ring) == 2:
            message = f"the {ring[0].section} `{names[0]}` calls itself"
            notes = []
        else:
            shown = [f"`{name}`" for name in names]
            shown = shown if len(ring) <= MOST_SHOWN else [*shown[: MOST_SHOWN - 2], "…", shown[-1]]
            message = f"these call each other in a ring: {' → '.join(shown)}"
            notes = [
                (self.calls[a][b], f"`{a.name}` calls `{b.name}` here")
                for a, b in pairwise(ring[: min(len(ring) - 1, MOST_SHOWN)])
            ]
        hint = "use a loop with a bound, or take one of the calls out"
        asked = next((name for name in names if name in printed), None)
        if asked is not None:
            field, member = printed[asked], asked.partition(".")[2]
            hint = f"read the printed value in place of `.{member}`, which rules may change: `.{field}`"
        diagnostics.add(diagnostic_codes.RECURSION, message, span, hint, notes)

    def _report_events(self, ring: list[Owner], span: Span, diagnostics: Diagnostics) -> None:
        """Report a cycle in which a rule triggers itself through moves or writes."""
        pairs = list(pairwise(ring))
        first = next(n for n, pair in enumerate(pairs) if pair in self.causes)
        pairs = [*pairs[first:], *pairs[:first]]  # rotate, so that a statement comes first
        names = [f"`{a.name}`" for a, _ in pairs]
        shown = [*names, names[0]] if len(names) < MOST_SHOWN else [*names[: MOST_SHOWN - 2], "…", names[0]]
        if len(pairs) == 1:
            message = f"the rule {names[0]} would set itself off: it {self.causes[pairs[0]]}"
        else:
            message = f"these set each other off in a ring: {' → '.join(shown)}"
        notes = [
            (
                self.calls[a][b],
                f"`{a.name}` {self.causes[a, b]} here, which `{b.name}` answers to"
                if (a, b) in self.causes
                else f"`{a.name}` calls `{b.name}` here",
            )
            for a, b in pairs[:MOST_SHOWN]
        ]
        hint = "make it a state check, `whenever …`, which goes on until nothing is left to do"
        if any(self.causes.get(pair, "").startswith("moves cards") for pair in pairs):
            hint = f"say where the cards come from, such as `move hand where … to …`; or {hint}"
        diagnostics.add(diagnostic_codes.EVENT_RING, message, self.calls[pairs[0][0]][pairs[0][1]], hint, notes[1:])

    def report_early_reads(self, starts: list[Owner], diagnostics: Diagnostics) -> None:
        """Report start values that read a variable or zone, directly or through queries.

        They may read options, tables and players.
        """
        clean: set[Owner] = set()  # texts that read no state, directly or through calls
        for start in starts:
            found = self._early_read(start, clean)
            if found is None:
                continue
            name, read, call = found
            direct = call is None
            diagnostics.add(
                diagnostic_codes.EARLY_READ,
                f"a start value reads `{name}`, which has no value yet",
                read if call is None else call,
                "start values may read options, tables, players and indices; set the rest in `setup`",
                [] if direct else [(read, f"`{name}` is read here")],
            )

    def report_state_in_tables(self, tables: list[Owner], diagnostics: Diagnostics) -> None:
        """Report computed tables that read a variable or zone. A table must stay the same throughout a game."""
        clean: set[Owner] = set()
        for table in tables:
            found = self._early_read(table, clean)
            if found is not None:
                name, read, call = found
                message = f"the table `{table.name}` reads `{name}`, which changes"
                hint = "a table is the same throughout a game: this is a query"
                notes = [] if call is None else [(read, f"`{name}` is read here")]
                diagnostics.add(diagnostic_codes.STATE_IN_TABLE, message, call or read, hint, notes)

    def _early_read(self, start: Owner, clean: set[Owner]) -> tuple[str, Span, Span | None] | None:
        """Find a read of state from ``start`` along calls. Texts without such a read are added to ``clean``.

        Returns the name that is read and the position of the read. The third item is the position of the first call on
        the way, or None for a direct read. Returns None if there is no such read.
        """
        seen: set[Owner] = set()
        todo: list[tuple[Owner, Span | None]] = [(start, None)]
        while todo:
            owner, call = todo.pop()
            if owner in seen or owner in clean:
                continue
            seen.add(owner)
            if owner in self.reads:
                return (*self.reads[owner], call)
            calls = self.calls.get(owner, {}).items()
            todo += [(callee, call or span) for callee, span in reversed(calls)]
        clean |= seen
        return None


def report_depth(
    queries: Mapping[str, core.Query],
    effects: Mapping[str, core.Effect],
    phases: Sequence[core.Phase],
    diagnostics: Diagnostics,
) -> None:
    """Report blocks, phases or routines that are nested too deeply. Only the first is reported.

    The depth of a routine includes its calls. The call graph must have no cycles.
    """
    bodies = [body for effect in effects.values() for body in core.bodies_of(effect)]
    for block in (*bodies, *(phase.body for phase in core.phases_in(phases))):
        if _report_blocks(block, diagnostics):
            return
    if _report_phases(phases, diagnostics):
        return
    routines: dict[_Name, list[Any]] = {("query", name): _parts_of_query(query) for name, query in queries.items()}
    routines |= {("effect", name): _parts_of_effect(effect) for name, effect in effects.items()}
    routines |= {("phase", phase.id): list(phase.body) for phase in core.phases_in(phases)}
    depths: dict[_Name, int] = {}
    for first in routines:
        ahead: _Name | None = first
        todo: list[tuple[_Name, int, dict[_Name, int], Iterator[_Name]]] = []
        while ahead is not None or todo:
            if ahead is not None:
                most, calls = _nesting(routines[ahead])
                todo.append((ahead, most, calls, iter(calls)))
            name, most, calls, rest = todo[-1]
            ahead = next((callee for callee in rest if callee in routines and callee not in depths), None)
            if ahead is not None:
                continue
            todo.pop()
            depths[name] = max([most, *(depth + depths.get(callee, 0) for callee, depth in calls.items())])
            if depths[name] > MAX_CALL_DEPTH:
                report_too_deep(f"the {name[0]} `{name[1]}`", routines[name][0].span, diagnostics)
                return


def report_too_deep(what: str, span: Span, diagnostics: Diagnostics) -> None:
    """Report that something is nested too deeply, together with everything that it calls."""
    message = f"{what} is nested more than {MAX_CALL_DEPTH} deep, together with what it calls"
    diagnostics.add(
        diagnostic_codes.TOO_DEEP, message, span, "shorten the chain of calls, or keep a value on the way in a variable"
    )


_Name = tuple[str, str]
"""The kind of a routine (``query``, ``effect`` or ``phase``) and its name."""


def _nesting(roots: Sequence[Any]) -> tuple[int, dict[_Name, int]]:
    """Return the nesting depth of some nodes, and the depth of the deepest call of each routine in them."""
    calls: dict[_Name, int] = {}
    most = 0
    todo = [(root, 1) for root in roots]
    while todo:
        node, depth = todo.pop()
        most = max(most, depth)
        match node:
            case core.CallQuery(query=name):
                calls["query", name] = max(calls.get(("query", name), 0), depth)
            case core.CallEffect(effect=name):
                calls["effect", name] = max(calls.get(("effect", name), 0), depth)
        todo += [(child, depth + 1) for child in core.children(node)]
    return most, calls


def _parts_of_query(query: core.Query) -> list[Any]:
    return [query.value, *(part for m in query.modifiers for part in (m.condition, m.value))]


def _parts_of_effect(effect: core.Effect) -> list[Any]:
    rules = core.rules_of(effect)
    conditions = [rule.condition for rule in rules if rule.condition is not None]
    return [*effect.body, *conditions, *(stmt for rule in rules for stmt in rule.body)]


def _report_blocks(block: Sequence[core.Stmt], diagnostics: Diagnostics) -> bool:
    """Report blocks that are nested too deeply, or an alternative that chooses too many things.

    Returns whether it reported.
    """
    todo = [(stmt, 1) for stmt in reversed(block)]
    while todo:
        stmt, depth = todo.pop()
        if isinstance(stmt, core.Ask):
            for alternative in stmt.alternatives:
                if len(alternative.vars) > MAX_CHOSEN:
                    message = f"more than {MAX_CHOSEN} things are chosen at once"
                    hint = "let one choice follow the other"
                    diagnostics.add(diagnostic_codes.TOO_DEEP, message, alternative.vars[MAX_CHOSEN].span, hint)
                    return True
        inner = [inside for part in core.blocks(stmt) for inside in part]
        if inner and depth > MAX_BLOCKS:
            message = f"blocks are nested more than {MAX_BLOCKS} deep"
            diagnostics.add(diagnostic_codes.TOO_DEEP, message, stmt.span, "make an effect of the inner ones")
            return True
        todo += [(inside, depth + 1) for inside in reversed(inner)]
    return False


def _report_phases(phases: Sequence[core.Phase], diagnostics: Diagnostics) -> bool:
    """Report phases that are nested too deeply. Returns whether it reported."""
    todo = [(phase, 1) for phase in phases]
    while todo:
        phase, depth = todo.pop()
        if depth > MAX_PHASES:
            message = f"phases are nested more than {MAX_PHASES} deep"
            diagnostics.add(diagnostic_codes.TOO_DEEP, message, phase.span, "let some of them follow each other")
            return True
        todo += [(child, depth + 1) for child in phase.children]
    return False


MOST_COMPONENTS = 20_000
"""Maximum number of components in a ruleset. Each copy counts."""
MOST_CELLS = 200_000
"""Maximum number of values in a state."""
MOST_OFFERED = 500_000
"""Maximum total length of actions, in characters.

An action counts once for each place that offers it, since it is checked there.
"""
LEAST_OFFERED = 100
"""Minimum number of characters that an action counts for."""


def are_few(cards: Iterable[model.CardDecl], diagnostics: Diagnostics) -> bool:
    """Return whether the number of components is within the limit. Otherwise report the first card beyond it."""
    total = 0
    for card in cards:
        total += card.copies
        if total > MOST_COMPONENTS:
            message = f"with this card there are more than {MOST_COMPONENTS:,} components"
            diagnostics.add(diagnostic_codes.TOO_MANY, message, card.id.span, "make fewer copies, or counters of them")
            return False
    return True


def report_cells(
    places: Iterable[tuple[core.Variable | core.Pool | core.CardZone, Span]], players: int, diagnostics: Diagnostics
) -> None:
    """Report the first place with which a state has too many values. ``players`` is the maximum number of players."""
    total = 0
    for place, span in places:
        sizes = [players if isinstance(dim.type, PlayerType) else dim.size or 0 for dim in place.dims]
        total += prod(sizes) * (len(place.start) if isinstance(place, core.Pool) else 1)
        if total > MOST_CELLS:
            message = f"with `{place.name}` there are more than {MOST_CELLS:,} values on the table"
            diagnostics.add(diagnostic_codes.TOO_MANY, message, span, "give it fewer or smaller dimensions")
            return


MOST = 20_000
"""Maximum number of nodes of an expression after its local names are expanded."""


def report_written_out(program: core.Program, phases: Iterable[core.Phase], report: Diagnostics) -> None:
    """Report expressions that become too large when their local names are expanded."""
    for routine in routines_of(phases, program.effects, program.queries):
        for root in routine:
            sizes: dict[int, int] = {}
            size = written_out(root, sizes)
            if sizes and size > MOST:
                message = f"what the names in this expression stand for comes to more than {MOST:,} parts"
                report.add(diagnostic_codes.TOO_LARGE, message, root.span, "make queries of some of them")


def written_out(node: core.Expr | core.Stmt, sizes: dict[int, int]) -> int:
    """Return the number of nodes of an expression or statement after its local names are expanded.

    ``sizes`` maps the slot of each name to the size of its value. The function extends it.
    """
    if isinstance(node, core.Local):
        return sizes.get(node.slot, 1)
    if isinstance(node, core.Named):
        sizes[node.slot] = written_out(node.value, sizes)
        return sizes[node.slot] + written_out(node.body, sizes)
    return 1 + sum(written_out(part, sizes) for part in core.children(node))
