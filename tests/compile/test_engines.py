"""The compiled engine against the oracle: traces of whole random games of every shipped ruleset."""

import pickle
import random
from pathlib import Path

import pytest

from lusory.author.agreement import difference, pair
from lusory.compile.emission import emit
from lusory.compile.module import KINDS
from lusory.game import Game
from lusory_dsl import load_program
from lusory_dsl.text.resources import bundled_rulesets

GAMES = 50  # of each ruleset and number of players; `lusory test --agree 1000` plays more
MOST = ((500, 2), (60, 15), (0, GAMES))  # of rulesets with so many components: a game takes seconds on the evaluator
FOLDERS = list(bundled_rulesets().values())
MANY_DECISIONS = 1_000  # who always picks the last option may only ever end turns: not every game ends so


def settings() -> list[tuple[Path, int]]:
    return [(f, n) for f in FOLDERS for n in range(load_program(f).min_players, load_program(f).max_players + 1)]


@pytest.mark.parametrize(("folder", "players"), settings(), ids=lambda x: getattr(x, "name", x))
def test_whole_games_leave_the_same_trace(folder: Path, players: int) -> None:
    program = load_program(folder)
    share = -(-GAMES // (program.max_players - program.min_players + 1))
    share = min(share, next(most for size, most in MOST if len(program.entities) >= size))
    games = pair(program, players)
    for seed in range(share):
        assert difference(games, seed, through_json=seed % 5 == 0) is None


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_playouts_are_the_games_of_stepwise_play(folder: Path) -> None:
    program = load_program(folder)
    game = Game(program, program.max_players, engine="compiled")
    for seed in range(30):
        decisions, ranks, payoffs, reason, table = game.playout(random.Random(seed).random, seed, table=True)
        rnd = random.Random(seed).random
        state = game.start(seed)
        count = 0
        while (decision := game.decision(state)) is not None:
            state = game.apply(state, int(rnd() * len(decision.options)))
            count += 1
        outcome = game.outcome(state)
        assert outcome is not None
        assert (decisions, ranks, reason) == (count, outcome.ranks, outcome.reason)
        assert payoffs is None or payoffs == outcome.payoffs
        assert table == tuple(values for _, values in outcome.shown)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
@pytest.mark.parametrize("kind", KINDS)
def test_generated_text_is_deterministic(folder: Path, kind: str) -> None:
    program = load_program(folder)
    texts = {emit(Game(program, engine="compiled").setting, kind).text for _ in range(2)}
    assert len(texts) == 1
    assert emit(Game(load_program(folder), engine="compiled").setting, kind).text in texts


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_options_are_a_sequence_like_any_other(folder: Path) -> None:
    game = Game(load_program(folder), engine="compiled")
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


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_what_travels_beside_a_state_is_no_part_of_it(folder: Path) -> None:
    game = Game(load_program(folder), engine="compiled")
    state = game.start(1)
    for _ in range(MANY_DECISIONS):
        if (decision := game.decision(state)) is None:
            break
        before = state.to_json()
        bare = pickle.loads(pickle.dumps(state))
        assert bare == state and hash(bare) == hash(state) and bare.asked is None
        assert game.decision(bare) == decision
        after = game.apply(state, len(decision.options) - 1)
        assert game.apply(bare, len(decision.options) - 1) == after
        assert state.to_json() == before  # shared lists of cards are not changed in place
        state = after
