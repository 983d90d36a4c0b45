"""Compare the compiled engine with the evaluator in random games of every bundled ruleset."""

import pickle
import random

import pytest
from programs import create_bundled_game, is_large, load_bundled, play_stepwise

from lusory.game import ENGINES
from lusory.state.random_streams import make_choice_source
from lusory.testing.engine_comparison import find_difference
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

GAMES = 16  # of each ruleset and number of players; `lusory test --agree 1000` plays more
LARGE_LIMIT = 60  # decisions of a large ruleset, of which a game takes ten seconds on the evaluator
DECISIONS = 100  # a ruleset has been compared enough after this many decisions
DECISION_LIMIT = 150  # decisions of a game; golden playthroughs go to the end on both engines
every_ruleset = pytest.mark.parametrize("name", find_bundled_rulesets())
MANY_DECISIONS = 300  # limit for games in which the last option is always chosen: some of those never end


@every_ruleset
def test_engines_play_the_same_games(name: str) -> None:
    """Plays with the lowest and the highest number of players."""
    for players in sorted({load_bundled(name).min_players, load_bundled(name).max_players}):
        oracle, fast_game = (create_bundled_game(name, players, engine) for engine in ENGINES)
        if is_large(name):
            assert find_difference((oracle, fast_game), 0, json_interval=20, decision_limit=LARGE_LIMIT) is None
            continue
        decisions = 0
        for seed in range(GAMES):
            assert find_difference((oracle, fast_game), seed, json_interval=20, decision_limit=DECISION_LIMIT) is None
            decisions += fast_game.playout(make_choice_source(seed), seed).decisions
            if decisions > DECISIONS:
                break


@every_ruleset
def test_playouts_equal_stepwise_play(name: str) -> None:
    game = create_bundled_game(name, load_bundled(name).max_players)
    for seed in range(2 if is_large(name) else 6):
        decisions, ranks, payoffs, reason, table = game.playout(random.Random(seed).random, seed, table=True)
        count, outcome = play_stepwise(game, seed)
        assert (decisions, ranks, reason) == (count, outcome.ranks, outcome.reason)
        assert payoffs is None or payoffs == outcome.payoffs
        assert table == tuple(values for _, values in outcome.score_columns)


@every_ruleset
def test_options_behave_like_a_tuple(name: str) -> None:
    game = create_bundled_game(name)
    state = game.start(1)
    for _ in range(MANY_DECISIONS):
        if (decision := game.decision(state)) is None:
            break
        options = decision.options
        option_tuple = tuple(options)
        assert [option.index for option in option_tuple] == list(range(len(options)))
        assert [options[i] for i in range(-len(option_tuple), len(option_tuple))] == [*option_tuple, *option_tuple]
        assert options[1:] == option_tuple[1:]
        assert options == option_tuple and hash(options) == hash(option_tuple)
        assert option_tuple[-1] in options
        with pytest.raises(IndexError):
            options[len(option_tuple)]
        state = game.apply(state, options[-1])


@every_ruleset
def test_cached_data_is_not_part_of_a_state(name: str) -> None:
    game = create_bundled_game(name)
    state = game.start(1)
    for _ in range(MANY_DECISIONS):
        if (decision := game.decision(state)) is None:
            break
        before = state.to_json()
        copy = pickle.loads(pickle.dumps(state))
        assert copy == state and hash(copy) == hash(state) and copy.cached_decision is None
        assert game.decision(copy) == decision
        after = game.apply(state, len(decision.options) - 1)
        assert game.apply(copy, len(decision.options) - 1) == after
        assert state.to_json() == before  # shared lists of cards must not change in place
        state = after
