"""Whole games at a real terminal, and that what is not in order there is found. All: ``python -m tests.terminal``."""

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
    ("game", "size", "plain"),
    [("tic-tac-toe", (80, 24), False), ("kuhn-poker", (120, 40), False), ("tic-tac-toe", (80, 24), True)],
)
def test_a_whole_game_is_played_by_a_person(game: str, size: tuple[int, int], plain: bool) -> None:
    assert play(game, size, 1, plain) == []


@pytest.mark.parametrize(("written", "then", "fault"), DATA["what is not in order is found"])
def test_what_is_not_in_order_is_found(written: str, then: str, fault: str, tmp_path: Path) -> None:
    code = f"import sys; print({written!r}, end='', flush=True); sys.stdin.readline(); print({then!r})"
    terminal = Emulated([code], tmp_path, (80, 24), ("-c",))
    terminal.settle()
    terminal.send("\r")
    assert terminal.finish() == 0
    terminal.close()
    assert [found[: len(fault)] for found in terminal.faults] == ([fault] if fault else [])


@pytest.mark.parametrize(("code", "fault"), DATA["what is left is found"])
def test_what_is_left_is_found(code: str, fault: str, tmp_path: Path) -> None:
    terminal = Emulated([code], tmp_path, (80, 24), ("-c",))
    assert terminal.finish() == 0
    terminal.close()
    assert terminal.faults == [fault]
