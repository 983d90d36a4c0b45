"""Laws of random games of every bundled ruleset, on every engine.

Games end, invariants hold at every decision, states are values, and a seat learns nothing that is hidden from it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from programs import RULESETS, create_bundled_game, format_information_state, is_large, list_player_numbers
from reachable import PLAIN, walk_reachable

from lusory.belief.belief_state import BeliefState
from lusory.evaluator.expressions import Reader
from lusory.game import ENGINES, Game
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import DecisionTable, TablePlayer
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.events_redaction_and_text import redact_log
from lusory.state.setting_value_limits_builtins_and_names import (
    Setting,
    format_name,
    format_place_name,
    unwrap_list_type,
)
from lusory.state.state import State
from lusory.ui.model.panel_builder_and_value_looks import build_panels
from lusory.view.table_and_option_text import list_all_values
from lusory_dsl.core import Ask
from lusory_dsl.types.types import ComponentType, IntType, ListType, OptionalType, Type

DECISION_LIMIT = 5_000  # decisions of one game

seeds = st.integers(0, 2**32)
few_examples = settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
every_engine = pytest.mark.parametrize("engine", ENGINES)
every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda path: path.name)


def draw_game(data: st.DataObject, ruleset: Path, engine: str) -> tuple[Game, int, Random]:
    players = data.draw(st.sampled_from(list_player_numbers(ruleset.name)), label="players")
    seed = data.draw(seeds, label="seed")
    return create_bundled_game(ruleset.name, players, engine), seed, Random(seed)


def pass_through_json(state: State) -> State:
    return State.from_json(json.loads(json.dumps(state.to_json())))


@every_engine
@every_ruleset
@few_examples
@given(st.data())
def test_a_random_game_obeys_the_laws(ruleset: Path, engine: str, data: st.DataObject) -> None:
    """The game ends, and its invariants hold. Applying an option leaves the old state unchanged. The id and the number
    of an option give the same state, and so does a state that went through JSON. With a large ruleset the test plays
    only the first decisions and checks every fifth position: test_rulesets.py plays to the end.
    """
    limit = 25 if engine == "evaluator" else 100 if is_large(ruleset.name) else None
    check_game_laws(*draw_game(data, ruleset, engine), decision_limit=limit)


def check_game_laws(game: Game, seed: int, random: Random, decision_limit: int | None = None) -> None:
    log: list[Any] = []
    json_log: list[Any] = []
    state = game.start(seed, log)
    json_state = pass_through_json(game.start(seed, json_log))
    count = 0
    every = 5 if len(game.program.entities) > 500 else 1
    while (decision := game.decision(state)) is not None:
        checks_state = count % every == 0
        assert not checks_state or [violation.id for violation in game.broken_invariants(state)] == []
        assert game.outcome(state) is None
        assert len(decision.options) > 1
        ids = game.option_ids(state, decision)
        assert len(set(ids)) == len(ids)
        old_state, copy_before = state, state.copy()
        index = random.randrange(len(ids))
        json_state = game.apply(pass_through_json(json_state) if checks_state else json_state, ids[index], json_log)
        state = game.apply(state, index, log)
        assert old_state == copy_before
        assert hash(state) == hash(json_state)
        assert state == json_state
        count += 1
        assert count < DECISION_LIMIT, "the game does not end"
        if count == decision_limit:
            return
    assert log == json_log
    assert [violation.id for violation in game.broken_invariants(state)] == []
    outcome = game.outcome(state)
    assert outcome is not None
    assert outcome.winners == tuple(seat for seat, place in enumerate(outcome.places) if place == 1)
    assert outcome.winners or game.program.scoring.is_selective  # a game may end without winners


@every_engine
@every_ruleset
@few_examples
@given(st.data())
def test_a_seat_learns_nothing_that_is_hidden_from_it(ruleset: Path, engine: str, data: st.DataObject) -> None:
    """If everything changes that a seat cannot see, its view, options and information state stay the same."""
    check_seats_learn_nothing(*draw_game(data, ruleset, engine), limit=20 if engine == "evaluator" else 60)


def has_secrets(game: Game) -> bool:
    """Return whether anything is hidden from a seat: a place, or the future numbers of a random stream."""
    program = game.program
    places = (*program.variables, *program.pools, *program.zones)
    return bool(game.layout.streams) or any(program.get_place(name).visible.constant != "all" for name in places)


def check_seats_learn_nothing(game: Game, seed: int, random: Random, limit: int) -> None:
    if not has_secrets(game):
        return
    often = 0.03 if len(game.program.entities) > 500 else 0.15
    log: list[Any] = []
    state = game.start(seed, log)
    count = 0
    while (decision := game.decision(state)) is not None and count < limit:
        if random.random() < often:
            for seat in range(game.players):
                variant = replace_secrets(game.setting, state, seat, random)
                if can_continue(game, variant):
                    assert list_knowledge(game, variant, seat, log) == list_knowledge(game, state, seat, log)
        state = game.apply(state, random.randrange(len(decision.options)), log)
        count += 1


@every_engine
@every_ruleset
@settings(few_examples, max_examples=1)
@given(st.data())
def test_players_can_reach_nothing_hidden(ruleset: Path, engine: str, data: st.DataObject) -> None:
    """Walks everything that a player can reach from its view, by attributes, closures or bound methods. Hidden values
    change nothing of it, and it contains neither a position nor a random stream."""
    check_reachable_secrets(*draw_game(data, ruleset, engine), limit=5 if engine == "evaluator" else 12)


def check_reachable_secrets(game: Game, seed: int, random: Random, limit: int) -> None:
    if not has_secrets(game):
        return
    state = game.start(seed)
    for step in range(limit):
        decision = game.decision(state)
        if decision is None:
            break
        if step % 6 == 1:
            seat = decision.seat
            variant = replace_secrets(game.setting, state, seat, random)
            if can_continue(game, variant):
                assert list_reachable_values(game, state, seat) == list_reachable_values(game, variant, seat)
        state = game.apply(state, random.randrange(len(decision.options)))


def can_continue(game: Game, state: State) -> bool:
    """Return whether the rules can ask the next question. A random hidden number may be one that never occurs."""
    try:
        decision = game.decision(state)
        tuple(decision.options if decision is not None else ())
    except RulesetFault:
        return False
    return True


@cache
def create_belief(game: Game, seat: int) -> BeliefState:
    """Return the belief of a seat that has seen nothing yet."""
    return BeliefState(game, seat)


def list_reachable_values(game: Game, state: State, seat: int) -> list[tuple[str, object]]:
    """Return everything that a player in a seat can reach: plain values, and the types of other objects, with paths."""
    arguments: list[Any] = []

    class Curious(TablePlayer):
        def choose(self, *args: Any) -> int:
            arguments.append(args)
            view = args[0].view
            arguments.append((view.question, view.table(), view.to_json()))  # and so what the view caches
            return 0

    decision = game.decision(state)
    assert decision is not None
    table = DecisionTable(game, game.view(state, seat), create_belief(game, seat))
    Curious().choose(table)
    reachable = list(walk_reachable(arguments, (game.setting, game, table.game)))
    assert not [path for path, value in reachable if isinstance(value, State | Game | Match)]
    streams = {state.cells[cell] for cell in game.layout.streams.values()}
    assert not [path for path, value in reachable if isinstance(value, int) and value in streams]
    return [(path, value if isinstance(value, PLAIN) else type(value)) for path, value in reachable]


def list_knowledge(game: Game, state: State, seat: int, log: list[Any]) -> list[Any]:
    """Return everything that a seat can find out."""
    view = game.view(state, seat)
    decision = game.decision(state)
    options = list(decision.options) if decision is not None and decision.seat == seat else None
    wishes = [] if options is None else list_wishes(game, state)
    panels = build_panels(view, [f"Player {seat}" for seat in range(game.players)])
    return [
        view.to_json(),
        view.table(),
        panels,
        view.phase_label,
        format_information_state(game, view, log),
        options,
        [game.explain_impossible(state, wish) for wish in wishes],
    ]


def list_wishes(game: Game, state: State) -> list[str]:
    """Return the text of an option that a player might want, possible or not: an alternative, perhaps with a value."""
    decision = game.decision(state)
    ask = game.setting.sites[decision.site] if decision is not None else None
    if not isinstance(ask, Ask):
        return []
    options: list[str] = []
    for alternative in ask.alternatives[:12]:
        name = alternative.name or ""
        options.append(name)
        if alternative.vars:
            type = unwrap_list_type(alternative.vars[0].domain.type)
            values = list_all_values(game.setting, type)[:4]
            options += [f"{name} {format_name(game.setting, value, type)}".strip() for value in values]
    return options[len(options) // 3 :][:1]  # only one: explaining takes long


def list_places(setting: Setting) -> list[tuple[str, tuple[int, ...]]]:
    """Return every variable, pool and card zone with each of its indices. Those of a pool leave out the resource."""
    return [(name, at) for name in (*setting.layout.places, *setting.layout.zones) for at in setting.list_indices(name)]


@cache
def list_hidden_places(setting: Setting, seat: int) -> list[tuple[str, tuple[int, ...]]]:
    """Return the places that a seat doesn't always see, according to their declarations."""
    reader = Reader(setting, [], [])
    places = []
    for name, at in list_places(setting):
        place = setting.program.get_place(name)
        if place.visible.condition is not None or not reader.is_visible_to(place.visible, place.dims, at, seat):
            places.append((name, at))
    return places


def replace_secrets(setting: Setting, state: State, seat: int, random: Random) -> State:
    """Return a position that differs in everything that is hidden from a seat.

    Gives hidden variables other values of their types, permutes the numbers in pools, and shuffles hidden components.
    """
    variant = state.copy()
    program, layout = setting.program, setting.layout
    zones: dict[str, list[tuple[int, int]]] = {}
    reader = Reader(setting, state.cells, state.zones)
    for name, at in list_hidden_places(setting, seat):
        place = program.get_place(name)
        if reader.is_visible_to(place.visible, place.dims, at, seat):
            continue
        if name in program.variables:
            cell = layout.places[name].at(at)
            variant.cells[cell] = choose_other_value(setting, program.variables[name].type, variant.cells[cell], random)
        elif name in program.pools:
            cells = [layout.places[name].at((*at, kind)) for kind in program.pools[name].kinds]
            numbers = [variant.cells[cell] for cell in cells]
            random.shuffle(numbers)
            for cell, number in zip(cells, numbers, strict=True):
                variant.cells[cell] = number
        else:
            zone, number = program.zones[name], layout.zones[name].at(at)
            top, bottom = (
                end is not None and reader.is_visible_to(end, zone.dims, at, seat) for end in (zone.top, zone.bottom)
            )
            last = len(variant.zones[number]) - 1
            hidden_indexes = [i for i in range(last + 1) if not ((top and i == 0) or (bottom and i == last))]
            zones.setdefault(str(zone.holds), []).extend((number, i) for i in hidden_indexes)
    for spots in zones.values():
        cards = [variant.zones[number][i] for number, i in spots]
        random.shuffle(cards)
        for (number, i), card in zip(spots, cards, strict=True):
            variant.zones[number][i] = card
            variant.cells[layout.location + card] = number
    return variant


def choose_other_value(setting: Setting, type: Type, value: Any, random: Random) -> Any:
    if isinstance(type, IntType):
        return random.randint(0, 9)
    if isinstance(type, ListType):
        return tuple(random.sample(value, len(value)))
    if isinstance(type, OptionalType) and isinstance(type.item, IntType):
        return random.choice([None, 0, 1, 2])
    choices = list_all_values(setting, type)
    return random.choice(choices) if choices else value


HARMLESS = {
    "used": "the first copy of a name stores this for all copies, so it reveals only the name",
    "handed": "the partner has accepted the offer, and hands these cards over as soon as all are chosen",
    "receiver": "as above",
    "spot": "as above",
}
"""Variables of Engines of War that change for hidden cards without revealing anything -> the reason."""


@every_ruleset
@few_examples
@given(st.data())
def test_public_variables_do_not_reveal_hidden_cards(ruleset: Path, data: st.DataObject) -> None:
    """A visible variable of one component changes only if the seat sees the component before, after or during the step.
    Otherwise it would reveal which cards were just dealt or drawn."""
    game, seed, random = draw_game(data, ruleset, "compiled")
    if not find_component_variables(game):
        return
    log: list[Any] = []
    before = game.start(seed + 1, log)
    state = game.start(seed, log)  # compared with another deal, since equal values reveal nothing
    count = 0
    while True:
        for seat in range(game.players):
            assert find_leaks(game, before, state, seat, log) == []
        if (decision := game.decision(state)) is None or count == 40:
            return
        log = []
        before, state = state, game.apply(state, random.randrange(len(decision.options)), log)
        count += 1


def find_leaks(game: Game, before: State, after: State, seat: int, log: list[Any]) -> list[str]:
    """Return the visible variables that changed for components that the seat has not seen.

    A variable that has the same value for all components reveals nothing about any of them.
    """
    view_after = game.view(after, seat)
    values: dict[str, set[Any]] = {}
    for cell, (name, _, _) in find_component_variables(game).items():
        values.setdefault(name, set()).add(after.cells[cell])
    changes = [
        (name, at, cards)
        for cell, (name, at, cards) in find_component_variables(game).items()
        if before.cells[cell] != after.cells[cell]
        and not (game.program.id == "engines-of-war" and name in HARMLESS)
        and view_after.can_see(name, at)
        and len(values[name]) > 1
    ]
    if not changes:
        return []
    seen_cards = {card for event in log if event[0] == "cards" and event[-1] >> seat & 1 for card in event[1]}
    for view in (game.view(before, seat), view_after):
        for name, place in game.layout.zones.items():
            for at in place.list_indices():
                if view.can_see(name, at):
                    seen_cards.update(view.redacted_state.zones[place.at(at)])
    return [
        format_place_name(game.setting, game.layout.places[name], at)
        for name, at, cards in changes
        if not cards <= seen_cards
    ]


@cache
def find_component_variables(game: Game) -> dict[int, tuple[str, tuple[int, ...], frozenset[int]]]:
    """Return the cells of variables that are indexed by components: cell -> name, indices and those components."""
    program, layout = game.program, game.layout
    cells = {}
    for name, at in list_places(game.setting):
        if name in program.variables:
            dims = program.variables[name].dims
            cards = frozenset(i for i, dim in zip(at, dims, strict=True) if isinstance(dim.type, ComponentType))
            if cards:
                cells[layout.places[name].at(at)] = (name, at, cards)
    return cells


@every_ruleset
@few_examples
@given(st.data())
def test_a_redacted_log_contains_nothing_hidden(ruleset: Path, data: st.DataObject) -> None:
    """Redacting again changes nothing, and every field that is marked as hidden from the seat is empty."""
    game, seed, random = draw_game(data, ruleset, "compiled")
    log: list[Any] = []
    state = game.start(seed, log)
    while (decision := game.decision(state)) is not None and len(log) < 400:
        state = game.apply(state, random.randrange(len(decision.options)), log)
    for seat in range(game.players):
        redacted_log = redact_log(log, seat, game)
        assert redact_log(redacted_log, seat, game) == redacted_log
        for event in redacted_log:
            if event[0] in ("set", "move", "cards", "random") and not event[-1] >> seat & 1:
                hidden_fields = {"set": (3,), "move": (1, 2), "cards": (1,), "random": (2,)}[event[0]]
                assert all(event[i] is None or set(event[i]) == {None} for i in hidden_fields)
