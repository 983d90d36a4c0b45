"""The compiled engine against the oracle: traces of whole random games of every shipped ruleset."""

import pickle
import random

import pytest
from programs import bundled, bundled_game, is_large, play_stepwise

from lusory.game import ENGINES
from lusory.state.random_streams import make_choice_source
from lusory.testing.engine_comparison import find_difference
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

GAMES = 16  # of each ruleset and number of players; `lusory test --agree 1000` plays more
FEW = 60  # decisions of a large ruleset, whose games take ten seconds on the evaluator
DECISIONS = 100  # when so many were compared that is enough
MOST = 150  # decisions of a game; golden playthroughs go on to the end on both engines
every_ruleset = pytest.mark.parametrize("name", find_bundled_rulesets())
MANY_DECISIONS = 300  # who always picks the last option may only ever end turns: not every game ends so


@every_ruleset
def test_whole_games_leave_the_same_trace(name: str) -> None:
    """With the lowest and the highest number of players."""
    for players in sorted({bundled(name).min_players, bundled(name).max_players}):
        oracle, compiled = (bundled_game(name, players, engine) for engine in ENGINES)
        if is_large(name):
            assert find_difference((oracle, compiled), 0, json_interval=20, decision_limit=FEW) is None
            continue
        decisions = 0
        for seed in range(GAMES):
            assert find_difference((oracle, compiled), seed, json_interval=20, decision_limit=MOST) is None
            decisions += compiled.playout(make_choice_source(seed), seed).decisions
            if decisions > DECISIONS:
                break


@every_ruleset
def test_playouts_are_the_games_of_stepwise_play(name: str) -> None:
    game = bundled_game(name, bundled(name).max_players)
    for seed in range(2 if is_large(name) else 6):
        decisions, ranks, payoffs, reason, table = game.playout(random.Random(seed).random, seed, table=True)
        count, outcome = play_stepwise(game, seed)
        assert (decisions, ranks, reason) == (count, outcome.ranks, outcome.reason)
        assert payoffs is None or payoffs == outcome.payoffs
        assert table == tuple(values for _, values in outcome.score_columns)


@every_ruleset
def test_options_are_a_sequence_like_any_other(name: str) -> None:
    game = bundled_game(name)
    state = game.start(1)
    for _ in range(MANY_DECISIONS):
        if (decision := game.decision(state)) is None:
            break
        options = decision.options
        listed = tuple(options)
        assert [option.index for option in listed] == list(range(len(options)))
        assert [options[i] for i in range(-len(listed), len(listed))] == [*listed, *listed]
        assert options[1:] == listed[1:]
        assert options == listed and hash(options) == hash(listed)
        assert listed[-1] in options
        with pytest.raises(IndexError):
            options[len(listed)]
        state = game.apply(state, options[-1])


@every_ruleset
def test_what_travels_beside_a_state_is_no_part_of_it(name: str) -> None:
    game = bundled_game(name)
    state = game.start(1)
    for _ in range(MANY_DECISIONS):
        if (decision := game.decision(state)) is None:
            break
        before = state.to_json()
        bare = pickle.loads(pickle.dumps(state))
        assert bare == state and hash(bare) == hash(state) and bare.cached_decision is None
        assert game.decision(bare) == decision
        after = game.apply(state, len(decision.options) - 1)
        assert game.apply(bare, len(decision.options) - 1) == after
        assert state.to_json() == before  # shared lists of cards are not changed in place
        state = after
