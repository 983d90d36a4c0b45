"""Play the same games in OpenSpiel, PettingZoo and RLCard, and a similar one in Fireplace, if they are installed.

Each plays random games to the end, and then computes the returns, in the quickest way that it offers to Python. They
are imported only when they are needed. Used by :mod:`benchmarks.suite`.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .timing import Contestant, Work

OPEN_SPIEL = {
    "tic-tac-toe": (("tic_tac_toe", "native peer"), ("python_tic_tac_toe", "peer")),
    "connect-four": (("connect_four", "native peer"),),
    "kuhn-poker": (("kuhn_poker", "native peer"), ("python_kuhn_poker", "peer")),
    "leduc-poker": (("leduc_poker", "native peer"),),
}
SEARCH_GAMES = {
    "tic-tac-toe": "tic_tac_toe",
    "connect-four": "connect_four",
    "othello": "othello",
    "nine-mens-morris": "nine_mens_morris",
    "english-draughts": "checkers",
}
"""Games of perfect information without chance: our name -> OpenSpiel's, whose tree search plays them, too."""

LOOP = "loop"
"""Role of a peer that runs without Python."""

NOTES = {  # where a peer's rules differ
    (
        "PettingZoo",
        "leduc-poker",
    ): "PettingZoo and RLCard let a player fold at any time, so that random games are shorter",
    (
        "Fireplace",
        "empire-city",
    ): "Fireplace plays Hearthstone with random decks: another game, of units, costs and effects on cards as this one",
}
PACKAGES = {
    "OpenSpiel": "open-spiel",
    "PettingZoo": "pettingzoo",
    "RLCard": "rlcard",
    "Fireplace": "fireplace2",
}  # as pip calls them
PETTING_ZOO = {"tic-tac-toe": "tictactoe_v3", "connect-four": "connect_four_v3", "leduc-poker": "leduc_holdem_v4"}
RLCARD = {"leduc-poker": "leduc-holdem"}
FIREPLACE = {"empire-city": "Hearthstone"}
PEER_GAMES = {*OPEN_SPIEL, *PETTING_ZOO, *RLCARD, *FIREPLACE}
"""Games that a peer plays as well."""

LAST_TURN = 200  # longer games of Fireplace are stopped and do not count
TRIAL_GAMES = 60  # games of Fireplace that are tested before the measurement


def list_peers(game: str) -> tuple[list[Contestant], list[str]]:
    """Return the peers that play a game, and remarks: peers that are not installed, and rules that differ."""
    contestants: list[Contestant] = []
    remarks: list[str] = []
    sources: tuple[tuple[str, str, dict[str, Any], Callable[[str], list[Contestant]]], ...] = (
        ("OpenSpiel", "pyspiel", OPEN_SPIEL, _list_open_spiel),
        ("PettingZoo", "pettingzoo", PETTING_ZOO, _list_petting_zoo),
        ("RLCard", "rlcard", RLCARD, _list_rlcard),
        ("Fireplace", "fireplace", FIREPLACE, _list_fireplace),
    )
    for name, module, games, make in sources:
        if game not in games:
            continue
        if find_spec(module) is None:
            remarks.append(f"{name} is not installed: skipped (pip install -e '.[bench-peers]')")
            continue
        try:
            contestants += make(game)
            if (name, game) in NOTES:
                remarks.append(NOTES[name, game])
        except ImportError as error:
            remarks.append(f"{name} cannot be used here ({error}): skipped")
    return contestants, remarks


def _format_title(name: str) -> str:
    return f"{name} {version(PACKAGES[name])}"


def _list_open_spiel(game: str) -> list[Contestant]:
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    import_module("open_spiel.python.games")  # registers the games written in Python
    contestants = []
    for name, role in OPEN_SPIEL[game]:
        language = "C++" if role == "native peer" else "Python"
        play = _play_open_spiel(pyspiel.load_game(name))
        contestants.append(Contestant(f"{_format_title('OpenSpiel')}, {language}", role, play))
    return contestants


def _play_open_spiel(game: Any) -> Work:
    """Play random games. Chance is uniform in all of them, so it is picked like a move."""

    def play(games: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(rnd() * len(legal))])
                moves += 1
            state.returns()
        return moves

    return play


def list_peer_searches(game: str, most: int) -> list[Contestant]:
    """Return OpenSpiel's tree search in C++ with random playouts, if it plays the game and is installed.

    It searches the first position, with at most ``most`` simulations in one tree.
    """
    if game not in SEARCH_GAMES or find_spec("pyspiel") is None:
        return []
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    board = pyspiel.load_game(SEARCH_GAMES[game])
    playouts = pyspiel.RandomRolloutEvaluator(1, 1)

    def search(count: int) -> int:
        for first in range(0, count, most):
            size = min(most, count - first)
            pyspiel.MCTSBot(board, playouts, 0.7, size, 0, False, 1, False).mcts_search(board.new_initial_state())
        return count

    return [Contestant(f"{_format_title('OpenSpiel')}, MCTS in C++", "peer search", search)]


def list_peer_loops(game: str) -> tuple[list[Contestant], list[str]]:
    """Return OpenSpiel driven by a loop in C++, which is built against the headers in its wheel, or the reason why
    not."""
    if game not in OPEN_SPIEL:
        return [], []
    if find_spec("pyspiel") is None:
        return [], ["OpenSpiel is not installed: no loop in C++"]
    compiler = shutil.which("c++")
    if compiler is None:
        return [], ["no C++ compiler: OpenSpiel is driven from Python alone"]
    try:
        function = _build_loop(compiler)
    except (OSError, subprocess.SubprocessError) as error:
        return [], [f"no loop in C++ for OpenSpiel: {error}"]
    name, _ = OPEN_SPIEL[game][0]
    play = partial(_run_loop, function, name.encode())
    return [Contestant(f"{_format_title('OpenSpiel')}, a loop in C++", LOOP, play)], []


def _run_loop(function: Any, name: bytes, games: int) -> int:
    return int(function(name, games, 1))


@lru_cache(maxsize=1)
def _build_loop(compiler: str) -> Any:
    """Build the loop and return its function. Raises OSError or SubprocessError."""
    flags = sys.getdlopenflags()
    sys.setdlopenflags(flags | os.RTLD_GLOBAL)  # the loop finds OpenSpiel in what Python has loaded
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    sys.setdlopenflags(flags)
    site = Path(pyspiel.__file__).parent
    folders = [site, *(site / "open_spiel" / folder for folder in ("", "abseil-cpp", "json/include"))]
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder) / "loop.so")
        options = ["-std=c++17", "-O2", "-DNDEBUG", "-shared", "-fPIC", "-w", *(f"-I{path}" for path in folders)]
        source = str(Path(__file__).with_name("open_spiel_loop.cc"))
        subprocess.run([compiler, *options, "-o", library, source], check=True, capture_output=True, timeout=300)
        function = ctypes.CDLL(library).random_games
    function.restype, function.argtypes = ctypes.c_int64, [ctypes.c_char_p, ctypes.c_int64, ctypes.c_uint64]
    return function


def _list_petting_zoo(game: str) -> list[Contestant]:
    environment = import_module(f"pettingzoo.classic.{PETTING_ZOO[game]}").env()

    def play(games: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for seed in range(games):
            environment.reset(seed=seed)
            for _ in environment.agent_iter():
                observation, _, terminated, truncated, info = environment.last()
                if terminated or truncated:
                    environment.step(None)
                    continue
                mask = observation["action_mask"] if "action_mask" in observation else info["action_mask"]
                legal = mask.nonzero()[0]
                environment.step(int(legal[int(rnd() * len(legal))]))
                moves += 1
        return moves

    return [Contestant(_format_title("PettingZoo"), "peer", play)]


def _list_rlcard(game: str) -> list[Contestant]:
    environment = import_module("rlcard").make(RLCARD[game])

    def play(games: int) -> int:
        rnd = random.Random(1).random
        moves = 0
        for _ in range(games):
            state, _ = environment.reset()
            while not environment.is_over():
                legal = list(state["legal_actions"])
                state, _ = environment.step(legal[int(rnd() * len(legal))])
                moves += 1
            environment.get_payoffs()
        return moves

    return [Contestant(_format_title("RLCard"), "peer", play)]


def _list_fireplace(game: str) -> list[Contestant]:
    """Play random decks at random, as Fireplace's own tests do. Only games that finish count.

    About one random game in six stops with an error of Fireplace, at cards that it does not support yet. The time of
    such a game says nothing about its speed. So games are played once before the measurement, and only seeds that
    finished are played again and timed. This favours Fireplace.
    """
    database = import_module("fireplace.cards").db
    rules = import_module("fireplace.utils")
    logging.getLogger("fireplace").setLevel(logging.CRITICAL)
    database.initialize()
    seeds: list[int] = []

    def play_one(seed: int) -> int:
        """Return the number of turns of a game, or 0 if it does not finish."""
        random.seed(seed)
        table = rules.setup_game()
        try:
            for player in table.players:
                player.choice.choose()
            while not table.ended and table.turn < LAST_TURN:
                rules.play_turn(table)
        except Exception:
            return 0
        return int(table.turn) if table.ended else 0

    def play(games: int) -> int:
        with contextlib.redirect_stdout(io.StringIO()):
            if not seeds:  # the first call, which is not timed
                seeds.extend(seed for seed in range(TRIAL_GAMES) if play_one(seed))
            return sum(play_one(seeds[i % len(seeds)]) for i in range(games))

    return [Contestant(f"{_format_title('Fireplace')}, {FIREPLACE[game]}", "peer", play)]
