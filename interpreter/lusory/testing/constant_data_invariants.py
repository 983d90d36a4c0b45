"""Check the invariants about constant data of a ruleset (its laws), which hold or fail without a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from lusory_dsl import core
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import find_cached, store_cached
from lusory_dsl.source.source import Span, join_items
from lusory_dsl.types.types import ComponentType

from ..evaluator.expressions import Reader, Slots
from ..evaluator.invariants import Violation, find_violations
from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.setting_value_limits_builtins_and_names import Setting, Value, unwrap_list_type
from ..state.state_layout import StateLayout

LAW_VISITS = 100_000
"""The number of list items that the laws of a ruleset may visit, for all numbers of players together.

The largest bundled ruleset visits about 47,000.
"""


def check_laws(program: core.Program, diagnostics: Diagnostics) -> None:
    """Add a LAW_BROKEN at each place that breaks a law, for any number of players and default options.

    The place is the last component, such as a card, among the items of the law's ``for``. Without one, it is the table
    entry that the law reads with the most of these items as indices, the first of several. Without either, it is the
    condition of the law, and also if another law is already reported at the place. Of several messages of a law at one
    place, only the first is reported: ``the law `few` is false for n = 1: too cheap, with 2 or 3
    players``. Without a ``because``, ``: too cheap`` is left out. So is the end from ``, with`` on if all numbers of
    players give the message. A law that can't be computed gives one where it fails. Once the laws together visit more
    than ``LAW_VISITS`` list items, one more says so, and no further laws are computed. Within ``enable_cache()``,
    nothing is computed if all laws have held for the same data in an earlier check.
    """
    laws = [invariant for invariant in program.invariants if invariant.is_law]
    data_names = ("tables", "boards", "enums", "entities", "component_fields", "options", "min_players", "max_players")
    data = [_list_parts(program, laws), *(getattr(program, name) for name in data_names)]
    if find_cached(key := ("laws", program.directory)) == data:
        return
    n_added = diagnostics.n_added
    visits = LAW_VISITS
    counts = range(program.min_players, program.max_players + 1) if laws else ()
    violations: dict[tuple[str, str], tuple[Violation, list[Span], list[int]]] = {}
    for players in counts:
        reader = _DataReader(program, players)
        reader.visits = visits
        for law in laws:
            try:
                for violation in find_violations(reader, law):
                    places = reader._find_mistake_places(violation)
                    violations.setdefault((law.id, violation.message), (violation, places, []))[2].append(players)
            except RulesetFault as fault:
                message = f"the law `{law.id}` can't be computed: {fault.message}"
                _report(diagnostics, law, message, [fault.span or law.condition.span])
                if reader.visits < 0:
                    break
        visits = reader.visits
        if visits < 0:
            break
    ids_by_place: dict[Span, str] = {}
    for violation, places, player_counts in violations.values():
        numbers = join_items(map(str, player_counts), "or")
        with_players = "" if len(player_counts) == len(counts) else f", with {numbers} players"
        # another law is already reported at this place
        if ids_by_place.setdefault(places[0], violation.id) != violation.id:
            places = [violation.invariant.condition.span, *places]
        _report(diagnostics, violation.invariant, f"the law {violation.message}{with_players}", places)
    if diagnostics.n_added == n_added:
        store_cached(key, data)


def _list_parts(program: core.Program, laws: Sequence[core.Invariant]) -> list[object]:
    """Return the expressions in laws and in the queries that they call, directly or indirectly."""
    nodes: list[object] = [node for law in laws for node in (law.condition, *law.vars, law.because) if node is not None]
    queries: set[str] = set()
    for root in nodes:  # grows meanwhile
        for node in core.walk(root):
            if isinstance(node, core.CallQuery) and node.query not in queries:
                queries.add(node.query)
                query = program.queries[node.query]
                nodes += (query.value, *(child for item in query.modifiers for child in (item.condition, item.value)))
    return nodes


def _report(diagnostics: Diagnostics, law: core.Invariant, message: str, places: list[Span]) -> None:
    """Add a diagnostic at the first of the places, with notes at the others and at the condition of the law."""
    place, *other_places = places
    notes = [(other_place, "this breaks the law") for other_place in other_places]
    condition_span = law.condition.span
    if place.source is not condition_span.source or not condition_span.start <= place.start < condition_span.end:
        notes.append((law.condition.span, law.doc or "this must always be true"))
    diagnostics.add(diagnostic_codes.LAW_BROKEN, message, place, None, notes)


class _DataReader(Reader):
    """Reader of data without a position. It records the table entries that it reads."""

    def __init__(self, program: core.Program, player_count: int) -> None:
        options: dict[str, Value] = {option.name: option.default for option in program.options}
        layout = StateLayout(program, player_count)
        super().__init__(Setting(program, layout, player_count, options), [None] * layout.size, [])
        self.entries: list[tuple[core.Table, tuple[Value, ...]]] = []

    def fail(self, message: str, span: Span) -> NoReturn:
        raise RulesetFault(message, span)

    def visit(self, item_count: int, span: Span) -> None:
        """Count visited list items. Raises RulesetFault beyond the limit."""
        self.visits -= item_count
        if self.visits < 0:
            self.fail(f"up to here, the laws visit more than {LAW_VISITS:,} list items", span)

    def eval_TableRead(self, expr: core.TableRead, slots: Slots) -> Value:
        indices = tuple(self.evaluate(index, slots) for index in expr.indices)
        self.entries.append((self.program.get_table(expr.table), indices))
        return super().eval_TableRead(expr, slots)

    def _find_mistake_places(self, violation: Violation) -> list[Span]:
        """Return the places where an author can fix a broken law: a card, then a table entry that the law reads.

        The card is the last one among the items of the law's ``for`` for which it fails. The entry is the one with the
        most of these items as indices. With a card, an entry without any such index is left out. If there is neither,
        the only place is the condition of the law.
        """
        law, slots = violation.invariant, list(violation.slots)
        bindings = [(unwrap_list_type(var.domain.type), slots[var.slot]) for var in law.vars]
        cards = [self.program.entities[value] for type, value in bindings if isinstance(type, ComponentType)]
        self.entries.clear()
        self.holds(law.condition, slots)
        entries: dict[int, Span] = {}
        for data_table, indices in self.entries:
            key = list(zip((dim.type for dim in data_table.dims), indices, strict=True))
            if indices in data_table.spans:
                entries.setdefault(sum(binding in bindings for binding in key), data_table.spans[indices][0])
        places = [card.span for card in cards[-1:]]
        if entries and (not cards or max(entries)):
            places.append(entries[max(entries)])
        return places or [law.condition.span]
