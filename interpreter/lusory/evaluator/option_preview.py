"""Predict the certain consequences of an option, as far as a seat can know them.

The evaluator executes the statements after the option on the view of the seat. It ends at chance, at a further choice,
and at anything that the seat may not know. The prediction therefore depends on nothing hidden. Its events are the first
events of the log after the option is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import SPLITS
from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.types.types import INT, Type

from ..state.decisions_outcomes_and_faults import Option, RulesetFault
from ..state.events_redaction_and_text import Event, announced
from ..state.flattened_phases import Block, Flow
from ..state.setting_value_limits_builtins_and_names import HIDDEN, Value
from ..state.state import State
from ..view.redacted_state import UNKNOWN, HiddenValue, RedactedState, Unknown
from ..view.seat_view import SeatReader
from .expressions import Reader, Slots, pad_slots
from .statements_options_and_resumption import Answer, DecisionPending, Execution, GameOver, LoopStopped

MAX_WORK = 300_000
"""Limit of the work, and of the visited items, for one prediction.

See :mod:`lusory.state.static_work_charges_and_list_bounds`.
"""
MAX_TOTAL_WORK = 2_000_000
"""Limit of the work for all options of a choice together. Each option gets an equal share."""


class NextQuestion(NamedTuple):
    """Name the seat that a choice after an option asks, and its prompt. The prompt is "" if it may contain a secret."""

    seat: int
    prompt: str


class Prediction(NamedTuple):
    """Hold the certain consequences of an option.

    Attributes:
        events: The events that are certain to happen.
        is_complete: Whether the events are complete until the routine that asked ends or repeats its loop. It is False
            if chance, a choice, a secret or the limit of work ended the prediction.
        next_question: The choice that ended the prediction, or None if something else did.
        result: Reads the position after the events as the seat knows it, or None if nothing was predicted. It raises
            HiddenValue for what the seat may not know.
    """

    events: tuple[Event, ...]
    is_complete: bool
    next_question: NextQuestion | None = None
    result: Reader | None = None


def predict_option(
    redacted_state: RedactedState, ask: core.Ask, option: Option, slots: Sequence[Value], option_count: int
) -> Prediction:
    """Predict the certain consequences of an option: its events, and the choice that comes next. No state changes.

    The prediction ends with the routine that asks or with the game, or where the routine repeats its loop. If a choice
    of several options, chance, a secret, a fault or the limit of work ends it earlier, ``is_complete`` is False. A
    later choice with one option is a forced ``ChoiceMade`` among the events. If a choice ends the prediction,
    ``next_question`` has its seat and prompt; else it is None. The ``ChoiceMade`` of ``option`` is not among the
    events. ``result`` reads the position after them.

    Args:
        redacted_state: The position as the seat sees it.
        ask: The choice. If the seat may not know which choice it is, returns ``Prediction((), False)``.
        option: The option of the choice. A value ``?`` is unknown.
        slots: The local values of the asking routine that the seat knows, by slot; None where it doesn't.
        option_count: The number of options, which share the limit of work.
    """
    if ask.site in get_knowledge(redacted_state.setting.program).unclear_sites:
        return Prediction((), False)
    log: list[Event] = []
    routine = _find_routine(redacted_state.setting.program, ask.site)
    # An engine may drop locals while it waits, which leaves None in their slots.
    locals_known = [UNKNOWN if value is None else value for value in pad_slots(slots, routine.n_slots)]
    alternative = ask.alternatives[option.alternative]
    for variable, value in zip(alternative.vars, option.values, strict=True):
        locals_known[variable.slot] = Unknown() if value == HIDDEN else value
    run = _PredictionRun(redacted_state, log, min(MAX_WORK, MAX_TOTAL_WORK // max(option_count, 1)))
    if routine.split is not None and locals_known[routine.split.slot] == 0:
        # Nothing has moved since the split began, so what it noted about its items can be computed again.
        new_locals = locals_known[:]
        run._run_blocks((routine.bindings,), new_locals)
        for let in routine.bindings:
            if isinstance(let, core.Let) and locals_known[let.slot] is UNKNOWN:
                locals_known[let.slot] = new_locals[let.slot]
    is_all = run._run_blocks((alternative.body, *routine.following_blocks), locals_known)
    question = run._find_next_question()
    run.reset_work_limit()
    return Prediction(tuple(log), is_all, question, run)


class _Routine(NamedTuple):
    """Describe the code that follows a choice in its routine.

    Attributes:
        following_blocks: The statements after the choice, innermost block first. They end with the pass of the
            innermost loop around it. A choice of the parts of a split goes on with its other parts.
        n_slots: Number of local slots of the routine.
        is_in_loop: Whether a loop other than a split is around the choice, so that nothing after it is certain.
        split: The loop of the split whose parts are chosen, or None.
        bindings: The statements that bind the locals of that split.
    """

    following_blocks: tuple[Block, ...]
    n_slots: int
    is_in_loop: bool = False
    split: core.ForEach | None = None
    bindings: Block = ()


@lru_cache(maxsize=256)
def _find_routine(program: core.Program, site: int) -> _Routine:
    """Return the code that follows the choice at a site. Raise LookupError if no routine contains it."""
    bodies = [(phase.body, phase.n_slots) for phase in core.walk_phases((program.setup, *program.phases))]
    for effect in program.effects.values():
        bodies.append((effect.body, effect.n_slots))
        bodies += [(rule.body, rule.n_slots) for rule in core.get_rules(effect)]
    for body, n_slots in bodies:
        routine = _find_following(body, site, n_slots)
        if routine is not None:
            return routine
    raise LookupError(f"no routine asks at {site}")


def _find_following(block: Block, site: int, n_slots: int) -> _Routine | None:
    """Return the code that follows a site in a block, or None if the block doesn't contain the site."""
    for number, stmt in enumerate(block):
        later_stmts = block[number + 1 :]
        if isinstance(stmt, core.Ask) and stmt.site == site:
            return _Routine((later_stmts,), n_slots)
        for inner_block in core.get_blocks(stmt):
            routine = _find_following(inner_block, site, n_slots)
            if routine is None:
                continue
            if isinstance(stmt, core.ForEach) and stmt.origin.generator == SPLITS:
                lets = (earlier_stmt for earlier_stmt in block[:number] if isinstance(earlier_stmt, core.Let))
                bindings = tuple(let for let in lets if let.origin.generator == SPLITS)
                routine = routine._replace(split=stmt, bindings=bindings)
                later_stmts = (_make_later_loop(stmt), *later_stmts)
            elif isinstance(stmt, core.ForEach | core.Repeat):
                routine = routine._replace(is_in_loop=True)
            if routine.is_in_loop:
                return routine
            return routine._replace(following_blocks=(*routine.following_blocks, later_stmts))
    return None


def _make_later_loop(split: core.ForEach) -> core.ForEach:
    """Return the loop of a split from the place after the current one on."""
    assert isinstance(split.source, core.Range), "a split goes over the places of its items"
    increment = core.Const(INT, split.span, 1)
    next_place = core.Binary(INT, split.span, "+", core.Local(INT, split.span, split.slot, split.name), increment)
    return replace(split, source=replace(split.source, low=next_place))


class _PredictionRun(SeatReader, Execution):
    """Execute statements on the view of a seat. Reading a value that the seat can't see raises HiddenValue."""

    # Unlike a seat's reader, refuse to show text that contains hidden values.
    format_value = Reader.format_value

    def __init__(self, redacted_state: RedactedState, log: list[Event], work: int) -> None:
        layout = redacted_state.setting.layout
        # The seat knows neither the repeat counters of phases nor the random streams.
        cells: list[Any] = [*redacted_state.cells, *[UNKNOWN] * (layout.size - len(redacted_state.cells))]
        cells[layout.work] = cells[layout.over] = 0
        self.redacted_state, self.work, self.is_prompting = redacted_state, work, False
        self.pending: DecisionPending | None = None
        position = State(cells, [zone[:] for zone in redacted_state.zones], [])
        Execution.__init__(self, redacted_state.setting, Flow((), {}), position, log, None)

    def label(self, value: Value, type: Type) -> str:
        """Return a value as players read it. Raise HiddenValue if it is unknown, or a list with an unknown item.

        With :attr:`is_prompting`, an unknown value is ``?`` instead, and a list with an unknown item has a ``?`` for
        each item: ``(3, UNKNOWN)`` gives ``?, ?``. ``none`` and an empty list are :attr:`none_text`.
        """
        items = value if isinstance(value, tuple) else (value,)
        if not self.is_prompting and any(isinstance(item, Unknown) for item in items):
            raise HiddenValue
        return super().label(value, type)

    def reset_work_limit(self) -> None:
        """Set the small limit of work of a prediction."""
        self.work_limit = self.visits = self.work

    def _run_blocks(self, blocks: Sequence[Block], slots: Slots) -> bool:
        """Execute blocks as far as possible. Return whether the execution completed.

        It is incomplete if it met a choice, chance, a hidden value or a fault. The end of the game or a ``stop``
        completes it.
        """
        try:
            for block in blocks:
                self.run_block(block, slots)
        except DecisionPending as pending:
            self.pending = pending
            return False
        except (HiddenValue, RulesetFault):
            return False
        except (GameOver, LoopStopped):
            pass
        return True

    def _find_next_question(self) -> NextQuestion | None:
        """Return the seat and prompt of the choice at which the execution ended, or None if it ended elsewhere.

        An unknown component in the prompt is ``?``. The prompt is "" if it shows another hidden value, or if the rules
        fail in it.
        """
        if self.pending is None:
            return None
        decision = self.pending.decision
        self.is_prompting = True
        try:
            prompt = self.fill(self.setting.sites[decision.site].prompt, self.pending.slots)
        except (HiddenValue, RulesetFault):
            prompt = ""
        self.is_prompting = False
        return NextQuestion(decision.seat, prompt)

    def eval_Local(self, expr: core.Local, slots: Slots) -> Value:
        """Return the value of a local. If ``slots`` holds an Unevaluated, replace it there with its value first.

        Raise HiddenValue for the object UNKNOWN, such as for a local that the engine dropped when it waits at a choice.
        Any other :class:`Unknown`, such as a hidden value of the option, is returned.
        """
        value = super().eval_Local(expr, slots)
        if value is UNKNOWN:
            raise HiddenValue
        return value

    def answer(
        self, ask: core.Ask | core.AskMany, slots: Slots, picks: tuple[int, ...] = (), n: int = 0
    ) -> Answer | None:
        """Return the only possible answer, or None if there is no option. Append either to ``new_answers``.

        An answer is (number of the alternative, values, False). False says that no player gave the answer. In a choice
        of several, ``picks`` has the numbers of the candidates picked so far, from 0, and ``n`` is the number of all
        candidates. There, a pick is ``(0, (number of the candidate,), False)``, and “done” is ``(1, (), False)``. Raise
        DecisionPending if there are several options, and HiddenValue, after appending, if the seat can't know the
        values.
        """
        answer = super().answer(ask, slots, picks, n)
        if answer is not None and any(isinstance(value, Unknown) for value in answer[1]):
            raise HiddenValue
        return answer

    def exec_Announce(self, stmt: core.Announce, slots: Slots) -> None:
        """Log one announcement as an ``Announced`` event, as far as ``redacted_state.seat`` hears it.

        If every seat may know all values in the text, the event has the bits of all recipients in ``seats``. It is
        logged even if this seat is none of them. Otherwise the statement is in ``text_levels`` of the knowledge, even
        if its only recipient may know all: ``announce "{me.gold}" to [me]`` with ``visible: owner``. Then ``seats`` has
        only the bit of this seat, and nothing is logged if this seat is no recipient. Raise HiddenValue if the
        recipients, or the text of the event, depend on something that the seat can't know.
        """
        seat = self.redacted_state.seat
        assert seat is not None, "somebody chooses"
        if stmt in get_knowledge(self.program).text_levels:
            if stmt.to is None or seat in self.evaluate(stmt.to, slots):
                self.tell(announced(self.fill(stmt.text, slots), 1 << seat))
            return
        super().exec_Announce(stmt, slots)

    def exec_EndGame(self, stmt: core.EndGame, slots: Slots) -> None:
        """Raise HiddenValue if the end reason tells some seats more than others."""
        if stmt in get_knowledge(self.program).text_levels:
            raise HiddenValue
        super().exec_EndGame(stmt, slots)
