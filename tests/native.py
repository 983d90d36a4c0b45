"""Whether native code and Python play the same games: ``python -m tests.native [GAME …] [--games N] [--sanitize]``.

Each game is one of ``Native`` and one of the playout build, from the same seed and the same answers: decisions, ranks,
payoffs, the end with its words and the final table are compared, and a fault must be one in both. With ``--sanitize``
the library is built with the address and undefined-behaviour sanitizers, which end the process at the first thing that
C does not allow. ``--conformance`` plays the chunks of
tests/conformance, ``--random 500`` so many of the random rulesets of tests/laws. With ``--steps`` games go from one
decision to the next; in some all states are compared, and they change between the engines.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

import pytest

from lusory.author.agreement import steps_difference
from lusory.cache import default_cache
from lusory.compiler import NoNative, compiler
from lusory.game import Game
from lusory.native import Native, Use
from lusory.native_steps import NativeSteps
from lusory.table.chance import answers
from lusory.table.choices import RulesetFault
from lusory.table.cost import Limits
from lusory_dsl import load_program
from lusory_dsl.text.resources import bundled_rulesets

try:
    NONE = ""
    compiler()
except NoNative as reason:
    NONE = str(reason)

needs_compiler = pytest.mark.skipif(bool(NONE), reason=NONE or "there is one")

LISTS = """
game: {id: lists, name: Lists, version: "1", language: 1, players: 2}
variables:
  n: {type: Int, start: 0}
phases:
  - id: all
    do: |
      let xs = [[n], [n, 2 * n]]
      for each ys in xs:
        set n to n + count(ys)
scoring: {rank: ["n"]}
"""
"""A ruleset that there is no C for."""

SHORT = Limits(decision=20_000, game=60_000)
"""What a game of a random ruleset may cost."""

SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-wrapv", "-g")
"""What finds what C does not allow. Numbers don't wrap around here: the printer may not rely on it."""


def differences(game: Game, native: Native | NativeSteps, seeds: Sequence[int]) -> Iterator[str]:
    """The games that come out otherwise."""
    for seed, got in zip(seeds, native.games(seeds), strict=True):
        try:
            expected = tuple(game.playout(answers(seed), seed, table=True))
        except RulesetFault:
            expected = None
        if got != expected:
            yield f"seed {seed}: native code has {got}, Python {expected}"


def stepwise_differences(game: Game, steps: NativeSteps, seeds: Sequence[int]) -> Iterator[str]:
    """Where native code and Python part from one decision to the next; each second game goes over at every decision."""
    for seed in seeds:
        found = steps_difference(game, steps, seed, bool(seed % 2), Use())
        if found is not None:
            yield str(found)


def sanitizers() -> list[str]:
    """The libraries of the sanitizers, as far as the compiler has them."""
    libraries = []
    for name in ("libasan.so", "libubsan.so"):
        command = [*compiler().command, f"-print-file-name={name}"]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        libraries += [found] if os.path.isabs(found) else []
    return libraries


def _again(arguments: Sequence[str]) -> int:
    """This command once more, with the sanitizers in memory."""
    libraries = sanitizers()
    own = {**os.environ, "LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": "detect_leaks=0", "LUSORY_CACHE": "off"}
    return subprocess.run([sys.executable, "-m", "tests.native", *arguments], env=own, check=False).returncode


def games(names: Sequence[str], players: int | None) -> Iterator[tuple[str, Game]]:
    for name in names:
        yield name, Game(load_program(bundled_rulesets()[name]), players)


def chunks() -> Iterator[tuple[str, Game]]:
    sys.path[:0] = [str(Path(__file__).parent / folder) for folder in (".", "laws")]
    from programs import checked
    from test_conformance import CHUNKS

    for name, chunk in CHUNKS.items():
        yield name, Game(checked(chunk.ruleset))


def random_rulesets(numbers: Iterable[int]) -> Iterator[tuple[str, Game]]:
    """Those of tests/laws, in which games of many decisions are cut short."""
    sys.path[:0] = [str(Path(__file__).parent / folder) for folder in (".", "laws")]
    from engines import checked, made, options_of

    for number in numbers:
        program = checked(made(number))
        if program is not None:
            yield f"ruleset {number}", Game(program, 2 + number % 2, options_of(program, number), limits=SHORT)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.native", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="GAME", help="bundled games (default: all)")
    parser.add_argument("--players", type=int)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--conformance", action="store_true")
    parser.add_argument("--random", type=int, metavar="N", default=0, help="so many random rulesets")
    parser.add_argument("--steps", action="store_true", help="from decision to decision: whole games, then each state")
    parser.add_argument("--compared", type=int, metavar="N", default=20, help="games with every state compared (20)")
    parser.add_argument("--first", type=int, metavar="N", default=0, help="from this one on")
    args = parser.parse_args(arguments)
    if args.sanitize and "LD_PRELOAD" not in os.environ:
        return _again(arguments)
    wrong = 0
    if args.random:
        found = random_rulesets(range(args.first, args.first + args.random))
    elif args.conformance:
        found = chunks()
    else:
        found = games(args.names or sorted(bundled_rulesets()), args.players)
    for name, game in found:
        began = perf_counter()
        try:
            flags = SANITIZED if args.sanitize else ("-O0",) if args.random else ()
            made: type[Native] | type[NativeSteps] = NativeSteps if args.steps else Native
            native = made(game, None if args.random else default_cache(), flags)
        except NoNative as refused:
            print(f"{name}: {refused}", flush=True)
            continue
        built = perf_counter() - began
        lines = list(differences(game, native, range(1, args.games + 1)))
        if isinstance(native, Native):
            lines += [f"native code crashed: {words}" for words in native.crashes]
        else:
            lines += stepwise_differences(game, native, range(1, args.compared + 1))
        print(
            f"{name}, {game.players} players: built in {built:.1f} s, {len(lines)} of {args.games} games differ",
            flush=True,
        )
        for line in lines[:3]:
            print(f"  {line}")
        wrong += bool(lines)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
