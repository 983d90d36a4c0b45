"""Play random games with yardsticks and with our two builds. Used by :mod:`benchmarks.suite`.

Each contestant plays random games to the end and determines the winner. Our engine takes a single option by itself, but
the yardsticks ask. So the numbers of moves differ, and games are compared.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from lusory.game import Game
from lusory.native.whole_games_and_stepwise_play import NativeGames
from lusory_dsl.pipeline import load_program

from .timing import Contestant, Work

RULESETS = Path(__file__).parent.parent / "rulesets"


@dataclass(frozen=True)
class Subject:
    """A game, for a number of players, with the options that make its rules those of the yardstick."""

    title: str
    ruleset: str  # folder or file, from rulesets/
    yardstick: str  # prefix of the modules in yardsticks/, where there are any
    styles: tuple[str, ...]
    players: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return Path(self.ruleset).stem

    def import_yardstick(self, style: str) -> Any:
        return import_module(f"{__package__}.yardsticks.{self.yardstick}_{style}")

    def create_game(self, engine: str = "compiled") -> Game:
        return Game(load_program(RULESETS / self.ruleset), self.players, self.options, engine)


BOTH_STYLES = ("idiomatic", "optimised")
EMPIRE_OPTIONS = {"first_start": "first_seat", "stock_mode": "physical"}
EMPIRE_TWO = Subject("The Empire Engine, 2 players", "empire-engine", "empire", BOTH_STYLES, 2, EMPIRE_OPTIONS)
EMPIRE_THREE = Subject("The Empire Engine, 3 players", "empire-engine", "empire", BOTH_STYLES, 3, EMPIRE_OPTIONS)
EMPIRE_FOUR = Subject("The Empire Engine, 4 players", "empire-engine", "empire", BOTH_STYLES, 4, EMPIRE_OPTIONS)
SUBJECTS = (
    EMPIRE_TWO,
    EMPIRE_THREE,
    EMPIRE_FOUR,
    Subject("Tic-tac-toe", "classics/tic-tac-toe", "ttt", BOTH_STYLES),
    Subject("Connect Four", "classics/connect-four", "c4", BOTH_STYLES),
    Subject("Lines of Action", "../benchmarks/rulesets/lines-of-action.yaml", "loa", ("optimised",)),
    Subject("Othello", "../benchmarks/rulesets/othello.yaml", "othello", ("optimised",)),
    Subject("Kuhn poker", "classics/kuhn-poker", "kuhn", BOTH_STYLES),
    Subject("Leduc hold'em", "classics/leduc-poker", "leduc", BOTH_STYLES),
    Subject("Empire (the City), 2 players", "empire-city", "", ()),
)
STYLE_TITLES = {"idiomatic": "hand-written, clean", "optimised": "hand-written, optimised"}


def list_contestants(subject: Subject) -> list[Contestant]:
    """Return the yardsticks of a game and our two builds."""
    game = subject.create_game()
    return [
        *list_yardsticks(subject),
        Contestant("lusory, playout build", "playout", play_playouts(game)),
        Contestant("lusory, through the five verbs", "stepwise", play_stepwise(game)),
    ]


def list_yardsticks(subject: Subject) -> list[Contestant]:
    """Return the hand-written classes of a game."""
    return [
        Contestant(STYLE_TITLES[style], style, play_yardstick(subject.import_yardstick(style), subject.players))
        for style in subject.styles
    ]


def play_yardstick(module: Any, players: int) -> Work:
    """Return a function that plays random games of a hand-written class."""

    def play(games: int) -> int:
        rng = random.Random(1)
        rnd = rng.random
        moves = 0
        for _ in range(games):
            game = module.new_game(rng, players)
            while not game.is_over():
                legal = game.legal_moves()
                game.apply(legal[int(rnd() * len(legal))])
                moves += 1
            game.returns()
        return moves

    return play


def play_stepwise(game: Game) -> Work:
    """Return a function that plays random games decision by decision, without events."""

    def play(games: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for seed in range(games):
            state = game.start(seed)
            decision = game.decision(state)
            while decision is not None:
                state = game.apply(state, int(rnd() * len(decision.options)))
                decision = game.decision(state)
                moves += 1
            game.outcome(state)
        return moves

    return play


def play_playouts(game: Game) -> Work:
    """Return a function that plays random games with the generated playout function."""

    def play(games: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for seed in range(games):
            moves += game.playout(rnd, seed).decisions
        return moves

    return play


def play_native(native: NativeGames, reads_results: bool) -> Work:
    """Return a function that plays random games in native code, and reads the results if ``reads_results`` is true."""

    def play(games: int) -> int:
        if reads_results:
            return sum(result[0] for result in native.play_games(range(games)) if result is not None)
        return native.count_decisions(0, games)

    return play
