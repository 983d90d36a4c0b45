"""Compare searches in native code with those in Python: ``python -m tests.searches [GAME …] [--simulations N]``.

Each algorithm searches some decisions of random games on both backends. Options, visits and values must
agree to the last bit. ``--dealt`` searches sampled determinizations for the seat to decide. Otherwise the true position
is the only one. The reported rates are simulations per second of processor time. All other options
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

from native import create_parser, run_comparison

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

ALGORITHMS = (FLAT_MONTE_CARLO, SEQUENTIAL_HALVING, MCTS)
DECISION_LIMIT = 120
"""Decisions of a game after which the sampling stops."""


def sample_decisions(game: Game, seed: int, sample_size: int) -> Iterator[Match]:
    """Yield a random match at about ``sample_size`` of its decisions, evenly spread.

    Yields nothing if the game has a fault.
    """

    def create_match() -> Match:
        return Match(game, [create_bot(RANDOM, seed, seat) for seat in range(game.players)], seed)

    try:
        match = create_match()
        while match.decision is not None and len(match.turns) < DECISION_LIMIT:
            match.step()
    except RulesetFault:
        return
    length = len(match.turns)
    match = create_match()
    for step in range(length):
        if step % max(1, length // sample_size) == 0:
            yield match
        match.step()


@dataclass
class Usage:
    """Processor seconds of each backend, and the number of simulations on each."""

    seconds: defaultdict[SearchBackend, float] = field(default_factory=lambda: defaultdict(float))
    simulations: int = 0


def find_search_differences(
    game: Game,
    core: NativeBackend,
    seeds: Sequence[int],
    sample_size: int,
    simulations: int,
    is_determinized: bool = True,
    usage: Usage | None = None,
    compares_best: bool = True,
) -> Iterator[str]:
    """Yield a message for each search in which the backends differ. Each search runs ``simulations`` simulations.

    With ``is_determinized`` the backends search sampled positions. With ``compares_best`` they also compare the best
    options and the last option with each other.
    """
    usage, cores = usage or Usage(), (PYTHON_BACKEND, core)
    for seed in seeds:
        for match in sample_decisions(game, seed, sample_size):
            assert match.decision is not None
            seat, stream = match.decision.seat, seed * 1_000 + len(match.turns)
            worlds = match.make_table(seat)._sample_states(simulations, stream) if is_determinized else [match.state]
            if not worlds:
                continue
            for algorithm in ALGORITHMS:
                hints, is_open = complete_hints(game, None), has_perfect_information(game)
                task = SearchTask(game, seat, worlds, algorithm, simulations, stream, is_open, hints)
                python, native = (_search(backend, usage, task) for backend in cores)
                usage.simulations += simulations
                if compares_best:
                    last_option = (len(match.decision.options) - 1,)
                    python += repr(compare_best_options(task, other_options=last_option))
                    native += repr(compare_best_options(task, core, other_options=last_option))
                if python != native:
                    turn = len(match.turns)
                    yield f"seed {seed}, decision {turn}, {algorithm}: {python[-200:]} differs from {native[-200:]}"


def _search(core: SearchBackend, usage: Usage, task: SearchTask) -> str:
    start = process_time()
    result = repr(evaluate_options(task, core))
    usage.seconds[core] += process_time() - start
    return result


def compare_searches(
    args: argparse.Namespace, game: Game, cache: Cache | None, flags: Sequence[str], seeds: range
) -> tuple[list[str], str]:
    """Compare both backends on some decisions of each game."""
    core, usage = NativeBackend(NativeSteps(game, cache, flags=flags)), Usage()
    use = core.use
    lines = list(find_search_differences(game, core, seeds, args.looks, args.simulations, args.dealt, usage))
    searches = usage.simulations // args.simulations
    python, native = (usage.simulations / max(usage.seconds[backend], 1e-6) for backend in (PYTHON_BACKEND, core))
    return lines, (
        f"{searches} searches differ; {use.simulations:,} simulations in C, "
        f"{use.replayed_simulations} of them repeated in Python; "
        f"declined: {dict(use.declined_searches) or 'none'}; {python:,.0f} and {native:,.0f} simulations a second"
    )


def main(arguments: Sequence[str]) -> int:
    parser = create_parser("tests.searches", __doc__ or "", 3)
    parser.add_argument("--looks", type=int, default=8, help="searched decisions of each game")
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--dealt", action="store_true")
    return run_comparison("tests.searches", parser, arguments, compare_searches)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
