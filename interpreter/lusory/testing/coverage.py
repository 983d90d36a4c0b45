"""Measure which parts of a ruleset its test cases exercise.

The program is turned into a list of items: phases, effects, conditions, cards and so on. Each item has probes, which
are facts that prove that it was exercised. An observer of the evaluator records the facts while the cases run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lusory_dsl import core
from lusory_dsl.source.source import Span
from lusory_dsl.types.types import ComponentType, ListType, OptionalType, Type

from ..state.event_log import ChoiceMade, Event, PhaseBegan
from ..state.setting import Setting
from .coverage_items import KINDS, Item, items_of
from .program_tree import routines_in_play, walk

if TYPE_CHECKING:
    from .cases.model import Case, CaseResult

ENGINE = "evaluator"  # the only engine that can be observed


@dataclass
class Exercised:
    """Trace of executed code.

    ``ran``, ``held`` and ``failed`` are ids of nodes that ran, and of conditions that were true and false. ``facts``
    are other probes. ``statements`` counts executed statements; ``steps`` also counts evaluated expressions.
    """

    ran: set[int] = field(default_factory=set)
    held: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    facts: set[tuple[str, Any]] = field(default_factory=set)
    statements: int = 0
    steps: int = 0

    def add(self, other: Exercised) -> None:
        self.ran |= other.ran
        self.held |= other.held
        self.failed |= other.failed
        self.facts |= other.facts
        self.statements += other.statements
        self.steps += other.steps

    def has(self, kind: str, what: Any) -> bool:
        if kind in ("ran", "held", "failed"):
            return what in getattr(self, kind)
        return (kind, what) in self.facts


class Uses:
    """Places in a program that use a card: moves outside the setup, choices, and expressions about one card."""

    def __init__(self, program: core.Program) -> None:
        self.originals = {e.number: e.fields.get("original", e.number) for e in program.entities}
        # ids of the expressions whose values are cards in use
        self.read: set[int] = set()
        # for each alternative of a choice, which of its values are cards
        self.chosen: dict[tuple[int, int], list[bool]] = {}
        for part, path in _everything(program):
            match part:
                case core.Stmt() if core.get_moves(part) and path[0] != "setup":
                    self.read.update(id(move.components) for move in core.get_moves(part))
                case core.DoByCard() | core.ByCard():
                    self.read.add(id(part.card))
                case core.Field(component=component) if not isinstance(component, core.Local):
                    # one card, not each card of a list
                    self.read.add(id(component))
                case core.Ask():
                    for number, alternative in enumerate(part.alternatives):
                        self.chosen[part.site, number] = [_is_card(v.domain.type) for v in alternative.vars]
                case core.AskMany():
                    self.chosen[part.site, 0] = [_is_card(part.source.type)]

    def used(self, value: object) -> Iterator[tuple[str, Any]]:
        """Yield the fact that a card is in use, for one card or each of several. Hidden cards give none."""
        for card in value if isinstance(value, tuple) else (value,):
            if isinstance(card, int):
                yield "card", self.originals[card]


class Recorder:
    """Observer of the evaluator that records a trace."""

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self.trace = Exercised()
        self._settings: list[Any] = []  # those seen so far

    def reads(self, reader: Any) -> None:
        if not any(reader.setting is seen for seen in self._settings):
            self._settings.append(reader.setting)
            self.trace.facts.update(options_played(reader.setting))
        trace, read, cards = self.trace, reader.value, self.uses.read
        # values of table indexes and card expressions, needed to identify the entry or card that is read
        last: dict[int, Any] = {}
        ran, held, failed = trace.ran, trace.held, trace.failed

        def value(expr: core.Expr, slots: list[Any]) -> Any:
            key = id(expr)
            ran.add(key)
            trace.steps += 1
            if isinstance(expr, core.TableRead):
                last.update((id(index), None) for index in expr.indices)
            elif isinstance(expr, core.Field):
                last[id(expr.component)] = None
            found = read(expr, slots)
            if found is True:
                held.add(key)
            elif found is False:
                failed.add(key)
            if key in cards:
                trace.facts.update(self.uses.used(found))
            if key in last:
                last[key] = found
            if isinstance(expr, core.TableRead):
                trace.facts.add(("entry", (expr.table, tuple(last[id(index)] for index in expr.indices))))
            elif isinstance(expr, core.Field):
                trace.facts.add(("field", (self.uses.originals[last[id(expr.component)]], expr.field)))
            return found

        reader.value = value

    def runs(self, run: Any) -> None:
        trace, execs, tell = self.trace, run.execs, run.tell

        def do(playing: Any, stmt: core.Stmt, slots: list[Any]) -> None:
            trace.ran.add(id(stmt))
            trace.statements += 1
            trace.steps += 1
            if isinstance(stmt, core.CallEffect):
                trace.facts.add(("effect", stmt.effect))
            execs[type(stmt)](playing, stmt, slots)

        def told(event: Event) -> None:
            if isinstance(event, PhaseBegan):
                trace.facts.add(("phase", event.phase))
            elif isinstance(event, ChoiceMade):
                self._chosen(event.site, event.alternative, event.values)
            tell(event)

        run.execs, run.tell = dict.fromkeys(execs, do), told

    def _chosen(self, site: int, number: int, values: tuple[Any, ...]) -> None:
        facts = self.trace.facts
        facts.add(("choice", site))
        facts.add(("answer", (site, number)))
        are_cards = self.uses.chosen.get((site, number), ())
        for value, is_card in zip(values, are_cards, strict=False):
            if is_card:
                facts.update(self.uses.used(value))


@dataclass(frozen=True)
class Coverage:
    """Coverage of a program by cases. ``traces`` has one trace for each of ``results``."""

    program: core.Program
    items: list[Item]
    results: list[CaseResult]
    traces: list[Exercised]

    @cached_property
    def covered(self) -> set[Item]:
        whole = Exercised()
        for trace in self.traces:
            whole.add(trace)
        return {item for item in self.items if any(whole.has(*probe) for probe in item.probes)}

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return for each kind of item in the ruleset the number of covered items and the total."""
        return {
            kind: (sum(item in self.covered for item in of_kind), len(of_kind))
            for kind in KINDS
            if (of_kind := [item for item in self.items if item.kind == kind])
        }

    @property
    def percent(self) -> float:
        """Return the share of covered items in percent, or 100 if there are no items."""
        return 100 * len(self.covered) / len(self.items) if self.items else 100.0

    def missing(self) -> list[tuple[Item, int]]:
        """Return the uncovered items that the cases could reach, each with the number of uncovered items within it."""
        return left_out(self.items, self.covered)


def left_out(items: list[Item], covered: set[Item]) -> list[tuple[Item, int]]:
    """Return the uncovered items whose enclosing item is covered, each with the number of uncovered items within it."""
    behind: dict[Item, int] = {}
    open_ = set(items) - covered
    for item in items:
        if item not in covered:
            first = item
            while first.within in open_:
                first = first.within
            behind[first] = behind.get(first, 0) + (first is not item)
    return [(item, behind[item]) for item in items if item in behind]


def measure(
    program: core.Program,
    cases: Iterable[Case | CaseResult],
    is_meant: Callable[[Span], bool] = lambda span: True,
) -> Coverage:
    """Run cases and return what they cover, restricted to the spans that ``is_meant`` accepts.

    :func:`lusory.testing.cases.run.load_cases` reads the cases.
    """
    uses = Uses(program)
    from .cases.model import CaseResult  # late: simulations observe games without playing cases
    from .cases.run import run_case

    results: list[CaseResult] = []
    traces: list[Exercised] = []
    for case in cases:
        recorder = Recorder(uses)
        results.append(case if isinstance(case, CaseResult) else run_case(program, case, ENGINE, observer=recorder))
        traces.append(recorder.trace)
    items = [item for item in items_of(program) if is_meant(item.span)]
    return Coverage(program, items, results, traces)


def _everything(program: core.Program) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    for part, path in routines_in_play(program):
        yield from walk(part, path)


def options_played(setting: Setting) -> Iterator[tuple[str, Any]]:
    """Yield the facts about the values of a game's options."""
    for option in setting.program.options:
        value = setting.options[option.name]
        yield "option", (option.name, value)
        if value != option.default:
            yield "other value", option.name


def _is_card(type: Type) -> bool:
    while isinstance(type, ListType | OptionalType):
        type = type.item
    return isinstance(type, ComponentType)
