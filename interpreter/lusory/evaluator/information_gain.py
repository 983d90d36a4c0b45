"""Decide whether a step of a game tells a seat anything that it could not have computed before.

A *step* runs from one answer to the next decision. It is executed on the view of the seat (:class:`Seen`), in which
everything hidden is :class:`Unknown`. Suppose that the run reaches the next decision without chance or hidden values,
and predicts everything that the seat sees there. Then every position that the seat considers possible would show the
same, so the step gives no information.

A run of the evaluator begins at the base of the operation and replays earlier answers first. This part runs on the full
position. Taint tracking finds the locals, branches and loops that depend on a value that was hidden when it was read.
At the answer of the step, tainted locals become unknown. A run inside a tainted branch ends there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.knowledge_of_locals import knowledge_of

from ..state.decision import RulesetFault
from ..state.event_log import ChoiceMade, choice_made, redact
from ..state.phase_operations import Block, Flow
from ..state.setting import HIDDEN, Indices, Setting, Value
from ..state.state import Place, State
from ..view.view import SeatReader
from ..view.visibility import UNKNOWN, Hidden, Seen, Unknown, seen_by
from .evaluator import Answer, Answers, Evaluator, Execution, Over, Tape, candidates
from .expressions import Reader, Slots


class Learned(NamedTuple):
    """Hold the result for one step and seat.

    Attributes:
        is_new: Whether the seat learned something.
        hides_locals: Whether the running routines hold local values that the seat doesn't know.
    """

    is_new: bool
    hides_locals: bool


def learned(evaluator: Evaluator, before: State, option: int, after: State, seat: int) -> Learned:
    """Return what a seat learned in the step from ``before`` to ``after``.

    Both states come from ``evaluator``. ``option`` is the option that the step takes.
    """
    operation, base, answers, tape = evaluator.answered(before, option)
    run = _Step(evaluator.setting, evaluator.flow, base, answers, tape, before, seat)
    try:
        foreseen = run.go(operation)
    except (Hidden, RulesetFault):
        return Learned(True, run.hides_locals)
    return Learned(not _shows(foreseen, seen_by(evaluator.setting, after, seat)), run.hides_locals)


def _shows(foreseen: State, seen: Seen) -> bool:
    """Return whether a predicted position contains everything that a seat sees."""
    return _agree(foreseen.cells, seen.cells) and all(map(_agree, foreseen.zones, seen.zones))


def _agree(foreseen: list[Any], seen: list[Any]) -> bool:
    return len(foreseen) >= len(seen) and all(
        now.__class__ is Unknown or (one.__class__ is not Unknown and one == now)
        for one, now in zip(foreseen, seen, strict=False)
    )


class _Locals(list[Any]):
    """Hold the local values of a routine. ``hidden`` contains the slots that depend on a hidden value."""

    def __init__(self, values: list[Any], hidden: set[int]) -> None:
        super().__init__(values)
        self.hidden = hidden


class _Step(SeatReader, Execution):
    """Replay the earlier answers on the full position, then continue on the view of the seat."""

    # Skip SeatReader.items: the methods below handle hidden values.
    items = Reader.items

    def __init__(
        self, setting: Setting, flow: Flow, base: State, answers: Answers, tape: Tape, before: State, seat: int
    ) -> None:
        """Prepare a run. ``before`` is the position in which the last of the answers was given."""
        self.seen = Seen(setting, seat, base.cells, base.zones, frozenset())
        self.seat, self.before = seat, before
        self.is_live = False  # whether all answers have been replayed
        self.reads_hidden = False
        self.is_branch_hidden = False
        self.hides_locals = False
        self.routines: list[_Locals] = []
        Execution.__init__(self, setting, flow, base, None, None, answers, tape)

    def answer(
        self, ask: core.Ask | core.AskMany, slots: Slots, picked: tuple[int, ...] = (), n: int = 0
    ) -> Answer | None:
        is_last = len(self.answers) == 1
        answer = super().answer(ask, slots, picked, n)
        if is_last:
            self._look_as_seat()
        elif self.is_live and answer is not None and any(isinstance(value, Unknown) for value in answer[1]):
            raise Hidden
        return answer

    def _look_as_seat(self) -> None:
        """Switch from the full position to what the seat knows."""
        self.is_live = True
        self.seen = seen_by(self.setting, self.before, self.seat)
        cells: list[Any] = [*self.seen.cells, *self.cells[len(self.seen.cells) :]]
        for stream in self.layout.streams.values():
            cells[stream] = UNKNOWN
        self.cells, self.zones = cells, [zone[:] for zone in self.seen.zones]
        for slots in self.routines:
            for slot in slots.hidden:
                self.hides_locals |= slots[slot] is not None
                slots[slot] = Unknown()
        if self.is_branch_hidden:
            self.hides_locals = True
            raise Hidden

    # ------------------------------------------------------------ taint

    def new_slots(self, args: list[Value], count: int) -> Slots:
        return self._routine(args, set(), count)

    def _routine(self, args: list[Value], hidden: set[int], count: int) -> _Locals:
        slots = _Locals(super().new_slots(args, count), set(hidden))
        self.routines.append(slots)
        return slots

    @contextmanager
    def _tracked(self) -> Iterator[list[bool]]:
        """Detect reads of hidden values in a block. The yielded list holds the result afterwards."""
        outer, found = self.reads_hidden, [False]
        self.reads_hidden = False
        try:
            yield found
        finally:
            found[0], self.reads_hidden = self.reads_hidden, outer

    def _keep(self, slots: Slots, slot: int, value: Value, is_hidden: bool) -> None:
        slots[slot] = Unknown() if self.is_live and is_hidden else value
        if isinstance(slots, _Locals) and not self.is_live:
            (slots.hidden.add if is_hidden or self.is_branch_hidden else slots.hidden.discard)(slot)

    def _inside(self, is_hidden: bool, stmt: core.Stmt, body: Block, slots: Slots) -> None:
        """Run a block of a statement. ``is_hidden`` says whether a hidden value led to this block."""
        if is_hidden and self.is_live:
            raise Hidden
        outer = self.is_branch_hidden
        self.is_branch_hidden |= is_hidden
        try:
            self.block(body, slots)
        finally:
            ends = is_hidden and any(isinstance(one, core.Stop) for one in core.statements_in((stmt,)))
            # A hidden stop makes everything that follows in the loop depend on hidden values.
            self.is_branch_hidden = outer or ends
            if is_hidden:
                self._hide_bound(stmt, slots)

    def _hide_bound(self, stmt: core.Stmt, slots: Slots) -> None:
        """Mark all locals that a statement sets as dependent on hidden values."""
        if isinstance(slots, _Locals):
            slots.hidden |= {slot for one in core.statements_in((stmt,)) for slot in core.binds(one)}

    @contextmanager
    def _loop(self, stmt: core.Stmt, slots: Slots) -> Iterator[None]:
        """Run a loop. If a hidden value decides whether it continues, everything that it sets depends on it."""
        outer = self.is_branch_hidden
        with self._tracked():
            try:
                yield
            finally:
                if self.is_branch_hidden or self.reads_hidden:
                    self._hide_bound(stmt, slots)
                self.is_branch_hidden = outer

    def block(self, statements: Block, slots: Slots) -> None:
        with self._tracked():
            super().block(statements, slots)

    # ------------------------------------------------------------ reading

    def number(self, place: Place, indices: tuple[int, ...], span: Any) -> int:
        if not self.is_live and not self._is_shown(place.name, indices):
            self.reads_hidden = True
        return super().number(place, indices, span)

    def _is_shown(self, name: str, indices: Indices, visible: core.Visibility | None = None) -> bool:
        declared = self.program.place(name)
        visible = visible or declared.visible
        if visible.condition is None and visible.constant == "all":
            return True
        return Reader(self.setting, self.cells, self.zones).sees(visible, declared.dims, indices, self.seat)

    def lies_at(self, card: core.Expr, slots: Slots) -> tuple[str, tuple[int, ...]] | None:
        found = super().lies_at(card, slots)
        if not self.is_live and found is not None and not self._is_shown(*found):
            self.reads_hidden = True
        return found

    def eval_Local(self, expr: core.Local, slots: Slots) -> Value:
        if isinstance(slots, _Locals) and not self.is_live and expr.slot in slots.hidden:
            self.reads_hidden = True
        return super().eval_Local(expr, slots)

    def eval_LiesIn(self, expr: core.LiesIn, slots: Slots) -> Value:
        """Track a test of a component's zone. If everybody sees the zone, the result is public."""
        with self._tracked() as is_hidden:
            self.value(expr.component, slots)
        with self._tracked() as reads_place:
            value = super().eval_LiesIn(expr, slots)
        is_open = self.program.zones[expr.zone].visible.constant == "all"
        self.reads_hidden |= is_hidden[0] or (reads_place[0] and not is_open)
        return value

    def eval_CallBuiltin(self, expr: core.CallBuiltin, slots: Slots) -> Value:
        """Track built-in functions. The size of a zone is public, and so is an end of it that is shown."""
        read = core.end_read(expr)
        zone = expr.args[0] if expr.name == "count" and isinstance(expr.args[0], core.ReadZone) else None
        if self.is_live or (read is None and zone is None):
            return super().eval_CallBuiltin(expr, slots)
        with self._tracked() as is_hidden:
            indices = self.at((read[0] if read else zone).indices, slots)  # type: ignore[union-attr]
        with self._tracked():
            value = super().eval_CallBuiltin(expr, slots)
        if read is not None and indices is not None:
            visible = self.program.zones[read[0].zone].shown_at(read[1])
            is_hidden[0] |= not (
                self._is_shown(read[0].zone, indices) or self._is_shown(read[0].zone, indices, visible)
            )
        self.reads_hidden |= is_hidden[0]
        return value

    def shown(self, expr: core.Expr, slots: Slots) -> str:
        value = self.value(expr, slots)
        if isinstance(value, Unknown) or (isinstance(value, tuple) and any(isinstance(one, Unknown) for one in value)):
            raise Hidden
        return self.label(value, expr.type)

    # ------------------------------------------------------------ statements

    def exec_Let(self, stmt: core.Let, slots: Slots) -> None:
        with self._tracked() as is_hidden:
            value = self.value(stmt.value, slots)
        self._keep(slots, stmt.slot, value, is_hidden[0])

    def exec_If(self, stmt: core.If, slots: Slots) -> None:
        body, depends = stmt.otherwise, False
        for condition, branch in stmt.branches:
            with self._tracked() as is_hidden:
                holds = self.holds(condition, slots)
            depends |= is_hidden[0]
            if holds:
                body = branch
                break
        self._inside(depends, stmt, body, slots)

    def exec_ForEach(self, stmt: core.ForEach, slots: Slots) -> None:
        with self._loop(stmt, slots):
            with self._tracked() as is_hidden:
                items = self.value(stmt.source, slots)
            self.is_branch_hidden |= is_hidden[0]
            for item in items:
                self._keep(slots, stmt.slot, item, is_hidden[0])
                with self._tracked() as depends:
                    holds = self.holds(stmt.condition, slots)
                self.is_branch_hidden |= depends[0]
                if holds and not self.passes(stmt, slots):
                    return

    def exec_Repeat(self, stmt: core.Repeat, slots: Slots) -> None:
        with self._loop(stmt, slots):
            super().exec_Repeat(stmt, slots)

    def passes(self, loop: core.ForEach | core.Repeat, slots: Slots) -> bool:
        # The condition of the loop may have read a hidden value.
        self.is_branch_hidden |= self.reads_hidden
        return super().passes(loop, slots)

    def exec_Ask(self, stmt: core.Ask, slots: Slots) -> None:
        chooser = self.present(stmt.chooser, slots)
        answer = self.answer(stmt, slots)
        if answer is None:
            is_secret = not self.is_live and stmt.site in knowledge_of(self.program).telling
            return self._inside(is_secret, stmt, stmt.otherwise, slots)
        number, values, _ = answer
        alternative = stmt.alternatives[number]
        told = self._told(chooser, stmt.site, number, values)
        is_secret = told is None
        for n, (variable, value) in enumerate(zip(alternative.vars, values, strict=True)):
            self._keep(slots, variable.slot, value, told is None or told[n] == HIDDEN)
        return self._inside(is_secret and len(stmt.alternatives) > 1, stmt, alternative.body, slots)

    def exec_AskMany(self, stmt: core.AskMany, slots: Slots) -> None:
        chooser = self.present(stmt.chooser, slots)
        found, _, _ = candidates(self, stmt, list(slots))
        picked: tuple[int, ...] = ()
        is_hidden = False
        while answer := self.answer(stmt, slots, picked, len(found)):
            number, numbers, _ = answer
            values = tuple([found[i] for i in numbers])
            told = self._told(chooser, stmt.site, number, values)
            is_hidden |= number == 0 if told is None else HIDDEN in told
            if number == 1:
                break
            picked = (*picked, *numbers)
        self._keep(slots, stmt.slot, tuple([found[i] for i in picked]), is_hidden)

    def _told(self, chooser: int, site: int, alternative: int, values: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """Return the values of an answer as the seat knows them, or None if it doesn't learn of the answer.

        A seat knows its own answers, except components that it can't see.
        """
        if chooser == self.seat:
            unseen = knowledge_of(self.program).unseen[site]
            return tuple(
                [
                    HIDDEN if (alternative, n) in unseen and self._is_out_of_sight(value) else value
                    for n, value in enumerate(values)
                ]
            )
        told = redact(choice_made(chooser, site, alternative, values, False), self.seat, self)
        return told.values if isinstance(told, ChoiceMade) else None

    def _is_out_of_sight(self, value: Value) -> bool:
        """Return whether a component, or one of a list of components, is where the seat can't see it."""
        if value is None or isinstance(value, tuple):
            return any(map(self._is_out_of_sight, value or ()))
        if isinstance(value, Unknown):
            return True
        lies = self.cells[self.layout.location + value]
        if self.is_live or lies is None:
            return isinstance(lies, Unknown)
        return not self._is_shown(*self.layout.zone_at(lies))

    def exec_Random(self, stmt: core.Random, slots: Slots) -> None:
        with self._tracked() as is_hidden:
            items = tuple(self.items(stmt.slot, stmt.domain, stmt.condition, slots))
        if self.is_live:
            if len(items) > 1:
                raise Hidden
            slots[stmt.slot] = items[0] if items else None
            self.block(stmt.body if items else stmt.otherwise, slots)
            return
        with self._loop(stmt, slots):
            self.is_branch_hidden |= is_hidden[0]
            if isinstance(slots, _Locals) and not self.seats_of_chance(stmt, slots) >> self.seat & 1:
                slots.hidden.add(stmt.slot)
            super().exec_Random(stmt, slots)

    def exec_Shuffle(self, stmt: core.Shuffle, slots: Slots) -> None:
        if not self.is_live:
            return super().exec_Shuffle(stmt, slots)
        number, _ = self.place(self.layout.zones[stmt.zone], stmt.indices, slots, stmt.span)
        if len(self.zones[number]) > 1:
            raise Hidden
        return None

    def exec_DoByCard(self, stmt: core.DoByCard, slots: Slots) -> None:
        with self._tracked() as is_hidden:
            card = self.original(stmt.card, slots)
        self._inside(is_hidden[0], stmt, dict(stmt.cases).get(card, stmt.otherwise), slots)

    def exec_CallEffect(self, stmt: core.CallEffect, slots: Slots) -> None:
        effect = self.program.effects[stmt.effect]
        self.charges.enter_effect(effect)
        args, hidden = [], set[int]()
        for number, arg in enumerate(stmt.args):
            with self._tracked() as is_hidden:
                args.append(self.value(arg, slots))
            if is_hidden[0]:
                hidden.add(number)
        self.trail.append(effect.name)
        outer = self.is_branch_hidden
        try:
            if not any(self._applies(rule, args, hidden) for rule in effect.instead):
                self.block(effect.body, self._routine(args, hidden, effect.n_slots))
            self.is_branch_hidden = outer
            for rule in effect.when:
                self._applies(rule, args, hidden)
                self.is_branch_hidden = outer
        finally:
            self.is_branch_hidden = outer
        self.trail.pop()

    def _applies(self, rule: core.Rule, args: list[Value], hidden: set[int]) -> bool:
        """Run a rule if its condition holds, and return whether it did. The rest may then depend on a hidden value."""
        slots = self._routine(args, hidden, rule.n_slots)
        with self._tracked() as is_hidden:
            holds = self.holds(rule.condition, slots)
        if self.is_live and is_hidden[0]:
            raise Hidden
        self.is_branch_hidden |= is_hidden[0]
        if holds:
            self.block(rule.body, slots)
        return holds

    def exec_Announce(self, stmt: core.Announce, slots: Slots) -> None:
        to = None if stmt.to is None or not self.is_live else self.value(stmt.to, slots)
        if self.is_live and (to is None or self.seat in to):
            self.text(stmt.text, slots)

    def exec_EndGame(self, stmt: core.EndGame, slots: Slots) -> None:
        self.finish(None if stmt.reason is None else self.text(stmt.reason, slots))
        raise Over
