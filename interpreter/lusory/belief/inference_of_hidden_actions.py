"""Search for hidden action sequences that explain an observation.

Another seat may take many actions in private: it puts together an offer, for example. This seat is told nothing until
the last action. Then one observation reveals them all at once.

The search is hill climbing with random restarts. At each state where the sequence could end, we simulate what would be
observed then. The climb goes on if that is closer to the observation than before, and goes back otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lusory_dsl.types.types import Type, is_component

from ..state.events_redaction_and_text import Event, redact_log
from ..state.setting_value_limits_builtins_and_names import format_value_label
from ..state.state import State
from .backtracking_to_earlier_steps import Backtracker
from .dictated_chance_and_component_permutations import ChanceOutcomes, ChanceScript, Rng
from .hidden_information_and_event_subjects import HiddenInfo
from .particle_and_step_records import Action, Attempt, Particle, Transition

# ------------------------------------------------------------ constants

SEARCHES = 10
"""Searches to make one after the other, each from another particle."""

STEP_EFFORT = 15
"""Simulated steps for each step of the path, in the first search."""

EFFORT_GROWTH = 1.5
"""A search may take this many times longer than the one before, if that one found where the sequence could end."""

MAX_EFFORT = 1000
"""Simulated steps in one search, for each quarter of the budget."""

EXTENSION = 3
"""A search may take this many times longer once it knows a matching end, which may lack a path of the right length."""

MAX_EDGES = 6
"""Actions to follow from one state."""

VISIT_RATIO = 2
"""The best edges are followed this many times as often as the next ones."""

MAX_RETREATS = 4
"""A climb ends after it has gone back this often without progress."""

WORSENING_ODDS = 4
"""One in this many climbs that would end goes on from a state that is no closer."""

ROOT_ODDS = 4
"""One in this many climbs begins at the start, the others on the path that came closest."""

MAX_CLOSE_ENDS = 4
"""A search without a particle tries the last step behind this many of the closest ends."""

MAX_CLIMBS = 200
"""Climbs in one search."""

MAX_IDLE_CLIMBS = 12
"""A search ends after this many climbs in a row without a new state."""

MAX_ENDS = 3
"""Actions of each alternative to try as the last one in one state."""

EXTRA_PENALTY = 5
"""A part that would be observed but was not counts at least this much, because it rarely goes away later."""

NGRAM_LENGTHS = (1, 2, 3)
"""Lengths of the word sequences by which texts are compared."""

CLAUSE_WEIGHT = 4
"""A whole clause counts as much as this many words."""

CLAUSE_END = re.compile(r"[.,:;!?()]+")

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
        self._words = _list_announced_words(self.last_events)
        self._extra_penalty = max(EXTRA_PENALTY, self.parts.total() // EXTRA_PENALTY)

    def _evaluate(self, state: State, start: State) -> tuple[Counter[Any], int] | None:
        """Return a counter of the parts that would be missing if the sequence ended now, and the distance to the
        observation.

        At most MAX_ENDS actions of each alternative are tried as the last one, and the one with the least distance
        counts. An action ends the sequence if the first event that the seat observes has the same kind and first value.
        The distance is the number of missing parts, plus a penalty for each extra event, word of an announcement, and
        cell value that ``start`` did not have. Each try costs one step of the budget. Return None if no action ends the
        sequence, or if the game is over.
        """
        decision = self.stepper.game.decision(state)
        if decision is None:
            return None
        best, tries = None, Counter[int]()
        for option in decision.options:
            tries[option.alternative] += 1
            if tries[option.alternative] > MAX_ENDS:
                continue
            log = list[Event]()
            script = ChanceScript(self.last_events, Rng(0, "draws"), ChanceOutcomes(), self.stepper.seat)
            self.stepper.budget -= 1
            after = self.stepper.apply_action(state, option[1:], log, script)
            events = redact_log(log, self.stepper.seat, self.stepper.game)
            if after is None or [event[:2] for event in events[:1]] != [event[:2] for event in self.last_events[:1]]:
                continue
            parts = self._split(events, after.cells)
            missing = self.parts - parts
            extra = sum(self._is_new(part, start) for part in (parts - self.parts).elements())
            extra += _count_extra_words(_list_announced_words(events), self._words)
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

        Example: the announcement "one fig." has the parts "one", "fig", "one fig", and 4 times each the clause "one
        fig" and the empty one behind the full stop. Events of other kinds also have the empty clause 4 times.
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


def _list_announced_words(events: Iterable[Event]) -> list[str]:
    return [word for event in events if event[0] == "announce" for word in _split_words(event[1] or "")]


def _count_extra_words(words: Sequence[str], expected: Sequence[str]) -> int:
    """Return how many words must go before a text can grow into the expected one.

    Example: "two figs" can grow into "two red figs", so it has no extra word. "two green figs" has one. The other words
    are the longest common subsequence. Wagner and Fischer: The String-to-String Correction Problem. 1974.
    """
    lengths = [0] * (len(expected) + 1)
    for word in words:
        diagonal = 0
        for i, expected_word in enumerate(expected, 1):
            longest = diagonal + 1 if word == expected_word else max(lengths[i], lengths[i - 1])
            diagonal, lengths[i] = lengths[i], longest
    return len(words) - lengths[-1]


# ------------------------------------------------------------ climbs


@dataclass(slots=True)
class Edge:
    """An action at a state on the way.

    Attributes:
        action: The action.
        candidate: Its index among the actions that look the same to the seat, and their number.
        estimate: The distance after it. Before it is simulated, a guess from what the action explains.
        explained_count: How many of the parts that were missing when the sequence could last have ended are explained
            after it, by this action and those since then.
        words: The words of these actions.
        transition: The step. None: not simulated yet.
        missing: The parts that are missing if the sequence ends after it. None: it can't end here.
        distance: How far it is from the observation then.
        following: The edges behind it. None: not computed yet.
        visits: How many climbs followed it.
    """

    action: Action
    candidate: tuple[int, int]
    estimate: int
    explained_count: int
    words: tuple[str, ...]
    transition: Transition | None = None
    missing: Counter[Any] | None = None
    distance: int = 0
    following: list[Edge] | None = None
    visits: int = 0


class _PathSearch:
    """Climb from one particle towards the last step of a backtracker. States are simulated once, and remembered.

    Attributes:
        length: The number of steps before the last one.
        has_end: Whether a state is known at which the sequence could end.
    """

    def __init__(self, evaluator: _EndEvaluator, backtracker: Backtracker, start: Particle) -> None:
        self.evaluator, self.backtracker, self.start = evaluator, backtracker, start
        self.stepper, self.rng = backtracker.stepper, backtracker.stepper.rng
        self.length = backtracker.last_step - len(start.history)
        self._observations = backtracker.observations[len(start.history) - 1 : backtracker.last_step]
        starts = [i for i, observation in enumerate(self._observations, 1) if observation != self._observations[-1]]
        self._last_run = max(starts, default=0)  # where the last run of equal observations begins
        self._edges: dict[tuple[Any, ...], list[Edge]] = {}
        self._best_path, self.has_end, self._has_match = list[Edge](), False, False
        missing = evaluator.parts - Counter((cell, start.state.cells[cell]) for cell in evaluator.cells)
        self._root = Edge((0, ()), (0, 1), 0, 0, (), None, missing, missing.total())

    def search(self, effort: int, count: int) -> list[Particle]:
        """Climb until ``count`` exact particles after the last step are found, and return them.

        A climb gives at most one particle; two of them may have the same path. Climbing ends early after MAX_CLIMBS
        climbs, or MAX_IDLE_CLIMBS in a row without a new state, or once they have cost ``effort`` of ``stepper.budget``
        or used it up. Once an end with the distance 0 is known, they may cost EXTENSION times ``effort`` in all. If
        they find no particle, the last step is tried behind the MAX_CLOSE_ENDS closest ends. The result then has at
        most one particle for each of these ends, which may be none, or more than ``count``.
        """
        particles, begin, idle_climbs = list[Particle](), self.stepper.budget, 0
        for _ in range(MAX_CLIMBS):
            budget_end = max(0, begin - effort * (EXTENSION if self._has_match else 1))
            if len(particles) == count or idle_climbs == MAX_IDLE_CLIMBS or self.stepper.budget <= budget_end:
                break
            state_count = len(self._edges)
            self._climb(budget_end)
            if self._has_match:
                particles += self._play_last_step([path for path in self._list_paths()[:1] if not path[-1].distance])
            idle_climbs = idle_climbs + 1 if len(self._edges) == state_count else 0
        return particles or self._play_last_step(self._list_paths()[:MAX_CLOSE_ENDS])

    def _play_last_step(self, paths: Iterable[Sequence[Edge]]) -> list[Particle]:
        """Return the exact particles that the last step leads to behind some paths."""
        particles = [self.backtracker.play_step(self._follow_path(path)) for path in paths]
        return [particle for particle in particles if particle is not None and particle.is_exact]

    def _climb(self, budget_end: int) -> None:
        """Add the steps of one climb.

        From a state at which the sequence could end, the climb goes to another such state that is closer to the
        observation. Otherwise it goes back, MAX_RETREATS times at most. After that, chance may let it go on all the
        same.
        """
        base, retreats = self._choose_start(), 0
        path = base[:]
        while self.stepper.budget > budget_end:
            edge = self._choose_edge(path, budget_end) if len(path) < self.length else None
            if edge is not None:
                path.append(edge)
                if edge.missing is None:
                    continue
                for passed_edge in reversed(path[len(base) : -1]):
                    passed_edge.estimate = min(next_edge.estimate for next_edge in passed_edge.following or ())
                if edge.distance <= (self._best_path or [self._root])[-1].distance:
                    self._best_path = path[:]
                base_distance = (base or [self._root])[-1].distance
                is_closer = edge.distance < base_distance or edge.distance == base_distance == 0
                if is_closer or (retreats == MAX_RETREATS and not self.rng.draw_below(WORSENING_ODDS)):
                    base, retreats = path[:], 0
                    continue
            if retreats == MAX_RETREATS:
                return
            path, retreats = base[:], retreats + 1

    def _list_paths(self) -> list[list[Edge]]:
        """Return paths of :attr:`length` simulated edges to different ends, the closest first.

        Dynamic programming: each state that can be reached after one more step keeps one random path to it.
        """
        paths: dict[int, tuple[list[Edge], list[Edge]]] = {0: ([], self._find_edges(()))}
        for _ in range(self.length - 1):
            longer_paths: dict[int, tuple[list[Edge], list[Edge]]] = {}
            for path, edges in paths.values():
                for edge in self.rng.shuffle(edges):
                    if edge.transition is not None and edge.following is not None:
                        longer_paths.setdefault(id(edge.following), ([*path, edge], edge.following))
            paths = longer_paths
        ends = [[*path, edge] for path, edges in paths.values() for edge in edges if edge.missing is not None]
        return sorted(self.rng.shuffle(ends), key=lambda path: path[-1].distance)

    def _choose_start(self) -> list[Edge]:
        """Return the path from which a climb begins: a random part of the best one, or with chance the empty one."""
        ends = [length for length, edge in enumerate(self._best_path, 1) if edge.missing is not None]
        if not ends or not self.rng.draw_below(ROOT_ODDS):
            return []
        return self._best_path[: ends[self.rng.draw_below(len(ends))]]

    def _choose_edge(self, path: Sequence[Edge], budget_end: int) -> Edge | None:
        """Return an edge to follow behind a path, simulated. None: there is none, or the budget is used up.

        The better its estimate, the more often an edge is chosen.
        """
        edges = self._find_edges(path)
        while edges and self.stepper.budget > budget_end:
            ranks = {estimate: i for i, estimate in enumerate(sorted({edge.estimate for edge in edges}))}
            edge = min(edges, key=lambda candidate: (candidate.visits + 1) * VISIT_RATIO ** ranks[candidate.estimate])
            if edge.transition is not None:
                edge.visits += 1
                return edge
            self._simulate(edge, edges, path)
            for other_edge in edges[:] if edge.missing is not None else ():
                if other_edge.transition is None and self.stepper.budget > budget_end:
                    self._simulate(other_edge, edges, path)
        return None

    def _find_edges(self, path: Sequence[Edge]) -> list[Edge]:
        """Return the actions behind a path that the seat is not told about, at most MAX_EDGES, the best first."""
        state, observation = self._get_state(path), self._observations[len(path)]
        decision = self.stepper.game.decision(state)
        if decision is None:
            return []
        # everything about the state, as far as the seat does not see it
        values = tuple([state.cells[cell] for cell in self.stepper.list_hidden_cells(state, observation)])
        zones = tuple([tuple(state.zones[number]) for number, _, _ in observation.hidden_zones])
        key = (decision.site, min(len(path), self._last_run), values, zones)
        if key not in self._edges:
            self._edges[key] = self._make_edges(state, decision.site, path)
        if path:
            path[-1].following = self._edges[key]
        return self._edges[key]

    def _make_edges(self, state: State, site: int, path: Sequence[Edge]) -> list[Edge]:
        base = next((edge for edge in reversed(path) if edge.missing is not None), self._root)
        assert base.missing is not None
        explained_count, words = (0, ()) if not path or path[-1] is base else (path[-1].explained_count, path[-1].words)
        components = self.evaluator._list_named_components(base.missing)
        actions = self.stepper.find_actions(state, self._observations[len(path) + 1])
        edges = []
        for number, action in enumerate(actions):
            types = self.stepper.value_types[site][action[0]]
            gain, new_words = self.evaluator._rate_action(base.missing, words, types, components, action)
            count = explained_count + gain
            edges.append(Edge(action, (number, len(actions)), base.distance - count, count, new_words))
        return sorted(self.rng.shuffle(edges), key=lambda edge: edge.estimate)[:MAX_EDGES]

    def _simulate(self, edge: Edge, edges: list[Edge], path: Sequence[Edge]) -> None:
        """Simulate one of the edges behind a path. It is removed if the seat would observe something else."""
        attempt = Attempt(self.start, self._observations[len(path) + 1], self._get_state(path), {}, edge.action)
        transition = self.stepper.simulate_step(attempt)
        if transition is None or transition.permutation:
            edges.remove(edge)
            return
        edge.transition = transition._replace(candidate=edge.candidate)
        result = self.evaluator._evaluate(transition.after, self.start.state)
        if result is not None:
            edge.missing, edge.distance = result
            edge.estimate = edge.distance
            self.has_end, self._has_match = True, self._has_match or not edge.distance

    def _get_state(self, path: Sequence[Edge]) -> State:
        transition = path[-1].transition if path else None
        return self.start.state if transition is None else transition.after

    def _follow_path(self, path: Sequence[Edge]) -> Particle:
        """Return the particle after the steps of a path."""
        particle = self.start
        for edge in path:
            assert edge.transition is not None
            transition = edge.transition._replace(dependent_steps=particle.dependent_steps)
            particle = self.stepper.advance(particle, transition)
        return particle


# ------------------------------------------------------------ the search


def search_paths(backtracker: Backtracker, particles: Sequence[Particle], count: int) -> list[Particle]:
    """Return particles with ``is_exact`` after the last step of a backtracker, found through silent steps.

    There are at most ``count``, or MAX_CLOSE_ENDS if that is more. ``particles`` are those before the silent steps, and
    must not be empty. Each of up to SEARCHES attempts begins with a random one of them. The search stops after the
    first attempt that finds a particle, or that uses up ``stepper.budget``. The list is empty if none finds one.

    Example: Bob takes 18 actions in private, and then sends the offer "a fig, a plum and 2 gold". The search finds 18
    actions that make this offer, in any order.
    """
    stepper, evaluator = backtracker.stepper, _EndEvaluator(backtracker)
    effort = float(STEP_EFFORT * (backtracker.last_step - len(particles[0].history)))
    limit = MAX_EFFORT * stepper.info.budget_quarters
    for number in range(SEARCHES):
        start = _prepare(backtracker, particles[stepper.rng.draw_below(len(particles))], number % 2 == 0)
        search = _PathSearch(evaluator, backtracker, start)
        new_particles = search.search(int(min(effort, limit)), count)
        if new_particles or stepper.budget <= 0:
            return new_particles
        effort *= EFFORT_GROWTH if search.has_end else 1
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
