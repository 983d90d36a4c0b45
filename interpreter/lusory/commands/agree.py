"""``lusory test --agree``: random games on both engines, compared at every step."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from lusory_dsl.core import Program

from ..author.agreement import Disagreement, difference, pair
from ..cache import default_cache
from ..console import streams
from ..processes import in_order
from .common import load, processors, progress

SIZE = 20  # games of a batch
JSON_EVERY = 5  # in one game of so many, states go through JSON


@dataclass(frozen=True)
class Batch:
    """Games that one process plays. ``ruleset``: as typed."""

    ruleset: str
    program: Program
    players: int
    seeds: range

    def compare(self) -> Disagreement | None:
        """What the engines first disagree about."""
        games = pair(self.program, self.players, store=default_cache())
        return next((found for seed in self.seeds if (found := difference(games, seed, seed % JSON_EVERY == 0))), None)


def run(args: argparse.Namespace) -> int:
    loaded = [(name, load(name, args.packs)) for name in args.paths]
    batches = [batch for name, program in loaded for batch in _batches(name, program, args.seed, args.agree)]
    found = None
    done = 0
    with (
        progress("games", sum(len(batch.seeds) for batch in batches)) as show,
        closing(in_order(Batch.compare, batches, args.jobs or processors())) as results,
    ):
        for batch, found in zip(batches, results, strict=True):
            if found is not None:
                break
            done += len(batch.seeds)
            show(done)
    if found is not None:
        packs = [word for pack in args.packs for word in ("--with", pack)]
        again = shlex.join(["lusory", "test", batch.ruleset, *packs, "--agree", "1", "--seed", str(found.seed)])
        streams.put(f"{batch.program.name}: the engines disagree.\n{found}\nTo see it again: {again}")
        return 1
    for batch in batches:
        if batch.seeds[-1] == args.seed + args.agree - 1:
            games = "1 game" if args.agree == 1 else f"{args.agree:,} games"
            streams.put(f"{batch.program.name}: the engines agree in {games} with {batch.players} players")
    return 0


def _batches(name: str, program: Program, first: int, games: int) -> Iterator[Batch]:
    """The games of one ruleset, for each number of players."""
    for players in range(program.min_players, program.max_players + 1):
        for start in range(first, first + games, SIZE):
            yield Batch(name, program, players, range(start, min(start + SIZE, first + games)))
