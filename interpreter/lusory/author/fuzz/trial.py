"""Plays planned games, looks at what they come to, and tries findings again. Each process has a trial of its own."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

from lusory_dsl.core import Program

from ...cache import Cache
from ...compiler import NoNative
from ...game import EVALUATOR, Game
from ...native_steps import NativeSteps, WentWrong
from ...table.choices import Decision, RulesetFault
from ...table.cost import Limits
from ...table.state import State
from ...table.store import CodeStore
from ..agreement import Side, compare, compare_steps
from .besides import LONG_EVERY, Besides, Chase, Runs, ended_as, place_in, worth_in
from .goals import Contents, Goals, Trait, Watch
from .leaks import Twin, hides, twin_of
from .marks import Marked
from .nearness import Distance, Nearness
from .variants import Variant
from .ways import Answer, Look, Seats, answer_of
from .wrong import (
    ALL_FOLLOW,
    ENDLESS,
    ENGINES,
    LONGEST,
    Script,
    Wrong,
    fault_of,
    no_way_out,
    scripted,
    wrong_at,
)

LOOKS_EVERY = 16  # decisions after which it is noted what seats can see
KEPT = 24  # games of different options that a process keeps
MOST = 4 * LONGEST  # decisions of a game that is tried again


@dataclass(frozen=True)
class Plan:
    """A game to be played: ``script`` first, then as its seats decide. ``most``: decisions, after which it is left.
    ``chases``: games besides towards goals that no game has come to; ``long``: one may go on for long; ``hides``: also
    look for what tells hidden things."""

    number: int
    script: Script
    most: int
    chases: tuple[Chase, ...] = ()
    long: bool = False
    hides: bool = False


@dataclass
class Played:
    """What a game came to. ``reached``: each trait, with the number of decisions before it; ``ended``: the reason, None
    where it was left; ``besides``: what came of games besides; ``twin``: where what a seat is asked tells what it can't
    see."""

    script: Script
    reached: dict[Trait, int] = field(default_factory=dict)
    wrong: list[tuple[Wrong, Script]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    ended: str | None = None
    is_over: bool = False
    work: int = 0
    besides: Besides = field(default_factory=Besides)
    twin: Twin | None = None

    def exactly(self) -> Script:
        """The game as it went."""
        return Script(self.script.variant, self.script.seed, tuple(self.answers))


@dataclass
class Table:
    """The games of a variant: on the compiled engine, which is quick, on the oracle with somebody who looks on, in
    native code, where that was built."""

    game: Game
    watched: Game
    watch: Watch
    contents: Contents
    worth: Callable[[State, int], float]
    native: NativeSteps | None
    program: Program  # with its marks

    @cached_property
    def marked(self) -> tuple[Game, Callable[[State, int], float]]:
        """The game with marks, and what its positions are worth."""
        game = self.game.of(self.program)
        return game, worth_in(game)


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

    @cached_property
    def marked(self) -> Marked:
        """The program with its marks."""
        return Marked(self.program, self.goals)

    @cached_property
    def nearness(self) -> Nearness:
        """Of which goals it can be told how near a position is."""
        return Nearness(self.program, self.goals)

    def table(self, variant: Variant) -> Table:
        """The games of a variant; those of a few are kept."""
        if variant not in self._tables:
            watch = Watch(self.goals)
            players, options = variant.players, variant.given
            game = Game(self.program, players, options, store=self._codes, limits=self.limits)
            watched = Game(self.program, players, options, EVALUATOR, observer=watch, limits=self.limits)
            native, marked = self._native(game), self.marked.program
            self._tables[variant] = Table(game, watched, watch, Contents(game), worth_in(game), native, marked)
        self._tables.move_to_end(variant)
        while len(self._tables) > KEPT:
            self._tables.popitem(last=False)
        return self._tables[variant]

    def away(self, variant: Variant, goal: int) -> float:
        """How far a goal is from the beginning of games: what options alone decide makes a difference."""
        game = self.oracle(variant)
        return Distance(game, self.nearness.ways[goal])(game.initial)

    def lacking(self, script: Script, goal: int) -> list[str]:
        """What the position that a game leads to lacks of a goal, in words."""
        game, left = self.table(script.variant).game, list(reversed(script.answers))
        state = game.start(script.seed)
        while left and (decision := game.decision(state)) is not None:
            option = scripted(state, decision, left)
            if option is not None:
                state = game.apply(state, option.index)
        return Distance(game, self.nearness.ways[goal]).lacking(state)

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
        if not played.wrong:
            played.besides = self._besides(plan, played.exactly(), rnd)
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

    def _besides(self, plan: Plan, script: Script, rnd: Random) -> Besides:
        """Games besides one that was looked at."""
        runs = self._runs(script.variant, rnd)
        runs.go_on(script, plan.number // LONG_EVERY if plan.long else None)
        for chase in plan.chases:
            chasing = (
                runs if chase.script.variant == script.variant else self._runs(chase.script.variant, rnd, runs.came)
            )
            chasing.chase(chase, Distance(chasing.game, self.nearness.ways[chase.goal]))
        return runs.came

    def _runs(self, variant: Variant, rnd: Random, came: Besides | None = None) -> Runs:
        table = self.table(variant)
        game, worth = table.marked
        look = Look(game, table.watched, table.watch, rnd, self.known, self.taken, place_in(game, rnd), worth)
        return Runs(look, self.known, Besides() if came is None else came)

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
        found = playing.run().wrong
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
            self.game, self.watched, table.watch, rnd, trial.known, trial.taken, place_in(self.game, rnd), table.worth
        )
        self.seats = Seats(self.look, self.game.players)
        self.left = list(reversed(plan.script.answers))
        self.before: State | None = None
        self.here: bytes | None = b""  # of native code; None: it has left the game
        self.state = self.other = State([], [], [])

    def run(self) -> Played:
        """Play until the game is over, something is wrong or it takes too long."""
        seed, game, watched = self.plan.script.seed, self.game, self.watched
        self.table.contents.forget()
        wrong = self._both(lambda: game.start(seed), lambda: watched.start(seed))
        if isinstance(seed, int):
            wrong = wrong or self._natively(lambda steps: steps.start(seed))
        else:
            self.here = None  # no native code has secure chance
        while wrong is None and (decision := game.decision(self.state)) is not None:
            wrong = wrong_at(game, self.before, self.state)
            if wrong is not None:
                break
            if len(self.played.answers) >= self.plan.most:
                wrong = no_way_out(game, self.state, 0)
                break
            wrong = self._take(decision)
        else:
            wrong = wrong or self._ended()
        if wrong is not None:
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

    def _ended(self) -> Wrong | None:
        outcome = self.game.outcome(self.state)
        self.played.is_over, self.played.ended = True, outcome and outcome.reason
        if self.before is not None:
            self.played.reached.setdefault(ended_as(self.game, self.before, self.state), len(self.played.answers))
        return wrong_at(self.game, self.before, self.state)
