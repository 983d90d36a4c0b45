"""Players that somebody wrote in Python. Their code runs in this process, and is trusted like the rest of it."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal

from .player import PlayerFails
from .table import Table

MISSING = "a player has `choose(self, table)`, which gives the number of an option"


class OwnCode:
    """``name``: a module and a class in it, which is called with a number to draw chance from, and whose ``choose``
    gets a :class:`Table`. It may have a ``resume`` like other players. Raises PlayerFails where there is none."""

    looks: Literal[True] = True
    spent: int | None = None

    def __init__(self, path: str, chance: int, name: str) -> None:
        self.name = name
        module, _, attribute = path.rpartition(".")
        try:
            self._player: Any = getattr(import_module(module), attribute)(chance)
        except (ImportError, ValueError) as problem:
            raise PlayerFails(f"{name}: no module `{module}` can be had: {problem}") from problem
        except AttributeError as problem:
            raise PlayerFails(f"{name}: {problem}") from problem
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
