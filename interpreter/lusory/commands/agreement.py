"""Run ``lusory test --agree``: play random games on both engines, and compare every step.

Native code is compared too, if there is a C compiler and there are enough games to make its build worthwhile.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from lusory_dsl.core import Program

from ..game import Game
from ..native import NativeGames, NativeSteps, NativeUsage, NoNative
from ..support.cache import default_cache
from ..support.process_pool import count_processors, map_in_order
from ..testing.differential import NATIVE, Disagreement, difference, native_difference, pair, steps_difference
from ..ui.line import streams
from .command_helpers import load_cached_program, show_progress

# Games in a batch.
SIZE = 20
# Games in a batch that native code also plays decision by decision.
STEPWISE = 4
# Minimum number of games, for a number of players, for which native code is built.
ENOUGH = 25
# Every n-th game converts its states to JSON and back.
JSON_EVERY = 5


@dataclass(frozen=True)
class Batch:
    """Hold games that one process plays.

    Attributes:
        ruleset: The ruleset as typed.
        native: Whether native code of the game is in the cache.
    """

    ruleset: str
    program: Program
    players: int
    seeds: range
    native: bool

    def compare(self) -> tuple[Disagreement | None, NativeUsage]:
        """Return the first disagreement of the engines, or None, and statistics about native code."""
        use = NativeUsage()
        games = pair(self.program, self.players, store=default_cache())
        found = next((found for seed in self.seeds if (found := difference(games, seed, seed % JSON_EVERY == 0))), None)
        if found is None and self.native:
            try:
                found = self._native(games[1], use)
            # The native code was removed from the cache meanwhile.
            except NoNative as none:
                use.refused = str(none)
        return found, use

    def _native(self, game: Game, use: NativeUsage) -> Disagreement | None:
        """Compare native code: all games without a stop, and some decision by decision."""
        cache = default_cache()
        found = native_difference(game, NativeGames(game, cache, build=False), self.seeds, use)
        if found is not None or use.refused:
            return found
        steps = NativeSteps(game, cache, build=False, apart=True)
        stepwise = (
            steps_difference(game, steps, seed, bool(seed % 2), NativeUsage()) for seed in self.seeds[:STEPWISE]
        )
        found = next((found for found in stepwise if found is not None), None)
        use.crashes += steps.crashes
        return found


def run_agreement(args: argparse.Namespace) -> int:
    loaded = [(name, load_cached_program(name, args.packs)) for name in args.paths]
    batches = [batch for name, program in loaded for batch in _create_batches(name, program, args.seed, args.agree)]
    found = None
    done = 0
    uses = {(batch.ruleset, batch.players): NativeUsage() for batch in batches}
    with (
        show_progress("games", sum(len(batch.seeds) for batch in batches)) as show,
        closing(map_in_order(Batch.compare, batches, args.jobs or count_processors())) as results,
    ):
        for batch, (found, use) in zip(batches, results, strict=True):
            uses[batch.ruleset, batch.players].add(use)
            if found is not None:
                break
            done += len(batch.seeds)
            show(done)
    if found is not None:
        packs = [word for pack in args.packs for word in ("--with", pack)]
        games = str(ENOUGH if NATIVE in found.engines else 1)
        again = shlex.join(["lusory", "test", batch.ruleset, *packs, "--agree", games, "--seed", str(found.seed)])
        streams.put(f"{batch.program.name}: the engines disagree.\n{found}\nTo reproduce it: {again}")
        return 1
    for batch in batches:
        if batch.seeds[-1] == args.seed + args.agree - 1:
            games = "1 game" if args.agree == 1 else f"{args.agree:,} games"
            streams.put(f"{batch.program.name}: the engines agree in {games} with {batch.players} players")
            for words in uses[batch.ruleset, batch.players].remarks():
                streams.remark(f"{batch.ruleset}, {batch.players} players: {words}")
    return 0


def _create_batches(name: str, program: Program, first: int, games: int) -> Iterator[Batch]:
    """Yield the batches of a ruleset, for each number of players."""
    for players in range(program.min_players, program.max_players + 1):
        native = games >= ENOUGH and _is_native(name, program, players)
        for start in range(first, first + games, SIZE):
            yield Batch(name, program, players, range(start, min(start + SIZE, first + games)), native)


def _is_native(name: str, program: Program, players: int) -> bool:
    """Build native code of a game into the cache. Returns False if that is not possible."""
    cache = default_cache()
    try:
        if cache is None:
            raise NoNative("the cache is switched off")
        game = Game(program, players, store=cache)
        NativeGames(game, cache)
        NativeSteps(game, cache, apart=True)
    except NoNative as none:
        streams.remark(f"{name}, {players} players: without native code: {none}")
        return False
    return True
