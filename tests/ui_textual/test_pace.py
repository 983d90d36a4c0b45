"""Test that moves of bots are shown long enough to read, unless a key skips the pause."""

from __future__ import annotations

import asyncio
import time

import pytest
from full_table import AtTable, create_match, play_at_table
from programs import build_program, read_data, run_with

from lusory.game import Game
from lusory.play.bot_deciding_for_a_person_and_pacing import MAX_TOTAL_PAUSE, BotPace
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import Person

DATA = read_data(__file__)

HOURS = 10_000.0


async def press_until_bot_decides(table: AtTable) -> None:
    """Take a column, and wait until the title says that the bot decides."""
    table.app.key("3", "3")
    table.app.key("enter", None)
    for _ in range(500):
        if "P2 decides" in table.read_text("title"):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(table.read_text("title"))


def test_own_move_is_shown_while_a_bot_thinks_and_a_key_skips() -> None:
    async def play_steps(table: AtTable) -> None:
        start = time.monotonic()
        await press_until_bot_decides(table)
        assert table.read_text("table").count("X") == 1
        assert "Column c" in table.read_text("story")
        table.app.key("space", " ")
        await table.wait_until_settled()
        assert "Drop a disc" in table.read_text("title")
        assert table.read_text("table").count("O") == 1
        assert time.monotonic() - start < MAX_TOTAL_PAUSE

    table = play_at_table(play_steps, "connect-four", kind="flat:8", pace=HOURS)
    assert len(table.match.turns) == 2


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, []), (4.0, [4.0, 2.0])])
def test_pauses_shrink_to_a_limit(seconds: float, expected: list[float]) -> None:
    match = create_match("connect-four", people=0, kind="flat:8")
    pace = BotPace(seconds)
    pauses = [pace.take_remaining_seconds() for _ in range(3) if pace.is_shown(match)]
    assert pauses == pytest.approx(expected, abs=0.5)


FORCED = DATA["forced"]


@pytest.mark.parametrize("option_count", [1, 2])
def test_forced_choice_pauses_as_long_as_a_free_one(option_count: int) -> None:
    """A shorter pause would reveal that the bot had no choice."""
    game = Game(build_program(FORCED.replace("LEFT", str(option_count))), 2)
    match = Match(game, [Person(0, "P1"), create_bot("flat:8", 1, 1)], 1)
    pace = BotPace(4.0)
    match.take(0)
    pauses = [pace.take_remaining_seconds() for _ in pace.list_forced_choices(match, 0)]
    if match.decision is not None:
        assert pace.is_shown(match)
        pauses.append(pace.take_remaining_seconds())
    assert pauses == pytest.approx([4.0], abs=0.5)
    assert pace.list_forced_choices(match, len(match.log)) == []


@run_with(play_at_table, "connect-four", kind="flat:8", pace=HOURS)
async def test_keys_typed_while_a_bot_decides_wait_for_the_question(table: AtTable) -> None:
    """If letters were lost, Enter would take another option."""
    await press_until_bot_decides(table)
    for key in "ax":
        table.app.key(key, key)
    table.app.key("backspace", None)
    table.app.key("enter", None)
    assert "> a▏" in table.read_text("keys")
    await table.wait_until_settled()
    assert len(table.match.turns) == 2
    chooser = table.chooser
    assert chooser.query == "a" and "> a▏" in table.read_text("keys")
    await table.press("enter", "enter")
    turn = table.match.turns[2]
    assert turn.index == 0 and turn.seat == 0


@run_with(play_at_table, "nano-empire")
async def test_early_keys_end_no_turn_and_pick_nothing(table: AtTable) -> None:
    table.app.is_busy = True
    for key in (" ", "e"):
        table.app.key(key, key)
    await table.press("enter")
    table.app.is_busy = False
    table.app._replay_early_keys()
    chooser = table.chooser
    assert chooser.query == "e" and chooser.choosing.to_confirm is None
    assert not table.match.turns
