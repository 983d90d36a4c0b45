"""Measure which parts of a ruleset its test cases exercise.

The program is turned into a list of items, see :mod:`lusory.testing.coverage_items`. Each item has probes, which are
facts that prove that it was exercised. An observer of the evaluator records the facts while the cases run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lusory_dsl import core
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import is_component

from ..state.events_redaction_and_text import ChoiceMade, Event, PhaseBegan
from ..state.setting_value_limits_builtins_and_names import Setting, list_value_types
from .coverage_items import KINDS, Item, list_items
from .program_traversal_and_node_replacement import list_used_routines, walk

if TYPE_CHECKING:
    from .cases.case_model import Case, CaseResult

ENGINE = "evaluator"  # the only engine that can be observed


@dataclass
class ExecutionTrace:
    """Trace of executed code.

    ``nodes`` has the ids of the nodes that ``ran``, and of the conditions that ``held`` and ``failed``. ``facts`` are
    other probes. ``statement_count`` counts executed statements; ``step_count`` also counts evaluated expressions.
    """

    nodes: dict[str, set[int]] = field(default_factory=lambda: {"ran": set(), "held": set(), "failed": set()})
    facts: set[tuple[str, Any]] = field(default_factory=set)
    statement_count: int = 0
    step_count: int = 0

    def add(self, other: ExecutionTrace) -> None:
        """Add another trace to this one: its ``nodes`` of each kind, ``facts``, ``statement_count`` and ``step_count``.

        ``other`` stays unchanged. A ``statement_count`` of 3 and one of 4 give 7, also for runs of the same statements.
        """
        for kind, ids in other.nodes.items():
            self.nodes[kind] |= ids
        self.facts |= other.facts
        self.statement_count += other.statement_count
        self.step_count += other.step_count

    def has(self, kind: str, subject: Any) -> bool:
        """Return whether the trace proves a probe, see :data:`lusory.testing.coverage_items.Probe`.

        For ``ran``, ``held`` and ``failed``, ``subject`` is the id of a node. Any other kind is looked up in ``facts``.
        """
        return subject in self.nodes[kind] if kind in self.nodes else (kind, subject) in self.facts

    def clear(self) -> None:
        """Forget what was executed, but not the counts."""
        for ids in self.nodes.values():
            ids.clear()
        self.facts.clear()


class CardUses:
    """Places in a program that use a card: moves outside the setup, choices, and expressions about one card."""

    def __init__(self, program: core.Program) -> None:
        self.original_cards = {
            entity.number: entity.fields.get("original", entity.number) for entity in program.entities
        }
        # ids of the expressions whose values are cards in use
        self.card_expressions: set[int] = set()
        # for each alternative of a choice, which of its values are cards
        self.card_choices: dict[tuple[int, int], list[bool]] = {}
        nodes = (item for routine, path in list_used_routines(program) for item in walk(routine, path))
        for node, path in nodes:
            match node:
                case core.Stmt() if core.get_moves(node) and path[0] != "setup":
                    self.card_expressions.update(id(move.components) for move in core.get_moves(node))
                case core.DoByCard() | core.ByCard():
                    self.card_expressions.add(id(node.card))
                case core.Field(component=component) if not isinstance(component, core.Local):
                    # one card, not each card of a list
                    self.card_expressions.add(id(component))
                case core.Ask() | core.AskMany():
                    for number, types in enumerate(list_value_types(node)):
                        self.card_choices[node.site, number] = list(map(is_component, types))

    def _list_card_facts(self, value: object) -> Iterator[tuple[str, Any]]:
        """Yield ``("card", first copy)`` for a card, or for each in a tuple. Hidden cards and None give nothing."""
        for card in value if isinstance(value, tuple) else (value,):
            if isinstance(card, int):
                yield "card", self.original_cards[card]


class CoverageRecorder:
    """Observer of the evaluator that records a trace."""

    def __init__(self, uses: CardUses) -> None:
        self.uses = uses
        self.trace = ExecutionTrace()
        self._settings: list[Any] = []  # those seen so far

    def observe_reader(self, reader: Any) -> None:
        """Record in ``trace`` the expressions that a reader evaluates from now on, and the options of its game.

        The options are recorded only for the first reader of a ``setting``. Replaces ``reader.evaluate``.
        Each expression adds 1 to ``trace.step_count``. Its Python ``id()`` goes to ``trace.nodes["ran"]``, and also to
        ``"held"`` if its value is True, or to ``"failed"`` if it is False. All else goes to ``trace.facts``. The
        options give what :func:`list_option_facts` yields, such as ``("option", ("bar", 4))``. The entry ``cost[2]``
        gives ``("entry", ("cost", (2,)))``, and the armor of a card gives ``("field", (5, "armor"))``, where 5 is the
        number of its first copy. Each card in the value of an expression in ``uses.card_expressions`` gives
        ``("card", 5)``.
        """
        if not any(reader.setting is setting for setting in self._settings):
            self._settings.append(reader.setting)
            self.trace.facts.update(list_option_facts(reader.setting))
        trace, evaluate, card_expressions = self.trace, reader.evaluate, self.uses.card_expressions
        # values of table indexes and card expressions, needed to identify the entry or card that is read
        latest_values: dict[int, Any] = {}
        executed_nodes, true_conditions, false_conditions = trace.nodes.values()

        def record_value(expr: core.Expr, slots: list[Any]) -> Any:
            key = id(expr)
            executed_nodes.add(key)
            trace.step_count += 1
            if isinstance(expr, core.TableRead):
                latest_values.update((id(index), None) for index in expr.indices)
            elif isinstance(expr, core.Field):
                latest_values[id(expr.component)] = None
            result = evaluate(expr, slots)
            if result is True:
                true_conditions.add(key)
            elif result is False:
                false_conditions.add(key)
            if key in card_expressions:
                trace.facts.update(self.uses._list_card_facts(result))
            if key in latest_values:
                latest_values[key] = result
            if isinstance(expr, core.TableRead):
                trace.facts.add(("entry", (expr.table, tuple(latest_values[id(index)] for index in expr.indices))))
            elif isinstance(expr, core.Field):
                trace.facts.add(("field", (self.uses.original_cards[latest_values[id(expr.component)]], expr.field)))
            return result

        reader.evaluate = record_value

    def observe_run(self, run: Any) -> None:
        """Record in ``trace`` what an execution does from now on.

        Each statement adds its Python ``id()`` to ``trace.nodes["ran"]``, and 1 to ``trace.statement_count`` and
        ``trace.step_count``. All else goes into ``trace.facts``: called effects as ``("effect", name)`` and phases as
        ``("phase", name)``. A choice adds ``("choice", site)`` and ``("answer", (site, alternative))``, and
        ``("card", first copy)`` for each chosen card. Replaces ``execs`` and ``tell`` of the execution, and calls the
        replaced ones.
        """
        trace, execs, tell = self.trace, run.execs, run.tell

        def record_statement(execution: Any, stmt: core.Stmt, slots: list[Any]) -> None:
            trace.nodes["ran"].add(id(stmt))
            trace.statement_count += 1
            trace.step_count += 1
            if isinstance(stmt, core.CallEffect):
                trace.facts.add(("effect", stmt.effect))
            execs[type(stmt)](execution, stmt, slots)

        def record_event(event: Event) -> None:
            if isinstance(event, PhaseBegan):
                trace.facts.add(("phase", event.phase))
            elif isinstance(event, ChoiceMade):
                trace.facts |= {("choice", event.site), ("answer", (event.site, event.alternative))}
                are_cards = self.uses.card_choices.get((event.site, event.alternative), ())
                for value, is_card in zip(event.values, are_cards, strict=False):
                    if is_card:
                        trace.facts.update(self.uses._list_card_facts(value))
            tell(event)

        run.execs, run.tell = dict.fromkeys(execs, record_statement), record_event


@dataclass(frozen=True)
class Coverage:
    """Coverage of a program by cases. ``traces`` has one trace for each of ``results``."""

    program: core.Program
    items: list[Item]
    results: list[CaseResult]
    traces: list[ExecutionTrace]

    @cached_property
    def covered_items(self) -> set[Item]:
        """The items with a probe in ``item.probes`` for which ``trace.has(*probe)`` holds in one of ``traces``."""
        whole_trace = ExecutionTrace()
        for trace in self.traces:
            whole_trace.add(trace)
        return {item for item in self.items if any(whole_trace.has(*probe) for probe in item.probes)}

    def count_by_kind(self) -> dict[str, tuple[int, int]]:
        """Return kind of item -> number of covered items and number of items, in the order of :data:`KINDS`.

        Kinds without an item are left out.
        """
        return {
            kind: (sum(item in self.covered_items for item in of_kind), len(of_kind))
            for kind in KINDS
            if (of_kind := [item for item in self.items if item.kind == kind])
        }

    @property
    def percent(self) -> float:
        """The share of covered items in percent, or 100 if there are no items."""
        return 100 * len(self.covered_items) / len(self.items) if self.items else 100.0

    def list_uncovered(self) -> list[Item]:
        """Return the uncovered items that the cases could reach."""
        return list_reachable_uncovered(self.items, self.covered_items)


def list_reachable_uncovered(items: list[Item], covered_items: set[Item]) -> list[Item]:
    """Return the outermost uncovered items in order.

    The ``parent`` of each is covered, not in ``items``, or None. So a case could reach it directly. ``covered_items``
    needn't hold only items of ``items``.
    """
    uncovered_items = set(items) - covered_items
    return [item for item in items if item in uncovered_items and item.parent not in uncovered_items]


def measure_coverage(
    program: core.Program, cases: Iterable[Case | CaseResult], is_selected: Callable[[Span], bool] = lambda span: True
) -> Coverage:
    """Run cases on the evaluator, and return what they cover.

    ``items`` of the result are the items of the program whose spans ``is_selected`` accepts, covered or not.
    ``results`` holds a CaseResult, and ``traces`` an ExecutionTrace, for each case in order.
    :func:`lusory.testing.cases.suite_runner.load_cases` reads the cases. A CaseResult in place of a case stays, with an
    empty trace.
    """
    uses = CardUses(program)
    from .cases.case_model import CaseResult  # late: simulations observe games without playing cases
    from .cases.suite_runner import run_case

    results: list[CaseResult] = []
    traces: list[ExecutionTrace] = []
    for case in cases:
        recorder = CoverageRecorder(uses)
        results.append(case if isinstance(case, CaseResult) else run_case(program, case, ENGINE, observer=recorder))
        traces.append(recorder.trace)
    items = [item for item in list_items(program) if is_selected(item.span)]
    return Coverage(program, items, results, traces)


def list_option_facts(setting: Setting) -> Iterator[tuple[str, Any]]:
    """Yield the facts about the values of a game's options, in declared order.

    Each gives ``("option", (name, value))``, and any value but the default also ``("other value", name)``.
    """
    for option in setting.program.options:
        value = setting.options[option.name]
        yield "option", (option.name, value)
        if value != option.default:
            yield "other value", option.name
