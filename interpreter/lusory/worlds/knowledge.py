"""What a seat has learned in a game, and worlds that agree with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..game import Game
from ..seat.sight import hidden_in
from ..seat.view import View
from ..table import chance
from ..table.events import Event
from ..table.state import State
from .following import Follower
from .fortune import Fortune
from .leading import Leader
from .observed import NOT_SEEN, Observed, observed
from .particles import Particle
from .revising import Reviser
from .steps import NOWHERE

PARTICLES = 8
DEALT = 4  # where dealing them anew makes others of them
KEPT = 6  # steps for which all worlds are kept
SPARSE = 8  # of the older ones each eighth
TRIES = 60  # of steps of one world
LED = 12000  # of steps, when worlds are led through those
SEARCH = 1200  # of steps, when worlds are looked for again from earlier ones
BACK = (1, 2, 3, 5, 9, 17, 33, 65)


class World(NamedTuple):
    """A position that a seat takes for possible, to be played on: its random streams are its own. ``exact``: it agrees
    with all that the seat was told and shown; else with what it sees now, as far as could be. ``weight``: how likely it
    is beside others."""

    state: State
    exact: bool
    weight: float = 1.0


class Knowledge:
    """What one seat has learned since the game began. Plain data beside the ``game``, which is no part of it: a pickled
    one is handed its game again with :meth:`at`."""

    def __init__(self, game: Game, seat: int) -> None:
        self.seat = seat
        self.steps: list[Observed] = []
        self.lost = 0  # the step since which no world agrees with all
        self.particles: list[Particle] = []
        self.sure: list[Particle] = []  # the last ones that agree with all
        self.earlier: dict[int, list[Particle]] = {}
        self.missed: list[Particle] = []  # those before the steps of which nothing was told, where none was found then
        self.quiet = 0  # the last step after which nothing was told for a while
        self.revealed: dict[int, tuple[tuple[int, Any], ...]] = {}
        self.at(game)

    def at(self, game: Game) -> Knowledge:
        """The same knowledge, with its game. Worlds are positions of the compiled engine, whichever plays the game."""
        self.game = game = game.in_code
        self.follower = Follower(game, self.seat)
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("game", "follower")}

    def copy(self) -> Knowledge:
        """Knowledge that goes on by itself."""
        other = Knowledge.__new__(Knowledge)
        other.__dict__.update(self.__dict__)
        other.steps, other.particles = self.steps[:], self.particles[:]
        other.earlier, other.revealed = {**self.earlier}, {**self.revealed}
        return other

    # ------------------------------------------------------------ learning

    def learn(self, view: View, events: Sequence[Event]) -> None:
        """Take in a step: what the seat sees after a decision (or when the game begins), and what it was told since the
        one before, as :func:`lusory.table.events.redacted` gives it. Raises ValueError for the view of another seat."""
        if view.seat != self.seat:
            raise ValueError("that is what another seat sees")
        seen = observed(view, events)
        self.steps.append(seen)
        now = len(self.steps) - 1
        fortune = Fortune(now, f"seat {self.seat}")
        facts = self.follower.facts
        wished = 1 if facts.is_open else (DEALT if facts.is_dealt else PARTICLES) * (1 + facts.ease) // 5
        if not now:
            begun = [self.follower.begun(seen, fortune) for _ in range(wished)]
            guess = Particle(self.game.start(0), {})
            self.particles = [one for one in begun if one is not None] or [self.follower.patched(guess, seen, fortune)]
            self.sure = self.particles
        else:
            if not seen.events and (now == 1 or self.steps[now - 1].events):
                self.quiet = now - 1
            self._keep(now - 1)
            self._reveal(now)
            self.particles = self._now(seen, now, fortune, wished)

    def _now(self, seen: Observed, now: int, fortune: Fortune, wished: int) -> list[Particle]:
        """The worlds after a step. Where none is found that agrees with all, one that agrees with what is seen will do
        for now, and others are looked for again after 1, 2, 4 … steps."""
        found = self._went_on(seen, fortune, wished)
        if found and found[0].exact:
            self.sure = found
            return found
        is_over = seen.waiting_for is None  # nobody thinks any more
        if not is_over and (self.particles[0].exact or (now - self.lost).bit_count() == 1):
            again = self._found_again(now, fortune, wished)
            if again:
                self.sure = again
            elif self.particles[0].exact:
                self.lost, self.missed = now, self.earlier.get(self.quiet, [])
            found = again or found
        return found or [self.follower.patched(particle, seen, fortune) for particle in self.particles]

    def _went_on(self, seen: Observed, fortune: Fortune, wished: int) -> list[Particle]:
        """The worlds after one more step, and copies of them in the place of those that can't be."""
        found, verdict = list[Particle](), None
        self.follower.nearest = NOWHERE
        for particle in self.particles:
            self.follower.tries = TRIES
            tried = next(self.follower.followed(particle, seen, fortune), None)
            if tried is not None:
                verdict = verdict or self.follower.verdict(particle, tried, seen, fortune)
                found.append(self.follower.after(particle, tried, seen, verdict))
        found = [particle for particle in found if particle.exact] or found
        return [found[n % len(found)] for n in range(wished)] if found else []

    def _found_again(self, now: int, fortune: Fortune, wished: int) -> list[Particle]:
        """Worlds of which something is taken otherwise than it was; else such as are played on from earlier ones, each
        time from others, until one leads here: at last from those long ago alone, since what is taken for granted in
        the later ones may not be so."""
        reviser, found = Reviser(self.follower, self.steps, self.revealed, fortune, SEARCH), self._led(fortune, wished)
        sure = list({id(one): one for one in self.sure if one.exact}.values())
        found = found or reviser.revised(sure, wished)
        reviser.left = SEARCH
        found = found or reviser.anew(sure, wished)
        exact = [step for step, worlds in self.earlier.items() if worlds and worlds[0].exact]
        if not exact:
            return []
        starts = sorted({max((step for step in exact if step <= now - back), default=exact[0]) for back in BACK})
        reviser.left, tried = SEARCH, 0
        while reviser.left > 0 and not found:
            tried += 1
            for then in reversed(starts[: max(1, len(starts) - tried // 3)]):
                worlds = [world for world in self.earlier.get(then, []) if world.exact]
                if not worlds or reviser.left <= 0:
                    continue
                grown: Particle | None = worlds[fortune.below(len(worlds))]
                for step in range(then + 1, now + 1):
                    grown = None if grown is None else reviser.played(grown, step)
                if grown is not None and grown.exact:
                    found.append(grown)
        return [found[n % len(found)] for n in range(wished)] if found else []

    def _led(self, fortune: Fortune, wished: int) -> list[Particle]:
        """Worlds that are led through the last steps of which nothing was told, or through those at the end of which
        they were lost, and played on from there."""
        last, worlds = len(self.steps) - 1, self.earlier.get(self.quiet, [])
        if not self.particles[0].exact:
            last, worlds = self.lost, self.missed
        worlds = list({id(one): one for one in worlds if one.exact}.values())
        if not worlds or len(worlds[0].turns) >= last:
            return []
        follower, nearest, blamed = self.follower, self.follower.nearest, self.follower.blamed
        found = Leader(Reviser(follower, self.steps[: last + 1], self.revealed, fortune, LED)).led(worlds, wished)
        reviser = Reviser(follower, self.steps, self.revealed, fortune, SEARCH)
        for step in range(last + 1, len(self.steps)):
            after = [reviser.played(world, step) for world in found]
            found = [world for world in after if world is not None and world.exact]
        follower.nearest, follower.blamed = nearest, blamed
        return found

    def _reveal(self, now: int) -> None:
        """Note what has come to light."""
        then, seen = self.steps[now - 1], self.steps[now]
        found = self.follower.facts.taken(seen.events)
        found = {cell: n for cell, n in found.items() if then.cells[cell] is NOT_SEEN}
        for cell in hidden_in(self.game.setting, then.hidden).cells:
            if seen.cells[cell] is not NOT_SEEN:
                found.setdefault(cell, seen.cells[cell])
        if found:
            self.revealed[now] = tuple(found.items())

    def _keep(self, step: int) -> None:
        """Keep the worlds of a step, and fewer of those long ago."""
        self.earlier[step] = self.particles
        for gone in [one for one in self.earlier if one <= step - KEPT]:
            if gone and gone % SPARSE and gone != self.quiet:
                self.earlier.pop(gone)

    # ------------------------------------------------------------ worlds

    def worlds(self, n: int, stream: int) -> list[World]:
        """``n`` worlds, drawn with the numbers that follow from ``stream``: the same stream gives the same ones."""
        fortune = Fortune(stream, "worlds")
        return [self._world(fortune) for _ in range(n)]

    def _world(self, fortune: Fortune) -> World:
        particle = self.particles[fortune.below(len(self.particles))]
        state = self.follower.dealt(particle, fortune)
        seed = fortune.number()
        for name, cell in self.game.layout.streams.items():
            state.cells[cell] = chance.seed(seed, name)
        return World(state, particle.exact)
