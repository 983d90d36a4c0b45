"""Define the command line: all commands with their arguments. :mod:`lusory.commands` implements them.

Heavy modules are imported only after the command is known, so that ``lusory --help`` is fast.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from lusory_dsl.source.limits import make_room
from lusory_dsl.source.memo import keep_parse_tables_in

from .commands import argument_types
from .commands.argument_parser import USAGE, Parser, Version, overview, with_game
from .commands.argument_types import (
    BOT_KINDS,
    engine as _engine,
    findings as _findings,
    fuzz as _fuzz,
    packs as _packs,
    setting as _setting,
    simulate as _simulate,
    solve as _solve,
    table as _table,
    text_or_json as _text_or_json,
    thinking as _thinking,
    tournament as _tournament,
    trust as _trust,
    tune as _tune,
)
from .commands.errors import INTERRUPTED, UsageError
from .ui.line import streams

FOUND = 1
LITTER = 20_000
"""Number of new objects that triggers a garbage collection.

Python's 700 would cost a tenth of the start of a command.
"""

BEGINNINGS = {
    **dict.fromkeys(("play", "host", "show"), "Reading the rules …"),
    "replay": "Reading what was recorded …",
    "join": "Looking for who holds the game …",
}
"""Status line of interactive commands while they start."""

DESCRIPTION = "Play, check, test, explain and simulate tabletop games that are written as rulesets."


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. This is the entry point of the console script."""
    gc.set_threshold(LITTER)
    streams.prepare()
    make_room()
    keep_parse_tables_in(_parse_table_file)
    if not (sys.argv[1:] if argv is None else argv) and streams.somebody_sits_here():
        if why := streams.why_no_full_screen():
            streams.complain(
                f"the menu takes a full screen: {why}", "lusory list tells the games, lusory play GAME begins one"
            )
            return USAGE
        return _run(argparse.Namespace(command="menu", then=lambda picked: _run(_parsed(picked))))
    return _run(_parsed(argv))


def _parse_table_file() -> Path | None:
    # Imported late, because it loads the core of the language.
    from .support.cache import default_parse_table_file

    return default_parse_table_file()


def _run(args: argparse.Namespace) -> int:
    """Run a parsed command and return its exit code."""
    try:
        if words := BEGINNINGS.get(args.command):
            # Show this before the slow import.
            streams.doing(words)
        command = import_module(f"lusory.commands.{args.command}")
        code: int = command.run(args)
        streams.done()
        streams.flush()
        return code
    except KeyboardInterrupt:
        streams.remark()
        return INTERRUPTED
    except BrokenPipeError:
        streams.reader_is_gone()
        return FOUND
    except Exception as problem:
        return _report(problem)


def _report(problem: Exception) -> int:
    """Print an error message. Prints a traceback only if the user wants one."""
    if isinstance(problem, UsageError):
        streams.complain(str(problem), problem.hint, problem.details)
        return USAGE
    from .commands.errors import report_failure

    if report_failure(problem):
        return FOUND
    if os.environ.get("LUSORY_TRACEBACK"):
        import traceback

        streams.remark("".join(traceback.format_exception(problem)).rstrip("\n"))
    where = "this is a fault of lusory, not of the rules; LUSORY_TRACEBACK=1 shows where"
    streams.complain(f"internal error: {type(problem).__name__}: {problem}", where)
    return FOUND


# ---------------------------------------------------------------- commands and their arguments


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line. Exits with a usage error if it is invalid."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser, commands = _parsers(words[0] if words else "")
    args, unknown = parser.parse_known_args(words)
    args.parser = parser
    if unknown:
        late = not unknown[0].startswith("-") and any(word.startswith("-") for word in words[: words.index(unknown[0])])
        why = " (names stand before the options)" if late else ""
        commands[args.command].error(f"unrecognized arguments: {' '.join(unknown)}{why}")
    return args


def _parsers(first: str) -> tuple[Parser, dict[str, Parser]]:
    """Return the main parser and the parsers of commands.

    If the ``first`` word is a command, make only its parser, because making all is slow. Shell completion needs all.
    """
    known = [row for row in COMMANDS if row[0] == first != "complete"] or COMMANDS
    parser = Parser(overview, prog="lusory", description=DESCRIPTION)
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and leave")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    made: dict[str, Parser] = {}
    for name, help, add, examples in known:
        told = partial(with_game, name, examples)
        made[name] = commands.add_parser(name, closing=told, help=help, description=f"{help[0].upper()}{help[1:]}.")
        add(made[name])
    return parser, made


def _check(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", metavar="GAME", nargs="*", default=["."], help="a folder, file or game (default: .)")
    command.add_argument("--watch", action="store_true", help="check again whenever a file is saved, until Ctrl-C")
    command.add_argument("--strict", action="store_true", help="warnings count as errors for the exit code")
    command.add_argument(
        "--show-ignored", action="store_true", help="also show the warnings that remarks ignore, with their reasons"
    )
    _findings(command)
    _packs(command)


def _new(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder", metavar="FOLDER", nargs="?", help="the game to make: its folder, which gives its name"
    )
    command.add_argument("--pack", metavar="FOLDER", help="make a pack, to be laid over a game, in place of a game")
    command.add_argument(
        "--for", dest="base", metavar="GAME", help="the game of the pack: a folder, a .yaml file or a bundled game"
    )


def _fmt(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=["."],
        help="files, folders with rulesets and packs in them, or `-` for standard input (default: this folder)",
    )
    command.add_argument("--check", action="store_true", help="change nothing, list the files that would change")
    command.add_argument("--diff", action="store_true", help="change nothing, show what would change")


def _test(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", metavar="GAME", nargs="+", help="a folder or a bundled game")
    command.add_argument("-k", metavar="SUBSTRING", dest="cases", help="only cases whose id or title contains this")
    _findings(command)
    _packs(command)
    command.add_argument(
        "--engine",
        choices=["both", "evaluator", "compiled"],
        help="which engine plays the cases (default: both, and a few random games; what they say must be the same)",
    )
    random = command.add_argument_group(
        "comparing the engines", "Plays random games on both and compares everything, in place of running cases."
    )
    random.add_argument("--agree", type=argument_types.positive, metavar="N", help="N games of each number of players")
    command.add_argument(
        "--seed",
        type=argument_types.number,
        metavar="S",
        default=0,
        help="of the first game of --agree, the draw of --mutate",
    )
    command.add_argument(
        "--jobs",
        type=argument_types.jobs,
        metavar="J",
        help="processes at once, or `all` for one on each processor (default: that, where it is worth while)",
    )
    coverage = command.add_argument_group("coverage", "Which parts of the rules no case exercises.")
    coverage.add_argument("--coverage", action="store_true", help="show what is covered and what is not")
    coverage.add_argument("--coverage-json", metavar="FILE", help="write it for programs")
    coverage.add_argument("--coverage-html", metavar="FILE", help="write the rules as a page that shows it in colour")
    mutation = command.add_argument_group(
        "mutation",
        "Changes one thing in the rules at a time; what no case notices is a rule that no case pins.",
    )
    mutation.add_argument("--mutate", action="store_true", help="show the changes that no case notices")
    mutation.add_argument(
        "--limit", type=argument_types.positive, metavar="N", help="try N of the changes, drawn by --seed"
    )
    mutation.add_argument(
        "--only",
        metavar="PLACE",
        help="only changes in this effect, query, phase, rule, table or card, FILE or FILE:LINE",
    )
    mutation.add_argument("--mutate-json", metavar="FILE", help="write what became of every change for programs")
    command.add_argument(
        "--fail-under",
        type=argument_types.percentage,
        metavar="N",
        help="leave 1 where less than N %% is covered, or fewer than N %% of the changes are noticed",
    )


def _compile(command: argparse.ArgumentParser) -> None:
    command.add_argument("game", metavar="GAME", help="a folder, a .yaml file or a bundled game")
    _setting(command)
    _packs(command)
    command.add_argument(
        "--build",
        choices=["silent", "events", "playout", "ir", "c", "c-steps"],
        help="for bots and search, for a console, or whole random games in one function (default: all; with --emit the "
        "first); or, which are printed, the intermediate form of the first two, and whole games and stepwise play as C",
    )
    command.add_argument("--emit", action="store_true", help="print what is generated")
    command.add_argument("-o", dest="output", metavar="FILE", help="write what is generated to a file")


def _play(command: argparse.ArgumentParser) -> None:
    _begin(command)
    command.add_argument(
        "--plain", action="store_true", help="play line by line (default: full screen, where the terminal can show it)"
    )


AT_A_TABLE = "compiled where somebody thinks ahead, and native once that pays, else the evaluator, which begins sooner"


def _begin(command: argparse.ArgumentParser) -> None:
    """Add the arguments of a new or continued game."""
    command.add_argument("game", metavar="GAME", nargs="?", help="a folder, a .yaml file or a bundled game")
    _table(command, seats="who sits where, in order: human, " + BOT_KINDS + "; default: human, then bot")
    command.add_argument("--names", metavar="NAME,…", help="the names of the human players, in order of seats")
    command.add_argument(
        "--seed", type=argument_types.seed, metavar="N", help="all chance comes from it (default: a new one)"
    )
    command.add_argument("--load", metavar="FILE", help="continue a saved game")
    command.add_argument(
        "--continue", dest="resume", action="store_true", help="go on with the latest game that was left in the middle"
    )
    command.add_argument(
        "--changed-rules", action="store_true", help="go on by rules that have changed, if all decisions still fit"
    )
    command.add_argument(
        "--pace",
        type=argument_types.amount,
        metavar="SECONDS",
        default=0.6,
        help="how long each step of a bot that thinks is shown, a key goes on (default: 0.6; 0: as fast as it is)",
    )
    _trust(command)
    _packs(command)
    _thinking(command, AT_A_TABLE)


def _host(command: argparse.ArgumentParser) -> None:
    _begin(command)
    command.add_argument(
        "--address",
        metavar="HOST",
        default="127.0.0.1",
        help="where to listen (default: 127.0.0.1, for this machine alone); nothing on the way is secret",
    )
    command.add_argument(
        "--port", type=argument_types.port, metavar="N", default=4653, help="(default: 4653; 0: any that is free)"
    )
    command.add_argument(
        "--patience",
        type=argument_types.count,
        metavar="SECONDS",
        default=60,
        help="how long a seat waits for a lost connection before a bot plays on (default: 60)",
    )
    command.add_argument(
        "--browser",
        type=argument_types.port,
        metavar="N",
        help="also pages for browsers, at this port (0: any that is free); needs lusory[browser]",
    )


def _join(command: argparse.ArgumentParser) -> None:
    command.add_argument("address", metavar="ADDRESS", help="HOST:PORT/TOKEN, as the host shows it")


def _explain(command: argparse.ArgumentParser) -> None:
    command.add_argument("game", metavar="GAME|CODE", help="a game, or the code of a diagnostic such as E0401")
    command.add_argument("names", metavar="NAME", nargs="*", help="actions, effects, phases, zones, cards, options …")
    command.add_argument(
        "--rulebook", metavar="FILE", help="write the whole rulebook to FILE: Markdown for .md, a page for .html"
    )
    command.add_argument("--events", action="store_true", help="list what rules and packs can answer to")
    _packs(command)


def _moment(command: argparse.ArgumentParser, at: str) -> None:
    """Add the arguments that select a moment of a game. ``at`` is the help of ``--at``."""
    command.add_argument("game", metavar="FILE|GAME", help="a saved game, or a game that bots then play")
    command.add_argument("ruleset", metavar="GAME", nargs="?", help="the ruleset, where the saved game names another")
    command.add_argument(
        "--at", type=argument_types.moment, metavar="N|FILE", help=f"{at}; or a saved game, at its end"
    )
    _trust(command)
    command.add_argument("--seed", type=argument_types.seed, metavar="S", help="of a game among bots (default: 0)")
    _table(command, seats="who sits where, in order: " + BOT_KINDS + "; default: random everywhere")
    _packs(command)


def _trace(command: argparse.ArgumentParser) -> None:
    default = "(default: the last of a saved game, else the first)"
    _moment(command, f"which decision; 0 is what comes before the first {default}")
    command.add_argument("--step", action="store_true", help="wait for Enter after each step; q quits")
    _text_or_json(command)
    command.add_argument("--json", action="store_const", const="json", dest="format", help="short for --format json")


def _show(command: argparse.ArgumentParser) -> None:
    _moment(command, "after how many decisions (default: the last of a saved game, else none)")
    command.add_argument("--seat", metavar="P1|…|nobody", help="who looks (default: who is asked)")
    command.add_argument("--size", metavar="CxR", default="80x24", help="columns and rows (default: 80x24)")
    command.add_argument("--svg", metavar="FILE", help="write it as a picture")
    command.add_argument("--no-color", action="store_true", help="plain text")
    command.add_argument("--names", metavar="NAME,…", help="the names of the players, in order of seats")
    _thinking(command, AT_A_TABLE)


def _replay(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a saved game, a transcript or a playthrough; or a ruleset's folder, for those in its `playthroughs/`",
    )
    command.add_argument(
        "--verify", action="store_true", help="say whether they are still the same games (else exit 1)"
    )
    _text_or_json(command)
    command.add_argument(
        "--plain",
        action="store_true",
        help="tell it in lines (default: full screen, where there is one)",
    )
    command.add_argument("--game", metavar="GAME", help="play it by these rules, not by those that the file is of")
    _trust(command)
    _packs(command)
    _engine(command)


def _analyse(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a saved game, a transcript or a playthrough (default: your game that ended last)",
    )
    command.add_argument("--by", metavar="KIND", default="bot", help="the bot that looks at it: " + BOT_KINDS)
    _text_or_json(command)
    command.add_argument("--game", metavar="GAME", help="play it by these rules, not by those that the file is of")
    _trust(command)
    _packs(command)
    _thinking(command)


def _games(command: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no arguments."""


def _doctor(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="for programs")


def _complete(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", metavar="SHELL", choices=["bash", "zsh", "fish"], help="bash, zsh or fish")


def _list(command: argparse.ArgumentParser) -> None:
    command.add_argument("game", nargs="?", metavar="GAME", help="with --cards: the game whose cards are listed")
    command.add_argument("--cards", action="store_true", help="list the cards of a game, those of a family in one line")
    _text_or_json(command)
    _packs(command)


COMMANDS: tuple[tuple[str, str, Callable[[argparse.ArgumentParser], None], tuple[str, ...]], ...] = (
    (
        "play",
        "play a game in the terminal",
        _play,
        (
            "{game}",
            "{game} --players 4",
            "{game} --seats human,strong",
            "{game} --seats human,human,mcts:0.5s --names Ann,Bob",
            "{game} --option NAME=VALUE --seed 7",
            "{game} --with my-cards/",
            "--load saved-game.json",
            "--continue",
        ),
    ),
    (
        "host",
        "hold a game that several people join, each at a screen of their own",
        _host,
        ("{game} --seats human,human", "{game} --seats human,human,strong --names Ann,Bob", "{game} --continue"),
    ),
    ("join", "take a seat at a game that somebody holds", _join, ("127.0.0.1:4653/TOKEN",)),
    (
        "new",
        "make a small game, or a pack for a game, to change into your own",
        _new,
        ("my-game", "--pack my-cards --for {game}"),
    ),
    (
        "check",
        "find the mistakes in rulesets",
        _check,
        (
            "my-game/",
            "my-game/ --with my-cards/ --watch",
            "my-game/ --strict --show-ignored",
            "rulesets/* --format github",
            "rulesets/* --format sarif --output check.sarif",
        ),
    ),
    (
        "fmt",
        "put files into the one style",
        _fmt,
        ("", "my-game/", "rulesets/ --check", "my-game/cases/scoring.yaml --diff", "- < my-game.yaml"),
    ),
    (
        "test",
        "run the cases that lie beside the rules",
        _test,
        (
            "my-game/",
            "{game} -k scoring",
            "my-game/ --with my-cards/",
            "my-game/ --format junit --output cases.xml",
            "my-game/ --coverage --fail-under 95",
            "my-game/ --coverage-html coverage.html",
            "my-game/ --mutate --only my_effect",
            "{game} my-game/ --agree 1000",
        ),
    ),
    (
        "explain",
        "show the rules in words, or what a diagnostic means",
        _explain,
        ("{game}", "{game} NAME", "{game} --rulebook rules.html", "{game} --events", "E0401"),
    ),
    (
        "simulate",
        "play many games among bots and count",
        _simulate,
        (
            "{game} --games 1000 --seed 1",
            "my-game/ --games 200 --check",
            "my-game/ --games 1000 --unplayed",
            "{game} --games 100000 --jobs all",
            "{game} --games 20 --seats mcts:200,random --swap",
            "{game} --players 3 --option NAME=VALUE --format json > base.json",
            "{game} --players 3 --compare base.json",
        ),
    ),
    (
        "tournament",
        "let bots play each other, and tell who is stronger and by how much",
        _tournament,
        (
            "{game} --players strong,fair,random --games 40",
            "{game} --players mcts:200,flat:200 --games 200 --jobs all",
            "my-game/ --players bot,python:my_bots.Careful --file careful.json",
        ),
    ),
    (
        "tune",
        "try other numbers in the rules, and tell what each does to who wins and how long it takes",
        _tune,
        (
            "my-game/ --vary starting_gold=0..5",
            "my-game/ --vary cards.imp.fields.cost=1..4 --vary hand_size=4..6 --goal 'win_rate(first)=0.5'",
            "my-game/ --vary a=1..9 --vary b=1..9 --vary c=1..9 --goal 'length<=40' --goal 'draws<=5%' --trials 60",
        ),
    ),
    (
        "solve",
        "find the best play of a small game, what it is worth and how near it is",
        _solve,
        (
            "my-game/",
            "{game} --seconds 30",
            "my-game/ --within 0.02",
            "my-game/ --method mccfr --passes 5000 --format json",
        ),
    ),
    (
        "fuzz",
        "play random games to find mistakes in the rules",
        _fuzz,
        (
            "{game} --seconds 30",
            "my-game/ --games 500 --seed 1 --jobs all",
            "my-game/ --with my-cards/ --players 3 --option NAME=VALUE",
            "my-game/ --output my-game/cases",
            "{game} --games 100 --format json",
        ),
    ),
    (
        "analyse",
        "look at a recorded game again: where the lead changed, and which move cost most",
        _analyse,
        ("", "saved-game.json", "saved-game.json --by mcts:500", "saved-game.json --format json"),
    ),
    (
        "replay",
        "tell a recorded game again, or see whether it is still the same",
        _replay,
        (
            "saved-game.json",
            "saved-game.json > my-game/playthroughs/first.txt",
            "--verify my-game/ {game}",
            "--verify *.json --game my-game/ --format json",
        ),
    ),
    (
        "trace",
        "step through what one decision does",
        _trace,
        (
            "saved-game.json --at 12",
            "saved-game.json my-game/ --step",
            "{game} --seed 7 --at 0",
            "{game} --at 3 --json",
        ),
    ),
    (
        "show",
        "print one screen of a game, as a player sees it",
        _show,
        (
            "{game} --seed 7 --at 20",
            "saved-game.json --at 12 --seat P2 --size 120x40",
            "{game} --at saved-game.json --svg screen.svg",
        ),
    ),
    (
        "compile",
        "show the Python that a ruleset is turned into",
        _compile,
        ("{game}", "{game} --players 4 --emit | less", "my-game/ --build playout -o playout.py"),
    ),
    ("games", "list your own games: unfinished, saved, and how those went that ended", _games, ("",)),
    ("doctor", "say what lusory finds on this machine, and what it does without", _doctor, ("", "--json")),
    (
        "complete",
        "write the lines by which a shell completes commands and games",
        _complete,
        ("bash > ~/.local/share/bash-completion/completions/lusory", "fish > ~/.config/fish/completions/lusory.fish"),
    ),
    ("list", "list the bundled games, or the cards of one", _list, ("", "--format json", "my-game --cards")),
)
