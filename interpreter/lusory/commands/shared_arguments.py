"""Declare the arguments that several commands share: each function adds one or two of them to a parser or a group."""

from __future__ import annotations

from argparse import ArgumentParser, _ActionsContainer as Container

from . import argument_types

BOTS = (
    "random, easy, fair, strong, greedy, flat:N, halving:N, mcts:N (N simulations, or seconds as 0.5s), replay:FILE, "
    "python:module.Class"
)
"""The kinds of bots, as help texts list them."""

MANY_GAMES = "compiled, or native for long runs if you have a C compiler"
AT_A_TABLE = "chosen for you"
"""The default engine, as help texts describe it, of commands that play many games and of those with a table."""


def add_game(parser: Container) -> None:
    parser.add_argument("game", metavar="GAME", help="a folder, a .yaml file, or a bundled game")


def add_players(parser: Container) -> None:
    parser.add_argument(
        "--players",
        type=argument_types.parse_players,
        metavar="N",
        help="number of players (default: the fewest that the game allows)",
    )


def add_option(parser: Container) -> None:
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        dest="options",
        metavar="NAME=VALUE",
        help="set an option of the game; can be repeated",
    )


def add_packs(parser: Container) -> None:
    parser.add_argument(
        "--with",
        action="append",
        default=[],
        dest="packs",
        metavar="PACK",
        help="add a pack to the game: a folder, a .yaml file, or a bundled pack; can be repeated",
    )


def add_budgets(parser: Container) -> None:
    parser.add_argument(
        "--budget",
        action="append",
        default=[],
        dest="budgets",
        metavar="NAME=N",
        help="limit the work of the rules: decision, game, visits or options; can be repeated",
    )


def add_bots(parser: Container, default: str = "random at every seat") -> None:
    parser.add_argument("--seats", metavar="BOT,...", help=f"the bots, in order of seats: {BOTS} (default: {default})")


def add_swap(parser: Container) -> None:
    parser.add_argument("--swap", action="store_true", help="play each deal again until every bot had every seat")


def add_seed(parser: Container) -> None:
    parser.add_argument(
        "--seed",
        type=argument_types.parse_whole,
        metavar="S",
        default=0,
        help="play other games; the same seed gives the same games (default: 0)",
    )


def add_jobs(parser: Container) -> None:
    parser.add_argument(
        "--jobs",
        type=argument_types.parse_jobs,
        metavar="N",
        default=1,
        help="number of processes, or `all` for one per processor; the result is the same (default: 1)",
    )


def add_resume(parser: Container) -> None:
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run of the same command")


def add_trust(parser: Container) -> None:
    parser.add_argument(
        "--trust",
        action="store_true",
        help="from now on, allow the folders with rules that this saved game uses",
    )


def add_text_or_json(parser: Container) -> None:
    parser.add_argument(
        "--format", metavar="FORMAT", choices=["text", "json"], default="text", help="text or json (default: text)"
    )


def add_report_format(parser: Container) -> None:
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        choices=["text", "json", "github", "sarif", "junit"],
        default="text",
        help="text, json, github (notes on a pull request), sarif (code scanning) or junit (default: text)",
    )
    parser.add_argument(
        "--output", metavar="FILE", help="write to FILE; formats other than text also print text on the screen"
    )


def add_any_engine(parser: Container, default: str) -> None:
    """Add the option for the engine of a command whose bots may search."""
    parser.add_argument(
        "--engine",
        metavar="ENGINE",
        choices=["native", "compiled", "evaluator"],
        help=f"native, compiled or evaluator (default: {default})",
    )


def add_moment(parser: ArgumentParser, at: str) -> None:
    """Add the arguments that select a moment of a game. ``at`` is the help of ``--at``."""
    parser.add_argument("game", metavar="FILE|GAME", help="a saved game, or a game for bots to play")
    parser.add_argument("ruleset", metavar="GAME", nargs="?", help="use the rules of this game for the saved game")
    parser.add_argument("--at", type=argument_types.parse_moment, metavar="N|FILE", help=at)
    add_trust(parser)
    bots = parser.add_argument_group("A game that bots play")
    bots.add_argument("--seed", type=argument_types.parse_seed, metavar="S", help="the seed of the game (default: 0)")
    add_players(bots)
    add_bots(bots)
    add_option(bots)
    add_packs(bots)
    add_budgets(bots)
