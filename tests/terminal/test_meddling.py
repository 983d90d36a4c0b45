"""Every full screen, meddled with from outside: stopped, gone on with, made too small and large again, clicked at and
typed at without sense. It stands again as it was, and Ctrl-C leaves it with the exit code of who interrupts."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

pytest.importorskip("pty", reason="this system has no pseudo-terminals")
if not Path("/proc/self/task").exists():
    pytest.skip("this system does not tell whether a process rests", allow_module_level=True)

from .emulator import Emulated
from .person import DOWN, ENTER, ESCAPE, PAGES, UP, F

RECORDED = next(find_bundled_rulesets()["connect-four"].glob("playthroughs/*.txt"))


def until(terminal: Emulated, holds: Callable[[], bool]) -> None:
    """Wait until something is so."""
    stop = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < stop, terminal.text
        terminal.settle()


def is_stopped(terminal: Emulated) -> bool:
    return Path(f"/proc/{terminal.process}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def stands(terminal: Emulated) -> str:
    """The screen, once nothing more comes for a while: what the cursor rests on is told a moment later."""
    text = ""
    while text != terminal.text:
        text = terminal.text
        time.sleep(1)
        terminal.settle()
    return text


def stop_and_go_on(terminal: Emulated, number: int) -> None:
    """As a shell does with ``kill`` and ``fg``: the terminal is as the shell left it."""
    before = stands(terminal)
    os.kill(terminal.process, number)
    until(terminal, lambda: is_stopped(terminal))
    terminal.settle()  # what it wrote before it stopped may not have been read yet
    if number == signal.SIGTSTP:
        assert terminal.kept() == []
    os.kill(terminal.process, signal.SIGCONT)
    until(terminal, lambda: terminal.text == before)
    terminal.send(DOWN + UP)
    until(terminal, lambda: terminal.text == before)


def meddle(terminal: Emulated, random: Random) -> None:
    """What no person means."""
    for _ in range(3):
        terminal.resize(random.randrange(4, 200), random.randrange(2, 60))
        for button in (35, 64, 65, 2):
            terminal.send(f"\x1b[<{button};{random.randrange(1, 90)};{random.randrange(1, 30)}M")
        terminal.send(random.choice((b"\xff\xc3\x28", b"\x1b[200~x\n\x1b[201~", b"\x1b[<0;")) + b"\x1b[201~")
        terminal.send(random.choice((*PAGES, *F, "\x1b[Z", "0")))


@pytest.mark.parametrize(
    ("arguments", "keys", "leaves"),
    [
        (["play", "tic-tac-toe", "--seed", "3"], ENTER, ["\x03", "\x03"]),
        ([], DOWN, ["\x03"]),
        (["replay", str(RECORDED)], "\x1b[F", ["\x03"]),
    ],
    ids=["table", "menu", "replay"],
)
def test_it_stands_again_as_it_was(arguments: list[str], keys: str, leaves: list[str], tmp_path: Path) -> None:
    terminal = Emulated(arguments, tmp_path, (80, 24))
    terminal.settle()
    terminal.send(keys)
    for number in (signal.SIGTSTP, signal.SIGSTOP):
        stop_and_go_on(terminal, number)
    before = stands(terminal)
    for size in ((60, 20), (200, 60), *([(30, 8)] if arguments[:1] != ["play"] else []), (80, 24)):
        terminal.resize(*size)
    until(terminal, lambda: terminal.text == before)
    if arguments[:1] != ["play"]:  # that is tried in whole games
        meddle(terminal, Random(3))
        terminal.resize(80, 24)
        assert terminal.code is None
    if terminal.code is None and "Escape closes" in terminal.text:
        terminal.send(ESCAPE)
    for key in leaves:
        terminal.send(key)
    assert terminal.finish() == 130
    terminal.close()
    assert terminal.faults == []
