"""Arguments that several commands take."""

from __future__ import annotations

import argparse

from . import typed


def game(command: argparse.ArgumentParser) -> None:
    command.add_argument("game", metavar="GAME", help="a folder, a .yaml file or a bundled game")


def resume(command: argparse.ArgumentParser) -> None:
    command.add_argument("--resume", action="store_true", help="go on where the same command was interrupted")


def trust(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--trust", action="store_true", help="allow the folders with rules that a saved game names, from now on"
    )


BOT_KINDS = "random, easy, fair, strong, bot, greedy, flat:N, halving:N, mcts:N of N simulations or, as 0.5s, seconds, "
BOT_KINDS += "replay:FILE, python:module.Class"


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
    command.add_argument("--players", type=typed.players, metavar="N", help="how many (default: as few as can be)")
    command.add_argument(
        "--option",
        action="append",
        default=[],
        dest="options",
        metavar="NAME=VALUE",
        help="set an option of the game; may be repeated",
    )


def seed(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", type=typed.number, metavar="S", default=0, help="the same gives the same result")


def jobs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--jobs",
        type=typed.jobs,
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
    """The engine, where somebody may think ahead."""
    command.add_argument(
        "--engine",
        choices=["native", "compiled", "evaluator"],
        help=f"which engine plays, and makes the searches of bots (default: {default})",
    )
