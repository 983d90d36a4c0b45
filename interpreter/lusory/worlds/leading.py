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
from .fortune import Fortune, Guide
from .particles import Particle, Taken
from .revising import Reviser

WIDTHS = (2, 2, 2, 2, 3, 3, 3, 3, 5, 5, 5, 5, 8, 8, 8, 8, 12, 12, 12, 12)
"""Ways that go on from each question, in one search after the other."""
ENDS = 6  # answers of one decision that are tried as the last one
WRONG = 3  # times worse is what would be told and was not than what is missing yet
ENDED = 3  # times as many ways are looked at as go on
ASKED = 3  # times that an alternative is tried as the last one, which never is
ANSWERS = 6  # that are gone on from one way
CLOSEST = 12  # ways of which the last step is tried
GRAMS = (1, 2, 3)  # words that follow each other
CLAUSE = 4  # times as much as a word counts what stands between two marks
CLAUSES = re.compile(r"[.,:;!?()]+")


class Way(NamedTuple):
    """A world on its way. ``missing``: what would not have been told when it could last have ended, and ``misses`` how
    far off it would have been; ``said``: how much of what was answered since is missing there."""

    world: Particle
    site: int
    missing: Counter[Any]
    misses: int
    said: int = 0


class Leader:
    """Leads worlds to the last step that the seat of a reviser has seen."""

    def __init__(self, reviser: Reviser) -> None:
        self.reviser, self.follower = reviser, reviser.follower
        self.last = reviser.steps[reviser.last]
        revealed = dict(reviser.revealed.get(reviser.last, ()))
        self.cells = list(revealed)
        self.wanted = self._parts(self.last.events, revealed)
        self.hints = reviser.hints(reviser.last - 1)
        self._ends: dict[tuple[int, tuple[Any, ...]], tuple[Counter[Any], int] | None] = {}
        self._ending: dict[tuple[int, int], int] = {}  # how often each alternative was tried, -1: it can be the last

    def led(self, worlds: Sequence[Particle], wished: int) -> list[Particle]:
        """Worlds after the last step, made of some from before it."""
        found = list[Particle]()
        for number, width in enumerate(WIDTHS):
            begun = self._prepared(worlds[self.reviser.fortune.below(len(worlds))], number % 2 == 0)
            ways = [Way(begun, self._site(begun), self.wanted, self.wanted.total())]
            for step in range(len(begun.turns), self.reviser.last):
                if self.reviser.left <= 0:
                    return found
                ways = self._best([other for way in ways for other in self._further(way, step)], width)
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
        answers = [(self._said(way, named, answer), answer) for answer in follower.answers(world.state, seen)]
        answers = sorted(reviser.fortune.shuffled(answers), key=lambda one: -one[0])
        for number, (said, answer) in enumerate(answers[:ANSWERS]):
            follower.tries = given = reviser.left
            tried = follower.attempt(world, world.state, answer, seen, reviser.fortune) if given > 0 else None
            reviser.left -= given - follower.tries
            if tried is not None and not tried.moved:
                tried = tried._replace(hung=world.hung, alike=(number, len(answers)))
                after = follower.after(world, tried, seen)
                yield way._replace(world=after, site=self._site(after), said=way.said + said)

    def _said(self, way: Way, named: Container[int], answer: Taken) -> int:
        """How many more of the values of an answer are named in what is missing than are not."""
        said, setting = 0, self.follower.game.setting
        for value, type in zip(answer[1], self.follower.types(way.site, answer[0]), strict=False):
            is_said = is_component(type) and value in named
            if not is_said and not (is_component(type) and named):
                is_said = all(word in way.missing for word in _words(label_of(setting, value, type)))
            said += 1 if is_said else -1
        return said

    def _named(self, missing: Iterable[Any]) -> set[int]:
        """The components that are named in what is missing."""
        about, found = self.follower.facts.about, set[int]()
        for part in missing:
            if part.__class__ is tuple and part[0] in about:
                found.add(about[part[0]])
            elif part.__class__ is tuple:
                found.update(self.follower.facts.named([part]))
        return found

    def _site(self, world: Particle) -> int:
        """What is asked in a world; -1: nothing."""
        decision = self.follower.game.decision(world.state)
        return -1 if decision is None else decision.site

    def _ended(self, way: Way, held: tuple[Any, ...]) -> Way:
        """A way with what would not be told that was, and how far off it would be, if now came the last step."""
        if (way.site, held) not in self._ends:
            self._ends[way.site, held] = self._ending_now(way.world.state)
        found = self._ends[way.site, held]
        return way if found is None else way._replace(missing=found[0], misses=found[1], said=0)

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
            guide = Guide(self.last.events, Fortune(0, "draws"), [], self.follower.seat)
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

    def _best(self, ways: Sequence[Way], width: int) -> list[Way]:
        """The nearest ways of each question, of which no two hold the same out of sight."""
        by_site = dict[int, dict[tuple[Any, ...], Way]]()
        for way in sorted(self.reviser.fortune.shuffled(ways), key=_near):
            some = by_site.setdefault(way.site, {})
            if len(some) < ENDED * width:
                some.setdefault(self._held(way.world), way)
        best = list[Way]()
        for some in by_site.values():
            ended = [self._ended(way, held) for held, way in some.items()]
            best += sorted(ended, key=_near)[:width]
        return best

    def _held(self, world: Particle) -> tuple[Any, ...]:
        """What stands in the cells that the seat doesn't see, and how much is offered."""
        cells, seen = world.state.cells, self.reviser.steps[len(world.turns) - 1]
        hidden = (*self.follower.wanted(seen).hidden, *self.follower.game.awaited(world.state))
        decision = self.follower.game.decision(world.state)
        return (0 if decision is None else len(decision.options), *[cells[cell] for cell in hidden])

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
