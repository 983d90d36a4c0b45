"""Whole games at a real terminal, as a person plays: ``python -m tests.terminal [GAME …] [--games N] [--size 80x24]``.

Each game is begun, played by keys and mouse with all that a person does wrong, interrupted in the middle and gone on
with, and played to its end; with ``--plain`` line by line. Told is what is not in order: tracebacks, screens that stay
empty, what is written beyond the edges, a terminal that is not given back, processes that are left."""

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

from lusory_dsl.source.filesystem import bundled_rulesets

from .emulator import Emulated
from .person import ENTER, Person


def play(game: str, size: tuple[int, int], seed: int, plain: bool = False, moves: int = 1500) -> list[str]:
    """A whole game of one person and bots; what was not in order."""
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
        if not is_over:  # no game is over by then but by what was typed
            faults = interrupt(first, random)
            told = re.search(r"To go on: lusory (.+?)\r?\n", first.raw.decode(errors="replace"))
            again = shlex.split(told[1]) if told else ["play", game, f"--seed={seed}"]  # no decision: nothing is saved
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
    """Ctrl-C, and once more, or a signal: the game is kept. What was not in order so far."""
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
    """The game is over: another size, what happened, and out."""
    if terminal.in_lines:
        return
    terminal.resize(60, 20)
    terminal.resize(*person.size)
    terminal.send("l")
    person.tidy()
    if not person.is_over:
        terminal.faults.append(f"forgets that the game is over:\n{terminal.text}")
    terminal.send(ENTER)


def main() -> int:
    """The exit code: 1 where something was not in order."""
    parser = argparse.ArgumentParser(prog="python -m tests.terminal", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="bundled rulesets (default: all)")
    parser.add_argument("--games", dest="many", type=int, default=1, help="how many of each (default: 1)")
    parser.add_argument("--size", action="append", help="COLUMNSxROWS; may be repeated (default: 80x24)")
    parser.add_argument("--plain", action="store_true", help="line by line")
    parser.add_argument("--seed", type=int, default=1, help="of the first game (default: 1)")
    args = parser.parse_args()
    sizes = [(int(c), int(r)) for c, _, r in (size.partition("x") for size in args.size or ["80x24"])]
    found = 0
    for game in args.games or bundled_rulesets():
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
