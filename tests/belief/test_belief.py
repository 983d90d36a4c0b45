"""Belief states: updates, recovery after refuted steps, and samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest
from belief.laws import Results, check_laws
from engines import check_ruleset, generate_ruleset
from programs import build_program as read, create_bundled_game, read_data, read_rules

from lusory.belief.backtracking_to_earlier_steps import Backtracker
from lusory.belief.belief_state import STEP_BUDGET, BeliefState, Determinization
from lusory.belief.dictated_chance_and_component_permutations import ChanceOutcomes, ChanceScript, Rng, restrict
from lusory.belief.hidden_information_and_event_subjects import HiddenInfo, has_perfect_information
from lusory.belief.inference_of_hidden_actions import _PathSearch, search_paths
from lusory.belief.observation_and_matching import observe
from lusory.game import ENGINES, Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.events_redaction_and_text import Event, announced, redact_log
from lusory.state.state import State
from lusory_dsl.core import Program

DATA = read_data(__file__)


def create_game(name: str, players: int | None = None, options: dict[str, object] | None = None) -> Game:
    return create_bundled_game(name.rpartition("/")[-1], players, options=options)


def play_random_game(
    game: Game, decisions: int, seed: int = 1, seats: Sequence[int] | None = None
) -> tuple[State, list[BeliefState]]:
    """Play a game at random. Return its state and the belief states of all seats, or of some."""
    rnd, log, seats = Random(seed), list[Event](), range(game.players) if seats is None else seats
    state, beliefs = game.start(seed, log), [BeliefState(game, seat) for seat in seats]
    for number in range(decisions + 1):
        for seat, belief in zip(seats, beliefs, strict=True):
            belief.update(game.view(state, seat), redact_log(log, seat, game))
        decision = game.decision(state)
        if decision is None or number == decisions:
            break
        log.clear()
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    return state, beliefs


@pytest.mark.parametrize("engine", ENGINES)
def test_perfect_information_sample_is_the_state_with_new_random_streams(engine: str) -> None:
    game = create_bundled_game("tic-tac-toe", engine=engine)
    state, beliefs = play_random_game(game, 4)
    for seat, belief in enumerate(beliefs):
        (sample,) = belief.sample(1, 7)
        assert sample.is_exact
        assert sample.state.cells[: game.layout.repeats_begin] == state.cells[: game.layout.repeats_begin]
        assert observe(game.view(state, seat), ()) == observe(belief.game.view(sample.state, seat), ())


def test_same_seed_gives_same_samples() -> None:
    game = create_game("templates/market-day")
    _, beliefs = play_random_game(game, 4)
    assert beliefs[0].sample(3, 1) == beliefs[0].sample(3, 1)
    assert beliefs[0].sample(3, 1) != beliefs[0].sample(3, 2)


def test_recovery_without_exact_checkpoints_ends() -> None:
    game = create_game("templates/market-day")
    _, (belief, _) = play_random_game(game, 0)
    belief.particles = [particle._replace(is_exact=False) for particle in belief.particles]
    belief._store_checkpoint(0)
    assert belief._recover(1) == []


def test_steps_of_inexact_particles_cost_no_more_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    game, budgets = create_game("templates/market-day"), list[int]()
    _, (belief, _) = play_random_game(game, 1)
    stepper, observation = belief.stepper, belief.observations[-1]
    belief.particles = [stepper.patch(particle, observation) for particle in belief.particles]

    def sample_no_transitions(*_: object) -> Iterator[object]:
        budgets.append(stepper.budget)
        yield from ()

    monkeypatch.setattr(stepper, "sample_transitions", sample_no_transitions)
    assert belief._advance_each(observation) == []
    assert {*budgets} == {STEP_BUDGET}


def test_view_of_another_seat_is_refused() -> None:
    game = create_game("templates/market-day")
    with pytest.raises(ValueError, match="another seat"):
        BeliefState(game, 0).update(game.view(game.start(1), 1), [])


SETTINGS: list[tuple[str, int, dict[str, object], int, bool]] = DATA["settings"]
"""Every ruleset with hidden information: players, options, decisions, and whether all samples can be replayed.

``python -m tests.belief`` tries them with all values of their options.
"""


@pytest.mark.parametrize(("name", "players", "options", "most", "is_replayed"), SETTINGS)
def test_samples_agree_with_observations_and_ignore_hidden_state(
    name: str, players: int, options: dict[str, object], most: int, is_replayed: bool
) -> None:
    game, results = create_game(name, players, options), Results()
    for seed in range(2 if most > 5 else 1):
        check_laws(game, seed, results, max_decisions=most, every=2)
    assert not results.violations
    assert results.exact == results.samples > 0
    assert results.n_replayed == results.exact or not is_replayed


def test_sampling_does_not_change_later_samples() -> None:
    """The particles have several dependent steps. Sampling simulates them again and must not keep anything of it."""
    results = Results()
    check_laws(create_game("classics/demesne"), 1, results, max_decisions=11, every=5)
    assert not results.violations
    assert results.n_replayed == results.exact == results.samples > 0


def test_wrong_guess_excludes_the_guessed_card() -> None:
    """Only one of a dozen hidden cards would have made the guess right, so each must be tried."""
    results = Results()
    check_laws(create_game("classics/love-letter", 4), 1, results, max_decisions=30, every=3)
    assert results.n_replayed == results.exact >= 40


def test_long_private_sequences_are_explained() -> None:
    """One offer is put together in 26 private actions."""
    results = Results()
    check_laws(create_game("engines-of-war", 2), 2, results, max_decisions=45, every=9)
    assert not results.violations
    assert results.exact == results.samples > 0


@pytest.mark.parametrize("number", [4, 20, 42, 90, 94])
def test_laws_hold_for_random_rulesets(number: int) -> None:
    """Some generated rulesets with hidden information are played."""
    made_program = check_ruleset(generate_ruleset(number))
    assert made_program is not None
    game, results = Game(made_program), Results()
    assert not has_perfect_information(game)
    with suppress(RulesetFault):  # a generated game may end in a fault
        check_laws(game, 1, results, max_decisions=12, every=2)
    assert not results.violations
    assert results.exact == results.samples > 0


@pytest.mark.parametrize(("source", "hides_only_components"), [("hand", True), ("1..4", False)])
def test_only_components_are_hidden_if_secret_choices_of_several_items_are_of_components(
    source: str, hides_only_components: bool
) -> None:
    game = Game(check_ruleset(DATA["several"].replace("SOURCE", source)))
    assert HiddenInfo(game).hides_only_components is hides_only_components


def test_zones_are_grouped_by_kinds_without_components_too() -> None:
    game = Game(read(DATA["kinds"]))
    info = HiddenInfo(game)
    assert info.zone_kinds == ("Card", "Token")
    assert info.group_zones_by_kind([0, 1]) == {"Card": 1, "Token": 2}
    assert info.group_zones_by_kind([0]) == {"Card": 1, "Token": 0}


HARD_STEPS = DATA["hard steps"]
"""Ruleset, players, seed, decision and seat of steps that once refuted all particles, each with the reason."""


@pytest.mark.parametrize(("name", "players", "seed", "decisions", "seat"), HARD_STEPS)
def test_particles_survive_hard_steps(name: str, players: int, seed: int, decisions: int, seat: int) -> None:
    belief = play_and_recover(create_game(name, players), seed, decisions, seat, is_recover=False)
    assert all(particle.is_exact for particle in belief.particles)


def play_and_recover(game: Game, seed: int, decisions: int, seat: int, is_recover: bool) -> BeliefState:
    """Play a game at random. Return the belief state of one seat, with or without recovery in the last step."""
    rnd, log = Random(seed), list[Event]()
    state, belief = game.start(seed, log), BeliefState(game, seat)
    for _ in range(decisions):
        belief.update(game.view(state, seat), redact_log(log, seat, game))
        decision = game.decision(state)
        assert decision is not None
        log.clear()
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    if not is_recover:
        belief._recover = lambda *_: []  # type: ignore[method-assign]
    belief.update(game.view(state, seat), redact_log(log, seat, game))
    return belief


def test_secret_actions_of_several_seats_are_changed() -> None:
    """The first differing event shows whose action must change, and hindsight shows to what."""
    belief = play_and_recover(create_game("empire-city", 3), 0, 12, 0, is_recover=True)
    assert all(particle.is_exact for particle in belief.particles)


def play_two_seats(name: str, seed: int, decisions: int, seat: int) -> tuple[State, BeliefState]:
    """Play a game of two seats at random. Return its state and the belief state of one seat."""
    state, (belief,) = play_random_game(create_game(name, 2), decisions, seed, [seat])
    return state, belief


@pytest.mark.parametrize(("seed", "decisions", "seat"), DATA["private offers"])
def test_path_search_explains_private_offers(seed: int, decisions: int, seat: int) -> None:
    _, belief = play_two_seats("engines-of-war", seed, decisions, seat)
    assert not any(belief.observations[-1 - n].events for n in range(1, 3))
    assert all(particle.is_exact for particle in belief.particles)
    for sample in belief.sample(2, 1):
        assert shows_last_observation(belief, sample.state)


def shows_last_observation(belief: BeliefState, state: State) -> bool:
    """Return whether a state looks to the seat as it did after the last step."""
    observation = belief.observations[-1]
    return observe(belief.game.view(state, belief.seat), observation.events) == observation


LETTERS = read_rules("letters")


def play_picks(game: Game, picks: Iterable[str]) -> BeliefState:
    """Play options by their numbers. Return the belief state of the second seat."""
    log = list[Event]()
    state, belief = game.start(1, log), BeliefState(game, 1)
    belief.update(game.view(state, 1), redact_log(log, 1, game))
    for pick in picks:
        log.clear()
        state = game.apply(state, int(pick), log)
        belief.update(game.view(state, 1), redact_log(log, 1, game))
    return belief


@pytest.mark.parametrize("picks", DATA["sparse announcements"])
def test_path_search_explains_sparse_announcements(picks: str) -> None:
    """An announcement leaves out missing values, so a short line needs as many actions as a long one."""
    belief = play_picks(Game(read(LETTERS)), picks.replace("- ", "").split())
    assert any(event[0] == "announce" for event in belief.observations[-1].events)
    assert all(particle.is_exact for particle in belief.particles)


@pytest.mark.parametrize("budget", [100, 12_000])
def test_path_search_keeps_each_observation_and_its_budget(monkeypatch: pytest.MonkeyPatch, budget: int) -> None:
    """The same hidden values come before and after the door opens. Without an end, climbs soon find nothing new."""
    belief = play_picks(Game(read(DATA["door"])), "0011130202224")
    stepper, observations, particles = belief.stepper, belief.observations, belief._checkpoints[0]
    stepper.budget = 12_000
    found = search_paths(Backtracker(stepper, observations, {}), particles, 8)
    assert {particle.history[6].action for particle in found} == {(3, ())}
    observations = [*observations[:-1], replace(observations[-1], events=(announced("never", 3),))]
    stepper.budget, steps, choose_edge = budget, list[object](), _PathSearch._choose_edge
    monkeypatch.setattr(_PathSearch, "_choose_edge", lambda *args: steps.append(args) or choose_edge(*args))
    assert search_paths(Backtracker(stepper, observations, {}), particles, 8) == []
    assert (stepper.budget >= 0, len(steps) < 30_000) == (True, True)


def test_other_copies_of_a_chosen_card_are_not_excluded() -> None:
    state, belief = play_two_seats("engines-of-war", 0, 49, 0)
    location, missing = belief.game.layout.location, set[int]()
    for particle in belief.particles:
        assert particle.is_exact
        zones_by_card = particle.zone_masks.items()
        missing |= {card for card, zones in zones_by_card if not zones >> state.cells[location + card] & 1}
    assert not missing


def test_hidden_component_of_a_choice_is_found_in_the_next_move() -> None:
    """The second component of the choice is visible, but not the one that was chosen first."""
    game, log = Game(read(DATA["gift"])), list[Event]()
    start = game.start(1)
    game.apply(start, 0, log)
    choice, *later_events = redact_log(log, 1, game)
    assert choice[0] == "choice" and choice.values == ("?", 2)
    assert BeliefState(game, 1).stepper._find_chosen_component(choice, later_events) == 0


def test_repeated_shuffle_keeps_the_order_of_remaining_cards() -> None:
    lots = ChanceOutcomes()
    guide = ChanceScript((), Rng(1, "a test"), lots)
    guide.take_shuffle([1, 2, 3, 4])
    lots.orders[0][:] = [4, 2, 1, 3]
    for cards, order in (([5, 2, 3, 4], (4, 2, 5, 3)), ([2, 3, 4], (4, 2, 3)), ([2, 3, 4, 6], (4, 2, 3, 6))):
        again = ChanceScript((), Rng(1, "a test"), lots)
        assert again.take_shuffle(cards) == (order,)


def test_empty_order_of_a_shuffle_is_never_changed() -> None:
    outcomes = ChanceOutcomes([[]])
    outcomes.change(1, False, Rng(1, "test"))
    assert outcomes.orders == [[]]


@pytest.mark.parametrize(("permutation", "fixed_cards", "expected"), DATA["restrict closes cycles"])
def test_restrict_closes_cycles_over_moved_components(
    permutation: dict[int, int], fixed_cards: list[int], expected: dict[int, int]
) -> None:
    assert restrict(permutation, set(fixed_cards)) == expected


def test_secret_deck_lists_are_changed_when_revealed() -> None:
    """Decks and other choices of the setup are secret. Later steps reveal parts of them."""
    _, beliefs = play_random_game(create_game("empire-city", 2), 18)
    for belief in beliefs:
        assert belief.particles[0].is_exact
        assert all(len(particle.history) == len(belief.observations) for particle in belief.particles)
        for sample in belief.sample(2, 1):
            assert sample.is_exact
            assert shows_last_observation(belief, sample.state)


def test_resampled_recent_steps_reach_the_present() -> None:
    game = create_game("engines-of-war", 2)
    _, beliefs = play_random_game(game, 22)
    for belief in beliefs:
        with_branch_points = [sample for sample in belief.particles if sample.branch_points]
        belief.stepper.budget = 400
        backtracker = Backtracker(belief.stepper, belief.observations, belief._revelations)
        samples = backtracker.resample_recent(with_branch_points, 2)
        assert bool(samples) == bool(with_branch_points)
        for sample in samples:
            assert sample.is_exact
            assert len(sample.history) == len(belief.observations)
            assert shows_last_observation(belief, sample.state)
    assert any(sample.branch_points for belief in beliefs for sample in belief.particles)


def test_announcements_do_not_reveal_who_else_heard_them() -> None:
    game = create_game("templates/market-day")
    assert redact_log([announced("psst", 0b11), announced("hush", 0b10)], 0, game) == [announced("psst", 0b01)]


class Cheater(BeliefState):
    """A belief state that returns the true state."""

    truth: State | None = None

    def sample(self, n: int, seed: int) -> list[Determinization]:
        assert self.truth is not None
        return [Determinization(self.truth.copy(), is_exact=True) for _ in range(n)]


@pytest.mark.parametrize("name", ["classics/kuhn-poker", "templates/market-day", "empire-engine"])
def test_laws_detect_a_belief_state_that_knows_the_truth(name: str) -> None:
    game, results = create_game(name), Results()
    for seed in range(6):
        check_laws(game, seed, results, max_decisions=6, every=1, make_belief=Cheater)
    assert any(words.endswith("samples depend on the hidden state") for words in results.violations)


def list_reachable(root: object) -> dict[int, object]:
    """Return every object that can be reached from one, except the game and its rules."""
    objects: dict[int, object] = {}
    todo = [root]
    while todo:
        value = todo.pop()
        if id(value) in objects or isinstance(value, Game | Program | type | str | int | None):
            continue
        objects[id(value)] = value
        todo += [*value.values(), *value.keys()] if isinstance(value, dict) else []
        todo += value if isinstance(value, list | tuple | set | frozenset) else []
        todo += vars(value).values() if hasattr(value, "__dict__") else []
        todo += [getattr(value, name) for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)]
    return objects


def test_belief_state_holds_no_reference_to_the_match() -> None:
    """Hold neither the state, nor one of its lists, nor an equal state with hidden zones."""
    game = create_game("templates/market-day")
    state, beliefs = play_random_game(game, 10)
    for belief in beliefs:
        objects = list_reachable(belief)
        zones = [zone for zone, start in zip(state.zones, game.start(0).zones, strict=True) if zone is not start]
        assert not objects.keys() & {id(state), id(state.cells), id(state.zones), *map(id, zones)}
        assert not any(isinstance(value, State) and value.zones == state.zones for value in objects.values())


def test_seat_that_did_not_follow_suit_has_no_card_of_it() -> None:
    """A discard on another suit excludes that suit from the hand in every sample."""
    game = create_game("classics/hearts")
    cards, hands = game.program.entities, game.layout.zones["hand"]
    rnd, log, log_length = Random(3), list[Event](), 0
    state, belief = game.start(3, log), BeliefState(game, 0)
    led_suit, without, n_checks = None, set[tuple[int, object]](), 0
    while (decision := game.decision(state)) is not None and len(belief.observations) < 40:
        for event in log[log_length:]:
            if event[0] == "set" and event[1] == "led":
                led_suit = event[3]
            elif event[0] == "cards" and event[2] == "in_trick" and led_suit is not None:
                suit, (seat,) = cards[event[1][0]].fields["suit"], event[3]
                if suit != led_suit:
                    without.add((seat, led_suit))
        belief.update(game.view(state, 0), redact_log(log[log_length:], 0, game))
        log_length = len(log)
        for sample in belief.sample(2, 1) if len(belief.observations) % 5 == 0 else ():
            for seat, suit in without - {(0, own_suit) for own_suit in range(4)}:
                assert sample.is_exact
                assert suit not in [cards[card].fields["suit"] for card in sample.state.zones[hands.at((seat,))]]
                n_checks += 1
        state = game.apply(state, rnd.randrange(len(decision.options)), log)
    assert n_checks
