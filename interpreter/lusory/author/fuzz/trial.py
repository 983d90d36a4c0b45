"""Plays planned games, looks at what they come to, and tries findings again. Each process has a trial of its own."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from random import Random
from typing import Any

from lusory_dsl.core import Program

from ...cache import Cache
from ...compiler import NoNative
from ...game import EVALUATOR, Game
from ...native_steps import NativeSteps, WentWrong
from ...search.advice import guidance_of
from ...search.positions import Walker
from ...search.worth import Worth
from ...table.choices import Decision, Option, RulesetFault
from ...table.cost import Limits
from ...table.state import State
from ...table.store import CodeStore
from ..agreement import Side, compare, compare_steps
from .goals import Contents, Goals, Trait, Watch
from .leaks import Twin, hides, twin_of
from .variants import Variant
from .ways import QUICK, SCOUTING, SELDOM, WAYS, Answer, Look, Seats, answer_of
from .wrong import (
    ALL_FOLLOW,
    ENDLESS,
    ENGINES,
    LONGEST,
    Script,
    Wrong,
    fault_of,
    nearly_spent,
    no_way_out,
    scripted,
    wrong_at,
)

SPRINTS = 4  # games besides that go on from positions of one …
SPRINT = 150  # … for so many decisions
SCOUTS = 8  # games besides that go to their end, half of them from the start …
SCOUT = 1_500  # … for so many decisions
CHECKS = 8  # decisions of a game besides after which invariants are looked at
LONG_EVERY = 16  # one of so many games may be long
LOOKS_EVERY = 16  # decisions after which it is noted what seats can see
NUMBERS = re.compile(r"\d+")  # ways to end that differ in these alone are one
KEPT = 24  # games of different options that a process keeps
MOST = 4 * LONGEST  # decisions of a game that is tried again


@dataclass(frozen=True)
class Plan:
    """A game to be played: ``script`` first, then as its seats decide. ``most``: decisions, after which it is left.
    ``long``: a game besides may go on for long; ``hides``: also look for what tells hidden things."""

    number: int
    script: Script
    most: int
    long: bool = False
    hides: bool = False


@dataclass
class Played:
    """What a game came to. ``reached``: each trait, with the number of decisions before it; ``ended``: the reason, None
    where it was left; ``quick``: decisions of games besides; ``ends``: the shortest of these that ended in each way;
    ``twin``: where what a seat is asked tells what it can't see."""

    script: Script
    reached: dict[Trait, int] = field(default_factory=dict)
    wrong: list[tuple[Wrong, Script]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    ended: str | None = None
    is_over: bool = False
    work: int = 0
    quick: int = 0
    ends: dict[Trait, Script] = field(default_factory=dict)
    twin: Twin | None = None

    def exactly(self) -> Script:
        """The game as it went."""
        return Script(self.script.variant, self.script.seed, tuple(self.answers))


@dataclass
class Table:
    """The games of a variant: on the compiled engine, which is quick, on the oracle with somebody who looks on, and in
    native code, where that was built."""

    game: Game
    watched: Game
    watch: Watch
    contents: Contents
    worth: Callable[[State, int], float]
    native: NativeSteps | None


class _Codes(dict[str, Any]):
    """Code that is kept as long as a process runs."""

    code = dict.get

    def keep_code(self, key: str, value: Any) -> None:
        self[key] = value


@dataclass
class Trial:
    """``known`` and ``taken``: what games came to before this round, and how often each answer was given."""

    program: Program
    limits: Limits
    store: CodeStore | None = None
    known: Mapping[Trait, int] = field(default_factory=dict)
    taken: Mapping[Answer, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tables: OrderedDict[Variant, Table] = OrderedDict()
        self._codes = _Codes() if self.store is None else self.store

    def __reduce__(self) -> tuple[Any, ...]:
        return Trial, (self.program, self.limits, self.store, dict(self.known), dict(self.taken))

    @cached_property
    def goals(self) -> Goals:
        """Those of the program."""
        return Goals(self.program)

    def table(self, variant: Variant) -> Table:
        """The games of a variant; those of a few are kept."""
        if variant not in self._tables:
            watch = Watch(self.goals)
            players, options = variant.players, variant.given
            game = Game(self.program, players, options, store=self._codes, limits=self.limits)
            watched = Game(self.program, players, options, EVALUATOR, observer=watch, limits=self.limits)
            self._tables[variant] = Table(game, watched, watch, Contents(game), _worth(game), self._native(game))
        self._tables.move_to_end(variant)
        while len(self._tables) > KEPT:
            self._tables.popitem(last=False)
        return self._tables[variant]

    @cached_property
    def hides(self) -> bool:
        """Whether anything is hidden from anybody."""
        return hides(Game(self.program, None, {}, EVALUATOR))

    def oracle(self, variant: Variant) -> Game:
        """A game of a variant on the oracle engine, at which nobody looks on."""
        return Game(self.program, variant.players, variant.given, EVALUATOR, limits=self.limits)

    def _native(self, game: Game) -> NativeSteps | None:
        """Native code of a game, where it is kept."""
        if not isinstance(self.store, Cache):
            return None
        try:
            return NativeSteps(game, self.store, build=False)
        except NoNative:
            return None

    # ------------------------------------------------------------ games

    def play(self, plan: Plan) -> Played:
        """One game, looked at at every decision."""
        table = self.table(plan.script.variant)
        rnd = Random(f"{plan.script.seed} {plan.number}")
        played = _Playing(self, table, plan, rnd).run()
        if plan.hides and not played.wrong and self.hides:
            played.twin = twin_of(
                self.oracle(plan.script.variant), plan.script.variant, played.answers, plan.script.seed
            )
        settled = self.goals.settled(table.game)
        played.reached.update({("goal", number): 0 for number in settled})
        reached = {trait[1]: step for trait, step in played.reached.items() if trait[0] == "goal"}
        for pair in self.goals.pairs(reached):
            played.reached[pair] = max(reached[pair[1]], reached[pair[2]])
        return played

    # ------------------------------------------------------------ again

    def again(self, script: Script, wanted: Wrong) -> tuple[Script, Wrong] | None:
        """The same finding in a script of which some answers may not fit any more: as much of it as leads there, and
        what is wrong. None: it leads elsewhere."""
        if wanted.kind == ENGINES:
            return self._parted(script, wanted)
        game, left, answers = self.table(script.variant).game, list(reversed(script.answers)), list[Answer]()
        before, found, given = None, None, 0
        try:
            state = game.start(script.seed)
            while (found := wrong_at(game, before, state)) is None and len(answers) < MOST:
                decision = game.decision(state)
                if decision is None:
                    return None
                option = scripted(state, decision, left)
                if option is None and not script.onwards:
                    break
                given += option is not None
                option = option or decision.options[0]
                answers.append(answer_of(decision, option))
                before, state = state, game.apply(state, option.index)
            if found is None and wanted.kind == ENDLESS:
                found = no_way_out(game, state, 0 if wanted.message.startswith(ALL_FOLLOW) else LONGEST)
        except RulesetFault as fault:
            found = fault_of(fault)
        if found is None or found.key != wanted.key:
            return None
        return Script(
            script.variant, script.seed, tuple(answers[:given]), script.onwards and given < len(answers)
        ), found

    def _parted(self, script: Script, wanted: Wrong) -> tuple[Script, Wrong] | None:
        """The same of what the engines say otherwise: played on both as in a game."""
        plan = Plan(0, script, len(script.answers))
        playing = _Playing(self, self.table(script.variant), plan, Random(0))
        found = playing.run(sprints=False).wrong
        if not found or found[0][0].key != wanted.key:
            return None
        return found[0][1], found[0][0]


class _Playing:
    """One game that is played on both engines, step by step. ``state`` is the compiled engine's, ``other`` that of the
    oracle; ``played`` is what came of it."""

    def __init__(self, trial: Trial, table: Table, plan: Plan, rnd: Random) -> None:
        self.table, self.plan = table, plan
        self.game, self.watched = table.game, table.watched
        self.played = Played(plan.script)
        self.look = Look(
            self.game, self.watched, table.watch, rnd, trial.known, trial.taken, _place(self.game, rnd), table.worth
        )
        self.seats = Seats(self.look, self.game.players)
        self.left = list(reversed(plan.script.answers))
        self.states: list[State] = []
        self.before: State | None = None
        self.here: bytes | None = b""  # of native code; None: it has left the game
        self.state = self.other = State([], [], [])

    def run(self, sprints: bool = True) -> Played:
        """Play until the game is over, something is wrong or it takes too long. ``sprints``: and on from there."""
        seed, game, watched = self.plan.script.seed, self.game, self.watched
        self.table.contents.forget()
        wrong = self._both(lambda: game.start(seed), lambda: watched.start(seed))
        wrong = wrong or self._natively(lambda steps: steps.start(seed))
        while wrong is None and (decision := game.decision(self.state)) is not None:
            wrong = wrong_at(game, self.before, self.state)
            if wrong is not None:
                break
            if len(self.played.answers) >= self.plan.most:
                wrong = no_way_out(game, self.state, 0)
                break
            self.states.append(self.state)
            wrong = self._take(decision)
        else:
            wrong = wrong or self._ended()
        if wrong is None and sprints:
            self._sprint()
        elif wrong is not None:
            self.played.wrong.append((wrong, self.played.exactly()))
        self.played.work = self.state.cells[game.layout.work] if self.state.cells else 0
        return self.played

    def _take(self, decision: Decision) -> Wrong | None:
        """One decision."""
        game, watched, other = self.game, self.watched, self.other
        option = scripted(self.state, decision, self.left)
        if option is None:
            self.look.other = other
            option = self.seats.decide(self.state, decision)
        state = self.before = self.state
        self.played.answers.append(answer_of(decision, option))
        here = self.here
        wrong = self._both(lambda: game.apply(state, option.index), lambda: watched.apply(other, option.index))
        return wrong or self._natively(lambda steps: steps.apply(here or b"", option.index))

    def _natively(self, step: Callable[[NativeSteps], bytes]) -> Wrong | None:
        """The same step in native code, if there is any; it may leave a game to the others."""
        steps = self.table.native
        if steps is None or self.here is None:
            return None
        try:
            self.here = step(steps)
        except WentWrong:
            self.here = None
            return None
        parted = compare_steps(self.game, steps, self.state, self.here)
        return parted and Wrong(ENGINES, f"native code: {parted[0]}", f"{parted[0]}: {parted[1][0]} and {parted[1][1]}")

    def _both(self, quick: Callable[[], State], slow: Callable[[], State]) -> Wrong | None:
        """The same step on both engines; what goes wrong in it."""
        self.table.watch.taken()
        sides = []
        for game, step in ((self.watched, slow), (self.game, quick)):
            try:
                state = step()
                sides.append(Side(game, state, [], game.decision(state)))
            except RulesetFault as fault:
                sides.append(Side(game, fault=fault))
        parted = compare(sides[0], sides[1], words=False)
        if parted is not None:
            return Wrong(ENGINES, parted[0], f"{parted[0]}: {parted[1][0]} and {parted[1][1]}")
        if sides[0].fault is not None:
            return fault_of(sides[0].fault)
        self.other, self.state = sides[0].state, sides[1].state
        self._note()
        return None

    def _note(self) -> None:
        """What the last step came to. Now and then the seats look at the table, too."""
        made = len(self.played.answers)
        if made % LOOKS_EVERY == 0 or not self.other.frame:
            for seat in range(self.watched.players):
                self.watched.view(self.other, seat)
            self.watched.outcome(self.other)
        for trait in (*self.table.watch.taken(), *self.table.contents.changed(self.state)):
            self.played.reached.setdefault(trait, made)

    def _sprint(self) -> None:
        """Games besides, quick and with nobody looking on: what is rare needs many tries. Some go on from positions of
        this one for a while, some go to their end, from there or from the start."""
        rnd, game, look = self.look.rnd, self.game, self.look
        for _ in range(min(SPRINTS, 2 * len(self.states))):
            self._quick(*self._some(rnd), partial(WAYS[rnd.choice(QUICK)], look), SPRINT)
        for number in range(SCOUTS if self.states else 0):
            script, state = self._some(rnd)
            if number % 2:
                script = Script(script.variant, rnd.randrange(1 << 20), ())
                state = game.start(script.seed)
            self._quick(script, state, Seats(look, game.players, SCOUTING, SELDOM).decide, SCOUT)
        if self.plan.long and self.states:
            way = WAYS[QUICK[self.plan.number // LONG_EVERY % len(QUICK)]]
            self._quick(*self._some(rnd, 1), partial(way, look), 4 * LONGEST)

    def _some(self, rnd: Random, first: int | None = None) -> tuple[Script, State]:
        """One of the positions, of the ``first`` or of all, and how the game came there."""
        at, script = rnd.randrange(first or len(self.states)), self.plan.script
        return Script(script.variant, script.seed, tuple(self.played.answers[:at])), self.states[at]

    def _quick(self, script: Script, state: State, decide: Callable[[State, Decision], Option], most: int) -> None:
        """Play on from a position that a script has led to."""
        game, answers, block = self.game, list(script.answers), [state]
        wrong: Wrong | None = None
        try:
            while (decision := game.decision(state)) is not None and len(answers) < len(script.answers) + most:
                option = decide(state, decision)
                answers.append(answer_of(decision, option))
                state = game.apply(state, option.index)
                self.played.quick += 1
                wrong = nearly_spent(game, block[-1], state)
                block.append(state)
                if wrong is None and len(block) > CHECKS:
                    wrong, block = self._broken(block, answers), [state]
                if wrong is not None:
                    break
            else:
                wrong = self._broken(block, answers)
                if wrong is None and decision is not None:
                    wrong = no_way_out(game, state, LONGEST if most > LONGEST else 0)
                elif wrong is None and len(block) > 1:
                    self._came_to(self._end(block[-2], state), Script(script.variant, script.seed, tuple(answers)))
        except RulesetFault as fault:
            wrong = fault_of(fault)
        if wrong is not None:
            self.played.wrong.append((wrong, Script(script.variant, script.seed, tuple(answers))))

    def _broken(self, block: list[State], answers: list[Answer]) -> Wrong | None:
        """Whether an invariant is broken at the end of some steps; then answers behind the first one that breaks any
        are dropped."""
        if len(block) < 2 or not self.game.broken_invariants(block[-1]):
            return None
        for step, (before, after) in enumerate(pairwise(block), 2):
            if (wrong := wrong_at(self.game, before, after)) is not None:
                del answers[len(answers) + step - len(block) :]
                return wrong
        return None

    def _came_to(self, end: Trait, script: Script) -> None:
        """A game besides has ended: the shortest that did so in this way is kept."""
        kept = self.played.ends.get(end)
        if kept is None or len(script.answers) < len(kept.answers):
            self.played.ends[end] = script

    def _end(self, before: State, state: State) -> Trait:
        """How a game has ended: in which phase, in which words, and how many won."""
        outcome = self.game.outcome(state)
        assert outcome is not None, "the game is over"
        words = NUMBERS.sub("…", outcome.reason or "")
        return "end", self.game.phase_of(before), words, len(outcome.winners)

    def _ended(self) -> Wrong | None:
        outcome = self.game.outcome(self.state)
        self.played.is_over, self.played.ended = True, outcome and outcome.reason
        if self.before is not None:
            self.played.reached.setdefault(self._end(self.before, self.state), len(self.played.answers))
        return wrong_at(self.game, self.before, self.state)


def _worth(game: Game) -> Callable[[State, int], float]:
    """What a position is to a seat, as those who search value it; nothing where the rules can't tell."""
    guidance = guidance_of(game)
    walker, worth = Walker(game, guidance), Worth(game, guidance)

    def of(state: State, seat: int) -> float:
        try:
            return worth.of(walker.at(state, 0)[0])[seat]
        except Exception:  # of generated code
            return 0.0

    return of


def _place(game: Game, rnd: Random) -> Any:
    """How much lies in some place: a function of a position."""
    layout = game.layout
    cells = [cell for name in game.setting.numbers for cell in layout.places[name].numbers.values()]
    zones = list(range(layout.zone_count))
    if zones and (not cells or rnd.random() < 0.5):
        number = rnd.choice(zones)
        return lambda state: len(state.zones[number])
    cell = rnd.choice(cells) if cells else layout.work
    return lambda state: state.cells[cell] or 0
