"""Mutation tests: change one thing in the rules at a time, and report whether a test case fails.

A mutant that no case notices shows a gap in the cases. Changes include numbers, comparisons, negated conditions,
operators, words such as `most`, and omitted statements.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.provenance import EVENTS, LETS
from lusory_dsl.source.source import Span
from lusory_dsl.types.builtins import RUNTIME_FUNCTIONS
from lusory_dsl.types.types import BOOL, BoolType, IntType

from ..support.process_pool import map_in_order
from .cases.model import Case
from .cases.run import run_case
from .coverage import ENGINE, Coverage
from .coverage_items import asks_what_is_made, quoted
from .program_tree import Path, inside, place_of, put, routines_in_play, walk, words_at

KINDS = ("number", "comparison", "condition", "arithmetic", "boolean", "word", "statement")

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "!=", "!=": "="}
SPELLINGS = {"=": ("is", "="), "!=": ("is not", "!=")}
SWAPPED = {"+": "-", "-": "+", "*": "+", "div": "*", "mod": "div", "and": "or", "or": "and"}
WORDS = {name: function.mirror for name, function in RUNTIME_FUNCTIONS.items() if function.mirror is not None}
WORDS |= {"most": "least", "least": "most"}
CHANGES = {"add": ("sub", "increase", "decrease"), "sub": ("add", "decrease", "increase")}


class Owner(NamedTuple):
    """Declaration that contains a change: a section, and a name if the section has several declarations."""

    section: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.section} {self.name}" if self.name else self.section


@dataclass(frozen=True, eq=False)
class Mutant:
    """Program with one change. ``owner`` is the declaration that it is in, and ``change`` describes it.

    ``edits`` are the replaced nodes by path. ``nodes`` are ids of the nodes of the original program that change.
    ``facts`` prove in a trace that changed data was read.
    """

    kind: str
    owner: Owner
    span: Span
    change: str
    edits: tuple[tuple[Path, Any], ...]
    nodes: frozenset[int]
    facts: frozenset[tuple[str, Any]] = frozenset()

    def program(self, unchanged: core.Program) -> core.Program:
        """Return the mutated program."""
        mutated = unchanged
        for path, new in self.edits:
            mutated = put(mutated, path, new)
        return mutated

    def is_at(self, place: str) -> bool:
        """Return whether ``place`` names this mutant.

        A place is `NAME`, `effect NAME`, `FILE`, `FILE:LINE`, `:LINE` or `LINE`.
        """
        if place in (str(self.owner), self.owner.name):
            return True
        file, _, line = place.rpartition(":") if re.search(r"(^|:)\d+$", place) else (place, "", "")
        return (not line or int(line) == self.span.line) and f"/{self.span.source.name}".endswith(
            f"/{file}" if file else ""
        )


def mutants_of(program: core.Program) -> list[Mutant]:
    """Return all mutants in the order of the source text."""
    finder = _Finder(program)
    found = [*finder.mutants(), *finder.of_data()]
    return sorted(found, key=lambda m: (m.span.source.name, m.span.start, KINDS.index(m.kind), m.change))


@dataclass(frozen=True)
class _Change:
    """Possible change of a node. ``span`` is the text that changes, and ``new`` the new node."""

    kind: str
    change: str
    new: Any
    span: Span


@dataclass(frozen=True)
class _Site:
    """Expression or statement with its path, its owner and its parent, ``around``.

    ``is_condition`` says whether it is a condition of the parent.
    """

    part: Any
    path: Path
    owner: Owner
    around: Any
    is_condition: bool


class _Finder:
    """Visitor that collects the possible changes of a program."""

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
            # an edit of an enclosing node already includes this one
            if not any(site.path[: len(outer)] == outer for outer, _ in edits):
                edits.append((site.path, change.new))
        nodes = frozenset(id(site.part) for site, _ in places)
        site, change = places[0]
        return Mutant(change.kind, site.owner, change.span, change.change, tuple(edits), nodes)

    def sites(self, part: Any, path: Path, owner: Owner, around: Any, is_condition: bool) -> Iterator[_Site]:
        # the author's condition, if the checker has put it into a larger one
        added_to = None
        match part:
            case core.Binary(op="and", right=right) if is_condition and not part.origin.is_authored:
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
        """Yield mutants of numbers in tables and on cards that some rule reads."""
        parts = [part for routine, _ in self.routines for part, _ in walk(routine)]
        tables = dict.fromkeys(part.table for part in parts if isinstance(part, core.TableRead))
        for table in (self.program.tables[name] for name in tables if name in self.program.tables):
            yield from self._entries(table, table.values, table.value_spans, ())
        read = {part.field for part in parts if isinstance(part, core.Field)}
        for entity in self.program.entities:
            if entity.fields["original"] == entity.number:
                for name, span in entity.field_spans.items():
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

    # ------------------------------------------------------------ changes

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
        is_same = (
            self.program.max_players == 2 and name in RUNTIME_FUNCTIONS and RUNTIME_FUNCTIONS[name].follows_seating
        )
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
        if core.get_traits(type(part)).is_mutation_target and not self.is_own(part):
            yield _Change("statement", f"{quoted(part.span)} is left out", core.If(part.span, (), ()), part.span)

    def is_own(self, part: core.Stmt) -> bool:
        """Return whether a statement was generated and concerns something that no author names."""
        match part:
            case core.CallEffect(effect=name):
                origin = self.program.effects[name].origin
                return not origin.is_authored and (origin.generator, origin.part) != (EVENTS, "made")
            case core.SetCell(place=name):
                made = self.program.variables[name].origin if name in self.program.variables else core.AUTHORED
                return not made.is_authored and not (made.generator == LETS and part.origin.is_authored)
        return bool(part.origin.declaration)

    def of_operator(self, part: core.Binary, op: str, is_condition: bool) -> Iterator[_Change]:
        # negating a condition already gives this mutant
        if op in COMPARISONS and not (is_condition and op in ("=", "!=")):
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
        """Return whether an author wrote a condition."""
        is_made = not condition.origin.is_authored or asks_what_is_made(self.program, condition)
        return not is_made and not isinstance(condition, core.Const)


def _is_condition(around: Any, part: Any, steps: Path) -> bool:
    """Return whether ``part`` is a condition of its parent ``around``."""
    if not isinstance(part, core.Expr) or not isinstance(part.type, BoolType):
        return False
    if isinstance(around, core.Fold):
        return steps == ("condition",) or around.is_test
    return steps[0] in ("condition", "conditions", "repeat") or (steps[0] == "branches" and steps[-1] == 0)


def _numbers(owner: Owner, value: object, span: Span, paths: Sequence[Path], fact: tuple[str, Any]) -> Iterator[Mutant]:
    """Yield the mutants of a number in the data."""
    if isinstance(value, int) and value == _number_at(span):
        for other in (value + 1, value - 1) if value > 0 else (value + 1,):
            edits = tuple((path, other) for path in paths)
            change = f"`{value}` becomes `{other}`"
            yield Mutant("number", owner, span, change, edits, frozenset(), frozenset({fact}))


def _owner(program: core.Program, path: Path) -> Owner:
    """Return the owner of the node at a path."""
    made = getattr(program, str(path[0])).get(path[1]) if path[0] in ("queries", "effects") else None
    if made is not None and not made.origin.is_authored:
        return Owner(made.origin.label)
    words = {"variables": "variable", "pools": "zone", "zones": "zone", "queries": "query", "effects": "effect"}
    return Owner(words[path[0]], str(path[1])) if path[0] in words else Owner(str(path[0]))


def _number_at(span: Span) -> int | None:
    """Return the number that the source text of a span consists of, or None."""
    text = words_at(span)
    return int(text) if re.fullmatch(r"\d{1,9}", text) else None


def _word(span: Span, word: str) -> Span | None:
    """Return the first occurrence of a word within a span, or None."""
    found = re.search(rf"\b{word}\b", words_at(span))
    return None if found is None else Span(span.source, span.start + found.start(), span.start + found.end())


def _between(part: core.Binary, op: str) -> Span | None:
    """Return the span of an operator if it is the only text between its operands, or None."""
    left, right = part.left.span, part.right.span
    between = words_at(Span(part.span.source, left.end, right.start))
    written = re.fullmatch(r"[\s()]*(\S+(?:\s+\S+)*?)[\s()]*", between)
    if left.source is not right.source or written is None or written[1].split() != op.split():
        return None
    return Span(part.span.source, left.end + written.start(1), left.end + written.end(1))


KILLED, SURVIVED, UNTOUCHED = "killed", "survived", "untouched"

PATIENCE = 10  # a mutated case may take this many times the statements of the original …
GRACE = 2_000  # … plus this many
BATCH = 8  # number of mutants in one task of a process


@dataclass(frozen=True)
class MutantFate:
    """Result of a mutant. ``case`` is the id of the case that failed, if any. ``tried`` counts the cases played."""

    mutant: Mutant
    outcome: str
    case: str | None
    tried: int


class _RanAway(Exception):
    """Error: a mutated game exceeds its budget of statements."""


class _Budget:
    """Observer that stops a game after a number of statements."""

    def __init__(self) -> None:
        self.left = 0

    def reads(self, reader: Any) -> None:
        """Do nothing: the evaluation of an expression always ends."""

    def runs(self, run: Any) -> None:
        do = run.block

        def block(statements: tuple[core.Stmt, ...], slots: list[Any]) -> None:
            self.left -= len(statements)
            if self.left < 0:
                raise _RanAway
            do(statements, slots)

        run.block = block


class Mutation:
    """Mutation tests of one ruleset. ``coverage`` is that of its cases, which must all pass."""

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
        """Return the mutants at the place ``only`` whose spans ``is_meant`` accepts, in source order.

        ``limit`` draws that many of them at random by ``seed``.
        """
        chosen = [m for m in self.mutants if is_meant(m.span) and (only is None or m.is_at(only))]
        if limit is not None and limit < len(chosen):
            numbers = sorted(random.Random(seed).sample(range(len(chosen)), limit))
            chosen = [chosen[number] for number in numbers]
        return chosen

    def verdicts(self, mutants: Sequence[Mutant], jobs: int = 1) -> Iterator[MutantFate]:
        """Yield the result of each mutant, in order. The results do not depend on the number of processes, ``jobs``."""
        numbers = {id(mutant): number for number, mutant in enumerate(self.mutants)}
        batches = [
            tuple(_Task(numbers[id(mutant)], self._touching(mutant)) for mutant in mutants[start : start + BATCH])
            for start in range(0, len(mutants), BATCH)
        ]
        with closing(map_in_order(self._player.play, batches, jobs)) as found:
            for task, outcome, case, tried in chain.from_iterable(found):
                yield MutantFate(
                    self.mutants[task.mutant], outcome, None if case is None else self.cases[case].id, tried
                )

    def _touching(self, mutant: Mutant) -> tuple[tuple[int, int], ...]:
        """Return the cases that reach the change, each with its number of statements, shortest first."""
        found = [
            (trace.steps, number, trace.statements)
            for number, trace in enumerate(self.traces)
            if not (trace.ran.isdisjoint(mutant.nodes) and trace.facts.isdisjoint(mutant.facts))
        ]
        return tuple((number, statements) for _, number, statements in sorted(found))


@dataclass(frozen=True)
class _Task:
    """Number of a mutant, and the cases to play by number, each with its number of statements."""

    mutant: int
    touching: tuple[tuple[int, int], ...]


_Found = tuple[_Task, str, int | None, int]


class _Player:
    """Player of mutants. Unpickling finds the mutants again, because nodes are compared by identity."""

    def __init__(self, program: core.Program, cases: Sequence[Case]) -> None:
        self.program = program
        self.cases = cases
        self.mutants = mutants_of(program)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Player, (self.program, self.cases)

    def play(self, batch: Sequence[_Task]) -> list[_Found]:
        """Return the results of a batch of mutants. Cases that noticed a mutant are tried first on the next."""
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
    """Return whether a case still passes. Any exception counts as a failure.

    The evaluator relies on the checker, so a mutated program can raise any exception.
    """
    try:
        return run_case(program, case, ENGINE, observer=budget).passed
    except Exception:
        return False


def noticed_percentage(verdicts: Sequence[MutantFate]) -> float:
    """Return the percentage of killed mutants."""
    return 100 * sum(v.outcome == KILLED for v in verdicts) / len(verdicts) if verdicts else 100.0
