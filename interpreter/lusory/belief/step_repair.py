"""Simulate one step of a particle, and repair the particle until the step agrees with the observation.

If a step shows a component where the seat observed another one, chance could as well have put the other one there. So
the two change places, and the step is simulated again. Any other difference refutes the step: it did not happen so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lusory_dsl.types.types import Type, is_component

from ..game import Game
from ..state.decisions_outcomes_and_faults import Decision, RulesetFault
from ..state.events_redaction_and_text import ChoiceMade, Event, choice_made, redact, redact_log
from ..state.setting_value_limits_builtins_and_names import HIDDEN, format_value_label, list_value_types
from ..state.state import State
from .dictated_chance_and_component_permutations import ChanceOutcomes, ChanceScript, Permutation, Rng, compose
from .hidden_information_and_event_subjects import HiddenInfo
from .observation_and_matching import Mismatches, Observation, compare_step, measure_agreement
from .particle_and_step_records import NO_HINDSIGHT, Action, Attempt, Hindsight, HistoryStep, Particle, Transition

MAX_REPAIRS = 60
"""Repairs of components in one simulated step."""

MAX_FUTILE_REPAIRS = 10
"""Consecutive repairs after which a step is no closer to the observation. Then its chance is changed."""

MAX_CHANCE_CHANGES = 60
"""Changes of shuffles and draws in one simulated step."""

MAX_DRAW_CHANGES = 12
"""Changes of hidden draws in one simulated step."""

MAX_LOOKAHEAD_ACTIONS = 32
"""If more actions than this are possible, they are ordered without simulating each of them."""

NO_AGREEMENT = (-1, 0)
"""Less than any agreement that :func:`lusory.belief.observation_and_matching.measure_agreement` returns."""

NEVER = 1 << 30
"""Stands for the number of a step that does not come."""


TypedLists = Sequence[tuple[Type | None, tuple[Any, ...]]]
"""Lists that came to light, each with the type of its items, if known."""


class StepRepairer:
    """Simulate steps of particles of one seat.

    Attributes:
        value_types: Choice site -> the types of the values of each alternative.
        rng: The random numbers of all samples and repairs. Callers set it.
        budget: The number of simulated steps that are still allowed. Callers set it.
        best_agreement: How far the best failed attempt agreed with the observation since the caller reset it.
        suspects: The seats that the first differing event of that attempt is about.
        depends_on_chance: Whether other chance could have changed an attempt since the caller reset it.
    """

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat
        self.layout, self.info = game.layout, HiddenInfo(game)
        self.value_types = {site: list_value_types(ask) for site, ask in game.setting.sites.items()}
        self.rng = Rng(0, "no samples yet")
        self.budget = 0
        self.best_agreement = NO_AGREEMENT
        self.suspects = frozenset[int]()
        self.depends_on_chance = False

    def permute(self, particle: Particle, state: State, permutation: Permutation) -> State:
        """Return a new state of a particle in which components have taken each other's places.

        ``permutation`` maps the component that is in a place to the one that comes there. The cells in
        ``particle.references`` change with them, and sorted zones are sorted again. ``state`` stays unchanged, but the
        card lists of the other zones are shared with it. The new ``frame`` is empty. Only if the permutation is empty,
        ``cached_decision`` is kept, and ``zones`` as a whole is the list of ``state``.
        """
        if not permutation:
            return State(state.cells[:], state.zones, [], state.cached_decision)
        cells, zones, location = state.cells[:], state.zones[:], self.layout.location
        for number in {state.cells[location + card] for card in permutation} - {None}:
            zones[number] = [permutation.get(card, card) for card in zones[number]]
            if self.info.sorted_zones[number]:
                zones[number].sort()
        for card, replacement in permutation.items():
            cells[location + replacement] = state.cells[location + card]
        for cell in particle.references:
            value = cells[cell]
            if isinstance(value, tuple):
                cells[cell] = tuple([permutation.get(card, card) for card in value])
            elif value is not None:
                cells[cell] = permutation.get(value, value)
        return State(cells, zones, [])

    def exchange(self, attempt: Attempt, permutation: Permutation) -> Attempt:
        """Return an attempt in which components have also changed places, and its action has changed with them."""
        if not permutation:
            return attempt
        return attempt._replace(
            state=self.permute(attempt.particle, attempt.state, permutation),
            permutation=compose(attempt.permutation, permutation),
            action=self._translate_action(attempt.state, attempt.action, permutation, attempt.observation),
        )

    def bring(self, attempt: Attempt, component: int, target: int) -> Attempt | None:
        """Return a new attempt with ``component`` in the place of ``target``. Return None if that is impossible.

        It is impossible if one of the two is not in ``attempt.particle.zone_masks``, or if this allows ``component`` no
        place in the zone of ``target``. They change places if ``target`` may be in the zone of ``component``. Otherwise
        ``target`` goes to the place of a third component, which goes to that of ``component``. The third is the first
        of ``zone_masks`` for which both moves are possible. Without one, return None. ``state`` (with references and
        sorted zones), ``action`` and ``permutation`` of the result are new (:meth:`exchange`), and ``outcomes`` is
        shared. ``attempt`` stays unchanged.
        """
        zone_masks, cells, location = attempt.particle.zone_masks, attempt.state.cells, self.layout.location
        if component not in zone_masks or target not in zone_masks:
            return None
        component_zone, target_zone = cells[location + component], cells[location + target]
        if not zone_masks[component] >> target_zone & 1:
            return None
        if zone_masks[target] >> component_zone & 1:
            return self.exchange(attempt, {target: component, component: target})
        for third, zones in zone_masks.items():
            can_go = zones >> component_zone & 1 and zone_masks[target] >> cells[location + third] & 1
            if can_go and third not in (component, target):
                return self.exchange(attempt, {target: component, third: target, component: third})
        return None

    def bring_to_any(self, attempt: Attempt, component: int, targets: Iterable[int]) -> Attempt | None:
        """Return an attempt with a component in the place of the first target where it can be, or None."""
        attempts = (self.bring(attempt, component, target) for target in targets)
        return next((possible for possible in attempts if possible is not None), None)

    # ------------------------------------------------------------ actions

    def find_actions(self, state: State, observation: Observation) -> list[Action]:
        """Return the legal actions that agree with the first observed event, as pairs (alternative, values).

        If that event is a choice, these are the actions that the seat would see as exactly this choice. Otherwise, or
        if there are none, these are the actions that the seat would not see at all. They are in the order of the
        decision's options. The list is empty if no action agrees, or if the game is over.

        Example: seat 0 may openly pass (alternative 0) or bet (alternative 1), and seat 1 observes the pass. Then
        the result is ``[(0, ())]``. Without any observed event it is ``[]``, because seat 1 would see either action.
        """
        decision = self.game.decision(state)
        if decision is None:
            return []
        first_event = observation.events[0] if observation.events else None
        matching_actions, hidden_actions = [], []
        for option in decision.options:
            choice = choice_made(decision.seat, decision.site, option.alternative, option.values, False)
            event = redact(choice, self.seat, self.game)
            if event[0] != "choice":
                hidden_actions.append(option[1:])
            elif event == first_event:
                matching_actions.append(option[1:])
        return matching_actions or hidden_actions

    def apply_action(
        self, before: State, action: Action | None, events: list[Event] | None, script: ChanceScript
    ) -> State | None:
        """Return the state after an action, or None if it is not legal or the rules fail.

        An action is an alternative and its values. None as the action starts a new game, and ``before`` is ignored;
        otherwise ``before`` must have a decision, and stays unchanged. Events are appended to ``events``, also before
        the rules fail.
        """
        try:
            if action is None:
                return self.game.start(script.rng.draw_seed(), events, script)
            decision = self.game.decision(before)
            assert decision is not None
            index = next((option.index for option in decision.options if option[1:] == action), None)
            return None if index is None else self.game.apply(before, index, events, script)
        except RulesetFault:
            return None

    def _order_actions(
        self, state: State, actions: list[Action], hindsight: Hindsight, template: HistoryStep | None
    ) -> list[Action]:
        """Return the actions in the order in which to try them.

        The one that ``template`` took comes first, unless hindsight favours another. The others are in random order,
        those first that fit hindsight best.
        """
        if len(actions) < 2:
            return actions
        decision = self.game.decision(state)
        assert decision is not None
        previous = None if template is None else self._find_previous_action(actions, decision, hindsight, template)
        actions = self.rng.shuffle(actions)
        actions.sort(key=lambda action: action != previous)
        if hindsight is NO_HINDSIGHT:
            return actions
        owners = self.info.cell_owners
        lists = [
            (self.info.list_item_types.get(cell), value)
            for cell, value in hindsight.cells.items()
            if isinstance(value, tuple) and owners.get(cell, decision.seat) == decision.seat
        ]
        pending = self.find_pending_components(state, hindsight)
        scores = {action: self._score_action(decision, action, hindsight, lists, pending) for action in actions}
        if previous in scores and scores[previous][0] == min(scores.values())[0]:
            return actions
        actions.sort(key=lambda action: scores[action])
        if not (hindsight.cells or hindsight.text) or len(actions) > MAX_LOOKAHEAD_ACTIONS:
            return actions
        self.budget -= len(actions) // 4
        return sorted(actions, key=lambda action: self._count_contradictions(state, action, hindsight))

    def _find_previous_action(
        self, actions: list[Action], decision: Decision, hindsight: Hindsight, template: HistoryStep
    ) -> Action | None:
        """Return the action that ``template`` took, or the one at the same index if it is no longer legal.

        The latter must not name a component that another seat turned out to have.
        """
        number, count = template.candidate
        if template.action in actions or template.action is None or count != len(actions):
            return template.action
        chosen_cards = self._list_chosen_cards(decision.site, actions[number])
        is_known = all(hindsight.holders.get(card, decision.seat) == decision.seat for card in chosen_cards)
        return actions[number] if is_known else None

    def find_pending_components(self, state: State, hindsight: Hindsight) -> dict[int, bool]:
        """Return the components with a variable whose value came to light later, in the order of ``hindsight.cells``.

        The value is True if any of these variables still has another value in ``state``. Example: card 7 later turned
        out to have strength 3. The result is ``{7: True}`` if it has strength 2 in ``state``, and ``{7: False}`` if it
        has 3.
        """
        components = self.info.described_components
        cells = [cell for cell in hindsight.cells if cell in components]
        pending = {components[cell] for cell in cells if state.cells[cell] != hindsight.cells[cell]}
        return {components[cell]: components[cell] in pending for cell in cells}

    def _score_action(
        self, decision: Decision, action: Action, hindsight: Hindsight, lists: TypedLists, pending: Mapping[int, bool]
    ) -> tuple[int, int, int]:
        """Return how badly an action fits hindsight. Lower is better.

        The numbers say, in this order:

        - how late its components were first mentioned with the seat;
        - how few of its values were named later;
        - how far back they are in ``lists``, the lists that came to light.

        ``pending`` is the result of :meth:`find_pending_components`.
        """
        mention_score, position, first_mention, seat = 0, 0, NEVER, decision.seat
        for value, type in zip(action[1], self.value_types[decision.site][action[0]], strict=False):
            if is_component(type) and value in pending:
                mention_score += 2 if pending[value] else -2
            elif is_component(type) and hindsight.components:
                if value not in hindsight.components:
                    mention_score -= 1
                else:
                    mention_score += 1 if hindsight.holders.get(value, seat) == seat else -2
            if hindsight.first_mentions and is_component(type) and value.__class__ is int:
                mention = hindsight.first_mentions.get((seat, self.info.card_types[value]), NEVER)
                first_mention = min(first_mention, mention)
            label = re.escape(format_value_label(self.game.setting, value, type))
            mention_score += re.search(rf"(?<!\w){label}(?!\w)", hindsight.text) is not None
            position += sum(values.index(value) for list_type, values in lists if list_type == type and value in values)
        return first_mention, -mention_score, position

    def _count_contradictions(self, state: State, action: Action, hindsight: Hindsight) -> tuple[int, int]:
        """Return how much an action contradicts hindsight: by the values it sets, and by the next prompt of its seat.

        A value that is not what came to light counts 2. In the prompt each trigram counts that nobody announced.
        """
        after = self.apply_action(state, action, None, ChanceScript((), Rng(0, "draws"), ChanceOutcomes()))
        if after is None:
            return 2 * len(hindsight.cells), 0
        decision, before = self.game.decision(after), self.game.decision(state)
        cells, components = after.cells, self.info.described_components
        wrong_cells = [cell for cell, value in hindsight.cells.items() if cells[cell] != value]
        count = 2 * len(wrong_cells)
        if decision is not None and before is not None and decision.seat == before.seat:
            offered_cards = self._list_offered_components(decision)
            count -= any(components.get(cell) in offered_cards for cell in wrong_cells)
        if not hindsight.text or decision is None or before is None or decision.seat != before.seat:
            return count, 0
        return count, len(_list_trigrams(self.game.prompt(after, decision)) - _list_trigrams(hindsight.text))

    def _translate_action(
        self, state: State, action: Action | None, permutation: Permutation, observation: Observation
    ) -> Action | None:
        """Return an action with its components replaced, except those that the seat was told."""
        decision = self.game.decision(state) if action is not None and action[1] and permutation else None
        if decision is None or action is None:
            return action
        event = observation.events[0] if observation.events else None
        is_told = isinstance(event, ChoiceMade) and event[1:4] == (decision.seat, decision.site, action[0])
        observed_values = event.values if isinstance(event, ChoiceMade) and is_told else (HIDDEN,) * len(action[1])
        values = zip(action[1], self.value_types[decision.site][action[0]], observed_values, strict=False)
        return action[0], tuple(
            [
                permutation.get(value, value) if is_component(type) and observed_value == HIDDEN else value
                for value, type, observed_value in values
            ]
        )

    # ------------------------------------------------------------ exchanges before a step

    def _offer_pending(self, attempt: Attempt, hindsight: Hindsight) -> Attempt:
        """Exchange components so that the decision offers those to which something must still be done."""
        decision = self.game.decision(attempt.state)
        pending = self.find_pending_components(attempt.state, hindsight) if decision is not None else {}
        if decision is None or decision.seat == self.seat or True not in pending.values():
            return attempt
        offered_cards, masks = self._list_offered_components(decision), attempt.particle.zone_masks
        spares = self.rng.shuffle([card for card in offered_cards if card in masks and not pending.get(card)])
        for card in self.rng.shuffle(
            [component for component, is_pending in pending.items() if is_pending and component not in offered_cards]
        ):
            offered = self.bring(attempt, card, spares[-1]) if spares else None
            if offered is not None:
                spares.pop()
                attempt = offered
        return attempt

    def _place_sources(self, attempt: Attempt) -> Attempt:
        """Bring each component to the zone from which the seat saw it move first, as far as it can be there."""
        moved_cards, masks, types = set[int](), attempt.particle.zone_masks, self.info.card_types
        for event in attempt.observation.events:
            if event[0] != "cards":
                continue
            for card, source in zip(event[1], event[5], strict=True):
                if card is None or source is None or card in moved_cards:
                    continue
                moved_cards.add(card)
                number = self.layout.zones[source[0]].at(source[1])
                if card in masks and attempt.state.cells[self.layout.location + card] != number:
                    zone = attempt.state.zones[number]
                    targets = [component for component in zone if component in masks and component not in moved_cards]
                    # a copy of the same card changes the least
                    targets = sorted(self.rng.shuffle(targets), key=lambda component: types[component] != types[card])
                    attempt = self.bring_to_any(attempt, card, targets[:4]) or attempt
        return attempt

    def _find_obstacles(
        self, attempt: Attempt, state: State, event: Event | None, orders: Sequence[list[int]] = ()
    ) -> list[int]:
        """Return the movable components that a decision offers in place of the one that was chosen in ``event``."""
        decision = self.game.decision(state)
        if decision is None or not isinstance(event, ChoiceMade) or event[1:3] != (decision.seat, decision.site):
            return []
        offered_cards = [card for card in self._list_offered_components(decision) if card not in event.values]
        return self._list_movable_cards(attempt, offered_cards, orders)

    def _list_offered_components(self, decision: Decision) -> set[int]:
        """Return the components that the options of a decision name."""
        return {card for option in decision.options for card in self._list_chosen_cards(decision.site, option[1:])}

    def _list_chosen_cards(self, site: int, action: Action) -> list[int]:
        """Return the components among the values of an action, without hidden ones and lists."""
        typed_values = zip(action[1], self.value_types[site][action[0]], strict=False)
        return [value for value, type in typed_values if is_component(type) and value.__class__ is int]

    # ------------------------------------------------------------ one step

    def simulate_step(self, attempt: Attempt) -> Transition | None:
        """Simulate a step, and repair it until the seat would see just what is in ``attempt.observation``.

        In the result, ``before`` is the repaired state before the step, ``action`` the repaired action, and ``after``
        the state that follows. ``attempt`` stays unchanged. An action of None begins the game. Returns None if the
        action is not legal, if the rules fail, or if no repair helps. Each simulation costs 1 of ``budget``, which may
        fall below 0. A spent budget ends the search only where no exchange helps and other chance would be tried.
        Failed simulations may raise ``best_agreement``, with new ``suspects``, and set ``depends_on_chance``. ``rng``
        moves on.

        Example: the seat saw Bob play the King. In the particle Bob plays the Guard, and the King is in the deck. The
        two change places, and the action now names the King. The second simulation agrees.
        """
        draw_seed, best, changes_left = self.rng.draw_seed(), (-1, 0), MAX_CHANCE_CHANGES
        repair_count = shuffle_count = draw_change_count = 0
        observation = attempt.observation
        attempt = closest = attempt.copy()
        for _ in range(MAX_REPAIRS + MAX_CHANCE_CHANGES):
            log: list[Event] = []
            script = ChanceScript(observation.events, Rng(draw_seed, "draws"), attempt.outcomes, self.seat)
            self.budget -= 1
            after = self.apply_action(attempt.state, attempt.action, log, script)
            if after is None:
                return None
            events = redact_log(log, self.seat, self.game)
            mismatches = compare_step(self.info, self.seat, observation, events, after)
            if mismatches == []:
                _, _, before, permutation, action, _ = attempt
                used_outcomes = script.get_used_outcomes()
                transition = Transition(observation, before, action, after, log, permutation, used_outcomes)
                return transition._replace(has_hidden_draw=script.has_hidden_draw)
            is_announced = [bool(event[3] >> self.seat & 1) for event in log if event[0] == "random"]
            if is_announced != script.is_announced and changes_left > 0:
                attempt.outcomes.is_announced, changes_left = is_announced, changes_left - 1
                continue
            agreement = measure_agreement(events, observation.events)
            self._record_agreement(agreement, events, observation)
            orders = attempt.outcomes.orders[: sum(event[0] == "shuffle" for event in events[: agreement[0]])]
            self.depends_on_chance |= script.has_hidden_draw or bool(orders)
            if agreement >= best:
                repair_count = 0 if agreement > best else repair_count
                best, closest, shuffle_count = agreement, attempt.copy(), len(orders)
            repair_count += 1
            repaired = None
            if repair_count <= MAX_FUTILE_REPAIRS and mismatches is not None:
                repaired = self._repair_places(attempt, orders, mismatches)
            elif repair_count <= MAX_FUTILE_REPAIRS:
                repaired = self._repair_choice(attempt, orders, after, events)
            if repaired is None:
                changes_left -= 1
                changes_draw = draw_change_count < min(closest.outcomes.count_draw_combinations() - 1, MAX_DRAW_CHANGES)
                if changes_left <= 0 or self.budget <= 0 or not (shuffle_count or changes_draw):
                    return None
                repaired, repair_count = closest.copy(), 0
                repaired.outcomes.change(shuffle_count, changes_draw, self.rng)
                draw_change_count += 1
            attempt = repaired
        return None

    def _record_agreement(self, agreement: tuple[int, int], events: Sequence[Event], observation: Observation) -> None:
        """Remember the best agreement so far, and which seats the first differing events are about."""
        if agreement > self.best_agreement:
            index = agreement[0]
            differing_events = [*events[index : index + 1], *observation.events[index : index + 1]]
            self.best_agreement, self.suspects = agreement, frozenset(self.info.list_involved_seats(differing_events))

    # ------------------------------------------------------------ repairs

    def _repair_places(self, attempt: Attempt, orders: list[list[int]], mismatches: Mismatches) -> Attempt | None:
        """Put components where the seat observed them. Return None if they cannot be there.

        Two components that were shuffled together are exchanged in ``orders``, which the attempt shares.
        """
        placed_cards = set[int]()
        for components, targets in mismatches:
            pairs = [(component, target) for component in components for target in targets]
            if len(pairs) == 1 and placed_cards.intersection(pairs[0]):
                continue
            for component, target in pairs if len(pairs) == 1 else self.rng.shuffle(pairs):
                repaired = self._swap(attempt, orders, component, target)
                if repaired is not None:
                    break
            else:
                return None
            placed_cards |= {component, target}
            attempt = repaired
        return attempt

    def _repair_choice(
        self, attempt: Attempt, orders: list[list[int]], after: State, events: list[Event]
    ) -> Attempt | None:
        """Make an exchange that may change what a seat could choose. Return None if there is none to try.

        It is tried if a seat made a choice in the sample where it had none in the observation, or the reverse. A
        component that the choice offers is exchanged for one from elsewhere. If the first differing event is a phase,
        see :meth:`_repair_phase`. None for every other event.
        """
        observed_events = attempt.observation.events
        index, _ = measure_agreement(events, observed_events)
        index = min(index, len(events))
        event = next((sequence[index] for sequence in (observed_events, events) if len(sequence) > index), None)
        if event is None:
            return None
        if event[0] != "choice":
            return self._repair_phase(attempt, orders, after, events[index:], index)
        seat_components = self._list_components(event[1], attempt.state, after)
        movable_cards = self._list_movable_cards(attempt, seat_components, orders)
        chosen_component = None
        if index == len(events):
            chosen_component = self._find_chosen_component(event, observed_events[index + 1 :])
            obstacles = self._find_obstacles(attempt, after, event, orders)
            movable_cards = [card for card in obstacles if card != chosen_component] or movable_cards
            if chosen_component is not None and chosen_component not in seat_components and movable_cards:
                return self._swap_any(attempt, orders, movable_cards, [chosen_component])
        candidates = orders[-1] if orders else attempt.particle.zone_masks
        targets = self.rng.shuffle([component for component in candidates if component not in seat_components])
        if chosen_component is not None:
            types = self.info.card_types
            targets.sort(key=lambda component: types[component] != types[chosen_component])
        return self._swap_any(attempt, orders, movable_cards, targets)

    def _repair_phase(
        self, attempt: Attempt, orders: list[list[int]], after: State, events: Sequence[Event], index: int
    ) -> Attempt | None:
        """Make an exchange to try if another phase began than the seat observed. Return None without one.

        It moves a component that the sample shows and the seat did not see, or else one of the seat that decides next.
        ``events`` begins with the first event that differs, which has the number ``index``.
        """
        observation, cells, location = attempt.observation, attempt.state.cells, self.layout.location
        differing_events = [*observation.events[index : index + 1], *events[:1]]
        if all(event[0] != "phase" for event in differing_events):
            return None
        shown_cards = {card for event in events if event[0] == "cards" for card in event[1] if card is not None}
        shown_cards -= {card for event in observation.events[index:] if event[0] == "cards" for card in event[1]}
        movable_cards = self._list_movable_cards(attempt, shown_cards, orders)
        if not movable_cards and observation.waiting_for is not None:
            seat_components = self._list_components(observation.waiting_for, attempt.state, after)
            movable_cards = self._list_movable_cards(attempt, seat_components, orders)
        if not movable_cards:
            return None
        card, masks = movable_cards[self.rng.draw_below(len(movable_cards))], attempt.particle.zone_masks
        targets = [target for target in masks if cells[location + target] != cells[location + card]]
        targets = self.rng.shuffle(orders[-1] if orders and card in orders[-1] else targets)
        return self._swap_any(attempt, orders, [card], targets)

    def _swap(self, attempt: Attempt, orders: list[list[int]], component: int, target: int) -> Attempt | None:
        """Put ``target`` where ``component`` is. Return None if it cannot be there.

        If both are in one of the shuffles in ``orders``, they are swapped in the last such shuffle.
        """
        order = next((order for order in reversed(orders) if component in order and target in order), None)
        if order is not None:
            component_index, target_index = order.index(component), order.index(target)
            order[component_index], order[target_index] = target, component
            return attempt
        zone, target_zone = (attempt.state.cells[self.layout.location + card] for card in (component, target))
        swapped = self.bring(attempt, target, component)
        if swapped is not None and zone == target_zone and self.info.sorted_zones[zone]:
            return self._move_away(attempt, component)  # an exchange within a sorted zone changes nothing
        return swapped

    def _swap_any(
        self, attempt: Attempt, orders: list[list[int]], components: Sequence[int], targets: Sequence[int]
    ) -> Attempt | None:
        """Exchange a random component with the first target that can be there. Return None if none can."""
        if not components:
            return None
        component = components[self.rng.draw_below(len(components))]
        attempts = (self._swap(attempt, orders, component, target) for target in targets)
        return next((swapped for swapped in attempts if swapped is not None), None)

    def _list_movable_cards(self, attempt: Attempt, cards: Iterable[int], orders: Sequence[list[int]]) -> list[int]:
        """Return those of some components that could be elsewhere."""
        masks = attempt.particle.zone_masks
        return [card for card in cards if card in masks or any(card in order for order in orders)]

    def _list_components(self, seat: int, before: State, after: State) -> set[int]:
        """Return the components in the zones of a seat, before a step or after it."""
        numbers = [number for number, owner in enumerate(self.info.zone_owners) if owner == seat]
        return {card for number in numbers for state in (before, after) for card in state.zones[number]}

    def _find_chosen_component(self, choice: ChoiceMade, later_events: Sequence[Event]) -> int | None:
        """Return the component that was chosen, by the choice itself or the next move. None if neither shows it."""
        typed_values = zip(choice.values, self.value_types[choice.site][choice.alternative], strict=False)
        component = next((value for value, type in typed_values if is_component(type)), None)
        if component.__class__ is int:  # the first component of the choice is no hidden one
            return component
        for event in later_events:
            if event[0] == "cards":
                return None if event[1][0] is None else int(event[1][0])
        return None

    def _move_away(self, attempt: Attempt, card: int) -> Attempt | None:
        """Return an attempt with a component in another zone, or None if it must stay."""
        cells, location = attempt.state.cells, self.layout.location
        zone = cells[location + card]
        cards = [component for component in attempt.particle.zone_masks if cells[location + component] != zone]
        attempts = (self.bring(attempt, component, card) for component in self.rng.shuffle(cards))
        return next((moved for moved in attempts if moved is not None), None)


def _list_trigrams(text: str) -> set[tuple[str, ...]]:
    """Return every three consecutive words of a text."""
    words = re.findall(r"\w+", text)
    return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}
