"""Cases on both engines, and random games beside them: what the engines say otherwise is a failure of its own, with
what each tells side by side. Used by :mod:`lusory.author.cases` and the command ``test``.

What makes the compiled engine itself go wrong is such a failure, too: the rules are checked, so they are not at fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from lusory_dsl import core
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Diagnostic
from lusory_dsl.text.source import Span

from ...game import ENGINES
from ...table.store import CodeStore
from ..agreement import Found, compare, difference, pair, side_by_side, told
from .model import Case, CaseResult, Failure
from .runner import CaseRun, Moment

ORACLE, OTHER = ENGINES
HINT = "this is a mistake in lusory, not in your rules: please report it, with the rules"
MOST_DECISIONS = 120
"""Of a random game beside the cases: what engines may say otherwise shows early in some game or other."""


def play_on_both(case: Case, program: core.Program, through_json: bool = False) -> tuple[Failure, ...]:
    """Why a case does not pass: on the evaluator, and where the other engine says something else."""
    if case.errors:
        return tuple(map(Failure, case.errors))
    oracle = CaseRun(case, program, ORACLE, through_json)
    failures = oracle.play()
    if not oracle.moments:
        return failures  # nothing was played
    other = CaseRun(case, program, OTHER, through_json, first=oracle)
    try:
        others = other.play()
    except Exception as error:
        return (*failures, _broken(other.span, error))
    for run in (oracle, other) if oracle.waiting is not None and other.waiting is not None else ():
        run.end_quietly()
    parted = _first_difference(oracle.moments, other.moments)
    if parted is not None:
        return (*failures, parted)
    expected = [_told(failure) for failure in failures if failure.diagnostic.code is not codes.INVARIANT_BROKEN]
    if expected == [_told(failure) for failure in others]:
        return failures
    said = [f"{len(found)} failures" for found in (failures, others)]
    return (*failures, _differs(case.span, ("what the case finds", (said[0], said[1]))), *others)


def _told(failure: Failure) -> tuple[str, str]:
    return failure.diagnostic.code.id, str(failure.diagnostic.span)


def _first_difference(one: Sequence[Moment], other: Sequence[Moment]) -> Failure | None:
    for left, right in zip(one, other, strict=False):
        found = compare(left, right, words=False)
        if found is not None:
            return _differs(left.span, found, (told(left), told(right)))
    if len(one) == len(other):
        return None
    said = [f"{len(moments)} times" for moments in (one, other)]
    return _differs((one or other)[-1].span, ("how often the game stops", (said[0], said[1])))


def _differs(span: Span, found: Found, logs: tuple[Sequence[str], Sequence[str]] = ((), ())) -> Failure:
    what, said = found
    width = max(map(len, ENGINES)) + 1
    details = [f"{f'{engine}:':<{width}} {words}" for engine, words in zip(ENGINES, said, strict=True)]
    details += ["what happened on each:", *side_by_side(*logs)] if any(logs) else []
    return Failure(Diagnostic(codes.ENGINES_DIFFER, f"the engines differ: {what}", span, HINT), tuple(details))


def _broken(span: Span, error: Exception) -> Failure:
    message = f"the {OTHER} engine goes wrong: {type(error).__name__}: {error}"
    return Failure(Diagnostic(codes.ENGINES_DIFFER, message, span, HINT))


# ---------------------------------------------------------------- random games


@dataclass(frozen=True)
class RandomGame:
    """A game in which the first so many decisions are taken at random, on both engines."""

    program: core.Program
    players: int
    seed: int

    def play(self, store: CodeStore | None = None) -> CaseResult:
        """How it went, as if it were a case: it passes where the engines agree."""
        start = perf_counter()
        title = f"A random game of {self.players} players, seed {self.seed}, on both engines"
        span = self.program.setup.span if self.program.phases == () else self.program.phases[0].span
        failures: tuple[Failure, ...] = ()
        try:
            found = difference(pair(self.program, self.players, store=store), self.seed, most=MOST_DECISIONS)
        except Exception as error:
            failures = (_broken(span, error),)
        else:
            if found is not None:
                where = (f"after {found.decisions} decisions", *((f"the last {found.last}",) if found.last else ()))
                differs = _differs(span, (found.what, found.said), found.logs)
                failures = (Failure(differs.diagnostic, (", ".join(where), *differs.details)),)
        name = f"random-{self.players}-{self.seed}"
        return CaseResult(span.source.name, name, title, (), span, failures, perf_counter() - start)


def random_games(program: core.Program) -> list[RandomGame]:
    """A few games: one for each number of players, two at least."""
    numbers = range(program.min_players, program.max_players + 1)
    return [RandomGame(program, numbers[i % len(numbers)], i) for i in range(max(2, len(numbers)))]
