"""Create players by kind (`random`, `strong`, `mcts:500`, …), including a user's Python class or a recorded game.

The Python code of users runs in this process and is trusted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from lusory_dsl.source.safe_files_and_bundled_data import list_sibling_names, read_text
from lusory_dsl.source.spelling_suggestions import suggest_name

from ..search.option_evaluation import (
    FLAT_MONTE_CARLO,
    MCTS,
    PYTHON_BACKEND,
    SEQUENTIAL_HALVING,
    OptionEvaluation,
    SearchBackend,
)
from ..state.random_streams import Seed, derive_seed
from .player_interface_scripted_and_random_players import (
    DecisionTable,
    Player,
    PlayerFailed,
    PlayerMissing,
    TablePlayer,
    UniformPlayer,
)
from .recorded_game_data_and_replay import SAVED_GAME_HINT, MadeDecision, Transcript, TranscriptError, read_data
from .searching_bots import PLANS, SearchingBot, SearchPlan

NO_CHOOSE_MESSAGE = "the class of a player needs a method `choose(self, table)` that returns the number of an option"
MODULE_HINT = "Python must find the module: set PYTHONPATH=FOLDER"
CLASS_HINT = "write a module and a class, such as `python:my_bots.Careful`"


def _import_class(path: str, name: str) -> Any:
    """Import the class that a dotted path names. ``name`` is the player's name in messages.

    Raises PlayerMissing if the path has no dot, if the module is missing or fails, or if it has no such name. The
    result need not be a class.
    """
    module, _, attribute = path.rpartition(".")
    if not module or not attribute:
        raise PlayerMissing(f"{name}: `{path}` is not a module and a class", CLASS_HINT)
    try:
        imported_module = import_module(module)
    except Exception as problem:
        message = f"{name}: the module `{module}` can't be imported: {type(problem).__name__}: {problem}"
        hint = MODULE_HINT if isinstance(problem, ImportError) else "lusory imports the module before the game starts"
        raise PlayerMissing(message, hint) from problem
    if not hasattr(imported_module, attribute):
        class_names = [class_name for class_name, value in vars(imported_module).items() if isinstance(value, type)]
        raise PlayerMissing(
            f"{name}: `{module}` has no `{attribute}`", suggest_name(attribute, class_names) or CLASS_HINT
        )
    return getattr(imported_module, attribute)


class CustomPlayer(TablePlayer):
    """Player whose decisions come from a user's Python class.

    The class is called with a number for its random stream. Its ``choose`` receives a :class:`DecisionTable` and
    returns an index. It may have a ``resume`` like other players. Raises PlayerMissing if there is no such class, and
    PlayerFailed if it is not a player.
    """

    def __init__(self, path: str, chance: int, name: str) -> None:
        self.name = name
        player_class = _import_class(path, name)
        try:
            self._player: Any = player_class(chance)
        except Exception as problem:
            reason = f"{type(problem).__name__}: {problem}"
            raise PlayerFailed(f"{name}: lusory calls it with a seed, which fails: {reason}") from problem
        if not callable(getattr(self._player, "choose", None)):
            raise PlayerFailed(f"{name}: {NO_CHOOSE_MESSAGE}")

    def resume(self, decision_count: int) -> None:
        """Call the method ``resume`` of the user's object with this number, if it has one.

        Raises PlayerFailed if that fails.
        """
        try:
            if hasattr(self._player, "resume"):
                self._player.resume(decision_count)
        except Exception as problem:
            raise PlayerFailed(f"{self.name}: {type(problem).__name__}: {problem}") from problem

    def choose(self, table: DecisionTable) -> int:
        """Return the index that the user's code chooses.

        Raises PlayerFailed if this code raises an Exception, or if it returns anything but an ``int`` that is the index
        of an option. Even ``-1`` and ``True`` are refused.
        """
        try:
            option = self._player.choose(table)
        except Exception as problem:
            raise PlayerFailed(f"{self.name}: {type(problem).__name__}: {problem}") from problem
        options = len(table.decision.options)
        if type(option) is not int or not 0 <= option < options:
            raise PlayerFailed(f"{self.name} chose option {option!r}, but the options are 0 to {options - 1}")
        return option


def _read_decisions(file: str, name: str) -> tuple[MadeDecision, ...]:
    """Return the decisions of all seats in a saved game or transcript, in order.

    ``name`` is the player's name in messages. Raises PlayerMissing if the file cannot be read or is not a recorded
    game.
    """
    try:
        return tuple(Transcript.from_data(read_data(read_text(Path(file)), file)).decisions)
    except TranscriptError as problem:
        raise PlayerMissing(f"{name}: {problem}", problem.hint) from problem
    except OSError as problem:
        hint = suggest_name(Path(file).name, list_sibling_names(Path(file))) or SAVED_GAME_HINT
        raise PlayerMissing(f"{name}: {problem.strerror or problem}", hint) from problem


class RecordedPlayer(TablePlayer):
    """Player that repeats the decisions of its seat in a saved game or transcript, matched by option id.

    Raises PlayerMissing if the file cannot be read. Raises PlayerFailed when the recording ends or no longer fits.
    """

    def __init__(self, file: str, seat: int, name: str) -> None:
        self.name = name
        self._options = tuple(decision.option for decision in _read_decisions(file, name) if decision.seat == seat)

    def choose(self, table: DecisionTable) -> int:
        """Return the index of the option that was recorded, and go on to the next recorded decision of this seat.

        The option is found by its id. Raises PlayerFailed, and stays at this decision, if no option has that id, or if
        no recorded decision of this seat is left.
        """
        if self._decision_count >= len(self._options):
            raise PlayerFailed(f"{self.name}: the recorded game has only {self._decision_count} decisions of this seat")
        option_id, ids = self._options[self._decision_count], table.view.option_ids()
        number = self._decision_count + 1
        if option_id not in ids:
            raise PlayerFailed(f"{self.name}: `{option_id}`, its decision {number}, is not possible here")
        self._decision_count = number
        return ids.index(option_id)


RANDOM, BOT, REPLAY, PYTHON = "random", "bot", "replay", "python"
HUMAN = "human"
BOTS = (RANDOM, "easy", "fair", "strong", BOT, "greedy")
"""Kinds that need no argument."""

LEVELS = ("easy", "fair")
"""Kinds that accept a number of simulations as argument."""

SEARCHES = (FLAT_MONTE_CARLO, SEQUENTIAL_HALVING, MCTS)
"""Kinds that accept a budget as argument."""

FORMS = (*BOTS, *(f"{way}:N" for way in SEARCHES), f"{REPLAY}:FILE", f"{PYTHON}:module.Class")
SIMULATIONS = range(1, 1_000_001)
SECONDS = 0.01, 600.0
_BUDGET = re.compile(r"(\d{1,7})|(\d{1,3}(?:\.\d{1,3})?)s", re.ASCII)


class UnknownKind(ValueError):
    """Error: no player has this kind. ``hint`` suggests a similar or valid kind, or lists those that exist."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def require_kind(kind: str, extra_kinds: Sequence[str] = ()) -> None:
    """Raise UnknownKind if ``kind`` is not valid. ``extra_kinds`` are further kinds that are allowed, besides bots.

    A search or one of the :data:`LEVELS` may have a valid number after a colon, and only a search seconds. Files and
    code need a part after the colon, but it is not checked. All other kinds must have none.
    """
    name, _, argument = kind.partition(":")
    if name in (*LEVELS, *SEARCHES):
        parse_plan(kind)
    elif name in (*BOTS, *extra_kinds):
        if ":" in kind:
            hint = f"`{name}`" if name in extra_kinds else f"`{name}`, or `{MCTS}:500`"
            raise UnknownKind(f"`{name}` takes no number, so remove `:{argument}`", hint)
    elif name in (REPLAY, PYTHON):
        if not argument:
            raise UnknownKind(
                f"`{kind}`: the part after the colon is missing", FORMS[-2] if name == REPLAY else FORMS[-1]
            )
    else:
        kinds_hint = f"choose from: {', '.join((*extra_kinds, *FORMS))}"
        if name == HUMAN:
            raise UnknownKind("this command has no human players", kinds_hint)
        suggestion = suggest_name(name, [*BOTS, *SEARCHES, REPLAY, PYTHON, *extra_kinds])
        raise UnknownKind(f"unknown player `{kind}`", suggestion or kinds_hint)


def require_available(kind: str) -> None:
    """Raise PlayerMissing if the file or code that a kind names is not available. Imports the code.

    Other kinds are always available.
    """
    name, _, argument = kind.partition(":")
    if name == REPLAY:
        _read_decisions(argument, kind)
    elif name == PYTHON:
        _import_class(argument, kind)


def is_trusted(kind: str) -> bool:
    """Return whether a kind is safe in a file from somebody else: it names neither code nor a file."""
    return kind.partition(":")[0] not in (REPLAY, PYTHON)


def create_bot(kind: str, seed: Seed, seat: int, backend: SearchBackend = PYTHON_BACKEND) -> Player:
    """Return a new bot for a seat, which counts from 0.

    ``random`` gives a UniformPlayer, ``replay:FILE`` a RecordedPlayer, ``python:MODULE.CLASS`` a CustomPlayer, and any
    other kind a SearchingBot, whose simulations ``backend`` runs. The random stream of the bot is derived from the
    game's seed, but a secure seed stays secret. Raises UnknownKind for an invalid kind or a person. Raises
    PlayerMissing if the file, module or class can't be loaded, or if a class is not named, as in ``python:players``.
    Raises PlayerFailed if the class can't be called with a number, or if its objects have no method ``choose``.
    """
    require_kind(kind)
    player_seed = derive_seed(seed, f"seat {seat}")
    name, _, argument = kind.partition(":")
    if kind == RANDOM:
        return UniformPlayer(player_seed)
    if name == REPLAY:
        return RecordedPlayer(argument, seat, kind)
    if name == PYTHON:
        return CustomPlayer(argument, player_seed, kind)
    return SearchingBot(parse_plan(kind), player_seed, kind, backend)


def is_searching(kind: str) -> bool:
    """Return whether players of this kind search: every bot but ``random``. Recordings and Python code don't."""
    return kind != RANDOM and kind.partition(":")[0] in (*BOTS, *SEARCHES)


def get_latest_evaluations(player: Player) -> Sequence[OptionEvaluation]:
    """Return a player's evaluations of the options of its latest decision, best first.

    Returns an empty sequence for a player that does not search.
    """
    return player.evaluations if isinstance(player, SearchingBot) else ()


def list_weaker_kinds(kind: str) -> tuple[str, ...]:
    """Return kinds of players, the strongest first, to measure how much search helps in a game played by ``kind``.

    ``flat``, ``halving`` or ``mcts`` with a number of at least four simulations gives itself, itself with a quarter of
    them (rounded down), and random: ``mcts:402`` gives ``("mcts:402", "mcts:100", "random")``. Kinds that begin with
    ``replay:`` or ``python:`` give themselves and random. All others give ``("strong", "easy", "random")``, such as
    ``mcts`` without a number, ``mcts:5s`` and ``easy:30``.
    """
    name, _, argument = kind.partition(":")
    if name in SEARCHES and argument.isdigit() and int(argument) >= QUARTER:
        return kind, f"{name}:{int(argument) // QUARTER}", RANDOM
    return (kind, RANDOM) if name in (REPLAY, PYTHON) else ("strong", "easy", RANDOM)


QUARTER = 4
"""Ratio of simulations between two neighbours of the ladder."""


def get_latest_simulations(player: Player) -> int:
    """Return the simulations of a player's latest decision, or 0 if it does not search."""
    return player.simulations if isinstance(player, SearchingBot) else 0


def parse_plan(kind: str) -> SearchPlan:
    """Return the plan of a kind that searches: a level or a search, with or without a part after the colon.

    ``mcts:400`` gives ``SearchPlan("mcts", simulations=400)``, and ``mcts:5s`` ``SearchPlan("mcts", seconds=5.0)``. The
    levels are the keys of :data:`PLANS`, also ``bot``. A level alone gives its plan there. A level takes simulations,
    but no seconds: ``easy:30`` is the plan of ``easy`` with ``simulations=30``, ``level=""`` and ``is_midway=False``.
    The part after the colon is valid from 1 to 1,000,000 simulations, and from 0.01 to 600 seconds with at most three
    decimals. Otherwise, raises UnknownKind. The name itself is not checked: ``oops`` gives ``SearchPlan("oops")``, and
    ``oops:3`` the same with ``simulations=3``.
    """
    name, colon, text = kind.partition(":")
    if not colon:
        return PLANS[name] if name in PLANS else SearchPlan(name)
    match = _BUDGET.fullmatch(text)
    is_level = name in PLANS
    if match is not None and match[1] is not None and int(match[1]) in SIMULATIONS:
        plan = PLANS[name] if is_level else SearchPlan(name)
        return replace(plan, simulations=int(match[1]), is_midway=False, level="")
    if match is not None and match[2] is not None and not is_level and SECONDS[0] <= float(match[2]) <= SECONDS[1]:
        return SearchPlan(name, seconds=float(match[2]))
    message = f"`{kind}`: write 1 to {SIMULATIONS[-1]:,} simulations"
    if is_level:
        raise UnknownKind(message, f"`{name}:30`")
    message += f", or {SECONDS[0]} to {SECONDS[1]:.0f} seconds"
    raise UnknownKind(message, f"`{name}:500` or `{name}:0.5s`")
