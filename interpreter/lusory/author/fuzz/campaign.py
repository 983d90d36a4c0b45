"""A search for what is wrong with rules: games in rounds, each round planned by what those before it came to.

The same ruleset, seed and number of games give the same findings, with however many processes. What reached something
first, or with fewer decisions than any other, is kept as a beginning of further games: it is played on, cut, changed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any

from lusory_dsl.core import Program

from ...processes import in_order
from ...table.cost import Limits
from ...table.store import CodeStore
from ..adequacy.items import Item
from .case_file import Found, written
from .goals import GOALS, Trait
from .leaks import Twin, shrunk
from .shrink import Shrinking
from .trial import LONG_EVERY, Plan, Played, Trial
from .variants import Variants
from .ways import Answer
from .wrong import Script

JSON_VERSION = 1
ROUNDS = (8, 16, 32, 64)  # games of a round; the last goes on
SHORT = 200  # decisions of games that do not end before, behind those they begin with …
LARGE = 1_000  # … and fewer of a ruleset with so many goals: half, a third, …
HIDDEN_EVERY = 4  # in one of so many games it is looked for what tells hidden things
FRESH = 0.3  # how many games begin from the start
MOST_FOUND = 20
MOST_ANSWERS = 200_000  # of which it is counted how often they were given

Progress = Callable[[int], None]


@dataclass
class Campaign:
    """``games``: at most so many; None: until the time is over. ``found``, ``reached`` and the counts grow while
    :meth:`run` is at work, and can be read whenever it is interrupted."""

    program: Program
    variants: Variants
    games: int | None
    seconds: float | None = None
    seed: int = 0
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    store: CodeStore | None = None
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
        self._keys: set[tuple[str, str, str]] = set()
        self._unseen = deque[Script]()  # games besides that ended as no other did, and at which nobody looked on

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
        self.decisions += len(played.answers) + played.quick
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
        for end, besides in played.ends.items():
            kept = self.first.get(end)
            if kept is None:
                self._unseen.append(besides)
            if kept is None or len(besides.answers) < kept[0]:
                self.first[end] = len(besides.answers), besides
        for wrong, leading in played.wrong:
            if wrong.key not in self._keys:
                self._keys.add(wrong.key)
                self._keep(Found(wrong, plan.number, len(leading.answers), leading))
        if played.twin is not None:
            self._take_twin(plan, played.twin)

    def _take_twin(self, plan: Plan, twin: Twin) -> None:
        """Keep what tells hidden things."""
        game = self.trial.oracle(twin.variant)
        wrong = twin.wrong(game)
        if wrong.key in self._keys:
            return
        self._keys.add(wrong.key)
        before, twin = len(twin.answers), shrunk(game, twin)
        found = Found(twin.wrong(game), plan.number, before, Script(twin.variant, 0, twin.answers), twin)
        self.found.append(found)
        found.file = written(self.trial, found, len(self.found))

    def _keep(self, found: Found) -> None:
        """Shrink a finding; it is known before it is small."""
        self.found.append(found)
        work = Shrinking(self.trial.again, self.variants, found.script, found.wrong)
        try:
            work.run()
        finally:
            found.script, found.wrong = work.script, work.wrong
        found.file = written(self.trial, found, len(self.found))

    # ------------------------------------------------------------ plans

    def _plan(self, number: int) -> Plan:
        rnd = Random(f"{self.seed} {number}")
        seed = rnd.randrange(1 << 20)
        if self._unseen:
            script = self._unseen.popleft()
        elif not self.first or rnd.random() < FRESH:
            variant = self.variants.usual() if number < 4 else self.variants.draw(rnd)
            script = Script(variant, seed, ())
        else:
            script = self._changed(self._beginning(rnd), rnd, seed)
        turn = number + 1
        most = len(script.answers) + SHORT // (1 + len(self.trial.goals.items) // LARGE)
        return Plan(number, script, most, number % LONG_EVERY == 0, turn % HIDDEN_EVERY == 0)

    def _beginning(self, rnd: Random) -> Script:
        """Up to where something was reached: what leads to an open goal, or else what few games came to."""
        near = list(self._towards()) if rnd.random() < 0.5 else []
        traits = near or list(self.first)
        drawn = [rnd.choice(traits) for _ in range(3)]
        step, script = self.first[min(drawn, key=lambda trait: self.hits[trait])]
        return Script(script.variant, script.seed, script.answers[:step])

    def _towards(self) -> Iterator[Trait]:
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

    def never(self) -> list[Item]:
        """The goals that no game came to, of those that something reached leads to."""
        items = self.trial.goals.items
        open_ = {id(item) for n, item in enumerate(items) if ("goal", n) not in self.hits}
        return [item for item in items if id(item) in open_ and id(item.within) not in open_]

    def to_json(self) -> dict[str, Any]:
        """A JSON value."""
        program = self.program
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
                {"kind": item.kind, "name": item.name, "place": str(item.span), "what": item.missing}
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
