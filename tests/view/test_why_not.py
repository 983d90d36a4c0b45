"""Test why an option isn't available: the sentence, the place of the failing part, and that no secret leaks."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from programs import build_program, read_data, read_rules

from lusory.game import ENGINES, Game
from lusory.state.decisions_outcomes_and_faults import IllegalChoice, Option, Reason
from lusory.state.setting_value_limits_builtins_and_names import ForcedChance
from lusory.state.state import State

DATA = read_data(__file__)

MARKET = read_rules("market")


program = cache(build_program)


@pytest.fixture(params=ENGINES)
def market(request: pytest.FixtureRequest) -> Game:
    return Game(program(MARKET), engine=request.param)


@pytest.mark.parametrize(("query", "message", "place"), DATA["failing part is named"])
def test_failing_part_is_named(market: Game, query: str, message: str, place: str | None) -> None:
    (reason,) = market.explain_impossible(market.start(), query)

    assert (reason.message, reason.facts) == (message, ())
    if place is not None:
        assert reason.span is not None
        assert reason.span.line_text == place


def test_unknown_option_is_explained(market: Game) -> None:
    state = market.start()
    heavy = Option(0, 0, (market.program.component_kinds["Ware"][0] + 2,))
    (reason,) = market.explain_impossible(state, heavy)

    assert reason.message.startswith("needs 9 Coins")
    with pytest.raises(IllegalChoice) as problem:
        market.apply(state, heavy)
    assert problem.value.reasons == [reason]
    assert "is no answer to this question" in market.explain_impossible(state, Option(0, 99, ()))[0].message


def test_author_sees_every_part(market: Game) -> None:
    (reason,) = market.explain_impossible(market.start(), "gamble", sees_all=True)

    assert reason.message == "luck is 4, but must be more than 7"


def test_each_candidate_has_a_reason_if_none_is_allowed(market: Game) -> None:
    state = market.start()
    state.cells[market.layout.places["purse"].at((0, 0))] = 1
    # two copies of a card have one entry
    state.zones[market.layout.zones["stall"].at(())].append(market.program.component_kinds["Ware"][0] + 1)
    (reason,) = market.explain_impossible(state, "buy")

    assert reason.message == "there is no Ware to choose"
    assert reason.span is not None and reason.span.line_text == "it.price <= purse.coin"
    assert reason.facts == (
        "Stove: needs 9 Coins, and P1's purse has 1",
        "Straw hat: needs 2 Coins, and P1's purse has 1",
    )


def test_candidate_players_are_no_numbers() -> None:
    game = Game(program(read_rules("yard")))
    (reason,) = game.explain_impossible(game.start(), "beg")

    assert (reason.message, reason.facts) == ("there is no Player to choose", ("needs 4 Wood, and P2's stock has 1",))
    assert reason.span is not None and reason.span.line_text == "whom.stock.wood > 3"


def test_value_of_two_lists_needs_the_first_condition() -> None:
    rules = MARKET.replace("stall where it.price <= purse.coin", "(stall where it.price <= purse.coin) union cart")
    market = Game(program(rules))
    (reason,) = market.explain_impossible(market.start(), "buy stove")
    assert reason.message.startswith("needs 9 Coins")


def test_as_many_are_to_be_picked_as_there_are() -> None:
    game = Game(build_program(ORDERED))
    (reason,) = game.explain_impossible(game.start(), "done")
    assert reason.message == "you must pick at least 4"


# ---------------------------------------------------------------- secrets

ORDERED = DATA["ordered"]

LOCALS = read_rules("seance")


def _hold_seance(engine: str, card: int) -> tuple[Game, State, State]:
    """Return the game, the first decision of the player who knows the card, and the second of the one who doesn't."""
    game = Game(program(LOCALS), engine=engine)
    first = game.start(forced=ForcedChance(picks=[card]))
    return game, first, game.apply(first, "wait")


@pytest.mark.parametrize("engine", ENGINES)
def test_secret_picks_of_others_stay_hidden(engine: str) -> None:
    answers: list[list[list[Reason]]] = []
    for card in (0, 1, 2):
        game, _, second = _hold_seance(engine, card)
        answers.append([game.explain_impossible(second, query) for query in ("high", "low", "mine 1", "mine 7")])

    assert answers[0] == answers[1] == answers[2]
    messages = {reason.message for reasons in answers[0][:2] for reason in reasons}
    assert messages == {"that depends on what you can't see"}


@pytest.mark.parametrize("engine", ENGINES)
def test_seat_that_knows_a_secret_reads_it(engine: str) -> None:
    game, first, _ = _hold_seance(engine, 1)
    (reason,) = game.explain_impossible(first, "keen")

    assert reason.message == "you can't do this now"


def test_hidden_values_do_not_change_answers(market: Game) -> None:
    """Other values of the secret and other orders of hidden cards must give the same answers."""
    state = market.start()
    other_state = state.copy()
    other_state.cells[market.layout.places["luck"].at(())] = 5
    shed = market.layout.zones["shed"].at(())
    other_state.zones[shed] = other_state.zones[shed][::-1]
    other_state.cached_decision = None
    queries: list[Any] = ["gamble", "buy cloak", "buy hat-2", "wear cloak", "lift cloak", "sing", "toast"]

    assert [market.explain_impossible(state, query) for query in queries] == [
        market.explain_impossible(other_state, query) for query in queries
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_conditions_of_one_phase_do_not_explain_another(engine: str) -> None:
    game = Game(program(read_rules("yard")), engine=engine)
    state = game.apply(game.start(), "pay")
    (reason,) = game.explain_impossible(state, "finish")
    assert reason.message == "answer this question first, or undo the decision before it"


@pytest.mark.parametrize(("rules", "query", "sentence"), DATA["sentences use the author s words"])
@pytest.mark.parametrize("engine", ENGINES)
def test_sentences_use_the_author_s_words(rules: str, query: str, sentence: str, engine: str) -> None:
    game = Game(program(read_rules(rules)), engine=engine)
    (reason,) = game.explain_impossible(game.start(), query)
    assert (reason.facts or (reason.message,)) == (sentence,)
