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

from lusory.ui.textual.terminal_and_signal_handling import LETTER_PAUSE
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

from .emulator import Emulated
from .person import Person


def play(game: str, size: tuple[int, int], seed: int, plain: bool = False, moves: int = 1500) -> list[str]:
    """Play a whole game of one person against bots. Returns the faults."""
    random = Random(f"{game} {size} {seed} {plain}")
    more = ["--plain"] if plain else []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        first = Emulated(["play", game, "--seed", str(seed), *more], folder, size)
        first.settle()
        if plain == first.is_full:
            first.faults.append("is at the wrong table")
        person = Person(first, random)
        is_over = person.play(random.randrange(3, 12))
        # So few moves never end a game unless the person typed something that does.
        if not is_over:
            faults = interrupt(first, random)
            told = re.search(r"To go on: lusory (.+?)\r?\n", first.raw.decode(errors="replace"))
            # Without a decision nothing is saved.
            again = shlex.split(told[1]) if told else ["play", game, f"--seed={seed}"]
            then = Emulated([*again, *more], folder, size)
            then.settle()
            person = Person(then, random)
            is_over = person.play(moves)
        else:
            faults, then = [], first
        if not is_over and then.code is None:
            then.faults.append(f"is not over after {moves} moves; the last: {person.done}\n{then.text}")
        elif then.code is None:
            leave(then, person)
        if then.finish(20) not in (0, None):
            then.faults.append(f"ends with {then.code}: {bytes(then.raw[-600:]).decode(errors='replace')}")
        then.close()
    return [*faults, *then.faults]


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
    # Letters are keys only on a page that was visible before, and after a pause.
    for letter in "lq":
        wait(terminal)
        terminal.send(letter)
        wait(terminal)
        person.tidy()
        if terminal.code is None and not person.is_over:
            terminal.faults.append(f"forgets that the game is over:\n{terminal.text}")


def wait(terminal: Emulated) -> None:
    """Wait for longer than the pause after which a letter is a key."""
    time.sleep(2 * LETTER_PAUSE)
    terminal.settle()


def main() -> int:
    """Return the exit status: 1 if there were faults, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.terminal", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="bundled rulesets (default: all)")
    parser.add_argument("--games", dest="many", type=int, default=1, help="how many of each (default: 1)")
    parser.add_argument("--size", action="append", help="COLUMNSxROWS; may be repeated (default: 80x24)")
    parser.add_argument("--plain", action="store_true", help="line by line")
    parser.add_argument("--seed", type=int, default=1, help="of the first game (default: 1)")
    args = parser.parse_args()
    sizes = [(int(c), int(r)) for c, _, r in (size.partition("x") for size in args.size or ["80x24"])]
    found = 0
    for game in args.games or find_bundled_rulesets():
        for size in sizes:
            for seed in range(args.seed, args.seed + args.many):
                begun = time.monotonic()
                faults = play(game, size, seed, args.plain)
                took = time.monotonic() - begun
                print(f"{game} {size[0]}x{size[1]} seed {seed}: {len(faults) or 'no'} faults, {took:.0f} s", flush=True)
                for fault in dict.fromkeys(faults):
                    print(f"  {fault}", flush=True)
                found += len(faults)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
