"""Players that somebody wrote in Python. Their code runs in this process, and is trusted like the rest of it."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

from lusory_dsl.text.diagnostics import did_you_mean

from .player import PlayerFails, PlayerMissing
from .table import Table

MISSING = "a player has `choose(self, table)`, which gives the number of an option"
WHERE = "modules are found where Python finds them: PYTHONPATH=FOLDER"
WHICH = "a class in a module is named: `python:my_bots.Careful`"


def class_in(path: str, name: str) -> Any:
    """What a path names: a module and a class in it. Raises PlayerMissing; ``name``: how it calls the player."""
    module, _, attribute = path.rpartition(".")
    if not module or not attribute:
        raise PlayerMissing(f"{name}: `{path}` is no class in a module", WHICH)
    try:
        there = import_module(module)
    except ImportError as problem:
        raise PlayerMissing(f"{name}: no module `{module}` can be had: {problem}", WHERE) from problem
    except Exception as problem:
        words = f"{name}: the module `{module}` goes wrong: {type(problem).__name__}: {problem}"
        raise PlayerMissing(words, "a module of players is imported before the game begins") from problem
    if not hasattr(there, attribute):
        known = [one for one, value in vars(there).items() if isinstance(value, type)]
        raise PlayerMissing(f"{name}: `{module}` has no `{attribute}`", did_you_mean(attribute, known) or WHICH)
    return getattr(there, attribute)


class OwnCode:
    """``name``: a module and a class in it, which is called with a number to draw chance from, and whose ``choose``
    gets a :class:`Table`. It may have a ``resume`` like other players. Raises PlayerMissing where there is none,
    PlayerFails where it is no player."""

    looks: Literal[True] = True
    spent: int | None = None

    def __init__(self, path: str, chance: int, name: str) -> None:
        self.name = name
        own = class_in(path, name)
        try:
            self._player: Any = own(chance)
        except TypeError as problem:
            raise PlayerFails(f"{name}: it is called with a number to draw chance from: {problem}") from problem
        if not callable(getattr(self._player, "choose", None)):
            raise PlayerFails(f"{name}: {MISSING}")

    def resume(self, made: int) -> None:
        if hasattr(self._player, "resume"):
            self._player.resume(made)

    def choose(self, table: Table) -> int:
        try:
            option = self._player.choose(table)
        except Exception as problem:
            raise PlayerFails(f"{self.name}: {type(problem).__name__}: {problem}") from problem
        options = len(table.decision.options)
        if type(option) is not int or not 0 <= option < options:
            raise PlayerFails(f"{self.name} took {option!r} of the options 0 to {options - 1}")
        return option
