"""Declare the arguments of every command, and its texts in `--help`.

:data:`COMMANDS` is the whole command line. :mod:`lusory.commands.help_text` prints it, and :mod:`lusory.cli` runs it.
"""

from __future__ import annotations

from argparse import ArgumentParser, _ActionsContainer
from collections.abc import Callable
from typing import NamedTuple

from . import argument_types
from .shared_arguments import (
    AT_A_TABLE,
    BOTS,
    MANY_GAMES,
    add_any_engine,
    add_bots,
    add_budgets,
    add_game,
    add_jobs,
    add_moment,
    add_option,
    add_packs,
    add_players,
    add_report_format,
    add_resume,
    add_seed,
    add_swap,
    add_text_or_json,
    add_trust,
)


class Command(NamedTuple):
    """Describe a command.

    Attributes:
        name: The word that the user types, and the module of :mod:`lusory.commands` that implements it.
        topic: The heading under which ``lusory --help`` lists it.
        summary: Its line in ``lusory --help``: a verb in the imperative, no full stop.
        about: The first paragraph of its own help.
        add_arguments: Adds its arguments to its parser.
        examples: Arguments of example commands; ``{game}`` stands for a bundled game.
    """

    name: str
    topic: str
    summary: str
    about: str
    add_arguments: Callable[[ArgumentParser], None]
    examples: tuple[str, ...]


# ---------------------------------------------------------------- commands for players


def _add_table(parser: ArgumentParser) -> None:
    """Add the arguments of a new or continued game."""
    parser.add_argument("game", metavar="GAME", nargs="?", help="a folder, a .yaml file, or a bundled game")
    table = parser.add_argument_group("The table")
    add_players(table)
    table.add_argument(
        "--seats",
        metavar="WHO,...",
        help="who plays, in order of seats: human, easy, fair, strong, random or another bot (default: one human, then "
        "strong)",
    )
    table.add_argument("--names", metavar="NAME,...", help="names of the human players, in order of seats")
    add_option(table)
    add_packs(table)
    saved = parser.add_argument_group("Saved games")
    saved.add_argument("--continue", dest="resume", action="store_true", help="continue your latest unfinished game")
    saved.add_argument("--load", metavar="FILE", help="continue a saved game")
    saved.add_argument(
        "--changed-rules",
        action="store_true",
        help="continue although the rules have changed, if every decision is still possible",
    )
    add_trust(saved)
    display = parser.add_argument_group("Display")
    display.add_argument(
        "--pace",
        type=argument_types.parse_amount,
        metavar="SECONDS",
        default=0.6,
        help="show each step of a bot for this long (default: 0.6)",
    )
    _add_ascii(display)


def _add_ascii(display: _ActionsContainer) -> None:
    display.add_argument("--ascii", action="store_true", help="use only ASCII")


def _add_more(parser: ArgumentParser) -> None:
    """Add the arguments that few players need."""
    more = parser.add_argument_group("More")
    more.add_argument(
        "--seed",
        type=argument_types.parse_seed,
        metavar="N",
        help="make chance repeatable; whoever knows N can work out what is hidden",
    )
    add_any_engine(more, AT_A_TABLE)
    add_budgets(more)


def _add_play(parser: ArgumentParser) -> None:
    _add_table(parser)
    display = next(group for group in parser._action_groups if group.title == "Display")
    display.add_argument("--plain", action="store_true", help="play line by line")
    _add_more(parser)


def _add_host(parser: ArgumentParser) -> None:
    _add_table(parser)
    network = parser.add_argument_group("Network")
    network.add_argument(
        "--address",
        metavar="HOST",
        default="127.0.0.1",
        help="the address of this machine on which players join; the connection is not encrypted (default: 127.0.0.1, "
        "which only this machine can reach)",
    )
    network.add_argument(
        "--port",
        type=argument_types.parse_port,
        metavar="N",
        default=4653,
        help="the port on which players join; 0 takes any free one (default: 4653)",
    )
    network.add_argument(
        "--browser",
        type=argument_types.parse_port,
        metavar="N",
        help="let players also join from a browser, at this port; 0 takes any free one (needs lusory[browser])",
    )
    network.add_argument(
        "--patience",
        type=argument_types.parse_count,
        metavar="SECONDS",
        default=60,
        help="how long to wait for a player who lost the connection before a bot plays on (default: 60)",
    )
    _add_more(parser)


def _add_join(parser: ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS", help="HOST:PORT/TOKEN, as `lusory host` prints it")
    _add_ascii(parser)


def _add_no_arguments(parser: ArgumentParser) -> None:
    """Add nothing."""


def _add_recorded_rules(parser: ArgumentParser) -> None:
    """Add the arguments that select the rules of a recorded game."""
    parser.add_argument("--game", metavar="GAME", help="use the rules of this game instead of the recorded ones")
    add_packs(parser)
    add_trust(parser)


def _add_replay(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a saved game, a transcript or a playthrough; with --verify also a game, for the files in its folder "
        "`playthroughs`",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="play the decisions again and compare what happens; exit with 1 if anything differs",
    )
    parser.add_argument("--plain", action="store_true", help="print lines instead of opening a full screen")
    _add_ascii(parser)
    add_text_or_json(parser)
    _add_recorded_rules(parser)
    parser.add_argument(
        "--engine",
        metavar="ENGINE",
        choices=["compiled", "evaluator"],
        help="compiled or evaluator (default: compiled)",
    )


def _add_analyse(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a saved game, a transcript or a playthrough (default: the last game that you finished)",
    )
    parser.add_argument(
        "--by", metavar="BOT", default="bot", help=f"the bot that judges the moves: {BOTS} (default: strong)"
    )
    add_text_or_json(parser)
    _add_recorded_rules(parser)
    add_any_engine(parser, MANY_GAMES)


def _add_list(parser: ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", metavar="GAME", help="with --cards: the game whose cards to list")
    parser.add_argument("--cards", action="store_true", help="list the cards of GAME; a family of cards takes one line")
    add_packs(parser)
    add_text_or_json(parser)


# ---------------------------------------------------------------- commands for designers


def _add_new(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", nargs="?", help="the folder to create; its name names the game")
    parser.add_argument("--pack", metavar="FOLDER", help="create a pack of cards in this folder instead of a game")
    parser.add_argument("--for", dest="base", metavar="GAME", help="with --pack: the game that the pack adds to")


def _add_check(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="GAME",
        nargs="*",
        default=["."],
        help="a folder, a .yaml file, or a bundled game (default: this folder)",
    )
    check = parser.add_argument_group("Check")
    add_packs(check)
    check.add_argument("--strict", action="store_true", help="exit with 1 if there are warnings, too")
    check.add_argument("--watch", action="store_true", help="check again whenever you save a file; Ctrl-C stops")
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--show-ignored",
        action="store_true",
        help="also show warnings that a comment in a file turns off, with the reason",
    )
    add_report_format(output)


def _add_fmt(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=["."],
        help="a file, a folder with games or packs, or `-` for standard input (default: this folder)",
    )
    parser.add_argument("--check", action="store_true", help="change nothing; list the files that would change")
    parser.add_argument("--diff", action="store_true", help="change nothing; show what would change")


def _add_test(parser: ArgumentParser) -> None:
    parser.add_argument("paths", metavar="GAME", nargs="+", help="a folder or a bundled game")
    cases = parser.add_argument_group("Cases")
    cases.add_argument("-k", metavar="TEXT", dest="cases", help="run only cases whose id or title contains TEXT")
    add_packs(cases)
    cases.add_argument(
        "--engine",
        metavar="ENGINE",
        choices=["both", "evaluator", "compiled"],
        help="both, evaluator or compiled; `both` also compares the engines in a few random games (default: both)",
    )
    output = parser.add_argument_group("Output")
    add_report_format(output)
    coverage = parser.add_argument_group("Coverage: which rules do no cases use?")
    coverage.add_argument("--coverage", action="store_true", help="list the parts of the rules that no case uses")
    coverage.add_argument("--coverage-json", metavar="FILE", help="write the coverage as JSON")
    coverage.add_argument("--coverage-html", metavar="FILE", help="write the rules as a web page, coloured by coverage")
    mutation = parser.add_argument_group("Mutation: which mistakes would no case notice?")
    mutation.add_argument(
        "--mutate",
        action="store_true",
        help="change one thing in the rules at a time, run the cases, and list the changes that no case notices",
    )
    mutation.add_argument(
        "--only",
        metavar="PLACE",
        help="only changes in this effect, query, phase, rule, table, card, FILE or FILE:LINE",
    )
    mutation.add_argument(
        "--limit", type=argument_types.parse_positive, metavar="N", help="try at most N changes, drawn at random"
    )
    mutation.add_argument("--mutate-json", metavar="FILE", help="write the result of every change as JSON")
    more = parser.add_argument_group("More")
    more.add_argument(
        "--fail-under",
        type=argument_types.parse_percentage,
        metavar="N",
        help="exit with 1 if the cases cover less than N %% of the rules, or notice less than N %% of the changes",
    )
    more.add_argument(
        "--agree",
        type=argument_types.parse_positive,
        metavar="N",
        help="run no cases; compare the engines in N random games for each number of players",
    )
    more.add_argument(
        "--seed",
        type=argument_types.parse_whole,
        metavar="S",
        default=0,
        help="the seed of the first game of --agree, and of the draw of --limit (default: 0)",
    )
    more.add_argument(
        "--jobs",
        type=argument_types.parse_jobs,
        metavar="N",
        help="number of processes, or `all` for one per processor (default: `all` if that saves time)",
    )


def _add_fuzz(parser: ArgumentParser) -> None:
    add_game(parser)
    games = parser.add_argument_group("Games")
    games.add_argument(
        "--games", type=argument_types.parse_positive, metavar="N", help="stop after N games (default: no limit)"
    )
    games.add_argument(
        "--seconds",
        type=argument_types.parse_positive,
        metavar="N",
        help="stop after N seconds (default: 60, or no limit with --games)",
    )
    add_players(games)
    add_option(games)
    add_packs(games)
    games.add_argument(
        "--from",
        dest="starts",
        nargs="+",
        default=[],
        metavar="FILE",
        help="saved or recorded games to play on from; put this option last",
    )
    add_seed(games)
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--output", metavar="FOLDER", help="write a case for each bug into this folder (default: found-GAME)"
    )
    add_text_or_json(output)
    run = parser.add_argument_group("Run")
    add_jobs(run)
    add_budgets(run)


def _add_explain(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME|CODE", help="a game, or the code of a diagnostic such as E0401")
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="explain only this card, action, phase, zone or option of the game"
    )
    parser.add_argument(
        "--rulebook", metavar="FILE", help="write a rulebook to FILE, as Markdown (.md) or as a web page (.html)"
    )
    parser.add_argument("--rules", action="store_true", help="describe the rules also where they have a text")
    parser.add_argument("--events", action="store_true", help="list the events that rules and packs can react to")
    add_packs(parser)


def _add_text(parser: ArgumentParser) -> None:
    add_game(parser)
    parser.add_argument("--accept", action="store_true", help="accept all texts as they are")
    add_packs(parser)


def _add_trace(parser: ArgumentParser) -> None:
    add_moment(
        parser,
        "the number of the decision; 0 is the setup before the first one (default: the last of a saved game, or 1); "
        "a saved game FILE means its last decision",
    )
    output = parser.add_argument_group("Output")
    output.add_argument("--step", action="store_true", help="wait for Enter after each step; q quits")
    add_text_or_json(output)


def _add_show(parser: ArgumentParser) -> None:
    add_moment(
        parser,
        "show the screen after N decisions (default: all decisions of a saved game, or 0); a saved game FILE means its "
        "end",
    )
    screen = parser.add_argument_group("Screen")
    screen.add_argument(
        "--seat", metavar="SEAT", help="who looks: P1, P2, … or `nobody` (default: the player who must decide)"
    )
    screen.add_argument("--size", metavar="CxR", default="80x24", help="columns and rows (default: 80x24)")
    screen.add_argument("--names", metavar="NAME,...", help="names of the players, in order of seats")
    screen.add_argument("--svg", metavar="FILE", help="write the screen to FILE as a picture")
    screen.add_argument("--no-color", action="store_true", help="print without colours")
    add_any_engine(screen, AT_A_TABLE)


# ---------------------------------------------------------------- commands that study games


def _add_simulate(parser: ArgumentParser) -> None:
    add_game(parser)
    games = parser.add_argument_group("Games")
    games.add_argument(
        "--games", type=argument_types.parse_positive, metavar="N", help="number of games (default: 100)"
    )
    add_players(games)
    add_bots(games)
    add_swap(games)
    add_seed(games)
    add_option(games)
    add_packs(games)
    problems = parser.add_argument_group("Find problems")
    problems.add_argument("--check", action="store_true", help="test the invariants at every decision")
    problems.add_argument(
        "--unplayed",
        metavar="ZONE,...",
        nargs="?",
        const="",
        help="list cards that never came into these zones (default: any place that all players see), and actions that "
        "nobody took",
    )
    _add_evaluation(parser)
    keep = parser.add_argument_group("Keep results")
    keep.add_argument("--record", metavar="FILE", help="save one row per game as .jsonl (JSON lines)")
    keep.add_argument(
        "--decisions", action="store_true", help="with --record: also save one row per decision, in a second file"
    )
    add_resume(keep)
    add_text_or_json(keep)
    run = parser.add_argument_group("Run")
    add_jobs(run)
    run.add_argument(
        "--executor",
        metavar="WHERE",
        default="local",
        help="local, or dask://HOST:PORT to use a Dask cluster that you trust (default: local)",
    )
    add_any_engine(run, MANY_GAMES)
    add_budgets(run)


def _add_evaluation(parser: ArgumentParser) -> None:
    """Add the arguments for details of simulated games, and for their balance."""
    details = parser.add_argument_group("Learn more about the games")
    details.add_argument(
        "--details",
        action="store_true",
        help="show when the lead changes, which cards and actions go with winning, and what never happens",
    )
    details.add_argument(
        "--report", metavar="FILE", help="write the details as a web page with plots (needs lusory[report])"
    )
    details.add_argument(
        "--skill",
        type=argument_types.parse_positive,
        metavar="N",
        help="with --details or --report: measure how much skill matters, by N more games for each pair of the first "
        "bot, the same bot with a quarter of the simulations, and random",
    )
    balance = parser.add_argument_group("Watch the balance")
    balance.add_argument(
        "--balance",
        action="store_true",
        help="compare with the limits in the section `balance`, with the bots and the number of games given there; "
        "exit with 1 if a limit is broken",
    )
    balance.add_argument(
        "--compare",
        metavar="BASE",
        help="compare with another version of the rules: a game, git:REVISION, or an earlier --record or json result; "
        "exit with 1 if the balance has changed",
    )


def _add_tournament(parser: ArgumentParser) -> None:
    add_game(parser)
    games = parser.add_argument_group("Games")
    games.add_argument(
        "--players",
        metavar="BOT,...",
        default="strong,fair,easy,random",
        help=f"two or more bots: {BOTS} (default: strong,fair,easy,random)",
    )
    games.add_argument(
        "--games",
        type=argument_types.parse_positive,
        metavar="N",
        default=100,
        help="the most games for each pair of bots (default: 100)",
    )
    games.add_argument(
        "--full", action="store_true", help="play all games; don't stop once it is clear which bot is stronger"
    )
    games.add_argument(
        "--seats",
        type=argument_types.parse_positive,
        metavar="N",
        help="number of seats in each game (default: the fewest that the game allows)",
    )
    add_seed(games)
    add_option(games)
    add_packs(games)
    output = parser.add_argument_group("Keep results")
    output.add_argument(
        "--file", metavar="FILE", help="save the results to FILE as JSON; continue the tournament if FILE exists"
    )
    add_text_or_json(output)
    run = parser.add_argument_group("Run")
    add_jobs(run)
    add_any_engine(run, MANY_GAMES)


def _add_tune(parser: ArgumentParser) -> None:
    add_game(parser)
    study = parser.add_argument_group("What to try")
    study.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="NAME=VALUES",
        help="NAME is an option, or the path to a number in the rules, such as cards.imp.fields.cost. VALUES are 1..5, "
        "0..20:5 (steps of 5) or 1,2,4. Can be repeated: all combinations are played for one or two names, and a "
        "sample for more (needs lusory[tune])",
    )
    study.add_argument(
        "--goal",
        action="append",
        default=[],
        dest="goals",
        metavar="GOAL",
        help="what you want, such as 'win_rate(first)=0.5', 'win_rate(P2)>=45%%', 'draws<=5%%', 'length<=40', "
        "'turns=20', 'result>=30' or 'endings(All is lost)<=10%%'; can be repeated",
    )
    study.add_argument(
        "--trials",
        type=argument_types.parse_positive,
        metavar="N",
        default=40,
        help="number of combinations to try if you vary more than two names (default: 40)",
    )
    games = parser.add_argument_group("Games")
    games.add_argument(
        "--games",
        type=argument_types.parse_positive,
        metavar="N",
        default=200,
        help="number of games for each combination (default: 200)",
    )
    add_players(games)
    add_bots(games)
    add_swap(games)
    add_seed(games)
    add_option(games)
    add_packs(games)
    output = parser.add_argument_group("Keep results")
    add_resume(output)
    add_text_or_json(output)
    run = parser.add_argument_group("Run")
    add_jobs(run)
    add_any_engine(run, MANY_GAMES)


def _add_solve(parser: ArgumentParser) -> None:
    add_game(parser)
    method = parser.add_argument_group("How to solve")
    method.add_argument(
        "--method",
        metavar="METHOD",
        choices=["positions", "cfr", "mccfr"],
        help="positions (search every position; nothing may be hidden), cfr (an equilibrium of the whole game tree) or "
        "mccfr (an equilibrium from sampled games) (default: the first that suits the game)",
    )
    method.add_argument(
        "--within",
        type=argument_types.parse_amount,
        metavar="X",
        default=0.001,
        help="stop when the exploitability is at most X (default: 0.001)",
    )
    method.add_argument(
        "--passes",
        type=argument_types.parse_positive,
        metavar="N",
        help="stop after N iterations (default: as many as time allows)",
    )
    method.add_argument(
        "--seconds",
        type=argument_types.parse_positive,
        metavar="N",
        help="stop after N seconds (default: 60, or no limit with --passes)",
    )
    method.add_argument(
        "--positions",
        type=argument_types.parse_positive,
        metavar="N",
        default=400_000,
        help="the most positions to hold in memory (default: 400000)",
    )
    method.add_argument(
        "--seed",
        type=argument_types.parse_whole,
        metavar="S",
        default=0,
        help="the seed of the sampled games of mccfr (default: 0)",
    )
    game = parser.add_argument_group("The game")
    add_players(game)
    add_option(game)
    add_packs(game)
    add_budgets(game)
    output = parser.add_argument_group("Output")
    add_text_or_json(output)


# ---------------------------------------------------------------- tools


def _add_compile(parser: ArgumentParser) -> None:
    add_game(parser)
    add_players(parser)
    add_option(parser)
    add_packs(parser)
    parser.add_argument(
        "--build",
        metavar="BUILD",
        choices=["silent", "events", "playout", "ir", "c", "c-steps"],
        help="show one build: silent (Python for bots), events (Python for a table), playout (a random game as one "
        "function), ir (the intermediate representation), c (whole games) or c-steps (single steps). Without it, a "
        "table compares the Python builds",
    )
    parser.add_argument("--emit", action="store_true", help="print the code instead of a table of its size")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write the code to FILE")


def _add_lsp(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--port",
        type=argument_types.parse_port,
        metavar="N",
        help="serve on this TCP port of this machine (default: standard input and output)",
    )


def _add_doctor(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_complete(parser: ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=["bash", "zsh", "fish"], help="bash, zsh or fish")


PLAY, DESIGN, STUDY, TOOLS = "Play", "Design", "Study", "Tools"

COMMANDS: tuple[Command, ...] = (
    Command(
        "play",
        PLAY,
        "Play a game in the terminal",
        "Play a game in the terminal, against bots or with friends at one keyboard. Without GAME, offers your "
        "unfinished games.",
        _add_play,
        (
            "{game}",
            "{game} --players 4",
            "{game} --seats human,human,fair --names Ann,Bob",
            "my-game --with my-cards",
            "--continue",
        ),
    ),
    Command(
        "host",
        PLAY,
        "Host a game that players join from other terminals",
        "Host a game for several players, each at a screen of their own. Prints a command for each player to join.",
        _add_host,
        ("{game} --seats human,human", "{game} --seats human,human,strong --names Ann,Bob", "{game} --continue"),
    ),
    Command(
        "join",
        PLAY,
        "Join a hosted game",
        "Take your seat at a game that somebody hosts. The host gives you the address.",
        _add_join,
        ("127.0.0.1:4653/TOKEN", "192.168.1.5:4653/TOKEN"),
    ),
    Command(
        "games",
        PLAY,
        "List your unfinished, saved and finished games",
        "List your unfinished and saved games, with the commands that continue them, and count your wins.",
        _add_no_arguments,
        ("",),
    ),
    Command(
        "replay",
        PLAY,
        "Show a recorded game, or verify it against changed rules",
        "Show a recorded game step by step, for players. With --verify, tests whether recorded games still play out "
        "the same, for designers who change rules.",
        _add_replay,
        (
            "saved-game.json",
            "saved-game.json > my-game/playthroughs/first.txt",
            "--verify my-game {game}",
            "--verify *.json --game my-game --format json",
        ),
    ),
    Command(
        "analyse",
        PLAY,
        "Find the turning points and the worst moves of a recorded game",
        "Find the turning points and the worst moves of a recorded game, for players who want to improve. A bot judges "
        "every decision.",
        _add_analyse,
        ("", "saved-game.json --by mcts:500"),
    ),
    Command(
        "list",
        PLAY,
        "List the bundled games, or the cards of one",
        "List the bundled games and their packs, or the cards of a game.",
        _add_list,
        ("", "{game} --cards", "--format json"),
    ),
    Command(
        "new",
        DESIGN,
        "Create a small game, or a pack of cards for a game",
        "Create a small game, or a pack of cards for a game, for designers to change into their own.",
        _add_new,
        ("my-game", "--pack my-cards --for {game}"),
    ),
    Command(
        "check",
        DESIGN,
        "Check rules for mistakes",
        "Check rules for mistakes: unknown names, wrong types, definitions without use, conditions that never change. "
        "Every problem comes with its line and column, and usually with a suggestion.",
        _add_check,
        (
            "my-game",
            "my-game --with my-cards --watch",
            "my-game --strict",
            "rulesets/* --format sarif --output check.sarif",
        ),
    ),
    Command(
        "fmt",
        DESIGN,
        "Format files",
        "Format the files of a game or pack in the standard layout. The meaning stays the same.",
        _add_fmt,
        ("my-game", "rulesets --check", "my-game/cases/scoring.yaml --diff", "- < my-game.yaml"),
    ),
    Command(
        "test",
        DESIGN,
        "Run the cases of a game",
        "Run the cases of a game: short stories that say what should happen. Also measures which rules no case tests.",
        _add_test,
        (
            "my-game",
            "my-game -k scoring --with my-cards",
            "my-game --coverage --fail-under 95",
            "my-game --mutate --only my_effect",
            "my-game --format junit --output cases.xml",
        ),
    ),
    Command(
        "fuzz",
        DESIGN,
        "Search for bugs in the rules: dead ends, broken invariants, leaks",
        "Search for bugs in the rules by random play, for designers: faults, dead ends, broken invariants, and options "
        "that leak secrets. Writes a small case for each bug.",
        _add_fuzz,
        (
            "{game} --seconds 30",
            "my-game --games 500 --jobs all",
            "my-game --output my-game/cases",
        ),
    ),
    Command(
        "explain",
        DESIGN,
        "Show the rules in English, or explain a diagnostic",
        "Show the rules of a game in English, for players and designers, or explain a diagnostic of `lusory check`.",
        _add_explain,
        ("{game}", "my-game my_card", "{game} --rulebook rules.html", "E0401"),
    ),
    Command(
        "text",
        DESIGN,
        "List card texts whose rules have changed",
        "List cards, actions and keywords whose rules have changed since you accepted their text.",
        _add_text,
        ("my-game", "my-game --accept"),
    ),
    Command(
        "trace",
        DESIGN,
        "Show what one decision does, statement by statement",
        "Show what one decision does, statement by statement. Shows hidden information, too.",
        _add_trace,
        ("{game} --seed 7 --at 3", "saved-game.json --at 12", "saved-game.json my-game --step"),
    ),
    Command(
        "show",
        DESIGN,
        "Print one screen of a game as a player sees it",
        "Print one screen, as a player sees it.",
        _add_show,
        (
            "{game} --seed 7 --at 20",
            "saved-game.json --at 12 --seat P2 --size 120x40",
            "{game} --at saved-game.json --svg screen.svg",
        ),
    ),
    Command(
        "simulate",
        STUDY,
        "Let bots play many games and count who wins",
        "Let bots play many games, for designers. Shows who wins, how long games take and how they end. The same "
        "command gives the same result on every machine, unless a bot has a time limit.",
        _add_simulate,
        (
            "my-game --games 1000 --jobs all",
            "my-game --seats mcts:200,random --swap",
            "my-game --check --unplayed",
            "my-game --games 1000 --compare git:main",
        ),
    ),
    Command(
        "tournament",
        STUDY,
        "Find out which of several bots is strongest",
        "Find out which of several bots is strongest, and by how much. Each pair plays on all seats until the result "
        "is clear.",
        _add_tournament,
        (
            "{game} --players strong,fair,random --games 40",
            "{game} --players mcts:200,flat:200 --games 200 --jobs all",
            "my-game --players strong,python:my_bots.Careful --file careful.json",
        ),
    ),
    Command(
        "tune",
        STUDY,
        "Try other numbers in the rules and measure what changes",
        "Try other numbers in the rules and measure what changes, for designers who balance a game. Changes no file.",
        _add_tune,
        (
            "my-game --vary starting_gold=0..5",
            "my-game --vary cards.imp.fields.cost=1..4 --goal 'win_rate(first)=0.5'",
        ),
    ),
    Command(
        "solve",
        STUDY,
        "Find the best play of a small game",
        "Find the best play of a small game, its value, and how far the result is from perfect play.",
        _add_solve,
        ("my-game", "{game} --seconds 30", "my-game --method mccfr --passes 5000 --format json"),
    ),
    Command(
        "lsp",
        TOOLS,
        "Serve your editor: mistakes, completion and renaming as you type",
        "Serve an editor that speaks the Language Server Protocol. Your editor starts this command once it is set up.",
        _add_lsp,
        ("", "--port 4389"),
    ),
    Command(
        "compile",
        TOOLS,
        "Show the Python or C code that lusory generates for a game",
        "Show the Python or C code that lusory generates for a game, for engineers.",
        _add_compile,
        ("{game}", "{game} --players 4 --emit | less", "my-game --build playout -o playout.py"),
    ),
    Command(
        "doctor",
        TOOLS,
        "Show what lusory finds on this machine, and what is missing",
        "Show what lusory finds on this machine (compiler, cache, terminal, packages), what is missing, and what it is "
        "needed for.",
        _add_doctor,
        ("", "--json"),
    ),
    Command(
        "complete",
        TOOLS,
        "Print a script that completes commands in your shell",
        "Print a script that completes commands, options and games in your shell when you press Tab.",
        _add_complete,
        ("bash > ~/.local/share/bash-completion/completions/lusory", "fish > ~/.config/fish/completions/lusory.fish"),
    ),
)
"""The commands, in the order of ``lusory --help``."""
