"""Searches in native code have the same results as in Python. ``python -m tests.searches`` compares more games."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from time import sleep

import pytest
from native import load_random_rulesets, needs_compiler, plant_fault
from programs import build_program, read_data, read_rules
from searches import find_search_differences
from test_conformance import CHUNKS
from test_native_steps import DICE, FAULTY, QUICK, load_game

from lusory.game import Game
from lusory.native import search
from lusory.native.c_compiler import NoNative
from lusory.native.search import CRASHED, OUT_OF_ROOM, TEXTS, NativeBackend, SwitchingBackend
from lusory.native.whole_games_and_stepwise_play import NativeSteps
from lusory.search.option_evaluation import MCTS, PYTHON_BACKEND, OptionEvaluation, SearchTask, evaluate_options
from lusory.support.cache import Cache

DATA = read_data(__file__)

QUICK_GAMES = ("tic-tac-toe", "kuhn-poker", "leduc-poker", "empire-engine")
"""Games that are quick to build and search. ``python -m tests.searches`` covers all games."""
SAMPLE = ("choices-3", "lists-2", "resumption-1", "some-1", "text-1", "loops-1", "effects-1", "piles-1", "numbers-1")
"""Conformance chunks with many kinds of choices. ``python -m tests.searches --conformance`` covers all chunks."""

SECRETS = read_rules("secrets")
"""A ruleset with partly and fully secret answers, options with weights, and a heuristic value."""


def create_backend(game: Game) -> NativeBackend:
    return NativeBackend(NativeSteps(game, flags=QUICK))


def compare_backends(game: Game, simulations: int = 50, looks: int = 4) -> NativeBackend:
    """Check that searches of a few decisions have the same results on both backends. Return the native backend."""
    core = create_backend(game)
    assert list(find_search_differences(game, core, range(1, 3), looks, simulations)) == []
    return core


@needs_compiler
@pytest.mark.parametrize("name", QUICK_GAMES)
def test_native_searches_equal_python(name: str) -> None:
    core = compare_backends(load_game(name, 2), looks=1 if name == "empire-engine" else 4)
    assert core.use.simulations > 500
    assert (core.use.replayed_simulations, core.use.declined_searches) == (0, {})


@needs_compiler
@pytest.mark.parametrize("name", SAMPLE)
def test_native_searches_of_conformance_equal_python(name: str) -> None:
    compare_backends(Game(build_program(CHUNKS[name].ruleset)), 20)


@needs_compiler
def test_native_searches_of_random_rulesets_equal_python() -> None:
    for _, game in load_random_rulesets((2, 5)):
        compare_backends(game, 30)


@needs_compiler
def test_secrets_weights_and_horizons_are_searched_natively() -> None:
    core = compare_backends(Game(build_program(SECRETS), 3), 60, 6)
    assert (core.use.replayed_simulations, core.use.declined_searches) == (0, {})


LONG_LISTS = DATA["many"]
"""A ruleset with long lists of options, for which only options that were tried have statistics."""


@needs_compiler
@pytest.mark.parametrize("visibility", ["secret", "open", "certain"])
def test_long_lists_are_searched_natively(visibility: str) -> None:
    text = LONG_LISTS
    if visibility != "secret":
        text = text.replace("secret ", "").replace(", visible: owner", "")
    if visibility == "certain":
        text = text.replace("roll die in 1..2", "increase held by 1").replace("by die", "by 1")
    core = compare_backends(Game(build_program(text)), 45, 3)
    assert (core.use.replayed_simulations, core.use.declined_searches) == (0, {})


EQUAL_OPTIONS = DATA["even"]
"""A ruleset with options that aren't always possible, of which some have equal statistics."""


@needs_compiler
def test_the_first_of_equal_bounds_is_chosen() -> None:
    core = create_backend(Game(build_program(EQUAL_OPTIONS)))
    assert list(find_search_differences(core.steps.game, core, range(1, 3), 2, 300)) == []


@needs_compiler
def test_simulations_do_not_use_the_random_streams_of_a_world() -> None:
    game = Game(build_program(DICE))
    core, first, second = create_backend(game), game.start(7), game.start(7)
    for cell in game.layout.streams.values():
        second.cells[cell] += 1
    results = [evaluate_options(SearchTask(game, 0, [world], MCTS, 200, 3, True), core) for world in (first, second)]
    assert results[0] == results[1]


@needs_compiler
def test_each_simulation_has_its_own_chance() -> None:
    assert compare_backends(Game(build_program(DICE))).use.declined_searches == {}


@needs_compiler
def test_python_repeats_simulations_with_a_fault() -> None:
    """A fault of the rules ends such a simulation without a result."""
    core = compare_backends(Game(build_program(FAULTY)))
    assert core.use.replayed_simulations > 0
    assert core.use.declined_searches == {}


TEXT_OPTIONS = DATA["spoken"]
"""A ruleset with texts as options, and with comparisons of texts."""


def search_texts(words: str, says: str, simulations: int = 60) -> NativeBackend:
    return compare_backends(
        Game(build_program(TEXT_OPTIONS.replace("WORDS", words).replace("SAYS", says))), simulations
    )


REMEMBERED_TEXTS = TEXT_OPTIONS.replace("if SAYS in said: increase", "increase").replace("WORDS", '["left", "right"]')
"""The same ruleset, without comparisons."""


@needs_compiler
def test_texts_that_are_only_remembered_are_searched_natively() -> None:
    core = compare_backends(
        Game(build_program(REMEMBERED_TEXTS.replace("SAYS", '"{word} {n}, {players.first.next}"'))), 60
    )
    assert core.use.simulations > 500
    assert (core.use.replayed_simulations, core.use.declined_searches) == (0, {})


@needs_compiler
def test_searches_are_left_to_python_once_states_have_too_many_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lusory.native.search.MAX_TEXTS", 3)
    core = compare_backends(Game(build_program(REMEMBERED_TEXTS.replace("SAYS", '"{word} {n}"'))), 60)
    assert set(core.use.declined_searches) == {OUT_OF_ROOM}


@needs_compiler
@pytest.mark.parametrize("says", ['"{word} {n}, {[n] where it > 1}"', '"{n}{word}{shown}"'])
def test_python_repeats_simulations_that_compare_composed_texts(says: str) -> None:
    """A text of the world, which Python has composed, has no words that could be compared."""
    assert search_texts('["left", "right"]', says).use.replayed_simulations > 0


@needs_compiler
def test_long_lists_with_composed_texts_are_left_to_python() -> None:
    """Python can't continue such a search, because it doesn't know which options were tried."""
    text = TEXT_OPTIONS.replace("WORDS", '["left", "right"]').replace("SAYS", '"{n}{word}{shown}"')
    game = Game(build_program(text.replace("1..2", "1..20")))
    core, world = create_backend(game), game.start(1)
    task = SearchTask(game, 0, [world], MCTS, 60, 3, False)
    results = [evaluate_options(task, backend) for backend in (core, PYTHON_BACKEND)]
    assert results[0] == results[1]
    assert core.use.replayed_simulations == core.use.declined_searches[TEXTS] == 1


@needs_compiler
def test_composed_texts_as_options_are_left_to_python() -> None:
    """Search trees identify options by their values, and such texts have no lasting number."""
    core = search_texts('["left {shown}", "right"]', '"{n}"')
    assert set(core.use.declined_searches) == {TEXTS}


@needs_compiler
def test_after_a_crash_python_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bandits with thirteen simulations write to an invalid address. The others continue in a new process."""
    begins = "    volatile int64_t run_count = 0;\n    if (!search)\n        return 1;\n"
    crash = "    if (simulations == 13 && !search->plan.tree_count) *(volatile int *)8 = 1;\n"
    plant_fault(monkeypatch, begins, begins + crash, is_stepwise=True)
    game = load_game("kuhn-poker")
    core = NativeBackend(NativeSteps(game, flags=QUICK, is_sandboxed=True))
    assert list(find_search_differences(game, core, (1,), 1, 12, compares_best=False)) == []
    assert core.use.declined_searches == {}
    assert list(find_search_differences(game, core, (1,), 1, 13, compares_best=False)) == []
    assert core.use.declined_searches == {CRASHED: 2}
    assert list(find_search_differences(game, core, (1,), 1, 12, compares_best=False)) == []
    assert core.steps.crashes == {"Segmentation fault": 2}


@needs_compiler
def test_only_one_thread_searches_natively() -> None:
    game = load_game("kuhn-poker")
    core, results = create_backend(game), list[list[OptionEvaluation]]()
    task = SearchTask(game, 0, [game.start(1)], MCTS, 40, 3, True)

    def search() -> None:
        results.append(evaluate_options(task, core))

    tree = core.make_tree(task.create_simulator(), True)
    tree.grow(16)
    thread = Thread(target=search)
    thread.start()
    thread.join()
    assert core.use.simulations == 16
    del tree
    search()
    assert core.use.simulations == 56
    assert results[0] == results[1]


def test_no_process_is_forked_during_code_generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is forked while a thread imports the compiler would inherit the import lock and wait forever."""
    ends = list[bool]()

    def build(*_: object, **__: object) -> NativeSteps:
        sleep(0.3)
        ends.append(True)
        raise NoNative("not needed")

    monkeypatch.setattr(search, "NativeSteps", build)
    core = SwitchingBackend(load_game("kuhn-poker"), Cache(tmp_path))
    core.native_code.build_for_others(Cache(tmp_path))
    assert ends
    core.native_code.stop()
