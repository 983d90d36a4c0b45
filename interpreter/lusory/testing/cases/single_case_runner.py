"""Play one case: set up its position, dictate chance, run its steps and evaluate its checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.generated_part_origins import AT_ONCE
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic
from lusory_dsl.source.source import Span
from lusory_dsl.source.spelling_suggestions import suggest_name

from ...evaluator.statements_options_and_resumption import Answer as Given, Evaluator, Execution, offer
from ...game import ENGINES, Game
from ...state import random_streams
from ...state.decisions_outcomes_and_faults import Reason, RulesetFault
from ...state.events_redaction_and_text import ChoiceMade, Event, game_ended, phase_began
from ...state.flattened_phases import Block, iterate_program_statements
from ...state.setting_value_limits_builtins_and_names import (
    Draw,
    ForcedChance,
    Observer,
    Setting,
    format_name,
    unwrap_list_type,
)
from ...state.state import State
from ...state.state_layout import StateLayout
from ..engine_comparison import Difference, Logs, Side, compare_sides, describe_log, format_side_by_side
from .case_model import Answer, Case, CaseBlock, DictatedResult, Failure, Step, Until
from .expectations import (
    CheckedPosition,
    create_failure,
    evaluate_formula,
    explain_false,
    find_wrong_seat,
    format_choice,
)
from .position_setup import ImpossiblePlacing, find_imbalance, place_contents

MAX_NAMED_VALUES = 12  # maximum number of values of a draw in a message


class DictatedChance(ForcedChance):
    """Source of chance of one case. Named results wait for draws of that name; others are used in order.

    ``first_misfit`` holds the first result that its draw cannot have, with the draw and its values. Play then continues
    with real chance, so that all engines reach the same decision before the case fails.
    """

    def __init__(self, setting: Setting, case: Case) -> None:
        super().__init__(list(case.dice), list(case.picks), list(case.shuffles))
        self.setting = setting
        self.case = case
        self.first_misfit: tuple[DictatedResult, Draw, tuple[Any, ...]] | None = None

    def copy(self) -> DictatedChance:
        """Return a copy with the same ``setting``, ``case`` and ``first_misfit``, and lists of its own.

        These lists are ``dice``, ``picks`` and ``shuffles`` with what is left of them. Taking a result from one of the
        two objects leaves the other unchanged.
        """
        copy = DictatedChance(self.setting, self.case)
        copy.dice, copy.picks, copy.shuffles = self.dice[:], self.picks[:], self.shuffles[:]
        copy.first_misfit = self.first_misfit
        return copy

    def take_draw(self, draw: Draw, items: Sequence[Any]) -> tuple[Any] | None:
        """Remove the next result for this draw, and return its value: ``(4,)``. Returns None if chance must decide.

        The result comes from ``dice`` for the stream ``dice``, and from ``picks`` for any other. It has the ``name`` of
        a draw, or None for any, and ``values``, such as ``{"Int": 4}``: ``draw.type`` -> value. One with another name
        is passed over. One without a value of this type that is among ``items`` is removed, too, and chance decides.
        ``first_misfit`` keeps the first of these as ``(result, draw, tuple(items))``.
        """
        queue = self.select_queue(draw.stream)
        result = next((result for result in queue if result.name in (None, draw.name)), None)
        if result is None:
            return None
        queue.remove(result)
        if draw.type in result.values and result.values[draw.type] in items:
            return (result.values[draw.type],)
        self.first_misfit = self.first_misfit or (result, draw, tuple(items))
        return None

    def _diagnose_refusal(self) -> Diagnostic | None:
        """Return a diagnostic about the first refused result, at that result, or None.

        Example: “`7` isn't a possible result of `n`: the results are 1..6”. A note shows where the draw stands if it is
        in one place only.
        """
        if self.first_misfit is None:
            return None
        result, draw, items = self.first_misfit
        statements = [
            stmt
            for stmt in iterate_program_statements(self.setting.program)
            if isinstance(stmt, core.Random)
            and Draw(stmt.stream, stmt.name, str(unwrap_list_type(stmt.domain.type))) == draw
        ]
        if draw.type == "Int" and len(items) > 2 and list(items) == list(range(items[0], items[-1] + 1)):
            values = f"{items[0]}..{items[-1]}"
        else:
            # the draw of a `run` block has no statement in the program
            type = unwrap_list_type(statements[0].domain.type) if statements else None
            names = [str(item) if type is None else format_name(self.setting, item, type) for item in items]
            surplus = len(names) - MAX_NAMED_VALUES
            values = ", ".join(names[:MAX_NAMED_VALUES]) + (f" and {surplus} more" if surplus > 0 else "")
        message = f"`{result.text}` isn't a possible result of `{draw.name}`: the results are {values}"
        hint = None
        if result.name is None:
            key = "dice" if draw.stream == "dice" else "picks"
            hint = f"write `{key}: {{{draw.name}: …}}` to dictate only the results of `{draw.name}`"
        notes = ((statements[0].span, "drawn here"),) if len(statements) == 1 else ()
        return Diagnostic(diagnostic_codes.WRONG_CHANCE, message, result.span, hint, notes)

    def _diagnose_leftovers(self) -> Diagnostic | None:
        """Return a diagnostic about the results and shuffles that are left over, or None.

        Its message ends with the results of ``dice`` and ``picks``, then the number of shuffles: “… `3`, `imp`, 1 of
        `shuffles` left over”. It is at the first result that is left over, or at the dictated chance of the case if
        only shuffles are.
        """
        results = [*self.dice, *self.picks]
        remaining = [f"`{result.text}`" for result in results]
        if self.shuffles:
            remaining.append(f"{len(self.shuffles)} of `shuffles`")
        if not remaining:
            return None
        message = f"the game did not use all results that the case gives: {', '.join(remaining)} left over"
        span = results[0].span if results else self.case.chance_span
        return Diagnostic(diagnostic_codes.WRONG_CHANCE, message, span)


RUN_PHASE = "run"
"""Name of the only phase of a game that plays one block."""


class _BlockDone(Exception):
    """Signal: the block of the decision is done."""


class _SingleDecisionExecution(Execution):
    """Execution that stops after the block of a decision.

    If the decision has no block, it stops after the rest of the enclosing block. It also stops before any further
    choice, even a forced one.
    """

    depth = 0
    ends_at: int | None = None  # depth of the block after which to stop

    def run_from(self, number: int) -> State:
        try:
            return super().run_from(number)
        except _BlockDone:
            return State(self.cells, self.zones, [])

    def run_block(self, statements: Block, slots: list[Any]) -> None:
        self.depth += 1
        try:
            super().run_block(statements, slots)
        except RulesetFault:
            self.ends_at = None
            raise
        finally:
            self.depth -= 1
            if self.ends_at == self.depth + 1:
                raise _BlockDone

    def answer(
        self, ask: core.Ask | core.AskMany, slots: list[Any], picked: tuple[int, ...] = (), n: int = 0
    ) -> Given | None:
        if not self.answers and (not picked or len(offer(self, ask, list(slots), picked)) > 1):
            raise _BlockDone
        answer = super().answer(ask, slots, picked, n)
        if not self.answers and self.ends_at is None:
            has_block = isinstance(ask, core.Ask) and answer is not None and bool(ask.alternatives[answer[0]].body)
            self.ends_at = self.depth + has_block
        return answer


@lru_cache(maxsize=16)
def _create_evaluator(setting: Setting) -> Evaluator:
    return Evaluator(setting, _SingleDecisionExecution)


# ---------------------------------------------------------------- running one block


@lru_cache(maxsize=64)
def _create_block_program(program: core.Program, routine: CaseBlock) -> core.Program:
    """Return a program whose game consists of one block."""
    phase = core.Phase(RUN_PHASE, None, routine.n_slots, None, None, 1, routine.body, (), routine.span)
    return replace(program, setup=replace(program.setup, body=(), n_slots=0), phases=(phase,))


def _transfer_position(state: State, old_layout: StateLayout, target: State, new_layout: StateLayout) -> State:
    """Return a position of one game as one of another game with the same places.

    It copies places, zones and random streams. ``target`` provides everything else.
    """
    cells, shared_size = target.cells[:], min(old_layout.repeats_begin, new_layout.repeats_begin)
    cells[:shared_size] = state.cells[:shared_size]
    for stream in new_layout.streams.keys() & old_layout.streams.keys():
        cells[new_layout.streams[stream]] = state.cells[old_layout.streams[stream]]
    return State(cells, [zone[:] for zone in state.zones], [])


def _create_empty_position(layout: StateLayout, seed: int) -> State:
    """Return a position with empty zones, 0 everywhere else, and unused random streams from ``seed``."""
    cells: list[Any] = [0] * layout.size
    for stream, cell in layout.streams.items():
        cells[cell] = random_streams.seed_stream(seed, stream)
    cells[layout.reason] = None
    return State(cells, [[] for _ in range(layout.zone_count)], [])


# ---------------------------------------------------------------- picking several items


def _split_picks(game: Game, state: State, text: str) -> list[str]:
    """Split an answer with several names, such as `estate copper`, into single picks.

    They are in the order of the candidates, or as written if the order matters to the game. `done` ends them if more
    picks would be possible. Returns an empty list for a single name, an unknown or repeated one, or without a decision.
    """
    decision = game.decision(state)
    ids, max_picks = game.list_candidates(state)
    names = text.split()
    if decision is None or len(names) < 2 or not set(names) <= set(ids) or len(set(names)) < len(names):
        return []
    if game.takes_in_order(decision):
        return [*names, "done"] if len(names) < max_picks else names
    names.sort(key=ids.index)
    return [*names, "done"] if len(names) < max_picks and names[-1] != ids[-1] else names


ORACLE, COMPARED_ENGINE = ENGINES
BOTH = "both"
"""Value for an engine: play on both engines and report differences as failures."""
BUG_HINT = "this is a bug in lusory, not in your rules: please report it with the rules"
MAX_CHOICES = 100_000  # maximum number of choices of one `play_until`
MAX_POSITION_LINES, MAX_LINE_LENGTH = 40, 160  # maximum number and length of lines of the position at a fault
EMPTY_VALUES = (" = none", " = 0", " = false", " = []", " = ")


class _CaseEnded(Exception):
    """Signal: the case cannot continue. The failure is already recorded."""


def play_case(case: Case, program: core.Program, engine: str, observer: Observer | None = None) -> tuple[Failure, ...]:
    """Play a case and return its failures, empty if it passes. The case must have no errors.

    ``engine`` is one of the engines, or :data:`BOTH`. An ``observer`` watches the evaluator; the compiled engine alone
    raises ValueError. The evaluator alone can stop between two decisions, so a case that does so is never played
    without it.
    """
    compares = engine == BOTH or (engine != ORACLE and case.stops_between_decisions)
    return CaseRun(case, program, ORACLE if compares else engine, observer, compares).play()


def create_difference_failure(span: Span, difference: Difference, logs: Logs = ((), ())) -> Failure:
    """Return a failure whose ``diagnostic`` is at ``span`` and has the message ``the engines differ: SUBJECT``.

    ``difference`` is (SUBJECT, values), with the values of evaluator and compiled engine: ``("round", ("3", "4"))``.
    They are aligned in its ``details``: ``("evaluator: 3", "compiled:  4")``. Unless both ``logs`` are empty, the line
    ``what happened on each:`` follows, and the lines of :func:`format_side_by_side`.
    """
    subject, values = difference
    width = max(map(len, ENGINES)) + 1
    details = [f"{f'{engine}:':<{width}} {value}" for engine, value in zip(ENGINES, values, strict=True)]
    details += ["what happened on each:", *format_side_by_side(*logs)] if any(logs) else []
    message = f"the engines differ: {subject}"
    return Failure(Diagnostic(diagnostic_codes.ENGINES_DIFFER, message, span, BUG_HINT), tuple(details))


def create_crash_failure(span: Span, error: Exception) -> Failure:
    """Return a failure at ``span`` for an exception, such as ``the compiled engine fails: ValueError: TEXT``."""
    message = f"the {COMPARED_ENGINE} engine fails: {type(error).__name__}: {error}"
    return Failure(Diagnostic(diagnostic_codes.ENGINES_DIFFER, message, span, BUG_HINT))


@lru_cache(maxsize=64)
def _create_game(
    program: core.Program,
    player_count: int | None,
    options: tuple[tuple[str, Any], ...],
    engine: str,
    observer: Observer | None,
) -> Game:
    """Return the game of a case.

    Cases with the same settings share it, and all games of a program share generated code.
    """
    return Game(program, player_count, dict(options), engine, _create_code_store(program), observer)


class MemoryCodeStore(dict[str, Any]):
    """Store of generated code for the life of the process."""

    load_code = dict.get

    def store_code(self, key: str, value: Any) -> None:
        self[key] = value


@lru_cache(maxsize=4)
def _create_code_store(program: core.Program) -> MemoryCodeStore:
    return MemoryCodeStore()


@lru_cache(maxsize=8)
def _create_setup_program(program: core.Program) -> core.Program:
    """Return a program whose games end after the setup."""
    return replace(program, phases=())


TakeStep = Callable[[Side, DictatedChance], State]
"""Function that takes a step of a game: it adds the events to the log of the side, and returns the new state."""


class PendingDecision(NamedTuple):
    """Decision that the evaluator has played in part, and that has not been applied yet.

    ``checked_events`` counts its events so far, and ``chance`` is the dictated chance that they have left.
    """

    state: State
    option: int
    checked_events: int
    chance: DictatedChance


class CaseRun:
    """Execution of one case. With ``compares``, the compiled engine takes each step of the whole game, too.

    Attributes:
        compared: The compiled engine, until it differs for the first time.
        difference: The failure that it differs.
        pending_decision: The decision of a step that stops in the middle. The next step applies it.
        phase_start: A position before the start of a phase.
    """

    def __init__(
        self, case: Case, program: core.Program, engine: str, observer: Observer | None = None, compares: bool = False
    ) -> None:
        self.case = case
        self.program = program
        self.engine, self.observer = engine, observer
        self.game = self.full_game = self.create_game(program)
        options = tuple(case.options.items())
        self.compared: Side | None = None
        if compares:
            self.compared = Side(_create_game(program, case.players, options, COMPARED_ENGINE, None))
        self.difference: Failure | None = None
        self.chance = DictatedChance(self.full_game.setting, case)
        self.log: list[Event] = []
        self.failures: list[Failure] = []
        self.broken_invariants: set[str] = set()
        self.span = case.span  # span of the current action
        self.state = State([], [], [])
        self.phase_start: State | None = None
        # forced choices since the last decision
        self.forced_since_decision: list[tuple[int, str]] = []
        self.pending_decision: PendingDecision | None = None

    def create_game(self, program: core.Program) -> Game:
        """Return a game of this case. Changed programs always run on the evaluator, which needs no code generation."""
        engine = self.engine if program is self.program else ORACLE
        return _create_game(program, self.case.players, tuple(self.case.options.items()), engine, self.observer)

    @property
    def _checked_position(self) -> CheckedPosition:
        """The position that the checks of a step refer to."""
        return CheckedPosition(self.game, self.state, self.log, self.game.program is not self.program)

    def play(self) -> tuple[Failure, ...]:
        """Play the steps up to the first failed action, fault of the rules, or fault that a step expects in vain.

        A dictated result that its draw cannot have ends the case, too. So does a position of `given` that is impossible
        or breaks an invariant. A failed check does not, nor does an invariant that breaks later, which is one failure
        even if it stays broken. Return all failures in order, ``()`` if the case passes. A fault that its step expects
        ends the case, and adds no failure. If nothing ended the case, all dictated results that the game did not use
        are one failure. The first difference of a compared engine comes last.
        """
        with suppress(_CaseEnded):
            for number, step in enumerate(self.case.steps):
                failure_count = len(self.failures)
                try:
                    self._run_step(step, is_first=number == 0)
                finally:
                    self._add_situation(failure_count)
            chance = self.chance if self.pending_decision is None else self.pending_decision.chance
            leftover = chance._diagnose_leftovers()
            if leftover is not None:
                self.failures.append(Failure(leftover))
        failures = self.failures[:]
        if self.compared is not None:
            # compare the engines after the rest of a decision, too
            with suppress(_CaseEnded, RulesetFault):
                self._complete_pending()
        return (*failures, *([] if self.difference is None else [self.difference]))

    def fail(self, failure: Failure) -> _CaseEnded:
        """Record a failure and return the signal for ``raise self.fail(…)``."""
        self.failures.append(failure)
        return _CaseEnded()

    def _add_situation(self, failure_count: int) -> None:
        """Add the events and the pending decision to the last failure, if there are more than ``failure_count``.

        After a fault of the rules only the events are added. Before the game starts, nothing is.
        """
        if len(self.failures) > failure_count and self.state.cells:
            last_failure = self.failures[-1]
            # after a fault, the decision that led to it is not pending any more
            is_pending = last_failure.diagnostic.code is not diagnostic_codes.RULES_FAULT
            situation = self._checked_position.describe_situation(is_pending)
            self.failures[-1] = replace(last_failure, details=(*last_failure.details, *situation))

    def _run_step(self, step: Step, is_first: bool) -> None:
        """Run the actions of a step, then its checks, whose failures are collected.

        ``is_first`` first starts the game. A fault of the rules, a failed action, or the absence of an expected fault
        ends the case by _CaseEnded. The fault is no failure if the step expects its text, in small or capital letters,
        anywhere in it.
        """
        self.log = []
        try:
            if is_first:
                self.span = self.case.given.span if self.case.given else self.case.span
                self._start(is_position_only=step.run is not None)
            self._run_actions(step)
            if step.fault is not None and self.game is self.full_game:
                self.game.outcome(self.state)  # computes the scoring, which may have the expected fault
            # A check may be the first to compute the scoring, which may fail.
            for check in step.checks:
                self.failures += check(self._checked_position)
        except RulesetFault as fault:
            self._check_chance(self.chance)
            if step.fault is not None and step.fault.text.lower() in fault.message.lower():
                raise _CaseEnded from None
            raise self.fail(self._create_fault_failure(step, fault)) from None
        if step.fault is not None:
            message = f"the rules did not fail, but “{step.fault.text}” was expected"
            raise self.fail(create_failure(diagnostic_codes.RULES_FAULT, message, step.fault.span))

    def _run_actions(self, step: Step) -> None:
        """Run the actions of a step, after the rest of the previous step.

        They are its `run`, or else its answers and then its `play_until`.
        """
        self._complete_pending()
        if step.run is not None:
            self.span = step.run.span
            self._run_block(step.run)
            return
        if self.phase_start is not None and (self.game is self.full_game or self.game.decision(self.state) is None):
            self._start_phase()
        pending = list(step.answers)
        while pending:
            answer = self._find_next_answer(pending)
            pending.remove(answer)
            self.span = answer.span
            if step.stop is not None and not pending:
                self._apply_until_block_ends(answer)
            else:
                self._apply_answer(answer)
        if step.until is not None:
            self.span = step.until.span
            self.play_until(step.until)

    def _find_next_answer(self, answers: Sequence[Answer]) -> Answer:
        """Return the next answer.

        For a simultaneous choice, it is that of the seat being asked, otherwise the first.
        """
        decision = self.game.decision(self.state)
        if decision is None or self.game.setting.sites[decision.site].origin.generator != AT_ONCE:
            return answers[0]
        return next((answer for answer in answers if answer.seat == decision.seat), answers[0])

    def _create_fault_failure(self, step: Step, fault: RulesetFault) -> Failure:
        """Return the failure for an unexpected fault of the rules. Its message starts with `the rules fail:`.

        The span is the place in the case that was being run. The place in the rules is a note, and the details are the
        trail and the position. If the step expected another fault, the message names it.
        """
        details = [f"in {' > '.join(fault.trail)}"] if fault.trail else []
        details += _format_position(fault.position)
        notes = ((fault.span, "here"),) if fault.span is not None else ()
        message = f"the rules fail: {fault.message}"
        if step.fault is not None:
            message += f", not “{step.fault.text}”"
        return Failure(Diagnostic(diagnostic_codes.RULES_FAULT, message, self.span, None, notes), tuple(details))

    # ------------------------------------------------------------ start of the game

    def _start(self, is_position_only: bool) -> None:
        """Play to the first decision. With `given` or ``is_position_only``, only set up the position.

        That position, the one after the setup with the contents of `given`, is kept for :meth:`_start_phase`. If it is
        impossible or breaks an invariant, the case ends with a failure.
        """
        if self.case.given is None and not is_position_only:
            self._take(lambda side, chance: side.game.start(self.case.seed, side.log, chance))
            return
        hint = "`given` changes only the places that it lists: list all places that this invariant reads"
        position = self._play_setup()
        before = position.copy()
        placings = self.case.given.placings if self.case.given else ()
        try:
            place_contents(self.program, self.game.layout, position, placings)
        except ImpossiblePlacing as problem:
            raise self.fail(problem.failure) from None
        imbalance = find_imbalance(self.program, self.game.layout, before, position, placings)
        if imbalance is not None:
            self.span, hint = imbalance
        self._check_invariants(self.game.locate_components(position), "in the given position", hint)
        if self.failures:
            raise _CaseEnded
        self.phase_start = position

    def _start_phase(self) -> None:
        """Start the phase of `given`, or the first phase, from the position that was set up.

        That position must exist, and is used up. Changes that `run` made to it meanwhile are kept.
        """
        assert self.phase_start is not None
        given_phase = None if self.case.given is None else self.case.given.phase
        phase = given_phase or self.program.phases[0].id
        position = self.phase_start
        if self.game is not self.full_game:
            position = _transfer_position(self.state, self.game.layout, position, self.full_game.layout)
        self.game, self.phase_start = self.full_game, None
        self._take(lambda side, chance: side.game.start_at(phase, position, side.log, chance))

    def _run_block(self, routine: CaseBlock) -> None:
        """Play one block on the current position, on the evaluator.

        If the position of `given` is set up but no phase has begun, the block runs on that position. The events of the
        block are appended to the log, without the beginning and end of the phase that holds it. ``game`` is then the
        game of this block. Raises RulesetFault, and _CaseEnded if dictated chance is refused.
        """
        game_before, position = self.game, self.state
        if self.phase_start is not None and game_before is self.full_game:
            position = self.full_game.locate_components(self.phase_start)
        self.game = self.create_game(_create_block_program(self.program, routine))
        layout = self.game.layout
        position = _transfer_position(
            position, game_before.layout, _create_empty_position(layout, self.case.seed), layout
        )
        self._take(lambda side, chance: side.game.start_at(RUN_PHASE, position, side.log, chance))
        self.log = [event for event in self.log if event not in (phase_began(RUN_PHASE), game_ended(None))]

    def _play_setup(self) -> State:
        """Return the position after the setup, before any phase. Choices of the setup take their first option."""
        game = self.create_game(_create_setup_program(self.program))
        state = game.start(self.case.seed, None, self.chance)
        while game.decision(state) is not None:
            state = game.apply(state, 0, None, self.chance)
        self._check_chance(self.chance)
        return _transfer_position(
            state, game.layout, _create_empty_position(self.full_game.layout, self.case.seed), self.full_game.layout
        )

    # ------------------------------------------------------------ play

    def _take(self, take: TakeStep) -> None:
        """Take a step of the game, to its next decision or its end, and check the new state.

        The compared engine takes it, too, unless ``game`` is another game than that of the case. Dictated chance that
        the game refused ends the case; broken invariants become failures. Raises RulesetFault.
        """
        side, chance = Side(self.game, self.state), self.chance.copy()
        side.take(lambda: take(side, self.chance))
        self.log += side.log
        if self.compared is not None and self.game is self.full_game:
            self._compare(side, self.compared, take, chance)
        if side.fault is not None:
            raise side.fault
        self.state = side.state
        self._check_chance(self.chance)
        for event in side.log:
            if isinstance(event, ChoiceMade) and event.is_forced:
                self.forced_since_decision.append((event.seat, format_choice(self.game, event)))
        self._check_invariants(self.state, "after this")

    def _compare(self, side: Side, compared: Side, take: TakeStep, chance: DictatedChance) -> None:
        """Take the step of a side on the compared engine. A difference or a crash ends the comparison.

        Raises RulesetFault for a fault of the scoring.
        """
        try:
            compared.take(lambda: take(compared, chance))
        except Exception as error:
            self.difference = create_crash_failure(self.span, error)
        else:
            difference = compare_sides(side, compared, has_texts=False)
            if difference is not None:
                logs = describe_log(side), describe_log(compared)
                self.difference = create_difference_failure(self.span, difference, logs)
        if self.difference is not None:
            self.compared = None

    def _apply(self, option: int) -> None:
        """Take the option with this index at the pending decision. Raises RulesetFault."""
        self._take(lambda side, chance: side.game.apply(side.state, option, side.log, chance))

    def _check_chance(self, chance: DictatedChance) -> None:
        """End the case if a dictated result was refused."""
        diagnostic = chance._diagnose_refusal()
        if diagnostic is not None:
            raise self.fail(Failure(diagnostic))

    def _check_invariants(self, state: State, occasion: str, hint: str | None = None) -> None:
        """Record a failure for each newly broken invariant. ``occasion`` begins the message."""
        for violation in self.game.broken_invariants(state):
            if violation.id not in self.broken_invariants:
                self.broken_invariants.add(violation.id)
                invariant = violation.invariant
                message = f"{occasion}, the invariant {violation.message}"
                notes = ((invariant.condition.span, invariant.doc or "this must always be true"),)
                diagnostic = Diagnostic(diagnostic_codes.INVARIANT_BROKEN, message, self.span, hint, notes)
                reasons = explain_false(CheckedPosition(self.game, state, []), invariant.condition, violation.slots)
                self.failures.append(Failure(diagnostic, tuple(reasons)))

    def _apply_answer(self, answer: Answer) -> None:
        """Apply an answer to the pending decision. For a choice that the game made itself, only check that it did.

        An answer that names several items picks them one by one. A wrong answer is recorded as a failure, and raises
        _CaseEnded. Raises RulesetFault.
        """
        if answer.is_forced:
            choices = [f"  P{seat + 1}: {option}" for seat, option in self.forced_since_decision]
            if not self._take_forced_choice(answer):
                chooser = "anybody" if answer.seat is None else f"P{answer.seat + 1}"
                message = f"the game did not choose `{answer.option}` for {chooser} by itself"
                details = ["what the game chose by itself:", *choices] if choices else []
                raise self.fail(create_failure(diagnostic_codes.NOT_FORCED, message, answer.span, details))
            return
        option = self._find_option(answer)
        if option is None:
            return
        self.forced_since_decision = []
        self._apply(option)

    def _find_option(self, answer: Answer) -> int | None:
        """Return the index of the option that an answer names, or None if the answer is already done.

        It is done if the game made this choice itself, or if it names several items, which are then picked. A wrong
        seat or an unknown option ends the case with a failure.
        """
        seat_failure = find_wrong_seat(self._checked_position, answer.seat, answer.span)
        options = [] if seat_failure is not None else self._checked_position.options
        if answer.option in options:
            return options.index(answer.option)
        if self._take_forced_choice(answer):
            return None
        if seat_failure is not None:
            raise self.fail(seat_failure)
        picks = _split_picks(self.game, self.state, answer.option)
        if not picks:
            raise self.fail(self._create_option_failure(answer.option, options, answer.span))
        # Pick the items one at a time. Those that the game picks itself are skipped.
        self.forced_since_decision = []
        while picks:
            number, options = len(self.forced_since_decision), self._checked_position.options
            if picks[0] not in options:
                raise self.fail(self._create_option_failure(picks[0], options, answer.span))
            self._apply(options.index(picks.pop(0)))
            for _, option in self.forced_since_decision[number:]:
                if picks and option == picks[0]:
                    picks.pop(0)
        return None

    def _take_forced_choice(self, answer: Answer) -> bool:
        """Return whether the game made this choice itself since the last decision.

        Then forget it and those before it.
        """
        for number, (seat, option) in enumerate(self.forced_since_decision):
            if option == answer.option and answer.seat in (None, seat):
                del self.forced_since_decision[: number + 1]
                return True
        return False

    # ------------------------------------------------------------ stopping between decisions

    def _apply_until_block_ends(self, answer: Answer) -> None:
        """Apply a decision and stop after its block. The next action plays the rest of it.

        The state and the end of the log are then those after the block. A faulty answer or a forced choice ends the
        case. Raises RulesetFault.
        """
        option = None if answer.is_forced else self._find_option(answer)
        if option is None:
            message = "`stop: now` needs a decision, and this is not one"
            raise self.fail(create_failure(diagnostic_codes.NOT_AN_OPTION, message, answer.span))
        log, chance = list[Event](), self.chance.copy()
        state = _create_evaluator(self.game.setting).apply(self.state, option, log, chance)
        self._check_chance(chance)
        self.pending_decision = PendingDecision(self.state, option, len(log), chance)
        self.state = state
        self.log += log
        self._check_invariants(self.state, "after this")

    def _complete_pending(self) -> None:
        """Finish the decision of a step that stopped in the middle. Does nothing if there is none.

        The log then holds only the events after the stop. Raises RulesetFault.
        """
        if self.pending_decision is None:
            return
        (self.state, option, checked_events, _), self.pending_decision = self.pending_decision, None
        self.log, self.forced_since_decision = [], []
        self._apply(option)
        self.log = self.log[checked_events:]

    def _create_option_failure(self, option: str, options: list[str], span: Span) -> Failure:
        reasons = self.game.explain_impossible(self.state, option, sees_all=True)
        message = f"`{option}` is not among the options"
        copies = [option_id for option_id in options if _strip_copy_number(option_id) == _strip_copy_number(option)]
        is_unknown = all(reason.span is None for reason in reasons)
        # A known action was meant, even if the name of another one is similar.
        similar = [option_id for option_id in options if is_unknown or option_id.split(" ")[0] == option.split(" ")[0]]
        hint = f"did you mean `{copies[0]}`?" if copies else suggest_name(option, similar)
        if copies and is_unknown:
            reasons = [Reason("copies of a card are numbered from the second on, and the first one lies elsewhere")]
        return create_failure(diagnostic_codes.NOT_AN_OPTION, message, span, (), hint, reasons)

    def play_until(self, until: Until) -> None:
        """Take the first option of each decision until the condition holds; none if it holds already.

        Without a condition, play to the end of the game. If the game ends first, or goes on for ``MAX_CHOICES``
        decisions, a failure is added to ``failures`` and _CaseEnded is raised.
        """
        for _ in range(MAX_CHOICES):
            if until.formula is not None and evaluate_formula(self._checked_position, until.formula):
                return
            if self.game.decision(self.state) is None:
                break
            self._apply(0)
        if until.formula is not None or self.game.decision(self.state) is not None:
            problem = f"`{until.formula.text}` was never true" if until.formula is not None else "the game never ended"
            raise self.fail(create_failure(diagnostic_codes.NEVER_CAME, f"{problem} at a decision", until.span))


def _format_position(position: str) -> list[str]:
    """Return the lines of the position at a fault.

    A large position gives only its first MAX_POSITION_LINES lines that hold a value.
    """
    lines = position.splitlines()
    if len(lines) > MAX_POSITION_LINES:
        lines = [line for line in lines if not line.endswith(EMPTY_VALUES)]
    surplus = len(lines) - MAX_POSITION_LINES
    texts = [
        f"  {line}" if len(line) <= MAX_LINE_LENGTH else f"  {line[:MAX_LINE_LENGTH]}…"
        for line in lines[:MAX_POSITION_LINES]
    ]
    return [*(["the position:"] if texts else []), *texts, *([f"  … {surplus:,} more lines …"] if surplus > 0 else [])]


def _strip_copy_number(option: str) -> str:
    """Return an option's id without the numbers of copies."""
    return re.sub(r"(?<=\w)-\d+(?= |$)", "", option)
