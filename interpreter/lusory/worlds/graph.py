"""A search for ways through steps of which nothing was told, in which each position is tried once.

Positions that hold the same out of sight are one, whichever answers led there, and each knows after how many steps it
can be: what is put together in parts, or in another order, is found in as many steps as there were without trying all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..table.state import State
from .observed import Observed
from .particles import Particle, Taken, Tried
from .revising import Reviser
from .telling import Telling

ANSWERS = 6  # that are gone on from one position
FEWER = 2  # times as many ways go on in the nearest position as in the next
AGAIN = 4  # times that a way goes back to where it was nearest
ONWARDS = 4  # ways of which one then goes on all the same
KNOWN = 4  # ways of which one begins at the beginning, where some are known on which all is told
IDLE = 12  # ways one after the other on which nothing is new
CLOSEST = 12  # positions of which the last step is tried, though they would tell something else
NEVER = 1 << 30  # farther than anything


class Node:
    """A position on the way. ``missing``: what would not have been told when it could last have ended, and ``misses``
    how far off it would have been; ``said``: how much of what was answered since is missing there, and ``words`` in
    which; ``value``: how far off it is, by what is known beyond it. ``steps``: after how many it can be, a bit for
    each. ``before``: the steps that lead there, each with where it comes from. ``is_end``: whether it could end now;
    ``leads``: whether a way goes on to where all is told."""

    __slots__ = (
        "before",
        "edges",
        "is_end",
        "leads",
        "misses",
        "missing",
        "said",
        "site",
        "state",
        "steps",
        "value",
        "words",
    )

    def __init__(self, state: State, site: int, missing: Counter[Any], misses: int) -> None:
        self.state, self.site, self.missing, self.misses, self.value = state, site, missing, misses, misses
        self.said, self.words, self.steps = 0, tuple[str, ...](), 0
        self.is_end = self.leads = False
        self.before = list[tuple[Node, Tried]]()
        self.edges: list[Edge] | None = None


@dataclass(slots=True)
class Edge:
    """An answer in a position, which is the one of ``alike`` that look the same; ``seen``: what is seen then, and after
    which ``steps``, a bit for each. ``guess``: how far off it leads, as far as what is ``said`` in it tells. ``end``:
    where it leads, once it was tried; ``ways``: how many went there."""

    answer: Taken
    alike: tuple[int, int]
    seen: Observed
    steps: int
    guess: int
    said: int
    words: tuple[str, ...]
    end: Node | None = None
    ways: int = 0

    @property
    def value(self) -> int:
        """How far off it leads."""
        return self.guess if self.end is None else self.end.value


class Graph:
    """Positions from one world on to the last step of a reviser, as far as they were tried. ``told``: those in which
    all would be told that was."""

    def __init__(self, telling: Telling, reviser: Reviser, begun: Particle) -> None:
        self.telling, self.reviser, self.follower, self.begun = telling, reviser, reviser.follower, begun
        self.length, self.idle = reviser.last - len(begun.turns), 0
        self.sights = self._sights()
        missing = telling.wanted - Counter((cell, begun.state.cells[cell]) for cell in telling.cells)
        self.root = Node(begun.state, self._site(begun.state), missing, missing.total())
        self.root.steps = 1
        self.nodes = {self._held(begun.state): self.root}
        self.told, self._ended = list[Node](), list[Node]()

    @property
    def is_idle(self) -> bool:
        """Whether nothing new seems to be left."""
        return self.idle >= IDLE

    def ends(self) -> Iterator[Node]:
        """The positions that come before the last step, and in which all would be told: each of them once."""
        for node in self.told:
            if node.steps >> self.length & 1 and node not in self._ended:
                self._ended.append(node)
                yield node

    def nearest(self) -> list[Node]:
        """The nearest of the other positions that come before the last step."""
        ends = [node for node in self.nodes.values() if node.steps >> self.length & 1 and node not in self._ended]
        return sorted(ends, key=lambda node: node.misses)[:CLOSEST]

    def world(self, node: Node) -> Particle:
        """The world that comes to a position before the last step."""
        way, world = list[Tried](), self.begun
        for step in range(self.length - 1, -1, -1):
            ways = [one for one in node.before if one[0].steps >> step & 1]
            node, tried = ways[self.reviser.fortune.below(len(ways))]
            way.append(tried)
        for tried in reversed(way):
            seen = self.reviser.steps[len(world.turns)]
            world = self.follower.after(world, tried._replace(hung=world.hung), seen)
        return world

    # ------------------------------------------------------------ ways

    def dive(self, until: int) -> None:
        """One way through the steps, which goes back where it comes no nearer; ``until`` so many tries are left."""
        node, step = self._first()
        known, since, first, passed, again = len(self.nodes), node, step, list[Node](), 0
        is_any = node.leads
        self.reviser.left -= 1
        while step < self.length and self.reviser.left > until and again <= AGAIN:
            passed.append(node)
            chosen = self._next(node, step + 1, is_any)
            is_any = False
            if chosen is not None and not chosen.is_end:
                node, step = chosen, step + 1
                continue
            again += 1
            is_on = again > AGAIN and not self.reviser.fortune.below(ONWARDS)
            if chosen is not None and (chosen.misses < since.misses or is_on):
                since, first, again = chosen, step + 1, 0
            node, step = since, first
            self._weigh(passed)
            passed.clear()
        self.idle = 0 if len(self.nodes) > known else self.idle + 1

    def _first(self) -> tuple[Node, int]:
        """Where a way begins, and the step: where ways are known on which all is told, mostly on one of these."""
        leading = [node for node in self.nodes.values() if node.leads] if self.told else []
        if not leading or not self.reviser.fortune.below(KNOWN):
            return self.root, 0
        node = leading[self.reviser.fortune.below(len(leading))]
        return node, (node.steps & -node.steps).bit_length() - 1

    def _weigh(self, passed: list[Node]) -> None:
        """Have positions on a way be as far off as what is nearest beyond them, up to where it could end."""
        for node in reversed(passed):
            if not node.is_end:
                node.value = min((edge.value for edge in node.edges or ()), default=NEVER)

    def _next(self, node: Node, step: int, is_any: bool) -> Node | None:
        """Where a way goes on: the nearer, the more of them; ``is_any``: where fewest went."""
        edges = node.edges = self._edges(node) if node.edges is None else node.edges
        while fit := [edge for edge in edges if edge.steps >> step & 1]:
            ranks = {value: n for n, value in enumerate(sorted({edge.value for edge in fit}))}
            edge = min(fit, key=lambda one: (one.ways + 1) * (1 if is_any else FEWER ** ranks[one.value]))
            if edge.end is not None:
                edge.ways += 1
                return edge.end
            self._try(node, edge)
            is_end = edge.end is not None and edge.end.is_end
            for other in [one for one in edges if is_end and one.end is None]:
                self._try(node, other)
        return None

    def _edges(self, node: Node) -> list[Edge]:
        """The likeliest answers of which nobody heard."""
        named, found = self.telling.named(node.missing), list[Edge]()
        for seen, steps in self.sights:
            answers = self.follower.answers(node.state, seen)
            for number, answer in enumerate(answers):
                types = self.follower.types(node.site, answer[0])
                said, words = self.telling.said(node.missing, node.words, types, named, answer)
                guess, said = node.misses - node.said - said, node.said + said
                found.append(Edge(answer, (number, len(answers)), seen, steps, guess, said, words))
        return sorted(self.reviser.fortune.shuffled(found), key=lambda edge: edge.guess)[:ANSWERS]

    def _try(self, node: Node, edge: Edge) -> None:
        """Find where an answer leads; it is left alone where that shows something else."""
        reviser, follower = self.reviser, self.follower
        follower.tries = given = reviser.left
        tried = follower.attempt(self.begun, node.state, edge.answer, edge.seen, reviser.fortune) if given > 0 else None
        reviser.left -= given - follower.tries
        if tried is None or tried.moved:
            assert node.edges is not None
            node.edges.remove(edge)
            return
        held = self._held(tried.after)
        end = self.nodes.get(held)
        if end is None:
            end = self.nodes[held] = self._node(node, edge, tried.after)
        edge.end = end
        end.before.append((node, tried._replace(alike=edge.alike)))
        self._spread(end, node.steps << 1 & edge.steps)
        if end.leads or not end.misses:
            self._lead(node)

    def _node(self, before: Node, edge: Edge, state: State) -> Node:
        """A position that is new."""
        ending, site = self.telling.ending(state, self.begun.state), self._site(state)
        if ending is None:
            node = Node(state, site, before.missing, before.misses)
            node.said, node.words, node.value = edge.said, edge.words, edge.guess
            return node
        node = Node(state, site, *ending)
        node.is_end = True
        if not node.misses:
            self.told.append(node)
        return node

    def _spread(self, node: Node, steps: int) -> None:
        """Note after how many steps a position can be, and those that follow."""
        waiting = [(node, steps)]
        while waiting:
            node, steps = waiting.pop()
            new = steps & ~node.steps
            node.steps |= new
            if new:
                waiting += [(edge.end, new << 1 & edge.steps) for edge in node.edges or () if edge.end is not None]

    def _lead(self, node: Node) -> None:
        """Note that a way goes on from a position to where all is told, and so from those before it."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if not node.leads:
                node.leads = True
                waiting += [one for one, _ in node.before]

    # ------------------------------------------------------------ positions

    def _sights(self) -> list[tuple[Observed, int]]:
        """What is seen on the way, each with the steps after which it is, a bit for each."""
        found = list[tuple[Observed, int]]()
        for step, seen in enumerate(self.reviser.steps[len(self.begun.turns) : self.reviser.last]):
            at = next((n for n, (one, _) in enumerate(found) if one == seen), None)
            if at is None:
                found.append((seen, 2 << step))
            else:
                found[at] = found[at][0], found[at][1] | 2 << step
        return found

    def _site(self, state: State) -> int:
        """What is asked in a position; -1: nothing."""
        decision = self.follower.game.decision(state)
        return -1 if decision is None else decision.site

    def _held(self, state: State) -> tuple[Any, ...]:
        """What is asked, stands in the cells and lies in the zones that the seat doesn't see."""
        game, wanted = self.follower.game, self.follower.wanted(self.sights[0][0])
        cells = tuple([state.cells[cell] for cell in (*wanted.hidden, *game.awaited(state))])
        return self._site(state), cells, tuple([tuple(state.zones[number]) for number, _, _ in wanted.closed])
