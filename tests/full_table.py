"""Drive the full-screen table in tests: start a match, press keys, click, and read the text of the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path

from programs import create_bundled_game
from textual.pilot import Pilot

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import Person
from lusory.ui.line.line_session import FileResult
from lusory.ui.model.game_introduction_page import NO_SET_UPS, SetUps
from lusory.ui.session.match_service_answering_seat_requests import MatchService
from lusory.ui.session.same_process_link import LocalLink
from lusory.ui.textual import game_screen, terminal_and_signal_handling
from lusory.ui.textual.choice_input_state_preview_and_key_hints import Chooser
from lusory.ui.textual.game_screen import TableApp
from lusory.ui.textual.recap_and_bot_takeover import Mode
from lusory.ui.textual.scrollable_lines_and_cursor_movement import Sheet
from lusory.ui.textual.terminal_and_signal_handling import TableResult
from lusory_dsl.core import Program
from lusory_dsl.pipeline import load_program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

FIXTURES = Path(__file__).parent / "fixtures"
SMALL = (80, 24)
LARGE = (120, 40)

terminal_and_signal_handling.HASTY = 0.0  # these tests press Enter as fast as they can
game_screen.RESULT_PAUSE = 0.0  # and letters as soon as the game is over


class Files:
    """Fake storage for saved games that records the requested file names."""

    def __init__(self) -> None:
        self.file_names: list[str | None] = []

    def save(self, file: str | None) -> FileResult:
        self.file_names.append(file)
        return FileResult(True, "Saved.")

    def record_result(self, match: Match) -> bool:
        """Return False: no saved game is updated."""
        return False


@cache
def load_test_program(name: str) -> Program:
    """Return the program of a bundled ruleset or of a fixture."""
    return load_program(find_bundled_rulesets().get(name, FIXTURES / f"{name}.yaml"))


@cache
def create_game(name: str, players: int | None) -> Game:
    """Return a compiled game. Games of bundled rulesets are compiled once per session."""
    return (
        create_bundled_game(name, players)
        if name in find_bundled_rulesets()
        else Game(load_test_program(name), players)
    )


def create_match(
    name: str, people: int = 1, seed: int = 3, players: int | None = None, kind: str = RANDOM, picks: Sequence[int] = ()
) -> Match:
    """Return a match after the decisions ``picks``.

    People take the first ``people`` seats. Bots of the kind ``kind`` take the others.
    """
    game = create_game(name, players)
    match_players = [
        Person(seat, f"P{seat + 1}") if seat < people else create_bot(kind, seed, seat) for seat in range(game.players)
    ]
    return Match(game, match_players, seed, picks)


def find_position(at: AtTable, sheet: str, of: str) -> tuple[int, int]:
    """Return the column and the visible row of the text that represents ``of`` on a sheet.

    Raises AssertionError if the sheet has no such text.
    """
    widget = at.app.screen.query_one(f"#{sheet}", Sheet)
    for row, line in enumerate(widget.lines):
        column = 0
        for run in line:
            if run.of == of:
                return column, row - widget.scroll_offset.y
            column += len(run.text)
    raise AssertionError(f"{of} is not there")


class AtTable:
    """Test driver for the full-screen table: sends input to the app and reads its text."""

    def __init__(self, app: TableApp, pilot: Pilot[TableResult], match: Match, files: Files) -> None:
        self.app, self.pilot, self.match, self.files = app, pilot, match, files

    @property
    def chooser(self) -> Chooser:
        """Return the choice that is under way. Raises AssertionError if nothing is asked."""
        assert self.app.chooser is not None
        return self.app.chooser

    async def press(self, *keys: str) -> None:
        """Press keys one after another and wait for the app after each."""
        for key in keys:
            await self.pilot.press(key)
            await self.wait_until_settled()

    async def click(self, sheet: str, of: str) -> None:
        """Click the text that represents ``of`` on a sheet, then wait for the app."""
        self.app.screen.query_one(f"#{sheet}", Sheet).reveal(0)
        assert await self.pilot.click(f"#{sheet}", offset=find_position(self, sheet, of)), of
        await self.wait_until_settled()

    async def type(self, words: str) -> None:
        for letter in words:
            self.app.key("space" if letter == " " else letter, letter)
        await self.wait_until_settled()

    async def wait_until_settled(self) -> None:
        """Wait until the app is idle: no decision is being sent, no bot is playing and the screen is up to date."""
        link = self.app.link
        assert isinstance(link, LocalLink)
        for _ in range(1000):
            await self.pilot.pause()
            is_sending = any(worker.name == "send" and not worker.is_finished for worker in self.app.workers)
            is_coming = self.app.frame is None and not self.app.is_hidden
            if not (is_sending or is_coming or link.is_busy or self.app.is_busy) or not self.app.is_running:
                break
            await asyncio.sleep(0.002)
        await self.pilot.pause()

    def read_text(self, *names: str) -> str:
        """Return the text of the named sheets, or of every sheet on the screen."""
        parts = names or tuple(str(sheet.id) for sheet in self.app.screen.query(Sheet) if sheet.display)
        return "\n".join(to_text(line) for name in parts for line in self.app.screen.query_one(f"#{name}", Sheet).lines)


def play_at_table(
    steps: Callable[[AtTable], Awaitable[None]],
    name: str,
    size: tuple[int, int] = SMALL,
    people: int = 1,
    kind: str = RANDOM,
    pace: float = 0.0,
    picks: Sequence[int] = (),
    is_secretive: bool | None = None,
    has_touch: bool = False,
    recap: Mode = "never",
    shows_start_page: bool = False,
    set_ups: SetUps = NO_SET_UPS,
    **more: int,
) -> AtTable:
    """Start a match on a terminal of ``size`` (columns, rows), run ``steps`` and return the driver.

    ``picks`` are decisions made before the table opens. ``is_secretive`` says whether the table hides secrets between
    two people; by default it does when several people play. ``recap`` says when the table stops for a recap.
    ``shows_start_page`` shows the start page first, with the games of ``set_ups``. ``more`` goes to
    :func:`create_match`.
    """
    match, files = create_match(name, people, kind=kind, picks=picks, **more), Files()
    names = [f"P{seat + 1}" for seat in range(match.game.players)]
    hides = people > 1 if is_secretive is None else is_secretive

    async def play() -> AtTable:
        link = LocalLink(MatchService(match, names, lambda name: f"the rules of {name}"), files, hides, pace=pace)
        app = TableApp(link, has_touch, set_ups)
        app.recap.mode, app.is_introduced = recap, not shows_start_page
        async with app.run_test(size=size) as pilot:
            at = AtTable(app, pilot, match, files)
            await at.wait_until_settled()
            await steps(at)
        return at

    return asyncio.run(play())
