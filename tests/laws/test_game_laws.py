"""Laws that hold for every ruleset in the house, on every engine, in random games.

A game ends; its invariants hold at every decision; states are values; and a seat learns nothing that is hidden from it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from programs import RULESETS, bundled_game, is_large, player_numbers
from reachable import PLAIN, reachable

from lusory.belief.belief_state import BeliefState
from lusory.evaluator.expressions import Reader
from lusory.evaluator.invariants import InvariantWatch, find_breaches
from lusory.game import ENGINES, Game
from lusory.play.decision_information_and_simple_players import DecisionTable
from lusory.play.match import Match, ask_player
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
from lusory.view.seat_view import format_information_state
from lusory.view.table_and_option_text import list_all_values
from lusory_dsl.core import Ask
from lusory_dsl.types.types import ComponentType, IntType, ListType, OptionalType, Type

MOST_DECISIONS = 5_000  # of one game

seeds = st.integers(0, 2**32)
few = settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
every_engine = pytest.mark.parametrize("engine", ENGINES)
every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda path: path.name)


def drawn_game(data: st.DataObject, ruleset: Path, engine: str) -> tuple[Game, int, Random]:
    players = data.draw(st.sampled_from(player_numbers(ruleset.name)), label="players")
    seed = data.draw(seeds, label="seed")
    return bundled_game(ruleset.name, players, engine), seed, Random(seed)


def through_json(state: State) -> State:
    return State.from_json(json.loads(json.dumps(state.to_json())))


@every_engine
@every_ruleset
@few
@given(st.data())
def test_a_random_game(ruleset: Path, engine: str, data: st.DataObject) -> None:
    """It ends; the invariants hold; applying leaves the old state alone; an option's id and its number mean the same;
    a state that went through JSON plays on as the one that did not. Of a large ruleset the first decisions must do, and
    every fifth position of those; test_rulesets.py plays to the end. codegen/test_engines.py compares whole games of
    both engines.
    """
    most = 25 if engine == "evaluator" else 100 if is_large(ruleset.name) else None
    assert_laws_of_a_game(*drawn_game(data, ruleset, engine), most=most)


def assert_laws_of_a_game(played: Game, seed: int, random: Random, most: int | None = None) -> None:
    log: list[Any] = []
    other_log: list[Any] = []
    state = played.start(seed, log)
    other = through_json(played.start(seed, other_log))
    count = 0
    every = 5 if len(played.program.entities) > 500 else 1
    while (decision := played.decision(state)) is not None:
        describe_thing = count % every == 0
        assert not describe_thing or [i.id for i in played.broken_invariants(state)] == []
        assert played.outcome(state) is None
        assert len(decision.options) > 1
        ids = played.option_ids(state, decision)
        assert len(set(ids)) == len(ids)
        old, before = state, state.copy()
        index = random.randrange(len(ids))
        other = played.apply(through_json(other) if describe_thing else other, ids[index], other_log)
        state = played.apply(state, index, log)
        assert old == before
        assert hash(state) == hash(other)
        assert state == other
        count += 1
        assert count < MOST_DECISIONS, "the game does not end"
        if count == most:
            return
    assert log == other_log
    assert [i.id for i in played.broken_invariants(state)] == []
    outcome = played.outcome(state)
    assert outcome is not None
    assert outcome.winners == tuple(seat for seat, place in enumerate(outcome.places) if place == 1)
    assert outcome.winners or played.program.scoring.is_selective  # an ending can be nobody's victory


@every_ruleset
@few
@given(st.data())
def test_what_is_known_of_invariants_is_so(ruleset: Path, data: st.DataObject) -> None:
    """Some are passed over, since what they read is as it was; the others are looked at: also after a cell or two lists
    have become something else."""
    played, seed, random = drawn_game(data, ruleset, "evaluator")
    watched = [invariant for invariant in played.program.invariants if not invariant.is_law]
    state = played.start(seed)
    for _ in range(6):
        changed = state.copy()
        cell = random.randrange(played.layout.location)
        if isinstance(changed.cells[cell], int):
            changed.cells[cell] += random.choice((-1, 1))
        one, other = random.choices(changed.zones or [[]], k=2)
        one[:], other[:] = other[:], one[:]
        for position in (state, played.locate_components(changed)):
            reader = Reader(played.setting, position.cells, position.zones)
            with suppress(RulesetFault, IndexError, KeyError):  # such a change may leave nothing that makes sense
                expected = [broken for invariant in watched for broken in find_breaches(reader, invariant)]
                assert InvariantWatch(played.setting).find_violations(position) == expected
                assert [b for b in played.broken_invariants(position) if not b.invariant.is_law] == expected
        decision = played.decision(state)
        if decision is None:
            break
        state = played.apply(state, random.randrange(len(decision.options)))


@every_engine
@every_ruleset
@few
@given(st.data())
def test_a_seat_learns_nothing_that_is_hidden_from_it(ruleset: Path, engine: str, data: st.DataObject) -> None:
    """Whatever a seat cannot see is changed: its view, its options and its information state stay the same. Of a large
    ruleset some decisions of each phase must do: what can be seen of hundreds of cards is much to compare."""
    assert_nothing_is_learnt(*drawn_game(data, ruleset, engine), most=20 if engine == "evaluator" else 60)


def has_secrets(played: Game) -> bool:
    """Return whether anything is hidden from a seat: a place, or what a random stream will give."""
    program = played.program
    places = (*program.variables, *program.pools, *program.zones)
    return bool(played.layout.streams) or any(program.get_place(name).visible.constant != "all" for name in places)


def assert_nothing_is_learnt(played: Game, seed: int, random: Random, most: int) -> None:
    if not has_secrets(played):
        return
    often = 0.03 if len(played.program.entities) > 500 else 0.15
    log: list[Any] = []
    state = played.start(seed, log)
    count = 0
    while (decision := played.decision(state)) is not None and count < most:
        if random.random() < often:
            for seat in range(played.players):
                changed = with_other_secrets(played.setting, state, seat, random)
                if goes_on(played, changed):
                    assert known(played, changed, seat, log) == known(played, state, seat, log)
        state = played.apply(state, random.randrange(len(decision.options)), log)
        count += 1


@every_engine
@every_ruleset
@settings(few, max_examples=1)
@given(st.data())
def test_what_a_player_is_given_holds_nothing_hidden(ruleset: Path, engine: str, data: st.DataObject) -> None:
    """Everything that can be reached from the view which a seat is given, by attributes, closures or bound methods, is
    the same whatever is hidden from the seat; and neither a position nor a random stream is among it."""
    assert_what_is_given_hides_it(*drawn_game(data, ruleset, engine), most=5 if engine == "evaluator" else 12)


def assert_what_is_given_hides_it(played: Game, seed: int, random: Random, most: int) -> None:
    if not has_secrets(played):
        return
    state = played.start(seed)
    for step in range(most):
        decision = played.decision(state)
        if decision is None:
            break
        if step % 6 == 1:
            seat = decision.seat
            changed = with_other_secrets(played.setting, state, seat, random)
            if goes_on(played, changed):
                assert given_to(played, state, seat) == given_to(played, changed, seat)
        state = played.apply(state, random.randrange(len(decision.options)))


def goes_on(played: Game, state: State) -> bool:
    """Whether the rules can ask anything in a position: a hidden number may have become one that never comes up."""
    try:
        decision = played.decision(state)
        tuple(decision.options if decision is not None else ())
    except RulesetFault:
        return False
    return True


@cache
def fresh_belief(played: Game, seat: int) -> BeliefState:
    """That of a seat which has seen nothing yet."""
    return BeliefState(played, seat)


def given_to(played: Game, state: State, seat: int) -> list[tuple[str, object]]:
    """What a player in a seat can reach: plain values, and the kinds of the objects on the way to them."""
    asked: list[Any] = []

    class Curious:
        name, looks = "curious", True

        def choose(self, *given: Any) -> int:
            asked.append(given)
            view = given[0].view
            asked.append((view.question, view.table(), view.to_json()))  # what it remembers when it was looked at
            return 0

    decision = played.decision(state)
    assert decision is not None
    table = DecisionTable(played, played.view(state, seat), fresh_belief(played, seat))
    ask_player(Curious(), len(decision.options), table)  # type: ignore[arg-type]
    found = list(reachable(asked, (played.setting, played, table.game)))
    assert not [way for way, value in found if isinstance(value, State | Game | Match)]
    streams = {state.cells[cell] for cell in played.layout.streams.values()}
    assert not [way for way, value in found if isinstance(value, int) and value in streams]
    return [(way, value if isinstance(value, PLAIN) else type(value)) for way, value in found]


def known(played: Game, state: State, seat: int, log: list[Any]) -> list[Any]:
    """Everything that a seat can find out."""
    view = played.view(state, seat)
    decision = played.decision(state)
    mine = list(decision.options) if decision is not None and decision.seat == seat else None
    refused = [] if mine is None else [played.explain_impossible(state, wanted) for wanted in wishes(played, state)]
    drawn = build_panels(view, [f"Player {seat}" for seat in range(played.players)])
    return [
        view.to_json(),
        view.table(),
        drawn,
        view.phase_label,
        format_information_state(played, view, log),
        mine,
        refused,
    ]


def wishes(played: Game, state: State) -> list[str]:
    """What somebody might like to choose, possible or not: an alternative, alone and with a first value."""
    decision = played.decision(state)
    ask = played.setting.sites[decision.site] if decision is not None else None
    if not isinstance(ask, Ask):
        return []
    found: list[str] = []
    for alternative in ask.alternatives[:12]:
        name = alternative.name or ""
        found.append(name)
        if alternative.vars:
            type = unwrap_list_type(alternative.vars[0].domain.type)
            values = list_all_values(played.setting, type)[:4]
            found += [f"{name} {format_name(played.setting, value, type)}".strip() for value in values]
    return found[len(found) // 3 :][:1]  # one of them: reasons take time


def list_places(setting: Setting) -> list[tuple[str, tuple[int, ...]]]:
    """Every variable, pool and card zone, with each of its index tuples; those of a pool are without the kind."""
    return [(name, at) for name in (*setting.layout.places, *setting.layout.zones) for at in setting.list_indices(name)]


@cache
def not_always_seen(setting: Setting, seat: int) -> list[tuple[str, tuple[int, ...]]]:
    """The places that a seat doesn't see at all times, as declared, whatever the view makes of it."""
    reader = Reader(setting, [], [])
    found = []
    for name, at in list_places(setting):
        declared = setting.program.get_place(name)
        if declared.visible.condition is not None or not reader.is_visible_to(
            declared.visible, declared.dims, at, seat
        ):
            found.append((name, at))
    return found


def with_other_secrets(setting: Setting, state: State, seat: int, random: Random) -> State:
    """A position that differs in everything that is hidden from a seat: variables have other values of their type,
    the numbers in pools are exchanged, components have changed places, but for those at an end that the seat sees."""
    changed = state.copy()
    program, layout = setting.program, setting.layout
    zones: dict[str, list[tuple[int, int]]] = {}
    reader = Reader(setting, state.cells, state.zones)
    for name, at in not_always_seen(setting, seat):
        declared = program.get_place(name)
        if reader.is_visible_to(declared.visible, declared.dims, at, seat):
            continue
        if name in program.variables:
            cell = layout.places[name].at(at)
            changed.cells[cell] = other_value(setting, program.variables[name].type, changed.cells[cell], random)
        elif name in program.pools:
            cells = [layout.places[name].at((*at, kind)) for kind in program.pools[name].kinds]
            numbers = [changed.cells[cell] for cell in cells]
            random.shuffle(numbers)
            for cell, number in zip(cells, numbers, strict=True):
                changed.cells[cell] = number
        else:
            zone, number = program.zones[name], layout.zones[name].at(at)
            top, bottom = (
                end is not None and reader.is_visible_to(end, zone.dims, at, seat) for end in (zone.top, zone.bottom)
            )
            last = len(changed.zones[number]) - 1
            hidden = [i for i in range(last + 1) if not ((top and i == 0) or (bottom and i == last))]
            zones.setdefault(str(zone.holds), []).extend((number, i) for i in hidden)
    for spots in zones.values():
        cards = [changed.zones[number][i] for number, i in spots]
        random.shuffle(cards)
        for (number, i), card in zip(spots, cards, strict=True):
            changed.zones[number][i] = card
            changed.cells[layout.location + card] = number
    return changed


def other_value(setting: Setting, type: Type, value: Any, random: Random) -> Any:
    if isinstance(type, IntType):
        return random.randint(0, 9)
    if isinstance(type, ListType):
        return tuple(random.sample(value, len(value)))
    if isinstance(type, OptionalType) and isinstance(type.item, IntType):
        return random.choice([None, 0, 1, 2])
    choices = list_all_values(setting, type)
    return random.choice(choices) if choices else value


KNOWN_SOON = {
    "used": "the first copy of a name keeps this for all copies, so that it tells only the name",
    "handed": "the partner has accepted the offer, and gives these cards as soon as all are chosen",
    "receiver": "as above",
    "spot": "as above",
}
"""Variables of Engines of War that change about hidden cards but tell nothing, with the reason."""


@every_ruleset
@few
@given(st.data())
def test_what_all_see_of_a_card_does_not_tell_where_it_is_hidden(ruleset: Path, data: st.DataObject) -> None:
    """What a seat sees about a single component (whose it is, what it has suffered) changes only where the seat sees
    the component, before, after or on the way: else it would tell which cards were just dealt, drawn or brought."""
    played, seed, random = drawn_game(data, ruleset, "compiled")
    if not about_components(played):
        return
    log: list[Any] = []
    before = played.start(seed + 1, log)
    state = played.start(seed, log)  # what another beginning has in common tells nothing
    count = 0
    while True:
        for seat in range(played.players):
            assert told_of_hidden(played, before, state, seat, log) == []
        if (decision := played.decision(state)) is None or count == 40:
            return
        log = []
        before, state = state, played.apply(state, random.randrange(len(decision.options)), log)
        count += 1


def told_of_hidden(played: Game, before: State, after: State, seat: int, log: list[Any]) -> list[str]:
    """What a seat sees to have changed about components that it has not seen.

    A variable that has the same value for all components tells nothing about one of them.
    """
    later = played.view(after, seat)
    values: dict[str, set[Any]] = {}
    for cell, (name, _, _) in about_components(played).items():
        values.setdefault(name, set()).add(after.cells[cell])
    told = [
        (name, at, cards)
        for cell, (name, at, cards) in about_components(played).items()
        if before.cells[cell] != after.cells[cell]
        and not (played.program.id == "engines-of-war" and name in KNOWN_SOON)
        and later.can_see(name, at)
        and len(values[name]) > 1
    ]
    if not told:
        return []
    seen = {card for event in log if event[0] == "cards" and event[-1] >> seat & 1 for card in event[1]}
    for view in (played.view(before, seat), later):
        for name, place in played.layout.zones.items():
            for at in place.list_indices():
                if view.can_see(name, at):
                    seen.update(view.redacted.zones[place.at(at)])
    return [
        format_place_name(played.setting, played.layout.places[name], at)
        for name, at, cards in told
        if not cards <= seen
    ]


@cache
def about_components(played: Game) -> dict[int, tuple[str, tuple[int, ...], frozenset[int]]]:
    """For each cell of a variable with components among its indices: name and indices, and which components."""
    program, layout = played.program, played.layout
    found = {}
    for name, at in list_places(played.setting):
        if name in program.variables:
            dims = program.variables[name].dims
            cards = frozenset(i for i, dim in zip(at, dims, strict=True) if isinstance(dim.type, ComponentType))
            if cards:
                found[layout.places[name].at(at)] = (name, at, cards)
    return found


@every_ruleset
@few
@given(st.data())
def test_a_redacted_log_never_tells_a_seat_what_it_does_not_see(ruleset: Path, data: st.DataObject) -> None:
    """Redacting once is enough, and everything of others that is marked as hidden is gone."""
    played, seed, random = drawn_game(data, ruleset, "compiled")
    log: list[Any] = []
    state = played.start(seed, log)
    while (decision := played.decision(state)) is not None and len(log) < 400:
        state = played.apply(state, random.randrange(len(decision.options)), log)
    for seat in range(played.players):
        told = redact_log(log, seat, played)
        assert redact_log(told, seat, played) == told
        for event in told:
            if event[0] in ("set", "move", "cards", "random") and not event[-1] >> seat & 1:
                hidden = {"set": (3,), "move": (1, 2), "cards": (1,), "random": (2,)}[event[0]]
                assert all(event[i] is None or set(event[i]) == {None} for i in hidden)
