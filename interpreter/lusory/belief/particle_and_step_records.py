"""Particles: sampled games of a belief state, and what one simulated step made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..state.events_redaction_and_text import Event
from ..state.state import State
from .dictated_chance_and_component_permutations import ChanceOutcomes, Permutation, PossibleZones
from .hidden_information_and_event_subjects import CardType
from .observation_and_matching import Observation

Action = tuple[int, tuple[Any, ...]]
"""The answer to a decision: the number of the alternative, and its values."""


class Particle(NamedTuple):
    """One sampled game: its state, and what is assumed in it.

    Attributes:
        state: The current state.
        zone_masks: The zones that each hidden component may be in.
        references: The cells that refer to hidden components.
        is_exact: Whether the history agrees with everything that the seat observed.
        dependent_steps: The steps of the history that could differ if hidden components were elsewhere.
        history: A record of each step.
        branch_points: The steps in which something else could have happened.
    """

    state: State
    zone_masks: PossibleZones
    references: tuple[int, ...] = ()
    is_exact: bool = True
    dependent_steps: tuple[DependentStep, ...] = ()
    history: tuple[HistoryStep, ...] = ()
    branch_points: tuple[BranchPoint, ...] = ()


class Inference(NamedTuple):
    """Facts that a step reveals about hidden components.

    Attributes:
        exclusions: Component -> bit mask of zones that it cannot have been in.
        is_independent: Whether the step is the same wherever the other hidden components are.
    """

    exclusions: Mapping[int, int]
    is_independent: bool


NO_INFERENCE = Inference({}, True)


class HistoryStep(NamedTuple):
    """One step of a particle's history, with all that is needed to repeat it.

    Attributes:
        action: The action. None: the game began.
        outcomes: The results of chance.
        inference: The facts that the step reveals about hidden components.
        fingerprint: A hash of everything that the seat does not see after the step.
        candidate: The index of the action among those that look the same to the seat, and their number.
    """

    action: Action | None
    outcomes: ChanceOutcomes
    inference: Inference
    fingerprint: int
    candidate: tuple[int, int] = (0, 1)


class BranchPoint(NamedTuple):
    """A step in which another action or another result of chance was possible.

    Attributes:
        step: The number of the step.
        before: The particle before it. Its ``history`` and ``branch_points`` are empty: they are a prefix of those of
            the particle that holds this branch point.
    """

    step: int
    before: Particle


class Hindsight(NamedTuple):
    """Later observations of the seat, as a hint which action was taken in an earlier step.

    Attributes:
        cells: Cells that were hidden then -> the values that came to light.
        text: The announcements soon after the step.
        components: The components that were named soon after it.
        first_mentions: (Seat, card type) -> the first step in which such a component was named in relation to the seat.
        holders: Component -> the seat that first turned out to have it.
    """

    cells: Mapping[int, Any]
    text: str = ""
    components: frozenset[int] = frozenset()
    first_mentions: Mapping[tuple[int, CardType], int] = {}
    holders: Mapping[int, int] = {}


NO_HINDSIGHT = Hindsight({})


class Attempt(NamedTuple):
    """One attempt at a step of a particle.

    Attributes:
        particle: The particle before the step.
        observation: What the seat observed in the step.
        state: The state of the particle with components in other places.
        permutation: How they changed places.
        action: The action. None: the game begins, or no action was chosen yet.
        outcomes: The results of chance to begin with. A simulation copies them, and appends what it needs more.
    """

    particle: Particle
    observation: Observation
    state: State
    permutation: Mapping[int, int] = {}
    action: Action | None = None
    outcomes: ChanceOutcomes = ChanceOutcomes()

    def copy(self) -> Attempt:
        """Return an attempt with chance outcomes of its own."""
        return self._replace(outcomes=self.outcomes.copy())


class Transition(NamedTuple):
    """One simulated step that agrees with the observation.

    Attributes:
        observation: What the seat observed.
        before: The state before it, after repairs.
        action: The action. None: the game began.
        after: The state after it.
        events: Everything that happened, unredacted.
        permutation: The repairs: how components changed places before the step.
        outcomes: The results of chance.
        dependent_steps: The dependent steps of the particle, after the same repairs.
        candidate: The index of the action among those that look the same to the seat, and their number.
        has_hidden_draw: Whether some chance besides shuffles was hidden from the seat.
    """

    observation: Observation
    before: State
    action: Action | None
    after: State
    events: list[Event]
    permutation: Permutation
    outcomes: ChanceOutcomes
    dependent_steps: tuple[DependentStep, ...] = ()
    candidate: tuple[int, int] = (0, 1)
    has_hidden_draw: bool = False


class DependentStep(NamedTuple):
    """An earlier step that could differ if hidden components had been elsewhere.

    Attributes:
        references: The cells that referred to hidden components before the step.
        transition: The step.
        unmoved_cards: The components that have stayed hidden and unshuffled since.
        zone_masks: The zones that each hidden component may have been in before the step.
    """

    references: tuple[int, ...]
    transition: Transition
    unmoved_cards: frozenset[int]
    zone_masks: PossibleZones
