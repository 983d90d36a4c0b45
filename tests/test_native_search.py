"""Searches in native code find what Python finds. More: ``python -m tests.searches``."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from time import sleep

import pytest
from native import needs_compiler, print_otherwise, random_rulesets
from programs import checked, read_data, read_rules
from searches import search_differences
from test_conformance import CHUNKS
from test_native_steps import DICE, FAULTY, QUICK, game_of

from lusory.game import Game
from lusory.native import search
from lusory.native.c_compiler import NoNative
from lusory.native.search import CRASHED, TEXTS, NativeBackend, SwitchingBackend
from lusory.native.whole_games_and_stepwise_play import NativeSteps
from lusory.search.option_evaluation import MCTS, PYTHON_BACKEND, OptionEvaluation, SearchTask, evaluate_options
from lusory.support.cache import Cache

DATA = read_data(__file__)

QUICKLY = ("tic-tac-toe", "kuhn-poker", "leduc-poker", "empire-engine")
"""What is quickly built and searched; all games: ``python -m tests.searches``."""
TELLING = ("choices-3", "lists-2", "resumption-1", "some-1", "text-1", "loops-1", "effects-1", "piles-1", "numbers-1")
"""Chunks of conformance in which games wait in many ways; all: ``python -m tests.searches --conformance``."""

SECRETS = read_rules("secrets")
"""Answers of which others learn a part, or nothing; options that are likelier than others, or never taken; a value."""


def core_of(game: Game) -> NativeBackend:
    return NativeBackend(NativeSteps(game, flags=QUICK))


def same(game: Game, simulations: int = 50, looks: int = 4) -> NativeBackend:
    """Searches of a few decisions come to the same."""
    core = core_of(game)
    assert list(search_differences(game, core, range(1, 3), looks, simulations)) == []
    return core


@needs_compiler
@pytest.mark.parametrize("name", QUICKLY)
def test_a_search_in_c_finds_what_python_finds(name: str) -> None:
    core = same(game_of(name, 2), looks=1 if name == "empire-engine" else 4)
    assert core.use.simulations > 500
    assert (core.use.replayed_simulations, core.use.declined_searches) == (0, {})


@needs_compiler
@pytest.mark.parametrize("name", TELLING)
def test_searches_of_conformance(name: str) -> None:
    same(Game(checked(CHUNKS[name].ruleset)), 20)


@needs_compiler
def test_searches_of_random_rulesets() -> None:
    for _, game in random_rulesets((2, 5)):
        same(game, 30)


@needs_compiler
def test_secrets_weights_and_a_horizon() -> None:
    """What others don't learn of an answer, picks that are secret, options that are likelier or never taken."""
    core = same(Game(checked(SECRETS), 3), 60, 6)
    assert (core.use.replayed_simulations, core.use.declined_searches) == (0, {})


MANY = DATA["many"]
"""Lists of options that are so long that it is kept how those do that are taken."""


@needs_compiler
@pytest.mark.parametrize("seen", ["secret", "open", "certain"])
def test_long_lists(seen: str) -> None:
    text = MANY
    if seen != "secret":
        text = text.replace("secret ", "").replace(", visible: owner", "")
    if seen == "certain":
        text = text.replace("roll die in 1..2", "increase held by 1").replace("by die", "by 1")
    core = same(Game(checked(text)), 45, 3)
    assert (core.use.replayed_simulations, core.use.declined_searches) == (0, {})


EVEN = DATA["even"]
"""Options that are not always there: some were possible, taken and won as often as others."""


@needs_compiler
def test_of_equal_bounds_the_first_is_taken() -> None:
    core = core_of(Game(checked(EVEN)))
    assert list(search_differences(core.steps.game, core, range(1, 3), 2, 300)) == []


@needs_compiler
def test_no_simulation_goes_on_with_the_chance_of_its_world() -> None:
    game = Game(checked(DICE))
    core, one, other = core_of(game), game.start(7), game.start(7)
    for cell in game.layout.streams.values():
        other.cells[cell] += 1
    found = [list(evaluate_options(SearchTask(game, 0, [world], MCTS, 200, 3, True), core)) for world in (one, other)]
    assert found[0] == found[1]


@needs_compiler
def test_chance_is_fresh_in_each_simulation() -> None:
    assert same(Game(checked(DICE))).use.declined_searches == {}


@needs_compiler
def test_what_goes_wrong_in_a_simulation_is_played_again_by_python() -> None:
    """The rules are at fault there: nothing came of it for anybody."""
    core = same(Game(checked(FAULTY)))
    assert core.use.replayed_simulations > 0
    assert core.use.declined_searches == {}


SPOKEN = DATA["spoken"]
"""Options that are texts, and texts that are compared with those of the world."""


def spoken(words: str, says: str, simulations: int = 60) -> NativeBackend:
    return same(Game(checked(SPOKEN.replace("WORDS", words).replace("SAYS", says))), simulations)


@needs_compiler
def test_texts_of_a_world_are_those_that_c_puts_together() -> None:
    """Of a form that can be read in one way: with known words, a number, a player, lists and truths in it."""
    core = spoken('["left", "right"]', '"{word} {n}, {players.first.next} {[n, 2 * n]}: {[n] where it > 1}; {n > 1}"')
    assert core.use.simulations > 500
    assert (core.use.replayed_simulations, core.use.declined_searches) == (0, {})


@needs_compiler
def test_of_other_texts_those_of_a_world_are_for_python() -> None:
    """1 and 11 can be 11 and 1."""
    core = spoken('["left", "right"]', '"{n}{word}{shown}"')
    assert core.use.replayed_simulations > 0


@needs_compiler
def test_where_a_list_is_long_what_is_for_python_takes_the_whole_search_along() -> None:
    """It is not told which options were taken there."""
    text = SPOKEN.replace("WORDS", '["left", "right"]').replace("SAYS", '"{n}{word}{shown}"')
    game = Game(checked(text.replace("1..2", "1..20")))
    core, world = core_of(game), game.start(1)
    found = [
        list(evaluate_options(SearchTask(game, 0, [world], MCTS, 60, 3, False), one)) for one in (core, PYTHON_BACKEND)
    ]
    assert found[0] == found[1]
    assert core.use.replayed_simulations == core.use.declined_searches[TEXTS] == 1


@needs_compiler
def test_options_that_are_put_together_in_play_are_left_to_python() -> None:
    """Trees know options by what they are, and of these nothing lasts."""
    core = spoken('["left {shown}", "right"]', '"{n}"')
    assert set(core.use.declined_searches) == {TEXTS}


@needs_compiler
def test_a_crash_leaves_a_search_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees of thirteen simulations write where nothing is; the others go on, in the next process."""
    begins = "    volatile int64_t done = 0;\n    if (!search)\n        return 1;\n"
    crash = "    if (simulations == 13) *(volatile int *)8 = 1;\n"
    print_otherwise(monkeypatch, begins, begins + crash, is_stepwise=True)
    game = game_of("kuhn-poker")
    core = NativeBackend(NativeSteps(game, flags=QUICK, apart=True))
    assert list(search_differences(game, core, (1,), 1, 12, contested=False)) == []
    assert core.use.declined_searches == {}
    assert list(search_differences(game, core, (1,), 1, 13, contested=False)) == []
    assert core.use.declined_searches == {CRASHED: 2}
    assert list(search_differences(game, core, (1,), 1, 12, contested=False)) == []
    assert core.steps.crashes == {"Segmentation fault": 2}


@needs_compiler
def test_while_a_thread_searches_others_search_in_python() -> None:
    game = game_of("kuhn-poker")
    core, world, found = core_of(game), game.start(1), list[list[list[OptionEvaluation]]]()

    def search() -> None:
        found.append(list(evaluate_options(SearchTask(game, 0, [world], MCTS, 40, 3, True), core)))

    first = evaluate_options(SearchTask(game, 0, [world], MCTS, 40, 3, True), core)
    next(first)
    other = Thread(target=search)
    other.start()
    other.join()
    assert core.use.simulations == 16
    assert list(first) == found[0][1:]
    search()
    assert core.use.simulations == 80
    assert found[0] == found[1]


def test_processes_begin_when_no_code_is_being_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is forked while a thread imports what writes it inherits the lock of that import, and waits for ever."""
    written = list[bool]()

    def writing(*_: object, **__: object) -> NativeSteps:
        sleep(0.3)
        written.append(True)
        raise NoNative("none is wanted")

    monkeypatch.setattr(search, "NativeSteps", writing)
    core = SwitchingBackend(game_of("kuhn-poker"), Cache(tmp_path))
    core.start_build()
    assert written
    core.stop()
