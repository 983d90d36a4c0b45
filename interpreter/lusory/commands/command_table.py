"""Declare the arguments of every command, and its texts in `--help`.

:data:`COMMANDS` is the whole command line. :mod:`lusory.commands.parser_usage_errors_and_help_layout` prints it, and
:mod:`lusory.cli` runs it.
"""

from __future__ import annotations

from .argument_values_and_shared_arguments import (
    BOTS,
    REPORT_FORMAT,
    Argument,
    Group,
    list_moment_arguments,
    parse_amount,
    parse_count,
    parse_jobs,
    parse_percentage,
    parse_port,
    parse_positive,
    parse_seed,
    parse_whole,
)


class Command:
    """Describe a command.

    Attributes:
        name: The word that the user types.
        topic: The heading under which ``lusory --help`` lists it.
        summary: Its line in ``lusory --help``: a verb in the imperative, no full stop.
        about: The first paragraph of its own help.
        examples: Arguments of example commands; ``{game}`` stands for a bundled game.
        arguments: Its arguments, and groups of them. Text has names of
            :data:`~lusory.commands.argument_values_and_shared_arguments.SHARED`.
        module: The module of :mod:`lusory.commands.handlers` that implements it, by default called like the command.
    """

    def __init__(
        self,
        name: str,
        topic: str,
        summary: str,
        about: str,
        examples: tuple[str, ...],
        *arguments: Argument | Group | str,
        module: str = "",
    ) -> None:
        self.name, self.topic, self.summary, self.about = name, topic, summary, about
        self.examples, self.arguments, self.module = examples, arguments, module or name


PLAY, DESIGN, STUDY, TOOLS = "Play", "Design", "Study", "Tools"

_TABLE = (
    Argument("game GAME", "a folder, a .yaml file, or a bundled game", nargs="?"),
    Group(
        "The table",
        "players",
        Argument(
            "--seats WHO,...",
            "who plays, in order of seats: human, easy, fair, strong, random or another bot (default: one human, then "
            "strong)",
        ),
        Argument("--names NAME,...", "names of the human players, in order of seats"),
        "option packs",
    ),
    Group(
        "Saved games",
        Argument("--continue", "continue your latest unfinished game", dest="resume"),
        Argument("--load FILE", "continue a saved game"),
        Argument("--changed-rules", "continue although the rules have changed, if every decision is still possible"),
        "trust",
    ),
)
"""Arguments of a new or continued game."""

_PACE = Argument(
    "--pace SECONDS", "show each step of a bot for this long (default: 0.6)", type=parse_amount, default=0.6
)
_ASCII = Argument("--ascii", "use only ASCII")

_MORE = Group(
    "More",
    Argument("--seed N", "make chance repeatable; whoever knows N can work out what is hidden", type=parse_seed),
    "table_engine budgets",
)
"""Arguments of a game at a table that few players need."""

_RECORDED_RULES = (Argument("--game GAME", "use the rules of this game instead of the recorded ones"), "packs trust")
"""Arguments that select the rules of a recorded game."""

COMMANDS: tuple[Command, ...] = (
    Command(
        "play",
        PLAY,
        "Play a game in the terminal",
        "Play a game in the terminal, against bots or with friends at one keyboard. Without GAME, offers your "
        "unfinished games.",
        (
            "{game}",
            "{game} --players 4",
            "{game} --seats human,human,fair --names Ann,Bob",
            "my-game --with my-cards",
            "--continue",
        ),
        *_TABLE,
        Group("Display", _PACE, _ASCII, Argument("--plain", "play line by line")),
        _MORE,
        module="play_and_resume",
    ),
    Command(
        "host",
        PLAY,
        "Host a game that players join from other terminals",
        "Host a game for several players, each at a screen of their own. Prints a command for each player to join.",
        ("{game} --seats human,human", "{game} --seats human,human,strong --names Ann,Bob", "{game} --continue"),
        *_TABLE,
        Group("Display", _PACE, _ASCII),
        Group(
            "Network",
            Argument(
                "--address HOST",
                "the address of this machine on which players join; the connection is not encrypted (default: "
                "127.0.0.1, which only this machine can reach)",
                default="127.0.0.1",
            ),
            Argument(
                "--port N",
                "the port on which players join; 0 takes any free one (default: 4653)",
                type=parse_port,
                default=4653,
            ),
            Argument(
                "--browser N",
                "let players also join from a browser, at this port; 0 takes any free one (needs lusory[browser])",
                type=parse_port,
            ),
            Argument(
                "--patience SECONDS",
                "how long to wait for a player who lost the connection before a bot plays on (default: 60)",
                type=parse_count,
                default=60,
            ),
        ),
        _MORE,
    ),
    Command(
        "join",
        PLAY,
        "Join a hosted game",
        "Take your seat at a game that somebody hosts. The host gives you the address.",
        ("127.0.0.1:4653/TOKEN", "192.168.1.5:4653/TOKEN"),
        Argument("address ADDRESS", "HOST:PORT/TOKEN, as `lusory host` prints it"),
        _ASCII,
    ),
    Command(
        "games",
        PLAY,
        "List your unfinished, saved and finished games",
        "List your unfinished and saved games, with the commands that continue them, and count your wins.",
        ("",),
        module="list_unfinished_saved_and_finished_games",
    ),
    Command(
        "replay",
        PLAY,
        "Show a recorded game, or verify it against changed rules",
        "Show a recorded game step by step, for players. With --verify, tests whether recorded games still play out "
        "the same, for designers who change rules.",
        (
            "saved-game.json",
            "saved-game.json > my-game/playthroughs/first.txt",
            "--verify my-game {game}",
            "--verify *.json --game my-game --format json",
        ),
        Argument(
            "files FILE",
            "a saved game, a transcript or a playthrough; with --verify also a game, for the files in its folder "
            "`playthroughs`",
            nargs="+",
        ),
        Argument("--verify", "play the decisions again and compare what happens; exit with 1 if anything differs"),
        Argument("--plain", "print lines instead of opening a full screen"),
        _ASCII,
        "format",
        *_RECORDED_RULES,
        Argument("--engine ENGINE", "compiled or evaluator (default: compiled)", choices=["compiled", "evaluator"]),
        module="replay_and_rules_of_recorded_games",
    ),
    Command(
        "analyse",
        PLAY,
        "Find the turning points and the worst moves of a recorded game",
        "Find the turning points and the worst moves of a recorded game, for players who want to improve. A bot "
        "judges every decision.",
        ("", "saved-game.json --by mcts:500"),
        Argument(
            "file FILE",
            "a saved game, a transcript or a playthrough (default: the last game that you finished)",
            nargs="?",
        ),
        Argument("--by BOT", f"the bot that judges the moves: {BOTS} (default: strong)", default="bot"),
        "format",
        *_RECORDED_RULES,
        "engine",
        module="analyse_recorded_game",
    ),
    Command(
        "list",
        PLAY,
        "List the bundled games, or the cards of one",
        "List the bundled games and their packs, or the cards of a game.",
        ("", "{game} --cards", "--format json"),
        Argument("game GAME", "with --cards: the game whose cards to list", nargs="?"),
        Argument("--cards", "list the cards of GAME; a family of cards takes one line"),
        "packs format",
        module="list_games_or_cards_of_a_game",
    ),
    Command(
        "new",
        DESIGN,
        "Create a small game, or a pack of cards for a game",
        "Create a small game, or a pack of cards for a game, for designers to change into their own.",
        ("my-game", "--pack my-cards --for {game}"),
        Argument("folder FOLDER", "the folder to create; its name names the game", nargs="?"),
        Argument("--pack FOLDER", "create a pack of cards in this folder instead of a game"),
        Argument("--for GAME", "with --pack: the game that the pack adds to", dest="base"),
        module="new_game_or_pack_draft",
    ),
    Command(
        "check",
        DESIGN,
        "Check rules for mistakes",
        "Check rules for mistakes: unknown names, wrong types, definitions without use, conditions that never change. "
        "Every problem comes with its line and column, and usually with a suggestion.",
        (
            "my-game",
            "my-game --with my-cards --watch",
            "my-game --strict",
            "my-game --format sarif --output check.sarif",
        ),
        Argument(
            "paths GAME", "a folder, a .yaml file, or a bundled game (default: this folder)", nargs="*", default=["."]
        ),
        Group(
            "Check",
            "packs",
            Argument("--strict", "exit with 1 if there are warnings, too"),
            Argument("--watch", "check again whenever you save a file; Ctrl-C stops"),
        ),
        Group(
            "Output",
            Argument("--show-ignored", "also show warnings that a comment in a file turns off, with the reason"),
            *REPORT_FORMAT,
        ),
        module="check_and_watch",
    ),
    Command(
        "fmt",
        DESIGN,
        "Format files",
        "Format the files of a game or pack in the standard layout. The meaning stays the same.",
        ("my-game", "rulesets --check", "my-game/cases/scoring.yaml --diff", "- < my-game.yaml"),
        Argument(
            "paths PATH",
            "a file, a folder with games or packs, or `-` for standard input (default: this folder)",
            nargs="*",
            default=["."],
        ),
        Argument("--check", "change nothing; list the files that would change"),
        Argument("--diff", "change nothing; show what would change"),
    ),
    Command(
        "test",
        DESIGN,
        "Run the cases of a game, and measure their coverage",
        "Run the cases of a game: short stories that say what should happen. Also measures which rules no case tests.",
        (
            "my-game",
            "my-game -k scoring --with my-cards",
            "my-game --coverage --fail-under 95",
            "my-game --mutate --only my_effect",
            "my-game --format junit --output cases.xml",
        ),
        Argument("paths GAME", "a folder or a bundled game", nargs="+"),
        Group(
            "Cases",
            Argument("-k TEXT", "run only cases whose file, id or title contains TEXT", dest="cases"),
            "packs",
            Argument(
                "--engine ENGINE",
                "both, evaluator or compiled; `both` also compares the engines in a few random games (default: both)",
                choices=["both", "evaluator", "compiled"],
            ),
        ),
        Group("Output", *REPORT_FORMAT),
        Group(
            "Coverage: which rules do no cases use?",
            Argument("--coverage", "list the parts of the rules that no case uses"),
            Argument("--coverage-json FILE", "write the coverage as JSON"),
            Argument("--coverage-html FILE", "write the rules as a web page, coloured by coverage"),
        ),
        Group(
            "Mutation: which mistakes would no case notice?",
            Argument(
                "--mutate",
                "change one thing in the rules at a time, run the cases, and list the changes that no case notices",
            ),
            Argument("--only PLACE", "only changes in this effect, query, phase, rule, table, card, FILE or FILE:LINE"),
            Argument("--limit N", "try at most N changes, drawn at random", type=parse_positive),
            Argument("--mutate-json FILE", "write the result of every change as JSON"),
        ),
        Group(
            "More",
            Argument(
                "--fail-under N",
                "exit with 1 if the cases cover less than N %% of the rules, or notice less than N %% of the changes",
                type=parse_percentage,
            ),
            Argument(
                "--agree N",
                "run no cases; compare the engines in N random games for each number of players",
                type=parse_positive,
            ),
            Argument(
                "--seed S",
                "the seed of the first game of --agree, and of the draw of --limit (default: 0)",
                type=parse_whole,
                default=0,
            ),
            Argument(
                "--jobs N",
                "number of processes, or `all` for one per processor (default: `all` if that saves time)",
                type=parse_jobs,
            ),
        ),
        module="test_cases_coverage_and_mutation",
    ),
    Command(
        "fuzz",
        DESIGN,
        "Search for bugs in the rules: dead ends, broken invariants, leaks",
        "Search for bugs in the rules by random play, for designers: faults, dead ends, broken invariants, and "
        "options that leak secrets. Writes a small case for each bug.",
        ("{game} --seconds 30", "my-game --games 500 --jobs all", "my-game --output my-game/cases"),
        "game",
        Group(
            "Games",
            Argument("--games N", "stop after N games (default: no limit)", type=parse_positive),
            Argument(
                "--seconds N", "stop after N seconds (default: 60, or no limit with --games)", type=parse_positive
            ),
            "players option packs",
            Argument(
                "--from FILE",
                "saved or recorded games to play on from; put this option last",
                dest="starts",
                nargs="+",
                default=[],
            ),
            "seed",
        ),
        Group(
            "Output",
            Argument("--output FOLDER", "write a case for each bug into this folder (default: found-GAME)"),
            "format",
        ),
        Group("Run", "jobs budgets"),
    ),
    Command(
        "explain",
        DESIGN,
        "Show the rules in English, or explain a diagnostic",
        "Show the rules of a game in English, for players and designers, or explain a diagnostic of `lusory check`.",
        ("{game}", "my-game my_card", "{game} --rulebook rules.html", "E0401"),
        Argument("game GAME|CODE", "a game, or the code of a diagnostic such as E0401"),
        Argument(
            "names NAME",
            "explain only this card, action, phase, zone, option or ending, or another code",
            nargs="*",
            default=[],
        ),
        Argument("--rulebook FILE", "write a rulebook to FILE, as Markdown (.md) or as a web page (.html)"),
        Argument("--rules", "describe the rules also where they have a text"),
        Argument("--events", "list the events that rules and packs can react to"),
        "packs",
    ),
    Command(
        "text",
        DESIGN,
        "List card texts whose rules have changed",
        "List cards, actions, effects and keywords whose rules changed since you accepted their text.",
        ("my-game", "my-game --accept"),
        "game",
        Argument("--accept", "accept all texts as they are"),
        "packs",
        module="outdated_card_texts",
    ),
    Command(
        "trace",
        DESIGN,
        "Show what one decision does, statement by statement",
        "Show what one decision does, statement by statement. Shows hidden information, too.",
        ("{game} --seed 7 --at 3", "saved-game.json --at 12", "saved-game.json my-game --step"),
        *list_moment_arguments(
            "the number of the decision; 0 is the setup before the first one (default: the last of a saved game, or "
            "1); a saved game FILE means its last decision"
        ),
        Group("Output", Argument("--step", "wait for Enter after each step; q quits"), "format"),
        module="trace_statements_of_one_decision",
    ),
    Command(
        "show",
        DESIGN,
        "Print one screen of a game as a player sees it",
        "Print one screen, as a player sees it.",
        (
            "{game} --seed 7 --at 20",
            "saved-game.json --at 12 --seat P2 --size 120x40",
            "{game} --at saved-game.json --svg screen.svg",
        ),
        *list_moment_arguments(
            "show the screen after N decisions (default: all decisions of a saved game, or 0); a saved game FILE "
            "means its end"
        ),
        Group(
            "Screen",
            Argument("--seat SEAT", "who looks: P1, P2, … or `nobody` (default: the player who must decide)"),
            Argument("--size CxR", "columns and rows (default: 80x24)", default="80x24"),
            Argument("--names NAME,...", "names of the players, in order of seats"),
            Argument("--svg FILE", "write the screen to FILE as a picture"),
            Argument("--no-color", "print without colours"),
            "table_engine",
        ),
        module="show_one_screen",
    ),
    Command(
        "simulate",
        STUDY,
        "Let bots play many games and count who wins",
        "Let bots play many games, for designers. Shows who wins, how long games take and how they end. The same "
        "command gives the same result on every machine, unless a bot has a time limit.",
        (
            "my-game --games 1000 --jobs all",
            "my-game --seats mcts:200,random --swap",
            "my-game --check --details",
            "my-game --games 1000 --compare git:main",
        ),
        "game",
        Group(
            "Games",
            Argument("--games N", "number of games (default: 100)", type=parse_positive),
            "players bots swap seed option packs",
        ),
        Group("Find problems", Argument("--check", "test the invariants at every decision")),
        Group(
            "Learn more about the games",
            Argument(
                "--details",
                "show when the lead changes, which cards and actions go with winning, and what never happens",
            ),
            Argument("--report FILE", "write the details as a web page with plots (needs lusory[report])"),
            Argument(
                "--skill N",
                "with --details or --report: measure how much skill matters, by N more games for each pair of the "
                "first bot, the same bot with a quarter of the simulations, and random",
                type=parse_positive,
            ),
        ),
        Group(
            "Watch the balance",
            Argument(
                "--balance",
                "compare with the limits in the section `balance`, with the bots and the number of games given there; "
                "exit with 1 if a limit is broken",
            ),
            Argument(
                "--compare BASE",
                "compare with another version of the rules: a game, git:REVISION, or an earlier --record or json "
                "result; exit with 1 if the balance has changed",
            ),
        ),
        Group(
            "Keep results",
            Argument("--record FILE", "save one row per game as .jsonl (JSON lines)"),
            Argument("--decisions", "with --record: also save one row per decision, in a second file"),
            "resume format",
        ),
        Group(
            "Run",
            "jobs",
            Argument(
                "--executor WHERE",
                "local, or dask://HOST:PORT to use a Dask cluster that you trust (default: local)",
                default="local",
            ),
            "engine budgets",
        ),
        module="simulate_and_compare",
    ),
    Command(
        "tournament",
        STUDY,
        "Find out which of several bots is strongest",
        "Find out which of several bots is strongest, and by how much. Each pair plays on all seats until the result "
        "is clear.",
        (
            "{game} --players strong,fair,random --games 40",
            "{game} --players mcts:200,flat:200 --games 200 --jobs all",
            "my-game --players strong,python:my_bots.Careful --file careful.json",
        ),
        "game",
        Group(
            "Games",
            Argument(
                "--players BOT,...",
                f"two or more bots: {BOTS} (default: strong,fair,easy,random)",
                default="strong,fair,easy,random",
            ),
            Argument(
                "--games N", "the most games for each pair of bots (default: 100)", type=parse_positive, default=100
            ),
            Argument("--full", "play all games; don't stop once it is clear which bot is stronger"),
            Argument(
                "--seats N",
                "number of seats in each game (default: the fewest that the game allows)",
                type=parse_positive,
            ),
            "seed option packs",
        ),
        Group(
            "Keep results",
            Argument("--file FILE", "save the results to FILE as JSON; continue the tournament if FILE exists"),
            "format",
        ),
        Group("Run", "jobs engine"),
    ),
    Command(
        "tune",
        STUDY,
        "Try other numbers in the rules and measure what changes",
        "Try other numbers in the rules and measure what changes, for designers who balance a game. Changes no file.",
        ("my-game --vary starting_gold=0..5", "my-game --vary cards.imp.fields.cost=1..4 --goal 'win_rate(first)=0.5'"),
        "game",
        Group(
            "What to try",
            Argument(
                "--vary NAME=VALUES",
                "NAME is an option, or the path to a number in the rules, such as cards.imp.fields.cost. VALUES are "
                "1..5, 0..20:5 (steps of 5) or 1,2,4. Can be repeated: all combinations are played for one or two "
                "names, and a sample for more (needs lusory[tune])",
                action="append",
                required=True,
            ),
            Argument(
                "--goal GOAL",
                "what you want, such as 'win_rate(first)=0.5', 'win_rate(P2)>=45%%', 'draws<=5%%', 'length<=40', "
                "'turns=20', 'result>=30' or 'endings(All is lost)<=10%%'; can be repeated",
                action="append",
                default=[],
                dest="goals",
            ),
            Argument(
                "--trials N",
                "number of combinations to try if you vary more than two names (default: 40)",
                type=parse_positive,
                default=40,
            ),
        ),
        Group(
            "Games",
            Argument(
                "--games N", "number of games for each combination (default: 200)", type=parse_positive, default=200
            ),
            "players bots swap seed option packs",
        ),
        Group("Keep results", "resume format"),
        Group("Run", "jobs engine"),
        module="tune_rule_numbers",
    ),
    Command(
        "solve",
        STUDY,
        "Find the best play of a small game",
        "Find the best play of a small game, its value, and how far the result is from perfect play.",
        ("my-game", "my-game --seconds 300", "my-game --method mccfr --passes 5000 --format json"),
        "game",
        Group(
            "How to solve",
            Argument(
                "--method METHOD",
                "positions (search every position; nothing may be hidden), cfr (an equilibrium of the whole game "
                "tree) or mccfr (an equilibrium from sampled games) (default: the first that suits the game)",
                choices=["positions", "cfr", "mccfr"],
            ),
            Argument(
                "--within X",
                "stop when the exploitability is at most X (default: 0.001)",
                type=parse_amount,
                default=0.001,
            ),
            Argument("--passes N", "stop after N iterations (default: as many as time allows)", type=parse_positive),
            Argument(
                "--seconds N", "stop after N seconds (default: 60, or no limit with --passes)", type=parse_positive
            ),
            Argument(
                "--positions N",
                "the most positions to hold in memory (default: 400000)",
                type=parse_positive,
                default=400_000,
            ),
            Argument("--seed S", "the seed of the sampled games of mccfr (default: 0)", type=parse_whole, default=0),
        ),
        Group("The game", "players option packs budgets"),
        Group("Output", "format"),
    ),
    Command(
        "lsp",
        TOOLS,
        "Serve your editor: mistakes, completion and renaming as you type",
        "Serve an editor that speaks the Language Server Protocol. Your editor starts this command once it is set up.",
        ("", "--port 4389"),
        Argument(
            "--port N", "serve on this TCP port of this machine (default: standard input and output)", type=parse_port
        ),
    ),
    Command(
        "compile",
        TOOLS,
        "Show the Python or C code that lusory generates for a game",
        "Show the Python or C code that lusory generates for a game, for engineers.",
        ("{game}", "{game} --players 4 --emit | less", "my-game --build playout -o playout.py"),
        "game players option packs",
        Argument(
            "--build BUILD",
            "show one build: silent (Python for bots), events (Python for a table), playout (a random game as one "
            "function), ir (the intermediate representation), c (whole games) or c-steps (single steps). Without it, "
            "a table compares the Python builds",
            choices=["silent", "events", "playout", "ir", "c", "c-steps"],
        ),
        Argument("--emit", "print the code instead of a table of its size"),
        Argument("-o FILE", "write the code to FILE", dest="output"),
        module="compile_to_printed_or_measured_code",
    ),
    Command(
        "doctor",
        TOOLS,
        "Show what lusory finds on this machine, and what is missing",
        "Show what lusory finds on this machine (compiler, cache, terminal, packages), what is missing, and what it "
        "is needed for.",
        ("", "--json"),
        Argument("--json", "print JSON"),
    ),
    Command(
        "complete",
        TOOLS,
        "Print a script that completes commands in your shell",
        "Print a script that completes commands, options and games in your shell when you press Tab.",
        ("bash > ~/.local/share/bash-completion/completions/lusory", "fish > ~/.config/fish/completions/lusory.fish"),
        Argument("shell SHELL", "bash, zsh or fish", choices=["bash", "zsh", "fish"]),
        module="print_shell_completion_code",
    ),
)
"""The commands, in the order of ``lusory --help``."""
