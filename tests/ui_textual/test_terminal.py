"""Test that the full screen works in a pseudo-terminal, and restores the terminal however it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from at_terminal import open_terminal
from programs import read_data

DATA = read_data(__file__)

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
LEAVES = b"\x1b[?1049l"
ENTERS = b"\x1b[?1049h"


def encode_keys(name: str) -> bytes:
    """Return the words as bytes, or the escape sequence that they name."""
    return {"ENTERS": ENTERS, "LEAVES": LEAVES, "WIPES": b"\r\x1b[K"}.get(name, name.encode())


@pytest.mark.parametrize("case", DATA["terminals"], ids=lambda case: case["test"])
def test_terminal(case: dict[str, Any], tmp_path: Path) -> None:
    """Each step presses keys, waits for words, or checks the exit code."""
    command = case.get("command", "play tic-tac-toe --seed 3").split(" ")
    has_ended = False
    with open_terminal(tmp_path, *command, term=case.get("term", "xterm-256color")) as terminal:
        for step in case["steps"]:
            for name, value in step.items():
                data = encode_keys(value) if isinstance(value, str) else b""
                match name:
                    case "begin":
                        terminal.leave_start_page(data)
                    case "press":
                        terminal.press(value if isinstance(value, bytes) else data)
                    case "until":
                        terminal.wait_for(data)
                    case "rest":  # let running work finish, which would wake the process
                        time.sleep(value)
                    case "signal":
                        os.kill(terminal.process, getattr(signal, value))
                    case "code":
                        assert terminal.wait_for_exit() == value
                        has_ended = True
                    case _:
                        raise AssertionError(f"no step is called {name}")
        output = terminal.output
        assert [data for data in case.get("shown", ()) if encode_keys(data) not in output] == []
        assert [data for data in case.get("lacks", ()) if encode_keys(data) in output] == []
        if "first" in case:
            assert output.startswith(case["first"].encode() + encode_keys("WIPES"))
            before, _, _ = output.partition(encode_keys(case["steps"][0]["until"]))
            assert "…".encode() not in before.rpartition(encode_keys("WIPES"))[2]
        if "last" in case:
            assert case["last"].encode() in output.rpartition(LEAVES)[2]
    if has_ended:
        assert bool(list(tmp_path.rglob("*.journal"))) == case.get("is_kept", False)


def test_full_screen_never_overwrites_a_file_that_is_no_save(tmp_path: Path) -> None:
    """No question is asked, because the full screen takes all keys."""
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes")
    with open_terminal(tmp_path, "play", "tic-tac-toe", "--seed", "3") as terminal:
        terminal.leave_start_page(b"Mark a square")
        terminal.press(f"save {notes}\r".encode())
        terminal.wait_for(b"Nothing was written")
        terminal.press(b"\x11")
        terminal.wait_for(b"throws")
        terminal.press(b"d")
        assert terminal.wait_for_exit() == 0
    assert notes.read_text() == "my notes"


def test_bot_replaces_a_killed_guest(tmp_path: Path) -> None:
    """The other guest plays on, and ends with the host."""
    command = [sys.executable, "-m", "lusory", "host", "tic-tac-toe", "--seats", "human,human", "--names", "Ann,Bob"]
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    host = subprocess.Popen(
        [*command, "--port", "0", "--patience", "0"],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert host.stdout is not None
    try:
        lines = [host.stdout.readline() for _ in range(5)]
        addresses = [line.split()[-1] for line in lines if "lusory join" in line]
        with open_terminal(tmp_path, "join", addresses[0]) as ann, open_terminal(tmp_path, "join", addresses[1]) as bob:
            ann.leave_start_page(b"Mark a square")
            ann.press(b"\r")
            bob.leave_start_page(b"Mark a square")
            os.kill(bob.process, signal.SIGKILL)
            ann.wait_for(b"a bot plays on")
            ann.wait_for(b"Mark a square")
            host.send_signal(signal.SIGTERM)
            assert host.wait(60) == 128 + signal.SIGTERM
            assert ann.wait_for_exit() == 0
            assert b"The host has closed the game." in ann.output
    finally:
        host.kill()
        host.stdout.close()
    assert list(tmp_path.rglob("*.journal"))


def test_closed_terminal_ends_the_process(tmp_path: Path) -> None:
    with open_terminal(tmp_path) as terminal:
        terminal.wait_for(b"New game")
        os.close(terminal.end)
        terminal.end = os.open(os.devnull, os.O_RDONLY)
        assert terminal.wait_for_exit() == 128 + signal.SIGHUP


THREAD_LEFT_BEHIND = DATA["left"]
"""Textual leaves its key-reading thread running, as it does after losing its terminal."""


def test_key_reading_thread_ends_with_the_full_screen(tmp_path: Path) -> None:
    with open_terminal(tmp_path, command=("-c", THREAD_LEFT_BEHIND)) as terminal:
        terminal.wait_for(b"the end")
        assert terminal.wait_for_exit(20) == 0


COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-9]|4[0-9]|9[0-7]|10[0-7])(?:;\d+)*m")


@pytest.mark.parametrize("is_plain", [True, False])
def test_no_color_sends_no_colour_codes(is_plain: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if is_plain:
        monkeypatch.setenv("NO_COLOR", "1")
    with open_terminal(tmp_path, "play", "tic-tac-toe", "--seed", "3") as terminal:
        terminal.leave_start_page(b"Mark a square")
        terminal.press(b"\r")
        terminal.wait_for(b"undo: ")
        terminal.press(b"\x11")
        terminal.wait_for(b"throws")
        assert bool(COLOUR.search(terminal.output)) != is_plain
        assert b"\x1b[1m" in terminal.output or b"\x1b[7m" in terminal.output or not is_plain
        terminal.press(b"d")
        assert terminal.wait_for_exit() == 0
