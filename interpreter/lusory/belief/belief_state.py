"""The belief state of a seat: its observations, and sampled states that agree with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ..game import Game
from ..state import random_streams
from ..state.events_redaction_and_text import Event
from ..state.state import State
from ..view.seat_view import View
from .backtracking_to_earlier_steps import Backtracker
from .dictated_chance_and_component_permutations import Rng
from .hidden_information_and_event_subjects import has_perfect_information
from .inference_of_hidden_actions import search_paths
from .observation_and_matching import UNSEEN, Observation, observe
from .particle_and_step_records import Particle
from .particle_step_and_exchange_of_hidden_components import ParticleStepper
from .step_repair import NO_AGREEMENT

PARTICLES = 8
"""Number of particles."""

COMPONENT_PARTICLES = 4
"""Number of particles if only components are hidden. Then each particle gives many determinizations."""

RECENT_STEPS = 6
"""Recent steps whose particles are all kept as checkpoints."""

CHECKPOINT_INTERVAL = 8
"""The particles of every eighth older step are kept."""

STEP_BUDGET, START_BUDGET = 60, 2880
"""Simulated steps to advance one particle by one observation, and to start the game as observed."""

PATH_BUDGET = 12000
"""Simulated steps to search for a path through steps that the seat was told nothing about."""

SEARCH_BUDGET = 1200
"""Simulated steps for each other way to find particles again."""

RESTART_DISTANCES = (1, 2, 3, 5, 9, 17, 33, 65)
"""How many steps back the checkpoints are from which the game is played again."""


class Determinization(NamedTuple):
    """A sampled state, ready to be played on. Its random streams are its own.

    Attributes:
        state: The state.
        is_exact: Whether it agrees with everything that the seat observed. Otherwise it agrees with what the seat sees
            now, as far as possible.
    """

    state: State
    is_exact: bool


class BeliefState:
    """The belief state of one seat: its observations since the game began, and a particle filter over them.

    Particles are states of the compiled engine, whichever engine plays the match.

    Example:
        >>> state = game.start(1, log := [])            # doctest: +SKIP
        >>> belief = BeliefState(game, seat)            # doctest: +SKIP
        >>> belief.update(game.view(state, seat), redact_log(log, seat, game))   # doctest: +SKIP
        >>> belief.sample(8, seed=1)                    # doctest: +SKIP
        [Determinization(state=..., is_exact=True), ...]

    Attributes:
        observations: One for each step.
        particles: The current particles. All of them are exact, or none is.
    """

    def __init__(self, game: Game, seat: int) -> None:
        self.seat = seat
        self.observations: list[Observation] = []
        self.particles: list[Particle] = []
        self._checkpoints: dict[int, list[Particle]] = {}  # step -> the particles after it
        self._revelations: dict[int, tuple[tuple[int, Any], ...]] = {}  # see Backtracker
        self._last_exact: list[Particle] = []  # the last exact particles
        self._last_exact_step = 0  # the step since which no particle is exact
        self._step_before_silence = 0  # the last step before those that the seat was told nothing about
        self._lost_start: list[Particle] = []  # the particles before the silent steps in which they were lost
        self.game = game.on_compiled_engine
        self.stepper = ParticleStepper(self.game, seat)

    # ------------------------------------------------------------ updates

    def update(self, view: View, events: Sequence[Event]) -> None:
        """Take in one step: append its observation to ``observations``, and advance the ``particles`` to it.

        ``view`` is what the seat sees when the game begins, or after a decision of any seat. ``events`` is what it was
        told since the step before, as :func:`lusory.state.events_redaction_and_text.redact_log` returns it. For the
        first step, these are the events of the setup.

        The first step samples the particles, or makes a single one that is not ``is_exact`` if no sample agrees. Later,
        if no exact particle agrees with the observation, earlier steps are changed to find some that do. This is tried
        at once, and again 1, 2, 4, … steps after that first attempt, but not once the game is over. Until it succeeds,
        no particle is exact. Replaces ``stepper.rng``. Raises ValueError, with nothing changed, if the view is that of
        another seat.
        """
        if view.seat != self.seat:
            raise ValueError("that is what another seat sees")
        observation = observe(view, events)
        self.observations.append(observation)
        step = len(self.observations) - 1
        self.stepper.rng = Rng(step, f"seat {self.seat}")
        if not step:
            self.particles = [Particle(self.game.initial, {})] * self._particle_count
        else:
            if not observation.events and (step == 1 or self.observations[step - 1].events):
                self._step_before_silence = step - 1
            self._store_checkpoint(step - 1)
            self._store_revelations(step)
        self.particles = self._advance(observation, step)

    @cached_property
    def _particle_count(self) -> int:
        """The number of particles to keep: fewer for large states."""
        info = self.stepper.info
        if has_perfect_information(info.game):
            return 1
        return (COMPONENT_PARTICLES if info.hides_only_components else PARTICLES) * (1 + info.budget_quarters) // 5

    def _advance(self, observation: Observation, step: int) -> list[Particle]:
        """Return the particles after ``step``, all of them exact or none.

        If none is exact, they are searched for at once, and again 1, 2, 4, … steps later. Until a search succeeds, each
        current particle is replaced by an inexact one that shows what the seat sees now. Once the game is over, there
        is no search.
        """
        particles = self._advance_each(observation)
        if particles and particles[0].is_exact:
            self._last_exact = particles
            return particles
        is_over = observation.waiting_for is None  # nobody needs the particles any more
        is_due = (step - self._last_exact_step).bit_count() == 1
        if not is_over and (self.particles[0].is_exact or is_due):
            new_particles = self._recover(step)
            if new_particles:
                self._last_exact = new_particles
            elif self.particles[0].is_exact:
                self._last_exact_step, self._lost_start = step, self._checkpoints.get(self._step_before_silence, [])
            particles = new_particles or particles
        bases = self.particles if step else [Particle(self.game.start(0), {})]
        return particles or [self.stepper.patch(particle, observation) for particle in bases]

    def _advance_each(self, observation: Observation) -> list[Particle]:
        """Return particles after one step, in turn from those that agree with the observation.

        If some of these are exact, only the exact ones are used. The list is empty if the observation refutes all
        particles.
        """
        new_particles, inference = list[Particle](), None
        self.stepper.best_agreement = NO_AGREEMENT
        for particle in self.particles:
            self.stepper.budget = STEP_BUDGET if len(self.observations) > 1 else START_BUDGET
            transition = next(self.stepper.sample_transitions(particle, observation), None)
            if transition is not None:
                inference = inference or self.stepper.infer(particle, transition)
                new_particles.append(self.stepper.advance(particle, transition, inference))
        return self._repeat([particle for particle in new_particles if particle.is_exact] or new_particles)

    def _recover(self, step: int) -> list[Particle]:
        """Return exact particles for the present after all were refuted, or none.

        These ways are tried in turn until one succeeds:

        - a path search through silent steps;
        - a change of earlier steps;
        - new samples of the recent steps;
        - a restart from checkpoints.
        """
        new_particles, count = self._search_paths(), self._particle_count
        backtracker = self._make_backtracker(self.observations)
        exact_particles = list({id(particle): particle for particle in self._last_exact if particle.is_exact}.values())
        new_particles = new_particles or backtracker.backtrack(exact_particles, count)
        self.stepper.budget = SEARCH_BUDGET
        new_particles = new_particles or backtracker.resample_recent(exact_particles, count)
        return self._repeat(new_particles or self._restart(step))

    def _make_backtracker(self, observations: Sequence[Observation], budget: int = SEARCH_BUDGET) -> Backtracker:
        self.stepper.budget = budget
        return Backtracker(self.stepper, observations, self._revelations)

    def _restart(self, last_step: int) -> list[Particle]:
        """Play the game again from checkpoints, and return the exact particles that reach the step ``last_step``.

        The search ends after the first round that reaches it, or without a result when the budget is used up. Each
        third round gives up the latest of the checkpoints, because what is assumed in them may be wrong.
        """
        exact_steps = [step for step, particles in self._checkpoints.items() if particles and particles[0].is_exact]
        if not exact_steps:
            return []
        ends = [last_step - distance for distance in RESTART_DISTANCES]
        starts = sorted({max((step for step in exact_steps if step <= end), default=exact_steps[0]) for end in ends})
        backtracker, rounds, new_particles = self._make_backtracker(self.observations), 0, list[Particle]()
        while self.stepper.budget > 0 and not new_particles:
            rounds += 1
            for start in reversed(starts[: max(1, len(starts) - rounds // 3)]):
                particles = [particle for particle in self._checkpoints.get(start, []) if particle.is_exact]
                if not particles or self.stepper.budget <= 0:
                    continue
                current: Particle | None = particles[self.stepper.rng.draw_below(len(particles))]
                while current is not None and len(current.history) <= last_step:
                    current = backtracker.play_step(current)
                if current is not None and current.is_exact:
                    new_particles.append(current)
        return new_particles

    def _search_paths(self) -> list[Particle]:
        """Return exact particles, found by a path search through silent steps.

        Silent are steps that the seat was told nothing about. They are the latest steps, or those at whose end the
        particles were lost. Then the later steps are replayed. The list is empty if there are no such steps, or if the
        search fails.
        """
        last_step, particles = len(self.observations) - 1, self._checkpoints.get(self._step_before_silence, [])
        if not self.particles[0].is_exact:
            last_step, particles = self._last_exact_step, self._lost_start
        particles = list({id(candidate): candidate for candidate in particles if candidate.is_exact}.values())
        if not particles or len(particles[0].history) >= last_step:
            return []
        stepper = self.stepper
        agreement, suspects = stepper.best_agreement, stepper.suspects
        backtracker = self._make_backtracker(self.observations[: last_step + 1], PATH_BUDGET)
        new_particles = search_paths(backtracker, particles, self._particle_count)
        backtracker = self._make_backtracker(self.observations)
        for _ in self.observations[last_step + 1 :]:
            after = [backtracker.play_step(particle) for particle in new_particles]
            new_particles = [particle for particle in after if particle is not None and particle.is_exact]
        stepper.best_agreement, stepper.suspects = agreement, suspects
        return new_particles

    def _store_revelations(self, step: int) -> None:
        """Remember which hidden cells came to light in a step."""
        before, observation = self.observations[step - 1], self.observations[step]
        removals = self.stepper.info.count_removed_counters(observation.events)
        revelations = {cell: n for cell, n in removals.items() if before.cells[cell] is UNSEEN}
        for cell in before.hidden_cells:
            if observation.cells[cell] is not UNSEEN:
                revelations.setdefault(cell, observation.cells[cell])
        if revelations:
            self._revelations[step] = tuple(revelations.items())

    def _store_checkpoint(self, step: int) -> None:
        """Keep the particles of a step, and drop those of most old steps."""
        self._checkpoints[step] = self.particles
        for old_step in [earlier for earlier in self._checkpoints if earlier <= step - RECENT_STEPS]:
            if old_step and old_step % CHECKPOINT_INTERVAL and old_step != self._step_before_silence:
                self._checkpoints.pop(old_step)

    def _repeat(self, particles: list[Particle]) -> list[Particle]:
        """Return as many particles as are kept, in turn from the given ones. Without any, none."""
        return [particles[i % len(particles)] for i in range(self._particle_count)] if particles else []

    # ------------------------------------------------------------ samples

    def sample(self, n: int, seed: int) -> list[Determinization]:
        """Return ``n`` determinizations, each made from a random particle. All particles are equally likely each time.

        The same seed gives the same ones. Hidden components are dealt anew in each, as far as that changes nothing that
        the seat observed. All random streams of each get new seeds. ``is_exact`` is that of the particle. Replaces
        ``stepper.rng``, and overwrites ``stepper.budget`` for each one. Raises IndexError before the first update,
        unless ``n`` is 0.
        """
        self.stepper.rng = Rng(seed, "worlds")
        samples = list[Determinization]()
        for _ in range(n):
            particle = self.particles[self.stepper.rng.draw_below(len(self.particles))]
            state = self.stepper.determinize(particle, self.observations[-1])
            stream_seed = self.stepper.rng.draw_seed()
            for name, cell in self.game.layout.streams.items():
                state.cells[cell] = random_streams.seed_stream(stream_seed, name)
            samples.append(Determinization(state, particle.is_exact))
        return samples
