"""``lusory simulate``: many games among bots, counted."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from ..players import BOTS, Player
from ..simulate import Simulation
from .common import BOT, load, make_game, progress, seat_kinds


def run(args: argparse.Namespace) -> int:
    program = load(args.game, args.packs)
    kinds = seat_kinds(args.seats, args.players, program.min_players, tuple(BOTS), BOT)
    game = make_game(program, len(kinds), args.options, args.engine)

    def seats(seed: int) -> Sequence[Player]:
        return [BOTS[kind](seed, seat) for seat, kind in enumerate(kinds)]

    work = Simulation(game, seats, args.games, args.seed, args.check)
    interrupted = False
    with progress("games", args.games) as show:
        try:
            work.run(show)
        except KeyboardInterrupt:
            interrupted = True
    if args.format == "json":
        print(json.dumps(work.to_json(kinds), indent=2, ensure_ascii=False))
    else:
        from ..console.summary import simulation
        from ..console.terminal import terminal

        terminal().print(*simulation(work, kinds))
    if interrupted:
        return 130
    return 0 if work.tally.is_sound else 1
