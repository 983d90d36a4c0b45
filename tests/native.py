"""Compare native code with Python: ``python -m tests.native [GAME …] [--games N] [--sanitize]``.

Each game is played by ``NativeGames`` and by the playout build, with the same seed and the same decisions. The
comparison covers decisions, ranks, payoffs, the end with its message, and the final table. A fault must occur in both.
With ``--steps`` the engines play decision by decision. Some of these games compare every state and switch between the
engines.

``--conformance`` uses the chunks of tests/conformance. ``--random 500`` uses 500 random rulesets of tests/laws.
``--sanitize`` builds the libraries with the address and undefined-behaviour sanitizers, which stop the process at the
first violation. Libraries of bundled games stay in the cache, so ``--first 301 --games 300`` can continue with them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest

from lusory.codegen.c import stepwise_play_printer, whole_games
from lusory.game import Game
from lusory.native.c_compiler import NoNative, find_compiler
from lusory.native.whole_games_and_stepwise_play import NativeGames, NativeSteps, NativeUsage
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.random_streams import make_choice_source
from lusory.state.static_work_charges_and_list_bounds import Limits
from lusory.support.cache import Cache, find_default_cache
from lusory.testing.engine_comparison import find_native_step_difference
from lusory_dsl import load_program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

try:
    NO_COMPILER = ""
    find_compiler()
except NoNative as reason:
    NO_COMPILER = str(reason)

needs_compiler = pytest.mark.skipif(bool(NO_COMPILER), reason=NO_COMPILER or "there is a compiler")

UNSUPPORTED_RULES = """
game: {id: lists, name: Lists, version: "1", language: 2, players: 2}
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
"""Ruleset that the native backend rejects, because it needs a list of lists."""

SHORT_LIMITS = Limits(decision=20_000, game=60_000)
"""Cost limits for a game of a random ruleset."""

SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-wrapv", "-g")
"""Compiler flags that detect undefined behaviour.

``-fno-wrapv`` makes signed overflow an error, because the printer must not rely on wrapping.
"""


def plant_fault(monkeypatch: pytest.MonkeyPatch, part: str, replacement: str, is_stepwise: bool = False) -> None:
    """Replace ``part`` by ``replacement`` in the C of whole games or of stepwise play, to plant a fault."""
    module, name = (stepwise_play_printer, "emit_steps") if is_stepwise else (whole_games, "emit_c")
    print_c = getattr(module, name)

    def print_with_fault(*args: object) -> object:
        emission = print_c(*args)
        assert part in emission.text
        return replace(emission, text=emission.text.replace(part, replacement))

    monkeypatch.setattr(module, name, print_with_fault)


def find_differences(game: Game, native: NativeGames | NativeSteps, seeds: Sequence[int]) -> Iterator[str]:
    """Yield a message for each seed whose game differs between native code and Python."""
    for seed, native_result in zip(seeds, native.play_games(seeds), strict=True):
        try:
            expected = tuple(game.playout(make_choice_source(seed), seed, table=True))
        except RulesetFault:
            expected = None
        if native_result != expected:
            yield f"seed {seed}: native code has {native_result}, Python {expected}"


def find_stepwise_differences(game: Game, steps: NativeSteps, seeds: Sequence[int]) -> Iterator[str]:
    """Yield the first difference of each game that is played step by step.

    In games with an odd seed, the state moves to the other engine at every decision.
    """
    for seed in seeds:
        difference = find_native_step_difference(game, steps, seed, bool(seed % 2), NativeUsage())
        if difference is not None:
            yield str(difference)


def find_sanitizers() -> list[str]:
    """Return the paths of the sanitizer libraries that the compiler has."""
    libraries = []
    for name in ("libasan.so", "libubsan.so"):
        command = [*find_compiler().command, f"-print-file-name={name}"]
        path = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        libraries += [path] if os.path.isabs(path) else []
    return libraries


needs_sanitizers = pytest.mark.skipif(
    bool(NO_COMPILER) or len(find_sanitizers()) < 2, reason=NO_COMPILER or "this compiler has no sanitizers"
)


def _rerun_sanitized(module: str, arguments: Sequence[str]) -> int:
    """Rerun this command with the sanitizer libraries preloaded, and return its exit status."""
    environment = {**os.environ, "LD_PRELOAD": " ".join(find_sanitizers()), "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run([sys.executable, "-m", module, *arguments], env=environment, check=False).returncode


def load_games(names: Sequence[str], players: int | None) -> Iterator[tuple[str, Game]]:
    for name in names:
        yield name, Game(load_program(find_bundled_rulesets()[name]), players)


def load_chunks(names: Sequence[str] = ()) -> Iterator[tuple[str, Game]]:
    """Yield each named chunk of tests/conformance with its game, or all chunks if ``names`` is empty."""
    sys.path[:0] = [str(Path(__file__).parent / folder) for folder in (".", "laws")]
    from programs import build_program
    from test_conformance import CHUNKS

    for name in names or CHUNKS:
        yield name, Game(build_program(CHUNKS[name].ruleset))


def load_random_rulesets(numbers: Iterable[int]) -> Iterator[tuple[str, Game]]:
    """Yield the random rulesets of tests/laws that check clean, with games that have short cost limits."""
    sys.path[:0] = [str(Path(__file__).parent / folder) for folder in (".", "laws")]
    from engines import check_ruleset, draw_options, generate_ruleset

    for number in numbers:
        program = check_ruleset(generate_ruleset(number))
        if program is not None:
            yield f"ruleset {number}", Game(program, 2 + number % 2, draw_options(program, number), limits=SHORT_LIMITS)


Comparison = Callable[[argparse.Namespace, Game, Cache | None, Sequence[str], range], tuple[list[str], str]]
"""Comparison of one game: takes the arguments, the game, the cache, the compiler flags and the seeds.

It returns the differences and a text for the summary line. Raises NoNative if the game can't be compiled.
"""


def create_parser(module: str, words: str, games_of_each: int) -> argparse.ArgumentParser:
    """Return a parser with the options that every comparison has."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=words)
    parser.add_argument("names", nargs="*", metavar="GAME", help="bundled games, or chunks (default: all)")
    parser.add_argument("--players", type=int)
    parser.add_argument("--games", type=int, default=games_of_each)
    parser.add_argument("--first", type=int, metavar="N", help="the first seed (1), or with --random the first ruleset")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--conformance", action="store_true")
    parser.add_argument("--random", type=int, metavar="N", default=0, help="number of random rulesets")
    return parser


def run_comparison(module: str, parser: argparse.ArgumentParser, arguments: Sequence[str], compare: Comparison) -> int:
    """Run a comparison on each requested game and print the results.

    Returns the exit status: 0 if nothing differs, else 1.
    """
    args = parser.parse_args(arguments)
    if args.sanitize and "LD_PRELOAD" not in os.environ:
        return _rerun_sanitized(module, arguments)
    first, failures = 1 if args.first is None or args.random else args.first, 0
    if args.random:
        games = load_random_rulesets(range(args.first or 0, (args.first or 0) + args.random))
    elif args.conformance:
        games = load_chunks(args.names)
    else:
        games = load_games(args.names or sorted(find_bundled_rulesets()), args.players)
    cache = None if args.random or args.conformance else find_default_cache()
    flags = SANITIZED if args.sanitize else ("-O0",) if args.random else ()
    for name, game in games:
        try:
            lines, summary = compare(args, game, cache, flags, range(first, first + args.games))
        except NoNative as error:
            print(f"{name}: {error}", flush=True)
            continue
        print(f"{name}, {game.players} players: {len(lines)} of {summary}", flush=True)
        for line in lines[:3]:
            print(f"  {line}", flush=True)
        failures += bool(lines)
    return int(failures > 0)


def compare_game_results(
    args: argparse.Namespace, game: Game, cache: Cache | None, flags: Sequence[str], seeds: range
) -> tuple[list[str], str]:
    """Compare whole games. With ``--steps``, also compare every state of some games."""
    start = perf_counter()
    native = NativeSteps(game, cache, flags=flags) if args.steps else NativeGames(game, cache, flags=flags)
    build_seconds = perf_counter() - start
    lines = list(find_differences(game, native, seeds))
    lines += [f"native code crashed: {words}" for words in native.crashes]
    if isinstance(native, NativeSteps):
        lines += find_stepwise_differences(game, native, seeds[: args.compared])
    return lines, f"{len(seeds)} games differ; built in {build_seconds:.1f} s"


def main(arguments: Sequence[str]) -> int:
    parser = create_parser("tests.native", __doc__ or "", 10_000)
    parser.add_argument("--steps", action="store_true", help="stepwise play: whole games, then each state")
    parser.add_argument("--compared", type=int, metavar="N", default=20, help="games with every state compared (20)")
    return run_comparison("tests.native", parser, arguments, compare_game_results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
