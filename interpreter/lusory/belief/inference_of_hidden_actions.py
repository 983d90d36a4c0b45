"""Search for hidden action sequences that explain an observation.

Another seat may take many actions in private: it puts together an offer, for example. This seat is told nothing until
the last action. Then one observation reveals them all at once. At each state on the way we simulate what would be
observed if the sequence ended there. The search continues from the states that come closest.

States that differ only in what this seat sees are one node of a graph, whichever actions led there. A node knows after
how many steps it can be reached. So sequences that are put together in parts, or in another order, are found without
trying each of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from lusory_dsl.types.types import Type, is_component

from ..state.events_redaction_and_text import Event, redact_log
from ..state.setting_value_limits_builtins_and_names import format_value_label
from ..state.state import State
from .backtracking_to_earlier_steps import Backtracker
from .chance_and_placement_sampling import ChanceOutcomes, ChanceScript, Rng
from .hidden_information_and_event_subjects import HiddenInfo
from .observation_and_matching import Observation
from .particle_and_step_records import Action, Attempt, Particle, Transition

# ------------------------------------------------------------ constants

SEARCHES = 20
"""Searches to make one after the other, each from another particle."""

STEP_EFFORT = 15
"""Simulated steps for each step of the path, in the first search."""

EFFORT_GROWTH = 1.5
"""Each further search may take this many times longer."""

MAX_EFFORT = 1000
"""Simulated steps in one search, for each quarter of the budget."""

EXTENSION = 3
"""A search may take this many times longer once it has found a matching end after the wrong number of steps."""

MAX_EDGES = 6
"""Actions to follow from one node."""

VISIT_RATIO = 2
"""The best edge is followed this many times as often as the next one."""

MAX_RETREATS = 4
"""A dive ends after it has gone back this often without progress."""

WORSENING_ODDS = 4
"""One in this many dives continues without progress."""

ROOT_ODDS = 4
"""If matching ends are known, one in this many dives still begins at the root."""

MAX_IDLE_DIVES = 12
"""A search ends after this many consecutive dives without a new node."""

MAX_CLOSE_ENDS = 12
"""Nodes without a matching end from which the last step is tried all the same."""

MAX_ENDS = 6
"""Actions to try as the last one in one state."""

MAX_END_TRIES = 3
"""An alternative that never ended a sequence in this many tries is not tried as the last one again."""

EXTRA_PENALTY = 5
"""A part that would be observed but was not counts at least this much, because it rarely goes away later."""

NGRAM_LENGTHS = (1, 2, 3)
"""Lengths of the word sequences by which texts are compared."""

CLAUSE_WEIGHT = 4
"""A whole clause counts as much as this many words."""

CLAUSE_END = re.compile(r"[.,:;!?()]+")
SENTENCE_END = re.compile(r"[.:;!?()]+")

UNREACHABLE = 1 << 30
"""A distance greater than any other."""

# ------------------------------------------------------------ what would be observed


class _EndEvaluator:
    """Compare what would be observed if a sequence ended in some state with what was observed at its end.

    An observation is split into *parts*. An announcement gives its n-grams as texts, such as ``"one fig"``, and its
    clauses as ``("clause", "one fig")``. Other events are parts as they are. A value that came to light is the part
    ``(cell, value)``.

    Attributes:
        parts: The parts of the last observation of the backtracker.
        cells: The cells that came to light in it.
    """

    def __init__(self, backtracker: Backtracker) -> None:
        self.backtracker, self.stepper = backtracker, backtracker.stepper
        self.last_events = backtracker.observations[backtracker.last_step].events
        revelations = dict(backtracker.revelations.get(backtracker.last_step, ()))
        self.cells = list(revelations)
        self.parts = self._split(self.last_events, revelations)
        self._sentences = _split_sentences(self.last_events)
        self._extra_penalty = max(EXTRA_PENALTY, self.parts.total() // EXTRA_PENALTY)
        self._end_tries: dict[tuple[int, int], int] = {}  # alternative -> failed tries as the last one. -1: it can be

    def _evaluate(self, state: State, start: State) -> tuple[Counter[Any], int] | None:
        """Return a counter of the parts that would be missing if the sequence ended now, and the distance to the
        observation.

        Legal actions are tried as the last one, and the one with the least distance counts. An action ends the sequence
        if the first event that the seat observes has the same kind and first value. The distance is the number of
        missing parts, plus a penalty for each extra event, word of an announcement, and cell value that ``start`` did
        not have. Each try costs one step of the budget. Return None if no action ends the sequence, or if the game is
        over.
        """
        decision = self.stepper.game.decision(state)
        if decision is None:
            return None
        best, tries = None, 0
        for option in decision.options:
            key = decision.site, option.alternative
            if tries >= MAX_ENDS or self._end_tries.get(key, 0) >= MAX_END_TRIES:
                continue
            tries += 1
            log = list[Event]()
            script = ChanceScript(self.last_events, Rng(0, "draws"), ChanceOutcomes(), self.stepper.seat)
            self.stepper.budget -= 1
            after = self.stepper.apply_action(state, option[1:], log, script)
            if after is None:
                continue
            events = redact_log(log, self.stepper.seat, self.stepper.game)
            if [event[:2] for event in events[:1]] != [event[:2] for event in self.last_events[:1]]:
                if self._end_tries.get(key, 0) >= 0:
                    self._end_tries[key] = self._end_tries.get(key, 0) + 1
                continue
            self._end_tries[key] = -1
            parts = self._split(events, after.cells)
            missing = self.parts - parts
            extra = sum(self._is_new(part, start) for part in (parts - self.parts).elements())
            extra += _count_extra_words(_split_sentences(events), self._sentences)
            distance = missing.total() + self._extra_penalty * extra
            if best is None or distance < best[1]:
                best = missing, distance
        return best

    def _is_new(self, part: Any, start: State) -> bool:
        """Return whether an extra part was not already so at the start. Words are compared elsewhere."""
        if part.__class__ is str or part[0] == "clause":
            return False
        return part[0].__class__ is not int or start.cells[part[0]] != part[1]

    def _split(self, events: Sequence[Event], cells: Sequence[Any] | Mapping[int, Any]) -> Counter[Any]:
        """Return the parts of events, and of the values in the cells that came to light.

        Example: the announcement "one fig." has the parts "one", "fig", "one fig", and 4 times the clause "one fig".
        """
        parts = Counter[Any]([(cell, cells[cell]) for cell in self.cells])
        for event in events:
            text = (event[1] or "") if event[0] == "announce" else ""
            words = _split_words(text)
            parts.update(" ".join(words[i : i + n]) for n in NGRAM_LENGTHS for i in range(len(words) + 1 - n))
            parts.update(("clause", clause.strip()) for clause in CLAUSE_END.split(text) for _ in range(CLAUSE_WEIGHT))
            if event[0] != "announce":
                parts[event] += 1
        return parts

    def _rate_action(
        self,
        missing: Container[Any],
        words: Sequence[str],
        types: Sequence[Type],
        components: Container[int],
        action: Action,
    ) -> tuple[int, tuple[str, ...]]:
        """Return how much of the missing parts an action explains, and ``words`` with the words of its labels added.

        ``words`` are those of the actions before it, ``types`` the types of its values, and ``components`` those in the
        missing parts. If ``components`` is not empty, a value of a component type adds no words; it counts 1 if it is
        in ``components``, and -1 otherwise. Every other value adds the words of its label. These words end n-grams of 1
        to 3 words, texts such as ``a fig``. Each n-gram counts 1 if it is in ``missing``, and -1 otherwise. Among these
        values, None counts nothing and adds nothing, because an announcement rarely mentions it.

        Example: behind the words ``("a",)``, the label ``fig`` has the n-grams ``fig`` and ``a fig``. If only ``fig``
        is missing, the result is ``(0, ("a", "fig"))``.
        """
        gain, all_words, setting = 0, list(words), self.stepper.game.setting
        for value, type in zip(action[1], types, strict=False):
            if components and is_component(type):
                gain += 1 if value in components else -1
            elif value is not None:
                for word in _split_words(format_value_label(setting, value, type)):
                    all_words.append(word)
                    ngrams = [" ".join(all_words[-n:]) for n in NGRAM_LENGTHS if n <= len(all_words)]
                    gain += sum(1 if ngram in missing else -1 for ngram in ngrams)
        return gain, tuple(all_words)

    def _list_named_components(self, missing: Iterable[Any]) -> set[int]:
        """Return the numbers of the components that the missing parts name.

        Parts of announcements are texts and name none. A part about a cell that belongs to a component names this
        component. An event names the components that move visibly, or whose variables it sets.
        """
        info, parts = self.stepper.info, [part for part in missing if not isinstance(part, str)]
        cell_components = info.described_components
        components = {cell_components[part[0]] for part in parts if part[0] in cell_components}
        return components.union(info.list_named_components(parts))


def _split_words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _split_sentences(events: Iterable[Event]) -> list[list[str]]:
    """Return the words of each announced sentence."""
    texts = [event[1] or "" for event in events if event[0] == "announce"]
    return [words for text in texts for sentence in SENTENCE_END.split(text) if (words := _split_words(sentence))]


def _count_extra_words(sentences: Sequence[list[str]], expected: Sequence[list[str]]) -> int:
    """Return how many words must go before each sentence can grow into one of the expected ones.

    Example: "two figs" can grow into "two red figs", so it has no extra word. "two green figs" has one.
    """
    remaining, extra = list(expected), 0
    for words in sentences:
        distances = [len(words) - _count_common_words(words, candidate) for candidate in remaining]
        extra += min(distances, default=len(words))
        if remaining:
            remaining.pop(min(range(len(remaining)), key=lambda i: (distances[i], len(remaining[i]))))
    return extra


def _count_common_words(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    All words of ``first`` are compared at once, one bit each. Hyyrö: Bit-Parallel LCS-length Computation Revisited.
    2004.
    """
    places = dict[str, int]()
    for i, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << i
    row = full = (1 << len(first)) - 1
    for word in second:
        matches = row & places.get(word, 0)
        row = (row + matches | row - matches) & full
    return len(first) - row.bit_count()


# ------------------------------------------------------------ the graph


@dataclass(slots=True, eq=False)
class Node:
    """A state on the way, or several that differ only in what the seat sees.

    Attributes:
        missing: The parts that were missing when the sequence could last have ended.
        distance: How far it was from the observation then.
        explained_count: How many parts of ``missing`` the actions since then explain.
        words: The words of these actions.
        estimate: The distance, as far as it is known from the nodes that follow.
        lengths: Bit mask of the numbers of steps after which the node can be reached.
        incoming: The nodes before this one, each with the transition from it.
        edges: The actions to follow. None: not computed yet.
        can_end: Whether the sequence can end here.
        leads_to_match: Whether a path leads from here to a matching end.
    """

    state: State
    missing: Counter[Any]
    distance: int
    estimate: int
    explained_count: int = 0
    words: tuple[str, ...] = ()
    lengths: int = 0
    incoming: list[tuple[Node, Transition]] = field(default_factory=list)
    edges: list[Edge] | None = None
    can_end: bool = False
    leads_to_match: bool = False


@dataclass(slots=True)
class Edge:
    """An action at a node.

    Attributes:
        action: The action.
        candidate: Its index among the actions that look the same to the seat, and their number.
        observation: The observation of the seat after it.
        lengths: Bit mask of the numbers of steps after which the seat observes that.
        guess: The estimated distance, from what the action explains.
        explained_count: How many of the missing parts of the node are explained after it.
        words: The words of the sequence after it.
        end: The node that it leads to. None: not simulated yet.
        visits: How many dives followed it.
    """

    action: Action
    candidate: tuple[int, int]
    observation: Observation
    lengths: int
    guess: int
    explained_count: int
    words: tuple[str, ...]
    end: Node | None = None
    visits: int = 0

    @property
    def estimate(self) -> int:
        """Return the estimated distance beyond this edge."""
        return self.guess if self.end is None else self.end.estimate


class _PathGraph:
    """The states from one particle up to the last step of a backtracker, as far as they were simulated.

    Attributes:
        matches: The nodes at which the end would be observed as it was.
    """

    def __init__(self, evaluator: _EndEvaluator, backtracker: Backtracker, start: Particle) -> None:
        self.evaluator, self.backtracker, self.start = evaluator, backtracker, start
        self.stepper, self.rng = backtracker.stepper, backtracker.stepper.rng
        self.length, self._idle_dives = backtracker.last_step - len(start.history), 0
        self._observations = self._list_distinct_observations()
        missing = evaluator.parts - Counter((cell, start.state.cells[cell]) for cell in evaluator.cells)
        distance = missing.total()
        self.root = Node(start.state, missing, distance, distance, lengths=1)
        self.nodes = {self._make_key(start.state): self.root}
        self.matches, self._old_ends = list[Node](), list[Node]()

    def _search(self, effort: int, count: int) -> list[Particle]:
        """Dive until a dive gives exact particles after the last step, and return up to ``count`` of them.

        The dives end once they have cost ``effort`` of the budget, or EXTENSION times as much if ``matches`` has a
        node, or after MAX_IDLE_DIVES dives without a new node. Then the last step is tried from the closest nodes.
        """
        budget_end, is_extended = self.stepper.budget - effort, False
        while self._idle_dives < MAX_IDLE_DIVES and self.stepper.budget > budget_end:
            self._dive(budget_end)
            new_particles = self._play_last_step(self._list_matching_ends(), count)
            if new_particles:
                return new_particles
            if self.matches and not is_extended:
                budget_end, is_extended = budget_end - (EXTENSION - 1) * effort, True
        return self._play_last_step(self._list_closest_ends(), count)

    def _play_last_step(self, nodes: Iterable[Node], count: int) -> list[Particle]:
        """Return the exact particles that the last step leads to from some nodes."""
        particles = (self.backtracker.play_step(self._sample_particle_at(node)) for node in nodes)
        return list(islice((particle for particle in particles if particle is not None and particle.is_exact), count))

    def _list_matching_ends(self) -> Iterator[Node]:
        """Yield the nodes of ``matches`` that can come just before the last step and were not yielded before."""
        for node in self.matches:
            if node.lengths >> self.length & 1 and node not in self._old_ends:
                self._old_ends.append(node)
                yield node

    def _list_closest_ends(self) -> list[Node]:
        """Return at most MAX_CLOSE_ENDS nodes that can come just before the last step, the closest first.

        Nodes that :meth:`_list_matching_ends` has yielded are left out.
        """
        ends = [node for node in self.nodes.values() if node.lengths >> self.length & 1 and node not in self._old_ends]
        return sorted(ends, key=lambda node: node.distance)[:MAX_CLOSE_ENDS]

    def _sample_particle_at(self, node: Node) -> Particle:
        """Return a particle at a node just before the last step, on a random path of :attr:`length` steps.

        The node must be reachable after that many steps. The particle is advanced from ``start`` by all of them, but
        not by the last step, which leads on from the node.
        """
        path, particle = list[Transition](), self.start
        for step in range(self.length - 1, -1, -1):
            incoming = [arrival for arrival in node.incoming if arrival[0].lengths >> step & 1]
            node, transition = incoming[self.rng.draw_below(len(incoming))]
            path.append(transition)
        for transition in reversed(path):
            transition = transition._replace(dependent_steps=particle.dependent_steps)
            particle = self.stepper.advance(particle, transition)
        return particle

    # ------------------------------------------------------------ dives

    def _dive(self, budget_end: int) -> None:
        """Follow one path, and add the nodes on it to the graph. This takes at least 1 of the budget.

        The path starts at the root or, if paths to a match are known, mostly at a random node of these. A node that can
        end the sequence makes progress if its ``distance`` is smaller than at the last node that made progress. At
        first, that node is the start. Without progress, or at a dead end, the dive goes back to it. It ends just before
        the last step, or when the budget falls to ``budget_end``. More than MAX_RETREATS such returns in a row end
        it, too, unless chance lets it go on from a node that is no closer.
        """
        node, step = self._choose_start()
        node_count, base, base_step, path, retreats = len(self.nodes), node, step, list[Node](), 0
        prefers_unvisited = node.leads_to_match
        self.stepper.budget -= 1
        while step < self.length and self.stepper.budget > budget_end and retreats <= MAX_RETREATS:
            path.append(node)
            next_node = self._follow(node, step + 1, prefers_unvisited)
            prefers_unvisited = False
            if next_node is not None and not next_node.can_end:
                node, step = next_node, step + 1
                continue
            retreats += 1
            accepts_worse = retreats > MAX_RETREATS and not self.rng.draw_below(WORSENING_ODDS)
            if next_node is not None and (next_node.distance < base.distance or accepts_worse):
                base, base_step, retreats = next_node, step + 1, 0
            node, step = base, base_step
            # Set the estimates on the path to the best one that follows, up to where the sequence can end.
            for path_node in reversed(path):
                if not path_node.can_end:
                    path_node.estimate = min((edge.estimate for edge in path_node.edges or ()), default=UNREACHABLE)
            path.clear()
        self._idle_dives = 0 if len(self.nodes) > node_count else self._idle_dives + 1

    def _choose_start(self) -> tuple[Node, int]:
        """Return where a dive begins, and after how many steps: mostly on a path to a match, if one is known."""
        path_nodes = [node for node in self.nodes.values() if node.leads_to_match] if self.matches else []
        if not path_nodes or not self.rng.draw_below(ROOT_ODDS):
            return self.root, 0
        node = path_nodes[self.rng.draw_below(len(path_nodes))]
        return node, (node.lengths & -node.lengths).bit_length() - 1

    def _follow(self, node: Node, step: int, prefers_unvisited: bool) -> Node | None:
        """Return the next node of a dive, or None if no action is left that comes after ``step`` steps.

        The better the estimate of an edge, the more often it is followed: VISIT_RATIO times as often as the next one.
        With ``prefers_unvisited``, all edges are followed equally often. Edges are simulated when they are first
        followed.
        """
        edges = node.edges = self._make_edges(node) if node.edges is None else node.edges
        while possible_edges := [edge for edge in edges if edge.lengths >> step & 1]:
            ranks = {estimate: i for i, estimate in enumerate(sorted({edge.estimate for edge in possible_edges}))}
            edge = min(
                possible_edges,
                key=lambda candidate: (
                    (candidate.visits + 1) * (1 if prefers_unvisited else VISIT_RATIO ** ranks[candidate.estimate])
                ),
            )
            if edge.end is not None:
                edge.visits += 1
                return edge.end
            self._simulate(node, edge)
            can_end = edge.end is not None and edge.end.can_end
            for other_edge in [candidate for candidate in edges if can_end and candidate.end is None]:
                self._simulate(node, other_edge)
        return None

    def _make_edges(self, node: Node) -> list[Edge]:
        """Return the actions that the seat is not told about, the most promising first, at most MAX_EDGES."""
        components, new_edges = self.evaluator._list_named_components(node.missing), list[Edge]()
        site = self._get_site(node.state)
        for observation, lengths in self._observations:
            actions = self.stepper.find_actions(node.state, observation)
            for number, action in enumerate(actions):
                types = self.stepper.value_types[site][action[0]]
                gain, words = self.evaluator._rate_action(node.missing, node.words, types, components, action)
                guess, count = node.distance - node.explained_count - gain, node.explained_count + gain
                new_edges.append(Edge(action, (number, len(actions)), observation, lengths, guess, count, words))
        return sorted(self.rng.shuffle(new_edges), key=lambda edge: edge.guess)[:MAX_EDGES]

    def _simulate(self, node: Node, edge: Edge) -> None:
        """Simulate an edge. It is removed if the seat would observe something else."""
        transition = None
        if self.stepper.budget > 0:
            transition = self.stepper.simulate_step(Attempt(self.start, edge.observation, node.state, {}, edge.action))
        if transition is None or transition.permutation:
            assert node.edges is not None
            node.edges.remove(edge)
            return
        key = self._make_key(transition.after)
        end = self.nodes.get(key)
        if end is None:
            end = self.nodes[key] = self._make_node(node, edge, transition.after)
        edge.end = end
        end.incoming.append((node, transition._replace(candidate=edge.candidate)))
        self._spread_lengths(end, node.lengths << 1 & edge.lengths)
        if end.leads_to_match or not end.distance:
            self._mark_leading(node)

    def _make_node(self, before: Node, edge: Edge, state: State) -> Node:
        """Return a new node behind an edge."""
        result = self.evaluator._evaluate(state, self.start.state)
        if result is None:
            return Node(state, before.missing, before.distance, edge.guess, edge.explained_count, edge.words)
        missing, distance = result
        node = Node(state, missing, distance, distance, can_end=True)
        if not distance:
            self.matches.append(node)
        return node

    def _spread_lengths(self, node: Node, lengths: int) -> None:
        """Add path lengths to a node, and to those that follow."""
        queue = [(node, lengths)]
        while queue:
            node, lengths = queue.pop()
            new_bits = lengths & ~node.lengths
            node.lengths |= new_bits
            if new_bits:
                queue += [(edge.end, new_bits << 1 & edge.lengths) for edge in node.edges or () if edge.end is not None]

    def _mark_leading(self, node: Node) -> None:
        """Mark a node, and all before it, as leading to a match."""
        queue = [node]
        while queue:
            node = queue.pop()
            if not node.leads_to_match:
                node.leads_to_match = True
                queue += [predecessor for predecessor, _ in node.incoming]

    # ------------------------------------------------------------ states

    def _list_distinct_observations(self) -> list[tuple[Observation, int]]:
        """Return the distinct observations on the way, each with a bit mask of the numbers of steps before it."""
        lengths = dict[Observation, int]()
        observations = self.backtracker.observations[len(self.start.history) : self.backtracker.last_step]
        for step, observation in enumerate(observations):
            lengths[observation] = lengths.get(observation, 0) | 2 << step
        return list(lengths.items())

    def _get_site(self, state: State) -> int:
        """Return which choice is asked in a state. -1: none."""
        decision = self.stepper.game.decision(state)
        return -1 if decision is None else decision.site

    def _make_key(self, state: State) -> tuple[Any, ...]:
        """Return everything about a state that the seat does not see."""
        observation = self._observations[0][0]
        values = tuple([state.cells[cell] for cell in self.stepper.list_hidden_cells(state, observation)])
        zones = tuple([tuple(state.zones[number]) for number, _, _ in observation.hidden_zones])
        return self._get_site(state), values, zones


# ------------------------------------------------------------ the search


def search_paths(backtracker: Backtracker, particles: Sequence[Particle], count: int) -> list[Particle]:
    """Return up to ``count`` exact particles after the last step of a backtracker, found through silent steps.

    ``particles`` are those before the silent steps, and must not be empty. The search stops after the first of SEARCHES
    attempts that succeeds, or when the budget is used up. The list is empty if it fails.

    Example: Bob takes 18 actions in private, and then sends the offer "a fig, a plum and 2 gold". The search finds 18
    actions that make this offer, in any order.
    """
    stepper, evaluator = backtracker.stepper, _EndEvaluator(backtracker)
    effort = float(STEP_EFFORT * (backtracker.last_step - len(particles[0].history)))
    limit = MAX_EFFORT * stepper.info.budget_quarters
    for number in range(SEARCHES):
        start = _prepare(backtracker, particles[stepper.rng.draw_below(len(particles))], number % 2 == 0)
        new_particles = _PathGraph(evaluator, backtracker, start)._search(int(min(effort, limit)), count)
        if new_particles or stepper.budget <= 0:
            return new_particles
        effort *= EFFORT_GROWTH
    return []


def _prepare(backtracker: Backtracker, particle: Particle, puts_last: bool) -> Particle:
    """Give the seat that decides the components that are named at the end, as far as they may be there.

    If ``puts_last``, they go behind all others in their zones, and anywhere otherwise: a sequence chooses components in
    the order in which they are.
    """
    stepper, observation = backtracker.stepper, backtracker.observations[-1]
    decision = stepper.game.decision(particle.state)
    if decision is None or decision.seat == stepper.seat:
        return particle
    zone_masks, location, owners = particle.zone_masks, stepper.layout.location, stepper.info.zone_owners
    attempt = Attempt(particle, observation, particle.state)
    hindsight = backtracker.collect_hindsight(backtracker.last_step - 1)
    pending = stepper.find_pending_components(particle.state, hindsight)
    cards = _find_named_components(stepper.info, observation.events)
    cards |= {card for card, is_pending in pending.items() if is_pending}
    cards &= zone_masks.keys()
    for card in stepper.rng.shuffle(sorted(cards)):
        state = attempt.state
        targets = [target for target in zone_masks if owners[state.cells[location + target]] == decision.seat]
        targets = stepper.rng.shuffle([target for target in targets if target == card or target not in cards])
        if puts_last:
            targets.sort(key=lambda component: -state.zones[state.cells[location + component]].index(component))
        targets = targets[: targets.index(card)] if card in targets else targets
        attempt = stepper.bring_to_any(attempt, card, targets) or attempt
    dependent_steps = stepper.recheck(particle.dependent_steps, attempt.permutation)
    if dependent_steps is None:
        return particle
    return particle._replace(state=attempt.state, dependent_steps=dependent_steps)


def _find_named_components(info: HiddenInfo, events: Iterable[Event]) -> set[int]:
    """Return the components that events name. One is left out once an event has shown where it came from."""
    cards, moved_cards = set[int](), set[int]()
    for event in events:
        if event[0] == "cards":
            pairs = zip(event[1], event[5], strict=True)
            moved_cards.update(card for card, source in pairs if card is not None and source is not None)
        cards.update(card for card in info.list_named_components([event]) if card not in moved_cards)
    return cards
