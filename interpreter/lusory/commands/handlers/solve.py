"""Run ``lusory solve``: find optimal play of a small game, its value and the exploitability."""

from __future__ import annotations

import argparse
from time import monotonic

from lusory_dsl.source.source import format_json

from ...solve.exact_values_and_equilibria import Solver
from ...solve.game_tree_exploitability_and_game_sources_for_cfr import NotSolved
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ..errors import UsageError
from ..game_loading_seats_and_output import Interruption, create_game, load_cached_program, show_progress

SECONDS = 60
"""Default time limit in seconds."""


def run(args: argparse.Namespace) -> int:
    """Solve the game, and print the result as text, or as JSON with ``--format json``.

    Returns 0, or 130 if it was interrupted, and prints the results so far. It also returns 0 if the time is up after an
    iteration of CFR or sampling. Without ``--method``, a game without hidden information is searched by position, and
    any other is solved by CFR. If the game tree of CFR is too large or slow to build, games are sampled instead, unless
    ``--method`` is ``cfr``. Raises UsageError if the game is too large for the method used, or if the time is up before
    the first iteration or the end of the search by position. The search by position also raises it for hidden
    information and for positions that can come again. The other methods raise it for anything but a constant-sum game
    of two players.
    """
    program = load_cached_program(args.game, args.packs)
    game = create_game(program, args.players, args.options, None, args.budgets)
    seconds = args.seconds if args.seconds or args.passes else SECONDS
    solver = Solver(game, args.method, args.within, args.passes, seconds, args.positions, args.seed)
    start, stop = monotonic(), Interruption()
    with show_progress("passes" if args.passes else "seconds", args.passes or seconds) as show, stop:

        def tell(pass_count: int, gap: float | None) -> None:
            note = "" if gap is None else f"exploitability {gap:.5f}"
            show(pass_count if args.passes else int(monotonic() - start), note)

        try:
            solver.run(tell)
        except NotSolved as problem:
            raise UsageError(
                f"{program.name} can't be solved: {problem}", "`lusory tournament` compares bots instead"
            ) from None
    if args.format == "json":
        plain_output.write_lines(format_json(solver.to_json()))
    else:
        from ...ui.line.review_fuzz_solve_tuning_and_comparison_tables import render_solution
        from ...ui.line.terminal_output_and_line_editing import create_terminal

        create_terminal().print(*render_solution(solver))
    return stop.choose_code(0)
