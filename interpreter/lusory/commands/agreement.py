"""``lusory test --agree``: random games on both engines, compared at every step; and in native code, where there is a C
compiler and the games are enough to build it for."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from lusory_dsl.core import Program

from ..game import Game
from ..native import Native, NativeSteps, NoNative, Use
from ..support.cache import default_cache
from ..support.process_pool import in_order, processors
from ..testing.differential import NATIVE, Disagreement, difference, native_difference, pair, steps_difference
from ..ui.line import streams
from .common import load, progress

SIZE = 20  # games of a batch
STEPWISE = 4  # games of a batch that native code also plays from decision to decision
ENOUGH = 25  # games of a number of players for which native code is built
JSON_EVERY = 5  # in one game of so many, states go through JSON


@dataclass(frozen=True)
class Batch:
    """Games that one process plays. ``ruleset``: as typed; ``native``: native code of them is kept."""

    ruleset: str
    program: Program
    players: int
    seeds: range
    native: bool

    def compare(self) -> tuple[Disagreement | None, Use]:
        """What the engines first disagree about, and what native code did."""
        use = Use()
        games = pair(self.program, self.players, store=default_cache())
        found = next((found for seed in self.seeds if (found := difference(games, seed, seed % JSON_EVERY == 0))), None)
        if found is None and self.native:
            try:
                found = self._native(games[1], use)
            except NoNative as none:  # it was thrown away meanwhile
                use.refused = str(none)
        return found, use

    def _native(self, game: Game, use: Use) -> Disagreement | None:
        """Without a stop, and some of them from decision to decision."""
        cache = default_cache()
        found = native_difference(game, Native(game, cache, build=False), self.seeds, use)
        if found is not None or use.refused:
            return found
        steps = NativeSteps(game, cache, build=False, apart=True)
        stepwise = (steps_difference(game, steps, seed, bool(seed % 2), Use()) for seed in self.seeds[:STEPWISE])
        found = next((found for found in stepwise if found is not None), None)
        use.crashes += steps.crashes
        return found


def run_agreement(args: argparse.Namespace) -> int:
    loaded = [(name, load(name, args.packs)) for name in args.paths]
    batches = [batch for name, program in loaded for batch in _batches(name, program, args.seed, args.agree)]
    found = None
    done = 0
    uses = {(batch.ruleset, batch.players): Use() for batch in batches}
    with (
        progress("games", sum(len(batch.seeds) for batch in batches)) as show,
        closing(in_order(Batch.compare, batches, args.jobs or processors())) as results,
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
        streams.put(f"{batch.program.name}: the engines disagree.\n{found}\nTo see it again: {again}")
        return 1
    for batch in batches:
        if batch.seeds[-1] == args.seed + args.agree - 1:
            games = "1 game" if args.agree == 1 else f"{args.agree:,} games"
            streams.put(f"{batch.program.name}: the engines agree in {games} with {batch.players} players")
            for words in uses[batch.ruleset, batch.players].remarks():
                streams.remark(f"{batch.ruleset}, {batch.players} players: {words}")
    return 0


def _batches(name: str, program: Program, first: int, games: int) -> Iterator[Batch]:
    """The games of one ruleset, for each number of players."""
    for players in range(program.min_players, program.max_players + 1):
        native = games >= ENOUGH and _is_native(name, program, players)
        for start in range(first, first + games, SIZE):
            yield Batch(name, program, players, range(start, min(start + SIZE, first + games)), native)


def _is_native(name: str, program: Program, players: int) -> bool:
    """Whether there is native code of a game, for all processes to find."""
    cache = default_cache()
    try:
        if cache is None:
            raise NoNative("the cache is switched off")
        game = Game(program, players, store=cache)
        Native(game, cache)
        NativeSteps(game, cache, apart=True)
    except NoNative as none:
        streams.remark(f"{name}, {players} players: without native code: {none}")
        return False
    return True
