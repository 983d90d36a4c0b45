"""Test secure random numbers, which nobody can predict, and games that use them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, strategies as st

from lusory.game import ENGINES, Game
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import Match
from lusory.play.recorded_game_data_and_replay import Transcript, add_decision, replay_transcript, start_transcript
from lusory.state import random_streams
from lusory.state.random_streams import MASK, Seed, draw_from_cell, shuffle_with_cell
from lusory.state.state import State
from lusory_dsl import load_program

SEED = "secure:000102030405060708090a0b0c0d0e0f"
RULESETS = Path(__file__).resolve().parents[2] / "rulesets"
SHUFFLED = RULESETS / "empires-end"


def draw_numbers(seed: Seed, stream: str, n: int, count: int) -> list[int]:
    cell, numbers = random_streams.start_stream(seed, stream), []
    for _ in range(count):
        cell, number = draw_from_cell(cell, n)
        numbers.append(number)
    return numbers


def test_numbers_of_a_secure_seed_never_change() -> None:
    """Saved games depend on these numbers. Changing them needs a new format version."""
    assert random_streams.start_stream(SEED, "dice") == ("22cf24cbbc5739036eb2e2e635576f29", 0)
    assert draw_numbers(SEED, "dice", 6, 12) == [1, 5, 0, 1, 3, 1, 4, 1, 0, 2, 5, 5]
    cards = list(range(8))
    shuffle_with_cell(random_streams.start_stream(SEED, "shuffle"), cards)
    assert cards == [7, 2, 3, 5, 1, 0, 4, 6]


@given(st.binary(min_size=16, max_size=16), st.integers(2, 1 << 32))
def test_cell_is_plain_data_that_continues_the_stream(bits: bytes, n: int) -> None:
    cell = random_streams.start_stream(random_streams.make_secure_seed(bits), "picks")
    key, n_used = json.loads(json.dumps(cell))
    assert draw_from_cell((key, n_used), n) == draw_from_cell(cell, n)
    assert 0 <= draw_from_cell(cell, n)[1] < n
    assert draw_from_cell(cell, 1) == (cell, 0)


@pytest.mark.parametrize("n", [2, 3, 6, 52])
def test_numbers_are_even(n: int) -> None:
    counts = Counter(draw_numbers(SEED, "dice", n, 400 * n))
    assert sorted(counts) == list(range(n))
    chi_squared = sum((count - 400) ** 2 / 400 for count in counts.values())
    assert chi_squared < 2 * n + 20


def test_every_secure_order_occurs() -> None:
    cell, orders = random_streams.start_stream(SEED, "shuffle"), Counter[tuple[int, ...]]()
    for _ in range(2400):
        items = [0, 1, 2, 3]
        cell = shuffle_with_cell(cell, items)
        orders[tuple(items)] += 1
    assert len(orders) == 24
    assert min(orders.values()) > 50


def test_streams_and_seats_have_their_own_keys() -> None:
    """No stream reveals another one: each key is a hash of name and seed, and never contains the seed."""
    keys = [random_streams.start_stream(SEED, stream)[0] for stream in ("setup", "shuffle", "dice", "picks")]  # type: ignore[index]
    assert len(set(keys)) == 4
    assert not any(SEED.removeprefix("secure:") in key for key in keys)
    own = {random_streams.derive_seed(SEED, f"seat {seat}") for seat in range(6)}
    assert len(own) == 6
    assert all(f"{number:016x}" not in key for number in own for key in keys)


def test_secure_numbers_reveal_no_later_numbers() -> None:
    """The fast generator exposes its state. A number of the secure one reveals nothing about later numbers."""
    quick = random_streams.seed_stream(7, "dice")
    after, _ = draw_from_cell(quick, 6)
    assert after == (quick * random_streams.MULTIPLIER + random_streams.INCREMENT) & MASK
    key, n_used = random_streams.start_stream(SEED, "dice")  # type: ignore[misc]
    assert draw_from_cell((key, n_used), 6)[0] == (key, 1)
    other_key = f"{int(key, 16) ^ 1:032x}"
    number_lists = [[draw_from_cell((k, i), 1 << 32)[1] for i in range(64)] for k in (key, other_key)]
    assert len({*number_lists[0]} & {*number_lists[1]}) == 0


@pytest.mark.parametrize(
    "text", ["secure:12", "secure:" + "g" * 32, "secure:" + "A" * 32, "1.5", "", "secure:" + "0" * 33]
)
def test_wrong_seeds_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"invalid literal|secure"):
        random_streams.parse_seed(text)


def test_shown_seed_can_be_typed() -> None:
    assert random_streams.parse_seed(SEED) == SEED
    assert random_streams.parse_seed("-7") == -7
    with pytest.raises(ValueError, match="16 bytes"):
        random_streams.make_secure_seed(b"short")
    with pytest.raises(ValueError, match="hexadecimal"):
        random_streams.start_stream("secure:12", "dice")


# ---------------------------------------------------------------- games


@pytest.fixture(scope="module")
def games() -> list[Game]:
    program = load_program(SHUFFLED)
    return [Game(program, 2, engine=engine) for engine in ENGINES]


@pytest.mark.slow
def test_both_engines_play_the_same_secure_game(games: list[Game]) -> None:
    expected, actual = (Match(game, [create_bot(RANDOM, SEED, seat) for seat in (0, 1)], SEED) for game in games)
    for match in (expected, actual):
        match.play()
    assert expected.log == actual.log
    assert expected.outcome == actual.outcome
    variant = Match(games[1], [create_bot(RANDOM, SEED, seat) for seat in (0, 1)], SEED[:-1] + "0")
    variant.play()
    assert variant.log != actual.log


@pytest.mark.parametrize("engine", range(len(ENGINES)), ids=ENGINES)
def test_state_with_a_secure_seed_is_a_value(games: list[Game], engine: int) -> None:
    """A state restored from JSON and a copied state must continue in the same way."""
    game = games[engine]
    state = game.start(SEED)
    random, stream_cells = Random(1), []
    for _ in range(120):
        decision = game.decision(state)
        if decision is None:
            break
        copy = State.from_json(json.loads(json.dumps(state.to_json())))
        assert copy == state
        assert hash(copy) == hash(state)
        index = random.randrange(len(decision.options))
        after = game.apply(state, index)
        assert game.apply(copy, index) == after == game.apply(state.copy(), index)
        stream_cells.append(tuple(after.cells[cell] for cell in game.layout.streams.values()))
        state = after
    assert len(set(stream_cells)) > 1, "chance decided something"


def test_recorded_game_names_its_generator(games: list[Game]) -> None:
    game = games[1]
    transcript, state = start_transcript(game, SEED), game.start(SEED)
    for _ in range(8):
        add_decision(game, transcript, state, 0)
        state = game.apply(state, 0)
    data = json.loads(json.dumps(transcript.to_json()))
    assert data["chance"] == "secure"
    assert "chance" not in start_transcript(game, 7).to_json()
    again = Transcript.from_json(data)
    assert again == transcript
    assert replay_transcript(game, again) == state
