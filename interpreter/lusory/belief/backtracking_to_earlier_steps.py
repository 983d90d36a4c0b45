"""Change an earlier step of a particle and replay the later ones, when an observation refutes all particles.

If no particle survives a step, something that the seat was not told about was different: a deck list, an action, a
draw. The backtracker changes one branch point of a particle, the latest ones first, and replays the steps after it as
they were, as far as possible.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from .observation_and_matching import Observation
from .particle_and_step_records import Hindsight, HistoryStep, Particle
from .particle_step_and_exchange_of_hidden_components import MAX_DEALS, ParticleStepper
from .step_repair import NO_AGREEMENT

Revelations = Mapping[int, Sequence[tuple[int, Any]]]
"""Step -> the hidden cells that came to light in it, with their values."""

HINDSIGHT_STEPS = 5
"""Steps after an action whose events serve as hindsight for it."""

MAX_ALTERNATIVES = 24
"""Alternatives to try at one branch point."""

EXTRA_BUDGET = 200
"""Simulated steps to find further particles, once one was found."""

REPLAY_DEALS = 2
"""Arrangements of the hidden components to try for a step that is replayed."""

MAX_CHANGES = 3
"""Branch points to change in one particle."""


class Progress(NamedTuple):
    """The range of steps over which a particle can be replayed.

    Attributes:
        particle: The particle before the step that refutes it.
        agreement: How far that step agrees with the observation at best.
        suspects: The seats that the first differing event is about.
    """

    particle: Particle
    agreement: tuple[int, int] = NO_AGREEMENT
    suspects: frozenset[int] = frozenset()

    @property
    def rank(self) -> tuple[int, int, int]:
        """A key to compare progress by: the length of the history, then the agreement. More is better."""
        return (len(self.particle.history), *self.agreement)


class Branch(NamedTuple):
    """A node of the backtracking search.

    Attributes:
        root: The number of the particle that it started from.
        progress: How far the changed particle comes.
        change_count: The number of changes that led no further.
        children: The result of each further change, computed on demand.
        dead_ends: The children so far that come no further.
    """

    root: int
    progress: Progress
    change_count: int
    children: Iterator[Progress]
    dead_ends: list[Progress]


class Backtracker:
    """Change earlier steps of particles, so that they agree with all observations up to the last one.

    The budget of ``stepper`` limits the simulated steps.

    Attributes:
        last_step: The number of the last step.
    """

    def __init__(self, stepper: ParticleStepper, observations: Sequence[Observation], revelations: Revelations) -> None:
        self.stepper, self.observations, self.revelations = stepper, observations, revelations
        self.last_step = len(observations) - 1
        self._hindsight: dict[int, Hindsight] = {}
        self._successful_steps = set[int]()  # changing one of these led some particle to the last step

    def collect_hindsight(self, step: int) -> Hindsight:
        """Return what was observed after a step until the last one. The result for each step is cached.

        ``cells`` has the values that came to light in all these steps; of several values of a cell, the earliest
        counts. All other fields are taken from only the events of the next HINDSIGHT_STEPS steps and of the last one:
        ``text``, which joins the announcements with blanks, ``components``, ``first_mentions`` and ``holders``. All
        fields are empty for the last step.
        """
        hindsight = self._hindsight.get(step)
        if hindsight is None:
            cells: dict[int, Any] = {}
            for later_step in range(self.last_step, step, -1):
                cells.update(self.revelations.get(later_step, ()))
            steps = {*range(step + 1, self.last_step)[:HINDSIGHT_STEPS], self.last_step} - {step}
            events = [event for later_step in sorted(steps) for event in self.observations[later_step].events]
            text = " ".join(event[1] for event in events if event[0] == "announce")
            info, mentions = self.stepper.info, dict[tuple[int, tuple[str, str]], int]()
            holders = dict(reversed(list(info.list_component_holders(events))))
            for later_step in sorted(steps):
                before = self.observations[later_step - 1].cells
                for mention in info.list_new_appearances(self.observations[later_step].events, before):
                    mentions.setdefault(mention, later_step)
            components = frozenset(info.list_named_components(events))
            hindsight = self._hindsight[step] = Hindsight(cells, text, components, mentions, holders)
        return hindsight

    def backtrack(self, particles: Sequence[Particle], count: int) -> list[Particle]:
        """Change earlier steps of ``particles``, and return up to ``count`` new particles that reach the last step.

        ``particles`` have a shorter history than ``observations``, and stay unchanged. The history of a result has an
        entry for each observation. Each particle gives at most one result. Results stand in the order in which they are
        found. The search first extends the change that comes furthest. It ends when nothing is left to try, or when
        ``stepper.budget`` is used up. The first result lowers this budget to at most ``EXTRA_BUDGET`` (200). Returns []
        if it finds nothing.

        Example: in step 9, a card is played that is not on the deck list that was chosen in step 2. Another list is
        chosen in step 2, and steps 3 to 9 are replayed.
        """
        new_particles, suspects = list[Particle](), self.stepper.suspects
        starts = [Progress(particle, self.stepper.best_agreement, suspects) for particle in particles]
        branches = [self._branch(i, progress, 0) for i, progress in enumerate(starts)]
        while branches and self.stepper.budget > 0 and len(new_particles) < count:
            branch = branches[0]
            child = next(branch.children, None)
            if child is None:
                branches.pop(0)
                if branch.change_count < MAX_CHANGES and not new_particles:
                    branch.dead_ends.sort(key=lambda progress: progress.rank, reverse=True)
                    best = branch.dead_ends[:MAX_CHANGES]
                    branches += [self._branch(branch.root, progress, branch.change_count + 1) for progress in best]
                    branches.sort(key=lambda other_branch: other_branch.progress.rank, reverse=True)
            elif len(child.particle.history) > self.last_step:
                new_particles.append(child.particle)
                self.stepper.budget = min(self.stepper.budget, EXTRA_BUDGET)
                branches = [other_branch for other_branch in branches if other_branch.root != branch.root]
            elif child.rank > branch.progress.rank:
                branches.insert(0, self._branch(branch.root, child, branch.change_count))
            else:
                branch.dead_ends.append(child)
        return new_particles

    def _branch(self, root: int, progress: Progress, change_count: int) -> Branch:
        children = self._change_one_step(progress.particle, progress.suspects)
        return Branch(root, progress, change_count, children, [])

    def _change_one_step(self, particle: Particle, suspects: Container[int]) -> Iterator[Progress]:
        """Yield how far a particle comes with one of its branch points changed.

        Branch points that have led to the last step before are changed first, then those of the suspects, then the
        latest ones. A branch point is put last as soon as a change of it fails on the way.
        """
        exhausted_steps, game, points = set[int](), self.stepper.game, particle.branch_points
        decisions = [game.decision(point.before.state) if point.step else None for point in points]
        other_numbers = [i for i, decision in enumerate(decisions) if decision is None or decision.seat not in suspects]
        successful = [i for i, point in enumerate(points) if point.step in self._successful_steps]
        queue = sorted(range(len(points)), key=lambda i: (i not in successful, i in other_numbers, -i))
        alternatives, furthest = dict[int, Iterator[Particle]](), dict.fromkeys(queue, 0)
        while queue:
            number = queue.pop(0)
            point = points[number]
            if number not in alternatives:
                replacements = self._find_alternatives(self._rewind(particle, number), particle.history[point.step])
                alternatives[number] = islice(replacements, MAX_ALTERNATIVES)
            replacement = next(alternatives[number], None)
            if replacement is None:
                exhausted_steps |= {point.step} if furthest[number] < self.last_step else set()
                continue
            progress = self._replay(replacement, particle)
            if self.stepper.budget <= 0:
                return
            length = self.last_step if progress is None else len(progress.particle.history)
            furthest[number] = max(furthest[number], length)
            queue.insert(0 if length >= self.last_step else len(queue), number)
            if progress is not None and length > self.last_step:
                self._successful_steps.add(point.step)
                later_points = progress.particle.branch_points
                remaining = tuple([later for later in later_points if later.step not in exhausted_steps])
                progress = progress._replace(particle=progress.particle._replace(branch_points=remaining))
            if progress is not None:
                yield progress

    def _rewind(self, particle: Particle, number: int) -> Particle:
        """Return the particle that a particle was before one of its branch points."""
        point = particle.branch_points[number]
        history, points = particle.history[: point.step], particle.branch_points[:number]
        return point.before._replace(history=history, branch_points=points)

    def _find_alternatives(self, before: Particle, old_step: HistoryStep) -> Iterator[Particle]:
        """Yield the particles after a branch point at which something other than ``old_step`` happened."""
        step, tried_actions = len(before.history), {old_step.action}
        hindsight = self.collect_hindsight(step)
        transitions = self.stepper.sample_transitions(before, self.observations[step], hindsight, max_deals=1)
        for transition in transitions:
            if transition.has_hidden_draw or transition.action not in tried_actions:
                tried_actions.add(transition.action)
                after = self.stepper.advance(before, transition, old_step.inference)
                if after.history[-1].fingerprint != old_step.fingerprint:
                    yield after

    def _replay(self, particle: Particle, template: Particle) -> Progress | None:
        """Play a particle on as ``template`` was played, as far as it goes.

        Returns None if it comes to the same as the template in some step.
        """
        while len(particle.history) <= self.last_step:
            step = len(particle.history)
            template_step = template.history[step] if step < len(template.history) else None
            self.stepper.best_agreement = NO_AGREEMENT
            after = self.play_step(particle, template_step, REPLAY_DEALS)
            if after is None:
                return Progress(particle, self.stepper.best_agreement, self.stepper.suspects)
            particle = after
            if template_step is not None and particle.history[-1].fingerprint == template_step.fingerprint:
                return None
        return Progress(particle)

    def resample_recent(self, particles: Sequence[Particle], count: int) -> list[Particle]:
        """Return up to ``count`` particles after the last step, replayed from a recent branch point.

        From there on, their actions are chosen anew, and may be the old ones, but results of chance are repeated as far
        as possible. This helps if every action of a draft must be another one. Each try replays one of ``particles``,
        in turn, from a branch point drawn at random. The first try draws from the last five, the second from the last
        six, and so on. The first success lowers ``stepper.budget`` to at most ``EXTRA_BUDGET``. The tries end early,
        with the particles found so far, when this budget is used up, or at a particle without branch points.
        """
        new_particles, tries = list[Particle](), 0
        while particles and self.stepper.budget > 0 and len(new_particles) < count:
            particle, tries = particles[tries % len(particles)], tries + 1
            points = particle.branch_points
            if not points:
                return new_particles
            number = max(0, len(points) - 1 - self.stepper.rng.draw_below(min(4 + tries, len(points))))
            current: Particle | None = self._rewind(particle, number)
            while current is not None and len(current.history) <= self.last_step:
                step = len(current.history)
                template = particle.history[step]._replace(action=None) if step < len(particle.history) else None
                current = self.play_step(current, template)
            if current is not None:
                new_particles.append(current)
                self.stepper.budget = min(self.stepper.budget, EXTRA_BUDGET)
        return new_particles

    def play_step(
        self, particle: Particle, template: HistoryStep | None = None, max_deals: int | None = None
    ) -> Particle | None:
        """Return a particle after its next step, or None if none agrees with the observation or the budget is used up.

        ``template`` is the same step of another particle. Its results of chance are used as far as possible, and its
        action is tried first, unless later observations favour another. The start of the game repeats nothing. If the
        action taken is ``template.action``, or that is None, ``history[-1].inference`` of the result is that of
        ``template``. ``max_deals`` limits the arrangements of hidden components to try, the present one included: by
        default MAX_DEALS, or REPLAY_DEALS with a template. The step costs 1 of ``stepper.budget``. Each simulation, at
        least one and those of repairs and the inference, costs 1 more. A comparison of ``n`` actions with later
        observations costs ``n // 4``. A budget of 1 suffices only for the start of the game.
        """
        step = len(particle.history)
        max_deals = max_deals or (MAX_DEALS if template is None else REPLAY_DEALS)
        transitions = self.stepper.sample_transitions(
            particle, self.observations[step], self.collect_hindsight(step), template, max_deals
        )
        transition = next(transitions, None)
        self.stepper.budget -= 1
        if transition is None:
            return None
        if template is not None and template.action in (None, transition.action):
            inference = template.inference
        else:
            inference = self.stepper.infer(particle, transition)
        return self.stepper.advance(particle, transition, inference)
