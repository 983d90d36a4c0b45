"""Observations: what a seat learned from one step, and how a sampled step differs from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from lusory_dsl.core.knowledge_of_locals import get_knowledge
from lusory_dsl.types.types import is_component

from ..game import Game
from ..state.decisions_outcomes_and_faults import Decision
from ..state.events_redaction_and_text import Announced, ChanceDecided, ChoiceMade, ComponentsMoved, Event, VariableSet
from ..state.setting_value_limits_builtins_and_names import (
    HIDDEN,
    Setting,
    get_constant_text,
    get_place_type,
    list_value_types,
)
from ..state.state import State
from ..view.redacted_state import (
    RedactedState,
    find_hidden_places,
    locate_hidden_places,
    redact_decision,
    redact_locals,
    redact_state,
)
from ..view.seat_view import SeatReader, View

UNSEEN: Any = ...
"""Stands for a value or a component that the seat does not see."""

Options = tuple[tuple[int, tuple[Any, ...]], ...]
"""The options of a decision, each as (alternative, values)."""

Mismatches = list[tuple[tuple[int, ...], tuple[int, ...]]]
"""Components in the wrong place, each with the one that the seat observed there.

Both sides are tuples, because a text can name several copies of a card: then it is one of several.
"""


class Observation(NamedTuple):
    """The observation of one seat in one step, as plain data.

    Attributes:
        events: The events of the step, redacted for the seat.
        cells: The values of variables and pools after the step. Values that the seat cannot see are UNSEEN.
        zones: The components in each zone after the step. Components that the seat cannot see are UNSEEN.
        hidden_places: The variables and pools that the seat cannot see.
        phase: The phase of the game.
        waiting_for: The seat that decides next. None: the game is over.
        question: The decision of the seat itself, as (site, options).
        prompt: The text of that decision. It can reveal what nothing else shows.
    """

    events: tuple[Event, ...]
    cells: tuple[Any, ...]
    zones: tuple[tuple[Any, ...], ...]
    hidden_places: frozenset[tuple[str, tuple[int, ...]]]
    phase: str | None
    waiting_for: int | None
    question: tuple[int, Options] | None
    prompt: str = ""

    @property
    def visible_state(self) -> tuple[Any, ...]:
        """Return all fields except ``events``, as a plain tuple in their order."""
        return self[1:]


def observe(view: View, events: Sequence[Event]) -> Observation:
    """Return the observation that a view and the events before it make.

    The cells are those of variables and pools. Hidden values and components are UNSEEN, and each zone keeps its length.
    The question is ``(site, ((alternative, values), ...))`` with a pair for each option, or None if the seat has no
    decision. The hidden places, the phase, the seat that decides and the prompt are those of the view.
    """
    redacted_state, decision = view.redacted_state, view.decision
    question = None
    if decision is not None:
        question = decision.site, tuple([(option.alternative, option.values) for option in decision.options])
    cells = redacted_state.cells[: redacted_state.setting.layout.location]
    for cell in locate_hidden_places(redacted_state.setting, redacted_state.hidden_places).cells:
        cells[cell] = UNSEEN
    zones = [tuple([card if card.__class__ is int else UNSEEN for card in zone]) for zone in redacted_state.zones]
    contents = tuple(cells), tuple(zones), redacted_state.hidden_places
    return Observation(tuple(events), *contents, view.phase, view.waiting_for, question, view.prompt())


class ObservationMatcher:
    """Compare sampled states with one observation, without making a view of each state.

    Attributes:
        observation: The observation to compare with.
        hidden_cells: The cells of variables and pools that the seat does not see.
        hidden_zones: The zones with unseen components: number, length, and the visible components with their places.
    """

    def __init__(self, game: Game, seat: int, observation: Observation, has_conditional_ends: bool) -> None:
        """Prepare the comparison.

        For ``has_conditional_ends`` see :class:`lusory.belief.hidden_information_and_event_subjects.HiddenInfo`.
        """
        self.game, self.seat, self.observation = game, seat, observation
        self._has_conditional_ends = has_conditional_ends
        self.hidden_cells = locate_hidden_places(game.setting, observation.hidden_places).cells
        ends = [-1, *self.hidden_cells, len(observation.cells)]
        self._visible_cells = [
            (end + 1, start, list(observation.cells[end + 1 : start]))
            for end, start in pairwise(ends)
            if end + 1 < start
        ]
        zones = list(enumerate(observation.zones))
        self._visible_zones = [(number, list(zone)) for number, zone in zones if UNSEEN not in zone]
        self.hidden_zones = [(number, len(zone), _list_visible(zone)) for number, zone in zones if UNSEEN in zone]
        self._sight: RedactedState | None = None
        self._prompt_matches: dict[tuple[Any, ...], bool] = {}  # locals of the asking routine -> same prompt

    def compare_step(self, events: Sequence[Event], state: State) -> Mismatches | None:
        """Compare a sampled step with the observation: ``events``, which are redacted for the seat, then the state.

        Returns an empty list if the seat could not tell them apart. Otherwise returns pairs: components of the sample,
        and those that the seat observed there. Example: the seat observed "Ann plays the King", and in the sample Ann
        plays the Guard. The result is ``[((guard,), (king,))]``: the King must be where the Guard is.

        The first event that differs decides: its pairs, or None if anything else of it differs. A choice gives its
        pairs even if other values of it differ, too. If no event differs, but one side has further events, the result
        is None. Otherwise the state decides: its pairs, even if other values differ, too, or None if only other values
        differ or a zone has another size.
        """
        observed_events = self.observation.events
        for event, expected in zip(events, observed_events, strict=False):
            if event != expected:
                return _compare_events(self.game.setting, event, expected)
        return self._compare_state(state) if len(events) == len(observed_events) else None

    def _compare_state(self, state: State) -> Mismatches | None:
        """Compare a sampled state with the observation: visible cells, zones, and the decision.

        Returns an empty list if the seat could not tell them apart. Otherwise returns a pair for each visible component
        that has another one in its place, zone by zone. A pair has two 1-tuples: the component there, and the one that
        was seen. These pairs are returned even if other values differ, too. If only other values differ, or a zone has
        another size, the result is None.
        """
        cells, zones = state.cells, state.zones
        mismatches: Mismatches = []
        has_same_values = all(cells[start:end] == values for start, end, values in self._visible_cells)
        for number, expected in self._visible_zones:
            zone = zones[number]
            if len(zone) != len(expected):
                return None
            if zone != expected:
                pairs = zip(zone, expected, strict=True)
                mismatches += [((card,), (expected_card,)) for card, expected_card in pairs if card != expected_card]
        for number, length, visible in self.hidden_zones:
            zone = zones[number]
            if len(zone) != length:
                return None
            mismatches += [((zone[index],), (card,)) for index, card in visible if zone[index] != card]
        if mismatches:
            return mismatches
        return [] if has_same_values and self._has_same_decision(state) else None

    def _has_same_decision(self, state: State) -> bool:
        """Compare the rest: what is hidden, who decides, and what is offered."""
        game, question = self.game, self.observation.question
        decision = game.decision(state)
        if (None if decision is None else decision.seat) != self.observation.waiting_for:
            return False
        if question is not None and decision is not None and decision.site != question[0]:
            return False
        if find_hidden_places(game.setting, state, self.seat) != self.observation.hidden_places:
            return False
        visible_state = self.observation.visible_state
        if self._has_conditional_ends and observe(game.view(state, self.seat), ()).visible_state != visible_state:
            return False
        if question is not None and decision is not None and not self._has_same_options(state, decision, question[1]):
            return False
        return game.get_phase(state) == self.observation.phase

    def _has_same_options(self, state: State, decision: Decision, options: Options) -> bool:
        """Compare the prompt and the options, given that everything else that the seat sees is the same."""
        ask, knowledge = self.game.setting.sites[decision.site], get_knowledge(self.game.program)
        is_fixed = get_constant_text(ask.prompt) is not None
        if knowledge.unseen_variables.get(decision.site) or not is_fixed:
            self._sight = self._sight or redact_state(self.game.setting, state, self.seat)
        visible = decision if self._sight is None else redact_decision(self._sight, decision)
        if tuple([option[1:] for option in visible.options]) != options:
            return False
        if self._sight is None or is_fixed:
            return True
        slots = tuple(self.game.get_locals(state))
        if slots not in self._prompt_matches:
            visible_locals = redact_locals(self._sight, slots, knowledge.site_levels[decision.site])
            prompt = SeatReader(self._sight).fill(ask.prompt, visible_locals)
            self._prompt_matches[slots] = prompt == self.observation.prompt
        return self._prompt_matches[slots]


def measure_agreement(events: Sequence[Event], observed_events: Sequence[Event]) -> tuple[int, int]:
    """Return how many events at the start agree, and how many components of the next event do.

    The second number is 0 unless the first event that differs moves components in both. If no event differs, the result
    is the number of observed events, and 0, even if ``events`` has fewer.

    Example: if the first two events are equal, and the third moves cards of which only the first is the same, the
    result is ``(2, 1)``.
    """
    for number, (event, expected) in enumerate(zip(events, observed_events, strict=False)):
        if event != expected:
            if event[0] != "cards" or expected[0] != "cards":
                return number, 0
            return number, sum(card == other for card, other in zip(event[1], expected[1], strict=False))
    return len(observed_events), 0


def _list_visible(zone: tuple[Any, ...]) -> list[tuple[int, int]]:
    """Return the visible components of a zone, each with its place."""
    return [(index, card) for index, card in enumerate(zone) if card is not UNSEEN]


# ------------------------------------------------------------ events


def _compare_events(setting: Setting, event: Event, expected: Event) -> Mismatches | None:
    """Return the components in which two different events differ, or None if they differ in something else."""
    mismatches: Mismatches = []
    match event, expected:
        case ComponentsMoved(), ComponentsMoved():
            if event[2:6] == expected[2:6] and len(event.components) == len(expected.components):
                mismatches = _compare_components(event.components, expected.components)
        case ChanceDecided(), ChanceDecided() if event.name == expected.name:
            type = setting.chance_types.get(event.name)
            if type is not None and is_component(type):
                mismatches = _compare_components((event.value,), (expected.value,))
        case VariableSet(), VariableSet() if event[1:3] == expected[1:3]:
            if is_component(get_place_type(setting.program, event.variable)):
                mismatches = _compare_components(_ensure_tuple(event.value), _ensure_tuple(expected.value))
        case ChoiceMade(), ChoiceMade() if event[1:4] == expected[1:4]:
            types = list_value_types(setting.sites[event.site])[event.alternative]
            for type, value, expected_value in zip(types, event.values, expected.values, strict=False):
                if is_component(type) and HIDDEN not in (value, expected_value):
                    mismatches += _compare_components((value,), (expected_value,))
        case Announced(), Announced():
            mismatches = _compare_texts(setting, event.text, expected.text)
    return mismatches or None


@lru_cache(8)
def _index_labels(setting: Setting) -> tuple[dict[str, list[int]], re.Pattern[str]]:
    """Return the components of each label, and a pattern that finds labels in a text."""
    components = dict[str, list[int]]()
    for entity in setting.program.entities:
        components.setdefault(entity.label, []).append(entity.number)
    return components, re.compile("(" + "|".join(map(re.escape, sorted(components, key=len, reverse=True))) + ")")


def _compare_texts(setting: Setting, text: str | None, expected: str | None) -> Mismatches:
    """Return the components that a text names in place of others. A label stands for any of its copies."""
    if text is None or expected is None:
        return []
    components, labels = _index_labels(setting)
    parts, expected_parts = labels.split(text), labels.split(expected)
    if parts[::2] != expected_parts[::2]:
        return []
    label_pairs = zip(parts[1::2], expected_parts[1::2], strict=True)
    return [
        (tuple(components[label]), tuple(components[expected_label]))
        for label, expected_label in label_pairs
        if label != expected_label
    ]


def _ensure_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _compare_components(components: Sequence[Any], expected: Sequence[Any]) -> Mismatches:
    """Return the pairs that differ. Both components of a pair must be visible."""
    return [
        ((component,), (expected_component,))
        for component, expected_component in zip(components, expected, strict=False)
        if component != expected_component
        and isinstance(component, int)
        and isinstance(expected_component, int)
        and UNSEEN not in (component, expected_component)
    ]
