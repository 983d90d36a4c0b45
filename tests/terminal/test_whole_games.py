"""Play whole games in a real terminal, and check that faults are detected. ``python -m tests.terminal`` plays more."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import read_data

pytest.importorskip("pty", reason="this system has no pseudo-terminals")
if not Path("/proc/self/task").exists():
    pytest.skip("this system does not tell whether a process rests", allow_module_level=True)

from .__main__ import play
from .emulator import Emulated

DATA = read_data(__file__)


@pytest.mark.parametrize(
    ("game", "size", "is_plain"),
    [("tic-tac-toe", (80, 24), False), ("kuhn-poker", (120, 40), False), ("tic-tac-toe", (80, 24), True)],
)
def test_a_simulated_person_plays_a_whole_game(game: str, size: tuple[int, int], is_plain: bool) -> None:
    assert play(game, size, 1, is_plain) == []


@pytest.mark.parametrize(("output", "last_output", "fault"), DATA["faults of the screen"])
def test_faults_of_the_screen_are_detected(output: str, last_output: str, fault: str, tmp_path: Path) -> None:
    code = f"import sys; print({output!r}, end='', flush=True); sys.stdin.readline(); print({last_output!r})"
    terminal = Emulated([code], tmp_path, (80, 24), ("-c",))
    terminal.settle()
    terminal.send("\r")
    assert terminal.finish() == 0
    terminal.close()
    assert [message[: len(fault)] for message in terminal.faults] == ([fault] if fault else [])


@pytest.mark.parametrize(("code", "fault"), DATA["remaining processes and settings"])
def test_remaining_processes_and_settings_are_detected(code: str, fault: str, tmp_path: Path) -> None:
    terminal = Emulated([code], tmp_path, (80, 24), ("-c",))
    assert terminal.finish() == 0
    terminal.close()
    assert terminal.faults == [fault]
