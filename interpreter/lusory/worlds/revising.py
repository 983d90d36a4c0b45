"""Worlds that come to light not to have been so: what was done long ago is done otherwise, and the rest again.

Where no world survives a step, something of which nobody was told was another: a list of cards, an answer, a draw. It
is looked for among the steps of a world that could have been others, the last ones first. Each is taken otherwise, and
what followed is done again as it was, as far as that is possible.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from .following import DEALS, Follower
from .fortune import Fortune
from .observed import Observed
from .particles import Fork, Later, Particle, Turn
from .steps import NOWHERE

Revealed = Mapping[int, Sequence[tuple[int, Any]]]
"""What came to light in each step: cells, and what they hold."""
SOON = 6  # steps whose words tell something of an answer
WAYS = 24  # in which one step is taken otherwise
MORE = 200  # tries, once a world was found
CHANGES = 3  # steps that are taken otherwise in one world


class Reached(NamedTuple):
    """How far a world comes: as it is before the step that it does not survive, and how far what is told in that one
    agrees (see :func:`lusory.worlds.differences.agreement`); ``blamed``: the seats that it is about from there on."""

    world: Particle
    nearest: tuple[int, int] = NOWHERE
    blamed: frozenset[int] = frozenset()

    @property
    def far(self) -> tuple[int, int, int]:
        """To compare them by."""
        return (len(self.world.turns), *self.nearest)


class Way(NamedTuple):
    """A world that is changed on the way to one that comes further: which one it was made of, and by how many changes
    that led no further; how far it comes, and how far it ``changed`` does, with those that come no ``further``."""

    root: int
    reached: Reached
    changes: int
    changed: Iterator[Reached]
    further: list[Reached]


class Reviser:
    """Plays worlds on to the ``last`` of the ``steps`` that the seat of a follower has seen, with answers that seem to
    lead there. ``left``: how many tries of steps are left."""

    def __init__(
        self, follower: Follower, steps: Sequence[Observed], revealed: Revealed, fortune: Fortune, left: int
    ) -> None:
        self.follower, self.steps, self.revealed, self.fortune = follower, steps, revealed, fortune
        self.left, self.last = left, len(steps) - 1
        self._hints: dict[int, Later] = {}
        self._led = set[int]()  # the steps with which taken otherwise a world came to the last step

    def hints(self, step: int) -> Later:
        """What came to light after a step, until the last one."""
        found = self._hints.get(step)
        if found is None:
            cells: dict[int, Any] = {}
            for later in range(self.last, step, -1):
                cells.update(self.revealed.get(later, ()))
            soon = {*range(step + 1, min(step + SOON, self.last)), self.last} - {step}
            events = [event for later in sorted(soon) for event in self.steps[later].events]
            words = " ".join(event[1] for event in events if event[0] == "announce")
            facts, about = self.follower.facts, dict[tuple[int, tuple[str, str]], int]()
            whose = dict(reversed(list(facts.come_to(events))))
            for later in sorted(soon):
                for one in facts.said_about(self.steps[later].events, self.steps[later - 1].cells):
                    about.setdefault(one, later)
            found = self._hints[step] = Later(cells, words, frozenset(facts.named(events)), about, whose)
        return found

    def revised(self, worlds: Sequence[Particle], wished: int) -> list[Particle]:
        """Worlds after the last step, made of some that don't lead there: what comes further is gone on from first."""
        found, blamed = list[Particle](), self.follower.blamed
        ways = [self._way(n, Reached(world, self.follower.nearest, blamed), 0) for n, world in enumerate(worlds)]
        while ways and self.left > 0 and len(found) < wished:
            way = ways[0]
            other = next(way.changed, None)
            if other is None:
                ways.pop(0)
                if way.changes < CHANGES and not found:
                    way.further.sort(key=lambda one: one.far, reverse=True)
                    ways += [self._way(way.root, one, way.changes + 1) for one in way.further[:CHANGES]]
                    ways.sort(key=lambda one: one.reached.far, reverse=True)
            elif len(other.world.turns) > self.last:
                found.append(other.world)
                self.left = min(self.left, MORE)
                ways = [one for one in ways if one.root != way.root]
            elif other.far > way.reached.far:
                ways.insert(0, self._way(way.root, other, way.changes))
            else:
                way.further.append(other)
        return found

    def _way(self, root: int, reached: Reached, changes: int) -> Way:
        return Way(root, reached, changes, self._changed(reached.world, reached.blamed), [])

    def _changed(self, world: Particle, blamed: Container[int]) -> Iterator[Reached]:
        """How far a world comes with one of its steps otherwise: with such first that led to the last step before, then
        with what those chose who are blamed. Steps with which it fails on the way are left for last."""
        settled, game = set[int](), self.follower.game
        asked = [game.decision(fork.before.state) if fork.step else None for fork in world.forks]
        others = [n for n, one in enumerate(asked) if one is None or one.seat not in blamed]
        led = [n for n, fork in enumerate(world.forks) if fork.step in self._led]
        waiting = sorted(range(len(world.forks)), key=lambda n: (n not in led, n in others, -n))
        ways, furthest = dict[int, Iterator[Particle]](), dict.fromkeys(waiting, 0)
        while waiting:
            number = waiting.pop(0)
            fork = world.forks[number]
            if number not in ways:
                before = fork.before._replace(forks=world.forks[:number], turns=world.turns[: fork.step])
                ways[number] = islice(self._otherwise(before, fork, world.turns[fork.step]), WAYS)
            other = next(ways[number], None)
            if other is None:
                settled |= {fork.step} if furthest[number] < self.last else set()
                continue
            reached = self._replayed(other, world)
            if self.left <= 0:
                return
            length = self.last if reached is None else len(reached.world.turns)
            furthest[number] = max(furthest[number], length)
            waiting.insert(0 if length >= self.last else len(waiting), number)
            if reached is not None and length > self.last:
                self._led.add(fork.step)
                forks = tuple([f for f in reached.world.forks if f.step not in settled])
                reached = reached._replace(world=reached.world._replace(forks=forks))
            if reached is not None:
                yield reached

    def anew(self, worlds: Sequence[Particle], wished: int) -> list[Particle]:
        """Worlds after the last step of which the last steps that could have been others are all done anew, the more of
        them the longer none leads there."""
        found, tried = list[Particle](), 0
        while worlds and self.left > 0 and len(found) < wished:
            world, tried = worlds[tried % len(worlds)], tried + 1
            if not world.forks:
                return found
            number = max(0, len(world.forks) - 1 - self.fortune.below(min(4 + tried, len(world.forks))))
            fork = world.forks[number]
            here: Particle | None = fork.before._replace(forks=world.forks[:number], turns=world.turns[: fork.step])
            for step in range(fork.step, self.last + 1):
                turn = world.turns[step] if step < len(world.turns) else None
                here = (
                    None
                    if here is None
                    else self.played(here, step, None if turn is None else turn._replace(answer=None))
                )
            if here is not None:
                found.append(here)
                self.left = min(self.left, MORE)
        return found

    def _otherwise(self, before: Particle, fork: Fork, turn: Turn) -> Iterator[Particle]:
        """The worlds after a step in which something else was answered or drawn."""
        seen, taken = self.steps[fork.step], {turn.answer}
        self.follower.tries = given = self.left
        for tried in self.follower.followed(before, seen, self.fortune, self.hints(fork.step), deals=1):
            self.left -= given - self.follower.tries
            if tried.is_drawn or tried.answer not in taken:
                taken.add(tried.answer)
                after = self.follower.after(before, tried, seen, turn.verdict)
                if after.turns[-1].mark != turn.mark:
                    yield after
            self.follower.tries = given = self.left
        self.left -= given - self.follower.tries

    def _replayed(self, particle: Particle, like: Particle) -> Reached | None:
        """A world played on as another was, as far as it goes; None: it comes to the same as that one."""
        for step in range(len(particle.turns), self.last + 1):
            turn = like.turns[step] if step < len(like.turns) else None
            self.follower.nearest = NOWHERE
            after = self.played(particle, step, turn, deals=2)
            if after is None:
                return Reached(particle, self.follower.nearest, self.follower.blamed)
            particle = after
            if turn is not None and particle.turns[-1].mark == turn.mark:
                return None
        return Reached(particle)

    def played(
        self, particle: Particle, step: int, like: Turn | None = None, deals: int | None = None
    ) -> Particle | None:
        """A world after a step; ``like``: what was done in it in another one; ``deals``: tried at most."""
        seen = self.steps[step]
        self.follower.tries = given = self.left
        deals = deals or (DEALS if like is None else 2)
        followed = self.follower.followed(particle, seen, self.fortune, self.hints(step), like, deals)
        tried = next(followed, None)
        self.left -= given - self.follower.tries + 1
        if tried is None:
            return None
        verdict = like.verdict if like is not None and like.answer in (None, tried.answer) else None
        if verdict is None:
            asked = self.follower.asked
            verdict = self.follower.verdict(particle, tried, seen, self.fortune)
            self.left -= self.follower.asked - asked
        return self.follower.after(particle, tried, seen, verdict)
