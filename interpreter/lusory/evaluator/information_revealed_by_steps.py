"""Decide whether a step of a game tells a seat anything that it could not have computed before.

A *step* runs from one answer to the next decision. It is executed on the state as the seat sees it
(a ``RedactedState``), in which everything hidden is :class:`Unknown`. Suppose that the run reaches the next decision
without chance or hidden values, and predicts everything that the seat sees there. Then every position that the seat
considers possible would show the same, so the step gives no information.

A run of the evaluator begins at the base of the operation and replays earlier answers first. This part runs on the full
position. Taint tracking finds the locals, branches and loops that depend on a value that was hidden when it was read.
At the answer of the step, tainted locals become unknown. A run inside a tainted branch ends there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.knowledge_of_locals import get_knowledge

from ..state.decisions_outcomes_and_faults import RulesetFault
from ..state.events_redaction_and_text import ChoiceMade, choice_made, redact
from ..state.flattened_phases import Block, Flow
from ..state.setting_value_limits_builtins_and_names import HIDDEN, Indices, Setting, Value
from ..state.state import State
from ..state.state_layout import Place
from ..view.redacted_state import UNKNOWN, HiddenValue, Unknown, redact_state, reveal_state
from ..view.seat_view import SeatReader
from .expressions import Reader, Slots, pad_slots
from .statements_options_and_resumption import Answer, Answers, Evaluator, Execution, GameOver, Tape, find_candidates


class InformationGain(NamedTuple):
    """Hold the result for one step and seat.

    Attributes:
        has_news: Whether the seat learned something.
        hides_locals: Whether the routines that run at the decision hold local values that the seat doesn't know.
    """

    has_news: bool
    hides_locals: bool


def measure_gain(evaluator: Evaluator, state: State, option: int, next_state: State, seat: int) -> InformationGain:
    """Return whether a seat (from 0) learned something in the step from ``state`` to ``next_state``, in ``has_news``.

    ``has_news`` is False if the seat could have predicted all that it sees afterwards. The seat may use the option that
    was taken, as far as it learns of it. Chance with several results, a fault or a hidden value on the way is news.
    ``hides_locals`` says whether the running routines held local values that the seat doesn't know when the option was
    taken. It is also True if a hidden condition led to the choice. ``option`` is the index that the step takes. Both
    states stay unchanged. Raise NoSuchOption if ``state`` has no such option.
    """
    operation, base, answers, tape = evaluator.prepare_resume(state, option)
    run = _TrackedRun(evaluator.setting, evaluator.flow, base, answers, tape, state, seat)
    try:
        prediction = run.run_from(operation)
    except (HiddenValue, RulesetFault):
        return InformationGain(True, run.hides_locals)
    view = redact_state(evaluator.setting, next_state, seat)
    # The prediction must contain everything that the seat sees of the real position.
    is_predicted = all(map(_is_consistent, (prediction.cells, *prediction.zones), (view.cells, *view.zones)))
    return InformationGain(not is_predicted, run.hides_locals)


def _is_consistent(predicted_values: list[Any], seen_values: list[Any]) -> bool:
    """Return whether each predicted value is known and equal, except where the seat sees nothing."""
    return len(predicted_values) >= len(seen_values) and all(
        seen_value.__class__ is Unknown or (predicted_value.__class__ is not Unknown and predicted_value == seen_value)
        for predicted_value, seen_value in zip(predicted_values, seen_values, strict=False)
    )


class _Locals(list[Any]):
    """Hold the local values of a routine. ``hidden_slots`` contains the slots that depend on a hidden value."""

    def __init__(self, values: list[Any], hidden_slots: set[int]) -> None:
        super().__init__(values)
        self.hidden_slots = hidden_slots


class _TrackedRun(SeatReader, Execution):
    """Replay the earlier answers on the full position, then continue on the view of the seat."""

    def __init__(
        self, setting: Setting, flow: Flow, base: State, answers: Answers, tape: Tape, state_before: State, seat: int
    ) -> None:
        """Prepare a run. ``state_before`` is the position in which the last of the answers was given."""
        self.redacted_state = reveal_state(setting, base, seat)
        self.seat, self.state_before = seat, state_before
        self.is_live = False  # whether all answers have been replayed
        self.reads_hidden = False
        self.is_branch_hidden = False
        self.hides_locals = False
        self.routines: list[_Locals] = []
        Execution.__init__(self, setting, flow, base, None, None, answers, tape)

    def answer(
        self, ask: core.Ask | core.AskMany, slots: Slots, picks: tuple[int, ...] = (), n: int = 0
    ) -> Answer | None:
        """Take the first of ``answers``, or else the only possible answer, and return it: ``(0, (3,), True)``.

        The form, the parameters and ``new_answers`` are as in :meth:`Execution.answer`. Return None if there is no
        option. Raise DecisionPending if there are several and ``answers`` is empty. The last of ``answers`` sets
        ``is_live``. Then ``cells``, ``zones``, ``redacted_state`` and the hidden slots of ``routines`` become what the
        seat knows, and ``hides_locals`` is set if a hidden slot had a value. If something hidden led the rules to this
        choice (``is_branch_hidden``), set ``hides_locals`` and raise HiddenValue. Later answers are forced ones. Raise
        HiddenValue if the seat can't know the values of one.
        """
        is_last = len(self.answers) == 1
        answer = super().answer(ask, slots, picks, n)
        if is_last:
            self._look_as_seat()
        elif self.is_live and answer is not None and any(isinstance(value, Unknown) for value in answer[1]):
            raise HiddenValue
        return answer

    def _look_as_seat(self) -> None:
        """Switch from the full position to what the seat knows."""
        self.is_live = True
        self.redacted_state = redact_state(self.setting, self.state_before, self.seat)
        cells: list[Any] = [*self.redacted_state.cells, *self.cells[len(self.redacted_state.cells) :]]
        for stream in self.layout.streams.values():
            cells[stream] = UNKNOWN
        self.cells, self.zones = cells, [zone[:] for zone in self.redacted_state.zones]
        for slots in self.routines:
            for slot in slots.hidden_slots:
                self.hides_locals |= slots[slot] is not None
                slots[slot] = Unknown()
        if self.is_branch_hidden:
            self.hides_locals = True
            raise HiddenValue

    # ------------------------------------------------------------ taint

    def make_slots(self, count: int) -> Slots:
        return self._start_routine([], set(), count)

    def _start_routine(self, args: list[Value], hidden_slots: set[int], count: int) -> _Locals:
        slots = _Locals(pad_slots(args, count), set(hidden_slots))
        self.routines.append(slots)
        return slots

    @contextmanager
    def _tracking_reads(self) -> Iterator[list[bool]]:
        """Detect reads of hidden values in a block. The yielded list has one bool, which is valid afterwards."""
        reads_hidden_before, result = self.reads_hidden, [False]
        self.reads_hidden = False
        try:
            yield result
        finally:
            result[0], self.reads_hidden = self.reads_hidden, reads_hidden_before

    def _set_local(self, slots: Slots, slot: int, value: Value, is_hidden: bool) -> None:
        """Set a local. Before the switch to the seat's view, note whether its value depends on something hidden."""
        slots[slot] = Unknown() if self.is_live and is_hidden else value
        if isinstance(slots, _Locals) and not self.is_live:
            (slots.hidden_slots.add if is_hidden or self.is_branch_hidden else slots.hidden_slots.discard)(slot)

    def _run_branch(self, is_hidden: bool, stmt: core.Stmt, body: Block, slots: Slots) -> None:
        """Run a block of a statement. ``is_hidden`` says whether a hidden value led to this block."""
        if is_hidden and self.is_live:
            raise HiddenValue
        was_hidden = self.is_branch_hidden
        self.is_branch_hidden |= is_hidden
        try:
            self.run_block(body, slots)
        finally:
            # A hidden stop, also in a block inside, makes all that follows in the loop depend on hidden values.
            can_stop = any(isinstance(inner, core.Stop) for inner in core.walk_statements((stmt,)))
            self.is_branch_hidden = was_hidden or (self.is_branch_hidden and can_stop)
            if is_hidden:
                self._hide_bound_locals(stmt, slots)

    def _hide_bound_locals(self, stmt: core.Stmt, slots: Slots) -> None:
        """Mark all locals that a statement sets as dependent on hidden values."""
        if isinstance(slots, _Locals):
            for inner in core.walk_statements((stmt,)):
                slots.hidden_slots |= set(core.get_bound_slots(inner))

    @contextmanager
    def _running_loop(self, stmt: core.Stmt, slots: Slots) -> Iterator[None]:
        """Run a loop. If a hidden value decides whether it continues, everything that it sets depends on it."""
        was_hidden = self.is_branch_hidden
        with self._tracking_reads():
            try:
                yield
            finally:
                if self.is_branch_hidden or self.reads_hidden:
                    self._hide_bound_locals(stmt, slots)
                self.is_branch_hidden = was_hidden

    def run_block(self, statements: Block, slots: Slots) -> None:
        with self._tracking_reads():
            super().run_block(statements, slots)

    # ------------------------------------------------------------ reading

    def find_number(self, place: Place, indices: tuple[int, ...], span: Any) -> int:
        """Return the number of a cell or zone. Before the switch to the seat's view, note whether the seat can't see
        it.
        """
        if not self.is_live and not self._is_visible(place.name, indices):
            self.reads_hidden = True
        return super().find_number(place, indices, span)

    def _is_visible(self, name: str, indices: Indices, visibility: core.Visibility | None = None) -> bool:
        place = self.program.get_place(name)
        visibility = visibility or place.visible
        if visibility.condition is None and visibility.constant == "all":
            return True
        return Reader(self.setting, self.cells, self.zones).is_visible_to(visibility, place.dims, indices, self.seat)

    def find_zone(self, card: core.Expr, slots: Slots) -> tuple[str, tuple[int, ...]] | None:
        """Return the name and indices of the zone that holds a component, or None if it is in no zone.

        Raise RulesetFault if the component is ``none``. While ``is_live`` is false, set ``reads_hidden`` if the seat
        can't see the zone, or if the expression ``card`` reads something hidden. While ``is_live`` is true, raise
        HiddenValue if the seat does not know which component it is, or where it is.
        """
        address = super().find_zone(card, slots)
        if not self.is_live and address is not None and not self._is_visible(*address):
            self.reads_hidden = True
        return address

    def eval_Local(self, expr: core.Local, slots: Slots) -> Value:
        """Return the value of a local. Before the switch to the seat's view, note whether it depends on a hidden
        value.
        """
        if isinstance(slots, _Locals) and not self.is_live and expr.slot in slots.hidden_slots:
            self.reads_hidden = True
        return super().eval_Local(expr, slots)

    def eval_LiesIn(self, expr: core.LiesIn, slots: Slots) -> Value:
        """Return whether a component is in ``expr.zone``, at any index. Raise RulesetFault if it is ``none``.

        While ``is_live`` is false, set ``reads_hidden`` if the expression for the component reads something hidden. Set
        it, too, if the seat can't see the zone where the component is, unless ``expr.zone`` is ``visible: all``. While
        ``is_live`` is true, raise HiddenValue if the seat can't know the answer.
        """
        with self._tracking_reads() as hidden_flag:
            self.evaluate(expr.component, slots)
        with self._tracking_reads() as place_flag:
            value = super().eval_LiesIn(expr, slots)
        is_open = self.program.zones[expr.zone].visible.constant == "all"
        self.reads_hidden |= hidden_flag[0] or (place_flag[0] and not is_open)
        return value

    def eval_CallBuiltin(self, expr: core.CallBuiltin, slots: Slots) -> Value:
        """Return the result of a built-in function.

        While ``is_live`` is false, set ``reads_hidden`` if the call reads something hidden. The number of components in
        a zone is hidden only if an index of the zone is. The component at the top or bottom, also by ``first`` or
        ``last``, is visible if no index is hidden and the seat sees this end. It sees, for example, the open top of a
        closed pile. While ``is_live`` is true, a hidden component at an end is returned as an Unknown.
        """
        end_read = core.match_end_read(expr)
        zone = expr.args[0] if expr.name == "count" and isinstance(expr.args[0], core.ReadZone) else None
        if self.is_live or (end_read is None and zone is None):
            return super().eval_CallBuiltin(expr, slots)
        with self._tracking_reads() as hidden_flag:
            indices = self.evaluate_indices((end_read[0] if end_read else zone).indices, slots)  # type: ignore[union-attr]
        with self._tracking_reads():
            value = super().eval_CallBuiltin(expr, slots)
        if end_read is not None and indices is not None:
            name, end = end_read[0].zone, end_read[1]
            visibility = self.program.zones[name].get_end_visibility(end)
            hidden_flag[0] |= not (self._is_visible(name, indices) or self._is_visible(name, indices, visibility))
        self.reads_hidden |= hidden_flag[0]
        return value

    def format_value(self, expr: core.Expr, slots: Slots) -> str:
        """Return a value as players read it: a label, or ``P1`` for a player, ``yes`` for true, ``3`` for a number.

        A list joins its items with ``, ``. ``none`` and an empty list give ``none``. Raise HiddenValue if the value, or
        an item of a list, is unknown. This can happen only while ``is_live`` is true.
        """
        value = self.evaluate(expr, slots)
        if isinstance(value, Unknown) or (
            isinstance(value, tuple) and any(isinstance(item, Unknown) for item in value)
        ):
            raise HiddenValue
        return self.label(value, expr.type)

    # ------------------------------------------------------------ statements

    def exec_Let(self, stmt: core.Let, slots: Slots) -> None:
        with self._tracking_reads() as hidden_flag:
            value = self.evaluate(stmt.value, slots)
        self._set_local(slots, stmt.slot, value, hidden_flag[0])

    def exec_If(self, stmt: core.If, slots: Slots) -> None:
        """Run the first branch whose condition holds, or ``otherwise``.

        The branch that runs is hidden if its condition, or one before it, depends on a hidden value. An empty
        ``otherwise`` is a branch, too. ``is_branch_hidden`` is True while a hidden branch runs. After it, the slots of
        all locals that any branch sets are in ``slots.hidden_slots``. If a hidden branch ran, also inside the branch,
        and any branch contains a ``stop``, even of an inner loop, ``is_branch_hidden`` stays True until the loop or
        effect around the statement ends. HiddenValue is raised if the last replayed answer is given in a hidden branch.
        On the seat's view, a hidden condition raises it, too.
        """
        body, is_hidden_branch = stmt.otherwise, False
        for condition, branch in stmt.branches:
            with self._tracking_reads() as hidden_flag:
                holds = self.holds(condition, slots)
            is_hidden_branch |= hidden_flag[0]
            if holds:
                body = branch
                break
        self._run_branch(is_hidden_branch, stmt, body, slots)

    def exec_ForEach(self, stmt: core.ForEach, slots: Slots) -> None:
        """Run a loop. A hidden list or condition makes its items, and all that follows in the loop, depend on hidden
        values.
        """
        with self._running_loop(stmt, slots):
            with self._tracking_reads() as hidden_flag:
                items = self.evaluate(stmt.source, slots)
            self.is_branch_hidden |= hidden_flag[0]
            for item in items:
                self._set_local(slots, stmt.slot, item, hidden_flag[0])
                with self._tracking_reads() as condition_flag:
                    holds = self.holds(stmt.condition, slots)
                self.is_branch_hidden |= condition_flag[0]
                if holds and not self.run_pass(stmt, slots):
                    return

    def exec_Repeat(self, stmt: core.Repeat, slots: Slots) -> None:
        with self._running_loop(stmt, slots):
            super().exec_Repeat(stmt, slots)

    def run_pass(self, loop: core.ForEach | core.Repeat, slots: Slots) -> bool:
        # The condition of the loop may have read a hidden value.
        self.is_branch_hidden |= self.reads_hidden
        return super().run_pass(loop, slots)

    def exec_Ask(self, stmt: core.Ask, slots: Slots) -> None:
        """Run a choice, and the body of the chosen alternative or ``otherwise``.

        A variable is hidden if the seat does not learn its value. The body is hidden if there are several alternatives
        and the seat learns nothing of the answer. ``otherwise`` is hidden if the choice reveals something by having no
        option. Until the last answer to replay, this is only noted. ``slots.hidden_slots`` gets the slots of hidden
        variables, and after a hidden block those of all locals that any alternative or ``otherwise`` sets.
        ``is_branch_hidden`` is True while a hidden block runs, and stays so as in :meth:`exec_If` if any of them
        contains a ``stop``. From that answer on, a hidden variable is Unknown, a hidden body raises HiddenValue instead
        of running, and ``otherwise`` is never hidden. Without an answer to replay, take a single option, and raise
        DecisionPending if there are several. HiddenValue is raised if the seat can't know the values of that option,
        and at the last answer to replay if ``is_branch_hidden`` is True.
        """
        chooser = self.require(stmt.chooser, slots)
        answer = self.answer(stmt, slots)
        if answer is None:
            is_secret = not self.is_live and stmt.site in get_knowledge(self.program).revealing_sites
            return self._run_branch(is_secret, stmt, stmt.otherwise, slots)
        number, values, _ = answer
        alternative = stmt.alternatives[number]
        known_values = self._find_learned_values(chooser, stmt.site, number, values)
        is_secret = known_values is None
        for position, (variable, value) in enumerate(zip(alternative.vars, values, strict=True)):
            self._set_local(slots, variable.slot, value, known_values is None or known_values[position] == HIDDEN)
        return self._run_branch(is_secret and len(stmt.alternatives) > 1, stmt, alternative.body, slots)

    def exec_AskMany(self, stmt: core.AskMany, slots: Slots) -> None:
        """Run a choice of several items, pick by pick, and set its local to the tuple of the items in the order of the
        picks. Nothing is logged.

        The tuple is hidden if the seat does not learn every pick. A hidden "done" doesn't hide it. If ``is_live`` is
        true at the end, a hidden tuple is replaced by Unknown, and ``slots.hidden_slots`` stays as it is. If
        ``is_live`` is false, the local holds the tuple, even a hidden one. Then its slot is added to
        ``slots.hidden_slots`` if the tuple is hidden or ``is_branch_hidden`` is true. If neither is the case, the slot
        is removed from there. Raises DecisionPending and HiddenValue as :meth:`answer` does.
        """
        chooser = self.require(stmt.chooser, slots)
        items, _, _ = find_candidates(self, stmt, list(slots))
        picks: tuple[int, ...] = ()
        is_hidden = False
        while answer := self.answer(stmt, slots, picks, len(items)):
            number, numbers, _ = answer
            values = tuple([items[index] for index in numbers])
            known_values = self._find_learned_values(chooser, stmt.site, number, values)
            is_hidden |= number == 0 if known_values is None else HIDDEN in known_values
            if number == 1:
                break
            picks = (*picks, *numbers)
        self._set_local(slots, stmt.slot, tuple([items[index] for index in picks]), is_hidden)

    def _find_learned_values(
        self, chooser: int, site: int, alternative: int, values: tuple[Value, ...]
    ) -> tuple[Value, ...] | None:
        """Return the values of an answer as the seat knows them, or None if it doesn't learn of the answer.

        A seat knows its own answers, except components that it can't see.
        """
        if chooser == self.seat:
            unseen = get_knowledge(self.program).unseen_variables[site]
            return tuple(
                [
                    HIDDEN if (alternative, index) in unseen and self._is_out_of_sight(value) else value
                    for index, value in enumerate(values)
                ]
            )
        event = redact(choice_made(chooser, site, alternative, values, False), self.seat, self)
        return event.values if isinstance(event, ChoiceMade) else None

    def _is_out_of_sight(self, value: Value) -> bool:
        """Return whether a component, or one of a list of components, is where the seat can't see it."""
        if value is None or isinstance(value, tuple):
            return any(map(self._is_out_of_sight, value or ()))
        if isinstance(value, Unknown):
            return True
        zone_number = self.cells[self.layout.location + value]
        if self.is_live or zone_number is None:
            return isinstance(zone_number, Unknown)
        return not self._is_visible(*self.layout.get_zone(zone_number))

    def exec_Random(self, stmt: core.Random, slots: Slots) -> None:
        """Run a random draw, or on the seat's view (``is_live``) what is certain without drawing.

        On the full position, first add ``stmt.slot`` to ``slots.hidden_slots`` unless the seat learns the result. Then
        draw, log and run a block as usual. ``is_branch_hidden`` is true meanwhile if the list of items or the condition
        reads something hidden. If it was true meanwhile, all slots that ``stmt`` and its blocks set are in
        ``slots.hidden_slots`` afterwards, even if the seat learns the result.

        On the seat's view, nothing is drawn or logged. Only items for which the condition holds count. A single one
        runs the body with this item in ``stmt.slot``. Without items the slot gets None, and the ``otherwise`` block
        runs. Raise HiddenValue for several items.
        """
        with self._tracking_reads() as hidden_flag:
            items = tuple(self.filter(stmt.slot, stmt.domain, stmt.condition, slots))
        if self.is_live:
            if len(items) > 1:
                raise HiddenValue
            slots[stmt.slot] = items[0] if items else None
            self.run_block(stmt.body if items else stmt.otherwise, slots)
            return
        with self._running_loop(stmt, slots):
            self.is_branch_hidden |= hidden_flag[0]
            if isinstance(slots, _Locals) and not self.find_seats_of_chance(stmt, slots) >> self.seat & 1:
                slots.hidden_slots.add(stmt.slot)
            super().exec_Random(stmt, slots)

    def exec_Shuffle(self, stmt: core.Shuffle, slots: Slots) -> None:
        """Shuffle a zone as :meth:`Execution.exec_Shuffle` does. While ``is_live`` is true, change and log nothing.

        While ``is_live`` is false, also set ``reads_hidden`` if the seat can't see the zone, or if an index reads
        something hidden. While it is true, raise HiddenValue if the zone has more than one component, or if an index is
        unknown. Raise RulesetFault in both cases if an index is ``none`` or out of range.
        """
        if not self.is_live:
            return super().exec_Shuffle(stmt, slots)
        number, _ = self.evaluate_place(self.layout.zones[stmt.zone], stmt.indices, slots, stmt.span)
        if len(self.zones[number]) > 1:
            raise HiddenValue
        return None

    def exec_DoByCard(self, stmt: core.DoByCard, slots: Slots) -> None:
        with self._tracking_reads() as hidden_flag:
            card = self.find_original(stmt.card, slots)
        self._run_branch(hidden_flag[0], stmt, dict(stmt.cases).get(card, stmt.otherwise), slots)

    def exec_CallEffect(self, stmt: core.CallEffect, slots: Slots) -> None:
        """Run an effect with its rules. A parameter whose argument reads a hidden value is in their ``hidden_slots``.

        The first ``instead`` rule with a true condition replaces the body. All ``when`` rules with a true condition
        follow.

        If a condition depends on hidden values, ``is_branch_hidden`` is True for the body of its rule. For an
        ``instead`` rule, even with a false condition, this lasts for the later ``instead`` rules and the body of the
        effect, too. Afterwards ``is_branch_hidden`` is as before. Locals that are set meanwhile are added to
        ``hidden_slots``; cells are not marked. HiddenValue is raised if the last replayed answer is given meanwhile.
        With ``is_live``, such a condition raises it, too.
        """
        effect = self.program.effects[stmt.effect]
        self.charges.charge_effect(effect)
        args, hidden_slots = [], set[int]()
        for number, arg in enumerate(stmt.args):
            with self._tracking_reads() as hidden_flag:
                args.append(self.evaluate(arg, slots))
            if hidden_flag[0]:
                hidden_slots.add(number)
        self.trail.append(effect.name)
        was_hidden = self.is_branch_hidden
        try:
            if not any(self._run_rule(rule, args, hidden_slots) for rule in effect.instead):
                self.run_block(effect.body, self._start_routine(args, hidden_slots, effect.n_slots))
                self.routines.pop()
            self.is_branch_hidden = was_hidden
            for rule in effect.when:
                self._run_rule(rule, args, hidden_slots)
                self.is_branch_hidden = was_hidden
        finally:
            self.is_branch_hidden = was_hidden
        self.trail.pop()

    def _run_rule(self, rule: core.Rule, args: list[Value], hidden_slots: set[int]) -> bool:
        """Run a rule if its condition holds, and return whether it did. The rest may then depend on a hidden value."""
        slots = self._start_routine(args, hidden_slots, rule.n_slots)
        with self._tracking_reads() as hidden_flag:
            holds = self.holds(rule.condition, slots)
        if self.is_live and hidden_flag[0]:
            raise HiddenValue
        self.is_branch_hidden |= hidden_flag[0]
        if holds:
            self.run_block(rule.body, slots)
        self.routines.pop()
        return holds

    def exec_Announce(self, stmt: core.Announce, slots: Slots) -> None:
        """Compute the text only where the seat hears it. Raise HiddenValue if it shows a value that the seat does not
        know.
        """
        recipients = None if stmt.to is None or not self.is_live else self.evaluate(stmt.to, slots)
        if self.is_live and (recipients is None or self.seat in recipients):
            self.fill(stmt.text, slots)

    def exec_EndGame(self, stmt: core.EndGame, slots: Slots) -> None:
        self.finish(None if stmt.reason is None else self.fill(stmt.reason, slots))
        raise GameOver
