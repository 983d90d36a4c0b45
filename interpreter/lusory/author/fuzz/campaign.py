"""A search for what is wrong with rules: games in rounds, each round planned by what those before it came to.

The same ruleset, seed and number of games give the same findings, with however many processes. What reached something
first, or with fewer decisions than any other, is kept as a beginning of further games: it is played on, cut, changed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic
from typing import Any

from lusory_dsl.core import Program

from ...processes import in_order
from ...table.cost import Limits
from ...table.store import CodeStore
from ..adequacy.items import Item
from .besides import LONG_EVERY, Besides, Chase
from .case_file import Found, written
from .goals import ENDINGS, GOALS, Trait
from .leaks import Twin, shrunk
from .shrink import Shrinking
from .trial import Plan, Played, Trial
from .variants import Variant, Variants
from .ways import Answer
from .wrong import ENGINES, Script, Wrong

JSON_VERSION = 1
ROUNDS = (8, 16, 32, 64)  # games of a round; the last goes on
SHORT = 200  # decisions of games that do not end before, behind those they begin with …
LARGE = 1_000  # … and fewer of a ruleset with so many goals: half, a third, …
HIDDEN_EVERY = 4  # in one of so many games it is looked for what tells hidden things
FRESH = 0.3  # how many games begin from the start
CHASES = 4  # games besides each that come near to a goal that is open
NEAREST = 3  # games that are kept for each goal
ENDINGS_FIRST = 4  # how often an ending is chased for each time that something else is
DRAWN = 4  # settings that were played, and others, of which the nearest to a goal is taken
BACK = 12  # decisions that a chase may take back
MOST_FOUND = 20
MOST_NEAREST = 30  # goals of which it is told what they lacked
MOST_ANSWERS = 200_000  # of which it is counted how often they were given

Progress = Callable[[int], None]


@dataclass
class Campaign:
    """``games``: at most so many; None: until the time is over. ``starts``: games that are looked at first, and that
    others go on from, as from all that are kept. ``found``, ``reached`` and the counts grow while
    :meth:`run` is at work, and can be read whenever it is interrupted."""

    program: Program
    variants: Variants
    games: int | None
    seconds: float | None = None
    seed: int = 0
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    store: CodeStore | None = None
    starts: Sequence[Script] = ()
    found: list[Found] = field(default_factory=list)
    played: int = 0
    decisions: int = 0
    left: int = 0  # games that were not played to an end
    most_work: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    hits: Counter[Trait] = field(default_factory=Counter)
    taken: Counter[Answer] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.first: dict[Trait, tuple[int, Script]] = {}
        self.trial = Trial(self.program, self.limits, self.store)
        self._known: dict[tuple[str, str, str], Found | None] = {}  # None: no more is wanted of it
        self._unseen = deque[tuple[Trait, Script]]((("start",), script) for script in self.starts)
        self._looked: set[int] = set()  # goals that came about while somebody looked on
        self._chased = Counter[int]()
        self._nearest: dict[int, list[tuple[float, Script]]] = {}

    # ------------------------------------------------------------ the search

    def run(self, progress: Progress | None = None) -> None:
        """Search until there were so many games, so much time has gone or so much was found."""
        until = None if self.seconds is None else monotonic() + self.seconds
        while not self._is_done(until):
            self.trial.known, self.trial.taken = dict(self.hits), dict(self.taken)
            size = ROUNDS[min(self.played // ROUNDS[-1], len(ROUNDS) - 1)]
            size = size if self.games is None else min(size, self.games - self.played)
            plans = [self._plan(number) for number in range(self.played, self.played + size)]
            with closing(in_order(self.trial.play, plans, self.jobs)) as results:
                for plan, played in zip(plans, results, strict=True):
                    self._take(plan, played)
                    if progress is not None:
                        progress(self.played)
                    if self._is_done(until):
                        break

    def _is_done(self, until: float | None) -> bool:
        if len(self.found) >= MOST_FOUND or (until is not None and monotonic() >= until):
            return True
        return self.games is not None and self.played >= self.games

    def _take(self, plan: Plan, played: Played) -> None:
        """Count a game, and keep what is new of it."""
        self.played += 1
        self.decisions += len(played.answers) + played.besides.decisions
        self.most_work = max(self.most_work, played.work)
        self.left += not played.is_over and not played.wrong
        if played.is_over:
            self.ends[played.ended or ""] += 1
        self.taken.update(a for a in played.answers if a in self.taken or len(self.taken) < MOST_ANSWERS)
        self.hits.update(played.reached.keys())
        script = played.exactly()
        for trait, step in played.reached.items():
            kept = self.first.get(trait)
            if kept is None or step < kept[0]:
                self.first[trait] = step, script
        self._looked.update(trait[1] for trait in played.reached if trait[0] == "goal")
        self._take_besides(played.besides)
        for wrong, leading in (*played.wrong, *played.besides.wrong):
            known = self._known.get(wrong.key)
            if wrong.key not in self._known:
                self._keep(Found(wrong, plan.number, len(leading.answers), leading))
            elif known is not None and len(leading.answers) < len(known.script.answers) and not known.script.onwards:
                self._shrink(known, leading, wrong)  # by another way, shorter than what the first came down to
        if played.twin is not None:
            self._take_twin(plan, played.twin)

    def _take_besides(self, came: Besides) -> None:
        """Count what games besides came to; those that came to something new are looked at later."""
        for trait, script in came.fresh.items():
            made = len(script.answers)
            kept = self.first.get(trait)
            if kept is None or made < kept[0]:
                self.first[trait] = made, script
            if kept is not None:
                continue
            self.hits[trait] += 1
            for goal in self._goals_of(trait):
                self.hits["goal", goal] += 1
                self.first.setdefault(("goal", goal), (made, script))
            if trait[0] == "end":
                self._unseen.appendleft((trait, script))
            else:
                self._unseen.append((trait, script))
        for goal, near in came.nearest.items():
            kept_near = [*self._nearest.get(goal, ()), near]
            self._nearest[goal] = sorted(kept_near, key=lambda one: (one[0], len(one[1].answers)))[:NEAREST]

    def _goals_of(self, trait: Trait) -> tuple[int, ...]:
        return self.trial.marked.goals_of[trait[1]] if trait[0] == "mark" else ()

    def _take_twin(self, plan: Plan, twin: Twin) -> None:
        """Keep what tells hidden things."""
        game = self.trial.oracle(twin.variant)
        wrong = twin.wrong(game)
        if wrong.key in self._known:
            return
        self._known[wrong.key] = None
        before, twin = len(twin.answers), shrunk(game, twin)
        found = Found(twin.wrong(game), plan.number, before, Script(twin.variant, 0, twin.answers), twin)
        self.found.append(found)
        found.file = written(self.trial, found, len(self.found))

    def _keep(self, found: Found) -> None:
        """Keep a finding; it is known before it is small. One of a game besides is tried again without marks: these
        cost work of their own."""
        self._known[found.wrong.key] = None
        if found.wrong.kind != ENGINES and self.trial.again(found.script, found.wrong) is None:
            del self._known[found.wrong.key]
            return
        self._known[found.wrong.key] = found
        self.found.append(found)
        self._shrink(found, found.script, found.wrong)

    def _shrink(self, found: Found, script: Script, wrong: Wrong) -> None:
        """Make a way to a finding small; it stays the finding's where it is smaller than the one before."""
        work = Shrinking(self.trial.again, self.variants, script, wrong)
        try:
            work.run()
        finally:
            if found.file is None or len(work.script.answers) < len(found.script.answers):
                found.script, found.wrong = work.script, work.wrong
        found.file = written(self.trial, found, self.found.index(found) + 1)

    # ------------------------------------------------------------ plans

    def _plan(self, number: int) -> Plan:
        rnd = Random(f"{self.seed} {number}")
        seed = rnd.randrange(1 << 20)
        unseen = self._next_unseen()
        if unseen is not None:
            script = unseen
        elif not self.first or rnd.random() < FRESH:
            variant = self.variants.usual() if number < 4 else self.variants.draw(rnd)
            script = Script(variant, seed, ())
        else:
            script = self._changed(self._beginning(rnd), rnd, seed)
        turn = number + 1
        most = len(script.answers) + SHORT // (1 + len(self.trial.goals.items) // LARGE)
        chases = tuple(self._chases(rnd))
        return Plan(number, script, most, chases, number % LONG_EVERY == 0, turn % HIDDEN_EVERY == 0)

    def _next_unseen(self) -> Script | None:
        """A game at which nobody looked on, and that came to something which came about in no game that was looked
        at."""
        while self._unseen:
            trait, script = self._unseen.popleft()
            goals = self._goals_of(trait)
            if not goals or not self._looked.issuperset(goals):
                return script
        return None

    def _chases(self, rnd: Random) -> Iterator[Chase]:
        """Some of the goals that no game came to, those chased least often, each with a game to go on from."""
        items, ways = self.trial.goals.items, self.trial.nearness.ways
        open_ = [number for number in self._open() if number in ways]

        def turn(number: int) -> tuple[float, float]:
            often = ENDINGS_FIRST if items[number].kind == ENDINGS else 1
            return (1 + self._chased[number]) / often, rnd.random()

        for number in sorted(open_, key=turn)[:CHASES]:
            self._chased[number] += 1
            yield Chase(number, self._towards(number, rnd))

    def _towards(self, goal: int, rnd: Random) -> Script:
        """A game that came near to a goal, some way back; one that came to what the goal stands in; or none yet."""
        seed = rnd.randrange(1 << 20)
        within = self.trial.goals.items[goal].within
        near = [script for _, script in self._nearest.get(goal, ())]
        if (
            within is not None
            and (leading := self.first.get(("goal", self.trial.goals.number[id(within)]))) is not None
        ):
            near.append(Script(leading[1].variant, leading[1].seed, leading[1].answers[: leading[0]]))
        if near and rnd.random() > FRESH:
            script = rnd.choice(near)
            back = rnd.randrange(BACK) if rnd.random() < 0.5 else 0
            return replace(script, answers=script.answers[: max(len(script.answers) - back, 0)])
        return Script(self._suited(goal, rnd), seed, ())

    def _suited(self, goal: int, rnd: Random) -> Variant:
        """The setting nearest to a goal: one that was played, unless another one is nearer, as code for it costs."""
        played = list(dict.fromkeys(script.variant for _, script in self.first.values()))
        known = rnd.sample(played, min(DRAWN, len(played)))
        drawn = [*known, *(self.variants.draw(rnd) for _ in range(DRAWN))]
        return min(drawn, key=lambda variant: self.trial.away(variant, goal))

    def _beginning(self, rnd: Random) -> Script:
        """Up to where something was reached: what leads to an open goal, or else what few games came to."""
        near = list(self._leading()) if rnd.random() < 0.5 else []
        traits = near or list(self.first)
        drawn = [rnd.choice(traits) for _ in range(3)]
        step, script = self.first[min(drawn, key=lambda trait: self.hits[trait])]
        return Script(script.variant, script.seed, script.answers[:step])

    def _leading(self) -> Iterator[Trait]:
        """What was reached that open goals stand in, and the nearest that comparisons came."""
        goals = self.trial.goals
        for number, item in enumerate(goals.items):
            if ("goal", number) in self.first:
                continue
            nearest = next((t for d in range(65) if (t := ("near", number, d)) in self.first), None)
            if nearest is not None:
                yield nearest
            if item.within is not None:
                leads = "goal", goals.number[id(item.within)]
                if leads in self.first:
                    yield leads

    def _changed(self, script: Script, rnd: Random, seed: int) -> Script:
        """A beginning as it is, or cut, with something left out or put in, by other chance or with other options."""
        answers, variant, kept = list(script.answers), script.variant, script.seed
        match rnd.randrange(8):
            case 0 if answers:
                del answers[rnd.randrange(len(answers)) :]
            case 1 if answers:
                del answers[rnd.randrange(len(answers))]
            case 2:
                _, other = self.first[rnd.choice(list(self.first))]
                at = rnd.randrange(len(answers) + 1)
                answers[at:] = other.answers[at:]
            case 3:
                kept = seed
            case 4:
                variant = self.variants.draw(rnd)
        return Script(variant, kept, tuple(answers))

    # ------------------------------------------------------------ what came of it

    def reached(self) -> dict[str, tuple[int, int]]:
        """Of each kind of goals that there is: how many were reached, and how many there are."""
        items = self.trial.goals.items
        return {
            kind: (sum(("goal", n) in self.hits for n, item in enumerate(items) if item.kind == kind), total)
            for kind in GOALS
            if (total := sum(item.kind == kind for item in items))
        }

    def _open(self) -> list[int]:
        """The numbers of the goals that no game came to, of those that something reached leads to, and all endings."""
        items = self.trial.goals.items
        open_ = {id(item): n for n, item in enumerate(items) if ("goal", n) not in self.hits}
        return [n for n in open_.values() if items[n].kind == ENDINGS or id(items[n].within) not in open_]

    def never(self) -> list[Item]:
        """The goals that no game came to, of those that something reached leads to, and all endings."""
        return [self.trial.goals.items[number] for number in self._open()]

    def nearest(self) -> dict[Item, tuple[int, list[str]]]:
        """Of some goals that no game came to, as far as they were chased: after how many decisions a game was nearest,
        and what it lacked there."""
        items = self.trial.goals.items
        chased = [number for number in self._open() if number in self._nearest]
        found = {}
        for number in sorted(chased, key=lambda number: items[number].kind != ENDINGS)[:MOST_NEAREST]:
            _, script = self._nearest[number][0]
            found[items[number]] = len(script.answers), self.trial.lacking(script, number)
        return found

    def to_json(self) -> dict[str, Any]:
        """A JSON value."""
        program, nearest = self.program, self.nearest()
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "seed": self.seed,
            "games": self.played,
            "decisions": self.decisions,
            "not_ended": self.left,
            "ends": dict(sorted(self.ends.items(), key=lambda end: (-end[1], end[0]))),
            "most_work": self.most_work,
            "reached": {kind: {"reached": one, "of": total} for kind, (one, total) in self.reached().items()},
            "never": [
                {
                    "kind": item.kind,
                    "name": item.name,
                    "place": str(item.span),
                    "what": item.missing,
                    **({"decisions": nearest[item][0], "lacks": nearest[item][1]} if item in nearest else {}),
                }
                for item in self.never()
            ],
            "findings": [
                {
                    "kind": one.wrong.kind,
                    "where": one.wrong.where,
                    "message": one.wrong.message,
                    "place": None if one.wrong.span is None else str(one.wrong.span),
                    "game": one.number,
                    "decisions": [one.before, len(one.script.answers)],
                    "file": None if one.file is None else {"name": one.file.name, "text": one.file.text},
                }
                for one in self.found
            ],
        }
