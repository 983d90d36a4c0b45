"""Declare the arguments of every command, and its texts in `--help`.

:data:`COMMANDS` is the whole command line. :mod:`lusory.commands.help_text` prints it, and :mod:`lusory.cli` runs it.
"""

from __future__ import annotations

from argparse import ArgumentParser, _ActionsContainer
from collections.abc import Callable
from typing import NamedTuple

from .shared_arguments import (
    BOTS,
    add,
    add_moment,
    add_report_format,
    add_shared,
    parse_amount,
    parse_count,
    parse_jobs,
    parse_percentage,
    parse_port,
    parse_positive,
    parse_seed,
    parse_whole,
)


class Command(NamedTuple):
    """Describe a command.

    Attributes:
        name: The word that the user types.
        topic: The heading under which ``lusory --help`` lists it.
        summary: Its line in ``lusory --help``: a verb in the imperative, no full stop.
        about: The first paragraph of its own help.
        add_arguments: Adds its arguments to its parser.
        examples: Arguments of example commands; ``{game}`` stands for a bundled game.
        module: The module of :mod:`lusory.commands.handlers` that implements it, if it isn't called like the command.
    """

    name: str
    topic: str
    summary: str
    about: str
    add_arguments: Callable[[ArgumentParser], None]
    examples: tuple[str, ...]
    module: str = ""


# ---------------------------------------------------------------- commands for players


def _add_table(parser: ArgumentParser) -> None:
    """Add the arguments of a new or continued game."""
    add(parser, "game GAME", "a folder, a .yaml file, or a bundled game", nargs="?")
    table = parser.add_argument_group("The table")
    add_shared(table, "players")
    add(
        table,
        "--seats WHO,...",
        "who plays, in order of seats: human, easy, fair, strong, random or another bot (default: one human, then "
        "strong)",
    )
    add(table, "--names NAME,...", "names of the human players, in order of seats")
    add_shared(table, "option", "packs")
    saves = parser.add_argument_group("Saved games")
    add(saves, "--continue", "continue your latest unfinished game", dest="resume")
    add(saves, "--load FILE", "continue a saved game")
    add(saves, "--changed-rules", "continue although the rules have changed, if every decision is still possible")
    add_shared(saves, "trust")
    display = parser.add_argument_group("Display")
    add(
        display,
        "--pace SECONDS",
        "show each step of a bot for this long (default: 0.6)",
        type=parse_amount,
        default=0.6,
    )
    _add_ascii(display)


def _add_ascii(display: _ActionsContainer) -> None:
    add(display, "--ascii", "use only ASCII")


def _add_more(parser: ArgumentParser) -> None:
    """Add the arguments that few players need."""
    group = parser.add_argument_group("More")
    add(group, "--seed N", "make chance repeatable; whoever knows N can work out what is hidden", type=parse_seed)
    add_shared(group, "table engine", "budgets")


def _add_play(parser: ArgumentParser) -> None:
    _add_table(parser)
    display = next(group for group in parser._action_groups if group.title == "Display")
    add(display, "--plain", "play line by line")
    _add_more(parser)


def _add_host(parser: ArgumentParser) -> None:
    _add_table(parser)
    network = parser.add_argument_group("Network")
    add(
        network,
        "--address HOST",
        "the address of this machine on which players join; the connection is not encrypted (default: 127.0.0.1, which "
        "only this machine can reach)",
        default="127.0.0.1",
    )
    add(
        network,
        "--port N",
        "the port on which players join; 0 takes any free one (default: 4653)",
        type=parse_port,
        default=4653,
    )
    add(
        network,
        "--browser N",
        "let players also join from a browser, at this port; 0 takes any free one (needs lusory[browser])",
        type=parse_port,
    )
    add(
        network,
        "--patience SECONDS",
        "how long to wait for a player who lost the connection before a bot plays on (default: 60)",
        type=parse_count,
        default=60,
    )
    _add_more(parser)


def _add_join(parser: ArgumentParser) -> None:
    add(parser, "address ADDRESS", "HOST:PORT/TOKEN, as `lusory host` prints it")
    _add_ascii(parser)


def _add_no_arguments(parser: ArgumentParser) -> None:
    """Add nothing."""


def _add_recorded_rules(parser: ArgumentParser) -> None:
    """Add the arguments that select the rules of a recorded game."""
    add(parser, "--game GAME", "use the rules of this game instead of the recorded ones")
    add_shared(parser, "packs", "trust")


def _add_replay(parser: ArgumentParser) -> None:
    add(
        parser,
        "files FILE",
        "a saved game, a transcript or a playthrough; with --verify also a game, for the files in its folder "
        "`playthroughs`",
        nargs="+",
    )
    add(parser, "--verify", "play the decisions again and compare what happens; exit with 1 if anything differs")
    add(parser, "--plain", "print lines instead of opening a full screen")
    _add_ascii(parser)
    add_shared(parser, "format")
    _add_recorded_rules(parser)
    add(parser, "--engine ENGINE", "compiled or evaluator (default: compiled)", choices=["compiled", "evaluator"])


def _add_analyse(parser: ArgumentParser) -> None:
    add(
        parser,
        "file FILE",
        "a saved game, a transcript or a playthrough (default: the last game that you finished)",
        nargs="?",
    )
    add(parser, "--by BOT", f"the bot that judges the moves: {BOTS} (default: strong)", default="bot")
    add_shared(parser, "format")
    _add_recorded_rules(parser)
    add_shared(parser, "engine")


def _add_list(parser: ArgumentParser) -> None:
    add(parser, "game GAME", "with --cards: the game whose cards to list", nargs="?")
    add(parser, "--cards", "list the cards of GAME; a family of cards takes one line")
    add_shared(parser, "packs", "format")


# ---------------------------------------------------------------- commands for designers


def _add_new(parser: ArgumentParser) -> None:
    add(parser, "folder FOLDER", "the folder to create; its name names the game", nargs="?")
    add(parser, "--pack FOLDER", "create a pack of cards in this folder instead of a game")
    add(parser, "--for GAME", "with --pack: the game that the pack adds to", dest="base")


def _add_check(parser: ArgumentParser) -> None:
    add(
        parser,
        "paths GAME",
        "a folder, a .yaml file, or a bundled game (default: this folder)",
        nargs="*",
        default=["."],
    )
    check = parser.add_argument_group("Check")
    add_shared(check, "packs")
    add(check, "--strict", "exit with 1 if there are warnings, too")
    add(check, "--watch", "check again whenever you save a file; Ctrl-C stops")
    output = parser.add_argument_group("Output")
    add(output, "--show-ignored", "also show warnings that a comment in a file turns off, with the reason")
    add_report_format(output)


def _add_fmt(parser: ArgumentParser) -> None:
    add(
        parser,
        "paths PATH",
        "a file, a folder with games or packs, or `-` for standard input (default: this folder)",
        nargs="*",
        default=["."],
    )
    add(parser, "--check", "change nothing; list the files that would change")
    add(parser, "--diff", "change nothing; show what would change")


def _add_test(parser: ArgumentParser) -> None:
    add(parser, "paths GAME", "a folder or a bundled game", nargs="+")
    cases = parser.add_argument_group("Cases")
    add(cases, "-k TEXT", "run only cases whose file, id or title contains TEXT", dest="cases")
    add_shared(cases, "packs")
    add(
        cases,
        "--engine ENGINE",
        "both, evaluator or compiled; `both` also compares the engines in a few random games (default: both)",
        choices=["both", "evaluator", "compiled"],
    )
    add_report_format(parser.add_argument_group("Output"))
    coverage = parser.add_argument_group("Coverage: which rules do no cases use?")
    add(coverage, "--coverage", "list the parts of the rules that no case uses")
    add(coverage, "--coverage-json FILE", "write the coverage as JSON")
    add(coverage, "--coverage-html FILE", "write the rules as a web page, coloured by coverage")
    mutation = parser.add_argument_group("Mutation: which mistakes would no case notice?")
    add(
        mutation,
        "--mutate",
        "change one thing in the rules at a time, run the cases, and list the changes that no case notices",
    )
    add(mutation, "--only PLACE", "only changes in this effect, query, phase, rule, table, card, FILE or FILE:LINE")
    add(mutation, "--limit N", "try at most N changes, drawn at random", type=parse_positive)
    add(mutation, "--mutate-json FILE", "write the result of every change as JSON")
    group = parser.add_argument_group("More")
    add(
        group,
        "--fail-under N",
        "exit with 1 if the cases cover less than N %% of the rules, or notice less than N %% of the changes",
        type=parse_percentage,
    )
    add(
        group,
        "--agree N",
        "run no cases; compare the engines in N random games for each number of players",
        type=parse_positive,
    )
    add(
        group,
        "--seed S",
        "the seed of the first game of --agree, and of the draw of --limit (default: 0)",
        type=parse_whole,
        default=0,
    )
    add(
        group,
        "--jobs N",
        "number of processes, or `all` for one per processor (default: `all` if that saves time)",
        type=parse_jobs,
    )


def _add_fuzz(parser: ArgumentParser) -> None:
    add_shared(parser, "game")
    games = parser.add_argument_group("Games")
    add(games, "--games N", "stop after N games (default: no limit)", type=parse_positive)
    add(games, "--seconds N", "stop after N seconds (default: 60, or no limit with --games)", type=parse_positive)
    add_shared(games, "players", "option", "packs")
    add(
        games,
        "--from FILE",
        "saved or recorded games to play on from; put this option last",
        dest="starts",
        nargs="+",
        default=[],
    )
    add_shared(games, "seed")
    output = parser.add_argument_group("Output")
    add(output, "--output FOLDER", "write a case for each bug into this folder (default: found-GAME)")
    add_shared(output, "format")
    add_shared(parser.add_argument_group("Run"), "jobs", "budgets")


def _add_explain(parser: ArgumentParser) -> None:
    add(parser, "game GAME|CODE", "a game, or the code of a diagnostic such as E0401")
    add(
        parser,
        "names NAME",
        "explain only this card, action, phase, zone, option or ending, or another code",
        nargs="*",
        default=[],
    )
    add(parser, "--rulebook FILE", "write a rulebook to FILE, as Markdown (.md) or as a web page (.html)")
    add(parser, "--rules", "describe the rules also where they have a text")
    add(parser, "--events", "list the events that rules and packs can react to")
    add_shared(parser, "packs")


def _add_text(parser: ArgumentParser) -> None:
    add_shared(parser, "game")
    add(parser, "--accept", "accept all texts as they are")
    add_shared(parser, "packs")


def _add_trace(parser: ArgumentParser) -> None:
    add_moment(
        parser,
        "the number of the decision; 0 is the setup before the first one (default: the last of a saved game, or 1); "
        "a saved game FILE means its last decision",
    )
    output = parser.add_argument_group("Output")
    add(output, "--step", "wait for Enter after each step; q quits")
    add_shared(output, "format")


def _add_show(parser: ArgumentParser) -> None:
    add_moment(
        parser,
        "show the screen after N decisions (default: all decisions of a saved game, or 0); a saved game FILE means its "
        "end",
    )
    screen = parser.add_argument_group("Screen")
    add(screen, "--seat SEAT", "who looks: P1, P2, … or `nobody` (default: the player who must decide)")
    add(screen, "--size CxR", "columns and rows (default: 80x24)", default="80x24")
    add(screen, "--names NAME,...", "names of the players, in order of seats")
    add(screen, "--svg FILE", "write the screen to FILE as a picture")
    add(screen, "--no-color", "print without colours")
    add_shared(screen, "table engine")


# ---------------------------------------------------------------- commands that study games


def _add_simulate(parser: ArgumentParser) -> None:
    add_shared(parser, "game")
    games = parser.add_argument_group("Games")
    add(games, "--games N", "number of games (default: 100)", type=parse_positive)
    add_shared(games, "players", "bots", "swap", "seed", "option", "packs")
    problems = parser.add_argument_group("Find problems")
    add(problems, "--check", "test the invariants at every decision")
    add(
        problems,
        "--unplayed ZONE,...",
        "list cards that never came into these zones (default: any place that all players see), and actions that nobody"
        " took",
        nargs="?",
        const="",
    )
    _add_evaluation(parser)
    keep = parser.add_argument_group("Keep results")
    add(keep, "--record FILE", "save one row per game as .jsonl (JSON lines)")
    add(keep, "--decisions", "with --record: also save one row per decision, in a second file")
    add_shared(keep, "resume", "format")
    run = parser.add_argument_group("Run")
    add_shared(run, "jobs")
    add(
        run,
        "--executor WHERE",
        "local, or dask://HOST:PORT to use a Dask cluster that you trust (default: local)",
        default="local",
    )
    add_shared(run, "engine", "budgets")


def _add_evaluation(parser: ArgumentParser) -> None:
    """Add the arguments for details of simulated games, and for their balance."""
    details = parser.add_argument_group("Learn more about the games")
    add(
        details,
        "--details",
        "show when the lead changes, which cards and actions go with winning, and what never happens",
    )
    add(details, "--report FILE", "write the details as a web page with plots (needs lusory[report])")
    add(
        details,
        "--skill N",
        "with --details or --report: measure how much skill matters, by N more games for each pair of the first bot, "
        "the same bot with a quarter of the simulations, and random",
        type=parse_positive,
    )
    balance = parser.add_argument_group("Watch the balance")
    add(
        balance,
        "--balance",
        "compare with the limits in the section `balance`, with the bots and the number of games given there; exit with"
        " 1 if a limit is broken",
    )
    add(
        balance,
        "--compare BASE",
        "compare with another version of the rules: a game, git:REVISION, or an earlier --record or json result; exit "
        "with 1 if the balance has changed",
    )


def _add_tournament(parser: ArgumentParser) -> None:
    add_shared(parser, "game")
    games = parser.add_argument_group("Games")
    add(
        games,
        "--players BOT,...",
        f"two or more bots: {BOTS} (default: strong,fair,easy,random)",
        default="strong,fair,easy,random",
    )
    add(games, "--games N", "the most games for each pair of bots (default: 100)", type=parse_positive, default=100)
    add(games, "--full", "play all games; don't stop once it is clear which bot is stronger")
    add(
        games,
        "--seats N",
        "number of seats in each game (default: the fewest that the game allows)",
        type=parse_positive,
    )
    add_shared(games, "seed", "option", "packs")
    output = parser.add_argument_group("Keep results")
    add(output, "--file FILE", "save the results to FILE as JSON; continue the tournament if FILE exists")
    add_shared(output, "format")
    add_shared(parser.add_argument_group("Run"), "jobs", "engine")


def _add_tune(parser: ArgumentParser) -> None:
    add_shared(parser, "game")
    study = parser.add_argument_group("What to try")
    add(
        study,
        "--vary NAME=VALUES",
        "NAME is an option, or the path to a number in the rules, such as cards.imp.fields.cost. VALUES are 1..5, "
        "0..20:5 (steps of 5) or 1,2,4. Can be repeated: all combinations are played for one or two names, and a sample"
        " for more (needs lusory[tune])",
        action="append",
        required=True,
    )
    add(
        study,
        "--goal GOAL",
        "what you want, such as 'win_rate(first)=0.5', 'win_rate(P2)>=45%%', 'draws<=5%%', 'length<=40', 'turns=20', "
        "'result>=30' or 'endings(All is lost)<=10%%'; can be repeated",
        action="append",
        default=[],
        dest="goals",
    )
    add(
        study,
        "--trials N",
        "number of combinations to try if you vary more than two names (default: 40)",
        type=parse_positive,
        default=40,
    )
    games = parser.add_argument_group("Games")
    add(games, "--games N", "number of games for each combination (default: 200)", type=parse_positive, default=200)
    add_shared(games, "players", "bots", "swap", "seed", "option", "packs")
    add_shared(parser.add_argument_group("Keep results"), "resume", "format")
    add_shared(parser.add_argument_group("Run"), "jobs", "engine")


def _add_solve(parser: ArgumentParser) -> None:
    add_shared(parser, "game")
    method = parser.add_argument_group("How to solve")
    add(
        method,
        "--method METHOD",
        "positions (search every position; nothing may be hidden), cfr (an equilibrium of the whole game tree) or mccfr"
        " (an equilibrium from sampled games) (default: the first that suits the game)",
        choices=["positions", "cfr", "mccfr"],
    )
    add(
        method,
        "--within X",
        "stop when the exploitability is at most X (default: 0.001)",
        type=parse_amount,
        default=0.001,
    )
    add(method, "--passes N", "stop after N iterations (default: as many as time allows)", type=parse_positive)
    add(method, "--seconds N", "stop after N seconds (default: 60, or no limit with --passes)", type=parse_positive)
    add(
        method,
        "--positions N",
        "the most positions to hold in memory (default: 400000)",
        type=parse_positive,
        default=400_000,
    )
    add(method, "--seed S", "the seed of the sampled games of mccfr (default: 0)", type=parse_whole, default=0)
    add_shared(parser.add_argument_group("The game"), "players", "option", "packs", "budgets")
    add_shared(parser.add_argument_group("Output"), "format")


# ---------------------------------------------------------------- tools


def _add_compile(parser: ArgumentParser) -> None:
    add_shared(parser, "game", "players", "option", "packs")
    add(
        parser,
        "--build BUILD",
        "show one build: silent (Python for bots), events (Python for a table), playout (a random game as one "
        "function), ir (the intermediate representation), c (whole games) or c-steps (single steps). Without it, a "
        "table compares the Python builds",
        choices=["silent", "events", "playout", "ir", "c", "c-steps"],
    )
    add(parser, "--emit", "print the code instead of a table of its size")
    add(parser, "-o FILE", "write the code to FILE", dest="output")


def _add_lsp(parser: ArgumentParser) -> None:
    add(
        parser,
        "--port N",
        "serve on this TCP port of this machine (default: standard input and output)",
        type=parse_port,
    )


def _add_doctor(parser: ArgumentParser) -> None:
    add(parser, "--json", "print JSON")


def _add_complete(parser: ArgumentParser) -> None:
    add(parser, "shell SHELL", "bash, zsh or fish", choices=["bash", "zsh", "fish"])


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
        "play_and_resume",
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
        "games_unfinished_saved_and_finished",
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
        "replay_and_recorded_game_files",
    ),
    Command(
        "analyse",
        PLAY,
        "Find the turning points and the worst moves of a recorded game",
        "Find the turning points and the worst moves of a recorded game, for players who want to improve. A bot judges "
        "every decision.",
        _add_analyse,
        ("", "saved-game.json --by mcts:500"),
        "analyse_recorded_game",
    ),
    Command(
        "list",
        PLAY,
        "List the bundled games, or the cards of one",
        "List the bundled games and their packs, or the cards of a game.",
        _add_list,
        ("", "{game} --cards", "--format json"),
        "list_bundled_games",
    ),
    Command(
        "new",
        DESIGN,
        "Create a small game, or a pack of cards for a game",
        "Create a small game, or a pack of cards for a game, for designers to change into their own.",
        _add_new,
        ("my-game", "--pack my-cards --for {game}"),
        "new_game_or_pack_draft",
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
            "my-game --format sarif --output check.sarif",
        ),
        "check_and_watch",
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
        "Run the cases of a game, and measure their coverage",
        "Run the cases of a game: short stories that say what should happen. Also measures which rules no case tests.",
        _add_test,
        (
            "my-game",
            "my-game -k scoring --with my-cards",
            "my-game --coverage --fail-under 95",
            "my-game --mutate --only my_effect",
            "my-game --format junit --output cases.xml",
        ),
        "test_cases_coverage_and_mutation",
    ),
    Command(
        "fuzz",
        DESIGN,
        "Search for bugs in the rules: dead ends, broken invariants, leaks",
        "Search for bugs in the rules by random play, for designers: faults, dead ends, broken invariants, and options "
        "that leak secrets. Writes a small case for each bug.",
        _add_fuzz,
        ("{game} --seconds 30", "my-game --games 500 --jobs all", "my-game --output my-game/cases"),
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
        "List cards, actions, effects and keywords whose rules changed since you accepted their text.",
        _add_text,
        ("my-game", "my-game --accept"),
        "text_of_outdated_cards",
    ),
    Command(
        "trace",
        DESIGN,
        "Show what one decision does, statement by statement",
        "Show what one decision does, statement by statement. Shows hidden information, too.",
        _add_trace,
        ("{game} --seed 7 --at 3", "saved-game.json --at 12", "saved-game.json my-game --step"),
        "trace_statements_of_one_decision",
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
        "show_one_screen",
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
        "simulate_and_compare",
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
        ("my-game --vary starting_gold=0..5", "my-game --vary cards.imp.fields.cost=1..4 --goal 'win_rate(first)=0.5'"),
    ),
    Command(
        "solve",
        STUDY,
        "Find the best play of a small game",
        "Find the best play of a small game, its value, and how far the result is from perfect play.",
        _add_solve,
        ("my-game", "my-game --seconds 300", "my-game --method mccfr --passes 5000 --format json"),
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
        "compile_to_printed_or_measured_code",
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
        "complete_print_shell_code",
    ),
)
"""The commands, in the order of ``lusory --help``."""
