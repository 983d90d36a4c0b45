"""``lusory solve``: what best play of a small game comes to."""

from __future__ import annotations

import argparse
from time import monotonic

from lusory_dsl.text.printable import json_text

from ..console import streams
from ..solve.solution import NotSolved, Solving
from .common import load, make_game, progress
from .errors import INTERRUPTED, UsageError

SECONDS = 60
"""How long it works where nobody says."""


def run(args: argparse.Namespace) -> int:
    """0: it is solved as well as was asked for, or as time allowed; 130: interrupted, with what was found told."""
    program = load(args.game, args.packs)
    game = make_game(program, args.players, args.options, None, args.budgets)
    seconds = args.seconds if args.seconds or args.passes else SECONDS
    work = Solving(game, args.method, args.within, args.passes, seconds, args.positions, args.seed)
    interrupted, start = False, monotonic()
    with progress("passes" if args.passes else "seconds", args.passes or seconds) as show:

        def tell(made: int, gap: float | None) -> None:
            note = "" if gap is None else f"exploitability {gap:.5f}"
            show(made if args.passes else int(monotonic() - start), note)

        try:
            work.run(tell)
        except KeyboardInterrupt:
            interrupted = True
        except NotSolved as why:
            raise UsageError(f"{program.name} can't be solved: {why}", "`lusory tournament` compares players") from None
    if args.format == "json":
        streams.put_text(json_text(work.to_json()))
    else:
        from ..console.solutions import solution
        from ..console.terminal import terminal

        terminal().print(*solution(work))
    return INTERRUPTED if interrupted else 0
