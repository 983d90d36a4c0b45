"""Plays one case and says why it does not pass. Used by :mod:`lusory.author.cases`."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from lusory_dsl import core
from lusory_dsl.text import codes
from lusory_dsl.text.diagnostics import Diagnostic, did_you_mean
from lusory_dsl.text.source import NOWHERE, Span

from ...game import Game
from ...table import chance
from ...table.choices import Reason, RulesetFault
from ...table.events import Event
from ...table.observer import Observer
from ...table.setting import Forced
from ...table.state import State
from ..agreement import Side
from .checks import CheckedPosition, because, failures_of, value_of, wrong_seat
from .model import REST, Answer, Case, Failure, Given, Placing, Step, Until
from .places import free_card

MOST_CHOICES = 100_000  # of one `play_until`


class _End(Exception):
    """The case cannot go on; the failure is noted."""


def play(
    case: Case, program: core.Program, engine: str, through_json: bool = False, observer: Observer | None = None
) -> tuple[Failure, ...]:
    """Why a case does not pass; nothing when it does.

    ``through_json``: at every decision the state is written as JSON and read again. ``observer``: looks on."""
    if case.faults:
        return tuple(Failure(diagnostic) for diagnostic in case.faults)
    return CaseRun(case, program, engine, through_json, observer).play()


@lru_cache(maxsize=64)
def _game(
    program: core.Program,
    players: int | None,
    options: tuple[tuple[str, Any], ...],
    engine: str,
    observer: Observer | None,
) -> Game:
    """The game of a case. Cases that ask for the same share it; code is shared by all of a program, since what cases
    need of it is the same for all options."""
    return Game(program, players, dict(options), engine, _codes(program), observer)


class _Codes(dict[str, Any]):
    """Code that is kept as long as this process runs."""

    code = dict.get

    def keep_code(self, key: str, value: Any) -> None:
        self[key] = value


@lru_cache(maxsize=4)
def _codes(program: core.Program) -> _Codes:
    return _Codes()


@lru_cache(maxsize=8)
def _setup_of(program: core.Program) -> core.Program:
    """A program whose games are over when the setup is done."""
    return replace(program, phases=())


@dataclass
class Moment(Side):
    """Where a game came to while a case was played. ``log``: since the moment before; ``span``: of what was done."""

    span: Span = NOWHERE


class CaseRun:
    """One case being played. ``moments``: where the game came to. ``first``: the same case, played before on another
    engine; then its position is taken over, and invariants, which read nothing else, are not tested again."""

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
        self.game = _game(program, case.players, tuple(case.options.items()), engine, observer)
        self.through_json = through_json
        self.forced = Forced(list(case.dice), list(case.picks), list(case.shuffles))
        self.log: list[Event] = []
        self.failures: list[Failure] = []
        self.broken: set[str] = set()
        self.span = case.span  # of what is being done
        self.state = State([], [], [])
        self.first = first
        self.given: tuple[State, Forced] | None = None  # the position, and what is dictated from there on
        self.moments: list[Moment] = []
        self.known = 0  # events of this step that belong to moments

    @property
    def table(self) -> CheckedPosition:
        return CheckedPosition(self.game, self.state, self.log)

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
        left = [word for word, queue in vars(self.forced).items() if queue]
        if left:
            message = f"not everything that the case dictates came: {', '.join(left)} are left"
            self.failures.append(self.table.failure(codes.WRONG_CHANCE, message, self.case.chance_span))
        return tuple(self.failures)

    def end(self, failure: Failure) -> _End:
        """``raise self.end(…)``: the case stops with this failure."""
        self.failures.append(failure)
        return _End()

    def show_situation(self, known: int) -> None:
        """Add to the last failure of a step, if it has any, what happened in it and where the game stands."""
        if len(self.failures) > known and self.state.cells:
            last = self.failures[-1]
            self.failures[-1] = replace(last, details=(*last.details, *self.table.situation()))

    def step(self, step: Step, is_first: bool) -> None:
        """Do, then check. A fault of the rules ends the case."""
        self.log, self.known = [], 0
        try:
            if is_first:
                self.span = self.case.given.span if self.case.given else self.case.span
                self.begin()
            for answer in step.answers:
                self.span = answer.span
                self.answer(answer)
            if step.until is not None:
                self.span = step.until.span
                self.play_on(step.until)
        except RulesetFault as fault:
            self.keep_moment(fault)
            if step.fault is not None and step.fault.text.lower() in fault.message.lower():
                raise _End from None
            raise self.end(self.faulted(step, fault)) from None
        if step.fault is not None:
            message = f"the rules did not go wrong: “{step.fault.text}” was expected"
            raise self.end(self.table.failure(codes.RULES_FAULT, message, step.fault.span))
        for check in step.checks:
            self.failures += failures_of(self.table, check)

    def faulted(self, step: Step, fault: RulesetFault) -> Failure:
        """The rules went wrong, and not as expected."""
        details = [f"in {' > '.join(fault.trail)}"] if fault.trail else []
        if fault.position:
            details += ["the table:", *(f"  {line}" for line in fault.position.splitlines())]
        notes = ((fault.span, "here"),) if fault.span is not None else ()
        message = f"the rules go wrong: {fault.message}"
        if step.fault is not None:
            message += f", not “{step.fault.text}”"
        return Failure(Diagnostic(codes.RULES_FAULT, message, self.span, None, notes), tuple(details))

    # ------------------------------------------------------------ the start

    def begin(self) -> None:
        given = self.case.given
        if given is None:
            self.reached(self.game.start(self.case.seed, self.log, self.forced))
            return
        if self.first is not None and self.first.given is not None:
            position, self.forced = deepcopy(self.first.given)
        else:
            position = self.after_setup()
            self.lay(position, given)
            self.given = deepcopy((position, self.forced))
        hint = "`given` changes only what it lists: give also the places that the rest came from, or lies in"
        self.check_invariants(self.game.located(position), "in the given position", hint)
        phase = given.phase or self.program.phases[0].id
        self.reached(self.game.start_at(phase, position, self.log, self.forced))

    def after_setup(self) -> State:
        """The position when the setup is done and no phase has begun. A choice of the setup takes its first option."""
        observer = self.game.setting.observer
        options = tuple(self.case.options.items())
        game = _game(_setup_of(self.program), self.case.players, options, "evaluator", observer)
        state = game.start(self.case.seed, None, self.forced)
        while game.decision(state) is not None:
            state = game.apply(state, 0, None, self.forced)
        layout = self.game.layout
        cells = state.cells[: layout.location + len(self.program.entities)]
        cells += [0] * (layout.size - len(cells))
        for stream, cell in layout.streams.items():
            drawn = game.layout.streams.get(stream)
            cells[cell] = chance.seed(self.case.seed, stream) if drawn is None else state.cells[drawn]
        cells[layout.reason] = None
        return State(cells, state.zones, [])

    def lay(self, position: State, given: Given) -> None:
        """Change a position to what is given."""
        zones: list[Placing] = []
        for placing in given.placings:
            if placing.place in self.program.zones:
                zones.append(placing)
            elif placing.place in self.program.pools:
                place = self.game.layout.places[placing.place]
                for kind, count in enumerate(placing.content):
                    position.cells[place.at((*placing.indices, kind))] = count
            else:
                position.cells[self.game.layout.places[placing.place].at(placing.indices)] = placing.content
        self.lay_cards(position, zones)

    def lay_cards(self, position: State, placings: list[Placing]) -> None:
        """Named cards come to the zones that list them from wherever they are; what a listed zone held besides goes
        where the list says ``...``, or out of the game."""
        lists: list[tuple[int, list[int | None]]] = []  # None: the rest
        used: list[int] = []
        for placing in placings:
            cards: list[int | None] = []
            for name in placing.content:
                card = None if name == REST else free_card(self.program, name, used)
                if card is not None:
                    used.append(card)
                elif name != REST:
                    message = f"there are not so many `{name}` in the game"
                    raise self.end(Failure(Diagnostic(codes.WRONG_POSITION, message, placing.span)))
                cards.append(card)
            lists.append((self.game.layout.zones[placing.place].at(placing.indices), cards))
        for zone in position.zones:
            zone[:] = [card for card in zone if card not in used]
        for number, listed in lists:
            rest = position.zones[number]
            position.zones[number] = [card for item in listed for card in (rest if item is None else [item])]

    # ------------------------------------------------------------ play

    def reached(self, state: State) -> None:
        """The game stands at a decision, or at its end."""
        if self.through_json:
            state = State.from_json(json.loads(json.dumps(state.to_json())))
        self.state = state
        self.keep_moment()
        self.check_invariants(state, "after this")

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
                message = f"{when}, the invariant {broken.words}"
                notes = ((invariant.condition.span, invariant.doc or "this must always hold"),)
                diagnostic = Diagnostic(codes.INVARIANT_BROKEN, message, self.span, hint, notes)
                told = because(CheckedPosition(self.game, state, []), invariant.condition, broken.slots)
                self.failures.append(Failure(diagnostic, tuple(told)))

    def answer(self, answer: Answer) -> None:
        wrong = wrong_seat(self.table, answer.seat, answer.span)
        if wrong is not None:
            raise self.end(wrong)
        options = self.table.options
        if answer.option not in options:
            raise self.end(self.not_an_option(answer.option, options, answer.span))
        self.reached(self.game.apply(self.state, options.index(answer.option), self.log, self.forced))

    def not_an_option(self, option: str, options: list[str], span: Span) -> Failure:
        reasons = self.game.why_not(self.state, option, sees_all=True)
        message = f"`{option}` is not among the options"
        hint = did_you_mean(option, options)
        copies = [other for other in options if _of_any_copy(other) == _of_any_copy(option)]
        if copies and all(reason.span is None for reason in reasons):
            hint = f"did you mean `{copies[0]}`?"
            reasons = [Reason("the copies of a card are numbered, all but the first, and here lies another one")]
        return self.table.failure(codes.NOT_AN_OPTION, message, span, (), hint, reasons)

    def play_on(self, until: Until) -> None:
        """Everybody takes the first option until a condition holds."""
        for _ in range(MOST_CHOICES):
            if until.formula is not None and value_of(self.table, until.formula):
                return
            if self.game.decision(self.state) is None:
                break
            self.reached(self.game.apply(self.state, 0, self.log, self.forced))
        if until.formula is not None or self.game.decision(self.state) is not None:
            what = f"`{until.formula.text}` never held" if until.formula is not None else "the game never ended"
            raise self.end(self.table.failure(codes.NEVER_CAME, f"{what} at a decision", until.span))


def _of_any_copy(option: str) -> str:
    """An option's id without the numbers of copies."""
    return re.sub(r"(?<=\w)-\d+(?= |$)", "", option)
