"""Advance particles by one observed step, and keep their whole histories consistent.

A step is simulated with each action that could have been the observed one, and with hidden components in other places.
A component may only change places if every earlier step would still have looked the same to the seat. Earlier steps
that depend on where components were are kept as dependent steps, and simulated again for each exchange.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from zlib import crc32

from ..state.state import State
from .dictated_chance_and_component_permutations import (
    ChanceOutcomes,
    ChanceScript,
    Permutation,
    PossibleZones,
    compose,
    fill_zones,
    restrict,
)
from .observation_and_matching import UNSEEN, Observation, has_same_decision
from .particle_and_step_records import (
    NO_HINDSIGHT,
    NO_INFERENCE,
    Attempt,
    BranchPoint,
    DependentStep,
    Hindsight,
    HistoryStep,
    Inference,
    Particle,
    Transition,
)
from .step_repair import StepRepairer

MAX_STARTS = 24
"""Attempts at starting the game as observed."""

MAX_ACTIONS = 40
"""Actions to try for one step."""

MAX_DEALS = 8
"""Arrangements of the hidden components to try for one step, the current one included."""

DEAL_SIZES = 4
"""Each arrangement deals half as many components anew as the one before. After this many, all are dealt again."""

SHUFFLE_PASSES = 2
"""Passes over all hidden components in a random arrangement. Each pass tries to swap each component once."""

MAX_OBSTACLES = 24
"""Components to move out of the way of an observed action."""

CHECK_DEALS = 3
"""Arrangements with which a step is simulated again, to see whether it depends on hidden components."""

EXHAUSTIVE_CHECK_SIZE = 16
"""Up to this many hidden components, each is tried in the place of each other in that check."""

MAX_MOVED_TO_FRONT = 4
"""If a step moves more components than this, they are not moved to the front of their zones."""

EXCLUSION_BUDGET = 160
"""Simulated steps to find out which components cannot have been where."""

MAX_CONFIRMATIONS = 6
"""Simulated steps to confirm that one component cannot have been in one zone."""

MAX_ROUNDS = 8
"""Rounds in which a step and the earlier ones are repaired in turn."""

FIRST_BRANCH_POINTS, MAX_BRANCH_POINTS = 16, 24
"""Branch points to keep: this many of the first ones, and this many of the latest ones after them."""

MAX_DEPENDENT_STEPS = 24
"""Dependent steps to keep. A particle that has more is no longer exact."""

MAX_DETERMINIZATIONS = 8
"""Attempts at one determinization."""

DETERMINIZATION_BUDGET = 60
"""Simulated steps in one such attempt."""

INFERENCE_BUDGET = 2000
"""Simulated steps to find out what one step says about hidden components."""


class ParticleStepper(StepRepairer):
    """Advance the particles of one seat."""

    # ------------------------------------------------------------ transitions

    def sample_transitions(
        self,
        particle: Particle,
        observation: Observation,
        hindsight: Hindsight = NO_HINDSIGHT,
        template: HistoryStep | None = None,
        max_deals: int = MAX_DEALS,
    ) -> Iterator[Transition]:
        """Yield transitions of a particle that agree with an observation, in random order.

        Transitions that fit ``hindsight`` tend to come first, and so does the one that repeats ``template``. Hidden
        components that contradict the observation, or that keep ``hindsight`` from being reached, may change places.
        Only if no action works then, some or all hidden components are dealt anew, at most ``max_deals`` - 1 times. If
        ``particle.zone_masks`` is empty, only chance is tried anew, and only if the failed attempts have set
        ``depends_on_chance``, which is False at first. At most MAX_ACTIONS actions are tried for each deal. If
        ``particle.state`` equals ``game.initial``, starts of the game are tried instead, MAX_STARTS times, whatever
        ``max_deals`` is. Two of these may be equal. Simulations lower ``budget``. Once that is 0 or less, no
        further action or start is tried.
        """
        has_found, self.depends_on_chance = False, False
        if particle.state == self.game.initial:
            attempt = Attempt(particle, observation, particle.state)
            starts = (self.simulate_step(attempt) for _ in range(MAX_STARTS) if self.budget > 0)
            yield from (transition for transition in starts if transition is not None)
            return
        for deal in range(max_deals):
            if has_found or (deal and not particle.zone_masks and not self.depends_on_chance):
                return
            attempt = Attempt(particle, observation, particle.state)
            attempt = self.exchange(attempt, self._deal_some(particle, deal)) if deal else attempt
            attempt = self._place_sources(attempt)
            if hindsight.cells and particle.zone_masks:
                attempt = self._offer_pending(attempt, hindsight)
            actions = self.find_actions(attempt.state, observation)
            if not actions and particle.zone_masks:
                attempt = self._clear_obstacles(attempt)
                actions = self.find_actions(attempt.state, observation)
            if not actions:
                self._record_agreement((0, 0), (), observation)
            if template is not None:
                attempt = attempt._replace(outcomes=template.outcomes)
            for action in self._order_actions(attempt.state, actions, hindsight, template)[:MAX_ACTIONS]:
                if self.budget <= 0:
                    return
                transition = self._find_consistent(attempt._replace(action=action))
                if transition is not None:
                    has_found = True
                    yield transition._replace(candidate=(actions.index(action), len(actions)))

    def _find_consistent(self, attempt: Attempt) -> Transition | None:
        """Return a transition whose repairs leave all dependent steps as they were, or None.

        If the repairs would change an earlier step, that step says what else must change places, and both are tried
        again.
        """
        particle = attempt.particle
        for _ in range(MAX_ROUNDS if particle.dependent_steps else 1):
            transition = self.simulate_step(attempt)
            if transition is None or self.budget <= 0:
                return None
            exchange: dict[int, int] = {}
            dependent_steps = self.recheck(particle.dependent_steps, transition.permutation, exchange)
            if dependent_steps is not None:
                return transition._replace(dependent_steps=dependent_steps)
            permutation = compose(transition.permutation, exchange)
            if not exchange or not self._is_valid(particle.state, permutation, particle.zone_masks):
                return None
            attempt = attempt._replace(
                state=transition.before, permutation=transition.permutation, action=transition.action
            )
            attempt = self.exchange(attempt, exchange)
        return None

    def _deal_some(self, particle: Particle, deal: int) -> Permutation:
        """Return a permutation that deals hidden components anew: all for deal 0, half of them for deal 1, and so on.

        After DEAL_SIZES deals, all are dealt again. The fewer components move, the more likely all dependent steps stay
        the same.
        """
        count = len(particle.zone_masks) >> deal % DEAL_SIZES
        fixed_cards = set[int]()
        if count < len(particle.zone_masks):
            fixed_cards = set(self.rng.shuffle(list(particle.zone_masks))[count:])
        return self._sample_arrangement(particle, fixed_cards)

    def _sample_arrangement(self, particle: Particle, fixed_cards: Container[int]) -> Permutation:
        """Shuffle the hidden components among the places that each may be in, except those in ``fixed_cards``.

        The result maps each component that moves to the one that takes its place: ``{3: 5}`` puts 5 where 3 was. If all
        have the same possible zones, one Fisher-Yates shuffle does it. Otherwise there are two such passes, and a swap
        is made only if both components may be where it would put them.
        """
        places = [card for card in particle.zone_masks if card not in fixed_cards]
        cards, zones = places[:], [particle.state.cells[self.layout.location + card] for card in places]
        masks = [particle.zone_masks[card] for card in places]
        for _ in range(1 if len(set(masks)) == 1 else SHUFFLE_PASSES):
            for index in range(len(cards) - 1, 0, -1):
                other_index = self.rng.draw_below(index + 1)
                if masks[index] >> zones[other_index] & 1 and masks[other_index] >> zones[index] & 1:
                    cards[index], cards[other_index] = cards[other_index], cards[index]
                    masks[index], masks[other_index] = masks[other_index], masks[index]
        return {place: card for place, card in zip(places, cards, strict=True) if place != card}

    def _clear_obstacles(self, attempt: Attempt) -> Attempt:
        """Exchange components until the decision offers the observed action, or as far as possible.

        The components that are offered instead move elsewhere, one after the other. So a hand from which nobody could
        follow suit loses its cards of that suit, for example.
        """
        observation = attempt.observation
        first_event = observation.events[0] if observation.events else None
        for _ in range(MAX_OBSTACLES):
            obstacles = self._find_obstacles(attempt, attempt.state, first_event)
            moved = self._move_away(attempt, obstacles[self.rng.draw_below(len(obstacles))]) if obstacles else None
            if moved is None:
                return attempt
            attempt = moved
            if self.find_actions(attempt.state, observation):
                return attempt
        return attempt

    def _is_valid(self, state: State, permutation: Permutation, zone_masks: PossibleZones) -> bool:
        """Return whether each component may be in the place that a permutation of ``state`` gives it."""
        for place, card in permutation.items():
            zone = state.cells[self.layout.location + place]
            if zone is None or not zone_masks.get(card, 0) >> zone & 1:
                return False
        return True

    # ------------------------------------------------------------ dependent steps

    def recheck(
        self, steps: tuple[DependentStep, ...], permutation: Permutation, exchange: dict[int, int] | None = None
    ) -> tuple[DependentStep, ...] | None:
        """Return the dependent steps as they would be with components in each other's places before each of them.

        A step with none of these components in ``unmoved_cards`` stays the same object. Others get a new ``transition``
        and ``unmoved_cards``. An empty permutation returns ``steps`` itself. Return None if one of the steps would have
        been different or impossible. Then ``exchange``, if given, is updated with a further permutation to prevent
        that, if one is known: ``{4: 7, 7: 4}``. It may move components of ``permutation`` again. Simulations lower
        ``budget``.

        Example: Ann did not follow suit, so she held no heart. An exchange that gives her a heart from the deck would
        change that step. ``exchange`` may then be ``{heart: spade, spade: heart}``: a spade goes to her instead.
        """
        if not permutation:
            return steps
        new_steps = []
        for step in steps:
            relevant = restrict(permutation, step.unmoved_cards)
            if not relevant:
                new_steps.append(step)
                continue
            transition = step.transition
            if not self._is_valid(transition.before, relevant, step.zone_masks):
                if exchange is not None:
                    exchange.update(self._find_substitute(step, permutation, relevant))
                return None
            before = self.permute(Particle(transition.before, {}, step.references), transition.before, relevant)
            cards = frozenset([relevant.get(card, card) for card in step.unmoved_cards])
            masks = {} if exchange is None else step.zone_masks
            zone_masks = {card: mask for card, mask in masks.items() if card in cards}
            repetition = self._repeat(transition, before, relevant, zone_masks)
            if repetition is not None and repetition.permutation and exchange is not None:
                exchange.update(repetition.permutation)
            if repetition is None or repetition.permutation:
                return None
            if not self._has_same_hidden_values(transition, repetition.after):
                return None
            location, cells, cells_after = self.layout.location, transition.after.cells, repetition.after.cells
            moved_cards = step.unmoved_cards | relevant.keys()
            if any(cells_after[location + relevant.get(card, card)] != cells[location + card] for card in moved_cards):
                return None  # a replacement is not where the replaced component was
            new_steps.append(step._replace(transition=repetition, unmoved_cards=cards))
        return tuple(new_steps)

    def _find_substitute(self, step: DependentStep, permutation: Permutation, relevant: Permutation) -> Permutation:
        """Return an exchange of a component that cannot have been in its place before a step, with one that can."""
        cells, location = step.transition.before.cells, self.layout.location
        for place, card in relevant.items():
            zone = cells[location + place]
            if place in step.unmoved_cards and zone is not None and not step.zone_masks.get(card, 0) >> zone & 1:
                substitutes = [component for component, zones in step.zone_masks.items() if zones >> zone & 1]
                for substitute in self.rng.shuffle(substitutes):
                    if substitute not in permutation and substitute not in relevant:
                        return {card: substitute, substitute: card}
        return {}

    def _repeat(
        self,
        transition: Transition,
        before: State,
        permutation: Permutation | None = None,
        zone_masks: PossibleZones | None = None,
    ) -> Transition | None:
        """Repeat a step from another state. Returns None if the seat would observe something else.

        ``permutation`` says how components differ in ``before``. Draws come out the same. Without
        ``zone_masks``, shuffles are new. Otherwise they come out as before, too, and components in ``zone_masks`` may
        be repaired.
        """
        decision, observation = self.game.decision(before), transition.observation
        if transition.action is None or decision is None or len(decision.options) < 2:
            return None
        actions = self.find_actions(before, observation)
        if not actions:
            return None
        number, count = transition.candidate
        new_action = None
        if permutation is not None:
            new_action = self._translate_action(transition.before, transition.action, permutation, observation)
        if new_action in actions:
            action = new_action
        elif count == len(actions):  # the component of the action has left, so take the one in its place
            action = actions[number]
        else:
            action = transition.action if transition.action in actions else actions[self.rng.draw_below(len(actions))]
        outcomes = transition.outcomes.copy()
        orders, replacements = [] if zone_masks is None else outcomes.orders, permutation or {}
        outcomes.orders = [[replacements.get(card, card) for card in order] for order in orders]
        particle = Particle(before, zone_masks or {})
        repetition = self.simulate_step(Attempt(particle, observation, before, {}, action, outcomes))
        return None if repetition is None else repetition._replace(candidate=(actions.index(action), len(actions)))

    def _has_same_hidden_values(self, transition: Transition, other_state: State) -> bool:
        """Return whether hidden cells that still matter hold the same after a step. References are left out."""
        cells = self.list_hidden_cells(transition.after, transition.observation)
        references = self.info.reference_cells
        return all(transition.after.cells[cell] == other_state.cells[cell] for cell in cells if cell not in references)

    def list_hidden_cells(self, state: State, observation: Observation) -> list[int]:
        """Return the cells of hidden variables and pools, and the engine's own cells that still matter."""
        return [*observation.hidden_cells, *self.game.live_cells(state)]

    def advance(self, particle: Particle, transition: Transition, inference: Inference = NO_INFERENCE) -> Particle:
        """Return the particle after a transition. ``inference`` is what the step says about hidden components.

        ``history`` grows by one HistoryStep, and ``zone_masks`` says where components may be after the step. A
        BranchPoint is added to ``branch_points`` if another action that looks the same to the seat, or another hidden
        draw, was possible. The first FIRST_BRANCH_POINTS are kept, and of the others the latest MAX_BRANCH_POINTS.
        ``dependent_steps`` are those of ``transition``, not of ``particle``, and this step too if
        ``inference.is_independent`` is False. Their ``unmoved_cards`` lose those that are shuffled, or not in the new
        ``zone_masks``. A step without any is dropped. If more than MAX_DEPENDENT_STEPS remain, the oldest are dropped,
        and ``is_exact`` becomes False. ``particle`` stays unchanged.
        """
        old_zones, observation = particle.zone_masks, transition.observation
        if inference.exclusions:
            cells, location = transition.before.cells, self.layout.location
            masks = {card: zones & ~inference.exclusions.get(card, 0) for card, zones in old_zones.items()}
            old_zones = old_zones | {card: mask for card, mask in masks.items() if mask >> cells[location + card] & 1}
        zone_masks, shuffled_cards = self._update_zone_masks(transition, old_zones)
        hidden_cells = self.list_hidden_cells(transition.after, observation)
        references = tuple([cell for cell in hidden_cells if cell in self.info.reference_cells])
        dependent_steps = transition.dependent_steps
        if not inference.is_independent:
            plain_transition = transition._replace(dependent_steps=())
            step = DependentStep(particle.references, plain_transition, frozenset(old_zones), old_zones)
            dependent_steps = (*dependent_steps, step)
        if dependent_steps:
            remaining = [(step, (step.unmoved_cards & zone_masks.keys()) - shuffled_cards) for step in dependent_steps]
            dependent_steps = tuple([step._replace(unmoved_cards=cards) for step, cards in remaining if cards])
        # A hash of everything that the seat does not see. It is the same on every machine.
        values = repr([transition.after.cells[cell] for cell in hidden_cells])
        zones = (tuple(transition.after.zones[number]) for number, _, _ in observation.hidden_zones)
        fingerprint = hash((crc32(values.encode()), *zones))
        step_done = HistoryStep(transition.action, transition.outcomes, inference, fingerprint, transition.candidate)
        branch_points = particle.branch_points
        if transition.candidate[1] > 1 or transition.has_hidden_draw:
            point = BranchPoint(len(particle.history), particle._replace(branch_points=(), history=()))
            latest = branch_points[FIRST_BRANCH_POINTS:][1 - MAX_BRANCH_POINTS :]
            branch_points = (*branch_points[:FIRST_BRANCH_POINTS], *latest, point)
        is_exact = particle.is_exact and len(dependent_steps) <= MAX_DEPENDENT_STEPS
        dependent_steps, history = dependent_steps[-MAX_DEPENDENT_STEPS:], (*particle.history, step_done)
        return Particle(transition.after, zone_masks, references, is_exact, dependent_steps, history, branch_points)

    def _update_zone_masks(self, transition: Transition, zone_masks: PossibleZones) -> tuple[PossibleZones, set[int]]:
        """Return where hidden components may be after one step, and which were shuffled in it.

        The first result maps a component to a bit mask of zones. A shuffled zone is possible for all components in it.
        Components that the seat saw move, or sees now, are left out, and so are those that came from no zone. So are
        zones in which every component is now known. ``zone_masks`` stays unchanged.

        Example: card 7 may be in the deck or in Ann's hand. One unseen card moves from the deck to Bob's hand. Now card
        7 may be in all three, because it may be the one that moved.
        """
        masks, zones, shuffled_cards = dict(zone_masks), [zone[:] for zone in transition.before.zones], set[int]()
        for event in transition.events:
            if event[0] == "cards":
                _, cards, name, indices, _, sources, seats = event
                target = self.layout.zones[name].at(indices)
                for card, place in zip(cards, sources, strict=True):
                    assert card is not None, "the log of a sampled state hides nothing"
                    source = None if place is None else self.layout.zones[place[0]].at(place[1])
                    if source is None or seats >> self.seat & 1:
                        masks.pop(card, None)
                    elif source != target and card in masks:  # each component of the source may be the one that moved
                        masks |= {other: mask | 1 << target for other, mask in masks.items() if mask >> source & 1}
                    if source is not None:
                        zones[source].remove(card)
                    zones[target].append(card)
            elif event[0] == "shuffle":
                number = self.layout.zones[event[1]].at(event[2])
                shuffled_cards.update(zones[number])
                masks |= {card: masks.get(card, 0) | 1 << number for card in zones[number]}
        return _exclude_visible(masks, transition), shuffled_cards

    # ------------------------------------------------------------ inference

    def infer(self, particle: Particle, transition: Transition) -> Inference:
        """Return what a step says about hidden components.

        To find out, the step is simulated with the components in other places. These simulations, about
        INFERENCE_BUDGET at most, are taken off ``budget``. ``exclusions`` maps a component to the bit mask of the zones
        that it cannot be in, among those of the other seats that chose. It is empty if no other seat chose in the step,
        or no choice in it is at one of ``info.revealing_sites``. ``is_independent`` says whether the step stayed the
        same in each of at least ``CHECK_DEALS`` (3) deals of the hidden components. In these, the components that the
        seat saw move stay, and none comes to a zone in its ``exclusions``. The result is NO_INFERENCE (no exclusions,
        and independent) if ``particle.zone_masks`` has fewer than two, ``particle.is_exact`` is False, or
        ``transition.observation.events`` is empty.

        Example: Ann discards a card off suit. With any heart in her hand the rules would have made her play it, so
        every heart is excluded from her hand.
        """
        observation = transition.observation
        if len(particle.zone_masks) < 2 or not (particle.is_exact and observation.events):
            return NO_INFERENCE
        moves = [event for event in observation.events if event[0] == "cards"]
        moved_cards = {card for event in moves for card in event[1] if card is not None}
        choices = [event for event in transition.events if event[0] == "choice"]
        choosers = {event[1] for event in choices if event[1] != self.seat}
        is_revealing = any(event[2] in self.info.revealing_sites for event in choices)
        outer_budget, self.budget = self.budget, INFERENCE_BUDGET
        fixed_cards = moved_cards.copy()
        for event in observation.events:
            if event[0] == "choice":
                fixed_cards.update(self._list_chosen_cards(event[2], event[3:5]))
        transition = self._move_cards_to_front(particle, transition, fixed_cards)
        exclusions: dict[int, int] = {}
        if choosers and is_revealing:
            exclusions = self._find_exclusions(particle, transition, moved_cards, choosers)
        zone_masks = {card: zones & ~exclusions.get(card, 0) for card, zones in particle.zone_masks.items()}
        narrowed_particle = particle._replace(zone_masks=zone_masks)
        inference = Inference(exclusions, self._is_independent(narrowed_particle, transition, moved_cards))
        self.budget += outer_budget - INFERENCE_BUDGET
        return inference

    def _move_cards_to_front(self, particle: Particle, transition: Transition, cards: Collection[int]) -> Transition:
        """Return a step with the given components in front of the other hidden ones, if it stays the same.

        A choice may offer only the first of several copies. Nobody knows in which order they are, so that order must
        not exclude the other copies.
        """
        attempt, location = Attempt(particle, transition.observation, transition.before), self.layout.location
        for card in cards if len(cards) <= MAX_MOVED_TO_FRONT else ():
            number = attempt.state.cells[location + card]
            if number is None or card not in particle.zone_masks or self.info.sorted_zones[number]:
                continue
            front_card = next(
                component
                for component in attempt.state.zones[number]
                if component in particle.zone_masks and (component == card or component not in cards)
            )
            if front_card != card:
                attempt = self.exchange(attempt, {front_card: card, card: front_card})
        if not attempt.permutation or self.recheck(particle.dependent_steps, attempt.permutation) is None:
            return transition
        repetition = self._repeat(transition, attempt.state)
        if repetition is None or not self._has_same_hidden_values(transition, repetition.after):
            return transition
        return repetition

    def _is_independent(self, particle: Particle, transition: Transition, fixed_cards: Container[int]) -> bool:
        """Return whether a step stays the same if the hidden components are dealt anew.

        If there are few components, each is tried once in the place of each other, as far as it may be there.
        """
        base = particle._replace(state=transition.before)
        free_cards = self.rng.shuffle([card for card in particle.zone_masks if card not in fixed_cards])
        rotations = len(free_cards) if len(free_cards) <= EXHAUSTIVE_CHECK_SIZE else 0
        for shift in range(1, max(CHECK_DEALS + 1, rotations)):
            permutation: Permutation = dict(zip(free_cards, free_cards[shift:] + free_cards[:shift], strict=True))
            if shift >= len(free_cards) or not self._is_valid(transition.before, permutation, particle.zone_masks):
                permutation = self._sample_arrangement(base, fixed_cards)
            before = self.permute(base, transition.before, permutation)
            repetition = self._repeat(transition, before, permutation)
            if repetition is None or not self._has_same_hidden_values(transition, repetition.after):
                return False
        return True

    def _find_exclusions(
        self, particle: Particle, transition: Transition, fixed_cards: Container[int], choosers: Container[int]
    ) -> dict[int, int]:
        """Return the components that cannot have been with a seat that chose: component -> bit mask of zones.

        As many components as the zone holds are tried there at once. If that changes the step, each is tried alone.
        """
        cells, location, zones = transition.before.cells, self.layout.location, transition.before.zones
        exclusions, budget = dict[int, int](), EXCLUSION_BUDGET * self.info.budget_quarters // 4
        attempt = Attempt(particle, transition.observation, transition.before)
        for number, owner in enumerate(self.info.zone_owners):
            zone_cards = [card for card in zones[number] if card in particle.zone_masks and card not in fixed_cards]
            if owner not in choosers or not zone_cards:
                continue
            cards = [card for card, mask in particle.zone_masks.items() if mask >> number & 1]
            free_cards = [card for card in cards if card not in fixed_cards and cells[location + card] != number]
            candidates = self.rng.shuffle(free_cards)
            lone_cards = candidates if len(zone_cards) == 1 else []
            for start in range(0, len(candidates) if len(zone_cards) > 1 else 0, len(zone_cards)):
                group = candidates[start : start + len(zone_cards)]
                placed_cards, state = self._place(attempt, group, self.rng.shuffle(zone_cards))
                budget -= 1
                is_same = budget <= 0 or self._repeat(transition, state) is not None
                lone_cards += [card for card in group if card not in placed_cards] if is_same else group
            for card in lone_cards:
                order = self.rng.shuffle(zone_cards)
                attempts = [self.bring_to_any(attempt, card, order[i:]) for i in range(min(3, len(order)))]
                states = [placed.state for placed in attempts if placed is not None]
                budget -= len(states)
                if not states or budget <= 0:
                    continue
                if all(self._repeat(transition, state) is None for state in states):
                    exclusions[card] = exclusions.get(card, 0) | 1 << number
        return self._confirm_exclusions(attempt, transition, exclusions, fixed_cards)

    def _confirm_exclusions(
        self, attempt: Attempt, transition: Transition, exclusions: dict[int, int], fixed_cards: Container[int]
    ) -> dict[int, int]:
        """Return the exclusions that remain once each is tried again with only allowed components in exchange.

        The first trial may have failed because of the component that left, not because of the one that came.
        """
        zone_masks, zones = attempt.particle.zone_masks, attempt.state.zones
        zones_left, masks = {card: zone_masks[card] & ~mask for card, mask in exclusions.items()}, dict(exclusions)
        for card, mask in exclusions.items():
            for number in [number for number in range(mask.bit_length()) if mask >> number & 1]:
                trial_masks = {**zone_masks, **zones_left, card: zones_left[card] | 1 << number}
                trial = attempt._replace(particle=attempt.particle._replace(zone_masks=trial_masks))
                targets = self.rng.shuffle(
                    [other for other in zones[number] if other in zone_masks and other not in fixed_cards]
                )
                attempts = (self.bring(trial, card, target) for target in targets)
                states = [placed.state for placed in attempts if placed is not None]
                if any(self._repeat(transition, state) is not None for state in states[:MAX_CONFIRMATIONS]):
                    masks[card] &= ~(1 << number)
                    zones_left[card] |= 1 << number
        return {card: mask for card, mask in masks.items() if mask}

    def _place(self, attempt: Attempt, cards: Sequence[int], targets: list[int]) -> tuple[list[int], State]:
        """Put components in the places of others, one after the other, as far as they may be there.

        Each comes to the first target that it may replace, and that target is used up. Returns the components that were
        put, and the new state.
        """
        placed_cards = []
        for card in cards:
            for target in targets:
                placed = self.bring(attempt, card, target)
                if placed is not None:
                    placed_cards.append(card)
                    attempt, targets = placed, [candidate for candidate in targets if candidate != target]
                    break
        return placed_cards, attempt.state

    # ------------------------------------------------------------ determinizations

    def determinize(self, particle: Particle, observation: Observation) -> State:
        """Return a new state of a particle with its hidden components dealt anew, so that no dependent step changes.

        Arrangements are rejected until one fits, with as many options, and with the decision of ``observation``. If
        none of MAX_DETERMINIZATIONS does, the state is returned as it is. ``budget`` is overwritten.
        """
        for deal in range(MAX_DETERMINIZATIONS):
            permutation = self._deal_some(particle, deal)
            self.budget = DETERMINIZATION_BUDGET
            if self.recheck(particle.dependent_steps, permutation) is None:
                continue
            state = self.permute(particle, particle.state, permutation)
            if not permutation or self._asks_same_decision(state, particle.state, observation):
                return state
        return self.permute(particle, particle.state, {})

    def _asks_same_decision(self, state: State, other_state: State, observation: Observation) -> bool:
        """Return whether a state asks what the seat observed, with as many options as another state."""
        decision, other_decision = self.game.decision(state), self.game.decision(other_state)
        if decision is None or other_decision is None:
            return decision is other_decision
        has_same_count = len(decision.options) == len(other_decision.options)
        return has_same_count and has_same_decision(self.info, self.seat, observation, state)

    def patch(self, particle: Particle, observation: Observation) -> Particle:
        """Return a new particle with ``is_exact`` False, whose state shows what the seat sees now and has the frame [].

        Its ``references``, ``dependent_steps``, ``history`` and ``branch_points`` are (). Its state is made from that
        after a random legal action that leads to the same question. If none of MAX_ACTIONS actions does, the state is
        made from the particle's own state. Visible values and components are then set to those that the seat sees. Then
        :func:`fill_zones` places the unseen components, without chance: in their zones as far as these have unseen
        places, and the rest in those of other zones. Those without room are in no zone. ``zone_masks`` maps each unseen
        component in a zone to all zones for its kind that have unseen places.
        """
        decision, base = self.game.decision(particle.state), particle.state
        options = [] if decision is None else self.rng.shuffle(decision.options)[:MAX_ACTIONS]
        for option in options:
            script = ChanceScript(observation.events, self.rng, ChanceOutcomes())
            after = self.apply_action(particle.state, option[1:], [], script)
            if after is not None and self._has_same_question(after, observation):
                base = after
                break
        cells, layout = base.cells[:], self.layout
        cells[: layout.location] = [
            old_value if value is UNSEEN else value
            for old_value, value in zip(base.cells, observation.cells[: layout.location], strict=False)
        ]
        visible = {card for zone in observation.zones for card in zone if card is not UNSEEN}
        zones, remaining_cards = fill_zones(base.zones, observation.zones, visible, self.info.zone_kinds)
        for number, zone in enumerate(zones):
            for card in zone:
                cells[layout.location + card] = number
        for card in remaining_cards:
            cells[layout.location + card] = None
        hidden_zones = self.info.group_zones_by_kind(i for i, zone in enumerate(observation.zones) if UNSEEN in zone)
        entities = self.game.program.entities
        zone_masks = {card: hidden_zones[entities[card].kind] for zone in zones for card in zone if card not in visible}
        return Particle(State(cells, zones, []), zone_masks, is_exact=False)

    def _has_same_question(self, state: State, observation: Observation) -> bool:
        view = self.game.view(state, self.seat)
        site = None if view.decision is None else view.decision.site
        expected = None if observation.question is None else observation.question[0]
        return (view.waiting_for, view.phase, site) == (observation.waiting_for, observation.phase, expected)


def _exclude_visible(zone_masks: PossibleZones, transition: Transition) -> PossibleZones:
    """Drop components that the seat sees after a step, and zones that are then known to hold no hidden component."""
    occupied_zones, masks = 0, dict(zone_masks)
    for number, zone in enumerate(transition.after.zones):
        for card, visible_card in zip(zone, transition.observation.zones[number], strict=True):
            if visible_card is not UNSEEN:
                masks.pop(card, None)
            elif card in masks:
                occupied_zones |= 1 << number
    return {card: mask & occupied_zones for card, mask in masks.items()}
