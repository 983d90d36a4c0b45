"""Arguments of the commands that play many games."""

from __future__ import annotations

import argparse

from . import typed
from .arguments import BOT_KINDS, budgets, game, jobs, packs, resume, seed, setting, table, text_or_json, thinking


def _record(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--record",
        metavar="FILE.jsonl",
        help="write a row for every game, as JSON lines",
    )
    command.add_argument(
        "--decisions",
        action="store_true",
        help="with --record: also write a row for every decision into a file beside it",
    )
    resume(command)


def _compare(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--compare",
        metavar="BASE",
        help="say whether balance has moved (then exit 1): from another ruleset or git:REVISION, whose games are "
        "played from the same seeds; since an earlier --record, or an earlier --format json, which can't be paired",
    )
    command.add_argument(
        "--balance",
        action="store_true",
        help="hold figures against the section `balance` of the ruleset (exit 1 where one is broken), with its seats "
        "and number of games unless others are typed",
    )


def simulate(command: argparse.ArgumentParser) -> None:
    game(command)
    command.add_argument("--games", type=typed.positive, metavar="N", help="how many (default: 100)")
    seed(command)
    table(command, seats="who sits where, in order: " + BOT_KINDS + "; default: random everywhere")
    command.add_argument(
        "--swap",
        action="store_true",
        help="play from each seed as often as it takes for every player to sit on every seat in turn",
    )
    command.add_argument("--check", action="store_true", help="test every invariant at every decision")
    command.add_argument(
        "--unplayed",
        metavar="ZONE,…",
        nargs="?",
        const="",
        help="list the cards that never came into one of these zones (default: never where all see them, out of a hand "
        "or a deck; where all zones are open, never from zone to zone), and the actions that nobody ever took",
    )
    jobs(command)
    command.add_argument(
        "--executor",
        metavar="local|dask://HOST:PORT",
        default="local",
        help="where: here, or on a running Dask cluster, which is trusted; the result is the same (default: local)",
    )
    _record(command)
    command.add_argument(
        "--details",
        action="store_true",
        help="look on at every game: how it goes, what each card, action and answer is worth, what never comes up",
    )
    command.add_argument(
        "--report", metavar="FILE", help="write what --details tells as a page with plots; needs lusory[report]"
    )
    command.add_argument(
        "--skill",
        type=typed.positive,
        metavar="N",
        help="with --details or --report: how much skill counts, in N games of each two of the first player, one that "
        "thinks a quarter as long, and chance",
    )
    _compare(command)
    text_or_json(command)
    packs(command)
    thinking(command)


def tournament(command: argparse.ArgumentParser) -> None:
    game(command)
    command.add_argument(
        "--players", metavar="KIND,…", default="strong,fair,easy,random", help="who plays: two or more of " + BOT_KINDS
    )
    command.add_argument(
        "--games", type=typed.positive, metavar="N", default=100, help="of each two players at most (default: 100)"
    )
    command.add_argument("--seats", type=typed.positive, metavar="N", help="how many seats (default: as few as can be)")
    seed(command)
    command.add_argument("--full", action="store_true", help="play all games, also where it is clear who is stronger")
    command.add_argument("--file", metavar="FILE", help="keep what was played there, as json, and go on with it")
    jobs(command)
    text_or_json(command)
    command.add_argument(
        "--option", action="append", default=[], dest="options", metavar="NAME=VALUE", help="set an option of the game"
    )
    packs(command)
    thinking(command)


def tune(command: argparse.ArgumentParser) -> None:
    game(command)
    command.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="NAME=VALUES",
        help="an option, or a number of the ruleset by the keys that lead to it (cards.imp.fields.cost), and what it "
        "is to be: 1..5, 0..20:5 in steps of 5, 1,2,4; may be repeated: all values of one or two with each other are "
        "tried, of more a sample, which needs lusory[tune]",
    )
    command.add_argument(
        "--goal",
        action="append",
        default=[],
        dest="goals",
        metavar="GOAL",
        help="what is wanted: 'win_rate(first)=0.5', 'win_rate(P2)>=45%%', 'draws<=5%%', 'length<=40', 'turns=20', "
        "'result>=30', 'endings(All is lost)<=10%%'; may be repeated",
    )
    command.add_argument("--games", type=typed.positive, metavar="N", default=200, help="at each point (default: 200)")
    seed(command)
    setting(command)
    command.add_argument(
        "--seats", metavar="KIND,…", help="who sits where: " + BOT_KINDS + "; default: random everywhere"
    )
    command.add_argument(
        "--swap", action="store_true", help="play from each seed with the players on every seat in turn"
    )
    command.add_argument(
        "--trials", type=typed.positive, metavar="N", default=40, help="points of more than two numbers (default: 40)"
    )
    resume(command)
    jobs(command)
    text_or_json(command)
    packs(command)
    thinking(command)


def fuzz(command: argparse.ArgumentParser) -> None:
    game(command)
    command.add_argument("--games", type=typed.positive, metavar="N", help="the most games to play (default: no limit)")
    command.add_argument(
        "--seconds", type=typed.positive, metavar="N", help="the longest time to play (default: 60 without --games)"
    )
    command.add_argument("--seed", type=typed.number, metavar="S", default=0, help="the same seed gives the same games")
    setting(command)
    budgets(command)
    packs(command)
    command.add_argument(
        "--jobs",
        type=typed.jobs,
        metavar="N",
        default=1,
        help="how many processes, or `all`; the number of them doesn't change what --games finds (default: 1)",
    )
    command.add_argument(
        "--from",
        dest="starts",
        nargs="+",
        default=[],
        metavar="FILE",
        help="saved or recorded games to play on from",
    )
    command.add_argument("--output", metavar="FOLDER", help="folder for the cases that are found (default: found-GAME)")
    text_or_json(command)


def solve(command: argparse.ArgumentParser) -> None:
    game(command)
    command.add_argument(
        "--method",
        choices=["positions", "cfr", "mccfr"],
        help="every position, where nothing is hidden; an equilibrium over the whole tree; or one from drawn games, "
        "of which it is not known how near it is (default: the first of them that the game is small enough for)",
    )
    command.add_argument(
        "--within",
        type=typed.amount,
        metavar="X",
        default=0.001,
        help="how much the best answer may win, on average of both seats (default: 0.001)",
    )
    command.add_argument(
        "--passes", type=typed.positive, metavar="N", help="how many at most (default: as time allows)"
    )
    command.add_argument(
        "--seconds",
        type=typed.positive,
        metavar="N",
        help="how long at most (default: 60, where --passes is not given)",
    )
    command.add_argument(
        "--positions", type=typed.positive, metavar="N", default=400_000, help="that are kept at most (default: 400000)"
    )
    command.add_argument("--seed", type=typed.number, metavar="S", default=0, help="of drawn games")
    setting(command)
    budgets(command)
    packs(command)
    text_or_json(command)
