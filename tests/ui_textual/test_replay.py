"""Test stepping through the decisions of a recorded game from each seat."""

from __future__ import annotations

import asyncio
from itertools import takewhile

from full_table import create_match

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.play.match import Match
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.textual.dialogs_start_page_and_descriptions import Page
from lusory.ui.textual.replay_local_and_remote_sessions import RecordedGame, ReplayApp
from lusory.ui.textual.scrollable_lines_and_cursor_movement import Sheet

NAMES = ("Ann", "Bob")


def play_match(name: str) -> Match:
    match = create_match(name, people=0, players=2)
    match.play()
    return match


def test_keys_step_through_the_decisions() -> None:
    recording = RecordedGame(play_match("tic-tac-toe"), NAMES, lambda name: None)

    async def play() -> list[str]:
        app, screens = ReplayApp(recording), []
        async with app.run_test(size=(80, 24)) as pilot:
            for keys in ((), ("right",), ("right", "right", "left"), ("end",), ("pageup", "home"), ("tab",)):
                await pilot.press(*keys)
                await pilot.pause()
                lines = [*app.query_one("#title", Sheet).lines, *app.query_one("#options", Sheet).lines]
                screens.append("\n".join(map(to_text, lines)).strip("─ "))
            await pilot.press("q")
        return screens

    screens = asyncio.run(play())
    number = recording.length
    assert [text.split(",")[0] for text in screens] == [f"Decision {n} of {number}" for n in (1, 2, 3, number, 1, 1)]
    assert "Ann: " in screens[0]
    assert "wins" in screens[3] or "draw" in screens[3]
    assert "seen by Bob" in screens[5]


def test_click_opens_the_description() -> None:
    async def play() -> None:
        app = ReplayApp(RecordedGame(play_match("tic-tac-toe"), NAMES, lambda name: None))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            table = app.query_one("#table", Sheet)
            row, line = next((y, line) for y, line in enumerate(table.lines) if any(run.of for run in line))
            column = sum(len(run.text) for run in takewhile(lambda run: not run.of, line))
            await pilot.click("#table", offset=(column, row))
            async with asyncio.timeout(60):
                while not isinstance(app.screen, Page):
                    await pilot.pause(0.02)

    asyncio.run(play())


def test_recorded_seat_sees_only_what_it_saw_in_the_match() -> None:
    match = play_match("leduc-poker")
    recording = RecordedGame(match, NAMES, lambda name: None)
    replay = create_match("leduc-poker", people=2, players=2)
    for turn in match.turns:
        for seat in (0, 1, None):
            recording.seat = seat
            assert recording.make_screen().panels == build_screen(replay, seat, NAMES).panels
        replay.take(turn.index)
        recording.step(1)
    assert recording.make_screen().ending is not None
