"""Mutation testing."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.origin import EVENTS, LETS
from lusory_dsl.source.source import Span
from lusory_dsl.types.builtins import RUNTIME
from lusory_dsl.types.types import BOOL, BoolType, IntType

from ..support.process_pool import in_order
from .cases.model import Case
from .cases.run import run_case
from .coverage import ENGINE, Coverage, asks_what_is_made, quoted
from .program_tree import Path, inside, place_of, put, routines_in_play, walk, words_at

KINDS = ("number", "comparison", "condition", "arithmetic", "boolean", "word", "statement")

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "!=", "!=": "="}
SPELLINGS = {"=": ("is", "="), "!=": ("is not", "!=")}
SWAPPED = {"+": "-", "-": "+", "*": "+", "div": "*", "mod": "div", "and": "or", "or": "and"}
WORDS = {name: function.opposite for name, function in RUNTIME.items() if function.opposite is not None}
WORDS |= {"most": "least", "least": "most"}
CHANGES = {"add": ("sub", "increase", "decrease"), "sub": ("add", "decrease", "increase")}


class Owner(NamedTuple):
    """What a change is in, as an author calls it: a section, and a name where the section has several."""

    section: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.section} {self.name}" if self.name else self.section


@dataclass(frozen=True, eq=False)
class Mutant:
    """A program in which one thing is different. ``owner``: where that is. ``change``: in words.
    ``nodes``: what is different, by the ids of the nodes of the unchanged program; ``facts``: of data, what says in a
    trace that they were read."""

    kind: str
    owner: Owner
    span: Span
    change: str
    edits: tuple[tuple[Path, Any], ...]
    nodes: frozenset[int]
    facts: frozenset[tuple[str, Any]] = frozenset()

    def program(self, unchanged: core.Program) -> core.Program:
        """The mutated program."""
        mutated = unchanged
        for path, new in self.edits:
            mutated = put(mutated, path, new)
        return mutated

    def is_at(self, place: str) -> bool:
        """Whether this is where somebody means: `NAME`, `effect NAME`, `FILE`, `FILE:LINE`, `:LINE` or `LINE`."""
        if place in (str(self.owner), self.owner.name):
            return True
        file, _, line = place.rpartition(":") if re.search(r"(^|:)\d+$", place) else (place, "", "")
        return (not line or int(line) == self.span.line) and f"/{self.span.source.name}".endswith(
            f"/{file}" if file else ""
        )


def mutants_of(program: core.Program) -> list[Mutant]:
    """Every mutant, in the order of the author's text."""
    finder = _Finder(program)
    found = [*finder.mutants(), *finder.of_data()]
    return sorted(found, key=lambda m: (m.span.source.name, m.span.start, KINDS.index(m.kind), m.change))


@dataclass(frozen=True)
class _Change:
    """What could be done to a node. ``span``: the words that change."""

    kind: str
    change: str
    new: Any
    span: Span


@dataclass(frozen=True)
class _Site:
    """An expression or statement, where it is, what it stands in, and whether it is a condition of that."""

    part: Any
    path: Path
    owner: Owner
    around: Any
    is_condition: bool


class _Finder:
    """One walk over a program that notes what can be changed."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.routines = list(routines_in_play(program))

    def mutants(self) -> list[Mutant]:
        found: dict[tuple[Any, ...], list[tuple[_Site, _Change]]] = {}
        for routine, path in self.routines:
            for site in self.sites(routine, path, _owner(self.program, path), None, False):
                for change in self.changes(site):
                    key = (change.kind, change.change, place_of(change.span), place_of(site.part.span))
                    found.setdefault(key, []).append((site, change))
        return [self._mutant(places) for places in found.values()]

    @staticmethod
    def _mutant(places: list[tuple[_Site, _Change]]) -> Mutant:
        edits: list[tuple[Path, Any]] = []
        for site, change in places:
            if not any(site.path[: len(outer)] == outer for outer, _ in edits):  # else it goes with what is around it
                edits.append((site.path, change.new))
        nodes = frozenset(id(site.part) for site, _ in places)
        site, change = places[0]
        return Mutant(change.kind, site.owner, change.span, change.change, tuple(edits), nodes)

    def sites(self, part: Any, path: Path, owner: Owner, around: Any, is_condition: bool) -> Iterator[_Site]:
        added_to = None  # the author's condition, where the checker has made a greater one of it
        match part:
            case core.Binary(op="and", right=right) if is_condition and not part.origin.is_written:
                added_to, is_condition = right, False
        match part:
            case core.Expr() | core.Stmt():
                yield _Site(part, path, owner, around, is_condition)
            case core.Phase(id=name) if path != ("setup",):
                owner = Owner("phase", name)
            case core.Rule(id=name) | core.Modifier(rule=name):
                owner = Owner("rule", name)
        for inner, steps in inside(part):
            is_condition = inner is added_to or _is_condition(part, inner, steps)
            yield from self.sites(inner, (*path, *steps), owner, part, is_condition)

    # ------------------------------------------------------------ data

    def of_data(self) -> Iterator[Mutant]:
        """Numbers in tables and on cards, of those that some rule reads."""
        parts = [part for routine, _ in self.routines for part, _ in walk(routine)]
        tables = dict.fromkeys(part.table for part in parts if isinstance(part, core.TableRead))
        for table in (self.program.tables[name] for name in tables if name in self.program.tables):
            yield from self._entries(table, table.values, table.written, ())
        read = {part.field for part in parts if isinstance(part, core.Field)}
        for entity in self.program.entities:
            if entity.fields["original"] == entity.number:
                for name, span in entity.written.items():
                    if name in read:
                        copies = entity.fields["copies"]
                        paths = [("entities", copy, "fields", name) for copy in copies]  # type: ignore[attr-defined]
                        fact = ("field", (entity.number, name))
                        yield from _numbers(Owner("card", entity.card), entity.fields[name], span, paths, fact)

    def _entries(self, table: core.Table, values: Any, places: Any, at: tuple[int, ...]) -> Iterator[Mutant]:
        if len(at) < len(table.dims):
            for number, (value, place) in enumerate(zip(values, places, strict=True)):
                yield from self._entries(table, value, place, (*at, number))
            return
        indices = tuple(number + dim.low for number, dim in zip(at, table.dims, strict=True))
        path = ("tables", table.name, "values", *at)
        yield from _numbers(Owner("table", table.name), values, places, [path], ("entry", (table.name, indices)))

    # ------------------------------------------------------------ what can be changed

    def changes(self, site: _Site) -> Iterator[_Change]:
        part = site.part
        if isinstance(part, core.Stmt):
            yield from self.of_statement(part)
            return
        if site.is_condition and self.is_written(part):
            negated = core.Unary(BOOL, part.span, "not", part)
            yield _Change("condition", f"{quoted(part.span)} is negated", negated, part.span)
        match part:
            case core.Const(value=int(n), type=IntType()) if n == _number_at(part.span):
                if not (isinstance(site.around, core.Repeat) and part is site.around.bound):
                    for other in (n + 1, n - 1) if n > 0 else (n + 1,):
                        yield _Change("number", f"`{n}` becomes `{other}`", replace(part, value=other), part.span)
            case core.Binary(op=op):
                yield from self.of_operator(part, op, site.is_condition)
            case core.Unary(op="not", operand=operand) if not site.is_condition and (word := _word(part.span, "not")):
                yield _Change("boolean", "`not` is left out", operand, word)
            case core.Fold(kind=name) | core.Extreme(kind=name) if name in WORDS:
                yield from self.of_word(part, name, replace(part, kind=WORDS[name]))
            case core.CallBuiltin(name=name) if name in WORDS:
                yield from self.of_word(part, name, replace(part, name=WORDS[name]))

    def of_word(self, part: Any, name: str, new: Any) -> Iterator[_Change]:
        is_same = self.program.max_players == 2 and name in RUNTIME and RUNTIME[name].goes_round
        if (word := _word(part.span, name)) and not is_same:
            yield _Change("word", f"`{name}` becomes `{WORDS[name]}`", new, word)

    def of_statement(self, part: core.Stmt) -> Iterator[_Change]:
        match part:
            case core.SetCell(op="add" | "sub" as op):
                other, name, opposite = CHANGES[op]
                if word := _word(part.span, name):
                    yield _Change("arithmetic", f"`{name}` becomes `{opposite}`", replace(part, op=other), word)
            case core.MoveCards(position=name):
                yield from self.of_word(part, name, replace(part, position=WORDS[name]))
        if core.row(type(part)).is_deed and not self.is_own(part):
            yield _Change("statement", f"{quoted(part.span)} is left out", core.If(part.span, (), ()), part.span)

    def is_own(self, part: core.Stmt) -> bool:
        """Whether a statement is one that the checker made, about what no author names."""
        match part:
            case core.CallEffect(effect=name):
                origin = self.program.effects[name].origin
                return not origin.is_written and (origin.maker, origin.part) != (EVENTS, "made")
            case core.SetCell(place=name):
                made = self.program.variables[name].origin if name in self.program.variables else core.WRITTEN
                return not made.is_written and not (made.maker == LETS and part.origin.is_written)
        return bool(part.origin.of)

    def of_operator(self, part: core.Binary, op: str, is_condition: bool) -> Iterator[_Change]:
        if op in COMPARISONS and not (is_condition and op in ("=", "!=")):  # negating those is the same
            new = COMPARISONS[op]
            for index, spelling in enumerate(SPELLINGS.get(op, (op,))):
                if word := _between(part, spelling):
                    other = SPELLINGS[new][index] if new in SPELLINGS else new
                    yield _Change("comparison", f"`{spelling}` becomes `{other}`", replace(part, op=new), word)
                    break
        elif op == "in" and not is_condition and (word := _between(part, "in")):
            yield _Change("comparison", "`in` becomes `not in`", core.Unary(BOOL, part.span, "not", part), word)
        elif op in SWAPPED and (word := _between(part, op)):
            kind = "boolean" if op in ("and", "or") else "arithmetic"
            yield _Change(kind, f"`{op}` becomes `{SWAPPED[op]}`", replace(part, op=SWAPPED[op]), word)

    def is_written(self, condition: core.Expr) -> bool:
        """Whether an author wrote a condition."""
        is_made = not condition.origin.is_written or asks_what_is_made(self.program, condition)
        return not is_made and not isinstance(condition, core.Const)


def _is_condition(around: Any, part: Any, steps: Path) -> bool:
    """Whether ``part`` is a condition of what it stands in."""
    if not isinstance(part, core.Expr) or not isinstance(part.type, BoolType):
        return False
    if isinstance(around, core.Fold):
        return steps == ("condition",) or around.is_test
    return steps[0] in ("condition", "conditions", "repeat") or (steps[0] == "branches" and steps[-1] == 0)


def _numbers(owner: Owner, value: object, span: Span, paths: Sequence[Path], fact: tuple[str, Any]) -> Iterator[Mutant]:
    """The mutants of a number that is written as data."""
    if isinstance(value, int) and value == _number_at(span):
        for other in (value + 1, value - 1) if value > 0 else (value + 1,):
            edits = tuple((path, other) for path in paths)
            change = f"`{value}` becomes `{other}`"
            yield Mutant("number", owner, span, change, edits, frozenset(), frozenset({fact}))


def _owner(program: core.Program, path: Path) -> Owner:
    """The section and name at a path, as an author would say it."""
    made = getattr(program, str(path[0])).get(path[1]) if path[0] in ("queries", "effects") else None
    if made is not None and not made.origin.is_written:
        return Owner(made.origin.words)
    words = {"variables": "variable", "pools": "zone", "zones": "zone", "queries": "query", "effects": "effect"}
    return Owner(words[path[0]], str(path[1])) if path[0] in words else Owner(str(path[0]))


def _number_at(span: Span) -> int | None:
    """The number that is written there, alone."""
    text = words_at(span)
    return int(text) if re.fullmatch(r"\d{1,9}", text) else None


def _word(span: Span, word: str) -> Span | None:
    """The first place of a word within a span."""
    found = re.search(rf"\b{word}\b", words_at(span))
    return None if found is None else Span(span.source, span.start + found.start(), span.start + found.end())


def _between(part: core.Binary, op: str) -> Span | None:
    """An operator, where it is what is written between its operands."""
    left, right = part.left.span, part.right.span
    between = words_at(Span(part.span.source, left.end, right.start))
    written = re.fullmatch(r"[\s()]*(\S+(?:\s+\S+)*?)[\s()]*", between)
    if left.source is not right.source or written is None or written[1].split() != op.split():
        return None
    return Span(part.span.source, left.end + written.start(1), left.end + written.end(1))


KILLED, SURVIVED, UNTOUCHED = "killed", "survived", "untouched"

PATIENCE = 10  # a mutated case may take so many times as many statements as it took before …
GRACE = 2_000  # … and these besides
BATCH = 8  # mutants that one process tries in a row


@dataclass(frozen=True)
class MutantFate:
    """What became of a mutant. ``case``: the one that noticed; ``tried``: how many cases were played."""

    mutant: Mutant
    outcome: str
    case: str | None
    tried: int


class _RanAway(Exception):
    """A mutated game goes on and on."""


class _Budget:
    """The observer that stops a game after a number of statements."""

    def __init__(self) -> None:
        self.left = 0

    def reads(self, reader: Any) -> None:
        """Expressions end by themselves."""

    def runs(self, run: Any) -> None:
        do = run.block

        def block(statements: tuple[core.Stmt, ...], slots: list[Any]) -> None:
            self.left -= len(statements)
            if self.left < 0:
                raise _RanAway
            do(statements, slots)

        run.block = block


class Mutation:
    """Mutation tests of one ruleset. ``coverage``: of its cases, all of which pass."""

    def __init__(self, coverage: Coverage, cases: Sequence[Case]) -> None:
        self.program = coverage.program
        self.cases = list(cases)
        self.traces = coverage.traces
        self._player = _Player(self.program, self.cases)
        self.mutants = self._player.mutants

    def choose(
        self,
        only: str | None = None,
        limit: int | None = None,
        seed: int = 0,
        is_meant: Callable[[Span], bool] = lambda span: True,
    ) -> list[Mutant]:
        """The mutants at a place, of those places that are meant, or so many of them, drawn by a seed; in the order of
        the author's text."""
        chosen = [m for m in self.mutants if is_meant(m.span) and (only is None or m.is_at(only))]
        if limit is not None and limit < len(chosen):
            numbers = sorted(random.Random(seed).sample(range(len(chosen)), limit))
            chosen = [chosen[number] for number in numbers]
        return chosen

    def verdicts(self, mutants: Sequence[Mutant], jobs: int = 1) -> Iterator[MutantFate]:
        """What becomes of each mutant, in order, the same whatever the number of processes at work (``jobs``)."""
        numbers = {id(mutant): number for number, mutant in enumerate(self.mutants)}
        batches = [
            tuple(_Task(numbers[id(mutant)], self._touching(mutant)) for mutant in mutants[start : start + BATCH])
            for start in range(0, len(mutants), BATCH)
        ]
        with closing(in_order(self._player.play, batches, jobs)) as found:
            for task, outcome, case, tried in chain.from_iterable(found):
                yield MutantFate(
                    self.mutants[task.mutant], outcome, None if case is None else self.cases[case].id, tried
                )

    def _touching(self, mutant: Mutant) -> tuple[tuple[int, int], ...]:
        """The cases that come to what is changed, the short ones first, each with the statements it takes."""
        found = [
            (trace.steps, number, trace.statements)
            for number, trace in enumerate(self.traces)
            if not (trace.ran.isdisjoint(mutant.nodes) and trace.facts.isdisjoint(mutant.facts))
        ]
        return tuple((number, statements) for _, number, statements in sorted(found))


@dataclass(frozen=True)
class _Task:
    """A mutant, by its number, and the cases to play, by their numbers, each with the statements it takes."""

    mutant: int
    touching: tuple[tuple[int, int], ...]


_Found = tuple[_Task, str, int | None, int]


class _Player:
    """Plays mutants. In another process it makes its own: nodes are known by their identity, which does not travel."""

    def __init__(self, program: core.Program, cases: Sequence[Case]) -> None:
        self.program = program
        self.cases = cases
        self.mutants = mutants_of(program)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Player, (self.program, self.cases)

    def play(self, batch: Sequence[_Task]) -> list[_Found]:
        """What becomes of the mutants of a batch. A case that noticed one is tried early on the next."""
        wins: dict[int, int] = {}
        found: list[_Found] = []
        for task in batch:
            touching = sorted(task.touching, key=lambda pair: -wins.get(pair[0], 0))
            outcome, case, tried = self._outcome(self.mutants[task.mutant], touching)
            if case is not None:
                wins[case] = wins.get(case, 0) + 1
            found.append((task, outcome, case, tried))
        return found

    def _outcome(self, mutant: Mutant, touching: Sequence[tuple[int, int]]) -> tuple[str, int | None, int]:
        program, budget = mutant.program(self.program), _Budget()
        for tried, (case, statements) in enumerate(touching, 1):
            budget.left = PATIENCE * statements + GRACE
            if not _passes(program, self.cases[case], budget):
                return KILLED, case, tried
        return SURVIVED if touching else UNTOUCHED, None, len(touching)


def _passes(program: core.Program, case: Case, budget: _Budget) -> bool:
    """Whether a case still passes. The evaluator trusts the checker: a program that was changed behind its back may go
    wrong in any way, and whatever it is, it is noticed."""
    try:
        return run_case(program, case, ENGINE, observer=budget).passed
    except Exception:
        return False


def noticed(verdicts: Sequence[MutantFate]) -> float:
    """How many mutants of a hundred were killed."""
    return 100 * sum(v.outcome == KILLED for v in verdicts) / len(verdicts) if verdicts else 100.0
