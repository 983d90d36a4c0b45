"""What bots do is shown for as long as it takes to read it, unless somebody is in a hurry."""

from __future__ import annotations

import asyncio
import time

import pytest
from full_table import AtTable, match_of, sit
from programs import checked, played_by, read_data

from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.bot_takeover_and_pacing import MAX_TOTAL_PAUSE, BotPace
from lusory.play.match import Match
from lusory.ui.line.line_session import Person

DATA = read_data(__file__)

HOURS = 10_000.0


async def under_way(table: AtTable) -> None:
    """Until a bot's turn is shown."""
    table.app.key("3", "3")
    table.app.key("enter", None)
    for _ in range(500):
        if "P2 decides" in table.text("title"):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(table.text("title"))


def test_ones_own_move_is_there_while_a_bot_thinks_and_a_key_goes_on() -> None:
    async def steps(table: AtTable) -> None:
        began = time.monotonic()
        await under_way(table)
        assert table.text("table").count("X") == 1
        assert "Column c" in table.text("story")
        table.app.key("space", " ")
        await table.settled()
        assert "Drop a disc" in table.text("title")
        assert table.text("table").count("O") == 1
        assert time.monotonic() - began < MAX_TOTAL_PAUSE

    table = sit(steps, "connect-four", kind="flat:8", pace=HOURS)
    assert len(table.match.turns) == 2


@pytest.mark.parametrize(("seconds", "waited"), [(0.0, []), (4.0, [4.0, 2.0])])
def test_nobody_waits_longer_than_is_bearable(seconds: float, waited: list[float]) -> None:
    match = match_of("connect-four", people=0, kind="flat:8")
    pace = BotPace(seconds)
    found = [pace.take_remaining_seconds() for _ in range(3) if pace.is_shown(match)]
    assert found == pytest.approx(waited, abs=0.5)


FORCED = DATA["forced"]


@pytest.mark.parametrize("left", [1, 2])
def test_a_forced_choice_of_a_bot_takes_as_long_as_a_free_one(left: int) -> None:
    """Otherwise the others would learn that the bot had no choice."""
    game = Game(checked(FORCED.replace("LEFT", str(left))), 2)
    match = Match(game, [Person(0, "P1"), create_bot("flat:8", 1, 1)], 1)
    pace = BotPace(4.0)
    match.take(0)
    waits = [pace.take_remaining_seconds() for _ in pace.list_forced_choices(match, 0)]
    if match.decision is not None:
        assert pace.is_shown(match)
        waits.append(pace.take_remaining_seconds())
    assert waits == pytest.approx([4.0], abs=0.5)
    assert pace.list_forced_choices(match, len(match.log)) == []


@played_by(sit, "connect-four", kind="flat:8", pace=HOURS)
async def test_what_is_typed_while_a_bot_decides_waits_for_the_question(at: AtTable) -> None:
    """Lost letters would let the Enter after them take another option."""
    await under_way(at)
    for key in "ax":
        at.app.key(key, key)
    at.app.key("backspace", None)
    at.app.key("enter", None)
    assert "> a▏" in at.text("keys")
    await at.settled()
    assert len(at.match.turns) == 2
    chooser = at.chooser
    assert chooser.typed == "a" and "> a▏" in at.text("keys")
    await at.press("enter", "enter")
    turn = at.match.turns[2]
    assert turn.index == 0 and turn.seat == 0


@played_by(sit, "nano-empire")
async def test_no_key_that_came_early_ends_a_turn_or_picks_anything(at: AtTable) -> None:
    at.app.busy = True
    for key in (" ", "e"):
        at.app.key(key, key)
    await at.press("enter")
    at.app.busy = False
    at.app._replay_early_keys()
    chooser = at.chooser
    assert chooser.typed == "e" and chooser.choosing.unconfirmed is None
    assert not at.match.turns
