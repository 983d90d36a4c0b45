"""Stepping through a recorded game: each decision, from each seat."""

from __future__ import annotations

import asyncio
from itertools import takewhile

from full_table import match_of

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.play.match import Match
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.textual.dialogs_start_page_and_descriptions import Page
from lusory.ui.textual.replay_local_and_remote_sessions import RecordedGame, ReplayApp
from lusory.ui.textual.scrollable_lines_and_cursor_movement import Sheet

NAMES = ("Ann", "Bob")


def played(name: str) -> Match:
    match = match_of(name, people=0, players=2)
    match.play()
    return match


def test_keys_go_through_the_decisions() -> None:
    recorded = RecordedGame(played("tic-tac-toe"), NAMES, lambda name: None)

    async def play() -> list[str]:
        app, seen = ReplayApp(recorded), []
        async with app.run_test(size=(80, 24)) as pilot:
            for keys in ((), ("right",), ("right", "right", "left"), ("end",), ("pageup", "home"), ("tab",)):
                await pilot.press(*keys)
                await pilot.pause()
                lines = [*app.query_one("#title", Sheet).lines, *app.query_one("#options", Sheet).lines]
                seen.append("\n".join(map(to_text, lines)).strip("─ "))
            await pilot.press("q")
        return seen

    seen = asyncio.run(play())
    number = recorded.length
    assert [text.split(",")[0] for text in seen] == [f"Decision {at} of {number}" for at in (1, 2, 3, number, 1, 1)]
    assert "Ann: " in seen[0]
    assert "wins" in seen[3] or "draw" in seen[3]
    assert "seen by Bob" in seen[5]


def test_the_mouse_looks() -> None:
    async def play() -> None:
        app = ReplayApp(RecordedGame(played("tic-tac-toe"), NAMES, lambda name: None))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            table = app.query_one("#table", Sheet)
            row, line = next((r, line) for r, line in enumerate(table.lines) if any(run.of for run in line))
            column = sum(len(run.text) for run in takewhile(lambda run: not run.of, line))
            await pilot.click("#table", offset=(column, row))
            async with asyncio.timeout(60):
                while not isinstance(app.screen, Page):
                    await pilot.pause(0.02)

    asyncio.run(play())


def test_a_seat_sees_what_it_saw_then() -> None:
    """Not what came to light later: the panels of each moment are those of the match when it was there."""
    match = played("leduc-poker")
    recorded = RecordedGame(match, NAMES, lambda name: None)
    again = match_of("leduc-poker", people=2, players=2)
    for turn in match.turns:
        for seat in (0, 1, None):
            recorded.seat = seat
            assert recorded.screen().panels == build_screen(again, seat, NAMES).panels
        again.take(turn.index)
        recorded.step(1)
    assert recorded.screen().ending is not None
