"""The menu of bare ``lusory``: every way through it ends in a command line."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from lusory.commands import menu
from lusory.folders import data_folder
from lusory.fullscreen.menu import Gives, MenuApp
from lusory.fullscreen.sheet import Sheet
from lusory.screen.text import plain


def gone_through(keys: tuple[str, ...], size: tuple[int, int] = (80, 24)) -> tuple[Gives | None, list[str]]:
    """What the menu gives after some keys, and what stood on it before the last."""

    async def play() -> tuple[Gives | None, list[str]]:
        app = MenuApp(menu._root)
        seen: list[str] = []
        async with app.run_test(size=size) as pilot:
            for key in keys:
                while app.busy or not app.pages:
                    await pilot.pause(0.01)
                seen = [plain(line) for sheet in app.query(Sheet) for line in sheet.lines]
                await pilot.press(key)
        return app.return_value, seen

    return asyncio.run(play())


def test_a_new_game_is_put_together() -> None:
    given, seen = gone_through(("enter", *"tic-tac", "enter", "down", "down", "right", "up", "up", "enter"))
    assert given == ("play", "tic-tac-toe", "--seats", "human,human")
    assert any("Seat 2  a person" in line for line in seen)


def test_players_options_and_packs_are_turned() -> None:
    given, _ = gone_through(("enter", *"engine", "enter", "down", "right", "right", "left", "up", "enter"))
    assert given is not None
    assert given[:2] == ("play", "empire-engine")
    assert given[3].count("random") in (1, 2)


@pytest.mark.parametrize("keys", [("escape",), ("ctrl+c",), ("enter", "escape", "escape"), ("up", "enter")])
def test_it_is_left(keys: tuple[str, ...]) -> None:
    assert not gone_through(keys)[0]


def test_rulebooks_are_read() -> None:
    given, seen = gone_through((*"rulebooks", "enter", *"kuhn", "enter", "pagedown", "x"))
    assert given is None
    assert any("Kuhn" in line for line in seen)


def test_elsewhere_bare_lusory_says_what_it_takes() -> None:
    done = subprocess.run([sys.executable, "-m", "lusory"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert "COMMAND" in done.stderr


def test_a_link_that_leads_nowhere_hides_no_saved_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = data_folder() / "saves"
    folder.mkdir(parents=True)
    (folder / "gone.json").symlink_to(folder / "nothing")
    (folder / "mine.json").write_text("{}")
    page = menu._saved()
    assert page is not None
    assert [entry.gives[-1] for entry in page.entries if entry.gives] == [str(folder / "mine.json")]
