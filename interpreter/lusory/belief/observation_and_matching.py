"""Observations: what a seat learned from one step, and how a sampled step differs from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress, pairwise
from typing import Any

from lusory_dsl.types.types import is_component

from ..state.events_redaction_and_text import Announced, ChanceDecided, ChoiceMade, ComponentsMoved, Event, VariableSet
from ..state.setting_value_limits_builtins_and_names import Setting, get_place_type, list_value_types
from ..state.state import State
from ..view.redacted_state import find_hidden_places, locate_hidden_places
from ..view.seat_view import View
from .hidden_information_and_event_subjects import HiddenInfo

UNSEEN: Any = ...
"""Stands for a value or a component that the seat does not see."""

Options = tuple[tuple[int, tuple[Any, ...]], ...]
"""The options of a decision, each as (alternative, values)."""

Mismatches = list[tuple[tuple[int, ...], tuple[int, ...]]]
"""Components in the wrong place, each with the one that the seat observed there.

Both sides are tuples, because a text can name several copies of a card: then it is one of several.
"""


@dataclass(frozen=True)
class Observation:
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

    @cached_property
    def hidden_cells(self) -> list[int]:
        """The cells of variables and pools that the seat does not see."""
        return [cell for cell, value in enumerate(self.cells) if value is UNSEEN]

    @cached_property
    def visible_cells(self) -> list[tuple[int, int, list[Any]]]:
        """The other cells: the first of each range, the cell after its last, and the values."""
        ends = pairwise([-1, *self.hidden_cells, len(self.cells)])
        return [(end + 1, start, list(self.cells[end + 1 : start])) for end, start in ends if end + 1 < start]

    @cached_property
    def visible_zones(self) -> list[tuple[int, list[Any]]]:
        """The zones without unseen components: number and components."""
        return [(number, list(zone)) for number, zone in enumerate(self.zones) if UNSEEN not in zone]

    @cached_property
    def hidden_zones(self) -> list[tuple[int, int, list[tuple[int, int]]]]:
        """The other zones: number, length, and the visible components with their places."""
        zones = [(number, zone) for number, zone in enumerate(self.zones) if UNSEEN in zone]
        return [
            (number, len(zone), [(index, card) for index, card in enumerate(zone) if card is not UNSEEN])
            for number, zone in zones
        ]


def observe(view: View, events: Sequence[Event]) -> Observation:
    """Return the observation that a view and the events before it make.

    ``cells`` is a tuple of the values of variables and pools, and ``zones`` a tuple with the tuple of components of
    each zone. Values and components that the seat can't see are UNSEEN. ``question`` is
    ``(site, ((alternative, values), ...))`` with a pair for each option, and ``prompt`` is ``view.prompt()``. If the
    seat has no decision, they are None and "". ``events`` is a tuple of the events, which must be redacted already.
    ``phase`` and ``waiting_for`` are the view's, and ``hidden_places`` those of its ``redacted_state``.
    """
    redacted_state = view.redacted_state
    cells = redacted_state.cells[: redacted_state.setting.layout.location]
    for cell in locate_hidden_places(redacted_state.setting, redacted_state.hidden_places).cells:
        cells[cell] = UNSEEN
    zones = [tuple([card if card.__class__ is int else UNSEEN for card in zone]) for zone in redacted_state.zones]
    contents = tuple(cells), tuple(zones), redacted_state.hidden_places
    return Observation(tuple(events), *contents, view.phase, view.waiting_for, _read_question(view), view.prompt())


def _read_question(view: View) -> tuple[int, Options] | None:
    """Return the decision of the seat itself, as in an observation."""
    decision = view.decision
    if decision is None:
        return None
    return decision.site, tuple([(option.alternative, option.values) for option in decision.options])


def compare_step(
    info: HiddenInfo, seat: int, observation: Observation, events: Sequence[Event], state: State
) -> Mismatches | None:
    """Compare a sampled step with an observation of a seat, and return [] if the seat could not tell them apart.

    ``events`` must be redacted for the seat. Wrong components give pairs of those in the sample and those that the seat
    observed there. If it observed "Ann plays the King", and Ann plays the Guard in the sample, the result is
    ``[((guard,), (king,))]``. In an announced text, a label names all of its copies: ``[((guard, guard_2), (king,))]``.

    The first event that differs decides: its pairs of visible components, or None without such a pair. It is also None
    if another field differs. With a pair, ``seats`` may differ too, and ``is_forced`` and other values of a choice. If
    no event differs, but one side has further events, the result is None. Otherwise the zones of the state decide:
    their pairs, or None if one has another size. If the zones agree, the result is None if anything else differs, such
    as a visible variable (even one that holds a component) or the options.
    """
    for event, expected in zip(events, observation.events, strict=False):
        if event != expected:
            return _compare_events(info.game.setting, event, expected)
    if len(events) != len(observation.events):
        return None
    mismatches = _compare_zones(observation, state.zones)
    if mismatches != []:
        return mismatches
    has_same_values = all(state.cells[start:end] == values for start, end, values in observation.visible_cells)
    return [] if has_same_values and has_same_decision(info, seat, observation, state) else None


def _compare_zones(observation: Observation, zones: Sequence[Sequence[int]]) -> Mismatches | None:
    """Return a pair for each visible component that has another one in its place, zone by zone.

    A pair has two 1-tuples: the component there, and the one that was seen. Return None if a zone has another size.
    """
    mismatches: Mismatches = []
    for number, expected in observation.visible_zones:
        zone = zones[number]
        if len(zone) != len(expected):
            return None
        if zone != expected:
            pairs = zip(zone, expected, strict=True)
            mismatches += [((card,), (expected_card,)) for card, expected_card in pairs if card != expected_card]
    for number, length, visible in observation.hidden_zones:
        zone = zones[number]
        if len(zone) != length:
            return None
        mismatches += [((zone[index],), (card,)) for index, card in visible if zone[index] != card]
    return mismatches


def has_same_decision(info: HiddenInfo, seat: int, observation: Observation, state: State) -> bool:
    """Return whether a state, seen by a seat, has the same decision and hidden places as an observation.

    Compare who decides, the phase, ``hidden_places``, and the options and prompt of the seat. The visible values must
    already be known to be the same. They are compared again only with ``info.has_conditional_ends``.
    """
    decision, game = info.game.decision(state), info.game
    if (None if decision is None else decision.seat) != observation.waiting_for:
        return False
    if game.get_phase(state) != observation.phase:
        return False
    if find_hidden_places(game.setting, state, seat) != observation.hidden_places:
        return False
    if observation.question is None and not info.has_conditional_ends:
        return True
    view = game.view(state, seat)
    if info.has_conditional_ends:
        return observe(view, observation.events) == observation
    return _read_question(view) == observation.question and view.prompt() == observation.prompt


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


# ------------------------------------------------------------ events


def _compare_events(setting: Setting, event: Event, expected: Event) -> Mismatches | None:
    """Return the components in which two different events differ, or None if they differ in something else."""
    values: Iterable[Any] = ()
    expected_values: Iterable[Any] = ()
    match event, expected:
        case ComponentsMoved(), ComponentsMoved():
            if event[2:6] == expected[2:6] and len(event.components) == len(expected.components):
                values, expected_values = event.components, expected.components
        case ChanceDecided(), ChanceDecided() if event.name == expected.name:
            type = setting.chance_types.get(event.name)
            if type is not None and is_component(type):
                values, expected_values = (event.value,), (expected.value,)
        case VariableSet(), VariableSet() if event[1:3] == expected[1:3]:
            if is_component(get_place_type(setting.program, event.variable)):
                values, expected_values = _ensure_tuple(event.value), _ensure_tuple(expected.value)
        case ChoiceMade(), ChoiceMade() if event[1:4] == expected[1:4]:
            types = list_value_types(setting.sites[event.site])[event.alternative]
            selectors = [is_component(type) for type in types]
            values, expected_values = compress(event.values, selectors), compress(expected.values, selectors)
        case Announced(), Announced():
            return _compare_texts(setting, event.text, expected.text) or None
    pairs = [pair for pair in zip(values, expected_values, strict=False) if pair[0] != pair[1]]
    # both components of a pair must be visible
    return [((card,), (other,)) for card, other in pairs if isinstance(card, int) and isinstance(other, int)] or None


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
