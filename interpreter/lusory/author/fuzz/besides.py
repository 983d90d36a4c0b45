"""Games that are played besides one that is looked at: quick, with nobody looking on. What is rare needs many tries.

Some go on from positions of that game for a while, some go to their end, from there or from the start; some are
*chases*, in which all seats want to come near to one goal that no game has come to, and which begin where another chase
came nearest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

from ...game import Game
from ...search.advice import guidance_of
from ...search.positions import Walker
from ...search.worth import Worth
from ...table.choices import Decision, Option, RulesetFault
from ...table.state import State
from .goals import Trait
from .marks import MARKS
from .nearness import Distance
from .ways import QUICK, SCOUTING, SELDOM, WAYS, Answer, Look, Seats, answer_of
from .wrong import LONGEST, Script, Wrong, fault_of, nearly_spent, no_way_out, scripted, wrong_at

SPRINTS = 4  # games besides that go on from positions of one …
SPRINT = 150  # … for so many decisions
SCOUTS = 8  # games besides that go to their end, half of them from the start …
SCOUT = 1_500  # … for so many decisions
CHECKS = 8  # decisions of a game besides after which invariants are looked at
EAGER = (1.0, 0.8, 0.5)  # how likely it is that a seat of a chase takes what leads nearest
CHASE = 400  # decisions of a chase, behind those that it begins with …
LOOKED = 4_000  # … and positions, or what costs as much, that it looks ahead at
SOON = 8  # decisions behind a position in which all holds that a goal takes
CHEAP = 100  # items that are gone through to find out a distance for the price of one position
LONG_EVERY = 16  # one of so many games may be long
NUMBERS = re.compile(r"\d+")  # ways to end that differ in these alone are one


@dataclass(frozen=True)
class Chase:
    """A goal to come near to, by its number, and a game to go on from."""

    goal: int
    script: Script


@dataclass
class Besides:
    """What games besides came to. ``fresh``: of each way to end and each mark that no game had come to, the shortest
    game to there, and of goals one in which all that they take held for once; ``nearest``: of each chase that came
    nearer to its goal, how near and by which game."""

    decisions: int = 0
    fresh: dict[Trait, Script] = field(default_factory=dict)
    nearest: dict[int, tuple[float, Script]] = field(default_factory=dict)
    wrong: list[tuple[Wrong, Script]] = field(default_factory=list)


class Runs:
    """Plays them. ``game`` is one with marks; ``known``: what games have come to."""

    def __init__(self, look: Look, known: Mapping[Trait, Any], came: Besides) -> None:
        self.look, self.game, self.known, self.came = look, look.game, known, came
        place = self.game.layout.places[MARKS]
        self.marks = slice(place.offset, place.offset + place.size)

    def go_on(self, script: Script, long: int | None = None) -> None:
        """Some go on from positions of a game, some begin anew. ``long``: the number of a way to play for long
        from its start, or to try whether there is an end where it was left."""
        rnd, players = self.look.rnd, self.game.players
        made = len(script.answers)
        for _ in range(min(SPRINTS, 2 * made)):
            self.play(_cut(script, rnd.randrange(made)), partial(WAYS[rnd.choice(QUICK)], self.look), SPRINT)
        for number in range(SCOUTS if made else 0):
            begins = (
                Script(script.variant, rnd.randrange(1 << 20), ()) if number % 2 else _cut(script, rnd.randrange(made))
            )
            self.play(begins, Seats(self.look, players, SCOUTING, SELDOM).decide, SCOUT)
        if long is not None and made:
            decide = partial(WAYS[QUICK[long // 2 % len(QUICK)]], self.look)
            if long % 2:
                self.play(_cut(script, 0), decide, 4 * LONGEST, tries=LONGEST)
            else:
                self.play(script, decide, 0, tries=LONGEST)

    def chase(self, chase: Chase, distance: Distance) -> None:
        """All seats together come as near to a goal as they can, or nearly so."""
        chasing = _Chasing(self.look, distance, self.game.players)
        answers = self.play(chase.script, chasing.decide, CHASE, chasing.arrived)
        if chasing.best == 0:  # perhaps it is looked at soon
            whole = replace_answers(chase.script, answers)
            self._keep(("stands", chase.goal), _cut(whole, chasing.at + SOON))
        if chasing.at >= 0:
            self.came.nearest[chase.goal] = chasing.best, _cut(replace_answers(chase.script, answers), chasing.at)

    def play(
        self,
        script: Script,
        decide: Callable[[State, Decision], Option],
        most: int,
        arrived: Callable[[State, int], object] | None = None,
        tries: int = 0,
    ) -> list[Answer]:
        """Play a game on, for at most so many decisions: what was decided, with what it began with. ``arrived`` is
        told each position behind that, and how many decisions led there. ``tries``: where it is left, so many more
        decisions of each way are tried for an end."""
        game, answers, left = self.game, list[Answer](), list(reversed(script.answers))
        wrong: Wrong | None = None
        begun = len(left)
        try:
            state = game.start(script.seed)
            block = [state]
            last = state.cells[self.marks]
            while (decision := game.decision(state)) is not None and len(answers) < begun + most:
                option = scripted(state, decision, left) if left else None
                if option is None:
                    if arrived is not None:
                        arrived(state, len(answers))
                    option = decide(state, decision)
                answers.append(answer_of(decision, option))
                state = game.apply(state, option.index)
                self.came.decisions += 1
                marks = state.cells[self.marks]
                if marks != last:
                    self._marked(last, marks, Script(script.variant, script.seed, tuple(answers)))
                    last = marks
                if left:
                    block = [state]
                    continue
                wrong = nearly_spent(game, block[-1], state)
                block.append(state)
                if wrong is None and len(block) > CHECKS:
                    wrong, block = self._broken(block, answers), [state]
                if wrong is not None:
                    break
            else:
                wrong = self._broken(block, answers)
                if wrong is None and decision is not None:
                    wrong = no_way_out(game, state, tries)
                elif wrong is None and len(block) > 1:
                    ended = ended_as(game, block[-2], state)
                    self._keep(ended, Script(script.variant, script.seed, tuple(answers)))
        except RulesetFault as fault:
            wrong = fault_of(fault)
        if wrong is not None:
            self.came.wrong.append((wrong, Script(script.variant, script.seed, tuple(answers))))
        return answers

    def _marked(self, last: Sequence[int], marks: Sequence[int], script: Script) -> None:
        for number, (before, after) in enumerate(zip(last, marks, strict=True)):
            if after and not before and ("mark", number) not in self.known:
                self._keep(("mark", number), script)

    def _keep(self, trait: Trait, script: Script) -> None:
        """A game besides came to something: the shortest that did is kept."""
        kept = self.came.fresh.get(trait)
        if kept is None or len(script.answers) < len(kept.answers):
            self.came.fresh[trait] = script

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


class _Chasing:
    """How the seats of a chase decide. ``best``: the least distance that they came to, after ``at`` decisions."""

    def __init__(self, look: Look, distance: Distance, players: int) -> None:
        self.look, self.distance = look, distance
        self.eager = look.rnd.choice(EAGER)
        self.others = Seats(look, players, SCOUTING, SELDOM)
        self.best, self.at = float("inf"), -1
        self.left = LOOKED

    def decide(self, state: State, decision: Decision) -> Option:
        """What leads nearest, of a few options."""
        look = self.look
        if self.left <= 0 or look.rnd.random() >= self.eager:
            return self.others.decide(state, decision)
        found = []
        for option in look.few(decision.options):
            after = look.after(state, option)
            if after is None:
                return option  # where the rules go wrong, that
            found.append((self._of(after), look.rnd.random(), option))
        return min(found)[2]

    def arrived(self, state: State, made: int) -> None:
        """Notes how near a position is."""
        if self.left > 0 and (away := self._of(state)) < self.best:
            self.best, self.at = away, made

    def _of(self, state: State) -> float:
        away = self.distance(state)
        self.left -= 1 + self.distance.visited // CHEAP
        return away


def ended_as(game: Game, before: State, state: State) -> Trait:
    """How a game has ended: in which phase, in which words, and how many won."""
    outcome = game.outcome(state)
    assert outcome is not None, "the game is over"
    words = NUMBERS.sub("…", outcome.reason or "")
    return "end", game.phase_of(before), words, len(outcome.winners)


def worth_in(game: Game) -> Callable[[State, int], float]:
    """What a position is to a seat, as those who search value it; nothing where the rules can't tell."""
    guidance = guidance_of(game)
    walker, worth = Walker(game, guidance), Worth(game, guidance)

    def of(state: State, seat: int) -> float:
        try:
            return worth.of(walker.at(state, 0)[0])[seat]
        except Exception:  # of generated code
            return 0.0

    return of


def place_in(game: Game, rnd: Random) -> Callable[[State], int]:
    """How much lies in some place: a function of a position."""
    layout = game.layout
    cells = [cell for name in game.setting.numbers for cell in layout.places[name].numbers.values()]
    zones = list(range(layout.zone_count))
    if zones and (not cells or rnd.random() < 0.5):
        number = rnd.choice(zones)
        return lambda state: len(state.zones[number])
    cell = rnd.choice(cells) if cells else layout.work
    return lambda state: state.cells[cell] or 0


def replace_answers(script: Script, answers: Sequence[Answer]) -> Script:
    """A game that began as another one, with other decisions."""
    return Script(script.variant, script.seed, tuple(answers))


def _cut(script: Script, made: int) -> Script:
    """The beginning of a game."""
    return replace_answers(script, script.answers[:made])
