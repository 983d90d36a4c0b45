"""Play whole games in a real terminal: ``python -m tests.terminal [GAME …] [--games N] [--size 80x24]``.

A simulated person plays with keys and mouse, and makes mistakes. The game is interrupted in the middle, resumed, and
played to its end. ``--plain`` uses the line mode. The command reports faults: tracebacks, empty screens, output beyond
the edges, a terminal that isn't restored, and processes that are left running.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

from .emulator import Emulated
from .person import Person


def play(game: str, size: tuple[int, int], seed: int, is_plain: bool = False, moves: int = 1500) -> list[str]:
    """Play a whole game of one person against bots. Returns the faults."""
    random = Random(f"{game} {size} {seed} {is_plain}")
    options = ["--plain"] if is_plain else []
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        first = Emulated(["play", game, "--seed", str(seed), *options], folder, size)
        first.settle()
        if is_plain == first.is_full:
            first.faults.append("opens the wrong mode")
        person = Person(first, random)
        is_over = person.play(random.randrange(3, 12))
        # So few moves end a game only if the person typed a command for that.
        if not is_over:
            faults = interrupt(first, random)
            match = re.search(r"To go on: lusory (.+?)\r?\n", first.raw.decode(errors="replace"))
            # Without a decision nothing is saved.
            arguments = shlex.split(match[1]) if match else ["play", game, f"--seed={seed}"]
            second = Emulated([*arguments, *options], folder, size)
            second.settle()
            person = Person(second, random)
            is_over = person.play(moves)
        else:
            faults, second = [], first
        if not is_over and second.code is None:
            second.faults.append(f"is not over after {moves} moves; the last: {person.last_moves}\n{second.text}")
        elif second.code is None:
            leave(second, person)
        if second.finish(20) not in (0, None):
            second.faults.append(f"ends with {second.code}: {bytes(second.raw[-600:]).decode(errors='replace')}")
        second.close()
    return [*faults, *second.faults]


def interrupt(terminal: Emulated, random: Random) -> list[str]:
    """Interrupt a game with two Ctrl-C or SIGTERM, and wait for its end. Returns the faults so far."""
    by_signal = random.random() < 0.3
    if by_signal:
        os.kill(terminal.process, signal.SIGTERM)
    else:
        terminal.send("\x03")
        terminal.send("\x03")
    code = terminal.finish(20)
    if code != (128 + signal.SIGTERM if by_signal else 130):
        terminal.faults.append(f"is interrupted and ends with {code}: {terminal.text.strip()[-400:]}")
    terminal.close()
    return terminal.faults


def leave(terminal: Emulated, person: Person) -> None:
    """Leave a game that is over, after a resize and a look at the log."""
    if terminal.in_lines:
        return
    terminal.resize(60, 20)
    terminal.resize(*person.size)
    # Letters are keys only on a page that has been visible for a while.
    for letter in "lq":
        wait(terminal)
        terminal.send(letter)
        wait(terminal)
        person.tidy()
        if terminal.code is None and not person.is_over:
            terminal.faults.append(f"forgets that the game is over:\n{terminal.text}")


def wait(terminal: Emulated) -> None:
    """Wait until letters are keys on the page of the result."""
    time.sleep(2)  # twice RESULT_PAUSE, which other tests set to 0 in their own process
    terminal.settle()


def main() -> int:
    """Return the exit status: 1 if there were faults, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.terminal", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="bundled rulesets (default: all)")
    parser.add_argument("--games", dest="many", type=int, default=1, help="games of each ruleset (default: 1)")
    parser.add_argument("--size", action="append", help="COLUMNSxROWS; may be repeated (default: 80x24)")
    parser.add_argument("--plain", action="store_true", help="use the line mode")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game (default: 1)")
    args = parser.parse_args()
    sizes = [(int(columns), int(rows)) for columns, _, rows in (size.partition("x") for size in args.size or ["80x24"])]
    fault_count = 0
    for game in args.games or find_bundled_rulesets():
        for size in sizes:
            for seed in range(args.seed, args.seed + args.many):
                start = time.monotonic()
                faults = play(game, size, seed, args.plain)
                took = time.monotonic() - start
                print(f"{game} {size[0]}x{size[1]} seed {seed}: {len(faults) or 'no'} faults, {took:.0f} s", flush=True)
                for fault in dict.fromkeys(faults):
                    print(f"  {fault}", flush=True)
                fault_count += len(faults)
    return int(bool(fault_count))


if __name__ == "__main__":
    sys.exit(main())
