"""Leads worlds through steps of which nothing was told, to one that tells what came of them: a beam search.

What another seat does in private comes to light all at once, in the words and moves of the step that ends it. Of each
way through the steps before it is asked what would be told if it ended now; those go on that come nearest, the best
few of each question that is asked on the way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from lusory_dsl.core.knowledge import is_component

from ..table.choices import RulesetFault
from ..table.events import Event, redacted
from ..table.setting import label_of
from ..table.state import State
from .cards import path, then
from .fortune import Fortune, Guide, Lots
from .observed import Observed
from .particles import Particle, Taken, Tried
from .revising import Reviser

WIDTHS = (1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 8, 8, 10, 10, 12, 12, 12, 12)
"""Ways that go on of those that are held against each other, in one search after the other."""
LEVELS = 8  # of how much is missing, each of which has its own ways that go on
ENDS = 6  # answers of one decision that are tried as the last one
WRONG = 3  # times worse is what would be told and was not than what is missing yet
ASKED = 3  # times that an alternative is tried as the last one, which never is
ANSWERS = 6  # that are gone on from one way
CLOSEST = 12  # ways of which the last step is tried
GRAMS = (1, 2, 3)  # words that follow each other
CLAUSE = 4  # times as much as a word counts what stands between two marks
CLAUSES = re.compile(r"[.,:;!?()]+")


class Way(NamedTuple):
    """A world on its way. ``missing``: what would not have been told when it could last have ended, and ``misses`` how
    far off it would have been; ``said``: how much of what was answered since is missing there; ``words``: in which that
    would be said. ``tried``: the step after which all this is, where the world is the one before it."""

    world: Particle
    site: int
    missing: Counter[Any]
    misses: int
    said: int = 0
    words: tuple[str, ...] = ()
    tried: Tried | None = None

    @property
    def state(self) -> State:
        """The position it has come to."""
        return self.world.state if self.tried is None else self.tried.after


class Leader:
    """Leads worlds to the last step that the seat of a reviser has seen."""

    def __init__(self, reviser: Reviser) -> None:
        self.reviser, self.follower = reviser, reviser.follower
        self.last = reviser.steps[reviser.last]
        revealed = dict(reviser.revealed.get(reviser.last, ()))
        self.cells = list(revealed)
        self.wanted = self._parts(self.last.events, revealed)
        self.hints = reviser.hints(reviser.last - 1)
        self._ends: dict[tuple[Any, ...], tuple[Counter[Any], int] | None] = {}
        self._ending: dict[tuple[int, int], int] = {}  # how often each alternative was tried, -1: it can be the last

    def led(self, worlds: Sequence[Particle], wished: int) -> list[Particle]:
        """Worlds after the last step, made of some from before it."""
        found = list[Particle]()
        for number, width in enumerate(WIDTHS):
            begun = self._prepared(worlds[self.reviser.fortune.below(len(worlds))], number % 2 == 0)
            missing = self.wanted - Counter((cell, begun.state.cells[cell]) for cell in self.cells)
            ways = [Way(begun, self._site(begun.state), missing, missing.total())]
            for step in range(len(begun.turns), self.reviser.last):
                if self.reviser.left <= 0:
                    return found
                ways = self._best([other for way in ways for other in self._further(way, step)], step, width)
            for way in sorted(ways, key=attrgetter("misses"))[:CLOSEST]:
                world = self.reviser.played(way.world, self.reviser.last)
                if world is not None and world.exact:
                    found.append(world)
                if len(found) == wished:
                    break
            if found:
                return found
        return found

    def _prepared(self, world: Particle, is_last: bool) -> Particle:
        """A world in which what is named later lies with who chooses, as far as it may, behind all else there or
        anywhere: answers are given in the order in which it lies."""
        follower, decision = self.follower, self.follower.game.decision(world.state)
        if decision is None or decision.seat == follower.seat:
            return world
        state, names, fortune = world.state, dict[int, int](), self.reviser.fortune
        location, owners = follower.layout.location, follower.facts.owners
        wanting = follower.wanting(state, self.hints)
        named = (self._at_hand() | {card for card, is_so in wanting.items() if is_so}) & world.loose.keys()
        for card in fortune.shuffled(sorted(named)):
            others = [one for one in world.loose if owners[state.cells[location + one]] == decision.seat]
            others = fortune.shuffled([one for one in others if one == card or one not in named])
            if is_last:
                others.sort(key=lambda one: -state.zones[state.cells[location + one]].index(one))
            for other in others:
                if other == card:
                    break
                way = path(follower.layout, state, world.loose, card, other)
                if way is not None:
                    state, names = follower.renamed(world, state, way), then(names, way)
                    break
        if not names:
            return world
        hung = follower.rehung(world.hung, names, fortune)
        return world if hung is None else world._replace(state=state, hung=hung)

    def _at_hand(self) -> set[int]:
        """The components that are named at last, but for those that come from where it is told."""
        found, moved = set[int](), set[int]()
        for event in self.last.events:
            if event[0] == "cards":
                moved.update(card for card, source in zip(event[1], event[5], strict=True) if source is not None)
            found.update(card for card in self.follower.facts.named([event]) if card not in moved)
        return found

    def _further(self, way: Way, step: int) -> Iterator[Way]:
        """A way after one more step, for each of the likeliest answers that nobody heard of."""
        reviser, follower, world = self.reviser, self.follower, way.world
        seen = reviser.steps[step]
        named = self._named(way.missing)
        answers = [(*self._said(way, named, answer), answer) for answer in follower.answers(world.state, seen)]
        answers = sorted(reviser.fortune.shuffled(answers), key=lambda one: -one[0])
        for number, (said, words, answer) in enumerate(answers[:ANSWERS]):
            follower.tries = given = reviser.left
            tried = follower.attempt(world, world.state, answer, seen, reviser.fortune) if given > 0 else None
            reviser.left -= given - follower.tries
            if tried is not None and not tried.moved:
                tried = tried._replace(hung=world.hung, alike=(number, len(answers)))
                site = self._site(tried.after)
                yield way._replace(site=site, said=way.said + said, words=words, tried=tried)

    def _said(self, way: Way, named: Container[int], answer: Taken) -> tuple[int, tuple[str, ...]]:
        """How many more of the values of an answer are named in what is missing than are not, and of the words that
        follow each other with those of the answers before it; and these words. Of what is none nothing need be said."""
        said, words, setting = 0, list(way.words), self.follower.game.setting
        for value, type in zip(answer[1], self.follower.types(way.site, answer[0]), strict=False):
            if is_component(type) and (named or value in named):
                said += 1 if value in named else -1
            elif value is not None:
                for word in _words(label_of(setting, value, type)):
                    words.append(word)
                    grams = [" ".join(words[-n:]) for n in GRAMS if n <= len(words)]
                    said += sum(1 if gram in way.missing else -1 for gram in grams)
        return said, tuple(words)

    def _named(self, missing: Iterable[Any]) -> set[int]:
        """The components that are named in what is missing."""
        about, found = self.follower.facts.about, set[int]()
        for part in missing:
            if part.__class__ is tuple and part[0] in about:
                found.add(about[part[0]])
            elif part.__class__ is tuple:
                found.update(self.follower.facts.named([part]))
        return found

    def _site(self, state: State) -> int:
        """What is asked in a position; -1: nothing."""
        decision = self.follower.game.decision(state)
        return -1 if decision is None else decision.site

    def _ended(self, way: Way, held: tuple[Any, ...]) -> Way:
        """A way with what would not be told that was, and how far off it would be, if now came the last step."""
        if held not in self._ends:
            self._ends[held] = self._ending_now(way.state)
        found = self._ends[held]
        return way if found is None else way._replace(missing=found[0], misses=found[1], said=0, words=())

    def _ending_now(self, state: State) -> tuple[Counter[Any], int] | None:
        """What would be missing and how far off it would be if now came the last step; None: it can't come."""
        decision = self.follower.game.decision(state)
        if decision is None:
            return None
        nearest, tried = None, 0
        for option in decision.options:
            key = decision.site, option.alternative
            if tried >= ENDS or self._ending.get(key, 0) >= ASKED:
                continue
            tried += 1
            log = list[Event]()
            guide = Guide(self.last.events, Fortune(0, "draws"), Lots(), self.follower.seat)
            self.reviser.left -= 1
            try:
                after = self.follower.played(state, option[1:], log, guide)
            except RulesetFault:
                continue
            told = redacted(log, self.follower.seat, self.follower.game)
            if after is None or [event[:2] for event in told[:1]] != [event[:2] for event in self.last.events[:1]]:
                if self._ending.get(key, 0) >= 0:
                    self._ending[key] = self._ending.get(key, 0) + 1
                continue
            self._ending[key] = -1
            parts = self._parts(told, after.cells)
            missing = self.wanted - parts
            misses = missing.total() + WRONG * (parts - self.wanted).total()
            if nearest is None or misses < nearest[1]:
                nearest = missing, misses
        return nearest

    def _best(self, ways: Sequence[Way], step: int, width: int) -> list[Way]:
        """The nearest ways after a step, of which no two hold the same out of sight: a few of each question, of those
        in which as much is missing, and of those in which as much of that was answered since. What is nearest early on
        has nothing left to answer when the last step comes."""
        seen = self.reviser.steps[step]
        nearest_last = sorted(self.reviser.fortune.shuffled(ways), key=_near, reverse=True)
        ended = [self._ended(way, held) for held, way in {self._held(way, seen): way for way in nearest_last}.items()]
        best, share = dict[tuple[int, ...], list[Way]](), max(1, self.wanted.total() // LEVELS)
        for way in sorted(ended, key=_near):
            some = best.setdefault((way.site, way.missing.total() // share, max(way.said, -1)), [])
            if len(some) < width:
                some.append(way)
        return [self._taken(way, seen) for some in best.values() for way in some]

    def _taken(self, way: Way, seen: Observed) -> Way:
        """A way whose world is the one after the step that was tried."""
        assert way.tried is not None
        return way._replace(world=self.follower.after(way.world, way.tried, seen), tried=None)

    def _held(self, way: Way, seen: Observed) -> tuple[Any, ...]:
        """What is asked and stands in the cells that the seat doesn't see, and how much is offered."""
        state, game = way.state, self.follower.game
        decision = game.decision(state)
        cells = (*self.follower.wanted(seen).hidden, *game.awaited(state))
        return (way.site, 0 if decision is None else len(decision.options), *[state.cells[cell] for cell in cells])

    def _parts(self, events: Sequence[Event], cells: Sequence[Any] | Mapping[int, Any]) -> Counter[Any]:
        """What is told and comes to light: of texts the words that follow each other, of the rest each."""
        found = Counter[Any]([(cell, cells[cell]) for cell in self.cells])
        for event in events:
            text = (event[1] or "") if event[0] == "announce" else ""
            words = _words(text)
            found.update(" ".join(words[at : at + n]) for n in GRAMS for at in range(len(words) + 1 - n))
            found.update(("clause", clause.strip()) for clause in CLAUSES.split(text) for _ in range(CLAUSE))
            if event[0] != "announce":
                found[event] += 1
        return found


def _near(way: Way) -> tuple[int, int]:
    return way.misses, -way.said


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
