"""Define arguments of commands: types that parse and check a value, and groups of options that commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..state.random_streams import Seed, seed_in

MOST = 1_000_000_000
"""Upper limit of numbers on the command line."""


MOST_SEATS = MOST_JOBS = 1_000
"""Upper limits of seats in a game and of processes."""


def positive(text: str, most: int = MOST) -> int:
    """Parse a whole number from 1 to ``most``."""
    digits = text.lstrip("0") if text.isdecimal() else ""
    if not digits:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    if len(digits) > len(str(most)) or int(digits) > most:
        raise argparse.ArgumentTypeError(f"that is more than {most:,}")
    return int(digits)


def players(text: str) -> int:
    """Parse a number of players. The game checks whether it allows it."""
    return positive(text, MOST_SEATS)


def percentage(text: str) -> float:
    """Parse a number from 0 to 100, with or without a percent sign."""
    try:
        found = float(text.removesuffix("%"))
    except ValueError:
        found = -1.0
    if not 0 <= found <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 100")
    return found


def amount(text: str) -> float:
    """Parse a number from 0."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return found


def count(text: str) -> int:
    """Parse a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def moment(text: str) -> int | Path:
    """Parse a number of decisions, or the file name of a saved game."""
    if text.endswith(".json"):
        return Path(text)
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither a whole number from 0 nor a saved game, as game.json")
    return int(text)


def port(text: str) -> int:
    """Parse a network port."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: they go from 0 to 65535")
    return int(text)


def number(text: str) -> int:
    """Parse a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def seed(text: str) -> Seed:
    """Parse the seed of a game: a whole number, or the text that a game prints at its end."""
    try:
        return seed_in(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def jobs(text: str) -> int:
    """Parse a number of processes. ``all`` means one for each processor."""
    if text == "all":
        from ..support.process_pool import processors

        return processors()
    return positive(text, MOST_JOBS)


def game(command: argparse.ArgumentParser) -> None:
    command.add_argument("game", metavar="GAME", help="a folder, a .yaml file or a bundled game")


def resume(command: argparse.ArgumentParser) -> None:
    command.add_argument("--resume", action="store_true", help="go on where the same command was interrupted")


def trust(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--trust", action="store_true", help="allow the folders with rules that a saved game names, from now on"
    )


BOT_KINDS = "random, easy, fair, strong, bot, greedy, flat:N, halving:N, mcts:N of N simulations or, as 0.5s, seconds, "


def table(command: argparse.ArgumentParser, seats: str) -> None:
    setting(command)
    budgets(command)
    command.add_argument("--seats", metavar="KIND,…", help=seats)


def budgets(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--budget",
        action="append",
        default=[],
        dest="budgets",
        metavar="NAME=NUMBER",
        help="what rules may cost: `decision`, `game`, `visits` or `options`; may be repeated",
    )


def setting(command: argparse.ArgumentParser) -> None:
    command.add_argument("--players", type=players, metavar="N", help="how many (default: as few as can be)")
    command.add_argument(
        "--option",
        action="append",
        default=[],
        dest="options",
        metavar="NAME=VALUE",
        help="set an option of the game; may be repeated",
    )


def seed_of(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", type=number, metavar="S", default=0, help="the same gives the same result")


def jobs_of(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--jobs",
        type=jobs,
        metavar="N",
        default=1,
        help="processes at work, or `all` for one on each processor; the result is the same (default: 1)",
    )


def text_or_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=["text", "json"], default="text", help="text for people or json")


def packs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--with",
        action="append",
        default=[],
        dest="packs",
        metavar="PACK",
        help="lay a pack over the game: a folder, a .yaml file or a bundled pack; may be repeated",
    )


def findings(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format",
        choices=["text", "json", "github", "sarif", "junit"],
        default="text",
        help="text for people (default), json for programs, github for notes beside the lines of a pull request, sarif "
        "for code scanning, junit for build servers",
    )
    command.add_argument(
        "--output", metavar="FILE", help="write it to a file; other forms than text are shown as text too"
    )


def engine(command: argparse.ArgumentParser, default: str = "compiled, the fast one") -> None:
    command.add_argument("--engine", choices=["compiled", "evaluator"], help=f"which engine plays (default: {default})")


BESIDE = "compiled, and where that takes a while and a C compiler is found, native"


def thinking(command: argparse.ArgumentParser, default: str = BESIDE) -> None:
    """Add the option for the engine of a command in which bots may search."""
    command.add_argument(
        "--engine",
        choices=["native", "compiled", "evaluator"],
        help=f"which engine plays, and makes the searches of bots (default: {default})",
    )


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
    command.add_argument("--games", type=positive, metavar="N", help="how many (default: 100)")
    seed_of(command)
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
    jobs_of(command)
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
        type=positive,
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
        "--games", type=positive, metavar="N", default=100, help="of each two players at most (default: 100)"
    )
    command.add_argument("--seats", type=positive, metavar="N", help="how many seats (default: as few as can be)")
    seed_of(command)
    command.add_argument("--full", action="store_true", help="play all games, also where it is clear who is stronger")
    command.add_argument("--file", metavar="FILE", help="keep what was played there, as json, and go on with it")
    jobs_of(command)
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
    command.add_argument("--games", type=positive, metavar="N", default=200, help="at each point (default: 200)")
    seed_of(command)
    setting(command)
    command.add_argument(
        "--seats", metavar="KIND,…", help="who sits where: " + BOT_KINDS + "; default: random everywhere"
    )
    command.add_argument(
        "--swap", action="store_true", help="play from each seed with the players on every seat in turn"
    )
    command.add_argument(
        "--trials", type=positive, metavar="N", default=40, help="points of more than two numbers (default: 40)"
    )
    resume(command)
    jobs_of(command)
    text_or_json(command)
    packs(command)
    thinking(command)


def fuzz(command: argparse.ArgumentParser) -> None:
    game(command)
    command.add_argument("--games", type=positive, metavar="N", help="the most games to play (default: no limit)")
    command.add_argument(
        "--seconds", type=positive, metavar="N", help="the longest time to play (default: 60 without --games)"
    )
    command.add_argument("--seed", type=number, metavar="S", default=0, help="the same seed gives the same games")
    setting(command)
    budgets(command)
    packs(command)
    command.add_argument(
        "--jobs",
        type=jobs,
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
        type=amount,
        metavar="X",
        default=0.001,
        help="how much the best answer may win, on average of both seats (default: 0.001)",
    )
    command.add_argument("--passes", type=positive, metavar="N", help="how many at most (default: as time allows)")
    command.add_argument(
        "--seconds",
        type=positive,
        metavar="N",
        help="how long at most (default: 60, where --passes is not given)",
    )
    command.add_argument(
        "--positions", type=positive, metavar="N", default=400_000, help="that are kept at most (default: 400000)"
    )
    command.add_argument("--seed", type=number, metavar="S", default=0, help="of drawn games")
    setting(command)
    budgets(command)
    packs(command)
    text_or_json(command)
