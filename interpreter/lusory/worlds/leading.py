"""Leads worlds through steps of which nothing was told, to one that tells what came of them.

What another seat does in private comes to light all at once, in the words and moves of the step that ends it. Of each
position on the way it is asked what would be told if it ended now, and it is gone on from what comes nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .cards import path, then
from .graph import Graph, Node
from .particles import Particle
from .revising import Reviser
from .telling import Telling

SEARCHES = 20  # one after the other, each from another world
EACH = 15  # tries for each step on the way, in the first of them
GROWTH = 1.5  # times as many in each that follows
MOST = 1000  # in one of them, the smaller the position the more
FURTHER = 3  # times as many where all is told, but not at the right time


class Leader:
    """Leads worlds to the last step that the seat of a reviser has seen."""

    def __init__(self, reviser: Reviser) -> None:
        self.reviser, self.follower = reviser, reviser.follower
        self.last = reviser.steps[reviser.last]
        self.telling, self.hints = Telling(reviser), reviser.hints(reviser.last - 1)

    def led(self, worlds: Sequence[Particle], wished: int) -> list[Particle]:
        """Worlds after the last step, made of some from before it."""
        tries, most = float(EACH * (self.reviser.last - len(worlds[0].turns))), MOST * self.follower.facts.ease
        for number in range(SEARCHES):
            begun = self._prepared(worlds[self.reviser.fortune.below(len(worlds))], number % 2 == 0)
            found = self._searched(Graph(self.telling, self.reviser, begun), int(min(tries, most)), wished)
            if found or self.reviser.left <= 0:
                return found
            tries *= GROWTH
        return []

    def _searched(self, graph: Graph, tries: int, wished: int) -> list[Particle]:
        """Worlds after the last step, on ways through the steps before it that are found in so many tries."""
        until, is_told = self.reviser.left - tries, False
        while not graph.is_idle and self.reviser.left > until:
            graph.dive(until)
            found = self._ended(graph, graph.ends(), wished)
            if found:
                return found
            if graph.told and not is_told:
                until, is_told = until - (FURTHER - 1) * tries, True
        return self._ended(graph, graph.nearest(), wished)

    def _ended(self, graph: Graph, nodes: Iterable[Node], wished: int) -> list[Particle]:
        """The worlds after the last step from some positions before it."""
        found = list[Particle]()
        for node in nodes:
            world = self.reviser.played(graph.world(node), self.reviser.last)
            if world is not None and world.exact:
                found.append(world)
            if len(found) == wished:
                break
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
