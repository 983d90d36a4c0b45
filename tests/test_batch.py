"""Batches play many games at once, exactly as each game alone, in native code and in Python."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import Any

import numpy
import pytest
from native import needs_compiler
from programs import build_program
from test_native_steps import FAULTY, QUICK, load_game

from lusory.batch import HIDDEN, NONE, Batch, NoAction, vector_env
from lusory.game import Game
from lusory.native.c_compiler import NoNative
from lusory.view.redacted_state import Unknown, redact_state

ARRAYS = ("seat", "options", "legal", "done", "wrong", "returns", "seeds")
GAMES = (("connect-four", 2), ("kuhn-poker", 2), ("leduc-poker", 2), ("hearts", 4), ("love-letter", 3))


@pytest.fixture(autouse=True)
def _build_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_env, "NativeSteps", partial(vector_env.NativeSteps, flags=QUICK))


def choose_actions(options: Any, number: int) -> Any:
    """Return a legal action for each state, different in each state and step, and 99 for states without a decision."""
    actions = (numpy.arange(len(options)) * 7 + number * 5) % numpy.maximum(options, 1)
    return numpy.where(options > 0, actions, 99)


def are_equal(first: Batch, second: Batch) -> bool:
    return all(numpy.array_equal(getattr(first, name), getattr(second, name), equal_nan=True) for name in ARRAYS)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("name", "players"), GAMES)
def test_native_batches_equal_python(name: str, players: int) -> None:
    """Compares decisions, results and observations, and checks that observations hide secrets."""
    game = load_game(name, players)
    native, slow = Batch(game, 6, seed=3, restart=True, native=True), Batch(game, 6, seed=3, restart=True, native=False)
    native_ends = 0
    for number in range(60):
        assert are_equal(native, slow)
        for seat in range(-2, players):
            observation = native.observe(seat)
            assert observation.tolist() == slow.observe(seat).tolist()
            if number % 10 == 5 and seat >= -1:
                check_hidden_values(slow, observation, seat)
        assert [native.state(at).cells for at in range(6)] == [slow.state(at).cells for at in range(6)]
        actions = choose_actions(native.options, number)
        native.step(actions)
        slow.step(actions)
        native_ends += int(native.done.sum())
    assert native_ends or name == "hearts"


def check_hidden_values(batch: Batch, observation: Any, seat: int) -> None:
    """Check that an observation hides everything that the redacted state of the seat hides."""
    setting = batch.game.setting
    layout = setting.layout
    cells = [layout.places[name].at(index) for name, index in batch._encoder.cells]
    for index in range(batch.count):
        view = redact_state(setting, batch.state(index), None if seat < 0 else seat)
        for entry, number in zip(batch.sees, observation[index].tolist(), strict=True):
            if entry.kind in ("zone", "place") and isinstance(view.cells[layout.location + int(entry.at[0])], Unknown):
                assert number == HIDDEN, entry
        for cell, number in zip(cells, observation[index].tolist(), strict=False):
            assert number == HIDDEN or not isinstance(view.cells[cell], Unknown)


@pytest.mark.parametrize("is_native", [pytest.param(True, marks=needs_compiler), False])
@pytest.mark.parametrize(("name", "players"), [("connect-four", 2), ("love-letter", 3)])
def test_a_state_plays_the_game_of_its_seed(name: str, players: int, is_native: bool) -> None:
    game = load_game(name, players)
    batch = Batch(game, 3, seed=11, native=is_native)
    states = [game.start(11 + index) for index in range(3)]
    assert batch.seeds.tolist() == [11, 12, 13]
    for number in range(200):
        decisions = [game.decision(state) for state in states]
        assert batch.options.tolist() == [0 if decision is None else len(decision.options) for decision in decisions]
        assert batch.seat.tolist() == [-1 if decision is None else decision.seat for decision in decisions]
        assert batch.done.tolist() == [decision is None for decision in decisions]
        assert batch.legal.sum(axis=1).tolist() == batch.options.tolist()
        if batch.done.all():
            break
        actions = choose_actions(batch.options, number)
        batch.step(actions)
        steps = zip(states, decisions, actions.tolist(), strict=True)
        states = [state if decision is None else game.apply(state, action) for state, decision, action in steps]
    outcomes = [game.outcome(state) for state in states]
    assert batch.returns.tolist() == [list(outcome.payoffs) for outcome in outcomes if outcome is not None]


@pytest.mark.parametrize("is_native", [pytest.param(True, marks=needs_compiler), False])
def test_a_finished_game_is_restarted(is_native: bool) -> None:
    batch = Batch(load_game("kuhn-poker"), 4, restart=True, native=is_native)
    for _ in range(3):
        batch.step(numpy.zeros(4, int))
        if batch.done.any():
            break
    index = int(batch.done.argmax())
    assert (batch.seeds[index], batch.options[index] > 1, batch.returns[index].any()) == (1 + index + 4, True, True)
    batch.step(numpy.zeros(4, int))
    assert not batch.done[index] and not batch.returns[index].any()


@pytest.mark.parametrize("is_native", [pytest.param(True, marks=needs_compiler), False])
def test_single_games_can_be_reset(is_native: bool) -> None:
    batch = Batch(load_game("tic-tac-toe"), 3, native=is_native)
    batch.step([0, 0, 0])
    batch.reset([1])
    assert (batch.options.tolist(), batch.seeds.tolist()) == ([8, 9, 8], [1, 5, 3])
    batch.reset(numpy.array([True, False, False]), seeds=[70, 71, 72])
    assert (batch.options.tolist(), batch.seeds.tolist()) == ([9, 9, 8], [70, 5, 3])


@pytest.mark.parametrize("is_native", [pytest.param(True, marks=needs_compiler), False])
def test_a_fault_stops_only_its_own_game(is_native: bool) -> None:
    batch = Batch(Game(build_program(FAULTY)), 3, native=is_native)
    batch.step([0, 1, 0])
    assert (batch.wrong.tolist(), batch.done.tolist()) == ([False, True, False], [True, False, True])
    assert numpy.isnan(batch.returns[1]).all() and not numpy.isnan(batch.returns[::2]).any()
    assert "division by zero" in batch.why(1)
    with pytest.raises(ValueError, match="nothing is wrong with state 0"):
        batch.why(0)
    batch.reset(batch.wrong)
    assert (batch.wrong.tolist(), batch.options.tolist()) == ([False] * 3, [0, 2, 0])


@pytest.mark.parametrize("is_native", [pytest.param(True, marks=needs_compiler), False])
def test_too_many_options_are_reported(is_native: bool) -> None:
    batch = Batch(load_game("tic-tac-toe"), 2, most=8, native=is_native)
    assert batch.wrong.all() and batch.legal.shape == (2, 8)
    assert "9 options, and room for 8" in batch.why(0)


@needs_compiler
def test_a_fault_of_native_code_alone_is_reported() -> None:
    batch = Batch(load_game("tic-tac-toe"), 2, native=True)
    batch.wrong[0] = True
    assert batch.why(0) == "native code was short of room: play with `native=False`"
    batch.step([0, 0])
    assert batch.wrong.tolist() == [True, False]


@pytest.mark.parametrize("is_native", [pytest.param(True, marks=needs_compiler), False])
def test_a_fault_before_the_first_decision_is_reported(is_native: bool) -> None:
    text = FAULTY.replace("      by players", "      set heap to 1 div (heap - 1)\n      by players")
    batch = Batch(Game(build_program(text)), 2, native=is_native)
    assert batch.wrong.all() and "division by zero" in batch.why(1)
    assert (batch.observe() == HIDDEN).all()
    batch.step([0, 0])


@pytest.mark.parametrize("is_native", [pytest.param(True, marks=needs_compiler), False])
def test_an_illegal_action_changes_no_state(is_native: bool) -> None:
    batch = Batch(load_game("tic-tac-toe"), 2, native=is_native)
    for actions in ([0, 9], [0, -1]):
        with pytest.raises(NoAction, match="state 1 has no action"):
            batch.step(actions)
    for wrong in ([0], [[0, 0]], [0.0, 1.0], numpy.array([True, False])):
        with pytest.raises(ValueError, match="actions are 2 whole numbers"):
            batch.step(wrong)
    assert batch.options.tolist() == [9, 9]


@needs_compiler
def test_arrays_are_changed_in_place() -> None:
    batch = Batch(load_game("tic-tac-toe"), 2)
    before = [getattr(batch, name) for name in ARRAYS]
    observation = batch.observe()
    batch.step(numpy.array([3, 4]))
    assert all(getattr(batch, name) is array for name, array in zip(ARRAYS, before, strict=True))
    assert batch.observe(into=observation) is observation and batch.most == 9
    for into in (observation[:1], observation.astype("int64"), observation.T):
        with pytest.raises(ValueError, match="`observe` made"):
            batch.observe(into=into)


def test_without_a_compiler_batches_use_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NoNative("there is no C compiler")

    monkeypatch.setattr(vector_env, "NativeSteps", refuse)
    batch = Batch(load_game("tic-tac-toe"), 2)
    assert (batch.native, batch.refused) == (False, "there is no C compiler")
    batch.step([0, 1])
    assert batch.options.tolist() == [8, 8]
    with pytest.raises(NoNative):
        Batch(load_game("tic-tac-toe"), 2, native=True)


def test_a_mask_needs_an_entry_for_each_state() -> None:
    batch = Batch(load_game("tic-tac-toe"), 2, native=False)
    with pytest.raises(IndexError, match="boolean index"):
        batch.reset(numpy.array([True]))


def test_a_mask_of_floats_is_no_list_of_state_numbers() -> None:
    batch = Batch(load_game("tic-tac-toe"), 2, native=False)
    with pytest.raises(IndexError, match="integer"):
        batch.reset(numpy.array([1.0, 0.0]))
    batch.reset([])


def test_entries_have_unique_descriptions() -> None:
    batch = Batch(load_game("kuhn-poker"), 1, native=False)
    words = [str(entry) for entry in batch.sees]
    assert len(words) == len(set(words)) == batch.observe().shape[1]
    assert {entry.kind for entry in batch.sees} == {"cell", "count", "zone", "place"}
    assert {HIDDEN, NONE} & set(batch.observe(-1)[0].tolist())


def test_a_missing_numpy_is_named() -> None:
    code = "import sys; sys.modules['numpy'] = None\nimport lusory.batch"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'lusory[batch]'" in run.stderr
