"""Test that every way through the menu of bare ``lusory`` ends in a command line."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lusory.commands.game_loading_seats_and_output import load_cached_program
from lusory.commands.handlers import start_menu
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.play import stored_results_settings_and_dataclass_json as stored
from lusory.play.stored_results_settings_and_dataclass_json import Settings
from lusory.support.user_folders_private_files_and_locks import get_data_folder
from lusory.ui.textual.generic_menu_app import INTERRUPTS, Gives, MenuApp, Page, make_page
from lusory.ui.textual.scrollable_lines_and_cursor_movement import Sheet


def press_keys(
    keys: tuple[str, ...], size: tuple[int, int] = (80, 24), first: Callable[[], Page] = start_menu._show_main
) -> tuple[Gives | None, list[str]]:
    """Press the keys. Return the command line of the menu, and the lines shown before the last key."""

    async def play() -> tuple[Gives | None, list[str]]:
        app = MenuApp(first)
        lines: list[str] = []
        async with app.run_test(size=size) as pilot:
            for key in keys:
                while app.is_busy or not app.pages:
                    await pilot.pause(0.01)
                lines = [to_text(line) for sheet in app.query(Sheet) for line in sheet.lines]
                await pilot.press(key)
        return app.return_value, lines

    return asyncio.run(play())


def test_new_game_takes_seats() -> None:
    command, lines = press_keys(("enter", *"tic-tac", "enter", "down", "down", "right", "right", "up", "up", "enter"))
    assert command == ("play", "tic-tac-toe", "--seats", "human,human")
    assert any("Seat 2  a person" in line for line in lines)


def test_players_and_options_change_with_arrow_keys() -> None:
    command, _ = press_keys(("enter", *"engine", "enter", "down", "right", "right", "left", "up", "enter"))
    assert command is not None and command[:2] == ("play", "empire-engine")
    assert command[3].count("strong") in (1, 2)


@pytest.mark.parametrize("keys", [("escape",), ("ctrl+q",), ("enter", "escape", "escape"), ("up", "enter")])
def test_menu_is_left(keys: tuple[str, ...]) -> None:
    assert not press_keys(keys)[0]


@pytest.mark.parametrize("keys", [("ctrl+c",), (*"rulebooks", "enter", *"kuhn", "enter", "ctrl+c")])
def test_menu_is_interrupted(keys: tuple[str, ...]) -> None:
    assert press_keys(keys)[0] == INTERRUPTS


def test_text_page_is_interrupted() -> None:
    assert press_keys(("ctrl+c",), first=lambda: make_page("Rules", ["You win."]))[0] == INTERRUPTS
    assert press_keys(("enter",), first=lambda: make_page("Rules", ["You win."]))[0] is None


def test_filter_without_matches_says_so() -> None:
    _, lines = press_keys((*"zzz", "escape", "escape"))
    assert not any("Nothing fits" in line for line in lines)
    _, lines = press_keys((*"zzz", "ctrl+q"))
    assert any("Nothing fits" in line for line in lines)


def test_home_and_end_select_first_and_last() -> None:
    assert not press_keys(("end", "enter"))[0]
    command, _ = press_keys(("end", "home", "enter", *"tic-tac", "enter", "enter"))
    assert command == ("play", "tic-tac-toe", "--seats", "human,strong")


def test_rulebooks_are_read() -> None:
    command, lines = press_keys((*"rulebooks", "enter", *"kuhn", "enter", "pagedown", "x"))
    assert command is None
    assert any("Kuhn" in line for line in lines)


def test_without_terminal_lusory_prints_usage() -> None:
    process = subprocess.run([sys.executable, "-m", "lusory"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert process.returncode == 2
    assert "COMMAND" in process.stderr


def start_game(game: str, *keys: str) -> tuple[Gives | None, list[str]]:
    return press_keys((*"new", "enter", *game, "enter", *keys, "enter"), (120, 40))


def test_settings_of_the_last_game_return(user_folders: Path) -> None:
    stored.write_settings("engines-of-war", Settings(("human", "human", "random"), ("Ann", "", ""), (), ("the-tide",)))
    last_command = ("play", "engines-of-war", "--seats", "human,human,random", "--names", "Ann", "--with", "the-tide")
    command, lines = start_game("engines")
    assert command == last_command
    assert any("a person, Ann" in line for line in lines)
    command, _ = start_game("engines", "up", "right", "up", *["pageup"] * 2)
    assert command == ("play", "engines-of-war", "--seats", "human,strong")


@pytest.mark.parametrize("settings", [Settings(("human",) * 9), Settings(("human",) * 2, (), (("speed", "7"),))])
def test_settings_that_no_longer_fit_are_dropped_and_reported(settings: Settings, user_folders: Path) -> None:
    stored.write_settings("tic-tac-toe", settings)
    command, lines = start_game("tic-tac")
    assert command == ("play", "tic-tac-toe", "--seats", "human,strong")
    assert "can't be used any more" in " ".join(" ".join(lines).split())


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"tic-tac-toe": 3}', '{"tic-tac-toe": {"kinds": "human"}}', "[" * 90_000]
)
def test_damaged_settings_are_ignored(user_folders: Path, content: str) -> None:
    stored.write_settings("tic-tac-toe", Settings(("human", "human")))
    default = start_menu._create_setup("tic-tac-toe", load_cached_program("tic-tac-toe"), ())
    assert start_menu._restore_setup(default) != default
    stored.get_settings_file().write_text(content)
    assert start_menu._restore_setup(default) == default


def test_settings_that_others_can_write_are_ignored(user_folders: Path) -> None:
    stored.write_settings("tic-tac-toe", Settings(("human", "human")))
    stored.get_settings_file().chmod(0o666)
    assert start_menu._restore_setup(
        start_menu._create_setup("tic-tac-toe", load_cached_program("tic-tac-toe"), ())
    ).kinds == ("human", "strong")


def test_only_started_games_keep_their_settings(user_folders: Path) -> None:
    """Loading a save, even another person's, keeps no settings."""
    line = [sys.executable, "-m", "lusory", "play", "tic-tac-toe", "--seats", "human,human", "--names", "Ann"]
    save = user_folders / "theirs.json"
    subprocess.run(line, input=f"1\nsave {save}\nquit\n", capture_output=True, text=True, check=True)
    assert stored.read_settings("tic-tac-toe") == Settings(("human", "human"), ("Ann", ""))
    save.write_text(save.read_text().replace('"Ann"', '"Eve"').replace('"human"', '"random"', 1))
    subprocess.run([*line[:4], "--load", str(save)], input="quit\n", capture_output=True, text=True, check=True)
    assert stored.read_settings("tic-tac-toe") == Settings(("human", "human"), ("Ann", ""))


def test_my_games_are_listed(user_folders: Path) -> None:
    stored.add_record(
        stored.GameRecord("fair", "Fair", ("human", "random"), ("Ann", "P2"), (1, 2), (0,), 12, "2026-01-30")
    )
    _, lines = press_keys((*"my games", "enter", "x"))
    assert any("Ann against random" in line and "2026-01-30" in line for line in lines)


def test_broken_link_hides_no_saved_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = get_data_folder() / "saves"
    folder.mkdir(parents=True)
    (folder / "gone.json").symlink_to(folder / "nothing")
    (folder / "mine.json").write_text("{}")
    page = start_menu._show_saves()
    assert page is not None
    assert [entry.gives[-1] for entry in page.entries if entry.gives] == [str(folder / "mine.json")]
