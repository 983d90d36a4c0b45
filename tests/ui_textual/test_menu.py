"""The menu of bare ``lusory``: every way through it ends in a command line."""

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
from lusory.play import stored_results_settings_and_typed_lines as stored
from lusory.play.stored_results_settings_and_typed_lines import Settings
from lusory.support.user_folders_private_files_and_locks import get_data_folder
from lusory.ui.textual.generic_menu_app import INTERRUPTS, Gives, MenuApp, Page, text_page
from lusory.ui.textual.scrollable_lines_and_cursor_movement import Sheet


def gone_through(
    keys: tuple[str, ...], size: tuple[int, int] = (80, 24), first: Callable[[], Page] = start_menu._show_main
) -> tuple[Gives | None, list[str]]:
    """What the menu gives after some keys, and what stood on it before the last."""

    async def play() -> tuple[Gives | None, list[str]]:
        app = MenuApp(first)
        seen: list[str] = []
        async with app.run_test(size=size) as pilot:
            for key in keys:
                while app.busy or not app.pages:
                    await pilot.pause(0.01)
                seen = [to_text(line) for sheet in app.query(Sheet) for line in sheet.lines]
                await pilot.press(key)
        return app.return_value, seen

    return asyncio.run(play())


def test_a_new_game_is_put_together() -> None:
    given, seen = gone_through(("enter", *"tic-tac", "enter", "down", "down", "right", "right", "up", "up", "enter"))
    assert given == ("play", "tic-tac-toe", "--seats", "human,human")
    assert any("Seat 2  a person" in line for line in seen)


def test_players_options_and_packs_are_turned() -> None:
    given, _ = gone_through(("enter", *"engine", "enter", "down", "right", "right", "left", "up", "enter"))
    assert given is not None
    assert given[:2] == ("play", "empire-engine")
    assert given[3].count("strong") in (1, 2)


@pytest.mark.parametrize("keys", [("escape",), ("ctrl+q",), ("enter", "escape", "escape"), ("up", "enter")])
def test_it_is_left(keys: tuple[str, ...]) -> None:
    assert not gone_through(keys)[0]


@pytest.mark.parametrize("keys", [("ctrl+c",), (*"rulebooks", "enter", *"kuhn", "enter", "ctrl+c")])
def test_it_is_interrupted(keys: tuple[str, ...]) -> None:
    assert gone_through(keys)[0] == INTERRUPTS


def test_a_menu_of_one_text_is_interrupted() -> None:
    assert gone_through(("ctrl+c",), first=lambda: text_page("Rules", ["You win."]))[0] == INTERRUPTS
    assert gone_through(("enter",), first=lambda: text_page("Rules", ["You win."]))[0] is None


def test_where_nothing_fits_it_says_so() -> None:
    _, seen = gone_through((*"zzz", "escape", "escape"))
    assert not any("Nothing fits" in line for line in seen)
    _, seen = gone_through((*"zzz", "ctrl+q"))
    assert any("Nothing fits" in line for line in seen)


def test_home_and_end_lead_to_the_first_and_the_last() -> None:
    assert not gone_through(("end", "enter"))[0]
    given, _ = gone_through(("end", "home", "enter", *"tic-tac", "enter", "enter"))
    assert given == ("play", "tic-tac-toe", "--seats", "human,strong")


def test_rulebooks_are_read() -> None:
    given, seen = gone_through((*"rulebooks", "enter", *"kuhn", "enter", "pagedown", "x"))
    assert given is None
    assert any("Kuhn" in line for line in seen)


def test_elsewhere_bare_lusory_says_what_it_takes() -> None:
    done = subprocess.run([sys.executable, "-m", "lusory"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "COMMAND" in done.stderr


def begun(game: str, *keys: str) -> tuple[Gives | None, list[str]]:
    return gone_through((*"new", "enter", *game, "enter", *keys, "enter"), (120, 40))


def test_a_game_begins_as_it_was_begun_last(user_folders: Path) -> None:
    stored.write_settings("engines-of-war", Settings(("human", "human", "random"), ("Ann", "", ""), (), ("the-tide",)))
    as_before = ("play", "engines-of-war", "--seats", "human,human,random", "--names", "Ann", "--with", "the-tide")
    given, seen = begun("engines")
    assert given == as_before
    assert any("a person, Ann" in line for line in seen)
    given, _ = begun("engines", "up", "right", "up", *["pageup"] * 2)
    assert given == ("play", "engines-of-war", "--seats", "human,strong")


def test_what_does_not_fit_the_game_any_more_is_told_and_left_out(user_folders: Path) -> None:
    stored.write_settings("tic-tac-toe", Settings(("human",) * 9, (), (("speed", "7"),), ("gone",)))
    given, seen = begun("tic-tac")
    assert given == ("play", "tic-tac-toe", "--seats", "human,strong")
    told = " ".join(" ".join(seen).split())
    for words in ("no pack gone", "option speed=7", "seats no longer fit"):
        assert words in told


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"tic-tac-toe": 3}', '{"tic-tac-toe": {"kinds": "human"}}', "[" * 90_000]
)
def test_damaged_settings_are_told_and_ignored(user_folders: Path, content: str) -> None:
    stored.write_settings("tic-tac-toe", Settings(("human", "human")))
    as_it_comes = start_menu._create_setup("tic-tac-toe", load_cached_program("tic-tac-toe"), ())
    assert start_menu._restore_setup(as_it_comes) != as_it_comes
    stored.get_settings_file().write_text(content)
    found = start_menu._restore_setup(as_it_comes)
    assert found.command == as_it_comes.command
    assert any("can't be read" in to_text(line) for line in start_menu._show_setup(found).entries[0].about)


def test_settings_that_others_can_write_are_ignored(user_folders: Path) -> None:
    stored.write_settings("tic-tac-toe", Settings(("human", "human")))
    stored.get_settings_file().chmod(0o666)
    assert start_menu._restore_setup(
        start_menu._create_setup("tic-tac-toe", load_cached_program("tic-tac-toe"), ())
    ).kinds == ("human", "strong")


def test_only_a_game_that_is_begun_by_hand_is_kept(user_folders: Path) -> None:
    """Neither a saved game of somebody else nor going on with one changes how a game begins."""
    line = [sys.executable, "-m", "lusory", "play", "tic-tac-toe", "--seats", "human,human", "--names", "Ann"]
    save = user_folders / "theirs.json"
    subprocess.run(line, input=f"1\nsave {save}\nquit\n", capture_output=True, text=True, check=True)
    assert stored.read_settings("tic-tac-toe") == Settings(("human", "human"), ("Ann", ""))
    save.write_text(save.read_text().replace('"Ann"', '"Eve"').replace('"human"', '"random"', 1))
    subprocess.run([*line[:4], "--load", str(save)], input="quit\n", capture_output=True, text=True, check=True)
    assert stored.read_settings("tic-tac-toe") == Settings(("human", "human"), ("Ann", ""))


def test_my_games_are_told(user_folders: Path) -> None:
    stored.add_record(
        stored.GameRecord("fair", "Fair", ("human", "random"), ("Ann", "P2"), (1, 2), (0,), 12, "2026-01-30")
    )
    _, seen = gone_through((*"my games", "enter", "x"))
    assert any("Ann against random" in line and "2026-01-30" in line for line in seen)


def test_a_link_that_leads_nowhere_hides_no_saved_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = get_data_folder() / "saves"
    folder.mkdir(parents=True)
    (folder / "gone.json").symlink_to(folder / "nothing")
    (folder / "mine.json").write_text("{}")
    page = start_menu._show_saves()
    assert page is not None
    assert [entry.gives[-1] for entry in page.entries if entry.gives] == [str(folder / "mine.json")]
