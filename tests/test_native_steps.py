"""Stepwise play in native code equals Python at every decision. ``python -m tests.native --steps`` compares more."""

from __future__ import annotations

import errno
import os

import pytest
from native import find_differences, find_stepwise_differences, load_random_rulesets, needs_compiler, plant_fault
from programs import build_program, load_bundled, read_data
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
SAMPLE = ("choices-3", "lists-2", "resumption-1", "some-1", "text-1", "loops-1", "effects-1", "piles-1", "numbers-1")
"""Conformance chunks with many kinds of choices. ``python -m tests.native --steps --conformance`` covers all."""


FAULTY = DATA["faulty"]


GROWING = DATA["growing"]
"""A ruleset with growing lists, which are compacted at most decisions, and with stored texts."""


DICE = DATA["dice"]


def load_game(name: str, players: int | None = None) -> Game:
    return Game(load_bundled(name), players)


@needs_compiler
@pytest.mark.parametrize(("name", "players"), SMALL)
def test_native_steps_equal_python(name: str, players: int) -> None:
    game = load_game(name, players)
    steps = NativeSteps(game, flags=QUICK)
    assert list(find_stepwise_differences(game, steps, range(1, 11))) == []
    assert list(find_differences(game, steps, range(1, 41))) == []
    assert steps.failure_count == 0


@needs_compiler
@pytest.mark.parametrize("name", SAMPLE)
def test_native_steps_of_conformance_equal_python(name: str) -> None:
    game = Game(build_program(CHUNKS[name].ruleset))
    assert list(find_stepwise_differences(game, NativeSteps(game, flags=QUICK), range(1, 11))) == []


@needs_compiler
def test_stored_lists_and_texts_equal_python() -> None:
    game = Game(build_program(GROWING))
    steps = NativeSteps(game, flags=QUICK)
    assert list(find_stepwise_differences(game, steps, range(2, 7, 2))) == []
    assert steps.failure_count == 0
    assert (
        list(find_stepwise_differences(game, steps, range(1, 6, 2))) == []
    )  # its texts come from Python and don't fit
    assert steps.failure_count > 0


@needs_compiler
def test_native_steps_of_random_rulesets_equal_python() -> None:
    """``python -m tests.native --steps --random 500`` plays many more."""
    for name, game in load_random_rulesets((2, 5)):
        steps = NativeSteps(game, flags=QUICK)
        assert (name, list(find_stepwise_differences(game, steps, range(1, 7)))) == (name, [])


@needs_compiler
def test_python_reports_faults() -> None:
    game = Game(build_program(FAULTY))
    steps = NativeSteps(game, flags=QUICK)
    state = steps.start(1)
    with pytest.raises(NativeFailure):
        steps.apply(state, 1)
    with pytest.raises(RulesetFault, match="division by zero"):
        game.apply(steps.to_python(state), 1)
    assert steps.decision(steps.apply(state, 0)) is None


@needs_compiler
def test_a_costly_score_is_left_to_python() -> None:
    program = build_program(DATA["costly score"])
    game = Game(program, limits=Limits(decision=100))
    steps = NativeSteps(game, flags=QUICK)
    with pytest.raises(NativeFailure):
        steps.outcome(steps.apply(steps.start(1), 1))


@needs_compiler
def test_a_planted_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault doubles the price of a bet."""
    plant_fault(
        monkeypatch,
        "= state->P_stake[checked_index(state, me_2, 2)] + 1;",
        "= state->P_stake[checked_index(state, me_2, 2)] + 2;",
        is_stepwise=True,
    )
    game = load_game("kuhn-poker")
    assert list(find_stepwise_differences(game, NativeSteps(game, flags=QUICK), range(1, 11)))


@needs_compiler
def test_states_are_values() -> None:
    game = load_game("leduc-poker")
    steps = NativeSteps(game, flags=QUICK)
    start = steps.start(3)
    first, second = steps.apply(start, 0), steps.apply(start, 1)
    assert steps.apply(start, 0) == first != second
    assert start == steps.start(3)
    for option in (-1, 99):
        with pytest.raises(NoSuchOption):
            steps.apply(start, option)


# ---------------------------------------------------------------- a separate process


@needs_compiler
def test_steps_in_a_separate_process_are_the_same() -> None:
    game = load_game("leduc-poker")
    here, apart = NativeSteps(game, flags=QUICK), NativeSteps(game, flags=QUICK, is_sandboxed=True)
    assert list(find_stepwise_differences(game, apart, range(1, 4))) == []
    assert list(find_differences(game, apart, range(1, 4))) == []
    assert apart.count_decisions(1, 20) == here.count_decisions(1, 20)
    assert (apart.failure_count, apart.crashes.total()) == (0, 0)


@needs_compiler
def test_a_crash_costs_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls with thirteen games write to an invalid address. Later the idle process is killed."""
    begins = "    int64_t sum = 0;\n"
    plant_fault(monkeypatch, begins, f"{begins}    if (count == 13) *(volatile int *)8 = 1;\n", is_stepwise=True)
    steps = NativeSteps(load_game("kuhn-poker"), flags=QUICK, is_sandboxed=True)
    state = steps.start(1)
    expected = steps.count_decisions(1, 12)
    for is_hopeless in (False, False, True):
        with pytest.raises(NativeFailure):
            steps.count_decisions(1, 13)
        assert steps.is_hopeless is is_hopeless
        assert steps.apply(state, 0) == steps.apply(state, 0)
        assert steps.count_decisions(1, 12) == expected
    assert steps.crashes == {"Segmentation fault": 3}
    steps.library._process.kill()
    with pytest.raises(NativeFailure):
        steps.apply(state, 0)
    assert steps.decision(state) == NativeDecision(0, 2, 0)


@needs_compiler
def test_a_process_that_dies_at_once_disables_native_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """The background build, which runs in a thread, reports this too."""

    def kill(library: SandboxedLibrary, face: LibraryInterface) -> None:
        declare_functions(library, face)
        library._process.kill()

    monkeypatch.setattr(whole_games_and_stepwise_play, "declare_functions", kill)
    building = BackgroundBuild(
        lambda notify: NativeSteps(load_game("kuhn-poker"), flags=QUICK, is_sandboxed=True, notify=notify)
    )
    building._thread.join(60)
    assert (building.take(), building.reason) == (None, "Killed")


def test_a_full_disk_disables_native_code() -> None:
    def fail(began: object) -> NativeSteps:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    building = BackgroundBuild(fail)
    building._thread.join(60)
    assert (building.take(), building.reason) == (None, "native code can't be kept: No space left on device")
