"""The public interface `Game`: settings, choices by number, option and id, refusals with reasons, outcomes."""

from __future__ import annotations

import copy
import pickle

import pytest
from programs import build_program, create_bundled_game, read_data, read_rules

from lusory import Game, IllegalChoice, Outcome, RulesetFault, State
from lusory.game import ENGINES
from lusory.state.decisions_outcomes_and_faults import Option
from lusory.state.setting_value_limits_builtins_and_names import ForcedChance
from lusory.view.table_and_option_text import number_repeats

DATA = read_data(__file__)

RULES = read_rules("funfair")


PICKS = DATA["picks"]


@pytest.fixture(scope="module", params=ENGINES)
def game(request: pytest.FixtureRequest) -> Game:
    return Game(build_program(RULES), engine=request.param)


@pytest.fixture(scope="module")
def start(game: Game) -> State:
    return game.start()


# ---------------------------------------------------------------- settings


def test_defaults_are_the_fewest_players_and_default_options(game: Game) -> None:
    assert game.players == 2
    assert game.option_values == {"long": False, "price": 2, "mood": 0}


@pytest.mark.parametrize(
    "options", [{"long": True, "price": 5, "mood": "wild"}, {"long": "true", "price": "5", "mood": "wild"}]
)
def test_option_values_can_be_text(game: Game, options: dict[str, object]) -> None:
    assert Game(game.program, 3, options).option_values == {"long": True, "price": 5, "mood": 1}


@pytest.mark.parametrize(("players", "options", "message"), DATA["wrong settings"])
def test_a_wrong_setting_is_refused_with_a_reason(
    game: Game, players: int, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError) as caught:
        Game(game.program, players, options)
    assert str(caught.value) == message


def test_an_unknown_engine_is_refused(game: Game) -> None:
    with pytest.raises(ValueError, match="unknown engine `steam`"):
        Game(game.program, engine="steam")


# ---------------------------------------------------------------- choices


def test_options_have_ids_and_labels(game: Game, start: State) -> None:
    decision = game.decision(start)
    assert decision is not None
    assert game.prompt(start, decision) == "Where to?"
    words = dict(zip(game.option_ids(start, decision), game.option_labels(start, decision), strict=True))
    assert words == DATA["ids and labels"]


@pytest.mark.parametrize("engine", ENGINES)
def test_labels_of_single_picks_depend_on_earlier_picks(engine: str) -> None:
    game = Game(build_program(PICKS), engine=engine)
    state = game.start(0)
    labels = []
    while (decision := game.decision(state)) is not None:
        labels.append(game.option_labels(state, decision))
        state = game.apply(state, len(decision.options) - 1)
    assert labels == [
        ["done", "opal, worth 2 of 9", "jade, worth 3 of 9"],
        ["1st ruby", "1st opal", "1st jade"],
        ["1st ruby", "1st opal"],
    ]


def test_a_choice_is_given_by_number_option_or_id(game: Game, start: State) -> None:
    decision = game.decision(start)
    assert decision is not None
    by_id = game.apply(start, "go toys 3")
    assert game.apply(start, 1) == game.apply(start, decision.options[1]) == by_id
    assert game.evaluate(by_id, game.program.scoring.rank[0], [0, None, None]) == 2


def test_apply_does_not_change_its_argument(game: Game, start: State) -> None:
    before = copy.deepcopy(start)
    game.apply(start, "go toys 3")
    assert start == before


@pytest.mark.parametrize("choice", [-1, 7, Option(0, 0, ("no",)), "fly"])
def test_an_unknown_option_is_refused(game: Game, start: State, choice: int | Option | str) -> None:
    with pytest.raises(IllegalChoice):
        game.apply(start, choice)


def test_after_the_end_nothing_is_possible(game: Game, start: State) -> None:
    over = game.apply(start, "leave")
    assert game.decision(over) is None
    assert [reason.message for reason in game.explain_impossible(over, "leave")] == ["the game is over"]
    with pytest.raises(IllegalChoice, match="over"):
        game.apply(over, 0)


@pytest.mark.parametrize(("choice", "message", "words"), DATA["refusals"])
def test_a_refusal_names_the_part_that_fails_and_its_place(
    game: Game, start: State, choice: str, message: str, words: str | None
) -> None:
    (reason,) = game.explain_impossible(start, choice)
    assert reason.message.startswith(message)
    if words is not None:
        assert reason.span is not None
        assert reason.span.source.text[reason.span.start : reason.span.end] == words
    with pytest.raises(IllegalChoice) as caught:
        game.apply(start, choice)
    assert caught.value.reasons == [reason]
    assert pickle.loads(pickle.dumps(caught.value)).reasons[0].message == reason.message


def test_a_refusal_looks_into_queries(game: Game, start: State) -> None:
    poor = game.apply(game.apply(start, "go toys 3"), "go toys 3")
    poor = game.apply(game.apply(poor, "go toys 1"), "throw")
    (reason,) = game.explain_impossible(poor, "buy bear")
    assert reason.message.startswith("P1's money is 1, but must be at least 2")
    assert reason.span is not None
    assert reason.span.source.text[reason.span.start : reason.span.end] == "money >= price"


def test_a_possible_option_has_no_reason_against_it(game: Game, start: State) -> None:
    assert game.explain_impossible(start, "throw") == []


def test_components_have_ids_by_name(game: Game, start: State) -> None:
    state = game.apply(game.apply(start, "go toys 1"), "throw")
    decision = game.decision(state)
    assert decision is not None
    assert {"buy bear", "buy bear-2", "buy duck"} <= set(game.option_ids(state, decision))


SOME = DATA["some"]


@pytest.fixture(scope="module", params=ENGINES)
def fruit_game(request: pytest.FixtureRequest) -> Game:
    return Game(build_program(SOME), engine=request.param)


def test_options_are_applied_by_name(fruit_game: Game) -> None:
    start = fruit_game.start()
    decision = fruit_game.decision(start)
    assert decision is not None
    assert fruit_game.option_ids(start, decision) == ["fig", "plum"]
    state = fruit_game.apply(start, "plum")
    assert state.cells[fruit_game.layout.places["taken"].at(())] == (1, 3)


@pytest.mark.parametrize(("choice", "message"), DATA["impossible picks"])
def test_impossible_picks_have_a_reason(fruit_game: Game, choice: str, message: str) -> None:
    assert [reason.message for reason in fruit_game.explain_impossible(fruit_game.start(), choice)] == [message]


def test_options_with_equal_ids_are_numbered(fruit_game: Game) -> None:
    state = fruit_game.apply(fruit_game.start(), "fig")
    while (decision := fruit_game.decision(state)) is not None and "4" not in fruit_game.option_ids(state, decision):
        state = fruit_game.apply(state, 0)
    assert decision is not None
    assert fruit_game.option_ids(state, decision) == ["4", "4#2", "5"]
    assert fruit_game.apply(state, "4#2") == fruit_game.apply(state, 1)


def test_numbered_ids_are_unique() -> None:
    assert number_repeats(["a", "a", "a#2", "a", "a#2"]) == ["a", "a#3", "a#2", "a#4", "a#2#2"]


# ---------------------------------------------------------------- the end


def test_an_outcome_ranks_the_seats(game: Game, start: State) -> None:
    assert game.outcome(start) is None
    state = game.apply(game.apply(start, "go toys 1"), "leave")
    assert game.outcome(state) == Outcome(
        reason="P2 left",
        ranks=((4, 1), (5, 0)),
        winners=(1,),
        places=(2, 1),
        payoffs=(0, 1),
        score_columns=(("Money", (4, 5)),),
    )


def test_ties_share_the_place_and_the_win(game: Game, start: State) -> None:
    outcome = game.outcome(game.apply(start, "leave"))
    assert outcome is not None
    assert (outcome.winners, outcome.places, outcome.payoffs) == ((0, 1), (1, 1), (0.5, 0.5))


# ---------------------------------------------------------------- positions


def test_play_can_start_at_a_phase(game: Game, start: State) -> None:
    long = Game(game.program, 2, {"long": True})
    assert long.decision(long.start_at("dusk", start)) is None
    assert game.decision(game.start_at("dusk", start)) is not None


def test_start_at_locates_components_by_zones(game: Game, start: State) -> None:
    position = start.copy()
    shelf, bag = game.layout.zones["shelf"].at(()), game.layout.zones["bag"].at((1,))
    position.zones[bag].append(position.zones[shelf].pop())
    state = game.start_at("stroll", position)
    assert state.cells[game.layout.location + state.zones[bag][0]] == bag


def test_an_unknown_phase_is_refused(game: Game, start: State) -> None:
    with pytest.raises(ValueError, match="did you mean `stroll`"):
        game.start_at("strol", start)


def test_dice_can_be_forced(game: Game, start: State) -> None:
    state = game.apply(start, "throw", forced=ForcedChance(dice=[4]))
    assert state.cells[game.layout.places["last"].at(())] == 4
    with pytest.raises(RulesetFault, match="not possible here"):
        game.apply(start, "throw", forced=ForcedChance(dice=[7]))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_forced_shuffle_needs_cards_of_the_zone(engine: str) -> None:
    with pytest.raises(RulesetFault, match="not in this zone"):
        create_bundled_game("kuhn-poker", engine=engine).start(1, forced=ForcedChance(shuffles=[(9,)]))


def test_a_fault_has_a_trail_and_a_position() -> None:
    rules = RULES.replace("set last to n", "set last to n div (n - n)")
    game = Game(build_program(rules))
    with pytest.raises(RulesetFault, match="division by zero") as caught:
        game.apply(game.start(), "throw")
    assert caught.value.trail == ("fair", "stroll", "visit")
    assert caught.value.span is not None
    assert "P1.money = 5" in caught.value.position
    assert pickle.loads(pickle.dumps(caught.value)).trail == caught.value.trail
