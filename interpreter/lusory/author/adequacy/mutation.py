"""Which rules no case pins: changes one thing in a ruleset at a time and sees whether a case notices.

Behind ``lusory test --mutate``; prints nothing. A mutant is *killed* by the first case that fails. It *survives* when
all cases that come to the changed place still pass, and it is *untouched* where no case comes there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any

from lusory_dsl import core
from lusory_dsl.text.source import Span

from ...processes import in_order
from ..cases import run_case
from ..cases.model import Case
from .coverage import ENGINE, Coverage
from .sites import Mutant, mutants_of

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
