"""A program that keeps in its own positions which blocks it came to: coverage at the speed of the compiled engine.

Before each block that an open question hangs on, a statement is put that notes it in a cell, as coverage-guided fuzzers
of other programs do (AFL). It plays as the program that it was made from: the same questions with the same options, the
same chance; what it counts as work is more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lusory_dsl import core
from lusory_dsl.core.walking import Block
from lusory_dsl.language.types import BOOL, INT
from lusory_dsl.text.source import NOWHERE, Span

from .goals import Goals

MARKS = "fuzz_Marks"  # authors' names have no capital inside

SURE = core.Let | core.SetCell | core.MoveCount | core.MoveCards | core.Shuffle | core.Announce
"""Statements behind which a block goes on."""


class Marked:
    """A program with its marks. ``goals_of``: by the number of a mark, the goals that a game comes to with it."""

    def __init__(self, program: core.Program, goals: Goals) -> None:
        self._goals = goals
        self._numbers: dict[tuple[int, ...], int] = {}
        effects = {name: self._effect(effect) for name, effect in program.effects.items()}
        setup, phases = self._phase(program.setup), tuple(map(self._phase, program.phases))
        self.goals_of = list(self._numbers)
        marks = core.Variable(
            MARKS,
            (core.Dim(INT, 0, max(len(self._numbers), 1)),),
            BOOL,
            core.Const(BOOL, NOWHERE, False),
            1,
            core.Visibility("nobody", None),
            "",
            "",
        )
        self.program = replace(
            program,
            digest=f"{program.digest} marked",
            variables={**program.variables, MARKS: marks},
            effects=effects,
            setup=setup,
            phases=phases,
        )

    def _effect(self, effect: core.Effect) -> core.Effect:
        return replace(
            effect,
            body=self._block(effect.body, self._goals.of("effect", effect.name)) if effect.body else (),
            instead=tuple(replace(rule, body=self._block(rule.body)) for rule in effect.instead),
            when=tuple(replace(rule, body=self._block(rule.body)) for rule in effect.when),
        )

    def _phase(self, phase: core.Phase) -> core.Phase:
        body = self._block(phase.body, self._goals.of("phase", phase.id)) if phase.body else ()
        return replace(phase, body=body, children=tuple(map(self._phase, phase.children)))

    def _block(self, block: Block, also: Iterable[int] = ()) -> Block:
        """A block with a mark before it, and behind each statement that it may not come past. ``also``: goals besides
        that the first of them tells of."""
        found, told, begins = list[core.Stmt](), set(also), 0
        for number, stmt in enumerate(block):
            told.update(self._goals.of("ran", id(stmt)))
            if not isinstance(stmt, SURE) or number == len(block) - 1:
                found += (*self._mark(told, block[begins].span), *map(self._statement, block[begins : number + 1]))
                told, begins = set(), number + 1
        return tuple(found) if block else tuple(self._mark(told, NOWHERE))

    def _mark(self, told: set[int], span: Span) -> Iterator[core.Stmt]:
        if told:
            number = self._numbers.setdefault(tuple(sorted(told)), len(self._numbers))
            at, yes = core.Const(INT, NOWHERE, number), core.Const(BOOL, NOWHERE, True)
            yield core.SetCell(span, MARKS, (at,), "set", yes)

    def _statement(self, stmt: core.Stmt) -> core.Stmt:
        if isinstance(stmt, core.Ask):
            made = self._goals.of("choice", stmt.site)
            answers = (
                replace(one, body=self._block(one.body, [*made, *self._goals.of("answer", (stmt.site, number))]))
                for number, one in enumerate(stmt.alternatives)
            )
            return replace(stmt, alternatives=tuple(answers), otherwise=self._block(stmt.otherwise))
        if not isinstance(stmt, core.If):
            return core.rebuilt(stmt, self._block)
        failed: list[int] = []
        branches = []
        for condition, body in stmt.branches:
            branches.append((condition, self._block(body, [*failed, *self._goals.of("held", id(condition))])))
            failed += self._goals.of("failed", id(condition))
        return replace(stmt, branches=tuple(branches), otherwise=self._block(stmt.otherwise, failed))
