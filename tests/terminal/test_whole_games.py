"""Whole games at a real terminal, and that what is not in order there is found. All: ``python -m tests.terminal``."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pty", reason="this system has no pseudo-terminals")
if not Path("/proc/self/task").exists():
    pytest.skip("this system does not tell whether a process rests", allow_module_level=True)

from .__main__ import play
from .emulator import Emulated


@pytest.mark.parametrize(
    ("game", "size", "plain"),
    [("tic-tac-toe", (80, 24), False), ("kuhn-poker", (120, 40), False), ("tic-tac-toe", (80, 24), True)],
)
def test_a_whole_game_is_played_by_a_person(game: str, size: tuple[int, int], plain: bool) -> None:
    assert play(game, size, 1, plain) == []


FULL = "\x1b[?1049h\x1b[H" + "\r\n".join("abcde")
LEAVES = "\x1b[?1049l"


@pytest.mark.parametrize(
    ("written", "then", "fault"),
    [
        (FULL, LEAVES, ""),
        (FULL, "", "leaves the terminal in the modes [1049]"),
        (FULL + "\x1b[?1003h", LEAVES, "leaves the terminal in the modes [1003]"),
        (FULL + "\x1b[?25l", LEAVES, "leaves the cursor hidden"),
        (FULL + "\x1b[>1u", LEAVES, "leaves the keyboard in another mode"),
        (FULL + "x" * 80, LEAVES, "wider than 80"),
        (FULL + "\n" * 20, LEAVES, "taller than 24"),
        ("\x1b[?1049h", LEAVES, "a screen of (80, 24) stays empty"),
        ("Traceback (most recent call last)", "", "a traceback"),
    ],
)
def test_what_is_not_in_order_is_found(written: str, then: str, fault: str, tmp_path: Path) -> None:
    code = f"import sys; print({written!r}, end='', flush=True); sys.stdin.readline(); print({then!r})"
    terminal = Emulated([code], tmp_path, (80, 24), ("-c",))
    terminal.settle()
    terminal.send("\r")
    assert terminal.finish() == 0
    terminal.close()
    assert [found[: len(fault)] for found in terminal.faults] == ([fault] if fault else [])


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (
            "import subprocess, signal as s; s.signal(s.SIGHUP, s.SIG_IGN); subprocess.Popen(['sleep', '60'])",
            "leaves 1 processes",
        ),
        ("import tty; tty.setraw(0)", "leaves the terminal without echo, lines or signals"),
    ],
)
def test_what_is_left_is_found(code: str, fault: str, tmp_path: Path) -> None:
    terminal = Emulated([code], tmp_path, (80, 24), ("-c",))
    assert terminal.finish() == 0
    terminal.close()
    assert terminal.faults == [fault]
