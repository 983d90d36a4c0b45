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
from functools import reduce
from operator import getitem
from typing import Any, NamedTuple, cast

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import EVENTS, LETS
from lusory_dsl.source.source import Span
from lusory_dsl.types.builtin_functions_members_and_statements import RUNTIME_FUNCTIONS
from lusory_dsl.types.types import BOOL, BoolType, IntType

from ..support.process_pool import map_in_order
from .cases.case_model import Case
from .cases.suite_runner import run_case
from .coverage import ENGINE, Coverage
from .coverage_items import quote_span, reads_generated_code
from .program_traversal_and_node_replacement import (
    Path,
    list_children,
    list_used_routines,
    make_span_key,
    replace_node,
    walk,
)

KINDS = ("number", "comparison", "condition", "arithmetic", "boolean", "word", "statement")

SWAPPED_COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "!=", "!=": "="}
SPELLINGS = {"=": ("is", "="), "!=": ("is not", "!=")}
SWAPPED_OPERATORS = {"+": "-", "-": "+", "*": "+", "div": "*", "mod": "div", "and": "or", "or": "and"}
SWAPPED_WORDS = {name: function.mirror for name, function in RUNTIME_FUNCTIONS.items() if function.mirror is not None}
SWAPPED_WORDS |= {"most": "least", "least": "most"}
SWAPPED_ASSIGNMENTS = {"add": ("sub", "increase", "decrease"), "sub": ("add", "decrease", "increase")}


class Owner(NamedTuple):
    """Declaration that contains a change: a section, and a name if the section has several declarations.

    ``card`` is the card that the changed part is written on, if it is on one.
    """

    section: str
    name: str = ""
    card: str = ""

    def __str__(self) -> str:
        return f"{self.section} {self.name}" if self.name else self.section


@dataclass(frozen=True, eq=False)
class Mutant:
    """Program with one change. ``owner`` is the declaration that it is in. ``kind`` is one of ``KINDS``.

    ``change`` describes it: `` `3` becomes `4` ``, `` `gold > 3` is negated `` or `` `draw(1)` is left out ``.
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

    def is_at(self, place: str) -> bool:
        """Return whether ``place`` names this mutant.

        A place is ``NAME`` or ``KIND NAME`` of the innermost declaration, or of the card, that the mutant is in, such
        as ``effect draw`` or ``card axe``. A phase in a phase, or a rule for an effect, is the innermost one. Some,
        such as ``setup``, have only a kind. A place may also be the file of the mutant (``FILE``), the line in which it
        begins (``LINE`` or ``:LINE``, in any file), or both (``FILE:LINE``). ``FILE`` is the end of a path, in whole
        names: ``a/b.yaml`` has the ends ``b.yaml`` and ``a/b.yaml``. An empty place names every mutant.
        """
        card = self.owner.card
        if place in (str(self.owner), self.owner.name) or (card and place in (card, f"card {card}")):
            return True
        file, _, line = place.rpartition(":") if re.search(r"(^|:)\d+$", place) else (place, "", "")
        return (not line or int(line) == self.span.line) and f"/{self.span.source.name}".endswith(
            f"/{file}" if file else ""
        )


def list_mutants(program: core.Program) -> list[Mutant]:
    """Return all mutants by source name and place in the source, then by kind, in the order of ``KINDS``.

    Ties are sorted by the text ``change``: `` `9` becomes `10` `` precedes `` `9` becomes `8` ``. Mutants change only
    routines that the game uses, and the data that these read. Nodes that were made from the same source text change
    together in one mutant.
    """
    finder = _MutantFinder(program)
    mutants = [*finder._list_code_mutants(), *finder._list_data_mutants()]
    mutants.sort(key=lambda item: (item.span.source.name, item.span.start, KINDS.index(item.kind), item.change))
    return mutants


@dataclass(frozen=True)
class _Change:
    """Possible change of a node. ``span`` is the text that changes, and ``new_node`` replaces the node."""

    kind: str
    change: str
    new_node: Any
    span: Span


@dataclass(frozen=True)
class _Site:
    """Expression or statement with its path, its owner and its parent.

    ``is_condition`` says whether it is a condition of the parent.
    """

    node: Any
    path: Path
    owner: Owner
    parent: Any
    is_condition: bool


class _MutantFinder:
    """Visitor that collects the possible changes of a program."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.routines = list(list_used_routines(program))

    def _list_code_mutants(self) -> list[Mutant]:
        """Return the mutants of the rules, in the order in which a walk first meets them.

        The walk takes the routines of :func:`list_used_routines` one by one, and in each the parents first. This need
        not be the order of the source, in which :func:`list_mutants` sorts them. Equal changes at the same source text,
        such as in the copies of a card, are one mutant that changes all of them.
        """
        changes_by_text: dict[tuple[Any, ...], list[tuple[_Site, _Change]]] = {}
        for routine, path in self.routines:
            for site in self._walk_sites(routine, path, _find_owner(self.program, path), None, False):
                for change in self._list_changes(site):
                    key = (change.kind, change.change, make_span_key(change.span), make_span_key(site.node.span))
                    changes_by_text.setdefault(key, []).append((site, change))
        return [self._make_mutant(places) for places in changes_by_text.values()]

    @staticmethod
    def _make_mutant(places: list[tuple[_Site, _Change]]) -> Mutant:
        edits: list[tuple[Path, Any]] = []
        for site, change in places:
            # an edit of an enclosing node already includes this one
            if not any(site.path[: len(outer)] == outer for outer, _ in edits):
                edits.append((site.path, change.new_node))
        nodes = frozenset(id(site.node) for site, _ in places)
        site, change = places[0]
        return Mutant(change.kind, site.owner, change.span, change.change, tuple(edits), nodes)

    def _walk_sites(self, node: Any, path: Path, owner: Owner, parent: Any, is_condition: bool) -> Iterator[_Site]:
        """Yield each expression and statement of a routine, parents first, with its owner.

        A phase, a rule or a modifier becomes the owner of what is inside it. If the checker has extended a condition,
        only the author's part counts as a condition.
        """
        # the author's condition, if the checker has put it into a larger one
        authored_part = None
        match node:
            case core.Binary(op="and", right=right) if is_condition and not node.origin.is_authored:
                authored_part, is_condition = right, False
        match node:
            case core.Expr() | core.Stmt():
                yield _Site(node, path, owner, parent, is_condition)
            case core.Phase(id=name) if path != ("setup",):
                owner = Owner("phase", name)
            case core.Rule(id=name) | core.Modifier(rule=name):
                owner = Owner("rule", name, node.origin.card)
        for child, steps in list_children(node):
            is_condition = child is authored_part or _is_condition(node, child, steps)
            child_owner = owner
            if isinstance(node, core.DoByCard | core.ByCard) and steps[0] == "cases":
                original, _ = node.cases[steps[1]]
                child_owner = owner._replace(card=self.program.entities[original].card)
            yield from self._walk_sites(child, (*path, *steps), child_owner, node, is_condition)

    # ------------------------------------------------------------ data

    def _list_data_mutants(self) -> Iterator[Mutant]:
        """Yield mutants of numbers in tables and on cards that some rule reads: 1 more, and 1 less if it is not 0.

        Tables come first, in the order in which a walk through the routines meets their reads, then the cards by their
        numbers. A mutant changes all copies of a card. Values that are not written as digits give none, and so do
        negative numbers.
        """
        nodes = [node for routine, _ in self.routines for node, _ in walk(routine)]
        tables = dict.fromkeys(node.table for node in nodes if isinstance(node, core.TableRead))
        for table in (self.program.tables[name] for name in tables if name in self.program.tables):
            for indices, (_, span) in table.spans.items():
                key = tuple(index - dim.low for index, dim in zip(indices, table.dims, strict=True))
                value = reduce(getitem, key, cast("Any", table.values))
                owner, path = Owner("table", table.name), ("tables", table.name, "values", *key)
                yield from _list_number_mutants(owner, value, span, [path], ("entry", (table.name, indices)))
        read_fields = {node.field for node in nodes if isinstance(node, core.Field)}
        for entity in self.program.entities:
            if entity.fields["original"] == entity.number:
                for name, span in entity.field_spans.items():
                    if name in read_fields:
                        copies = entity.fields["copies"]
                        paths = [("entities", copy, "fields", name) for copy in copies]  # type: ignore[attr-defined]
                        fact = ("field", (entity.number, name))
                        yield from _list_number_mutants(
                            Owner("card", entity.card, entity.card), entity.fields[name], span, paths, fact
                        )

    # ------------------------------------------------------------ changes

    def _list_changes(self, site: _Site) -> Iterator[_Change]:
        """Yield the possible changes of an expression or statement. Most have none.

        They negate conditions, replace numbers (by 1 more, and by 1 less if it is not 0), operators and words, and
        leave out ``not`` and statements. The part itself stays unchanged; changes of parts inside it are not included.

        Example: ``gold >= 3`` as a condition becomes ``not gold >= 3`` and ``gold > 3``; its ``3`` becomes ``4`` and
        ``2``.
        """
        node = site.node
        if isinstance(node, core.Stmt):
            yield from self._change_statement(node)
            return
        is_authored = node.origin.is_authored and not isinstance(node, core.Const)
        if site.is_condition and is_authored and not reads_generated_code(self.program, node):
            negation = core.Unary(BOOL, node.span, "not", node)
            yield _Change("condition", f"{quote_span(node.span)} is negated", negation, node.span)
        match node:
            case core.Const(value=int(n), type=IntType()) if n == _parse_number_at(node.span):
                if not (isinstance(site.parent, core.Repeat) and node is site.parent.bound):
                    for number in (n + 1, n - 1) if n > 0 else (n + 1,):
                        yield _Change("number", f"`{n}` becomes `{number}`", replace(node, value=number), node.span)
            case core.Binary(op=op):
                yield from self._swap_operator(node, op, site.is_condition)
            case core.Unary(op="not", operand=operand) if not site.is_condition and (
                word_span := _find_word(node.span, "not")
            ):
                yield _Change("boolean", "`not` is left out", operand, word_span)
            case core.Fold(kind=name) | core.Extreme(kind=name) if name in SWAPPED_WORDS:
                yield from self._swap_word(node, name, replace(node, kind=SWAPPED_WORDS[name]))
            case core.CallBuiltin(name=name) if name in SWAPPED_WORDS:
                yield from self._swap_word(node, name, replace(node, name=SWAPPED_WORDS[name]))

    def _swap_word(self, node: Any, name: str, new_node: Any) -> Iterator[_Change]:
        """Yield the change of a word to its opposite, if the source text has it and the change can matter."""
        is_same = (
            self.program.max_players == 2 and name in RUNTIME_FUNCTIONS and RUNTIME_FUNCTIONS[name].follows_seating
        )
        if (word_span := _find_word(node.span, name)) and not is_same:
            yield _Change("word", f"`{name}` becomes `{SWAPPED_WORDS[name]}`", new_node, word_span)

    def _change_statement(self, node: core.Stmt) -> Iterator[_Change]:
        """Yield the changes of a statement: another direction, another end of a zone, or its omission."""
        match node:
            case core.SetCell(op="add" | "sub" as op):
                operator, name, opposite = SWAPPED_ASSIGNMENTS[op]
                if word_span := _find_word(node.span, name):
                    yield _Change("arithmetic", f"`{name}` becomes `{opposite}`", replace(node, op=operator), word_span)
            case core.MoveCards(position=name):
                yield from self._swap_word(node, name, replace(node, position=SWAPPED_WORDS[name]))
        if core.get_traits(type(node)).is_mutation_target and not self._is_internal(node):
            yield _Change("statement", f"{quote_span(node.span)} is left out", core.If(node.span, (), ()), node.span)

    def _is_internal(self, node: core.Stmt) -> bool:
        """Return whether a statement was generated and concerns something that no author names."""
        match node:
            case core.CallEffect(effect=name):
                origin = self.program.effects[name].origin
                return not origin.is_authored and (origin.generator, origin.part) != (EVENTS, "made")
            case core.SetCell(place=name):
                place_origin = self.program.variables[name].origin if name in self.program.variables else core.AUTHORED
                return not place_origin.is_authored and not (place_origin.generator == LETS and node.origin.is_authored)
        return bool(node.origin.declaration)

    def _swap_operator(self, node: core.Binary, op: str, is_condition: bool) -> Iterator[_Change]:
        """Yield the change of an operator, if it is the only text between its operands.

        ``<`` becomes ``<=``, ``and`` becomes ``or``, ``+`` becomes ``-``, and so on. A condition with ``=``, ``!=`` or
        ``in`` does not change, because its negation gives the same mutant.
        """
        # negating a condition already gives this mutant
        if op in SWAPPED_COMPARISONS and not (is_condition and op in ("=", "!=")):
            new_operator = SWAPPED_COMPARISONS[op]
            for index, spelling in enumerate(SPELLINGS.get(op, (op,))):
                if span := _find_operator(node, spelling):
                    new_spelling = SPELLINGS[new_operator][index] if new_operator in SPELLINGS else new_operator
                    yield _Change(
                        "comparison", f"`{spelling}` becomes `{new_spelling}`", replace(node, op=new_operator), span
                    )
                    break
        elif op == "in" and not is_condition and (span := _find_operator(node, "in")):
            yield _Change("comparison", "`in` becomes `not in`", core.Unary(BOOL, node.span, "not", node), span)
        elif op in SWAPPED_OPERATORS and (span := _find_operator(node, op)):
            kind = "boolean" if op in ("and", "or") else "arithmetic"
            yield _Change(
                kind, f"`{op}` becomes `{SWAPPED_OPERATORS[op]}`", replace(node, op=SWAPPED_OPERATORS[op]), span
            )


def _is_condition(parent: Any, child: Any, steps: Path) -> bool:
    """Return whether ``child`` is a condition of ``parent``. ``steps`` is its relative path."""
    if not isinstance(child, core.Expr) or not isinstance(child.type, BoolType):
        return False
    if isinstance(parent, core.Fold):
        return steps == ("condition",) or parent.is_test
    return steps[0] in ("condition", "conditions", "repeat") or (steps[0] == "branches" and steps[-1] == 0)


def _list_number_mutants(
    owner: Owner, value: object, span: Span, paths: Sequence[Path], fact: tuple[str, Any]
) -> Iterator[Mutant]:
    """Yield the mutants of a number in the data."""
    if isinstance(value, int) and value == _parse_number_at(span):
        for number in (value + 1, value - 1) if value > 0 else (value + 1,):
            edits = tuple((path, number) for path in paths)
            change = f"`{value}` becomes `{number}`"
            yield Mutant("number", owner, span, change, edits, frozenset(), frozenset({fact}))


def _find_owner(program: core.Program, path: Path) -> Owner:
    """Return the declaration that contains the node at a path. A generated routine has its origin as the owner."""
    routine = getattr(program, str(path[0])).get(path[1]) if path[0] in ("queries", "effects") else None
    if routine is not None and not routine.origin.is_authored:
        return Owner(routine.origin.label)
    section_names = {"variables": "variable", "pools": "zone", "zones": "zone", "queries": "query", "effects": "effect"}
    return Owner(section_names[path[0]], str(path[1])) if path[0] in section_names else Owner(str(path[0]))


def _parse_number_at(span: Span) -> int | None:
    """Return the number that the source text of a span consists of, or None."""
    text = span.text
    return int(text) if re.fullmatch(r"\d{1,9}", text) else None


def _find_word(span: Span, word: str) -> Span | None:
    """Return the first occurrence of a word within a span, or None."""
    match = re.search(rf"\b{word}\b", span.text)
    return None if match is None else Span(span.source, span.start + match.start(), span.start + match.end())


def _find_operator(node: core.Binary, op: str) -> Span | None:
    """Return the span of an operator if it is the only text between its operands, or None."""
    left, right = node.left.span, node.right.span
    text = Span(node.span.source, left.end, right.start).text
    match = re.fullmatch(r"[\s()]*(\S+(?:\s+\S+)*?)[\s()]*", text)
    if left.source is not right.source or match is None or match[1].split() != op.split():
        return None
    return Span(node.span.source, left.end + match.start(1), left.end + match.end(1))


KILLED, SURVIVED, UNTOUCHED = "killed", "survived", "untouched"

BUDGET_FACTOR = 10  # a mutated case may take this many times the statements of the original …
BUDGET_MARGIN = 2_000  # … plus this many


@dataclass(frozen=True)
class MutantResult:
    """Result of a mutant. ``outcome`` is KILLED, SURVIVED, or UNTOUCHED if no case executes the change.

    ``case`` is the id of the case that failed, or None. ``case_count`` counts the cases played.
    """

    mutant: Mutant
    outcome: str
    case: str | None
    case_count: int


class _BudgetExceeded(Exception):
    """Error: a mutated game exceeds its budget of statements."""


class _Budget:
    """Observer that stops a game after a number of statements."""

    def __init__(self) -> None:
        self.remaining = 0

    def observe_reader(self, reader: Any) -> None:
        """Do nothing: the evaluation of an expression always ends."""

    def observe_run(self, run: Any) -> None:
        run_block = run.run_block

        def count_and_run(statements: tuple[core.Stmt, ...], slots: list[Any]) -> None:
            self.remaining -= len(statements)
            if self.remaining < 0:
                raise _BudgetExceeded
            run_block(statements, slots)

        run.run_block = count_and_run


_Task = tuple[int, tuple[tuple[int, int], ...]]
"""Number of a mutant, and the cases to play by number, each with its number of statements."""


class MutationTest:
    """Mutation tests of one ruleset. ``coverage`` is that of its cases, which must all pass.

    Another process finds the mutants again, because nodes are compared by identity. It needs no traces.
    """

    def __init__(self, coverage: Coverage, cases: Sequence[Case]) -> None:
        self.program = coverage.program
        self.cases = list(cases)
        self.traces = coverage.traces
        self.mutants = list_mutants(self.program)

    def __reduce__(self) -> tuple[Any, ...]:
        return MutationTest, (Coverage(self.program, [], [], []), self.cases)

    def choose(
        self,
        only: str | None = None,
        limit: int | None = None,
        seed: int = 0,
        is_selected: Callable[[Span], bool] = lambda span: True,
    ) -> list[Mutant]:
        """Return the mutants at the place ``only``, or all, whose spans ``is_selected`` accepts, in source order.

        A place is written as for :meth:`Mutant.is_at`, such as ``effect draw``, or ``:12`` for a line. An unknown
        place gives []. If there are more than a given ``limit``, that many are drawn at random by ``seed``. They are
        still in source order.
        """
        mutants = [
            mutant for mutant in self.mutants if is_selected(mutant.span) and (only is None or mutant.is_at(only))
        ]
        if limit is not None and limit < len(mutants):
            numbers = sorted(random.Random(seed).sample(range(len(mutants)), limit))
            mutants = [mutants[number] for number in numbers]
        return mutants

    def run_mutants(self, mutants: Sequence[Mutant], jobs: int = 1) -> Iterator[MutantResult]:
        """Yield the result of each mutant, in order. ``mutants`` are some of :attr:`mutants`.

        Cases that execute the change are played until one fails, whose id is the ``case`` of the result (None if none
        fails). Those whose trace without the change has the smallest ``step_count`` come first, and equal ones in the
        order of ``cases``. ``case_count`` is the number of cases played. An exception is a failure, too. So are more
        statements than ``BUDGET_FACTOR`` (10) times the ``statement_count`` of this trace plus ``BUDGET_MARGIN``
        (2,000). The outcome is ``killed``, ``survived``, or ``untouched`` if no case executes the change. The number of
        processes, ``jobs``, changes no result. Raises WorkerDied if a worker process dies.
        """
        numbers = {id(mutant): number for number, mutant in enumerate(self.mutants)}
        tasks = [(numbers[id(mutant)], self._list_relevant_cases(mutant)) for mutant in mutants]
        with closing(map_in_order(self._run_task, tasks, jobs)) as results:
            for mutant, (outcome, case, count) in zip(mutants, results, strict=True):
                yield MutantResult(mutant, outcome, None if case is None else self.cases[case].id, count)

    def _list_relevant_cases(self, mutant: Mutant) -> tuple[tuple[int, int], ...]:
        """Return the cases that reach the change, each with its number of statements, shortest first."""
        cases = [
            (trace.step_count, number, trace.statement_count)
            for number, trace in enumerate(self.traces)
            if not (trace.nodes["ran"].isdisjoint(mutant.nodes) and trace.facts.isdisjoint(mutant.facts))
        ]
        return tuple((number, statements) for _, number, statements in sorted(cases))

    def _run_task(self, task: _Task) -> tuple[str, int | None, int]:
        """Return the outcome of a mutant, the number of the case that failed or None, and how many cases were played.

        A case that exceeds BUDGET_FACTOR times its statements and BUDGET_MARGIN counts as failed, and so does one that
        raises an exception.
        """
        mutant_number, cases = task
        program, budget = self.program, _Budget()
        for path, new_node in self.mutants[mutant_number].edits:
            program = replace_node(program, path, new_node)
        for count, (case, statements) in enumerate(cases, 1):
            budget.remaining = BUDGET_FACTOR * statements + BUDGET_MARGIN
            try:
                has_passed = run_case(program, self.cases[case], ENGINE, observer=budget).passed
            except Exception:  # the evaluator relies on the checker, so a mutated program can raise any exception
                has_passed = False
            if not has_passed:
                return KILLED, case, count
        return SURVIVED if cases else UNTOUCHED, None, len(cases)


def calculate_mutation_score(results: Sequence[MutantResult]) -> float:
    """Return the percentage of killed mutants, or 100 without results."""
    return 100 * sum(result.outcome == KILLED for result in results) / len(results) if results else 100.0
