"""Replay a sample from the start, with the engine alone, and compare each step with what its seat observed.

A belief state is traced: for each state of a particle we keep which step or exchange of components led to it. If
components change places later, they must have been so since they were last shuffled. With that, the steps are simulated
again from the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lusory.belief.belief_state import BeliefState
from lusory.belief.observation_and_matching import Observation, observe
from lusory.belief.particle_and_step_records import NO_INFERENCE, Action, Inference, Particle, Transition
from lusory.belief.particle_step_and_exchange_of_hidden_components import ParticleStepper
from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.events_redaction_and_text import Event, redact_log
from lusory.state.setting_value_limits_builtins_and_names import ForcedChance, unwrap_list_type
from lusory.state.state import State
from lusory.view.seat_view import View
from lusory_dsl.core import AskMany
from lusory_dsl.types.types import is_component

NEARBY_STEPS = 4
"""How far from a step the action may be found that was taken in it, in either direction."""

Permutation = Mapping[int, int]
"""Component -> the component that takes its place."""


class Step(NamedTuple):
    """One step of a sample.

    Attributes:
        action: The action. None: the game began.
        option: Its number when it was first simulated.
        permutation: How components differ before the step from when it was first simulated.
        orders: The orders of components after its shuffles.
        draws: Each draw: its name, its value, and how components differ by then.
    """

    action: Action | None
    option: int
    permutation: Permutation
    orders: list[tuple[int, ...]]
    draws: list[tuple[str, Any, Permutation]]


def compose(first: Permutation, second: Permutation) -> dict[int, int]:
    """Return the permutation that applies ``first`` and then ``second``."""
    return {card: second.get(first.get(card, card), first.get(card, card)) for card in {*first, *second}}


def undo_shuffle(permutation: Permutation, order: Sequence[int]) -> dict[int, int]:
    """Return how components differ before a shuffle. As few as possible of the shuffled ones do."""
    replacements = {permutation.get(card, card) for card in order}
    free = iter(sorted(replacements.difference(order)))
    return {**permutation, **{card: card if card in replacements else next(free) for card in order}}


class TracedStepper(ParticleStepper):
    """Keep how each state of a particle came about: from which state, by which transition or exchange."""

    def __init__(self, game: Game, seat: int) -> None:
        super().__init__(game, seat)
        self.recent: dict[int, tuple[State, State, Permutation]] = {}
        self.origins: dict[int, tuple[State, State, Permutation | Transition]] = {}

    def permute(self, particle: Particle, state: State, permutation: Permutation) -> State:
        result = super().permute(particle, state, permutation)
        self.recent[id(result)] = result, state, dict(permutation)
        return result

    def advance(self, particle: Particle, transition: Transition, inference: Inference = NO_INFERENCE) -> Particle:
        state = transition.before
        while id(state) in self.recent:
            entry = self.origins[id(state)] = self.recent[id(state)]
            state = entry[1]
        if state is not particle.state and id(state) not in self.origins:  # a path search found another way to it
            self.origins[id(state)] = state, particle.state, {}
        decision = self.game.decision(transition.before) if transition.action is not None else None
        option = -1 if decision is None else [choice[1:] for choice in decision.options].index(transition.action)
        origin = transition._replace(dependent_steps=(), candidate=(option, 0))
        self.origins[id(transition.after)] = transition.after, transition.before, origin
        return super().advance(particle, transition, inference)

    def list_steps(self, state: State) -> list[Step]:
        """Return the steps that lead to a state."""
        permutation, steps = dict[int, int](), list[Step]()
        while state is not self.game.initial:
            _, state, origin = self.recent.get(id(state)) or self.origins[id(state)]
            if not isinstance(origin, Transition):
                permutation = compose(origin, permutation)
                continue
            orders, draws = list[tuple[int, ...]](), list[tuple[str, Any, Permutation]]()
            orders_to_replay = [tuple(order) for order in origin.outcomes.orders]
            for event in reversed(origin.events):
                if event[0] == "random":
                    draws.insert(0, (event[1], event[2], permutation))
                elif event[0] == "shuffle":
                    order = orders_to_replay.pop()
                    orders.insert(0, tuple([permutation.get(card, card) for card in order]))
                    permutation = undo_shuffle(permutation, order)
            steps.insert(0, Step(origin.action, origin.candidate[0], permutation, orders, draws))
        return steps


class TracedBelief(BeliefState):
    """A belief state that can tell how its samples came about."""

    stepper: TracedStepper

    def __init__(self, game: Game, seat: int) -> None:
        super().__init__(game, seat)
        self.stepper = TracedStepper(self.game, seat)

    def update(self, view: View, events: Sequence[Event]) -> None:
        self.stepper.recent.clear()
        super().update(view, events)


class RepeatedChance(ForcedChance):
    """Repeat the chance of one step. ``is_possible`` becomes false if it does not fit."""

    def __init__(self, game: Game, step: Step) -> None:
        super().__init__(has_full_faults=False)
        self.orders, self.is_possible = step.orders[:], True
        types = game.setting.chance_types
        self.draws = [
            permutation.get(value, value) if name in types and is_component(types[name]) else value
            for name, value, permutation in step.draws
        ]

    def take_draw(self, stream: str, items: Sequence[Any]) -> tuple[Any]:
        self.is_possible &= bool(self.draws) and self.draws[0] in items
        return (self.draws.pop(0) if self.is_possible else items[0],)

    def take_shuffle(self, cards: Sequence[int]) -> tuple[tuple[int, ...]]:
        self.is_possible &= bool(self.orders) and set(self.orders[0]) == set(cards)
        return (self.orders.pop(0) if self.is_possible else tuple(cards),)


def replay(belief: TracedBelief, sample: State) -> str | None:
    """Replay a sample from the start. Returns why that fails, or None if the seat would have observed the same."""
    game, seat, state = belief.game, belief.seat, None
    steps = belief.stepper.list_steps(sample)
    if len(steps) != len(belief.observations):
        return f"{len(steps)} steps lead to it, of {len(belief.observations)}"
    for number, (step, observation) in enumerate(zip(steps, belief.observations, strict=True)):
        for option in [None] if state is None else _find_options(game, state, number, steps):
            after = _replay_step(game, state, option, RepeatedChance(game, step), seat, observation)
            if after is not None:
                break
        else:
            return f"step {number}: no action leads to what the seat observed"
        state = after
    values = slice(game.layout.repeats_begin)
    if state is None or state.cells[values] != sample.cells[values]:
        return "its steps lead elsewhere"
    if list(map(sorted, state.zones)) != list(map(sorted, sample.zones)):
        return "its steps lead elsewhere"
    return None


def _find_options(game: Game, state: State, number: int, steps: Sequence[Step]) -> list[int]:
    """Return the options that may have been taken in a step: its own action, and those of nearby steps.

    Several components are picked one by one in the order in which they are, so an exchange can swap nearby actions.
    """
    decision = game.decision(state)
    if decision is None:
        return []
    nearby = steps[number : number + NEARBY_STEPS] + steps[max(number - NEARBY_STEPS, 1) : number]
    actions = list(dict.fromkeys(_translate(game, decision.site, step) for step in nearby))
    options = {option[1:]: option.index for option in decision.options}
    indexes = [options[action] for action in actions if action in options]
    same = min(steps[number].option, len(decision.options) - 1)
    return [same, *sorted(indexes)] if isinstance(game.setting.sites[decision.site], AskMany) else [*indexes, same]


def _translate(game: Game, site: int, step: Step) -> Action | None:
    """Return the action of a step with its components replaced, or None if the choice has no such action."""
    ask, action = game.setting.sites[site], step.action
    if action is None:
        return None
    if isinstance(ask, AskMany):
        domains = [ask.source]
    elif action[0] < len(ask.alternatives):
        domains = [variable.domain for variable in ask.alternatives[action[0]].vars]
    else:
        return None
    are_components = [is_component(unwrap_list_type(domain.type)) for domain in domains] + [False] * len(action[1])
    values = zip(action[1], are_components, strict=False)
    return action[0], tuple([step.permutation.get(value, value) if is_one else value for value, is_one in values])


def _replay_step(
    game: Game, state: State | None, option: int | None, chance: RepeatedChance, seat: int, observation: Observation
) -> State | None:
    """Return the state after a step, or None if the seat would have observed something else."""
    log = list[Event]()
    try:
        after = (
            game.start(0, log, chance) if state is None or option is None else game.apply(state, option, log, chance)
        )
    except RulesetFault:
        return None
    if not chance.is_possible or tuple(redact_log(log, seat, game)) != observation.events:
        return None
    return after if observe(game.view(after, seat), observation.events) == observation else None
