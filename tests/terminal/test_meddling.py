"""Full screens survive interference: stopping, continuing, resizing, and random clicks and keys.

Afterwards the screen is as before, and Ctrl-C ends the program with the usual exit code.
"""

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
from .person import DOWN, ENTER, ESCAPE, FUNCTION_KEYS, PAGES, UP

RECORDED = next(find_bundled_rulesets()["connect-four"].glob("playthroughs/*.txt"))


def wait_until(terminal: Emulated, condition: Callable[[], bool]) -> None:
    """Wait until a condition holds, at most a minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, terminal.text
        terminal.settle()


def is_stopped(terminal: Emulated) -> bool:
    return Path(f"/proc/{terminal.process}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def wait_for_stable_screen(terminal: Emulated) -> str:
    """Return the text of the screen when it no longer changes. Details of the highlighted item appear with a delay."""
    text = ""
    while text != terminal.text:
        text = terminal.text
        time.sleep(1)
        terminal.settle()
    return text


def stop_and_continue(terminal: Emulated, number: int) -> None:
    """Stop and continue the process, as a shell does with ``kill`` and ``fg``. Checks that the screen is restored."""
    before = wait_for_stable_screen(terminal)
    os.kill(terminal.process, number)
    wait_until(terminal, lambda: is_stopped(terminal))
    terminal.settle()  # reads the output from before the stop
    if number == signal.SIGTSTP:
        assert terminal.list_unrestored_settings() == []
    os.kill(terminal.process, signal.SIGCONT)
    wait_until(terminal, lambda: terminal.text == before)
    terminal.send(DOWN + UP)
    wait_until(terminal, lambda: terminal.text == before)


def interfere(terminal: Emulated, random: Random) -> None:
    """Resize the terminal, and send random mouse events and keys."""
    for _ in range(3):
        terminal.resize(random.randrange(4, 200), random.randrange(2, 60))
        for button in (35, 64, 65, 2):
            terminal.send(f"\x1b[<{button};{random.randrange(1, 90)};{random.randrange(1, 30)}M")
        terminal.send(random.choice((b"\xff\xc3\x28", b"\x1b[200~x\n\x1b[201~", b"\x1b[<0;")) + b"\x1b[201~")
        terminal.send(random.choice((*PAGES, *FUNCTION_KEYS, "\x1b[Z", "0")))


@pytest.mark.parametrize(
    ("arguments", "keys", "leaves"),
    [
        (["play", "tic-tac-toe", "--seed", "3"], ENTER, ["\x03", "\x03"]),
        ([], DOWN, ["\x03"]),
        (["replay", str(RECORDED)], "\x1b[F", ["\x03"]),
    ],
    ids=["table", "menu", "replay"],
)
def test_screens_are_restored(arguments: list[str], keys: str, leaves: list[str], tmp_path: Path) -> None:
    terminal = Emulated(arguments, tmp_path, (80, 24))
    terminal.settle()
    terminal.send(keys)
    for number in (signal.SIGTSTP, signal.SIGSTOP):
        stop_and_continue(terminal, number)
    before = wait_for_stable_screen(terminal)
    for size in ((60, 20), (200, 60), *([(30, 8)] if arguments[:1] != ["play"] else []), (80, 24)):
        terminal.resize(*size)
    wait_until(terminal, lambda: terminal.text == before)
    if arguments[:1] != ["play"]:  # whole games cover that
        interfere(terminal, Random(3))
        terminal.resize(80, 24)
        assert terminal.code is None
    if terminal.code is None and "Escape closes" in terminal.text:
        terminal.send(ESCAPE)
    for key in leaves:
        terminal.send(key)
    assert terminal.finish() == 130
    terminal.close()
    assert terminal.faults == []
