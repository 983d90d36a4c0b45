"""Play one case: set up its position, dictate chance, run its steps and evaluate its checks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from lusory_dsl import core
from lusory_dsl.core.provenance import AT_ONCE
from lusory_dsl.source import diagnostic_codes
from lusory_dsl.source.diagnostics import Diagnostic, suggest_name
from lusory_dsl.source.source import NOWHERE, Span

from ...evaluator.evaluator import Answer as Given, Evaluator, Execution, offer
from ...game import ENGINES, Game
from ...state import random_streams
from ...state.decision import Option, Reason, RulesetFault
from ...state.event_log import ChoiceMade, Event, Log, game_ended, phase_began
from ...state.phase_operations import Block, all_statements
from ...state.setting import Draw, ForcedChance, Observer, Setting, item_type, name_of
from ...state.state import State, StateLayout
from ...view.table_and_option_text import option_id
from ..differential import Side
from .checks import CheckedPosition, because, failures_of, value_of, wrong_seat
from .model import DOTS, REST, Answer, Case, Failure, Placing, Result, Routine, Step, Until
from .positions import free_card

MOST_NAMED = 12  # maximum number of values of a draw in a message


class Dictated(ForcedChance):
    """Source of chance of one case. Named results wait for draws of that name; others are used in order.

    ``refused`` holds the first result that its draw cannot have, with the draw and its values. Play then continues with
    real chance, so that all engines reach the same decision before the case fails.
    """

    def __init__(self, setting: Setting, case: Case) -> None:
        super().__init__(list(case.dice), list(case.picks), list(case.shuffles))
        self.setting = setting
        self.case = case
        self.refused: tuple[Result, Draw, tuple[Any, ...]] | None = None

    def copy(self) -> Dictated:
        other = Dictated(self.setting, self.case)
        other.dice, other.picks, other.shuffles = self.dice[:], self.picks[:], self.shuffles[:]
        other.refused = self.refused
        return other

    def take_draw(self, draw: Draw, items: Sequence[Any]) -> tuple[Any] | None:
        """Return the next result for this draw, or None if there is none or it is refused."""
        queue = self.select_queue(draw.stream)
        result = next((result for result in queue if result.name in (None, draw.name)), None)
        if result is None:
            return None
        queue.remove(result)
        if draw.type in result.values and result.values[draw.type] in items:
            return (result.values[draw.type],)
        self.refused = self.refused or (result, draw, tuple(items))
        return None

    def wrong(self) -> Diagnostic | None:
        """Return a diagnostic about the refused result, or None."""
        if self.refused is None:
            return None
        result, draw, items = self.refused
        message = (
            f"`{result.text}` isn't a possible result of `{draw.name}`: the results are {self._listed(draw, items)}"
        )
        hint = None
        if result.name is None:
            key = "dice" if draw.stream == "dice" else "picks"
            hint = f"write `{key}: {{{draw.name}: …}}` to dictate only the results of `{draw.name}`"
        notes = tuple((stmt.span, "drawn here") for stmt in self._statements(draw)[:2])
        return Diagnostic(diagnostic_codes.WRONG_CHANCE, message, result.span, hint, notes if len(notes) == 1 else ())

    def left(self) -> Diagnostic | None:
        """Return a diagnostic about unused results, or None."""
        left: list[str] = []
        spans = []
        for key, results in (("dice", self.dice), ("picks", self.picks)):
            for name in dict.fromkeys(result.name for result in results):
                texts = [result.text for result in results if result.name == name]
                left.append(
                    f"{', '.join(f'`{text}`' for text in texts)} of `{key}`" + (f" for `{name}`" if name else "")
                )
            spans += [result.span for result in results]
        if self.shuffles:
            left.append(f"{len(self.shuffles)} of `shuffles`")
        if not left:
            return None
        message = f"the game did not use all results that the case gives: {'; '.join(left)} left over"
        return Diagnostic(diagnostic_codes.WRONG_CHANCE, message, spans[0] if spans else self.case.chance_span)

    def _statements(self, draw: Draw) -> list[core.Random]:
        return [
            stmt
            for stmt in all_statements(self.setting.program)
            if isinstance(stmt, core.Random) and Draw(stmt.stream, stmt.name, str(item_type(stmt.domain.type))) == draw
        ]

    def _listed(self, draw: Draw, items: Sequence[Any]) -> str:
        """Return the values of a draw as an author writes them."""
        type = next((item_type(stmt.domain.type) for stmt in self._statements(draw)), None)
        if draw.type == "Int" and len(items) > 2 and list(items) == list(range(items[0], items[-1] + 1)):
            return f"{items[0]}..{items[-1]}"
        names = [str(item) if type is None else name_of(self.setting, item, type) for item in items]
        more = len(names) - MOST_NAMED
        return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


RUN = "run"
"""Name of the only phase of a game that plays one block."""


class _Halt(Exception):
    """Signal: the block of the decision is done."""


class _OneDecision(Execution):
    """Execution that stops after the block of a decision.

    If the decision has no block, it stops after the rest of the enclosing block. It also stops before any further
    choice, even a forced one.
    """

    depth = 0
    ends_at: int | None = None  # depth of the block after which to stop

    def run_from(self, number: int) -> State:
        try:
            return super().run_from(number)
        except _Halt:
            return State(self.cells, self.zones, [])

    def block(self, statements: Block, slots: list[Any]) -> None:
        self.depth += 1
        try:
            super().block(statements, slots)
        except RulesetFault:
            self.ends_at = None
            raise
        finally:
            self.depth -= 1
            if self.ends_at == self.depth + 1:
                raise _Halt

    def answer(
        self, ask: core.Ask | core.AskMany, slots: list[Any], picked: tuple[int, ...] = (), n: int = 0
    ) -> Given | None:
        if not self.answers and (not picked or len(offer(self, ask, list(slots), picked)) > 1):
            raise _Halt
        found = super().answer(ask, slots, picked, n)
        if not self.answers and self.ends_at is None:
            has_block = isinstance(ask, core.Ask) and found is not None and bool(ask.alternatives[found[0]].body)
            self.ends_at = self.depth + has_block
        return found


@lru_cache(maxsize=16)
def _evaluator(setting: Setting) -> Evaluator:
    return Evaluator(setting, _OneDecision)


def after_decision(game: Game, state: State, option: int, log: Log, forced: ForcedChance) -> State:
    """Return the state after the block of a decision, between two decisions. Requires a game of the evaluator."""
    return _evaluator(game.setting).apply(state, option, log, forced)


# ---------------------------------------------------------------- running one block


@lru_cache(maxsize=64)
def running(program: core.Program, routine: Routine) -> core.Program:
    """Return a program whose game consists of one block."""
    phase = core.Phase(RUN, None, routine.n_slots, None, None, 1, routine.body, (), routine.span)
    return replace(program, setup=replace(program.setup, body=(), n_slots=0), phases=(phase,))


def carried_over(state: State, old: StateLayout, onto: State, new: StateLayout) -> State:
    """Return a position of one game as a position of another game with the same places.

    It copies places and random streams. ``onto`` provides everything else.
    """
    cells, common = onto.cells[:], min(old.repeats_at, new.repeats_at)
    cells[:common] = state.cells[:common]
    for stream in new.streams.keys() & old.streams.keys():
        cells[new.streams[stream]] = state.cells[old.streams[stream]]
    return State(cells, [zone[:] for zone in state.zones], [])


def untouched(layout: StateLayout, seed: int) -> State:
    """Return an empty position with unused random streams."""
    cells: list[Any] = [0] * layout.size
    for stream, cell in layout.streams.items():
        cells[cell] = random_streams.seed_stream(seed, stream)
    cells[layout.reason] = None
    return State(cells, [[] for _ in range(layout.zone_count)], [])


# ---------------------------------------------------------------- picking several items


def picks_of(game: Game, state: State, words: str) -> list[str]:
    """Split an answer with several names, such as `estate copper`, into single picks, with `done` at the end if needed.

    Returns an empty list for any other answer.
    """
    decision = game.decision(state)
    ids, most = game.candidates(state)
    named = words.split()
    if decision is None or len(named) < 2 or not set(named) <= set(ids) or len(set(named)) < len(named):
        return []
    if game.takes_in_order(decision):
        return [*named, "done"] if len(named) < most else named
    named.sort(key=ids.index)
    return [*named, "done"] if len(named) < most and named[-1] != ids[-1] else named


class CannotLie(Exception):
    """Error: the given content of a place is impossible."""

    def __init__(self, message: str, placing: Placing) -> None:
        super().__init__(message)
        self.failure = Failure(Diagnostic(diagnostic_codes.WRONG_POSITION, message, placing.span))


def lay(program: core.Program, layout: StateLayout, position: State, placings: Sequence[Placing]) -> None:
    """Change a position to the given content. Raises CannotLie."""
    zones, pools = [], []
    for placing in placings:
        if placing.place in program.zones:
            zones.append(placing)
        elif placing.place in program.pools:
            pools.append(placing)
        else:
            position.cells[layout.places[placing.place].at(placing.indices)] = placing.content
    _lay_counters(program, layout, position, pools)
    _Cards(program, layout, position).lay(zones)


def _lay_counters(program: core.Program, layout: StateLayout, position: State, placings: Iterable[Placing]) -> None:
    """Set the pools to the given counts, then compute the rests."""
    before = position.cells[:]
    rests: list[tuple[Placing, int]] = []
    for placing in placings:
        place = layout.places[placing.place]
        for kind, count in enumerate(placing.content):
            position.cells[place.at((*placing.indices, kind))] = count or 0
            if count is None:
                rests.append((placing, kind))
    for placing, kind in rests:
        holds = program.pools[placing.place].holds
        cells = [
            number
            for pool in program.pools.values()
            if pool.holds == holds
            for at, number in layout.places[pool.name].numbers.items()
            if at[-1] == kind
        ]
        there_were, elsewhere = (sum(of[cell] for cell in cells) for of in (before, position.cells))
        if elsewhere > there_were and not program.pools[placing.place].is_unlimited:
            name = program.enums[str(holds)].values[kind].name
            message = f"no `{name}` is left for `rest`: {elsewhere} of {there_were} are placed elsewhere"
            raise CannotLie(message, placing)
        position.cells[layout.places[placing.place].at((*placing.indices, kind))] = there_were - elsewhere


class _Cards:
    """Mover of named cards into the zones that list them.

    The other cards of such a zone go where the list has ``...``, to a rest, or out of the game. Higher layers take
    their cards first.
    """

    def __init__(self, program: core.Program, layout: StateLayout, position: State) -> None:
        self.program, self.layout, self.position = program, layout, position
        # the layer that uses each card
        self.used: dict[int, int] = {}

    def lay(self, placings: Sequence[Placing]) -> None:
        found: dict[int, list[int | str]] = {}
        in_play = [card for zone in self.position.zones for card in zone]
        exact = {entity.name for entity in self.program.entities if entity.name != entity.card}
        # exact names first: `farm` must not take a copy that is named `farm-2` elsewhere
        for only_exact in (True, False):
            for placing in sorted(placings, key=lambda placing: -placing.layer):
                number = self.layout.zones[placing.place].at(placing.indices)
                cards = found.setdefault(number, list(placing.content.names))
                for place, name in enumerate(cards):
                    if isinstance(name, str) and name not in (DOTS, REST) and (name in exact) == only_exact:
                        cards[place] = self.card(name, placing)
        for zone in self.position.zones:
            zone[:] = [card for card in zone if card not in self.used]
        left = {number: self.position.zones[number] for number in found}
        for number, cards in found.items():
            self.position.zones[number] = [card for item in cards for card in self.lying(item, left[number])]
        for number, cards in found.items():
            if REST in cards:
                above = (self.lying(item, left[number]) for item in cards[: cards.index(REST)])
                self.lay_rest(number, sum(map(len, above)), in_play)
        for number in found:
            if self.program.zones[self.layout.zone_at(number)[0]].is_sorted:
                self.position.zones[number].sort()

    def card(self, name: str, placing: Placing) -> int | str:
        """Return the card with a name, or an empty text if a higher layer has taken it."""
        card = free_card(self.program, name, self.used)
        if card is not None:
            self.used[card] = placing.layer
            return card
        copies = [e.number for e in self.program.entities if name in (e.name, e.card)]
        if any(self.used[copy] > placing.layer for copy in copies):
            return ""
        raise CannotLie(f"the game does not have that many `{name}`", placing)

    def lying(self, item: int | str, left: list[int]) -> list[int]:
        if isinstance(item, int):
            return [item]
        return left if item == DOTS else []

    def lay_rest(self, number: int, place: int, in_play: Sequence[int]) -> None:
        """Insert all cards of the zone's kind that were in the game and are nowhere now, in declared order."""
        name, _ = self.layout.zone_at(number)
        kind = str(self.program.zones[name].holds)
        lying = {card for zone in self.position.zones for card in zone}
        rest = [card for card in sorted(in_play) if card not in lying and self.program.entities[card].kind == kind]
        self.position.zones[number][place:place] = rest


ORACLE = ENGINES[0]
MOST_CHOICES = 100_000  # maximum number of choices of one `play_until`
MOST_ALIKE = 6  # of a large position, values are left out that more entries of a variable share
MOST_TABLE, LONGEST_LINE = 40, 160  # maximum number and length of lines of the position at a fault


class _End(Exception):
    """Signal: the case cannot continue. The failure is already recorded."""


def play(
    case: Case, program: core.Program, engine: str, through_json: bool = False, observer: Observer | None = None
) -> tuple[Failure, ...]:
    """Play a case and return its failures.

    ``through_json`` writes the state to JSON and reads it back at every decision. An ``observer`` watches the
    evaluator.
    """
    if case.errors:
        return tuple(map(Failure, case.errors))
    run = CaseRun(case, program, engine, through_json, observer)
    if engine != ORACLE and case.looks_inside:
        oracle = CaseRun(case, program, ORACLE)
        oracle.play()
        run.inside = oracle.inside
    return run.play()


@lru_cache(maxsize=64)
def _game(
    program: core.Program,
    players: int | None,
    options: tuple[tuple[str, Any], ...],
    engine: str,
    observer: Observer | None,
) -> Game:
    """Return the game of a case.

    Cases with the same settings share it, and all games of a program share generated code.
    """
    return Game(program, players, dict(options), engine, _codes(program), observer)


class _Codes(dict[str, Any]):
    """Store of generated code for the life of the process."""

    code = dict.get

    def store_code(self, key: str, value: Any) -> None:
        self[key] = value


@lru_cache(maxsize=4)
def _codes(program: core.Program) -> _Codes:
    return _Codes()


@lru_cache(maxsize=8)
def _setup_of(program: core.Program) -> core.Program:
    """Return a program whose games end after the setup."""
    return replace(program, phases=())


@dataclass
class Moment(Side):
    """Position at which the engines are compared.

    ``log`` holds the events since the last one. ``span`` is the action.
    """

    span: Span = NOWHERE


class Inside(NamedTuple):
    """State of the evaluator between two decisions, with the events of the step and the remaining dictated chance."""

    state: State
    log: list[Event]
    forced: Dictated


class Waiting(NamedTuple):
    """Decision that has not been applied yet, with the earlier events of its step.

    ``told`` counts the events that were already checked.
    """

    state: State
    option: int
    log: list[Event]
    told: int


class CaseRun:
    """Execution of one case.

    - ``moments``: the positions so far, for comparison.
    - ``first``: the same case, already played on another engine. This run uses its given position, and skips the
      invariants.
    - ``inside``: the states of the evaluator for steps that stop between two decisions.
    - ``waiting``: the last decision of such a step, which the next step applies.
    - ``laid``: a position before the start of a phase.
    """

    def __init__(
        self,
        case: Case,
        program: core.Program,
        engine: str,
        through_json: bool = False,
        observer: Observer | None = None,
        first: CaseRun | None = None,
    ) -> None:
        self.case = case
        self.program = program
        self.engine, self.observer = engine, observer
        self.game = self.own = self.game_of(program, engine)
        self.through_json = through_json
        self.forced = Dictated(self.own.setting, case)
        self.log: list[Event] = []
        self.failures: list[Failure] = []
        self.broken: set[str] = set()
        self.span = case.span  # span of the current action
        self.state = State([], [], [])
        self.first = first
        # the position that was set up, and the remaining dictated chance
        self.given: tuple[State, Dictated] | None = None
        self.laid: State | None = None
        self.moments: list[Moment] = []
        # number of events of this step that belong to earlier moments
        self.known = 0
        # forced choices since the last decision
        self.by_itself: list[tuple[int, str]] = []
        self.inside: dict[Step, Inside | RulesetFault] = {} if first is None else first.inside
        self.waiting: Waiting | None = None

    def game_of(self, program: core.Program, engine: str) -> Game:
        """Return a game of this case. Changed programs always run on the evaluator, which needs no code generation."""
        engine = engine if program is self.program else ORACLE
        return _game(program, self.case.players, tuple(self.case.options.items()), engine, self.observer)

    @property
    def table(self) -> CheckedPosition:
        """Return the position that the checks of a step refer to."""
        return CheckedPosition(self.game, self.state, self.log, self.game.program is not self.program)

    def play(self) -> tuple[Failure, ...]:
        try:
            for number, step in enumerate(self.case.steps):
                known = len(self.failures)
                try:
                    self.step(step, is_first=number == 0)
                finally:
                    self.show_situation(known)
        except _End:
            return tuple(self.failures)
        last = None if self.waiting is None else self.inside[self.case.steps[-1]]
        forced = last.forced if isinstance(last, Inside) else self.forced
        left = forced.left()
        if left is not None:
            self.failures.append(Failure(left))
        return tuple(self.failures)

    def end(self, failure: Failure) -> _End:
        """Record a failure and return the signal for ``raise self.end(…)``."""
        self.failures.append(failure)
        return _End()

    def end_quietly(self) -> None:
        """Apply a decision that is still waiting, so that engines can be compared after it, too."""
        failures, self.log = self.failures[:], []
        try:
            self.go_on()
        except RulesetFault as fault:
            self.keep_moment(fault)
        self.failures = failures

    def show_situation(self, known: int) -> None:
        """Add the events and the pending decision to the last failure of a step, if it has one."""
        if len(self.failures) > known and self.state.cells:
            last = self.failures[-1]
            asks = (
                last.diagnostic.code is not diagnostic_codes.RULES_FAULT
                # after a fault, the decision that led to it is not pending any more
            )
            self.failures[-1] = replace(last, details=(*last.details, *self.table.situation(asks)))

    def step(self, step: Step, is_first: bool) -> None:
        """Run the actions of a step, then its checks. A fault of the rules ends the case."""
        self.log, self.known = [], 0
        try:
            if is_first:
                self.span = self.case.given.span if self.case.given else self.case.span
                self.begin(only_laid=step.run is not None)
            self.do(step)
        except RulesetFault as fault:
            self.check_chance(self.forced)
            self.keep_moment(fault)
            if step.fault is not None and step.fault.text.lower() in fault.message.lower():
                raise _End from None
            raise self.end(self.faulted(step, fault)) from None
        if step.fault is not None:
            message = f"the rules did not fail, but “{step.fault.text}” was expected"
            raise self.end(self.table.failure(diagnostic_codes.RULES_FAULT, message, step.fault.span))
        for check in step.checks:
            self.failures += failures_of(self.table, check)

    def do(self, step: Step) -> None:
        """Run the actions of a step, after the rest of the previous step."""
        self.go_on()
        if step.run is not None:
            self.span = step.run.span
            self.run(step.run)
            return
        if self.laid is not None and (self.game is self.own or self.game.decision(self.state) is None):
            self.start_phase()
        pending = list(step.answers)
        while pending:
            answer = self.next_of(pending)
            pending.remove(answer)
            self.span = answer.span
            if step.stop is not None and not pending:
                self.stop_behind(answer, step)
            else:
                self.answer(answer)
        if step.until is not None:
            self.span = step.until.span
            self.play_on(step.until)

    def next_of(self, answers: Sequence[Answer]) -> Answer:
        """Return the next answer.

        For a simultaneous choice, it is that of the seat being asked, otherwise the first.
        """
        decision = self.game.decision(self.state)
        if decision is None or self.game.setting.sites[decision.site].origin.generator != AT_ONCE:
            return answers[0]
        return next((answer for answer in answers if answer.seat == decision.seat), answers[0])

    def faulted(self, step: Step, fault: RulesetFault) -> Failure:
        """Return the failure for an unexpected fault of the rules."""
        details = [f"in {' > '.join(fault.trail)}"] if fault.trail else []
        details += _excerpt(fault.position)
        notes = ((fault.span, "here"),) if fault.span is not None else ()
        message = f"the rules fail: {fault.message}"
        if step.fault is not None:
            message += f", not “{step.fault.text}”"
        return Failure(Diagnostic(diagnostic_codes.RULES_FAULT, message, self.span, None, notes), tuple(details))

    # ------------------------------------------------------------ start of the game

    def begin(self, only_laid: bool) -> None:
        """Play to the first decision. With ``only_laid``, only set up the position."""
        if self.case.given is None and not only_laid:
            self.reached(self.game.start(self.case.seed, self.log, self.forced))
            return
        if self.first is not None and self.first.given is not None:
            given, forced = self.first.given
            position, self.forced = given.copy(), forced.copy()
        else:
            position = self.after_setup()
            try:
                lay(self.program, self.game.layout, position, self.case.given.placings if self.case.given else ())
            except CannotLie as problem:
                raise self.end(problem.failure) from None
            self.given = position.copy(), self.forced.copy()
        hint = "`given` changes only the places that it lists; also list where the components come from, or use `rest`"
        self.check_invariants(self.game.located(position), "in the given position", hint)
        if self.failures:
            raise _End
        self.laid = position

    def start_phase(self) -> None:
        """Start a phase from the position that was set up."""
        assert self.laid is not None
        given, position = self.case.given, self.laid
        if self.game is not self.own:
            position = carried_over(self.state, self.game.layout, position, self.own.layout)
        phase = self.program.phases[0].id if given is None or given.phase is None else given.phase
        self.game, self.laid = self.own, None
        self.reached(self.game.start_at(phase, position, self.log, self.forced))

    def run(self, routine: Routine) -> None:
        """Play one block on the current position."""
        begun, position = self.game, self.state
        if self.laid is not None and begun is self.own:
            position = self.own.located(self.laid)
        self.game = self.game_of(running(self.program, routine), ORACLE)
        layout = self.game.layout
        position = carried_over(position, begun.layout, untouched(layout, self.case.seed), layout)
        self.reached(self.game.start_at(RUN, position, self.log, self.forced))
        self.log = [event for event in self.log if event not in (phase_began(RUN), game_ended(None))]
        self.known = len(self.log)

    def after_setup(self) -> State:
        """Return the position after the setup, before any phase. Choices of the setup take their first option."""
        game = self.game_of(_setup_of(self.program), ORACLE)
        state = game.start(self.case.seed, None, self.forced)
        while game.decision(state) is not None:
            state = game.apply(state, 0, None, self.forced)
        self.check_chance(self.forced)
        return carried_over(state, game.layout, untouched(self.own.layout, self.case.seed), self.own.layout)

    # ------------------------------------------------------------ play

    def reached(self, state: State) -> None:
        """Record a state at a decision or at the end of the game."""
        if self.through_json:
            state = State.from_json(json.loads(json.dumps(state.to_json())))
        self.state = state
        self.check_chance(self.forced)
        self.by_itself += self.forced_choices(self.log[self.known :])
        self.keep_moment()
        self.check_invariants(state, "after this")

    def check_chance(self, forced: Dictated) -> None:
        """End the case if a dictated result was refused."""
        wrong = forced.wrong()
        if wrong is not None:
            raise self.end(Failure(wrong))

    def forced_choices(self, log: Sequence[Event]) -> Iterator[tuple[int, str]]:
        """Yield the seat and the option of each forced choice."""
        for event in log:
            if isinstance(event, ChoiceMade) and event.is_forced:
                _, seat, site, number, values, _ = event
                yield seat, option_id(self.game.setting, self.game.setting.sites[site], Option(0, number, values))

    def keep_moment(self, fault: RulesetFault | None = None) -> None:
        asked = None if fault is not None else self.game.decision(self.state)
        self.moments.append(Moment(self.game, self.state, self.log[self.known :], asked, fault, self.span))
        self.known = len(self.log)

    def check_invariants(self, state: State, when: str, hint: str | None = None) -> None:
        if self.first is not None:
            return
        for broken in self.game.broken_invariants(state):
            if broken.id not in self.broken:
                self.broken.add(broken.id)
                invariant = broken.invariant
                message = f"{when}, the invariant {broken.message}"
                notes = ((invariant.condition.span, invariant.doc or "this must always be true"),)
                diagnostic = Diagnostic(diagnostic_codes.INVARIANT_BROKEN, message, self.span, hint, notes)
                told = because(CheckedPosition(self.game, state, []), invariant.condition, broken.slots)
                self.failures.append(Failure(diagnostic, tuple(told)))

    def answer(self, answer: Answer) -> None:
        """Apply an answer, or check that the game made a forced choice."""
        if answer.is_forced:
            self.find_forced(answer)
            return
        option = self.option_of(answer)
        if option is None:
            return
        self.by_itself = []
        self.reached(self.game.apply(self.state, option, self.log, self.forced))

    def option_of(self, answer: Answer) -> int | None:
        """Return the index of the option that an answer names, or None if the answer is already done."""
        wrong = wrong_seat(self.table, answer.seat, answer.span)
        options = [] if wrong is not None else self.table.options
        if answer.option in options:
            return options.index(answer.option)
        if self.is_forced(answer):
            return None
        if wrong is not None:
            raise self.end(wrong)
        picks = picks_of(self.game, self.state, answer.option)
        if not picks:
            raise self.end(self.not_an_option(answer.option, options, answer.span))
        self.pick(picks, answer)
        return None

    def is_forced(self, answer: Answer) -> bool:
        """Return whether the game made this choice itself, and mark it as mentioned."""
        for number, (seat, option) in enumerate(self.by_itself):
            if option == answer.option and answer.seat in (None, seat):
                del self.by_itself[: number + 1]
                return True
        return False

    def find_forced(self, answer: Answer) -> None:
        who = "anybody" if answer.seat is None else f"P{answer.seat + 1}"
        known = [f"P{seat + 1}: {option}" for seat, option in self.by_itself]
        if not self.is_forced(answer):
            message = f"the game did not choose `{answer.option}` for {who} by itself"
            details = ["what the game chose by itself:", *(f"  {line}" for line in known)] if known else []
            raise self.end(self.table.failure(diagnostic_codes.NOT_FORCED, message, answer.span, details))

    def pick(self, picks: list[str], answer: Answer) -> None:
        """Pick several items of a list, one at a time. Items that the game picks itself are skipped."""
        self.by_itself = []
        while picks:
            number, options = len(self.by_itself), self.table.options
            if picks[0] not in options:
                raise self.end(self.not_an_option(picks[0], options, answer.span))
            self.reached(self.game.apply(self.state, options.index(picks.pop(0)), self.log, self.forced))
            for _, option in self.by_itself[number:]:
                if picks and option == picks[0]:
                    picks.pop(0)

    # ------------------------------------------------------------ stopping between decisions

    def stop_behind(self, answer: Answer, step: Step) -> None:
        """Apply a decision and stop after its block."""
        option = None if answer.is_forced else self.option_of(answer)
        if option is None:
            message = "`stop: now` needs a decision, and this is not one"
            raise self.end(self.table.failure(diagnostic_codes.NOT_AN_OPTION, message, answer.span))
        if self.engine == ORACLE:
            self.inside[step] = self.after_decision(option)
        found = self.inside.get(step)
        if found is None:
            # the evaluator did not reach this step
            raise _End
        if isinstance(found, RulesetFault):
            raise found
        self.check_chance(found.forced)
        self.waiting = Waiting(self.state, option, self.log, len(found.log))
        self.game = self.game_of(self.game.program, ORACLE)
        self.state, self.log = found.state, found.log
        self.check_invariants(self.state, "after this")

    def after_decision(self, option: int) -> Inside | RulesetFault:
        """Return the state of the evaluator after the block of a decision, or the fault."""
        log, forced = self.log[:], self.forced.copy()
        try:
            return Inside(after_decision(self.game, self.state, option, log, forced), log, forced)
        except RulesetFault as fault:
            return fault

    def go_on(self) -> None:
        """Finish the decision of a step that stopped in the middle."""
        if self.waiting is None:
            return
        (self.state, option, self.log, told), self.waiting = self.waiting, None
        self.known, self.by_itself = len(self.log), []
        self.game = self.game_of(self.game.program, self.engine)
        self.reached(self.game.apply(self.state, option, self.log, self.forced))
        self.log = self.log[told:]
        self.known = len(self.log)

    def not_an_option(self, option: str, options: list[str], span: Span) -> Failure:
        reasons = self.game.why_not(self.state, option, sees_all=True)
        message = f"`{option}` is not among the options"
        copies = [other for other in options if _of_any_copy(other) == _of_any_copy(option)]
        hint = f"did you mean `{copies[0]}`?" if copies else suggest_name(option, options)
        if copies and all(reason.span is None for reason in reasons):
            reasons = [Reason("copies of a card are numbered from the second on, and another copy is here")]
        return self.table.failure(diagnostic_codes.NOT_AN_OPTION, message, span, (), hint, reasons)

    def play_on(self, until: Until) -> None:
        """Take first options until a condition holds."""
        for _ in range(MOST_CHOICES):
            if until.formula is not None and value_of(self.table, until.formula):
                return
            if self.game.decision(self.state) is None:
                break
            self.reached(self.game.apply(self.state, 0, self.log, self.forced))
        if until.formula is not None or self.game.decision(self.state) is not None:
            what = f"`{until.formula.text}` was never true" if until.formula is not None else "the game never ended"
            raise self.end(self.table.failure(diagnostic_codes.NEVER_CAME, f"{what} at a decision", until.span))


def _without_index(line: str) -> str:
    """Return a line of a position without the index: ``fell_at[oak] = north`` becomes ``fell_at = north``."""
    place, _, value = line.partition(" = ")
    return f"{place.partition('[')[0]} = {value}"


def _excerpt(position: str) -> list[str]:
    """Return the position at a fault, shortened.

    For a large position, empty values and values that many entries share are left out.
    """
    lines = position.splitlines()
    if len(lines) > MOST_TABLE:
        lines = [line for line in lines if not line.endswith((" = none", " = 0", " = false", " = []", " = "))]
        alike = Counter(map(_without_index, lines))
        lines = [line for line in lines if alike[_without_index(line)] <= MOST_ALIKE]
    more = len(lines) - MOST_TABLE
    shown = [f"  {line}" if len(line) <= LONGEST_LINE else f"  {line[:LONGEST_LINE]}…" for line in lines[:MOST_TABLE]]
    return [*(["the position:"] if shown else []), *shown, *([f"  … {more:,} more lines …"] if more > 0 else [])]


def _of_any_copy(option: str) -> str:
    """Return an option's id without the numbers of copies."""
    return re.sub(r"(?<=\w)-\d+(?= |$)", "", option)
