"""What a ruleset says under `bots` is what a search goes by."""

from __future__ import annotations

import pytest
from programs import checked, harvest

from lusory.game import Game
from lusory.play.players.searching import guided
from lusory.search.advice import guidance_of
from lusory.search.analysis import FLAT, WAYS, analyse
from lusory.search.effort import measured
from lusory.search.positions import Walker
from lusory.search.worth import Worth

RULES = harvest(years=8)
BOTS = "bots: {value: grain + 3 * fields, horizon: 8, likely: {reap: 30}, never: [idle]}\n"
PLOUGH, REAP, IDLE = range(3)


def tried(game: Game, way: str, simulations: int = 60) -> dict[int, float]:
    """The options of the first decision that were looked at, with their values."""
    state = game.start(1)
    lines = list(analyse(game, 0, [state], way, simulations, 3, True, guidance_of(game)))[-1]
    return {line.option: line.value for line in lines}


def test_nothing_is_said() -> None:
    said = guidance_of(Game(checked(RULES)))
    assert (said.valued, said.horizon, said.likely) == (False, None, {})


def test_a_position_is_worth_what_the_ruleset_says() -> None:
    game = Game(checked(RULES + BOTS))
    state = game.apply(game.start(1), PLOUGH)
    position, _ = Walker(game, guidance_of(game)).at(state, 1)
    assert list(Worth(game, guidance_of(game)).standing(position)) == [4, 1]
    assert list(Worth(game, guidance_of(Game(checked(RULES)))).standing(position)) == [1, 1]


def test_the_horizon_of_a_player_goes_before_the_rulesets() -> None:
    game = Game(checked(RULES + BOTS))
    assert guided(game, None).horizon == 8
    assert guided(game, 2).horizon == 2
    assert guided(Game(checked(RULES)), None).horizon is None


def test_who_looks_less_far_has_more_simulations_for_its_moment() -> None:
    said = [measured(Game(checked(RULES + bots))) for bots in ("", BOTS, BOTS.replace("horizon: 8", "horizon: 2"))]
    assert [effort.horizon for effort in said] == [None, 8, 2]
    assert said[0].simulations < said[1].simulations < said[2].simulations


@pytest.mark.parametrize("way", WAYS)
def test_what_is_never_worth_while_is_not_looked_at(way: str) -> None:
    assert set(tried(Game(checked(RULES + BOTS)), way)) == {PLOUGH, REAP}
    assert set(tried(Game(checked(RULES)), way)) == {PLOUGH, REAP, IDLE}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_never_worth_while_is_taken_where_there_is_nothing_else(way: str) -> None:
    alone = RULES.replace("take action plough, reap, idle", "take action reap, idle")
    assert set(tried(Game(checked(alone + "bots: {never: [reap, idle]}\n")), way)) == {0, 1}


def test_likelier_options_are_taken_more_often_in_thought() -> None:
    """From chance of its own: of four decisions three fall on what weighs three times as much as the other."""
    game = Game(checked(RULES + BOTS))
    walker = Walker(game, guidance_of(game))
    reaped = 0
    for number in range(200):
        position, cell = walker.at(game.start(1), number)
        position.play_on(cell, 1)
        reaped += position.c[game.layout.places["fields"].at((0,))] == 0
    assert 120 < reaped < 180


def test_choices_whose_options_weigh_the_same_are_not_listed() -> None:
    game = Game(checked(RULES + "bots: {likely: {plough: 5, reap: 5, idle: 5}}\n"))
    assert guidance_of(game).likely == {}


def test_the_first_edition_has_no_bots() -> None:
    first = RULES.replace("language: 2", "language: 1")
    with pytest.raises(AssertionError, match="edition 2"):
        checked(first + BOTS)


def test_flat_allocation_goes_by_the_value() -> None:
    """With a look at what follows at once, ploughing is worth more than reaping nothing."""
    game = Game(checked(RULES + BOTS.replace("horizon: 8", "horizon: 0")))
    found = tried(game, FLAT, 6)
    assert found[PLOUGH] > found[REAP]


def test_a_position_is_valued_behind_the_horizon() -> None:
    """Whoever ploughed has a field, which is worth three."""
    game = Game(checked(RULES + BOTS.replace("horizon: 8", "horizon: 0")))
    assert tried(game, FLAT, 4)[PLOUGH] == (1 + (4 - 1) / 6) / 2
