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
from lusory_dsl.source.source import count_noun

from ..game import Game
from ..native import NativeGames, NativeSteps, NativeUsage, NoNative
from ..support.cache import find_default_cache
from ..support.process_pool import count_processors, map_in_order
from ..testing.engine_comparison import (
    NATIVE,
    Disagreement,
    create_engine_pair,
    find_difference,
    find_native_difference,
    find_native_step_difference,
)
from ..ui.line import plain_output_and_terminal_checks as plain_output
from .game_loading_seats_and_output import load_cached_program, show_progress

# Games in a batch.
BATCH_SIZE = 20
# Games in a batch that native code also plays decision by decision.
STEPWISE_GAMES = 4
# Minimum number of games, for a number of players, for which native code is built.
MIN_NATIVE_GAMES = 25
# Every n-th game converts its states to JSON and back.
JSON_INTERVAL = 5


@dataclass(frozen=True)
class GameBatch:
    """Hold games that one process plays.

    Attributes:
        ruleset: The ruleset as typed.
        seeds: The seeds of the games.
        uses_native: Whether native code of the game is in the cache.
    """

    ruleset: str
    program: Program
    players: int
    seeds: range
    uses_native: bool

    def compare(self) -> tuple[Disagreement | None, NativeUsage]:
        """Play the games of ``seeds`` in both Python engines. Return the first disagreement or None, and a NativeUsage.

        In games whose seed is a multiple of JSON_INTERVAL, the states are written to JSON and read back before each
        decision. If the engines agree and ``uses_native`` is set, native code is compared with the compiled engine,
        too. If native code can't be used, ``refused`` of the NativeUsage says why; otherwise it is "".
        """
        use = NativeUsage()
        games = create_engine_pair(self.program, self.players, store=find_default_cache())
        disagreements = (find_difference(games, seed, seed % JSON_INTERVAL == 0) for seed in self.seeds)
        disagreement = next(filter(None, disagreements), None)
        if disagreement is None and self.uses_native:
            try:
                disagreement = self._compare_native(games[1], use)
            # The native code was removed from the cache meanwhile.
            except NoNative as refusal:
                use.refused = str(refusal)
        return disagreement, use

    def _compare_native(self, game: Game, use: NativeUsage) -> Disagreement | None:
        """Compare native code: all games without a stop, and some decision by decision."""
        cache = find_default_cache()
        disagreement = find_native_difference(game, NativeGames(game, cache, build=False), self.seeds, use)
        if disagreement is not None or use.refused:
            return disagreement
        steps = NativeSteps(game, cache, build=False, is_sandboxed=True)
        stepwise = (
            find_native_step_difference(game, steps, seed, bool(seed % 2), NativeUsage())
            for seed in self.seeds[:STEPWISE_GAMES]
        )
        disagreement = next(filter(None, stepwise), None)
        use.crashes += steps.crashes
        return disagreement


def run_agreement(args: argparse.Namespace) -> int:
    """Compare the engines, with all numbers of players of each ruleset. Returns 1 at the first disagreement, else 0.

    ``args.paths`` are the rulesets, ``args.packs`` the packs added to each, and ``args.jobs`` the number of processes
    (None for one on each processor). ``args.agree`` is the number of games of each, from the seed ``args.seed`` on.
    After all games, prints a line such as ``Nim: the engines agree in 500 games with 2 players`` for each. A
    disagreement is printed alone, with the command that repeats it. Remarks on native code go to standard error.
    """
    programs = [(name, load_cached_program(name, args.packs)) for name in args.paths]
    batches = [batch for name, program in programs for batch in _create_batches(name, program, args.seed, args.agree)]
    disagreement = None
    finished_games = 0
    uses = {(batch.ruleset, batch.players): NativeUsage() for batch in batches}
    with (
        show_progress("games", sum(len(batch.seeds) for batch in batches)) as show,
        closing(map_in_order(GameBatch.compare, batches, args.jobs or count_processors())) as results,
    ):
        for batch, (disagreement, use) in zip(batches, results, strict=True):
            uses[batch.ruleset, batch.players].add(use)
            if disagreement is not None:
                break
            finished_games += len(batch.seeds)
            show(finished_games)
    if disagreement is not None:
        packs = [word for pack in args.packs for word in ("--with", pack)]
        games = str(MIN_NATIVE_GAMES if NATIVE in disagreement.engines else 1)
        repeat_command = shlex.join(
            ["lusory", "test", batch.ruleset, *packs, "--agree", games, "--seed", str(disagreement.seed)]
        )
        plain_output.write_line(
            f"{batch.program.name}: the engines disagree.\n{disagreement}\nTo reproduce it: {repeat_command}"
        )
        return 1
    for batch in batches:
        if batch.seeds[-1] == args.seed + args.agree - 1:
            games, players = count_noun(args.agree, "game"), count_noun(batch.players, "player")
            plain_output.write_line(f"{batch.program.name}: the engines agree in {games} with {players}")
            for remark in uses[batch.ruleset, batch.players].iterate_remarks():
                plain_output.write_error_line(f"{batch.ruleset}, {players}: {remark}")
    return 0


def _create_batches(name: str, program: Program, seed: int, games: int) -> Iterator[GameBatch]:
    """Yield the batches of a ruleset, for each number of players. ``seed`` is the first seed."""
    for players in range(program.min_players, program.max_players + 1):
        uses_native = games >= MIN_NATIVE_GAMES and _build_native(name, program, players)
        for start in range(seed, seed + games, BATCH_SIZE):
            yield GameBatch(name, program, players, range(start, min(start + BATCH_SIZE, seed + games)), uses_native)


def _build_native(name: str, program: Program, player_count: int) -> bool:
    """Build native code of a game into the cache. Returns whether that worked; if not, reports the reason."""
    cache = find_default_cache()
    try:
        if cache is None:
            raise NoNative("the cache is switched off")
        game = Game(program, player_count, store=cache)
        NativeGames(game, cache)
        NativeSteps(game, cache, is_sandboxed=True)
    except NoNative as refusal:
        plain_output.write_error_line(f"{name}, {count_noun(player_count, 'player')}: without native code: {refusal}")
        return False
    return True
