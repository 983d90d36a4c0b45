"""Stepwise play in native code and in Python: the same at every decision. More: ``python -m tests.native --steps``."""

from __future__ import annotations

import errno
import os

import pytest
from native import differences, needs_compiler, print_otherwise, random_rulesets, stepwise_differences
from programs import bundled, checked, read_data
from test_conformance import CHUNKS

from lusory.game import Game
from lusory.native import whole_games_and_stepwise_play
from lusory.native.isolated_process import LibraryInterface, SandboxedLibrary, declare_functions
from lusory.native.whole_games_and_stepwise_play import BackgroundBuild, NativeDecision, NativeFailure, NativeSteps
from lusory.state.decisions_outcomes_and_faults import NoSuchOption, RulesetFault
from lusory.state.static_work_charges_and_list_bounds import Limits

DATA = read_data(__file__)

QUICK = ("-O0",)
SMALL = (("tic-tac-toe", 2), ("connect-four", 2), ("kuhn-poker", 2), ("hearts", 4))
TELLING = ("choices-3", "lists-2", "resumption-1", "some-1", "text-1", "loops-1", "effects-1", "piles-1", "numbers-1")
"""Chunks of conformance in which games wait in many ways; all: ``python -m tests.native --steps --conformance``."""


FAULTY = DATA["faulty"]


GROWING = DATA["growing"]
"""Lists that grow, so that all that stay are closed up at most decisions; and texts that stay."""


DICE = DATA["dice"]


def game_of(name: str, players: int | None = None) -> Game:
    return Game(bundled(name), players)


@needs_compiler
@pytest.mark.parametrize(("name", "players"), SMALL)
def test_native_steps_are_those_of_python(name: str, players: int) -> None:
    game = game_of(name, players)
    steps = NativeSteps(game, flags=QUICK)
    assert list(stepwise_differences(game, steps, range(1, 11))) == []
    assert list(differences(game, steps, range(1, 41))) == []
    assert steps.failure_count == 0


@needs_compiler
@pytest.mark.parametrize("name", TELLING)
def test_native_steps_of_conformance(name: str) -> None:
    game = Game(checked(CHUNKS[name].ruleset))
    assert list(stepwise_differences(game, NativeSteps(game, flags=QUICK), range(1, 11))) == []


@needs_compiler
def test_lists_and_texts_that_stay() -> None:
    game = Game(checked(GROWING))
    steps = NativeSteps(game, flags=QUICK)
    assert list(stepwise_differences(game, steps, range(2, 7, 2))) == []
    assert steps.failure_count == 0
    assert (
        list(stepwise_differences(game, steps, range(1, 6, 2))) == []
    )  # its texts come from Python: it is short of room
    assert steps.failure_count > 0


@needs_compiler
def test_native_steps_of_random_rulesets() -> None:
    """Many more: ``python -m tests.native --steps --random 500``."""
    for name, game in random_rulesets((2, 5)):
        steps = NativeSteps(game, flags=QUICK)
        assert (name, list(stepwise_differences(game, steps, range(1, 7)))) == (name, [])


@needs_compiler
def test_what_is_wrong_is_said_by_python() -> None:
    game = Game(checked(FAULTY))
    steps = NativeSteps(game, flags=QUICK)
    state = steps.start(1)
    with pytest.raises(NativeFailure):
        steps.apply(state, 1)
    with pytest.raises(RulesetFault, match="division by zero"):
        game.apply(steps.to_python(state), 1)
    assert steps.decision(steps.apply(state, 0)) is None


@needs_compiler
def test_a_score_that_costs_too_much_is_left_to_python() -> None:
    program = checked(DATA["a score that costs too much is left to python"])
    game = Game(program, limits=Limits(decision=100))
    steps = NativeSteps(game, flags=QUICK)
    with pytest.raises(NativeFailure):
        steps.outcome(steps.apply(steps.start(1), 1))


@needs_compiler
def test_a_block_that_comes_out_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of another game: who bets pays twice as much."""
    print_otherwise(
        monkeypatch,
        "= state->P_stake[checked_index(state, me_2, 2)] + 1;",
        "= state->P_stake[checked_index(state, me_2, 2)] + 2;",
        is_stepwise=True,
    )
    game = game_of("kuhn-poker")
    assert list(stepwise_differences(game, NativeSteps(game, flags=QUICK), range(1, 11)))


@needs_compiler
def test_states_are_values() -> None:
    game = game_of("leduc-poker")
    steps = NativeSteps(game, flags=QUICK)
    start = steps.start(3)
    one, other = steps.apply(start, 0), steps.apply(start, 1)
    assert steps.apply(start, 0) == one != other
    assert start == steps.start(3)
    for option in (-1, 99):
        with pytest.raises(NoSuchOption):
            steps.apply(start, option)


# ---------------------------------------------------------------- in a process of its own


@needs_compiler
def test_steps_apart_are_the_same() -> None:
    game = game_of("leduc-poker")
    here, apart = NativeSteps(game, flags=QUICK), NativeSteps(game, flags=QUICK, apart=True)
    assert list(stepwise_differences(game, apart, range(1, 4))) == []
    assert list(differences(game, apart, range(1, 4))) == []
    assert apart.count_decisions(1, 20) == here.count_decisions(1, 20)
    assert (apart.failure_count, apart.crashes.total()) == (0, 0)


@needs_compiler
def test_a_crash_costs_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirteen games write where nothing is; and its process is ended while nobody asks it."""
    begins = "    int64_t sum = 0;\n"
    print_otherwise(monkeypatch, begins, f"{begins}    if (count == 13) *(volatile int *)8 = 1;\n", is_stepwise=True)
    steps = NativeSteps(game_of("kuhn-poker"), flags=QUICK, apart=True)
    state = steps.start(1)
    expected = steps.count_decisions(1, 12)
    for most in (False, False, True):
        with pytest.raises(NativeFailure):
            steps.count_decisions(1, 13)
        assert steps.is_hopeless is most
        assert steps.apply(state, 0) == steps.apply(state, 0)
        assert steps.count_decisions(1, 12) == expected
    assert steps.crashes == {"Segmentation fault": 3}
    steps.library._process.kill()
    with pytest.raises(NativeFailure):
        steps.apply(state, 0)
    assert steps.decision(state) == NativeDecision(0, 2, 0)


@needs_compiler
def test_a_process_that_dies_at_once_is_no_native_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is built beside a game, in a thread in which nobody would hear of it."""

    def dies(library: SandboxedLibrary, face: LibraryInterface) -> None:
        declare_functions(library, face)
        library._process.kill()

    monkeypatch.setattr(whole_games_and_stepwise_play, "declare_functions", dies)
    building = BackgroundBuild(
        lambda notify: NativeSteps(game_of("kuhn-poker"), flags=QUICK, apart=True, notify=notify)
    )
    building._thread.join(60)
    assert (building.take(), building.reason) == (None, "Killed")


def test_a_full_disk_is_no_native_code() -> None:
    def full(began: object) -> NativeSteps:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    building = BackgroundBuild(full)
    building._thread.join(60)
    assert (building.take(), building.reason) == (None, "native code can't be kept: No space left on device")
