"""Compare searches in native code with those in Python: ``python -m tests.searches [GAME …] [--simulations N]``.

Each algorithm searches some decisions of random games on both backends. Options, visits, values and principal
variations must agree to the last bit. ``--dealt`` searches sampled determinizations for the seat to decide. Otherwise
the true position is the only one. The reported rates are simulations per second of processor time. All other options
are those of :mod:`tests.native`.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parent))

from native import command, compare

from lusory.belief.hidden_information_and_event_subjects import has_perfect_information
from lusory.game import Game
from lusory.native.search import NativeBackend
from lusory.native.whole_games_and_stepwise_play import NativeSteps
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import Match
from lusory.play.searching_bots import complete_hints
from lusory.search.option_evaluation import (
    FLAT_MONTE_CARLO,
    MCTS,
    PYTHON_BACKEND,
    SEQUENTIAL_HALVING,
    SearchBackend,
    SearchTask,
    compare_best_options,
    evaluate_options,
)
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.support.cache import Cache

WAYS = (FLAT_MONTE_CARLO, SEQUENTIAL_HALVING, MCTS)
MOST = 120
"""Decisions of a game after which the sampling stops."""


def stopped(game: Game, seed: int, looks: int) -> Iterator[Match]:
    """Yield a random match at about ``looks`` of its decisions, evenly spread.

    Yields nothing if the game has a fault.
    """

    def begun() -> Match:
        return Match(game, [create_bot(RANDOM, seed, seat) for seat in range(game.players)], seed)

    try:
        match = begun()
        while match.decision is not None and len(match.turns) < MOST:
            match.step()
    except RulesetFault:
        return
    made = len(match.turns)
    match = begun()
    for step in range(made):
        if step % max(1, made // looks) == 0:
            yield match
        match.step()


@dataclass
class Spent:
    """Processor seconds of each backend, and the number of simulations on each."""

    seconds: defaultdict[SearchBackend, float] = field(default_factory=lambda: defaultdict(float))
    simulations: int = 0


def search_differences(
    game: Game,
    core: NativeBackend,
    seeds: Sequence[int],
    looks: int,
    most: int,
    dealt: bool = True,
    spent: Spent | None = None,
    contested: bool = True,
) -> Iterator[str]:
    """Yield a message for each search in which the backends differ. Each search runs ``most`` simulations.

    With ``dealt`` the backends search determinizations. With ``contested`` they also compare the best options and the
    last option with each other.
    """
    spent, cores = spent or Spent(), (PYTHON_BACKEND, core)
    for seed in seeds:
        for match in stopped(game, seed, looks):
            assert match.decision is not None
            seat, stream = match.decision.seat, seed * 1_000 + len(match.turns)
            worlds = match.make_table(seat)._sample_states(most, stream) if dealt else [match.state]
            if not worlds:
                continue
            for way in WAYS:
                hints, is_open = complete_hints(game, None), has_perfect_information(game)
                given = SearchTask(game, seat, worlds, way, most, stream, is_open, hints)
                one, other = (_found(it, spent, given) for it in cores)
                spent.simulations += most
                if contested:
                    also = (len(match.decision.options) - 1,)
                    one += repr(compare_best_options(given, other_options=also))
                    other += repr(compare_best_options(given, core, other_options=also))
                if one != other:
                    yield f"seed {seed}, after {len(match.turns)} decisions, {way}: {one[-200:]} is {other[-200:]}"


def _found(core: SearchBackend, spent: Spent, given: SearchTask) -> str:
    began = process_time()
    found = repr(list(evaluate_options(given, core)))
    spent.seconds[core] += process_time() - began
    return found


def searched(
    args: argparse.Namespace, game: Game, cache: Cache | None, flags: Sequence[str], seeds: range
) -> tuple[list[str], str]:
    """Compare both backends on some decisions of each game."""
    core, spent = NativeBackend(NativeSteps(game, cache, flags=flags)), Spent()
    use = core.use
    lines = list(search_differences(game, core, seeds, args.looks, args.simulations, args.dealt, spent))
    searches = spent.simulations // args.simulations
    python, native = (spent.simulations / max(spent.seconds[it], 1e-6) for it in (PYTHON_BACKEND, core))
    return lines, (
        f"{searches} searches differ; {use.simulations:,} simulations in C, "
        f"of which {use.replayed_simulations} in Python; "
        f"left to Python: {dict(use.declined_searches) or 'none'}; {python:,.0f} and {native:,.0f} simulations a second"
    )


def main(arguments: Sequence[str]) -> int:
    parser = command("tests.searches", __doc__ or "", 3)
    parser.add_argument("--looks", type=int, default=8, help="decisions of a game that are searched")
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--dealt", action="store_true")
    return compare("tests.searches", parser, arguments, searched)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
