"""Which parts of a ruleset its cases exercise. Behind ``lusory test --coverage``; prints nothing.

The cases are played by the evaluator, which walks the checked program; an observer notes what it passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lusory_dsl import core
from lusory_dsl.language.types import ComponentType, ListType, OptionalType, Type
from lusory_dsl.text.source import Span

from ...table.events import ChoiceMade, Event, PhaseBegan
from ...table.setting import Setting
from ..cases import run_case
from ..cases.model import Case, CaseResult
from ..tree import routines_in_play, walk
from .items import KINDS, Item, items_of

ENGINE = "evaluator"  # the only one that can be observed


@dataclass
class Exercised:
    """What happened: nodes by their id, and facts. ``held`` and ``failed``: conditions that were true, and false.
    ``statements``: how many, each as often as it came up; ``steps``: with the expressions."""

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
    """Where cards come up in a program: in moves that are not part of the setup, in choices, and where what happens
    depends on one card."""

    def __init__(self, program: core.Program) -> None:
        self.originals = {e.number: e.fields.get("original", e.number) for e in program.entities}
        self.read: set[int] = set()  # expressions whose values are cards in use
        self.chosen: dict[tuple[int, int], list[bool]] = {}  # which values of an answer are cards
        for part, path in _everything(program):
            match part:
                case core.Stmt() if core.moves(part) and path[0] != "setup":
                    self.read.update(id(move.components) for move in core.moves(part))
                case core.DoByCard() | core.ByCard():
                    self.read.add(id(part.card))
                case core.Field(component=component) if not isinstance(component, core.Local):
                    self.read.add(id(component))  # one card, not each of a list
                case core.Ask():
                    for number, alternative in enumerate(part.alternatives):
                        self.chosen[part.site, number] = [_is_card(v.domain.type) for v in alternative.vars]
                case core.AskMany():
                    self.chosen[part.site, 0] = [_is_card(part.source.type)]

    def used(self, value: object) -> Iterator[tuple[str, Any]]:
        """The facts that a card, or each of several, is in use: not one that a seat can't tell."""
        for card in value if isinstance(value, tuple) else (value,):
            if isinstance(card, int):
                yield "card", self.originals[card]


class Recorder:
    """The observer that makes a trace."""

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self.trace = Exercised()
        self._settings: list[Any] = []  # seen so far

    def reads(self, reader: Any) -> None:
        if not any(reader.setting is seen for seen in self._settings):
            self._settings.append(reader.setting)
            self.trace.facts.update(options_played(reader.setting))
        trace, read, cards = self.trace, reader.value, self.uses.read
        last: dict[int, Any] = {}  # values of what says which entry of a table, or which card, is meant
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
    """What cases exercise of a program. ``traces``: of each case, in the order of ``results``."""

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
        """Of each kind that the ruleset has: how many are covered, and how many there are."""
        return {
            kind: (sum(item in self.covered for item in of_kind), len(of_kind))
            for kind in KINDS
            if (of_kind := [item for item in self.items if item.kind == kind])
        }

    @property
    def percent(self) -> float:
        """Of all items; of a ruleset with none, all."""
        return 100 * len(self.covered) / len(self.items) if self.items else 100.0

    def missing(self) -> list[tuple[Item, int]]:
        """What no case exercises although cases come to it, each with how much lies behind it."""
        return left_out(self.items, self.covered)


def left_out(items: list[Item], covered: set[Item]) -> list[tuple[Item, int]]:
    """The items that are not covered although what leads to them is, each with how much lies behind it."""
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
    """Play cases, as :func:`lusory.author.cases.load_cases` gives them, and note what they exercise of the places that
    are meant."""
    uses = Uses(program)
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
    """The facts that options have the values that a game has for them."""
    for option in setting.program.options:
        value = setting.options[option.name]
        yield "option", (option.name, value)
        if value != option.default:
            yield "other value", option.name


def _is_card(type: Type) -> bool:
    while isinstance(type, ListType | OptionalType):
        type = type.item
    return isinstance(type, ComponentType)
