"""Measure the strength of bots, ruleset by ruleset: ``python -m benchmarks.strength``.

Tournaments use fixed numbers of simulations, so that other work of the machine changes no result. Native code made
these simulations in about 0.2 s on two busy processors; ``--part`` takes a share of them. Games are stored in a folder,
and the same command continues them. In Connect Four, our bot can also play against OpenSpiel's search, if that is
installed (``.[bench-peers]``), with equally many simulations or with equal time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from lusory.game import Game
from lusory.native.search import SwitchingBackend
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.stats.tournament import Tournament, calculate_share_interval
from lusory.support.cache import find_default_cache
from lusory_dsl import load_program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

RATES = {
    "clobber": 396_520,
    "connect-four": 1_517_092,
    "demesne": 71_444,
    "empire-city": 3_546,
    "empire-engine": 241_753,
    "empires-end": 64_338,
    "engines-of-war": 125_360,
    "english-draughts": 40_712,
    "hex": 13_723,
    "kuhn-poker": 2_890_102,
    "leduc-poker": 3_135_312,
    "lines-of-action": 5_363,
    "love-letter": 104_286,
    "nano-empire": 59_627,
    "nine-mens-morris": 26_694,
    "othello": 24_801,
    "oware": 59_642,
    "tic-tac-toe": 1_532_825,
}
"""Simulations of the first decision in native code, per second, on a busy machine. docs/develop/benchmarks/
native-search.csv has those of an idle one. Don't change these numbers, so that strength.csv can be continued."""

MOMENT = 0.2
"""Seconds for a decision."""

PEER, TIMED = "open_spiel", "open_spiel:time"
"""OpenSpiel's search with equally many simulations, and with equal time."""

PEER_TIMES = 25
"""Number of timed searches of each."""


def count_simulations(name: str, part: float) -> int:
    """Return the number of simulations for one decision, rounded to two digits."""
    return max(int(float(f"{RATES[name] * MOMENT * part:.1e}")), 2)


def play_contest(name: str, opponents: Sequence[str], games: int, part: float, folder: Path) -> Tournament:
    """Play a tournament of a ruleset's search against others to the end, and continue the one that is stored in a
    folder."""

    game = Game(load_program(find_bundled_rulesets()[name]), store=find_default_cache())
    budget = count_simulations(name, part)
    kinds = (f"mcts:{budget}", *(f"{kind}:{budget}" if kind == "flat" else kind for kind in opponents))
    tournament = Tournament(game, kinds, games, seed=1, plays_all=True, store=find_default_cache())
    file = folder / f"{name}-{'-'.join(kinds).replace(':', '')}.json"
    if file.exists():
        tournament.continue_from(json.loads(file.read_text()))
    tournament.run(save=lambda: ignore(file.write_text(json.dumps(tournament.to_json()))))
    return tournament


def ignore(*_: object) -> None:
    """Ignore the arguments, and return None."""


def list_rows(name: str, tournament: Tournament) -> Iterator[str]:
    """Yield a line for each opponent, and the mean rank of a solitaire game."""
    for opponent in range(1, len(tournament.kinds)):
        scores = tournament.list_scores((0, opponent))
        share, low, high = calculate_share_interval(scores)
        games = [game for game_set in tournament.sets if game_set.pair == (0, opponent) for game in game_set.games]
        n_lost = sum(game.score_against(0, opponent) == 0 for game in games)
        kind, rival = tournament.kinds[0], tournament.kinds[opponent]
        yield format_row(name, kind, rival, len(games), share, low, high, f"{n_lost} lost")
    if tournament.game.players == 1:
        ranks = [game_set.games[0].places[0] for game_set in tournament.sets if game_set.pair == (0, 1)]
        mean = sum(ranks) / len(ranks)
        error = 1.96 * (sum((rank - mean) ** 2 for rank in ranks) / max(len(ranks) - 1, 1) / len(ranks)) ** 0.5
        interval = f"{mean:.1f} [{mean - error:.1f}–{mean + error:.1f}]"
        yield f"| {name} | `{tournament.kinds[0]}` | – | {len(ranks)} | mean rank {interval} |"


def format_row(name: str, player: str, rival: str, games: int, share: float, low: float, high: float, more: str) -> str:
    """Return a line of the table."""
    return f"| {name} | `{player}` | `{rival}` | {games} | {share:.1%} [{low * 100:.1f}–{high * 100:.1f}], {more} |"


def create_peer_search(board: Any, budget: int, seed: int) -> Any:
    """Return OpenSpiel's search in C++, with random playouts."""
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    return pyspiel.MCTSBot(board, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, budget, 64, True, seed, False)


def measure_peer_ratio(budget: int) -> float:
    """Return how many of our simulations of Connect Four's first decision take as long as one of OpenSpiel's.

    Both make ``budget`` simulations, in turn. The shortest time of each counts, with all work around the simulations.
    """
    import pyspiel

    game, board = Game(load_program(find_bundled_rulesets()["connect-four"])), pyspiel.load_game("connect_four")
    core, peer = SwitchingBackend(game, find_default_cache(), must_wait=True), create_peer_search(board, budget, 1)
    match = Match(game, [create_bot(f"mcts:{budget}", 1, seat, core) for seat in (0, 1)], 1, keeps_record=False)
    ours, theirs = list[float](), list[float]()
    for _ in range(PEER_TIMES):
        ours.append(measure_seconds(match.ask_player))
        theirs.append(measure_seconds(lambda: peer.step(board.new_initial_state())))
    return min(theirs) / min(ours)


def measure_seconds(work: Callable[[], object]) -> float:
    """Return the seconds that ``work`` takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def play_peer_games(games: int, ours: int, theirs: int) -> Iterator[float]:
    """Play Connect Four against OpenSpiel's search, and yield our points of each game. Each goes first in turn.

    ``ours`` and ``theirs`` are the numbers of simulations.
    """
    import pyspiel

    game, board = Game(load_program(find_bundled_rulesets()["connect-four"])), pyspiel.load_game("connect_four")
    core = SwitchingBackend(game, find_default_cache(), must_wait=True)
    for number in range(games):
        mine, state = number % 2, board.new_initial_state()
        peer = create_peer_search(board, theirs, number)
        bots = [create_bot(f"mcts:{ours}", number, seat, core) for seat in (0, 1)]
        match = Match(game, bots, number, keeps_record=False)
        while match.decision is not None:
            columns = state.legal_actions()  # those that have room, from the left, as our options
            if match.decision.seat == mine:
                index, _ = match.ask_player()
            else:
                index = columns.index(peer.step(state))
            state.apply_action(columns[index])
            match.take(index)
        outcome = match.outcome
        assert outcome is not None, "the game is over"
        our_place, peer_place = outcome.places[mine], outcome.places[1 - mine]
        yield (our_place < peer_place) + (our_place == peer_place) / 2


def play_against_peer(games: int, budget: int, is_timed: bool) -> str:
    """Return the line of Connect Four against OpenSpiel. ``budget`` is the number of our simulations. OpenSpiel makes
    as many, or as many as it can in the same time."""
    times = measure_peer_ratio(budget) if is_timed else 1.0
    theirs = max(round(budget / times), 2)
    scores = list[float]()
    with suppress(KeyboardInterrupt):
        for points in play_peer_games(games, budget, theirs):
            scores.append(points)
    share, low, high = calculate_share_interval(scores)
    how = f"equal time: {times:.1f} of ours to one" if is_timed else "equal simulations"
    return format_row("connect-four", f"mcts:{budget}", f"OpenSpiel, {theirs}", len(scores), share, low, high, how)


def list_lines(args: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| ruleset | player | against | games | points of the first, with 95 % |"
    yield "|---|---|---|---|---|"
    folder = Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in args.games_of or RATES:
        opponents = [opponent for opponent in args.against.split(",") if opponent not in (PEER, TIMED)]
        if opponents:
            yield from list_rows(name, play_contest(name, opponents, args.games, args.part, folder))
    for peer in {PEER, TIMED} & set(args.against.split(",")):
        if find_spec("pyspiel") is None:
            raise SystemExit("strength: OpenSpiel is not installed: pip install -e '.[bench-peers]'")
        yield play_against_peer(args.games, count_simulations("connect-four", args.part), peer == TIMED)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table. Returns 0, or 130 if it was interrupted; the games so far are then stored."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength", description=__doc__)
    parser.add_argument("games_of", nargs="*", metavar="RULESET", choices=[[], *RATES], help="default: all")
    parser.add_argument("--against", default="random", metavar="KIND,…", help=f"random, flat, …, {PEER}, {TIMED}")
    parser.add_argument("--games", type=int, default=200, metavar="N", help="of each two (default: 200)")
    parser.add_argument("--part", type=float, default=1.0, metavar="X", help="of the simulations of 0.2 s (default: 1)")
    parser.add_argument("--folder", default="build/strength", metavar="DIR", help="where what was played is kept")
    try:
        for line in list_lines(parser.parse_args(argv)):
            print(line, flush=True)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
